#!/bin/sh
# Tests lists of problems: in one process, in four of which one is killed, and as a job array of two.
# What is done is never done again, and one journal gives the same records whoever reads it.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
small_space tiny.ini
JOURNALS=$XDG_CACHE_HOME/autotune
for name in $(env | sed -n 's/^\(OMPI_[A-Z_]*\|PMI_[A-Z_]*\|PMIX_[A-Z_]*\|SLURM_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done

# The list: as it is written, and by hand.
run list problems --n 1K --type f32
check list has_status 0
check list-as-options grep -qx -- '--op sum --type f32 --n 1000' out
check list-all-operations test "$(wc -l < out)" -eq "$("$AUTOTUNE" list operations 2> /dev/null | grep -cE '^[a-z0-9_]+ +(all|floats) ')"
run list problems --n 1K..10K --op sum
check list-range test "$(grep -c 'type i32' out)" -eq 4
run list problems --rows 10 --len 20..40 --type f32 --axis 0 --warm
check list-matrix grep -qx -- '--op max --type f32 --rows 10 --len 40 --pitch 40 --axis 0 --warm' out
run list problems --n 1K --order run
check list-order test "$(grep -v -- "--type [bf]*[0-9]* --n 1000 --deterministic\$" out | grep -cvE "^--op (mean|nrm2|var|std|mse|mae) ")" -eq 0
mkdir "o w'n"
cp "$ROOT/configs/reduce.ini" "$ROOT/templates/reduce.cu" "o w'n"
run list problems --n 1K --op sum --type i8 --space "o w'n/reduce.ini" --template "o w'n/reduce.cu"
cp out own-problems
run --device host --problems own-problems --dry-run
check list-of-own-files grep -q "1 problems, 1 to do" err
refuses list-of-others 64 "list problems" list params --n 1K..2K
{
    echo "# the problems of a library"
    "$AUTOTUNE" list problems --n 1K | grep -E 'op (sum|max|min) --type (i32|f32|u32)' | head -n 7
    echo "   --op xor --n 1K  # by hand"
    echo
} > problems
check list-of-eight test "$(grep -c -- --op problems)" -eq 8

# What cannot be a list.
refuses none 74 "nothing: .*: --problems takes a list of problems, as 'autotune list problems' writes" --problems nothing
: > empty
refuses empty 64 "empty has no problem" --problems empty
printf -- '--n 10\n--n 7\000 --op max\n' > nul
refuses nul 64 "nul:2: a NUL byte" --problems nul --device host --dry-run
bad() {
    printf '%s\n' "--n 1K" "$2" > bad
    refuses "$1" 64 "bad$3" --problems bad --device host
}
bad bad-option "--n 1K --device host" ":2: --device is no part of a problem"
bad bad-range "--n 1K..2K" ":2: a range is many problems"
bad bad-value "--n many" ":2: --n is"
bad bad-word "--n 2K more" ":2: 'more' is one argument too many"
bad bad-help "--help" ":2: --help is no part of a problem"
bad bad-twice "--n 1000 --type i32" " has sum i32 1K cold twice"
refuses with-n 64 "--problems has the problems" --problems problems --n 1K
refuses with-op 64 "--problems has the problems" --problems problems --op max
refuses part-alone 64 "give --problems too" --part 1/2
refuses dry-run-alone 64 "give --problems too" --dry-run
refuses auto-alone 64 "no launcher says" --problems problems --part auto
refuses retune-and-confirm 64 "." --problems problems --confirm

# One process: a line a problem; the same command knows all.
set -- --problems problems --device host --space tiny.ini
run "$@" --cache one --csv one.csv
check one has_status 0
check one-names-its-device grep -q '^device *host emulator of cc' err
check one-line-each test "$(grep -c ' tuned in ' out)" -eq 8
check one-csv test "$(grep -c ',tuned,' one.csv)" -eq 8
check one-no-parts test ! -e one/parts
check one-sum grep -q '^list  *8 tuned, 0 known, 0 failed' err
check one-names-no-part sh -c '! grep -q "when all parts are done" err'
cp one/host.ini one.ini
run "$@" --cache one
check again test "$(grep -c ' known$' out)" -eq 8
check again-changes-nothing cmp one.ini one/host.ini

# Four processes at once; one is killed on its way, and one is asked to end.
# A trial that was taken over is the same line again.
once() {
    journal_lines "$1"/parts/*/journal/*.journal | sort -u | cut -f 1 | uniq -d > twice
    [ ! -s twice ] || { echo "tried twice:"; cat twice; return 1; }
}
all_done() {
    "$AUTOTUNE" "$@" --dry-run --csv - 2> /dev/null | awk -F , '$4 == "done" { n++ } END { exit n != 8 }'
}
begin_part() {
    "$AUTOTUNE" "$@" --cache four > "part$part.out" 2> "part$part.err" < /dev/null &
}
has_trials() {
    [ -n "$(journal_lines four/parts/"$1"-of-4/journal/*.journal 2> /dev/null)" ]
}
trials() {
    journal_lines four/parts/*/journal/*.journal 2> /dev/null | wc -l
}
for part in 1 2 3 4; do
    begin_part "$@" --part $part/4
    eval "number$part=\$!"
done
running=$number2
wait_until has_trials 2
kill -KILL $number2
running=$number3
wait_until has_trials 3
kill -TERM $number3
wait $number2 2> /dev/null
check killed test $? -eq 137
wait $number3
ended=$?
check terminated test $ended -eq 143 -o $ended -eq 0
check terminated-says-how grep -Eq '^autotune: interrupted: .* goes on|^part ' part3.err
wait $number1
check part-1 test $? -eq 0
wait $number4
check part-4 test $? -eq 0
check part-line test "$(cat part1.out part4.out | grep -c ' tuned in ')" -ge 4
check part-says-where grep -q '^part      4 of 4: . tuned, 0 known, 0 failed in .*; records in four/parts/4-of-4$' part4.err
before=$(trials)
run "$@" --cache four --dry-run --part 1/4 --csv plan.csv
check dry-run has_status 0
check dry-run-all test "$(sed 1d plan.csv | wc -l)" -eq 8
check dry-run-of-2 grep -Eq '^2,[0-9]+,.*,(to do|begun),' plan.csv
check dry-run-of-1 test "$(grep -c '^1,.*,done,' plan.csv)" -eq "$(grep -c '^1,' plan.csv)"
check dry-run-for-how-long grep -Eq '^part      2 of 4: 2 problems, [12] to do, about [1-9][0-9]* s$' err
check dry-run-says-on-what grep -Eq '^estimate  [0-9.]+ s a problem: the median of the [1-9]' err
check dry-run-tries-nothing test "$(trials)" -eq "$before"

# The same list goes on with another number of parts, here tasks of an array.
for task in 1 2; do
    export SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MIN=1
    run "$@" --cache four --part auto
    check "array-$task" has_status 0
    check "array-$task-is-that-part" grep -q "^part      $task of 2: " err
    cat out >> array.out
done
check array-does-what-is-left grep -q ' tuned in ' array.out
check array-knows-the-rest grep -q ' known$' array.out
check array-line-each test "$(wc -l < array.out)" -eq 8
check all-done all_done "$@" --cache four
check nothing-twice once four
for task in 1 2; do
    SLURM_ARRAY_TASK_ID=$task
    run "$@" --cache four --part auto
    check "array-again-$task" test "$(grep -vc ' known$' out)" -eq 0
done
unset SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT SLURM_ARRAY_TASK_MIN
check nothing-new once four
run merge --cache four four/parts/*
check merge has_status 0
check merge-all test "$(grep -c '^op = ' four/host.ini)" -eq 8
run "$@" --cache four
check merged-is-known test "$(grep -c ' known$' out)" -eq 8

# From the journals alone, by any number of parts: equal byte for byte, to what one process makes.
run "$@" --cache whole --replay four
check replay has_status 0
check replay-line-each test "$(grep -c ' from its journal$' out)" -eq 8
for part in 3/3 1/3 2/3; do
    run "$@" --cache split --replay four --part $part
    check "replay-part-$part" has_status 0
done
run merge --cache split split/parts/*
check replay-equal cmp whole/host.ini split/host.ini
for part in 1/2 2/2; do
    run "$@" --cache halves --replay four --part $part
done
run merge --cache halves halves/parts/2-of-2 halves/parts/1-of-2
check replay-equal-of-two cmp whole/host.ini halves/host.ini
run show --cache whole
check replay-shown test "$(grep -c '^host ' out)" -eq 8
run "$@" --replay nowhere --cache none
check replay-of-none has_status 74
check replay-of-none-each test "$(grep -c '  failed: ' out)" -eq 8

# A problem that fails costs its line; the others are done.
printf '%s\n' "--n 1K" "--n 1K --type i64" "--n 1K --op max" > some
run --problems some --device host --space tiny.ini --cache some-cache --json some.json
check failing has_status 64
check failing-lines grep -q '^2 of 3  sum i64 1K cold .*failed: tiny.ini: no point' out
check failing-goes-on grep -q '^3 of 3  max i32 1K cold .* tuned in ' out
check failing-says-so grep -q '^autotune: 1 of 3 problems failed, the first because: tiny.ini' err
check failing-json grep -q '"result": "failed".*"error": "tiny.ini' some.json

# A part bound to one core beside others is told.
if [ "$(nproc)" -gt 1 ]; then
    taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" "$AUTOTUNE" "$@" --cache one > out 2> err
    check one-core grep -q 'bound to one of .* cores.*--bind-to none.*--cpus-per-task' err
    OMPI_COMM_WORLD_LOCAL_SIZE=1000 taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" \
        "$AUTOTUNE" "$@" --cache one > out 2> err
    check one-core-each test "$(grep -c 'bound to one' err)" -eq 0
else
    skip one-core "this machine has one"
fi
run "$@" --cache one
check all-cores test "$(grep -c 'bound to one' err)" -eq 0
check no-process-left no_process
finish

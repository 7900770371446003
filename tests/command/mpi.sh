#!/bin/sh
# Tests autotune-mpi with four ranks of the emulator: one problem in slices, many as ranks become free,
# a rank that is killed, one that hangs, one with another template, and records from one journal.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
MPI=$AUTOTUNE-mpi
if [ ! -x "$MPI" ] || ! command -v mpirun > /dev/null; then
    skip mpi "no MPI is here (Debian: libopenmpi-dev openmpi-bin)"
    finish
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_plm_rsh_agent=false PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
small_space tiny.ini
set -- --device host --space tiny.ini

# shared RANKS OPTION...: autotune-mpi by so many ranks; streams and status as those of run.
shared() {
    ranks=$1
    shift
    timeout "$PATIENCE" mpirun -n "$ranks" "$MPI" "$@" > out 2> err < /dev/null
    status=$?
}
begin_shared() {
    ranks=$1
    shift
    : > err
    mpirun -n "$ranks" "$MPI" "$@" > out 2> err < /dev/null &
    running=$!
}
# Waits for the end of the job, whose status is in $ended. mpirun of Open MPI 4.1 can wait for a lock of
# its own for ever when all its ranks have ended: it is killed then.
wait_for_job() {
    quiet=0
    while is_running && [ $quiet -lt 20 ]; do
        sleep 0.5
        [ -n "$(processes | grep -vx $running)" ] && quiet=0 || quiet=$((quiet + 1))
    done
    ! is_running || { echo "mpirun has outlived its ranks"; kill -KILL $running; }
    wait $running
    ended=$?
}
# The process of rank $1 in this test.
rank_process() {
    for number in $(processes); do
        if tr '\0' '\n' < "/proc/$number/cmdline" 2> /dev/null | head -n 1 | grep -q 'autotune-mpi$' &&
            tr '\0' '\n' < "/proc/$number/environ" 2> /dev/null |
                grep -qx "OMPI_COMM_WORLD_RANK=$1"; then
            echo "$number"
        fi
    done
}
coordinators() {
    for number in $(processes); do
        ! tr '\0' ' ' < "/proc/$number/cmdline" 2> /dev/null | grep -q '^[^ ]*/autotune serve ' ||
            echo "$number"
    done
}
once() {
    for journal in "$1"/journal/*.journal; do
        journal_lines "$journal" | cut -f 1 | sort | uniq -d
    done > twice
    [ ! -s twice ] || { echo "tried twice:"; cat twice; return 1; }
}
records() { cat "$1/host.ini" 2> /dev/null | grep -c '^op = ' || true; }
trials() { journal_lines "$1"/journal/*.journal 2> /dev/null | wc -l; }

check autotune-has-no-mpi test "$(ldd "$AUTOTUNE" 2> /dev/null | grep -c libmpi)" -eq 0
shared 1 --device host
check list-is-asked-for has_status 64
check list-is-asked-for-why grep -q 'give --problems FILE' err

# One problem: its variants in slices, its race on one rank.
echo "--n 1K" > one
shared 4 "$@" --problems one --cache one-cache
check one has_status 0
check one-line grep -q '^1 of 1  sum i32 1K cold .* tuned in .* on ' out
check one-in-slices grep -Eq '^list      1 tuned, .* by 4 ranks in .*; [1-9][0-9]* slices;' err
check one-record test "$(records one-cache)" -eq 1
check one-once once one-cache
"$AUTOTUNE" "$@" --n 1K --cache alone --quiet > alone.out 2> /dev/null
check one-tries-what-one-process-does test "$(trials one-cache)" -eq "$(trials alone)"
run "$@" --n 1K --cache one-cache
check one-is-known grep -q 'record    exact' err

# Many, and again; more with MPI_KILLS.
many=${MPI_KILLS:+30}
many=${many:-8}
"$AUTOTUNE" list problems --n 1K 2> /dev/null |
    grep -E 'op (sum|sumsq|min|max|and|or|xor) --type ([iu](8|16|32)|f32)' | grep -v -- --determ |
    head -n "$many" > many
check many-problems test "$(wc -l < many)" -eq "$many"
shared 4 "$@" --problems many --cache shared-cache --csv many.csv
check many has_status 0
check many-records test "$(records shared-cache)" -eq "$many"
check many-csv test "$(grep -c ',tuned,' many.csv)" -eq "$many"
check many-once once shared-cache
check many-line-each test "$(grep -c ' tuned in ' out)" -eq "$many"
before=$(trials shared-cache)
cp shared-cache/host.ini before.ini
# Folders of ranks that were killed are removed; those of ranks of other machines, which share the folder,
# and of others stay.
GONE=4194305 # the number of no process here
start=$TMPDIR/autotune-$(this_host)-1-$GONE
left=$start-Ab3dE9 elsewhere=$start-Cd4fG8 others=$start-of-mine
mkdir -m 700 "$left" "$elsewhere" "$others"
for folder in "$left" "$elsewhere" "$others"; do
    echo precious > "$folder/one.ini"
    : > "$folder/lock"
done
flock -F "$elsewhere/lock" sleep 1000 &
holder=$!
is_held() { ! flock -n "$elsewhere/lock" true; }
wait_until is_held
shared 4 "$@" --problems many --cache shared-cache
check folder-of-a-killed-rank-is-swept test ! -e "$left"
check folders-of-others-stay test -s "$elsewhere/one.ini" -a -s "$others/one.ini"
kill $holder
rm -r "$elsewhere" "$others"
check again test "$(grep -c ' known on ' out)" -eq "$many"
check again-tries-nothing test "$(trials shared-cache)" -eq "$before"
check again-changes-nothing cmp before.ini shared-cache/host.ini

# Records from these journals alone: equal byte for byte, whoever makes them.
run "$@" --problems many --replay shared-cache --cache whole
shared 4 "$@" --problems many --replay shared-cache --cache by-four
check replay has_status 0
check replay-line-each test "$(grep -c ' from its journal on ' out)" -eq "$many"
check replay-equal cmp whole/host.ini by-four/host.ini
shared 2 "$@" --problems many --replay shared-cache --cache by-two
check replay-equal-of-two cmp whole/host.ini by-two/host.ini

# Rank 2 is killed at two moments of eight problems: each time a few more trials have come than when
# it began. With MPI_KILLS=N it is killed at N moments of many problems. The same command goes on.
list=eight kills=2
head -n 8 many > eight
[ -z "${MPI_KILLS:-}" ] || list=many kills=$MPI_KILLS
problems=$(wc -l < $list)
has_gone_on() { [ "$(trials killed)" -ge $((had + more)) ] && [ -n "$(rank_process 2)" ]; }
for kill in $(seq $kills); do
    had=$(trials killed) more=$((1 + kill % 3))
    begin_shared 4 "$@" --problems $list --cache killed
    wait_until has_gone_on
    check "killed-environment-$kill" test "$(for number in $(coordinators); do
        tr '\0' '\n' < "/proc/$number/environ"; done 2> /dev/null | grep -cE '^(OMPI|PMIX|PMI)_')" -eq 0
    victim=$(rank_process 2)
    [ -z "$victim" ] || kill -KILL "$victim" 2> /dev/null
    wait_for_job
    [ -z "${MPI_KILLS:-}" ] || echo "kill $kill: status $ended, $(records killed) records, $(trials killed) trials"
    check "killed-ends-the-job-$kill" test -n "$victim" -a $ended -ne 0 -a "$(records killed)" -lt "$problems"
    check "killed-once-$kill" once killed
    check "killed-leaves-none-$kill" no_process
done
shared 4 "$@" --problems $list --cache killed
check killed-goes-on has_status 0
check killed-all test "$(records killed)" -eq "$problems"
check killed-nothing-twice once killed

# SIGTERM to mpirun, as a time limit has it.
head -n 3 many > three
begin_shared 3 "$@" --problems three --cache ended
has_tried() { [ "$(trials ended)" -ge 1 ]; }
wait_until has_tried
are_held() {
    for folder in "$TMPDIR"/autotune-*-*-*-??????; do ! flock -n "$folder/lock" true || return 1; done
}
check folders-of-ranks-are-held are_held
kill -TERM $running
wait_for_job
check ended-by-signal test $ended -ne 0
check ended-leaves-none no_process
shared 3 "$@" --problems three --cache ended
check ended-goes-on test "$(records ended)" -eq 3
check ended-nothing-twice once ended

# A rank with another template is refused, and named.
mkdir other
sed 's/^meaning = threads per block.*/meaning = threads of a block/' tiny.ini > other/tiny.ini
cp three other
mpirun -n 2 "$MPI" "$@" --problems three --cache "$PWD/refused" : \
    -n 1 -wdir "$PWD/other" "$MPI" "$@" --problems three --cache "$PWD/refused" > out 2> err < /dev/null
status=$?
check other-template test $status -ne 0
check other-template-is-named grep -q 'rank 2 on .* has other templates, spaces' err
check other-template-tries-nothing test "$(records refused)" -eq 0

# A rank that hangs is found, and named; the others do its work.
begin_shared 3 "$@" --problems three --cache hung
has_hung_begun() { [ "$(trials hung)" -ge 1 ]; }
wait_until has_hung_begun
kill -STOP "$(rank_process 1)" 2> /dev/null
wait_for_job
check hung-is-named grep -q "rank 1 on $(hostname) hangs" err
check hung-is-done-by-others test "$(records hung)" -eq 3
check no-process-left no_process
finish

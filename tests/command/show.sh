#!/bin/sh
# Tests `show`, `list` and `doctor`: records, lists and what is installed.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
small_space small.ini

run show
check nothing-yet has_status 0
check nothing-yet-is-said grep -q "no records" err
check nothing-yet-stdout test ! -s out
run show --json -
check nothing-yet-json test "$(tr -d ' \n' < out)" = '[]'
for problem in "--op sum --n 1K" "--op max --type f32 --n 1K" "--op sum --n 2K"; do
    # shellcheck disable=SC2086 # options and values
    run --device host --space small.ini $problem
done

has_lines() {
    [ "$(wc -l < out)" -eq "$1" ]
}
run show
check all has_lines 4
check title grep -Eq '^gpu +op +type .* us +GB/s .*params$' out
check sizes-in-order test "$(sed 1d out | awk '{ print $2, $5 }' | tr '\n' ' ')" = "sum 1K sum 2K max 1K "

# Two spaces can have a record of one problem: then the table says which is whose.
check no-space-where-it-is-the-usual sh -c '! grep -q space out'
cp -r "$XDG_CACHE_HOME" several
sed 's/^name = reduce$/name = mine/' small.ini > mine.ini
run --device host --space mine.ini --n 1K --cache several/autotune --quiet
run show --cache several/autotune --n 1K --op sum
check spaces-of-one-problem has_lines 3
check spaces-have-a-column grep -Eq ' tuned +space +params$' out
check spaces-are-told-apart test "$(grep -Eo ' (mine|reduce) +BLOCK' out | sort | tr -s ' \n' ' ')" = " mine BLOCK reduce BLOCK "
run show --op max
check op has_lines 2
check op-is grep -q ' max  *f32 ' out
run show --type i32
check type has_lines 3
run show --n 2K
check n has_lines 2
check n-is grep -Eq ' 2K ' out
run show --n 3K
check none test ! -s out
check none-is-said grep -q "no records of this kind.*'autotune --n 3K' makes one" err
run show --op xor --type u8 --n 1Ki..2Ki --sweep
check none-of-an-operation grep -q "'autotune --n 1Ki..2Ki --op xor --type u8' makes one" err
run show --deterministic
check none-deterministic grep -q 'no records of this kind' err

# Of floats the order is part of the problem; of integers it changes nothing.
run --device host --n 1K --space small.ini --type f32
run --device host --n 1K --space small.ini --type f32 --deterministic
check deterministic-is-not-answered-by-the-other sh -c '! grep -q "^record  *exact" err'
check deterministic-is-said grep -q 'sum f32 1K cold deterministic' out
run show --deterministic
check deterministic has_lines 2
check deterministic-is grep -q ' cold deterministic ' out
run show --deterministic --json -
check deterministic-json grep -q '"order": *"run"' out
run show --type f32 --op sum
check deterministic-beside-plain has_lines 3
run show --type f32 --op sum --order free
check plain-alone has_lines 2
run show --order n
check none-of-order-n grep -q "'autotune --n 400M --type f32 --order n' makes one" err
run --device host --n 1K --space small.ini --deterministic
check integers-have-their-record grep -q 'sum i32 1K cold on' out

# What cannot be read is not passed over in silence: a damaged record is named, and a file of which
# nothing can be read is an error behind the records of the others. Seen to fail without
# output_warn, and without the status, in verb_show.c.
records=$(echo "$XDG_CACHE_HOME"/autotune/*.ini)
run show
lines=$(wc -l < out)
mkdir damaged
sed '0,/^median_ps/s/^median_ps = /median_ps = 1/' "$records" > damaged/host.ini
run show --cache damaged
check damaged-is-named grep -q '^autotune: warning: damaged/host.ini:[0-9]*: ' err
check damaged-is-passed-over has_lines $((lines - 1))
check damaged-status has_status 0

# unreadable NAME PATTERN: beside a file of two records, one that cannot be read.
unreadable() {
    run show --cache refused
    check "$1-status" has_status 74
    check "$1-is-named" grep -Eq "^autotune: .*other.*$2" err
    check "$1-beside-others" has_lines "$lines"
    run show --cache refused --csv - --op max
    check "$1-status-csv" has_status 74
    check "$1-csv" has_lines 2
    rm -rf refused/other.ini
}
mkdir refused
cp "$records" refused/host.ini
cp "$records" refused/other.ini && chmod 666 refused/other.ini
unreadable writable-by-others 'written by others'
ln -s host.ini refused/other.ini
unreadable link 'symbolic link'
mkdir refused/other.ini
unreadable folder 'not a regular file'
mkfifo refused/other.ini
unreadable fifo 'not a regular file'
echo '[autotune' > refused/other.ini
unreadable no-ini ':1: '
sed 's/^schema = .*/schema = 99/' "$records" > refused/other.ini
unreadable newer 'another version'
cp "$records" refused/other.ini && rm refused/host.ini
chmod 666 refused/other.ini
run show --cache refused
check only-refused-says-nothing-of-none sh -c '! grep -q "no records" err'
check only-refused refused 74 'written by others'
rm refused/other.ini

mkdir elsewhere
run show --cache elsewhere
check elsewhere grep -q "no records in elsewhere" err
# Of verbs that only read, a folder that is named is there.
for verb in show emit "verify --device host" "bench --against cub" export "compare t4 l4" report profile "reduce /dev/null" "ladder --data pinned"; do
    # shellcheck disable=SC2086 # words
    refuses "nowhere $verb" 74 "--cache nowhere: there is no such folder: name a folder with records" $verb --cache nowhere --quiet
done
: > no-folder
refuses no-folder 74 "--cache no-folder: it is no folder" emit --n 1K --cache no-folder --quiet

run list
check list-devices grep -q '^host ' out
run list types
check list-types has_lines 13
check list-types-acc grep -Eq '^bf16 +2 .* f32$' out
run list operations
check list-operations has_lines "$((1 + $(ls "$ROOT"/configs/operations | wc -l)))"
run list params
check list-params grep -Eq '^BLOCK +32 64 128 .* threads per block' out
run list spaces
check list-spaces grep -Eq '^reduce +reduce.cu' out
run list gpus
check list-gpus grep -Eqx 'V100 +sm_70 +80 +1530 +877 +4096 +898 +6' out
check list-gpus-unknown grep -Eqx 'RTX 6000 Ada +sm_89 +142 +960' out
check list-gpus-all test "$(sed 1d out | wc -l)" -eq "$(grep -c '^\[gpu ' "$ROOT/configs/gpus.ini")"
run list gpus --sources
check list-gpus-sources grep -Eq "^V100 .* 6  Tesla V100 GPU Architecture whitepaper" out
run list gpus --csv -
check list-gpus-csv grep -q '^H200,NVIDIA H200,sm_90,132,1980,3201,6016,4814,60,as CUDA' out
refuses list-sources-of-emit 64 "emit has no --sources: list has it" emit --sources
run list archs
check list-archs grep -q '^sm_90 ' out
run list variants --arch sm_80 --type f64
check list-variants grep -q '^BLOCK=' out
check list-variants-says-for-what grep -q 'sum f64 .* sm_80' err
check list-variants-only-valid test "$(grep -c 'VECTOR=4' out)" -eq 0
run list params --space small.ini
check list-params-of-a-file grep -Eq '^BLOCK +64 128  ' out

run doctor --nvrtc nothing.so
check doctor-nvrtc-missing grep -qx 'nvrtc     none: --nvrtc nothing.so: there is no such file' out
: > nothing.so
run doctor --nvrtc ./nothing.so
check doctor-nvrtc-unusable grep -q '^nvrtc     cannot be used: .*nothing.so' out
run doctor
check doctor has_status 0
for line in autotune gpu nvrtc host cache; do
    check "doctor-$line" grep -Eq "^$line " out
done
check doctor-cache grep -q "^cache .*$XDG_CACHE_HOME" out
mkdir nothing
PATH=$SCRATCH/nothing "$AUTOTUNE" doctor > out 2> err
status=$?
check doctor-no-compiler grep -q '^host .*C compiler.*install' out
env -u HOME -u XDG_CACHE_HOME "$AUTOTUNE" doctor > out 2> err
status=$?
check doctor-no-home grep -q '^cache .*--cache' out
run doctor --cache /dev/null
check doctor-cache-is-a-file grep -q '^cache .*/dev/null.*--cache' out
finish

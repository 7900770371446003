#!/bin/sh
# Tests segments: they are tuned, kept under a key of their own, shown, emitted and proven on the host device;
# and refused where there is no kernel for them.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
RECORDS=$XDG_CACHE_HOME/autotune/host.ini

refuses no-segments 64 "--segments is '0': give 1 or more" --device host --segments 0 --n 5
refuses no-elements 64 "give one --n too" --device host --segments 5
refuses range 64 "give one --n too" --device host --segments 5 --n 1K..4K
refuses rows 64 "--segments have no rows" --device host --segments 5 --n 5 --axis 1
refuses scans 64 "--segments have no rows, axes or scans" --device host --segments 5 --n 5 --scan inclusive
refuses offsets-alone 64 "give --segments too" --device host --n 5 --offsets i64
refuses lengths-alone 64 "give --segments too" --device host --n 5 --lengths equal
refuses short-offsets 64 "no type of offsets: choose i32, u32, i64 or u64" --device host --segments 5 --n 5 --offsets i16
refuses no-lengths 64 "any equal uniform skewed" --device host --segments 5 --n 5 --lengths long
refuses far-offsets 64 "offsets of i32 do not reach 3000000000 elements: give --offsets i64" --device host --segments 5 --n 3G
refuses host-data 64 "leave ranges, a matrix, --segments" --device host --segments 5 --n 5 --data pinned
refuses row-space 64 "use --space segments" --device host --segments 5 --n 5 --space rows
refuses no-segments-asked 64 "use --space reduce, or give --segments" --device host --n 5 --space segments
refuses order-n 64 "no kernel keeps order n of segments yet" --device host --segments 5 --n 5 --type f32 --order n

# Tuned, and answered from the record; other offsets and lengths are other problems.
run --device host --segments 300 --n 5K --type f32 --budget 200ms --json tuned.json
check tunes has_status 0
check says-the-segments grep -q '^problem   sum f32 5K in 300 segments by i32 cold: 22 kB read and written' err
check record-has-the-segments grep -qx 'outer = 300 stride 0' "$RECORDS"
check record-has-the-offsets grep -qx 'offsets = i32' "$RECORDS"
run --device host --segments 300 --n 5K --type f32
check answers-from-the-record grep -q '^record ' err
check measures-once test "$(grep -c '^\[record' "$RECORDS")" -eq 1
run --device host --segments 300 --n 5K --type f32 --offsets u64 --lengths equal --budget 200ms --quiet
check keeps-another test "$(grep -c '^\[record' "$RECORDS")" -eq 2
check record-has-the-lengths grep -qx 'lengths = equal' "$RECORDS"
run show
check shows-segments grep -q ' 5K in 300 segments ' out
run verify --device host --segments 300 --n 5K --type f32
check verifies-the-record grep -q 'record of sum f32 5K in 300 segments by i32 cold (exact)' err
run verify --device host --segments 300 --n 5K --type f32 --lengths skewed
check lengths-are-a-hint grep -q "the space's default: no record fits" err

# By both methods, of each kind of value.
for method in METHOD=BALANCED,BLOCK=64,ITEMS=5 METHOD=BY_LANES,BLOCK=64,LANES=8,ITEMS=0,UNROLL=2; do
    run verify --device host --segments 40 --n 3000 --op argmax --type f32 --offsets i64 --variant $method
    check "proves-places-$method" grep -q '^right     argmax f32 3K in 40 segments by i64' out
done
run verify --device host --segments 40 --n 3000 --op mean --type f16 --offsets u32
check proves-a-finish grep -q '^right     mean f16 3K in 40 segments by u32' out
refuses lanes-and-order 70 "with affine maps in its place: wrong result" verify --device host --segments 40 \
    --n 3000 --op "$ROOT/tests/operations/last.ini" --type i32 --variant METHOD=BY_LANES,LANES=8,ITEMS=0

run verify --device host --segments 40 --n 3000 --op "$ROOT/tests/operations/last.ini" --type i32
check keeps-order grep -q '^right     last i32 3K in 40 segments' out

run emit --segments 300 --n 5K --type f32 --arch sm_90
check emits-the-command grep -q -- '--segments 300 --n 5000 --offsets i32\|--offsets i32' out
run list problems --segments 300 --n 5K --op sum --type f32
check lists-problems grep -q -- '--op sum --type f32 --segments 300 --n 5000' out
refuses exports-of-the-space 64 "no functions for a value for each segment yet" export --space segments \
    --format cu --output exported
refuses exports 64 "export has no --segments" export --segments 300 --n 5K --format cu

finish

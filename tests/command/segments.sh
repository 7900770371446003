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

# --- Offsets in a file -----------------------------------------------------------------------
# bytes WIDTH NUMBER...: the numbers as a machine has them, of so many bytes each.
bytes() {
    width=$1
    shift
    printf "$(printf '%s\n' "$@" | awk -v width="$width" '{ x = $1 < 0 ? $1 + 4294967296 : $1
        for (i = 0; i < width; i++) {
            printf "\\%03o", (i > 3 && $1 < 0 ? 255 : x % 256)
            x = int(x / 256)
        } }')"
}
# npy TYPE COUNT: the header, as NumPy writes it.
npy() {
    printf '\223NUMPY\001\000v\000%-117s\n' "{'descr': '$1', 'fortran_order': False, 'shape': ($2,), }"
}
bytes 4 $(seq 1 2 199) > x.i32 # 100 odd numbers: the sum of [a, b) is b^2 - a^2
set -- 3 3 5 40 40 90
bytes 8 "$@" > o.i64
bytes 4 "$@" > o.i32
{ npy '<i4' 6 && cat o.i32; } > o.npy
{ npy '<u8' 6 && cat o.i64; } > u.npy
{ npy '<i4' 100 && cat x.i32; } > x.npy
sums='0 16 1575 0 6500'
# gives NAME EXPECTED ARGUMENT...: a result a line.
gives() {
    name=$1 expected=$2
    shift 2
    run reduce "$@" --device host
    check "$name" has_status 0
    check "$name-results" test "$(tr '\n' ' ' < out)" = "$expected "
}
gives offsets "$sums" x.i32 --offsets o.i64
check offsets-said grep -q '^ *5 segments, in 1 round; opened' err
check offsets-elements grep -q '^read      87 i32 of x.i32' err
gives offsets-by-type "$sums" x.i32 --offsets o.i32 --offsets-type i32
gives offsets-npy "$sums" x.npy --offsets o.npy
gives offsets-npy-u64 "$sums" x.npy --offsets u.npy --offsets-type u64
gives offsets-places '18446744073709551615 1 34 18446744073709551615 49' x.i32 --offsets o.i64 --op argmax
{ head -c 99 x.i32; sleep 0.1; tail -c +100 x.i32; } | "$AUTOTUNE" reduce - --offsets o.i64 --device host > out 2> err
check offsets-of-a-pipe test "$(tr '\n' ' ' < out)" = "$sums "
mkfifo fifo
cat o.i64 > fifo &
gives offsets-in-a-pipe "$sums" x.i32 --offsets fifo
run reduce x.i32 --offsets o.i64 -o sums.i32 --device host
check offsets-written test "$(od -An -v -t d4 -w4 sums.i32 | tr -d '\n' | tr -s ' ')" = " $sums"
check offsets-written-alone test ! -s out
bytes 8 7 > one.i64
run reduce x.i32 --offsets one.i64 --device host
check no-segments has_status 0
check no-results test ! -s out
bytes 8 0 0 0 > none.i64
: > empty.i32
gives all-empty '0 0' empty.i32 --offsets none.i64

refuses offsets-missing 74 "nowhere: cannot be opened: No such file" reduce x.i32 --offsets nowhere --device host
refuses offsets-folder 74 ".: cannot be read: Is a directory" reduce x.i32 --offsets . --device host
refuses offsets-empty 74 "empty: offsets are one more than there are segments" reduce x.i32 --offsets empty.i32 --offsets-type i64 --device host
# bad NAME SENTENCE OFFSET...: offsets of i64 that no segments have.
bad() {
    bad_name=$1 sentence=$2
    shift 2
    bytes 8 "$@" > bad.i64
    refuses "offsets-$bad_name" 74 "$sentence" reduce x.i32 --offsets bad.i64 --device host -o y
}
head -c 20 o.i64 > odd
refuses offsets-odd 74 "odd: its 20 bytes are no whole number of offsets of type i64, of 8 bytes" \
    reduce x.i32 --offsets odd --device host
bad decreasing "bad.i64: offset 2 is 4, less than the 5 before it" 0 5 4 100
bad below-0 "bad.i64: offset 0 is below 0" -1 5 100
bad past-the-end "bad.i64: its last offset is 101, and x.i32 has 100 elements of type i32" 0 5 101
bad far-past-the-end "bad.i64: its last offset is 200, and x.i32 has 100 elements" 150 160 200
check offsets-leave-no-results test ! -e y
head -c 396 x.i32 | "$AUTOTUNE" reduce - --offsets bad.i64 --device host > out 2> err
check offsets-past-a-pipe test $? -eq 74
check offsets-past-a-pipe-said grep -q 'bad.i64: its last offset is 200, and stdin has 99 elements' err
{ npy '<f4' 6 && cat o.i32; } > f.npy
refuses offsets-of-floats 74 "f.npy: its header says f32, and offsets are i32, u32, i64 or u64" \
    reduce x.i32 --offsets f.npy --device host
head -c 140 o.npy > short.npy
refuses offsets-short 74 "short.npy: its header says 6 offsets of type i32, and 12 bytes follow it" \
    reduce x.i32 --offsets short.npy --device host
refuses offsets-other-type 64 "o.npy: its header says i32, and --offsets-type is u64" \
    reduce x.i32 --offsets o.npy --offsets-type u64 --device host
refuses offsets-named 64 "o.i32: its name says i32, and offsets are i64 unless --offsets-type is given" \
    reduce x.i32 --offsets o.i32
refuses offsets-type-alone 64 "--offsets-type is of --offsets" reduce x.i32 --offsets-type i32
refuses offsets-of-stdin 64 "--offsets is the name of a file" reduce x.i32 --offsets -
refuses offsets-scan 64 "leave one of them out" reduce x.i32 --offsets o.i64 --scan inclusive -o y
refuses offsets-order-n 64 "leave --order n out" reduce x.i32 --offsets o.i64 --order n
if [ -w /dev/full ]; then
    "$AUTOTUNE" reduce x.i32 --offsets o.i64 --device host > /dev/full 2> err
    check offsets-full-stdout test $? -eq 74
    check offsets-full-stdout-said grep -q 'stdout: cannot be written: No space left' err
fi
sleep 1000 > fifo &
writer=$!
begin reduce x.i32 --offsets fifo --device host -o y
sleep 0.5
end INT
check offsets-interrupted has_status 130
check offsets-interrupted-leaves-nothing test ! -e y
kill $writer
finish

#!/bin/sh
# Tests `autotune reduce` and data on the host on the emulator: files and streams of any length, each
# kind of operation, scans to files, what is refused, full disks and Ctrl-C; `--data` of tune and ladder.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
RECORDS=$XDG_CACHE_HOME/autotune/host.ini

# 16-bit numbers by a rule that a shell can follow: element i is 7919 i + 12345 modulo 60000, less
# 30000, in little-endian order; and what their results are.
awk -v n=20001 'BEGIN {
    for (i = 0; i < n; i++) {
        x = (7919 * i + 12345) % 60000 - 30000
        sum += x
        sums[i] = sum
        if (i == 0 || x > most) { most = x; at = i }
        if (i == 0 || x < least) least = x
        u = x < 0 ? x + 65536 : x
        printf "\\%03o\\%03o\n", u % 256, int(u / 256)
    }
    print sum, least, most, at > "expected"
    for (i = 0; i < n; i++) print sums[i] > "sums"
}' > octal
printf "$(tr -d '\n' < octal)" > x.i16
read -r sum least most at < expected
# The same as i32: two more bytes each.
od -An -v -t d2 -w2 x.i16 | awk '{ u = $1 < 0 ? $1 + 4294967296 : $1
    printf "\\%03o\\%03o\\%03o\\%03o", u % 256, int(u / 256) % 256, int(u / 65536) % 256, int(u / 16777216) }' > octal32
printf "$(cat octal32)" > x.i32

# gives NAME EXPECTED ARGUMENT...: the result alone on stdout, the speed on stderr.
gives() {
    name=$1 expected=$2
    shift 2
    run reduce "$@" --device host
    check "$name" has_status 0
    check "$name-result" test "$(cat out)" = "$expected"
    check "$name-speed" grep -q ' GB/s, on host$' err
}

gives sum "$sum" x.i16 --type i16
gives min "$least" x.i16 --type i16 --op min
gives max "$most" x.i32 --op max
gives position "$at" x.i32 --op argmax
gives wide "$sum" x.i16 --type i16 --acc i64
"$AUTOTUNE" reduce - --type i16 --device host -q < x.i16 > out 2> err
check file-as-stdin test "$(cat out)" = "$sum"
check quiet test ! -s err
{ head -c 999 x.i16; sleep 0.1; tail -c +1000 x.i16; } | "$AUTOTUNE" reduce - --type i16 --device host > out 2> err
check pipe-in-pieces test "$(cat out)" = "$sum"
mkfifo fifo
cat x.i32 > fifo &
gives fifo "$sum" fifo

# What stands beside it is somebody's own.
echo precious > y.i32.part
run reduce x.i32 --device host --scan inclusive -o y.i32
check another-file-stays grep -q precious y.i32.part
check scan has_status 0
check scan-says-nothing test ! -s out
od -An -v -t d4 -w4 y.i32 | tr -d ' ' > got
check scan-results cmp -s got sums
run reduce x.i32 --device host --scan exclusive --output y.i32
{ echo 0; sed '$d' sums; } > before
od -An -v -t d4 -w4 y.i32 | tr -d ' ' > got
check exclusive-over-a-file cmp -s got before
"$AUTOTUNE" reduce - --device host --scan inclusive -o - < x.i32 2> err | od -An -v -t d4 -w4 | tr -d ' ' > got
check scan-of-stdin-to-stdout cmp -s got sums
no_part() {
    test -z "$(find . -maxdepth 1 -name '.autotune-*')"
}
check no-part-is-left no_part
if [ -r /proc/version ]; then
    run reduce /proc/version --type u8 --op max --device host
    check file-of-no-size has_status 0
fi
# Two scans to one file at once: it is that of one of them, whole.
mkfifo one two
parts() {
    test "$(find . -maxdepth 1 -name '.autotune-*' | wc -l)" -eq 2
}
"$AUTOTUNE" reduce one --device host --scan inclusive -o both -q 2> err &
first=$!
begin reduce two --device host --scan inclusive -o both -q
wait_until parts
cat x.i32 > one &
tail -c +5 x.i32 > two
wait $first
check two-at-once-first test $? -eq 0
wait $running
check two-at-once-second test $? -eq 0
od -An -v -t d4 -w4 both | tr -d ' ' > got
awk 'NR == 1 { first = $1; next } { print $1 - first }' sums > sums.two
check two-at-once-whole sh -c 'cmp -s got sums || cmp -s got sums.two'
check two-at-once-leave-nothing no_part

# --- What is refused: a sentence each, and nothing is left -----------------------------------
: > empty
printf 12345 > odd
refuses no-file 64 "no FILE: write 'autotune reduce FILE" reduce --type i32
refuses two-files 64 "one argument too many" reduce x.i32 x.i32
refuses missing 74 "nowhere: cannot be opened: No such file" reduce nowhere --device host
refuses folder 74 "is a folder: name a file" reduce . --device host
refuses empty 74 "empty: there are no elements" reduce empty --device host
cp x.i16 x.f32
refuses named-otherwise 64 "its name says f32, and elements are i32 unless --type is given: give --type f32 or --type i32" \
    reduce x.f32 --device host
run reduce x.f32 --device host --type i16
check named-otherwise-by-type has_status 0
seq 10000000 10000019 > digits
run reduce digits --device host
check text-is-said grep -q '^autotune: warning: digits: this looks like numbers in text' err
refuses odd 74 "its 5 bytes are no whole number of elements of type i32" reduce odd --device host
refuses scan-to-nowhere 64 "name a file for them with --output" reduce x.i32 --scan inclusive
refuses output-of-one 64 "one result goes to stdout" reduce x.i32 -o y
refuses unwritable 74 "nowhere/y: cannot be written: No such file" reduce x.i32 --scan inclusive -o nowhere/y --device host
refuses scan-of-small 64 "results of one type" reduce x.i16 --type i16 --scan inclusive -o y --device host
refuses scan-of-squares 64 "scan their sum" reduce x.i32 --op sumsq --scan inclusive -o y --device host
refuses matrix 64 "reduce has no --rows" reduce x.i32 --rows 3 --len 4
refuses bits-of-floats 64 "needs an integer type" reduce x.i32 --type f32 --op and
refuses no-such-device 64 "no such device" reduce x.i32 --device nine
check no-output-is-left test ! -e y
check no-part-is-left-of-what-is-refused no_part
head -c 7 x.i32 | "$AUTOTUNE" reduce - --device host > out 2> err
check odd-stdin-status test $? -eq 74
check odd-stdin grep -q '^autotune: stdin: the data has 7 bytes' err
"$AUTOTUNE" reduce - --device host < /dev/null > out 2> err
check empty-stdin test $? -eq 74
if [ -w /dev/full ]; then
    "$AUTOTUNE" reduce x.i32 --device host > /dev/full 2> err
    check full-stdout test $? -eq 74
    run reduce x.i32 --device host --scan inclusive -o /dev/full
    check full-disk has_status 74
    check full-disk-said grep -q '^autotune: /dev/full: cannot be written: No space left' err
fi

# --- Ctrl-C ----------------------------------------------------------------------------------
# Waits for a pipe that nobody writes to, once with a scan's file begun.
sleep 1000 > fifo &
writer=$!
for signal in INT HUP; do
    begin reduce fifo --device host --scan inclusive -o z
    wait_until eval '! no_part'
    end $signal
    check interrupt-$signal has_status $([ $signal = INT ] && echo 130 || echo 129)
    check interrupt-$signal-said grep -q '^autotune: interrupted: there is no result' err
    check interrupt-$signal-leaves-nothing test ! -e z
    check interrupt-$signal-leaves-no-part no_part
done
# What a killed one leaves goes with the next.
begin reduce fifo --device host --scan inclusive -o z
wait_until eval '! no_part'
end KILL
check kill-leaves-a-part eval '! no_part'
wait_until no_process
run reduce x.i32 --device host --scan inclusive -o z
check kill-is-cleared no_part
rm z
begin reduce fifo --device host
sleep 0.3
end TERM
check terminated has_status 143
kill $writer
# A FIFO whose other end nobody opens.
begin reduce one --device host
sleep 0.5
end TERM
check no-writer has_status 143
begin reduce x.i32 --device host --scan inclusive -o one
sleep 0.5
end TERM
check no-reader has_status 143

# --- Chunks and streams ----------------------------------------------------------------------
run --device host --data pageable --n 30000 --json tuned.json
check tunes has_status 0
check tunes-says grep -q '^winner    sum i32 30K pageable on host$' out
check record-regime grep -qx 'regime = pageable' "$RECORDS"
check record-chunk grep -q '^chunk_bytes = [0-9]' "$RECORDS"
check record-streams grep -q '^streams = [1-9]' "$RECORDS"
run --device host --data pageable --n 30000
check answers grep -q '^record    exact' err
run --device host --data pageable --n 30000 --cache own --quiet
check kept-where-it-is-said grep -qx 'regime = pageable' own/host.ini
run --device host --data pinned --n 30000 --csv tuned.csv
run --device host --data pinned --n 30000 --csv -
check pinned-csv grep -q '^.*chunk_bytes,streams,copiers,ms' out
run --device host --data pinned --n 30000 --json /dev/full
check pinned-not-printed has_status 74
check pinned-not-printed-is-said grep -q '^autotune: /dev/full: ' err
chunk=$(awk '$0 == "regime = pageable" { is_it = 1 }
    is_it && $1 == "chunk_bytes" { print $3 % 1048576 ? $3 / 1024 "KiB" : $3 / 1048576 "MiB"; exit }' "$RECORDS")
run reduce x.i32 --device host
check reduce-takes-it grep -q "in chunks of $chunk" err
run show
check shows grep -q 'pageable' out
run emit --arch host --n 30000
check emit-does-not-take-it grep -q 'default\|shipped' out err
refuses data-warm 64 "choose one" --data pinned --warm
refuses data-range 64 "leave ranges" --data pinned --n 1K..1M
refuses data-unknown 64 "give pinned or pageable" --data tape
refuses data-scan 64 "leave ranges" --data pinned --scan inclusive

run ladder --data pinned --device host --n 20000 --csv streams.csv
check ladder has_status 0
check ladder-rungs test "$(grep -c '^streams-' out)" -eq 14
check ladder-bars grep -q ',streams-9,.*:.*:' streams.csv
"$AUTOTUNE" --device host --n 1000 --strategy random --budget 1s -q > log 2>&1 # what the report is about
run report --streams streams.csv -o page.html
check report has_status 0
check report-of-one grep -Eq 'memory, 1 stream, 1 chunk<' page.html
check report-section grep -q 'Data on the host: streams' page.html
check report-bars grep -q '<polygon class="mark s1"' page.html
run report --streams streams.csv
check report-drawn grep -q '^#.*  copies to the GPU$' out
sed 's/:/;/g' streams.csv > broken.csv
run report --streams broken.csv --md
check report-of-broken-bars has_status 0
refuses report-other-table 64 "not a table of streams" report --streams tuned.csv

# A file with NumPy's header says its own type. npy DESCR TURNED SHAPE: the header, as NumPy writes it.
npy() {
    text="{'descr': $1, 'fortran_order': $2, 'shape': $3, }"
    pad=$((64 - (${#text} + 11) % 64))
    length=$((${#text} + pad + 1))
    printf '\223NUMPY\001\000'
    printf "\\$(printf %03o $((length % 256)))\\$(printf %03o $((length / 256)))"
    printf "%s%${pad}s\n" "$text" ''
}
{ npy "'<i2'" False '(3, 6667)' && cat x.i16; } > x.npy
{ npy "'<i2'" True '(3, 6667)' && cat x.i16; } > turned.npy
gives npy "$sum" x.npy
gives npy-type "$sum" x.npy --type i16 --acc i64
gives npy-place "$at" x.npy --op argmax
gives npy-turned "$most" turned.npy --op max
refuses npy-turned-place 74 "save numpy.ascontiguousarray" reduce turned.npy --op argmax --device host
refuses npy-other-type 64 "its header says i16, and --type is f32" reduce x.npy --type f32 --device host
# bad NAME SENTENCE DESCR TURNED SHAPE
bad() {
    { npy "$3" "$4" "$5" && cat x.i16; } > bad.npy
    refuses "npy-$1" 74 "$2" reduce bad.npy --device host
}
bad big-endian "are big-endian" "'>i2'" False '(20001,)'
bad complex "'<c8', which no type here is" "'<c8'" False '(20001,)'
bad fields "no plain numbers" "[('a', '<i2')]" False '(20001,)'
bad length "says 20002 elements of type i16, and 40002 bytes follow" "'<i2'" False '(20002,)'
bad overflow "says no shape" "'<i2'" False '(4294967296, 4294967296, 2)'
bad shape "says no shape" "'<i2'" False '(20001'
bad order "does not say 'fortran_order'" "'<i2'" Maybe '(20001,)'
head -c 50 x.npy > short.npy
refuses npy-short 74 "ends within NumPy's header" reduce short.npy --device host
npy "'<f4'" False '(0, 3)' > empty.npy
refuses npy-empty 74 "there are no elements" reduce empty.npy --device host
finish

#!/bin/sh
# Tests a template that does not compile or computes something wrong: the error has the compiler's
# words, the line of the template, and where the emitted source is.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
small_space small.ini

# The line that combines a block's results, broken.
sed 's/__syncthreads();/__syncthreads() @;/' "$ROOT/templates/reduce.cu" > broken.cu
# Each error of the compiler is of a line of the template's file that is broken.
names_line() {
    lines=$(sed -nE "s/^(autotune: .*: )?$1"'[:(]([0-9]+)(:[0-9]+|\)): .*error.*/\2/p' err)
    [ -n "$lines" ] || { echo "no error with a line of $1"; return 1; }
    for line in $lines; do
        sed -n "${line}p" "$1" | grep -q '@' || { echo "line $line of $1 is not broken"; return 1; }
    done
}
keeps_source() {
    has_status 1 || { echo "exit status $status, not 1"; return 1; }
    [ ! -s out ] || { echo "something on stdout"; return 1; }
    grep -q '@' err || { echo "the compiler's words are missing"; return 1; }
    kept=$(sed -n 's/^the source is kept in //p' err)
    [ -f "$kept" ] || { echo "no file '$kept'"; return 1; }
    grep -q '__syncthreads() @;' "$kept" || { echo "$kept is not the source"; return 1; }
}
leaves_nothing() {
    [ -z "$(find "$SCRATCH" -name 'autotune-*')" ]
}
run --device host --n 1K --space small.ini --template broken.cu
check tune keeps_source
check tune-line names_line broken.cu
rm -f autotune-*.cu
check tune-leaves-nothing-else leaves_nothing
run verify --device host --n 1K --space small.ini --template broken.cu
check verify keeps_source
check verify-line names_line broken.cu
run emit --arch sm_90 --template broken.cu --quiet
check emit-source has_status 0
check emit-without-lines [ "$(grep -c '^#line' out)" -eq 0 ]
run emit --arch sm_90 --template broken.cu --ptx --quiet
if [ "$status" -eq 69 ]; then
    skip emit-ptx "no NVRTC for sm_90 here"
else
    check emit-ptx keeps_source
    check emit-ptx-line names_line broken.cu
fi

# A report's command to tune again: of a space of one's own it says which files are to be named.
sed 's/^name = reduce$/name = mine/' small.ini > mine.ini
run --device host --n 1K --space mine.ini --template "$ROOT/templates/reduce.cu" --cache own --quiet
run report --md --cache own
check again-of-own-space grep -q 'again .*--n 1000 --space SPACE.ini --template TEMPLATE.cu .*, with the files of the space mine' out
run --device host --n 1K --type u32 --space small.ini --cache ours --quiet
run report --md --cache ours
sed -n 's/^| again | autotune \([^|]*\)|.*/\1/p' out > again
check again-works xargs -a again "$AUTOTUNE" --budget 1s --cache ours

# Only some variants are broken: the others are tuned, and these named.
sed 's/warp_redux(a)/& @/' "$ROOT/templates/reduce.cu" > partly.cu
if cmp -s partly.cu "$ROOT/templates/reduce.cu"; then
    not_ok partly "the template has no warp_redux(a) any more"
else
    run --device host --n 1K --space small.ini --template partly.cu --strategy exhaustive
    check partly has_status 0
    check partly-names-them grep -Eq '^failed +.*WARP=REDUX' err
    sed -E 's/^ +//' err > words && mv words err
    check partly-line names_line partly.cu
    check partly-counts-them grep -Eq '^tried .*, [1-9][0-9]* failed' err
    check partly-has-winner grep -q 'WARP=SHUFFLE' out
fi

# wrong NAME SED-SCRIPT: the template, edited so that it computes something else.
wrong() {
    sed "$2" "$ROOT/templates/reduce.cu" > "$1.cu"
    if cmp -s "$1.cu" "$ROOT/templates/reduce.cu"; then
        not_ok "$1" "the edit changed nothing"
        return
    fi
    refuses "$1" 70 "wrong" --device host --n 1K --space small.ini --template "$1.cu"
    refuses "$1-verify" 70 "wrong" verify --device host --n 1K --space small.ini --template "$1.cu"
}
wrong half-a-warp 's/int d = lanes \/ 2; d > 0/int d = lanes \/ 2; d > 1/'
wrong no-barrier '/shared\[t \/ 32\] = a;/{n;s/__syncthreads();/;/}'
run verify --device host --n 1K --space small.ini --variant BLOCK=128
check right has_status 0

# Control lines that cannot be read: file and line.
printf '//? if BLOCK ==\n//? end\n' | cat - "$ROOT/templates/reduce.cu" > control.cu
refuses control 64 'control.cu:1: ' emit --arch sm_90 --template control.cu --quiet
printf '//? end\n' | cat - "$ROOT/templates/reduce.cu" > stray.cu
refuses stray-end 64 'stray.cu:1: ' emit --arch sm_90 --template stray.cu --quiet
printf '//? if BLOCK == 64\n' | cat - "$ROOT/templates/reduce.cu" > open.cu
refuses open-if 64 'open.cu:[0-9]+: ' emit --arch sm_90 --template open.cu --quiet
: > empty.cu
refuses empty 64 'empty.cu' emit --arch sm_90 --template empty.cu --quiet

# TMPDIR is where all of it goes, and of sources that were kept the newest stay. Seen to fail with
# /tmp in place of TMPDIR, and without make_room.
mkdir here
TMPDIR=$SCRATCH/absent
refuses tmpdir-of-compiler 74 "in $SCRATCH/absent to work in" --device host --n 1K \
    --space small.ini --retune
run emit --arch sm_90 --sass --quiet
if [ "$status" -eq 69 ]; then
    skip tmpdir-of-disassembler "no NVRTC for sm_90 here"
else
    check tmpdir-of-disassembler refused 74 "in $SCRATCH/absent to work in"
fi
TMPDIR=$SCRATCH/here
for i in $(seq 10 49); do touch -d "2001-01-01 00:$i" "$TMPDIR/autotune-failing-old0$i.cu"; done
chmod 600 "$TMPDIR"/autotune-failing-old*.cu
echo > "$TMPDIR/autotune-failing-notmine.cu"
echo > "$TMPDIR/autotune-kernel.cu"
chmod 600 "$TMPDIR/autotune-kernel.cu"
touch -d '2001-01-01' "$TMPDIR/autotune-kernel.cu"
run --device host --n 1K --space small.ini --template broken.cu
check tmpdir-of-source keeps_source
check tmpdir-of-source-is [ "${kept%/*}" = "$TMPDIR" ]
check kept-sources-do-not-pile-up [ "$(find here -name 'autotune-failing-??????.cu' -perm 600 | wc -l)" -eq 16 ]
check kept-sources-are-the-newest [ -e here/autotune-failing-old049.cu ]
check others-stay [ -e here/autotune-failing-notmine.cu -a -e here/autotune-kernel.cu ]
# Folders of compilers that were killed are removed, another's with a name that begins alike are not.
GONE=4194305 # the number of no process
start=here/autotune-$(this_host)
abandoned=$start-$GONE-$GONE-Ab3dE9 unlocked=$start-400-$GONE-Ab3dE9
for folder in "$abandoned" "$unlocked" "here/autotune-2026-$GONE-thesis" "$start-400-$GONE-backup2"; do
    mkdir -m 700 "$folder"
    echo precious > "$folder/unit0.c"
    [ "$folder" = "$unlocked" ] || : > "$folder/lock"
    touch -d '2001-01-01 00:00' "$folder"
done
run --device host --n 1K --space small.ini --retune
check folder-of-a-compile-is-swept test ! -e "$abandoned"
check folders-of-others-stay test -s "here/autotune-2026-$GONE-thesis/unit0.c" -a \
    -s "$start-400-$GONE-backup2/unit0.c" -a -s "$unlocked/unit0.c"
TMPDIR=$SCRATCH
finish

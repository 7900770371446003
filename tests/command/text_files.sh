#!/bin/sh
# Tests that what editors and other systems make of a text file is named, whatever file it is of: a
# byte-order mark, UTF-16, a NUL byte; and that DOS line ends are read, or named.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
small_space space.ini
cp "$ROOT/templates/reduce.cu" template.cu
cp "$ROOT/configs/published/nvidia-h100-sxm5.ini" published.ini 2> /dev/null ||
    cp "$(find "$ROOT/configs/published" -name '*.ini' | head -n 1)" published.ini
printf -- '--n 1K\n--n 2K\n' > list
printf 'gpu,op,type,regime,n,ours_us\nA,sum,f32,cold,1024,1.5\n' > table.csv
run --device host --n 1K --space space.ini --strategy exhaustive --cache here --quiet
check prepare has_status 0
cp here/host.ini record.ini
cp here/journal/*.journal trials.journal

# read_it FILE: each file as its verb reads it.
read_it() {
    case $1 in
    *space.ini) run emit --arch sm_90 --n 1K --space "$1" ;;
    *template.cu) run emit --arch sm_90 --n 1K --template "$1" ;;
    *published.ini | *record.ini) run compare "$1" t4 ;;
    *list) run --device host --problems "$1" --dry-run ;;
    *table.csv) run report --bench "$1" --output page.html ;;
    *trials.journal) run --replay "$1" ;;
    esac
}
# is_named PATTERN: an error of one sentence.
is_named() {
    { [ "$status" -eq 64 ] || [ "$status" -eq 74 ]; } && grep -Eq "^autotune: .*$1" err && [ "$(grep -c '^autotune: ' err)" -eq 1 ]
}
for file in space.ini template.cu published.ini record.ini list table.csv trials.journal; do
    { printf '\357\273\277' && cat $file; } > "marked-$file"
    iconv -f UTF-8 -t UTF-16 $file > "wide-$file"
    { head -n 1 $file && printf 'a\000b\n' && sed 1d $file; } > "zero-$file"
    for kind in marked:'a byte-order mark; save' wide:'a byte-order mark of UTF-16; save' zero:'a NUL byte; this'; do
        read_it "${kind%%:*}-$file"
        check "${kind%%:*} $file" is_named "${kind%%:*}-$file:[12]: ${kind#*:}"
    done
    sed 's/$/\r/' $file > "dos-$file"
    read_it "dos-$file"
    case $file in
    *.ini | *.cu | *.journal) check "dos $file" is_named "dos-$file:1: a carriage return; save" ;;
    table.csv) check "dos $file" grep -vq 'carriage\|cells' err ;;
    *) check "dos $file" has_status 0 ;;
    esac
done
for kind in marked:'a byte-order mark; save' zero:'a NUL byte; this'; do
    run merge --cache there "${kind%%:*}-record.ini"
    check "merge ${kind%%:*}" is_named "${kind%%:*}-record.ini:[12]: ${kind#*:}"
done
finish

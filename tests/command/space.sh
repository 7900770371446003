#!/bin/sh
# Tests errors in a space file: a sentence with file and line for each, exit status 64.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"

small_space good.ini
run --device host --n 1K --space good.ini --quiet
check good has_status 0

# bad NAME PATTERN SED-SCRIPT: the good space, edited.
bad() {
    sed "$3" good.ini > "$1.ini"
    if cmp -s good.ini "$1.ini"; then
        not_ok "$1" "the edit changed nothing"
        return
    fi
    refuses "$1" 64 "$2" --device host --n 1K --space "$1.ini"
}
bad unknown-key 'unknown-key.ini:[0-9]+: .*colour' 's/^meaning = threads per block/&\ncolour = red/'
bad unknown-section 'unknown-section.ini:[0-9]+: .*colours' 's/^\[rule\]/[colours]\nred = 1\n\n&/'
bad unknown-name 'unknown-name.ini:[0-9]+: .*BLOK' 's/^TILE = BLOCK/TILE = BLOK/'
bad unknown-name-in-rule 'unknown-name-in-rule.ini:[0-9]+: .*ITEM' \
    's/^\[rule\]/&\nthe tile is even = ITEM % 2 == 0/'
bad overflow-literal 'overflow-literal.ini:[0-9]+: .*64 bits|overflow-literal.ini:[0-9]+: .*fit' \
    's/^TILE = .*/TILE = BLOCK * 99999999999999999999/'
bad overflow-value 'overflow-value.ini:[0-9]+: ' 's/^TILE = .*/TILE = BLOCK * ITEMS * 9223372036854775807/'
bad division-by-zero 'division-by-zero.ini:[0-9]+: .*zero' \
    's/^\[rule\]/&\nnothing is divided by zero = BLOCK \/ (ITEMS - ITEMS) == 0/'
bad cycle 'cycle.ini(:[0-9]+)?: .*(TILE|LOADS)' 's/^LOADS = .*/LOADS = TILE/; s/^TILE = .*/TILE = LOADS/'
bad self-cycle 'self-cycle.ini(:[0-9]+)?: .*TILE' 's/^TILE = .*/TILE = TILE + 1/'
bad no-values 'no-values.ini:[0-9]+: ' 's/^values = 64 128/values =/'
bad value-twice 'value-twice.ini:[0-9]+: ' 's/^values = 64 128/values = 64 64/'
bad default-not-in-values 'default-not-in-values.ini:[0-9]+: .*96' 's/^BLOCK = 64/BLOCK = 96/'
bad default-gives-none-of-them 'default-gives-none-of-them.ini:[0-9]+: .*BLOCK = 24 .*sum i32' \
    's/^BLOCK = 64/BLOCK = 6 * ELEM_BYTES/'
bad default-knows-no-blocks "default-knows-no-blocks.ini:[0-9]+: .*'BLOCKS'" 's/^BLOCK = 64/BLOCK = BLOCKS > 9 ? 64 : 128/'
bad syntax 'syntax.ini:[0-9]+: ' 's/^\[rule\]/&\nthis rule ends early = BLOCK %/'
bad indented 'indented.ini:[0-9]+: ' 's/^values = 64 128/  values = 64 128/'
bad nothing-left 'to never|never' 's/^\[rule\]/&\nthis holds never = BLOCK == 7/'
bad no-template 'template' 's/^template = .*/template = other.cu/'

# A default that depends on the problem and on the device.
sed 's/^BLOCK = 64/BLOCK = (HOST ? 16 : 32) * ELEM_BYTES/' good.ini > settled.ini
for emitted in "--arch sm_90 --type f32:128" "--arch host --type f64:128" "--arch host --type u32:64"; do
    # shellcheck disable=SC2086
    run emit --space settled.ini --quiet ${emitted%:*}
    check "settled-${emitted#*type }" grep -q "^ *BLOCK = ${emitted##*:}," out
done
run --device host --n 1K --type f32 --space settled.ini --quiet
check settled-tune has_status 0

: > empty.ini
# All faults in one go, by lines.
sed -e '/^name = /d; s/^template = .*/tmplate = reduce.cu/; s/^BLOCK = .*/BLOCK = 3/' good.ini > several.ini
run emit --space several.ini --arch sm_90
check several-faults has_status 64
check several-faults-at-once test "$(grep -c 'several.ini:[0-9]*: ' err)" -eq 3
check several-faults-by-lines sh -c "sed 's/.*several.ini:\([0-9]*\):.*/\1/' err | sort -nc"
run --device host --n 1K --space empty.ini
check empty-file has_status 64
check empty-file-is-named grep -q '^autotune: empty.ini:1: ' err
printf '[space]\nname = reduce\ntemplate = reduce.cu\nkernel = reduce\n' > no-params.ini
run --device host --n 1K --space no-params.ini
check no-params has_status 64
check no-params-is-named grep -q 'no-params.ini:4: no .param' err
head -c 4000 "$AUTOTUNE" > binary.ini
refuses binary 64 'binary.ini' --device host --n 1K --space binary.ini
mkdir folder.ini
run --device host --n 1K --space folder.ini
check folder refused "$status" 'folder.ini'
head -c 1000 good.ini > cut.ini
refuses cut-short 64 'cut.ini' --device host --n 1K --space cut.ini
finish

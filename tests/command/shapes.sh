#!/bin/sh
# Tests a sweep of matrices: every shape is tuned and kept, shapes that are left out are named, the
# records draw what the sweep printed, and serve the shapes between them.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
RECORDS=$XDG_CACHE_HOME/autotune/host.ini

refuses backwards 64 'ends below its start' --device host --rows 8..4 --len 3
refuses from-nothing 64 'give 1 or more' --device host --rows 0..4 --len 3
refuses no-len 64 'give both' --device host --rows 2..4
refuses no-end 64 "--len is '3..', a range without" --device host --rows 4 --len 3..
refuses range-and-n 64 'choose one' --device host --rows 2..4 --len 3 --n 5
refuses pitch-of-many 64 'give one --len' --device host --rows 3 --len 2..4 --pitch 9
refuses loss 64 'of a sweep of n' --device host --rows 2..4 --len 3 --loss 1
refuses confirm 64 'of a sweep of n' --device host --rows 2..4 --len 3 --confirm
refuses replay 64 'a range takes many' --device host --rows 2..4 --len 3 --replay some.journal
refuses replay-size 64 'leave out its size' --device host --rows 4 --len 3 --replay some.journal
refuses replay-n 64 'leave out its size' --device host --n 5 --replay some.journal
refuses other-space 64 'use --space rows' --device host --rows 2..4 --len 3 --space columns
refuses verify-takes-one 64 "'2\.\.4'" verify --device host --rows 2..4 --len 3
refuses all-left-out 1 'more than 10M elements; give smaller' --device host --quiet \
    --rows 100K..200K --len 1K..2K

# --shape is another word for --axis.
refuses contradiction 64 'leave one of them out' --device host --rows 5 --len 4 --shape rows --axis 0
refuses columns-of-axis-1 64 'leave one of them out' verify --device host --rows 5 --len 4 \
    --axis 1 --shape columns
refuses no-such-shape 64 "--shape is 'cubes'" --device host --rows 5 --len 4 --shape cubes
refuses one-value 64 'needs no --shape' --device host --n 5 --shape value
refuses shape-alone 64 'give its sizes, too' --device host --shape columns
refuses shape-of-n 64 'leave --n out and give --rows and --len, or --dims' --device host --n 5 --shape rows
refuses axis-of-n 64 'leave --n out' emit --axis 0 --n 1K
for shape in rows:1 columns:0; do
    run emit --arch host --rows 5 --len 40 --axis "${shape#*:}" --quiet
    grep -v autotune out > by-axis
    run emit --arch host --rows 5 --len 40 --shape "${shape%:*}" --quiet
    grep -v autotune out > by-shape
    check "shape-${shape%:*}" cmp by-axis by-shape
done
check shape-columns-is-columns grep -q 'of columns' by-shape
run verify --device host --rows 5 --len 40 --axis 0 --shape columns
check same-twice has_status 0

# Results and this process's memory count too, not the elements alone.
memory=$(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo)
refuses room-for-the-host 1 'elements and results.*give smaller --rows or --len' --device host \
    --rows $((memory * 1024 * 6 / 10 / 32)) --len 8
refuses room-for-results 1 'elements and results.*give smaller --rows or --len' --device host \
    --rows $((memory * 1024 / 10)) --len 1 --type u8

# holds FILE EXPRESSION: strict JSON of which it is true.
holds() {
    python3 - "$1" "$2" <<'PYTHON'
import json, sys
def once(pairs):
    assert len({key for key, _ in pairs}) == len(pairs), "a key twice"
    return dict(pairs)
it = json.loads(open(sys.argv[1], encoding="utf-8").read(), object_pairs_hook=once)
shapes = [(s["regime"], s["len"], s["rows"]) for s in it["shapes"]]
names = {"it": it, "shapes": shapes, "len": len, "set": set, "sum": sum, "all": all}
assert eval(sys.argv[2], names), sys.argv[2]
PYTHON
}

set -- --device host --type f32 --rows 4..8 --len 16..32
run "$@" --json sweep.json --csv sweep.csv
cp out swept
check sweep has_status 0
check says-what-it-does grep -q '^sweep  *sum f32 4\.\.8 x 16\.\.32 rows: 4 shapes cold, 4 shapes warm' err
check line-a-shape test "$(grep -c '^size .* rows ' err)" -eq 8
check draws grep -Eq '^ *8 +32 +cold +[0-9.]+ +[0-9.]+ ' out
check draws-variants grep -Eq '^A +[0-9]+ +[48.]+ +[0-9.]+  [A-Z]' out
check draws-params grep -q 'BLOCK=' out
check decides grep -Eq '^decided .* for ([89]|10) shapes; .* in len first, then in rows x len$' out
check gained grep -Eq '^gained .* at 2 shapes drawn at random' err
check plain sh -c '! LC_ALL=C grep -q "$(printf "[\033\r]")" out err'
check shapes holds sweep.json \
    '[s for s in shapes if s[1] in (16, 32)] == [(r, l, n) for r in ("cold", "warm") for l in (16, 32) for n in (4, 8)]'
check variants holds sweep.json 'sum(v["shapes"] for v in it["variants"]) == len(shapes)'
check variants-of-shapes holds sweep.json \
    'set(s["params"] for s in it["shapes"]) == set(v["params"] for v in it["variants"])'
check figures holds sweep.json 'all(abs(s["gbs"] - (s["n"] + s["rows"]) * 4 / s["us"] / 1e3) < .1
    for s in it["shapes"])'
records=$(grep -c '^\[record' "$RECORDS")
check csv test "$(wc -l < sweep.csv)" -eq "$((1 + records))"
check record-a-shape test "$records" -ge 8

# The same command, and show, draw the same from the records; nothing is measured again.
cp "$RECORDS" before.ini
run "$@"
check again-from-records grep -q '^records  *exact of 8 shapes' err
check again-is-the-same cmp out swept
check again-writes-nothing cmp "$RECORDS" before.ini
run show --sweep --shape rows
check show-is-the-same cmp out swept
run show --sweep --shape rows --json -
check show-json cmp out sweep.json
run show --sweep --shape columns
check show-none-of-columns grep -q 'no sweeps of this kind.*--rows 1K\.\.1M.*--axis 0' err
run show --sweep
check show-says-where grep -q "^$records records of rows or columns: --shape" err
run show --shape columns
check show-filters test ! -s out
run "$@" --len 32..64 --cold
check wider-tunes-what-is-new test "$(grep -c '^size ' err)" -eq 2
check wider-draws-both grep -q 'exact of 2 shapes' err
run --device host --type f32 --rows 1..2 --len 16 --cold --budget 1s
check one-row-is-one-value grep -q '^left out  1 shape: .*one value' err
check its-neighbour-is-tuned test "$(grep -c '^size ' err)" -eq 1
run "$@" --rows 4 --len 16 --warm
check one-shape-is-no-sweep grep -q '^record  *exact' err

# A shape between tuned ones is served by the nearest (test_find: in length too, and as the rules allow),
# and by none where the nearest is far: seen to fail where any served.
for rows in 5:4 7:8; do
    run verify --device host --type f32 --rows "${rows%:*}" --len 32
    check "nearest-to-${rows%:*}" grep -q \
        "of sum f32 ${rows#*:} x 32 rows cold (same GPU, other size)" err
done
run verify --device host --type f32 --rows 100 --len 64
check length-before-rows grep -q 'of sum f32 8 x 64 rows cold (same GPU, other size)' err
run verify --device host --type f32 --rows 500 --len 64
check far-is-the-default grep -q "the space's default: no record fits" err
check proves-what-answers has_status 0

has_sizes() {
    [ "$(grep -c '^size ' err)" -ge "$1" ]
}

# Ctrl-C: the shapes that are done are kept, and the same command goes on.
set -- --device host --type u32 --rows 4..16 --len 16..32 --cold
begin "$@"
wait_until has_sizes 2
end INT
check interrupted has_status 130
check interrupted-is-said grep -q '^autotune: interrupted: .*kept, and the same command goes on' err
check interrupted-no-process no_process
check interrupted-draws-nothing test ! -s out
run "$@"
check resumed grep -q '^records  *exact of [2-5] shapes' err
check resumed-draws-all grep -q '^decided .* for [67] shapes' out

# Columns, gaps, and what is left out.
run --device host --type f32 --rows 16..32 --len 4 --axis 0 --cold --budget 1s
check columns-decide grep -q 'in rows first' out
run show --sweep --shape columns
check columns-are-columns grep -q '^sweep  *sum f32 of columns on host: [23] shapes' out
run --device host --rows 2..4 --len 3 --pitch 5 --cold --budget 1s
check gaps grep -Eq '^ *4  3 pitch 5  cold ' out
run --device host --rows 100K..200K --len 2G..3G
check left-out-is-said grep -q '^left out  *2 shapes: more than 10M elements' err
check left-out-past-a-result grep -q '^left out  *2 shapes: more than 2^31' err

# A budget is of each shape, and each has a result: one candidate is measured, however long that takes.
set -- --device host --op max --len 16 --cold
run "$@" --rows 4 --quiet
run "$@" --rows 2..8 --budget 1ms
check spent has_status 0
check spent-says-the-budget grep -q '3 shapes cold, each searched for 0.001 s at most$' err
check spent-shapes grep -q '^decided .* for [34] shapes;' out
check spent-is-in-the-records test "$(grep -c '^untried = [1-9]' "$XDG_CACHE_HOME/autotune/host.ini")" -ge 2

# A record of slow kernels between the shapes of a grid, here of a space that has no others, does not go on serving
# what is drawn near it; the same command has what serves there instead in its table again.
sed 's/^\[rule\]$/[rule]\neight lanes alone = LANES == 8/; s/^LANES = IS_LONG.*/LANES = 8/' \
    "$ROOT/configs/rows.ini" > rows.ini
run --device host --type f32 --rows 100 --len 20 --cold --budget 1s --space rows.ini \
    --template "$ROOT/templates/rows.cu"
check planted has_status 0
run verify --device host --type f32 --rows 107 --len 20
check planted-serves grep -q 'of sum f32 100 x 20 rows cold (same GPU, other size)' err
set -- --device host --type f32 --rows 64..128 --len 20 --cold --budget 1s
run "$@"
check mended sh -c 'tr -s " \n" " " < err | grep -q "at 1 shape drawn at random; .*1 of them had other variants"'
check mended-is-drawn grep -Eq '^ *107 +20 +cold ' out
cp out swept
cp "$RECORDS" before.ini
run "$@"
check mended-again cmp out swept
check mended-is-kept cmp "$RECORDS" before.ini
run verify --device host --type f32 --rows 107 --len 20
check mended-serves grep -q '(exact' err
finish

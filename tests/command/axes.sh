#!/bin/sh
# Tests what a tuning and a report say of each axis of a space: of the space axes itself, and of
# another with --effects.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"

# The space axes with few values, under its name: 7 crossings of the other three.
cat > few.ini << 'END'
[space]
name = axes
extends = axes
[param BLOCK]
values = 32 64
[param ITEMS]
values = 4 16
[param VECTOR]
values = 1 4
[param UNROLL]
values = 1 4
[default]
BLOCK = 64
ITEMS = 16
VECTOR = 4
END
tune() {
    run --device host --n 20K --space few.ini "$@"
}
# rows AXIS: the values of its rows, in order.
rows() {
    awk -v axis="$1" '/^param / { is_table = 1; next } /^x best/ { is_table = 0 }
        is_table { if ($0 !~ /^ /) { name = $1; $1 = "" } if (name == axis) print $1 == "" ? $2 : $1 }' out |
        sed 's/^ *//' | awk '{ print $1 }' | tr '\n' ' '
}

# says PATTERN: on stdout, wherever lines are broken.
says() {
    tr '\n' ' ' < out | tr -s ' ' | grep -Eq "$1"
}

run list spaces
check is-listed grep -Eq '^axes +reduce.cu' out
tune
check tunes has_status 0
check tries-each grep -Eq '^to try +28 candidates of 28 variants of axes; strategy exhaustive \(as the space says\)$' err
check measures-each grep -Eq '^tried +28 measured;' err
check ends-with-effects test "$(grep -n '^effects ' out | cut -d: -f1)" -gt "$(grep -n '^winner ' out | cut -d: -f1)"
check says-of-how-many says 'of each value of 5 params [^;]*; 28 of 28 candidates have a time'
for axis in 'BLOCK:32 64 ' 'ITEMS:4 16 ' 'VECTOR:1 4 ' 'UNROLL:1 4 ' 'WARP:SHUFFLE VOLATILE '; do
    check "rows-of-${axis%%:*}: $(rows "${axis%%:*}")" test "$(rows "${axis%%:*}")" = "${axis#*:}"
    check "why-${axis%%:*}" grep -Eq "^(why)? +${axis%%:*}: .*(takes|no difference that can be told)" out
done
check one-is-the-best test "$(grep -c 'the best of all$' out)" -eq 5
check others-have-intervals grep -Eq '^ +[A-Z0-9]+ +[0-9]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ to [0-9.]+ +[0-9]+  [A-Z]+=' out
check times-are-raced says 'by turns in the final race'
check has-a-map grep -q '^Trials of sum i32 20K cold: GB/s by ' out
check map-is-last test "$(tail -n 1 out)" = "GB/s, the best of all with these two; * the best of all, . no figure"
check no-gpu grep -q "emulated: no model of a GPU's speed" out

# An answer draws it from the journal, without intervals; the map may be of other axes.
tune --axes WARP,BLOCK
check answers grep -q '^record .*exact' err
check answer-has-effects says 'of each value of 5 params [^;]*; 28 candidates have a time'
check answer-has-no-interval says 'in the search, which measures once or twice'
check answer-rows test "$(rows WARP)" = "SHUFFLE VOLATILE "
check answer-map grep -q 'by WARP and BLOCK$' out
check map-rows test "$(grep -Ec '^ +(SHUFFLE|VOLATILE) +[0-9.]+[* ] +[0-9.]+[* ]$' out)" -eq 2
tune --json - --quiet
check json python3 -c '
import json
rows = json.load(open("out"))["effects"]
assert len(rows) == 10, len(rows)
assert {r["param"] for r in rows} == {"BLOCK", "ITEMS", "VECTOR", "UNROLL", "WARP"}
assert min(r["ratio"] for r in rows) == 1
for r in rows:
    assert (r["param"] + "=" + str(r["value"])) in r["params"].split(), r
assert sum(r["tried"] for r in rows if r["param"] == "WARP") == 28'
tune --strategy race
check other-strategy-has-none test "$(grep -c '^effects' out)" -eq 0
refuses no-such-axis 64 "'BLOCK,SPEED': give two different params.*BLOCK, ITEMS" \
    --device host --n 20K --space few.ini --axes BLOCK,SPEED
refuses same-axis 64 "give two different params" --device host --n 20K --space few.ini --axes BLOCK,BLOCK
refuses one-value 64 "give two different params" --device host --n 20K --space few.ini --axes BLOCK,GRID
refuses of-a-range 64 "of the tuning of one problem" --device host --n 1K..4K --effects

# The report has them too, from the journal.
run report --space axes
check report has_status 0
check report-bars grep -Eq '^WARP=VOLATILE .*GB/s, emulated$' out
check report-why grep -Eq '^UNROLL: ' out
check report-map grep -Eq '^Trials of sum i32 20K cold: GB/s by ' out
run report --space axes --axes UNROLL,VECTOR -o page.html
check page-map grep -q 'GB/s by UNROLL and VECTOR' page.html
check page-bars grep -q 'Axes of sum i32 20K cold: the best GB/s with each value' page.html

# The journal also has what another space tries of the same problem: each knows its own.
small_space small.ini
run --device host --n 20K --space small.ini --effects
check others-too has_status 0
check other-space grep -Eq '^effects .*of each value of [0-9]+ params' out
check other-rows test "$(rows BLOCK)" = "64 128 "
check other-launch-params test "$(rows GRID)" = "0 1 "
tune
check own-trials-alone says '; 28 (of 28 )?candidates have a time'
run report --space axes
check report-own-trials test "$(grep -Ec '^(BLOCK|ITEMS|VECTOR|UNROLL|WARP)=.* GB/s, emulated' out)" -ge 10
check report-no-others test "$(grep -Ec '^(GRID|FINISH|LOAD|WALK)=.* GB/s, emulated' out)" -eq 0
run report --space none
check report-no-such-space has_status 1

rm "$XDG_CACHE_HOME"/autotune/journal/*
tune
check without-a-journal has_status 0
check without-a-journal-is-said grep -q 'the journal of the record.s search is not here' err
check without-a-journal-none test "$(grep -c '^effects' out)" -eq 0
finish

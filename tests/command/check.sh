#!/bin/sh
# Tests check: what an update did to the kernels on record, by records that are edited to another driver or compiler, and
# by machine code of other templates that is kept as an old compiler's (plant_code.c).
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
PLANT=${AUTOTUNE%/*}/plant_code
RECORDS=$XDG_CACHE_HOME/autotune/host.ini
REDUCE=$ROOT/templates/reduce.cu
LAUNCHED='BLOCK=64 ITEMS=8 VECTOR=1 UNROLL=1 ACCUMS=1 MATH=CUDA WARP=SHUFFLE LOAD=PLAIN STAGES=0 WALK=STRIDED MIN_BLOCKS=1 CLUSTER=1 FINISH=PASSES GRID=0'

# cell KEY PROBLEM: of the row of that operation, type and size, from rows.json.
cell() {
    grep "\"op\": \"${2%% *}\"" rows.json | grep "\"type\": \"$(echo "$2" | cut -d ' ' -f 2)\"" |
        grep "\"n\": ${2##* }," | sed -n "s/.*\"$1\": \"\{0,1\}\([^\",}]*\).*/\1/p"
}
has() { # KEY PROBLEM VALUE
    [ "$(cell "$1" "$2")" = "$3" ]
}
# run_check ARGUMENT...: with its rows in rows.json.
run_check() {
    rm -f rows.json
    run check --device host --json rows.json "$@"
}
# another FIELDS SED...: signs a record that is changed so into the file.
another() {
    from=$1
    shift
    sed "$@" "$from" > edited
    "$SIGN" "$RECORDS" < edited || not_ok "signed" "$*"
}

run_check
check none has_status 0
check none-is-said grep -q '^no records of this GPU to check' err

run --device host --n 1K --budget 1ms
check tuned has_status 0
fields_of "$RECORDS" > made
sed "s/^params = .*/params = $LAUNCHED/; s/^code = .*/code = 0000000000000000/" made > fields

# One run for what needs no other template.
rm "$RECORDS"
another fields 's/^tuned = 20/tuned = 19/'
another fields 's/^depth = .*/depth = 1001/; s/^driver = .*/driver = 560.35 (CUDA 12.6)/; s/^tuned = 2/tuned = 1/'
another fields 's/^depth = .*/depth = 1002/; s/^compiler = .*/compiler = gcc 0.1/'
another fields 's/^depth = .*/depth = 1003/; s/^code = .*/code = 0123456789abcdef/'
another fields 's/^depth = .*/depth = 1004/; s/^space = .*/space = mine/; s/^code = .*/code = 0123456789abcdef/'
another fields 's/^depth = .*/depth = 1005/; s/^gpu = .*/gpu = NVIDIA H200/'
cp "$RECORDS" before.ini
run_check --junit rows.xml
check mixed has_status 75
check same has verdict "sum i32 1000" same
check same-compiler has code "sum i32 1000" "same compiler"
check other-driver has verdict "sum i32 1001" same
check other-driver-is-named has driver "sum i32 1001" "560.35 (CUDA 12.6)"
check driver-now has driver_now "sum i32 1001" none
check not-kept has code "sum i32 1002" "old not kept"
check stale has verdict "sum i32 1003" stale
check other-space has verdict "sum i32 1004" untold
check other-space-says-why grep -q 'mine.*neither a file nor a built-in space' rows.json
check other-gpu-is-no-row test -z "$(cell verdict "sum i32 1005")"
check sum grep -q '5 records: 3 same, 1 untold, 1 stale' err
run show
check show-says-so grep -q "^note      of host 2 records were made with another .*: 'autotune check' says what that" err
run doctor
check doctor-says-so grep -q "^records   2 records were made with another .*: 'autotune check' says what that" out
check records-stay cmp -s "$RECORDS" before.ini
check oldest-first test "$(sed -n 's/.*"n": \([0-9]*\),.*/\1/p' rows.json | head -n 1)" = 1001

# What CI reads.
if command -v python3 > /dev/null; then
    python3 - > forms 2>&1 << 'END'
import json, xml.etree.ElementTree as tree
rows = json.load(open("rows.json"))
suite = tree.parse("rows.xml").getroot()
cases = suite.findall("testcase")
assert suite.tag == "testsuite" and suite.get("name") == "autotune check"
assert len(rows) == len(cases) == int(suite.get("tests")) == 5
for what in "failure", "skipped", "error":
    assert len(suite.findall("testcase/" + what)) == int(suite.get({"failure": "failures", "error": "errors"}.get(what, what)))
for row, case in zip(rows, cases):
    assert case.get("classname") == row["gpu"] and str(row["n"] // 1000) in case.get("name")
    assert float(case.get("time")) >= 0
    bad = {"slower": "failure", "wrong": "failure", "same": None, "faster": None}.get(row["verdict"], "skipped")
    assert [child.tag for child in case if child.tag != "system-out"] == ([bad] if bad else [])
assert set(p.get("name") for p in suite.iter("property")) == {"gpu", "driver", "compiler"}
END
    check forms test ! -s forms
else
    skip forms "no python3"
fi

# A filter, and what is new since a copy.
run_check --n 1003 --quiet
check filter has_status 75
check filter-has-one test "$(grep -c '"verdict"' rows.json)" = 1
check quiet-says-the-sum-alone test "$(wc -l < err)" = 1
run_check --since before.ini
check since-has-none has_status 0
check since-says-so grep -q '^no records of this GPU that --since does not have' err
another fields 's/^depth = .*/depth = 1003/; s/^code = .*/code = 1123456789abcdef/'
run_check --since before.ini
check since-has-one test "$(cell n "sum i32 1003"):$(grep -c '"verdict"' rows.json)" = 1003:1
run_check --since nothing.ini
check since-nothing has_status 74

# The budget: the oldest is checked all the same.
run_check --budget 1ms --n 1000..1002
check budget has_status 75
check budget-checks-the-oldest has verdict "sum i32 1001" same
check budget-leaves has verdict "sum i32 1000" "left out"
check budget-is-said grep -q '3 records: 1 same, 2 left out' err

# planted OLD NOW: one record of the template NOW, whose old machine code is of OLD.
planted() {
    rm -f "$RECORDS"
    another fields ''
    "$PLANT" host "$XDG_CACHE_HOME/autotune" "gcc 0.1" "$1" "$2" || not_ok "planted" "$*"
    now=$2
}
plant slow.cu "$REDUCE" '    for (volatile int planted = 0; planted < 2000; planted++) {}'
planted "$REDUCE" slow.cu
run_check --template slow.cu --junit rows.xml
check slower has_status 3
check slower-is-said has verdict "sum i32 1000" slower
check slower-by-the-old-code has by "sum i32 1000" "old code"
check slower-code-changed has code "sum i32 1000" changed
check slower-in-xml grep -q '<failure type="slower" message="slower: +' rows.xml
planted slow.cu "$REDUCE"
run_check
check faster has_status 0
check faster-is-said has verdict "sum i32 1000" faster
planted "$REDUCE" "$REDUCE"
run_check
check unchanged has_status 0
check unchanged-is-said has code "sum i32 1000" unchanged

# Times that differ by a factor of a thousand from call to call tell nothing.
noise='    static unsigned planted; if (threadIdx.x == 0) { planted = planted * 1103515245u + 12345u; '
plant noisy.cu "$REDUCE" "$noise for (volatile unsigned i = 1u << (6 + (planted >> 16) % 10); i; i--) {} }"
plant noisy_too.cu "$REDUCE" "$noise for (volatile unsigned k = 1u << (6 + (planted >> 18) % 10); k; k--) {} }"
planted noisy.cu noisy_too.cu
run_check --template noisy_too.cu --race 1ms
check noisy has_status 75
check noisy-is-said has verdict "sum i32 1000" untold
check noisy-says-why grep -q '"why": "too noisy: ' rows.json

# A tuning races the kernel whose record it replaces: one of another compiler, which waits.
small_space small.ini
plant waits.cu "$REDUCE" '    //? if FINISH == FLAGGED
    for (volatile int planted = 0; planted < 3000; planted++) {}
    //? end'
sed 's/ITEMS=8 VECTOR=1/ITEMS=4 VECTOR=4/; s/FINISH=PASSES/FINISH=FLAGGED/; s/GRID=0/GRID=1/' fields > slow
rm -f "$RECORDS"
another slow ''
"$PLANT" host "$XDG_CACHE_HOME/autotune" "gcc 0.1" waits.cu waits.cu || not_ok planted slow
run --device host --n 1K --space small.ini --template waits.cu
check replaces grep -Eq '^replaces  a record: was [0-9.]+ us \(95 % interval [0-9.]+ to [0-9.]+\), is [0-9.]+ us, by turns' err
check replaces-the-slower sh -c "sed -n 's/^replaces .* was \([0-9.]*\) us .* is \([0-9.]*\) us,.*/\1 \2/p' err | awk '{ exit !(\$1 > \$2) }'"
run --device host --n 1K --space small.ini --template waits.cu --retune
check replaces-the-same grep -Eq '^replaces  a record of the same params: it said |^replaces  a record: was ' err

# A kernel that is wrong, or crashes, while the default is right; and old code that is.
for fault in 'n -= n > 7;' 'if (n > 7) *(volatile int *)8 = 7;'; do
    plant wrong.cu "$REDUCE" "    //? if BLOCK == 64
    $fault
    //? end"
    planted "$REDUCE" wrong.cu
    run_check --template wrong.cu --junit rows.xml
    check "wrong: $fault" has_status 70
    check "wrong-is-said: $fault" has verdict "sum i32 1000" wrong
    check "wrong-in-xml: $fault" grep -q '<failure type="wrong" message="wrong: ' rows.xml
    planted wrong.cu "$REDUCE"
    run_check
    check "old-is-wrong: $fault" has_status 0
    check "old-is-wrong-is-said: $fault" grep -q '"why": "its old code does not race: ' rows.json
done

run_check --race 0s
check usage has_status 64
finish

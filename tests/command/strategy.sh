#!/bin/sh
# Tests strategies, budgets and seeds; and replays of journals, without a device.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
small_space tiny.ini
widened tiny.ini GRID "0 1 2 4 8" > few.ini
JOURNAL=$XDG_CACHE_HOME/autotune/journal/host-sum-i32-i32-20000-cold.journal
RECORD=$XDG_CACHE_HOME/autotune/host.ini

# Each leaves a record, and says what was asked for.
tune() {
    run --device host --n 20K --space few.ini --retune "$@"
}
candidates() {
    sed -n 's/^to try  *\([0-9]*\) .*/\1/p' err
}
for strategy in race random exhaustive cover; do
    rm -f "$RECORD"
    tune --strategy $strategy
    check "$strategy" has_status 0
    check "$strategy-is-said" grep -q "; strategy $strategy (as asked)" err
    check "$strategy-has-a-record" grep -q '^params = ' "$RECORD"
    check "$strategy-tries-all" test "$(journal_lines "$JOURNAL" | wc -l)" -eq "$(candidates)"
    # The sample of seed 1 leaves the default out, which is tried all the same, and once.
    check "$strategy-tries-the-default" test "$(journal_lines "$JOURNAL" | cut -f 4 |
        grep -c '^BLOCK=64 .* WARP=SHUFFLE .* FINISH=PASSES GRID=0$')" -eq 1
done
tune
check default-is-cover grep -q '; strategy cover (.*default on the host' err
cover=$(candidates)

# A space may say how it is searched; who asks for another gets that.
sed '/^\[space\]/a strategy = random' few.ini > says.ini
run --device host --n 20K --retune --space says.ini
check space-says grep -q '; strategy random (as the space says)' err
run --device host --n 20K --retune --space says.ini --strategy cover
check space-is-overruled grep -q '; strategy cover (as asked)' err
sed '/^\[space\]/a strategy = all' few.ini > says.ini
run --device host --n 20K --retune --space says.ini
check space-says-nonsense has_status 64
check space-says-where grep -q "says.ini:[0-9]*: unknown strategy 'all': choose race, " err

tune --strategy exhaustive
check cover-tries-fewer test "$cover" -lt "$(candidates)"

# The seed decides the order.
order() {
    journal_lines "$JOURNAL" | cut -f 4
}
order > seed-1
cp "$JOURNAL" all.journal
tune --strategy exhaustive --seed 2
order > seed-2
check seed-changes-the-order test "$(cmp -s seed-1 seed-2; echo $?)" -eq 1
sort seed-1 > sorted-1
sort seed-2 > sorted-2
check seed-changes-nothing-else test -s sorted-1 -a "$(cmp sorted-1 sorted-2; echo $?)" = 0

# A budget ends the search, not the finals.
searched() {
    sed -n 's/^took .* search \([0-9]*\)\..*/\1/p' err
}
tried() {
    sed -n 's/^tried  *\([0-9]*\) measured.*/\1/p' err
}
budget=1 # seconds: where the first candidate takes that long, that one
run --device host --n 2M --strategy random --budget ${budget}s
check budget has_status 0
check budget-is-said grep -q '^budget ' err
check budget-has-a-record grep -q '^depth = 2000000' "$RECORD"
check "budget-is-kept: $(searched) s" test "$(searched)" -le $((budget + 20)) # what was begun is ended
check budget-leaves-most test $((2 * $(tried))) -lt "$(candidates)"
# What it found answers who has a budget; others go on where it ended.
check budget-is-in-the-record grep -Eq '^untried = [1-9]' "$RECORD"
run --device host --n 2M --budget ${budget}s
check budget-is-content-with-it grep -q 'left [1-9][0-9]* candidates untried' err
check budget-is-answered grep -q '^record .*exact' err
run --device host --n 30K --space few.ini --strategy random --budget 100ms
check budget-ends-another grep -q '^budget ' err
run --device host --n 30K --space few.ini
check budget-goes-on grep -q '^record .*left candidates untried: going on' err
check budget-is-forgotten test "$(grep -c '^untried = ' "$RECORD")" -eq 1 # that of 2M
run --device host --n 30K --space few.ini
check budget-then-answers grep -q '^record .*exact' err
run --device host --n 1K --space few.ini --budget 10m
check budget-not-spent has_status 0
check budget-not-spent-is-not-said test "$(grep -c '^budget ' err)" -eq 0
for budget in 0 0s 5 s -1s +1s 1.5s 1d "1 s" " 1s" 1S 1ss 99999999999999999999s ""; do
    refuses "budget=$budget" 64 "--budget is " --device host --n 1K --budget "$budget"
done

# Replays: all strategies, or the one asked for; the same journal and seed, the same table.
replay() {
    run --replay "$@"
}
no_device() {
    PATH=$SCRATCH/nothing "$AUTOTUNE" --replay all.journal > here 2> err && cmp here out
}
rows() {
    sed 1d out | cut -d ' ' -f 1 | tr '\n' ' '
}
cp all.journal before.journal
replay all.journal
check replay has_status 0
check replay-has-all test "$(rows)" = "race exhaustive random "
check replay-says-what-it-is-of grep -q '^journal .*sum i32 20K cold on host' err
check replay-says-what-seconds-are grep -q '^ *seconds are what the journal.s trials would take with 15' err
check replay-needs-no-device no_device
check replay-changes-nothing cmp before.journal all.journal
replay all.journal --strategy exhaustive
check replay-one test "$(rows)" = "exhaustive "
check replay-one-finds-the-best grep -Eq ' 1\.0000$' out
replay all.journal --strategy race --budget 1ms --csv -
check replay-of-no-time sh -c "tr -d '\\r' < out | grep -Eq '^race,1,0,,0\.00,,,[0-9.]+,$'"
replay all.journal --csv -
check replay-csv test "$(head -n 1 out | tr -d '\r')" = \
    strategy,seed,evaluations,until_near,seconds,seconds_until_near,found_us,best_us,ratio
check replay-csv-rows test "$(wc -l < out)" -eq 4
cp out seed-1.csv
replay all.journal --csv - --seed 2
check replay-seed test "$(cut -d , -f 1,3- out | cmp -s - seed-1.csv; echo $?)" -eq 1
replay all.journal --csv -
check replay-again cmp out seed-1.csv
if command -v python3 > python; then
    replay all.journal --json -
    check replay-json python3 -c '
import json, sys
rows = json.load(open("out"))
assert [row["strategy"] for row in rows] == ["race", "exhaustive", "random"], rows
assert all(row["ratio"] >= 1 and row["evaluations"] > 0 for row in rows), rows'
else
    skip replay-json "no python3"
fi
replay all.journal --json both.json --csv both.csv
check replay-both test -s both.json -a -s both.csv -a -s out
replay all.journal --strategy random --budget 10ms --csv -
check replay-budget test "$(sed 1d out | cut -d , -f 3)" -lt "$(wc -l < seed-1)"

# What cannot be replayed.
# unfit NAME FILE PATTERN: refused, and nobody is told to remove a file that may be anything.
unfit() {
    refuses "replay-$1" 74 "$2.*$3" --replay "$2"
    check "replay-$1-stays" test "$(grep -Ec 'remove|--cache' err)" -eq 0
}
unfit missing nowhere.journal 'No such file.*name a journal'
mkdir folder
unfit folder folder 'regular file.*name a journal'
: > empty.journal
unfit empty empty.journal 'no journal.*name a journal'
unfit record "$RECORD" 'no journal.*name a journal'
unfit space few.ini 'no journal.*name a journal'
head -c 4000 /dev/urandom > noise.journal
unfit noise noise.journal 'no journal.*name a journal'
sed 's/^depth = .*/depth = 20001/' all.journal > edited.journal
unfit edited-key edited.journal 'damaged.*name a journal'
sed 's/^schema = .*/schema = 99/' all.journal > future.journal
unfit other-schema future.journal 'schema is 99.*use the version'
ln -s all.journal link.journal
unfit link link.journal 'symbolic link'
sed '/^\[trials\]$/q' all.journal > none.journal
run --replay none.journal
check replay-no-trials refused 64 'no measured candidate.*--strategy exhaustive'
sed -n "1,/^\[trials\]$/p; \$p" all.journal > one.journal
run --replay one.journal
check replay-one-trial refused 64 'only one measured candidate.*--strategy exhaustive'
sed '$s/measured/measure!/' all.journal > damaged.journal
replay damaged.journal
check replay-damaged has_status 0
check replay-damaged-warns grep -q '^autotune: warning: 1 damaged line is left out$' err
refuses replay-retune 64 "choose one" --replay all.journal --retune
refuses replay-no-name 64 "empty value" --replay ""
finish

#!/bin/sh
# Tests `--candidates`: the winners of another record file are measured and in the journal, those
# that the rules refuse are named, and a record answers once all were measured.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
small_space small.ini
JOURNALS=$XDG_CACHE_HOME/autotune/journal
set -- --device host --space small.ini

# theirs FILE EDIT: a record of another GPU, whose params are edited.
theirs() {
    fields_of "$XDG_CACHE_HOME/autotune/host.ini" |
        sed "s/^gpu = .*/gpu = Another GPU/; /^params = /{ $2 }" > fields
    "$SIGN" "$1" < fields
}

refuses with-replay 64 '--candidates measures' --device host --candidates x.ini --replay y
refuses no-such-file 74 'none\.ini' "$@" --n 1K --candidates none.ini
run "$@" --n 1K --budget 1ms
cp "$XDG_CACHE_HOME/autotune/host.ini" mine.ini
block=$(sed -n 's/^params = BLOCK=\([0-9]*\).*/\1/p' mine.ini | head -n 1)
other=$((192 - block)) # the other value of BLOCK
theirs other.ini "s/BLOCK=$block/BLOCK=$other/"
params=$(sed -n 's/^params = //p' other.ini | head -n 1)
rm -r "$XDG_CACHE_HOME/autotune"
run "$@" --n 1K --candidates other.ini
check first has_status 0
check first-is-said grep -q '^winners   of Another GPU: 1 measured first$' err
check first-is-a-trial grep -q "$params" "$JOURNALS"/*.journal
run "$@" --n 1K
check known grep -q '^record    exact' err
lines=$(cat "$JOURNALS"/*.journal | wc -l)
run "$@" --n 1K --candidates other.ini
check known-candidates-answer grep -q '^record    exact' err
check nothing-is-measured test "$(cat "$JOURNALS"/*.journal | wc -l)" -eq "$lines"

# One that the journal lacks is measured, beside the winner alone, and the record stays.
# What launches the same kernels counts as measured: of its block none is left.
sed "/BLOCK=$other /d" "$JOURNALS"/*.journal > fewer
kept=$(wc -l < fewer)
cat fewer > "$(ls "$JOURNALS"/*.journal)"
run "$@" --n 1K --candidates other.ini
check again has_status 0
check again-is-no-answer sh -c '! grep -q "^record    exact" err'
check again-adds-it test "$(grep -c "BLOCK=$other " "$JOURNALS"/*.journal)" -ge 1
check again-adds-few test "$(cat "$JOURNALS"/*.journal | wc -l)" -le $((kept + 4))
run "$@" --n 1K --candidates other.ini
check again-once grep -q '^record    exact' err

# Another size's winner stands in for the problem's own; what cannot run is said.
run "$@" --n 2K --candidates other.ini --budget 1ms
check other-size grep -q '^winners   of Another GPU: 1 measured first$' err
theirs refused.ini 's/WALK=STRIDED/WALK=ONE/'
run "$@" --n 3K --candidates refused.ini --budget 1ms
check refused has_status 0
check refused-is-said grep -q '^winners   of Another GPU: 0 measured first; 1 cannot run here: tiles are taken in turn$' err
run "$@" --n 3K --type i32 --op max --candidates other.ini --budget 1ms
check other-problem grep -q 'warning: --candidates other.ini: no record of this problem, of any size, by the space reduce' err

# A sweep takes them at each size, and reads them once: the file goes while the first size is tuned.
cp other.ini once.ini
begin "$@" --n 4K..8K --candidates once.ini --quiet
has_first() { ls "$JOURNALS"/*-4000-cold.journal; }
wait_until has_first > /dev/null 2>&1
rm once.ini
wait "$running"
status=$?
check sweep has_status 0
for n in 4000 8000; do
    check "sweep-$n" grep -q "$params" "$JOURNALS"/*-$n-cold.journal
done
finish

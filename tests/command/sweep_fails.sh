#!/bin/sh
# Tests that a sweep that fails says so by its exit status, wherever it fails: before its first size, at
# that, at a later one, where what it found is kept, and where it is printed, as when the records answer.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
small_space small.ini
sed -i 's/^few kinds are tried = /&BLOCK == 64 \&\& GRID == 0 \&\& WARP == SHUFFLE \&\& FINISH == PASSES \&\& /' small.ini
set -- --device host --space small.ini --cold --n 1K..2K

# A kernel that is wrong at one size alone, which only the proof at full n runs: at the size that is
# tuned first, and at the other.
for n in 2000 1000; do
    sed "s/(x + head);/& if (n == $n) return;/" "$ROOT/templates/reduce.cu" > changed.cu
    run "$@" --template changed.cu --cache "changed-$n"
    check "wrong-at-$n" has_status 70
    check "wrong-at-$n-is-said" grep -q "is wrong: wrong result at n = $n:" err
    check "wrong-at-$n-draws-nothing" test ! -s out
done
run "$@" --confirm
check confirms-nothing has_status 64
run --device host --space small.ini --cold --n 1K..1000000000G
check no-room has_status 64

# Records of sizes that were tuned one by one are not those of a sweep.
for n in 1K 2K; do
    run --device host --space small.ini --cold --n $n --cache one-by-one --quiet
done
run "$@" --cache one-by-one
check one-by-one-is-no-sweep sh -c "! grep -q '^records  *exact' err"
check one-by-one-is-swept grep -q '^size  *2 of 2 ' err

run "$@" --cache /proc/autotune --quiet
check not-kept has_status 74
check not-kept-is-said grep -q 'records of this sweep are not kept' err
run "$@" --json /dev/full --quiet
check not-printed has_status 74
check not-printed-is-said grep -q '^autotune: /dev/full: ' err
run "$@" --json /dev/full
check answer-is-of-records grep -q '^records  *exact' err
check answer-is-not-printed has_status 74
run "$@"
check as-it-is has_status 0
check as-it-is-draws grep -q '^A ' out
finish

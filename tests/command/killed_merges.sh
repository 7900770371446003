#!/bin/bash
# Tests merges that are killed, alone and four at a time: whenever that is, each record that was there
# stays, the file is whole, what the killed one left behind is removed by the next, and at the end all
# merges together give the file that they give undisturbed. Seen to fail with records written in
# place. ROUNDS=1000 for more.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
status=0
: > err
ROUNDS=${ROUNDS:-300} SOURCES=24 TOGETHER=4
run merge --cache all "$ROOT/bench/records/nvidia-h200.ini" --quiet
check prepare has_status 0
fields_of all/nvidia-h200.ini > fields
for i in $(seq "$SOURCES"); do
    sed "s/^depth = .*/depth = $((i * 100000 + 7))/" fields | "$SIGN" "source$i.ini"
done
check sources test -s "source$SOURCES.ini"
cp -r all whole
for i in $(seq "$SOURCES"); do
    "$AUTOTUNE" merge --cache whole "source$i.ini" --quiet > out 2> err
done
records() {
    "$AUTOTUNE" show --cache "$1" --csv - 2> show.err | sort
}
records whole > wanted
check more-records test "$(wc -l < wanted)" -ge $((SOURCES + $(records all | wc -l)))

# The times to kill at: 0 to about twice what a merge takes.
start=$(date +%s%N)
"$AUTOTUNE" merge --cache whole source1.ini --quiet > out 2> err
takes_us=$((($(date +%s%N) - start) / 1000))
exec 9<> <(:)
pause() { # a random time, without a process for it
    read -rt "$(printf '0.%06d' $((RANDOM * 2 * takes_us / 32768 % 1000000)))" -u 9 || true
}

# Each record of before is there, and nothing was wrong with the file.
nothing_lost() {
    records folder > now
    [ ! -s show.err ] || { cat show.err && return 1; }
    comm -23 before now > lost
    [ ! -s lost ] || { echo "lost: $(wc -l < lost)" && return 1; }
    [ ! -e folder/nvidia-h200.ini.damaged ] || { echo "a damaged file" && return 1; }
    mv now before
}

begin_merge() {
    "$AUTOTUNE" merge --cache folder "source$((RANDOM % SOURCES + 1)).ini" --quiet > /dev/null 2>&1 &
}

cp -r all folder
records folder > before
hit=0
for round in $(seq "$ROUNDS"); do
    pids=
    for i in $(seq $((round % 2 ? 1 : TOGETHER))); do
        begin_merge
        pids="$pids $!"
    done
    pause
    # shellcheck disable=SC2086 # words
    kill -9 $pids 2> /dev/null
    for pid in $pids; do
        wait "$pid" 2> /dev/null
        [ $? -ne 137 ] || hit=$((hit + 1))
    done
    why=$(nothing_lost) || not_ok "round $round" "$why"
done
check "$hit merges were killed in $ROUNDS rounds" test "$hit" -ge $((ROUNDS / 3))
for i in $(seq "$SOURCES"); do
    run merge --cache folder "source$i.ini" --quiet
    has_status 0 || not_ok "merge $i afterwards" "$(cat err)"
done
check all-at-the-end cmp folder/nvidia-h200.ini whole/nvidia-h200.ini
find folder -name '*.tmp*' > left
check nothing-left test ! -s left
finish

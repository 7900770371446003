#!/bin/sh
# Ctrl-C ends a run soon, with the right exit status, and leaves nothing behind.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"

is_soon() {
    [ $(($(date +%s) - began)) -le 10 ]
}
# interrupt SIGNAL SECONDS ARGUMENT...: the signal after so many seconds.
interrupt() {
    signal=$1 seconds=$2
    shift 2
    began=$(($(date +%s) + seconds))
    timeout --preserve-status -s "$signal" -k 60 "$seconds" "$AUTOTUNE" "$@" \
        > out 2> err < /dev/null
    status=$?
}

: > start
sleep 0.1
for signal in INT TERM; do
    expected=130
    [ $signal = INT ] || expected=143
    interrupt $signal 2 --device host --n 2M --strategy exhaustive
    check "tune-$signal" has_status $expected
    check "tune-$signal-soon" is_soon
    check "tune-$signal-says-so" grep -Eq '^autotune: interrupted: .* is kept, .* goes on' err
    check "tune-$signal-no-result" test ! -s out
    check "tune-$signal-no-record" test ! -e "$XDG_CACHE_HOME/autotune/host.ini"
done
interrupt INT 2 verify --device host --cover
check verify has_status 130
check verify-soon is_soon
check verify-says-so grep -q '^autotune: interrupted' err
check verify-blames-nobody test ! -s out

# An older record outlives it.
small_space small.ini
run --device host --n 1K --space small.ini
cp "$XDG_CACHE_HOME/autotune/host.ini" before.ini
interrupt INT 2 --device host --n 2M --strategy exhaustive
check again has_status 130
check record-untouched cmp before.ini "$XDG_CACHE_HOME/autotune/host.ini"
check no-process-left no_process
check no-folder-left no_folder start
finish

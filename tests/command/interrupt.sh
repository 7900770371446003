#!/bin/sh
# Tests that Ctrl-C ends a run soon, with the right exit status, and leaves nothing behind.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"

trials() {
    journal_lines "$XDG_CACHE_HOME"/autotune/journal/*-2000000-cold.journal 2> /dev/null | wc -l
}
has_more_trials() {
    [ "$(trials)" -gt "$before" ]
}
is_compiling() {
    [ -n "$(folders_of "$running")" ]
}
# Far less than the whole takes, far more than its end does where others have the machine.
is_soon() {
    [ $(($(date +%s) - began)) -le 40 ]
}
# interrupt SIGNAL CONDITION ARGUMENT...: the signal as soon as the condition holds.
interrupt() {
    signal=$1 condition=$2 before=$(trials)
    shift 2
    begin "$@"
    wait_until "$condition"
    began=$(date +%s)
    end "$signal"
}

for signal in INT TERM HUP; do
    expected=130
    [ $signal = TERM ] && expected=143
    [ $signal = HUP ] && expected=129
    interrupt $signal has_more_trials --device host --n 2M --strategy exhaustive
    check "tune-$signal" has_status $expected
    check "tune-$signal-soon" is_soon
    check "tune-$signal-says-so" grep -Eq '^autotune: interrupted: .* is kept, .* goes on' err
    check "tune-$signal-no-result" test ! -s out
    check "tune-$signal-no-record" test ! -e "$XDG_CACHE_HOME/autotune/host.ini"
done
interrupt INT is_compiling verify --device host --cover
check verify has_status 130
check verify-soon is_soon
check verify-says-so grep -q '^autotune: interrupted' err
check verify-blames-nobody test ! -s out

# Twice ends at once, even where a kernel in the program's own process never ends.
awk -v file="$SCRATCH/looping" '
{ print }
/^    accum a = identity\(\);$/ {
    print "    extern int creat(const char *, unsigned);"
    print "    for (volatile int on = 1; on;)"
    print "        creat(\"" file "\", 0600);"
}' "$ROOT/templates/reduce.cu" > looping.cu
begin verify --device host --cover --template looping.cu
wait_until test -e looping
kill -INT $running
wait_until grep -q 'once more stops at once' err
sleep 1 # a signal that comes twice within half a second was sent once
check once-is-waited-for is_running
end INT
check twice has_status 130

# An older record outlives it.
small_space small.ini
run --device host --n 1K --space small.ini
cp "$XDG_CACHE_HOME/autotune/host.ini" before.ini
interrupt INT has_more_trials --device host --n 2M --strategy exhaustive
check again has_status 130
check record-untouched cmp before.ini "$XDG_CACHE_HOME/autotune/host.ini"
# The rows of a list's table are there as its problems are done, whatever ends it.
printf '%s\n' "--n 1K --space small.ini" "--n 2M" > list
printf '%s\n' "--n 2M" "--n 1K --space small.ini" > long-first
has_first() {
    [ "$(grep -c ',known,' table.csv)" -eq 1 ]
}
for signal in INT KILL; do
    echo older > table.csv
    interrupt $signal has_first --problems list --device host --strategy exhaustive --csv table.csv \
        --json $signal.json
    check "list-$signal" has_status $([ $signal = INT ] && echo 130 || echo 137)
    check "list-$signal-titles" test "$(head -c 12 table.csv)" = line,gpu,op,
    check "list-$signal-rows" test "$(wc -l < table.csv)" -eq 2
    check "list-$signal-row" has_first
done
check list-json test "$(grep -c '"result": "known"' INT.json)" -eq 1
check list-no-json test ! -e KILL.json
echo older > table.csv
interrupt INT has_more_trials --problems long-first --device host --strategy exhaustive --csv table.csv
check list-of-none has_status 130
check list-of-none-untouched grep -qx older table.csv
check no-part-left sh -c '! ls -A | grep "[.]part$"'
check no-process-left no_process
check no-folder-left no_folder
finish

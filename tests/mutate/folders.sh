#!/bin/bash
# Plants single faults in the C of cache, generator, measure, search and tune, drawn by a seed from all
# files until the time is over; the tests that run the changed line must fail (tests/mutate/by_line.sh). Prints
# each survivor, then a table by folder. Score: found, of those that change what the program does; what
# tests/mutate/equal names does not. Which tests run a line is found out first (tests/mutate/cover.sh: half an
# hour on two cores, kept below BUILD/mutants while the sources stay as they are).
# Usage: tests/mutate/folders.sh BUILD SECONDS [SEED [SOURCE...]]   (SEED: 0, a day's number, ...)
# Environment: JOBS, side by side; LOG, a file with a line a mutant; LEAST, a score: status 1 below it
set -u
build=$(cd "${1:?usage: tests/mutate/folders.sh BUILD SECONDS [SEED [SOURCE...]]}" && pwd) || exit 2
seconds=${2:?how many seconds?}
seed=${3:-0}
cd "$(dirname "$0")/../.." || exit 2
[ -x "$build/mutate" ] || { echo "folders.sh: $build/mutate is not built: make tests" >&2 && exit 2; }
JOBS=${JOBS:-$(nproc)}
if [ $# -gt 3 ]; then
    shift 3
else
    # shellcheck disable=SC2046 # names
    set -- $(ls cache/*.c generator/*.c autotune/{measure,search,tune}/*.c)
fi
if ! unshare --pid --fork --mount-proc true 2> /dev/null; then
    echo "no process numbers of their own here: what ends processes is left out"
    # shellcheck disable=SC2046 # names
    set -- $(printf '%s\n' "$@" | grep -v /worker_p)
fi
bash tests/mutate/cover.sh "$build" || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'kill $(jobs -p) 2> /dev/null; wait; exit 130' INT TERM
for job in $(seq "$JOBS"); do
    "$build/mutate" -v -r "$seed" -l "$seconds" -p "$job/$JOBS" -e tests/mutate/equal \
        -c "sh tests/mutate/by_line.sh '$build'" "$@" > "$scratch/$job" 2>&1 &
done
wait
cat "$scratch"/[0-9]* > "${LOG:-/dev/null}"
awk '/^[^ ]/ { is_shown = /^(NOT FOUND|not tried|left out|mutate:)/ } is_shown' "$scratch"/[0-9]*
echo "seed $seed, $seconds s, $JOBS side by side"
awk -v least="${LEAST:-0}" '
    /^(found|does not compile|same code|equal|speed|gpu only|NOT FOUND|not tried) .*:[0-9]+ / {
        match($0, /[a-z_\/]+\.[ch]:[0-9]+ /)
        folder = substr($0, RSTART, RLENGTH)
        sub(/\/[^\/]*$/, "", folder)
        kind = /^gpu|^speed/ ? "equal" : substr($0, 1, 6)
        sub(/ *$/, "", kind)
        count[folder, kind]++
        all[folder]++
        count["all", kind]++
        all["all"]++
    }
    function score(folder, sum) {
        sum = count[folder, "found"] + count[folder, "NOT FO"]
        return sum ? 100 * count[folder, "found"] / sum : 100
    }
    function row(folder) {
        return sprintf("| %s | %d | %d | %d | %d | %d | %d | %d | %.1f %% |", folder, all[folder],
            count[folder, "does n"], count[folder, "same c"], count[folder, "not tr"],
            count[folder, "equal"], count[folder, "found"], count[folder, "NOT FO"], score(folder))
    }
    END {
        print "| folder | drawn | do not compile | same code | not tried | same results | found | survived | score |"
        print "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
        fflush()
        for (folder in all) if (folder != "all") print row(folder) | "sort"
        close("sort")
        print row("all")
        exit !all["all"] || score("all") < least
    }' "$scratch"/[0-9]*

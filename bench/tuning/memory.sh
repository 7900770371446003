#!/bin/bash
# Measures the memory of the coordinator with a space of 100,000 candidates: the default space with
# every grid of 1 to 600 blocks, on the host emulator: expanded, ordered and searched for a while;
# then again, with the journal that this left. The peak is VmHWM of the process itself, not of its
# workers, read until it ends. A run that goes on long past its budget gets a Ctrl-C after MOST seconds,
# and counts. Writes OUT/memory.md; exit status 1 at 100 MB or more.
# Usage: bench/tuning/memory.sh OUT      (from the repository's root)
#   BUDGET, of each run (10s); MOST (60); N (4K); AUTOTUNE: about.sh
set -euo pipefail
out=${1:?usage: memory.sh OUT}
DEVICE=host
# shellcheck source=bench/tuning/about.sh
. bench/tuning/about.sh

LIMIT_KB=100000 # of 1000 bytes
budget=${BUDGET:-10s}
most_s=${MOST:-60}
size=${N:-4K}
mkdir -p "$out"

# Grids of GRID + 15 * PADDING blocks, whatever fits on an SM: two launch-time params, for a line of
# values is short.
large_space()
{
    awk '
    $0 == "[param GRID]" { is_grid = 1 }
    is_grid && /^values = / { print "values = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"; next }
    is_grid && /^when = / {
        print
        print "\n[param PADDING]\nmeaning = fifteens of further blocks"
        print "values = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39\nwhen = launch"
        is_grid = 0
        next
    }
    /^\[pass / { blocks = $0 == "[pass rest]" ? "min(TILES, GRID + 15 * PADDING)" : "GRID + 15 * PADDING" }
    /^grid = / { print "grid = " blocks; next }
    /^the grid.s blocks fit/ || /^with fewer tiles than blocks/ { next }
    $0 == "[default]" { print; print "PADDING = 0"; next }
    { print }' configs/reduce.ini
}

# peak NAME COMMAND...: its peak in kB to $work/NAME.kb, its log to $work/NAME.log.
peak()
{
    local name=$1 pid now most=0 status=0 end
    shift
    "$@" >"$work/$name.log" 2>&1 &
    pid=$!
    end=$((SECONDS + most_s))
    while kill -0 $pid 2>/dev/null; do
        now=$(awk '$1 == "VmHWM:" { print $2 }' /proc/$pid/status 2>/dev/null) || now=
        [ -z "$now" ] || most=$now
        if [ $SECONDS -ge $end ]; then
            kill -TERM $pid # stops as Ctrl-C does, which a shell's children in the background ignore
            end=$((SECONDS + 10))
        fi
        sleep 0.02
    done
    wait $pid || status=$?
    if [ $status -ne 0 ] && [ $status -ne 143 ]; then
        cat "$work/$name.log" >&2
        return $status
    fi
    echo "$most" >"$work/$name.kb"
    [ $status -eq 0 ] && echo whole >"$work/$name.end" || echo "cut at $most_s s" >"$work/$name.end"
}

# row NAME CACHE KNOWN: what a run did, and its peak.
row()
{
    local candidates
    candidates=$(sed -n 's/^to try *\([0-9]*\) candidates.*/\1/p' "$work/$1.log")
    printf '| %s | %s | %s | %s | %s | %s |\n' "$1" "$candidates" "$3" "$(trials "$2")" \
        "$(<"$work/$1.end")" \
        "$(awk -v kb="$(<"$work/$1.kb")" 'BEGIN { printf "%.1f MB", kb * 1024 / 1e6 }')"
    awk -v kb="$(<"$work/$1.kb")" -v limit=$LIMIT_KB 'BEGIN { exit kb * 1.024 >= limit }' || failed=1
}

# The trials in a cache's journal.
trials()
{
    cat "$work/$1"/journal/*.journal | awk -F '\t' 'NF > 10' | wc -l
}

large_space >"$work/large.ini"
command=("$autotune" --device host --n "$size" --space "$work/large.ini"
    --template templates/reduce.cu --budget "$budget")
report=$out/memory.md
failed=0
{
    echo "# Memory of the coordinator"
    echo
    about
    echo
    show "${command[@]}" --strategy STRATEGY --cache NEW
    echo
    echo "| strategy | candidates | trials in the journal before | after | run | peak |"
    echo "|---|---:|---:|---:|---|---:|"
} >"$report"
for strategy in race exhaustive; do
    peak $strategy "${command[@]}" --strategy $strategy --cache "$work/cache-$strategy"
    row $strategy cache-$strategy 0 >>"$report"
done
# Again, with the longer journal: a record would answer, so the journal alone is kept.
rm -f "$work"/cache-race/*.ini
before=$(trials cache-race)
peak race "${command[@]}" --strategy race --cache "$work/cache-race"
row race cache-race "$before" >>"$report"
cat "$report"
[ $failed -eq 0 ]

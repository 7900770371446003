#!/bin/sh
# Proves every variant of every operation, type and architecture on the host device, spread over
# the processors, and sums it all up in soak.log beside the program.
# Usage: tests/soak.sh PROGRAM [JOBS [K/S]]   K/S: only share K of S, for runs that must be short;
# each share's line is added to soak.log, which starts anew with share 1.
set -u
program=${1:?usage: tests/soak.sh PROGRAM [JOBS [K/S]]}
jobs=${2:-$(nproc)}
share=${3:-1/1}
k=${share%/*} shares=${share#*/}
folder=$(dirname "$program") summary=$(dirname "$program")/soak.log
logs=$folder/soak-parts
rm -rf "$logs"
mkdir -p "$logs" || exit 1

machine() {
    echo "$(nproc) x $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)"
}

# Part I of all shares' parts; its status is kept beside its log.
prove() {
    failed=0
    for space in reduce axes arg ordered ordered-rows ordered-columns rows columns middle strided scan scan-rows; do
        "$program" verify --device host --space "$space" --all --part "$1/$2" --quiet ||
            failed=$?
    done > "$logs/$1" 2>&1 < /dev/null
    echo "$failed" > "$logs/$1.status"
}

start=$(date +%s)
for job in $(seq "$jobs"); do
    prove $(((k - 1) * jobs + job)) $((shares * jobs)) &
done
trap 'kill $(jobs -p) 2> /dev/null; exit 130' INT TERM
wait
seconds=$(($(date +%s) - start))

row() { printf '%-8s %10s %8s %12s %10s %8s  %s\n' "$@"; }
if [ "$k" = 1 ]; then
    "$program" version > "$summary"
    row share variants wrong cases kernels seconds machine >> "$summary"
fi
# shellcheck disable=SC2046
row "$share" $(cat "$logs"/*[0-9] | awk '
    /^proven / { right += $2; wrong += $5; cases += $7; kernels += $10 }
    END { print right + wrong, wrong + 0, cases + 0, kernels + 0 }') \
    "$seconds" "$jobs jobs on $(machine)" >> "$summary"
cat "$logs"/*[0-9] | grep '^skipped ' | sort -u >> "$summary"
failures=$(cat "$logs"/*.status | grep -cv '^0$')
if [ "$failures" -ne 0 ]; then
    grep -h -A 1 '^wrong \|^autotune: ' "$logs"/*[0-9] | head -n 40 >> "$summary"
    echo "$failures of $jobs parts failed: $logs" >> "$summary"
fi
cat "$summary"
[ "$failures" -eq 0 ]

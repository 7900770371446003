#!/bin/bash
# Proves every record of a folder again, its config at its own size and the small ones, as a tuning did before
# it timed: after the proofs have become stronger, before the records ship. Several at once, as many as the
# GPU's memory holds. Prints what is not right, and how many are. Exit status 1: one is not.
# Usage: bench/records/prove.sh STATE   (from the repository's root, after `make`)
#   GIGABYTES (60), of the GPU's memory; JOBS (one a core); AUTOTUNE, DEVICE: bench/tuning/about.sh
set -euo pipefail
state=${1:?usage: prove.sh STATE}
# shellcheck source=bench/tuning/about.sh
. bench/tuning/about.sh
export autotune device work
mkdir "$work/none" # of records: the config is given

# prove BYTES OPTION...: one line, and what was said where it is not right.
prove()
{
    shift
    if "$autotune" verify --device "$device" --cache "$work/none" --quiet "$@" >"$work/$$" 2>&1 &&
        grep -q '^right ' "$work/$$"; then
        echo "right $*"
    else
        echo "WRONG $*"
        sed 's/^/    /' "$work/$$"
    fi
}
export -f prove

python3 "$(dirname "$0")/records.py" proofs "$autotune" "$state" >"$work/list"

# prove_up_to BYTES: those that are left of the list with fewer, as many at once as have room beside their
# input for what is around it.
prove_up_to()
{
    awk -v most="$1" '$1 < most' "$work/list" >"$work/now"
    awk -v most="$1" '$1 >= most' "$work/list" >"$work/later"
    mv "$work/later" "$work/list"
    xargs -r -P "$(awk -v jobs="${JOBS:-$(nproc)}" -v most="$1" -v all="${GIGABYTES:-60}" 'BEGIN {
        room = int(all * 1e9 / (1.2 * most))
        print room < 1 ? 1 : room < jobs ? room : jobs }')" -L 1 bash -c 'prove "$@"' prove <"$work/now"
}

total=$(wc -l <"$work/list")
for most in 1e9 5e9 4e10 1e20; do
    prove_up_to $most >>"$work/proven"
done
grep -v '^right ' "$work/proven" || true
echo "proven: $(grep -c '^right ' "$work/proven" || true) of $total records"
[ "$(grep -c '^right ' "$work/proven")" -eq "$total" ]

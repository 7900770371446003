#!/bin/bash
# Makes the records that ship, in slices: tunes what is left of the plan of records.py for about
# MINUTES, then writes configs/tuned from all that is known. The state is one file of records,
# STATE/nvidia-h200.ini on an H200 (and members/, what was tried of the classes' other members): the
# same command goes on from it, on another machine too. A record whose kernels have changed since is
# made again, and no other. Which shipped configs that would be, `tests/run build test_find` says.
# What each tuning said is added to notes there, and its trials are in journal/, which may be removed.
# Usage: bench/records/run.sh MINUTES STATE   (from the repository's root, after `make`)
#   MEMBERS=1: the members of each class at three sizes instead, after a build with what ships
#   BUDGET (8s; matrices of many results take seconds to make), of one search; OUT (configs/tuned); AUTOTUNE, DEVICE: bench/tuning/about.sh
set -euo pipefail
minutes=${1:?usage: run.sh MINUTES STATE} state=${2:?usage: run.sh MINUTES STATE}
# shellcheck source=bench/tuning/about.sh
. bench/tuning/about.sh
here=$(dirname "$0")

what=todo cache=$state
[ -z "${MEMBERS:-}" ] || { what=members cache=$state/members; }
mkdir -p "$cache"
python3 "$here/records.py" $what "$autotune" "$state" >"$work/list"
echo "records: $(wc -l <"$work/list") left"

# An interruption keeps what is done, and the trials of what is not.
if [ -s "$work/list" ]; then
    timeout -s INT "$(awk -v m="$minutes" 'BEGIN { print 60 * m }')" \
        "$autotune" --problems "$work/list" --device "$device" --cache "$cache" \
        --budget "${BUDGET:-8s}" 2>>"$cache/notes" || [ $? -eq 124 ] || [ $? -eq 130 ] ||
        echo "records: not all could be tuned" >&2
fi
if [ "$what" = todo ]; then
    files=("$state"/*.ini)
    [ ! -e "${files[0]}" ] ||
        "$autotune" merge --compact "${OUT:-configs/tuned}" --quiet "${files[@]}" >"$work/shipped"
fi
echo "records: $(python3 "$here/records.py" $what "$autotune" "$state" | wc -l) left"

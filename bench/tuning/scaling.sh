#!/bin/bash
# Measures how the time grows with the space, and shrinks with more GPUs: one space that takes a minute
# or more on one GPU, on the first, on two, on all of this machine, each from a fresh cache; and the
# usual command on half the default space, the default space, and one of about twice as many
# candidates. Writes OUT/scaling.md.
# Usage: bench/tuning/scaling.sh OUT     (from the repository's root)
#   SPACE (minute.ini: 1,906 variants), N (4G, which takes one GPU a minute) and OPTIONS
#   ("--strategy random") of the runs on several GPUs; SIZES_N (400M) of those of other spaces;
#   STEPS, of "gpus sizes", where one call may not take that long; DEVICES, the lists to try, as
#   "0 0,1 all"; AUTOTUNE, DEVICE: about.sh
set -euo pipefail
out=${1:?usage: scaling.sh OUT}
# shellcheck source=bench/tuning/about.sh
. bench/tuning/about.sh

size=${N:-4G} sizes_n=${SIZES_N:-400M}
read -ra options <<<"${OPTIONS:---strategy random}"
steps=${STEPS:-gpus sizes}
mkdir -p "$out"
report=$out/scaling.md

space=${SPACE:-bench/tuning/minute.ini}

# One GPU, powers of two, all there are.
lists()
{
    local gpus list=0 count
    gpus=$(nvidia-smi -L | grep -c '^GPU ')
    echo 0
    for ((count = 2; count < gpus; count *= 2)); do
        list=$(seq -s , 0 $((count - 1)))
        echo "$list"
    done
    [ "$gpus" -lt 2 ] || echo all
}

devices_in()
{
    if [ "$1" = all ]; then
        nvidia-smi -L | grep -c '^GPU '
    else
        tr -cd , <<<"$1," | wc -c
    fi
}

# row NAME SECONDS CANDIDATES MEASURED TIMES: a row of a table.
row()
{
    printf '| %s | %s | %s | %s | %s |\n' "$@"
}

over()
{
    awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'
}

# run NAME COMMAND...: runs with a fresh cache; NAME.s and NAME.json in $work.
run()
{
    local name=$1
    shift
    timed "$work/$name.s" "$@" --retune --cache "$work/cache-$name" --json "$work/$name.json"
    echo "$name: $(<"$work/$name.s") s, $(field "$work/$name.json" measured) measured" >&2
}

scale_gpus()
{
    local list first=
    echo "## More GPUs"
    echo
    show "CUDA_CACHE_DISABLE=1" "$autotune" --device LIST --n "$size" --space "$space" \
        "${options[@]}" --retune --cache NEW
    echo
    echo "| --device | seconds | measured | winner us | speed-up |"
    echo "|---|---:|---:|---:|---:|"
    for list in ${DEVICES:-$(lists)}; do
        run "gpus-$list" "$autotune" --device "$list" --n "$size" --space "$space" \
            --template templates/reduce.cu "${options[@]}"
        first=${first:-$(<"$work/gpus-$list.s")}
        row "$list ($(devices_in "$list"))" "$(<"$work/gpus-$list.s")" \
            "$(field "$work/gpus-$list.json" measured)" \
            "$(awk -v ps="$(field "$work/gpus-$list.json" median_ps)" 'BEGIN { printf "%.2f", ps / 1e6 }')" \
            "$(over "$first" "$(<"$work/gpus-$list.s")")"
    done
    echo
    echo "Seconds are from the process's start to its end; the race of the finalists, on the first" \
        "device alone, and the opening of devices are in them."
    echo
}

# Every other number of blocks per SM.
half_space()
{
    sed -E '/^\[param GRID\]$/,/^when/ s/^values = .*/values = 0 2 4 6 12/' configs/reduce.ini
}

# The grid in steps of half a block per SM: all that was, and about as much between.
double_space()
{
    sed -E 's/^\[param GRID\]$/[param HALVES]/
        /^\[param HALVES\]$/,/^when/ s/^values = .*/values = 0 1 2 3 4 5 6 7 8 9 10 11 12 14 16 20 24 32/
        s/^meaning = blocks per SM, 0.*/meaning = half the blocks per SM, 0 = one tile per block/
        s/^WANTED = GRID == 0 (.*) GRID \* SMS\)$/GRID = ceil_div(HALVES, 2)\nWANTED = HALVES == 0 \1 HALVES * SMS \/ 2)/
        s/TILES > GRID \* SMS/TILES > HALVES * SMS \/ 2/
        /^\[default\]$/,$ s/^GRID = 4$/HALVES = 8/' configs/reduce.ini
}

scale_sizes()
{
    local name first='' count first_count=
    half_space >"$work/half.ini"
    cp configs/reduce.ini "$work/default.ini"
    double_space >"$work/double.ini"
    echo "## A larger space"
    echo
    show "CUDA_CACHE_DISABLE=1" "$autotune" --device "$device" --n "$sizes_n" --space NEW/FILE \
        "${SIZES_OPTIONS:-}" --retune --cache NEW
    echo
    echo "| space | seconds | candidates | seconds, x half | candidates, x half |"
    echo "|---|---:|---:|---:|---:|"
    for name in half default double; do
        # shellcheck disable=SC2086 # several words
        run "sizes-$name" "$autotune" --device "$device" --n "$sizes_n" --space "$work/$name.ini" \
            --template templates/reduce.cu ${SIZES_OPTIONS:-}
        count=$(sed -n 's/^to try *\([0-9]*\) candidates.*/\1/p' "$work/sizes-$name.s.log")
        first=${first:-$(<"$work/sizes-$name.s")} first_count=${first_count:-$count}
        row "$name" "$(<"$work/sizes-$name.s")" "$count" "$(over "$(<"$work/sizes-$name.s")" "$first")" \
            "$(over "$count" "$first_count")"
    done
    echo
    echo "half: every other number of blocks per SM; double: in steps of half a block per SM."
}

{
    echo "# Scaling"
    echo
    about
    echo
} >"$report"
for step in $steps; do
    case $step in
    gpus) scale_gpus >>"$report" ;;
    sizes) scale_sizes >>"$report" ;;
    *) echo "scaling.sh: no step '$step': gpus, sizes" >&2; exit 64 ;;
    esac
done
cat "$report"

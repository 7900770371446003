#!/bin/bash
# Measures what is in bench/results again, step by step. Each step writes its files to OUT as it ends,
# named as there; a step that fails, or skips a part, is reported, and the next one runs. Prints the time
# of each; exit status 1 when one failed.
# OUT/done has the steps that ended well, with nothing skipped: the same command goes on behind them, also
# on another machine to which OUT was copied. A step that was cut short or failed leaves no files.
# Usage: bench/all.sh OUT [STEP...]   (from the repository's root, after `make tests bench`)
#   LIST=1 prints the steps, with the seconds they take on an H200; without a STEP all are taken.
#   MINUTES: begin no step that may end later, but for the first; exit status 75 when some are left
#   BUILD (build); NAME, of the GPU in file names; AUTOTUNE, DEVICE: tuning/about.sh; what a step's own
#   script can be told: there
# shellcheck disable=SC2317 # steps are called by their names
set -euo pipefail

# Step, seconds, what for.
steps=(
    "tuned         12  the usual command, at 400M"
    "kernel_tuner 195  the same space tuned by Kernel Tuner (needs it, see kernel_tuner/README.md)"
    "seeds_400M    62  20 seeds of the usual command"
    "seeds_64K     55  the same at 64K"
    "sizes          8  half the space and twice it"
    "gpus         130  one GPU and two"
    "ties         185  the same kernel twice, and one 3 % faster"
    "faults        18  kernels with faults; Ctrl-C and kill -9"
    "cover        110  the covering samples of all spaces"
    "large         30  matrices of gigabytes"
    "sanitize      33  compute-sanitizer on a sample"
    "library       60  the library, the occupancy of every variant, the examples"
    "profile       76  Nsight Compute on rungs"
    "ladder        12  the ladder at 400M"
    "grid          25  threads by elements a thread, and CS599's sizes of block"
    "cub          480  every table beside CUB"
    "bits          60  order n: the same bits by many variants, starts and parts, and by exports"
    "host_data    300  data on the host: rates, streams, a file larger than memory (8 GiB of disk)"
    "shipped      240  what people get who never tune, beside tuned winners, CUB and torch.sum"
    "embed        125  a sweep; the library and exports beside CUB"
    "evidence       8  an exhaustive search, for compare --evidence"
    "rows         490  rows and columns beside CUB and torch.sum"
    "segmented      5  rows of 128 beside DeviceSegmentedReduce of the toolkit's CUB"
    "rows_ladder   12  the batched kernels of the ladder, in their document's sizes"
    "shapes        60  a sweep of rows and lengths"
)
if [ -n "${LIST:-}" ]; then
    printf '%s\n' "${steps[@]}"
    exit
fi
out=${1:?usage: all.sh OUT [STEP...]}
shift
# shellcheck source=bench/tuning/about.sh
. bench/tuning/about.sh
build=${BUILD:-build}
[ $# -gt 0 ] || set -- "${steps[@]%% *}"

# transcript FILE COMMAND...: adds the command and what it prints, as a person would see both, without
# this run's own folders. What it skipped was not measured, which its status does not say.
transcript()
{
    local file=$out/$NAME-$1
    shift
    [ -s "$file" ] || echo "$(about) As printed." >"$file"
    printf '\n$ %s\n' "$*" | as_shown >>"$file"
    "$@" 2>&1 | tee "$work/printed" | as_shown >>"$file" || said=FAILED
    if [ "$said" = ok ] && grep '^skip ' "$work/printed" >&2; then said=skips; fi
}

as_shown()
{
    sed -u "s|$autotune|autotune|g; s|$work|NEW|g; s|$out|OUT|g; s|$all|OUT|g"
}

# named SCRIPT...: runs it with a folder of its own; what it wrote there goes to OUT, named by the GPU.
named()
{
    local made=$work/made file
    mkdir -p "$made"
    "$1" "$made" "${@:2}" >"$work/log" 2>&1 || { said=FAILED; tail -n 20 "$work/log" >&2; }
    for file in "$made"/*.md "$made"/*.csv; do
        [ ! -e "$file" ] || mv "$file" "$out/$NAME-$(basename "$file" | sed "s/^$NAME-//")"
    done
    rm -rf "$made"
}

# scales STEP: of scaling.sh, whose report is this step's own.
scales()
{
    STEPS=$1 named bench/tuning/scaling.sh
    mv "$out/$NAME-scaling.md" "$out/$NAME-scaling-$1.md"
}

take_tuned()
{
    local problem
    for problem in "sum i32" "sum f32" "sum f64" "max i32"; do
        transcript "${problem/ /-}-400M.txt" "$autotune" --device "$device" --op "${problem% *}" \
            --type "${problem#* }" --n 400M --retune --cache "$work/tuned"
    done
    cp "$work/tuned/"*.ini "$out/tuned.ini"
}

take_kernel_tuner() { named bench/kernel_tuner/run.sh; }
take_seeds_400M() { named bench/tuning/seeds.sh 400M; }
take_seeds_64K() { named bench/tuning/seeds.sh 64K; }
take_sizes() { scales sizes; }
take_gpus() { scales gpus; }
take_ties() { transcript ties.txt "$build/device/test_ties" "$device" 100; }
take_faults() { transcript faults.txt tests/gpu.sh "$build" faults interrupt; }
take_large() { transcript large.txt tests/gpu.sh "$build" large; }
take_sanitize() { transcript sanitize.txt tests/gpu.sh "$build" sanitize; }
take_library() { transcript library.txt tests/gpu.sh "$build" device library occupancy examples; }
take_profile() { transcript profile.txt tests/gpu.sh "$build" profile; }
take_cub() { named bench/cub/run.sh; }
take_bits() { transcript order-bits.txt tests/gpu/bits.sh "$build" "$work/bits"; }
take_host_data() { transcript host-data.txt tests/gpu.sh "$build" host_data; }
take_shipped() { named bench/shipped/run.sh; }
take_embed() { RECORDS=$all/records LIBRARY=$build/libautotune.a named bench/embed/run.sh; }
take_rows() { RECORDS=$all/rows named bench/rows/run.sh; }

take_cover()
{
    local space
    for space in $("$autotune" list spaces | awk 'NR > 1 { print $1 }'); do
        transcript verify.txt "$autotune" verify --device "$device" --cover --space "$space" --limit 5m --quiet
    done
}

take_ladder()
{
    local type
    for type in i32 f32; do
        transcript ladder.txt "$autotune" ladder --device "$device" --n 400M --type "$type" \
            --csv "$out/$NAME-ladder-$type.csv"
    done
}

take_grid()
{
    transcript ladder-grid.txt "$autotune" ladder --device "$device" --n 400M --type f32 --grid
    transcript ladder-grid.txt "$autotune" ladder --device "$device" --n 1Gi --type f32 --rung cs599 \
        --blocks 32..1024
}

take_rows_ladder()
{
    local len
    for len in 128 256 512 1024; do
        transcript ladder-rows.txt "$autotune" ladder --device "$device" --rows $((536870912 / len)) \
            --len "$len" --blocks "$len" --type f32
    done
}

take_evidence()
{
    "$autotune" --device "$device" --n 400M --type f32 --strategy exhaustive --retune --quiet \
        --cache "$all/records/autotune" >"$work/log" 2>&1
}

take_segmented()
{
    transcript rows-segmented.txt "$autotune" bench --device "$device" --rows 2097152 --len 128 \
        --type f32 --against "$build/cub-toolkit.so" --cache "$all/rows"
}

take_shapes()
{
    transcript rows-sweep.txt "$autotune" --device "$device" --rows 10K..40K --len 128..256 --type f32 \
        --cache "$work/shapes"
}

for step; do
    if ! declare -F "take_$step" >/dev/null; then
        echo "all.sh: no step '$step': LIST=1 shows them" >&2
        exit 64
    fi
done
# has_room STEP: may it end within MINUTES?
has_room()
{
    local seconds
    [ -n "${MINUTES:-}" ] && [ $taken -gt 0 ] || return 0
    seconds=$(printf '%s\n' "${steps[@]}" | awk -v step="$1" '$1 == step { print $2 }')
    awk -v used="$SECONDS" -v more="$seconds" -v minutes="$MINUTES" \
        'BEGIN { exit !(used + more <= 60 * minutes) }'
}

# take STEP: its files go to the others as it ends.
take()
{
    local began=$EPOCHREALTIME
    rm -rf "$out"
    mkdir -p "$out"
    said=ok
    "take_$1" || said=FAILED
    if [ $said = FAILED ]; then
        failed=1
    else
        find "$out" -mindepth 1 -maxdepth 1 -exec mv -t "$all" {} +
        [ $said != ok ] || echo "$1" >>"$all/done"
    fi
    awk -v step="$1" -v said=$said -v from="$began" -v to="$EPOCHREALTIME" \
        'BEGIN { printf "%-6s  %-12s %7.1f s\n", said, step, to - from }'
}

NAME=${NAME:-$(gpu_name)}
export NAME
mkdir -p "$out/records"
all=$(cd "$out" && pwd)
out=$all/going
failed=0 taken=0 left=0
for step; do
    if [ -f "$all/done" ] && grep -qx "$step" "$all/done"; then
        echo "done    $step"
    elif has_room "$step"; then
        take "$step"
        taken=$((taken + 1))
    else
        left=$((left + 1))
    fi
done
rm -rf "$out"
[ $left -eq 0 ] || { echo "$left steps left: the same command goes on"; [ $failed -ne 0 ] || exit 75; }
exit $failed

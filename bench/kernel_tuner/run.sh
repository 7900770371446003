#!/bin/bash
# Tunes the same 2,376 reductions with autotune, then with Kernel Tuner, one after the other on
# GPU 0, and writes OUT/kernel-tuner.md. Nothing comes from a cache: autotune keeps its records
# in a new folder, and CUDA_CACHE_DISABLE turns off the caches of NVRTC and of the driver.
# Usage: bench/kernel_tuner/run.sh OUT    (from the repository; AUTOTUNE and PYTHON name others)
set -euo pipefail

out=${1:?usage: run.sh OUT, the folder for kernel-tuner.md}
here=bench/kernel_tuner
autotune=${AUTOTUNE:-build/autotune}
python=${PYTHON:-python3}
size=${SIZE:-400M}
if [ ! -f $here/reduce_first.ini ]; then
    echo "run.sh: run it from the repository's root" >&2
    exit 64
fi

mkdir -p "$out"
report=$out/kernel-tuner.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CUDA_CACHE_DISABLE=1 CUDA_CACHE_PATH="$work/cuda" PYTHONDONTWRITEBYTECODE=1

ours=("$autotune" --device 0 --n "$size" --type f32 --space "$here/reduce_first.ini"
      --template "$here/reduce_first.cu" --strategy exhaustive --retune --cache "$work/records")
theirs=("$python" "$here/run_kernel_tuner.py" --n "$(numfmt --from=si "$size")"
        --log "$out/kernel-tuner.log")

# Runs the rest of its arguments; the figure file gets the seconds from its start to its end.
timed()
{
    local figure=$1 began=$EPOCHREALTIME
    shift
    "$@" || return
    awk -v from="$began" -v to="$EPOCHREALTIME" \
        'BEGIN { printf "%.1f\n", to - from }' >"$figure"
}

# Prints a command as a person would type it, without this run's own folders.
show()
{
    local line=$*
    line=${line//$work/NEW}
    echo "    ${line//$out/OUT}"
}

"$python" "$here/run_kernel_tuner.py" --check >&2 # all that Kernel Tuner needs but the GPU
timed "$work/ours.s" "${ours[@]}" >"$work/ours.txt" 2>"$work/ours.err" ||
    { cat "$work/ours.err" "$work/ours.txt" >&2; exit 1; }
timed "$work/theirs.s" "${theirs[@]}" >"$work/theirs.md"

gpu=$(nvidia-smi --id=0 --query-gpu=name,driver_version --format=csv,noheader)
winner=$(sed -n '/^winner /,$p' "$work/ours.txt")
{
    echo "# autotune and Kernel Tuner on one space"
    echo
    echo "$(date -u +%Y-%m-%d), ${gpu%%,*}, driver ${gpu##*, }, $(nproc) cores." \
         "Sum of $size f32, first pass."
    echo
    echo "| | autotune | Kernel Tuner |"
    echo "|---|---|---|"
    echo "| process, start to end | $(<"$work/ours.s") s | $(<"$work/theirs.s") s |"
    took=$(cat "$work/ours.err" "$work/ours.txt" | sed -n 's/^took *\([0-9.]* s\).*/\1/p')
    echo "| tuning, by its own clock | $took |" \
         "$(sed -n 's/^| seconds in all | \([0-9.]*\).*/\1 s/p' "$work/theirs.md") |"
    echo "| best | $(grep -m1 -oE '[0-9.]+ us' <<<"$winner") |" \
         "$(sed -n 's/^| best | \([0-9.]* us\).*/\1/p' "$work/theirs.md") |"
    echo
    echo "## autotune"
    echo
    show "CUDA_CACHE_DISABLE=1" "${ours[@]}"
    echo
    sed "s|$work|NEW|g; s/^/    /" "$work/ours.err" "$work/ours.txt"
    echo
    echo "## Kernel Tuner"
    echo
    show "CUDA_CACHE_DISABLE=1" "${theirs[@]}"
    echo
    echo "| | |"
    echo "|---|---|"
    cat "$work/theirs.md"
} >"$report"
cat "$report"

#!/bin/bash
# flags: a step of tests/gpu.sh, read by it. Exports built with and without nvcc's -use_fast_math and
# -ftz=true keep denormals, zeros' signs, infinities and NaNs, and give the same bits.
# Run by itself it builds the programs alone, for a machine without nvcc, where FLAGS_BUILT=OUT has the
# step take them: tests/gpu/flags.sh BUILD OUT [ARCH]   (sm_90)
# shellcheck shell=bash disable=SC2016,SC2154 # for the inner shell; what gpu.sh sets

flags_names=(plain -use_fast_math -ftz=true -fmad=false)

# flags_export PROGRAM OUT: the exports of tests/device/exported_flags.cu, of what ships.
flags_export()
{
    local problem
    for problem in "--op sum --type f32" "--op sum --type bf16" "--op sumsq --type f32" "--op prod --type f32" \
        "--op min --type f32" "--op max --type f32" "--op argmin --type f32" "--op argmax --type f32" \
        "--op argmax --type bf16" "--space rows --type f32" "--scan inclusive --type f32"; do
        # shellcheck disable=SC2086 # several words
        "$1" export --format cu $problem --output "$2" --quiet || return
    done
}

# flags_build NVCC OUT ARCH FLAG: the program OUT/FLAG.
flags_build()
{
    local built=$2/$4.o file flag=()
    [ "$4" = plain ] || flag=("$4")
    mkdir -p "$built" || return
    for file in "$2"/*.cu tests/device/exported_flags.cu; do
        "$1" -std=c++17 "-arch=$3" "${flag[@]}" -I "$2" -c -o "$built/$(basename "$file" .cu).o" "$file" ||
            return
    done
    "$1" -cudart static "-arch=$3" -o "$2/$4" "$built"/*.o
}

# flags_same OUT FLAG: its lines are those of the build without flags.
flags_same()
{
    diff "$1/plain.txt" "$1/$2.txt"
}

step_flags()
{
    local nvcc name made=${FLAGS_BUILT:-$scratch/flags}
    nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc) || true
    if [ "$device" = host ] || { [ -z "$nvcc" ] && [ -z "${FLAGS_BUILT:-}" ]; }; then
        echo "skip    flags: they need a GPU, and nvcc of the CUDA Toolkit or FLAGS_BUILT (tests/gpu/flags.sh)"
        return
    fi
    mkdir -p "$scratch/flags-said"
    if [ -z "${FLAGS_BUILT:-}" ]; then
        check flags-exported env XDG_CACHE_HOME="$scratch/flags-cache" bash -c \
            '. tests/gpu/flags.sh && flags_export "$@"' flags "$program" "$made"
    fi
    for name in "${flags_names[@]}"; do
        [ -n "${FLAGS_BUILT:-}" ] || check "flags-build $name" flags_build "$nvcc" "$made" native "$name"
        check "flags $name" timeout -k 10 120 bash -c '"$1" >"$2" || { grep WRONG "$2"; false; }' flags \
            "$made/$name" "$scratch/flags-said/$name.txt"
        check "flags-same-bits $name" flags_same "$scratch/flags-said" "$name"
    done
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    set -euo pipefail
    build=${1:?usage: tests/gpu/flags.sh BUILD OUT [ARCH]} out=${2:?usage: tests/gpu/flags.sh BUILD OUT [ARCH]}
    cd "$(dirname "$0")/../.."
    nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc)
    mkdir -p "$out"
    flags_export "$build/autotune" "$out"
    for name in "${flags_names[@]}"; do
        flags_build "$nvcc" "$out" "${3:-sm_90}" "$name"
    done
fi

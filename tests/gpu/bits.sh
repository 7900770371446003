#!/bin/bash
# Proves that order n gives the same bits everywhere. Each step writes tables to OUT, with a line for each
# problem and size; the last compares them: equal lines have equal bits.
#   exports   exports of records made for $N_RECORD elements (1Mi) in $BUDGET each (20s, side by side), of the GPU $GPU
#             (H200), built by nvcc as machine code and as PTX, which the driver compiles
#   host      variants of the covering sample on the emulator, up to 4097 elements
#   values    on the device: variants, starts 0 to 15, sizes to 2^24 + 1, three unequal parts
#   rows, columns   on the device: results alone, among 1, 7 and 512 others, with a pitch
#   run       the exports
#   compare   all lines
# Usage: tests/gpu/bits.sh BUILD OUT [STEP]...   (DEVICE=host tries it where there is no GPU;
#   DEVICE="0 1" proves on both, and the exports on the first)
#   VARIANTS (8), STARTS (16) of values, N (16777217) its most
set -euo pipefail
build=${1:?usage: bits.sh BUILD OUT [STEP]...} out=${2:?usage: bits.sh BUILD OUT [STEP]...}
shift 2
cd "$(dirname "$0")/../.."
mkdir -p "$out"
device=${DEVICE:-0}
program=$build/device/test_same_bits
[ $# -gt 0 ] || set -- exports host values rows columns run compare

archs=(sm_90 compute_90)

# build KIND OP TYPE: an export, and the objects of it and of what proves it, for each architecture.
build()
{
    local name=${2}_${3}_order1 arch
    "$build/autotune" tune --device "${device%% *}" --order n --op "$2" --type "$3" \
        --n "${N_RECORD:-1Mi}" --budget "${BUDGET:-20s}" --quiet >/dev/null
    "$build/autotune" export --order n --op "$2" --type "$3" --gpu "${GPU:-H200}" --format cu \
        --output "$out/exports" --quiet >/dev/null
    for arch in "${archs[@]}"; do
        set -- "$1" -std=c++17 -O2 -gencode "arch=${arch/sm/compute},code=$arch" -I. -c
        nvcc "${@:2}" "$out/exports/$name.cu" -o "$out/exports/$name-$arch.o"
        nvcc "${@:2}" "-DKIND=$1" "-DEXPORT=$name" "-Dmain=prove_$1" -include "$out/exports/$name.h" \
            tests/device/exported_bits.cu -o "$out/exports/proof-$1-$arch.o"
    done
}

# The exports of each architecture in one program, in the order of same_bits.h.
step_exports()
{
    local kind=0 op type arch
    export XDG_CACHE_HOME=${RECORDS:-$out/records}
    mkdir -p "$out/exports"
    for op in sum sumsq prod; do
        for type in f16 bf16 f32 f64; do
            build "$kind" "$op" "$type" &
            kind=$((kind + 1))
        done
    done
    wait
    {
        for ((k = 0; k < kind; k++)); do echo "int prove_$k();"; done
        echo "int main() { return 0"
        for ((k = 0; k < kind; k++)); do echo "+ prove_$k()"; done
        echo "; }"
    } >"$out/exports/main.cpp"
    for arch in "${archs[@]}"; do
        nvcc -cudart static "$out/exports/main.cpp" "$out/exports/"*"-$arch.o" -o "$out/exported-$arch"
    done
}

step_host()
{
    "$program" -n 4097 -c 4 -s "${STARTS:-16}" host ordered >"$out/host.txt"
}

# table NAME SPACE OPTION...: the lines of all problems, made side by side.
table()
{
    local name=$1 space=$2 gpu op type failed=0 jobs=()
    shift 2
    for gpu in $device; do
        for op in sum sumsq prod; do
            for type in f16 bf16 f32 f64; do
                "$program" "$@" -k "$op-$type" "$gpu" "$space" >"$out/$name-$op-$type-$gpu.txt" &
                jobs+=($!)
            done
        done
    done
    for job in "${jobs[@]}"; do
        wait "$job" || failed=1
    done
    return "$failed"
}

step_values()
{
    table values ordered -n "${N:-16777217}" -c "${VARIANTS:-8}" -s "${STARTS:-16}"
}

step_rows()
{
    table rows ordered-rows -c "${VARIANTS:-4}" -s 2
}

step_columns()
{
    table columns ordered-columns -c "${VARIANTS:-4}" -s 2
}

step_run()
{
    for arch in "${archs[@]}"; do
        "$out/exported-$arch" >"$out/exported-$arch.txt"
    done
}

step_compare()
{
    cat "$out"/*.txt | awk '
    { key = $1 " " $2 " " $3; for (i = 4; i < NF; i++) key = key " " $i }
    key in bits && bits[key] != $NF { print "DIFFERS: " $0 " and " bits[key]; wrong++ }
    { bits[key] = $NF; lines++ }
    END {
        for (key in bits) count++
        print count " lines of the table, " lines " in all, " wrong + 0 " with other bits"
        exit wrong > 0 || !count
    }'
}

for step; do
    "step_$step"
done

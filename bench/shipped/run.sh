#!/bin/bash
# Judges what people get who never tune. Steps: "cub" times what ships, from no records but those, beside CUB by
# turns; "tuned" tunes each n, which races the winner, what ships and the space's default by turns; "shapes" the
# same of matrices; "torch" times torch.sum of these in a process of its own. "between", for the GPU that the records
# were made on, races at n between their sizes the one that serves with its neighbours' and the default (between.py).
# Writes OUT/shipped-OP-TYPE-cub.csv, OUT/shipped-tuned.csv, OUT/shipped-shapes.csv and OUT/shipped-slow.csv, of shapes
# whose search takes long, and OUT/shipped-torch.csv; summary.py of this folder reads them. "between" writes
# OUT/between/between.csv and a file a race, and the same command goes on with races that have none. What ends it early
# leaves the rows so far.
# Usage: bench/shipped/run.sh OUT [STEP...]   (from the repository's root, after `make` and `make bench`)
#   AGAINST (build/cub-toolkit.so); ROUNDS (101); BUDGET (2s), of the search of one shape, SLOW_BUDGET
#   (20s), of one of SLOW; NS, SHAPES, SLOW (ROWSxLENxAXIS), TYPES, to take others; of "between" TUNED, a folder of
#   configs/tuned (the GPU's), NAMES, of its files (all), SEED (5), HIGH (4294967296), the most n, MINUTES (60), after
#   which no race begins; AUTOTUNE, DEVICE: bench/tuning/about.sh
set -euo pipefail
out=${1:?usage: run.sh OUT [STEP...]}
shift
# shellcheck source=bench/tuning/about.sh
. bench/tuning/about.sh
[ $# -gt 0 ] || set -- cub tuned shapes torch
mkdir -p "$out" "$work/nothing"

powers=$(seq 10 24 | awk '{ printf "%d ", 2 ^ $1 }')
ns=${NS:-$powers 1000 10007 123457 1000003 7654321}
others="--op=max --type=i32 --op=sumsq --type=f64 --op=sum --type=bf16 --op=argmin --type=f32"
few="4096 65536 1048576 16777216 268435456"
usual="2097152x128 262144x1024 16384x16384 100x2684354 8192x8192 1000x100 64x4096
    333333x777 31x8000001 50000x513 700x11"
shapes=${SHAPES:-$usual}
slow=${SLOW-$([ "${SHAPES:-}" ] || echo "16777216x16 4096x65536 123456x9")} # very many results
types=${TYPES:-f32 bf16}
quiet=(--device "$device" --quiet)

# bench_cub OP TYPE N...: what ships beside CUB.
bench_cub()
{
    local op=$1 type=$2 list
    shift 2
    list=$(echo "$@" | tr ' ' ,)
    "$autotune" bench "${quiet[@]}" --cache "$work/nothing" --op "$op" --type "$type" --n "$list" \
        --against "${AGAINST:-build/cub-toolkit.so}" --rounds "${ROUNDS:-101}" \
        --csv "$out/shipped-$op-$type-cub.csv" >/dev/null || echo "failed: $op $type beside CUB" >&2
}

take_cub()
{
    # shellcheck disable=SC2086 # lists of numbers
    { bench_cub sum i32 $ns; bench_cub sum f32 $ns; bench_cub max i32 $few; bench_cub sum bf16 $few; }
}

take_tuned()
{
    local type n
    for type in i32 f32; do
        for n in $ns; do echo "--op sum --type $type --n $n"; done
    done >"$work/list"
    # shellcheck disable=SC2086
    set -- $others
    for ((; $#; )); do
        for n in $few; do echo "${1/=/ } ${2/=/ } --n $n"; done
        shift 2
    done >>"$work/list"
    "$autotune" --problems "$work/list" "${quiet[@]}" --cache "$work/own" --csv "$out/shipped-tuned.csv" || true
}

# tune_shapes TABLE BUDGET SHAPE...
tune_shapes()
{
    local table=$1 budget=$2 type shape rows len axis
    shift 2
    [ $# -gt 0 ] || return 0
    for type in $types; do
        for shape; do
            IFS=x read -r rows len axis <<<"$shape"
            for axis in ${axis:-1 0}; do
                echo "--op sum --type $type --rows $rows --len $len --axis $axis"
            done
        done
    done >"$work/list"
    "$autotune" --problems "$work/list" "${quiet[@]}" --cache "$work/own" --budget "$budget" \
        --csv "$out/$table" || true
}

take_shapes()
{
    # shellcheck disable=SC2086 # lists of shapes
    { tune_shapes shipped-shapes.csv "${BUDGET:-2s}" $shapes; tune_shapes shipped-slow.csv "${SLOW_BUDGET:-20s}" $slow; }
}

take_torch()
{
    local type shape
    for type in $types; do
        # shellcheck disable=SC2046,SC2086
        TYPE=$type "${PYTHON:-python3}" bench/rows/torch_sum.py \
            $(for shape in $shapes $slow; do
                [[ $shape == *x*x* ]] && echo "$shape" || echo "${shape}x1 ${shape}x0"
            done) | sed "s/^/$type,/"
    done >"$out/shipped-torch.csv"
}

take_between()
{
    local runs=$out/between tuned race options began=$SECONDS
    tuned=${TUNED:-configs/tuned/nvidia-$(gpu_name)}
    mkdir -p "$runs"
    # shellcheck disable=SC2086 # names
    python3 bench/shipped/between.py plan "$tuned" "$runs" "${SEED:-5}" "${HIGH:-4294967296}" ${NAMES:-} >"$work/races"
    while read -r race options; do
        if [ -s "$runs/$race.json" ] || [ $((SECONDS - began)) -ge $((60 * ${MINUTES:-60})) ]; then continue; fi
        # shellcheck disable=SC2086 # options
        "$autotune" "${quiet[@]}" --cache "$work/own" --strategy exhaustive $options --json "$runs/$race.json" \
            >/dev/null 2>"$work/race.txt" || echo "failed: $race: $(tail -n 1 "$work/race.txt")" >&2
    done <"$work/races"
    python3 bench/shipped/between.py report "$tuned" "$runs"
}

for step; do
    began=$SECONDS
    "take_$step"
    echo "$step: $((SECONDS - began)) s"
done

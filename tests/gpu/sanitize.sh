# sanitize: a step of tests/gpu.sh, read by it. compute-sanitizer's tools on a sample of variants, and first
# on a fault that they must find: half a minute on an H200. TOOLS, of "memcheck racecheck initcheck synccheck",
# where not all are wanted.
# shellcheck shell=bash disable=SC2154 # what gpu.sh sets

# A sample in which each finish, load, warp step and kind of math of reduce-wide is, and each way to share a
# row and a column, scans and sums in order n: type, variant (- for the default), and the options of a matrix.
SAMPLE="i32 FINISH=PACKED,WARP=REDUX
i32 FINISH=PACKED_WARPS,WARP=SHUFFLE,GRID=0,ITEMS=4,UNROLL=1
i32 FINISH=ATOMIC,WALK=CONTIGUOUS,LOAD=ASYNC,BLOCK=128,STAGES=3,ITEMS=16,UNROLL=4,GRID=2
i32 FINISH=VALUE,WARP=TREE
f32 FINISH=BINNED,GRID=0,WALK=ONE,ITEMS=16,UNROLL=4,VECTOR=4
f16 FINISH=BINNED,VECTOR=8,ITEMS=32,UNROLL=4,GRID=2
f32 FINISH=LAST_BLOCK,WARP=VOLATILE,ACCUMS=2
f32 FINISH=FLAGGED,CLUSTER=4,GRID=0
f64 FINISH=PASSES,CLUSTER=8,GRID=0
f32 FINISH=PASSES,GRID=0,WALK=ONE,LOAD=L2_256B,ITEMS=16,UNROLL=4,VECTOR=4
f64 FINISH=BARRIER,LOAD=NO_ALLOCATE,VECTOR=2
u8 FINISH=PACKED,MATH=TENSOR,LOAD=BULK,STAGES=3,VECTOR=16,ITEMS=64,UNROLL=4,GRID=2
f16 FINISH=FLAGGED,MATH=TENSOR,VECTOR=8,ITEMS=32,UNROLL=4
f32 - --rows 1001 --len 33
u8 LANES=1 --rows 5000 --len 7
i32 LANES=1,VECTOR=4,ROUNDS=4,UNROLL=1,EDGES=SIMPLE --rows 5000 --len 16
i32 SPLIT=PARTS,PIECES=2,LANES=64,BLOCK=128 --rows 5 --len 400K
f32 SPLIT=LAST_BLOCK,PIECES=4,LANES=256,ROUNDS=1 --rows 3 --len 700001
f32 - --rows 33 --len 1001 --axis 0
i32 SPLIT=PARTS,PIECES=1 --rows 70001 --len 3 --axis 0
i32 METHOD=LOOK_BACK,NUMBERING=TICKET,LOOK=32,BLOCK=64,ITEMS=12,VECTOR=2,WRITE=2 --scan inclusive --n 100K
f64 METHOD=LOOK_BACK,NUMBERING=BLOCK_INDEX,LOOK=32,BLOCK=64,ITEMS=12,VECTOR=2,WRITE=2 --scan exclusive --n 100K
u8 METHOD=ONE_BLOCK --scan inclusive --n 3000
i32 METHOD=REDUCE_FIRST --scan exclusive --n 100K
f32 - --order n --n 100K
f64 - --order n --rows 33 --len 1001
f32 - --order n --rows 1001 --len 33 --axis 0"

# sanitize TOOL TYPE VARIANT OPTION...: a proof of one variant under one tool of compute-sanitizer, at small
# sizes: of longer runs racecheck takes minutes each. It slows a proof more than verify's own limit allows.
sanitize()
{
    local tool=$1 type=$2 variant=$3
    shift 3
    [ "$variant" = - ] || set -- --variant "$variant" "$@"
    timeout -k 10 600 "$sanitizer" --tool "$tool" --target-processes all --error-exitcode 99 \
        "$program" verify --small --limit 8m --device "$device" --type "$type" "$@"
}

# Every process that it looked into is without a finding, and there is one.
is_clean()
{
    sanitize "$@" >"$scratch/sanitizer" 2>&1 && grep -q '^right ' "$scratch/sanitizer" &&
        grep -q 'SUMMARY: 0 ' "$scratch/sanitizer" &&
        ! grep -q 'SUMMARY: [1-9]' "$scratch/sanitizer" && return
    cat "$scratch/sanitizer"
    return 1
}

# That the sanitizer looks into the process in which the kernels run shows a fault that it finds.
finds_fault()
{
    ! is_clean memcheck i32 FAULT=OUT_OF_BOUNDS,FINISH=LAST_BLOCK --n 100K \
        --space "$scratch/faulty.ini" --template "$scratch/faulty.cu" >/dev/null || return 1
    grep -q 'Invalid __global__ read' "$scratch/sanitizer" || { cat "$scratch/sanitizer"; return 1; }
}

# sanitize_all TOOL...: all of the sample, several beside each other. Each is told of as it ends, with its
# seconds. One launch with a cluster does not end in racecheck 2025.3, which takes an arrival that a barrier of
# the cluster counts for a race (bench/results/README.md).
sanitize_all()
{
    local tool type variant matrix options lines=0
    for tool in "$@"; do
        while read -r type variant matrix; do
            if [[ $tool = racecheck && $variant = *CLUSTER=* ]]; then
                echo "skip    $tool $type $variant: it does not end with clusters"
                continue
            fi
            read -ra options <<<"${matrix:---n 100K --space reduce-wide}"
            [ "$(jobs -rp | wc -l)" -lt 8 ] || wait -n || true
            lines=$((lines + 1))
            (
                trap - EXIT
                failed=0 scratch=$scratch/sanitize-$lines began=$SECONDS
                mkdir "$scratch"
                check "$tool $type $variant $matrix" is_clean "$tool" "$type" "$variant" \
                    "${options[@]}" >"$scratch/log" 2>&1
                sed "1s/\$/  $((SECONDS - began)) s/" "$scratch/log"
            ) &
        done <<<"$SAMPLE"
    done
    wait
}

step_sanitize()
{
    local sanitizer tools
    read -ra tools <<<"${TOOLS:-memcheck racecheck initcheck synccheck}"
    sanitizer=$(PATH=$PATH:/usr/local/cuda/bin command -v compute-sanitizer) || true
    if [ -z "$sanitizer" ] || [ "$device" = host ]; then
        echo "skip    sanitize: it needs a GPU and compute-sanitizer, of the CUDA Toolkit"
        return
    fi
    faulty_template >"$scratch/faulty.cu" && faulty_space >"$scratch/faulty.ini"
    check sanitize-finds-a-fault finds_fault
    sanitize_all "${tools[@]}" | tee "$scratch/sanitized.log"
    check sanitize-all-ran test "$(grep -c '^ok\|^FAILED\|^skip' "$scratch/sanitized.log")" -eq \
        $((${#tools[@]} * $(wc -l <<<"$SAMPLE")))
    failed=$((failed + $(grep -c '^FAILED' "$scratch/sanitized.log" || true)))
}

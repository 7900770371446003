# mpi: a step of tests/gpu.sh, read by it. Lists that ranks share, and one sum over many GPUs. With one GPU
# ranks share it, which shows that all is right; with two, how fast they are. Open MPI is that of this
# machine, or one that tests/pack_mpi.sh has packed, in MPI_FOLDER. BUILD/examples may have mpi_sum
# and nccl_sum, built elsewhere.
# shellcheck shell=bash disable=SC2154 # what gpu.sh sets

# build_sums: those that are not there and can be built here.
build_sums()
{
    local nvcc nccl
    mkdir -p "$build/examples"
    nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc) || return 0
    [ -x "$build/examples/mpi_sum" ] || ! command -v mpicc > /dev/null ||
        mpicc -std=c99 -O2 -DUSE_CUDA -I include -isystem "$(dirname "$nvcc")/../include" \
            -o "$build/examples/mpi_sum" examples/mpi_sum.c "$build/libautotune.a" \
            -L"$(dirname "$nvcc")/../lib64" -lcudart_static -ldl -lm -lpthread -lrt
    nccl=$(find_nccl) || return 0
    [ -x "$build/examples/nccl_sum" ] ||
        "$nvcc" -std=c++17 -I include -I "$nccl/../include" -L "$nccl" -l:libnccl.so.2 -o \
            "$build/examples/nccl_sum" examples/nccl_sum.cu "$build/libautotune.a" -ldl -lm -lpthread
}

# The folder of libnccl.so.2: the system's, or pip's.
find_nccl()
{
    local found
    found=$(find /usr/local/cuda/lib* /usr/lib /usr/local/lib /opt /root/.local "${VIRTUAL_ENV:-/usr/lib}" \
        -name libnccl.so.2 2> /dev/null | head -n 1)
    [ -n "$found" ] && dirname "$found"
}

sum_by_mpi() { timeout -k 5 100 mpirun -n "$1" "$build/examples/mpi_sum" "$2"; }
sum_by_nccl()
{
    LD_LIBRARY_PATH=$(find_nccl)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} NCCL_NVLS_ENABLE=0 \
        timeout -k 5 100 "$build/examples/nccl_sum" "$1" "$2"
}

# bits_are FILE...: the sums in the files have the same bits.
bits_are()
{
    cat "$@"
    [ "$(sed -n 's/.*, bits \([0-9a-f]*\),.*/\1/p' "$@" | sort -u | wc -l)" -eq 1 ] &&
        [ "$(grep -c ', bits ' "$@" | awk -F : '{ n += $NF } END { print n }')" -eq $# ]
}

# seconds COMMAND...: how long it took, or what it said on stderr.
seconds()
{
    local from
    from=$(date +%s.%N)
    timeout -k 5 200 "$@" > "$scratch/timed.out" 2> "$scratch/timed.err" ||
        { cat "$scratch/timed.err" >&2; return 1; }
    awk -v from="$from" -v to="$(date +%s.%N)" 'BEGIN { printf "%.2f", to - from }'
}

# shared RANKS OPTION...: seconds of autotune-mpi, from a cache with nothing.
shared()
{
    local ranks=$1
    shift
    rm -rf "$scratch/fast"
    seconds mpirun -n "$ranks" "$program-mpi" "$@" --device "$device" --cache "$scratch/fast"
}

# No rank has a GPU open, while the autotune that it runs has. What a rank forks to look at its device, before
# there is MPI, is no rank.
is_forked()
{
    local parent
    parent=$(sed -n 's/^PPid:\t//p' "/proc/$1/status" 2> /dev/null)
    [[ $(readlink "/proc/$parent/exe" 2> /dev/null) == *autotune-mpi ]]
}
has_no_context()
{
    local pid mapped=0 seen=0 open
    mpirun -n 2 "$program-mpi" --problems "$scratch/list" --device "$device" --cache "$scratch/context" \
        --retune > "$scratch/context.out" 2> "$scratch/context.err" &
    local job=$!
    for ((i = 0; i < 100; i++)); do
        kill -0 $job 2> /dev/null || break
        for pid in $(ours); do
            open=$(find "/proc/$pid/fd" -lname '/dev/nvidia*' 2> /dev/null | wc -l)
            case $(readlink "/proc/$pid/exe" 2> /dev/null) in
            *autotune-mpi) is_forked "$pid" || mapped=$((mapped + open + $(grep -c libcuda "/proc/$pid/maps" 2> /dev/null))) ;;
            *) [ "$open" -eq 0 ] || seen=$((seen + 1)) ;;
            esac
        done
        sleep 0.1
    done
    wait $job
    echo "$mapped of MPI's processes, $seen looks at others that have a GPU"
    [ "$mapped" -eq 0 ] && { [ "$device" = host ] || [ "$seen" -gt 0 ]; }
}

# Open MPI and autotune-mpi, or a line that says what is missing.
has_mpi()
{
    if [ -n "${MPI_FOLDER:-}" ]; then
        # shellcheck disable=SC1091
        . "$MPI_FOLDER/env"
    fi
    if ! command -v mpirun > /dev/null || [ ! -x "$build/autotune-mpi" ]; then
        echo "skip    $1: no mpirun here, or no autotune-mpi: see tests/pack_mpi.sh"
        return 1
    fi
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    cp "$build/autotune-mpi" "$program-mpi"
    gpus=$(find /dev -maxdepth 1 -name 'nvidia[0-9]*' | wc -l)
}

step_mpi()
{
    local n=${SUM_N:-268435456} gpus rank
    has_mpi mpi || return 0
    export XDG_CACHE_HOME=$scratch/mpi
    check mpi-hostname timeout 30 mpirun -n 2 hostname
    printf '%s\n' '--op sum --type f32 --n 64Ki' '--op max --type i32 --n 100K' > "$scratch/list"

    # Ranks of the emulator beside one of a GPU: each kind does all problems.
    check mpi-kinds timeout -k 5 100 mpirun -n 2 "$program-mpi" --problems "$scratch/list" --device host \
        --budget 6s --cache "$scratch/kinds" : -n 1 "$program-mpi" --problems "$scratch/list" \
        --device "$device" --budget 6s --cache "$scratch/kinds"
    cat "$scratch/said"
    check mpi-no-context has_no_context
    cat "$scratch/context.err"

    build_sums
    if [ "$device" = host ]; then
        return
    fi
    if [ -x "$build/examples/mpi_sum" ]; then
        for rank in 1 2 3; do
            check "mpi-sum-$rank" sum_by_mpi "$rank" "$n"
            cp "$scratch/said" "$scratch/sum.mpi-$rank"
        done
        check mpi-sum-checked sum_by_mpi 2 10000019
    fi
    if [ -x "$build/examples/nccl_sum" ] && find_nccl > /dev/null; then
        check nccl-sum-1 sum_by_nccl "$n" 1
        cp "$scratch/said" "$scratch/sum.nccl-1"
        check nccl-sum-checked sum_by_nccl 10000019 1
        if [ "$gpus" -gt 1 ]; then
            check nccl-sum-all sum_by_nccl "$n" "$gpus"
            cp "$scratch/said" "$scratch/sum.nccl-all"
        fi
    else
        echo "skip    nccl-sum: no libnccl.so.2 or no nvcc here"
    fi
    check sums-have-one-hash bits_are "$scratch"/sum.*
    cat "$scratch/said"
    unset XDG_CACHE_HOME
}

# step_mpi_fast: what two GPUs gain, by turns: 20 problems by one rank and by two; an exhaustive search by one
# rank, and by one process that has both GPUs; one sum of 4Gi floats, by MPI and by NCCL.
step_mpi_fast()
{
    local gpus round n=${FAST_N:-4G} one=(--space bench/tuning/minute.ini --template templates/reduce.cu
        --strategy exhaustive)
    has_mpi mpi_fast || return 0
    if [ "$device" != host ] && [ "$gpus" -lt 2 ]; then
        echo "skip    mpi_fast: one GPU"
        return
    fi
    export CUDA_CACHE_DISABLE=1
    echo "--op sum --type i32 --n $n" > "$scratch/one"
    "$program" list problems --n 64Ki..1Gi --type f32 | head -n "${FAST_PROBLEMS:-20}" > "$scratch/twenty"
    build_sums
    if [ "$device" != host ]; then
        sum_by_mpi 1 4294967296
        sum_by_mpi 2 4294967296
        sum_by_nccl 4294967296 1
        sum_by_nccl 4294967296 2
    fi
    for round in 1 2; do
        echo "round $round, 20 problems: 1 rank $(shared 1 --problems "$scratch/twenty") s, 2 ranks" \
            "$(shared 2 --problems "$scratch/twenty") s"
        echo "round $round, exhaustive, n = $n: 1 rank $(shared 1 --problems "$scratch/one" "${one[@]}") s"
        grep -E '^(list|best|race)' "$scratch/timed.err" || true
        rm -rf "$scratch/fast"
        [ "$device" = host ] || echo "round $round, exhaustive, n = $n: --device 0,1" \
            "$(seconds "$program" --device 0,1 --n "$n" "${one[@]}" --cache "$scratch/fast") s"
    done
    unset CUDA_CACHE_DISABLE
}

#!/bin/sh
# Tests the examples of one sum over many GPUs: by MPI on the emulator, with any number of ranks, and that
# the one by NCCL builds.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
BUILD=${AUTOTUNE%/*}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_plm_rsh_agent=false
N=1000003 # no multiple of a leaf

if ! nm "$BUILD/libautotune.a" 2> /dev/null | grep -q __asan_init &&
    command -v mpicc > /dev/null && command -v mpirun > /dev/null; then
    check mpi-builds mpicc -std=c99 -Wall -Wextra -Werror -O2 -I "$ROOT/include" -o mpi_sum \
        "$ROOT/examples/mpi_sum.c" "$BUILD/libautotune.a" -ldl -lm -lpthread
    for ranks in 1 2 3 4; do
        # Its exit status says whether the bits are those of autotune_reference.
        timeout "$PATIENCE" mpirun -n $ranks ./mpi_sum $N > "out.$ranks" 2> err < /dev/null
        status=$?
        check "mpi-$ranks" has_status 0
    done
    check mpi-same-bits test "$(sed -n 's/.*, bits \([0-9a-f]*\),.*/\1/p' out.[1-4] | sort | uniq -c |
        awk '{ print $1 }')" = 4
    # Fewer leaves than ranks: some have nothing.
    timeout "$PATIENCE" mpirun -n 4 ./mpi_sum 1500 > out 2> err < /dev/null
    status=$?
    check mpi-few has_status 0
else
    skip mpi "no MPI is here (Debian: libopenmpi-dev openmpi-bin)"
fi

nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc)
nccl=$(find /usr/local/cuda/lib* /usr/local/lib /usr/lib -name libnccl.so.2 2> /dev/null | head -n 1)
if [ -n "$nvcc" ] && [ -n "$nccl" ]; then
    check nccl-builds "$nvcc" -std=c++17 -I "$ROOT/include" -I "${nccl%/*}/../include" -L "${nccl%/*}" \
        -o nccl_sum "$ROOT/examples/nccl_sum.cu" "$BUILD/libautotune.a" -l:libnccl.so.2 -ldl -lm -lpthread
else
    skip nccl "nvcc or libnccl.so.2 is not here"
fi
finish

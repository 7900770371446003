#!/bin/sh
# Builds CUB's reductions as shared objects for `autotune bench --against cub`: BUILD/cub-toolkit.so
# with the CCCL of nvcc's own toolkit, BUILD/cub-newest.so with the newest, which pip puts below
# BUILD/cccl; and sums of the newest that have to be named: BUILD/cub-not_guaranteed.so, in no fixed
# order, and BUILD/cub-gpu_to_gpu.so, with the same bits on every GPU.
# A file that is newer than the source is not built again.
# Usage: bench/cub/build.sh BUILD   (from the repository's root; as `make bench` does)
#   NVCC, PYTHON: others; ARCHS: the compute capabilities (70 75 80 90 100 120, as far as nvcc
#   knows them); a kernel for 8.0 runs on 8.6 and 8.9 too
set -eu
build=${1:?usage: build.sh BUILD}
source=bench/cub/cub.cu
face=autotune/measure/baseline_face.h
headers=$build/cccl/cuda/cccl/headers/include

nvcc=${NVCC:-$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")}
command -v "$nvcc" > /dev/null || {
    echo "make bench needs nvcc: install the CUDA toolkit's compiler, or name it with NVCC=FILE" >&2
    exit 69
}

known=$("$nvcc" --list-gpu-code)
set --
for arch in ${ARCHS:-70 75 80 90 100 120}; do
    if echo "$known" | grep -qx "sm_$arch"; then
        set -- "$@" -gencode "arch=compute_$arch,code=sm_$arch"
    fi
done
[ $# -gt 0 ] || {
    echo "$nvcc knows none of the compute capabilities asked for: set ARCHS" >&2
    exit 69
}

# compile OUTPUT OPTION...
compile() {
    output=$1
    shift
    if [ -e "$output" ] && [ -z "$(find $source $face -newer "$output")" ]; then return; fi
    echo "nvcc: $output (minutes)"
    "$nvcc" -std=c++17 -O3 --threads 0 -cudart static -shared -Xcompiler -fPIC,-fvisibility=hidden \
        -I. "$@" -o "$output" $source
}

compile "$build/cub-toolkit.so" "$@"
export PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1
[ -d "$headers" ] ||
    "${PYTHON:-python3}" -m pip install -q --no-deps --target "$build/cccl" cuda-cccl || {
    echo "pip cannot install cuda-cccl, so there is no cub-newest.so: see what it says above" >&2
    exit 74
}
compile "$build/cub-newest.so" "-I$headers" "$@"
for determinism in not_guaranteed gpu_to_gpu; do
    compile "$build/cub-$determinism.so" "-DDETERMINISM=$determinism" "-I$headers" "$@"
done

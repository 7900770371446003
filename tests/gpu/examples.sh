# examples: a step of tests/gpu.sh, read by it. The examples, and an exported matrix, built on this machine
# with what was tuned on it, and run.
# shellcheck shell=bash disable=SC2154 # what gpu.sh sets

# tunes OPTION...: soon, for what is tried here is what is made of a record.
tunes()
{
    timeout -k 10 120 "$program" --device "$device" --budget 5s --quiet "$@"
}

# uses_library FILE COMPILER OPTION...: an example with the static library.
uses_library()
{
    local file=$1
    shift
    "$@" -I include -o "$scratch/example" "examples/$file" "$build/libautotune.a" -ldl -lm -lpthread &&
        timeout -k 10 60 "$scratch/example"
}

uses_make()
{
    cp -r examples/exported-make "$scratch" &&
        make -s -C "$scratch/exported-make" AUTOTUNE="$program" NVCC="$nvcc" total &&
        timeout -k 10 60 "$scratch/exported-make/total" 12345678
}

# What the other example's Makefile exported is not for CMake; its program is built here too.
uses_cmake()
{
    cp -r examples/exported-make examples/exported-cmake "$scratch" &&
        "$program" export --format cu,cmake --type i32 --output "$scratch/exported" &&
        cmake -S "$scratch/exported-cmake" -B "$scratch/exported-cmake/build" \
            -DEXPORT="$scratch/exported" -DCMAKE_CUDA_COMPILER="$nvcc" &&
        cmake --build "$scratch/exported-cmake/build" &&
        timeout -k 10 60 "$scratch/exported-cmake/build/total" 12345678
}

# uses_matrix AXIS SPACE: what was exported of rows or columns.
uses_matrix()
{
    local made=$scratch/exported-$2
    "$program" export --format cu --space "$2" --type i32 --prefix matrix --output "$made" &&
        "$nvcc" -std=c++17 -O3 -arch=native -DAXIS="$1" -I "$made" -o "$made/matrix" \
            tests/device/exported_matrix.cu "$made/matrix.cu" && timeout -k 10 60 "$made/matrix"
}

step_examples()
{
    local nvcc
    nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc) || true
    if [ -z "$nvcc" ] || [ "$device" = host ]; then
        echo "skip    examples: they need a GPU and nvcc, of the CUDA Toolkit"
        return
    fi
    export XDG_CACHE_HOME=$scratch/examples
    check example-runtime uses_library runtime.cu "$nvcc" -std=c++17
    check example-graph uses_library graph.c "${CC:-cc}" -std=c99 \
        -isystem "$(dirname "$nvcc")/../include" -L/usr/local/cuda/lib64/stubs -Wl,--no-as-needed -lcuda
    check example-tuned tunes --n 10M
    check example-make uses_make
    if command -v cmake >/dev/null; then
        check example-cmake uses_cmake
    else
        echo "skip    example-cmake: no cmake here"
    fi
    check rows-tuned tunes --rows 4096 --len 1000 --type i32
    check long-rows-tuned tunes --rows 3 --len 10M --type i32
    check exported-rows uses_matrix 1 rows
    check columns-tuned tunes --rows 4096 --len 1000 --axis 0 --type i32
    check exported-columns uses_matrix 0 columns
    unset XDG_CACHE_HOME
}

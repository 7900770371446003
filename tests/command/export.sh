#!/bin/sh
# Tests `export`: every format is written, twice the same, builds without a warning as C99, C++17 and
# with nvcc, and the exported selector and launcher give the configs of the records.
. tests/command/helpers
CC=${CC:-cc}
WARN="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"

refuses no-format 64 "write --format header" export
refuses bad-format 64 "'cuda' is none: choose header" export --format cuda
refuses format-twice 64 "names cu twice" export --format cu,cu
refuses nothing 1 "nothing to export: no record serves sum of f32 accumulated in f64, neither in .* nor among those that ship; 'autotune' with the same problem makes one" export --format cu --type f32 --acc f64
refuses other-values 1 "no record serves count_nonzero of f32 .*; its values are u64, and nothing that ships combines such of f32: run 'autotune --op count_nonzero --type f32 --acc f32 --n 5000000' on your GPU first" export --format cu --op count_nonzero --type f32 --n 5M
refuses bad-prefix 64 "4u.*begins no name of C" export --format cu --prefix 4u
refuses keyword 64 "int: C or C\+\+ has a meaning" export --format cu --prefix int
refuses cast 64 "const_cast: C or C\+\+ has a meaning" export --format cu --prefix const_cast
refuses bad-arch 64 "sm_1" export --format cubin --arch sm_1
refuses bad-op 64 "median" export --format cu --op median

space=reduce-wide # so that records can have what the default space does not try

# The emulator's record is the pattern for those of GPUs that are not here.
run --device host --n 1000 --space $space --budget 3s --cache base --quiet
check tuned has_status 0
[ -s base/host.ini ] || finish

# add FILE GPU CC SMS N PARAMS [SWEPT]: a record of that GPU, whose other params are the default's; a
# size of a sweep of that time.
default="BLOCK=256 ITEMS=32 VECTOR=4 UNROLL=8 WARP=SHUFFLE LOAD=PLAIN STAGES=0 WALK=STRIDED MIN_BLOCKS=1 CLUSTER=1 FINISH=FLAGGED GRID=4"
add() {
    params=$default
    for word in $6; do
        params=$(echo "$params" | sed "s/\b${word%%=*}=[^ ]*/$word/")
    done
    fields_of base/host.ini |
        sed "s/^gpu = .*/gpu = $2/; s/^cc = .*/cc = $3/; s/^sms = .*/sms = $4/
             s/^depth = .*/depth = $5/; s/^source = .*/source = measured/; s/^code = .*/code = 0000000000000000/; s/^params = .*/params = $params/" |
        sed "${7:+s/^tuned = .*/&\nswept = $7/}" > fields
    "$SIGN" "$1" < fields
}
mkdir -m 700 cache-gpus cache-all cache-a100
h200=cache-gpus/nvidia-h200.ini
add $h200 "NVIDIA H200" 90 132 1024 "ITEMS=4 UNROLL=1 FINISH=PASSES GRID=0"
add $h200 "NVIDIA H200" 90 132 1048576 "ITEMS=16 UNROLL=4 GRID=2"
add $h200 "NVIDIA H200" 90 132 400000000 "ITEMS=64 UNROLL=16 WARP=REDUX FINISH=PASSES GRID=0"
add $h200 "NVIDIA H200" 90 132 4294967296 "WARP=REDUX LOAD=BULK STAGES=6 FINISH=BARRIER GRID=1"
add cache-gpus/h100.ini "NVIDIA H100 PCIe" 90 114 1048576 "BLOCK=128 WARP=TREE FINISH=ATOMIC"
for n in 200000 400000 800000; do
    add cache-gpus/t4.ini "Tesla T4" 75 40 $n "ITEMS=8 UNROLL=2 FINISH=PACKED GRID=0" 2026-01-01T00:00:00Z
done
add cache-gpus/t4.ini "Tesla T4" 75 40 1048576 "WARP=VOLATILE FINISH=VALUE"
add cache-gpus/rtx.ini "NVIDIA GeForce RTX 5070 Ti" 120 70 400000000 "BLOCK=512 VECTOR=8 UNROLL=4 WARP=REDUX LOAD=NONCOHERENT FINISH=PACKED GRID=1"

refuses other-type 1 "nothing to export" export --space $space --format cu --type f64 --cache cache-gpus
refuses other-n 1 "there are records of other n, the nearest of 1Ki: leave --n out" export --space $space --format cu --n 5 --cache cache-gpus
run export --op max --type i32 --format json --output ships
check ships-of-its-class test "$(sed -n 's/.*: \([0-9]*\) rows$/\1/p' err)" -gt 10
mkdir nothing
run export --format json --op prod --type f32 --cache nothing --output -
check ships-what-its-rules-allow sh -c '! grep -q "passed over" err && grep -q ": [0-9]* rows$" err'
run export --op max --type i32 --format cu,json --output ships --n 3M
check ships-an-interval grep -q '"n_from": 2097153, "n_to": 8388608' ships/max_i32.json
check ships-without-a-time-of-another grep -q '^ \*   shipped with autotune, of a problem that costs the same, driver' ships/max_i32.h
# A size and the interval around it have one config, and are one row.
run export --op sum --type f32 --n 400M --format json --output -
check no-row-twice test "$(grep -o '"n": 400000000, ' out | wc -l)" -eq 1
check no-row-twice-noted grep -q '^device    NVIDIA H200 (sm_90, 132 SMs): 1 row$' err
refuses one-n-of-two 1 "nothing to export for n = 2K" export --space $space --format cu --n 1Ki,2K --cache cache-gpus
refuses other-gpu 1 "there are records of .*NVIDIA H200.*: leave --gpu out, or name one of these" export --space $space --format cu --gpu B200 --cache cache-gpus
refuses one-gpu-of-three 1 "nothing to export for --gpu Titan, GH100: no record of this problem is of a GPU of that name; there are records of .*Tesla T4" \
    export --space $space --format cu --gpu h200,Titan,GH100 --cache cache-gpus
refuses other-regime 1 "there are records for cold data" export --space $space --format cu --warm --cache cache-gpus
refuses host-not-asked-for 1 "records of the emulator: --gpu host takes them" export --space $space --format cu --cache base
run export --op sum --type f32 --shape columns --format cu --output shape --quiet
check shape-is-its-space sh -c 'test -s shape/sum_columns_f32.cu && "$0" export --op sum --type f32 --space columns --format cu --output space --quiet > out && cmp shape/sum_columns_f32.cu space/sum_columns_f32.cu' "$AUTOTUNE"
refuses several-to-stdout 64 "name a folder" export --space $space --format cu --output - --cache cache-gpus --quiet
refuses no-such-folder 74 "name a folder" export --space $space --format cu --output a/b/c --cache cache-gpus --quiet
refuses full-disk 74 "/dev/full" export --space $space --format json --output /dev/full --cache cache-gpus --quiet
refuses twin-word 64 "'none'.*one argument too many" export --format cu none

# --- Files -------------------------------------------------------------------------------------
formats=header,cu,cmake,make,json
export_to() {
    folder=$1
    shift
    run export --space $space --format $formats --prefix my --cache cache-gpus --output "$folder" "$@"
}
export_to one
check written has_status 0
check names test "$(sort out | tr '\n' ' ')" = \
    "one/CMakeLists.txt one/my.cmake one/my.cu one/my.h one/my.json one/my.mk one/my_table.h "
check noted grep -q '^device    NVIDIA H200 (sm_90, 132 SMs): 4 rows' err
export_to two
check same-bytes diff -r one two
for file in one/*; do
    check "provenance ${file#one/}" sh -c "head -c 1000 $file | grep -q 'made by autotune' &&
        grep -q 'autotune export --format' $file && grep -q 'NVIDIA H200' $file"
done
export_to one --quiet
check again has_status 0
check quiet test ! -s err
echo mine > two/my.h
export_to two
check not-ours refused 74 "two/my.h is there already, and autotune did not write it"
check not-ours-kept grep -q '^mine$' two/my.h
# Several exports in one folder: each is a target of its CMakeLists.txt.
for prefix in first second; do
    run export --space $space --format cu,cmake --prefix $prefix --cache cache-gpus --output both --quiet
    cp both/CMakeLists.txt "lists-$prefix"
done
check several-in-a-folder sh -c 'test -e both/first.cu && test -e both/second.cu'
check lists-name-no-export sh -c '! grep -v "^#" both/CMakeLists.txt | grep -q "first\|second"'
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2> /dev/null)
if command -v cmake > /dev/null && [ -n "$nvcc" ]; then
    mkdir project
    cat > project/CMakeLists.txt << 'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(both LANGUAGES C CXX CUDA)
add_subdirectory(../both exported)
foreach(name first second)
    if(NOT TARGET ${name})
        message(FATAL_ERROR "no target ${name}")
    endif()
endforeach()
CMAKE
    CUDACXX=$nvcc cmake -S project -B build-both > cmake.log 2>&1
    check several-targets test $? -eq 0

    # For the project's architectures, whatever word they are, and for those of the records, but those
    # that nvcc does not know.
    add cache-all/v100.ini "Tesla V100-SXM2-16GB" 70 80 1048576
    add cache-all/h200.ini "NVIDIA H200" 90 132 1048576
    run export --space $space --format cu,cmake,make --prefix my --cache cache-all --output every --quiet
    printf 'cmake_minimum_required(VERSION 3.18)\nproject(all LANGUAGES CXX CUDA)\nadd_subdirectory(../every my)\n' > project/CMakeLists.txt
    # compiles_for NAME ARCHITECTURES WANTED...: those of the target, sorted.
    compiles_for() {
        compiles_name=$1 compiles_asked=$2
        shift 2
        rm -f build-all/compile_commands.json # the compiler has been looked at
        CUDACXX=$nvcc cmake -S project -B build-all "-DCMAKE_CUDA_ARCHITECTURES=$compiles_asked" \
            -DCMAKE_EXPORT_COMPILE_COMMANDS=ON > cmake.log 2>&1
        check "cmake-$compiles_name" test "$(grep -Eo 'compute_[0-9]+,code|arch=all-major' build-all/compile_commands.json |
            sed 's/,code//' | sort -u | tr '\n' ' ')" = "$* "
    }
    if "$nvcc" --list-gpu-code | grep -qx sm_70; then
        skip cmake-left-out "this nvcc knows sm_70"
    else
        compiles_for list "75;80" compute_75 compute_80 compute_90
        check cmake-left-out grep -q '^-- my: nothing is compiled for sm_70, on which it was tuned: nvcc [0-9.]* does not know it' cmake.log
        compiles_for own 90 compute_90
        compiles_for word all-major arch=all-major compute_90
        compiles_for off OFF compute_90
        check make-left-out sh -c "printf 'include every/my.mk\nall:\n\t@echo \$(my_NVCCFLAGS)\n' | make -s NVCC=$nvcc -f - > made
            grep -qx 'my: nothing is compiled for sm_70, on which it was tuned: $nvcc does not know it' made &&
            grep -qx -e '-gencode arch=compute_90,code=sm_90 -gencode arch=compute_90,code=compute_90 -Xcompiler -fPIC' made"
    fi
    printf 'cmake_minimum_required(VERSION 3.18)\nproject(plug LANGUAGES CXX)\nadd_subdirectory(../every my)\nadd_library(plug MODULE plug.cpp)\ntarget_link_libraries(plug PRIVATE my)\n' > project/CMakeLists.txt
    printf '#include <my.h>\ncudaError_t bytes(size_t n, size_t *out)\n{\n    return my_workspace_bytes(n, out);\n}\n' > project/plug.cpp
    check cmake-plugin sh -c "CUDACXX=$nvcc cmake -S project -B build-plug > cmake.log 2>&1 && cmake --build build-plug >> cmake.log 2>&1"
else
    skip several-targets "no cmake with nvcc"
fi
# All is checked before anything is written.
mkdir half
echo mine > half/CMakeLists.txt
run export --space $space --format cu,cmake --prefix my --cache cache-gpus --output half
check foreign-lists refused 74 'half/CMakeLists.txt is there already'
check foreign-lists-nothing-written test "$(ls half)" = CMakeLists.txt
run export --space $space --format make --prefix my --cache cache-gpus --output bare
check source-is-missing grep -q '^note .*my.cu, which they build, is not there: --format cu' err
run export --space $space --format json --cache cache-gpus --output - --quiet
check json-stdout grep -q '^{"schema": 1, "origin": "made by autotune' out
if command -v python3 > /dev/null; then
    check json python3 -c "
import json
made = json.load(open('one/my.json'))
assert [gpu['name'] for gpu in made['gpus']] == ['Tesla T4', 'NVIDIA H100 PCIe', 'NVIDIA H200',
                                                 'NVIDIA GeForce RTX 5070 Ti']
assert [row['n'] for row in made['gpus'][2]['rows']] == [1024, 1048576, 400000000, 4294967296]
assert made['gpus'][2]['rows'][3]['params']['LOAD'] == 'BULK'
assert any(row.get('n_to') == 800000 for row in made['gpus'][0]['rows'])
assert made['default']['params'].keys() == made['gpus'][0]['rows'][0]['params'].keys()"
fi
add cache-a100/a100.ini "NVIDIA A100-SXM4-80GB" 80 108 1048576
run export --space $space --format json --gpu a100 --cache cache-a100 --output -
check part-of-a-name grep -q '^device    NVIDIA A100-SXM4-80GB (sm_80, 108 SMs): 1 row$' err
run export --space $space --format header --gpu h200,t4 --n 1Mi --cache cache-gpus --output few
check narrowed test "$(grep -c '^device ' err)" -eq 2
run export --space $space --format cu --gpu host --cache base --output host --quiet
check host has_status 0
check host-is-no-gpu grep -q "warning: the emulator's records are no model of a GPU's speed, and a GPU of sm_" err

# A record that would not run is passed over and named, the others are exported.
cp -r cache-gpus cache-broken
add cache-broken/b200.ini "NVIDIA B200" 100 148 1048576 "FINISH=PACKED_WARPS WARP=TREE"
run export --space $space --format json --cache cache-broken --output - --quiet
check broken-record grep -q "a record of NVIDIA B200 is passed over: the rule 'warps arrive" err
check broken-record-alone grep -q "NVIDIA H200" out
check broken-record-left-out sh -c "! grep -q B200 out"

# --- The selector ------------------------------------------------------------------------------
cat > select.c <<'END'
#include "my_table.h"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    enum my_fit match;
    const int sms = argc > 2 ? atoi(argv[2]) : 0;
    const uint64_t n = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    const int cc = argc > 1 ? atoi(argv[1]) : 0;
    const struct my_device device = {cc, sms, cc, 0, 0, argc > 4 ? argv[4] : 0, 0};
    const int row = my_select(&device, n, &match);
    struct my_plan plan;
    printf("%d %d %d %s\n", (int)match, my_plan_row(&plan, row, sms, n), plan.count,
           my_rows[row].text);
    for (int i = 0; i < plan.count; i++)
        printf("%u %u %llu\n", plan.launches[i].grid, plan.launches[i].step->block,
               (unsigned long long)plan.launches[i].inputs);
    return my_kernel_names[0] == 0;
}
END
cp select.c select.cc
check c99 $CC -std=c99 $WARN -Ione -o select select.c
check c++17 g++ -std=c++17 $WARN -Ione -o select++ select.cc
if command -v clang > clang.log 2>&1; then
    check clang-c99 clang -std=c99 $WARN -Ione -o select-clang select.c
    check clang-c++17 clang++ -std=c++17 $WARN -Ione -o select-clang++ select.cc
else
    skip clang "no clang here"
fi
# Of one record alone more is known, so less is computed: nothing may be left unused.
sed 's/my/alone/g' select.c > alone.c
for name in H200/1024 H200/1048576 H200/400000000 H200/4294967296 H100/1048576 T4/400000 T4/1048576; do
    run export --space $space --format header --prefix alone --gpu "${name%/*}" --n "${name#*/}" \
        --cache cache-gpus --output alone --quiet
    check "alone $name" $CC -std=c99 $WARN -Ialone -o select-alone alone.c
done
# selects NAME CC SMS N MATCH PATTERN
selects() {
    ./select "$2" "$3" "$4" > selected
    check "select $1" grep -Eq "^$5 0 [0-9]+ .*$6" selected
    check "select $1 as C++" sh -c "./select++ $2 $3 $4 | cmp - selected"
}
selects exact 90 132 400000000 0 'ITEMS=64 .*GRID=0$'
selects nearest-below 90 132 20480000 1 'ITEMS=16 '
selects nearest-above 90 132 20480001 1 'ITEMS=64 '
selects zero 90 132 0 1 'ITEMS=4 '
selects far-above 90 132 17179869184 1 'LOAD=BULK'
selects interval 75 40 799999 1 'FINISH=PACKED'
selects behind-interval 75 40 1000000 1 'FINISH=VALUE'
selects same-cc 90 78 1048576 2 'FINISH=ATOMIC'
selects same-cc-n 90 78 2000 2 'ITEMS=4 '
selects unknown 86 84 1048576 3 'BLOCK=256 '
# launches NAME CC SMS N LINES: grid, block and inputs of each launch.
launches() {
    ./select "$2" "$3" "$4" | sed 1d | tr '\n' ';' > launched
    check "launch $1" test "$(cat launched)" = "$5"
}
launches passes 90 132 400000000 "24415 256 400000000;2 256 24415;1 256 2;"
launches one-block 90 132 1024 "1 256 1024;"
launches per-sm 90 132 1048576 "256 256 1048576;"
launches fewer-sms 90 10 1048576 "1 1 1048576;40 128 1048576;"
launches default 86 84 1000000000 "336 256 1000000000;"

# --- nvcc --------------------------------------------------------------------------------------
NVCC=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2> /dev/null)
if [ -z "$NVCC" ]; then
    skip nvcc "no nvcc here"
    finish
fi
compile() {
    "$NVCC" -std=c++17 -Werror all-warnings -Xcompiler -Wall,-Wextra "$@"
}
for arch in 75 90 120; do
    check "nvcc sm_$arch" compile -arch=sm_$arch -DMY_NO_ARCH_WARNING -c -o my-$arch.o one/my.cu
done
check host-record compile -arch=sm_90 -c -o host.o host/sum_i32.cu
old=
for nvcc in /usr/local/cuda-12*/bin/nvcc; do
    [ -x "$nvcc" ] && "$nvcc" --list-gpu-arch | grep -q compute_70 && old=$nvcc
done
if [ -n "$old" ]; then
    check "nvcc sm_70" "$old" -std=c++17 -Werror all-warnings -arch=sm_70 -c -o my-70.o one/my.cu
else
    skip "nvcc sm_70" "no nvcc of CUDA 12 here"
fi

# What the launcher launches, with a runtime that only writes it down.
INCLUDE=$(dirname "$NVCC")/../include
[ -f "$INCLUDE/cuda_runtime_api.h" ] || INCLUDE=/usr/local/cuda/include
sed 's/"exported.h"/"my.h"/' "$ROOT/tests/command/fake_runtime.c" > fake.c
check header-c99 $CC -std=c99 $WARN -isystem "$INCLUDE" -Ione -c -o fake.o fake.c
g++ -o fake fake.o my-90.o > fake.log 2>&1
if [ ! -x fake ]; then
    skip launcher "this nvcc's objects ask for another runtime than the stand-in"
else
    # runs NAME CC SMS PTX N MAX PATTERN [NAME=VALUE...]: the launcher's lines, joined by ';'.
    runs() {
        name=$1 cc=$2 sms=$3 ptx=$4 n=$5 most=$6 pattern=$7
        shift 7
        env FAKE_CC="$cc" FAKE_SMS="$sms" FAKE_PTX="$ptx" FAKE_NAME="NVIDIA H200" "$@" ./fake "$n" "$most" | sed 's/_ZN10my_kernels2v[0-9]*6reduceE[^ ]*/K/' |
            tr '\n' ';' > launched
        check "launcher $name" sh -c "grep -E '$pattern' launched || { cat launched; false; }"
    }
    allow="allow K 8 196608;"
    runs exact 90 132 90 400000000 400000000 "^${allow}match 0 [^;]*;K 24415 256 0 1 0 400000000;K 2 256 0 1 0 24415;K 1 256 0 1 0 2;workspace 196096, error 0;"
    runs smaller 90 132 90 1024 4294967296 ";K 1 256 0 1 0 1024;workspace [0-9]+, error 0;"
    runs bulk 90 132 90 4294967296 4294967296 ";K 132 256 196608 1 1 4294967296;workspace [0-9]+, error 0;"
    runs same-cc 90 78 90 1048576 1048576 "match 2 [^;]*;K 1 1 0 1 0 0;K 256 128 0 1 0 1048576;"
    runs default 86 84 80 1000000000 1000000000 "^match 3 [^;]*GRID=4;K 336 256 0 1 0 1000000000;"
    runs older-code 90 132 75 400000000 400000000 "^match 1 [^;]*GRID=2;K 264 256 0 1 0 400000000;"
    runs oldest-code 90 78 75 1000 1000 "^match 2 [^;]*ITEMS=4 [^;]*;K 1 256 0 1 0 1000;"
    runs other-name 90 132 90 400000000 400000000 "^${allow}match 2 [^;]*;K 24415 256 0 1 0 400000000;" FAKE_NAME="NVIDIA H100 80GB HBM3"
    runs reset 90 132 90 4294967296 4294967296 ";${allow}K 132 256 196608 1 1 4294967296;${allow}K 132 [^;]*;workspace [0-9]+, error 0;$" FAKE_RESET=1
    runs refused 90 132 90 4294967296 4294967296 "^match 1 [^;]*ITEMS=64 [^;]*;K 262144 256 0 1 0 4294967296;.*;workspace [0-9]+, error 0;$" FAKE_SHARED=101376
    runs too-small 90 132 90 400000000 1000 "workspace [0-9]+, error 1;$"
    runs no-device 0 0 0 1000 1000 "^match 3 ;workspace 0, error 100;$"
fi

# --- Builds of other programs ------------------------------------------------------------------
run export --space $space --format cu,make,cmake --cache cache-gpus --output exported --quiet
cp -r "$ROOT/examples/exported-make" "$ROOT/examples/exported-cmake" .
check make make -s -C exported-make EXPORT=../exported NVCC="$NVCC"
check make-program test -x exported-make/total
check make-variable sh -c "printf 'include exported/sum_i32.mk\nall:\n\t@echo \$(sum_i32_sm_90_132_1048576_ITEMS)\n' |
    make -s -f - | grep -qx 16"
if command -v cmake > cmake.log 2>&1; then
    check cmake sh -c "CUDACXX=$NVCC cmake -S exported-cmake -B tree -DEXPORT=$PWD/exported &&
        cmake --build tree"
    check cmake-program test -x tree/total
    printf 'include(exported/sum_i32.cmake)\nmessage("${sum_i32_sm_90_132_400000000_WARP}")\n' > ask.cmake
    check cmake-variable sh -c "cmake -P ask.cmake 2>&1 | grep -qx REDUX"
else
    skip cmake "no cmake here"
fi

# The front page's lines, in an empty folder.
check front-page-export sh -c 'mkdir front && "$0" export --op sum --type f32 --n 1Ki --format cu,cmake --output front/tuned &&
    exec "$0" export --op sum --type f32 --shape rows --format cu,cmake --output front/tuned' "$AUTOTUNE"
check next-command sh -c '"$0" export --op sum --type f32 --n 1Ki --format cu --output front/tuned 2>&1 > /dev/null | grep -qx "next      nvcc -arch=sm_90 -c front/tuned/sum_f32.cu"' "$AUTOTUNE"
check front-page-names-an-arch grep -q '^    nvcc -arch=sm_90 -c tuned/sum_f32.cu' "$ROOT/README.md"
block() {
    awk -v open="\`\`\`$1" '$0 == open { inside = 1; text = ""; next }
        /^```/ { if (inside && text ~ /sum_f32/) printf "%s", text; inside = 0 }
        inside { text = text $0 "\n" }' "$ROOT/README.md"
}
{
    printf 'cmake_minimum_required(VERSION 3.18)\nproject(app LANGUAGES CXX)\nadd_executable(app app.cpp)\n'
    block cmake
} > front/CMakeLists.txt
{
    block cpp | grep '^#include'
    printf 'int main()\n{\n    const float *in = 0;\n    float *out = 0;\n    size_t n = 0, n_max = 1000;\n    cudaStream_t stream = 0;\n'
    block cpp | grep -v '^#include'
    echo '}'
} > front/app.cpp
if command -v cmake > cmake.log 2>&1; then
    check front-page sh -c "grep -q 'sum_f32(in, n' front/app.cpp &&
        CUDACXX=$NVCC cmake -S front -B front/build > cmake.log 2>&1 && cmake --build front/build >> cmake.log 2>&1"
else
    skip front-page "no cmake here"
fi

# --- Machine code ------------------------------------------------------------------------------
run export --space $space --format images --prefix my --arch sm_75,sm_90 --cache cache-gpus --output code --quiet
if [ "$status" -eq 69 ]; then
    skip images "no NVRTC here"
    finish
fi
check images-made has_status 0
cat > images.c <<'END'
#include "my_images.h"
#include <stdio.h>
int main(void)
{
    static const int devices[] = {70, 75, 86, 90, 120};
    for (int i = 0; i < 5; i++) {
        const struct my_image *image = my_find_image(devices[i]);
        enum my_fit match = MY_EXACT;
        if (!image) {
            printf("none ");
            continue;
        }
        const struct my_device device = {90, 132, image->cc, 0, 0, 0, 0};
        const int row = my_select(&device, 4294967296, &match);
        printf("%d%s:%d:%d ", image->cc, image->is_ptx ? "ptx" : image->bytes[1] == 'E' ? "" : "?",
               row == MY_DEFAULT_ROW, (int)match);
        if (!image->names[my_steps[my_rows[row].first].kernel])
            return 1;
    }
    return 0;
}
END
cp images.c images.cc
cp code/my_images.c made.cc
check images-c99 $CC -std=c99 $WARN -Icode -o images images.c code/my_images.c
check images-c++17 g++ -std=c++17 $WARN -Icode -o images++ images.cc made.cc
check images sh -c "./images > images.out; cat images.out
    grep -qx 'none 75:0:1 75ptx:0:1 90:0:0 90ptx:0:0 ' images.out"
mv code again
run export --space $space --format images --prefix my --arch sm_75,sm_90 --cache cache-gpus --output code --quiet
check images-same-bytes diff -r code again
run export --space $space --format header,images --prefix my --arch sm_90 --cache cache-gpus --output both --quiet
check each-file-once test "$(sort out | tr '\n' ' ')" = "both/my_images.c both/my_images.h both/my_table.h "
finish

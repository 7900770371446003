#!/bin/sh
# Tests the builds that people give an export: whatever the architectures are, a kernel is in the code
# that can have it, and nvcc warns once where a row is in none; with other options, two exports in one
# program, in shared libraries and with -rdc. A launcher whose GPU refuses a row takes the next best.
. tests/command/helpers
NVCC=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2> /dev/null)
if [ -z "$NVCC" ]; then
    skip builds "no nvcc here"
    finish
fi

# What ships: kernels for any architecture, and one of bulk copies, for sm_90.
run export --op sum --type f32 --n 1Ki,64Ki,1Mi,1Gi --format cu --prefix my --output one --quiet
check exported has_status 0
run export --op argmax --type f32 --n 1Mi --format cu --prefix other --output two --quiet
check other-exported has_status 0
check header-names-arch grep -q 'nvcc .*-arch=sm_90' one/my.h

# builds NAME WARNINGS OPTION...: how often nvcc warns; the object is NAME.o.
builds() {
    build=$1 wanted=$2
    shift 2
    "$NVCC" -std=c++17 -Xcompiler -Wall,-Wextra "$@" -c -o "$build.o" one/my.cu > "$build.log" 2>&1
    check "build $build" sh -c "test -s $build.o || { cat $build.log; false; }"
    check "warnings $build" sh -c "test \$(grep -c 'warning:' $build.log) = $wanted || { cat $build.log; false; }"
}
builds plain 1
check warning-names grep -q 'my: [0-9]* of [0-9]* tuned rows need sm_90 or newer.*compile with -arch=sm_90; MY_NO_ARCH_WARNING silences this' plain.log
builds sm_80 1 -arch=sm_80
builds sm_90 0 -arch=sm_90 -Werror all-warnings
builds all-major 0 -arch=all-major -Werror all-warnings
builds several 0 -gencode arch=compute_75,code=sm_75 -gencode arch=compute_90,code=sm_90 -Werror all-warnings
builds silenced 0 -DMY_NO_ARCH_WARNING -Werror all-warnings
builds fast-math 0 -arch=sm_90 -use_fast_math -Werror all-warnings
builds pic 0 -arch=sm_90 -Xcompiler -fPIC -Werror all-warnings
builds rdc 0 -arch=sm_90 -rdc=true -Xcompiler -fPIC -Werror all-warnings

# Only kernels that need more are empty in code for older architectures.
# empty [OPTION...]: how many kernels the PTX has, and how many of them do nothing.
empty() {
    "$NVCC" -std=c++17 -DMY_NO_ARCH_WARNING "$@" -ptx -o my.ptx one/my.cu
    awk '/ \.entry /                            { all++; inside = 1; lines = 0 }
         inside && /;$/ && !/^[ \t]*\.(reg|loc)/ { lines++; last = $1 }
         inside && /^}/                         { inside = 0; none += lines == 1 && last == "ret;" }
         END                                    { print all + 0, none + 0 }' my.ptx
}
# lacking CC: the same as the table of steps has it: pass, kernel, what it needs.
lacking() {
    sed -n '/my_step my_steps/,/^}/s/^    {//p' one/my.cu |
        awk -F', ' -v cc="$1" '!seen[$2]++ { all++; none += $3 > cc } END { print all, none }'
}
check ptx-plain test "$(empty)" = "$(lacking 75)"
check ptx-sm_80 test "$(empty -arch=sm_80)" = "$(lacking 80)"
check ptx-sm_90 test "$(empty -arch=sm_90)" = "$(lacking 90)"
check ptx-has-some test "$(lacking 75 | awk '{ print ($2 > 0 && $1 > $2) }')" = 1

# Two exports in one program, whole and by a linker for devices, and in shared libraries.
cat > main.cc << 'MAIN'
#include "my.h"
#include "other.h"
int main()
{
    size_t bytes = 0;
    return my_workspace_bytes(5, &bytes) + other_workspace_bytes(5, &bytes) == 0;
}
MAIN
compiles_other() {
    "$NVCC" -std=c++17 -arch=sm_90 -Werror all-warnings "$@" -c -o other.o two/other.cu
}
links() {
    "$NVCC" -std=c++17 -arch=sm_90 -Ione -Itwo "$@"
}
check two-compiled compiles_other
check two-in-a-program links -o program main.cc sm_90.o other.o
check one-shared links -shared -o libmy.so pic.o
check two-compiled-rdc compiles_other -rdc=true -Xcompiler -fPIC
check two-in-a-program-rdc links -rdc=true -o program main.cc rdc.o other.o
check two-shared-rdc links -rdc=true -Xcompiler -fPIC -shared -o libboth.so rdc.o other.o
check two-shared-runtime links -rdc=true -cudart shared -o program main.cc rdc.o other.o

# A GPU that does not grant clusters, or memory for a ring, gets a row that it can run.
run export --op sum --type i32 --scan inclusive --format cu --prefix my --output scan --quiet
INCLUDE=$(dirname "$NVCC")/../include
[ -f "$INCLUDE/cuda_runtime_api.h" ] || INCLUDE=/usr/local/cuda/include
sed 's/"exported.h"/"my.h"/' "$ROOT/tests/command/fake_runtime.c" > fake.c
check scan-compiled "$NVCC" -std=c++17 -arch=sm_90 -Werror all-warnings -c -o scan.o scan/my.cu
${CC:-cc} -std=c99 -isystem "$INCLUDE" -Iscan -c -o fake.o fake.c && g++ -o fake fake.o scan.o > fake.log 2>&1
if [ ! -x fake ]; then
    skip launcher "this nvcc's objects ask for another runtime than the stand-in"
    finish
fi
# launches NAME N PATTERN [NAME=VALUE...]: the launcher's lines, joined by ';'.
launches() {
    launch=$1 n=$2 pattern=$3
    shift 3
    env FAKE_CC=90 FAKE_SMS=132 FAKE_PTX=90 FAKE_CLOCK=3201000 FAKE_BUS=6016 "$@" ./fake "$n" "$n" |
        sed 's/_ZN10my_kernels2v[0-9]*4scanE[^ ]*/K/' | tr '\n' ';' > launched
    check "launcher $launch" sh -c "grep -E '$pattern' launched || { cat launched; false; }"
}
launches cluster 16384 'match 0 [^;]*CLUSTER=16 [^;]*;allow K 14 1;K 16 [0-9]+ 0 16 0 16384;workspace [0-9]+, error 0;$'
launches reset 16384 'K 16 [0-9]+ 0 16 0 16384;allow K 14 1;K 16 [0-9]+ 0 16 0 16384;workspace [0-9]+, error 0;$' FAKE_RESET=1
launches cluster-refused 16384 'match 1 [^;]*CLUSTER=[48] [^;]*;.*workspace [0-9]+, error 0;$' FAKE_CLUSTER=8
launches no-clusters 16384 'match 1 [^;]*CLUSTER=1 [^;]*;.*workspace [0-9]+, error 0;$' FAKE_CLUSTER=1
launches ring-refused 400000000 'match 1 [^;]*;.*workspace [0-9]+, error 0;$' FAKE_SHARED=101376
launches other-memory 16384 'match 2 [^;]*CLUSTER=16 ' FAKE_CLOCK=2619000 FAKE_BUS=5120
launches older-code 16384 'match 1 [^;]*CLUSTER=1 ' FAKE_PTX=75
finish

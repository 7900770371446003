#!/bin/sh
# Tests that no flag of a user's build changes what is promised of denormals, NaN and rounding: exports
# and emitted kernels under nvcc's -use_fast_math, -ftz and -fmad, and autotune_reference.h under
# -ffast-math and its like. They give no warning under flags that have nothing to do with floats.
. tests/command/helpers
mkdir nothing # a folder of records that has none

# --- The reference -----------------------------------------------------------------------------
cat > reference.c <<'EOF'
#include "autotune_reference.h"

/* Denormals, -0 alone, infinities of both signs, and a square that must not be fused. 2: it says no. */
static int differs(const char *op, const float *x, uint64_t n, uint32_t bits)
{
    float y = 7;
    uint32_t got;
    if (autotune_reference(&y, op, "f32", "f32", x, n, 1))
        return y == 7 ? 2 : 1;
    memcpy(&got, &y, sizeof got);
    return bits == 0x7fc00000 ? (got & 0x7fffffff) <= 0x7f800000 : got != bits;
}

int main(void)
{
    static const uint32_t words[] = {0x00012345, 0x00054321, 0x80000000, 0x80000000,
                                     0x7f800000, 0xff800000, 0x3f800001, 0xb1000000};
    float x[8];
    int sum, zero;
    memcpy(x, words, sizeof x);
    sum = differs("sum", x, 2, 0x00066666);
    zero = differs("sum", x + 2, 2, 0);
    if (sum == 2 && zero == 2)
        return 2;
    return sum || zero || differs("sum", x + 4, 2, 0x7fc00000) ||
           differs("sumsq", x + 6, 1, 0x3f800002);
}
EOF
# A compiler either gives the right bits or says in one sentence what it must not be told; where a
# program begins with denormals taken for zeros the reference says no.
right_or_refused() {
    if ! "$@" -I"$ROOT/include" -o reference reference.c > reference.log 2>&1; then
        cat reference.log
        [ "$(grep -c 'error:' reference.log)" -eq 1 ] &&
            grep -q 'error: .*autotune_reference.h: .*-ffast-math.*: compile without them' reference.log
        return
    fi
    ./reference || [ $? -eq 2 ]
}
refused_by_reference() {
    right_or_refused "$@" && [ -s reference.log ] && ! grep -q warning reference.log
}
for cc in gcc clang; do
    if ! command -v $cc > /dev/null; then
        skip "reference $cc" "no $cc here"
        continue
    fi
    for flag in -ffast-math -Ofast -ffinite-math-only; do
        check "reference-refuses $cc $flag" refused_by_reference $cc $flag
    done
    for flags in -O0 -O3 "-O3 -fno-signed-zeros" "-O3 -funsafe-math-optimizations" "-O3 -ffp-contract=fast" \
        "-O3 -freciprocal-math" "-O3 -fno-trapping-math"; do
        # shellcheck disable=SC2086 # several words
        check "reference $cc $flags" right_or_refused $cc $flags
    done
    check "reference-right $cc" sh -c "$cc -O3 -I'$ROOT/include' -o reference reference.c && ./reference"
    # Files compiled without the flag, in a program that is linked with it.
    $cc -O2 -I"$ROOT/include" -c -o reference.o reference.c
    check "reference $cc linked -ffast-math" sh -c "$cc -ffast-math -o linked reference.o && { ./linked || [ \$? -eq 2 ]; }"
done

# --- Kernels -----------------------------------------------------------------------------------
NVCC=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2> /dev/null)
if [ -z "$NVCC" ]; then
    skip kernels "no nvcc here"
    finish
fi

# Exports and emitted kernels, all in one file, as nvcc takes longer to begin than for a kernel.
# exports PREFIX OPTION...: those of the sizes at which kernels differ most.
exports() {
    prefix=$1
    shift
    run export --format cu --output exported --prefix "$prefix" --gpu H200 --quiet "$@"
    check "export $prefix" has_status 0
    echo "#include \"$prefix.cu\"" >> all.cu
}
# emits NAMESPACE OPTION...
emits() {
    space=$1
    shift
    run emit --quiet --cache nothing "$@"
    check "emit $space" has_status 0
    cp out "exported/$space-kernels.cu"
    printf '#include <cuda_runtime.h>\nnamespace %s {\n#include "%s-kernels.cu"\n}\n' "$space" "$space" >> all.cu
}
mkdir exported
exports sum_f32 --type f32 --n 1Ki,1Mi,400M
exports sumsq_bf16 --op sumsq --type bf16 --n 1Mi
exports prod_f32 --op prod --type f32 --n 64Ki
exports min_f32 --op min --type f32 --n 1Mi
exports argmin_f32 --op argmin --type f32 --n 1Mi
exports argmax_bf16 --op argmax --type bf16 --n 1Mi
exports rows_f32 --space rows --type f32
exports columns_bf16 --space columns --type bf16
exports scan_f32 --scan inclusive --type f32
exports order1_f32 --order n --op sumsq --type f32
exports order1_f64 --order n --op sumsq --type f64
emits binned --type f32 --n 1Mi --arch sm_90 --variant FINISH=BINNED,GRID=1
emits max_below_80 --op max --type f32 --n 1Mi --arch sm_75
emits to_f64_sum --type f32 --acc f64 --n 1Mi --arch sm_90
emits to_f64_sumsq --op sumsq --type bf16 --acc f64 --n 1Mi --arch sm_90
emits to_f64_max --op max --type f32 --acc f64 --n 1Mi --arch sm_90
emits order1_rows --order n --op sumsq --type f32 --rows 1000 --len 5000 --arch sm_90
emits scan_sumsq --scan exclusive --op sumsq --type f32 --n 1Mi --arch sm_90

compile() {
    "$NVCC" -std=c++17 -arch=sm_90 -Iexported -Werror all-warnings "$@"
}
# What flushes, but for what no value comes through: is it a NaN, magnitudes that choose a bin, infinities
# that are counted, and f32 that are no denormals on their way to f64. And arithmetic of order n
# that could be fused, or is.
flushing() {
    awk '
    /\.entry / { name = $0 }
    $1 ~ /\.ftz/ && $1 !~ /^(abs|sub|setp\.nan|setp\.num)\.ftz\.f32$/ &&
        ($1 != "cvt.ftz.f64.f32" || name ~ /to_f64/) { print name ": " $0 }' "$1"
}
fusing() {
    awk '
    /\.entry / { is_ordered = /order1/; ordered += is_ordered }
    is_ordered && $1 ~ /^(fma|mad|add|sub|mul)\..*f(32|64)$/ && $1 !~ /^(add|mul)\.rn\.f(32|64)$/ { print $0 }
    END { if (!ordered) print "no kernel of order n" }' "$1"
}
finds_none() {
    [ -s "$2" ] && "$@" > found || return
    head -n 20 found
    [ ! -s found ]
}
for flags in "" -fmad=false "-ftz=true -fmad=true" -use_fast_math; do
    case $flags in # two by turns
    -fmad*) is_turn 0 2 || continue ;;
    -ftz*) is_turn 1 2 || continue ;;
    esac
    rm -f all.ptx
    # shellcheck disable=SC2086 # several words
    check "compiles ${flags:-plain}" compile $flags -ptx -o all.ptx all.cu
    check "flushes-nothing ${flags:-plain}" finds_none flushing all.ptx
    check "fuses-nothing ${flags:-plain}" finds_none fusing all.ptx
done
check knows-what-flushes grep -q '\.ftz' all.ptx # where it is no matter

# --- Warnings ----------------------------------------------------------------------------------
# sets K NAME FLAG...: compiles to an object, without a warning of any phase; one set a day.
sets() {
    set=$2
    is_turn "$1" 4 || return
    shift 2
    check "no-warning $set" compile -Xcompiler -Wall,-Wextra,-Wconversion "$@" -c -o all.o all.cu
}
sets 0 c++14 -std=c++14
sets 1 "c++20 -rdc" -std=c++20 -rdc=true -default-stream per-thread --restrict
sets 2 debug -G -O0
if command -v clang++ > /dev/null; then
    sets 3 clang++ -ccbin clang++ -Xptxas -O1 -extra-device-vectorization
else
    skip no-warning-clang++ "no clang++ here"
fi
finish

#!/bin/sh
# Tests `emit`: kernels as source, PTX and machine code, with and without a record.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
mkdir nothing # a folder of records that has none
small_space small.ini

run emit --arch sm_90
check shipped-record grep -q "^variant .*shipped" err
# Which variant that is does not depend on what was changed in the template.
sed 's/a = fold(a, got\[u\]);/a = (fold(a, got[u]));/' "$ROOT/templates/reduce.cu" > own.cu
check own-template-differs test "$(cmp -s own.cu "$ROOT/templates/reduce.cu"; echo $?)" -eq 1
for template in own.cu "$ROOT/templates/reduce.cu"; do
    run emit --arch sm_90 --template "$template"
    check takes-nothing-shipped grep -q "^variant .*default: what ships is of another template" err
done
run emit --op sum --type f32 --order n --n 100K --arch sm_90 --cache nothing
check shipped-in-order-n grep -q "^variant .* 256Ki cold order n (shipped)" err
run emit --arch sm_90 --type f32 --acc f64 # of which no record ships
cp out default.cu
check source grep -q '__global__' out
check says-where-from grep -q "^variant .*default" err
run emit --arch sm_90 --type f32 --acc f64 --quiet
check quiet test ! -s err
check same-again cmp out default.cu

# The first lines name the command that emits the very same kernel again, as NVRTC sees it.
says_how_to_emit_again() {
    again=$(grep -o 'autotune emit .*' default.cu | head -n 1)
    [ -n "$again" ] || { echo "no command in the first lines"; return 1; }
    # shellcheck disable=SC2086 # the words of the command
    "$AUTOTUNE" ${again#autotune } > again.cu 2> /dev/null || return 1
    sed '/^#ifndef __CUDACC_RTC__/,/^#endif/d' default.cu | cat -s > by-nvrtc.cu
    head -c "$(wc -c < again.cu)" by-nvrtc.cu | cmp - again.cu
}
check emits-again says_how_to_emit_again

run emit --arch sm_90 --variant BLOCK=512,ITEMS=8 --quiet
check variant grep -Eq 'BLOCK = 512' out
check variant-is-another test "$(cmp -s out default.cu; echo $?)" -eq 1
run emit --arch sm_90 --variant "BLOCK=512 ITEMS=8" --quiet
check variant-with-spaces grep -Eq 'BLOCK = 512' out
run emit --arch sm_90 --variant ITEMS=4,VECTOR=4,UNROLL=8
check outside-the-rules has_status 0
check outside-the-rules-is-said grep -q '^note .*by the rule: ' err
run emit --arch sm_90 --variant FINISH=ATOMIC --type f64 --quiet
check atomic has_status 0
refuses atomic-of-f32 64 "turn denormals into zeros): choose another --variant, or another --order" emit --arch sm_90 \
    --variant FINISH=ATOMIC --type f32 --quiet
run emit --arch sm_90 --variant FINISH=ATOMIC --type f32 --order any --quiet
check atomic-in-any-order grep -q 'order any' out
refuses atomic-in-no-order 64 "does not keep the order" emit --arch sm_90 --variant FINISH=ATOMIC \
    --type f32 --deterministic --quiet
run emit --arch sm_90 --variant FINISH=ATOMIC --deterministic
check atomic-of-integers has_status 0
check integers-are-so-already grep -q "same bits in any order" err
run emit --arch sm_90 --op max --type f64 --quiet
check other-problem grep -q 'double' out
run emit --arch host --quiet
check host grep -q '__global__' out
for pass in $("$AUTOTUNE" emit --arch sm_90 --quiet --pass nothing 2> /dev/null; \
    sed -n 's/^\[pass \(.*\)\]$/\1/p' "$ROOT/configs/reduce.ini"); do
    run emit --arch sm_90 --pass "$pass" --quiet
    case $status in
    0) check "pass-$pass" test "$(grep -c '__global__' out)" -eq 1 ;;
    *) check "pass-$pass-not-here" refused 64 "no such pass" ;;
    esac
done

# Compiled.
run emit --arch sm_90 --ptx --quiet
if [ "$status" -eq 69 ]; then
    skip compiled "no NVRTC for sm_90 here"
else
    check ptx grep -q '^\.target sm_90' out
    check ptx-entry grep -q '\.entry _ZN2v06reduceE' out
    check ptx-text test "$(tr -d '\0' < out | wc -c)" -eq "$(wc -c < out)"
    run emit --arch sm_90 --cubin kernel.cubin --quiet
    check cubin test "$(head -c 4 kernel.cubin | od -An -tx1 | tr -d ' \n')" = 7f454c46
    check cubin-nothing-on-stdout test ! -s out
    refuses cubin-full-disk 74 "/dev/full" emit --arch sm_90 --cubin /dev/full --quiet
    run emit --arch sm_90 --sass --quiet
    case $status in
    0) check sass grep -Eq 'EXIT' out ;;
    *) check sass-no-tool refused 69 "(cuobjdump|nvdisasm).*install" ;;
    esac
    mkdir tools
    printf '#!/bin/sh\necho "    EXIT ;"\n' > tools/nvdisasm
    chmod +x tools/nvdisasm
    PATH=$SCRATCH/tools:$PATH run emit --arch sm_90 --sass --quiet
    check sass-of-a-tool grep -q 'EXIT' out
    PATH=$SCRATCH/tools:$PATH "$AUTOTUNE" emit --arch sm_90 --sass --quiet > /dev/full 2> err
    status=$?
    check sass-full-disk has_status 74
fi

# The record of the same architecture serves, and is named. A stand-in for a GPU's record: the
# host's, under another name, has another checksum, so it must not serve.
run --device host --n 1K --space small.ini --quiet
sed 's/^gpu = host/gpu = NVIDIA H200/; s/^source = .*/source = measured/' \
    "$XDG_CACHE_HOME/autotune/host.ini" > "$XDG_CACHE_HOME/autotune/nvidia-h200.ini"
chmod 600 "$XDG_CACHE_HOME/autotune/nvidia-h200.ini"
run emit --arch sm_90 --n 1K --space small.ini
check edited-record-serves-nobody grep -q "^variant .*default" err

# Signed, it does. Of two GPUs' records the nearer breaks a rule: the other is taken.
# add GPU N LOAD
add() {
    fields_of "$XDG_CACHE_HOME/autotune/host.ini" |
        sed "s/^gpu = .*/gpu = $1/; s/^depth = .*/depth = $2/; s/^source = .*/source = measured/
             s/^code = .*/code = 0000000000000000/; s/LOAD=[A-Z_]*/LOAD=$3/; s/GRID=[0-9]*/GRID=0/" > fields
    "$SIGN" others/"$1".ini < fields
}
mkdir -m 700 others
add Nearer 1000 NO_ALLOCATE
add Farther 64000 PLAIN
run emit --arch sm_90 --n 1K --space small.ini --cache others
check second-best grep -q "^variant .*of Farther's record of sum i32 64K cold (same comp" err
check second-best-no-warning test "$(grep -c warning err)" -eq 0
run emit --arch sm_90 --n 1K --space small.ini --cache others --variant BLOCK=128
check variant-stands-on-the-default grep -q "^variant .*the space's default, changed by --variant" err
rm others/Farther.ini
run emit --arch sm_90 --n 1K --space small.ini --cache others
check no-best grep -q "^variant .*default: no record fits" err
# The host's kernel is of the host's own record, whoever is asked for it.
for host in "--arch host" "--device host"; do
    # shellcheck disable=SC2086 # two words
    run emit $host --n 1K --space small.ini
    check "host-record $host" grep -q "^variant .*of host's record of sum i32 1K cold (exact)" err
done
mkdir bare
ln -s "$(command -v timeout)" "$(command -v sh)" bare
PATH=$SCRATCH/bare run emit --arch host --n 1K --space small.ini
check host-without-a-compiler has_status 0
refuses arch-of-a-device 64 "choose one" emit --arch sm_90 --device host

# A space and a template of the user's own are named, as a shell takes them, in a command that works.
mkdir "o w'n"
sed 's/BLOCK = 64/BLOCK = 128/' small.ini > "o w'n/small.ini"
cp "$ROOT/templates/reduce.cu" "o w'n/q 1.cu"
run emit --space "o w'n/small.ini" --template "o w'n/q 1.cu" --n 2K --arch sm_90 --pass main --quiet
cp out own.cu
check own-template-is-named grep -q "made from o w'n/q 1.cu by" own.cu
sed -n 's,^// autotune ,,p' own.cu | head -n 1 | xargs "$AUTOTUNE" > again.cu 2> /dev/null
check own-files-again cmp own.cu again.cu
ln -s "o w'n" "$(printf 'two\nlines')"
run emit --space "$(printf 'two\nlines/small.ini')" --n 2K --arch sm_90 --quiet --pass main
check name-ends-no-comment grep -q "^// autotune emit --space \$'two.012lines/small.ini' --op" out

# A source by itself says how it is launched, and compiles, also one of two passes.
run emit --arch sm_90 --n 400M --quiet
check says-how-to-launch grep -q 'cudaError_t launch_sum_i32_400000000(const void \*input, void \*output' out
check says-the-grid grep -Eq 'config.gridDim = dim3\([0-9]+\);' out
cp out one.cu
run emit --arch sm_90 --rows 4 --len 100M --variant SPLIT=PARTS --quiet
check two-passes test "$(grep -c '^namespace pass_' out)" -eq 2
cp out two.cu
run emit --arch sm_90 --n 1K --space reduce-wide --variant FINISH=ATOMIC --quiet
cp out atomic.cu
run emit --arch sm_90 --n 1Gi --type f32 --variant STAGES=4,LOAD=BULK,BLOCK=128,VECTOR=4,UNROLL=16,ITEMS=64 --quiet
cp out shared.cu
run emit --arch sm_90 --n 4Gi --type f32 --variant STAGES=4,LOAD=BULK,BLOCK=128,VECTOR=4,UNROLL=16,ITEMS=64 --quiet
cp out shared_4.cu
run emit --arch sm_90 --n 64Ki --type f32 --variant BLOCK=256,ITEMS=16,VECTOR=4,UNROLL=4,CLUSTER=16,FINISH=PASSES \
    --space reduce-wide --quiet
cp out cluster.cu
run emit --arch host --quiet
check host-has-no-launch sh -c '! grep -q cudaError_t out'
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2> /dev/null)
if [ -z "$nvcc" ]; then
    skip compiled-by-nvcc "no nvcc"
else
    compile() {
        "$nvcc" -arch=sm_90 -Werror all-warnings -Xcompiler -Wall,-Wextra "$@"
    }
    check compiles-alone compile -c one.cu -o one.o
    check compiles-alone-two compile -rdc=true -c two.cu -o two.o
    check compiles-alone-atomic compile -std=c++11 -c atomic.cu -o atomic.o

    # Several in one program launch their own kernels: of one type and of two, of one size and of two, and
    # one that another file has too; and in one source. What a kernel must be allowed is asked for in
    # each context.
    cp shared.cu shared_again.cu
    files="one two atomic shared shared_4 shared_again cluster"
    for file in $files; do
        name=$(sed -n 's/.*cudaError_t \(launch_[a-z0-9_]*(\).*/\1/p' $file.cu)
        printf 'int go_%s() { return %s(char *)0 + 4096, (char *)0 + 8192, (char *)0 + 16384, (char *)0 + 32768, 0); }\n' \
            $file "$name" >> $file.cu
        "$nvcc" -arch=sm_90 -c $file.cu -o $file.o
    done
    for file in shared shared_again; do
        "$nvcc" -arch=sm_90 -rdc=true -c $file.cu -o $file-rdc.o
    done
    check device-link "$nvcc" -arch=sm_90 -dlink -o linked.o shared-rdc.o shared_again-rdc.o
    printf '#include "%s.cu"\n' one two shared shared_4 > all.cu
    check several-in-one-source compile -c all.cu -o all.o
    cat > main.cpp << 'C'
#include <cuda_runtime_api.h>
#include <cstdio>
#include <cstdlib>
int go_one(), go_two(), go_atomic(), go_shared(), go_shared_4(), go_shared_again(), go_cluster();
int main()
{
    int (*const all[])() = {go_one, go_two, go_atomic, go_shared, go_shared_4, go_shared_again, go_cluster};
    for (int i = 0; i < 4; i++) {
        cudaSetDevice(i / 2);
        for (int (*go)() : all)
            printf("error %d\n", go());
        cudaDeviceReset();
    }
    printf("left %d\n", cudaPeekAtLastError());
}
C
    INCLUDE=$(dirname "$nvcc")/../include
    [ -f "$INCLUDE/cuda_runtime_api.h" ] || INCLUDE=/usr/local/cuda/include
    cc -std=c11 -isystem "$INCLUDE" -c "$ROOT/tests/command/fake_contexts.c" -o contexts.o
    # shellcheck disable=SC2046 # a word a file
    check several-in-one-program g++ -std=c++17 -isystem "$INCLUDE" -o several main.cpp contexts.o $(printf '%s.o ' $files)
    ./several > launched
    head -n 7 launched | sed 's/_ZN[0-9]*_GLOBAL__N__[0-9a-z]*_[0-9]*_\([a-z0-9_]*\)_cu_[^ ]*/\1/g' > names
    printf '%s error 0\n' one "two two" "atomic atomic" shared shared_4 shared_again cluster > expected
    check each-its-own diff expected names
    check in-each-context test "$(grep -c 'error 0$' launched)" -eq 28
    FAKE_REFUSES=1 ./several > refused
    check refused-is-returned test "$(grep -c '^error 1$' refused)" -eq 16
    check refused-is-not-left grep -q '^left 0$' refused
fi
refuses pass-of-no-name 64 "no such pass: it has [a-z]+" emit --arch sm_90 --pass nope --quiet --cache nothing
run emit --n 1K --arch sm_90 --variant BLOCK=77 --cache nothing
check error-of-a-variant-stands-alone sh -c '[ "$(wc -l < err)" -eq 1 ] && grep -q "BLOCK=77.*choose one" err'
finish

#!/bin/sh
# Tests judge: each wrong kernel of tests/judge/wrong is found, with the sentence that its file says; kernels of our own,
# as `emit` gives them, and those of tests/judge/right are never called wrong. In a day's run a few of each, all
# with EVERY=1.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
KERNELS_DIR=$ROOT/tests/judge

# judge FILE ARGUMENT...: with what its first lines say.
judge() {
    file=$1
    shift
    given=$(sed -n 's|^// judge ||p' "$file")
    cp "$file" .
    eval "run judge \"${file##*/}\" --device host $given $*"
}
says() {
    unwrap
    grep -Eq "$(sed -n 's|^// says ||p' "$file")" out
}

number=0
for file in "$KERNELS_DIR"/wrong/*.cu; do
    number=$((number + 1))
    is_turn $((number % 4)) 4 || continue
    name=$(basename "$file" .cu)
    judge "$file"
    check "$name" has_status 70
    check "$name-says" says
done
for file in "$KERNELS_DIR"/right/*.cu; do
    number=$((number + 1))
    is_turn $((number % 2)) 2 || continue
    judge "$file"
    check "$(basename "$file" .cu)" has_status 0
done

# Our own, of which blocks take tiles in turn.
number=0
for block in 64 256; do
    for vector in 1 4; do
        for unroll in 1 4; do
            for warp in SHUFFLE REDUX; do
                for op in sum max xor min; do
                    number=$((number + 1))
                    is_turn $((number % 16)) 16 || continue
                    run emit --arch host --op $op --n 1000 \
                        --variant "BLOCK=$block,ITEMS=16,VECTOR=$vector,UNROLL=$unroll,WARP=$warp,WALK=STRIDED,FINISH=PASSES,LOAD=PLAIN,ACCUMS=1,GRID=0,STAGES=0"
                    [ "$status" = 0 ] || continue # WARP knows few operations
                    cp out own.cu
                    run judge own.cu --device host --kernel reduce --op $op --n 2000 --args 'input n output' \
                        --grid 'min(3, ceil_div(n, 1000))' --outputs 'min(3, ceil_div(n, 1000))' --block $block
                    check "own-$block-$vector-$unroll-$warp-$op" has_status 0
                done
            done
        done
    done
done

# A whole file from a blog, with its main; in all forms.
cp "$KERNELS_DIR/blog.cu" .
run_blog() {
    run judge blog.cu --device host --kernel sumKernel --type f32 --n 2000 --args 'input output n' \
        --grid 'ceil_div(n, 256)' --block 256 --shared 1024 "$@"
}
run_blog --zeroed --json right.json --markdown right.md
check blog has_status 0
check blog-json grep -q '"verdict": "right"' right.json
check blog-markdown grep -q '^## Right: sum f32: kernel sumKernel of blog.cu' right.md
run_blog --json wrong.json --markdown wrong.md
check blog-not-zeroed has_status 70
check blog-json-why grep -q '"why": "It adds to what its output holds before' wrong.json
check blog-json-sizes grep -q '{"size": "1", "n": 1, ' wrong.json
check blog-markdown-sizes grep -q '^| 1 | ' wrong.md

# What nobody can judge.
refuses no-kernel 64 'has no kernel .nosuch.: give one of those that it has to --kernel: sumKernel' \
    judge blog.cu --device host --kernel nosuch --args input --grid 1 --block 1
refuses no-args 64 'judge cannot know how it is launched: give --args' judge blog.cu --kernel sumKernel
refuses bad-arg 64 "--args has 'inputs'" judge blog.cu --kernel sumKernel --args 'inputs output n' --grid 1 --block 1
refuses bad-grid 64 "--grid is 'm / 2', no expression" judge blog.cu --kernel sumKernel --args 'input output n' --grid 'm / 2' --block 1
refuses too-few-args 64 'has 3 parameters, and --args names 2' judge blog.cu --kernel sumKernel --args 'input output' --grid 1 --block 1
refuses no-scratch 64 'give its bytes to --scratch' judge blog.cu --kernel sumKernel --args 'input scratch n' --grid 1 --block 1
refuses no-cu 64 'whose name ends in .cu' judge blog.txt --kernel sumKernel --args input --grid 1 --block 1
refuses other-operation 64 'more than a law of combining' judge blog.cu --kernel sumKernel --op var --type f32 --args input --grid 1 --block 1
refuses several-files 64 'judge takes one file' judge blog.cu blog.cu --kernel sumKernel
echo '__global__ void total(int *x) { x[0] = no_such_thing; }' > broken.cu
run judge broken.cu --device host --kernel total --args output --grid 1 --block 1
check no-compile has_status 1
check no-compile-says grep -q "^broken.cu:1:.*'no_such_thing' undeclared" err
finish

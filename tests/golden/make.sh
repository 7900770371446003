#!/bin/sh
# Writes the golden files: a kernel of each kind, as `autotune emit` prints it, to be reviewed
# by `git diff`.
# Usage: AUTOTUNE=PROGRAM tests/golden/make.sh [FOLDER]
set -eu
: "${AUTOTUNE:?the program to ask}"
folder=${1:-$(dirname "$0")}
XDG_CACHE_HOME=$(mktemp -d) # no record decides what is left open
export XDG_CACHE_HOME
trap 'rm -rf "$XDG_CACHE_HOME"' EXIT

# kernel NAME OP TYPE ACC ARCH PASS VARIANT
kernel() {
    "$AUTOTUNE" emit --quiet --op "$2" --type "$3" --acc "$4" --arch "$5" --pass "$6" \
        --variant "$7" > "$folder/$1.cu"
}

kernel sum_i32_shuffle sum i32 i32 sm_90 main \
    BLOCK=256,ITEMS=16,VECTOR=4,UNROLL=4,WARP=SHUFFLE,LOAD=PLAIN,MIN_BLOCKS=1,FINISH=PASSES
kernel sum_i32_last_block sum i32 i32 sm_90 whole \
    BLOCK=256,ITEMS=64,VECTOR=4,UNROLL=16,WARP=SHUFFLE,LOAD=NO_ALLOCATE,MIN_BLOCKS=1,FINISH=LAST_BLOCK
kernel sum_i32_host sum i32 i32 host whole \
    BLOCK=64,ITEMS=4,VECTOR=1,UNROLL=4,WARP=SHUFFLE,LOAD=PLAIN,MIN_BLOCKS=0,FINISH=LAST_BLOCK
kernel sum_f32_rest sum f32 f64 sm_120 rest \
    BLOCK=512,ITEMS=8,VECTOR=4,UNROLL=2,WARP=SHUFFLE,LOAD=NO_ALLOCATE,MIN_BLOCKS=1,FINISH=PASSES
kernel max_f32_sm_75 max f32 f32 sm_75 main \
    BLOCK=128,ITEMS=32,VECTOR=4,UNROLL=8,WARP=SHUFFLE,LOAD=NONCOHERENT,MIN_BLOCKS=1,FINISH=PASSES
kernel max_f32_sm_90 max f32 f32 sm_90 main \
    BLOCK=128,ITEMS=32,VECTOR=4,UNROLL=8,WARP=SHUFFLE,LOAD=NONCOHERENT,MIN_BLOCKS=1,FINISH=PASSES
kernel and_u32_redux and u32 u32 sm_80 whole \
    BLOCK=1024,ITEMS=8,VECTOR=4,UNROLL=2,WARP=REDUX,LOAD=PLAIN,MIN_BLOCKS=0,FINISH=LAST_BLOCK
kernel prod_i64_tree prod i64 i64 sm_120 whole \
    BLOCK=512,ITEMS=16,VECTOR=2,UNROLL=8,WARP=TREE,LOAD=PLAIN,MIN_BLOCKS=1,FINISH=LAST_BLOCK
kernel min_f64_volatile min f64 f64 sm_90 main \
    BLOCK=256,ITEMS=8,VECTOR=2,UNROLL=4,WARP=VOLATILE,LOAD=PLAIN,MIN_BLOCKS=1,FINISH=PASSES
kernel sum_i8_packed sum i8 i32 sm_90 main \
    BLOCK=256,ITEMS=64,VECTOR=16,UNROLL=4,WARP=REDUX,LOAD=NO_ALLOCATE,MIN_BLOCKS=1,FINISH=PASSES
kernel sumsq_f16 sumsq f16 f32 sm_90 main \
    BLOCK=256,ITEMS=32,VECTOR=8,UNROLL=4,WARP=SHUFFLE,LOAD=PLAIN,MIN_BLOCKS=1,FINISH=PASSES
kernel xor_u16_host xor u16 u64 host main \
    BLOCK=64,ITEMS=16,VECTOR=8,UNROLL=2,WARP=SHUFFLE,LOAD=PLAIN,MIN_BLOCKS=1,FINISH=PASSES

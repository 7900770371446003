#!/bin/sh
# Tests that each race between blocks that is planted in a template is found by one proof without
# --seed, and the template as it is right. SEEDS=12: also counts with how many seeds each is found.
# shellcheck disable=SC2086,SC2154 # options are words; status is of helpers
. "$(dirname "$0")/helpers"
found=0 planted=0

# prove TEMPLATE OPTION...: its proof ends with $status.
prove() {
    template=$1
    shift
    run verify --device host --small --quiet --template "$template" "$@"
}

# in_seeds TEMPLATE OPTION...: with how many seeds of $SEEDS it is found.
in_seeds() {
    hits=0
    for seed in $(seq "$SEEDS"); do
        prove "$@" --seed "$seed"
        [ "$status" -ne 70 ] || hits=$((hits + 1))
    done
    echo "$hits of $SEEDS seeds"
}

is_found() {
    [ "$status" -eq 70 ] && grep -q ' is wrong: ' err && ! grep -q 'compile' err
}

# race NAME TEMPLATE OPTIONS CHANGE: the template, changed by sed's words over all of its lines at once.
race() {
    sed -z -E "$4" "$ROOT/templates/$2" > "$2"
    if cmp -s "$2" "$ROOT/templates/$2"; then
        not_ok "$1" "the template has no such text any more"
        return
    fi
    planted=$((planted + 1))
    prove "$2" $3
    check "$1" is_found
    ! is_found || found=$((found + 1))
    [ -z "${SEEDS:-}" ] || echo "   $1: $(in_seeds "$2" $3)"
}

# right NAME TEMPLATE OPTIONS: as it is.
right() {
    prove "$ROOT/templates/$2" $3
    check "right-$1" has_status 0
}

# An atomic that orders nothing, in the place of one that releases and acquires.
relaxed='s/arrive\((state[^,]*), (\(unsigned\))?([a-zA-Z.]*)\)/(atomicAdd(\1, 1u) == (unsigned)\3 - 1 ? (*(\1) = 0, (unsigned)\3 - 1) : 0)/'
# ... behind a fence that comes before the value.
fenced='s/(        partials\[[a-zA-Z.]*\] = a;)/        __threadfence();\n\1/'

last='--type f32 --n 1M --variant FINISH=LAST_BLOCK'
right last reduce.cu "$last"
race last-relaxed reduce.cu "$last" "$relaxed"
race last-fence-too-early reduce.cu "$last" "$fenced;$relaxed"
race last-arrives-first reduce.cu "$last" \
    's/(        partials\[block\] = a;\n)( *is_last = [^\n]*\n)/\2\1/'
race last-is-the-highest reduce.cu "$last" 's/arrive\(state, blocks\) == blocks - 1/block == blocks - 1/'
race last-counts-by-a-write reduce.cu "$last" \
    's/is_last = arrive\(state, blocks\) == blocks - 1/const unsigned came = *state; __threadfence(); *state = came == blocks - 1 ? 0 : came + 1; is_last = came == blocks - 1/'

flagged='--type i32 --n 1M --variant FINISH=FLAGGED'
right flagged reduce.cu "$flagged"
race flagged-no-wait reduce.cu "$flagged" 's/take\(state, i\)/(clear_word(state + i), (accum)(read_word(state + i) >> 32))/'
race flagged-before-value reduce.cu "$flagged" 's/post\(state, block, a\)/{ post(state, block, identity()); post(state, block, a); }/'

barrier='--type f32 --n 1M --variant FINISH=BARRIER'
right barrier reduce.cu "$barrier"
race barrier-before-value reduce.cu "$barrier" 's/(        partials\[block\] = a;\n)( *meet\(state, blocks\);\n)/\2\1/'
race barrier-no-wait reduce.cu "$barrier" 's/meet\(state, blocks\);/if (arrive(state, blocks) == 0) state[1] = 0;/'

packed='--type i32 --n 1M --variant FINISH=PACKED'
right packed reduce.cu "$packed"
race packed-by-a-write reduce.cu "$packed" 's/add_word\(state, ([^;]*)\);/*state + (\1); *state = sum;/'

atomic='--type i32 --n 1M --variant FINISH=ATOMIC'
right atomic reduce.cu "$atomic"
race atomic-by-a-write reduce.cu "$atomic" 's/combine_at\(y, a\);/*y = combine(*y, a);/'

value='--type i32 --n 1M --variant FINISH=VALUE'
right value reduce.cu "$value"
race value-by-a-write reduce.cu "$value" 's/update\(state, a\);/*(accum *)state = combine(*(accum *)state, a);/'
race value-arrives-first reduce.cu "$value" \
    's/        update\(state, a\);\n( *)if \((arrive[^=]*) == blocks - 1\)/        const unsigned came = \2;\n        update(state, a);\n\1if (came == blocks - 1)/'

arg='--op argmax --type f32 --n 1M --variant FINISH=LAST_BLOCK'
right arg arg.cu "$arg"
race arg-relaxed arg.cu "$arg" "$relaxed"
race arg-arrives-first arg.cu "$arg" 's/(        partials\[blockIdx.x\] = a;\n)( *is_last = [^\n]*\n)/\2\1/'
arg='--op argmax --type f32 --n 1M --variant FINISH=FLAGGED'
right arg-flagged arg.cu "$arg"
race arg-flagged-before-value arg.cu "$arg" \
    's/post_found\(state, blockIdx.x, a\)/{ const found none = {identity(), ~0ULL}; post_found(state, blockIdx.x, none); post_found(state, blockIdx.x, a); }/'

ordered='--order n --type f32 --n 1M --variant FINISH=LAST_BLOCK'
right ordered ordered.cu "$ordered"
race ordered-relaxed ordered.cu "$ordered" "$relaxed"
race ordered-fence-too-early ordered.cu "$ordered" 's/(            partials\[tile\] = a;)/        { __threadfence();\n\1 }/;'"$relaxed"

rows='--type f32 --rows 4 --len 100K --variant SPLIT=LAST_BLOCK'
right rows rows.cu "$rows"
race rows-relaxed rows.cu "$rows" "$relaxed"
race rows-arrive-first rows.cu "$rows" \
    's/( *warps_reduce\(partials \+ first, 1, a\);\n)( *__shared__ unsigned before;[^\n]*\n *if \(threadIdx.x == 0\)\n[^;]*;\n)/\2\1/'

columns='--type f32 --rows 100K --len 16 --axis 0 --variant SPLIT=LAST_BLOCK'
right columns columns.cu "$columns"
race columns-relaxed columns.cu "$columns" "$relaxed"
race columns-no-barrier columns.cu "$columns" 's/    __syncthreads\(\); \/\/ all of the block[^\n]*\n//'

columns='--order n --type f32 --rows 100K --len 16 --axis 0 --variant SPLIT=LAST_BLOCK'
right ordered-columns ordered_columns.cu "$columns"
race ordered-columns-relaxed ordered_columns.cu "$columns" "$relaxed"
race ordered-columns-no-barrier ordered_columns.cu "$columns" \
    's/    __syncthreads\(\); \/\/ all have written[^\n]*\n//'

rows='--order n --type f32 --rows 4 --len 100K --variant SPLIT=LAST_BLOCK'
right ordered-rows ordered_rows.cu "$rows"
race ordered-rows-relaxed ordered_rows.cu "$rows" "$relaxed"

scan='--scan inclusive --type f32 --n 1M --variant METHOD=LOOK_BACK,NUMBERING=BLOCK_INDEX'
right scan scan.cu "$scan"
race scan-flag-before-sum scan.cu "$scan" \
    's/( *)tell\(words, number, combine\(so_far, all\), ALL_UP_TO, epoch\);/\1tell(words, number, so_far, ALL_UP_TO, epoch), tell(words, number, combine(so_far, all), ALL_UP_TO, epoch);/'
race scan-no-wait scan.cu "$scan" 's/== needed\)\n            break;/== needed || true)\n            break;/'
race scan-sum-before-flag scan.cu "$scan" \
    's/(const unsigned flag = )(read_tile\(words, \(unsigned\)number, sum\));/accum early = identity(); read_tile(words, (unsigned)number, \&early); \1\2; *sum = early;/'
race scan-epoch-too-early scan.cu "$scan" \
    's/( *if \(number > 0\)\n *so_far = look_back)/        if (threadIdx.x == 0 \&\& number == gridDim.x - 1)\n            begin_epoch(state, (epoch + 1) % (1u << 30));\n\1/'
scan='--scan inclusive --type f32 --n 1M --variant METHOD=LOOK_BACK,NUMBERING=TICKET'
right scan-ticket scan.cu "$scan"
race scan-ticket-by-a-write scan.cu "$scan" \
    's/ticket = take_ticket\(state\);/{ ticket = *state; *state = ticket + 1; }/'
waves='--scan inclusive --type f32 --n 1M --variant METHOD=WAVES,STAGES=2,GRID=1'
right waves scan.cu "$waves"
race waves-no-wait scan.cu "$waves" 's/        while \(at < number \&\&/        if (at < number \&\&/'
race waves-sum-of-itself scan.cu "$waves" 's/        tell\(words, number, \*all, OWN, epoch\);/        tell(words, number, identity(), OWN, epoch), tell(words, number, *all, OWN, epoch);/'

echo "found $found of $planted"
finish

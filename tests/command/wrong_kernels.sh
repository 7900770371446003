#!/bin/sh
# Tests that a kernel is refused that is right but for one kind of element, place or call: whatever
# is special has to pass through each step of a kernel while that is proven.
# shellcheck disable=SC2034,SC2086,SC2154 # options are words; status is of helpers
. "$(dirname "$0")/helpers"
VALUES='--op max --type f32 --n 2K --space own.ini'
ROWS='--op max --type f32 --rows 64 --len 512'
SCAN='--scan inclusive --type f32 --n 100K'

# A kernel of one's own: a block's elements, then a tree in shared memory; and again over partials.
{
    cat << 'END'
__global__ void __launch_bounds__(BLOCK) own(const elem *x, unsigned long long n, accum *y)
{
    accum a = identity();
    unsigned tile = blockIdx.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x; i < n;
         i += (unsigned long long)gridDim.x * BLOCK, tile += gridDim.x) {
        const elem v = x[i];
        a = combine(a, map(v));
    }
END
    block_tree
} > own.cu
cat > own.ini << 'END'
[space]
name = own
template = own.cu
kernel = own
[param BLOCK]
meaning = threads of a block
values = 256
[derived]
SHARE = max(1, ceil_div(N, BLOCK))
[pass main]
block = BLOCK
grid = min(SHARE, SMS)
tile = BLOCK
outputs = BLOCKS
args = input n output
height = ceil_div(SHARE, BLOCKS) + 2 + log2(BLOCK)
[pass rest]
reads = partials
block = BLOCK
grid = min(SHARE, SMS)
tile = BLOCK
outputs = BLOCKS
args = input n output
height = ceil_div(SHARE, BLOCKS) + 2 + log2(BLOCK)
repeat = until one
[default]
BLOCK = 256
END

# prove NAME STATUS TEMPLATE CHANGE OPTION...: the template, changed by sed's words, ends so.
prove() {
    name=$1 wanted=$2 template=$3 change=$4
    shift 4
    [ -e "$template" ] || cp "$ROOT/templates/$template" .
    sed -E "$change" "$template" > changed.cu
    if [ -n "$change" ] && cmp -s changed.cu "$template"; then
        not_ok "$name" "the template has no such line any more"
        return
    fi
    run verify --device host --small --quiet --template changed.cu "$@"
    check "$name" has_status "$wanted"
}

# own NAME EXPRESSION: what is taken in the place of element v, at i, of tile `tile`.
own() {
    prove "$1" 70 own.cu "s/map\\(v\\)/map($2)/" $VALUES
}

prove as-it-is 0 own.cu '' $VALUES
own fractions 'v < 1e9f \&\& v > -1e9f ? (float)(int)v : v'
own small-values 'v < 0.5f \&\& v > -0.5f \&\& (v > 1e-30f || v < -1e-30f) ? 0 : v'
own large-values 'v > 16777216 ? v - v * 5e-6f : v'
own nan-in-later-tiles 'tile >= 4 \&\& v != v ? 0 : v'
own nan-in-third-block 'blockIdx.x == 2 \&\& v != v ? 0 : v'
own nan-in-last-warp 'threadIdx.x >= 224 \&\& v != v ? 0 : v'
own infinity-in-later-tiles 'tile >= 4 \&\& v > 3e38f ? 0 : v'

# A barrier that a part of a block reaches, which is named by its line.
# divergent NAME BARRIER: that stands in the place of the barrier.
divergent() {
    prove "$1" 70 own.cu "s/^ *__syncthreads\\(\\);/$2/" $VALUES
    check "$1-names-its-line" grep -q 'the __syncthreads() in line 1[34] of changed.cu is reached by some threads' err
}
divergent barrier-of-some 'if (threadIdx.x < d) __syncthreads();'
divergent barrier-in-both-branches 'if (threadIdx.x < d) __syncthreads(); else\n __syncthreads();'
divergent barrier-behind-the-end 'if (threadIdx.x >= 2 * d) return; __syncthreads();'

# Loads of rows that are whole, and those of short rows, in all blocks but the first; loads behind
# the first of a lane.
whole='s/= fold\(a\[u\], got\[u\]\[r\]\)/= IF \&\& got[u][r].at[1] != got[u][r].at[1] ? a[u] : fold(a[u], got[u][r])/'
prove rows-later-results 70 rows.cu "$(echo "$whole" | sed 's/IF/blockIdx.x > 0/')" $ROWS
prove rows-later-loads 70 rows.cu "$(echo "$whole" | sed 's/IF/r > 0/')" $ROWS
prove columns-later-results 70 columns.cu \
    's/map\(got\[u\]\.at\[j\]\)/blockIdx.x + j > 0 \&\& got[u].at[j] != got[u].at[j] ? identity() : &/' \
    $ROWS --axis 0
prove scans-of-later-rows 70 scan_rows.cu \
    's/map\(mine->at\[j\]\)/(blockIdx.x > 0 \&\& mine->at[j] != mine->at[j] ? identity() : &)/' \
    $ROWS --scan inclusive

# Calls that are numbered in too few bits.
for bits in 1 3 8; do
    prove "scan-$bits-bits" 70 scan.cu "s/\\(epoch \\+ 1\\) % \\(1u << 30\\)/(epoch + 1) % (1u << $bits)/" $SCAN
done

# A tile is taken by the block's number, where blocks start in any order and look back.
prove scan-by-block-index 70 scan.cu \
    's/ticket = take_ticket\(state\);/ticket = (read_word(state) \& -1ULL << 32) | blockIdx.x;/' \
    $SCAN --limit 2s --variant 'BLOCK=64 ITEMS=4 VECTOR=4 METHOD=LOOK_BACK NUMBERING=TICKET'

# Two tiles of many exchanged, which order n does not allow.
exchange='s/at < count \? (from\[at\]|take\(from, at\)) : identity\(\)/at < count ? VALUE : identity()/'
prove order-of-tiles 70 ordered.cu \
    "$(echo "$exchange" | sed 's/VALUE/FROM/; s/FROM/from[count > 6 \\\&\\\& (at == 4 || at == 6) ? at ^ 2 : at]/')" \
    --order n --type f32 --n 100K --variant FINISH=LAST_BLOCK
finish

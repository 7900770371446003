//? if SPLIT == BY_LANES
// Reduces each row of a matrix in order 1 (docs/reproducible.md): y[row] is its value. `count` rows of
// `len` elements, one leaf at most, which begin `pitch` elements apart. LANES threads share a row,
// and a block has AT_ONCE rows at a time.
__global__ void
//? if MIN_BLOCKS > 0
__launch_bounds__(BLOCK, MIN_BLOCKS)
//? else
__launch_bounds__(BLOCK)
//? end
rows(const elem *x, unsigned long long count, unsigned long long len, unsigned long long pitch,
     accum *y)
{
    const unsigned lane = threadIdx.x % LANES;
    const unsigned long long extent = (count - 1) * pitch + len;
    for (unsigned long long first = (unsigned long long)blockIdx.x * AT_ONCE; first < count;
         first += (unsigned long long)gridDim.x * AT_ONCE) {
        // Rows side by side in a warp, then those one after another.
        const unsigned long long mine =
            first + threadIdx.x / 32 * (32 / LANES * LEAVES) + threadIdx.x % 32 / LANES;
        accum a[HELD];
        #pragma unroll
        for (int i = 0; i < LEAVES; i += UNROLL) {
            leaf_loads leaf[UNROLL];
            #pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                const unsigned long long row = mine + (i + u) * (32 / LANES);
                const unsigned long long begin = row * pitch;
                const bool inside = begin >= VECTOR && begin + len + VECTOR <= extent;
                load_leaf(&leaf[u], x + begin, 0, row < count ? len : 0, inside);
            }
            #pragma unroll
            for (int u = 0; u < UNROLL; u++)
                join_leaf(a + (i + u) * PARTS, &leaf[u]);
        }
        lanes_tree(a);
        // The parts of a row: as far as lanes have them, then those that a lane holds.
        #pragma unroll
        for (int d = 1; d < NEAR; d *= 2)
            #pragma unroll
            for (int i = 0; i < HELD / SPREAD; i++)
                a[i] = combine(a[i], __shfl_xor_sync(~0u, a[i], d));
        #pragma unroll
        for (int width = PARTS / NEAR / 2; width > 0; width /= 2)
            #pragma unroll
            for (int i = 0; i < LEAVES * width; i++)
                a[i] = combine(a[2 * i], a[2 * i + 1]);
        // a[i] is then of row i * (SPREAD / NEAR) + lane % SPREAD / NEAR of this thread's LEAVES.
        #pragma unroll
        for (int i = 0; i < LEAVES * NEAR / SPREAD; i++) {
            const unsigned long long row =
                mine + (i * (SPREAD / NEAR) + lane / NEAR) * (32 / LANES);
            if (lane < SPREAD && lane % NEAR == 0 && row < count)
                y[row] = a[i];
        }
    }
}
//? elif SPLIT == BY_BLOCK
// Reduces each row of a matrix in order 1 (docs/reproducible.md), by a block: y[row] is its value.
// `count` rows of `len` elements begin `pitch` elements apart.
__global__ void
//? if MIN_BLOCKS > 0
__launch_bounds__(BLOCK, MIN_BLOCKS)
//? else
__launch_bounds__(BLOCK)
//? end
rows(const elem *x, unsigned long long count, unsigned long long len, unsigned long long pitch,
     accum *y)
{
    unsigned turn = 0;
    for (unsigned long long row = blockIdx.x; row < count; row += gridDim.x) {
        const bool inside = row > 0 && row + 1 < count && pitch >= VECTOR;
        accum level[32];
        unsigned tiles = 0;
        for (; (unsigned long long)tiles * TILE < len; tiles++) {
            const unsigned leaf = tiles * (TILE / LEAF) + threadIdx.x / 32 * (32 / LANES * LEAVES);
            carry(level, tiles,
                  block_tree(take_leaves(x + row * pitch, len, leaf, inside), turn++));
        }
        if (threadIdx.x == 0)
            y[row] = carried(level, tiles);
    }
}
//? else
// Reduces each row of a matrix in order 1 (docs/reproducible.md), by a block for each tile: y[row] is
// its value, which the last block of the row to arrive combines from what all left in `partials`.
// `state` counts the blocks of each row: zero before and after. An aborted launch leaves it above
// zero: clear it then. `count` rows of `len` elements begin `pitch` elements apart.
__global__ void
//? if MIN_BLOCKS > 0
__launch_bounds__(BLOCK, MIN_BLOCKS)
//? else
__launch_bounds__(BLOCK)
//? end
rows(const elem *x, unsigned long long count, unsigned long long len, unsigned long long pitch,
     accum *y, accum *partials, unsigned *state)
{
    const unsigned tiles = (unsigned)((len + TILE - 1) / TILE);
    unsigned turn = 0;
    for (unsigned long long at = blockIdx.x; at < count * tiles; at += gridDim.x) {
        const unsigned long long row = at / tiles;
        const unsigned leaf = (unsigned)(at % tiles) * (TILE / LEAF) +
                              threadIdx.x / 32 * (32 / LANES * LEAVES);
        const bool inside = row > 0 && row + 1 < count && pitch >= VECTOR;
        const accum a = block_tree(take_leaves(x + row * pitch, len, leaf, inside), turn++);
        __shared__ bool is_last;
        if (threadIdx.x == 0) {
            partials[at] = a;
            is_last = arrive(state + row, tiles) == tiles - 1;
        }
        __syncthreads(); // and before is_last is written again all meet once more, in take_leaves
        if (is_last) {
            const accum *from = partials + row * tiles;
            accum level[32];
            unsigned rounds = 0;
            for (unsigned first = 0; first < tiles; first += BLOCK * TAKE, rounds++) {
                accum values[TAKE];
                #pragma unroll
                for (int i = 0; i < TAKE; i++) {
                    const unsigned k =
                        first + threadIdx.x / 32 * (32 * TAKE) + i * 32 + threadIdx.x % 32;
                    values[i] = k < tiles ? from[k] : identity();
                }
                carry(level, rounds, block_tree(values_tree(values), turn++));
            }
            if (threadIdx.x == 0)
                y[row] = carried(level, rounds);
        }
    }
}
//? end

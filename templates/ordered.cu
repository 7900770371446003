//? if BLOCK > 32
// Combines one value a warp by the tree over neighbours; every thread gets the result. `turn` is 0
// and 1 by turns, so that one barrier is enough.
__device__ __forceinline__ accum block_tree(accum a, unsigned turn)
{
    __shared__ accum shared[2][BLOCK / 32];
    if (threadIdx.x % 32 == 0)
        shared[turn][threadIdx.x / 32] = a;
    __syncthreads();
    a = shared[turn][threadIdx.x % (BLOCK / 32)];
    #pragma unroll
    for (int d = 1; d < BLOCK / 32; d *= 2)
        a = combine(a, __shfl_xor_sync(~0u, a, d));
    return a;
}

//? end
//? if FINISH != PASSES
//? if FINISH == FLAGGED
// Combines the values that tiles left from `first` on, below `count`: TAKE a thread, for a warp.
__device__ __forceinline__ accum gather(unsigned long long *from, unsigned first, unsigned count)
//? else
// Combines the values from `first` on, below `count`: TAKE a thread, for a warp.
__device__ __forceinline__ accum gather(const accum *from, unsigned long long first,
                                        unsigned long long count)
//? end
{
    accum part[TAKE];
    #pragma unroll
    for (int i = 0; i < TAKE; i++) {
        part[i] = identity();
        if (first + threadIdx.x * TAKE + i < count)
            //? if FINISH == FLAGGED
            part[i] = take(from, first + threadIdx.x * TAKE + i);
            //? else
            part[i] = from[first + threadIdx.x * TAKE + i];
            //? end
    }
    #pragma unroll
    for (int width = TAKE / 2; width > 0; width /= 2)
        #pragma unroll
        for (int i = 0; i < width; i++)
            part[i] = combine(part[2 * i], part[2 * i + 1]);
    #pragma unroll
    for (int d = 1; d < 32; d *= 2)
        part[0] = combine(part[0], __shfl_xor_sync(~0u, part[0], d));
    return part[0];
}

//? end
//? if FINISH == GATHER
// Combines n values to one a block, in order 1 (docs/reproducible.md): reduce those again until
// one is left.
__global__ void __launch_bounds__(BLOCK)
ordered(const accum *x, unsigned long long n, accum *y)
{
    accum a = gather(x, (unsigned long long)blockIdx.x * (BLOCK * TAKE), n);
    //? if BLOCK > 32
    a = block_tree(a, 0);
    //? end
    if (threadIdx.x == 0)
        y[blockIdx.x] = a;
}
//? else
// Reduces n elements of x in order 1 (docs/reproducible.md), n may be 0: the bits of the result
// depend on the elements alone. Each LANES threads take LEAVES leaves at a time, and a block a
// tile, whose leaves are a subtree.
//? if FINISH == PASSES
// Writes one value a tile to y: gather those until one is left.
//? elif FINISH == LAST_BLOCK
// The last block to arrive combines what all tiles left in `partials` to *y. `state` counts the
// blocks: zero before and after. An aborted launch leaves it above zero: clear it then.
//? elif FINISH == FLAGGED
// The value of each tile is left in words of `state`, and a flag in the same store; the last
// block gathers them and sets them back to zero. An aborted launch leaves some above zero: clear
// them then.
//? end
__global__ void
//? if MIN_BLOCKS > 0
__launch_bounds__(BLOCK, MIN_BLOCKS)
//? else
__launch_bounds__(BLOCK)
//? end
//? if FINISH == LAST_BLOCK
ordered(const elem *x, unsigned long long n, accum *y, accum *partials, unsigned *state)
//? elif FINISH == PASSES
ordered(const elem *x, unsigned long long n, accum *y)
//? else
ordered(const elem *x, unsigned long long n, accum *y, unsigned long long *state)
//? end
{
    const unsigned tiles = n > TILE ? (unsigned)((n + TILE - 1) / TILE) : 1;
    const unsigned warp = threadIdx.x / 32, share = threadIdx.x % 32 / LANES;
    //? if BLOCK > 32
    unsigned turn = 0;
    //? end
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        accum held[HELD];
        #pragma unroll
        for (int i = 0; i < LEAVES; i += UNROLL) {
            leaf_loads leaf[UNROLL];
            #pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                const unsigned long long first =
                    ((unsigned long long)tile * (TILE / LEAF) +
                     (warp * LEAVES + i + u) * (32 / LANES) + share) * LEAF;
                const unsigned long long left = first < n ? n - first : 0;
                const bool inside = first >= VECTOR && left >= LEAF + VECTOR;
                load_leaf(&leaf[u], x + first, left < LEAF ? (unsigned)left : LEAF, inside);
            }
            #pragma unroll
            for (int u = 0; u < UNROLL; u++)
                join_leaf(held + (i + u) * PARTS, &leaf[u]);
        }
        // The lanes of a leaf, then the leaves side by side, then those one after another.
        lanes_tree(held);
        accum a = held[0];
        #pragma unroll
        for (int d = LANES; d < 32; d *= 2)
            a = combine(a, __shfl_xor_sync(~0u, a, d));
        #pragma unroll
        for (int d = 1; d < HELD; d *= 2)
            a = combine(a, __shfl_xor_sync(~0u, a, d));
        //? if BLOCK > 32
        a = block_tree(a, turn);
        turn ^= 1;
        //? end
        //? if FINISH == PASSES
        if (threadIdx.x == 0)
            y[tile] = a;
        //? elif FINISH == LAST_BLOCK
        if (threadIdx.x == 0)
            partials[tile] = a;
        //? else
        if (threadIdx.x == 0)
            post(state, tile, a);
        //? end
    }
    //? if FINISH != PASSES
    //? if FINISH == LAST_BLOCK
    __shared__ bool is_last;
    if (threadIdx.x == 0)
        is_last = arrive(state, gridDim.x) == gridDim.x - 1;
    __syncthreads();
    if (!is_last)
        return;
    //? else
    // The last block gathers what those before it left, which were all started before it.
    if (blockIdx.x != gridDim.x - 1)
        return;
    //? end
    accum level[32], all = identity(); // level[k]: the value of 2^k rounds
    unsigned rounds = 0;
    for (unsigned first = 0; first < tiles; first += BLOCK * TAKE, rounds++) {
        //? if FINISH == LAST_BLOCK
        accum a = gather(partials, first, tiles);
        //? else
        accum a = gather(state, first, tiles);
        //? end
        //? if BLOCK > 32
        a = block_tree(a, turn);
        turn ^= 1;
        //? end
        unsigned k = 0;
        for (; rounds >> k & 1; k++) // as a binary counter carries
            a = combine(level[k], a);
        level[k] = a;
    }
    for (unsigned k = 0; rounds >> k; k++)
        if (rounds >> k & 1)
            all = combine(level[k], all);
    if (threadIdx.x == 0)
        *y = all;
    //? end
}
//? end

//? if FINISH == FLAGGED
// Combines the values that tiles left from `first` on, below `count`: TAKE a thread, for a warp.
__device__ __forceinline__ accum gather(unsigned long long *from, unsigned first, unsigned count)
{
    accum a[TAKE];
    #pragma unroll
    for (int i = 0; i < TAKE; i++) {
        const unsigned at = first + threadIdx.x * TAKE + i;
        a[i] = at < count ? take(from, at) : identity();
    }
    return values_tree(a);
}

//? elif FINISH != PASSES
// Combines the values from `first` on, below `count`: TAKE a thread, for a warp.
__device__ __forceinline__ accum gather(const accum *from, unsigned long long first,
                                        unsigned long long count)
{
    accum a[TAKE];
    #pragma unroll
    for (int i = 0; i < TAKE; i++) {
        const unsigned long long at = first + threadIdx.x * TAKE + i;
        a[i] = at < count ? from[at] : identity();
    }
    return values_tree(a);
}

//? end
//? if FINISH == GATHER
// Combines n values to one a block, in order 1 (docs/reproducible.md): reduce those again until
// one is left.
__global__ void __launch_bounds__(BLOCK)
ordered(const accum *x, unsigned long long n, accum *y)
{
    const unsigned long long first = (unsigned long long)blockIdx.x * (BLOCK * TAKE);
    const accum a = block_tree(gather(x, first, n), 0);
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
    unsigned turn = 0;
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const unsigned long long leaf = (unsigned long long)tile * (TILE / LEAF) +
                                        threadIdx.x / 32 * (32 / LANES * LEAVES);
        const accum a = block_tree(take_leaves(x, n, leaf, false), turn++);
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
    accum level[32];
    unsigned rounds = 0;
    for (unsigned first = 0; first < tiles; first += BLOCK * TAKE, rounds++)
        //? if FINISH == LAST_BLOCK
        carry(level, rounds, block_tree(gather(partials, first, tiles), turn++));
        //? else
        carry(level, rounds, block_tree(gather(state, first, tiles), turn++));
        //? end
    if (threadIdx.x == 0)
        *y = carried(level, rounds);
    //? end
}
//? end

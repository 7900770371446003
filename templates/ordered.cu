//? if FINISH == FLAGGED
// Combines the values that tiles left from `first` on, below `count`: TAKE a thread, for a warp.
__device__ __forceinline__ accum gather(unsigned long long *from, unsigned first, unsigned count)
{
    accum a[TAKE];
    #pragma unroll
    for (int i = 0; i < TAKE; i++) {
        const unsigned at = first + threadIdx.x / 32 * (32 * TAKE) + i * 32 + threadIdx.x % 32;
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
        const unsigned long long at =
            first + threadIdx.x / 32 * (32 * TAKE) + i * 32 + threadIdx.x % 32;
        a[i] = at < count ? from[at] : identity();
    }
    return values_tree(a);
}

//? end
//? if CLUSTER > 1
// Combines one value a block of the cluster by the tree over neighbours; thread 0 of its first block
// gets the result. The others may end before theirs has come; the first ends when all have.
__device__ __forceinline__ accum cluster_tree(accum a, cluster_values *to)
{
    const unsigned rank = cluster_rank();
    if (rank != 0 && threadIdx.x < 32)
        cluster_wait(); // the first block has started, and its barrier is there
    if (threadIdx.x == 0 && rank != 0) {
        send(&to->value[rank], a, &to->barrier);
    } else if (threadIdx.x == 0) {
        barrier_wait(&to->barrier, 0);
        accum all[CLUSTER];
        #pragma unroll
        for (int i = 0; i < CLUSTER; i++)
            all[i] = i == 0 ? a : to->value[i];
        #pragma unroll
        for (int width = CLUSTER / 2; width > 0; width /= 2)
            #pragma unroll
            for (int i = 0; i < width; i++)
                all[i] = combine(all[2 * i], all[2 * i + 1]);
        a = all[0];
    }
    return a;
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
//? if CLUSTER > 1
__cluster_dims__(CLUSTER, 1, 1)
//? end
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
    const unsigned first_leaf = threadIdx.x / 32 * (32 / LANES * LEAVES);
    //? if FINISH == PASSES
    //? if CLUSTER > 1
    __shared__ cluster_values cluster;
    cluster_begin(&cluster);
    //? end
    accum a = take_leaves(x, n, blockIdx.x * (TILE / LEAF) + first_leaf, false);
    a = block_tree(a, 0);
    //? if CLUSTER > 1
    a = cluster_tree(a, &cluster);
    if (threadIdx.x == 0 && cluster_rank() == 0)
        y[blockIdx.x / CLUSTER] = a;
    //? else
    if (threadIdx.x == 0)
        y[blockIdx.x] = a;
    //? end
    //? else
    // Each block has one tile at least.
    const unsigned tiles = n > TILE ? (unsigned)((n + TILE - 1) / TILE) : 1;
    unsigned tile = blockIdx.x, turn = 0;
    do {
        const unsigned leaf = tile * (TILE / LEAF) + first_leaf;
        const accum a = block_tree(take_leaves(x, n, leaf, false), turn++);
        //? if FINISH == LAST_BLOCK
        if (threadIdx.x == 0)
            partials[tile] = a;
        //? else
        if (threadIdx.x == 0)
            post(state, tile, a);
        //? end
        tile += gridDim.x;
    } while (tile < tiles);
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
    //? if FINISH == LAST_BLOCK
    accum a = block_tree(gather(partials, 0, tiles), turn++);
    //? else
    accum a = block_tree(gather(state, 0, tiles), turn++);
    //? end
    if (tiles > BLOCK * TAKE) {
        accum level[32];
        unsigned rounds = 1;
        carry(level, 0, a);
        for (unsigned first = BLOCK * TAKE; first < tiles; first += BLOCK * TAKE, rounds++)
            //? if FINISH == LAST_BLOCK
            carry(level, rounds, block_tree(gather(partials, first, tiles), turn++));
            //? else
            carry(level, rounds, block_tree(gather(state, first, tiles), turn++));
            //? end
        a = carried(level, rounds);
    }
    if (threadIdx.x == 0)
        *y = a;
    //? end
}
//? end

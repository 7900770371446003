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
// Combines what the 128 accumulators of a leaf come to, of its `count` elements from x on. This
// lane, one of LANES that share the leaf, has VECTOR accumulators
//? if PARTS > 1
// in each of PARTS parts of them; it leaves a value a part in `to`, which the lanes' values of
// the same part are to be combined with.
//? else
// of them; it leaves their value in `to`, which the lanes' values are to be combined with.
//? end
__device__ __forceinline__ void take_leaf(accum to[PARTS], const elem *x, unsigned count)
{
    const unsigned lane = threadIdx.x % LANES;
    // Loads are aligned: x is `skip` elements past an aligned address, and what is in the first
    // load before x is of another leaf. The end of the leaf is in one load more, of the first lane.
    const unsigned skip = (unsigned)((unsigned long long)x / ELEM_BYTES % VECTOR);
    accum a[PARTS][2 * VECTOR];
    #pragma unroll
    for (int p = 0; p < PARTS; p++) {
        const unsigned at = (p * LANES + lane) * VECTOR;
        const elem *from = x + at - skip;
        const int left = (int)(count + skip) - (int)at; // elements up to the leaf's end
        const int end = left < VECTOR ? 0 : (left - VECTOR) / 128 + 1; // of the whole loads
        const int begin = at < skip; // 1 where the first is not whole
        const int rest = begin > end ? 0 : left - end * 128; // elements of the last load
        elem front[VECTOR], back[VECTOR];
        #pragma unroll
        for (int i = 0; i < VECTOR; i++)
            a[p][i] = identity();
        #pragma unroll
        for (int r = 0; r < 8; r += UNROLL) {
            vec got[UNROLL];
            #pragma unroll
            for (int u = 0; u < UNROLL; u++)
                if (r + u >= begin && r + u < end)
                    got[u] = load((const vec *)(from + (r + u) * 128));
            if (r == 0) {
                if (begin > 0)
                    #pragma unroll
                    for (int i = 1; i < VECTOR; i++)
                        if (i >= (int)skip && i < left)
                            front[i] = from[i];
                if (rest > 0)
                    #pragma unroll
                    for (int i = 0; i < VECTOR - 1; i++)
                        if (i < rest)
                            back[i] = from[end * 128 + i];
                if (begin > 0)
                    #pragma unroll
                    for (int i = 1; i < VECTOR; i++)
                        if (i >= (int)skip && i < left)
                            a[p][i] = combine(a[p][i], map(front[i]));
            }
            #pragma unroll
            for (int u = 0; u < UNROLL; u++)
                if (r + u >= begin && r + u < end)
                    #pragma unroll
                    for (int i = 0; i < VECTOR; i++)
                        a[p][i] = combine(a[p][i], map(got[u].at[i]));
        }
        if (rest > 0)
            #pragma unroll
            for (int i = 0; i < VECTOR - 1; i++)
                if (i < rest)
                    a[p][i] = combine(a[p][i], map(back[i]));
    }
    // The lane's first accumulator is the leaf's first, or `skip` before it: what it lacks at the
    // other end has the next lane.
    if (__any_sync(~0u, skip > 0)) {
        #pragma unroll
        for (int i = 0; i < VECTOR - 1; i++) {
            accum next[PARTS];
            #pragma unroll
            for (int p = 0; p < PARTS; p++)
                next[p] = __shfl_sync(~0u, a[p][i], lane + 1, LANES);
            #pragma unroll
            for (int p = 0; p < PARTS; p++)
                a[p][VECTOR + i] = lane == LANES - 1 ? next[(p + 1) % PARTS] : next[p];
        }
        #pragma unroll
        for (int p = 0; p < PARTS; p++)
            #pragma unroll
            for (int by = VECTOR / 2; by > 0; by /= 2)
                if (skip & by)
                    #pragma unroll
                    for (int i = 0; i + by < 2 * VECTOR - 1; i++)
                        a[p][i] = a[p][i + by];
    }
    #pragma unroll
    for (int p = 0; p < PARTS; p++) {
        #pragma unroll
        for (int width = VECTOR / 2; width > 0; width /= 2)
            #pragma unroll
            for (int i = 0; i < width; i++)
                a[p][i] = combine(a[p][2 * i], a[p][2 * i + 1]);
        to[p] = a[p][0];
    }
}

// Combines HELD values a lane, by a tree over neighbours: value i of all lanes of a leaf, then
// the leaves side by side, then value 2 i with value 2 i + 1. Every lane gets the result.
__device__ __forceinline__ accum warp_tree(accum a[HELD])
{
    const unsigned lane = threadIdx.x;
    // Of two values a lane keeps one and gives its neighbour the other, for its own of the one.
    #pragma unroll
    for (int width = HELD / 2; width > 0; width /= 2) {
        const unsigned d = HELD / 2 / width;
        #pragma unroll
        for (int i = 0; i < width; i++) {
            const accum even = a[2 * i], odd = a[2 * i + 1];
            const accum other = __shfl_xor_sync(~0u, lane & d ? even : odd, d);
            a[i] = combine(lane & d ? odd : even, other);
        }
    }
    accum all = a[0];
    #pragma unroll
    for (int d = HELD; d < 32; d *= 2)
        all = combine(all, __shfl_xor_sync(~0u, all, d));
    #pragma unroll
    for (int d = 1; d < HELD; d *= 2)
        all = combine(all, __shfl_xor_sync(~0u, all, d));
    return all;
}

// Reduces n elements of x in order 1 (docs/reproducible.md), n may be 0: the bits of the result
// depend on the elements alone. A warp takes LEAVES leaves of 1024 elements at a time, or as many
// for each of its shares of LANES lanes, and a block a tile, whose leaves are a subtree.
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
        for (int i = 0; i < LEAVES; i++) {
            const unsigned long long first =
                ((unsigned long long)tile * (TILE / 1024) +
                 (warp * LEAVES + i) * (32 / LANES) + share) * 1024;
            const unsigned long long left = first < n ? n - first : 0;
            take_leaf(held + i * PARTS, x + first, left < 1024 ? (unsigned)left : 1024);
        }
        accum a = warp_tree(held);
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

//? if WALK == ALONG
// Combines the values of the LANES threads of each result; `shared` has room for all of a block.
// The first of them gets the result.
__device__ __forceinline__ accum lanes_reduce(accum *shared, accum a)
{
    const unsigned lane = threadIdx.x % LANES;
    shared[threadIdx.x] = a;
    __syncthreads();
    for (unsigned d = LANES / 2; d > 0; d /= 2) {
        if (lane < d)
            shared[threadIdx.x] = combine(shared[threadIdx.x], shared[threadIdx.x + d]);
        __syncthreads();
    }
    return shared[threadIdx.x - lane];
}

//? end
// Reduces an array whose results are kept along two axes, of `outer` and `inner`, and whose elements
// lie in spans of `span` elements, `depth` in all: element d of result (o, i) is
// x[o * outer_stride + d / span * span_stride + d % span * depth_stride + i * inner_stride], and
// the result y[o * inner + i].
//? if AXES == MANY
// Spans lie in wider ones, of `span_2` and `span_3` elements, and what is kept by `outer` in slices, of
// `slice` and `slice_2`, each with its stride; where there is no more, one has all.
//? end
//? if SPLIT == LAST_BLOCK
// Each result is made in `parts` parts, a block each, whose values lie in `partials` until the last
// block to arrive combines them. `state` counts the blocks of each tile of results: zero before and
// after. An aborted launch leaves it above zero: clear it then.
//? end
//? if WALK == ALONG
// LANES threads side by side take a result's elements, in loads of VECTOR; a block has DOWN results.
//? else
// LANES threads side by side take VECTOR results each, that lie side by side, and DOWN threads below
// one another their elements.
//? end
__global__ void
//? if MIN_BLOCKS > 0
__launch_bounds__(BLOCK, MIN_BLOCKS)
//? else
__launch_bounds__(BLOCK)
//? end
strided(const elem *x, unsigned long long outer, unsigned long long outer_stride,
        unsigned long long depth, unsigned long long depth_stride, unsigned long long span,
        unsigned long long span_stride, unsigned long long inner, unsigned long long inner_stride,
//? if AXES == MANY
        unsigned long long span_2, unsigned long long span_2_stride, unsigned long long span_3,
        unsigned long long span_3_stride, unsigned long long slice,
        unsigned long long slice_stride, unsigned long long slice_2,
        unsigned long long slice_2_stride,
//? end
//? if HAS_FINISH && SPLIT == LAST_BLOCK
        unsigned long long parts, output *y, accum *partials, unsigned *state)
//? elif HAS_FINISH
        output *y)
//? elif SPLIT == LAST_BLOCK
        unsigned long long parts, accum *y, accum *partials, unsigned *state)
//? else
        accum *y)
//? end
{
    const unsigned lane = threadIdx.x % LANES, down = threadIdx.x / LANES;
    //? if WALK == ALONG
    const unsigned long long tiles = (outer * inner + DOWN - 1) / DOWN;
    const unsigned step = LANES, start = lane;
    const unsigned of_span = (unsigned)((span + VECTOR - 1) / VECTOR); // loads of a span
    const unsigned long long along = VECTOR * depth_stride;            // from one to the next
    const unsigned long long aside = depth_stride; // from an element of a load to the next
    //? else
    const unsigned long long loads = (inner + VECTOR - 1) / VECTOR; // of results side by side
    const unsigned long long tiles = (outer * loads + LANES - 1) / LANES;
    const unsigned step = DOWN, start = down;
    const unsigned of_span = (unsigned)span;
    const unsigned long long along = depth_stride, aside = inner_stride;
    //? end
    const unsigned long long tile = blockIdx.x % tiles;
    const unsigned total = (unsigned)(depth / span) * of_span; // loads of a result
    //? if SPLIT == LAST_BLOCK
    const unsigned part = (unsigned)(blockIdx.x / tiles);
    const unsigned share = (total + (unsigned)parts - 1) / (unsigned)parts;
    const unsigned from = part * share < total ? part * share : total;
    const unsigned to = from + share < total ? from + share : total;
    //? else
    const unsigned from = 0, to = total;
    //? end

    // The thread's results: `result` is the first, of `own`.
    //? if WALK == ALONG
    const unsigned long long result = tile * DOWN + down;
    const unsigned own = result < outer * inner;
    const unsigned long long o = result / inner, column = result % inner;
    //? else
    const unsigned long long at_load = tile * LANES + lane;
    const unsigned long long o = at_load / loads, column = at_load % loads * VECTOR;
    const unsigned long long result = o * inner + column;
    const unsigned own = o < outer ? (inner - column < VECTOR ? inner - column : VECTOR) : 0;
    //? end
    //? if AXES == MANY
    const elem *first = x + (o / slice_2 * slice_2_stride + o % slice_2 / slice * slice_stride +
                             o % slice_2 % slice * outer_stride + column * inner_stride);
    // Spans of each wider one.
    const unsigned in_2 = (unsigned)(span_2 / span), in_3 = (unsigned)(span_3 / span);
    //? else
    const elem *first = x + (o * outer_stride + column * inner_stride);
    //? end
    //? if VECTOR > 1
    // Every load is aligned.
    //? if AXES == MANY
    const unsigned long long strides = span_stride | span_2_stride | span_3_stride;
    //? if WALK == ALONG
    const bool even = aside == 1 && (strides | (unsigned long long)first / ELEM_BYTES) % VECTOR == 0;
    //? else
    const bool even = aside == 1 && (strides | depth_stride |
                                     (unsigned long long)first / ELEM_BYTES) % VECTOR == 0;
    //? end
    //? elif WALK == ALONG
    const bool even =
        aside == 1 && ((unsigned long long)first / ELEM_BYTES | span_stride) % VECTOR == 0;
    //? else
    const bool even = aside == 1 && ((unsigned long long)first / ELEM_BYTES | depth_stride |
                                     span_stride) % VECTOR == 0;
    //? end
    //? end

    //? if INPUTS > 1
    const further_places others = find_further(o, column);
    //? end
    accum a[VECTOR];
    for (int j = 0; j < VECTOR; j++)
        a[j] = identity();
    const unsigned spans = step / of_span, rest = step % of_span; // in a step
    unsigned s = (from + start) / of_span, i = (from + start) % of_span;
    for (unsigned at = from + start; own && at < to; at += step * UNROLL) {
        vec got[UNROLL];
        //? if INPUTS > 1
        further_load further[UNROLL];
        //? end
        //? if WALK == ALONG || HAS_INDEX
        unsigned long long places[UNROLL]; // of a load's first element in its span
        //? end
        //? if HAS_INDEX
        unsigned before[UNROLL]; // spans before it
        //? end
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            if (at + u * step < to) {
                //? if AXES == MANY
                const elem *in = first + (s / in_3 * span_3_stride +
                                          s % in_3 / in_2 * span_2_stride +
                                          s % in_3 % in_2 * span_stride + i * along);
                //? else
                const elem *in = first + (s * span_stride + i * along);
                //? end
                //? if WALK == ALONG
                places[u] = (unsigned long long)i * VECTOR;
                //? elif HAS_INDEX
                places[u] = i;
                //? end
                //? if HAS_INDEX
                before[u] = s;
                //? end
                //? if VECTOR > 1
                //? if WALK == ALONG
                const unsigned long long some = span - places[u];
                //? else
                const unsigned long long some = own;
                //? end
                if (even && some >= VECTOR)
                    got[u] = load((const vec *)in);
                else
                    for (int j = 0; j < VECTOR; j++)
                        got[u].at[j] = in[j < some ? j * aside : 0];
                //? if INPUTS > 1
                further[u] = load_further(others, s, i, some);
                //? end
                //? else
                got[u] = load((const vec *)in);
                //? if INPUTS > 1
                further[u] = load_further(others, s, i, 1);
                //? end
                //? end
            }
            s += spans;
            i += rest;
            if (i >= of_span) {
                i -= of_span;
                s++;
            }
        }
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (at + u * step < to)
                for (int j = 0; j < VECTOR; j++) {
                    //? if WALK == ALONG && VECTOR > 1
                    if (places[u] + j >= span)
                        continue;
                    //? end
                    //? if INPUTS > 1 && HAS_INDEX && WALK == ALONG
                    a[j] = combine(a[j], map(got[u].at[j], further[u], j, before[u] * span + places[u] + j));
                    //? elif INPUTS > 1 && HAS_INDEX
                    a[j] = combine(a[j], map(got[u].at[j], further[u], j, before[u] * span + places[u]));
                    //? elif INPUTS > 1
                    a[j] = combine(a[j], map(got[u].at[j], further[u], j));
                    //? elif HAS_INDEX && WALK == ALONG
                    a[j] = combine(a[j], map(got[u].at[j], before[u] * span + places[u] + j));
                    //? elif HAS_INDEX
                    a[j] = combine(a[j], map(got[u].at[j], before[u] * span + places[u]));
                    //? else
                    a[j] = combine(a[j], map(got[u].at[j]));
                    //? end
                }
    }

    //? if WALK == ALONG
    __shared__ __align__(16) accum shared[BLOCK];
    for (int j = 1; j < VECTOR; j++)
        a[0] = combine(a[0], a[j]);
    a[0] = lanes_reduce(shared, a[0]);
    const bool writes = own && lane == 0;
    //? if SPLIT == LAST_BLOCK
    if (writes)
        partials[part * (outer * inner) + result] = a[0];
    //? elif HAS_FINISH
    if (writes)
        y[result] = finish(a[0], depth);
    //? else
    if (writes)
        y[result] = a[0];
    //? end
    //? else
    __shared__ __align__(16) accum shared[DOWN][LANES * VECTOR];
    for (int j = 0; j < VECTOR; j++)
        shared[down][lane * VECTOR + j] = a[j];
    __syncthreads();
    const bool writes = down == 0;
    for (unsigned j = 0; writes && j < own; j++) {
        accum b = shared[0][lane * VECTOR + j];
        for (int d = 1; d < DOWN; d++)
            b = combine(b, shared[d][lane * VECTOR + j]);
        //? if SPLIT == LAST_BLOCK
        partials[part * (outer * inner) + result + j] = b;
        //? elif HAS_FINISH
        y[result + j] = finish(b, depth);
        //? else
        y[result + j] = b;
        //? end
    }
    //? end
    //? if SPLIT == LAST_BLOCK
    __syncthreads(); // all of the block's are written, before it arrives
    __shared__ unsigned arrived; // blocks of these results that arrived before this one
    if (threadIdx.x == 0)
        arrived = arrive(state + tile, (unsigned)parts);
    __syncthreads();
    if (arrived != parts - 1)
        return;

    // The last block to arrive combines what all left, in the same order every time.
    //? if WALK == ALONG
    a[0] = identity();
    for (unsigned k = lane; own && k < parts; k += LANES)
        a[0] = combine(a[0], partials[k * (outer * inner) + result]);
    a[0] = lanes_reduce(shared, a[0]);
    if (writes)
        //? if HAS_FINISH
        y[result] = finish(a[0], depth);
        //? else
        y[result] = a[0];
        //? end
    //? else
    for (unsigned j = 0; writes && j < own; j++) {
        accum b = partials[result + j];
        for (unsigned k = 1; k < parts; k++)
            b = combine(b, partials[k * (outer * inner) + result + j]);
        //? if HAS_FINISH
        y[result + j] = finish(b, depth);
        //? else
        y[result + j] = b;
        //? end
    }
    //? end
    //? end
}

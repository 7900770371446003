/* input: fills device memory with exact inputs. An input of one run is made in chunks by all
 * cores, one period of it or all where it has none; the device copies the rest, and the
 * deciding elements are written last. An input with several results, or with gaps, is made
 * whole in this process's memory, since the elements of a result may lie far apart. */
#include "autotune/verify/input.h"

#include "autotune/verify/element.h"
#include "autotune/verify/threads.h"
#include "generator/operation_input.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    CHUNK_BYTES = 8 << 20,
    LEAST_CHUNK = 64 << 10,
    GUARD_BYTES = 256,
    TAIL_MOST = 100003,    /* elements behind those that repeat, where values do not */
    SHARE_LEAST = 1 << 16, /* elements of a thread's share */
};

/* For cold and warm data: the bytes that the distinct inputs fill together, and the fewest
 * inputs. */
static const uint64_t ROTATE_BYTES = 256ull << 20;
static const uint64_t ROTATE_MIN = 4;
static const uint64_t PAST_L2 = 8; /* from this many times the L2 on, one input is cold too */

/* Primes a little below 2^24 .. 2^29. From all their multiples, the powers of two from 2^17 to
 * 2^40 are 65536 elements away, and any s * 2^k of 2^17 to 2^36 (s odd, below 512) 15209. */
static const uint64_t PERIODS[] = {15713431,  31749889,  64421101,
                                   130676003, 260121929, 504962231};

bool input_is_past_l2(const struct problem *problem, const struct device_info *info)
{
    const uint64_t bytes = (uint64_t)problem_bytes_read(problem);
    return bytes >= PAST_L2 * (uint64_t)info->target.l2_bytes;
}

/* Whole rounds over the distributions of lengths, where none is given. */
static size_t count_least(const struct problem *problem)
{
    const bool is_any = dims_is_segmented(&problem->dims) && problem->lengths == LENGTHS_ANY;
    return (is_any ? LENGTHS_COUNT - LENGTHS_EQUAL : 1) * oracle_inputs_least(problem);
}

size_t input_count(const struct problem *problem, const struct device_info *info)
{
    const uint64_t bytes = (uint64_t)problem_bytes_read(problem);
    const size_t least = count_least(problem);
    if (info->target.is_host || problem->regime == WARM || input_is_past_l2(problem, info))
        return least;
    uint64_t count = bytes ? ROTATE_BYTES / bytes : INPUT_MAX;
    count = count < ROTATE_MIN ? ROTATE_MIN : count;
    count = count > INPUT_MAX ? INPUT_MAX : count;
    return (size_t)(count < least ? least : count / least * least);
}

/* An input and the guards behind it. */
static uint64_t find_stride(const struct problem *problem)
{
    const uint64_t bytes =
        dims_extent(&problem->dims) * (uint64_t)problem_types[problem->type].bytes;
    return (bytes + UINT64_C(3) * GUARD_BYTES - 1) / GUARD_BYTES * GUARD_BYTES;
}

/* Elements of a further input's pattern from one input to the next: a multiple of 256 bytes, and a guard. */
static uint64_t find_further_stride(const struct problem *problem, size_t input)
{
    const uint64_t extent = problem_input_extent(problem, input);
    return (extent + UINT64_C(2) * GUARD_BYTES - 1) / GUARD_BYTES * GUARD_BYTES;
}

static uint64_t further_bytes(const struct problem *problem, size_t input, size_t count)
{
    return count * find_further_stride(problem, input) *
           (uint64_t)problem_types[problem_input_type(problem, input)].bytes;
}

static uint64_t find_offset_stride(const struct problem *problem)
{
    return (problem_offset_bytes(problem) + GUARD_BYTES - 1) / GUARD_BYTES * GUARD_BYTES;
}

uint64_t input_bytes(const struct problem *problem, const struct device_info *info)
{
    const size_t count = input_count(problem, info);
    uint64_t bytes = GUARD_BYTES + count * (find_stride(problem) + find_offset_stride(problem));
    for (size_t k = 1; k < problem_inputs(problem); k++)
        bytes += further_bytes(problem, k, count);
    return bytes;
}

/* Several results have elements that may lie far apart, or elements in common. */
static bool is_made_whole(const struct problem *problem)
{
    return !oracle_is_run(&problem->dims) || problem->dims.scan;
}

/* The results of a scan take the place of elements that are as large: the first touch of so much
 * memory takes longer than all else. */
static bool is_made_in_place(const struct problem *problem)
{
    return problem->dims.scan && oracle_is_run(&problem->dims) &&
           problem_types[problem->type].bytes == problem_types[problem_result(problem)].bytes;
}

uint64_t input_period(const struct problem *problem)
{
    const uint64_t n = problem->dims.depth.n;
    if (is_made_whole(problem)) /* its results are folded one by one anyway */
        return 0;
    for (size_t i = 0; i < sizeof PERIODS / sizeof *PERIODS && PERIODS[i] < n; i++)
        if (oracle_can_repeat(problem, PERIODS[i]))
            return PERIODS[i];
    return 0;
}

uint64_t input_last(const struct input *input)
{
    return dims_n(&input->problem.dims) ? dims_n(&input->problem.dims) - 1 : 0;
}

static bool has_tail(const struct input *input)
{
    return input->period && !oracle_values_repeat(&input->problem);
}

static uint64_t find_tail(const struct input *input)
{
    const uint64_t n = input->problem.dims.depth.n, half = (n - input->period) / 2;
    return n - (half < TAIL_MOST ? half : TAIL_MOST);
}

static struct oracle_input describe(const struct input *input, size_t i)
{
    struct oracle_input source = {
        .problem = input->problem,
        .seed = input->seed + i,
        .mark = input_last(input),
        .period = input->period,
        .tail = has_tail(input) ? find_tail(input) : 0,
    };
    for (size_t k = 0; k + 1 < problem_inputs(&input->problem); k++)
        source.problem.further[k].first = ORACLE_USUAL + i * input->further_stride[k];
    return source;
}

uint64_t input_address(const struct input *input, size_t i)
{
    assert(i < input->count);
    return input->base + GUARD_BYTES + i * input->stride + input->offset;
}

void input_further(const struct input *input, size_t i, uint64_t out[PROBLEM_FURTHER_MAX])
{
    assert(i < input->count);
    for (size_t k = 0; k + 1 < problem_inputs(&input->problem); k++)
        out[k] = input->further_base[k] +
                 i * input->further_stride[k] *
                     (uint64_t)problem_types[problem_input_type(&input->problem, k + 1)].bytes;
}

uint64_t input_offsets(const struct input *input, size_t i)
{
    assert(i < input->count);
    return input->offsets ? input->offsets + i * input->offset_stride : 0;
}

/* Memory whose first touch is by huge pages where the system has them: that takes half the time. */
static void *allocate(uint64_t bytes)
{
    const uintptr_t page = 2 << 20;
    void *memory = malloc(bytes);
    const uintptr_t first = ((uintptr_t)memory + page - 1) / page * page;
    if (memory && bytes > page)
        (void)madvise((void *)first, bytes - (first - (uintptr_t)memory), MADV_HUGEPAGE);
    return memory;
}

/* One chunk: generated by a thread, folded into its share of the answer, then copied. */
struct chunk {
    const struct oracle_input *source;
    uint64_t first, count;
    void *elements;
    struct oracle_fold fold;
};

static void *fill_chunk(void *argument)
{
    struct chunk *chunk = argument;
    if (chunk->source->period)
        oracle_fill_plain(chunk->source, chunk->first, chunk->count, chunk->elements);
    else
        oracle_fill(chunk->source, chunk->first, chunk->count, chunk->elements);
    oracle_fold_add(&chunk->fold, chunk->elements, chunk->count);
    return NULL;
}

/* The state of filling one input. */
struct filler {
    struct device *device;
    struct oracle_input source;
    uint64_t bytes, to;   /* of an element; the input's address */
    uint64_t *borders;    /* of segments, room for all; else NULL */
    uint64_t chunk_bytes; /* of a thread's at a time */
    char *buffer;         /* so many for each thread */
    size_t threads;
};

/* Makes, folds and writes the elements [first, end). */
static int fill_range(const struct filler *filler, uint64_t first, uint64_t end,
                      struct oracle_fold *fold, struct error *error)
{
    const uint64_t per_chunk = filler->chunk_bytes / filler->bytes;
    for (uint64_t at = first; at < end;) {
        struct chunk chunks[THREADS_MAX];
        const uint64_t round = at;
        size_t count = 0;
        for (; count < filler->threads && at < end; count++) {
            const uint64_t take = end - at < per_chunk ? end - at : per_chunk;
            chunks[count] = (struct chunk){&filler->source,
                                           at,
                                           take,
                                           filler->buffer + (at - round) * filler->bytes,
                                           {.count = 0}};
            oracle_fold_init(&chunks[count].fold, &filler->source.problem);
            chunks[count].fold.next = at;
            at += take;
        }
        threads_run(fill_chunk, chunks, sizeof *chunks, count);
        for (size_t c = 0; c < count; c++)
            oracle_fold_merge(fold, &chunks[c].fold);
        if (filler->device->ops->write(filler->device, filler->to + round * filler->bytes,
                                       filler->buffer, (at - round) * filler->bytes, error))
            return -1;
    }
    return 0;
}

/* Copies the period behind itself, doubling it: few copies, however many periods. */
static int copy_periods(const struct filler *filler, struct error *error)
{
    const uint64_t n = filler->source.problem.dims.depth.n;
    for (uint64_t done = filler->source.period; done < n; done *= 2) {
        const uint64_t take = n - done < done ? n - done : done;
        if (filler->device->ops->copy(filler->device, filler->to + done * filler->bytes,
                                      filler->to, take * filler->bytes, error))
            return -1;
    }
    return 0;
}

static int write_deciding(const struct filler *filler, struct error *error)
{
    uint64_t deciding[ORACLE_DECIDING_MAX];
    const size_t count = oracle_list_deciding(&filler->source, deciding);
    for (size_t i = 0; i < count; i++) {
        char element[16];
        oracle_fill(&filler->source, deciding[i], 1, element);
        if (filler->device->ops->write(filler->device, filler->to + deciding[i] * filler->bytes,
                                       element, filler->bytes, error))
            return -1;
    }
    return 0;
}

/* Makes one period in two parts: the first ends where the input ends in its last period. */
static int fill_periods(const struct filler *filler, struct oracle_fold *fold,
                        struct error *error)
{
    const uint64_t period = filler->source.period;
    assert(period > 0);
    const uint64_t end = filler->source.problem.dims.depth.n % period;
    struct oracle_fold rest, whole;
    oracle_fold_init(&rest, &filler->source.problem);
    if (fill_range(filler, 0, end, &rest, error))
        return -1;
    whole = rest;
    if (fill_range(filler, end, period, &whole, error) || copy_periods(filler, error) ||
        write_deciding(filler, error))
        return -1;
    oracle_fold_periods(fold, &filler->source, &whole, &rest);
    return 0;
}

/* --- A tail behind periods ---------------------------------------------------------------- */

/* One period and the tail, in this process's memory. */
struct repeated {
    const struct oracle_input *source;
    uint64_t bytes;
    unsigned char *period, *tail;
};

/* A thread's part of it: elements of the period or of the tail; or of the whole input. */
struct part {
    const struct repeated *of;
    uint64_t first, count;
    struct oracle_fold fold;
};

static void *fill_part(void *argument)
{
    const struct part *part = argument;
    oracle_fill(part->of->source, part->first, part->count,
                part->of->period + part->first * part->of->bytes);
    return NULL;
}

/* Where an element is, and how many follow it there. */
static const unsigned char *find_elements(const struct repeated *of, uint64_t at,
                                          uint64_t *count)
{
    const uint64_t period = of->source->period, tail = of->source->tail;
    const uint64_t n = of->source->problem.dims.depth.n, in_period = at % period;
    if (at >= tail) {
        *count = n - at;
        return of->tail + (at - tail) * of->bytes;
    }
    *count = period - in_period < tail - at ? period - in_period : tail - at;
    return of->period + in_period * of->bytes;
}

static void *fold_part(void *argument)
{
    struct part *part = argument;
    const uint64_t end = part->first + part->count;
    for (uint64_t at = part->first, take; at < end; at += take) {
        const unsigned char *elements = find_elements(part->of, at, &take);
        take = take < end - at ? take : end - at;
        oracle_fold_add(&part->fold, elements, take);
    }
    return NULL;
}

static void run_parts(void *(*work)(void *), struct part *parts, size_t count,
                      const struct repeated *of, uint64_t total)
{
    for (size_t i = 0; i < count; i++) {
        parts[i] = (struct part){.of = of, .first = total * i / count};
        parts[i].count = total * (i + 1) / count - parts[i].first;
        oracle_fold_init(&parts[i].fold, &of->source->problem);
        parts[i].fold.next = parts[i].first;
    }
    threads_run(work, parts, sizeof *parts, count);
}

static int write_repeated(const struct filler *filler, const struct repeated *of,
                          struct error *error)
{
    const struct oracle_input *source = &filler->source;
    const struct device_ops *ops = filler->device->ops;
    const uint64_t tail = source->problem.dims.depth.n - source->tail;
    return ops->write(filler->device, filler->to, of->period, source->period * filler->bytes,
                      error) ||
                   copy_periods(filler, error) ||
                   ops->write(filler->device, filler->to + source->tail * filler->bytes,
                              of->tail, tail * filler->bytes, error)
               ? -1
               : 0;
}

/* Where values do not repeat all elements are folded, from the one period that is made. */
static int fill_repeated(const struct filler *filler, struct oracle_fold *fold,
                         struct error *error)
{
    const struct oracle_input *source = &filler->source;
    const uint64_t tail = source->problem.dims.depth.n - source->tail;
    const uint64_t bytes = (source->period + tail) * filler->bytes;
    struct repeated of = {.source = source, .bytes = filler->bytes, .period = allocate(bytes)};
    struct part parts[THREADS_MAX];
    if (!of.period)
        return error_memory(error, bytes);
    assert(source->tail >= source->period);
    of.tail = of.period + source->period * of.bytes;
    run_parts(fill_part, parts, filler->threads, &of, source->period);
    oracle_fill(source, source->tail, tail, of.tail);
    const int failed = write_repeated(filler, &of, error);
    if (!failed)
        run_parts(fold_part, parts, filler->threads, &of, source->problem.dims.depth.n);
    for (size_t i = 0; i < filler->threads && !failed; i++)
        oracle_fold_merge(fold, &parts[i].fold);
    free(of.period);
    return failed ? -1 : 0;
}

/* Fills a run, in chunks. */
static int fill_run(struct input *input, const struct filler *filler, void *expect,
                    struct oracle_doubt *doubt, struct error *error)
{
    struct oracle_fold fold;
    oracle_bits bits;
    oracle_fold_init(&fold, &input->problem);
    if (has_tail(input) ? fill_repeated(filler, &fold, error)
        : input->period ? fill_periods(filler, &fold, error)
                        : fill_range(filler, 0, input->problem.dims.depth.n, &fold, error))
        return -1;
    if (fold.largest > input->largest_partial)
        input->largest_partial = fold.largest;
    if (oracle_fold_finish(&fold, &bits, error))
        return -1;
    element_store_word(problem_result(&input->problem), bits, expect, 0);
    if (doubt)
        *doubt = oracle_fold_doubt(&fold);
    return 0;
}

/* --- Inputs made whole -------------------------------------------------------------------- */

/* Elements, then results [first, first + count): made, then folded by a thread. */
struct share {
    const struct oracle_input *source;
    void *elements;
    unsigned char *expects;      /* of the first result of all */
    struct oracle_doubt *doubts; /* likewise, or NULL */
    const uint64_t *borders;     /* of segments */
    uint64_t first, count;
    struct oracle_fold fold; /* of a scan: of what is before */
    double largest;
    struct error error;
    int failed;
};

static void *fill_share(void *argument)
{
    struct share *share = argument;
    const struct problem *problem = &share->source->problem;
    const uint64_t bytes = (uint64_t)problem_types[problem->type].bytes;
    oracle_fill(share->source, share->first, share->count,
                (unsigned char *)share->elements + share->first * bytes);
    return NULL;
}

static void *fold_share(void *argument)
{
    struct share *share = argument;
    const struct problem *problem = &share->source->problem;
    const uint64_t bytes = (uint64_t)problem_types[problem_result(problem)].bytes;
    unsigned char *expects = share->expects + share->first * bytes;
    struct oracle_doubt *doubts = share->doubts ? share->doubts + share->first : NULL;
    share->failed =
        share->borders
            ? oracle_fold_segments(problem, share->borders, share->first, share->count,
                                   share->elements, expects, doubts, &share->largest,
                                   &share->error)
            : oracle_fold_results(problem, share->first, share->count, share->elements, expects,
                                  doubts, &share->largest, &share->error);
    return NULL;
}

/* Rows [first, first + count) of a scan of each. */
static void *scan_rows_share(void *argument)
{
    struct share *share = argument;
    share->failed =
        oracle_scan_rows(&share->source->problem, share->first, share->count, share->elements,
                         share->expects, share->doubts, &share->largest, &share->error);
    return NULL;
}

static void *scan_share(void *argument)
{
    struct share *share = argument;
    const struct problem *problem = &share->source->problem;
    const uint64_t bytes = (uint64_t)problem_types[problem->type].bytes;
    const uint64_t result_bytes = (uint64_t)problem_types[problem_result(problem)].bytes;
    oracle_bits ignored;
    oracle_fold_scan(&share->fold, (unsigned char *)share->elements + share->first * bytes,
                     share->count, share->expects + share->first * result_bytes,
                     share->doubts ? share->doubts + share->first : NULL);
    share->largest = share->fold.largest;
    share->failed = oracle_fold_finish(&share->fold, &ignored, &share->error);
    return NULL;
}

static void *sum_share(void *argument)
{
    struct share *share = argument;
    const struct problem *problem = &share->source->problem;
    const uint64_t bytes = (uint64_t)problem_types[problem->type].bytes;
    oracle_fold_init(&share->fold, problem);
    oracle_fold_add(&share->fold, (unsigned char *)share->elements + share->first * bytes,
                    share->count);
    return NULL;
}

static void share_out(void *(*work)(void *), struct share *shares, size_t count, uint64_t total)
{
    for (size_t i = 0; i < count; i++) {
        shares[i].first = total / count * i + (i < total % count ? i : total % count);
        shares[i].count = total / count + (i < total % count);
    }
    threads_run(work, shares, sizeof *shares, count);
}

/* Each share begins where those before it end. */
static void scan_shares(struct share *shares, size_t count)
{
    struct oracle_fold before;
    oracle_fold_init(&before, &shares->source->problem);
    threads_run(sum_share, shares, sizeof *shares, count);
    for (size_t i = 0; i < count; i++) {
        const struct oracle_fold own = shares[i].fold;
        shares[i].fold = before;
        oracle_fold_merge(&before, &own);
    }
    threads_run(scan_share, shares, sizeof *shares, count);
}

/* `elements` may be `expects`: they are written to the device before the results are made. */
static int run_shares(struct share *shares, size_t count, struct input *input,
                      const struct filler *filler, void *elements, void *expects,
                      struct oracle_doubt *doubts, struct error *error)
{
    const struct dims *dims = &input->problem.dims;
    for (size_t i = 0; i < count; i++)
        shares[i] = (struct share){.source = &filler->source,
                                   .borders = filler->borders,
                                   .elements = elements,
                                   .expects = expects,
                                   .doubts = doubts};
    share_out(fill_share, shares, count, dims_extent(dims));
    if (filler->device->ops->write(filler->device, filler->to, elements,
                                   dims_extent(dims) * filler->bytes, error))
        return -1;
    if (dims->scan && !oracle_is_run(dims))
        share_out(scan_rows_share, shares, count, dims_kept(dims));
    else if (dims->scan)
        scan_shares(shares, count);
    else
        share_out(fold_share, shares, count, dims_results(dims));
    for (size_t i = 0; i < count; i++) {
        if (shares[i].failed) {
            *error = shares[i].error;
            return -1;
        }
        if (shares[i].largest > input->largest_partial)
            input->largest_partial = shares[i].largest;
    }
    return 0;
}

static int fill_shares(struct input *input, const struct filler *filler, void *elements,
                       void *expects, struct oracle_doubt *doubts, struct error *error)
{
    const uint64_t most = dims_n(&input->problem.dims) / SHARE_LEAST + 1;
    const size_t count = (size_t)(filler->threads < most ? filler->threads : most);
    struct share *shares = malloc(count * sizeof *shares);
    if (!shares)
        return error_memory(error, count * sizeof *shares);
    const int failed =
        run_shares(shares, count, input, filler, elements, expects, doubts, error);
    free(shares);
    return failed;
}

static int fill_whole(struct input *input, const struct filler *filler, void *expects,
                      struct oracle_doubt *doubts, struct error *error)
{
    const uint64_t bytes = dims_extent(&input->problem.dims) * filler->bytes;
    const bool is_in_place = is_made_in_place(&input->problem);
    void *elements = is_in_place ? expects : allocate(bytes);
    if (!elements)
        return error_memory(error, bytes);
    const int failed = fill_shares(input, filler, elements, expects, doubts, error);
    if (!is_in_place)
        free(elements);
    return failed;
}

/* --- All inputs --------------------------------------------------------------------------- */

/* Writes loud values right before and after an input: a read outside it shows in the result. */
static int write_guards(struct input *input, size_t i, struct error *error)
{
    const size_t bytes = (size_t)problem_types[input->problem.type].bytes;
    const uint64_t start = input_address(input, i);
    const uint64_t end = start + dims_extent(&input->problem.dims) * bytes;
    const uint64_t after = input->base + input->bytes - end;
    char guard[GUARD_BYTES];
    for (size_t at = 0; at < GUARD_BYTES; at += bytes)
        oracle_guard(&input->problem, guard + at);
    return input->device->ops->write(input->device, start - GUARD_BYTES, guard, GUARD_BYTES,
                                     error) ||
                   input->device->ops->write(input->device, end, guard,
                                             after < GUARD_BYTES ? after : GUARD_BYTES, error)
               ? -1
               : 0;
}

uint64_t input_expects_bytes(const struct problem *problem)
{
    return dims_results(&problem->dims) *
           (uint64_t)problem_types[problem_result(problem)].bytes;
}

const void *input_expects(const struct input *input, size_t i)
{
    assert(i < input->count);
    return input->expects + i * input_expects_bytes(&input->problem);
}

oracle_bits input_expect(const struct input *input, size_t i, uint64_t result)
{
    return element_load_word(problem_result(&input->problem), input_expects(input, i), result);
}

bool input_accepts(const struct input *input, size_t i, uint64_t result, uint64_t height,
                   oracle_bits got)
{
    const struct oracle_doubt *doubt =
        input->doubts ? input->doubts + i * dims_results(&input->problem.dims) + result : NULL;
    return oracle_accepts(&input->problem, input_expect(input, i, result), doubt, height, got);
}

double input_own_bytes(const struct problem *problem, const struct device_info *info)
{
    const double element = problem_types[problem->type].bytes;
    const double results =
        (double)input_count(problem, info) * (double)dims_results(&problem->dims);
    const double expects = results * problem_types[problem_result(problem)].bytes;
    const double doubts =
        oracle_is_plain(problem) ? 0 : results * (double)sizeof(struct oracle_doubt);
    const double elements =
        is_made_in_place(problem) ? 0 : (double)dims_extent(&problem->dims) * element;
    const double borders = dims_is_segmented(&problem->dims)
                               ? (double)(dims_kept(&problem->dims) + 1) * sizeof(uint64_t) +
                                     (double)problem_offset_bytes(problem)
                               : 0;
    return is_made_whole(problem) ? elements + expects + doubts + borders : 0;
}

/* The deciding element of a run is its last, so that input_mark may move it; for other inputs
 * it is in the middle of the first result. */
static uint64_t first_mark(const struct input *input, size_t i)
{
    const struct dims *dims = &input->problem.dims;
    if (!is_made_whole(&input->problem))
        return input_last(input);
    return dims->depth.n ? (dims->depth.n / 2 + i) % dims->depth.n : 0;
}

/* Makes the borders of input i, and writes them as offsets. Seeds come by pairs, for complementary inputs. */
static int fill_offsets(const struct input *input, size_t i, const struct filler *filler,
                        struct error *error)
{
    const struct problem *problem = &input->problem;
    const uint64_t bytes = problem_offset_bytes(problem), count = dims_kept(&problem->dims);
    const size_t turn = i / oracle_inputs_least(problem);
    const enum lengths lengths =
        problem->lengths != LENGTHS_ANY
            ? problem->lengths
            : (enum lengths)(LENGTHS_EQUAL + turn % (LENGTHS_COUNT - LENGTHS_EQUAL));
    void *offsets = malloc(bytes);
    if (!offsets)
        return error_memory(error, bytes);
    oracle_make_borders(filler->borders, problem, lengths, input->seed + turn);
    oracle_store_borders(problem, filler->borders, count + 1, offsets);
    const int failed = input->device->ops->write(input->device, input_offsets(input, i),
                                                 offsets, bytes, error);
    free(offsets);
    return failed;
}

static int fill_input(struct input *input, size_t i, struct filler *filler, struct error *error)
{
    unsigned char *expects = input->expects + i * input_expects_bytes(&input->problem);
    struct oracle_doubt *doubts =
        input->doubts ? input->doubts + i * dims_results(&input->problem.dims) : NULL;
    filler->source = describe(input, i);
    filler->source.mark = first_mark(input, i);
    filler->to = input_address(input, i);
    if (write_guards(input, i, error) ||
        (filler->borders && fill_offsets(input, i, filler, error)))
        return -1;
    return is_made_whole(&input->problem) ? fill_whole(input, filler, expects, doubts, error)
                                          : fill_run(input, filler, expects, doubts, error);
}

static int open_doubts(struct input *input, struct error *error)
{
    const uint64_t bytes =
        input->count * dims_results(&input->problem.dims) * sizeof *input->doubts;
    if (oracle_is_certain(&input->problem) || bytes == 0)
        return 0;
    input->doubts = allocate(bytes);
    return input->doubts ? 0 : error_memory(error, bytes);
}

/* A text that is evaluated takes long: all threads get as much, of little data too. */
static uint64_t find_chunk(const struct problem *problem, uint64_t bytes_each)
{
    const uint64_t each = (bytes_each / LEAST_CHUNK + 1) * LEAST_CHUNK;
    return !oracle_is_plain(problem) && each < CHUNK_BYTES ? each : CHUNK_BYTES;
}

static int fill_all(struct input *input, struct error *error)
{
    const uint64_t expects_bytes = input->count * input_expects_bytes(&input->problem);
    const uint64_t made = input->period ? input->period : input->problem.dims.depth.n;
    const uint64_t bytes = (uint64_t)problem_types[input->problem.type].bytes;
    const uint64_t cores = threads_of_cores();
    const uint64_t chunk_bytes = find_chunk(&input->problem, made * bytes / cores);
    const uint64_t chunks = made * bytes / chunk_bytes + 1;
    const bool is_run = !is_made_whole(&input->problem);
    struct filler filler = {
        .device = input->device,
        .bytes = bytes,
        .chunk_bytes = chunk_bytes,
        .threads = (size_t)(is_run && chunks < cores ? chunks : cores),
    };
    const uint64_t buffer_bytes = is_run ? filler.threads * chunk_bytes : 1;
    const uint64_t border_bytes =
        (dims_kept(&input->problem.dims) + 1) * sizeof *filler.borders;
    const bool is_segmented = dims_is_segmented(&input->problem.dims);
    filler.buffer = malloc(buffer_bytes);
    filler.borders = is_segmented ? malloc(border_bytes) : NULL;
    input->expects = allocate(expects_bytes);
    int failed = !filler.buffer                    ? error_memory(error, buffer_bytes)
                 : is_segmented && !filler.borders ? error_memory(error, border_bytes)
                 : !input->expects                 ? error_memory(error, expects_bytes)
                                                   : open_doubts(input, error);
    for (size_t i = 0; !failed && i < input->count; i++)
        failed = fill_input(input, i, &filler, error);
    free(filler.buffer);
    free(filler.borders);
    return failed || input->device->ops->sync(input->device, NULL, error) ? -1 : 0;
}

/* --- Further inputs ----------------------------------------------------------------------- */

/* Writes elements [0, count) of the pattern from ORACLE_USUAL on: made until it repeats, then copied. */
static int write_pattern(const struct input *input, size_t k, uint64_t count,
                         struct error *error)
{
    const struct device_ops *ops = input->device->ops;
    const uint64_t bytes =
        (uint64_t)problem_types[problem_input_type(&input->problem, k)].bytes;
    const uint64_t to = input->further_base[k - 1], per_chunk = CHUNK_BYTES / bytes;
    const uint64_t made = count < ORACLE_PATTERN ? count : ORACLE_PATTERN;
    void *chunk = malloc(CHUNK_BYTES);
    int failed = chunk ? 0 : error_memory(error, CHUNK_BYTES);
    for (uint64_t at = 0, take; !failed && at < made; at += take) {
        take = made - at < per_chunk ? made - at : per_chunk;
        oracle_fill_further(&input->problem, k, ORACLE_USUAL + at, take, chunk);
        failed = ops->write(input->device, to + at * bytes, chunk, take * bytes, error);
    }
    free(chunk);
    for (uint64_t done = made; !failed && done < count; done *= 2)
        failed = ops->copy(input->device, to + done * bytes, to,
                           (count - done < done ? count - done : done) * bytes, error);
    return failed ? -1 : 0;
}

static int open_further(struct input *out, struct error *error)
{
    for (size_t k = 1; k < problem_inputs(&out->problem); k++) {
        const uint64_t stride = find_further_stride(&out->problem, k);
        out->further_stride[k - 1] = stride;
        if (out->device->ops->alloc(out->device, further_bytes(&out->problem, k, out->count),
                                    &out->further_base[k - 1], error) ||
            write_pattern(out, k, out->count * stride, error))
            return -1;
    }
    return 0;
}

static int open_described(struct input *out, struct error *error)
{
    if (oracle_prepare(&out->problem, error))
        return -1;
    out->stride = find_stride(&out->problem);
    out->bytes = GUARD_BYTES + out->count * out->stride;
    out->offset_stride = find_offset_stride(&out->problem);
    if (out->device->ops->alloc(out->device, out->bytes, &out->base, error))
        return -1;
    if ((out->offset_stride &&
         out->device->ops->alloc(out->device, out->count * out->offset_stride, &out->offsets,
                                 error)) ||
        open_further(out, error) || fill_all(out, error)) {
        input_close(out);
        return -1;
    }
    return 0;
}

int input_open_periodic(struct input *out, struct device *device, const struct problem *problem,
                        size_t count, uint64_t seed, uint64_t period, struct error *error)
{
    *out = (struct input){.device = device,
                          .problem = *problem,
                          .count = count,
                          .seed = 2 * seed,
                          .period = period};
    return open_described(out, error);
}

int input_open_offset(struct input *out, struct device *device, const struct problem *problem,
                      size_t count, uint64_t seed, uint64_t offset, struct error *error)
{
    *out = (struct input){.device = device,
                          .problem = *problem,
                          .count = count,
                          .seed = 2 * seed,
                          .period = input_period(problem),
                          .offset = offset};
    return open_described(out, error);
}

int input_open(struct input *out, struct device *device, const struct problem *problem,
               size_t count, uint64_t seed, struct error *error)
{
    return input_open_periodic(out, device, problem, count, seed, input_period(problem), error);
}

void input_close(struct input *input)
{
    if (input->base)
        input->device->ops->free(input->device, input->base);
    for (size_t k = 0; k < PROBLEM_FURTHER_MAX; k++) {
        if (input->further_base[k])
            input->device->ops->free(input->device, input->further_base[k]);
        input->further_base[k] = 0;
    }
    if (input->offsets)
        input->device->ops->free(input->device, input->offsets);
    free(input->expects);
    free(input->doubts);
    input->expects = NULL;
    input->doubts = NULL;
    input->base = input->offsets = 0;
}

static int write_element(struct input *input, uint64_t position, bool marked,
                         struct error *error)
{
    const struct oracle_input source = describe(input, 0);
    const uint64_t bytes = (uint64_t)problem_types[input->problem.type].bytes;
    char element[16];
    oracle_element(&source, position, marked, element);
    return input->device->ops->write(input->device, input_address(input, 0) + position * bytes,
                                     element, bytes, error);
}

/* False for several results: each has a mark of its own. */
bool input_has_mark(const struct input *input)
{
    return !is_made_whole(&input->problem) && oracle_has_mark(&input->problem);
}

int input_mark(struct input *input, uint64_t from, uint64_t to, struct error *error)
{
    if (!input_has_mark(input) || from == to || input->problem.dims.depth.n == 0)
        return 0;
    if (write_element(input, from, false, error) || write_element(input, to, true, error))
        return -1;
    if (problem_law(&input->problem)->is_position)
        element_store_word(problem_result(&input->problem), to, input->expects, 0);
    return 0;
}

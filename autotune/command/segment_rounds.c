/* segment_rounds: counts the offsets of a round from its first element, and repeats the last one where a round has
 * fewer segments than the plan. */
#include "autotune/command/segment_rounds.h"

#include "autotune/device/monotonic.h"
#include "autotune/verify/element.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What lasts for all rounds. */
struct buffers {
    uint64_t most, segments; /* elements and segments of the plan */
    size_t each, each_result, each_offset;
    struct autotune_plan *plan;
    struct autotune_workspace *workspace;
    void *stream; /* of the calls; NULL on the host, which ends each before it returns */
    uint64_t elements, offsets, results; /* on the device */
    unsigned char *stage, *words;        /* elements; offsets, then results */
    uint64_t read;                       /* bytes of the source */
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t greatest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* --- Set up ------------------------------------------------------------------------------- */

static void size_up(struct buffers *out, const struct segment_rounds *rounds)
{
    const struct offsets *offsets = rounds->offsets;
    uint64_t longest = 1;
    for (uint64_t i = 0; i < offsets->count; i++)
        longest = greatest(longest, offsets_at(offsets, i + 1) - offsets_at(offsets, i));
    out->each = (size_t)problem_types[rounds->problem->type].bytes;
    out->each_result = (size_t)problem_types[problem_result(rounds->problem)].bytes;
    out->each_offset = (size_t)problem_types[offsets->type].bytes;
    out->most = greatest(longest, least(rounds->n, rounds->bytes_most / out->each));
    out->segments = least(offsets->count, rounds->segments_most);
}

static int open_buffers(struct buffers *out, const struct segment_rounds *rounds,
                        struct error *error)
{
    struct device *device = rounds->host->device;
    struct autotune_error cause = {0};
    struct problem problem = *rounds->problem;
    const uint64_t offset_bytes = (out->segments + 1) * out->each_offset;
    const uint64_t result_bytes = out->segments * out->each_result;
    problem.offsets = rounds->offsets->type;
    problem.dims = dims_segments(out->segments, out->most);
    if (host_context_segments(&out->plan, rounds->host, &problem, error))
        return -1;
    if (!device->info.target.is_host &&
        device->ops->stream_open(device, false, &out->stream, error))
        return -1;
    if (autotune_workspace_create(&out->workspace, out->plan, NULL, out->stream, &cause))
        return host_context_error(&cause, error);
    if (device->ops->alloc(device, out->most * out->each, &out->elements, error) ||
        device->ops->alloc(device, offset_bytes, &out->offsets, error) ||
        device->ops->alloc(device, result_bytes, &out->results, error))
        return -1;
    out->stage = malloc(rounds->stage_bytes);
    out->words = malloc(greatest(offset_bytes, result_bytes));
    return out->stage && out->words
               ? 0
               : error_memory(error, rounds->stage_bytes + offset_bytes + result_bytes);
}

static void close_buffers(struct buffers *buffers, struct device *device)
{
    const uint64_t addresses[] = {buffers->elements, buffers->offsets, buffers->results};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
        if (addresses[i])
            device->ops->free(device, addresses[i]);
    free(buffers->stage);
    free(buffers->words);
    autotune_workspace_destroy(buffers->workspace, NULL);
    autotune_plan_destroy(buffers->plan, NULL);
    if (buffers->stream)
        device->ops->stream_close(device, buffers->stream);
}

/* --- Elements ----------------------------------------------------------------------------- */

static int refuse_end(const struct segment_rounds *rounds, uint64_t elements,
                      struct error *error)
{
    const struct offsets *offsets = rounds->offsets;
    return error_set(
        error, ERROR_IO,
        "%.900s: its last offset is %llu, and %.900s has %llu elements of type %s: "
        "see whether both are whole, and --type and --offsets-type are theirs",
        offsets->name, (unsigned long long)offsets_at(offsets, offsets->count), rounds->name,
        (unsigned long long)elements, problem_types[rounds->problem->type].name);
}

/* Fills the stage with the source's next bytes, but for its end. */
static int fill_stage(const struct segment_rounds *rounds, struct buffers *buffers,
                      size_t bytes, struct error *error)
{
    const struct autotune_source *source = &rounds->source;
    for (size_t filled = 0; filled < bytes;) {
        const int64_t got = source->read(source->context, buffers->stage + filled,
                                         buffers->read, bytes - filled);
        if (got < 0)
            return error_set(error, ERROR_IO, "%.1000s: cannot be read: %s", rounds->name,
                             strerror(errno));
        if (got == 0)
            return refuse_end(rounds, buffers->read / buffers->each, error);
        filled += (size_t)got;
        buffers->read += (uint64_t)got;
    }
    return 0;
}

/* Goes on to a byte of the source: reads what is before it where it can't be passed over. */
static int pass_to(const struct segment_rounds *rounds, struct buffers *buffers, uint64_t at,
                   struct error *error)
{
    if (rounds->source.is_parallel)
        buffers->read = at;
    while (buffers->read < at)
        if (fill_stage(rounds, buffers, (size_t)least(at - buffers->read, rounds->stage_bytes),
                       error))
            return -1;
    return 0;
}

static int copy_elements(const struct segment_rounds *rounds, struct buffers *buffers,
                         uint64_t count, struct error *error)
{
    struct device *device = rounds->host->device;
    const uint64_t bytes = count * buffers->each;
    for (uint64_t done = 0, part; done < bytes; done += part) {
        part = least(bytes - done, rounds->stage_bytes);
        if (fill_stage(rounds, buffers, (size_t)part, error) ||
            device->ops->write(device, buffers->elements + done, buffers->stage, part, error))
            return -1;
    }
    return 0;
}

/* --- Rounds ------------------------------------------------------------------------------- */

/* The segments from `first` on that make a round: one at least. */
static uint64_t take(const struct segment_rounds *rounds, const struct buffers *buffers,
                     uint64_t first)
{
    const uint64_t most = least(buffers->segments, rounds->offsets->count - first);
    const uint64_t begin = offsets_at(rounds->offsets, first);
    uint64_t count = 0;
    while (count < most &&
           offsets_at(rounds->offsets, first + count + 1) - begin <= buffers->most)
        count++;
    assert(count);
    return count;
}

static int copy_offsets(const struct segment_rounds *rounds, struct buffers *buffers,
                        uint64_t first, uint64_t count, struct error *error)
{
    struct device *device = rounds->host->device;
    const struct offsets *offsets = rounds->offsets;
    const uint64_t begin = offsets_at(offsets, first);
    for (uint64_t i = 0; i <= buffers->segments; i++)
        element_store_word(offsets->type, offsets_at(offsets, first + least(i, count)) - begin,
                           buffers->words, i);
    return device->ops->write(device, buffers->offsets, buffers->words,
                              (buffers->segments + 1) * buffers->each_offset, error);
}

static int call(const struct buffers *buffers, uint64_t n, struct error *error)
{
    struct autotune_error cause = {0};
    const struct autotune_call call = {
        .size = sizeof call,
        .inputs = {{.data = (const void *)(uintptr_t)buffers->elements}},
        .outputs = {(void *)(uintptr_t)buffers->results},
        .n = n,
        .stream = buffers->stream,
        .offsets = (const void *)(uintptr_t)buffers->offsets,
    };
    return autotune_execute_call(buffers->workspace, &call, &cause)
               ? host_context_error(&cause, error)
               : 0;
}

static int run_round(const struct segment_rounds *rounds, struct buffers *buffers,
                     uint64_t first, uint64_t count, struct error *error)
{
    struct device *device = rounds->host->device;
    const uint64_t begin = offsets_at(rounds->offsets, first);
    const uint64_t n = offsets_at(rounds->offsets, first + count) - begin;
    const size_t bytes = (size_t)count * buffers->each_result;
    if (copy_offsets(rounds, buffers, first, count, error) ||
        pass_to(rounds, buffers, begin * buffers->each, error) ||
        copy_elements(rounds, buffers, n, error) || call(buffers, n, error) ||
        device->ops->sync(device, buffers->stream, error) ||
        device->ops->read(device, buffers->words, buffers->results, bytes, error))
        return -1;
    return rounds->sink.write(rounds->sink.context, buffers->words,
                              first * buffers->each_result, bytes)
               ? error_set(error, ERROR_IO, "results cannot be written: %s", strerror(errno))
               : 0;
}

int segment_rounds_run(struct segment_rounds *rounds, struct error *error)
{
    const struct offsets *offsets = rounds->offsets;
    struct buffers buffers = {0};
    int failed = 0;
    if (offsets_at(offsets, offsets->count) > rounds->elements)
        return refuse_end(rounds, rounds->elements, error);
    rounds->n = offsets_at(offsets, offsets->count) - offsets_at(offsets, 0);
    if (offsets->count == 0)
        return 0;
    size_up(&buffers, rounds);
    const uint64_t open_ns = monotonic_ns();
    failed = open_buffers(&buffers, rounds, error);
    const uint64_t start_ns = monotonic_ns();
    for (uint64_t first = 0, count; !failed && first < offsets->count; first += count) {
        count = take(rounds, &buffers, first);
        failed = run_round(rounds, &buffers, first, count, error);
        rounds->rounds++;
    }
    rounds->open_ns = start_ns - open_ns;
    rounds->run_ns = monotonic_ns() - start_ns;
    close_buffers(&buffers, rounds->host->device);
    return failed ? -1 : 0;
}

/* stream_ladder: races the rungs by turns with a plain copy, every result compared; then runs each once
 * more with marks in its streams, from which its copies and kernels are drawn. */
#include "autotune/ladder/stream_ladder.h"

#include "autotune/cli/output.h"
#include "autotune/measure/stats.h"
#include "autotune/print/figures.h"
#include "autotune/print/table_fit.h"

#include <inttypes.h>
#include <stdlib.h>

/* clang-format off */
static const struct stream_way ways[STREAM_LADDER_COUNT] = {
    {"streams-1", "copied from pageable memory by the driver, then reduced", PAGEABLE, true, false, 1, 1, 1},
    {"streams-2", "pinned: copied, then reduced, in one stream", PINNED, false, false, 1, 1, 1},
    {"streams-3", "two streams, breadth first: both copies, both kernels, both results", PINNED, false, true, 2, 2, 1},
    {"streams-4", "two streams, depth first: copy, kernel, result, then the next chunk's", PINNED, false, false, 2, 2, 1},
    {"streams-5", "two streams, depth first: 4 chunks", PINNED, false, false, 2, 4, 1},
    {"streams-6", "the same: 8 chunks", PINNED, false, false, 2, 8, 1},
    {"streams-7", "the same: 16 chunks", PINNED, false, false, 2, 16, 1},
    {"streams-8", "the same: 32 chunks", PINNED, false, false, 2, 32, 1},
    {"streams-9", "the same: 64 chunks", PINNED, false, false, 2, 64, 1},
    {"streams-10", "64 chunks, breadth first", PINNED, false, true, 2, 64, 1},
    {"streams-11", "chunks and streams as tuned", PINNED, false, false, 0, 0, 1},
    {"streams-12", "pageable, through pinned buffers that one thread fills", PAGEABLE, false, false, 0, 0, 1},
    {"streams-13", "the same with as many threads as tuned", PAGEABLE, false, false, 0, 0, 0},
    {"streams-14", "chunks of pageable memory that the driver copies", PAGEABLE, true, false, 0, 0, 1},
};
/* clang-format on */

struct work {
    const struct request *request;
    const struct setup *setup;
    struct problem problem; /* of pinned elements */
    struct host_bench bench;
    struct stream_rung rungs[STREAM_LADDER_COUNT];
    uint64_t copies_ps[STREAM_ROUNDS], copy_ps, pageable_ps;
    struct stream_caveat caveats[STREAM_CAVEATS_MAX];
    size_t caveat_count;
};

/* --- The run ------------------------------------------------------------------------------ */

/* Whole leaves, so that so many chunks are made and none more. */
static uint64_t chunk_bytes(const struct host_bench *bench, uint64_t chunks)
{
    const uint64_t n = dims_n(&bench->problem.dims), each = (n + chunks - 1) / chunks;
    const uint64_t size = (uint64_t)problem_types[bench->problem.type].bytes;
    return (each + PIPELINE_CHUNK_STEP - 1) / PIPELINE_CHUNK_STEP * PIPELINE_CHUNK_STEP * size;
}

static int open_rung(struct work *work, struct stream_rung *rung, struct error *error)
{
    const struct autotune_pipeline_options options = {
        .streams = rung->way.streams,
        .chunk_bytes = rung->way.chunks ? chunk_bytes(&work->bench, rung->way.chunks) : 0,
        .copiers = rung->way.copiers,
    };
    struct problem problem = work->problem;
    problem.regime = rung->way.memory;
    if (host_context_pipeline(&rung->pipeline, &work->bench.host, &problem, &options, error))
        return -1;
    rung->pipeline->is_breadth_first = rung->way.is_breadth_first;
    rung->pipeline->leaves_pageable = rung->way.is_left_to_driver;
    rung->watch = (struct pipeline_watch){rung->bars, STREAM_BARS_MAX, 0};
    return 0;
}

static int time_rung(struct work *work, struct stream_rung *rung, uint64_t *out_ps,
                     struct error *error)
{
    return host_bench_run(&work->bench, rung->pipeline, rung->way.memory, out_ps, error);
}

static int watch_rung(struct work *work, struct stream_rung *rung, struct error *error)
{
    uint64_t ignored;
    if (pipeline_set_watch(rung->pipeline, &rung->watch, error))
        return -1;
    return time_rung(work, rung, &ignored, error);
}

static void summarize(struct stream_rung *rung)
{
    double times[STREAM_ROUNDS];
    for (size_t i = 0; i < STREAM_ROUNDS; i++)
        times[i] = (double)rung->times_ps[i];
    const struct stats_interval interval = stats_median_interval(times, STREAM_ROUNDS, 0.95);
    rung->median_ps = (uint64_t)interval.middle;
    rung->low_ps = (uint64_t)interval.low;
    rung->high_ps = (uint64_t)interval.high;
}

/* The first call of each, which makes its buffers, does not count. */
static int measure(struct work *work, struct error *error)
{
    uint64_t ignored;
    int failed = host_bench_copy(&work->bench, PINNED, &ignored, error);
    for (size_t i = 0; i < STREAM_LADDER_COUNT && !failed; i++)
        failed = open_rung(work, &work->rungs[i], error) ||
                 time_rung(work, &work->rungs[i], &ignored, error);
    for (size_t r = 0; r < STREAM_ROUNDS && !failed; r++) {
        failed = host_bench_copy(&work->bench, PINNED, &work->copies_ps[r], error);
        for (size_t i = 0; i < STREAM_LADDER_COUNT && !failed; i++) {
            struct stream_rung *rung = &work->rungs[r % 2 ? STREAM_LADDER_COUNT - 1 - i : i];
            failed = time_rung(work, rung, &rung->times_ps[r], error);
        }
    }
    for (size_t i = 0; i < STREAM_LADDER_COUNT && !failed; i++) {
        summarize(&work->rungs[i]);
        failed = watch_rung(work, &work->rungs[i], error);
    }
    work->copy_ps = failed ? 0 : stats_median(work->copies_ps, STREAM_ROUNDS);
    failed = failed || host_bench_copy(&work->bench, PAGEABLE, &work->pageable_ps, error);
    return failed ||
           stream_caveats_run(work->caveats, &work->caveat_count, &work->bench, error);
}

/* --- The table ---------------------------------------------------------------------------- */

static const struct table_column columns[] = {
    {NULL, "device", false},
    {NULL, "op", false},
    {NULL, "type", false},
    {NULL, "n", true},
    {"rung", "rung", false},
    {"memory", "memory", false},
    {"streams", "streams", true},
    {"issue", "issue", false},
    {"chunks", "chunks", true},
    {"threads", "threads", true},
    {"ms", "ms", true},
    {NULL, "low_ms", true},
    {NULL, "high_ms", true},
    {"GB/s", "gbs", true},
    {"% of copy", "copy_percent", true},
    {NULL, "copy_ms", true},
    {"what", "what", false},
    {NULL, "overlap", false},
    {NULL, "bars", false},
};

static void add_subject(struct table *table, const struct work *work)
{
    const struct problem *problem = &work->problem;
    table_add(table, work->setup->device->info.name);
    table_add(table, problem->op->name);
    table_add(table, problem_types[problem->type].name);
    table_addf(table, "%" PRIu64, dims_n(&problem->dims));
}

/* "FROM:COPIED:REDUCED ..." in microseconds. A copy begins where the one before it has ended: there is
 * one engine for copies to the GPU. */
static void add_bars(struct table *table, const struct stream_rung *rung)
{
    struct text text = {0};
    double free_ns = 0;
    for (size_t i = 0; i < rung->watch.count; i++) {
        const struct pipeline_bar *bar = &rung->bars[i];
        const double from_ns = bar->copy_from_ns > free_ns ? bar->copy_from_ns : free_ns;
        text_addf(&text, "%s%.1f:%.1f:%.1f", i ? " " : "", from_ns / 1e3, bar->copy_to_ns / 1e3,
                  bar->kernel_to_ns / 1e3);
        free_ns = bar->copy_to_ns;
    }
    table_add(table, text.at);
    table->failed |= text.failed;
    text_dispose(&text);
}

static void add_rung(struct table *table, const struct work *work,
                     const struct stream_rung *rung)
{
    const struct problem *problem = &work->problem;
    const struct autotune_pipeline *pipeline = rung->pipeline;
    const bool is_copied = rung->way.memory == PAGEABLE && !rung->way.is_left_to_driver;
    const uint64_t n = dims_n(&problem->dims);
    char speed[NUMBER_CHARS];
    add_subject(table, work);
    table_add(table, rung->way.name);
    table_add(table, problem_regimes[rung->way.memory]);
    table_addf(table, "%u", pipeline->streams);
    table_add(table, rung->way.is_breadth_first ? "breadth" : "depth");
    table_addf(table, "%" PRIu64, (n + pipeline->chunk - 1) / pipeline->chunk);
    table_add_number(table, is_copied, 0, pipeline->copier_count);
    table_addf(table, "%.3f", (double)rung->median_ps / 1e9);
    table_addf(table, "%.3f", (double)rung->low_ps / 1e9);
    table_addf(table, "%.3f", (double)rung->high_ps / 1e9);
    table_add(table, figures_speed(speed, figures_gbs(problem, rung->median_ps)));
    table_addf(table, "%.1f", 100 * (double)work->copy_ps / (double)rung->median_ps);
    table_addf(table, "%.3f", (double)work->copy_ps / 1e9);
    table_add(table, rung->way.what);
    table_add(table, NULL);
    add_bars(table, rung);
}

static void add_caveat(struct table *table, const struct work *work,
                       const struct stream_caveat *caveat)
{
    add_subject(table, work);
    table_addf(table, "caveat-%s", caveat->name);
    for (int i = 0; i < 11; i++)
        table_add(table, NULL);
    table_add(table, caveat->what);
    table_add(table, caveat->overlaps ? "yes" : "no");
    table_addf(table, "0.0:%.1f:%.1f", caveat->copied_us, caveat->reduced_us);
}

/* --- For people --------------------------------------------------------------------------- */

static const struct table_column caveat_columns[] = {
    {"between a copy and a kernel of two streams", NULL, false},
    {"copy ends, us", NULL, true},
    {"kernel ends, us", NULL, true},
    {"overlap", NULL, false},
};

static void print_caveats(struct text *out, const struct work *work)
{
    struct table table = {.columns = caveat_columns,
                          .column_count = sizeof caveat_columns / sizeof *caveat_columns};
    for (size_t i = 0; i < work->caveat_count; i++) {
        const struct stream_caveat *caveat = &work->caveats[i];
        table_add(&table, caveat->what);
        table_addf(&table, "%.1f", caveat->copied_us);
        table_addf(&table, "%.1f", caveat->reduced_us);
        table_add(&table, caveat->overlaps ? "yes" : "no");
    }
    text_adds(out, "\n");
    if (work->caveat_count)
        table_show(out, &table, false);
    else
        text_adds(out, "caveats: not tried, with so few elements nothing overlaps\n");
    out->failed |= table.failed;
    table_dispose(&table);
}

static int print(const struct work *work, struct error *error)
{
    struct table table = {.columns = columns, .column_count = sizeof columns / sizeof *columns};
    struct text text = {0};
    char speed[NUMBER_CHARS], pageable[NUMBER_CHARS];
    for (size_t i = 0; i < STREAM_LADDER_COUNT; i++)
        add_rung(&table, work, &work->rungs[i]);
    table_show(&text, &table, false);
    for (size_t i = 0; i < work->caveat_count; i++)
        add_caveat(&table, work, &work->caveats[i]);
    text_addf(
        &text,
        "\na plain copy of pinned memory takes %.3f ms, %s GB/s; of pageable memory, by the "
        "driver, %.3f ms, %s GB/s\n",
        (double)work->copy_ps / 1e9,
        figures_speed(speed, figures_gbs(&work->problem, work->copy_ps)),
        (double)work->pageable_ps / 1e9,
        figures_speed(pageable, figures_gbs(&work->problem, work->pageable_ps)));
    print_caveats(&text, work);
    const int failed = output_forms(&work->request->out, &text, &table, NULL, error);
    table_dispose(&table);
    text_dispose(&text);
    return failed;
}

/* --- All of it ---------------------------------------------------------------------------- */

static int run_ways(struct work *work, struct error *error)
{
    const struct request *request = work->request;
    struct host_context host;
    if (host_bench_make(&work->bench, &work->problem, request->seed, error) ||
        host_context_open(&host, request->device, request->nvrtc, request->cache, request->seed,
                          error))
        return -1;
    int failed = host_bench_open(&work->bench, &host, error) || measure(work, error) ||
                 print(work, error);
    for (size_t i = 0; i < STREAM_LADDER_COUNT; i++)
        autotune_pipeline_destroy(work->rungs[i].pipeline, NULL);
    host_bench_close(&work->bench);
    return failed;
}

int stream_ladder_run(const struct request *request, const struct setup *setup,
                      struct error *error)
{
    struct work *work = calloc(1, sizeof *work);
    if (!work)
        return error_memory(error, sizeof *work);
    work->request = request;
    work->setup = setup;
    work->problem = setup->problem;
    work->problem.regime = PINNED;
    for (size_t i = 0; i < STREAM_LADDER_COUNT; i++)
        work->rungs[i].way = ways[i];
    const int failed = run_ways(work, error);
    free(work);
    return failed ? -1 : 0;
}

/* tune_host: times every choice, and races the best few in rounds, by turns with a plain copy. Every call's result is compared. The kernel is the best record's
 * for a chunk: it takes a hundredth of the time that the copy takes. */
#include "autotune/tune/tune_host.h"

#include "autotune/cli/interrupt.h"
#include "autotune/cli/output.h"
#include "autotune/cli/supervise.h"
#include "autotune/device/cores.h"
#include "autotune/device/monotonic.h"
#include "autotune/measure/host_bench.h"
#include "autotune/measure/stats.h"
#include "autotune/print/figures.h"
#include "autotune/print/table_fit.h"
#include "autotune/tune/tune_notes.h"
#include "autotune/tune/tune_save.h"
#include "autotune/tune/tune_task.h"
#include "generator/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CHOICES_MAX = 256, FINALISTS = 6, ROUNDS = 15 };
static const uint64_t N_GPU = PROBLEM_USUAL_N_ON_HOST, N_HOST = 1 << 20;

/* Sizes of a chunk in KiB, and numbers of streams and threads. */
static const uint64_t chunks_kib[] = {1024, 2048, 4096, 8192, 16384, 32768, 65536};
static const uint64_t host_chunks_kib[] = {64, 256, 1024};
static const unsigned streams[] = {1, 2, 3};
static const unsigned core_shares[] = {1, 2, 4}; /* threads: the cores, a half, a quarter */

struct choice_tried {
    struct autotune_pipeline_options options;
    struct autotune_pipeline *pipeline; /* while it is a finalist */
    uint64_t times_ps[ROUNDS], median_ps, low_ps, high_ps;
    size_t taken;
};

struct work {
    const struct request *request;
    struct setup setup;
    struct tune_task task;
    struct host_bench bench;
    struct choice_tried choices[CHOICES_MAX];
    size_t count, finalists;
    uint64_t copies_ps[ROUNDS]; /* of pinned memory */
};

/* --- Choices ------------------------------------------------------------------------------ */

static void add_choice(struct work *work, uint64_t chunk_kib, unsigned lanes, unsigned copiers)
{
    work->choices[work->count++].options =
        (struct autotune_pipeline_options){.is_pinned = work->setup.problem.regime == PINNED,
                                           .chunk_bytes = chunk_kib << 10,
                                           .streams = lanes,
                                           .copiers = copiers};
}

/* Pinned memory is copied by no thread. */
static void list_choices(struct work *work)
{
    const unsigned cores = cores_own() < COPIERS_MAX ? cores_own() : COPIERS_MAX;
    const bool is_host = work->setup.target.is_host;
    const bool is_pinned = work->setup.problem.regime == PINNED;
    const uint64_t *sizes = is_host ? host_chunks_kib : chunks_kib;
    const size_t size_count =
        is_host ? sizeof host_chunks_kib / sizeof *sizes : sizeof chunks_kib / sizeof *sizes;
    for (size_t i = 0; i < size_count; i++)
        for (size_t s = 0; s < sizeof streams / sizeof *streams; s++)
            for (size_t t = 0; t < (is_pinned ? 1 : sizeof core_shares / sizeof *core_shares);
                 t++)
                if (t == 0 || cores >= core_shares[t])
                    add_choice(work, sizes[i], streams[s],
                               is_pinned ? 0 : cores / core_shares[t]);
}

static int open_choice(struct work *work, struct choice_tried *choice, struct error *error)
{
    return choice->pipeline
               ? 0
               : host_context_pipeline(&choice->pipeline, &work->bench.host,
                                       &work->setup.problem, &choice->options, error);
}

static void close_choice(struct choice_tried *choice)
{
    autotune_pipeline_destroy(choice->pipeline, NULL);
    choice->pipeline = NULL;
}

static int take(struct work *work, struct choice_tried *choice, struct error *error)
{
    return host_bench_run(&work->bench, choice->pipeline, work->setup.problem.regime,
                          &choice->times_ps[choice->taken++], error);
}

static void summarize(struct choice_tried *choice)
{
    double times[ROUNDS];
    for (size_t i = 0; i < choice->taken; i++)
        times[i] = (double)choice->times_ps[i];
    const struct stats_interval interval = stats_median_interval(times, choice->taken, 0.95);
    choice->median_ps = (uint64_t)interval.middle;
    choice->low_ps = (uint64_t)interval.low;
    choice->high_ps = (uint64_t)interval.high;
}

/* The faster first; of equals the one that needs less memory, then fewer streams and threads. */
static int by_time(const void *left, const void *right)
{
    const struct choice_tried *a = left, *b = right;
    if (a->median_ps != b->median_ps)
        return a->median_ps < b->median_ps ? -1 : 1;
    return a < b ? -1 : 1;
}

/* The first call of a pipeline makes its pinned buffers; the second counts, twice in a row. */
static int try_once(struct work *work, struct choice_tried *choice, struct error *error)
{
    int failed = open_choice(work, choice, error) || take(work, choice, error);
    choice->taken = 0;
    failed = failed || take(work, choice, error) || take(work, choice, error);
    close_choice(choice);
    if (!failed)
        summarize(choice);
    return failed;
}

static int try_all(struct work *work, struct error *error)
{
    for (size_t i = 0; i < work->count; i++)
        if (try_once(work, &work->choices[i], error))
            return -1;
    qsort(work->choices, work->count, sizeof *work->choices, by_time);
    return 0;
}

static int race(struct work *work, struct error *error)
{
    int failed = 0;
    work->finalists = work->count < FINALISTS ? work->count : FINALISTS;
    for (size_t i = 0; i < work->finalists && !failed; i++) {
        uint64_t ignored;
        work->choices[i].taken = 0;
        failed = open_choice(work, &work->choices[i], error) ||
                 host_bench_run(&work->bench, work->choices[i].pipeline,
                                work->setup.problem.regime, &ignored, error);
    }
    for (size_t r = 0; r < ROUNDS && !failed; r++) {
        failed = host_bench_copy(&work->bench, PINNED, &work->copies_ps[r], error);
        for (size_t i = 0; i < work->finalists && !failed; i++) {
            const size_t turn = r % 2 ? work->finalists - 1 - i : i;
            failed = take(work, &work->choices[turn], error);
        }
    }
    for (size_t i = 0; i < work->finalists && !failed; i++)
        summarize(&work->choices[i]);
    if (!failed)
        qsort(work->choices, work->finalists, sizeof *work->choices, by_time);
    return failed;
}

/* --- The record and the result ------------------------------------------------------------ */

static unsigned count_ties(const struct work *work)
{
    unsigned ties = 0;
    for (size_t i = 1; i < work->finalists; i++)
        ties += work->choices[i].low_ps <= work->choices[0].high_ps;
    return ties;
}

static int make_record(struct record *out, struct work *work, struct error *error)
{
    const struct choice_tried *winner = &work->choices[0];
    struct autotune_pipeline_info info;
    int64_t config[SPACE_NAMES_MAX];
    autotune_pipeline_describe(winner->pipeline, &info);
    setup_record(out, &work->setup);
    if (point_parse_record(work->setup.space, autotune_plan_params(info.plan), config, error))
        return -1;
    out->space_hash = work->setup.space->hash;
    tune_save_config(out, &work->setup, config);
    out->median_ps = winner->median_ps;
    out->low_ps = winner->low_ps;
    out->high_ps = winner->high_ps;
    out->ties = count_ties(work);
    out->candidates = (unsigned)work->count;
    out->chunk_bytes = info.chunk_bytes;
    out->streams = info.streams;
    out->copiers = work->setup.problem.regime == PINNED ? 0 : info.copiers;
    tune_save_now(out->tuned);
    return 0;
}

static const struct table_column columns[] = {
    {"chunk B", NULL, true},
    {NULL, "chunk_bytes", true},
    {"streams", "streams", true},
    {"threads", "copiers", true},
    {"ms", "ms", true},
    {NULL, "low_ms", true},
    {NULL, "high_ms", true},
    {"GB/s", "gbs", true},
    {"% of copy", "copy_percent", true},
};

static void add_choice_row(struct table *table, const struct problem *problem,
                           const struct record *row, uint64_t copy_ps)
{
    char size[NUMBER_CHARS], speed[NUMBER_CHARS];
    table_add(table, number_format_count(size, row->chunk_bytes));
    table_addf(table, "%" PRIu64, row->chunk_bytes);
    table_addf(table, "%" PRIu64, row->streams);
    table_add_number(table, row->copiers, 0, (double)row->copiers);
    table_addf(table, "%.3f", (double)row->median_ps / 1e9);
    table_addf(table, "%.3f", (double)row->low_ps / 1e9);
    table_addf(table, "%.3f", (double)row->high_ps / 1e9);
    table_add(table, figures_speed(speed, figures_gbs(problem, row->median_ps)));
    table_add_number(table, copy_ps, 1, 100 * (double)copy_ps / (double)row->median_ps);
}

static int print(const struct request *request, const struct problem *problem,
                 const struct record *winner, const struct choice_tried *choices, size_t count,
                 uint64_t copy_ps, struct error *error)
{
    struct table table = {.columns = columns, .column_count = sizeof columns / sizeof *columns};
    char name[PROBLEM_CHARS], chunk[NUMBER_CHARS], speed[NUMBER_CHARS];
    struct text text = {0};
    for (size_t i = 0; i < count; i++) {
        const struct record row = {.chunk_bytes = choices[i].options.chunk_bytes,
                                   .streams = choices[i].options.streams,
                                   .copiers = choices[i].options.copiers,
                                   .median_ps = choices[i].median_ps,
                                   .low_ps = choices[i].low_ps,
                                   .high_ps = choices[i].high_ps};
        add_choice_row(&table, problem, &row, copy_ps);
    }
    if (!count)
        add_choice_row(&table, problem, winner, 0);
    if (count)
        table_show(&text, &table, false);
    text_addf(&text, "winner    %s on %s\n          chunks of %sB, %" PRIu64 " streams",
              problem_format(name, problem), winner->gpu,
              number_format_count(chunk, winner->chunk_bytes), winner->streams);
    if (winner->copiers)
        text_addf(&text, ", %" PRIu64 " threads", winner->copiers);
    text_addf(&text, "\n          %.3f ms (95 %% interval %.3f to %.3f), %s GB/s",
              (double)winner->median_ps / 1e9, (double)winner->low_ps / 1e9,
              (double)winner->high_ps / 1e9,
              figures_speed(speed, figures_gbs(problem, winner->median_ps)));
    if (copy_ps)
        text_addf(&text, ", %.1f %% of a plain copy of pinned memory",
                  100 * (double)copy_ps / (double)winner->median_ps);
    text_adds(&text, "\n");
    const int failed = output_forms(&request->out, &text, &table, NULL, error);
    table_dispose(&table);
    text_dispose(&text);
    return failed;
}

/* --- The tuning --------------------------------------------------------------------------- */

static int answer(const struct work *work, const struct record *record, struct error *error)
{
    output_note(&work->request->out, "record    exact, measured %s: --retune measures again\n",
                record->tuned);
    return print(work->request, &work->setup.problem, record, NULL, 0, 0, error);
}

static int measure(struct work *work, const struct error *earlier, struct error *error)
{
    const struct request *request = work->request;
    const uint64_t start_ns = monotonic_ns();
    struct host_context host;
    struct record record;
    tune_save_warn(request, &work->setup);
    if (host_bench_make(&work->bench, &work->setup.problem, request->seed, error) ||
        host_context_open(&host, request->device, request->nvrtc, request->cache, request->seed,
                          error) ||
        host_bench_open(&work->bench, &host, error))
        return -1;
    list_choices(work);
    if (try_all(work, error) || race(work, error) || make_record(&record, work, error))
        return -1;
    output_note(&request->out, "tried     %zu choices, each result compared, in %.1f s\n",
                work->count, (double)(monotonic_ns() - start_ns) / 1e9);
    return print(request, &work->setup.problem, &record, work->choices, work->finalists,
                 stats_median(work->copies_ps, ROUNDS), error) ||
                   tune_save_record(request, &record, earlier, error)
               ? -1
               : 0;
}

/* What is tried is not a kernel but how data gets to it: so the task looks for a record, and is not
 * run. */
static int tune(struct work *work, struct error *error)
{
    struct tune_task *task = &work->task;
    struct request quiet = *work->request;
    quiet.out.quiet = true;
    *task = (struct tune_task){.request = &quiet, .setup = &work->setup};
    int failed = tune_task_look(task, error);
    if (!failed)
        failed = task->is_answered && task->found.record.chunk_bytes
                     ? answer(work, &task->found.record, error)
                     : measure(work, &task->warning, error);
    tune_task_close(task);
    return failed;
}

static int tune_supervised(void *context, struct error *error)
{
    struct work *work = context;
    const struct request *request = work->request;
    int failed = setup_open(&work->setup, request, true, error);
    if (failed)
        return failed;
    if (!request->has_n)
        work->setup.problem.dims =
            dims_run(work->setup.target.is_host ? N_HOST : N_GPU, DIMS_ALL);
    tune_notes_setup(request, &work->setup, 1);
    failed = tune(work, error);
    for (size_t i = 0; i < work->count; i++)
        close_choice(&work->choices[i]);
    if (work->count)
        host_bench_close(&work->bench);
    setup_close(&work->setup);
    return failed ? -1 : 0;
}

int tune_host(const struct request *request, struct error *error)
{
    struct work *work = calloc(1, sizeof *work);
    if (!work)
        return error_memory(error, sizeof *work);
    work->request = request;
    const int failed = supervise_run(tune_supervised, work, error);
    free(work);
    return failed;
}

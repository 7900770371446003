/* verb_ladder: verifies and measures the classic reductions one after the other, and shows what
 * each step gained; or prints the source of one. */
#include "autotune/cli/interrupt.h"
#include "autotune/cli/option_conflicts.h"
#include "autotune/cli/options.h"
#include "autotune/cli/output.h"
#include "autotune/cli/setup.h"
#include "autotune/cli/supervise.h"
#include "autotune/cli/verbs.h"
#include "autotune/command/published_show.h"
#include "autotune/device/monotonic.h"
#include "autotune/ladder/cause.h"
#include "autotune/ladder/ladder.h"
#include "autotune/ladder/ladder_choice.h"
#include "autotune/ladder/ladder_figures.h"
#include "autotune/ladder/ladder_source.h"
#include "autotune/ladder/stream_ladder.h"
#include "autotune/measure/stats.h"
#include "autotune/print/terminal.h"
#include "autotune/search/ladder_measure.h"
#include "autotune/tune/tune_notes.h"
#include "generator/call.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The emulator needs a thread for each element of some rungs. */
static const uint64_t N_HOST = 20000;

struct work {
    struct request request;
    struct ladder_request own;
    struct interrupt_guard guard;
    struct setup setup; /* its space belongs to the worker */
    struct ladder_choice choice;
    struct ladder ladder;
    struct ladder_measure_step *steps;   /* the steps to run ... */
    int64_t (*configs)[SPACE_NAMES_MAX]; /* ... the config of each ... */
    struct ladder_cell **cells;          /* ... and where it is shown */
    size_t step_count;
    /* The steps of column c: starts[c] .. starts[c + 1]. */
    size_t starts[LADDER_COLUMNS_MAX + 1];
    struct dims sizes[LADDER_COLUMNS_MAX]; /* of each column; 0 of them = the same of all */
    size_t size_count;
    double blocks; /* that the device starts in a second; 0 = not known */
    struct ladder_figures figures;
    struct text source; /* of --source */
};

/* --- Setting up --------------------------------------------------------------------------- */

static int set_up(void *shared, struct error *error)
{
    struct work *work = shared;
    struct ladder_request *own = &work->own;
    if (own->published)
        return 0;
    if (own->source) { /* as if it were the only rung */
        own->rungs[0] = own->source;
        own->rung_count = 1;
    }
    if (!work->request.data && (ladder_choice_open(&work->choice, &work->request, error) ||
                                setup_open(&work->setup, &work->request, !own->source, error)))
        return -1;
    interrupt_begin(&work->guard, NULL);
    return 0;
}

/* --- What to run -------------------------------------------------------------------------- */

static void add_step(struct work *work, struct ladder_cell *cell,
                     const struct ladder_rung *rung)
{
    struct ladder_measure_step *step = &work->steps[work->step_count];
    int64_t *config = work->configs[work->step_count];
    memcpy(config, rung->config, sizeof rung->config);
    step->other_kernel = (struct job_other_space){rung->space_file, rung->template,
                                                  rung->space->param_count, config};
    work->cells[work->step_count++] = cell;
}

/* A range of n, or of the elements of a result, n being the same: each twice the one before. */
static int list_sizes(struct work *work, struct error *error)
{
    const struct request *request = &work->request;
    const struct dims *dims = &work->setup.problem.dims;
    const uint64_t most_depth = request->asked.len_high, n = dims_n(dims);
    const uint64_t low = most_depth ? dims->depth.n : request->n_low;
    const uint64_t most = most_depth ? most_depth : request->n_high;
    for (uint64_t size = low; most && size <= most; size *= 2) {
        if (work->size_count == LADDER_COLUMNS_MAX)
            return error_set(
                error, ERROR_USAGE,
                "--n: such a range has more than %d sizes, each twice the one before: "
                "begin with more elements",
                LADDER_COLUMNS_MAX);
        if (most_depth && (n % size || n == size))
            return error_set(error, ERROR_USAGE,
                             "--n %" PRIu64 " are not several results of %" PRIu64
                             " elements each: give a multiple of the greatest length",
                             n, size);
        work->sizes[work->size_count++] =
            most_depth ? dims_resized(dims, n / size, size, 0) : dims_run(size, dims->scan);
    }
    return 0;
}

/* A cell that a rule rejects is shown with its reason, and not run. */
static int prepare_cell(struct work *work, size_t r, size_t column, struct error *error)
{
    struct ladder_cell *cell = &work->ladder.cells[r * work->ladder.columns + column];
    struct ladder_rung *rung = &work->choice.opened[r];
    const struct point_context context = {rung->space, &work->setup.problem,
                                          &work->setup.target};
    struct planner_plan plan;
    const int64_t usual = rung->config[rung->threads];
    if (work->choice.block_count && !ladder_rung_resize(rung, work->choice.blocks[column]))
        return 0;
    if (work->request.asked.len_high) /* as the document has it */
        ladder_rung_resize(rung, (unsigned)work->setup.problem.dims.depth.n);
    cell->is_there = true;
    cell->threads = ladder_rung_threads(rung);
    const int broken = point_reject(&context, rung->config, error);
    if (broken == POINT_FAILED)
        return -1;
    if (broken >= 0) {
        cell->status = "rejected";
        cell->reason = rung->space->rules[broken].reason;
        return 0;
    }
    if (call_plan(&plan, &context, rung->config, error))
        return -1;
    cell->bytes = ladder_bytes(&plan, rung->space, &work->setup.problem);
    const int64_t *keys = plan.launches[plan.first].keys;
    cell->grid = (unsigned)keys[PLANNER_GRID];
    cell->elements = ladder_elements(&plan);
    add_step(work, cell, rung);
    rung->config[rung->threads] = usual;
    return 0;
}

static void take_size(struct work *work, size_t column)
{
    if (work->size_count)
        work->setup.problem.dims = work->sizes[column];
}

/* Sets the error, and names the sizes of the first chosen rung. */
static int refuse_blocks(const struct work *work, struct error *error)
{
    size_t r = 0;
    struct text sizes = {0};
    while (!work->choice.is_chosen[r])
        r++;
    const struct ladder_rung *rung = &work->choice.opened[r];
    const struct param *param = &rung->space->params[rung->threads];
    for (size_t i = 0; i < param->count; i++)
        text_addf(&sizes, " %" PRId64, param->values[i]);
    error_set(error, ERROR_USAGE,
              "--blocks %.100s: no rung that was chosen has such a size: %s has%.200s",
              work->own.blocks ? work->own.blocks : LADDER_GRID_BLOCKS, rung->listed->name,
              sizes.at ? sizes.at : " none");
    text_dispose(&sizes);
    return -1;
}

static int prepare(struct work *work, struct error *error)
{
    const size_t columns = work->size_count           ? work->size_count
                           : work->choice.block_count ? work->choice.block_count
                                                      : 1;
    const size_t count = work->choice.rungs.count * columns;
    bool is_any = false;
    work->ladder = (struct ladder){.rungs = &work->choice.rungs,
                                   .columns = columns,
                                   .blocks = work->choice.blocks,
                                   .sizes = work->size_count ? work->sizes : NULL,
                                   .is_by_depth = work->request.asked.len_high > 0,
                                   .cells = calloc(count, sizeof *work->ladder.cells),
                                   .peak = device_peak_bytes(&work->setup.device->info),
                                   .problem = &work->setup.problem,
                                   .device = work->setup.device->info.name,
                                   .sms = work->setup.target.sms,
                                   .is_host = work->setup.target.is_host,
                                   .gpu = work->figures.gpu};
    work->steps = calloc(count, sizeof *work->steps);
    work->configs = calloc(count, sizeof *work->configs);
    work->cells = calloc(count, sizeof *work->cells);
    if (!work->ladder.cells || !work->steps || !work->configs || !work->cells)
        return error_memory(error, count * sizeof *work->configs);
    for (size_t column = 0; column < columns; column++) {
        take_size(work, column);
        for (size_t r = 0; r < work->choice.rungs.count; r++)
            if (work->choice.is_chosen[r] && prepare_cell(work, r, column, error))
                return -1;
        work->starts[column + 1] = work->step_count;
    }
    for (size_t i = 0; i < count; i++)
        is_any |= work->ladder.cells[i].is_there;
    return is_any ? 0 : refuse_blocks(work, error);
}

/* Static figures of a GPU have no place in a table of times by size. */
static int check_gpu(const struct work *work, struct error *error)
{
    const struct request *request = &work->request;
    if (!request->gpu || work->ladder.columns == 1 || request->out.csv || request->out.json)
        return 0;
    return error_set(
        error, ERROR_USAGE,
        "--gpu %.100s: the table of several sizes has times alone: add --csv FILE or "
        "--json FILE, which have causes and figures too, or give one size",
        request->gpu);
}

/* --- The run ------------------------------------------------------------------------------ */

static void show_progress(void *context, uint64_t done, uint64_t total)
{
    terminal_progress_show(context, done, total, "rungs");
}

/* Runs `count` steps from `first` on, all of one n. */
static int run_steps(struct work *work, size_t first, size_t count, struct error *error)
{
    const struct setup *setup = &work->setup;
    const char *const specs[] = {setup->device->info.spec};
    const struct tune_job job = {.context = &setup->context,
                                 .sources = &setup->sources,
                                 .space = setup->space_file,
                                 .info = &setup->device->info,
                                 .specs = specs,
                                 .spec_count = 1,
                                 .nvrtc = work->request.nvrtc};
    struct terminal_progress progress = {0};
    const struct ladder_measure_options options = {.seed = work->request.seed,
                                                   .is_stopping = interrupt_came,
                                                   .show = work->request.out.quiet
                                                               ? NULL
                                                               : show_progress,
                                                   .context = &progress};
    if (!work->request.out.quiet)
        terminal_progress_start(&progress, stderr);
    int failed =
        ladder_measure_all(work->steps + first, count, &job, &options, &work->blocks, error);
    if (!work->request.out.quiet)
        terminal_progress_end(&progress);
    return failed;
}

/* An input is of one n, so a range takes a run for each. */
static int run_all(struct work *work, struct error *error)
{
    int failed = 0;
    if (!work->size_count)
        return run_steps(work, 0, work->step_count, error);
    for (size_t column = 0; column < work->size_count && !failed; column++) {
        const size_t first = work->starts[column];
        take_size(work, column);
        if (work->starts[column + 1] > first)
            failed = run_steps(work, first, work->starts[column + 1] - first, error);
    }
    return failed;
}

static void fill_cell(struct ladder_cell *cell, struct ladder_measure_step *step)
{
    cell->status = trial_statuses[step->trial.status];
    cell->reason = step->trial.reason;
    cell->registers = step->trial.registers;
    if (step->trial.status != TRIAL_MEASURED || step->trial.time_count == 0)
        return;
    cell->ps = stats_median(step->trial.times_ps, step->trial.time_count);
    cell->low_ps = cell->high_ps = cell->ps;
    for (size_t i = 0; i < step->trial.time_count; i++) {
        const uint64_t ps = step->trial.times_ps[i];
        cell->low_ps = ps < cell->low_ps ? ps : cell->low_ps;
        cell->high_ps = ps > cell->high_ps ? ps : cell->high_ps;
    }
}

/* --- Figures ------------------------------------------------------------------------------ */

/* An earlier step of the same kernel; NULL = there is none. Documents share rungs. */
static const struct ladder_cell *find_same(const struct work *work, size_t step)
{
    const struct job_other_space *other_kernel = &work->steps[step].other_kernel;
    for (size_t i = 0; i < step; i++) {
        const struct job_other_space *other = &work->steps[i].other_kernel;
        if (strcmp(other->space.name, other_kernel->space.name) == 0 &&
            memcmp(other->config, other_kernel->config,
                   other_kernel->width * sizeof *other_kernel->config) == 0)
            return work->cells[i];
    }
    return NULL;
}

static const struct ladder_rung *rung_of(const struct work *work, size_t step)
{
    const size_t cell = (size_t)(work->cells[step] - work->ladder.cells);
    return &work->choice.opened[cell / work->ladder.columns];
}

/* Computes static figures where they are shown: in a table of one size, and in files. */
static int compute_figures(struct work *work, struct error *error)
{
    const struct request *request = &work->request;
    if (work->size_count ||
        (work->ladder.columns > 1 && !request->out.csv && !request->out.json))
        return 0;
    struct ladder_wanted *wanted = calloc(work->step_count + 1, sizeof *wanted);
    size_t count = 0;
    if (!wanted)
        return error_memory(error, work->step_count * sizeof *wanted);
    for (size_t i = 0; i < work->step_count; i++)
        if (work->steps[i].trial.status == TRIAL_MEASURED && !find_same(work, i))
            wanted[count++] =
                (struct ladder_wanted){work->cells[i], rung_of(work, i), work->configs[i]};
    ladder_figures_fill(&work->figures, wanted, count);
    free(wanted);
    if (interrupt_came())
        return error_set(error, ERROR_INTERRUPTED,
                         "interrupted: the same command starts again");
    for (size_t i = 0; i < work->step_count; i++) {
        struct ladder_cell *cell = work->cells[i];
        const struct ladder_cell *same = find_same(work, i);
        if (same) {
            cell->elements_there = same->elements_there;
            cell->pattern = same->pattern;
            cell->analysis = same->analysis;
        }
        cause_find(cell, &work->ladder);
    }
    if (work->figures.why.code != ERROR_NONE)
        output_warn("some figures are not computed: %s", work->figures.why.text);
    return 0;
}

/* The figures' GPU, and what is known of it. */
static int open_figures(struct work *work, struct error *error)
{
    const struct ladder_figures *figures = &work->figures;
    if (ladder_figures_open(&work->figures, &work->setup, &work->request, error))
        return -1;
    work->ladder.machine = (struct ladder_machine){.peak_bytes = figures->peak_bytes,
                                                   .clock_khz = figures->clock_khz,
                                                   .blocks = figures->blocks};
    return 0;
}

/* --- Gathering ---------------------------------------------------------------------------- */

static int gather_times(struct work *work, struct error *error)
{
    const struct request *request = &work->request;
    const double start = monotonic_s();
    uint64_t proofs = 0;
    if (!request->has_n && work->setup.target.is_host)
        work->setup.problem.dims = dims_run(N_HOST, work->setup.problem.dims.scan);
    if (list_sizes(work, error))
        return -1;
    if (work->size_count) /* messages and memory are for the largest size */
        take_size(work, work->size_count - 1);
    tune_notes_setup(request, &work->setup, 1);
    if (setup_check_room(&work->setup, error) ||
        ladder_choice_settle(&work->choice, &work->setup.problem, &work->setup.target, error) ||
        prepare(work, error) || check_gpu(work, error) || open_figures(work, error) ||
        run_all(work, error))
        return -1;
    tune_notes_reading_now(request, &work->setup.device->info);
    for (size_t i = 0; i < work->step_count; i++) {
        fill_cell(work->cells[i], &work->steps[i]);
        proofs += work->steps[i].proofs;
    }
    if (!work->setup.target.is_host)
        work->ladder.machine.blocks = work->blocks; /* as measured in this run */
    ladder_compare(&work->ladder);
    if (compute_figures(work, error))
        return -1;
    output_note(&request->out,
                "proved    %" PRIu64 " runs at small sizes, each kernel at n\n"
                "took      %.2f s\n",
                proofs, monotonic_s() - start);
    return 0;
}

static int gather_source(struct work *work, struct error *error)
{
    int failed =
        ladder_choice_settle(&work->choice, &work->setup.problem, &work->setup.target, error);
    for (size_t i = 0; i < work->choice.rungs.count && !failed; i++)
        if (work->choice.is_chosen[i])
            failed =
                ladder_source_add(&work->source, &work->setup, &work->choice.rungs.rungs[i],
                                  &work->choice.opened[i], error);
    return failed;
}

static int run_streams(void *context, struct error *error)
{
    static const uint64_t usual[] = {PROBLEM_USUAL_N_ON_HOST,
                                     1 << 16}; /* on a GPU, on the host */
    const struct request *request = context;
    struct setup setup;
    if (setup_open(&setup, request, true, error))
        return -1;
    if (!request->has_n)
        setup.problem.dims = dims_run(usual[setup.target.is_host], DIMS_ALL);
    tune_notes_setup(request, &setup, 1);
    const int failed = stream_ladder_run(request, &setup, error);
    setup_close(&setup);
    return failed;
}

static int gather(void *shared, struct error *error)
{
    struct work *work = shared;
    return work->own.published  ? 0
           : work->request.data ? supervise_run(run_streams, &work->request, error)
           : work->own.source   ? gather_source(work, error)
                                : gather_times(work, error);
}

/* --- Showing ------------------------------------------------------------------------------ */

static int print(struct work *work, struct error *error)
{
    const struct request *request = &work->request;
    struct text text = {0}, csv = {0}, json = {0};
    struct table table;
    ladder_print(&text, &work->ladder, terminal_has_color(stdout));
    if (published_beside(&text, &work->choice.rungs, work->choice.is_chosen,
                         work->setup.problem.op,
                         work->size_count ? work->sizes : &work->setup.problem.dims,
                         work->size_count ? work->size_count : 1, error)) {
        text_dispose(&text);
        return -1;
    }
    cause_print_basis(&text, &work->ladder, &work->figures.problem);
    ladder_table(&table, &work->ladder);
    table_csv(&csv, &table);
    table_json(&json, &table);
    int failed = (!output_is_taken(&request->out) && output_text(&text, error)) ||
                 (request->out.csv && output_write(request->out.csv, &csv, error)) ||
                 (request->out.json && output_write(request->out.json, &json, error));
    table_dispose(&table);
    text_dispose(&text);
    text_dispose(&csv);
    text_dispose(&json);
    return failed ? -1 : 0;
}

/* A wrong rung is a worse error than one that could not be run. */
static int judge(const struct work *work, struct error *error)
{
    const struct ladder_measure_step *bad = NULL;
    size_t count = 0;
    for (size_t i = 0; i < work->step_count; i++) {
        const struct ladder_measure_step *step = &work->steps[i];
        if (step->trial.status == TRIAL_MEASURED)
            continue;
        count++;
        if (!bad || (bad->trial.status != TRIAL_WRONG && step->trial.status == TRIAL_WRONG))
            bad = step;
    }
    if (!bad)
        return 0;
    const bool is_wrong =
        bad->trial.status == TRIAL_WRONG || bad->trial.status == TRIAL_TOO_FAST;
    return error_set(error, is_wrong ? ERROR_WRONG : ERROR_FAILED,
                     "%zu of %zu rungs have no time; %s is %s: %s", count, work->step_count,
                     bad->other_kernel.space.name, trial_statuses[bad->trial.status],
                     *bad->trial.reason ? bad->trial.reason : "it gives no reason");
}

/* Of data on the host it was done where they were measured. */
static int show(void *shared, struct error *error)
{
    struct work *work = shared;
    if (work->own.published)
        return published_show(&work->request, &work->own, error);
    if (work->request.data)
        return 0;
    if (work->own.source)
        return output_write("-", &work->source, error);
    return print(work, error) || judge(work, error) ? -1 : 0;
}

static void clean_up(void *shared)
{
    struct work *work = shared;
    interrupt_end(&work->guard);
    ladder_choice_close(&work->choice);
    ladder_figures_close(&work->figures);
    setup_close(&work->setup);
    text_dispose(&work->source);
    free(work->ladder.cells);
    free(work->steps);
    free(work->configs);
    free(work->cells);
}

/* --- Options ------------------------------------------------------------------------------ */

static int add_rung(struct request *request, const char *value, struct error *error)
{
    struct ladder_request *own = request->own;
    if (own->rung_count == LADDER_RUNGS_ASKED)
        return error_set(error, ERROR_USAGE, "--rung is given more than %d times: give fewer",
                         LADDER_RUNGS_ASKED);
    if (strncmp(value, STREAM_LADDER_RUNGS, strlen(STREAM_LADDER_RUNGS)) == 0)
        return error_set(error, ERROR_USAGE,
                         "--rung %.100s: the rungs of data in the host's memory run together: "
                         "'autotune ladder --data pinned'",
                         value);
    own->rungs[own->rung_count++] = value;
    return 0;
}

static int check(const struct request *request, struct error *error)
{
    const struct ladder_request *own = request->own;
    const bool has_size = request->has_n || request_dims_are_given(request);
    const struct option_conflict conflicts[] = {
        {own->source && (own->grid || own->blocks || request->gpu || own->rung_count ||
                         request->out.json || request->out.csv),
         "--source only prints a rung at its usual size: leave --rung, --blocks, --grid, --gpu, "
         "--json and --csv out; other sizes are what 'autotune emit --variant' prints"},
        {(request->n_high || request->asked.len_high) &&
             (own->grid || own->blocks || own->source || request->gpu),
         "a range has a table of its sizes: leave --blocks, --grid, --source and "
         "--gpu out"},
        {request->data && (own->source || own->grid || own->blocks || own->rung_count ||
                           own->published || request->gpu),
         "--data has the ladder of streams: leave --rung, --blocks, --grid, --gpu, --source and "
         "--published out"},
        {own->published &&
             (own->source || own->grid || own->blocks || request->gpu || has_size),
         "--published only prints what documents say of their own kernels: leave --source, "
         "--blocks, --grid, --gpu and the size out"},
    };
    return option_conflicts_refuse(conflicts, sizeof conflicts / sizeof *conflicts, error);
}

/* clang-format off */
static const struct option_row options[] = {
    {VERB_LADDER, "rung", "NAME", "only this rung, as harris-5, or group, as harris ('autotune list rungs' has all); may be given again", .parse = add_rung, .repeats = true, .group = 2},
    {VERB_LADDER, "blocks", "SIZES", "threads per block: 128, or several as 64,256 or 32..1024 for a table by size (default: each rung's usual one)", .text = offsetof(struct ladder_request, blocks), .group = 2},
    {VERB_LADDER, "grid", NULL, "threads per block by elements per thread, of each chosen rung that has such a param (default: all that have)", .flag = offsetof(struct ladder_request, grid), .more = "All sizes of a block, unless --blocks names some.", .group = 2},
    {VERB_LADDER, "source", "RUNG", "print the CUDA source of a rung instead, its historical form too where that is wrong today", .text = offsetof(struct ladder_request, source), .group = 3},
    {VERB_LADDER, "published", NULL, "print what the documents published instead, with --rung of those rungs alone", .flag = offsetof(struct ladder_request, published), .more = "Each document's tables whole, with its conditions and notes, and what this project remarks. Nothing is run, and nothing in these tables is computed.", .group = 3},
    {.verbs = 0},
};

const struct verb_row verb_ladder = {
    .verb = VERB_LADDER,
    .name = "ladder",
    .summary = "measure the classic reductions, from the slowest on",
    .help =
        "Measures the classic reductions as teaching documents build them up: proven, and timed by "
        "the same code as all else. GB/s counts what all launches of a reduction read and write; "
        "step is over the rung before, total over the first of its group. Below a table of one size "
        "stands why each rung is not faster, from computed figures: lanes active, bank conflicts, "
        "occupancy, bytes in flight, instructions.\v"
        "Examples:\n"
        "  autotune ladder --n 400M\n"
        "  autotune ladder --rung cs599 --n 1Gi --type f32 --blocks 32..1024\n"
        "  autotune ladder --grid --rung cs599 --n 1Gi --type f32 --csv grid.csv\n"
        "  autotune ladder --rung harris --n 128Ki..32Mi --csv times.csv\n"
        "  autotune ladder --device host --gpu H200\n"
        "  autotune ladder --data pinned --n 256Mi\n"
        "  autotune ladder --source harris-5\n"
        "  autotune ladder --published --rung cs599\n\n" VERBS_EXIT,
    .options = options,
    .check = check,
    .bytes = sizeof(struct work),
    .own = offsetof(struct work, own),
    .set_up = set_up,
    .gather = gather,
    .show = show,
    .clean_up = clean_up,
};
/* clang-format on */

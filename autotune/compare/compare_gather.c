/* compare_gather: collects the problems, fills in each GPU's figures, and analyses the winners, in
 * that order. */
#include "autotune/compare/compare_gather.h"

#include "autotune/cli/output.h"
#include "autotune/compare/compare_journal.h"
#include "autotune/compare/compare_kernel.h"
#include "autotune/compare/compare_losses.h"
#include "autotune/compare/prediction.h"
#include "autotune/print/figures.h"
#include "generator/array.h"
#include "generator/dims_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Lines -------------------------------------------------------------------------------- */

static bool is_wanted(const struct request *request, const struct problem *problem)
{
    struct filter filter;
    request_filter(&filter, request);
    filter.asked |= FILTER_DEVICE;
    if (request->asked.shape) {
        filter.asked |= FILTER_SHAPE;
        filter.shape = request->asked.shape;
    }
    return filter_wants(&filter, problem);
}

static bool is_of_kind(const struct problem *a, const struct problem *b)
{
    return operation_compare(a->op, b->op) == 0 && a->type == b->type && a->acc == b->acc &&
           a->order == b->order && dims_is_alike(&a->dims, &b->dims) &&
           problem_has_same_segments(a, b);
}

static bool is_same(const struct problem *a, const struct problem *b)
{
    return is_of_kind(a, b) && dims_is_same(&a->dims, &b->dims) && a->regime == b->regime;
}

static int add_line(struct comparison *comparison, const struct compare_line *line,
                    struct error *error)
{
    struct compare *compare = &comparison->compare;
    for (size_t i = 0; i < compare->line_count; i++)
        if (is_same(&compare->lines[i].problem, &line->problem) &&
            compare->lines[i].is_document == line->is_document)
            return 0;
    if (array_grow(&compare->lines, compare->line_count, sizeof *compare->lines, error))
        return -1;
    compare->lines[compare->line_count++] = *line;
    return 0;
}

int compare_gather_add(struct comparison *comparison, const struct problem *problem,
                       struct error *error)
{
    const struct compare_line line = {.problem = *problem};
    return add_line(comparison, &line, error);
}

static size_t count_own(const struct compare_input *input)
{
    return input->records.count - input->shipped_count;
}

static int add_records(struct comparison *comparison, const struct compare_input *input,
                       struct error *error)
{
    for (size_t i = 0; i < count_own(input); i++) {
        const struct problem *problem = &input->records.at[i].problem;
        if (is_wanted(comparison->request, problem) &&
            compare_gather_add(comparison, problem, error))
            return -1;
    }
    return 0;
}

/* Of hundreds of records that ship, those that the request asks for: else those that are cold, and of
 * an operation and type of the first `count` lines, or where there are none, of the request's own. */
static bool is_asked_for(const struct comparison *comparison, const struct problem *problem,
                         size_t count)
{
    const struct request *request = comparison->request;
    const struct compare *compare = &comparison->compare;
    const struct dims value = dims_value(1);
    if (!request->asked.shape && !dims_is_alike(&problem->dims, &value))
        return false;
    if (request->has_op || request->has_type || request->has_order || request->has_n ||
        request->asked.shape)
        return true;
    if (problem->regime != COLD)
        return false;
    for (size_t i = 0; i < count; i++)
        if (is_of_kind(problem, &compare->lines[i].problem))
            return true;
    return count == 0 && is_of_kind(problem, &request->problem);
}

/* Behind all other lines: those are what is compared. */
static int add_shipped(struct comparison *comparison, const struct compare_input *input,
                       size_t count, struct error *error)
{
    for (size_t i = count_own(input); i < input->records.count; i++) {
        const struct problem *problem = &input->records.at[i].problem;
        if (!is_wanted(comparison->request, problem))
            continue;
        if (!is_asked_for(comparison, problem, count))
            comparison->compare.left_out++;
        else if (compare_gather_add(comparison, problem, error))
            return -1;
    }
    return 0;
}

int compare_gather_add_published(struct comparison *comparison,
                                 const struct compare_input *input,
                                 const struct request *wanted, bool with_rows,
                                 struct error *error)
{
    for (size_t d = 0; d < input->published_count; d++) {
        const struct published *document = input->published[d];
        for (size_t i = 0; i < document->figure_count; i++) {
            const struct published_figure *figure = &document->figures[i];
            const struct published_kernel *kernel = &document->kernels[figure->kernel];
            const struct compare_line line = {.problem =
                                                  published_figure_problem(kernel, figure),
                                              .is_document = true};
            if ((figure->ps || figure->at[PUBLISHED_GBS].is_there) && !kernel->task &&
                (with_rows || !published_row(&line.problem)) &&
                is_wanted(wanted, &line.problem) && add_line(comparison, &line, error))
                return -1;
        }
    }
    return 0;
}

/* Autotune's kernels first; by operation, type and size, cold before warm; matrices after
 * single values. */
static int by_problem(const void *a, const void *b)
{
    const struct compare_line *x = a, *y = b;
    const int by_operation = operation_compare(x->problem.op, y->problem.op);
    const uint64_t keys[][2] = {
        {x->problem.type, y->problem.type},
        {x->problem.acc, y->problem.acc},
        {x->problem.regime, y->problem.regime},
        {x->problem.order, y->problem.order},
    };
    if (x->is_document != y->is_document)
        return x->is_document ? 1 : -1;
    if (by_operation)
        return by_operation;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return dims_text_compare(&x->problem.dims, &y->problem.dims);
}

/* The requested problems; without any, those of the operation and type that documents have. */
static int add_own(struct comparison *comparison, struct error *error)
{
    const struct compare *compare = &comparison->compare;
    const struct request *request = comparison->request;
    struct problem problem = request->problem;
    for (size_t i = 0; i < compare->line_count; i++)
        if (!compare->lines[i].is_document)
            return 0;
    if (compare->line_count && !request->has_op && !request->has_type && !request->has_order)
        problem = compare->lines[0].problem;
    problem.dims =
        dims_value(request->has_n ? dims_n(&request->problem.dims) : PROBLEM_USUAL_N);
    return compare_gather_add(comparison, &problem, error);
}

int compare_gather_gather(struct comparison *comparison, struct error *error)
{
    struct compare *compare = &comparison->compare;
    for (size_t s = 0; s < compare->side_count; s++)
        if (add_records(comparison, &comparison->inputs[s], error) ||
            compare_gather_add_published(comparison, &comparison->inputs[s],
                                         comparison->request, true, error))
            return -1;
    const size_t count = compare->line_count;
    for (size_t s = 0; s < compare->side_count; s++)
        if (add_shipped(comparison, &comparison->inputs[s], count, error))
            return -1;
    return add_own(comparison, error);
}

/* --- What each has ------------------------------------------------------------------------ */

/* The fastest record, or for a line of documents the fastest figure. */
static struct compare_winner find_best(const struct compare_input *input,
                                       const struct compare_line *line)
{
    struct compare_winner best = {.record = NULL};
    for (size_t i = 0; i < input->records.count && !line->is_document; i++) {
        const struct record *record = &input->records.at[i];
        if (record->source != RECORD_PUBLISHED && is_same(&record->problem, &line->problem) &&
            (!best.record || record->median_ps < best.record->median_ps))
            best.record = record;
    }
    for (size_t i = 0; i < input->published_count && line->is_document; i++) {
        const struct published_figure *figure =
            published_best(input->published[i], &line->problem);
        if (figure && (!best.figure || published_is_faster(figure, best.figure)))
            best = (struct compare_winner){.document = input->published[i], .figure = figure};
    }
    return best;
}

/* 0 = none was measured. */
static uint64_t find_latency(const struct compare_input *input, const struct compare_line *line)
{
    uint64_t least = 0;
    for (size_t i = 0; i < input->records.count; i++) {
        const struct record *record = &input->records.at[i];
        struct problem like = line->problem;
        like.dims = record->problem.dims;
        if (is_of_kind(&record->problem, &line->problem) && record->source == RECORD_MEASURED &&
            is_same(&record->problem, &like) && prediction_is_latency(&input->side, &like) &&
            (!least || record->median_ps < least))
            least = record->median_ps;
    }
    return least;
}

static bool is_there(const struct compare_winner *best)
{
    return best->record || best->figure;
}

static void name_figure(char *out, size_t size, const struct compare_winner *best)
{
    const struct published_number *threads = &best->figure->at[PUBLISHED_THREADS];
    const char *kernel = best->document->kernels[best->figure->kernel].kernel;
    if (threads->is_there)
        snprintf(out, size, "%s, blocks of %" PRIu64, kernel, threads->digits);
    else
        snprintf(out, size, "%s", kernel);
}

/* Fills in the document's own GB/s and percent, else those by the bytes of the elements. */
static void fill_published(struct compare_cell *cell, const struct compare_winner *best,
                           const struct compare_side *side)
{
    struct compare_published *const published = &cell->published;
    cell->basis = COMPARE_PUBLISHED;
    cell->ps = best->figure->ps;
    published->remarks = &best->document->remarks;
    published->kernel = &best->document->kernels[best->figure->kernel];
    published_time(published->time, best->figure);
    published_us(published->us, best->figure);
    published->gbs = published_gbs(best->document, best->figure);
    published->share =
        published_share(best->document, best->figure, (double)side->peak_bytes / 1e9);
    cell->gbs = published->gbs.value;
    cell->peak_pct = published->share.value > 0 ? published->share.value : -1;
    name_figure(cell->winner, sizeof cell->winner, best);
    snprintf(cell->source, sizeof cell->source, "%.150s", best->document->source);
}

static void fill_measured(struct compare_cell *cell, const struct record *record,
                          const struct compare_side *side)
{
    cell->basis = record->source == RECORD_EMULATED ? COMPARE_EMULATED : COMPARE_MEASURED;
    cell->record = record;
    cell->ps = record->median_ps;
    cell->gbs = figures_gbs(&record->problem, cell->ps);
    cell->peak_pct = figures_peak_percent(&record->problem, cell->ps, side->peak_bytes);
    snprintf(cell->winner, sizeof cell->winner, "%s", record->params);
    snprintf(cell->source, sizeof cell->source, "%.60s, %.60s", record->driver,
             record->compiler);
}

/* --- Analysis ----------------------------------------------------------------------------- */

static void name_default(struct compare_cell *cell, const struct compare_kernel *kernel,
                         const struct problem *problem)
{
    struct text params = {0};
    point_format(&params, kernel->rung.space, kernel->rung.config, true);
    snprintf(cell->winner, sizeof cell->winner, "the default of %s: %s", problem_space(problem),
             params.at ? params.at : "");
    text_dispose(&params);
}

/* Analyses a cell; on failure its figures stay unknown and `why` has the reason. Another GPU's
 * record is fitted to this one; a default and the kernels of the ladder run on all. */
static void analyse(struct compare_cell *cell, const struct comparison *comparison,
                    const struct compare_winner *best, bool is_own,
                    const struct compare_input *input, const struct problem *problem)
{
    struct compare_kernel kernel;
    struct error why;
    if (comparison->is_brief)
        return;
    if (!input->has_target) {
        snprintf(cell->analysis.why, sizeof cell->analysis.why,
                 "%s: nothing is analysed for it",
                 input->is_emulator ? "it is the emulator"
                                    : "its architecture is not in configs/gpus.ini");
        return;
    }
    int failed =
        compare_kernel_open(&kernel, best, &comparison->rungs, problem, &input->target, &why);
    if (!failed) {
        if (!is_there(best))
            name_default(cell, &kernel, problem);
        if (best->record && !is_own)
            failed = compare_kernel_fit(&kernel, cell->changed, sizeof cell->changed, problem,
                                        &input->target, &why);
        const struct point_context context = {kernel.rung.space, problem, &input->target};
        const struct analysis_subject subject = {.context = &context,
                                                 .sources = &kernel.sources,
                                                 .config = kernel.rung.config,
                                                 .peak_bytes = input->side.peak_bytes,
                                                 .clock_khz = input->clock_khz,
                                                 .nvrtc = input->nvrtc};
        failed = failed || analysis_run(&cell->analysis, &subject, &why);
        compare_kernel_close(&kernel);
    }
    if (failed)
        snprintf(cell->analysis.why, sizeof cell->analysis.why, "%.590s", why.text);
    else if (!input->nvrtc)
        snprintf(cell->analysis.why, sizeof cell->analysis.why, "%.590s", input->no_nvrtc.text);
}

/* --- Cells -------------------------------------------------------------------------------- */

/* The bound of what is not analysed: the peak, which is one for any kernel. */
static void bound_by_peak(struct compare_cell *cell, const struct compare_input *input)
{
    if (!cell->analysis.is_compiled && input->side.peak_bytes)
        cell->analysis.bound = 1;
}

static void fill_predicted(struct compare_cell *cell, const struct comparison *comparison,
                           const struct compare_winner *of, const struct compare_input *input,
                           const struct problem *problem)
{
    analyse(cell, comparison, of, false, input, problem);
    if (!input->has_target && !of->figure)
        return; /* no kernel of autotune's is known to run there */
    if (of->record)
        snprintf(cell->winner, sizeof cell->winner, "%s", of->record->params);
    else if (of->figure)
        name_figure(cell->winner, sizeof cell->winner, of);
    else if (!cell->winner[0])
        snprintf(cell->winner, sizeof cell->winner, "the default of %s",
                 problem_law(problem)->space);
    bound_by_peak(cell, input);
    if (cell->analysis.bound > 0)
        cell->basis = COMPARE_BOUND; /* its time is set by prediction_run */
}

/* Fills in how well bounds rank what the record's journal has. */
static void fill_evidence(const struct comparison *comparison, struct compare_cell *cell,
                          const struct compare_input *input)
{
    struct terminal_progress progress = {0};
    const bool with_code = comparison->with_evidence;
    if (with_code && !comparison->request->out.quiet)
        terminal_progress_start(&progress, stderr);
    compare_journal_rank(&cell->evidence, comparison->request->cache, cell->record, input,
                         with_code, &progress);
    if (progress.stream)
        terminal_progress_end(&progress);
}

static void fill_line(struct comparison *comparison, struct compare_line *line)
{
    const struct problem problem = line->problem;
    struct compare_winner bests[COMPARE_SIDES_MAX], first = {.record = NULL};
    const size_t count = comparison->compare.side_count;
    for (size_t s = 0; s < count; s++) {
        bests[s] = find_best(&comparison->inputs[s], line);
        line->latency_ps[s] = find_latency(&comparison->inputs[s], line);
        const bool is_emulated = bests[s].record && bests[s].record->source == RECORD_EMULATED;
        if (!is_there(&first) && !is_emulated) /* whose winner means nothing for a GPU */
            first = bests[s];
    }
    for (size_t s = 0; s < count; s++) {
        const struct compare_input *input = &comparison->inputs[s];
        struct compare_cell *cell = &line->cells[s];
        cell->peak_pct = -1;
        if (!is_there(&bests[s])) {
            fill_predicted(cell, comparison, &first, input, &problem);
            continue;
        }
        if (bests[s].record)
            fill_measured(cell, bests[s].record, &input->side);
        else
            fill_published(cell, &bests[s], &input->side);
        analyse(cell, comparison, &bests[s], true, input, &problem);
        bound_by_peak(cell, input);
        if (cell->basis == COMPARE_MEASURED && !comparison->is_brief)
            fill_evidence(comparison, cell, input);
    }
}

/* What decides a port, of the first lines' problem at its largest size. What fails is not known. */
static void fill_port(struct comparison *comparison, struct compare_side *side,
                      const struct compare_input *input)
{
    const struct compare_winner none = {.record = NULL};
    const struct compare *compare = &comparison->compare;
    const struct problem problem = compare->lines[compare_group_end(compare, 0) - 1].problem;
    struct compare_kernel kernel;
    struct points points;
    struct error ignored;
    if (!input->has_target || gpus_limits(&side->limits, side->cc, &ignored) ||
        gpus_instructions(side->has, side->cc, &ignored) ||
        compare_kernel_open(&kernel, &none, &comparison->rungs, &problem, &input->target,
                            &ignored))
        return;
    const struct point_context context = {kernel.rung.space, &problem, &input->target};
    if (point_expand(&points, &context, &ignored) == 0) {
        side->variants = points.variant_count;
        point_dispose(&points);
    }
    compare_kernel_close(&kernel);
}

/* What the first GPU's winners lose on the others stands beside these. */
static void take_losses(struct compare *compare, const struct compare_losses *losses)
{
    for (size_t l = losses->first; l < losses->end; l++)
        for (size_t s = 1; s < compare->side_count; s++) {
            struct compare_cell *cell = &compare->lines[l].cells[s];
            cell->has_loss = compare_losses_at(&cell->loss_pct, losses, l, 0, s);
        }
}

/* Without memory for them they are not known. */
static void fill_losses(struct comparison *comparison)
{
    struct compare *compare = &comparison->compare;
    struct error ignored;
    for (size_t first = 0; first < compare->line_count;
         first = compare_group_end(compare, first)) {
        if (array_grow(&compare->losses, compare->losses_count, sizeof *compare->losses,
                       &ignored) ||
            compare_losses_find(&compare->losses[compare->losses_count], compare, first,
                                comparison->request->cache, &ignored))
            return;
        take_losses(compare, &compare->losses[compare->losses_count++]);
    }
}

void compare_gather_fill(struct comparison *comparison)
{
    struct compare *compare = &comparison->compare;
    struct terminal_progress progress = {0};
    if (compare->line_count)
        qsort(compare->lines, compare->line_count, sizeof *compare->lines, by_problem);
    if (comparison->with_progress && !comparison->with_evidence)
        terminal_progress_start(&progress, stderr);
    for (size_t s = 0; s < compare->side_count && compare->line_count; s++)
        fill_port(comparison, &compare->sides[s], &comparison->inputs[s]);
    for (size_t l = 0; l < compare->line_count; l++) {
        fill_line(comparison, &compare->lines[l]);
        if (progress.stream)
            terminal_progress_show(&progress, l + 1, compare->line_count, "problems analysed");
    }
    if (progress.stream)
        terminal_progress_end(&progress);
    fill_losses(comparison);
    prediction_run(compare);
}

/* --- The whole ---------------------------------------------------------------------------- */

/* Refuses the same name, or the same GPU, twice; warns of two files or documents of one GPU. */
static int check_twice(const struct compare_input *inputs, const char *const *names, size_t at,
                       struct error *error)
{
    const char *const gpu = inputs[at].side.name;
    size_t other = at;
    for (size_t i = at; i-- > 0;) {
        if (strcmp(inputs[i].side.name, gpu) != 0)
            continue;
        if (strcmp(names[i], names[at]) == 0)
            return error_set(error, ERROR_USAGE,
                             "'%.100s' is named twice: name another GPU to compare it with",
                             names[at]);
        if (inputs[i].is_model && inputs[at].is_model)
            return error_set(error, ERROR_USAGE,
                             "'%.100s' and '%.100s' are the same GPU, %s: name another to "
                             "compare it with",
                             names[i], names[at], gpu);
        other = i;
    }
    if (other < at)
        output_warn("%.100s and %.100s are both of %s: their figures stand side by side, and "
                    "there is no verdict",
                    names[other], names[at], gpu);
    return 0;
}

/* Warns once, for the same folder is read for each GPU. */
static void warn_damaged(const struct compare_input *inputs, size_t at)
{
    const struct error *damaged = &inputs[at].damaged;
    bool is_new = damaged->code != ERROR_NONE;
    for (size_t i = 0; i < at; i++)
        is_new &= strcmp(inputs[i].damaged.text, damaged->text) != 0;
    if (is_new)
        output_warn("%s", damaged->text);
}

int compare_gather_open(struct comparison **out, const struct request *request,
                        const char *const *names, size_t count, struct error *error)
{
    struct comparison *comparison = calloc(1, sizeof *comparison);
    *out = comparison;
    if (!comparison)
        return error_memory(error, sizeof *comparison);
    comparison->request = request;
    int failed = count > COMPARE_SIDES_MAX
                     ? error_set(error, ERROR_USAGE, "more than %d to compare: name fewer",
                                 COMPARE_SIDES_MAX)
                     : 0;
    for (size_t i = 0; i < count && !failed; i++) {
        failed = compare_input_open(&comparison->inputs[i], request, names[i], error);
        if (failed)
            break;
        warn_damaged(comparison->inputs, i);
        failed = check_twice(comparison->inputs, names, i, error);
        comparison->compare.sides[i] = comparison->inputs[i].side;
        comparison->compare.side_count++;
    }
    if (failed || ladder_rung_list(&comparison->rungs, error)) {
        compare_gather_close(comparison);
        *out = NULL;
        return -1;
    }
    return 0;
}

void compare_gather_close(struct comparison *comparison)
{
    if (!comparison)
        return;
    for (size_t i = 0; i < comparison->compare.side_count; i++)
        compare_input_close(&comparison->inputs[i]);
    if (comparison->rungs.ini.items)
        rungs_dispose(&comparison->rungs);
    for (size_t i = 0; i < comparison->compare.losses_count; i++)
        compare_losses_dispose(&comparison->compare.losses[i]);
    free(comparison->compare.losses);
    free(comparison->compare.lines);
    free(comparison);
}

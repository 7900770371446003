/* rung_shares: names the kernels by space and params, then collects the figures of documents and
 * tables. */
#include "autotune/compare/rung_shares.h"

#include "autotune/cli/request.h"
#include "autotune/device/gpus.h"
#include "autotune/embedded.h"
#include "autotune/ladder/ladder_rung.h"
#include "autotune/print/figures.h"
#include "generator/array.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Kernels ------------------------------------------------------------------------------ */

/* As many blocks as fit: a grid that the rung does not choose, as its document names none. */
static const char fitting[] = "GRID=0";

/* Appends the params but the size of a block and a grid that fits: ", ITEMS=4". */
static void add_params(struct text *name, const struct rung *rung, const char *threads)
{
    const size_t width = strlen(threads);
    const char *between = ", ";
    for (const char *at = rung->params; *at;) {
        const size_t length = strcspn(at, " ");
        const bool is_threads = strncmp(at, threads, width) == 0 && at[width] == '=';
        const bool is_fitting = length == strlen(fitting) && strncmp(at, fitting, length) == 0;
        if (!is_threads && !is_fitting) {
            text_addf(name, "%s%.*s", between, (int)length, at);
            between = " ";
        }
        at += length + (at[length] == ' ');
    }
}

/* "several_at_load" with "BLOCK=256 ITEMS=4": "several at load, ITEMS=4". */
static void write_name(char *out, size_t size, const struct rungs *rungs, size_t rung)
{
    struct text name = {0};
    text_adds(&name, rungs->rungs[rung].space);
    for (size_t i = 0; i < name.length; i++)
        if (name.at[i] == '_')
            name.at[i] = ' ';
    add_params(&name, &rungs->rungs[rung], rungs->threads);
    snprintf(out, size, "%s", name.at ? name.at : "");
    text_dispose(&name);
}

/* The kernel of this name and n, which is added where it is new. */
static size_t find_kernel(struct rung_shares *shares, const char *name, size_t rung, uint64_t n)
{
    size_t k = 0;
    while (k < shares->kernel_count &&
           (strcmp(shares->kernels[k].name, name) != 0 || shares->kernels[k].n != n))
        k++;
    if (k == RUNG_SHARES_KERNELS_MAX)
        return shares->kernel_of_rung[rung];
    struct rung_kernel *kernel = &shares->kernels[k];
    if (k == shares->kernel_count) {
        *kernel = (struct rung_kernel){.first = rung, .n = n};
        snprintf(kernel->name, sizeof kernel->name, "%s", name);
        shares->kernel_count++;
    }
    const size_t length = strlen(kernel->rungs);
    snprintf(kernel->rungs + length, sizeof kernel->rungs - length, "%s%s", length ? ", " : "",
             shares->rungs.rungs[rung].name);
    return k;
}

static void name_kernels(struct rung_shares *shares)
{
    char name[80];
    for (size_t r = 0; r < shares->rungs.count; r++) {
        write_name(name, sizeof name, &shares->rungs, r);
        shares->kernel_of_rung[r] = find_kernel(shares, name, r, 0);
    }
}

/* Another problem is another kernel here: rows of another length, or in a document another n than
 * that of most of its figures, `usual`. */
static size_t kernel_at(struct rung_shares *shares, size_t rung,
                        const struct rung_figure *figure, uint64_t usual)
{
    const uint64_t n = dims_n(&figure->problem.dims), row = published_row(&figure->problem);
    const bool is_usual = n == usual;
    char name[80], size[NUMBER_CHARS];
    int length = snprintf(name, sizeof name, "%.40s",
                          shares->kernels[shares->kernel_of_rung[rung]].name);
    if (is_usual && !row)
        return shares->kernel_of_rung[rung];
    if (row)
        length +=
            snprintf(name + length, sizeof name - (size_t)length, ", rows of %" PRIu64, row);
    if (!is_usual)
        snprintf(name + length, sizeof name - (size_t)length, ", n = %s",
                 number_format_count(size, n));
    return find_kernel(shares, name, rung, is_usual ? 0 : n);
}

static const struct rung *find_rung(const struct rung_shares *shares, const char *name,
                                    size_t *index)
{
    for (*index = 0; name && *index < shares->rungs.count; ++*index)
        if (strcmp(shares->rungs.rungs[*index].name, name) == 0)
            return &shares->rungs.rungs[*index];
    return NULL;
}

/* --- Sides -------------------------------------------------------------------------------- */

static struct rung_side *add_side(struct rung_shares *shares, const char *gpu, const char *op,
                                  const char *type, struct error *error)
{
    struct gpus_model model;
    struct error ignored;
    if (shares->side_count == RUNG_SHARES_SIDES_MAX) {
        error_set(error, ERROR_USAGE, "more than %d documents and tables: give fewer",
                  RUNG_SHARES_SIDES_MAX);
        return NULL;
    }
    struct rung_side *side = &shares->sides[shares->side_count];
    const bool is_known = gpus_find_model(&model, gpu, &ignored) == 0;
    const char *const name = is_known ? model.name : gpu;
    *side = (struct rung_side){.op = op, .type = type, .peak_digits = 4};
    snprintf(side->gpu, sizeof side->gpu, "%.60s", name);
    snprintf(side->title, sizeof side->title, "%.40s %s", name, type);
    if (is_known) {
        side->peak_gbs = (double)model.peak_bytes / 1e9;
        side->peak_from = "the table of GPUs";
    }
    size_t same = 1;
    for (size_t s = 0; s < shares->side_count; s++)
        same += strcmp(shares->sides[s].gpu, side->gpu) == 0 &&
                strcmp(shares->sides[s].type, type) == 0;
    if (same > 1)
        snprintf(side->title, sizeof side->title, "%.40s %s #%zu", name, type, same);
    shares->side_count++;
    return side;
}

static int add_figure(struct rung_shares *shares, const struct rung_figure *figure,
                      struct error *error)
{
    if (array_grow(&shares->figures, shares->figure_count, sizeof *shares->figures, error))
        return -1;
    shares->figures[shares->figure_count++] = *figure;
    shares->sides[figure->side].figures++;
    shares->sides[figure->side].has_rows |= published_row(&figure->problem) > 0;
    return 0;
}

/* Of `problem` its operation and type count. */
static bool is_wanted(const struct rung_shares *shares, const struct problem *problem,
                      uint64_t n)
{
    struct filter filter;
    const struct problem figure = {.op = problem->op,
                                   .type = problem->type,
                                   .dims = dims_value(n)};
    if (!shares->request)
        return true;
    request_filter(&filter, shares->request);
    filter.asked &= FILTER_OP | FILTER_TYPE | FILTER_N;
    return filter_wants(&filter, &figure);
}

/* --- Documents ---------------------------------------------------------------------------- */

static int add_time(struct rung_shares *shares, size_t rung, const struct published *published,
                    const struct published_figure *figure, struct error *error)
{
    if (!figure->ps)
        return 0;
    if (array_grow(&shares->times, shares->time_count, sizeof *shares->times, error))
        return -1;
    shares->times[shares->time_count++] =
        (struct rung_time){shares->kernel_of_rung[rung], published, figure};
    return 0;
}

static int add_published(struct rung_shares *shares, const struct published *published,
                         const struct published_figure *from, struct error *error)
{
    const struct published_kernel *kernel = &published->kernels[from->kernel];
    const struct published_number *at = from->at;
    const size_t side = shares->side_count - 1;
    size_t rung;
    struct rung_figure figure = {.side = side, .label = kernel->kernel, .cause = ""};
    figure.rung = find_rung(shares, kernel->rung, &rung);
    figure.problem = published_figure_problem(kernel, from);
    if (!figure.rung || !is_wanted(shares, &kernel->problem, dims_n(&figure.problem.dims)))
        return 0;
    figure.gbs = published_gbs(published, from);
    figure.share = published_share(published, from, shares->sides[side].peak_gbs);
    if (kernel->task || figure.share.value <= 0)
        return add_time(shares, rung, published, from, error);
    figure.ms = published_ms(from);
    figure.threads = at[PUBLISHED_THREADS].digits;
    figure.kernel = kernel_at(shares, rung, &figure, shares->sides[side].n);
    return add_figure(shares, &figure, error);
}

int rung_shares_add(struct rung_shares *shares, const struct published *published,
                    struct error *error)
{
    const struct problem *problem = &published->problem;
    struct rung_side *side = add_side(shares, published->gpu_name, problem->op->name,
                                      problem_types[problem->type].name, error);
    if (!side)
        return -1;
    side->source = published->source;
    side->remarks = &published->remarks;
    side->n = dims_n(&problem->dims);
    if (published->peak_gbs.is_there) {
        side->peak_gbs = published_real(&published->peak_gbs);
        side->peak_digits = published_digits(&published->peak_gbs);
        side->peak_from = "the document";
    }
    for (size_t i = 0; i < published->figure_count; i++)
        if (add_published(shares, published, &published->figures[i], error))
            return -1;
    shares->side_count -= side->figures == 0;
    return 0;
}

int rung_shares_add_built_in(struct rung_shares *shares, struct error *error)
{
    for (const struct embedded *file = NULL;
         (file = embedded_next(file, "configs/published/"));) {
        struct published *published = malloc(sizeof *published);
        if (!published)
            return error_memory(error, sizeof *published);
        if (shares->document_count == RUNG_SHARES_DOCUMENTS_MAX ||
            published_load(published, file->name, file->bytes, file->length, error)) {
            free(published);
            return -1;
        }
        shares->documents[shares->document_count++] = published;
        if (rung_shares_add(shares, published, error))
            return -1;
    }
    return 0;
}

/* --- Tables of the ladder ----------------------------------------------------------------- */

static uint64_t count_at(const struct csv *csv, size_t row, int column)
{
    struct error ignored;
    uint64_t count;
    return number_parse_count(&count, csv_at(csv, row, column), "", &ignored) ? 0 : count;
}

/* A number with the digits that the table has of it; below 1 the 0 before the point is one, as
 * figures_short counts. */
static struct published_value value_at(const struct csv *csv, size_t row, int column)
{
    struct published_value value = {.digits = 0};
    value.is_own = csv_real(&value.value, csv, row, column);
    const char *at = value.is_own ? csv_at(csv, row, column) : "";
    for (at += value.value >= 1 ? strspn(at, "0") : 0; *at && value.digits < 6; at++)
        value.digits += *at != '.';
    return value;
}

/* Of the table, with the row's own length of a result. */
static struct problem problem_at(const struct rung_shares *shares, const struct csv *csv,
                                 size_t row)
{
    const uint64_t n = shares->sides[shares->side_count - 1].n;
    const uint64_t depth = count_at(csv, row, csv_find(csv, "len"));
    struct problem problem = shares->tables[shares->table_count - 1].problem;
    problem.dims = dims_value(n);
    if (depth)
        problem.dims = dims_resized(&problem.dims, n / depth, depth, 0);
    return problem;
}

static int add_measured_figure(struct rung_shares *shares, const struct csv *csv, size_t row,
                               struct error *error)
{
    struct rung_side *side = &shares->sides[shares->side_count - 1];
    struct rung_figure figure = {.side = shares->side_count - 1,
                                 .label = csv_at(csv, row, csv_find(csv, "kernel")),
                                 .problem = problem_at(shares, csv, row),
                                 .threads = count_at(csv, row, csv_find(csv, "threads")),
                                 .ms = value_at(csv, row, csv_find(csv, "ms")),
                                 .gbs = value_at(csv, row, csv_find(csv, "gbs")),
                                 .share = value_at(csv, row, csv_find(csv, "peak_percent")),
                                 .cause = csv_at(csv, row, csv_find(csv, "cause"))};
    size_t rung;
    figure.rung = find_rung(shares, csv_at(csv, row, csv_find(csv, "rung")), &rung);
    if (!figure.rung || figure.gbs.value <= 0)
        return 0;
    if (!figure.share.is_own && side->peak_gbs > 0)
        figure.share = (struct published_value){figure.gbs.value / side->peak_gbs * 100,
                                                figure.gbs.digits, false};
    figure.kernel = kernel_at(shares, rung, &figure, side->n);
    return figure.share.value > 0 ? add_figure(shares, &figure, error) : 0;
}

/* The peak that a table's shares are of, by the greatest of them, which has the most digits; that
 * of the table of GPUs, where it reads the same. */
static void take_peak(struct rung_side *side, const struct rung_shares *shares)
{
    const size_t index = (size_t)(side - shares->sides);
    const struct rung_figure *best = NULL;
    for (size_t i = 0; i < shares->figure_count; i++) {
        const struct rung_figure *figure = &shares->figures[i];
        if (figure->side == index && figure->share.is_own &&
            (!best || figure->share.value > best->share.value))
            best = figure;
    }
    const double peak = best ? best->gbs.value / best->share.value * 100 : side->peak_gbs;
    if (fabs(peak - side->peak_gbs) < 0.001 * peak)
        return;
    side->peak_gbs = peak;
    side->peak_from = "its own clock";
}

static int add_rows(struct rung_shares *shares, const struct table_file *table,
                    struct error *error)
{
    const struct csv *csv = &table->csv;
    if (strcmp(table->gpu, "host") == 0)
        return error_set(
            error, ERROR_USAGE,
            "--ladder %.200s: its times are the emulator's, which has no peak bandwidth: "
            "leave it out",
            table->file);
    const uint64_t n = count_at(csv, 0, csv_find(csv, "n"));
    if (!is_wanted(shares, &table->problem, n))
        return 0;
    struct rung_side *side = add_side(shares, table->gpu, table->op, table->type, error);
    if (!side)
        return -1;
    side->source = table->file;
    side->n = n;
    side->is_measured = true;
    for (size_t row = 0; row < csv->rows; row++)
        if (add_measured_figure(shares, csv, row, error))
            return -1;
    take_peak(side, shares);
    if (side->figures)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "--ladder %.200s: no rung of the ladder in it has a share of a peak",
                     table->file);
}

static int add_table(struct rung_shares *shares, const char *file, struct error *error)
{
    if (!*file)
        return error_set(error, ERROR_USAGE,
                         "--ladder has an empty name: give files, separated by commas");
    if (shares->table_count == RUNG_SHARES_TABLES_MAX)
        return error_set(error, ERROR_USAGE, "--ladder: more than %d tables: give fewer",
                         RUNG_SHARES_TABLES_MAX);
    struct table_file *table = &shares->tables[shares->table_count];
    if (table_file_open(table, "--ladder", file, error))
        return -1;
    shares->table_count++;
    if (csv_find(&table->csv, "rung") < 0 || csv_find(&table->csv, "gbs") < 0)
        return error_set(
            error, ERROR_USAGE,
            "--ladder %.200s: not a table of the ladder: it needs the columns rung and gbs; "
            "'autotune ladder --csv FILE' writes one",
            file);
    return table_file_check(table, false, error) || add_rows(shares, table, error) ? -1 : 0;
}

int rung_shares_add_tables(struct rung_shares *shares, const char *files, struct error *error)
{
    assert(!shares->names);
    shares->names = strdup(files);
    if (!shares->names)
        return error_memory(error, strlen(files) + 1);
    for (char *at = shares->names, *next; at; at = next) {
        next = strchr(at, ',');
        if (next)
            *next++ = '\0';
        if (add_table(shares, at, error))
            return -1;
    }
    return 0;
}

/* --- The whole ---------------------------------------------------------------------------- */

int rung_shares_open(struct rung_shares **out, const struct request *request,
                     struct error *error)
{
    struct rung_shares *shares = calloc(1, sizeof *shares);
    if (!shares)
        return error_memory(error, sizeof *shares);
    if (ladder_rung_list(&shares->rungs, error)) {
        free(shares);
        return -1;
    }
    shares->request = request;
    name_kernels(shares);
    *out = shares;
    return 0;
}

void rung_shares_close(struct rung_shares *shares)
{
    if (!shares)
        return;
    for (size_t i = 0; i < shares->document_count; i++) {
        published_dispose(shares->documents[i]);
        free(shares->documents[i]);
    }
    for (size_t i = 0; i < shares->table_count; i++)
        table_file_close(&shares->tables[i]);
    rungs_dispose(&shares->rungs);
    free(shares->figures);
    free(shares->times);
    free(shares->names);
    free(shares);
}

const struct rung_figure *rung_shares_best(const struct rung_shares *shares, size_t kernel,
                                           size_t side)
{
    const struct rung_figure *best = NULL;
    for (size_t i = 0; i < shares->figure_count; i++) {
        const struct rung_figure *figure = &shares->figures[i];
        if (figure->kernel == kernel && figure->side == side &&
            (!best || figure->share.value > best->share.value))
            best = figure;
    }
    return best;
}

const struct rung_figure *rung_shares_cause(const struct rung_shares *shares, size_t kernel)
{
    const struct rung_figure *best = NULL;
    for (size_t i = 0; i < shares->figure_count; i++) {
        const struct rung_figure *figure = &shares->figures[i];
        if (figure->kernel == kernel && *figure->cause &&
            (!best || (figure->side == best->side && figure->share.value > best->share.value)))
            best = figure;
    }
    return best;
}

static bool has_figure(const struct rung_shares *shares, size_t kernel)
{
    for (size_t i = 0; i < shares->figure_count; i++)
        if (shares->figures[i].kernel == kernel)
            return true;
    return false;
}

size_t rung_shares_order(const struct rung_shares *shares, size_t out[RUNG_SHARES_KERNELS_MAX])
{
    size_t count = 0;
    for (size_t r = 0; r < shares->rungs.count; r++)
        for (size_t k = 0; k < shares->kernel_count; k++)
            if (shares->kernels[k].first == r && has_figure(shares, k))
                out[count++] = k;
    return count;
}

static void add_share(struct table *table, const struct rung_figure *figure)
{
    char share[NUMBER_CHARS];
    if (!figure) {
        table_add(table, NULL);
        table_add(table, NULL);
        return;
    }
    table_addf(table, figure->share.is_own ? "%s" : "(%s)",
               figures_short(share, figure->share.value, figure->share.digits));
    if (figure->threads)
        table_addf(table, "%" PRIu64, figure->threads);
    else
        table_add(table, NULL);
}

void rung_shares_matrix(struct table *out, struct rung_shares *shares, size_t first, size_t end)
{
    size_t order[RUNG_SHARES_KERNELS_MAX];
    const size_t count = rung_shares_order(shares, order);
    struct table_column *column = shares->columns;
    *column++ = (struct table_column){"kernel", NULL, false};
    for (size_t s = first; s < end; s++) {
        *column++ = (struct table_column){shares->sides[s].title, NULL, true};
        *column++ = (struct table_column){"block", NULL, true};
    }
    *out = (struct table){.columns = shares->columns,
                          .column_count = (size_t)(column - shares->columns)};
    for (size_t k = 0; k < count; k++) {
        bool has_any = false;
        for (size_t s = first; s < end; s++)
            has_any |= rung_shares_best(shares, order[k], s) != NULL;
        if (!has_any)
            continue;
        table_add(out, shares->kernels[order[k]].name);
        for (size_t s = first; s < end; s++)
            add_share(out, rung_shares_best(shares, order[k], s));
    }
}

const char *rung_shares_how(const struct rung_shares *shares, const struct rung_figure *figure)
{
    if (figure->share.is_own)
        return shares->sides[figure->side].is_measured ? "measured" : "published";
    return figure->gbs.is_own ? "its GB/s by the peak"
                              : "the bytes of its elements by its time, by the peak";
}

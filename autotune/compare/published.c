/* published: reads the section [published], with the values for all kernels, then [figures
 * NAME] for each kernel, whose keys are lists: a value for each condition, or one for all. */
#include "autotune/compare/published.h"

#include "autotune/print/figures.h"

#include <stdio.h>
#include <string.h>

const char *const published_columns[PUBLISHED_COLUMNS] = {
    [PUBLISHED_THREADS] = "threads",
    [PUBLISHED_ITEMS] = "items",
    [PUBLISHED_ROW] = "row",
    [PUBLISHED_ELEMENTS] = "elements",
    [PUBLISHED_MS] = "ms",
    [PUBLISHED_US] = "us",
    [PUBLISHED_CPU_MS] = "cpu_ms",
    [PUBLISHED_CPU_RATIO] = "cpu_ratio",
    [PUBLISHED_TFLOPS] = "tflops",
    [PUBLISHED_GBS] = "gbs",
    [PUBLISHED_PEAK] = "peak_pct",
    [PUBLISHED_COMPUTE] = "compute_pct",
    [PUBLISHED_MEMORY] = "memory_pct",
    [PUBLISHED_STEP] = "step",
    [PUBLISHED_TOTAL] = "total",
    [PUBLISHED_OCCUPANCY] = "occupancy_pct",
    [PUBLISHED_REGISTERS] = "registers",
    [PUBLISHED_SHARED] = "shared_bytes",
    [PUBLISHED_SM_THREADS] = "sm_threads",
    [PUBLISHED_SM_WARPS] = "sm_warps",
    [PUBLISHED_SM_BLOCKS] = "sm_blocks",
    [PUBLISHED_BLOCK_WARPS] = "block_warps",
    [PUBLISHED_LIMIT_WARPS] = "limit_warps",
    [PUBLISHED_LIMIT_REGISTERS] = "limit_registers",
    [PUBLISHED_LIMIT_SHARED] = "limit_shared_bytes",
    [PUBLISHED_FIT_WARPS] = "fit_warps",
    [PUBLISHED_FIT_REGISTERS] = "fit_registers",
    [PUBLISHED_FIT_SHARED] = "fit_shared",
};

static const char head[] = "published", prefix[] = "figures ";

/* --- Numbers ------------------------------------------------------------------------------ */

enum { DIGITS_MAX = 12, DECIMALS_MAX = 6 };

/* "431.366", "128", or "-" for none: no sign, no exponent, digits on both sides of a point. */
static bool read_number(struct published_number *out, const char *at, size_t length)
{
    bool has_point = false;
    *out = (struct published_number){.digits = 0};
    if (length == 1 && *at == '-')
        return true;
    if (length == 0 || length > DIGITS_MAX || at[0] == '.' || at[length - 1] == '.')
        return false;
    for (size_t i = 0; i < length; i++) {
        if (at[i] == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (at[i] < '0' || at[i] > '9')
            return false;
        out->digits = out->digits * 10 + (uint64_t)(at[i] - '0');
        out->decimals += has_point;
    }
    out->is_there = out->decimals <= DECIMALS_MAX;
    return out->is_there;
}

static uint64_t power_of_10(unsigned exponent)
{
    uint64_t power = 1;
    while (exponent--)
        power *= 10;
    return power;
}

double published_real(const struct published_number *number)
{
    return number->is_there ? (double)number->digits / (double)power_of_10(number->decimals)
                            : 0;
}

const char *published_write(char out[NUMBER_CHARS], const struct published_number *number)
{
    return number->is_there ? number_format_fixed(out, number->digits, (int)number->decimals)
                            : memcpy(out, "", 1);
}

/* In picoseconds, 10^9 to a millisecond: exact. */
static uint64_t time_of(const struct published_figure *figure)
{
    const struct published_number *ms = &figure->at[PUBLISHED_MS];
    const struct published_number *us = &figure->at[PUBLISHED_US];
    return ms->is_there ? ms->digits * power_of_10(9 - ms->decimals)
                        : us->digits * power_of_10(6 - us->decimals);
}

static const struct published_number *number_of_time(const struct published_figure *figure)
{
    const struct published_number *const ms = &figure->at[PUBLISHED_MS];
    return ms->is_there ? ms : &figure->at[PUBLISHED_US];
}

const char *published_time(char out[NUMBER_CHARS], const struct published_figure *figure)
{
    const struct published_number *const time = number_of_time(figure);
    published_write(out, time);
    if (time->is_there)
        strcat(out, time == &figure->at[PUBLISHED_MS] ? " ms" : " us");
    return out;
}

const char *published_us(char out[NUMBER_CHARS], const struct published_figure *figure)
{
    struct published_number us = *number_of_time(figure);
    const unsigned shift = us.is_there && figure->at[PUBLISHED_MS].is_there ? 3 : 0;
    const unsigned drop = us.decimals < shift ? us.decimals : shift;
    us.decimals -= drop;
    us.digits *= power_of_10(shift - drop);
    return published_write(out, &us);
}

/* --- What is shown ------------------------------------------------------------------------ */

enum { SHOWN_DIGITS_MAX = 6, COMPUTED_DECIMALS = 1 };

int published_digits(const struct published_number *number)
{
    int count = 1;
    for (uint64_t rest = number->digits / 10; rest; rest /= 10)
        count++;
    return count < SHOWN_DIGITS_MAX ? count : SHOWN_DIGITS_MAX;
}

/* Those with which figures_short writes all of it: below 1 that counts from the point on. */
static int shown_digits(const struct published_number *number)
{
    const int decimals = (int)number->decimals + 1;
    if (number->digits >= power_of_10(number->decimals))
        return published_digits(number);
    return decimals < SHOWN_DIGITS_MAX ? decimals : SHOWN_DIGITS_MAX;
}

static struct published_value own_value(const struct published_number *number)
{
    return (struct published_value){published_real(number), shown_digits(number), true};
}

/* Of `digits` significant digits those up to the first decimal. */
static struct published_value computed_value(double value, int digits)
{
    int needed = COMPUTED_DECIMALS;
    for (double limit = 1; value >= limit; limit *= 10)
        needed++;
    return (struct published_value){.value = value,
                                    .digits = value >= 1 && needed < digits ? needed : digits};
}

struct published_value published_ms(const struct published_figure *figure)
{
    struct published_number ms = *number_of_time(figure);
    if (!figure->at[PUBLISHED_MS].is_there)
        ms.decimals += 3;
    return own_value(&ms);
}

struct published_value published_gbs(const struct published *published,
                                     const struct published_figure *figure)
{
    const struct published_number *const gbs = &figure->at[PUBLISHED_GBS];
    const struct problem *const problem = &published->kernels[figure->kernel].problem;
    return gbs->is_there ? own_value(gbs)
                         : computed_value(figures_gbs(problem, figure->ps),
                                          published_digits(number_of_time(figure)));
}

struct published_value published_share(const struct published *published,
                                       const struct published_figure *figure, double peak_gbs)
{
    const struct published_value gbs = published_gbs(published, figure);
    const struct published_number *const share = &figure->at[PUBLISHED_PEAK];
    const struct published_number *const peak = &published->peak_gbs;
    const int of_peak = peak->is_there ? published_digits(peak) : SHOWN_DIGITS_MAX;
    if (share->is_there)
        return own_value(share);
    return computed_value(peak_gbs > 0 ? gbs.value / peak_gbs * 100 : 0,
                          of_peak < gbs.digits ? of_peak : gbs.digits);
}

uint64_t published_n(const struct published *published, const struct published_figure *figure)
{
    const struct published_number *own = &figure->at[PUBLISHED_ELEMENTS];
    return own->is_there ? own->digits
                         : dims_n(&published->kernels[figure->kernel].problem.dims);
}

bool published_is_size(uint64_t n, uint64_t size)
{
    enum { PARTS = 10000 };
    return (n > size ? n - size : size - n) <= size / PARTS;
}

char *published_problem(char out[PROBLEM_CHARS], const struct problem *problem)
{
    char n[NUMBER_CHARS];
    snprintf(out, PROBLEM_CHARS, "%s %s %s", problem->op->name,
             problem_types[problem->type].name, number_format_count(n, dims_n(&problem->dims)));
    return out;
}

/* --- What holds for all ------------------------------------------------------------------- */

static int read_count(uint64_t *out, const struct published *published,
                      const struct ini_item *item, struct error *error)
{
    char what[200];
    snprintf(what, sizeof what, "%.150s:%d: n", published->ini.file, item->line);
    return number_parse_count(out, item->value, what, error);
}

static int check_schema(const struct ini_item *item, struct error *error)
{
    int64_t schema;
    if (number_parse_int(&schema, item->value, "schema", error) == 0 &&
        schema == PUBLISHED_SCHEMA)
        return 0;
    return ini_field_complain(item, "this version reads schema 1 only", error);
}

static int read_peak(struct published *out, const struct ini_item *item, struct error *error)
{
    return read_number(&out->peak_gbs, item->value, strlen(item->value)) &&
                   out->peak_gbs.digits > 0
               ? 0
               : ini_field_complain(item, "is no number above 0", error);
}

static int read_n(struct problem *problem, struct published *out, const struct ini_item *item,
                  struct error *error)
{
    uint64_t n;
    if (read_count(&n, out, item, error))
        return -1;
    if (n == 0)
        return ini_field_complain(item, "is 0: give the number of elements", error);
    problem->dims = dims_value(n);
    return 0;
}

/* `failed` is what a reader of the value said: then adds the place. */
static int place(const struct published *published, const struct ini_item *item, int failed,
                 struct error *error)
{
    const struct error why = *error;
    return failed ? error_set(error, why.code, "%s:%d: %s", published->ini.file, item->line,
                              why.text)
                  : 0;
}

static int read_counts(struct published *out, const struct ini_item *item, struct error *error)
{
    static const char *const names[PUBLISHED_COUNTS] = {"nothing", "elements", "rows",
                                                        "levels"};
    for (size_t i = 0; i < PUBLISHED_COUNTS; i++)
        if (strcmp(item->value, names[i]) == 0) {
            out->counts = (enum published_counts)i;
            return 0;
        }
    return ini_field_complain(item, "is none of nothing, elements, rows, levels", error);
}

static const struct ini_field head_fields[] = {
    {"source", INI_TEXT, offsetof(struct published, source)},
    {"gpu", INI_TEXT, offsetof(struct published, gpu)},
    {"gpu_name", INI_TEXT, offsetof(struct published, gpu_name)},
    {"condition", INI_LINES, offsetof(struct published, conditions)},
    {"note", INI_LINES, offsetof(struct published, notes)},
    {"remark", INI_LINES, offsetof(struct published, remarks)},
};

static int read_head(struct published *out, const struct ini_item *item, struct error *error)
{
    bool is_known;
    const int failed = ini_field_read(out, &is_known, head_fields,
                                      sizeof head_fields / sizeof *head_fields, item, error);
    if (failed || is_known)
        return failed;
    if (strcmp(item->key, "schema") == 0)
        return check_schema(item, error);
    if (strcmp(item->key, "peak_gbs") == 0)
        return read_peak(out, item, error);
    if (strcmp(item->key, "gbs_counts") == 0)
        return read_counts(out, item, error);
    if (strcmp(item->key, "n") == 0)
        return read_n(&out->problem, out, item, error);
    if (strcmp(item->key, "op") == 0)
        return place(out, item, operation_find(&out->problem.op, item->value, error), error);
    if (strcmp(item->key, "type") == 0)
        return place(out, item, problem_find_type(&out->problem.type, item->value, error),
                     error);
    return ini_field_complain(item, "is no key of [published]", error);
}

/* What stands behind the first [figures], which begins at `line`, has not been read. */
static int check_head(struct published *out, int line, struct error *error)
{
    static const char *const needed[] = {"schema", "source", "gpu", "gpu_name",
                                         "op",     "type",   "n",   "condition"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        const struct ini_item *item = ini_find(&out->ini, head, needed[i]);
        if (!item || !*item->value || item->line > line)
            return error_set(error, ERROR_USAGE,
                             "%s: [published] lacks %s: add it before [figures]", out->ini.file,
                             needed[i]);
    }
    if (strcmp(out->gpu, "-") == 0)
        out->gpu = NULL;
    out->problem.acc = problem_default_acc(out->problem.type);
    return problem_check(&out->problem, error);
}

/* --- Kernels ------------------------------------------------------------------------------ */

/* A list of one value holds for all conditions; the first longer one gives their number. */
static int fit_list(struct published *out, struct published_kernel *kernel, size_t count,
                    const struct ini_item *item, struct error *error)
{
    if (count == 1 || count == kernel->count)
        return 0;
    if (kernel->count > 1)
        return ini_field_complain(item, "has another number of values than the lists before",
                                  error);
    if (kernel->first + count > PUBLISHED_FIGURES_MAX)
        return ini_field_complain(item, "is a list too long for this program", error);
    for (size_t i = 1; i < count; i++)
        out->figures[kernel->first + i] = out->figures[kernel->first];
    kernel->count = count;
    return 0;
}

/* What no measurement gives, or NULL. */
static const char *number_fault(enum published_column column,
                                const struct published_number *number)
{
    const bool is_share = strstr(published_columns[column], "_pct") != NULL;
    const bool is_measured = (column >= PUBLISHED_MS && column <= PUBLISHED_PEAK);
    if (is_measured && number->is_there && number->digits == 0)
        return "has a 0, which nothing takes or reaches: write - where there is no figure";
    if (is_share && published_real(number) > 100)
        return "is a share of more than 100 %: correct it, or write -";
    return NULL;
}

static int read_list(struct published *out, const struct ini_item *item,
                     enum published_column column, struct error *error)
{
    struct published_kernel *kernel = &out->kernels[out->kernel_count - 1];
    struct published_number numbers[PUBLISHED_FIGURES_MAX];
    size_t count = 0;
    for (const char *at = item->value;; at++) {
        const size_t length = strcspn(at, " ");
        if (count == PUBLISHED_FIGURES_MAX || !read_number(&numbers[count++], at, length))
            return ini_field_complain(
                item, "is no list of numbers, as 5.03 128 -, with one blank between", error);
        const char *fault = number_fault(column, &numbers[count - 1]);
        if (fault)
            return ini_field_complain(item, fault, error);
        at += length;
        if (!*at)
            break;
    }
    if (fit_list(out, kernel, count, item, error))
        return -1;
    for (size_t i = 0; i < kernel->count; i++)
        out->figures[kernel->first + i].at[column] = numbers[count == 1 ? 0 : i];
    return 0;
}

static int begin_kernel(struct published *out, const struct ini_item *item, struct error *error)
{
    if (out->kernel_count == PUBLISHED_KERNELS_MAX ||
        out->figure_count == PUBLISHED_FIGURES_MAX)
        return ini_field_complain(item, "is one section too many: drop it", error);
    out->kernels[out->kernel_count] =
        (struct published_kernel){.name = item->section + strlen(prefix),
                                  .problem = out->problem,
                                  .first = out->figure_count,
                                  .count = 1};
    out->figures[out->figure_count] = (struct published_figure){.kernel = out->kernel_count};
    out->kernel_count++;
    return 0;
}

static const struct ini_field kernel_fields[] = {
    {"kernel", INI_TEXT_THERE, offsetof(struct published_kernel, kernel)},
    {"rung", INI_TEXT_THERE, offsetof(struct published_kernel, rung)},
    {"task", INI_TEXT_THERE, offsetof(struct published_kernel, task)},
    {"note", INI_LINES, offsetof(struct published_kernel, notes)},
    {"remark", INI_LINES, offsetof(struct published_kernel, remarks)},
};

static int read_kernel(struct published *out, const struct ini_item *item, struct error *error)
{
    struct published_kernel *kernel = &out->kernels[out->kernel_count - 1];
    bool is_known;
    const int failed =
        ini_field_read(kernel, &is_known, kernel_fields,
                       sizeof kernel_fields / sizeof *kernel_fields, item, error);
    if (failed || is_known)
        return failed;
    for (int i = 0; i < PUBLISHED_COLUMNS; i++)
        if (strcmp(item->key, published_columns[i]) == 0)
            return read_list(out, item, (enum published_column)i, error);
    if (strcmp(item->key, "n") == 0)
        return read_n(&kernel->problem, out, item, error);
    if (strcmp(item->key, "type") == 0)
        return place(out, item, problem_find_type(&kernel->problem.type, item->value, error),
                     error);
    return ini_field_complain(item, "is no key of [figures]", error);
}

static bool has_figure(const struct published_figure *figure)
{
    for (int i = PUBLISHED_MS; i < PUBLISHED_COLUMNS; i++)
        if (figure->at[i].is_there)
            return true;
    return false;
}

/* Checks a kernel: a name and figures, each with one unit of time at most. A figure that a list
 * leaves out is missing. */
static int end_kernel(struct published *out, struct error *error)
{
    struct published_kernel *kernel = &out->kernels[out->kernel_count - 1];
    size_t kept = kernel->first;
    kernel->problem.acc = problem_default_acc(kernel->problem.type);
    for (size_t i = kernel->first; i < kernel->first + kernel->count; i++) {
        struct published_figure *figure = &out->figures[i];
        const bool has_ms = figure->at[PUBLISHED_MS].is_there;
        const bool has_us = figure->at[PUBLISHED_US].is_there;
        if (has_ms && has_us)
            return error_set(error, ERROR_USAGE,
                             "%s: [figures %s] has both ms and us: keep one", out->ini.file,
                             kernel->name);
        figure->kernel = out->kernel_count - 1;
        figure->ps = has_ms || has_us ? time_of(figure) : 0;
        if (has_figure(figure))
            out->figures[kept++] = *figure;
    }
    kernel->count = kept - kernel->first;
    out->figure_count = kept;
    if (kernel->kernel && kernel->count)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "%s: [figures %s] needs kernel, and a figure, as ms, us or gbs: "
                     "add what is missing",
                     out->ini.file, kernel->name);
}

/* --- The whole ---------------------------------------------------------------------------- */

static int read_item(struct published *out, const struct ini_item *item, bool is_first,
                     struct error *error)
{
    if (strcmp(item->section, head) == 0)
        return out->kernel_count ? ini_field_complain(item, "stands behind [figures]", error)
                                 : read_head(out, item, error);
    if (strncmp(item->section, prefix, strlen(prefix)) != 0)
        return ini_field_complain(item, "is in neither [published] nor [figures NAME]", error);
    if (is_first && out->kernel_count == 0 && check_head(out, item->section_line, error))
        return -1;
    if (is_first && out->kernel_count && end_kernel(out, error))
        return -1;
    if (is_first && begin_kernel(out, item, error))
        return -1;
    return read_kernel(out, item, error);
}

int published_load(struct published *out, const char *file, const char *bytes, size_t length,
                   struct error *error)
{
    int section_line = 0, failed = 0;
    memset(out, 0, sizeof *out);
    if (ini_load(&out->ini, file, bytes, length, error))
        return -1;
    for (size_t i = 0; i < out->ini.count && !failed; i++) {
        const struct ini_item *item = &out->ini.items[i];
        failed = read_item(out, item, item->section_line != section_line, error);
        section_line = item->section_line;
    }
    if (!failed && out->kernel_count == 0)
        failed = error_set(error, ERROR_USAGE,
                           "%s: no [figures NAME]: these are no published figures", file);
    if (!failed && end_kernel(out, error) == 0)
        return 0;
    ini_dispose(&out->ini);
    return -1;
}

void published_dispose(struct published *published)
{
    ini_dispose(&published->ini);
}

bool published_is_faster(const struct published_figure *figure,
                         const struct published_figure *other)
{
    if (!figure->ps != !other->ps)
        return figure->ps;
    return figure->ps != other->ps ? figure->ps < other->ps
                                   : published_real(&figure->at[PUBLISHED_GBS]) >
                                         published_real(&other->at[PUBLISHED_GBS]);
}

struct problem published_figure_problem(const struct published_kernel *kernel,
                                        const struct published_figure *figure)
{
    struct problem problem = kernel->problem;
    const struct published_number *own = &figure->at[PUBLISHED_ELEMENTS];
    const uint64_t row = figure->at[PUBLISHED_ROW].digits;
    if (own->is_there)
        problem.dims = dims_run(own->digits, problem.dims.scan);
    if (row)
        problem.dims = dims_resized(&problem.dims, dims_n(&problem.dims) / row, row, 0);
    return problem;
}

uint64_t published_row(const struct problem *problem)
{
    const struct dims run = dims_run(1, problem->dims.scan);
    return dims_is_alike(&problem->dims, &run) ? 0 : problem->dims.depth.n;
}

const struct published_figure *published_fastest(const struct published *published,
                                                 const struct published_figure *like)
{
    const struct published_kernel *kernel = &published->kernels[like->kernel];
    const struct problem problem = published_figure_problem(kernel, like);
    const struct published_figure *best = NULL;
    for (size_t i = kernel->first; i < kernel->first + kernel->count; i++) {
        const struct published_figure *figure = &published->figures[i];
        const struct problem its = published_figure_problem(kernel, figure);
        const bool has_speed = figure->ps || figure->at[PUBLISHED_GBS].is_there;
        if (has_speed && dims_is_same(&its.dims, &problem.dims) &&
            (!best || published_is_faster(figure, best)))
            best = figure;
    }
    return best;
}

const struct published_figure *published_best(const struct published *published,
                                              const struct problem *problem)
{
    const struct published_figure *best = NULL;
    for (size_t i = 0; i < published->figure_count; i++) {
        const struct published_figure *figure = &published->figures[i];
        const struct published_kernel *kernel = &published->kernels[figure->kernel];
        const struct problem its = published_figure_problem(kernel, figure);
        if ((!figure->ps && !figure->at[PUBLISHED_GBS].is_there) || kernel->task ||
            its.op != problem->op || its.type != problem->type ||
            !dims_is_same(&its.dims, &problem->dims))
            continue;
        if (!best || published_is_faster(figure, best))
            best = figure;
    }
    return best;
}

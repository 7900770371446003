/* compare_verdict: writes the answer of a comparison in three sentences: who is faster, from which n
 * on, and what that rests on. Measured times of both GPUs count before figures that documents
 * published of both, and these before the speeds of their memories. */
#include "autotune/compare/compare_verdict.h"

#include "autotune/print/figures.h"
#include "autotune/print/sentence.h"
#include "generator/dims_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* GPUs whose figures differ by less than this share are called equal. */
static const double EQUAL = 0.02;
/* Memory decides where the reading takes this many times the latency of Little's law. */
static const double LATENCIES = 10;
/* A cache that is so many times as large keeps inputs that the other does not. */
static const double LARGER = 1.5;

/* --- Measured on both --------------------------------------------------------------------- */

/* Lines of one problem over its sizes in which both GPUs were measured. From some size on one thing holds:
 * the same GPU is faster, or neither is. */
struct measured {
    size_t first, end, count;
    struct sentence_range sizes;
    uint64_t from;                /* that size; 0 = none was measured */
    bool is_equal;                /* neither is faster there */
    size_t faster;                /* else this one ... */
    struct sentence_range factor; /* ... by so much: the slower one's time over its */
    /* Below that size: by how much each is faster at most, and at which n; 1 = nowhere. */
    struct best {
        double factor;
        uint64_t n;
    } below[COMPARE_SIDES_MAX];
};

static bool is_measured(const struct compare_line *line, size_t side)
{
    return line->cells[side].basis == COMPARE_MEASURED && line->cells[side].ps;
}

static double ratio_of(const struct compare_line *line, size_t a, size_t b)
{
    return (double)line->cells[a].ps / (double)line->cells[b].ps;
}

static void take_below(struct measured *out, size_t faster, double factor, uint64_t n)
{
    if (factor < 1 + EQUAL || factor <= out->below[faster].factor)
        return;
    out->below[faster] = (struct best){factor, n};
}

/* Searches from the largest size down. */
static void find_faster(struct measured *out, const struct compare *compare, size_t a, size_t b)
{
    bool is_over = false;
    out->below[a].factor = out->below[b].factor = 1;
    for (size_t l = out->end; l > out->first; l--) {
        const struct compare_line *line = &compare->lines[l - 1];
        if (!is_measured(line, a) || !is_measured(line, b))
            continue;
        const uint64_t n = dims_n(&line->problem.dims);
        const double ratio = ratio_of(line, a, b), factor = fmax(ratio, 1 / ratio);
        const size_t faster = ratio > 1 ? b : a;
        const bool is_equal = factor < 1 + EQUAL;
        if (!out->count++) {
            out->is_equal = is_equal;
            out->faster = faster;
        }
        sentence_extend(&out->sizes, (double)n);
        is_over |= is_equal != out->is_equal || (!is_equal && faster != out->faster);
        if (is_over) {
            take_below(out, faster, factor, n);
            continue;
        }
        out->from = n;
        sentence_extend(&out->factor, factor);
    }
}

/* The first problem that both were measured for. */
static bool find_measured(struct measured *out, const struct compare *compare, size_t a,
                          size_t b)
{
    *out = (struct measured){.first = 0};
    for (size_t first = 0; first < compare->line_count && !out->count; first = out->end) {
        *out = (struct measured){.first = first, .end = compare_group_end(compare, first)};
        find_faster(out, compare, a, b);
    }
    return out->count > 0;
}

static void add_below(struct text *out, const struct compare *compare,
                      const struct measured *measured, size_t a, size_t b)
{
    const size_t sides[] = {a, b};
    struct text text = {0};
    for (size_t i = 0; i < 2; i++) {
        const struct best *best = &measured->below[sides[i]];
        if (best->factor <= 1)
            continue;
        text_addf(&text, "%s%s up to ", text.length ? ", and " : "",
                  compare->sides[sides[i]].name);
        sentence_add_fixed(&text, best->factor, 2);
        text_adds(&text, " times as fast, at ");
        sentence_add_n(&text, best->n);
    }
    if (text.length)
        sentence_end(out, "below", &text);
    else if (measured->factor.count < measured->count) {
        text_addf(&text, "neither by more than %.0f %%", EQUAL * 100);
        sentence_end(out, "below", &text);
    }
}

static void add_evidence(struct text *out, const struct compare *compare,
                         const struct measured *measured)
{
    const struct problem *problem = &compare->lines[measured->first].problem;
    struct text text = {0};
    char promise[DIMS_TEXT_CHARS];
    text_addf(&text, "both were measured by autotune: %s %s%s, %s, at %zu size%s (",
              problem->op->name, problem_types[problem->type].name,
              dims_text_promise(promise, &problem->dims), problem_regimes[problem->regime],
              measured->count, measured->count == 1 ? "" : "s");
    sentence_add_sizes(&text, &measured->sizes);
    text_adds(&text, ")");
    sentence_end(out, "evidence", &text);
}

/* Where there are many results no n decides: at how many shapes each is faster, and by how much. */
static void add_shapes(struct text *out, const struct compare *compare,
                       const struct measured *measured, size_t a, size_t b)
{
    const size_t sides[] = {a, b};
    struct sentence_range factors[2] = {{.count = 0}};
    struct text text = {0};
    for (size_t l = measured->first; l < measured->end; l++) {
        const struct compare_line *line = &compare->lines[l];
        if (!is_measured(line, a) || !is_measured(line, b))
            continue;
        const double ratio = ratio_of(line, a, b), factor = fmax(ratio, 1 / ratio);
        if (factor >= 1 + EQUAL)
            sentence_extend(&factors[ratio > 1], factor);
    }
    const size_t first = factors[1].count > factors[0].count;
    for (size_t i = 0; i < 2; i++) {
        const size_t of = i ? !first : first;
        if (!factors[of].count)
            continue;
        text_addf(&text, "%s%s at %zu of %zu shapes, ", text.length ? "; " : "",
                  compare->sides[sides[of]].name, factors[of].count, measured->count);
        sentence_add_range(&text, &factors[of], 2);
        text_adds(&text, " times as fast");
    }
    if (!text.length)
        text_addf(&text, "neither: equally fast at all shapes, within %.0f %%", EQUAL * 100);
    sentence_end(out, "faster", &text);
}

static bool is_of_shapes(const struct compare *compare, const struct measured *measured)
{
    return published_row(&compare->lines[measured->first].problem) > 0;
}

static void add_measured(struct text *out, const struct compare *compare,
                         const struct measured *measured, size_t a, size_t b)
{
    const size_t slower = measured->faster == a ? b : a;
    struct text text = {0};
    if (measured->is_equal) {
        text_addf(&text, "neither: %s and %s are equally fast, within %.0f %%,",
                  compare->sides[a].name, compare->sides[b].name, EQUAL * 100);
    } else {
        text_addf(&text, "%s, ", compare->sides[measured->faster].name);
        sentence_add_range(&text, &measured->factor, 2);
        text_addf(&text, " times as fast as %s,", compare->sides[slower].name);
    }
    text_adds(&text, " from ");
    sentence_add_n(&text, measured->from);
    text_adds(&text, " on");
    sentence_end(out, "faster", &text);
    add_below(out, compare, measured, a, b);
}

/* --- Published of both -------------------------------------------------------------------- */

/* The largest problem that documents have of both, each by kernels of its own. */
static const struct compare_line *find_both(const struct compare *compare, size_t a, size_t b)
{
    const struct compare_line *best = NULL;
    for (size_t l = 0; l < compare->line_count; l++) {
        const struct compare_line *line = &compare->lines[l];
        if (line->cells[a].basis == COMPARE_PUBLISHED && line->cells[a].gbs > 0 &&
            line->cells[b].basis == COMPARE_PUBLISHED && line->cells[b].gbs > 0 &&
            (!best || dims_n(&line->problem.dims) > dims_n(&best->problem.dims)))
            best = line;
    }
    return best;
}

static void add_both(struct text *out, const struct compare *compare,
                     const struct compare_line *line, size_t a, size_t b)
{
    const struct compare_cell *const cells = line->cells;
    const size_t faster = cells[a].gbs >= cells[b].gbs ? a : b, slower = faster == a ? b : a;
    char speeds[2][NUMBER_CHARS], problem[PROBLEM_CHARS];
    struct text text = {0};
    text_addf(&text, "%s, ", compare->sides[faster].name);
    sentence_add_fixed(&text, cells[faster].gbs / cells[slower].gbs, 2);
    text_addf(&text, " times as fast as %s, by what documents published: %s and %s GB/s",
              compare->sides[slower].name,
              figures_short(speeds[0], cells[faster].gbs, cells[faster].published.gbs.digits),
              figures_short(speeds[1], cells[slower].gbs, cells[slower].published.gbs.digits));
    sentence_end(out, "faster", &text);
    text_addf(&text, "published for both, of the documents' kernels: %s (%s; %s)",
              published_problem(problem, &line->problem), cells[faster].source,
              cells[slower].source);
    sentence_end(out, "evidence", &text);
}

/* --- From the GPUs' data ------------------------------------------------------------------ */

static int element_bytes(const struct compare *compare)
{
    return problem_types[compare->lines[0].problem.type].bytes;
}

/* "1.2 million", "820K": two digits, of which `round_to` makes the last: ceil, floor. */
static void add_about(struct text *out, double n, double (*round_to)(double))
{
    const double unit = pow(10, floor(log10(fmax(n, 10))) - 1);
    const double shown = round_to(n / unit) * unit;
    if (n < 1e6)
        sentence_add_about(out, (uint64_t)shown);
    else
        sentence_add_fixed(out, shown / 1e6, n < 1e7 ? 1 : 0);
    text_adds(out, n < 1e6 ? "" : " million");
}

static void add_peaks(struct text *out, const struct compare_side *a,
                      const struct compare_side *b)
{
    const struct compare_side *const fast = a->peak_bytes >= b->peak_bytes ? a : b;
    const struct compare_side *const slow = fast == a ? b : a;
    const double factor = (double)fast->peak_bytes / (double)slow->peak_bytes;
    struct text text = {0};
    if (factor < 1 + EQUAL)
        text_adds(&text, "neither, probably, on large inputs");
    else
        text_addf(&text, "%s, probably about %.1f times as fast on large inputs", fast->name,
                  factor);
    text_addf(&text, ": the memory of %s gives up to %.0f GB/s, that of %s %.0f", fast->name,
              (double)fast->peak_bytes / 1e9, slow->name, (double)slow->peak_bytes / 1e9);
    sentence_end(out, "faster", &text);
}

static void add_latencies(struct text *out, const struct compare *compare, size_t a, size_t b)
{
    const size_t sides[] = {a, b};
    const uint64_t *const least = compare->lines[0].latency_ps;
    size_t count = 0;
    for (size_t i = 0; i < 2; i++) {
        if (!least[sides[i]])
            continue;
        text_adds(out, count++ ? ", " : ": ");
        sentence_add_fixed(out, (double)least[sides[i]] / 1e6, 2);
        text_addf(out, " us at least on %s", compare->sides[sides[i]].name);
    }
    if (count < 2)
        text_addf(out, ", %s", count ? "not measured on the other" : "which nobody measured");
}

/* From where on memory decides. */
static void add_from(struct text *out, const struct compare *compare, size_t a, size_t b)
{
    const struct compare_side *const sides = compare->sides;
    const double peak = fmax((double)sides[a].peak_bytes, (double)sides[b].peak_bytes);
    struct text text = {0};
    text_adds(&text, "well above ");
    add_about(&text, LATENCIES * analysis_latency_s * peak / element_bytes(compare), round);
    text_addf(&text,
              " elements of %s, read in %.0f us, %.0f times the latency assumed; with fewer, "
              "latency decides",
              problem_types[compare->lines[0].problem.type].name,
              LATENCIES * analysis_latency_s * 1e6, LATENCIES);
    add_latencies(&text, compare, a, b);
    sentence_end(out, "from n", &text);
}

/* Of caches that differ so much that it is worth a line. */
static void add_caches(struct text *out, const struct compare *compare,
                       const struct compare_side *a, const struct compare_side *b)
{
    const struct compare_side *const large = a->l2_bytes >= b->l2_bytes ? a : b;
    const struct compare_side *const small = large == a ? b : a;
    const double bytes = element_bytes(compare);
    struct text text = {0};
    if (!small->l2_bytes || (double)large->l2_bytes < LARGER * (double)small->l2_bytes)
        return;
    add_about(&text, (double)small->l2_bytes / bytes, ceil);
    text_adds(&text, " to ");
    add_about(&text, (double)large->l2_bytes / bytes, floor);
    text_addf(&text, " elements fit the L2 cache of %s alone: read again, they come from there",
              large->name);
    sentence_end(out, "warm", &text);
}

/* The fastest figure of a GPU for all elements in one, in the document's own terms. */
static const struct compare_line *find_published(const struct compare *compare, size_t side)
{
    const struct compare_line *best = NULL;
    for (size_t l = 0; l < compare->line_count; l++) {
        const struct compare_line *line = &compare->lines[l];
        const struct compare_cell *cell = &line->cells[side];
        if (!published_row(&line->problem) && cell->basis == COMPARE_PUBLISHED &&
            cell->published.gbs.is_own && (!best || cell->gbs > best->cells[side].gbs))
            best = line;
    }
    return best;
}

/* "; CS599 Lecture 6 has 876.63 GB/s on V100, by its own kernel (sum f32 1Gi)". */
static void add_published(struct text *out, const struct compare *compare, size_t side)
{
    const struct compare_line *line = find_published(compare, side);
    char speed[NUMBER_CHARS], problem[PROBLEM_CHARS];
    if (!line)
        return;
    const struct compare_cell *const cell = &line->cells[side];
    const struct published_value *const gbs = &cell->published.gbs;
    text_addf(out, "; %s has %s GB/s on %s, by its own kernel (%s)", cell->source,
              figures_short(speed, gbs->value, gbs->digits), compare->sides[side].name,
              published_problem(problem, &line->problem));
}

/* --- The whole ---------------------------------------------------------------------------- */

static bool has_measured(const struct compare *compare, size_t side)
{
    for (size_t l = 0; l < compare->line_count; l++)
        if (!compare->lines[l].is_document && is_measured(&compare->lines[l], side))
            return true;
    return false;
}

static bool is_same(const struct compare *compare, size_t a, size_t b)
{
    return strcmp(compare->sides[a].name, compare->sides[b].name) == 0;
}

/* By their peaks? Then add_unknown says what is known of each. */
static bool add_pair(struct text *out, const struct compare *compare, size_t b)
{
    const struct compare_side *const sides = compare->sides;
    const struct compare_line *const line = find_both(compare, 0, b);
    struct measured measured;
    struct text text = {0};
    if (find_measured(&measured, compare, 0, b)) {
        if (is_of_shapes(compare, &measured))
            add_shapes(out, compare, &measured, 0, b);
        else
            add_measured(out, compare, &measured, 0, b);
        add_evidence(out, compare, &measured);
        return false;
    }
    if (line) {
        add_both(out, compare, line, 0, b);
        return false;
    }
    if (sides[0].peak_bytes && sides[b].peak_bytes) {
        add_peaks(out, &sides[0], &sides[b]);
        add_from(out, compare, 0, b);
        add_caches(out, compare, &sides[0], &sides[b]);
        return true;
    }
    text_addf(&text, "not known: nobody measured both, and of %s not even the peak is known",
              sides[0].peak_bytes ? sides[b].name : sides[0].name);
    sentence_end(out, "faster", &text);
    return true;
}

/* Of the GPUs that two files or documents are of. */
static bool is_first(const struct compare *compare, size_t side)
{
    size_t first = 0;
    while (!is_same(compare, first, side))
        first++;
    return first == side;
}

/* "V100, H100 and H200", where the last word is "and". */
static void add_names(struct text *out, const struct compare *compare, const size_t *sides,
                      size_t count, const char *last)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            text_addf(out, i + 1 < count ? ", " : " %s ", last);
        text_adds(out, compare->sides[sides[i]].name);
    }
}

/* "; H200 was measured at up to 4409 GB/s, 91.6 % of its peak" */
static void add_known(struct text *out, const struct compare *compare, size_t side)
{
    const struct compare_cell *best = NULL;
    for (size_t l = 0; l < compare->line_count; l++) {
        const struct compare_cell *cell = &compare->lines[l].cells[side];
        if (cell->basis == COMPARE_MEASURED && (!best || cell->gbs > best->gbs))
            best = cell;
    }
    text_addf(out, "; %s was measured at up to %.0f GB/s", compare->sides[side].name,
              best->gbs);
    if (best->peak_pct >= 0) {
        text_adds(out, ", ");
        sentence_add_fixed(out, best->peak_pct, 1);
        text_adds(out, " % of its peak");
    }
}

/* What a verdict by peaks rests on. */
static void add_data_sheets(struct text *out, const struct compare *compare)
{
    size_t known[COMPARE_SIDES_MAX], unknown[COMPARE_SIDES_MAX], knowns = 0, unknowns = 0;
    struct text text = {0};
    for (size_t s = 0; s < compare->side_count; s++) {
        if (!is_first(compare, s))
            continue;
        if (has_measured(compare, s))
            known[knowns++] = s;
        else
            unknown[unknowns++] = s;
    }
    bool has_small = false;
    for (size_t i = 0; i < unknowns; i++)
        has_small |= compare->lines[0].latency_ps[unknown[i]] > 0;
    text_addf(&text, "data sheets; no times %sof ", has_small ? "of these sizes " : "");
    add_names(&text, compare, unknown, unknowns, "or");
    text_adds(&text, " are here");
    for (size_t i = 0; i < knowns; i++)
        add_known(&text, compare, known[i]);
    for (size_t s = 0; s < compare->side_count; s++)
        if (is_first(compare, s))
            add_published(&text, compare, s);
    sentence_end(out, "evidence", &text);
}

const char *compare_sweep_options(const struct dims *dims)
{
    const struct problem problem = {.dims = *dims};
    return published_row(&problem)        ? dims_text_sweep(dims_text_name(dims))
           : dims->scan == DIMS_INCLUSIVE ? "--scan inclusive --n 1K..1G"
           : dims->scan                   ? "--scan exclusive --n 1K..1G"
                                          : "--n 1K..1G";
}

/* The command whose records would settle it, on each GPU that has none; with sizes that 8 GB hold.
 * None where a GPU's architecture is unknown: nothing is said to run there. */
static void add_command(struct text *out, const struct compare *compare)
{
    const struct problem *problem = &compare->lines[0].problem;
    struct text text = {0};
    size_t sides[COMPARE_SIDES_MAX], count = 0;
    for (size_t s = 0; s < compare->side_count; s++) {
        if (!compare->sides[s].cc)
            return;
        if (!has_measured(compare, s) && is_first(compare, s))
            sides[count++] = s;
    }
    if (!count)
        return;
    text_addf(&text, "run 'autotune --op %s --type %s%s %s' on ", operation_option(problem->op),
              problem_types[problem->type].name, problem_orders[problem->order].option,
              compare_sweep_options(&problem->dims));
    add_names(&text, compare, sides, count, "and");
    text_adds(&text, ", and compare the record files");
    sentence_end(out, "to settle", &text);
}

void compare_verdict(struct text *out, const struct compare *compare)
{
    bool is_by_peaks = false;
    if (!compare->line_count)
        return;
    for (size_t s = 1; s < compare->side_count; s++)
        if (!is_same(compare, 0, s))
            is_by_peaks |= add_pair(out, compare, s);
    if (is_by_peaks)
        add_data_sheets(out, compare);
    add_command(out, compare);
    text_adds(out, "\n");
}

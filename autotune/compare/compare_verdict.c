/* compare_verdict: writes the answer of a comparison. It rests on measured times of both GPUs,
 * else on their peaks, caches and published figures. */
#include "autotune/compare/compare_verdict.h"

#include "autotune/print/figures.h"
#include "autotune/print/sentence.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* GPUs whose figures differ by less than this share are called equal. */
static const double EQUAL = 0.02;
/* Memory decides where the reading takes this many times the latency of Little's law. */
static const double LATENCIES = 10;

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
    bool is_any = false;
    for (size_t i = 0; i < 2; i++) {
        const struct best *best = &measured->below[sides[i]];
        if (best->factor <= 1)
            continue;
        text_addf(out, "%s %s is up to ", is_any ? ", and" : " Below,",
                  compare->sides[sides[i]].name);
        sentence_add_fixed(out, best->factor, 2);
        text_adds(out, " times as fast, at ");
        sentence_add_n(out, best->n);
        is_any = true;
    }
    if (is_any)
        text_adds(out, ".");
    else if (measured->factor.count < measured->count)
        text_addf(out, " Below, neither is by more than %.0f %%.", EQUAL * 100);
}

static void add_measured(struct text *out, const struct compare *compare,
                         const struct measured *measured, size_t a, size_t b)
{
    const struct problem *problem = &compare->lines[measured->first].problem;
    const size_t slower = measured->faster == a ? b : a;
    text_addf(out, "measured for %s %s %s at %zu size%s (", problem->op->name,
              problem_types[problem->type].name, problem_regimes[problem->regime],
              measured->count, measured->count == 1 ? "" : "s");
    sentence_add_sizes(out, &measured->sizes);
    text_adds(out, "): from ");
    sentence_add_n(out, measured->from);
    text_adds(out, " on ");
    if (measured->is_equal) {
        text_addf(out, "%s and %s are equally fast, within %.0f %%.", compare->sides[a].name,
                  compare->sides[b].name, EQUAL * 100);
    } else {
        text_addf(out, "%s is ", compare->sides[measured->faster].name);
        sentence_add_range(out, &measured->factor, 2);
        text_addf(out, " times as fast as %s.", compare->sides[slower].name);
    }
    add_below(out, compare, measured, a, b);
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

static void add_peaks(struct text *out, const struct compare *compare,
                      const struct compare_side *a, const struct compare_side *b)
{
    const double one = (double)a->peak_bytes, other = (double)b->peak_bytes;
    const double factor = fmax(one, other) / fmin(one, other);
    const double from =
        LATENCIES * analysis_latency_s * fmax(one, other) / element_bytes(compare);
    if (factor < 1 + EQUAL)
        text_addf(out, "%s and %s should be equally fast", a->name, b->name);
    else
        text_addf(out, "%s should be %.1f times as fast as %s", one > other ? a->name : b->name,
                  factor, one > other ? b->name : a->name);
    text_addf(
        out,
        " where memory decides, for their peaks are %.0f and %.0f GB/s and nothing better is known "
        "of both: well above ",
        fmax(one, other) / 1e9, fmin(one, other) / 1e9);
    add_about(out, from, round);
    text_addf(out, " elements of %s, which take %.0f times the latency of ",
              problem_types[compare->lines[0].problem.type].name, LATENCIES);
    sentence_add_fixed(out, analysis_latency_s * 1e6, 1);
    text_adds(out, " us that is assumed.");
}

static void add_least(struct text *out, const struct compare *compare, size_t side)
{
    const uint64_t least = compare->lines[0].latency_ps[side];
    if (least) {
        text_adds(out, "no size took less than ");
        sentence_add_fixed(out, (double)least / 1e6, 2);
        text_addf(out, " us on %s", compare->sides[side].name);
    } else {
        text_addf(out, "nothing is known of it on %s", compare->sides[side].name);
    }
}

static void add_latencies(struct text *out, const struct compare *compare, size_t a, size_t b)
{
    const uint64_t *const least = compare->lines[0].latency_ps;
    text_adds(out, " Below, and for some way above, latency counts");
    if (!least[a] && !least[b]) {
        text_adds(out, ", of which nothing is known here.");
        return;
    }
    text_adds(out, ": ");
    add_least(out, compare, a);
    text_adds(out, ", ");
    add_least(out, compare, b);
    text_adds(out, ".");
}

static void add_caches(struct text *out, const struct compare *compare,
                       const struct compare_side *a, const struct compare_side *b)
{
    const double one = (double)a->l2_bytes, other = (double)b->l2_bytes;
    const double bytes = element_bytes(compare);
    char first[NUMBER_CHARS], second[NUMBER_CHARS];
    if (one <= 0 || other <= 0 || fmax(one, other) < (1 + EQUAL) * fmin(one, other))
        return;
    text_adds(out, " A warm input of ");
    add_about(out, fmin(one, other) / bytes, ceil);
    text_adds(out, " to ");
    add_about(out, fmax(one, other) / bytes, floor);
    text_addf(out, " elements fits the L2 cache of %s alone (%s; %s has %s).",
              one > other ? a->name : b->name, figures_size(first, fmax(one, other)),
              one > other ? b->name : a->name, figures_size(second, fmin(one, other)));
}

/* The fastest figure of a GPU for all elements in one, in the document's own terms. */
static const struct compare_line *find_published(const struct compare *compare, size_t side)
{
    const struct compare_line *best = NULL;
    for (size_t l = 0; l < compare->line_count; l++) {
        const struct compare_line *line = &compare->lines[l];
        const struct compare_cell *cell = &line->cells[side];
        if (!line->row && cell->basis == COMPARE_PUBLISHED && cell->published.gbs.is_own &&
            (!best || cell->gbs > best->cells[side].gbs))
            best = line;
    }
    return best;
}

/* "; published for V100 of another kernel: 876.63 GB/s, sum f32 1Gi (CS599 Lecture 6)". */
static void add_published(struct text *out, const struct compare *compare, size_t side)
{
    const struct compare_line *line = find_published(compare, side);
    char speed[NUMBER_CHARS], problem[PROBLEM_CHARS];
    if (!line)
        return;
    const struct compare_cell *const cell = &line->cells[side];
    const struct published_value *const gbs = &cell->published.gbs;
    text_addf(out, "; published for %s of another kernel: %s GB/s, %s (%s)",
              compare->sides[side].name, figures_short(speed, gbs->value, gbs->digits),
              published_problem(problem, &line->problem), cell->source);
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

static void add_pair(struct text *out, const struct compare *compare, size_t b)
{
    const struct compare_side *const sides = compare->sides;
    struct measured measured;
    struct text text = {0};
    if (find_measured(&measured, compare, 0, b)) {
        add_measured(&text, compare, &measured, 0, b);
    } else if (sides[0].peak_bytes && sides[b].peak_bytes) {
        add_peaks(&text, compare, &sides[0], &sides[b]);
        add_latencies(&text, compare, 0, b);
        add_caches(&text, compare, &sides[0], &sides[b]);
    } else {
        text_addf(&text,
                  "the peak of %s is not known, so nothing follows without a measurement.",
                  sides[0].peak_bytes ? sides[b].name : sides[0].name);
    }
    sentence_end(out, "verdict", &text);
}

/* Has a GPU that was not measured at these sizes small ones that were? */
static bool has_small(const struct compare *compare)
{
    for (size_t s = 0; s < compare->side_count; s++)
        if (compare->lines[0].latency_ps[s] && !has_measured(compare, s))
            return true;
    return false;
}

/* Of the GPUs that two files or documents are of. */
static bool is_first(const struct compare *compare, size_t side)
{
    size_t first = 0;
    while (!is_same(compare, first, side))
        first++;
    return first == side;
}

static void add_unknown(struct text *out, const struct compare *compare)
{
    size_t sides[COMPARE_SIDES_MAX], count = 0;
    struct text text = {0};
    for (size_t s = 0; s < compare->side_count; s++)
        if (!has_measured(compare, s) && is_first(compare, s))
            sides[count++] = s;
    if (!count)
        return;
    text_adds(&text, "how fast autotune's kernels are on ");
    for (size_t i = 0; i < count; i++)
        text_addf(&text, "%s%s",
                  i == 0          ? ""
                  : i + 1 < count ? ", "
                                  : " and ",
                  compare->sides[sides[i]].name);
    text_addf(&text, ": no record %sis here", has_small(compare) ? "of these sizes " : "");
    for (size_t s = 0; s < compare->side_count; s++)
        if (is_first(compare, s))
            add_published(&text, compare, s);
    sentence_end(out, "not known", &text);
}

/* The command whose records would settle it, on each GPU that has none; with sizes that 8 GB hold.
 * None where a GPU's architecture is unknown: nothing is said to run there. */
static void add_command(struct text *out, const struct compare *compare)
{
    const struct problem *problem = &compare->lines[0].problem;
    struct text text = {0};
    bool is_known = true;
    for (size_t s = 0; s < compare->side_count; s++)
        is_known &= has_measured(compare, s);
    for (size_t s = 0; s < compare->side_count; s++)
        is_known |= !compare->sides[s].cc;
    if (is_known)
        return;
    text_addf(
        &text,
        "'autotune --device 0 --op %s --type %s%s --n 1K..1G' on each of these GPUs, then "
        "'autotune compare' with the record files that it names",
        operation_option(problem->op), problem_types[problem->type].name,
        problem_orders[problem->order].option);
    sentence_end(out, "to settle", &text);
}

void compare_verdict(struct text *out, const struct compare *compare)
{
    if (!compare->line_count)
        return;
    for (size_t s = 1; s < compare->side_count; s++)
        if (!is_same(compare, 0, s))
            add_pair(out, compare, s);
    add_unknown(out, compare);
    add_command(out, compare);
    text_adds(out, "\n");
}

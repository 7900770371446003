/* compare_notes: chooses which sentences a comparison has, and fills them in. */
#include "autotune/compare/compare_notes.h"

#include "autotune/compare/compare_portability.h"
#include "autotune/print/figures.h"
#include "autotune/print/sentence.h"

#include <string.h>

/* --- Winners ------------------------------------------------------------------------------ */

/* Adds a kernel's limits on a GPU: the bound, and the occupancy with its limit. */
static void add_cause(struct text *out, const struct compare_side *side,
                      const struct analysis *analysis, enum compare_why why)
{
    const struct occupancy *occupancy = &analysis->occupancy;
    text_addf(out, " on %s ", side->name);
    if (!analysis->is_compiled) {
        text_adds(out, "not analysed");
        return;
    }
    text_addf(out, "%d block%s of %u on an SM with %d registers a thread, ", occupancy->blocks,
              occupancy->blocks == 1 ? "" : "s", analysis->block, analysis->needs.registers);
    sentence_add_fixed(out, occupancy->share * 100, 0);
    text_adds(out, " % of its warps");
    if (occupancy_is_limited(occupancy))
        text_addf(out, " (limited by %s)", occupancy_names[occupancy->limiter]);
    if (analysis->bound > 0) {
        text_adds(out, ", ");
        sentence_add_fixed(out, analysis->in_flight / 1024, 0);
        text_adds(out, " KiB in flight of the ");
        sentence_add_fixed(out, analysis->wanted / 1024, 0);
        text_adds(out, " wanted: ");
        if (why == COMPARE_LATENCY || why == COMPARE_CACHE)
            text_adds(out,
                      why == COMPARE_LATENCY ? "latency decides" : "the L2 cache may decide");
        else
            text_addf(out, "its bound is by %s", analysis_limiters[analysis->limiter]);
    }
}

static bool is_other(const struct compare_line *line, size_t side)
{
    return compare_has_winner(&line->cells[0]) && compare_has_winner(&line->cells[side]) &&
           strcmp(line->cells[0].winner, line->cells[side].winner) != 0;
}

/* Only winners can differ: a prediction is of another GPU's winner. The cause for the largest
 * size, where it costs most. */
static void add_difference(struct text *out, const struct compare *compare,
                           const struct prediction *group, struct legend *legend, size_t side)
{
    const struct compare_line *largest = NULL;
    struct text text = {0};
    size_t both = 0, others = 0;
    char name[NUMBER_CHARS];
    for (size_t l = group->first; l < group->end; l++) {
        const struct compare_line *line = &compare->lines[l];
        both += compare_has_winner(&line->cells[0]) && compare_has_winner(&line->cells[side]);
        others += is_other(line, side);
        largest = is_other(line, side) ? line : largest;
    }
    if (!largest)
        return;
    text_addf(&text, "%s and %s have different winners at %zu of %zu size%s; at ",
              compare->sides[0].name, compare->sides[side].name, others, both,
              both == 1 ? "" : "s");
    sentence_add_n(&text, dims_n(&largest->problem.dims));
    for (size_t i = 0; i < 2; i++) {
        const struct compare_cell *cell = &largest->cells[i ? side : 0];
        text_addf(&text, "%s %s", i ? ";" : "",
                  legend_name(name, legend_add(legend, cell->winner)));
        add_cause(&text, &compare->sides[i ? side : 0], &cell->analysis,
                  prediction_why(group, compare, largest, i ? side : 0));
    }
    sentence_end(out, "differ", &text);
}

static void add_losses(struct text *out, const struct compare *compare,
                       const struct prediction *group, size_t side)
{
    struct sentence_range losses = {.count = 0};
    struct text text = {0};
    for (size_t l = group->first; l < group->end; l++)
        if (compare->lines[l].cells[side].has_loss)
            sentence_extend(&losses, compare->lines[l].cells[side].loss_pct);
    if (!losses.count)
        return;
    text_addf(&text, "%s's winners take ", compare->sides[0].name);
    sentence_add_longer(&text, &losses, 1);
    text_addf(&text, " on %s than its own (known of %zu size%s)", compare->sides[side].name,
              losses.count, losses.count == 1 ? "" : "s");
    sentence_end(out, "loss", &text);
}

/* --- Predictions -------------------------------------------------------------------------- */

static bool has_why(const struct compare *compare, const struct prediction *group, size_t side,
                    enum compare_why why)
{
    for (size_t l = group->first; l < group->end; l++)
        if (compare->lines[l].cells[side].why == why)
            return true;
    return false;
}

static void add_refuted(struct text *out, const struct compare *compare,
                        const struct prediction *group, size_t side)
{
    struct sentence_range sizes = {.count = 0};
    struct text text = {0};
    const size_t all = group->end - group->first;
    for (size_t l = group->first; l < group->end; l++)
        if (compare->lines[l].cells[side].why == COMPARE_ACCURACY)
            sentence_extend(&sizes, (double)dims_n(&compare->lines[l].problem.dims));
    if (!sizes.count)
        return;
    text_addf(&text, "at %zu of %zu size%s (", sizes.count, all, all == 1 ? "" : "s");
    sentence_add_sizes(&text, &sizes);
    text_addf(
        &text,
        ") on %s: such a bound says little, being less than two thirds of the time that the "
        "same kernel took on another GPU",
        compare->sides[side].name);
    sentence_end(out, "withheld", &text);
}

/* GPUs whose latency is from the same source share a sentence, at the first of them. */
static void add_latency(struct text *out, const struct compare *compare,
                        const struct prediction *group, size_t side)
{
    const size_t of = group->latency_of[side];
    struct text text = {0};
    for (size_t s = 0; s < compare->side_count; s++) {
        if (group->latency_of[s] != of || !has_why(compare, group, s, COMPARE_LATENCY))
            continue;
        if (s < side) {
            text_dispose(&text);
            return;
        }
        text_adds(&text, s == side ? "below " : ", below ");
        sentence_add_about(&text, prediction_least_n(group, compare, s));
        text_addf(&text, " on %s", compare->sides[s].name);
    }
    text_addf(&text, ": latency %s there, for memory alone would take less than ",
              of == side ? "decides" : "may decide");
    if (of < compare->side_count)
        text_addf(&text, "the least that any size took on %s, ", compare->sides[of].name);
    else
        text_adds(&text, "a latency of ");
    sentence_add_fixed(&text, group->latency_s[side] * 1e6, 2);
    text_adds(&text, of < compare->side_count ? " us" : " us, which nobody measured");
    sentence_end(out, "withheld", &text);
}

static void add_withheld(struct text *out, const struct compare *compare,
                         const struct prediction *group, size_t s)
{
    const struct compare_side *side = &compare->sides[s];
    struct text text = {0};
    char size[NUMBER_CHARS];
    if (has_why(compare, group, s, COMPARE_LATENCY))
        add_latency(out, compare, group, s);
    if (has_why(compare, group, s, COMPARE_CACHE)) {
        text_addf(&text,
                  "up to %s on %s: half of a warm input so small, or all, may be in its L2 "
                  "cache, of whose speed nothing is known here",
                  figures_size(size, 2 * (double)side->l2_bytes), side->name);
        sentence_end(out, "withheld", &text);
    }
    if (has_why(compare, group, s, COMPARE_RANKS)) {
        if (group->ranks_from < UINT64_MAX) {
            text_adds(&text, "below ");
            sentence_add_n(&text, group->ranks_from);
            text_adds(&text, " ");
        }
        text_addf(&text, "on %s: there bounds did not rank what was measured (evidence)",
                  side->name);
        sentence_end(out, "withheld", &text);
    }
    add_refuted(out, compare, group, s);
}

static void add_portability(struct text *out, const struct compare *compare,
                            const struct prediction *group)
{
    struct sentence_range percent = {.count = 0};
    struct text text = {0};
    for (size_t l = group->first; l < group->end; l++) {
        enum compare_basis basis;
        const double value = compare_portability(compare, &compare->lines[l], &basis);
        if (basis == COMPARE_BOUND)
            sentence_extend(&percent, value);
    }
    if (!percent.count)
        return;
    text_adds(&text, "at most ");
    sentence_add_range(&text, &percent, 1);
    text_adds(&text, " % of peak, the harmonic mean of the shares known and of other GPUs' "
                     "bounds");
    sentence_end(out, "portable", &text);
}

/* --- Evidence ----------------------------------------------------------------------------- */

/* The sizes of one GPU from which on, or below which, bounds rank. */
struct proof {
    struct sentence_range sizes, candidates, bound, prior;
    size_t above, all;
    bool has_code;
};

static void gather_proof(struct proof *out, const struct compare *compare,
                         const struct prediction *group, size_t side, bool is_ranked)
{
    *out = (struct proof){.above = 0};
    for (size_t l = group->first; l < group->end; l++) {
        const struct compare_line *line = &compare->lines[l];
        const struct compare_evidence *evidence = &line->cells[side].evidence;
        if (!evidence->count || (dims_n(&line->problem.dims) >= group->ranks_from) != is_ranked)
            continue;
        sentence_extend(&out->sizes, (double)dims_n(&line->problem.dims));
        sentence_extend(&out->candidates, (double)evidence->count);
        sentence_extend(&out->bound, prediction_rank(evidence));
        sentence_extend(&out->prior, evidence->prior);
        out->has_code |= evidence->has_code;
        out->above += evidence->above;
        out->all += evidence->count;
    }
}

static void add_proof(struct text *out, const struct compare *compare,
                      const struct prediction *group, size_t side, bool is_ranked)
{
    struct proof proof;
    struct text text = {0};
    gather_proof(&proof, compare, group, side, is_ranked);
    if (!proof.sizes.count)
        return;
    text_addf(&text, "%s, ", compare->sides[side].name);
    sentence_add_sizes(&text, &proof.sizes);
    text_addf(&text, ": rank correlation of bounds%s with the speed of ",
              proof.has_code ? " by machine code" : "");
    sentence_add_range(&text, &proof.candidates, 0);
    text_adds(&text, " candidates ");
    sentence_add_range(&text, &proof.bound, 2);
    text_adds(&text, is_ranked ? " (prior " : ": no use there (prior ");
    sentence_add_range(&text, &proof.prior, 2);
    text_addf(&text, "); %zu of %zu are faster than their bound", proof.above, proof.all);
    sentence_end(out, "evidence", &text);
}

/* Compares the bounds of winners with their known times. */
static void add_accuracy(struct text *out, const struct compare *compare,
                         const struct prediction *group, size_t side, enum compare_basis basis)
{
    struct sentence_range shares = {.count = 0}, sizes = {.count = 0};
    struct text text = {0};
    for (size_t l = group->first; l < group->end; l++) {
        const struct compare_cell *cell = &compare->lines[l].cells[side];
        const double share = prediction_share(cell);
        if (cell->basis != basis || share <= 0)
            continue;
        sentence_extend(&shares, 100 * share);
        sentence_extend(&sizes, (double)dims_n(&compare->lines[l].problem.dims));
    }
    if (!shares.count)
        return;
    text_addf(&text, "%s, ", compare->sides[side].name);
    sentence_add_sizes(&text, &sizes);
    text_addf(&text, ": the bounds of %s are ",
              basis == COMPARE_PUBLISHED ? "its published kernels" : "its own winners");
    sentence_add_range(&text, &shares, 0);
    text_addf(&text, " %% of the time %s", compare_bases[basis]);
    sentence_end(out, "evidence", &text);
}

void compare_notes_group(struct text *out, const struct compare *compare,
                         const struct prediction *group, struct legend *legend)
{
    const size_t before = out->length;
    text_adds(out, "\n");
    for (size_t s = 1; s < compare->side_count; s++)
        add_difference(out, compare, group, legend, s);
    for (size_t s = 1; s < compare->side_count; s++)
        add_losses(out, compare, group, s);
    for (size_t s = 0; s < compare->side_count; s++)
        add_withheld(out, compare, group, s);
    add_portability(out, compare, group);
    for (size_t s = 0; s < compare->side_count; s++) {
        add_proof(out, compare, group, s, true);
        add_proof(out, compare, group, s, false);
        add_accuracy(out, compare, group, s, COMPARE_MEASURED);
        add_accuracy(out, compare, group, s, COMPARE_PUBLISHED);
    }
    if (!out->failed && out->length == before + 1)
        out->at[--out->length] = '\0';
}

/* --- All ---------------------------------------------------------------------------------- */

/* Why a cell is not analysed. */
static const char *missing(const struct compare_cell *cell)
{
    return cell->analysis.why;
}

/* The document that a published figure is from. */
static const char *document(const struct compare_cell *cell)
{
    return cell->basis == COMPARE_PUBLISHED ? cell->source : "";
}

/* The messages of all cells, each once for each GPU; of a compiler's message the first line. */
static void add_sayings(struct text *out, const struct compare *compare, const char *label,
                        const char *(*say)(const struct compare_cell *))
{
    for (size_t s = 0; s < compare->side_count; s++)
        for (size_t l = 0, before; l < compare->line_count; l++) {
            const char *saying = say(&compare->lines[l].cells[s]);
            struct text text = {0};
            for (before = 0; before < l; before++)
                if (strcmp(say(&compare->lines[before].cells[s]), saying) == 0)
                    break;
            if (!*saying || before < l)
                continue;
            text_addf(&text, "%s: %.*s", compare->sides[s].name, (int)strcspn(saying, "\n"),
                      saying);
            sentence_end(out, label, &text);
        }
}

static const struct ini_lines *remarks_on(const struct compare_cell *cell, bool is_kernel)
{
    const struct compare_published *published = &cell->published;
    return !is_kernel          ? published->remarks
           : published->kernel ? &published->kernel->remarks
                               : NULL;
}

/* The remarks on each kernel with a figure here, or on each document: on all of it, not on these
 * figures alone. */
static void add_remarks(struct text *out, const struct compare *compare, size_t side,
                        bool is_kernel)
{
    for (size_t l = 0, before; l < compare->line_count; l++) {
        const struct compare_cell *cell = &compare->lines[l].cells[side];
        const struct ini_lines *remarks = remarks_on(cell, is_kernel);
        for (before = 0; before < l; before++)
            if (remarks_on(&compare->lines[before].cells[side], is_kernel) == remarks)
                break;
        for (size_t i = 0; remarks && before == l && i < remarks->count; i++) {
            struct text text = {0};
            text_addf(&text, "%s%s%s: %s", compare->sides[side].name,
                      is_kernel ? ", " : "'s document",
                      is_kernel ? cell->published.kernel->kernel : "", remarks->at[i]);
            sentence_end(out, "remark", &text);
        }
    }
}

static bool has_basis(const struct compare *compare, enum compare_basis basis, bool is_free)
{
    for (size_t l = 0; l < compare->line_count; l++)
        for (size_t s = 0; s < compare->side_count; s++)
            if (compare->lines[l].cells[s].basis == basis &&
                compare_is_free(&compare->lines[l].cells[s]) == is_free)
                return true;
    return false;
}

static bool is_occupancy_shown(const struct compare_cell *cell)
{
    return cell->basis > COMPARE_WITHHELD && cell->analysis.is_compiled &&
           occupancy_is_limited(&cell->analysis.occupancy);
}

void compare_notes_columns(struct text *out, const struct compare *compare)
{
    struct text text = {0};
    bool has_loss = false, has_portability = false, has_limit = false;
    for (size_t l = 0; l < compare->line_count; l++) {
        enum compare_basis basis;
        compare_portability(compare, &compare->lines[l], &basis);
        has_portability |= basis > COMPARE_PREDICTED;
        for (size_t s = 0; s < compare->side_count; s++)
            has_loss |= compare->lines[l].cells[s].has_loss;
        for (size_t s = 0; s < compare->side_count; s++)
            has_limit |= is_occupancy_shown(&compare->lines[l].cells[s]);
    }
    text_adds(&text,
              "KiB/SM: what Little's law wants in flight for the peak, at a latency of ");
    sentence_add_fixed(&text, analysis_latency_s * 1e6, 1);
    text_adds(
        &text,
        " us; behind it: at how many sizes there are such figures; % is of each GPU's own "
        "peak; ");
    if (has_limit)
        text_adds(&text,
                  "occupancy by: what allows no more warps on an SM, which need not slow "
                  "the kernel; ");
    if (has_loss)
        text_addf(&text, "loss %% is what %s's winner takes longer there, by the journal; ",
                  compare->sides[0].name);
    if (has_portability)
        text_adds(&text, "portable % is the harmonic mean of all GPUs' %; ");
    text_adds(&text, "--json and --csv have registers, occupancy, bytes in flight and "
                     "instructions of each");
    sentence_end(out, "columns", &text);
}

static void add_left_out(struct text *out, const struct compare *compare)
{
    const bool is_one = compare->left_out == 1;
    struct text text = {0};
    if (!compare->left_out)
        return;
    text_addf(&text,
              "%zu more record%s ship%s with the program, of other operations and types, or "
              "warm: --op, --type, --order and --n ask for them",
              compare->left_out, is_one ? "" : "s", is_one ? "s" : "");
    sentence_end(out, "left out", &text);
}

void compare_notes_all(struct text *out, const struct compare *compare)
{
    static const struct {
        enum compare_basis basis;
        const char *label, *meaning;
    } words[] = {
        {COMPARE_MEASURED, "measured",
         "by autotune on that GPU: a record that is kept here or named, or ships with the "
         "program"},
        {COMPARE_PUBLISHED, "published",
         "a document's figures of its own kernels, counted its way; not measured here; in "
         "parentheses what no document has: computed from its GB/s, else from its time"},
        {COMPARE_BOUND, "at most",
         "another GPU's winner, or the default, cannot be faster there: a latency, then "
         "its bytes at the share of the bandwidth that bytes in flight, were memory faster than "
         "any kernel here has shown it to be, and instructions allow (static analysis), or at the peak alone where it is not analysed; how much slower it "
         "is nobody knows, nothing was run"},
        {COMPARE_PREDICTED, "predicted",
         "that bound, divided by what bounds were of the times known here, from the largest to "
         "the smallest share; nothing was run"},
        {COMPARE_EMULATED, "emulated", "on the host, no model of a GPU's speed"},
    };
    text_adds(out, "\n");
    add_left_out(out, compare);
    add_sayings(out, compare, "note", missing);
    add_sayings(out, compare, "source", document);
    for (size_t s = 0; s < compare->side_count; s++) {
        add_remarks(out, compare, s, false);
        add_remarks(out, compare, s, true);
    }
    if (has_basis(compare, COMPARE_BOUND, true)) {
        struct text text = {0};
        text_adds(
            &text,
            "another GPU's winner, or the default, runs there, and nothing that was looked at keeps "
            "it from the peak: how fast it is nobody knows");
        sentence_end(out, "no bound", &text);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct text text = {0};
        if (!has_basis(compare, words[i].basis, false))
            continue;
        text_adds(&text, words[i].meaning);
        if (words[i].basis == COMPARE_BOUND) {
            text_adds(&text, "; the latency is taken as ");
            sentence_add_fixed(&text, analysis_latency_s * 1e6, 1);
            text_adds(&text, " us everywhere, and for bytes in flight as ");
            sentence_add_fixed(&text, analysis_least_latency_s * 1e6, 2);
            text_adds(&text, " us");
        }
        sentence_end(out, words[i].label, &text);
    }
}

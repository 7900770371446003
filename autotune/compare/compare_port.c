/* compare_port: a row for each fact, of which each writes a cell for a GPU. */
#include "autotune/compare/compare_port.h"

#include "autotune/print/figures.h"
#include "autotune/print/sentence.h"
#include "autotune/print/table_fit.h"

#include <string.h>

/* Writes a fact of a GPU, or whether it has an instruction; nothing where that is not known. */
typedef void write_fact(struct text *out, const struct compare_side *side, const char *name);

static void write_count(struct text *out, double count)
{
    if (count > 0)
        text_addf(out, "%.0f", count);
}

static void write_size(struct text *out, double bytes)
{
    char size[NUMBER_CHARS];
    if (bytes > 0)
        text_adds(out, figures_size(size, bytes));
}

static void write_sms(struct text *out, const struct compare_side *side, const char *name)
{
    (void)name;
    write_count(out, side->sms);
}

static void write_warps(struct text *out, const struct compare_side *side, const char *name)
{
    (void)name;
    const int warps = side->limits.threads / OCCUPANCY_WARP;
    write_count(out, warps);
}

static void write_blocks(struct text *out, const struct compare_side *side, const char *name)
{
    (void)name;
    write_count(out, side->limits.blocks);
}

static void write_registers(struct text *out, const struct compare_side *side, const char *name)
{
    (void)name;
    write_count(out, side->limits.registers);
}

static void write_shared(struct text *out, const struct compare_side *side, const char *name)
{
    (void)name;
    write_size(out, (double)side->limits.shared);
}

static void write_l2(struct text *out, const struct compare_side *side, const char *name)
{
    (void)name;
    write_size(out, (double)side->l2_bytes);
}

static void write_peak(struct text *out, const struct compare_side *side, const char *name)
{
    (void)name;
    write_count(out, (double)side->peak_bytes / 1e9);
}

static void write_balance(struct text *out, const struct compare_side *side, const char *name)
{
    (void)name;
    const double clocks = side->sms * side->clock_khz * 1e3;
    if (clocks > 0 && side->peak_bytes)
        text_addf(out, "%.1f", (double)side->peak_bytes / clocks);
}

static void write_wanted(struct text *out, const struct compare_side *side, const char *name)
{
    (void)name;
    if (side->sms)
        write_size(out, (double)side->peak_bytes * analysis_latency_s / side->sms);
}

static void write_has(struct text *out, const struct compare_side *side, const char *name)
{
    if (*side->has)
        text_adds(out, strstr(side->has, name) ? "yes" : "no");
}

static void write_variants(struct text *out, const struct compare_side *side, const char *name)
{
    (void)name;
    write_count(out, (double)side->variants);
}

static const struct fact {
    const char *name;
    write_fact *write;
} facts[] = {
    {"SMs", write_sms},
    {"warps on an SM", write_warps},
    {"blocks on an SM", write_blocks},
    {"registers of an SM", write_registers},
    {"shared memory of an SM", write_shared},
    {"L2 cache", write_l2},
    {"peak GB/s", write_peak},
    {"bytes for an SM in a clock", write_balance},
    {"wanted in flight on an SM", write_wanted},
    {"redux", write_has},
    {"cp.async", write_has},
    {"bulk copies", write_has},
    {"clusters", write_has},
    {"32-byte loads", write_has},
    {"variants that its rules allow", write_variants},
};
enum { FACTS = sizeof facts / sizeof *facts };

static void dispose(struct text cells[COMPARE_SIDES_MAX], size_t count)
{
    for (size_t s = 0; s < count; s++)
        text_dispose(&cells[s]);
}

/* Is it the same, and known, of all? */
static bool is_alike(const struct text cells[COMPARE_SIDES_MAX], size_t count)
{
    for (size_t s = 0; s < count; s++)
        if (!cells[s].at || strcmp(cells[s].at, cells[0].at) != 0)
            return false;
    return true;
}

static void add_fact(struct table *table, struct text *alike, const struct compare *compare,
                     const struct fact *fact)
{
    struct text cells[COMPARE_SIDES_MAX] = {{0}};
    const size_t count = compare->side_count;
    for (size_t s = 0; s < count; s++)
        fact->write(&cells[s], &compare->sides[s], fact->name);
    if (is_alike(cells, count)) {
        text_addf(alike, "%s%s %s", alike->length ? "; " : "", fact->name, cells[0].at);
    } else {
        table_add(table, fact->name);
        for (size_t s = 0; s < count; s++)
            table_add(table, cells[s].at);
    }
    dispose(cells, count);
}

void compare_port(struct text *out, const struct compare *compare, bool bold_titles)
{
    struct table_column columns[1 + COMPARE_SIDES_MAX] = {{"what decides a port", NULL, false}};
    struct table table = {.columns = columns, .column_count = 1 + compare->side_count};
    struct text alike = {0};
    for (size_t s = 0; s < compare->side_count; s++)
        columns[1 + s] = (struct table_column){compare->sides[s].name, NULL, true};
    for (size_t i = 0; i < FACTS; i++)
        add_fact(&table, &alike, compare, &facts[i]);
    if (table.row_count)
        table_show(out, &table, bold_titles);
    if (alike.length)
        sentence_end(out, "alike", &alike);
    text_dispose(&alike);
    table_dispose(&table);
}

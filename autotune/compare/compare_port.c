/* compare_port: writes what decides a port: a table with a row for each fact and a cell for each GPU,
 * and sentences on instructions that some lack and on what all have alike. */
#include "autotune/compare/compare_port.h"

#include "autotune/print/figures.h"
#include "autotune/print/sentence.h"
#include "autotune/print/table_fit.h"

#include <string.h>

static double sms_of(const struct compare_side *side)
{
    return side->sms;
}

static double warps_of(const struct compare_side *side)
{
    const int warps = side->limits.threads / OCCUPANCY_WARP;
    return warps;
}

static double blocks_of(const struct compare_side *side)
{
    return side->limits.blocks;
}

static double registers_of(const struct compare_side *side)
{
    return side->limits.registers;
}

static double shared_of(const struct compare_side *side)
{
    return (double)side->limits.shared;
}

static double l2_of(const struct compare_side *side)
{
    return (double)side->l2_bytes;
}

static double peak_of(const struct compare_side *side)
{
    return (double)side->peak_bytes / 1e9;
}

static double balance_of(const struct compare_side *side)
{
    const double clocks = side->sms * side->clock_khz * 1e3;
    return clocks > 0 ? (double)side->peak_bytes / clocks : 0;
}

static double variants_of(const struct compare_side *side)
{
    return (double)side->variants;
}

/* A number, 0 where it is not known, and how it is written. */
static const struct fact {
    const char *name;
    double (*number)(const struct compare_side *side);
    enum { WHOLE, TENTHS, BYTES } written;
} facts[] = {
    {"SMs", sms_of, WHOLE},
    {"warps on an SM", warps_of, WHOLE},
    {"blocks on an SM", blocks_of, WHOLE},
    {"registers of an SM", registers_of, WHOLE},
    {"shared memory of an SM", shared_of, BYTES},
    {"L2 cache", l2_of, BYTES},
    {"peak of memory, GB/s", peak_of, WHOLE},
    {"bytes for an SM in a clock", balance_of, TENTHS},
    {"kernel variants that run there", variants_of, WHOLE},
};
enum { FACTS = sizeof facts / sizeof *facts };

/* Nothing where it is not known. */
static void write_fact(struct text *out, const struct fact *fact,
                       const struct compare_side *side)
{
    char size[NUMBER_CHARS];
    const double number = fact->number(side);
    if (number > 0 && fact->written == BYTES)
        text_adds(out, figures_size(size, number));
    else if (number > 0)
        text_addf(out, "%.*f", fact->written == TENTHS, number);
}

static void dispose(struct text cells[COMPARE_SIDES_MAX], size_t count)
{
    for (size_t s = 0; s < count; s++)
        text_dispose(&cells[s]);
}

static bool is_known(const struct text cells[COMPARE_SIDES_MAX], size_t count)
{
    for (size_t s = 0; s < count; s++)
        if (cells[s].length)
            return true;
    return false;
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
        write_fact(&cells[s], fact, &compare->sides[s]);
    if (is_alike(cells, count)) {
        text_addf(alike, "%s%s %s", alike->length ? "; " : "", fact->name, cells[0].at);
    } else if (is_known(cells, count)) {
        table_add(table, fact->name);
        for (size_t s = 0; s < count; s++)
            table_add(table, cells[s].length ? cells[s].at : "unknown");
    }
    dispose(cells, count);
}

/* --- Instructions ------------------------------------------------------------------------- */

/* Appends the instructions that this GPU has, or lacks, of those that some GPU here has. */
static void add_instructions(struct text *out, const struct compare *compare, size_t side,
                             bool has)
{
    for (size_t i = 0; i < GPUS_INSTRUCTIONS; i++) {
        const char *const name = gpus_instruction_names[i];
        bool is_any = false;
        for (size_t s = 0; s < compare->side_count; s++)
            is_any |= strstr(compare->sides[s].has, name) != NULL;
        if (is_any && (strstr(compare->sides[side].has, name) != NULL) == has)
            text_addf(out, "%s%s", out->length ? ", " : "", name);
    }
}

void compare_port_lacks(struct text *out, const struct compare *compare)
{
    struct text text = {0};
    for (size_t s = 0; s < compare->side_count; s++) {
        struct text lacks = {0};
        if (*compare->sides[s].has)
            add_instructions(&lacks, compare, s, false);
        if (lacks.length)
            text_addf(&text, "%s%s: %s", text.length ? "; " : "", compare->sides[s].name,
                      lacks.at);
        text_dispose(&lacks);
    }
    if (text.length)
        sentence_end(out, "lacks", &text);
}

/* Those that the first GPU has, and all others. */
static void add_common(struct text *alike, const struct compare *compare)
{
    size_t count = 0;
    for (size_t i = 0; i < GPUS_INSTRUCTIONS; i++) {
        bool is_of_all = true;
        for (size_t s = 0; s < compare->side_count; s++)
            is_of_all &= strstr(compare->sides[s].has, gpus_instruction_names[i]) != NULL;
        if (is_of_all)
            text_addf(alike, "%s%s",
                      count++         ? ", "
                      : alike->length ? "; instructions "
                                      : "instructions ",
                      gpus_instruction_names[i]);
    }
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
    compare_port_lacks(out, compare);
    add_common(&alike, compare);
    if (alike.length)
        sentence_end(out, "alike", &alike);
    else
        text_dispose(&alike);
    table_dispose(&table);
}

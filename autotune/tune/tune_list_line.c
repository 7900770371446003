/* tune_list_line: has the columns of the table and the names of outcomes, and counts these. */
#include "autotune/tune/tune_list_line.h"

#include "autotune/cli/record_cells.h"
#include "autotune/print/figures.h"

#include <inttypes.h>
#include <string.h>

/* clang-format off */
static const struct table_column columns[] = {
    {NULL, "line", true},    {NULL, "gpu", false},     {NULL, "op", false},
    {NULL, "type", false},   {NULL, "acc", false},     {NULL, "n", true},
    {NULL, "regime", false}, {NULL, "order", false},   {NULL, "us", true},
    {NULL, "gbs", true},     {NULL, "result", false},  {NULL, "seconds", true},
    {NULL, "params", false}, {NULL, "error", false},   DIMS_TEXT_COLUMNS,
    {NULL, "default_us", true}, {NULL, "shipped_us", true},
};
/* clang-format on */
enum { COLUMNS = sizeof columns / sizeof *columns };

static const char *const outcomes[LIST_OUTCOMES] = {"tuned", "recorded", "known", "failed"};

enum list_outcome tune_list_line_outcome(const char *name)
{
    int found = 0;
    while (found < LIST_OUTCOMES && strcmp(outcomes[found], name) != 0)
        found++;
    return (enum list_outcome)found;
}

static void add_cells(struct table *table, const struct tune_list_line *line)
{
    const struct record *record = line->record;
    const struct problem *problem = &record->problem;
    const bool is_timed = line->outcome != LIST_FAILED;
    char us[NUMBER_CHARS];
    table_addf(table, "%zu", line->place + 1);
    record_cells_add_problem(table, record);
    table_addf(table, "%" PRIu64, dims_n(&problem->dims));
    table_add(table, problem_regimes[problem->regime]);
    table_add(table, problem_orders[problem->order].name);
    table_add(table, is_timed ? figures_us(us, record->median_ps) : NULL);
    table_add_number(table, is_timed, 3, figures_gbs(problem, record->median_ps));
    table_add(table, outcomes[line->outcome]);
    table_addf(table, "%.3f", line->seconds);
    table_add(table, is_timed ? record->params : NULL);
    table_add(table, line->cause ? line->cause->text : NULL);
    record_cells_add_dims(table, record);
    table_add(table,
              is_timed && record->default_ps ? figures_us(us, record->default_ps) : NULL);
    table_add(table,
              is_timed && record->shipped_ps ? figures_us(us, record->shipped_ps) : NULL);
}

static void add_speed(struct text *out, const struct record *record)
{
    char us[NUMBER_CHARS], speed[NUMBER_CHARS];
    text_addf(out, "  %11s us %8s GB/s  ", figures_us(us, record->median_ps),
              figures_speed(speed, figures_gbs(&record->problem, record->median_ps)));
}

static void add_text(struct text *out, const struct tune_list_line *line)
{
    char problem[PROBLEM_CHARS];
    text_addf(out, "%zu of %zu  %-24s", line->place + 1, line->count,
              problem_format(problem, &line->record->problem));
    if (line->names_gpu)
        text_addf(out, " on %s", line->record->gpu);
    if (line->outcome != LIST_FAILED)
        add_speed(out, line->record);
    if (line->outcome == LIST_TUNED)
        text_addf(out, "tuned in %.2f s", line->seconds);
    else if (line->outcome == LIST_FAILED)
        text_addf(out, "  failed: %s", line->cause->text);
    else
        text_adds(out, line->outcome == LIST_KNOWN ? "known" : "from its journal");
    if (line->host)
        text_addf(out, " on %s", line->host);
    text_adds(out, "\n");
}

void tune_list_lines_open(struct tune_list_lines *out, const struct output *output)
{
    *out = (struct tune_list_lines){.output = output,
                                    .table = {.columns = columns, .column_count = COLUMNS},
                                    .csv = {.path = output->csv}};
}

void tune_list_lines_dispose(struct tune_list_lines *lines)
{
    table_dispose(&lines->table);
}

int tune_list_lines_add(struct tune_list_lines *lines, const struct tune_list_line *line,
                        struct error *error)
{
    struct text text = {0};
    struct error second;
    lines->counts[line->outcome]++;
    if (line->outcome == LIST_FAILED && lines->first.code == ERROR_NONE)
        lines->first = *line->cause;
    add_text(&text, line);
    add_cells(&lines->table, line);
    const int failed = output_is_taken(lines->output) ? 0 : output_text(&text, error);
    text_dispose(&text);
    return output_rows_write(&lines->csv, &lines->table, failed ? &second : error) || failed
               ? -1
               : 0;
}

int tune_list_lines_end(struct tune_list_lines *lines, int failed, struct error *error)
{
    failed = output_rows_end(&lines->csv, lines->output, &lines->table, failed, error);
    if (!failed && lines->counts[LIST_FAILED])
        failed = error_set_lines(error, lines->first.code,
                                 "%zu of %zu problems failed, the first because: %s",
                                 lines->counts[LIST_FAILED], lines->table.row_count,
                                 lines->first.text);
    return failed;
}

/* published_show: loads each document that is built in, and prints the kernels chosen from
 * it, whole or at the sizes that were measured. */
#include "autotune/command/published_show.h"

#include "autotune/cli/output.h"
#include "autotune/compare/published_check.h"
#include "autotune/compare/published_print.h"
#include "autotune/embedded.h"
#include "autotune/ladder/ladder_rung.h"
#include "autotune/print/table_fit.h"
#include "autotune/print/terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char folder[] = "configs/published/";

struct choice {
    bool is_all;
    struct rungs rungs; /* unless it is all */
    bool is_chosen[RUNGS_MAX];
};

static int choose(struct choice *choice, const struct ladder_request *asked,
                  struct error *error)
{
    int failed = 0;
    *choice = (struct choice){.is_all = !asked || asked->rung_count == 0};
    if (choice->is_all)
        return 0;
    if (ladder_rung_list(&choice->rungs, error))
        return -1;
    for (size_t i = 0; i < asked->rung_count && !failed; i++)
        failed = rungs_choose(&choice->rungs, asked->rungs[i], choice->is_chosen, error);
    if (failed)
        rungs_dispose(&choice->rungs);
    return failed;
}

static bool is_chosen(const struct choice *choice, const char *rung)
{
    for (size_t i = 0; rung && i < choice->rungs.count; i++)
        if (choice->is_chosen[i] && strcmp(choice->rungs.rungs[i].name, rung) == 0)
            return true;
    return choice->is_all;
}

/* Both forms of what is shown. */
struct forms {
    struct text text;
    struct table table;
    const struct choice *choice;
};

/* Adds the chosen kernels of a document to both forms. */
static void add_kernels(const struct published *published, void *context)
{
    struct forms *forms = context;
    bool is_shown[PUBLISHED_KERNELS_MAX], is_any = false;
    for (size_t k = 0; k < published->kernel_count; k++) {
        is_shown[k] = is_chosen(forms->choice, published->kernels[k].rung);
        is_any |= is_shown[k];
    }
    if (!is_any)
        return;
    text_adds(&forms->text, forms->text.length ? "\n" : "");
    published_print(&forms->text, published, is_shown, terminal_has_color(stdout));
    published_print_add(&forms->table, published, is_shown);
}

/* Calls `take` with each document that the program has, one at a time. */
static int for_each_document(void (*take)(const struct published *published, void *context),
                             void *context, struct error *error)
{
    struct published *published = malloc(sizeof *published);
    int failed = published ? 0 : error_memory(error, sizeof *published);
    for (const struct embedded *file = NULL; !failed && (file = embedded_next(file, folder));) {
        failed = published_load(published, file->name, file->bytes, file->length, error);
        if (failed)
            break;
        take(published, context);
        published_dispose(published);
    }
    free(published);
    return failed;
}

int published_show(const struct request *request, const struct ladder_request *asked,
                   struct error *error)
{
    struct choice choice;
    struct forms forms = {.choice = &choice};
    if (choose(&choice, asked, error))
        return -1;
    published_print_init(&forms.table);
    int failed = for_each_document(add_kernels, &forms, error);
    if (!failed && forms.table.row_count == 0)
        failed = error_set(error, ERROR_USAGE,
                           "no document gives figures of a rung that was chosen: "
                           "'autotune list published' has all figures");
    failed = failed || output_forms(&request->out, &forms.text, &forms.table, NULL, error);
    table_dispose(&forms.table);
    text_dispose(&forms.text);
    if (!choice.is_all)
        rungs_dispose(&choice.rungs);
    return failed ? -1 : 0;
}

struct checked {
    struct text text;
    struct table table;
    struct error error;
    bool failed;
};

static void add_check(const struct published *published, void *context)
{
    struct checked *checked = context;
    text_adds(&checked->text, checked->text.length ? "\n" : "");
    if (!checked->failed)
        checked->failed = published_check(&checked->text, &checked->table, published,
                                          terminal_has_color(stdout), &checked->error) != 0;
}

int published_show_check(const struct request *request, struct error *error)
{
    struct checked checked = {.failed = false};
    published_check_init(&checked.table);
    int failed = for_each_document(add_check, &checked, error);
    if (!failed && checked.failed) {
        *error = checked.error;
        failed = -1;
    }
    text_adds(&checked.text, "\n");
    published_check_legend(&checked.text);
    failed = failed || output_forms(&request->out, &checked.text, &checked.table, NULL, error);
    table_dispose(&checked.table);
    text_dispose(&checked.text);
    return failed ? -1 : 0;
}

/* --- Beside what was measured ------------------------------------------------------------- */

enum { BESIDE_COLUMNS = 6 };

static bool is_size(const struct published *published, const struct published_figure *figure,
                    const struct dims *sizes, size_t count)
{
    const uint64_t n = published_n(published, figure);
    for (size_t i = 0; i < count; i++) {
        const struct problem problem = {.dims = sizes[i]};
        if (published_is_size(n, dims_n(&sizes[i])) &&
            figure->at[PUBLISHED_ROW].digits == published_row(&problem))
            return true;
    }
    return false;
}

static void add_beside(struct table *table, const struct published *published,
                       const struct published_figure *figure)
{
    const struct published_kernel *kernel = &published->kernels[figure->kernel];
    static const struct {
        enum published_column column;
        const char *before, *behind;
    } others[] = {{PUBLISHED_THREADS, "blocks of ", ""},
                  {PUBLISHED_GBS, "", " GB/s"},
                  {PUBLISHED_CPU_MS, "its CPU ", " ms"},
                  {PUBLISHED_CPU_RATIO, "", " times the CPU's speed"}};
    char word[NUMBER_CHARS];
    struct text with = {0};
    table_add(table, kernel->rung);
    table_addf(table, "%" PRIu64, published_n(published, figure));
    table_add(table, problem_types[kernel->problem.type].name);
    table_add(table, published_time(word, figure));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct published_number *number = &figure->at[others[i].column];
        if (number->is_there)
            text_addf(&with, "%s%s%s%s", with.length ? ", " : "", others[i].before,
                      published_write(word, number), others[i].behind);
    }
    table_add(table, with.at);
    table->failed |= with.failed;
    text_dispose(&with);
    table_addf(table, "%s on %s", published->source, published->gpu_name);
}

struct beside {
    struct table table;
    const struct choice *choice;
    const struct operation *op;
    const struct dims *sizes;
    size_t count;
};

static void add_those_beside(const struct published *published, void *context)
{
    struct beside *beside = context;
    for (size_t i = 0; i < published->figure_count; i++) {
        const struct published_figure *figure = &published->figures[i];
        const struct published_kernel *kernel = &published->kernels[figure->kernel];
        if (!figure->ps || !kernel->rung || !is_chosen(beside->choice, kernel->rung) ||
            kernel->problem.op != beside->op ||
            !is_size(published, figure, beside->sizes, beside->count) ||
            published_fastest(published, figure) != figure)
            continue;
        add_beside(&beside->table, published, figure);
    }
}

int published_beside(struct text *out, const struct rungs *rungs,
                     const bool is_chosen_there[RUNGS_MAX], const struct operation *op,
                     const struct dims *sizes, size_t count, struct error *error)
{
    static const struct table_column titles[BESIDE_COLUMNS] = {{"published", NULL, false},
                                                               {"n", NULL, true},
                                                               {"type", NULL, false},
                                                               {"time", NULL, true},
                                                               {"with", NULL, false},
                                                               {"by", NULL, false}};
    struct choice choice = {.rungs = *rungs};
    struct beside beside = {{.columns = titles, .column_count = BESIDE_COLUMNS},
                            &choice,
                            op,
                            sizes,
                            count};
    memcpy(choice.is_chosen, is_chosen_there, sizeof choice.is_chosen);
    const int failed = for_each_document(add_those_beside, &beside, error);
    if (beside.table.row_count) {
        text_adds(out, "\n");
        table_show(out, &beside.table, terminal_has_color(stdout));
        text_adds(
            out, "by documents, of kernels that are alike, on their own GPUs: 'autotune ladder "
                 "--published' has all\n");
    }
    table_dispose(&beside.table);
    return failed ? -1 : 0;
}

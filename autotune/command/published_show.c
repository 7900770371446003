/* published_show: loads each document that is built in, and prints the kernels chosen from
 * it. */
#include "autotune/command/published_show.h"

#include "autotune/cli/output.h"
#include "autotune/compare/published_print.h"
#include "autotune/embedded.h"
#include "autotune/ladder/ladder_rung.h"
#include "autotune/print/terminal.h"

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

/* Adds the chosen kernels of a document to both forms. */
static void add(struct text *text, struct table *table, const struct published *published,
                const struct choice *choice)
{
    bool is_shown[PUBLISHED_KERNELS_MAX], is_any = false;
    for (size_t k = 0; k < published->kernel_count; k++) {
        is_shown[k] = is_chosen(choice, published->kernels[k].rung);
        is_any |= is_shown[k];
    }
    if (!is_any)
        return;
    text_adds(text, text->length ? "\n" : "");
    published_print(text, published, is_shown, terminal_has_color(stdout));
    published_print_add(table, published, is_shown);
}

static int add_all(struct text *text, struct table *table, const struct choice *choice,
                   struct error *error)
{
    struct published *published = malloc(sizeof *published);
    int failed = published ? 0 : error_memory(error, sizeof *published);
    for (const struct embedded *file = NULL; !failed && (file = embedded_next(file, folder));) {
        failed = published_load(published, file->name, file->bytes, file->length, error);
        if (failed)
            break;
        add(text, table, published, choice);
        published_dispose(published);
    }
    free(published);
    return failed;
}

int published_show(const struct request *request, const struct ladder_request *asked,
                   struct error *error)
{
    struct text text = {0};
    struct table table;
    struct choice choice;
    if (choose(&choice, asked, error))
        return -1;
    published_print_init(&table);
    int failed = add_all(&text, &table, &choice, error);
    if (!failed && table.row_count == 0)
        failed = error_set(error, ERROR_USAGE,
                           "no document gives figures of a rung that was chosen: "
                           "'autotune list published' has all figures");
    failed = failed || output_forms(request, &text, &table, NULL, error);
    table_dispose(&table);
    text_dispose(&text);
    if (!choice.is_all)
        rungs_dispose(&choice.rungs);
    return failed ? -1 : 0;
}

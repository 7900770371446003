/* ladder_grid: writes the list as a rungs file would have it, and reads that: a grid is then
 * verified, measured and shown as any ladder. */
#include "autotune/ladder/ladder_grid.h"

#include "autotune/ladder/ladder_rung.h"
#include "generator/dims_text.h"

#include <inttypes.h>
#include <string.h>

/* The param of the rung's space that is elements per thread; NULL = it has none. */
static const struct param *find_items(const struct rungs *list, const struct ladder_rung *rung)
{
    const int index =
        list->items ? space_find_param(rung->space, list->items, strlen(list->items)) : -1;
    return index < 0 ? NULL : &rung->space->params[index];
}

static bool is_first_of_space(const struct rungs *list, const bool is_chosen[RUNGS_MAX],
                              size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (is_chosen[i] && strcmp(list->rungs[i].space, list->rungs[index].space) == 0)
            return false;
    return true;
}

static void add_group(struct text *out, const struct rung *rung, const struct param *items)
{
    text_addf(out, "[group grid-%s]\ntitle = Grid of ladder/%s, the kernel of %s\n",
              rung->space, rung->space, rung->name);
    for (size_t i = 0; i < items->count; i++)
        text_addf(out,
                  "[rung %s-%" PRId64 "]\nkernel = %" PRId64
                  " elements per thread\nspace = %s\nparams = %s=%" PRId64 "\n",
                  rung->space, items->values[i], items->values[i], rung->space, items->name,
                  items->values[i]);
}

/* Appends the group of the rung's space, if it has the param. */
static int add_space(struct text *out, const struct rungs *list, const struct rung *rung,
                     struct error *error)
{
    struct ladder_rung opened;
    if (ladder_rung_open(&opened, list, rung, error))
        return -1;
    const struct param *items = find_items(list, &opened);
    if (items)
        add_group(out, rung, items);
    ladder_rung_close(&opened);
    return 0;
}

/* Sets the error, and names a rung that would do. */
static int refuse(const struct rungs *list, struct error *error)
{
    struct problem usual = {.op = SUM, .type = F32, .acc = F32};
    for (size_t i = 0; i < list->count; i++) {
        struct ladder_rung opened;
        if (ladder_rung_open(&opened, list, &list->rungs[i], error))
            return -1;
        const bool has_items = find_items(list, &opened);
        ladder_rung_dims(&opened, &usual);
        ladder_rung_close(&opened);
        if (has_items)
            return error_set(
                error, ERROR_USAGE,
                "--grid: no rung that was chosen has a param %s, elements per "
                "thread: %.60s has, so give --rung %.60s and %s, or leave --grid out",
                list->items, list->rungs[i].name, list->rungs[i].name,
                dims_text_option_names(&usual.dims));
    }
    return error_set(error, ERROR_USAGE,
                     "--grid: no rung has a param for elements per thread: leave --grid out");
}

/* Reads the list, and replaces the other by it. */
static int take_list(struct rungs *list, bool is_chosen[RUNGS_MAX], const struct text *text,
                     struct error *error)
{
    struct rungs grid;
    if (rungs_load(&grid, "the grid's list", text->at, text->length, error))
        return -1;
    rungs_dispose(list);
    *list = grid;
    for (size_t i = 0; i < RUNGS_MAX; i++)
        is_chosen[i] = i < grid.count;
    return 0;
}

int ladder_grid_make(struct rungs *list, bool is_chosen[RUNGS_MAX], struct error *error)
{
    struct text text = {0};
    int failed = 0;
    text_addf(&text, "[ladder]\nthreads = %s\n", list->threads);
    const size_t empty = text.length;
    for (size_t i = 0; i < list->count && !failed; i++)
        if (is_chosen[i] && is_first_of_space(list, is_chosen, i))
            failed = add_space(&text, list, &list->rungs[i], error);
    failed = failed || text_check(&text, error);
    if (!failed)
        failed = text.length == empty ? refuse(list, error)
                                      : take_list(list, is_chosen, &text, error);
    text_dispose(&text);
    return failed ? -1 : 0;
}

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

/* Appends what tells the rung's kernel from others of its space, each value behind `between`:
 * its params but for those of the grid, where they are not the space's default. */
static void add_others(struct text *out, const struct ladder_rung *rung,
                       const struct param *items, const char *between, bool is_named)
{
    const struct space *space = rung->space;
    for (size_t p = 0; p < space->param_count; p++) {
        const struct param *param = &space->params[p];
        if (param == items || (int)p == rung->threads ||
            rung->config[p] == space->default_config[p])
            continue;
        text_adds(out, between);
        if (is_named)
            text_addf(out, "%s=", param->name);
        point_format_value(out, param, rung->config[p]);
    }
}

static void add_group(struct text *out, const struct ladder_rung *rung,
                      const struct param *items, const char *kernel)
{
    const char *space = rung->listed->space;
    text_addf(out, "[group grid-%s]\ntitle = Grid of ladder/%s, the kernel of %s\n", kernel,
              space, rung->listed->name);
    for (size_t i = 0; i < items->count; i++) {
        text_addf(out,
                  "[rung %s-%" PRId64 "]\nkernel = %" PRId64
                  " elements per thread\nspace = %s\nparams = %s=%" PRId64,
                  kernel, items->values[i], items->values[i], space, items->name,
                  items->values[i]);
        add_others(out, rung, items, " ", true);
        text_adds(out, "\n");
    }
}

/* Appends the group of the rung's kernel, if it has the param and is not there yet. */
static int add_kernel(struct text *out, const struct rungs *list, const struct rung *rung,
                      struct error *error)
{
    struct ladder_rung opened;
    struct text kernel = {0}, title = {0};
    if (ladder_rung_open(&opened, list, rung, error))
        return -1;
    const struct param *items = find_items(list, &opened);
    text_adds(&kernel, rung->space);
    add_others(&kernel, &opened, items, "-", false);
    text_addf(&title, "[group grid-%s]", kernel.at ? kernel.at : "");
    const int failed = text_check(&kernel, error) || text_check(&title, error);
    if (!failed && items && !strstr(out->at, title.at))
        add_group(out, &opened, items, kernel.at);
    text_dispose(&kernel);
    text_dispose(&title);
    ladder_rung_close(&opened);
    return failed ? -1 : 0;
}

/* Sets the error, and names a rung that would do. */
static int refuse(const struct rungs *list, struct error *error)
{
    struct problem usual = {.op = operation_usual(), .type = F32, .acc = F32};
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
        if (is_chosen[i])
            failed =
                text_check(&text, error) || add_kernel(&text, list, &list->rungs[i], error);
    failed = failed || text_check(&text, error);
    if (!failed)
        failed = text.length == empty ? refuse(list, error)
                                      : take_list(list, is_chosen, &text, error);
    text_dispose(&text);
    return failed ? -1 : 0;
}

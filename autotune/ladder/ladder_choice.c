/* ladder_choice: looks up names, expands groups and grids, and leaves out or refuses rungs that
 * do not fit the problem's shape. */
#include "autotune/ladder/ladder_choice.h"

#include "autotune/ladder/ladder_grid.h"
#include "generator/dims_text.h"
#include "generator/number.h"

#include <stdio.h>
#include <string.h>

static int refuse_blocks(const char *value, struct error *error)
{
    return error_set(error, ERROR_USAGE,
                     "--blocks is '%.100s': give threads per block, as 128, 64,256 or 32..1024 "
                     "(each twice the one before), at most %d sizes up to 1024",
                     value, LADDER_COLUMNS_MAX);
}

static bool has_block(const struct ladder_choice *choice, uint64_t threads)
{
    for (size_t i = 0; i < choice->block_count; i++)
        if (choice->blocks[i] == threads)
            return true;
    return false;
}

static int read_blocks(struct ladder_choice *choice, const char *value, struct error *error)
{
    for (const char *at = value; at;) {
        char word[NUMBER_CHARS];
        uint64_t low, high;
        text_next_item(&at, word, sizeof word);
        if (number_parse_range(&low, &high, word, "--blocks", error) || low == 0 || high > 1024)
            return refuse_blocks(value, error);
        for (uint64_t threads = low; threads <= high; threads *= 2) {
            if (has_block(choice, threads))
                continue;
            if (choice->block_count == LADDER_COLUMNS_MAX)
                return refuse_blocks(value, error);
            choice->blocks[choice->block_count++] = (unsigned)threads;
        }
    }
    return 0;
}

static int choose_rungs(struct ladder_choice *choice, const struct request *request,
                        struct error *error)
{
    const struct ladder_request *own = request->own;
    const char *blocks = own->blocks ? own->blocks : own->grid ? LADDER_GRID_BLOCKS : NULL;
    if (ladder_rung_list(&choice->rungs, error))
        return -1;
    for (size_t i = 0; i < choice->rungs.count; i++)
        choice->is_chosen[i] = own->rung_count == 0;
    for (size_t i = 0; i < own->rung_count; i++)
        if (rungs_choose(&choice->rungs, own->rungs[i], choice->is_chosen, error))
            return -1;
    if (own->grid && ladder_grid_make(&choice->rungs, choice->is_chosen, error))
        return -1;
    for (size_t i = 0; i < choice->rungs.count; i++)
        if (choice->is_chosen[i] && ladder_rung_open(&choice->opened[i], &choice->rungs,
                                                     &choice->rungs.rungs[i], error))
            return -1;
    return blocks ? read_blocks(choice, blocks, error) : 0;
}

/* Without a size: the one that the first named rung is for, unless that is one value or one scan,
 * whose n the device decides. */
static void take_usual(const struct ladder_choice *choice, struct request *request)
{
    const struct ladder_rung *rung;
    size_t first = 0;
    while (first + 1 < choice->rungs.count && !choice->is_chosen[first])
        first++;
    rung = &choice->opened[first];
    if (ladder_rung_serves(rung, &request->problem))
        return;
    ladder_rung_dims(rung, &request->problem);
    const struct dims *dims = &request->problem.dims;
    const struct dims run = dims_run(dims_n(dims), dims->scan);
    request->has_n = !dims_is_same(dims, &run);
}

/* Rungs of one value and of several are not run together: without --rung, only those that fit
 * the requested dims. */
static int match_dims(struct ladder_choice *choice, struct request *request,
                      struct error *error)
{
    const struct ladder_request *own = request->own;
    const bool is_listed = own->rung_count > 0;
    const struct dims *dims = &request->problem.dims;
    if (is_listed && !request->has_n)
        take_usual(choice, request);
    for (size_t i = 0; i < choice->rungs.count; i++) {
        if (!choice->is_chosen[i])
            continue;
        if (is_listed && ladder_rung_match(&choice->opened[i], &request->problem, error))
            return -1;
        choice->is_chosen[i] = ladder_rung_serves(&choice->opened[i], &request->problem);
    }
    for (size_t i = 0; i < choice->rungs.count; i++)
        if (choice->is_chosen[i])
            return 0;
    return own->grid
               ? error_set(
                     error, ERROR_USAGE,
                     "--grid: no rung that reduces %s has a param for elements per thread: "
                     "give --n for one value, or leave --grid out",
                     dims_text_name(dims))
               : error_set(error, ERROR_USAGE, "no rung reduces %s: give " DIMS_TEXT_INSTEAD,
                           dims_text_name(dims));
}

int ladder_choice_open(struct ladder_choice *out, struct request *request, struct error *error)
{
    return choose_rungs(out, request, error) || match_dims(out, request, error) ? -1 : 0;
}

int ladder_choice_settle(struct ladder_choice *choice, const struct problem *problem,
                         const struct target *target, struct error *error)
{
    for (size_t i = 0; i < choice->rungs.count; i++)
        if (choice->is_chosen[i] &&
            ladder_rung_settle(&choice->opened[i], problem, target, error))
            return -1;
    return 0;
}

void ladder_choice_close(struct ladder_choice *choice)
{
    for (size_t i = 0; i < RUNGS_MAX; i++)
        ladder_rung_close(&choice->opened[i]);
    rungs_dispose(&choice->rungs);
}

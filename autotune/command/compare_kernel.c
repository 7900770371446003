/* compare_kernel: from a record by its space and params, from a published figure by the rung of
 * the ladder that is the same kernel. Hides where their files are looked for. */
#include "autotune/command/compare_kernel.h"

#include "autotune/embedded.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PATH_CHARS = 300 };

static int open_rung(struct compare_kernel *out, const struct compare_winner *winner,
                     const struct rungs *rungs, struct error *error)
{
    const struct published_kernel *kernel = &winner->document->kernels[winner->figure->kernel];
    const uint64_t threads = winner->figure->at[PUBLISHED_THREADS].digits;
    bool is_chosen[RUNGS_MAX] = {false};
    size_t i = 0;
    if (!kernel->rung)
        return error_set(error, ERROR_FAILED, "the ladder has no such kernel");
    if (rungs_choose(rungs, kernel->rung, is_chosen, error))
        return -1;
    while (!is_chosen[i])
        i++;
    if (ladder_rung_open(&out->rung, rungs, &rungs->rungs[i], error))
        return -1;
    if (threads && !ladder_rung_resize(&out->rung, (unsigned)threads))
        return error_set(error, ERROR_FAILED, "the ladder's %s has no blocks of %" PRIu64,
                         kernel->rung, threads);
    return 0;
}

/* The space of this name, with its default for the problem and the target. */
static int open_space(struct compare_kernel *out, const char *name,
                      const struct problem *problem, const struct target *target,
                      struct error *error)
{
    char path[PATH_CHARS];
    snprintf(path, sizeof path, "configs/%.100s.ini", name);
    const struct embedded *file = embedded_find(path);
    if (!file)
        return error_set(error, ERROR_FAILED, "its space %.100s is not built in", name);
    if (space_load(&out->rung.space, file->name, file->bytes, file->length, error) ||
        space_settle_default(out->rung.space, problem, target, error))
        return -1;
    snprintf(path, sizeof path, "templates/%.200s", out->rung.space->template_name);
    const struct embedded *template = embedded_find(path);
    if (!template)
        return error_set(error, ERROR_FAILED, "its template is not built in");
    out->rung.template = (struct emit_file){template->name, template->bytes};
    memcpy(out->rung.row, out->rung.space->default_row,
           out->rung.space->param_count * sizeof *out->rung.row);
    return 0;
}

int compare_kernel_open(struct compare_kernel *out, const struct compare_winner *winner,
                        const struct rungs *rungs, const struct problem *problem,
                        const struct target *target, struct error *error)
{
    const struct embedded *types = embedded_find("templates/types.cu");
    const struct embedded *intrinsics = embedded_find("templates/intrinsics.cu");
    const char *space = winner->record ? winner->record->space : problem_ops[problem->op].space;
    *out = (struct compare_kernel){.rung = {.space = NULL}};
    if ((winner->figure ? open_rung(out, winner, rungs, error)
                        : open_space(out, space, problem, target, error)) ||
        (winner->record &&
         point_parse(out->rung.space, winner->record->params, out->rung.row, error))) {
        compare_kernel_close(out);
        return -1;
    }
    out->sources = (struct emit_sources){
        out->rung.template, {types->name, types->bytes}, {intrinsics->name, intrinsics->bytes}};
    return 0;
}

/* POINT_VALID where another value of this param makes the row valid, which then has the nearest
 * such; else the row is as before. */
static int fit_param(const struct point_context *context, int64_t *row, size_t param,
                     struct error *error)
{
    const struct param *at = &context->space->params[param];
    const int64_t own = row[param];
    size_t place = 0;
    int rejected = 0;
    while (place + 1 < at->count && at->values[place] != own)
        place++;
    for (size_t step = 1; step < at->count && rejected >= 0; step++)
        for (int up = 0; up < 2 && rejected >= 0; up++) {
            if (up ? place + step >= at->count : place < step)
                continue;
            row[param] = at->values[up ? place + step : place - step];
            rejected = point_reject(context, row, error);
        }
    if (rejected != POINT_VALID)
        row[param] = own;
    return rejected;
}

/* Writes "WARP=SHUFFLE". */
static void name_value(char *out, size_t size, const struct param *param, int64_t value)
{
    struct text text = {0};
    point_format_value(&text, param, value);
    snprintf(out, size, "%s=%s", param->name, text.at ? text.at : "");
    text_dispose(&text);
}

void compare_kernel_fit(struct compare_kernel *kernel, char *changed, size_t size,
                        const struct problem *problem, const struct target *target)
{
    const struct space *space = kernel->rung.space;
    const struct point_context context = {space, problem, target};
    int64_t *const row = kernel->rung.row;
    struct error ignored;
    int rejected = point_reject(&context, row, &ignored);
    snprintf(changed, size, "%s", "");
    for (size_t p = space->param_count; p > 0 && rejected >= 0; p--) {
        rejected = fit_param(&context, row, p - 1, &ignored);
        if (rejected == POINT_VALID)
            name_value(changed, size, &space->params[p - 1], row[p - 1]);
    }
}

void compare_kernel_close(struct compare_kernel *kernel)
{
    ladder_rung_close(&kernel->rung);
}

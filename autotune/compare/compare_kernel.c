/* compare_kernel: finds the kernel of a record by its space and params, and of a published
 * figure by the same rung of the ladder. */
#include "autotune/compare/compare_kernel.h"

#include "autotune/compare/nearest_variant.h"
#include "autotune/library/builtin_spaces.h"

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
    struct builtin_files files;
    const int failed = builtin_files_open(&files, "configs", name, error);
    out->rung.space = files.space;
    out->rung.template = files.sources.template;
    if (failed)
        return error_set(error, ERROR_FAILED, "its space %.100s is not built in", name);
    if (space_settle_default(out->rung.space, problem, target, error))
        return -1;
    memcpy(out->rung.config, out->rung.space->default_config,
           out->rung.space->param_count * sizeof *out->rung.config);
    return 0;
}

int compare_kernel_open(struct compare_kernel *out, const struct compare_winner *winner,
                        const struct rungs *rungs, const struct problem *problem,
                        const struct target *target, struct error *error)
{
    const char *space = winner->record ? winner->record->space : problem_space(problem);
    *out = (struct compare_kernel){.rung = {.space = NULL}};
    if ((winner->figure ? open_rung(out, winner, rungs, error)
                        : open_space(out, space, problem, target, error)) ||
        (winner->record && point_parse_record(out->rung.space, winner->record->params,
                                              out->rung.config, error)) ||
        builtin_files_common(&out->sources, error)) {
        compare_kernel_close(out);
        return -1;
    }
    out->sources.template = out->rung.template;
    return 0;
}

int compare_kernel_fit(struct compare_kernel *kernel, char *changed, size_t size,
                       const struct problem *problem, const struct target *target,
                       struct error *error)
{
    const struct point_context context = {kernel->rung.space, problem, target};
    return nearest_variant(kernel->rung.config, changed, size, &context, error);
}

void compare_kernel_close(struct compare_kernel *kernel)
{
    ladder_rung_close(&kernel->rung);
}

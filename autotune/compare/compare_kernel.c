/* compare_kernel: finds the kernel of a record by its space and params, and of a published
 * figure by the same rung of the ladder. */
#include "autotune/compare/compare_kernel.h"

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
    if (space_load(&out->rung.space, file->name, file->bytes, file->length, embedded_space,
                   error) ||
        space_settle_default(out->rung.space, problem, target, error))
        return -1;
    snprintf(path, sizeof path, "templates/%.200s", out->rung.space->template_name);
    const struct embedded *template = embedded_find(path);
    if (!template)
        return error_set(error, ERROR_FAILED, "its template is not built in");
    out->rung.template = (struct emit_file){template->name, template->bytes};
    memcpy(out->rung.config, out->rung.space->default_config,
           out->rung.space->param_count * sizeof *out->rung.config);
    return 0;
}

int compare_kernel_open(struct compare_kernel *out, const struct compare_winner *winner,
                        const struct rungs *rungs, const struct problem *problem,
                        const struct target *target, struct error *error)
{
    const struct embedded *types = embedded_find("templates/types.cu");
    const struct embedded *intrinsics = embedded_find("templates/intrinsics.cu");
    const char *space = winner->record ? winner->record->space : problem_space(problem);
    *out = (struct compare_kernel){.rung = {.space = NULL}};
    if ((winner->figure ? open_rung(out, winner, rungs, error)
                        : open_space(out, space, problem, target, error)) ||
        (winner->record && point_parse_record(out->rung.space, winner->record->params,
                                              out->rung.config, error))) {
        compare_kernel_close(out);
        return -1;
    }
    out->sources = (struct emit_sources){
        .template = out->rung.template,
        .types = {types->name, types->bytes},
        .intrinsics = {intrinsics->name, intrinsics->bytes},
    };
    return 0;
}

/* The distance of two configs: by the number of params that differ, then by how early these
 * come, then by the values in between; of named values none is nearer than the default's. */
struct distance {
    size_t params, early, steps;
};

static size_t place_of(const struct param *param, int64_t value)
{
    size_t place = 0;
    while (place < param->count && param->values[place] != value)
        place++;
    return place;
}

static size_t count_steps(const struct space *space, size_t p, int64_t from, int64_t to)
{
    const struct param *param = &space->params[p];
    const size_t a = place_of(param, from), b = place_of(param, to);
    return param->symbols ? to != space->default_config[p] : a < b ? b - a : a - b;
}

static struct distance measure(const struct space *space, const int64_t *from,
                               const int64_t *to)
{
    struct distance distance = {0, 0, 0};
    for (size_t p = 0; p < space->param_count; p++) {
        if (from[p] == to[p])
            continue;
        distance.params++;
        distance.early += space->param_count - p;
        distance.steps += count_steps(space, p, from[p], to[p]);
    }
    return distance;
}

static bool is_less(struct distance a, struct distance b)
{
    return a.params != b.params ? a.params < b.params
           : a.early != b.early ? a.early < b.early
                                : a.steps < b.steps;
}

static const int64_t *find_nearest(const struct points *points, const struct space *space,
                                   const int64_t *config)
{
    const int64_t *nearest = points->configs;
    for (size_t i = 1; i < points->count; i++) {
        const int64_t *other = points->configs + i * points->width;
        if (is_less(measure(space, config, other), measure(space, config, nearest)))
            nearest = other;
    }
    return nearest;
}

/* Writes "LOAD=PLAIN STAGES=0": the values of `now` that differ from `config`. */
static void name_changes(char *out, size_t size, const struct space *space,
                         const int64_t *config, const int64_t *now)
{
    struct text text = {0};
    for (size_t p = 0; p < space->param_count; p++) {
        if (config[p] == now[p])
            continue;
        text_addf(&text, "%s%s=", text.length ? " " : "", space->params[p].name);
        point_format_value(&text, &space->params[p], now[p]);
    }
    snprintf(out, size, "%s", text.at ? text.at : "");
    text_dispose(&text);
}

int compare_kernel_fit(struct compare_kernel *kernel, char *changed, size_t size,
                       const struct problem *problem, const struct target *target,
                       struct error *error)
{
    const struct space *space = kernel->rung.space;
    const struct point_context context = {space, problem, target};
    int64_t *const config = kernel->rung.config;
    struct points points;
    struct error why;
    const int rejected = point_reject(&context, config, error);
    snprintf(changed, size, "%s", "");
    if (rejected < 0)
        return rejected == POINT_VALID ? 0 : -1;
    if (point_expand(&points, &context, &why))
        return error_set(error, ERROR_FAILED, "%s has no variant for this GPU: %.500s",
                         space->name, why.text);
    const int64_t *const nearest = find_nearest(&points, space, config);
    name_changes(changed, size, space, config, nearest);
    memcpy(config, nearest, space->param_count * sizeof *config);
    point_dispose(&points);
    return 0;
}

void compare_kernel_close(struct compare_kernel *kernel)
{
    ladder_rung_close(&kernel->rung);
}

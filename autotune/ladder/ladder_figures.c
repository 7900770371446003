/* ladder_figures: runs each kernel on the emulator for its bank conflicts, and compiles it for
 * the GPU for its instruction mix. */
#include "autotune/ladder/ladder_figures.h"

#include "autotune/cli/interrupt.h"
#include "autotune/device/cores.h"
#include "autotune/device/gpus.h"
#include "autotune/device/nvrtc.h"
#include "generator/call.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int take_model(struct ladder_figures *out, const char *name, struct error *error)
{
    struct gpus_model model;
    if (gpus_find_model(&model, name, error))
        return -1;
    snprintf(out->gpu, sizeof out->gpu, "%s", model.label);
    out->target = model.target;
    out->peak_bytes = model.peak_bytes;
    out->clock_khz = model.clock_khz;
    out->blocks = model.blocks_per_us * 1e6;
    return 0;
}

static void take_device(struct ladder_figures *out, const struct device_info *info)
{
    snprintf(out->gpu, sizeof out->gpu, "%s", info->name);
    out->target = info->target;
    out->peak_bytes = device_peak_bytes(info);
    out->clock_khz = info->clock_khz;
}

int ladder_figures_open(struct ladder_figures *out, const struct setup *setup,
                        const struct request *request, struct error *error)
{
    const struct device_info *info = &setup->device->info;
    *out = (struct ladder_figures){.setup = setup, .problem = setup->problem};
    if (!request->has_n)
        out->problem.dims = dims_value(setup_usual_n(false));
    if (request->gpu && !info->target.is_host)
        return error_set(error, ERROR_USAGE,
                         "--gpu %.100s goes with --device host: figures here are of the %s",
                         request->gpu, info->name);
    if (request->gpu && take_model(out, request->gpu, error))
        return -1;
    if (!info->target.is_host)
        take_device(out, info);
    if (*out->gpu && nvrtc_open(&out->nvrtc, request->nvrtc, out->target.cc, &out->why))
        out->nvrtc = NULL;
    return 0;
}

void ladder_figures_close(struct ladder_figures *figures)
{
    if (figures->nvrtc)
        nvrtc_close(figures->nvrtc);
    figures->nvrtc = NULL;
}

static void explain(struct ladder_figures *figures, const struct error *why)
{
    if (figures->why.code == ERROR_NONE)
        figures->why = *why;
}

static void fill(struct ladder_figures *figures, const struct ladder_wanted *wanted)
{
    struct ladder_cell *cell = wanted->cell;
    const struct ladder_rung *rung = wanted->rung;
    const int64_t *config = wanted->config;
    struct emit_sources sources = figures->setup->sources;
    struct error why;
    sources.template = rung->template;
    const struct point_context here = {rung->space, &figures->setup->problem,
                                       &figures->setup->target};
    const struct point_context there = {rung->space, &figures->problem, &figures->target};
    struct analysis_subject subject = {.context = &there,
                                       .sources = &sources,
                                       .config = config,
                                       .peak_bytes = figures->peak_bytes,
                                       .clock_khz = figures->clock_khz,
                                       .nvrtc = figures->nvrtc};
    struct planner_plan plan;
    if (figures->setup->target.is_host && *figures->gpu) {
        if (call_plan(&plan, &there, config, &why))
            explain(figures, &why);
        else
            cell->elements_there = ladder_elements(&plan);
    }
    if (pattern_run(&cell->pattern, &here, &sources, config, &why))
        explain(figures, &why);
    if (!figures->nvrtc)
        return;
    subject.barriers = cell->pattern.barriers;
    if (analysis_run(&cell->analysis, &subject, &why) == 0 && !cell->analysis.is_compiled)
        error_set(&why, ERROR_FAILED, "%s: %.500s", rung->space->file, cell->analysis.why);
    if (!cell->analysis.is_compiled)
        explain(figures, &why);
}

enum { THREADS_MAX = 64 };

/* Every `step`-th cell from `first` on. */
struct share {
    struct ladder_figures figures; /* a copy, with a `why` of its own */
    const struct ladder_wanted *wanted;
    size_t count, first, step;
};

static void *fill_share(void *argument)
{
    struct share *share = argument;
    for (size_t i = share->first; i < share->count && !interrupt_came(); i += share->step)
        fill(&share->figures, &share->wanted[i]);
    return NULL;
}

/* A share without a thread is filled in by this one. */
void ladder_figures_fill(struct ladder_figures *figures, const struct ladder_wanted *wanted,
                         size_t count)
{
    const size_t cores = cores_own();
    const size_t most = cores < THREADS_MAX ? cores : THREADS_MAX;
    const size_t step = most < count ? most : count;
    struct share *shares = malloc(step * sizeof *shares);
    pthread_t threads[THREADS_MAX];
    bool is_beside[THREADS_MAX] = {false};
    if (!shares && step) {
        struct error why;
        error_memory(&why, step * sizeof *shares);
        explain(figures, &why);
        return;
    }
    for (size_t i = 0; i < step; i++) {
        shares[i] = (struct share){*figures, wanted, count, i, step};
        is_beside[i] = pthread_create(&threads[i], NULL, fill_share, &shares[i]) == 0;
        if (!is_beside[i])
            fill_share(&shares[i]);
    }
    for (size_t i = 0; i < step; i++) {
        if (is_beside[i])
            pthread_join(threads[i], NULL);
        if (shares[i].figures.why.code != ERROR_NONE)
            explain(figures, &shares[i].figures.why);
    }
    free(shares);
}

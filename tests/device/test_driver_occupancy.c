/* Proves the computed occupancy against the driver: test_driver_occupancy DEVICE [SPACE]. Every
 * variant of the space (reduce) for a few problems is compiled, read from its machine code,
 * loaded, and asked about: registers, shared and local memory, and how many blocks an SM holds
 * must be what the driver says. A plain program, so that it runs where no test library is. Exit
 * code 0 = all were equal, 69 = there is no such device, or it has no occupancy (the host). */
#include "autotune/device/cubin.h"
#include "autotune/device/device.h"
#include "autotune/device/gpus.h"
#include "autotune/embedded.h"
#include "generator/call.h"
#include "generator/emit.h"
#include "tests/unit/named_op.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNIT = 16, SHOWN = 20 };

/* A kernel of a variant, and the launch that it gets. */
struct item {
    const char *text;
    unsigned block, shared_bytes;
};

struct run {
    struct device *device;
    struct space *space;
    struct emit_sources sources;
    struct occupancy_limits limits;
    struct item items[UNIT + SPACE_PASSES_MAX];
    struct emit_variant variants[UNIT];
    size_t item_count, variant_count;
    uint64_t kernels, limited[OCCUPANCY_LIMITERS], wrong;
};

static int fail(const char *what, const struct error *error)
{
    fprintf(stderr, "FAILED: %s: %s\n", what, error->text);
    return -1;
}

/* --- One unit ------------------------------------------------------------------------------
 */

static void complain(struct run *run, const struct item *item, const char *what, int64_t got,
                     int64_t want)
{
    if (run->wrong++ < SHOWN)
        printf("WRONG: %s: computed %" PRId64 ", the driver says %" PRId64
               "; block %u, %u dynamic bytes\n%.300s\n",
               what, got, want, item->block, item->shared_bytes, item->text);
}

static int compare(struct run *run, const struct item *item, const struct device_image *image,
                   size_t i, const struct device_kernel *kernel)
{
    struct cubin_needs needs = {0};
    struct occupancy occupancy;
    struct error error;
    int blocks;
    if (run->device->ops->occupancy(run->device, kernel, item->block, item->shared_bytes,
                                    &blocks, &error))
        return fail("asking the driver", &error);
    if (!image->is_ptx && !cubin_needs(&needs, image->bytes, image->size, image->names[i]))
        complain(run, item, "nothing can be read of the machine code", 0, kernel->registers);
    else if (!image->is_ptx && needs.registers != kernel->registers)
        complain(run, item, "registers", needs.registers, kernel->registers);
    else if (!image->is_ptx && needs.shared_bytes != kernel->shared_bytes)
        complain(run, item, "static shared memory", needs.shared_bytes, kernel->shared_bytes);
    else if (!image->is_ptx && needs.local_bytes != kernel->local_bytes)
        complain(run, item, "local memory", needs.local_bytes, kernel->local_bytes);
    const struct occupancy_kernel wants = {(int)item->block, kernel->registers,
                                           kernel->shared_bytes + item->shared_bytes};
    occupancy_compute(&occupancy, &run->limits, &wants);
    if (occupancy.blocks != blocks)
        complain(run, item, "blocks on an SM", occupancy.blocks, blocks);
    run->limited[occupancy.limiter]++;
    run->kernels++;
    return 0;
}

/* Compiles what has gathered, and compares each kernel. */
static int flush(struct run *run)
{
    const struct device_ops *ops = run->device->ops;
    struct device_source sources[UNIT + SPACE_PASSES_MAX];
    struct device_kernel kernels[UNIT + SPACE_PASSES_MAX];
    struct device_image image = {0};
    struct device_module *module;
    struct error error;
    int failed = 0;
    for (size_t i = 0; i < run->item_count; i++)
        sources[i] = (struct device_source){run->items[i].text, run->space->kernel};
    if (run->item_count && ops->compile(run->device, sources, run->item_count, &image, &error))
        return fail("compile", &error);
    if (run->item_count && ops->load(run->device, &image, &module, kernels, &error)) {
        device_dispose_image(&image);
        return fail("load", &error);
    }
    for (size_t i = 0; i < run->item_count && !failed; i++)
        failed = compare(run, &run->items[i], &image, i, &kernels[i]);
    if (run->item_count)
        ops->unload(run->device, module);
    device_dispose_image(&image);
    for (size_t i = 0; i < run->variant_count; i++)
        emit_dispose(&run->variants[i]);
    run->item_count = run->variant_count = 0;
    return failed;
}

/* --- Every variant -------------------------------------------------------------------------
 */

/* Each pass that applies, but those that share a kernel and its launch. */
static int add_variant(struct run *run, const struct point_context *context, const int64_t *row)
{
    struct emit_variant *variant = &run->variants[run->variant_count];
    struct error error;
    if (emit_variant(variant, context, &run->sources, row, &error))
        return fail("emit", &error);
    run->variant_count++;
    for (size_t p = 0; p < run->space->pass_count; p++) {
        struct planner_launch pass;
        bool applies;
        if (variant->text_of_pass[p] < 0)
            continue;
        if (call_pass(&pass, &applies, context, row, p, &context->problem->dims, &error))
            return fail("pass", &error);
        run->items[run->item_count++] =
            (struct item){variant->texts[variant->text_of_pass[p]].at,
                          (unsigned)pass.keys[PLANNER_BLOCK],
                          (unsigned)pass.keys[PLANNER_SHARED_BYTES]};
    }
    return run->item_count >= UNIT || run->variant_count == UNIT ? flush(run) : 0;
}

static int compare_problem(struct run *run, const struct problem *problem)
{
    const struct point_context context = {run->space, problem, &run->device->info.target};
    char name[PROBLEM_CHARS];
    struct points points;
    struct error error;
    int failed = 0;
    if (point_expand(&points, &context, &error))
        return fail("expand", &error);
    for (size_t v = 0; v < points.variant_count && !failed; v++)
        failed = add_variant(run, &context,
                             points.configs + points.variants[v].first * points.width);
    failed = failed || flush(run);
    printf("%s: %zu variants; %" PRIu64 " kernels so far, %" PRIu64 " differences\n",
           problem_format(name, problem), points.variant_count, run->kernels, run->wrong);
    fflush(stdout);
    point_dispose(&points);
    return failed ? -1 : 0;
}

static int open_run(struct run *run, const char *spec, const char *space)
{
    const struct device_options options = {spec, NULL, 1};
    const struct embedded *types = embedded_find("templates/types.cu");
    const struct embedded *intrinsics = embedded_find("templates/intrinsics.cu");
    char path[100];
    struct error error;
    snprintf(path, sizeof path, "configs/%.80s.ini", space);
    const struct embedded *file = embedded_find(path);
    if (!file ||
        space_load(&run->space, file->name, file->bytes, file->length, embedded_space, &error))
        return fail(path, file ? &error : &(struct error){.text = "no such space"});
    snprintf(path, sizeof path, "templates/%.80s", run->space->template_name);
    const struct embedded *template = embedded_find(path);
    if (!template)
        return fail(path, &(struct error){.text = "no such template"});
    run->sources = (struct emit_sources){
        .template = {template->name, template->bytes},
        .types = {types->name, types->bytes},
        .intrinsics = {intrinsics->name, intrinsics->bytes},
    };
    if (device_open(&run->device, &options, &error))
        return fail("open", &error);
    if (run->device->ops->occupancy &&
        gpus_limits(&run->limits, run->device->info.target.cc, &error))
        return fail("limits", &error);
    return 0;
}

int main(int argc, char **argv)
{
    static struct run run;
    int failed = argc < 2 || argc > 3;
    if (failed) {
        fprintf(stderr, "usage: test_driver_occupancy DEVICE [SPACE]\n");
        return 64;
    }
    if (open_run(&run, argv[1], argc == 3 ? argv[2] : "reduce"))
        return 69;
    if (!run.device->ops->occupancy) {
        printf("device %s has no occupancy: nothing to compare\n", run.device->info.name);
        device_close(run.device);
        space_free(run.space);
        return 69;
    }
    const struct problem problems[] = {
        {.op = op_of(SUM),
         .type = I32,
         .acc = I32,
         .dims = DIMS_VALUE(400000000),
         .regime = COLD},
        {.op = op_of(SUM),
         .type = F32,
         .acc = F32,
         .dims = DIMS_VALUE(400000000),
         .regime = COLD},
        {.op = op_of(MAX),
         .type = F64,
         .acc = F64,
         .dims = DIMS_VALUE(64 << 20),
         .regime = COLD},
        {.op = op_of(SUM), .type = I8, .acc = I32, .dims = DIMS_VALUE(1 << 20), .regime = COLD},
        {.op = op_of(SUM),
         .type = I32,
         .acc = I32,
         .dims = DIMS_VALUE(1 << 16),
         .regime = COLD},
    };
    for (size_t i = 0; i < sizeof problems / sizeof *problems && !failed; i++)
        failed = compare_problem(&run, &problems[i]);
    for (int i = 0; i < OCCUPANCY_LIMITERS; i++)
        printf("limited by %s: %" PRIu64 "\n", occupancy_names[i], run.limited[i]);
    if (!failed && run.kernels && !run.wrong)
        printf("all equal: %" PRIu64 " kernels on %s\n", run.kernels, run.device->info.name);
    device_close(run.device);
    space_free(run.space);
    return failed || run.wrong || !run.kernels;
}

/* plant_code: makes records look as if another compiler had made their kernels: writes COMPILER into the first record
 * of a GPU's file, with the kernels of the template NOW, and keeps for it, as that compiler's, the machine code of the
 * template OLD. With COUNT it does so for as many sizes, STEP apart, that have the same kernels.
 * Usage: plant_code DEVICE FOLDER COMPILER OLD.cu NOW.cu [COUNT STEP] */
#include "autotune/cli/setup.h"
#include "autotune/library/kernel_cache.h"
#include "autotune/library/kernels.h"
#include "cache/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct planting {
    const char *device, *folder, *compiler, *old, *now;
    uint64_t count, step;
};

static int open_setup(struct setup *out, const struct planting *it, const char *template,
                      const struct problem *problem, struct error *error)
{
    const struct request request = {.device = it->device,
                                    .template = template,
                                    .problem = *problem,
                                    .seed = 1,
                                    .has_n = dims_n(&problem->dims) > 0,
                                    .has_op = true,
                                    .has_type = true,
                                    .has_acc = true,
                                    .has_order = true};
    return setup_open(out, &request, true, error);
}

/* Loads the records of the device's file. */
static int load(struct records *out, struct text *path, const struct planting *it,
                struct error *error)
{
    const struct problem usual = {.op = operation_usual(), .type = I32, .acc = I32};
    struct setup setup;
    if (open_setup(&setup, it, NULL, &usual, error))
        return -1;
    const int failed = store_path(path, it->folder, setup.device->info.name, error) ||
                       store_load(out, path->at, error);
    setup_close(&setup);
    if (!failed && out->count == 0)
        return error_set(error, ERROR_IO, "%s: no record", path->at);
    return failed ? -1 : 0;
}

static int compile(struct device_image *out, const struct setup *setup,
                   const struct emit_variant *variant, struct error *error)
{
    struct device_source sources[SPACE_PASSES_MAX];
    for (size_t i = 0; i < variant->count; i++)
        sources[i] = (struct device_source){variant->texts[i].at, setup->space->kernel};
    return setup->device->ops->compile(setup->device, sources, variant->count, out, error);
}

/* Keeps the code of `old` under the key of `now`. */
static int keep(const struct planting *it, const struct setup *old, const struct setup *now,
                const int64_t *config, struct error *error)
{
    struct text source = {0}, kernels = {0};
    struct emit_variant as_old, as_now;
    struct device_image image = {0};
    if (emit_variant(&as_old, &old->context, &old->sources, config, error) ||
        emit_variant(&as_now, &now->context, &now->sources, config, error))
        return -1;
    text_addf(&kernels, "%s/kernels", it->folder);
    const struct kernel_cache_key key = {&source, now->target.cc, it->compiler, as_now.count};
    const int failed = kernels_add_source(&source, &as_now, now->space->kernel, error) ||
                       compile(&image, old, &as_old, error) ||
                       kernel_cache_store(kernels.at, KERNEL_CACHE_BYTES, &key, &image, error);
    device_dispose_image(&image);
    emit_dispose(&as_old);
    emit_dispose(&as_now);
    text_dispose(&source);
    text_dispose(&kernels);
    return failed ? -1 : 0;
}

/* The record again, of a size `i` steps further. */
static int add_size(struct records *out, const struct planting *it, const struct record *first,
                    struct setup *now, const int64_t *config, uint64_t i, struct error *error)
{
    struct record record = *first;
    const struct dims dims =
        dims_run(dims_n(&first->problem.dims) + i * it->step, first->problem.dims.scan);
    record.problem.dims = i ? dims : first->problem.dims;
    snprintf(record.compiler, sizeof record.compiler, "%s", it->compiler);
    return setup_resize(now, &record.problem.dims, record.problem.regime, error) ||
                   code_hash(&record.code, &record, config, &now->context, &now->sources,
                             error) ||
                   store_add(out, &record, error)
               ? -1
               : 0;
}

static int plant_in(const struct planting *it, const struct record *first, const char *path,
                    struct setup *old, struct setup *now, struct error *error)
{
    int64_t config[SPACE_NAMES_MAX];
    struct records planted = {.count = 0};
    int failed = point_parse_record(now->space, first->params, config, error) ||
                 keep(it, old, now, config, error);
    for (uint64_t i = 0; i < it->count && !failed; i++)
        failed = add_size(&planted, it, first, now, config, i, error);
    failed = failed || store_save(path, &planted, NULL, error);
    store_dispose(&planted);
    return failed ? -1 : 0;
}

static int plant(const struct planting *it, struct error *error)
{
    struct records records = {.count = 0};
    struct setup old = {.space = NULL}, now = {.space = NULL};
    struct text path = {0};
    const int failed = load(&records, &path, it, error) ||
                       open_setup(&old, it, it->old, &records.at->problem, error) ||
                       open_setup(&now, it, it->now, &records.at->problem, error) ||
                       plant_in(it, records.at, path.at, &old, &now, error);
    setup_close(&old);
    setup_close(&now);
    store_dispose(&records);
    text_dispose(&path);
    return failed ? -1 : 0;
}

int main(int argc, char **argv)
{
    struct error error;
    if (argc != 6 && argc != 8)
        return 64;
    const struct planting it = {.device = argv[1],
                                .folder = argv[2],
                                .compiler = argv[3],
                                .old = argv[4],
                                .now = argv[5],
                                .count = argc > 6 ? strtoull(argv[6], NULL, 10) : 1,
                                .step = argc > 6 ? strtoull(argv[7], NULL, 10) : 0};
    if (operation_open(&error) || plant(&it, &error)) {
        fprintf(stderr, "plant_code: %s\n", error.text);
        return 1;
    }
    return 0;
}

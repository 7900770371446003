/* verb_emit: prints a kernel as source, PTX, machine code or disassembly. Needs no device; with
 * one, it shows the variant of that GPU's record. */
#include "autotune/analysis/disasm.h"
#include "autotune/cli/failing_source.h"
#include "autotune/cli/option_conflicts.h"
#include "autotune/cli/options.h"
#include "autotune/cli/output.h"
#include "autotune/cli/setup.h"
#include "autotune/cli/verbs.h"
#include "autotune/command/emit_launch.h"
#include "autotune/device/nvrtc.h"

#include <string.h>

/* What emit alone has options for. */
struct emit_request {
    const char *pass; /* NULL = all */
    bool ptx, sass;
};

struct emission {
    struct request request;
    struct emit_request own;
    struct setup setup;
    int64_t config[SPACE_NAMES_MAX];
    struct emit_variant variant;
    bool is_chosen[SPACE_PASSES_MAX]; /* by kernel of the variant */
    struct text source;
    struct device_image image;
};

/* --- Setting up --------------------------------------------------------------------------- */

static bool is_host(const char *name)
{
    return name && strcmp(name, "host") == 0;
}

/* With the device whose record is to serve. The emulator has the host's; without the compiler that it
 * needs its kernels are as they are. */
static int open_setup(struct setup *setup, struct request *request, bool needs_device,
                      struct error *error)
{
    if (is_host(request->arch))
        request->device = request->arch;
    if (is_host(request->device)) {
        request->arch = "host";
        if (setup_open(setup, request, true, error) == 0)
            return 0;
        if (error->code != ERROR_NO_DEVICE)
            return -1;
    }
    return setup_open(setup, request, needs_device, error);
}

static int set_up(void *shared, struct error *error)
{
    struct emission *it = shared;
    struct request *request = &it->request;
    char why[400];
    const bool is_any = strcmp(request->device, "auto") == 0;
    const bool needs_device = !request->arch && !is_host(request->device) &&
                              (!is_any || device_count(why, sizeof why) > 0);
    if (open_setup(&it->setup, request, needs_device, error))
        return -1;
    if (!needs_device && !request->arch)
        output_note(&request->out,
                    "note      no GPU, so this is for sm_90: --arch names another\n");
    return 0;
}

/* --- Gathering ---------------------------------------------------------------------------- */

/* Keeps only the kernels of the pass that --pass names. */
static int choose_pass(struct emission *it, struct error *error)
{
    const struct space *space = it->setup.space;
    const struct emit_variant *variant = &it->variant;
    const char *pass = it->own.pass;
    for (size_t i = 0; i < variant->count; i++)
        it->is_chosen[i] = !pass;
    for (size_t p = 0; pass && p < space->pass_count; p++)
        if (strcmp(space->passes[p].name, pass) == 0 && variant->text_of_pass[p] >= 0)
            it->is_chosen[variant->text_of_pass[p]] = true;
    for (size_t i = 0; i < variant->count; i++)
        if (it->is_chosen[i])
            return 0;
    struct text passes = {0};
    for (size_t p = 0; p < space->pass_count; p++)
        if (variant->text_of_pass[p] >= 0)
            text_addf(&passes, "%s%s", passes.length ? ", " : "", space->passes[p].name);
    error_set(
        error, ERROR_USAGE,
        "--pass '%s': this variant has no such pass: it has %s; leave --pass out to see all",
        pass, passes.at ? passes.at : "none");
    text_dispose(&passes);
    return -1;
}

static bool is_compiled(const struct emission *it)
{
    return it->own.ptx || it->own.sass || it->request.cubin;
}

static int compile(struct emission *it, struct error *error)
{
    struct device_source sources[SPACE_PASSES_MAX];
    const int cc = it->setup.target.cc;
    struct nvrtc *nvrtc;
    size_t count = 0;
    for (size_t i = 0; i < it->variant.count; i++)
        if (it->is_chosen[i])
            sources[count++] =
                (struct device_source){emit_source(&it->variant, i), it->setup.space->kernel};
    if (it->setup.target.is_host)
        return error_set(
            error, ERROR_USAGE,
            "--arch host has source only: name a GPU's architecture, as --arch sm_90");
    if (nvrtc_open(&nvrtc, it->request.nvrtc, cc, error))
        return -1;
    int failed = nvrtc_compile(nvrtc, cc, it->own.ptx ? NVRTC_PTX : NVRTC_CUBIN, sources, count,
                               &it->image, error);
    nvrtc_close(nvrtc);
    if (failed)
        failing_source_save(&it->variant, error);
    return failed;
}

/* Of one pass only the kernel, else all kernels with a function that launches them: the same kernels
 * for a compiler whose options are not ours. */
static int write_source(struct emission *it, struct error *error)
{
    struct emit_sources sources = it->setup.sources;
    sources.any_flags = true;
    emit_dispose(&it->variant);
    if (emit_variant(&it->variant, &it->setup.context, &sources, it->config, error))
        return -1;
    if (!it->own.pass)
        return emit_launch_add(&it->source, &it->setup, it->config, &it->variant, error);
    for (size_t i = 0; i < it->variant.count; i++)
        if (it->is_chosen[i])
            text_addf(&it->source, "%s%s", it->source.length ? "\n" : "",
                      it->variant.texts[i].at);
    return 0;
}

static int gather(void *shared, struct error *error)
{
    struct emission *it = shared;
    if (setup_variant(&it->variant, it->config, &it->setup, &it->request, error) ||
        choose_pass(it, error))
        return -1;
    return is_compiled(it) ? compile(it, error) : write_source(it, error);
}

/* --- Showing ------------------------------------------------------------------------------ */

static int print_sass(const struct device_image *image, struct error *error)
{
    struct text text = {0};
    int failed = disasm_run(&text, image->bytes, image->size, error);
    if (failed)
        error_set_lines(error, error->code, "%s, or use --ptx", error->text);
    else
        failed = output_write("-", &text, error);
    text_dispose(&text);
    return failed;
}

static int show(void *shared, struct error *error)
{
    const struct emission *it = shared;
    const struct device_image *image = &it->image;
    const char *cubin = it->request.cubin;
    if (!is_compiled(it))
        return output_write("-", &it->source, error);
    if (cubin && output_bytes(cubin, image->bytes, image->size, error))
        return -1;
    if (it->own.ptx) /* PTX counts its terminating zero */
        return output_bytes("-", image->bytes, strnlen(image->bytes, image->size), error);
    return it->own.sass ? print_sass(image, error) : 0;
}

static void clean_up(void *shared)
{
    struct emission *it = shared;
    device_dispose_image(&it->image);
    text_dispose(&it->source);
    emit_dispose(&it->variant);
    setup_close(&it->setup);
}

static int check(const struct request *request, struct error *error)
{
    const struct emit_request *own = request->own;
    const struct option_conflict conflicts[] = {
        {own->ptx + !!request->cubin + own->sass > 1,
         "--ptx, --cubin and --sass are three forms: choose one"},
        {request->arch && strcmp(request->device, "auto") != 0,
         "--arch needs no device, and --device has an architecture: choose one"},
    };
    return option_conflicts_refuse(conflicts, sizeof conflicts / sizeof *conflicts, error);
}

/* clang-format off */
static const struct option_row options[] = {
    {VERB_EMIT, "pass", "NAME", "only this pass's kernel", .text = offsetof(struct emit_request, pass), .group = 2},
    {VERB_EMIT, "ptx", NULL, "PTX instead of source", .flag = offsetof(struct emit_request, ptx), .group = 3},
    {VERB_EMIT, "sass", NULL, "disassembly instead of source, where cuobjdump or nvdisasm is found", .flag = offsetof(struct emit_request, sass), .group = 3},
    {.verbs = 0},
};

const struct verb_row verb_emit = {
    .verb = VERB_EMIT,
    .name = "emit",
    .summary = "print a kernel as CUDA source, PTX, machine code or disassembly",
    .help =
        "Prints the CUDA source of a variant: the one given, else the record's that fits best, "
        "else the space's default. Needs no device.\v"
        "The source ends with a function that launches the kernels for this problem, launch_sum_f32_1000. "
        "By nvcc all its names are the file's own: a program may hold several such files. By NVRTC "
        "it is the kernels alone. In PTX and machine code the kernels are v0::reduce, v1::reduce in the order "
        "of the passes, under C++'s names: _ZN2v06reduceE...\n\n"
        "Examples:\n"
        "  autotune emit --n 400M > reduce.cu\n"
        "  autotune emit --arch sm_80 --type f32 --variant BLOCK=512,WARP=TREE\n"
        "  autotune emit --arch sm_90 --ptx\n\n" VERBS_EXIT,
    .options = options,
    .check = check,
    .bytes = sizeof(struct emission),
    .own = offsetof(struct emission, own),
    .set_up = set_up,
    .gather = gather,
    .show = show,
    .clean_up = clean_up,
};
/* clang-format on */

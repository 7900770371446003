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

/* Keeps only the kernels of the pass that --pass names. */
static int choose_pass(const struct request *request, const struct space *space,
                       const struct emit_variant *variant, bool *is_chosen, struct error *error)
{
    const struct emit_request *own = request->own;
    for (size_t i = 0; i < variant->count; i++)
        is_chosen[i] = !own->pass;
    for (size_t p = 0; own->pass && p < space->pass_count; p++)
        if (strcmp(space->passes[p].name, own->pass) == 0 && variant->text_of_pass[p] >= 0)
            is_chosen[variant->text_of_pass[p]] = true;
    for (size_t i = 0; i < variant->count; i++)
        if (is_chosen[i])
            return 0;
    struct text passes = {0};
    for (size_t p = 0; p < space->pass_count; p++)
        if (variant->text_of_pass[p] >= 0)
            text_addf(&passes, "%s%s", passes.length ? ", " : "", space->passes[p].name);
    error_set(
        error, ERROR_USAGE,
        "--pass '%s': this variant has no such pass: it has %s; leave --pass out to see all",
        own->pass, passes.at ? passes.at : "none");
    text_dispose(&passes);
    return -1;
}

/* Writes the same kernels for a compiler whose options are not ours. */
static int emit_for_users(struct emit_variant *variant, const struct setup *setup,
                          const int64_t *config, struct error *error)
{
    struct emit_sources sources = setup->sources;
    sources.any_flags = true;
    emit_dispose(variant);
    return emit_variant(variant, &setup->context, &sources, config, error);
}

/* Of one pass only the kernel, else all kernels with a function that launches them. */
static int print_source(const struct request *request, const struct setup *setup,
                        const int64_t *config, const struct emit_variant *variant,
                        const bool *is_chosen, struct error *error)
{
    const struct emit_request *own = request->own;
    struct text all = {0};
    for (size_t i = 0; i < variant->count && own->pass; i++)
        if (is_chosen[i])
            text_addf(&all, "%s%s", all.length ? "\n" : "", variant->texts[i].at);
    int failed = own->pass ? 0 : emit_launch_add(&all, setup, config, variant, error);
    failed = failed || output_write("-", &all, error);
    text_dispose(&all);
    return failed;
}

static int compile(struct device_image *image, const struct request *request,
                   const struct setup *setup, const struct emit_variant *variant,
                   const bool *is_chosen, struct error *error)
{
    const struct emit_request *own = request->own;
    struct device_source sources[SPACE_PASSES_MAX];
    struct nvrtc *nvrtc;
    size_t count = 0;
    for (size_t i = 0; i < variant->count; i++)
        if (is_chosen[i])
            sources[count++] =
                (struct device_source){emit_source(variant, i), setup->space->kernel};
    if (setup->target.is_host)
        return error_set(
            error, ERROR_USAGE,
            "--arch host has source only: name a GPU's architecture, as --arch sm_90");
    if (nvrtc_open(&nvrtc, request->nvrtc, setup->target.cc, error))
        return -1;
    int failed = nvrtc_compile(nvrtc, setup->target.cc, own->ptx ? NVRTC_PTX : NVRTC_CUBIN,
                               sources, count, image, error);
    nvrtc_close(nvrtc);
    if (failed)
        failing_source_save(variant, error);
    return failed;
}

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

static int print_compiled(const struct request *request, const struct device_image *image,
                          struct error *error)
{
    const struct emit_request *own = request->own;
    if (request->cubin && output_bytes(request->cubin, image->bytes, image->size, error))
        return -1;
    if (own->ptx) /* PTX counts its terminating zero */
        return output_bytes("-", image->bytes, strnlen(image->bytes, image->size), error);
    return own->sass ? print_sass(image, error) : 0;
}

static int emit(const struct request *request, const struct setup *setup, struct error *error)
{
    const struct emit_request *own = request->own;
    int64_t config[SPACE_NAMES_MAX];
    bool is_chosen[SPACE_PASSES_MAX];
    struct emit_variant variant;
    struct device_image image = {0};
    if (setup_variant(&variant, config, setup, request, error))
        return -1;
    int failed = choose_pass(request, setup->space, &variant, is_chosen, error);
    if (!failed && (own->ptx || request->cubin || own->sass)) {
        failed = compile(&image, request, setup, &variant, is_chosen, error) ||
                 print_compiled(request, &image, error);
        device_dispose_image(&image);
    } else if (!failed) {
        failed = emit_for_users(&variant, setup, config, error) ||
                 print_source(request, setup, config, &variant, is_chosen, error);
    }
    emit_dispose(&variant);
    return failed ? -1 : 0;
}

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

static int run_verb(int argc, char **argv, struct error *error)
{
    struct emit_request own = {0};
    struct request request;
    struct setup setup;
    char why[400];
    if (request_parse(&request, &verb_emit, &own, argc, argv, error))
        return -1;
    const bool is_any = strcmp(request.device, "auto") == 0;
    const bool needs_device = !request.arch && !is_host(request.device) &&
                              (!is_any || device_count(why, sizeof why) > 0);
    if (open_setup(&setup, &request, needs_device, error))
        return -1;
    if (!needs_device && !request.arch)
        output_note(&request, "note      no GPU, so this is for sm_90: --arch names another\n");
    int failed = emit(&request, &setup, error);
    setup_close(&setup);
    return failed;
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
    .run = run_verb,
};
/* clang-format on */

/* setup: opens space, template, device and records for a command. A file is looked for by its
 * path, else by its name among the files built into the program. */
#include "autotune/cli/setup.h"

#include "autotune/device/gpus.h"
#include "autotune/embedded.h"
#include "autotune/library/builtin_spaces.h"
#include "autotune/measure/bench.h"
#include "autotune/print/figures.h"
#include "autotune/verify/input.h"
#include "generator/dims_text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FILE_MAX = 4 << 20, PATH_CHARS = 300, USUAL_LEN = 128 };

uint64_t setup_usual_n(bool is_host)
{
    return is_host ? PROBLEM_USUAL_N_EMULATED : PROBLEM_USUAL_N;
}

/* --- Files -------------------------------------------------------------------------------- */

static const struct embedded *find_builtin(const char *folder, const char *name,
                                           const char *end)
{
    char path[PATH_CHARS];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, end);
    return embedded_find(path);
}

static int refuse_space(const char *name, struct error *error)
{
    enum { SPACES_MAX = 32, CHARS = 32 };
    char room[SPACES_MAX][CHARS], hint[TEXT_HINT_CHARS];
    const char *names[SPACES_MAX];
    size_t count = 0;
    const struct embedded *file = NULL;
    while (count < SPACES_MAX && (file = embedded_next_space(file))) {
        int length;
        const char *stem = embedded_stem(file, &length);
        snprintf(room[count], CHARS, "%.*s", length, stem);
        names[count] = room[count];
        count++;
    }
    return error_set(error, ERROR_USAGE,
                     "--space %.200s: neither a file nor a built-in space; %s'autotune list "
                     "spaces' shows the built-in ones",
                     name, text_hint(hint, name, names, count));
}

/* Loads the named space, else that of the operation. */
static int load_space(struct setup *setup, const char *given, struct error *error)
{
    const char *name = given ? given : problem_space(&setup->problem);
    const struct embedded *builtin = find_builtin("configs", name, ".ini");
    struct text *text = &setup->space_text;
    if (builtin) {
        setup->space_file = (struct emit_file){builtin->name, builtin->bytes};
        return space_load(&setup->space, builtin->name, builtin->bytes, builtin->length,
                          embedded_space, error);
    }
    if (access(name, F_OK) != 0) {
        refuse_space(name, error);
        return -1;
    }
    if (text_read(text, name, FILE_MAX, error))
        return -1;
    setup->space_file = (struct emit_file){name, text->at ? text->at : ""};
    setup->sources.has_own_space = true;
    return space_load(&setup->space, name, setup->space_file.text, text->length, embedded_space,
                      error);
}

static int load_template(struct setup *setup, const char *file, struct error *error)
{
    const char *name = setup->space->template_name;
    const struct embedded *builtin = find_builtin("templates", name, "");
    if (!file && builtin) {
        setup->sources.template = (struct emit_file){builtin->name, builtin->bytes};
        return 0;
    }
    if (!file)
        return error_set(
            error, ERROR_USAGE,
            "%s: there is no built-in template '%s': name its file with --template",
            setup->space->file, name);
    if (access(file, F_OK) != 0)
        return error_set(error, ERROR_USAGE, "--template %.200s: there is no such file", file);
    if (text_read(&setup->template_text, file, FILE_MAX, error))
        return -1;
    if (setup->template_text.length == 0)
        return error_set(error, ERROR_USAGE, "%s: empty: give a template", file);
    if (text_check_lines(file, setup->template_text.at, setup->template_text.length, error))
        return -1;
    setup->sources.template = (struct emit_file){file, setup->template_text.at};
    setup->sources.has_own_template = true;
    return 0;
}

/* What the verb has made. */
static int load_made(struct setup *setup, const struct request *request, struct error *error)
{
    setup->space_file = *request->made_space;
    setup->sources.template = *request->made_template;
    setup->sources.types = *request->made_types;
    setup->sources.intrinsics = setup->sources.operation = (struct emit_file){"none", ""};
    setup->sources.is_foreign = setup->sources.has_own_space = true;
    return space_load(&setup->space, setup->space_file.name, setup->space_file.text,
                      strlen(setup->space_file.text), embedded_space, error);
}

static int load_files(struct setup *setup, const struct request *request, struct error *error)
{
    if (request->made_space)
        return load_made(setup, request, error);
    return builtin_files_common(&setup->sources, error) ||
                   load_space(setup, request->space, error) ||
                   load_template(setup, request->template, error)
               ? -1
               : 0;
}

/* --- The place ---------------------------------------------------------------------------- */

static int find_target(struct setup *setup, const char *arch, struct error *error)
{
    const char *name = arch ? arch : "sm_90";
    const bool is_host = strcmp(name, "host") == 0;
    if (gpus_find(&setup->target, is_host ? "sm_90" : name, error))
        return -1;
    setup->target.is_host = is_host;
    return 0;
}

static int find_place(struct setup *setup, const struct request *request, bool needs_device,
                      struct error *error)
{
    const struct device_options options = {request->device, request->nvrtc, request->seed};
    if (!needs_device)
        return find_target(setup, request->arch, error);
    if (device_open(&setup->device, &options, error))
        return -1;
    setup->target = setup->device->info.target;
    return 0;
}

/* Of a space whose kernels keep order n: f32 are what rounds. */
static void order_by_n(struct problem *problem, const struct request *request)
{
    if (request->has_order)
        return;
    problem->order = ORDER_BY_N;
    if (!request->has_type && !request->has_acc)
        problem->type = problem->acc = F32;
}

/* Fills in what was not asked for: the space's first operation, its order, and the usual size. */
static void find_problem(struct setup *setup, const struct request *request)
{
    struct problem *problem = &setup->problem;
    const uint64_t n = setup_usual_n(setup->target.is_host);
    struct problem tried = *problem;
    if (!request->has_n)
        problem->dims = dims_run(n, problem->dims.scan);
    const size_t ops = request->has_op ? 1 : operation_count();
    for (size_t i = 0; i < 2 * ops; i++) {
        tried.op = i % ops ? operation_at(i % ops) : problem->op;
        if (i == ops)
            order_by_n(&tried, request);
        if (request->has_n ? space_serves(setup->space, &tried)
                           : space_find_dims(setup->space, &tried, n, USUAL_LEN, 0)) {
            *problem = tried;
            return;
        }
    }
}

int setup_open(struct setup *out, const struct request *request, bool needs_device,
               struct error *error)
{
    *out = (struct setup){.problem = request->problem};
    if (load_files(out, request, error) || find_place(out, request, needs_device, error)) {
        setup_close(out);
        return -1;
    }
    find_problem(out, request);
    out->context = (struct point_context){out->space, &out->problem, &out->target};
    if (space_settle_default(out->space, &out->problem, &out->target, error)) {
        setup_close(out);
        return -1;
    }
    return 0;
}

int setup_resize(struct setup *setup, const struct dims *dims, enum regime regime,
                 struct error *error)
{
    setup->problem.dims = *dims;
    setup->problem.regime = regime;
    return space_settle_default(setup->space, &setup->problem, &setup->target, error);
}

void setup_close(struct setup *setup)
{
    if (setup->device)
        device_close(setup->device);
    setup->device = NULL;
    space_free(setup->space);
    setup->space = NULL;
    text_dispose(&setup->space_text);
    text_dispose(&setup->template_text);
}

int setup_require_value(const struct setup *setup, const char *what, struct error *error)
{
    struct problem one = setup->problem;
    one.dims = dims_run(dims_n(&setup->problem.dims), setup->problem.dims.scan);
    if (space_serves(setup->space, &one))
        return 0;
    return error_set(
        error, ERROR_USAGE,
        "%s: its kernels have several results, and %s is of one value: choose another "
        "--space, or leave it out",
        setup->space->file, what);
}

/* Of this machine. */
static double memory_bytes(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

/* The host device's memory is that of the process too. */
int setup_check_room(const struct setup *setup, struct error *error)
{
    const struct problem *problem = &setup->problem;
    const struct device_info *info = &setup->device->info;
    const double own = input_own_bytes(problem, info);
    const struct {
        const char *name;
        double wanted, has;
    } places[] = {
        {info->name,
         (double)input_bytes(problem, info) + bench_bytes(problem, info) +
             (info->target.is_host ? own : 0),
         (double)info->memory_bytes},
        {"this machine, which makes the elements,", own, memory_bytes()},
    };
    char wanted[NUMBER_CHARS], has[NUMBER_CHARS];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i].wanted > places[i].has)
            return error_set(error, ERROR_FAILED,
                             "no room on %s for %s of elements and results, copies included: "
                             "it has %s; give %s",
                             places[i].name, figures_size(wanted, places[i].wanted),
                             figures_size(has, places[i].has),
                             dims_text_smaller(&problem->dims));
    return 0;
}

/* setup: opens space, template, device and records for a command. Hides where files are looked
 * for: a path, else a name among the files built into the program. */
#include "autotune/command/setup.h"

#include "autotune/command/output.h"
#include "autotune/device/gpus.h"
#include "autotune/embedded.h"
#include "autotune/report/figures.h"
#include "autotune/tune/input.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_MAX = 4 << 20, SETS_MAX = 256, PATH_CHARS = 300 };

uint64_t setup_usual_n(bool is_host)
{
    return is_host ? 1000000 : 400000000;
}

/* --- Files -------------------------------------------------------------------------------- */

static const struct embedded *find_builtin(const char *folder, const char *name,
                                           const char *end)
{
    char path[PATH_CHARS];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, end);
    return embedded_find(path);
}

/* The one named, else that of the operation. */
static int load_space(struct setup *setup, const char *given, struct error *error)
{
    const char *name = given ? given : problem_ops[setup->problem.op].space;
    const struct embedded *builtin = find_builtin("configs", name, ".ini");
    struct text *text = &setup->space_text;
    if (builtin) {
        setup->space_file = (struct emit_file){builtin->name, builtin->bytes};
        return space_load(&setup->space, builtin->name, builtin->bytes, builtin->length, error);
    }
    if (access(name, F_OK) != 0)
        return error_set(error, ERROR_USAGE,
                         "--space %.200s: neither a file nor a built-in space; 'autotune list "
                         "spaces' shows the built-in ones",
                         name);
    if (text_read(text, name, FILE_MAX, error))
        return -1;
    setup->space_file = (struct emit_file){name, text->at ? text->at : ""};
    return space_load(&setup->space, name, setup->space_file.text, text->length, error);
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
    if (setup->template_text.length == 0 ||
        strlen(setup->template_text.at) != setup->template_text.length)
        return error_set(error, ERROR_USAGE, "%s: empty, or not a text file: give a template",
                         file);
    setup->sources.template = (struct emit_file){file, setup->template_text.at};
    return 0;
}

static int load_files(struct setup *setup, const struct request *request, struct error *error)
{
    const struct embedded *types = embedded_find("templates/types.cu");
    const struct embedded *intrinsics = embedded_find("templates/intrinsics.cu");
    setup->sources.types = (struct emit_file){types->name, types->bytes};
    setup->sources.intrinsics = (struct emit_file){intrinsics->name, intrinsics->bytes};
    return load_space(setup, request->space, error) ||
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

int setup_open(struct setup *out, const struct request *request, bool needs_device,
               struct error *error)
{
    *out = (struct setup){.problem = request->problem};
    if (load_files(out, request, error) || find_place(out, request, needs_device, error)) {
        setup_close(out);
        return -1;
    }
    if (!request->has_op && out->space->gives_position)
        out->problem.op = ARGMIN; /* what the space is for */
    if (!request->has_n)
        out->problem.n = setup_usual_n(out->target.is_host);
    out->context = (struct point_context){out->space, &out->problem, &out->target};
    if (space_settle_default(out->space, &out->problem, &out->target, error)) {
        setup_close(out);
        return -1;
    }
    return 0;
}

int setup_resize(struct setup *setup, uint64_t n, enum regime regime, struct error *error)
{
    setup->problem.n = n;
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

int setup_check_room(const struct setup *setup, struct error *error)
{
    char wanted[NUMBER_CHARS], has[NUMBER_CHARS];
    const double bytes = (double)input_bytes(&setup->problem, &setup->device->info);
    const double room = (double)setup->device->info.memory_bytes;
    if (bytes <= room)
        return 0;
    return error_set(error, ERROR_FAILED,
                     "no room on %s for %s of elements: it has %s; give a smaller --n",
                     setup->device->info.name, figures_size(wanted, bytes),
                     figures_size(has, room));
}

/* --- Records ------------------------------------------------------------------------------ */

static void record_device(struct record *out, const struct device_info *info)
{
    out->memory_clock_khz = info->memory_clock_khz;
    out->bus_bits = info->bus_bits;
    snprintf(out->gpu, sizeof out->gpu, "%s", info->name);
    snprintf(out->driver, sizeof out->driver, "%s", info->driver);
    snprintf(out->compiler, sizeof out->compiler, "%s", info->compiler);
}

void setup_record(struct record *out, const struct setup *setup)
{
    *out = (struct record){
        .problem = setup->problem,
        .space_hash = setup->space->hash,
        .sources_hash = emit_hash(&setup->sources),
        .method = RECORD_METHOD,
        .cc = setup->target.cc,
        .sms = setup->target.sms,
        .source = setup->target.is_host ? RECORD_EMULATED : RECORD_MEASURED,
    };
    snprintf(out->space, sizeof out->space, "%s", setup->space->name);
    if (setup->device)
        record_device(out, &setup->device->info);
}

static bool is_record_file(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && name[0] != '.' && strcmp(name + length - 4, ".ini") == 0;
}

static void note_warning(struct error *warning, const struct records *records)
{
    if (records->skipped && warning->code == ERROR_NONE)
        *warning = records->reason;
}

/* Reads every record file of the folder, the own GPU's first. */
static int load_folder(struct records *sets, size_t *count, const char *folder, const char *own,
                       struct error *warning, struct error *error)
{
    if (store_load(&sets[(*count)++], own, error))
        return -1;
    note_warning(warning, &sets[0]);
    DIR *open = opendir(folder);
    int failed = 0;
    for (struct dirent *entry;
         open && !failed && *count < SETS_MAX && (entry = readdir(open));) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (!is_record_file(entry->d_name) || strcmp(path, own) == 0)
            continue;
        failed = store_load(&sets[(*count)++], path, error);
    }
    if (open)
        closedir(open);
    return failed;
}

static int load_shipped(struct records *sets, size_t *count, struct error *error)
{
    for (size_t i = 0; i < embedded_count && *count < SETS_MAX; i++) {
        const struct embedded *file = &embedded_files[i];
        if (strncmp(file->name, "configs/tuned/", 14) == 0 &&
            store_load_bytes(&sets[(*count)++], file->name, file->bytes, file->length, error))
            return -1;
    }
    return 0;
}

/* One set of all records that ship with the program. */
static int join_sets(struct records *out, const struct records *sets, size_t count,
                     struct error *error)
{
    size_t total = 1;
    for (size_t i = 0; i < count; i++)
        total += sets[i].count;
    *out = (struct records){.at = calloc(total, sizeof *out->at)};
    if (!out->at)
        return error_memory(error, total * sizeof *out->at);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sets[i].count; k++)
            out->at[out->count++] = sets[i].at[k];
    return 0;
}

static int find_among(struct find_result *out, const struct record *want, const char *folder,
                      const char *path, struct records *sets, struct error *warning,
                      struct error *error)
{
    struct records shipped = {0};
    size_t count = 0, own;
    if (load_folder(sets, &count, folder, path, warning, error))
        return -1;
    own = count;
    if (load_shipped(sets, &count, error) ||
        join_sets(&shipped, sets + own, count - own, error))
        return -1;
    find_record(out, want, sets, own, &shipped);
    free(shipped.at);
    return 0;
}

/* The record's params over `row`, or false when they are no point of the space. */
static bool apply_record(int64_t *row, const struct setup *setup, const struct record *record,
                         struct error *error)
{
    int64_t copy[SPACE_NAMES_MAX];
    memcpy(copy, setup->space->default_row, setup->space->param_count * sizeof *copy);
    if (point_parse(setup->space, record->params, copy, error))
        return false;
    memcpy(row, copy, setup->space->param_count * sizeof *copy);
    return true;
}

/* Another GPU's winner may be what the rules, at the n it won at, do not allow on this one. */
static bool is_for_another(const struct find_result *found, const struct setup *setup,
                           const int64_t *row)
{
    const struct point_context there = {setup->space, &found->record.problem, &setup->target};
    struct error ignored;
    return found->grade > FIND_OTHER_N && point_reject(&there, row, &ignored) != POINT_VALID;
}

/* What a file says is believed only as far as it is of the space. */
static void check_found(struct find_result *found, const struct setup *setup,
                        struct error *warning)
{
    int64_t row[SPACE_NAMES_MAX];
    struct error cause;
    if (found->grade == FIND_NONE)
        return;
    if (apply_record(row, setup, &found->record, &cause)) {
        if (is_for_another(found, setup, row))
            found->grade = FIND_NONE;
        return;
    }
    found->grade = FIND_NONE;
    error_set(warning, ERROR_IO, "a record of %s is passed over: %s", found->record.gpu,
              cause.text);
}

int setup_find(struct find_result *out, const struct setup *setup,
               const struct request *request, struct error *warning, struct error *error)
{
    struct text folder = {0}, path = {0};
    struct record want;
    struct records *sets = calloc(SETS_MAX, sizeof *sets);
    *warning = (struct error){.code = ERROR_NONE};
    *out = (struct find_result){.grade = FIND_NONE};
    if (!sets)
        return error_memory(error, SETS_MAX * sizeof *sets);
    setup_record(&want, setup);
    int failed = 0;
    if (store_folder(&folder, request->cache, warning) == 0)
        failed = store_path(&path, folder.at, setup->device ? want.gpu : "none", error) ||
                 find_among(out, &want, folder.at, path.at, sets, warning, error);
    if (!failed)
        check_found(out, setup, warning);
    for (size_t i = 0; i < SETS_MAX; i++)
        store_dispose(&sets[i]);
    free(sets);
    text_dispose(&folder);
    text_dispose(&path);
    return failed ? -1 : 0;
}

/* Where a variant is from: "of NVIDIA H200's record of sum i32 400M cold (exact)". */
static void note_origin(const struct request *request, const struct find_result *found)
{
    char problem[PROBLEM_CHARS], from[NUMBER_CHARS], to[NUMBER_CHARS];
    if (found->grade == FIND_NONE)
        output_note(request, "variant   the space's default: no record fits%s\n",
                    request->variant ? "; changed by --variant" : "");
    else
        output_note(request, "variant   of %s's record of %s (%s)%s\n", found->record.gpu,
                    problem_format(problem, &found->record.problem), find_grades[found->grade],
                    request->variant ? "; changed by --variant" : "");
    if (found->grade != FIND_NONE && found->record.n_to)
        output_note(request, "          which serves n from %s to %s\n",
                    number_format_count(from, found->record.n_from),
                    number_format_count(to, found->record.n_to));
    if (found->grade == FIND_STALE)
        output_note(request,
                    "          %s has changed since: 'autotune verify' proves it again\n",
                    found->difference);
}

/* A space may leave a variant out for other reasons and still show it; this is a promise. */
static int check_order(const struct setup *setup, const int64_t *row, struct error *error)
{
    const int broken = point_reject_order(&setup->context, row, error);
    if (broken < 0)
        return broken == POINT_VALID ? 0 : -1;
    return error_set(error, ERROR_USAGE,
                     "this variant is not deterministic (%s): choose another --variant, or leave "
                     "--deterministic out",
                     setup->space->rules[broken].reason);
}

int setup_row(int64_t *row, const struct setup *setup, const struct request *request,
              struct error *error)
{
    struct find_result found;
    struct error warning;
    memcpy(row, setup->space->default_row, setup->space->param_count * sizeof *row);
    if (setup_find(&found, setup, request, &warning, error))
        return -1;
    if (warning.code != ERROR_NONE)
        output_warn("%s", warning.text);
    if (request->variant && found.grade > FIND_OTHER_N)
        found.grade = FIND_NONE; /* a variant by hand does not change with what ships */
    if (found.grade != FIND_NONE && !apply_record(row, setup, &found.record, error))
        return -1;
    note_origin(request, &found);
    if (request->variant && point_parse(setup->space, request->variant, row, error))
        return -1;
    return check_order(setup, row, error);
}

/* compare_input: finds out whether an argument is a file, a document or a GPU, and looks for
 * its records and published figures. */
#include "autotune/compare/compare_input.h"

#include "autotune/cli/output.h"
#include "autotune/cli/setup.h"
#include "autotune/device/nvrtc.h"
#include "autotune/embedded.h"
#include "autotune/library/shipped.h"
#include "cache/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char published_folder[] = "configs/published/";

static bool has_end(const char *string, const char *end)
{
    const size_t length = strlen(string), tail = strlen(end);
    return length >= tail && strcmp(string + length - tail, end) == 0;
}

/* --- The GPU ------------------------------------------------------------------------------ */

static void take_target(struct compare_input *out)
{
    out->side.cc = out->target.cc;
    out->side.clock_khz = out->clock_khz;
    out->side.threads_per_sm = out->target.threads_per_sm;
    out->side.l2_bytes = out->has_l2 ? (uint64_t)out->target.l2_bytes : 0;
}

static void take_model(struct compare_input *out, const struct gpus_model *model)
{
    out->has_target = true;
    out->has_l2 = model->has_l2;
    out->target = model->target;
    out->clock_khz = model->clock_khz;
    out->side.sms = model->target.sms;
    out->side.peak_bytes = model->peak_bytes;
    out->side.blocks = model->blocks_per_us * 1e6;
    out->side.atomics = model->atomics_per_us * 1e6;
    take_target(out);
}

/* A record's data of its GPU replaces the table's data for that name. */
static void take_record(struct compare_input *out, const struct record *record)
{
    char arch[16];
    struct gpus_model model;
    struct error ignored;
    snprintf(out->side.name, sizeof out->side.name, "%s", record->gpu);
    if (gpus_find_model(&model, record->gpu, &ignored) == 0) {
        take_model(out, &model);
        snprintf(out->side.name, sizeof out->side.name, "%s", model.name);
    } else {
        out->is_emulator = record->source == RECORD_EMULATED;
        snprintf(arch, sizeof arch, "sm_%d", record->cc);
        out->has_target = !out->is_emulator && gpus_find(&out->target, arch, &ignored) == 0;
        take_target(out);
    }
    out->target.sms = record->sms;
    out->side.sms = record->sms;
    if (record->memory_clock_khz && record->bus_bits)
        out->side.peak_bytes = device_peak_of(record->memory_clock_khz, record->bus_bits);
}

/* A document's own peak is used for a GPU that the table lacks. */
static void take_document(struct compare_input *out, const struct published *published)
{
    struct gpus_model model;
    struct error ignored;
    snprintf(out->side.name, sizeof out->side.name, "%.120s", published->gpu_name);
    if (published->gpu && gpus_find_model(&model, published->gpu, &ignored) == 0)
        take_model(out, &model);
    else
        out->side.peak_bytes = (uint64_t)(published_real(&published->peak_gbs) * 1e9 + 0.5);
}

/* --- Figures ------------------------------------------------------------------------------ */

static int add_published(struct compare_input *out, const char *file, const char *bytes,
                         size_t length, struct error *error)
{
    struct published *published = malloc(sizeof *published);
    if (!published)
        return error_memory(error, sizeof *published);
    if (out->published_count == COMPARE_PUBLISHED_MAX) {
        free(published);
        return error_set(error, ERROR_FAILED, "%s: more than %d documents about one GPU", file,
                         COMPARE_PUBLISHED_MAX);
    }
    if (published_load(published, file, bytes, length, error)) {
        free(published);
        return -1;
    }
    out->published[out->published_count++] = published;
    return 0;
}

/* Is there a record of the same problem among the first `count`? */
static bool is_known(const struct records *records, size_t count, const struct record *record)
{
    for (size_t i = 0; i < count; i++)
        if (!record_group_difference(&records->at[i], record, RECORD_PROBLEM | RECORD_SIZE))
            return true;
    return false;
}

/* What is added to a GPU's records, and from where. */
struct adding {
    struct compare_input *out;
    const char *name;           /* of the GPU, by the table or its driver, or NULL: */
    const struct record *first; /* that of this record */
    size_t known;               /* of problems that so many of `out` have nothing is added */
    size_t of_gpu;
    char last[sizeof((struct record *)0)->gpu]; /* GPU that was asked about; */
    bool was_of_gpu;                            /* ... what the answer was */
};

static bool is_called(const char *gpu, const char *name)
{
    struct gpus_model model;
    struct error ignored;
    return strcmp(gpu, name) == 0 ||
           (gpus_find_model(&model, gpu, &ignored) == 0 && strcmp(model.name, name) == 0);
}

/* The table is read once for records of one GPU that follow one another. */
static bool is_of_gpu(void *context, const struct record *record)
{
    struct adding *adding = context;
    if (!adding->name)
        return strcmp(record->gpu, adding->first->gpu) == 0 && record->cc == adding->first->cc;
    if (strcmp(record->gpu, adding->last) != 0) {
        adding->was_of_gpu = is_called(record->gpu, adding->name);
        snprintf(adding->last, sizeof adding->last, "%s", record->gpu);
    }
    return adding->was_of_gpu;
}

static int add_record(void *context, const struct interval *served, const struct records *from,
                      struct error *error)
{
    struct adding *adding = context;
    struct records *records = &adding->out->records;
    const struct record *record = &served->record;
    if (served->from < served->to)
        return 0; /* intervals are computed again, of all */
    adding->of_gpu++;
    return is_known(records, adding->known, record) ? 0
                                                    : store_copy(records, from, record, error);
}

static void miss(void *context, const struct records *records)
{
    struct compare_input *out = ((struct adding *)context)->out;
    if (out->damaged.code == ERROR_NONE)
        out->damaged = records->reason;
}

/* Of a file that was named for this. */
static void warn_of_others(const struct adding *adding, const struct records *file)
{
    if (adding->of_gpu < file->count)
        output_warn("%zu records of other GPUs than %s are passed over: 'autotune merge' sorts "
                    "them by GPU",
                    file->count - adding->of_gpu, file->at[0].gpu);
}

/* Appends those of the first record's GPU. */
static int add_named_file(struct compare_input *out, const struct records *file,
                          struct error *error)
{
    struct adding adding = {.out = out, .first = &file->at[0]};
    const struct filter filter = {.asked = FILTER_GPU, .is_gpu = is_of_gpu, .gpu = &adding};
    const struct collection_visitor visitor = {&adding, &filter, add_record, NULL};
    const int failed = collection_visit(file, &visitor, error);
    warn_of_others(&adding, file);
    if (file->skipped)
        miss(&adding, file);
    return failed || interval_compute(&out->records, error) ? -1 : 0;
}

/* Appends the records of the GPU of this name that are in the folder, whatever the file name, and
 * those that ship of what was not measured here. No folder means no records. */
static int add_all_records(struct compare_input *out, const struct request *request,
                           struct error *error)
{
    struct adding adding = {.out = out, .name = out->side.name};
    const struct filter filter = {.asked = FILTER_GPU, .is_gpu = is_of_gpu, .gpu = &adding};
    const struct collection_visitor visitor = {&adding, &filter, add_record, miss};
    const struct collection kept = setup_collection(request);
    struct text folder = {0};
    struct records shipped;
    struct error ignored;
    int failed = store_folder(&folder, request->cache, &ignored) == 0 &&
                 collection_visit_files(&kept, &visitor, error);
    text_dispose(&folder);
    if (failed || shipped_load(&shipped, NULL, error))
        return -1;
    adding.known = out->records.count;
    if (shipped.skipped)
        miss(&adding, &shipped);
    failed =
        collection_visit(&shipped, &visitor, error) || interval_compute(&out->records, error);
    out->shipped_count = out->records.count - adding.known;
    store_dispose(&shipped);
    return failed ? -1 : 0;
}

/* --- Files -------------------------------------------------------------------------------- */

static int read_file(struct compare_input *out, const char *path, struct text *text,
                     struct error *error)
{
    struct records records;
    struct ini ini;
    text_adds(text, ""); /* an empty file has bytes too */
    if (text_check(text, error))
        return -1;
    const bool is_ini =
        ini_load(&ini, path, text->at ? text->at : "", text->length, error) == 0;
    const bool is_published = is_ini && ini_find(&ini, "published", "schema");
    if (is_ini)
        ini_dispose(&ini);
    if (is_published) {
        if (add_published(out, path, text->at, text->length, error))
            return -1;
        take_document(out, out->published[0]);
        return 0;
    }
    if (store_load_bytes(&records, path, text->at ? text->at : "", text->length, error))
        return -1;
    if (records.count == 0) {
        error_set(error, ERROR_IO,
                  "%s: no record, and no published figures%s%s: name a file "
                  "that 'autotune show' reads, or one like configs/published/*.ini",
                  path, records.skipped ? "; " : "",
                  records.skipped ? records.reason.text : "");
        store_dispose(&records);
        return -1;
    }
    const int failed = add_named_file(out, &records, error);
    store_dispose(&records);
    if (failed)
        return -1;
    take_record(out, &out->records.at[0]);
    return 0;
}

static int open_file(struct compare_input *out, const char *path, struct error *error)
{
    struct text text = {0};
    const int failed = file_read_named(&text, path, INI_FILE_MAX,
                                       "a record file, a GPU, or published figures", error) ||
                       read_file(out, path, &text, error);
    text_dispose(&text);
    return failed ? -1 : 0;
}

/* --- Names -------------------------------------------------------------------------------- */

static int open_document(struct compare_input *out, const struct embedded *file,
                         struct error *error)
{
    if (add_published(out, file->name, file->bytes, file->length, error))
        return -1;
    take_document(out, out->published[0]);
    return 0;
}

static bool is_of_model(const struct published *published, const char *model)
{
    return published->gpu && strcmp(published->gpu, model) == 0;
}

/* Is this the document's name of its GPU, which the table may lack? */
static bool is_named(const struct published *published, const char *name)
{
    return strcasecmp(published->gpu_name, name) == 0;
}

/* Adds the built-in documents about a GPU. */
static int add_documents(struct compare_input *out, const char *name,
                         bool (*is_about)(const struct published *, const char *),
                         struct error *error)
{
    for (const struct embedded *file = NULL; (file = embedded_next(file, published_folder));) {
        if (add_published(out, file->name, file->bytes, file->length, error))
            return -1;
        struct published *last = out->published[out->published_count - 1];
        if (is_about(last, name))
            continue;
        published_dispose(last);
        free(last);
        out->published_count--;
    }
    return 0;
}

/* A GPU that --gpu-file describes replaces the table's; it has no records, as no name here is
 * its own. */
static int open_described(struct compare_input *out, const char *file, const char *name,
                          bool *is_there, struct error *error)
{
    struct gpus_model model;
    if (gpus_read_model(&model, is_there, file, name, error))
        return -1;
    if (*is_there) {
        take_model(out, &model);
        snprintf(out->side.name, sizeof out->side.name, "%s", model.name);
    }
    return 0;
}

/* The first record whose GPU has the wanted name. */
struct sought {
    const char *name;
    struct record found;
    bool is_found;
};

static bool is_called_so(void *context, const struct record *record)
{
    const struct sought *sought = context;
    return record->source != RECORD_EMULATED && gpus_is_named(record->gpu, sought->name);
}

static int seek(void *context, const struct interval *served, const struct records *from,
                struct error *error)
{
    struct sought *sought = context;
    (void)from, (void)error;
    if (!sought->is_found)
        sought->found = served->record;
    sought->is_found = true;
    return 0;
}

static bool seek_kept(struct sought *sought, const struct request *request)
{
    const struct filter filter = {.asked = FILTER_GPU, .is_gpu = is_called_so, .gpu = sought};
    const struct collection_visitor visitor = {sought, &filter, seek, NULL};
    const struct collection kept = setup_collection(request);
    struct error ignored;
    collection_visit_files(&kept, &visitor, &ignored);
    return sought->is_found;
}

/* Opens a GPU of the table, else one of which there are records here. That comes first, too, where
 * the table means one without records by the name: its "a100" is that of 40 GB. `*is_there` is false
 * for neither. */
static int open_gpu(struct compare_input *out, const char *name, const struct request *request,
                    bool *is_there, struct error *error)
{
    struct sought sought = {.name = name};
    struct gpus_model model;
    struct error ignored;
    *is_there = gpus_find_model(&model, name, &ignored) == 0;
    if (*is_there) {
        take_model(out, &model);
        snprintf(out->side.name, sizeof out->side.name, "%s", model.name);
        if (add_all_records(out, request, error))
            return -1;
    }
    if (!out->records.count && seek_kept(&sought, request)) {
        *is_there = true;
        take_record(out, &sought.found);
        if (add_all_records(out, request, error))
            return -1;
    }
    return *is_there ? add_documents(out, out->side.name, is_of_model, error) : 0;
}

static int report_unknown(const char *name, struct error *error)
{
    struct error models;
    struct gpus_model ignored;
    struct text documents = {0};
    gpus_find_model(&ignored, name, &models);
    for (const struct embedded *file = NULL; (file = embedded_next(file, published_folder));) {
        int length;
        const char *stem = embedded_stem(file, &length);
        text_addf(&documents, "%s%.*s", documents.length ? ", " : "", length, stem);
    }
    error_set(error, ERROR_USAGE, "%.1500s; published are %s; a record file ends in .ini",
              models.text, documents.at ? documents.at : "none");
    text_dispose(&documents);
    return -1;
}

static int open_named(struct compare_input *out, const char *name, struct error *error)
{
    if (add_documents(out, name, is_named, error))
        return -1;
    if (!out->published_count)
        return report_unknown(name, error);
    take_document(out, out->published[0]);
    return 0;
}

int compare_input_open(struct compare_input *out, const struct request *request,
                       const char *name, struct error *error)
{
    char path[300];
    int failed;
    *out = (struct compare_input){.has_target = false};
    snprintf(path, sizeof path, "%s%.200s.ini", published_folder, name);
    const struct embedded *document = strchr(name, '/') ? NULL : embedded_find(path);
    bool is_described = false, is_gpu = false;
    if (request->gpu_file && open_described(out, request->gpu_file, name, &is_described, error))
        failed = -1;
    else if (is_described)
        failed = 0;
    else if (document)
        failed = open_document(out, document, error);
    else if (strchr(name, '/') || has_end(name, ".ini"))
        failed = open_file(out, name, error);
    else
        failed = open_gpu(out, name, request, &is_gpu, error) ||
                 (!is_gpu && open_named(out, name, error));
    if (failed) {
        compare_input_close(out);
        return -1;
    }
    out->is_model = is_described || is_gpu;
    if (out->has_target &&
        nvrtc_open(&out->nvrtc, request->nvrtc, out->target.cc, &out->no_nvrtc))
        out->nvrtc = NULL;
    return 0;
}

void compare_input_close(struct compare_input *input)
{
    for (size_t i = 0; i < input->published_count; i++) {
        published_dispose(input->published[i]);
        free(input->published[i]);
    }
    store_dispose(&input->records);
    nvrtc_close(input->nvrtc);
    *input = (struct compare_input){.has_target = false};
}

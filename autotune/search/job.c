/* job: describes each message that holds pointers. A coder walks over the fields, and puts them
 * or gets them. */
#include "autotune/search/job.h"

#include <stdlib.h>
#include <string.h>

struct coder {
    struct frame *frame;
    bool reads;
};

static void code(const struct coder *coder, void *bytes, size_t length)
{
    if (coder->reads)
        frame_get(coder->frame, bytes, length);
    else
        frame_put(coder->frame, bytes, length);
}

/* A byte of another process is no bool before it was looked at. */
static void code_bool(const struct coder *coder, bool *value)
{
    unsigned char byte = 0;
    if (!coder->reads)
        byte = *value;
    code(coder, &byte, sizeof byte);
    if (byte > 1)
        coder->frame->is_short = true;
    if (coder->reads)
        *value = byte == 1;
}

/* Refuses what is no bool, and a text that has no end. */
static void check_bool(const struct coder *coder, const bool *value)
{
    unsigned char byte;
    memcpy(&byte, value, sizeof byte);
    if (byte > 1)
        coder->frame->is_short = true;
}

static void check_text(const struct coder *coder, const char *text, size_t size)
{
    if (!memchr(text, '\0', size))
        coder->frame->is_short = true;
}

static void code_string(const struct coder *coder, const char **string)
{
    if (coder->reads)
        *string = frame_get_string(coder->frame);
    else
        frame_put_string(coder->frame, *string);
}

/* Codes `count` things of `size` bytes each; when reading, the frame must hold exactly as
 * many. */
static void code_array(const struct coder *coder, const void **array, size_t count, size_t size)
{
    size_t length = 0;
    if (!coder->reads) {
        frame_put_block(coder->frame, *array, count * size);
        return;
    }
    *array = frame_get_block(coder->frame, &length);
    if (length != count * size)
        coder->frame->is_short = true;
}

static void code_count(const struct coder *coder, uint64_t *count, uint64_t most)
{
    code(coder, count, sizeof *count);
    if (*count > most) {
        *count = 0;
        coder->frame->is_short = true;
    }
}

/* --- Messages ----------------------------------------------------------------------------- */

static void code_file(const struct coder *coder, struct emit_file *file)
{
    code_string(coder, &file->name);
    code_string(coder, &file->text);
    coder->frame->is_short |= !file->name || !file->text;
}

/* The other end reads the operation's text again. */
static void code_problem(const struct coder *coder, struct problem *problem)
{
    const struct operation *op = coder->reads ? NULL : problem->op;
    const char *file = op ? op->file : NULL, *source = op ? op->source : NULL;
    struct error ignored;
    code(coder, problem, sizeof *problem);
    code_string(coder, &file);
    code_string(coder, &source);
    if (coder->reads && (!file || !source ||
                         operation_load(&problem->op, file, source, strlen(source), &ignored)))
        coder->frame->is_short = true;
}

static void code_config(const struct coder *coder, uint64_t *width, const int64_t **config)
{
    const void *values = *config;
    code_count(coder, width, SPACE_NAMES_MAX);
    code_array(coder, &values, *width, sizeof **config);
    *config = values;
}

int job_code_setup(struct frame *frame, struct job_setup *message, bool reads,
                   struct error *error)
{
    const struct coder coder = {frame, reads};
    struct emit_file *const files[] = {&message->space, &message->sources.template,
                                       &message->sources.types, &message->sources.intrinsics,
                                       &message->sources.operation};
    if (reads)
        *message = (struct job_setup){.seed = 0};
    code_bool(&coder, &message->measures);
    code(&coder, &message->seed, sizeof message->seed);
    code(&coder, &message->info, sizeof message->info);
    code_problem(&coder, &message->problem);
    code_string(&coder, &message->nvrtc);
    code_config(&coder, &message->width, &message->default_config);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        code_file(&coder, files[i]);
    code_bool(&coder, &message->sources.has_own_template);
    code_bool(&coder, &message->sources.has_own_space);
    code_bool(&coder, &message->sources.is_foreign);
    return frame_check(frame, error);
}

int job_code_other_space(struct frame *frame, struct job_other_space *message, bool reads,
                         struct error *error)
{
    const struct coder coder = {frame, reads};
    code_file(&coder, &message->space);
    code_file(&coder, &message->template);
    code_config(&coder, &message->width, &message->config);
    return frame_check(frame, error);
}

int job_code_configs(struct frame *frame, struct job_configs *message, size_t width, bool reads,
                     struct error *error)
{
    const struct coder coder = {frame, reads};
    const void *configs = message->configs;
    code_count(&coder, &message->count, COMPILER_UNIT);
    code_array(&coder, &configs, message->count * width, sizeof *message->configs);
    message->configs = configs;
    for (size_t i = 0; i < COMPILER_UNIT; i++)
        code_bool(&coder, &message->wants_shadow[i]);
    return frame_check(frame, error);
}

const struct device_image *job_shadow_image(const struct job_unit *unit,
                                            const struct job_variant *variant)
{
    return variant->shadow_image ? &unit->shadows[variant->shadow_image - 1] : NULL;
}

static void code_image(const struct coder *coder, struct device_image *image, char **names)
{
    const void *bytes = image->bytes, *hashes = image->hashes;
    uint64_t count = image->count, size = image->size;
    bool has_hashes = image->hashes != NULL;
    code_count(coder, &count, COMPILER_KERNELS);
    code(coder, &size, sizeof size);
    code_bool(coder, &has_hashes);
    code_bool(coder, &image->is_ptx);
    code_array(coder, &bytes, size, 1);
    code_array(coder, &hashes, has_hashes ? count : 0, sizeof *image->hashes);
    for (size_t i = 0; i < count; i++) {
        const char *name = !coder->reads && image->names ? image->names[i] : NULL;
        code_string(coder, &name);
        if (coder->reads) {
            names[i] = (char *)(uintptr_t)name; /* lies in the frame; nobody writes to it */
            coder->frame->is_short |= !name;
        }
    }
    if (coder->reads)
        *image = (struct device_image){.bytes = (void *)(uintptr_t)bytes,
                                       .size = size,
                                       .is_ptx = image->is_ptx,
                                       .names = names,
                                       .count = count,
                                       .hashes =
                                           (uint64_t *)(uintptr_t)(has_hashes ? hashes : NULL)};
}

/* Refuses a kernel number that the image does not have. */
static void check_kernels(const struct coder *coder, const struct compiled_variant *compiled,
                          size_t kernels)
{
    for (size_t pass = 0; pass < SPACE_PASSES_MAX; pass++)
        if (compiled->kernel_of_pass[pass] < -1 ||
            (!compiled->is_failed && compiled->kernel_of_pass[pass] >= (int)kernels))
            coder->frame->is_short = true;
}

static void code_compiled(const struct coder *coder, struct compiled_variant *compiled,
                          size_t kernels)
{
    code(coder, compiled, sizeof *compiled);
    check_bool(coder, &compiled->is_failed);
    check_text(coder, compiled->reason.text, sizeof compiled->reason.text);
    if (!coder->frame->is_short)
        check_kernels(coder, compiled, kernels);
}

static void code_shadow(const struct coder *coder, struct job_variant *variant,
                        const struct job_unit *unit)
{
    code_count(coder, &variant->shadow_image, unit->shadow_count);
    const struct device_image *image = job_shadow_image(unit, variant);
    if (image)
        code_compiled(coder, &variant->shadow, image->count);
}

static void code_variant(const struct coder *coder, struct job_variant *variant, size_t width,
                         const struct job_unit *unit)
{
    const void *ids = variant->ids, *configs = variant->configs;
    code_compiled(coder, &variant->compiled, unit->image.count);
    code_shadow(coder, variant, unit);
    if (coder->frame->is_short)
        return;
    code(coder, &variant->limit, sizeof variant->limit);
    code_bool(coder, &variant->is_proven);
    code_count(coder, &variant->count, UINT32_MAX);
    code_array(coder, &ids, variant->count, sizeof *variant->ids);
    code_array(coder, &configs, variant->count * width, sizeof *variant->configs);
    variant->ids = ids;
    variant->configs = configs;
}

int job_code_unit(struct frame *frame, struct job_unit *message, size_t width, bool reads,
                  struct error *error)
{
    const struct coder coder = {frame, reads};
    code_image(&coder, &message->image, message->names);
    code_count(&coder, &message->shadow_count, COMPILER_UNIT);
    for (size_t i = 0; i < message->shadow_count; i++)
        code_image(&coder, &message->shadows[i], message->shadow_names[i]);
    code_count(&coder, &message->count, COMPILER_UNIT);
    for (size_t i = 0; i < message->count; i++)
        code_variant(&coder, &message->variants[i], width, message);
    code(&coder, &message->compile_us, sizeof message->compile_us);
    code(&coder, &message->best_ps, sizeof message->best_ps);
    code(&coder, &message->samples, sizeof message->samples);
    code(&coder, &message->seconds, sizeof message->seconds);
    code_bool(&coder, &message->owes_result);
    return frame_check(frame, error);
}

int job_code_race(struct frame *frame, struct job_race *message, size_t width, bool reads,
                  struct error *error)
{
    const struct coder coder = {frame, reads};
    code_count(&coder, &message->count, JOB_RACE_UNITS);
    code(&coder, &message->seconds, sizeof message->seconds);
    code(&coder, &message->check_s, sizeof message->check_s);
    code_bool(&coder, &message->is_comparison);
    code_bool(&coder, &message->keeps_all);
    code_count(&coder, &message->kept_count, JOB_KEPT_MAX);
    code(&coder, message->kept, sizeof message->kept);
    if (reads) {
        message->units = calloc(message->count + 1, sizeof *message->units);
        if (!message->units)
            return error_memory(error, message->count * sizeof *message->units);
    }
    int failed = 0;
    for (size_t i = 0; i < message->count && !failed; i++)
        failed = job_code_unit(frame, &message->units[i], width, reads, error);
    if (!failed && frame_check(frame, error) == 0)
        return 0;
    if (reads) {
        free(message->units);
        message->units = NULL;
    }
    return -1;
}

int job_read(struct frame *frame, void *message, size_t size, struct error *error)
{
    frame_get(frame, message, size);
    return frame_check(frame, error);
}

int job_read_told(struct frame *frame, union job_told *out, struct error *error)
{
    static const size_t sizes[] = {
        [JOB_READY] = sizeof(struct job_ready),     [JOB_FATAL] = sizeof(struct job_fatal),
        [JOB_AT] = sizeof(struct job_at),           [JOB_PROVEN] = sizeof(struct job_proven),
        [JOB_TRIAL] = sizeof(struct job_trial),     [JOB_TRIED] = sizeof(struct job_tried),
        [JOB_STARTED] = sizeof(struct job_started),
    };
    const struct coder coder = {frame, true};
    const size_t size = frame->kind < sizeof sizes / sizeof *sizes ? sizes[frame->kind] : 0;
    if (!size)
        return error_set(error, ERROR_FAILED, "message %u is none that a worker tells",
                         (unsigned)frame->kind);
    frame_get(frame, out, size);
    if (frame->kind == JOB_PROVEN) {
        check_bool(&coder, &out->proven.is_right);
        check_bool(&coder, &out->proven.has_run);
    } else if (frame->kind == JOB_TRIED)
        check_bool(&coder, &out->tried.is_cut);
    return frame_check(frame, error);
}

int job_send(int socket, enum job_kind kind, const void *message, size_t size,
             struct error *error)
{
    struct frame frame = {.kind = kind};
    frame_put(&frame, message, size);
    int failed = frame_check(&frame, error) || frame_send(socket, &frame, error);
    frame_dispose(&frame);
    return failed ? -1 : 0;
}

/* many_hello: hashes the program's own files, those of the list's lines, and the options. */
#include "autotune/many/many_hello.h"

#include "autotune/cli/device_set.h"
#include "autotune/cli/supervise.h"
#include "autotune/embedded.h"
#include "autotune/many/many_letter.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { FILE_BYTES_MAX = 64 << 20 };

/* --- What is to be the same --------------------------------------------------------------- */

static void add_hash(XXH3_state_t *state, const void *bytes, size_t length)
{
    const uint64_t size = length;
    XXH3_64bits_update(state, &size, sizeof size);
    if (length)
        XXH3_64bits_update(state, bytes, length);
}

static int add_file(XXH3_state_t *state, const char *path, struct error *error)
{
    struct text text = {0};
    const int failed = path ? text_read(&text, path, FILE_BYTES_MAX, error) : 0;
    add_hash(state, text.at, text.length);
    text_dispose(&text);
    return failed;
}

static bool is_same_file(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Of each line its problem; the files that it names, where they are others than those of the line before. A
 * space may be a built-in one's name, which is no file. */
static int add_problems(XXH3_state_t *state, const struct problem_file *file,
                        struct error *error)
{
    const char *space = NULL, *template = NULL;
    for (size_t i = 0; i < file->count; i++) {
        const struct request *own = &file->at[i];
        struct error ignored;
        char problem[PROBLEM_CHARS];
        problem_format(problem, &own->problem);
        add_hash(state, problem, strlen(problem));
        if (!is_same_file(own->space, space) && add_file(state, own->space, &ignored))
            add_hash(state, own->space, strlen(own->space));
        if (!is_same_file(own->template, template) && add_file(state, own->template, error))
            return -1;
        space = own->space;
        template = own->template;
    }
    return 0;
}

static int hash_all(uint64_t *out, const struct request *request,
                    const struct problem_file *file, struct error *error)
{
    const uint64_t numbers[] = {request->has_strategy, request->strategy, request->seed,
                                request->retune, request->replay != NULL};
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        return error_memory(error, sizeof numbers);
    XXH3_64bits_reset(state);
    for (size_t i = 0; i < embedded_count; i++)
        add_hash(state, embedded_files[i].bytes, embedded_files[i].length);
    add_hash(state, numbers, sizeof numbers);
    add_hash(state, &request->budget_s, sizeof request->budget_s);
    const int failed = add_problems(state, file, error);
    *out = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return failed;
}

/* --- The device --------------------------------------------------------------------------- */

struct look {
    const struct request *request;
    struct device_info *info; /* in memory of both processes */
};

static int open_device(const struct look *look, const struct device_set *set,
                       struct error *error)
{
    const struct device_options options = {set->kinds[0].list[0], look->request->nvrtc, 1};
    struct device *device;
    if (set->count != 1)
        return error_set(error, ERROR_USAGE,
                         "--device names %zu kinds of devices: a rank has one kind: start a "
                         "rank for each",
                         set->count);
    if (device_open(&device, &options, error))
        return -1;
    *look->info = device->info;
    device_close(device);
    return 0;
}

static int look_at_device(void *context, struct error *error)
{
    const struct look *look = context;
    struct device_set *set = malloc(sizeof *set);
    int failed = set ? 0 : error_memory(error, sizeof *set);
    failed =
        failed || device_set_open(set, look->request, error) || open_device(look, set, error);
    free(set);
    return failed ? -1 : 0;
}

static int find_device(struct device_info *out, const struct request *request,
                       struct error *error)
{
    struct look look = {request, supervise_alloc(sizeof *look.info)};
    if (!look.info)
        return error_memory(error, sizeof *look.info);
    const int failed = supervise_run(look_at_device, &look, error);
    *out = *look.info;
    supervise_free(look.info, sizeof *look.info);
    return failed;
}

/* --- The whole ---------------------------------------------------------------------------- */

/* Records and trials come to rank 0 by their problems: of one problem under two spaces or templates it could
 * not tell which is which. */
void many_hello_find(struct many_hello *out, const struct request *request)
{
    *out = (struct many_hello){.hash = 0};
    if (problem_file_read(&out->file, request, &out->error) == 0 &&
        problem_file_refuse_equal(&out->file, request->problems, &out->error) == 0 &&
        find_device(&out->info, request, &out->error) == 0 &&
        hash_all(&out->hash, request, &out->file, &out->error) == 0)
        out->error.code = ERROR_NONE;
}

void many_hello_dispose(struct many_hello *hello)
{
    problem_file_dispose(&hello->file);
}

void many_hello_write(struct text *letter, const struct many_hello *hello)
{
    const struct device_info *info = &hello->info;
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    many_letter_addf(letter, "version", "%s", VERSION);
    many_letter_addf(letter, "hash", "%" PRIu64, hello->hash);
    many_letter_addf(letter, "count", "%zu", hello->file.count);
    many_letter_addf(letter, "kind", "%s, %d SMs, %d kHz, %d bits, %s, %s", info->name,
                     info->target.sms, info->memory_clock_khz, info->bus_bits, info->driver,
                     info->compiler);
    many_letter_addf(letter, "gpu", "%s", info->name);
    many_letter_addf(letter, "is_host", "%d", info->target.is_host);
    many_letter_addf(letter, "host", "%s", host);
    if (hello->error.code == ERROR_NONE)
        return;
    many_letter_addf(letter, "code", "%d", hello->error.code);
    many_letter_addf(letter, "error", "%s", hello->error.text);
}

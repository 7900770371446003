/* baseline: opens another library's shared object and passes calls on, with the names of types
 * and operations; each failure becomes one sentence. */
#include "autotune/measure/baseline.h"

#include "autotune/device/shared_object.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Opens the object; a name without a folder is a file of the current folder, not of the
 * loader's path. It is never unloaded: a CUDA library registers functions for the end of the
 * process. */
static void *open_library(const char *path, char why[SHARED_OBJECT_WHY])
{
    const int mode = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
    char here[PATH_MAX];
    if (strchr(path, '/'))
        return shared_object_open(path, mode, why);
    snprintf(here, sizeof here, "./%s", path);
    return shared_object_open(here, mode, why);
}

static int check_face(const struct baseline_face *face, const char *path,
                      const struct device *device, struct error *error)
{
    if (!face || face->version != BASELINE_VERSION)
        return error_set(error, ERROR_USAGE,
                         "--against %.200s: made for another version of autotune: build it "
                         "again, as bench/cub/build.sh does",
                         path);
    if (!face->is_host != !device->info.target.is_host)
        return error_set(error, ERROR_USAGE,
                         "--against %.200s: %.60s runs on %s, not on %.100s: choose another "
                         "--device",
                         path, face->name, face->is_host ? "the host" : "a GPU",
                         device->info.name);
    return 0;
}

int baseline_open(struct baseline *out, const char *path, const struct device *device,
                  struct error *error)
{
    char why[SHARED_OBJECT_WHY];
    *out = (struct baseline){.library = NULL};
    if (access(path, R_OK) != 0)
        return error_set(error, ERROR_USAGE,
                         "--against %.200s: there is no such file; bench/cub/build.sh of "
                         "autotune's sources builds CUB's",
                         path);
    out->library = open_library(path, why);
    if (!out->library)
        return error_set(error, ERROR_USAGE,
                         "--against %.200s: cannot be loaded (%.200s): "
                         "give a shared object, as bench/cub/build.sh builds",
                         path, why);
    void *symbol = dlsym(out->library, BASELINE_SYMBOL);
    baseline_get *get;
    memcpy(&get, &symbol, sizeof get);
    int failed = symbol
                     ? check_face(get(), path, device, error)
                     : error_set(error, ERROR_USAGE,
                                 "--against %.200s: has no function %s: give a shared object "
                                 "as bench/cub/build.sh builds",
                                 path, BASELINE_SYMBOL);
    if (failed) {
        baseline_close(out);
        return -1;
    }
    out->face = get();
    return 0;
}

void baseline_close(struct baseline *baseline)
{
    if (baseline->library)
        dlclose(baseline->library);
    *baseline = (struct baseline){.library = NULL};
}

static const char *type_of(const struct problem *problem)
{
    return problem_types[problem->type].name;
}

static const char *acc_of(const struct problem *problem)
{
    return problem_types[problem->acc].name;
}

static const char *op_of(const struct problem *problem)
{
    return problem->op->name;
}

bool baseline_supports(const struct baseline *baseline, const struct problem *problem)
{
    return baseline->face->supports(type_of(problem), acc_of(problem), op_of(problem),
                                    &problem->dims) != 0;
}

static int check_call(const struct baseline *baseline, const struct problem *problem, int got,
                      const char *doing, struct error *error)
{
    char text[PROBLEM_CHARS];
    if (got == 0)
        return 0;
    return error_set(error, ERROR_FAILED, "%.60s failed %s for %s: %.200s (error %d)",
                     baseline->face->name, doing, problem_format(text, problem),
                     baseline->face->explain(got), got);
}

int baseline_temp_bytes(const struct baseline *baseline, const struct problem *problem,
                        uint64_t *out, struct error *error)
{
    size_t bytes = 0;
    const int got = baseline->face->temp_bytes(type_of(problem), acc_of(problem),
                                               op_of(problem), &problem->dims, &bytes);
    *out = bytes;
    return check_call(baseline, problem, got, "to say what memory it needs", error);
}

int baseline_queue(const struct baseline *baseline, const struct baseline_call *call,
                   void *stream, struct error *error)
{
    const struct problem *problem = call->problem;
    const void *in = (const void *)(uintptr_t)call->input;
    void *out = (void *)(uintptr_t)call->output, *temp = (void *)(uintptr_t)call->temp;
    const int got =
        baseline->face->enqueue(type_of(problem), acc_of(problem), op_of(problem), in, out,
                                &problem->dims, temp, call->temp_bytes, stream);
    return check_call(baseline, problem, got, "to queue its work", error);
}

/* ladder_rung: finds a rung's files among the built-in ones. A missing file is a mistake of
 * this program; the error has the file's name. */
#include "autotune/ladder/ladder_rung.h"

#include "autotune/embedded.h"
#include "autotune/library/builtin_spaces.h"
#include "generator/dims_text.h"

#include <stdio.h>
#include <string.h>

enum { PATH_CHARS = 200, N_USUAL = 25600, LEN_USUAL = 128 }; /* few for the emulator */

int ladder_rung_list(struct rungs *out, struct error *error)
{
    const char *name = "configs/ladder/rungs.ini";
    const struct embedded *file = embedded_find(name);
    return file ? rungs_load(out, file->name, file->bytes, file->length, error)
                : error_set(error, ERROR_FAILED, "%s is not part of this build", name);
}

static int read_params(struct ladder_rung *out, struct error *error)
{
    memcpy(out->config, out->space->default_config,
           out->space->param_count * sizeof *out->config);
    return point_parse(out->space, out->listed->params, out->config, error);
}

static int find_threads(struct ladder_rung *out, const char *name, struct error *error)
{
    out->threads = space_find_param(out->space, name, strlen(name));
    return out->threads >= 0
               ? 0
               : error_set(error, ERROR_USAGE, "%s: it has no param %s, as each rung must",
                           out->space->file, name);
}

int ladder_rung_open(struct ladder_rung *out, const struct rungs *rungs,
                     const struct rung *rung, struct error *error)
{
    struct builtin_files files;
    const int failed = builtin_files_open(&files, "configs/ladder", rung->space, error);
    *out = (struct ladder_rung){.listed = rung,
                                .space = files.space,
                                .space_file = files.file,
                                .template = files.sources.template};
    if (!failed && find_threads(out, rungs->threads, error) == 0 &&
        read_params(out, error) == 0)
        return 0;
    ladder_rung_close(out);
    return -1;
}

void ladder_rung_close(struct ladder_rung *rung)
{
    space_free(rung->space);
    rung->space = NULL;
}

bool ladder_rung_serves(const struct ladder_rung *rung, const struct problem *problem)
{
    struct problem sum = *problem;
    sum.op = operation_plain(COMBINE_ADD); /* the run reports other limits */
    return space_serves(rung->space, &sum);
}

void ladder_rung_dims(const struct ladder_rung *rung, struct problem *problem)
{
    struct problem sum = *problem;
    sum.op = operation_plain(COMBINE_ADD);
    if (space_find_dims(rung->space, &sum, N_USUAL, LEN_USUAL, 0))
        problem->dims = sum.dims;
}

int ladder_rung_match(const struct ladder_rung *rung, const struct problem *problem,
                      struct error *error)
{
    struct problem own = *problem;
    char text[DIMS_TEXT_CHARS];
    if (ladder_rung_serves(rung, problem))
        return 0;
    own.dims.scan = DIMS_ALL; /* which finds any */
    ladder_rung_dims(rung, &own);
    return error_set(error, ERROR_USAGE, "%s %s, or choose another rung", rung->listed->name,
                     dims_text_refuse(text, &own.dims, &problem->dims));
}

int ladder_rung_settle(struct ladder_rung *rung, const struct problem *problem,
                       const struct target *target, struct error *error)
{
    return space_default_of_many(rung->config, rung->space, problem, target, error) ||
                   point_parse(rung->space, rung->listed->params, rung->config, error)
               ? -1
               : 0;
}

bool ladder_rung_resize(struct ladder_rung *rung, unsigned threads)
{
    const struct param *param = &rung->space->params[rung->threads];
    for (size_t i = 0; i < param->count; i++)
        if (param->values[i] == (int64_t)threads) {
            rung->config[rung->threads] = threads;
            return true;
        }
    return false;
}

unsigned ladder_rung_threads(const struct ladder_rung *rung)
{
    return (unsigned)rung->config[rung->threads];
}

/* options: declares every option of every verb and its help text. Hides argp's tables. */
#ifndef AUTOTUNE_OPTIONS_H
#define AUTOTUNE_OPTIONS_H

#include "autotune/cli/request.h"
#include "generator/text.h"

#include <argp.h>

/* Keys of the options; those below 256 are also a letter. */
enum option_key {
    KEY_N = 'n',
    KEY_DEVICE = 'd',
    KEY_QUIET = 'q',
    KEY_HELP = 'h',
    KEY_OUTPUT_FILE = 'o',
    KEY_OP = 256,
    KEY_TYPE,
    KEY_ACC,
    KEY_COLD,
    KEY_WARM,
    KEY_SPACE,
    KEY_TEMPLATE,
    KEY_NVRTC,
    KEY_CACHE,
    KEY_SEED,
    KEY_STRATEGY,
    KEY_BUDGET,
    KEY_LIMIT,
    KEY_REPLAY,
    KEY_RETUNE,
    KEY_JSON,
    KEY_CSV,
    KEY_ARCH,
    KEY_VARIANT,
    KEY_PASS,
    KEY_PTX,
    KEY_CUBIN,
    KEY_SASS,
    KEY_COVER,
    KEY_SMALL,
    KEY_ALL,
    KEY_PART,
    KEY_BLOCKS,
    KEY_RUNG,
    KEY_SOURCE,
    KEY_AGAINST,
    KEY_OFFSET,
    KEY_ROUNDS,
    KEY_STREAM,
    KEY_DETERMINISTIC,
    KEY_ORDER,
    KEY_LOSS,
    KEY_SWEEP,
    KEY_CONFIRM,
    KEY_FORMAT,
    KEY_PREFIX,
    KEY_GPU,
    KEY_GPU_FILE,
    KEY_RUN,
    KEY_SOURCES,
    KEY_EVIDENCE,
    KEY_GRID,
    KEY_MARKDOWN,
    KEY_BENCH,
    KEY_LADDER,
    KEY_AXES,
    KEY_PUBLISHED,
    KEY_RUNGS,
    KEY_LAST
};

enum { OPTIONS_MAX = 112 };

/* What argp needs to know of a verb; the strings live as long as the program. */
void options_fill(struct argp *out, struct argp_option options[OPTIONS_MAX], enum verb verb);

/* The option's long name, without the dashes; the key is one of the table's. */
const char *options_name(int key);

/* Appends the whole --help, from within a parse. */
void options_help(struct text *out, struct argp_state *state);

/* Explains the argument that argp could not read: sets the error and returns true, or returns
 * false when this argument has no error. */
bool options_explain(const char *argument, enum verb verb, const char *program,
                     struct error *error);

#endif

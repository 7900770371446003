/* request: parses the command line into a request: what several verbs have options for, and what a
 * tuning is told. The options of one verb alone are in a struct of its own. */
#ifndef AUTOTUNE_REQUEST_H
#define AUTOTUNE_REQUEST_H

#include "autotune/cli/output.h"
#include "autotune/cli/request_dims.h"
#include "autotune/cli/verbs.h"
#include "autotune/search/strategy.h"
#include "cache/filter.h"
#include "generator/error.h"
#include "generator/part.h"
#include "generator/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REQUEST_SIZES_MAX = 64 };

struct emit_file;

struct request {
    enum verb verb;
    void *own;                            /* what the verb alone has options for; NULL */
    int argc;                             /* the words of the command line ... */
    char **argv;                          /* ... of which argv[0] is the program in messages */
    const char *device;                   /* "auto", "host", "0"; for tune also "0,1", "all" */
    const char *arch;                     /* "sm_90" or "host"; NULL = the device's */
    const char *nvrtc, *space, *template; /* files; NULL = the usual */
    /* A space, and a template that is foreign (emit.h) with what stands in the place of types, which the verb
     * has made; NULL: files are read. */
    const struct emit_file *made_space, *made_template, *made_types;
    const char *cache;      /* folder of records; NULL = the usual */
    const char *variant;    /* "BLOCK=256,..."; NULL = the record's or default */
    struct output out;      /* --json, --csv, --quiet */
    const char *cubin;      /* file; NULL = none */
    const char *replay;     /* journal, of a list a folder; NULL = none */
    const char *candidates; /* file of records to measure first; NULL = none */
    const char *axes;       /* of a heat map: "BLOCK,ITEMS"; NULL = the usual */
    const char *problems;   /* of tune: a file with a problem a line; NULL = none */
    const char *topic;      /* what to list, to profile or to reduce */
    char **files;           /* what to merge, compare or report: within argv */
    size_t file_count;
    struct problem problem;                 /* regime and n may be unset, see has_ */
    const char *params[PROBLEM_PARAMS_MAX]; /* of --op: "NAME=NUMBER" each */
    size_t param_count;
    const char *lies[PROBLEM_FURTHER_MAX]; /* of --op: "NAME=HOW" each */
    size_t lie_count;
    bool has_n, has_op, has_type, has_acc, has_order, has_strategy, has_part;
    enum strategy strategy;
    uint64_t seed;
    double budget_s; /* 0 = none */
    struct request_dims asked;
    /* Of bench and export: all, the first the problem's. */
    struct dims sizes[REQUEST_SIZES_MAX];
    size_t size_count;
    /* Of tune, show and ladder: --n is n_low..n_high; 0 = it is one n. */
    uint64_t n_low, n_high;
    double loss; /* of tune: what an interval's variant may lose, 0.01 = 1 % */
    bool has_loss, confirm;
    enum regime data; /* of tune and ladder: PINNED or PAGEABLE; COLD = on the GPU */
    const char *output, *gpu, *gpu_file, *ladder; /* of two verbs each; NULL = not given */
    struct part part; /* of verify and of a list of problems: this one of so many */
    bool cold, warm, deterministic, retune, dry_run, effects, verbose;
};

/* Is a range of sizes asked for? */
static inline bool request_is_sweep(const struct request *request)
{
    return request->n_high || request_dims_is_sweep(request);
}

/* Parses the arguments after the verb; messages call the program argv[0]. `own`, NULL or the
 * struct of the verb's own options, has their defaults. ERROR_USAGE with one sentence. After printing --help or --version it is -1 with ERROR_NONE: nothing is left to
 * do. */
int request_parse(struct request *out, const struct verb_row *verb, void *own, int argc,
                  char **argv, struct error *error);

/* Parses a line of a list of problems: the options of one problem, others are those of `base`. The
 * line is cut into words, and `out` refers to them. */
int request_parse_line(struct request *out, const struct request *base, char *line,
                       struct error *error);

/* The records that --op, --type, --order and --n ask for, of a verb that shows only such. What is not
 * given is not asked for. */
void request_filter(struct filter *out, const struct request *request);

/* Does the sweep have this cache regime: without --cold and --warm it has both. */
bool request_sweeps(const struct request *request, enum regime regime);

#endif

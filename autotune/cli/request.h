/* request: parses the command line into a request. One table of options serves all verbs; each
 * verb takes those that make sense for it. */
#ifndef AUTOTUNE_REQUEST_H
#define AUTOTUNE_REQUEST_H

#include "autotune/cli/request_dims.h"
#include "autotune/search/strategy.h"
#include "generator/error.h"
#include "generator/part.h"
#include "generator/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Verbs as bits, so that an option can name those it belongs to. */
enum verb {
    VERB_TUNE = 1 << 0,
    VERB_SHOW = 1 << 1,
    VERB_LIST = 1 << 2,
    VERB_EMIT = 1 << 3,
    VERB_VERIFY = 1 << 4,
    VERB_DOCTOR = 1 << 5,
    VERB_MERGE = 1 << 6,
    VERB_BENCH = 1 << 7,
    VERB_LADDER = 1 << 8,
    VERB_EXPORT = 1 << 9,
    VERB_COMPARE = 1 << 10,
    VERB_PROFILE = 1 << 11,
    VERB_REPORT = 1 << 12,
};

enum { REQUEST_SIZES_MAX = 64, REQUEST_RUNGS_MAX = 64 };

struct request {
    enum verb verb;
    const char *device;                   /* "auto", "host", "0"; for tune also "0,1", "all" */
    const char *arch;                     /* "sm_90" or "host"; NULL = the device's */
    const char *nvrtc, *space, *template; /* files; NULL = the usual */
    const char *cache;                    /* folder of records; NULL = the usual */
    const char *variant, *pass;           /* "BLOCK=256,..."; NULL = the record's or default */
    const char *json, *csv;               /* files, "-" = stdout; NULL = none */
    const char *cubin;                    /* file; NULL = none */
    const char *replay;                   /* journal, of a list a folder; NULL = none */
    const char *compact;  /* of merge: a folder for compact files; NULL = none */
    const char *problems; /* of tune: a file with a problem a line; NULL = none */
    const char *topic;    /* what to list, or to profile */
    char **files;         /* what to merge, compare or report: within argv */
    size_t file_count;
    struct problem problem; /* regime and n may be unset, see has_ */
    bool has_n, has_op, has_type, has_acc, has_order, has_strategy, has_part;
    enum strategy strategy;
    uint64_t seed;
    double budget_s;     /* 0 = none */
    double limit_s;      /* of verify: processor time of a proof; 0 = the usual */
    const char *against; /* of bench: files separated by commas; "cub" = those of make bench */
    struct request_dims asked;
    struct dims
        sizes[REQUEST_SIZES_MAX]; /* of bench and export: all, the first the problem's */
    size_t size_count;
    uint64_t n_low,
        n_high;  /* of tune, show and ladder: --n is n_low..n_high; 0 = it is one n */
    double loss; /* of tune: what an interval's variant may lose, 0.01 = 1 % */
    bool has_loss, confirm, sweep;        /* sweep: of show */
    const char *blocks, *source;          /* of ladder: sizes; the rung to print; NULL = none */
    const char *rungs[REQUEST_RUNGS_MAX]; /* of ladder: names of rungs or groups; none = all */
    size_t rung_count;
    const char *format, *output, *prefix, *gpu,
        *gpu_file;                     /* of export (output: of report too); NULL = not
                                        * given */
    const char *bench, *ladder, *axes; /* of report (ladder: of compare too): tables; two
                                        * params, or NULL */
    uint64_t offset, rounds;           /* of bench: bytes; 0 = the device's default */
    struct part part; /* of verify and of a list of problems: this one of so many */
    bool cold, warm, retune, dry_run, quiet, ptx, sass, cover, small, all, stream, each, grid;
    bool published; /* of ladder: show published figures, run nothing */
    bool sources;   /* of list: where figures are from */
    bool evidence;  /* of compare: compile what the journals know, to rank predictions */
    bool by_rung;   /* of compare: the ladder's kernels */
    bool deterministic;
    bool run;      /* of profile: launch the kernel, as ncu wants it */
    bool markdown; /* of report */
};

/* Is a range of sizes asked for? */
static inline bool request_is_sweep(const struct request *request)
{
    return request->n_high || request_dims_is_sweep(request);
}

/* Parses the arguments after the verb; messages call the program argv[0]. ERROR_USAGE with one
 * sentence. After printing --help or --version it is -1 with ERROR_NONE: nothing is left to
 * do. */
int request_parse(struct request *out, enum verb verb, int argc, char **argv,
                  struct error *error);

/* Parses a line of a list of problems: the options of one problem, others are those of `base`. The
 * line is cut into words, and `out` refers to them. */
int request_parse_line(struct request *out, const struct request *base, char *line,
                       struct error *error);

/* Does the sweep have this cache regime: without --cold and --warm it has both. */
bool request_sweeps(const struct request *request, enum regime regime);

#endif

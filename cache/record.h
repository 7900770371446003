/* record: one kept winner, as a section of an INI file: its full key, its params, what was
 * measured, and a checksum. What is wrong in any way is no record: never code, no crash. */
#ifndef AUTOTUNE_RECORD_H
#define AUTOTUNE_RECORD_H

#include "generator/error.h"
#include "generator/ini.h"
#include "generator/problem.h"
#include "generator/text.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    RECORD_SCHEMA = 1, /* of the file's form */
    RECORD_METHOD = 2, /* of how times are measured; a change makes times incomparable */
    RECORD_PARAMS_MAX = 190, /* characters of params: what a line of an INI file has room for */
};

/* Parts of the key, as bits. */
enum record_group {
    RECORD_PROBLEM = 1 << 0, /* op, type, acc, deterministic */
    RECORD_SIZE = 1 << 1,    /* n, regime, n_from, n_to */
    RECORD_SPACE = 1 << 2,   /* space */
    RECORD_TIMING = 1 << 3,  /* method */
    RECORD_CC = 1 << 4,      /* cc */
    RECORD_GPU = 1 << 5,     /* gpu, sms, memory_clock_khz, bus_bits */
    RECORD_TOOLS = 1 << 6,   /* driver, compiler */
    RECORD_KEY = (1 << 7) - 1,
};

enum record_source { RECORD_MEASURED, RECORD_EMULATED, RECORD_PUBLISHED };

struct record {
    /* key: what was tuned, where */
    struct problem problem;
    uint64_t n_from, n_to;               /* an interval of a sweep, whose variant serves every
                                          * n in it and was measured at dims_n(&problem.dims); 0 = one n */
    char space[32];                      /* name of the space: "reduce" */
    int method;
    char gpu[128];
    int cc, sms, memory_clock_khz, bus_bits;
    char driver[64], compiler[64];
    /* value */
    enum record_source source;
    uint64_t code;                       /* code_hash: of the kernels that were measured */
    uint64_t space_hash;                 /* of the space as it was: another may have more to try */
    char params[RECORD_PARAMS_MAX + 1];  /* "BLOCK=256 ITEMS=16 ..." in the space's order */
    uint64_t median_ps, low_ps, high_ps; /* per reduction; low..high is the 95 % interval */
    uint64_t interval_ps; /* of a size of a sweep: what its interval's variant takes; 0 = not
                           * known */
    uint64_t single_ps;   /* and what takes the winner of the size that all are compared with, */
    uint64_t single_n;    /* which is this one; 0 = older records do not say */
    unsigned ties;                       /* other finalists not told apart from the winner */
    unsigned registers;                  /* per thread */
    unsigned candidates;                 /* proven and measured */
    uint64_t untried;     /* candidates, when a budget ended the search; 0 = it came to its end */
    uint64_t sm_mhz, memory_mhz, celsius, milliwatts; /* of the GPU at the finals' end; 0 =
                                                       * not known */
    char error[32];                      /* relative, random floats: "3.1e-08"; "" integers */
    char tuned[32];                      /* UTC, "2026-11-21T01:25:00Z" */
};

/* Appends the record as a section, checksum last. `index` makes the short name: [record 7].
 * Characters that have no place in a field become '_': the text is always a strict INI. */
void record_emit(struct text *out, const struct record *record, unsigned index);

/* Reads the section of `ini` named `section`. -1 with error (file:line, which field, why) when
 * a field is missing, unknown, out of range, or the checksum differs: ERROR_IO; ERROR_FAILED is
 * for memory alone. */
int record_parse(struct record *out, const struct ini *ini, const char *section,
                 struct error *error);

/* The same for the key fields alone, as a journal's section [key]; the others become zero. */
void record_emit_key(struct text *out, const struct record *key);
int record_parse_key(struct record *out, const struct ini *ini, struct error *error);

/* Name of the first key field in which they differ ("driver", "n", ...), or NULL. Texts are
 * compared as they stand in a file, so a record read back is the same as the one written. */
const char *record_key_difference(const struct record *a, const struct record *b);

/* The groups of the key with a field in which they differ, as bits; no more are looked for once one
 * of `deciding` is among them. */
unsigned record_differing_groups(const struct record *a, const struct record *b,
                                 unsigned deciding);

/* Name of the first such field of some groups only. */
const char *record_group_difference(const struct record *a, const struct record *b,
                                    unsigned groups);

/* Is the key the same but for the size: n or the shape, and the regime? */
bool record_is_same_but_size(const struct record *a, const struct record *b);

/* Do both answer for the same problem on the same GPU, so that one replaces the other? Records
 * of one n do when that is the same, intervals when they overlap. */
bool record_is_same_problem(const struct record *a, const struct record *b);

#endif

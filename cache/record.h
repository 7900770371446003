/* record: one kept winner, as a section of an INI file: its full key, its params, what was
 * measured, and a checksum. What is wrong in any way is no record; never code, never a crash. */
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
    RECORD_METHOD = 1, /* of how times are measured; a change makes times incomparable */
};

enum record_source { RECORD_MEASURED, RECORD_EMULATED, RECORD_PUBLISHED };

struct record {
    /* key: what was tuned, where */
    struct problem problem;
    char space[32];                      /* name of the space: "reduce" */
    uint64_t space_hash, sources_hash;   /* of the space file; of template, types, intrinsics */
    int method;
    char gpu[128];
    int cc, sms, memory_clock_khz, bus_bits;
    char driver[64], compiler[64];
    /* value */
    enum record_source source;
    char params[160];                    /* "BLOCK=256 ITEMS=16 ..." in the space's order */
    uint64_t median_ps, low_ps, high_ps; /* per reduction; low..high is the 95 % interval */
    unsigned ties;                       /* other finalists not told apart from the winner */
    unsigned registers;                  /* per thread */
    unsigned candidates;                 /* proven and measured */
    char error[32];                      /* relative error on random floats, "3.1e-08"; "" for integers */
    char tuned[32];                      /* UTC, "2026-11-21T01:25:00Z" */
};

/* Appends the record as a section, checksum last. `index` makes the short name: [record 7]. */
void record_emit(struct text *out, const struct record *record, unsigned index);

/* Reads the section of `ini` named `section`. -1 with error (file:line, which field, why) when a
 * field is missing, unknown, out of range, or the checksum differs. */
int record_parse(struct record *out, const struct ini *ini, const char *section,
                 struct error *error);

/* Name of the first key field in which they differ ("driver", "n", ...), or NULL. */
const char *record_key_difference(const struct record *a, const struct record *b);

#endif

/* record: holds one kept winner, a section of an INI file: its full key, its config, what was
 * measured, and a checksum. What is wrong in any way is no record: it never becomes code, and
 * nothing crashes. */
#ifndef AUTOTUNE_RECORD_H
#define AUTOTUNE_RECORD_H

#include "cache/config.h"
#include "generator/error.h"
#include "generator/ini.h"
#include "generator/problem.h"
#include "generator/text.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    RECORD_SCHEMA = 2,     /* of the file's form */
    RECORD_METHOD = 2,     /* of how times are measured; a change makes times incomparable */
    RECORD_RACED_MAX = 48, /* configs that a record is compared with */
};

/* Parts of the key, as bits. */
enum record_group {
    RECORD_PROBLEM = 1 << 0, /* op, type, acc, order */
    RECORD_SIZE = 1 << 1,    /* n, regime */
    RECORD_SPACE = 1 << 2,   /* space */
    RECORD_TIMING = 1 << 3,  /* method */
    RECORD_CC = 1 << 4,      /* cc */
    RECORD_GPU = 1 << 5,     /* gpu, sms, memory_clock_khz, bus_bits */
    RECORD_TOOLS = 1 << 6,   /* driver, compiler */
    RECORD_KEY = (1 << 7) - 1,
};

enum record_source { RECORD_MEASURED, RECORD_EMULATED, RECORD_PUBLISHED, RECORD_SOURCES };
extern const char *const record_sources[RECORD_SOURCES]; /* "measured", ... */

/* What a config took at a size, where it was raced with the size's winner. */
struct raced {
    uint64_t config;      /* its number in the table of the record's file */
    uint64_t ps, high_ps; /* per reduction; the upper end of its 95 % interval */
};

struct record {
    /* key: what was tuned, where */
    struct problem problem;
    char space[32]; /* name of the space: "reduce" */
    int method;
    char gpu[128];
    int cc, sms, memory_clock_khz, bus_bits;
    char driver[64], compiler[64];
    /* value */
    enum record_source source;
    char params[CONFIG_PARAMS_MAX + 1]; /* "BLOCK=256 ITEMS=16 ..." in the space's order */
    uint64_t code;                      /* code_hash: of the kernels that were measured */
    uint64_t config;                    /* the number of these two in the table of its file */
    uint64_t space_hash; /* of the space as it was: another may have more to try */
    uint64_t median_ps, low_ps, high_ps; /* per reduction; low..high is the 95 % interval */
    unsigned ties;                       /* other finalists not told apart from the winner */
    unsigned registers;                  /* per thread */
    unsigned candidates;                 /* proven and measured */
    uint64_t untried; /* candidates, when a budget ended the search, or nothing compiled for a
                       * while; 0 = it came to its end */
    uint64_t default_ps, default_low_ps, default_high_ps; /* what the space's default took by
                              * turns with the winner, had that median_ps, and the 95 % interval
                              * of that ratio; 0 = not known */
    uint64_t shipped_ps; /* the same of what ships; 0 = not known, or the same kernel */
    uint64_t sm_mhz, memory_mhz, celsius, milliwatts; /* of the GPU as the final race ended; 0 =
                                                       * not known */
    char given[480]; /* the values of the operation's params: "delta=0.5"; "" = it has none */
    char error[32];  /* relative, random floats: "3.1e-08"; "" integers */
    char proof
        [64]; /* how it was proven: "laws, sums of words, text"; "" = not said, as of old */
    char tuned[32];    /* UTC, "2026-11-21T01:25:00Z" */
    char swept[32];    /* when the sweep began that raced others here; "" = none did */
    uint64_t loss_ppm; /* what a config may lose here, by that sweep; in 1/1,000,000 */
    uint64_t
        raced_only; /* 1: that sweep raced configs at hand here, and searched for no other */
    /* Of data on the host (host_copy.h); 0 = not of such data, and without copiers no buffers
     * are filled. */
    uint64_t chunk_bytes, streams, copiers;
    struct raced raced[RECORD_RACED_MAX]; /* these others */
    size_t raced_count;
};

/* Appends the record as a section, checksum last, which is also of the configs that it names.
 * `number` makes the short name: [record 7]. Characters that have no place in a field become '_':
 * the text is always a strict INI. */
void record_emit(struct text *out, const struct record *record, const struct configs *configs,
                 unsigned number);

/* Reads the section of `ini` named `section`, of a file with these configs. -1 with error
 * (file:line, which field, why) when a field is missing, unknown, out of range, names no config,
 * or the checksum differs: ERROR_IO; ERROR_FAILED is for memory alone. */
int record_parse(struct record *out, const struct configs *configs, const struct ini *ini,
                 const char *section, struct error *error);

/* The same for the key fields alone, as a journal's section [key]; the others become zero. */
void record_emit_key(struct text *out, const struct record *key);
int record_parse_key(struct record *out, const struct ini *ini, struct error *error);

/* Name of the first key field in which they differ ("driver", "n", ...), or NULL. Texts are
 * compared as a file has them, so a record read back is the same as the one written. */
const char *record_key_difference(const struct record *a, const struct record *b);

/* The groups of the key with a field in which they differ, as bits; no more are looked for once one
 * of `deciding` is among them. */
unsigned record_differing_groups(const struct record *a, const struct record *b,
                                 unsigned deciding);

/* Name of the first such field among some groups only. */
const char *record_group_difference(const struct record *a, const struct record *b,
                                    unsigned groups);

/* Equal where the groups' fields are, and hardly elsewhere. */
uint64_t record_group_hash(const struct record *record, unsigned groups);

/* Are the keys the same but for the size, which is the dims and the regime? */
bool record_is_same_but_size(const struct record *a, const struct record *b);

/* Does it say how it was measured? Of what ships its time alone is known: no interval, no
 * candidates, no day. */
bool record_has_run(const struct record *record);

/* How many times as fast as the space's default the winner was in the race, by turns, with the 95 %
 * interval; low = 0: the interval is not known. False where the record does not say, or the default
 * won. */
struct record_gain {
    double times, low, high;
};
bool record_gain(struct record_gain *out, const struct record *record);

/* Appends "2.56 times as fast as the default, 95 % interval 2.51 to 2.61" of such a gain. */
void record_add_gain(struct text *out, const struct record_gain *gain);

/* Gives the winner another time; what others took by turns with it keeps its ratio to that. */
void record_set_time(struct record *record, uint64_t median_ps, uint64_t low_ps,
                     uint64_t high_ps);

/* Do both answer for the same problem on the same GPU, so that one replaces the other? */
bool record_is_same_problem(const struct record *a, const struct record *b);

#endif

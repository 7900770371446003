/* compare: holds a comparison of GPUs, problem by problem: the fastest kernel on each, its
 * time, what limits it, and the share of each GPU's bandwidth reached over all. Each figure is
 * marked as measured, published or predicted; a sum of several kinds is "at most". */
#ifndef AUTOTUNE_COMPARE_H
#define AUTOTUNE_COMPARE_H

#include "autotune/analysis/analysis.h"
#include "autotune/compare/published.h"
#include "autotune/device/gpus.h"
#include "autotune/print/table.h"
#include "cache/record.h"
#include "generator/problem.h"

#include <stdbool.h>
#include <stdint.h>

enum { COMPARE_SIDES_MAX = 8 };

struct compare_losses;

enum compare_basis {
    COMPARE_NOTHING,
    COMPARE_WITHHELD,  /* analysed, but a prediction would say nothing: compare_why has the
                        * reason */
    COMPARE_BOUND,     /* an upper limit by static analysis, see prediction.h */
    COMPARE_PREDICTED, /* a range: the bound, divided by ratios of bounds to known times */
    COMPARE_PUBLISHED,
    COMPARE_EMULATED, /* by the host: no model of speed */
    COMPARE_MEASURED,
};
extern const char *const compare_bases[]; /* "measured", "at most", ... */

enum compare_why {
    COMPARE_SAID,
    COMPARE_LATENCY,  /* longer than the reading takes at full speed */
    COMPARE_CACHE,    /* warm, and half of the data or more may be in the L2 cache */
    COMPARE_RANKS,    /* at these sizes bounds did not rank the measured kernels */
    COMPARE_ACCURACY, /* where the kernel ran, its bound is far below its time */
};
extern const char *const compare_whys[]; /* NULL, "latency", "cache", "ranks", "accuracy" */

struct compare_side {
    char name[128];
    int sms;
    uint64_t peak_bytes; /* theoretical, per second; 0 = unknown */
    uint64_t l2_bytes;   /* this and the rest: 0 = unknown */
    int cc, clock_khz, threads_per_sm;
    struct occupancy_limits limits; /* of its architecture */
    char has[GPUS_WORDS];           /* gpus_instructions; "" = unknown */
    double blocks;   /* of a kernel that does nothing, that it starts in a second */
    double atomics;  /* operations on one word in a second, as many as any kernel did */
    size_t variants; /* that its rules allow of the first line's problem */
};

/* One GPU's answer to one problem. */
struct compare_cell {
    enum compare_basis basis;
    char winner[512];  /* the kernel, with its params */
    char changed[512]; /* of a prediction: the params that it changes; "" */
    char source[160];  /* of a published figure; the file of a measured one; "" */
    uint64_t ps;       /* per reduction; 0 where the basis gives none; for a bound the least */
    double gbs;        /* 10^9 bytes per second; 0 = unknown */
    double peak_pct;   /* of the theoretical bandwidth; negative = unknown */
    struct compare_published {
        char time[NUMBER_CHARS], us[NUMBER_CHARS]; /* published_time and published_us */
        struct published_value gbs, share;     /* of which gbs and peak_pct are the values */
        const struct ini_lines *remarks;       /* on its document; NULL = it is none */
        const struct published_kernel *kernel; /* of the figure; NULL likewise */
    } published;                               /* of a published figure */
    uint64_t bound_ps; /* the least time by its bound, also where it was measured; 0 = none */
    uint64_t low_ps, high_ps;    /* of a prediction: its range, with ps in the middle */
    enum compare_why why;        /* why it is withheld */
    struct analysis analysis;    /* of the winner here; is_compiled tells whether it is known */
    const struct record *record; /* that was measured; NULL = none */
    bool has_loss;               /* both measured: the loss of the first GPU's winner here */
    double loss_pct;
    /* If measured and its journal is here: how well bounds and priors rank the trials. */
    struct compare_evidence {
        size_t count;        /* candidates; 0 = no journal */
        double bound, prior; /* rank correlation of each with the speed; the bound is by the
                              * registers that each had */
        bool has_code;       /* and each was compiled again: */
        double code;         /* of the bound by machine code, as predictions are made */
        size_t above;        /* number that is faster than that bound (without it: the other)
                              * allows */
    } evidence;
};

struct compare_line {
    struct problem problem;
    bool is_document; /* from documents' figures of their own kernels, else of autotune's */
    struct compare_cell cells[COMPARE_SIDES_MAX];
    /* The least time of this problem on each GPU, over the sizes, requested or not, whose bytes
     * are all in flight at once (prediction.h); 0 = none was measured. */
    uint64_t latency_ps[COMPARE_SIDES_MAX];
};

struct compare {
    struct compare_side sides[COMPARE_SIDES_MAX]; /* 2 at least */
    size_t side_count;
    struct compare_line *lines;
    size_t line_count;
    struct compare_losses *losses; /* of each problem over its sizes; NULL = not looked for */
    size_t losses_count;
    size_t left_out; /* records that ship, of operations and types that nobody asked for */
};

/* One behind the last of the lines from `first` on that differ in size only. */
size_t compare_group_end(const struct compare *compare, size_t first);

/* Is a bound no finding, for nothing that was looked at keeps the kernel from the peak? Of a warm input,
 * whose bytes the L2 may have, it may even lie above that. */
bool compare_is_free(const struct compare_cell *cell);

/* What a table calls a cell's kind: its basis, or "no bound". */
const char *compare_basis_word(const struct compare_cell *cell);

/* Has this GPU a winner of its own, measured or published? */
bool compare_has_winner(const struct compare_cell *cell);

/* What the bound of an analysis is by: "memory", ..., or "the peak alone". */
const char *compare_limiter(const struct analysis *analysis);

/* Adds a cell for people: figures_bound, empty where the bound is 0 or negative: unknown. */
void compare_add_bound(struct table *table, double bound, bool is_most);

/* GB/s and percent of peak of a cell, as bounds where they are. */
void compare_add_speed(struct table *table, const struct compare_cell *cell);

/* A row for each line and GPU with every field, for programs. Dispose of the table. */
void compare_table(struct table *out, const struct compare *compare);

#endif

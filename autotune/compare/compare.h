/* compare: GPUs side by side, problem by problem: what is fastest on each, how fast, what keeps
 * it from more, and how much of each GPU's bandwidth is reached on all of them. Each figure
 * says whether it was measured, published or predicted; a sum of several kinds is "at most". */
#ifndef AUTOTUNE_COMPARE_H
#define AUTOTUNE_COMPARE_H

#include "autotune/analysis/analysis.h"
#include "autotune/print/table.h"
#include "generator/problem.h"

#include <stdbool.h>
#include <stdint.h>

enum { COMPARE_SIDES_MAX = 8 };

enum compare_basis {
    COMPARE_NOTHING,
    COMPARE_WITHHELD, /* analysed, but no prediction would say anything: compare_why says why */
    COMPARE_BOUND,    /* no more than that: by static analysis, as prediction.h says */
    COMPARE_PREDICTED, /* a range: the bound by what bounds were of times that are known */
    COMPARE_PUBLISHED,
    COMPARE_EMULATED, /* by the host: no model of speed */
    COMPARE_MEASURED,
};
extern const char *const compare_bases[]; /* "measured", "at most", ... */

enum compare_why {
    COMPARE_SAID,
    COMPARE_LATENCY,  /* longer than the reading takes at full speed */
    COMPARE_CACHE,    /* warm, and half of it or more may be in the L2 cache */
    COMPARE_RANKS,    /* at such sizes bounds did not rank what was measured */
    COMPARE_ACCURACY, /* where the kernel ran, its bound is far below its time */
};
extern const char *const compare_whys[]; /* NULL, "latency", "cache", "ranks", "accuracy" */

struct compare_side {
    char name[128];
    int sms;
    uint64_t peak_bytes; /* theoretical, per second; 0 = unknown */
    uint64_t l2_bytes;   /* this and the rest: 0 = unknown */
    int cc, clock_khz, threads_per_sm;
};

/* One GPU's answer to one problem. */
struct compare_cell {
    enum compare_basis basis;
    char winner[512];  /* the kernel, with its params */
    char changed[512]; /* of a prediction: the params that it has otherwise; "" */
    char source[160];  /* of a published figure; the file of a measured one; "" */
    uint64_t ps;       /* per reduction; 0 where the basis gives none; of a bound the least */
    double gbs;        /* 10^9 bytes per second; 0 = unknown */
    double peak_pct;   /* of the theoretical bandwidth; negative = unknown */
    bool has_own_gbs, has_own_pct; /* of a published one: are these the document's own? */
    uint64_t
        bound_ps; /* the least that its bound allows, also where it was measured; 0 = none */
    uint64_t low_ps, high_ps; /* of a prediction: its range, with ps in the middle */
    enum compare_why why;     /* why that is withheld */
    struct analysis analysis; /* of the winner here; is_compiled tells whether it is known */
    bool has_loss;            /* both measured: what the first GPU's winner loses here */
    double loss_pct;
    /* Measured, and its run's journal is here: how well what is said beforehand ranks. */
    struct compare_evidence {
        size_t count;        /* candidates; 0 = no journal */
        double bound, prior; /* rank correlation of each with the speed; the bound is by the
                              * registers that each had */
        bool has_code;       /* and each was compiled again: */
        double code;         /* of the bound by machine code, as predictions are made */
        size_t above;        /* faster than that bound (without it: the other) allows */
    } evidence;
};

struct compare_line {
    struct problem problem;
    uint64_t row;     /* elements that give one result; 0 = all of them */
    bool is_document; /* of what documents published of their own kernels, else of autotune's */
    struct compare_cell cells[COMPARE_SIDES_MAX];
    /* The least that a size of this problem took on each GPU, of those that prediction.h has
     * all under way at once, asked for or not; 0 = none was measured. */
    uint64_t latency_ps[COMPARE_SIDES_MAX];
};

struct compare {
    struct compare_side sides[COMPARE_SIDES_MAX]; /* 2 at least */
    size_t side_count;
    struct compare_line *lines;
    size_t line_count;
};

/* Performance portability of a line, in percent: the harmonic mean over all GPUs of the share
 * of the theoretical bandwidth (architectural efficiency). S. J. Pennycook, J. D. Sewall, V. W.
 * Lee, "Implications of a metric for performance portability", Future Generation Computer
 * Systems 92 (2019). Of measured figures, or of published ones, where all have these: `basis`
 * says which. Else, with COMPARE_BOUND, the most that it can be: of the shares that are
 * known, and of the bound of each GPU without one. Negative, with COMPARE_NOTHING: some GPU has not
 * even a bound. */
double compare_portability(const struct compare *compare, const struct compare_line *line,
                           enum compare_basis *basis);

/* One behind the last of the lines from `first` on that differ in size only. */
size_t compare_group_end(const struct compare *compare, size_t first);

/* Has this GPU a winner of its own, measured or published? */
bool compare_has_winner(const struct compare_cell *cell);

/* A row for each line and GPU, with all there is, for programs. Dispose of the table. */
void compare_table(struct table *out, const struct compare *compare);

#endif

/* published: reads the figures that a document gives for its own kernels on its own GPU, from
 * an INI file. They are for comparison only: no record is made of them, and every table marks
 * them as published. */
#ifndef AUTOTUNE_PUBLISHED_H
#define AUTOTUNE_PUBLISHED_H

#include "generator/error.h"
#include "generator/ini_field.h"
#include "generator/number.h"
#include "generator/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PUBLISHED_SCHEMA = 1, /* of the file's form */
    PUBLISHED_KERNELS_MAX = 32,
    PUBLISHED_FIGURES_MAX = 128,
};

/* A document's data of a kernel under one condition; keys of [figures]. Those before
 * PUBLISHED_MS are conditions, the others figures. */
enum published_column {
    PUBLISHED_THREADS,   /* threads: per block */
    PUBLISHED_ITEMS,     /* items: elements per thread at load */
    PUBLISHED_ROW,       /* row: elements that give one result, where there are many results */
    PUBLISHED_ELEMENTS,  /* elements: of the array, where it is not n */
    PUBLISHED_MS,        /* ms */
    PUBLISHED_US,        /* us */
    PUBLISHED_CPU_MS,    /* cpu_ms: the same work on the document's CPU */
    PUBLISHED_CPU_RATIO, /* cpu_ratio: times faster than that */
    PUBLISHED_TFLOPS,    /* tflops: 10^12 floating point operations per second */
    PUBLISHED_GBS,       /* gbs: 10^9 bytes per second, counted as the document counts */
    PUBLISHED_PEAK,      /* peak_pct: that in percent of the document's peak */
    PUBLISHED_COMPUTE,   /* compute_pct, memory_pct: throughput by Nsight Compute */
    PUBLISHED_MEMORY,
    PUBLISHED_STEP, /* step, total: times faster than the one before, than the first */
    PUBLISHED_TOTAL,
    PUBLISHED_OCCUPANCY, /* occupancy_pct, and with it the result of NVIDIA's calculator */
    PUBLISHED_REGISTERS,
    PUBLISHED_SHARED,
    PUBLISHED_SM_THREADS,
    PUBLISHED_SM_WARPS,
    PUBLISHED_SM_BLOCKS,
    PUBLISHED_BLOCK_WARPS,
    PUBLISHED_LIMIT_WARPS, /* limit_...: what an SM has */
    PUBLISHED_LIMIT_REGISTERS,
    PUBLISHED_LIMIT_SHARED,
    PUBLISHED_FIT_WARPS, /* fit_...: blocks an SM, were that the only limit */
    PUBLISHED_FIT_REGISTERS,
    PUBLISHED_FIT_SHARED,
    PUBLISHED_COLUMNS
};
extern const char *const published_columns[PUBLISHED_COLUMNS]; /* the keys */

/* A number exactly as it is written: 431.366 is {431366, 3, true}. */
struct published_number {
    uint64_t digits;
    unsigned decimals;
    bool is_there;
};

struct published_kernel {
    const char *name;   /* its section's: "1" for [figures 1] */
    const char *kernel; /* as in the document: "#1 interleaved modulo" */
    const char *rung;   /* of the ladder, that has the same kernel; NULL = none */
    const char *task;   /* its task where that is no reduction; NULL = the problem */
    struct ini_lines notes, remarks; /* as of the whole */
    struct problem problem;          /* the file's, with its own type and n */
    size_t first, count;             /* its figures */
};

struct published_figure {
    size_t kernel; /* its index */
    struct published_number at[PUBLISHED_COLUMNS];
    uint64_t ps; /* its ms or us; 0 = no time is given */
};

/* Which bytes a document counts for its GB/s; key gbs_counts of [published]. */
enum published_counts {
    PUBLISHED_COUNTS_NOTHING,  /* it does not say, or gives no GB/s */
    PUBLISHED_COUNTS_ELEMENTS, /* elements: those that are read */
    PUBLISHED_COUNTS_ROWS,     /* rows: and a result for each row */
    PUBLISHED_COUNTS_LEVELS, /* levels: what each launch reads and writes, until one is left */
    PUBLISHED_COUNTS
};

struct published {
    const char *source;               /* the document: "CS599 Lecture 6" */
    const char *gpu;                  /* its name in configs/gpus.ini; NULL = it has none */
    const char *gpu_name;             /* as the document has it */
    struct ini_lines conditions;      /* measuring conditions, and how its figures are
                                        * counted */
    struct ini_lines notes;           /* other statements of the document */
    struct ini_lines remarks;         /* this project's remarks; in no document */
    struct published_number peak_gbs; /* as the document has it */
    enum published_counts counts;
    struct problem problem;
    struct published_kernel kernels[PUBLISHED_KERNELS_MAX];
    struct published_figure figures[PUBLISHED_FIGURES_MAX];
    size_t kernel_count, figure_count;
    struct ini ini; /* holds the strings */
};

/* `file` names the bytes in errors. Anything unknown, missing, of another schema, not a number,
 * too much, or a list of another length than its neighbours is ERROR_USAGE with FILE:LINE.
 * Dispose of it after a success only. */
int published_load(struct published *out, const char *file, const char *bytes, size_t length,
                   struct error *error);
void published_dispose(struct published *published);

/* The number as a double; 0 where it is missing. */
double published_real(const struct published_number *number);

/* The number with its own digits, "3.90"; "" where it is missing. */
const char *published_write(char out[NUMBER_CHARS], const struct published_number *number);

/* A number to be shown: with as many significant digits as the document gives it, or where it is
 * computed, as the numbers have that it is computed from. */
struct published_value {
    double value; /* 0 = unknown */
    int digits;
    bool is_own; /* the document's; else computed, and in no document */
};

/* Its GB/s, else what the bytes of its elements and its time give. */
struct published_value published_gbs(const struct published *published,
                                     const struct published_figure *figure);

/* Its percent of the peak, else those GB/s in percent of `peak_gbs`, of which the document's own
 * digits count where it gives a peak; 0 = unknown. */
struct published_value published_share(const struct published *published,
                                       const struct published_figure *figure, double peak_gbs);

/* Of how many elements a figure is. */
uint64_t published_n(const struct published *published, const struct published_figure *figure);

/* Is that as good as this size? One document writes 8388688 for 2^23. */
bool published_is_size(uint64_t n, uint64_t size);

/* Significant digits of a number, 6 at most: three of 4.90 and of 0.268. */
int published_digits(const struct published_number *number);

/* Its time in milliseconds. */
struct published_value published_ms(const struct published_figure *figure);

/* "4.90 ms": its time with the document's digits and unit; "" where it gives none. */
const char *published_time(char out[NUMBER_CHARS], const struct published_figure *figure);

/* The same in microseconds for programs, without digits that are not there: "4900",
 * "4962.33". */
const char *published_us(char out[NUMBER_CHARS], const struct published_figure *figure);

/* "sum f32 1Gi": documents say nothing of caches. Returns `out`. */
char *published_problem(char out[PROBLEM_CHARS], const struct problem *problem);

/* The problem of a figure: the kernel's, of rows where it has a result for each. */
struct problem published_figure_problem(const struct published_kernel *kernel,
                                        const struct published_figure *figure);

/* The elements of each result, as figures have it; 0 where all are of one result, or of one scan. */
uint64_t published_row(const struct problem *problem);

/* The fastest of the kernel's figures of the same problem as `like`, with a time or GB/s; NULL = none
 * has either. */
const struct published_figure *published_fastest(const struct published *published,
                                                 const struct published_figure *like);

/* The fastest figure of a problem (type, op and dims; COLD counts as any) whose task is a reduction;
 * NULL = there is none with a time or GB/s. One with a time (ps > 0) goes before one without. */
const struct published_figure *published_best(const struct published *published,
                                              const struct problem *problem);

/* Compares their times; one with a time goes before one with only a bandwidth. Of two with the
 * same time, which is rounded, or with none the one with more GB/s is the faster. */
bool published_is_faster(const struct published_figure *figure,
                         const struct published_figure *other);

#endif

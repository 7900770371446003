/* prediction: computes the least time that a kernel would take on a GPU that did not run it: a
 * latency, then its bytes at the share of the bandwidth that static analysis allows
 *
 *     time >= latency + bytes from memory / (bound * peak bandwidth)
 *
 * and where that would say nothing, why. It becomes a prediction, which is a range, where at least
 * PREDICTION_GPUS_MIN of the GPUs compared have times of such kernels: the bound divided by the
 * largest and by the smallest share that bounds were of these times. The latency is measured where sizes so small were: the least time
 * of any, on that GPU or else on another; else it is that of Little's law (analysis.h).
 *
 * What static analysis leaves out (divergence, bank conflicts, barriers) may be what decides: a
 * kernel that ran on some GPU of the comparison, and there took so long that its bound for that
 * GPU is less than two thirds of the time, has none for any other. */
#ifndef AUTOTUNE_PREDICTION_H
#define AUTOTUNE_PREDICTION_H

#include "autotune/compare/compare.h"

/* What lines that differ in size only say together. */
struct prediction {
    size_t first, end; /* lines of the comparison */
    double latency_s[COMPARE_SIDES_MAX];
    size_t latency_of[COMPARE_SIDES_MAX]; /* the GPU that it was measured on; else side_count */
    /* From this size on each journal's bounds rank its candidates by speed, by more than chance
     * would (one-sided, at 5 %); 0 = no journal, UINT64_MAX = no size. */
    uint64_t ranks_from;
};

/* Is a problem so small that Little's law has all of it under way at once? */
bool prediction_is_latency(const struct compare_side *side, const struct problem *problem);

/* Of the group that begins with the line `first`. */
void prediction_gather(struct prediction *out, const struct compare *compare, size_t first);

/* Why nothing is predicted of a GPU at a line's size, of whatever kernel; else COMPARE_SAID. */
enum compare_why prediction_why(const struct prediction *prediction,
                                const struct compare *compare, const struct compare_line *line,
                                size_t side);

/* The size that a GPU's memory reads at full speed in its latency. */
uint64_t prediction_least_n(const struct prediction *prediction, const struct compare *compare,
                            size_t side);

/* The rank correlation that is judged: by machine code where that is known. */
double prediction_rank(const struct compare_evidence *evidence);

/* Is the bound of a winner far below the time that is known of it? */
bool prediction_is_far(const struct compare_cell *cell);

/* What bounds were of the times that are known of lines: the smallest and the largest share, and
 * how many GPUs have such times. */
enum { PREDICTION_GPUS_MIN = 3 };
struct prediction_range {
    double low, high;
    size_t gpus;
};
struct prediction_range prediction_evidence(const struct compare *compare, size_t first,
                                            size_t end);

/* Sets the times of all bounds, withholds those that would say nothing, sets the bound of what was
 * measured or published, and makes predictions where there is evidence. Each cell that has the
 * basis COMPARE_BOUND has a bound. */
void prediction_run(struct compare *compare);

#endif

/* prediction: computes the least time of a kernel on a GPU that did not run it: a latency, then
 * its bytes at the share of the bandwidth that static analysis allows
 *
 *     time >= latency + bytes from memory / (bound * peak bandwidth)
 *
 * with the latency of Little's law (analysis.h) on every GPU, or the reason why that would say
 * nothing. It becomes a prediction, which is a range, where at least PREDICTION_GPUS_MIN of the
 * GPUs compared have times of such kernels: the bound divided by the largest and by the smallest
 * ratio of bound to time among them.
 *
 * Small sizes take longer than that latency, and how much longer no analysis says. So a bound is
 * withheld where the bytes would take less than the least time of any size that was measured, on
 * that GPU or else on another. Such a time is in no bound: another GPU's is none of this one's,
 * and its own would be checked against the records that it is from.
 *
 * Static analysis leaves out divergence, bank conflicts and barriers, which may decide the
 * time: a kernel that on some GPU of the comparison took so long that its bound for that GPU is
 * less than two thirds of the time has no bound for any other. */
#ifndef AUTOTUNE_PREDICTION_H
#define AUTOTUNE_PREDICTION_H

#include "autotune/compare/compare.h"

/* Figures over all lines that differ in size only. */
struct prediction {
    size_t first, end; /* lines of the comparison */
    /* Bounds of less than this are withheld: the least time that was measured, else the latency
     * of Little's law. */
    double latency_s[COMPARE_SIDES_MAX];
    size_t latency_of[COMPARE_SIDES_MAX]; /* the GPU that it was measured on; else side_count */
    /* From this size on each journal's bounds rank its candidates by speed, by more than chance
     * would (one-sided, at 5 %); 0 = no journal, UINT64_MAX = no size. */
    uint64_t ranks_from;
};

/* Is a problem so small that by Little's law all its bytes are in flight at once? */
bool prediction_is_latency(const struct compare_side *side, const struct problem *problem);

/* Gathers the group that begins with the line `first`. */
void prediction_gather(struct prediction *out, const struct compare *compare, size_t first);

/* Why no kernel gets a prediction on a GPU at a line's size; else COMPARE_SAID. */
enum compare_why prediction_why(const struct prediction *prediction,
                                const struct compare *compare, const struct compare_line *line,
                                size_t side);

/* The size that a GPU's memory reads at full speed within its latency. */
uint64_t prediction_least_n(const struct prediction *prediction, const struct compare *compare,
                            size_t side);

/* The rank correlation to judge by: by machine code where that is known. */
double prediction_rank(const struct compare_evidence *evidence);

/* The share that the bound of a winner is of its known time; 0 = it has no such time, or was not
 * analysed, and then its bound is the peak, of which kernels say nothing. */
double prediction_share(const struct compare_cell *cell);

/* Is the bound of a winner far below its known time? */
bool prediction_is_far(const struct compare_cell *cell);

/* The ratios of bounds to known times of lines: the smallest, the largest, and the number of
 * GPUs with such times. */
enum { PREDICTION_GPUS_MIN = 3 };
struct prediction_range {
    double low, high;
    size_t gpus;
};
struct prediction_range prediction_evidence(const struct compare *compare, size_t first,
                                            size_t end);

/* Sets the times of all bounds, withholds those that would say nothing, sets the bound of
 * measured and published figures, and makes predictions where there is evidence. Each cell with
 * the basis COMPARE_BOUND has a bound. */
void prediction_run(struct compare *compare);

#endif

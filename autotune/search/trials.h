/* trials: keeps the outcome of each candidate, what identifies it, and the journal that
 * outlives the run. Hides which trials of a journal are still valid. */
#ifndef AUTOTUNE_TRIALS_H
#define AUTOTUNE_TRIALS_H

#include "autotune/search/tune_job.h"
#include "autotune/search/tune_result.h"

/* From keys to candidates, to find what was seen before. Initialise with zeros. */
struct trials_index {
    struct trials_entry {
        uint64_t key; /* 0 = free */
        uint64_t value;
    } *entries;
    size_t capacity, count;
};
void trials_index_dispose(struct trials_index *index);
/* True when the key was there, with its value in `out`; else adds it with `value`. -1 for
 * memory. */
int trials_index_add(struct trials_index *index, uint64_t key, uint64_t value, uint64_t *out,
                     struct error *error);
/* The value kept for the key, or NULL. */
const uint64_t *trials_index_find(const struct trials_index *index, uint64_t key);

/* What a candidate runs: its kernels (a hash of texts or of machine code) and its launches. */
int trials_identity(uint64_t *out, const struct point_context *context, const int64_t *config,
                    uint64_t kernels_hash, struct error *error);

/* Sets the outcome of a candidate; a later one replaces an earlier one. `reason` may be NULL or
 * "". */
void trials_judge(struct tune_result *result, size_t candidate, enum trial_status status,
                  const char *reason);

/* Takes the outcome of a trial. The score is its time, were the reference's still
 * result->reference_ps. */
void trials_take(struct tune_result *result, size_t candidate, const struct trial *trial);

/* Takes a journal's trials of the candidates, and then frees the journal's trials in memory:
 * there may be many. Candidates that a race left out count for a race only. */
int trials_recall(struct tune_result *result, const struct tune_job *job,
                  struct journal *journal, enum strategy strategy, struct error *error);

/* Appends a candidate's trial, whose kernels have this hash. A failure is kept in
 * result->journal_warning, once. */
void trials_record(struct tune_result *result, const struct tune_job *job,
                   struct journal *journal, size_t candidate, const struct trial *trial,
                   uint64_t sources_hash, double prior);

/* Gives equal candidates the outcome and the time of the one they are equal to. */
void trials_settle(struct tune_result *result);

#endif

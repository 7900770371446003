/* replies: handles the messages of workers for the coordinator: compiled units, proofs, trials.
 * Hides the deadlines of kernels and what variants teach the strategy. */
#ifndef AUTOTUNE_REPLIES_H
#define AUTOTUNE_REPLIES_H

#include "autotune/search/search.h"

/* Takes a compiled unit: variants that do not compile are judged, the others are queued. Takes
 * the frame over. */
int replies_compiled(struct search *search, size_t slot, struct frame *frame,
                     struct error *error);

/* Takes JOB_RACED: 1 with the result, 0 when the result is not possible and its worker was
 * replaced. */
int replies_raced(struct search *search, size_t slot, struct frame *frame,
                  struct job_raced *out, struct error *error);

/* Takes any other message. */
int replies_message(struct search *search, size_t slot, struct frame *frame,
                    struct error *error);

/* Judges a candidate without a time, and records the trial. */
void replies_judge(struct search *search, const struct job_trial *trial);
/* Judges all candidates of a variant that are not judged yet; withdraw: those that were
 * measured, whose times do not count any more. */
void replies_judge_variant(struct search *search, size_t variant, enum trial_status status,
                           const char *reason);
void replies_withdraw(struct search *search, size_t variant, enum trial_status status,
                      const char *reason);

/* Leaves out the candidates of a variant that are not judged yet. */
void replies_leave_out(struct search *search, size_t variant);

/* Learns, once before the search, from the variants that are judged already. */
void replies_learn(struct search *search);

/* When all is tried: judges equal candidates like those they are equal to, and records them. */
void replies_settle(struct search *search);

#endif

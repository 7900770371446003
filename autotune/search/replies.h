/* replies: the coordinator's side of what workers say: compiled units, proofs, trials. Hides the
 * deadlines of kernels and what variants teach the strategy. */
#ifndef AUTOTUNE_REPLIES_H
#define AUTOTUNE_REPLIES_H

#include "autotune/search/search.h"

/* A compiled unit came from the worker: its variants that do not compile are judged, the others
 * are queued. Takes the frame over. */
int replies_compiled(struct search *search, size_t slot, struct frame *frame,
                     struct error *error);

/* JOB_RACED came: 1 with the result, 0 when it cannot be, and its worker was replaced. */
int replies_raced(struct search *search, size_t slot, struct frame *frame,
                  struct job_raced *out, struct error *error);

/* Any other message. */
int replies_message(struct search *search, size_t slot, struct frame *frame,
                    struct error *error);

/* A verdict without a time, recorded. */
void replies_judge(struct search *search, const struct job_trial *trial);
/* The same for all candidates of a variant that are not judged yet; for those that were
 * measured, which does not count any more. */
void replies_judge_variant(struct search *search, size_t variant, enum trial_status status,
                           const char *reason);
void replies_withdraw(struct search *search, size_t variant, enum trial_status status,
                      const char *reason);

/* What of a variant is not judged yet is left out. */
void replies_leave_out(struct search *search, size_t variant);

/* What the variants that are judged already teach, once, before the search. */
void replies_learn(struct search *search);

/* When all is tried: equal candidates are judged like those they are equal to, and recorded. */
void replies_settle(struct search *search);

#endif

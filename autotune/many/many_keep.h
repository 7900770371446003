/* many_keep: is rank 0 beside its own work: gives problems out, keeps what comes, and prints a line for
 * each that is done. Knows no MPI. */
#ifndef AUTOTUNE_MANY_KEEP_H
#define AUTOTUNE_MANY_KEEP_H

#include "autotune/cli/request.h"
#include "autotune/many/many_letter.h"

struct many_keep_options {
    const struct request *request;
    const struct problem_file *file;
    uint32_t ranks;
    bool is_broadcast;
    const struct many_post *post;
};

struct many_keep;

/* NULL with the error. */
struct many_keep *many_keep_open(const struct many_keep_options *options, struct error *error);

/* A letter of a rank has come: trials are written and questions answered at once. A step saves the results
 * that wait of one kind of device, and gives problems out. */
void many_keep_take(struct many_keep *keep, uint32_t rank, enum many_letter kind,
                    struct text *letter);
void many_keep_step(struct many_keep *keep);

/* No more is begun: ranks end what they do, and send what they have tried. */
void many_keep_stop(struct many_keep *keep);

/* Is all done, or has each rank stopped? Then many_keep_end sends MANY_END. */
bool many_keep_is_over(const struct many_keep *keep);
void many_keep_end(struct many_keep *keep);

/* Writes the rest of the output, and closes. -1 when anything failed or was interrupted. */
int many_keep_close(struct many_keep *keep, struct error *error);

#endif

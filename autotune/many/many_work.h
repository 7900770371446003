/* many_work: is what each rank does: tunes what rank 0 says, in a process of its own as any tuning is,
 * and sends what becomes of it. Knows no MPI. */
#ifndef AUTOTUNE_MANY_WORK_H
#define AUTOTUNE_MANY_WORK_H

#include "autotune/many/many_hello.h"
#include "autotune/many/many_letter.h"

struct many_work_options {
    const char *program; /* the path of autotune */
    const struct request *request;
    const struct many_hello *hello; /* which has found a device */
    const struct many_post *post;
};

struct many_work;

/* Makes its cache, in TMPDIR of this host, and asks for work. NULL with the error. */
struct many_work *many_work_open(const struct many_work_options *options, struct error *error);
void many_work_close(struct many_work *work); /* ends what runs */

/* A letter of rank 0 has come; looks at the process, a few times a second or more often. */
void many_work_take(struct many_work *work, enum many_letter kind, const struct text *letter);
void many_work_step(struct many_work *work);

/* Merges what MANY_END brings into the request's cache on this host (--broadcast); what cannot be is warned
 * of. */
void many_work_merge(const struct request *request, const struct text *letter);

#endif

/* tune_share: is rank 0 of a shared list: brings together what says who does what (share.h), the files,
 * and a way to speak with the ranks, which is not its own. */
#ifndef AUTOTUNE_TUNE_SHARE_H
#define AUTOTUNE_TUNE_SHARE_H

#include "autotune/cli/request.h"
#include "autotune/share/wire.h"

struct tune_share_transport {
    void *context;
    uint32_t ranks;
    void (*send)(void *context, uint32_t rank, const struct wire *message);
    /* The next message, which is the caller's: 1, 0 = none is there, -1. */
    int (*receive)(void *context, uint32_t *rank, struct wire *out, struct error *error);
    /* Returns soon, at once when something came or the file is readable. */
    void (*wait)(void *context, int file);
};

/* Has the request's --problems tuned by all ranks: a line of output each as it is done, records and
 * journals in --cache. `is_clean`: all ranks have ended. -1 when anything failed; what was done is kept.
 */
int tune_share(bool *is_clean, const struct request *request, bool is_broadcast,
               const struct tune_share_transport *transport, struct error *error);

#endif

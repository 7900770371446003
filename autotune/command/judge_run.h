/* judge_run: proves a judged kernel in a process of its own: at small sizes, each launch by itself, and
 * where that is right at n, as a winner is. Whatever the kernel does to its process, what was found stays. */
#ifndef AUTOTUNE_JUDGE_RUN_H
#define AUTOTUNE_JUDGE_RUN_H

#include "autotune/cli/request.h"
#include "autotune/command/judge_findings.h"

/* No pointers: two processes have it. */
struct judge_report {
    struct judge_findings findings;
    char device[200];
    int registers; /* a thread's; 0: not known */
    int64_t shared_bytes,
        local_bytes;             /* a block's, without dynamic ones; spilled, a thread's */
    uint64_t n;                  /* of the last proof; 0: there was none */
    char at_n[JUDGE_WHAT_CHARS]; /* what was wrong there; "": nothing */
    double error, bound;         /* on random floats; error < 0: none was measured */
};

/* What is known of the kernel's launches. */
struct judge_launch {
    uint64_t tile;  /* elements that a block takes at a time; 0: as many as it has threads */
    bool is_packed; /* it is told of no strides: elements lie one behind another */
};

/* `report` is of supervise_alloc; the request has the texts of space and template. -1 where nothing can be said of
 * the kernel: it does not compile, the device fails. */
int judge_run(struct judge_report *report, const struct request *request,
              const struct judge_launch *launch, struct error *error);

#endif

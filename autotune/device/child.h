/* child: runs another program to its end, with the signals that programs expect: nothing blocked,
 * and children that can be waited for, whatever this process does with its own. */
#ifndef AUTOTUNE_CHILD_H
#define AUTOTUNE_CHILD_H

#include <stdbool.h>

enum {
    CHILD_NOT_RUN = -1, /* why is in errno */
    CHILD_ENDED_UNSEEN =
        256,           /* it has ended, but the system or the caller has taken its status away:
                              * SIGCHLD is ignored, or a handler waits for all children */
    CHILD_SIGNAL = 512 /* + n: signal n ended it */
};

/* Runs argv[0], sought in PATH unless it has a slash, to its end: stdin is empty, stderr goes to
 * `messages`, and so does stdout if `keeps_output`. Returns its exit status, or one of the above. */
int child_run(const char *const *argv, char *const *environment, int messages,
              bool keeps_output);

#endif

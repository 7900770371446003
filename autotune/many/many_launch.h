/* many_launch: says what whoever started the ranks has decided, and decides what is left open: which GPU and
 * which cores of its host a rank has. */
#ifndef AUTOTUNE_MANY_LAUNCH_H
#define AUTOTUNE_MANY_LAUNCH_H

#include "generator/error.h"

#include <limits.h>

/* The rank, before MPI is there to say so; 0 where nobody does. */
unsigned many_launch_rank(void);

/* Where nobody has said which GPUs this rank sees, and which cores it has, those of the host are given out
 * in turn. */
void many_launch_take_share(void);

/* Takes the launcher's variables out of the environment, once MPI has read them: those that are started from
 * here are no ranks. How many processes share this host's cores they are told. */
void many_launch_leave(void);

/* The path of the autotune that lies beside this program. */
int many_launch_program(char out[PATH_MAX], struct error *error);

#endif

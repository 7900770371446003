/* tune_serve: is the coordinator of one rank of a shared list: tunes what rank 0 says, on this rank's
 * GPU and cores, and tells rank 0 each trial and each winner. It opens no MPI. */
#ifndef AUTOTUNE_TUNE_SERVE_H
#define AUTOTUNE_TUNE_SERVE_H

#include "autotune/cli/request.h"

/* Serves over a stream socket, in messages of share_message.h, until it is told to end or the other
 * side closes it. `local`: processes that have this machine's cores between them. What fails is told;
 * -1 only where that cannot be. */
int tune_serve(const struct request *request, int socket, unsigned local, struct error *error);

/* The argument that makes the program such a coordinator: {"autotune", TUNE_SERVE_ARGUMENT, LOCAL,
 * OPTION..., NULL}, with its socket as WORKER_PROCESS_SOCKET. */
#define TUNE_SERVE_ARGUMENT "serve"

#endif

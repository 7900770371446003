/* verb_serve: is the coordinator of one rank, which autotune-mpi starts: see tune_serve.h. */
#include "autotune/cli/verbs.h"
#include "autotune/search/worker_process.h"
#include "autotune/tune/tune_serve.h"

#include <stdlib.h>

static int run_verb(int argc, char **argv, struct error *error)
{
    struct request request;
    const unsigned long local = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    if (local < 1 || local > 100000)
        return error_set(error, ERROR_USAGE, "serve is for autotune-mpi alone: see cluster.md");
    argv[1] = argv[0];
    if (request_parse(&request, &verb_tune, NULL, argc - 1, argv + 1, error))
        return -1;
    if (!request.problems)
        return error_set(error, ERROR_USAGE,
                         "give --problems FILE, a list: see 'autotune list problems'");
    return tune_serve(&request, WORKER_PROCESS_SOCKET, (unsigned)local, error);
}

const struct verb_row verb_serve = {.name = TUNE_SERVE_ARGUMENT, .run = run_verb};

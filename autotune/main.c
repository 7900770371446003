/* main: finds the verb, runs it, prints what went wrong, exits. The only place that exits. */
#include "autotune/command/verbs.h"
#include "generator/error.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static int run(int argc, char **argv, struct error *error)
{
    static char program[32]; /* what usage messages call us: "autotune show" */
    const struct verb_row *verb = NULL;
    if (argc > 1 && argv[1][0] != '-') {
        verb = verbs_find(argv[1]);
        if (!verb)
            return error_set(error, ERROR_USAGE,
                             "unknown command '%s': 'autotune help' lists the commands", argv[1]);
        snprintf(program, sizeof program, "autotune %s", verb->name);
        argv[1] = program;
        return verb->run(argc - 1, argv + 1, error);
    }
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return verb_help(argc, argv, error);
    if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0))
        return verb_version(argc, argv, error);
    return verb_tune(argc, argv, error);
}

int main(int argc, char **argv)
{
    struct error error = {.code = ERROR_FAILED};
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, which has an exit code */
    if (run(argc, argv, &error) == 0)
        return 0;
    fprintf(stderr, "autotune: %s\n", error.text);
    return error.code;
}

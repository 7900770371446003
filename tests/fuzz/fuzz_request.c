/* Fuzzes autotune/cli/request.c and all that reads the value of an option, as a command line and as
 * a line of a list of problems: no words crash it, what is refused says why, and of what is taken
 * the problem is one that there is. The first byte chooses the verb; a zero byte ends a word. */
#include "autotune/cli/request.h"
#include "autotune/cli/verbs.h"
#include "tests/unit/named_op.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

enum { WORDS_MAX = 40, OWN_BYTES = 1 << 16 };

static void demand(bool holds)
{
    if (!holds)
        abort();
}

/* Help goes nowhere. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    demand(freopen("/dev/null", "w", stdout) != NULL);
    return 0;
}

static void check_request(const struct request *request)
{
    demand(request->problem.op && request->problem.type < TYPE_COUNT &&
           request->problem.acc < TYPE_COUNT);
    demand(request->size_count <= REQUEST_SIZES_MAX);
    demand(request->n_low <= request->n_high || !request->n_high);
    demand(!request->has_part || request->part.index < request->part.count);
}

static void check_words(char *bytes, size_t size, const struct verb_row *verb)
{
    static max_align_t
        own[OWN_BYTES / sizeof(max_align_t)]; /* more than a verb's options take */
    static char name[] = "autotune";
    char *argv[WORDS_MAX + 2] = {name};
    int argc = 1;
    struct request request;
    struct error error = {0};
    for (size_t at = 0; at < size && argc <= WORDS_MAX; at += strlen(bytes + at) + 1)
        argv[argc++] = bytes + at;
    memset(own, 0, sizeof own);
    if (request_parse(&request, verb, own, argc, argv, &error) == 0)
        check_request(&request);
    else
        demand(error.code == ERROR_NONE || *error.text);
}

static void check_line(char *line)
{
    const struct request base = {.verb = VERB_TUNE, .problem = {.op = operation_usual()}};
    struct request request;
    struct error error = {0};
    if (request_parse_line(&request, &base, line, &error) == 0)
        check_request(&request);
    else
        demand(*error.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = calloc(size + 2, 1);
    demand(bytes != NULL);
    if (size > 0) {
        memcpy(bytes, data + 1, size - 1);
        size_t verb = 0;
        while (verb < data[0] && verbs[verb])
            verb++;
        if (verbs[verb] && verbs[verb]->verb)
            check_words(bytes, size - 1, verbs[verb]);
        else
            check_line(bytes);
    }
    free(bytes);
    return 0;
}

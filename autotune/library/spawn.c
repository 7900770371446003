/* spawn: makes a command line for the program, runs it, and reads the error of a failed run.
 * Its messages go to a file in memory, which cannot fill up and make it wait as a pipe can. */
#include "autotune/library/spawn.h"

#include "autotune/device/child.h"
#include "autotune/device/temporary.h"
#include "generator/dims_text.h"
#include "generator/operation_input.h"
#include "generator/operation_param.h"
#include "generator/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 64, SAID_CHARS = 1000 };

struct command {
    const char *at[ARGUMENTS_MAX];
    size_t count;
    char size[DIMS_TEXT_CHARS], budget[32];
    const char *op;                         /* what --op takes */
    struct text params[PROBLEM_PARAMS_MAX]; /* what --param takes */
    struct text lies[PROBLEM_FURTHER_MAX];  /* what --lies takes */
};

static void add(struct command *command, const char *option, const char *value)
{
    command->at[command->count++] = option;
    if (value)
        command->at[command->count++] = value;
}

/* The values that the caller has given. */
static int add_params(struct command *command, const struct problem *problem,
                      struct error *error)
{
    for (size_t k = 0; k < operation_param_count(problem->op); k++) {
        struct text *param = &command->params[k];
        if (!(problem->params.given >> k & 1))
            continue;
        problem_add_param(param, problem, k);
        if (text_check(param, error))
            return -1;
        add(command, "--param", param->at + 1); /* behind the blank */
    }
    return 0;
}

/* How the further inputs lie that do not lie as the first. */
static int add_lies(struct command *command, const struct problem *problem, struct error *error)
{
    for (size_t k = 1; k < problem_inputs(problem); k++) {
        struct text *lie = &command->lies[k - 1];
        if (problem->further[k - 1].lie == LIES_ALIKE)
            continue;
        problem_add_lie(lie, problem, k);
        if (text_check(lie, error))
            return -1;
        add(command, "--lies", lie->at + 1); /* behind the blank */
    }
    return 0;
}

/* The words of the options for the problem's dims. */
static void add_size(struct command *command, const struct problem *problem)
{
    char *rest;
    dims_text_options(command->size, &problem->dims);
    for (char *word = strtok_r(command->size, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest))
        add(command, word, NULL);
}

static int make_command(struct command *command, const struct spawn_request *request,
                        struct error *error)
{
    const struct problem *problem = request->problem;
    snprintf(command->budget, sizeof command->budget, "%.0fms", request->budget_seconds * 1000);
    command->count = 0;
    add(command, request->program, "tune");
    add(command, "--quiet", NULL);
    add(command, "--device", request->info->spec);
    add(command, "--op", command->op);
    add(command, "--type", problem_types[problem->type].name);
    add(command, "--acc", problem_types[problem->acc].name);
    add_size(command, problem);
    if (dims_is_segmented(&problem->dims)) {
        add(command, "--offsets", problem_types[problem->offsets].name);
        add(command, "--lengths", problem_lengths[problem->lengths]);
    }
    if (problem_is_on_host(problem))
        add(command, "--data", problem_regimes[problem->regime]);
    else
        add(command, problem->regime == WARM ? "--warm" : "--cold", NULL);
    if (problem->order != ORDER_FREE)
        add(command, "--order", problem_orders[problem->order].name);
    add(command, "--cache", request->folder);
    if (request->nvrtc)
        add(command, "--nvrtc", request->nvrtc);
    if (request->budget_seconds > 0)
        add(command, "--budget", command->budget);
    const int failed = add_params(command, problem, error) || add_lies(command, problem, error);
    add(command, NULL, NULL);
    return failed ? -1 : 0;
}

/* The last line of its messages, which is its error. */
static void read_last(int messages, char out[SAID_CHARS])
{
    const off_t end = lseek(messages, 0, SEEK_END);
    const off_t first = end > SAID_CHARS - 1 ? end - (SAID_CHARS - 1) : 0;
    const ssize_t got = pread(messages, out, SAID_CHARS - 1, first);
    size_t length = got > 0 ? (size_t)got : 0;
    while (length && out[length - 1] == '\n')
        length--;
    out[length] = '\0';
    const char *newline = strrchr(out, '\n');
    if (newline)
        memmove(out, newline + 1, strlen(newline + 1) + 1);
}

/* Where nobody saw how it ended, only the record tells. */
static int judge(int status, int messages, struct error *error)
{
    char said[SAID_CHARS];
    if (status == 0 || status == CHILD_ENDED_UNSEEN)
        return 0;
    if (status > CHILD_SIGNAL)
        return error_set(error, ERROR_TUNE_FAILED,
                         "tuning was ended by signal %d: run it by hand",
                         status - CHILD_SIGNAL);
    read_last(messages, said);
    return error_set(error, ERROR_TUNE_FAILED, "tuning failed with exit status %d: %s", status,
                     *said ? said : "it said nothing; run it by hand");
}

static int run_program(struct command *command, const struct spawn_request *request,
                       struct error *error)
{
    if (!request->program)
        return error_set(
            error, ERROR_NO_PROGRAM,
            "there is no record to plan from, and no program to make one: set "
            "autotune_context_options.program to the path of the installed autotune");
    if (make_command(command, request, error))
        return -1;
    const int messages = memfd_create("messages", MFD_CLOEXEC);
    if (messages < 0)
        return error_set(error, ERROR_FAILED, "no file for what autotune says: %s",
                         strerror(errno));
    const int status = child_run(command->at, environ, messages, false);
    const int failed =
        status == CHILD_NOT_RUN
            ? error_set(error, ERROR_NO_PROGRAM,
                        "%.500s cannot be started: %s; set autotune_context_options.program to "
                        "the path of the installed autotune",
                        request->program, strerror(errno))
            : judge(status, messages, error);
    close(messages);
    return failed;
}

/* Writes the text of an operation of the caller's own to a file. */
static int write_operation(struct text *path, const struct temporary *folder,
                           const struct operation *op, struct error *error)
{
    text_addf(path, "%s/%s.ini", folder->path, op->name);
    FILE *file = path->failed ? NULL : fopen(path->at, "we");
    const bool is_whole = file && fputs(op->source, file) >= 0;
    if (!file || fclose(file) != 0 || !is_whole)
        return error_set(error, ERROR_IO, "no file for the text of operation '%s': %s",
                         op->name, strerror(errno));
    return 0;
}

int spawn_tuning(const struct spawn_request *request, struct error *error)
{
    const struct operation *op = request->problem->op;
    struct command command = {.op = op->name};
    struct temporary folder;
    struct text path = {0};
    if (!op->is_own)
        return run_program(&command, request, error);
    if (temporary_open(&folder, error))
        return -1;
    int failed = write_operation(&path, &folder, op, error);
    command.op = path.at;
    if (!failed)
        failed = run_program(&command, request, error);
    for (size_t k = 0; k < PROBLEM_PARAMS_MAX; k++)
        text_dispose(&command.params[k]);
    for (size_t k = 0; k < PROBLEM_FURTHER_MAX; k++)
        text_dispose(&command.lies[k]);
    text_dispose(&path);
    temporary_close(&folder);
    return failed;
}

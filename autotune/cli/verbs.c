/* verbs: holds the table of verbs, and prints help and version. */
#include "autotune/cli/verbs.h"

#include "autotune/cli/output.h"
#include "autotune/search/worker.h"

#include <stdio.h>
#include <string.h>

static verb_run run_help, run_version, run_worker;

const struct verb_row verb_help = {.name = "help",
                                   .summary =
                                       "print this, or the help of a verb: autotune help emit",
                                   .run = run_help},
                      verb_version = {.name = "version",
                                      .summary = "print the version",
                                      .run = run_version};
static const struct verb_row verb_worker = {.name = WORKER_ARGUMENT, .run = run_worker};

const struct verb_row *const verbs[] = {
    &verb_tune,   &verb_show,   &verb_merge,   &verb_list,    &verb_emit,   &verb_verify,
    &verb_bench,  &verb_ladder, &verb_profile, &verb_reduce,  &verb_export, &verb_compare,
    &verb_report, &verb_doctor, &verb_help,    &verb_version, &verb_worker, NULL,
};

const struct verb_row *verbs_find(const char *name)
{
    for (const struct verb_row *const *verb = verbs; *verb; verb++)
        if (strcmp((*verb)->name, name) == 0)
            return *verb;
    return NULL;
}

const struct verb_row *verbs_of(unsigned mask)
{
    for (const struct verb_row *const *verb = verbs; *verb; verb++)
        if ((*verb)->verb & mask)
            return *verb;
    return NULL;
}

int verbs_refuse(const char *name, struct error *error)
{
    const char *names[sizeof verbs / sizeof *verbs];
    char hint[TEXT_HINT_CHARS];
    size_t count = 0;
    for (const struct verb_row *const *verb = verbs; *verb; verb++)
        if ((*verb)->summary)
            names[count++] = (*verb)->name;
    return error_set(error, ERROR_USAGE,
                     "there is no command '%.100s': %s'autotune help' lists them", name,
                     text_hint(hint, name, names, count));
}

/* The --help of the verb named after "help". */
static int help_verb(const char *name, struct error *error)
{
    const struct verb_row *verb = verbs_find(name);
    char program[64], option[] = "--help";
    char *argv[] = {program, option, NULL};
    if (!verb)
        return verbs_refuse(name, error);
    snprintf(program, sizeof program, "autotune %s", verb->name);
    return verb->verb ? verb->run(2, argv, error) : run_help(1, argv, error);
}

static int run_help(int argc, char **argv, struct error *error)
{
    struct text text = {0};
    if (argc > 2)
        return error_set(error, ERROR_USAGE,
                         "'%.100s' is one argument too many: write 'autotune "
                         "help' and one command at most",
                         argv[2]);
    if (argc == 2)
        return help_verb(argv[1], error);
    text_adds(
        &text,
        "autotune finds the fastest reduction for a GPU, proves it correct and keeps it.\n\n"
        "Usage: autotune [tune] [OPTION...]\n"
        "       autotune VERB [OPTION...]\n\nVerbs:\n");
    for (const struct verb_row *const *verb = verbs; *verb; verb++)
        if ((*verb)->summary)
            text_addf(&text, "  %-9s %s\n", (*verb)->name, (*verb)->summary);
    text_adds(
        &text,
        "\nThe options of tune work without the verb; 'autotune VERB --help' lists a "
        "verb's.\n\n"
        "Examples:\n"
        "  autotune --device 0 --n 400M                  tune the sum of 400,000,000 i32\n"
        "  autotune --n 64Mi --type f32 --op max         another problem, on the first GPU\n"
        "  autotune emit --n 400M > reduce.cu            the winner as CUDA source\n"
        "  autotune show                                 what was found so far\n\n"
        "Exit: 0 done, 1 failed, 64 usage, 69 no such device, driver or NVRTC,\n"
        "70 a result was wrong, 74 input or output failed, 75 too noisy to decide,\n"
        "130 interrupted, progress kept.\n");
    int failed = output_text(&text, error);
    text_dispose(&text);
    return failed;
}

static int run_version(int argc, char **argv, struct error *error)
{
    struct text text = {0};
    if (argc > 1)
        return error_set(error, ERROR_USAGE,
                         "'%.100s' is one argument too many: write 'autotune version' alone",
                         argv[1]);
    text_adds(&text, "autotune " VERSION "\n");
    int failed = output_text(&text, error);
    text_dispose(&text);
    return failed;
}

/* A worker process, which the coordinator of a tuning starts. */
static int run_worker(int argc, char **argv, struct error *error)
{
    (void)argc, (void)argv;
    return worker_run(error);
}

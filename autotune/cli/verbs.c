/* verbs: holds the table of verbs, runs one, and prints help and version. */
#include "autotune/cli/verbs.h"

#include "autotune/cli/output.h"
#include "autotune/cli/request.h"
#include "autotune/search/worker.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run_help(int argc, char **argv, struct error *error);
static int run_version(int argc, char **argv, struct error *error);
static int run_worker(int argc, char **argv, struct error *error);

const struct verb_row verb_help = {.name = "help",
                                   .summary =
                                       "print this, or the help of a verb: autotune help emit",
                                   .run = run_help},
                      verb_version = {.name = "version",
                                      .summary = "print the version",
                                      .run = run_version};
static const struct verb_row verb_worker = {.name = WORKER_ARGUMENT, .run = run_worker};

const struct verb_row *const verbs[] = {
    &verb_tune,    &verb_check,  &verb_show,    &verb_merge,   &verb_list,
    &verb_emit,    &verb_verify, &verb_judge,   &verb_bench,   &verb_ladder,
    &verb_profile, &verb_reduce, &verb_export,  &verb_compare, &verb_report,
    &verb_doctor,  &verb_help,   &verb_version, &verb_worker,  NULL,
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

static int take_step(verb_step *step, void *work, struct error *error)
{
    return step ? step(work, error) : 0;
}

int verbs_run(const struct verb_row *verb, int argc, char **argv, struct error *error)
{
    if (operation_open(error))
        return -1;
    if (verb->run)
        return verb->run(argc, argv, error);
    assert(verb->bytes >= sizeof(struct request) && verb->own < verb->bytes);
    struct request *work = calloc(1, verb->bytes);
    if (!work)
        return error_memory(error, verb->bytes);
    void *own = verb->own ? (char *)work + verb->own : NULL;
    int failed = request_parse(work, verb, own, argc, argv, error);
    if (!failed) {
        failed = take_step(verb->set_up, work, error) || take_step(verb->gather, work, error) ||
                 take_step(verb->show, work, error);
        if (verb->clean_up)
            verb->clean_up(work);
    }
    free(work);
    return failed ? -1 : 0;
}

/* --- Verbs of the program itself ---------------------------------------------------------- */

/* The --help of the verb named after "help". */
static int help_verb(const char *name, struct error *error)
{
    const struct verb_row *verb = verbs_find(name);
    char program[64], option[] = "--help";
    char *argv[] = {program, option, NULL};
    if (!verb)
        return verbs_refuse(name, error);
    snprintf(program, sizeof program, "autotune %s", verb->name);
    return verb->run ? run_help(1, argv, error) : verbs_run(verb, 2, argv, error);
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
        "Exit: 0 done, 1 failed, 3 slower than before (check), 64 usage,\n"
        "69 no such device, driver or NVRTC, 70 a result was wrong,\n"
        "74 input or output failed, 75 too noisy to decide,\n"
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

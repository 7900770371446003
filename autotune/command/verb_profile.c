/* verb_profile: runs one kernel under Nsight Compute. It starts ncu on this very program, which
 * with --run launches the kernel and nothing else, and reads ncu's figures back. */
#include "autotune/analysis/pattern.h"
#include "autotune/analysis/tool.h"
#include "autotune/cli/options.h"
#include "autotune/cli/output.h"
#include "autotune/cli/setup.h"
#include "autotune/cli/verbs.h"
#include "autotune/command/profile_report.h"
#include "autotune/device/locate.h"
#include "autotune/ladder/ladder_rung.h"
#include "autotune/search/single_run.h"
#include "autotune/tune/tune_notes.h"
#include "generator/call.h"
#include "generator/command.h"
#include "generator/number.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What profile alone has options for. */
struct profile_request {
    bool run; /* launch the kernel, as ncu wants it */
};

/* The kernel to profile: a variant of a space, or a rung of the ladder. */
struct work {
    struct request request;
    struct profile_request own;
    struct setup setup;
    struct rungs rungs;
    struct ladder_rung rung; /* its space is NULL if the work is no rung */
    struct point_context context;
    struct emit_sources sources;
    int64_t config[SPACE_NAMES_MAX];
    struct planner_plan plan;
};

/* --- Which kernel ------------------------------------------------------------------------- */

static const struct rung *find_rung(const struct rungs *rungs, const char *name,
                                    struct error *error)
{
    bool ignored[RUNGS_MAX] = {false};
    for (size_t i = 0; i < rungs->count; i++)
        if (strcmp(rungs->rungs[i].name, name) == 0)
            return &rungs->rungs[i];
    if (rungs_choose(rungs, name, ignored, error) == 0)
        error_set(error, ERROR_USAGE,
                  "'%.60s' is a group of rungs: name one of them, as %.60s-1", name, name);
    return NULL;
}

static int open_rung(struct work *work, struct error *error)
{
    const struct rung *rung;
    if (ladder_rung_list(&work->rungs, error))
        return -1;
    rung = find_rung(&work->rungs, work->request.topic, error);
    if (!rung || ladder_rung_open(&work->rung, &work->rungs, rung, error))
        return -1;
    if (ladder_rung_match(&work->rung, work->context.problem, error) ||
        ladder_rung_settle(&work->rung, work->context.problem, work->context.target, error))
        return -1;
    work->context.space = work->rung.space;
    work->sources.template = work->rung.template;
    memcpy(work->config, work->rung.config, sizeof work->config);
    const int broken = point_reject(&work->context, work->config, error);
    if (broken >= 0)
        return error_set(error, ERROR_USAGE, "%s does not run here: %s", rung->name,
                         work->rung.space->rules[broken].reason);
    output_note(&work->request, "kernel    %s: %s of %s\n", rung->name, rung->kernel,
                work->rungs.groups[rung->group].title);
    return broken == POINT_FAILED ? -1 : 0;
}

static int open_variant(struct work *work, struct error *error)
{
    struct text params = {0};
    if (setup_config(work->config, &work->setup, &work->request, error))
        return -1;
    point_format(&params, work->setup.space, work->config, true);
    output_note(&work->request, "kernel    %s\n", params.at ? params.at : "");
    text_dispose(&params);
    return 0;
}

static int open_work(struct work *work, struct error *error)
{
    struct setup *setup = &work->setup;
    const char *name = work->request.topic;
    const bool is_rung = name && !strchr(name, '=');
    if (name && !is_rung)
        work->request.variant = name;
    work->request.quiet |= work->own.run; /* ncu's output is read, and ours is in it */
    if (setup_open(setup, &work->request, true, error))
        return -1;
    tune_notes_setup(&work->request, setup, 1);
    work->context = setup->context;
    work->sources = setup->sources;
    return (is_rung ? open_rung(work, error) : open_variant(work, error)) ||
                   call_plan(&work->plan, &work->context, work->config, error)
               ? -1
               : 0;
}

static void close_work(struct work *work)
{
    ladder_rung_close(&work->rung);
    rungs_dispose(&work->rungs);
    setup_close(&work->setup);
    free(work);
}

/* --- ncu's command line ------------------------------------------------------------------- */

enum { NCU_WORDS = 32 };

struct command {
    const char **words; /* NULL-terminated once it is whole */
    size_t count;
    char program[PATH_MAX], kernel[80], before[NUMBER_CHARS], launches[NUMBER_CHARS];
};

static void add_words(struct command *command, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        command->words[command->count++] = words[i];
}

/* Adds ncu's options that select the launches, and leave the clocks alone. */
static void add_launches(struct command *command, const struct work *work)
{
    const size_t count = (size_t)work->plan.count;
    snprintf(command->kernel, sizeof command->kernel, "regex:%.60s",
             work->context.space->kernel);
    snprintf(command->before, sizeof command->before, "%zu", SINGLE_RUN_BEFORE * count);
    snprintf(command->launches, sizeof command->launches, "%zu", count);
    const bool is_warm = work->setup.problem.regime == WARM;
    const char *const words[] = {"--clock-control",        "none",          "--cache-control",
                                 is_warm ? "none" : "all", "--kernel-name", command->kernel,
                                 "--launch-skip",          command->before, "--launch-count",
                                 command->launches};
    add_words(command, words, sizeof words / sizeof *words);
}

/* This program with the arguments that it was given, and --run. */
static int add_ourselves(struct command *command, int argc, char **argv, struct error *error)
{
    const ssize_t length =
        readlink("/proc/self/exe", command->program, sizeof command->program - 1);
    if (length < 0)
        return error_set(error, ERROR_FAILED, "/proc/self/exe cannot be read: mount /proc");
    command->program[length] = '\0';
    const char *const before[] = {command->program, "profile", "--run"};
    add_words(command, before, sizeof before / sizeof *before);
    for (int i = 1; i < argc; i++)
        command->words[command->count++] = argv[i];
    return 0;
}

/* ncu with these words first; to be freed by free(out->words). */
static int make_command(struct command *out, const struct work *work, const char *const *first,
                        size_t first_count, int argc, char **argv, struct error *error)
{
    const size_t room = NCU_WORDS + first_count + (size_t)argc;
    *out = (struct command){.words = calloc(room, sizeof *out->words)};
    if (!out->words)
        return error_memory(error, room * sizeof *out->words);
    add_words(out, first, first_count);
    add_launches(out, work);
    return add_ourselves(out, argc, argv, error);
}

/* The command that shows all that ncu can measure of this kernel. */
static int write_by_hand(struct text *out, const struct work *work, int argc, char **argv,
                         struct error *error)
{
    static const char *const first[] = {"ncu", "--set", "full", "-o", "profile"};
    struct command command;
    int failed =
        make_command(&command, work, first, sizeof first / sizeof *first, argc, argv, error);
    for (size_t i = 0; i < command.count && !failed; i++) {
        text_adds(out, i ? " " : "");
        command_add_word(out, command.words[i]);
    }
    free(command.words);
    return failed;
}

/* --- The profile -------------------------------------------------------------------------- */

/* ncu's output, and its standard error. */
struct said {
    struct text out, errors;
};

static int run_ncu(struct said *said, const struct work *work, const char *ncu, int argc,
                   char **argv, struct error *error)
{
    struct text metrics = {0};
    struct command command = {.words = NULL};
    ncu_metrics(&metrics);
    const char *const first[] = {"env", "LC_ALL=C",      ncu,    "--csv",     "--page",
                                 "raw", "--print-units", "base", "--metrics", metrics.at};
    int failed =
        text_check(&metrics, error) ||
        make_command(&command, work, first, sizeof first / sizeof *first, argc, argv, error);
    if (!failed && tool_run(&said->out, &said->errors, command.words) < 0)
        failed = error_set(error, ERROR_FAILED, "%s did not come to its end", ncu);
    failed = failed || text_check(&said->out, error) || text_check(&said->errors, error);
    free(command.words);
    text_dispose(&metrics);
    return failed ? -1 : 0;
}

/* What the emulator counts of the same kernel; NULL where it does not run it, as without a C
 * compiler. */
static const struct pattern *find_pattern(struct pattern *out, const struct work *work)
{
    struct error ignored;
    return pattern_run(out, &work->context, &work->sources, work->config, &ignored) == 0 &&
                   out->is_known
               ? out
               : NULL;
}

static int profile_with(const struct work *work, const char *ncu, int argc, char **argv,
                        struct error *error)
{
    struct ncu_launch *launches = calloc(PLANNER_LAUNCHES, sizeof *launches);
    struct said said = {0};
    struct pattern pattern;
    size_t count;
    if (!launches)
        return error_memory(error, PLANNER_LAUNCHES * sizeof *launches);
    int failed =
        run_ncu(&said, work, ncu, argc, argv, error) ||
        ncu_parse(launches, (size_t)work->plan.count, &count, &said.out, &said.errors, error) ||
        profile_report(&work->request, &work->plan, work->context.space, launches, count,
                       find_pattern(&pattern, work), error);
    text_dispose(&said.out);
    text_dispose(&said.errors);
    free(launches);
    return failed ? -1 : 0;
}

static int profile(const struct work *work, int argc, char **argv, struct error *error)
{
    const struct device_info *info = &work->setup.device->info;
    struct text ncu = {0}, by_hand = {0};
    int failed;
    if (info->target.is_host)
        return error_set(error, ERROR_NO_DEVICE, "ncu profiles kernels on a GPU, %s",
                         info->is_fallback
                             ? "and none shows here: see 'autotune doctor'"
                             : "not on the host emulator: name one with --device");
    if (write_by_hand(&by_hand, work, argc, argv, error)) {
        failed = -1;
    } else if (locate_ncu(&ncu)) {
        output_note(&work->request, "ncu       %s\n", ncu.at);
        output_note(&work->request, "by hand   %s\n", by_hand.at);
        failed = profile_with(work, ncu.at, argc, argv, error);
    } else {
        failed = error_set(error, ERROR_NO_DEVICE,
                           "ncu is neither on the PATH nor in CUDA_HOME nor /usr/local/cuda*: "
                           "install Nsight Compute, or run where it is: %.1500s",
                           by_hand.at ? by_hand.at : "ncu");
    }
    text_dispose(&by_hand);
    text_dispose(&ncu);
    return failed;
}

static int run_verb(int argc, char **argv, struct error *error)
{
    struct work *work = calloc(1, sizeof *work);
    if (!work)
        return error_memory(error, sizeof *work);
    int failed = request_parse(&work->request, &verb_profile, &work->own, argc, argv, error) ||
                 open_work(work, error);
    if (!failed && work->own.run)
        failed = single_run(work->setup.device, &work->context, &work->sources, work->config,
                            work->request.seed, error);
    else if (!failed)
        failed = profile(work, argc, argv, error);
    close_work(work);
    return failed ? -1 : 0;
}

/* clang-format off */
static const struct option_row options[] = {
    {VERB_PROFILE, "run", NULL, "only launch the kernel, for a profiler that you start: a call that warms up, then the one to look at, both checked", .flag = offsetof(struct profile_request, run), .more = "Nothing is printed.", .group = 2},
    {.verbs = 0},
};

const struct verb_row verb_profile = {
    .verb = VERB_PROFILE,
    .name = "profile",
    .summary = "run one kernel under Nsight Compute and read its figures back",
    .arguments = "[VARIANT|RUNG]",
    .help =
        "Runs one kernel under Nsight Compute, where its ncu is found, and reads back what that "
        "measured: throughput of memory and compute, occupancy, bank conflicts, what warps wait for. "
        "A variant is named by its params, as BLOCK=256,ITEMS=16, the others as in this GPU's record; a rung "
        "of the ladder by its name; without either it is the record's winner. Clocks are left as they "
        "are.\v"
        "Examples:\n"
        "  autotune profile --n 400M\n"
        "  autotune profile BLOCK=512,WARP=TREE --n 400M --type f32\n"
        "  autotune profile harris-2 --n 400M --csv -\n\n"
        "Exit 69 also where there is no ncu, or where it may not read the counters. " VERBS_EXIT,
    .options = options,
    .run = run_verb,
};
/* clang-format on */

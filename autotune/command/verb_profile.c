/* verb_profile: runs a kernel, or each of a group of rungs, under Nsight Compute. It starts ncu on this
 * very program, which with --run launches the kernel and nothing else, and reads ncu's figures back. */
#include "autotune/analysis/ncu.h"
#include "autotune/analysis/pattern.h"
#include "autotune/analysis/tool.h"
#include "autotune/cli/options.h"
#include "autotune/cli/output.h"
#include "autotune/cli/setup.h"
#include "autotune/cli/verbs.h"
#include "autotune/device/locate.h"
#include "autotune/ladder/ladder_rung.h"
#include "autotune/print/table_fit.h"
#include "autotune/print/terminal.h"
#include "autotune/search/single_run.h"
#include "autotune/tune/tune_notes.h"
#include "generator/call.h"
#include "generator/command.h"
#include "generator/number.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
static const struct table_column columns[] = {
    {"rung", "rung", false}, /* of a group alone */
    {"pass", "pass", false},
    {NULL, "kernel", false},
    {"grid", "grid", true},
    {"block", "block", true},
    {"us", "us", true},
    {"memory %", "memory_pct", true},
    {"compute %", "compute_pct", true},
    {NULL, "dram_pct", true},
    {NULL, "l2_pct", true},
    {NULL, "l1_pct", true},
    {NULL, "issue_pct", true},
    {"occupancy %", "occupancy_pct", true},
    {"regs", "registers", true},
    {NULL, "instructions", true},
    {"shared instr", "shared_instructions", true},
    {NULL, "shared_wavefronts", true},
    {NULL, "shared_wavefronts_ideal", true},
    {"excess/instr", "shared_excess_per_instruction", true},
    {NULL, "shared_bank_conflicts", true},
    {NULL, "threads_per_instruction", true},
    {"threads/instr", "threads_on_per_instruction", true},
    {"sectors/req", "sectors_per_request", true},
    {NULL, "emulated_shared_lanes", true},
    {NULL, "emulated_sectors_per_request", true},
    {NULL, "emulated_sectors_ideal", true},
    {"top stall", "stall", false},
    {"% of cycles", "stall_pct", true},
};
/* clang-format on */
enum { COLUMNS = sizeof columns / sizeof *columns };

/* What profile alone has options for. */
struct profile_request {
    bool run; /* launch the kernel, as ncu wants it */
};

/* A kernel to profile: a variant of a space, or a rung of the ladder. */
struct kernel {
    struct ladder_rung rung; /* its space is NULL if it is no rung */
    struct point_context context;
    struct emit_sources sources;
    int64_t config[SPACE_NAMES_MAX];
    struct planner_plan plan;
    /* What ncu measured of the launches, and the emulator of the one that it counts. */
    struct ncu_launch launches[PLANNER_LAUNCHES];
    size_t launch_count;
    struct pattern pattern;
    bool has_pattern; /* not where the emulator does not run it, as without a C compiler */
};

struct work {
    struct request request;
    struct profile_request own;
    struct setup setup;
    struct rungs rungs;
    struct kernel *kernels;
    size_t kernel_count;
    bool is_group; /* of the rungs of a group those that run here */
};

/* --- Which kernel ------------------------------------------------------------------------- */

/* Sets `why` where the rung does not run here, to the reason. */
static int open_rung(struct kernel *kernel, const struct work *work, const struct rung *rung,
                     struct error *why, struct error *error)
{
    *why = (struct error){.code = ERROR_NONE};
    if (ladder_rung_open(&kernel->rung, &work->rungs, rung, error))
        return -1;
    if (ladder_rung_match(&kernel->rung, kernel->context.problem, why))
        return 0;
    if (ladder_rung_settle(&kernel->rung, kernel->context.problem, kernel->context.target,
                           error))
        return -1;
    kernel->context.space = kernel->rung.space;
    kernel->sources.template = kernel->rung.template;
    memcpy(kernel->config, kernel->rung.config, sizeof kernel->config);
    const int broken = point_reject(&kernel->context, kernel->config, error);
    if (broken >= 0)
        error_set(why, ERROR_USAGE, "%s does not run here: %s", rung->name,
                  kernel->rung.space->rules[broken].reason);
    return broken == POINT_FAILED ? -1 : 0;
}

/* A rung that does not run here is an error if it was named, and is left out of a group. */
static int open_rungs(struct work *work, struct error *error)
{
    bool is_chosen[RUNGS_MAX] = {false};
    if (ladder_rung_list(&work->rungs, error) ||
        rungs_choose(&work->rungs, work->request.topic, is_chosen, error))
        return -1;
    for (size_t i = 0; i < work->rungs.count; i++) {
        const struct rung *rung = &work->rungs.rungs[i];
        struct kernel *kernel = &work->kernels[work->kernel_count];
        struct error why;
        if (!is_chosen[i])
            continue;
        work->is_group |= strcmp(rung->name, work->request.topic) != 0;
        *kernel =
            (struct kernel){.context = work->setup.context, .sources = work->setup.sources};
        work->kernel_count++;
        if (open_rung(kernel, work, rung, &why, error))
            return -1;
        if (why.code == ERROR_NONE) {
            output_note(&work->request.out, "kernel    %s: %s of %s\n", rung->name,
                        rung->kernel, work->rungs.groups[rung->group].title);
            continue;
        }
        if (!work->is_group) {
            *error = why;
            return -1;
        }
        output_note(&work->request.out, "left out  %s\n", why.text);
        ladder_rung_close(&kernel->rung);
        work->kernel_count--;
    }
    if (work->is_group && work->own.run)
        return error_set(error, ERROR_USAGE,
                         "--run launches one kernel, and '%.60s' is a group of rungs: name one "
                         "of them, as %.60s-1",
                         work->request.topic, work->request.topic);
    return work->kernel_count ? 0
                              : error_set(error, ERROR_USAGE,
                                          "no rung of '%.60s' runs here: name another group",
                                          work->request.topic);
}

static int open_variant(struct work *work, struct error *error)
{
    struct kernel *kernel = &work->kernels[work->kernel_count++];
    struct text params = {0};
    *kernel = (struct kernel){.context = work->setup.context, .sources = work->setup.sources};
    if (setup_config(kernel->config, &work->setup, &work->request, error))
        return -1;
    point_format(&params, work->setup.space, kernel->config, true);
    output_note(&work->request.out, "kernel    %s\n", params.at ? params.at : "");
    text_dispose(&params);
    return 0;
}

static int set_up(void *shared, struct error *error)
{
    struct work *work = shared;
    struct setup *setup = &work->setup;
    const char *name = work->request.topic;
    const bool is_rung = name && !strchr(name, '=');
    if (name && !is_rung)
        work->request.variant = name;
    work->request.out.quiet |= work->own.run; /* ncu's output is read, and ours is in it */
    if (setup_open(setup, &work->request, true, error))
        return -1;
    tune_notes_setup(&work->request, setup, 1);
    work->kernels = calloc(RUNGS_MAX, sizeof *work->kernels);
    if (!work->kernels)
        return error_memory(error, RUNGS_MAX * sizeof *work->kernels);
    int failed = is_rung ? open_rungs(work, error) : open_variant(work, error);
    for (size_t i = 0; i < work->kernel_count && !failed; i++) {
        struct kernel *kernel = &work->kernels[i];
        failed = call_plan(&kernel->plan, &kernel->context, kernel->config, error);
    }
    return failed;
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
static void add_launches(struct command *command, const struct kernel *kernel)
{
    const size_t count = (size_t)kernel->plan.count;
    snprintf(command->kernel, sizeof command->kernel, "regex:%.60s",
             kernel->context.space->kernel);
    snprintf(command->before, sizeof command->before, "%zu", SINGLE_RUN_BEFORE * count);
    snprintf(command->launches, sizeof command->launches, "%zu", count);
    const bool is_warm = kernel->context.problem->regime == WARM;
    const char *const words[] = {"--clock-control",        "none",          "--cache-control",
                                 is_warm ? "none" : "all", "--kernel-name", command->kernel,
                                 "--launch-skip",          command->before, "--launch-count",
                                 command->launches};
    add_words(command, words, sizeof words / sizeof *words);
}

/* This program with the arguments that it was given, and --run; of a group the rung in its place. */
static int add_ourselves(struct command *command, const struct request *request,
                         const struct kernel *kernel, struct error *error)
{
    const ssize_t length =
        readlink("/proc/self/exe", command->program, sizeof command->program - 1);
    if (length < 0)
        return error_set(error, ERROR_FAILED, "/proc/self/exe cannot be read: mount /proc");
    command->program[length] = '\0';
    const char *const before[] = {command->program, "profile", "--run"};
    add_words(command, before, sizeof before / sizeof *before);
    for (int i = 1; i < request->argc; i++)
        command->words[command->count++] =
            kernel->rung.space && request->argv[i] == request->topic ? kernel->rung.listed->name
                                                                     : request->argv[i];
    return 0;
}

/* ncu with these words first; to be freed by free(out->words). */
static int make_command(struct command *out, const struct work *work,
                        const struct kernel *kernel, const char *const *first,
                        size_t first_count, struct error *error)
{
    const size_t room = NCU_WORDS + first_count + (size_t)work->request.argc;
    *out = (struct command){.words = calloc(room, sizeof *out->words)};
    if (!out->words)
        return error_memory(error, room * sizeof *out->words);
    add_words(out, first, first_count);
    add_launches(out, kernel);
    return add_ourselves(out, &work->request, kernel, error);
}

/* The command that shows all that ncu can measure of this kernel. */
static int write_by_hand(struct text *out, const struct work *work, const struct kernel *kernel,
                         struct error *error)
{
    static const char *const first[] = {"ncu", "--set", "full", "-o", "profile"};
    struct command command;
    int failed =
        make_command(&command, work, kernel, first, sizeof first / sizeof *first, error);
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

static int run_ncu(struct said *said, const struct work *work, const struct kernel *kernel,
                   const char *ncu, struct error *error)
{
    struct text metrics = {0};
    struct command command = {.words = NULL};
    ncu_metrics(&metrics);
    const char *const first[] = {"env", "LC_ALL=C",      ncu,    "--csv",     "--page",
                                 "raw", "--print-units", "base", "--metrics", metrics.at};
    int failed =
        text_check(&metrics, error) ||
        make_command(&command, work, kernel, first, sizeof first / sizeof *first, error);
    if (!failed && tool_run(&said->out, &said->errors, command.words) < 0)
        failed = error_set(error, ERROR_FAILED, "%s did not come to its end", ncu);
    failed = failed || text_check(&said->out, error) || text_check(&said->errors, error);
    free(command.words);
    text_dispose(&metrics);
    return failed ? -1 : 0;
}

static int profile_with(const struct work *work, struct kernel *kernel, const char *ncu,
                        struct error *error)
{
    struct said said = {0};
    struct error ignored;
    const int failed = run_ncu(&said, work, kernel, ncu, error) ||
                       ncu_parse(kernel->launches, (size_t)kernel->plan.count,
                                 &kernel->launch_count, &said.out, &said.errors, error);
    if (!failed)
        kernel->has_pattern = pattern_run(&kernel->pattern, &kernel->context, &kernel->sources,
                                          kernel->config, &ignored) == 0 &&
                              kernel->pattern.is_known;
    text_dispose(&said.out);
    text_dispose(&said.errors);
    return failed;
}

static int profile(const struct work *work, struct kernel *kernel, struct error *error)
{
    const struct device_info *info = &work->setup.device->info;
    struct text ncu = {0}, by_hand = {0};
    int failed;
    if (info->target.is_host)
        return error_set(error, ERROR_NO_DEVICE, "ncu profiles kernels on a GPU, %s",
                         info->is_fallback
                             ? "and none shows here: see 'autotune doctor'"
                             : "not on the host emulator: name one with --device");
    if (write_by_hand(&by_hand, work, kernel, error)) {
        failed = -1;
    } else if (locate_ncu(&ncu)) {
        if (kernel == work->kernels)
            output_note(&work->request.out, "ncu       %s\n", ncu.at);
        output_note(&work->request.out, "by hand   %s\n", by_hand.at);
        failed = profile_with(work, kernel, ncu.at, error);
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

static int gather(void *shared, struct error *error)
{
    struct work *work = shared;
    struct kernel *first = work->kernels;
    int failed = 0;
    if (work->own.run)
        return single_run(work->setup.device, &first->context, &first->sources, first->config,
                          work->request.seed, error);
    for (size_t i = 0; i < work->kernel_count && !failed; i++)
        failed = profile(work, &work->kernels[i], error);
    return failed;
}

/* --- As a table --------------------------------------------------------------------------- */

static void add_real(struct table *table, double value, int decimals)
{
    table_add_number(table, value >= 0, decimals, value);
}

/* Negative: unknown. */
static double stall_percent(const struct ncu_launch *launch)
{
    const double latency = launch->figures[NCU_LATENCY];
    return launch->stall && latency > 0 ? launch->stall_cycles / latency * 100 : -1;
}

static void add_launch(struct table *table, const char *pass,
                       const struct planner_launch *planned, const struct ncu_launch *launch,
                       const struct pattern *pattern)
{
    const double *const figures = launch->figures;
    table_add(table, pass);
    table_add(table, launch->kernel);
    table_addf(table, "%" PRId64, planned->keys[PLANNER_GRID]);
    table_addf(table, "%" PRId64, planned->keys[PLANNER_BLOCK]);
    add_real(table, figures[NCU_NS] < 0 ? -1 : figures[NCU_NS] / 1e3, 2);
    add_real(table, figures[NCU_MEMORY], 2);
    add_real(table, figures[NCU_COMPUTE], 2);
    for (size_t i = 0; i < NCU_UNITS; i++)
        add_real(table, figures[ncu_units[i].figure], 2);
    add_real(table, figures[NCU_OCCUPANCY], 1);
    add_real(table, figures[NCU_REGISTERS], 0);
    add_real(table, figures[NCU_INSTRUCTIONS], 0);
    add_real(table, figures[NCU_SHARED], 0);
    add_real(table, figures[NCU_WAVEFRONTS], 0);
    add_real(table, figures[NCU_WAVEFRONTS_IDEAL], 0);
    add_real(table, ncu_excess(launch), 2);
    add_real(table, figures[NCU_CONFLICTS], 0);
    add_real(table, figures[NCU_THREADS], 2);
    add_real(table, figures[NCU_THREADS_ON], 2);
    add_real(table, ncu_sectors(launch), 2);
    add_real(table, pattern && pattern->requests ? pattern_lanes(pattern) : -1, 2);
    add_real(table, pattern && pattern->loads ? pattern_sectors(pattern) : -1, 2);
    add_real(table, pattern && pattern->loads ? pattern_sectors_ideal(pattern) : -1, 2);
    table_add(table, launch->stall ? launch->stall->name : NULL);
    add_real(table, stall_percent(launch), 1);
}

/* What the emulator counts, if it counts that launch; else NULL. */
static const struct pattern *find_pattern(const struct kernel *kernel, size_t launch)
{
    const bool is_counted =
        launch == (size_t)pattern_launch(&kernel->plan, kernel->context.space);
    return is_counted && kernel->has_pattern ? &kernel->pattern : NULL;
}

static const char *pass_of(const struct kernel *kernel, size_t launch)
{
    return kernel->context.space->passes[kernel->plan.launches[launch].pass].name;
}

/* Of a group with the rung's name. */
static void add_row(struct table *table, const struct work *work, const struct kernel *kernel,
                    size_t launch)
{
    if (work->is_group)
        table_add(table, kernel->rung.listed->name);
    add_launch(table, pass_of(kernel, launch), &kernel->plan.launches[launch],
               &kernel->launches[launch], find_pattern(kernel, launch));
}

/* The others hardly count. */
static size_t find_longest(const struct kernel *kernel)
{
    size_t longest = 0;
    for (size_t i = 1; i < kernel->launch_count; i++)
        if (kernel->launches[i].figures[NCU_NS] > kernel->launches[longest].figures[NCU_NS])
            longest = i;
    return longest;
}

static struct table begin_table(const struct work *work)
{
    return work->is_group ? (struct table){.columns = columns, .column_count = COLUMNS}
                          : (struct table){.columns = columns + 1, .column_count = COLUMNS - 1};
}

/* --- In words ----------------------------------------------------------------------------- */

/* The units but one, each with how busy it is. */
static void add_others(struct text *out, const struct ncu_launch *launch,
                       const struct ncu_unit *but)
{
    const char *between = "";
    for (size_t i = 0; i < NCU_UNITS; i++) {
        const double share = launch->figures[ncu_units[i].figure];
        if (&ncu_units[i] == but || share < 0)
            continue;
        text_addf(out, "%s%s %.1f %%", between, ncu_units[i].name, share);
        between = ", ";
    }
}

static void explain_limit(struct text *out, const char *pass, const struct ncu_launch *launch)
{
    const struct ncu_unit *unit = ncu_busiest(launch);
    const double most = unit ? launch->figures[unit->figure] : 0;
    if (!unit)
        return;
    text_addf(out, "limit     %s: ", pass);
    if (most < 60) { /* the bound of ncu's own advice */
        text_adds(out, "latency, for no unit is busy 60 % of the time: ");
        add_others(out, launch, NULL);
    } else {
        text_addf(out, "%s, at %.1f %% of its peak; ", unit->name, most);
        add_others(out, launch, unit);
    }
    text_adds(out, "\n");
}

static void explain_stall(struct text *out, const char *pass, const struct ncu_launch *launch)
{
    const double percent = stall_percent(launch);
    if (percent >= 0)
        text_addf(out,
                  "stall     %s: of the %.1f cycles between two instructions of a warp "
                  "%.0f %% are waits for %s\n",
                  pass, launch->figures[NCU_LATENCY], percent, launch->stall->waits_for);
}

static void explain_shared(struct text *out, const char *pass, const struct ncu_launch *launch)
{
    const double excess = ncu_excess(launch);
    if (excess >= 0.005)
        text_addf(out,
                  "banks     %s: each instruction on shared memory takes %.2f wavefronts "
                  "more than without bank conflicts\n",
                  pass, excess);
}

static void explain_divergence(struct text *out, const char *pass,
                               const struct ncu_launch *launch, const struct pattern *pattern)
{
    if (launch->figures[NCU_THREADS_ON] < 0 || launch->figures[NCU_THREADS] < 0)
        return;
    text_addf(out,
              "threads   %s: %.1f of 32 carry an instruction out; %.1f are in it, the others' "
              "predicate is off",
              pass, launch->figures[NCU_THREADS_ON], launch->figures[NCU_THREADS]);
    if (pattern && pattern->requests)
        text_addf(out, "; the emulator counts %.1f in an access of shared memory",
                  pattern_lanes(pattern));
    text_adds(out, "\n");
}

static void explain_loads(struct text *out, const char *pass, const struct ncu_launch *launch,
                          const struct pattern *pattern)
{
    const double sectors = ncu_sectors(launch);
    if (sectors < 0)
        return;
    text_addf(out, "loads     %s: %.2f sectors a request of global memory", pass, sectors);
    if (pattern && pattern->loads)
        text_addf(out, "; the emulator counts %.2f, where %.2f would do",
                  pattern_sectors(pattern), pattern_sectors_ideal(pattern));
    text_adds(out, "\n");
}

/* Explains the longest launch. */
static void explain(struct text *out, const struct kernel *kernel)
{
    const size_t longest = find_longest(kernel);
    const struct ncu_launch *const launch = &kernel->launches[longest];
    const char *pass = pass_of(kernel, longest);
    const struct pattern *pattern = find_pattern(kernel, longest);
    explain_limit(out, pass, launch);
    explain_stall(out, pass, launch);
    explain_shared(out, pass, launch);
    explain_divergence(out, pass, launch, pattern);
    explain_loads(out, pass, launch, pattern);
}

/* A line for each launch, of a group for the longest of each rung, with empty cells for what ncu did not
 * give; below it what limits the longest ones. */
static void print(struct text *out, const struct work *work)
{
    struct table table = begin_table(work);
    for (size_t k = 0; k < work->kernel_count; k++)
        for (size_t i = 0; i < work->kernels[k].launch_count; i++)
            if (!work->is_group || i == find_longest(&work->kernels[k]))
                add_row(&table, work, &work->kernels[k], i);
    table_show(out, &table, terminal_has_color(stdout));
    out->failed |= table.failed;
    table_dispose(&table);
    for (size_t k = 0; k < work->kernel_count; k++) {
        const struct kernel *kernel = &work->kernels[k];
        if (work->is_group)
            explain_limit(out, kernel->rung.listed->name,
                          &kernel->launches[find_longest(kernel)]);
        else
            explain(out, kernel);
    }
}

/* Files have a row for each launch. */
static int show(void *shared, struct error *error)
{
    const struct work *work = shared;
    struct table table = begin_table(work);
    struct text text = {0};
    if (work->own.run)
        return 0;
    for (size_t k = 0; k < work->kernel_count; k++)
        for (size_t i = 0; i < work->kernels[k].launch_count; i++)
            add_row(&table, work, &work->kernels[k], i);
    print(&text, work);
    const int failed = output_forms(&work->request.out, &text, &table, NULL, error);
    table_dispose(&table);
    text_dispose(&text);
    return failed;
}

static void clean_up(void *shared)
{
    struct work *work = shared;
    for (size_t i = 0; i < work->kernel_count; i++)
        ladder_rung_close(&work->kernels[i].rung);
    free(work->kernels);
    rungs_dispose(&work->rungs);
    setup_close(&work->setup);
}

/* clang-format off */
static const struct option_row options[] = {
    {VERB_PROFILE, "run", NULL, "only launch the kernel, for a profiler that you start: a call that warms up, then the one to look at, both checked", .flag = offsetof(struct profile_request, run), .more = "Nothing is printed.", .group = 2},
    {.verbs = 0},
};

const struct verb_row verb_profile = {
    .verb = VERB_PROFILE,
    .name = "profile",
    .summary = "run a kernel under Nsight Compute and read its figures back",
    .arguments = "[VARIANT|RUNG|GROUP]",
    .help =
        "Runs one kernel under Nsight Compute, where its ncu is found, and reads back what that "
        "measured: throughput of memory and compute, occupancy, bank conflicts, what warps wait for. "
        "A variant is named by its params, as BLOCK=256,ITEMS=16, the others as in this GPU's record; a rung "
        "of the ladder by its name; without either it is the record's winner. Of a group of rungs, as harris, "
        "each is run, and the table has its longest launch. Clocks are left as they are.\v"
        "Examples:\n"
        "  autotune profile --n 400M\n"
        "  autotune profile BLOCK=512,WARP=TREE --n 400M --type f32\n"
        "  autotune profile harris-2 --n 400M --csv -\n"
        "  autotune profile wangyu --n 32Mi --type f32\n\n"
        "Exit 69 also where there is no ncu, or where it may not read the counters. " VERBS_EXIT,
    .options = options,
    .bytes = sizeof(struct work),
    .own = offsetof(struct work, own),
    .set_up = set_up,
    .gather = gather,
    .show = show,
    .clean_up = clean_up,
};
/* clang-format on */

/* verb_verify: proves kernels correct without timing them: the variant that would be used, a
 * covering sample, or the whole product of space, operation, type and architecture. */
#include "autotune/cli/failing_source.h"
#include "autotune/cli/interrupt.h"
#include "autotune/cli/option_conflicts.h"
#include "autotune/cli/options.h"
#include "autotune/cli/output.h"
#include "autotune/cli/setup.h"
#include "autotune/cli/verbs.h"
#include "autotune/command/watchdog.h"
#include "autotune/print/terminal.h"
#include "autotune/search/tune.h"
#include "autotune/tune/tune_notes.h"
#include "autotune/tune/tune_save.h"
#include "autotune/verify/check_small.h"
#include "autotune/verify/prove.h"
#include "generator/dims_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What verify alone has options for. */
struct verify_request {
    bool cover, small, all;
    double limit_s; /* processor time without an answer; 0 = the usual */
};

struct verification {
    struct request request;
    struct verify_request own;
    struct setup setup;
    struct interrupt_guard guard;
    struct proof_result proof; /* of many */
    struct text right;         /* of one: what was proven */
};

static int set_up(void *shared, struct error *error)
{
    struct verification *it = shared;
    if (setup_open(&it->setup, &it->request, true, error))
        return -1;
    if (it->own.limit_s > 0)
        watchdog_limit(it->own.limit_s);
    interrupt_begin(&it->guard, it->setup.device);
    return 0;
}

/* --- Gathering ---------------------------------------------------------------------------- */

static const struct proof_watch watch = {watchdog_kernel, watchdog_answer};

static void show_progress(void *context, uint64_t done, uint64_t total)
{
    terminal_progress_show(context, done, total, "proven");
}

static int prove_many(struct verification *it, struct error *error)
{
    const struct setup *setup = &it->setup;
    const bool is_shown = !it->request.out.quiet;
    struct terminal_progress progress = {0};
    const struct prove_options options = {.all = it->own.all,
                                          .part = it->request.part,
                                          .seed = it->request.seed,
                                          .nvrtc = it->request.nvrtc,
                                          .show = is_shown ? show_progress : NULL,
                                          .context = &progress,
                                          .is_stopping = interrupt_came,
                                          .watch = &watch};
    if (is_shown)
        terminal_progress_start(&progress, stderr);
    int failed =
        prove_run(&it->proof, setup->device, setup->space, &setup->sources, &options, error);
    if (is_shown)
        terminal_progress_end(&progress);
    /* A refusal after the signal would be reported as a wrong kernel. */
    if (!failed && interrupt_signal())
        return error_set(error, ERROR_INTERRUPTED,
                         "interrupted after %" PRIu64 " variants: run the same "
                         "command again",
                         it->proof.variants);
    return failed;
}

/* The only finalist other than the default, which is its reference. */
static const struct finalist *find_only(const struct tune_result *result, const int64_t *config,
                                        size_t width)
{
    size_t i = 0;
    while (i + 1 < result->finalist_count &&
           memcmp(result->finalists[i].config, config, width * sizeof *config) != 0)
        i++;
    return &result->finalists[i];
}

/* For a variant that the space would not try, as setup_config noted, the error must not ask to
 * correct the space's files. */
static int fault(const struct setup *setup, const int64_t *config, struct error *error)
{
    struct error ignored;
    if (point_reject(&setup->context, config, &ignored) < 0)
        failing_source_explain(setup, config, error);
    else if (error->code == ERROR_WRONG) /* the answer to the question */
        error_set(error, error->code, "%s; the space would not try this variant anyway",
                  error->text);
    else if (error->code != ERROR_INTERRUPTED)
        error_set(error, error->code,
                  "the space would not try this variant: choose another --variant (%s)",
                  error->text);
    return -1;
}

static void add_right(struct text *out, const struct setup *setup, const int64_t *config,
                      uint64_t runs)
{
    struct text params = {0};
    char problem[PROBLEM_CHARS];
    point_format(&params, setup->space, config, true);
    text_addf(out,
              "right     %s on %s\n          %s\n          %" PRIu64 " runs at small sizes",
              problem_format(problem, &setup->problem), setup->device->info.name,
              params.at ? params.at : "", runs);
    text_dispose(&params);
}

/* Says how an operation with a map or a finish of its own was proven. */
static void end_right(struct text *out, const struct problem *problem)
{
    char method[CHECK_METHOD_CHARS];
    if (*check_method(method, problem))
        text_addf(out, "\n          %s", method);
    text_adds(out, "\n");
}

/* The one variant: proven like a winner, at small sizes, at n, and as a finalist. */
static int prove_one(struct verification *it, struct error *error)
{
    const struct request *request = &it->request;
    const struct setup *setup = &it->setup;
    int64_t config[SPACE_NAMES_MAX];
    const char *const specs[] = {setup->device->info.spec};
    const struct tune_job job = {.context = &setup->context,
                                 .sources = &setup->sources,
                                 .space = setup->space_file,
                                 .info = &setup->device->info,
                                 .specs = specs,
                                 .spec_count = 1,
                                 .nvrtc = request->nvrtc,
                                 .compilers = 1};
    const struct tune_options options = {.strategy = STRATEGY_EXHAUSTIVE,
                                         .configs = config,
                                         .config_count = 1,
                                         .is_only_configs = true,
                                         .is_proof = true,
                                         .seed = request->seed,
                                         .is_stopping = interrupt_came};
    struct tune_result result;
    tune_notes_setup(request, setup, 1);
    if (setup_check_room(setup, error) || setup_config(config, setup, request, error))
        return -1;
    /* The config is its own reference: the space's default does not matter here. */
    memcpy(setup->space->default_config, config, setup->space->param_count * sizeof *config);
    if (tune_run(&result, &job, &options, error))
        return fault(setup, config, error);
    const struct finalist *only = find_only(&result, config, setup->space->param_count);
    add_right(&it->right, setup, config, result.proofs);
    text_addf(&it->right, ", and n = %" PRIu64, dims_n(&setup->problem.dims));
    if (result.past_32_bits)
        text_addf(&it->right, ", and n = %" PRIu64, result.past_32_bits);
    if (only->error >= 0)
        text_addf(&it->right, "; error %.1e of %s, bound %.1e", only->error,
                  setup->problem.op->scale, only->bound);
    end_right(&it->right, &setup->problem);
    tune_save_proven(request, setup);
    tune_result_dispose(&result);
    return 0;
}

/* Proves the one variant, at small sizes only. */
static int prove_small(struct verification *it, struct error *error)
{
    const struct request *request = &it->request;
    const struct setup *setup = &it->setup;
    int64_t config[SPACE_NAMES_MAX];
    struct proof_result result;
    tune_notes_setup(request, setup, 1);
    if (setup_config(config, setup, request, error) ||
        prove_config(&result, setup->device, &setup->context, &setup->sources, config,
                     request->seed, &watch, error))
        return -1;
    if (result.wrong)
        return error_set(error, ERROR_WRONG, "%s is wrong: %s", result.failures[0].what,
                         result.failures[0].reason);
    add_right(&it->right, setup, config, result.cases);
    end_right(&it->right, &setup->problem);
    return 0;
}

static bool is_of_many(const struct verify_request *own)
{
    return own->cover || own->all;
}

static int gather(void *shared, struct error *error)
{
    struct verification *it = shared;
    return is_of_many(&it->own) ? prove_many(it, error)
           : it->own.small      ? prove_small(it, error)
                                : prove_one(it, error);
}

/* --- Showing ------------------------------------------------------------------------------ */

static int print_proof(const struct proof_result *result, struct error *error)
{
    struct text text = {0};
    uint64_t shown = result->wrong < PROOF_FAILURES_MAX ? result->wrong : PROOF_FAILURES_MAX;
    for (uint64_t i = 0; i < shown; i++)
        text_addf(&text, "wrong     %s\n          %s\n", result->failures[i].what,
                  result->failures[i].reason);
    text_addf(&text,
              "proven    %" PRIu64 " variants right, %" PRIu64 " wrong; %" PRIu64
              " runs compared; %" PRIu64 " kernels compiled by NVRTC\n",
              result->variants, result->wrong, result->cases, result->compiled);
    if (result->same)
        text_addf(&text,
                  "same      %" PRIu64 " variants have the source of one proven for another "
                  "architecture or n\n",
                  result->same);
    if (result->not_run)
        text_addf(&text, "compiled  %" PRIu64 " variants %s: the emulator cannot run them\n",
                  result->not_run, result->compiled ? "only" : "not even");
    if (result->missed)
        text_addf(&text, "pairs     %" PRIu64 " pairs of values that no valid point holds\n",
                  result->missed);
    if (!result->compiled)
        text_addf(&text, "skipped   NVRTC for each architecture: %s\n", result->skipped);
    int failed = output_text(&text, error);
    text_dispose(&text);
    if (!failed && result->wrong)
        return error_set(error, ERROR_WRONG,
                         "%" PRIu64 " of %" PRIu64 " variants are wrong: %s", result->wrong,
                         result->wrong + result->variants, result->failures[0].what);
    return failed;
}

static int show(void *shared, struct error *error)
{
    const struct verification *it = shared;
    return is_of_many(&it->own) ? print_proof(&it->proof, error)
                                : output_text(&it->right, error);
}

static void clean_up(void *shared)
{
    struct verification *it = shared;
    interrupt_end(&it->guard);
    text_dispose(&it->right);
    setup_close(&it->setup);
}

/* --- Options ------------------------------------------------------------------------------ */

static int parse_limit(struct request *request, const char *value, struct error *error)
{
    struct verify_request *own = request->own;
    return options_parse_time(&own->limit_s, value, "--limit", error);
}

static int check(const struct request *request, struct error *error)
{
    const struct verify_request *own = request->own;
    const bool is_many = is_of_many(own);
    const bool is_one = request->variant || request->has_acc || request->has_op ||
                        request->has_type || request->has_n ||
                        request_dims_are_given(request) || request->problem.order != ORDER_FREE;
    const struct option_conflict conflicts[] = {
        {own->cover && own->all, "--cover is a sample of --all: choose one"},
        {own->small && is_many,
         "--small proves one variant, --cover and --all many, all of them at small sizes: leave "
         "it out"},
        {own->limit_s > 0 && !own->small && !is_many,
         "--limit is of proofs in this process: give --small, --cover or --all too; a whole "
         "proof of one variant has workers with limits of their own"},
        {request->has_part && !is_many,
         "--part divides --cover or --all: give one of them too"},
        {is_many && is_one,
         "--cover and --all choose problems and variants themselves: leave " DIMS_TEXT_SIZES
         ", --op, --type, --acc, --order and --variant out"},
    };
    return option_conflicts_refuse(conflicts, sizeof conflicts / sizeof *conflicts, error);
}

/* clang-format off */
static const struct option_row options[] = {
    {VERB_VERIFY, "cover", NULL, "a covering sample of space, operation, type and architecture", .flag = offsetof(struct verify_request, cover), .group = 2},
    {VERB_VERIFY, "small", NULL, "of one variant: at small sizes only, for tools that look at each access, as compute-sanitizer", .flag = offsetof(struct verify_request, small), .group = 2},
    {VERB_VERIFY, "all", NULL, "every variant of every operation, type and architecture", .flag = offsetof(struct verify_request, all), .group = 2},
    {VERB_VERIFY, "limit", "TIME", "of --small, --cover or --all: a kernel that takes more processor time without an answer is wrong, as 500ms, 30s or 5m (default 20s)", .parse = parse_limit, .more = "Tools that look at each access, as compute-sanitizer, need more.", .group = 2},
    {.verbs = 0},
};

const struct verb_row verb_verify = {
    .verb = VERB_VERIFY,
    .name = "verify",
    .summary = "prove a variant, a covering sample or everything correct",
    .help =
        "Proves a variant correct, without timing: the one given, else the record's, else the "
        "default; or a covering sample, or everything.\v"
        "Examples:\n"
        "  autotune verify --device 0 --n 400M\n"
        "  autotune verify --device host --cover\n"
        "  autotune verify --device host --all --part 1/8\n\n" VERBS_EXIT,
    .options = options,
    .check = check,
    .bytes = sizeof(struct verification),
    .own = offsetof(struct verification, own),
    .set_up = set_up,
    .gather = gather,
    .show = show,
    .clean_up = clean_up,
};
/* clang-format on */

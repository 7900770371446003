/* check_small: runs a variant over the oracle's cases, in two geometries, and compares every bit of
 * the results and the guards around the buffers. */
#include "autotune/verify/check_small.h"

#include "autotune/device/bind.h"
#include "autotune/device/monotonic.h"
#include "autotune/verify/case_sets.h"
#include "autotune/verify/loaded.h"
#include "autotune/verify/poison.h"
#include "generator/dims_text.h"
#include "generator/operation_input.h"
#include "generator/operation_param.h"
#include "generator/operation_shadow.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH = 512,            /* cases launched at a time */
    BATCH_HOST = 16,        /* on the emulator, where launches end before the next begins */
    THREADS_HOST = 1 << 20, /* there, a batch has no launch behind so many threads */
    ALTERNATE = 2048,       /* from this many cases on, the two geometries take turns */
    CALLS_FEW =
        15, /* 2^4 - 1 of few elements between two of many; with the special values 2^8 - 1 */
    CALLS_MANY = 255, /* in one geometry, for on the emulator they take seconds */
    CALLS_TILES = 12, /* in a call of many at most: more only take longer */
};

struct check {
    struct device *device;
    struct problem problem;
    struct case_sets sets;
    uint64_t outputs, output_bytes;
    uint64_t scratch, scratch_bytes;
    uint64_t used_bytes;                           /* of the scratch, between two guards */
    uint64_t state, state_bytes, used_state_bytes; /* likewise */
    unsigned char *results;                        /* host copy of outputs */
    struct planner_plan *plans;                    /* of the run under way: case_set.plan_of */
    size_t plan_room;
    size_t *chosen; /* of the run under way: its cases, as indices */
    size_t chosen_room;
    void (*begin)(void), (*answer)(void);  /* around launches; or NULL */
    double until;                          /* of check_limit */
    const struct check_observer *observer; /* or NULL */
    struct shadow *shadow;                 /* proven before; or NULL */
    struct check
        *others[PROBLEM_PARAM_SETS]; /* with other values of params, from the first on */
    size_t other_count;
};

/* The kernels of the operation that takes the place of the problem's. */
struct shadow {
    const struct emit_sources *sources;
    struct check *check;
    struct loaded loaded;             /* of the last variant, whose configs follow each other */
    const struct device_image *image; /* of `variant`, which is offered; or NULL */
    const struct compiled_variant *variant;
};

bool check_shadow(struct problem *out, const struct problem *problem)
{
    struct error ignored;
    if (oracle_is_plain(problem))
        return false;
    if (problem_is_joined(problem)) /* a shadow is its own */
        return operation_shadow(out, problem, &ignored) == 0 && out->op != problem->op;
    *out = *problem;
    out->op = operation_plain(problem_combine(problem));
    out->acc = problem_value(problem);
    return problem_check(out, &ignored) == 0;
}

bool check_has_shadow(struct problem *out, const struct point_context *context,
                      const int64_t *config)
{
    const struct point_context shadow = {context->space, out, context->target};
    struct error ignored;
    return check_shadow(out, context->problem) &&
           (point_reject(&shadow, config, &ignored) == POINT_VALID ||
            point_reject(context, config, &ignored) != POINT_VALID);
}

void check_use(struct check *check, const struct emit_sources *sources)
{
    if (check->shadow)
        check->shadow->sources = sources;
}

void check_offer_shadow(struct check *check, const struct device_image *image,
                        const struct compiled_variant *variant)
{
    if (!check->shadow)
        return;
    check->shadow->image = image;
    check->shadow->variant = variant;
}

enum { SHADOW_CHARS = 80 };

static char *describe_shadow(char out[SHADOW_CHARS], const struct problem *shadow)
{
    if (problem_is_joined(shadow))
        snprintf(out, SHADOW_CHARS, "%s",
                 problem_commutes(shadow) ? "sums of words" : "affine maps");
    else
        snprintf(out, SHADOW_CHARS, "the plain %s %s", shadow->op->name,
                 problem_types[shadow->type].name);
    return out;
}

char *check_method(char out[CHECK_METHOD_CHARS], const struct problem *problem)
{
    struct problem shadow;
    char what[SHADOW_CHARS];
    const char *with_params =
        operation_param_count(problem->op) ? ", of several values of its params" : "";
    *out = '\0';
    if (check_shadow(&shadow, problem))
        snprintf(out, CHECK_METHOD_CHARS,
                 "with %s in its place, and beside the host's evaluation of %s%s",
                 describe_shadow(what, &shadow), problem->op->name, with_params);
    else if (!oracle_is_plain(problem))
        snprintf(out, CHECK_METHOD_CHARS, "beside the host's evaluation of %s%s",
                 problem->op->name, with_params);
    return out;
}

char *check_words(char out[CHECK_WORDS_CHARS], const struct problem *problem)
{
    struct problem shadow;
    const bool has_shadow = check_shadow(&shadow, problem);
    if (oracle_is_plain(problem))
        snprintf(out, CHECK_WORDS_CHARS, "bits%s", problem_rounds(problem) ? ", bounds" : "");
    else if (problem_is_joined(problem))
        snprintf(out, CHECK_WORDS_CHARS, "laws, %stext", has_shadow ? "sums of words, " : "");
    else if (has_shadow)
        snprintf(out, CHECK_WORDS_CHARS, "plain %s, text", shadow.op->name);
    else
        snprintf(out, CHECK_WORDS_CHARS, "text");
    return out;
}

static int open_shadow(struct check *check, const struct problem *problem,
                       const struct emit_sources *sources, struct error *error)
{
    struct shadow *shadow = calloc(1, sizeof *shadow);
    check->shadow = shadow;
    if (!shadow)
        return error_memory(error, sizeof *shadow);
    shadow->sources = sources;
    return check_open(&shadow->check, check->device, problem, sources,
                      check->sets.positions_max, check->sets.seed, error);
}

static void close_shadow(struct shadow *shadow)
{
    if (shadow->check)
        check_close(shadow->check);
    if (shadow->loaded.device)
        loaded_close(&shadow->loaded);
    free(shadow);
}

/* Without a shadow. */
static int open_one(struct check **out, struct device *device, const struct problem *problem,
                    uint64_t positions_max, uint64_t seed, struct error *error)
{
    struct check *check = calloc(1, sizeof *check);
    *out = check;
    if (!check)
        return error_memory(error, sizeof *check);
    check->device = device;
    check->problem = *problem;
    check->sets = (struct case_sets){.device = device,
                                     .problem = &check->problem,
                                     .positions_max = positions_max,
                                     .seed = seed};
    return 0;
}

/* The same with other values of params. Special ones for which the laws do not hold are left out: those of the
 * first set are ordinary. */
static int open_others(struct check *check, struct error *error)
{
    struct problem other = check->problem;
    const size_t sets = operation_param_count(other.op) ? PROBLEM_PARAM_SETS : 0;
    for (size_t set = 0; set < sets; set++) {
        problem_draw_params(&other, (int)set);
        if (oracle_prepare(&other, error)) {
            if (set == 0 || error->code != ERROR_USAGE)
                return -1;
            continue;
        }
        if (open_one(&check->others[check->other_count], check->device, &other,
                     check->sets.positions_max, check->sets.seed, error))
            return -1;
        check->other_count++;
    }
    for (size_t i = 0; i < check->other_count; i++) {
        check->others[i]->sets.part = i;
        check->others[i]->sets.parts = check->other_count;
    }
    return 0;
}

int check_open(struct check **out, struct device *device, const struct problem *problem,
               const struct emit_sources *sources, uint64_t positions_max, uint64_t seed,
               struct error *error)
{
    struct problem shadow;
    *out = NULL;
    if (oracle_prepare(problem, error) ||
        (problem_is_joined(problem) && operation_shadow(&shadow, problem, error)) ||
        open_one(out, device, problem, positions_max, seed, error) || open_others(*out, error))
        return -1;
    return check_shadow(&shadow, problem) ? open_shadow(*out, &shadow, sources, error) : 0;
}

void check_close(struct check *check)
{
    const uint64_t buffers[] = {check->outputs, check->scratch, check->state};
    case_sets_dispose(&check->sets);
    if (check->shadow)
        close_shadow(check->shadow);
    for (size_t i = 0; i < check->other_count; i++)
        check_close(check->others[i]);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (buffers[i])
            check->device->ops->free(check->device, buffers[i]);
    free(check->results);
    free(check->plans);
    free(check->chosen);
    free(check);
}

void check_tell(struct check *check, void (*begin)(void), void (*answer)(void))
{
    check->begin = begin;
    check->answer = answer;
    if (check->shadow)
        check_tell(check->shadow->check, begin, answer);
    for (size_t i = 0; i < check->other_count; i++)
        check_tell(check->others[i], begin, answer);
}

void check_limit(struct check *check, double until)
{
    check->until = until;
    if (check->shadow)
        check_limit(check->shadow->check, until);
    for (size_t i = 0; i < check->other_count; i++)
        check_limit(check->others[i], until);
}

void check_observe(struct check *check, const struct check_observer *observer)
{
    check->observer = observer;
}

static bool is_late(const struct check *check)
{
    return check->until > 0 && monotonic_s() > check->until;
}

static void tell(void (*what)(void))
{
    if (what)
        what();
}

/* --- Buffers ------------------------------------------------------------------------------ */

/* Makes a device buffer at least as large as wanted; what it held is lost. */
static int reserve(struct device *device, uint64_t *address, uint64_t *bytes, uint64_t wanted,
                   struct error *error)
{
    if (*bytes >= wanted && *address)
        return 0;
    if (*address)
        device->ops->free(device, *address);
    *address = *bytes = 0;
    if (device->ops->alloc(device, wanted, address, error))
        return -1;
    *bytes = wanted;
    return 0;
}

static int reserve_outputs(struct check *check, const struct case_set *set, struct error *error)
{
    uint64_t wanted = set->slots[set->cases.count] + CASE_SLOT_BYTES;
    if (check->output_bytes >= wanted)
        return 0;
    unsigned char *results = realloc(check->results, wanted);
    if (!results)
        return error_memory(error, wanted);
    check->results = results;
    return reserve(check->device, &check->outputs, &check->output_bytes, wanted, error);
}

/* --- Runs --------------------------------------------------------------------------------- */

/* Which cases are run. */
struct selection {
    enum { CASES_SMALL, CASES_POSITIONS, CASES_SPECIAL } which;
    uint64_t draw; /* of CASES_SMALL: chooses positions, or CHECK_ALL */
};

struct run {
    struct check *check;
    const struct point_context *context; /* with the geometry's target */
    const int64_t *config;
    const struct device_kernel *const *kernels;
    const struct case_set *set;
    struct selection selection;
    bool takes_turns;    /* with another run: only the cases of its turn */
    bool is_in_place;    /* results take the elements' place */
    unsigned turn;       /* 0 or 1 */
    size_t calls;        /* of few elements between two of many */
    size_t chosen_count; /* of check.chosen */
    bool is_cut;         /* before all was launched */
};

/* Does the config keep the problem's order at the dims of case i? Kernels that are made for results
 * of few elements may not at more. */
static bool keeps_order(const struct run *run, size_t i)
{
    struct problem problem = *run->context->problem;
    const struct point_context context = {run->context->space, &problem, run->context->target};
    struct error ignored;
    problem.dims = run->set->cases.cases[i].dims;
    return problem.order == ORDER_FREE ||
           point_reject_order(&context, run->config, &ignored) == POINT_VALID;
}

/* Is the case run in one geometry at least? */
static bool is_selected(const struct run *run, size_t i)
{
    const struct oracle_cases *cases = &run->set->cases;
    const uint64_t draw = run->selection.draw;
    if (cases->cases[i].is_left_out)
        return false;
    return run->selection.which == CASES_POSITIONS
               ? cases->cases[i].step != ORACLE_KEPT
               : draw == CHECK_ALL || oracle_is_drawn(cases, i, draw);
}

/* Assigns cases by the parity of the index's bits: each run gets every start and both kinds of
 * each size. */
static bool is_turn(const struct run *run, size_t i)
{
    return (!run->takes_turns || (unsigned)__builtin_parityll(i) == run->turn) &&
           is_selected(run, i) && keeps_order(run, i);
}

/* Lists the run's cases. */
static int choose_cases(struct run *run, struct error *error)
{
    struct check *check = run->check;
    const size_t count = run->set->cases.count;
    if (check->chosen_room < count) {
        free(check->chosen);
        check->chosen_room = 0;
        check->chosen = malloc(count * sizeof *check->chosen);
        if (!check->chosen)
            return error_memory(error, count * sizeof *check->chosen);
        check->chosen_room = count;
    }
    run->chosen_count = 0;
    for (size_t i = 0; i < count; i++)
        if (is_turn(run, i))
            check->chosen[run->chosen_count++] = i;
    return 0;
}

static const struct planner_plan *plan_of(const struct run *run, size_t i)
{
    return &run->check->plans[run->set->plan_of[i]];
}

/* Plans all cases once: the rules of a space take longer than all else that the host does for one. */
static int plan_cases(const struct run *run, struct error *error)
{
    struct check *check = run->check;
    const struct case_set *set = run->set;
    struct problem problem = *run->context->problem;
    const struct point_context context = {run->context->space, &problem, run->context->target};
    assert(set->cases.count > 0); /* and so each plan has a case */
    if (check->plan_room < set->plan_count) {
        free(check->plans);
        check->plan_room = 0;
        check->plans = calloc(set->plan_count, sizeof *check->plans);
        if (!check->plans)
            return error_memory(error, set->plan_count * sizeof *check->plans);
        check->plan_room = set->plan_count;
    }
    for (size_t i = 0; i < set->cases.count; i++) {
        if (i > 0 && set->plan_of[i] == set->plan_of[i - 1])
            continue;
        problem.dims = set->cases.cases[i].dims;
        if (call_plan(&check->plans[set->plan_of[i]], &context, run->config, error))
            return -1;
    }
    return 0;
}

/* The end of a plan's last partial result in the scratch memory. */
static uint64_t find_end(const struct planner_plan *plan, uint64_t accum_bytes)
{
    uint64_t end = 0;
    for (int i = 0; i < plan->count; i++) {
        const struct planner_launch *launch = &plan->launches[i];
        const int64_t outputs = launch->writes_scratch ? launch->keys[PLANNER_OUTPUTS] : 0;
        const uint64_t ends[] = {launch->output + (uint64_t)outputs * accum_bytes,
                                 launch->partials +
                                     (uint64_t)launch->keys[PLANNER_PARTIALS] * accum_bytes};
        end = ends[0] > end ? ends[0] : end;
        end = ends[1] > end ? ends[1] : end;
    }
    return end;
}

/* Does a call of the case leave the next one an epoch? */
static bool leaves_epoch(const struct run *run, size_t i)
{
    return space_leaves_epoch(run->context->space, plan_of(run, i));
}

static bool any_leaves_epoch(const struct run *run)
{
    size_t i = 0;
    while (i < run->set->plan_count &&
           !space_leaves_epoch(run->context->space, &run->check->plans[i]))
        i++;
    return i < run->set->plan_count;
}

/* Where the further inputs of a case begin, and how they lie. */
static void place_further(const struct run *run, size_t i, struct problem *problem,
                          uint64_t addresses[PROBLEM_FURTHER_MAX])
{
    const struct oracle_case *c = &run->set->cases.cases[i];
    if (problem_inputs(problem) == 1)
        return;
    problem->dims = c->dims;
    memcpy(problem->further, c->further, sizeof problem->further);
    for (size_t input = 1; input < problem_inputs(problem); input++)
        addresses[input - 1] =
            run->set->further[input - 1] +
            c->further[input - 1].first *
                (uint64_t)problem_types[problem_input_type(problem, input)].bytes;
}

/* Binds the case. The scratch memory and state that it declares end where those of all
 * cases do: right before the guards, as far as the scratch memory's alignment allows. With an
 * epoch all states begin at one place, and each case goes on with what the one before left. */
static void bind_case(const struct run *run, size_t i, struct device_launch *out)
{
    const struct check *check = run->check;
    const uint64_t accum_bytes = (uint64_t)problem_partial_bytes(&check->problem);
    const struct planner_plan *plan = plan_of(run, i);
    const uint64_t free_bytes = check->used_bytes - find_end(plan, accum_bytes);
    const uint64_t free_state_bytes =
        leaves_epoch(run, i) ? 0 : check->used_state_bytes - plan->state_bytes;
    const uint64_t output = check->outputs + run->set->slots[i];
    const struct planner_buffers buffers = {
        .input = run->is_in_place ? output
                                  : run->set->elements +
                                        run->set->cases.cases[i].offset *
                                            (uint64_t)problem_types[check->problem.type].bytes,
        .output = output,
        .scratch = check->scratch + POISON_SCRATCH_GUARD +
                   free_bytes / PLANNER_ALIGNMENT * PLANNER_ALIGNMENT,
        .state = check->state + POISON_STATE_GUARD + free_state_bytes,
        .offsets =
            run->set->offsets + run->set->cases.cases[i].borders *
                                    (uint64_t)problem_types[check->problem.offsets].bytes,
    };
    struct problem problem = *run->context->problem;
    uint64_t further[PROBLEM_FURTHER_MAX];
    place_further(run, i, &problem, further);
    bind_launches(out, plan, run->context->space, &problem, run->kernels, &buffers, further);
}

/* Reserves the most scratch memory and state that any case needs. */
static int reserve_scratch(const struct run *run, struct error *error)
{
    struct check *check = run->check;
    const uint64_t accum_bytes = (uint64_t)problem_partial_bytes(&check->problem);
    uint64_t most = 0;
    check->used_bytes = check->used_state_bytes = 0;
    if (plan_cases(run, error))
        return -1;
    for (size_t i = 0; i < run->set->plan_count; i++) {
        const struct planner_plan *plan = &check->plans[i];
        const uint64_t end = find_end(plan, accum_bytes), state = plan->state_bytes;
        most = plan->scratch_bytes > most ? plan->scratch_bytes : most;
        check->used_bytes = end > check->used_bytes ? end : check->used_bytes;
        check->used_state_bytes =
            state > check->used_state_bytes ? state : check->used_state_bytes;
    }
    return reserve(check->device, &check->scratch, &check->scratch_bytes,
                   most + UINT64_C(2) * POISON_SCRATCH_GUARD, error) ||
                   reserve(check->device, &check->state, &check->state_bytes,
                           check->used_state_bytes + UINT64_C(2) * POISON_STATE_GUARD, error)
               ? -1
               : 0;
}

/* Copies the elements of the case to where its results will be. */
static int place_input(const struct run *run, size_t i, struct error *error)
{
    const struct check *check = run->check;
    const struct oracle_case *c = &run->set->cases.cases[i];
    const uint64_t bytes = (uint64_t)problem_types[check->problem.type].bytes;
    if (!run->is_in_place || dims_n(&c->dims) == 0)
        return 0;
    return check->device->ops->copy(check->device, check->outputs + run->set->slots[i],
                                    run->set->elements + c->offset * bytes,
                                    dims_n(&c->dims) * bytes, error);
}

/* Launches all, or those before the time is over. */
static int launch_cases(struct run *run, struct error *error)
{
    struct device *device = run->check->device;
    const bool is_host = device->info.target.is_host;
    const size_t batch = is_host ? BATCH_HOST : BATCH;
    struct device_launch *launches = malloc((BATCH + PLANNER_LAUNCHES) * sizeof *launches);
    size_t count = 0;
    uint64_t threads = 0;
    int failed = launches ? 0 : error_memory(error, BATCH * sizeof *launches);
    for (size_t k = 0; !failed && k < run->chosen_count; k++) {
        const size_t i = run->check->chosen[k];
        run->is_cut = is_late(run->check);
        failed = run->is_cut ? 0 : place_input(run, i, error);
        if (failed || run->is_cut)
            break;
        bind_case(run, i, launches + count);
        for (int at = 0; at < plan_of(run, i)->count; at++, count++)
            threads += (uint64_t)launches[count].grid * launches[count].block;
        if (count >= batch || (is_host && threads >= THREADS_HOST)) {
            tell(run->check->begin);
            failed = device->ops->launch(device, launches, count, NULL, error);
            count = 0;
            threads = 0;
            if (is_host)
                tell(run->check->answer);
        }
    }
    if (!failed && count) {
        tell(run->check->begin);
        failed = device->ops->launch(device, launches, count, NULL, error);
    }
    free(launches);
    return failed;
}

static oracle_bits expected_bits(const struct run *run, size_t i, uint64_t result)
{
    const struct oracle_cases *cases = &run->set->cases;
    const struct oracle_case *c = &cases->cases[i];
    return cases->expects[c->first + result];
}

/* The bits are the expected ones, or within what is doubtful of them. */
static bool accepts(const struct run *run, size_t i, uint64_t result, oracle_bits got)
{
    const struct oracle_cases *cases = &run->set->cases;
    const struct oracle_case *c = &cases->cases[i];
    const struct oracle_doubt *doubt = cases->doubts ? cases->doubts + c->first + result : NULL;
    return oracle_accepts(&run->check->problem, expected_bits(run, i, result), doubt,
                          doubt ? call_height(plan_of(run, i)) : 0, got);
}

/* How its further inputs lie. */
static void add_lies(const struct run *run, const struct oracle_case *c,
                     struct check_outcome *out)
{
    struct problem problem = run->check->problem;
    struct text lies = {0};
    memcpy(problem.further, c->further, sizeof problem.further);
    problem_add_lies(&lies, &problem);
    const size_t used = strlen(out->reason);
    snprintf(out->reason + used, sizeof out->reason - used, "%.60s", lies.at ? lies.at : "");
    text_dispose(&lies);
}

/* Writes the reason: case i, the fault, and for a wrong result its value. */
static void fault(const struct run *run, size_t i, uint64_t result, const char *what,
                  const oracle_bits *got, struct check_outcome *out)
{
    const struct oracle_case *c = &run->set->cases.cases[i];
    const enum type type = problem_result(&run->check->problem);
    const uint64_t starts = 16 / (uint64_t)problem_types[run->check->problem.type].bytes;
    char expected[ORACLE_CHARS], gotten[ORACLE_CHARS], size[DIMS_TEXT_CHARS];
    out->is_right = false;
    if (oracle_is_run(&c->dims) && !c->dims.scan)
        snprintf(out->reason, sizeof out->reason, "%s at n = %" PRIu64, what, c->dims.depth.n);
    else
        snprintf(out->reason, sizeof out->reason, "%s of %s, result %" PRIu64, what,
                 dims_text_format(size, &c->dims), result);
    const size_t sized = strlen(out->reason);
    snprintf(out->reason + sized, sizeof out->reason - sized,
             ", start %" PRIu64 " elements past alignment", c->offset % starts);
    add_lies(run, c, out);
    const size_t used = strlen(out->reason);
    if (got)
        snprintf(out->reason + used, sizeof out->reason - used, ": expected %s, got %s",
                 oracle_format(expected, type, expected_bits(run, i, result)),
                 oracle_format(gotten, type, *got));
}

/* What is wrong with what the case has written into such bytes, if anything is. */
static bool find_fault(const struct run *run, size_t i, uint8_t poison, struct check_fault *out)
{
    const struct oracle_case *c = &run->set->cases.cases[i];
    const size_t bytes = (size_t)problem_types[problem_result(&run->check->problem)].bytes;
    const uint64_t results = dims_results(&c->dims);
    const uint64_t *slots = run->set->slots, used = results * bytes;
    const unsigned char *slot = run->check->results + slots[i];
    if (!poison_is_all(slot + used, slots[i + 1] - slots[i] - used, poison)) {
        *out = (struct check_fault){.what = "wrote past its results", .result = results - 1};
        return true;
    }
    for (uint64_t r = 0; r < results && !c->is_open; r++) {
        oracle_bits got = 0;
        memcpy(&got, slot + r * bytes, bytes);
        if (accepts(run, i, r, got))
            continue;
        const bool is_none = poison_is_all(slot + r * bytes, bytes, poison);
        *out = (struct check_fault){.what = is_none ? "no result written" : "wrong result",
                                    .result = r,
                                    .is_of_output = true,
                                    .has_bits = !is_none,
                                    .expected = expected_bits(run, i, r),
                                    .got = got};
        return true;
    }
    return false;
}

static void compare_case(const struct run *run, size_t i, struct check_outcome *out)
{
    struct check_fault found;
    out->cases++;
    if (find_fault(run, i, POISON_OUTPUT, &found))
        fault(run, i, found.result, found.what, found.has_bits ? &found.got : NULL, out);
}

static void compare(const struct run *run, struct check_outcome *out)
{
    for (size_t k = 0; k < run->chosen_count && out->is_right; k++)
        compare_case(run, run->check->chosen[k], out);
}

static void find_wrong(struct check_outcome *out, const char *what)
{
    out->is_right = false;
    snprintf(out->reason, sizeof out->reason, "%s", what);
}

/* Compares the guards around the state with their poison, and a state without epoch with zero. */
static int check_state(const struct run *run, struct check_outcome *out, struct error *error)
{
    struct check *check = run->check;
    const uint64_t used_bytes = check->used_state_bytes;
    const uint64_t bytes = used_bytes + UINT64_C(2) * POISON_STATE_GUARD;
    unsigned char *all = malloc(bytes);
    if (!all)
        return error_memory(error, bytes);
    const int failed = check->device->ops->read(check->device, all, check->state, bytes, error);
    const char *what = failed ? NULL
                              : poison_state_fault(all, POISON_STATE_GUARD, used_bytes,
                                                   out->is_right, any_leaves_epoch(run));
    if (what)
        find_wrong(out, what);
    free(all);
    return failed;
}

/* Compares the guards around the scratch memory. A write outside it explains more than a wrong
 * result. */
static int check_guards(const struct run *run, struct check_outcome *out, struct error *error)
{
    struct check *check = run->check;
    const struct device_ops *ops = check->device->ops;
    const uint64_t after = check->scratch + POISON_SCRATCH_GUARD + check->used_bytes;
    unsigned char guards[2][POISON_SCRATCH_GUARD];
    if (ops->read(check->device, guards[0], check->scratch, sizeof guards[0], error) ||
        ops->read(check->device, guards[1], after, sizeof guards[1], error))
        return -1;
    if (!poison_is_all(guards[1], sizeof guards[1], POISON_SCRATCH))
        find_wrong(out, "wrote past its scratch memory");
    else if (!poison_is_all(guards[0], sizeof guards[0], POISON_SCRATCH))
        find_wrong(out, "wrote before its scratch memory");
    else
        return check_state(run, out, error);
    return 0;
}

/* A device that survives a kernel that cannot finish reports it: an outcome, not a failure. */
static int stop_at(struct check_outcome *out, const struct error *error)
{
    if (error->code != ERROR_WRONG)
        return -1;
    out->is_right = false;
    snprintf(out->reason, sizeof out->reason, "%.230s", error->text);
    return 0;
}

static int fill_buffers(const struct run *run, struct error *error)
{
    struct device *device = run->check->device;
    const struct check *check = run->check;
    const uint64_t state = check->state + POISON_STATE_GUARD;
    return device->ops->fill(device, check->outputs, POISON_OUTPUT,
                             run->set->slots[run->set->cases.count], NULL, error) ||
                   device->ops->fill(device, check->scratch, POISON_SCRATCH,
                                     check->scratch_bytes, NULL, error) ||
                   device->ops->fill(device, check->state, POISON_STATE, check->state_bytes,
                                     NULL, error) ||
                   (check->used_state_bytes &&
                    device->ops->fill(device, state, 0, check->used_state_bytes, NULL, error))
               ? -1
               : 0;
}

/* --- Calls after calls -------------------------------------------------------------------- */

/* Two cases of several tiles, for a call must not get along with what one of the same elements left,
 * and that of the fewest elements. */
struct calls {
    size_t many[2], few;
};

static bool find_calls(const struct run *run, struct calls *out)
{
    const struct oracle_cases *cases = &run->set->cases;
    uint64_t most[2] = {0, 0}, fewest = UINT64_MAX;
    for (size_t k = 0; k < run->chosen_count; k++) {
        const size_t i = run->check->chosen[k];
        const uint64_t n = dims_n(&cases->cases[i].dims);
        if (n == 0 || n > CALLS_TILES * run->set->shape.tile)
            continue;
        if (n < fewest) {
            fewest = n;
            out->few = i;
        }
        const size_t place = n > most[0] ? 0 : 1;
        if (n <= most[place])
            continue;
        if (place == 0) {
            most[1] = most[0];
            out->many[1] = out->many[0];
        }
        most[place] = n;
        out->many[place] = i;
    }
    return most[1] > fewest;
}

static int launch_again(const struct run *run, size_t i, size_t times, struct error *error)
{
    struct device *device = run->check->device;
    struct device_launch launches[PLANNER_LAUNCHES];
    if (place_input(run, i, error))
        return -1;
    bind_case(run, i, launches);
    for (size_t k = 0; k < times; k++)
        if (device->ops->launch(device, launches, (size_t)plan_of(run, i)->count, NULL, error))
            return -1;
    return device->ops->sync(device, NULL, error);
}

/* Runs a case once more, and compares what it gives now. */
static int run_again(const struct run *run, size_t i, struct check_outcome *out,
                     struct error *error)
{
    const struct check *check = run->check;
    const uint64_t *slots = run->set->slots;
    const struct device_ops *ops = check->device->ops;
    if (ops->fill(check->device, check->outputs + slots[i], POISON_OUTPUT,
                  slots[i + 1] - slots[i], NULL, error) ||
        ops->sync(check->device, NULL, error) || launch_again(run, i, 1, error) ||
        ops->read(check->device, check->results + slots[i], check->outputs + slots[i],
                  slots[i + 1] - slots[i], error))
        return -1;
    compare_case(run, i, out);
    return 0;
}

/* Many tiles, then calls of few, then many others: what is 2^k calls old is not taken for new. A number of
 * fewer bits than k comes back then, too, so that one distance tells them all. */
static int count_calls(const struct run *run, const struct calls *calls,
                       struct check_outcome *out, struct error *error)
{
    const size_t between[] = {0, run->calls};
    for (size_t i = 0; i < 2; i++)
        for (size_t side = 0; side < 2 && out->is_right; side++)
            if (run_again(run, calls->many[side], out, error) ||
                (out->is_right && side == 0 &&
                 launch_again(run, calls->few, between[i], error)))
                return -1;
    return 0;
}

/* An epoch stands in the upper half of the state's first word, and counts to 2^30 - 1: see
 * docs/kernels.md. What another number has begun stays as it is. */
static int wrap_epoch(const struct run *run, const struct calls *calls,
                      struct check_outcome *out, struct error *error)
{
    struct check *check = run->check;
    const struct device_ops *ops = check->device->ops;
    const uint64_t state = check->state + POISON_STATE_GUARD, last = (UINT64_C(1) << 30) - 2;
    uint64_t word = last << 32;
    if (ops->fill(check->device, state, 0, check->used_state_bytes, NULL, error) ||
        ops->sync(check->device, NULL, error) ||
        ops->write(check->device, state, &word, sizeof word, error) ||
        run_again(run, calls->many[0], out, error) || launch_again(run, calls->few, 1, error) ||
        run_again(run, calls->many[1], out, error))
        return -1;
    return out->is_right ? run_again(run, calls->many[0], out, error) : 0;
}

/* Does a call count others by an epoch where it is said to stand? */
static int has_epoch(const struct run *run, const struct calls *calls, bool *out,
                     struct error *error)
{
    struct check *check = run->check;
    const struct device_ops *ops = check->device->ops;
    const uint64_t state = check->state + POISON_STATE_GUARD;
    uint64_t word = 0;
    if (ops->fill(check->device, state, 0, check->used_state_bytes, NULL, error) ||
        ops->sync(check->device, NULL, error) || launch_again(run, calls->many[0], 1, error) ||
        ops->read(check->device, &word, state, sizeof word, error))
        return -1;
    *out = word == UINT64_C(1) << 32;
    return 0;
}

/* What a kernel keeps for its next call must serve any call, however many come between. */
static int check_calls(const struct run *run, struct check_outcome *out, struct error *error)
{
    struct calls calls = {{0, 0}, 0};
    bool has_one = false;
    if (!find_calls(run, &calls) || !leaves_epoch(run, calls.many[0]))
        return 0;
    if (count_calls(run, &calls, out, error) ||
        (out->is_right && has_epoch(run, &calls, &has_one, error)) ||
        (out->is_right && has_one && wrap_epoch(run, &calls, out, error)))
        return stop_at(out, error);
    return 0;
}

/* --- Cases one by one --------------------------------------------------------------------- */

/* Has a launch changed the elements of the case, or those around them? If so they are written again. */
static int compare_elements(const struct run *run, size_t i, bool *is_changed,
                            struct error *error)
{
    enum { AROUND = 64 };
    struct check *check = run->check;
    const struct oracle_cases *cases = &run->set->cases;
    const struct oracle_case *c = &cases->cases[i];
    const uint64_t bytes = (uint64_t)problem_types[check->problem.type].bytes;
    const uint64_t first = c->offset < AROUND ? 0 : c->offset - AROUND;
    const uint64_t room = cases->element_count - c->offset, extent = dims_extent(&c->dims);
    const uint64_t end = c->offset + (extent + AROUND < room ? extent + AROUND : room);
    void *now = malloc((end - first) * bytes + 1);
    if (!now)
        return error_memory(error, (end - first) * bytes);
    const int failed =
        check->device->ops->read(check->device, now, run->set->elements + first * bytes,
                                 (end - first) * bytes, error);
    *is_changed = !failed && memcmp(now, (const char *)cases->elements + first * bytes,
                                    (end - first) * bytes) != 0;
    free(now);
    return failed || (*is_changed && case_sets_restore(&check->sets, run->set, error)) ? -1 : 0;
}

/* Has a launch left a state that is neither zero nor an epoch? If so it is zero again. */
static int clear_state(const struct run *run, size_t i, bool *is_left, struct error *error)
{
    const struct check *check = run->check;
    const struct device_ops *ops = check->device->ops;
    const uint64_t bytes = check->used_state_bytes;
    const uint64_t state = check->state + POISON_STATE_GUARD;
    *is_left = false;
    if (bytes == 0 || leaves_epoch(run, i))
        return 0;
    void *now = malloc(bytes);
    if (!now)
        return error_memory(error, bytes);
    const int failed = ops->read(check->device, now, state, bytes, error);
    *is_left = !failed && !poison_is_all(now, bytes, 0);
    free(now);
    return failed || (*is_left && ops->fill(check->device, state, 0, bytes, NULL, error)) ? -1
                                                                                          : 0;
}

/* One launch of the case, into bytes of this value. 1: `out` says what is wrong; its words may be in `room`. */
static int observe_launch(const struct run *run, size_t i, uint8_t poison,
                          struct check_fault *out, struct error *room, struct error *error)
{
    struct check *check = run->check;
    const struct device_ops *ops = check->device->ops;
    const uint64_t *slots = run->set->slots, from = check->outputs + slots[i];
    const uint64_t bytes = slots[i + 1] - slots[i];
    bool is_changed = false;
    if (ops->fill(check->device, from, poison, bytes, NULL, error) ||
        ops->sync(check->device, NULL, error))
        return -1;
    if (launch_again(run, i, 1, error)) {
        *room = *error;
        *out = (struct check_fault){.what = room->text};
        return error->code == ERROR_WRONG ? 1 : -1;
    }
    if (ops->read(check->device, check->results + slots[i], from, bytes, error) ||
        compare_elements(run, i, &is_changed, error))
        return -1;
    if (is_changed) {
        *out = (struct check_fault){.what = "wrote into its input"};
        return 1;
    }
    if (clear_state(run, i, &is_changed, error))
        return -1;
    if (is_changed) {
        *out = (struct check_fault){.what = "left its state other than zero"};
        return 1;
    }
    return find_fault(run, i, poison, out);
}

/* Is a wrong case right where its scratch memory is zero? Which then is as it was not. */
static int observe_scratch(const struct run *run, size_t i, uint8_t poison, bool *is_right,
                           struct error *error)
{
    struct check *check = run->check;
    const struct device_ops *ops = check->device->ops;
    const uint64_t scratch = check->scratch + POISON_SCRATCH_GUARD;
    struct check_fault ignored;
    struct error room;
    *is_right = false;
    if (check->used_bytes == 0)
        return 0;
    if (ops->fill(check->device, scratch, 0, check->used_bytes, NULL, error))
        return -1;
    const int wrong = observe_launch(run, i, poison, &ignored, &room, error);
    *is_right = wrong == 0;
    return wrong < 0 || ops->fill(check->device, scratch, POISON_SCRATCH, check->used_bytes,
                                  NULL, error)
               ? -1
               : 0;
}

/* Launches a wrong case again, to see whether it is wrong in the same way each time. */
static int observe_again(const struct run *run, size_t i, uint8_t poison,
                         struct check_fault *found, struct error *error)
{
    enum { TIMES = 3 };
    struct check_fault again;
    struct error room;
    found->is_unsteady = false;
    if (observe_scratch(run, i, poison, &found->wants_scratch, error))
        return -1;
    for (int k = 0; k < TIMES && !found->is_unsteady; k++) {
        const int wrong = observe_launch(run, i, poison, &again, &room, error);
        if (wrong < 0)
            return -1;
        found->is_unsteady = !wrong || again.has_bits != found->has_bits ||
                             (again.has_bits && again.got != found->got);
    }
    return 0;
}

static int observe_case(const struct run *run, size_t i, struct check_outcome *out,
                        struct error *error)
{
    const struct check_observer *observer = run->check->observer;
    const struct oracle_cases *cases = &run->set->cases;
    const struct oracle_case *c = &cases->cases[i];
    const uint64_t bytes = (uint64_t)problem_types[run->check->problem.type].bytes;
    /* Large as integers and as floats, so that what is added to it shows; then small. */
    static const uint8_t poisons[] = {0x7d, POISON_OUTPUT};
    struct check_fault found, zeroed;
    struct error room;
    int wrong = 0;
    observer->begin(observer->context, &c->dims, c->offset % (16 / bytes));
    for (unsigned launch = 0; launch < 2 && wrong == 0; launch++) {
        wrong = observe_launch(run, i, poisons[launch], &found, &room, error);
        found.launch = launch;
    }
    const int of_zeros =
        wrong > 0 && found.is_of_output ? observe_launch(run, i, 0, &zeroed, &room, error) : 1;
    if (wrong < 0 || of_zeros < 0 ||
        (wrong && found.is_of_output &&
         observe_again(run, i, poisons[found.launch], &found, error)))
        return -1;
    found.wants_zeros = of_zeros == 0;
    found.dims = c->dims;
    found.start = c->offset % (16 / bytes);
    found.elements = (const char *)cases->elements + c->offset * bytes;
    observer->end(observer->context, wrong ? &found : NULL);
    out->cases++;
    out->is_right &= !wrong;
    return 0;
}

static int observe_cases(const struct run *run, struct check_outcome *out, struct error *error)
{
    const struct check *check = run->check;
    for (size_t k = 0; k < run->chosen_count; k++) {
        const struct dims *dims = &run->set->cases.cases[check->chosen[k]].dims;
        if ((check->observer->is_packed && dims_extent(dims) != dims_n(dims)) ||
            (check->observer->leaves_out_empty && dims_n(dims) == 0))
            continue;
        if (observe_case(run, check->chosen[k], out, error))
            return -1;
    }
    return 0;
}

/* Poisons, launches, reads back and compares. */
static int run_cases(struct run *run, struct check_outcome *out, struct error *error)
{
    struct check *check = run->check;
    const struct device_ops *ops = check->device->ops;
    const uint64_t bytes = run->set->slots[run->set->cases.count];
    if (choose_cases(run, error))
        return -1;
    if (run->chosen_count == 0)
        return 0;
    if (reserve_outputs(check, run->set, error) || reserve_scratch(run, error) ||
        fill_buffers(run, error) || ops->sync(check->device, NULL, error))
        return -1;
    if (check->observer)
        return observe_cases(run, out, error) || check_guards(run, out, error) ? -1 : 0;
    const bool is_stopped = launch_cases(run, error) != 0;
    const int failed =
        !is_stopped && (ops->sync(check->device, NULL, error) ||
                        ops->read(check->device, check->results, check->outputs, bytes, error));
    tell(check->answer);
    if (is_stopped)
        return stop_at(out, error);
    if (failed)
        return -1;
    if (run->is_cut) {
        find_wrong(out, "the time was over");
        out->is_cut = true;
        return 0;
    }
    compare(run, out);
    if (out->is_right && check_calls(run, out, error))
        return -1;
    return check_guards(run, out, error);
}

int check_choose(struct check_configs *out, const struct point_context *context,
                 const int64_t *configs, size_t count, struct error *error)
{
    assert(count > 0);
    enum {
        TILES = 64,
        RESULTS = 1 << 15,
        DEPTH = 1 << 10
    }; /* enough to tell the candidates apart */
    struct target one_sm = *context->target;
    struct problem large = *context->problem;
    const struct point_context narrow = {context->space, &large, &one_sm};
    struct planner_plan plan;
    int64_t fewest = INT64_MAX;
    one_sm.sms = 1;
    *out = (struct check_configs){configs, configs};
    for (size_t i = 0; i < count; i++) {
        const int64_t *config = configs + i * context->space->param_count;
        large.dims = oracle_resize(&context->problem->dims, RESULTS, DEPTH, 0);
        if (call_plan(&plan, &narrow, config, error))
            return -1;
        const int64_t *keys = plan.launches[plan.first].keys;
        const uint64_t tiles = TILES * (uint64_t)keys[PLANNER_TILE] / dims_kept(&large.dims);
        large.dims = oracle_resize(&large.dims, RESULTS, tiles > DEPTH ? tiles : DEPTH, 0);
        if (call_plan(&plan, &narrow, config, error))
            return -1;
        if (plan.launches[plan.first].keys[PLANNER_GRID] < fewest) {
            fewest = plan.launches[plan.first].keys[PLANNER_GRID];
            out->narrow = config;
        }
    }
    return 0;
}

/* May a call's results take the place of its elements? */
static bool can_be_in_place(const struct problem *problem)
{
    return problem->dims.scan && oracle_is_run(&problem->dims) &&
           problem_types[problem->type].bytes == problem_types[problem_result(problem)].bytes;
}

static int check_set(struct check *check, const struct point_context *context,
                     struct check_configs configs,
                     const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                     struct selection selection, struct check_outcome *out, struct error *error)
{
    const bool is_special = selection.which == CASES_SPECIAL;
    struct target one_sm = *context->target;
    const struct point_context narrow = {context->space, context->problem, &one_sm};
    struct problem one = *context->problem;
    const struct point_context least = {context->space, &one, context->target};
    struct planner_plan plan;
    one_sm.sms = 1;
    one.dims = oracle_resize(&one.dims, 1, 1, 0);
    *out = (struct check_outcome){.is_right = true};
    if (call_plan(&plan, &least, configs.wide, error))
        return -1;
    struct case_set *set = case_sets_find(&check->sets, &plan, is_special, error);
    if (!set)
        return -1;
    const bool takes_turns = check->observer || set->cases.count > ALTERNATE ||
                             set->shape.parts || !oracle_is_run(&context->problem->dims);
    struct run wide_run = {.check = check,
                           .context = context,
                           .config = configs.wide,
                           .kernels = kernels,
                           .set = set,
                           .selection = selection,
                           .takes_turns = takes_turns,
                           .turn = 0,
                           .calls = is_special ? CALLS_MANY : CALLS_FEW};
    struct run narrow_run = {.check = check,
                             .context = &narrow,
                             .config = configs.narrow,
                             .kernels = kernels,
                             .set = set,
                             .selection = selection,
                             .takes_turns = takes_turns,
                             .is_in_place =
                                 !check->observer && can_be_in_place(context->problem),
                             .turn = 1,
                             .calls = CALLS_FEW};
    if (set->cases.count == 0)
        return 0;
    int failed = run_cases(&wide_run, out, error);
    if (!failed && (out->is_right || check->observer))
        failed = run_cases(&narrow_run, out, error);
    /* A kernel with stray writes may have changed the input of other kernels. */
    if (!failed && !out->is_right)
        failed = case_sets_restore(&check->sets, set, error);
    return failed;
}

/* --- The shadow --------------------------------------------------------------------------- */

/* Is what is offered this text? */
static bool is_offered(const struct shadow *shadow, uint64_t hash)
{
    return shadow->image && shadow->variant->sources_hash == hash;
}

static bool is_loaded(const struct shadow *shadow, uint64_t hash)
{
    return shadow->loaded.module && shadow->loaded.unit.variants[0].sources_hash == hash;
}

/* Takes what is offered, or compiles; 1 with the reason where the kernels do not compile. */
static int open_kernels(struct shadow *shadow, const struct point_context *context,
                        const int64_t *config, uint64_t hash, struct error *error)
{
    struct device *device = shadow->check->device;
    if (!is_offered(shadow, hash))
        return loaded_compile(&shadow->loaded, device, context, shadow->sources, config, 1,
                              error);
    if (shadow->variant->is_failed) {
        *error = shadow->variant->reason;
        return 1;
    }
    loaded_borrow(&shadow->loaded, device, shadow->image, shadow->variant);
    return 0;
}

/* Loads the shadow's kernels of the config, unless they are there; 1 with the reason where they do not
 * compile. */
static int load_shadow(struct shadow *shadow, const struct point_context *context,
                       const int64_t *config, struct error *error)
{
    uint64_t hash;
    if (emit_hash_config(&hash, context, shadow->sources, config, error))
        return -1;
    if (is_loaded(shadow, hash))
        return 0;
    if (shadow->loaded.device)
        loaded_close(&shadow->loaded);
    const int failed = open_kernels(shadow, context, config, hash, error);
    return failed ? failed : loaded_load(&shadow->loaded, error);
}

/* Says that it is the shadow that is wrong. */
static void name_shadow(struct check_outcome *out, const struct problem *shadow,
                        const char *reason)
{
    char what[sizeof out->reason], name[SHADOW_CHARS];
    snprintf(what, sizeof what, "with %s in its place: %.140s", describe_shadow(name, shadow),
             reason);
    memcpy(out->reason, what, sizeof what);
    out->is_right = false;
}

static int check_shadow_set(struct shadow *shadow, const struct point_context *context,
                            struct check_configs configs, struct selection selection,
                            struct check_outcome *out, struct error *error)
{
    struct problem problem;
    const struct point_context plain = {context->space, &problem, context->target};
    const struct device_kernel *kernels[SPACE_PASSES_MAX];
    struct error reason;
    *out = (struct check_outcome){.is_right = true};
    if (!check_has_shadow(&problem, context, configs.wide))
        return 0; /* the plain operation has no such kernel */
    const int failed = load_shadow(shadow, &plain, configs.wide, &reason);
    if (failed < 0) {
        *error = reason;
        return -1;
    }
    if (failed) {
        name_shadow(out, &problem, reason.text);
        return 0;
    }
    loaded_kernels(&shadow->loaded, 0, kernels);
    if (check_set(shadow->check, &plain, configs, kernels, selection, out, error))
        return -1;
    if (!out->is_right && !out->is_cut)
        name_shadow(out, &problem, out->reason);
    return 0;
}

/* Says with which params it is wrong. */
static void name_params(struct check_outcome *out, const struct problem *problem)
{
    char what[sizeof out->reason];
    struct text params = {0};
    problem_add_params(&params, problem);
    snprintf(what, sizeof what, "with%.80s: %.140s", params.at ? params.at : "", out->reason);
    memcpy(out->reason, what, sizeof what);
    text_dispose(&params);
}

/* The same code with other values of params, each case with one of them, in one geometry: what ignores a value, or
 * keeps that of another call, is wrong here. Where an element stands changes nothing of that, so one start of a window
 * of each size is enough, and a draw of the positions that are tried one by one. */
static int check_others(struct check *check, const struct point_context *context,
                        struct check_configs configs,
                        const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                        struct selection selection, struct check_outcome *out,
                        struct error *error)
{
    struct problem problem = *context->problem;
    const struct point_context other = {context->space, &problem, context->target};
    if (selection.which == CASES_POSITIONS)
        return 0;
    if (selection.draw == CHECK_ALL)
        selection.draw = 0;
    for (size_t i = 0; i < check->other_count && out->is_right; i++) {
        const uint64_t cases = out->cases;
        problem.params = check->others[i]->problem.params;
        if (check_set(check->others[i], &other, configs, kernels, selection, out, error))
            return -1;
        out->cases += cases;
        if (!out->is_right && !out->is_cut)
            name_params(out, &problem);
    }
    return 0;
}

/* The proofs of a config, one after the other: of its shadow, then of this very code. */
static int check_all(struct check *check, const struct point_context *context,
                     struct check_configs configs,
                     const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                     struct selection selection, struct check_outcome *out, struct error *error)
{
    struct check_outcome shadow = {.is_right = true};
    if (check->shadow &&
        check_shadow_set(check->shadow, context, configs, selection, &shadow, error))
        return -1;
    if (!shadow.is_right) {
        *out = shadow;
        return 0;
    }
    if (check_set(check, context, configs, kernels, selection, out, error) ||
        check_others(check, context, configs, kernels, selection, out, error))
        return -1;
    out->cases += shadow.cases;
    return 0;
}

int check_small(struct check *check, const struct point_context *context,
                struct check_configs configs,
                const struct device_kernel *const kernels[SPACE_PASSES_MAX], uint64_t draw,
                struct check_outcome *out, struct error *error)
{
    const struct selection selection = {.which = CASES_SMALL, .draw = draw};
    return check_all(check, context, configs, kernels, selection, out, error);
}

int check_positions(struct check *check, const struct point_context *context,
                    struct check_configs configs,
                    const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                    struct check_outcome *out, struct error *error)
{
    const struct selection selection = {.which = CASES_POSITIONS, .draw = CHECK_ALL};
    return check_all(check, context, configs, kernels, selection, out, error);
}

int check_specials(struct check *check, const struct point_context *context,
                   struct check_configs configs,
                   const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                   struct check_outcome *out, struct error *error)
{
    const struct selection selection = {.which = CASES_SPECIAL, .draw = CHECK_ALL};
    return check_all(check, context, configs, kernels, selection, out, error);
}

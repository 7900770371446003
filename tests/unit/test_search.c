/* Tests of autotune/search/search.c: what a search makes of what its workers do. The workers
 * are the test's own: they answer as they should, but for one planted fault. */
#include "autotune/search/search.h"

#include "autotune/device/gpus.h"
#include "autotune/search/winner.h"
#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

#include <stdio.h>
#include <stdlib.h>

enum { VARIANTS = 6, CANDIDATES = 3, SLOTS = VARIANTS + 1, EVENTS = 512, ALWAYS = 1000 };

static struct error error;

/* Where a fault happens: in which step of which variant. */
enum step { IN_NONE, IN_OPEN, IN_COMPILE, IN_LOAD, IN_PROVE, IN_MEASURE, IN_RACE, IN_IDLE };

enum fault {
    DIES,
    IS_KILLED,
    HANGS,
    SENDS_GARBAGE,
    ANSWERS_TWICE, /* the last message of the unit */
    IS_REFUSED,    /* does not compile, does not load, is wrong */
    LACKS,         /* the compiler has no room */
    SAYS_FATAL,    /* and ends */
};

struct plan {
    enum step step;
    enum fault fault;
    size_t variant;
    size_t candidate; /* of the variant, in its order */
    unsigned times;   /* it happens */
};

/* The workers. */
struct workers {
    const struct tune_result *result;
    struct plan plan;
    struct worker_pool_event events[EVENTS];
    size_t first, count;
    bool runs[SLOTS];
    double deadline[SLOTS];
    unsigned starts[SLOTS], compiled[VARIANTS], tried, units; /* units: of several variants */
    unsigned shadows[VARIANTS], shadowed; /* compiled; variants tried with one */
    double apart;                         /* of the places of a race: 0.001 is a tie */
};

struct fixture {
    struct space *space;
    struct problem problem;
    struct target target;
    struct point_context context;
    struct device_info info;
    struct emit_sources sources;
    struct unit_cache *units;
    struct tune_job job;
    struct tune_options options;
    struct tune_result result;
    struct strategy_order order;
    double prior[VARIANTS * CANDIDATES];
    struct workers workers;
    struct search *search;
};

/* --- The workers -------------------------------------------------------------------------- */

static void tell(struct workers *workers, size_t slot, enum job_kind kind, const void *message,
                 size_t size)
{
    struct worker_pool_event *event = &workers->events[workers->count++];
    assert_true(workers->count <= EVENTS);
    *event = (struct worker_pool_event){.kind = WORKER_POOL_FRAME, .slot = slot};
    event->frame.kind = kind;
    frame_put(&event->frame, message, size);
}

static void end(struct workers *workers, size_t slot, enum fault fault)
{
    struct worker_pool_event *event = &workers->events[workers->count++];
    assert_true(workers->count <= EVENTS);
    *event =
        (struct worker_pool_event){.kind = fault == HANGS ? WORKER_POOL_LATE : WORKER_POOL_LOST,
                                   .slot = slot,
                                   .was_killed = fault == IS_KILLED};
    snprintf(event->how, sizeof event->how, "fault %d", (int)fault);
    workers->runs[slot] = false;
}

/* Plays the planted fault if this is its place; true when the worker is no more. */
static bool fails(struct workers *workers, size_t slot, enum step step, size_t variant,
                  size_t candidate)
{
    struct plan *plan = &workers->plan;
    if (plan->step != step || plan->variant != variant || plan->candidate != candidate ||
        plan->fault == ANSWERS_TWICE || plan->fault == IS_REFUSED || plan->fault == LACKS ||
        plan->times == 0)
        return false;
    plan->times--;
    if (plan->fault == SENDS_GARBAGE) {
        tell(workers, slot, JOB_TRIAL, "?", 1);
        return true;
    }
    if (plan->fault == SAYS_FATAL) {
        struct job_fatal fatal = {.code = ERROR_FAILED};
        snprintf(fatal.text, sizeof fatal.text, "last words");
        tell(workers, slot, JOB_FATAL, &fatal, sizeof fatal);
    }
    end(workers, slot, plan->fault);
    return true;
}

static bool is_refused(struct workers *workers, enum step step, size_t variant)
{
    return workers->plan.step == step && workers->plan.fault == IS_REFUSED &&
           workers->plan.variant == variant;
}

static bool has_room(struct workers *workers, size_t variant)
{
    struct plan *plan = &workers->plan;
    return plan->fault != LACKS || plan->variant != variant || plan->times == 0 ||
           plan->times-- == 0;
}

static bool answers_twice(struct workers *workers, enum step step)
{
    return workers->plan.step == step && workers->plan.fault == ANSWERS_TWICE &&
           workers->plan.times-- > 0;
}

static int start(void *at, size_t slot, const struct tune_job *job, uint64_t seed,
                 const char *spec, struct error *unused)
{
    struct workers *workers = at;
    const struct job_ready ready = {.reference_ps = 1000, .inputs = 2, .calls = 4};
    (void)seed;
    (void)unused;
    (void)spec;
    assert_true(slot < SLOTS && (!workers->runs[slot] || job->workers)); /* one that was kept */
    workers->runs[slot] = true;
    workers->starts[slot]++;
    if (fails(workers, slot, IN_OPEN, slot, 0))
        return 0;
    tell(workers, slot, JOB_READY, &ready, sizeof ready);
    if (workers->plan.step == IN_IDLE && workers->plan.variant == slot)
        fails(workers, slot, IN_IDLE, slot, 0);
    return 0;
}

static size_t variant_of(const struct workers *workers, const int64_t *config)
{
    const struct tune_result *result = workers->result;
    for (size_t i = 0; i < result->points.count; i++)
        if (memcmp(tune_result_config(result, i), config,
                   result->points.width * sizeof *config) == 0)
            return tune_result_variant(&result->points, i);
    fail_msg("a config that is none of the search's");
    return 0;
}

/* Those that are asked for, of one kernel that all share. */
static void compile_shadow(struct workers *workers, struct job_unit *unit, size_t i,
                           size_t variant)
{
    static char bytes[] = "shadows", name[] = "shadow", *names[] = {name};
    struct compiled_variant *shadow = &unit->variants[i].shadow;
    unit->shadows[0] =
        (struct device_image){.bytes = bytes, .size = sizeof bytes, .names = names, .count = 1};
    unit->shadow_count = unit->variants[i].shadow_image = 1;
    *shadow = (struct compiled_variant){.sources_hash = 200 + variant};
    for (size_t p = 1; p < SPACE_PASSES_MAX; p++)
        shadow->kernel_of_pass[p] = -1;
    workers->shadows[variant]++;
}

static void compile(struct workers *workers, size_t slot, struct frame *frame)
{
    static char bytes[] = "ELF", name[] = "kernel", *names[COMPILER_KERNELS];
    const size_t width = workers->result->points.width;
    struct job_configs configs;
    static struct job_unit unit;
    uint64_t hashes[COMPILER_UNIT];
    unit = (struct job_unit){
        .image = {.bytes = bytes, .size = sizeof bytes, .names = names, .hashes = hashes}};
    assert_int_equal(job_code_configs(frame, &configs, width, true, &error), 0);
    workers->units += configs.count > 1;
    for (size_t i = 0; i < configs.count; i++) {
        const size_t variant = variant_of(workers, configs.configs + i * width);
        struct compiled_variant *compiled = &unit.variants[unit.count++].compiled;
        workers->compiled[variant]++;
        if (fails(workers, slot, IN_COMPILE, variant, 0))
            return;
        *compiled = (struct compiled_variant){.variant = i, .sources_hash = 100 + variant};
        const bool lacks = !has_room(workers, variant);
        compiled->is_failed = lacks || is_refused(workers, IN_COMPILE, variant);
        compiled->reason.code = lacks ? ERROR_IO : ERROR_FAILED;
        snprintf(compiled->reason.text, sizeof compiled->reason.text, "does not compile");
        for (size_t p = 0; p < SPACE_PASSES_MAX; p++)
            compiled->kernel_of_pass[p] = p || compiled->is_failed ? -1 : (int)unit.image.count;
        if (compiled->is_failed)
            continue;
        names[unit.image.count] = name;
        hashes[unit.image.count++] = 7 + variant;
        if (configs.wants_shadow[i])
            compile_shadow(workers, &unit, i, variant);
    }
    for (int i = 0; i < 1 + answers_twice(workers, IN_COMPILE); i++) {
        struct worker_pool_event *event = &workers->events[workers->count++];
        *event = (struct worker_pool_event){.kind = WORKER_POOL_FRAME, .slot = slot};
        event->frame.kind = JOB_COMPILED;
        assert_int_equal(job_code_unit(&event->frame, &unit, width, false, &error), 0);
    }
}

static void announce(struct workers *workers, size_t slot, enum job_phase phase,
                     uint64_t variant, uint64_t candidate)
{
    const struct job_at at = {phase, variant, candidate};
    tell(workers, slot, JOB_AT, &at, sizeof at);
}

/* The time of a candidate: variants and candidates are the slower the later. */
static uint64_t time_of(uint64_t candidate)
{
    return 2000 + 10 * candidate;
}

/* True when the worker is no more. */
static bool try_variant(struct workers *workers, size_t slot, const struct job_variant *variant)
{
    const size_t v = variant->compiled.variant;
    struct job_proven proven = {.variant = v, .has_run = true, .cases = 1};
    if (!variant->is_proven) {
        announce(workers, slot, PHASE_PROVE, v, JOB_NO_CANDIDATE);
        if (fails(workers, slot, IN_PROVE, v, 0))
            return true;
        proven.is_right = !is_refused(workers, IN_PROVE, v);
        snprintf(proven.reason, sizeof proven.reason, "wrong at small sizes");
        tell(workers, slot, JOB_PROVEN, &proven, sizeof proven);
        if (!proven.is_right)
            return false;
    }
    for (size_t i = 0; i < variant->count; i++) {
        struct job_trial trial = {.candidate = variant->ids[i], .trial = {.time_count = 1}};
        announce(workers, slot, PHASE_MEASURE, v, variant->ids[i]);
        if (fails(workers, slot, IN_MEASURE, v,
                  variant->ids[i] - workers->result->points.variants[v].first))
            return true;
        trial.trial.status = is_refused(workers, IN_MEASURE, v) ? TRIAL_WRONG : TRIAL_MEASURED;
        trial.trial.times_ps[0] = time_of(variant->ids[i]);
        tell(workers, slot, JOB_TRIAL, &trial, sizeof trial);
    }
    return false;
}

static bool try_all(struct workers *workers, size_t slot, const struct job_unit *unit)
{
    for (size_t i = 0; i < unit->count; i++) { /* one that does not load fails the whole */
        if (unit->variants[i].compiled.is_failed ||
            !is_refused(workers, IN_LOAD, unit->variants[i].compiled.variant))
            continue;
        for (size_t k = 0; k < unit->count; k++) {
            const struct job_proven proven = {.variant = unit->variants[k].compiled.variant,
                                              .reason = "does not load"};
            if (!unit->variants[k].compiled.is_failed)
                tell(workers, slot, JOB_PROVEN, &proven, sizeof proven);
        }
        return false;
    }
    for (size_t i = 0; i < unit->count; i++)
        if (!unit->variants[i].compiled.is_failed && unit->variants[i].count &&
            try_variant(workers, slot, &unit->variants[i]))
            return true;
    return false;
}

static void try_unit(struct workers *workers, size_t slot, struct frame *frame)
{
    struct job_unit *unit = calloc(1, sizeof *unit);
    const struct job_tried tried = {.reference_ps = 1000};
    bool is_gone = false;
    assert_non_null(unit);
    assert_int_equal(job_code_unit(frame, unit, workers->result->points.width, true, &error),
                     0);
    workers->tried++;
    for (size_t i = 0; i < unit->count; i++)
        workers->shadowed += job_shadow_image(unit, &unit->variants[i]) != NULL;
    announce(workers, slot, PHASE_LOAD, unit->variants[0].compiled.variant, JOB_NO_CANDIDATE);
    for (size_t i = 0; i < unit->count && !is_gone; i++)
        is_gone = fails(workers, slot, IN_LOAD, unit->variants[i].compiled.variant, 0);
    if (!is_gone && !try_all(workers, slot, unit))
        for (int i = 0; i < 1 + answers_twice(workers, IN_MEASURE); i++)
            tell(workers, slot, JOB_TRIED, &tried, sizeof tried);
    free(unit);
}

/* All entrants race, the last ones are the fastest; the default, which is none of the candidates, comes in
 * last. */
static void race(struct workers *workers, size_t slot, struct frame *frame)
{
    const size_t width = workers->result->points.width;
    struct job_raced *raced = calloc(1, sizeof *raced);
    struct job_race job;
    bool is_gone = false;
    assert_non_null(raced);
    assert_int_equal(job_code_race(frame, &job, width, true, &error), 0);
    raced->count = 1;
    raced->entrants[0].candidate = JOB_NO_CANDIDATE;
    for (size_t u = 0; u < job.count; u++)
        workers->shadowed += job_shadow_image(&job.units[u], job.units[u].variants) != NULL;
    for (size_t u = 0; u < job.count && !is_gone; u++)
        for (size_t i = 0; i < job.units[u].variants[0].count && !is_gone; i++) {
            const struct job_variant *variant = &job.units[u].variants[0];
            const size_t v = variant->compiled.variant;
            assert_true(variant->is_proven);
            announce(workers, slot, PHASE_RACE, v, variant->ids[i]);
            is_gone = fails(workers, slot, IN_RACE, v,
                            variant->ids[i] - workers->result->points.variants[v].first);
            raced->entrants[raced->count++].candidate = variant->ids[i];
        }
    for (size_t i = 0; i < raced->count; i++)
        raced->result.places[i] = (struct race_place){.entrant = raced->count - 1 - i,
                                                      .rounds = 11,
                                                      .median_ps = 2000 + i,
                                                      .choice = 1 + (double)i * workers->apart,
                                                      .is_tie = !i || workers->apart < 0.01};
    raced->result.count = raced->count;
    raced->checked = JOB_CHECKED;
    if (is_refused(workers, IN_RACE, 0)) /* what cannot be */
        raced->result.places[0].entrant = raced->count;
    if (!is_gone)
        tell(workers, slot, JOB_RACED, raced, sizeof *raced);
    free(job.units);
    free(raced);
}

static int send_to(void *at, size_t slot, struct frame *frame, struct error *unused)
{
    struct workers *workers = at;
    (void)unused;
    assert_true(slot < SLOTS);
    if (workers->runs[slot])
        (frame->kind == JOB_COMPILE ? compile
         : frame->kind == JOB_TRY   ? try_unit
                                    : race)(workers, slot, frame);
    frame_dispose(frame);
    return 0;
}

static void set_deadline(void *at, size_t slot, double seconds)
{
    ((struct workers *)at)->deadline[slot] = seconds;
}

static void stop(void *at, size_t slot)
{
    struct workers *workers = at;
    workers->runs[slot] = false;
    for (size_t i = workers->first; i < workers->count; i++)
        if (workers->events[i].slot == slot) {
            frame_dispose(&workers->events[i].frame);
            workers->events[i].kind = WORKER_POOL_TIMEOUT;
        }
}

static bool is_running(void *at, size_t slot)
{
    return ((struct workers *)at)->runs[slot];
}

static int next_event(void *at, struct worker_pool_event *out, double timeout_s,
                      struct error *unused)
{
    struct workers *workers = at;
    (void)timeout_s;
    (void)unused;
    if (workers->first == workers->count)
        fail_msg("the search waits, and no worker has anything to say");
    *out = workers->events[workers->first++];
    if (out->kind == WORKER_POOL_FRAME && workers->plan.fault != ANSWERS_TWICE)
        assert_true(workers->deadline[out->slot] > 0); /* who has work may hang */
    return 0;
}

static const struct worker_ops WORKERS = {start, send_to,    set_deadline,
                                          stop,  is_running, next_event};

/* --- A search ----------------------------------------------------------------------------- */

/* Keeps the first CANDIDATES of the first VARIANTS variants that have so many. */
static void make_points(struct fixture *f)
{
    struct points all, *points = &f->result.points;
    assert_int_equal(point_expand(&all, &f->context, &error), 0);
    const size_t bytes = all.width * sizeof(int64_t);
    *points = (struct points){.width = all.width};
    points->configs = malloc(VARIANTS * CANDIDATES * bytes);
    points->variants = malloc(VARIANTS * sizeof *points->variants);
    for (size_t v = 0; v < all.variant_count && points->variant_count < VARIANTS; v++) {
        if (all.variants[v].count < CANDIDATES)
            continue;
        memcpy(points->configs + points->count * all.width,
               all.configs + all.variants[v].first * all.width, CANDIDATES * bytes);
        points->variants[points->variant_count++] =
            (struct point_variant){points->count, CANDIDATES};
        points->count += CANDIDATES;
    }
    assert_int_equal(points->count, VARIANTS * CANDIDATES);
    point_dispose(&all);
}

static void make_result(struct fixture *f)
{
    f->result = (struct tune_result){.rounds = 0};
    make_points(f);
    f->result.trials = calloc(f->result.points.count, sizeof *f->result.trials);
    for (size_t i = 0; i < f->result.points.count; i++)
        f->result.trials[i].reason = -1;
}

static int setup(void **state)
{
    static struct fixture fixture;
    static const char *const specs[] = {"0", "1"};
    struct fixture *f = &fixture;
    *f = (struct fixture){.space = load_space("configs/reduce.ini"),
                          .problem = {.op = op_of(SUM),
                                      .type = I32,
                                      .acc = I32,
                                      .dims = DIMS_VALUE(400000000),
                                      .regime = COLD}};
    assert_int_equal(gpus_find(&f->target, "sm_90", &error), 0);
    f->target.sms = 132;
    f->context = (struct point_context){f->space, &f->problem, &f->target};
    f->info.target = f->target;
    f->sources = load_sources();
    f->job = (struct tune_job){.context = &f->context,
                               .sources = &f->sources,
                               .info = &f->info,
                               .specs = specs,
                               .spec_count = 1,
                               .compilers = 1};
    make_result(f);
    assert_int_equal(unit_cache_open(&f->units, UNIT_CACHE_BYTES, &error), 0);
    f->workers.result = &f->result;
    *state = f;
    return 0;
}

static void end_search(struct fixture *f)
{
    struct workers *workers = &f->workers;
    for (; workers->first < workers->count; workers->first++)
        frame_dispose(&workers->events[workers->first].frame);
    search_close(f->search);
    f->search = NULL;
    strategy_dispose(&f->order);
    tune_result_dispose(&f->result);
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    end_search(f);
    unit_cache_close(f->units);
    space_free(f->space);
    return 0;
}

/* Another search of the same variants, by workers of its own. */
static void search_anew(struct fixture *f)
{
    end_search(f);
    make_result(f);
    memset(f->workers.runs, 0, sizeof f->workers.runs);
}

/* An operation with a map of its own, whose law is a sum's: by text, so that there can be several. */
static void set_own(struct fixture *f, const char *map)
{
    char text[200];
    snprintf(text, sizeof text, "[operation]\nmeaning = own\nmap = %s\ncombine = a + b\n", map);
    assert_int_equal(operation_load(&f->problem.op, "own.ini", text, strlen(text), &error), 0);
}

/* As if all memory for compiled units were used up. */
static void keep_nothing(struct fixture *f)
{
    unit_cache_close(f->units);
    assert_int_equal(unit_cache_open(&f->units, 0, &error), 0);
}

static int run(struct fixture *f, struct plan plan)
{
    f->workers.plan = plan;
    f->options.strategy = STRATEGY_EXHAUSTIVE;
    if (strategy_order(&f->order, &f->result.points, f->options.strategy, NULL, NULL, 0, 5,
                       &error) != 0)
        fail_msg("%s", error.text);
    const struct search_task task = {.job = &f->job,
                                     .options = &f->options,
                                     .result = &f->result,
                                     .order = &f->order,
                                     .prior = f->prior,
                                     .units = f->units,
                                     .ops = &WORKERS,
                                     .workers = &f->workers};
    f->search = search_open(&task, &error);
    return f->search ? search_run(f->search, &error) : -1;
}

static void run_well(struct fixture *f, struct plan plan)
{
    if (run(f, plan) != 0)
        fail_msg("%s", error.text);
    size_t judged = 0;
    for (size_t i = 0; i < TRIAL_STATUSES; i++)
        judged += f->result.counts[i];
    assert_int_equal(judged, f->result.points.count);
}

static void assert_counts(const struct fixture *f, size_t measured, enum trial_status status,
                          size_t count)
{
    assert_int_equal(f->result.counts[TRIAL_MEASURED], measured);
    assert_int_equal(f->result.counts[status], count);
    assert_int_equal(measured + (status == TRIAL_MEASURED ? 0 : count), f->result.points.count);
}

enum { ALL = VARIANTS * CANDIDATES, ALL_BUT_ONE = ALL - CANDIDATES };

/* --- Tests -------------------------------------------------------------------------------- */

static void test_all_is_tried(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_NONE, DIES, 0, 0, 0});
    assert_counts(f, ALL, TRIAL_MEASURED, ALL);
    assert_int_equal(f->result.restarts, 0);
    assert_int_equal(f->workers.units, 2); /* four variants, then two */
}

/* Shadows are compiled with what they are of, and once in a run: they serve another operation of the law, and
 * are its plain one's kernels. */
static void test_shadows(void **state)
{
    struct fixture *f = *state;
    const char *const maps[] = {"magnitude(x)", "magnitude(x) + 1"};
    for (size_t i = 0; i < 2; i++) {
        set_own(f, maps[i]);
        run_well(f, (struct plan){IN_NONE, DIES, 0, 0, 0});
        assert_counts(f, ALL, TRIAL_MEASURED, ALL);
        assert_int_equal(f->workers.shadowed, (i + 1) * VARIANTS);
        for (size_t v = 0; v < VARIANTS; v++) {
            assert_int_equal(f->workers.shadows[v], 1);
            assert_int_equal(f->workers.compiled[v], i + 1);
        }
        search_anew(f);
    }
    f->problem.op = op_of(SUM);
    run_well(f, (struct plan){IN_NONE, DIES, 0, 0, 0});
    assert_counts(f, ALL, TRIAL_MEASURED, ALL);
    assert_int_equal(f->workers.compiled[0], 2);
    assert_int_equal(f->workers.shadowed, 2 * VARIANTS);
}

/* Kernels of the plain operation, compiled before, are the shadows of another. */
static void test_shadows_before(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_NONE, DIES, 0, 0, 0});
    assert_int_equal(f->workers.shadowed, 0);
    search_anew(f);
    set_own(f, "magnitude(x)");
    run_well(f, (struct plan){IN_NONE, DIES, 0, 0, 0});
    assert_counts(f, ALL, TRIAL_MEASURED, ALL);
    assert_int_equal(f->workers.compiled[0], 2);
    assert_int_equal(f->workers.shadows[0], 0);
    assert_int_equal(f->workers.shadowed, VARIANTS);
}

/* Where nothing can be kept, they stay with the unit that they came with. */
static void test_shadows_that_are_not_kept(void **state)
{
    struct fixture *f = *state;
    keep_nothing(f);
    set_own(f, "magnitude(x)");
    run_well(f, (struct plan){IN_NONE, DIES, 0, 0, 0});
    assert_int_equal(f->workers.shadowed, VARIANTS);
    assert_int_equal(f->workers.shadows[0], 1);
}

/* A kernel that ends its worker is at fault alone: the others of its unit are tried. */
static void test_candidate_that_crashes(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_MEASURE, DIES, 2, 1, ALWAYS});
    assert_counts(f, ALL - 1, TRIAL_CRASHED, 1);
    assert_int_equal(f->result.restarts, 1);
    assert_string_equal(f->result.reasons[0], "fault 0");
    assert_int_equal(f->result.trials[2 * CANDIDATES + 1].status, TRIAL_CRASHED);
    assert_int_equal(f->workers.compiled[2], 1); /* its unit waited, it was not made again */
}

static void test_candidate_that_hangs(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_MEASURE, HANGS, 5, 0, ALWAYS});
    assert_counts(f, ALL - 1, TRIAL_HUNG, 1);
}

/* The proofs at small sizes are of a variant: all its candidates have its fault. */
static void test_variant_that_crashes(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_PROVE, DIES, 1, 0, ALWAYS});
    assert_counts(f, ALL_BUT_ONE, TRIAL_CRASHED, CANDIDATES);
    assert_int_equal(f->result.restarts, 1);
}

static void test_variant_that_is_wrong(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_PROVE, IS_REFUSED, 0, 0, 0});
    assert_counts(f, ALL_BUT_ONE, TRIAL_WRONG, CANDIDATES);
    assert_int_equal(f->result.restarts, 0);
    assert_string_equal(f->result.reasons[0], "wrong at small sizes");
}

/* A kill from outside is forgiven once, then it is the kernel's. */
static void test_kill_is_forgiven_once(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_MEASURE, IS_KILLED, 3, 2, 1});
    assert_counts(f, ALL, TRIAL_MEASURED, ALL);
    assert_int_equal(f->result.restarts, 1);
}

static void test_second_kill_is_not(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_MEASURE, IS_KILLED, 3, 2, ALWAYS});
    assert_counts(f, ALL - 1, TRIAL_CRASHED, 1);
    assert_int_equal(f->result.restarts, 2);
}

/* While a unit of several is loaded nobody is at fault: each variant is compiled again. */
static void test_unit_that_crashes_whole(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_LOAD, DIES, 1, 0, ALWAYS});
    assert_counts(f, ALL_BUT_ONE, TRIAL_CRASHED, CANDIDATES);
    assert_int_equal(f->result.restarts, 2);
    assert_int_equal(f->workers.units, 2);
    for (size_t i = 0; i < VARIANTS; i++)
        assert_int_equal(f->workers.compiled[i], 1 + (f->workers.compiled[i] > 1));
    assert_int_equal(f->workers.compiled[1], 2);
}

static void test_unit_that_does_not_load(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_LOAD, IS_REFUSED, 4, 0, 0});
    assert_counts(f, ALL_BUT_ONE, TRIAL_FAILED, CANDIDATES);
    assert_int_equal(f->result.restarts, 0);
    assert_int_equal(f->workers.compiled[4], 2);
    assert_string_equal(f->result.reasons[0], "does not load");
}

static void test_variant_that_does_not_compile(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_COMPILE, IS_REFUSED, 4, 0, 0});
    assert_counts(f, ALL_BUT_ONE, TRIAL_FAILED, CANDIDATES);
    assert_int_equal(f->workers.compiled[4], 1);
}

/* A compiler that lacks something says nothing of a variant: it is not judged, and the run
 * goes on. */
static void test_compiler_without_room(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(run(f, (struct plan){IN_COMPILE, LACKS, 4, 0, ALWAYS}), 0);
    assert_int_equal(f->result.counts[TRIAL_MEASURED], ALL_BUT_ONE);
    for (size_t i = 0; i < CANDIDATES; i++)
        assert_false(f->result.trials[f->result.points.variants[4].first + i].is_judged);
    assert_int_equal(f->result.lacking.code, ERROR_IO);
    assert_int_equal(f->workers.starts[1], 1);
}

/* A compiler that ends: each variant of the unit again, alone; then the one is at fault. */
static void test_compiler_that_crashes(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_COMPILE, DIES, 2, 0, ALWAYS});
    assert_counts(f, ALL_BUT_ONE, TRIAL_CRASHED, CANDIDATES);
    assert_int_equal(f->result.restarts, 2);
    assert_int_equal(f->workers.compiled[2], 2);
    assert_non_null(strstr(f->result.reasons[0], "the compiler's process was lost: fault 0"));
}

static void test_compiler_that_is_killed(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_COMPILE, IS_KILLED, 2, 0, 2});
    assert_counts(f, ALL, TRIAL_MEASURED, ALL);
    assert_int_equal(f->workers.compiled[2], 3);
}

/* The last words of a worker are the reason, not how it ended. */
static void test_last_words(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_MEASURE, SAYS_FATAL, 0, 0, ALWAYS});
    assert_counts(f, ALL - 1, TRIAL_CRASHED, 1);
    assert_string_equal(f->result.reasons[0], "last words");
}

/* What cannot be read ends the worker; the kernel announced last is at fault. */
static void test_garbage(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_MEASURE, SENDS_GARBAGE, 1, 0, ALWAYS});
    assert_counts(f, ALL - 1, TRIAL_CRASHED, 1);
    assert_non_null(strstr(f->result.reasons[0], "its memory was damaged"));
    assert_int_equal(f->workers.starts[0], 2);
}

static void test_second_answer(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_MEASURE, ANSWERS_TWICE, 0, 0, 1});
    assert_counts(f, ALL, TRIAL_MEASURED, ALL);
    assert_int_equal(f->workers.tried, 2);
}

static void test_second_answer_of_a_compiler(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_COMPILE, ANSWERS_TWICE, 0, 0, 1});
    assert_counts(f, ALL, TRIAL_MEASURED, ALL);
}

/* Lost while it has nothing to do: another takes its place, nothing is judged. */
static void test_lost_while_idle(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_IDLE, DIES, 0, 0, 1});
    assert_counts(f, ALL, TRIAL_MEASURED, ALL);
    assert_int_equal(f->workers.starts[0], 2);
}

/* Lost before it is ready, three times in a row: the run ends, unless there is another. */
static void test_never_ready(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(run(f, (struct plan){IN_OPEN, DIES, 0, 0, ALWAYS}), -1);
    assert_int_equal(error.code, ERROR_FAILED);
    assert_non_null(strstr(error.text, "lost 3 times before it was ready: fault 0"));
    assert_int_equal(f->workers.starts[0], 3);
}

static void test_another_goes_on(void **state)
{
    struct fixture *f = *state;
    f->job.spec_count = 2;
    run_well(f, (struct plan){IN_OPEN, DIES, 0, 0, ALWAYS});
    assert_counts(f, ALL, TRIAL_MEASURED, ALL);
    assert_int_equal(f->workers.starts[0], 3);
    assert_int_equal(f->workers.starts[1], 1);
}

static void test_ready_the_third_time(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_OPEN, DIES, 0, 0, 2});
    assert_counts(f, ALL, TRIAL_MEASURED, ALL);
    assert_int_equal(f->workers.starts[0], 3);
}

/* The first worker of a role that says it cannot serve ends the run, with its words. */
static void test_cannot_serve(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(run(f, (struct plan){IN_OPEN, SAYS_FATAL, 0, 0, 1}), -1);
    assert_string_equal(error.text, "last words");
}

/* Past the budget nobody waits for what is being compiled, and the race goes on when it comes. */
static void test_short_budget(void **state)
{
    struct fixture *f = *state;
    static struct job_raced raced;
    const size_t *measured = &f->result.counts[TRIAL_MEASURED];
    f->options.budget_s = 1e-9;
    assert_int_equal(run(f, (struct plan){IN_NONE, DIES, 0, 0, 0}), 0);
    assert_true(*measured > 0 && *measured < ALL);
    assert_true(f->result.is_cut);
    assert_int_equal(f->workers.units, 0);
    size_t best = 0;
    while (f->result.trials[best].status != TRIAL_MEASURED || !f->result.trials[best].is_judged)
        best++;
    assert_int_equal(search_race(f->search, &best, 1, &raced, &error), 1);
    assert_int_equal(raced.count, 2);
    assert_int_equal(f->workers.compiled[tune_result_variant(&f->result.points, best)], 1);
    assert_int_equal(f->workers.starts[0], 1);
    assert_int_equal(f->workers.starts[1], 1);
}

/* --- What was compiled before ------------------------------------------------------------- */

static void assert_compiled(const struct fixture *f, unsigned times)
{
    for (size_t v = 0; v < VARIANTS; v++)
        assert_int_equal(f->workers.compiled[v], times);
}

/* At another size no variant is compiled again; all are proven and tried. */
static void test_another_size(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_NONE, DIES, 0, 0, 0});
    const unsigned tried = f->workers.tried;
    search_anew(f);
    f->problem.dims = (struct dims)DIMS_VALUE(100000000);
    run_well(f, (struct plan){IN_NONE, DIES, 0, 0, 0});
    assert_counts(f, ALL, TRIAL_MEASURED, ALL);
    assert_compiled(f, 1);
    assert_int_equal(f->workers.tried, 2 * tried);
    assert_int_equal(f->result.proofs, VARIANTS);
}

/* Another type is other code. */
static void test_another_type(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_NONE, DIES, 0, 0, 0});
    search_anew(f);
    f->problem.type = F32;
    f->problem.acc = F32;
    run_well(f, (struct plan){IN_NONE, DIES, 0, 0, 0});
    assert_compiled(f, 2);
}

/* What was compiled before does not hold up what was not, nor the reverse. */
static void test_some_compiled_before(void **state)
{
    struct fixture *f = *state;
    f->options.budget_s = 1e-9;
    assert_int_equal(run(f, (struct plan){IN_NONE, DIES, 0, 0, 0}), 0);
    bool is_measured[VARIANTS];
    for (size_t v = 0; v < VARIANTS; v++)
        is_measured[v] = f->result.trials[CANDIDATES * v].status == TRIAL_MEASURED &&
                         f->result.trials[CANDIDATES * v].is_judged;
    assert_true(f->result.counts[TRIAL_MEASURED] > 0);
    search_anew(f);
    memset(f->workers.compiled, 0, sizeof f->workers.compiled);
    f->options.budget_s = 0;
    run_well(f, (struct plan){IN_NONE, DIES, 0, 0, 0});
    assert_counts(f, ALL, TRIAL_MEASURED, ALL);
    for (size_t v = 0; v < VARIANTS; v++)
        assert_true(f->workers.compiled[v] == 0 || !is_measured[v]);
    assert_true(f->workers.compiled[VARIANTS - 1] == 1);
}

/* A budget that is over at once leaves all but what is owed untried, compiled or not. */
static void test_budget_of_what_was_compiled(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_NONE, DIES, 0, 0, 0});
    search_anew(f);
    f->options.budget_s = 1e-9;
    assert_int_equal(run(f, (struct plan){IN_NONE, DIES, 0, 0, 0}), 0);
    assert_true(f->result.counts[TRIAL_MEASURED] > 0);
    assert_true(f->result.counts[TRIAL_MEASURED] < ALL);
    assert_true(f->result.is_cut);
    assert_compiled(f, 1);
}

/* What does not compile is no better at another size; what a compiler had no room for may be. */
static void test_failure_before(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_COMPILE, IS_REFUSED, 4, 0, 0});
    search_anew(f);
    run_well(f, (struct plan){IN_NONE, DIES, 0, 0, 0});
    assert_counts(f, ALL_BUT_ONE, TRIAL_FAILED, CANDIDATES);
    assert_string_equal(f->result.reasons[0], "does not compile");
    assert_compiled(f, 1);
}

static void test_lack_before(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(run(f, (struct plan){IN_COMPILE, LACKS, 4, 0, ALWAYS}), 0);
    search_anew(f);
    run_well(f, (struct plan){IN_NONE, DIES, 0, 0, 0});
    assert_counts(f, ALL, TRIAL_MEASURED, ALL);
    for (size_t v = 0; v < VARIANTS; v++)
        assert_int_equal(f->workers.compiled[v], v == 4 ? 2 : 1);
}

/* Of a unit compiled before that does not load now, each variant is compiled alone, once. */
static void test_unit_before_that_does_not_load(void **state)
{
    struct fixture *f = *state;
    run_well(f, (struct plan){IN_NONE, DIES, 0, 0, 0});
    search_anew(f);
    run_well(f, (struct plan){IN_LOAD, IS_REFUSED, 4, 0, 0});
    assert_counts(f, ALL_BUT_ONE, TRIAL_FAILED, CANDIDATES);
    assert_int_equal(f->workers.compiled[4], 2);
    search_anew(f);
    run_well(f, (struct plan){IN_LOAD, IS_REFUSED, 4, 0, 0});
    assert_counts(f, ALL_BUT_ONE, TRIAL_FAILED, CANDIDATES);
    assert_int_equal(f->workers.compiled[4], 2);
}

/* --- The race ----------------------------------------------------------------------------- */

static const size_t ENTRANTS[] = {0, 1, CANDIDATES, 4 * CANDIDATES + 2};
enum { ENTRANT_COUNT = sizeof ENTRANTS / sizeof *ENTRANTS };

/* Races what was measured, with a fault planted for the race. */
static int run_race(struct fixture *f, struct plan plan, struct job_raced *raced)
{
    run_well(f, (struct plan){IN_NONE, DIES, 0, 0, 0});
    assert_counts(f, ALL, TRIAL_MEASURED, ALL);
    f->workers.plan = plan;
    return search_race(f->search, ENTRANTS, ENTRANT_COUNT, raced, &error);
}

static size_t count_running(const struct workers *workers)
{
    size_t count = 0;
    for (size_t slot = 0; slot < SLOTS; slot++)
        count += workers->runs[slot];
    return count;
}

/* Workers that serve the next search too: those that are idle run on, and nothing that one says whom this
 * search does not have is minded. */
static void test_kept_workers(void **state)
{
    struct fixture *f = *state;
    f->job.workers = (struct worker_pool *)&f->workers;
    f->workers.events[f->workers.count++] =
        (struct worker_pool_event){.kind = WORKER_POOL_LOST, .slot = SLOTS + 3};
    run_well(f, (struct plan){IN_NONE, DIES, 0, 0, 0});
    const size_t running = count_running(&f->workers);
    search_close(f->search);
    f->search = NULL;
    assert_int_equal(count_running(&f->workers), running);
    assert_true(running >= 2);
}

/* What a kept worker says when it cannot serve again, or ends, is of what it served before: another takes its
 * place. */
static void test_kept_worker_that_fails(void **state)
{
    struct fixture *f = *state;
    f->job.workers = (struct worker_pool *)&f->workers;
    f->workers.runs[0] = true;
    run_well(f, (struct plan){IN_OPEN, SAYS_FATAL, 0, 0, 1});
    assert_counts(f, ALL, TRIAL_MEASURED, ALL);
    assert_int_equal(f->workers.starts[0], 2);
}

/* One that has work when a search fails is stopped: its answer would be taken for another's. */
static void test_kept_workers_that_are_busy(void **state)
{
    struct fixture *f = *state;
    f->job.workers = (struct worker_pool *)&f->workers;
    assert_int_equal(run(f, (struct plan){IN_OPEN, SAYS_FATAL, 0, 0, 1}), -1);
    search_close(f->search);
    f->search = NULL;
    assert_int_equal(count_running(&f->workers), 0);
}

static void test_race(void **state)
{
    struct fixture *f = *state;
    static struct job_raced raced;
    assert_int_equal(run_race(f, (struct plan){IN_NONE, DIES, 0, 0, 0}, &raced), 1);
    assert_int_equal(raced.count, ENTRANT_COUNT + 1);
    assert_compiled(f, 1);
    assert_int_equal(f->result.counts[TRIAL_MEASURED], ALL);
    assert_int_equal(search_race(f->search, ENTRANTS, 1, &raced, &error), 1);
    assert_int_equal(raced.count, 2);
}

/* The finalists' proofs need shadows, too. */
static void test_race_with_shadows(void **state)
{
    struct fixture *f = *state;
    static struct job_raced raced;
    set_own(f, "magnitude(x)");
    assert_int_equal(run_race(f, (struct plan){IN_NONE, DIES, 0, 0, 0}, &raced), 1);
    assert_int_equal(f->workers.shadowed, VARIANTS + 3); /* variants of the entrants */
    assert_int_equal(f->workers.shadows[4], 1);
}

/* Values of a param stand from simple to elaborate. */
static size_t effort_of(const struct space *space, const int64_t *config)
{
    size_t effort = 0;
    for (size_t i = 0; i < space->param_count; i++)
        for (size_t k = 0; space->params[i].values[k] != config[i]; k++)
            effort++;
    return effort;
}

static size_t choose_winner(struct fixture *f, double apart)
{
    run_well(f, (struct plan){IN_NONE, DIES, 0, 0, 0});
    f->workers.apart = apart;
    if (winner_choose(f->search, &f->job, &f->options, &f->result, &error))
        fail_msg("%s", error.text);
    assert_true(f->result.finalist_count > 2);
    return f->result.winner;
}

/* Of those that tie, and lose no more than half a percent, the simplest wins. */
static void test_simplest_of_a_tie_wins(void **state)
{
    struct fixture *f = *state;
    const struct finalist *finalists = f->result.finalists;
    const size_t winner = choose_winner(f, 0.001);
    const size_t effort = effort_of(f->space, finalists[winner].config);
    assert_true(finalists[winner].choice <= 1.005);
    assert_true(effort < effort_of(f->space, finalists[0].config));
    for (size_t i = 0; i < f->result.finalist_count; i++)
        if (finalists[i].is_proven && finalists[i].choice <= 1.005)
            assert_true(effort <= effort_of(f->space, finalists[i].config));
}

static void test_fastest_wins(void **state)
{
    assert_int_equal(choose_winner(*state, 0.02), 0);
}

/* Where nothing could be kept, entrants are compiled again, each alone. */
static void test_race_compiles_again(void **state)
{
    struct fixture *f = *state;
    static struct job_raced raced;
    keep_nothing(f);
    assert_int_equal(run_race(f, (struct plan){IN_NONE, DIES, 0, 0, 0}, &raced), 1);
    assert_int_equal(raced.count, ENTRANT_COUNT + 1);
    assert_int_equal(f->workers.compiled[0], 2);
    assert_int_equal(f->workers.compiled[2], 1); /* it does not race */
}

/* An entrant that ends the worker drops out; the others may race again. */
static void test_entrant_that_crashes(void **state)
{
    struct fixture *f = *state;
    static struct job_raced raced;
    assert_int_equal(run_race(f, (struct plan){IN_RACE, DIES, 0, 1, ALWAYS}, &raced), 0);
    assert_int_equal(f->result.trials[1].status, TRIAL_CRASHED);
    assert_counts(f, ALL - 1, TRIAL_CRASHED, 1);
    assert_int_equal(search_race(f->search, ENTRANTS + 2, 2, &raced, &error), 1);
    assert_int_equal(raced.count, 3);
}

/* A kill has no candidate at fault: forgiven once. */
static void test_race_that_is_killed(void **state)
{
    struct fixture *f = *state;
    static struct job_raced raced;
    assert_int_equal(run_race(f, (struct plan){IN_RACE, IS_KILLED, 0, 1, 2}, &raced), 0);
    assert_int_equal(f->result.counts[TRIAL_MEASURED], ALL);
    assert_int_equal(search_race(f->search, ENTRANTS, ENTRANT_COUNT, &raced, &error), -1);
    assert_non_null(strstr(error.text, "lost twice: fault 1"));
}

/* A result that cannot be: the worker is replaced, its last step is at fault. */
static void test_result_that_cannot_be(void **state)
{
    struct fixture *f = *state;
    static struct job_raced raced;
    assert_int_equal(run_race(f, (struct plan){IN_RACE, IS_REFUSED, 0, 0, 0}, &raced), 0);
    assert_int_equal(f->result.counts[TRIAL_MEASURED], ALL - 1);
    assert_int_equal(f->result.restarts, 1);
}

/* Without this entrant another would win: the run ends, and its trials are kept. */
static void test_entrant_without_room(void **state)
{
    struct fixture *f = *state;
    static struct job_raced raced;
    keep_nothing(f);
    assert_int_equal(run_race(f, (struct plan){IN_COMPILE, LACKS, 4, 0, 1}, &raced), -1);
    assert_int_equal(error.code, ERROR_IO);
}

/* What does not compile any more, or ends the compiler, is withdrawn: its times do not count. */
static void test_entrant_that_does_not_compile(void **state)
{
    struct fixture *f = *state;
    static struct job_raced raced;
    keep_nothing(f);
    assert_int_equal(run_race(f, (struct plan){IN_COMPILE, IS_REFUSED, 4, 0, 0}, &raced), 0);
    assert_counts(f, ALL_BUT_ONE, TRIAL_FAILED, CANDIDATES);
}

static void test_entrant_that_ends_the_compiler(void **state)
{
    struct fixture *f = *state;
    static struct job_raced raced;
    keep_nothing(f);
    assert_int_equal(run_race(f, (struct plan){IN_COMPILE, DIES, 4, 0, ALWAYS}, &raced), 0);
    assert_counts(f, ALL_BUT_ONE, TRIAL_FAILED, CANDIDATES);
}

#define WITH_SEARCH(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SEARCH(test_all_is_tried),
        WITH_SEARCH(test_shadows),
        WITH_SEARCH(test_shadows_before),
        WITH_SEARCH(test_shadows_that_are_not_kept),
        WITH_SEARCH(test_candidate_that_crashes),
        WITH_SEARCH(test_candidate_that_hangs),
        WITH_SEARCH(test_variant_that_crashes),
        WITH_SEARCH(test_variant_that_is_wrong),
        WITH_SEARCH(test_kill_is_forgiven_once),
        WITH_SEARCH(test_second_kill_is_not),
        WITH_SEARCH(test_unit_that_crashes_whole),
        WITH_SEARCH(test_unit_that_does_not_load),
        WITH_SEARCH(test_variant_that_does_not_compile),
        WITH_SEARCH(test_compiler_without_room),
        WITH_SEARCH(test_compiler_that_crashes),
        WITH_SEARCH(test_compiler_that_is_killed),
        WITH_SEARCH(test_last_words),
        WITH_SEARCH(test_garbage),
        WITH_SEARCH(test_second_answer),
        WITH_SEARCH(test_second_answer_of_a_compiler),
        WITH_SEARCH(test_lost_while_idle),
        WITH_SEARCH(test_never_ready),
        WITH_SEARCH(test_another_goes_on),
        WITH_SEARCH(test_ready_the_third_time),
        WITH_SEARCH(test_cannot_serve),
        WITH_SEARCH(test_kept_workers),
        WITH_SEARCH(test_kept_worker_that_fails),
        WITH_SEARCH(test_kept_workers_that_are_busy),
        WITH_SEARCH(test_short_budget),
        WITH_SEARCH(test_another_size),
        WITH_SEARCH(test_another_type),
        WITH_SEARCH(test_some_compiled_before),
        WITH_SEARCH(test_budget_of_what_was_compiled),
        WITH_SEARCH(test_failure_before),
        WITH_SEARCH(test_lack_before),
        WITH_SEARCH(test_unit_before_that_does_not_load),
        WITH_SEARCH(test_race),
        WITH_SEARCH(test_race_with_shadows),
        WITH_SEARCH(test_simplest_of_a_tie_wins),
        WITH_SEARCH(test_fastest_wins),
        WITH_SEARCH(test_race_compiles_again),
        WITH_SEARCH(test_entrant_that_crashes),
        WITH_SEARCH(test_race_that_is_killed),
        WITH_SEARCH(test_result_that_cannot_be),
        WITH_SEARCH(test_entrant_without_room),
        WITH_SEARCH(test_entrant_that_does_not_compile),
        WITH_SEARCH(test_entrant_that_ends_the_compiler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

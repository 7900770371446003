/* check: runs a variant over the oracle's cases and compares every bit. Cases of one shape are
 * laid on the device once and serve all variants of that shape. */
#include "autotune/tune/check.h"

#include "autotune/tune/oracle.h"
#include "autotune/tune/poison.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOT_BYTES = 16,    /* an output, then a guard of the same poison */
    GUARD_BYTES = 4096, /* behind the scratch memory */
    BATCH = 512,        /* cases launched at a time */
    STATE_GUARD_BYTES = 256, /* behind the state: zeros too */
    SETS_MAX = 64,
    ALTERNATE = 2048,   /* from this many cases on, the two geometries take turns */
};

/* The cases of one shape, on the device. */
struct case_set {
    struct oracle_shape shape;
    bool is_special;
    struct oracle_cases cases;
    uint64_t elements; /* device address */
};

struct check {
    struct device *device;
    struct problem problem;
    uint64_t positions_max, seed;
    struct case_set sets[SETS_MAX];
    size_t set_count;
    uint64_t outputs, output_bytes;
    uint64_t scratch, scratch_bytes;
    uint64_t used_bytes; /* of the scratch; what lies behind is a guard */
    uint64_t state, state_bytes, used_state_bytes; /* likewise */
    unsigned char *results; /* host copy of outputs */
};

int check_open(struct check **out, struct device *device, const struct problem *problem,
               uint64_t positions_max, uint64_t seed, struct error *error)
{
    struct check *check = calloc(1, sizeof *check);
    if (!check)
        return error_memory(error, sizeof *check);
    check->device = device;
    check->problem = *problem;
    check->positions_max = positions_max;
    check->seed = seed;
    *out = check;
    return 0;
}

static void close_set(struct check *check, struct case_set *set)
{
    if (set->elements)
        check->device->ops->free(check->device, set->elements);
    oracle_dispose_cases(&set->cases);
}

void check_close(struct check *check)
{
    const uint64_t buffers[] = {check->outputs, check->scratch, check->state};
    for (size_t i = 0; i < check->set_count; i++)
        close_set(check, &check->sets[i]);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (buffers[i])
            check->device->ops->free(check->device, buffers[i]);
    free(check->results);
    free(check);
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

static int reserve_outputs(struct check *check, size_t count, struct error *error)
{
    uint64_t wanted = (count + 1) * SLOT_BYTES;
    if (check->output_bytes >= wanted)
        return 0;
    unsigned char *results = realloc(check->results, wanted);
    if (!results)
        return error_memory(error, wanted);
    check->results = results;
    return reserve(check->device, &check->outputs, &check->output_bytes, wanted, error);
}

static uint64_t count_bytes(const struct check *check, const struct case_set *set)
{
    return set->cases.element_count * (uint64_t)problem_types[check->problem.type].bytes;
}

static int write_elements(struct check *check, const struct case_set *set, struct error *error)
{
    return check->device->ops->write(check->device, set->elements, set->cases.elements,
                                     count_bytes(check, set), error);
}

static int load_set(struct check *check, struct case_set *set, struct error *error)
{
    int failed = set->is_special
                     ? oracle_make_specials(&set->cases, &check->problem, &set->shape, error)
                     : oracle_make_cases(&set->cases, &check->problem, &set->shape, check->seed,
                                         error);
    if (failed)
        return -1;
    if (set->cases.element_count == 0)
        return 0;
    return check->device->ops->alloc(check->device, count_bytes(check, set), &set->elements,
                                     error) ||
                   write_elements(check, set, error)
               ? -1
               : 0;
}

/* The set of this shape, made at first use; the oldest makes room when there are too many. */
static struct case_set *find_set(struct check *check, const struct call_plan *plan,
                                 bool is_special, struct error *error)
{
    for (size_t i = 0; i < check->set_count; i++) {
        struct case_set *set = &check->sets[i];
        if (set->is_special == is_special && set->shape.block == plan->block &&
            set->shape.tile == plan->tile)
            return set;
    }
    if (check->set_count == SETS_MAX) {
        close_set(check, &check->sets[0]);
        memmove(check->sets, check->sets + 1, --check->set_count * sizeof *check->sets);
    }
    struct case_set *set = &check->sets[check->set_count];
    *set = (struct case_set){.shape = {plan->block, plan->tile, check->positions_max},
                             .is_special = is_special};
    if (load_set(check, set, error)) {
        close_set(check, set);
        return NULL;
    }
    check->set_count++;
    return set;
}

/* --- Runs --------------------------------------------------------------------------------- */

struct run {
    struct check *check;
    const struct point_context *context; /* with the geometry's target */
    const int64_t *row;
    const struct device_kernel *const *kernels;
    const struct case_set *set;
    bool takes_turns; /* with another run: only the cases whose turn it is */
    unsigned turn;    /* 0 or 1 */
    struct call_plan plan; /* of the n last asked for: most cases have the same */
    bool is_planned;
};

/* By the parity of the index's bits: each run gets every start and both kinds of each size. */
static bool is_turn(const struct run *run, size_t i)
{
    return !run->takes_turns || (unsigned)__builtin_parityll(i) == run->turn;
}

static int plan_case(struct run *run, size_t i, struct error *error)
{
    const uint64_t n = run->set->cases.cases[i].n;
    if (run->is_planned && run->plan.n == n)
        return 0;
    run->is_planned = true;
    return call_plan(&run->plan, run->context, run->row, n, error);
}

/* Binds the planned case. */
static void bind_case(const struct run *run, size_t i, struct device_launch *out)
{
    const struct check *check = run->check;
    const struct call_buffers buffers = {
        .input = run->set->elements + run->set->cases.cases[i].offset *
                                          (uint64_t)problem_types[check->problem.type].bytes,
        .output = check->outputs + i * SLOT_BYTES,
        .scratch = check->scratch,
        .state = check->state,
    };
    call_bind(out, &run->plan, run->context->space, run->kernels, &buffers);
}

/* Where the last of a plan's partial results ends in the scratch memory. */
static uint64_t find_end(const struct call_plan *plan, uint64_t accum_bytes)
{
    uint64_t end = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct call_step *step = &plan->steps[i];
        const uint64_t outputs = step->shape.outputs > 1 ? step->shape.outputs : 0;
        const uint64_t ends[] = {step->output_offset + outputs * accum_bytes,
                                 step->partials_offset + step->shape.partials * accum_bytes};
        end = ends[0] > end ? ends[0] : end;
        end = ends[1] > end ? ends[1] : end;
    }
    return end;
}

/* The most scratch memory and state that any case needs. */
static int reserve_scratch(struct run *run, struct error *error)
{
    struct check *check = run->check;
    const uint64_t accum_bytes = (uint64_t)problem_partial_bytes(&check->problem);
    uint64_t most = 0, largest = 0;
    check->used_bytes = check->used_state_bytes = 0;
    for (size_t i = 0; i < run->set->cases.count; i++) {
        uint64_t n = run->set->cases.cases[i].n;
        if (i > 0 && n <= largest)
            continue;
        largest = n;
        if (plan_case(run, i, error))
            return -1;
        const uint64_t end = find_end(&run->plan, accum_bytes), state = run->plan.state_bytes;
        most = run->plan.scratch_bytes > most ? run->plan.scratch_bytes : most;
        check->used_bytes = end > check->used_bytes ? end : check->used_bytes;
        check->used_state_bytes = state > check->used_state_bytes ? state : check->used_state_bytes;
    }
    return reserve(check->device, &check->scratch, &check->scratch_bytes, most + GUARD_BYTES,
                   error) ||
                   reserve(check->device, &check->state, &check->state_bytes,
                           check->used_state_bytes + STATE_GUARD_BYTES, error)
               ? -1
               : 0;
}

static int launch_cases(struct run *run, struct error *error)
{
    struct device *device = run->check->device;
    struct device_launch *launches = malloc((BATCH + CALL_LAUNCHES_MAX) * sizeof *launches);
    size_t count = 0;
    int failed = launches ? 0 : error_memory(error, BATCH * sizeof *launches);
    for (size_t i = 0; !failed && i < run->set->cases.count; i++) {
        if (!is_turn(run, i))
            continue;
        failed = plan_case(run, i, error);
        if (failed)
            break;
        bind_case(run, i, launches + count);
        count += run->plan.count;
        if (count >= BATCH) {
            failed = device->ops->launch(device, launches, count, error);
            count = 0;
        }
    }
    if (!failed && count)
        failed = device->ops->launch(device, launches, count, error);
    free(launches);
    return failed;
}

/* What is wrong with case i, and for a wrong result what it is. */
static void blame(const struct run *run, size_t i, const char *what, const oracle_bits *got,
                  struct check_verdict *out)
{
    const struct oracle_case *c = &run->set->cases.cases[i];
    const enum type type = problem_result(&run->check->problem);
    const uint64_t starts = 16 / (uint64_t)problem_types[run->check->problem.type].bytes;
    char expected[ORACLE_CHARS], gotten[ORACLE_CHARS];
    out->is_right = false;
    snprintf(out->reason, sizeof out->reason,
             "%s at n = %" PRIu64 ", start %" PRIu64 " elements past alignment", what, c->n,
             c->offset % starts);
    const size_t used = strlen(out->reason);
    if (got)
        snprintf(out->reason + used, sizeof out->reason - used, ": expected %s, got %s",
                 oracle_format(expected, type, c->expect), oracle_format(gotten, type, *got));
}

static void compare(const struct run *run, struct check_verdict *out)
{
    const enum type type = problem_result(&run->check->problem);
    const size_t bytes = (size_t)problem_types[type].bytes;
    for (size_t i = 0; i < run->set->cases.count && out->is_right; i++) {
        if (!is_turn(run, i))
            continue;
        const unsigned char *slot = run->check->results + i * SLOT_BYTES;
        oracle_bits got = 0;
        memcpy(&got, slot, bytes);
        out->cases++;
        if (!poison_is_all(slot + bytes, SLOT_BYTES - bytes, POISON_OUTPUT))
            blame(run, i, "wrote past its one result", NULL, out);
        else if (oracle_equal(type, run->set->cases.cases[i].expect, got))
            continue;
        else if (poison_is_all(slot, bytes, POISON_OUTPUT))
            blame(run, i, "no result written", NULL, out);
        else
            blame(run, i, "wrong result", &got, out);
    }
}

/* The state and the guard behind it are zero again. */
static int check_state(const struct run *run, struct check_verdict *out, struct error *error)
{
    struct check *check = run->check;
    const uint64_t used_bytes = check->used_state_bytes;
    unsigned char *state = malloc(used_bytes + STATE_GUARD_BYTES);
    if (!state)
        return error_memory(error, used_bytes + STATE_GUARD_BYTES);
    int failed = check->device->ops->read(check->device, state, check->state,
                                          used_bytes + STATE_GUARD_BYTES, error);
    const char *what = failed                                 ? NULL
                       : !poison_is_all(state, used_bytes, 0) ? "left its state above zero"
                       : !poison_is_all(state + used_bytes, STATE_GUARD_BYTES, 0)
                           ? "wrote past its state"
                           : NULL;
    free(state);
    out->is_right = !what;
    if (what)
        snprintf(out->reason, sizeof out->reason, "%s", what);
    return failed;
}

/* Behind what was used of the scratch memory. */
static int check_guards(const struct run *run, struct check_verdict *out, struct error *error)
{
    struct check *check = run->check;
    unsigned char guard[GUARD_BYTES];
    if (!out->is_right)
        return 0;
    if (check->device->ops->read(check->device, guard, check->scratch + check->used_bytes,
                                 GUARD_BYTES, error))
        return -1;
    out->is_right = poison_is_all(guard, GUARD_BYTES, POISON_SCRATCH);
    if (out->is_right)
        return check_state(run, out, error);
    snprintf(out->reason, sizeof out->reason, "wrote past its scratch memory");
    return 0;
}

/* A device that survives a kernel that cannot finish says so: a verdict, not a failure. */
static int stop_at(struct check_verdict *out, const struct error *error)
{
    if (error->code != ERROR_WRONG)
        return -1;
    out->is_right = false;
    snprintf(out->reason, sizeof out->reason, "%.230s", error->text);
    return 0;
}

/* Poison, launch, read back, compare. */
static int run_cases(struct run *run, struct check_verdict *out, struct error *error)
{
    struct check *check = run->check;
    const struct device_ops *ops = check->device->ops;
    const uint64_t bytes = run->set->cases.count * SLOT_BYTES;
    if (reserve_outputs(check, run->set->cases.count, error) || reserve_scratch(run, error) ||
        ops->fill(check->device, check->outputs, POISON_OUTPUT, bytes, error) ||
        ops->fill(check->device, check->scratch, POISON_SCRATCH, check->scratch_bytes, error) ||
        ops->fill(check->device, check->state, 0, check->state_bytes, error) ||
        ops->sync(check->device, error))
        return -1;
    if (launch_cases(run, error))
        return stop_at(out, error);
    if (ops->sync(check->device, error) ||
        ops->read(check->device, check->results, check->outputs, bytes, error))
        return -1;
    compare(run, out);
    return check_guards(run, out, error);
}

int check_choose(struct check_rows *out, const struct point_context *context,
                 const int64_t *rows, size_t count, struct error *error)
{
    enum { TILES = 64 }; /* enough to tell the candidates apart */
    struct target one_sm = *context->target;
    const struct point_context narrow = {context->space, context->problem, &one_sm};
    struct call_plan plan;
    unsigned fewest = UINT32_MAX;
    one_sm.sms = 1;
    *out = (struct check_rows){rows, rows};
    for (size_t i = 0; i < count; i++) {
        const int64_t *row = rows + i * context->space->param_count;
        if (call_plan(&plan, &narrow, row, 1, error) ||
            call_plan(&plan, &narrow, row, TILES * plan.tile, error))
            return -1;
        if (plan.grid < fewest) {
            fewest = plan.grid;
            out->narrow = row;
        }
    }
    return 0;
}

static int check_set(struct check *check, const struct point_context *context,
                     struct check_rows rows,
                     const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                     bool is_special, struct check_verdict *out, struct error *error)
{
    struct target one_sm = *context->target;
    const struct point_context narrow = {context->space, context->problem, &one_sm};
    struct call_plan plan;
    one_sm.sms = 1;
    *out = (struct check_verdict){.is_right = true};
    if (call_plan(&plan, context, rows.wide, 1, error))
        return -1;
    struct case_set *set = find_set(check, &plan, is_special, error);
    if (!set)
        return -1;
    const bool takes_turns = set->cases.count > ALTERNATE;
    struct run wide_run = {.check = check, .context = context, .row = rows.wide,
                           .kernels = kernels, .set = set, .takes_turns = takes_turns,
                           .turn = 0};
    struct run narrow_run = {.check = check, .context = &narrow, .row = rows.narrow,
                             .kernels = kernels, .set = set, .takes_turns = takes_turns,
                             .turn = 1};
    if (set->cases.count == 0)
        return 0;
    int failed = run_cases(&wide_run, out, error);
    if (!failed && out->is_right)
        failed = run_cases(&narrow_run, out, error);
    /* A kernel that writes where it must not may have changed what others are to read. */
    if (!failed && !out->is_right)
        failed = write_elements(check, set, error);
    return failed;
}

int check_small(struct check *check, const struct point_context *context,
                struct check_rows rows,
                const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                struct check_verdict *out, struct error *error)
{
    return check_set(check, context, rows, kernels, false, out, error);
}

int check_specials(struct check *check, const struct point_context *context,
                   struct check_rows rows,
                   const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                   struct check_verdict *out, struct error *error)
{
    return check_set(check, context, rows, kernels, true, out, error);
}

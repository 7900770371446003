/* case_sets: makes the cases of a shape, writes their elements to the device and assigns a slot
 * to the outputs of each. Hides how many sets are kept. */
#include "autotune/verify/case_sets.h"

#include "generator/operation_input.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SLOT_GUARD = 8 }; /* bytes at least, of the same poison as the output before it */

static void close_set(const struct case_sets *sets, struct case_set *set)
{
    if (set->elements)
        sets->device->ops->free(sets->device, set->elements);
    for (size_t k = 0; k < PROBLEM_FURTHER_MAX; k++)
        if (set->further[k])
            sets->device->ops->free(sets->device, set->further[k]);
    if (set->offsets)
        sets->device->ops->free(sets->device, set->offsets);
    oracle_dispose_cases(&set->cases);
    free(set->slots);
    free(set->plan_of);
}

void case_sets_dispose(struct case_sets *sets)
{
    for (size_t i = 0; i < sets->count; i++)
        close_set(sets, &sets->sets[i]);
    sets->count = 0;
}

static uint64_t count_bytes(const struct case_sets *sets, const struct case_set *set)
{
    return set->cases.element_count * (uint64_t)problem_types[sets->problem->type].bytes;
}

/* Elements behind the last that a case reads: a read past it gives others. */
enum { FURTHER_GUARD = 1 << 12 };

/* Writes the pattern of a further input, from its first element on to the last that any case reads. */
static int write_further(const struct case_sets *sets, const struct case_set *set, size_t input,
                         struct error *error)
{
    const uint64_t count = set->further_counts[input - 1];
    const uint64_t bytes =
        count * (uint64_t)problem_types[problem_input_type(sets->problem, input)].bytes;
    void *elements = malloc(bytes);
    if (!elements)
        return error_memory(error, bytes);
    oracle_fill_further(sets->problem, input, 0, count, elements);
    const int failed =
        sets->device->ops->write(sets->device, set->further[input - 1], elements, bytes, error);
    free(elements);
    return failed;
}

static int load_further(const struct case_sets *sets, struct case_set *set, struct error *error)
{
    for (size_t input = 1; input < problem_inputs(sets->problem); input++) {
        uint64_t *count = &set->further_counts[input - 1];
        *count = 0;
        for (size_t i = 0; i < set->cases.count; i++) {
            struct problem problem = *sets->problem;
            problem.dims = set->cases.cases[i].dims;
            memcpy(problem.further, set->cases.cases[i].further, sizeof problem.further);
            const uint64_t end =
                problem.further[input - 1].first + problem_input_extent(&problem, input);
            *count = end > *count ? end : *count;
        }
        *count += FURTHER_GUARD;
        if (sets->device->ops->alloc(
                sets->device,
                *count *
                    (uint64_t)problem_types[problem_input_type(sets->problem, input)].bytes,
                &set->further[input - 1], error) ||
            write_further(sets, set, input, error))
            return -1;
    }
    return 0;
}

int case_sets_restore(const struct case_sets *sets, const struct case_set *set,
                      struct error *error)
{
    for (size_t input = 1; input < problem_inputs(sets->problem); input++)
        if (write_further(sets, set, input, error))
            return -1;
    return sets->device->ops->write(sets->device, set->elements, set->cases.elements,
                                    count_bytes(sets, set), error);
}

/* Places the outputs of all cases, one behind the other, at each alignment in turn: one further for
 * each round of the inputs' starts, so that both vary independently. */
static int place_slots(const struct case_sets *sets, struct case_set *set, struct error *error)
{
    const uint64_t bytes = (uint64_t)problem_types[problem_result(sets->problem)].bytes;
    const uint64_t room = (set->cases.count + 1) * sizeof *set->slots;
    const uint64_t starts = 16 / (uint64_t)problem_types[sets->problem->type].bytes;
    set->slots = malloc(room);
    if (!set->slots)
        return error_memory(error, room);
    set->slots[0] = 0;
    for (size_t i = 0; i < set->cases.count; i++) {
        const uint64_t end =
            set->slots[i] + SLOT_GUARD + dims_results(&set->cases.cases[i].dims) * bytes;
        const uint64_t turn = i + 1 + (i + 1) / starts;
        set->slots[i + 1] = (end + CASE_SLOT_BYTES - 1) / CASE_SLOT_BYTES * CASE_SLOT_BYTES +
                            turn * bytes % CASE_SLOT_BYTES;
    }
    return 0;
}

static int number_plans(struct case_set *set, struct error *error)
{
    const uint64_t room = (set->cases.count + 1) * sizeof *set->plan_of;
    const struct oracle_case *cases = set->cases.cases;
    set->plan_of = malloc(room);
    if (!set->plan_of)
        return error_memory(error, room);
    for (size_t i = 0; i < set->cases.count; i++) {
        set->plan_count += i == 0 || !dims_is_same(&cases[i].dims, &cases[i - 1].dims);
        set->plan_of[i] = set->plan_count - 1;
    }
    return 0;
}

/* Writes the offsets of all cases to the device. */
static int load_offsets(const struct case_sets *sets, struct case_set *set, struct error *error)
{
    const struct problem *problem = sets->problem;
    const uint64_t count = set->cases.border_count;
    const uint64_t bytes = count * (uint64_t)problem_types[problem->offsets].bytes;
    if (count == 0)
        return 0;
    void *offsets = malloc(bytes);
    if (!offsets)
        return error_memory(error, bytes);
    oracle_store_borders(problem, set->cases.borders, count, offsets);
    const int failed =
        sets->device->ops->alloc(sets->device, bytes, &set->offsets, error) ||
        sets->device->ops->write(sets->device, set->offsets, offsets, bytes, error);
    free(offsets);
    return failed ? -1 : 0;
}

static int make_cases(const struct case_sets *sets, struct case_set *set, struct error *error)
{
    if (set->is_special)
        return oracle_make_specials(&set->cases, sets->problem, &set->shape, error);
    return oracle_make_cases(&set->cases, sets->problem, &set->shape, sets->seed, error);
}

static int load_set(const struct case_sets *sets, struct case_set *set, struct error *error)
{
    if (make_cases(sets, set, error) || place_slots(sets, set, error) ||
        number_plans(set, error) || load_offsets(sets, set, error))
        return -1;
    if (set->cases.element_count == 0)
        return 0;
    return load_further(sets, set, error) ||
                   sets->device->ops->alloc(sets->device, count_bytes(sets, set),
                                            &set->elements, error) ||
                   case_sets_restore(sets, set, error)
               ? -1
               : 0;
}

/* Finds the set of a shape, or makes it; the oldest makes room when there are too many. The plain
 * cases of arrays are the same for blocks of any size: fewer sets are made. */
struct case_set *case_sets_find(struct case_sets *sets, const struct planner_plan *plan,
                                bool is_special, struct error *error)
{
    assert(0 <= plan->first && plan->first < plan->count);
    const int64_t *keys = plan->launches[plan->first].keys;
    const bool has_block = is_special || oracle_is_run(&sets->problem->dims);
    const uint64_t block = (uint64_t)keys[PLANNER_BLOCK], tile = (uint64_t)keys[PLANNER_TILE];
    /* several results may share a block's threads, so that one has fewer elements at a time */
    const struct oracle_shape shape = {!has_block     ? 0
                                       : block < tile ? block
                                                      : tile,
                                       tile,
                                       sets->positions_max,
                                       (uint64_t)keys[PLANNER_RESULTS],
                                       sets->part,
                                       sets->parts};
    for (size_t i = 0; i < sets->count; i++) {
        struct case_set *set = &sets->sets[i];
        if (set->is_special == is_special && set->shape.block == shape.block &&
            set->shape.tile == shape.tile && set->shape.at_once == shape.at_once)
            return set;
    }
    if (sets->count == CASE_SETS_MAX) {
        close_set(sets, &sets->sets[0]);
        memmove(sets->sets, sets->sets + 1, --sets->count * sizeof *sets->sets);
    }
    struct case_set *set = &sets->sets[sets->count];
    *set = (struct case_set){.shape = shape, .is_special = is_special};
    if (load_set(sets, set, error)) {
        close_set(sets, set);
        return NULL;
    }
    sets->count++;
    return set;
}

/* check_full: proves one measurement: poisons everything the calls write to, then compares
 * every result, the state and the guards. Hides which are compared on the device. */
#include "autotune/measure/bench.h"

#include "autotune/verify/poison.h"
#include "autotune/verify/threads.h"
#include "generator/dims_text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE_BYTES = 16 << 20, /* of results read back at once */
    SHARE_LEAST = 1 << 12,  /* results that a thread compares, at least */
};

/* How many of the last calls have left their results. */
static size_t count_left(const struct bench *bench, const struct bench_entry *entry)
{
    return entry->calls < bench->slots ? entry->calls : bench->slots;
}

/* The address of this call's results. */
static uint64_t output_of(const struct bench *bench, size_t call)
{
    return bench->outputs + call % bench->slots * bench->slot_bytes;
}

static int poison(struct bench *bench, const struct bench_entry *entry, struct error *error)
{
    const struct device_ops *ops = bench->device->ops;
    return ops->fill(bench->device, bench->outputs, POISON_OUTPUT,
                     count_left(bench, entry) * bench->slot_bytes, NULL, error) ||
                   ops->fill(bench->device, bench->scratch, POISON_SCRATCH,
                             entry->scratch_bytes + POISON_SCRATCH_GUARD, NULL, error) ||
                   ops->fill(bench->device, bench->state, 0, bench->state_bytes, NULL, error) ||
                   ops->fill(bench->device, bench->state + entry->state_bytes, POISON_STATE,
                             POISON_STATE_GUARD, NULL, error)
               ? -1
               : 0;
}

static void fault(struct bench_outcome *out, const struct bench *bench, const char *what)
{
    const struct problem *problem = &bench->input->problem;
    char size[DIMS_TEXT_CHARS];
    out->is_right = false;
    snprintf(out->reason, sizeof out->reason, "%s at %s", what,
             dims_text_format_named(size, &problem->dims));
}

/* Compares one result of a call, given its bytes. */
static void compare_result(struct bench_outcome *out, const struct bench *bench,
                           const struct bench_entry *entry, size_t call, uint64_t result,
                           const unsigned char *gotten_bytes)
{
    const struct problem *problem = &bench->input->problem;
    const enum type type = problem_result(problem);
    const size_t bytes = (size_t)problem_types[type].bytes;
    const size_t input = call % bench->input->count;
    const oracle_bits expect = input_expect(bench->input, input, result);
    char expected[ORACLE_CHARS], gotten[ORACLE_CHARS], which[DIMS_TEXT_CHARS];
    oracle_bits got = 0;
    memcpy(&got, gotten_bytes, bytes);
    if (input_accepts(bench->input, input, result, entry->height, got))
        return;
    out->is_right = false;
    snprintf(out->reason, sizeof out->reason, "%s %s: expected %s, got %s",
             poison_is_all(gotten_bytes, bytes, POISON_OUTPUT) ? "no result" : "wrong result",
             dims_text_result(which, &problem->dims, result),
             oracle_format(expected, type, expect), oracle_format(gotten, type, got));
}

/* Compares all results of a call, which are few. */
static void compare_output(struct bench_outcome *out, const struct bench *bench,
                           const struct bench_entry *entry, size_t call,
                           const unsigned char *slot)
{
    const uint64_t bytes = input_expects_bytes(&bench->input->problem);
    const uint64_t results = dims_results(&bench->input->problem.dims);
    if (!poison_is_all(slot + bytes, bench->slot_bytes - bytes, POISON_OUTPUT))
        fault(out, bench, "wrote past its results");
    for (uint64_t r = 0; r < results && out->is_right; r++)
        compare_result(out, bench, entry, call, r, slot + r * (bytes / results));
}

/* A thread's results of a piece: so many from `first` on, whose bytes are at `got`. It ends at the first wrong one. */
struct judged {
    const struct bench *bench;
    const struct bench_entry *entry;
    size_t call;
    uint64_t first, count;
    const unsigned char *got;
    struct bench_outcome outcome;
};

static void *judge_share(void *argument)
{
    struct judged *share = argument;
    const struct problem *problem = &share->bench->input->problem;
    const size_t bytes = (size_t)problem_types[problem_result(problem)].bytes;
    share->outcome = (struct bench_outcome){.is_right = true};
    for (uint64_t i = 0; i < share->count && share->outcome.is_right; i++)
        compare_result(&share->outcome, share->bench, share->entry, share->call,
                       share->first + i, share->got + i * bytes);
    return NULL;
}

/* Judges a piece by all cores: each result may have a bound of its own. */
static void judge_piece(const struct judged *piece, struct bench_outcome *out)
{
    struct judged shares[THREADS_MAX];
    const struct problem *problem = &piece->bench->input->problem;
    const uint64_t bytes = (uint64_t)problem_types[problem_result(problem)].bytes;
    const uint64_t most = piece->count / SHARE_LEAST + 1, cores = threads_of_cores();
    const uint64_t count = cores < most ? cores : most;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t first = piece->count * i / count;
        shares[i] = *piece;
        shares[i].first += first;
        shares[i].got += first * bytes;
        shares[i].count = piece->count * (i + 1) / count - first;
    }
    threads_run(judge_share, shares, sizeof *shares, (size_t)count);
    for (uint64_t i = 0; i < count && out->is_right; i++)
        *out = shares[i].outcome;
}

/* Finds the first wrong result from the one with this byte on, if there is one: results whose
 * bytes differ may be equal as numbers, or within their bounds. */
static int find_wrong(struct bench *bench, const struct bench_entry *entry, size_t call,
                      uint64_t first, struct bench_outcome *out, struct error *error)
{
    const struct problem *problem = &bench->input->problem;
    const uint64_t bytes = (uint64_t)problem_types[problem_result(problem)].bytes;
    const uint64_t count = dims_results(&problem->dims), most = PIECE_BYTES / bytes;
    const uint64_t room = (count < most ? count : most) * bytes;
    unsigned char *got = malloc(room);
    int failed = got ? 0 : error_memory(error, room);
    for (uint64_t at = first / bytes, take; !failed && at < count && out->is_right;
         at += take) {
        take = count - at < most ? count - at : most;
        const struct judged piece = {.bench = bench,
                                     .entry = entry,
                                     .call = call,
                                     .first = at,
                                     .count = take,
                                     .got = got};
        failed =
            bench->device->ops->read(bench->device, got, output_of(bench, call) + at * bytes,
                                     take * bytes, error);
        if (!failed)
            judge_piece(&piece, out);
    }
    free(got);
    return failed;
}

/* Compares on the device, and reads back only results that differ. */
static int compare_results(struct bench *bench, const struct bench_entry *entry, size_t call,
                           struct bench_outcome *out, struct error *error)
{
    const struct device_ops *ops = bench->device->ops;
    const uint64_t results = input_expects_bytes(&bench->input->problem);
    const uint64_t guard_bytes = bench->slot_bytes - results;
    const uint64_t got = output_of(bench, call);
    const uint64_t expected = bench->expected + call % bench->input->count * bench->slot_bytes;
    unsigned char guard[2 * POISON_RESULTS_GUARD];
    uint64_t first;
    if (ops->differ(bench->device, got, expected, bench->slot_bytes, &first, error))
        return -1;
    if (first == bench->slot_bytes)
        return 0;
    if (ops->read(bench->device, guard, got + results, guard_bytes, error))
        return -1;
    if (!poison_is_all(guard, guard_bytes, POISON_OUTPUT)) {
        fault(out, bench, "wrote past its results");
        return 0;
    }
    return find_wrong(bench, entry, call, first, out, error);
}

static int compare_calls(struct bench *bench, const struct bench_entry *entry, size_t first,
                         struct bench_outcome *out, struct error *error)
{
    const size_t left = entry->calls - count_left(bench, entry);
    for (size_t i = first > left ? first : left; i < entry->calls && out->is_right; i++)
        if (compare_results(bench, entry, i, out, error))
            return -1;
    return 0;
}

/* Compares the results of the calls from `first` on: few results all together. */
static int compare_outputs(struct bench *bench, const struct bench_entry *entry, size_t first,
                           struct bench_outcome *out, struct error *error)
{
    const uint64_t bytes = entry->calls * bench->slot_bytes;
    if (bench->expected)
        return compare_calls(bench, entry, first, out, error);
    unsigned char *slots = malloc(bytes);
    if (!slots)
        return error_memory(error, bytes);
    const int failed =
        bench->device->ops->read(bench->device, slots, bench->outputs, bytes, error);
    for (size_t i = first; !failed && i < entry->calls && out->is_right; i++)
        compare_output(out, bench, entry, i, slots + i * bench->slot_bytes);
    free(slots);
    return failed;
}

/* Compares the guard behind the state, and a state without epoch with zero. */
static int compare_state(struct bench *bench, const struct bench_entry *entry,
                         struct bench_outcome *out, struct error *error)
{
    const uint64_t bytes = entry->state_bytes + POISON_STATE_GUARD;
    unsigned char *state = malloc(bytes);
    if (!state)
        return error_memory(error, bytes);
    int failed = bench->device->ops->read(bench->device, state, bench->state, bytes, error);
    const char *what = failed ? NULL
                              : poison_state_fault(state, 0, entry->state_bytes, out->is_right,
                                                   entry->leaves_epoch);
    if (what)
        fault(out, bench, what);
    free(state);
    return failed;
}

static int compare(struct bench *bench, const struct bench_entry *entry,
                   struct bench_outcome *out, struct error *error)
{
    const struct device_ops *ops = bench->device->ops;
    const size_t first = entry->after_count ? entry->calls - 1 : 0;
    unsigned char guard[POISON_SCRATCH_GUARD];
    *out = (struct bench_outcome){.is_right = true};
    if (compare_outputs(bench, entry, first, out, error) ||
        ops->read(bench->device, guard, bench->scratch + entry->scratch_bytes,
                  POISON_SCRATCH_GUARD, error))
        return -1;
    if (poison_is_all(guard, POISON_SCRATCH_GUARD, POISON_SCRATCH))
        return compare_state(bench, entry, out, error);
    fault(out, bench, "wrote past its scratch memory");
    return 0;
}

static int prove(struct bench *bench, const struct bench_entry *entry, uint64_t *out_ps,
                 struct bench_outcome *out, struct error *error)
{
    if (poison(bench, entry, error))
        return -1;
    if (bench_time(bench, entry, out_ps, error) == 0 &&
        bench->device->ops->launch(bench->device, entry->after, entry->after_count, NULL,
                                   error) == 0)
        return compare(bench, entry, out, error);
    if (error->code != ERROR_WRONG) /* the emulator survives a kernel that cannot finish */
        return -1;
    *out = (struct bench_outcome){.is_right = false};
    snprintf(out->reason, sizeof out->reason, "%.230s", error->text);
    return 0;
}

/* All entries share the state: a wrong entry would leave a value in it that makes others wrong;
 * where its guard is, others have their state. */
int bench_prove(struct bench *bench, const struct bench_entry *entry, uint64_t *out_ps,
                struct bench_outcome *out, struct error *error)
{
    assert(entry->graph && !bench_is_lost(bench, entry));
    assert(entry->state_bytes <= bench->state_bytes);
    const struct device_ops *ops = bench->device->ops;
    struct error ignored;
    if (prove(bench, entry, out_ps, out, error)) {
        ops->fill(bench->device, bench->state, 0, bench->state_bytes, NULL, &ignored);
        return -1;
    }
    return out->is_right
               ? ops->fill(bench->device, bench->state + entry->state_bytes, 0,
                           POISON_STATE_GUARD, NULL, error)
               : ops->fill(bench->device, bench->state, 0, bench->state_bytes, NULL, error);
}

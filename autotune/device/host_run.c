/* host_run: runs launches from start to end: keeps slots for the blocks under way, with their
 * fibers, from one launch to the next, and reports threads that can never go on. */
#include "autotune/device/host_run.h"

#include "autotune/device/host_schedule.h"

#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    RESIDENT = 4, /* blocks under way at once, where nothing asks for more */
    CROWD = 3,    /* one launch in so many has as many blocks as there is room for, */
    CROWD_THREADS = 1 << 12, /* ... of so many threads together */
#if defined(FIBER_ASAN) || defined(FIBER_TSAN)
    STACK_BYTES = 256 << 10, /* reports are written on the stack at fault */
#else
    STACK_BYTES = 64 << 10,
#endif
#ifdef FIBER_TSAN
    FIBERS_MAX = 4096, /* it knows 8128 threads */
#else
    FIBERS_MAX = HOST_SMS * HOST_SM_THREADS,
#endif
};

static void free_slot(struct slot *slot)
{
    if (!slot)
        return;
    for (unsigned i = 0; i < slot->fiber_count; i++)
        fiber_dispose(&slot->threads[i].fiber);
    free(slot->threads);
    free(slot);
}

static int load_slot(struct slot **out, struct host_runner *runner, unsigned index,
                     struct error *error)
{
    struct slot *slot = calloc(1, sizeof *slot);
    if (!slot)
        return error_memory(error, sizeof *slot);
    slot->runner = runner;
    slot->index = index;
    slot->threads = calloc(HOST_THREADS_MAX, sizeof *slot->threads);
    if (!slot->threads) {
        free(slot);
        return error_memory(error, HOST_THREADS_MAX * sizeof *slot->threads);
    }
    *out = slot;
    return 0;
}

/* Makes sure of `count` fibers. */
static int fill_slot(struct slot *slot, unsigned count, struct error *error)
{
    for (unsigned i = slot->fiber_count; i < count; i++) {
        struct thread *thread = &slot->threads[i];
        thread->slot = slot;
        thread->warp = i / HOST_LANES;
        thread->lane = i % HOST_LANES;
        if (fiber_init(&thread->fiber, STACK_BYTES, host_schedule_threads, thread, error) != 0)
            return -1;
        slot->fiber_count++;
    }
    return 0;
}

/* One more cluster under way at the same time as the others. */
static int open_cluster(struct host_runner *runner, struct error *error)
{
    const struct host_job *job = runner->job;
    /* While blocks are left to start no slot falls idle: the first ones are those in use. */
    const unsigned first = runner->active_count;
    for (unsigned i = first; i < first + job->cluster; i++) {
        if (!runner->slots[i] && load_slot(&runner->slots[i], runner, i, error) != 0)
            return -1;
        struct slot *slot = runner->slots[i];
        slot->unit = job->unit(job->context, i, error);
        if (!slot->unit || fill_slot(slot, job->block, error) != 0)
            return -1;
        runner->active[i] = slot;
    }
    runner->active_count += job->cluster;
    host_schedule_start(runner->slots[first]);
    return 0;
}

/* How many blocks of the job the emulated device holds at once. */
static unsigned capacity(const struct host_job *job)
{
    unsigned blocks = HOST_SM_THREADS / job->block;
    if (blocks > HOST_SM_BLOCKS)
        blocks = HOST_SM_BLOCKS;
    blocks *= HOST_SMS;
    const unsigned limit = FIBERS_MAX / job->block;
    return blocks < limit ? blocks : limit;
}

/* Forgets the threads that will never go on, with all their fibers. */
static void abandon(struct host_runner *runner)
{
    for (unsigned i = 0; i < HOST_SLOTS_MAX; i++) {
        free_slot(runner->slots[i]);
        runner->slots[i] = NULL;
    }
    runner->active_count = 0;
}

/* Reports where the threads of a block wait that will never go on. */
static int report_stuck(const struct host_runner *runner, struct error *error)
{
    const struct slot *slot = runner->active[0];
    for (unsigned i = 1; slot->alive == 0 && i < runner->active_count; i++)
        slot = runner->active[i];
    unsigned yielded = 0;
    for (unsigned w = 0; w < HOST_WARPS_MAX; w++)
        yielded += (unsigned)__builtin_popcount(slot->yielded[w]);
    const unsigned in_warps = slot->alive - slot->waiting - yielded;
    return error_set(error, ERROR_WRONG,
                     "kernel '%s' hangs in block %u: of its %u threads %u have ended, %u wait "
                     "at __syncthreads(), %u at a warp operation and %u for another block; a "
                     "barrier must be reached by every thread, a warp operation by every lane "
                     "of its mask",
                     runner->job->kernel, slot->block, runner->job->block,
                     runner->job->block - slot->alive, slot->waiting, in_warps, yielded);
}

static int report_divergence(const struct host_runner *runner, struct error *error)
{
    const struct divergence *at = &runner->divergence;
    char instead[160] = "have ended";
    if (at->other.line)
        snprintf(instead, sizeof instead, "come to that in line %u of %s", at->other.line,
                 at->other.file);
    return error_set(error, ERROR_WRONG,
                     "kernel '%s': the __syncthreads() in line %u of %s is reached by some "
                     "threads of block %u and not by others, which %s; every thread of a block "
                     "must reach it",
                     runner->job->kernel, at->barrier.line, at->barrier.file, at->block,
                     instead);
}

/* Blocks under way from the start. A block that looks back at many others, to add up what they
 * have by now, finds them done where few are under way. */
static unsigned draw_first(struct host_runner *runner, unsigned room)
{
    const unsigned crowd = CROWD_THREADS / runner->job->block;
    const bool is_crowd = host_schedule_draw(runner) % CROWD == 0 && crowd > RESIDENT;
    const unsigned first = is_crowd ? crowd : RESIDENT;
    return room < first ? room : first;
}

static int run_blocks(struct host_runner *runner, struct error *error)
{
    const struct host_job *job = runner->job;
    const unsigned room = capacity(job) / job->cluster * job->cluster;
    const unsigned at_first = draw_first(runner, room);
    if (room == 0)
        return error_set(error, ERROR_FAILED,
                         "kernel '%s': the host has no room for a cluster of %u blocks of %u "
                         "threads",
                         job->kernel, job->cluster, job->block);
    while (runner->active_count < at_first && runner->next_block < job->grid)
        if (open_cluster(runner, error) != 0)
            return -1;
    for (;;) {
        host_schedule_pass(runner, &runner->native);
        if (runner->event == FINISHED)
            return 0;
        if (runner->event == BAD_CALL)
            return error_set(error, ERROR_WRONG, "kernel '%s': %s", job->kernel,
                             runner->reason);
        if (runner->event == STUCK)
            return report_stuck(runner, error);
        if (runner->event == DIVERGED)
            return report_divergence(runner, error);
        if (runner->active_count < room && open_cluster(runner, error) != 0)
            return -1;
    }
}

int host_run(struct host_runner *runner, const struct host_job *job, struct error *error)
{
    fenv_t arithmetic;
    runner->random = runner->seed ^ runner->launches++ * 0x2545f4914f6cdd1du;
    runner->job = job;
    runner->next_block = runner->barren_rounds = 0;
    runner->picks = 0;
    runner->stretch = runner->delivery_count = 0;
    runner->current = NULL;
    host_schedule_begin(runner);
    host_schedule_order(runner);
    fiber_init_native(&runner->native);
    fegetenv(&arithmetic);
    fesetenv(
        FE_DFL_ENV); /* a GPU rounds to nearest, has denormals and no traps, whatever is set here */
    const int status = run_blocks(runner, error);
    fesetenv(&arithmetic);
    host_stores_arrive(runner, true);
    if (status != 0)
        abandon(runner);
    for (unsigned i = 0; i < HOST_SLOTS_MAX && runner->slots[i]; i++)
        fiber_acquire(&runner->slots[i]->end_object);
    return status;
}

int host_runner_load(struct host_runner **out, uint64_t seed, struct error *error)
{
    struct host_runner *runner = calloc(1, sizeof *runner);
    if (!runner)
        return error_memory(error, sizeof *runner);
    runner->seed = seed;
    *out = runner;
    return 0;
}

void host_runner_free(struct host_runner *runner)
{
    if (!runner)
        return;
    abandon(runner);
    free(runner);
}

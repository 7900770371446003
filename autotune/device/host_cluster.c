/* host_cluster: a value that is sent waits for a number of picks, drawn from the seed, so that
 * values come late and in any order. A barrier is kept in the kernel's own 8 bytes, with a mark
 * that poison does not have. */
#include "autotune/device/host_cluster.h"

#include <stddef.h>

enum { MARK = 0x6b };

/* What a kernel's 8 bytes hold. */
struct barrier {
    int32_t bytes;       /* announced and not yet there; below 0: there before announced */
    uint8_t count, left; /* arrivals that complete a phase; of them, yet to come */
    uint8_t phase;       /* parity of the one under way */
    uint8_t mark;
};

/* --- The barrier of a cluster --------------------------------------------------------------- */

FIBER_UNWATCHED static void open_if_complete(struct slot *first)
{
    struct cluster *cluster = &first->cluster;
    if (cluster->missing > 0)
        return;
    cluster->missing = cluster->alive;
    cluster->phase++;
    first->runner->idle_rounds = 0;
}

FIBER_UNWATCHED void host_cluster_arrive(struct host_thread *self)
{
    struct thread *thread = (struct thread *)self;
    struct slot *first = thread->slot->first;
    if (thread->arrivals != thread->waits)
        host_schedule_refuse(thread, "a thread arrives twice at its cluster's barrier, without "
                                     "waiting in between");
    thread->arrivals++;
    first->cluster.missing--;
    open_if_complete(first);
}

FIBER_UNWATCHED void host_cluster_wait(struct host_thread *self)
{
    struct thread *thread = (struct thread *)self;
    const struct cluster *cluster = &thread->slot->first->cluster;
    if (thread->arrivals == thread->waits)
        host_schedule_refuse(thread, "a thread waits at its cluster's barrier without having "
                                     "arrived");
    while (cluster->phase < thread->arrivals)
        host_schedule_yield(thread);
    thread->waits++;
}

FIBER_UNWATCHED void host_cluster_leave(struct thread *thread)
{
    const struct slot *slot = thread->slot;
    struct slot *first = slot->first;
    const struct host_runner *runner = slot->runner;
    for (unsigned i = 0; slot->alive == 0 && i < runner->delivery_count; i++)
        if (runner->deliveries[i].to == slot)
            host_schedule_refuse(thread, "a block ends while a value that was sent to its "
                                         "shared memory is on its way");
    if (thread->arrivals == first->cluster.phase)
        first->cluster.missing--;
    first->cluster.alive--;
    open_if_complete(first);
}

/* --- Barriers in shared memory -------------------------------------------------------------- */

FIBER_UNWATCHED static void end_phase_if_complete(struct slot *slot, struct barrier *barrier)
{
    if (barrier->left > 0 || barrier->bytes != 0)
        return;
    barrier->left = barrier->count;
    barrier->phase ^= 1;
    slot->runner->idle_rounds = 0;
}

FIBER_UNWATCHED void host_cluster_barrier(struct host_thread *self, enum host_barrier what,
                                          unsigned long long *at, unsigned value)
{
    struct thread *thread = (struct thread *)self;
    struct barrier *barrier = (struct barrier *)at;
    if ((barrier->mark == MARK) == (what == HOST_BARRIER_INIT))
        host_schedule_refuse(thread, what == HOST_BARRIER_INIT
                                         ? "a barrier is initialised twice"
                                         : "a thread uses a barrier that was not initialised");
    if (what == HOST_BARRIER_INIT) {
        *barrier =
            (struct barrier){.count = (uint8_t)value, .left = (uint8_t)value, .mark = MARK};
        return;
    }
    if (what == HOST_BARRIER_EXPECT) {
        barrier->bytes += (int32_t)value;
        barrier->left--;
        end_phase_if_complete(thread->slot, barrier);
        return;
    }
    while (barrier->phase == (value & 1))
        host_schedule_yield(thread);
}

/* --- Values on their way -------------------------------------------------------------------- */

FIBER_UNWATCHED static bool deliver(struct host_runner *runner, unsigned i)
{
    const struct delivery delivery = runner->deliveries[i];
    unsigned char *shared = delivery.to->unit->shared;
    struct barrier *barrier = (struct barrier *)(shared + delivery.barrier);
    runner->deliveries[i] = runner->deliveries[--runner->delivery_count];
    if (barrier->mark != MARK) {
        runner->event = BAD_CALL;
        runner->reason = "a value comes to a block before the barrier there is initialised";
        return false;
    }
    /* No memcpy: ThreadSanitizer would see it. */
    if (delivery.bytes == sizeof(uint64_t))
        *(uint64_t *)(shared + delivery.at) = delivery.value;
    else
        *(uint32_t *)(shared + delivery.at) = (uint32_t)delivery.value;
    barrier->bytes -= (int32_t)delivery.bytes;
    end_phase_if_complete(delivery.to, barrier);
    return true;
}

FIBER_UNWATCHED bool host_cluster_deliver(struct host_runner *runner)
{
    for (unsigned i = 0; i < runner->delivery_count;)
        if (runner->deliveries[i].due > runner->picks)
            i++;
        else if (!deliver(runner, i))
            return false;
    return true;
}

/* Where something lies in the block's shared memory, or in none: then past its end. */
FIBER_UNWATCHED static size_t place(const struct slot *slot, const void *at)
{
    return (size_t)((uintptr_t)at - (uintptr_t)slot->unit->shared);
}

FIBER_UNWATCHED void host_cluster_send(struct host_thread *self, unsigned rank, void *to,
                                       unsigned long long value, unsigned bytes,
                                       unsigned long long *barrier)
{
    static const unsigned delays[] = {0, 1, 10, 100, 1000};
    struct thread *thread = (struct thread *)self;
    const struct slot *slot = thread->slot;
    struct host_runner *runner = slot->runner;
    const size_t size = (size_t)(slot->unit->shared_end - slot->unit->shared);
    const size_t at = place(slot, to), counter = place(slot, barrier);
    if (rank >= runner->job->cluster)
        host_schedule_refuse(thread,
                             "a thread sends to a block that its cluster does not have");
    struct slot *peer = runner->slots[slot->first->index + rank];
    if (!peer->is_started || peer->alive == 0)
        host_schedule_refuse(thread, peer->alive
                                         ? "a thread sends to a block that has not started"
                                         : "a thread sends to a block that has ended");
    if (at >= size || size - at < bytes || at % bytes || counter >= size ||
        size - counter < sizeof *barrier || counter % sizeof *barrier)
        host_schedule_refuse(thread, "a thread sends to what is not in shared memory, or not "
                                     "aligned");
    if (runner->delivery_count == HOST_DELIVERIES_MAX && !deliver(runner, 0))
        fiber_switch(&thread->fiber, &runner->native);
    const unsigned delay =
        delays[host_schedule_draw(runner) % (sizeof delays / sizeof *delays)];
    runner->deliveries[runner->delivery_count++] =
        (struct delivery){.to = peer,
                          .at = (unsigned)at,
                          .bytes = bytes,
                          .barrier = (unsigned)counter,
                          .value = value,
                          .due = runner->picks + delay};
    /* What is sent may be there before its sender goes on. */
    if (host_schedule_draw(runner) % 2)
        host_schedule_yield(thread);
}

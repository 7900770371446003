/* host_schedule: draws the next thread from the seed: for a stretch of picks the lowest, the
 * highest or a random lane, of the lowest, highest or a random warp, of one block, and of the
 * lowest, highest or a random block when that one's threads all wait. Launches take turns in how
 * blocks do, by a table. A block's threads are bits in words, one word a warp. A value that is
 * sent within a cluster waits for a number of picks. ThreadSanitizer sees only the kernel and the
 * order that CUDA promises: nothing here is watched, and each barrier is told as it is. */
#include "autotune/device/host_schedule.h"

#include <stddef.h>
#include <string.h>

enum {
    GROW_ROUNDS = 16,        /* rounds of yielding after which one more block is started */
    IDLE_ROUNDS = 1 << 16,   /* ... of nothing else after which nothing is expected to change */
    BARREN_ROUNDS = 1 << 15, /* ... of a few barriers too, as in a loop that waits */
    LATE_ROUNDS = 4,         /* rounds of yielding after which all see every store */
    PAUSES = 16,             /* of a thread, at strong accesses of one block */
    STORE_PAUSES = 32,       /* of a block, at stores */
};

/* What hurts a race: blocks that go on in the midst of others, the last that comes first, one that is
 * far behind, and stores that come late. As many as have no factor in common with the starts of a
 * size's cases, which so meet each. */
static const struct schedule schedules[] = {
    {.slots = ORDER_COUNT},
    {.slots = ORDER_COUNT, .pause = 3, .late = 4},
    {.slots = DESCENDING},
    {.slots = RANDOM, .pause = 2, .late = 1},
    {.slots = ORDER_COUNT, .holds_one = true},
    {.slots = DESCENDING, .pause = 8, .late = 1},
    {.slots = ORDER_COUNT, .holds_one = true, .late = 2},
};
enum { SCHEDULES = sizeof schedules / sizeof *schedules };

/* --- Values on their way to other blocks of a cluster ------------------------------------- */

/* What the kernel's own 8 bytes of a barrier in shared memory hold; poison has no such mark. */
enum { MARK = 0x6b };
struct barrier {
    int32_t bytes;       /* announced and not yet there; below 0: there before announced */
    uint8_t count, left; /* arrivals that complete a phase; of them, yet to come */
    uint8_t phase;       /* parity of the one under way */
    uint8_t mark;
};

FIBER_UNWATCHED static void end_phase_if_complete(struct slot *slot, struct barrier *barrier)
{
    if (barrier->left > 0 || barrier->bytes != 0)
        return;
    barrier->left = barrier->count;
    barrier->phase ^= 1;
    slot->runner->idle_rounds = 0;
}

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

/* Brings what is due. False, with the event and its reason, where it finds no barrier. */
FIBER_UNWATCHED static bool deliver_due(struct host_runner *runner)
{
    for (unsigned i = 0; i < runner->delivery_count;)
        if (runner->deliveries[i].due > runner->picks)
            i++;
        else if (!deliver(runner, i))
            return false;
    return true;
}

/* --- The next thread ---------------------------------------------------------------------- */

/* splitmix64 (Steele, Lea, Flood 2014). */
FIBER_UNWATCHED static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

FIBER_UNWATCHED uint64_t host_schedule_draw(struct host_runner *runner)
{
    return draw(&runner->random);
}

/* A bit of a word that is not zero. */
FIBER_UNWATCHED static unsigned choose_bit(struct host_runner *runner, enum order order,
                                           unsigned word)
{
    if (order == ASCENDING)
        return (unsigned)__builtin_ctz(word);
    if (order == DESCENDING)
        return 31 - (unsigned)__builtin_clz(word);
    const unsigned turn = draw(&runner->random) % 32;
    const unsigned turned = word >> turn | word << (32 - turn) % 32;
    return ((unsigned)__builtin_ctz(turned) + turn) % 32;
}

FIBER_UNWATCHED static void make_ready(struct slot *slot, unsigned w, unsigned lanes)
{
    slot->ready[w] |= lanes;
    if (lanes)
        slot->warps_ready |= 1u << w;
}

/* A block that has a thread ready, or NULL. */
FIBER_UNWATCHED static struct slot *choose_slot(struct host_runner *runner)
{
    const enum order order = runner->slot_order;
    struct slot *best = NULL;
    unsigned seen = 0;
    for (unsigned i = 0; i < runner->active_count; i++) {
        struct slot *slot = runner->active[i];
        if (!slot->warps_ready)
            continue;
        seen++;
        if (!best || (order == ASCENDING && slot->block < best->block) ||
            (order == DESCENDING && slot->block > best->block) ||
            (order == RANDOM && draw(&runner->random) % seen == 0))
            best = slot;
    }
    return best;
}

/* Orders are kept for a while: some faults show only when a whole pass goes one way. */
FIBER_UNWATCHED static void draw_orders(struct host_runner *runner)
{
    static const unsigned stretches[] = {1, 5, 40, 300, 2000, 20000};
    runner->stretch = stretches[draw(&runner->random) % (sizeof stretches / sizeof *stretches)];
    const enum order slots = runner->schedule ? runner->schedule->slots : ORDER_COUNT;
    runner->slot_order = slots == ORDER_COUNT ? draw(&runner->random) % ORDER_COUNT : slots;
    runner->warp_order = draw(&runner->random) % ORDER_COUNT;
    runner->lane_order = draw(&runner->random) % ORDER_COUNT;
    runner->current = choose_slot(runner);
}

/* Lets those go on that paused, of one block: of the one that is held back last. */
FIBER_UNWATCHED static struct slot *wake_paused(struct host_runner *runner)
{
    struct slot *best = NULL;
    unsigned seen = 0;
    for (unsigned i = 0; i < runner->active_count; i++) {
        struct slot *slot = runner->active[i];
        const bool is_held = runner->schedule->holds_one && slot->block == runner->held;
        if (!slot->warps_paused || (is_held && best))
            continue;
        seen++;
        if (!best || best->block == runner->held || draw(&runner->random) % seen == 0)
            best = slot;
    }
    for (; best && best->warps_paused; best->warps_paused &= best->warps_paused - 1) {
        const unsigned w = (unsigned)__builtin_ctz(best->warps_paused);
        make_ready(best, w, best->paused[w]);
        best->paused[w] = 0;
    }
    return best;
}

/* Lets the threads that yielded have another look. False if there is none, or if it is time for
 * the launching thread to do something; then the event says what. */
FIBER_UNWATCHED static bool wake_yielded(struct host_runner *runner)
{
    bool any = false;
    runner->event = STUCK;
    if (runner->schedule && runner->schedule->late)
        host_stores_arrive(runner, runner->barren_rounds % LATE_ROUNDS == LATE_ROUNDS - 1);
    if (++runner->idle_rounds > IDLE_ROUNDS || ++runner->barren_rounds > BARREN_ROUNDS)
        return false;
    if (++runner->stale_rounds > GROW_ROUNDS && runner->next_block < runner->job->grid) {
        runner->event = CROWDED;
        runner->stale_rounds = 0;
        return false;
    }
    for (unsigned i = 0; i < runner->active_count; i++) {
        struct slot *slot = runner->active[i];
        for (unsigned w = 0; w < HOST_WARPS_MAX; w++) {
            if (!slot->yielded[w])
                continue;
            make_ready(slot, w, slot->yielded[w]);
            slot->yielded[w] = 0;
            any = true;
        }
    }
    return any;
}

/* Takes the next thread from the ready ones; NULL when there is none, and why in the event. */
FIBER_UNWATCHED static struct thread *pick(struct host_runner *runner)
{
    if (runner->active_count == 0) {
        runner->event = FINISHED;
        return NULL;
    }
    runner->picks++;
    if (runner->delivery_count && !deliver_due(runner))
        return NULL;
    if (runner->stretch-- == 0)
        draw_orders(runner);
    struct slot *slot = runner->current;
    if (!slot || !slot->warps_ready) {
        slot = choose_slot(runner);
        /* What waits looks also before those that paused have done what they are about to do. */
        if (!slot && runner->schedule && draw(&runner->random) % 2)
            slot = wake_paused(runner);
        if (!slot && wake_yielded(runner))
            slot = choose_slot(runner);
        if (!slot && runner->schedule)
            slot = wake_paused(runner);
        if (!slot)
            return NULL;
        runner->current = slot;
    }
    const unsigned w = choose_bit(runner, runner->warp_order, slot->warps_ready);
    const unsigned lane = choose_bit(runner, runner->lane_order, slot->ready[w]);
    slot->ready[w] &= ~(1u << lane);
    if (!slot->ready[w])
        slot->warps_ready &= ~(1u << w);
    return &slot->threads[w * HOST_LANES + lane];
}

FIBER_UNWATCHED void host_schedule_pass(struct host_runner *runner, struct fiber *from)
{
    struct thread *next = pick(runner);
    struct fiber *to = next ? &next->fiber : &runner->native;
    if (next && runner->view != next->slot)
        host_stores_view(runner, next->slot);
    if (next)
        *next->slot->unit->self = &next->face;
    if (to != from)
        fiber_switch(from, to);
}

/* Lets others go on before the thread does, of any block. */
FIBER_UNWATCHED static void yield_thread(struct thread *thread)
{
    thread->slot->yielded[thread->warp] |= 1u << thread->lane;
    host_schedule_pass(thread->slot->runner, &thread->fiber);
}

/* Ends the launch, for that reason: does not come back. */
FIBER_UNWATCHED static void refuse(struct thread *thread, const char *reason)
{
    struct host_runner *runner = thread->slot->runner;
    runner->event = BAD_CALL;
    runner->reason = reason;
    fiber_switch(&thread->fiber, &runner->native);
}

/* --- Other blocks ------------------------------------------------------------------------- */

/* The thread lets others go first, if its schedule has it so. */
FIBER_UNWATCHED static void pause(struct thread *thread, unsigned *pauses, unsigned most)
{
    struct slot *slot = thread->slot;
    struct host_runner *runner = slot->runner;
    const struct schedule *schedule = runner->schedule;
    const bool is_held = schedule->holds_one && slot->block == runner->held;
    if (*pauses >= most ||
        (!is_held && (schedule->pause == 0 || draw(&runner->random) % schedule->pause != 0)))
        return;
    ++*pauses;
    slot->paused[thread->warp] |= 1u << thread->lane;
    slot->warps_paused |= 1u << thread->warp;
    host_schedule_pass(runner, &thread->fiber);
}

FIBER_UNWATCHED static bool is_shared(const struct slot *slot, const volatile void *at)
{
    const volatile unsigned char *byte = at;
    return byte >= slot->unit->shared && byte < slot->unit->shared_end;
}

FIBER_UNWATCHED static void step(struct host_thread *self, enum host_step what,
                                 const volatile void *at)
{
    struct thread *thread = (struct thread *)self;
    struct slot *slot = thread->slot;
    struct host_runner *runner = slot->runner;
    if (!runner->schedule || is_shared(slot, at))
        return;
    if (what == HOST_RELEASE)
        host_stores_release(thread);
    if (what == HOST_UPDATED)
        runner->is_updating = false;
    pause(thread, &thread->pauses, PAUSES);
    if (what == HOST_UPDATE) {
        host_stores_settle(slot, (const unsigned char *)at, sizeof(uint64_t));
        runner->is_updating = true;
    }
}

/* Those to a thread's own stack and to shared memory are no others' business. */
FIBER_UNWATCHED static void store(struct host_thread *self, void *at, unsigned long bytes)
{
    struct thread *thread = (struct thread *)self;
    struct slot *slot = thread->slot;
    const struct host_runner *runner = slot->runner;
    const uintptr_t on_stack = (uintptr_t)at - (uintptr_t)thread->fiber.stack;
    if (!runner->schedule || runner->is_updating || is_shared(slot, at) ||
        on_stack < thread->fiber.stack_bytes)
        return;
    pause(thread, &slot->store_pauses, STORE_PAUSES);
    host_stores_note(thread, at, bytes);
}

/* --- Barriers and warps ------------------------------------------------------------------- */

FIBER_UNWATCHED static void open_barrier(struct slot *slot)
{
    for (unsigned w = 0; w < HOST_WARPS_MAX; w++) {
        make_ready(slot, w, slot->at_barrier[w]);
        slot->at_barrier[w] = 0;
    }
    slot->waiting = 0;
    slot->phase ^= 1;
    slot->runner->idle_rounds = 0;
    host_stores_meet(slot);
    struct host_trace *trace = slot->runner->job->trace;
    if (trace && slot->block == 0)
        trace->barriers++;
}

/* Ends the launch: some threads come to a barrier, and others to another one or to their end. */
FIBER_UNWATCHED static void diverge(struct thread *thread, struct source_place barrier,
                                    struct source_place other)
{
    struct host_runner *runner = thread->slot->runner;
    runner->event = DIVERGED;
    runner->divergence = (struct divergence){thread->slot->block, barrier, other};
    fiber_switch(&thread->fiber, &runner->native);
}

FIBER_UNWATCHED static void sync_threads(struct host_thread *self, const char *file,
                                         unsigned line)
{
    struct thread *thread = (struct thread *)self;
    struct slot *slot = thread->slot;
    const struct source_place here = {file, line}, nowhere = {NULL, 0};
    if (slot->waiting > 0 &&
        (slot->barrier.line != line ||
         (slot->barrier.file != file && strcmp(slot->barrier.file, file) != 0)))
        diverge(thread, slot->barrier, here);
    if (slot->alive < slot->runner->job->block)
        diverge(thread, here, nowhere);
    slot->barrier = here;
    /* Two in turn: a thread already at the next barrier must not seem to be ordered before one
     * that is yet to leave this one. */
    uint64_t *object = &slot->barrier_objects[slot->phase];
    fiber_release(object);
    slot->at_barrier[thread->warp] |= 1u << thread->lane;
    if (++slot->waiting == slot->alive)
        open_barrier(slot);
    host_schedule_pass(slot->runner, &thread->fiber);
    fiber_acquire(object);
    thread->step++;
}

/* The group that waits for this very operation; a new one if there is none. */
FIBER_UNWATCHED static unsigned find_group(struct warp *warp, enum host_op op, unsigned mask)
{
    unsigned i = 0;
    while (i < warp->group_count && (warp->groups[i].op != op || warp->groups[i].mask != mask))
        i++;
    if (i == warp->group_count) {
        uint64_t *object = &warp->objects[warp->object_next++ % HOST_OBJECTS];
        warp->groups[i] = (struct group){.op = op, .mask = mask, .object = object};
        warp->group_count++;
    }
    return i;
}

/* Lets the group go on if no lane is missing that has not exited. Tells whether it did. */
FIBER_UNWATCHED static bool settle_group(struct slot *slot, unsigned w, unsigned i)
{
    struct warp *warp = &slot->warps[w];
    const struct group group = warp->groups[i];
    if (group.arrived != (group.mask & warp->alive))
        return false;
    warp->groups[i] = warp->groups[--warp->group_count];
    slot->runner->idle_rounds = 0;
    if (!group.arrived)
        return true;
    const uint64_t garbage = group.op == HOST_SYNC ? 0 : draw(&slot->runner->random);
    host_warp_eval(group.op, group.arrived, warp->lanes, garbage);
    if (group.op == HOST_SYNC)
        host_stores_meet_lanes(slot, w, group.arrived);
    make_ready(slot, w, group.arrived);
    return true;
}

FIBER_UNWATCHED static unsigned long long warp_call(struct host_thread *self, enum host_op op,
                                                    unsigned mask, unsigned long long value,
                                                    unsigned lane, unsigned width)
{
    struct thread *thread = (struct thread *)self;
    struct slot *slot = thread->slot;
    struct warp *warp = &slot->warps[thread->warp];
    const unsigned bit = 1u << thread->lane;
    if (!(mask & bit) || width == 0 || width > HOST_LANES || (width & (width - 1)))
        refuse(thread, "a lane calls a warp operation whose mask leaves it out, "
                       "or whose width is not a power of 2 up to 32");
    struct host_lane *mine = &warp->lanes[thread->lane];
    *mine = (struct host_lane){.value = value, .lane = lane, .width = width};
    const unsigned i = find_group(warp, op, mask);
    /* Of all warp operations only __syncwarp orders memory. */
    uint64_t *object = warp->groups[i].object;
    if (op == HOST_SYNC)
        fiber_release(object);
    warp->groups[i].arrived |= bit;
    settle_group(slot, thread->warp, i);
    host_schedule_pass(slot->runner, &thread->fiber);
    if (op == HOST_SYNC) {
        fiber_acquire(object);
        thread->step++;
    }
    return mine->result;
}

/* --- Clusters ----------------------------------------------------------------------------- */

FIBER_UNWATCHED static void open_if_complete(struct slot *first)
{
    struct cluster *cluster = &first->cluster;
    if (cluster->missing > 0)
        return;
    cluster->missing = cluster->alive;
    cluster->phase++;
    first->runner->idle_rounds = 0;
}

FIBER_UNWATCHED static void cluster_arrive(struct host_thread *self)
{
    struct thread *thread = (struct thread *)self;
    struct slot *first = thread->slot->first;
    if (thread->arrivals != thread->waits)
        refuse(thread,
               "a thread arrives twice at its cluster's barrier, without waiting in between");
    thread->arrivals++;
    first->cluster.missing--;
    open_if_complete(first);
}

FIBER_UNWATCHED static void cluster_wait(struct host_thread *self)
{
    struct thread *thread = (struct thread *)self;
    const struct cluster *cluster = &thread->slot->first->cluster;
    if (thread->arrivals == thread->waits)
        refuse(thread, "a thread waits at its cluster's barrier without having arrived");
    while (cluster->phase < thread->arrivals)
        yield_thread(thread);
    thread->waits++;
}

/* The thread has ended: the cluster's barrier waits for it no more. The last of a block may leave
 * nothing behind that is on its way to it. */
FIBER_UNWATCHED static void leave_cluster(struct thread *thread)
{
    const struct slot *slot = thread->slot;
    struct slot *first = slot->first;
    const struct host_runner *runner = slot->runner;
    for (unsigned i = 0; slot->alive == 0 && i < runner->delivery_count; i++)
        if (runner->deliveries[i].to == slot)
            refuse(
                thread,
                "a block ends while a value that was sent to its shared memory is on its way");
    if (thread->arrivals == first->cluster.phase)
        first->cluster.missing--;
    first->cluster.alive--;
    open_if_complete(first);
}

FIBER_UNWATCHED static void use_barrier(struct host_thread *self, enum host_barrier what,
                                        unsigned long long *at, unsigned value)
{
    struct thread *thread = (struct thread *)self;
    struct barrier *barrier = (struct barrier *)at;
    if ((barrier->mark == MARK) == (what == HOST_BARRIER_INIT))
        refuse(thread, what == HOST_BARRIER_INIT
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
        yield_thread(thread);
}

/* Where something lies in the block's shared memory, or in none: then past its end. */
FIBER_UNWATCHED static size_t place(const struct slot *slot, const void *at)
{
    return (size_t)((uintptr_t)at - (uintptr_t)slot->unit->shared);
}

FIBER_UNWATCHED static void send(struct host_thread *self, unsigned rank, void *to,
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
        refuse(thread, "a thread sends to a block that its cluster does not have");
    struct slot *peer = runner->slots[slot->first->index + rank];
    if (!peer->is_started || peer->alive == 0)
        refuse(thread, peer->alive ? "a thread sends to a block that has not started"
                                   : "a thread sends to a block that has ended");
    if (at >= size || size - at < bytes || at % bytes || counter >= size ||
        size - counter < sizeof *barrier || counter % sizeof *barrier)
        refuse(thread, "a thread sends to what is not in shared memory, or not aligned");
    if (runner->delivery_count == HOST_DELIVERIES_MAX && !deliver(runner, 0))
        fiber_switch(&thread->fiber, &runner->native);
    const unsigned delay = delays[draw(&runner->random) % (sizeof delays / sizeof *delays)];
    runner->deliveries[runner->delivery_count++] =
        (struct delivery){.to = peer,
                          .at = (unsigned)at,
                          .bytes = bytes,
                          .barrier = (unsigned)counter,
                          .value = value,
                          .due = runner->picks + delay};
    /* What is sent may be there before its sender goes on. */
    if (draw(&runner->random) % 2)
        yield_thread(thread);
}

/* --- All that a kernel calls -------------------------------------------------------------- */

FIBER_UNWATCHED static void yield(struct host_thread *self)
{
    yield_thread((struct thread *)self);
}

/* Traces the first block, which is typical of all. */
FIBER_UNWATCHED static void touch(struct host_thread *self, enum host_touch kind,
                                  const void *at, unsigned bytes, const void *site)
{
    const struct thread *thread = (const struct thread *)self;
    const struct slot *slot = thread->slot;
    struct host_trace *trace = slot->runner->job->trace;
    const unsigned char *byte = at;
    const bool in_shared = is_shared(slot, at);
    if (!trace || slot->block != 0)
        return;
    const bool is_load = !in_shared && host_trace_is_load(trace, kind, (uintptr_t)at);
    if (!in_shared && !is_load && kind != HOST_ATOMIC)
        return;
    const struct host_place place = {kind, in_shared, thread->warp, thread->step, bytes, site};
    host_trace_note(trace, &place, thread->lane,
                    in_shared ? (uint64_t)(byte - slot->unit->shared)
                    : is_load ? (uintptr_t)at - trace->input_from
                              : (uintptr_t)at);
}

static const struct host_calls calls = {
    .sync_threads = sync_threads,
    .yield = yield,
    .warp = warp_call,
    .cluster_arrive = cluster_arrive,
    .cluster_wait = cluster_wait,
    .barrier = use_barrier,
    .send = send,
    .step = step,
    .store = store,
    .touch = touch,
};

/* --- Blocks ------------------------------------------------------------------------------- */

FIBER_UNWATCHED static void poison_shared(struct slot *slot)
{
    static const unsigned char bytes[] = {0xa5, 0x5a, 0xc3, 0x7e, 0xff, 0x81};
    const size_t size = (size_t)(slot->unit->shared_end - slot->unit->shared);
    if (size)
        memset(slot->unit->shared, bytes[draw(&slot->runner->random) % sizeof bytes], size);
}

FIBER_UNWATCHED static void start_block(struct slot *slot, unsigned block)
{
    struct host_runner *runner = slot->runner;
    unsigned left = runner->job->block;
    slot->block = block;
    slot->is_started = false;
    slot->alive = left;
    slot->store_pauses = 0;
    for (unsigned w = 0; left > 0; w++) {
        const unsigned lanes = left < HOST_LANES ? left : HOST_LANES;
        struct warp *warp = &slot->warps[w];
        warp->alive = ~0u >> (HOST_LANES - lanes);
        warp->group_count = 0;
        make_ready(slot, w, warp->alive);
        left -= lanes;
    }
    runner->stale_rounds = runner->idle_rounds = runner->barren_rounds = 0;
    /* A slot's blocks follow one another, as far as their shared memory goes. */
    fiber_acquire(&slot->end_object);
    poison_shared(slot);
    fiber_release(&slot->start_object);
}

FIBER_UNWATCHED void host_schedule_begin(struct host_runner *runner)
{
    const struct host_job *job = runner->job;
    const bool is_one = job->grid <= job->cluster;
    runner->schedule = is_one ? NULL : &schedules[runner->turn++ % SCHEDULES];
    runner->is_updating = false;
    runner->view = NULL;
    const unsigned held[] = {0, job->grid - 1, (unsigned)(draw(&runner->random) % job->grid)};
    runner->held = held[draw(&runner->random) % (sizeof held / sizeof *held)];
}

/* Upwards, downwards or by steps that have no factor in common with the number of clusters. */
FIBER_UNWATCHED void host_schedule_order(struct host_runner *runner)
{
    const unsigned count = runner->job->grid / runner->job->cluster;
    runner->starts.factor = 1;
    runner->starts.shift = 0;
    if (!runner->job->starts_in_any_order || count < 2)
        return;
    const enum order order = draw(&runner->random) % ORDER_COUNT;
    if (order == DESCENDING)
        runner->starts.factor = runner->starts.shift = count - 1;
    if (order != RANDOM)
        return;
    unsigned a, b;
    do {
        runner->starts.factor = a = 1 + (unsigned)(draw(&runner->random) % (count - 1));
        b = count;
        while (b) {
            const unsigned rest = a % b;
            a = b;
            b = rest;
        }
    } while (a != 1);
    runner->starts.shift = (unsigned)(draw(&runner->random) % count);
}

FIBER_UNWATCHED static unsigned next_block(struct host_runner *runner)
{
    const unsigned blocks = runner->job->cluster, count = runner->job->grid / blocks;
    const uint64_t i = runner->next_block / blocks;
    runner->next_block += blocks;
    return (unsigned)((i * runner->starts.factor + runner->starts.shift) % count) * blocks;
}

FIBER_UNWATCHED void host_schedule_start(struct slot *first)
{
    struct host_runner *runner = first->runner;
    const unsigned blocks = runner->job->cluster, threads = blocks * runner->job->block;
    const unsigned block = next_block(runner);
    first->cluster = (struct cluster){.blocks = blocks, .alive = threads, .missing = threads};
    for (unsigned rank = 0; rank < blocks; rank++) {
        struct slot *slot = runner->slots[first->index + rank];
        slot->first = first;
        start_block(slot, block + rank);
    }
}

/* The cluster's places are free when all of its blocks have ended. */
FIBER_UNWATCHED static void finish_block(struct slot *slot)
{
    struct host_runner *runner = slot->runner;
    struct slot *first = slot->first;
    if (--first->cluster.blocks > 0)
        return;
    if (runner->next_block < runner->job->grid) {
        host_schedule_start(first);
        return;
    }
    for (unsigned i = 0; i < runner->active_count;)
        if (runner->active[i]->first == first)
            runner->active[i] = runner->active[--runner->active_count];
        else
            i++;
    runner->stale_rounds = runner->idle_rounds = runner->barren_rounds = 0;
}

/* The thread has come to the end of its kernel; comes back when its next block begins. */
FIBER_UNWATCHED static void end_thread(struct thread *thread)
{
    struct slot *slot = thread->slot;
    struct warp *warp = &slot->warps[thread->warp];
    fiber_release(&slot->end_object);
    warp->alive &= ~(1u << thread->lane);
    slot->alive--;
    slot->runner->idle_rounds = 0;
    leave_cluster(thread);
    for (unsigned i = 0; i < warp->group_count;)
        i += !settle_group(slot, thread->warp, i);
    if (slot->alive == 0)
        finish_block(slot);
    else if (slot->waiting > 0)
        diverge(thread, slot->barrier, (struct source_place){NULL, 0});
    host_schedule_pass(slot->runner, &thread->fiber);
}

FIBER_UNWATCHED void host_schedule_threads(void *arg)
{
    struct thread *thread = arg;
    struct slot *slot = thread->slot;
    for (;;) {
        const struct host_job *job = slot->runner->job;
        const unsigned index = thread->warp * HOST_LANES + thread->lane;
        thread->face = (struct host_thread){.calls = &calls,
                                            .thread = {index, 0, 0},
                                            .block = {slot->block, 0, 0},
                                            .block_dim = {job->block, 1, 1},
                                            .grid_dim = {job->grid, 1, 1},
                                            .rank = slot->block - slot->first->block};
        thread->step = thread->arrivals = thread->waits = thread->pauses = 0;
        slot->is_started = true;
        fiber_acquire(&thread->slot->start_object);
        slot->unit->run(job->args);
        end_thread(thread);
    }
}

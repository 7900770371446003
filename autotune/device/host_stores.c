/* host_stores: keeps late stores of each slot in a table by address, and exchanges them with what
 * others see whenever another slot's threads go on. */
#include "autotune/device/host_stores.h"

#include "autotune/device/host_schedule.h"

#include <stddef.h>
#include <string.h>

FIBER_UNWATCHED static struct late_store *place(struct host_stores *stores,
                                                const unsigned char *at, uint64_t *bit)
{
    const uint64_t cell = (uintptr_t)at / HOST_CELL;
    const unsigned i = (unsigned)((cell * 0x9e3779b97f4a7c15u) >> 58);
    *bit = UINT64_C(1) << i;
    return &stores->late[i];
}

FIBER_UNWATCHED static struct late_store *next(struct host_stores *stores, uint64_t *left)
{
    struct late_store *late = &stores->late[__builtin_ctzll(*left)];
    *left &= *left - 1;
    return late;
}

FIBER_UNWATCHED static void drop(struct host_stores *stores, const struct late_store *late)
{
    stores->used &= ~(UINT64_C(1) << (late - stores->late));
}

FIBER_UNWATCHED static void exchange(struct late_store *late)
{
    unsigned char held[HOST_CELL];
    memcpy(held, late->at, late->bytes);
    memcpy(late->at, late->other, late->bytes);
    memcpy(late->other, held, late->bytes);
}

FIBER_UNWATCHED void host_stores_settle(struct slot *slot, const unsigned char *at,
                                        unsigned long bytes)
{
    struct host_stores *stores = &slot->stores;
    const unsigned char *end = at + bytes;
    for (at -= (uintptr_t)at % HOST_CELL; stores->used && at < end; at += HOST_CELL) {
        uint64_t bit;
        place(stores, at, &bit);
        stores->used &= ~bit;
    }
}

/* For how many picks; most for as long as somebody has something else to do. */
FIBER_UNWATCHED static uint64_t draw_delay(struct host_runner *runner)
{
    static const uint64_t delays[] =
        {1, 30, 1000, UINT64_MAX / 2, UINT64_MAX / 2, UINT64_MAX / 2};
    return delays[host_schedule_draw(runner) % (sizeof delays / sizeof *delays)];
}

/* One more store to where a late one was made. */
FIBER_UNWATCHED static bool joins(const struct late_store *late, const struct thread *thread,
                                  const unsigned char *at, unsigned long bytes)
{
    return late->at == at && late->bytes == bytes && late->block == thread->slot->block &&
           late->warp == thread->warp;
}

FIBER_UNWATCHED void host_stores_note(struct thread *thread, unsigned char *at,
                                      unsigned long bytes)
{
    struct slot *slot = thread->slot;
    struct host_stores *stores = &slot->stores;
    const unsigned one_in = slot->runner->schedule->late;
    uint64_t bit;
    struct late_store *late = place(stores, at, &bit);
    const bool is_used = stores->used & bit;
    /* Others see both at once, or the one before the other. */
    if (is_used && joins(late, thread, at, bytes) && host_schedule_draw(slot->runner) % 2) {
        late->lanes |= 1u << thread->lane;
        return;
    }
    if (one_in == 0 || host_schedule_draw(slot->runner) % one_in != 0 || bytes > HOST_CELL ||
        (uintptr_t)at % HOST_CELL + bytes > HOST_CELL) {
        if (stores->used)
            host_stores_settle(slot, at, bytes);
        return;
    }
    *late = (struct late_store){.at = at,
                                .bytes = (unsigned)bytes,
                                .due = slot->runner->picks + draw_delay(slot->runner),
                                .block = slot->block,
                                .warp = thread->warp,
                                .lanes = 1u << thread->lane};
    memcpy(late->other, at, bytes);
    stores->used |= bit;
}

FIBER_UNWATCHED void host_stores_release(struct thread *thread)
{
    struct slot *slot = thread->slot;
    for (uint64_t left = slot->stores.used; left;) {
        const struct late_store *late = next(&slot->stores, &left);
        const bool is_known = late->is_known_to_all ||
                              (late->warp == thread->warp && late->lanes >> thread->lane & 1);
        if (late->block == slot->block && is_known)
            drop(&slot->stores, late);
    }
}

FIBER_UNWATCHED void host_stores_meet(struct slot *slot)
{
    for (uint64_t left = slot->stores.used; left;) {
        struct late_store *late = next(&slot->stores, &left);
        late->is_known_to_all = late->is_known_to_all || late->block == slot->block;
    }
}

FIBER_UNWATCHED void host_stores_meet_lanes(struct slot *slot, unsigned warp, unsigned lanes)
{
    for (uint64_t left = slot->stores.used; left;) {
        struct late_store *late = next(&slot->stores, &left);
        if (late->block == slot->block && late->warp == warp && late->lanes & lanes)
            late->lanes |= lanes;
    }
}

/* Memory becomes what others than the slot's block see. */
FIBER_UNWATCHED static void hide(struct slot *slot, uint64_t now)
{
    for (uint64_t left = slot->stores.used; left;) {
        struct late_store *late = next(&slot->stores, &left);
        if (late->due <= now)
            drop(&slot->stores, late);
        else
            exchange(late);
    }
}

FIBER_UNWATCHED static void show(struct slot *slot)
{
    for (uint64_t left = slot->stores.used; left;)
        exchange(next(&slot->stores, &left));
}

FIBER_UNWATCHED void host_stores_view(struct host_runner *runner, struct slot *slot)
{
    if (runner->view)
        hide(runner->view, runner->picks);
    if (slot)
        show(slot);
    runner->view = slot;
}

FIBER_UNWATCHED void host_stores_arrive(struct host_runner *runner, bool everything)
{
    host_stores_view(runner, NULL);
    for (unsigned i = 0; i < HOST_SLOTS_MAX && runner->slots[i]; i++) {
        struct host_stores *stores = &runner->slots[i]->stores;
        for (uint64_t left = stores->used; left;) {
            struct late_store *late = next(stores, &left);
            if (!everything && late->due > runner->picks)
                continue;
            exchange(late);
            drop(stores, late);
        }
    }
}

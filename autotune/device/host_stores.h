/* host_stores: lets other blocks see late, and in any order, what a block stores, until a fence or an
 * atomic that releases orders it. A store is made at once; while another block runs, memory has what
 * was there before. Hides which stores are late, and for how long. */
#ifndef AUTOTUNE_HOST_STORES_H
#define AUTOTUNE_HOST_STORES_H

#include <stdbool.h>
#include <stdint.h>

struct host_runner;
struct slot;
struct thread;

enum { HOST_LATE_MAX = 64, HOST_CELL = 16 };

/* One that others do not see. */
struct late_store {
    unsigned char *at;
    unsigned bytes;
    unsigned char other[HOST_CELL]; /* what others see; while they run, what the block does */
    uint64_t due;                   /* seen from that pick on */
    unsigned block, warp, lanes;    /* the threads that know it to be written: */
    bool is_known_to_all;           /* ... those of the warp, or all of the block */
};

/* A slot's: each in the place of its address, so no two have a byte in common. */
struct host_stores {
    uint64_t used; /* bit i: late[i] is one */
    struct late_store late[HOST_LATE_MAX];
};

/* The thread is about to store so many bytes to global memory. */
void host_stores_note(struct thread *thread, unsigned char *at, unsigned long bytes);

/* From now on all see what is there. */
void host_stores_settle(struct slot *slot, const unsigned char *at, unsigned long bytes);

/* ... what the thread wrote, and what it knows to be written. */
void host_stores_release(struct thread *thread);

/* The block's threads have met, or lanes of a warp of it. */
void host_stores_meet(struct slot *slot);
void host_stores_meet_lanes(struct slot *slot, unsigned warp, unsigned lanes);

/* Makes memory what the slot's block sees; what all see for NULL. */
void host_stores_view(struct host_runner *runner, struct slot *slot);

/* While no block runs: all see what is due, or everything. */
void host_stores_arrive(struct host_runner *runner, bool everything);

#endif

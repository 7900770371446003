/* fiber: runs several flows of control in one thread, each with a stack of its own, that hand
 * over to one another by name. Hides the switch itself and what AddressSanitizer and
 * ThreadSanitizer must be told of it. */
#ifndef AUTOTUNE_FIBER_H
#define AUTOTUNE_FIBER_H

#include "generator/error.h"

#include <stddef.h>

#if !defined(FIBER_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#define FIBER_UCONTEXT /* the slow way, which is there everywhere; may be asked for */
#endif

#ifdef FIBER_UCONTEXT
#include <ucontext.h>
#endif

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define FIBER_ASAN
#endif
#if __has_feature(thread_sanitizer)
#define FIBER_TSAN
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define FIBER_ASAN
#endif
#ifdef __SANITIZE_THREAD__
#define FIBER_TSAN
#endif

/* For code that runs in fibers but is no part of what ThreadSanitizer is to judge. */
#ifdef FIBER_TSAN
#define FIBER_UNWATCHED __attribute__((no_sanitize("thread")))
#else
#define FIBER_UNWATCHED
#endif

/* Members are private. A fiber must not move in memory. */
struct fiber {
    void *sp; /* while it waits: its stack pointer */
    void (*run)(void *arg);
    void *arg;
    char *map; /* guard page and stack; NULL for the thread itself */
    size_t map_bytes;
    char *stack; /* lowest usable byte */
    size_t stack_bytes;
    struct fiber *from; /* who handed over to it */
    void *fake_stack;   /* AddressSanitizer's */
    void *watcher;      /* ThreadSanitizer's */
#ifdef FIBER_UCONTEXT
    ucontext_t context;
#endif
};

/* A fiber that begins with run(arg) when first switched to. `run` must never return: it ends
 * by switching away for the last time. The stack has a guard page below it. */
int fiber_init(struct fiber *fiber, size_t stack_bytes, void (*run)(void *), void *arg,
               struct error *error);
/* May be called while the fiber waits anywhere; what it had on its stack is forgotten. */
void fiber_dispose(struct fiber *fiber);

/* Makes the fiber of the calling thread's own flow of control; nothing to dispose. */
void fiber_init_native(struct fiber *fiber);

/* Leaves `from`, which must be what runs now, and goes on in `to`; returns when something
 * switches back to `from`. No ordering of memory is implied for ThreadSanitizer. */
void fiber_switch(struct fiber *from, struct fiber *to);

/* Tells ThreadSanitizer that what came before a release of `object`, in any fiber, comes
 * before what follows an acquire of it. Nothing in other builds. */
#ifdef FIBER_TSAN
void fiber_release(void *object);
void fiber_acquire(void *object);
#else
static inline void fiber_release(void *object)
{
    (void)object;
}

static inline void fiber_acquire(void *object)
{
    (void)object;
}
#endif

#endif

/* fiber: makes stacks and switches between them. Assembly saves what the calling convention
 * asks a function to keep and exchanges the stack pointers (a few nanoseconds, no system call);
 * other processors use ucontext. */
#include "autotune/device/fiber.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef FIBER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

/* --- What sanitizers are told ------------------------------------------------------------- */

/* Inlined, so that no function is entered as one fiber and left as another. */
FIBER_UNWATCHED __attribute__((always_inline)) static inline void leave(struct fiber *from,
                                                                        struct fiber *to)
{
    to->from = from;
#ifdef FIBER_ASAN
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->stack_bytes);
#endif
#ifdef FIBER_TSAN
    __tsan_switch_to_fiber(to->watcher, __tsan_switch_to_fiber_no_sync);
#endif
}

FIBER_UNWATCHED static void arrive(struct fiber *fiber)
{
#ifdef FIBER_ASAN
    /* Where the thread's own stack lies is learnt when it is first left. */
    const void *stack;
    __sanitizer_finish_switch_fiber(fiber->fake_stack, &stack, &fiber->from->stack_bytes);
    memcpy(&fiber->from->stack, &stack, sizeof stack);
#else
    (void)fiber;
#endif
}

#ifdef FIBER_TSAN
void fiber_release(void *object)
{
    __tsan_release(object);
}

void fiber_acquire(void *object)
{
    __tsan_acquire(object);
}
#endif

/* --- The switch --------------------------------------------------------------------------- */

/* Called from assembly. */
__attribute__((visibility("hidden"))) void fiber_begin(struct fiber *fiber);

FIBER_UNWATCHED void fiber_begin(struct fiber *fiber)
{
    arrive(fiber);
    fiber->run(fiber->arg);
    __builtin_trap();
}

#ifdef FIBER_UCONTEXT

static void begin_halves(unsigned high, unsigned low)
{
    fiber_begin((struct fiber *)(uintptr_t)((uint64_t)high << 32 | low));
}

static void prepare(struct fiber *fiber)
{
    const uint64_t address = (uintptr_t)fiber;
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = fiber->stack_bytes;
    fiber->context.uc_link = NULL;
    makecontext(&fiber->context, (void (*)(void))begin_halves, 2, (unsigned)(address >> 32),
                (unsigned)address);
}

FIBER_UNWATCHED __attribute__((always_inline)) static inline void jump(struct fiber *from,
                                                                       struct fiber *to)
{
    swapcontext(&from->context, &to->context);
}

#else

/* void fiber_jump(void **save_sp, void *sp): keeps the registers that a function must keep, on
 * the stack it leaves. fiber_enter is where a new fiber first arrives, with itself in a kept
 * register; it has no caller, which ends stack traces. */
__attribute__((visibility("hidden"))) void fiber_jump(void **save_sp, void *sp);
__attribute__((visibility("hidden"))) void fiber_enter(void);

#ifdef __x86_64__
enum { KEPT_WORDS = 7, KEPT_SELF = 4, KEPT_RETURN = 6 };
__asm__(".text\n"
        ".p2align 4\n"
        ".type fiber_jump, @function\n"
        ".local fiber_jump\n"
        "fiber_jump:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size fiber_jump, . - fiber_jump\n"
        ".type fiber_enter, @function\n"
        ".local fiber_enter\n"
        "fiber_enter:\n"
        "    .cfi_startproc\n"
        "    .cfi_undefined rip\n"
        "    xorl %ebp, %ebp\n"
        "    movq %rbx, %rdi\n"
        "    call fiber_begin\n"
        "    ud2\n"
        "    .cfi_endproc\n"
        ".size fiber_enter, . - fiber_enter\n");
#else
enum { KEPT_WORDS = 20, KEPT_SELF = 0, KEPT_RETURN = 11 };
__asm__(".text\n"
        ".p2align 4\n"
        ".type fiber_jump, %function\n"
        ".local fiber_jump\n"
        "fiber_jump:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size fiber_jump, . - fiber_jump\n"
        ".type fiber_enter, %function\n"
        ".local fiber_enter\n"
        "fiber_enter:\n"
        "    .cfi_startproc\n"
        "    .cfi_undefined x30\n"
        "    mov x29, xzr\n"
        "    mov x0, x19\n"
        "    bl fiber_begin\n"
        "    brk #0\n"
        "    .cfi_endproc\n"
        ".size fiber_enter, . - fiber_enter\n");
#endif

/* Lays out a stack as fiber_jump leaves one. */
static void prepare(struct fiber *fiber)
{
    /* Stacks lie whole pages apart: without a stagger their busy ends share few cache sets. */
    const size_t stagger = (uintptr_t)fiber->map / fiber->map_bytes * 320 % 4096 / 64 * 64;
    uint64_t *top = (uint64_t *)(void *)(fiber->stack + fiber->stack_bytes - 64 - stagger);
    uint64_t *kept = top - KEPT_WORDS; /* after the return, the stack pointer is `top` */
    memset(kept, 0, KEPT_WORDS * sizeof *kept);
    kept[KEPT_SELF] = (uintptr_t)fiber;
    kept[KEPT_RETURN] = (uintptr_t)fiber_enter;
    fiber->sp = kept;
}

FIBER_UNWATCHED __attribute__((always_inline)) static inline void jump(struct fiber *from,
                                                                       struct fiber *to)
{
    fiber_jump(&from->sp, to->sp);
}

#endif

FIBER_UNWATCHED void fiber_switch(struct fiber *from, struct fiber *to)
{
    leave(from, to);
    jump(from, to);
    arrive(from);
}

/* --- Lifetime ----------------------------------------------------------------------------- */

int fiber_init(struct fiber *fiber, size_t stack_bytes, void (*run)(void *), void *arg,
               struct error *error)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *fiber = (struct fiber){.run = run, .arg = arg};
    fiber->stack_bytes = (stack_bytes + page - 1) / page * page;
    fiber->map_bytes = fiber->stack_bytes + page;
    void *map = mmap(NULL, fiber->map_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (map == MAP_FAILED)
        return error_memory(error, fiber->map_bytes);
    fiber->map = map;
    if (mprotect(map, page, PROT_NONE) != 0) {
        const int reason = errno;
        munmap(map, fiber->map_bytes);
        fiber->map = NULL;
        return error_set(error, ERROR_FAILED, "cannot guard a fiber's stack: %s",
                         strerror(reason));
    }
    fiber->stack = fiber->map + page;
#ifdef FIBER_TSAN
    fiber->watcher = __tsan_create_fiber(0);
#endif
    prepare(fiber);
    return 0;
}

void fiber_dispose(struct fiber *fiber)
{
    if (!fiber->map)
        return;
#ifdef FIBER_ASAN
    __asan_unpoison_memory_region(fiber->stack, fiber->stack_bytes);
#endif
#ifdef FIBER_TSAN
    /* There and back, with synchronisation: what the fiber did comes before what follows here.
     */
    void *self = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber->watcher, 0);
    __tsan_switch_to_fiber(self, 0);
    __tsan_destroy_fiber(fiber->watcher);
#endif
    munmap(fiber->map, fiber->map_bytes);
    fiber->map = NULL;
}

void fiber_init_native(struct fiber *fiber)
{
    *fiber = (struct fiber){0};
#ifdef FIBER_TSAN
    fiber->watcher = __tsan_get_current_fiber();
#endif
}

/* Fibers: order of hand-overs, what a switch keeps, deep stacks, disposal in the middle. */
#include "autotune/device/fiber.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { RING = 50, ROUNDS = 200, STACK = 64 << 10 };

/* A switch orders no memory for ThreadSanitizer; tests that share data say that they do. */
static void pass(void *object, struct fiber *from, struct fiber *to)
{
    fiber_release(object);
    fiber_switch(from, to);
    fiber_acquire(object);
}

struct ring {
    struct fiber native, fibers[RING];
    int order[RING * ROUNDS];
    int steps;
};

struct member {
    struct ring *ring;
    int index;
};

/* Hands over to the next member; the last step goes back to the test. */
static void run_member(void *arg)
{
    const struct member *member = arg;
    struct ring *ring = member->ring;
    fiber_acquire(ring);
    for (;;) {
        ring->order[ring->steps++] = member->index;
        struct fiber *next = &ring->fibers[(member->index + 1) % RING];
        pass(ring, &ring->fibers[member->index],
             ring->steps == RING * ROUNDS ? &ring->native : next);
    }
}

static void test_ring(void **state)
{
    (void)state;
    static struct ring ring;
    struct member members[RING];
    struct error error;
    memset(&ring, 0, sizeof ring);
    fiber_init_native(&ring.native);
    for (int i = 0; i < RING; i++) {
        members[i] = (struct member){&ring, i};
        assert_int_equal(fiber_init(&ring.fibers[i], STACK, run_member, &members[i], &error),
                         0);
    }
    pass(&ring, &ring.native, &ring.fibers[0]);
    assert_int_equal(ring.steps, RING * ROUNDS);
    for (int i = 0; i < RING * ROUNDS; i++)
        assert_int_equal(ring.order[i], i % RING);
    for (int i = 0; i < RING; i++)
        fiber_dispose(&ring.fibers[i]);
}

struct pair {
    struct fiber native, fiber;
    double sum;
    uint64_t word;
    int depth;
};

/* Holds more values across switches than there are registers. */
static void run_keeper(void *arg)
{
    struct pair *pair = arg;
    uint64_t w[12];
    double d[12];
    fiber_acquire(pair);
    for (int i = 0; i < 12; i++) {
        w[i] = pair->word * (uint64_t)(i + 1);
        d[i] = pair->sum / (i + 1);
    }
    for (;;) {
        pass(pair, &pair->fiber, &pair->native);
        pair->word = 0;
        pair->sum = 0;
        for (int i = 0; i < 12; i++) {
            pair->word += w[i];
            pair->sum += d[i];
        }
    }
}

static void test_registers(void **state)
{
    (void)state;
    struct pair pair = {.sum = 27720, .word = 0x123456789abcdef};
    struct error error;
    double mine = 0.5;
    fiber_init_native(&pair.native);
    assert_int_equal(fiber_init(&pair.fiber, STACK, run_keeper, &pair, &error), 0);
    for (int i = 0; i < 5; i++) {
        pass(&pair, &pair.native, &pair.fiber);
        mine *= 2;
    }
    assert_true(mine == 16);
    assert_int_equal(pair.word, 0x123456789abcdefu * 78);
    assert_true(pair.sum == 86021); /* 27720 = lcm(1, ..., 12): every quotient is exact */
    fiber_dispose(&pair.fiber);
}

static int descend(struct pair *pair, int depth)
{
    volatile char frame[256];
    frame[0] = (char)depth;
    if (depth == 0) {
        pass(pair, &pair->fiber, &pair->native);
        return frame[0];
    }
    return descend(pair, depth - 1) + (frame[0] == (char)depth);
}

static void run_deep(void *arg)
{
    struct pair *pair = arg;
    fiber_acquire(pair);
    for (;;) {
        pair->depth = descend(pair, 100);
        pass(pair, &pair->fiber, &pair->native);
    }
}

static void test_deep_stack(void **state)
{
    (void)state;
    struct pair pair = {.depth = -1};
    struct error error;
    fiber_init_native(&pair.native);
    assert_int_equal(fiber_init(&pair.fiber, 256 << 10, run_deep, &pair, &error), 0);
    pass(&pair, &pair.native, &pair.fiber);
    assert_int_equal(pair.depth, -1);
    pass(&pair, &pair.native, &pair.fiber);
    assert_int_equal(pair.depth, 100);
    fiber_dispose(&pair.fiber);
}

/* A fiber may go while it waits deep inside; its memory is used again by the next. */
static void test_dispose_waiting(void **state)
{
    (void)state;
    struct error error;
    for (int i = 0; i < 300; i++) {
        struct pair pair = {.depth = -1};
        fiber_init_native(&pair.native);
        assert_int_equal(fiber_init(&pair.fiber, 256 << 10, run_deep, &pair, &error), 0);
        pass(&pair, &pair.native, &pair.fiber);
        fiber_dispose(&pair.fiber);
        fiber_dispose(&pair.fiber);
    }
}

static void test_no_room(void **state)
{
    (void)state;
    struct fiber fiber;
    struct error error = {0};
    assert_int_equal(fiber_init(&fiber, (size_t)1 << 60, run_deep, NULL, &error), -1);
    assert_int_equal(error.code, ERROR_FAILED);
    fiber_dispose(&fiber);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring),       cmocka_unit_test(test_registers),
        cmocka_unit_test(test_deep_stack), cmocka_unit_test(test_dispose_waiting),
        cmocka_unit_test(test_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

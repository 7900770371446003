/* Threads: every piece is worked on once, all at the same time. */
#include "autotune/verify/threads.h"

#include "autotune/device/monotonic.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const double PATIENCE_S = 20; /* for the others, which begin within a millisecond */
static atomic_size_t begun, wanted;

struct piece {
    bool met_all;
    int works;
};

/* Waits until all pieces have begun. */
static void *meet(void *argument)
{
    struct piece *piece = argument;
    const double start = monotonic_s();
    piece->works++;
    atomic_fetch_add(&begun, 1);
    while (atomic_load(&begun) < atomic_load(&wanted) && monotonic_s() - start < PATIENCE_S)
        sched_yield();
    piece->met_all = atomic_load(&begun) == atomic_load(&wanted);
    return NULL;
}

static void test_side_by_side(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 2, 7, THREADS_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct piece pieces[THREADS_MAX] = {{.works = 0}};
        atomic_store(&begun, 0);
        atomic_store(&wanted, counts[i]);
        threads_run(meet, pieces, sizeof *pieces, counts[i]);
        for (size_t k = 0; k < THREADS_MAX; k++) {
            assert_int_equal(pieces[k].works, k < counts[i]);
            assert_int_equal(pieces[k].met_all, k < counts[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_side_by_side)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

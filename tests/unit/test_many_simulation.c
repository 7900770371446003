/* Tests of autotune/many/many_deal.c by simulation, with up to 4096 ranks: who gets which problem is the real
 * thing, in simulated time. Rank 0 is modelled as many_keep.c is: it takes all letters that have come, saves
 * what waits of one kind of device, and answers those ranks. Seen to fail with problems in the list's order. */
#include "autotune/many/many_deal.h"
#include "generator/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PROBLEMS = 1000, KINDS = 20, RANKS_MAX = 4096 };

/* Seconds: of a problem; of a letter on its way, and in rank 0's hands; of writing a record file, and a
 * journal's lines, which come from each rank every so often. Writing is as on a slow disk. */
static const double LEAST_S = 2, MOST_S = 80, LATENCY_S = 0.001, LETTER_S = 50e-6,
                    SAVE_S = 0.02, APPEND_S = 100e-6, TRIALS_S = 2;

/* How a problem's time is known: from its bytes, from before, or not at all. */
enum known { BY_BYTES, BY_SECONDS, BY_NOTHING };

struct event {
    double time;
    uint32_t rank;
};

struct simulation {
    uint32_t ranks;
    struct many_deal *deal;
    double seconds[KINDS][PROBLEMS];
    struct event *heap; /* ranks that will have ended what they have */
    size_t count;
    uint32_t waiting[KINDS][RANKS_MAX]; /* ranks whose results are to be saved */
    uint32_t waiting_count[KINDS], next_kind;
    double now, last; /* of rank 0; when the last result was saved */
    uint64_t random;
};

/* --- Events ------------------------------------------------------------------------------- */

static void swap(struct event *a, struct event *b)
{
    const struct event other = *a;
    *a = *b;
    *b = other;
}

static void add_event(struct simulation *s, double time, uint32_t rank)
{
    size_t at = s->count++;
    s->heap[at] = (struct event){time, rank};
    for (; at && s->heap[at].time < s->heap[(at - 1) / 2].time; at = (at - 1) / 2)
        swap(&s->heap[at], &s->heap[(at - 1) / 2]);
}

static struct event take_event(struct simulation *s)
{
    const struct event first = s->heap[0];
    s->heap[0] = s->heap[--s->count];
    for (size_t at = 0, child; (child = 2 * at + 1) < s->count; at = child) {
        if (child + 1 < s->count && s->heap[child + 1].time < s->heap[child].time)
            child++;
        if (s->heap[at].time <= s->heap[child].time)
            break;
        swap(&s->heap[at], &s->heap[child]);
    }
    return first;
}

/* --- The model ---------------------------------------------------------------------------- */

static double draw(struct simulation *s)
{
    return (double)(random_next(&s->random) >> 11) * 0x1p-53;
}

/* Rank 0 is busy for so long, and longer for the lines that come meanwhile. */
static void pass(struct simulation *s, double seconds)
{
    const double busy = (double)s->count / TRIALS_S * (LETTER_S + APPEND_S);
    assert_true(busy < 0.5);
    s->now += seconds / (1 - busy);
}

/* Of 4 KiB to 4 GiB; a problem's time grows with its bytes, and differs from what that says by up to a
 * quarter. */
static void draw_problems(struct simulation *s, enum known known)
{
    for (size_t kind = 0; kind < KINDS; kind++)
        for (uint32_t i = 0; i < PROBLEMS; i++) {
            const double size = draw(s), about = LEAST_S * pow(MOST_S / LEAST_S, size);
            const double exact = about * (0.8 + 0.45 * draw(s));
            const double limited = exact < LEAST_S ? LEAST_S : exact > MOST_S ? MOST_S : exact;
            s->seconds[kind][i] = limited;
            if (kind < s->ranks)
                many_deal_expect(s->deal, kind, i, known == BY_SECONDS ? limited : 0,
                                 known == BY_BYTES ? 4096 * pow(2, 20 * size) : 0);
        }
}

static uint32_t kind_of(uint32_t rank)
{
    return rank % KINDS;
}

/* A letter with the problem, one that asks for its trials, and one with them. */
static void give(struct simulation *s, uint32_t rank)
{
    uint32_t problem;
    if (!many_deal_next(s->deal, rank, &problem))
        return;
    pass(s, 2 * LETTER_S + APPEND_S);
    add_event(s, s->now + 3 * LATENCY_S + s->seconds[kind_of(rank)][problem], rank);
}

static void save_next(struct simulation *s)
{
    for (uint32_t i = 0; i < KINDS; i++) {
        const uint32_t kind = s->next_kind++ % KINDS;
        const uint32_t count = s->waiting_count[kind];
        if (!count)
            continue;
        pass(s, SAVE_S);
        s->last = s->now;
        s->waiting_count[kind] = 0;
        for (uint32_t k = 0; k < count; k++)
            many_deal_done(s->deal, s->waiting[kind][k]);
        for (uint32_t k = 0; k < count; k++)
            give(s, s->waiting[kind][k]);
        return;
    }
}

static bool is_saved(const struct simulation *s)
{
    for (uint32_t i = 0; i < KINDS; i++)
        if (s->waiting_count[i])
            return false;
    return true;
}

static void run(struct simulation *s)
{
    for (uint32_t i = 0; i < s->ranks; i++)
        give(s, i);
    while (s->count || !is_saved(s)) {
        if (is_saved(s) && s->heap[0].time > s->now)
            s->now = s->heap[0].time;
        while (s->count && s->heap[0].time <= s->now) {
            const struct event event = take_event(s);
            const uint32_t kind = kind_of(event.rank);
            pass(s, LETTER_S + APPEND_S);
            s->waiting[kind][s->waiting_count[kind]++] = event.rank;
        }
        save_next(s);
    }
}

/* No schedule can be faster: the longest problem, or all shared evenly. */
static double find_bound(const struct simulation *s)
{
    double bound = 0;
    for (uint32_t kind = 0; kind < KINDS && kind < s->ranks; kind++) {
        double all = 0, most = 0;
        for (uint32_t i = 0; i < PROBLEMS; i++) {
            all += s->seconds[kind][i];
            most = fmax(most, s->seconds[kind][i]);
        }
        bound = fmax(bound, fmax(most, all / many_deal_serving(s->deal, kind)));
    }
    return bound;
}

/* How much longer than the bound, 0.01 = 1 %. */
static double simulate(uint32_t ranks, enum known known, uint64_t seed)
{
    struct simulation *s = calloc(1, sizeof *s);
    struct error error;
    assert_non_null(s);
    s->random = seed;
    s->ranks = ranks;
    s->heap = calloc(ranks, sizeof *s->heap);
    s->deal = many_deal_open(ranks, PROBLEMS, &error);
    assert_true(s->heap && s->deal);
    for (uint32_t i = 0; i < ranks; i++) {
        char key[16];
        snprintf(key, sizeof key, "kind %u", (unsigned)kind_of(i));
        assert_int_equal(many_deal_join(s->deal, i, key, &error), kind_of(i));
    }
    draw_problems(s, known);
    run(s);
    for (size_t kind = 0; kind < KINDS && kind < ranks; kind++)
        assert_int_equal(many_deal_open_problem(s->deal, kind), -1);
    const double more = s->last / find_bound(s) - 1;
    many_deal_close(s->deal);
    free(s->heap);
    free(s);
    return more;
}

static void check(uint32_t ranks, enum known known, uint64_t draws, double within)
{
    double most = 0, least = INFINITY;
    for (uint64_t seed = 1; seed <= draws; seed++) {
        const double more = simulate(ranks, known, seed);
        most = fmax(most, more);
        least = fmin(least, more);
    }
    print_message("%u ranks, %d kinds of %d problems, %u draws: %.2f to %.2f %% more than a "
                  "perfect schedule\n",
                  ranks, KINDS, PROBLEMS, (unsigned)draws, 100 * least, 100 * most);
    assert_true(most <= within);
}

static void test_4096(void **state)
{
    (void)state;
    check(4096, BY_BYTES, 30, 0.05);
    check(4096, BY_SECONDS, 30, 0.05);
}

static void test_256(void **state)
{
    (void)state;
    check(256, BY_BYTES, 30, 0.01);
    check(20, BY_BYTES, 3, 0.01);
}

/* In any order but the longest first the last problems take long. */
static void test_order_matters(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++)
        assert_true(simulate(4096, BY_NOTHING, seed) > 0.15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_4096), cmocka_unit_test(test_256),
                                       cmocka_unit_test(test_order_matters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

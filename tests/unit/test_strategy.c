/* Tests of strategy: orders that lose nothing, put seeds and likely candidates first and draw
 * fairly, and a rule that leaves the best variant out no more often than it says. */
#include "autotune/device/gpus.h"
#include "autotune/search/strategy.h"
#include "generator/random.h"
#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

#include <math.h>
#include <stdlib.h>

enum { VARIANTS_MAX = 1100, CANDIDATES_MAX = 8 * VARIANTS_MAX };

static struct error error;

/* `count` variants; variant v has 1 + (v * 7 + 3) % most candidates. */
static struct point_variant variants[VARIANTS_MAX];
static struct points make_points(size_t count, size_t most)
{
    struct points points = {.variants = variants, .variant_count = count};
    for (size_t v = 0; v < count; v++) {
        variants[v] = (struct point_variant){points.count, 1 + (v * 7 + 3) % most};
        points.count += variants[v].count;
    }
    return points;
}

static struct points make_even_points(size_t count, size_t each)
{
    struct points points = {.variants = variants,
                            .variant_count = count,
                            .count = count * each};
    for (size_t v = 0; v < count; v++)
        variants[v] = (struct point_variant){v * each, each};
    return points;
}

static struct strategy_order make_order(const struct points *points, enum strategy strategy,
                                        const double *prior, const size_t *seeds,
                                        size_t seed_count, uint64_t seed)
{
    struct strategy_order order;
    if (strategy_order(&order, points, strategy, prior, seeds, seed_count, seed, &error) != 0)
        fail_msg("%s", error.text);
    return order;
}

/* --- Names and points --------------------------------------------------------------------- */

static void test_names(void **state)
{
    (void)state;
    enum strategy found;
    for (size_t i = 0; i < STRATEGY_COUNT; i++) {
        assert_int_equal(strategy_find(&found, strategy_names[i], &error), 0);
        assert_int_equal(found, i);
    }
    static const char *const bad[] = {"", "Race", "rac", "races", "all"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(strategy_find(&found, bad[i], &error), -1);
        assert_int_equal(error.code, ERROR_USAGE);
        assert_non_null(strstr(error.text, "choose race, exhaustive, random or cover"));
    }
}

/* Does some row have the values of this one in columns a and b? */
static bool has_pair(const struct points *points, const int64_t *row, size_t a, size_t b)
{
    for (size_t i = 0; i < points->count; i++) {
        const int64_t *other = points->configs + i * points->width;
        if (other[a] == row[a] && other[b] == row[b])
            return true;
    }
    return false;
}

/* Some are few of all, and no pair of values is lost. */
static void assert_covers(const struct points *some, const struct points *all)
{
    assert_true(some->count > 20 && some->count < all->count / 3);
    assert_true(some->variant_count <= some->count);
    for (size_t i = 0; i < all->count; i++)
        for (size_t b = 1; b < all->width; b++)
            for (size_t a = 0; a < b; a++)
                assert_true(has_pair(some, all->configs + i * all->width, a, b));
}

static void test_points(void **state)
{
    (void)state;
    struct space *space = load_space("configs/reduce.ini");
    struct target target;
    struct points all, some;
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(400000000),
                                    .regime = COLD};
    const struct point_context context = {space, &problem, &target};
    assert_int_equal(gpus_find(&target, "sm_90", &error), 0);
    assert_int_equal(point_expand(&all, &context, &error), 0);
    for (int strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        assert_int_equal(strategy_points(&some, &context, (enum strategy)strategy, 1, &error),
                         0);
        assert_int_equal(some.total, all.total);
        if (strategy == STRATEGY_COVER) {
            assert_covers(&some, &all);
        } else {
            assert_int_equal(some.count, all.count);
            assert_memory_equal(some.configs, all.configs,
                                all.count * all.width * sizeof *all.configs);
        }
        point_dispose(&some);
    }
    point_dispose(&all);
    space_free(space);
}

/* The default space, with a rule for each param that leaves this row alone. */
static struct space *load_narrow(int64_t *row)
{
    static const char mark[] = "[rule]\n";
    const struct embedded *file = find_file("configs/reduce.ini");
    struct space *whole = load_space(file->name), *narrow;
    const size_t head = (size_t)(strstr(file->bytes, mark) - file->bytes) + sizeof mark - 1;
    struct text text = {0};
    make_row(whole, "FINISH=PACKED", row);
    text_add(&text, file->bytes, head);
    for (size_t i = 0; i < whole->param_count; i++) {
        text_addf(&text, "only this %s = %s == ", whole->params[i].name, whole->params[i].name);
        point_format_value(&text, &whole->params[i], row[i]);
        text_adds(&text, "\n");
    }
    text_add(&text, file->bytes + head, file->length - head);
    if (space_load(&narrow, "narrow.ini", text.at, text.length, NULL, &error) != 0)
        fail_msg("%s", error.text);
    text_dispose(&text);
    space_free(whole);
    return narrow;
}

/* One point of millions is valid. */
static void test_cover_finds_the_only_point(void **state)
{
    (void)state;
    struct target target;
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(400000000),
                                    .regime = COLD};
    assert_int_equal(gpus_find(&target, "sm_90", &error), 0);
    int64_t row[SPACE_NAMES_MAX];
    struct space *space = load_narrow(row);
    const struct point_context context = {space, &problem, &target};
    for (unsigned seed = 1; seed <= 5; seed++) {
        struct points points;
        assert_int_equal(strategy_points(&points, &context, STRATEGY_COVER, seed, &error), 0);
        assert_true(points.total > 10000);
        assert_int_equal(points.count, 1);
        assert_int_equal(points.variant_count, 1);
        assert_memory_equal(points.configs, row, points.width * sizeof *points.configs);
        point_dispose(&points);
    }
    space_free(space);
}

/* --- Orders ------------------------------------------------------------------------------- */

/* Every variant once, every candidate once and in its variant's places. */
static void assert_permutation(const struct points *points, const struct strategy_order *order)
{
    static bool is_seen[CANDIDATES_MAX];
    memset(is_seen, 0, sizeof is_seen);
    for (size_t i = 0; i < points->variant_count; i++) {
        assert_true(order->variants[i] < points->variant_count);
        assert_false(is_seen[order->variants[i]]);
        is_seen[order->variants[i]] = true;
    }
    memset(is_seen, 0, sizeof is_seen);
    for (size_t v = 0; v < points->variant_count; v++) {
        const size_t first = points->variants[v].first, count = points->variants[v].count;
        for (size_t i = first; i < first + count; i++) {
            const size_t candidate = order->candidates[i];
            assert_true(candidate >= first && candidate < first + count);
            assert_false(is_seen[candidate]);
            is_seen[candidate] = true;
        }
    }
}

static void fill_prior(double *prior, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        prior[i] = (double)(random_next(&seed) % 20) / 20; /* many equals */
}

static void test_permutations(void **state)
{
    (void)state;
    static double prior[CANDIDATES_MAX];
    static const size_t counts[] = {0, 1, 2, 3, 19, 40, 300, VARIANTS_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t most = 1; most <= 8; most += 7)
            for (int strategy = 0; strategy < STRATEGY_COUNT; strategy++)
                for (uint64_t seed = 0; seed < 5; seed++) {
                    const struct points points = make_points(counts[i], most);
                    const size_t last = points.count - 1, seeds[] = {last, 0, last, 0};
                    fill_prior(prior, points.count, seed);
                    struct strategy_order order =
                        make_order(&points, (enum strategy)strategy, seed % 2 ? prior : NULL,
                                   seeds, points.count ? seed : 0, seed);
                    assert_permutation(&points, &order);
                    strategy_dispose(&order);
                    assert_null(order.variants);
                }
}

static void test_same_seed_same_order(void **state)
{
    (void)state;
    static double prior[CANDIDATES_MAX];
    const struct points points = make_points(300, 8);
    fill_prior(prior, points.count, 1);
    for (int strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        struct strategy_order orders[3];
        for (size_t i = 0; i < 3; i++)
            orders[i] = make_order(&points, (enum strategy)strategy, prior, NULL, 0, i / 2 + 5);
        assert_memory_equal(orders[0].variants, orders[1].variants, 300 * sizeof(size_t));
        assert_memory_equal(orders[0].candidates, orders[1].candidates,
                            points.count * sizeof(size_t));
        assert_memory_equal(orders[0].is_whole, orders[1].is_whole, 300);
        assert_memory_not_equal(orders[0].variants, orders[2].variants, 300 * sizeof(size_t));
        assert_memory_not_equal(orders[0].candidates, orders[2].candidates,
                                points.count * sizeof(size_t));
        for (size_t i = 0; i < 3; i++)
            strategy_dispose(&orders[i]);
    }
}

/* Whatever is known: the others' orders do not depend on it, and try everything. */
static void test_others_know_nothing(void **state)
{
    (void)state;
    static double prior[CANDIDATES_MAX];
    const struct points points = make_points(100, 8);
    const size_t seeds[] = {3, 70};
    fill_prior(prior, points.count, 1);
    for (int strategy = STRATEGY_EXHAUSTIVE; strategy < STRATEGY_COUNT; strategy++) {
        struct strategy_order a =
            make_order(&points, (enum strategy)strategy, prior, seeds, 2, 9);
        struct strategy_order b =
            make_order(&points, (enum strategy)strategy, NULL, NULL, 0, 9);
        assert_memory_equal(a.variants, b.variants, 100 * sizeof(size_t));
        assert_memory_equal(a.candidates, b.candidates, points.count * sizeof(size_t));
        for (size_t v = 0; v < 100; v++)
            assert_true(a.is_whole[v] && b.is_whole[v]);
        strategy_dispose(&a);
        strategy_dispose(&b);
    }
}

static void test_seeds_first(void **state)
{
    (void)state;
    static double prior[CANDIDATES_MAX];
    const struct points points = make_even_points(200, 6);
    const size_t seeds[] = {605, 603, 11, 605, 1199}; /* of the variants 100, 100, 1, 199 */
    for (uint64_t seed = 0; seed < 20; seed++) {
        fill_prior(prior, points.count, seed);
        struct strategy_order order = make_order(&points, STRATEGY_RACE, prior, seeds, 5, seed);
        assert_int_equal(order.variants[0], 100);
        assert_int_equal(order.variants[1], 1);
        assert_int_equal(order.variants[2], 199);
        assert_int_equal(order.candidates[600], 605);
        assert_int_equal(order.candidates[601], 603);
        assert_int_equal(order.candidates[6], 11);
        assert_int_equal(order.candidates[1194], 1199);
        for (size_t i = 0; i < 3; i++) /* chosen, not drawn: they teach nothing */
            assert_false(order.is_whole[order.variants[i]]);
        strategy_dispose(&order);
    }
}

static double likeliest(const struct points *points, const double *prior, size_t variant)
{
    double most = 0;
    for (size_t i = 0; i < points->variants[variant].count; i++)
        most = fmax(most, prior[points->variants[variant].first + i]);
    return most;
}

/* Behind the seeds, even places have the likeliest of what is left, odd ones a lesson. */
static void test_turns(void **state)
{
    (void)state;
    static double prior[CANDIDATES_MAX];
    const struct points points = make_even_points(300, 3);
    const size_t seeds[] = {150, 301};
    for (uint64_t seed = 0; seed < 20; seed++) {
        bool is_taken[300] = {false};
        fill_prior(prior, points.count, seed);
        struct strategy_order order = make_order(&points, STRATEGY_RACE, prior, seeds, 2, seed);
        for (size_t i = 0; i < 300; i++) {
            const size_t variant = order.variants[i];
            is_taken[variant] = true;
            assert_int_equal(order.is_whole[variant], i % 2 == 1 && i > 2 && i < 62);
            for (size_t v = 0; i > 1 && i % 2 == 0 && v < 300; v++)
                assert_true(is_taken[v] ||
                            likeliest(&points, prior, v) <= likeliest(&points, prior, variant));
        }
        strategy_dispose(&order);
    }
}

static void test_likely_candidates_first(void **state)
{
    (void)state;
    static double prior[CANDIDATES_MAX];
    const struct points points = make_points(300, 8);
    fill_prior(prior, points.count, 1);
    struct strategy_order order = make_order(&points, STRATEGY_RACE, prior, NULL, 0, 1);
    for (size_t v = 0; v < 300; v++)
        for (size_t i = 1; i < variants[v].count; i++)
            assert_true(prior[order.candidates[variants[v].first + i - 1]] >=
                        prior[order.candidates[variants[v].first + i]]);
    strategy_dispose(&order);
}

static size_t count_whole(size_t count, size_t each)
{
    const struct points points = make_even_points(count, each);
    struct strategy_order order = make_order(&points, STRATEGY_RACE, NULL, NULL, 0, 3);
    size_t whole = 0;
    for (size_t v = 0; v < count; v++)
        whole += order.is_whole[v];
    strategy_dispose(&order);
    return whole;
}

static void test_how_many_lessons(void **state)
{
    (void)state;
    assert_int_equal(count_whole(1100, 2), 99);
    assert_int_equal(count_whole(500, 2), 50);
    assert_int_equal(count_whole(60, 2), STRATEGY_LESSONS_MIN);
    assert_int_equal(count_whole(20, 2), 10); /* never more than the other half */
    assert_int_equal(count_whole(1, 2), 0);
    assert_int_equal(count_whole(500, 1), 0); /* a lone candidate gains nothing */
}

/* Without a prior, and for the draws beside one, each variant is as likely as another. */
static void test_fair_draws(void **state)
{
    (void)state;
    enum { COUNT = 20, RUNS = 20000 };
    static double prior[COUNT * 2];
    const struct points points = make_even_points(COUNT, 2);
    size_t first[COUNT] = {0}, drawn[COUNT] = {0}, candidate = 0;
    prior[0] = 1; /* variant 0 is always the likeliest */
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        struct strategy_order order = make_order(&points, STRATEGY_RACE, NULL, NULL, 0, seed);
        first[order.variants[0]]++;
        candidate += order.candidates[0];
        strategy_dispose(&order);
        order = make_order(&points, STRATEGY_RACE, prior, NULL, 0, seed);
        assert_int_equal(order.variants[0], 0);
        drawn[order.variants[1]]++;
        strategy_dispose(&order);
    }
    assert_int_equal(drawn[0], 0);
    for (size_t v = 0; v < COUNT; v++) { /* five standard deviations */
        assert_in_range(first[v], 1000 - 155, 1000 + 155);
        if (v)
            assert_in_range(drawn[v], 1052 - 160, 1052 + 160);
    }
    assert_in_range(candidate, RUNS / 2 - 354, RUNS / 2 + 354);
}

/* --- The rule ----------------------------------------------------------------------------- */

static void assert_near(double a, double b)
{
    if (fabs(a - b) > 1e-12 * fabs(b))
        fail_msg("%.17g is not %.17g", a, b);
}

static void test_limit(void **state)
{
    (void)state;
    struct strategy_rule rule = {.count = 0};
    double chance;
    assert_near(strategy_limit(&rule, 0, &chance), 0);
    assert_near(chance, 1);
    strategy_learn(&rule, 0, 5); /* nothing measured teaches nothing */
    strategy_learn(&rule, 5, 0);
    assert_int_equal(rule.count, 0);
    strategy_learn(&rule, 5, 9); /* no gain is below 1 */
    assert_near(rule.gains[0], 1);
    strategy_learn(&rule, 3000, 2000);
    while (rule.count < STRATEGY_LESSONS_MIN - 1)
        strategy_learn(&rule, 1100, 1000);
    assert_near(strategy_limit(&rule, 0, NULL), 0);
    strategy_learn(&rule, 1250, 1000);
    assert_near(strategy_limit(&rule, 0, &chance), 1.5 * 1.5 / 1.1);
    assert_near(chance, 0.05);
    assert_near(strategy_limit(&rule, 0.02, NULL), 1.5 * 1.5 / 1.1 * 1.02);
    assert_near(strategy_limit(&rule, -1, NULL), 1.5 * 1.5 / 1.1);
    strategy_learn(&rule, 1500, 1000);
    assert_near(strategy_limit(&rule, 0, NULL), 1.5 * 1.5 / 1.25);
    strategy_learn(&rule, 1500, 1000); /* three alike: they end there */
    assert_near(strategy_limit(&rule, 0, &chance), 1.5);
    assert_near(chance, 1.0 / 22);
}

static void test_many_lessons(void **state)
{
    (void)state;
    struct strategy_rule rule = {.count = 0};
    double chance;
    for (uint64_t i = 0; i < 2 * STRATEGY_LESSONS_MAX; i++)
        strategy_learn(&rule, 1000 + i, 1000);
    assert_int_equal(rule.count, STRATEGY_LESSONS_MAX);
    assert_near(strategy_limit(&rule, 0, &chance), 2.023 * 2.023 / 2.021);
    assert_near(chance, 1.0 / (STRATEGY_LESSONS_MAX + 1));
}

static double draw(uint64_t *random)
{
    return ((double)(random_next(random) >> 11) + 0.5) / 9007199254740992.0;
}

static double draw_normal(uint64_t *random)
{
    const double radius = sqrt(-2 * log(draw(random)));
    return radius * cos(6.283185307179586 * draw(random));
}

/* What the launch-time params of a variant do to its time, by laws of quite different kinds. */
enum { LAWS = 6, EACH = 6, SIMULATED = 300 };
static double draw_factor(int law, double base, size_t candidate, size_t variant,
                          uint64_t *random)
{
    switch (law) {
    case 0: return 1 + draw(random);                            /* the gains end at 2 */
    case 1: return exp(0.2 * fabs(draw_normal(random)));        /* they do not end */
    case 2: return 1 / draw(random);                            /* nor tail off */
    case 3: return exp(0.2 * base * fabs(draw_normal(random))); /* slow variants gain more */
    case 4: return 1 + 0.02 * draw(random);                     /* hardly any */
    default:                                                    /* one value is the right one */
        return candidate == variant % EACH ? 1 : 1 + 0.5 * draw(random);
    }
}

static void simulate_space(double *times, double *prior, int law, bool is_known,
                           uint64_t *random)
{
    for (size_t v = 0; v < SIMULATED; v++) {
        const double base = exp(0.3 * fabs(draw_normal(random)));
        for (size_t c = 0; c < EACH; c++) {
            const double time = base * draw_factor(law, base, c, v, random);
            times[v * EACH + c] = 1e6 * time;
            prior[v * EACH + c] = is_known ? exp(0.3 * draw_normal(random)) / time : 0;
        }
    }
}

/* Runs the race on one simulated space: was the variant of the best left out? `stated` gets the
 * chance of it by the first limit that left one out, `tried` the evaluations. */
static bool is_best_lost(const double *times, const double *prior, uint64_t seed,
                         double *stated, size_t *tried)
{
    const struct points points = make_even_points(SIMULATED, EACH);
    struct strategy_order order = make_order(&points, STRATEGY_RACE, prior, NULL, 0, seed);
    struct strategy_rule rule = {.count = 0};
    double found = INFINITY, least = INFINITY;
    *stated = 0;
    for (size_t i = 0; i < SIMULATED; i++) {
        const size_t v = order.variants[i], *candidates = order.candidates + v * EACH;
        double best = times[candidates[0]], chance;
        const double first = best, limit = strategy_limit(&rule, 0, &chance);
        for (size_t c = 0; c < EACH; c++)
            least = fmin(least, times[candidates[c]]);
        ++*tried;
        found = fmin(found, first);
        if (!order.is_whole[v] && limit > 0 && first > limit * found) {
            *stated = *stated > 0 ? *stated : chance;
            continue;
        }
        for (size_t c = 1; c < EACH; c++, ++*tried)
            best = fmin(best, times[candidates[c]]);
        found = fmin(found, best);
        if (order.is_whole[v])
            strategy_learn(&rule, (uint64_t)first, (uint64_t)best);
    }
    strategy_dispose(&order);
    return found > least;
}

static void test_best_is_seldom_lost(void **state)
{
    (void)state;
    enum { RUNS = 600 };
    static double times[SIMULATED * EACH], prior[SIMULATED * EACH];
    uint64_t random = 1;
    for (int law = 0; law < LAWS; law++)
        for (int is_known = 0; is_known < 2; is_known++) {
            double stated = 0, chance;
            size_t lost = 0, tried = 0;
            for (uint64_t run = 0; run < RUNS; run++) {
                simulate_space(times, prior, law, is_known, &random);
                lost += is_best_lost(times, prior, run, &chance, &tried);
                stated += chance / RUNS;
            }
            print_message("law %d, prior %d: lost %.3f, stated %.3f, tried %.2f\n", law,
                          is_known, (double)lost / RUNS, stated,
                          (double)tried / RUNS / SIMULATED / EACH);
            assert_true((double)lost / RUNS < stated);
            assert_true(law == 2 || tried < RUNS * SIMULATED * EACH * 95 / 100);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_cover_finds_the_only_point),
        cmocka_unit_test(test_permutations),
        cmocka_unit_test(test_same_seed_same_order),
        cmocka_unit_test(test_others_know_nothing),
        cmocka_unit_test(test_seeds_first),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_likely_candidates_first),
        cmocka_unit_test(test_how_many_lessons),
        cmocka_unit_test(test_fair_draws),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_many_lessons),
        cmocka_unit_test(test_best_is_seldom_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

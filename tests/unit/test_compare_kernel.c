/* A winner on another GPU: the nearest variant that the rules of its space allow there. */
#include "autotune/compare/compare_kernel.h"
#include "tests/unit/named_op.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char space[] = "[space]\n"
                            "name = little\n"
                            "template = little.cu\n"
                            "kernel = little\n"
                            "[param BLOCK]\n"
                            "values = 32 64 128 256\n"
                            "[param LOAD]\n"
                            "values = PLAIN NONCOHERENT BULK\n"
                            "[param STAGES]\n"
                            "values = 0 2 4\n"
                            "[param GRID]\n"
                            "values = 0 1 2 4\n"
                            "when = launch\n"
                            "[rule]\n"
                            "bulk copies need sm_90 = LOAD != BULK || CC >= 90\n"
                            "a ring has stages = (LOAD == BULK) == (STAGES > 0)\n"
                            "old ones have few threads = CC >= 80 || BLOCK * GRID <= 256\n"
                            "it needs sm_70 = CC >= 70\n"
                            "[pass main]\n"
                            "block = BLOCK\n"
                            "grid = 1\n"
                            "tile = BLOCK\n"
                            "outputs = 1\n"
                            "args = input n output\n"
                            "height = 10\n"
                            "[default]\n"
                            "BLOCK = 64\n"
                            "LOAD = PLAIN\n"
                            "STAGES = 0\n"
                            "GRID = 0\n";

static struct problem problem = {.type = I32,
                                 .acc = I32,
                                 .dims = DIMS_VALUE(1000),
                                 .regime = COLD};
NAMED_PROBLEM(name_problem, problem, SUM)

/* Fits `params` to a GPU; what they are then is in `now`. */
static int fit(const char *params, int cc, char *changed, size_t size, struct text *now,
               struct error *error)
{
    const struct target target = {.cc = cc, .sms = 80};
    struct compare_kernel kernel = {.rung = {.space = NULL}};
    if (space_load(&kernel.rung.space, "little.ini", space, strlen(space), NULL, error) ||
        point_parse(kernel.rung.space, params, kernel.rung.config, error))
        fail_msg("%s", error->text);
    const int failed = compare_kernel_fit(&kernel, changed, size, &problem, &target, error);
    point_format(now, kernel.rung.space, kernel.rung.config, true);
    space_free(kernel.rung.space);
    return failed;
}

static void test_nearest(void **state)
{
    (void)state;
    static const struct {
        const char *params, *changed, *now;
        int cc;
    } rows[] = {
        {"BLOCK=64 LOAD=BULK STAGES=4 GRID=2", "", "BLOCK=64 LOAD=BULK STAGES=4 GRID=2", 90},
        {"BLOCK=64 LOAD=PLAIN STAGES=0 GRID=4", "", "BLOCK=64 LOAD=PLAIN STAGES=0 GRID=4", 70},
        /* Two that depend on each other. */
        {"BLOCK=64 LOAD=BULK STAGES=4 GRID=2", "LOAD=PLAIN STAGES=0",
         "BLOCK=64 LOAD=PLAIN STAGES=0 GRID=2", 80},
        /* Of BLOCK=128, GRID=1 and GRID=0 the last param, and its nearest value. */
        {"BLOCK=256 LOAD=PLAIN STAGES=0 GRID=2", "GRID=1",
         "BLOCK=256 LOAD=PLAIN STAGES=0 GRID=1", 70},
        {"BLOCK=256 LOAD=BULK STAGES=2 GRID=4", "LOAD=PLAIN STAGES=0 GRID=1",
         "BLOCK=256 LOAD=PLAIN STAGES=0 GRID=1", 70},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char changed[100];
        struct text now = {0};
        struct error error;
        if (fit(rows[i].params, rows[i].cc, changed, sizeof changed, &now, &error))
            fail_msg("%s: %s", rows[i].params, error.text);
        assert_string_equal(changed, rows[i].changed);
        assert_string_equal(now.at, rows[i].now);
        text_dispose(&now);
    }
}

static void test_none(void **state)
{
    (void)state;
    static const char params[] = "BLOCK=64 LOAD=PLAIN STAGES=0 GRID=2";
    char changed[100];
    struct text now = {0};
    struct error error;
    assert_int_equal(fit(params, 60, changed, sizeof changed, &now, &error), -1);
    assert_string_equal(changed, "");
    assert_string_equal(now.at, params);
    if (!strstr(error.text, "little has no variant for this GPU: little.ini: ") ||
        !strstr(error.text, "'it needs sm_70'"))
        fail_msg("%s", error.text);
    text_dispose(&now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nearest),
                                       cmocka_unit_test(test_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

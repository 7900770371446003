/* Tests of timelines: how much of the kernels' time copies cover, and all three forms. */
#include "autotune/report/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct timeline *make_timeline(void)
{
    static const struct timeline_bar bars[] = {{TIMELINE_COPY, 0, 100},
                                               {TIMELINE_COPY, 100, 200},
                                               {TIMELINE_KERNEL, 100, 140},
                                               {TIMELINE_KERNEL, 180, 220}};
    struct timeline *timeline = calloc(1, sizeof *timeline);
    assert_non_null(timeline);
    timeline_add(timeline, bars[0]); /* without a row it is nothing */
    timeline_begin(timeline, "two <streams>");
    for (size_t i = 0; i < sizeof bars / sizeof *bars; i++)
        timeline_add(timeline, bars[i]);
    timeline_begin(timeline, "nothing");
    return timeline;
}

static void test_overlap(void **state)
{
    struct timeline *timeline = make_timeline();
    (void)state;
    assert_true(timeline_overlap(&timeline->rows[0]) > 0.749); /* 60 of 80 */
    assert_true(timeline_overlap(&timeline->rows[0]) < 0.751);
    assert_true(timeline_overlap(&timeline->rows[1]) <= 0);
    timeline_kind.dispose(&timeline->figure);
    free(timeline);
}

static void test_forms(void **state)
{
    struct timeline *timeline = make_timeline();
    const struct terminal_style style = {.width = 44};
    struct text html = {0}, text = {0};
    struct table table = {0};
    (void)state;
    timeline_kind.html(&html, &timeline->figure);
    assert_false(html.failed);
    assert_non_null(strstr(html.at, "two &lt;streams&gt;"));
    assert_null(strstr(html.at, "two <streams>"));
    assert_non_null(strstr(html.at, "75 % of the kernels"));
    timeline_kind.text(&text, &timeline->figure, &style);
    assert_non_null(strstr(text.at, "####################..  copies to the GPU\n"));
    assert_non_null(strstr(text.at, "..........====....====  kernels\n"));
    timeline_kind.table(&table, &timeline->figure);
    assert_string_equal(table_cell(&table, 0, 1), "0.200");
    assert_string_equal(table_cell(&table, 0, 4), "75");
    table_dispose(&table);
    text_dispose(&html);
    text_dispose(&text);
    timeline_kind.dispose(&timeline->figure);
    free(timeline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests reduce's rounds of segments: the results of a file and of a stream, whatever fits a round, and how many rounds they take. */
#include "autotune/command/segment_rounds.h"
#include "tests/unit/named_op.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { N = 5000, SEGMENTS = 300, LEAD = 5, LONGEST = 901 };

static int16_t x[N];
static int32_t offsets_i32[SEGMENTS + 1];
static char folder[] = "/tmp/test-rounds-XXXXXX";
static struct host_context host;
static struct offsets offsets;

/* A long segment among short and empty ones. */
static int open_host(void **state)
{
    char path[sizeof folder + 10];
    struct error error;
    (void)state;
    for (int i = 0; i < N; i++)
        x[i] = (int16_t)(i * 7919);
    offsets_i32[0] = LEAD;
    for (int i = 0; i < SEGMENTS; i++)
        offsets_i32[i + 1] = offsets_i32[i] + (i == 100 ? LONGEST : i % 9);
    assert_true(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/o", folder);
    FILE *file = fopen(path, "wb");
    assert_true(file && fwrite(offsets_i32, sizeof offsets_i32, 1, file) == 1);
    assert_int_equal(fclose(file), 0);
    if (offsets_read(&offsets, path, I32, true, &error) ||
        host_context_open(&host, "host", NULL, folder, 1, &error))
        fail_msg("%s", error.text);
    return 0;
}

static int close_host(void **state)
{
    char command[sizeof folder + 20];
    (void)state;
    offsets_dispose(&offsets);
    host_context_close(&host);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* Where a stream is; at most a few bytes at a time, and never the same number. */
static uint64_t passed;

static int64_t read_some(void *context, void *to, uint64_t at, size_t bytes)
{
    const bool is_stream = context;
    const uint64_t from = is_stream ? passed : at, left = sizeof x - from;
    size_t part = 1 + (size_t)(from % 1013);
    part = part < bytes ? part : bytes;
    part = part < left ? part : (size_t)left;
    memcpy(to, (const char *)x + from, part);
    passed = from + part;
    return (int64_t)part;
}

static int32_t results[SEGMENTS];

static int take_results(void *context, const void *from, uint64_t at, size_t bytes)
{
    (void)context;
    assert_true(at + bytes <= sizeof results);
    memcpy((char *)results + at, from, bytes);
    return 0;
}

/* The rounds that it took. */
static uint64_t check_sums(bool is_stream, uint64_t elements_most, uint64_t segments_most)
{
    const struct problem problem = {.op = op_of(SUM), .type = I16, .acc = I32};
    struct error error;
    struct segment_rounds rounds = {
        .host = &host,
        .problem = &problem,
        .offsets = &offsets,
        .name = "x",
        .source = {read_some, is_stream ? &passed : NULL, !is_stream},
        .elements = is_stream ? UINT64_MAX : N,
        .sink = {take_results, NULL},
        .bytes_most = elements_most * sizeof *x,
        .stage_bytes = 1000,
        .segments_most = segments_most,
    };
    passed = 0;
    memset(results, 0x5a, sizeof results);
    if (segment_rounds_run(&rounds, &error))
        fail_msg("%s", error.text);
    for (int i = 0; i < SEGMENTS; i++) {
        int32_t sum = 0;
        for (int at = offsets_i32[i]; at < offsets_i32[i + 1]; at++)
            sum += x[at];
        assert_int_equal(results[i], sum);
    }
    assert_int_equal(rounds.n, offsets_i32[SEGMENTS] - LEAD);
    assert_int_equal(passed, (uint64_t)offsets_i32[SEGMENTS] * sizeof *x);
    return rounds.rounds;
}

static void test_one_round(void **state)
{
    (void)state;
    for (int is_stream = 0; is_stream < 2; is_stream++)
        assert_int_equal(check_sums(is_stream, N, SEGMENTS), 1);
}

/* Few segments a round, of which the last has fewer than others. */
static void test_rounds_of_segments(void **state)
{
    (void)state;
    for (int is_stream = 0; is_stream < 2; is_stream++)
        assert_int_equal(check_sums(is_stream, N, 23), 14);
}

/* A buffer that the longest segment alone makes larger. */
static void test_rounds_of_elements(void **state)
{
    (void)state;
    const uint64_t all = (uint64_t)(offsets_i32[SEGMENTS] - LEAD);
    for (int is_stream = 0; is_stream < 2; is_stream++) {
        const uint64_t rounds = check_sums(is_stream, 10, SEGMENTS);
        assert_in_range(rounds, (all + LONGEST - 1) / LONGEST, 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_round),
        cmocka_unit_test(test_rounds_of_segments),
        cmocka_unit_test(test_rounds_of_elements),
    };
    return cmocka_run_group_tests(tests, open_host, close_host);
}

/* Tests of autotune/search/job.c: each message is read as it was written; one that was cut or
 * whose counts lie is an error that costs nothing, and never leads out of its frame. */
#include "autotune/search/job.h"
#include "tests/unit/named_op.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above before it */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WIDTH = 3 }; /* params of the space */

static struct error error;

/* A message's description as one function, so that all are treated alike. */
typedef int code_message(struct frame *frame, void *message, bool reads);

static int code_setup(struct frame *frame, void *message, bool reads)
{
    return job_code_setup(frame, message, reads, &error);
}
static int code_rows(struct frame *frame, void *message, bool reads)
{
    return job_code_configs(frame, message, WIDTH, reads, &error);
}
static int code_unit(struct frame *frame, void *message, bool reads)
{
    return job_code_unit(frame, message, WIDTH, reads, &error);
}
static int code_race(struct frame *frame, void *message, bool reads)
{
    return job_code_race(frame, message, WIDTH, reads, &error);
}

static struct frame written(code_message *code, const void *message)
{
    struct frame frame = {.kind = 9};
    if (code(&frame, (void *)(uintptr_t)message, false) != 0)
        fail_msg("%s", error.text);
    return frame;
}

/* Reads the first `length` bytes of a frame, in memory of just that size. */
static int read_part(struct frame *part, const struct frame *whole, size_t length,
                     code_message *code, void *message)
{
    assert_int_equal(frame_open_body(part, whole->kind, length, &error), 0);
    memcpy(part->body.at, whole->body.at, length);
    error.text[0] = '\0';
    return code(part, message, true);
}

/* --- Examples ----------------------------------------------------------------------------- */

static const int64_t rows[] = {256, 16, -1, 512, INT64_MIN, 0, 1024, 4, INT64_MAX, 64, 8, 2};
static const uint64_t ids[] = {5, UINT64_MAX - 1, 0, 77};

static struct job_setup example_setup(void)
{
    return (struct job_setup){.measures = true,
                              .nvrtc = "/opt/libnvrtc.so",
                              .seed = 42,
                              .info = {.name = "NVIDIA H200",
                                       .spec = "1",
                                       .target = {.cc = 90, .sms = 132}},
                              .problem = {.op = op_of(MAX),
                                          .type = F32,
                                          .acc = F32,
                                          .dims = DIMS_VALUE(400000000),
                                          .regime = WARM},
                              .space = {"a.ini", "[space]\n"},
                              .sources = {.template = {"a.cu", "void a;"},
                                          .types = {"t.cu", ""},
                                          .intrinsics = {"i.cu", "void i;\n"},
                                          .operation = {"o.cu", "void o;\n"}}};
}

/* The image's bytes are of an odd size, so that nothing behind them is aligned by chance. */
static const struct job_unit *example_unit(bool has_hashes)
{
    static char first[] = "_ZN2v06reduceEv", empty[] = "", last[] = "_ZN2v16reduceEv";
    static char *names[] = {first, empty, last};
    static uint64_t hashes[] = {11, 0, UINT64_MAX};
    static char bytes[] = "ELF\0of a kind", others[] = "ELF of shadows";
    static struct job_unit unit;
    unit = (struct job_unit){.image = {.bytes = bytes,
                                       .size = sizeof bytes,
                                       .is_ptx = !has_hashes,
                                       .names = names,
                                       .hashes = has_hashes ? hashes : NULL,
                                       .count = 3},
                             .shadows = {{.bytes = others,
                                          .size = sizeof others,
                                          .names = names,
                                          .hashes = has_hashes ? hashes : NULL,
                                          .count = 2},
                                         {.bytes = bytes, .size = 3}},
                             .shadow_count = 2,
                             .count = 3,
                             .compile_us = 123456,
                             .best_ps = 343370000,
                             .samples = 3};
    for (size_t i = 0; i < unit.count; i++) {
        struct job_variant *variant = &unit.variants[i];
        *variant = (struct job_variant){.compiled = {.variant = 1000 + i,
                                                     .kernel_of_pass = {(int)i, -1},
                                                     .sources_hash = i + 7},
                                        .limit = 1.25 * (double)i,
                                        .is_proven = i == 1,
                                        .count = i == 1 ? 0 : 2 + i / 2,
                                        .ids = ids,
                                        .configs = rows,
                                        .shadow_image = i};
    }
    unit.variants[1].shadow =
        (struct compiled_variant){.variant = 1, .kernel_of_pass = {1}, .sources_hash = 99};
    unit.variants[2].shadow = (struct compiled_variant){.is_failed = true};
    error_set(&unit.variants[2].shadow.reason, ERROR_FAILED, "does not compile");
    unit.variants[1].compiled.is_failed = true;
    error_set(&unit.variants[1].compiled.reason, ERROR_FAILED, "does not compile");
    return &unit;
}

/* --- The same again ----------------------------------------------------------------------- */

static void assert_file(const struct emit_file *is, const struct emit_file *was)
{
    assert_string_equal(is->name, was->name);
    assert_string_equal(is->text, was->text);
}

static void assert_image(const struct device_image *is, const struct device_image *was)
{
    assert_int_equal(is->size, was->size);
    assert_int_equal(is->count, was->count);
    assert_int_equal(is->is_ptx, was->is_ptx);
    assert_int_equal(is->hashes != NULL, was->hashes != NULL);
    if (was->size)
        assert_memory_equal(is->bytes, was->bytes, was->size);
    for (size_t i = 0; i < was->count; i++) {
        assert_string_equal(is->names[i], was->names[i]);
        assert_true(!was->hashes || is->hashes[i] == was->hashes[i]);
    }
}

static void assert_shadow(const struct job_unit *is, const struct job_unit *was, size_t i)
{
    const struct job_variant *a = &is->variants[i], *b = &was->variants[i];
    assert_int_equal(a->shadow_image, b->shadow_image);
    if (b->shadow_image)
        assert_memory_equal(&a->shadow, &b->shadow, sizeof a->shadow);
    assert_ptr_equal(job_shadow_image(is, a),
                     a->shadow_image ? &is->shadows[a->shadow_image - 1] : NULL);
}

static void assert_unit(const struct job_unit *is, const struct job_unit *was)
{
    assert_image(&is->image, &was->image);
    assert_int_equal(is->shadow_count, was->shadow_count);
    for (size_t i = 0; i < was->shadow_count; i++)
        assert_image(&is->shadows[i], &was->shadows[i]);
    assert_int_equal(is->count, was->count);
    for (size_t i = 0; i < was->count; i++)
        assert_shadow(is, was, i);
    for (size_t i = 0; i < was->count; i++) {
        const struct job_variant *a = &is->variants[i], *b = &was->variants[i];
        assert_memory_equal(&a->compiled, &b->compiled, sizeof a->compiled);
        assert_true(a->limit >= b->limit && a->limit <= b->limit);
        assert_int_equal(a->is_proven, b->is_proven);
        assert_int_equal(a->count, b->count);
        for (size_t k = 0; k < b->count; k++)
            assert_true(a->ids[k] == b->ids[k]);
        for (size_t k = 0; k < b->count * WIDTH; k++)
            assert_true(a->configs[k] == b->configs[k]);
    }
    assert_true(is->compile_us == was->compile_us && is->best_ps == was->best_ps);
    assert_int_equal(is->samples, was->samples);
}

static void test_setup(void **state)
{
    struct job_setup was = example_setup(), is;
    (void)state;
    for (int i = 0; i < 2; i++) {
        was.nvrtc = i ? NULL : "/opt/libnvrtc.so";
        was.sources.has_own_template = i;
        struct frame frame = written(code_setup, &was);
        assert_int_equal(code_setup(&frame, &is, true), 0);
        assert_int_equal(frame.at, frame.body.length);
        assert_true(is.measures && is.seed == 42);
        assert_memory_equal(&is.info, &was.info, sizeof is.info);
        assert_memory_equal(&is.problem, &was.problem, sizeof is.problem);
        assert_int_equal(is.nvrtc == NULL, i);
        assert_true(i || strcmp(is.nvrtc, was.nvrtc) == 0);
        assert_file(&is.space, &was.space);
        assert_int_equal(is.sources.has_own_template, i);
        assert_file(&is.sources.template, &was.sources.template);
        assert_file(&is.sources.types, &was.sources.types);
        assert_file(&is.sources.intrinsics, &was.sources.intrinsics);
        assert_file(&is.sources.operation, &was.sources.operation);
        frame_dispose(&frame);
    }
    was.sources.types.text = NULL; /* nothing can be compiled without */
    struct frame frame = {.kind = JOB_SETUP};
    assert_int_equal(code_setup(&frame, &was, false), -1);
    frame_dispose(&frame);
}

static void test_rows(void **state)
{
    (void)state;
    for (uint64_t count = 0; count <= COMPILER_UNIT; count++) {
        const struct job_configs was = {count, rows, {count > 1, false, count > 2}};
        struct job_configs is;
        struct frame frame = written(code_rows, &was);
        assert_int_equal(code_rows(&frame, &is, true), 0);
        assert_int_equal(frame.at, frame.body.length);
        assert_int_equal(is.count, count);
        assert_memory_equal(is.configs, rows, count * WIDTH * sizeof *rows);
        for (size_t i = 0; i < COMPILER_UNIT; i++)
            assert_int_equal(is.wants_shadow[i], was.wants_shadow[i]);
        frame_dispose(&frame);
    }
}

/* Rows of another width are no such message. */
static void test_rows_of_another_space(void **state)
{
    const struct job_configs was = {3, rows, {false}};
    struct job_configs is;
    struct frame frame = written(code_rows, &was);
    (void)state;
    assert_int_equal(job_code_configs(&frame, &is, WIDTH - 1, true, &error), -1);
    assert_non_null(strstr(error.text, "kind 9"));
    frame_dispose(&frame);
}

static void test_unit(void **state)
{
    const struct job_unit empty = {.count = 0};
    struct job_unit *is = calloc(1, sizeof *is);
    (void)state;
    assert_non_null(is);
    for (int i = 0; i < 3; i++) {
        const struct job_unit *was = i == 2 ? &empty : example_unit(i);
        struct frame frame = written(code_unit, was);
        memset(is, 0, sizeof *is);
        assert_int_equal(code_unit(&frame, is, true), 0);
        assert_int_equal(frame.at, frame.body.length);
        assert_unit(is, was);
        frame_dispose(&frame);
    }
    free(is);
}

/* A message that was read can be sent on. */
static void test_unit_sent_on(void **state)
{
    const struct job_unit *was = example_unit(true);
    struct job_unit *is = calloc(2, sizeof *is);
    struct frame frame = written(code_unit, was);
    (void)state;
    assert_non_null(is);
    assert_int_equal(code_unit(&frame, is, true), 0);
    struct frame again = written(code_unit, is);
    assert_int_equal(again.body.length, frame.body.length);
    assert_memory_equal(again.body.at, frame.body.at, frame.body.length);
    assert_int_equal(code_unit(&again, &is[1], true), 0);
    assert_unit(&is[1], was);
    frame_dispose(&frame);
    frame_dispose(&again);
    free(is);
}

/* Others use the arrays where they lie: they must be aligned there, whatever stands before. */
static void test_arrays_are_aligned(void **state)
{
    struct job_unit *is = calloc(1, sizeof *is);
    struct frame frame = written(code_unit, example_unit(true));
    (void)state;
    assert_non_null(is);
    assert_int_equal(code_unit(&frame, is, true), 0);
    assert_int_equal((uintptr_t)is->image.hashes % sizeof(uint64_t), 0);
    for (size_t i = 0; i < is->count; i++) {
        assert_int_equal((uintptr_t)is->variants[i].ids % sizeof(uint64_t), 0);
        assert_int_equal((uintptr_t)is->variants[i].configs % sizeof(int64_t), 0);
    }
    frame_dispose(&frame);
    free(is);
}

static void test_race(void **state)
{
    struct job_unit units[3];
    const struct job_race was = {.units = units,
                                 .count = 3,
                                 .seconds = 1.5,
                                 .kept_count = 2,
                                 .kept = {7, 9}};
    const struct job_race none = {.seconds = 0.25, .keeps_all = true};
    struct job_race is;
    (void)state;
    for (int i = 0; i < 3; i++)
        units[i] = *example_unit(i != 1);
    struct frame frame = written(code_race, &was);
    assert_int_equal(code_race(&frame, &is, true), 0);
    assert_int_equal(frame.at, frame.body.length);
    assert_int_equal(is.count, 3);
    assert_true(is.seconds > 1.4 && is.seconds < 1.6);
    assert_false(is.keeps_all);
    assert_int_equal(is.kept_count, 2);
    assert_int_equal(is.kept[1], 9);
    for (int i = 0; i < 3; i++)
        assert_unit(&is.units[i], &units[i]);
    free(is.units);
    frame_dispose(&frame);
    frame = written(code_race, &none);
    assert_int_equal(code_race(&frame, &is, true), 0);
    assert_int_equal(is.count, 0);
    assert_true(is.keeps_all);
    free(is.units);
    frame_dispose(&frame);
}

/* As many entrants as can race, beside the default; one more is refused before it is sent. */
static void test_most_units_of_a_race(void **state)
{
    struct job_unit *units = calloc(JOB_RACE_UNITS + 1, sizeof *units);
    struct job_race was = {.units = units, .count = JOB_RACE_UNITS, .seconds = 1}, is;
    (void)state;
    assert_non_null(units);
    struct frame frame = written(code_race, &was);
    assert_int_equal(code_race(&frame, &is, true), 0);
    assert_int_equal(is.count, JOB_RACE_UNITS);
    free(is.units);
    frame_dispose(&frame);
    was.count++;
    assert_int_equal(code_race(&frame, &was, false), -1);
    frame_dispose(&frame);
    free(units);
}

/* --- Messages without pointers ------------------------------------------------------------ */

static void send_and_read(const void *was, void *is, size_t size)
{
    struct frame frame = {0};
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_int_equal(job_send(pair[0], JOB_TRIED, was, size, &error), 0);
    assert_int_equal(frame_receive(pair[1], &frame, &error), 1);
    assert_int_equal(frame.kind, JOB_TRIED);
    assert_int_equal(job_read(&frame, is, size, &error), 0);
    assert_memory_equal(is, was, size);
    frame.at = 0;
    assert_int_equal(job_read(&frame, is, size + 1, &error), -1);
    frame_dispose(&frame);
    close(pair[1]);
    assert_int_equal(job_send(pair[0], JOB_TRIED, was, size, &error), -1);
    close(pair[0]);
}

static void test_plain_messages(void **state)
{
    static const size_t sizes[] = {sizeof(struct job_ready), sizeof(struct job_fatal),
                                   sizeof(struct job_at),    sizeof(struct job_proven),
                                   sizeof(struct job_trial), sizeof(struct job_tried),
                                   sizeof(struct job_raced)};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *was = malloc(sizes[i]), *is = malloc(sizes[i] + 1);
        assert_non_null(was);
        assert_non_null(is);
        for (size_t k = 0; k < sizes[i]; k++)
            was[k] = (unsigned char)(k * 31 + i);
        send_and_read(was, is, sizes[i]);
        free(was);
        free(is);
    }
}

/* --- Damage ------------------------------------------------------------------------------- */

static uint64_t walk_image(const struct device_image *image)
{
    uint64_t sum = image->size;
    for (size_t i = 0; i < image->size; i++)
        sum += ((const unsigned char *)image->bytes)[i];
    for (size_t i = 0; i < image->count; i++)
        sum += strlen(image->names[i]) + (image->hashes ? image->hashes[i] : 0);
    return sum;
}

/* Everything that an accepted unit points to is there. */
static uint64_t walk_unit(const struct job_unit *unit)
{
    uint64_t sum = unit->count + walk_image(&unit->image);
    for (size_t i = 0; i < unit->count; i++) {
        const struct job_variant *variant = &unit->variants[i];
        const struct device_image *shadow = job_shadow_image(unit, variant);
        sum += shadow ? walk_image(shadow) : 0;
        for (size_t p = 0; p < SPACE_PASSES_MAX && shadow && !variant->shadow.is_failed; p++)
            assert_true(variant->shadow.kernel_of_pass[p] < (int)shadow->count);
        for (size_t k = 0; k < variant->count; k++)
            sum += variant->ids[k];
        for (size_t k = 0; k < variant->count * WIDTH; k++)
            sum += (uint64_t)variant->configs[k];
        for (size_t p = 0; p < SPACE_PASSES_MAX && !variant->compiled.is_failed; p++)
            assert_true(variant->compiled.kernel_of_pass[p] < (int)unit->image.count);
    }
    return sum;
}

static void assert_every_cut_is_found(const struct frame *whole, code_message *code,
                                      void *message, size_t size)
{
    for (size_t length = 0; length < whole->body.length; length++) {
        struct frame part = {0};
        memset(message, 0, size);
        assert_int_equal(read_part(&part, whole, length, code, message), -1);
        assert_non_null(strstr(error.text, "kind 9"));
        frame_dispose(&part);
    }
}

static void test_every_length_cut(void **state)
{
    struct job_unit units[2] = {*example_unit(true), *example_unit(true)};
    const struct job_setup setup = example_setup();
    const struct job_configs some_rows = {4, rows, {false}};
    struct job_race race = {.units = units, .count = 2, .seconds = 1};
    struct frame frame;
    (void)state;
    frame = written(code_setup, &setup);
    assert_every_cut_is_found(&frame, code_setup, &(struct job_setup){.seed = 0},
                              sizeof(struct job_setup));
    frame_dispose(&frame);
    frame = written(code_rows, &some_rows);
    assert_every_cut_is_found(&frame, code_rows, &(struct job_configs){.count = 0},
                              sizeof(struct job_configs));
    frame_dispose(&frame);
    frame = written(code_unit, &units[0]);
    assert_every_cut_is_found(&frame, code_unit, &units[1], sizeof units[1]);
    frame_dispose(&frame);
    units[1] = units[0];
    units[0].variants[0].compiled.reason = (struct error){.code = ERROR_NONE};
    frame = written(code_race, &race);
    assert_every_cut_is_found(&frame, code_race, &race, sizeof race);
    frame_dispose(&frame);
}

/* A number that is absurd as a count and as a length, whose bytes are all right as a bool. */
static const uint64_t absurd = 0x0101010101010101;

/* 8 bytes become zeros or absurd, wherever they lie: refused, or what is left can be used. */
static void damage_unit(const struct frame *whole, size_t at, const uint64_t *value,
                        struct job_unit *unit)
{
    struct frame frame = *whole, part = {0};
    char kept[sizeof *value];
    memcpy(kept, frame.body.at + at, sizeof kept);
    memcpy(frame.body.at + at, value, sizeof kept);
    memset(unit, 0, sizeof *unit);
    if (read_part(&part, &frame, frame.body.length, code_unit, unit) == 0)
        walk_unit(unit);
    else
        assert_non_null(strstr(error.text, "kind 9"));
    frame_dispose(&part);
    memcpy(frame.body.at + at, kept, sizeof kept);
}

static void test_damaged_units(void **state)
{
    static const uint64_t zero;
    struct job_unit *unit = malloc(sizeof *unit);
    struct frame whole = written(code_unit, example_unit(true));
    (void)state;
    assert_non_null(unit);
    for (size_t at = 0; at + 8 <= whole.body.length; at++) {
        damage_unit(&whole, at, &zero, unit);
        damage_unit(&whole, at, &absurd, unit);
    }
    frame_dispose(&whole);
    free(unit);
}

static void assert_absurd_count(code_message *code, const void *example, uint64_t count)
{
    struct frame frame = written(code, example);
    static union {
        struct job_configs rows;
        struct job_unit unit;
        struct job_race race;
    } message;
    memset(&message, 0, sizeof message);
    memcpy(frame.body.at, &count, sizeof count); /* each begins with a count */
    assert_int_equal(code(&frame, &message, true), -1);
    assert_non_null(strstr(error.text, "kind 9"));
    frame_dispose(&frame);
}

static void test_absurd_counts(void **state)
{
    static const uint64_t counts[] = {1000, absurd, SIZE_MAX / 8 + 1, UINT64_MAX};
    struct job_unit units[2] = {*example_unit(true), *example_unit(false)};
    const struct job_configs some_rows = {2, rows, {false}};
    const struct job_race race = {.units = units, .count = 2, .seconds = 1};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        assert_absurd_count(code_rows, &some_rows, counts[i]);
        assert_absurd_count(code_unit, &units[0], counts[i]);
        assert_absurd_count(code_race, &race, counts[i]);
    }
    assert_absurd_count(code_rows, &some_rows, COMPILER_UNIT + 1);
    assert_absurd_count(code_rows, &some_rows, 1); /* fewer than the rows that are there */
    assert_absurd_count(code_unit, &units[0], COMPILER_KERNELS + 1);
    assert_absurd_count(code_race, &race, JOB_RACE_UNITS + 1);
    assert_absurd_count(code_race, &race, 3);
}

/* A byte that another process sent in the place of a bool. */
static void test_no_bool(void **state)
{
    (void)state;
    static const size_t places[] = {offsetof(struct job_proven, is_right),
                                    offsetof(struct job_proven, has_run)};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct job_proven proven = {.is_right = true};
        struct frame frame = {.kind = JOB_PROVEN};
        union job_told told;
        ((unsigned char *)&proven)[places[i]] = 2;
        frame_put(&frame, &proven, sizeof proven);
        assert_int_equal(job_read_told(&frame, &told, &error), -1);
        frame_dispose(&frame);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_bool),
        cmocka_unit_test(test_setup),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_rows_of_another_space),
        cmocka_unit_test(test_unit),
        cmocka_unit_test(test_unit_sent_on),
        cmocka_unit_test(test_arrays_are_aligned),
        cmocka_unit_test(test_race),
        cmocka_unit_test(test_most_units_of_a_race),
        cmocka_unit_test(test_plain_messages),
        cmocka_unit_test(test_every_length_cut),
        cmocka_unit_test(test_damaged_units),
        cmocka_unit_test(test_absurd_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

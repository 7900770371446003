/* Tests of autotune/share without memory: while ranks greet, give slices away and send lines, the N-th
 * allocation fails, for all N that there are. Rank 0 says so, or does all that it does with memory:
 * nothing is lost in silence; and all memory is given back. Seen to fail where lines and slices for
 * which there was no room were left out, and where a list went on without them. */
#include "autotune/device/fiber.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#if defined(FIBER_ASAN) || defined(FIBER_TSAN)

static void test_failing(void **state)
{
    (void)state;
    print_message("a sanitizer has an allocator of its own\n");
    skip();
}

#else

#include "tests/command/failing_call.c"

#include "autotune/share/share.h"
#include "tests/unit/example_record.h"

static struct text record_file; /* of one record, as ranks send it */

static void make_record(void)
{
    struct records one = {.count = 0};
    struct error error;
    char folder[] = "/tmp/test-share-XXXXXX", path[sizeof folder + 16];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/host.ini", folder);
    assert_int_equal(store_add(&one, &example_record, &error), 0);
    assert_int_equal(store_save(path, &one, NULL, &error), 0);
    assert_int_equal(text_read(&record_file, path, 1 << 20, &error), 0);
    store_dispose(&one);
    unlink(path);
    strcat(path, ".lock");
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

enum { RANKS = 4, PROBLEMS = 2, WAITING_MAX = 16 };

struct scene {
    struct share *share;
    struct share_io *waiting[WAITING_MAX];
    size_t waiting_count;
    uint64_t hash;   /* of all that was sent and written */
    bool is_noticed; /* the transport is told of a message that is not whole */
    long fails_at;
};

static void add_bytes(struct scene *scene, const void *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        scene->hash = (scene->hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
}

static void take_sent(void *context, uint32_t rank, const struct wire *message)
{
    struct scene *scene = context;
    scene->is_noticed = scene->is_noticed || message->body.failed;
    add_bytes(scene, &rank, sizeof rank);
    add_bytes(scene, &message->kind, sizeof message->kind);
    add_bytes(scene, message->body.at, message->body.length);
}

static void take_io(void *context, struct share_io *io)
{
    struct scene *scene = context;
    assert_true(scene->waiting_count < WAITING_MAX);
    scene->waiting[scene->waiting_count++] = io;
    add_bytes(scene, &io->kind, sizeof io->kind);
    add_bytes(scene, io->name, strlen(io->name));
    add_bytes(scene, io->bytes.at, io->bytes.length);
    add_bytes(scene, &io->records.count, sizeof io->records.count);
}

static void take_done(void *context, const struct share_done *done)
{
    add_bytes(context, &done->outcome, sizeof done->outcome);
}

static void take_warning(void *context, const char *text)
{
    add_bytes(context, text, strlen(text));
}

/* Calls of share are all between these: the rest has the memory that it needs. */
static void let_fail(const struct scene *scene)
{
    at = scene->fails_at;
}

static void end_files(struct scene *scene)
{
    while (scene->waiting_count) {
        struct share_io *io = scene->waiting[--scene->waiting_count];
        if (io->kind == SHARE_IO_LOAD)
            text_adds(&io->bytes, "records");
        let_fail(scene);
        share_io_done(scene->share, io, 1);
        at = 0;
    }
}

static void tell(struct scene *scene, uint32_t rank, struct wire message)
{
    assert_false(message.body.failed);
    let_fail(scene);
    share_take(scene->share, rank, &message, 1);
    at = 0;
    wire_dispose(&message);
    end_files(scene);
}

static struct wire about(uint16_t kind, uint32_t problem)
{
    struct wire message = {.kind = kind};
    wire_put_u32(&message, problem);
    return message;
}

static void tell_hello(struct scene *scene, uint32_t rank)
{
    struct wire message = {.kind = SHARE_HELLO, .version = WIRE_VERSION};
    wire_put_string(&message, "1");
    wire_put_u64(&message, 26);
    wire_put_u32(&message, PROBLEMS);
    wire_put_string(&message, rank == 3 ? "another kind" : "kind");
    wire_put_string(&message, "gpu.ini");
    wire_put_string(&message, "host");
    wire_put_u32(&message, ERROR_NONE);
    wire_put_string(&message, "");
    tell(scene, rank, message);
}

static void tell_given(struct scene *scene)
{
    struct wire tick = {.kind = SHARE_TICK}, gave = about(SHARE_GAVE, 0);
    wire_put_u32(&tick, 100);
    wire_put_real(&tick, -1);
    tell(scene, 0, tick);
    wire_put_string(&gave, "what is common to all slices");
    wire_put_u32(&gave, 2);
    for (int i = 0; i < 2; i++) {
        wire_put_u32(&gave, 2);
        wire_put_bytes(&gave, "\1\0\0\0\2\0\0\0", 8);
    }
    tell(scene, 0, gave);
}

static void tell_journal(struct scene *scene)
{
    struct wire ask = about(SHARE_ASK, 0), first = about(SHARE_BEGIN, 0);
    wire_put_string(&ask, "a.journal");
    tell(scene, 0, ask);
    wire_put_string(&first, "a.journal");
    wire_put_u32(&first, 1);
    wire_put_string(&first, "header\n");
    tell(scene, 0, first);
    for (int i = 0; i < 3; i++) {
        struct wire lines = about(SHARE_LINES, 0);
        wire_put_string(&lines, "a line of the journal\n");
        tell(scene, i == 2 ? 2 : 0, lines);
    }
}

static void tell_done(struct scene *scene, uint32_t rank, uint32_t problem)
{
    struct wire message = about(SHARE_DONE, problem);
    wire_put_u32(&message, SHARE_TUNED);
    wire_put_u32(&message, ERROR_NONE);
    wire_put_string(&message, "");
    wire_put_string(&message, "a line");
    wire_put_u32(&message, 0);
    wire_put_bytes(&message, record_file.at, record_file.length);
    tell(scene, rank, message);
}

/* The whole list, with the allocation of that number failing; 0: none. Returns what was sent and
 * written; 0: share has said that something is wrong. */
static uint64_t run_scene(long number)
{
    static const struct share_ops ops = {take_sent, take_io, take_done, take_warning};
    struct scene scene = {.hash = 1469598103934665603u, .fails_at = number};
    const struct share_options options = {.ranks = RANKS,
                                          .problems = PROBLEMS,
                                          .version = "1",
                                          .ops = &ops,
                                          .context = &scene};
    struct error error = {.code = ERROR_NONE};
    failing = "malloc";
    count = 0;
    let_fail(&scene);
    scene.share = share_open(&options, &error);
    at = 0;
    if (!scene.share) {
        assert_non_null(strstr(error.text, "out of memory"));
        return 0;
    }
    for (uint32_t rank = RANKS; rank-- > 0;)
        tell_hello(&scene, rank);
    tell_given(&scene);
    tell_journal(&scene);
    tell(&scene, 2, about(SHARE_RETURNED, 0));
    tell_done(&scene, 0, 0);
    tell_done(&scene, 1, 1);
    tell_done(&scene, 3, 0);
    tell_done(&scene, 3, 1);
    const struct error *said = share_error(scene.share);
    const bool is_wrong = said->code != ERROR_NONE || scene.is_noticed;
    if (said->code != ERROR_NONE && !strstr(said->text, "out of memory"))
        fail_msg("allocation %ld: '%s'", number, said->text);
    if (said->code == ERROR_NONE && !scene.is_noticed)
        assert_true(share_is_over(scene.share));
    share_close(scene.share);
    return is_wrong ? 0 : scene.hash;
}

static void test_failing(void **state)
{
    (void)state;
    make_record();
    const uint64_t whole = run_scene(0);
    long number = 1;
    assert_int_not_equal(whole, 0);
    for (;; number++) {
        const long before = alive;
        const uint64_t got = run_scene(number);
        if (alive != before)
            fail_msg("allocation %ld: %ld pieces of memory are lost", number, alive - before);
        if (got && got != whole)
            fail_msg("allocation %ld: something was lost in silence", number);
        if (count < number)
            break;
    }
    print_message("%ld allocations failed one by one\n", number - 1);
    assert_true(number > 50);
    text_dispose(&record_file);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_failing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

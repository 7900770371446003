/* Tests of autotune/share: the bytes of messages, and what rank 0 does about ranks that are refused, hang
 * or are lost, one event at a time. */
#include "autotune/share/share.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Messages ----------------------------------------------------------------------------- */

static void test_bytes(void **state)
{
    static const unsigned char expected[] =
        {40,   0,    0,    0,    7,    0,    1,    0,    /* length, kind, version */
         0x04, 0x03, 0x02, 0x01,                         /* u32 */
         0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, /* u64 */
         0,    0,    0,    0,    0,    0,    0xf8, 0x3f, /* 1.5 */
         3,    0,    0,    0,    'a',  'b',  'c',  0,    /* string */
         0,    0,    0,    0,    0,    2,    0,    0,
         0,    1,    0,    0}; /* none; bytes, cut here */
    struct wire wire = {.kind = 7};
    struct text out = {0};
    (void)state;
    wire_put_u32(&wire, 0x01020304);
    wire_put_u64(&wire, 0x0102030405060708);
    wire_put_real(&wire, 1.5);
    wire_put_string(&wire, "abc");
    wire_put_string(&wire, NULL);
    wire_put_bytes(&wire, "\1\0", 2);
    wire_pack(&out, &wire);
    assert_int_equal(out.length, sizeof expected);
    assert_memory_equal(out.at, expected, sizeof expected);
    text_dispose(&out);
    wire_dispose(&wire);
}

static void test_pieces(void **state)
{
    struct wire wire = {.kind = 3}, got;
    struct wire_stream stream = {.first = 0};
    struct text all = {0};
    struct error error;
    size_t length, count = 0;
    (void)state;
    wire_put_string(&wire, "one");
    wire_pack(&all, &wire);
    wire_pack(&all, &wire);
    for (size_t i = 0; i < all.length; i++) {
        text_add(&stream.bytes, all.at + i, 1);
        const int took = wire_take(&got, &stream, &error);
        assert_int_equal(took, i == all.length / 2 - 1 || i == all.length - 1);
        if (!took)
            continue;
        assert_int_equal(got.kind, 3);
        assert_int_equal(got.version, WIRE_VERSION);
        assert_string_equal(wire_get_string(&got), "one");
        assert_int_equal(wire_get_u32(&got), 0);
        assert_true(got.is_short);
        assert_string_equal(wire_get_bytes(&got, &length), "");
        wire_dispose(&got);
        count++;
    }
    assert_int_equal(count, 2);
    text_clear(&stream.bytes);
    stream.first = 0;
    text_add(&stream.bytes, "\377\377\377\377\0\0\0\0", 8);
    assert_int_equal(wire_take(&got, &stream, &error), -1);
    text_dispose(&stream.bytes);
    text_dispose(&all);
    wire_dispose(&wire);
}

/* --- Rank 0 --------------------------------------------------------------------------------- */

enum { RANKS = 4, SENT = 64 };

struct fixture {
    struct share *share;
    struct {
        uint32_t rank;
        struct wire message;
    } sent[SENT];
    size_t count, done, failed;
    char warning[512];
};

static void send_to(void *context, uint32_t rank, const struct wire *message)
{
    struct fixture *f = context;
    assert_true(f->count < SENT);
    f->sent[f->count].rank = rank;
    f->sent[f->count].message = (struct wire){.kind = message->kind};
    text_add(&f->sent[f->count++].message.body, message->body.at, message->body.length);
}

/* Files end at once: the journal is empty, the record file too. */
static void begin(void *context, struct share_io *io)
{
    struct fixture *f = context;
    if (io->kind == SHARE_IO_LOAD)
        text_adds(&io->bytes, "records");
    share_io_done(f->share, io, 1);
}

static void add_done(void *context, const struct share_done *done)
{
    struct fixture *f = context;
    f->done++;
    f->failed += done->outcome == SHARE_FAILED;
}

static void warn(void *context, const char *text)
{
    struct fixture *f = context;
    snprintf(f->warning, sizeof f->warning, "%s", text);
}

static const struct share_ops ops = {send_to, begin, add_done, warn};

static void open_fixture(struct fixture *f, uint32_t problems, bool is_broadcast)
{
    struct error error;
    *f = (struct fixture){.count = 0};
    const struct share_options options = {.ranks = RANKS,
                                          .problems = problems,
                                          .version = "1",
                                          .is_broadcast = is_broadcast,
                                          .ops = &ops,
                                          .context = f};
    f->share = share_open(&options, &error);
    assert_non_null(f->share);
}

static void forget(struct fixture *f)
{
    for (size_t i = 0; i < f->count; i++)
        wire_dispose(&f->sent[i].message);
    f->count = 0;
}

static void close_fixture(struct fixture *f)
{
    forget(f);
    share_close(f->share);
}

static void say(struct fixture *f, uint32_t rank, struct wire message, double now)
{
    share_take(f->share, rank, &message, now);
    wire_dispose(&message);
}

static struct wire about(uint16_t kind, uint32_t problem)
{
    struct wire message = {.kind = kind};
    wire_put_u32(&message, problem);
    return message;
}

static void greet_as(struct fixture *f, uint32_t rank, const char *version, uint64_t hash,
                     const char *host, uint16_t encoding)
{
    struct wire hello = {.kind = SHARE_HELLO, .version = encoding};
    wire_put_string(&hello, version);
    wire_put_u64(&hello, hash);
    wire_put_u32(&hello, 2);
    wire_put_string(&hello, "kind");
    wire_put_string(&hello, "gpu.ini");
    wire_put_string(&hello, host);
    wire_put_u32(&hello, ERROR_NONE);
    wire_put_string(&hello, "");
    say(f, rank, hello, 1);
}

static void greet(struct fixture *f, uint32_t rank)
{
    greet_as(f, rank, "1", 26, rank < 2 ? "here" : "there", WIRE_VERSION);
}

/* The last message that was sent to the rank. */
static struct wire *last_to(struct fixture *f, uint32_t rank)
{
    for (size_t i = f->count; i-- > 0;)
        if (f->sent[i].rank == rank)
            return &f->sent[i].message;
    fail_msg("rank %u was sent nothing", (unsigned)rank);
    return NULL;
}

static void finish_problem(struct fixture *f, uint32_t rank, uint32_t problem)
{
    struct wire message = about(SHARE_DONE, problem);
    wire_put_u32(&message, SHARE_KNOWN);
    wire_put_u32(&message, ERROR_NONE);
    wire_put_string(&message, "");
    wire_put_string(&message, "a line");
    wire_put_u32(&message, 0);
    wire_put_bytes(&message, "", 0);
    say(f, rank, message, 2);
}

static void check_refused(const char *version, uint64_t hash, uint16_t encoding,
                          const char *expected)
{
    struct fixture f;
    open_fixture(&f, 2, false);
    greet_as(&f, 2, version, hash, "there", encoding);
    assert_int_equal(f.count, 0); /* before rank 0 has spoken nothing can be compared */
    greet(&f, 0);
    assert_true(share_is_over(f.share));
    assert_int_equal(share_error(f.share)->code, ERROR_USAGE);
    assert_non_null(strstr(share_error(f.share)->text, "rank 2 on there"));
    assert_non_null(strstr(share_error(f.share)->text, expected));
    close_fixture(&f);
}

static void test_refused(void **state)
{
    (void)state;
    check_refused("1", 27, WIRE_VERSION, "other templates");
    check_refused("2", 26, WIRE_VERSION, "version 2");
    check_refused("1", 26, WIRE_VERSION + 1, "encoding");
}

/* Ranks 0 and 1 get the problems, 2 and 3 none, until an owner gives slices away. */
static void test_slices(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f, 2, false);
    for (uint32_t i = 0; i < RANKS; i++)
        greet(&f, i);
    assert_int_equal(last_to(&f, 0)->kind, SHARE_TUNE);
    assert_int_equal(last_to(&f, 1)->kind, SHARE_TUNE);
    assert_int_equal(last_to(&f, 2)->kind, SHARE_WELCOME);
    assert_string_equal(wire_get_string(last_to(&f, 2)), "records");

    struct wire tick = {.kind = SHARE_TICK};
    wire_put_u32(&tick, 100);
    wire_put_real(&tick, -1);
    say(&f, 0, tick, 2);
    assert_int_equal(last_to(&f, 0)->kind, SHARE_GIVE);
    struct wire gave = about(SHARE_GAVE, 0);
    wire_put_string(&gave, "common");
    wire_put_u32(&gave, 2);
    for (int i = 0; i < 2; i++) {
        wire_put_u32(&gave, 1);
        wire_put_bytes(&gave, "\1\0\0\0", 4);
    }
    say(&f, 0, gave, 2);
    assert_int_equal(last_to(&f, 2)->kind, SHARE_HELP);
    assert_int_equal(last_to(&f, 3)->kind, SHARE_HELP);

    /* A helper that is lost has its part back with the owner, once the other is back too. */
    say(&f, 0, about(SHARE_WORKED, 0), 3);
    share_lose(f.share, 3, "hangs", 3);
    assert_non_null(strstr(f.warning, "rank 3 on there hangs"));
    assert_int_not_equal(last_to(&f, 0)->kind, SHARE_BACK);
    say(&f, 2, about(SHARE_RETURNED, 0), 3);
    assert_int_equal(last_to(&f, 0)->kind, SHARE_BACK);
    finish_problem(&f, 0, 0);
    finish_problem(&f, 1, 1);
    assert_true(share_is_over(f.share));
    assert_int_equal(f.done, 2);
    assert_int_equal(share_sum(f.share).slices, 2);
    close_fixture(&f);
}

/* What an owner had is dealt out again; after three of them the problem has failed. */
static void test_lost_owner(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f, 2, false);
    for (uint32_t i = 0; i < RANKS; i++)
        greet(&f, i);
    finish_problem(&f, 0, 0);
    share_lose(f.share, 1, "hangs", 3);
    assert_int_equal(last_to(&f, 0)->kind, SHARE_TUNE);
    share_lose(f.share, 0, "hangs", 3);
    assert_int_equal(last_to(&f, 2)->kind, SHARE_TUNE);
    share_lose(f.share, 2, "hangs", 3);
    assert_true(share_is_over(f.share));
    assert_int_equal(f.failed, 1);
    close_fixture(&f);
}

static void say_alive(struct fixture *f, uint32_t rank, double silent_s, double now)
{
    struct wire alive = {.kind = SHARE_ALIVE};
    wire_put_real(&alive, silent_s);
    say(f, rank, alive, now);
}

/* Silence is a rank's end, unless all were stopped; a coordinator that says nothing takes longer. */
static void test_silence(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f, 2, false);
    for (uint32_t i = 0; i < RANKS; i++)
        greet(&f, i);
    double now = 1;
    for (; now < 10; now += 0.5) {
        for (uint32_t i = 0; i < 3; i++)
            say_alive(&f, i, 0, now);
        share_tick(f.share, now);
    }
    assert_non_null(strstr(f.warning, "rank 3 on there hangs"));
    *f.warning = '\0';
    share_tick(f.share, now + 10000);
    assert_string_equal(f.warning, "");
    say_alive(&f, 2, 9000, now + 10000); /* it has nothing to do */
    assert_string_equal(f.warning, "");
    say_alive(&f, 1, 9000, now + 10001);
    assert_non_null(strstr(f.warning, "rank 1 on here hangs"));
    close_fixture(&f);
}

/* Rank 1 has a problem and falls silent at 1 s; returns when it was given up. */
static double find_given_up(bool has_idle)
{
    struct fixture f;
    double now = 1;
    open_fixture(&f, 2, false);
    for (uint32_t i = 0; i < RANKS; i++)
        greet(&f, i);
    for (uint32_t i = 2; i < RANKS && !has_idle; i++)
        share_lose(f.share, i, "hangs", 1);
    for (*f.warning = '\0'; !*f.warning && now < 20; now += 0.25) {
        for (uint32_t i = 0; i < RANKS; i++)
            if (i != 1)
                say_alive(&f, i, 0, now);
        share_tick(f.share, now);
    }
    assert_non_null(strstr(f.warning, "rank 1 on here hangs"));
    if (has_idle)
        assert_int_equal(last_to(&f, 2)->kind, SHARE_TUNE);
    close_fixture(&f);
    return now;
}

/* Where others wait for nothing but what it has, a silent rank is given up sooner. */
static void test_late_silence(void **state)
{
    (void)state;
    const double late = find_given_up(true), silent = find_given_up(false);
    assert_true(late > 1 + 3 && late < 1 + 4);
    assert_true(silent > 1 + 5 && silent < 1 + 6);
}

/* Each other host's first rank gets the records. */
static void test_broadcast(void **state)
{
    struct fixture f;
    size_t told = 0;
    (void)state;
    open_fixture(&f, 2, true);
    for (uint32_t i = 0; i < RANKS; i++)
        greet(&f, i);
    finish_problem(&f, 0, 0);
    finish_problem(&f, 1, 1);
    share_tick(f.share, 3);
    assert_true(share_is_over(f.share));
    for (size_t i = 0; i < f.count; i++)
        if (f.sent[i].message.kind == SHARE_BROADCAST) {
            assert_int_equal(f.sent[i].rank, 2);
            assert_string_equal(wire_get_string(&f.sent[i].message), "gpu.ini");
            assert_string_equal(wire_get_string(&f.sent[i].message), "records");
            told++;
        }
    assert_int_equal(told, 1);
    share_end(f.share);
    assert_int_equal(last_to(&f, 3)->kind, SHARE_END);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_slices),
        cmocka_unit_test(test_lost_owner),   cmocka_unit_test(test_silence),
        cmocka_unit_test(test_late_silence), cmocka_unit_test(test_broadcast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

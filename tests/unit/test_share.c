/* Tests of autotune/share: the bytes of messages, and what rank 0 does about ranks that are refused, hang
 * or are lost, one event at a time. */
#include "autotune/share/share.h"
#include "autotune/share/wire_socket.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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

/* Bytes that do not end with a zero are none, and so is all behind them. */
static void test_open_end(void **state)
{
    struct wire wire = {.kind = 3};
    size_t length = 1;
    (void)state;
    wire_put_bytes(&wire, "ab", 2);
    wire_put_u32(&wire, 5);
    wire.body.at[6] = 'c';
    assert_string_equal(wire_get_bytes(&wire, &length), "");
    assert_int_equal(length, 0);
    assert_true(wire.is_short);
    assert_int_equal(wire_get_u32(&wire), 0);
    wire_dispose(&wire);
}

/* What there was no memory for is neither sent nor taken as a message. */
static void test_lost_memory(void **state)
{
    struct wire wire = {.kind = 3}, got;
    struct wire_stream stream = {.first = 0};
    struct text out = {0};
    struct error error;
    (void)state;
    wire_put_u32(&wire, 5);
    wire.body.failed = true;
    wire_pack(&out, &wire);
    assert_true(out.failed);
    assert_int_equal(out.length, 0);
    text_adds(&stream.bytes, "01234567");
    stream.bytes.failed = true;
    assert_int_equal(wire_take(&got, &stream, &error), -1);
    assert_non_null(strstr(error.text, "out of memory"));
    text_dispose(&stream.bytes);
    text_dispose(&out);
    wire_dispose(&wire);
}

/* More than a socket holds is kept until the other side reads; its end comes behind what it sent. */
static void test_socket(void **state)
{
    enum { BYTES = 4 << 20 };
    struct wire_socket one = {.file = -1}, other = {.file = -1};
    struct wire wire = {.kind = 3}, got;
    struct error error;
    int ends[2], took = 0;
    size_t length;
    char *bytes = calloc(1, BYTES);
    (void)state;
    assert_non_null(bytes);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    one.file = ends[0];
    other.file = ends[1];
    wire_put_bytes(&wire, bytes, BYTES);
    wire_socket_send(&one, &wire);
    assert_true(wire_socket_is_full(&one));
    wire_socket_pump(&other, 0);
    assert_int_equal(wire_take(&got, &other.in, &error), 0);
    while (took == 0 && !other.is_closed) {
        wire_socket_pump(&one, 0);
        wire_socket_pump(&other, 0);
        took = wire_take(&got, &other.in, &error);
    }
    assert_int_equal(took, 1);
    wire_get_bytes(&got, &length);
    assert_int_equal(length, BYTES);
    wire_dispose(&got);
    wire_dispose(&wire);
    assert_false(wire_socket_is_full(&one));

    wire_put_u32(&wire, 5);
    wire_socket_send(&one, &wire);
    close(one.file);
    wire_socket_pump(&other, 0);
    assert_true(other.is_closed);
    assert_int_equal(wire_take(&got, &other.in, &error), 1);
    assert_int_equal(wire_get_u32(&got), 5);
    wire_dispose(&got);
    wire_socket_send(&other,
                     &wire); /* nobody reads it: no signal, and nothing is left to send */
    assert_false(wire_socket_is_full(&other));
    wire_socket_pump(&other, 0);
    assert_int_equal(wire_take(&got, &other.in, &error), 0);
    close(other.file);
    wire_dispose(&wire);
    wire_socket_dispose(&one);
    wire_socket_dispose(&other);
    free(bytes);
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
    char warning[512], why[512]; /* why: of a problem that failed */
    bool is_slow;                /* files end when the test says so */
    struct share_io *waits;      /* the last of them */
    const char *io_error;        /* with which the next ends */
};

static void send_to(void *context, uint32_t rank, const struct wire *message)
{
    struct fixture *f = context;
    assert_true(f->count < SENT);
    f->sent[f->count].rank = rank;
    f->sent[f->count].message = (struct wire){.kind = message->kind};
    text_add(&f->sent[f->count++].message.body, message->body.at, message->body.length);
}

/* A file has been read or written: the journal is empty, the record file is not. */
static void end_io(struct fixture *f, struct share_io *io)
{
    if (io->kind == SHARE_IO_LOAD)
        text_adds(&io->bytes, "records");
    if (f->io_error)
        error_set(&io->error, ERROR_IO, "%s", f->io_error);
    f->io_error = NULL;
    share_io_done(f->share, io, 1);
}

static void begin(void *context, struct share_io *io)
{
    struct fixture *f = context;
    if (!f->is_slow) {
        end_io(f, io);
        return;
    }
    assert_null(f->waits);
    f->waits = io;
}

static void end_waiting(struct fixture *f)
{
    struct share_io *io = f->waits;
    assert_non_null(io);
    f->waits = NULL;
    end_io(f, io);
}

static void add_done(void *context, const struct share_done *done)
{
    struct fixture *f = context;
    f->done++;
    f->failed += done->outcome == SHARE_FAILED;
    if (done->outcome == SHARE_FAILED)
        snprintf(f->why, sizeof f->why, "%.500s", done->error->text);
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
    if (f->waits)
        share_io_free(f->waits);
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

static struct wire make_hello(const char *version, uint64_t hash, const char *host,
                              uint16_t encoding, const char *file)
{
    struct wire hello = {.kind = SHARE_HELLO, .version = encoding};
    wire_put_string(&hello, version);
    wire_put_u64(&hello, hash);
    wire_put_u32(&hello, 2);
    wire_put_string(&hello, "kind");
    wire_put_string(&hello, file);
    wire_put_string(&hello, host);
    wire_put_u32(&hello, ERROR_NONE);
    wire_put_string(&hello, "");
    return hello;
}

static void greet_with(struct fixture *f, uint32_t rank, const char *version, uint64_t hash,
                       const char *host, uint16_t encoding, const char *file)
{
    say(f, rank, make_hello(version, hash, host, encoding, file), 1);
}

static void greet_as(struct fixture *f, uint32_t rank, const char *version, uint64_t hash,
                     const char *host, uint16_t encoding)
{
    greet_with(f, rank, version, hash, host, encoding, "gpu.ini");
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

/* All have greeted, and rank 0 gives so many slices to those who have no problem. */
static void give(struct fixture *f, uint32_t slices)
{
    for (uint32_t i = 0; i < RANKS; i++)
        greet(f, i);
    struct wire tick = {.kind = SHARE_TICK};
    wire_put_u32(&tick, 100);
    wire_put_real(&tick, -1);
    say(f, 0, tick, 2);
    assert_int_equal(last_to(f, 0)->kind, SHARE_GIVE);
    struct wire gave = about(SHARE_GAVE, 0);
    wire_put_string(&gave, "common");
    wire_put_u32(&gave, slices);
    for (uint32_t i = 0; i < slices; i++) {
        wire_put_u32(&gave, 1);
        wire_put_bytes(&gave, "\1\0\0\0", 4);
    }
    say(f, 0, gave, 2);
    assert_int_equal(last_to(f, 2)->kind, SHARE_HELP);
}

/* Ranks 2 and 3 have a slice each, and rank 0 has nothing left itself. */
static void give_all(struct fixture *f)
{
    give(f, 2);
    assert_int_equal(last_to(f, 3)->kind, SHARE_HELP);
    say(f, 0, about(SHARE_WORKED, 0), 3);
}

/* An owner that waits for its slices and yet ends is not told when they are back. Seen to crash where
 * it was. */
static void test_done_while_waiting(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f, 2, false);
    give_all(&f);
    finish_problem(&f, 0, 0);
    forget(&f);
    say(&f, 2, about(SHARE_RETURNED, 0), 3);
    say(&f, 3, about(SHARE_RETURNED, 0), 3);
    for (size_t i = 0; i < f.count; i++)
        assert_int_not_equal(f.sent[i].message.kind, SHARE_BACK);
    finish_problem(&f, 1, 1);
    assert_true(share_is_over(f.share));
    assert_int_equal(share_error(f.share)->code, ERROR_NONE);
    close_fixture(&f);
}

/* Likewise where it is lost: its problem is dealt out again when all slices are back. */
static void test_lost_while_waiting(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f, 2, false);
    give_all(&f);
    forget(&f);
    share_lose(f.share, 0, "hangs", 3);
    say(&f, 2, about(SHARE_RETURNED, 0), 3);
    assert_int_equal(f.count, 0);
    say(&f, 3, about(SHARE_RETURNED, 0), 3);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.sent[0].message.kind, SHARE_TUNE);
    assert_int_equal(wire_get_u32(&f.sent[0].message), 0);
    close_fixture(&f);
}

/* A message of each kind, whole. */
static struct wire make_message(uint16_t kind)
{
    struct wire message = about(kind, 0);
    switch (kind) {
    case SHARE_ASK: wire_put_string(&message, "a.journal"); break;
    case SHARE_BEGIN:
        wire_put_string(&message, "a.journal");
        wire_put_u32(&message, 1);
        wire_put_string(&message, "header\n");
        break;
    case SHARE_LINES: wire_put_string(&message, "line\n"); break;
    case SHARE_TICK: wire_put_real(&message, 1); break;
    case SHARE_GAVE:
        wire_put_string(&message, "common");
        wire_put_u32(&message, 1);
        wire_put_u32(&message, 1);
        wire_put_bytes(&message, "\1\0\0\0", 4);
        break;
    case SHARE_DONE:
        wire_put_u32(&message, SHARE_KNOWN);
        wire_put_u32(&message, ERROR_NONE);
        wire_put_string(&message, "");
        wire_put_string(&message, "a line");
        wire_put_u32(&message, 1);
        wire_put_u32(&message, 1);
        wire_put_string(&message, "a cell");
        wire_put_bytes(&message, "", 0);
        break;
    case SHARE_ALIVE: wire_put_u32(&message, 0); break; /* both are a real of no seconds */
    default: break;                                     /* the problem alone */
    }
    return message;
}

/* A rank whose message is cut anywhere is given up, and another does what it had; nothing of the
 * message goes on to others. */
static void test_cut(void **state)
{
    static const uint16_t kinds[] = {SHARE_ASK,  SHARE_BEGIN,    SHARE_LINES,  SHARE_TICK,
                                     SHARE_GAVE, SHARE_RETURNED, SHARE_WORKED, SHARE_DONE};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct wire whole = make_message(kinds[i]);
        for (size_t length = 0; length <= whole.body.length; length++) {
            struct fixture f;
            struct wire cut = {.kind = kinds[i]};
            open_fixture(&f, 2, false);
            for (uint32_t rank = 0; rank < RANKS; rank++)
                greet(&f, rank);
            forget(&f);
            text_add(&cut.body, whole.body.at, length);
            say(&f, 0, cut, 2);
            if (length < whole.body.length) {
                assert_non_null(strstr(f.warning, "rank 0 on here sent what no rank sends"));
                assert_int_equal(f.count, 1);
                assert_int_equal(f.sent[0].message.kind, SHARE_TUNE);
            } else
                assert_string_equal(f.warning, "");
            assert_int_equal(f.done, kinds[i] == SHARE_DONE && length == whole.body.length);
            close_fixture(&f);
        }
        wire_dispose(&whole);
    }
}

/* Numbers out of range, and more cells than a table has. */
static void test_done_out_of_range(void **state)
{
    static const struct {
        uint32_t outcome, cells;
    } rows[] = {{SHARE_OUTCOMES, 0}, {UINT32_MAX, 0}, {SHARE_KNOWN, 65}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture f;
        struct wire message = about(SHARE_DONE, 0);
        open_fixture(&f, 2, false);
        for (uint32_t rank = 0; rank < RANKS; rank++)
            greet(&f, rank);
        wire_put_u32(&message, rows[i].outcome);
        wire_put_u32(&message, ERROR_NONE);
        wire_put_string(&message, "");
        wire_put_string(&message, "a line");
        wire_put_u32(&message, rows[i].cells);
        for (uint32_t k = 0; k < rows[i].cells; k++) {
            wire_put_u32(&message, 0);
            wire_put_string(&message, NULL);
        }
        wire_put_bytes(&message, "", 0);
        say(&f, 0, message, 2);
        assert_non_null(strstr(f.warning, "rank 0 on here sent what no rank sends"));
        assert_int_equal(f.done, 0);
        close_fixture(&f);
    }
}

/* A record that cannot be read is not passed over in silence. */
static void test_bad_record(void **state)
{
    struct fixture f;
    struct wire message = about(SHARE_DONE, 0);
    (void)state;
    open_fixture(&f, 2, false);
    for (uint32_t rank = 0; rank < RANKS; rank++)
        greet(&f, rank);
    wire_put_u32(&message, SHARE_TUNED);
    wire_put_u32(&message, ERROR_NONE);
    wire_put_string(&message, "");
    wire_put_string(&message, "a line");
    wire_put_u32(&message, 0);
    wire_put_string(&message, "no record");
    say(&f, 0, message, 2);
    assert_int_equal(share_error(f.share)->code, ERROR_FAILED);
    assert_non_null(strstr(share_error(f.share)->text, "a rank's record"));
    assert_true(share_is_over(f.share));
    close_fixture(&f);
}

/* Names of files lead nowhere else. */
static void test_bad_names(void **state)
{
    static const char *const names[] = {"", ".", "../a", "a/b", "/a", ".hidden"};
    char far[SHARE_NAME + 1];
    (void)state;
    memset(far, 'a', sizeof far - 1);
    far[sizeof far - 1] = '\0';
    for (size_t i = 0; i <= sizeof names / sizeof *names; i++) {
        const char *name = i < sizeof names / sizeof *names ? names[i] : far;
        struct fixture f;
        struct wire ask = about(SHARE_ASK, 0);
        open_fixture(&f, 2, false);
        for (uint32_t rank = 0; rank < RANKS; rank++)
            greet(&f, rank);
        wire_put_string(&ask, name);
        say(&f, 0, ask, 2);
        assert_int_equal(share_error(f.share)->code, ERROR_FAILED);
        assert_non_null(strstr(share_error(f.share)->text, "as its journal"));
        close_fixture(&f);

        open_fixture(&f, 2, false);
        greet_with(&f, 0, "1", 26, "here", WIRE_VERSION, name);
        assert_int_equal(share_error(f.share)->code, ERROR_FAILED);
        assert_non_null(strstr(share_error(f.share)->text, "as its record file"));
        assert_int_equal(f.count, 0);
        close_fixture(&f);
    }
}

/* A greeting that is cut is none, and one that comes twice counts once. */
static void test_greetings(void **state)
{
    struct fixture f;
    struct wire hello = make_hello("1", 26, "here", WIRE_VERSION, "gpu.ini");
    (void)state;
    for (size_t length = 0; length < hello.body.length; length++) {
        struct wire cut = {.kind = SHARE_HELLO, .version = WIRE_VERSION};
        open_fixture(&f, 2, false);
        text_add(&cut.body, hello.body.at, length);
        say(&f, 0, cut, 1);
        assert_true(share_is_over(f.share));
        assert_int_equal(share_error(f.share)->code, ERROR_USAGE);
        assert_int_equal(f.count, 0);
        close_fixture(&f);
    }
    wire_dispose(&hello);
    open_fixture(&f, 2, false);
    greet(&f, 2);
    greet(&f, 2);
    greet(&f, 0);
    greet(&f, 2);
    size_t welcomed = 0;
    for (size_t i = 0; i < f.count; i++)
        welcomed += f.sent[i].rank == 2 && f.sent[i].message.kind == SHARE_WELCOME;
    assert_int_equal(welcomed, 1);
    close_fixture(&f);
}

/* What was given and not begun goes with its owner: whoever owns the problem next does all of it. */
static void test_waiting_slices(void **state)
{
    struct fixture f;
    (void)state;
    for (int is_lost = 0; is_lost < 2; is_lost++) {
        open_fixture(&f, 2, false);
        give(&f, 4); /* two more than there are ranks for */
        forget(&f);
        if (is_lost)
            share_lose(f.share, 0, "hangs", 3);
        else
            finish_problem(&f, 0, 0);
        say(&f, 2, about(SHARE_RETURNED, 0), 3);
        say(&f, 3, about(SHARE_RETURNED, 0), 3);
        for (size_t i = 0; i < f.count; i++)
            assert_int_not_equal(f.sent[i].message.kind, SHARE_HELP);
        assert_int_equal(f.count, is_lost);
        if (is_lost)
            assert_int_equal(f.sent[0].message.kind, SHARE_TUNE);
        close_fixture(&f);
    }
    open_fixture(&f, 2, false); /* the end comes before they do */
    give(&f, 4);
    share_stop(f.share);
    assert_true(share_is_over(f.share));
    say(&f, 2, about(SHARE_RETURNED, 0), 3);
    assert_int_equal(share_sum(f.share).slices, 2);
    close_fixture(&f);
    share_close(NULL);
}

/* Without a rank of its kind left, what is not done has failed, and says why. */
static void test_none_left(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f, 2, false);
    for (uint32_t i = 0; i < RANKS; i++)
        greet(&f, i);
    finish_problem(&f, 0, 0);
    share_lose(f.share, 3, "hangs", 3);
    share_lose(f.share, 2, "hangs", 3);
    share_lose(f.share, 0, "hangs", 3);
    assert_int_equal(f.failed, 0);
    share_lose(f.share, 1, "hangs", 3);
    assert_true(share_is_over(f.share));
    assert_int_equal(f.done, 2);
    assert_int_equal(f.failed, 1);
    assert_non_null(strstr(f.why, "no rank with such a device is left"));
    share_lose(f.share, 0, "hangs", 4); /* which is known */
    assert_int_equal(share_sum(f.share).lost, RANKS);
    close_fixture(&f);
}

/* A rank that is lost before it spoke, and one whose device cannot be opened, end all. */
static void test_lost_at_once(void **state)
{
    struct fixture f;
    struct wire hello = {.kind = SHARE_HELLO, .version = WIRE_VERSION};
    struct wire lost = {.kind = SHARE_LOST};
    (void)state;
    open_fixture(&f, 2, false);
    wire_put_string(&lost, "ended by signal 9");
    say(&f, 3, lost, 1);
    assert_non_null(
        strstr(f.warning, "rank 3 on a host that it did not name ended by signal 9"));
    assert_int_equal(share_error(f.share)->code, ERROR_FAILED);
    assert_non_null(strstr(share_error(f.share)->text, "before it named its device"));
    assert_true(share_is_over(f.share));
    close_fixture(&f);

    open_fixture(&f, 2, false);
    wire_put_string(&hello, "1");
    wire_put_u64(&hello, 26);
    wire_put_u32(&hello, 2);
    wire_put_string(&hello, "");
    wire_put_string(&hello, "");
    wire_put_string(&hello, "there");
    wire_put_u32(&hello, ERROR_NO_DEVICE);
    wire_put_string(&hello, "no GPU 7");
    greet(&f, 0);
    say(&f, 2, hello, 1);
    greet_as(&f, 3, "2", 26, "there", WIRE_VERSION); /* the first error counts */
    assert_int_equal(share_error(f.share)->code, ERROR_NO_DEVICE);
    assert_string_equal(share_error(f.share)->text, "rank 2 on there: no GPU 7");
    close_fixture(&f);
}

/* A file that cannot be written or read ends all, with its own error. */
static void test_failing_files(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f, 2, false);
    for (uint32_t i = 0; i < RANKS; i++)
        greet(&f, i);
    say(&f, 0, make_message(SHARE_BEGIN), 2);
    f.io_error = "a.journal: cannot be written: No space left on device";
    say(&f, 0, make_message(SHARE_LINES), 2);
    assert_int_equal(share_error(f.share)->code, ERROR_IO);
    assert_non_null(strstr(share_error(f.share)->text, "No space left"));
    assert_true(share_is_over(f.share));
    close_fixture(&f);
}

/* Lines that come while a journal is written follow it, and who asks for it gets it behind them;
 * all is not over before. */
static void test_journal_in_turn(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f, 2, false);
    for (uint32_t i = 0; i < RANKS; i++)
        greet(&f, i);
    f.is_slow = true;
    say(&f, 0, make_message(SHARE_LINES), 2); /* of a journal without a name: nowhere to go */
    assert_null(f.waits);
    say(&f, 0, make_message(SHARE_BEGIN), 2);
    assert_int_equal(f.waits->kind, SHARE_IO_APPEND);
    assert_true(f.waits->is_new);
    assert_string_equal(f.waits->bytes.at, "header\n");
    say(&f, 0, make_message(SHARE_LINES), 2);
    say(&f, 0, make_message(SHARE_ASK), 2);
    forget(&f);
    end_waiting(&f);
    assert_int_equal(f.waits->kind, SHARE_IO_APPEND);
    assert_false(f.waits->is_new);
    assert_string_equal(f.waits->bytes.at, "line\n");
    assert_int_equal(f.count, 0);
    share_stop(f.share);
    assert_false(share_is_over(f.share));
    end_waiting(&f);
    assert_int_equal(f.waits->kind, SHARE_IO_READ);
    end_waiting(&f);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.sent[0].rank, 0);
    assert_int_equal(f.sent[0].message.kind, SHARE_JOURNAL);
    assert_true(share_is_over(f.share));
    close_fixture(&f);
}

/* Whose owner is gone by the time that it is read, nobody gets it. */
static void test_journal_of_none(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f, 2, false);
    for (uint32_t i = 0; i < RANKS; i++)
        greet(&f, i);
    f.is_slow = true;
    say(&f, 0, make_message(SHARE_ASK), 2);
    finish_problem(&f, 0, 0);
    forget(&f);
    end_waiting(&f);
    assert_int_equal(f.count, 0);
    close_fixture(&f);
}

/* What is not a rank's to say changes nothing: another's problem, an owner's words of a helper, one
 * without work, one that never greeted. */
static void test_out_of_turn(void **state)
{
    static const uint16_t kinds[] = {SHARE_ASK,  SHARE_BEGIN,    SHARE_LINES,  SHARE_TICK,
                                     SHARE_GAVE, SHARE_RETURNED, SHARE_WORKED, SHARE_DONE,
                                     SHARE_END,  SHARE_ALIVE,    UINT16_MAX};
    struct fixture f;
    (void)state;
    open_fixture(&f, 2, false);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        say(&f, 1, make_message(kinds[i]), 1);
    assert_int_equal(f.count, 0);
    close_fixture(&f);
    open_fixture(&f, 2, false);
    give(&f, 1);
    forget(&f);
    f.is_slow = true; /* a file that is begun would be seen */
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        say(&f, 3, make_message(kinds[i]), 2); /* it has nothing to do */
        say(&f, 1, make_message(kinds[i]), 2); /* it has problem 1 */
    }
    say(&f, 2, about(SHARE_WORKED, 0), 2); /* it has a slice alone */
    say(&f, 2, make_message(SHARE_DONE), 2);
    say(&f, 0, about(SHARE_RETURNED, 0), 2); /* it is the owner */
    assert_int_equal(f.count, 0);
    assert_int_equal(f.done, 0);
    assert_null(f.waits);
    assert_string_equal(f.warning, "");
    close_fixture(&f);
}

/* Behind the end a connection that closes is no loss. */
static void test_closed(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f, 2, false);
    for (uint32_t i = 0; i < RANKS; i++)
        greet(&f, i);
    finish_problem(&f, 0, 0);
    finish_problem(&f, 1, 1);
    share_end(f.share);
    for (uint32_t i = 0; i < RANKS; i++) {
        struct wire lost = {.kind = SHARE_LOST};
        assert_false(share_is_closed(f.share));
        wire_put_string(&lost, "ended");
        say(&f, i, lost, 3);
    }
    assert_true(share_is_closed(f.share));
    assert_int_equal(share_sum(f.share).lost, 0);
    assert_string_equal(f.warning, "");
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
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_open_end),
        cmocka_unit_test(test_lost_memory),
        cmocka_unit_test(test_socket),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_done_while_waiting),
        cmocka_unit_test(test_lost_while_waiting),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_done_out_of_range),
        cmocka_unit_test(test_bad_record),
        cmocka_unit_test(test_bad_names),
        cmocka_unit_test(test_greetings),
        cmocka_unit_test(test_waiting_slices),
        cmocka_unit_test(test_none_left),
        cmocka_unit_test(test_lost_at_once),
        cmocka_unit_test(test_failing_files),
        cmocka_unit_test(test_journal_in_turn),
        cmocka_unit_test(test_journal_of_none),
        cmocka_unit_test(test_out_of_turn),
        cmocka_unit_test(test_closed),
        cmocka_unit_test(test_lost_owner),
        cmocka_unit_test(test_silence),
        cmocka_unit_test(test_late_silence),
        cmocka_unit_test(test_broadcast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

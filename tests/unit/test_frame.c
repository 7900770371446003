/* Tests of autotune/search/frame.c: bodies, lengths that lie, and frames over a socket. */
#include "autotune/search/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above before it */
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* --- Bodies ------------------------------------------------------------------------------- */

static void test_what_is_put_is_got(void **state)
{
    struct frame frame = {.kind = 7};
    struct error error;
    size_t length;
    char three[3];

    (void)state;
    frame_put_u64(&frame, UINT64_MAX - 1);
    frame_put_string(&frame, "one");
    frame_put_string(&frame, NULL);
    frame_put_string(&frame, "");
    frame_put(&frame, "a\0b", 3);
    frame_put_block(&frame, "c\0d\0e", 5);
    frame_put_block(&frame, NULL, 0);
    assert_int_equal(frame_check(&frame, &error), 0);

    assert_true(frame_get_u64(&frame) == UINT64_MAX - 1);
    assert_string_equal(frame_get_string(&frame), "one");
    assert_null(frame_get_string(&frame));
    assert_string_equal(frame_get_string(&frame), "");
    frame_get(&frame, three, 3);
    assert_memory_equal(three, "a\0b", 3);
    assert_memory_equal(frame_get_block(&frame, &length), "c\0d\0e", 5);
    assert_int_equal(length, 5);
    assert_non_null(frame_get_block(&frame, &length));
    assert_int_equal(length, 0);
    assert_int_equal(frame_check(&frame, &error), 0);
    assert_int_equal(frame.at, frame.body.length);
    frame_dispose(&frame);
    assert_null(frame.body.at);
}

static void test_short_is_sticky(void **state)
{
    struct frame frame = {.kind = 7};
    struct error error;
    unsigned char bytes[9];

    (void)state;
    assert_true(frame_get_u64(&frame) == 0);
    assert_true(frame.is_short);
    frame_dispose(&frame);
    frame_put_u64(&frame, 5);
    memset(bytes, 1, sizeof bytes);
    frame_get(&frame, bytes, 9);
    for (size_t i = 0; i < sizeof bytes; i++)
        assert_int_equal(bytes[i], 0);
    assert_true(frame_get_u64(&frame) == 0); /* there are 8 bytes, but it failed before */
    assert_int_equal(frame_check(&frame, &error), -1);
    assert_non_null(strstr(error.text, "shorter"));
    frame_dispose(&frame);
}

/* Lengths around what is there, and those that overflow when something is added to them. */
static void test_absurd_lengths(void **state)
{
    static const uint64_t absurd[] =
        {4, 5, 1 << 20, SIZE_MAX / 2, SIZE_MAX - 8, SIZE_MAX - 7, SIZE_MAX, UINT64_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof absurd / sizeof *absurd; i++) {
        for (int is_string = 0; is_string < 2; is_string++) {
            struct frame frame = {0};
            size_t length = 99;
            frame_put_u64(&frame, absurd[i]);
            frame_put(&frame, "abc", 3);
            if (is_string)
                assert_null(frame_get_string(&frame));
            else
                assert_null(frame_get_block(&frame, &length));
            assert_int_equal(length, is_string ? 99 : 0);
            assert_true(frame.is_short);
            frame_dispose(&frame);
        }
    }
}

static void test_a_string_without_an_end_is_short(void **state)
{
    struct frame frame = {0};

    (void)state;
    frame_put_block(&frame, "abc", 3);
    assert_null(frame_get_string(&frame));
    assert_true(frame.is_short);
    frame_dispose(&frame);
    frame_put_block(&frame, "a\0bc", 5); /* it would be written shorter */
    assert_null(frame_get_string(&frame));
    assert_true(frame.is_short);
    frame_dispose(&frame);
}

/* Between a block's length and its bytes are zeros alone: what was read is written the same. */
static void test_a_gap_that_holds_anything_is_short(void **state)
{
    struct frame frame = {0};
    size_t length;

    (void)state;
    frame_put_block(&frame, "abc", 3);
    frame.body.at[sizeof(uint64_t) + 1] = 7;
    frame_get_block(&frame, &length);
    assert_true(frame.is_short);
    frame_dispose(&frame);
}

static void test_a_body_too_large_is_refused(void **state)
{
    struct frame frame = {.kind = 7};
    struct error error;

    (void)state;
    assert_int_equal(frame_open_body(&frame, 7, (size_t)FRAME_BODY_MAX + 1, &error), 0);
    assert_int_equal(frame_check(&frame, &error), -1);
    assert_non_null(strstr(error.text, "more than"));
    assert_int_equal(frame_send(-1, &frame, &error), -1);
    assert_non_null(strstr(error.text, "more than"));
    frame_dispose(&frame);
    frame.body.failed = true;
    assert_int_equal(frame_check(&frame, &error), -1);
    assert_non_null(strstr(error.text, "out of memory"));
    frame_dispose(&frame);
}

static void test_header(void **state)
{
    unsigned char header[FRAME_HEADER_BYTES];
    struct frame frame = {.kind = 0xdeadbeef, .body.length = FRAME_BODY_MAX};
    uint32_t kind;
    size_t length;

    (void)state;
    frame_write_header(header, &frame);
    assert_int_equal(frame_read_header(header, &kind, &length), 0);
    assert_true(kind == 0xdeadbeef);
    assert_int_equal(length, FRAME_BODY_MAX);
    frame.body.length++;
    frame_write_header(header, &frame);
    assert_int_equal(frame_read_header(header, &kind, &length), -1);
    memset(header, 0, sizeof header);
    assert_int_equal(frame_read_header(header, &kind, &length), -1);
    memset(header, 'x', sizeof header);
    assert_int_equal(frame_read_header(header, &kind, &length), -1);
}

/* --- Sockets ------------------------------------------------------------------------------ */

static void open_pair(int pair[2])
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
}

static void *echo(void *context)
{
    const int socket = *(int *)context;
    struct frame frame = {0};
    struct error error;
    while (frame_receive(socket, &frame, &error) == 1)
        if (frame_send(socket, &frame, &error))
            break;
    frame_dispose(&frame);
    close(socket);
    return NULL;
}

static void put_pattern(struct frame *frame, size_t length)
{
    struct error error;
    assert_int_equal(frame_open_body(frame, (uint32_t)length + 1, length, &error), 0);
    for (size_t i = 0; i < length; i++)
        frame->body.at[i] = (char)(i * 7 + i / 251);
}

static void ignore(int number)
{
    (void)number;
}

/* With a signal every millisecond, so that calls are interrupted. */
static void test_frames_come_back(void **state)
{
    static const size_t sizes[] = {0, 1, 15, 16, 17, 65536, 5000000, 0, 3};
    const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    const struct sigaction action = {.sa_handler = ignore};
    struct sigaction before;
    struct error error;
    pthread_t thread;
    int pair[2];

    (void)state;
    open_pair(pair);
    sigaction(SIGALRM, &action, &before);
    assert_int_equal(pthread_create(&thread, NULL, echo, &pair[1]), 0);
    setitimer(ITIMER_REAL, &often, NULL);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct frame out = {0}, in = {0};
        put_pattern(&out, sizes[i]);
        assert_int_equal(frame_send(pair[0], &out, &error), 0);
        assert_int_equal(frame_receive(pair[0], &in, &error), 1);
        assert_int_equal(in.kind, sizes[i] + 1);
        assert_int_equal(in.body.length, sizes[i]);
        assert_int_equal(memcmp(in.body.at, out.body.at, sizes[i]), 0);
        frame_dispose(&out);
        frame_dispose(&in);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    close(pair[0]);
    pthread_join(thread, NULL);
}

/* What frame_receive says of the first `length` bytes of a stream that then ends. */
static int receive_from(const void *bytes, size_t length, struct error *error)
{
    struct frame frame = {0};
    int pair[2];
    open_pair(pair);
    assert_int_equal(write(pair[1], bytes, length), length);
    close(pair[1]);
    const int status = frame_receive(pair[0], &frame, error);
    assert_true(status == 1 || frame.body.at == NULL);
    frame_dispose(&frame);
    close(pair[0]);
    return status;
}

static void test_a_stream_that_ends_anywhere(void **state)
{
    unsigned char bytes[FRAME_HEADER_BYTES + 5] = {0};
    const struct frame frame = {.kind = 3, .body.length = 5};
    struct error error;

    (void)state;
    frame_write_header(bytes, &frame);
    assert_int_equal(receive_from(bytes, 0, &error), 0);
    for (size_t length = 1; length < sizeof bytes; length++) {
        assert_int_equal(receive_from(bytes, length, &error), -1);
        assert_non_null(strstr(error.text, "in the middle of a message"));
    }
    assert_int_equal(receive_from(bytes, sizeof bytes, &error), 1);
}

static void test_garbage_is_no_frame(void **state)
{
    static const char garbage[] = "Hello, I am a library that prints to stdout.";
    struct error error;

    (void)state;
    assert_int_equal(receive_from(garbage, sizeof garbage, &error), -1);
    assert_non_null(strstr(error.text, "no message"));
}

/* SIGPIPE at its default would end this process. */
static void test_a_side_that_is_gone(void **state)
{
    struct frame frame = {.kind = 1};
    struct error error;
    int pair[2];

    (void)state;
    open_pair(pair);
    frame_put_u64(&frame, 1);
    assert_int_equal(frame_send(pair[0], &frame, &error), 0);
    close(pair[1]); /* what was sent is unread: a reset, not an end */
    assert_int_equal(frame_send(pair[0], &frame, &error), -1);
    assert_non_null(strstr(error.text, "Broken pipe"));
    assert_int_equal(frame_receive(pair[0], &frame, &error), 0);
    close(pair[0]);
    assert_int_equal(frame_receive(pair[0], &frame, &error), -1);
    assert_non_null(strstr(error.text, "Bad file descriptor"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_put_is_got),
        cmocka_unit_test(test_short_is_sticky),
        cmocka_unit_test(test_absurd_lengths),
        cmocka_unit_test(test_a_string_without_an_end_is_short),
        cmocka_unit_test(test_a_gap_that_holds_anything_is_short),
        cmocka_unit_test(test_a_body_too_large_is_refused),
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_frames_come_back),
        cmocka_unit_test(test_a_stream_that_ends_anywhere),
        cmocka_unit_test(test_garbage_is_no_frame),
        cmocka_unit_test(test_a_side_that_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

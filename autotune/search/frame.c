/* frame: writes and reads bodies piece by piece, and sends them behind a header of 16 bytes:
 * the length (8), the kind (4) and a mark (4) that tells a frame from stray bytes. A length
 * that was read is compared with the bytes there are before it is used. */
#include "autotune/search/frame.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
    MARK = 0x6e757461, /* "atun" */
    BLOCK_ALIGN = 16,  /* as malloc aligns a body */
};

void frame_dispose(struct frame *frame)
{
    text_dispose(&frame->body);
    *frame = (struct frame){0};
}

/* --- Writing ------------------------------------------------------------------------------ */

void frame_put(struct frame *frame, const void *bytes, size_t length)
{
    assert(bytes || length == 0);
    text_add(&frame->body, bytes, length);
}

void frame_put_u64(struct frame *frame, uint64_t value)
{
    frame_put(frame, &value, sizeof value);
}

/* Blocks hold numbers too: they begin where any type may. */
static size_t padding(size_t length)
{
    return (BLOCK_ALIGN - length % BLOCK_ALIGN) % BLOCK_ALIGN;
}

void frame_put_block(struct frame *frame, const void *bytes, size_t length)
{
    static const char zeros[BLOCK_ALIGN];
    frame_put_u64(frame, length);
    frame_put(frame, zeros, padding(frame->body.length));
    frame_put(frame, bytes, length);
}

/* A string is a block with its terminator, so that it can be used in place; NULL is an empty
 * block. */
void frame_put_string(struct frame *frame, const char *string)
{
    frame_put_block(frame, string, string ? strlen(string) + 1 : 0);
}

/* --- Reading ------------------------------------------------------------------------------ */

/* The next `length` bytes, or NULL when there are fewer. */
static const void *take(struct frame *frame, uint64_t length)
{
    if (frame->is_short || length > frame->body.length - frame->at) {
        frame->is_short = true;
        return NULL;
    }
    const char *bytes = frame->body.at + frame->at;
    frame->at += (size_t)length;
    return bytes;
}

void frame_get(struct frame *frame, void *bytes, size_t length)
{
    if (length == 0)
        return;
    const void *from = take(frame, length);
    if (from)
        memcpy(bytes, from, length);
    else
        memset(bytes, 0, length);
}

uint64_t frame_get_u64(struct frame *frame)
{
    uint64_t value;
    frame_get(frame, &value, sizeof value);
    return value;
}

const void *frame_get_block(struct frame *frame, size_t *length)
{
    static const char zeros[BLOCK_ALIGN];
    const uint64_t wanted = frame_get_u64(frame);
    const size_t gap = padding(frame->at);
    const void *between = take(frame, gap);
    if (between && memcmp(between, zeros, gap) != 0)
        frame->is_short = true; /* nobody writes that */
    const void *bytes = take(frame, wanted);
    *length = bytes ? (size_t)wanted : 0;
    return bytes;
}

const char *frame_get_string(struct frame *frame)
{
    size_t length;
    const char *string = frame_get_block(frame, &length);
    if (!string || length == 0)
        return NULL;
    if (memchr(string, '\0', length) != string + length - 1) { /* nobody writes that */
        frame->is_short = true;
        return NULL;
    }
    return string;
}

int frame_check(const struct frame *frame, struct error *error)
{
    if (text_check(&frame->body, error))
        return -1;
    if (frame->body.length > FRAME_BODY_MAX)
        return error_set(error, ERROR_FAILED,
                         "a message of kind %u has %zu bytes, more than the %d that one may "
                         "have; choose a smaller problem",
                         frame->kind, frame->body.length, (int)FRAME_BODY_MAX);
    if (frame->is_short)
        return error_set(error, ERROR_FAILED,
                         "a message of kind %u is shorter than what it should hold (%zu "
                         "bytes); report this as a fault of autotune",
                         frame->kind, frame->body.length);
    return 0;
}

/* --- Sending and receiving ---------------------------------------------------------------- */

void frame_write_header(unsigned char out[FRAME_HEADER_BYTES], const struct frame *frame)
{
    const uint64_t length = frame->body.length;
    const uint32_t mark = MARK;
    memcpy(out, &length, sizeof length);
    memcpy(out + 8, &frame->kind, sizeof frame->kind);
    memcpy(out + 12, &mark, sizeof mark);
}

int frame_read_header(const unsigned char in[FRAME_HEADER_BYTES], uint32_t *kind,
                      size_t *length)
{
    uint64_t bytes;
    uint32_t mark;
    memcpy(&bytes, in, sizeof bytes);
    memcpy(kind, in + 8, sizeof *kind);
    memcpy(&mark, in + 12, sizeof mark);
    *length = bytes <= FRAME_BODY_MAX ? (size_t)bytes : 0;
    return mark == MARK && bytes <= FRAME_BODY_MAX ? 0 : -1;
}

/* Does not use text_add: the bytes come from a socket straight to their place, and the memory
 * is exact. An absurd length costs little: pages that are not written to are not there. */
int frame_open_body(struct frame *frame, uint32_t kind, size_t length, struct error *error)
{
    frame_dispose(frame);
    frame->kind = kind;
    frame->body.at = malloc(length + 1);
    if (!frame->body.at)
        return error_memory(error, length + 1);
    frame->body.at[length] = '\0';
    frame->body.length = length;
    frame->body.capacity = length + 1;
    return 0;
}

static int send_all(int to, const void *bytes, size_t length, struct error *error)
{
    const char *at = bytes;
    while (length) {
        const ssize_t sent = send(to, at, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return error_set(error, ERROR_IO,
                             "cannot send a message to the other process of this run: %s; if "
                             "it was stopped, run the command again",
                             strerror(errno));
        at += sent;
        length -= (size_t)sent;
    }
    return 0;
}

int frame_send(int socket, const struct frame *frame, struct error *error)
{
    unsigned char header[FRAME_HEADER_BYTES];
    if (frame_check(frame, error))
        return -1;
    frame_write_header(header, frame);
    return send_all(socket, header, sizeof header, error) ||
                   send_all(socket, frame->body.at, frame->body.length, error)
               ? -1
               : 0;
}

/* Returns how many bytes came before the end, `length` when there was none, or -1. A side that
 * closes while something for it is unread shows as a reset: that is an end too. */
static ssize_t receive_all(int from, void *bytes, size_t length, struct error *error)
{
    size_t got = 0;
    while (got < length) {
        const ssize_t more = recv(from, (char *)bytes + got, length - got, 0);
        if (more < 0 && errno == EINTR)
            continue;
        if (more == 0 || (more < 0 && errno == ECONNRESET))
            break;
        if (more < 0)
            return error_set(error, ERROR_IO,
                             "cannot receive a message from the other process of this run: %s; "
                             "run the command again",
                             strerror(errno));
        got += (size_t)more;
    }
    return (ssize_t)got;
}

static int cut_off(struct error *error)
{
    return error_set(error, ERROR_IO,
                     "the other process of this run ended in the middle of a message; run the "
                     "command again");
}

int frame_receive(int socket, struct frame *out, struct error *error)
{
    unsigned char header[FRAME_HEADER_BYTES];
    uint32_t kind;
    size_t length;
    frame_dispose(out);
    ssize_t got = receive_all(socket, header, sizeof header, error);
    if (got <= 0)
        return (int)got;
    if (got < (ssize_t)sizeof header)
        return cut_off(error);
    if (frame_read_header(header, &kind, &length))
        return error_set(error, ERROR_IO,
                         "what came from the other process of this run is no message; report "
                         "this as a fault of autotune");
    if (frame_open_body(out, kind, length, error))
        return -1;
    got = receive_all(socket, out->body.at, length, error);
    if (got == (ssize_t)length)
        return 1;
    frame_dispose(out);
    return got < 0 ? -1 : cut_off(error);
}

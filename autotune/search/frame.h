/* frame: sends messages between the coordinator and its workers: a kind and a body, length
 * first, over a stream socket. Both ends are the same program on the same machine, so numbers
 * are sent as they are in memory. Hides partial reads and writes. */
#ifndef AUTOTUNE_FRAME_H
#define AUTOTUNE_FRAME_H

#include "generator/error.h"
#include "generator/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message being written or read. Writing appends to the body; reading takes from it in the
 * same order. Both fail stickily: use freely, check once. Initialise with
 * `struct frame f = {.kind = K};`. */
struct frame {
    uint32_t kind;
    struct text body; /* bytes, not only text */
    size_t at;        /* of reading: the bytes taken so far */
    bool is_short;    /* of reading: more was asked for than there is, or what nobody writes */
};
void frame_dispose(struct frame *frame);

void frame_put(struct frame *frame, const void *bytes, size_t length);
void frame_put_u64(struct frame *frame, uint64_t value);
void frame_put_block(struct frame *frame, const void *bytes, size_t length); /* length first */
void frame_put_string(struct frame *frame, const char *string); /* NULL stays NULL */

void frame_get(struct frame *frame, void *bytes, size_t length); /* zeros when short */
uint64_t frame_get_u64(struct frame *frame);
/* Both point into the body, at any alignment, valid until the frame is disposed of or written
 * to; NULL when short (a string also when it was NULL). */
const void *frame_get_block(struct frame *frame, size_t *length);
const char *frame_get_string(struct frame *frame);

/* 0, or -1 when memory was short or FRAME_BODY_MAX passed while writing, or the body was short
 * while reading. */
int frame_check(const struct frame *frame, struct error *error);

enum { FRAME_BODY_MAX = 256 << 20, FRAME_HEADER_BYTES = 16 };

/* The bytes in front of a body: length and kind. */
void frame_write_header(unsigned char out[FRAME_HEADER_BYTES], const struct frame *frame);
/* -1: no header of ours (the length is past FRAME_BODY_MAX, or our mark is missing). */
int frame_read_header(const unsigned char in[FRAME_HEADER_BYTES], uint32_t *kind,
                      size_t *length);
/* Disposes of the frame and makes it one of `kind` with `length` bytes, yet to be filled in. */
int frame_open_body(struct frame *frame, uint32_t kind, size_t length, struct error *error);

/* Blocking, for a worker. frame_receive: 1 = a frame, 0 = the other side has closed, -1 =
 * error. `out` is disposed of first. Never raises SIGPIPE. */
int frame_send(int socket, const struct frame *frame, struct error *error);
int frame_receive(int socket, struct frame *out, struct error *error);

#endif

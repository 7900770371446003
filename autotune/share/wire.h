/* wire: writes and reads the messages between the processes of a shared list, in bytes that are the
 * same on every machine: numbers are little-endian, and what is of any length has its length first. */
#ifndef AUTOTUNE_WIRE_H
#define AUTOTUNE_WIRE_H

#include "generator/text.h"

#include <stdint.h>

enum {
    WIRE_VERSION = 1,
    WIRE_HEADER = 8, /* bytes: length of the body (4), kind (2), version (2) */
    WIRE_BODY_MAX = 256 << 20,
};

/* A message being written or read. Writing appends to the body; reading takes from it in the same
 * order. Both fail stickily. Initialise with `struct wire w = {.kind = K};`. */
struct wire {
    uint16_t kind, version; /* version: of a message that was read; 0 = this one's */
    struct text body;
    size_t at;     /* of reading */
    bool is_short; /* of reading: more was asked for than there is */
};
void wire_dispose(struct wire *wire);

void wire_put_u32(struct wire *wire, uint32_t value);
void wire_put_u64(struct wire *wire, uint64_t value);
void wire_put_real(struct wire *wire, double value); /* the bits of an IEEE 754 double */
void wire_put_bytes(struct wire *wire, const char *bytes, size_t length);
void wire_put_string(struct wire *wire, const char *string); /* NULL as "" */

/* Zeros once it is short. Bytes and strings stand within the message. */
uint32_t wire_get_u32(struct wire *wire);
uint64_t wire_get_u64(struct wire *wire);
double wire_get_real(struct wire *wire);
const char *wire_get_bytes(struct wire *wire, size_t *length);
const char *wire_get_string(struct wire *wire); /* never NULL; cut at a zero byte */

/* Appends header and body; a message that could not be written makes `out` fail too. */
void wire_pack(struct text *out, const struct wire *wire);

/* Messages as they come, in pieces of any size. Initialise with zeros. */
struct wire_stream {
    struct text bytes;
    size_t first; /* of the bytes not taken yet */
};
/* Takes the next message: 1; 0 where it is not there whole; -1 for memory, or what is no message. */
int wire_take(struct wire *out, struct wire_stream *stream, struct error *error);

#endif

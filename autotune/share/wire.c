/* wire: puts numbers byte by byte, so that no machine's own order shows. */
#include "autotune/share/wire.h"

#include <string.h>

void wire_dispose(struct wire *wire)
{
    text_dispose(&wire->body);
    *wire = (struct wire){0};
}

/* --- Writing ------------------------------------------------------------------------------ */

static void put(struct text *out, uint64_t value, size_t bytes)
{
    char at[8];
    for (size_t i = 0; i < bytes; i++)
        at[i] = (char)(value >> 8 * i & 0xff);
    text_add(out, at, bytes);
}

void wire_put_u32(struct wire *wire, uint32_t value)
{
    put(&wire->body, value, 4);
}

void wire_put_u64(struct wire *wire, uint64_t value)
{
    put(&wire->body, value, 8);
}

void wire_put_real(struct wire *wire, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    wire_put_u64(wire, bits);
}

/* Behind the bytes stands a zero, so that a string can be used in place. */
void wire_put_bytes(struct wire *wire, const char *bytes, size_t length)
{
    wire_put_u32(wire, (uint32_t)length);
    if (length)
        text_add(&wire->body, bytes, length);
    text_add(&wire->body, "", 1);
}

void wire_put_string(struct wire *wire, const char *string)
{
    wire_put_bytes(wire, string, string ? strlen(string) : 0);
}

/* --- Reading ------------------------------------------------------------------------------ */

static const char *take(struct wire *wire, size_t length)
{
    if (wire->is_short || length > wire->body.length - wire->at) {
        wire->is_short = true;
        return NULL;
    }
    wire->at += length;
    return wire->body.at + wire->at - length;
}

static uint64_t read_number(const char *at, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)(unsigned char)at[i] << 8 * i;
    return value;
}

static uint64_t get(struct wire *wire, size_t bytes)
{
    const char *at = take(wire, bytes);
    return at ? read_number(at, bytes) : 0;
}

uint32_t wire_get_u32(struct wire *wire)
{
    return (uint32_t)get(wire, 4);
}

uint64_t wire_get_u64(struct wire *wire)
{
    return get(wire, 8);
}

double wire_get_real(struct wire *wire)
{
    const uint64_t bits = wire_get_u64(wire);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

const char *wire_get_bytes(struct wire *wire, size_t *length)
{
    const size_t wanted = wire_get_u32(wire);
    const char *at = take(wire, wanted + 1);
    if (at && at[wanted] != '\0')
        wire->is_short = true;
    *length = at && !wire->is_short ? wanted : 0;
    return *length ? at : "";
}

const char *wire_get_string(struct wire *wire)
{
    size_t length;
    return wire_get_bytes(wire, &length);
}

/* --- Messages ----------------------------------------------------------------------------- */

void wire_pack(struct text *out, const struct wire *wire)
{
    if (wire->body.failed || wire->body.length > WIRE_BODY_MAX) {
        out->failed = true;
        return;
    }
    put(out, wire->body.length, 4);
    put(out, wire->kind, 2);
    put(out, wire->version ? wire->version : WIRE_VERSION, 2);
    if (wire->body.length)
        text_add(out, wire->body.at, wire->body.length);
}

/* What was taken goes once it is most of what is there. */
static void forget_taken(struct wire_stream *stream)
{
    struct text *bytes = &stream->bytes;
    if (stream->first < bytes->length / 2 || stream->first == 0)
        return;
    memmove(bytes->at, bytes->at + stream->first, bytes->length - stream->first);
    bytes->length -= stream->first;
    stream->first = 0;
}

int wire_take(struct wire *out, struct wire_stream *stream, struct error *error)
{
    const size_t held = stream->bytes.length - stream->first;
    const char *at = stream->bytes.at + stream->first;
    if (text_check(&stream->bytes, error))
        return -1;
    if (held < WIRE_HEADER)
        return 0;
    const size_t length = (size_t)read_number(at, 4);
    if (length > WIRE_BODY_MAX)
        return error_set(error, ERROR_FAILED,
                         "a message of %zu bytes came, which no autotune sends: start the same "
                         "version of it everywhere",
                         length);
    if (held < WIRE_HEADER + length)
        return 0;
    *out = (struct wire){.kind = (uint16_t)read_number(at + 4, 2),
                         .version = (uint16_t)read_number(at + 6, 2)};
    text_add(&out->body, at + WIRE_HEADER, length);
    stream->first += WIRE_HEADER + length;
    forget_taken(stream);
    return text_check(&out->body, error) ? -1 : 1;
}

/* oracle_result: results compared, turned into numbers and printed, the same in every locale.
 * Hides how a value of each type lies in oracle_bits. */
#include "autotune/tune/oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool bits_are_nan(enum type type, oracle_bits value)
{
    if (type == F32)
        return (value & 0x7fffffffu) > 0x7f800000u;
    return type == F64 && value << 1 > (oracle_bits)0x7ff << 53;
}

bool oracle_equal(enum type type, oracle_bits expect, oracle_bits got)
{
    return expect == got || (bits_are_nan(type, expect) && bits_are_nan(type, got));
}

double oracle_to_double(enum type type, oracle_bits value)
{
    const uint32_t low = (uint32_t)value;
    float narrow;
    double wide;
    memcpy(&narrow, &low, sizeof narrow);
    memcpy(&wide, &value, sizeof wide);
    switch (type) {
    case I32:
        return (int32_t)low;
    case U32:
        return low;
    case I64:
        return (double)(int64_t)value;
    case F32:
        return narrow;
    case F64:
        return wide;
    default:
        return (double)value;
    }
}

/* The radix character is '.' whatever the locale says. */
static void set_point(char *string)
{
    char *to = string;
    for (const char *from = string; *from != '\0'; from++) {
        const bool is_plain = strchr("0123456789+-einfa", *from) != NULL;
        if (is_plain)
            *to++ = *from;
        else if (to == string || to[-1] != '.')
            *to++ = '.';
    }
    *to = '\0';
}

char *oracle_format(char out[ORACLE_CHARS], enum type type, oracle_bits value)
{
    if (type == I32 || type == I64) {
        const int64_t number = type == I32 ? (int32_t)(uint32_t)value : (int64_t)value;
        snprintf(out, ORACLE_CHARS, "%" PRId64, number);
    } else if (type == U32 || type == U64) {
        snprintf(out, ORACLE_CHARS, "%" PRIu64, type == U32 ? value & UINT32_MAX : value);
    } else if (bits_are_nan(type, value)) {
        snprintf(out, ORACLE_CHARS, "nan");
    } else {
        snprintf(out, ORACLE_CHARS, "%.*g", type == F32 ? 9 : 17, oracle_to_double(type, value));
        set_point(out);
    }
    return out;
}

/* oracle_result: compares results, turns them into numbers and prints them, the same in every
 * locale. Hides how a value of each type lies in oracle_bits. */
#include "autotune/verify/element.h"
#include "autotune/verify/oracle.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_nan(enum type type, oracle_bits value)
{
    return problem_types[type].is_float && isnan(element_load(type, &value, 0));
}

bool oracle_equal(enum type type, oracle_bits expect, oracle_bits got)
{
    return expect == got || (is_nan(type, expect) && is_nan(type, got));
}

/* The bits of a signed type extended by their sign. */
static int64_t extend(enum type type, oracle_bits value)
{
    const int above = 64 - 8 * problem_types[type].bytes;
    return (int64_t)(value << above) >> above;
}

double oracle_to_double(enum type type, oracle_bits value)
{
    if (problem_types[type].is_float)
        return element_load(type, &value, 0);
    return problem_types[type].is_signed ? (double)extend(type, value) : (double)value;
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
    const struct type_row *row = &problem_types[type];
    if (!row->is_float) {
        if (row->is_signed)
            snprintf(out, ORACLE_CHARS, "%" PRId64, extend(type, value));
        else
            snprintf(out, ORACLE_CHARS, "%" PRIu64, value);
    } else if (is_nan(type, value)) {
        snprintf(out, ORACLE_CHARS, "nan");
    } else {
        const int digits = row->bytes == 4 ? 9 : 17; /* enough to tell any two values apart */
        snprintf(out, ORACLE_CHARS, "%.*g", digits, oracle_to_double(type, value));
        set_point(out);
    }
    return out;
}

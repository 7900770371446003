/* oracle_further: hashes the place of an element to one of those that are drawn. The pattern repeats after a prime,
 * far from what a wrong index is off by, so that a device fills memory by copies. */
#include "autotune/verify/oracle_further.h"

#include "autotune/verify/oracle_mapped.h"
#include "autotune/verify/oracle_ops.h"

#include <assert.h>
#include <math.h>

static const double USUAL_MOST =
    16; /* as large as elements are that leave sums of others their digits */

uint64_t further_word(enum type type, enum type acc, uint64_t bits)
{
    union element_block raw = {.u64 = {0}}, wide;
    memcpy(&raw, &bits, sizeof bits);
    element_widen(type, &wide, &raw);
    if (problem_types[type].is_float || !problem_types[acc].is_float)
        return wide.u64[0];
    const double value =
        problem_types[type].is_signed ? (double)wide.i64[0] : (double)wide.u64[0];
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static bool may_be_usual(enum type type, uint64_t bits)
{
    const double size = fabs(oracle_to_double(type, bits));
    return !problem_types[type].is_float || size <= USUAL_MOST; /* no NaN */
}

void further_draw(struct further *out, enum type type, enum type acc)
{
    out->type = type;
    out->usual_count = 0;
    for (uint64_t i = 0; i < FURTHER_DRAWN; i++) {
        const uint64_t bits = mapped_draw(type, i);
        out->all_bits[i] = bits;
        out->all_words[i] = further_word(type, acc, bits);
        if (!may_be_usual(type, bits))
            continue;
        out->bits[out->usual_count] = bits;
        out->words[out->usual_count++] = out->all_words[i];
    }
    assert(out->usual_count > 0);
}

/* Which of the drawn ones: special values may be among them before ORACLE_USUAL. */
static size_t index_of(const struct further *further, size_t input, uint64_t at)
{
    const uint64_t place =
        at < ORACLE_USUAL ? at : ORACLE_USUAL + (at - ORACLE_USUAL) % ORACLE_PATTERN;
    const uint64_t hash = oracle_mix(place + ((uint64_t)input << 48)) >> 32;
    return (size_t)(hash * (at < ORACLE_USUAL ? FURTHER_DRAWN : further->usual_count) >> 32);
}

uint64_t further_bits_at(const struct further *further, size_t input, uint64_t at)
{
    const size_t index = index_of(further, input, at);
    return at < ORACLE_USUAL ? further->all_bits[index] : further->bits[index];
}

uint64_t further_word_at(const struct further *further, size_t input, uint64_t at)
{
    const size_t index = index_of(further, input, at);
    return at < ORACLE_USUAL ? further->all_words[index] : further->words[index];
}

/* oracle_position: elements become integers that are the less the earlier their value counts: NaN
 * first, zeros of both signs alike. Of equals the lowest position counts, whatever the order in
 * which they come. Hides what words[] holds. */
#include "autotune/tune/oracle_position.h"

#include "autotune/tune/element.h"

#include <string.h>

enum { KEY, POSITION };

static const uint64_t NONE = UINT64_MAX;

/* --- Keys --------------------------------------------------------------------------------- */

/* In the order of the values; floats as a sign and a magnitude, -0 and +0 both 0. */
static int64_t float_key(double value, bool greatest)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (value != value)
        return INT64_MIN;
    const int64_t magnitude = bits & INT64_MAX;
    return (bits < 0) == greatest ? magnitude : -magnitude;
}

static void make_keys(int64_t *keys, const struct problem *problem, const union element_block *block)
{
    const bool greatest = problem_ops[problem->op].seeks > 0;
    const uint64_t top = problem->type == U64 ? UINT64_C(1) << 63 : 0;
    const uint64_t turn = greatest ? UINT64_MAX : 0;
    if (problem_types[problem->type].is_float)
        for (int i = 0; i < ELEMENT_BLOCK; i++)
            keys[i] = float_key(block->f64[i], greatest);
    else
        for (int i = 0; i < ELEMENT_BLOCK; i++)
            keys[i] = (int64_t)(block->u64[i] ^ top ^ turn);
}

/* --- The fold ----------------------------------------------------------------------------- */

static void take(struct oracle_fold *fold, int64_t key, uint64_t position)
{
    const int64_t best = (int64_t)fold->words[KEY];
    if (position == NONE || key > best || (key == best && position > fold->words[POSITION]))
        return;
    fold->words[KEY] = (uint64_t)key;
    fold->words[POSITION] = position;
}

void position_init(struct oracle_fold *fold)
{
    fold->words[KEY] = INT64_MAX;
    fold->words[POSITION] = NONE;
}

/* Almost always no element of a block is as good as what is known. */
static void add_block(struct oracle_fold *fold, const union element_block *block, uint64_t count)
{
    int64_t keys[ELEMENT_BLOCK], least = INT64_MAX;
    make_keys(keys, &fold->problem, block);
    for (uint64_t i = 0; i < count; i++)
        least = keys[i] < least ? keys[i] : least;
    if (least > (int64_t)fold->words[KEY])
        return;
    uint64_t first = 0;
    while (keys[first] != least)
        first++;
    take(fold, least, fold->next + first);
}

void position_add(struct oracle_fold *fold, const void *elements, uint64_t count)
{
    const uint64_t bytes = (uint64_t)problem_types[fold->problem.type].bytes;
    const unsigned char *from = elements;
    while (count > 0) {
        const uint64_t piece = count < ELEMENT_BLOCK ? count : ELEMENT_BLOCK;
        union element_block raw = {.u64 = {0}}, block;
        memcpy(&raw, from, piece * bytes);
        element_widen(fold->problem.type, &block, &raw);
        add_block(fold, &block, piece);
        fold->next += piece;
        fold->count += piece;
        from += piece * bytes;
        count -= piece;
    }
}

void position_merge(struct oracle_fold *into, const struct oracle_fold *from)
{
    take(into, (int64_t)from->words[KEY], from->words[POSITION]);
    into->count += from->count;
}

oracle_bits position_result(const struct oracle_fold *fold)
{
    return fold->words[POSITION];
}

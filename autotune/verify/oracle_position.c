/* oracle_position: folds argmin and argmax. Elements become integers that are the less the
 * earlier their value counts: NaN first, zeros of both signs alike. Of equals the lowest
 * position counts, in whatever order they come. Hides the contents of words[]. */
#include "autotune/verify/oracle_ops.h"

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

static void make_keys(int64_t *keys, const struct problem *problem,
                      const union element_block *block)
{
    const bool greatest = problem_law(problem)->seeks > 0;
    const struct type_row *row = &problem_types[problem->type];
    const uint64_t top = row->is_signed ? 0 : UINT64_C(1) << 63;
    const uint64_t turn = greatest ? UINT64_MAX : 0;
    if (row->is_float)
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

static void init(struct oracle_fold *fold)
{
    fold->words[KEY] = INT64_MAX;
    fold->words[POSITION] = NONE;
}

/* Adds a block; almost always none of its elements is as good as the best so far. */
static void add(struct oracle_fold *fold, union element_block *block, uint64_t count)
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

static void merge(struct oracle_fold *into, const struct oracle_fold *from)
{
    take(into, (int64_t)from->words[KEY], from->words[POSITION]);
}

static int finish(const struct oracle_fold *fold, oracle_bits *out, struct error *error)
{
    (void)error;
    *out = fold->words[POSITION];
    return 0;
}

const struct oracle_folding oracle_fold_position = {.init = init,
                                                    .add = add,
                                                    .merge = merge,
                                                    .finish = finish};

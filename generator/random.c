/* random: draws by splitmix64 (Steele, Lea, Flood 2014), and shuffles as Fisher and Yates do. */
#include "generator/random.h"

uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Below `limit` > 0, each equally likely: what the remainder would favour is drawn again. */
static uint64_t random_below(uint64_t limit, uint64_t *state)
{
    uint64_t excess = (UINT64_MAX % limit + 1) % limit, drawn;
    do
        drawn = random_next(state);
    while (drawn > UINT64_MAX - excess);
    return drawn % limit;
}

void random_shuffle(size_t *order, size_t count, uint64_t *state)
{
    for (size_t left = count; left > 1; left--) {
        size_t other = (size_t)random_below(left, state), last = order[left - 1];
        order[left - 1] = order[other];
        order[other] = last;
    }
}

/* banks: finds, for each part of the warp that is served by itself, the bank with the most
 * words. */
#include "autotune/analysis/banks.h"

enum { BYTES_MAX = 16 };

struct part {
    uint64_t words[BANKS_LANES * BYTES_MAX / BANKS_WORD]; /* wanted, each once */
    unsigned word_count, ways, in_bank[BANKS];
};

static void want_word(struct part *part, uint64_t word)
{
    for (unsigned i = 0; i < part->word_count; i++)
        if (part->words[i] == word)
            return;
    part->words[part->word_count++] = word;
    const unsigned ways = ++part->in_bank[word % BANKS];
    part->ways = ways > part->ways ? ways : part->ways;
}

/* Of the lanes first .. first + count - 1. */
static unsigned count_part(uint32_t lanes, const uint64_t at[BANKS_LANES], unsigned bytes,
                           unsigned first, unsigned count)
{
    struct part part = {.ways = 0};
    for (unsigned lane = first; lane < first + count; lane++)
        if (lanes >> lane & 1)
            for (uint64_t word = at[lane] / BANKS_WORD;
                 word <= (at[lane] + bytes - 1) / BANKS_WORD; word++)
                want_word(&part, word);
    return part.ways;
}

static void count_access(struct banks *out, uint32_t lanes, const uint64_t at[BANKS_LANES],
                         unsigned bytes)
{
    const unsigned at_once = BANKS_LANES / (bytes <= 4 ? 1u : bytes <= 8 ? 2u : 4u);
    const unsigned wanted = (unsigned)__builtin_popcount(lanes) * bytes;
    out->ideal += (wanted + BANKS * BANKS_WORD - 1) / (BANKS * BANKS_WORD);
    for (unsigned first = 0; first < BANKS_LANES; first += at_once) {
        const unsigned ways = count_part(lanes, at, bytes, first, at_once);
        out->wavefronts += ways;
        out->ways = ways > out->ways ? ways : out->ways;
    }
}

void banks_count(struct banks *out, uint32_t lanes, const uint64_t at[BANKS_LANES],
                 unsigned bytes)
{
    uint64_t from[BANKS_LANES];
    *out = (struct banks){.ways = 0};
    for (unsigned done = 0; done < bytes; done += BYTES_MAX) {
        const unsigned left = bytes - done;
        for (unsigned lane = 0; lane < BANKS_LANES; lane++)
            from[lane] = at[lane] + done;
        count_access(out, lanes, from, left < BYTES_MAX ? left : BYTES_MAX);
    }
}

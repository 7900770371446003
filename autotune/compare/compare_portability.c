/* compare_portability: takes the harmonic mean of the shares of the bandwidth reached. */
#include "autotune/compare/compare_portability.h"

/* The basis that all sides have; without one, each may still have a share or a bound. */
static enum compare_basis find_common(const struct compare *compare,
                                      const struct compare_line *line)
{
    const enum compare_basis first = line->cells[0].basis;
    for (size_t s = 0; s < compare->side_count; s++)
        if (line->cells[s].basis != first || first == COMPARE_EMULATED)
            return COMPARE_BOUND;
    return first > COMPARE_PREDICTED ? first : COMPARE_BOUND;
}

/* Percent of the peak; the emulator has none. */
static double find_share(const struct compare_cell *cell, enum compare_basis common)
{
    const bool is_known = cell->basis == COMPARE_PUBLISHED || cell->basis == COMPARE_MEASURED ||
                          cell->basis == COMPARE_BOUND;
    const bool has_share = is_known && cell->peak_pct > 0;
    return common == COMPARE_BOUND && !has_share ? cell->analysis.bound * 100 : cell->peak_pct;
}

double compare_portability(const struct compare *compare, const struct compare_line *line,
                           enum compare_basis *basis)
{
    double sum = 0;
    *basis = find_common(compare, line);
    for (size_t s = 0; s < compare->side_count && *basis != COMPARE_NOTHING; s++) {
        const struct compare_cell *cell = &line->cells[s];
        const double percent = find_share(cell, *basis);
        if (percent <= 0 || cell->basis == COMPARE_WITHHELD || compare_is_free(cell))
            *basis = COMPARE_NOTHING;
        else
            sum += 1 / percent;
    }
    return *basis == COMPARE_NOTHING ? -1 : (double)compare->side_count / sum;
}

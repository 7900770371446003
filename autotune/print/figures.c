/* figures: rounds and formats numbers in one place, so that every table and message rounds
 * alike. It uses whole numbers, so that no locale can change the decimal point. */
#include "autotune/print/figures.h"

#include <math.h>
#include <stdio.h>

double figures_bytes(const struct problem *problem)
{
    return problem_bytes(problem);
}

double figures_gbs(const struct problem *problem, uint64_t ps)
{
    return ps ? figures_bytes(problem) / (double)ps * 1e3 : 0;
}

double figures_peak_percent(const struct problem *problem, uint64_t ps, uint64_t peak)
{
    return peak ? figures_gbs(problem, ps) * 1e9 / (double)peak * 100 : -1;
}

double figures_spread_percent(uint64_t median_ps, uint64_t low_ps, uint64_t high_ps)
{
    return median_ps && high_ps > low_ps
               ? (double)(high_ps - low_ps) / 2 / (double)median_ps * 100
               : 0;
}

char *figures_us(char out[NUMBER_CHARS], uint64_t ps)
{
    return number_format_fixed(out, ps / 10000 + (ps % 10000 >= 5000), 2);
}

char *figures_short(char out[NUMBER_CHARS], double value, int digits)
{
    int decimals = digits - 1;
    uint64_t whole = 1;
    if (!(value >= 0 && value < 1e15)) /* no figure of ours */
        value = 0;
    for (int i = 0; i < decimals; i++)
        whole *= 10;
    for (double limit = 10 - 5 / (double)(10 * whole); decimals > 0 && value >= limit;
         limit *= 10) {
        decimals--;
        whole /= 10;
    }
    return number_format_fixed(out, (uint64_t)(value * (double)whole + 0.5), decimals);
}

char *figures_bound(char out[NUMBER_CHARS], double bound, bool is_most)
{
    const double unit = bound < 10 ? 100 : bound < 100 ? 10 : 1;
    const double inexact = 1e-6; /* what arithmetic may add to a round number */
    const double scaled = bound * unit;
    const double kept = is_most ? ceil(scaled - inexact) : floor(scaled + inexact);
    return figures_short(out, kept / unit, 3);
}

char *figures_speed(char out[NUMBER_CHARS], double gbs)
{
    enum { DECIMALS_MAX = 6 };
    double scale = 10;
    int decimals = 1;
    if (!(gbs >= 0 && gbs < 1e12)) /* no figure of ours */
        gbs = 0;
    for (double limit = 9.995; gbs > 0 && gbs < limit && decimals < DECIMALS_MAX; limit /= 10) {
        decimals++;
        scale *= 10;
    }
    return number_format_fixed(out, (uint64_t)(gbs * scale + 0.5), decimals);
}

char *figures_size(char out[NUMBER_CHARS], double bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    size_t unit = 0;
    for (; bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
        bytes /= 1000;
    const unsigned tenths = (unsigned)(bytes * 10 + 0.5);
    if (tenths >= 100 || tenths % 10 == 0)
        snprintf(out, NUMBER_CHARS, "%u %s", (tenths + 5) / 10, units[unit]);
    else
        snprintf(out, NUMBER_CHARS, "%u.%u %s", tenths / 10, tenths % 10, units[unit]);
    return out;
}

/* axis: fits logarithmic and linear scales, each with the rule of its ticks. */
#include "autotune/report/axis.h"

#include <math.h>
#include <stdio.h>

static size_t within(size_t count, size_t least)
{
    return count < least ? least : count > AXIS_TICKS_MAX ? AXIS_TICKS_MAX : count;
}

void axis_fit_log(struct axis *out, double least, double most, size_t count)
{
    const double slack = 1e-9; /* for powers of two but for rounding */
    double low = log2(least), high = log2(most);
    if (high - low < 1) {
        low = floor(low + slack);
        high = low + fmax(1, ceil(high - low - slack));
    }
    const int first = (int)ceil(low - slack), last = (int)floor(high + slack);
    const int places = (int)within(count, 1), step = (last - first) / places + 1;
    *out = (struct axis){.is_log = true, .low = exp2(low), .high = exp2(high)};
    for (int power = first; power <= last; power += step)
        out->ticks[out->tick_count++] = exp2(power);
}

/* Adds ticks at `digits` of each decade that lie on the axis. Returns how many there are, and
 * keeps as many as there is room for. */
static size_t add_decades(struct axis *out, const double *digits, size_t digit_count, int step)
{
    const int first = (int)floor(log10(out->low)), last = (int)ceil(log10(out->high));
    size_t count = 0;
    for (int power = first; power <= last; power++)
        for (size_t d = 0; d < digit_count; d++) {
            const double at = digits[d] * pow(10, power);
            if (power % step || at < out->low * (1 - 1e-9) || at > out->high * (1 + 1e-9))
                continue;
            if (count < AXIS_TICKS_MAX)
                out->ticks[count] = at;
            count++;
        }
    out->tick_count = count < AXIS_TICKS_MAX ? count : AXIS_TICKS_MAX;
    return count;
}

void axis_fit_decades(struct axis *out, double least, double most, size_t count)
{
    static const double digits[] = {1, 2, 5};
    const size_t most_ticks = within(count, 1);
    *out = (struct axis){.is_log = true, .low = least, .high = fmax(most, least * 2)};
    if (add_decades(out, digits, sizeof digits / sizeof *digits, 1) <= most_ticks)
        return;
    for (int step = 1; add_decades(out, digits, 1, step) > most_ticks; step++)
        ;
}

/* The least of 1, 2, 5, 10 ... that is at least `value`. */
static double round_up(double value)
{
    static const double steps[] = {1, 2, 5, 10};
    const double power = pow(10, floor(log10(value)));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i] * power >= value * (1 - 1e-9))
            return steps[i] * power;
    return 10 * power;
}

void axis_fit_linear(struct axis *out, double least, double most, size_t count)
{
    if (!(most > least))
        most = least + (least != 0 ? fabs(least) : 1);
    const double gaps = (double)within(count, 3) - 1;
    double step = round_up((most - least) / gaps);
    while (ceil(most / step - 1e-9) - floor(least / step + 1e-9) > gaps)
        step = round_up(step * 1.5);
    const double first = floor(least / step + 1e-9), last = ceil(most / step - 1e-9);
    *out = (struct axis){.low = first * step, .high = last * step};
    for (double at = first; at <= last; at++)
        out->ticks[out->tick_count++] = at * step;
}

double axis_place(const struct axis *axis, double value)
{
    const double low = axis->is_log ? log2(axis->low) : axis->low;
    const double high = axis->is_log ? log2(axis->high) : axis->high;
    const double at = axis->is_log ? (value > 0 ? log2(value) : low) : value;
    const double share = fmin(fmax((at - low) / (high - low), 0), 1);
    return axis->from + share * (axis->to - axis->from);
}

char *axis_label(char out[NUMBER_CHARS], const struct axis *axis, double tick)
{
    if (axis->is_log && tick >= 1000 && tick < 0x1p63)
        return number_format_count(out, (uint64_t)tick);
    snprintf(out, NUMBER_CHARS, "%.6g", fabs(tick) < 1e-12 ? 0 : tick);
    return out;
}

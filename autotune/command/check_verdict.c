/* check_verdict: compares ratios with limits. Times that were taken by turns decide alone; times of different
 * days decide only together with them, for clocks and temperatures differ from day to day. */
#include "autotune/command/check_verdict.h"

#include <math.h>

const char *const check_verdicts[CHECK_VERDICTS] = {
    [CHECK_SAME] = "same",         [CHECK_FASTER] = "faster", [CHECK_SLOWER] = "slower",
    [CHECK_WRONG] = "wrong",       [CHECK_UNTOLD] = "untold", [CHECK_STALE] = "stale",
    [CHECK_LEFT_OUT] = "left out",
};

const char *const check_bases[CHECK_BASES] = {
    [CHECK_BY_NOTHING] = "",
    [CHECK_BY_OLD] = "old code",
    [CHECK_BY_DEFAULT] = "lead over the default",
    [CHECK_BY_CLAIM] = "time on record",
};

static const double BY_TURNS = 1.005; /* the same kernel twice may differ by as much */
static const double BY_LEAD = 1.01;  /* a second process may see so much more at microseconds */
static const double BY_CLAIM = 1.03; /* so much do clocks and temperatures change */
static const double WIDE = 1.03;     /* an interval that ends farther out tells nothing */

struct check_ratio check_ratio_inverse(struct check_ratio ratio)
{
    if (ratio.middle <= 0)
        return (struct check_ratio){0, 0, 0};
    return (struct check_ratio){1 / ratio.middle, 1 / ratio.high, 1 / ratio.low};
}

struct check_ratio check_ratio_over(struct check_ratio a, struct check_ratio b)
{
    if (a.middle <= 0 || b.middle <= 0)
        return (struct check_ratio){0, 0, 0};
    return (struct check_ratio){a.middle / b.middle, a.low / b.high, a.high / b.low};
}

static bool is_wide(struct check_ratio ratio)
{
    return fmax(ratio.high / ratio.middle, ratio.middle / ratio.low) > WIDE;
}

/* Does the interval lie above, or below, what may be the same? */
static bool is_above(struct check_ratio ratio, double limit)
{
    return ratio.low > limit;
}

static bool is_below(struct check_ratio ratio, double limit)
{
    return ratio.high < 1 / limit;
}

static void judge_by(struct check_judgement *out, double limit)
{
    if (is_above(out->by, limit)) {
        out->verdict = CHECK_SLOWER;
    } else if (is_below(out->by, limit)) {
        out->verdict = CHECK_FASTER;
    } else if (is_wide(out->by)) {
        out->verdict = CHECK_UNTOLD;
        out->why = "too noisy: end what else uses this device, or give --race more time";
    }
}

/* Where the default changed as well, which the time on record shows, the lead says nothing of the kernel. */
static void judge_lead(struct check_judgement *out, struct check_ratio claimed)
{
    judge_by(out, BY_LEAD);
    const bool agrees = out->verdict == CHECK_SLOWER   ? is_above(claimed, 1)
                        : out->verdict == CHECK_FASTER ? is_below(claimed, 1)
                                                       : true;
    if (!agrees) {
        out->why = out->verdict == CHECK_SLOWER
                       ? "the default is faster than it was: 'autotune --retune' may find more"
                       : "the default is slower than it was";
        out->verdict = CHECK_SAME;
    } else if (out->verdict == CHECK_SAME && is_above(claimed, BY_CLAIM)) {
        out->verdict = CHECK_UNTOLD;
        out->why =
            "it takes longer than on record, and so does the default: other clocks, or an "
            "update that slows all";
    }
}

static void judge_claim(struct check_judgement *out)
{
    if (is_above(out->by, BY_CLAIM)) {
        out->verdict = CHECK_UNTOLD;
        out->why =
            "it takes longer than on record, and there is nothing to race it with: other "
            "clocks, or an update that slows it";
    } else if (is_below(out->by, BY_CLAIM)) {
        out->why = "it takes less time than on record, with nothing to race it with";
    }
}

struct check_judgement check_judge(const struct check_ratios *ratios)
{
    const struct check_ratio lead = check_ratio_over(ratios->untuned, ratios->untuned_then);
    struct check_judgement out = {.verdict = CHECK_SAME, .why = ""};
    if (ratios->old.middle > 0) {
        out.basis = CHECK_BY_OLD;
        out.by = ratios->old;
        judge_by(&out, BY_TURNS);
    } else if (ratios->is_emulated) {
        out.basis = CHECK_BY_NOTHING; /* its times say nothing of a GPU's */
    } else if (lead.middle > 0) {
        out.basis = CHECK_BY_DEFAULT;
        out.by = lead;
        judge_lead(&out, ratios->claimed);
    } else if (ratios->claimed.middle > 0) {
        out.basis = CHECK_BY_CLAIM;
        out.by = ratios->claimed;
        judge_claim(&out);
    }
    return out;
}

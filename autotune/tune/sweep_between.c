/* sweep_between: races what is at hand at n drawn at random, which become sizes; then halves the way
 * between neighbours that have different configs until both are near. These sizes are odd: the sweep's
 * own are round, where vector loads have no rest. Those that change nothing are taken away again. */
#include "autotune/tune/sweep_between.h"

#include "autotune/cli/output.h"
#include "autotune/print/sentence.h"
#include "autotune/print/terminal.h"
#include "generator/number.h"
#include "generator/random.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DRAWN_A_DECADE = 8, DRAWN_A_DECADE_HOST = 1 };
enum { PLACE_CHARS = NUMBER_CHARS + 16, INDENT = 10, LINE_WIDTH = 100 };
static const double APART = 1.1, APART_HOST = 1.6; /* sizes of a border, at most */
static const double NOISE = 1.01; /* what is slower than untuned by less is not told apart */

/* An n that was drawn, and what would serve it without the sweep. */
struct drawn {
    uint64_t n, untuned_ps; /* 0 ps: the same as what serves it */
};

struct between {
    struct sweep *sweep;
    struct sweep_regime *regime;
    struct drawn *drawn;
    size_t count;
    struct gain *gain;
};

/* What the choice gains beside that, over all n drawn. */
struct gain {
    size_t count, mended;
    double log_sum, most, least;
    char most_at[PLACE_CHARS], least_at[PLACE_CHARS];
};

static bool is_host(const struct sweep *sweep)
{
    return sweep->setup.target.is_host;
}

static struct dims dims_of(const struct sweep *sweep, uint64_t n)
{
    return dims_run(n, sweep->request->problem.dims.scan);
}

/* --- At random ---------------------------------------------------------------------------- */

/* Draws an odd number from each of `of` parts of the range; this is the i-th. */
static uint64_t draw(uint64_t low, uint64_t high, size_t i, size_t of, uint64_t *state)
{
    const double part = ((double)i + (double)(random_next(state) >> 11) * 0x1p-53) / (double)of;
    const uint64_t n = (uint64_t)((double)low * pow((double)high / (double)low, part)) | 1;
    return n < high ? n : high;
}

static bool is_size(const struct sweep_regime *regime, uint64_t n)
{
    size_t at = 0;
    while (at < regime->swept.count && dims_n(&regime->swept.at[at].problem.dims) != n)
        at++;
    return at < regime->swept.count;
}

/* Races what is at hand at an n, unless what serves it is what would without the sweep. */
static int try_at(struct between *between, uint64_t n, struct error *error)
{
    const struct dims dims = dims_of(between->sweep, n);
    struct sweep_raced raced = {.leaves_untuned = true};
    if (is_size(between->regime, n))
        return 0;
    if (sweep_race_at_hand(&raced, between->sweep, between->regime, &dims, error))
        return -1;
    if (raced.is_noisy)
        return 0;
    between->drawn[between->count++] = (struct drawn){n, raced.untuned_ps};
    between->gain->mended +=
        raced.untuned_ps && (double)raced.served_ps > NOISE * (double)raced.untuned_ps;
    return 0;
}

static int try_at_random(struct between *between, struct error *error)
{
    const struct sweep_regime *regime = between->regime;
    const uint64_t low = dims_n(&regime->sizes[0]),
                   high = dims_n(&regime->sizes[regime->count - 1]);
    const double decades = log10((double)high / (double)low);
    const size_t count = (size_t)ceil(
        decades * (is_host(between->sweep) ? DRAWN_A_DECADE_HOST : DRAWN_A_DECADE));
    uint64_t state = between->sweep->request->seed;
    between->drawn = calloc(count + 1, sizeof *between->drawn);
    if (!between->drawn)
        return error_memory(error, count * sizeof *between->drawn);
    for (size_t i = 0; i < count; i++)
        if (try_at(between, draw(low, high, i, count, &state), error))
            return -1;
    return 0;
}

/* --- Borders ------------------------------------------------------------------------------ */

/* A number above `least` between two neighbours that have different configs and are too far apart; 0 =
 * there is none. Even sizes, which have no other n, are passed over. */
static uint64_t find_border(const struct between *between, uint64_t least)
{
    const struct records *swept = &between->regime->swept;
    const double apart = is_host(between->sweep) ? APART_HOST : APART;
    uint64_t low = 0;
    for (size_t i = 0; i < swept->count; i++) {
        const uint64_t n = dims_n(&swept->at[i].problem.dims);
        if (n % 2 == 0 && i != 0 && i + 1 != swept->count)
            continue;
        const struct record *before = sweep_regime_serving(between->regime, low),
                            *here = sweep_regime_serving(between->regime, n);
        const uint64_t half = sweep_half_way(low, n, apart);
        if (half > least && before && here && before->config != here->config)
            return half;
        low = n;
    }
    return 0;
}

static int find_borders(struct between *between, struct error *error)
{
    uint64_t noisy = 0;
    for (;;) {
        struct sweep_raced raced = {.place = NULL};
        if (interval_compute(&between->regime->swept, error))
            return -1;
        const uint64_t n = find_border(between, noisy);
        if (n == 0)
            return 0;
        const struct dims dims = dims_of(between->sweep, n);
        if (sweep_race_at_hand(&raced, between->sweep, between->regime, &dims, error))
            return -1;
        if (raced.is_noisy) {
            output_warn("a border of intervals is not measured: too noisy at n = %" PRIu64, n);
            noisy = n;
        }
    }
}

/* --- What is not needed ------------------------------------------------------------------- */

static bool is_asked_for(const struct sweep_regime *regime, uint64_t n)
{
    for (size_t i = 0; i < regime->count; i++)
        if (dims_n(&regime->sizes[i]) == n)
            return true;
    return false;
}

/* Takes sizes away on the way to a border that changed nothing. */
static int drop_needless(struct sweep_regime *regime, struct error *error)
{
    for (size_t i = regime->swept.count; i-- > 0;)
        if (!is_asked_for(regime, dims_n(&regime->swept.at[i].problem.dims)) &&
            sweep_regime_drop(regime, i, error))
            return -1;
    return 0;
}

/* --- What was gained ---------------------------------------------------------------------- */

/* What serves an n now, beside what would without the sweep. */
static double times_at(const struct between *between, const struct drawn *drawn)
{
    const struct records *swept = &between->regime->swept;
    const struct record *serving = sweep_regime_serving(between->regime, drawn->n);
    struct raced raced;
    for (size_t i = 0; i < swept->count && drawn->untuned_ps && serving; i++)
        if (dims_n(&swept->at[i].problem.dims) == drawn->n &&
            interval_raced(&raced, &swept->at[i], serving->config))
            return (double)drawn->untuned_ps / (double)raced.ps;
    return 1;
}

static void place_at(char out[PLACE_CHARS], const struct between *between, uint64_t n)
{
    char number[NUMBER_CHARS];
    snprintf(out, PLACE_CHARS, "n = %s %s", number_format_count(number, n),
             problem_regimes[between->regime->regime]);
}

static void add_gain(const struct between *between)
{
    struct gain *gain = between->gain;
    for (size_t i = 0; i < between->count; i++) {
        const double times = times_at(between, &between->drawn[i]);
        const bool is_first = gain->count++ == 0;
        gain->log_sum += log(times);
        if (is_first || times > gain->most) {
            gain->most = times;
            place_at(gain->most_at, between, between->drawn[i].n);
        }
        if (is_first || times < gain->least) {
            gain->least = times;
            place_at(gain->least_at, between, between->drawn[i].n);
        }
    }
}

static void say_gain(const struct sweep *sweep, const struct gain *gain)
{
    if (!gain->count)
        return;
    struct text words = {0}, line = {0};
    const double mean = exp(gain->log_sum / (double)gain->count);
    if (gain->most < NOISE)
        text_adds(&words, "nothing: untuned it was as fast");
    else
        text_addf(&words, "%.1f %% in the mean, at most %.1f %% (%s)", 100 * (mean - 1),
                  100 * (gain->most - 1), gain->most_at);
    text_addf(&words, ", at %zu n drawn at random", gain->count);
    if (gain->least * NOISE < 1)
        text_addf(&words, "; %.1f %% slower than untuned at %s", 100 * (1 / gain->least - 1),
                  gain->least_at);
    else
        text_adds(&words, "; never slower than untuned");
    if (gain->mended)
        text_addf(&words, "; %zu of them had other variants until then", gain->mended);
    text_adds(&line, "gained    ");
    sentence_wrap(&line, words.at ? words.at : "", INDENT,
                  (size_t)terminal_room(stderr, LINE_WIDTH));
    if (!line.failed && !words.failed)
        output_note(&sweep->request->out, "%s", line.at);
    text_dispose(&words);
    text_dispose(&line);
}

/* --- The whole ---------------------------------------------------------------------------- */

static int look_between(struct gain *gain, struct sweep *sweep, struct sweep_regime *regime,
                        struct error *error)
{
    struct between between = {.sweep = sweep, .regime = regime, .gain = gain};
    if (regime->swept.count == 0) /* all were too noisy */
        return 0;
    const int failed = try_at_random(&between, error) || find_borders(&between, error);
    if (!failed)
        add_gain(&between);
    free(between.drawn);
    return failed ? -1 : drop_needless(regime, error);
}

int sweep_between(struct sweep *sweep, struct error *error)
{
    struct gain gain = {.count = 0};
    for (size_t l = 0; l < sweep->regime_count; l++)
        if (look_between(&gain, sweep, &sweep->regimes[l], error))
            return -1;
    say_gain(sweep, &gain);
    return 0;
}

/* sweep_between: races what is at hand at n drawn at random, which become sizes; then halves the way
 * between neighbours that have different configs until both are near. These sizes are odd: the sweep's
 * own are round, where vector loads have no rest. Those that change nothing are taken away again.
 * Of shapes those become records that are slower by what serves them than by something at hand. */
#include "autotune/tune/sweep_between.h"

#include "autotune/cli/output.h"
#include "autotune/print/sentence.h"
#include "autotune/print/terminal.h"
#include "generator/dims_text.h"
#include "generator/number.h"
#include "generator/random.h"
#include "generator/selector.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWN_A_DECADE = 8, DRAWN_A_DECADE_HOST = 1 };
enum { PLACE_CHARS = DIMS_TEXT_CHARS + 16, INDENT = 10, LINE_WIDTH = 100 };
enum { NEAR = 4 };                                 /* shapes around one, as corners of a grid */
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

static void add_gain(struct gain *gain, double times, const char place[PLACE_CHARS])
{
    const bool is_first = gain->count++ == 0;
    gain->log_sum += log(times);
    if (is_first || times > gain->most) {
        gain->most = times;
        memcpy(gain->most_at, place, PLACE_CHARS);
    }
    if (is_first || times < gain->least) {
        gain->least = times;
        memcpy(gain->least_at, place, PLACE_CHARS);
    }
}

static void add_gains(const struct between *between)
{
    for (size_t i = 0; i < between->count; i++) {
        char place[PLACE_CHARS] = "";
        place_at(place, between, between->drawn[i].n);
        add_gain(between->gain, times_at(between, &between->drawn[i]), place);
    }
}

/* `what` was drawn: "n", "shape", "shapes". */
static void say_gain(const struct sweep *sweep, const struct gain *gain, const char *what)
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
    text_addf(&words, ", at %zu %s drawn at random", gain->count, what);
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
        add_gains(&between);
    free(between.drawn);
    return failed ? -1 : drop_needless(regime, error);
}

int sweep_between(struct sweep *sweep, struct error *error)
{
    struct gain gain = {.count = 0};
    for (size_t l = 0; l < sweep->regime_count; l++)
        if (look_between(&gain, sweep, &sweep->regimes[l], error))
            return -1;
    say_gain(sweep, &gain, "n");
    return 0;
}

/* --- Shapes ------------------------------------------------------------------------------- */

/* Puts the done shapes nearest to the setup's, as the selector has it, first. Returns how many. */
static size_t find_near(const struct record *near[NEAR], const struct records *done,
                        const struct problem *problem)
{
    const struct selector_key want = {.dims = problem->dims, .regime = (int)problem->regime};
    double sizes[NEAR];
    size_t count = 0;
    for (size_t i = 0; i < done->count; i++) {
        const struct problem *other = &done->at[i].problem;
        const struct selector_entry entry = {.key = {.dims = other->dims,
                                                     .regime = (int)other->regime},
                                             .from = other->dims.depth.n,
                                             .to = other->dims.depth.n};
        const double size = selector_size(&want, &entry);
        if (count == NEAR && size >= sizes[NEAR - 1])
            continue;
        size_t at = count < NEAR ? count++ : NEAR - 1;
        for (; at > 0 && size < sizes[at - 1]; at--) {
            sizes[at] = sizes[at - 1];
            near[at] = near[at - 1];
        }
        sizes[at] = size;
        near[at] = &done->at[i];
    }
    return count;
}

/* What was raced at a shape: its gain, and its record where that was needed. */
static int take_shape(struct gain *gain, struct sweep *sweep, const struct sweep_raced *raced,
                      const struct record *raced_there, struct records *done,
                      struct error *error)
{
    const struct problem *problem = &sweep->setup.problem;
    char place[PLACE_CHARS] = "", size[DIMS_TEXT_CHARS];
    uint64_t ps = raced->served_ps;
    snprintf(place, sizeof place, "%s %s", dims_text_format(size, &problem->dims),
             problem_regimes[problem->regime]);
    const bool is_slow = raced_there && (double)ps > NOISE * (double)raced_there->median_ps;
    if (is_slow) {
        struct record winner = *raced_there;
        winner.swept[0] = '\0';
        winner.loss_ppm = 0;
        ps = winner.median_ps;
        gain->mended++;
        if (sweep_race_keep_winner(sweep, &winner, error) || store_add(done, &winner, error))
            return -1;
    }
    add_gain(gain, raced->untuned_ps && ps ? (double)raced->untuned_ps / (double)ps : 1, place);
    return 0;
}

/* Races what is at hand at a shape without a record, unless untuned the same would serve it. */
static int try_shape(struct gain *gain, struct sweep *sweep, const struct sweep_drawn *drawn,
                     struct records *done, struct error *error)
{
    const struct record *near[NEAR];
    struct find_result found;
    struct sweep_regime alone;
    struct error warning = {.code = ERROR_NONE};
    if (setup_resize(&sweep->setup, &drawn->dims, drawn->regime, error) ||
        setup_find_in(&found, &sweep->setup, &sweep->records, setup_sources(sweep->request),
                      &warning, error))
        return -1;
    if (found.grade <= SELECTOR_STALE)
        return 0;
    struct sweep_raced raced = {.leaves_untuned = true,
                                .served = found.grade == SELECTOR_NONE
                                              ? sweep->setup.space->default_config
                                              : found.config,
                                .near = near,
                                .near_count = find_near(near, done, &sweep->setup.problem)};
    sweep->has_single = false;
    sweep_regime_open(&alone, drawn->regime);
    const int failed =
        sweep_race_at_hand(&raced, sweep, &alone, &drawn->dims, error) ||
        (!raced.is_noisy && take_shape(gain, sweep, &raced,
                                       alone.swept.count ? alone.swept.at : NULL, done, error));
    sweep_regime_dispose(&alone);
    return failed ? -1 : 0;
}

int sweep_between_shapes(struct sweep *sweep, const struct sweep_drawn *drawn, size_t count,
                         struct records *done, struct error *error)
{
    struct gain gain = {.count = 0};
    for (size_t i = 0; i < count; i++)
        if (try_shape(&gain, sweep, &drawn[i], done, error))
            return -1;
    say_gain(sweep, &gain, gain.count == 1 ? "shape" : "shapes");
    return 0;
}

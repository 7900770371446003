/* sweep_dims: tunes all shapes of a matrix sweep line by line. The race of a shape has the
 * configs that serve the line so far, and the winner at the same size of the line before. Then
 * draws shapes between them, at which what is at hand races. */
#include "autotune/tune/sweep_dims.h"

#include "autotune/cli/output.h"
#include "autotune/device/monotonic.h"
#include "autotune/print/figures.h"
#include "autotune/tune/sweep_between.h"
#include "autotune/tune/sweep_drawing.h"
#include "autotune/tune/tune_notes.h"
#include "autotune/tune/tune_save.h"
#include "generator/random.h"

#include <stdlib.h>
#include <string.h>

enum { SPAN_MOST = 10 }; /* times the usual n: larger sizes behave alike */
enum { SHAPES_A_DRAWN = 2, SHAPES_A_DRAWN_HOST = 8 }; /* so many of the grid for one between */
enum { DRAWS = 20 };                                  /* for one that may be tuned */

/* Why a shape is not tuned; after the first too large one, the rest of the line is left out. */
enum left_out { TAKEN, UNSERVED, TOO_DEEP, TOO_MANY, NO_ROOM, PAST_L2, REASONS };

struct grid {
    struct sweep *sweep;
    struct request_grid asked;
    size_t left_out[REASONS]; /* shapes; of the cold regime */
    size_t counts[REGIME_COUNT];
    /* The winners of the line before, and of this one, by size; "" = unknown. */
    char before[SWEEP_SIZES_MAX][CONFIG_PARAMS_MAX + 1];
    char now[SWEEP_SIZES_MAX][CONFIG_PARAMS_MAX + 1];
    struct records done;
    size_t known; /* of these, from records */
};

/* --- Which shapes ------------------------------------------------------------------------- */

static uint64_t most_elements(const struct grid *grid)
{
    return SPAN_MOST * setup_usual_n(grid->sweep->setup.target.is_host);
}

static enum left_out judge(const struct grid *grid, enum regime regime, const struct dims *dims)
{
    const struct request *request = grid->sweep->request;
    struct setup setup = grid->sweep->setup;
    struct error why;
    setup.problem.dims = *dims;
    if (!space_serves(setup.space, &setup.problem))
        return UNSERVED;
    setup.problem.regime = regime;
    if (dims_n(&setup.problem.dims) > most_elements(grid))
        return TOO_MANY;
    if (setup_check_room(&setup, &why))
        return NO_ROOM;
    const bool is_past = figures_bytes(&setup.problem) > (double)setup.target.l2_bytes;
    return regime == WARM && !request->warm && is_past ? PAST_L2 : TAKEN;
}

/* The sizes of this line that are tuned, ascending. Returns how many. */
static size_t choose_line(const struct grid *grid, enum regime regime, size_t line,
                          struct dims sizes[SWEEP_SIZES_MAX], size_t left_out[REASONS])
{
    struct error ignored;
    size_t count = 0;
    for (size_t i = 0; i < grid->asked.size_count; i++) {
        const bool is_one = request_dims_at(&sizes[count], grid->sweep->request, &grid->asked,
                                            line, i, &ignored) == 0;
        const enum left_out reason = is_one ? judge(grid, regime, &sizes[count]) : TOO_DEEP;
        left_out[reason]++;
        count += reason == TAKEN;
    }
    return count;
}

static void count_shapes(struct grid *grid)
{
    const struct request *request = grid->sweep->request;
    for (enum regime regime = COLD; regime < REGIME_COUNT; regime++) {
        struct dims sizes[SWEEP_SIZES_MAX];
        size_t left_out[REASONS] = {0};
        for (size_t i = 0; i < grid->asked.line_count && request_sweeps(request, regime); i++)
            grid->counts[regime] += choose_line(grid, regime, i, sizes, left_out);
        for (size_t i = 0; i < REASONS && (regime == COLD || request->warm); i++)
            grid->left_out[i] += left_out[i];
    }
}

static const char *explain(char out[NUMBER_CHARS + 24], const struct grid *grid,
                           enum left_out reason)
{
    char most[NUMBER_CHARS];
    static const char *const reasons[REASONS] =
        {[UNSERVED] = "kernels of another space make them, as of one value",
         [TOO_DEEP] = "more than 2^31 elements a result, or than any memory holds",
         [NO_ROOM] = "no room on this device or this machine"};
    snprintf(out, NUMBER_CHARS + 24, "more than %s elements",
             number_format_count(most, most_elements(grid)));
    return reason == TOO_MANY ? out : reasons[reason];
}

static void note_plan(const struct grid *grid)
{
    const struct request *request = grid->sweep->request;
    const struct problem *problem = &grid->sweep->setup.problem;
    char words[NUMBER_CHARS + 24];
    struct text sizes = {0}, line = {0};
    request_dims_format_grid(&sizes, request);
    text_addf(&line, "sweep     %s %s %s:", problem->op->name,
              problem_types[problem->type].name, sizes.at ? sizes.at : "");
    text_dispose(&sizes);
    const char *between = "";
    for (enum regime regime = COLD; regime < REGIME_COUNT; regime++)
        if (request_sweeps(request, regime)) {
            text_addf(&line, "%s %zu shape%s %s", between, grid->counts[regime],
                      grid->counts[regime] == 1 ? "" : "s", problem_regimes[regime]);
            between = ",";
        }
    sweep_race_add_budget(&line, grid->sweep);
    output_line(&request->out, &line);
    for (enum left_out reason = UNSERVED; reason < PAST_L2; reason++)
        if (grid->left_out[reason])
            output_note(&request->out, "left out  %zu shape%s: %s\n", grid->left_out[reason],
                        grid->left_out[reason] == 1 ? "" : "s", explain(words, grid, reason));
}

static int plan(struct grid *grid, struct error *error)
{
    struct sweep *sweep = grid->sweep;
    const struct request *request = sweep->request;
    char words[NUMBER_CHARS + 24];
    request_dims_grid(&grid->asked, request);
    count_shapes(grid);
    note_plan(grid);
    const size_t count = sweep->total = grid->counts[COLD] + grid->counts[WARM];
    enum left_out reason = UNSERVED;
    while (reason < NO_ROOM && !grid->left_out[reason])
        reason++;
    if (!count)
        return error_set(error, ERROR_FAILED,
                         "every shape of the sweep is left out: %s; give %s",
                         explain(words, grid, reason),
                         dims_text_smaller(&request->problem.dims));
    return tune_save_check(sweep->setup.space, error);
}

/* --- One shape ---------------------------------------------------------------------------- */

/* The winner at the same size of the line before joins this race, where the rules allow it. */
static int seed(struct grid *grid, size_t i, struct error *error)
{
    struct sweep *sweep = grid->sweep;
    sweep->has_single = false;
    if (!*grid->before[i])
        return 0;
    if (point_parse_record(sweep->setup.space, grid->before[i], sweep->single, error))
        return -1;
    const int broken = point_reject(&sweep->setup.context, sweep->single, error);
    sweep->has_single = broken == POINT_VALID;
    return broken == POINT_FAILED ? -1 : 0;
}

static int tune_shape(struct grid *grid, struct sweep_regime *regime, size_t i,
                      struct error *error)
{
    struct sweep *sweep = grid->sweep;
    struct record record;
    bool is_known;
    if (setup_resize(&sweep->setup, &regime->sizes[i], regime->regime, error) ||
        sweep_race_find(&record, &is_known, NULL, sweep, error) ||
        (!is_known && (seed(grid, i, error) || sweep_race_tune(sweep, regime, i, error))))
        return -1;
    const struct record *made = sweep_regime_record(regime, i);
    if (!is_known && !made) /* too noisy */
        return 0;
    if (!is_known)
        record = *made;
    grid->known += is_known;
    sweep->done += is_known;
    memcpy(grid->now[i], record.params, sizeof record.params);
    return store_add(&grid->done, &record, error);
}

/* --- Between ------------------------------------------------------------------------------ */

/* Adds what such a sweep recorded between the shapes before. */
static int add_between(struct grid *grid, struct error *error)
{
    struct sweep *sweep = grid->sweep;
    struct code_memo memo = {.next = 0};
    struct error ignored = {.code = ERROR_NONE};
    struct record want;
    setup_record(&want, &sweep->setup);
    if (collection_load(&sweep->records, want.gpu, &ignored, error))
        return -1;
    const struct records *own = &sweep->records.own;
    for (size_t i = 0; i < own->count; i++)
        if (own->at[i].raced_only &&
            request_sweeps(sweep->request, own->at[i].problem.regime) &&
            record_is_same_but_size(&own->at[i], &want) &&
            request_dims_has(sweep->request, &own->at[i].problem.dims) &&
            setup_is_current(&sweep->setup, &own->at[i], &memo) &&
            store_add(&grid->done, &own->at[i], error))
            return -1;
    return 0;
}

static double draw_part(uint64_t *state)
{
    return (double)(random_next(state) >> 11) * 0x1p-53;
}

/* Draws shapes within the ranges that may be tuned; fewer where most may not. */
static size_t draw_shapes(struct sweep_drawn *out, size_t most, const struct grid *grid,
                          enum regime regime)
{
    uint64_t state = grid->sweep->request->seed + (uint64_t)regime;
    struct error ignored;
    size_t count = 0;
    for (size_t i = 0; i < DRAWS * most && count < most; i++) {
        const double line = draw_part(&state), size = draw_part(&state);
        struct dims *dims = &out[count].dims;
        out[count].regime = regime;
        count += request_dims_between(dims, grid->sweep->request, line, size, &ignored) == 0 &&
                 judge(grid, regime, dims) == TAKEN;
    }
    return count;
}

static int look_between(struct grid *grid, struct error *error)
{
    const size_t a_drawn =
        grid->sweep->setup.target.is_host ? SHAPES_A_DRAWN_HOST : SHAPES_A_DRAWN;
    const size_t room = grid->sweep->total + REGIME_COUNT;
    struct sweep_drawn *drawn = calloc(room, sizeof *drawn);
    size_t count = 0;
    if (!drawn)
        return error_memory(error, room * sizeof *drawn);
    for (enum regime regime = COLD; regime < REGIME_COUNT; regime++)
        count += draw_shapes(drawn + count, (grid->counts[regime] + a_drawn - 1) / a_drawn,
                             grid, regime);
    const int failed = sweep_between_shapes(grid->sweep, drawn, count, &grid->done, error);
    free(drawn);
    return failed;
}

/* --- The whole ---------------------------------------------------------------------------- */

static int tune_line(struct grid *grid, enum regime regime, size_t line, struct error *error)
{
    struct sweep *sweep = grid->sweep;
    struct sweep_regime *swept = &sweep->regimes[0];
    size_t ignored[REASONS] = {0};
    int failed = 0;
    sweep_regime_open(swept, regime);
    memset(grid->now, 0, sizeof grid->now);
    swept->count = choose_line(grid, regime, line, swept->sizes, ignored);
    for (size_t i = 0; i < swept->count && !failed; i++)
        failed = tune_shape(grid, swept, i, error);
    memcpy(grid->before, grid->now, sizeof grid->before);
    sweep_regime_dispose(swept);
    return failed;
}

static int tune_all(struct grid *grid, struct error *error)
{
    for (enum regime regime = COLD; regime < REGIME_COUNT; regime++) {
        memset(grid->before, 0, sizeof grid->before);
        for (size_t i = 0;
             i < grid->asked.line_count && request_sweeps(grid->sweep->request, regime); i++)
            if (tune_line(grid, regime, i, error))
                return -1;
    }
    return 0;
}

static int sweep_lines(struct grid *grid, struct error *error)
{
    struct sweep *sweep = grid->sweep;
    const struct request *request = sweep->request;
    const double start = monotonic_s();
    tune_notes_device(request, &sweep->setup.device->info, sweep->device_set.kinds[0].count);
    if (plan(grid, error) || sweep_race_load(sweep, error) || tune_all(grid, error))
        return -1;
    const bool has_new = grid->known < grid->done.count;
    if (add_between(grid, error) || (has_new && look_between(grid, error)))
        return -1;
    if (grid->known)
        output_note(&request->out, "records   exact of %zu shape%s: --retune measures again\n",
                    grid->known, grid->known == 1 ? "" : "s");
    if (has_new)
        output_note(&request->out, "took      %.2f s\n", monotonic_s() - start);
    return sweep_drawing_print(&sweep_drawing_dims, request, &grid->done, NULL, error);
}

int sweep_dims(struct sweep *sweep, struct error *error)
{
    struct grid *grid = calloc(1, sizeof *grid);
    if (!grid)
        return error_memory(error, sizeof *grid);
    grid->sweep = sweep;
    int failed = sweep_lines(grid, error);
    store_dispose(&grid->done);
    free(grid);
    return failed;
}

/* tune_notes: writes lines of context, each with a label in the first column. */
#include "autotune/tune/tune_notes.h"

#include "autotune/cli/output.h"
#include "autotune/print/figures.h"
#include "autotune/verify/check_small.h"
#include "generator/dims_text.h"
#include "generator/operation_param.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { REASONS_SHOWN = 5 };

/* --- Before ------------------------------------------------------------------------------- */

void tune_notes_device(const struct request *request, const struct device_info *info,
                       size_t count)
{
    const uint64_t peak = device_peak_bytes(info);
    struct text line = {0};
    if (info->is_fallback)
        output_note(&request->out,
                    "note      no GPU, so this runs on the host emulator: it proves kernels, "
                    "but is no model of a GPU's speed\n          (%s)\n",
                    info->fallback_reason);
    if (count > 1)
        output_note(&request->out, "devices   %zu alike, the first:\n", count);
    if (info->target.is_host)
        text_addf(&line, "device    host emulator of cc %d.%d, %d SMs", info->target.cc / 10,
                  info->target.cc % 10, info->target.sms);
    else
        text_addf(&line, "device    %s (GPU %s), cc %d.%d, %d SMs", info->name, info->spec,
                  info->target.cc / 10, info->target.cc % 10, info->target.sms);
    text_addf(&line, ", L2 %.3g MiB", (double)info->target.l2_bytes / (1 << 20));
    if (peak)
        text_addf(&line, ", %.0f GB/s theoretical", (double)peak / 1e9);
    if (info->target.is_host)
        text_addf(&line, "; compiles with %s", info->compiler);
    else
        text_addf(&line, "; driver %s, %s", info->driver, info->compiler);
    output_line(&request->out, &line);
}

/* Bytes written are mentioned from this share of the bytes read on. */
#define WRITTEN_PART 1e-4

static void note_problem(const struct request *request, const struct setup *setup)
{
    const struct problem *problem = &setup->problem;
    const double read = problem_bytes_read(problem), written = problem_bytes_written(problem);
    char text[PROBLEM_CHARS], size[NUMBER_CHARS];
    struct text params = {0};
    problem_add_params(&params, problem);
    output_note(&request->out, "problem   %s%s%s: %s read%s%s%s\n",
                problem_format(text, problem), params.at ? "," : "", params.at ? params.at : "",
                figures_size(size, problem_bytes(problem)),
                written >= WRITTEN_PART * read ? " and written" : "",
                request->has_n ? "" : "; ",
                request->has_n ? "" : dims_text_another(&problem->dims));
    text_dispose(&params);
}

void tune_notes_setup(const struct request *request, const struct setup *setup, size_t count)
{
    tune_notes_device(request, &setup->device->info, count);
    note_problem(request, setup);
}

static const char *explain_strategy(const struct request *request, const struct space *space,
                                    enum strategy strategy)
{
    if (request->has_strategy)
        return "as asked";
    if (space->strategy.name)
        return "as the space says";
    if (strategy == STRATEGY_COVER)
        return "each pair of values once; the default on the host";
    return "what cannot win is left; the default on a GPU";
}

enum { REJECTED_SHOWN = 5 };

/* How many rules rejected more than this one, or as many and come before it. */
static size_t find_rank(const struct points *points, size_t count, size_t rule)
{
    size_t rank = 0;
    for (size_t i = 0; i < count; i++)
        rank += points->rejected[i] > points->rejected[rule] ||
                (points->rejected[i] == points->rejected[rule] && i < rule);
    return rank;
}

/* The sum of what the rules rejected that are not shown, and how many these are. */
static uint64_t sum_of_others(const struct points *points, size_t count, size_t *others)
{
    uint64_t sum = 0;
    *others = 0;
    for (size_t i = 0; i < count; i++)
        if (points->rejected[i] && find_rank(points, count, i) >= REJECTED_SHOWN) {
            sum += points->rejected[i];
            (*others)++;
        }
    return sum;
}

/* Notes the rules that rejected most, in their order, and the sum of the others. */
static void note_rejected(const struct request *request, const struct space *space,
                          const struct points *points)
{
    size_t others;
    const uint64_t rest = sum_of_others(points, space->rule_count, &others);
    uint64_t most = rest;
    for (size_t i = 0; i < space->rule_count; i++)
        most = points->rejected[i] > most ? points->rejected[i] : most;
    const int width = snprintf(NULL, 0, "%" PRIu64, most);
    for (size_t i = 0; i < space->rule_count; i++)
        if (points->rejected[i] && find_rank(points, space->rule_count, i) < REJECTED_SHOWN)
            output_note(&request->out, "%s  %*" PRIu64 "  by the rule: %s\n",
                        space->rules[i].is_prune ? "pruned  " : "rejected", width,
                        points->rejected[i], space->rules[i].reason);
    if (others)
        output_note(&request->out, "rejected  %*" PRIu64 "  by %zu other rule%s\n", width, rest,
                    others, others == 1 ? "" : "s");
}

/* What a user of the space reads who wonders where its points are. */
static void note_points(const struct request *request, const struct setup *setup,
                        const struct points *points)
{
    uint64_t rejected = 0;
    for (size_t i = 0; i < setup->space->rule_count; i++)
        rejected += points->rejected[i];
    output_note(&request->out,
                "space     %s: %" PRIu64 " points, %" PRIu64 " left by its rules\n",
                setup->space->name, points->total, points->total - rejected);
    note_rejected(request, setup->space, points);
}

static void note_limit(const struct request *request)
{
    if (request->budget_s > 0)
        output_note(&request->out,
                    "time      %.3g s of search at most, then the race of the best, a second "
                    "or two\n",
                    request->budget_s);
    else
        output_note(&request->out,
                    "time      until all are tried; --budget TIME is a limit, Ctrl-C "
                    "keeps the trials\n");
}

void tune_notes_space(const struct request *request, const struct setup *setup,
                      const struct points *points, enum strategy strategy)
{
    if (request->verbose)
        note_points(request, setup, points);
    output_note(&request->out,
                "to try    %zu candidates of %zu variants of %s; strategy %s (%s)\n",
                points->count, points->variant_count, setup->space->name,
                strategy_names[strategy], explain_strategy(request, setup->space, strategy));
    note_limit(request);
}

void tune_notes_progress(void *context, uint64_t done, uint64_t total, uint64_t best_ps)
{
    struct tune_notes_watch *watch = context;
    char note[120], us[NUMBER_CHARS];
    figures_us(us, best_ps);
    if (watch->progress.subject) /* leaves no room for more in 80 columns */
        snprintf(note, sizeof note, "best %s us", us);
    else
        snprintf(note, sizeof note, "best %s us %.0f GB/s", us,
                 figures_gbs(watch->problem, best_ps));
    terminal_progress_show(&watch->progress, done, total, best_ps ? note : NULL);
}

/* --- After -------------------------------------------------------------------------------- */

/* Adds each line of a compiler's message below the first column; no empty ones. */
static void add_indented(struct text *out, const char *words)
{
    while (*words) {
        const size_t length = strcspn(words, "\n");
        if (length)
            text_addf(out, "          %.*s\n", (int)length, words);
        words += length + (words[length] == '\n');
    }
}

/* The first candidate with this reason; its params are printed. */
static void note_reason(const struct request *request, const struct setup *setup,
                        const struct tune_result *result, size_t reason)
{
    struct text params = {0}, lines = {0};
    size_t candidate = 0;
    while (candidate < result->points.count && result->trials[candidate].reason != (int)reason)
        candidate++;
    if (candidate == result->points.count)
        return;
    point_format(&params, setup->space, tune_result_config(result, candidate), true);
    add_indented(&lines, result->reasons[reason]);
    output_note(&request->out, "%-9s %s\n%s", trial_statuses[result->trials[candidate].status],
                params.at ? params.at : "", lines.at ? lines.at : "");
    text_dispose(&params);
    text_dispose(&lines);
}

static void note_counts(const struct request *request, const struct tune_result *result)
{
    struct text line = {0};
    text_addf(&line, "tried     %zu measured", result->counts[TRIAL_MEASURED]);
    if (result->recalled)
        text_addf(&line, " (%zu trials recalled from the journal)", result->recalled);
    for (size_t i = TRIAL_MEASURED + 1; i < TRIAL_STATUSES; i++)
        if (result->counts[i])
            text_addf(&line, ", %zu %s", result->counts[i], trial_statuses[i]);
    text_addf(&line, "; %zu input%s, %zu call%s a measurement", result->inputs,
              result->inputs == 1 ? "" : "s", result->calls, result->calls == 1 ? "" : "s");
    output_line(&request->out, &line);
}

/* Notes how the search ended, and the quality of the race. */
static void note_race(const struct request *request, const struct tune_result *result)
{
    struct text line = {0};
    if (result->is_cut)
        output_note(&request->out, "budget    the time was over before all was tried\n");
    if (result->lacking.code != ERROR_NONE)
        output_warn("some candidates are untried, and the same command tries them: %s",
                    result->lacking.text);
    if (result->counts[TRIAL_LEFT_OUT] && result->left_out_error > 0)
        output_note(&request->out,
                    "left out  by its first candidate; the chance that such a variant "
                    "would have won is %.1f %%\n",
                    100 * result->left_out_error);
    text_addf(&line, "race      %zu entrants, %zu rounds", result->entrants, result->rounds);
    if (result->repeated)
        text_addf(&line, ", %zu more repeated because the device drifted", result->repeated);
    if (result->noise > 0) /* unknown with too few measurements */
        text_addf(&line, "; spread of the reference %.2f %%", 100 * result->noise);
    output_line(&request->out, &line);
    if (result->restarts)
        output_note(&request->out, "replaced  %zu worker process%s lost\n", result->restarts,
                    result->restarts == 1 ? " that was" : "es that were");
}

void tune_notes_reading(const struct request *request, const struct nvml_reading *reading)
{
    struct text text = {0};
    nvml_format(&text, reading);
    if (text.length)
        output_note(&request->out, "clocks    %s as the measuring ended\n", text.at);
    text_dispose(&text);
}

void tune_notes_reading_now(const struct request *request, const struct device_info *info)
{
    struct nvml_reading reading;
    struct error ignored;
    if (nvml_read(&reading, info, &ignored) == 0)
        tune_notes_reading(request, &reading);
}

void tune_notes_trials(const struct request *request, const struct setup *setup,
                       const struct tune_result *result)
{
    struct text line = {0};
    char method[CHECK_METHOD_CHARS];
    text_addf(&line, "proved    %" PRIu64 " runs at small sizes, each candidate at n",
              result->proofs);
    if (result->past_32_bits)
        text_addf(&line, ", the finalists at n = %" PRIu64, result->past_32_bits);
    if (*check_method(method, &setup->problem))
        text_addf(&line, "\n          %s", method);
    output_line(&request->out, &line);
    note_counts(request, result);
    for (size_t i = 0; i < result->reason_count && i < REASONS_SHOWN; i++)
        note_reason(request, setup, result, i);
    note_race(request, result);
    tune_notes_reading(request, &result->reading);
    if (result->journal_warning.code != ERROR_NONE)
        output_warn("trials are not all kept: %s", result->journal_warning.text);
    output_note(&request->out,
                "took      %.2f s: search %.2f (first trial after %.2f), finals %.2f\n",
                result->seconds, result->seconds_search, result->seconds_open,
                result->seconds_final);
}

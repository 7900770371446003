/* tune_replay: runs each strategy on a journal and writes one table line for each. Without
 * names it compares a standard set of strategies. */
#include "autotune/tune/tune_replay.h"

#include "autotune/cli/output.h"
#include "autotune/measure/stats.h"
#include "autotune/print/figures.h"
#include "autotune/search/replay.h"
#include "cache/journal.h"

#include <inttypes.h>
#include <stdlib.h>

enum { COMPILERS = 15 }; /* at a time: as on a machine of 16 cores and one GPU */

static const struct table_column columns[] = {
    {"strategy", "strategy", false},
    {"seed", "seed", true},
    {"evaluations", "evaluations", true},
    {"until near", "until_near", true},
    {"s", "seconds", true},
    {"s until near", "seconds_until_near", true},
    {"found us", "found_us", true},
    {"best us", "best_us", true},
    {"x best", "ratio", true},
};

static void add_row(struct table *table, const struct request *request, enum strategy strategy,
                    const struct replay_result *result)
{
    char found[NUMBER_CHARS], best[NUMBER_CHARS];
    table_add(table, strategy_names[strategy]);
    table_addf(table, "%" PRIu64, request->seed);
    table_addf(table, "%zu", result->tried);
    table_add_number(table, result->until_near > 0, 0, (double)result->until_near);
    table_addf(table, "%.2f", result->seconds);
    table_add_number(table, result->seconds_until_near >= 0, 2, result->seconds_until_near);
    table_add(table, result->found_ps ? figures_us(found, result->found_ps) : NULL);
    table_add(table, figures_us(best, result->best_ps));
    table_add_number(table, result->found_ps > 0, 4,
                     (double)result->found_ps / (double)result->best_ps);
}

/* The noise that the search used. */
static double find_noise(const struct journal *journal)
{
    uint64_t *times = malloc((journal->count + 1) * sizeof *times);
    size_t count = 0;
    for (size_t i = 0; times && i < journal->count; i++)
        if (journal->trials[i].trial.reference_ps)
            times[count++] = journal->trials[i].trial.reference_ps;
    const double noise = stats_spread(times, count);
    free(times);
    return noise;
}

static int replay_one(struct table *table, const struct request *request,
                      const struct journal *journal, enum strategy strategy,
                      struct error *error)
{
    const struct replay_options options = {.strategy = strategy,
                                           .seed = request->seed,
                                           .compilers = COMPILERS,
                                           .budget_s = request->budget_s,
                                           .noise = find_noise(journal)};
    struct replay_result result;
    if (replay_run(&result, journal, &options, error))
        return -1;
    add_row(table, request, strategy, &result);
    return 0;
}

static void note_journal(const struct request *request, const struct journal *journal,
                         const struct record *key)
{
    char problem[PROBLEM_CHARS];
    output_note(request,
                "journal   %s on %s: %zu trials\n"
                "replay    'near' is within 1 %% of the best recorded; nothing is compiled or "
                "measured here:\n"
                "          seconds are what the journal's trials would take with %d processes "
                "that compile and one GPU\n",
                problem_format(problem, &key->problem), key->gpu, journal->count, COMPILERS);
    if (journal->skipped)
        output_warn("%zu damaged line%s left out", journal->skipped,
                    journal->skipped == 1 ? " is" : "s are");
}

int tune_replay(const struct request *request, struct error *error)
{
    struct table table = {.columns = columns, .column_count = sizeof columns / sizeof *columns};
    struct journal journal;
    struct record key;
    int failed = 0;
    if (journal_load(&journal, &key, request->replay, error))
        return -1;
    note_journal(request, &journal, &key);
    for (size_t i = 0; i < STRATEGY_COUNT && !failed; i++)
        if (request->has_strategy ? i == request->strategy : i != STRATEGY_COVER)
            failed = replay_one(&table, request, &journal, (enum strategy)i, error);
    if (!failed)
        failed = output_table(request, &table, NULL, error);
    table_dispose(&table);
    journal_close(&journal);
    return failed;
}

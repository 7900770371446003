/* replay: runs a strategy on the recorded trials of a journal, without a device, and reports
 * what it would have tried, found and missed, and when. Time is simulated: variants compile
 * side by side, one device proves and measures, each as long as recorded. A journal keeps only
 * trials: a replay is true of a space only when the journal's run was exhaustive. */
#ifndef AUTOTUNE_REPLAY_H
#define AUTOTUNE_REPLAY_H

#include "autotune/search/strategy.h"
#include "cache/journal.h"

struct replay_options {
    enum strategy strategy; /* any but cover */
    uint64_t seed;
    unsigned compilers; /* side by side */
    double budget_s;    /* 0 = none; what would end later is not tried */
    double noise;       /* as for strategy_limit */
};

struct replay_result {
    size_t candidates, variants;  /* recorded as measured; of how many variants */
    uint64_t best_ps;             /* the exhaustive best: least median of the recorded times */
    size_t tried, tried_variants; /* by the strategy, also those that have no time */
    size_t until_near; /* evaluations until one within 1 % of the best was tried; 0 = never */
    double seconds, seconds_until_near; /* simulated: of all, and until then (< 0 = never) */
    uint64_t found_ps; /* recorded median of what the strategy would have chosen; 0 = none */
};

/* The variants are compiled in the strategy's order, each by the compiler that is free first;
 * the device takes them in the same order, each when it is compiled: first its small proofs,
 * then its candidates. A candidate's time is the median of its recorded ones; one whose status
 * is not "measured" costs its seconds and teaches nothing; of an identity the last trial
 * counts. Fewer than two measured candidates, or the cover strategy, are ERROR_USAGE. */
int replay_run(struct replay_result *out, const struct journal *journal,
               const struct replay_options *options, struct error *error);

#endif

/* tune_job: says what is to be tuned, where, and how: the input of a search. */
#ifndef AUTOTUNE_TUNE_JOB_H
#define AUTOTUNE_TUNE_JOB_H

#include "autotune/device/device.h"
#include "autotune/search/strategy.h"
#include "autotune/verify/compiler.h"
#include "cache/journal.h"
#include "generator/emit.h"

struct unit_cache;
struct worker_pool;

/* Told about progress between candidates; may be NULL. */
struct tune_progress {
    void (*show)(void *context, uint64_t done, uint64_t total, uint64_t best_ps);
    void *context;
};

/* What is tuned, where. */
struct tune_job {
    const struct point_context *context;
    const struct emit_sources *sources;
    struct emit_file space; /* the space file that `context` was loaded from */
    const struct device_info *info;
    const char *const *specs; /* devices like `info`, one measuring worker each: "0", "host" */
    size_t spec_count;
    const char *nvrtc;  /* path, or NULL to look for one */
    unsigned compilers; /* worker processes that compile */
    /* Whose idle workers serve, and stay for the next run on these devices, by the same thread; NULL: the
     * run has its own. */
    struct worker_pool *workers;
    struct unit_cache
        *units; /* what was compiled so far, for the next run too; NULL: the run has its own */
};

/* Machine code of a config's kernels that was compiled at another time. */
struct tune_old_code {
    struct device_image image;
    struct compiled_variant compiled;
};

struct tune_options {
    enum strategy strategy;
    /* Tried first and raced, whatever rules, strategy and times say: so many, one after the
     * other; TUNE_CONFIGS_MAX at most. */
    const int64_t *configs;
    size_t config_count;
    bool is_only_configs; /* nothing else is tried */
    bool races_values;    /* raced too: the best candidate with each value of each param */
    bool keeps_all;       /* places of the race are kept, whichever */
    bool is_proof;        /* times are not asked for: none is too noisy */
    /* The race compares the first config with the others: nobody is dropped, ratios are those to
     * its times, and none is too noisy. */
    bool is_comparison;
    const struct tune_old_code *old; /* of the first config, races too; or NULL */
    const int64_t *seed_config;      /* what won a similar problem, tried first; or NULL */
    uint64_t seed;
    double budget_s; /* the search ends after about this long with what it has; 0 = none */
    double race_s;   /* 0 = the usual, or what a short budget leaves */
    double check_s;  /* as of struct job_race; 0 = the usual */
    struct journal *journal;   /* trials in it are not repeated, new ones appended; or NULL */
    bool is_retune;            /* for the advice after an interruption */
    bool (*is_stopping)(void); /* asked between messages; true: ERROR_INTERRUPTED */
    struct tune_progress progress;
};

#endif

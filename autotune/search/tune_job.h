/* tune_job: says what is to be tuned, where, and how: the input of a search. */
#ifndef AUTOTUNE_TUNE_JOB_H
#define AUTOTUNE_TUNE_JOB_H

#include "autotune/device/device.h"
#include "autotune/search/strategy.h"
#include "cache/journal.h"
#include "generator/emit.h"

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
};

/* Variants given away, and what who takes them has to know. */
struct tune_gift {
    const struct points *points; /* whose variants are meant */
    const int64_t *seed_config;  /* or NULL */
    uint64_t best_ps;            /* so far; 0 = none */
    const struct strategy_rule *rule;
    const uint32_t *variants; /* of all slices, one slice after the other */
    const size_t *counts;     /* by slice */
    size_t slices;
};

/* Shares a search with other processes, each with a GPU of the same kind. */
struct tune_sharing {
    void *context;
    /* A slice: these variants alone are tried, and no race is held. NULL = all. `points_hash` is that
     * of the points they were counted in: with other points nothing is tried. */
    const uint32_t *only;
    size_t only_count;
    uint64_t points_hash;
    uint64_t best_ps; /* what is known elsewhere, see struct tune_gift */
    const struct strategy_rule *rule;
    /* Told a few times a second what is left (`seconds` < 0: not known); into how many slices is a
     * part of it to be given away? */
    size_t (*ask)(void *context, size_t variants, double seconds);
    /* Takes the slices, none too. */
    int (*give)(void *context, const struct tune_gift *gift, struct error *error);
    /* Nothing is left here: are all slices back? Then their trials are in `returned`. */
    bool (*is_back)(void *context);
    struct journal *returned;
    /* While they are not: variants of them that are to be tried here after all; how many. */
    size_t (*more)(void *context, const uint32_t **variants);
};

struct tune_options {
    enum strategy strategy;
    const int64_t
        *configs;        /* tried first and raced, whatever rules, strategy and times say ... */
    size_t config_count; /* ... so many, one after the other; TUNE_CONFIGS_MAX at most */
    bool is_only_configs;       /* nothing else is tried */
    bool is_proof;              /* times are not asked for: none is too noisy */
    const int64_t *seed_config; /* what won a similar problem, tried first; or NULL */
    uint64_t seed;
    double budget_s; /* the search ends after about this long with what it has; 0 = none */
    double race_s;   /* 0 = the usual */
    struct journal *journal;   /* trials in it are not repeated, new ones appended; or NULL */
    bool is_retune;            /* for the advice after an interruption */
    bool (*is_stopping)(void); /* asked between messages; true: ERROR_INTERRUPTED */
    struct tune_progress progress;
    const struct tune_sharing *sharing; /* or NULL */
};

#endif

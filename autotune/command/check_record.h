/* check_record: checks one record: proves its kernel as it is compiled now, races it with the space's default and
 * with its old machine code, and keeps what came of it for the report. */
#ifndef AUTOTUNE_CHECK_RECORD_H
#define AUTOTUNE_CHECK_RECORD_H

#include "autotune/cli/setup.h"
#include "autotune/command/check_code.h"
#include "autotune/command/check_verdict.h"
#include "autotune/search/tune_job.h"

/* What was found of a record. */
struct check_row {
    const struct record *record;
    struct check_judgement judgement;
    struct check_ratios ratios;
    uint64_t median_ps, low_ps,
        high_ps; /* of the kernel now, with the 95 % interval; 0 = none */
    enum check_code_state code;
    char why[600]; /* of a verdict that needs a sentence; "" */
    double seconds;
};

/* What all checks share. */
struct check_session {
    const struct request *request;
    double race_s;       /* of each race; 0 = the usual */
    const char *kernels; /* the folder of compiled kernels */
    struct worker_pool *workers;
    struct unit_cache *units;
    const char *specs[1]; /* the device */
    struct setup setup;   /* of the last record's problem; `device` NULL: none is open */
    struct code_memo memo;
};

/* Is the record one of this run at all? With --space it must be of that space. Opens its setup. 1, 0, or -1 where
 * the setup cannot be opened. */
int check_record_open(struct check_session *session, const struct record *record,
                      struct error *error);

/* Checks the record that check_record_open opened. Whatever is found of it is a row; -1 for what ends a run:
 * an interruption, no device, no memory. */
int check_record_run(struct check_row *row, struct check_session *session,
                     const struct record *record, struct error *error);

#endif

/* tune_replay: takes what journals hold in place of measuring: the record that a tuning would have
 * left, what it took, and what other strategies would have found. */
#ifndef AUTOTUNE_TUNE_REPLAY_H
#define AUTOTUNE_TUNE_REPLAY_H

#include "autotune/cli/setup.h"

/* Runs --replay: with --strategy, else each of race, exhaustive and random in turn. */
int tune_replay(const struct request *request, struct error *error);

/* The record of the setup's problem, from the journal in this folder of records: the config of the
 * least median, whose times are its interval, as of when the journal was last written. ERROR_IO
 * without such a journal, ERROR_USAGE where fewer than two candidates were measured. */
int tune_replay_record(struct record *out, const struct setup *setup, const char *folder,
                       struct error *error);

/* How long the trials would take again that the journal of the record's problem has, with so many compilers
 * beside one device; 0 without a journal. */
double tune_replay_seconds(const struct record *record, const char *folder, unsigned compilers);

#endif

/* compare_journal: loads the journal of the run that found a record, and ranks bounds by its
 * times. */
#ifndef AUTOTUNE_COMPARE_JOURNAL_H
#define AUTOTUNE_COMPARE_JOURNAL_H

#include "autotune/compare/compare_input.h"
#include "autotune/print/terminal.h"
#include "cache/journal.h"

/* Loads the record's journal; false: there is none, or it cannot be read. `cache` as in
 * store_folder. Close it. */
bool compare_journal_load(struct journal *out, const char *cache, const struct record *record);

/* The shortest time of a trial in picoseconds; 0 = it has none. */
uint64_t compare_journal_least(const struct trial *trial);

/* Ranks the bound of each candidate of that run (by its registers), and its prior, against its
 * speed; `with_code`, where an NVRTC compiles for that GPU, also the bound by machine code, for
 * which each variant is compiled. A count of 0: no journal, or no bound. */
void compare_journal_rank(struct compare_evidence *out, const char *cache,
                          const struct record *record, const struct compare_input *input,
                          bool with_code, struct terminal_progress *progress);

#endif

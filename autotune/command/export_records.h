/* export_records: chooses the records that an export is made from. */
#ifndef AUTOTUNE_EXPORT_RECORDS_H
#define AUTOTUNE_EXPORT_RECORDS_H

#include "autotune/cli/setup.h"

struct export_records {
    struct interval *at; /* records of one n, and intervals of sweeps */
    size_t count;
};

/* The records of the request's problem that fit space and sources of the setup, from the folder
 * of records, else from the records shipped with the program; narrowed by --n and --gpu.
 * Without any it is ERROR_FAILED with a sentence that says which there were. */
int export_records_find(struct export_records *out, const struct setup *setup,
                        const struct request *request, struct error *error);
void export_records_dispose(struct export_records *records);

#endif

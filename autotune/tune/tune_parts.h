/* tune_parts: says where each part of a list keeps its records and its journals, and what all parts
 * know. A part writes to no folder but its own, so that no lock between machines is needed. */
#ifndef AUTOTUNE_TUNE_PARTS_H
#define AUTOTUNE_TUNE_PARTS_H

#include "autotune/cli/setup.h"
#include "cache/journal.h"

struct tune_parts {
    struct text base;          /* FOLDER, of the records */
    struct text own;           /* FOLDER/parts/3-of-8; FOLDER where the list is not dealt out */
    struct collection records; /* of FOLDER and of all parts */
    struct error warned;       /* of these, the last */
};

/* For the request's --cache and --part; makes no folder. tune_parts_dispose frees it, after an error
 * too. */
int tune_parts_open(struct tune_parts *out, const struct request *request, struct error *error);
void tune_parts_dispose(struct tune_parts *parts);

/* As setup_find, among the records of all parts; of several exact ones a finished one, and the
 * newest. Warns of the same damage once. */
int tune_parts_find(struct find_result *out, struct tune_parts *parts,
                    const struct setup *setup, struct error *warning, struct error *error);

/* The folders in which a part may know something: that of i = 0 is FOLDER; NULL behind the last. */
const char *tune_parts_folder(const struct tune_parts *parts, size_t i);

/* Takes over the trials of the setup's problem that other parts have made. */
int tune_parts_adopt(struct journal *journal, const struct tune_parts *parts,
                     const struct setup *setup, struct error *error);

#endif

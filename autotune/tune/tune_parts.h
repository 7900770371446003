/* tune_parts: says where each part of a list keeps its records and its journals, and what all parts
 * know. A part writes to no folder but its own, so that no lock between machines is needed. */
#ifndef AUTOTUNE_TUNE_PARTS_H
#define AUTOTUNE_TUNE_PARTS_H

#include "autotune/cli/setup.h"
#include "cache/journal.h"

struct tune_parts {
    struct text base;          /* FOLDER, of the records */
    struct text own;           /* FOLDER/parts/3-of-8; FOLDER where the list is not dealt out */
    struct collection records; /* of FOLDER and of all parts; of several exact ones it has a
                                * finished one first, and the newest */
    struct error warned;       /* of these, the last */
};

/* For the request's --cache and --part; makes no folder. tune_parts_dispose frees it, after an error
 * too. */
int tune_parts_open(struct tune_parts *out, const struct request *request, struct error *error);
void tune_parts_dispose(struct tune_parts *parts);

/* Takes back a warning about the records that was given for the problem before. */
void tune_parts_warn(struct tune_parts *parts, struct error *warning);

/* The folders in which a part may know something: that of i = 0 is FOLDER; NULL behind the last. */
const char *tune_parts_folder(const struct tune_parts *parts, size_t i);

/* Takes over the trials of the setup's problem that other parts have made. */
int tune_parts_adopt(struct journal *journal, const struct tune_parts *parts,
                     const struct setup *setup, struct error *error);

#endif

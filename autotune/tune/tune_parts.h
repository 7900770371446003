/* tune_parts: says where each part of a list keeps its records and its journals, and what all parts
 * know. A part writes to no folder but its own, so that no lock between machines is needed. */
#ifndef AUTOTUNE_TUNE_PARTS_H
#define AUTOTUNE_TUNE_PARTS_H

#include "autotune/cli/setup.h"
#include "cache/journal.h"

struct tune_parts {
    struct text base; /* FOLDER, of the records */
    struct text own;  /* FOLDER/parts/3-of-8; FOLDER where the list is not dealt out */
    char **folders;   /* in which a part may know something: FOLDER and those of all parts */
    size_t count;
    struct records known; /* of the GPU `gpu` in all of them, and those that were added */
    char gpu[128];        /* "" = of none yet */
};

/* For the request's --cache and --part; makes no folder. tune_parts_dispose frees it, after an error
 * too. */
int tune_parts_open(struct tune_parts *out, const struct request *request, struct error *error);
void tune_parts_dispose(struct tune_parts *parts);

/* As setup_find, among the records of all parts; of several exact ones a finished one, and the
 * newest. */
int tune_parts_find(struct find_result *out, struct tune_parts *parts,
                    const struct setup *setup, struct error *warning, struct error *error);

/* What this part has just kept is known to it from now on. */
int tune_parts_add(struct tune_parts *parts, const struct record *record, struct error *error);

/* Takes over the trials of the setup's problem that other parts have made. */
int tune_parts_adopt(struct journal *journal, const struct tune_parts *parts,
                     const struct setup *setup, struct error *error);

#endif

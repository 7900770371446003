/* choose: chooses the variant of a plan: from the records that are here, those that ship, or
 * the space's default. Reads the GPU's own file of records again only when it has changed.
 * Calls take turns: the caller holds a lock. */
#ifndef AUTOTUNE_CHOOSE_H
#define AUTOTUNE_CHOOSE_H

#include "autotune/device/device.h"
#include "autotune/library/builtin_spaces.h"
#include "cache/collection.h"
#include "include/autotune.h"

/* Records that are kept in memory. Private. */
struct choose_records {
    char *place;
    struct collection at_hand;
    struct code_memo memo;
};

/* Takes over `place`, the option: a folder, a file, or NULL for the usual folder. Reads nothing. */
void choose_open(struct choose_records *out, char *place);

/* Reads in advance what a plan reads first: the file of this GPU. An error in it is reported when a
 * plan reads it again. */
void choose_prepare(struct choose_records *records, const struct device_info *info);

/* What a plan asks for. */
struct choose_request {
    const struct builtin_spaces *spaces; /* default config settled for the problem */
    const struct problem *problem;
    const struct device_info *info; /* its compiler may be "": not looked for yet */
    enum autotune_from from;
    const uint64_t *refused; /* codes of records that the device cannot run */
    size_t refused_count;
};

struct choice {
    int64_t config[SPACE_NAMES_MAX];
    enum selector_grade grade; /* exact also where only the compiler is not known yet */
    struct record record;      /* zeros for the default */
    struct error warning;      /* ERROR_NONE: nothing */
};

/* ERROR_NO_RECORD, ERROR_OTHER_GPU: there is no record of the kind asked for. For AUTOTUNE_FROM_TUNING only
 * an exact record will do. */
int choose_config(struct choice *out, struct choose_records *records,
                  const struct choose_request *request, struct error *error);

/* Appends the folder for the records that tuning makes. ERROR_USAGE when `place` is a file. */
int choose_folder(struct text *out, const struct choose_records *records, struct error *error);

void choose_dispose(struct choose_records *records);

#endif

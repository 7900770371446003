/* store: keeps records on disk, one file per GPU in $XDG_CACHE_HOME/autotune. Reading forgives
 * (a damaged record is skipped and named); writing is locked, merged, atomic and durable. */
#ifndef AUTOTUNE_STORE_H
#define AUTOTUNE_STORE_H

#include "cache/interval.h"
#include "cache/record.h"
#include "generator/error.h"
#include "generator/text.h"

#include <stddef.h>

struct records {
    struct record *at;
    size_t count;
    struct configs configs;     /* that they name */
    struct interval *intervals; /* of the sweeps, as loaded */
    size_t interval_count;
    bool is_refused;     /* the whole file: it is no record file, or of another version */
    size_t skipped;      /* damaged sections left out; and 1 where whole ones are missing */
    struct error reason; /* why the first of them was left out */
};

/* $XDG_CACHE_HOME/autotune, else $HOME/.cache/autotune, appended to `out`. ERROR_IO without
 * either (the sentence names --cache). `folder` (from --cache) wins when not NULL. */
int store_folder(struct text *out, const char *folder, struct error *error);

/* FOLDER/nvidia-h200.ini for a GPU's name; the file's name has [a-z0-9-] only. */
int store_path(struct text *out, const char *folder, const char *gpu, struct error *error);

/* Reads a record file. A missing file is no records, not an error. A file that must not be
 * trusted (not regular, a symbolic link, too big, owned by another user, writable by others,
 * not strict INI) gives no records, with the reason in out->reason and skipped = 1. -1 only for
 * memory. */
int store_load(struct records *out, const char *path, struct error *error);
int store_load_bytes(struct records *out, const char *name, const char *bytes, size_t length,
                     struct error *error);
void store_dispose(struct records *records);

/* Takes the records of a file, which are disposed of behind it. */
typedef int store_take(void *context, const char *path, const struct records *records,
                       struct error *error);

/* Loads each record file of a folder but that of the path `but` (may be NULL), in the order of
 * their names, and hands it over, until one is refused. No folder is no files; one that cannot
 * be read is ERROR_IO. */
int store_load_each(const char *folder, const char *but, store_take *take, void *context,
                    struct error *error);

/* Appends a record to records to which only these two functions append, and adds its config;
 * nothing is raced with it. -1 only for memory. */
int store_add(struct records *records, const struct record *record, struct error *error);
/* The same for one of the records `from`, with what was raced with it. */
int store_copy(struct records *records, const struct records *from, const struct record *record,
               struct error *error);

/* The config that a record ran, for a table of configs. */
struct config store_config(const struct record *record);

/* Leaves out configs that no record names, and sorts those of each record by their params, as
 * in a file: so what is computed from them does not depend on the order of adding. */
int store_tidy(struct records *records, struct error *error);

/* Adds or replaces (record_is_same_problem: driver, compiler, code and method may differ; what
 * was raced at the size stays, by interval_inherit) records, of which a reader sees all or none:
 * lock, read, merge, temporary file, fsync, rename, fsync the folder. Makes the folder (mode
 * 0700). ERROR_IO with path and cause leaves the old file as it was. A damaged old file is kept
 * beside as NAME.damaged, one of an older schema, whose records are strangers here, as
 * NAME.schema-1, or as NAME.damaged-2 and so on where that is there: `moved` (may be NULL) then says so, and is
 * ERROR_NONE otherwise, and where it fails. One that must not be trusted or is of a newer schema is not
 * touched: ERROR_IO. A record that could not be read back is ERROR_FAILED. */
int store_save(const char *path, const struct records *records, struct error *moved,
               struct error *error);

/* The same under the caller's lock (file_lock), for records that were chosen by what is in the file:
 * who looks before locking chooses by what another process replaces meanwhile. */
int store_save_locked(const char *path, const struct records *added, struct error *moved,
                      struct error *error);

/* How many files in the folder are such old ones; `name` (appended) is the first of them. */
size_t store_count_kept(struct text *name, const char *folder);

/* Could store_save write the file now? Makes its folder and its lock. ERROR_IO where it could not. */
int store_check(const char *path, struct error *error);

#endif

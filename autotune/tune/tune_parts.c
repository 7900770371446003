/* tune_parts: lists the folders of parts once, and loads the records of a GPU in all of them once. */
#include "autotune/tune/tune_parts.h"

#include "cache/journal.h"
#include "generator/array.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Folders ------------------------------------------------------------------------------ */

static int add_folder(struct tune_parts *parts, const struct text *folder, struct error *error)
{
    if (text_check(folder, error) ||
        array_grow(&parts->folders, parts->count, sizeof *parts->folders, error))
        return -1;
    parts->folders[parts->count] = strdup(folder->at);
    return parts->folders[parts->count++] ? 0 : error_memory(error, folder->length + 1);
}

/* "3-of-8" */
static int is_part(const struct dirent *entry)
{
    return entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && strstr(entry->d_name, "-of-");
}

static int list_parts(struct tune_parts *parts, struct error *error)
{
    struct text all = {0};
    struct dirent **names = NULL;
    text_addf(&all, "%s/parts", parts->base.at);
    int failed = text_check(&all, error);
    const int count = failed ? 0 : scandir(all.at, &names, is_part, alphasort);
    if (count < 0 && errno != ENOENT)
        failed = error_set(error, ERROR_IO,
                           "%s: cannot be read: %s: name another folder with --cache", all.at,
                           strerror(errno));
    for (int i = 0; i < count; i++) {
        struct text folder = {0};
        text_addf(&folder, "%s/%s", all.at, names[i]->d_name);
        failed = failed || add_folder(parts, &folder, error);
        text_dispose(&folder);
        free(names[i]);
    }
    free(names);
    text_dispose(&all);
    return failed;
}

int tune_parts_open(struct tune_parts *out, const struct request *request, struct error *error)
{
    *out = (struct tune_parts){.count = 0};
    if (store_folder(&out->base, request->cache, error))
        return -1;
    text_adds(&out->own, out->base.at);
    if (request->has_part)
        text_addf(&out->own, "/parts/%u-of-%u", request->part.index + 1, request->part.count);
    return text_check(&out->own, error) || add_folder(out, &out->base, error) ||
                   list_parts(out, error)
               ? -1
               : 0;
}

void tune_parts_dispose(struct tune_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        free(parts->folders[i]);
    free(parts->folders);
    store_dispose(&parts->known);
    text_dispose(&parts->base);
    text_dispose(&parts->own);
}

/* --- Records ------------------------------------------------------------------------------ */

static int load_folder(struct tune_parts *parts, const char *folder, struct error *warning,
                       struct error *error)
{
    struct text path = {0};
    struct records records;
    if (store_path(&path, folder, parts->gpu, error) || store_load(&records, path.at, error)) {
        text_dispose(&path);
        return -1;
    }
    int failed = 0;
    for (size_t i = 0; i < records.count && !failed; i++)
        failed = store_copy(&parts->known, &records, &records.at[i], error);
    if (records.skipped)
        *warning = records.reason;
    store_dispose(&records);
    text_dispose(&path);
    return failed;
}

/* Finished ones first, then the newest. */
static int by_worth(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    return !x->untried != !y->untried ? (x->untried ? 1 : -1) : strcmp(y->tuned, x->tuned);
}

static int load_known(struct tune_parts *parts, const char *gpu, struct error *warning,
                      struct error *error)
{
    if (strcmp(parts->gpu, gpu) == 0)
        return 0;
    store_dispose(&parts->known);
    snprintf(parts->gpu, sizeof parts->gpu, "%s", gpu);
    for (size_t i = 0; i < parts->count; i++)
        if (load_folder(parts, parts->folders[i], warning, error))
            return -1;
    if (parts->known.count)
        qsort(parts->known.at, parts->known.count, sizeof *parts->known.at, by_worth);
    return interval_compute(&parts->known, error);
}

int tune_parts_find(struct find_result *out, struct tune_parts *parts,
                    const struct setup *setup, struct error *warning, struct error *error)
{
    struct record want;
    *warning = (struct error){.code = ERROR_NONE};
    setup_record(&want, setup);
    return load_known(parts, want.gpu, warning, error) ||
                   setup_find_among(out, setup, &parts->known, parts->base.at, error)
               ? -1
               : 0;
}

int tune_parts_add(struct tune_parts *parts, const struct record *record, struct error *error)
{
    return strcmp(parts->gpu, record->gpu) == 0 ? store_add(&parts->known, record, error) : 0;
}

/* --- Trials ------------------------------------------------------------------------------- */

int tune_parts_adopt(struct journal *journal, const struct tune_parts *parts,
                     const struct setup *setup, struct error *error)
{
    struct record key;
    int failed = 0;
    setup_record(&key, setup);
    for (size_t i = 0; i < parts->count && !failed; i++) {
        struct text path = {0};
        failed = journal_path(&path, parts->folders[i], &key, error) ||
                 (strcmp(parts->folders[i], parts->own.at) != 0 &&
                  journal_adopt(journal, &key, path.at, NULL, error));
        text_dispose(&path);
    }
    return failed;
}

/* tune_parts: lists the folders of parts once; the own one is made later. */
#include "autotune/tune/tune_parts.h"

#include "cache/journal.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- Folders ------------------------------------------------------------------------------ */

static bool has_part(const struct tune_parts *parts, const char *folder)
{
    const struct collection *records = &parts->records;
    for (size_t i = 0; i < records->part_count; i++)
        if (strcmp(records->parts[i], folder) == 0)
            return true;
    return false;
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
        failed = failed || text_check(&folder, error) ||
                 collection_add_part(&parts->records, folder.at, error);
        text_dispose(&folder);
        free(names[i]);
    }
    free(names);
    text_dispose(&all);
    return failed;
}

int tune_parts_open(struct tune_parts *out, const struct request *request, struct error *error)
{
    *out = (struct tune_parts){.base = {0}};
    if (store_folder(&out->base, request->cache, error))
        return -1;
    text_adds(&out->own, out->base.at);
    if (request->has_part)
        text_addf(&out->own, "/parts/%u-of-%u", request->part.index + 1, request->part.count);
    out->records = setup_collection(request);
    return text_check(&out->own, error) || list_parts(out, error) ||
                   (request->has_part && !has_part(out, out->own.at) &&
                    collection_add_part(&out->records, out->own.at, error))
               ? -1
               : 0;
}

void tune_parts_dispose(struct tune_parts *parts)
{
    collection_dispose(&parts->records);
    text_dispose(&parts->base);
    text_dispose(&parts->own);
}

const char *tune_parts_folder(const struct tune_parts *parts, size_t i)
{
    return i == 0                           ? parts->base.at
           : i <= parts->records.part_count ? parts->records.parts[i - 1]
                                            : NULL;
}

void tune_parts_warn(struct tune_parts *parts, struct error *warning)
{
    if (strcmp(parts->warned.text, warning->text) == 0)
        warning->code = ERROR_NONE;
    else
        parts->warned = *warning;
}

/* --- Trials ------------------------------------------------------------------------------- */

int tune_parts_adopt(struct journal *journal, const struct tune_parts *parts,
                     const struct setup *setup, struct error *error)
{
    struct record key;
    int failed = 0;
    setup_record(&key, setup);
    const char *folder;
    for (size_t i = 0; (folder = tune_parts_folder(parts, i)) && !failed; i++) {
        struct text path = {0};
        failed = journal_path(&path, folder, &key, error) ||
                 (strcmp(folder, parts->own.at) != 0 &&
                  journal_adopt(journal, &key, path.at, NULL, error));
        text_dispose(&path);
    }
    return failed;
}

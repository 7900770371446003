/* collection: reads the files of one GPU together, and compares what they were then with what they
 * are now. */
#include "cache/collection.h"

#include "generator/array.h"

#include <stdlib.h>
#include <string.h>

/* --- Where they are ----------------------------------------------------------------------- */

bool collection_is_file(const struct collection *collection)
{
    struct stat status;
    return collection->place && stat(collection->place, &status) == 0 &&
           !S_ISDIR(status.st_mode);
}

int collection_add_part(struct collection *collection, const char *folder, struct error *error)
{
    if (array_grow(&collection->parts, collection->part_count, sizeof *collection->parts,
                   error))
        return -1;
    char *const copy = strdup(folder);
    if (!copy)
        return error_memory(error, strlen(folder) + 1);
    collection->parts[collection->part_count++] = copy;
    return 0;
}

/* Appends the path of the GPU's file in the place, or from 1 on in a part. Without a device there is
 * none. */
static int find_path(struct text *out, const struct collection *collection, size_t i,
                     const char *gpu, struct error *error)
{
    const char *place = i ? collection->parts[i - 1] : collection->place;
    struct text folder = {0};
    if (i == 0 && collection_is_file(collection)) {
        text_adds(out, place);
        return text_check(out, error);
    }
    const int failed = store_folder(&folder, place, error) ||
                       store_path(out, folder.at, *gpu ? gpu : "none", error);
    text_dispose(&folder);
    return failed ? -1 : 0;
}

/* --- The GPU's files ---------------------------------------------------------------------- */

static size_t count_files(const struct collection *collection)
{
    return 1 + collection->part_count;
}

static void free_files(struct collection_file *files, size_t count)
{
    for (size_t i = 0; files && i < count; i++)
        free(files[i].path);
    free(files);
}

/* Lists them as they are now. */
static int list_files(struct collection_file **out, const struct collection *collection,
                      const char *gpu, struct error *error)
{
    const size_t count = count_files(collection);
    struct collection_file *files = calloc(count, sizeof *files);
    int failed = files ? 0 : error_memory(error, count * sizeof *files);
    for (size_t i = 0; i < count && !failed; i++) {
        struct text path = {0};
        failed = find_path(&path, collection, i, gpu, error);
        if (!failed && lstat(path.at, &files[i].status) != 0)
            files[i].status = (struct stat){0};
        files[i].path = path.at;
    }
    if (failed)
        free_files(files, count);
    else
        *out = files;
    return failed;
}

/* Is it the same file? Who writes a record file puts a new one in its place. */
static bool is_same(const struct collection_file *one, const struct collection_file *other)
{
    const struct stat *a = &one->status, *b = &other->status;
    return strcmp(one->path, other->path) == 0 && a->st_dev == b->st_dev &&
           a->st_ino == b->st_ino && a->st_size == b->st_size && a->st_mode == b->st_mode &&
           a->st_uid == b->st_uid && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static bool is_current(const struct collection *collection, const struct collection_file *now)
{
    for (size_t i = 0; collection->files && i < count_files(collection); i++)
        if (!is_same(&collection->files[i], &now[i]))
            return false;
    return collection->files;
}

/* --- Reading ------------------------------------------------------------------------------ */

static void forget(struct collection *collection)
{
    store_dispose(&collection->own);
    free_files(collection->files, count_files(collection));
    collection->files = NULL;
}

static int add_file(struct records *out, const char *path, struct error *error)
{
    struct records records;
    int failed = 0;
    if (store_load(&records, path, error))
        return -1;
    for (size_t i = 0; i < records.count && !failed; i++)
        failed = store_copy(out, &records, &records.at[i], error);
    out->skipped += records.skipped;
    if (records.skipped)
        out->reason = records.reason;
    store_dispose(&records);
    return failed;
}

/* Finished ones first, then the newest. */
static int by_worth(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    return !x->untried != !y->untried ? (x->untried ? 1 : -1) : strcmp(y->tuned, x->tuned);
}

static int read_files(struct records *out, const struct collection_file *files, size_t count,
                      struct error *error)
{
    if (count == 1)
        return store_load(out, files->path, error);
    for (size_t i = 0; i < count; i++)
        if (add_file(out, files[i].path, error))
            return -1;
    if (out->count)
        qsort(out->at, out->count, sizeof *out->at, by_worth);
    return interval_compute(out, error);
}

int collection_load(struct collection *collection, const char *gpu, struct error *warning,
                    struct error *error)
{
    struct collection_file *now;
    struct error cause;
    if (list_files(&now, collection, gpu, &cause)) {
        forget(collection);
        if (cause.code == ERROR_IO && warning->code == ERROR_NONE)
            *warning = cause;
        if (cause.code != ERROR_IO)
            *error = cause;
        return cause.code == ERROR_IO ? 0 : -1;
    }
    const bool is_read = is_current(collection, now);
    if (is_read) {
        free_files(now, count_files(collection));
    } else {
        forget(collection);
        collection->files = now;
    }
    if (!is_read && read_files(&collection->own, now, count_files(collection), error)) {
        forget(collection);
        return -1;
    }
    if (warning->code == ERROR_NONE && collection->own.skipped)
        *warning = collection->own.reason;
    return 0;
}

/* Those of the space and cost class of the last that was asked for are kept. */
static int load_shipped(struct collection *collection, const struct record *want,
                        struct error *error)
{
    char name[COMPACT_NAME_CHARS];
    if (strcmp(collection->shipped_name, compact_name(name, want->space, &want->problem)) == 0)
        return 0;
    store_dispose(&collection->shipped);
    *collection->shipped_name = '\0';
    if (collection->ship(&collection->shipped, want, error))
        return -1;
    memcpy(collection->shipped_name, name, sizeof name);
    return 0;
}

void collection_dispose(struct collection *collection)
{
    forget(collection);
    store_dispose(&collection->shipped);
    for (size_t i = 0; i < collection->part_count; i++)
        free(collection->parts[i]);
    free(collection->parts);
    *collection = (struct collection){.place = NULL};
}

/* --- A search ----------------------------------------------------------------------------- */

static int find_own(struct find *find, struct collection *collection, struct error *warning,
                    struct error *error)
{
    return collection_load(collection, find->want.gpu, warning, error) ||
                   find_among(find, &collection->own, error)
               ? -1
               : 0;
}

static int find_others(struct find *find, const struct collection *collection,
                       struct error *error)
{
    struct text folder = {0}, own = {0};
    struct error ignored;
    int failed = 0;
    if (!collection_is_file(collection) &&
        store_folder(&folder, collection->place, &ignored) == 0)
        failed = find_path(&own, collection, 0, find->want.gpu, error) ||
                 find_in_folder(find, folder.at, own.at, error);
    text_dispose(&folder);
    text_dispose(&own);
    return failed;
}

int collection_find(struct find *find, struct collection *collection, unsigned sources,
                    struct error *warning, struct error *error)
{
    if ((sources & COLLECTION_OWN && find_own(find, collection, warning, error)) ||
        (sources & COLLECTION_OTHERS && find_others(find, collection, error)))
        return -1;
    if (!(sources & COLLECTION_SHIPPED) || find->best.grade <= SELECTOR_STALE)
        return 0;
    return load_shipped(collection, &find->want, error) ||
                   find_shipped(find, &collection->shipped, error)
               ? -1
               : 0;
}

/* --- All records -------------------------------------------------------------------------- */

static int offer(const struct collection_visitor *visitor, const struct interval *served,
                 const struct records *from, struct error *error)
{
    return visitor->filter && filter_lacks(visitor->filter, served)
               ? 0
               : visitor->take(visitor->context, served, from, error);
}

int collection_visit(const struct records *records, const struct collection_visitor *visitor,
                     struct error *error)
{
    int failed = 0;
    for (size_t i = 0; i < records->count && !failed; i++) {
        const uint64_t depth = records->at[i].problem.dims.depth.n;
        const struct interval one = {depth, depth, records->at[i]};
        failed = offer(visitor, &one, records, error);
    }
    for (size_t i = 0; i < records->interval_count && !failed; i++)
        if (records->intervals[i].from < records->intervals[i].to)
            failed = offer(visitor, &records->intervals[i], records, error);
    return failed;
}

static int visit_file(void *context, const char *path, const struct records *records,
                      struct error *error)
{
    const struct collection_visitor *visitor = context;
    (void)path;
    if (visitor->miss && records->skipped)
        visitor->miss(visitor->context, records);
    return collection_visit(records, visitor, error);
}

int collection_visit_files(const struct collection *collection,
                           const struct collection_visitor *visitor, struct error *error)
{
    struct collection_visitor copy = *visitor;
    struct text folder = {0};
    const int failed = store_folder(&folder, collection->place, error) ||
                       store_load_each(folder.at, NULL, visit_file, &copy, error);
    text_dispose(&folder);
    return failed ? -1 : 0;
}

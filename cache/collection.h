/* collection: holds the records at hand, and hands them to who chooses among them: those of a GPU's
 * own file, in the folder of records and in those of parts; those of the folder's other files; and
 * what ships. The own ones are read when they are first asked for, and again when a file has
 * changed. */
#ifndef AUTOTUNE_COLLECTION_H
#define AUTOTUNE_COLLECTION_H

#include "cache/compact.h"
#include "cache/filter.h"
#include "cache/find.h"
#include "cache/store.h"

#include <sys/stat.h>

/* Where records are, as bits. */
enum collection_source {
    COLLECTION_OWN = 1 << 0,    /* the file of a GPU, in the folder and in those of parts */
    COLLECTION_OTHERS = 1 << 1, /* the folder's other files */
    COLLECTION_SHIPPED = 1 << 2,
    COLLECTION_ALL = COLLECTION_OWN | COLLECTION_OTHERS | COLLECTION_SHIPPED,
};

/* Loads what ships for the key `want`, or all of it for NULL. */
typedef int collection_ship(struct records *out, const struct record *want,
                            struct error *error);

/* A file as it was when it was read. */
struct collection_file {
    char *path;
    struct stat status; /* zeros: there was none */
};

/* Set the first two; of the rest the parts and `own` may be read. */
struct collection {
    const char *place; /* a folder, a file, or NULL for the usual folder; outlives this */
    collection_ship *ship;
    char **parts; /* folders */
    size_t part_count;
    struct records own;
    struct collection_file *files; /* from which these were read; NULL = none were */
    struct records shipped;
    char shipped_name[COMPACT_NAME_CHARS]; /* compact_name of these; "" = none are loaded */
};

void collection_dispose(struct collection *collection);

/* Is the place a file that is there? */
bool collection_is_file(const struct collection *collection);

/* Adds a folder of a part, whose records count as if they were in the place. */
int collection_add_part(struct collection *collection, const char *folder, struct error *error);

/* Reads the records of a GPU into `own`, unless they are there and no file has changed since. With
 * parts they are in the order of their worth: those whose search came to its end first, then the
 * newest. `warning` gets why there is no folder or what is left out, unless it says something
 * already. -1 only for memory. */
int collection_load(struct collection *collection, const char *gpu, struct error *warning,
                    struct error *error);

/* Gives a search the records of these sources, in their order; what ships only where nothing fits
 * exactly. The warning is that of collection_load. */
int collection_find(struct find *find, struct collection *collection, unsigned sources,
                    struct error *warning, struct error *error);

/* Takes a record, for the depth that it has alone, or an interval of a sweep, for several. `from` is
 * what it was read with. */
typedef int collection_take(void *context, const struct interval *served,
                            const struct records *from, struct error *error);

/* Who looks through records. */
struct collection_visitor {
    void *context;
    const struct filter *filter; /* NULL: all are wanted */
    collection_take *take;
    /* Told of each file or part of one that could not be read; or NULL. */
    void (*miss)(void *context, const struct records *records);
};

/* Hands over the records of some that are wanted, in their order, then their intervals. */
int collection_visit(const struct records *records, const struct collection_visitor *visitor,
                     struct error *error);

/* The same for each file of the folder, by name. ERROR_IO where that cannot be read. */
int collection_visit_files(const struct collection *collection,
                           const struct collection_visitor *visitor, struct error *error);

#endif

/* space_extend: lays a space file over the built-in space that it extends. A key named again
 * has the new value in the old place; an empty value takes the key away, and "* =" all keys of
 * the section in that space; new keys come last in their section, new sections last of all. */
#include "generator/space_read.h"

#include <string.h>

const struct ini_item *space_find_item(const struct space *space, const char *section,
                                       const char *key)
{
    const struct space_memory *memory = space->memory;
    for (size_t i = 0; i < memory->item_count; i++)
        if (memory->items[i].key && strcmp(memory->items[i].key, key) == 0 &&
            strcmp(memory->items[i].section, section) == 0)
            return &memory->items[i];
    return NULL;
}

/* --- The files ---------------------------------------------------------------------------- */

static int load_file(struct space_memory *memory, const char *file, const char *bytes,
                     size_t length, struct error *error)
{
    if (ini_load(&memory->files[memory->file_count], file, bytes, length, error))
        return -1;
    memory->file_count++;
    return 0;
}

static int load_extended(struct space_memory *memory, const struct ini_item *item,
                         space_builtin_fn *builtin, struct error *error)
{
    const char *file, *bytes = builtin ? builtin(item->value, &file) : NULL;
    if (!bytes)
        return space_complain(item, error, "a space extends a built-in one, and none is called",
                              item->value);
    if (memory->file_count == SPACE_FILES_MAX)
        return space_complain(item, error, "more than 7 spaces below this one:", item->value);
    return load_file(memory, file, bytes, strlen(bytes), error);
}

/* --- One over the other ------------------------------------------------------------------- */

static size_t find_section_end(const struct space_memory *memory, const char *section)
{
    for (size_t i = memory->item_count; i-- > 0;)
        if (strcmp(memory->items[i].section, section) == 0)
            return i + 1;
    return memory->item_count;
}

static void insert(struct space_memory *memory, const struct ini_item *item)
{
    const size_t at = find_section_end(memory, item->section);
    struct ini_item *place = &memory->items[at];
    memmove(place + 1, place, (memory->item_count - at) * sizeof *place);
    *place = *item;
    memory->item_count++;
}

/* A key that is taken away leaves its place, without a key, to one that may replace it. */
static bool take_away(struct space_memory *memory, const struct ini_item *item)
{
    bool is_found = false;
    for (size_t i = 0; i < memory->item_count; i++) {
        struct ini_item *below = &memory->items[i];
        if (!below->key || strcmp(below->section, item->section) != 0 ||
            (strcmp(item->key, "*") != 0 && strcmp(item->key, below->key) != 0))
            continue;
        below->key = NULL;
        is_found = true;
    }
    return is_found;
}

static int lay(struct space *space, const struct ini *file, struct error *error)
{
    const bool is_lowest = file == &space->memory->files[space->memory->file_count - 1];
    for (size_t i = 0; i < file->count; i++) {
        const struct ini_item *item = &file->items[i];
        struct ini_item *below = /* no key is twice in a file */
            is_lowest ? NULL
                      : (struct ini_item *)(uintptr_t)space_find_item(space, item->section,
                                                                      item->key);
        if (strcmp(item->section, "space") == 0 && strcmp(item->key, "extends") == 0)
            continue;
        if (!is_lowest && !*item->value) {
            if (!take_away(space->memory, item))
                return space_complain(item, error,
                                      "the space below has no such key to take away:",
                                      item->key);
        } else if (below) {
            *below = *item;
        } else {
            insert(space->memory, item);
        }
    }
    return 0;
}

static void drop_removed(struct space_memory *memory)
{
    size_t kept = 0;
    for (size_t i = 0; i < memory->item_count; i++)
        if (memory->items[i].key)
            memory->items[kept++] = memory->items[i];
    memory->item_count = kept;
}

int space_read_items(struct space *space, const char *file, const char *bytes, size_t length,
                     space_builtin_fn *builtin, struct error *error)
{
    struct space_memory *memory = space->memory;
    const struct ini_item *extends = NULL;
    size_t total = 0;
    if (load_file(memory, file, bytes, length, error))
        return -1;
    while ((extends = ini_find(&memory->files[memory->file_count - 1], "space", "extends")))
        if (load_extended(memory, extends, builtin, error))
            return -1;
    for (size_t i = 0; i < memory->file_count; i++)
        total += memory->files[i].count;
    memory->items = space_alloc(space, (total + 1) * sizeof *memory->items, error);
    if (!memory->items)
        return -1;
    for (size_t i = memory->file_count; i-- > 0;)
        if (lay(space, &memory->files[i], error))
            return -1;
    drop_removed(memory);
    return 0;
}

/* operation: holds the table of laws, and one of each operation: those that come with the program, and what
 * else was read. */
#include "generator/operation.h"

#include "autotune/embedded.h"
#include "generator/find_name.h"
#include "generator/operation_canonical.h"
#include "generator/operation_law.h"
#include "generator/operation_type.h"
#include "generator/text.h"

#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct combine_row operation_combines[COMBINE_LAWS] = {
    /* a + b, identity 0 */
    [COMBINE_ADD] = {"ADD", false, true, 0, false, ADDING, "reduce"},
    /* a * b, identity 1 */
    [COMBINE_MULTIPLY] = {"MULTIPLY", false, true, 0, false, MULTIPLYING, "reduce"},
    /* IEEE 754-2019 minimum and maximum for floats */
    [COMBINE_LEAST] = {"LEAST", false, false, -1, false, SELECTING, "reduce"},
    [COMBINE_GREATEST] = {"GREATEST", false, false, 1, false, SELECTING, "reduce"},
    /* a & b, identity all ones; a | b and a ^ b, identity 0 */
    [COMBINE_AND] = {"AND", true, false, 0, false, SELECTING, "reduce"},
    [COMBINE_OR] = {"OR", true, false, 0, false, SELECTING, "reduce"},
    [COMBINE_XOR] = {"XOR", true, false, 0, false, SELECTING, "reduce"},
    /* the position of the first of the least or greatest; a NaN comes before all */
    [COMBINE_FIRST_LEAST] = {"FIRST_LEAST", false, false, -1, true, LOCATING, "arg"},
    [COMBINE_FIRST_GREATEST] = {"FIRST_GREATEST", false, false, 1, true, LOCATING, "arg"},
    /* whether it rounds the text says */
    [COMBINE_OTHER] = {"OTHER", false, true, 0, false, JOINING, "reduce"},
};

const char *const operation_maps[MAP_LAWS] =
    {[MAP_SAME] = "SAME", [MAP_SQUARE] = "SQUARE", [MAP_MAPPED] = "MAPPED"};

/* --- One of each -------------------------------------------------------------------------- */

enum {
    KEY_DIGITS = 32, /* of a hash, in keys */
    WORD_DIGITS = 8, /* and in names of files */
    KEY_CHARS = OPERATION_NAME_MAX + 1 + KEY_DIGITS + 1,
};

/* A shadow that was made of an operation, for some types. */
struct kept_shadow {
    int types;
    const struct operation *shadow;
    struct kept_shadow *next;
};

struct entry {
    struct operation of;
    struct entry *next;
    struct kept_shadow *shadows;
    char name[OPERATION_NAME_MAX + 1], key[KEY_CHARS], word[KEY_CHARS];
    char hash[OPERATION_HASH_CHARS]; /* of the text; of one without, as much as the key has */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries; /* the newest first */
static struct entry **ours;   /* in the order of operation_at */
static size_t our_count;
static int place_count;

/* Whatever its name; hashes are compared as far as both are known. */
static struct entry *find_hash(const char *hash)
{
    const size_t length = strlen(hash);
    struct entry *entry = entries;
    while (entry && strncmp(entry->hash, hash, strnlen(entry->hash, length)) != 0)
        entry = entry->next;
    return entry;
}

static struct entry *find_name_of_ours(const char *name)
{
    struct entry *entry = entries;
    while (entry && (entry->of.is_own || strcmp(entry->name, name) != 0))
        entry = entry->next;
    return entry;
}

/* What everybody sees of an entry, from its name and hash. */
static void set_names(struct entry *entry, bool is_own)
{
    snprintf(entry->key, sizeof entry->key, "%s%s%.*s", entry->name, is_own ? "@" : "",
             is_own ? KEY_DIGITS : 0, entry->hash);
    snprintf(entry->word, sizeof entry->word, "%s%s%.*s", entry->name, is_own ? "_" : "",
             is_own ? WORD_DIGITS : 0, entry->hash);
    entry->of.name = entry->name;
    entry->of.key = entry->key;
    entry->of.word = entry->word;
    entry->of.is_own = is_own;
}

static struct entry *add_entry(struct error *error)
{
    struct entry *entry = calloc(1, sizeof *entry);
    if (!entry) {
        error_memory(error, sizeof *entry);
        return NULL;
    }
    entry->of.combine = COMBINE_OTHER;
    entry->of.scale = "the result";
    entry->of.place = place_count++;
    entry->next = entries;
    entries = entry;
    return entry;
}

/* Keeps a text of this hash that no operation has yet; `entry` is one that a record named, or NULL. What was
 * read stays with it. */
static int keep_text(struct entry **out, struct entry *entry, struct operation_text *text,
                     const char *hash, const char *file, const char *bytes, size_t length,
                     bool is_own, struct error *error)
{
    char *const source = malloc(length + 1), *const path = strdup(file);
    if (!source || !path || (!entry && !(entry = add_entry(error)))) {
        free(source);
        free(path);
        return error_memory(error, length);
    }
    memcpy(source, bytes, length);
    source[length] = '\0';
    if (!*entry->hash) { /* what a record named keeps its names */
        snprintf(entry->name, sizeof entry->name, "%s", operation_text_name(text));
        snprintf(entry->hash, sizeof entry->hash, "%s", hash);
        set_names(entry, is_own);
    }
    entry->of.combine = operation_combine_law(text);
    if (operation_scale(text))
        entry->of.scale = operation_scale(text);
    entry->of.file = path;
    entry->of.source = source;
    entry->of.text = text;
    *out = entry;
    return 0;
}

static int refuse_name(const struct operation_text *text, const char *file, struct error *error)
{
    return error_set(error, ERROR_USAGE,
                     "%s: '%s' is the name of another operation, which comes with the program: "
                     "write 'name = ANOTHER' into [operation]",
                     file, operation_text_name(text));
}

/* Adds the operation of a file, or finds the one that says the same. */
static int load(struct entry **out, const char *file, const char *bytes, size_t length,
                bool is_own, struct error *error)
{
    char hash[OPERATION_HASH_CHARS];
    struct operation_text *text;
    if (operation_read(&text, file, bytes, length, error))
        return -1;
    struct entry *known = find_hash(operation_hash(hash, text));
    if (known && known->of.text) {
        operation_free(text);
        *out = known;
        return 0;
    }
    const int failed =
        is_own && find_name_of_ours(operation_text_name(text))
            ? refuse_name(text, file, error)
            : keep_text(out, known, text, hash, file, bytes, length, is_own, error);
    if (failed)
        operation_free(text);
    return failed;
}

/* --- Those that come with the program ----------------------------------------------------- */

static const char folder[] = "configs/operations/", usual[] = "sum";

/* Does it combine elements as they are, or their squares, and give what comes of that? */
static int is_derived(const struct entry *entry)
{
    const struct operation_text *text = entry->of.text;
    return operation_map_law(text, I32) == MAP_MAPPED || operation_has_finish(text, I32) ||
           operation_value_type(text, I32) != I32;
}

static int by_law(const void *a, const void *b)
{
    const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;
    const int by[] = {is_derived(x) - is_derived(y), (int)x->of.combine - (int)y->of.combine,
                      (int)operation_map_law(x->of.text, I32) -
                          (int)operation_map_law(y->of.text, I32)};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        if (by[i])
            return by[i];
    return strcmp(x->name, y->name);
}

static int read_ours(struct error *error)
{
    const struct embedded *file = NULL;
    size_t count = 0;
    while ((file = embedded_next(file, folder)))
        count++;
    struct entry **list = calloc(count + 1, sizeof *list);
    if (!list)
        return error_memory(error, count * sizeof *list);
    for (size_t i = 0; i < count; i++) {
        file = embedded_next(file, folder);
        if (load(&list[i], file->name, file->bytes, file->length, false, error)) {
            free(list);
            return -1;
        }
    }
    qsort(list, count, sizeof *list, by_law);
    for (size_t i = 0; i < count; i++)
        list[i]->of.place = (int)i;
    ours = list;
    our_count = count;
    return 0;
}

/* Under the lock. */
static int open_ours(struct error *error)
{
    return ours ? 0 : read_ours(error);
}

int operation_open(struct error *error)
{
    pthread_mutex_lock(&lock);
    const int failed = open_ours(error);
    pthread_mutex_unlock(&lock);
    return failed;
}

static void free_shadows(struct kept_shadow *first)
{
    for (struct kept_shadow *kept = first, *next; kept; kept = next) {
        next = kept->next;
        free(kept);
    }
}

void operation_close(void)
{
    pthread_mutex_lock(&lock);
    for (struct entry *entry = entries, *next; entry; entry = next) {
        next = entry->next;
        free_shadows(entry->shadows);
        if (entry->of.text)
            operation_free((struct operation_text *)(uintptr_t)entry->of.text);
        if (entry->of.source)
            free((char *)(uintptr_t)entry->of.file);
        free((char *)(uintptr_t)entry->of.source);
        free(entry);
    }
    free(ours);
    entries = NULL;
    ours = NULL;
    our_count = 0;
    place_count = 0;
    pthread_mutex_unlock(&lock);
}

size_t operation_count(void)
{
    struct error ignored;
    return operation_open(&ignored) ? 0 : our_count;
}

const struct operation *operation_at(size_t i)
{
    return i < operation_count() ? &ours[i]->of : NULL;
}

static const char *name_at(size_t i)
{
    const struct operation *op = operation_at(i);
    return op ? op->name : NULL;
}

/* --- Finding ------------------------------------------------------------------------------ */

/* What a user of other libraries asks for, and how to have it here. */
static const struct absent_name absent[] = {
    {"average", "it is called mean"},
    {"avg", "it is called mean"},
    {"norm", "it is called nrm2"},
    {"minimum", "it is called min"},
    {"maximum", "it is called max"},
    {"product", "it is called prod"},
    {"variance", "it is called var"},
    {"stddev", "it is called std"},
    {"vdot", "it is called dot"},
    {"mse_loss", "it is called mse"},
    {"l1_loss", "it is called mae"},
    {"huber", "it is called huber_loss"},
    {"cosine_similarity", "it is called cosine"},
    {"kl_div", "it is called kl"},
    {NULL, NULL},
};

#define OWN ", or write your own: docs/operations.md"

int operation_find(const struct operation **out, const char *name, struct error *error)
{
    size_t i;
    if (operation_open(error) || find_name(&i, name, "operation", name_at, absent, OWN, error))
        return -1;
    *out = operation_at(i);
    return 0;
}

const struct operation *operation_kept_shadow(const struct operation *op, int types)
{
    const struct entry *entry = (const struct entry *)op;
    pthread_mutex_lock(&lock);
    const struct kept_shadow *kept = entry->shadows;
    while (kept && kept->types != types)
        kept = kept->next;
    pthread_mutex_unlock(&lock);
    return kept ? kept->shadow : NULL;
}

void operation_keep_shadow(const struct operation *op, int types,
                           const struct operation *shadow)
{
    struct entry *entry = (struct entry *)(uintptr_t)op;
    struct kept_shadow *kept = malloc(sizeof *kept);
    if (!kept) /* it is made again */
        return;
    pthread_mutex_lock(&lock);
    *kept = (struct kept_shadow){types, shadow, entry->shadows};
    entry->shadows = kept;
    pthread_mutex_unlock(&lock);
}

int operation_load(const struct operation **out, const char *file, const char *bytes,
                   size_t length, struct error *error)
{
    struct entry *entry;
    pthread_mutex_lock(&lock);
    const int failed =
        open_ours(error) || load(&entry, file, bytes, length, true, error) ? -1 : 0;
    pthread_mutex_unlock(&lock);
    if (!failed)
        *out = &entry->of;
    return failed;
}

static bool is_key(const char *key, size_t name_length)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz", hex[] = "0123456789abcdef",
                      more[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    return name_length && name_length <= OPERATION_NAME_MAX && strchr(letters, key[0]) &&
           strspn(key, more) == name_length && key[name_length] == '@' &&
           strspn(key + name_length + 1, hex) == KEY_DIGITS &&
           !key[name_length + 1 + KEY_DIGITS];
}

/* An operation whose file nobody has named yet. Under the lock. */
static struct entry *add_unread(const char *key, size_t name_length, struct error *error)
{
    struct entry *entry = add_entry(error);
    if (!entry)
        return NULL;
    snprintf(entry->name, sizeof entry->name, "%.*s", (int)name_length, key);
    snprintf(entry->hash, sizeof entry->hash, "%s", key + name_length + 1);
    set_names(entry, true);
    entry->of.file = entry->name;
    return entry;
}

int operation_find_key(const struct operation **out, const char *key, struct error *error)
{
    const size_t name_length = strcspn(key, "@");
    if (!key[name_length])
        return operation_find(out, key, error);
    if (!is_key(key, name_length))
        return error_set(error, ERROR_USAGE,
                         "'%.60s' names no operation: it is NAME@ and 32 digits of a hash",
                         key);
    if (operation_open(error))
        return -1;
    pthread_mutex_lock(&lock);
    struct entry *entry = find_hash(key + name_length + 1);
    if (!entry)
        entry = add_unread(key, name_length, error);
    pthread_mutex_unlock(&lock);
    *out = entry ? &entry->of : NULL;
    return entry ? 0 : -1;
}

const struct operation *operation_plain(enum combine_law law)
{
    const struct operation *op;
    for (size_t i = 0; law != COMBINE_OTHER && (op = operation_at(i)); i++)
        if (op->combine == law)
            return op; /* the first of its law */
    return NULL;
}

const struct operation *operation_usual(void)
{
    const struct operation *op;
    for (size_t i = 0; (op = operation_at(i)); i++)
        if (strcmp(op->name, usual) == 0)
            return op;
    return NULL;
}

int operation_compare(const struct operation *a, const struct operation *b)
{
    return a->is_own && b->is_own ? strcmp(a->key, b->key) : a->place - b->place;
}

const struct combine_row *operation_law(const struct operation *op)
{
    return &operation_combines[op->combine];
}

const char *operation_option(const struct operation *op)
{
    return op->is_own ? op->file : op->name;
}

char *operation_list(char out[OPERATION_NAMES_CHARS])
{
    return find_name_list(out, OPERATION_NAMES_CHARS, name_at);
}

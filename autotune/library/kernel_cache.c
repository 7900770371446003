/* kernel_cache: reads and writes files of compiled kernels: the key with the whole source, the
 * kernels' names, the code, and a checksum over all of it. Hides the form and the name of the
 * file. */
#include "autotune/library/kernel_cache.h"

#include "autotune/device/nvrtc.h"
#include "cache/file.h"
#include "generator/array.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { CHECKSUM_BYTES = 8, NAME_MAX_BYTES = 4096, NUMBER_DIGITS = 10, HASH_DIGITS = 16 };
static const char name_end[] = ".kernels";

/* "nvrtc-13.0" for "NVRTC 13.0". */
static void add_plain(struct text *out, const char *name)
{
    for (; *name; name++) {
        const char lower = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;
        const bool is_plain =
            (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9') || lower == '.';
        text_add(out, is_plain ? &lower : "-", 1);
    }
}

/* The hash only finds the file: of two sources with one hash the later takes the other's place. */
static void add_path(struct text *out, const char *folder, const struct kernel_cache_key *key)
{
    const XXH64_hash_t hash = XXH3_64bits(key->source->at, key->source->length);
    text_addf(out, "%s/%016" PRIx64 "-sm_%d-", folder, (uint64_t)hash, key->cc);
    add_plain(out, key->compiler);
    text_adds(out, "-" VERSION); /* so that two versions do not undo each other */
    text_adds(out, name_end);
}

/* The beginning of the file; what follows differs from image to image. */
static void add_key(struct text *out, const struct kernel_cache_key *key)
{
    text_addf(out,
              "autotune compiled kernels, made by version " VERSION "\n"
              "arch sm_%d\ncompiler %s\noptions " NVRTC_OPTIONS "\nkernels %zu\nsource %zu\n",
              key->cc, key->compiler, key->kernels, key->source->length);
    text_add(out, key->source->at, key->source->length);
    text_adds(out, "\n");
}

static void put_checksum(unsigned char out[CHECKSUM_BYTES], const char *bytes, size_t length)
{
    const XXH64_hash_t hash = XXH3_64bits(bytes, length);
    for (int i = 0; i < CHECKSUM_BYTES; i++)
        out[i] = (unsigned char)(hash >> 8 * i);
}

/* --- Reading ------------------------------------------------------------------------------ */

struct cursor {
    const char *at, *end;
};

static bool take(struct cursor *cursor, const char *bytes, size_t length)
{
    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, bytes, length) != 0)
        return false;
    cursor->at += length;
    return true;
}

/* As it is written: of two digits and more the first is no 0. */
static bool take_number(struct cursor *cursor, size_t *out)
{
    const char *first = cursor->at;
    *out = 0;
    while (cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9' &&
           cursor->at - first < NUMBER_DIGITS)
        *out = *out * 10 + (size_t)(*cursor->at++ - '0');
    return cursor->at > first && (*first != '0' || cursor->at == first + 1) &&
           take(cursor, "\n", 1);
}

/* Takes the next line, as a copy; NULL when there is none, a zero byte in it, or no memory. */
static char *take_name(struct cursor *cursor)
{
    const size_t left = (size_t)(cursor->end - cursor->at);
    const char *newline = left ? memchr(cursor->at, '\n', left) : NULL;
    if (!newline || newline == cursor->at || newline - cursor->at > NAME_MAX_BYTES ||
        memchr(cursor->at, '\0', (size_t)(newline - cursor->at)))
        return NULL;
    char *name = strndup(cursor->at, (size_t)(newline - cursor->at));
    cursor->at = newline + 1;
    return name;
}

static bool take_image(struct cursor *cursor, const struct kernel_cache_key *key,
                       struct device_image *out)
{
    size_t is_ptx;
    if (!take(cursor, "ptx ", 4) || !take_number(cursor, &is_ptx) || is_ptx > 1)
        return false;
    out->is_ptx = is_ptx;
    out->names = calloc(key->kernels, sizeof *out->names);
    for (; out->names && out->count < key->kernels; out->count++)
        if (!take(cursor, "name ", 5) || !(out->names[out->count] = take_name(cursor)))
            return false;
    if (!out->names || !take(cursor, "bytes ", 6) || !take_number(cursor, &out->size) ||
        out->size == 0 || out->size != (size_t)(cursor->end - cursor->at))
        return false;
    out->bytes = malloc(out->size);
    if (out->bytes)
        memcpy(out->bytes, cursor->at, out->size);
    return out->bytes;
}

static bool take_key(struct cursor *cursor, const struct kernel_cache_key *key)
{
    struct text wanted = {0};
    add_key(&wanted, key);
    const bool is_taken = !wanted.failed && take(cursor, wanted.at, wanted.length);
    text_dispose(&wanted);
    return is_taken;
}

static bool is_whole(const struct text *file)
{
    unsigned char checksum[CHECKSUM_BYTES];
    if (file->length < CHECKSUM_BYTES)
        return false;
    const size_t length = file->length - CHECKSUM_BYTES;
    put_checksum(checksum, file->at, length);
    return memcmp(file->at + length, checksum, CHECKSUM_BYTES) == 0;
}

/* A whole file of another key is no image of this one, and not at fault. */
static bool parse(struct device_image *out, const struct text *file, const char *path,
                  const struct kernel_cache_key *key, struct error *reason)
{
    if (is_whole(file)) {
        struct cursor cursor = {file->at, file->at + file->length - CHECKSUM_BYTES};
        if (!take_key(&cursor, key))
            return false;
        if (take_image(&cursor, key, out))
            return true;
    }
    error_set(reason, ERROR_IO, "%s is damaged: it is compiled again", path);
    return false;
}

/* In the file's time. Where that cannot be set, as on a disk that is read only, the file seems old. */
static void note_use(const char *path)
{
    utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
}

bool kernel_cache_find(struct device_image *out, const char *folder,
                       const struct kernel_cache_key *key, struct error *reason)
{
    assert(key->kernels > 0);
    struct text path = {0}, file = {0};
    bool is_found = false;
    *out = (struct device_image){0};
    *reason = (struct error){.code = ERROR_NONE};
    add_path(&path, folder, key);
    if (path.failed) {
        text_check(&path, reason);
    } else {
        const enum file_state state = file_read(&file, path.at, IMAGE_BYTES_MAX, reason);
        if (state == FILE_MISSING)
            *reason = (struct error){.code = ERROR_NONE};
        is_found = state == FILE_READ && parse(out, &file, path.at, key, reason);
    }
    if (is_found)
        note_use(path.at);
    else
        device_dispose_image(out);
    text_dispose(&path);
    text_dispose(&file);
    return is_found;
}

/* --- Room --------------------------------------------------------------------------------- */

/* The kept kernels of a folder. */
struct kept_files {
    struct kept_file {
        char *name;
        uint64_t bytes;
        struct timespec used;
    } *at;
    size_t count;
    uint64_t bytes;
};

static void dispose_files(struct kept_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->at[i].name);
    free(files->at);
}

/* As this module names its files, and as its former versions did. */
static bool is_name(const char *name)
{
    const size_t length = strlen(name), end = sizeof name_end - 1;
    return strspn(name, "0123456789abcdef") == HASH_DIGITS &&
           strncmp(name + HASH_DIGITS, "-sm_", 4) == 0 &&
           strcmp(name + length - end, name_end) == 0;
}

/* Adds a file of that name if it is one of kernels, and of this user. */
static int add_file(struct kept_files *files, int folder, const char *name, struct error *error)
{
    struct stat status;
    if (!is_name(name) || fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode) || status.st_uid != geteuid())
        return 0;
    if (array_grow(&files->at, files->count, sizeof *files->at, error))
        return -1;
    char *copy = strdup(name);
    if (!copy)
        return error_memory(error, strlen(name) + 1);
    files->at[files->count++] =
        (struct kept_file){copy, (uint64_t)status.st_size, status.st_mtim};
    files->bytes += (uint64_t)status.st_size;
    return 0;
}

static int by_use(const void *left, const void *right)
{
    const struct kept_file *a = left, *b = right;
    if (a->used.tv_sec != b->used.tv_sec)
        return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
    if (a->used.tv_nsec != b->used.tv_nsec)
        return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int remove_file(const char *folder, int at, const char *name, struct error *error)
{
    if (unlinkat(at, name, 0) == 0 || errno == ENOENT)
        return 0;
    const int cause = errno;
    struct text path = {0};
    text_addf(&path, "%s/%s", folder, name);
    errno = cause;
    if (text_check(&path, error) == 0)
        file_error("remove", path.at, error);
    text_dispose(&path);
    return -1;
}

/* Removes those used longest ago, but not the one at `path`. */
static int remove_old(const char *folder, int at, struct kept_files *files, uint64_t most_bytes,
                      const char *path, struct error *error)
{
    const char *kept = path + strlen(folder) + 1;
    qsort(files->at, files->count, sizeof *files->at, by_use);
    for (size_t i = 0; i < files->count && files->bytes > most_bytes; i++) {
        const struct kept_file *file = &files->at[i];
        if (strcmp(file->name, kept) == 0)
            continue;
        if (remove_file(folder, at, file->name, error))
            return -1;
        files->bytes -= file->bytes;
    }
    return 0;
}

/* The caller has the folder's lock: two that removed at once would remove too much. */
static int make_room(const char *folder, uint64_t most_bytes, const char *path,
                     struct error *error)
{
    struct kept_files files = {0};
    DIR *list = opendir(folder);
    int failed = 0;
    if (!list)
        return file_error("list", folder, error);
    for (const struct dirent *entry; !failed && (entry = readdir(list)) != NULL;)
        failed = add_file(&files, dirfd(list), entry->d_name, error);
    if (!failed && files.bytes > most_bytes)
        failed = remove_old(folder, dirfd(list), &files, most_bytes, path, error);
    closedir(list);
    dispose_files(&files);
    return failed;
}

/* --- Writing ------------------------------------------------------------------------------ */

static void add_image(struct text *out, const struct kernel_cache_key *key,
                      const struct device_image *image)
{
    unsigned char checksum[CHECKSUM_BYTES];
    add_key(out, key);
    text_addf(out, "ptx %d\n", image->is_ptx);
    for (size_t i = 0; i < image->count; i++)
        text_addf(out, "name %s\n", image->names[i]);
    text_addf(out, "bytes %zu\n", image->size);
    text_add(out, image->bytes, image->size);
    if (out->failed)
        return;
    put_checksum(checksum, out->at, out->length);
    text_add(out, (const char *)checksum, CHECKSUM_BYTES);
}

/* One lock serves the folder: writers are few, and what one leaves that is killed the next one removes. */
static int replace(const char *folder, uint64_t most_bytes, const char *path,
                   const struct text *file, struct error *error)
{
    struct text lock_path = {0};
    text_addf(&lock_path, "%s/kernels", folder);
    int failed = text_check(&lock_path, error);
    const int lock = failed ? -1 : file_lock(lock_path.at, error);
    if (lock >= 0) {
        failed = file_replace(path, lock_path.at, file, NULL, error) ||
                 make_room(folder, most_bytes, path, error);
        file_unlock(lock);
    }
    text_dispose(&lock_path);
    return lock < 0 ? -1 : failed;
}

int kernel_cache_store(const char *folder, uint64_t most_bytes,
                       const struct kernel_cache_key *key, const struct device_image *image,
                       struct error *error)
{
    struct text path = {0}, file = {0};
    if (image->count != key->kernels || image->size + key->source->length > IMAGE_BYTES_MAX / 2)
        return error_set(error, ERROR_IO, "an image of %zu kernels and %zu bytes is not kept",
                         image->count, image->size);
    add_path(&path, folder, key);
    add_image(&file, key, image);
    int failed = text_check(&path, error) || text_check(&file, error) ||
                 file_make_folder(folder, error) ||
                 replace(folder, most_bytes, path.at, &file, error);
    text_dispose(&path);
    text_dispose(&file);
    return failed ? -1 : 0;
}

/* offsets_file: takes the whole file into memory, and looks at each offset once. */
#include "autotune/command/offsets_file.h"

#include "autotune/command/npy.h"
#include "autotune/verify/element.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_BYTES = 1 << 20 };

static int refuse(const struct offsets *offsets, const char *cause, struct error *error)
{
    return error_set(error, ERROR_IO, "%.1000s: %s", offsets->name, cause);
}

static uint64_t each_of(const struct offsets *offsets)
{
    return (uint64_t)problem_types[offsets->type].bytes;
}

uint64_t offsets_at(const struct offsets *offsets, uint64_t i)
{
    return element_load_word(offsets->type, offsets->bytes.at + offsets->first, i);
}

/* All bytes up to the end, as of a FIFO, whose size is not known before. */
static int take_all(struct text *out, int file)
{
    char *part = malloc(READ_BYTES);
    ssize_t got = -1;
    while (part) {
        got = read(file, part, READ_BYTES);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        text_add(out, part, (size_t)got);
    }
    free(part);
    return got < 0 ? -1 : 0;
}

static int load(struct offsets *out, const char *path, struct error *error)
{
    const int file = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    const bool is_read = file >= 0 && take_all(&out->bytes, file) == 0;
    const int reason = errno;
    if (file >= 0)
        close(file);
    return is_read
               ? text_check(&out->bytes, error)
               : error_set(error, ERROR_IO, "%.1000s: %s: %s", path,
                           file < 0 ? "cannot be opened" : "cannot be read", strerror(reason));
}

/* The header's type is that of the offsets. */
static int take_header(struct offsets *offsets, bool is_given, struct error *error)
{
    const size_t size = offsets->bytes.length;
    struct npy npy;
    enum type type;
    struct error ignored;
    if (!npy_is(offsets->bytes.at, size))
        return 0;
    if (npy_read(&npy, offsets->name, offsets->bytes.at,
                 size < NPY_HEADER_MAX ? size : NPY_HEADER_MAX, error))
        return -1;
    const char *found = problem_types[npy.type].name;
    if (problem_find_offsets(&type, found, &ignored))
        return error_set(error, ERROR_IO,
                         "%.1000s: its header says %s, and offsets are i32, u32, i64 or u64: "
                         "save offsets.astype('i8')",
                         offsets->name, found);
    if (is_given && type != offsets->type)
        return error_set(error, ERROR_USAGE,
                         "%.1000s: its header says %s, and --offsets-type is %s: leave "
                         "--offsets-type out",
                         offsets->name, found, problem_types[offsets->type].name);
    offsets->type = type;
    offsets->first = npy.at;
    const uint64_t left = size - npy.at;
    return left % each_of(offsets) == 0 && left / each_of(offsets) == npy.n
               ? 0
               : error_set(error, ERROR_IO,
                           "%.1000s: its header says %llu offsets of type %s, and %llu bytes "
                           "follow it: see whether the file is whole",
                           offsets->name, (unsigned long long)npy.n, found,
                           (unsigned long long)left);
}

static int count(struct offsets *offsets, struct error *error)
{
    const uint64_t bytes = offsets->bytes.length - offsets->first, each = each_of(offsets);
    if (bytes == 0)
        return refuse(offsets,
                      "empty: offsets are one more than there are segments, so one at least",
                      error);
    if (bytes % each)
        return error_set(error, ERROR_IO,
                         "%.1000s: its %llu bytes are no whole number of offsets of type %s, "
                         "of %llu bytes: choose another --offsets-type, or see whether the "
                         "file is whole",
                         offsets->name, (unsigned long long)bytes,
                         problem_types[offsets->type].name, (unsigned long long)each);
    offsets->count = bytes / each - 1;
    return 0;
}

/* Wrong ones are most often of another type. */
static int check_order(const struct offsets *offsets, struct error *error)
{
    const struct type_row *type = &problem_types[offsets->type];
    const uint64_t beyond = type->is_signed ? UINT64_C(1) << (8 * type->bytes - 1) : 0;
    uint64_t before = 0;
    for (uint64_t i = 0; i <= offsets->count; i++) {
        const uint64_t at = offsets_at(offsets, i);
        if (beyond && at >= beyond)
            return error_set(error, ERROR_IO,
                             "%.1000s: offset %llu is below 0: see whether offsets are of type "
                             "%s, and give another --offsets-type",
                             offsets->name, (unsigned long long)i, type->name);
        if (at < before)
            return error_set(error, ERROR_IO,
                             "%.1000s: offset %llu is %llu, less than the %llu before it: see "
                             "whether offsets are of type %s, and put them in order",
                             offsets->name, (unsigned long long)i, (unsigned long long)at,
                             (unsigned long long)before, type->name);
        before = at;
    }
    return 0;
}

int offsets_read(struct offsets *out, const char *path, enum type type, bool is_given,
                 struct error *error)
{
    *out = (struct offsets){.name = path, .type = type};
    return load(out, path, error) || take_header(out, is_given, error) || count(out, error) ||
                   check_order(out, error)
               ? -1
               : 0;
}

void offsets_dispose(struct offsets *offsets)
{
    text_dispose(&offsets->bytes);
}

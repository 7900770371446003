/* npy: finds the three keys of the header, a Python dict in text, and refuses what is no array of numbers that
 * this machine has. */
#include "autotune/command/npy.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

struct header {
    const char *name;
    const char *text; /* zero-terminated */
    struct error *error;
};

/* NumPy's letters for the elements that there are. */
static const struct {
    const char *descr;
    enum type type;
} types[] = {
    {"b1", U8},  {"i1", I8},  {"u1", U8},  {"i2", I16}, {"u2", U16}, {"i4", I32},
    {"u4", U32}, {"i8", I64}, {"u8", U64}, {"f2", F16}, {"f4", F32}, {"f8", F64},
};

bool npy_is(const void *bytes, size_t size)
{
    return size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

static int refuse(const struct header *header, const char *cause)
{
    return error_set(header->error, ERROR_IO, "%.1000s: %s", header->name, cause);
}

/* Behind 'KEY': and blanks; NULL where the text has no such key. */
static const char *find_value(const struct header *header, const char *key)
{
    const size_t width = strlen(key);
    for (const char *at = header->text; (at = strstr(at, key)) != NULL; at += width) {
        const char quote = at > header->text ? at[-1] : '\0';
        const char *end = at + width;
        if ((quote != '\'' && quote != '"') || *end++ != quote)
            continue;
        end += strspn(end, " ");
        if (*end++ == ':')
            return end + strspn(end, " ");
    }
    return NULL;
}

static int read_type(struct npy *out, const struct header *header)
{
    enum { LONGEST = 20 };
    const char *value = find_value(header, "descr");
    if (!value || (*value != '\'' && *value != '"'))
        return refuse(header,
                      "its elements are no plain numbers, as its header has it: save an "
                      "array of one type");
    const char *descr = value + 1;
    const int width = (int)strcspn(descr, "'\"");
    const bool has_order = width > 0 && strchr("<>|=", *descr);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (width - has_order != 2 || strncmp(descr + has_order, types[i].descr, 2) != 0)
            continue;
        out->type = types[i].type;
        if (*descr != '>' || problem_types[out->type].bytes == 1)
            return 0;
        return refuse(header,
                      "its elements are big-endian: save x.astype(x.dtype.newbyteorder('<'))");
    }
    return error_set(
        header->error, ERROR_IO,
        "%.1000s: its elements are of NumPy's type '%.*s', which no type here is: save "
        "x.astype('f4'), or another of integers or floats of 16 to 64 bits",
        header->name, width < LONGEST ? width : LONGEST, descr);
}

/* "(3, 4)", "(3,)" or "()". */
static int read_shape(struct npy *out, const struct header *header)
{
    const char *value = find_value(header, "shape");
    const char *at = value ? value : "";
    bool is_good = *at == '(';
    size_t axes = 0;
    out->n = 1;
    for (at += is_good; is_good && *at != ')'; axes++) {
        char *end;
        is_good = isdigit((unsigned char)*at);
        const unsigned long long count = is_good ? strtoull(at, &end, 10) : 0;
        is_good = is_good && !__builtin_mul_overflow(out->n, (uint64_t)count, &out->n);
        at = is_good ? end + strspn(end, " ") : at;
        is_good = is_good && (*at == ',' || *at == ')');
        at += is_good && *at == ',';
        at += strspn(at, " ");
    }
    out->is_turned = out->is_turned && axes > 1;
    return is_good ? 0
                   : refuse(header, "its header says no shape: see whether the file is whole");
}

static int read_text(struct npy *out, const struct header *header)
{
    const char *order = find_value(header, "fortran_order");
    const bool is_turned = order && strncmp(order, "True", 4) == 0;
    if (!is_turned && !(order && strncmp(order, "False", 5) == 0))
        return refuse(header,
                      "its header does not say 'fortran_order': see whether the file is whole");
    out->is_turned = is_turned;
    return read_type(out, header) || read_shape(out, header) ? -1 : 0;
}

int npy_read(struct npy *out, const char *name, const void *bytes, size_t size,
             struct error *error)
{
    enum { VERSION_1 = 10, VERSION_2 = 12 }; /* bytes before the text */
    const unsigned char *at = bytes;
    struct header header = {name, NULL, error};
    const size_t before = size > 6 && at[6] == 1 ? VERSION_1 : VERSION_2;
    *out = (struct npy){0};
    if (size < before)
        return refuse(&header, "ends within NumPy's header: see whether the file is whole");
    if (at[6] < 1 || at[6] > 3)
        return error_set(
            error, ERROR_IO,
            "%.1000s: has a header of NumPy's format %d.%d, and 1 to 3 are known: save "
            "it by x.tofile() and give --type",
            name, at[6], at[7]);
    uint64_t length = at[8] | (uint64_t)at[9] << 8;
    if (before == VERSION_2)
        length |= (uint64_t)at[10] << 16 | (uint64_t)at[11] << 24;
    if (length > size - before)
        return refuse(&header,
                      before + length > NPY_HEADER_MAX
                          ? "its header is longer than that of any plain array"
                          : "ends within NumPy's header: see whether the file is whole");
    char *text = malloc(length + 1);
    if (!text)
        return error_memory(error, length + 1);
    memcpy(text, at + before, length);
    text[length] = '\0';
    header.text = text;
    out->at = before + length;
    const int failed = read_text(out, &header);
    free(text);
    return failed;
}

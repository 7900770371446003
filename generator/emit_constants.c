/* emit_constants: writes the params, derived values and builtins that a kernel mentions, as one
 * enum, and reports where a text mentions one that it must not. */
#include "generator/emit_constants.h"

#include "generator/words.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    CONSTANTS_MAX = SPACE_NAMES_MAX + SPACE_BUILTINS,
    LINE_CHARS = 128, /* a name, its value and what is between */
};

struct constant {
    const char *name, *meaning;
    int64_t value;
    bool is_launch; /* has no value when a kernel is compiled */
};

/* The constants that the code mentions, in the order of the space file. */
static size_t find_constants(struct constant *out, const struct space *space,
                             const int64_t *values, const char *code)
{
    size_t count = 0;
    for (size_t i = 0; i < space->param_count; i++)
        out[count++] =
            (struct constant){space->params[i].name, space->params[i].meaning,
                              values[space->params[i].slot], space->params[i].is_launch};
    for (size_t i = 0; i < space->derived_count; i++)
        out[count++] =
            (struct constant){space->derived[i].name, expr_source(space->derived[i].expr),
                              values[space->derived[i].slot], space->derived[i].is_launch};
    for (size_t i = 0; i < SPACE_BUILTINS; i++)
        out[count++] = (struct constant){space_builtins[i].name, space_builtins[i].meaning,
                                         values[i], space_builtins[i].is_launch};
    const char *names[CONSTANTS_MAX] = {NULL};
    bool is_mentioned[CONSTANTS_MAX];
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        names[i] = out[i].name;
    words_find(code, names, count, is_mentioned);
    for (size_t i = 0; i < count; i++)
        if (is_mentioned[i])
            out[kept++] = out[i];
    return kept;
}

/* The first line that mentions a name, whether this variant has it or not. */
static const struct emit_file *find_mention(const struct emit_sources *sources,
                                            const char *name, int *line)
{
    const struct emit_file *files[] = {&sources->template, &sources->types,
                                       &sources->intrinsics};
    size_t length;
    for (size_t i = 0; i < 3; i++) {
        const char *from = files[i]->text;
        *line = 1;
        for (const char *word = from; (word = words_next(word, &length)); word += length) {
            for (; from < word; from++)
                *line += *from == '\n';
            if (words_is(name, word, length))
                return files[i];
        }
    }
    return files[0];
}

static int check_constant(const struct constant *constant, const struct emit_sources *sources,
                          struct error *error)
{
    int line;
    const bool fits = constant->value >= INT32_MIN && constant->value <= INT32_MAX;
    if (!constant->is_launch && fits)
        return 0;
    const struct emit_file *file = find_mention(sources, constant->name, &line);
    if (constant->is_launch)
        return error_set(
            error, ERROR_USAGE,
            "%s:%d: %s is known at launch only: pass it to the kernel as an argument",
            file->name, line, constant->name);
    return error_set(error, ERROR_USAGE,
                     "%s:%d: %s is %" PRId64
                     ", too large for a constant of 32 bits: pass it to "
                     "the kernel as an argument",
                     file->name, line, constant->name, constant->value);
}

int emit_constants(struct text *out, const struct space *space, const int64_t *values,
                   const char *code, const struct emit_sources *sources, struct error *error)
{
    struct constant constants[CONSTANTS_MAX];
    size_t count = find_constants(constants, space, values, code), width = 0;
    char line[LINE_CHARS];
    for (size_t i = 0; i < count; i++) {
        if (check_constant(&constants[i], sources, error))
            return -1;
        int used = snprintf(line, sizeof line, "%s = %" PRId64 ",", constants[i].name,
                            constants[i].value);
        width = (size_t)used > width ? (size_t)used : width;
    }
    if (count)
        text_adds(out, "enum {\n");
    for (size_t i = 0; i < count; i++) {
        snprintf(line, sizeof line, "%s = %" PRId64 ",", constants[i].name, constants[i].value);
        text_addf(out, "    %-*s // %s\n", (int)width, line,
                  constants[i].meaning ? constants[i].meaning : "");
    }
    text_adds(out, count ? "};\n\n" : "");
    return 0;
}

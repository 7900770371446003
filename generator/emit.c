/* emit: keeps or drops the lines of a template by its control lines, adds the parts it mentions
 * and the constants on top. Hides the control lines:
 *     //? if EXPR   //? elif EXPR   //? else   //? end   //? define NAME (types, intrinsics) */
#include "generator/emit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    DEPTH_MAX = 16,
    PARTS_MAX = 64,
    CONSTANTS_MAX = SPACE_NAMES_MAX + SPACE_BUILTINS,
    NAME_MAX_CHARS = 64,
    ARCH_CHARS = 16,
};

/* --- Words ------------------------------------------------------------------------------------- */

/* The next word of code at or after `at`, skipping comments and strings; NULL at the end. */
static const char *next_word(const char *at, size_t *length)
{
    while (*at) {
        if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (*at == '"' || *at == '\'') {
            const char quote = *at;
            for (at++; *at && *at != quote; at++)
                at += at[0] == '\\' && at[1];
            at += *at == quote;
        } else if (text_is_word(*at)) {
            *length = 1;
            while (text_is_word(at[*length]))
                ++*length;
            return at;
        } else {
            at++;
        }
    }
    return NULL;
}

static bool is_same(const char *name, const char *word, size_t length)
{
    return strlen(name) == length && memcmp(name, word, length) == 0;
}

/* Which of the names does the code mention? One walk over its words. */
static void find_mentioned(const char *code, const char *const *names, size_t count, bool *out)
{
    size_t length;
    memset(out, 0, count * sizeof *out);
    for (const char *word = code; (word = next_word(word, &length)); word += length)
        for (size_t i = 0; i < count; i++)
            if (!out[i] && names[i][0] == word[0] && is_same(names[i], word, length))
                out[i] = true;
}

/* --- Control lines ----------------------------------------------------------------------------- */

struct filter {
    const struct emit_file *file;
    const struct space *space;
    const int64_t *values;
    struct { bool kept, decided, has_else; int line; } stack[DEPTH_MAX]; /* kept: is emitted */
    int depth;
    int line;
};

static int complain(const struct filter *filter, struct error *error, const char *what)
{
    return error_set(error, ERROR_USAGE, "%s:%d: %s", filter->file->name, filter->line, what);
}

static bool is_kept(const struct filter *filter)
{
    for (int i = 0; i < filter->depth; i++)
        if (!filter->stack[i].kept)
            return false;
    return true;
}

/* A condition must be known when the kernel is compiled. */
static int refuse_launch(const struct filter *filter, const struct expr *expr,
                         struct error *error)
{
    const char *name = space_launch_name(filter->space, expr);
    if (!name)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "%s:%d: %s is known at launch only: pass it to the kernel as an argument",
                     filter->file->name, filter->line, name);
}

/* A condition that decides nothing is read all the same: its faults do not wait for the variant
 * that needs it. */
static int eval_condition(const struct filter *filter, const char *source, bool is_needed,
                          bool *holds, struct error *error)
{
    struct expr_scope scope = {filter->space->names, filter->space->name_count};
    struct expr *expr;
    int64_t value = 0;
    if (expr_parse(&expr, source, &scope, filter->file->name, filter->line, error))
        return -1;
    int failed = refuse_launch(filter, expr, error) ||
                 (is_needed && expr_eval(expr, filter->values, &value, error));
    expr_free(expr);
    *holds = value != 0;
    return failed ? -1 : 0;
}

static int open_if(struct filter *filter, const char *condition, struct error *error)
{
    bool holds = false;
    if (filter->depth == DEPTH_MAX)
        return complain(filter, error, "'//? if' nested more than 16 deep: flatten it");
    if (eval_condition(filter, condition, is_kept(filter), &holds, error))
        return -1;
    filter->stack[filter->depth].line = filter->line;
    filter->stack[filter->depth].kept = filter->stack[filter->depth].decided = holds;
    filter->stack[filter->depth++].has_else = false;
    return 0;
}

/* `condition` is NULL for else. */
static int open_else(struct filter *filter, const char *condition, struct error *error)
{
    if (filter->depth == 0 || filter->stack[filter->depth - 1].has_else)
        return complain(filter, error, "'//? elif' or '//? else' without its '//? if'");
    bool was_decided = filter->stack[--filter->depth].decided;
    bool holds = !was_decided, is_needed = holds && is_kept(filter);
    if (condition && eval_condition(filter, condition, is_needed, &holds, error))
        return -1;
    filter->stack[filter->depth].kept = holds;
    filter->stack[filter->depth].decided = was_decided || holds;
    filter->stack[filter->depth++].has_else = !condition;
    return 0;
}

static int control(struct filter *filter, const char *words, struct error *error)
{
    if (strncmp(words, "if ", 3) == 0)
        return open_if(filter, words + 3, error);
    if (strncmp(words, "elif ", 5) == 0)
        return open_else(filter, words + 5, error);
    if (strcmp(words, "else") == 0)
        return open_else(filter, NULL, error);
    if (strcmp(words, "end") != 0)
        return complain(filter, error, "a control line is if, elif, else or end");
    if (filter->depth == 0)
        return complain(filter, error, "'//? end' without its '//? if'");
    filter->depth--;
    return 0;
}

/* The control words of a line ("if WARP == TREE"), copied without trailing blanks; NULL for code. */
static const char *control_words(const char *line, size_t length, char *copy, size_t size)
{
    size_t start = 0;
    while (start < length && (line[start] == ' ' || line[start] == '\t'))
        start++;
    if (length - start < 3 || memcmp(line + start, "//?", 3) != 0)
        return NULL;
    start += 3;
    while (start < length && line[start] == ' ')
        start++;
    while (length > start && line[length - 1] == ' ')
        length--;
    snprintf(copy, size, "%.*s", (int)(length - start), line + start);
    return copy;
}

/* Appends what is kept of text[0 .. length); no two blank lines in a row. */
static int filter_lines(struct text *out, struct filter *filter, const char *from, size_t length,
                        struct error *error)
{
    char copy[512];
    for (size_t at = 0; at < length; filter->line++) {
        const char *line = from + at;
        size_t width = strcspn(line, "\n");
        const char *words = control_words(line, width, copy, sizeof copy);
        bool is_double = width == 0 && (out->length < 2 ||
                                        memcmp(out->at + out->length - 2, "\n\n", 2) == 0);
        if (words && strlen(words) == sizeof copy - 1)
            return complain(filter, error, "a control line has at most 510 characters: shorten it");
        if (words && control(filter, words, error))
            return -1;
        if (!words && is_kept(filter) && !is_double) {
            text_add(out, line, width);
            text_add(out, "\n", 1);
        }
        at += width + 1;
    }
    if (filter->depth) {
        filter->line = filter->stack[filter->depth - 1].line;
        return complain(filter, error, "'//? if' without its '//? end'");
    }
    return text_check(out, error);
}

static void trim_end(struct text *text)
{
    while (text->length && text->at[text->length - 1] == '\n')
        text->at[--text->length] = 0;
    text_adds(text, "\n");
}

/* --- Parts ------------------------------------------------------------------------------------- */

struct part {
    char name[NAME_MAX_CHARS];
    const struct emit_file *file;
    const char *from; /* the lines after //? define */
    size_t length;
    int line;
    bool is_taken;
};

struct emission {
    const struct point_context *context;
    const int64_t *values;
    struct part parts[PARTS_MAX];
    size_t part_count;
    struct text code; /* parts in use, then the template's lines */
};

static bool is_part_name(const char *name)
{
    size_t length = 0;
    while (text_is_word(name[length]))
        length++;
    return length > 0 && length < NAME_MAX_CHARS && !name[length];
}

static int add_part(struct emission *emission, const struct emit_file *file, const char *name,
                    const char *from, int line, struct error *error)
{
    if (emission->part_count == PARTS_MAX)
        return error_set(error, ERROR_USAGE, "%s:%d: more than 64 parts: join some", file->name,
                         line);
    if (!is_part_name(name))
        return error_set(error, ERROR_USAGE,
                         "%s:%d: a part's name is one word of at most 63 characters, not '%.80s'",
                         file->name, line, name);
    for (size_t i = 0; i < emission->part_count; i++)
        if (strcmp(emission->parts[i].name, name) == 0)
            return error_set(error, ERROR_USAGE,
                             "%s:%d: the part '%s' is defined a second time: rename one of them",
                             file->name, line, name);
    struct part *part = &emission->parts[emission->part_count++];
    snprintf(part->name, sizeof part->name, "%s", name);
    part->file = file;
    part->from = from;
    part->length = 0;
    part->line = line + 1;
    part->is_taken = false;
    return 0;
}

/* Splits a file at its //? define lines; what stands before the first is the file's own comment. */
static int find_parts(struct emission *emission, const struct emit_file *file,
                      struct error *error)
{
    char copy[512];
    struct part *open = NULL;
    int line = 1;
    for (const char *at = file->text; *at; line++) {
        size_t width = strcspn(at, "\n");
        const char *after = at + width + (at[width] == '\n');
        const char *words = control_words(at, width, copy, sizeof copy);
        if (words && strncmp(words, "define ", 7) == 0) {
            if (add_part(emission, file, words + 7, after, line, error))
                return -1;
            open = &emission->parts[emission->part_count - 1];
        } else if (open) {
            open->length = (size_t)(after - open->from);
        }
        at = after;
    }
    return 0;
}

static int take_parts(struct emission *emission, const char *code, struct error *error);

/* Appends a part, after the parts that it mentions itself. */
static int take_part(struct emission *emission, struct part *part, struct error *error)
{
    struct filter filter = {.file = part->file, .space = emission->context->space,
                            .values = emission->values, .line = part->line};
    struct text lines = {0};
    part->is_taken = true;
    int failed = filter_lines(&lines, &filter, part->from, part->length, error) ||
                 take_parts(emission, lines.at ? lines.at : "", error);
    if (!failed && lines.length) {
        trim_end(&lines);
        text_add(&emission->code, lines.at, lines.length);
        text_adds(&emission->code, "\n");
    }
    text_dispose(&lines);
    return failed ? -1 : 0;
}

/* Takes every part that the code mentions, in the order of the files. */
static int take_parts(struct emission *emission, const char *code, struct error *error)
{
    const char *names[PARTS_MAX] = {NULL};
    bool is_mentioned[PARTS_MAX];
    for (size_t i = 0; i < emission->part_count; i++)
        names[i] = emission->parts[i].name;
    find_mentioned(code, names, emission->part_count, is_mentioned);
    for (size_t i = 0; i < emission->part_count; i++) {
        struct part *part = &emission->parts[i];
        if (is_mentioned[i] && !part->is_taken && take_part(emission, part, error))
            return -1;
    }
    return 0;
}

/* --- Constants --------------------------------------------------------------------------------- */

struct constant {
    const char *name, *meaning;
    int64_t value;
    bool is_launch; /* has no value when a kernel is compiled */
};

/* The constants that the code mentions, in the order of the space file. */
static size_t find_constants(const struct emission *emission, struct constant *out)
{
    const struct space *space = emission->context->space;
    const int64_t *values = emission->values;
    size_t count = 0;
    for (size_t i = 0; i < space->param_count; i++)
        out[count++] = (struct constant){space->params[i].name, space->params[i].meaning,
                                         values[space->params[i].slot],
                                         space->params[i].is_launch};
    for (size_t i = 0; i < space->derived_count; i++)
        out[count++] = (struct constant){space->derived[i].name,
                                         expr_source(space->derived[i].expr),
                                         values[space->derived[i].slot],
                                         space->derived[i].is_launch};
    for (size_t i = 0; i < SPACE_BUILTINS; i++)
        out[count++] = (struct constant){space_builtins[i].name, space_builtins[i].meaning,
                                         values[i], space_builtins[i].is_launch};
    const char *names[CONSTANTS_MAX] = {NULL};
    bool is_mentioned[CONSTANTS_MAX];
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        names[i] = out[i].name;
    find_mentioned(emission->code.at, names, count, is_mentioned);
    for (size_t i = 0; i < count; i++)
        if (is_mentioned[i])
            out[kept++] = out[i];
    return kept;
}

/* The first line that mentions a name, whether this variant has it or not. */
static const struct emit_file *find_mention(const struct emit_sources *sources, const char *name,
                                            int *line)
{
    const struct emit_file *files[] = {&sources->template, &sources->types, &sources->intrinsics};
    size_t length;
    for (size_t i = 0; i < 3; i++) {
        const char *from = files[i]->text;
        *line = 1;
        for (const char *word = from; (word = next_word(word, &length)); word += length) {
            for (; from < word; from++)
                *line += *from == '\n';
            if (is_same(name, word, length))
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
        return error_set(error, ERROR_USAGE,
                         "%s:%d: %s is known at launch only: pass it to the kernel as an argument",
                         file->name, line, constant->name);
    return error_set(error, ERROR_USAGE,
                     "%s:%d: %s is %" PRId64 ", too large for a constant of 32 bits: pass it to "
                     "the kernel as an argument",
                     file->name, line, constant->name, constant->value);
}

static int emit_constants(struct text *out, const struct emission *emission,
                          const struct emit_sources *sources, struct error *error)
{
    struct constant constants[CONSTANTS_MAX];
    size_t count = find_constants(emission, constants), width = 0;
    char line[NAME_MAX_CHARS + NAME_MAX_CHARS];
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

/* --- The kernel -------------------------------------------------------------------------------- */

/* "--space ladder/sequential ": how a space that comes with the program is named, unless it is the
 * one used where none is. */
static void add_space(struct text *out, const struct space *space, enum op op)
{
    const char *usual = problem_ops[op].space;
    static const char folder[] = "configs/", end[] = ".ini";
    const size_t length = strlen(space->file), around = sizeof folder - 1 + sizeof end - 1;
    if (strncmp(space->file, folder, sizeof folder - 1) == 0 && length > around &&
        strcmp(space->file + length - (sizeof end - 1), end) == 0 &&
        (length - around != strlen(usual) ||
         strncmp(space->file + sizeof folder - 1, usual, length - around) != 0))
        text_addf(out, "--space %.*s ", (int)(length - around), space->file + sizeof folder - 1);
}

static void emit_header(struct text *out, const struct point_context *context,
                        const int64_t *row, size_t pass)
{
    const struct problem *problem = context->problem;
    const struct space *space = context->space;
    const char *op = problem_ops[problem->op].name;
    const char *type = problem_types[problem->type].name;
    const char *acc = problem_types[problem->acc].name;
    char arch[ARCH_CHARS] = "host";
    if (!context->target->is_host)
        snprintf(arch, sizeof arch, "sm_%d", context->target->cc);
    text_addf(out, "// %s of %s accumulated in %s, for %s: pass '%s' of %s, made from %s by\n", op,
              type, acc, arch, space->passes[pass].name, space->name, space->template_name);
    text_adds(out, "// autotune emit ");
    add_space(out, space, problem->op);
    text_addf(out, "--op %s --type %s --acc %s --arch %s --pass %s --variant ", op, type, acc, arch,
              space->passes[pass].name);
    const char *between = "";
    for (size_t i = 0; i < space->param_count; i++) {
        if (space->params[i].is_launch)
            continue;
        text_addf(out, "%s%s=", between, space->params[i].name);
        point_format_value(out, &space->params[i], row[i]);
        between = ",";
    }
    text_adds(out, "\n\n");
}

static int emit_code(struct emission *emission, const struct emit_sources *sources,
                     struct error *error)
{
    struct filter filter = {.file = &sources->template, .space = emission->context->space,
                            .values = emission->values, .line = 1};
    const char *template = sources->template.text;
    struct text body = {0};
    int failed = find_parts(emission, &sources->types, error) ||
                 find_parts(emission, &sources->intrinsics, error) ||
                 filter_lines(&body, &filter, template, strlen(template), error) ||
                 take_parts(emission, body.at ? body.at : "", error);
    if (!failed) {
        trim_end(&body);
        text_add(&emission->code, body.at, body.length);
        failed = text_check(&emission->code, error);
    }
    text_dispose(&body);
    return failed ? -1 : 0;
}

/* Constants, parts and the template's lines: everything but the header. */
static int emit_body(struct text *out, const struct point_context *context,
                     const struct emit_sources *sources, const int64_t *row, size_t pass,
                     struct error *error)
{
    int64_t values[SPACE_NAMES_MAX], effective[SPACE_NAMES_MAX];
    struct emission *emission = calloc(1, sizeof *emission);
    if (!emission)
        return error_memory(error, sizeof *emission);
    emission->context = context;
    emission->values = values;
    int failed = point_pass_row(context, row, pass, effective, error) ||
                 point_values(context, effective, context->space->passes[pass].reads_partials,
                              values, error) ||
                 emit_code(emission, sources, error) ||
                 emit_constants(out, emission, sources, error);
    if (!failed) {
        text_add(out, emission->code.at, emission->code.length);
        failed = text_check(out, error);
    }
    text_dispose(&emission->code);
    free(emission);
    return failed ? -1 : 0;
}

int emit_kernel(struct text *out, const struct point_context *context,
                const struct emit_sources *sources, const int64_t *row, size_t pass,
                struct error *error)
{
    emit_header(out, context, row, pass);
    return emit_body(out, context, sources, row, pass, error);
}

/* --- Variants ---------------------------------------------------------------------------------- */

static int pass_applies(const struct point_context *context, const int64_t *row, size_t pass,
                        bool *applies, struct error *error)
{
    int64_t values[SPACE_NAMES_MAX], value = 1;
    const struct expr *when = context->space->passes[pass].when;
    if (when && (point_values(context, row, false, values, error) ||
                 expr_eval(when, values, &value, error)))
        return -1;
    *applies = value != 0;
    return 0;
}

/* Emits the body of a pass, or finds that it stands among the variant's texts already. */
static int add_text(struct emit_variant *out, const struct point_context *context,
                    const struct emit_sources *sources, const int64_t *row, size_t pass,
                    struct text *bodies, struct error *error)
{
    struct text *body = &bodies[out->count];
    if (emit_body(body, context, sources, row, pass, error))
        return -1;
    size_t same = 0;
    while (strcmp(bodies[same].at, body->at) != 0)
        same++;
    out->text_of_pass[pass] = (int)same;
    if (same < out->count) {
        text_dispose(body);
        return 0;
    }
    struct text *text = &out->texts[out->count++];
    emit_header(text, context, row, pass);
    text_add(text, body->at, body->length);
    return text_check(text, error);
}

int emit_variant(struct emit_variant *out, const struct point_context *context,
                 const struct emit_sources *sources, const int64_t *row, struct error *error)
{
    struct text bodies[SPACE_PASSES_MAX] = {{0}};
    int failed = 0;
    *out = (struct emit_variant){.count = 0};
    for (size_t pass = 0; !failed && pass < context->space->pass_count; pass++) {
        bool applies = false;
        out->text_of_pass[pass] = -1;
        failed = pass_applies(context, row, pass, &applies, error) ||
                 (applies && add_text(out, context, sources, row, pass, bodies, error));
    }
    for (size_t i = 0; i < SPACE_PASSES_MAX; i++)
        text_dispose(&bodies[i]);
    if (!failed && out->count == 0)
        failed = error_set(error, ERROR_USAGE,
                           "%s: no pass applies to this variant: correct the passes' 'when'",
                           context->space->file);
    if (failed)
        emit_dispose(out);
    return failed ? -1 : 0;
}

void emit_dispose(struct emit_variant *variant)
{
    for (size_t i = 0; i < SPACE_PASSES_MAX; i++)
        text_dispose(&variant->texts[i]);
    variant->count = 0;
}

uint64_t emit_hash_variant(const struct emit_variant *variant)
{
    XXH64_hash_t hash = 0;
    for (size_t i = 0; i < variant->count; i++)
        hash = XXH3_64bits_withSeed(variant->texts[i].at, variant->texts[i].length, hash);
    return hash;
}

uint64_t emit_hash(const struct emit_sources *sources)
{
    const char *texts[] = {sources->template.text, sources->types.text, sources->intrinsics.text};
    XXH64_hash_t hash = 0;
    for (size_t i = 0; i < 3; i++)
        hash = XXH3_64bits_withSeed(texts[i], strlen(texts[i]), hash);
    return hash;
}

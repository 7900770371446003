/* emit: writes a kernel: the constants on top, then the parts of types and intrinsics that it
 * mentions, then the template's lines. A line "//? define NAME" begins a part. What an operation's own text
 * says is a part, too, which emit_operation.h writes. */
#include "generator/emit.h"

#include "generator/command.h"
#include "generator/control.h"
#include "generator/dims_text.h"
#include "generator/emit_operation.h"
#include "generator/emit_params.h"
#include "generator/operation_input.h"
#include "generator/operation_param.h"
#include "generator/words.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    PARTS_MAX = 256,
    NAME_MAX_CHARS = 64,
    ARCH_CHARS = 16,
};

/* --- Parts -------------------------------------------------------------------------------- */

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
    struct text own;           /* what the operation's text says, as parts */
    struct emit_file own_file; /* its file, which has that text */
    struct part parts[PARTS_MAX];
    size_t part_count;
    struct text code;       /* parts in use, then the template's lines */
    size_t template_length; /* of these */
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
        return error_set(error, ERROR_USAGE, "%s:%d: more than %d parts: join some", file->name,
                         line, PARTS_MAX);
    if (!is_part_name(name))
        return error_set(
            error, ERROR_USAGE,
            "%s:%d: a part's name is one word of at most 63 characters, not '%.80s'",
            file->name, line, name);
    for (size_t i = 0; i < emission->part_count; i++)
        if (strcmp(emission->parts[i].name, name) == 0)
            return error_set(
                error, ERROR_USAGE,
                "%s:%d: the part '%s' is defined a second time: rename one of them", file->name,
                line, name);
    struct part *part = &emission->parts[emission->part_count++];
    snprintf(part->name, sizeof part->name, "%s", name);
    part->file = file;
    part->from = from;
    part->length = 0;
    part->line = line + 1;
    part->is_taken = false;
    return 0;
}

/* Does the operation's own text stand for this part of another file? */
static bool is_replaced(const struct emission *emission, const struct emit_file *file,
                        const char *name)
{
    for (size_t i = 0; i < emission->part_count; i++)
        if (emission->parts[i].file == &emission->own_file && file != &emission->own_file &&
            strcmp(emission->parts[i].name, name) == 0)
            return true;
    return false;
}

/* Splits a file at its //? define lines; the lines before the first are the file's own
 * comment. */
static int find_parts(struct emission *emission, const struct emit_file *file,
                      struct error *error)
{
    char copy[CONTROL_CHARS];
    struct part *open = NULL;
    int line = 1;
    for (const char *at = file->text; *at; line++) {
        size_t width = strcspn(at, "\n");
        const char *after = at + width + (at[width] == '\n');
        const char *words = control_words(at, width, copy, sizeof copy);
        if (words && strncmp(words, "define ", 7) == 0) {
            open = NULL;
            if (is_replaced(emission, file, words + 7)) {
                at = after;
                continue;
            }
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

static void trim_end(struct text *text)
{
    assert(text->at || text->length == 0);
    while (text->length && text->at[text->length - 1] == '\n')
        text->at[--text->length] = 0;
    text_adds(text, "\n");
}

static int take_parts(struct emission *emission, const char *code, struct error *error);

/* Appends a part, after the parts that it mentions itself. */
static int take_part(struct emission *emission, struct part *part, struct error *error)
{
    const struct space *space = emission->context->space;
    const struct control_lines lines = {.file = part->file->name,
                                        .line = part->line,
                                        .from = part->from,
                                        .length = part->length,
                                        .scope = space_scope(space),
                                        .values = emission->values,
                                        .space = space};
    struct text kept = {0};
    part->is_taken = true;
    int failed = control_filter(&kept, &lines, error) ||
                 take_parts(emission, kept.at ? kept.at : "", error);
    if (!failed && kept.length) {
        trim_end(&kept);
        text_add(&emission->code, kept.at, kept.length);
        text_adds(&emission->code, "\n");
    }
    text_dispose(&kept);
    return failed ? -1 : 0;
}

/* Takes every part that the code mentions, in the order of the files. */
static int take_parts(struct emission *emission, const char *code, struct error *error)
{
    const char *names[PARTS_MAX] = {NULL};
    bool is_mentioned[PARTS_MAX];
    for (size_t i = 0; i < emission->part_count; i++)
        names[i] = emission->parts[i].name;
    words_find(code, names, emission->part_count, is_mentioned);
    for (size_t i = 0; i < emission->part_count; i++) {
        struct part *part = &emission->parts[i];
        if (is_mentioned[i] && !part->is_taken && take_part(emission, part, error))
            return -1;
    }
    return 0;
}

/* --- Constants ---------------------------------------------------------------------------- */

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
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
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

/* Appends the constants that the code mentions, each with its meaning, in the order of the space file;
 * nothing for none. One that has no value when the kernel is compiled, or too large a one, is an error
 * that says where the sources mention it. */
static int add_constants(struct text *out, const struct space *space, const int64_t *values,
                         const char *code, const struct emit_sources *sources,
                         struct error *error)
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

/* --- The kernel --------------------------------------------------------------------------- */

/* " --space ladder/sequential": names a space that comes with the program, unless it is the
 * default space; " --space FILE" one of the user's. */
static void add_space(struct text *out, const struct space *space,
                      const struct emit_sources *sources, const struct problem *problem)
{
    const char *usual = problem_law(problem)->space;
    static const char folder[] = "configs/", end[] = ".ini";
    const size_t length = strlen(space->file), around = sizeof folder - 1 + sizeof end - 1;
    if (sources->has_own_space)
        command_add_option(out, "--space", space->file);
    else if (strncmp(space->file, folder, sizeof folder - 1) == 0 && length > around &&
             strcmp(space->file + length - (sizeof end - 1), end) == 0 &&
             (length - around != strlen(usual) ||
              strncmp(space->file + sizeof folder - 1, usual, length - around) != 0))
        text_addf(out, " --space %.*s", (int)(length - around),
                  space->file + sizeof folder - 1);
    if (sources->has_own_template)
        command_add_option(out, "--template", sources->template.name);
}

static void add_variant(struct text *out, const struct space *space, const int64_t *config)
{
    const char *between = " --variant ";
    for (size_t i = 0; i < space->param_count; i++) {
        if (space->params[i].is_launch)
            continue;
        text_addf(out, "%s%s=", between, space->params[i].name);
        point_format_value(out, &space->params[i], config[i]);
        between = ",";
    }
}

/* Of what type the values are: " accumulated in i64". */
static void add_value(struct text *out, const struct problem *problem)
{
    const bool has_fields = problem_has_fields(problem);
    if (has_fields ? problem->acc != problem->type : problem_value(problem) != problem->acc)
        text_addf(out, " as %s,", problem_types[problem->acc].name);
    if (has_fields)
        text_addf(out, " joined as values of %d bytes", problem_value_bytes(problem));
    else
        text_addf(out, " accumulated in %s", problem_types[problem_value(problem)].name);
}

/* What the kernel is, and the command that emits it again. */
static void emit_header(struct text *out, const struct point_context *context,
                        const struct emit_sources *sources, const int64_t *config, size_t pass)
{
    const struct problem *problem = context->problem;
    const struct space *space = context->space;
    char arch[ARCH_CHARS] = "host";
    if (!context->target->is_host)
        snprintf(arch, sizeof arch, "sm_%d", context->target->cc);
    text_adds(out, "// ");
    if (problem->dims.scan)
        text_addf(out, "%s scan, ", dims_text_scans[problem->dims.scan]);
    text_addf(out, "%s of %s", problem->op->name, problem_types[problem->type].name);
    add_value(out, problem);
    text_addf(out, ", for %s: pass '%s' of %s, made from ", arch, space->passes[pass].name,
              space->name);
    text_add_visible(out,
                     sources->has_own_template ? sources->template.name : space->template_name);
    text_adds(out, " by\n// autotune emit");
    add_space(out, space, sources, problem);
    command_add_problem(out, problem, 0);
    text_addf(out, " --arch %s --pass %s", arch, space->passes[pass].name);
    add_variant(out, space, config);
    text_adds(out, "\n\n");
}

static struct control_lines template_lines(const struct emission *emission,
                                           const struct emit_file *template)
{
    const struct space *space = emission->context->space;
    return (struct control_lines){.file = template->name,
                                  .line = 1,
                                  .from = template->text,
                                  .length = strlen(template->text),
                                  .scope = space_scope(space),
                                  .values = emission->values,
                                  .space = space};
}

/* The parts of the operation's own text come first: they stand for those of other files. */
static int find_own_parts(struct emission *emission, const struct emit_sources *sources,
                          struct error *error)
{
    if (sources->is_foreign)
        return 0;
    emit_operation(&emission->own, emission->context->problem, emission->values);
    if (emission->own.length == 0)
        return 0;
    emission->own_file =
        (struct emit_file){emission->context->problem->op->name, emission->own.at};
    return text_check(&emission->own, error) ||
                   find_parts(emission, &emission->own_file, error) ||
                   find_parts(emission, &sources->operation, error)
               ? -1
               : 0;
}

static int emit_code(struct emission *emission, const struct emit_sources *sources,
                     struct error *error)
{
    const struct control_lines lines = template_lines(emission, &sources->template);
    struct text body = {0};
    int failed = find_own_parts(emission, sources, error) ||
                 find_parts(emission, &sources->types, error) ||
                 find_parts(emission, &sources->intrinsics, error) ||
                 control_filter(&body, &lines, error) ||
                 take_parts(emission, body.at ? body.at : "", error);
    if (!failed) {
        trim_end(&body);
        text_add(&emission->code, body.at, body.length);
        emission->template_length = body.length;
        failed = text_check(&emission->code, error);
    }
    text_dispose(&body);
    return failed ? -1 : 0;
}

/* Appends `body` with #line directives among the template's lines, which are its last. */
static int mark_body(struct text *out, const struct text *body, const struct emission *emission,
                     const struct emit_file *template, struct error *error)
{
    struct control_lines lines = template_lines(emission, template);
    lines.marks_lines = true;
    text_add(out, body->at, body->length - emission->template_length);
    return control_filter(out, &lines, error);
}

/* What was appended from byte `from` on gets the operation's params, where it has any. */
static int hand_params(struct text *out, size_t from, const struct problem *problem,
                       struct error *error)
{
    struct text whole = {0};
    if (operation_param_count(problem->op) == 0 && problem_inputs(problem) == 1)
        return 0;
    text_add(&whole, out->at, from);
    const int failed = emit_params(&whole, out->at + from, problem, error);
    text_dispose(out);
    *out = whole;
    return failed;
}

/* Constants, parts and the template's lines: everything but the header. Once more in `marked`,
 * which may be NULL, for the user's own template. */
static int emit_body(struct text *out, struct text *marked, const struct point_context *context,
                     const struct emit_sources *sources, const int64_t *config, size_t pass,
                     struct error *error)
{
    int64_t values[SPACE_NAMES_MAX], effective[SPACE_NAMES_MAX];
    struct emission *emission = calloc(1, sizeof *emission);
    if (!emission)
        return error_memory(error, sizeof *emission);
    const size_t from = out->length, marked_from = marked ? marked->length : 0;
    emission->context = context;
    emission->values = values;
    int failed = point_pass_config(context, config, pass, effective, error) ||
                 point_values(context, effective, context->space->passes[pass].reads_partials,
                              values, error);
    values[SPACE_ANY_FLAGS] = sources->any_flags && !context->target->is_host;
    failed = failed || emit_code(emission, sources, error) ||
             (!sources->is_foreign &&
              add_constants(out, context->space, values, emission->code.at, sources, error));
    if (!failed) {
        text_add(out, emission->code.at, emission->code.length);
        failed = text_check(out, error) ||
                 (marked && sources->has_own_template &&
                  (mark_body(marked, out, emission, &sources->template, error) ||
                   hand_params(marked, marked_from, context->problem, error))) ||
                 hand_params(out, from, context->problem, error);
    }
    text_dispose(&emission->code);
    text_dispose(&emission->own);
    free(emission);
    return failed ? -1 : 0;
}

int emit_kernel(struct text *out, const struct point_context *context,
                const struct emit_sources *sources, const int64_t *config, size_t pass,
                struct error *error)
{
    assert(pass < context->space->pass_count);
    emit_header(out, context, sources, config, pass);
    return emit_body(out, NULL, context, sources, config, pass, error);
}

/* --- Variants ----------------------------------------------------------------------------- */

/* Emits the body of a pass, or finds that the variant has the same text already. */
static int add_text(struct emit_variant *out, const struct point_context *context,
                    const struct emit_sources *sources, const int64_t *config, size_t pass,
                    struct text *bodies, struct error *error)
{
    struct text *body = &bodies[out->count], *marked = &out->marked[out->count];
    if (sources->has_own_template)
        emit_header(marked, context, sources, config, pass);
    if (emit_body(body, marked, context, sources, config, pass, error))
        return -1;
    size_t same = 0;
    while (strcmp(bodies[same].at, body->at) != 0)
        same++;
    out->text_of_pass[pass] = (int)same;
    if (same < out->count) {
        text_dispose(body);
        text_dispose(marked);
        return 0;
    }
    struct text *text = &out->texts[out->count++];
    emit_header(text, context, sources, config, pass);
    text_add(text, body->at, body->length);
    return text_check(text, error);
}

int emit_variant(struct emit_variant *out, const struct point_context *context,
                 const struct emit_sources *sources, const int64_t *config, struct error *error)
{
    struct text bodies[SPACE_PASSES_MAX] = {{0}};
    int failed = problem_check_text(context->problem, error);
    *out = (struct emit_variant){.count = 0};
    for (size_t pass = 0; !failed && pass < context->space->pass_count; pass++) {
        bool applies = false;
        out->text_of_pass[pass] = -1;
        failed = point_applies(context, config, pass, &applies, error) ||
                 (applies && add_text(out, context, sources, config, pass, bodies, error));
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
    for (size_t i = 0; i < SPACE_PASSES_MAX; i++) {
        text_dispose(&variant->texts[i]);
        text_dispose(&variant->marked[i]);
    }
    variant->count = 0;
}

const char *emit_source(const struct emit_variant *variant, size_t index)
{
    assert(index < variant->count);
    return variant->marked[index].at ? variant->marked[index].at : variant->texts[index].at;
}

/* --- The hash ----------------------------------------------------------------------------- */

/* The length of the comment that begins here, or 0. */
static size_t comment_length(const char *at)
{
    if (at[0] == '/' && at[1] == '/')
        return strcspn(at, "\n");
    if (at[0] != '/' || at[1] != '*')
        return 0;
    const char *end = strstr(at + 2, "*/");
    return end ? (size_t)(end - at) + 2 : strlen(at);
}

/* The length of the string or character that begins here, or 0. */
static size_t string_length(const char *at)
{
    const char quote = *at;
    size_t length = 1;
    if (quote != '"' && quote != '\'')
        return 0;
    while (at[length] && at[length] != quote && at[length] != '\n')
        length += at[length] == '\\' && at[length + 1] ? 2 : 1;
    return length + (at[length] == quote);
}

/* Takes the next line that has code: no comment, no blanks behind it. NULL: there is none. */
static const char *next_code(const char **at, size_t *kept)
{
    while (**at) {
        const char *line = *at;
        size_t length = 0;
        *kept = 0;
        while (line[length] && line[length] != '\n' && !comment_length(line + length)) {
            const size_t string = string_length(line + length);
            length += string ? string : 1;
            *kept = line[length - 1] == ' ' ? *kept : length;
        }
        *at += length + comment_length(line + length);
        *at += **at == '\n';
        if (*kept)
            return line;
    }
    return NULL;
}

uint64_t emit_hash_variant(const struct emit_variant *variant)
{
    assert(variant->count <= SPACE_PASSES_MAX);
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    for (size_t i = 0; i < variant->count; i++) {
        const char *at = variant->texts[i].at, *line;
        for (size_t kept; (line = next_code(&at, &kept)) != NULL;) {
            XXH3_64bits_update(&state, line, kept);
            XXH3_64bits_update(&state, "\n", 1);
        }
        XXH3_64bits_update(&state, "", 1); /* the end of a text: two are not one */
    }
    return XXH3_64bits_digest(&state);
}

int emit_hash_config(uint64_t *out, const struct point_context *context,
                     const struct emit_sources *sources, const int64_t *config,
                     struct error *error)
{
    struct emit_variant emitted;
    if (emit_variant(&emitted, context, sources, config, error))
        return -1;
    *out = emit_hash_variant(&emitted);
    emit_dispose(&emitted);
    return 0;
}

void emit_add_code(struct text *out, const struct emit_variant *variant)
{
    assert(variant->count <= SPACE_PASSES_MAX);
    for (size_t i = 0; i < variant->count; i++) {
        const char *at = variant->texts[i].at, *line;
        for (size_t kept; (line = next_code(&at, &kept)) != NULL;) {
            text_add(out, line, kept);
            text_adds(out, "\n");
        }
        text_add(out, "", 1);
    }
}

/* export_text: the formats' list, and what they share: comments, names, files. */
#include "autotune/library/export_text.h"

#include "autotune/embedded.h"
#include "generator/shape.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char export_mark[] = "made by autotune";

const char *const export_formats[EXPORT_FORMATS] = {
    [EXPORT_HEADER] = "header", [EXPORT_CU] = "cu",     [EXPORT_CUBIN] = "cubin",
    [EXPORT_CMAKE] = "cmake",   [EXPORT_MAKE] = "make", [EXPORT_JSON] = "json",
};

int export_find_format(enum export_format *out, const char *name, struct error *error)
{
    for (int i = 0; i < EXPORT_FORMATS; i++)
        if (strcmp(name, export_formats[i]) == 0) {
            *out = (enum export_format)i;
            return 0;
        }
    return error_set(error, ERROR_USAGE,
                     "--format '%.100s' is none: choose header, cu, cubin, cmake, make or json",
                     name);
}

/* --- Shapes ------------------------------------------------------------------------------- */

bool export_is_matrix(const struct export *export)
{
    return shape_kind(&export->source.problem.dims) != SHAPE_VALUE;
}

const char *export_either(const struct export *export, const char *value, const char *matrix)
{
    return export_is_matrix(export) ? matrix : value;
}

/* --- Comments ----------------------------------------------------------------------------- */

const struct export_comment export_c_comment = {"/* ", " * ", " */\n"};
const struct export_comment export_cc_comment = {"// ", "// ", ""};
const struct export_comment export_hash_comment = {"# ", "# ", ""};

void export_add_words(struct text *out, const char *words)
{
    for (char before = 0; *words; before = *words++) {
        const bool is_edge =
            (before == '*' && *words == '/') || (before == '/' && *words == '*');
        const bool is_odd = is_edge || *words == '\\' || *words < ' ';
        text_add(out, is_odd && *words >= 0 ? "." : words, 1);
    }
}

/* A line of a comment. */
static void add_line(struct text *out, const char *begin, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add_line(struct text *out, const char *begin, const char *format, ...)
{
    char line[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text_adds(out, begin);
    export_add_words(out, line);
    text_adds(out, "\n");
}

static void add_record(struct text *out, const struct export_comment *comment,
                       const struct record *record)
{
    char interval[64] = "", size[SHAPE_CHARS];
    if (record->n_to)
        snprintf(interval, sizeof interval, " (%" PRIu64 " to %" PRIu64 ")", record->n_from,
                 record->n_to);
    if (shape_kind(&record->problem.dims))
        shape_format(size, &record->problem);
    else
        snprintf(size, sizeof size, "n = %" PRIu64, dims_n(&record->problem.dims));
    add_line(out, comment->line, "  %s%s: %s", size, interval, record->params);
    add_line(out, comment->line, "      %" PRIu64 " ps, tuned %s, driver %s, %s",
             record->median_ps, record->tuned, record->driver, record->compiler);
}

/* A record whose stretch of n another's interrupts has several rows. */
static bool is_told(const struct export *export, const struct export_gpu *gpu, size_t row)
{
    for (size_t i = gpu->first; i < row; i++)
        if (export->rows[i].record == export->rows[row].record)
            return true;
    return false;
}

void export_add_provenance(struct text *out, const struct export *export,
                           const struct export_comment *comment, const char *what)
{
    const struct problem *problem = &export->source.problem;
    static const char *const each[SHAPE_COUNT] = {"", ", for each row of a matrix",
                                                  ", for each column of a matrix"};
    add_line(out, comment->open, "%s: %s of %s accumulated in %s%s%s, %s data; %s %s by", what,
             problem_ops[problem->op].name, problem_types[problem->type].name,
             problem_types[problem->acc].name, each[shape_kind(&problem->dims)],
             problem->is_deterministic ? ", in a fixed order" : "",
             problem_regimes[problem->regime], export_mark, export->source.version);
    add_line(out, comment->line, "%s", export->source.command);
    add_line(out, comment->line, "from the records of");
    for (size_t i = 0; i < export->gpu_count; i++) {
        const struct export_gpu *gpu = &export->gpus[i];
        add_line(out, comment->line, "%s (compute capability %d.%d, %d SMs)", gpu->name,
                 gpu->cc / 10, gpu->cc % 10, gpu->sms);
        for (size_t r = gpu->first; r < gpu->first + gpu->count; r++)
            if (!is_told(export, gpu, r))
                add_record(out, comment, export->rows[r].record);
    }
    text_adds(out, comment->end);
}

/* --- Names -------------------------------------------------------------------------------- */

void export_add_capitals(struct text *out, const struct export *export)
{
    for (const char *at = export->source.prefix; *at; at++) {
        const char letter = *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at;
        text_add(out, &letter, 1);
    }
}

void export_add_form(struct text *out, const struct export *export, const char *form)
{
    while (*form) {
        const size_t plain = strcspn(form, "$@");
        text_add(out, form, plain);
        form += plain;
        if (form[0] == '$' && form[1] == '$')
            text_add(out, form++, 1);
        else if (*form == '$')
            text_adds(out, export->source.prefix);
        else if (*form == '@')
            export_add_capitals(out, export);
        form += *form != 0;
    }
}

/* --- Files that come with the program ------------------------------------------------------
 */

/* What stands for the word at `at`, of `length` characters, in those files: a name that begins
 * with "prefix" in either case, two types, and what a matrix's sizes are. */
static bool add_word(struct text *out, const struct export *export, const char *at,
                     size_t length)
{
    const struct problem *problem = &export->source.problem;
    const bool is_columns = shape_kind(&problem->dims) == SHAPE_COLUMNS;
    const struct {
        const char *word, *text;
    } words[] = {
        {"ELEMENT", problem_types[problem->type].c_name},
        {"RESULT", problem_types[problem_result(problem)].c_name},
        {"LINE", is_columns ? "column" : "row"},
        {"RESULTS", is_columns ? "len" : "rows"},
        {"DEPTH", is_columns ? "rows" : "len"},
    };
    const size_t own = sizeof "prefix" - 1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == length && strncmp(at, words[i].word, length) == 0) {
            text_adds(out, words[i].text);
            return true;
        }
    if (length < own || (length > own && at[own] != '_'))
        return false;
    if (strncmp(at, "prefix", own) == 0)
        text_adds(out, export->source.prefix);
    else if (strncmp(at, "PREFIX", own) == 0)
        export_add_capitals(out, export);
    else
        return false;
    text_add(out, at + own, length - own);
    return true;
}

static void add_line_of(struct text *out, const struct export *export, const char *at,
                        size_t length)
{
    for (size_t i = 0, word; i < length; i += word) {
        for (word = 0; i + word < length && text_is_word(at[i + word]);)
            word++;
        if (word == 0)
            text_add(out, at + i, word = 1);
        else if (!add_word(out, export, at + i, word))
            text_add(out, at + i, word);
    }
}

int export_fill(struct text *out, const struct export *export, const char *file,
                const struct export_insert *inserts, size_t count, struct error *error)
{
    static const char mark[] = "//: ";
    char path[80];
    snprintf(path, sizeof path, "templates/%s", file);
    const struct embedded *form = embedded_find(path);
    if (!form)
        return error_set(error, ERROR_FAILED, "%s is not built in: build autotune again", path);
    for (const char *at = form->bytes; *at;) {
        const size_t length = strcspn(at, "\n") + 1, skip = sizeof mark - 1;
        const bool is_insert = strncmp(at, mark, skip) == 0;
        for (size_t i = 0; is_insert && i < count; i++)
            if (strlen(inserts[i].name) == length - skip - 1 &&
                strncmp(inserts[i].name, at + skip, length - skip - 1) == 0 &&
                inserts[i].text->at)
                text_add(out, inserts[i].text->at, inserts[i].text->length);
        if (!is_insert)
            add_line_of(out, export, at, length);
        at += length;
    }
    return text_check(out, error);
}

/* --- Files -------------------------------------------------------------------------------- */

struct text *export_add_file(struct export_files *files, const struct export *export,
                             const char *end)
{
    struct export_file *file = &files->at[files->count++];
    snprintf(file->name, sizeof file->name, "%s%s", export->source.prefix, end);
    return &file->text;
}

void export_dispose_files(struct export_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        text_dispose(&files->at[i].text);
    files->count = 0;
}

static int write_format(struct export_files *out, const struct export *export,
                        enum export_format format, const char *nvrtc, struct error *error)
{
    switch (format) {
    case EXPORT_HEADER:
        return export_write_header(out, export, error);
    case EXPORT_CU:
        return export_write_cu(out, export, error);
    case EXPORT_CUBIN:
        return export_write_cubin(out, export, nvrtc, error);
    case EXPORT_CMAKE:
        return export_write_cmake(out, export, error);
    case EXPORT_MAKE:
        return export_write_make(out, export, error);
    default:
        return export_write_json(out, export, error);
    }
}

int export_write(struct export_files *out, const struct export *export,
                 enum export_format format, const char *nvrtc, struct error *error)
{
    *out = (struct export_files){.count = 0};
    int failed = write_format(out, export, format, nvrtc, error);
    for (size_t i = 0; !failed && i < out->count; i++)
        failed = text_check(&out->at[i].text, error);
    if (failed)
        export_dispose_files(out);
    return failed;
}

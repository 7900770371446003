/* export_text: writes the text that all formats share: comments, names, files. */
#include "autotune/export/export_text.h"

#include "autotune/embedded.h"
#include "generator/control.h"
#include "generator/dims_text.h"
#include "generator/words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char export_mark[] = "made by autotune";

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
                       const struct export_row *row)
{
    const struct record *record = row->record;
    char interval[64] = "", time[32] = "", size[DIMS_TEXT_CHARS];
    if (row->from < row->to)
        snprintf(interval, sizeof interval, " (%" PRIu64 " to %" PRIu64 ")", row->from,
                 row->to);
    dims_text_format_named(size, &record->problem.dims);
    add_line(out, comment->line, "  %s%s: %s", size, interval, record->params);
    if (record->median_ps)
        snprintf(time, sizeof time, "%" PRIu64 " ps, ", record->median_ps);
    add_line(out, comment->line, "      %s%s %s%s, driver %s, %s", time,
             record_has_run(record) ? "tuned" : "shipped",
             record_has_run(record) ? record->tuned : "with autotune",
             record->median_ps ? "" : ", of a problem that costs the same", record->driver,
             record->compiler);
}

/* A record has several rows where another's range of n interrupts its own. */
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
    char several[DIMS_TEXT_CHARS];
    dims_text_promise(several, &problem->dims);
    add_line(out, comment->open, "%s: %s of %s accumulated in %s%s%s, %s data; %s %s by", what,
             problem_ops[problem->op].name, problem_types[problem->type].name,
             problem_types[problem->acc].name, several, problem_orders[problem->order].promise,
             problem_regimes[problem->regime], export_mark, export->source.version);
    add_line(out, comment->line, "%s", export->source.command);
    add_line(out, comment->line, "from the records of");
    for (size_t i = 0; i < export->gpu_count; i++) {
        const struct export_gpu *gpu = &export->gpus[i];
        add_line(out, comment->line, "%s (compute capability %d.%d, %d SMs)", gpu->name,
                 gpu->cc / 10, gpu->cc % 10, gpu->sms);
        for (size_t r = gpu->first; r < gpu->first + gpu->count; r++)
            if (!is_told(export, gpu, r))
                add_record(out, comment, &export->rows[r]);
    }
    text_adds(out, comment->end);
}

/* --- Names -------------------------------------------------------------------------------- */

bool export_is_reserved(const char *word)
{
    return words_has(
        " and asm auto bool break case catch char class const const_cast continue default delete do "
        "double else enum explicit export extern false float for friend goto if inline int long main "
        "mutable namespace new not operator or private protected public register restrict "
        "return short signed sizeof static struct switch template this throw true try typedef "
        "union unsigned using virtual void volatile while xor ",
        word);
}

void export_add_capitals(struct text *out, const char *word)
{
    for (; *word; word++) {
        const char letter = *word >= 'a' && *word <= 'z' ? (char)(*word - 'a' + 'A') : *word;
        text_add(out, &letter, 1);
    }
}

static bool begins(const char *word, size_t length, const char *with, bool is_whole)
{
    const size_t own = strlen(with);
    return length >= own && strncmp(word, with, own) == 0 &&
           (length > own ? word[own] == '_' : is_whole);
}

/* A name in the export. Names of carried headers have no "prefix" to replace. */
static void add_name(struct text *out, const struct export *export, const char *word,
                     size_t length, bool is_tag)
{
    static const char *const carried[] = {"dims", "planner", "selector",
                                          "DIMS", "PLANNER", "SELECTOR"};
    const char *prefix = export->source.prefix;
    const size_t own = sizeof "prefix" - 1, guard = sizeof "AUTOTUNE" - 1;
    bool is_carried = is_tag;
    for (size_t i = 0; i < sizeof carried / sizeof *carried; i++)
        is_carried = is_carried || begins(word, length, carried[i], false);
    if (begins(word, length, "prefix", true)) {
        text_adds(out, prefix);
        text_add(out, word + own, length - own);
    } else if (begins(word, length, "PREFIX", true)) {
        export_add_capitals(out, prefix);
        text_add(out, word + own, length - own);
    } else if (begins(word, length, "AUTOTUNE", false)) {
        export_add_capitals(out, prefix);
        text_add(out, word + guard, length - guard);
    } else {
        if (is_carried && word[0] >= 'a')
            text_addf(out, "%s_", prefix);
        else if (is_carried)
            export_add_capitals(out, prefix), text_adds(out, "_");
        text_add(out, word, length);
    }
}

void export_add_code(struct text *out, const struct export *export, const char *code)
{
    bool is_tag = false; /* "struct " comes before */
    for (const char *at = code; *at;) {
        size_t length = 0;
        while (text_is_word(at[length]))
            length++;
        if (length > 0)
            add_name(out, export, at, length, is_tag);
        else
            text_add(out, at, 1);
        is_tag = length > 0 ? begins(at, length, "struct", true) : is_tag && *at == ' ';
        at += length ? length : 1;
    }
}

void export_take_code(struct text *out, const struct export *export, struct text *code)
{
    export_add_code(out, export, code->at ? code->at : "");
    out->failed |= code->failed;
    text_dispose(code);
}

/* --- Files that come with the program ----------------------------------------------------- */

/* Drops includes of each other: all headers are in one file. */
static void drop_includes(struct text *text)
{
    struct text kept = {0};
    for (const char *at = text->at; at && *at;) {
        const size_t length = strcspn(at, "\n") + 1;
        if (strncmp(at, "#include \"", 10) != 0)
            text_add(&kept, at, length);
        at += length;
    }
    kept.failed |= text->failed;
    text_dispose(text);
    *text = kept;
}

static bool has_clusters(const struct export *export)
{
    for (size_t i = 0; i < export->step_count; i++)
        if (export->steps[i].cluster > 1)
            return true;
    return false;
}

int export_add_file_part(struct text *out, const struct export *export, const char *file,
                         enum export_piece piece, struct error *error)
{
    static const char *const names[] = {"OUTER",     "INNER",        "DEPTH_STRIDE",
                                        "HAS_GIVEN", "PIECE",        "DECLARED",
                                        "TABLE",     "LAUNCHED",     "OPENED",
                                        "CLOSED",    "SCAN",         "INCLUSIVE",
                                        "EXCLUSIVE", "HAS_CLUSTERS", "ASKS_NAME"};
    const struct dims *dims = &export->source.problem.dims;
    const int64_t values[] = {(int64_t)dims->outer.n,
                              (int64_t)dims->inner.n,
                              (int64_t)dims->depth.stride,
                              export->has_given,
                              piece,
                              EXPORT_DECLARED,
                              EXPORT_TABLE,
                              EXPORT_LAUNCHED,
                              EXPORT_OPENED,
                              EXPORT_CLOSED,
                              dims->scan,
                              DIMS_INCLUSIVE,
                              DIMS_EXCLUSIVE,
                              has_clusters(export),
                              export->asks_name};
    const struct embedded *found = embedded_find(file);
    struct text kept = {0};
    if (!found)
        return error_set(error, ERROR_FAILED, "%s is not built in: build autotune again", file);
    const struct control_lines lines = {.file = found->name,
                                        .line = 1,
                                        .from = found->bytes,
                                        .length = found->length,
                                        .scope = {names, sizeof names / sizeof *names},
                                        .values = values};
    int failed = control_filter(&kept, &lines, error);
    if (!failed) {
        drop_includes(&kept);
        export_add_code(out, export, kept.at ? kept.at : "");
        failed = text_check(&kept, error) || text_check(out, error);
    }
    text_dispose(&kept);
    return failed ? -1 : 0;
}

int export_add_sizes(struct text *out, const struct export *export, enum export_piece piece,
                     struct error *error)
{
    return export_add_file_part(out, export, "templates/export/exported_value.h", piece,
                                error) ||
                   export_add_file_part(out, export, "templates/export/exported_matrix.h",
                                        piece, error)
               ? -1
               : 0;
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

/* export_text: writes the text that all formats share: comments, names, files. */
#include "autotune/export/export_text.h"

#include "autotune/embedded.h"
#include "generator/control.h"
#include "generator/dims_text.h"
#include "generator/operation_param.h"
#include "generator/words.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char export_mark[] = "made by autotune";

enum { LINE_CHARS = 96 };

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

/* Adds words to a list in the lines of a comment; `column` is where the line is. */
static void add_listed(struct text *out, const struct export_comment *comment, size_t *column,
                       const char *words)
{
    const size_t length = strlen(words);
    if (*column && *column + length + 2 > LINE_CHARS) {
        text_adds(out, "\n");
        *column = 0;
    }
    text_adds(out, *column ? " " : comment->line);
    export_add_words(out, words);
    *column += length + 1;
}

void export_add_archs(struct text *out, const struct export *export)
{
    int archs[EXPORT_ARCHS_MAX];
    const size_t count = export_archs(export, archs, EXPORT_ARCHS_MAX);
    for (size_t i = count; i-- > 0;)
        text_addf(out, i + 1 == count ? "-arch=sm_%d" : " -gencode arch=compute_%d,code=sm_%d",
                  archs[i], archs[i]);
}

void export_add_provenance(struct text *out, const struct export *export,
                           const struct export_comment *comment, const char *what,
                           const char *more)
{
    const struct problem *problem = &export->source.problem;
    char several[DIMS_TEXT_CHARS], words[200];
    size_t column = 0;
    dims_text_promise(several, &problem->dims);
    add_line(out, comment->open, "%s: %s of %s accumulated in %s%s%s, %s data;", what,
             problem->op->name, problem_types[problem->type].name,
             problem_types[problem_value(problem)].name, several,
             problem_orders[problem->order].promise, problem_regimes[problem->regime]);
    add_line(out, comment->line, "%s %s by", export_mark, export->source.version);
    add_line(out, comment->line, "    %s", export->source.command);
    add_listed(out, comment, &column, "from records of");
    for (size_t i = 0; i < export->gpu_count; i++) {
        const struct export_gpu *gpu = &export->gpus[i];
        snprintf(words, sizeof words, "%s (sm_%d, %d SMs)%s", gpu->name, gpu->cc, gpu->sms,
                 i + 1 < export->gpu_count ? "," : ".");
        add_listed(out, comment, &column, words);
    }
    text_adds(out, "\n");
    for (; more && *more; more += strcspn(more, "\n") + 1)
        add_line(out, comment->line, "%.*s", (int)strcspn(more, "\n"), more);
    text_adds(out, comment->end);
}

/* --- What was tuned ----------------------------------------------------------------------- */

static void add_time(struct text *out, const struct record *record)
{
    const double us = (double)record->median_ps / 1e6;
    text_addf(out, us < 100 ? "%.3f us" : "%.1f us", us);
}

static void add_time_at(struct text *out, const struct record *record)
{
    char size[DIMS_TEXT_CHARS];
    add_time(out, record);
    text_addf(out, " at %s", dims_text_format_named(size, &record->problem.dims));
}

/* "n = 0 to 1535: 1.283 us at n = 1K to 1.284 us at n = 1Ki: ", "4Ki x 1Ki columns: 3.141 us: ". What
 * comes of a problem that costs the same has no time. */
static void add_sizes(struct text *out, const struct export *export,
                      const struct export_row *row)
{
    char size[DIMS_TEXT_CHARS];
    const struct interval *const least = export_next_size(export, row, NULL);
    const struct interval *most = least;
    const bool has_time = least && least->record.median_ps;
    if (row->first > row->last)
        text_adds(out, dims_text_format_named(size, &row->record->problem.dims));
    else if (row->last == UINT64_MAX)
        text_addf(out, "n from %" PRIu64 " on", row->first);
    else
        text_addf(out, "n = %" PRIu64 " to %" PRIu64, row->first, row->last);
    text_adds(out, ": ");
    for (const struct interval *next = least; next; next = export_next_size(export, row, next))
        most = next;
    if (!has_time)
        return;
    (row->first > row->last ? add_time : add_time_at)(out, &least->record);
    if (most != least) {
        text_adds(out, " to ");
        add_time_at(out, &most->record);
    }
    text_adds(out, ": ");
}

/* Is the param the same in all rows but the default, of which there are several? */
static bool is_in_all(const struct export *export, size_t param)
{
    for (size_t r = 1; r + 1 < export->row_count; r++)
        if (export->rows[r].values[param] != export->rows[0].values[param])
            return false;
    return export->row_count > 2;
}

/* The params of a row: those that all rows have in common, or the others. */
static void add_params(struct text *out, const struct export *export,
                       const struct export_row *row, bool in_all)
{
    const struct space *space = export->source.space;
    const char *between = "";
    for (size_t i = 0; i < space->param_count; i++)
        if (is_in_all(export, i) == in_all) {
            text_addf(out, "%s%s=", between, space->params[i].name);
            point_format_value(out, &space->params[i], row->values[i]);
            between = " ";
        }
}

/* How a record was made: "tuned 2026-11-21, driver 580 (CUDA 13.0), NVRTC 13.0". */
static void add_source(struct text *out, const struct record *record)
{
    text_adds(out, record_has_run(record) ? "tuned " : "shipped with autotune");
    text_addf(out, "%.*s", record_has_run(record) ? (int)sizeof "2026-11-21" - 1 : 0,
              record->tuned);
    text_addf(out, "%s, driver %s, %s",
              record->median_ps ? "" : ", of a problem that costs the same", record->driver,
              record->compiler);
}

/* Adds the sources of a GPU's records, each once. */
static void add_sources(struct text *out, const struct export *export,
                        const struct export_gpu *gpu)
{
    struct text before = {0};
    for (size_t r = gpu->first; r < gpu->first + gpu->count; r++) {
        struct text source = {0};
        add_source(&source, export->rows[r].record);
        if (!before.at || !source.at || !strstr(before.at, source.at))
            add_line(out, export_c_comment.line, "  %s", source.at ? source.at : "");
        text_addf(&before, "%s\n", source.at ? source.at : "");
        out->failed |= source.failed || before.failed;
        text_dispose(&source);
    }
    text_dispose(&before);
}

static void add_tuned_row(struct text *out, const struct export *export,
                          const struct export_row *row)
{
    struct text words = {0};
    add_sizes(&words, export, row);
    add_params(&words, export, row, false);
    add_line(out, export_c_comment.line, "    %s", words.at ? words.at : "");
    out->failed |= words.failed;
    text_dispose(&words);
}

void export_add_tuned(struct text *out, const struct export *export)
{
    struct text common = {0};
    add_params(&common, export, &export->rows[0], true);
    add_line(out, export_c_comment.open,
             "What was tuned: the sizes that each config serves, times, "
             "and params%s",
             common.length ? ". All have" : ".");
    if (common.length)
        add_line(out, export_c_comment.line, "  %s", common.at);
    for (size_t i = 0; i < export->gpu_count; i++) {
        const struct export_gpu *gpu = &export->gpus[i];
        add_line(out, export_c_comment.line, "%s (sm_%d, %d SMs)", gpu->name, gpu->cc,
                 gpu->sms);
        add_sources(out, export, gpu);
        for (size_t r = gpu->first; r < gpu->first + gpu->count; r++)
            add_tuned_row(out, export, &export->rows[r]);
    }
    text_adds(out, export_c_comment.end);
    out->failed |= common.failed;
    text_dispose(&common);
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

void export_add_param_name(struct text *out, const struct operation *op, size_t param)
{
    const char *name = operation_param_name(op, param);
    text_addf(out, "%s%s", name, export_is_reserved(name) ? "_" : "");
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

/* What conditions in the files of templates/export may name. */
enum { OWN_NAMES = 19, NAMES = OWN_NAMES + COMBINE_LAWS + MAP_LAWS };

static void set_names(const char *names[NAMES], int64_t values[NAMES],
                      const struct export *export, enum export_piece piece)
{
    const struct problem *const problem = &export->source.problem;
    const struct dims *const dims = &problem->dims;
    const struct {
        const char *name;
        int64_t value;
    } own[] = {{"OUTER", (int64_t)dims->outer.n},
               {"INNER", (int64_t)dims->inner.n},
               {"DEPTH_STRIDE", (int64_t)dims->depth.stride},
               {"SCAN", dims->scan},
               {"INCLUSIVE", DIMS_INCLUSIVE},
               {"EXCLUSIVE", DIMS_EXCLUSIVE},
               {"COMBINE", problem_combine(problem)},
               {"MAP", problem_map(problem)},
               {"IS_FLOAT", problem_types[problem->acc].is_float},
               {"HAS_GIVEN", export->has_given},
               {"HAS_CLUSTERS", has_clusters(export)},
               {"HAS_PARAMS", operation_param_count(problem->op) > 0},
               {"ASKS_NAME", export->asks_name},
               {"PIECE", piece},
               {"DECLARED", EXPORT_DECLARED},
               {"TABLE", EXPORT_TABLE},
               {"LAUNCHED", EXPORT_LAUNCHED},
               {"OPENED", EXPORT_OPENED},
               {"CLOSED", EXPORT_CLOSED}};
    _Static_assert(sizeof own / sizeof *own == OWN_NAMES, "as many as there are");
    for (size_t i = 0; i < OWN_NAMES; i++) {
        names[i] = own[i].name;
        values[i] = own[i].value;
    }
    for (size_t i = 0; i < COMBINE_LAWS + MAP_LAWS; i++) {
        const size_t law = i < COMBINE_LAWS ? i : i - COMBINE_LAWS;
        names[OWN_NAMES + i] =
            i < COMBINE_LAWS ? operation_combines[law].symbol : operation_maps[law];
        values[OWN_NAMES + i] = (int64_t)law;
    }
}

int export_add_file_part(struct text *out, const struct export *export, const char *file,
                         enum export_piece piece, struct error *error)
{
    const char *names[NAMES];
    int64_t values[NAMES];
    set_names(names, values, export, piece);
    const struct embedded *found = embedded_find(file);
    struct text kept = {0};
    if (!found)
        return error_set(error, ERROR_FAILED, "%s is not built in: build autotune again", file);
    const struct control_lines lines = {.file = found->name,
                                        .line = 1,
                                        .from = found->bytes,
                                        .length = found->length,
                                        .scope = {.names = names, .count = NAMES},
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
    assert(files->count < EXPORT_FILES_MAX);
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

/* control: keeps, drops or repeats the lines of a text by the control lines around them. Conditions may be
 * nested; they must be known when the kernel is compiled. */
#include "generator/control.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 16 };

struct filter {
    const struct control_lines *lines;
    struct {
        bool kept, decided, has_else, is_each;
        int line;
    } stack[DEPTH_MAX]; /* kept: is emitted */
    int depth;
    int line;
    size_t at; /* where the line behind this one begins */
    struct {
        int64_t number, last;
        size_t at; /* the first line that is repeated */
        int line;
    } each; /* number: 0 outside */
};

static int complain(const struct filter *filter, struct error *error, const char *what)
{
    return error_set(error, ERROR_USAGE, "%s:%d: %s", filter->lines->file, filter->line, what);
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
    const struct space *space = filter->lines->space;
    const char *name = space ? space_launch_name(space, expr) : NULL;
    if (!name)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "%s:%d: %s is known at launch only: pass it to the kernel as an argument",
                     filter->lines->file, filter->line, name);
}

/* Reads a condition even where it decides nothing, so that an error in it is found with any
 * variant. */
static int eval(const struct filter *filter, const char *source, bool is_needed, int64_t *value,
                struct error *error)
{
    const struct control_lines *lines = filter->lines;
    struct expr *expr;
    *value = 0;
    if (expr_parse(&expr, source, &lines->scope, lines->file, filter->line, error))
        return -1;
    int failed = refuse_launch(filter, expr, error) ||
                 (is_needed && expr_eval(expr, lines->values, value, error));
    expr_free(expr);
    return failed ? -1 : 0;
}

static int eval_condition(const struct filter *filter, const char *source, bool is_needed,
                          bool *holds, struct error *error)
{
    int64_t value;
    if (eval(filter, source, is_needed, &value, error))
        return -1;
    *holds = value != 0;
    return 0;
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
    filter->stack[filter->depth].is_each = false;
    filter->stack[filter->depth++].has_else = false;
    return 0;
}

/* Is the innermost what is repeated? It is no condition, then. */
static bool is_in_each(const struct filter *filter)
{
    return filter->depth > 0 && filter->stack[filter->depth - 1].is_each;
}

static int open_each(struct filter *filter, const char *most, struct error *error)
{
    bool holds = false;
    for (int i = 0; i < filter->depth; i++)
        if (filter->stack[i].is_each)
            return complain(filter, error, "'//? each' within another: end that by '//? next'");
    if (eval(filter, most, is_kept(filter), &filter->each.last, error))
        return -1;
    holds = filter->each.last >= 2;
    if (open_if(filter, "1", error))
        return -1;
    filter->stack[filter->depth - 1].kept = holds;
    filter->stack[filter->depth - 1].is_each = true;
    filter->each.number = 2;
    filter->each.at = filter->at;
    filter->each.line = filter->line;
    return 0;
}

/* Back to the first line that is repeated, or on. */
static int go_round(struct filter *filter, struct error *error)
{
    if (!is_in_each(filter))
        return complain(filter, error, "'//? next' without its '//? each'");
    if (filter->each.number < filter->each.last) {
        filter->each.number++;
        filter->at = filter->each.at;
        filter->line = filter->each.line;
        return 0;
    }
    filter->depth--;
    filter->each.number = 0;
    return 0;
}

/* `condition` is NULL for else. */
static int open_else(struct filter *filter, const char *condition, struct error *error)
{
    if (filter->depth == 0 || is_in_each(filter) || filter->stack[filter->depth - 1].has_else)
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
    if (strncmp(words, "each ", 5) == 0)
        return open_each(filter, words + 5, error);
    if (strcmp(words, "next") == 0)
        return go_round(filter, error);
    if (strcmp(words, "end") != 0)
        return complain(filter, error, "a control line is if, elif, else, end, each or next");
    if (filter->depth == 0 || is_in_each(filter))
        return complain(filter, error, "'//? end' without its '//? if'");
    filter->depth--;
    return 0;
}

const char *control_words(const char *line, size_t length, char *copy, size_t size)
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
    const size_t kept = length - start < size ? length - start : size - 1;
    memcpy(copy, line + start, kept);
    copy[kept] = '\0';
    return copy;
}

/* Tells a compiler that the next line is this one of the file. */
static void mark_line(struct text *out, const struct filter *filter)
{
    text_addf(out, "#line %d \"", filter->line);
    for (const char *at = filter->lines->file; *at; at++)
        text_addf(out, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
    text_adds(out, "\"\n");
}

/* A line that a backslash continues must not be cut off from the next. */
static bool is_continued(const struct text *out)
{
    return out->length > 1 && out->at[out->length - 2] == '\\';
}

/* A line, with the number in the place of each '$' where it is repeated. */
static void add_line(struct text *out, const struct filter *filter, const char *line,
                     size_t width)
{
    for (size_t i = 0; i < width && filter->each.number; i++)
        if (line[i] == '$')
            text_addf(out, "%d", (int)filter->each.number);
        else
            text_add(out, line + i, 1);
    if (!filter->each.number)
        text_add(out, line, width);
    text_add(out, "\n", 1);
}

int control_filter(struct text *out, const struct control_lines *lines, struct error *error)
{
    struct filter filter = {.lines = lines, .line = lines->line};
    char copy[CONTROL_CHARS];
    int next = 0; /* the line that a compiler takes the next one for */
    for (; filter.at < lines->length; filter.line++) {
        const char *line = lines->from + filter.at;
        size_t width = strcspn(line, "\n");
        const char *words = control_words(line, width, copy, sizeof copy);
        bool is_double = width == 0 &&
                         (out->length < 2 || memcmp(out->at + out->length - 2, "\n\n", 2) == 0);
        filter.at += width + 1;
        if (words && strlen(words) == sizeof copy - 1)
            return complain(&filter, error,
                            "a control line has at most 510 characters: shorten it");
        if (words && control(&filter, words, error))
            return -1;
        if (!words && is_kept(&filter) && !is_double) {
            if (lines->marks_lines && filter.line != next && !is_continued(out)) {
                mark_line(out, &filter);
                next = filter.line;
            }
            next++;
            add_line(out, &filter, line, width);
        }
    }
    if (filter.depth) {
        filter.line = filter.stack[filter.depth - 1].line;
        return complain(&filter, error,
                        is_in_each(&filter) ? "'//? each' without its '//? next'"
                                            : "'//? if' without its '//? end'");
    }
    return text_check(out, error);
}

/* output: writes all results of commands. Checks every write, so that a full disk or a closed
 * pipe ends in an error and not in half a result. */
#include "autotune/cli/output.h"

#include "autotune/cli/output_file.h"
#include "autotune/print/sentence.h"
#include "autotune/print/table_fit.h"
#include "autotune/print/terminal.h"
#include "cache/file.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int write_stdout(const void *bytes, size_t length, struct error *error)
{
    if (fwrite(bytes, 1, length, stdout) == length && fflush(stdout) == 0)
        return 0;
    if (errno == EPIPE) /* as 'autotune list | head' does */
        return error_set(error, ERROR_IO, "%s", "");
    return error_set(error, ERROR_IO, "standard output: cannot be written: %s",
                     strerror(errno));
}

int output_bytes(const char *path, const void *bytes, size_t length, struct error *error)
{
    struct output_file out;
    if (strcmp(path, "-") == 0)
        return write_stdout(bytes, length, error);
    if (output_file_open(&out, path, error))
        return -1;
    const int failed =
        file_write(out.file, bytes, length) == 0
            ? 0
            : error_set(error, ERROR_IO, "%s: cannot be written: %s", path, strerror(errno));
    return output_file_close(&out, path, failed, error);
}

/* Bytes of what steers a terminal and may: the end of a line, and the program's own bold and colours. */
static size_t steers(const char *at)
{
    if (strncmp(at, "\033[", 2) == 0) {
        const size_t length = 2 + strspn(at + 2, "0123456789;");
        return at[length] == 'm' ? length + 1 : 0;
    }
    return *at == '\n' || *at == '\t' ? 1 : strncmp(at, "\r\n", 2) == 0 ? 2 : 0;
}

/* Whoever reads it is steered by nothing that a file or a name says. */
static int write_shown(const char *at, struct error *error)
{
    struct text shown = {0}, between = {0};
    while (*at) {
        size_t length = steers(at);
        if (length) {
            text_add(&shown, at, length);
        } else {
            while (at[length] && !steers(at + length))
                length++;
            text_clear(&between);
            text_add(&between, at, length);
            text_add_visible(&shown, between.failed ? "" : between.at);
            shown.failed |= between.failed;
        }
        at += length;
    }
    text_dispose(&between);
    const int failed = text_check(&shown, error) ||
                       write_stdout(shown.at ? shown.at : "", shown.length, error);
    text_dispose(&shown);
    return failed ? -1 : 0;
}

int output_write(const char *path, const struct text *text, struct error *error)
{
    if (text_check(text, error))
        return -1;
    const char *at = text->at ? text->at : "";
    return strcmp(path, "-") == 0 && isatty(STDOUT_FILENO)
               ? write_shown(at, error)
               : output_bytes(path, at, text->length, error);
}

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

bool output_is_taken(const struct output *output)
{
    return is_stdout(output->csv) || is_stdout(output->json);
}

static int write_table(const char *path, const struct table *table, const struct text *json,
                       void (*form)(struct text *, const struct table *), struct error *error)
{
    struct text text = {0};
    if (!path)
        return 0;
    if (json)
        return output_write(path, json, error);
    form(&text, table);
    int failed = output_write(path, &text, error);
    text_dispose(&text);
    return failed;
}

int output_text(const struct text *text, struct error *error)
{
    struct text folded = {0};
    if (text_check(text, error))
        return -1;
    sentence_fold(&folded, text->at ? text->at : "", (size_t)terminal_output_room(INT_MAX));
    const int failed = output_write("-", &folded, error);
    text_dispose(&folded);
    return failed;
}

static int print_text(const struct output *output, const struct text *text, struct error *error)
{
    return output_is_taken(output) ? 0 : output_text(text, error);
}

/* If a form cannot be written, the others still are. `csv` may be NULL. */
static int write_forms(const struct output *output, const struct text *text, const char *csv,
                       const struct table *table, const struct text *json, struct error *error)
{
    struct error causes[3];
    const int failed[] = {
        print_text(output, text, &causes[0]),
        write_table(csv, table, NULL, table_csv, &causes[1]),
        write_table(output->json, table, json, table_json, &causes[2]),
    };
    for (size_t i = 0; i < sizeof failed / sizeof *failed; i++)
        if (failed[i]) {
            *error = causes[i];
            return -1;
        }
    return 0;
}

int output_forms(const struct output *output, const struct text *text,
                 const struct table *table, const struct text *json, struct error *error)
{
    return write_forms(output, text, output->csv, table, json, error);
}

static int write_all(const struct output *output, const char *csv, const struct table *table,
                     const struct text *json, struct error *error)
{
    struct text text = {0};
    table_show(&text, table, terminal_has_color(stdout));
    const int failed = write_forms(output, &text, csv, table, json, error);
    text_dispose(&text);
    return failed;
}

int output_table(const struct output *output, const struct table *table,
                 const struct text *json, struct error *error)
{
    return write_all(output, output->csv, table, json, error);
}

int output_table_rest(const struct output *output, const struct table *table,
                      const struct text *json, struct error *error)
{
    return write_all(output, NULL, table, json, error);
}

int output_both(const struct output *output, const struct text *text, const char *name,
                const struct table *table, const char *second_name, const struct table *second,
                struct error *error)
{
    struct text json = {0};
    text_addf(&json, "{\"%s\": ", name);
    table_json(&json, table);
    text_addf(&json, ", \"%s\": ", second_name);
    table_json(&json, second);
    text_adds(&json, "}\n");
    const int failed = output_forms(output, text, table, &json, error);
    text_dispose(&json);
    return failed;
}

/* --- Context ------------------------------------------------------------------------------ */

/* In one piece: what is written to a terminal piece by piece may be mixed with a progress line. */
static void print_context(const char *lines)
{
    struct text folded = {0};
    sentence_fold(&folded, lines, (size_t)terminal_room(stderr, INT_MAX));
    fputs(folded.at && !folded.failed ? folded.at : lines, stderr);
    text_dispose(&folded);
}

void output_error(const char *message)
{
    print_context(message);
}

__attribute__((format(printf, 2, 0))) static void print_formatted(const char *before,
                                                                  const char *format,
                                                                  va_list arguments,
                                                                  const char *behind)
{
    char words[sizeof((struct error *)0)->text];
    struct text lines = {0};
    text_format_visible(words, sizeof words, true, format, arguments);
    text_addf(&lines, "%s%s%s", before, words, behind);
    print_context(lines.at ? lines.at : words);
    text_dispose(&lines);
}

void output_warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_formatted("autotune: warning: ", format, arguments, "\n");
    va_end(arguments);
}

void output_note(const struct output *output, const char *format, ...)
{
    va_list arguments;
    if (output->quiet)
        return;
    va_start(arguments, format);
    print_formatted("", format, arguments, "");
    va_end(arguments);
}

void output_line(const struct output *output, struct text *line)
{
    if (!line->failed && line->length)
        output_note(output, "%s\n", line->at);
    text_dispose(line);
}

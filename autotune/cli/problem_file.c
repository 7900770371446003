/* problem_file: cuts the file into lines and parses each as a command line. */
#include "autotune/cli/problem_file.h"

#include "generator/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 64 << 20 };

static int parse_line(struct problem_file *file, const struct request *base, char *line,
                      size_t number, struct error *error)
{
    line[strcspn(line, "#")] = '\0';
    if (!line[strspn(line, " \t\r")])
        return 0;
    if (array_grow(&file->at, file->count, sizeof *file->at, error))
        return -1;
    if (request_parse_line(&file->at[file->count], base, line, error))
        return error_set(error, error->code, "%.200s:%zu: %s", base->problems, number,
                         error->text);
    file->count++;
    return 0;
}

static int parse_lines(struct problem_file *file, const struct request *base,
                       struct error *error)
{
    size_t number = 1;
    if (text_check_encoding(base->problems, file->text.at, file->text.length, error))
        return -1;
    for (char *line = file->text.at, *end; line; line = end, number++) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        if (parse_line(file, base, line, number, error))
            return -1;
    }
    return file->count
               ? 0
               : error_set(error, ERROR_USAGE,
                           "%.200s has no problem: write one a line, as --n 64Ki --type "
                           "f32, or see 'autotune list problems'",
                           base->problems);
}

/* What two lines that ask for the same have in common. */
struct line_key {
    char problem[PROBLEM_CHARS];
    const char *space, *template;
};

static int compare_names(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int by_key(const void *a, const void *b)
{
    const struct line_key *x = a, *y = b;
    const int by_problem = strcmp(x->problem, y->problem);
    const int by_space = compare_names(x->space, y->space);
    return by_problem ? by_problem
           : by_space ? by_space
                      : compare_names(x->template, y->template);
}

/* Refuses two lines of one key; where files do not count, of one problem. */
static int refuse_equal(const struct problem_file *file, const char *name, bool files_count,
                        const char *why, struct error *error)
{
    struct line_key *keys = calloc(file->count, sizeof *keys);
    int failed = keys ? 0 : error_memory(error, file->count * sizeof *keys);
    for (size_t i = 0; keys && i < file->count; i++) {
        keys[i].space = files_count ? file->at[i].space : NULL;
        keys[i].template = files_count ? file->at[i].template : NULL;
        problem_format(keys[i].problem, &file->at[i].problem);
    }
    if (keys)
        qsort(keys, file->count, sizeof *keys, by_key);
    for (size_t i = 1; keys && i < file->count && !failed; i++)
        if (by_key(&keys[i - 1], &keys[i]) == 0)
            failed = error_set(error, ERROR_USAGE, "%.200s has %s twice, %s", name,
                               keys[i].problem, why);
    free(keys);
    return failed;
}

int problem_file_read(struct problem_file *out, const struct request *request,
                      struct error *error)
{
    *out = (struct problem_file){.count = 0};
    if (text_read(&out->text, request->problems, BYTES_MAX, error))
        error_set(error, error->code,
                  "%s: --problems takes a list of problems, as 'autotune list problems' writes",
                  error->text);
    else if (parse_lines(out, request, error) == 0 &&
             refuse_equal(out, request->problems, true,
                          "which two parts would tune: leave one out", error) == 0)
        return 0;
    problem_file_dispose(out);
    return -1;
}

void problem_file_dispose(struct problem_file *file)
{
    free(file->at);
    text_dispose(&file->text);
    *file = (struct problem_file){.count = 0};
}

int problem_file_refuse_equal(const struct problem_file *file, const char *name,
                              struct error *error)
{
    return refuse_equal(file, name, false,
                        "under two spaces or templates, which ranks do not share out: write a "
                        "list for each",
                        error);
}

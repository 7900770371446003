/* problem_file: reads a list of problems, one a line, as --problems names it. */
#ifndef AUTOTUNE_PROBLEM_FILE_H
#define AUTOTUNE_PROBLEM_FILE_H

#include "autotune/cli/request.h"

struct problem_file {
    struct request *at; /* of each line that has a problem, in order; they refer to `text` */
    size_t count;
    struct text text;
};

/* For the request's --problems, with its other options. ERROR_IO, or ERROR_USAGE with the line: where
 * one cannot be read, or has the problem of an earlier line. */
int problem_file_read(struct problem_file *out, const struct request *request,
                      struct error *error);

/* Refuses what such a list may have: one problem twice, under two spaces or templates. `name` is the
 * list's, for the error. */
int problem_file_refuse_equal(const struct problem_file *file, const char *name,
                              struct error *error);
void problem_file_dispose(struct problem_file *file);

#endif

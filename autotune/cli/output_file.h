/* output_file: writes a file of a command under a name of its own beside its place, and puts it
 * there when it is whole, so that nobody finds half of it, and two who write it at once do not
 * mix. What a process that was killed left of that name goes when the folder is written to again.
 * A link stays one: what it leads to is written. What is no file, as a FIFO or a device, is
 * written to at once, and so is an open file, named by its number or as standard output, from
 * where it is on. */
#ifndef AUTOTUNE_OUTPUT_FILE_H
#define AUTOTUNE_OUTPUT_FILE_H

#include "generator/error.h"

#include <limits.h>

struct output_file {
    int file;             /* to write to */
    char place[PATH_MAX]; /* where it belongs, links followed; "" where it is written at once */
    char part[PATH_MAX];  /* what it is called until it is whole */
};

/* Makes a new file beside `path`; no file that is there is touched before output_file_close. Opens a
 * FIFO when it has a reader, and waits for one. ERROR_IO with path and cause; ERROR_INTERRUPTED after a
 * signal while it waited. Then nothing is to be closed. */
int output_file_open(struct output_file *out, const char *path, struct error *error);

/* Puts it in its place before it is whole; what is written later is written there. ERROR_IO. */
int output_file_place(struct output_file *out, const char *path, struct error *error);

/* Closes it, and puts it in its place unless it is there or `failed`, with which it is removed. Returns `failed`, or -1
 * with ERROR_IO. `path` is for sentences. */
int output_file_close(struct output_file *out, const char *path, int failed,
                      struct error *error);

#endif

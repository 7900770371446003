/* terminal: prints colour and the progress line on a terminal. Writes to stderr; on anything
 * else, or with NO_COLOR set (colour), or TERM=dumb, it does nothing. */
#ifndef AUTOTUNE_TERMINAL_H
#define AUTOTUNE_TERMINAL_H

#include "generator/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

bool terminal_has_color(FILE *stream);
int terminal_width(FILE *stream); /* columns; 80 where unknown */

/* `most` columns, or as many as the stream's terminal has, if it is one, says so, and they are fewer:
 * that of mpirun, which carries the bytes to a file as well, does not. */
int terminal_room(FILE *stream, int most);
int terminal_output_room(int most); /* of stdout */

/* Columns for results: of stdout, 100 where it is no terminal. */
int terminal_output_width(void);

/* How figures are drawn: in 256 colours, with block characters, or with neither. */
struct terminal_style {
    bool has_color, has_utf8;
    int width; /* columns */
};

/* Colour as terminal_has_color, and where TERM names 256 of them; UTF-8 where the locale has
 * it; 100 columns where the stream is no terminal. */
struct terminal_style terminal_style(FILE *stream);

/* Appends a bar of `share` (0 .. 1) of `columns`, to an eighth of one in UTF-8, padded to all
 * columns. */
void terminal_bar(struct text *out, double share, int columns,
                  const struct terminal_style *style);

int terminal_columns(const char *string); /* the columns of a string: UTF-8 characters, one
                                           * each */

/* Appends `string`, control characters as '?', padded to so many columns, right-aligned if
 * `is_right`, or cut to them with an ellipsis. */
void terminal_label(struct text *out, const char *string, int columns, bool is_right,
                    const struct terminal_style *style);

enum { TERMINAL_STEPS = 9 };

/* Appends `string` on a ground of one of TERMINAL_STEPS colours, dark to bright; plain without
 * colour. */
void terminal_cell(struct text *out, unsigned step, const char *string,
                   const struct terminal_style *style);

/* One progress line, rewritten in place at most 10 times a second. Where the width is too small the
 * count goes first, then the note, and then the line is cut:
 * [#######.......]  41 %  812/1980  best 343.4 us 4660 GB/s  0:07 left */
struct terminal_progress {
    FILE *stream; /* NULL until started */
    /* Before the bar, what all of the line is of: "4 of 10, 16K cold: "; set after the start, NULL =
     * none. */
    const char *subject;
    /* Of a row of such bars: those done before and to come behind it, and when the first began; set
     * after the start. The time left is then that of all. */
    uint64_t before, behind, first_ns;
    bool is_live;
    uint64_t start_ns, last_ns;
};
void terminal_progress_start(struct terminal_progress *progress, FILE *stream);
void terminal_progress_show(struct terminal_progress *progress, uint64_t done, uint64_t total,
                            const char *note);
void terminal_progress_end(struct terminal_progress *progress); /* erases the line */

#endif

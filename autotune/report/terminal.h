/* terminal: what goes to a terminal only: colour and the progress line. Writes to stderr; on
 * anything else, or with NO_COLOR set (colour), or TERM=dumb, it does nothing. */
#ifndef AUTOTUNE_TERMINAL_H
#define AUTOTUNE_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

bool terminal_has_color(FILE *stream);
int terminal_width(FILE *stream); /* columns; 80 where unknown */

/* One progress line, rewritten in place at most 10 times a second, cut to the width:
 * [#######.......]  41 %  812/1980  best 343.4 us 4660 GB/s  0:07 left */
struct terminal_progress {
    FILE *stream; /* NULL until started */
    bool is_live;
    uint64_t start_ns, last_ns;
};
void terminal_progress_start(struct terminal_progress *progress, FILE *stream);
void terminal_progress_show(struct terminal_progress *progress, uint64_t done, uint64_t total,
                            const char *note);
void terminal_progress_end(struct terminal_progress *progress); /* erases the line */

#endif

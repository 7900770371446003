/* highlight: CUDA source as HTML, its tuned constants marked wherever they stand. */
#ifndef AUTOTUNE_HIGHLIGHT_H
#define AUTOTUNE_HIGHLIGHT_H

#include "generator/text.h"

#include <stddef.h>

/* A word to be marked, and what is shown where the pointer rests on it. */
struct highlight_word {
    const char *name;
    const char *meaning;
};

/* Appends the source as the contents of a <pre>: comments and keywords set apart, the words
 * marked outside comments. Everything is escaped. */
void highlight_html(struct text *out, const char *source, const struct highlight_word *words,
                    size_t count);

#endif

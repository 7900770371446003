/* highlight: writes CUDA source as HTML, and marks its tuned constants. */
#ifndef AUTOTUNE_HIGHLIGHT_H
#define AUTOTUNE_HIGHLIGHT_H

#include "generator/text.h"

#include <stddef.h>

/* A word to mark, and its tooltip. */
struct highlight_word {
    const char *name;
    const char *meaning;
};

/* Appends the source as the contents of a <pre>: comments and keywords set apart, the words
 * marked outside comments. Everything is escaped. */
void highlight_html(struct text *out, const char *source, const struct highlight_word *words,
                    size_t count);

#endif

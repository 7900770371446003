/* markup: writes text as HTML and XML. All text from records, files and documents is escaped
 * here: none of it is ever markup. */
#ifndef AUTOTUNE_MARKUP_H
#define AUTOTUNE_MARKUP_H

#include "autotune/print/table.h"
#include "generator/text.h"

/* Appends `string` as the contents of an element or of an attribute in double quotes: & < > " '
 * as references, control characters (except tab and newline, as in XML) as '?'. */
void markup_text(struct text *out, const char *string);

/* The same for its first `length` bytes. */
void markup_bytes(struct text *out, const char *bytes, size_t length);

/* Appends <NAME class="CLASS">string</NAME>; without a class where that is NULL. */
void markup_element(struct text *out, const char *name, const char *class, const char *string);

/* Appends a number with one decimal at most, the same in every locale: coordinates, widths. */
void markup_number(struct text *out, double value);

/* Opens a <div> that scrolls wide contents, by keys too; `name` is for screen readers. */
void markup_open_scroll(struct text *out, const char *name);

/* Appends the columns of the table that are for people, in a box that scrolls. `caption` is for
 * screen readers. */
void markup_table(struct text *out, const struct table *table, const char *caption);

#endif

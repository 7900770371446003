/* markup: HTML and XML as text. The one place where what comes from records, files and
 * documents is escaped: nothing that these hold is ever markup. */
#ifndef AUTOTUNE_MARKUP_H
#define AUTOTUNE_MARKUP_H

#include "autotune/print/table.h"
#include "generator/text.h"

/* Appends `string` as the contents of an element or of an attribute in double quotes: & < > " '
 * as references, control characters (of which XML has but tab and newline) as '?'. */
void markup_text(struct text *out, const char *string);

/* The same for its first `length` bytes. */
void markup_bytes(struct text *out, const char *bytes, size_t length);

/* Appends <NAME class="CLASS">string</NAME>; without a class where that is NULL. */
void markup_element(struct text *out, const char *name, const char *class, const char *string);

/* Appends a number with one decimal at most, the same in every locale: coordinates, widths. */
void markup_number(struct text *out, double value);

/* Opens a <div> in which what is too wide scrolls, by keys too; `name` is read out. */
void markup_open_scroll(struct text *out, const char *name);

/* Appends the table of those columns that people see, in a box of its own that scrolls.
 * `caption` is read out, not seen. */
void markup_table(struct text *out, const struct table *table, const char *caption);

#endif

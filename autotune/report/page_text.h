/* page_text: writes a document as lines for a terminal or a text file. */
#ifndef AUTOTUNE_PAGE_TEXT_H
#define AUTOTUNE_PAGE_TEXT_H

#include "autotune/report/document.h"

/* Appends the document: figures are drawn; their tables, and source, are left to the other
 * forms. ERROR_FAILED: no memory. */
int page_text(struct text *out, struct document *document, const struct terminal_style *style,
              struct error *error);

#endif

/* page_text: a document as lines for a terminal or a file of text. */
#ifndef AUTOTUNE_PAGE_TEXT_H
#define AUTOTUNE_PAGE_TEXT_H

#include "autotune/report/document.h"

/* Appends the document: figures are drawn; tables beside them and source are for the other
 * forms. ERROR_FAILED: no memory. */
int page_text(struct text *out, struct document *document, const struct terminal_style *style,
              struct error *error);

#endif

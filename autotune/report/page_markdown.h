/* page_markdown: writes a document as Markdown with tables, for a README. */
#ifndef AUTOTUNE_PAGE_MARKDOWN_H
#define AUTOTUNE_PAGE_MARKDOWN_H

#include "autotune/report/document.h"

/* Appends the document; figures are tables. ERROR_FAILED: no memory. */
int page_markdown(struct text *out, struct document *document, struct error *error);

#endif

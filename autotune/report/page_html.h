/* page_html: writes a document as one page of HTML that needs no script and no network. */
#ifndef AUTOTUNE_PAGE_HTML_H
#define AUTOTUNE_PAGE_HTML_H

#include "autotune/report/document.h"

/* Appends the page: templates/report/report.html with the document in it. ERROR_FAILED: no
 * memory. */
int page_html(struct text *out, struct document *document, struct error *error);

#endif

/* Writers of documents, one file each, and what each makes of text that could be markup. */
#ifndef DOCUMENT_WRITE_H
#define DOCUMENT_WRITE_H

#include "base/out.h"
#include "document/document.h"

void write_html(struct out *o, const struct document *d);
void write_md(struct out *o, const struct document *d);

/* All append. */
void html_escape(struct buf *b, struct str s);
void md_escape(struct buf *b, struct str s);
void md_code(struct buf *b, struct str s, bool in_table);

#endif

/* Writers of documents, one file per format, and their escaping of text. */
#ifndef DOCUMENT_WRITE_H
#define DOCUMENT_WRITE_H

#include "base/out.h"
#include "document/document.h"

void write_html(struct out *o, const struct document *d);
void write_md(struct out *o, const struct document *d);
/* For a terminal of 80 columns. Tables are fitted: the last text column goes below the rows, names are cut in the
 * middle. */
void write_text(struct buf *b, const struct document *d);
void write_text_end(struct buf *b, struct document *d); /* the same; d is released */

/* All append. */
void doc_put_mark(struct buf *b, const struct doc_entry *e); /* its sign and a blank; nothing for notes */
void html_escape(struct buf *b, struct str s);
void md_escape(struct buf *b, struct str s);
void md_code(struct buf *b, struct str s, bool in_table);

#endif

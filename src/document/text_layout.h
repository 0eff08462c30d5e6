/* What the texts of the stages' results share: marks of verdicts, columns by cells, sentences wrapped for a
 * terminal of 80. */
#ifndef DOCUMENT_TEXT_LAYOUT_H
#define DOCUMENT_TEXT_LAYOUT_H

#include "base/str.h"
#include "base/stage_verdict.h"

const char *text_mark(enum stage_verdict v); /* "✓", "✗", "?" */
void text_pad(struct buf *b, struct str s, int cells); /* s and blanks up to so many cells, one at least */
/* s cut in its middle to so many cells, and padded. */
void text_fit(struct buf *b, struct str s, int cells);
/* Each behind its mark, words wrapped under it. */
void text_sentences(struct buf *b, const char *mark, const char *const *s, size_t n);
/* b's lines with controls made visible (everything in it may come from a file) into out; b is released. */
void text_clean(struct buf *out, struct buf *b);

#endif

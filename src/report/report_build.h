/* The findings report as a document, from what is compared and the investigation: built once, written in any format. */
#ifndef REPORT_REPORT_BUILD_H
#define REPORT_REPORT_BUILD_H

#include "report/compare.h"
#include "document/document.h"

/* What paths are called in it. */
void report_sanitize(struct sanitize *c, const struct comparison *s, const struct report_options *o);
/* The comparison complete and judged, or failed: then it tells what the investigation holds. d is empty. */
void report_build(struct document *d, const struct comparison *s, const struct report_options *o,
                  const struct sanitize *c);
/* Sections told from two dumps alone, by their names ("suspects", "gaps" …), with so many entries of a list; behind
 * what is in d. */
void report_part(struct document *d, const struct comparison *s, const char *const *id, size_t n, size_t most);
/* "2026-11-21 09:30 UTC" */
void report_date(int64_t t, struct buf *out);

#endif

/* The findings report as a document, made from the comparison and the investigation: built once, written in any
 * format. */
#ifndef REPORT_REPORT_BUILD_H
#define REPORT_REPORT_BUILD_H

#include "report/compare.h"
#include "document/document.h"

/* Sets how paths are shortened in the report. */
void report_sanitize(struct sanitize *c, const struct comparison *s, const struct report_options *o);
/* The comparison must be complete and judged, or failed: the report then covers only the investigation. d is empty. */
void report_build(struct document *d, const struct comparison *s, const struct report_options *o,
                  const struct sanitize *c);
/* Appends sections that need only two dumps, by name ("starts", "gaps" …), with at most `most` entries per list. */
void report_part(struct document *d, const struct comparison *s, const char *const *id, size_t n, size_t most);
/* "2026-11-21 09:30 UTC" */
void report_date(int64_t t, struct buf *out);

#endif

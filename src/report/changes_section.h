/* What changed between two comparisons, as a section of a document: the command's text and the report write it. */
#ifndef REPORT_CHANGES_SECTION_H
#define REPORT_CHANGES_SECTION_H

#include "document/document.h"
#include "ticket/round_changes.h"

struct changes_report {
    const struct changes *c;
    const struct round *before, *now;
    const char *path[2]; /* the files or rounds compared */
};

#define CHANGES_LISTED 20 /* rows listed per kind */

/* Adds to the current section. */
void changes_section(struct document *d, const struct changes_report *x);

/* For callers with rows in another order: a kind's table, one row of it, and the number of rows not listed. */
void changes_table(struct document *d, enum change_kind k, uint32_t count);
void changes_row(struct document *d, const char *name, const struct round_row *was, const struct round_row *now);
void changes_more(struct document *d, uint32_t count, uint32_t listed);

#endif

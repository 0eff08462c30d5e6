/* What changed between two comparisons, as text and as JSON (doc/cli-json.md). */
#ifndef REPORT_CHANGES_OUTPUT_H
#define REPORT_CHANGES_OUTPUT_H

#include "base/out.h"
#include "ticket/round_changes.h"

struct changes_report {
    const struct changes *c;
    const struct round *before, *now;
    const char *path[2]; /* what the two were read from */
    const char *tool;
};

void changes_text(struct buf *out, const struct changes_report *x);
void changes_json(struct out *o, const struct changes_report *x);

#endif

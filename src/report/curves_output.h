/* Judged curves as JSON (the contract: doc/cli-json.md), the joined table as CSV, and text for a terminal.
 * Nothing here computes. */
#ifndef REPORT_CURVES_OUTPUT_H
#define REPORT_CURVES_OUTPUT_H

#include "base/json_write.h"
#include "base/out.h"
#include "curves/curves.h"

/* result: a struct curves */
void curves_json(struct jsonw *w, struct out *o, const void *result);
void curves_csv(struct out *o, const void *result); /* a line a joined step */

#endif

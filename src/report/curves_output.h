/* Writers of judged curves: JSON (doc/cli-json.md) and the joined table as CSV. */
#ifndef REPORT_CURVES_OUTPUT_H
#define REPORT_CURVES_OUTPUT_H

#include "base/json_write.h"
#include "base/out.h"
#include "curves/curves.h"

/* result: a struct curves */
void curves_json(struct jsonw *w, struct out *o, const void *result);
void curves_csv(struct out *o, const void *result); /* one line per joined step */

#endif

/* Writer of a replayed optimizer step: JSON (doc/cli-json.md). */
#ifndef REPORT_OPTIMIZER_OUTPUT_H
#define REPORT_OPTIMIZER_OUTPUT_H

#include "base/json_write.h"
#include "base/out.h"
#include "optimizer/optimizer.h"

/* result: a struct optimizer */
void optimizer_json(struct jsonw *w, struct out *o, const void *result);

#endif

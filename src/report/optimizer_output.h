/* A replayed optimizer step as JSON (the contract: doc/cli-json.md). Nothing here computes. */
#ifndef REPORT_OPTIMIZER_OUTPUT_H
#define REPORT_OPTIMIZER_OUTPUT_H

#include "base/json_write.h"
#include "base/out.h"
#include "optimizer/optimizer.h"

void optimizer_json(struct out *o, const struct optimizer *x, const char *tool);
/* within another */
void optimizer_json_object(struct jsonw *w, struct out *o, const struct optimizer *x, const char *tool);

#endif

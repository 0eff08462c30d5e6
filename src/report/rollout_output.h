/* Trainer against rollout as JSON (the contract: doc/cli-json.md) and CSV, a token a line. Nothing here computes. */
#ifndef REPORT_ROLLOUT_OUTPUT_H
#define REPORT_ROLLOUT_OUTPUT_H

#include "base/json_write.h"
#include "base/out.h"
#include "rollout/rollout.h"

void rollout_json(struct out *o, const struct rollout *r, const char *tool);
/* within another */
void rollout_json_object(struct jsonw *w, struct out *o, const struct rollout *r, const char *tool);
void rollout_csv(struct out *o, const struct rollout *r);

#endif

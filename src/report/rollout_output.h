/* Writers of a comparison of trainer and rollout: JSON (doc/cli-json.md) and CSV with one line per token. */
#ifndef REPORT_ROLLOUT_OUTPUT_H
#define REPORT_ROLLOUT_OUTPUT_H

#include "base/json_write.h"
#include "base/out.h"
#include "rollout/rollout.h"

/* result: a struct rollout */
void rollout_json(struct jsonw *w, struct out *o, const void *result);
void rollout_csv(struct out *o, const void *result);

#endif

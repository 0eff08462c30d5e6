/* The table of gradient norms as JSON (the contract: doc/cli-json.md) and CSV. Nothing here computes. */
#ifndef REPORT_NORMS_OUTPUT_H
#define REPORT_NORMS_OUTPUT_H

#include "base/json_write.h"
#include "base/out.h"
#include "norms/norms.h"

void norms_json(struct out *o, const struct norms *n, const char *tool);
void norms_json_object(struct jsonw *w, struct out *o, const struct norms *n, const char *tool); /* within another */
void norms_csv(struct out *o, const struct norms *n);

#endif

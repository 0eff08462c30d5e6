/* Writers of gradient norms: JSON (doc/cli-json.md) and CSV. */
#ifndef REPORT_NORMS_OUTPUT_H
#define REPORT_NORMS_OUTPUT_H

#include "base/json_write.h"
#include "base/out.h"
#include "norms/norms.h"

/* result: a struct norms */
void norms_json(struct jsonw *w, struct out *o, const void *result);
void norms_csv(struct out *o, const void *result);

#endif

/* Writers of a finished comparison of weights, or of one checkpoint's list: JSON (doc/cli-json.md), CSV and text. */
#ifndef REPORT_WEIGHTS_OUTPUT_H
#define REPORT_WEIGHTS_OUTPUT_H

#include "base/json_write.h"
#include "base/out.h"
#include "report/compare.h"
#include "weights/weight_compare.h"

void weights_json_object(struct jsonw *w, struct out *o, const struct weight_compare *c,
                         const struct report_options *opt);
void weights_csv(struct out *o, const struct weight_compare *c);

/* One checkpoint: figures[i] are valid if has[i]. Input of the list writers. */
struct weight_listing {
    const struct weights *w;
    const struct side_figures *fig;
    const bool *has;
};

void weights_list_json(struct jsonw *w, struct out *o, const void *result);
void weights_list_csv(struct out *o, const void *result);
void weights_list_text(struct buf *out, const void *result);

#endif

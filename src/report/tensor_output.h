/* Writer of the tensor view's statistics for a row: JSON (doc/cli-json.md) with the worst elements, histograms of
 * values and errors, the error along the axes, and non-finite elements. */
#ifndef REPORT_TENSOR_OUTPUT_H
#define REPORT_TENSOR_OUTPUT_H

#include "base/json_write.h"
#include "base/out.h"
#include "measure/tensor_stats.h"

struct tensor_report {
    struct str name[2];        /* the rows' names, for the sides that the lens has */
    const struct element_lens *lens;
    const struct tensor_stats *tally; /* complete */
};

void tensor_json(struct jsonw *w, struct out *o, const void *result); /* result: a struct tensor_report */

#endif

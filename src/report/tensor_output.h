/* What the tensor view shows of a row as JSON: the worst elements, how values and errors are spread, the error along
 * the axes, what is not finite (the contract: doc/cli-json.md). */
#ifndef REPORT_TENSOR_OUTPUT_H
#define REPORT_TENSOR_OUTPUT_H

#include "base/json_write.h"
#include "base/out.h"
#include "measure/tensor_stats.h"

struct tensor_report {
    struct str name[2];        /* the rows' names; of sides the lens has */
    const struct element_lens *lens;
    const struct tensor_stats *tally; /* complete */
};

void tensor_json(struct jsonw *w, struct out *o, const void *result); /* result: a struct tensor_report */

#endif

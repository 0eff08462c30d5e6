/* What the tensor view shows of a row as JSON: the worst elements, how values and errors are spread, the error along
 * the axes, what is not finite (the contract: doc/cli-json.md). */
#ifndef REPORT_TENSOR_OUTPUT_H
#define REPORT_TENSOR_OUTPUT_H

#include "measure/tensor_stats.h"

struct tensor_report {
    const char *tool;
    struct str name[2];        /* the rows' names; of sides the lens has */
    const struct element_lens *lens;
    const struct tensor_stats *tally; /* complete */
};

void report_tensor(const struct tensor_report *r, struct buf *out); /* appends one object and a line end */

#endif

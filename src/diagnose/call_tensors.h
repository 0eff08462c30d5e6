/* Which call computed a value, and what went into it: for detectors that recompute a call. */
#ifndef DIAGNOSE_CALL_TENSORS_H
#define DIAGNOSE_CALL_TENSORS_H

#include "dump/dataflow.h"
#include "measure/element_sample.h"
#include "pair/call_arguments.h"

#define MAKERS_MOST 12 /* outputs a value is followed back through: what hands it on unchanged, modules around it */

/* The output of a forward call that holds the row's value: the row itself, or the nearest one before it along the
 * recorded flow; NONE where there is none. */
uint32_t value_output(const struct dump *d, const struct dataflow *f, uint32_t row);
/* The next one before an output so found; NONE. */
uint32_t value_output_before(const struct dump *d, const struct dataflow *f, uint32_t output);
/* A tensor a call was given or holds, by the last word of its slot: one of `words`, separated by spaces; NONE. */
uint32_t call_tensor(const struct dump *d, uint32_t call, const char *words);
/* Elements of a recorded tensor, whole, in v[0]. False where there is no file or it is too large. */
bool tensor_values(const struct dump *d, uint32_t row, struct element_sample *out);

#endif

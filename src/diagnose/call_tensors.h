/* Finds the call that computed a value, and its inputs: for detectors that recompute a call. */
#ifndef DIAGNOSE_CALL_TENSORS_H
#define DIAGNOSE_CALL_TENSORS_H

#include "dump/dataflow.h"
#include "measure/element_sample.h"
#include "pair/call_arguments.h"

/* outputs through which a value is followed back: calls that pass it on unchanged, enclosing modules */
#define MAKERS_MOST 12

/* The output of a forward call that holds the row's value: the row itself, or the nearest earlier one in the recorded
 * data flow; NONE if there is none. */
uint32_t value_output(const struct dump *d, const struct dataflow *f, uint32_t row);
/* The next earlier one before such an output; NONE. */
uint32_t value_output_before(const struct dump *d, const struct dataflow *f, uint32_t output);
/* A tensor argument or parameter of a call whose slot ends in one of `words` (separated by spaces); NONE. */
uint32_t call_tensor(const struct dump *d, uint32_t call, const char *words);
/* All elements of a recorded tensor, in v[0]. False if there is no file or it is too large. */
bool tensor_values(const struct dump *d, uint32_t row, struct element_sample *out);

#endif

/* Whether a file of tensors holds values of a step (activations, gradients captured by hooks) rather than a model's
 * weights, and how such tensors are named. The files have the formats of weights.h. */
#ifndef FMT_ACTIVATIONS_H
#define FMT_ACTIVATIONS_H

#include "dump/dump.h"
#include "fmt/weights.h"

/* Decides by the tensors' names if possible, otherwise by their shapes: most share the batch and sequence axes. */
bool activations_probe(const struct weights *w);
/* The type in which each tensor was computed: bfloat16 or float16 if all sampled float32 values are exact in it
 * (NumPy has no bfloat16), otherwise its own. The caller frees the result. */
uint8_t *activations_types(const struct weights *w);
/* Adds a row per tensor with that type, in the order of computation (value_order.h). *row_of: for each row the index
 * in w's list, in the dump's arena. */
void activations_rows(struct dump *d, const struct weights *w, const uint8_t *type, uint32_t **row_of);

/* Fills a row from a tensor in a file: its shape, whether its elements can be read, and its type's name if that is
 * unknown. */
void weight_row_fill(struct dump *d, const struct weight *x, struct row *r);

#endif

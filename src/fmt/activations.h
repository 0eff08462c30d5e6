/* Whether a file of tensors holds values of a step (activations, gradients as hooks see them) rather than a model's
 * weights, and how such tensors are named. The files are those of weights.h: only what they are judged by differs. */
#ifndef FMT_ACTIVATIONS_H
#define FMT_ACTIVATIONS_H

#include "dump/dump.h"
#include "fmt/weights.h"

/* By their names, where these say it, else by their shapes: most share the axes of batch and sequence. */
bool activations_probe(const struct weights *w);
/* The type each tensor's values were computed in: bfloat16 or float16 of float32 that holds nothing else (NumPy has no
 * bfloat16), else its own. Reads a little of each; the caller frees it. */
uint8_t *activations_types(const struct weights *w);
/* A row a tensor of that type, in the order they were computed (value_order.h). Tensors' rows are numbers of w's list:
 * *row_of has the index for each row, in the dump's arena. */
void activations_rows(struct dump *d, const struct weights *w, const uint8_t *type, uint32_t **row_of);

/* What a row of a tensor in a file has of it: its shape, whether its elements can be read, its type's name where that
 * is not known. */
void weight_row_fill(struct dump *d, const struct weight *x, struct row *r);

#endif

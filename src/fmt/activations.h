/* Whether a file of tensors holds values of a step (activations, gradients as hooks see them) rather than a model's
 * weights, and how such tensors are named. The files are those of weights.h: only what they are judged by differs. */
#ifndef FMT_ACTIVATIONS_H
#define FMT_ACTIVATIONS_H

#include "dump/dump.h"
#include "fmt/weights.h"

/* By their names, where these say it, else by their shapes: most share the axes of batch and sequence. */
bool activations_probe(const struct weights *w);
/* A row a tensor, in the order they were made where the file tells it: of archives and folders their own, of
 * safetensors, which sorts by name, parts before the module they belong to. Tensors' rows are numbers of w's list:
 * *row_of has the index for each row, in the dump's arena. */
void activations_rows(struct dump *d, const struct weights *w, uint32_t **row_of);

/* What a row of a tensor in a file has of it: its shape, whether its elements can be read, its type's name where that
 * is not known. */
void weight_row_fill(struct dump *d, const struct weight *x, struct row *r);

#endif

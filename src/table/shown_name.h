/* A row's name as the table shows it: the words every name has are short, so that what tells it from others fits.
 * Searches look in both, files and marks know the full name alone. */
#ifndef TABLE_SHOWN_NAME_H
#define TABLE_SHOWN_NAME_H

#include "base/str.h"

/* "Functional.linear.0.forward.input.1" becomes "Functional.linear.0.fwd.in.1", a graph's
 * "MatMul.Default_network-Net_layers-CellList_3-Layer_wq-Linear_MatMul-op0.output.0" "layer.3 wq MatMul-op0.out.0";
 * added behind what is in out. */
void shown_name(struct str name, struct buf *out);
/* The same in at most so many cells: layer, pass and slot stay, `mark` stands where something is left out. */
void shown_name_fit(struct str name, int cells, const char *mark, struct buf *out);

#endif

/* Row names as displayed in the table: parts that every name has are abbreviated, so that the distinctive parts fit.
 * Searches use both forms; files and marks use only the full name. */
#ifndef TABLE_SHOWN_NAME_H
#define TABLE_SHOWN_NAME_H

#include "base/str.h"

/* Appends the display name: "Functional.linear.0.forward.input.1" becomes "Functional.linear.0.fwd.in.1", a graph's
 * "MatMul.Default_network-Net_layers-CellList_3-Layer_wq-Linear_MatMul-op0.output.0" becomes "layer.3 wq
 * MatMul-op0.out.0". */
void shown_name(struct str name, struct buf *out);
/* The same in at most `cells` cells: layer, pass and slot are kept, `mark` replaces omitted parts. */
void shown_name_fit(struct str name, int cells, const char *mark, struct buf *out);
/* Appends a call's name below its module: a graph's scope gives way to the kernel and its number, "MatMul-op0". */
void shown_name_call(struct str name, struct buf *out);

#endif

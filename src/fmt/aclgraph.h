/* Tensor dumps of msprobe's AclGraphDumper: files of tensors without a table of calls. */
#ifndef FMT_ACLGRAPH_H
#define FMT_ACLGRAPH_H

#include "dump/reader.h"

extern const struct reader reader_aclgraph;

/* Splits a file's name without its end, "Module.layers.0.Mlp.3.input_kwargs.mask": the call as msprobe names it in
 * other dumps ("Module.layers.0.Mlp.forward.3", appended to call) and the slot ("input.mask", appended). False for
 * another name. */
bool aclgraph_name(struct str stem, struct buf *call, struct buf *slot, enum row_io *io);

#endif

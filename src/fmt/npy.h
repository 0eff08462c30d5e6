/* NumPy's .npy: versions 1 to 3, both byte orders, Fortran order, MindSpore's own bfloat16 codes. */
#ifndef FMT_NPY_H
#define FMT_NPY_H

#include "num/tensor.h"

/* t->file is open; fills the rest. On error the file stays the caller's to close. */
int npy_open(struct tensor *t, struct err *e);
/* The same for an array that takes the file's bytes [from, to): a member of an .npz. With `type`, which gets the
 * element type as it is written ("<f4", "<M8[D]", "|O"), one that is not read is not an error: t->dtype is unknown and
 * t has only a shape. */
int npy_open_at(struct tensor *t, uint64_t from, uint64_t to, struct buf *type, struct err *e);
/* Of an array whose shape t has: its type, byte order and strides, from NumPy's spelling of the type. One that is not
 * read is not an error: t->dtype is unknown. `name` is for messages. */
int npy_layout(struct tensor *t, struct str descr, bool fortran_order, const char *name, struct err *e);

#endif

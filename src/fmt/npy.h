/* NumPy's .npy: versions 1 to 3, both byte orders, Fortran order, MindSpore's own bfloat16 codes. */
#ifndef FMT_NPY_H
#define FMT_NPY_H

#include "num/tensor.h"

/* t->file is open; fills the rest. On error the caller still owns the file. */
int npy_open(struct tensor *t, struct err *e);
/* The same for an array in the file's bytes [from, to): a member of an .npz. If `type` is given, it receives the
 * element type as written ("<f4", "<M8[D]", "|O"), and an unsupported type is not an error: t->dtype is then unknown
 * and t has only a shape. */
int npy_open_at(struct tensor *t, uint64_t from, uint64_t to, struct buf *type, struct err *e);
/* Sets type, byte order and strides from NumPy's type descriptor; t already has its shape. An unsupported type is not
 * an error: t->dtype is unknown. `name` is for messages. */
int npy_layout(struct tensor *t, struct str descr, bool fortran_order, const char *name, struct err *e);

#endif

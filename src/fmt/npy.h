/* NumPy's .npy: versions 1 to 3, both byte orders, Fortran order, MindSpore's own bfloat16 codes. */
#ifndef FMT_NPY_H
#define FMT_NPY_H

#include "num/tensor.h"

/* t->file is open; fills the rest. On error the file stays the caller's to close. */
int npy_open(struct tensor *t, struct err *e);
/* The same for an array that takes the file's bytes [from, to): a member of an .npz. */
int npy_open_at(struct tensor *t, uint64_t from, uint64_t to, struct err *e);

#endif

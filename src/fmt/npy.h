/* NumPy's .npy: versions 1 to 3, both byte orders, Fortran order, MindSpore's own bfloat16 codes. */
#ifndef FMT_NPY_H
#define FMT_NPY_H

#include "num/tensor.h"

/* t->file is open; fills the rest. On error the file stays the caller's to close. */
int npy_open(struct tensor *t, struct err *e);

#endif

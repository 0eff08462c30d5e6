/* One tensor saved by torch.save: a zip whose members are stored, read in place by offset. */
#ifndef FMT_PT_H
#define FMT_PT_H

#include "num/tensor.h"

/* t->file is open; fills the rest. On error the file stays the caller's to close. */
int pt_open(struct tensor *t, struct err *e);

#endif

/* Binary operator dumps of CANN, TYPE.NAME.TASK.STREAM.TIME: eight bytes with the length of a header, the header (a
 * protobuf message DumpData that describes each tensor), and the tensors' bytes: inputs, then outputs. Tensors in a
 * device's format are laid back to their original shape. */
#ifndef FMT_CANN_DUMP_H
#define FMT_CANN_DUMP_H

#include "base/vec.h"
#include "num/tensor.h"

struct cann_tensor {
    bool output;
    uint32_t slot;      /* among the inputs, or outputs */
    uint64_t type;      /* codes of the header */
    uint64_t format, sub_format;
    int ndim, original_ndim;
    int64_t shape[TENSOR_DIMS], original[TENSOR_DIMS];
    uint64_t at, size;  /* its bytes in the file; not yet compared with the file's size */
    bool too_deep;      /* more axes than TENSOR_DIMS */
};

typedef VEC(struct cann_tensor) cann_tensors;

/* Whether a name is that of such a file: at least five parts, the third and all after it numbers, the fifth a time. */
bool cann_name(struct str name);
/* The tensors that the header of an open file describes. -1: the file is none, or damaged. */
int cann_list(const struct file *f, cann_tensors *out, struct err *e);
/* "float32", or NULL for a type that is not read. */
const char *cann_type(const struct cann_tensor *x);
/* Makes t, whose file is open, the tensor input.SLOT or output.SLOT of it; its file may be replaced by one that lays
 * the elements back. On failure the file is still open. */
int cann_open(struct tensor *t, bool output, uint32_t slot, struct err *e);

#endif

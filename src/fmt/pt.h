/* One tensor saved by torch.save: a zip whose members are stored, read in place by offset. */
#ifndef FMT_PT_H
#define FMT_PT_H

#include "fmt/pickle.h"
#include "num/tensor.h"

/* t->file is open; fills the rest. On error the file stays the caller's to close. */
int pt_open(struct tensor *t, struct err *e);

/* Whether a pickled value is a call of one of torch's tensor rebuilders, wrappers (Parameter) included. */
bool pt_is_tensor(const struct pickle *value);
/* Such a value's type, shape and strides, and its storage: the key, the first element of it that is the
 * tensor's, and how many elements it is said to hold. */
struct pt_storage {
    struct str key;
    uint64_t first, count;
    enum dtype dtype; /* of the storage; unknown for untyped ones, which are counted in bytes */
};
int pt_tensor(struct tensor *t, const struct pickle *value, const char *name, struct pt_storage *s, struct err *e);
/* The element type of ('storage', <type>, key, device, count) and its key; NULL when p is no storage. */
const struct pickle *pt_storage_of(const struct pickle *p, enum dtype *dtype, int64_t *count);

#endif

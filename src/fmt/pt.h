/* One tensor saved by torch.save: a zip whose members are stored, read in place by offset. */
#ifndef FMT_PT_H
#define FMT_PT_H

#include "fmt/pickle.h"
#include "num/tensor.h"

/* t->file is open; fills the rest. On error the caller still owns the file. */
int pt_open(struct tensor *t, struct err *e);

/* Whether a pickled value is a call of one of torch's tensor rebuilders, including wrappers (Parameter). */
bool pt_is_tensor(const struct pickle *value);
/* The storage of a pickled tensor: its key, the index of the tensor's first element and the number of elements
 * stated. */
struct pt_storage {
    struct str key;
    uint64_t first, count;
    /* of the storage; unknown for quantised storages and for untyped ones, whose `count` is in bytes */
    enum dtype dtype;
    unsigned width;   /* bytes per unit of `count`; 0 for unknown storages */
    struct str type;  /* name of the element type */
};
/* Interprets a pickled tensor. 0; 1 for a tensor that is recognised but not read (quantised, sparse, unsupported
 * type): s->type names it, in `a`, and t has its shape if that is known, but no type; -1 if it is no tensor or
 * damaged. */
int pt_tensor(struct tensor *t, const struct pickle *value, const char *name, struct pt_storage *s, struct arena *a,
              struct err *e);
/* Sets t's shape from a tuple of sizes or a torch.Size; false if p is neither or has too many axes. */
bool pt_sizes(const struct pickle *p, struct tensor *t);

/* Whether a value is a NumPy array (pt_numpy.c). */
bool pt_is_array(const struct pickle *value);
/* A number of NumPy's own types, pickled outside an array; pt_array reads it as an array without axes. */
bool pt_is_number(const struct pickle *value);
struct pt_bytes {
    struct str bytes; /* as stored in the pickle */
    uint64_t size;    /* size of the array in bytes */
    bool latin;       /* each byte is a Latin-1 character encoded in UTF-8 */
};
/* Interprets a pickled array: type, shape and strides, t->offset 0; `type` receives NumPy's type descriptor; an
 * unsupported type leaves t->dtype unknown. */
int pt_array(struct tensor *t, const struct pickle *value, const char *name, struct pt_bytes *b, struct buf *type,
             struct err *e);
/* Checks that the text decodes to exactly b->size bytes: -1 if not. Reads all of it. */
int pt_array_whole(const struct pt_bytes *b, const char *name, struct err *e);
/* Whether these first bytes of a file, PT_OBJECTS_HEAD or all of a shorter one, are the header of an .npy whose
 * elements are objects (numpy.save of a dictionary); *at: where the pickle of its array begins. */
#define PT_OBJECTS_HEAD (4096 + 12)
bool pt_objects_head(struct str head, uint64_t *at);
/* The elements of a pickled array of objects: its only one, or the list of several; of any
 * other value the value itself. */
const struct pickle *pt_objects(const struct pickle *root);
/* Decodes Latin-1 text in UTF-8 to bytes in place; returns their number. */
size_t pt_latin(char *bytes, size_t n);
/* Reads a storage tuple ('storage', <type>, key, device, count), without `first`; false if p is none. */
bool pt_storage_of(const struct pickle *p, struct pt_storage *s);

#endif

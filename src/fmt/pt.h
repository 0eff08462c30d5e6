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
    enum dtype dtype; /* of the storage; unknown for untyped ones, which are counted in bytes, and quantised ones */
    unsigned width;   /* bytes each of `count` takes; 0 for storages that are not known */
    struct str type;  /* what the elements are called */
};
/* 0; 1 for a tensor that is known and not read (quantised, sparse, of a type without a place in dtype.h): s->type says
 * what it is, in `a`; t has its shape where one is told, and no type. -1 for what is not a tensor or damaged. */
int pt_tensor(struct tensor *t, const struct pickle *value, const char *name, struct pt_storage *s, struct arena *a,
              struct err *e);
/* A tuple of sizes, bare or as torch.Size, becomes t's shape; false where it is none, or has too many axes. */
bool pt_sizes(const struct pickle *p, struct tensor *t);

/* Whether a value is an array of NumPy's (pt_numpy.c). */
bool pt_is_array(const struct pickle *value);
struct pt_bytes {
    struct str bytes; /* as they stand in the pickle */
    uint64_t size;    /* of the array's bytes */
    bool latin;       /* each is a character of Latin-1, written in UTF-8 */
};
/* Such a value's type, shape and strides, t->offset 0; `type` gets the type as NumPy spells it, and t->dtype is unknown
 * where it is not read. */
int pt_array(struct tensor *t, const struct pickle *value, const char *name, struct pt_bytes *b, struct buf *type,
             struct err *e);
/* Whether text stands for as many bytes: -1 where it does not. Goes through all of it. */
int pt_array_whole(const struct pt_bytes *b, const char *name, struct err *e);
/* Makes the bytes of Latin-1 text in place; how many they are. */
size_t pt_latin(char *bytes, size_t n);
/* The storage ('storage', <type>, key, device, count), without `first`; false when p is none. */
bool pt_storage_of(const struct pickle *p, struct pt_storage *s);

#endif

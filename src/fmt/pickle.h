/* Reads Python pickles as inert data. Nothing is imported, called or built: a global is a leaf with a name, a call is
 * a node with the callable and its arguments. Callers that know a callable (torch's tensor rebuilders) interpret the
 * node; to others it is opaque. */
#ifndef FMT_PICKLE_H
#define FMT_PICKLE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

enum pickle_kind {
    PICKLE_NONE,
    PICKLE_BOOL,
    PICKLE_INT,
    PICKLE_FLOAT,
    PICKLE_TEXT,
    PICKLE_BYTES,
    PICKLE_TUPLE, /* and list, set: items */
    PICKLE_LIST,
    PICKLE_DICT,   /* items alternate key, value */
    PICKLE_GLOBAL, /* text is "module name" */
    PICKLE_CALL,   /* items[0] the callable, items[1] its arguments, items[2] the state, if any */
    PICKLE_PERSISTENT, /* items[0]: the reference to an outside object (a storage) */
};

struct pickle {
    enum pickle_kind kind;
    int64_t i; /* PICKLE_INT (saturated when larger), PICKLE_BOOL */
    double f;
    struct str text; /* of PICKLE_FLOAT its eight bytes, the first one highest; empty where it is written in digits */
    struct pickle **item;
    uint32_t n, cap;
};

/* Parses one pickle, protocols 0 to 5, with its nodes in `a`; NULL with a message that gives `name` and the byte.
 * `used` (may be NULL) receives the number of bytes including STOP. */
struct pickle *pickle_parse(struct str bytes, struct arena *a, const char *name, size_t *used,
                            struct err *e);
/* The value of a text key in a dict, or NULL. */
const struct pickle *pickle_get(const struct pickle *dict, const char *key);
/* Whether p is a global of that name ("torch._utils _rebuild_tensor_v2"). */
bool pickle_is_global(const struct pickle *p, const char *name);

#endif

/* Suggests the name that a mistyped word may mean: candidates are offered one by one. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include "base/str.h"

struct nearest {
    struct str word;     /* as typed */
    const char *name;    /* the nearest so far, as offered; NULL: none is near enough */
    size_t changes;      /* edit distance: characters left out, added or replaced, or neighbours swapped */
};

/* Near enough: a distance of at most a third of the word's length, but 1 is always allowed. Of equally near names the
 * first stays. */
void nearest_offer(struct nearest *n, const char *name);

#endif

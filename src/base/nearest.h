/* The name a mistyped word was meant to be: names are offered one after the other. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include "base/str.h"

struct nearest {
    struct str word;     /* as typed */
    const char *name;    /* the nearest so far, as offered; NULL: none is near enough */
    size_t changes;      /* characters it is away: one left out, added, exchanged, or two swapped */
};

/* Near enough: at most a third of the word's characters wrong, and at least one may be. The first of equally near ones
 * stays. */
void nearest_offer(struct nearest *n, const char *name);

#endif

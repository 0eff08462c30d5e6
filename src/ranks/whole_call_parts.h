/* Shared by the files of whole_calls.c. */
#ifndef RANKS_WHOLE_CALL_PARTS_H
#define RANKS_WHOLE_CALL_PARTS_H

#include "ranks/whole_calls.h"

/* Gives the calls of one rank their keys and adds them to the whole calls. layers: per virtual stage (`chunks` of
 * them). */
void whole_calls_name(struct whole_calls *w, uint32_t rank, const uint32_t *layers, uint32_t chunks);
void whole_calls_order(struct whole_calls *w, uint32_t chunks);
/* Longest common subsequence of two lists of names: partner[i] is the index in b for a[i], or NONE. */
void whole_calls_common(const char *const *a, size_t n, const char *const *b, size_t m, uint32_t *partner);

#endif

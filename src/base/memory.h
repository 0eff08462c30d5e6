/* One bound for the memory of this process: what is held while many recordings are compared is measured, not estimated,
 * and who holds a lot asks before it takes more. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* "2G", "500M", "64K", with or without B; or bytes. False where it is none, or 0. */
bool memory_size(struct str text, uint64_t *bytes);
/* What the machine has, or the least that its cgroups allow where that is less; 0: the system does not tell. */
uint64_t memory_allowed(void);
/* The least limit of the cgroups of `list`, as in base/cgroup.h; 0: none. */
uint64_t memory_limit(struct str list, const char *root);

/* Before threads begin. 0: none. */
void memory_bound_set(uint64_t bytes);
/* How much more may be taken: 0 if the bound is reached, UINT64_MAX where there is none. What was freed before does
 * not count. */
uint64_t memory_left(void);
/* Sets an error (`of` exceeds the memory bound; how to raise it) and returns -1. */
int memory_short(struct err *e, const char *of);

#endif

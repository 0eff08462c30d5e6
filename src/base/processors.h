/* How many processors this process may use: large shared machines limit it by affinity and by quota. */
#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

#include "base/str.h"

/* The processors of its affinity mask, at most those of its quota; at least 1. */
int processors_usable(void);

/* The smallest CPU quota, in processors and rounded up, of the cgroups in `list` (the text of /proc/self/cgroup) and
 * their ancestors, in the formats of cgroup v1 and v2 below `root` (/sys/fs/cgroup); 0: none. */
int processors_quota(struct str list, const char *root);

#endif

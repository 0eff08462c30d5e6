/* How many processors this process may use: machines with 192 of them are shared by affinity and by quota. */
#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

#include "base/str.h"

/* Those its affinity names, no more than its quota pays for; at least 1. */
int processors_usable(void);

/* The least quota, in processors and rounded up, of the cgroups that `list` names (the text of /proc/self/cgroup) and
 * of those above them, as version 1 and 2 write it below `root` (/sys/fs/cgroup); 0: none. */
int processors_quota(struct str list, const char *root);

#endif

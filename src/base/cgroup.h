/* Limits that Linux sets a group of processes, in the files of cgroups of version 1 and 2. */
#ifndef BASE_CGROUP_H
#define BASE_CGROUP_H

#include <stdint.h>

#include "base/str.h"

/* The text of a small file, below 64 KiB; these files have bytes and a size of 0. False: there is none. */
bool cgroup_file(const char *folder, const char *name, struct buf *out);
/* The least limit (0: none) of the cgroups that `list` names (the text of /proc/self/cgroup) and of those above them,
 * as version 1 (below `controller`) and 2 write it below `root` (/sys/fs/cgroup). limit: of one folder. */
uint64_t cgroup_least(struct str list, const char *root, const char *controller, uint64_t (*limit)(const char *folder));
/* Of this process's own. */
uint64_t cgroup_own_least(const char *controller, uint64_t (*limit)(const char *folder));

#endif

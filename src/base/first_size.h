/* What files had when they were first opened: one that several read in turn, and that is cut between them, gives each
 * something else, and all together a result that is of no file there ever was. */
#ifndef BASE_FIRST_SIZE_H
#define BASE_FIRST_SIZE_H

#include <stdint.h>
#include <sys/stat.h>

/* How many bytes the file had when this was first called for it; at the first time its size now. A file is its path and
 * its inode: temporary files have new names and old inodes. Any thread. */
uint64_t first_size(const char *path, const struct stat *st);

#endif

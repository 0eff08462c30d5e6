/* The sizes that files had when they were first opened. When several readers open a file in turn and it is truncated
 * between them, each would see other contents, and the combined result would belong to no state the file ever had. */
#ifndef BASE_FIRST_SIZE_H
#define BASE_FIRST_SIZE_H

#include <stdint.h>
#include <sys/stat.h>

/* The size the file had at the first call for it (at that call: its size now). A file is identified by path and
 * inode: temporary files have new names and old inodes. Thread-safe. */
uint64_t first_size(const char *path, const struct stat *st);

#endif

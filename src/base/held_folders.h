/* Folders that a thread keeps open while it opens many files of them: the system then looks up a file's name alone
 * instead of its whole path. */
#ifndef BASE_HELD_FOLDERS_H
#define BASE_HELD_FOLDERS_H

/* From here on this thread keeps the folders it opened files in, at most two, until the end. */
void held_folders_begin(void);
void held_folders_end(void);
/* The descriptor of a folder for openat, which stays this module's. -1: open the file by its path, which also says what
 * is wrong. */
int held_folder(const char *path);

#endif

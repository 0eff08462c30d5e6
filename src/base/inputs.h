/* What the program reads, so that no output is written over it: files by device and inode, however they are named, and
 * the folders of recordings with all that is below them. */
#ifndef BASE_INPUTS_H
#define BASE_INPUTS_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/str.h"

/* From here on files that are opened for reading are kept. Called once, before threads start; without it nothing is
 * kept. */
void inputs_keep(void);
/* Keeps an open file; called wherever one is opened for reading. Any thread. */
void inputs_note(const struct stat *st);
/* True: files that this thread opens are not kept, because they are looked at as outputs. Returns the previous
 * setting. */
bool inputs_pause(bool from_here);
/* A file of the program's own: no longer an input, although an earlier file had this inode. */
void inputs_forget(const struct stat *st);
/* Keeps what was named on the command line or in an investigation: a file, or a folder with all that is below it.
 * Nothing if there is none. */
void inputs_name(const char *path);
enum input_how { INPUT_NOT, INPUT_OPENED, INPUT_NAMED };
/* INPUT_OPENED: it was opened, perhaps only to find out what it is. */
enum input_how inputs_has(const struct stat *st);
/* The recording that a path lies in, or NULL; the path may be of a file that is not there yet. The text is valid until
 * the program ends. */
const char *inputs_folder_of(const char *path);
bool inputs_part(struct str name); /* "step0", "rank12": the folders a recording is made of */
/* Whether `folder` is inside `recording`, or is the folder of its steps or ranks; both resolved. */
bool inputs_belongs(struct str folder, struct str recording);

#endif

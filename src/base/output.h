/* The rule for files that a user names as outputs: never an input, never inside a recording, and no existing file that
 * this program did not write, unless that was asked for. Files that the program keeps for itself (investigations,
 * caches) are written by file_replace without it. */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

/* ours: whether this program wrote the file at `path`; force: others may be overwritten, too. Called once, before
 * threads start; without it only inputs are refused. */
void output_rules(bool (*ours)(const char *path), bool force);
/* Names the one other file that may be overwritten as if by force; NULL: none. Not while an output is written. */
void output_overwrite(const char *path);
/* 0 if an output may be written at this path, -1 with the reason. */
int output_check(const char *path, struct err *e);
/* Checks, then writes a whole file at once. */
int output_write(const char *path, struct str content, struct err *e);

#endif

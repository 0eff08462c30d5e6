/* The formats, and the recordings found below a path. */
#ifndef FMT_FIND_RECORDINGS_H
#define FMT_FIND_RECORDINGS_H

#include "dump/reader.h"

extern const struct reader *const readers[]; /* in order of detection, NULL at the end */

/* The reader of this file or folder, without its subfolders; NULL: none. */
const struct reader *find_reader(const char *path);
/* -1 if two recordings of the list have the same step and rank, of those that have this step and rank (-1: any): they
 * are not parts of one run, and e names them. Result tables and weights are no recordings of ranks. */
int place_list_check(const place_list *l, const char *path, int step, int rank, struct err *e);
/* All recordings at or below path, sorted by step and rank. 0 with an empty list if there are none. */
int find_recordings(const char *path, place_list *out, struct err *e);
/* The same; stops with ERR_CANCEL once *cancel (may be NULL) is set: the tree may be a whole disk. */
int find_recordings_until(const char *path, const atomic_bool *cancel, place_list *out, struct err *e);
/* The recordings found below each requested path, so that a tree is searched once. All zero is empty; not
 * thread-safe. */
struct found_trees {
    VEC(struct found_tree {
        char *path;
        place_list places;
        read_failures failed;
    }) trees;
};
/* Sets *out to the recordings at or below path, which t owns. Read failures are added to `failed` (may be NULL).
 * Otherwise like find_recordings_until. */
int found_trees_below(struct found_trees *t, const char *path, const atomic_bool *cancel, place_list *out,
                      read_failures *failed, struct err *e);
void found_trees_release(struct found_trees *t);
/* Whether the path is a result table with both sides of a comparison. */
bool place_list_holds_table(const char *path);

#endif

/* The formats there are, and the recordings found below a path. */
#ifndef FMT_FIND_RECORDINGS_H
#define FMT_FIND_RECORDINGS_H

#include "dump/reader.h"

extern const struct reader *const readers[]; /* in sniff order, NULL at the end */

/* The reader of this very file or folder, without looking further down; NULL: none. */
const struct reader *find_reader(const char *path);
/* All recordings at or below path, sorted by step and rank. 0 with an empty list when there is none. */
int find_recordings(const char *path, place_list *out, struct err *e);
/* The same until *cancel (may be NULL): then -1 with ERR_CANCEL. A tree may be a whole disk. */
int find_recordings_until(const char *path, const atomic_bool *cancel, place_list *out, struct err *e);
/* What was found below each path that was asked for: a tree is walked once for all that is opened of it. Zeroed is
 * empty; for one thread at a time. */
struct found_trees {
    VEC(struct found_tree {
        char *path;
        place_list places;
        read_failures failed;
    }) trees;
};
/* Sets *out to the recordings at or below path; they stay t's. What could not be read there is added to `failed` (or
 * NULL). Otherwise as find_recordings_until. */
int found_trees_below(struct found_trees *t, const char *path, const atomic_bool *cancel, place_list *out,
                      read_failures *failed, struct err *e);
void found_trees_release(struct found_trees *t);
/* Whether what lies there holds both sides of a comparison already made. */
bool place_list_holds_table(const char *path);

#endif

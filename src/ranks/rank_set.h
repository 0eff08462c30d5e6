/* The recordings of all ranks of one side and one step. */
#ifndef RANKS_RANK_SET_H
#define RANKS_RANK_SET_H

#include "dump/reader.h"

struct rank_dump {
    int rank;
    struct dump dump;
};

struct rank_set {
    const char *path; /* of the side, as given */
    int step;
    VEC(struct rank_dump *) ranks; /* by rank, ascending */
};

/* Reads those of `places` that are of this step by so many threads (0: one a processor); -1 where one of them cannot be
 * read. The list must outlive the set. */
int rank_set_load(struct rank_set *s, const char *path, const place_list *places, int step, int workers, struct err *e);
/* For who looks on: each is called after each recording, by the thread that read it; it ends early, with ERR_CANCEL,
 * where cancel is set. */
struct rank_watch {
    atomic_bool cancel;
    void (*each)(void *ctx); /* one more was read: from any thread */
    bool (*unread)(void *ctx, const struct place *p, const struct err *e); /* goes on without it: true. NULL: ends.
                                                                              In order, at the end */
    void *ctx;
};
int rank_set_load_watched(struct rank_set *s, const char *path, const place_list *places, int step, int workers,
                          struct rank_watch *w, struct err *e);
void rank_set_release(struct rank_set *s); /* a zeroed one is fine */
typedef VEC(int) rank_list;
void rank_list_add(rank_list *l, int rank); /* ascending, each once */
bool rank_list_has(const rank_list *l, int rank); /* of an ascending one */
/* Ranks below `ranks`, or named by a recorded group, that the set lacks; added. */
void rank_set_absent(const struct rank_set *s, int ranks, rank_list *out);
/* Whether every rank that a recorded group names is there, and each was read in full: only then shards can be joined,
 * and what a rank lacks means something. */
bool rank_set_is_whole(const struct rank_set *s);
/* Of all ranks, as far as they were read: their tensors may not be. */
size_t rank_set_unread_rows(const struct rank_set *s);
/* The index of a rank's recording, or NONE. */
uint32_t rank_set_find(const struct rank_set *s, int rank);

#endif

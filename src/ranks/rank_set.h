/* The recordings of all ranks of one side and one step. */
#ifndef RANKS_RANK_SET_H
#define RANKS_RANK_SET_H

#include "dump/reader.h"

struct rank_dump {
    int rank;
    struct dump dump;
};

typedef VEC(int) rank_list;

struct rank_set {
    const char *path; /* of the side, as given */
    int step;
    VEC(struct rank_dump *) ranks; /* by rank, ascending */
    rank_list others; /* that are there and need not be read */
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
/* The same of some ranks alone: the others are there and need not be read. */
int rank_set_load_some(struct rank_set *s, const char *path, const place_list *places, int step, const rank_list *some,
                       int workers, struct rank_watch *w, struct err *e);
/* One more of them; nothing where it was read. */
int rank_set_add(struct rank_set *s, const place_list *places, int rank, struct err *e);
void rank_set_release(struct rank_set *s); /* a zeroed one is fine */
void rank_list_add(rank_list *l, int rank); /* ascending, each once */
bool rank_list_has(const rank_list *l, int rank); /* of an ascending one */
/* Ranks below `ranks`, or named by a recorded group, that the set lacks; added. */
void rank_set_absent(const struct rank_set *s, int ranks, rank_list *out);
/* Whether every rank that a recorded group names is there, and each was read in full: only then shards can be joined,
 * and what a rank lacks means something. */
bool rank_set_is_whole(const struct rank_set *s);
/* What a session of one of the ranks opens: its recording as it was read for the set, not its files again. To be taken
 * back (on false) before the set is released. */
void rank_set_hand_on(const struct rank_set *s, place_list *places, bool on);
/* Of all ranks, as far as they were read: their tensors may not be. */
size_t rank_set_unread_rows(const struct rank_set *s);
/* The index of a rank's recording, or NONE. */
uint32_t rank_set_find(const struct rank_set *s, int rank);

#endif

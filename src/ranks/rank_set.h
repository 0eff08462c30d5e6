/* The recordings of all ranks of one side and one step. */
#ifndef RANKS_RANK_SET_H
#define RANKS_RANK_SET_H

#include "dump/reader.h"

struct rank_dump {
    int rank;
    struct dump dump;
    atomic_bool *held; /* per row: its file was found to be what was recorded of it; NULL: no tensors were recorded */
};

typedef VEC(int) rank_list;

struct rank_set {
    const char *path; /* of the side, as given */
    int step;
    VEC(struct rank_dump *) ranks; /* by rank, ascending */
    rank_list others; /* that are there and need not be read */
};

/* Reads the places of this step with `workers` threads (0: one per processor); -1 if one cannot be read. `places`
 * must outlive the set. */
int rank_set_load(struct rank_set *s, const char *path, const place_list *places, int step, int workers, struct err *e);
/* Watches a load: `each` is called after each recording by the thread that read it; setting cancel ends the load with
 * ERR_CANCEL. */
struct rank_watch {
    atomic_bool cancel;
    void (*each)(void *ctx); /* another rank has been read; called from any thread */
    /* called at the end for each unreadable rank, in order; true: continue without it. NULL: fail */
    bool (*unread)(void *ctx, const struct place *p, const struct err *e);
    void *ctx;
};
int rank_set_load_watched(struct rank_set *s, const char *path, const place_list *places, int step, int workers,
                          struct rank_watch *w, struct err *e);
/* The same of some ranks alone: the others are there and need not be read. */
int rank_set_load_some(struct rank_set *s, const char *path, const place_list *places, int step, const rank_list *some,
                       int workers, struct rank_watch *w, struct err *e);
/* One more of them; nothing if it was read. */
int rank_set_add(struct rank_set *s, const place_list *places, int rank, struct err *e);
void rank_set_release(struct rank_set *s); /* a zeroed set is allowed */
void rank_list_add(rank_list *l, int rank); /* keeps it ascending, each rank once */
bool rank_list_has(const rank_list *l, int rank); /* the list is ascending */
/* Adds the ranks that the set lacks: below `ranks`, or named by a recorded group. */
void rank_set_absent(const struct rank_set *s, int ranks, rank_list *out);
/* How many ranks there are by their numbers: the highest, and one for 0. */
int rank_set_numbered(const struct rank_set *s);
/* Whether every rank named by a recorded group is present, no number before the last one is left out, and all were read
 * completely: only then can shards be joined and missing ranks be reported. */
bool rank_set_is_whole(const struct rank_set *s);
/* What a session of one of the ranks opens: its recording as it was read for the set, not its files again. To be taken
 * back (on false) before the set is released. */
void rank_set_hand_on(const struct rank_set *s, place_list *places, bool on);
/* The number of rows of all ranks, as far as read, whose tensors could not be read. */
size_t rank_set_unread_rows(const struct rank_set *s);
/* The index of a rank's recording, or NONE. */
uint32_t rank_set_find(const struct rank_set *s, int rank);

#endif

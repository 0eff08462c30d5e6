/* The interface of a format: one file and one row in fmt/readers.c. A reader fills the dump's columns; it knows
 * nothing of the other side, of comparisons or of screens. */
#ifndef DUMP_READER_H
#define DUMP_READER_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/err.h"
#include "base/folder.h"
#include "base/io.h"
#include "dump/dump.h"

/* A recording found below a path: the argument of `open`. */
struct place {
    const struct reader *reader;
    name_list paths; /* one, or several where a step is recorded in parts (MindSpore's graphs, graph/ and pynative/) */
    int step, rank;  /* -1 if the folders do not say */
    bool counted;    /* the rank: by the order of processes, which may be ranks of one job or runs of their own */
    struct stretch stretch; /* of its one path, so that opening it reads none of the others */
    const void *given; /* source of recordings that are not files (dump.given), or NULL */
    const struct dump *read; /* a dump that was read already and is opened instead (dump_share), or NULL */
};
typedef VEC(struct place) place_list;
void place_list_release(place_list *l);
/* Adds a place of one path, which is copied; valid until the next is added. */
struct place *place_list_add(place_list *l, const struct reader *r, const char *path, int step, int rank);
/* Whether two numbers of steps or ranks, -1 where unknown, may be the same; of both numbers of two places. */
bool place_number_fits(int a, int b);
bool place_fits(const struct place *a, const struct place *b);
/* The number of ranks of a step; the list is sorted by step and rank. */
int place_list_ranks(const place_list *l, int step);
/* Sets what the initialised d is to read: this place, which must outlive it, with both sides of a result table. */
void place_set(struct dump *d, const struct place *p);

/* How a load is controlled. `lock` is held while the dump is appended to; NULL: nobody reads it before it is
 * complete. */
struct load {
    pthread_mutex_t *lock;
    atomic_bool cancel;
    void (*progress)(void *ctx); /* called after a batch without the lock; may be NULL */
    void *ctx;
};

struct reader {
    const char *name;  /* "msprobe": in JSON and in `diverge formats` */
    const char *title; /* one line for people */
    const char *what;  /* the files it consists of, for people */
    /* versions of the programs that write it, as far as real files or their source were examined */
    const char *versions;
    const char *unread;   /* parts of it that are skipped or refused, for people; NULL: none known */
    /* Whether this file, or this folder (without its subfolders), is one recording. NULL: never. */
    bool (*probe)(const char *path);
    bool (*probe_folder)(struct folder *f);
    /* For a file that holds several recordings: adds a place for each, with step and rank. NULL: it holds one, whose
     * step and rank follow from the folders. */
    void (*places)(const char *path, place_list *out);
    /* Fills the dump. 0 also if a part could not be read (it is then among the dump's problems), -1 if nothing could.
     */
    int (*open)(struct dump *d, struct load *load, struct err *e);
    /* calls are recorded with all arguments, not only tensors: an argument that is absent was not passed */
    bool arguments;
    bool table; /* one file holds both sides, paired and judged (result_table.h) */
    bool weights; /* a checkpoint, not a recording of a step */
    bool finite_only; /* its figures may leave out elements that are not finite */
    bool untyped; /* types of its files are not those of the values: found from these, or recorded beside text */
    bool parts; /* places of one step and rank are parts of one dump (d->parts) */
    /* Opens the row's tensor; NULL if the format stores none. Called from several threads once the dump is open. */
    int (*tensor)(const struct dump *d, uint32_t row, struct tensor *t, struct err *e);
    const char *without; /* the text for a row without a tensor file; NULL: "none was recorded" */
    void (*close)(struct dump *d); /* frees d->state; may be NULL */
};

/* Takes and releases the lock around a batch of appends; load_end then reports progress. */
void load_begin(struct load *l);
void load_end(struct load *l);
bool load_cancelled(struct load *l);

#endif

/* The contract of a format: one file and one row in fmt/readers.c. A reader fills the dump's columns and
 * knows nothing of the other side, of figures or of screens. */
#ifndef DUMP_READER_H
#define DUMP_READER_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/err.h"
#include "base/folder.h"
#include "base/io.h"
#include "dump/dump.h"

/* A recording found below a path: what `open` is called with. */
struct place {
    const struct reader *reader;
    name_list paths; /* one, or several where a step is recorded in parts (MindSpore's graphs, graph/ and pynative/) */
    int step, rank;  /* -1 when the tree does not say */
    const void *given; /* what is read where no file is (dump.given), or NULL */
    const struct dump *read; /* it was read already: this is opened instead (dump_share), or NULL */
};
typedef VEC(struct place) place_list;
void place_list_release(place_list *l);
/* How many ranks there are of a step; the list is sorted by step and rank. */
int place_list_ranks(const place_list *l, int step);
/* What d, initialised, is to read: this place, which lives as long; a result table's both sides. */
void place_set(struct dump *d, const struct place *p);

/* What the opening thread may be told meanwhile. `lock` is held while the dump is appended to; NULL: nobody looks at it
 * before it is complete. */
struct load {
    pthread_mutex_t *lock;
    atomic_bool cancel;
    void (*progress)(void *ctx); /* called after a batch, lock not held; may be NULL */
    void *ctx;
};

struct reader {
    const char *name;  /* "msprobe": in JSON and in `diverge formats` */
    const char *title; /* one line for people */
    const char *what;  /* the files it takes, for people */
    const char *versions; /* of the programs that write it, as far as real files or their source were seen */
    const char *unread;   /* what of it is passed over or refused, for people; NULL: nothing known */
    /* Whether this very file, or this very folder (without looking further down), is one recording. NULL: never one. */
    bool (*probe)(const char *path);
    bool (*probe_folder)(struct folder *f);
    /* Of a file that holds several recordings: adds a place each, with step and rank. NULL: it is one, and lies where
     * its folders say. */
    void (*places)(const char *path, place_list *out);
    /* Fills the dump; 0 also when a part could not be read (the dump's problems then say so), -1 when
     * nothing could. */
    int (*open)(struct dump *d, struct load *load, struct err *e);
    bool arguments; /* what a call is given beside tensors is recorded: what is not there was left out */
    bool table; /* both sides, paired and judged, are in the one file (result_table.h) */
    bool weights; /* a checkpoint, not a recording of a step */
    bool parts; /* places of one step and rank are parts of one dump (d->parts) */
    /* The row's tensor; NULL where a format has none. Called from several threads once open. */
    int (*tensor)(const struct dump *d, uint32_t row, struct tensor *t, struct err *e);
    const char *without; /* what is said of a row without a tensor's file; NULL: that none was recorded */
    void (*close)(struct dump *d); /* frees d->state; may be NULL */
};

/* Locks, for a batch of appends, and reports progress afterwards. */
void load_begin(struct load *l);
void load_end(struct load *l);
bool load_cancelled(struct load *l);

#endif

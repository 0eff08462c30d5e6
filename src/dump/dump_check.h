/* Problems of one side by itself, before any comparison. */
#ifndef DUMP_DUMP_CHECK_H
#define DUMP_DUMP_CHECK_H

#include "dump/dump.h"
#include "num/figures.h"

struct dump_check_problem {
    uint32_t row;     /* or NONE */
    /* "nan", "inf", "saturated", "all-zero", "constant", "damaged", "missing-file", "dtype", "unread" */
    const char *kind;
    const char *text; /* in the arena */
};

struct dump_check {
    struct arena arena;
    VEC(struct dump_check_problem) problems; /* in row order */
    size_t notes;                       /* how many of them are notes: all-zero, constant */
    size_t unread;                      /* how many are of what could not be read, and accuse nothing */
};

/* Receives the figures of each tensor as they are computed, from several threads without a lock. */
struct dump_check_post {
    void (*figures)(void *ctx, uint32_t row, const struct side_figures *f);
    void *ctx;
};

/* Reads every tensor of the dump with `workers` threads. watch counts elements; watch and post may be
 * NULL. */
void dump_check_run(struct dump_check *c, const struct dump *d, const struct kern *k, int workers,
                    struct figures_watch *watch, const struct dump_check_post *post);
/* harmless but worth knowing: all-zero, constant */
bool dump_check_is_note(const struct dump_check_problem *p);
void dump_check_release(struct dump_check *c);

#endif

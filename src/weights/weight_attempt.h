/* One pair of weights under one reading of each side: both opened, their shapes related, their values compared. */
#ifndef WEIGHTS_WEIGHT_ATTEMPT_H
#define WEIGHTS_WEIGHT_ATTEMPT_H

#include <pthread.h>

#include "weights/weight_compare.h"
#include "weights/weight_layout.h"

/* A comparison that is running; its workers share it. */
struct weights_running {
    struct weight_compare *c;
    const struct kern *k;
    struct figures_watch *watch;
    pthread_mutex_t lock; /* of the arena */
};

enum weight_relation { SHAPE_SAME, SHAPE_PADDED, SHAPE_TRANSPOSED, SHAPE_RESHAPED, SHAPE_OTHER };

struct weight_outcome {
    bool equal;
    uint64_t off, first;
    struct figures fig;
};

struct weight_attempt {
    struct weight_layout a[2];
    enum weight_relation relation;
    struct weight_outcome o;
    bool compared;
};

/* Rows of the three parts of a fused weight; where a side's own heads are unknown, from the other side's parts. */
bool weight_part_sizes(const struct weight_compare *c, const struct weight_pair *p, int s, int64_t size[3]);
/* Opens both sides under these orders and compares. 0; 1: the layout of a side is unknown; -1 on an error. Only after 0
 * it needs closing. */
int weight_attempt_open(struct weights_running *x, const struct weight_pair *p, const enum weight_order order[2],
                        const int64_t size[2][3], struct weight_attempt *y, struct err *e);
void weight_attempt_close(struct weight_attempt *y);
/* Whether the sides are equal under these orders. */
bool weight_attempt_agrees(struct weights_running *x, const struct weight_pair *p, const enum weight_order order[2],
                           const int64_t size[2][3]);
/* Compares two tensors of one shape. Equal: no element farther apart than the coarser type rounds (with --exact: than
 * nothing). */
int weight_attempt_values(struct weights_running *x, const struct tensor *t, const struct tensor *g,
                          struct weight_outcome *o, struct err *e);
/* Whether two tensors, a side of which was given another layout, are equal. */
bool weight_attempt_would_agree(struct weights_running *x, const struct tensor *t, const struct tensor *g);

#endif

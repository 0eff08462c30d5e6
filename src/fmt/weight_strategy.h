/* How MindSpore's parallel training sharded each parameter: its strategy files (strategy_ckpt_config, MindFormers'
 * strategy/ckpt_strategy_rank_N.ckpt, merge_pipeline_strategys), protobuf or JSON. */
#ifndef FMT_WEIGHT_STRATEGY_H
#define FMT_WEIGHT_STRATEGY_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "num/tensor.h"

#define STRATEGY_DEVICES 16 /* the largest number of axes of the device matrix */
#define STRATEGY_RANKS 65536

/* The layout of one parameter. Devices are numbered row by row through the device matrix; an axis of the parameter is
 * cut along some of the matrix's axes, the first of them outermost. */
struct strategy_layout {
    int devices, axes;
    int64_t device[STRATEGY_DEVICES];
    struct {
        int n, device[STRATEGY_DEVICES]; /* index into device */
    } cut[TENSOR_DIMS];
    int64_t optimizer; /* number of parts into which optimizer parallelism cuts the first axis again; 0: none */
    bool uneven;       /* cut into pieces of unequal size */
};

struct strategy {
    struct arena arena;
    struct map names; /* → index of list */
    VEC(struct strategy_layout) list;
    bool found; /* at least one file was found */
};

/* Reads the strategy files in the folder that contains the rank_N folders, beside it, and in a folder "strategy" at
 * either place; one per pipeline stage. -1 if one exists and cannot be read. */
int strategy_read(struct strategy *s, const char *path, struct err *e);
void strategy_release(struct strategy *s);

/* A parameter's layout; NULL if no file names it. */
const struct strategy_layout *strategy_of(const struct strategy *s, struct str name);

/* The grid of parts of a parameter with ndim axes, and the coordinates of a rank's part. False if the layout does not
 * fit ndim. */
bool strategy_place(const struct strategy_layout *l, int rank, int ndim, int64_t *grid, int64_t *at);

#endif

/* How MindSpore's parallel training cut each parameter: its strategy files (strategy_ckpt_config, MindFormers'
 * strategy/ckpt_strategy_rank_N.ckpt, merge_pipeline_strategys), protobuf or JSON. */
#ifndef FMT_WEIGHT_STRATEGY_H
#define FMT_WEIGHT_STRATEGY_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "num/tensor.h"

#define STRATEGY_DEVICES 16 /* axes of the matrix of devices */
#define STRATEGY_RANKS 65536

/* One parameter's. Devices are counted row by row through the matrix; an axis of the parameter is cut along some of
 * the matrix's axes, the first of them outermost. */
struct strategy_layout {
    int devices, axes;
    int64_t device[STRATEGY_DEVICES];
    struct {
        int n, device[STRATEGY_DEVICES]; /* index into device */
    } cut[TENSOR_DIMS];
    int64_t optimizer; /* into so many parts the optimizer's parallelism cuts the first axis once more; 0: none */
    bool uneven;       /* cut into pieces of other than equal sizes */
};

struct strategy {
    struct arena arena;
    struct map names; /* → index of list */
    VEC(struct strategy_layout) list;
    bool found; /* a file was there */
};

/* Reads the strategy files in the folder of the rank_N folders, beside it and in a folder "strategy" at either place;
 * of pipeline stages each its own. -1: one is there and cannot be read. */
int strategy_read(struct strategy *s, const char *path, struct err *e);
void strategy_release(struct strategy *s);

/* A parameter's layout; NULL where no file names it. */
const struct strategy_layout *strategy_of(const struct strategy *s, struct str name);

/* The parts of a parameter with ndim axes, and which one a rank holds. False where the layout is of another shape. */
bool strategy_place(const struct strategy_layout *l, int rank, int ndim, int64_t *grid, int64_t *at);

#endif

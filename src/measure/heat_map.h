/* A plane of the tensor view reduced to cells: each has the extremes of its elements (the largest |t-g|, and for each
 * side the value farthest from zero) with their places. Filled range by range in an order that reaches every cell
 * early; `read` counts the elements read. */
#ifndef MEASURE_HEAT_MAP_H
#define MEASURE_HEAT_MAP_H

#include "measure/lens_read.h"

#define HEAT_MAP_CELLS 65536 /* the most cells of a plane */

enum heat_map_kind { HEAT_MAP_ERROR, HEAT_MAP_TARGET, HEAT_MAP_GOLDEN, HEAT_MAP_KINDS };

/* The requested plane, the part of it and the cell size. */
struct heat_map_ask {
    int axis[2];             /* rows (-1: one row), columns */
    int64_t at[TENSOR_DIMS]; /* indices of the other axes; 0 in these two */
    int64_t from[2], count[2], size[2]; /* first element, number of elements, elements per cell: for rows and columns */
};

struct heat_map_cell {
    double value[HEAT_MAP_KINDS];
    uint64_t at[HEAT_MAP_KINDS]; /* logical index of that element, the first of equal ones */
    bool seen;
    /* error: non-finite and unlike the other side; sides: NaN or infinite. at[] is then the first such element */
    bool odd[HEAT_MAP_KINDS];
};

struct heat_map {
    struct heat_map_ask ask;
    int h, w;
    struct heat_map_cell *cell;     /* h × w */
    uint64_t read, numel;       /* number of elements in the part */
    double most[HEAT_MAP_KINDS];    /* the largest finite |value| so far */
    struct element_lens_plane plane;
    bool turned;                /* the plane's inner axis is the axis of rows */
    struct lens_reader reader;
    struct lens_sweep sweep;
    uint64_t at;                /* of the range that was read and is not counted yet */
    size_t n;
};

bool heat_map_same(const struct heat_map_ask *a, const struct heat_map_ask *b);
/* The request must be within the lens, which must outlive h. */
void heat_map_init(struct heat_map *h, const struct element_lens *l, const struct heat_map_ask *ask);
void heat_map_release(struct heat_map *h);
static inline bool heat_map_complete(const struct heat_map *h)
{
    return h->read == h->numel;
}
/* Processes the next range in two steps: heat_map_read changes nothing that is shown, heat_map_count does. 0, or -1
 * with e. */
int heat_map_read(struct heat_map *h, struct err *e);
void heat_map_count(struct heat_map *h);

#endif

/* A plane of the tensor view, drawn together to cells: each holds the extreme of all its elements, the largest |t-g|
 * and of either side the value farthest from zero, with where it lies. Filled stretch by stretch, in an order that
 * touches every cell early; what is not read yet is told by `read`. */
#ifndef MEASURE_HEAT_MAP_H
#define MEASURE_HEAT_MAP_H

#include "measure/lens_read.h"

#define HEAT_MAP_CELLS 65536 /* of one plane at most */

enum heat_map_kind { HEAT_MAP_ERROR, HEAT_MAP_TARGET, HEAT_MAP_GOLDEN, HEAT_MAP_KINDS };

/* Which part of which plane, in cells of which size. */
struct heat_map_ask {
    int axis[2];             /* rows (-1: one row), columns */
    int64_t at[TENSOR_DIMS]; /* of the other axes; 0 in these two */
    int64_t from[2], count[2], size[2]; /* first element, elements, elements a cell: of rows and columns */
};

struct heat_map_cell {
    double value[HEAT_MAP_KINDS];
    uint64_t at[HEAT_MAP_KINDS]; /* logical index of it, the first of equal ones */
    bool seen;
    /* error: non-finite unlike the other side; sides: NaN or infinite. at[] is the first such */
    bool odd[HEAT_MAP_KINDS];
};

struct heat_map {
    struct heat_map_ask ask;
    int h, w;
    struct heat_map_cell *cell;     /* h × w */
    uint64_t read, numel;       /* elements of the part */
    double most[HEAT_MAP_KINDS];    /* the largest finite |value| so far */
    struct element_lens_plane plane;
    bool turned;                /* the plane's inner axis is the rows' */
    struct lens_reader reader;
    struct lens_sweep sweep;
    uint64_t at;                /* of the stretch that was read and is not counted yet */
    size_t n;
};

bool heat_map_same(const struct heat_map_ask *a, const struct heat_map_ask *b);
/* The ask must lie inside the lens, which must outlive it. */
void heat_map_init(struct heat_map *h, const struct element_lens *l, const struct heat_map_ask *ask);
void heat_map_release(struct heat_map *h);
static inline bool heat_map_complete(const struct heat_map *h)
{
    return h->read == h->numel;
}
/* The next stretch: reading changes nothing that is shown, counting does. 0, or -1 with e. */
int heat_map_read(struct heat_map *h, struct err *e);
void heat_map_count(struct heat_map *h);

#endif

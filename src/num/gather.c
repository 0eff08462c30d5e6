/* Reading a column of a matrix in logical order would touch as many places in the file as the matrix has rows, again
 * and again. Instead a slab of elements is read at once: the box of indices that covers it, along the axis whose
 * elements are neighbours in storage, some rows at a time, which are then transposed. Memory is one slab whatever the
 * tensor's size. */
#include "num/gather.h"

#include <stdlib.h>

#include "base/mem.h"

#define SLAB (16u << 20)  /* bytes */
#define TILE 16           /* rows transposed together: a cache line of float32 is written */
#define PIECE 1024        /* elements of a row read at once */
#define FAR 256           /* distance of neighbours in bytes beyond which reading the data between them is wasteful */
#define AHEAD (1u << 30)  /* limit for prefetching in bytes: a box may be spread over the whole tensor */

struct box {
    int first, last;                 /* axes first … last vary; earlier ones are fixed */
    uint64_t start;                  /* storage index of its first element */
    int64_t size[TENSOR_DIMS];
    uint64_t logical[TENSOR_DIMS];   /* distance in the slab of one step along each axis */
    int near, turn;                  /* near: the axis of storage neighbours; turn: the last axis (-1: the same) */
};

static int nearest_axis(const struct tensor_walk *w, int first)
{
    int near = w->ndim - 1;
    for (int i = first; i < w->ndim; i++)
        if (w->shape[i] > 1 && w->stride[i] > 0 && (w->stride[near] == 0 || w->stride[i] < w->stride[near]))
            near = i;
    return near;
}

/* The first varying axis of a box such that whole inner axes fit the slab; *inner: elements per step of it. */
static int first_axis(const struct tensor_walk *w, uint64_t *inner)
{
    uint64_t room = SLAB / dtype_table[w->t->dtype].size;
    int k = w->ndim - 1;
    for (*inner = 1; k > 0 && *inner * (uint64_t)w->shape[k] <= room; k--)
        *inner *= (uint64_t)w->shape[k];
    return k;
}

bool gather_pays(const struct tensor_walk *w)
{
    uint64_t inner;
    int64_t stride = w->stride[nearest_axis(w, first_axis(w, &inner))];
    return stride > 0 && (uint64_t)stride <= FAR / dtype_table[w->t->dtype].size;
}

/* Chooses the box that contains element `at`. */
static void choose_box(const struct tensor_walk *w, uint64_t at, struct box *b, uint64_t *begin, uint64_t *n)
{
    uint64_t room = SLAB / dtype_table[w->t->dtype].size, inner;
    int k = first_axis(w, &inner);
    uint64_t rows = (uint64_t)w->shape[k], row = at / inner % rows, fit = room / inner;
    uint64_t take = fit < rows - row ? fit : rows - row;
    *b = (struct box){.first = k, .last = w->ndim - 1, .near = nearest_axis(w, k),
                      .start = row * (uint64_t)w->stride[k]};
    b->turn = b->near == b->last ? -1 : b->last;
    *begin = at / inner * inner;
    *n = take * inner;
    uint64_t rest = *begin / inner / rows, logical = 1;
    for (int i = k - 1; i >= 0; i--) {
        b->start += rest % (uint64_t)w->shape[i] * (uint64_t)w->stride[i];
        rest /= (uint64_t)w->shape[i];
    }
    for (int i = b->last; i >= k; i--) {
        b->size[i] = i == k ? (int64_t)take : w->shape[i];
        b->logical[i] = logical;
        logical *= (uint64_t)b->size[i];
    }
}

#define TURN(type)                                                                                 \
    for (size_t i = 0; i < n; i++)                                                                 \
        for (size_t r = 0; r < rows; r++)                                                          \
            memcpy(to + (i * to_step + r) * sizeof(type),                                          \
                   tile + r * row_bytes + i * step * sizeof(type), sizeof(type));                  \
    break

/* Transposes n elements per row, `step` apart, to places to_step apart, rows side by side. */
static void transpose_rows(unsigned char *to, uint64_t to_step, const unsigned char *tile, size_t row_bytes,
                           size_t rows, size_t n, size_t step, size_t size)
{
    switch (size) {
    case 1:
        TURN(uint8_t);
    case 2:
        TURN(uint16_t);
    case 4:
        TURN(uint32_t);
    case 8:
        TURN(uint64_t);
    default:
        for (size_t i = 0; i < n; i++)
            for (size_t r = 0; r < rows; r++)
                memcpy(to + (i * to_step + r) * size, tile + r * row_bytes + i * step * size, size);
    }
}

/* Reads one plane of the box: axes `near` and `turn`, others fixed. */
static int read_plane(struct tensor_walk *w, const struct box *b, uint64_t storage, uint64_t logical,
                      unsigned char *tile, struct err *e)
{
    size_t size = dtype_table[w->t->dtype].size, step = (size_t)w->stride[b->near];
    int64_t rows = b->turn < 0 ? 1 : b->size[b->turn];
    uint64_t between = b->turn < 0 ? 0 : (uint64_t)w->stride[b->turn];
    for (int64_t i = 0; i < b->size[b->near]; i += PIECE) {
        size_t n = b->size[b->near] - i < PIECE ? (size_t)(b->size[b->near] - i) : PIECE;
        size_t row_bytes = ((n - 1) * step + 1) * size;
        for (int64_t r = 0; r < rows; r += TILE) {
            size_t some = rows - r < TILE ? (size_t)(rows - r) : TILE;
            for (size_t k = 0; k < some; k++) {
                uint64_t at = storage + (uint64_t)i * step + ((uint64_t)r + k) * between;
                if (walk_fetch(w, w->t->offset + at * size, tile + k * row_bytes, row_bytes, e))
                    return -1;
            }
            transpose_rows(w->slab->bytes + (logical + (uint64_t)i * b->logical[b->near] + (uint64_t)r) * size,
                           b->logical[b->near], tile, row_bytes, some, n, step, size);
        }
    }
    return 0;
}

static bool next_plane(const struct box *b, int64_t index[TENSOR_DIMS])
{
    for (int i = b->last; i >= b->first; i--) {
        if (i == b->near || i == b->turn)
            continue;
        if (++index[i] < b->size[i])
            return true;
        index[i] = 0;
    }
    return false;
}

int gather_fill(struct tensor_walk *w, uint64_t at, struct err *e)
{
    size_t size = dtype_table[w->t->dtype].size;
    int64_t index[TENSOR_DIMS] = {0};
    struct box b;
    uint64_t begin, n, reach = 0;
    choose_box(w, at, &b, &begin, &n);
    if (!w->slab)
        w->slab = mem_zalloc(sizeof *w->slab);
    if (w->slab->room < n * size) {
        w->slab->room = n * size;
        w->slab->bytes = mem_resize(w->slab->bytes, w->slab->room);
    }
    w->slab->n = 0;
    for (int i = b.first; i <= b.last; i++)
        reach += (uint64_t)(b.size[i] - 1) * (uint64_t)w->stride[i];
    if (reach * size <= AHEAD)
        file_ahead(&w->t->file, w->t->offset + b.start * size, (reach + 1) * size);
    unsigned char *tile = mem_alloc(TILE * PIECE * (size_t)w->stride[b.near] * size);
    int rc = 0;
    do {
        uint64_t storage = b.start, logical = 0;
        for (int i = b.first; i <= b.last; i++) {
            storage += (uint64_t)index[i] * (uint64_t)w->stride[i];
            logical += (uint64_t)index[i] * b.logical[i];
        }
        rc = read_plane(w, &b, storage, logical, tile, e);
    } while (rc == 0 && next_plane(&b, index));
    free(tile);
    if (rc == 0) {
        w->slab->at = begin;
        w->slab->n = n;
    }
    return rc;
}

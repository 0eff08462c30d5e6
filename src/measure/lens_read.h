/* Reads planes of the tensors of a lens, range by range. */
#ifndef MEASURE_LENS_READ_H
#define MEASURE_LENS_READ_H

#include "measure/element_lens.h"

struct lens_reader {
    const struct element_lens *l;
    struct element_lens_plane p;
    struct tensor part[2];      /* shares the files of l */
    struct tensor_walk w[2];
    unsigned char *raw;
    double *v[2];               /* values of the last read */
};

void lens_read_init(struct lens_reader *r, const struct element_lens *l,
                              const struct element_lens_plane *p);
void lens_read_release(struct lens_reader *r);
/* frees cached file data; reading continues as before */
void lens_read_rest(struct lens_reader *r);
/* Reads n ≤ ELEMENT_LENS_RUN elements from index `at` of the plane. */
int lens_read(struct lens_reader *r, uint64_t at, size_t n, struct err *e);
/* Suitable read sizes for a plane: elements per read (few if each costs a page of the file), and consecutive reads
 * (many if the file is gathered a slab at a time). */
void lens_read_pace(const struct lens_reader *r, size_t *run, size_t *row);

/* Ranges of a plane, each once, in an order that soon covers all of it: rows of `row` ranges, visited with a stride. */
struct lens_sweep {
    uint64_t rows, next, stride; /* of rows */
    uint64_t done;               /* ranges */
    uint64_t numel;
    size_t run, row, in;         /* in: the next range of the row */
};

void lens_sweep_init(struct lens_sweep *s, uint64_t numel, size_t run, size_t row);
bool lens_sweep_take(struct lens_sweep *s, uint64_t *at, size_t *n); /* false: all were returned */

#endif

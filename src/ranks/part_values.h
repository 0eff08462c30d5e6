/* Rows of ranks as arrays in memory, for computations over several ranks. */
#ifndef RANKS_PART_VALUES_H
#define RANKS_PART_VALUES_H

#include "dump/dump.h"

#define PART_VALUES_MOST (1u << 24) /* the most elements of a tensor that is held */

/* All elements, row-major; the caller frees them. NULL if there is no file, it cannot be read, or it is too large. */
double *part_values(const struct dump *d, uint32_t row, uint64_t *numel);
/* The same for an open tensor; closes it. */
double *part_tensor_values(struct tensor *t, uint64_t *numel);
/* A row's elements, all of them held, or a stretch at a time read from its file. */
struct part_source {
    const struct dump *d;
    uint32_t row;
    uint64_t n; /* elements */
    double *held;
};

#define PART_STRETCH (1u << 18) /* elements read at a time of what is not held */

/* False where there is no file or it cannot be read. Nothing is held yet. */
bool part_source_open(struct part_source *s, const struct dump *d, uint32_t row);
void part_source_release(struct part_source *s); /* a zeroed one is fine */
/* Holds all elements of `count` sources where together they take no more memory than half of what is left (--memory).
 * What is computed of them is the same to the last bit either way. False where one cannot be read. */
bool part_sources_hold(struct part_source *s, size_t count);
/* Elements [from, from + n): those that are held, or read into `room`. NULL if they cannot be read. n is at most
 * PART_STRETCH, unless they are held. */
const double *part_source_at(const struct part_source *s, uint64_t from, uint64_t n, double *room);
/* How many of the next elements of what has so many to take at once: all where `held`. */
static inline uint64_t part_stretch(bool held, uint64_t left)
{
    return held || left < PART_STRETCH ? left : PART_STRETCH;
}

/* Sums over two tensors, stretch after stretch: their distance is the same to the last bit however they are cut. */
struct part_sums {
    double off, all, most; /* squares of the difference and of b where finite; the largest of both */
    double unit;           /* what elements are divided by first; 0: nothing */
    uint64_t other;        /* elements not finite in one of the two and not the same in the other */
};
void part_sums_add(struct part_sums *s, const double *a, const double *b, uint64_t n);
/* Norm of the difference over the norm of b, of what is finite; the rest counts as 0. NaN: the squares are not finite,
 * add all again with `unit` = `most`. */
double part_sums_ratio(const struct part_sums *s);

/* The distance of elements [a_from, a_from + n) of a from those of b: the norm of the difference over the norm of b; 0
 * where they are equal, infinite where an element of one is not finite and that of the other is not the same; NaN where
 * they cannot be read. */
double part_sources_distance(const struct part_source *a, uint64_t a_from, const struct part_source *b,
                             uint64_t b_from, uint64_t n);
/* The same of whole rows; infinite where they have other sizes. */
double part_rows_distance(const struct dump *a, uint32_t x, const struct dump *b, uint32_t y);
/* The same of what is in memory. */
double part_distance(const double *a, const double *b, uint64_t n);
/* The same over finite elements; others count as 0. */
double part_distance_finite(const double *a, const double *b, uint64_t n);
/* Whether they are equal as far as recorded: by checksum, or by max, min, mean and norm. */
bool part_same_figures(const struct row *a, const struct row *b);

#endif

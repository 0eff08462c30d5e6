/* Sums of a product, some rows against some columns at once: of a b in float64, in the order of the terms, and of their
 * squares. Every machine gives the same bits, with fused arithmetic or without: TILE_EXACT takes numbers whose products
 * are exact, so that nothing is rounded twice; TILE_PLAIN takes all others and fuses nothing. */
#ifndef ORACLE_PRODUCT_TILE_H
#define ORACLE_PRODUCT_TILE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { TILE_ROWS = 8, TILE_COLUMNS = 16 };

/* Laid out term by term, so that a tile reads forward. */
struct tile {
    int64_t terms;
    const double *a, *b;   /* [terms][TILE_ROWS], [terms][TILE_COLUMNS]; tile_exact: whole numbers of float32 */
    const float *a2, *b2;  /* their squares as tile_square gives them; tile_plain reads none */
    double y[TILE_ROWS][TILE_COLUMNS], s2[TILE_ROWS][TILE_COLUMNS]; /* sums of a b, of a² b² (times the scales of a2 and
                                                                       b2) */
};

void tile_exact(struct tile *t);
void tile_plain(struct tile *t);

/* What tile_exact may be, the fastest first; ends with an empty one. They give the same bits. */
struct tile_variant {
    bool (*runs)(void); /* on this machine */
    void (*run)(struct tile *t);
};
extern const struct tile_variant tile_variants[];

/* The square of v times `scale` (a power of two that brings the largest of them to 1) in 12 bits, so that products of
 * two are exact in float32. Not below 2^-62 unless v is 0: products stay normal; s errs by less than 2^-31 of the
 * largest term, upwards. */
static inline float tile_square(double v, double scale)
{
    double x = v * scale, square = x * x;
    uint64_t bits;
    memcpy(&bits, &square, sizeof bits);
    bits = (bits + ((uint64_t)1 << 40)) & ~(((uint64_t)1 << 41) - 1); /* 11 of 52 stored bits */
    memcpy(&square, &bits, sizeof square);
    square = square < 0x1p-62 ? 0x1p-62 : square;
    return (float)(v == 0 ? 0 : square);
}

#endif

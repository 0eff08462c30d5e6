/* Sums of a product for a tile of rows and columns: of a b in float64, in the order of the terms, and of their
 * squares. All machines give the same bits, with or without fused multiply-add: TILE_EXACT is for operands whose
 * products are exact, so that nothing is rounded twice; TILE_PLAIN is for all others and fuses nothing. */
#ifndef ORACLE_PRODUCT_TILE_H
#define ORACLE_PRODUCT_TILE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { TILE_ROWS = 8, TILE_COLUMNS = 16 };

/* Operands stored term by term, so that a tile is read sequentially. The sums go on from what is in them, so that the
 * terms can be given a part at a time. */
struct tile {
    int64_t terms;
    const double *a, *b;   /* [terms][TILE_ROWS], [terms][TILE_COLUMNS]; for tile_exact float32 values */
    const float *a2, *b2;  /* their squares by tile_square; not used by tile_plain */
    /* sums of a b, and of a² b² (times the scales of a2 and b2) */
    double y[TILE_ROWS][TILE_COLUMNS], s2[TILE_ROWS][TILE_COLUMNS];
};

void tile_exact(struct tile *t);
void tile_plain(struct tile *t);
/* The number of terms that tile_exact is fastest with: operands of a tile then stay in the first cache, or near it. */
int64_t tile_terms(void);

/* What decides whether operands are suitable for tile_exact. */
struct tile_look {
    double most, squares; /* the largest magnitude, and the sum of the squares */
    bool others;          /* some are no float32 values */
};

/* Looks at n operands, a multiple of TILE_ROWS. */
void tile_look(const double *v, int64_t n, struct tile_look *out);
/* tile_square of each of n operands, a multiple of TILE_ROWS. */
void tile_squares(const double *v, int64_t n, double scale, float *out);

/* Variants, the fastest first; ends with an empty one. All give the same bits. */
struct tile_variant {
    bool (*runs)(void); /* whether this machine can run it */
    void (*exact)(struct tile *t);
    void (*look)(const double *v, int64_t n, struct tile_look *out);
    void (*squares)(const double *v, int64_t n, double scale, float *out);
    int64_t terms;      /* tile_terms */
};
extern const struct tile_variant tile_variants[];

#define TILE_SQUARE_LEAST 0x1p-62
#define TILE_SQUARE_HALF (INT64_C(1) << 40)           /* half of the last bit kept */
#define TILE_SQUARE_KEPT ~((INT64_C(1) << 41) - 1)    /* 11 of 52 stored bits */

/* The square of v times `scale` (a power of two that makes the largest 1), rounded to 12 bits so that products of two
 * are exact in float32. At least 2^-62 unless v is 0, so that products stay normal; this changes s by less than 2^-31
 * of the largest term, upwards. */
static inline float tile_square(double v, double scale)
{
    double x = v * scale, square = x * x;
    int64_t bits;
    memcpy(&bits, &square, sizeof bits);
    bits = (bits + TILE_SQUARE_HALF) & TILE_SQUARE_KEPT;
    memcpy(&square, &bits, sizeof square);
    square = square < TILE_SQUARE_LEAST ? TILE_SQUARE_LEAST : square;
    return (float)(v == 0 ? 0 : square);
}

#endif

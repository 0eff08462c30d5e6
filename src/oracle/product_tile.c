/* Tiles of products with the widest vectors of the machine. */
#include "oracle/product_tile.h"

#include <string.h>

#define TILE_PICK(mask, yes, no) (TILE_F64)(((mask) & (TILE_I64)(yes)) | (~(mask) & (TILE_I64)(no)))

#if defined(__x86_64__)
#include <immintrin.h>

#define TILE_F64 tile_f64x8
#define TILE_I64 tile_i64x8
#define TILE_HALF tile_half8
#define TILE_F32 tile_f32x16
#define TILE_WIDTH 64
#define TILE_LINES 8
#define TILE_ADD64(a, b, c) (TILE_F64) _mm512_fmadd_pd(_mm512_set1_pd(a), (__m512d)(b), (__m512d)(c))
#define TILE_ADD32(a, b, c) (TILE_F32) _mm512_fmadd_ps(_mm512_set1_ps(a), (__m512)(b), (__m512)(c))
#define TILE_TARGET __attribute__((target("avx512f")))
#define TILE_NAME(what) what##_avx512
#include "oracle/product_tile_body.h"

#define TILE_F64 tile_f64x4
#define TILE_I64 tile_i64x4
#define TILE_HALF tile_half4
#define TILE_F32 tile_f32x8
#define TILE_WIDTH 32
#define TILE_LINES 4
#define TILE_ADD64(a, b, c) (TILE_F64) _mm256_fmadd_pd(_mm256_set1_pd(a), (__m256d)(b), (__m256d)(c))
#define TILE_ADD32(a, b, c) (TILE_F32) _mm256_fmadd_ps(_mm256_set1_ps(a), (__m256)(b), (__m256)(c))
#define TILE_TARGET __attribute__((target("avx2,fma")))
#define TILE_NAME(what) what##_avx2
#include "oracle/product_tile_body.h"
#endif

/* Unfused: the same bits, because the products are exact. */
#define TILE_F64 tile_f64x2
#define TILE_I64 tile_i64x2
#define TILE_HALF tile_half2
#define TILE_F32 tile_f32x4
#define TILE_WIDTH 16
#define TILE_LINES 4
#define TILE_ADD64(a, b, c) ((a) * (b) + (c))
#define TILE_ADD32(a, b, c) ((a) * (b) + (c))
#define TILE_TARGET
#define TILE_NAME(what) what##_any
#include "oracle/product_tile_body.h"

static bool runs_here(void)
{
    return true;
}

#if defined(__x86_64__)
static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f");
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

const struct tile_variant tile_variants[] = {
#if defined(__x86_64__)
    {has_avx512, exact_avx512, look_avx512, squares_avx512, 256},
    {has_avx2, exact_avx2, look_avx2, squares_avx2, 128},
#endif
    {runs_here, exact_any, look_any, squares_any, 128},
    {0},
};

static const struct tile_variant *best_variant(void)
{
    const struct tile_variant *v = tile_variants;
    while (!v->runs())
        v++;
    return v;
}

void tile_exact(struct tile *t)
{
    best_variant()->exact(t);
}

int64_t tile_terms(void)
{
    return best_variant()->terms;
}

void tile_look(const double *v, int64_t n, struct tile_look *out)
{
    best_variant()->look(v, n, out);
}

void tile_squares(const double *v, int64_t n, double scale, float *out)
{
    best_variant()->squares(v, n, scale, out);
}

void tile_plain(struct tile *t)
{
    for (int64_t k = 0; k < t->terms; k++) {
        const double *a = t->a + k * TILE_ROWS, *b = t->b + k * TILE_COLUMNS;
        for (int i = 0; i < TILE_ROWS; i++)
            for (int j = 0; j < TILE_COLUMNS; j++) {
                double p = a[i] * b[j];
                t->y[i][j] += p;
                t->s2[i][j] += p * p;
            }
    }
}

/* Squares of errors and bounds of a block of elements with the widest vectors of the machine. */
#include "oracle/error_block.h"

#include <float.h>
#include <math.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef double lanes __attribute__((vector_size(8 * ERROR_LANES), aligned(8), may_alias));
typedef int64_t lanes_whole __attribute__((vector_size(8 * ERROR_LANES), aligned(8)));

#define LANES_AT(p, i) (*(const lanes *)((p) + (i)))
#define LANES_PUT(p, i, v) (*(lanes *)((p) + (i)) = (v))
#define LANES_SIZE(v) ((lanes)((lanes_whole)(v) & INT64_MAX))
#define LANES_PICK(mask, yes, no) ((lanes)(((mask) & (lanes_whole)(yes)) | (~(mask) & (lanes_whole)(no))))
#define LANES_ANY(v) (((v)[0] | (v)[1] | (v)[2] | (v)[3]) != 0)
#define POWER_BITS (INT64_C(0x7ff) << 52) /* a number's exponent: the power of two at or below it */

#if defined(__x86_64__)
#define ERROR_TARGET __attribute__((target("avx2")))
#define ERROR_NAME block_avx2
#define ERROR_ROOT(v) ((v) = (lanes)_mm256_sqrt_pd((__m256d)(v)))
#include "oracle/error_block_body.h"
#endif

#define ERROR_TARGET
#define ERROR_NAME block_any
#define ERROR_ROOT(v)                                  \
    do                                                 \
        for (int lane = 0; lane < ERROR_LANES; lane++) \
            (v)[lane] = sqrt((v)[lane]);               \
    while (0)
#include "oracle/error_block_body.h"

static bool runs_here(void)
{
    return true;
}

#if defined(__x86_64__)
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}
#endif

const struct error_block_variant error_block_variants[] = {
#if defined(__x86_64__)
    {has_avx2, block_avx2},
#endif
    {runs_here, block_any},
    {0},
};

error_block_function *error_block_best(void)
{
    const struct error_block_variant *v = error_block_variants;
    while (!v->runs())
        v++;
    return v->compute;
}

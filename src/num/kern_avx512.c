/* Kernels for x86-64 with AVX-512: defines the instructions that kern_body.h uses; extremes of 16-bit types are found
 * without widening. */
#if defined(__x86_64__)
#include <immintrin.h>
#define KERN_MAX _mm512_max_ps
#define KERN_MIN _mm512_min_ps
#define KERN_XMAX _mm512_max_pd
#define KERN_XMIN _mm512_min_pd
#define KERN_XLESS(a, b) _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ)
#define KERN_XZERO(v) _mm512_cmp_pd_mask(v, _mm512_setzero_pd(), _CMP_EQ_OQ)
#define KERN_UMAX _mm512_max_epu32
#define KERN_UMIN _mm512_min_epu32
#define KERN_LESS(a, b) _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ)
#define KERN_ZERO(v) _mm512_cmp_ps_mask(v, _mm512_setzero_ps(), _CMP_EQ_OQ)
#define KERN_IF_ZERO(v, yes, no) _mm512_mask_blend_ps(KERN_ZERO(v), no, yes)
#define KERN_FARTHER(d, than) _mm512_range_ps(d, than, 0xb) /* of the magnitudes */
#define KERN_ANY(m) (_mm512_test_epi32_mask((__m512i)(m), (__m512i)(m)) != 0)
#define KERN_WIDE(h) _mm512_cvtepu16_epi32((__m256i)(h))
#define KERN_FMA _mm512_fmadd_ps
#define KERN_HALF(h) _mm512_cvtph_ps((__m256i)(h))
#define KERN_RAW __m512i
#define KERN_SET16(x) _mm512_set1_epi16(x)
#define KERN_SMAX16 _mm512_max_epi16
#define KERN_SMIN16 _mm512_min_epi16
#define KERN_UMAX16 _mm512_max_epu16
#define KERN_UMIN16 _mm512_min_epu16
/* +0 is the smallest unsigned pattern, -0 the smallest signed one */
#define KERN_ZERO16(umin, smin)                                                                    \
    ((_mm512_testn_epi16_mask(umin, umin) | _mm512_cmpeq_epi16_mask(smin, _mm512_set1_epi16(-0x8000))) != 0)
#define KERN_ZEROS16(x) _mm512_testn_epi16_mask(x, _mm512_set1_epi16(0x7fff))
#define KERN_EQUAL16 _mm512_cmpeq_epi16_mask
#define KERN_BOTH_SIGNS16(smax, umax) (_mm512_movepi16_mask(_mm512_andnot_si512(smax, umax)) == 0xffffffff)
#define KERN_REACH16(smax, umax, high, low)                                                       \
    ((_mm512_cmpge_epi16_mask(smax, high) | _mm512_cmpge_epu16_mask(umax, low)) != 0)
/* the maximum: the signed maximum, or if all are negative the one with the smallest magnitude */
#define KERN_HIGH16(smax, umin) _mm512_mask_blend_epi16(_mm512_movepi16_mask(smax), smax, umin)
#define KERN_LOW16(umax, umin) _mm512_mask_blend_epi16(_mm512_movepi16_mask(umax), umin, umax)
#define KERN_MAX8(a, b) ((u8)_mm512_max_epu8((__m512i)(a), (__m512i)(b)))
#define KERN_MIN8(a, b) ((u8)_mm512_min_epu8((__m512i)(a), (__m512i)(b)))
#define KERN_ABS8(x) _mm512_abs_epi8((__m512i)(x))
#define KERN_EQUAL8(a, b) _mm512_cmpeq_epi8_mask((__m512i)(a), (__m512i)(b))
#define KERN_BITS8(mask) (mask)
#define KERN_WHERE8(mask, x) _mm512_maskz_mov_epi8(mask, (__m512i)(x))
#define KERN_BUT8(mask, x) _mm512_mask_mov_epi8((__m512i)(x), mask, _mm512_setzero_si512())
#define KERN_ABOVE16(a, b) _mm512_cmpgt_epu16_mask((__m512i)(a), (__m512i)(b))
#define KERN_DOT8(sum, a, b) _mm512_dpbusd_epi32((__m512i)(sum), (__m512i)(a), (__m512i)(b))
#define KERN_NAME "avx512"
#define KERN_TAG kern_avx512
#define KERN_WIDTH 16
#define KERN_ROOM 1
#define KERN_DECODE
#include <stddef.h>

/* 32 at a time. A search finds one of 64 values; the sixth bit of a byte says which of two searches has it. Where the
 * upper 128 values are the lower ones with a sign, which is so for all but one type, two searches do. */
static void decode_f8(const unsigned char *x, size_t n, const unsigned short values[256], unsigned short *out)
{
    const __m512i sign = _mm512_set1_epi16(-0x8000), half = _mm512_set1_epi16(0x40), upper = _mm512_set1_epi16(0x80);
    __mmask32 unlike = 0;
    __m512i v[8];
    for (int i = 0; i < 8; i++)
        v[i] = _mm512_loadu_si512(values + 32 * i);
    for (int i = 0; i < 4; i++)
        unlike |= _mm512_cmpneq_epi16_mask(v[i + 4], _mm512_or_si512(v[i], sign));
    for (size_t i = 0; i < n; i += 32) {
        const __m512i at = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)(x + i)));
        const __mmask32 odd = _mm512_test_epi16_mask(at, half);
        const __m512i size = _mm512_mask_blend_epi16(odd, _mm512_permutex2var_epi16(v[0], at, v[1]),
                                                     _mm512_permutex2var_epi16(v[2], at, v[3]));
        /* size | (at << 8 & sign) */
        __m512i value = _mm512_ternarylogic_epi32(size, _mm512_slli_epi16(at, 8), sign, 0xf8);
        if (unlike) {
            const __m512i other = _mm512_mask_blend_epi16(odd, _mm512_permutex2var_epi16(v[4], at, v[5]),
                                                          _mm512_permutex2var_epi16(v[6], at, v[7]));
            value = _mm512_mask_blend_epi16(_mm512_test_epi16_mask(at, upper), size, other);
        }
        _mm512_storeu_si512(out + i, value);
    }
}

#include "num/kern_body.h"
#else
typedef int not_this_machine;
#endif

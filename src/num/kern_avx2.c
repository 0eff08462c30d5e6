/* Kernels for x86-64 with AVX2, FMA and F16C: defines the instructions that kern_body.h uses. */
#if defined(__x86_64__)
#include <immintrin.h>
#define KERN_MAX _mm256_max_ps
#define KERN_MIN _mm256_min_ps
#define KERN_XMAX _mm256_max_pd
#define KERN_XMIN _mm256_min_pd
#define KERN_UMAX _mm256_max_epu32
#define KERN_UMIN _mm256_min_epu32
#define KERN_LESS(a, b) _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ))
#define KERN_ZERO(v) _mm256_movemask_ps(_mm256_cmp_ps(v, _mm256_setzero_ps(), _CMP_EQ_OQ))
#define KERN_IF_ZERO(v, yes, no) _mm256_blendv_ps(no, yes, _mm256_cmp_ps(v, _mm256_setzero_ps(), _CMP_EQ_OQ))
#define KERN_ANY(m) (!_mm256_testz_si256((__m256i)(m), (__m256i)(m)))
#define KERN_WIDE(h) _mm256_cvtepu16_epi32((__m128i)(h))
#define KERN_FMA _mm256_fmadd_ps
#define KERN_HALF(h) _mm256_cvtph_ps((__m128i)(h))
#define KERN_MAX8(a, b) ((u8)_mm256_max_epu8((__m256i)(a), (__m256i)(b)))
#define KERN_MIN8(a, b) ((u8)_mm256_min_epu8((__m256i)(a), (__m256i)(b)))
#define KERN_ABS8(x) _mm256_abs_epi8((__m256i)(x))
#define KERN_SAD8(x) _mm256_sad_epu8((__m256i)(x), _mm256_setzero_si256())
#define KERN_BITS8(mask) (uint32_t)_mm256_movemask_epi8((__m256i)(mask))
#define KERN_DOT16(a, b) _mm256_madd_epi16((__m256i)(a), (__m256i)(b))
#define KERN_NAME "avx2"
#define KERN_TAG kern_avx2
#define KERN_WIDTH 8
#define KERN_ROOM 0
#include "num/kern_body.h"
#else
typedef int not_this_machine;
#endif

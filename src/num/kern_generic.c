/* Kernels for machines without a variant of their own: the compiler's baseline vectors, SSE2 on x86-64. */
#if !defined(__aarch64__)
#if defined(__SSE2__)
#include <emmintrin.h>
#define KERN_MAX _mm_max_ps
#define KERN_MIN _mm_min_ps
#define KERN_WIDE(h) _mm_unpacklo_epi16(_mm_cvtsi64_si128((long long)(h)), _mm_setzero_si128())
#define KERN_MAX8(a, b) ((u8)_mm_max_epu8((__m128i)(a), (__m128i)(b)))
#define KERN_MIN8(a, b) ((u8)_mm_min_epu8((__m128i)(a), (__m128i)(b)))
#define KERN_SAD8(x) _mm_sad_epu8((__m128i)(x), _mm_setzero_si128())
#define KERN_DOT16(a, b) _mm_madd_epi16((__m128i)(a), (__m128i)(b))
#define KERN_ANY(m) (_mm_movemask_epi8((__m128i)(m)) != 0)
#endif
#define KERN_NAME "generic"
#define KERN_TAG kern_generic
#define KERN_WIDTH 4
#define KERN_ROOM 0
#include "num/kern_body.h"
#else
typedef int not_this_machine;
#endif

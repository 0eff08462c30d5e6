/* For any machine: the compiler's baseline, which is SSE2 on x86-64 and NEON on aarch64. */
#if defined(__SSE2__)
#include <emmintrin.h>
#define KERN_MAX _mm_max_ps
#define KERN_MIN _mm_min_ps
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#define KERN_MAX vmaxq_f32
#define KERN_MIN vminq_f32
#endif
#define KERN_NAME "generic"
#define KERN_TAG kern_generic
#define KERN_WIDTH 4
#include "num/kern_body.h"

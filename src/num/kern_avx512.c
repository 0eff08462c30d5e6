#if defined(__x86_64__)
#include <immintrin.h>
#define KERN_MAX _mm512_max_ps
#define KERN_MIN _mm512_min_ps
#define KERN_NAME "avx512"
#define KERN_TAG kern_avx512
#define KERN_WIDTH 16
#include "num/kern_body.h"
#else
typedef int not_this_machine;
#endif

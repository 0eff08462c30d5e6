#if defined(__x86_64__)
#include <immintrin.h>
#define KERN_MAX _mm256_max_ps
#define KERN_MIN _mm256_min_ps
#define KERN_NAME "avx2"
#define KERN_TAG kern_avx2
#define KERN_WIDTH 8
#include "num/kern_body.h"
#else
typedef int not_this_machine;
#endif

/* Kernels for aarch64: defines the NEON instructions that kern_body.h uses. */
#if defined(__aarch64__)
#include <arm_neon.h>
#define KERN_MAX vmaxq_f32
#define KERN_MIN vminq_f32
#define KERN_UMAX(a, b) vmaxq_u32((uint32x4_t)(a), (uint32x4_t)(b))
#define KERN_UMIN(a, b) vminq_u32((uint32x4_t)(a), (uint32x4_t)(b))
#define KERN_ANY(m) (vmaxvq_u32((uint32x4_t)(m)) != 0)
#define KERN_WIDE(h) vmovl_u16((uint16x4_t)(h))
#define KERN_FMA(a, b, to) vfmaq_f32(to, a, b)
#define KERN_HALF(h) vcvt_f32_f16((float16x4_t)(h))
#define KERN_MAX16(a, b) ((v16)vmaxq_s16((int16x8_t)(a), (int16x8_t)(b)))
#define KERN_MIN16(a, b) ((v16)vminq_s16((int16x8_t)(a), (int16x8_t)(b)))
#define KERN_NAME "neon"
#define KERN_TAG kern_neon
#define KERN_WIDTH 4
#define KERN_ROOM 1
#include "num/kern_body.h"
#else
typedef int not_this_machine;
#endif

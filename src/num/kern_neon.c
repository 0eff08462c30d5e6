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
#define KERN_MAX8(a, b) ((u8)vmaxq_u8((uint8x16_t)(a), (uint8x16_t)(b)))
#define KERN_MIN8(a, b) ((u8)vminq_u8((uint8x16_t)(a), (uint8x16_t)(b)))
#define KERN_SAD8(x) vpaddlq_u32(vpaddlq_u16(vpaddlq_u8((uint8x16_t)(x))))
#define KERN_NAME "neon"
#define KERN_TAG kern_neon
#define KERN_WIDTH 4
#define KERN_ROOM 1
#include "num/kern_body.h"
#else
typedef int not_this_machine;
#endif

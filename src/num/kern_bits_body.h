/* Extremes and zeros of 16-bit floats on their bit patterns, two elements per 32-bit lane. Part of kern_body.h, for
 * machines where a register holds all lanes (KERN_RAW). Extremes are kept as bits over all blocks of a call and
 * converted to floats at the end. */
#define BY_BITS(type) ((type) != KERN_F32)

typedef KERN_RAW vraw;

/* The signed and the unsigned maximum, and the smallest magnitude, which is kept only if needed: to find zeros, and
 * where all values of a lane have the same sign, so that it is the other extreme. */
struct bits {
    vraw smax, umax, umin;
};

INLINE struct bits bits_start(void)
{
    return (struct bits){.smax = KERN_SET16(-0x8000), .umax = KERN_SET16(0), .umin = KERN_SET16(-1)};
}

INLINE vraw bits_load(const void *p, size_t i)
{
    vraw raw;
    memcpy(&raw, (const char *)p + 2 * i, sizeof raw);
    return raw;
}

INLINE void bits_add(struct bits *to, const struct bits *b)
{
    to->smax = KERN_SMAX16(b->smax, to->smax);
    to->umax = KERN_UMAX16(b->umax, to->umax);
    to->umin = KERN_UMIN16(b->umin, to->umin);
}

/* The smallest magnitude of a block, if it is an extreme: all values of a lane have the same sign. */
INLINE vraw bits_least(vraw smax, vraw umax, const void *x, size_t n)
{
    vraw least = KERN_SET16(-1);
    if (!KERN_BOTH_SIGNS16(smax, umax))
        for (size_t i = 0; i < n; i += 2 * W)
            least = KERN_UMIN16(bits_load(x, i), least);
    return least;
}

/* The 32-bit lanes that hold nothing but zeros, +0 and -0: no pattern above the one as a signed number, none above the
 * other as an unsigned one. */
INLINE vi bits_zeros(vraw smax, vraw umax)
{
    typedef int16_t s16 __attribute__((vector_size(4 * W)));
    typedef uint16_t u16 __attribute__((vector_size(4 * W)));
    return (vi)(((s16)smax <= 0) & (s16)((u16)umax <= 0x8000)) == -1;
}

/* Whether the largest finite value is among the extremes: of float16, or the one that `largest` gives, for which the
 * upper half of a float is enough. */
INLINE int bits_limit(vraw smax, vraw umax, enum kern_type type, float largest)
{
    uint32_t bits;
    memcpy(&bits, &largest, sizeof bits);
    const short limit = type == KERN_F16 ? 0x7bff : (short)(bits >> 16);
    return KERN_REACH16(smax, umax, KERN_SET16(limit), KERN_SET16((short)(limit - 0x8000)));
}

/* Writes the extremes to the lanes. */
INLINE void bits_end(struct kern_side *s, const struct bits *b, enum kern_type type)
{
    vraw high = KERN_HIGH16(b->smax, b->umin), low = KERN_LOW16(b->umax, b->umin);
    vf max = load_f32(s->max, 0), min = load_f32(s->min, 0);
    for (int k = 0; k < 2; k++) {
        max = larger(load_piece(type, &high, 0, 0).v[k], max);
        min = smaller(load_piece(type, &low, 0, 0).v[k], min);
    }
    memcpy(s->max, &max, sizeof max);
    memcpy(s->min, &min, sizeof min);
}

/* One-byte integers, all registers full of bytes. Part of kern_body.h. Signed bytes are shifted to unsigned ones
 * (u = x + 128): order and differences stay, and sums are shifted back at the end. All sums are exact integers and may
 * be added in any order. */
#define BYTES (4 * W)
#define BYTE_BLOCK (3 * KERN_BLOCK) /* at most 255 steps with 16 bytes in a register */

typedef uint8_t u8 __attribute__((vector_size(BYTES)));
typedef uint16_t u16 __attribute__((vector_size(BYTES)));
typedef uint64_t u64 __attribute__((vector_size(BYTES)));

#ifndef KERN_MAX8
#define KERN_MAX8(a, b) ((u8)(((a) & (u8)((a) > (b))) | ((b) & (u8)~((a) > (b)))))
#define KERN_MIN8(a, b) ((u8)(((a) & (u8)((a) < (b))) | ((b) & (u8)~((a) < (b)))))
#endif

/* Sums of neighbouring bytes, at most 8 each. */
INLINE u64 byte_sums(u8 x)
{
#ifdef KERN_SAD8
    return (u64)KERN_SAD8(x);
#else
    u16 two = ((u16)x & 0xff) + ((u16)x >> 8);
    vu four = ((vu)two & 0xffff) + ((vu)two >> 16);
    return ((u64)four & 0xffffffff) + ((u64)four >> 32);
#endif
}

/* Adds the sums of four neighbouring bytes, or of their products. With KERN_DOT8, whose second factor is signed,
 * b - 128 stands for b, and dot_end adds what is missing: 128 times the sum of a. */
#ifdef KERN_DOT8
INLINE vu sum_add(vu sum, u8 a)
{
    return (vu)KERN_DOT8(sum, a, (u8){0} + (uint8_t)1);
}

INLINE vu dot_add(vu sum, u8 a, u8 b)
{
    return (vu)KERN_DOT8(sum, a, b ^ (uint8_t)0x80);
}

INLINE vu dot_end(vu sum, vu of_a)
{
    return sum + (of_a << 7);
}
#else
INLINE vu sum_add(vu sum, u8 a)
{
    return sum + (vu)byte_sums(a);
}

INLINE vu pairs_dot(u16 a, u16 b)
{
#ifdef KERN_DOT16
    return (vu)KERN_DOT16(a, b);
#else
    const vu both = (vu)(a * b);
    return (both & 0xffff) + (both >> 16);
#endif
}

INLINE vu dot_add(vu sum, u8 a, u8 b)
{
    return sum + pairs_dot((u16)a & 0xff, (u16)b & 0xff) + pairs_dot((u16)a >> 8, (u16)b >> 8);
}

INLINE vu dot_end(vu sum, vu of_a)
{
    (void)of_a;
    return sum;
}
#endif

/* |x - 128| */
INLINE u8 from_middle(u8 x)
{
    const u8 middle = (u8){0} + (uint8_t)0x80;
#ifdef KERN_ABS8
    return (u8)KERN_ABS8(x ^ middle);
#else
    return KERN_MAX8(x, middle) - KERN_MIN8(x, middle);
#endif
}

INLINE u64 wide_sums(vu v)
{
    return ((u64)v & 0xffffffff) + ((u64)v >> 32);
}

/* Where bytes are equal: a mask of bits if the machine has such masks, otherwise bytes of ones. They are counted in a
 * mask of bits where there is an instruction for it, otherwise a count a byte, of at most 255 steps. */
#ifdef KERN_EQUAL8
typedef uint64_t byte_mask;
#define byte_equal(a, b) KERN_EQUAL8(a, b)
#define byte_where(mask, x) ((u8)KERN_WHERE8(mask, x))
#define byte_but(mask, x) ((u8)KERN_BUT8(mask, x))
#define word_above(a, b) KERN_ABOVE16(a, b)
#define some(mask) ((mask) != 0)
#else
typedef u8 byte_mask;
#define byte_equal(a, b) ((u8)((a) == (b)))
#define byte_where(mask, x) ((x) & (mask))
#define byte_but(mask, x) ((x) & ~(mask))
#define word_above(a, b) ((u8)((a) > (b)))
#define some(mask) any_lane((vi)(mask))
#endif

#ifdef KERN_BITS8
typedef uint64_t byte_count;
#define count_bytes(c, mask) ((c) += (uint64_t)__builtin_popcountll(KERN_BITS8(mask)))
#define add_count(to, c) ((to) += (c))
#else
typedef u8 byte_count;
#define count_bytes(c, mask) ((c) -= (mask))
#define add_count(to, c) ((to) += (uint64_t)whole_sum(byte_sums(c)))
#endif

INLINE uint64_t whole_sum(u64 v)
{
    uint64_t n = 0;
    for (int i = 0; i < W / 2; i++)
        n += v[i];
    return n;
}

INLINE unsigned whole_max(u8 v)
{
    unsigned most = 0;
    for (int i = 0; i < BYTES; i++)
        most = v[i] > most ? v[i] : most;
    return most;
}

/* All blocks of a call. */
struct byte_totals {
    u8 max[2], min[2];
    u8 of_zero;
    u64 sum[2], sq[2], product;
};

/* The fraction a/b of two bytes as large as error/by is a·by = b·error. */
INLINE byte_mask byte_fraction_above(u8 a, u8 b, u16 by, u16 error)
{
    const u16 even = ((u16)a & 0xff) * by, odd = ((u16)a >> 8) * by;
    return word_above(even, ((u16)b & 0xff) * error) | word_above(odd, ((u16)b >> 8) * error);
}

/* n: a multiple of BYTES, at most BYTE_BLOCK. If an error is the largest so far, absolute or relative, kern_bytes_look
 * finds the element. */
INLINE void byte_block(struct kern_bytes *s, struct byte_totals *all, const void *t, const void *g, size_t n,
                       bool is_signed)
{
    const u8 null = (u8){0} + (uint8_t)(is_signed ? 0x80 : 0);
    const u16 error = (uint16_t)s->error - (u16){0}, by = (uint16_t)s->by - (u16){0};
    byte_count zero[2] = {0}, same = {0}, near = {0};
    struct byte_totals b = *all;
    vu sum[2] = {{0}, {0}}, sq[2] = {{0}, {0}}, product = {0};
    u8 most = {0};
    byte_mask worse = {0};
    for (size_t i = 0; i < n; i += BYTES) {
        u8 x, y;
        memcpy(&x, (const char *)t + i, sizeof x);
        memcpy(&y, (const char *)g + i, sizeof y);
        x ^= null;
        y ^= null;
        const u8 e = KERN_MAX8(x, y) - KERN_MIN8(x, y);
        const byte_mask zeros[2] = {byte_equal(x, null), byte_equal(y, null)};
        const u8 size = is_signed ? from_middle(y) : y;
        for (int k = 0; k < 2; k++) {
            const u8 v = k ? y : x;
            sum[k] = sum_add(sum[k], v);
            sq[k] = dot_add(sq[k], v, v);
            b.max[k] = KERN_MAX8(v, b.max[k]);
            b.min[k] = KERN_MIN8(v, b.min[k]);
            count_bytes(zero[k], zeros[k]);
        }
        product = dot_add(product, x, y);
        count_bytes(same, byte_equal(x, y));
        if (!is_signed) /* the only error below 0.005: one of more than 200 */
            count_bytes(near, byte_equal(e | (u8)(y <= (uint8_t)200), (u8){0} + (uint8_t)1));
        most = KERN_MAX8(e, most);
        b.of_zero = KERN_MAX8(byte_where(zeros[1], e), b.of_zero);
        worse |= byte_fraction_above(byte_but(zeros[1], e), size, by, error);
    }
    for (int k = 0; k < 2; k++) {
        b.sum[k] += wide_sums(sum[k]);
        b.sq[k] += wide_sums(dot_end(sq[k], sum[k]));
        add_count(s->zero[k], zero[k]);
    }
    b.product += wide_sums(dot_end(product, sum[0]));
    add_count(s->same, same);
    add_count(s->near, near);
    *all = b;
    if (any_lane((vi)(most > (uint8_t)s->max_abs)) || some(worse))
        kern_bytes_look(s, t, g, n, is_signed);
    s->n += n;
}

INLINE void byte_run(struct kern_bytes *s, const char *t, const char *g, size_t n, bool is_signed)
{
    const int64_t shift = is_signed ? 128 : 0, count = (int64_t)n;
    struct byte_totals all = {.min = {~(u8){0}, ~(u8){0}}};
    for (size_t at = 0, part; at < n; at += part) {
        part = n - at < BYTE_BLOCK ? n - at : BYTE_BLOCK;
        byte_block(s, &all, t + at, g + at, part, is_signed);
    }
    uint64_t sq[2];
    for (int k = 0; k < 2; k++) {
        const int64_t sum = (int64_t)whole_sum(all.sum[k]);
        const int max = (int)whole_max(all.max[k]) - (int)shift, min = 255 - (int)whole_max(~all.min[k]) - (int)shift;
        sq[k] = whole_sum(all.sq[k]);
        s->sum[k] += sum - shift * count;
        s->sq[k] += sq[k] + (uint64_t)(shift * (shift * count - 2 * sum)); /* Σ(u-128)² */
        s->max[k] = max > s->max[k] ? max : s->max[k];
        s->min[k] = min < s->min[k] ? min : s->min[k];
    }
    s->se += sq[0] + sq[1] - 2 * whole_sum(all.product);
    const unsigned of_zero = whole_max(all.of_zero);
    s->of_zero = of_zero > s->of_zero ? of_zero : s->of_zero;
}

static void vector_take_bytes(struct kern_bytes *s, const void *t, const void *g, size_t n, bool is_signed)
{
    size_t whole = n - n % BYTES;
    if (whole && is_signed)
        byte_run(s, t, g, whole, true);
    else if (whole)
        byte_run(s, t, g, whole, false);
    kern_scalar.bytes(s, (const char *)t + whole, (const char *)g + whole, n - whole, is_signed);
}

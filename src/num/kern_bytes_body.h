/* One-byte integers, all registers full of bytes. Part of kern_body.h. Signed bytes are shifted to unsigned ones
 * (u = x + 128): order and differences stay, and sums are shifted back at the end. All sums are exact integers and may
 * be added in any order. */
#define BYTES (4 * W)

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

/* Σ a·b of neighbouring pairs; factors below 256. */
INLINE vu byte_products(u16 a, u16 b)
{
#ifdef KERN_DOT16
    return (vu)KERN_DOT16(a, b);
#else
    vu both = (vu)(a * b);
    return (both & 0xffff) + (both >> 16);
#endif
}

INLINE u64 wide_sums(vu v)
{
    return ((u64)v & 0xffffffff) + ((u64)v >> 32);
}

/* How many bytes are equal: bits of a mask where there is an instruction for it, or a count a byte, of at most 255
 * steps. */
#ifdef KERN_EQUAL8
typedef uint64_t byte_count;
#define count_equal(c, a, b) ((c) += (uint64_t)__builtin_popcountll(KERN_EQUAL8(a, b)))
#define add_count(to, c) ((to) += (c))
#else
typedef u8 byte_count;
#define count_equal(c, a, b) ((c) -= (u8)((a) == (b)))
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
INLINE vi above(u8 a, u8 b, u16 by, u16 error)
{
    const u16 even = ((u16)a & 0xff) * by, odd = ((u16)a >> 8) * by;
    return (vi)(even > ((u16)b & 0xff) * error) | (vi)(odd > ((u16)b >> 8) * error);
}

/* n: a multiple of BYTES, at most a block. If an error is the largest so far, absolute or relative, kern_bytes_look
 * finds the element. */
INLINE void byte_block(struct kern_bytes *s, struct byte_totals *all, const void *t, const void *g, size_t n,
                       bool is_signed)
{
    const u8 null = (u8){0} + (uint8_t)(is_signed ? 0x80 : 0);
    const u16 error = (uint16_t)s->error - (u16){0}, by = (uint16_t)s->by - (u16){0};
    byte_count zero[2] = {0}, same = {0}, near = {0};
    struct byte_totals b = *all;
    vu sq[2] = {{0}, {0}}, product = {0};
    u8 most = {0};
    vi worse = {0};
    for (size_t i = 0; i < n; i += BYTES) {
        u8 x, y;
        memcpy(&x, (const char *)t + i, sizeof x);
        memcpy(&y, (const char *)g + i, sizeof y);
        x ^= null;
        y ^= null;
        const u8 e = KERN_MAX8(x, y) - KERN_MIN8(x, y), at_zero = e & (u8)(y == null);
        const u8 size = is_signed ? KERN_MAX8(y, null) - KERN_MIN8(y, null) : y;
        const u16 even[2] = {(u16)x & 0xff, (u16)y & 0xff}, odd[2] = {(u16)x >> 8, (u16)y >> 8};
        for (int k = 0; k < 2; k++) {
            const u8 v = k ? y : x;
            b.sum[k] += byte_sums(v);
            sq[k] += byte_products(even[k], even[k]) + byte_products(odd[k], odd[k]);
            b.max[k] = KERN_MAX8(v, b.max[k]);
            b.min[k] = KERN_MIN8(v, b.min[k]);
            count_equal(zero[k], v, null);
        }
        product += byte_products(even[0], even[1]) + byte_products(odd[0], odd[1]);
        count_equal(same, x, y);
        if (!is_signed) /* the only error below 0.005: one of more than 200 */
            count_equal(near, e | (u8)(y <= (uint8_t)200), (u8){0} + (uint8_t)1);
        most = KERN_MAX8(e, most);
        b.of_zero = KERN_MAX8(at_zero, b.of_zero);
        worse |= above(e ^ at_zero, size, by, error);
    }
    for (int k = 0; k < 2; k++) {
        b.sq[k] += wide_sums(sq[k]);
        add_count(s->zero[k], zero[k]);
    }
    b.product += wide_sums(product);
    add_count(s->same, same);
    add_count(s->near, near);
    *all = b;
    if (any((vi)(most > (uint8_t)s->max_abs)) || any(worse))
        kern_bytes_look(s, t, g, n, is_signed);
    s->n += n;
}

INLINE void byte_run(struct kern_bytes *s, const char *t, const char *g, size_t n, bool is_signed)
{
    const int64_t shift = is_signed ? 128 : 0, count = (int64_t)n;
    struct byte_totals all = {.min = {~(u8){0}, ~(u8){0}}};
    for (size_t at = 0, part; at < n; at += part) {
        part = n - at < KERN_BLOCK ? n - at : KERN_BLOCK;
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

static void bytes(struct kern_bytes *s, const void *t, const void *g, size_t n, bool is_signed)
{
    size_t whole = n - n % BYTES;
    if (whole && is_signed)
        byte_run(s, t, g, whole, true);
    else if (whole)
        byte_run(s, t, g, whole, false);
    kern_scalar.bytes(s, (const char *)t + whole, (const char *)g + whole, n - whole, is_signed);
}

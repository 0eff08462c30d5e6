/* One-byte integers, widened to sixteen bits: all sums are exact integers and may be added in any order. Part of
 * kern_body.h. A block's sums cannot overflow: with 1024 elements in eight or more lanes, a lane adds at most 128
 * times 255. */
#define AT_ONCE (2 * W)

typedef int16_t v16 __attribute__((vector_size(2 * AT_ONCE)));
typedef uint16_t u16 __attribute__((vector_size(2 * AT_ONCE)));

#ifndef KERN_MAX16
#define KERN_MAX16(a, b) (((a) & ((a) > (b))) | ((b) & ~((a) > (b))))
#define KERN_MIN16(a, b) (((a) & ((a) < (b))) | ((b) & ~((a) < (b))))
#endif

/* The squares of neighbouring elements, added. */
#ifdef KERN_DOT16
#define squares(x) ((vu)KERN_DOT16(x, x))
#else
INLINE vu squares(v16 x)
{
    vu both = (vu)((u16)x * (u16)x);
    return (both & 0xffff) + (both >> 16);
}
#endif

INLINE v16 byte_load(const void *p, size_t i, bool is_signed)
{
    typedef int8_t with_sign __attribute__((vector_size(AT_ONCE)));
    typedef uint8_t without __attribute__((vector_size(AT_ONCE)));
    with_sign s;
    without u;
    if (is_signed) {
        memcpy(&s, (const char *)p + i, sizeof s);
        return __builtin_convertvector(s, v16);
    }
    memcpy(&u, (const char *)p + i, sizeof u);
    return __builtin_convertvector(u, v16);
}

INLINE int64_t whole_sum(v16 v)
{
    int64_t n = 0;
    for (int i = 0; i < AT_ONCE; i++)
        n += v[i];
    return n;
}

INLINE uint64_t whole_squares(vu v)
{
    uint64_t n = 0;
    for (int i = 0; i < W; i++)
        n += v[i];
    return n;
}

INLINE int whole_max(v16 v)
{
    int most = v[0];
    for (int i = 1; i < AT_ONCE; i++)
        most = v[i] > most ? v[i] : most;
    return most;
}

INLINE int whole_min(v16 v)
{
    int least = v[0];
    for (int i = 1; i < AT_ONCE; i++)
        least = v[i] < least ? v[i] : least;
    return least;
}

struct byte_side {
    v16 sum, zero, max, min;
    vu sq;
};

INLINE struct byte_side byte_start(v16 x)
{
    return (struct byte_side){.sum = {0}, .max = x, .min = x};
}

INLINE void byte_add(struct byte_side *s, v16 x)
{
    s->sum += x;
    s->sq += squares(x);
    s->zero -= x == 0;
    s->max = KERN_MAX16(x, s->max);
    s->min = KERN_MIN16(x, s->min);
}

INLINE void byte_end(struct kern_bytes *s, int side, const struct byte_side *x)
{
    int max = whole_max(x->max), min = whole_min(x->min);
    s->sum[side] += whole_sum(x->sum);
    s->sq[side] += whole_squares(x->sq);
    s->zero[side] += (uint64_t)whole_sum(x->zero);
    s->max[side] = max > s->max[side] ? max : s->max[side];
    s->min[side] = min < s->min[side] ? min : s->min[side];
}

/* n: a multiple of AT_ONCE, at most a block. If an error is the largest so far, absolute or relative, kern_bytes_look
 * finds the element. */
INLINE void byte_block(struct kern_bytes *s, const void *t, const void *g, size_t n, bool is_signed)
{
    const u16 error = (uint16_t)s->error - (u16){0}, by = (uint16_t)s->by - (u16){0};
    struct byte_side a = byte_start(byte_load(t, 0, is_signed)), b = byte_start(byte_load(g, 0, is_signed));
    v16 same = {0}, near = {0}, most = {0}, of_zero = {0};
    vu se = {0};
    u16 worse = {0};
    for (size_t i = 0; i < n; i += AT_ONCE) {
        v16 x = byte_load(t, i, is_signed), y = byte_load(g, i, is_signed), d = x - y, e = KERN_MAX16(d, -d);
        v16 size = is_signed ? KERN_MAX16(y, -y) : y;
        if (!is_signed)
            near -= (e == 1) & (y > 200);
        byte_add(&a, x);
        byte_add(&b, y);
        se += squares(d);
        same -= d == 0;
        most = KERN_MAX16(e, most);
        of_zero = KERN_MAX16(e & (y == 0), of_zero);
        worse |= (u16)((u16)e * by > (u16)size * error) & (u16)(y != 0);
    }
    byte_end(s, 0, &a);
    byte_end(s, 1, &b);
    s->se += whole_squares(se);
    s->same += (uint64_t)whole_sum(same);
    s->near += (uint64_t)whole_sum(near);
    unsigned largest = (unsigned)whole_max(most), by_zero = (unsigned)whole_max(of_zero);
    s->of_zero = by_zero > s->of_zero ? by_zero : s->of_zero;
    if (largest > s->max_abs || any((vi)worse))
        kern_bytes_look(s, t, g, n, is_signed);
    s->n += n;
}

static void bytes(struct kern_bytes *s, const void *t, const void *g, size_t n, bool is_signed)
{
    size_t whole = n - n % AT_ONCE;
    if (whole && is_signed)
        byte_block(s, t, g, whole, true);
    else if (whole)
        byte_block(s, t, g, whole, false);
    kern_scalar.bytes(s, (const char *)t + whole, (const char *)g + whole, n - whole, is_signed);
}

/* The one text all vector variants are compiled from. The including file gives
 *   KERN_NAME, KERN_TAG, KERN_WIDTH   the floats one register holds
 *   KERN_ROOM                         1: the registers hold all sums of a pass; 0: they are made in two
 * and, where the machine has them, KERN_MAX, KERN_MIN (floats), KERN_UMAX, KERN_UMIN (unsigned), KERN_ANY (of a
 * mask), KERN_LESS and KERN_ZERO (a bit an element), KERN_IF_ZERO, KERN_WIDE (16 bits to 32) and KERN_HALF (float16 to
 * float32).
 *
 * A block's lanes are worked on KERN_WIDTH at a time, so that the sums of a pass stay in registers (the
 * block itself stays in the first cache). Magnitudes are compared as integers, which more of a core's units
 * can do. Most blocks hold no zero, and what zeros need costs a fifth of the time: it is done over, in the
 * careful way, for blocks that turn out to have them. Vectors are the GNU extension that gcc and clang
 * share. */
#include <math.h>
#include <string.h>

#include "num/kern.h"

#define L KERN_LANES
#define W KERN_WIDTH
#define PARTS (L / W)
#define WARY 16 /* blocks that are processed the careful way after one that needed it */
#define SMALLEST 0x1p-126f /* the squares of smaller values lose digits */
#define INLINE static inline __attribute__((always_inline))

typedef float vf __attribute__((vector_size(4 * W)));
typedef int32_t vi __attribute__((vector_size(4 * W)));
typedef uint32_t vu __attribute__((vector_size(4 * W)));
typedef uint16_t vh __attribute__((vector_size(2 * W)));
typedef double vd __attribute__((vector_size(8 * W)));

INLINE vf all_lanes(float x)
{
    return x - (vf){0};
}

INLINE vf lane_magnitude(vf x)
{
    return (vf)((vi)x & 0x7fffffff);
}

INLINE vf pick_lanes(vi mask, vf yes, vf no)
{
    return (vf)((mask & (vi)yes) | (~mask & (vi)no));
}

/* With NaN these may differ between machines: such a block is not used. */
#ifdef KERN_MAX
#define larger(x, than) ((vf)KERN_MAX(x, than))
#define smaller(x, than) ((vf)KERN_MIN(x, than))
#else
#define larger(x, than) pick_lanes((x) > (than), x, than)
#define smaller(x, than) pick_lanes((x) < (than), x, than)
#endif

/* For non-negative values compared by their bits: a NaN of either sign is the largest. */
#ifdef KERN_UMAX
#define higher(x, than) ((vf)KERN_UMAX((vbits)(x), (vbits)(than)))
#define lower(x, than) ((vf)KERN_UMIN((vbits)(x), (vbits)(than)))
#else
#define higher(x, than) pick_lanes((vi)((vu)(x) > (vu)(than)), x, than)
#define lower(x, than) pick_lanes((vi)((vu)(x) < (vu)(than)), x, than)
#endif
/* The larger of |d| and a non-negative value; e is |d|. */
#ifdef KERN_FARTHER
#define farther(d, e, than) ((vf)KERN_FARTHER(d, than))
#else
#define farther(d, e, than) higher(e, than)
#endif
#if KERN_WIDTH == 16 && defined(KERN_UMAX)
typedef __m512i vbits;
#elif KERN_WIDTH == 8 && defined(KERN_UMAX)
typedef __m256i vbits;
#else
typedef vu vbits;
#endif

INLINE bool any_lane(vi mask)
{
#ifdef KERN_ANY
    return KERN_ANY(mask);
#else
    int32_t lane[W], bits = 0;
    memcpy(lane, &mask, sizeof lane);
    for (int i = 0; i < W; i++)
        bits |= lane[i];
    return bits != 0;
#endif
}

INLINE uint64_t add_lane_counts(vi v)
{
    int32_t lane[W], s = 0;
    memcpy(lane, &v, sizeof lane);
    for (int i = 0; i < W; i++)
        s += lane[i];
    return (uint64_t)s;
}

/* A count of elements: by popcount of mask bits if the machine has such masks, otherwise per lane. */
#ifdef KERN_LESS
typedef uint64_t tally;
#define count_less(t, a, b) ((t) += (unsigned)__builtin_popcount((unsigned)KERN_LESS(a, b)))
#define count_zeros(t, v) ((t) += (unsigned)__builtin_popcount((unsigned)KERN_ZERO(v)))
#define counted(t) (t)
#else
typedef vi tally;
#define count_less(t, a, b) ((t) -= (a) < (b))
#define count_zeros(t, v) ((t) -= (v) == 0)
#define counted(t) add_lane_counts(t)
#endif

/* yes where v is 0, otherwise no */
#ifdef KERN_IF_ZERO
#define if_zero(v, yes, no) ((vf)KERN_IF_ZERO(v, yes, no))
#else
#define if_zero(v, yes, no) pick_lanes((v) == 0, yes, no)
#endif

/* ---- widening ---- */

#ifdef KERN_WIDE
#define WIDE(h) ((vu)KERN_WIDE(h))
#else
#define WIDE(h) __builtin_convertvector(h, vu)
#endif

INLINE vf load_f32(const void *p, size_t i)
{
    vf v;
    memcpy(&v, (const char *)p + 4 * i, sizeof v);
    return v;
}

INLINE vf load_f16(const void *p, size_t i)
{
    vh half;
    memcpy(&half, (const char *)p + 2 * i, sizeof half);
#ifdef KERN_HALF
    return (vf)KERN_HALF(half);
#else
    vu h = WIDE(half), size = (h & 0x7fff) << 13;
    vf f = (vf)size * 0x1p112f; /* rebias the exponent; subnormals become normal */
    vf odd = (vf)(size | 0x7f800000u);
    return (vf)((vu)pick_lanes((h & 0x7c00) == 0x7c00, odd, f) | (h & 0x8000) << 16);
#endif
}

INLINE vf load_bf16(const void *p, size_t i)
{
    vh half;
    memcpy(&half, (const char *)p + 2 * i, sizeof half);
    return (vf)(WIDE(half) << 16);
}

/* The unit in which a part of a block is read: W floats. For 16-bit types twice as many; for bfloat16 the even and
 * the odd elements, which need no shuffling. */
struct piece {
    vf v[2];
    vu raw; /* the same elements as 16-bit patterns */
};

INLINE int lane_vectors(enum kern_type type)
{
    return type == KERN_F32 ? 1 : 2;
}

/* The piece of part w, in the lanes that begin at element i. */
INLINE struct piece load_piece(enum kern_type type, const void *p, size_t i, int w)
{
    struct piece x;
    size_t at = i + (size_t)w * W;
    if (type == KERN_F32)
        return (struct piece){.v = {load_f32(p, at)}};
    if (type == KERN_F16) {
        memcpy(&x.raw, (const char *)p + 2 * i, sizeof x.raw); /* used if a register holds all lanes */
        x.v[0] = load_f16(p, at);
        x.v[1] = load_f16(p, at + L);
        return x;
    }
    memcpy(&x.raw, (const char *)p + 2 * (at + (size_t)w * W), sizeof x.raw);
    x.v[0] = (vf)(x.raw << 16);
    x.v[1] = (vf)(x.raw & 0xffff0000u);
    return x;
}

INLINE const void *skip_elements(enum kern_type type, const void *p, size_t n)
{
    return (const char *)p + n * (type == KERN_F32 ? 4 : 2);
}

/* ---- a * b + c, rounded once ---- */

#ifdef KERN_FMA
#define fused_multiply_add(a, b, c) ((vf)KERN_FMA(a, b, c))
#elif defined(FP_FAST_FMAF)
INLINE vf fused_multiply_add(vf a, vf b, vf c)
{
    for (int i = 0; i < W; i++)
        c[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return c;
}
#else
/* In double the product is exact. The sum is rounded to odd: where it is inexact and its last bit is 0, it is moved
 * to its odd neighbour, towards the part that was lost (Knuth's two-sum gives it). Rounding that to float is as good
 * as rounding the exact sum (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums"). */
INLINE vf fused_multiply_add(vf a, vf b, vf c)
{
    typedef int64_t vl __attribute__((vector_size(8 * W)));
    const vd product = __builtin_convertvector(a, vd) * __builtin_convertvector(b, vd),
             to = __builtin_convertvector(c, vd);
    const vd sum = product + to, moved = sum - product, lost = (product - (sum - moved)) + (to - moved);
    const vl bits = (vl)sum, inexact = (lost != 0) & ((bits & 1) - 1);
    const vl odd = bits + (inexact & ((((vl)lost ^ bits) >> 63) | 1));
    return __builtin_convertvector((vd)odd, vf);
}
#endif

/* ---- a part: W lanes of a block ---- */

#ifdef KERN_RAW
#include "num/kern_bits_body.h"
#else
#define BY_BITS(type) ((void)(type), false)
struct bits {
    char none;
};
#endif

/* The state of one call: its sums, and the extremes as bits, which are not in the lanes yet. */
struct state {
    struct kern_sums *s;
    struct bits bits[2];
};

struct side_part {
    vf sum, sq, max, min;
    vf least; /* smallest magnitude, in the fast way */
    tally zero; /* in the careful way */
#ifdef KERN_RAW
    vraw smax, umax, umin; /* struct bits, as separate members so that they stay in registers */
    vraw smin;             /* if zeros are looked for */
#endif
};

struct pair_part {
    vf dg, se, max_abs, max_rel;
    tally n1, n5;
};

INLINE struct side_part side_start(void)
{
    struct side_part p = {.max = all_lanes(-INFINITY), .min = all_lanes(INFINITY), .least = all_lanes(1)};
#ifdef KERN_RAW
    p.smax = KERN_SET16(-0x8000);
    p.smin = KERN_SET16(0x7fff);
    p.umax = KERN_SET16(0);
    p.umin = KERN_SET16(-1);
#endif
    return p;
}

/* `watch`: look for zeros. Zeros of the golden side show in the division. */
INLINE void side_add(struct side_part *p, const struct piece *x, enum kern_type type, bool watch, bool careful)
{
    for (int k = 0; k < lane_vectors(type); k++) {
        vf v = x->v[k];
        p->sum += v;
        p->sq = fused_multiply_add(v, v, p->sq);
        if (!BY_BITS(type)) {
            p->max = larger(v, p->max);
            p->min = smaller(v, p->min);
        }
        if (careful && !BY_BITS(type))
            count_zeros(p->zero, v);
        else if (watch && !BY_BITS(type))
            p->least = lower(lane_magnitude(v), p->least);
    }
#ifdef KERN_RAW
    if (BY_BITS(type)) {
        if (careful)
            p->zero += (tally)__builtin_popcount(KERN_ZEROS16((vraw)x->raw));
        p->smax = KERN_SMAX16((vraw)x->raw, p->smax);
        p->umax = KERN_UMAX16((vraw)x->raw, p->umax);
        if (watch && !careful) {
            p->umin = KERN_UMIN16((vraw)x->raw, p->umin);
            p->smin = KERN_SMIN16((vraw)x->raw, p->smin);
        }
    }
#endif
}

/* Whether the relative error is below a limit. Quotients of 16-bit floats are equal to a limit or far from
 * it. Those of float32 are not, but there t-g is exact, of at most 18 bits, and so is its product with
 * 1000 (seven bits and a shift) or 200 (five); against eps the product with 200 is not, and the next
 * number after eps makes up for it. Two bfloat16s that differ do so by more than 0.0019 of either. */
INLINE void pair_add(struct pair_part *p, const struct piece *t, const struct piece *g, enum kern_type type,
                     bool careful)
{
    const bool by_equality = BY_BITS(type) && type == KERN_BF16 && !careful;
    for (int k = 0; k < lane_vectors(type); k++) {
        vf y = g->v[k], d = t->v[k] - y, e = lane_magnitude(d), size = lane_magnitude(y), size5 = size, rel;
        p->dg = fused_multiply_add(d, y, p->dg);
        p->se = fused_multiply_add(d, d, p->se);
        p->max_abs = type == KERN_F32 ? higher(e, p->max_abs) : farther(d, e, p->max_abs);
        if (careful) {
            size5 = if_zero(y, all_lanes(KERN_EPSILON * (1 + 0x1p-23f)), size);
            size = if_zero(y, all_lanes(KERN_EPSILON), size);
            y = if_zero(y, all_lanes(KERN_EPSILON), y);
        }
        rel = type == KERN_F32 ? e / size : lane_magnitude(d / y); /* equal, in fewer instructions */
        p->max_rel = higher(rel, p->max_rel);
        if (type == KERN_F32) {
            count_less(p->n1, e * 1000, size);
            count_less(p->n5, e * 200, size5);
        } else {
            if (!by_equality)
                count_less(p->n1, rel, all_lanes(0.001f));
            count_less(p->n5, rel, all_lanes(0.005f));
        }
    }
#ifdef KERN_RAW
    if (by_equality)
        p->n1 += (tally)__builtin_popcountll(KERN_EQUAL16((vraw)t->raw, (vraw)g->raw));
#endif
}

/* What is wrong with a block: masks that are all 0 if nothing is. */
struct doubts {
    vi never; /* cannot be done in float32 */
    vi again; /* has to be repeated the careful way */
};

/* The lanes that hold nothing but zeros. */
INLINE vi only_zeros(const struct side_part *p, enum kern_type type)
{
#ifdef KERN_RAW
    if (BY_BITS(type))
        return type == KERN_F16 ? p->sq == 0 : bits_zeros(p->smax, p->umax); /* a float16's square never underflows */
#endif
    (void)type;
    return (p->max == 0) & (p->min == 0);
}

INLINE void side_doubts(struct doubts *x, const struct side_part *p, enum kern_type type, bool watch, bool careful)
{
    x->never |= ~(p->sq - p->sq == 0);
    if (careful)
        x->never |= ~((p->sq >= SMALLEST) | only_zeros(p, type));
    else
        x->again |= ~((watch && !BY_BITS(type) ? smaller(p->least, p->sq) : p->sq) >= SMALLEST);
#ifdef KERN_RAW
    if (BY_BITS(type) && watch && !careful && KERN_ZERO16(p->umin, p->smin))
        x->again |= ~(vi){0};
#endif
}

INLINE void pair_doubts(struct doubts *x, const struct pair_part *p, bool careful)
{
    x->never |= ~(p->se - p->se == 0) | ~(p->dg - p->dg == 0) | ~((p->se >= SMALLEST) | (p->max_abs == 0));
    *(careful ? &x->never : &x->again) |= ~(p->max_rel < INFINITY);
}

/* The checks above for both sides at once, in fewer steps: all ones if nothing is wrong. */
INLINE vi certain_lanes(const struct side_part *t, const struct side_part *g, const struct pair_part *p,
                        enum kern_type type)
{
    vf least = smaller(t->sq, g->sq), total = t->sq + g->sq + p->se + lane_magnitude(p->dg) + p->max_rel;
    if (!BY_BITS(type))
        least = smaller(t->least, least);
    vi well = (least >= SMALLEST) & (total < INFINITY) & ((p->se >= SMALLEST) | (p->max_abs == 0));
#ifdef KERN_RAW
    if (BY_BITS(type) && KERN_ZERO16(t->umin, t->smin))
        return (vi){0};
#endif
    return well;
}

INLINE void add_wide(double *to, vf v)
{
    vd sum;
    memcpy(&sum, to, sizeof sum);
    sum += __builtin_convertvector(v, vd);
    memcpy(to, &sum, sizeof sum);
}

INLINE void side_keep(struct state *st, int side, const struct side_part *p, enum kern_type type, int w)
{
    struct kern_side *s = &st->s->side[side];
    add_wide(s->sum + w * W, p->sum);
    add_wide(s->sq + w * W, p->sq);
#ifdef KERN_RAW
    if (BY_BITS(type)) {
        bits_add(&st->bits[side], &(struct bits){p->smax, p->umax, p->umin});
        return;
    }
#endif
    (void)type;
    vf max = larger(p->max, load_f32(s->max + w * W, 0)), min = smaller(p->min, load_f32(s->min + w * W, 0));
    memcpy(s->max + w * W, &max, sizeof max);
    memcpy(s->min + w * W, &min, sizeof min);
}

INLINE void pair_keep(struct kern_sums *s, const struct pair_part *p, int w)
{
    add_wide(s->dg + w * W, p->dg);
    add_wide(s->se + w * W, p->se);
    vf max_rel = higher(p->max_rel, load_f32(s->max_rel + w * W, 0));
    memcpy(s->max_rel + w * W, &max_rel, sizeof max_rel);
    s->n1 += counted(p->n1);
    s->n5 += counted(p->n5);
}

/* If the type's largest value is among the extremes, saturated elements are counted in a second pass: most tensors
 * have none. */
INLINE void side_count(struct kern_side *s, const struct side_part part[PARTS], enum kern_type type, const void *x,
                       size_t n, bool careful)
{
    vi reached = {0};
    tally below = {0};
    for (int w = 0; w < PARTS; w++) {
#ifdef KERN_RAW
        if (BY_BITS(type))
            reached -= bits_limit(part[w].smax, part[w].umax, type, s->limit);
        else
#endif
            reached |= (part[w].max >= s->limit) | (part[w].min <= -s->limit);
        s->zero += careful ? counted(part[w].zero) : 0;
    }
    if (!any_lane(reached))
        return;
    for (size_t i = 0; i < n; i += (size_t)lane_vectors(type) * L)
        for (int w = 0; w < PARTS; w++) {
            struct piece v = load_piece(type, x, i, w);
            for (int k = 0; k < lane_vectors(type); k++)
                count_less(below, lane_magnitude(v.v[k]), all_lanes(s->limit));
        }
    s->saturated += n - counted(below);
}

INLINE vf load_plain(enum kern_type type, const void *p, size_t i)
{
    return type == KERN_F32 ? load_f32(p, i) : type == KERN_F16 ? load_f16(p, i) : load_bf16(p, i);
}

/* The largest error rose in this block: finds its value and its first element. */
INLINE void note_largest(struct kern_sums *s, const struct pair_part p[PARTS], enum kern_type type, const void *t,
                         const void *g, size_t n)
{
    float lane[W];
    for (int w = 0; w < PARTS; w++) {
        memcpy(lane, &p[w].max_abs, sizeof lane);
        for (int i = 0; i < W; i++)
            s->max_abs = lane[i] > s->max_abs ? lane[i] : s->max_abs;
    }
    for (size_t i = 0; i < n; i += W) {
        vf e = lane_magnitude(load_plain(type, t, i) - load_plain(type, g, i));
        if (!any_lane(e == s->max_abs))
            continue;
        memcpy(lane, &e, sizeof lane);
        s->max_abs_at = s->n + i;
        for (int k = 0; lane[k] != s->max_abs; k++)
            s->max_abs_at++;
        return;
    }
}

#ifndef KERN_DECODE
static void decode_f8(const unsigned char *x, size_t n, const uint16_t values[256], uint16_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = values[x[i]];
}
#endif

#include "num/kern_block_body.h"

INLINE void widen_floats(enum kern_type type, const void *x, size_t n, float *out)
{
    for (size_t i = 0; i < n; i += W) {
        vf v = load_plain(type, x, i);
        memcpy(out + i, &v, sizeof v);
    }
}

#define ADDERS(name, type, careful)                                                                \
    static __attribute__((noinline)) void add_one_##name(                                          \
        const void *t, const void *g, size_t n, int w, size_t ahead,                               \
        struct side_part *const side[2], struct pair_part *pair)                                   \
    {                                                                                              \
        (void)g;                                                                                   \
        (void)ahead;                                                                               \
        (void)pair;                                                                                \
        add_one(type, t, n, w, true, careful, side[0]);                                                  \
    }                                                                                              \
    static __attribute__((noinline)) void add_two_##name(                                          \
        const void *t, const void *g, size_t n, int w, size_t ahead,                               \
        struct side_part *const side[2], struct pair_part *pair)                                   \
    {                                                                                              \
        add_two(type, t, g, n, w, careful, ahead, side, pair);                                     \
    }

#define TAKERS(name, stored, as)                                                                   \
    static size_t one_##name(struct kern_sums *s, const void *x, size_t n)                         \
    {                                                                                              \
        return take_one_##as(s, stored, x, n);                                                     \
    }                                                                                              \
    static size_t two_##name(struct kern_sums *s, const void *t, const void *g, size_t n)          \
    {                                                                                              \
        return take_two_##as(s, stored, t, g, n);                                                  \
    }

#define FOR_TYPE(name, type)                                                                       \
    ADDERS(name##_quick, type, false)                                                              \
    ADDERS(name##_careful, type, true)                                                             \
    static void widen_##name(const void *x, size_t n, float *out)                                  \
    {                                                                                              \
        widen_floats(type, x, n, out);                                                             \
    }                                                                                              \
    static __attribute__((noinline)) size_t take_one_##name(struct kern_sums *s,                   \
        enum kern_type stored, const void *x, size_t n)                                            \
    {                                                                                              \
        return take_blocks(s, type, stored, x, NULL, n, add_one_##name##_quick, add_one_##name##_careful); \
    }                                                                                              \
    static __attribute__((noinline)) size_t take_two_##name(struct kern_sums *s,                   \
        enum kern_type stored, const void *t, const void *g, size_t n)                             \
    {                                                                                              \
        return take_blocks(s, type, stored, t, g, n, add_two_##name##_quick, add_two_##name##_careful); \
    }                                                                                              \
    TAKERS(name, type, name)

FOR_TYPE(f32, KERN_F32)
FOR_TYPE(f16, KERN_F16)
FOR_TYPE(bf16, KERN_BF16)
TAKERS(f8, KERN_F8, bf16)

#include "num/kern_exact_body.h"
#include "num/kern_bytes_body.h"

static double vector_read_sum(const float *x, size_t n)
{
    vf s[4] = {{0}, {0}, {0}, {0}};
    double sum = 0;
    for (size_t i = 0; i + 4 * W <= n; i += 4 * W)
        for (size_t k = 0; k < 4; k++)
            s[k] += load_f32(x, i + k * W);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < W; i++)
            sum += (double)s[k][i];
    return sum;
}

const struct kern KERN_TAG = {
    .name = KERN_NAME,
    .one = {one_f32, one_f16, one_bf16, one_f8},
    .two = {two_f32, two_f16, two_bf16, two_f8},
    .widen = {widen_f32, widen_f16, widen_bf16},
    .exact_one = vector_exact_one,
    .exact_two = vector_exact_two,
    .bytes = vector_take_bytes,
    .read = vector_read_sum,
};

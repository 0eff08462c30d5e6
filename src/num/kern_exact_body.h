/* Elements in double: blocks for which float32 is not sufficient, and types that do not fit it. Part of kern_body.h,
 * in KERN_EXACT lanes whatever the width. Nothing here branches on an element's value, because half the elements of a
 * mask may be infinite. Non-finite elements are counted only in blocks that contain some. */
#define XW (KERN_WIDTH / 2) /* doubles in a register */

typedef double xd __attribute__((vector_size(8 * XW)));
typedef int64_t xl __attribute__((vector_size(8 * XW)));

INLINE xd x_load(const double *p)
{
    xd v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE xd x_pick(xl mask, xd yes, xd no)
{
    return (xd)((mask & (xl)yes) | (~mask & (xl)no));
}

/* The larger (smaller) of both; `than` if one is NaN. */
#ifdef KERN_XMAX
#define x_larger(x, than) ((xd)KERN_XMAX(x, than))
#define x_smaller(x, than) ((xd)KERN_XMIN(x, than))
#else
#define x_larger(x, than) x_pick((x) > (than), x, than)
#define x_smaller(x, than) x_pick((x) < (than), x, than)
#endif

INLINE xd x_all(double x)
{
    return x - (xd){0};
}

INLINE xd x_magnitude(xd x)
{
    return (xd)((xl)x & INT64_MAX);
}

INLINE uint64_t x_count(xl v)
{
    int64_t n = 0;
    for (int i = 0; i < XW; i++)
        n += v[i];
    return (uint64_t)n;
}

INLINE void x_add(double *to, xd v)
{
    for (int i = 0; i < XW; i++)
        to[i] += v[i];
}

/* A count of elements: by popcount of mask bits if the machine has such masks, otherwise a lane. */
#ifdef KERN_XLESS
typedef uint64_t x_tally;
#define x_count_less(t, a, b) ((t) += (unsigned)__builtin_popcount((unsigned)KERN_XLESS(a, b)))
#define x_count_zeros(t, v) ((t) += (unsigned)__builtin_popcount((unsigned)KERN_XZERO(v)))
#define x_counted(t) (t)
#else
typedef xl x_tally;
#define x_count_less(t, a, b) ((t) -= (a) < (b))
#define x_count_zeros(t, v) ((t) -= (v) == 0)
#define x_counted(t) x_count(t)
#endif

struct x_side {
    xd sum, sq, max, min;
    x_tally zero;
};

INLINE struct x_side x_side_start(const struct kern_exact_side *s, size_t w)
{
    return (struct x_side){.max = x_load(s->max + w), .min = x_load(s->min + w)};
}

/* counts: v where it is finite, 0 elsewhere. */
INLINE void x_side_add(struct x_side *s, xd v, xd counts)
{
    s->sum += counts;
    s->sq += counts * counts;
    s->max = x_larger(v, s->max);
    s->min = x_smaller(v, s->min);
    x_count_zeros(s->zero, v);
}

INLINE void x_side_end(struct kern_exact_side *to, size_t w, const struct x_side *s)
{
    x_add(to->sum + w, s->sum);
    x_add(to->sq + w, s->sq);
    memcpy(to->max + w, &s->max, sizeof s->max);
    memcpy(to->min + w, &s->min, sizeof s->min);
    to->zero += x_counted(s->zero);
}

/* Whether all elements were finite and none as large as the type allows: a sum of them is not finite otherwise. */
INLINE xl x_side_plain(const struct kern_exact_side *of, const struct x_side *s)
{
    return (s->sum - s->sum == 0) & (s->max < x_all(of->limit)) & (s->min > x_all(-of->limit));
}

struct x_pair {
    xd ds, se, max_abs, max_rel;
    x_tally n1, n5;
};

INLINE struct x_pair x_pair_start(const struct kern_exact_pair *p, size_t w)
{
    return (struct x_pair){.max_abs = x_load(p->max_abs + w), .max_rel = x_load(p->max_rel + w)};
}

INLINE void x_pair_add(struct x_pair *p, xd t, xd g, double eps)
{
    xd d = t - g, e = x_magnitude(d), rel = e / x_pick(g == 0, x_all(eps), x_magnitude(g));
    p->ds += d * (t + g);
    p->se += d * d;
    p->max_abs = x_larger(e, p->max_abs);
    p->max_rel = x_larger(rel, p->max_rel);
    x_count_less(p->n1, rel, x_all(0.001));
    x_count_less(p->n5, rel, x_all(0.005));
}

/* Returns the lanes whose largest error rose. */
INLINE xl x_pair_end(struct kern_exact_pair *to, size_t w, const struct x_pair *p)
{
    xl rose = p->max_abs > x_load(to->max_abs + w);
    x_add(to->ds + w, p->ds);
    x_add(to->se + w, p->se);
    memcpy(to->max_abs + w, &p->max_abs, sizeof p->max_abs);
    memcpy(to->max_rel + w, &p->max_rel, sizeof p->max_rel);
    to->n1 += x_counted(p->n1);
    to->n5 += x_counted(p->n5);
    return rose;
}

static void side_careful(struct kern_exact_side *s, const double *x, size_t n)
{
    for (size_t w = 0; w < KERN_EXACT; w += XW) {
        struct x_side part = x_side_start(s, w);
        xl nan = {0}, pos = {0}, neg = {0}, saturated = {0};
        for (size_t i = w; i < n; i += KERN_EXACT) {
            xd v = x_load(x + i), counts = (xd)((xl)v & (v - v == 0));
            x_side_add(&part, v, counts);
            nan -= v != v;
            pos -= v == x_all(INFINITY);
            neg -= v == x_all(-INFINITY);
            saturated -= x_magnitude(counts) >= x_all(s->limit);
        }
        x_side_end(s, w, &part);
        s->nan += x_count(nan);
        s->pos_inf += x_count(pos);
        s->neg_inf += x_count(neg);
        s->saturated += x_count(saturated);
    }
}

/* Returns whether all elements are plain. */
static bool exact_side(struct kern_exact_side *s, const double *x, size_t n)
{
    struct kern_exact_side to = *s;
    xl odd = {0};
    for (size_t w = 0; w < KERN_EXACT; w += XW) {
        struct x_side part = x_side_start(&to, w);
        for (size_t i = w; i < n; i += KERN_EXACT) {
            xd v = x_load(x + i);
            x_side_add(&part, v, v);
        }
        odd |= ~x_side_plain(&to, &part);
        x_side_end(&to, w, &part);
    }
    bool plain = x_count(odd) == 0;
    if (plain)
        *s = to;
    else
        side_careful(s, x, n);
    return plain;
}

INLINE bool exact_pair_of(struct kern_exact_pair *p, const double *t, const double *g, size_t n, double eps,
                          bool careful)
{
    xl unlike = {0}, rose = {0};
    for (size_t w = 0; w < KERN_EXACT; w += XW) {
        struct x_pair part = x_pair_start(p, w);
        for (size_t i = w; i < n; i += KERN_EXACT) {
            xd a = x_load(t + i), b = x_load(g + i), x = a, y = b;
            if (careful) {
                xl finite = (a - a == 0) & (b - b == 0); /* pairs that are not finite count as zeros */
                x = (xd)((xl)a & finite);
                y = (xd)((xl)b & finite);
                unlike |= ~finite & (a != b) & ~((a != a) & (b != b));
            }
            x_pair_add(&part, x, y, eps);
        }
        rose |= x_pair_end(p, w, &part);
    }
    return x_count(unlike | rose) != 0;
}

/* Both sides and the pair in one pass, if all elements are plain; *rose: whether a lane's largest error rose. */
INLINE bool two_plain(struct kern_exact_side side[2], struct kern_exact_pair *p, const double *t, const double *g,
                      size_t n, double eps, bool *rose)
{
    xl odd = {0}, up = {0};
    struct kern_exact_side to[2] = {side[0], side[1]};
    struct kern_exact_pair pair = *p;
    for (size_t w = 0; w < KERN_EXACT; w += XW) {
        struct x_side a = x_side_start(&to[0], w), b = x_side_start(&to[1], w);
        struct x_pair both = x_pair_start(&pair, w);
        for (size_t i = w; i < n; i += KERN_EXACT) {
            xd x = x_load(t + i), y = x_load(g + i);
            x_side_add(&a, x, x);
            x_side_add(&b, y, y);
            x_pair_add(&both, x, y, eps);
        }
        odd |= ~(x_side_plain(&to[0], &a) & x_side_plain(&to[1], &b));
        x_side_end(&to[0], w, &a);
        x_side_end(&to[1], w, &b);
        up |= x_pair_end(&pair, w, &both);
    }
    if (x_count(odd))
        return false;
    side[0] = to[0];
    side[1] = to[1];
    *p = pair;
    *rose = x_count(up) != 0;
    return true;
}

static void vector_exact_one(struct kern_exact_side *s, const double *x, size_t n)
{
    exact_side(s, x, n);
}

static bool vector_exact_two(struct kern_exact_side side[2], struct kern_exact_pair *p, const double *t,
                             const double *g, size_t n, double eps)
{
    bool rose;
    if (KERN_ROOM && two_plain(side, p, t, g, n, eps, &rose))
        return rose;
    bool plain = exact_side(&side[0], t, n);
    plain &= exact_side(&side[1], g, n);
    return plain ? exact_pair_of(p, t, g, n, eps, false) : exact_pair_of(p, t, g, n, eps, true);
}

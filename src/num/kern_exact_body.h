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

/* careful: some may be non-finite or the type's largest. Returns whether all were finite. */
INLINE bool exact_side_of(struct kern_exact_side *s, const double *x, size_t n, bool careful)
{
    struct kern_exact_side was = *s;
    xd odd = {0}; /* NaN once an element is not finite */
    bool reached = false;
    for (size_t w = 0; w < KERN_EXACT; w += XW) {
        xd sum = {0}, sq = {0}, max = x_load(s->max + w), min = x_load(s->min + w), limit = x_all(s->limit);
        xl nan = {0}, pos = {0}, neg = {0}, zero = {0}, saturated = {0};
        for (size_t i = w; i < n; i += KERN_EXACT) {
            xd v = x_load(x + i), f = careful ? (xd)((xl)v & (v - v == 0)) : v;
            sum += f;
            sq += f * f;
            max = x_larger(v, max);
            min = x_smaller(v, min);
            zero -= v == 0;
            if (careful) {
                nan -= v != v;
                pos -= v == x_all(INFINITY);
                neg -= v == x_all(-INFINITY);
                saturated -= x_magnitude(f) >= limit;
            } else {
                odd += v - v;
            }
        }
        reached = reached || x_count((max >= limit) | (min <= -limit)) != 0;
        x_add(s->sum + w, sum);
        x_add(s->sq + w, sq);
        memcpy(s->max + w, &max, sizeof max);
        memcpy(s->min + w, &min, sizeof min);
        s->nan += x_count(nan);
        s->pos_inf += x_count(pos);
        s->neg_inf += x_count(neg);
        s->zero += x_count(zero);
        s->saturated += x_count(saturated);
    }
    bool finite = x_count(odd != odd) == 0;
    if (!careful && (!finite || reached))
        *s = was;
    return finite && !reached;
}

static bool exact_side(struct kern_exact_side *s, const double *x, size_t n)
{
    if (exact_side_of(s, x, n, false))
        return true;
    exact_side_of(s, x, n, true);
    return false;
}

INLINE bool exact_pair_of(struct kern_exact_pair *p, const double *t, const double *g, size_t n, double eps,
                          bool careful)
{
    xl unlike = {0};
    xl rose = {0};
    for (size_t w = 0; w < KERN_EXACT; w += XW) {
        xd ds = {0}, se = {0}, max_abs = x_load(p->max_abs + w), max_rel = x_load(p->max_rel + w), was = max_abs;
        xl n1 = {0}, n5 = {0};
        for (size_t i = w; i < n; i += KERN_EXACT) {
            xd a = x_load(t + i), b = x_load(g + i), x = a, y = b;
            if (careful) {
                xl finite = (a - a == 0) & (b - b == 0); /* pairs that are not finite count as zeros */
                x = (xd)((xl)a & finite);
                y = (xd)((xl)b & finite);
                unlike |= ~finite & (a != b) & ~((a != a) & (b != b));
            }
            xd d = x - y, e = x_magnitude(d);
            xd rel = e / x_pick(y == 0, x_all(eps), x_magnitude(y));
            ds += d * (x + y);
            se += d * d;
            max_abs = x_larger(e, max_abs);
            max_rel = x_larger(rel, max_rel);
            n1 -= rel < 0.001;
            n5 -= rel < 0.005;
        }
        rose |= max_abs > was;
        x_add(p->ds + w, ds);
        x_add(p->se + w, se);
        memcpy(p->max_abs + w, &max_abs, sizeof max_abs);
        memcpy(p->max_rel + w, &max_rel, sizeof max_rel);
        p->n1 += x_count(n1);
        p->n5 += x_count(n5);
    }
    return x_count(unlike | rose) != 0;
}

static bool exact_pair(struct kern_exact_pair *p, const double *t, const double *g, size_t n, double eps, bool finite)
{
    return finite ? exact_pair_of(p, t, g, n, eps, false) : exact_pair_of(p, t, g, n, eps, true);
}

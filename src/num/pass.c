/* Passes elements to the kernel block by block, computes in double what the kernel cannot, and adds lanes and parts
 * in a fixed order, so that every machine gives the same digits. */
#include "num/pass.h"

#include <math.h>

#define CONVERTED (4 * KERN_BLOCK) /* elements converted at a time: they stay in the first cache */

/* ---- in double ---- */

static void look_at_errors(struct totals *p, const double *t, const double *g, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n; i++) {
        double e = fabs(t[i] - g[i]);
        if (isfinite(t[i]) && isfinite(g[i])) {
            if (e > p->max_abs) {
                p->max_abs = e;
                p->max_abs_at = first + i;
            }
        } else if (t[i] != g[i] && !(isnan(t[i]) && isnan(g[i])) && !p->unlike++) {
            p->unlike_at = first + i;
        }
    }
}

/* At most a block. Unused lanes are filled with NaN, which are subtracted from the counts. */
static void exact_block(struct pass *p, const void *t, const void *g, size_t n)
{
    double wide[2][KERN_BLOCK];
    const double *x[2] = {t, g};
    size_t up = (n + KERN_EXACT - 1) / KERN_EXACT * KERN_EXACT;
    for (int s = 0; s <= p->two; s++) {
        if (p->dtype[s] != DTYPE_F64 || up != n || (uintptr_t)x[s] % sizeof *x[s]) {
            dtype_to_f64(p->dtype[s], x[s], n, wide[s]);
            for (size_t i = n; i < up; i++)
                wide[s][i] = NAN;
            x[s] = wide[s];
        }
        p->side[s].nan -= up - n;
    }
    if (p->two) {
        if (p->k->exact_two(p->side, &p->pair, x[0], x[1], up, p->eps))
            look_at_errors(&p->exact, x[0], x[1], n, p->lanes.n);
        p->pair.n1 -= up - n;
        p->pair.n5 -= up - n;
    } else {
        p->k->exact_one(&p->side[0], x[0], up);
    }
    p->exact.n += n;
    p->lanes.n += n;
}

static void take_exact(struct pass *p, const char *t, const char *g, size_t n)
{
    for (size_t part; n; n -= part) {
        part = n < KERN_BLOCK ? n : KERN_BLOCK;
        exact_block(p, t, g, part);
        t += part * dtype_table[p->dtype[0]].size;
        g = p->two ? g + part * dtype_table[p->dtype[1]].size : NULL;
    }
}

/* ---- in integers ---- */

static bool is_whole_byte(enum dtype d)
{
    return d == DTYPE_I8 || d == DTYPE_U8 || d == DTYPE_BOOL;
}

/* Booleans are 0 or 1, so they are taken as they are; a block that turns out to hold other bytes is taken again. */
static void take_booleans(struct pass *p, const char *t, const char *g, size_t n)
{
    for (size_t part; n; n -= part, t += part, g += part) {
        const struct kern_bytes before = p->whole;
        uint8_t truth[2][CONVERTED];
        part = n < CONVERTED ? n : CONVERTED;
        p->k->bytes(&p->whole, t, g, part, false);
        if (p->whole.max[0] <= 1 && p->whole.max[1] <= 1)
            continue;
        for (size_t i = 0; i < part; i++) {
            truth[0][i] = t[i] != 0;
            truth[1][i] = g[i] != 0;
        }
        p->whole = before;
        p->k->bytes(&p->whole, truth[0], truth[1], part, false);
    }
}

/* With one side only, it is also passed as the other. */
static void take_bytes(struct pass *p, const char *t, const char *g, size_t n)
{
    if (p->dtype[0] == DTYPE_BOOL)
        take_booleans(p, t, g, n);
    else
        p->k->bytes(&p->whole, t, g, n, p->dtype[0] == DTYPE_I8);
}

static void bytes_end(const struct pass *p, struct totals *out)
{
    const struct kern_bytes *b = &p->whole;
    uint64_t n = b->n - p->first;
    double relative = (double)b->error / b->by, of_zero = b->of_zero / p->eps;
    *out = (struct totals){.ds = (double)((int64_t)b->sq[0] - (int64_t)b->sq[1]), .se = (double)b->se,
        .max_abs = b->max_abs, .max_abs_at = b->max_abs_at, .max_rel = relative > of_zero ? relative : of_zero,
        .n = p->two ? n : 0, .n1 = b->same, .n5 = b->same + b->near};
    for (int s = 0; s < 2; s++)
        out->side[s] = (struct side_totals){.sum = (double)b->sum[s], .sq = (double)b->sq[s],
            .max = n ? b->max[s] : -INFINITY, .min = n ? b->min[s] : INFINITY, .n = s && !p->two ? 0 : n,
            .zero = b->zero[s]};
}

/* ---- through the lanes ---- */

static enum kern_type kern_type(enum dtype d)
{
    return d == DTYPE_F32    ? KERN_F32
           : d == DTYPE_F16  ? KERN_F16
           : d == DTYPE_BF16 ? KERN_BF16
           : dtype_halves(d) ? KERN_F8
                             : KERN_TYPES;
}

static size_t take_lanes(struct pass *p, enum kern_type k, const void *t, const void *g, size_t n)
{
    return p->two ? p->k->two[k](&p->lanes, t, g, n) : p->k->one[k](&p->lanes, t, n);
}

/* n elements as the kernel takes them (x and y) and as they are in the files (t and g). Blocks that the kernel refuses,
 * and the last elements, come from the files. */
static void take_as(struct pass *p, enum kern_type k, const char *x, const char *y, const char *t, const char *g,
                    size_t n)
{
    const size_t each = k == KERN_F32 ? 4 : k == KERN_F8 ? 1 : 2, whole = n - n % KERN_STEP;
    const size_t size[2] = {dtype_table[p->dtype[0]].size, dtype_table[p->dtype[1]].size};
    for (size_t at = 0, part; at < n; at += part) {
        if (at < whole)
            at += take_lanes(p, k, x + at * each, p->two ? y + at * each : NULL, whole - at);
        part = n - at < KERN_BLOCK ? n - at : KERN_BLOCK;
        if (at < whole && part > whole - at)
            part = whole - at;
        take_exact(p, t + at * size[0], p->two ? g + at * size[1] : NULL, part);
    }
}

/* The elements as floats: unchanged, or widened into tmp. */
static const void *as_floats(const struct pass *p, int side, const void *x, size_t n, float tmp[CONVERTED])
{
    enum kern_type k = kern_type(p->dtype[side]);
    if (k == KERN_F32)
        return x;
    if (k >= KERN_WIDENED)
        dtype_to_f32(p->dtype[side], x, n, tmp);
    else
        p->k->widen[k](x, n, tmp);
    return tmp;
}

static void take_mixed(struct pass *p, const char *t, const char *g, size_t n)
{
    float tmp[2][CONVERTED];
    const size_t size[2] = {dtype_table[p->dtype[0]].size, dtype_table[p->dtype[1]].size};
    for (size_t part; n; n -= part) {
        part = n < CONVERTED ? n : CONVERTED;
        const size_t whole = part - part % KERN_STEP;
        const void *x = as_floats(p, 0, t, whole, tmp[0]), *y = p->two ? as_floats(p, 1, g, whole, tmp[1]) : NULL;
        take_as(p, KERN_F32, x, y, t, g, part);
        t += part * size[0];
        g = p->two ? g + part * size[1] : NULL;
    }
}

/* NumPy's result type of both sides and float32, from which msprobe takes its epsilon; integers up to two bytes fit a
 * float32. */
static enum dtype eps_type(enum dtype t, enum dtype g)
{
    const enum dtype both[2] = {t, g};
    for (int s = 0; s < 2; s++)
        if (!dtype_fits_f32(both[s]) && (dtype_is_float(both[s]) || dtype_table[both[s]].size > 2))
            return DTYPE_F64;
    return DTYPE_F32;
}

void pass_start(struct pass *p, const struct kern *k, enum dtype t, enum dtype g, uint64_t first)
{
    *p = (struct pass){
        .k = k,
        .dtype = {t, g},
        .two = g != DTYPE_UNKNOWN,
        .floats = dtype_fits_f32(t) && (g == DTYPE_UNKNOWN || dtype_fits_f32(g)),
        .eps = dtype_table[eps_type(t, g == DTYPE_UNKNOWN ? t : g)].epsilon,
        .bytes = is_whole_byte(t) && (g == t || g == DTYPE_UNKNOWN),
        .first = first,
    };
    kern_bytes_start(&p->whole, first);
    for (int s = 0; s < 2; s++) {
        struct kern_exact_side *x = &p->side[s];
        x->limit = dtype_table[p->dtype[s]].max > 0 ? dtype_table[p->dtype[s]].max : INFINITY;
        for (int i = 0; i < KERN_EXACT; i++) {
            x->max[i] = -INFINITY;
            x->min[i] = INFINITY;
        }
    }
    kern_start(&p->lanes, p->side[0].limit, p->side[1].limit);
    for (int s = 0; s < 2; s++)
        p->lanes.values[s] = dtype_halves(p->dtype[s]);
    p->lanes.n = first;
}

void pass_take(struct pass *p, const void *t, const void *g, size_t n)
{
    enum kern_type k = kern_type(p->dtype[0]);
    if (p->bytes)
        take_bytes(p, t, g ? g : t, n);
    else if (!p->floats)
        take_exact(p, t, g, n);
    else if (k != KERN_TYPES && (!p->two || kern_type(p->dtype[1]) == k))
        take_as(p, k, t, g, t, g, n);
    else
        take_mixed(p, t, g, n);
}

/* ---- sums ---- */

/* Adds lanes as a tree, in a fixed order. */
static double add_lanes(const double *v, int n)
{
    double t[KERN_LANES];
    for (int i = 0; i < n; i++)
        t[i] = v[i];
    for (int half = n / 2; half; half /= 2)
        for (int i = 0; i < half; i++)
            t[i] += t[i + half];
    return t[0];
}

static double greater_value(double so_far, double x)
{
    return x > so_far ? x : so_far;
}

/* Combines the float and double sums of one side. Extremes + 0: which of two zeros was kept depends on the machine. */
static struct side_totals side_end(const struct kern_side *s, const struct kern_exact_side *x, uint64_t n)
{
    struct side_totals t = {
        .sum = add_lanes(s->sum, KERN_LANES) + add_lanes(x->sum, KERN_EXACT),
        .sq = add_lanes(s->sq, KERN_LANES) + add_lanes(x->sq, KERN_EXACT),
        .max = -INFINITY,
        .min = INFINITY,
        .n = n,
        .nan = x->nan,
        .pos_inf = x->pos_inf,
        .neg_inf = x->neg_inf,
        .zero = s->zero + x->zero,
        .saturated = s->saturated + x->saturated,
    };
    for (int i = 0; i < KERN_LANES; i++) {
        t.max = greater_value(t.max, (double)s->max[i] + 0.0);
        t.min = -greater_value(-t.min, -((double)s->min[i] + 0.0));
    }
    for (int i = 0; i < KERN_EXACT; i++) {
        t.max = greater_value(t.max, x->max[i] + 0.0);
        t.min = -greater_value(-t.min, -(x->min[i] + 0.0));
    }
    return t;
}

void pass_end(const struct pass *p, struct totals *out)
{
    const struct kern_sums *s = &p->lanes;
    double se = add_lanes(s->se, KERN_LANES);
    uint64_t n = s->n - p->first;
    if (p->bytes) {
        bytes_end(p, out);
        return;
    }
    *out = (struct totals){
        .ds = 2 * add_lanes(s->dg, KERN_LANES) + se + add_lanes(p->pair.ds, KERN_EXACT), /* d(t+g) = 2dg + d² */
        .se = se + add_lanes(p->pair.se, KERN_EXACT),
        .max_abs = p->exact.max_abs,
        .max_abs_at = p->exact.max_abs_at,
        .n = p->two ? n : 0,
        .n1 = s->n1 + p->pair.n1,
        .n5 = s->n5 + p->pair.n5,
        .unlike = p->exact.unlike,
        .unlike_at = p->exact.unlike_at,
    };
    double most = (double)s->max_abs;
    if (most > out->max_abs || (most == out->max_abs && s->max_abs_at < out->max_abs_at)) {
        out->max_abs = most;
        out->max_abs_at = s->max_abs_at;
    }
    for (int i = 0; i < KERN_LANES; i++)
        out->max_rel = greater_value(out->max_rel, (double)s->max_rel[i]);
    for (int i = 0; i < KERN_EXACT; i++)
        out->max_rel = greater_value(out->max_rel, p->pair.max_rel[i]);
    out->side[0] = side_end(&s->side[0], &p->side[0], n);
    out->side[1] = side_end(&s->side[1], &p->side[1], p->two ? n : 0);
}

static void side_merge(struct side_totals *a, const struct side_totals *b)
{
    a->sum += b->sum;
    a->sq += b->sq;
    a->max = greater_value(a->max, b->max);
    a->min = -greater_value(-a->min, -b->min);
    a->n += b->n;
    a->nan += b->nan;
    a->pos_inf += b->pos_inf;
    a->neg_inf += b->neg_inf;
    a->zero += b->zero;
    a->saturated += b->saturated;
}

void totals_merge(struct totals *a, const struct totals *b)
{
    for (int s = 0; s < 2; s++)
        side_merge(&a->side[s], &b->side[s]);
    a->ds += b->ds;
    a->se += b->se;
    a->max_rel = greater_value(a->max_rel, b->max_rel);
    if (b->max_abs > a->max_abs) {
        a->max_abs = b->max_abs;
        a->max_abs_at = b->max_abs_at;
    }
    if (!a->unlike)
        a->unlike_at = b->unlike_at;
    a->unlike += b->unlike;
    a->n += b->n;
    a->n1 += b->n1;
    a->n5 += b->n5;
}

static void finish_side(const struct side_totals *s, struct side_figures *f)
{
    bool pos = s->pos_inf > 0, neg = s->neg_inf > 0, some = s->n > s->nan;
    *f = (struct side_figures){
        .max = some ? s->max : NAN,
        .min = some ? s->min : NAN,
        .mean = s->n ? s->sum / (double)s->n : NAN,
        .norm = sqrt(s->sq),
        .count = s->n,
        .nan = s->nan,
        .inf = s->pos_inf + s->neg_inf,
        .zero = s->zero,
        .saturated = s->saturated,
    };
    if (pos || neg) {
        f->mean = pos && neg ? NAN : pos ? INFINITY : -INFINITY;
        f->norm = INFINITY;
    }
    if (s->nan)
        f->mean = f->norm = NAN;
}

void totals_one(const struct totals *t, struct side_figures *out)
{
    finish_side(&t->side[0], out);
}

void totals_two(const struct totals *t, struct figures *f)
{
    *f = (struct figures){.unlike = t->unlike, .unlike_at = t->unlike_at, .two = t->unlike == 0 && t->n > 0};
    finish_side(&t->side[0], &f->side[0]);
    finish_side(&t->side[1], &f->side[1]);
    if (!f->two)
        return;
    double nt = sqrt(t->side[0].sq), ng = sqrt(t->side[1].sq), both = nt + ng;
    f->euclid = sqrt(t->se);
    f->rel_l2 = ng > 0 ? f->euclid / ng : nt > 0 ? INFINITY : 0;
    if (nt == 0 && ng == 0)
        f->minus = 0;
    else if (nt == 0 || ng == 0)
        f->minus = 1;
    else if (t->n == 1) /* single numbers: same or opposite direction */
        f->minus = (t->side[0].sum > 0) == (t->side[1].sum > 0) ? 0 : 2;
    else
        f->minus = (t->se - t->ds * t->ds / (both * both)) / (2 * nt * ng);
    f->minus = f->minus < 0 ? 0 : f->minus > 2 ? 2 : f->minus;
    f->cosine = 1 - f->minus;
    f->max_abs = t->max_abs;
    f->max_abs_at = t->max_abs_at;
    f->max_rel = t->max_rel;
    f->one_thousandth = (double)t->n1 / (double)t->n;
    f->five_thousandths = (double)t->n5 / (double)t->n;
}

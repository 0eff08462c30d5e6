/* Blocks go through the machine's float kernel; a block it cannot be trusted with (non-finite values,
 * squares that leave float's range, a relative error too near a limit to tell) and all types that do
 * not fit float32 go through the exact path, element by element in double. */
#include "num/figures.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/msg.h"

#define CHUNK (64 * 1024) /* elements read at a time */

/* Sums of one side. Squares and sum run over finite elements only. */
struct sums {
    double sum, sq, max, min;
    uint64_t n, nan, pos_inf, neg_inf, zero, saturated;
    double limit; /* the dtype's finite maximum, or infinite */
};

struct pass {
    const struct kern *k;
    struct sums side[2];
    double ds, se, max_abs, max_rel, eps;
    uint64_t n, n1, n5, max_abs_at, unlike, unlike_at;
    bool any_abs;
};

static void sums_init(struct sums *s, enum dtype d)
{
    double max = dtype_table[d].max;
    *s = (struct sums){.max = -INFINITY, .min = INFINITY, .limit = max > 0 ? max : INFINITY};
}

static void sums_exact(struct sums *s, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double v = x[i];
        if (isnan(v)) {
            s->nan++;
            continue;
        }
        s->max = v > s->max ? v : s->max;
        s->min = v < s->min ? v : s->min;
        if (isinf(v)) {
            *(v > 0 ? &s->pos_inf : &s->neg_inf) += 1;
            continue;
        }
        s->sum += v;
        s->sq += v * v;
        s->zero += v == 0;
        s->saturated += fabs(v) >= s->limit;
    }
    s->n += n;
}

/* Whether sums of float squares kept their digits: no overflow, nothing lost below. */
static bool trusted(double sq, double largest)
{
    return isfinite(sq) && (sq > 1e-30 || largest == 0);
}

static void sums_block(struct pass *p, struct sums *s, const float *x, size_t n)
{
    struct kern_one r;
    p->k->one(x, n, &r);
    double largest = fmax(fabs((double)r.max), fabs((double)r.min));
    if (!trusted(r.sq, largest) || largest >= s->limit) { /* saturated elements are counted exactly */
        double wide[KERN_BLOCK];
        for (size_t i = 0; i < n; i++)
            wide[i] = (double)x[i];
        sums_exact(s, wide, n);
        return;
    }
    s->sum += r.sum;
    s->sq += r.sq;
    s->max = (double)r.max > s->max ? (double)r.max : s->max;
    s->min = (double)r.min < s->min ? (double)r.min : s->min;
    s->zero += r.zero;
    s->n += n;
}

static void two_exact(struct pass *p, const double *t, const double *g, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double x = t[i], y = g[i];
        if (!isfinite(x) || !isfinite(y)) {
            if ((isnan(x) && isnan(y)) || x == y) {
                p->n1++;
                p->n5++;
            } else if (!p->unlike++) {
                p->unlike_at = p->n + i;
            }
            continue;
        }
        double d = x - y, a = fabs(d), rel = a / (y == 0 ? p->eps : fabs(y));
        p->ds += d * (x + y);
        p->se += d * d;
        p->n1 += rel < 0.001;
        p->n5 += rel < 0.005;
        p->max_rel = rel > p->max_rel ? rel : p->max_rel;
        if (a > p->max_abs || !p->any_abs) {
            p->max_abs = a;
            p->max_abs_at = p->n + i;
            p->any_abs = true;
        }
    }
    p->n += n;
}

static void two_block(struct pass *p, const float *t, const float *g, size_t n)
{
    struct kern_two r;
    p->k->two(t, g, n, (float)p->eps, &r);
    if (!trusted(r.se, (double)r.max_abs) || !isfinite(r.ds) || !isfinite(r.max_rel) || r.unsure) {
        double wide[2][KERN_BLOCK];
        for (size_t i = 0; i < n; i++) {
            wide[0][i] = (double)t[i];
            wide[1][i] = (double)g[i];
        }
        two_exact(p, wide[0], wide[1], n);
        return;
    }
    p->ds += r.ds;
    p->se += r.se;
    p->n1 += r.n1;
    p->n5 += r.n5;
    p->max_rel = (double)r.max_rel > p->max_rel ? (double)r.max_rel : p->max_rel;
    if ((double)r.max_abs > p->max_abs || !p->any_abs) {
        size_t i = 0;
        while (i + 1 < n && fabsf(t[i] - g[i]) < r.max_abs)
            i++;
        p->max_abs = (double)r.max_abs;
        p->max_abs_at = p->n + i;
        p->any_abs = true;
    }
    p->n += n;
}

static void take_floats(struct pass *p, const float *t, const float *g, size_t n)
{
    for (size_t i = 0; i < n; i += KERN_BLOCK) {
        size_t part = n - i < KERN_BLOCK ? n - i : KERN_BLOCK;
        sums_block(p, &p->side[0], t + i, part);
        if (g) {
            sums_block(p, &p->side[1], g + i, part);
            two_block(p, t + i, g + i, part);
        }
    }
}

static void take_doubles(struct pass *p, const double *t, const double *g, size_t n)
{
    sums_exact(&p->side[0], t, n);
    if (g) {
        sums_exact(&p->side[1], g, n);
        two_exact(p, t, g, n);
    }
}

static void finish_side(const struct sums *s, struct side_figures *f)
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

static void finish_two(const struct pass *p, struct figures *f)
{
    finish_side(&p->side[0], &f->side[0]);
    finish_side(&p->side[1], &f->side[1]);
    f->unlike = p->unlike;
    f->unlike_at = p->unlike_at;
    f->two = p->unlike == 0 && p->n > 0;
    if (!f->two)
        return;
    double nt = sqrt(p->side[0].sq), ng = sqrt(p->side[1].sq), both = nt + ng;
    f->euclid = sqrt(p->se);
    f->rel_l2 = ng > 0 ? f->euclid / ng : nt > 0 ? INFINITY : 0;
    if (nt == 0 && ng == 0)
        f->minus = 0;
    else if (nt == 0 || ng == 0)
        f->minus = 1;
    else if (p->n == 1) /* two numbers: the same direction or the opposite one */
        f->minus = (p->side[0].sum > 0) == (p->side[1].sum > 0) ? 0 : 2;
    else
        f->minus = (p->se - p->ds * p->ds / (both * both)) / (2 * nt * ng);
    f->minus = f->minus < 0 ? 0 : f->minus > 2 ? 2 : f->minus;
    f->cosine = 1 - f->minus;
    f->max_abs = p->max_abs;
    f->max_abs_at = p->max_abs_at;
    f->max_rel = p->max_rel;
    f->one_thousandth = (double)p->n1 / (double)p->n;
    f->five_thousandths = (double)p->n5 / (double)p->n;
}

/* One side being read: its walk and its buffers, raw and converted. */
struct source {
    struct tensor_walk walk;
    void *raw;
    float *floats;
    double *doubles;
};

static void source_open(struct source *s, const struct tensor *t, size_t chunk, bool floats)
{
    tensor_walk_init(&s->walk, t);
    s->raw = mem_alloc(chunk * dtype_table[t->dtype].size);
    s->floats = floats ? mem_alloc(chunk * sizeof(float)) : NULL;
    s->doubles = floats ? NULL : mem_alloc(chunk * sizeof(double));
}

static void source_close(struct source *s)
{
    tensor_walk_release(&s->walk);
    free(s->raw);
    free(s->floats);
    free(s->doubles);
}

static int source_fill(struct source *s, size_t n, struct err *e)
{
    enum dtype d = s->walk.t->dtype;
    if (tensor_walk_next(&s->walk, s->raw, n, e) < 0)
        return -1;
    if (s->floats)
        dtype_to_f32(d, s->raw, n, s->floats);
    else
        dtype_to_f64(d, s->raw, n, s->doubles);
    return 0;
}

/* NumPy's result type of both sides and a float32, which msprobe takes the eps from: integers of up to
 * two bytes fit a float32. */
static enum dtype eps_type(enum dtype t, enum dtype g)
{
    const enum dtype both[2] = {t, g};
    for (int s = 0; s < 2; s++)
        if (!dtype_fits_f32(both[s]) && (dtype_is_float(both[s]) || dtype_table[both[s]].size > 2))
            return DTYPE_F64;
    return DTYPE_F32;
}

static int run(struct pass *p, const struct tensor *t, const struct tensor *g,
               struct figures_watch *watch, struct err *e)
{
    bool floats = dtype_fits_f32(t->dtype) && (!g || dtype_fits_f32(g->dtype));
    size_t chunk = t->numel < CHUNK ? (size_t)t->numel : CHUNK;
    struct source src[2] = {0};
    int rc = 0;
    p->eps = dtype_table[eps_type(t->dtype, g ? g->dtype : t->dtype)].epsilon;
    sums_init(&p->side[0], t->dtype);
    source_open(&src[0], t, chunk, floats);
    if (g) {
        sums_init(&p->side[1], g->dtype);
        source_open(&src[1], g, chunk, floats);
    }
    for (uint64_t at = 0; at < t->numel && rc == 0; at += chunk) {
        size_t n = t->numel - at < chunk ? (size_t)(t->numel - at) : chunk;
        if (watch && atomic_load_explicit(&watch->cancel, memory_order_relaxed)) {
            rc = err_set(e, ERR_CANCEL, "%s", _("stopped"));
            break;
        }
        if (source_fill(&src[0], n, e) || (g && source_fill(&src[1], n, e)))
            rc = -1;
        else if (floats)
            take_floats(p, src[0].floats, g ? src[1].floats : NULL, n);
        else
            take_doubles(p, src[0].doubles, g ? src[1].doubles : NULL, n);
        if (watch)
            atomic_fetch_add_explicit(&watch->done, n, memory_order_relaxed);
    }
    source_close(&src[0]);
    source_close(&src[1]);
    return rc;
}

int figures_two(const struct kern *k, const struct tensor *t, const struct tensor *g,
                struct figures *out, struct figures_watch *watch, struct err *e)
{
    struct pass p = {.k = k};
    if (t->numel != g->numel)
        return err_set(e, ERR_USAGE, _("%s: %llu elements against %llu"), t->file.name,
                       (unsigned long long)t->numel, (unsigned long long)g->numel);
    if (run(&p, t, g, watch, e))
        return -1;
    *out = (struct figures){0};
    finish_two(&p, out);
    return 0;
}

int figures_one(const struct kern *k, const struct tensor *t, struct side_figures *out,
                struct figures_watch *watch, struct err *e)
{
    struct pass p = {.k = k};
    if (run(&p, t, NULL, watch, e))
        return -1;
    finish_side(&p.side[0], out);
    return 0;
}

void figures_floats(const struct kern *k, const float *t, const float *g, size_t n,
                    struct figures *out)
{
    struct pass p = {.k = k, .eps = dtype_table[DTYPE_F32].epsilon};
    sums_init(&p.side[0], DTYPE_F32);
    sums_init(&p.side[1], DTYPE_F32);
    take_floats(&p, t, g, n);
    *out = (struct figures){0};
    finish_two(&p, out);
}

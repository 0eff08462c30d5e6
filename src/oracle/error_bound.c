/* Rounding error bounds per element and their sums (doc/oracle.md has the sources). */
#include "oracle/error_bound.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define FAR_SAME 0.1 /* a fill may differ in its last digits, because scores were added to it */
#define TF32_ROUNDOFF 0x1p-11

double unit_roundoff(enum dtype d)
{
    if (d == DTYPE_HIF8)
        return 0x1p-2; /* far from 1 it has one bit of mantissa */
    return dtype_is_float(d) ? dtype_table[d].epsilon / 2 : 0x1p-24;
}

static double smallest_subnormal(enum dtype d)
{
    return dtype_is_float(d) ? dtype_table[d].least : dtype_table[DTYPE_F32].least;
}

const char *arithmetic_name(enum arithmetic a, enum dtype type)
{
    switch (a) {
    case ARITHMETIC_TF32: return "tf32";
    case ARITHMETIC_BF16: return "bfloat16";
    case ARITHMETIC_SPLIT: return type == DTYPE_BF16 ? "bfloat16-split" : "float16-split";
    default: return type == DTYPE_UNKNOWN ? "exact" : dtype_table[type].name;
    }
}

/* Whether an element that is not compared by value is wrong. */
static bool wrong_beyond(double y, double recorded, double most, double mask)
{
    if (isnan(y))
        return false;
    if (isfinite(y) && fabs(y) <= most) /* mask fills must have the same size and sign */
        return !isfinite(recorded) || fabs(recorded) < FAR_SAME * mask || signbit(recorded) != signbit(y);
    return isnan(recorded) || fabs(recorded) < most || signbit(recorded) != signbit(y);
}

/* The power of two at or below |y|, for normal numbers. */
static double power_below(double y)
{
    uint64_t bits;
    memcpy(&bits, &y, sizeof bits);
    bits &= (uint64_t)0x7ff << 52;
    memcpy(&y, &bits, sizeof y);
    return y;
}

double error_ulp(const struct error_case *of, double y)
{
    return fabs(y) >= DBL_MIN ? 2 * unit_roundoff(of->type) * power_below(y) : smallest_subnormal(of->output);
}

static struct error_factors factors_of(const struct error_case *o)
{
    double ut = unit_roundoff(o->type), least = smallest_subnormal(o->output);
    return (struct error_factors){.product = o->product, .finer = o->finer,
        .most = fmin(o->mask, dtype_table[o->output].max), .per_c = o->move ? 0 : ut, .per_a = o->move ? 0 : 0x1p-24,
        .per_y = unit_roundoff(o->output), .least = 2 * least, .sums = 2 * sqrt(o->terms), .spacing = 2 * ut,
        .least_spacing = least, .own = ut, .reduced = {2 * TF32_ROUNDOFF, 2 * 0x1p-8, 2 * ut}};
}

/* Adds a product's element, or a whole one's norms, to the sums but those of its value and error. */
static void add_bounds(struct error_sums *e, const struct error_factors *f, double base, double y, double s)
{
    double both = sqrt(s * s + y * y), sums = f->sums * (s + fabs(y)) * 0x1p-24;
    double own = base + sums + (f->finer ? f->own * (2 * both + fabs(y)) : 0);
    e->bound2[ARITHMETIC_OWN] += own * own;
    for (int a = ARITHMETIC_TF32; a < ARITHMETIC_COUNT; a++) {
        double b = base + sums + f->reduced[a - 1] * both;
        e->bound2[a] += b * b;
    }
    e->sums2 += sums * sums;
}

static void add_element(struct error_sums *e, const struct error_factors *f, double y, double recorded, double c,
    double a, double s)
{
    const struct error_case *o = &e->of;
    if (!dtype_is_float(o->output)) {
        e->wrong |= !isnan(y) && y != recorded;
        return;
    }
    if (!(fabs(y) <= f->most)) {
        e->wrong |= wrong_beyond(y, recorded, dtype_table[o->output].max, o->mask);
        return;
    }
    if (!isfinite(recorded)) {
        e->wrong = true;
        return;
    }
    double base = f->per_c * c + f->per_a * a + f->per_y * fabs(y) + f->least;
    e->value2 += y * y;
    e->error2 += (y - recorded) * (y - recorded);
    e->rounded |= c != 0;
    if (!o->product) {
        e->bound2[ARITHMETIC_OWN] += base * base;
        return;
    }
    double ulp = error_ulp(o, y);
    e->once2 += ulp * ulp;
    add_bounds(e, f, base, y, s);
}

/* Adds up in the order of the elements, as add_element does. */
static void add_terms(struct error_sums *e, const struct error_terms *t, int n)
{
    double value2 = e->value2, error2 = e->error2, own2 = e->bound2[ARITHMETIC_OWN];
    for (int i = 0; i < n; i++) {
        value2 += t->value2[i];
        error2 += t->error2[i];
        own2 += t->own2[i];
    }
    e->value2 = value2;
    e->error2 = error2;
    e->bound2[ARITHMETIC_OWN] = own2;
    e->rounded |= t->rounded;
}

static void add_product_terms(struct error_sums *e, const struct error_terms *t, int n)
{
    double tf32 = e->bound2[ARITHMETIC_TF32], bf16 = e->bound2[ARITHMETIC_BF16], split = e->bound2[ARITHMETIC_SPLIT],
           once2 = e->once2, sums2 = e->sums2;
    for (int i = 0; i < n; i++) {
        tf32 += t->reduced2[ARITHMETIC_TF32 - 1][i];
        bf16 += t->reduced2[ARITHMETIC_BF16 - 1][i];
        split += t->reduced2[ARITHMETIC_SPLIT - 1][i];
        once2 += t->once2[i];
        sums2 += t->sums2[i];
    }
    e->bound2[ARITHMETIC_TF32] = tf32;
    e->bound2[ARITHMETIC_BF16] = bf16;
    e->bound2[ARITHMETIC_SPLIT] = split;
    e->once2 = once2;
    e->sums2 = sums2;
}

void error_add(struct error_sums *e, const struct error_elements *x)
{
    struct error_factors f = factors_of(&e->of);
    error_block_function *compute = dtype_is_float(e->of.output) ? error_block_best() : NULL;
    struct error_terms terms;
    e->n += x->n;
    for (int64_t at = 0, end; at < x->n; at = end) {
        end = x->n - at < ERROR_BLOCK ? x->n : at + ERROR_BLOCK;
        int n = (int)(end - at) / ERROR_LANES * ERROR_LANES;
        if (compute && compute(&terms, &f, x, at, n)) {
            add_terms(e, &terms, n);
            if (f.product)
                add_product_terms(e, &terms, n);
            at += n;
        }
        for (int64_t i = at; i < end; i++)
            add_element(e, &f, x->y[i], x->recorded[i], x->c ? x->c[i] : 0, x->a ? x->a[i] : 0, x->s ? x->s[i] : 0);
    }
}

void error_add_norms(struct error_sums *e, const struct error_norms *n)
{
    const struct error_case *o = &e->of;
    double base = unit_roundoff(o->type) * n->c + unit_roundoff(o->output) * n->y
        + 2 * smallest_subnormal(o->output) * sqrt((double)n->n);
    e->n += n->n;
    e->value2 += n->y * n->y;
    e->error2 += n->error * n->error;
    e->once2 += n->ulps * n->ulps;
    e->rounded |= n->c > 0;
    struct error_factors f = factors_of(o);
    add_bounds(e, &f, base, n->y, n->s);
}

/* Which reduced arithmetic a product of that type may use. */
static bool may_run_in(const struct error_case *o, enum arithmetic a)
{
    if (a == ARITHMETIC_OWN)
        return true;
    if (!o->product || o->finer)
        return false;
    return a == ARITHMETIC_SPLIT ? o->type == DTYPE_BF16 || o->type == DTYPE_F16 : o->type == DTYPE_F32;
}

static void find_integers(const struct error_sums *e, struct error_found *out)
{
    out->error = e->wrong ? 1 : 0;
    out->bound[ARITHMETIC_OWN] = 0x1p-24;
}

void error_find(const struct error_sums *e, struct error_found *out)
{
    *out = (struct error_found){.n = e->n, .once = NAN, .sums = NAN, .bound = {NAN, NAN, NAN, NAN}};
    if (!dtype_is_float(e->of.output))
        return find_integers(e, out);
    double value = sqrt(e->value2), unit = value > 0 ? value : 1;
    out->absolute = !(value > 0);
    for (int a = 0; a < ARITHMETIC_COUNT; a++)
        if (may_run_in(&e->of, (enum arithmetic)a))
            out->bound[a] = sqrt(e->bound2[a]) / unit;
    out->error = e->wrong ? INFINITY : sqrt(e->error2) / unit;
    if (may_run_in(&e->of, ARITHMETIC_SPLIT) && e->of.output == e->of.type && !out->absolute && !e->rounded) {
        out->once = sqrt(e->once2 / 12) / unit;
        out->sums = sqrt(e->sums2) / unit;
    }
}

bool error_names(const struct error_found *f, enum dtype type, enum arithmetic *out)
{
    if (f->absolute || f->error == 0 || !isfinite(f->error))
        return false;
    if (type == DTYPE_F32) {
        for (int a = ARITHMETIC_OWN; a <= ARITHMETIC_BF16; a++)
            if (f->error <= f->bound[a])
                return *out = (enum arithmetic)a, !isnan(f->bound[ARITHMETIC_TF32]);
        return false;
    }
    if (isnan(f->once) || f->n < 64)
        return false;
    bool once = f->error <= 1.2 * f->once + f->sums;
    *out = once ? ARITHMETIC_OWN : ARITHMETIC_SPLIT;
    return once || f->error <= f->bound[ARITHMETIC_SPLIT];
}

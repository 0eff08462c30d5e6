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

static void add_product(struct error_sums *e, double base, double y, double s)
{
    const struct error_case *o = &e->of;
    double both = sqrt(s * s + y * y), sums = 2 * sqrt(o->terms) * (s + fabs(y)) * 0x1p-24;
    double ut = unit_roundoff(o->type);
    double own = base + sums + (o->finer ? ut * (2 * both + fabs(y)) : 0);
    double more[ARITHMETIC_COUNT] = {[ARITHMETIC_TF32] = 2 * TF32_ROUNDOFF, [ARITHMETIC_BF16] = 2 * 0x1p-8,
        [ARITHMETIC_SPLIT] = 2 * ut};
    e->bound2[ARITHMETIC_OWN] += own * own;
    for (int a = ARITHMETIC_TF32; a < ARITHMETIC_COUNT; a++) {
        double b = base + sums + more[a] * both;
        e->bound2[a] += b * b;
    }
    e->sums2 += sums * sums;
}

void error_add(struct error_sums *e, double y, double recorded, double c, double a, double s)
{
    const struct error_case *o = &e->of;
    e->n++;
    if (!dtype_is_float(o->output)) {
        e->wrong |= !isnan(y) && y != recorded;
        return;
    }
    double most = dtype_table[o->output].max;
    if (!isfinite(y) || fabs(y) > o->mask || fabs(y) > most) {
        e->wrong |= wrong_beyond(y, recorded, most, o->mask);
        return;
    }
    if (!isfinite(recorded)) {
        e->wrong = true;
        return;
    }
    double inside = o->move ? 0 : unit_roundoff(o->type) * c + 0x1p-24 * a;
    double base = inside + unit_roundoff(o->output) * fabs(y) + 2 * smallest_subnormal(o->output);
    e->value2 += y * y;
    e->error2 += (y - recorded) * (y - recorded);
    e->rounded |= c != 0;
    if (!o->product) {
        e->bound2[ARITHMETIC_OWN] += base * base;
        return;
    }
    double ulp = error_ulp(o, y);
    e->once2 += ulp * ulp;
    add_product(e, base, y, s);
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
    add_product(e, base, n->y, n->s);
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

/* What the elements tell, place by place. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "diagnose/diagnosis_case.h"

/* Enough elements that are not all the same: else every explanation fits. */
static bool telling(const struct specimen *s)
{
    return s->finite >= 4 && s->g2 > 0 && s->t2 > 0 && s->most[GOLDEN] > s->least[GOLDEN];
}

static double share_left(const struct specimen *s, double left2)
{
    return s->dev2 > 0 ? sqrt(left2 / s->dev2) : 1;
}

static bool explains(const struct specimen *s, double left2)
{
    return s->dev2 > 0 && left2 <= LEFT_OVER * s->dev2;
}

void look_scale(struct patient *p)
{
    const struct specimen *s = p->spread;
    if (!telling(s) || s->tg <= 0)
        return;
    double k = s->tg / s->g2, left = fmax(0, s->t2 - s->tg * s->tg / s->g2);
    if (!explains(s, left) || k < 1e-12)
        return;
    struct buf b = {0};
    char n[NUM_MAX];
    factor_text(k, fmin(5e-3, 3 * sqrt(left / s->g2 / (double)s->finite) + 1e-5), &b);
    patient_says(p, DIAGNOSIS_SCALE, BOTH_SIDES, 0.95 - share_left(s, left), _("the target is the golden side times %s; this leaves %s of the deviation"),
                 b.p, num_cell(n, share_left(s, left), 2));
    buf_release(&b);
}

void look_offset(struct patient *p)
{
    const struct specimen *s = p->spread;
    if (!telling(s))
        return;
    double n = (double)s->finite, c = (s->sum[0] - s->sum[1]) / n, left = fmax(0, s->dev2 - n * c * c);
    char a[NUM_MAX], b[NUM_MAX];
    if (explains(s, left))
        patient_says(p, DIAGNOSIS_OFFSET, BOTH_SIDES, 0.95 - share_left(s, left), _("the target is the golden side plus %s everywhere; this leaves %s of the deviation"),
                     num_cell(a, c, 6), num_cell(b, share_left(s, left), 2));
}

/* All of it turned, or a part: the magnitudes agree and the signs do not. */
void look_sign(struct patient *p)
{
    const struct specimen *s = p->spread;
    double left = 0;
    size_t turned = 0, all = 0;
    if (!telling(s))
        return;
    for (size_t i = 0; i < s->n; i++) {
        if (!specimen_pair(s, i))
            continue;
        double t = s->v[0][i], g = s->v[1][i], d = fabs(t) - fabs(g);
        left += d * d;
        turned += t * g < 0;
        all += g != 0;
    }
    char a[NUM_MAX];
    if (turned && explains(s, left))
        patient_says(p, DIAGNOSIS_SIGN, BOTH_SIDES, 0.98 - share_left(s, left), _("%zu of %zu elements have the opposite sign at the same magnitude; this leaves %s of the deviation"),
                     turned, all, num_cell(a, share_left(s, left), 2));
}

/* ---- precision ---- */

/* Kept bits fewer than the type's own: what casts and products leave. In order: a bfloat16 is a tf32 too. */
static const struct grain {
    const char *name;
    enum dtype dtype;
    int bits; /* kept after the leading one, where dtype is DTYPE_UNKNOWN */
} grains[] = {
    {"float8_e5m2", DTYPE_F8E5M2, 0}, {"float8_e4m3", DTYPE_F8E4M3, 0}, {"bfloat16", DTYPE_BF16, 0},
    {"float16", DTYPE_F16, 0},        {"tf32", DTYPE_UNKNOWN, 10},
};

static double grain_round(const struct grain *g, double v)
{
    if (g->dtype)
        return dtype_round(g->dtype, v);
    int e;
    if (v == 0 || !isfinite(v))
        return v;
    double m = frexp(v, &e), unit = ldexp(1, -g->bits - 1);
    return ldexp(nearbyint(m / unit) * unit, e);
}

static double grain_step(const struct grain *g)
{
    return g->dtype ? dtype_table[g->dtype].epsilon : ldexp(1, -g->bits);
}

struct grain_count {
    size_t all[2], on[2]; /* elements other than 0, and those on the grain */
    double left;          /* what rounding the finer side leaves */
};

static struct grain_count count_grain(const struct specimen *s, const struct grain *g, int side)
{
    struct grain_count c = {.all = {0}};
    for (size_t i = 0; i < s->n; i++) {
        if (!specimen_pair(s, i))
            continue;
        double r[2];
        for (int d = 0; d < 2; d++) {
            r[d] = grain_round(g, s->v[d][i]);
            c.all[d] += s->v[d][i] != 0;
            c.on[d] += s->v[d][i] != 0 && r[d] == s->v[d][i];
        }
        double d = s->v[side][i] - r[!side];
        c.left += d * d;
    }
    return c;
}

/* Whether one side's values are all on the grain while most of the other's are not. */
void look_rounded(struct patient *p)
{
    const struct specimen *s = p->spread;
    if (!telling(s))
        return;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < ARRAY_LEN(grains); i++) {
            const struct grain *g = &grains[i];
            if (g->dtype ? dtype_table[p->r[!side]->dtype].epsilon >= grain_step(g) : p->r[side]->dtype != DTYPE_F32)
                continue;
            struct grain_count c = count_grain(s, g, side);
            if (c.all[side] < 4 || c.on[side] < c.all[side] || c.on[!side] * 2 > c.all[!side])
                continue;
            char n[2][NUM_MAX];
            double rel = sqrt(s->dev2 / s->g2);
            if (explains(s, c.left))
                patient_says(p, DIAGNOSIS_ROUNDED, side, 0.99 - share_left(s, c.left), _("the %s side is the other one rounded to %s; this leaves %s of the deviation"),
                             side_word(side), g->name, num_cell(n[0], share_left(s, c.left), 2));
            else if (rel <= 2 * grain_step(g))
                patient_says(p, DIAGNOSIS_ROUNDED, side, 0.6, _("all %zu values of the %s side are %s numbers, of the other side %s %%; the deviation (%s) is of that rounding's size"),
                             c.all[side], side_word(side), g->name, num_cell(n[0], 100.0 * (double)c.on[!side] / (double)c.all[!side], 3), num_cell(n[1], rel, 2));
            break;
        }
}

void look_denormal(struct patient *p)
{
    const struct specimen *s = p->spread;
    for (int side = 0; side < 2; side++) {
        enum dtype d = p->r[side]->dtype;
        double least = d == DTYPE_F16 ? 0x1p-14 : d == DTYPE_BF16 || d == DTYPE_F32 ? 0x1p-126 : d == DTYPE_F8E4M3 ? 0x1p-6 : d == DTYPE_F8E5M2 ? 0x1p-14 : 0;
        size_t flushed = 0, kept = 0;
        double left = 0;
        for (size_t i = 0; least > 0 && i < s->n; i++) {
            if (!specimen_pair(s, i))
                continue;
            double own = s->v[side][i], other = s->v[!side][i];
            bool small = other != 0 && fabs(other) < least;
            flushed += small && own == 0;
            kept += own != 0 && fabs(own) < least;
            double e = own - (small ? 0 : other);
            left += e * e;
        }
        char n[NUM_MAX];
        if (flushed >= 4 && !kept && explains(s, left))
            patient_says(p, DIAGNOSIS_DENORMAL, side, 0.95, _("%zu elements below %s are 0 on the %s side and not on the other"), flushed,
                         num_cell(n, least, 4), side_word(side));
    }
}

/* ---- dropout ---- */

/* Zeros where the other side has none, and what is left is greater by 1/(1 - share of zeros). */
void look_dropout(struct patient *p)
{
    const struct specimen *s = p->spread;
    for (int side = 0; side < 2 && p->f && s->g2 > 0; side++) {
        size_t all = 0, zero = 0, fresh = 0;
        double own2 = 0, both = 0, other2 = 0, left = 0;
        for (size_t i = 0; i < s->n; i++) {
            if (!specimen_pair(s, i))
                continue;
            double a = s->v[side][i], b = s->v[!side][i];
            all += b != 0;
            zero += b != 0 && a == 0;
            fresh += b == 0 && a != 0;
            if (a == 0 || b == 0)
                continue;
            own2 += a * a;
            both += a * b;
            other2 += b * b;
        }
        double share = all ? (double)zero / (double)all : 0, kept = (double)(all - zero);
        if (zero < 2 || fresh || kept < 4 || share > 0.95 || other2 <= 0)
            continue;
        double k = both / other2, drop = 1 - 1 / k;
        left = own2 - both * both / other2;
        /* the share is drawn: four standard deviations of a binomial around what the factor says */
        double spread = 4 * sqrt(fmax(drop * (1 - drop), 1e-9) / (double)all);
        if (k <= 1.004 || left > LEFT_OVER / 4 * own2 || fabs(share - drop) > fmax(spread, 1e-3))
            continue;
        char n[2][NUM_MAX];
        patient_says(p, DIAGNOSIS_DROPOUT, side, 1, _("%zu of %zu elements of the %s side are 0 (%s %%) and the others are the other side's times %s, as dropout with that probability leaves them"),
                     zero, all, side_word(side), num_cell(n[0], share * 100, 3), num_cell(n[1], k, 5));
    }
}

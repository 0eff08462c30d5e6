/* Rotary tables: angle = position × frequency, with frequencies base^(−i/n). Both sides are fitted with such tables,
 * exact and with rounded frequencies; different parameters are the finding. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "diagnose/dense_block.h"
#include "diagnose/diagnosis_case.h"

enum rope_kind { ROPE_FREQUENCY, ROPE_ANGLE, ROPE_COS, ROPE_SIN, ROPE_KINDS };
enum rope_columns { COLUMNS_ONCE, COLUMNS_TWICE, COLUMNS_PAIRED, COLUMNS_KINDS }; /* f; f f; f₀ f₀ f₁ f₁ … */

struct rope {
    enum rope_kind kind;
    enum rope_columns columns;
    enum dtype rounded; /* DTYPE_UNKNOWN: not rounded */
    double base;
    double left2;
};

static const double usual_bases[] = {1000, 5000, 10000, 25000, 50000, 100000, 500000, 1e6, 5e6, 1e7};
static const enum dtype usual_grains[] = {DTYPE_UNKNOWN, DTYPE_BF16, DTYPE_F16};

struct rope_table {
    const double *v;
    size_t rows, width; /* positions × columns */
    size_t every;       /* rows used: every this many */
};

#define ROWS_TRIED 64

static size_t frequency_count(const struct rope_table *x, enum rope_columns c)
{
    return c == COLUMNS_ONCE ? x->width : x->width / 2;
}

static double rope_model(const struct rope_table *x, const struct rope *r, size_t row, size_t col)
{
    size_t n = frequency_count(x, r->columns), i = r->columns == COLUMNS_PAIRED ? col / 2 : col % n;
    double f = (double)(float)pow(r->base, -(double)i / (double)n);
    f = r->rounded ? dtype_round(r->rounded, f) : f;
    double angle = (double)(float)((double)row * f);
    return r->kind == ROPE_FREQUENCY ? f : r->kind == ROPE_ANGLE ? angle
                                                                 : r->kind == ROPE_COS ? cos(angle) : sin(angle);
}

static double left_over(const struct rope_table *x, const struct rope *r)
{
    double left = 0;
    for (size_t row = 0; row < x->rows; row += x->every)
        for (size_t col = 0; col < x->width; col++) {
            double d = x->v[row * x->width + col] - rope_model(x, r, row, col);
            left += d * d;
        }
    return left;
}

/* Checks the first rows of a table of this kind. */
static bool kind_is_plausible(const struct rope_table *x, enum rope_kind k)
{
    const double *v = x->v;
    if (k == ROPE_FREQUENCY)
        return x->rows == 1 && fabs(v[0] - 1) < 1e-2 && v[x->width - 1] > 0 && v[x->width - 1] < 0.9;
    if (x->rows < 3)
        return false;
    for (size_t c = 0; c < x->width; c++)
        if (fabs(v[c] - (k == ROPE_COS)) > 1e-6)
            return false;
    double one = k == ROPE_ANGLE ? 1 : k == ROPE_COS ? cos(1) : sin(1); /* frequency 1 at position 1 */
    return fabs(v[x->width] - one) < 1e-2;
}

/* Estimates the base from the slowest frequency in the table. */
static double estimate_base(const struct rope_table *x, enum rope_kind k, enum rope_columns c)
{
    size_t n = frequency_count(x, c), col = c == COLUMNS_PAIRED ? 2 * (n - 1) : n - 1, row = x->rows - 1;
    double f, last = x->v[row * x->width + col];
    if (k == ROPE_FREQUENCY)
        f = last;
    else if (k == ROPE_ANGLE)
        f = last / (double)row;
    else /* valid while the slowest angle stays below a quarter turn, as for usual lengths */
        f = (k == ROPE_COS ? acos(fmin(1, fmax(-1, last))) : asin(fmin(1, fmax(-1, last)))) / (double)row;
    return f > 0 && f < 1 && n > 1 ? pow(f, -(double)n / (double)(n - 1)) : NAN;
}

/* The best fitting table of this kind. */
static bool best_fit(const struct rope_table *whole, enum rope_kind k, struct rope *best)
{
    struct rope_table some = *whole, *x = &some;
    best->left2 = INFINITY;
    x->every = x->rows / ROWS_TRIED + 1;
    for (int c = 0; c < COLUMNS_KINDS; c++) {
        if ((k == ROPE_FREQUENCY && c != COLUMNS_ONCE) || (c != COLUMNS_ONCE && x->width % 2) ||
            frequency_count(x, (enum rope_columns)c) < 2)
            continue;
        double guess = estimate_base(x, k, (enum rope_columns)c);
        for (size_t b = 0; b <= ARRAY_LEN(usual_bases); b++)
            for (size_t g = 0; g < ARRAY_LEN(usual_grains); g++) {
                struct rope r = {.kind = k, .columns = (enum rope_columns)c, .rounded = usual_grains[g],
                                 .base = b < ARRAY_LEN(usual_bases) ? usual_bases[b] : guess};
                if (isnan(r.base) || fabs(log(r.base / guess)) > 0.5)
                    continue;
                r.left2 = left_over(x, &r);
                if (r.left2 < best->left2)
                    *best = r;
            }
    }
    if (isfinite(best->left2))
        best->left2 = left_over(whole, best);
    return isfinite(best->left2);
}

static const char *const what[ROPE_KINDS] = {N_("inverse frequencies"), N_("angles"), N_("cosines"), N_("sines")};

static bool tables_differ(const struct rope r[2])
{
    return r[0].rounded != r[1].rounded || fabs(r[0].base - r[1].base) > 1e-3 * r[1].base;
}

/* Reports that both sides are such tables with different parameters. `end` ends the sentence. */
static void say_rope(struct diagnosis_case *p, const struct rope r[2], double score, const char *end)
{
    char n[2][NUM_MAX];
    if (r[0].rounded != r[1].rounded) {
        int side = r[0].rounded ? TARGET : GOLDEN;
        case_found(p, DIAGNOSIS_ROPE, side, score, _("%s, base %s, with the frequencies of the %s rounded to %s; %s"),
                   _(what[r[0].kind]), num_cell(n[0], r[!side].base, 6), diagnosis_side_word(side),
                   dtype_table[r[side].rounded].name, end);
    } else {
        case_found(p, DIAGNOSIS_ROPE, BOTH_SIDES, score, _("%s, base %s on the target and %s on the golden side; %s"),
                   _(what[r[0].kind]), num_cell(n[0], r[0].base, 6), num_cell(n[1], r[1].base, 6), end);
    }
}

/* One side is the exact table, the other is near it: frequencies computed differently. */
static void say_one(struct diagnosis_case *p, const struct rope r[2], const struct dense_block *b)
{
    double rel = sqrt(b->dev2 / b->g2);
    for (int side = 0; side < 2; side++) {
        char n[2][NUM_MAX];
        if (r[side].left2 > LEFT_OVER * LEFT_OVER * b->dev2 || r[!side].left2 < 0.3 * b->dev2 || rel > 0.2)
            continue;
        case_found(p, DIAGNOSIS_ROPE, !side, 0.85, _("the %s equals %s of base %s to the last digit; the other side "
                                                     "differs by %s"), diagnosis_side_word(side), _(what[r[side].kind]),
                   num_cell(n[0], r[side].base, 6), num_cell(n[1], rel, 2));
    }
}

void detect_rope(struct diagnosis_case *p)
{
    struct dense_block b;
    if (!dense_block_from(&b, p->corner) || b.ndim > 2 || !(b.dev2 > 0)) {
        dense_block_release(&b);
        return;
    }
    struct rope_table x[2];
    for (int d = 0; d < 2; d++)
        x[d] = (struct rope_table){b.v[d], b.ndim == 2 ? (size_t)b.shape[0] : 1, (size_t)b.shape[b.ndim - 1], 1};
    bool complete = b.ndim == 1 || !p->partly || b.shape[1] == p->corner->shape[b.axis[1]];
    for (int k = 0; k < ROPE_KINDS && complete; k++) {
        struct rope r[2];
        if (!kind_is_plausible(&x[0], (enum rope_kind)k) || !kind_is_plausible(&x[1], (enum rope_kind)k) ||
            !best_fit(&x[0], (enum rope_kind)k, &r[0]) ||
            !best_fit(&x[1], (enum rope_kind)k, &r[1]))
            continue;
        double left = fmax(r[0].left2, r[1].left2);
        if (tables_differ(r) && left <= LEFT_OVER * b.dev2) {
            char end[DIAGNOSIS_LEFT_MAX];
            diagnosis_left_text(end, sqrt(left / b.dev2));
            say_rope(p, r, 1, end);
        } else {
            say_one(p, r, &b);
        }
    }
    dense_block_release(&b);
}

/* ---- recorded figures alone ---- */

#define TABLE_MOST 16384 /* the most elements of a table computed to compare figures */

static void model_figures(const struct rope_table *x, const struct rope *r, double out[STAT_COUNT])
{
    double sum = 0, sum2 = 0, n = (double)x->rows * (double)x->width;
    out[STAT_MAX] = -INFINITY;
    out[STAT_MIN] = INFINITY;
    for (size_t row = 0; row < x->rows; row++)
        for (size_t col = 0; col < x->width; col++) {
            double v = rope_model(x, r, row, col);
            out[STAT_MAX] = fmax(out[STAT_MAX], v);
            out[STAT_MIN] = fmin(out[STAT_MIN], v);
            sum += v;
            sum2 += v * v;
        }
    out[STAT_MEAN] = sum / n;
    out[STAT_NORM] = sqrt(sum2);
}

/* The largest difference between a side's figures and a table's, relative to a typical element. */
static double figures_off(const struct diagnosis_case *p, int side, const double model_of[STAT_COUNT], double n)
{
    double off = 0, unit = model_of[STAT_NORM] / sqrt(n);
    for (int i = 0; i < STAT_COUNT; i++)
        off = fmax(off, fabs(diagnosis_case_stat(p, side, i) - model_of[i]) / (i == STAT_NORM
                                                                               ? model_of[STAT_NORM] : unit));
    return isnan(diagnosis_case_stat(p, side, STAT_NORM) + diagnosis_case_stat(p, side, STAT_MEAN)) ? INFINITY : off;
}

/* The usual table with the nearest figures for each side. */
static void nearest_rope(const struct diagnosis_case *p, const struct rope_table *x, enum rope_kind k,
                         struct rope best[2])
{
    best[0].left2 = best[1].left2 = INFINITY;
    for (int c = 0; c < COLUMNS_KINDS; c++) {
        if ((k == ROPE_FREQUENCY && c != COLUMNS_ONCE) || (c != COLUMNS_ONCE && x->width % 2) ||
            frequency_count(x, (enum rope_columns)c) < 2)
            continue;
        for (size_t b = 0; b < ARRAY_LEN(usual_bases); b++)
            for (size_t g = 0; g < ARRAY_LEN(usual_grains); g++) {
                struct rope r =
                    {.kind = k, .columns = (enum rope_columns)c, .rounded = usual_grains[g], .base = usual_bases[b]};
                double f[STAT_COUNT];
                model_figures(x, &r, f);
                for (int side = 0; side < 2; side++) {
                    r.left2 = figures_off(p, side, f, (double)x->rows * (double)x->width);
                    if (r.left2 < best[side].left2)
                        best[side] = r;
                }
            }
    }
}

void detect_rope_statistics(struct diagnosis_case *p)
{
    const struct shape *s = dump_row_shape(p->side[TARGET], p->row[TARGET]);
    int64_t plain[2] = {1, 1};
    int n = 0;
    double max = diagnosis_case_stat(p, GOLDEN, STAT_MAX), apart = (double)p->judged->error;
    for (int i = 0; s && i < s->ndim; i++)
        if (s->dim[i] != 1 && n++ < 2)
            plain[n - 1] = s->dim[i];
    if (p->f || !s || n < 1 || n > 2 || s->numel > TABLE_MOST || !(apart > 0) || p->r[TARGET]->io == IO_PARAMETER ||
        !dtype_is_float(p->r[TARGET]->dtype))
        return;
    struct rope_table x = {NULL, n == 2 ? (size_t)plain[0] : 1, (size_t)plain[n - 1], 1};
    for (int k = 0; k < ROPE_KINDS; k++) {
        struct rope r[2];
        bool possible = k == ROPE_FREQUENCY ? n == 1 && fabs(max - 1) < 1e-5
                        : k == ROPE_ANGLE   ? n == 2 && fabs(max - (double)(x.rows - 1)) < 1e-3
                        : k == ROPE_COS     ? n == 2 && fabs(max - 1) < 1e-5 : n == 2 && max > 0.8 && max <= 1.00001;
        if (!possible)
            continue;
        nearest_rope(p, &x, (enum rope_kind)k, r);
        double fit = fmin(1e-4, apart / 10);
        if (tables_differ(r) && r[0].left2 <= fit && r[1].left2 <= fit) {
            say_rope(p, r, 0.9, _("by max, min, mean and norm; the elements were not recorded"));
        } else if (r[GOLDEN].left2 <= apart / 100 && !r[GOLDEN].rounded && r[TARGET].left2 > apart / 10 &&
                   apart < 0.2) {
            char a[NUM_MAX], b[NUM_MAX];
            case_found(p, DIAGNOSIS_ROPE, TARGET, 0.8, _("the golden statistics equal those of %s of base %s; the "
                                                         "target differs by %s; the elements were not recorded"),
                                                         _(what[k]),
                       num_cell(a, r[GOLDEN].base, 6), num_cell(b, apart, 2));
        }
    }
}

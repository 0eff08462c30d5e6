/* Finds the loss scale of one side from the norms of all gradients, and divides it out of rows and figures. */
#include "judge/loss_scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/element_sample.h"
#include "num/sketch.h"

#define FIRST_OFF 1e-3   /* of a power of two: the first gradient has passed nothing that rounds */
#define ALIKE 4          /* a fault may change gradients by as much and leave the scale recognisable */
#define SHARE 0.9        /* of the gradients: the scale is on all of them, but some are zero except for rounding */
#define GRADIENTS_LEAST 4
#define UNRESOLVED 1e-5 /* of sums of single precision, over some thousand elements */

static bool is_gradient(const struct dump *d, uint32_t row)
{
    const struct row *r = &d->rows.v[row];
    const struct call *c = &d->calls.v[r->call];
    return r->kind == ROW_TENSOR && (dtype_is_float(r->dtype) || dtype_table[r->dtype].klass == CLASS_COMPLEX) &&
           (r->io == IO_GRADIENT || c->gradient || c->phase == PHASE_BACKWARD);
}

/* The norm of the target over that of the golden side; NaN: not known, or one of them is zero. */
static double ratio_of(const struct measure *m, uint32_t line)
{
    const uint32_t *row = m->pairing->lines.v[line].row;
    const struct row *t = &m->side[TARGET]->rows.v[row[TARGET]], *g = &m->side[GOLDEN]->rows.v[row[GOLDEN]];
    const struct figures *f = measure_figures(m, line);
    bool recorded = (t->has & g->has & HAS_NORM) != 0;
    double a = f ? f->side[TARGET].norm : recorded ? t->stat[STAT_NORM] : NAN;
    double b = f ? f->side[GOLDEN].norm : recorded ? g->stat[STAT_NORM] : NAN;
    return a > 0 && b > 0 && isfinite(a) && isfinite(b) ? a / b : NAN;
}

static bool pairs_gradients(const struct measure *m, uint32_t line)
{
    const struct line *l = &m->pairing->lines.v[line];
    return l->pair != NONE && is_gradient(m->side[TARGET], l->row[TARGET]) &&
           is_gradient(m->side[GOLDEN], l->row[GOLDEN]);
}

double loss_scale_of(const struct measure *m)
{
    double factor = 1;
    size_t all = 0, alike = 0;
    for (uint32_t i = 0; i < m->lines; i++) {
        double ratio = pairs_gradients(m, i) ? ratio_of(m, i) : NAN;
        if (isnan(ratio))
            continue;
        if (all++ == 0) {
            factor = exp2(round(log2(ratio)));
            if (fmax(factor, 1 / factor) < LOSS_SCALE_LEAST || fabs(ratio / factor - 1) > FIRST_OFF)
                return 1;
        }
        alike += ratio <= ALIKE * factor && ratio >= factor / ALIKE;
    }
    return all >= GRADIENTS_LEAST && (double)alike >= SHARE * (double)all ? factor : 1;
}

static void divide_row(struct row *r, double factor)
{
    for (int i = 0; i < STAT_COUNT; i++)
        r->stat[i] /= factor;
}

/* What differs beside the factor: across the golden values by the cosine, along them by the norms. */
static void divide_figures(struct figures *f, double factor)
{
    struct side_figures *t = &f->side[TARGET];
    t->max /= factor;
    t->min /= factor;
    t->mean /= factor;
    t->norm /= factor;
    double size = f->side[GOLDEN].norm > 0 ? t->norm / f->side[GOLDEN].norm : NAN;
    double apart = isnan(size) ? (t->norm > 0 ? INFINITY : 0) : hypot(size - 1, sqrt(2 * fabs(f->minus) * size));
    f->rel_l2 = apart;
    f->unmasked = apart;
    f->euclid = isnan(size) ? t->norm : apart * f->side[GOLDEN].norm;
    f->max_abs = f->euclid; /* no element differs by more */
}

/* Sums of single precision do not tell values apart that are smaller than the factor by the square root of their
 * rounding: there the elements are divided and compared. */
static void compare_divided(struct figures *f, const struct measure *m, uint32_t line, double factor)
{
    struct element_sample s;
    struct err quiet = {0};
    double larger = fmax(factor, 1 / factor), apart = 0, of = 0;
    if (f->rel_l2 > sqrt(larger * UNRESOLVED) || element_sample_take(&s, m, line, &quiet) < 0)
        return;
    for (size_t i = 0; i < s.n; i++)
        if (element_sample_pair(&s, i)) {
            apart += pow(s.v[TARGET][i] / factor - s.v[GOLDEN][i], 2);
            of += pow(s.v[GOLDEN][i], 2);
        }
    if (of > 0 && sqrt(apart / of) < f->rel_l2) {
        f->rel_l2 = f->unmasked = sqrt(apart / of);
        f->max_abs = f->euclid = f->rel_l2 * f->side[GOLDEN].norm;
    }
    element_sample_release(&s);
}

static void divide_sketches(struct unscaled *u, const struct dump *d, double factor)
{
    if (!d->sketch)
        return;
    u->target.sketch = mem_alloc((d->rows.n + 1) * SKETCH_NUMBERS * sizeof *d->sketch);
    memcpy(u->target.sketch, d->sketch, d->rows.n * SKETCH_NUMBERS * sizeof *d->sketch);
    for (uint32_t r = 0; r < d->rows.n; r++)
        for (size_t i = 0; is_gradient(d, r) && i <= SKETCH_NORM; i++)
            u->target.sketch[(size_t)r * SKETCH_NUMBERS + i] /= factor;
}

void loss_scale_divide(struct unscaled *out, const struct measure *m, double factor)
{
    const struct dump *d = m->side[TARGET];
    *out = (struct unscaled){.m = *m};
    memcpy(&out->target, d, sizeof out->target);
    out->target.rows.v = mem_alloc((d->rows.n + 1) * sizeof *d->rows.v);
    memcpy(out->target.rows.v, d->rows.v, d->rows.n * sizeof *d->rows.v);
    for (uint32_t r = 0; r < d->rows.n; r++)
        if (is_gradient(d, r))
            divide_row(&out->target.rows.v[r], factor);
    divide_sketches(out, d, factor);
    out->m.side[TARGET] = &out->target;
    if (!m->figures)
        return;
    out->figures = mem_alloc((m->lines + 1) * sizeof *out->figures);
    out->m.figures = mem_alloc((m->lines + 1) * sizeof *out->m.figures);
    for (uint32_t i = 0; i < m->lines; i++) {
        out->m.figures[i] = m->figures[i];
        if (!m->figures[i] || !m->figures[i]->two || !pairs_gradients(m, i))
            continue;
        out->figures[i] = *m->figures[i];
        divide_figures(&out->figures[i], factor);
        compare_divided(&out->figures[i], m, i, factor);
        out->m.figures[i] = &out->figures[i];
    }
}

void unscaled_release(struct unscaled *u)
{
    free(u->target.rows.v);
    free(u->target.sketch);
    if (u->figures)
        free(u->m.figures);
    free(u->figures);
}

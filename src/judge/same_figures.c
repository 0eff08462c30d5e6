/* Recognises, by recorded figures alone, calls that meet other elements on each side: equal figures go in, others come
 * out. */
#include "judge/same_figures.h"

#include <math.h>
#include <string.h>

#include "dump/family.h"

#define ALL_FIGURES (HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM)
#define ROUNDINGS 2 /* of the output's type, that each side may differ by */

static bool is_elementwise(enum family f)
{
    return f == FAMILY_ADD || f == FAMILY_MUL || f == FAMILY_ELEMENTWISE || f == FAMILY_ACTIVATION;
}

static bool has_figures(const struct row *t, const struct row *g)
{
    return t->kind == ROW_TENSOR && g->kind == ROW_TENSOR && dtype_is_float(t->dtype) && t->dtype == g->dtype &&
           (t->has & g->has & ALL_FIGURES) == ALL_FIGURES;
}

/* Whether an input is the same on both sides by all that was recorded of it. */
static bool is_same(const struct row *t, const struct row *g)
{
    if (t->kind != ROW_TENSOR || g->kind != ROW_TENSOR)
        return t->kind == g->kind && t->stat[STAT_MAX] == g->stat[STAT_MAX];
    return has_figures(t, g) && memcmp(t->stat, g->stat, sizeof t->stat) == 0;
}

/* Whether every input of the target call has a partner in the golden call that is the same; one at least is a tensor.
 * *coarsest: the coarsest type of these, whose figures have no more digits. */
static bool inputs_are_same(const struct measure *m, uint32_t call, uint32_t golden, enum dtype *coarsest)
{
    bool any = false;
    EACH_ROW(m->side[TARGET], call, r) {
        const struct row *t = &m->side[TARGET]->rows.v[r];
        if (t->io == IO_OUTPUT)
            continue;
        uint32_t line = m->pairing->line_of[TARGET][r];
        uint32_t other = line == NONE ? NONE : m->pairing->lines.v[line].row[GOLDEN];
        if (other == NONE || m->side[GOLDEN]->rows.v[other].call != golden ||
            !is_same(t, &m->side[GOLDEN]->rows.v[other]))
            return false;
        any = any || t->kind == ROW_TENSOR;
        if (t->kind == ROW_TENSOR)
            *coarsest = dtype_coarser(*coarsest, (enum dtype)t->dtype);
    }
    return any;
}

/* Whether the figures differ by more than rounding of elements can: extremes by their own size, the mean by that of
 * the elements. */
static bool row_figures_differ(const struct row *t, const struct row *g, double n, enum dtype type)
{
    const double *a = t->stat, *b = g->stat;
    double limit = ROUNDINGS * dtype_table[type].epsilon;
    double largest = fmax(fabs(b[STAT_MAX]), fabs(b[STAT_MIN])), usual = b[STAT_NORM] / sqrt(n);
    double extremes = fmax(fabs(a[STAT_MAX] - b[STAT_MAX]), fabs(a[STAT_MIN] - b[STAT_MIN]));
    return isfinite(largest) && isfinite(usual) &&
           (extremes > limit * largest || fabs(a[STAT_MEAN] - b[STAT_MEAN]) > limit * usual);
}

bool same_figures_go_apart(const struct measure *m, uint32_t line)
{
    const struct line *l = &m->pairing->lines.v[line];
    if (l->pair == NONE || l->row[TARGET] == NONE || l->row[GOLDEN] == NONE)
        return false;
    const struct row *t = &m->side[TARGET]->rows.v[l->row[TARGET]], *g = &m->side[GOLDEN]->rows.v[l->row[GOLDEN]];
    const struct call *c = &m->side[TARGET]->calls.v[t->call], *o = &m->side[GOLDEN]->calls.v[g->call];
    if (t->io != IO_OUTPUT || c->phase != PHASE_FORWARD || c->kind == CALL_MODULE || c->family != o->family ||
        !is_elementwise((enum family)c->family))
        return false;
    double n = (double)dump_row_numel(m->side[GOLDEN], l->row[GOLDEN]);
    enum dtype type = (enum dtype)g->dtype;
    return has_figures(t, g) && n > 1 && row_figures_differ(t, g, n, type) &&
           inputs_are_same(m, t->call, g->call, &type) && row_figures_differ(t, g, n, type);
}

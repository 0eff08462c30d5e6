/* Compares the shapes of a call's other tensors: those of a view differ as well. */
#include "judge/other_shape.h"

#include <math.h>
#include <string.h>

#include "dump/family.h"
#include "dump/reader.h"

#define RESUMMED 1e-6 /* by which norms of the same elements differ, in other axes */

/* Whether two lists of axes are the same but for axes of one element. */
static bool same_axes(const int64_t *a, int n, const int64_t *b, int m)
{
    int i = 0, k = 0;
    while (i < n || k < m) {
        if (i < n && a[i] == 1)
            i++;
        else if (k < m && b[k] == 1)
            k++;
        else if (i == n || k == m || a[i++] != b[k++])
            return false;
    }
    return true;
}

static bool shapes_alike(const struct shape *a, const struct shape *b)
{
    return shape_same(a, b) || same_axes(a->dim, a->ndim, b->dim, b->ndim);
}

/* The next axis of more than one element; 1 behind the last. `taken` counts them. */
static int64_t next_axis(const struct shape *s, int *at, int *taken)
{
    while (*at < s->ndim && s->dim[*at] == 1)
        ++*at;
    ++*taken;
    return *at < s->ndim ? s->dim[(*at)++] : 1;
}

/* Whether one shape, of as many elements, is the other with axes taken together or cut. */
static bool axes_merge(const struct shape *a, const struct shape *b)
{
    int i = 0, k = 0;
    while (i < a->ndim || k < b->ndim) {
        int own = 0, other = 0;
        int64_t n = next_axis(a, &i, &own), m = next_axis(b, &k, &other);
        while (n != m && (n < m ? i < a->ndim : k < b->ndim)) {
            if (n < m)
                n *= next_axis(a, &i, &own);
            else
                m *= next_axis(b, &k, &other);
        }
        if (n != m || (own > 1 && other > 1))
            return false;
    }
    return true;
}

/* The shape of a tensor of several elements; NULL. */
static const struct shape *shape_of(const struct dump *d, uint32_t row)
{
    const struct shape *s = d->rows.v[row].kind == ROW_TENSOR ? dump_row_shape(d, row) : NULL;
    return s && s->numel > 1 ? s : NULL;
}

static bool same_figures(const struct row *a, const struct row *b)
{
    const int all = HAS_MAX | HAS_MIN | HAS_NORM;
    double off = RESUMMED * fabs(b->stat[STAT_NORM]);
    return (a->has & b->has & all) == all && a->stat[STAT_MAX] == b->stat[STAT_MAX] &&
           a->stat[STAT_MIN] == b->stat[STAT_MIN] && fabs(a->stat[STAT_NORM] - b->stat[STAT_NORM]) <= off;
}

/* Whether a row is the gradient that comes into its own backward call, with axes taken together or
 * cut: the node that an operator for rows of two axes leaves behind its product. */
static bool is_view_of_incoming(const struct dump *d, uint32_t row)
{
    const struct row *x = &d->rows.v[row];
    const struct shape *own = shape_of(d, row);
    if (d->calls.v[x->call].phase != PHASE_BACKWARD || x->io != IO_OUTPUT)
        return false;
    EACH_EARLY_ROW(d, x->call, r) {
        const struct shape *s = d->rows.v[r].io == IO_INPUT ? shape_of(d, r) : NULL;
        if (s && s->numel == own->numel && same_figures(x, &d->rows.v[r]) && axes_merge(own, s))
            return true;
    }
    return false;
}

/* Whether the call's other pairs have one shape each, or, of a gradient, it has no other. */
static bool is_alone(const struct measure *m, uint32_t line)
{
    const uint32_t *row = m->pairing->lines.v[line].row;
    const struct dump *t = m->side[TARGET], *g = m->side[GOLDEN];
    bool any = t->rows.v[row[TARGET]].io == IO_GRADIENT;
    EACH_ROW(t, t->rows.v[row[TARGET]].call, r) {
        const struct line *l = &m->pairing->lines.v[m->pairing->line_of[TARGET][r]];
        const struct shape *a = shape_of(t, r),
                           *b = r == row[TARGET] || l->pair == NONE ? NULL : shape_of(g, l->row[GOLDEN]);
        if (!a || !b)
            continue;
        if (!shapes_alike(a, b))
            return false;
        any = true;
    }
    return any;
}

/* Whether all elements of a row are one number, which lie in every order. */
static bool is_one_number(const struct row *r)
{
    return r->has & HAS_MAX && r->has & HAS_MIN && r->stat[STAT_MAX] == r->stat[STAT_MIN];
}

/* Whether a call works element by element, and at its other end tensors have as many elements and none these axes. */
static bool contradicts_call(const struct dump *d, uint32_t row)
{
    const struct row *x = &d->rows.v[row];
    const struct shape *own = shape_of(d, row);
    uint8_t f = d->calls.v[x->call].family;
    bool any = false, elements = f == FAMILY_ACTIVATION || f == FAMILY_ADD || f == FAMILY_MUL || f == FAMILY_SOFTMAX ||
                                 f == FAMILY_NORM || f == FAMILY_CAST;
    if (!elements || (x->io != IO_INPUT && x->io != IO_OUTPUT))
        return false;
    EACH_ROW(d, x->call, r) {
        bool other_end = d->rows.v[r].io == (x->io == IO_INPUT ? IO_OUTPUT : IO_INPUT);
        const struct shape *s = other_end ? shape_of(d, r) : NULL;
        if (!s || s->numel != own->numel)
            continue;
        if (shapes_alike(own, s))
            return false;
        any = true;
    }
    return any;
}

bool other_shape_is_unexplained(const struct measure *m, uint32_t line)
{
    const struct line *l = &m->pairing->lines.v[line];
    const struct dump *t = m->side[TARGET], *g = m->side[GOLDEN];
    const struct shape *a = shape_of(t, l->row[TARGET]), *b = shape_of(g, l->row[GOLDEN]);
    /* an input may hold one sample for all (positions) */
    bool repeated = a && b && a->numel != b->numel && t->rows.v[l->row[TARGET]].io != IO_OUTPUT;
    if (!a || !b || repeated || shapes_alike(a, b) || m->pairing->pairs.v[l->pair].view != NONE ||
        m->pairing->pairs.v[l->pair].group != NONE)
        return false;
    if (is_one_number(&t->rows.v[l->row[TARGET]]) && is_one_number(&g->rows.v[l->row[GOLDEN]]))
        return false;
    const char *name = t->calls.v[t->rows.v[l->row[TARGET]].call].name,
               *other = g->calls.v[g->rows.v[l->row[GOLDEN]].call].name;
    if (is_view_of_incoming(t, l->row[TARGET]) && is_view_of_incoming(g, l->row[GOLDEN]))
        return false;
    if (t->reader == g->reader && dumps_of_one_framework(t, g) && strcmp(name, other) == 0)
        return is_alone(m, line);
    return contradicts_call(t, l->row[TARGET]) || contradicts_call(g, l->row[GOLDEN]);
}

bool weight_has_other_axes(const struct measure *m, uint32_t line)
{
    const struct line *l = &m->pairing->lines.v[line];
    const struct dump *t = m->side[TARGET], *g = m->side[GOLDEN];
    if (!t->reader || !t->reader->weights || !g->reader || !g->reader->weights)
        return false;
    const struct shape *a = shape_of(t, l->row[TARGET]), *b = shape_of(g, l->row[GOLDEN]);
    const struct pair *p = &m->pairing->pairs.v[l->pair];
    const struct view *v = measure_view(m, line);
    return a && b && a->numel == b->numel && p->view == NONE && p->group == NONE && !(v && v->count) &&
           !axes_merge(a, b);
}

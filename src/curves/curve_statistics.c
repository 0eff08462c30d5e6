/* Statistics of tensors that both logs have, name by name and step by step: where they differ first and most. */
#include "curves/curves.h"

#include <math.h>

#include "base/mem.h"
#include "log/log_format.h"

bool curves_of_statistics(const struct series *s)
{
    return s->points.n && log_formats[log_kind_named(s->format)].statistics;
}

static struct str statistic_key(struct buf *b, const struct log_name *n)
{
    buf_clear(b);
    buf_fmt(b, "%s\n%s", n->tag, n->name);
    return buf_view(b);
}

/* What one step of one statistic adds. */
static void compare_point(struct curves *c, struct curve_statistic *x, const struct log_point *t,
                          const struct log_point *g)
{
    struct curve_statistics *all = &c->statistics;
    all->values++;
    bool finite = isfinite(t->value) && isfinite(g->value);
    if (t->value == g->value || (isnan(t->value) && isnan(g->value)))
        return;
    double rel = finite ? fabs(t->value - g->value) / fmax(fabs(t->value), fabs(g->value)) : INFINITY;
    if (x->first < 0)
        x->first = t->step;
    if (rel > x->max_rel) {
        x->max_rel = rel;
        x->value[0] = t->value;
        x->value[1] = g->value;
        x->at = t->step;
    }
}

static void compare_name(struct curves *c, const struct log_name *t, const struct log_name *g)
{
    struct curve_statistic x = {.tag = t->tag, .name = t->name, .first = -1};
    const struct log_point *a = &c->run[0].points.v[t->first], *b = &c->run[1].points.v[g->first];
    for (size_t i = 0, k = 0; i < t->n && k < g->n;) {
        if (a[i].step == b[k].step)
            compare_point(c, &x, &a[i++], &b[k++]);
        else if (a[i].step < b[k].step)
            i++;
        else
            k++;
    }
    c->statistics.names++;
    if (x.first >= 0)
        vec_push(&c->statistics.differing, x);
}

static int by_step_then_size(const void *a, const void *b)
{
    const struct curve_statistic *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->max_rel > y->max_rel || x->max_rel < y->max_rel)
        return x->max_rel > y->max_rel ? -1 : 1;
    int by_name = strcmp(x->name, y->name);
    return by_name ? by_name : strcmp(x->tag, y->tag);
}

void curve_statistics_find(struct curves *c)
{
    struct map golden = {0};
    struct buf key = {0};
    struct arena keys = {0};
    vec_clear(&c->statistics.differing);
    c->statistics.names = c->statistics.values = c->statistics.alone = 0;
    if (!curves_of_statistics(&c->run[0]) || !curves_of_statistics(&c->run[1]))
        return;
    const struct series *t = &c->run[0], *g = &c->run[1];
    for (size_t i = 0; i < g->names.n; i++)
        map_add(&golden, arena_str(&keys, statistic_key(&key, &g->names.v[i])), (uint32_t)i);
    for (size_t i = 0; i < t->names.n; i++) {
        uint32_t at = map_get(&golden, statistic_key(&key, &t->names.v[i]));
        if (at == MAP_NONE)
            c->statistics.alone++;
        else
            compare_name(c, &t->names.v[i], &g->names.v[at]);
    }
    c->statistics.alone += g->names.n - c->statistics.names;
    vec_sort(&c->statistics.differing, by_step_then_size);
    map_release(&golden);
    buf_release(&key);
    arena_release(&keys);
}

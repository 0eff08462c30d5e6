/* Runs a formula a second time on slightly perturbed inputs, with fixed signs. */
#include "oracle/moved_inputs.h"

#include <string.h>

#include "judge/thresholds.h"

/* large compared with the rounding of doubles, small compared with a function's curvature */
#define MOVED_BY 0x1p-20

struct movement {
    struct recorded_call *r;
    double mask;
    uint64_t seed;
};

static bool is_moved(const struct movement *m, double v)
{
    return fabs(v) <= m->mask;
}

static double root_mean_square(const struct movement *m, const struct real_tensor *t)
{
    double squares = 0, n = 0;
    for (int64_t i = 0; i < t->count; i++)
        if (is_moved(m, t->v[i])) {
            squares += t->v[i] * t->v[i];
            n++;
        }
    return n > 0 ? sqrt(squares / n) : 0;
}

/* Perturbs a copy, because several operands may share one recorded tensor. */
static void move_tensor(struct movement *m, struct real_tensor *t)
{
    if (!dtype_is_float(t->dtype) || !t->v)
        return;
    double by = MOVED_BY * root_mean_square(m, t), *v = real_array(&m->r->values, t->count);
    for (int64_t i = 0; i < t->count; i++) {
        m->seed = m->seed * 6364136223846793005u + 1442695040888963407u;
        v[i] = t->v[i] + (!is_moved(m, t->v[i]) ? 0 : m->seed >> 63 ? by : -by);
    }
    t->v = v;
}

static void move_value(struct movement *m, struct value *v)
{
    if (v->kind == VALUE_TENSOR)
        move_tensor(m, &v->tensor);
    for (int i = 0; v->kind == VALUE_LIST && i < v->items; i++)
        move_value(m, &v->item[i]);
}

static double change_of(const struct movement *m, const struct real_tensor *before, const struct real_tensor *after)
{
    double change = 0, size = 0;
    for (int64_t i = 0; i < before->count; i++) {
        double y = before->v[i], d = after->v[i] - y;
        if (is_moved(m, y) && isfinite(d)) {
            size += y * y;
            change += d * d;
        }
    }
    return size > 0 ? sqrt(change / size) / MOVED_BY : NAN;
}

double moved_inputs_change(struct recorded_call *r, formula_function *formula, int which)
{
    struct call_values *c = &r->values;
    struct movement m = {.r = r, .mask = rule_limit(RULE_LIMIT_ORACLE_MASK), .seed = 1};
    struct candidate before = c->candidate[which];
    if (before.product || before.move)
        return NAN;
    for (int i = 0; i < c->places; i++)
        move_value(&m, &c->place[i]);
    for (int i = 0; i < c->keywords; i++)
        move_value(&m, &c->keyword[i].value);
    c->candidates = 0;
    formula(c);
    const struct candidate *after = !c->unknown && which < c->candidates ? &c->candidate[which] : NULL;
    if (!after || after->product || after->y.count != before.y.count || strcmp(after->formula, before.formula) != 0)
        return NAN;
    return change_of(&m, &before.y, &after->y);
}

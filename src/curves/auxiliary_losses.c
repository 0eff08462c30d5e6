/* Losses beside the main one (load balancing, z-loss, multi-token prediction) that both logs print, compared as the
 * loss is. */
#include "curves/curves.h"

#include <math.h>

#include "log/value_names.h"

static const struct factor_room factor_room = {.miss = 0.01, .share = 0.99, .apart = 0.02, .compare_offset = true};

static bool is_auxiliary_loss(const struct log_name *n, char plain[64])
{
    return n->n && strcmp(n->tag, "loss") == 0 && auxiliary_loss_named(str_of(n->name), plain);
}

static const struct log_name *find_counterpart_loss(const struct series *s, const char *wanted)
{
    char other[64];
    for (size_t i = 0; i < s->names.n; i++)
        if (is_auxiliary_loss(&s->names.v[i], other) && strcmp(wanted, other) == 0)
            return &s->names.v[i];
    return NULL;
}

static void compare_auxiliary_loss(struct curves *c, const struct log_name *const name[2],
                                   const struct thresholds_curves *limits)
{
    struct auxiliary_loss a = {.name = {name[0]->name, name[1]->name}, .verdict = STAGE_PASS};
    VEC(double) t = {0};
    VEC(double) g = {0};
    for (size_t i = 0; i < c->usable.n; i++) {
        double v[2];
        size_t at = c->usable.v[i];
        if (!log_name_at(&c->run[0], name[0], curve_record(c, at, 0)->step, &v[0]) ||
            !log_name_at(&c->run[1], name[1], curve_record(c, at, 1)->step, &v[1]))
            continue;
        vec_push(&t, v[0]);
        vec_push(&g, v[1]);
        a.mean_abs += fabs(v[0] - v[1]);
        a.mean_rel += v[0] == v[1] ? 0 : fabs(v[0] - v[1]) / fabs(v[1]);
    }
    a.steps = t.n;
    if (a.steps) {
        a.mean_abs /= (double)a.steps;
        a.mean_rel /= (double)a.steps;
        a.factor = constant_factor(t.v, g.v, t.n, &factor_room).factor;
        if (a.factor != 0 || !(a.mean_abs < limits->mean_loss_abs || a.mean_rel < limits->mean_loss_rel))
            a.verdict = STAGE_FAIL;
        vec_push(&c->auxiliary, a);
    }
    vec_release(&t);
    vec_release(&g);
}

void auxiliary_losses_find(struct curves *c, const struct thresholds_curves *t)
{
    vec_clear(&c->auxiliary);
    for (int k = 0; k < 2; k++) {
        const struct series *s = &c->run[k], *other = &c->run[!k];
        c->auxiliary_only[k] = NULL;
        for (size_t i = 0; i < s->names.n; i++) {
            const struct log_name *n = &s->names.v[i], *twin;
            char plain[64];
            if (!is_auxiliary_loss(n, plain))
                continue;
            twin = find_counterpart_loss(other, plain);
            if (!twin)
                c->auxiliary_only[k] = n->name;
            else if (k == 0)
                compare_auxiliary_loss(c, (const struct log_name *const[2]){n, twin}, t);
        }
    }
}

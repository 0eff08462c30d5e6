/* Metrics of reinforcement learning that both logs have, whatever their tools call them. */
#include "curves/curves.h"

#include <math.h>

#include "log/value_names.h"

static const struct log_name *series_of(const struct series *s, const char *tag)
{
    for (size_t i = 0; i < s->names.n; i++)
        if (s->names.v[i].n && strcmp(s->names.v[i].tag, tag) == 0)
            return &s->names.v[i];
    return NULL;
}

void curve_metrics_find(struct curves *c)
{
    const char *tag;
    vec_clear(&c->metrics);
    for (size_t k = 0; (tag = rl_metric_tag(k)) != NULL; k++) {
        const struct log_name *n[2] = {series_of(&c->run[0], tag), series_of(&c->run[1], tag)};
        struct curve_metric m = {.tag = tag};
        if (!n[0] || !n[1] || (strcmp(tag, RL_ROLLOUT) == 0 && strcmp(n[0]->name, n[1]->name) != 0))
            continue; /* tools measure the distance from the engine in different ways */
        for (size_t i = 0; i < c->points.n; i++) {
            double v[2];
            if (!log_name_at(&c->run[0], n[0], curve_record(c, i, 0)->step, &v[0]) ||
                !log_name_at(&c->run[1], n[1], curve_record(c, i, 1)->step, &v[1]))
                continue;
            if (!m.steps++ || fabs(v[0] - v[1]) > m.max_abs) {
                m.max_abs = fabs(v[0] - v[1]);
                m.at = c->points.v[i].step;
            }
            for (int s = 0; s < 2; s++)
                m.mean[s] += v[s];
        }
        for (int s = 0; s < 2; s++) {
            m.name[s] = n[s]->name;
            m.mean[s] /= (double)m.steps;
        }
        if (m.steps)
            vec_push(&c->metrics, m);
    }
}

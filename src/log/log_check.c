/* Checks one training log for values that are not finite and values that never move. */
#include "log/log_check.h"

#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "log/value_names.h"

static void add_log_problem(struct log_check *c, int64_t step, const char *kind, const char *text)
{
    struct log_problem p = {.step = step, .kind = kind, .text = text};
    vec_push(&c->problems, p);
}

/* A norm of steps that overflowed and were skipped is Inf by nature. */
static bool is_expected_non_finite(const struct log_record *r, enum log_value v)
{
    return v == LOG_NORM &&
           (log_skipped(r) ||
            ((r->has & LOG_HAS_OVERFLOW) && r->overflow && !(log_has(r, LOG_LOSS) && !isfinite(r->value[LOG_LOSS]))));
}

static void one_step(struct log_check *c, const struct series *s, const struct log_record *r)
{
    const char *path = r->file < s->files.n ? s->files.v[r->file].path : s->path;
    if (log_loss_hidden(s, r) && !(log_has(r, LOG_LOSS) && !isfinite(r->value[LOG_LOSS])))
        add_log_problem(c, r->step, "nan",
                        arena_fmt(&c->arena, _("the loss is non-finite and not printed (%s, %s %u)"), path, _(s->unit),
                                  r->line));
    for (int v = 0; v < LOG_EPOCH; v++) {
        if (!log_has(r, (enum log_value)v) || isfinite(r->value[v]) || is_expected_non_finite(r, (enum log_value)v))
            continue;
        bool nan = isnan(r->value[v]);
        add_log_problem(c, r->step, nan ? "nan" : "inf",
                        arena_fmt(&c->arena, nan ? _("%s is NaN (%s, %s %u)") : _("%s is infinite (%s, %s %u)"),
                                  log_value_title((enum log_value)v), path, _(s->unit), r->line));
    }
}

/* Notes values that never change although they should. */
static void note_constant_value(struct log_check *c, const struct series *s, enum log_value v)
{
    size_t n = 0;
    double first = 0;
    for (size_t i = 0; i < s->records.n; i++) {
        const struct log_record *r = &s->records.v[i];
        if (!log_has(r, v))
            continue;
        if (n++ == 0)
            first = r->value[v];
        else if (!(r->value[v] == first))
            return;
    }
    if (n < 2 || (v == LOG_LR && first != 0))
        return;
    add_log_problem(c, -1, first == 0 ? "all-zero" : "constant",
                    arena_fmt(&c->arena, first == 0 ? _("%s is zero at all %zu steps")
                              : _("%s is the same at all %zu steps"), log_value_title(v), n));
    c->notes++;
}

/* Notes metrics that say trainer and rollout engine do not fit. */
static void rollout_apart(struct log_check *c, const struct series *s)
{
    char most[NUM_MAX], limit[NUM_MAX];
    for (uint32_t name = 0; name < s->names.n; name++) {
        bool of_rollout = strcmp(s->names.v[name].tag, RL_ROLLOUT) == 0;
        const struct rl_metric *m = of_rollout ? rl_metric(str_of(s->names.v[name].name)) : NULL;
        size_t above = 0;
        int64_t first = -1;
        double largest = 0;
        for (size_t i = 0; m && i < s->points.n; i++) {
            const struct log_point *p = &s->points.v[i];
            if (p->name != name || !(p->value > m->limit))
                continue;
            first = above++ ? first : p->step;
            largest = fmax(largest, p->value);
        }
        if (!above)
            continue;
        add_log_problem(c, first, "rollout",
                        arena_fmt(&c->arena, _("%s is above %s at %zu steps, at most %s: trainer and rollout engine "
                                               "give the sampled tokens other probabilities; compare them with "
                                               "diverge rollout"),
                                  m->name, num_cell(limit, m->limit, 3), above, num_cell(most, largest, 3)));
        c->notes++;
    }
}

void log_check_run(struct log_check *c, const struct series *s)
{
    *c = (struct log_check){0};
    for (size_t i = 0; i < s->records.n; i++)
        one_step(c, s, &s->records.v[i]);
    for (size_t i = 0; i < s->points.n; i++) {
        const struct log_point *p = &s->points.v[i];
        const struct log_name *n = &s->names.v[p->name];
        if (isfinite(p->value))
            continue;
        bool nan = isnan(p->value);
        const char *text =
            rl_metric_title(n->tag)
                ? arena_fmt(&c->arena, nan ? _("%s is NaN (%s)") : _("%s is infinite (%s)"), rl_metric_title(n->tag),
                            n->name)
            : log_is_norm(n)
                ? arena_fmt(&c->arena, nan ? _("the local norm of %s is NaN") : _("the local norm of %s is infinite"),
                            n->name)
                : arena_fmt(&c->arena, nan ? _("%s of %s is NaN") : _("%s of %s is infinite"), n->tag, n->name);
        add_log_problem(c, p->step, nan ? "nan" : "inf", text);
    }
    note_constant_value(c, s, LOG_LOSS);
    note_constant_value(c, s, LOG_LR);
    note_constant_value(c, s, LOG_NORM);
    rollout_apart(c, s);
    const char *kind, *text;
    int64_t step;
    if ((text = loss_course(s, &c->arena, &kind, &step)) != NULL) {
        add_log_problem(c, step, kind, text);
        c->notes++;
    }
    if ((text = log_overflows(s, &c->arena, &step)) != NULL) {
        add_log_problem(c, step, "overflow", text);
        c->notes++;
    }
}

void log_check_release(struct log_check *c)
{
    vec_release(&c->problems);
    arena_release(&c->arena);
}

/* What the panels of curves say alike: the standard's points, what stands out, where to dump. */
#include <math.h>
#include <stdio.h>

#include "base/msg.h"
#include "base/num.h"
#include "panel/curve_items.h"

#define MARKS 200 /* of them are listed */

static enum panel_mark mark_of(enum stage_verdict v)
{
    return v == STAGE_PASS ? MARK_OK : v == STAGE_FAIL ? MARK_BAD : MARK_OPEN;
}

static const char *figure(struct arena *a, enum curve_limit l, double v)
{
    char n[NUM_MAX];
    bool share = l == CURVE_FIRST_REL || l == CURVE_MEAN_REL || l == CURVE_NORM_REL;
    if (isnan(v))
        return "–";
    if (l == CURVE_STEPS)
        return arena_fmt(a, "%s", num_count(n, (unsigned long long)v));
    return arena_fmt(a, "%s%s", num_cell(n, share ? 100 * v : v, 3), share ? " %" : "");
}

void curve_items_points(struct panel_page *p, const struct curves *c)
{
    const struct {
        const char *id, *title;
        enum stage_verdict verdict;
        enum curve_limit a, b;
    } rows[] = {
        {"first-loss", _("first loss"), c->first_loss, CURVE_FIRST_ABS, CURVE_FIRST_REL},
        {"mean-loss", _("mean loss"), c->mean_loss, CURVE_MEAN_ABS, CURVE_MEAN_REL},
        {"global-norm", _("global norm"), c->global_norm, CURVE_NORM_REL, CURVE_NORM_REL},
        {"steps", _("joined steps"), c->limit[CURVE_STEPS].verdict, CURVE_STEPS, CURVE_STEPS},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct curve_judged *a = &c->limit[rows[i].a], *b = &c->limit[rows[i].b];
        if (rows[i].a == rows[i].b)
            page_item(p, mark_of(rows[i].verdict), rows[i].id, rows[i].a == CURVE_STEPS ? _("%s: %s, at least %s") : _("%s: %s, at most %s"), rows[i].title,
                      figure(&p->arena, rows[i].a, a->value), figure(&p->arena, rows[i].a, a->limit));
        else
            page_item(p, mark_of(rows[i].verdict), rows[i].id, _("%s: %s < %s, or %s < %s"), rows[i].title, figure(&p->arena, rows[i].a, a->value),
                      figure(&p->arena, rows[i].a, a->limit), figure(&p->arena, rows[i].b, b->value), figure(&p->arena, rows[i].b, b->limit));
    }
}

/* What a step that asks to be looked at leads to. */
static void lead(struct panel_page *p, struct panel_item *it, const struct outlier_step *m, const char *of)
{
    char at[40];
    it->detail = _("Look at the data of this step (decode them; skip them), at overflow around it and at the local norms; Enter writes what dumps it.");
    it->command = arena_fmt(&p->arena, "next-dump %lld", (long long)m->step);
    snprintf(at, sizeof at, "%s%s@%lld", of, m->series == CURVE_LOSS ? "loss" : "norm", (long long)m->step);
    page_subject(p, it, SUBJECT_CURVE, NULL, NULL, at);
}

void curve_items_spikes(struct panel_page *p, const struct curves *c)
{
    char n[NUM_MAX], id[40];
    for (size_t i = 0; i < c->spikes.n && i < MARKS; i++) {
        const struct outlier_step *m = &c->spikes.v[i];
        snprintf(id, sizeof id, "step-%lld", (long long)m->step);
        lead(p, page_item(p, MARK_ADVICE, id, _("step %lld stands out: the %s is %s"), (long long)m->step, log_value_title(curve_value(m->series)), num_cell(n, m->value, 4)), m, "");
    }
}

void curve_items_marks(struct panel_page *p, const struct curves *c, bool decides)
{
    char n[NUM_MAX], id[40];
    for (size_t i = 0; i < c->nonfinite.n + c->spikes.n && i < MARKS; i++) {
        bool finite = i >= c->nonfinite.n;
        const struct outlier_step *m = finite ? &c->spikes.v[i - c->nonfinite.n] : &c->nonfinite.v[i];
        snprintf(id, sizeof id, "step-%lld", (long long)m->step);
        lead(p, page_item(p, decides ? MARK_BAD : MARK_ADVICE, id, finite ? _("step %lld stands out: the %s of run %d is %s") : _("step %lld: the %s of run %d is %s"),
                          (long long)m->step, log_value_title(curve_value(m->series)), m->run + 1, num_cell(n, m->value, 4)), m, decides ? "frozen-" : "");
    }
}

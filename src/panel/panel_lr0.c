/* Panel 6: curves of runs with learning rate 0, so that every step is independent of the previous ones. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "curves/curves_section.h"
#include "panel/curve_items.h"

/* The first step whose printed rate is not 0, -1: none; *known: a rate is printed at all. */
static int64_t first_learning_step(const struct series *s, bool *known)
{
    *known = false;
    for (size_t i = 0; i < s->records.n; i++)
        if (log_has(&s->records.v[i], LOG_LR)) {
            *known = true;
            if (s->records.v[i].value[LOG_LR] > 0)
                return s->records.v[i].step;
        }
    return -1;
}

static void check_learning_rate_zero(struct panel_page *p, const struct curves *c)
{
    for (size_t k = 0; k < 2; k++) {
        bool known;
        int64_t at = first_learning_step(&c->run[k], &known);
        const char *who = k ? _("golden") : _("target");
        if (at >= 0)
            page_item(p, MARK_OPEN, "frozen", _("%s: the learning rate is not 0 at step %lld; give the log of the run "
                                                "with learning rate 0"), who, (long long)at);
        else if (!known)
            page_item(p, MARK_NOTE, NULL, _("%s: no learning rate in this log: cannot check that it is 0"), who);
    }
}

static void add_largest_differences(struct panel_page *p, const struct curves *c)
{
    double norm = 0;
    int64_t at;
    char n[2][NUM_MAX];
    double most = curves_largest(c, &at);
    for (size_t i = 0; i < c->points.n; i++) {
        const struct log_record *t = curve_record(c, i, 0), *o = curve_record(c, i, 1);
        double d = fabs(t->value[LOG_NORM] - o->value[LOG_NORM]);
        if (log_has(t, LOG_NORM) && log_has(o, LOG_NORM) && isfinite(d))
            norm = fmax(norm, d);
    }
    struct panel_item *it =
        at < 0
            ? page_item(p, MARK_NOTE, NULL,
                        _("the losses are equal at all %zu steps; the global norms differ by at most %s"),
                        c->usable.n, num_cell(n[0], norm, 2))
            : page_item(p, MARK_NOTE, NULL, _("largest difference: loss %s, at step %lld; global norm %s"),
                        num_cell(n[0], most, 3), (long long)at, num_cell(n[1], norm, 2));
    it->detail = _(
        "In the correct example of the guide, the losses differ by about 0.001 and the global norms by about 0.05 at "
        "most.");
}

static void add_standard(struct panel_page *p, const struct curves *c)
{
    struct document d;
    document_begin(&d);
    curves_section(&d, c);
    page_unread(p, c->unread.v, c->unread.n);
    page_rows(p, &d);
    document_release(&d);
}

void panel_lr0(struct panel_page *p, const struct procedure *g)
{
    page_inputs(p, g, PANEL_INPUT_TARGET_FROZEN, PANEL_INPUT_GOLDEN_FROZEN, true);
    page_input(p, g, PANEL_INPUT_GOLDEN_FROZEN2, false);
    if (procedure_pending(p, g, ENGINE_RUN_FROZEN, "frozen", _("logs with learning rate 0"))) {
        page_settle(p, g);
        p->summary = vec_last(&p->items)->text;
        p->next = _("Run both sides for 1,000 steps with learning rate 0 and give the logs; w writes the settings.");
        return;
    }
    const struct curves *c = procedure_result(g, ENGINE_RUN_FROZEN)->curves;
    p->picture = ENGINE_RUN_FROZEN;
    check_learning_rate_zero(p, c);
    add_standard(p, c);
    add_largest_differences(p, c);
    curve_items_marks(p, c, true);
    page_sentences(p, MARK_NOTE, c->warnings.v, c->warnings.n);
    page_settle(p, g);
    size_t bad = 0;
    for (size_t i = 0; i < p->items.n; i++)
        bad += p->items.v[i].mark == MARK_BAD && p->items.v[i].command;
    char n[NUM_MAX];
    p->summary =
        bad ? arena_fmt(&p->arena, _("%s steps, %zu outliers"), num_count(n, c->usable.n), bad)
            : arena_fmt(&p->arena,
                        p->state == PANEL_FAILED ? _("%s steps, limits exceeded") : _("%s steps, no outliers"),
                        num_count(n, c->usable.n));
    int64_t step = c->spikes.n ? c->spikes.v[0].step : -1;
    p->next = p->state == PANEL_FAILED   ? _("Check the outlier step: its data first, then a dump of it.")
              : p->state == PANEL_PASSED ? _("The runs with frozen weights agree: continue with the long run.")
                                         : _("1,000 steps with learning rate 0 are needed on both sides.");
    if (p->state == PANEL_FAILED && step >= 0)
        p->next_command = arena_fmt(&p->arena, "next-dump %lld", (long long)step);
}

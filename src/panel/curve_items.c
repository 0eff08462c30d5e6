/* Items that the panels of curves share: the standard's points, outliers, the step to dump. */
#include <stdio.h>

#include "base/msg.h"
#include "base/num.h"
#include "panel/curve_items.h"

#define MARKS 200 /* of them are listed */

/* What a step that asks to be examined leads to. */
static void lead_to_step(struct panel_page *p, struct panel_item *it, const struct outlier_step *m, const char *of)
{
    char at[40];
    it->detail = _("Check the data of this step (decode the tokens; try to skip the batch), overflow near it and the "
                   "local norms; Enter shows the curves near it, D writes the configuration to dump it.");
    it->command = arena_fmt(&p->arena, "plot to %lld", (long long)m->step);
    snprintf(at, sizeof at, "%s%s@%lld", of, m->series == CURVE_LOSS ? "loss" : "norm", (long long)m->step);
    page_subject(p, it, SUBJECT_CURVE, NULL, NULL, at);
}

void curve_items_spikes(struct panel_page *p, const struct curves *c)
{
    char n[NUM_MAX], id[40];
    for (size_t i = 0; i < c->spikes.n && i < MARKS; i++) {
        const struct outlier_step *m = &c->spikes.v[i];
        snprintf(id, sizeof id, "step-%lld", (long long)m->step);
        lead_to_step(p,
                     page_item(p, MARK_ADVICE, id, _("outlier at step %lld: the %s is %s"), (long long)m->step,
                               log_value_title(curve_value(m->series)), num_cell(n, m->value, 4)),
                     m, "");
    }
}

/* Whose value it is: the first run is the target's. */
static const char *run_owner(struct panel_page *p, int run)
{
    return run == 0 ? _("target") : run == 1 ? _("golden") : arena_fmt(&p->arena, _("golden run %d"), run);
}

void curve_items_marks(struct panel_page *p, const struct curves *c, bool decides)
{
    char n[NUM_MAX], id[40];
    for (size_t i = 0; i < c->nonfinite.n + c->spikes.n && i < MARKS; i++) {
        bool finite = i >= c->nonfinite.n;
        const struct outlier_step *m = finite ? &c->spikes.v[i - c->nonfinite.n] : &c->nonfinite.v[i];
        snprintf(id, sizeof id, "step-%lld", (long long)m->step);
        lead_to_step(p,
                     page_item(
                 p, decides ? MARK_BAD : MARK_ADVICE, id,
                 finite ? _("outlier at step %lld: %s %s is %s") : _("step %lld: %s %s is %s"),
                 (long long)m->step, run_owner(p, (int)m->run), log_value_title(curve_value(m->series)),
                 num_cell(n, m->value, 4)),
                     m, decides ? "frozen-" : "");
    }
}

const char *curve_items_next(struct panel_page *p, const struct curves *c)
{
    const char *text = c->next.v[0];
    int first = *text >= 'a' && *text <= 'z' ? *text - 'a' + 'A' : *text;
    return arena_fmt(&p->arena, "%c%s", first, text + 1);
}

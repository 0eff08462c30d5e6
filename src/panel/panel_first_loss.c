/* Panel 3: the loss of step 1, and where the dumps start to deviate if it does not agree. */
#include "base/msg.h"
#include "judge/verdict_text.h"
#include "curves/curves_section.h"
#include "panel/curve_items.h"
#include "panel/dump_run.h"
#include "panel/subject.h"

static void first_loss(struct panel_page *p, const struct procedure *g)
{
    if (procedure_pending(p, g, ENGINE_RUN_CURVES, "first-loss", _("loss of step 1, from the logs")))
        return;
    const struct curves *c = procedure_result(g, ENGINE_RUN_CURVES)->curves;
    struct document d;
    document_begin(&d);
    curves_first_section(&d, c);
    page_items(p, &d);
    document_release(&d);
    if (c->first_loss == STAGE_FAIL && !c->forward_only) {
        struct panel_item *it = page_find(p, "first-loss");
        it->mark = MARK_MISSING;
        it->detail = _("Only a loss before the first update tests the forward pass alone: print every step from the "
                       "first on, and make sure that neither side skips steps (loss scale).");
    }
}

/* Of the dumps of several ranks one is compared, and nothing deviates in it. */
static bool one_rank_of_several(const struct procedure *g)
{
    return g->s->side[TARGET].dump.rank >= 0 && (g->laid[TARGET].ranks > 1 || g->laid[GOLDEN].ranks > 1);
}

/* What one rank says is not said of the others. */
static void add_other_ranks(struct panel_page *p, const struct procedure *g, bool loss_ok)
{
    const char *why = investigation_text(&g->inv->answers, "first-deviation");
    bool bad = g->ranks_status == 1;
    struct panel_item *it = page_item(p, loss_ok      ? MARK_NOTE
                                         : bad && why ? MARK_WAIVED
                                         : bad        ? MARK_BAD
                                                      : MARK_OPEN,
                                      "first-deviation",
                                      bad ? _("rank %d is aligned, other ranks deviate")
                                          : _("rank %d is aligned, the other ranks are not known to be"),
                                      g->s->side[TARGET].dump.rank);
    if (why)
        page_detail(p, it, _("explained: %s"), why);
    else
        page_detail(p, it, "%s",
                    _(":ranks shows all of them; diverge compare TARGET GOLDEN compares them and names the first that "
                      "deviates."));
}

/* The result of the dumps. `decides`: only they show whether the first step agrees. */
static void add_dump_result(struct panel_page *p, const struct procedure *g, bool loss_ok)
{
    const struct comparison *s = g->s;
    const struct judgement *j = s->judged;
    struct buf b = {0}, name = {0};
    if (!s->side[0].path || s->single || s->failed) {
        struct panel_item *it = page_item(p, loss_ok ? MARK_NOTE : MARK_MISSING, "first-deviation", "%s",
                                          s->failed ? s->err.text : _("first deviation: the dumps of step 1 of both "
                                                                      "sides are needed"));
        it->need = "dump";
    } else if (!s->complete || !j) {
        page_item(p, loss_ok ? MARK_NOTE : MARK_RUNNING, "first-deviation", "%s",
                  _("first deviation: comparing the dumps …"));
    } else if (j->first == NONE && g->ranks_status != 0 && one_rank_of_several(g)) {
        add_other_ranks(p, g, loss_ok);
    } else if (j->first == NONE) {
        struct judge_options o = comparison_judge_options(s);
        explain_outcome(j, &o, &b);
        struct panel_item *it = page_item(p,
                                          judgement_status(j, &o) == 0 ? MARK_OK
                                          : loss_ok                    ? MARK_NOTE
                                                                       : MARK_OPEN,
                                          "first-deviation", "%s", b.p);
        it->detail = it->text;
    } else {
        const uint32_t *row = s->pairing->lines.v[j->first].row;
        int side = row[TARGET] != NONE ? TARGET : GOLDEN;
        const char *why = investigation_text(&g->inv->answers, "first-deviation");
        struct finding x;
        bool found = subject_explains_first(g, &x);
        struct subject of;
        subject_of_line(s, NULL, j->first, &of, &p->arena);
        dump_row_name(&s->side[side].dump, row[side], &name);
        struct panel_item *it =
            page_item(p,
                      loss_ok        ? MARK_NOTE
                      : why || found ? MARK_WAIVED
                                     : MARK_BAD,
                      "first-deviation", _("first deviation: %s (%s)"), name.p, first_class_label(j->first_class));
        page_subject(p, it, of.kind, of.about[0], of.about[1], NULL);
        if (why)
            page_detail(p, it, _("explained: %s"), why);
        else if (found)
            page_detail(p, it, _("explained by finding %u: %s"), x.number, x.text);
        else
            page_detail(p, it, _("%s Enter goes there; a adds a finding about it; it is explained by a finding with "
                                 "status root-cause or by :answer first-deviation TEXT."),
                        explain_first(j, &s->measure));
        it->command = "first";
    }
    buf_release(&b);
    buf_release(&name);
}

/* The losses agree, but are not those of the dumped runs. */
static void of_other_runs(struct panel_item *it)
{
    it->mark = MARK_NOTE;
    it->detail = _("The logs are of other runs than the dumps (panel 2): their loss does not decide about these dumps. "
                   "Give the logs of the dumped runs, or answer the question in panel 2.");
}

/* Done: the loss is within the limits, or the first deviation is explained; if all of the dumps agrees, no log is
 * needed. */
static void settle_marks(struct panel_item *loss, struct panel_item *deviation)
{
    uint8_t mark = deviation->mark;
    if (mark == MARK_WAIVED && loss->mark == MARK_BAD)
        loss->mark = MARK_WAIVED;
    if ((mark == MARK_OK || mark == MARK_BAD || mark == MARK_WAIVED) && loss->mark == MARK_MISSING)
        loss->mark = MARK_NOTE;
    if (loss->mark == MARK_BAD && mark == MARK_OK)
        deviation->mark = MARK_NOTE; /* the loss says otherwise */
}

/* `deviation`: its mark before it was settled. */
static void say_next(struct panel_page *p, const struct procedure *g, const struct engine_run_result *r,
                     uint8_t loss, uint8_t deviation)
{
    const char *told = procedure_first_told(g, &p->arena);
    bool deviates = g->s->judged && g->s->judged->first != NONE;
    if (p->state == PANEL_PASSED && deviates && r)
        p->next =
            _("The first loss agrees, so the effect of the first deviation in the dumps is small: come back to it if "
              "later panels fail.");
    else if (p->state == PANEL_PASSED)
        p->next = _("The forward pass agrees: continue with the backward pass.");
    else if (deviation == MARK_BAD)
        p->next = told ? arena_fmt(&p->arena, _("Check the first deviation: %s"), told)
                       : _("Check the first deviation: do its inputs agree, what kind of error is it, which source "
                           "line is it?");
    else if (loss == MARK_BAD && r->curves->factor[CURVE_LOSS].factor != 0)
        p->next = curve_items_next(p, r->curves);
    else if (deviation == MARK_MISSING && loss == MARK_BAD)
        p->next = _("The forward pass differs: dump step 1 on both sides (w writes the configuration).");
    else if (deviation == MARK_OK && loss == MARK_BAD)
        p->next = _("The dumps agree, the losses differ: check that it is the same step and the same loss reduction.");
    else
        p->next = _("Give both training logs to compare the first loss, or both dumps of step 1.");
    if (deviates)
        p->next_command = "first";
    else if (p->state == PANEL_FAILED && deviation == MARK_MISSING)
        p->next_command = "recipe dump";
}

void panel_first_loss(struct panel_page *p, const struct procedure *g)
{
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_CURVES);
    /* what panel 2 calls other runs than the dumps' says nothing of the dumps */
    bool apart = page_dump_run_open(&g->page[1]);
    bool ok = r && r->curves->first_loss == STAGE_PASS && !apart;
    page_inputs(p, g, PANEL_INPUT_TARGET_LOG, PANEL_INPUT_GOLDEN_LOG, true);
    page_inputs(p, g, PANEL_INPUT_TARGET, PANEL_INPUT_GOLDEN, true);
    first_loss(p, g);
    size_t loss = p->items.n - 1;
    if (apart && p->items.v[loss].mark == MARK_OK)
        of_other_runs(&p->items.v[loss]);
    add_dump_result(p, g, ok);
    size_t dev = p->items.n - 1;
    uint8_t deviation = p->items.v[dev].mark;
    settle_marks(&p->items.v[loss], &p->items.v[dev]);
    page_settle(p, g);
    uint8_t mark = p->items.v[loss].mark;
    p->summary = p->items.v[mark == MARK_MISSING || mark == MARK_NOTE ? dev : loss].text;
    say_next(p, g, r, mark, deviation);
}

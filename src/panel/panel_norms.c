/* Panel 4: the gradient norm of every weight, the first test of the backward pass. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "norms/norms_section.h"
#include "panel/known_causes.h"

#define ROWS_MOST 2000

/* The largest relative difference, which is the longest bar. */
static const char *longest_bar_text(struct panel_page *p, const struct norms *n)
{
    double most = 0;
    char text[NUM_MAX];
    for (size_t i = 0; i < n->pairs.n; i++)
        if (isfinite(n->pairs.v[i].rel) && n->pairs.v[i].rel > most)
            most = n->pairs.v[i].rel;
    return most > 0 ? arena_fmt(&p->arena, _("max %s %%"), num_cell(text, 100 * most, 2)) : NULL;
}

static void add_norms_verdict(struct panel_page *p, const struct procedure *g)
{
    struct document d;
    document_begin(&d);
    const struct norms *n = procedure_result(g, ENGINE_RUN_NORMS)->norms;
    norms_section(&d, n, ROWS_MOST);
    page_items(p, &d);
    if (n->verdict == STAGE_FAIL)
        page_find(p, "local-norm")->detail = page_find(p, "local-norm")->text; /* it may be cut */
    page_known_causes(p, g, "norm:");
    p->values[0] = _("target");
    p->values[1] = _("golden");
    p->scale = longest_bar_text(p, n);
    for (size_t i = page_rows(p, &d); i < p->items.n; i++)
        page_subject(p, &p->items.v[i], SUBJECT_NORM, p->items.v[i].text, NULL, NULL);
    document_release(&d);
}

void panel_norms(struct panel_page *p, const struct procedure *g)
{
    bool given = panel_input_path(g->inv, PANEL_INPUT_TARGET_NORMS) &&
                 panel_input_path(g->inv, PANEL_INPUT_GOLDEN_NORMS);
    page_inputs(p, g, PANEL_INPUT_TARGET_NORMS, PANEL_INPUT_GOLDEN_NORMS, true);
    enum err_code why = g->exam[ENGINE_RUN_NORMS].err.code;
    if (g->exam[ENGINE_RUN_NORMS].state == ENGINE_RUN_FAILED && !given && (why == ERR_DATA || why == ERR_USAGE)) {
        /* neither logs nor dumps contain norms, which is no problem */
        struct panel_item *it = page_item(p, MARK_MISSING, "local-norm", "%s",
                                          _("gradient norms of both sides: not in the files given so far"));
        page_detail(p, it, "%s", g->exam[ENGINE_RUN_NORMS].err.text);
        it->need = "norms";
        page_settle(p, g);
        if (panel_input_path(g->inv, PANEL_INPUT_TARGET_NORMS) || panel_input_path(g->inv, PANEL_INPUT_GOLDEN_NORMS))
            p->state = PANEL_NEEDS_INPUT;
    } else if (procedure_pending(p, g, ENGINE_RUN_NORMS, "local-norm", _("gradient norms of both sides"))) {
        page_settle(p, g);
    } else {
        add_norms_verdict(p, g);
        page_settle(p, g);
    }
    if (!*p->summary)
        p->summary = page_find(p, "local-norm")->text;
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_NORMS);
    p->next = p->state == PANEL_FAILED && r && r->norms->next.n
                  ? r->norms->next.v[0]
              : p->state == PANEL_FAILED ? _("Start with the largest outlier; a dump of the backward pass is needed to "
                                           "find the exact call.")
              : p->state == PANEL_PASSED
                  ? _("The gradients agree: continue with the optimizer.")
                  : _("Switch on local norms and give the logs: local_norm in MindFormers, a patch for Megatron, or "
                      "msprobe monitor.");
}

/* Panel 4: the gradient norm of every weight, the first judgement of the backward pass. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "panel/known_causes.h"

#define ROWS_MOST 2000

static void add_pairs(struct panel_page *p, const struct norms *n)
{
    struct buf name = {0};
    char t[NUM_MAX], o[NUM_MAX], r[NUM_MAX];
    double most = 0;
    for (size_t i = 0; i < n->pairs.n; i++)
        if (isfinite(n->pairs.v[i].rel))
            most = fmax(most, n->pairs.v[i].rel);
    for (size_t i = 0; i < n->pairs.n && i < ROWS_MOST; i++) {
        const struct norm_pair *x = &n->pairs.v[i];
        norm_pair_name(n, x, &name);
        struct panel_item *it = page_item(p, x->outlier ? MARK_ADVICE : MARK_NOTE, NULL, "%s", name.p);
        page_subject(p, it, SUBJECT_NORM, name.p, NULL, NULL);
        it->value[0] = arena_fmt(&p->arena, "%s", num_cell(t, x->norm[0], 4));
        it->value[1] = arena_fmt(&p->arena, "%s", num_cell(o, x->norm[1], 4));
        it->share = isfinite(x->rel) ? (float)(most > 0 ? x->rel / most : 0) : 1;
        page_detail(p, it, x->outlier ? _("It stands out: apart by %s %%. Its layer's backward, its precision or its initialisation is the first suspect.")
                                      : _("Apart by %s %%."),
                    num_cell(r, 100 * x->rel, 3));
    }
    if (n->pairs.n > ROWS_MOST)
        page_item(p, MARK_NOTE, NULL, _("%zu weights that differ less are not listed"), n->pairs.n - ROWS_MOST);
    buf_release(&name);
}

static void judged(struct panel_page *p, const struct norms *n)
{
    size_t out = 0;
    char m[NUM_MAX];
    for (size_t i = 0; i < n->pairs.n; i++)
        out += n->pairs.v[i].outlier;
    struct panel_item *it = page_item(p, n->verdict == STAGE_PASS ? MARK_OK : n->verdict == STAGE_FAIL ? MARK_BAD : MARK_OPEN, "local-norm",
                                      _("weights compared: %zu, standing out: %zu, median difference %s %%"), n->pairs.n, out,
                                      num_cell(m, 100 * n->median, 2));
    it->detail = _("An embedding that stands out is the commonest case: initialised or computed in another precision.");
    if (n->side[0].square || n->side[1].square)
        page_item(p, MARK_NOTE, NULL, n->side[0].square && n->side[1].square ? _("both sides print squares; roots are compared")
                                      : n->side[0].square ? _("the target prints squares; their roots are compared")
                                                          : _("the golden side prints squares; their roots are compared"));
    if (n->not_gradients)
        page_item(p, MARK_OPEN, "gradients", "%s", _("these are the weights themselves, not their gradients"));
}

void panel_norms(struct panel_page *p, const struct procedure *g)
{
    bool given = panel_input_path(g->inv, PANEL_INPUT_TARGET_NORMS) &&
                 panel_input_path(g->inv, PANEL_INPUT_GOLDEN_NORMS);
    page_inputs(p, g, PANEL_INPUT_TARGET_NORMS, PANEL_INPUT_GOLDEN_NORMS, true);
    if (g->exam[ENGINE_RUN_NORMS].state == ENGINE_RUN_FAILED && !given) { /* neither logs nor dumps have any: nothing is wrong with them */
        struct panel_item *it = page_item(p, MARK_MISSING, "local-norm", "%s", _("gradient norms of both sides: not in what was given so far"));
        page_detail(p, it, "%s", g->exam[ENGINE_RUN_NORMS].err.text);
        it->need = "norms";
        page_settle(p, g);
        p->state = panel_input_path(g->inv, PANEL_INPUT_TARGET_NORMS) || panel_input_path(g->inv, PANEL_INPUT_GOLDEN_NORMS) ? PANEL_NEEDS_INPUT : p->state;
    } else if (procedure_pending(p, g, ENGINE_RUN_NORMS, "local-norm", _("gradient norms of both sides"))) {
        page_settle(p, g);
    } else {
        const struct norms *n = procedure_result(g, ENGINE_RUN_NORMS)->norms;
        judged(p, n);
        p->values[0] = _("target");
        p->values[1] = _("golden");
        page_sentences(p, MARK_NOTE, n->warnings.v, n->warnings.n);
        page_known_causes(p, g, "norm:");
        add_pairs(p, n);
        page_settle(p, g);
    }
    for (size_t i = 0; i < p->items.n && !*p->summary; i++)
        if (p->items.v[i].id && strcmp(p->items.v[i].id, "local-norm") == 0)
            p->summary = p->items.v[i].text;
    p->next = p->state == PANEL_FAILED   ? _("Begin with the weight that stands out most; the exact place needs a dump of the backward pass.")
              : p->state == PANEL_PASSED ? _("The gradients agree: go on to the optimizer.")
                                         : _("Switch local norms on and give the logs: MindFormers local_norm, Megatron a patch, or msprobe monitor.");
}

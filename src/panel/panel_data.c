/* Panel 2: values that must be equal before a layer can be the cause: the step's inputs, the weights, and two runs of
 * the same side. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "panel/dump_run.h"
#include "panel/procedure.h"
#include "weights/weights_section.h"

/* ---- the step's inputs, from the dumps ---- */

/* The vocabulary size of both sides from the settings, or else the rows of the table that takes the ids; 0: unknown.
 */
static double vocabulary_size(const struct procedure *g)
{
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_SETTINGS);
    for (size_t i = 0; r && i < r->settings->checks.n; i++) {
        const struct config_check *k = &r->settings->checks.v[i];
        for (int s = 0; str_is(k->row->key, "input_ids_range") && s < 2; s++)
            if (k->value[s].state == VALUE_SET && k->value[s].number)
                return k->value[s].num;
    }
    for (int s = 0; s < 2; s++)
        if (g->s->tokens[s].words)
            return (double)g->s->tokens[s].words;
    return 0;
}

/* A finding about the line is about the rows. */
static void about_row(struct panel_page *p, struct panel_item *it, const struct comparison *s, const uint32_t row[2])
{
    struct buf name[2] = {{0}, {0}};
    for (int d = 0; d < 2; d++)
        if (row[d] != NONE)
            dump_row_name(&s->side[d].dump, row[d], &name[d]);
    page_subject(p, it, name[0].n && name[1].n ? SUBJECT_PAIR : SUBJECT_ROW, name[0].p, name[1].p, NULL);
    buf_release(&name[0]);
    buf_release(&name[1]);
}

/* Ids outside the vocabulary read memory outside the embedding. */
static void id_range(struct panel_page *p, const struct procedure *g, const struct step_input *x)
{
    const struct comparison *s = g->s;
    double words = vocabulary_size(g), low = INFINITY, high = -INFINITY;
    for (int side = 0; side < 2; side++) {
        const struct row *r = x->row[side] == NONE ? NULL : &s->side[side].dump.rows.v[x->row[side]];
        if (!r || !(r->has & HAS_MAX) || !(r->has & HAS_MIN))
            continue;
        low = fmin(low, r->stat[STAT_MIN]);
        high = fmax(high, r->stat[STAT_MAX]);
    }
    if (low > high)
        return;
    bool bad = low < 0 || (words > 0 && high >= words);
    struct panel_item *it = words > 0
                                ? page_item(p, bad ? MARK_BAD : MARK_OK, "id-range",
                                            _("token ids from %.0f to %.0f, vocabulary size %.0f"), low, high, words)
                                : page_item(p, bad ? MARK_BAD : MARK_NOTE, "id-range",
                                            _("token ids from %.0f to %.0f; the vocabulary size "
                                              "is in the settings of panel 1"),
                                            low, high);
    it->detail = _("Every id must be at least 0 and below the vocabulary size.");
}

/* Where the labels stand: both sides may have forgotten to move them, and then they agree. */
static void label_position(struct panel_page *p, const struct procedure *g)
{
    for (int side = 0; side < 2; side++) {
        const struct token_check *t = &g->s->tokens[side];
        const char *wrong = token_check_labels(t, &p->arena), *beyond = token_check_beyond(t, &p->arena);
        uint32_t row[2] = {NONE, NONE};
        if (beyond) {
            struct panel_item *it =
                page_item(p, MARK_BAD, "id-range", "%s: %s", side ? _("golden") : _("target"), beyond);
            row[side] = t->beyond;
            about_row(p, it, g->s, row);
        }
        if (t->place == LABELS_UNKNOWN)
            continue;
        struct panel_item *it = page_item(p,
                                          t->place == LABELS_MOVED ? MARK_OK : MARK_OPEN,
                                          "label-position", "%s: %s", side ? _("golden") : _("target"),
                                          wrong ? wrong : _("the labels are the token ids, shifted by one position"));
        row[side] = t->labels;
        about_row(p, it, g->s, row);
    }
}

static void add_input_items(struct panel_page *p, const struct procedure *g)
{
    const struct comparison *s = g->s;
    const struct dump *const side[2] = {&s->side[TARGET].dump, &s->side[GOLDEN].dump};
    struct buf b = {0}, name = {0};
    bool weights = s->side[TARGET].dump.reader && s->side[TARGET].dump.reader->weights;
    if (!s->side[0].path || s->single || s->failed || weights) {
        struct panel_item *it = page_item(p, MARK_MISSING, "inputs", "%s",
                                          s->failed ? s->err.text : _("step inputs: the dumps of both sides are "
                                                                      "needed"));
        it->need = "dump";
        return;
    }
    if (!s->complete) {
        page_item(p, MARK_RUNNING, "inputs", "%s", _("step inputs: comparing the dumps …"));
        return;
    }
    for (size_t i = 0; i < s->inputs.n; i++) {
        const struct step_input *x = &s->inputs.v[i];
        int of = x->row[TARGET] == NONE ? GOLDEN : TARGET;
        buf_clear(&b);
        step_input_detail(x, side, &b);
        struct panel_item *it = page_item(p,
                                          x->equal == 1   ? MARK_OK
                                          : x->equal == 0 ? MARK_BAD
                                                          : MARK_ADVICE,
                                          step_input_name(x->what), "%s: %s", step_input_name(x->what), b.p ? b.p : "");
        it->detail = x->equal == 1 ? NULL : _("As long as the inputs differ, deviations of layers follow from them: "
                                              "align the inputs first.");
        dump_row_name(side[of], x->row[of], &name);
        it->command = arena_fmt(&p->arena, "find %s", name.p);
        about_row(p, it, s, x->row);
        if (x->what == INPUT_IDS)
            id_range(p, g, x);
    }
    label_position(p, g);
    if (!s->inputs.n)
        page_item(p, MARK_OPEN, "inputs", "%s", _("step inputs: not recognised in the dumps; compare the first batch "
                                                  "yourself and enter the result (:answer inputs TEXT)"));
    buf_release(&b);
    buf_release(&name);
}

/* ---- the weights ---- */

static void weights_differing(struct panel_page *p, const struct weight_compare *c)
{
    char n[NUM_MAX];
    size_t told = 0;
    for (size_t i = 0; i < c->pairs.n && told < 100; i++) {
        const struct weight_pair *x = &c->pairs.v[i];
        if (x->verdict == WEIGHT_EQUAL)
            continue;
        const struct str name = c->side[TARGET].list.v[x->weight[TARGET]].name,
                         other = c->side[GOLDEN].list.v[x->weight[GOLDEN]].name;
        struct panel_item *it = page_item(p, MARK_NOTE, NULL, "%.*s", STR_ARG(name));
        page_subject(p, it, SUBJECT_WEIGHT, it->text, arena_cstr(&p->arena, other), NULL);
        if (x->read && x->fig.two)
            it->value[0] = arena_fmt(&p->arena, _("rel L2 %s"), num_error(n, x->fig.rel_l2));
        else
            it->value[0] = weight_verdict_name((enum weight_verdict)x->verdict);
        page_detail(p, it, _("golden %.*s: %s"), STR_ARG(other),
                    x->why ? x->why : weight_verdict_name((enum weight_verdict)x->verdict));
        told++;
    }
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < c->only[s].n && i < 50; i++) {
            struct panel_item *it =
                page_item(p, MARK_NOTE, NULL, "%.*s", STR_ARG(c->side[s].list.v[c->only[s].v[i]].name));
            page_subject(p, it, SUBJECT_WEIGHT, s ? NULL : it->text, s ? it->text : NULL, NULL);
            it->value[0] = s ? _("golden only") : _("target only");
        }
}

static void add_weights(struct panel_page *p, const struct procedure *g)
{
    if (procedure_pending(p, g, ENGINE_RUN_WEIGHTS, "weights", _("initial weights of both sides")))
        return;
    const struct weight_compare *c = procedure_result(g, ENGINE_RUN_WEIGHTS)->weights;
    struct document d;
    document_begin(&d);
    weights_section(&d, c);
    page_items(p, &d);
    document_release(&d);
    page_find(p, "weights")->detail =
        _("`diverge weights` lists every pair and detects a wrong transpose, permuted query rows or padding.");
    weights_differing(p, c);
}

/* ---- a run and itself ---- */

static void add_determinism(struct panel_page *p, const struct procedure *g)
{
    static const enum engine_run_id exams[] = {ENGINE_RUN_REPEAT_TARGET, ENGINE_RUN_REPEAT_GOLDEN};
    const char *const what[] = {_("the target run twice"), _("the golden side run twice")};
    bool any = false;
    for (size_t i = 0; i < ARRAY_LEN(exams); i++) {
        const struct engine_run_result *r = procedure_result(g, exams[i]);
        any |= g->exam[exams[i]].state != ENGINE_RUN_MISSING;
        if (g->exam[exams[i]].state == ENGINE_RUN_MISSING ||
            procedure_pending(p, g, exams[i], i ? "golden-repeat" : "target-repeat", what[i]))
            continue;
        const struct repeat *x = &r->repeat;
        struct panel_item *it =
            page_item(p,
                      x->verdict == STAGE_PASS   ? MARK_OK
                      : x->verdict == STAGE_FAIL ? MARK_BAD
                                                 : MARK_OPEN,
                      i ? "golden-repeat" : "target-repeat",
                      x->first ? _("%s: %zu of %zu rows equal, first difference: %s") : _("%s: %zu of %zu rows equal"),
                      what[i], x->equal, x->rows, x->first);
        it->detail = x->first ? _("First row that is not reproducible. Possible causes: seeds, dropout, "
                                  "non-deterministic operators and communication (HCCL_DETERMINISTIC, "
                                  "ms.set_deterministic, torch.use_deterministic_algorithms), data order.")
                              : NULL;
    }
    if (!any) {
        struct panel_item *it = page_item(p, MARK_MISSING, "repeat", "%s",
                                          _("determinism: a second dump of one side without changes is needed"));
        it->need = "repeat";
    }
}

void panel_data(struct panel_page *p, const struct procedure *g)
{
    page_inputs(p, g, PANEL_INPUT_TARGET, PANEL_INPUT_GOLDEN, true);
    page_inputs(p, g, PANEL_INPUT_TARGET_WEIGHTS, PANEL_INPUT_GOLDEN_WEIGHTS, true);
    page_inputs(p, g, PANEL_INPUT_TARGET_REPEAT, PANEL_INPUT_GOLDEN_REPEAT, false);
    page_dump_run(p, g);
    add_input_items(p, g);
    add_weights(p, g);
    add_determinism(p, g);
    page_settle(p, g);
    const struct panel_item *worst = NULL;
    for (size_t i = 0; i < p->items.n && !worst; i++)
        if (p->items.v[i].mark == MARK_BAD)
            worst = &p->items.v[i];
    for (size_t i = 0; i < p->items.n && !worst; i++)
        if (p->items.v[i].mark == MARK_MISSING || p->items.v[i].mark == MARK_OPEN || p->items.v[i].mark == MARK_RUNNING)
            worst = &p->items.v[i];
    p->summary = worst ? worst->text : _("inputs and weights equal, run reproducible");
    p->next = p->state == PANEL_FAILED   ? _("First align the items marked ✗: later results depend on them.")
              : p->state == PANEL_PASSED ? _("Continue with the first loss.")
                                         : _("Give the missing files: dumps for the inputs, checkpoints for the "
                                             "weights, a second run for determinism.");
}

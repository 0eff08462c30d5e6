/* Panel 7: the migration standard over the whole run, the spread of the golden runs, and the changes as features are
 * added from one card to many. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "compare/job_text.h"
#include "curves/curves_section.h"
#include "panel/known_causes.h"
#include "panel/curve_items.h"

#define LONE_MOST 50 /* problems of one log that are listed */

static void add_long_run_verdict(struct panel_page *p, const struct curves *c)
{
    struct document d;
    document_begin(&d);
    curves_section(&d, c);
    page_rows(p, &d);
    page_items(p, &d);
    document_release(&d);
    struct panel_item *it = page_find(p, "divergence"), *apart = page_find(p, "apart");
    if (it && !c->from_start)
        it->command = arena_fmt(&p->arena, "plot to %lld", (long long)curve_departure_step(c));
    if (apart)
        apart->command = arena_fmt(&p->arena, "plot to %lld", (long long)c->apart_at);
}

/* The target's first step that is not finite, -1: none. */
static int64_t first_not_finite(const struct curves *c)
{
    for (size_t i = 0; i < c->nonfinite.n; i++)
        if (c->nonfinite.v[i].run == 0)
            return c->nonfinite.v[i].step;
    return -1;
}

/* What a layout tells of a feature: 1 in use, 0 not, -1 nothing. A part of the replicas and of the micro-batches may
 * have been recorded, so one alone tells nothing. */
static int data_laid(const struct layout *l)
{
    return l->size[CUT_DP] > 1 ? 1 : -1;
}

static int micro_laid(const struct layout *l)
{
    return l->size[CUT_MICRO] > 1 ? 1 : -1;
}

static int model_laid(const struct layout *l, enum cut c)
{
    bool told = l->source == LAYOUT_GIVEN || l->source == LAYOUT_SETTINGS;
    return l->size[c] > 1 ? 1 : l->weights || (told && l->given[c]) ? 0 : -1;
}

static int tensor_laid(const struct layout *l)
{
    return model_laid(l, CUT_TP);
}

static int pipeline_laid(const struct layout *l)
{
    return model_laid(l, CUT_PP);
}

static int sequence_laid(const struct layout *l)
{
    return l->sp ? 1 : tensor_laid(l) == 0 ? 0 : -1;
}

/* Features that are added one at a time; `key`: the check that tells whether the runs use it (a number above 1, or
 * yes); `laid`: what the layout of recorded ranks tells. */
static const struct {
    const char *id, *key, *text;
    int (*laid)(const struct layout *l);
} features[] = {
    {"several-cards", "data_parallel", N_("several devices (data parallel): same data order on every rank, same "
                                          "averaging of gradients"), data_laid},
    {"accumulation", "micro_batch_num", N_("gradient accumulation: same number of micro-batches, same division"),
     micro_laid},
    {"tensor-parallel", "model_parallel", N_("tensor parallel: collectives and the precision of reductions"), tensor_laid},
    {"pipeline-parallel", "pipeline_stage", N_("pipeline parallel: stages and micro-batches"), pipeline_laid},
    {"sequence-parallel", "use_seq_parallel", N_("sequence parallel: norms and dropout regions"), sequence_laid},
    {"optimizer-parallel", "enable_parallel_optimizer", N_("sharded optimizer: master weights and their precision"), NULL},
    {"model-size", NULL, N_("model size: from two layers to all of them, compared again"), NULL},
    {"cluster", NULL, N_("cluster: compare the run at full size with the run on one node"), NULL},
};

bool panel_is_feature(const char *id)
{
    for (size_t i = 0; i < ARRAY_LEN(features); i++)
        if (strcmp(id, features[i].id) == 0)
            return true;
    return false;
}

/* 1 in use, 0 not, -1 nothing tells. *both: both sides use it. */
static int feature_in_use(const struct procedure *g, const char *key, bool *both)
{
    *both = false;
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_SETTINGS);
    for (size_t i = 0; key && r && i < r->settings->checks.n; i++) {
        const struct config_check *k = &r->settings->checks.v[i];
        if (!str_is(k->row->key, key))
            continue;
        bool told = false;
        int in_use = 0;
        for (int s = 0; s < 2; s++) {
            const struct value *v = &k->value[s];
            in_use += v->state == VALUE_SET && (v->number ? v->num > 1 : value_true(v));
            told |= v->state == VALUE_SET;
        }
        *both = in_use == 2;
        return in_use ? 1 : told ? 0 : -1;
    }
    return -1;
}

/* The same of the recorded ranks; if some are missing they do not tell what is not in use. */
static int used_by_ranks(const struct procedure *g, int (*laid)(const struct layout *l))
{
    int in_use = 0;
    for (int i = 0; i < 2 && laid && in_use < 1; i++) {
        const struct ranks_laid *x = &g->laid[i];
        int here = x->ranks > 1 ? laid(&x->layout) : -1;
        if (here == 0 && (size_t)layout_ranks(&x->layout) != x->ranks)
            here = -1;
        in_use = here ? here : in_use;
    }
    return laid ? in_use : -1;
}

/* "target 128 ranks: dp 128; inferred from shapes and values …" */
static void layouts_text(const struct procedure *g, struct buf *out)
{
    struct buf b[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++)
        job_layout_words(&g->laid[i].layout, g->laid[i].ranks, true, &b[i]);
    if (str_eq(buf_view(&b[TARGET]), buf_view(&b[GOLDEN])))
        buf_str(out, buf_view(&b[TARGET]));
    else
        buf_fmt(out, _("target %s; golden %s"), b[TARGET].p, b[GOLDEN].p);
    buf_release(&b[0]);
    buf_release(&b[1]);
}

static void add_scaling_features(struct panel_page *p, const struct procedure *g, const struct curves *c)
{
    const char *all = investigation_text(&g->inv->waived, "scaling");
    struct buf laid = {0};
    if (g->laid[TARGET].ranks && g->laid[GOLDEN].ranks)
        layouts_text(g, &laid);
    for (size_t i = 0; i < ARRAY_LEN(features); i++) {
        bool answered = investigation_text(&g->inv->answers, features[i].id) != NULL;
        bool both;
        int told = feature_in_use(g, features[i].key, &both), ranks = laid.n ? used_by_ranks(g, features[i].laid) : -1;
        bool unused = told == 0 ? ranks != 1 : told < 0 && ranks == 0;
        bool met = both && c->verdict == STAGE_PASS && c->first_loss == STAGE_PASS; /* compared with it */
        struct panel_item *it = page_item(p,
                                          answered ? MARK_OPEN
                                          : all    ? MARK_WAIVED
                                          : unused ? MARK_NOTE
                                          : met    ? MARK_OK
                                                   : MARK_OPEN,
                                          features[i].id, "%s", _(features[i].text));
        if (all)
            page_detail(p, it, _("waived: %s"), all);
        else if (unused && told == 0)
            it->detail = _("Not used according to the settings in panel 1.");
        else if (unused)
            page_detail(p, it, _("Not used by the recorded ranks (%s)."), laid.p);
        else if (met && !answered)
            page_detail(p, it, _("Used by both runs according to the settings in panel 1, and their curves meet the "
                                 "standard with it. :answer %s bad … says otherwise."), features[i].id);
        else if (ranks == 1)
            page_detail(p, it, _("Used by the recorded ranks (%s). :answer %s ok … or bad … saves the result; :waive "
                                 "scaling REASON skips all features."), laid.p, features[i].id);
        else
            page_detail(p, it, _(":answer %s ok … or bad … saves the result; :waive scaling REASON skips all "
                                 "features."),
                        features[i].id);
    }
    buf_release(&laid);
}

/* The last of the problems from the i-th on that are of one kind and of neighbouring steps. */
static size_t end_of_problems(const struct log_check *c, const struct series *s, size_t i)
{
    size_t last = c->problems.n - c->notes;
    while (i + 1 < last && c->problems.v[i].step >= 0 &&
           strcmp(c->problems.v[i].kind, c->problems.v[i + 1].kind) == 0 &&
           c->problems.v[i + 1].step >= c->problems.v[i].step &&
           c->problems.v[i + 1].step - c->problems.v[i].step <= s->interval)
        i++;
    return i;
}

static void lone_problems(struct panel_page *p, const struct series *s, const struct log_check *c)
{
    char n[2][NUM_MAX];
    for (size_t i = 0, end, listed = 0; i < c->problems.n && listed < LONE_MOST; i = end + 1, listed++) {
        const struct log_problem *x = &c->problems.v[i];
        enum panel_mark mark = i + c->notes >= c->problems.n ? MARK_NOTE : MARK_ADVICE;
        end = end_of_problems(c, s, i);
        if (x->step < 0) {
            page_item(p, mark, NULL, "%s", x->text);
            continue;
        }
        num_count(n[0], (unsigned long long)x->step);
        num_count(n[1], (unsigned long long)c->problems.v[end].step);
        struct panel_item *it = c->problems.v[end].step > x->step
                                    ? page_item(p, mark, NULL, _("steps %s to %s: %s"), n[0], n[1], x->text)
                                    : page_item(p, mark, NULL, _("step %s: %s"), n[0], x->text);
        it->command = arena_fmt(&p->arena, "next-dump %lld", (long long)x->step);
    }
}

/* What the target's log tells by itself. */
static void add_log_alone(struct panel_page *p, const struct procedure *g)
{
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_LOG);
    const struct log_record *first = NULL, *last = NULL, *least = NULL;
    char n[4][NUM_MAX];
    if (!r)
        return;
    const struct series *s = &r->curves->run[0];
    p->picture = ENGINE_RUN_LOG;
    for (size_t i = 0; i < s->records.n; i++) {
        const struct log_record *x = &s->records.v[i];
        if (!log_has(x, LOG_LOSS) || !isfinite(x->value[LOG_LOSS]))
            continue;
        first = first ? first : x;
        last = x;
        least = !least || x->value[LOG_LOSS] < least->value[LOG_LOSS] ? x : least;
    }
    page_item(p, MARK_NOTE, NULL, _("%s, %s records"), s->format, num_count(n[0], s->records.n));
    if (first) {
        page_item(p, MARK_NOTE, NULL, _("loss: %s at step %s, %s at step %s"),
                  num_cell(n[0], first->value[LOG_LOSS], 6), num_count(n[1], (unsigned long long)first->step),
                  num_cell(n[2], last->value[LOG_LOSS], 6), num_count(n[3], (unsigned long long)last->step));
        page_item(p, MARK_NOTE, NULL, _("minimum: %s at step %s"), num_cell(n[0], least->value[LOG_LOSS], 6),
                  num_count(n[1], (unsigned long long)least->step));
    }
    lone_problems(p, s, r->log);
    curve_items_spikes(p, r->curves);
}

void panel_long_run(struct panel_page *p, const struct procedure *g)
{
    page_inputs(p, g, PANEL_INPUT_TARGET_LOG, PANEL_INPUT_GOLDEN_LOG, true);
    page_input(p, g, PANEL_INPUT_GOLDEN_LOG2, false);
    if (procedure_pending(p, g, ENGINE_RUN_CURVES, "curves", _("training logs of both sides"))) {
        p->summary = vec_last(&p->items)->text;
        add_log_alone(p, g);
        page_settle(p, g);
        p->next = _("Give both training logs, and logs of one or two more golden runs with determinism off to show the "
                    "spread of golden runs.");
        return;
    }
    const struct curves *c = procedure_result(g, ENGINE_RUN_CURVES)->curves;
    char n[2][NUM_MAX];
    int64_t broken = c->verdict == STAGE_FAIL ? first_not_finite(c) : -1,
        look = broken >= 0 ? broken : c->apart_at >= 0 ? c->apart_at
                     : c->from_start ? -1 : curve_departure_step(c);
    if (look >= 0)
        p->next_command = arena_fmt(&p->arena, "next-dump %lld", (long long)look);
    p->picture = ENGINE_RUN_CURVES;
    add_long_run_verdict(p, c);
    curve_items_marks(p, c, false);
    page_known_causes(p, g, "curve:");
    add_scaling_features(p, g, c);
    page_settle(p, g);
    size_t left = 0;
    for (size_t i = 0; i < p->items.n; i++)
        for (size_t k = 0; k < ARRAY_LEN(features); k++)
            left +=
                p->items.v[i].mark == MARK_OPEN && p->items.v[i].id && strcmp(p->items.v[i].id, features[k].id) == 0;
    const char *headline = curves_headline(c, &p->arena);
    p->summary = headline ? headline
                          : arena_fmt(&p->arena, _("%s steps, mean loss differs by %s"), num_count(n[0], c->usable.n),
                                      num_cell(n[1], c->limit[CURVE_MEAN_ABS].value, 3));
    if (p->state == PANEL_FAILED && broken >= 0)
        p->next = _("The loss or norm of the target is not finite: check overflow and the loss scale before that step, "
                    "and dump that step.");
    else if (p->state == PANEL_FAILED && c->apart_at >= 0)
        p->next = arena_fmt(&p->arena, _("The first loss agrees, the loss of step %lld does not: check the local norms "
                                         "(panel 4), then the optimizer (panel 5)."), (long long)c->apart_at);
    else if (p->state == PANEL_FAILED && c->from_start)
        p->next = _("The losses differ from the first step on: check panel 3 first.");
    else if (p->state == PANEL_FAILED && c->departure.kind == DEPARTURE_GROWING)
        p->next = _("Check the step where the losses diverge: the data, overflow, local norms, then a dump of that "
                    "step.");
    else if ((p->state == PANEL_FAILED || c->departure.kind != DEPARTURE_NONE) && c->next.n)
        p->next = curve_items_next(p, c);
    else if (p->state == PANEL_PASSED)
        p->next = _("The standard is met: write the report.");
    else if (c->verdict == STAGE_PASS && c->spikes.n)
        p->next = arena_fmt(&p->arena, _("The curves meet the standard; outlier steps: %s, the first %lld. Check "
                                         "these first (Enter), then answer for each scaling feature."),
                            num_count(n[0], c->spikes.n), (long long)c->spikes.v[0].step);
    else if (c->verdict == STAGE_PASS && left)
        p->next = _("The curves meet the standard. Answer for each scaling feature.");
    else
        p->next = _("More steps are needed: at least 1,000; 5,000 or twelve hours are recommended.");
}

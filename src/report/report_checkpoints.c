/* What has to be equal before a layer is to blame: the checkpoints' weights, and a run and itself. */
#include "base/msg.h"
#include "base/num.h"
#include "report/report_sections.h"

#define LISTED 40

static const struct weight *weight_of(const struct weight_compare *c, const struct weight_pair *p, int side)
{
    return &c->side[side].list.v[p->weight[side]];
}

static void differing(struct building *b, const struct weight_compare *c)
{
    const char *const head[] = {_("target"), _("golden"), _("relative L2"), _("what is seen")};
    size_t told = 0, more = 0;
    for (size_t i = 0; i < c->pairs.n; i++) {
        const struct weight_pair *p = &c->pairs.v[i];
        char n[NUM_MAX] = "";
        if (p->verdict == WEIGHT_EQUAL)
            continue;
        if (told == LISTED) {
            more++;
            continue;
        }
        if (told++ == 0)
            doc_table(b->d, ARRAY_LEN(head), head);
        for (int s = 0; s < 2; s++)
            doc_cell(b->d, DOC_NAME, TONE_PLAIN, weight_of(c, p, s)->name);
        if (p->read && p->fig.two)
            num_error(n, p->fig.rel_l2);
        doc_cell(b->d, DOC_NUMBER, p->verdict == WEIGHT_UNREAD ? TONE_WARN : TONE_BAD, str_of(n));
        doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, "%s%s%s", p->why ? p->why : weight_verdict_name((enum weight_verdict)p->verdict), p->view ? "; " : "", p->view ? p->view : "");
    }
    if (more)
        doc_say(b->d, TONE_QUIET, _("… and %zu more"), more);
}

static void alone(struct building *b, const struct weight_compare *c, int side)
{
    size_t n = c->only[side].n;
    for (size_t i = 0; i < n && i < LISTED; i++) {
        doc_begin(b->d, DOC_ITEM);
        doc_cellf(b->d, DOC_TEXT, TONE_QUIET, "%s ", side ? _("only in the golden file") : _("only in the target"));
        doc_cell(b->d, DOC_NAME, TONE_PLAIN, c->side[side].list.v[c->only[side].v[i]].name);
    }
    if (n > LISTED)
        doc_say(b->d, TONE_QUIET, _("… and %zu more"), n - LISTED);
}

void report_checkpoints(struct building *b)
{
    const struct engine_run_result *r = report_engine_run(b, ENGINE_RUN_WEIGHTS);
    if (!r)
        return;
    const struct weight_compare *c = r->weights;
    size_t equal = 0;
    int verdict = weight_compare_verdict(c);
    for (size_t i = 0; i < c->pairs.n; i++)
        equal += c->pairs.v[i].verdict == WEIGHT_EQUAL;
    report_stage(b, verdict == WEIGHTS_PASS ? STAGE_PASS : verdict == WEIGHTS_FAIL ? STAGE_FAIL : STAGE_UNKNOWN,
                 _("Both runs start from the same weights."), _("The runs do not start from the same weights."));
    doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _(" %zu of %zu pairs are equal; %zu weights have no partner."), equal, c->pairs.n, c->only[0].n + c->only[1].n);
    if (c->dtype_diff)
        doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _(" %zu are held in another element type."), c->dtype_diff);
    differing(b, c);
    alone(b, c, TARGET);
    alone(b, c, GOLDEN);
    report_sentences(b, TONE_WARN, c->warnings.v, c->warnings.n);
}

void report_determinism(struct building *b)
{
    static const enum engine_run_id exams[] = {ENGINE_RUN_REPEAT_TARGET, ENGINE_RUN_REPEAT_GOLDEN};
    for (size_t i = 0; i < ARRAY_LEN(exams); i++) {
        const struct engine_run_result *r = report_engine_run(b, exams[i]);
        const struct repeat *x = r ? &r->repeat : NULL;
        if (!x)
            continue;
        report_stage(b, x->verdict, i ? _("The golden side repeats itself bit for bit.") : _("The target repeats itself bit for bit."),
                     i ? _("The golden side does not repeat itself.") : _("The target does not repeat itself."));
        if (x->verdict == STAGE_PASS)
            doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _(" Rows compared: %zu."), x->equal);
        else
            doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _(" %zu of %zu rows are equal."), x->equal, x->rows);
        if (x->first) {
            doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(_(" The first that is not: ")));
            doc_cell(b->d, DOC_NAME, TONE_PLAIN, str_of(x->first));
        }
    }
}

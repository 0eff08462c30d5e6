/* Writes what changed between two rounds or results as JSON. */
#include "report/changes_output.h"

#include <math.h>

#include "base/json_write.h"
#include "dump/dump.h"
#include "ticket/finding.h"

static const struct round_row *round_row_at(const struct round *r, uint32_t row)
{
    return row == NONE ? NULL : &r->rows.v[row];
}

/* Findings and panels whose state changed; findings of two copies of one investigation have equal numbers. */
static const char *finding_was(const struct changes_report *x, const struct round_finding *f)
{
    const struct round_finding *was = round_finding(x->before, f->number);
    return was ? was->status : NULL;
}

static void round_json(struct jsonw *w, const char *key, const struct round *r, const char *path)
{
    jw_kobject(w, key);
    jw_kcstr(w, "path", path);
    jw_kint_if(w, "round", r->number, r->number);
    jw_kcstr(w, "target", r->side[TARGET].path);
    jw_kcstr(w, "golden", r->side[GOLDEN].path);
    jw_kint(w, "status", r->status);
    jw_kobject(w, "summary");
    for (int v = VERDICT_MATCH; v <= VERDICT_SKIP; v++)
        jw_kint(w, verdict_name((enum verdict)v), v == VERDICT_DEVIATE ? verdicts_deviate(r->by) : r->by[v]);
    jw_kint(w, "pairs", r->pairs);
    jw_kint(w, "doubtful", r->doubtful);
    jw_kint(w, "known", r->known);
    jw_kgiven(w, "coverage", r->coverage[TARGET]);
    jw_end_object(w);
    jw_key(w, "first_deviation");
    if (r->deviates) {
        jw_object(w);
        jw_kcstr(w, "target", *r->first[TARGET] ? r->first[TARGET] : NULL);
        jw_kcstr(w, "golden", *r->first[GOLDEN] ? r->first[GOLDEN] : NULL);
        jw_kint(w, "order", r->first_order);
        jw_kgiven(w, "error", (double)r->first_error);
        jw_kint(w, "row", r->first_order + 1);
        jw_end_object(w);
    } else {
        jw_null(w);
    }
    jw_end_object(w);
}

static void standing_json(struct jsonw *w, const char *key, const struct round_row *x)
{
    jw_key(w, key);
    if (!x) {
        jw_null(w);
        return;
    }
    jw_object(w);
    jw_kcstr(w, "verdict", verdict_name((enum verdict)x->verdict));
    jw_kgiven(w, "error", (double)x->error);
    jw_kgiven(w, "confidence", (double)x->confidence);
    jw_end_object(w);
}

static void row_json(struct jsonw *w, const struct changes_report *x, const struct change *c)
{
    const struct round *r = c->now == NONE ? x->before : x->now;
    uint32_t row = c->now == NONE ? c->was : c->now;
    jw_object(w);
    for (int s = 0; s < 2; s++) {
        const char *name = round_name(r, row, s);
        jw_kcstr(w, s ? "golden" : "target", *name ? name : NULL);
    }
    c->now == NONE ? jw_knull(w, "order") : jw_kint(w, "order", c->now);
    standing_json(w, "was", round_row_at(x->before, c->was));
    standing_json(w, "now", round_row_at(x->now, c->now));
    jw_end_object(w);
}

static void lists_json(struct out *o, struct jsonw *w, const struct changes_report *x)
{
    size_t at = 0;
    for (int k = 0; k < CHANGE_KINDS; k++) {
        jw_karray(w, change_name((enum change_kind)k));
        for (; at < x->c->list.n && x->c->list.v[at].kind == k; at++) {
            row_json(w, x, &x->c->list.v[at]);
            out_flow(o);
        }
        jw_end_array(w);
    }
}

static void findings_json(struct jsonw *w, const struct changes_report *x)
{
    jw_karray(w, "findings");
    for (size_t i = 0; i < x->now->findings.n; i++) {
        const struct round_finding *f = &x->now->findings.v[i];
        const char *was = finding_was(x, f);
        if (was && strcmp(was, f->status) == 0)
            continue;
        jw_object(w);
        jw_kint(w, "number", f->number);
        jw_kcstr(w, "text", f->text);
        jw_kcstr(w, "was", was);
        jw_kcstr(w, "now", f->status);
        jw_end_object(w);
    }
    jw_end_array(w);
    jw_karray(w, "panels");
    for (size_t i = 0; i < x->now->panels.n; i++) {
        const struct round_panel *p = &x->now->panels.v[i], *was = round_panel(x->before, p->name);
        if (!was || strcmp(was->state, p->state) == 0)
            continue;
        jw_object(w);
        jw_kcstr(w, "name", p->name);
        jw_kcstr(w, "was", was->state);
        jw_kcstr(w, "now", p->state);
        jw_end_object(w);
    }
    jw_end_array(w);
}

void changes_intervention_json(struct jsonw *w, const struct changes *c)
{
    jw_key(w, "intervention");
    if (c->intervention == INTERVENTION_NONE) {
        jw_null(w);
        return;
    }
    jw_object(w);
    jw_kcstr(w, "row", c->replaced);
    jw_kcstr(w, "outcome", intervention_name(c->intervention));
    jw_kint(w, "behind", c->behind);
    jw_kint(w, "left", c->left);
    jw_end_object(w);
}

void changes_json(struct jsonw *w, struct out *o, const void *result)
{
    const struct changes_report *x = result;
    const struct changes *c = x->c;
    struct buf sentence = {0};
    changes_sentence(c, &sentence);
    jw_result(w);
    round_json(w, "before", x->before, x->path[0]);
    round_json(w, "now", x->now, x->path[1]);
    jw_kbool(w, "comparable", c->comparable);
    jw_kcstr(w, "why", *c->why ? c->why : NULL);
    jw_kcstr(w, "verdict", c->status == 0 ? "pass" : c->status == 1 ? "fail" : "unknown");
    jw_kstr(w, "sentence", buf_view(&sentence));
    jw_kcstr(w, "first", first_fate_name(c->fate));
    jw_kbool(w, "moved", c->moved);
    jw_kbool(w, "confirmed", c->confirmed);
    changes_intervention_json(w, c);
    jw_kbool(w, "by_rows", c->rows);
    jw_kint(w, "joined", (int64_t)c->joined);
    jw_kobject(w, "counts");
    for (int k = 0; k < CHANGE_KINDS; k++)
        jw_kint(w, change_name((enum change_kind)k), c->count[k]);
    jw_end_object(w);
    lists_json(o, w, x);
    findings_json(w, x);
    jw_end_object(w);
    buf_release(&sentence);
}

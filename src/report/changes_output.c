/* Writes what changed between two rounds or results, as text and as JSON. */
#include "report/changes_output.h"

#include <math.h>

#include "base/json_write.h"
#include "base/msg.h"
#include "base/num.h"
#include "judge/verdict_text.h"
#include "dump/dump.h"
#include "ticket/finding.h"
#include "document/text_layout.h"

#define LISTED 20 /* rows of a kind, in the text */

static const char *const titles[CHANGE_KINDS] = {
    [CHANGE_FIXED] = N_("fixed: deviated, agrees now"),
    [CHANGE_NEW] = N_("new: deviates now and did not"),
    [CHANGE_WORSE] = N_("worse"),
    [CHANGE_BETTER] = N_("better"),
    [CHANGE_VANISHED] = N_("vanished: deviated, and is no longer recorded, paired or judged (that is not fixed)"),
};

static const struct round_row *row_of(const struct round *r, uint32_t row)
{
    return row == NONE ? NULL : &r->rows.v[row];
}

/* ---- text ---- */

static void standing(struct buf *b, const struct round_row *x)
{
    char n[NUM_MAX];
    buf_cstr(b, x ? verdict_label((enum verdict)x->verdict) : _("not recorded"));
    if (x && !isnan(x->error))
        buf_fmt(b, " %s", num_error(n, (double)x->error));
}

static void a_row(struct buf *b, const struct changes_report *x, const struct change *c)
{
    const struct round_row *was = row_of(x->before, c->was), *now = row_of(x->now, c->now);
    struct buf then = {0};
    buf_cstr(b, "  ");
    text_fit(b, str_of(now ? round_row_name(x->now, c->now) : round_row_name(x->before, c->was)), 56);
    buf_char(b, ' ');
    standing(&then, was);
    text_pad(b, buf_view(&then), 20);
    buf_cstr(b, "→ ");
    standing(b, now);
    buf_char(b, '\n');
    buf_release(&then);
}

static void list(struct buf *b, const struct changes_report *x, enum change_kind k)
{
    char n[NUM_MAX];
    uint32_t told = 0;
    if (!x->c->count[k] || !x->c->rows)
        return;
    buf_fmt(b, "\n%s: %s\n", _(titles[k]), num_count(n, x->c->count[k]));
    for (size_t i = 0; i < x->c->list.n && told < LISTED; i++)
        if (x->c->list.v[i].kind == k) {
            a_row(b, x, &x->c->list.v[i]);
            told++;
        }
    if (x->c->count[k] > told)
        buf_fmt(b, _("  … and %s more\n"), num_count(n, x->c->count[k] - told));
}

static void counts(struct buf *b, const struct changes_report *x)
{
    buf_cstr(b, _("rows   "));
    for (int v = VERDICT_MATCH; v < VERDICT_COUNT; v++)
        if (x->before->by[v] || x->now->by[v])
            buf_fmt(b, _("  %s %u → %u"), verdict_label((enum verdict)v), x->before->by[v], x->now->by[v]);
    buf_fmt(b, _("\n         coverage %.0f %% → %.0f %% of the target's compute calls\n"), x->before->coverage[TARGET] * 100, x->now->coverage[TARGET] * 100);
}

/* Findings and panels that stand otherwise; findings of two copies of one ticket have the same numbers. */
static const char *finding_was(const struct changes_report *x, const struct round_finding *f)
{
    const struct round_finding *was = round_finding(x->before, f->number);
    return was ? was->status : NULL;
}

static void findings_text(struct buf *b, const struct changes_report *x)
{
    for (size_t i = 0; i < x->now->findings.n; i++) {
        const struct round_finding *f = &x->now->findings.v[i];
        const char *was = finding_was(x, f);
        if (was && strcmp(was, f->status) == 0)
            continue;
        buf_fmt(b, _("finding %u: %s → %s: %s\n"), f->number, was ? _(was) : _("not noted"), _(f->status), f->text);
    }
}

static void panels_text(struct buf *b, const struct changes_report *x)
{
    for (size_t i = 0; i < x->now->panels.n; i++) {
        const struct round_panel *p = &x->now->panels.v[i], *was = round_panel(x->before, p->name);
        if (was && strcmp(was->state, p->state) != 0)
            buf_fmt(b, _("panel %s: %s → %s\n"), p->name, was->state, p->state);
    }
}

void changes_text(struct buf *out, const struct changes_report *x)
{
    struct buf b = {0};
    buf_fmt(&b, _("before   %s\n         %s ⇄ %s\n"), x->path[0], x->before->side[TARGET].path, x->before->side[GOLDEN].path);
    buf_fmt(&b, _("now      %s\n         %s ⇄ %s\n"), x->path[1], x->now->side[TARGET].path, x->now->side[GOLDEN].path);
    counts(&b, x);
    buf_cstr(&b, _("result   "));
    changes_sentence(x->c, &b);
    buf_cstr(&b, ".\n");
    if (x->c->comparable && *x->c->why)
        buf_fmt(&b, _("note     %s\n"), x->c->why);
    for (int k = 0; k < CHANGE_KINDS && x->c->comparable; k++)
        list(&b, x, (enum change_kind)k);
    if (x->now->findings.n + x->now->panels.n)
        buf_char(&b, '\n');
    findings_text(&b, x);
    panels_text(&b, x);
    text_clean(out, &b);
}

/* ---- JSON ---- */

static void number(struct jsonw *w, const char *key, double v)
{
    jw_key(w, key);
    isnan(v) ? jw_null(w) : jw_num(w, v);
}

static void round_json(struct jsonw *w, const char *key, const struct round *r, const char *path)
{
    jw_key(w, key);
    jw_object(w);
    jw_kcstr(w, "path", path);
    r->number ? jw_kint(w, "round", r->number) : jw_knull(w, "round");
    jw_kcstr(w, "target", r->side[TARGET].path);
    jw_kcstr(w, "golden", r->side[GOLDEN].path);
    jw_kint(w, "status", r->status);
    jw_key(w, "summary");
    jw_object(w);
    for (int v = VERDICT_MATCH; v < VERDICT_COUNT; v++)
        jw_kint(w, verdict_name((enum verdict)v), r->by[v]);
    jw_kint(w, "pairs", r->pairs);
    jw_kint(w, "doubtful", r->doubtful);
    jw_kint(w, "known", r->known);
    number(w, "coverage", r->coverage[TARGET]);
    jw_end_object(w);
    jw_key(w, "first_deviation");
    if (r->deviates) {
        jw_object(w);
        jw_kcstr(w, "target", *r->first[TARGET] ? r->first[TARGET] : NULL);
        jw_kcstr(w, "golden", *r->first[GOLDEN] ? r->first[GOLDEN] : NULL);
        jw_kint(w, "order", r->first_order);
        number(w, "error", (double)r->first_error);
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
    number(w, "error", (double)x->error);
    number(w, "confidence", (double)x->confidence);
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
    standing_json(w, "was", row_of(x->before, c->was));
    standing_json(w, "now", row_of(x->now, c->now));
    jw_end_object(w);
}

static void lists_json(struct out *o, struct jsonw *w, const struct changes_report *x)
{
    size_t at = 0;
    for (int k = 0; k < CHANGE_KINDS; k++) {
        jw_key(w, change_name((enum change_kind)k));
        jw_array(w);
        for (; at < x->c->list.n && x->c->list.v[at].kind == k; at++) {
            row_json(w, x, &x->c->list.v[at]);
            out_flow(o);
        }
        jw_end_array(w);
    }
}

static void findings_json(struct jsonw *w, const struct changes_report *x)
{
    jw_key(w, "findings");
    jw_array(w);
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
    jw_key(w, "panels");
    jw_array(w);
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

void changes_json(struct out *o, const struct changes_report *x)
{
    const struct changes *c = x->c;
    struct buf sentence = {0};
    struct jsonw w;
    changes_sentence(c, &sentence);
    jw_init(&w, &o->buf, false);
    jw_object(&w);
    jw_kint(&w, "schema", 1);
    jw_kcstr(&w, "tool", x->tool);
    round_json(&w, "before", x->before, x->path[0]);
    round_json(&w, "now", x->now, x->path[1]);
    jw_kbool(&w, "comparable", c->comparable);
    jw_kcstr(&w, "why", *c->why ? c->why : NULL);
    jw_kcstr(&w, "verdict", c->status == 0 ? "pass" : c->status == 1 ? "fail" : "unknown");
    jw_kstr(&w, "sentence", buf_view(&sentence));
    jw_kcstr(&w, "first", first_fate_name(c->fate));
    jw_kbool(&w, "moved", c->moved);
    jw_kbool(&w, "confirmed", c->confirmed);
    jw_kbool(&w, "by_rows", c->rows);
    jw_kint(&w, "joined", (int64_t)c->joined);
    jw_key(&w, "counts");
    jw_object(&w);
    for (int k = 0; k < CHANGE_KINDS; k++)
        jw_kint(&w, change_name((enum change_kind)k), c->count[k]);
    jw_end_object(&w);
    lists_json(o, &w, x);
    findings_json(&w, x);
    jw_end_object(&w);
    buf_char(&o->buf, '\n');
    buf_release(&sentence);
}

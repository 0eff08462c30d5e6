/* Writes the findings report in its three text formats. The JSON is made from the data, not from the document, so
 * that scripts do not depend on the language of its sentences. */
#include "base/json_write.h"
#include "report/settings_output.h"
#include "report/curves_output.h"
#include "report/formats.h"
#include "report/norms_output.h"
#include "report/optimizer_output.h"
#include "report/panels_output.h"
#include "report/rollout_output.h"
#include "report/report_build.h"
#include "report/weights_output.h"
#include "document/write.h"

static void write_report_document(struct out *o, const struct comparison *s, const struct report_options *opt,
                                  void (*write)(struct out *, const struct document *))
{
    struct sanitize c;
    struct document d;
    report_sanitize(&c, s, opt);
    report_build(&d, s, opt, &c);
    if (report_goes_on(opt, o, 1, 1))
        write(o, &d);
    document_release(&d);
    sanitize_release(&c);
}

void report_html(struct out *o, const struct comparison *s, const struct report_options *opt)
{
    write_report_document(o, s, opt, write_html);
}

void report_md(struct out *o, const struct comparison *s, const struct report_options *opt)
{
    write_report_document(o, s, opt, write_md);
}

static void write_thresholds(struct jsonw *w, const struct thresholds *t)
{
    const char *key;
    double v;
    jw_kobject(w, "thresholds");
    for (int i = 0; (key = thresholds_key(t, i, &v)); i++)
        jw_knum(w, key, v);
    jw_end_object(w);
}

/* A finding with only those paths that the report may contain. */
static void write_report_finding(struct jsonw *w, const struct finding *x, const struct sanitize *c, struct arena *a)
{
    struct finding shown = *x;
    struct fact *fact = arena_alloc(a, (x->evidence.n + 1) * sizeof *fact);
    struct buf b = {0};
    for (size_t i = 0; i < x->evidence.n; i++) {
        fact[i] = x->evidence.fact[i];
        for (int k = 0; k < 2; k++) {
            buf_clear(&b);
            sanitize_text(c, str_of(fact[i].side[k]), SANITIZE_JSON, &b);
            if (fact[i].side[k])
                fact[i].side[k] = arena_cstr(a, buf_view(&b));
        }
    }
    buf_clear(&b);
    sanitize_text(c, str_of(x->text), SANITIZE_JSON, &b);
    shown.text = arena_cstr(a, buf_view(&b));
    buf_clear(&b);
    sanitize_text(c, str_of(x->at ? x->at : ""), SANITIZE_JSON, &b);
    shown.at = arena_cstr(a, buf_view(&b));
    shown.evidence.fact = fact;
    finding_json(w, &shown);
    buf_release(&b);
}

/* The rows of findings, in the previous round and now. */
static void finding_rows(struct jsonw *w, const struct comparison *s, const finding_list *l)
{
    if (!s->since.join)
        return;
    jw_karray(w, "finding_rows");
    for (size_t i = 0; i < l->n; i++) {
        if (!finding_of_rows(&l->v[i]))
            continue;
        uint32_t line = round_since_find(s, l->v[i].about);
        jw_object(w);
        jw_kint(w, "number", l->v[i].number);
        jw_kcstr(w, "verdict", line == NONE ? NULL : verdict_name(s->judged->line[line].verdict));
        if (line != NONE)
            compare_json_was(w, s, line);
        jw_end_object(w);
    }
    jw_end_array(w);
}

/* A text as a report may show it. */
static void write_shown_text(void *ctx, struct str s, struct buf *out)
{
    sanitize_text(ctx, s, SANITIZE_JSON, out);
}

static void write_repeat_run(struct jsonw *w, const char *key, const struct engine_run_result *r)
{
    jw_key(w, key);
    if (!r) {
        jw_null(w);
        return;
    }
    jw_object(w);
    jw_kcstr(w, "verdict", stage_name(r->repeat.verdict));
    jw_kint(w, "rows", (int64_t)r->repeat.rows);
    jw_kint(w, "equal", (int64_t)r->repeat.equal);
    jw_kcstr(w, "first", r->repeat.first);
    jw_end_object(w);
}

/* The results of the panels' engines, each as printed by its own command; null without input. */
static void write_engine_results(struct jsonw *w, struct out *o, const struct report_options *opt)
{
    const struct procedure *g = opt->guide;
    const struct engine_run_result *r[ENGINE_RUN_COUNT] = {NULL};
    for (int i = 0; g && i < ENGINE_RUN_COUNT; i++)
        r[i] = procedure_result(g, (enum engine_run_id)i);
    jw_key(w, "panels");
    g ? panels_json(w, o, g) : jw_null(w);
    jw_key(w, "settings");
    r[ENGINE_RUN_SETTINGS] ? config_json(w, o, r[ENGINE_RUN_SETTINGS]->settings) : jw_null(w);
    jw_key(w, "weights");
    r[ENGINE_RUN_WEIGHTS] ? weights_json_object(w, o, r[ENGINE_RUN_WEIGHTS]->weights, opt) : jw_null(w);
    write_repeat_run(w, "target_repeat", r[ENGINE_RUN_REPEAT_TARGET]);
    write_repeat_run(w, "golden_repeat", r[ENGINE_RUN_REPEAT_GOLDEN]);
    jw_key(w, "norms");
    r[ENGINE_RUN_NORMS] ? norms_json(w, o, r[ENGINE_RUN_NORMS]->norms) : jw_null(w);
    jw_key(w, "optimizer");
    r[ENGINE_RUN_STEP] ? optimizer_json(w, o, r[ENGINE_RUN_STEP]->step) : jw_null(w);
    jw_key(w, "frozen");
    r[ENGINE_RUN_FROZEN] ? curves_json(w, o, r[ENGINE_RUN_FROZEN]->curves) : jw_null(w);
    jw_key(w, "curves");
    r[ENGINE_RUN_CURVES] ? curves_json(w, o, r[ENGINE_RUN_CURVES]->curves) : jw_null(w);
    jw_key(w, "rollout");
    r[ENGINE_RUN_ROLLOUT] ? rollout_json(w, o, r[ENGINE_RUN_ROLLOUT]->rollout) : jw_null(w);
}

/* The data of every picture a report has. */
static void write_picture_data(struct jsonw *w, struct out *o, const struct comparison *s,
                               const struct report_options *opt, const struct sanitize *c)
{
    struct document d;
    report_build(&d, s, opt, c);
    report_goes_on(opt, o, 1, 1);
    jw_karray(w, "figures");
    for (size_t i = 0; i < d.sections.n; i++)
        for (size_t k = 0; k < d.sections.v[i].blocks.n; k++)
            if (d.sections.v[i].blocks.v[k].kind == DOC_PICTURE) {
                picture_json(w, d.sections.v[i].blocks.v[k].picture);
                out_flow(o);
            }
    jw_end_array(w);
    document_release(&d);
}

void report_json(struct out *o, const struct comparison *s, const struct report_options *opt)
{
    struct jsonw w;
    struct sanitize c;
    struct arena a = {0};
    struct buf date = {0};
    finding_list l = {0};
    report_sanitize(&c, s, opt);
    if (opt->inv)
        findings_read(&opt->inv->findings, &l);
    report_date(opt->date, &date);
    jw_init(&w, &o->buf, false);
    jw_result(&w);
    jw_kcstr(&w, "written", opt->date ? date.p : NULL);
    jw_karray(&w, "findings");
    for (size_t i = 0; i < l.n; i++)
        write_report_finding(&w, &l.v[i], &c, &a);
    jw_end_array(&w);
    finding_rows(&w, s, &l);
    write_thresholds(&w, &s->opt.tol);
    jw_key(&w, "comparison");
    s->judged && !s->single && !s->failed ? compare_json_object(&w, o, s, opt, &c) : jw_null(&w);
    w.filter = write_shown_text;
    w.ctx = &c;
    if (s->failed)
        jw_kcstr(&w, "unread", s->err.text);
    write_engine_results(&w, o, opt);
    write_picture_data(&w, o, s, opt, &c);
    jw_end_object(&w);
    buf_char(&o->buf, '\n');
    vec_release(&l);
    buf_release(&date);
    arena_release(&a);
    sanitize_release(&c);
}

/* The findings report in the three formats that are texts. Its JSON is made of the data, not of the document, so that
 * scripts do not depend on the language of its sentences. */
#include "base/jsonw.h"
#include "report/formats.h"
#include "report/report_build.h"
#include "report/write.h"

static void document(struct out *o, const struct session *s, const struct report_options *opt, void (*write)(struct out *, const struct document *))
{
    struct clean c;
    struct document d;
    clean_init(&c, s->side[TARGET].dump.path, s->side[GOLDEN].dump.path, opt->paths);
    report_build(&d, s, opt, &c);
    write(o, &d);
    document_release(&d);
    clean_release(&c);
}

void report_html(struct out *o, const struct session *s, const struct report_options *opt)
{
    document(o, s, opt, write_html);
}

void report_md(struct out *o, const struct session *s, const struct report_options *opt)
{
    document(o, s, opt, write_md);
}

static void thresholds(struct jsonw *w, const struct tol *t)
{
    const char *key;
    double v;
    jw_key(w, "thresholds");
    jw_object(w);
    for (int i = 0; (key = tol_key(t, i, &v)); i++)
        jw_knum(w, key, v);
    jw_end_object(w);
}

/* A finding whose sentences name no more than the report may show. */
static void finding(struct jsonw *w, const struct finding *x, const struct clean *c, struct arena *a)
{
    struct finding shown = *x;
    struct fact *fact = arena_alloc(a, (x->evidence.n + 1) * sizeof *fact);
    struct buf b = {0};
    for (size_t i = 0; i < x->evidence.n; i++) {
        fact[i] = x->evidence.fact[i];
        for (int k = 0; k < 2; k++) {
            buf_clear(&b);
            clean_text(c, str_of(fact[i].side[k]), 0, &b);
            if (fact[i].side[k])
                fact[i].side[k] = arena_cstr(a, buf_view(&b));
        }
    }
    buf_clear(&b);
    clean_text(c, str_of(x->text), 0, &b);
    shown.text = arena_cstr(a, buf_view(&b));
    buf_clear(&b);
    clean_text(c, str_of(x->at ? x->at : ""), 0, &b);
    shown.at = arena_cstr(a, buf_view(&b));
    shown.evidence.fact = fact;
    finding_json(w, &shown, true);
    buf_release(&b);
}

void report_json(struct out *o, const struct session *s, const struct report_options *opt)
{
    struct jsonw w;
    struct clean c;
    struct arena a = {0};
    struct buf date = {0};
    finding_list l = {0};
    clean_init(&c, s->side[TARGET].dump.path, s->side[GOLDEN].dump.path, opt->paths);
    if (opt->inv)
        findings_read(&opt->inv->findings, &l);
    report_date(opt->date, &date);
    jw_init(&w, &o->buf, false);
    jw_object(&w);
    jw_kint(&w, "schema", 1);
    jw_kcstr(&w, "tool", opt->tool);
    jw_kcstr(&w, "written", opt->date ? date.p : NULL);
    jw_key(&w, "findings");
    jw_array(&w);
    for (size_t i = 0; i < l.n; i++)
        finding(&w, &l.v[i], &c, &a);
    jw_end_array(&w);
    thresholds(&w, &s->opt.tol);
    jw_key(&w, "comparison");
    compare_json_object(&w, o, s, opt, &c);
    jw_end_object(&w);
    buf_char(&o->buf, '\n');
    vec_release(&l);
    buf_release(&date);
    arena_release(&a);
    clean_release(&c);
}

/* Writes gradient norms of both sides as JSON and CSV. */
#include "report/norms_output.h"

#include "base/json_write.h"
#include "base/msg.h"
#include "document/csv.h"

/* ---- JSON ---- */

static void norm_side_json(struct jsonw *w, const struct norm_side *s)
{
    jw_object(w);
    jw_kcstr(w, "path", s->path);
    jw_kcstr(w, "format", s->format);
    jw_kcstr(w, "source", s->kind->name);
    jw_kint_if(w, "step", s->step >= 0, s->step);
    jw_kint(w, "values", (int64_t)s->values.n);
    jw_kcstr(w, "order", s->order ? _(s->order) : NULL);
    jw_end_object(w);
}

static const char *norm_value_kind(const struct norm_side *s)
{
    return s->square ? "square" : "norm";
}

static void write_norm_names(struct jsonw *w, const char *key, const struct norm_side *s, const uint32_t *v, size_t n)
{
    jw_karray(w, key);
    for (size_t i = 0; i < n; i++)
        jw_cstr(w, s->values.v[v[i]].name);
    jw_end_array(w);
}

void norms_json(struct jsonw *w, struct out *o, const void *result)
{
    const struct norms *n = result;
    static const char *const sides[] = {"target", "golden"};
    int64_t step = n->side[0].step >= 0 ? n->side[0].step : n->side[1].step;
    jw_result(w);
    for (int s = 0; s < 2; s++) {
        jw_key(w, sides[s]);
        norm_side_json(w, &n->side[s]);
    }
    jw_kint_if(w, "step", step >= 0, step);
    jw_kobject(w, "units");
    for (int s = 0; s < 2; s++)
        jw_kcstr(w, sides[s], norm_value_kind(&n->side[s]));
    jw_end_object(w);
    jw_karray(w, "params");
    for (size_t i = 0; i < n->pairs.n; i++) {
        const struct norm_pair *p = &n->pairs.v[i];
        jw_object(w);
        for (int s = 0; s < 2; s++)
            write_norm_names(w, sides[s], &n->side[s], p->part[s], p->parts[s]);
        jw_knum(w, "t", p->norm[0]);
        jw_knum(w, "g", p->norm[1]);
        jw_knum(w, "rel", p->rel);
        jw_knum(w, "unseen", p->unseen);
        jw_kbool(w, "outlier", p->outlier);
        jw_end_object(w);
        out_flow(o);
    }
    jw_end_array(w);
    jw_kgiven(w, "median_rel", n->median);
    write_norm_names(w, "target_only", &n->side[0], n->only[0].v, n->only[0].n);
    write_norm_names(w, "golden_only", &n->side[1], n->only[1].v, n->only[1].n);
    jw_kcstrs(w, "unread", n->unread.v, n->unread.n);
    jw_kcstrs(w, "warnings", n->warnings.v, n->warnings.n);
    jw_kcstrs(w, "next", n->next.v, n->next.n);
    jw_kcstr(w, "verdict", stage_name(n->verdict));
    jw_end_object(w);
}

/* ---- CSV ---- */

/* "a + b + c" */
static void joint_name(struct buf *b, const struct norm_side *s, const uint32_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf_fmt(b, "%s%s", i ? " + " : "", s->values.v[v[i]].name);
}

void norms_csv(struct out *o, const void *result)
{
    const struct norms *n = result;
    static const char *const columns[] = {"target", "golden", "target_norm", "golden_norm", "rel", "outlier"};
    struct csv w = {&o->buf, true};
    struct buf name = {0};
    for (size_t i = 0; i < ARRAY_LEN(columns); i++)
        csv_text(&w, str_of(columns[i]));
    csv_line(&w);
    for (size_t i = 0; i < n->pairs.n; i++) {
        const struct norm_pair *p = &n->pairs.v[i];
        for (int s = 0; s < 2; s++) {
            buf_clear(&name);
            joint_name(&name, &n->side[s], p->part[s], p->parts[s]);
            csv_text(&w, buf_view(&name));
        }
        csv_number(&w, true, p->norm[0]);
        csv_number(&w, true, p->norm[1]);
        csv_number(&w, true, p->rel);
        csv_count(&w, true, p->outlier);
        csv_line(&w);
        out_flow(o);
    }
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < n->only[s].n; i++) {
            uint32_t at = n->only[s].v[i];
            csv_text(&w, str_of(s ? "" : n->side[s].values.v[at].name));
            csv_text(&w, str_of(s ? n->side[s].values.v[at].name : ""));
            csv_number(&w, !s, norm_of_value(&n->side[s], at));
            csv_number(&w, s, norm_of_value(&n->side[s], at));
            csv_number(&w, false, 0);
            csv_number(&w, false, 0);
            csv_line(&w);
        }
    buf_release(&name);
}

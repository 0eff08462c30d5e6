/* Writes a comparison of two checkpoints as JSON and CSV, the list of one also as text. */
#include "report/weights_output.h"

#include "base/json_write.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"
#include "document/csv.h"
#include "document/write.h"
#include "weights/weights_section.h"

/* ---- JSON ---- */

static void number_or_zero(struct jsonw *w, const char *key, int v)
{
    jw_kint_if(w, key, v > 0, v);
}

static void write_weights_side(struct jsonw *w, const struct weights *s)
{
    jw_object(w);
    jw_kcstr(w, "path", s->path);
    jw_kcstr(w, "format", s->format);
    jw_kcstr(w, "framework", s->framework);
    jw_kint(w, "tensors", (int64_t)s->list.n);
    number_or_zero(w, "heads", s->arch.heads);
    number_or_zero(w, "kv_heads", s->arch.kv_heads);
    number_or_zero(w, "tp", s->arch.tp);
    jw_end_object(w);
}

static void write_sizes(struct jsonw *w, const int64_t *v, int n)
{
    jw_array(w);
    for (int i = 0; i < n; i++)
        jw_int(w, v[i]);
    jw_end_array(w);
}

static void write_weight_stats(struct jsonw *w, const char *key, const struct side_figures *f)
{
    jw_kobject(w, key);
    jw_knum(w, "max", f->max);
    jw_knum(w, "min", f->min);
    jw_knum(w, "mean", f->mean);
    jw_knum(w, "norm", f->norm);
    jw_kint(w, "nan", (int64_t)f->nan);
    jw_kint(w, "inf", (int64_t)f->inf);
    jw_kint(w, "zero", (int64_t)f->zero);
    jw_end_object(w);
}

static const struct weight *pair_weight(const struct weight_compare *c, const struct weight_pair *p, int s)
{
    return &c->side[s].list.v[p->weight[s]];
}

static const int64_t *pair_shape(const struct weight_compare *c, const struct weight_pair *p, int s, int *n)
{
    const struct weight *x = pair_weight(c, p, s);
    *n = p->ndim[s] || p->read || p->verdict == WEIGHT_SHAPE ? p->ndim[s] : x->ndim;
    return p->ndim[s] ? p->shape[s] : x->shape;
}

static const char *pair_origin(uint8_t o)
{
    static const char *const names[] = {
        [PAIR_BY_NAME] = "name",      [PAIR_BY_RULE] = "rule",    [PAIR_BY_MAP] = "mapping",
        [PAIR_TIED] = "tied", [PAIR_BY_VALUE] = "values", [PAIR_BY_ORDER] = "order",
    };
    return names[o];
}

static void pair_json(struct jsonw *w, const struct weight_compare *c, const struct weight_pair *p)
{
    bool two = p->read && p->fig.two;
    int n;
    jw_object(w);
    jw_kstr(w, "target", pair_weight(c, p, 0)->name);
    jw_kstr(w, "golden", pair_weight(c, p, 1)->name);
    jw_kcstr(w, "origin", pair_origin(p->origin));
    jw_kcstr(w, "verdict", weight_verdict_name(p->verdict));
    jw_karray(w, "part");
    for (int s = 0; s < 2; s++) {
        const char *part = weight_part_name(c, p, s);
        *part ? jw_cstr(w, part) : jw_null(w);
    }
    jw_end_array(w);
    jw_karray(w, "expert");
    for (int s = 0; s < 2; s++)
        p->expert[s] ? jw_int(w, p->expert[s] - 1) : jw_null(w);
    jw_end_array(w);
    jw_karray(w, "shape");
    for (int s = 0; s < 2; s++) {
        const int64_t *v = pair_shape(c, p, s, &n);
        write_sizes(w, v, n);
    }
    jw_end_array(w);
    jw_karray(w, "dtype");
    for (int s = 0; s < 2; s++) {
        const struct weight *x = pair_weight(c, p, s);
        x->dtype ? jw_cstr(w, dtype_table[x->dtype].name) : jw_str(w, x->type);
    }
    jw_end_array(w);
    jw_kcstr(w, "view", p->view);
    jw_knum_if(w, "max_abs_err", two, p->fig.max_abs);
    jw_knum_if(w, "max_rel_err", two, p->fig.max_rel);
    jw_knum_if(w, "cosine", two, p->fig.cosine);
    jw_knum_if(w, "rel_l2", two, p->fig.rel_l2);
    if (p->read && p->fig.side[0].count) {
        write_weight_stats(w, "target_stats", &p->fig.side[0]);
        write_weight_stats(w, "golden_stats", &p->fig.side[1]);
    } else {
        jw_knull(w, "target_stats");
        jw_knull(w, "golden_stats");
    }
    jw_kcstr(w, "why", p->why);
    jw_end_object(w);
}

static void write_weight_names(struct jsonw *w, const char *key, const struct weights *s, const uint32_t *v, size_t n)
{
    jw_karray(w, key);
    for (size_t i = 0; i < n; i++)
        jw_str(w, s->list.v[v[i]].name);
    jw_end_array(w);
}

static void write_weight_rows(struct out *o, struct jsonw *w, const char *key, const struct weight_compare *c, bool all)
{
    jw_karray(w, key);
    for (size_t i = 0; i < c->pairs.n; i++)
        if (all || c->pairs.v[i].verdict != WEIGHT_EQUAL) {
            pair_json(w, c, &c->pairs.v[i]);
            out_flow(o);
        }
    jw_end_array(w);
}

/* Weights that several ranks hold and that are not equal there. */
static void write_weight_replicas(struct jsonw *w, const struct weight_compare *c)
{
    jw_kint(w, "copies", (int64_t)c->replicas.n);
    jw_karray(w, "copies_differ");
    for (size_t i = 0; i < c->replicas.n; i++) {
        const struct weight_replica *r = &c->replicas.v[i];
        const struct weight_copy *x = &c->side[r->side].copies.v[r->copy];
        if (r->verdict == WEIGHT_EQUAL)
            continue;
        jw_object(w);
        jw_kcstr(w, "side", r->side ? "golden" : "target");
        jw_kcstr(w, "name", x->name);
        jw_karray(w, "ranks");
        jw_cstr(w, x->rank[0]);
        jw_cstr(w, x->rank[1]);
        jw_end_array(w);
        jw_kcstr(w, "verdict", weight_verdict_name((enum weight_verdict)r->verdict));
        jw_kbool(w, "certain", x->certain);
        jw_knum_if(w, "rel_l2", r->read && r->fig.two, r->fig.rel_l2);
        jw_kcstr(w, "why", r->why);
        jw_end_object(w);
    }
    jw_end_array(w);
}

void weights_json_object(struct jsonw *w, struct out *o, const struct weight_compare *c,
                         const struct report_options *opt)
{
    jw_result(w);
    jw_key(w, "target");
    write_weights_side(w, &c->side[0]);
    jw_key(w, "golden");
    write_weights_side(w, &c->side[1]);
    jw_kint(w, "pairs", (int64_t)c->pairs.n);
    jw_kint(w, "equal", (int64_t)weights_equal(c));
    jw_kint(w, "dtype_diff", (int64_t)c->dtype_diff);
    write_weight_replicas(w, c);
    write_weight_names(w, "target_only", &c->side[0], c->only[0].v, c->only[0].n);
    write_weight_names(w, "golden_only", &c->side[1], c->only[1].v, c->only[1].n);
    write_weight_names(w, "target_aside", &c->side[0], c->aside[0].v, c->aside[0].n);
    write_weight_names(w, "golden_aside", &c->side[1], c->aside[1].v, c->aside[1].n);
    write_weight_rows(o, w, "differs", c, false);
    if (opt->rows != ROWS_NONE)
        write_weight_rows(o, w, "rows", c, opt->rows == ROWS_ALL);
    jw_kcstrs(w, "unread", c->unread.v, c->unread.n);
    jw_kcstrs(w, "warnings", c->warnings.v, c->warnings.n);
    jw_kcstr(w, "verdict", stage_name(weight_compare_verdict(c)));
    jw_end_object(w);
}

void weights_list_json(struct jsonw *w, struct out *o, const void *result)
{
    const struct weight_listing *l = result;
    jw_result(w);
    jw_key(w, "target");
    write_weights_side(w, l->w);
    jw_knull(w, "golden");
    jw_karray(w, "tensors");
    for (size_t i = 0; i < l->w->list.n; i++) {
        const struct weight *x = &l->w->list.v[i];
        jw_object(w);
        jw_kstr(w, "name", x->name);
        x->dtype ? jw_kcstr(w, "dtype", dtype_table[x->dtype].name) : jw_kstr(w, "dtype", x->type);
        jw_key(w, "shape");
        x->text ? jw_null(w) : write_sizes(w, x->shape, x->ndim);
        l->has[i] ? write_weight_stats(w, "stats", &l->fig[i]) : jw_knull(w, "stats");
        jw_kcstr(w, "problem", x->problem);
        jw_end_object(w);
        out_flow(o);
    }
    jw_end_array(w);
    jw_karray(w, "problems");
    for (size_t i = 0; i < l->w->problems.n; i++) {
        const struct weight_problem *p = &l->w->problems.v[i];
        jw_object(w);
        jw_key(w, "row");
        p->weight == UINT32_MAX ? jw_null(w) : jw_str(w, l->w->list.v[p->weight].name);
        jw_kcstr(w, "kind", p->kind);
        jw_kcstr(w, "detail", p->text);
        jw_end_object(w);
    }
    jw_end_array(w);
    jw_end_object(w);
}

/* ---- CSV ---- */

static void cell_num(struct buf *b, bool there, double v)
{
    char tmp[NUM_MAX];
    csv_cell(b, there ? str_of(num_exact(tmp, v)) : STR(" "));
}

static void shape_put(struct buf *b, const int64_t *v, int n)
{
    buf_clear(b);
    buf_char(b, '[');
    for (int i = 0; i < n; i++)
        buf_fmt(b, i ? ",%lld" : "%lld", (long long)v[i]);
    buf_char(b, ']');
}

static void csv_one_sided_weights(struct out *o, const struct weights *w, const uint32_t *v, size_t n,
                                  const char *verdict, int s)
{
    for (size_t i = 0; i < n; i++) {
        csv_cell(&o->buf, s ? STR(" ") : w->list.v[v[i]].name);
        csv_cell(&o->buf, s ? w->list.v[v[i]].name : STR(" "));
        csv_cell(&o->buf, str_of(verdict));
        buf_cstr(&o->buf, ", , , , , , , , , , , \n");
        out_flow(o);
    }
}

void weights_csv(struct out *o, const struct weight_compare *c)
{
    struct buf shape = {0};
    int n;
    buf_cstr(&o->buf,
             "target,golden,verdict,target_dtype,golden_dtype,target_shape,golden_shape,view,max_abs_err,max_rel_err,"
             "cosine,rel_l2,target_norm,golden_norm,why\n");
    for (size_t i = 0; i < c->pairs.n; i++) {
        const struct weight_pair *p = &c->pairs.v[i];
        bool two = p->read && p->fig.two;
        for (int s = 0; s < 2; s++)
            csv_cell(&o->buf, pair_weight(c, p, s)->name);
        csv_cell(&o->buf, str_of(weight_verdict_name(p->verdict)));
        for (int s = 0; s < 2; s++)
            csv_cell(&o->buf, pair_weight(c, p, s)->type);
        for (int s = 0; s < 2; s++) {
            const int64_t *v = pair_shape(c, p, s, &n);
            shape_put(&shape, v, n);
            csv_cell(&o->buf, buf_view(&shape));
        }
        csv_cell(&o->buf, p->view ? str_of(p->view) : STR(" "));
        cell_num(&o->buf, two, p->fig.max_abs);
        cell_num(&o->buf, two, p->fig.max_rel);
        cell_num(&o->buf, two, p->fig.cosine);
        cell_num(&o->buf, two, p->fig.rel_l2);
        for (int s = 0; s < 2; s++)
            cell_num(&o->buf, p->read, p->fig.side[s].norm);
        csv_cell(&o->buf, p->why ? str_of(p->why) : STR(" "));
        buf_char(&o->buf, '\n');
        out_flow(o);
    }
    csv_one_sided_weights(o, &c->side[0], c->only[0].v, c->only[0].n, "only", 0);
    csv_one_sided_weights(o, &c->side[1], c->only[1].v, c->only[1].n, "only", 1);
    buf_release(&shape);
}

void weights_list_csv(struct out *o, const void *result)
{
    const struct weight_listing *l = result;
    struct buf shape = {0};
    buf_cstr(&o->buf, "name,dtype,shape,max,min,mean,norm,nan,inf,zero,problem\n");
    for (size_t i = 0; i < l->w->list.n; i++) {
        const struct weight *x = &l->w->list.v[i];
        const struct side_figures *f = &l->fig[i];
        csv_cell(&o->buf, x->name);
        csv_cell(&o->buf, x->type);
        shape_put(&shape, x->shape, x->ndim);
        csv_cell(&o->buf, buf_view(&shape));
        const double v[] = {f->max, f->min, f->mean, f->norm, (double)f->nan, (double)f->inf, (double)f->zero};
        for (size_t k = 0; k < sizeof v / sizeof *v; k++)
            cell_num(&o->buf, l->has[i], v[k]);
        csv_cell(&o->buf, x->problem ? str_of(x->problem) : STR(" "));
        buf_char(&o->buf, '\n');
        out_flow(o);
    }
    buf_release(&shape);
}

/* ---- a list as text ---- */

#define PROBLEMS 50

void weights_list_text(struct buf *out, const void *result)
{
    const struct weight_listing *l = result;
    struct buf b = {0}, shape = {0};
    struct document d;
    char n[4][NUM_MAX];
    int widest = 0;
    document_begin(&d);
    weights_side_section(&d, l->w, false);
    write_text_end(&b, &d);
    for (size_t i = 0; i < l->w->list.n; i++) {
        int cells = utf8_cells(l->w->list.v[i].name);
        widest = cells > widest ? cells : widest;
    }
    widest = widest > 72 ? 72 : widest;
    for (size_t i = 0; i < l->w->list.n; i++) {
        const struct weight *x = &l->w->list.v[i];
        const struct side_figures *f = &l->fig[i];
        int pad = widest - utf8_cells(x->name);
        shape_put(&shape, x->shape, x->ndim);
        struct str type = x->dtype ? str_of(dtype_table[x->dtype].name) : x->type;
        buf_fmt(&b, "%.*s%*s  %-13.*s %-14s", STR_ARG(x->name), pad > 0 ? pad : 0, "", STR_ARG(type),
                x->text ? "" : shape.p);
        if (l->has[i])
            buf_fmt(&b, _(" max %-11s min %-11s mean %-11s norm %s"), num_cell(n[0], f->max, 5),
                    num_cell(n[1], f->min, 5), num_cell(n[2], f->mean, 5), num_cell(n[3], f->norm, 6));
        if (l->has[i] && (f->nan || f->inf))
            buf_fmt(&b, _("  %llu NaN, %llu infinite"), (unsigned long long)f->nan, (unsigned long long)f->inf);
        if (x->problem)
            buf_fmt(&b, " %s", x->problem);
        buf_char(&b, '\n');
    }
    for (size_t i = 0; i < l->w->problems.n && i < PROBLEMS; i++)
        buf_fmt(&b, "! %s\n", l->w->problems.v[i].text);
    utf8_clean_lines(out, buf_view(&b)); /* everything in it may come from a file */
    buf_release(&b);
    buf_release(&shape);
}

/* Writes judged training curves as JSON and CSV. */
#include "report/curves_output.h"

#include <math.h>
#include <stdio.h>

#include "base/json_write.h"
#include "document/csv.h"

/* "target", "golden", "golden2", "golden3" … */
static const char *side_name(size_t run, char out[24])
{
    snprintf(out, 24, run == 0 ? "target" : run == 1 ? "golden" : "golden%zu", run);
    return out;
}

/* ---- JSON ---- */

static void step_or_null(struct jsonw *w, const char *key, int64_t step)
{
    jw_kint_if(w, key, step >= 0, step);
}

static void run_json(struct jsonw *w, const struct series *s)
{
    jw_object(w);
    jw_kcstr(w, "path", s->path);
    jw_kcstr(w, "format", s->format);
    jw_kcstr(w, "framework", s->framework);
    jw_kint(w, "steps", (int64_t)s->records.n);
    jw_kint_if(w, "first_step", s->records.n, s->records.n ? s->records.v[0].step : 0);
    jw_kint_if(w, "last_step", s->records.n, s->records.n ? vec_last(&s->records)->step : 0);
    jw_end_object(w);
}

static void runs_json(struct jsonw *w, const struct curves *c)
{
    char name[24];
    for (size_t k = 0; k < 2; k++) {
        jw_key(w, side_name(k, name));
        run_json(w, &c->run[k]);
    }
    jw_key(w, "golden2");
    c->runs > 2 ? run_json(w, &c->run[2]) : jw_null(w);
    jw_karray(w, "more_golden");
    for (size_t k = 3; k < c->runs; k++)
        run_json(w, &c->run[k]);
    jw_end_array(w);
}

static void points_json(struct jsonw *w, const struct curves *c)
{
    jw_kobject(w, "points");
    for (int l = 0; l < CURVE_LIMITS; l++) {
        const struct curve_judged *p = &c->limit[l];
        jw_kobject(w, curve_limit_name((enum curve_limit)l));
        l == CURVE_STEPS ? jw_kint(w, "value", (int64_t)p->value) : jw_kgiven(w, "value", p->value);
        jw_knum(w, "limit", p->limit);
        jw_kcstr(w, "verdict", stage_name(p->verdict));
        if (p->widened > 0)
            jw_knum(w, "widened_by", p->widened);
        jw_end_object(w);
    }
    jw_end_object(w);
}

static void marks_json(struct out *o, struct jsonw *w, const char *key, const struct outlier_step *m, size_t n)
{
    char name[24];
    jw_karray(w, key);
    for (size_t i = 0; i < n; i++) {
        jw_object(w);
        jw_kcstr(w, "side", side_name(m[i].run, name));
        jw_kint(w, "step", m[i].step);
        jw_kcstr(w, "series", m[i].series == CURVE_LOSS ? "loss" : "global_norm");
        jw_knum(w, "value", m[i].value);
        jw_end_object(w);
        out_flow(o);
    }
    jw_end_array(w);
}

static void lr_json(struct jsonw *w, const struct curve_lr *lr)
{
    jw_key(w, "lr");
    if (!lr->there) {
        jw_null(w);
        return;
    }
    jw_object(w);
    jw_kbool(w, "equal", lr->equal);
    step_or_null(w, "first_difference", lr->first);
    jw_knum(w, "max_rel", lr->max_rel);
    jw_kint(w, "steps", (int64_t)lr->steps);
    jw_end_object(w);
}

static void metrics_json(struct jsonw *w, const struct curves *c)
{
    jw_karray(w, "metrics");
    for (size_t i = 0; i < c->metrics.n; i++) {
        const struct curve_metric *m = &c->metrics.v[i];
        jw_object(w);
        jw_kcstr(w, "metric", m->tag);
        jw_kcstr(w, "target", m->name[0]);
        jw_kcstr(w, "golden", m->name[1]);
        jw_kint(w, "steps", (int64_t)m->steps);
        jw_knum(w, "target_mean", m->mean[0]);
        jw_knum(w, "golden_mean", m->mean[1]);
        jw_knum(w, "max_abs", m->max_abs);
        jw_kint(w, "at", m->at);
        jw_end_object(w);
    }
    jw_end_array(w);
}

/* Those that differ, and how many were compared. */
static void statistics_json(struct jsonw *w, const struct curves *c)
{
    const struct curve_statistics *all = &c->statistics;
    jw_key(w, "statistics");
    if (!all->names) {
        jw_null(w);
        return;
    }
    jw_object(w);
    jw_kint(w, "names", (int64_t)all->names);
    jw_kint(w, "values", (int64_t)all->values);
    jw_kint(w, "alone", (int64_t)all->alone);
    jw_karray(w, "differing");
    for (size_t i = 0; i < all->differing.n; i++) {
        const struct curve_statistic *x = &all->differing.v[i];
        jw_object(w);
        jw_kcstr(w, "name", x->name);
        jw_kcstr(w, "statistic", x->tag);
        jw_kint(w, "first", x->first);
        jw_kint(w, "at", x->at);
        jw_knum(w, "max_rel", x->max_rel);
        jw_knum(w, "target", x->value[0]);
        jw_knum(w, "golden", x->value[1]);
        jw_end_object(w);
    }
    jw_end_array(w);
    jw_end_object(w);
}

static void departure_json(struct jsonw *w, const struct curves *c)
{
    const struct curve_departure *d = &c->departure;
    jw_key(w, "departure");
    if (d->kind == DEPARTURE_NONE) {
        jw_null(w);
        return;
    }
    jw_object(w);
    jw_kcstr(w, "kind", d->kind == DEPARTURE_GROWING ? "growing" : "stable");
    jw_kbool(w, "late", d->late);
    jw_kint(w, "step", curve_departure_step(c));
    jw_knum(w, "level", d->level);
    jw_knum(w, "rel", d->rel);
    jw_end_object(w);
}

static void factors_json(struct jsonw *w, const struct curves *c)
{
    static const char *const names[] = {[CURVE_LOSS] = "loss", [CURVE_NORM] = "global_norm"};
    jw_karray(w, "factors");
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (c->factor[i].factor != 0) {
            jw_object(w);
            jw_kcstr(w, "of", names[i]);
            jw_knum(w, "factor", c->factor[i].factor);
            jw_kint(w, "steps", (int64_t)c->factor[i].steps);
            jw_kint(w, "near", (int64_t)c->factor[i].near);
            jw_end_object(w);
        }
    jw_end_array(w);
}

static void shift_json(struct jsonw *w, const struct curves *c)
{
    jw_key(w, "shift");
    if (!c->shift.steps) {
        jw_null(w);
        return;
    }
    jw_object(w);
    jw_kint(w, "steps", c->shift.steps);
    jw_kint(w, "pairs", (int64_t)c->shift.pairs);
    jw_knum(w, "distance", c->shift.distance);
    jw_end_object(w);
}

static void auxiliary_json(struct jsonw *w, const struct curves *c)
{
    jw_karray(w, "auxiliary");
    for (size_t i = 0; i < c->auxiliary.n; i++) {
        const struct auxiliary_loss *a = &c->auxiliary.v[i];
        jw_object(w);
        jw_kcstr(w, "target", a->name[0]);
        jw_kcstr(w, "golden", a->name[1]);
        jw_kint(w, "steps", (int64_t)a->steps);
        jw_knum(w, "mean_abs", a->mean_abs);
        jw_knum(w, "mean_rel", a->mean_rel);
        jw_kgiven(w, "factor", a->factor != 0 ? a->factor : NAN);
        jw_kcstr(w, "verdict", stage_name(a->verdict));
        jw_end_object(w);
    }
    jw_end_array(w);
}

static void course_json(struct jsonw *w, const struct curves *c)
{
    const struct noise_band *b = &c->band;
    jw_key(w, "noise_band");
    if (b->runs > 1 && b->steps) {
        jw_object(w);
        jw_knum(w, "loss_mean_abs", b->spread[CURVE_MEAN_ABS]);
        jw_knum(w, "loss_max_abs", b->max_abs);
        jw_kint(w, "runs", (int64_t)b->runs);
        jw_kint(w, "steps", (int64_t)b->steps);
        jw_kgiven(w, "target_inside", b->inside);
        jw_end_object(w);
    } else {
        jw_null(w);
    }
    jw_key(w, "around_zero");
    c->around_zero < 0 ? jw_null(w) : jw_bool(w, c->around_zero);
    jw_key(w, "trend");
    if (c->trend.there) {
        jw_object(w);
        jw_knum(w, "block_mean", c->trend.mean);
        jw_knum(w, "slope_per_1000", c->trend.slope);
        jw_kint(w, "sign_changes", (int64_t)c->trend.sign_changes);
        jw_kint(w, "blocks", (int64_t)c->trend.blocks);
        jw_knum(w, "block_mean_error", c->trend.error);
        jw_kgiven(w, "slope_error", c->trend.slope_error);
        jw_end_object(w);
    } else {
        jw_null(w);
    }
}

void curves_json(struct jsonw *w, struct out *o, const void *result)
{
    const struct curves *c = result;
    static const char *const joins[] = {"step", "epoch", "order"};
    jw_result(w);
    runs_json(w, c);
    jw_kcstr(w, "joined_by", joins[c->join]);
    jw_kint(w, "joined_steps", (int64_t)c->points.n);
    jw_kint(w, "usable_steps", (int64_t)c->usable.n);
    points_json(w, c);
    jw_kcstr(w, "first_loss", stage_name(c->first_loss));
    jw_kcstr(w, "mean_loss", stage_name(c->mean_loss));
    jw_kcstr(w, "global_norm", stage_name(c->global_norm));
    jw_kcstr(w, "verdict", stage_name(c->verdict));
    step_or_null(w, "diverges_at", c->diverges_at);
    step_or_null(w, "apart_at", c->apart_at);
    departure_json(w, c);
    factors_json(w, c);
    shift_json(w, c);
    statistics_json(w, c);
    auxiliary_json(w, c);
    jw_kgiven(w, "hours", c->hours > 0 ? c->hours : NAN);
    lr_json(w, &c->lr);
    metrics_json(w, c);
    marks_json(o, w, "spikes", c->spikes.v, c->spikes.n);
    marks_json(o, w, "nonfinite", c->nonfinite.v, c->nonfinite.n);
    course_json(w, c);
    jw_kcstrs(w, "unread", c->unread.v, c->unread.n);
    jw_kcstrs(w, "warnings", c->warnings.v, c->warnings.n);
    jw_kcstrs(w, "next", c->next.v, c->next.n);
    jw_end_object(w);
}

/* ---- CSV ---- */

static void csv_curve_value(struct csv *w, const struct log_record *r, enum log_value v)
{
    csv_number(w, log_has(r, v), log_has(r, v) ? r->value[v] : 0);
}

void curves_csv(struct out *o, const void *result)
{
    const struct curves *c = result;
    struct csv w = {&o->buf, true};
    static const char *const columns[] = {"step",      "target_loss", "golden_loss", "loss_diff",
                                          "loss_rel",  "target_norm", "golden_norm", "norm_rel",
                                          "target_lr", "golden_lr",   "usable"};
    char name[32];
    for (size_t i = 0; i < ARRAY_LEN(columns); i++)
        csv_text(&w, str_of(columns[i]));
    for (size_t k = 2; k < c->runs; k++)
        for (int v = 0; v < 2; v++) {
            snprintf(name, sizeof name, v ? "golden%zu_norm" : "golden%zu_loss", k);
            csv_text(&w, str_of(name));
        }
    csv_line(&w);
    for (size_t i = 0; i < c->points.n; i++) {
        const struct log_record *t = curve_record(c, i, 0), *g = curve_record(c, i, 1);
        bool loss = log_has(t, LOG_LOSS) && log_has(g, LOG_LOSS), norm = log_has(t, LOG_NORM) && log_has(g, LOG_NORM);
        double d = t->value[LOG_LOSS] - g->value[LOG_LOSS];
        csv_sep(&w);
        buf_fmt(&o->buf, "%lld", (long long)c->points.v[i].step);
        csv_curve_value(&w, t, LOG_LOSS);
        csv_curve_value(&w, g, LOG_LOSS);
        csv_number(&w, loss, d);
        csv_number(&w, loss, d == 0 ? 0 : fabs(d) / fabs(g->value[LOG_LOSS]));
        csv_curve_value(&w, t, LOG_NORM);
        csv_curve_value(&w, g, LOG_NORM);
        d = t->value[LOG_NORM] - g->value[LOG_NORM];
        csv_number(&w, norm, d == 0 ? 0 : fabs(d) / fabs(g->value[LOG_NORM]));
        csv_curve_value(&w, t, LOG_LR);
        csv_curve_value(&w, g, LOG_LR);
        csv_count(&w, true, c->points.v[i].usable);
        for (size_t k = 2; k < c->runs; k++) {
            static const struct log_record none;
            uint32_t at = c->golden[k][c->points.v[i].at[1]];
            const struct log_record *r = at == UINT32_MAX ? &none : &c->run[k].records.v[at];
            csv_curve_value(&w, r, LOG_LOSS);
            csv_curve_value(&w, r, LOG_NORM);
        }
        csv_line(&w);
        out_flow(o);
    }
}

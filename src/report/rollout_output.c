/* Writes the comparison of trainer and rollout as JSON and CSV. */
#include "report/rollout_output.h"

#include <math.h>

#include "document/csv.h"

/* ---- JSON ---- */

static void rollout_side_json(struct jsonw *w, const struct rollout_side *s)
{
    jw_object(w);
    jw_kcstr(w, "path", s->path);
    jw_kcstr(w, "format", s->format);
    jw_kcstr(w, "column", s->column);
    jw_kcstr(w, "mask", s->mask);
    jw_kint(w, "sequences", (int64_t)s->sequences);
    jw_kint(w, "tokens", (int64_t)s->tokens);
    jw_kbool(w, "token_ids", s->has_tokens);
    jw_end_object(w);
}

static void figures_json(struct jsonw *w, const struct rollout *r)
{
    static const char *const quantile[] = {"p50", "p90", "p99", "p999"};
    const struct rollout_figures *f = &r->all;
    bool both = !r->sizes_only;
    jw_object(w);
    jw_kint(w, "tokens", (int64_t)f->n);
    jw_kint(w, "nonfinite", (int64_t)f->nonfinite);
    jw_kgiven(w, "mean", both ? f->mean : NAN);
    jw_kgiven(w, "mean_abs", both ? f->mean_abs : NAN);
    jw_kgiven(w, "std", both ? f->std : NAN);
    jw_kgiven(w, "max_abs", both && f->n ? f->max_abs : NAN);
    for (int i = 0; i < 4; i++)
        jw_kgiven(w, quantile[i], both ? f->quantile[i] : NAN);
    jw_kgiven(w, "prob_mean", f->prob_mean);
    jw_kgiven(w, "prob_max", f->n ? f->prob_max : NAN);
    jw_kgiven(w, "prob_std", f->prob_std);
    jw_kgiven(w, "correlation", f->correlation);
    jw_kgiven(w, "k1", both ? f->k1 : NAN);
    jw_kgiven(w, "k2", both ? f->k2 : NAN);
    jw_kgiven(w, "k3", both ? f->k3 : NAN);
    jw_kgiven(w, "ratio_mean", both ? f->ratio_mean : NAN);
    jw_kgiven(w, "ratio_error", both ? f->ratio_error : NAN);
    jw_kgiven(w, "ratio_min", both && f->n ? f->ratio_min : NAN);
    jw_kgiven(w, "ratio_max", both && f->n ? f->ratio_max : NAN);
    jw_kgiven(w, "effective", both ? f->effective : NAN);
    jw_kint_if(w, "clipped_low", both, (int64_t)f->clipped_low);
    jw_kint_if(w, "clipped_high", both, (int64_t)f->clipped_high);
    jw_kint_if(w, "far", both, (int64_t)f->far);
    jw_end_object(w);
}

static void group_json(struct jsonw *w, const struct rollout_group *g)
{
    jw_object(w);
    jw_kint(w, "tokens", (int64_t)g->n);
    jw_kgiven(w, "mean", g->mean);
    jw_kgiven(w, "mean_abs", g->mean_abs);
    jw_kgiven(w, "max_abs", g->n ? g->max_abs : NAN);
    jw_end_object(w);
}

static void token_json(struct jsonw *w, const char *key, const struct rollout *r, const struct rollout_sequence *s,
                       uint32_t at)
{
    jw_key(w, key);
    if (at == ROLLOUT_NONE) {
        jw_null(w);
        return;
    }
    const struct rollout_token *t = &r->tokens.v[at];
    jw_object(w);
    jw_kint(w, "token", (int64_t)(at - s->from));
    jw_kint(w, "row", s->row[0]);
    jw_kint_if(w, "id", t->id >= 0, t->id);
    jw_kint(w, "round", t->round);
    jw_knum(w, "train", t->lp[0]);
    jw_kgiven(w, "rollout", t->lp[1]);
    jw_end_object(w);
}

static void sequence_json(struct jsonw *w, const struct rollout *r, const struct rollout_sequence *s)
{
    static const char *const pairing[] = {
        [ROLLOUT_WHOLE] = "whole", [ROLLOUT_TRUNCATED] = "truncated", [ROLLOUT_PARTED] = "parted",
        [ROLLOUT_UNALIGNED] = "unaligned",
    };
    jw_object(w);
    jw_kint(w, "train_row", s->row[0]);
    jw_kint(w, "rollout_row", s->row[1]);
    jw_kint_if(w, "index", s->index >= 0, s->index);
    jw_kcstr(w, "pairing", pairing[s->pairing]);
    jw_kint(w, "tokens", (int64_t)s->n);
    jw_kint(w, "train_only", (int64_t)s->only[0]);
    jw_kint(w, "rollout_only", (int64_t)s->only[1]);
    jw_kint(w, "nonfinite", (int64_t)s->nonfinite);
    jw_kgiven(w, "mean", s->mean);
    jw_kgiven(w, "mean_abs", s->mean_abs);
    jw_kgiven(w, "max_abs", s->max_abs);
    jw_kgiven(w, "log_ratio", r->sizes_only ? NAN : s->sum);
    token_json(w, "first", r, s, s->first);
    token_json(w, "worst", r, s, s->worst);
    jw_kint(w, "routed", (int64_t)s->routed);
    jw_kint(w, "rerouted", (int64_t)s->rerouted);
    jw_end_object(w);
}

static void fit_json(struct jsonw *w, const struct rollout_fit *f)
{
    jw_object(w);
    jw_kint_if(w, "shifted", f->shifted, f->shift);
    jw_kgiven(w, "shifted_mean_abs", f->shifted_abs);
    jw_kbool(w, "scaled", f->scaled);
    jw_kgiven(w, "factor", f->factor);
    jw_kgiven(w, "factor_rms", f->factor_rms);
    jw_kcstr(w, "renormalised", !f->renormalised ? NULL : f->cut_rollout ? "rollout" : "train");
    jw_kgiven(w, "one_sided", f->negative);
    jw_kbool(w, "tempered", f->tempered);
    jw_kgiven(w, "odds_slope", f->slope);
    jw_kgiven(w, "odds_slope_error", f->slope_error);
    jw_kint(w, "odds_tokens", (int64_t)f->n);
    jw_end_object(w);
}

static void limits_json(struct jsonw *w, const struct thresholds_rollout *t)
{
    jw_object(w);
    jw_knum(w, "mean_abs", t->mean_abs);
    jw_knum(w, "ratio", t->ratio);
    jw_knum(w, "epsilon", t->epsilon);
    jw_end_object(w);
}

void rollout_json(struct jsonw *w, struct out *o, const void *result)
{
    const struct rollout *r = result;
    jw_result(w);
    jw_key(w, "train");
    rollout_side_json(w, &r->side[0]);
    jw_key(w, "rollout");
    rollout_side_json(w, &r->side[1]);
    jw_kcstr(w, "recorded", r->sizes_only ? "probability_differences" : "log_probabilities");
    jw_key(w, "limits");
    limits_json(w, &r->limits);
    jw_key(w, "all");
    figures_json(w, r);
    jw_key(w, "first");
    if (r->first == ROLLOUT_NONE)
        jw_null(w);
    else
        sequence_json(w, r, &r->sequences.v[r->first_sequence]);
    jw_key(w, "fit");
    fit_json(w, &r->fit);
    jw_kint(w, "routed", (int64_t)r->routed);
    jw_kint(w, "rerouted", (int64_t)r->rerouted);
    jw_kint(w, "position_width", (int64_t)r->position_width);
    jw_karray(w, "positions");
    for (size_t i = 0; i < r->positions; i++)
        group_json(w, &r->position[i]);
    jw_end_array(w);
    jw_karray(w, "rounds");
    for (size_t i = 0; i < r->rounds.n; i++)
        group_json(w, &r->rounds.v[i]);
    jw_end_array(w);
    jw_karray(w, "sequences");
    for (size_t i = 0; i < r->worst.n; i++) {
        sequence_json(w, r, &r->sequences.v[r->worst.v[i]]);
        out_flow(o);
    }
    jw_end_array(w);
    jw_kcstrs(w, "unread", r->unread.v, r->unread.n);
    jw_kcstrs(w, "why", r->bad.v, r->bad.n);
    jw_kcstrs(w, "warnings", r->warnings.v, r->warnings.n);
    jw_kcstrs(w, "next", r->next.v, r->next.n);
    jw_kcstr(w, "verdict", stage_name(r->verdict));
    jw_end_object(w);
}

/* ---- CSV ---- */

void rollout_csv(struct out *o, const void *result)
{
    const struct rollout *r = result;
    static const char *const columns[] = {"sequence", "index", "token",   "round",
                                          "id",       "train", "rollout", "difference"};
    struct csv w = {&o->buf, true};
    for (size_t i = 0; i < ARRAY_LEN(columns); i++)
        csv_text(&w, str_of(columns[i]));
    csv_line(&w);
    for (size_t i = 0; i < r->sequences.n; i++) {
        const struct rollout_sequence *s = &r->sequences.v[i];
        for (size_t k = 0; k < s->n; k++) {
            const struct rollout_token *t = &r->tokens.v[s->from + k];
            csv_count(&w, true, s->row[0]);
            csv_count(&w, s->index >= 0, (uint64_t)s->index);
            csv_count(&w, true, k);
            csv_count(&w, true, t->round);
            csv_count(&w, t->id >= 0, (uint64_t)t->id);
            csv_number(&w, !r->sizes_only, t->lp[0]);
            csv_number(&w, !r->sizes_only, t->lp[1]);
            csv_number(&w, true, rollout_difference(r, t));
            csv_line(&w);
            out_flow(o);
        }
    }
}

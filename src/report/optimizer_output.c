/* Writes a replayed optimizer step as JSON. */
#include "report/optimizer_output.h"

#include "base/json_write.h"

static const char *const sides[] = {"target", "golden"};

static void step_side_json(struct jsonw *w, const struct step_side *s)
{
    jw_object(w);
    jw_kcstr(w, "path", s->path);
    jw_kcstr(w, "format", s->set[STEP_BEFORE].format);
    jw_kint(w, "weights", (int64_t)s->params.n);
    jw_kint(w, "unpaired", (int64_t)s->unpaired);
    jw_knum(w, "grad_norm", s->norm);
    jw_kgiven(w, "residual", s->residual);
    jw_end_object(w);
}

/* What is stated; null where nothing is. */
static void hyper_json(struct jsonw *w, const struct step_side *s)
{
    jw_object(w);
    jw_kcstr(w, "path", s->hyper.path);
    jw_kcstr(w, "optimizer", s->hyper.optimizer);
    for (int k = 0; k < HYPER_KEYS; k++) {
        const char *name = hyper_params_name((enum hyper_key)k);
        if (!s->hyper.has[k])
            jw_knull(w, name);
        else if (hyper_params_is_flag((enum hyper_key)k))
            jw_kbool(w, name, s->hyper.v[k] != 0);
        else
            jw_knum(w, name, s->hyper.v[k]);
    }
    jw_end_object(w);
}

static void reasons_json(struct jsonw *w, const struct optimizer *x)
{
    jw_karray(w, "explains");
    for (size_t i = 0; i < x->reasons.n; i++) {
        const struct step_reason *r = &x->reasons.v[i];
        jw_object(w);
        jw_kcstr(w, "side", sides[r->side]);
        jw_kcstr(w, "what", r->what);
        if (r->text)
            jw_kcstr(w, "value", r->text);
        else if (r->flag)
            jw_kbool(w, "value", r->value != 0);
        else
            jw_kgiven(w, "value", r->value);
        jw_kgiven(w, "residual", r->residual);
        jw_kcstr(w, "detail", r->detail);
        jw_end_object(w);
    }
    jw_end_array(w);
}

void optimizer_json(struct jsonw *w, struct out *o, const void *result)
{
    const struct optimizer *x = result;
    jw_result(w);
    for (int s = 0; s < 2; s++) {
        jw_key(w, sides[s]);
        step_side_json(w, &x->side[s]);
    }
    jw_kint(w, "params", (int64_t)x->pairs);
    jw_kobject(w, "hyper");
    for (int s = 0; s < 2; s++) {
        jw_key(w, sides[s]);
        x->side[s].stated ? hyper_json(w, &x->side[s]) : jw_null(w);
    }
    jw_end_object(w);
    jw_kobject(w, "reproduced");
    for (int s = 0; s < 2; s++)
        jw_kbool(w, sides[s], x->side[s].reproduced);
    jw_end_object(w);
    reasons_json(w, x);
    jw_karray(w, "worst");
    for (size_t i = 0; i < x->worst.n; i++) {
        jw_object(w);
        jw_kcstr(w, "param", x->worst.v[i].param);
        jw_knum(w, "rel_l2", x->worst.v[i].rel_l2);
        jw_end_object(w);
        out_flow(o);
    }
    jw_end_array(w);
    jw_kcstrs(w, "unread", x->unread.v, x->unread.n);
    jw_kcstrs(w, "warnings", x->warnings.v, x->warnings.n);
    jw_kcstrs(w, "next", x->next.v, x->next.n);
    jw_kcstr(w, "verdict", stage_name(x->verdict));
    jw_end_object(w);
}

/* Writes a replayed optimizer step as JSON and text. */
#include "report/optimizer_output.h"

#include <math.h>

#include "base/json_write.h"
#include "base/msg.h"
#include "base/num.h"
#include "document/text_layout.h"

static const char *const sides[] = {"target", "golden"};

/* ---- JSON ---- */

static void number(struct jsonw *w, const char *key, double v)
{
    isnan(v) ? jw_knull(w, key) : jw_knum(w, key, v);
}

static void side_json(struct jsonw *w, const struct step_side *s)
{
    jw_object(w);
    jw_kcstr(w, "path", s->path);
    jw_kcstr(w, "format", s->set[STEP_BEFORE].format);
    jw_kint(w, "weights", (int64_t)s->params.n);
    jw_kint(w, "unpaired", (int64_t)s->unpaired);
    jw_knum(w, "grad_norm", s->norm);
    number(w, "residual", s->residual);
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
    jw_key(w, "explains");
    jw_array(w);
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
            number(w, "value", r->value);
        number(w, "residual", r->residual);
        jw_kcstr(w, "detail", r->detail);
        jw_end_object(w);
    }
    jw_end_array(w);
}

void optimizer_json_object(struct jsonw *w, struct out *o, const struct optimizer *x, const char *tool)
{
    jw_object(w);
    jw_kint(w, "schema", 1);
    jw_kcstr(w, "tool", tool);
    for (int s = 0; s < 2; s++) {
        jw_key(w, sides[s]);
        side_json(w, &x->side[s]);
    }
    jw_kint(w, "params", (int64_t)x->pairs);
    jw_key(w, "hyper");
    jw_object(w);
    for (int s = 0; s < 2; s++) {
        jw_key(w, sides[s]);
        x->side[s].stated ? hyper_json(w, &x->side[s]) : jw_null(w);
    }
    jw_end_object(w);
    jw_key(w, "reproduced");
    jw_object(w);
    for (int s = 0; s < 2; s++)
        jw_kbool(w, sides[s], x->side[s].reproduced);
    jw_end_object(w);
    reasons_json(w, x);
    jw_key(w, "worst");
    jw_array(w);
    for (size_t i = 0; i < x->worst.n; i++) {
        jw_object(w);
        jw_kcstr(w, "param", x->worst.v[i].param);
        jw_knum(w, "rel_l2", x->worst.v[i].rel_l2);
        jw_end_object(w);
        out_flow(o);
    }
    jw_end_array(w);
    jw_kcstrs(w, "warnings", x->warnings.v, x->warnings.n);
    jw_kcstrs(w, "next", x->next.v, x->next.n);
    jw_kcstr(w, "verdict", stage_name(x->verdict));
    jw_end_object(w);
}

void optimizer_json(struct out *o, const struct optimizer *x, const char *tool)
{
    struct jsonw w;
    jw_init(&w, &o->buf, false);
    optimizer_json_object(&w, o, x, tool);
    buf_char(&o->buf, '\n');
}

/* ---- text ---- */

#define WORST 8

static void stated_text(struct buf *b, const struct step_side *s)
{
    char n[NUM_MAX];
    const char *gap = "          ";
    if (!s->stated)
        return;
    for (int k = 0; k < HYPER_KEYS; k++) {
        if (!s->hyper.has[k])
            continue;
        const char *v = hyper_params_is_flag((enum hyper_key)k) ? (s->hyper.v[k] != 0 ? _("yes") : _("no")) : num_exact(n, s->hyper.v[k]);
        buf_fmt(b, "%s%s %s", gap, hyper_params_name((enum hyper_key)k), v);
        gap = k == HYPER_DECAY_1D - 1 ? "\n          " : "  ";
    }
    buf_char(b, '\n');
}

static void side_text(struct buf *b, const struct step_side *s, bool golden)
{
    char n[NUM_MAX];
    buf_fmt(b, "  %s %s  %s\n", !s->replayed ? "?" : text_mark(s->reproduced ? STAGE_PASS : STAGE_FAIL), golden ? _("golden") : _("target"), s->path);
    stated_text(b, s);
    if (!s->replayed)
        buf_fmt(b, "            %s\n", _("not replayed"));
    else if (s->reproduced)
        buf_fmt(b, "            %s\n", _("its step is what is stated"));
    else if (isinf(s->residual))
        buf_fmt(b, "            %s\n", _("its step is not what is stated: nothing was updated"));
    else
        buf_fmt(b, _("            its step is not what is stated: %s %% of the update is left over\n"), num_cell(n, 100 * s->residual, 3));
}

static void reasons_text(struct buf *b, const struct optimizer *x)
{
    char n[NUM_MAX];
    struct buf line = {0};
    for (size_t i = 0; i < x->reasons.n; i++) {
        const struct step_reason *r = &x->reasons.v[i];
        buf_clear(&line);
        buf_fmt(&line, "%s %s", r->side ? _("golden") : _("target"), r->what);
        if (r->text)
            buf_fmt(&line, " = %s", r->text);
        else if (!isnan(r->value))
            buf_fmt(&line, " = %s", r->flag ? (r->value != 0 ? _("yes") : _("no")) : num_exact(n, r->value));
        buf_fmt(&line, ": %s", r->detail);
        if (!isnan(r->residual))
            buf_fmt(&line, _(" (%s %% left over)"), num_cell(n, 100 * r->residual, 2));
        const char *text = line.p;
        text_sentences(b, i ? "  · " : _("explained by: "), &text, 1);
    }
    buf_release(&line);
}

void optimizer_text(struct buf *out, const struct optimizer *x)
{
    struct buf b = {0};
    char n[NUM_MAX], m[NUM_MAX];
    buf_cstr(&b, x->verdict == STAGE_PASS   ? _("pass: the optimizer step agrees\n")
                 : x->verdict == STAGE_FAIL ? _("fail: the optimizer step does not agree\n")
                                            : _("could not be judged\n"));
    for (int s = 0; s < 2; s++)
        side_text(&b, &x->side[s], s);
    reasons_text(&b, x);
    buf_fmt(&b, _("%s weights in both, %s differ after the step\n"), num_count(n, x->pairs), num_count(m, x->differing));
    for (size_t i = 0; i < x->worst.n && i < WORST; i++) {
        buf_cstr(&b, "    ");
        text_fit(&b, str_of(x->worst.v[i].param), 50);
        buf_fmt(&b, _("  rel L2 %s\n"), num_error(n, x->worst.v[i].rel_l2));
    }
    if (x->worst.n > WORST)
        buf_fmt(&b, _("    and %s more; --json lists them\n"), num_count(n, x->worst.n - WORST));
    text_sentences(&b, "! ", x->warnings.v, x->warnings.n);
    text_sentences(&b, "→ ", x->next.v, x->next.n);
    text_clean(out, &b);
}

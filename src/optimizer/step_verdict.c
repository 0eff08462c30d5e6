/* What the replays and the comparison of the sides say together.
 *
 * A side that its own statement reproduces did what it says; where both do and the results differ, what went
 * in differs: weights before, gradients, or what is stated. A side that is not reproduced did something else,
 * and the hypotheses say what. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "optimizer/optimizer.h"

static void add_target_reason(struct optimizer *x, const char *what, double value, bool flag, const char *detail)
{
    for (size_t i = 0; i < x->reasons.n; i++)
        if (x->reasons.v[i].side == 0 && strcmp(x->reasons.v[i].what, what) == 0)
            return;
    struct step_reason r = {.side = 0, .what = what, .value = value, .flag = flag, .residual = NAN, .detail = detail};
    vec_push(&x->reasons, r);
}


/* Inputs of the step that differ between the sides. The golden side is taken to be right. */
static void find_differing_inputs(struct optimizer *x, const struct thresholds_optimizer *t)
{
    if (x->apart[STEP_BEFORE] > rule_limit(RULE_LIMIT_STEP_COPIES))
        add_target_reason(x, "before", NAN, false, _("the weights before the step differ"));
    if (x->together[STEP_GRAD] > t->grads || x->apart[STEP_GRAD] > 5 * t->grads)
        add_target_reason(x, "grads", NAN, false, _("the gradients differ by more than rounding"));
    for (int k = 0; k < HYPER_KEYS; k++) {
        double a = x->side[0].hyper.v[k], b = x->side[1].hyper.v[k];
        if (fabs(a - b) > 1e-9 * fabs(b) && k != HYPER_STEP)
            add_target_reason(x, hyper_params_name((enum hyper_key)k), a, hyper_params_is_flag((enum hyper_key)k),
                              _("set differently on the golden side"));
    }
    if (x->side[0].hyper.v[HYPER_STEP] != x->side[1].hyper.v[HYPER_STEP])
        step_warn(x, _("the step numbers differ: %.0f and %.0f"), x->side[0].hyper.v[HYPER_STEP],
                  x->side[1].hyper.v[HYPER_STEP]);
}

/* ---- what one step cannot tell ---- */

static bool is_replay_blind_to(const struct step_side *s, const struct thresholds_optimizer *t, enum hyper_key k,
                               double v)
{
    struct adam_rule r;
    step_rule(s, &r);
    r.v[k] = v;
    return step_try(s, &r, false, false) <= t->residual;
}

static bool blind_to_betas(const struct step_side *s, const struct thresholds_optimizer *t)
{
    return is_replay_blind_to(s, t, HYPER_BETA1, 0.5) && is_replay_blind_to(s, t, HYPER_BETA2, 0.5);
}

static void cannot_tell(struct optimizer *x, const struct step_side *s, const struct thresholds_optimizer *t)
{
    const double *v = s->hyper.v;
    char a[NUM_MAX], b[NUM_MAX];
    if (blind_to_betas(s, t))
        step_warn(x, _("beta1 and beta2 cannot be checked with this step: with bias correction, the first update does "
                       "not depend on them (the loss of step 3 does)"));
    if (is_replay_blind_to(s, t, HYPER_EPS, v[HYPER_EPS] * 10) &&
        is_replay_blind_to(s, t, HYPER_EPS, v[HYPER_EPS] / 10))
        step_warn(x, _("eps cannot be checked with this step: no gradient is small enough"));
    if (v[HYPER_CLIP] > 0 && adam_clip(&(struct adam_rule){.v = {[HYPER_CLIP] = v[HYPER_CLIP]}}, s->norm) >= 1)
        step_warn(x, _("clipping was inactive: the global norm is %s, limit %s"), num_cell(a, s->norm, 4),
                  num_cell(b, v[HYPER_CLIP], 4));
    else if (v[HYPER_CLIP] > 0 && is_replay_blind_to(s, t, HYPER_CLIP, 0))
        step_warn(x, _("clipping cannot be checked with this step: an Adam step hardly depends on the size of the "
                       "gradients"));
    if (is_replay_blind_to(s, t, HYPER_DECAY_1D, !v[HYPER_DECAY_1D]))
        step_warn(x, _("the decay of biases and norms cannot be checked with this step: there are none, or weight "
                       "decay is 0"));
}

static bool stands_still(const struct step_side *s)
{
    for (size_t i = 0; i < s->params.n; i++)
        if (!(s->params.v[i].moved <= 0))
            return false;
    return s->params.n;
}

static void warn_replay_limits(struct optimizer *x, const struct thresholds_optimizer *t)
{
    char n[NUM_MAX];
    for (int s = 0; s < 2; s++) {
        const struct step_side *p = &x->side[s];
        const char *who = s ? _("golden") : _("target");
        if (!p->replayed)
            step_warn(x, _("%s: cannot replay step %.0f without the moments before the step (adam_m and adam_v, or "
                           "exp_avg and exp_avg_sq, in the file of the weights)"), who,
                      p->hyper.v[HYPER_STEP]);
        else if (p->reproduced)
            cannot_tell(x, p, t);
        else if (stands_still(p))
            step_warn(x, _("%s: no weight changed in this step: it was skipped (overflow), its learning rate is 0, or "
                           "\"after\" was saved before the update"), who);
        if (p->hidden > rule_limit(RULE_LIMIT_STEP_HIDDEN))
            step_warn(
                x,
                _("%s: at %s %% of the elements the update is smaller than the rounding of the saved weights; save "
                  "them in float32"),
                who, num_cell(n, 100 * p->hidden, 2));
    }
}

/* ---- where to look ---- */

static void add_step_advice(struct optimizer *x, const struct thresholds_optimizer *t)
{
    static const struct {
        const char *what, *text;
    } advice[] = {
        {"before", N_("start both sides from the same weights (diverge weights), then compare this step again")},
        {"grads", N_("the optimizer is not the cause: find the weight whose gradient differs (diverge norms) and dump "
                     "its backward pass")},
        {"lr", N_("compare the learning rate curves of both sides (diverge curves): warm-up, decay, first step")},
        {"beta1", N_("set the same betas on both sides")},
        {"beta2", N_("set the same betas on both sides")},
        {"eps", N_("set the same eps on both sides (Megatron: --adam-eps, MindFormers: optimizer.eps); 1e-8 is the "
                   "recommended value")},
        {"weight_decay", N_("set the same weight decay on both sides, and the same schedule")},
        {"decay_1d", N_("apply weight decay to the same weights on both sides: Megatron and MindFormers exclude biases "
                        "and norms, other benchmarks may not")},
        {"clip", N_("set clipping by the global norm to the same value on both sides (Megatron: --clip-grad, "
                    "MindFormers: use_clip_grad and max_grad_norm)")},
        {"bias_correction", N_("use an AdamW with bias correction on both sides (MindFormers: type: AdamW)")},
        {"master_weights", N_("keep master weights in float32 on both sides")},
    };
    for (size_t k = 0; k < x->reasons.n && (k == 0 || x->reasons.v[k].combined); k++)
        for (size_t i = 0; i < ARRAY_LEN(advice); i++)
            if (strcmp(advice[i].what, x->reasons.v[k].what) == 0)
                vec_push(&x->next, _(advice[i].text));
    bool tested = x->side[0].reproduced && x->side[1].reproduced;
    if (!x->reasons.n && x->verdict == STAGE_PASS && !tested)
        vec_push(&x->next, _("the updated weights agree, but this step does not show that either optimizer matches its "
                             "settings: save before, grad and after at the same place on both sides"));
    else if (!x->reasons.n && x->verdict == STAGE_PASS)
        vec_push(&x->next, x->side[0].reproduced && blind_to_betas(&x->side[0], t)
                               ? _("both optimizers match their settings: if later steps diverge, dump the backward "
                                   "pass of step 1 in detail, and replay a later step to check the betas")
                               : _("both optimizers match their settings: if later steps diverge, dump the backward "
                                   "pass in detail"));
    else if (!x->reasons.n && x->verdict == STAGE_FAIL)
        vec_push(&x->next, _("save before, grad and after at the same place of the optimizer on both sides: unscaled "
                             "gradients, after reduction and before clipping"));
}

/* Whether a weight, a step or a replay of one side says nothing of the other's. */
static bool was_left_out(const struct optimizer *x)
{
    const struct step_side *a = &x->side[0], *b = &x->side[1];
    bool replays = (a->stated || b->stated) && (!a->replayed || !b->replayed);
    return x->incomplete || replays || a->unpaired != b->unpaired || a->hyper.v[HYPER_STEP] != b->hyper.v[HYPER_STEP];
}

void step_judge(struct optimizer *x, const struct thresholds *t)
{
    const struct step_side *a = &x->side[0], *b = &x->side[1];
    bool equal = x->pairs && !x->differing,
         blurred = a->hidden > rule_limit(RULE_LIMIT_STEP_BLURRED) || b->hidden > rule_limit(RULE_LIMIT_STEP_BLURRED);
    warn_replay_limits(x, &t->optimizer);
    if (!(equal && (!a->stated || !b->stated)))
        for (int s = 0; s < 2; s++)
            if (x->side[s].replayed && !x->side[s].reproduced)
                hypotheses_explain(x, s, &t->optimizer);
    bool same_step = a->reproduced == b->reproduced && equal;
    if (same_step && !(a->reproduced && b->reproduced)) {
        if (x->reasons.n)
            step_warn(x, _("the updated weights agree, but not with the settings of either side (%s explains it)"),
                      x->reasons.v[0].what);
        vec_clear(&x->reasons);
    }
    find_differing_inputs(x, &t->optimizer);
    if (x->reasons.n)
        x->verdict = STAGE_FAIL;
    else if (equal)
        x->verdict = STAGE_PASS;
    else if (!x->pairs || blurred || !a->replayed || !b->replayed)
        x->verdict = STAGE_UNKNOWN;
    else
        x->verdict = a->reproduced && b->reproduced ? STAGE_PASS : STAGE_FAIL;
    if (x->verdict == STAGE_PASS && !equal && x->pairs)
        step_warn(x,
                  _("the difference of the updated weights is explained by the difference of the gradients; both "
                    "updates match their inputs"));
    if (x->unread.n || (x->verdict == STAGE_PASS && was_left_out(x)))
        x->verdict = STAGE_UNKNOWN;
    add_step_advice(x, &t->optimizer);
}

const char *step_reason_value(const struct step_reason *r, char out[NUM_MAX])
{
    if (r->text)
        return r->text;
    if (isnan(r->value))
        return "";
    if (r->flag)
        return r->value != 0 ? _("yes") : _("no");
    return num_exact(out, r->value);
}

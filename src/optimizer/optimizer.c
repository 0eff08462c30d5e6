/* The optimizer stage: opens both sides' steps, replays them, tests hypotheses that explain a difference, and judges.
 */
#include "optimizer/optimizer.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/msg.h"

void step_warn(struct optimizer *x, const char *fmt, ...)
{
    struct buf b = {0};
    va_list ap;
    bool said = false;
    va_start(ap, fmt);
    buf_vfmt(&b, fmt, ap);
    va_end(ap);
    for (size_t i = 0; i < x->warnings.n; i++)
        said = said || strcmp(x->warnings.v[i], b.p) == 0;
    if (!said)
        vec_push(&x->warnings, arena_cstr(&x->arena, buf_view(&b)));
    buf_release(&b);
}

/* A side without a configuration is compared with the other's: both sides should do the same. */
static void lend_hyper(struct optimizer *x)
{
    for (int s = 0; s < 2; s++) {
        struct step_side *own = &x->side[s], *other = &x->side[!s];
        struct buf b = {0};
        for (int k = 0; k < HYPER_KEYS; k++) {
            if (own->hyper.has[k])
                continue;
            if (other->hyper.has[k])
                own->hyper.v[k] = other->hyper.v[k];
            else if (own->stated && k != HYPER_BIAS_CORRECTION && k != HYPER_DECAY_1D)
                buf_fmt(&b, "%s%s", b.n ? ", " : "", hyper_params_name((enum hyper_key)k));
        }
        if (!own->stated && other->stated)
            step_warn(x, _("%s: no hyper-parameters; those of the other side are used"), own->path);
        if (b.n)
            step_warn(x, _("%s: not in the settings; common values are used: %s"), own->path, b.p);
        buf_release(&b);
    }
    if (!x->side[0].stated && !x->side[1].stated)
        step_warn(x,
                  _("no hyper.json or configuration on either side: the defaults of torch.optim.AdamW are replayed"));
    for (int s = 0; s < 2; s++) {
        const char *name = x->side[s].hyper.optimizer;
        if (name && !str_ihas(str_of(name), "adam"))
            step_warn(x, _("%s: the optimizer in the settings is %s; it is replayed as AdamW"), x->side[s].path, name);
    }
}

int optimizer_run(struct optimizer *x, const char *target, const char *golden, const struct step_options *o,
                  const struct thresholds *t,
                  struct err *e)
{
    *x = (struct optimizer){0};
    if (step_open(x, 0, target, e) || step_open(x, 1, golden, e))
        return -1;
    lend_hyper(x);
    for (int s = 0; s < 2; s++)
        if (step_replay(x, s, o, &t->optimizer, e))
            return -1;
    if (step_compare(x, o, e))
        return -1;
    step_judge(x, t);
    return 0;
}

void optimizer_release(struct optimizer *x)
{
    for (int s = 0; s < 2; s++) {
        struct step_side *p = &x->side[s];
        for (int f = 0; f < STEP_FILES; f++)
            weights_release(&p->set[f]);
        hyper_params_release(&p->hyper);
        vec_release(&p->params);
        float *const arrays[] =
            {p->sample.p, p->sample.g, p->sample.a, p->sample.m, p->sample.v, p->sample.other_p, p->sample.other_g};
        for (size_t i = 0; i < ARRAY_LEN(arrays); i++)
            free(arrays[i]);
    }
    vec_release(&x->reasons);
    vec_release(&x->worst);
    vec_release(&x->unread);
    vec_release(&x->warnings);
    vec_release(&x->next);
    arena_release(&x->arena);
    *x = (struct optimizer){0};
}

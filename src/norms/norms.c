/* Opens both sides' sources, selects their common step, pairs the norms, converts both to the same unit, and judges
 * the result. */
#include "norms/norms.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/msg.h"

void norms_warn(struct norms *n, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vec_push(&n->warnings, arena_vfmt(&n->arena, fmt, ap));
    va_end(ap);
}

double norm_of_value(const struct norm_side *s, uint32_t i)
{
    return s->square ? sqrt(s->values.v[i].value) : s->values.v[i].value;
}

static int open_norm_side(struct norm_side *s, const char *path, const struct norm_options *o, struct err *e)
{
    *s = (struct norm_side){.base = 1, .step = -1};
    s->path = arena_cstr(&s->arena, str_of(path));
    struct file f;
    if (!path_is_dir(path)) {
        if (file_open(&f, path, e))
            return -1;
        file_close(&f);
    }
    read_failures failed = {0}, *before = read_failures_gather(&failed);
    int found = 0;
    for (size_t i = 0; norm_sources[i].name && !found; i++) {
        found = norm_sources[i].open(s, o, e);
        s->kind = &norm_sources[i];
        if (!found)
            s->kind->close(s);
        s->opened = s->opened && found;
    }
    read_failures_gather(before);
    s->kind = found ? s->kind : NULL;
    if (!found && failed.n)
        found = read_failures_error(&failed, e);
    read_failures_release(&failed);
    if (found)
        return found < 0 ? -1 : 0;
    return err_set(e, ERR_DATA, _("%s: expected gradient norms: a log with local norms, a table of msprobe monitor, "
                                  "event files, saved gradients or a dump with parameters_grad; found none"),
                   path);
}

static bool side_has_step(const struct norm_side *s, int64_t step)
{
    for (size_t i = 0; i < s->steps.n; i++)
        if (s->steps.v[i] == step)
            return true;
    return false;
}

/* Monitors and dumps number the first step 0, logs 1: one step of training has two numbers. */
static int64_t step_on_other_side(const struct norm_side *from, const struct norm_side *to, int64_t step)
{
    return step - from->base + to->base;
}

/* "0 to 12"; a dump may number no step. */
static void steps_text(const struct norm_side *s, struct buf *out)
{
    if (*vec_last(&s->steps) < 0)
        buf_cstr(out, _("steps without numbers"));
    else
        buf_fmt(out, _("steps %lld to %lld"), (long long)s->steps.v[0], (long long)*vec_last(&s->steps));
}

static int no_common_step(const struct norm_side *t, const struct norm_side *g, struct err *e)
{
    struct buf steps[2] = {{0}, {0}};
    steps_text(t, &steps[0]);
    steps_text(g, &steps[1]);
    int rc = err_set(e, ERR_USAGE, _("no step has norms on both sides: %s has %s, %s has %s; --step T:G pairs "
                                     "different steps"), t->path, steps[0].p, g->path, steps[1].p);
    buf_release(&steps[0]);
    buf_release(&steps[1]);
    return rc;
}

/* How many steps of one side the other one has as well. */
static size_t common_steps(const struct norm_side *from, const struct norm_side *to)
{
    size_t common = 0;
    for (size_t i = 0; i < from->steps.n; i++)
        common += side_has_step(to, step_on_other_side(from, to, from->steps.v[i]));
    return common;
}

/* What is there and was not compared, where no step was asked for. */
static void say_other_steps(struct norms *n)
{
    const struct norm_side *t = &n->side[0], *g = &n->side[1];
    size_t common = common_steps(t, g), alone[2] = {t->steps.n - common, g->steps.n - common};
    if (common > 1)
        norms_warn(n, _("one of %zu steps with norms on both sides was compared; --step N compares another"), common);
    if (alone[0] || alone[1])
        norms_warn(n, _("steps with norms on one side only: %zu on the target, %zu on the golden side"), alone[0],
                   alone[1]);
}

static int choose_step(struct norms *n, const struct norm_options *o, struct err *e)
{
    struct norm_side *t = &n->side[0], *g = &n->side[1];
    for (int s = 0; s < 2; s++)
        n->side[s].step = o->step[s] >= 0 ? o->step[s] : -1;
    if (o->step[0] >= 0 && o->step[1] < 0)
        g->step = step_on_other_side(t, g, o->step[0]);
    if (o->step[0] < 0 && t->steps.n && g->steps.n) {
        size_t i = 0;
        while (i < t->steps.n && !side_has_step(g, step_on_other_side(t, g, t->steps.v[i])))
            i++;
        if (i == t->steps.n)
            return no_common_step(t, g, e);
        t->step = t->steps.v[i];
        g->step = step_on_other_side(t, g, t->step);
        say_other_steps(n);
    }
    for (int s = 0; s < 2; s++) {
        struct norm_side *x = &n->side[s];
        if (!x->steps.n)
            x->step = -1;
        else if (x->step < 0)
            x->step = x->steps.v[0];
    }
    if (t->step >= 0 && g->step >= 0 && t->step != g->step && o->step[1] < 0)
        norms_warn(n, _("the step numbers start at %lld on the target and at %lld on the golden side: step %lld is "
                        "compared with step %lld"),
                   (long long)t->base, (long long)g->base,
                   (long long)t->step, (long long)g->step);
    return 0;
}

static int open_checkpoint(struct norms *n, const struct norm_options *o, struct err *e)
{
    struct norm_side all = {0};
    if (weights_open(&n->checkpoint, o->weights, e))
        return -1;
    int rc = norms_of_weights(&n->checkpoint, o, false, &n->arena, &all, e);
    for (size_t i = 0; rc == 0 && i < all.values.n; i++)
        vec_push(&n->reference, all.values.v[i]);
    for (size_t i = 0; i < all.unread.n; i++)
        vec_push(&n->unread, arena_cstr(&n->arena, str_of(all.unread.v[i])));
    vec_release(&all.values);
    vec_release(&all.unread);
    arena_release(&all.arena);
    return rc;
}

int norms_open(struct norms *n, const char *target, const char *golden, const struct norm_options *o, struct err *e)
{
    *n = (struct norms){0};
    if (open_norm_side(&n->side[0], target, o, e) || open_norm_side(&n->side[1], golden, o, e) || choose_step(n, o, e))
        return -1;
    for (int s = 0; s < 2; s++)
        if (n->side[s].kind->load(&n->side[s], o, e))
            return -1;
    if (o->weights && open_checkpoint(n, o, e))
        return -1;
    norms_resolution(n);
    norms_units_by_step(n);
    names_by_order(n);
    norms_pair(n);
    norms_units(n);
    return 0;
}

void norms_release(struct norms *n)
{
    for (int s = 0; s < 2; s++) {
        struct norm_side *x = &n->side[s];
        if (x->kind)
            x->kind->close(x);
        vec_release(&x->steps);
        vec_release(&x->unread);
        vec_release(&x->values);
        vec_release(&x->replicas);
        vec_release(&n->only[s]);
        arena_release(&x->arena);
    }
    weights_release(&n->checkpoint);
    vec_release(&n->reference);
    vec_release(&n->pairs);
    vec_release(&n->unread);
    vec_release(&n->warnings);
    vec_release(&n->next);
    arena_release(&n->arena);
    *n = (struct norms){0};
}

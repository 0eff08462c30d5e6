/* Compares the weights in the forward passes of two steps, by recorded figures. */
#include "ranks/step_change.h"

#include <math.h>

#include "base/msg.h"
#include "ranks/part_values.h"

struct held_weight {
    uint32_t before, after; /* rows */
    bool changed, wanted;   /* wanted: has a gradient */
    double gradient;
    uint32_t gradient_row;  /* before the step, or NONE */
    uint32_t like;          /* number of its name without the layer number */
};

/* Weights of one name in several layers. */
struct same_name {
    size_t n, changed;
};

struct step_change_search {
    const struct dump *before, *after;
    VEC(struct held_weight) weights;
    struct map likes;
    VEC(struct same_name) names; /* of each number in likes */
    struct arena arena;
    size_t changed;
};

/* "layers.3.mlp" and "layers.4.mlp" have the same number. */
static uint32_t like_of(struct step_change_search *x, uint32_t row)
{
    struct buf name = {0}, bare = {0};
    dump_row_name(x->after, row, &name);
    buf_numberless(&bare, buf_view(&name));
    uint32_t at = map_get(&x->likes, buf_view(&bare));
    if (at == MAP_NONE) {
        struct same_name fresh = {.n = 0};
        at = map_add(&x->likes, arena_str(&x->arena, buf_view(&bare)), (uint32_t)x->names.n);
        vec_push(&x->names, fresh);
    }
    buf_release(&name);
    buf_release(&bare);
    return at;
}

/* The last recorded gradient of a module's weight, or NONE. */
static uint32_t last_weight_gradient(const struct dump *d, uint32_t call, uint32_t row)
{
    struct str name = dump_call_name(d, call), slot = str_of(d->slots.v[d->rows.v[row].slot]);
    ptrdiff_t at = str_search(name, ".forward");
    ptrdiff_t dot = str_rfind(slot, '.');
    uint32_t found = NONE;
    struct buf other = {0};
    for (unsigned k = 0; at >= 0; k++) { /* one per micro-batch */
        buf_clear(&other);
        buf_fmt(&other, "%.*s.parameters_grad.%u", (int)at, name.p, k);
        uint32_t c = dump_find_call(d, buf_view(&other), NONE);
        if (c == NONE)
            break;
        EACH_EARLY_ROW(d, c, r)
            if (d->rows.v[r].kind == ROW_TENSOR && d->rows.v[r].shape == d->rows.v[row].shape &&
                d->rows.v[r].has & HAS_NORM && str_search(str_of(d->slots.v[d->rows.v[r].slot]), slot.p + dot + 1) >= 0)
                found = r;
    }
    buf_release(&other);
    return found;
}

static bool shows_any_change(const struct dump *d, const struct row *r)
{
    return r->has & HAS_CHECKSUM || (d->digits >= 9 && (r->has & HAS_NORM) && (r->has & HAS_MEAN));
}

static void find_changed_weights(struct step_change_search *x)
{
    for (uint32_t c = 0; c < x->after->calls.n; c++) {
        const struct call *k = &x->after->calls.v[c];
        struct str name = dump_call_name(x->after, c);
        if (k->kind != CALL_MODULE || k->phase != PHASE_FORWARD || k->gradient || !str_ends(name, ".forward.0"))
            continue;
        uint32_t was = dump_find_call(x->before, name, c);
        EACH_EARLY_ROW(x->after, c, r) {
            const struct row *now = &x->after->rows.v[r];
            uint32_t slot = was == NONE ? MAP_NONE
                                        : map_get(&x->before->slot_names, str_of(x->after->slots.v[now->slot]));
            uint32_t old = slot == MAP_NONE ? NONE : dump_slot_row(x->before, was, slot);
            if (now->io != IO_PARAMETER || now->kind != ROW_TENSOR || old == NONE || !shows_any_change(x->after, now) ||
                !shows_any_change(x->before, &x->before->rows.v[old]) ||
                dump_row_numel(x->before, old) != dump_row_numel(x->after, r))
                continue;
            struct held_weight w = {.before = old,
                                    .after = r,
                                    .changed = !part_same_figures(&x->before->rows.v[old], now),
                                    .wanted = x->before->rows.v[old].needs_gradient,
                                    .gradient = NAN,
                                    .gradient_row = last_weight_gradient(x->before, was, old),
                                    .like = like_of(x, r)};
            if (w.gradient_row != NONE)
                w.gradient = x->before->rows.v[w.gradient_row].stat[STAT_NORM];
            x->changed += w.changed;
            x->names.v[w.like].n++;
            x->names.v[w.like].changed += w.changed;
            vec_push(&x->weights, w);
        }
    }
}

#define GRADIENT_LEAST 1e-6 /* relative to the weight: smaller gradients may be lost in rounding */

/* A weight of a 16-bit type may stay unchanged if the step is below its rounding; then those of other layers do too. */
static bool should_change(const struct step_change_search *x, const struct held_weight *w, size_t alike, size_t of)
{
    const struct row *r = &x->before->rows.v[w->before];
    if (!(w->gradient > GRADIENT_LEAST * r->stat[STAT_NORM]) || !isfinite(w->gradient))
        return false;
    if (of)
        return alike == of;
    return dtype_table[r->dtype].size >= 4 && x->changed * 2 > x->weights.n;
}

/* Whether elements with a large gradient are unchanged in one contiguous range only: a sharded optimizer has lost one
 * rank's part. */
static bool changed_in_part(const struct step_change_search *x, const struct held_weight *w, struct step_change *f)
{
    uint64_t n = 0, m = 0, k = 0, still = 0, moved = 0, among = 0;
    if (w->gradient_row == NONE || dtype_table[x->after->rows.v[w->after].dtype].size < 4)
        return false;
    double *a = part_values(x->before, w->before, &n), *b = part_values(x->after, w->after, &m);
    double *g = part_values(x->before, w->gradient_row, &k), large = 0;
    bool there = a && b && g && n == m && n == k && n;
    for (uint64_t i = 0; there && i < n; i++)
        large += g[i] * g[i];
    large = there ? sqrt(large / (double)n) / 2 : NAN;
    for (uint64_t i = 0; there && i < n; i++) {
        if (!(fabs(g[i]) >= large))
            continue;
        if (a[i] != b[i]) {
            moved++;
            continue;
        }
        f->first = still ? f->first : i;
        f->last = i;
        still++;
    }
    for (uint64_t i = f->first; there && still && i <= f->last; i++)
        among += fabs(g[i]) >= large && a[i] != b[i];
    free(a);
    free(b);
    free(g);
    f->part = there && still >= 8 && moved >= 8 && !among && still * 20 > moved;
    return f->part;
}

void step_changes_find(const struct dump *before, const struct dump *after, step_change_list *out)
{
    struct step_change_search x = {.before = before, .after = after};
    bool wanted = false;
    find_changed_weights(&x);
    for (size_t i = 0; i < x.weights.n; i++)
        wanted |= x.weights.v[i].wanted;
    for (size_t i = 0; i < x.weights.n && x.changed; i++) {
        const struct held_weight *w = &x.weights.v[i];
        struct step_change f = {.row = w->after, .changed = w->changed, .gradient = w->gradient};
        f.of = x.names.v[w->like].n - 1;
        f.alike = x.names.v[w->like].changed - w->changed;
        bool frozen = w->changed && wanted && !w->wanted && isnan(w->gradient);
        if (w->changed ? frozen || changed_in_part(&x, w, &f) : should_change(&x, w, f.alike, f.of))
            vec_push(out, f);
    }
    vec_release(&x.weights);
    vec_release(&x.names);
    map_release(&x.likes);
    arena_release(&x.arena);
}

void step_change_text(const struct step_change *x, struct buf *out)
{
    if (x->part)
        buf_fmt(out,
                _("the step before did not change elements %llu to %llu of the weight, which have large gradients; "
                  "the others changed: the part of one rank was not written back"),
                (unsigned long long)x->first, (unsigned long long)x->last);
    else if (x->changed)
        buf_cstr(out, _("the weight is frozen (no gradient is wanted of it), and the step before changed it"));
    else if (x->of)
        buf_fmt(out, _("the step before did not change the weight: its gradient had norm %.3g, and all %zu of its name "
                       "in other layers changed"), x->gradient, x->of);
    else
        buf_fmt(out, _("the step before did not change the weight: its gradient had norm %.3g, and most weights "
                       "changed"), x->gradient);
}

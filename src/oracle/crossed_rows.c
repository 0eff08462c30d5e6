/* Exchanges the tensors of a call for those of the rows they are paired with. */
#include "oracle/crossed_rows.h"

#include <math.h>
#include <string.h>

#include "judge/pass_rows.h"
#include "oracle/candidate_trial.h"
#include "oracle/recompute.h"

struct exchange {
    const struct measure *m;
    const struct judgement *judged;
    int from;              /* the side whose call it is */
    struct crossed_result result;
    struct arena *arena;
    uint32_t exchanged;    /* number of tensors */
    uint32_t other_call;   /* of the other side, that computes the paired output */
    bool elsewhere;        /* a tensor kept its own value, or comes from another call */
    bool moved;            /* a tensor kept its own value, or does not agree element by element */
};

/* Whether each element of two rows was compared, and none is another value. */
static bool agrees_in_place(const struct line_judgement *l)
{
    return line_agrees(l) && (l->rule == RULE_EQUAL || l->rule == RULE_WITHIN || l->rule == RULE_LEVEL);
}

/* The line that compares a row of the call's side; NONE: none does. */
static uint32_t line_of_row(const struct exchange *x, uint32_t row)
{
    return row == NONE ? NONE : row == x->result.row ? x->result.line : x->m->pairing->line_of[x->from][row];
}

/* Where each element of a stored tensor lies behind a view of it: index[i] is the place in storage of the view's
 * element i. False if the view does not hold every element once. */
static bool view_places(const struct view *v, const struct real_tensor *t, struct arena *a, int64_t **index)
{
    struct tensor made = {.dtype = t->dtype, .ndim = t->axes};
    struct err e;
    int64_t at[TENSOR_DIMS] = {0}, place = 0;
    for (int i = 0; i < t->axes; i++)
        made.shape[i] = t->shape[i];
    if (tensor_pack(&made, "", &e) || view_apply(v, &made, &e) || (int64_t)made.numel != t->count || made.offset)
        return false;
    *index = arena_alloc(a, (size_t)(t->count ? t->count : 1) * sizeof **index);
    bool *seen = arena_zalloc(a, (size_t)t->count + 1);
    for (int64_t i = 0; i < t->count; i++) {
        if (place < 0 || place >= t->count || seen[place])
            return false;
        seen[place] = true;
        (*index)[i] = place;
        for (int d = made.ndim - 1; d >= 0; d--) {
            place += made.stride[d];
            if (++at[d] < made.shape[d])
                break;
            place -= made.shape[d] * made.stride[d];
            at[d] = 0;
        }
    }
    return true;
}

/* The other side's values of a row, in the order of this side's elements; false if it has no partner to compare. */
static bool take_partner(struct exchange *x, struct real_tensor *t, uint32_t row)
{
    uint32_t line = line_of_row(x, row);
    struct measure_job how;
    int64_t *place = NULL;
    if (line == NONE || !t->v || x->m->state[line] != MEASURE_DONE || !measure_how(x->m, line, &how))
        return false;
    const struct dump *d = x->m->side[!x->from];
    uint32_t partner = how.row[!x->from];
    bool viewed = how.given && how.view.count;
    bool theirs = viewed && how.view.side == !x->from;
    bool own = how.row[x->from] == x->m->pairing->lines.v[line].row[x->from];
    double *v = own ? recorded_values(x->arena, d, partner, theirs ? &how.view : NULL, t->count) : NULL;
    if (!v || (viewed && !theirs && !view_places(&how.view, t, x->arena, &place)))
        return false;
    double *out = place ? arena_alloc(x->arena, (size_t)(t->count ? t->count : 1) * sizeof *out) : v;
    for (int64_t i = 0; place && i < t->count; i++)
        out[place[i]] = v[i];
    t->v = out;
    t->dtype = (enum dtype)d->rows.v[partner].dtype;
    x->exchanged++;
    x->elsewhere = x->elsewhere || d->rows.v[partner].call != x->other_call;
    x->moved = x->moved || !agrees_in_place(&x->judged->line[line]);
    return true;
}

static void exchange_argument(void *ctx, struct real_tensor *t, uint32_t row)
{
    struct exchange *x = ctx;
    if (!take_partner(x, t, row))
        x->elsewhere = x->moved = true;
}

/* The other side's call that computes what this side's call is paired with; NONE: no output has a partner. */
static uint32_t call_of_partner(const struct exchange *x, const struct recorded_call *r)
{
    for (int i = 0; i < r->values.outputs; i++) {
        uint32_t line = line_of_row(x, r->output_row[i]),
                 partner = line == NONE ? NONE : x->m->pairing->lines.v[line].row[!x->from];
        if (partner != NONE)
            return x->m->side[!x->from]->rows.v[partner].call;
    }
    return NONE;
}

static void judge_output(const struct oracle_side *const side[2], const struct exchange *x, const struct call_plan *p,
                         struct recorded_call *r, int output, struct crossed_call *out)
{
    uint32_t row = r->output_row[output];
    const struct trials j = {r, INFINITY};
    const struct candidate *k = crossed_candidate(&j, oracle_side_row(side[x->from], row), output);
    uint32_t line = line_of_row(x, row);
    const uint32_t *pair = x->m->pairing->lines.v[line].row;
    const struct dump *d = x->m->side[!x->from];
    struct trial t;
    bool finer;
    if (!k)
        return;
    EACH_EARLY_ROW(d, d->rows.v[pair[!x->from]].call, in) /* a sum in float32 reads a product in 16 bits, say */
        r->types |= pass_is_float(&d->rows.v[in], IO_INPUT) ? 1u << d->rows.v[in].dtype : 0;
    trial_run(&j, k, output, 0, &t);
    enum dtype type = recorded_call_type(r, r->values.output[output].dtype, &finer);
    memcpy(out->row[out->outputs], pair, 2 * sizeof *pair);
    out->residual[out->outputs++] = crossed_residual(side[!x->from], p, &t, type);
}

void crossed_by_rows(const struct crossed_sides *s, int from, uint32_t call, const struct crossed_result *result,
                     struct arena *a, struct crossed_call *out)
{
    struct recorded_call r;
    struct fits fits = {.v = NULL};
    struct exchange x = {.m = s->m, .judged = s->judged, .from = from, .result = *result, .arena = a};
    const struct call_plan *p = &s->side[from]->plan[call];
    bool theirs[CROSSED_OUTPUTS];
    *out = (struct crossed_call){.outputs = 0};
    recompute_open(&r, a, s->m->side[from], call);
    struct call_values *c = &r.values;
    c->fits = &fits;
    recompute_candidates(p, &r);
    if (c->unknown)
        return;
    x.other_call = call_of_partner(&x, &r);
    call_each_tensor(c, exchange_argument, &x);
    for (int i = 0; i < c->gradients; i++)
        exchange_argument(&x, &c->gradient[i], r.gradient_row[i]);
    for (int i = 0; i < c->results && c->result != c->output; i++)
        exchange_argument(&x, &c->result[i], r.result_row[i]);
    out->one_call = !x.elsewhere;
    out->in_place = !x.moved;
    bool any = x.exchanged > 0;
    for (int i = 0; i < c->outputs && i < CROSSED_OUTPUTS; i++)
        theirs[i] = (result->row == NONE || r.output_row[i] == result->row) &&
                    take_partner(&x, &c->output[i], r.output_row[i]);
    fits.held = true;
    c->candidates = 0;
    c->candidate = NULL;
    r.types = 0;
    if (any)
        recompute_candidates(p, &r);
    for (int i = 0; any && !c->unknown && i < c->outputs && i < CROSSED_OUTPUTS; i++)
        if (theirs[i])
            judge_output(s->side, &x, p, &r, i, out);
}

/* Finds the kinked activations a gradient went through, and bounds what their turned gates make of it. */
#include "judge/kinks.h"

#include <math.h>

#include "dump/family.h"
#include "judge/conditioning.h"
#include "judge/pass_rows.h"
#include "judge/thresholds.h"
#include "pair/align_item.h"

#define BEHIND 8 /* forward calls without a backward call that a gradient is followed through */
#define TURNED_MOST 1000
#define ONE_SIZE 1e-4 /* what seven printed digits and a float32 norm leave open of it */

/* Operators whose derivative jumps, by a part of their name, and by how much of the gradient that comes in. */
static const struct {
    enum family family;
    const char *part;
    double jump;
} kinked[] = {
    {FAMILY_ACTIVATION, "relu", 1},      {FAMILY_ACTIVATION, "hardtanh", 1}, {FAMILY_ACTIVATION, "hardsigmoid", 1},
    {FAMILY_ACTIVATION, "hardswish", 1}, {FAMILY_ELEMENTWISE, "abs", 2},     {FAMILY_ELEMENTWISE, "clamp", 1},
    {FAMILY_LOSS, "l1loss", 2},          {FAMILY_REDUCE, "maxpool", 1.5}, /* it goes to another place: the root of 2 */
    {FAMILY_OTHER, "gridsample", 1.5}, /* as much, in the gradient of the places: other neighbours */
};

/* 0: it has no kink */
static double jump_of(const struct dump *d, uint32_t call)
{
    char plain[FAMILY_PLAIN];
    enum family family = (enum family)d->calls.v[call].family;
    struct str op = {0};
    for (size_t i = 0; i < ARRAY_LEN(kinked); i++) {
        if (kinked[i].family != family)
            continue;
        if (!op.p)
            op = family_plain(align_item_operator(d, call), plain);
        if (str_has(op, kinked[i].part))
            return kinked[i].jump;
    }
    return 0;
}

static bool is_sampler(const struct dump *d, uint32_t call)
{
    return d->calls.v[call].family == FAMILY_OTHER && jump_of(d, call) > 0;
}

/* The kinked activation behind a forward call, through calls that recorded no backward call. One that works in place
 * may have one, but its record is the gradient that came in. A loss ends a branch of its own. */
uint32_t kinks_behind(const struct dump *d, uint32_t forward)
{
    int passed = 0;
    for (uint32_t c = forward + 1; c < d->calls.n && passed < BEHIND; c++) {
        const struct call *x = &d->calls.v[c];
        if (x->phase != PHASE_FORWARD || pass_holds(d, c, forward))
            continue;
        if (jump_of(d, c) > 0 && !is_sampler(d, c))
            return c;
        if (x->twin != NONE && x->family != FAMILY_LOSS)
            return NONE;
        passed++;
    }
    return NONE;
}

/* Whether the input `in` holds what a ReLU that nobody recorded makes of the output `out`: its largest to the bit, and
 * zero for what is below. */
static bool holds_clipped(const struct judge_pass *p, int s, uint32_t out, uint32_t in)
{
    struct condition_size x, y;
    return condition_size_of(p->m, p->state, s, out, &x) && condition_size_of(p->m, p->state, s, in, &y) &&
           x.n == y.n &&
           x.max > 0 && x.max == y.max && x.min < 0 && y.min == 0;
}

/* The target's row that holds, on both sides, what an unrecorded ReLU made of this output; NONE. */
uint32_t kinks_clipped_behind(const struct judge_pass *p, uint32_t out)
{
    const struct dump *d = p->side[TARGET];
    uint32_t call = d->rows.v[out].call, golden = pass_partner(p, out);
    int passed = 0;
    for (uint32_t c = call + 1; c < d->calls.n && passed < BEHIND && golden != NONE; c++) {
        if (d->calls.v[c].phase != PHASE_FORWARD || pass_holds(d, c, call))
            continue;
        passed++;
        EACH_EARLY_ROW(d, c, r) {
            bool unheld = pass_is_float(&d->rows.v[r], IO_INPUT) && p->flow[TARGET].held[r] == NONE;
            uint32_t partner = unheld && holds_clipped(p, TARGET, out, r) ? pass_partner(p, r) : NONE;
            if (partner != NONE && holds_clipped(p, GOLDEN, golden, partner))
                return r;
        }
    }
    return NONE;
}

/* A kink a gradient went through: what it saw, by how much of the gradient its derivative jumps. */
struct gate {
    uint32_t row[2]; /* NONE: none is known */
    double jump, noise;
    double kinks; /* how many there are between the smallest and the largest value */
};

static double floored(double noise)
{
    return fmax(noise, dtype_table[DTYPE_F32].epsilon / 2);
}

static struct gate recorded_gate(const struct judge_pass *p, uint32_t call)
{
    uint32_t seen = pass_first_float(p->side[TARGET], call, IO_INPUT);
    uint32_t golden = seen == NONE ? NONE : pass_partner(p, seen);
    bool compared = p->call_dtype[call] != DTYPE_UNKNOWN;
    double noise = compared ? floored((double)p->call_error[call]) : noise_level_quantile(&p->level, p->tol->quantile);
    return (struct gate){{golden == NONE ? NONE : seen, golden}, jump_of(p->side[TARGET], call), noise, 1};
}

/* Values that are read at places between those of a grid, and the gradient of the places: it jumps at each of them.
 * Places from −1 to 1 span the longer axis. */
static struct gate sampled_gate(const struct judge_pass *p, uint32_t call, uint32_t row)
{
    const struct dump *d = p->side[TARGET];
    uint32_t x = pass_first_float(d, call, IO_INPUT), places = x == NONE ? NONE : x + 1;
    bool found = places != NONE && places < d->rows.n && d->rows.v[places].call == call &&
                 pass_is_float(&d->rows.v[places], IO_INPUT) && dump_row_numel(d, places) == dump_row_numel(d, row);
    uint32_t golden = found ? pass_partner(p, places) : NONE;
    const struct shape *s = found ? dump_row_shape(d, x) : NULL;
    struct condition_size size;
    if (golden == NONE || !s || s->ndim < 2 || !condition_size_of(p->m, p->state, TARGET, places, &size))
        return (struct gate){{NONE, NONE}, 0, 0, 1};
    double along = (double)(s->dim[s->ndim - 1] > s->dim[s->ndim - 2] ? s->dim[s->ndim - 1] : s->dim[s->ndim - 2]);
    double noise = floored(pass_accepted_error(p, p->m->pairing->line_of[TARGET][places]));
    return (struct gate){{places, golden}, jump_of(d, call), noise, fmax(1, (size.max - size.min) / 2 * along)};
}

/* The kink the gradient of these rows went through last, recorded or not. */
static struct gate gate_of(const struct judge_pass *p, const uint32_t rows[2])
{
    const struct dump *d = p->side[TARGET];
    const struct row *r = &d->rows.v[rows[TARGET]];
    const struct gate none = {{NONE, NONE}, 0, 0, 1};
    uint32_t forward = d->calls.v[r->call].twin;
    if (forward == NONE || d->calls.v[r->call].phase != PHASE_BACKWARD || r->io == IO_GRADIENT)
        return none;
    if (r->io == IO_OUTPUT && is_sampler(d, forward))
        return sampled_gate(p, forward, rows[TARGET]);
    if (r->io == IO_OUTPUT)
        return jump_of(d, forward) > 0 ? recorded_gate(p, forward) : none;
    if (!pass_comes_unrecorded(p, rows))
        return none;
    uint32_t kinked_call = kinks_behind(d, forward), out = pass_put_out(p, rows[TARGET]);
    if (kinked_call != NONE)
        return recorded_gate(p, kinked_call);
    if (out == NONE || kinks_clipped_behind(p, out) == NONE)
        return none;
    double noise = floored(pass_accepted_error(p, p->m->pairing->line_of[TARGET][out]));
    return (struct gate){{out, pass_partner(p, out)}, 1, noise, 1};
}

/* How many of that many expected ones chance may turn, but for one row in a thousand. */
static double most_turned(double expected)
{
    double left = 1, term = exp(-expected);
    int n = 0;
    for (; n < TURNED_MOST; n++) {
        left -= term;
        if (left < rule_limit(RULE_LIMIT_KINK_CHANCE))
            break;
        term *= expected / (n + 1);
    }
    return expected < TURNED_MOST / 2 ? n : 2 * expected;
}

/* Whether no more elements differ by over 1/200 than turned, and than are so small that noise takes them there. Where
 * none were compared gates have to be expected to turn. */
static bool few_differ(const struct figures *f, double n, double expected, double turned, double noise)
{
    return f ? 1 - f->five_thousandths <= turned / n + 200 * noise : expected >= 0.5;
}

static double gates_bound(const struct judge_pass *p, const struct gate *gate, const struct condition_size g[2],
                          const struct figures *f)
{
    double share = gate->kinks * condition_kink_share(p->m, p->state, gate->row[GOLDEN]);
    double n = g[GOLDEN].n, norm = g[GOLDEN].norm, expected = n * share * gate->noise;
    double turned = isfinite(share) ? most_turned(expected) : 0;
    if (turned < 1 || !(norm > 0) || !few_differ(f, n, expected, turned, gate->noise))
        return 0;
    double largest = fmax(g[0].largest, g[1].largest) / norm, whole = fmax(g[0].norm, g[1].norm) / norm;
    /* half the gates are shut */
    return gate->jump * sqrt(largest * largest + 2 * (turned - 1) * whole * whole / n);
}

/* A loss of absolute differences that nobody recorded gives a gradient of one size, to either side. Where the elements
 * are of one size and the norms are the same, those few that differ have another sign. */
static double signs_bound(const struct judge_pass *p, const uint32_t rows[2], const struct condition_size g[2],
                          const struct figures *f, double *noise)
{
    uint32_t out = f && pass_comes_unrecorded(p, rows) ? pass_put_out(p, rows[TARGET]) : NONE;
    if (out == NONE)
        return 0;
    *noise = floored(pass_accepted_error(p, p->m->pairing->line_of[TARGET][out]));
    struct gate gate = {{out, pass_partner(p, out)}, 2, *noise, 1};
    double level = p->tol->level * fmax(*noise, noise_level_quantile(&p->level, p->tol->quantile));
    for (int s = 0; s < 2; s++)
        if (g[s].largest * sqrt(g[s].n) > sqrt(2) * g[s].norm)
            return 0;
    bool same_size = fabs(g[TARGET].norm - g[GOLDEN].norm) <= level * g[GOLDEN].norm &&
                     fabs(g[TARGET].largest - g[GOLDEN].largest) <= level * g[GOLDEN].largest;
    return same_size ? gates_bound(p, &gate, g, f) : 0;
}

/* All elements are of one size: the largest there is. */
static bool is_of_one_size(const struct row *r, double n)
{
    const double *s = r->stat;
    double largest = fmax(fabs(s[STAT_MAX]), fabs(s[STAT_MIN]));
    return largest > 0 && fabs(largest * sqrt(n) - s[STAT_NORM]) <= ONE_SIZE * s[STAT_NORM];
}

double kinks_signs_error(const struct judge_pass *p, const uint32_t rows[2], double *kappa)
{
    const struct row *t = &p->side[TARGET]->rows.v[rows[TARGET]], *g = &p->side[GOLDEN]->rows.v[rows[GOLDEN]];
    double n = (double)dump_row_numel(p->side[GOLDEN], rows[GOLDEN]);
    int all = HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM;
    uint32_t forward = p->side[TARGET]->calls.v[t->call].twin;
    if ((t->has & g->has & all) != all || !is_of_one_size(t, n) || !is_of_one_size(g, n) || forward == NONE)
        return 0;
    uint32_t out = pass_comes_unrecorded(p, rows) ? pass_put_out(p, rows[TARGET]) : NONE;
    struct gate gate = {{out, out == NONE ? NONE : pass_partner(p, out)}, 2, 0, 1};
    if (t->io == IO_OUTPUT && jump_of(p->side[TARGET], forward) > 0)
        gate = recorded_gate(p, forward);
    if (gate.row[GOLDEN] == NONE)
        return 0;
    double noise = fmax(floored(gate.noise), noise_level_quantile(&p->level, p->tol->quantile_statistics));
    double turned = round(fabs(t->stat[STAT_MEAN] - g->stat[STAT_MEAN]) * n / (2 * fabs(g->stat[STAT_MAX])));
    double share = condition_kink_share(p->m, p->state, gate.row[GOLDEN]);
    if (turned < 1 || !isfinite(share) || turned > most_turned(n * share * noise))
        return 0;
    *kappa = 2 * sqrt(turned / n) / noise;
    return 2 * sqrt(turned / n);
}

double kinks_bound(const struct judge_pass *p, const uint32_t rows[2], const struct figures *f, double *kappa)
{
    struct gate gate = gate_of(p, rows);
    struct condition_size g[2];
    for (int s = 0; s < 2; s++)
        if (!condition_size_of(p->m, p->state, s, rows[s], &g[s]))
            return 0;
    double bound = gate.row[TARGET] != NONE ? gates_bound(p, &gate, g, f) : signs_bound(p, rows, g, f, &gate.noise);
    *kappa = bound > 0 ? bound / gate.noise : 1;
    return fmin(bound, rule_limit(RULE_LIMIT_ILL_CONDITIONED_MOST));
}

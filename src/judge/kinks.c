/* Finds the kinked activations a gradient went through, and bounds what their turned gates make of it. */
#include "judge/kinks.h"

#include <math.h>

#include "dump/family.h"
#include "dump/recorded_figures.h"
#include "judge/conditioning.h"
#include "judge/thresholds.h"
#include "pair/align_item.h"

#define BEHIND 8 /* forward calls without a backward call that a gradient is followed through */
#define TURNED_MOST 1000

/* Operators whose derivative jumps, by a part of their name, and by how much of the gradient that comes in. */
static const struct {
    enum family family;
    const char *part;
    double jump;
} kinked[] = {
    {FAMILY_ACTIVATION, "relu", 1},      {FAMILY_ACTIVATION, "hardtanh", 1}, {FAMILY_ACTIVATION, "hardsigmoid", 1},
    {FAMILY_ACTIVATION, "hardswish", 1}, {FAMILY_ELEMENTWISE, "abs", 2},     {FAMILY_ELEMENTWISE, "clamp", 1},
    {FAMILY_LOSS, "l1loss", 2},          {FAMILY_REDUCE, "maxpool", 1.5}, /* it goes to another place: the root of 2 */
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

/* Whether a module call holds the other: it ends behind it and is in its path. */
static bool holds(const struct dump *d, uint32_t outer, uint32_t inner)
{
    const struct call *a = &d->calls.v[outer], *b = &d->calls.v[inner];
    return a->kind == CALL_MODULE && a->scope != NONE && b->scope != NONE &&
           str_starts(str_of(d->scopes.v[b->scope]), d->scopes.v[a->scope]);
}

/* The kinked activation behind a forward call, through calls that recorded no backward call. One that works in place
 * may have one, but its record is the gradient that came in. A loss ends a branch of its own. */
static uint32_t kink_behind(const struct dump *d, uint32_t forward)
{
    int passed = 0;
    for (uint32_t c = forward + 1; c < d->calls.n && passed < BEHIND; c++) {
        const struct call *x = &d->calls.v[c];
        if (x->phase != PHASE_FORWARD || holds(d, c, forward))
            continue;
        if (jump_of(d, c) > 0)
            return c;
        if (x->twin != NONE && x->family != FAMILY_LOSS)
            return NONE;
        passed++;
    }
    return NONE;
}

static uint32_t partner_of(const struct judge_pass *p, uint32_t target_row)
{
    uint32_t line = p->m->pairing->line_of[TARGET][target_row];
    return line == NONE ? NONE : p->m->pairing->lines.v[line].row[GOLDEN];
}

static double accepted_error(const struct judge_pass *p, uint32_t line)
{
    const struct line_judgement *l = &p->j->line[line];
    bool accepted = verdict_is_accepted((enum verdict)l->verdict) || l->rule == RULE_ILL;
    return accepted && isfinite(l->error) ? (double)l->error : 0;
}

static bool is_float_tensor(const struct row *r, enum row_io io)
{
    return r->io == io && r->kind == ROW_TENSOR && dtype_is_float((enum dtype)r->dtype);
}

/* The first floating tensor of a call's inputs or outputs. */
static uint32_t first_float(const struct dump *d, uint32_t call, enum row_io io)
{
    EACH_EARLY_ROW(d, call, r)
        if (is_float_tensor(&d->rows.v[r], io))
            return r;
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
static uint32_t clipped_behind(const struct judge_pass *p, uint32_t out)
{
    const struct dump *d = p->side[TARGET];
    uint32_t call = d->rows.v[out].call, golden = partner_of(p, out);
    int passed = 0;
    for (uint32_t c = call + 1; c < d->calls.n && passed < BEHIND && golden != NONE; c++) {
        if (d->calls.v[c].phase != PHASE_FORWARD || holds(d, c, call))
            continue;
        passed++;
        EACH_EARLY_ROW(d, c, r) {
            bool unheld = is_float_tensor(&d->rows.v[r], IO_INPUT) && p->flow[TARGET].held[r] == NONE;
            uint32_t partner = unheld && holds_clipped(p, TARGET, out, r) ? partner_of(p, r) : NONE;
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
};

static double floored(double noise)
{
    return fmax(noise, dtype_table[DTYPE_F32].epsilon / 2);
}

static struct gate recorded_gate(const struct judge_pass *p, uint32_t call)
{
    uint32_t seen = first_float(p->side[TARGET], call, IO_INPUT), golden = seen == NONE ? NONE : partner_of(p, seen);
    bool compared = p->call_dtype[call] != DTYPE_UNKNOWN;
    double noise = compared ? floored((double)p->call_error[call]) : noise_level_quantile(&p->level, p->tol->quantile);
    return (struct gate){{golden == NONE ? NONE : seen, golden}, jump_of(p->side[TARGET], call), noise};
}

/* A gradient that comes in from what nobody recorded. */
static bool comes_unrecorded(const struct judge_pass *p, const uint32_t rows[2])
{
    const struct dump *d = p->side[TARGET];
    const struct row *r = &d->rows.v[rows[TARGET]];
    return d->calls.v[r->call].twin != NONE && d->calls.v[r->call].phase == PHASE_BACKWARD && r->io == IO_INPUT &&
           p->flow[TARGET].held[rows[TARGET]] == NONE && p->flow[GOLDEN].held[rows[GOLDEN]] == NONE;
}

/* What the forward call put out whose gradient comes in here; NONE: not as large, or not paired. */
static uint32_t put_out(const struct judge_pass *p, uint32_t row)
{
    const struct dump *d = p->side[TARGET];
    uint32_t out = first_float(d, d->calls.v[d->rows.v[row].call].twin, IO_OUTPUT);
    return out != NONE && dump_row_numel(d, out) == dump_row_numel(d, row) && partner_of(p, out) != NONE ? out : NONE;
}

/* The kink the gradient of these rows went through last, recorded or not. */
static struct gate gate_of(const struct judge_pass *p, const uint32_t rows[2])
{
    const struct dump *d = p->side[TARGET];
    const struct row *r = &d->rows.v[rows[TARGET]];
    const struct gate none = {{NONE, NONE}, 0, 0};
    uint32_t forward = d->calls.v[r->call].twin;
    if (forward == NONE || d->calls.v[r->call].phase != PHASE_BACKWARD || r->io == IO_GRADIENT)
        return none;
    if (r->io == IO_OUTPUT)
        return jump_of(d, forward) > 0 ? recorded_gate(p, forward) : none;
    if (!comes_unrecorded(p, rows))
        return none;
    uint32_t kinked_call = kink_behind(d, forward), out = put_out(p, rows[TARGET]);
    if (kinked_call != NONE)
        return recorded_gate(p, kinked_call);
    if (out == NONE || clipped_behind(p, out) == NONE)
        return none;
    return (struct gate){{out, partner_of(p, out)}, 1, floored(accepted_error(p, p->m->pairing->line_of[TARGET][out]))};
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
    double share = condition_kink_share(p->m, p->state, gate->row[GOLDEN]);
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
    uint32_t out = f && comes_unrecorded(p, rows) ? put_out(p, rows[TARGET]) : NONE;
    if (out == NONE)
        return 0;
    *noise = floored(accepted_error(p, p->m->pairing->line_of[TARGET][out]));
    struct gate gate = {{out, partner_of(p, out)}, 2, *noise};
    double level = p->tol->level * fmax(*noise, noise_level_quantile(&p->level, p->tol->quantile));
    for (int s = 0; s < 2; s++)
        if (g[s].largest * sqrt(g[s].n) > sqrt(2) * g[s].norm)
            return 0;
    bool same_size = fabs(g[TARGET].norm - g[GOLDEN].norm) <= level * g[GOLDEN].norm &&
                     fabs(g[TARGET].largest - g[GOLDEN].largest) <= level * g[GOLDEN].largest;
    return same_size ? gates_bound(p, &gate, g, f) : 0;
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

/* The square of the error, times their norm, that gradients of this size have which a reader's backward call puts
 * out. */
static double handed_back(const struct judge_pass *p, uint32_t reader, double n)
{
    const struct dump *d = p->side[TARGET];
    uint32_t back = d->calls.v[d->rows.v[reader].call].twin;
    double sum = 0;
    if (back != NONE)
        EACH_EARLY_ROW(d, back, r) {
            struct condition_size x;
            bool own = is_float_tensor(&d->rows.v[r], IO_OUTPUT) && p->flow[TARGET].held[r] == NONE &&
                       partner_of(p, r) != NONE;
            if (own && condition_size_of(p->m, p->state, TARGET, r, &x) && x.n == n)
                sum += pow(accepted_error(p, p->m->pairing->line_of[TARGET][r]) * x.norm, 2);
        }
    return sum;
}

double kinks_error_behind(const struct judge_pass *p, const uint32_t rows[2])
{
    uint32_t out = comes_unrecorded(p, rows) ? put_out(p, rows[TARGET]) : NONE;
    struct condition_size own;
    if (out == NONE || !condition_size_of(p->m, p->state, TARGET, rows[TARGET], &own) || !(own.norm > 0))
        return 0;
    uint32_t clipped = clipped_behind(p, out);
    double sum = clipped == NONE ? 0 : handed_back(p, clipped, own.n);
    for (uint32_t r = p->reads.first[out]; r != NONE; r = p->reads.next[r])
        sum += handed_back(p, r, own.n);
    return sqrt(sum) / own.norm;
}

/* The first tensor of a module's backward call that came in, on the target's side. */
static uint32_t incoming_of(const struct dump *d, uint32_t gradient_call)
{
    uint32_t call = condition_module_backward(d, gradient_call);
    if (call != NONE)
        EACH_EARLY_ROW(d, call, r)
            if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR)
                return r;
    return NONE;
}

double kinks_incoming_error(const struct judge_pass *p, const struct verdict_case *k)
{
    uint32_t row = incoming_of(p->side[TARGET], k->call);
    uint32_t line = row == NONE ? NONE : p->m->pairing->line_of[TARGET][row];
    uint32_t held = row == NONE ? NONE : p->flow[TARGET].held[row];
    uint32_t before = held == NONE ? NONE : p->m->pairing->line_of[TARGET][held];
    if (line != NONE && line < k->i)
        return accepted_error(p, line);
    if (before != NONE && before < k->i)
        return accepted_error(p, before);
    if (line == NONE || p->m->pairing->lines.v[line].row[GOLDEN] == NONE || p->state[line] != MEASURE_DONE)
        return 0;
    const struct figures *f = p->m->figures[line];
    const uint32_t *rows = p->m->pairing->lines.v[line].row;
    double kappa, bound = kinks_bound(p, rows, f, &kappa), behind = kinks_error_behind(p, rows);
    double level = p->tol->level * fmax(noise_level_quantile(&p->level, p->tol->quantile), behind);
    return (bound > 0 || behind > 0) && f->rel_l2 <= hypot(bound, level) ? f->rel_l2 : 0;
}

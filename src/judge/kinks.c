/* Finds the kinked activations that a gradient passed through, and bounds the effect of inputs that cross a kink. */
#include "judge/kinks.h"

#include <math.h>

#include "dump/family.h"
#include "judge/conditioning.h"
#include "judge/pass_rows.h"
#include "judge/thresholds.h"
#include "measure/element_sample.h"
#include "pair/align_item.h"

#define BEHIND 8 /* the most forward calls without a backward call through which a gradient is followed */
#define TURNED_MOST 1000

/* Operators with a discontinuous derivative, by a part of their name, with the relative size of the jump. */
static const struct {
    enum family family;
    const char *part;
    double jump;
} kinked[] = {
    {FAMILY_ACTIVATION, "relu", 1},      {FAMILY_ACTIVATION, "hardtanh", 1}, {FAMILY_ACTIVATION, "hardsigmoid", 1},
    {FAMILY_ACTIVATION, "hardswish", 1}, {FAMILY_ELEMENTWISE, "abs", 2},     {FAMILY_ELEMENTWISE, "clamp", 1},
    {FAMILY_LOSS, "l1loss", 2},          {FAMILY_REDUCE, "maxpool", 1.5}, /* the gradient moves to another place: √2 */
};

/* 0: no kink */
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

/* The kinked activation that follows a forward call, through calls without a recorded backward call. An in-place
 * activation may have a backward call whose record is the incoming gradient. A loss ends a branch. */
uint32_t kinks_behind(const struct dump *d, uint32_t forward)
{
    int passed = 0;
    for (uint32_t c = forward + 1; c < d->calls.n && passed < BEHIND; c++) {
        const struct call *x = &d->calls.v[c];
        if (x->phase != PHASE_FORWARD || pass_holds(d, c, forward))
            continue;
        if (jump_of(d, c) > 0)
            return c;
        if (x->twin != NONE && x->family != FAMILY_LOSS)
            return NONE;
        passed++;
    }
    return NONE;
}

/* Whether input `in` holds the result of an unrecorded ReLU on output `out`: equal maximum, minimum zero. */
static bool holds_clipped(const struct judge_pass *p, int s, uint32_t out, uint32_t in)
{
    struct condition_size x, y;
    return condition_size_of(p->m, p->state, s, out, &x) && condition_size_of(p->m, p->state, s, in, &y) &&
           x.n == y.n &&
           x.max > 0 && x.max == y.max && x.min < 0 && y.min == 0;
}

/* The target's row that holds, on both sides, the result of an unrecorded ReLU on this output; NONE. */
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

/* A kink that a gradient passed through: its input, and the relative jump of its derivative. */
struct gate {
    uint32_t row[2]; /* NONE: unknown */
    double jump, noise;
};

static double noise_floor(double noise)
{
    return fmax(noise, dtype_table[DTYPE_F32].epsilon / 2);
}

static struct gate recorded_gate(const struct judge_pass *p, uint32_t call)
{
    uint32_t seen = pass_first_float(p->side[TARGET], call, IO_INPUT);
    uint32_t golden = seen == NONE ? NONE : pass_partner(p, seen);
    bool compared = p->call_dtype[call] != DTYPE_UNKNOWN;
    double noise = compared ? noise_floor((double)p->call_error[call])
                   : noise_level_quantile(&p->level, p->tol->quantile);
    return (struct gate){{golden == NONE ? NONE : seen, golden}, jump_of(p->side[TARGET], call), noise};
}

/* The last kink that the gradient of these rows passed through, recorded or not. */
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
    if (!pass_comes_unrecorded(p, rows))
        return none;
    uint32_t kinked_call = kinks_behind(d, forward), out = pass_put_out(p, rows[TARGET]);
    if (kinked_call != NONE)
        return recorded_gate(p, kinked_call);
    if (out == NONE || kinks_clipped_behind(p, out) == NONE)
        return none;
    double noise = noise_floor(pass_accepted_error(p, p->m->pairing->line_of[TARGET][out]));
    return (struct gate){{out, pass_partner(p, out)}, 1, noise};
}

/* The number of crossings that is exceeded in one row of a thousand, given the expected number. */
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

/* Whether no more elements differ by over 1/200 than have crossed a kink or are small enough for noise. If elements
 * were not compared, crossings must be expected. */
static bool few_differ(const struct figures *f, double n, double expected, double turned, double noise)
{
    return f ? 1 - f->five_thousandths <= turned / n + 200 * noise : expected >= 0.5;
}

/* The relative error if so many elements are zero on one side only: one as large as the largest, the others as the
 * root mean square of those that are not zero, which are half of all. */
static double turned_error(const struct condition_size g[2], double turned)
{
    double norm = g[GOLDEN].norm, whole = fmax(g[0].norm, g[1].norm) / norm;
    double largest = fmax(g[0].largest, g[1].largest) / norm;
    return sqrt(largest * largest + 2 * (turned - 1) * whole * whole / g[GOLDEN].n);
}

/* `gradient`: the noise of the elements that do not cross. */
static double gates_bound(const struct judge_pass *p, const struct gate *gate, const struct condition_size g[2],
                          const struct figures *f, double gradient)
{
    double share = condition_kink_share(p->m, p->state, gate->row[GOLDEN]);
    double n = g[GOLDEN].n, expected = n * share * gate->noise;
    double turned = isfinite(share) ? most_turned(expected) : 0;
    if (turned < 1 || !(g[GOLDEN].norm > 0) || !few_differ(f, n, expected, turned, fmax(gate->noise, gradient)))
        return 0;
    return gate->jump * turned_error(g, turned);
}

/* The elements of a line that agrees, all of them or a fixed choice; false: they cannot be read. */
static bool agreed_elements(const struct judge_pass *p, uint32_t row, struct element_sample *s)
{
    struct err quiet = {0};
    uint32_t line = row == NONE ? NONE : p->m->pairing->line_of[TARGET][row];
    return line != NONE && p->m->pairing->lines.v[line].pair != NONE && line_agrees(&p->j->line[line]) &&
           element_sample_take(s, p->m, line, &quiet) == 0;
}

/* Whether each side's values are those that came, where its own gate is open, and 0 elsewhere. */
static bool are_gated(const struct element_sample *x, const struct element_sample *came,
                      const struct element_sample *gate)
{
    bool alike = x->n == came->n && x->n == gate->n && x->numel == came->numel && x->numel == gate->numel;
    for (int s = 0; s < 2 && alike; s++)
        for (size_t i = 0; i < x->n && alike; i++)
            alike = x->v[s][i] == (gate->v[s][i] > 0 ? came->v[s][i] : 0);
    return alike;
}

bool kinks_gated(const struct judge_pass *p, uint32_t line)
{
    const struct dump *d = p->side[TARGET];
    const uint32_t *row = p->m->pairing->lines.v[line].row;
    uint32_t back = d->rows.v[row[TARGET]].call, forward = d->calls.v[back].twin;
    bool comes = pass_comes_unrecorded(p, row) && measure_figures(p->m, line);
    uint32_t gate = comes ? kinks_behind(d, forward) : NONE;
    if (gate == NONE || d->calls.v[gate].twin == NONE ||
        !align_item_does(d, gate, STR("relu")))
        return false;
    struct element_sample x, came, open;
    struct err quiet = {0};
    if (element_sample_take(&x, p->m, line, &quiet) < 0)
        return false;
    bool is = false, read = agreed_elements(p, pass_first_float(d, d->calls.v[gate].twin, IO_OUTPUT), &came);
    if (read && agreed_elements(p, pass_first_float(d, gate, IO_OUTPUT), &open)) {
        is = are_gated(&x, &came, &open);
        element_sample_release(&open);
    }
    if (read)
        element_sample_release(&came);
    element_sample_release(&x);
    return is;
}

double kinks_bound(const struct judge_pass *p, const uint32_t rows[2], const struct figures *f, double *kappa)
{
    struct gate gate = gate_of(p, rows);
    struct condition_size g[2];
    for (int s = 0; s < 2; s++)
        if (!condition_size_of(p->m, p->state, s, rows[s], &g[s]))
            return 0;
    const struct row *r = &p->side[TARGET]->rows.v[rows[TARGET]];
    double came = r->io == IO_OUTPUT ? (double)p->call_error[r->call] : 0;
    double bound = gate.row[TARGET] != NONE ? gates_bound(p, &gate, g, f, came) : 0;
    *kappa = bound > 0 ? bound / gate.noise : 1;
    return fmin(bound, rule_limit(RULE_LIMIT_ILL_CONDITIONED_MOST));
}

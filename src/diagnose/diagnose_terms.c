/* What a call does with the values it gets: a module hands its input on, an operand comes from another call, a term has
 * another factor. */
#include <math.h>

#include "base/msg.h"
#include "diagnose/call_tensors.h"
#include "diagnose/diagnosis_case.h"
#include "dump/family.h"

#define TERMS_MOST 24 /* rows inside a module that are tried as the term with another factor */

/* ---- a module that returns what it gets ---- */

/* Whether two rows of which figures alone were recorded have all four the same. */
static bool same_recorded(const struct row *a, const struct row *b)
{
    const int all = HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM;
    bool same = (a->has & b->has & all) == all && !((a->has | b->has) & HAS_FILE) &&
                a->stat[STAT_MAX] > a->stat[STAT_MIN];
    for (int i = 0; i < STAT_COUNT; i++)
        same = same && a->stat[i] == b->stat[i];
    return same;
}

static bool same_values(const struct dump *d, uint32_t a, uint32_t b)
{
    struct element_sample x, y;
    if (same_recorded(&d->rows.v[a], &d->rows.v[b]))
        return true;
    if (!tensor_values(d, a, &x))
        return false;
    bool read = tensor_values(d, b, &y);
    bool same = read && x.n == y.n && x.n > 1;
    for (size_t i = 0; same && i < x.n; i++)
        same = x.v[0][i] == y.v[0][i];
    if (read)
        element_sample_release(&y);
    element_sample_release(&x);
    return same;
}

/* Whether a side's module returns its first input, bit by bit, or as far as figures show. */
static bool hands_on(const struct diagnosis_case *p, int s)
{
    const struct dump *d = p->side[s];
    uint32_t call = p->r[s]->call, input = call_input(d, call, 0);
    return d->calls.v[call].kind == CALL_MODULE && d->calls.v[call].phase == PHASE_FORWARD &&
           p->r[s]->io == IO_OUTPUT && input != NONE && same_values(d, input, p->row[s]);
}

bool module_hands_on(const struct diagnosis_case *p, int *side)
{
    bool on[2] = {hands_on(p, TARGET), hands_on(p, GOLDEN)};
    *side = on[TARGET] ? TARGET : GOLDEN;
    return on[TARGET] != on[GOLDEN];
}

void detect_handed_on(struct diagnosis_case *p)
{
    int side;
    if (!module_hands_on(p, &side))
        return;
    struct str name[2] = {dump_call_name(p->side[0], p->r[0]->call), dump_call_name(p->side[1], p->r[1]->call)};
    case_found(p, DIAGNOSIS_GAP, side, 0.98,
               side == TARGET ? _("%.*s returns what it gets, while %.*s of the golden side computes: the step is left "
                                  "out on the target")
                              : _("%.*s returns what it gets, while %.*s of the target computes: the step is left out "
                                  "on the golden side"),
               STR_ARG(name[side]), STR_ARG(name[!side]));
    case_advise(p, DIAGNOSIS_GAP, _("Compare how both sides build this module: a setting (as use_qk_norm) replaces it "
                                    "by one that does nothing."));
}

/* ---- an activation of another value ---- */

/* The row whose value goes through an activation into a product, and the activation's call; NONE: none does. */
static uint32_t activated_row(const struct diagnosis_case *p, int s, uint32_t *activation)
{
    const struct dump *d = p->side[s];
    EACH_EARLY_ROW(d, p->r[s]->call, r) {
        uint32_t made = d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR
                            ? value_output(d, &p->flow[s], r) : NONE;
        for (int i = 0; made != NONE && i < MAKERS_MOST && d->calls.v[d->rows.v[made].call].kind == CALL_MODULE; i++)
            made = value_output_before(d, &p->flow[s], made);
        if (made == NONE || d->calls.v[d->rows.v[made].call].family != FAMILY_ACTIVATION)
            continue;
        *activation = d->rows.v[made].call;
        uint32_t input = call_input(d, *activation, 0);
        return input == NONE ? NONE : value_output(d, &p->flow[s], input);
    }
    return NONE;
}

static bool term_agrees(const struct diagnosis_case *p, int s, uint32_t row)
{
    const struct line_judgement *l = patient_judged(p, s, row);
    return l && patient_partner(p, s, row) != NONE && verdict_is_accepted((enum verdict)l->verdict);
}

/* Gate and up exchanged: both sides activate a value that agrees, but not the same one. */
void detect_other_operand(struct diagnosis_case *p)
{
    uint32_t call[2], from[2];
    if (p->side[TARGET]->calls.v[p->call].family != FAMILY_MUL || p->r[TARGET]->io != IO_OUTPUT ||
        p->side[TARGET]->calls.v[p->call].phase != PHASE_FORWARD)
        return;
    for (int s = 0; s < 2; s++) {
        from[s] = activated_row(p, s, &call[s]);
        if (from[s] == NONE || !term_agrees(p, s, from[s]))
            return;
    }
    if (patient_partner(p, TARGET, from[TARGET]) == from[GOLDEN])
        return;
    struct buf name[2] = {{0}, {0}};
    for (int s = 0; s < 2; s++)
        dump_row_name(p->side[s], from[s], &name[s]);
    uint32_t other = patient_partner(p, GOLDEN, from[GOLDEN]);
    case_found(p, DIAGNOSIS_STALE, TARGET, other == NONE ? 0.7 : 0.96,
               _("%.*s on the target gets %s, on the golden side %s: the operands of the gated product are exchanged"),
               STR_ARG(dump_call_name(p->side[TARGET], call[TARGET])), name[TARGET].p, name[GOLDEN].p);
    case_advise(p, DIAGNOSIS_STALE, _("Compare which of both projections the activation is applied to, and how fused "
                                      "gate and up weights are split."));
    buf_release(&name[0]);
    buf_release(&name[1]);
}

/* ---- a term with another factor ---- */

/* How often the deviation holds a row's values, where they explain it; NaN. */
static double times_in(const struct element_sample *s, const struct element_sample *x)
{
    double xx = 0, dx = 0;
    if (x->n != s->n || s->at)
        return NAN;
    for (size_t i = 0; i < s->n; i++) {
        xx += x->v[0][i] * x->v[0][i];
        dx += (s->v[TARGET][i] - s->v[GOLDEN][i]) * x->v[0][i];
    }
    double left = xx > 0 ? s->dev2 - dx * dx / xx : INFINITY;
    return left <= LEFT_OVER * LEFT_OVER * s->dev2 ? dx / xx : NAN;
}

static bool call_is_inside(const struct dump *d, uint32_t outer, uint32_t inner)
{
    for (uint32_t up = d->calls.v[inner].parent; up != NONE; up = d->calls.v[up].parent)
        if (up == outer)
            return true;
    return false;
}

/* The output of a module differs by a multiple of what one of its own calls gives, which agrees: its factor differs. */
void detect_term(struct diagnosis_case *p)
{
    const struct dump *d = p->side[TARGET];
    const struct call *c = &d->calls.v[p->call];
    int tried = 0;
    if (p->partly || !(p->corner->dev2 > 0) || p->corner->n < 8 || c->kind != CALL_MODULE ||
        c->phase != PHASE_FORWARD || p->r[TARGET]->io != IO_OUTPUT)
        return;
    for (uint32_t r = p->row[TARGET]; r-- > 0 && tried < TERMS_MOST;) {
        struct element_sample x;
        if (d->rows.v[r].io != IO_OUTPUT || dump_row_numel(d, r) != p->corner->numel ||
            !call_is_inside(d, p->call, d->rows.v[r].call) || !term_agrees(p, TARGET, r))
            continue;
        tried++;
        if (!tensor_values(d, r, &x))
            continue;
        double times = times_in(p->corner, &x);
        element_sample_release(&x);
        if (isnan(times))
            continue;
        struct buf name = {0}, factor = {0};
        dump_row_name(d, r, &name);
        diagnosis_factor_text(times, 1e-3, &factor);
        case_found(p, DIAGNOSIS_SCALE, BOTH_SIDES, 0.97,
                   _("the target is the golden side plus %s times %s, which agrees: this term has another factor"),
                   factor.p, name.p);
        buf_release(&name);
        buf_release(&factor);
        return;
    }
}

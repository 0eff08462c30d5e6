/* Finds the recorded sources of an unrecorded step, and combines their accepted errors. */
#include "judge/unrecorded_step.h"

#include <math.h>

#include "dump/family.h"
#include "judge/conditioning.h"
#include "judge/figure_noise.h"
#include "judge/kinks.h"
#include "judge/pass_rows.h"
#include "measure/element_sample.h"

#define WITHIN 256 /* calls of a module searched for the inputs of its last step */

/* For gradients of this size in a reader's backward outputs: the square of the error times the norm. */
static double handed_back(const struct judge_pass *p, uint32_t reader, double n)
{
    const struct dump *d = p->side[TARGET];
    uint32_t back = d->calls.v[d->rows.v[reader].call].twin;
    double sum = 0;
    if (back != NONE)
        EACH_EARLY_ROW(d, back, r) {
            struct condition_size x;
            bool own = pass_is_float(&d->rows.v[r], IO_OUTPUT) && p->flow[TARGET].held[r] == NONE &&
                       pass_partner(p, r) != NONE;
            if (own && condition_size_of(p->m, p->state, TARGET, r, &x) && x.n == n)
                sum += pow(pass_accepted_error(p, p->m->pairing->line_of[TARGET][r]) * x.norm, 2);
        }
    return sum;
}

/* The same summed over all readers of a value. */
static double handed_back_by_readers(const struct judge_pass *p, uint32_t value, double n)
{
    double sum = 0;
    for (uint32_t r = p->reads.first[value]; r != NONE; r = p->reads.next[r])
        sum += handed_back(p, r, n);
    return sum;
}

/* The output that was the first input of this backward call's forward call; NONE: not produced by a recorded call. */
static uint32_t given_to_twin(const struct judge_pass *p, uint32_t call)
{
    const struct dump *d = p->side[TARGET];
    uint32_t forward = d->calls.v[call].twin, from = forward == NONE ? NONE : pass_first_float(d, forward, IO_INPUT);
    from = from == NONE ? NONE : p->flow[TARGET].held[from];
    while (from != NONE && d->rows.v[from].io != IO_OUTPUT)
        from = p->flow[TARGET].held[from];
    return from;
}

/* The same for an activation after an in-place call, whose recorded gradient is before the activation. */
static double handed_back_in_place(const struct judge_pass *p, uint32_t call, double n)
{
    const struct dump *d = p->side[TARGET];
    uint32_t kinked = kinks_behind(d, d->calls.v[call].twin), back = kinked == NONE ? NONE : d->calls.v[kinked].twin;
    uint32_t row = back == NONE ? NONE : pass_first_float(d, back, IO_OUTPUT);
    struct condition_size x;
    bool same = row != NONE && pass_partner(p, row) != NONE && condition_size_of(p->m, p->state, TARGET, row, &x) &&
                x.n == n;
    return same ? pow(pass_accepted_error(p, p->m->pairing->line_of[TARGET][row]) * x.norm, 2) : 0;
}

/* For an incoming gradient: the errors of the gradients from the value's readers, weighted by norm. */
static double of_gradient(const struct judge_pass *p, const uint32_t rows[2])
{
    uint32_t out = pass_comes_unrecorded(p, rows) ? pass_put_out(p, rows[TARGET]) : NONE;
    struct condition_size own;
    if (out == NONE || !condition_size_of(p->m, p->state, TARGET, rows[TARGET], &own) || !(own.norm > 0))
        return 0;
    uint32_t clipped = kinks_clipped_behind(p, out);
    double sum = clipped == NONE ? 0 : handed_back(p, clipped, own.n);
    sum += handed_back_in_place(p, p->side[TARGET]->rows.v[rows[TARGET]].call, own.n);
    return sqrt(sum + handed_back_by_readers(p, out, own.n)) / own.norm;
}

/* For the gradient returned by a module: the sum over the branches of its input. */
static double of_branches(const struct judge_pass *p, const uint32_t rows[2])
{
    const struct dump *d = p->side[TARGET];
    uint32_t call = d->rows.v[rows[TARGET]].call;
    uint32_t value = given_to_twin(p, call);
    struct condition_size own;
    if (value == NONE || dump_row_numel(d, value) != dump_row_numel(d, rows[TARGET]) ||
        !condition_size_of(p->m, p->state, TARGET, rows[TARGET], &own) || !(own.norm > 0))
        return 0;
    return sqrt(handed_back_by_readers(p, value, own.n)) / own.norm;
}

#define TERM_CALLS 8 /* through which a gradient is followed to the sum it goes into */

/* Whether a backward call of this family hands on a gradient as it is, repeated or in another shape. */
static bool hands_on(uint8_t family)
{
    return family == FAMILY_ADD || family == FAMILY_REDUCE || family == FAMILY_VIEW || family == FAMILY_CAST ||
           family == FAMILY_COPY;
}

double unrecorded_term(const struct judge_pass *p, const uint32_t rows[2])
{
    const struct dump *d = p->side[TARGET];
    uint32_t call = pass_comes_unrecorded(p, rows) ? d->rows.v[rows[TARGET]].call : NONE;
    for (int i = 0; i < TERM_CALLS && call != NONE && hands_on(d->calls.v[call].family); i++) {
        uint32_t given = given_to_twin(p, call), out = pass_first_float(d, call, IO_OUTPUT);
        uint32_t next = given == NONE ? NONE : d->calls.v[d->rows.v[given].call].twin;
        uint32_t in = next == NONE ? NONE : pass_first_float(d, next, IO_INPUT);
        struct condition_size term, sum;
        if (in == NONE || out == NONE || dump_row_numel(d, in) != dump_row_numel(d, out))
            return 0;
        if (dataflow_first(&p->flow[TARGET], in) != dataflow_first(&p->flow[TARGET], out))
            return condition_size_of(p->m, p->state, TARGET, out, &term) &&
                           condition_size_of(p->m, p->state, TARGET, in, &sum) && term.norm > 0
                       ? sum.norm / term.norm
                       : 0;
        call = next;
    }
    return 0;
}

/* For a module's output: outputs of inner calls that no recorded call reads are inputs of its last step. */
static double of_end(const struct judge_pass *p, const uint32_t rows[2])
{
    const struct dump *d = p->side[TARGET];
    uint32_t call = d->rows.v[rows[TARGET]].call;
    double most = 0;
    for (uint32_t c = call; c-- > 0 && call - c <= WITHIN && pass_holds(d, call, c);)
        EACH_EARLY_ROW(d, c, r)
            if (pass_is_float(&d->rows.v[r], IO_OUTPUT) && p->reads.first[r] == NONE && pass_partner(p, r) != NONE)
                most = fmax(most, pass_accepted_error(p, p->m->pairing->line_of[TARGET][r]));
    return most;
}

double unrecorded_step_error(const struct judge_pass *p, const uint32_t rows[2])
{
    const struct dump *d = p->side[TARGET];
    const struct call *c = &d->calls.v[d->rows.v[rows[TARGET]].call];
    enum row_io io = (enum row_io)d->rows.v[rows[TARGET]].io;
    bool held = p->flow[TARGET].held[rows[TARGET]] != NONE || p->flow[GOLDEN].held[rows[GOLDEN]] != NONE;
    if (io == IO_INPUT)
        return of_gradient(p, rows);
    if (io != IO_OUTPUT || c->kind != CALL_MODULE || held)
        return 0;
    return c->phase == PHASE_BACKWARD ? of_branches(p, rows) : of_end(p, rows);
}

/* The first tensor among the incoming gradients of a module's backward call, on the target side. */
static uint32_t incoming_of(const struct dump *d, uint32_t gradient_call)
{
    uint32_t call = condition_module_backward(d, gradient_call);
    return call == NONE ? NONE : dump_first_tensor(d, call, IO_INPUT);
}

double unrecorded_incoming_error(const struct judge_pass *p, const struct verdict_case *k)
{
    uint32_t row = incoming_of(p->side[TARGET], k->call);
    uint32_t line = row == NONE ? NONE : p->m->pairing->line_of[TARGET][row];
    uint32_t held = row == NONE ? NONE : p->flow[TARGET].held[row];
    uint32_t before = held == NONE ? NONE : p->m->pairing->line_of[TARGET][held];
    if (line != NONE && line < k->i)
        return pass_accepted_error(p, line);
    if (before != NONE && before < k->i)
        return pass_accepted_error(p, before);
    if (line == NONE || p->m->pairing->lines.v[line].row[GOLDEN] == NONE || p->state[line] != MEASURE_DONE)
        return 0;
    const struct figures *f = p->m->figures[line];
    const uint32_t *rows = p->m->pairing->lines.v[line].row;
    double kappa, bound = kinks_bound(p, rows, f, &kappa), behind = unrecorded_step_error(p, rows);
    double level = fmax(noise_level_quantile(&p->level, p->tol->quantile), noise_level_product(&p->level));
    double most = p->tol->level * fmax(noise_level_quantile(&p->level, p->tol->quantile), behind);
    bool explained = (bound > 0 || behind > 0) && f->rel_l2 <= hypot(bound, most);
    return explained || row_verdict_accepts(p, rows, f->rel_l2, level) ? f->rel_l2 : 0;
}

double unrecorded_rounding_error(const struct judge_pass *p, const struct verdict_case *k)
{
    struct element_sample s;
    struct err quiet = {0};
    bool rounds[2], sum = k->r[TARGET]->io == IO_GRADIENT;
    if (figures_show_rounding(p, k))
        return dtype_table[p->j->arithmetic].epsilon / 2;
    if (p->j->arithmetic == DTYPE_UNKNOWN || dtype_table[p->j->arithmetic].size > 2 || !k->f || !k->f->two ||
        element_sample_take(&s, p->m, k->i, &quiet) < 0)
        return 0;
    for (int side = 0; side < 2; side++) {
        rounds[side] = p->narrow[side] && s.n > 0;
        for (size_t i = 0; i < s.n && rounds[side]; i++)
            rounds[side] = s.v[side][i] == dtype_round(p->j->arithmetic, s.v[sum ? side : !side][i]);
    }
    element_sample_release(&s);
    return rounds[TARGET] || rounds[GOLDEN] ? dtype_table[p->j->arithmetic].epsilon / 2 : 0;
}

/* The 16 bits in which all elements of both sides are exact; DTYPE_UNKNOWN: they are not. */
static enum dtype rounded_to(const struct element_sample *s)
{
    static const enum dtype types[] = {DTYPE_BF16, DTYPE_F16};
    for (size_t t = 0; t < ARRAY_LEN(types); t++) {
        bool exact = s->n > 0;
        for (size_t i = 0; i < s->n && exact; i++)
            exact = s->v[0][i] == dtype_round(types[t], s->v[0][i]) && s->v[1][i] == dtype_round(types[t], s->v[1][i]);
        if (exact)
            return types[t];
    }
    return DTYPE_UNKNOWN;
}

#define TURNED_LEAST 4 /* elements that noise just above rounding may turn */

double unrecorded_roundings_error(const struct judge_pass *p, const struct verdict_case *k, double noise)
{
    struct element_sample s;
    struct err quiet = {0};
    const struct figures *f = k->f;
    if (!f || !f->two || k->r[TARGET]->io != IO_INPUT || k->r[TARGET]->dtype != DTYPE_F32 ||
        k->r[GOLDEN]->dtype != DTYPE_F32 || p->flow[TARGET].held[k->row[TARGET]] != NONE ||
        p->flow[GOLDEN].held[k->row[GOLDEN]] != NONE || f->max_rel > dtype_table[DTYPE_BF16].epsilon ||
        element_sample_take(&s, p->m, k->i, &quiet) < 0)
        return 0;
    enum dtype type = rounded_to(&s);
    double step = dtype_table[type].epsilon, turned = 0;
    bool once = type != DTYPE_UNKNOWN;
    for (size_t i = 0; once && i < s.n; i++) {
        double t = s.v[0][i], g = s.v[1][i];
        turned += t != g;
        once = fabs(t - g) <= step * fmax(fabs(t), fabs(g));
    }
    bool few = once && turned <= TURNED_LEAST + 2 * noise / step * (double)s.n;
    element_sample_release(&s);
    return few ? f->rel_l2 : 0;
}

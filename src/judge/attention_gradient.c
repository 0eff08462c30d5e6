/* Reads the sizes of a fused attention's tensors and estimates the noise that its softmax leaves in the gradients of
 * queries and keys. */
#include "judge/attention_gradient.h"

#include <math.h>

#include "dump/family.h"
#include "judge/conditioning.h"
#include "judge/pass_rows.h"
#include "pair/call_arguments.h"

/* Which output of a fused attention's backward call a row is: 0 the gradient of the queries, 1 of the keys; otherwise
 * −1. */
static int gradient_of(const struct dump *d, uint32_t row)
{
    const struct call *c = &d->calls.v[d->rows.v[row].call];
    int nth = 0;
    if (c->family != FAMILY_ATTENTION || c->kind == CALL_MODULE || c->phase != PHASE_BACKWARD || c->twin == NONE)
        return -1;
    EACH_EARLY_ROW(d, d->rows.v[row].call, r) {
        if (r == row && pass_is_float(&d->rows.v[r], IO_OUTPUT))
            return nth < 2 ? nth : -1;
        nth += d->rows.v[r].io == IO_OUTPUT;
    }
    return -1;
}

double attention_gradient_terms(const struct measure *m, const uint8_t *state, int side, uint32_t row)
{
    const struct dump *d = m->side[side];
    int nth = gradient_of(d, row);
    if (nth < 0)
        return NAN;
    uint32_t call = d->rows.v[row].call, x[3];
    for (int i = 0; i < 3; i++) {
        x[i] = call_input(d, d->calls.v[call].twin, i);
        if (x[i] == NONE)
            return NAN;
    }
    const struct shape *q = dump_row_shape(d, x[0]), *k = dump_row_shape(d, x[1]);
    uint32_t came = pass_first_float(d, call, IO_INPUT);
    bool same = dump_row_numel(d, row) == dump_row_numel(d, x[nth]);
    if (!q || !k || q->ndim != 4 || k->ndim != 4 || !same || came == NONE)
        return NAN;
    double width = (double)q->dim[3], keys = fmax((double)k->dim[1], (double)k->dim[2]);
    double terms = nth == 0 ? keys : keys * (double)dump_row_numel(d, x[0]) / (double)dump_row_numel(d, x[1]);
    uint32_t given = call_argument(d, d->calls.v[call].twin, ATTENTION_SCALE_WORDS);
    double scale = given == NONE ? 1 / sqrt(width) : d->rows.v[given].stat[STAT_MAX];
    double sizes = condition_rms_of(m, state, side, came) * condition_rms_of(m, state, side, x[2]);
    double scores = sqrt(width) * sizes / keys;
    return fabs(scale) * sqrt(terms) * scores * condition_rms_of(m, state, side, x[!nth]);
}

/* The largest error accepted in earlier rows that hold the inputs of a side's call. */
static double noise_in(const struct judge_pass *p, int side, uint32_t call)
{
    double most = 0;
    EACH_EARLY_ROW(p->side[side], call, r) {
        uint32_t from = p->side[side]->rows.v[r].io == IO_INPUT ? p->flow[side].held[r] : NONE;
        uint32_t line = from == NONE ? NONE : p->m->pairing->line_of[side][from];
        most = line == NONE ? most : fmax(most, pass_accepted_error(p, line));
    }
    return most;
}

/* Whether a side's row has its value from a row without a partner, if from any: a step of attention written out. */
static bool comes_unpaired(const struct judge_pass *p, int side, uint32_t row)
{
    uint32_t from = p->flow[side].held[row], line = from == NONE ? NONE : p->m->pairing->line_of[side][from];
    return line == NONE || p->m->pairing->lines.v[line].row[!side] == NONE;
}

double attention_gradient_held(const struct judge_pass *p, const uint32_t rows[2], double *noise)
{
    for (int s = 0; s < 2; s++) {
        const struct dump *d = p->side[s];
        uint32_t from = p->flow[s].held[rows[s]];
        if (from == NONE || gradient_of(d, from) < 0 || !comes_unpaired(p, s, rows[s]) ||
            !comes_unpaired(p, !s, rows[!s]))
            continue;
        uint32_t call = d->rows.v[from].call;
        *noise = fmax(noise_in(p, s, call), noise_in(p, s, d->calls.v[call].twin));
        return attention_gradient_terms(p->m, p->state, s, from);
    }
    return NAN;
}

/* Finds scores that one side had masked earlier, if what is computed from them agrees. */
#include "judge/masked_operand.h"

#include <math.h>

#include "num/masked.h"

/* The lowest element if known, otherwise NaN. */
static double lowest_element(const struct measure *m, uint32_t line, int s)
{
    const struct row *r = &m->side[s]->rows.v[m->pairing->lines.v[line].row[s]];
    const struct figures *f = measure_figures(m, line);
    return r->has & HAS_MIN ? r->stat[STAT_MIN] : f ? f->side[s].min : NAN;
}

/* Whether all results of a target call agree with those of the golden call. Beside numbers, whole ones are positions of
 * them (top-k), and the numbers tell. */
static bool results_agree(const struct judgement *j, const struct measure *m, const uint32_t call[2])
{
    const struct dump *d = m->side[TARGET];
    bool any = false, whole = true;
    EACH_EARLY_ROW(d, call[TARGET], r)
        whole = whole && !(d->rows.v[r].io == IO_OUTPUT && dtype_is_float(d->rows.v[r].dtype));
    EACH_EARLY_ROW(d, call[TARGET], r) {
        uint32_t line = m->pairing->line_of[TARGET][r];
        if (d->rows.v[r].io != IO_OUTPUT || d->rows.v[r].kind != ROW_TENSOR ||
            (!whole && !dtype_is_float(d->rows.v[r].dtype)))
            continue;
        const struct line *l = line == NONE ? NULL : &m->pairing->lines.v[line];
        if (!l || l->pair == NONE || m->side[GOLDEN]->rows.v[l->row[GOLDEN]].call != call[GOLDEN] ||
            !line_agrees(&j->line[line]))
            return false;
        any = true;
    }
    return any;
}

bool is_masked_before(const struct judgement *j, const struct measure *m, uint32_t line)
{
    const struct line *l = &m->pairing->lines.v[line];
    uint32_t call[2];
    if (l->pair == NONE || !line_is_bad(&j->line[line]))
        return false;
    for (int s = 0; s < 2; s++) {
        const struct row *r = &m->side[s]->rows.v[l->row[s]];
        call[s] = r->call;
        if (r->io != IO_INPUT || r->kind != ROW_TENSOR || m->side[s]->calls.v[r->call].phase != PHASE_FORWARD ||
            m->side[s]->calls.v[r->call].kind == CALL_MODULE)
            return false;
    }
    double t = lowest_element(m, line, TARGET), g = lowest_element(m, line, GOLDEN);
    bool filled = (t <= MASK_FILL) != (g <= MASK_FILL);
    return filled && !isnan(t) && !isnan(g) && results_agree(j, m, call);
}


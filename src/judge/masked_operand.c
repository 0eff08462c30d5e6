/* Finds scores that one side had masked earlier or fills with another value, if what is computed from them agrees. */
#include "judge/masked_operand.h"

#include <math.h>

#include "num/masked.h"
#include "pair/align_item.h"

/* The lowest element if known, otherwise NaN. */
static double lowest(const struct measure *m, uint32_t line, int s)
{
    const struct row *r = &m->side[s]->rows.v[m->pairing->lines.v[line].row[s]];
    const struct figures *f = measure_figures(m, line);
    return r->has & HAS_MIN ? r->stat[STAT_MIN] : f ? f->side[s].min : NAN;
}

/* Whether all results of a side's call agree with those of one call of the other side: `other`, or any (NONE). Beside
 * numbers, whole ones are positions of them (top-k), and the numbers tell. */
static bool results_agree(const struct judgement *j, const struct measure *m, int side, uint32_t call, uint32_t other)
{
    const struct dump *d = m->side[side];
    bool any = false, whole = true;
    EACH_EARLY_ROW(d, call, r)
        whole = whole && !(d->rows.v[r].io == IO_OUTPUT && dtype_is_float(d->rows.v[r].dtype));
    EACH_EARLY_ROW(d, call, r) {
        uint32_t line = m->pairing->line_of[side][r];
        if (d->rows.v[r].io != IO_OUTPUT || d->rows.v[r].kind != ROW_TENSOR ||
            (!whole && !dtype_is_float(d->rows.v[r].dtype)))
            continue;
        const struct line *l = line == NONE ? NULL : &m->pairing->lines.v[line];
        uint32_t partner = l && l->pair != NONE ? m->side[!side]->rows.v[l->row[!side]].call : NONE;
        if (partner == NONE || (other != NONE && partner != other) || !line_agrees(&j->line[line]))
            return false;
        other = partner;
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
    double t = lowest(m, line, TARGET), g = lowest(m, line, GOLDEN);
    bool filled = (t <= MASK_FILL) != (g <= MASK_FILL);
    return filled && !isnan(t) && !isnan(g) && results_agree(j, m, TARGET, call[TARGET], call[GOLDEN]);
}

enum reading { READ_NOT, READ_AGREES, READ_DIFFERS };

/* Whether a call's results have recorded readers, and all of these agree. */
static enum reading read_by(const struct judgement *j, const struct measure *m, const struct value_readers *reads,
                            int side, uint32_t call)
{
    const struct dump *d = m->side[side];
    enum reading found = READ_NOT;
    EACH_EARLY_ROW(d, call, out)
        for (uint32_t r = d->rows.v[out].io == IO_OUTPUT ? reads->first[out] : NONE; r != NONE; r = reads->next[r]) {
            uint32_t reader = d->rows.v[r].call;
            if (d->calls.v[reader].kind == CALL_MODULE)
                continue;
            if (!results_agree(j, m, side, reader, NONE))
                return READ_DIFFERS;
            found = READ_AGREES;
        }
    return found;
}

bool is_filled_otherwise(const struct judgement *j, const struct measure *m, const struct value_readers reads[2],
                         uint32_t line)
{
    const struct line *l = &m->pairing->lines.v[line];
    uint32_t call[2];
    if (l->pair == NONE || !line_is_bad(&j->line[line]))
        return false;
    for (int s = 0; s < 2; s++) {
        const struct row *r = &m->side[s]->rows.v[l->row[s]];
        call[s] = r->call;
        bool result = r->io == IO_OUTPUT, value = r->io == IO_INPUT && dump_row_numel(m->side[s], l->row[s]) <= 1;
        if ((!result && !value) || m->side[s]->calls.v[r->call].phase != PHASE_FORWARD ||
            !align_item_does(m->side[s], r->call, STR("masked_fill")))
            return false;
    }
    enum reading t = read_by(j, m, &reads[TARGET], TARGET, call[TARGET]),
                 g = read_by(j, m, &reads[GOLDEN], GOLDEN, call[GOLDEN]); /* infinite figures are nobody's value */
    return t != READ_DIFFERS && g != READ_DIFFERS && (t == READ_AGREES || g == READ_AGREES);
}

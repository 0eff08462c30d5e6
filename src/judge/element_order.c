/* See element_order.h. */
#include "judge/element_order.h"

#include <math.h>

#include "dump/family.h"
#include "judge/routing.h"
#include "judge/thresholds.h"

/* Whether a tensor of several elements goes into a side's call that none of the other's has as its partner. */
static bool takes_a_lone_tensor(const struct judge_pass *p, int side, uint32_t call, uint32_t other)
{
    const struct dump *d = p->side[side];
    EACH_EARLY_ROW(d, call, r) {
        uint32_t line = pairing_paired_line(p->m->pairing, side, r);
        if (d->rows.v[r].io != IO_INPUT || d->rows.v[r].kind != ROW_TENSOR || dump_row_numel(d, r) <= 1)
            continue;
        if (line == NONE || p->side[!side]->rows.v[p->m->pairing->lines.v[line].row[!side]].call != other)
            return true;
    }
    return false;
}

/* Whether an operand agrees in another order of the axes before its last two, which a product gives its results too. */
static bool has_another_batch_order(const struct judge_pass *p, uint32_t line)
{
    uint32_t at = p->m->pairing->pairs.v[p->m->pairing->lines.v[line].pair].view;
    const struct view *v = at == NONE ? NULL : &p->m->pairing->views.v[at];
    for (int i = 0; v && i < v->count; i++)
        for (int k = 0; v->step[i].op == VIEW_PERMUTE && k < v->step[i].n - 2; k++)
            if (v->step[i].v[k] != k)
                return true;
    return false;
}

/* Whether a row is an output of two computing or repeating calls whose inputs agree: a different order of elements is
 * then their doing. Calls that only move elements may have another layout, and of calls that each have an operand
 * without a partner it may be the operands' order. */
static bool inputs_agreed(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct dump *d = p->side[TARGET];
    bool agreed = false, compute = family_is_compute(d->calls.v[k->call].family);
    if (k->r[TARGET]->io != IO_OUTPUT || (takes_a_lone_tensor(p, TARGET, k->call, k->r[GOLDEN]->call) &&
                                          takes_a_lone_tensor(p, GOLDEN, k->r[GOLDEN]->call, k->call)))
        return false;
    EACH_EARLY_ROW(d, k->call, r) {
        uint32_t line = p->m->pairing->line_of[TARGET][r],
                 golden = line == NONE ? NONE : p->m->pairing->lines.v[line].row[GOLDEN];
        if (golden == NONE || d->rows.v[r].io != IO_INPUT || dump_row_numel(d, r) <= 1 ||
            p->side[GOLDEN]->rows.v[golden].call != k->r[GOLDEN]->call)
            continue;
        if (p->j->line[line].verdict != VERDICT_MATCH || (compute && has_another_batch_order(p, line)))
            return false;
        agreed = agreed || compute || dump_row_numel(d, r) < dump_row_numel(d, k->row[TARGET]);
    }
    return agreed;
}

/* Whether the results of an input's calls have other figures: then its elements are others, not in another order. */
static bool results_differ(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct dump *d = p->side[TARGET];
    if (k->r[TARGET]->io != IO_INPUT || d->calls.v[k->call].phase != PHASE_FORWARD ||
        d->calls.v[k->call].kind == CALL_MODULE)
        return false;
    EACH_ROW(d, k->call, r) {
        uint32_t line = p->m->pairing->line_of[TARGET][r];
        const struct line *l = line == NONE ? NULL : &p->m->pairing->lines.v[line];
        if (d->rows.v[r].io == IO_OUTPUT && l && l->pair != NONE && p->state[line] == MEASURE_DONE &&
            p->side[GOLDEN]->rows.v[l->row[GOLDEN]].call == k->r[GOLDEN]->call) {
            const struct side_figures *t = &p->m->figures[line]->side[TARGET], *g = &p->m->figures[line]->side[GOLDEN];
            enum dtype own = dtype_coarser(d->rows.v[r].dtype, p->side[GOLDEN]->rows.v[l->row[GOLDEN]].dtype);
            return fabs(t->norm - g->norm) > thresholds_of(p->tol, own)->deviate * g->norm;
        }
    }
    return false;
}

bool figures_are_reordered(const struct judge_pass *p, const struct verdict_case *k, const double t[STAT_COUNT],
                           const double g[STAT_COUNT])
{
    const struct pair *pair = &p->m->pairing->pairs.v[p->m->pairing->lines.v[k->i].pair];
    double scale = 1e-5 * fabs(g[STAT_NORM]);
    bool figures_alone = pair->view == NONE || pair->why == WHY_FINGERPRINT;
    if (inputs_agreed(p, k) || results_differ(p, k))
        return false;
    return pair->origin == ORIGIN_SEQUENCE && figures_alone && verdict_is_bad(k->out->verdict) &&
           (double)k->out->error > rule_limit(RULE_LIMIT_REORDERED) && fabs(t[STAT_NORM] - g[STAT_NORM]) <= scale &&
           fabs(t[STAT_MAX] - g[STAT_MAX]) <= scale && fabs(t[STAT_MIN] - g[STAT_MIN]) <= scale;
}

bool elements_are_reordered(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct side_figures *t = &k->f->side[0], *g = &k->f->side[1];
    return figures_are_reordered(p, k, (double[STAT_COUNT]){t->max, t->min, t->mean, t->norm},
                                 (double[STAT_COUNT]){g->max, g->min, g->mean, g->norm});
}

/* Whether an input of this side's call holds what an earlier call that sorts gave. */
static bool holds_positions(const struct judge_pass *p, int side, uint32_t row)
{
    const struct dump *d = p->side[side];
    uint32_t made = d->rows.v[row].io == IO_INPUT ? dataflow_maker(&p->flow[side], d, row) : NONE;
    return made != NONE && routing_sorts(d, d->rows.v[made].call);
}

/* Whether positions in another order went into the target's call, and no tensor else. */
static bool comes_from_positions(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct dump *d = p->side[TARGET];
    bool any = false;
    if (k->r[TARGET]->io != IO_OUTPUT)
        return false;
    EACH_EARLY_ROW(d, k->call, r) {
        uint32_t line = pairing_paired_line(p->m->pairing, TARGET, r);
        if (d->rows.v[r].io != IO_INPUT || d->rows.v[r].kind != ROW_TENSOR || dump_row_numel(d, r) <= 1)
            continue;
        if (line == NONE || (p->j->line[line].rule != RULE_REORDERED && p->j->line[line].rule != RULE_SAME_PICKS))
            return false;
        any = true;
    }
    return any;
}

bool positions_are_reordered(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct side_figures *t = &k->f->side[TARGET], *g = &k->f->side[GOLDEN];
    return k->f->two && t->max == g->max && t->min == g->min && t->norm == g->norm &&
           (holds_positions(p, GOLDEN, k->row[GOLDEN]) || comes_from_positions(p, k));
}

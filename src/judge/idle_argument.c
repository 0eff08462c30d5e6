/* Finds arguments that differ while all outputs of their call agree. */
#include "judge/idle_argument.h"

#include <math.h>
#include <string.h>

#include "dump/family.h"
#include "judge/pass_rows.h"

/* Whether a paired output is within the noise level. */
static bool output_within_noise(const struct judgement *j, const struct measure *m, uint32_t line,
                                const struct thresholds *tol)
{
    const struct line_judgement *l = &j->line[line];
    const struct line *p = &m->pairing->lines.v[line];
    enum dtype own =
        dtype_coarser(m->side[TARGET]->rows.v[p->row[TARGET]].dtype, m->side[GOLDEN]->rows.v[p->row[GOLDEN]].dtype);
    double noise = fmax(isfinite(l->level) ? tol->level * (double)l->level : 0,
                        rule_limit(RULE_LIMIT_ARGUMENT_ROUNDINGS) * dtype_table[own].epsilon);
    return line_agrees(l) && !(l->flags & LINE_DOUBTFUL) && (!isfinite(l->error) || (double)l->error <= noise);
}

static bool outputs_agree(const struct judgement *j, const struct measure *m, uint32_t call,
                          const struct thresholds *tol)
{
    int outputs = 0;
    EACH_EARLY_ROW(m->side[TARGET], call, r) {
        const struct row *x = &m->side[TARGET]->rows.v[r];
        uint32_t line = m->pairing->line_of[TARGET][r];
        if (x->io != IO_OUTPUT || x->kind != ROW_TENSOR || line == NONE || m->pairing->lines.v[line].pair == NONE ||
            j->line[line].verdict == VERDICT_SKIP) /* one side omitted it */
            continue;
        if (!output_within_noise(j, m, line, tol))
            return false;
        outputs++;
    }
    return outputs > 0;
}

#define FIGURES (HAS_MAX | HAS_MIN | HAS_NORM)

/* Whether a side's call returns what goes in, as its figures say: no element is beyond the bound of a clamp. */
static bool returns_input(const struct dump *d, uint32_t call)
{
    uint32_t in = pass_first_float(d, call, IO_INPUT), out = pass_first_float(d, call, IO_OUTPUT);
    if (d->calls.v[call].family != FAMILY_ELEMENTWISE || in == NONE || out == NONE)
        return false;
    const struct row *x = &d->rows.v[in], *y = &d->rows.v[out];
    return (x->has & y->has & FIGURES) == FIGURES && x->dtype == y->dtype &&
           memcmp(x->stat, y->stat, sizeof x->stat) == 0;
}

/* `rule`: that by which the argument differs. None beside a value is of two kinds. */
static bool may_be_idle(const struct measure *m, const struct line *l, uint8_t rule)
{
    const struct row *t = &m->side[TARGET]->rows.v[l->row[TARGET]], *g = &m->side[GOLDEN]->rows.v[l->row[GOLDEN]];
    bool fraction = t->kind == ROW_FLOAT || g->kind == ROW_FLOAT, absent = t->kind == ROW_NULL || g->kind == ROW_NULL;
    return t->io == IO_INPUT && (rule == RULE_SCALAR_DIFFERS || (rule == RULE_KINDS && absent)) &&
           (!fraction || m->side[TARGET]->calls.v[t->call].family == FAMILY_RANDOM ||
            (returns_input(m->side[TARGET], t->call) && returns_input(m->side[GOLDEN], g->call)));
}

void idle_arguments_find(struct judgement *j, const struct measure *m, const struct thresholds *tol,
                         const uint8_t *misfit)
{
    for (uint32_t i = 0; i < j->lines; i++) {
        struct line_judgement *l = &j->line[i];
        const struct line *p = &m->pairing->lines.v[i];
        if (p->pair == NONE || (misfit && misfit[i]) || !may_be_idle(m, p, l->rule) ||
            !outputs_agree(j, m, m->side[TARGET]->rows.v[p->row[TARGET]].call, tol))
            continue;
        l->verdict = VERDICT_DRIFT;
        l->rule = RULE_IDLE_ARGUMENT;
        l->flags &= (uint8_t)~LINE_DOUBTFUL;
    }
}

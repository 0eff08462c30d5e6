/* Looks for lines that differ by one constant factor between a call and those that agree again behind it, and takes
 * their deviations back. */
#include "judge/moved_factor.h"

#include <math.h>
#include "dump/family.h"
#include "judge/value_readers.h"

#define CALLS 48          /* that one factor is followed through */

enum { UNSEEN, SCALED, AGREES, OTHER };

struct factor_search {
    struct judgement *j;
    const struct measure *m;
    int side; /* whose data flow is followed */
    const struct dump *d;
    struct value_readers readers[2];
};

/* Whether a line's sides are one value times a factor other than one. */
static bool proportional(const struct factor_search *x, uint32_t line)
{
    const struct line_judgement *l = &x->j->line[line];
    const struct figures *f = measure_figures(x->m, line);
    if (l->verdict != VERDICT_DEVIATE || (l->rule != RULE_LIMIT && l->rule != RULE_JUMP) || !f || !f->two)
        return false;
    double factor = f->side[GOLDEN].norm > 0 ? f->side[TARGET].norm / f->side[GOLDEN].norm : 1;
    const struct line *p = &x->m->pairing->lines.v[line];
    enum dtype coarser = dtype_coarser(x->m->side[TARGET]->rows.v[p->row[TARGET]].dtype, x->m->side[GOLDEN]->rows.v[p->row[GOLDEN]].dtype);
    double noise = isfinite(l->level) ? rule_limit(RULE_LIMIT_FACTOR_LEVELS) * (double)l->level : 0;
    double rounding = fmax(fmax(rule_limit(RULE_LIMIT_FACTOR_PROPORTIONAL), noise), rule_limit(RULE_LIMIT_FACTOR_ROUNDINGS) * dtype_table[coarser].epsilon);
    return factor > 0 && fabs(factor - 1) > fmax(rule_limit(RULE_LIMIT_FACTOR_LEAST), 4 * rounding) && f->side[TARGET].count > 1 && sqrt(2 * f->minus) <= rounding;
}

/* What a call's paired lines say of it together. */
static int state_of(const struct factor_search *x, uint32_t call)
{
    bool scaled = false, agrees = false;
    EACH_EARLY_ROW(x->d, call, r) {
        uint32_t line = x->m->pairing->line_of[x->side][r];
        const struct line_judgement *l = line == NONE ? NULL : &x->j->line[line];
        if (!l || x->m->pairing->lines.v[line].pair == NONE || x->d->rows.v[r].io != IO_OUTPUT)
            continue;
        if (line_is_bad(l) && !proportional(x, line))
            return OTHER;
        scaled = scaled || line_is_bad(l);
        agrees = agrees || l->verdict == VERDICT_MATCH || l->verdict == VERDICT_DRIFT;
    }
    return scaled ? SCALED : agrees ? AGREES : UNSEEN;
}

/* Whether the value agrees where it is read. */
static bool read_alike(const struct factor_search *x, uint32_t row)
{
    uint32_t line = x->m->pairing->line_of[x->side][row];
    bool paired = line != NONE && x->m->pairing->lines.v[line].pair != NONE && !(x->j->line[line].flags & LINE_DOUBTFUL);
    return paired && (x->j->line[line].verdict == VERDICT_MATCH || x->j->line[line].verdict == VERDICT_DRIFT);
}

/* Whether everything computed from this call's result agrees again. A norm makes every factor vanish: it proves nothing. */
static bool heals(const struct factor_search *x, uint32_t start)
{
    uint32_t queue[CALLS], n = 0, agreed = 0;
    queue[n++] = start;
    for (uint32_t i = 0; i < n; i++)
        EACH_EARLY_ROW(x->d, queue[i], out) {
            if (x->d->rows.v[out].io != IO_OUTPUT)
                continue;
            for (uint32_t r = x->readers[x->side].first[out]; r != NONE; r = x->readers[x->side].next[r]) {
                uint32_t call = x->d->rows.v[r].call;
                const struct call *c = &x->d->calls.v[call];
                bool known = false;
                for (uint32_t k = 0; k < n; k++)
                    known = known || queue[k] == call;
                if (known || c->phase != x->d->calls.v[start].phase || c->kind == CALL_MODULE)
                    continue;
                int s = i && read_alike(x, r) ? AGREES : state_of(x, call); /* the factor itself is not read alike */
                if (s == OTHER || c->family == FAMILY_NORM)
                    return false;
                agreed += s == AGREES;
                if (s == AGREES)
                    continue;
                if (n == CALLS)
                    return false;
                queue[n++] = call;
            }
        }
    return agreed > 0;
}

/* By the flow of the target, or of the golden side where the other recorded steps that hide it. */
static bool heals_somewhere(struct factor_search *x, uint32_t line)
{
    for (x->side = TARGET; x->side <= GOLDEN; x->side++) {
        x->d = x->m->side[x->side];
        if (heals(x, x->d->rows.v[x->m->pairing->lines.v[line].row[x->side]].call))
            return true;
    }
    return false;
}

void moved_factors_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2])
{
    struct factor_search x = {.j = j, .m = m};
    VEC(uint32_t) lines = {0};
    for (uint32_t i = 0; m->figures && i < j->lines; i++)
        if (m->pairing->lines.v[i].pair != NONE && line_is_bad(&j->line[i]) && proportional(&x, i))
            vec_push(&lines, i);
    for (int s = 0; s < 2 && lines.n; s++)
        readers_build(&x.readers[s], m->side[s], &flow[s]);
    /* judged by what comes of it; all lines of a chain are asked before one is taken back */
    for (size_t i = 0; i < lines.n; i++)
        if (!heals_somewhere(&x, lines.v[i]))
            lines.v[i] = NONE;
    for (size_t i = 0; i < lines.n; i++) {
        if (lines.v[i] == NONE)
            continue;
        const struct figures *f = m->figures[lines.v[i]];
        struct line_judgement *l = &j->line[lines.v[i]];
        l->verdict = VERDICT_SKIP;
        l->rule = RULE_FACTOR;
        l->limit = (float)(f->side[TARGET].norm / f->side[GOLDEN].norm);
    }
    vec_release(&lines);
    for (int s = 0; s < 2; s++)
        readers_release(&x.readers[s]);
}

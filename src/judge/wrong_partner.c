/* Finds doubtful pairs that differ because their rows hold different values, and sets them aside. */
#include "judge/wrong_partner.h"

#include <math.h>

#include "dump/family.h"
#include "judge/moved_factor.h"
#include "pair/align_item.h"

#define DOUBTS 256 /* each may be compared with all rows of the target; of more of them none is set aside */

struct doubts {
    struct judgement *j;
    const struct measure *m;
    const struct dump *d[2];
};

static const struct row *row_of(const struct doubts *x, uint32_t line, int side)
{
    return &x->d[side]->rows.v[x->m->pairing->lines.v[line].row[side]];
}

static void set_aside(struct doubts *x, uint32_t line)
{
    x->j->line[line].verdict = VERDICT_SKIP;
    x->j->line[line].rule = RULE_OTHER_VALUE;
}

/* Whether the target holds the golden value where it has no partner. */
static bool held_elsewhere(const struct doubts *x, uint32_t line)
{
    const struct row *g = row_of(x, line, GOLDEN), *t = row_of(x, line, TARGET);
    if (g->kind != ROW_TENSOR || !dtype_is_float(g->dtype))
        return false;
    struct fingerprint value = fingerprint_of(x->d[GOLDEN], x->m->pairing->lines.v[line].row[GOLDEN]);
    const struct dump *d = x->d[TARGET];
    for (uint32_t r = 0; r < d->rows.n; r++) {
        const struct row *other = &d->rows.v[r];
        uint32_t own = x->m->pairing->line_of[TARGET][r];
        if (own == NONE || x->m->pairing->lines.v[own].pair != NONE || other->io != t->io ||
            other->kind != ROW_TENSOR || d->calls.v[other->call].phase != d->calls.v[t->call].phase)
            continue;
        struct fingerprint here = fingerprint_of(d, r);
        if (fingerprint_compare(&here, &value) > LIKE_UNKNOWN)
            return true;
    }
    return false;
}

/* Whether a factor is the scale of attention, 1/√d, or a number that one of both calls got (alpha); or its inverse. */
static bool is_scale(const struct doubts *x, uint32_t line, double factor)
{
    double most = 4 * rule_limit(RULE_LIMIT_FACTOR_PROPORTIONAL);
    for (int s = 0; s < 2; s++) {
        uint32_t row = x->m->pairing->lines.v[line].row[s];
        const struct shape *shape = dump_row_shape(x->d[s], row);
        double d = shape && shape->ndim ? sqrt((double)shape->dim[shape->ndim - 1]) : NAN;
        if (fabs(factor * d - 1) <= most || fabs(factor / d - 1) <= most)
            return true;
        EACH_EARLY_ROW(x->d[s], x->d[s]->rows.v[row].call, r) {
            const struct row *n = &x->d[s]->rows.v[r];
            if (n->io == IO_INPUT && (n->kind == ROW_FLOAT || n->kind == ROW_INT) &&
                (fabs(factor * n->stat[STAT_MAX] - 1) <= most || fabs(factor / n->stat[STAT_MAX] - 1) <= most))
                return true;
        }
    }
    return false;
}

static bool results_agree(const struct doubts *x, uint32_t call)
{
    bool any = false;
    EACH_EARLY_ROW(x->d[TARGET], call, r) {
        uint32_t line = x->m->pairing->line_of[TARGET][r];
        if (x->d[TARGET]->rows.v[r].io != IO_OUTPUT)
            continue;
        if (line == NONE || x->m->pairing->lines.v[line].pair == NONE || !line_agrees(&x->j->line[line]))
            return false;
        any = true;
    }
    return any;
}

/* Whether one side scales this operand before a product, and the other in it: the products agree. */
static bool is_scaled_operand(const struct doubts *x, uint32_t line)
{
    const struct row *t = row_of(x, line, TARGET);
    const struct call *c = &x->d[TARGET]->calls.v[t->call];
    double factor = proportional_factor(x->j, x->m, line);
    return t->io == IO_INPUT && c->phase == PHASE_FORWARD && family_is_product(c->family) && !isnan(factor) &&
           is_scale(x, line, factor) && results_agree(x, t->call);
}

/* Whether a gradient has a factor whose inverse its operand had. */
static bool is_gradient_of_scaled(const struct doubts *x, uint32_t line)
{
    const struct row *t = row_of(x, line, TARGET), *g = row_of(x, line, GOLDEN);
    uint32_t forward = x->d[TARGET]->calls.v[t->call].twin, partner = x->d[GOLDEN]->calls.v[g->call].twin;
    if (x->d[TARGET]->calls.v[t->call].phase != PHASE_BACKWARD || forward == NONE || partner == NONE ||
        !family_is_product(x->d[TARGET]->calls.v[forward].family))
        return false;
    double factor = proportional_factor(x->j, x->m, line);
    EACH_EARLY_ROW(x->d[TARGET], forward, r) {
        uint32_t own = x->m->pairing->line_of[TARGET][r];
        if (own == NONE || x->m->pairing->lines.v[own].pair == NONE || x->j->line[own].rule != RULE_OTHER_VALUE ||
            row_of(x, own, GOLDEN)->call != partner)
            continue;
        const struct row *a = row_of(x, own, TARGET), *b = row_of(x, own, GOLDEN);
        double scale = a->has & b->has & HAS_NORM ? a->stat[STAT_NORM] / b->stat[STAT_NORM] : NAN;
        if (fabs(scale * factor - 1) <= 4 * rule_limit(RULE_LIMIT_FACTOR_PROPORTIONAL))
            return true;
    }
    return false;
}

static bool only_moves(const struct doubts *x, uint32_t line, int side)
{
    uint8_t family = x->d[side]->calls.v[row_of(x, line, side)->call].family;
    return family == FAMILY_VIEW || family == FAMILY_COPY;
}

static bool is_moved(const struct doubts *x, uint32_t line)
{
    return x->j->line[line].rule == RULE_REORDERED && only_moves(x, line, TARGET) && only_moves(x, line, GOLDEN);
}

/* An argument: one of the call's results was set aside. */
static bool belongs_to_others(const struct doubts *x, uint32_t line)
{
    const struct row *t = row_of(x, line, TARGET);
    if (t->io != IO_INPUT || t->kind == ROW_TENSOR)
        return false;
    EACH_EARLY_ROW(x->d[TARGET], t->call, r) {
        uint32_t own = x->m->pairing->line_of[TARGET][r];
        if (x->d[TARGET]->rows.v[r].io == IO_OUTPUT && own != NONE && x->j->line[own].rule == RULE_OTHER_VALUE)
            return true;
    }
    return false;
}

void wrong_partners_find(struct judgement *j, const struct measure *m)
{
    struct doubts x = {.j = j, .m = m, .d = {m->side[0], m->side[1]}};
    size_t n = 0;
    for (uint32_t i = 0; i < j->lines; i++) {
        if (line_is_bad(&j->line[i]))
            return;
        n += line_is_in_doubt(&j->line[i]);
    }
    if (n > DOUBTS)
        return;
    for (int pass = 0; pass < 2 && n; pass++) /* gradients and arguments look at what the first pass set aside */
        for (uint32_t i = 0; i < j->lines; i++) {
            if (m->pairing->lines.v[i].pair == NONE || !line_is_in_doubt(&j->line[i]))
                continue;
            if (pass ? is_gradient_of_scaled(&x, i) || belongs_to_others(&x, i)
                     : is_moved(&x, i) || is_scaled_operand(&x, i) || held_elsewhere(&x, i))
                set_aside(&x, i);
        }
}

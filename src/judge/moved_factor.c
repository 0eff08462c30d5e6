/* Finds lines that differ by one constant factor between a call and later ones that agree again, if that factor
 * occurs nearby, and withdraws their deviations. */
#include "judge/moved_factor.h"

#include <math.h>
#include <stdlib.h>

#include "dump/family.h"

#define CALLS 48 /* the most calls through which one factor is followed */

enum { UNSEEN, SCALED, AGREES, OTHER };

struct factor_search {
    struct judgement *j;
    const struct measure *m;
    int side; /* the side whose data flow is followed */
    const struct dump *d;
    const struct dataflow *flow; /* one per side */
    const struct value_readers *readers; /* the same */
};

/* How the sides of a line are proportional. */
struct proportion {
    double factor; /* target over golden side; 1 if the golden side is zero */
    double off;    /* what differs beside it, relative */
    bool known;
};

static struct proportion of_elements(const struct figures *f)
{
    double factor = f->side[GOLDEN].norm > 0 ? f->side[TARGET].norm / f->side[GOLDEN].norm : 1;
    return (struct proportion){factor, sqrt(2 * f->minus), f->two && f->side[TARGET].count > 1};
}

/* By recorded figures: the extremes must have the ratio of the norms. */
static struct proportion of_statistics(const struct row *t, const struct row *g, uint64_t n)
{
    const int all = HAS_MAX | HAS_MIN | HAS_NORM;
    const double *a = t->stat, *b = g->stat;
    double range = fmax(fabs(b[STAT_MAX]), fabs(b[STAT_MIN]));
    if ((t->has & g->has & all) != all || n < 4 || !(b[STAT_NORM] > 0) || !(range > 0) || !isfinite(a[STAT_NORM]) ||
        !isfinite(b[STAT_NORM]) || b[STAT_MAX] == b[STAT_MIN])
        return (struct proportion){.factor = 1};
    double factor = a[STAT_NORM] / b[STAT_NORM];
    double off = fmax(fabs(a[STAT_MAX] - factor * b[STAT_MAX]), fabs(a[STAT_MIN] - factor * b[STAT_MIN]));
    return (struct proportion){factor, factor > 0 ? off / (factor * range) : INFINITY, true};
}

static struct proportion proportion_of(const struct measure *m, uint32_t line)
{
    const struct figures *f = measure_figures(m, line);
    const struct line *p = &m->pairing->lines.v[line];
    if (f)
        return of_elements(f);
    return of_statistics(&m->side[TARGET]->rows.v[p->row[TARGET]], &m->side[GOLDEN]->rows.v[p->row[GOLDEN]],
                         dump_row_numel(m->side[GOLDEN], p->row[GOLDEN]));
}

double proportional_factor(const struct judgement *j, const struct measure *m, uint32_t line)
{
    const struct line_judgement *l = &j->line[line];
    if (l->verdict != VERDICT_DEVIATE || (l->rule != RULE_LIMIT && l->rule != RULE_JUMP))
        return NAN;
    struct proportion k = proportion_of(m, line);
    const struct line *p = &m->pairing->lines.v[line];
    enum dtype coarser = dtype_coarser(m->side[TARGET]->rows.v[p->row[TARGET]].dtype,
                                       m->side[GOLDEN]->rows.v[p->row[GOLDEN]].dtype);
    double noise = isfinite(l->level) ? rule_limit(RULE_LIMIT_FACTOR_LEVELS) * (double)l->level : 0;
    double rounding = fmax(fmax(rule_limit(RULE_LIMIT_FACTOR_PROPORTIONAL), noise),
                           rule_limit(RULE_LIMIT_FACTOR_ROUNDINGS) * dtype_table[coarser].epsilon);
    bool is = k.known && k.factor > 0 &&
              fabs(k.factor - 1) > fmax(rule_limit(RULE_LIMIT_FACTOR_LEAST), 4 * rounding) && k.off <= rounding;
    return is ? k.factor : NAN;
}

/* Whether a line's sides differ by a factor other than one. */
static bool sides_proportional(const struct factor_search *x, uint32_t line)
{
    return !isnan(proportional_factor(x->j, x->m, line));
}

/* What a call's paired lines show together. */
static int state_of(const struct factor_search *x, uint32_t call)
{
    bool scaled = false, agrees = false;
    EACH_EARLY_ROW(x->d, call, r) {
        uint32_t line = x->m->pairing->line_of[x->side][r];
        const struct line_judgement *l = line == NONE ? NULL : &x->j->line[line];
        if (!l || x->m->pairing->lines.v[line].pair == NONE || x->d->rows.v[r].io != IO_OUTPUT)
            continue;
        if (line_is_bad(l) && !sides_proportional(x, line))
            return OTHER;
        scaled = scaled || line_is_bad(l);
        agrees = agrees || line_agrees(l);
    }
    return scaled ? SCALED : agrees ? AGREES : UNSEEN;
}

/* Whether the value agrees where it is read. */
static bool read_alike(const struct factor_search *x, uint32_t row)
{
    uint32_t line = x->m->pairing->line_of[x->side][row];
    bool paired = line != NONE && x->m->pairing->lines.v[line].pair != NONE &&
                  !(x->j->line[line].flags & LINE_DOUBTFUL);
    return paired && line_agrees(&x->j->line[line]);
}

/* Whether a call that reads `out` gives what the partner of `out` holds: it applies the factor. */
static bool holds_the_other(const struct factor_search *x, uint32_t out, uint32_t call)
{
    uint32_t line = x->m->pairing->line_of[x->side][out];
    if (line == NONE || x->m->pairing->lines.v[line].pair == NONE)
        return false;
    const struct row *other = &x->m->side[!x->side]->rows.v[x->m->pairing->lines.v[line].row[!x->side]];
    EACH_EARLY_ROW(x->d, call, r) {
        uint64_t n = dump_row_numel(x->d, r);
        if (x->d->rows.v[r].io != IO_OUTPUT || n != dump_row_numel(x->d, out))
            continue;
        struct proportion k = of_statistics(&x->d->rows.v[r], other, n);
        double rounding = rule_limit(RULE_LIMIT_FACTOR_PROPORTIONAL);
        return k.known && fabs(k.factor - 1) <= rounding && k.off <= rounding;
    }
    return false;
}

/* Whether everything computed from this call's result agrees again. A norm removes every factor, so it proves
 * nothing. */
static bool factor_heals(const struct factor_search *x, uint32_t start)
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
                /* the value with the factor itself is not compared */
                bool alike = (i && read_alike(x, r)) || holds_the_other(x, out, call);
                int s = alike ? AGREES : state_of(x, call);
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

/* Whether a line is nearer to this factor than to one: within a coarse type's noise a factor agrees as well. */
static bool has_factor(const struct factor_search *x, uint32_t line, double factor)
{
    struct proportion k = proportion_of(x->m, line);
    return k.known && fabs(k.factor - factor) < fabs(k.factor - 1);
}

/* For dumps of modules only: a module whose output has a factor on one side, while the other side's readers of the
 * value agree, so that the factor is applied after the module. Readers that get it with the factor deviate
 * themselves. */
static bool applied_behind_module(struct factor_search *x, uint32_t line)
{
    double factor = proportion_of(x->m, line).factor;
    for (x->side = TARGET; x->side <= GOLDEN; x->side++) {
        x->d = x->m->side[x->side];
        uint32_t out = x->m->pairing->lines.v[line].row[x->side], agreed = 0;
        const struct call *c = &x->d->calls.v[x->d->rows.v[out].call];
        if (c->kind != CALL_MODULE || c->phase != PHASE_FORWARD || x->d->rows.v[out].io != IO_OUTPUT)
            return false;
        uint32_t r = x->readers[x->side].first[out];
        for (; r != NONE; r = x->readers[x->side].next[r]) {
            uint32_t read = x->m->pairing->line_of[x->side][r];
            bool alike = read_alike(x, r) && !has_factor(x, read, factor);
            agreed += alike;
            if (!alike && (read == NONE || !sides_proportional(x, read)))
                break;
        }
        if (agreed && r == NONE)
            return true;
    }
    return false;
}

/* The factor of a call: a number, a one-element tensor, or fused attention's own scale. */
static double constant_of(const struct dump *d, uint32_t row)
{
    const struct row *r = &d->rows.v[row];
    bool number = r->kind == ROW_INT || r->kind == ROW_FLOAT;
    bool tensor = r->kind == ROW_TENSOR && dtype_is_float((enum dtype)r->dtype);
    const struct shape *s = tensor ? dump_row_shape(d, row) : NULL;
    if (r->io != IO_INPUT)
        return NAN;
    if (s && s->ndim > 1 && d->calls.v[r->call].family == FAMILY_ATTENTION)
        return 1 / sqrt((double)s->dim[s->ndim - 1]);
    bool alike = dump_row_numel(d, row) == 1 || ((r->has & HAS_MIN) && r->stat[STAT_MAX] <= r->stat[STAT_MIN]);
    return number || (tensor && (r->has & HAS_MAX) && alike) ? r->stat[STAT_MAX] : NAN;
}

static bool is_power_of(double factor, double constant)
{
    static const double powers[] = {1, -1, 2, -2, 0.5, -0.5}; /* each operand of a product may have its root */
    for (size_t i = 0; i < ARRAY_LEN(powers) && !isnan(constant); i++)
        if (fabs(pow(factor, powers[i]) / fabs(constant) - 1) <= 4 * rule_limit(RULE_LIMIT_FACTOR_PROPORTIONAL))
            return true;
    return false;
}

static bool call_applies_factor(const struct dump *d, uint32_t call, double factor)
{
    enum family f = (enum family)d->calls.v[call].family;
    if (f == FAMILY_MUL || f == FAMILY_LINEAR || f == FAMILY_ATTENTION)
        EACH_EARLY_ROW(d, call, r)
            if (is_power_of(factor, constant_of(d, r)))
                return true;
    return false;
}

/* Calls before and after a call, up to those whose results agree. */
struct factor_way {
    uint32_t call[CALLS], n;
};

static void go_through(struct factor_way *w, uint32_t call)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (w->call[i] == call)
            return;
    if (w->n < CALLS)
        w->call[w->n++] = call;
}

/* Adds the producers of a call's inputs, or the readers of its outputs. */
static void follow_factor(const struct factor_search *x, struct factor_way *w, uint32_t call, bool back)
{
    EACH_EARLY_ROW(x->d, call, r) {
        uint32_t from = x->flow[x->side].held[r];
        if (back && x->d->rows.v[r].io == IO_INPUT && from != NONE && x->d->rows.v[from].io == IO_OUTPUT)
            go_through(w, x->d->rows.v[from].call);
        for (uint32_t i = back ? NONE : x->readers[x->side].first[r]; i != NONE; i = x->readers[x->side].next[i])
            go_through(w, x->d->rows.v[i].call);
    }
}

/* Whether a call on the way, on this side, applies the factor. For a backward call its forward call decides. */
static bool applied_on_the_way(const struct factor_search *x, uint32_t start, double factor)
{
    for (int back = 0; back < 2; back++) {
        struct factor_way w = {.call = {start}, .n = 1};
        for (uint32_t i = 0; i < w.n; i++) {
            uint32_t call = w.call[i];
            const struct call *c = &x->d->calls.v[call];
            uint32_t twin = c->phase == PHASE_BACKWARD ? c->twin : NONE;
            if (call_applies_factor(x->d, call, factor) || (twin != NONE && call_applies_factor(x->d, twin, factor)))
                return true;
            if (!i || state_of(x, call) != AGREES)
                follow_factor(x, &w, call, back);
        }
    }
    return false;
}

/* The factor must occur in a call: an arbitrary ratio is not accepted. */
static bool written_down(struct factor_search *x, uint32_t line)
{
    double factor = proportion_of(x->m, line).factor;
    for (x->side = TARGET; x->side <= GOLDEN; x->side++) {
        x->d = x->m->side[x->side];
        if (applied_on_the_way(x, x->d->rows.v[x->m->pairing->lines.v[line].row[x->side]].call, factor))
            return true;
    }
    return false;
}

/* By the target's data flow, or the golden side's if the target's has unrecorded steps. */
static bool heals_somewhere(struct factor_search *x, uint32_t line)
{
    for (x->side = TARGET; x->side <= GOLDEN; x->side++) {
        x->d = x->m->side[x->side];
        if (factor_heals(x, x->d->rows.v[x->m->pairing->lines.v[line].row[x->side]].call))
            return true;
    }
    return false;
}

static bool is_backward(const struct factor_search *x, uint32_t line)
{
    const struct dump *d = x->m->side[TARGET];
    return d->calls.v[d->rows.v[x->m->pairing->lines.v[line].row[TARGET]].call].phase == PHASE_BACKWARD;
}

/* Whether a row of the forward call was withdrawn with the inverse factor: if a value is k times the other side's, its
 * gradient is a k-th of it. */
static bool forward_has_inverse(const struct factor_search *x, uint32_t line)
{
    const struct dump *d = x->m->side[TARGET];
    uint32_t twin = d->calls.v[d->rows.v[x->m->pairing->lines.v[line].row[TARGET]].call].twin;
    double factor = proportion_of(x->m, line).factor;
    if (twin == NONE)
        return false;
    EACH_EARLY_ROW(d, twin, r) {
        uint32_t of = x->m->pairing->line_of[TARGET][r];
        const struct line_judgement *l = of == NONE ? NULL : &x->j->line[of];
        if (l && l->verdict == VERDICT_SKIP && l->rule == RULE_FACTOR &&
            fabs(factor * (double)l->limit - 1) <= 4 * rule_limit(RULE_LIMIT_FACTOR_PROPORTIONAL))
            return true;
    }
    return false;
}

static bool is_moved(struct factor_search *x, uint32_t line)
{
    return applied_behind_module(x, line) || (is_backward(x, line) && forward_has_inverse(x, line)) ||
           (written_down(x, line) && heals_somewhere(x, line));
}

/* Withdraws the lines of one direction. All lines of a chain are decided before one is withdrawn. */
static void withdraw_lines(struct factor_search *x, const uint32_t *lines, size_t n, bool backward)
{
    bool *moved = mem_zalloc(n + 1);
    for (size_t i = 0; i < n; i++)
        moved[i] = is_backward(x, lines[i]) == backward && is_moved(x, lines[i]);
    for (size_t i = 0; i < n; i++) {
        struct line_judgement *l = &x->j->line[lines[i]];
        if (!moved[i])
            continue;
        l->limit = (float)proportion_of(x->m, lines[i]).factor;
        l->verdict = VERDICT_SKIP;
        l->rule = RULE_FACTOR;
    }
    free(moved);
}

void moved_factors_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                        const struct value_readers reads[2])
{
    struct factor_search x = {.j = j, .m = m, .flow = flow, .readers = reads};
    VEC(uint32_t) lines = {0};
    for (uint32_t i = 0; i < j->lines; i++)
        if (line_is_bad(&j->line[i]) && m->pairing->lines.v[i].pair != NONE && sides_proportional(&x, i))
            vec_push(&lines, i);
    for (int backward = 0; backward < 2; backward++)
        withdraw_lines(&x, lines.v, lines.n, backward);
    vec_release(&lines);
}

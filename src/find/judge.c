#include "find/judge.h"

#include <math.h>
#include <stdlib.h>

#include "find/condition.h"
#include "find/culprit.h"
#include "find/frozen.h"
#include "find/known.h"
#include "find/level.h"
#include "find/nature.h"
#include "find/preset.h"
#include "find/recorded.h"
#include "find/table.h"
#include "model/family.h"

static const char *const names[VERDICT_COUNT] = {
    "pending", "match", "drift", "deviate", "nonfinite", "shape", "dtype", "only", "skip",
};

const char *verdict_name(enum verdict v)
{
    return names[v];
}

/* The parts of a fused tensor taken together, as one row of figures. */
struct whole {
    struct row row;
    uint64_t numel;
};

struct pass {
    struct judgement *j;
    struct whole *wholes; /* per group of the pairing */
    const struct measure *m;
    const uint8_t *state;
    const struct flow *flow;
    const struct judge_options *o;
    const struct tol *tol;
    const struct dump *side[2];
    struct level level;
    float *call_error;   /* per target call: the largest accepted error among its inputs */
    float *call_turned;  /* per target call: the share of whole numbers among its inputs that turned by noise */
    uint8_t *call_dtype; /* per target call: the coarsest floating type among its inputs */
    bool product;        /* a matmul-like call of the target has been passed */
    bool open_product;   /* one whose output could not be judged: what follows may carry its noise */
    bool coarse;         /* float32 products may run with rounded operands (TF32, HF32) here */
};

/* One line being judged. */
struct look {
    uint32_t i;
    uint32_t row[2], call;
    const struct row *r[2];
    const struct figures *f; /* computed, or NULL */
    struct line_judgement *out;
};

static void give(struct look *k, enum verdict v, enum rule r)
{
    k->out->verdict = (uint8_t)v;
    k->out->rule = (uint8_t)r;
}

/* ---- what the two sides are ---- */

static bool is_number(const struct row *r)
{
    return r->kind == ROW_INT || r->kind == ROW_FLOAT || r->kind == ROW_BOOL;
}

static enum dtype_class class_of(const struct row *r)
{
    return dtype_table[r->dtype].klass;
}

static bool whole(enum dtype_class c)
{
    return c == CLASS_INT || c == CLASS_BOOL;
}

static void judge_scalar(struct look *k)
{
    const struct row *t = k->r[TARGET], *g = k->r[GOLDEN];
    bool same;
    if (is_number(t) && is_number(g)) {
        double a = t->stat[STAT_MAX], b = g->stat[STAT_MAX];
        /* integers beyond 2^53 are told apart by their text */
        same = (a == b && (fabs(a) < 0x1p53 || strcmp(t->text, g->text) == 0)) || (isnan(a) && isnan(b));
    } else if (is_number(t) || is_number(g)) {
        give(k, VERDICT_DTYPE, RULE_KINDS);
        return;
    } else {
        same = strcmp(t->text, g->text) == 0 ||
               (t->kind == ROW_DTYPE && g->kind == ROW_DTYPE && t->dtype && t->dtype == g->dtype);
    }
    give(k, same ? VERDICT_MATCH : VERDICT_DEVIATE, same ? RULE_SCALAR_SAME : RULE_SCALAR_DIFFERS);
}

/* A tensor of one element against a plain number: its recorded value is its maximum. */
static void judge_mixed(struct look *k)
{
    for (int s = 0; s < 2; s++)
        if (k->r[s]->kind == ROW_TENSOR ? !(k->r[s]->has & HAS_MAX) : !is_number(k->r[s])) {
            give(k, VERDICT_DTYPE, RULE_KINDS);
            return;
        }
    double a = k->r[TARGET]->stat[STAT_MAX], b = k->r[GOLDEN]->stat[STAT_MAX];
    bool same = (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= 1e-6 * fabs(b);
    give(k, same ? VERDICT_MATCH : VERDICT_DEVIATE, same ? RULE_SCALAR_SAME : RULE_SCALAR_DIFFERS);
}

/* ---- recorded figures ---- */

/* 0 finite, else which kind of non-finite value the extremes show. */
static int special(const struct row *r)
{
    double max = r->has & HAS_MAX ? r->stat[STAT_MAX] : 0, min = r->has & HAS_MIN ? r->stat[STAT_MIN] : 0;
    if (isnan(max) || isnan(min))
        return 1;
    return (max == INFINITY ? 2 : 0) + (min == -INFINITY ? 4 : 0);
}

static bool both(const struct look *k, int bit)
{
    return k->r[TARGET]->has & k->r[GOLDEN]->has & bit;
}

static bool stats_equal(const struct look *k)
{
    static const struct {
        int bit, stat;
    } figure[] = {{HAS_MAX, STAT_MAX}, {HAS_MIN, STAT_MIN}, {HAS_MEAN, STAT_MEAN}, {HAS_NORM, STAT_NORM}};
    for (size_t i = 0; i < ARRAY_LEN(figure); i++) {
        double a = k->r[TARGET]->stat[figure[i].stat], b = k->r[GOLDEN]->stat[figure[i].stat];
        if (both(k, figure[i].bit) && a != b && !(isnan(a) && isnan(b)) && fabs(a - b) > 1e-6 * fabs(b))
            return false;
    }
    return true;
}

/* ---- roles ---- */

/* Whether an input is the call's weight or bias: by its place in the calls that have one. */
static bool parameter_role(const struct pass *p, const struct look *k)
{
    const struct call *c = &p->side[TARGET]->calls.v[k->call];
    const char *slot = p->side[TARGET]->slots.v[k->r[TARGET]->slot];
    const struct shape *s = dump_row_shape(p->side[TARGET], k->row[TARGET]);
    if (k->r[TARGET]->io == IO_PARAMETER)
        return true;
    if (k->r[TARGET]->io != IO_INPUT || c->phase != PHASE_FORWARD || c->kind == CALL_MODULE ||
        p->flow[TARGET].held[k->row[TARGET]] != NONE)
        return false;
    if (strcmp(slot, "input.weight") == 0 || strcmp(slot, "input.bias") == 0)
        return true;
    bool second = strcmp(slot, "input.1") == 0 || strcmp(slot, "input.2") == 0;
    switch (c->family) {
    case FAMILY_LINEAR:
    case FAMILY_CONV:
        return second && s && s->ndim <= (c->family == FAMILY_CONV ? 5 : 2);
    case FAMILY_EMBEDDING:
        return class_of(k->r[TARGET]) == CLASS_FLOAT;
    case FAMILY_NORM:
        return second && s && s->ndim == 1;
    default:
        return false;
    }
}

/* An input no earlier row holds, on either side, and that is no value of one layer (a table, a mask, a
 * buffer): either several layers use it, or no product has been computed yet that could have left
 * noise in it. */
static bool source_role(const struct pass *p, const struct look *k)
{
    if (k->r[TARGET]->io != IO_INPUT || p->side[TARGET]->calls.v[k->call].phase != PHASE_FORWARD)
        return false;
    bool recurs = true;
    int produced = 0;
    for (int s = 0; s < 2; s++) {
        if (!p->flow[s].known[k->row[s]])
            return false;
        produced += p->flow[s].held[k->row[s]] != NONE;
        recurs = recurs && p->flow[s].recurs[k->row[s]];
    }
    /* a table one side computes inside its recorded calls is a table all the same */
    return produced ? produced == 1 && recurs : recurs || !p->product;
}

/* ---- the rule ---- */

/* The error a line's value already had where it stood before: its own verdict then was acceptance. */
static double error_of(const struct pass *p, uint32_t target_row)
{
    uint32_t line = target_row == NONE ? NONE : p->m->pairing->line_of[TARGET][target_row];
    if (line == NONE)
        return 0;
    const struct line_judgement *l = &p->j->line[line];
    bool accepted = l->verdict == VERDICT_MATCH || l->verdict == VERDICT_DRIFT || l->rule == RULE_ILL;
    return accepted && isfinite(l->error) ? (double)l->error : 0;
}

/* The error an output has to expect of its inputs'. Of sums that nearly cancel the condition is exact; what other
 * operators make of an error is an estimate, and only makes doubtful (excuse). */
static double output_level(const struct pass *p, const struct look *k)
{
    double in = (double)p->call_error[k->call];
    if (p->side[GOLDEN]->calls.v[k->r[GOLDEN]->call].family != FAMILY_ADD)
        return in;
    struct condition c = condition_of(p->m, p->state, k->row[GOLDEN]);
    if (c.kind != CONDITION_SUM || c.kappa < CONDITION_ILL)
        return in;
    k->out->flags |= LINE_ILL;
    return in * c.kappa;
}

static double printed(const struct pass *p)
{
    int digits = p->side[0]->digits < p->side[1]->digits ? p->side[0]->digits : p->side[1]->digits;
    return digits < 15 ? pow(10, 1 - digits) : 0;
}

static void weigh(struct pass *p, struct look *k, double error, bool stats)
{
    const struct tol *tol = p->tol;
    const struct call *c = &p->side[TARGET]->calls.v[k->call];
    enum dtype own = dtype_coarser(k->r[TARGET]->dtype, k->r[GOLDEN]->dtype);
    enum dtype around = dtype_coarser(dtype_coarser(own, p->call_dtype[k->call]), level_dtype(&p->level));
    const struct tol_limits *mine = tol_of(tol, own), *floors = tol_of(tol, around);
    double digits = stats ? printed(p) : 0;
    k->out->error = (float)error;

    if (parameter_role(p, k)) {
        /* recorded norms of equal tensors differ by the order of summation */
        double limit = stats || p->side[TARGET]->step > 0 ? mine->drift : dtype_table[own].epsilon;
        k->out->limit = (float)fmax(limit, digits);
        bool over = error > fmax(limit, digits);
        give(k, over ? VERDICT_DEVIATE : VERDICT_MATCH, over ? RULE_PARAMETER : RULE_WITHIN);
    } else if (source_role(p, k)) {
        k->out->flags |= LINE_SOURCE;
        k->out->limit = (float)fmax(mine->drift, digits);
        bool over = error > fmax(mine->drift, digits);
        give(k, over ? VERDICT_DEVIATE : VERDICT_MATCH, over ? RULE_SOURCE : RULE_WITHIN);
    } else {
        double level = level_quantile(&p->level, stats ? tol->quantile_statistics : tol->quantile);
        level = fmax(level, level_product(&p->level));
        level = fmax(level, error_of(p, p->flow[TARGET].held[k->row[TARGET]]));
        if (k->r[TARGET]->io == IO_OUTPUT)
            level = fmax(level, output_level(p, k));
        /* runs that agree to the bit say nothing about other hardware */
        if (p->o->band && (double)p->o->band[k->row[GOLDEN]] > 0) {
            level = (double)p->o->band[k->row[GOLDEN]];
            k->out->flags = (uint8_t)((k->out->flags | LINE_BAND) & ~LINE_ILL);
        }
        bool product = stats ? p->product || family_is_product(c->family)
                             : p->coarse && (p->open_product || family_is_product(c->family));
        double floor = fmax(product ? floors->product : floors->drift, digits);
        double limit = fmax(mine->deviate, (stats ? tol->level_statistics : tol->level) * level);
        k->out->level = (float)level;
        k->out->limit = (float)limit;
        if (error > limit) {
            give(k, VERDICT_DEVIATE, RULE_LIMIT);
        } else if (error > tol->jump * level && error > floor) {
            k->out->limit = (float)fmax(tol->jump * level, floor);
            give(k, VERDICT_DEVIATE, RULE_JUMP);
        } else if (error <= floor) {
            k->out->limit = (float)floor;
            give(k, VERDICT_MATCH, RULE_WITHIN);
        } else if (error <= tol->noise * level) {
            give(k, VERDICT_MATCH, RULE_LEVEL);
        } else {
            give(k, VERDICT_DRIFT, RULE_DRIFT);
        }
    }
    if (error == 0)
        k->out->rule = stats ? RULE_SAME_STATS : RULE_EQUAL;
    else if (stats && k->out->verdict == VERDICT_MATCH && k->out->rule == RULE_WITHIN)
        k->out->rule = RULE_SAME_STATS;
}

/* ---- ill-conditioned operators ---- */

static void hold_apart(struct look *k, const struct condition *c, double bound, double turned)
{
    k->out->was = (uint8_t)c->kind;
    k->out->kappa = (float)c->own; /* of masked scores the fills say nothing */
    k->out->rule = RULE_ILL;
    k->out->flags |= LINE_ILL | LINE_DOUBTFUL;
    k->out->limit = (float)bound;
    if (turned > 0)
        k->out->error = (float)condition_picked(turned);
}

/* Whole numbers that turned in the call, or in one before it whose result this is. */
static bool turned_before(const struct pass *p, const struct look *k, double turned)
{
    uint32_t from = p->flow[TARGET].held[k->row[TARGET]], line = from == NONE ? NONE : p->m->pairing->line_of[TARGET][from];
    double share = (double)p->call_turned[k->call];
    if (line != NONE && p->j->line[line].rule == RULE_ILL)
        return true;
    return k->r[TARGET]->io == IO_OUTPUT && share > 0 &&
           (turned <= p->tol->level * share || (k->f && k->f->rel_l2 <= p->tol->level * condition_picked(share)));
}

/* A deviation that is no more than what this operator makes of noise is nobody's first deviation (condition.h). The
 * noise is what its inputs were seen to have; where they were not compared, the level; and its own rounding. */
static void excuse(struct pass *p, struct look *k)
{
    const struct line_judgement *l = k->out;
    bool numbers = l->rule == RULE_INTEGERS_DIFFER;
    if (l->verdict != VERDICT_DEVIATE || (l->rule != RULE_LIMIT && l->rule != RULE_JUMP && !numbers) || p->o->exact || p->o->preset ||
        l->flags & (LINE_BAND | LINE_DOUBTFUL))
        return;
    double turned = k->f ? condition_turned(k->f) : recorded_error(k->r[TARGET], k->r[GOLDEN]);
    if (numbers && turned_before(p, k, turned)) {
        hold_apart(k, &(struct condition){.kind = CONDITION_NONE}, NAN, turned);
        return;
    }
    struct condition c = condition_of(p->m, p->state, k->row[GOLDEN]);
    bool discrete = condition_is_discrete(c.kind), compared = p->call_dtype[k->call] != DTYPE_UNKNOWN;
    if (c.kind == CONDITION_NONE || c.kind == CONDITION_SUM || (!discrete && c.own < CONDITION_ILL))
        return;
    enum dtype own = dtype_coarser(k->r[TARGET]->dtype, k->r[GOLDEN]->dtype);
    double level = fmax(level_quantile(&p->level, k->f ? p->tol->quantile : p->tol->quantile_statistics), level_product(&p->level));
    double unseen = dtype_table[DTYPE_F32].epsilon / 2;
    if (!compared)
        unseen = fmax(fmax(level, dtype_table[own].epsilon / 2), unseen);
    else if (discrete && !k->f) /* equal statistics of scores do not tell equal scores */
        unseen = fmax(level, unseen);
    double bound = (k->f ? p->tol->level : p->tol->level_statistics) * condition_bound(&c, (double)p->call_error[k->call], unseen);
    bound = fmin(bound, discrete ? CONDITION_TURNED : CONDITION_MOST);
    if ((discrete ? turned : (double)l->error) <= bound)
        hold_apart(k, &c, bound, discrete ? turned : 0);
}

/* Accepted errors become the noise of what comes after. */
static void remember(struct pass *p, const struct look *k)
{
    const struct line_judgement *l = k->out;
    const struct call *c = &p->side[TARGET]->calls.v[k->call];
    bool ill = l->rule == RULE_ILL; /* held apart, and yet what comes behind it has its error */
    bool accepted = l->verdict == VERDICT_MATCH || l->verdict == VERDICT_DRIFT || ill;
    bool product = family_is_product(c->family) && k->r[TARGET]->io == IO_OUTPUT;
    enum dtype own = dtype_coarser(k->r[TARGET]->dtype, k->r[GOLDEN]->dtype);
    if (product)
        p->open_product = !accepted || (l->flags & LINE_DOUBTFUL);
    if (ill && whole(class_of(k->r[TARGET])) && k->r[TARGET]->io != IO_OUTPUT) {
        p->call_turned[k->call] = fmaxf(p->call_turned[k->call], l->error * l->error / 2);
        p->call_error[k->call] = fmaxf(p->call_error[k->call], l->error);
    }
    if (k->r[TARGET]->kind != ROW_TENSOR || !dtype_is_float(own) || (l->flags & LINE_DOUBTFUL && !ill))
        return;
    if (accepted && l->error > 0)
        level_add(&p->level, (double)l->error, product, own);
    if (k->r[TARGET]->io != IO_OUTPUT) {
        p->call_dtype[k->call] = (uint8_t)dtype_coarser(p->call_dtype[k->call], own);
        if (accepted && l->error > p->call_error[k->call])
            p->call_error[k->call] = l->error;
    }
}

static void judge_checksum(struct pass *p, struct look *k)
{
    bool weight = k->r[TARGET]->io != IO_OUTPUT && (parameter_role(p, k) || p->flow[TARGET].held[k->row[TARGET]] == NONE);
    bool one_framework = strcmp(p->side[0]->framework, p->side[1]->framework) == 0;
    bool same_type = k->r[TARGET]->dtype == k->r[GOLDEN]->dtype;
    if (same_type && (one_framework || weight))
        give(k, VERDICT_DEVIATE, RULE_CHECKSUM_DIFFERS);
    else
        give(k, VERDICT_SKIP, RULE_CHECKSUM_SAYS_NOTHING);
}

static void judge_recorded(struct pass *p, struct look *k)
{
    k->out->flags |= LINE_STATISTICS;
    if (both(k, HAS_CHECKSUM) && strcmp(k->r[TARGET]->text, k->r[GOLDEN]->text) == 0 &&
        k->r[TARGET]->dtype == k->r[GOLDEN]->dtype) {
        k->out->error = 0;
        give(k, VERDICT_MATCH, RULE_CHECKSUM_SAME);
        return;
    }
    int t = special(k->r[TARGET]), g = special(k->r[GOLDEN]);
    if (t != g) {
        give(k, VERDICT_NONFINITE, RULE_NONFINITE);
        return;
    }
    if (whole(class_of(k->r[TARGET])) && whole(class_of(k->r[GOLDEN])) && both(k, HAS_MAX)) {
        bool same = stats_equal(k);
        give(k, same ? VERDICT_MATCH : VERDICT_DEVIATE, same ? RULE_SAME_STATS : RULE_INTEGERS_DIFFER);
        return;
    }
    double e = recorded_error(k->r[TARGET], k->r[GOLDEN]);
    if (!isnan(e))
        weigh(p, k, e, true);
    else if (t)
        give(k, VERDICT_MATCH, RULE_NONFINITE_ALIKE);
    else if (both(k, HAS_CHECKSUM))
        judge_checksum(p, k);
    else
        give(k, VERDICT_SKIP, RULE_NO_FIGURES);
}

/* ---- fused tensors ---- */

static uint64_t numel_of(const struct pass *p, const struct line *l, int s)
{
    return dump_row_numel(p->side[s], l->row[s]);
}

static void add_part(struct row *whole, const struct row *part)
{
    const double *x = part->stat;
    double *sum = whole->stat;
    whole->has &= part->has;
    sum[STAT_MAX] = isnan(x[STAT_MAX]) ? NAN : fmax(sum[STAT_MAX], x[STAT_MAX]);
    sum[STAT_MIN] = isnan(x[STAT_MIN]) ? NAN : fmin(sum[STAT_MIN], x[STAT_MIN]);
    sum[STAT_NORM] = hypot(sum[STAT_NORM], x[STAT_NORM]);
}

/* What the parts of each fused tensor hold together: the extremes of all and the root of the sum of squares. */
static void collect_wholes(struct pass *p)
{
    const struct pairing *all = p->m->pairing;
    p->wholes = mem_zalloc((all->groups + 1) * sizeof *p->wholes);
    for (uint32_t i = 0; i < all->groups; i++)
        p->wholes[i].row = (struct row){.has = HAS_MAX | HAS_MIN | HAS_NORM, .kind = ROW_TENSOR, .stat = {-INFINITY, INFINITY}};
    for (size_t i = 0; i < all->lines.n && all->groups; i++) {
        const struct line *l = &all->lines.v[i];
        uint32_t group = l->pair == NONE ? NONE : all->pairs.v[l->pair].group;
        if (group == NONE)
            continue;
        int s = numel_of(p, l, TARGET) < numel_of(p, l, GOLDEN) ? TARGET : GOLDEN;
        add_part(&p->wholes[group].row, &p->side[s]->rows.v[l->row[s]]);
        p->wholes[group].numel += numel_of(p, l, s);
    }
}

/* One part against a fused tensor without a view: no element can be compared, but all parts together must have the
 * whole's figures. */
static void judge_part(struct pass *p, struct look *k)
{
    const struct line *l = &p->m->pairing->lines.v[k->i];
    struct whole *w = &p->wholes[p->m->pairing->pairs.v[l->pair].group];
    int s = numel_of(p, l, TARGET) < numel_of(p, l, GOLDEN) ? TARGET : GOLDEN;
    const struct row *own = k->r[s];
    w->row.dtype = own->dtype;
    w->row.io = own->io;
    k->r[s] = &w->row;
    k->out->flags |= LINE_STATISTICS;
    bool all = w->numel == numel_of(p, l, !s);
    double e = all ? recorded_error(k->r[TARGET], k->r[GOLDEN]) : NAN;
    if (all && special(k->r[TARGET]) != special(k->r[GOLDEN]))
        give(k, VERDICT_NONFINITE, RULE_NONFINITE);
    else if (isnan(e))
        give(k, VERDICT_SKIP, RULE_PART);
    else
        weigh(p, k, e, true);
    if (k->out->verdict == VERDICT_MATCH || k->out->verdict == VERDICT_DRIFT)
        k->out->rule = RULE_PART_SAME;
    else
        k->out->flags |= LINE_DOUBTFUL; /* which of the parts it is, no figure tells */
    k->r[s] = own;
}

/* Paired by its figures alone (a part of a fused tensor has its place in it too), and only these agree: no deviation
 * can be claimed of such a pair. Values in another
 * order err by about as much as they are large. */
static bool reordered(const struct pass *p, const struct look *k)
{
    const struct side_figures *t = &k->f->side[0], *g = &k->f->side[1];
    const struct pair *pair = &p->m->pairing->pairs.v[p->m->pairing->lines.v[k->i].pair];
    double scale = 1e-5 * fabs(g->norm);
    return pair->origin == ORIGIN_SEQUENCE && pair->view == NONE && verdict_is_bad(k->out->verdict) && k->f->rel_l2 > 0.05 &&
           fabs(t->norm - g->norm) <= scale && fabs(t->max - g->max) <= scale && fabs(t->min - g->min) <= scale;
}

static void judge_tensors(struct pass *p, struct look *k)
{
    enum dtype_class t = class_of(k->r[TARGET]), g = class_of(k->r[GOLDEN]);
    uint64_t nt = dump_row_numel(p->side[TARGET], k->row[TARGET]);
    uint64_t ng = dump_row_numel(p->side[GOLDEN], k->row[GOLDEN]);
    bool sized = (k->r[TARGET]->has & k->r[GOLDEN]->has & HAS_SHAPE) != 0;
    if (dtype_is_float(k->r[TARGET]->dtype) && dtype_is_float(k->r[GOLDEN]->dtype) &&
        k->r[TARGET]->dtype != k->r[GOLDEN]->dtype)
        k->out->flags |= LINE_DTYPE_DIFF;
    bool viewed = p->state[k->i] == MEASURE_WAITING || p->state[k->i] == MEASURE_RUNNING || k->f;
    if (sized && nt != ng && !viewed && p->m->pairing->pairs.v[p->m->pairing->lines.v[k->i].pair].group != NONE) {
        judge_part(p, k);
    } else if (sized && nt != ng && !viewed) {
        give(k, VERDICT_SHAPE, RULE_ELEMENTS);
    } else if (t && g && whole(t) != whole(g)) {
        give(k, VERDICT_DTYPE, RULE_KINDS);
    } else if (sized && nt == 0) {
        give(k, VERDICT_MATCH, RULE_EMPTY);
    } else if (p->state[k->i] == MEASURE_WAITING || p->state[k->i] == MEASURE_RUNNING) {
        give(k, VERDICT_PENDING, RULE_PENDING);
    } else if (k->f && k->f->unlike) {
        give(k, VERDICT_NONFINITE, RULE_NONFINITE);
    } else if (k->f && whole(t) && whole(g)) {
        k->out->error = (float)k->f->rel_l2;
        bool same = k->f->max_abs == 0;
        give(k, same ? VERDICT_MATCH : VERDICT_DEVIATE, same ? RULE_EQUAL : RULE_INTEGERS_DIFFER);
    } else if (k->f) {
        weigh(p, k, k->f->rel_l2, false);
        if (reordered(p, k)) {
            k->out->rule = RULE_REORDERED;
            k->out->flags |= LINE_DOUBTFUL;
        }
    } else {
        judge_recorded(p, k);
    }
}

/* --exact: two runs of one side; whatever is not the same bit for bit deviates. */
static void judge_exact(struct look *k)
{
    struct line_judgement *l = k->out;
    if (l->verdict == VERDICT_PENDING || l->verdict == VERDICT_SKIP || verdict_is_bad(l->verdict))
        return;
    bool same = l->rule == RULE_EQUAL || l->rule == RULE_CHECKSUM_SAME || l->rule == RULE_SCALAR_SAME ||
                l->rule == RULE_EMPTY || l->rule == RULE_NONFINITE_ALIKE ||
                (l->rule == RULE_SAME_STATS && stats_equal(k) && !(l->error > 0));
    if (!same || (l->flags & LINE_DTYPE_DIFF))
        give(k, VERDICT_DEVIATE, RULE_EXACT);
}

/* A product of the target that is passed, paired or not. */
static void pass_product(struct pass *p, uint32_t row)
{
    const struct row *r = &p->side[TARGET]->rows.v[row];
    if (r->io == IO_OUTPUT && family_is_product(p->side[TARGET]->calls.v[r->call].family))
        p->product = p->open_product = true;
}

static void judge_line(struct pass *p, uint32_t i)
{
    const struct line *l = &p->m->pairing->lines.v[i];
    if (l->row[TARGET] != NONE)
        pass_product(p, l->row[TARGET]);
    struct look k = {.i = i, .row = {l->row[0], l->row[1]}, .out = &p->j->line[i]};
    *k.out = (struct line_judgement){.error = NAN, .limit = NAN, .level = NAN};
    if (l->row[TARGET] == NONE || l->row[GOLDEN] == NONE) {
        bool strict = p->o->strict_gaps;
        int s = l->row[TARGET] == NONE ? GOLDEN : TARGET;
        const struct call *c = &p->side[s]->calls.v[p->side[s]->rows.v[l->row[s]].call];
        bool counts = strict && family_is_compute(c->family) && p->side[s]->rows.v[l->row[s]].io == IO_OUTPUT;
        give(&k, counts ? VERDICT_SHAPE : VERDICT_ONLY, RULE_ONE_SIDED);
        if (p->o->exact)
            give(&k, VERDICT_SHAPE, RULE_ONE_SIDED);
        return;
    }
    for (int s = 0; s < 2; s++)
        k.r[s] = &p->side[s]->rows.v[l->row[s]];
    k.call = k.r[TARGET]->call;
    if (p->state[i] == MEASURE_DONE)
        k.f = p->m->figures[i];
    if (p->state[i] == MEASURE_FAILED || ((k.r[0]->has | k.r[1]->has) & IS_DAMAGED))
        k.out->flags |= LINE_UNREAD;
    if ((double)p->m->pairing->pairs.v[l->pair].confidence < p->tol->confidence)
        k.out->flags |= LINE_DOUBTFUL;
    bool tensor[2] = {k.r[0]->kind == ROW_TENSOR, k.r[1]->kind == ROW_TENSOR};
    if (k.r[0]->kind == ROW_NULL || k.r[1]->kind == ROW_NULL)
        give(&k, VERDICT_SKIP, RULE_ABSENT);
    else if (tensor[0] && tensor[1])
        judge_tensors(p, &k);
    else if (tensor[0] || tensor[1])
        judge_mixed(&k);
    else
        judge_scalar(&k);
    excuse(p, &k);
    if (verdict_is_bad(k.out->verdict) && nature_of(p->side, l->row))
        give(&k, VERDICT_SKIP, RULE_NATURE);
    if (p->o->exact)
        judge_exact(&k);
    remember(p, &k);
}

/* ---- the summary ---- */

/* A call that counts for coverage. In an L0 dump modules are all there is; elsewhere their inner calls
 * are recorded themselves. */
static bool is_compute(const struct dump *d, const struct call *c)
{
    if (c->gradient || !c->rows)
        return false;
    if (c->kind == CALL_MODULE)
        return strcmp(d->level, "L0") == 0 && c->family != FAMILY_RANDOM && c->family != FAMILY_COPY;
    return family_is_compute(c->family);
}

/* Per call: does an output stand in a pair that is sure enough, and was one judged alike. */
static void cover(struct pass *p)
{
    struct summary *s = &p->j->sum;
    bool phase[2][PHASE_COUNT] = {{false}};
    uint8_t *covered[2], *judged = mem_zalloc(p->side[TARGET]->calls.n + 1);
    for (int d = 0; d < 2; d++) {
        covered[d] = mem_zalloc(p->side[d]->calls.n + 1);
        for (size_t c = 0; c < p->side[d]->calls.n; c++)
            if (is_compute(p->side[d], &p->side[d]->calls.v[c]))
                phase[d][p->side[d]->calls.v[c].phase] = true;
    }
    for (size_t i = 0; i < p->j->lines; i++) {
        const struct line *l = &p->m->pairing->lines.v[i];
        const struct line_judgement *x = &p->j->line[i];
        if (l->pair == NONE || (x->flags & LINE_DOUBTFUL))
            continue;
        for (int d = 0; d < 2; d++) {
            const struct row *r = &p->side[d]->rows.v[l->row[d]];
            if (r->io == IO_OUTPUT)
                covered[d][r->call] = 1;
        }
        const struct row *r = &p->side[TARGET]->rows.v[l->row[TARGET]];
        if (r->io == IO_OUTPUT && (x->verdict == VERDICT_MATCH || x->verdict == VERDICT_DRIFT))
            judged[r->call] = 1;
    }
    for (int d = 0; d < 2; d++) {
        for (size_t c = 0; c < p->side[d]->calls.n; c++) {
            const struct call *call = &p->side[d]->calls.v[c];
            if (!is_compute(p->side[d], call) || !phase[!d][call->phase])
                continue;
            s->compute[d]++;
            s->covered[d] += covered[d][c];
            if (d == TARGET)
                s->judged += judged[c];
        }
        s->coverage[d] = s->compute[d] ? (double)s->covered[d] / s->compute[d] : s->pairs ? 1 : 0;
        free(covered[d]);
    }
    free(judged);
}

/* With --map-only the rows listed are what there is to cover. */
static void cover_listed(struct pass *p)
{
    struct summary *s = &p->j->sum;
    size_t listed = p->m->pairing->mapped + p->m->pairing->mapped_missing;
    for (int d = 0; d < 2; d++) {
        s->compute[d] = (uint32_t)listed;
        s->covered[d] = (uint32_t)p->m->pairing->mapped;
        s->coverage[d] = listed ? (double)s->covered[d] / (double)listed : 0;
    }
    s->judged = s->by[VERDICT_MATCH] + s->by[VERDICT_DRIFT];
}

static void count(struct pass *p)
{
    struct summary *s = &p->j->sum;
    for (size_t i = 0; i < p->j->lines; i++) {
        const struct line *l = &p->m->pairing->lines.v[i];
        const struct line_judgement *x = &p->j->line[i];
        s->known += x->rule == RULE_KNOWN;
        s->by[x->verdict] += x->rule != RULE_KNOWN;
        if (l->pair == NONE) {
            s->only[l->row[TARGET] == NONE ? GOLDEN : TARGET]++;
            continue;
        }
        s->pairs++;
        s->dtype_diff += (x->flags & LINE_DTYPE_DIFF) != 0;
        s->doubtful += (x->flags & LINE_DOUBTFUL) != 0;
        s->ill += x->rule == RULE_ILL;
        s->unread += (x->flags & LINE_UNREAD) != 0;
    }
    if (p->o->map_only)
        cover_listed(p);
    else
        cover(p);
}

/* ---- the first deviation and what makes it provisional ---- */

static const struct call *call_of_line(const struct pass *p, uint32_t i, int *side)
{
    const struct line *l = &p->m->pairing->lines.v[i];
    *side = l->row[TARGET] == NONE ? GOLDEN : TARGET;
    return &p->side[*side]->calls.v[p->side[*side]->rows.v[l->row[*side]].call];
}

static bool in_gap(const struct pass *p, uint32_t i)
{
    int s;
    const struct call *c = call_of_line(p, i, &s);
    return p->m->pairing->lines.v[i].pair == NONE && is_compute(p->side[s], c);
}

static void find_first(struct pass *p)
{
    struct judgement *j = p->j;
    bool gap = false;
    j->first = NONE;
    for (uint32_t i = 0; i < j->lines && j->first == NONE; i++) {
        const struct line_judgement *x = &j->line[i];
        if (verdict_is_bad(x->verdict) && !(x->flags & LINE_DOUBTFUL)) {
            j->first = i;
            break;
        }
        j->doubtful_before += (x->flags & LINE_DOUBTFUL) != 0;
        j->ill_before += x->rule == RULE_ILL;
        j->unread_before += (x->flags & LINE_UNREAD) != 0;
        j->pending_before += x->verdict == VERDICT_PENDING;
        bool now = in_gap(p, i);
        j->gaps_before += now && !gap;
        gap = now || (gap && p->m->pairing->lines.v[i].pair == NONE);
    }
    if (j->first == NONE)
        return;
    const struct line *l = &p->m->pairing->lines.v[j->first];
    const struct line_judgement *x = &j->line[j->first];
    int s = l->row[TARGET] == NONE ? GOLDEN : TARGET;
    bool output = p->side[s]->rows.v[l->row[s]].io == IO_OUTPUT;
    j->klass = x->verdict == VERDICT_NONFINITE ? FIRST_NONFINITE
               : l->pair == NONE               ? FIRST_GAP
               : x->verdict == VERDICT_SHAPE   ? FIRST_SHAPE
               : output                        ? FIRST_OUTPUT
               : gap                           ? FIRST_GAP
                                               : FIRST_INPUT;
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Products with operands rounded to 10 bits err by about 3e-4 wherever they run; a matmul that errs by
 * less tells that this hardware multiplies exactly, and then a jump at a product is none of its noise.
 * Benefit of the doubt while no product has been compared. */
static bool products_coarse(const struct pass *p)
{
    VEC(float) error = {0};
    for (uint32_t i = 0; i < p->m->lines; i++) {
        const struct line *l = &p->m->pairing->lines.v[i];
        if (p->state[i] != MEASURE_DONE || !p->m->figures[i]->two ||
            (double)p->m->pairing->pairs.v[l->pair].confidence < p->tol->confidence)
            continue;
        const struct row *t = &p->side[TARGET]->rows.v[l->row[TARGET]], *g = &p->side[GOLDEN]->rows.v[l->row[GOLDEN]];
        const struct call *c = &p->side[TARGET]->calls.v[t->call];
        if (t->dtype == DTYPE_F32 && g->dtype == DTYPE_F32 && t->io == IO_OUTPUT && c->phase == PHASE_FORWARD &&
            family_is_product(c->family))
            vec_push(&error, (float)p->m->figures[i]->rel_l2);
    }
    bool coarse = true;
    if (error.n) {
        qsort(error.v, error.n, sizeof *error.v, by_size);
        coarse = (double)error.v[error.n / 10] >= p->tol->coarse;
    }
    vec_release(&error);
    return coarse;
}

void judge(struct judgement *j, const struct measure *m, const uint8_t *state, const struct flow flow[2],
           const struct judge_options *o)
{
    struct pass p = {
        .j = j,
        .m = m,
        .state = state,
        .flow = flow,
        .o = o,
        .tol = o->tol,
        .side = {m->side[0], m->side[1]},
        .call_error = mem_zalloc((m->side[TARGET]->calls.n + 1) * sizeof(float)),
        .call_turned = mem_zalloc((m->side[TARGET]->calls.n + 1) * sizeof(float)),
        .call_dtype = mem_zalloc(m->side[TARGET]->calls.n + 1),
    };
    *j = (struct judgement){.lines = m->lines, .first = NONE};
    j->line = mem_alloc((m->lines + 1) * sizeof *j->line);
    level_init(&p.level, o->tol->window < LEVEL_MAX ? (int)o->tol->window : LEVEL_MAX);
    p.coarse = products_coarse(&p);
    collect_wholes(&p);
    for (uint32_t i = 0; i < m->lines; i++)
        judge_line(&p, i);
    preset_judge(j, m, o->preset);
    judge_table(j, m);
    known_apply(j, m, o->known);
    frozen_judge(j, m);
    count(&p);
    find_first(&p);
    frozen_first(j, m);
    culprits_find(j, m, flow);
    free(p.wholes);
    free(p.call_error);
    free(p.call_turned);
    free(p.call_dtype);
}

void judgement_release(struct judgement *j)
{
    free(j->line);
    vec_release(&j->suspects);
    vec_release(&j->frontier);
    vec_release(&j->known_hits);
    *j = (struct judgement){.first = NONE};
}

int judgement_status(const struct judgement *j, const struct judge_options *o)
{
    if (j->first != NONE)
        return 1;
    uint32_t all = j->sum.compute[TARGET];
    if (!all) /* nothing that computes was recorded: the rows themselves have to do */
        return j->sum.by[VERDICT_MATCH] + j->sum.by[VERDICT_DRIFT] >= o->tol->coverage * j->sum.pairs && j->sum.pairs ? 0 : 5;
    return j->sum.judged >= o->tol->coverage * all ? 0 : 5;
}

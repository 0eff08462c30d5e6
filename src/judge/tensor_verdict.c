/* See tensor_verdict.h. */
#include "judge/tensor_verdict.h"

#include <math.h>

#include "dump/cut_tensors.h"
#include "dump/recorded_figures.h"
#include "judge/element_order.h"
#include "judge/part_role.h"
#include "judge/recorded_verdict.h"
#include "num/masked.h"
#include "pair/repeated.h"

/* The parts of a fused tensor combined to one row of figures. */
struct whole {
    struct row row;
    uint64_t numel;
};

static uint64_t numel_of(const struct judge_pass *p, const struct line *l, int s)
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

/* Combines the parts of each fused tensor: the extremes of all and the root of the sum of squares. */
void tensor_verdict_wholes(struct judge_pass *p)
{
    const struct pairing *all = p->m->pairing;
    p->wholes = mem_zalloc((all->groups + 1) * sizeof *p->wholes);
    p->piece = part_roles_find(p->m, p->flow);
    for (uint32_t i = 0; i < all->groups; i++)
        p->wholes[i].row = (struct row){
            .has = HAS_MAX | HAS_MIN | HAS_NORM, .kind = ROW_TENSOR, .extra = NONE, .stat = {-INFINITY, INFINITY}};
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

/* All parts together have the whole's figures: a part whose role is known must have those of the piece with it. */
static void give_role(struct judge_pass *p, struct verdict_case *k, int part)
{
    k->out->rule = RULE_PART_SAME;
    if (p->piece[k->i] == NONE)
        return;
    k->r[!part] = &p->side[!part]->rows.v[p->piece[k->i]];
    double e = recorded_error(k->r[TARGET], k->r[GOLDEN]);
    if (!isnan(e))
        row_verdict_weigh(p, k, e, true);
    k->out->rule = verdict_is_accepted((enum verdict)k->out->verdict) ? RULE_PART_SAME : RULE_PART_ROLE;
}

/* A part paired with a fused tensor without a view: elements cannot be compared, but all parts together must have the
 * whole's figures. */
static void give_part(struct judge_pass *p, struct verdict_case *k)
{
    const struct line *l = &p->m->pairing->lines.v[k->i];
    struct whole *w = &p->wholes[p->m->pairing->pairs.v[l->pair].group];
    int s = numel_of(p, l, TARGET) < numel_of(p, l, GOLDEN) ? TARGET : GOLDEN;
    const struct row *own = k->r[s], *whole = k->r[!s];
    w->row.dtype = own->dtype;
    w->row.io = own->io;
    k->r[s] = &w->row;
    k->out->flags |= LINE_STATISTICS;
    bool all = w->numel == numel_of(p, l, !s);
    double e = all ? recorded_error(k->r[TARGET], k->r[GOLDEN]) : NAN;
    if (all && recorded_special(p->side[TARGET], k->r[TARGET]) != recorded_special(p->side[GOLDEN], k->r[GOLDEN]))
        verdict_case_give(k, VERDICT_NONFINITE, RULE_NONFINITE);
    else if (isnan(e))
        verdict_case_give(k, VERDICT_SKIP, RULE_PART);
    else
        row_verdict_weigh(p, k, e, true);
    k->r[s] = own;
    if (verdict_is_accepted((enum verdict)k->out->verdict))
        give_role(p, k, s);
    else if (p->m->pairing->pairs.v[l->pair].view == NONE && k->out->rule != RULE_PARAMETER)
        k->out->flags |= LINE_DOUBTFUL; /* figures do not show which part it is; all parts of a weight are weights */
    k->r[!s] = whole;
}

/* If one side holds the value once, the other several times, and no elements were recorded, the figures are scaled
 * instead. */
static bool give_repeated(struct judge_pass *p, struct verdict_case *k)
{
    struct view v;
    const struct pair *pair = &p->m->pairing->pairs.v[p->m->pairing->lines.v[k->i].pair];
    if (pair->view == NONE || !repeated_view(p->side[TARGET], k->row[TARGET], p->side[GOLDEN], k->row[GOLDEN], &v))
        return false;
    const struct row *own = k->r[v.side];
    struct row laid_out = *own;
    double n = (double)dump_row_numel(p->side[v.side], k->row[v.side]),
           all = (double)dump_row_numel(p->side[!v.side], k->row[!v.side]);
    laid_out.stat[STAT_NORM] *= sqrt(all / n);
    k->r[v.side] = &laid_out;
    recorded_verdict_give(p, k);
    k->r[v.side] = own;
    return true;
}

static bool is_cut(const struct judge_pass *p, const struct verdict_case *k)
{
    int side;
    return p->m->pairing->pairs.v[p->m->pairing->lines.v[k->i].pair].cut != CUT_NO ||
           cut_tensors_fit(p->side, k->row, &side);
}

static void give_cut(struct verdict_case *k)
{
    k->out->flags |= LINE_DOUBTFUL; /* nothing is aligned over what was not compared */
    verdict_case_give(k, VERDICT_SKIP, RULE_CUT);
}

void tensor_verdict_cut(const struct judge_pass *p, struct verdict_case *k)
{
    bool told = p->m->pairing->pairs.v[p->m->pairing->lines.v[k->i].pair].cut == CUT_TOLD;
    if (k->f && !told && verdict_is_bad((enum verdict)k->out->verdict) && is_cut(p, k))
        give_cut(k);
}

/* Whether figures are those of a mask that says which elements are kept and of one that adds its fills: they do not
 * tell whether the same elements are masked. */
static bool are_masks_of_two_kinds(const struct verdict_case *k)
{
    int says = row_class(k->r[TARGET]) == CLASS_BOOL ? TARGET : GOLDEN;
    const double *b = k->r[says]->stat, *added = k->r[!says]->stat;
    return !k->f && verdict_case_has(k, HAS_MAX | HAS_MIN) && row_class(k->r[says]) == CLASS_BOOL &&
           dtype_is_float(k->r[!says]->dtype) && b[STAT_MAX] > b[STAT_MIN] && added[STAT_MAX] == 0 &&
           added[STAT_MIN] <= MASK_FILL;
}

static bool is_computing(const struct judge_pass *p, const struct verdict_case *k)
{
    return p->state[k->i] == MEASURE_WAITING || p->state[k->i] == MEASURE_RUNNING;
}

/* Rows of different sizes whose elements no view lays side by side. */
static bool give_other_size(struct judge_pass *p, struct verdict_case *k)
{
    const struct pair *pair = &p->m->pairing->pairs.v[p->m->pairing->lines.v[k->i].pair];
    bool same = dump_row_numel(p->side[TARGET], k->row[TARGET]) == dump_row_numel(p->side[GOLDEN], k->row[GOLDEN]);
    bool sized = verdict_case_has(k, HAS_SHAPE);
    if (same || k->f || is_computing(p, k))
        return false;
    if (sized && pair->group != NONE)
        give_part(p, k);
    else if (is_cut(p, k))
        give_cut(k);
    else if (sized && give_repeated(p, k))
        k->out->flags |= LINE_STATISTICS;
    else if (sized)
        verdict_case_give(k, VERDICT_SHAPE, RULE_ELEMENTS);
    return sized || k->out->rule == RULE_CUT;
}

static bool give_masks_of_two_kinds(struct judge_pass *p, struct verdict_case *k)
{
    (void)p;
    if (!are_masks_of_two_kinds(k))
        return false;
    k->out->flags |= LINE_MASKED | LINE_STATISTICS;
    verdict_case_give(k, VERDICT_SKIP, RULE_MASK_UNCOUNTED);
    return true;
}

/* Integers beside floats. */
static bool give_other_class(struct judge_pass *p, struct verdict_case *k)
{
    enum dtype_class t = row_class(k->r[TARGET]), g = row_class(k->r[GOLDEN]);
    if (!t || !g || class_is_whole(t) == class_is_whole(g))
        return false;
    verdict_case_give_kinds(k, k->f ? k->f->two && k->f->max_abs == 0
                                    : verdict_case_has(k, HAS_MAX) && recorded_figures_equal(p, k));
    return true;
}

static bool give_empty(struct judge_pass *p, struct verdict_case *k)
{
    if (!verdict_case_has(k, HAS_SHAPE) || dump_row_numel(p->side[TARGET], k->row[TARGET]) != 0)
        return false;
    verdict_case_give(k, VERDICT_MATCH, RULE_EMPTY);
    return true;
}

static bool give_pending(struct judge_pass *p, struct verdict_case *k)
{
    if (!is_computing(p, k))
        return false;
    verdict_case_give(k, VERDICT_PENDING, RULE_NONE);
    return true;
}

static bool give_by_elements(struct judge_pass *p, struct verdict_case *k)
{
    if (!k->f)
        return false;
    if (k->f->unlike && !k->f->masked) {
        verdict_case_give(k, VERDICT_NONFINITE, RULE_NONFINITE);
    } else if (verdict_case_both_whole(k)) {
        bool same = k->f->max_abs == 0;
        k->out->error = (float)k->f->rel_l2;
        verdict_case_give(k, same ? VERDICT_MATCH : VERDICT_DEVIATE, same ? RULE_EQUAL : RULE_INTEGERS_DIFFER);
        if (!same && positions_are_reordered(p, k)) {
            k->out->rule = RULE_REORDERED;
            k->out->flags |= LINE_DOUBTFUL;
        }
    } else {
        k->out->flags |= k->f->masked ? LINE_MASKED : 0;
        row_verdict_weigh(p, k, figures_judged_error(k->f), false);
        if (elements_are_reordered(p, k)) {
            k->out->rule = RULE_REORDERED;
            k->out->flags |= LINE_DOUBTFUL;
        }
    }
    return true;
}

void tensor_verdict_give(struct judge_pass *p, struct verdict_case *k)
{
    /* the first that applies */
    static bool (*const give[])(struct judge_pass *, struct verdict_case *) = {
        give_other_size, give_masks_of_two_kinds, give_other_class, give_empty, give_pending, give_by_elements};
    enum dtype t = k->r[TARGET]->dtype, g = k->r[GOLDEN]->dtype;
    if (dtype_is_float(t) && dtype_is_float(g) && t != g)
        k->out->flags |= LINE_DTYPE_DIFF;
    for (size_t i = 0; i < ARRAY_LEN(give); i++)
        if (give[i](p, k))
            return;
    recorded_verdict_give(p, k);
}

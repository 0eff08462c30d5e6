/* The pass over all lines: what two rows are (numbers, checksums, recorded figures, tensors, parts) and which rule
 * applies. Limits and noise are in row_verdict.c, the summary in judge_summary.c. */
#include "judge/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/cause.h"
#include "judge/channel_order.h"
#include "judge/packed_verdicts.h"
#include "judge/accepted.h"
#include "judge/container_end.h"
#include "judge/discarded.h"
#include "judge/equal_bits.h"
#include "judge/fused_arguments.h"
#include "judge/fused_scale.h"
#include "judge/idle_argument.h"
#include "judge/implied_constant.h"
#include "judge/loss_scale.h"
#include "judge/lost_gradient.h"
#include "judge/masked_operand.h"
#include "judge/masked_rows.h"
#include "judge/moved_factor.h"
#include "judge/never_read.h"
#include "judge/open_ends.h"
#include "judge/other_shape.h"
#include "judge/framework_difference.h"
#include "judge/tool_rules.h"
#include "dump/checksum.h"
#include "dump/cut_tensors.h"
#include "fmt/weights_dump.h"
#include "dump/recorded_figures.h"
#include "num/masked.h"
#include "num/sketch.h"
#include "pair/repeated.h"
#include "judge/judge_summary.h"
#include "judge/recorded_mask.h"
#include "judge/solved_doubt.h"
#include "judge/table_verdicts.h"
#include "judge/reordered_rows.h"
#include "judge/row_excuse.h"
#include "judge/row_verdict.h"
#include "judge/wrong_partner.h"
#include "dump/family.h"

/* The parts of a fused tensor combined to one row of figures. */
struct whole {
    struct row row;
    uint64_t numel;
};

/* ---- what the two sides are ---- */

static bool row_is_number(const struct row *r)
{
    return r->kind == ROW_INT || r->kind == ROW_FLOAT || r->kind == ROW_BOOL;
}

/* Whether a value is a mask's fill for minus infinity: the lowest number of some type. */
static bool is_lowest(double v)
{
    static const enum dtype types[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32, DTYPE_F64};
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (fabs(v + dtype_table[types[i]].max) <= 1e-6 * dtype_table[types[i]].max)
            return true;
    return false;
}

static double largest_of(const struct verdict_case *k, int s)
{
    const struct row *r = k->r[s];
    return r->has & HAS_MAX || row_is_number(r) ? r->stat[STAT_MAX] : k->f ? k->f->side[s].max : NAN;
}

/* Whether both sides hold nothing but mask fills, each the lowest number of another type; plainly or as a tensor. */
static bool are_other_fills(const struct verdict_case *k)
{
    double t = largest_of(k, TARGET), g = largest_of(k, GOLDEN);
    return t != g && is_lowest(t) && is_lowest(g);
}

#define LAST_DIGIT 0x1p-51 /* two roundings of a double */

/* Values of two kinds differ; `alike`: as far as they can be compared, they agree. */
static void give_kinds(struct verdict_case *k, bool alike)
{
    verdict_case_give(k, VERDICT_DTYPE, RULE_KINDS);
    if (!alike)
        k->out->flags |= LINE_DOUBTFUL;
}

static bool of_one_framework(const struct judge_pass *p)
{
    return strcmp(p->side[TARGET]->framework, p->side[GOLDEN]->framework) == 0;
}

/* None on one side alone: two frameworks write other defaults; the arguments of one framework are of two kinds. */
static void judge_absent(const struct judge_pass *p, struct verdict_case *k)
{
    bool both = k->r[TARGET]->kind == k->r[GOLDEN]->kind;
    if (both || k->r[TARGET]->io != IO_INPUT || !of_one_framework(p))
        verdict_case_give(k, VERDICT_SKIP, RULE_ABSENT);
    else
        give_kinds(k, false);
}

static void judge_scalar(const struct judge_pass *p, struct verdict_case *k)
{
    const struct row *t = k->r[TARGET], *g = k->r[GOLDEN];
    bool same;
    if (row_is_number(t) && row_is_number(g)) {
        double a = t->stat[STAT_MAX], b = g->stat[STAT_MAX];
        bool reals = t->kind == ROW_FLOAT && g->kind == ROW_FLOAT;
        /* integers beyond 2^53 are compared as text; a number computed in two ways (1/√12, 12^-½) by its last digit */
        same = (a == b && (fabs(a) < 0x1p53 || strcmp(t->text, g->text) == 0)) || (isnan(a) && isnan(b)) ||
               (reals && fabs(a - b) <= LAST_DIGIT * fabs(b));
    } else if (row_is_number(t) || row_is_number(g)) {
        give_kinds(k, !of_one_framework(p));
        return;
    } else {
        same = strcmp(t->text, g->text) == 0 ||
               (t->kind == ROW_DTYPE && g->kind == ROW_DTYPE && t->dtype && t->dtype == g->dtype);
    }
    verdict_case_give(k, same ? VERDICT_MATCH : VERDICT_DEVIATE, same ? RULE_SCALAR_SAME : RULE_SCALAR_DIFFERS);
    /* beside the tensors of a file: a step, a mode, or where and when it was written */
    if (!same && t->io == IO_PARAMETER && g->io == IO_PARAMETER)
        k->out->flags |= LINE_DOUBTFUL;
}

/* A one-element tensor and a plain number: the recorded value is the tensor's maximum, rounded to its type and to the
 * printed digits. */
static void judge_mixed(const struct judge_pass *p, struct verdict_case *k)
{
    double tol = fmax(1e-6, row_verdict_printed(p));
    for (int s = 0; s < 2; s++)
        if (k->r[s]->kind == ROW_TENSOR ? !(k->r[s]->has & HAS_MAX) : !row_is_number(k->r[s])) {
            give_kinds(k, k->r[s]->kind == ROW_TENSOR);
            return;
        }
    double a = k->r[TARGET]->stat[STAT_MAX], b = k->r[GOLDEN]->stat[STAT_MAX];
    for (int s = 0; s < 2; s++)
        if (k->r[s]->kind == ROW_TENSOR && dtype_is_float(k->r[s]->dtype))
            tol = fmax(tol, dtype_table[k->r[s]->dtype].epsilon);
    bool same = (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= tol * fabs(b);
    verdict_case_give(k, same ? VERDICT_MATCH : VERDICT_DEVIATE, same ? RULE_SCALAR_SAME : RULE_SCALAR_DIFFERS);
}

/* ---- recorded figures ---- */

static bool both_sides_have(const struct verdict_case *k, int bits)
{
    return (k->r[TARGET]->has & k->r[GOLDEN]->has & bits) == bits;
}

static bool stats_equal(const struct judge_pass *p, const struct verdict_case *k)
{
    double tol = fmax(1e-6, row_verdict_printed(p));
    static const struct {
        int bit, stat;
    } figure[] = {{HAS_MAX, STAT_MAX}, {HAS_MIN, STAT_MIN}, {HAS_MEAN, STAT_MEAN}, {HAS_NORM, STAT_NORM}};
    for (size_t i = 0; i < ARRAY_LEN(figure); i++) {
        double a = k->r[TARGET]->stat[figure[i].stat], b = k->r[GOLDEN]->stat[figure[i].stat];
        if (both_sides_have(k, figure[i].bit) && a != b && !(isnan(a) && isnan(b)) && fabs(a - b) > tol * fabs(b))
            return false;
    }
    return true;
}

static void judge_checksum(struct judge_pass *p, struct verdict_case *k)
{
    bool weight = k->r[TARGET]->io != IO_OUTPUT &&
                  (row_verdict_is_parameter(p, k) || p->flow[TARGET].held[k->row[TARGET]] == NONE);
    bool same_type = k->r[TARGET]->dtype == k->r[GOLDEN]->dtype;
    if (checksum_compare(k->r[TARGET]->text, k->r[GOLDEN]->text) == CHECKSUM_OTHER)
        verdict_case_give(k, VERDICT_SKIP, RULE_CHECKSUM_OTHER);
    else if (same_type && (of_one_framework(p) || weight))
        verdict_case_give(k, VERDICT_DEVIATE, RULE_CHECKSUM_DIFFERS);
    else
        verdict_case_give(k, VERDICT_SKIP, RULE_CHECKSUM_SAYS_NOTHING);
    if (k->out->verdict == VERDICT_SKIP &&
        (!same_type || !str_ieq(str_of(k->r[TARGET]->text), str_of(k->r[GOLDEN]->text))))
        k->out->flags |= LINE_DOUBTFUL; /* else zeros that say nothing */
}

/* Whether the numbers of NaN or infinite elements differ, if both sides counted them alike. */
static bool counts_differ(const struct judge_pass *p, const struct verdict_case *k)
{
    uint64_t nan[2], inf[2];
    int t = recorded_counts(p->side[TARGET], k->r[TARGET], &nan[0], &inf[0]);
    int g = recorded_counts(p->side[GOLDEN], k->r[GOLDEN], &nan[1], &inf[1]);
    return t == g && (nan[0] != nan[1] || inf[0] != inf[1]);
}

/* Whether both sides' lowest element is a mask fill, possibly different ones: −inf, the type's lowest number, −10000.
 */
static bool masked_alike(const struct judge_pass *p, const struct verdict_case *k)
{
    const double *t = k->r[TARGET]->stat, *g = k->r[GOLDEN]->stat;
    uint64_t nan[2] = {0, 0}, inf;
    if (!both_sides_have(k, HAS_MAX) || !both_sides_have(k, HAS_MIN) || !(t[STAT_MIN] <= MASK_FILL) ||
        !(g[STAT_MIN] <= MASK_FILL) || t[STAT_MIN] == g[STAT_MIN])
        return false;
    recorded_counts(p->side[TARGET], k->r[TARGET], &nan[0], &inf);
    recorded_counts(p->side[GOLDEN], k->r[GOLDEN], &nan[1], &inf);
    bool floats = dtype_is_float(k->r[TARGET]->dtype) && dtype_is_float(k->r[GOLDEN]->dtype);
    return floats && t[STAT_MAX] > MASK_FILL && g[STAT_MAX] > MASK_FILL && isfinite(t[STAT_MAX]) &&
           isfinite(g[STAT_MAX]) && !nan[0] && !nan[1];
}

/* Different fills: how many there are is compared, and the maximum, which is all that is known of the other elements.
 * A mask itself has none: where its fills cannot be counted, nothing was compared. */
static void judge_recorded_mask(struct judge_pass *p, struct verdict_case *k)
{
    double a = k->r[TARGET]->stat[STAT_MAX], b = k->r[GOLDEN]->stat[STAT_MAX], low = k->r[TARGET]->stat[STAT_MIN],
           other = k->r[GOLDEN]->stat[STAT_MIN], largest = fmax(fabs(a), fabs(b));
    double t = recorded_fills(p->side[TARGET], k->row[TARGET]), g = recorded_fills(p->side[GOLDEN], k->row[GOLDEN]);
    bool counted = !isnan(t) && !isnan(g);
    k->out->flags |= LINE_MASKED;
    if (counted && !recorded_fills_agree(t, g, largest / fmin(fabs(low), fabs(other))))
        verdict_case_give(k, VERDICT_DEVIATE, RULE_MASK_COUNTS);
    else if (largest == 0 && !counted)
        verdict_case_give(k, VERDICT_SKIP, RULE_MASK_UNCOUNTED);
    else
        row_verdict_weigh(p, k, largest > 0 ? fabs(a - b) / (b != 0 ? fabs(b) : largest) : 0, true);
}

/* The relative distance of two tensors of one shape by their sketches; NaN: a side has none. */
static double sketches_apart(const struct judge_pass *p, const uint32_t row[2])
{
    const double *x = p->side[TARGET]->sketch, *y = p->side[GOLDEN]->sketch;
    if (!x || !y)
        return NAN;
    const struct shape *a = dump_row_shape(p->side[TARGET], row[TARGET]),
                       *b = dump_row_shape(p->side[GOLDEN], row[GOLDEN]);
    if (!shape_same(a, b))
        return NAN;
    return sketch_distance(x + (size_t)row[TARGET] * SKETCH_NUMBERS, y + (size_t)row[GOLDEN] * SKETCH_NUMBERS);
}

/* Elements left out of the sketches as mask fills may be others, so the figures are checked too. */
static double sketched_error(const struct judge_pass *p, const struct verdict_case *k)
{
    double e = sketches_apart(p, k->row);
    bool filled = !isnan(e) && p->side[TARGET]->sketch[(size_t)k->row[TARGET] * SKETCH_NUMBERS + SKETCH_FILLS] > 0;
    double whole = filled && !masked_alike(p, k) ? recorded_error(k->r[TARGET], k->r[GOLDEN]) : NAN;
    return whole > e ? whole : e;
}

/* The error by the figures of a result table's pair. The figures of the two sides count where they contradict it: norms
 * of equal tensors differ by the order of summation. *exact as table_verdicts_error(). */
static double tabled_error(const struct judge_pass *p, const struct verdict_case *k, bool *exact)
{
    double e = table_verdicts_error(p->m, k->i, exact);
    double sides = isnan(e) ? e : recorded_error(k->r[TARGET], k->r[GOLDEN]);
    return sides > 1e-5 ? fmax(e, sides) : e;
}

/* Whether a row is an output of two computing or repeating calls whose inputs agree: a different order of elements is
 * then their doing. Calls that only move elements may have another layout. */
static bool inputs_agreed(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct dump *d = p->side[TARGET];
    bool agreed = false, compute = family_is_compute(d->calls.v[k->call].family);
    if (k->r[TARGET]->io != IO_OUTPUT)
        return false;
    EACH_EARLY_ROW(d, k->call, r) {
        uint32_t line = p->m->pairing->line_of[TARGET][r],
                 golden = line == NONE ? NONE : p->m->pairing->lines.v[line].row[GOLDEN];
        if (golden == NONE || d->rows.v[r].io != IO_INPUT || dump_row_numel(d, r) <= 1 ||
            p->side[GOLDEN]->rows.v[golden].call != k->r[GOLDEN]->call)
            continue;
        if (p->j->line[line].verdict != VERDICT_MATCH)
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

/* Whether the rows were paired only by figures, these agree, and the error is about as large as the values, as for
 * another order of elements: then no deviation is reported. (A part of a fused tensor is also paired by position.) */
static bool is_reordered(const struct judge_pass *p, const struct verdict_case *k, const double t[STAT_COUNT],
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

static bool elements_reordered(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct side_figures *t = &k->f->side[0], *g = &k->f->side[1];
    return is_reordered(p, k, (double[STAT_COUNT]){t->max, t->min, t->mean, t->norm},
                        (double[STAT_COUNT]){g->max, g->min, g->mean, g->norm});
}

#define SUMMED 0.01 /* by which sums over equal elements may differ, in another order or type */

/* Whether figures of elements whose checksums are the same differ. */
static bool figures_deny(const struct judge_pass *p, const struct verdict_case *k)
{
    static const int stats[] = {STAT_MAX, STAT_MIN, STAT_NORM, STAT_MEAN};
    const double *t = k->r[TARGET]->stat, *g = k->r[GOLDEN]->stat;
    for (size_t i = 0; i < ARRAY_LEN(stats); i++) {
        double a = t[stats[i]], b = g[stats[i]], size = fmax(fabs(a), fabs(b));
        bool sum = stats[i] == STAT_NORM || stats[i] == STAT_MEAN;
        if (stats[i] == STAT_MEAN) /* of the elements */
            size = both_sides_have(k, HAS_MAX | HAS_MIN) ? fmax(fabs(g[STAT_MAX]), fabs(g[STAT_MIN])) : INFINITY;
        double room = sum ? SUMMED : fmax(1e-6, row_verdict_printed(p));
        if (both_sides_have(k, HAS_MAX << stats[i]) && isfinite(a) && isfinite(b) && fabs(a - b) > room * size)
            return true;
    }
    return false;
}

/* Whether nothing of a tensor but its type and shape was recorded. */
static bool only_types(const struct row *r)
{
    return r->dtype != DTYPE_UNKNOWN && !(r->has & (HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM | HAS_FILE | HAS_CHECKSUM));
}

static void judge_recorded(struct judge_pass *p, struct verdict_case *k)
{
    bool exact;
    k->out->flags |= LINE_STATISTICS;
    /* TorchTitan's hash is a norm: its equality says no more than that of the figures */
    if (both_sides_have(k, HAS_CHECKSUM) && checksum_is_one(str_of(k->r[TARGET]->text)) &&
        checksum_compare(k->r[TARGET]->text, k->r[GOLDEN]->text) == CHECKSUM_SAME &&
        k->r[TARGET]->dtype == k->r[GOLDEN]->dtype) {
        k->out->error = 0;
        verdict_case_give(k, VERDICT_MATCH, RULE_CHECKSUM_SAME);
        if (figures_deny(p, k)) { /* one of them is not what was recorded */
            k->out->error = NAN;
            k->out->flags |= LINE_UNREAD;
            verdict_case_give(k, VERDICT_SKIP, RULE_UNPARSED);
        }
        return;
    }
    if (!p->o->exact && masked_alike(p, k) && isnan(sketched_error(p, k))) {
        judge_recorded_mask(p, k);
        return;
    }
    int t = recorded_special(p->side[TARGET], k->r[TARGET]), g = recorded_special(p->side[GOLDEN], k->r[GOLDEN]);
    if (t != g || counts_differ(p, k)) {
        verdict_case_give(k, VERDICT_NONFINITE, RULE_NONFINITE);
        return;
    }
    if (class_is_whole(row_class(k->r[TARGET])) && class_is_whole(row_class(k->r[GOLDEN])) &&
        both_sides_have(k, HAS_MAX)) {
        double off = sketched_error(p, k), tabled = table_verdicts_error(p->m, k->i, &exact);
        bool same = stats_equal(p, k) && (isnan(off) || off == 0) && !(tabled > 0);
        verdict_case_give(k, same ? VERDICT_MATCH : VERDICT_DEVIATE, same ? RULE_SAME_STATS : RULE_INTEGERS_DIFFER);
        return;
    }
    double n = (double)dump_row_numel(p->side[GOLDEN], k->row[GOLDEN]), whole = sketched_error(p, k);
    bool of_elements = !isnan(whole), of_table = !of_elements;
    if (of_table)
        whole = tabled_error(p, k, &of_elements);
    double e = isnan(whole) ? recorded_error_of(k->r[TARGET], k->r[GOLDEN], n) : whole;
    if (of_elements) /* not an estimate by figures */
        k->out->flags &= (uint8_t)~LINE_STATISTICS;
    if (!isnan(e)) {
        row_verdict_weigh(p, k, e, !of_elements);
        /* sketches depend on the order of elements, as a transposed operand of a product has another */
        if (of_elements && !of_table && both_sides_have(k, HAS_MAX | HAS_MIN | HAS_NORM) &&
            is_reordered(p, k, k->r[TARGET]->stat, k->r[GOLDEN]->stat)) {
            k->out->rule = RULE_REORDERED;
            k->out->flags |= LINE_DOUBTFUL | LINE_STATISTICS;
        }
        if (k->out->rule == RULE_EQUAL && of_table) /* as far as it prints them */
            k->out->rule = RULE_SAME_STATS;
    } else if (t) {
        verdict_case_give(k, VERDICT_MATCH, RULE_NONFINITE_ALIKE);
    } else if (both_sides_have(k, HAS_CHECKSUM)) {
        judge_checksum(p, k);
    } else if (of_one_framework(p) && only_types(k->r[TARGET]) && only_types(k->r[GOLDEN]) &&
               k->r[TARGET]->dtype != k->r[GOLDEN]->dtype) {
        give_kinds(k, false);
    } else {
        verdict_case_give(k, VERDICT_SKIP, RULE_NO_FIGURES);
    }
}

/* ---- fused tensors ---- */

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
static void collect_wholes(struct judge_pass *p)
{
    const struct pairing *all = p->m->pairing;
    p->wholes = mem_zalloc((all->groups + 1) * sizeof *p->wholes);
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

/* A part paired with a fused tensor without a view: elements cannot be compared, but all parts together must have the
 * whole's figures. */
static void judge_part(struct judge_pass *p, struct verdict_case *k)
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
    if (all && recorded_special(p->side[TARGET], k->r[TARGET]) != recorded_special(p->side[GOLDEN], k->r[GOLDEN]))
        verdict_case_give(k, VERDICT_NONFINITE, RULE_NONFINITE);
    else if (isnan(e))
        verdict_case_give(k, VERDICT_SKIP, RULE_PART);
    else
        row_verdict_weigh(p, k, e, true);
    if (verdict_is_accepted((enum verdict)k->out->verdict))
        k->out->rule = RULE_PART_SAME;
    else if (p->m->pairing->pairs.v[l->pair].view == NONE)
        k->out->flags |= LINE_DOUBTFUL; /* figures do not show which part it is */
    k->r[s] = own;
}

/* If one side holds the value once, the other several times, and no elements were recorded, the figures are scaled
 * instead. */
static bool judge_repeated(struct judge_pass *p, struct verdict_case *k)
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
    judge_recorded(p, k);
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

/* Of a cut recording the first part is assumed, unless values show which one it is: then deviations are real. */
static void judge_cut(const struct judge_pass *p, struct verdict_case *k)
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
    return !k->f && both_sides_have(k, HAS_MAX | HAS_MIN) && row_class(k->r[says]) == CLASS_BOOL &&
           dtype_is_float(k->r[!says]->dtype) && b[STAT_MAX] > b[STAT_MIN] && added[STAT_MAX] == 0 &&
           added[STAT_MIN] <= MASK_FILL;
}

static void judge_tensors(struct judge_pass *p, struct verdict_case *k)
{
    enum dtype_class t = row_class(k->r[TARGET]), g = row_class(k->r[GOLDEN]);
    uint64_t nt = dump_row_numel(p->side[TARGET], k->row[TARGET]);
    uint64_t ng = dump_row_numel(p->side[GOLDEN], k->row[GOLDEN]);
    bool sized = (k->r[TARGET]->has & k->r[GOLDEN]->has & HAS_SHAPE) != 0;
    if (dtype_is_float(k->r[TARGET]->dtype) && dtype_is_float(k->r[GOLDEN]->dtype) &&
        k->r[TARGET]->dtype != k->r[GOLDEN]->dtype)
        k->out->flags |= LINE_DTYPE_DIFF;
    bool viewed = p->state[k->i] == MEASURE_WAITING || p->state[k->i] == MEASURE_RUNNING || k->f;
    if (sized && nt != ng && !viewed && p->m->pairing->pairs.v[p->m->pairing->lines.v[k->i].pair].group != NONE) {
        judge_part(p, k);
    } else if (nt != ng && !viewed && is_cut(p, k)) {
        give_cut(k);
    } else if (sized && nt != ng && !viewed && judge_repeated(p, k)) {
        k->out->flags |= LINE_STATISTICS;
    } else if (sized && nt != ng && !viewed) {
        verdict_case_give(k, VERDICT_SHAPE, RULE_ELEMENTS);
    } else if (are_masks_of_two_kinds(k)) {
        k->out->flags |= LINE_MASKED | LINE_STATISTICS;
        verdict_case_give(k, VERDICT_SKIP, RULE_MASK_UNCOUNTED);
    } else if (t && g && class_is_whole(t) != class_is_whole(g)) {
        give_kinds(k, k->f ? k->f->two && k->f->max_abs == 0 : both_sides_have(k, HAS_MAX) && stats_equal(p, k));
    } else if (sized && nt == 0) {
        verdict_case_give(k, VERDICT_MATCH, RULE_EMPTY);
    } else if (p->state[k->i] == MEASURE_WAITING || p->state[k->i] == MEASURE_RUNNING) {
        verdict_case_give(k, VERDICT_PENDING, RULE_NONE);
    } else if (k->f && k->f->unlike && !k->f->masked) {
        verdict_case_give(k, VERDICT_NONFINITE, RULE_NONFINITE);
    } else if (k->f && class_is_whole(t) && class_is_whole(g)) {
        k->out->error = (float)k->f->rel_l2;
        bool same = k->f->max_abs == 0;
        verdict_case_give(k, same ? VERDICT_MATCH : VERDICT_DEVIATE, same ? RULE_EQUAL : RULE_INTEGERS_DIFFER);
    } else if (k->f) {
        k->out->flags |= k->f->masked ? LINE_MASKED : 0;
        row_verdict_weigh(p, k, figures_judged_error(k->f), false);
        if (elements_reordered(p, k)) {
            k->out->rule = RULE_REORDERED;
            k->out->flags |= LINE_DOUBTFUL;
        }
    } else {
        judge_recorded(p, k);
    }
}

/* Records that a product of the target has been passed, paired or not. */
static void pass_product(struct judge_pass *p, uint32_t row)
{
    const struct row *r = &p->side[TARGET]->rows.v[row];
    if (r->io == IO_OUTPUT && p->multiplies[r->call])
        p->product = p->open_product = true;
}

/* Whether the call is nested with another that recorded the same tensors and is paired. */
static bool nested_pair(const struct judge_pass *p, int s, uint32_t call)
{
    uint32_t other = p->side[s]->calls.v[call].nested;
    if (other != NONE)
        EACH_EARLY_ROW(p->side[s], other, r)
            if (p->m->pairing->lines.v[p->m->pairing->line_of[s][r]].pair != NONE)
                return true;
    return false;
}

/* Whether both rows are the same gradient of two forward calls that are paired for certain: however it differs, its
 * partner is not in doubt. Which gradient a module's or a product's place holds is. */
static bool forward_calls_are_paired(const struct judge_pass *p, const struct line *l)
{
    const struct row *r[2];
    uint32_t forward[2];
    for (int s = 0; s < 2; s++) {
        r[s] = &p->side[s]->rows.v[l->row[s]];
        const struct call *c = &p->side[s]->calls.v[r[s]->call];
        if (c->phase != PHASE_BACKWARD || c->twin == NONE || r[s]->kind != ROW_TENSOR || c->kind == CALL_MODULE ||
            c->family == FAMILY_MUL)
            return false;
        forward[s] = c->twin;
    }
    const struct shape *t = dump_row_shape(p->side[TARGET], l->row[TARGET]),
                       *g = dump_row_shape(p->side[GOLDEN], l->row[GOLDEN]);
    if (r[TARGET]->io != r[GOLDEN]->io || !shape_same(t, g) ||
        strcmp(p->side[TARGET]->slots.v[r[TARGET]->slot], p->side[GOLDEN]->slots.v[r[GOLDEN]->slot]) != 0)
        return false;
    EACH_ROW(p->side[TARGET], forward[TARGET], i) {
        const struct line *f = &p->m->pairing->lines.v[p->m->pairing->line_of[TARGET][i]];
        if (p->side[TARGET]->rows.v[i].io == IO_OUTPUT && f->pair != NONE &&
            p->side[GOLDEN]->rows.v[f->row[GOLDEN]].call == forward[GOLDEN] &&
            (double)p->m->pairing->pairs.v[f->pair].confidence >= p->tol->confidence)
            return true;
    }
    return false;
}

/* Whether pairs by common figures or by position between calls are uncertain, because calls are missing. */
static bool pair_is_doubtful(const struct judge_pass *p, const struct line *l)
{
    const struct pair *pair = &p->m->pairing->pairs.v[l->pair];
    return (double)pair->confidence < p->tol->confidence && !forward_calls_are_paired(p, l);
}

/* Whether figures were compared as they are: they agree, or differ by more than noise. */
static bool may_be_constant(const struct line_judgement *l)
{
    return line_agrees(l) || (l->verdict == VERDICT_DEVIATE && (l->rule == RULE_LIMIT || l->rule == RULE_JUMP));
}

static bool constants_differ(const struct judge_pass *p, const struct verdict_case *k)
{
    struct implied_constant t = implied_constant_of(p->side[TARGET], k->row[TARGET]), g = {.known = false};
    if (t.known)
        g = implied_constant_of(p->side[GOLDEN], k->row[GOLDEN]);
    return implied_constants_differ(&t, &g);
}

static void judge_line(struct judge_pass *p, uint32_t i)
{
    const struct line *l = &p->m->pairing->lines.v[i];
    if (l->row[TARGET] != NONE)
        pass_product(p, l->row[TARGET]);
    struct verdict_case k = {.i = i, .row = {l->row[0], l->row[1]}, .out = &p->j->line[i]};
    *k.out = (struct line_judgement){.error = NAN, .limit = NAN, .level = NAN};
    if (l->row[TARGET] == NONE || l->row[GOLDEN] == NONE) {
        bool strict = p->o->strict_gaps;
        int s = l->row[TARGET] == NONE ? GOLDEN : TARGET;
        const struct call *c = &p->side[s]->calls.v[p->side[s]->rows.v[l->row[s]].call];
        bool counts = strict && family_is_compute(c->family) && p->side[s]->rows.v[l->row[s]].io == IO_OUTPUT;
        verdict_case_give(&k, counts ? VERDICT_DEVIATE : VERDICT_ONLY, RULE_ONE_SIDED);
        if (p->side[s]->rows.v[l->row[s]].has & IS_DAMAGED)
            k.out->flags |= LINE_UNREAD;
        if (p->o->exact)
            verdict_case_give(&k, VERDICT_DEVIATE, RULE_ONE_SIDED);
        else if (nested_pair(p, s, p->side[s]->rows.v[l->row[s]].call))
            verdict_case_give(&k, VERDICT_SKIP, RULE_NESTED);
        else if (c->recomputes != NONE)
            verdict_case_give(&k, VERDICT_SKIP, RULE_RECOMPUTED);
        return;
    }
    k = verdict_case_of(p, i);
    if (p->state[i] == MEASURE_FAILED || ((k.r[0]->has | k.r[1]->has) & IS_DAMAGED))
        k.out->flags |= LINE_UNREAD;
    if (pair_is_doubtful(p, l))
        k.out->flags |= LINE_DOUBTFUL;
    bool tensor[2] = {k.r[0]->kind == ROW_TENSOR, k.r[1]->kind == ROW_TENSOR};
    if ((k.r[0]->has | k.r[1]->has) & IS_UNPARSED)
        verdict_case_give(&k, VERDICT_SKIP, RULE_UNPARSED);
    else if (k.r[0]->kind == ROW_NULL || k.r[1]->kind == ROW_NULL)
        judge_absent(p, &k);
    else if (tensor[0] && tensor[1])
        judge_tensors(p, &k);
    else if (tensor[0] || tensor[1])
        judge_mixed(p, &k);
    else
        judge_scalar(p, &k);
    judge_cut(p, &k);
    if (verdict_is_accepted(k.out->verdict) && k.out->flags & LINE_STATISTICS && k.out->rule != RULE_CHECKSUM_SAME &&
        other_shape_is_unexplained(p->m, i)) {
        verdict_case_give(&k, VERDICT_SHAPE, RULE_OTHER_SHAPE);
        k.out->flags |= LINE_DOUBTFUL;
    }
    if (p->o->exact) {
        equal_bits_judge(p, &k);
        row_verdict_remember(p, &k);
        return;
    }
    if (verdict_is_bad(k.out->verdict) && are_other_fills(&k))
        verdict_case_give(&k, VERDICT_MATCH, RULE_FILLS);
    else if ((k.out->flags & LINE_STATISTICS) && may_be_constant(k.out) && constants_differ(p, &k))
        verdict_case_give(&k, VERDICT_DEVIATE, RULE_CONSTANT);
    row_excuse(p, &k);
    row_verdict_rounded(p, &k);
    if (verdict_is_bad(k.out->verdict) && framework_difference_of(p->side, l->row))
        verdict_case_give(&k, VERDICT_SKIP, RULE_FRAMEWORK);
    if (verdict_is_bad(k.out->verdict) && !p->o->preset && is_never_read(p->side, l->row, &p->reads))
        verdict_case_give(&k, VERDICT_SKIP, RULE_NEVER_READ);
    row_verdict_remember(p, &k);
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* What multiplies, so that products with rounded operands may have left noise in its result: calls of such families,
 * and modules of whose calls none was recorded, which may hold products, as do calls of whole modules' functions. */
static void find_multiplying(struct judge_pass *p)
{
    const struct dump *d = p->side[TARGET];
    for (size_t i = 0; i < d->calls.n; i++)
        p->multiplies[i] = family_is_product(d->calls.v[i].family) ||
                           d->calls.v[i].family == FAMILY_MODULE;
    for (size_t i = 0; i < d->calls.n; i++)
        if (d->calls.v[i].parent != NONE && !family_is_product(d->calls.v[d->calls.v[i].parent].family))
            p->multiplies[d->calls.v[i].parent] = false;
}

/* Which kind of product a line's error tells about. */
enum product { PRODUCT_OTHER, PRODUCT_CONV, PRODUCT_MODULE, PRODUCT_KINDS };

/* How much two recorded extremes of one kind differ, relative to their own size: the norm of many elements would hide
 * the noise of a rounded product. NaN: not recorded. */
static double extremes_error(const struct row *t, const struct row *g)
{
    double worst = 0;
    if ((t->has & g->has & (HAS_MAX | HAS_MIN)) != (HAS_MAX | HAS_MIN))
        return NAN;
    for (int stat = STAT_MAX; stat <= STAT_MIN; stat++) {
        double size = fabs(g->stat[stat]);
        worst = fmax(worst, size > 0 ? fabs(t->stat[stat] - g->stat[stat]) / size : 0);
    }
    return isfinite(worst) ? worst : NAN;
}

/* The error of a forward float32 product, of its elements or else of its extremes; NaN: not compared. Two elements say
 * less than all: they show an exact product only if they are as near as those of one (coarse_least). */
static double product_error(const struct judge_pass *p, uint32_t i, enum product *kind)
{
    const struct line *l = &p->m->pairing->lines.v[i];
    bool done = p->state[i] == MEASURE_DONE && p->m->figures[i]->two;
    if (l->pair == NONE)
        return NAN;
    const struct row *t = &p->side[TARGET]->rows.v[l->row[TARGET]], *g = &p->side[GOLDEN]->rows.v[l->row[GOLDEN]];
    const struct call *c = &p->side[TARGET]->calls.v[t->call];
    bool product = t->dtype == DTYPE_F32 && g->dtype == DTYPE_F32 && t->io == IO_OUTPUT && c->phase == PHASE_FORWARD &&
                   p->multiplies[t->call];
    if (!product || pair_is_doubtful(p, l))
        return NAN;
    *kind = c->family == FAMILY_CONV ? PRODUCT_CONV : family_is_product(c->family) ? PRODUCT_OTHER : PRODUCT_MODULE;
    double e = done ? p->m->figures[i]->rel_l2 : sketches_apart(p, l->row);
    bool figures_alone = !(t->has & g->has & HAS_FILE);
    return isnan(e) && figures_alone ? extremes_error(t, g) * p->tol->coarse / p->tol->coarse_least : e;
}

/* How often products give their results, and weights are held, in a type, the coarser of both sides. */
struct types {
    uint32_t result[DTYPE_COUNT], weight[DTYPE_COUNT], weights;
};

static void count_type(const struct judge_pass *p, uint32_t i, struct types *x)
{
    const uint32_t *row = p->m->pairing->lines.v[i].row;
    if (row[TARGET] == NONE || row[GOLDEN] == NONE)
        return;
    const struct row *t = &p->side[TARGET]->rows.v[row[TARGET]], *g = &p->side[GOLDEN]->rows.v[row[GOLDEN]];
    if (!dtype_is_float(t->dtype) || !dtype_is_float(g->dtype))
        return;
    enum dtype both = dtype_coarser(t->dtype, g->dtype);
    x->result[both] += t->io == IO_OUTPUT && p->multiplies[t->call];
    x->weight[both] += t->io == IO_PARAMETER;
    x->weights += t->io == IO_PARAMETER;
}

#define MOST_WEIGHTS 0.75 /* of the paired ones */

/* The type in which most products give their results: what a pair may differ by comes from it. If one side holds most
 * weights in 16 bits, it is theirs: some products of what is rounded to it may be in float32. */
static enum dtype most_frequent(const struct types *x)
{
    enum dtype most = DTYPE_UNKNOWN;
    for (int d = 0; d < DTYPE_COUNT; d++)
        if (x->result[d] > 0 && (most == DTYPE_UNKNOWN || x->result[d] > x->result[most]))
            most = (enum dtype)d;
    for (int d = 0; d < DTYPE_COUNT; d++)
        if (dtype_table[d].size == 2 && x->weight[d] > MOST_WEIGHTS * x->weights)
            most = (enum dtype)d;
    return most;
}

/* Products with operands rounded to 10 bits have errors of about 3e-4. A matmul with a smaller error shows that this
 * hardware multiplies exactly; a jump at a product is then not its noise. A bias as large as the product
 * leaves less, but never as little as exact products. Convolutions and other products are
 * configured separately (torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32). If only one kind
 * was compared it decides for both; modules whose calls were not recorded decide if neither was; if nothing was,
 * rounding is assumed. The same lines tell the type of most products. */
static void find_arithmetic(struct judge_pass *p)
{
    VEC(float) error[PRODUCT_KINDS] = {{0}, {0}, {0}};
    struct types of = {.weights = 0};
    bool equal_before = false;
    for (uint32_t i = 0; i < p->m->lines; i++) {
        enum product kind = PRODUCT_OTHER;
        double e = product_error(p, i, &kind);
        count_type(p, i, &of);
        /* a module with an equal result may only pass on what it was given, as the first of several hidden states; two
         * in a row do not */
        bool told = kind != PRODUCT_MODULE || e > 0 || equal_before;
        if (!isnan(e) && told)
            vec_push(&error[kind], (float)e);
        if (!isnan(e))
            equal_before = !(e > 0);
    }
    for (int kind = 0; kind < PRODUCT_KINDS; kind++)
        vec_sort(&error[kind], by_size);
    for (int conv = 0; conv < 2; conv++) {
        int kind = error[conv].n ? conv : error[!conv].n ? !conv : PRODUCT_MODULE;
        const float *v = error[kind].v;
        size_t n = error[kind].n;
        /* a module's result may hold what went around its products */
        double least = kind == PRODUCT_MODULE ? p->tol->coarse_least : p->tol->coarse;
        p->coarse[conv] = !n || (double)v[n / 10] >= least ||
                          ((double)v[n / 2] >= p->tol->coarse && (double)v[0] >= p->tol->coarse_least);
    }
    for (int kind = 0; kind < PRODUCT_KINDS; kind++)
        vec_release(&error[kind]);
    p->j->arithmetic = (uint8_t)most_frequent(&of);
}

static void find_narrow_types(struct judge_pass *p)
{
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < p->side[s]->rows.n && !p->narrow[s]; i++) {
            const struct row *r = &p->side[s]->rows.v[i];
            p->narrow[s] = r->kind == ROW_TENSOR && dtype_is_float(r->dtype) && dtype_table[r->dtype].size <= 2;
        }
}

/* Values that hooks saved with NumPy do not tell the arithmetic behind them, as it knows no bfloat16 and rounded values
 * lose their grid with the first addition in float32. Where no tensor agrees as results of float32 do, tokens without a
 * batch axis (as inference engines hold them) are judged as bfloat16. That is a guess: what it lets pass as drift is in
 * doubt (row_verdict_weigh). */
#define FLOAT32_SHOWN 1e-4

static bool is_untyped(const struct dump *d)
{
    return d->reader == &reader_activations && !*d->framework;
}

static void find_unsaid_arithmetic(struct judge_pass *p)
{
    bool any = false;
    p->unsaid = DTYPE_UNKNOWN;
    if (!is_untyped(p->side[TARGET]) || !is_untyped(p->side[GOLDEN]))
        return;
    for (uint32_t i = 0; i < p->m->lines; i++) {
        const struct line *l = &p->m->pairing->lines.v[i];
        if (l->pair == NONE || p->state[i] != MEASURE_DONE || !p->m->figures[i]->two)
            continue;
        for (int s = 0; s < 2; s++) {
            const struct shape *x = dump_row_shape(p->side[s], l->row[s]);
            if (p->side[s]->rows.v[l->row[s]].dtype != DTYPE_F32 || !x || x->ndim > 2)
                return;
        }
        if (!(p->m->figures[i]->rel_l2 > FLOAT32_SHOWN))
            return;
        any = true;
    }
    p->unsaid = any ? DTYPE_BF16 : DTYPE_UNKNOWN;
    p->j->unsaid = any;
}

/* Whether a file of it is damaged, so that calls behind may be missing; one that is not there misses none. */
static bool ends_early(const struct dump *d)
{
    for (size_t i = 0; i < d->problems.n; i++)
        if (problem_is_unread_file(&d->problems.v[i]) && !strcmp(d->problems.v[i].kind, "damaged"))
            return true;
    return false;
}

/* Whether an input of a target call agrees with what it is paired with. */
static bool an_input_agrees(const struct judge_pass *p, uint32_t call)
{
    const struct dump *d = p->side[TARGET];
    EACH_ROW(d, call, r) {
        uint32_t line = p->m->pairing->line_of[TARGET][r];
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR && line != NONE &&
            p->m->pairing->lines.v[line].pair != NONE && line_agrees(&p->j->line[line]))
            return true;
    }
    return false;
}

/* Where a recording of another framework ends early, the partner of a call may be in what was not read: a call beside
 * one that shares no input with it is not compared for certain. */
static void doubt_cut_partners(struct judge_pass *p)
{
    const struct dump *d = p->side[TARGET];
    if (!strcmp(d->framework, p->side[GOLDEN]->framework) || (!ends_early(d) && !ends_early(p->side[GOLDEN])))
        return;
    for (size_t c = 0; c < d->calls.n; c++) {
        if (an_input_agrees(p, (uint32_t)c))
            continue;
        EACH_ROW(d, c, r) {
            uint32_t line = p->m->pairing->line_of[TARGET][r];
            if (line != NONE && p->m->pairing->lines.v[line].pair != NONE && line_is_bad(&p->j->line[line]))
                p->j->line[line].flags |= LINE_DOUBTFUL;
        }
    }
}

/* Whether a line is an input of the step itself: a difference is a difference of data. */
static bool is_given(const struct measure *m, const struct dataflow flow[2], uint32_t line)
{
    const struct line *l = &m->pairing->lines.v[line];
    for (int s = 0; s < 2; s++) {
        const struct row *r = l->row[s] == NONE ? NULL : &m->side[s]->rows.v[l->row[s]];
        if (!r || r->io != IO_INPUT || m->side[s]->calls.v[r->call].phase != PHASE_FORWARD ||
            flow[s].held[l->row[s]] != NONE)
            return false;
    }
    return true;
}

/* Why a deviation has no effect on later values; RULE_NONE: it may have. behind: a real one stands before it, so that
 * only a mask's fills are told from what depends on that. */
static enum verdict_rule without_effect(const struct judgement *j, const struct measure *m,
                                        const struct dataflow flow[2], const struct value_readers reads[2],
                                        uint32_t i, bool behind)
{
    if (!behind && (container_ends_elsewhere(j, m, flow, i) || container_gradient_elsewhere(j, m, i)))
        return RULE_CONTAINER;
    if (is_masked_before(j, m, i))
        return RULE_MASKED_BEFORE;
    return !behind && !is_given(m, flow, i) && is_discarded(j, m, reads, i) ? RULE_DISCARDED : RULE_NONE;
}

/* Withdraws deviations that have no effect on later values. */
static void take_back(struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                      const struct value_readers reads[2])
{
    struct masked_rows nobody = {.masked = NULL};
    bool behind = false;
    double error;
    for (uint32_t i = 0; i < j->lines && j->line[i].verdict != VERDICT_PENDING; i++) {
        struct line_judgement *l = &j->line[i];
        if (!line_is_bad(l))
            continue;
        if (!behind && is_in_masked_rows(&nobody, j, m, i, &error)) {
            l->verdict = VERDICT_MATCH;
            l->rule = RULE_MASKED_ROWS;
            l->error = (float)error;
            continue;
        }
        enum verdict_rule why = without_effect(j, m, flow, reads, i, behind);
        behind = behind || why == RULE_NONE;
        if (why == RULE_NONE)
            continue;
        l->verdict = VERDICT_SKIP;
        l->rule = (uint8_t)why;
    }
    masked_rows_release(&nobody);
}

/* What the lines show together: factors and orders that differ only for a while, differences without effect. */
static void settle_lines(struct judge_pass *p)
{
    struct value_readers reads[2] = {p->reads, {0}};
    bool any = false;
    for (uint32_t i = 0; i < p->j->lines && !any; i++)
        any = verdict_is_bad((enum verdict)p->j->line[i].verdict);
    if (any) {
        readers_build(&reads[GOLDEN], p->m->side[GOLDEN], &p->flow[GOLDEN]);
        moved_factors_find(p->j, p->m, p->flow, reads);
        channel_orders_find(p->j, p->m, &p->flow[TARGET], p->tol);
        if (p->given[RULE_REORDERED])
            reordered_rows_find(p->j, p->m, &p->flow[TARGET], reads);
        take_back(p->j, p->m, p->flow, reads);
        if (p->given[RULE_REORDERED] || p->m->pairing->groups)
            solved_doubts_find(p->j, p->m);
        readers_release(&reads[GOLDEN]);
    }
    fused_scales_find(p->j, p->m, p->flow, p->tol);
    fused_arguments_find(p->j, p->m);
}

/* Values that recorded sketches show in another order while nothing else deviates are laid out in another way: what is
 * computed from them agrees. */
static void settle_reordered(struct judgement *j)
{
    for (uint32_t i = 0; i < j->lines; i++)
        if (verdict_is_bad(j->line[i].verdict) && j->line[i].rule != RULE_REORDERED)
            return;
    for (uint32_t i = 0; i < j->lines; i++) {
        struct line_judgement *l = &j->line[i];
        if (l->rule != RULE_REORDERED || !(l->flags & LINE_STATISTICS))
            continue;
        l->verdict = VERDICT_MATCH;
        l->flags &= (uint8_t)~LINE_DOUBTFUL;
        l->error = NAN; /* of elements at other places */
    }
}

/* Outputs without a partner that contradict their own inputs by more than a pair may differ by. One that no recorded
 * call reads shows nothing: a dump may have written the file from memory that was in use again, while the readers got
 * the right values. */
static void find_contradictions(struct judge_pass *p)
{
    struct value_readers golden = {0};
    for (uint32_t i = 0; p->o->own_wrong && i < p->j->lines; i++) {
        const struct line *l = &p->m->pairing->lines.v[i];
        struct line_judgement *x = &p->j->line[i];
        int s = l->row[TARGET] == NONE ? GOLDEN : TARGET;
        if (!(p->o->own_wrong[i] > 0) || x->rule != RULE_ONE_SIDED || x->verdict != VERDICT_ONLY ||
            (double)p->o->own_wrong[i] <=
                thresholds_of(p->tol, (enum dtype)p->m->side[s]->rows.v[l->row[s]].dtype)->drift)
            continue;
        if (s == GOLDEN && !golden.first)
            readers_build(&golden, p->m->side[GOLDEN], &p->flow[GOLDEN]);
        const struct value_readers *reads = s == GOLDEN ? &golden : &p->reads;
        if (reads->first[l->row[s]] != NONE)
            x->rule = RULE_CONTRADICTS;
    }
    readers_release(&golden);
}

static void judge_lines(struct judgement *j, const struct measure *m, const uint8_t *state,
                        const struct dataflow flow[2], const struct judge_options *o)
{
    struct judge_pass p = {
        .j = j,
        .m = m,
        .state = state,
        .flow = flow,
        .o = o,
        .tol = o->tol,
        .side = {m->side[0], m->side[1]},
        .largest_step = NAN,
        .call_error = mem_zalloc((m->side[TARGET]->calls.n + 1) * sizeof(float)),
        .call_turned = mem_zalloc((m->side[TARGET]->calls.n + 1) * sizeof(float)),
        .call_dtype = mem_zalloc(m->side[TARGET]->calls.n + 1),
        .multiplies = mem_zalloc((m->side[TARGET]->calls.n + 1) * sizeof(bool)),
    };
    noise_level_init(&p.level, o->tol->window < LEVEL_MAX ? (int)o->tol->window : LEVEL_MAX);
    readers_build(&p.reads, m->side[TARGET], &flow[TARGET]);
    find_multiplying(&p);
    find_arithmetic(&p);
    find_narrow_types(&p);
    find_unsaid_arithmetic(&p);
    collect_wholes(&p);
    for (uint32_t i = 0; i < m->lines; i++) {
        judge_line(&p, i);
        p.given[j->line[i].rule] = true;
    }
    find_contradictions(&p);
    if (p.given[RULE_ONE_SIDED])
        open_ends_find(j, m, flow, o->strict_gaps);
    if (!o->exact && !o->preset) {
        if (p.given[RULE_ONE_SIDED] || p.given[RULE_ABSENT] || p.given[RULE_ELEMENTS])
            lost_gradients_find(j, m, flow);
        doubt_cut_partners(&p);
        settle_lines(&p);
    }
    if (!o->exact) {
        if (p.given[RULE_REORDERED])
            settle_reordered(j);
        if (p.given[RULE_SCALAR_DIFFERS] || p.given[RULE_KINDS])
            idle_arguments_find(j, m, o->tol);
    }
    if (!o->exact && !o->preset) {
        wrong_partners_find(j, m, &p.reads);
    }
    tool_rules_judge(j, m, o->preset);
    table_verdicts_judge(j, m);
    accepted_apply(j, m, o->known);
    packed_verdicts_judge(j, m);
    causes_find(j, m, flow, o);
    judge_summary_count(j, m, flow, o);
    judge_summary_first(j, m);
    packed_verdicts_first(j, m);
    readers_release(&p.reads);
    vec_release(&p.turned_modules);
    nmap_release(&p.routings);
    free(p.wholes);
    free(p.call_error);
    free(p.call_turned);
    free(p.call_dtype);
    free(p.multiplies);
}

void judge_run(struct judgement *j, const struct measure *m, const uint8_t *state, const struct dataflow flow[2],
               const struct judge_options *o)
{
    struct unscaled u;
    *j = (struct judgement){.lines = m->lines, .first = NONE, .loss_scale = 1};
    j->line = mem_zalloc((m->lines + 1) * sizeof *j->line); /* lines not judged yet are pending */
    if (!o->exact && !o->preset)
        j->loss_scale = loss_scale_of(m);
    if (j->loss_scale == 1) {
        judge_lines(j, m, state, flow, o);
        return;
    }
    loss_scale_divide(&u, m, j->loss_scale);
    judge_lines(j, &u.m, state, flow, o);
    unscaled_release(&u);
}

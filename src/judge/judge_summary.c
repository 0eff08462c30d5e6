/* The coverage of a comparison, and its first deviation. */
#include "judge/judge_summary.h"

#include <stdlib.h>

#include "base/msg.h"
#include "dump/checksum.h"
#include "dump/family.h"
#include "dump/reader.h"
#include "judge/enclosed_calls.h"
#include "pair/align_item.h"

/* Whether a call counts for coverage, or is a record of a module's parameter gradients. In an L0 dump only modules
 * are recorded; otherwise their inner calls count. */
static bool is_compute(const struct dump *d, const struct call *c)
{
    if (c->gradient || !c->rows)
        return c->gradient && c->rows;
    if (c->kind == CALL_MODULE)
        return strcmp(d->level, "L0") == 0 && c->family != FAMILY_RANDOM && c->family != FAMILY_COPY;
    return family_is_compute(c->family);
}

static const char *const regions[REGION_COUNT] =
    {N_("forward"), N_("backward"), N_("optimizer"), N_("collectives"), N_("weight gradients")};

const char *region_name(enum region r)
{
    return regions[r];
}

/* The region of a row that a side may have omitted: for a weight's gradient, that of the backward call that computes
 * it. */
static enum region region_of(const struct dump *d, const struct dataflow *f, uint32_t call)
{
    const struct call *c = &d->calls.v[call];
    if (c->gradient || f->weight_gradient[call])
        return REGION_WEIGHT_GRADIENTS;
    if (c->family == FAMILY_COLLECTIVE)
        return REGION_COLLECTIVES;
    return c->phase == PHASE_OPTIMIZER ? REGION_OPTIMIZER
                                       : c->phase == PHASE_BACKWARD ? REGION_BACKWARD : REGION_FORWARD;
}

/* Which regions a side did not record, and how many rows the other side has of them. */
static void find_regions(struct judge_summary *s, const struct measure *m, const struct dataflow flow[2])
{
    uint32_t rows[2][REGION_COUNT] = {{0}};
    for (int d = 0; d < 2; d++)
        for (uint32_t c = 0; c < m->side[d]->calls.n; c++)
            rows[d][region_of(m->side[d], &flow[d], c)] += m->side[d]->calls.v[c].rows;
    for (int d = 0; d < 2; d++)
        for (int r = 0; r < REGION_COUNT; r++)
            if (!rows[d][r] && rows[!d][r]) {
                s->missing[d] |= (uint8_t)(1 << r);
                s->left_out[!d] += rows[!d][r];
            }
}

/* By recorded values, the call that produced the input of a graph operator or backward call, or a parameter's
 * gradient; NONE if unknown. */
static uint32_t producer_of(const struct dump *d, const struct dataflow *f, uint32_t row)
{
    const struct call *c = &d->calls.v[d->rows.v[row].call];
    bool reads = d->rows.v[row].io == IO_INPUT && (c->kind == CALL_OPERATOR || c->phase == PHASE_BACKWARD);
    if (!reads && d->rows.v[row].io != IO_GRADIENT)
        return NONE;
    uint32_t made = dataflow_maker(f, d, row);
    return made == NONE ? NONE : d->rows.v[made].call;
}

/* For a side without computing calls: the share of its rows that are paired. */
static double share_of_rows(const struct judge_summary *s, int side)
{
    uint32_t rows = s->pairs + s->only[side];
    return rows ? (double)s->pairs / rows : 0;
}

/* Whether a product multiplies with the weights of all experts at once: three axes, made by no recorded call. */
static bool has_stacked_weight(const struct dump *d, const struct dataflow *f, uint32_t call)
{
    const struct call *c = &d->calls.v[call];
    if (c->family != FAMILY_LINEAR || c->phase != PHASE_FORWARD || c->kind == CALL_MODULE)
        return false;
    EACH_EARLY_ROW(d, call, r) {
        const struct row *x = &d->rows.v[r];
        const struct shape *s = x->kind == ROW_TENSOR && x->io == IO_INPUT ? dump_row_shape(d, r) : NULL;
        int axes = 0;
        for (int i = 0; s && i < s->ndim; i++)
            axes += s->dim[i] > 1;
        uint32_t held = f->held[r]; /* decay by 1 hands a weight on before the network runs */
        bool source = held == NONE || d->calls.v[d->rows.v[held].call].phase == PHASE_OPTIMIZER;
        if (axes == 3 && dtype_is_float(x->dtype) && f->known[r] && source)
            return true;
    }
    return false;
}

/* Per call: whether an output is in a certain pair, and whether one was judged as agreeing; where a side recorded no
 * outputs of forward calls, the same of an input. */
struct coverage {
    bool by_input;
    uint8_t *covered[2];
    bool *judged; /* for the target only: the golden side may have more calls */
};

static void coverage_begin(struct coverage *v, const struct measure *m)
{
    v->by_input = align_inputs_alone(m->side[TARGET]) || align_inputs_alone(m->side[GOLDEN]);
    v->judged = mem_zalloc((m->side[TARGET]->calls.n + 1) * sizeof *v->judged);
    for (int d = 0; d < 2; d++)
        v->covered[d] = mem_zalloc(m->side[d]->calls.n + 1);
}

static void coverage_end(struct coverage *v)
{
    for (int d = 0; d < 2; d++)
        free(v->covered[d]);
    free(v->judged);
}

static void cover_line(struct coverage *v, const struct measure *m, const struct dataflow flow[2],
                       const struct line *l, const struct line_judgement *x)
{
    if (x->flags & LINE_DOUBTFUL)
        return;
    for (int d = 0; d < 2; d++) {
        const struct row *r = &m->side[d]->rows.v[l->row[d]];
        /* a gradient passed between kernels may be paired where it is read */
        bool own = r->io == IO_OUTPUT || (v->by_input && r->io == IO_INPUT && r->kind == ROW_TENSOR);
        uint32_t from = own ? r->call : producer_of(m->side[d], &flow[d], l->row[d]);
        uint32_t record = r->io == IO_GRADIENT ? r->call : NONE;
        bool alike = d == TARGET && verdict_is_accepted((enum verdict)x->verdict);
        for (int k = 0; k < 2; k++) {
            uint32_t c = k ? record : from;
            if (c == NONE)
                continue;
            v->covered[d][c] = 1;
            if (alike)
                v->judged[c] = true;
        }
    }
}

static void count_coverage(struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                           struct coverage *v)
{
    struct judge_summary *s = &j->sum;
    uint8_t *const *covered = v->covered;
    bool *judged = v->judged, compute[2][REGION_COUNT] = {{false}};
    for (int d = 0; d < 2; d++)
        for (uint32_t c = 0; c < m->side[d]->calls.n; c++)
            if (is_compute(m->side[d], &m->side[d]->calls.v[c]))
                compute[d][region_of(m->side[d], &flow[d], c)] = true;
    for (size_t i = 0; i < m->pairing->joined.n; i++) {
        const struct joined_call *x = &m->pairing->joined.v[i];
        covered[x->side][x->call] |= covered[x->side][x->result];
        if (x->side == TARGET)
            judged[x->call] |= judged[x->result];
    }
    bool *enclosed = enclosed_calls_find(m->side[TARGET], &flow[TARGET], judged, covered[TARGET]);
    for (int d = 0; d < 2; d++) {
        for (uint32_t c = 0; c < m->side[d]->calls.n; c++) {
            enum region r = region_of(m->side[d], &flow[d], c);
            /* a gradient is recorded separately or as a backward call's result: the former has no computing call */
            uint32_t nested = m->side[d]->calls.v[c].nested;
            if (nested != NONE && covered[d][nested] && (!covered[d][c] || nested < c))
                continue; /* one of the two counts */
            if (m->side[d]->calls.v[c].recomputes != NONE && !covered[d][c])
                continue; /* the original call counts */
            bool expected = r == REGION_WEIGHT_GRADIENTS ? !(s->missing[!d] >> r & 1) : compute[!d][r];
            if (!is_compute(m->side[d], &m->side[d]->calls.v[c]) || !expected)
                continue;
            s->compute[d]++;
            s->covered[d] += covered[d][c];
            s->experts_alone += !covered[d][c] && has_stacked_weight(m->side[d], &flow[d], c);
            if (d == TARGET) {
                s->judged += judged[c];
                s->enclosed += enclosed[c];
            }
        }
        s->coverage[d] = s->compute[d] ? (double)s->covered[d] / s->compute[d] : share_of_rows(s, d);
    }
    free(enclosed);
}

/* With --map-only, coverage is the share of listed rows. */
static void cover_listed(struct judgement *j, const struct measure *m)
{
    struct judge_summary *s = &j->sum;
    size_t listed = m->pairing->mapped + m->pairing->mapped_missing;
    for (int d = 0; d < 2; d++) {
        s->compute[d] = (uint32_t)listed;
        s->covered[d] = (uint32_t)m->pairing->mapped;
        s->coverage[d] = listed ? (double)s->covered[d] / (double)listed : 0;
    }
    s->judged = s->by[VERDICT_MATCH] + s->by[VERDICT_DRIFT];
}

static void count_unread_files(struct judge_summary *s, const struct dump *d)
{
    for (size_t i = 0; i < d->problems.n; i++) {
        const struct problem *p = &d->problems.v[i];
        if (!problem_is_unread_file(p))
            continue;
        s->first_unread = s->first_unread ? s->first_unread : p->text;
        s->unread_files++;
    }
}

/* The target's, where it has one. */
static const char *call_name(const struct measure *m, const struct line *l)
{
    int d = l->row[TARGET] == NONE ? GOLDEN : TARGET;
    return m->side[d]->calls.v[m->side[d]->rows.v[l->row[d]].call].name;
}

/* What is wrong with a row that could not be read, otherwise its call. */
static const char *unread_row(const struct measure *m, const struct line *l)
{
    for (int d = 0; d < 2; d++) {
        const struct problem *p = l->row[d] == NONE ? NULL : dump_row_problem(m->side[d], l->row[d]);
        if (p && !p->recorded)
            return p->text;
    }
    return call_name(m, l);
}

/* The figures of one element are the element. */
static bool by_figures_only(const struct measure *m, const struct line *l, const struct line_judgement *x)
{
    return line_agrees(x) && x->flags & LINE_STATISTICS && x->rule != RULE_CHECKSUM_SAME &&
           dump_row_numel(m->side[TARGET], l->row[TARGET]) != 1 && dump_row_numel(m->side[GOLDEN], l->row[GOLDEN]) != 1;
}

/* Bits of one type that differ where the figures, which are all there is, agree. */
static bool has_other_sum(const struct measure *m, const struct line *l)
{
    const struct row *t = &m->side[TARGET]->rows.v[l->row[TARGET]], *g = &m->side[GOLDEN]->rows.v[l->row[GOLDEN]];
    return t->has & g->has & HAS_CHECKSUM && t->dtype == g->dtype &&
           checksum_compare(t->text, g->text) == CHECKSUM_DIFFER;
}

/* Types that differ under values that agree; integers of two frameworks have their framework's width. */
static bool has_other_type(const struct measure *m, const struct line *l, const struct line_judgement *x,
                           bool one_framework)
{
    const struct row *t = &m->side[TARGET]->rows.v[l->row[TARGET]], *g = &m->side[GOLDEN]->rows.v[l->row[GOLDEN]];
    return line_agrees(x) && t->dtype != g->dtype && t->dtype && g->dtype &&
           (x->flags & LINE_DTYPE_DIFF || one_framework);
}

/* Shapes that differ under values that agree: axes of one element, merged ones. */
static bool has_other_shape(const struct measure *m, const struct line *l, const struct line_judgement *x)
{
    const struct shape *t = dump_row_shape(m->side[TARGET], l->row[TARGET]),
                       *g = dump_row_shape(m->side[GOLDEN], l->row[GOLDEN]);
    return line_agrees(x) && t && g && !shape_same(t, g);
}

/* Whether a recording says of its tensors which require a gradient. */
static bool tells_needs(const struct dump *d)
{
    size_t i = 0;
    while (i < d->rows.n && !d->rows.v[i].needs_gradient)
        i++;
    return i < d->rows.n;
}

static bool has_other_need(const struct measure *m, const struct line *l)
{
    return m->side[TARGET]->rows.v[l->row[TARGET]].needs_gradient !=
           m->side[GOLDEN]->rows.v[l->row[GOLDEN]].needs_gradient;
}

/* A checkpoint: no other row shows what one was not compared with. */
static bool holds_weights(const struct dump *d)
{
    return d->reader && d->reader->weights;
}

void judge_summary_count(struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                         const struct judge_options *o)
{
    struct judge_summary *s = &j->sum;
    struct coverage v;
    s->of_weights = holds_weights(m->side[TARGET]) && holds_weights(m->side[GOLDEN]);
    bool one_framework = dumps_of_one_framework(m->side[TARGET], m->side[GOLDEN]);
    bool needs = tells_needs(m->side[TARGET]) && tells_needs(m->side[GOLDEN]);
    coverage_begin(&v, m);
    find_regions(s, m, flow);
    for (int d = 0; d < 2; d++)
        count_unread_files(s, m->side[d]);
    for (size_t i = 0; i < j->lines; i++) {
        const struct line *l = &m->pairing->lines.v[i];
        const struct line_judgement *x = &j->line[i];
        s->known += x->rule == RULE_ACCEPTED;
        s->by[x->verdict] += x->rule != RULE_ACCEPTED;
        if (x->flags & LINE_UNREAD && s->unread++ == 0 && !s->first_unread)
            s->first_unread = unread_row(m, l);
        if (l->pair == NONE && rule_sets_aside(x->rule))
            continue;
        if (x->rule == RULE_CONTRADICTS && s->contradicting++ == 0)
            s->first_contradicting = call_name(m, l);
        if (l->pair == NONE) {
            s->only[l->row[TARGET] == NONE ? GOLDEN : TARGET]++;
            if (rule_leaves_open(x->rule) && s->unanswered++ == 0)
                s->first_unanswered = call_name(m, l);
            continue;
        }
        s->pairs++;
        s->without_bits += x->rule == RULE_NO_BITS;
        if (x->rule == RULE_PART && s->of_weights && s->unanswered++ == 0)
            s->first_unanswered = call_name(m, l);
        bool figures = by_figures_only(m, l, x);
        s->figures_only += figures;
        s->other_sums += figures && has_other_sum(m, l);
        s->paired_by[m->pairing->pairs.v[l->pair].why]++;
        s->dtype_diff += (x->flags & LINE_DTYPE_DIFF) != 0;
        s->other_types += has_other_type(m, l, x, one_framework);
        s->other_shapes += one_framework && has_other_shape(m, l, x);
        s->other_needs += needs && has_other_need(m, l);
        s->doubtful += (x->flags & LINE_DOUBTFUL) != 0;
        s->ill += x->rule == RULE_ILL;
        s->idle += x->rule == RULE_IDLE_ARGUMENT;
        if (line_is_in_doubt(x) && s->in_doubt++ == 0)
            s->first_in_doubt = call_name(m, l);
        cover_line(&v, m, flow, l, x);
    }
    if (o->map_only)
        cover_listed(j, m);
    else
        count_coverage(j, m, flow, &v);
    coverage_end(&v);
}

/* ---- the first deviation and what makes it provisional ---- */

static const struct call *call_of_line(const struct measure *m, uint32_t i, int *side)
{
    const struct line *l = &m->pairing->lines.v[i];
    *side = l->row[TARGET] == NONE ? GOLDEN : TARGET;
    return &m->side[*side]->calls.v[m->side[*side]->rows.v[l->row[*side]].call];
}

static bool in_gap(const struct measure *m, uint32_t i)
{
    int s;
    const struct call *c = call_of_line(m, i, &s);
    return m->pairing->lines.v[i].pair == NONE && c->recomputes == NONE && is_compute(m->side[s], c);
}

/* Whether calls that compute, and that only one side recorded, lie between a line and the pair before it. */
static bool behind_gap(const struct measure *m, uint32_t line)
{
    for (uint32_t i = line; i-- > 0 && m->pairing->lines.v[i].pair == NONE;)
        if (in_gap(m, i))
            return true;
    return false;
}

enum first_class start_class(const struct judgement *j, const struct measure *m, uint32_t line)
{
    const struct line *l = &m->pairing->lines.v[line];
    const struct line_judgement *x = &j->line[line];
    int s = l->row[TARGET] == NONE ? GOLDEN : TARGET;
    bool output = m->side[s]->rows.v[l->row[s]].io == IO_OUTPUT;
    bool source = x->rule == RULE_PARAMETER || x->flags & LINE_SOURCE; /* no call made it, whether recorded or not */
    return x->verdict == VERDICT_NONFINITE ? FIRST_NONFINITE
           : l->pair == NONE               ? FIRST_GAP
           : x->verdict == VERDICT_SHAPE   ? FIRST_SHAPE
           : output                        ? FIRST_OUTPUT
           : !source && behind_gap(m, line) ? FIRST_GAP
                                            : FIRST_INPUT;
}

void judge_summary_first(struct judgement *j, const struct measure *m)
{
    bool gap = false;
    j->first = NONE;
    for (uint32_t i = 0; i < j->lines && j->first == NONE; i++) {
        const struct line_judgement *x = &j->line[i];
        if (x->cause == CAUSE_STARTS) {
            j->first = i;
            break;
        }
        j->doubtful_before += (x->flags & LINE_DOUBTFUL) != 0;
        j->ill_before += x->rule == RULE_ILL;
        j->unread_before += (x->flags & LINE_UNREAD) != 0;
        j->contradicting_before += x->rule == RULE_CONTRADICTS;
        j->pending_before += x->verdict == VERDICT_PENDING;
        bool now = in_gap(m, i);
        j->gaps_before += now && !gap;
        gap = now || (gap && m->pairing->lines.v[i].pair == NONE);
    }
    if (j->first == NONE)
        return;
    j->first_class = start_class(j, m, j->first);
}

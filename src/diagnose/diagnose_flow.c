/* Diagnoses from the rest of the comparison: weights, values of other rows, missing terms. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "diagnose/call_tensors.h"
#include "diagnose/dense_block.h"
#include "diagnose/diagnosis_case.h"
#include "diagnose/axis_profile.h"
#include "dump/family.h"
#include "pair/align_item.h"

#define REACH 64      /* earlier calls considered */
#define CANDIDATES 64 /* earlier rows considered for a missing term */

/* ---- weights ---- */

/* Whether a weight has its partner's values at other places. By itself that only makes the pair doubtful, but under a
 * deviating output it is an explanation. */
static bool reordered_weight(const struct diagnosis_case *p, uint32_t call, uint32_t row,
                             const struct line_judgement *x)
{
    enum family f = (enum family)p->side[TARGET]->calls.v[call].family;
    return x->rule == RULE_REORDERED && p->r[TARGET]->io == IO_OUTPUT && p->call == call &&
           p->flow[TARGET].held[row] == NONE &&
           (f == FAMILY_LINEAR || f == FAMILY_CONV || f == FAMILY_EMBEDDING);
}

/* Whether an operand of einsum, whose places say nothing, is no weight: one has two axes, and another operand more. */
static bool is_einsum_value(const struct dump *d, uint32_t row)
{
    const struct shape *s = dump_row_shape(d, row);
    uint32_t call = d->rows.v[row].call;
    if (d->rows.v[row].io != IO_INPUT || !str_ieq(align_item_operator(d, call), STR("einsum")))
        return false;
    EACH_EARLY_ROW(d, call, r) {
        const struct shape *other = d->rows.v[r].io == IO_INPUT ? dump_row_shape(d, r) : NULL;
        if (s && other && s->ndim == 2 && other->ndim > 2)
            return false;
    }
    return true;
}

/* Reports a weight of this call that differs. */
static bool weights_of(struct diagnosis_case *p, uint32_t call)
{
    const struct dump *d = p->side[TARGET];
    EACH_ROW(d, call, r) {
        uint32_t i = p->m->pairing->line_of[TARGET][r];
        const struct line *l = &p->m->pairing->lines.v[i];
        const struct line_judgement *x = &p->j->line[i];
        if (d->rows.v[r].io == IO_OUTPUT || l->pair == NONE || d->rows.v[r].kind != ROW_TENSOR)
            continue;
        struct buf name = {0};
        char n[NUM_MAX];
        dump_row_name(d, r, &name);
        bool said = true;
        if (x->rule == RULE_PARAMETER && line_is_bad(x) && !dump_row_is_lone_number(d, r) && !is_einsum_value(d, r)) {
            case_found(p, DIAGNOSIS_WEIGHTS_FIRST, BOTH_SIDES, r == p->row[TARGET] ? 0.7 : 0.9,
                       _("the weight %s differs before it is used (%s)"),
                       name.p, num_cell(n, (double)x->error, 3));
            if (str_ihas(buf_view(&name), "inv_freq")) /* no checkpoint has it */
                case_advise(p, DIAGNOSIS_WEIGHTS_FIRST,
                            _("inv_freq is computed when the model is built: compute it in float32 and with the same "
                              "base (theta) on both sides, on the same device."));
        } else if (reordered_weight(p, call, r, x))
            case_found(p, DIAGNOSIS_WEIGHTS_FIRST, BOTH_SIDES, 0.9, _("the weight %s has the golden values in a "
                                                                      "different order: transposed or permuted during "
                                                                      "conversion or loading"), name.p);
        else
            said = false;
        buf_release(&name);
        if (said)
            return true;
    }
    return false;
}

/* Searches earlier calls along the recorded data flow, through rows that deviate or were not compared, up to the
 * producing products. */
void detect_weights(struct diagnosis_case *p)
{
    const struct dump *d = p->side[TARGET];
    uint32_t seen[REACH];
    int n = 0;
    if (d->calls.v[p->call].phase != PHASE_FORWARD || p->r[TARGET]->kind != ROW_TENSOR)
        return;
    if (p->judged->rule == RULE_PARAMETER || p->r[TARGET]->io == IO_OUTPUT)
        seen[n++] = p->call;
    else if (p->flow[TARGET].held[p->row[TARGET]] != NONE)
        seen[n++] = d->rows.v[p->flow[TARGET].held[p->row[TARGET]]].call;
    for (int at = 0; at < n; at++) {
        const struct call *c = &d->calls.v[seen[at]];
        if (weights_of(p, seen[at]) || (c->parent != NONE && weights_of(p, c->parent)))
            return;
        if (p->judged->flags & LINE_DOUBTFUL || c->family == FAMILY_LINEAR || c->family == FAMILY_CONV ||
            c->kind == CALL_MODULE)
            continue; /* for a doubtful row only its own call's weights count */
        EACH_ROW(d, seen[at], r) {
            uint32_t from = p->flow[TARGET].held[r], i = p->m->pairing->line_of[TARGET][r];
            const struct line_judgement *x = &p->j->line[i];
            bool alike = verdict_is_accepted((enum verdict)x->verdict);
            if (d->rows.v[r].io != IO_INPUT || from == NONE || (alike && !(x->flags & LINE_DOUBTFUL)))
                continue;
            uint32_t call = d->rows.v[from].call;
            bool known = false;
            for (int k = 0; k < n && !known; k++)
                known = seen[k] == call;
            if (!known && n < REACH)
                seen[n++] = call;
        }
    }
}

/* ---- another row's value ---- */

static bool figures_near(double a, double b, double scale)
{
    return fabs(a - b) <= 2e-6 * scale;
}

/* Whether a row has exactly these figures. */
static bool same_figures(const double figure[STAT_COUNT], const struct row *r)
{
    static const int bit[] = {HAS_MAX, HAS_MIN, HAS_MEAN, HAS_NORM};
    for (int i = 0; i < STAT_COUNT; i++) {
        double v = figure[i];
        if (i == STAT_MEAN) /* a mean of values around zero has few significant digits */
            continue;
        if (!(r->has & bit[i]) || !isfinite(v) || !figures_near(v, r->stat[i], i == STAT_NORM ? v : fabs(v)))
            return false;
    }
    return true;
}

static bool same_elements(const struct diagnosis_case *p, uint32_t golden)
{
    struct element_sample s;
    struct err e;
    if (!p->spread || p->spread->at)
        return true; /* without elements, figures decide */
    const struct row *own = p->r[GOLDEN], *other = &p->side[GOLDEN]->rows.v[golden];
    bool viewed = other->shape == own->shape; /* axes may lie in another order on the two sides */
    if (!(other->has & HAS_FILE) || (viewed ? element_sample_instead(&s, p->m, p->line, GOLDEN, golden, &e)
                                            : element_sample_row(&s, p->side[GOLDEN], golden, p->spread->n, &e)))
        return false;
    const double *values = s.v[viewed];
    double dev = 0, sum = 0;
    for (size_t i = 0; i < s.n && i < p->spread->n; i++) {
        double d = p->spread->v[0][i] - values[i];
        dev += d * d;
        sum += values[i] * values[i];
    }
    bool same = s.n == p->spread->n && dev <= 1e-10 * sum;
    element_sample_release(&s);
    return same;
}

#define STEPS_MOST 5 /* calls in a row between a value and what is computed from it */

/* Whether the golden side computes `row` from the value in row `from` by calls that only it recorded, or from one of
 * its size that came later and that nobody recorded the making of. */
static bool computed_from(const struct diagnosis_case *p, uint32_t row, uint32_t from, int steps)
{
    const struct dump *g = p->side[GOLDEN];
    const struct dataflow *f = &p->flow[GOLDEN];
    uint32_t output = value_output(g, f, row);
    if (output == NONE || steps == 0 || patient_partner(p, GOLDEN, output) != NONE)
        return false;
    uint32_t call = g->rows.v[output].call;
    EACH_EARLY_ROW(g, call, r) {
        if (g->rows.v[r].io != IO_INPUT)
            continue;
        for (uint32_t held = r; held != NONE; held = f->held[held])
            if (held == from)
                return true;
        bool unmade = f->held[r] == NONE && r > from && dump_row_numel(g, r) == dump_row_numel(g, from) &&
                      dtype_is_float(g->rows.v[r].dtype);
        if (unmade || (f->held[r] != NONE && computed_from(p, r, from, steps - 1)))
            return true;
    }
    return false;
}

/* The target uses a value as it is from which the golden side computes one more. */
static void say_step_left_out(struct diagnosis_case *p, uint32_t from)
{
    if (p->r[GOLDEN]->io != IO_INPUT || !computed_from(p, p->row[GOLDEN], from, STEPS_MOST))
        return;
    struct buf name = {0};
    dump_row_name(p->side[GOLDEN], from, &name);
    case_found(p, DIAGNOSIS_GAP, TARGET, 0.85,
               _("the target uses the golden values of %s as they are; only the golden side computes on from them "
                 "before this row"), name.p);
    buf_release(&name);
}

void detect_stale(struct diagnosis_case *p)
{
    const struct dump *g = p->side[GOLDEN];
    uint64_t numel = dump_row_numel(p->side[TARGET], p->row[TARGET]);
    double figure[STAT_COUNT];
    for (int i = 0; i < STAT_COUNT; i++)
        figure[i] = diagnosis_case_stat(p, TARGET, i);
    double max = figure[STAT_MAX], min = figure[STAT_MIN];
    uint32_t inner;
    int side;
    if (numel < 8 || !(max > min) || p->judged->verdict == VERDICT_DRIFT || same_figures(figure, p->r[GOLDEN]) ||
        !dtype_is_float(p->r[TARGET]->dtype) || patient_changed_end(p, &inner) != NO_SIDE ||
        module_hands_on(p, &side))
        return;
    if (!(min < 0 && max > 0) && (max == 1 || min == 0)) /* masks, tables and probabilities share their extremes */
        return;
    for (uint32_t r = 0; r < g->rows.n; r++) {
        if (!figures_near(max, g->rows.v[r].stat[STAT_MAX], fabs(max)) || r == p->row[GOLDEN] ||
            g->rows.v[r].kind != ROW_TENSOR || g->rows.v[r].dtype != p->r[GOLDEN]->dtype ||
            !same_figures(figure, &g->rows.v[r]) ||
            dump_row_numel(g, r) != numel || !same_elements(p, r))
            continue;
        struct buf name = {0};
        dump_row_name(g, r, &name);
        case_found(p, DIAGNOSIS_STALE, TARGET, p->spread ? 0.9 : 0.7,
                   g->rows.v[r].call == p->r[GOLDEN]->call ? _("the target has the golden values of %s, a different "
                                                               "row of the same call")
                                                             : _("the target has the golden values of %s"), name.p);
        buf_release(&name);
        say_step_left_out(p, r);
        return;
    }
}

/* ---- a gradient with a missing term ---- */

/* The deviation as a matrix: rows along the last axis. */
struct deviation {
    const struct dense_block *b;
    size_t rows, width;
    size_t strong[4], strong_n; /* the rows that deviate most: most candidates fail there at once */
};

/* A hypothesis: in `blocks` equal ranges of each row, columns from..from+run differ by the candidate's columns
 * at..at+run; `lacks` is the side without it. */
struct missing {
    int side; /* whose row */
    uint32_t row;
    size_t blocks, from, run, at, width;
    int lacks;
    double left2;
};

static double dev_at(const struct deviation *d, size_t i)
{
    return d->b->v[0][i] - d->b->v[1][i];
}

/* The residual of one row's deviation. */
static double left_of_row(const struct deviation *d, const struct missing *x, const double *c, size_t row)
{
    double left = 0, sign = x->lacks == TARGET ? 1 : -1;
    size_t stretch = d->width / x->blocks;
    for (size_t col = 0; col < d->width; col++) {
        size_t in = col % stretch, block = col / stretch;
        double e = dev_at(d, row * d->width + col);
        if (in >= x->from && in < x->from + x->run)
            e += sign * c[(row * x->blocks + block) * x->width + x->at + in - x->from];
        left += e * e;
    }
    return left;
}

static bool strong_rows_agree(const struct deviation *d, const struct missing *x, const double *c)
{
    for (size_t i = 0; i < d->strong_n; i++) {
        double dev2 = 0;
        for (size_t col = 0; col < d->width; col++)
            dev2 += dev_at(d, d->strong[i] * d->width + col) * dev_at(d, d->strong[i] * d->width + col);
        if (left_of_row(d, x, c, d->strong[i]) > 0.2 * dev2)
            return false;
    }
    return true;
}

static void try_slots(const struct deviation *d, struct missing x, const double *c, struct missing *best)
{
    size_t stretch = d->width / x.blocks;
    for (x.run = x.width; x.run * 2 >= x.width && x.run; x.run /= 2) /* the whole width, and its halves */
        for (x.at = 0; x.at + x.run <= x.width; x.at += x.run)
            for (x.from = 0; x.from + x.run <= stretch; x.from++)
                for (x.lacks = 0; x.lacks < 2; x.lacks++) {
                    if (!strong_rows_agree(d, &x, c))
                        continue;
                    x.left2 = 0;
                    for (size_t row = 0; row < d->rows; row++)
                        x.left2 += left_of_row(d, &x, c, row);
                    if (x.left2 < best->left2)
                        *best = x;
                }
}

static void try_candidate(const struct diagnosis_case *p, const struct deviation *d, int side, uint32_t row,
                          struct missing *best)
{
    const struct shape *shape = dump_row_shape(p->side[side], row);
    uint8_t verdict = p->j->line[p->m->pairing->line_of[side][row]].verdict;
    uint64_t numel = dump_row_numel(p->side[side], row);
    size_t width = shape && shape->ndim ? (size_t)shape->dim[shape->ndim - 1] : 0;
    struct missing x = {.side = side, .row = row, .width = width};
    struct element_sample s;
    if (verdict_is_bad(verdict) || x.width < 2 || numel > ELEMENT_SAMPLE_MOST || numel / x.width % d->rows)
        return;
    x.blocks = (size_t)(numel / x.width / d->rows);
    if (!x.blocks || d->width % x.blocks || !element_sample_whole(&s, p->side[side], row))
        return;
    try_slots(d, x, s.v[0], best);
    element_sample_release(&s);
}

static void find_strong(struct deviation *d)
{
    double energy[ARRAY_LEN(d->strong)] = {0};
    for (size_t row = 0; row < d->rows; row++) {
        double dev2 = 0;
        for (size_t col = 0; col < d->width; col++)
            dev2 += dev_at(d, row * d->width + col) * dev_at(d, row * d->width + col);
        size_t least = 0;
        if (d->strong_n < ARRAY_LEN(d->strong))
            least = d->strong_n++;
        else
            for (size_t i = 1; i < d->strong_n; i++)
                least = energy[i] < energy[least] ? i : least;
        if (dev2 >= energy[least]) {
            energy[least] = dev2;
            d->strong[least] = row;
        }
    }
}

static void say_missing(struct diagnosis_case *p, const struct dense_block *b, const struct missing *x)
{
    struct buf name = {0};
    char n[DIAGNOSIS_LEFT_MAX];
    dump_row_name(p->side[x->side], x->row, &name);
    if (x->run < x->width)
        buf_fmt(&name, _(" (last axis, indices %zu–%zu)"), x->at, x->at + x->run - 1);
    case_found(p, DIAGNOSIS_ZERO_GRADIENT, x->lacks, 0.9, _("on the %s, exactly the contribution of %s is missing; %s"),
               diagnosis_side_word(x->lacks), name.p, diagnosis_left_text(n, sqrt(x->left2 / b->dev2)));
    buf_release(&name);
}

/* The deviation equals another gradient that agrees on both sides: one side did not add it. */
static void detect_missing(struct diagnosis_case *p, const struct dense_block *b)
{
    struct deviation dev = {.b = b, .width = (size_t)b->shape[b->ndim - 1]};
    struct missing best = {.row = NONE, .left2 = INFINITY};
    dev.rows = b->n / dev.width;
    find_strong(&dev);
    for (int s = 0; s < 2; s++) {
        const struct dump *d = p->side[s];
        int tried = 0;
        for (uint32_t r = p->row[s]; r-- > 0 && tried < CANDIDATES;) {
            bool known = d->calls.v[d->rows.v[r].call].phase == PHASE_BACKWARD && d->rows.v[r].call != p->r[s]->call &&
                         d->rows.v[r].has & HAS_FILE;
            if (known && (s == TARGET || patient_partner(p, s, r) == NONE)) {
                try_candidate(p, &dev, s, r, &best);
                tried++;
            }
        }
    }
    double noise = 2 * (double)p->judged->level;
    bool down_to_noise = best.left2 <= 0.1 * b->dev2 && best.left2 <= noise * noise * (b->g2 + b->dev2);
    if (best.row != NONE && (best.left2 <= LEFT_OVER * b->dev2 || down_to_noise))
        say_missing(p, b, &best);
}

/* A slice that is zero on one side only. */
static bool zero_slice(struct diagnosis_case *p, const struct dense_block *part)
{
    for (int d = 0; d < 2; d++) {
        size_t zero = 0;
        for (size_t i = 0; i < part->n; i++)
            zero += part->v[d][i] == 0 && part->v[!d][i] != 0;
        if (zero < part->n * 9 / 10 || zero < 4)
            continue;
        case_found(p, DIAGNOSIS_ZERO_GRADIENT, d, 0.95, _("%zu of %zu deviating elements are 0 on the %s only"),
                   zero, part->n, diagnosis_side_word(d));
        return true;
    }
    return false;
}

void detect_contribution(struct diagnosis_case *p)
{
    const struct dump *d = p->side[TARGET];
    struct dense_block b, part;
    struct axis_profile x[DENSE_BLOCK_AXES];
    const uint8_t *in[DENSE_BLOCK_AXES] = {NULL};
    bool deviates = p->judged->verdict == VERDICT_DEVIATE || p->judged->verdict == VERDICT_INHERITED ||
        p->judged->verdict == VERDICT_IN_DOUBT;
    if (d->calls.v[p->call].phase != PHASE_BACKWARD || !deviates || p->partly ||
        p->r[TARGET]->kind != ROW_TENSOR)
        return;
    if (!dense_block_from(&b, p->corner) || b.n < 4 || !(b.dev2 > 0)) {
        dense_block_release(&b);
        return;
    }
    memset(x, 0, sizeof x);
    for (int a = 0; a < b.ndim; a++)
        if (axis_profile_find(&x[a], p->corner, b.axis[a], p->judged->level) && x[a].some)
            in[a] = x[a].in;
    dense_block_part(&part, &b, in);
    if (part.n >= 8 && !zero_slice(p, &part))
        detect_missing(p, &b);
    dense_block_release(&part);
    dense_block_release(&b);
    for (int a = 0; a < DENSE_BLOCK_AXES; a++)
        axis_profile_release(&x[a]);
}

/* ---- weights that are not tied ---- */

static bool figures_alike(const struct row *a, const struct row *b)
{
    int all = HAS_MAX | HAS_MIN | HAS_NORM;
    return (a->has & b->has & all) == all && a->stat[STAT_MAX] == b->stat[STAT_MAX] &&
           a->stat[STAT_MIN] == b->stat[STAT_MIN] &&
           figures_near(a->stat[STAT_NORM], b->stat[STAT_NORM], fabs(b->stat[STAT_NORM]));
}

/* Whether the complete side has equal gradients under both names while the other side's differ, and the norms are
 * consistent with a sum. */
static bool one_there_two_here(const struct diagnosis_case *p, int lacks, uint32_t more)
{
    uint32_t there = patient_partner(p, lacks, more);
    const struct row *own = p->r[lacks], *part = &p->side[lacks]->rows.v[more], *sum = p->r[!lacks];
    if (there == NONE || there == p->row[!lacks] || !figures_alike(&p->side[!lacks]->rows.v[there], sum) ||
        figures_alike(own, part))
        return false;
    double a = own->stat[STAT_NORM], b = part->stat[STAT_NORM], c = sum->stat[STAT_NORM];
    return c <= (a + b) * 1.001 && c >= fabs(a - b) * 0.999;
}

/* The share of the deviation (squares) left after adding the gradient in row `more` of the side that lacks it. */
static double left_with(const struct diagnosis_case *p, int lacks, uint32_t more)
{
    struct element_sample s;
    double left = 0;
    if (!p->spread || p->spread->at)
        return one_there_two_here(p, lacks, more) ? 0 : 1;
    if (!tensor_values(p->side[lacks], more, &s))
        return 1;
    for (size_t i = 0; i < s.n && i < p->spread->n; i++) {
        double e = p->spread->v[!lacks][i] - p->spread->v[lacks][i] - s.v[0][i];
        left += e * e;
    }
    left = s.n == p->spread->n && p->spread->dev2 > 0 ? left / p->spread->dev2 : 1;
    element_sample_release(&s);
    return left;
}

static void say_untied(struct diagnosis_case *p, int lacks, uint32_t more, double left)
{
    struct buf name = {0};
    char n[DIAGNOSIS_LEFT_MAX];
    dump_row_name(p->side[lacks], more, &name);
    if (p->spread && !p->spread->at)
        case_found(p, DIAGNOSIS_UNTIED, lacks, 0.99,
                   _("the gradient of the other side is the sum of the gradient of the %s and %s: the weight is shared "
                     "there, and two weights here; %s"),
                   diagnosis_side_word(lacks), name.p, diagnosis_left_text(n, sqrt(left)));
    else
        case_found(p, DIAGNOSIS_UNTIED, lacks, 0.85,
                   _("the other side has one gradient for this weight and %s, the %s has two: the weight is shared "
                     "there, and two weights here"),
                   name.p, diagnosis_side_word(lacks));
    buf_release(&name);
}

/* A shared weight gets the sum of both gradients; two copies get one each. */
void detect_untied(struct diagnosis_case *p)
{
    if (!p->side[TARGET]->calls.v[p->call].gradient || p->judged->verdict == VERDICT_DRIFT)
        return;
    const struct shape *own = dump_row_shape(p->side[TARGET], p->row[TARGET]);
    for (int lacks = 0; lacks < 2; lacks++)
        for (uint32_t c = 0; c < p->side[lacks]->calls.n; c++) {
            const struct dump *d = p->side[lacks];
            if (!d->calls.v[c].gradient)
                continue;
            EACH_EARLY_ROW(d, c, r) {
                const struct shape *s = dump_row_shape(d, r);
                if (r == p->row[lacks] || d->rows.v[r].kind != ROW_TENSOR || !s || !own || s->ndim != own->ndim ||
                    s->ndim < 2 || memcmp(s->dim, own->dim, (size_t)s->ndim * sizeof *s->dim) != 0)
                    continue;
                double left = left_with(p, lacks, r);
                if (!(left <= LEFT_OVER))
                    continue;
                say_untied(p, lacks, r, left);
                return;
            }
        }
}

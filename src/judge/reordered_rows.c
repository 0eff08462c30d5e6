/* Compares rows as a set: each row is reduced to two sums of its elements with random signs, by which the rows of both
 * sides are sorted and compared. */
#include "judge/reordered_rows.h"

#include <math.h>
#include <stdlib.h>

#include "dump/family.h"
#include "judge/thresholds.h"

#define BLOCK 1024      /* elements read at once */
#define LONGEST (1 << 24) /* rows: their sums are held in memory */
#define SQUARE (1 << 22)  /* elements of a matrix that is held in memory with its transpose */
#define ROUNDINGS 16    /* of the coarser type, by which the same rows may differ */
#define LEVELS 4        /* times the noise level there, likewise */

struct row_sums {
    double first, second;
};

static int by_first(const void *a, const void *b)
{
    const struct row_sums *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* One of two signs for a column. */
static double sign_of(uint64_t column, int which)
{
    uint64_t h = (column * 2 + (uint64_t)which + 1) * 0x9e3779b97f4a7c15ULL;
    return (h ^ h >> 29) >> 40 & 1 ? 1 : -1;
}

static bool add_elements(struct tensor_walk *w, uint64_t width, struct row_sums *out, double *squares)
{
    unsigned char raw[BLOCK * 16];
    double value[BLOCK];
    struct err quiet;
    for (uint64_t at = 0; at < w->t->numel;) {
        long got = tensor_walk_next(w, raw, BLOCK, &quiet);
        if (got <= 0)
            return false;
        dtype_to_f64(w->t->dtype, raw, (size_t)got, value);
        for (long i = 0; i < got; i++, at++) {
            struct row_sums *s = &out[at / width];
            s->first += sign_of(at % width, 0) * value[i];
            s->second += sign_of(at % width, 1) * value[i];
            *squares += value[i] * value[i];
        }
    }
    return true;
}

/* The sorted sums of a tensor's rows, owned by the caller; NULL if it cannot be read. *squares: the sum of squares. */
static struct row_sums *sorted_rows(const struct dump *d, uint32_t row, uint64_t rows, uint64_t width, double *squares)
{
    struct tensor t;
    struct tensor_walk w;
    struct err quiet;
    *squares = 0;
    if (dump_tensor(d, row, &t, &quiet))
        return NULL;
    struct row_sums *sums = mem_zalloc((size_t)rows * sizeof *sums);
    tensor_walk_init(&w, &t);
    bool read = add_elements(&w, width, sums, squares);
    tensor_walk_release(&w);
    tensor_close(&t);
    if (!read) {
        free(sums);
        return NULL;
    }
    qsort(sums, (size_t)rows, sizeof *sums, by_first);
    return sums;
}

/* The number of axes longer than one; *last: the length of the last of them. */
static int long_axes(const struct shape *s, uint64_t *last)
{
    int n = 0;
    *last = 1;
    for (int i = 0; i < s->ndim; i++)
        if (s->dim[i] > 1) {
            *last = (uint64_t)s->dim[i];
            n++;
        }
    return n;
}

/* The width of the rows of both tensors: their common last axis, or 1 where one side has a single axis. 0: they have
 * no rows in common. */
static uint64_t common_width(const struct measure *m, const struct line *l)
{
    const struct shape *t = dump_row_shape(m->side[TARGET], l->row[TARGET]),
                       *g = dump_row_shape(m->side[GOLDEN], l->row[GOLDEN]);
    uint64_t a, b;
    if (!t || !g || t->numel != g->numel)
        return 0;
    int n = long_axes(t, &a), k = long_axes(g, &b);
    uint64_t width = n == 1 || k == 1 ? 1 : a == b ? a : 0;
    return width && t->numel > width && t->numel / width <= LONGEST ? width : 0;
}

/* The elements of a tensor, owned by the caller; NULL if it cannot be read. */
static double *elements_of(const struct dump *d, uint32_t row)
{
    struct tensor t;
    struct tensor_walk w;
    struct err quiet;
    size_t n = (size_t)dump_row_numel(d, row);
    if (dump_tensor(d, row, &t, &quiet))
        return NULL;
    double *x = mem_alloc(n * sizeof *x);
    tensor_walk_init(&w, &t);
    bool read = tensor_walk_values(&w, x, n, &quiet) == 0;
    tensor_walk_release(&w);
    tensor_close(&t);
    if (!read)
        free(x);
    return read ? x : NULL;
}

/* The relative error of one side beside the transpose of the other, of square matrices; NaN if it is unknown, or they
 * are none. */
static double transposed_error(const struct measure *m, const struct line *l)
{
    const struct shape *t = dump_row_shape(m->side[TARGET], l->row[TARGET]),
                       *g = dump_row_shape(m->side[GOLDEN], l->row[GOLDEN]);
    uint64_t n = 0, k = 0;
    double off = 0, squares = 0;
    if (!t || !g || long_axes(t, &n) != 2 || long_axes(g, &k) != 2 || n != k || t->numel != n * n ||
        g->numel != n * n || t->numel > SQUARE)
        return NAN;
    double *a = elements_of(m->side[TARGET], l->row[TARGET]),
           *b = a ? elements_of(m->side[GOLDEN], l->row[GOLDEN]) : NULL;
    for (uint64_t i = 0; b && i < n * n; i++) {
        double other = b[i % n * n + i / n];
        off += (a[i] - other) * (a[i] - other);
        squares += other * other;
    }
    bool known = b && squares > 0;
    free(a);
    free(b);
    return known ? sqrt(off / squares) : NAN;
}

/* The relative error of the rows as a set; NaN if it is unknown. */
static double set_error(const struct measure *m, uint32_t line)
{
    const struct line *l = &m->pairing->lines.v[line];
    uint64_t width = common_width(m, l), rows = width ? dump_row_numel(m->side[TARGET], l->row[TARGET]) / width : 0;
    double squares[2] = {0, 0}, off = 0;
    struct row_sums *t = rows ? sorted_rows(m->side[TARGET], l->row[TARGET], rows, width, &squares[TARGET]) : NULL;
    struct row_sums *g = t ? sorted_rows(m->side[GOLDEN], l->row[GOLDEN], rows, width, &squares[GOLDEN]) : NULL;
    for (uint64_t i = 0; g && i < rows; i++)
        off += (t[i].first - g[i].first) * (t[i].first - g[i].first) +
               (t[i].second - g[i].second) * (t[i].second - g[i].second);
    bool known = g && squares[GOLDEN] > 0;
    free(t);
    free(g);
    return known ? sqrt(off / 2 / squares[GOLDEN]) : NAN;
}

/* Whether the row itself or a result of its call deviates. */
static bool result_deviates(const struct judgement *j, const struct measure *m, int side, uint32_t row)
{
    const struct dump *d = m->side[side];
    const uint32_t *line_of = m->pairing->line_of[side];
    EACH_EARLY_ROW(d, d->rows.v[row].call, x)
        if ((x == row || d->rows.v[x].io == IO_OUTPUT) && line_of[x] != NONE && line_is_bad(&j->line[line_of[x]]))
            return true;
    return false;
}

/* Whether a call that reads the row of this side (for an input its own call) gives a result that deviates. */
static bool reader_deviates(const struct judgement *j, const struct measure *m, const struct value_readers *reads,
                            int side, uint32_t row)
{
    if (m->side[side]->rows.v[row].io == IO_INPUT)
        return result_deviates(j, m, side, row);
    for (uint32_t x = reads->first[row]; x != NONE; x = reads->next[x])
        if (result_deviates(j, m, side, x))
            return true;
    return false;
}

#define SURE 0.8f  /* confidence of a pair of weights from which their order counts */
#define REACH 24 /* the most results behind a weight that are looked at */
#define BEHIND 64 /* rows behind a result in which a module that ends with it is looked for */

/* What is followed from a weight of the target. */
struct followed {
    const struct dump *d;
    const struct dataflow *flow;
    const struct value_readers *reads;
    uint32_t call[REACH];
    size_t n;
};

static bool is_followed(const struct followed *x, uint32_t call)
{
    for (size_t i = 0; i < x->n; i++)
        if (x->call[i] == call)
            return true;
    return false;
}

/* Adds the forward calls that read what a row gave; false: there are too many. */
static bool follow_readers(struct followed *x, uint32_t row)
{
    for (uint32_t k = x->reads->first[row]; k != NONE; k = x->reads->next[k]) {
        uint32_t call = x->d->rows.v[k].call;
        if (x->d->calls.v[call].phase != PHASE_FORWARD || is_followed(x, call))
            continue;
        if (x->n == REACH)
            return false;
        x->call[x->n++] = call;
    }
    return true;
}

/* The same, also of what a module hands on that ends with the row's call. */
static bool follow_result(struct followed *x, uint32_t row)
{
    bool all = follow_readers(x, row);
    for (uint32_t r = row + 1; all && r < x->d->rows.n && r < row + BEHIND; r++)
        if (x->flow->held[r] == row && x->d->rows.v[r].io == IO_OUTPUT &&
            x->d->calls.v[x->d->rows.v[r].call].kind == CALL_MODULE)
            all = follow_readers(x, r);
    return all;
}

/* Whether all results that a value of the target goes into deviate, as far as they were compared: it is followed
 * through results that were not. */
static bool spoils_all(const struct judgement *j, const struct measure *m, const struct dataflow *flow,
                       const struct value_readers *reads, uint32_t row)
{
    const struct dump *d = m->side[TARGET];
    struct followed x = {.d = d, .flow = flow, .reads = reads, .call = {d->rows.v[row].call}, .n = 1};
    uint32_t deviate = 0;
    for (size_t i = 0; i < x.n; i++)
        EACH_EARLY_ROW(d, x.call[i], r) {
            const struct line_judgement *l = &j->line[m->pairing->line_of[TARGET][r]];
            bool paired = m->pairing->lines.v[m->pairing->line_of[TARGET][r]].pair != NONE;
            if (d->rows.v[r].io != IO_OUTPUT)
                continue;
            if (paired && !(l->flags & LINE_DOUBTFUL)) {
                if (!line_is_bad(l))
                    return false;
                deviate++;
            } else if (!follow_result(&x, r)) {
                return false;
            }
        }
    return deviate > 0;
}

/* Whether nothing computed a value: no call gave it, but one that casts or moves what no call gave. */
static bool is_given(const struct dump *d, const struct dataflow *flow, uint32_t row)
{
    uint32_t first = dataflow_first(flow, row);
    uint8_t family = d->calls.v[d->rows.v[first].call].family;
    if (d->rows.v[first].io != IO_OUTPUT)
        return true;
    if (family != FAMILY_CAST && family != FAMILY_COPY && family != FAMILY_VIEW)
        return false;
    EACH_EARLY_ROW(d, d->rows.v[first].call, r)
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR &&
            d->rows.v[dataflow_first(flow, r)].io == IO_OUTPUT)
            return false;
    return true;
}

/* Whether a row is a weight of a certain pair: nothing computed it, and its order is nobody's choice where what is
 * computed from it differs. */
static bool is_weight(const struct measure *m, const struct dataflow *flow, uint32_t line)
{
    const struct line *l = &m->pairing->lines.v[line];
    const struct row *x = &m->side[TARGET]->rows.v[l->row[TARGET]];
    return x->io == IO_INPUT && is_given(m->side[TARGET], flow, l->row[TARGET]) && l->pair != NONE &&
           family_is_product((enum family)m->side[TARGET]->calls.v[x->call].family) &&
           m->pairing->pairs.v[l->pair].confidence >= SURE;
}

void reordered_rows_find(struct judgement *j, const struct measure *m, const struct dataflow *flow,
                         const struct value_readers reads[2])
{
    for (uint32_t i = 0; i < j->lines; i++) {
        struct line_judgement *x = &j->line[i];
        const struct line *l = &m->pairing->lines.v[i];
        if (x->rule != RULE_REORDERED || reader_deviates(j, m, &reads[TARGET], TARGET, l->row[TARGET]) ||
            reader_deviates(j, m, &reads[GOLDEN], GOLDEN, l->row[GOLDEN]))
            continue;
        double error = set_error(m, i), level = isfinite(x->level) ? (double)x->level : 0;
        enum dtype coarser = dtype_coarser(m->side[TARGET]->rows.v[l->row[TARGET]].dtype,
                                           m->side[GOLDEN]->rows.v[l->row[GOLDEN]].dtype);
        double most = dtype_is_float(coarser) ? fmax(ROUNDINGS * dtype_table[coarser].epsilon, LEVELS * level) : 0;
        if (!(error <= most))
            error = transposed_error(m, l);
        if (!(error <= most))
            continue;
        if (is_weight(m, flow, i) && spoils_all(j, m, flow, &reads[TARGET], l->row[TARGET])) {
            x->flags &= (uint8_t)~LINE_DOUBTFUL;
            continue;
        }
        x->verdict = VERDICT_MATCH;
        x->rule = RULE_SAME_ROWS;
        x->flags &= (uint8_t)~LINE_DOUBTFUL;
        x->error = (float)error;
    }
}

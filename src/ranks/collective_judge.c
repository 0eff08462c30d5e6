/* Recomputes a collective in float64 from what went in, and tells why its outputs are others. */
#include "ranks/collective_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/msg.h"
#include "ranks/part_values.h"

/* The nth of the whole numbers "input.K.0", "input.K.1" … among the arguments; -1: there is none. */
static long split_size(const struct dump *d, uint32_t c, const char *list, size_t n)
{
    char slot[40];
    snprintf(slot, sizeof slot, "%s.%zu", list, n);
    EACH_EARLY_ROW(d, c, r)
        if (d->rows.v[r].kind == ROW_INT && strcmp(d->slots.v[d->rows.v[r].slot], slot) == 0)
            return row_whole_number(&d->rows.v[r]);
    return -1;
}

struct members {
    size_t n;
    double **in, **out;
    uint64_t *in_n, *out_n;
};

static void members_release(struct members *m)
{
    for (size_t i = 0; i < m->n; i++) {
        free(m->in[i]);
        free(m->out[i]);
    }
    free(m->in);
    free(m->out);
    free(m->in_n);
    free(m->out_n);
}

static bool members_read(struct members *m, const struct whole_calls *w, const struct collective *c)
{
    bool all = true;
    *m = (struct members){.n = c->calls.n};
    m->in = mem_zalloc((m->n + 1) * sizeof *m->in);
    m->out = mem_zalloc((m->n + 1) * sizeof *m->out);
    m->in_n = mem_zalloc((m->n + 1) * sizeof *m->in_n);
    m->out_n = mem_zalloc((m->n + 1) * sizeof *m->out_n);
    for (size_t i = 0; i < m->n; i++) {
        const struct dump *d = rank_dump_of(w, c->calls.v[i].rank);
        uint32_t in = call_tensor(d, c->calls.v[i].call, IO_INPUT), out = call_tensor(d, c->calls.v[i].call, IO_OUTPUT);
        m->in[i] = in == NONE ? NULL : part_values(d, in, &m->in_n[i]);
        m->out[i] = out == NONE ? NULL : part_values(d, out, &m->out_n[i]);
        all &= m->in[i] && m->out[i];
    }
    return all;
}

static double reduced(const struct members *m, const char *op, uint64_t i, bool absolute)
{
    double x = absolute ? fabs(m->in[0][i]) : m->in[0][i];
    for (size_t k = 1; k < m->n; k++) {
        double y = absolute ? fabs(m->in[k][i]) : m->in[k][i];
        if (isnan(x) || isnan(y)) /* frameworks hand NaN on, fmax does not */
            x = NAN;
        else
            x = strcmp(op, "max") == 0 ? fmax(x, y) : strcmp(op, "min") == 0 ? fmin(x, y) : x + y;
    }
    return strcmp(op, "avg") == 0 ? x / (double)m->n : x;
}

static bool same_inputs(const struct members *m)
{
    for (size_t i = 1; i < m->n; i++)
        if (m->in_n[i] != m->in_n[0])
            return false;
    return true;
}

/* What member `who` should have received, as many elements as it has; NULL where that does not fit. */
static double *expected(const struct whole_calls *w, const struct collective *c, const struct members *m, size_t who)
{
    uint64_t n = m->out_n[who], at = 0;
    double *x = mem_alloc(((size_t)n + 1) * sizeof *x);
    bool fits = true;
    if (c->op) {
        uint64_t from = strcmp(c->name, "all_reduce") == 0 ? 0 : who * n;
        fits = same_inputs(m) && from + n <= m->in_n[0];
        for (uint64_t i = 0; fits && i < n; i++)
            x[i] = reduced(m, c->op, from + i, false);
    } else if (strcmp(c->name, "all_gather_into_tensor") == 0) {
        for (size_t k = 0; k < m->n && fits; at += m->in_n[k++])
            if ((fits = at + m->in_n[k] <= n))
                memcpy(x + at, m->in[k], (size_t)m->in_n[k] * sizeof *x);
        fits &= at == n;
    } else if (strcmp(c->name, "all_to_all_single") == 0) {
        for (size_t k = 0; k < m->n && fits; k++) {
            const struct dump *d = rank_dump_of(w, c->calls.v[k].rank);
            uint32_t call = c->calls.v[k].call, row = call_tensor(d, call, IO_INPUT);
            const struct shape *s = dump_row_shape(d, row);
            uint64_t rows = s && s->ndim ? (uint64_t)s->dim[0] : 0, each = rows ? m->in_n[k] / rows : 0, from = 0,
                     take = rows / m->n;
            for (size_t j = 0; j <= who; j++) {
                long own = split_size(d, call, "input.3", j);
                if (j < who)
                    from += own < 0 ? rows / m->n : (uint64_t)own;
                else
                    take = own < 0 ? rows / m->n : (uint64_t)own;
            }
            fits = (from + take) * each <= m->in_n[k] && at + take * each <= n;
            if (fits)
                memcpy(x + at, m->in[k] + from * each, (size_t)(take * each) * sizeof *x);
            at += take * each;
        }
        fits &= at == n;
    } else {
        fits = false;
    }
    if (fits)
        return x;
    free(x);
    return NULL;
}

/* Rounding of the additions, relative to the result: cancellation makes it larger. */
static double rounding_bound(const struct collective *c, const struct members *m, enum dtype type)
{
    double eps = dtype_is_float(type) ? dtype_table[type].epsilon : 0, terms = 0, sum = 0;
    if (!c->op || strcmp(c->op, "max") == 0 || strcmp(c->op, "min") == 0)
        return 0;
    for (uint64_t i = 0; i < m->in_n[0]; i++) {
        double a = reduced(m, "sum", i, true), s = reduced(m, "sum", i, false);
        if (!isfinite(a))
            continue;
        terms += a * a;
        sum += s * s;
    }
    double grown = sum > 0 ? sqrt(terms / sum) : 1;
    return eps / 2 * (double)(m->n - 1) * (isfinite(grown) ? grown : 1);
}

static bool held_by(const double *x, uint64_t n, enum dtype type)
{
    for (uint64_t i = 0; i < n; i++)
        if (isfinite(x[i]) && dtype_round(type, x[i]) != x[i])
            return false;
    return true;
}

void collective_say(struct collective *c, const char *id, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(c->evidence, sizeof c->evidence, fmt, ap);
    va_end(ap);
    c->diagnosis = id;
    c->verdict = COLLECTIVE_DEVIATE;
}

static double best_factor(const double *out, const double *want, uint64_t n)
{
    double both = 0, own = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (!isfinite(out[i]) || !isfinite(want[i]))
            continue;
        both += out[i] * want[i];
        own += want[i] * want[i];
    }
    return own > 0 ? both / own : NAN;
}

static double off_by_factor(const double *out, const double *want, uint64_t n, double f)
{
    double off = 0, all = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (!isfinite(out[i]) || !isfinite(want[i]))
            continue;
        double x = out[i] - f * want[i];
        off += x * x;
        all += out[i] * out[i];
    }
    return all > 0 ? sqrt(off / all) : off > 0 ? INFINITY : 0;
}

/* All outputs are off alike: why. */
static void explain(struct collective *c, const struct members *m, const double *want)
{
    static const enum dtype coarser[] = {DTYPE_BF16, DTYPE_F16};
    double factor = best_factor(m->out[0], want, m->out_n[0]), n = (double)m->n;
    double left = off_by_factor(m->out[0], want, m->out_n[0], factor);
    if (c->op && left < fmax(c->bound * 64, 1e-6) && fabs(factor * n - 1) < 1e-3) {
        collective_say(c, "averaged", _("the outputs are %.3g times the sum of the inputs, within %.2g"), factor, left);
        return;
    }
    if (c->op && left < fmax(c->bound * 64, 1e-6) && fabs(factor - n) < 1e-3 * n) {
        collective_say(c, "summed", _("the outputs are %.3g times the mean of the inputs, within %.2g"), factor, left);
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(coarser) && c->op; i++)
        if (dtype_table[coarser[i]].size < dtype_table[c->dtype].size && held_by(m->out[0], m->out_n[0], coarser[i]) &&
            c->residual < 8 * n * dtype_table[coarser[i]].epsilon) {
            c->precision = coarser[i];
            collective_say(c, "low-precision-reduction",
                           _("inputs and outputs are %s, but the sum was computed in %s: error %.2g, expected rounding "
                             "error %.2g"),
                           dtype_table[c->dtype].name, dtype_table[coarser[i]].name, c->residual, c->bound);
            return;
        }
    if (!c->op && strcmp(c->name, "all_gather_into_tensor") == 0) {
        uint64_t each = m->in_n[0];
        size_t found = 0;
        for (size_t k = 0; k < m->n && each * m->n == m->out_n[0]; k++)
            for (size_t j = 0; j < m->n; j++)
                if (part_distance(m->out[0] + k * each, m->in[j], each) == 0) {
                    found++;
                    break;
                }
        if (found == m->n) {
            collective_say(c, "wrong-order", "%s",
                           _("the outputs contain the input of every rank, but not in the order of the group"));
            return;
        }
    }
    collective_say(c, NULL, _("the outputs differ from the result computed from the inputs by %.2g; expected rounding "
                              "error %.2g"),
                   c->residual, c->bound);
}

static bool constant(const double *x, uint64_t n)
{
    for (uint64_t i = 1; i < n; i++)
        if (x[i] != x[0])
            return false;
    return true;
}

/* Inputs that are the same on all ranks already: the sum multiplies them. */
static bool doubled(const struct collective *c, const struct members *m)
{
    if (!c->op || strcmp(c->op, "sum") != 0 || m->in_n[0] < 8 || m->n < 2 || constant(m->in[0], m->in_n[0]))
        return false;
    for (size_t i = 1; i < m->n; i++)
        if (m->in_n[i] != m->in_n[0] || memcmp(m->in[i], m->in[0], (size_t)m->in_n[0] * sizeof **m->in) != 0)
            return false;
    return true;
}

/* The next call of the module takes what was gathered, rank after rank in another order. */
static bool used_in_other_order(const struct whole_calls *w, const struct collective *c, const struct members *m)
{
    const struct part_call *p = &c->calls.v[0];
    const struct dump *d = rank_dump_of(w, p->rank);
    uint64_t n = 0, each = m->in_n[0];
    double *x = NULL;
    for (uint32_t next = p->call + 1; next < d->calls.n && next < p->call + 8 && !x; next++) {
        uint32_t row = d->calls.v[next].parent == d->calls.v[p->call].parent ? call_tensor(d, next, IO_INPUT) : NONE;
        if (row != NONE && dtype_is_float((enum dtype)d->rows.v[row].dtype) && dump_row_numel(d, row) == m->out_n[0])
            x = part_values(d, row, &n);
    }
    bool other = x && n == each * m->n && part_distance(x, m->out[0], n) != 0;
    size_t found = 0;
    for (size_t k = 0; k < m->n && other; k++)
        for (size_t j = 0; j < m->n; j++)
            if (m->in_n[j] == each && part_distance(x + k * each, m->in[j], each) == 0) {
                found++;
                break;
            }
    free(x);
    return other && found == m->n;
}

/* Whether a call's tensors have the figures of this row; like: one of them. */
static bool hands_on(const struct dump *d, uint32_t call, const struct row *like, uint64_t numel)
{
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].kind == ROW_TENSOR && dump_row_numel(d, r) == numel && d->rows.v[r].dtype == like->dtype &&
            part_same_figures(&d->rows.v[r], like))
            return true;
    return false;
}

/* In the backward pass: what follows takes what the ranks had before it, on every rank. */
static bool is_unused(const struct whole_calls *w, const struct collective *c, bool backward)
{
    bool unused = backward && c->op && c->kind && strcmp(c->kind, "tp") == 0;
    for (size_t i = 0; i < c->calls.n && unused; i++) {
        const struct part_call *p = &c->calls.v[i];
        const struct dump *d = rank_dump_of(w, p->rank);
        uint32_t in = call_tensor(d, p->call, IO_INPUT), out = call_tensor(d, p->call, IO_OUTPUT);
        bool before = false, after = false;
        unused = in != NONE && out != NONE && d->rows.v[in].has & HAS_NORM &&
                 dump_row_numel(d, in) == dump_row_numel(d, out) && !part_same_figures(&d->rows.v[in], &d->rows.v[out]);
        for (uint32_t next = p->call + 1; unused && next < d->calls.n && next < p->call + 8; next++) {
            before |= hands_on(d, next, &d->rows.v[in], dump_row_numel(d, in));
            after |= hands_on(d, next, &d->rows.v[out], dump_row_numel(d, out));
        }
        unused = unused && before && !after;
    }
    return unused;
}

/* What each member should have received; false where that cannot be computed of one of them. */
static bool all_expected(const struct whole_calls *w, const struct collective *c, const struct members *m,
                         double **want)
{
    bool all = true;
    for (size_t i = 0; i < m->n && all; i++)
        all = (want[i] = expected(w, c, m, i)) != NULL;
    return all;
}

/* The outputs hold NaN or infinity: whether the inputs give them. True where it was said. */
static bool say_nonfinite(struct collective *c, const struct members *m, double *const *want)
{
    uint64_t other = 0, given = 0;
    size_t ranks = 0;
    for (size_t i = 0; i < m->n; i++) {
        uint64_t own = part_other_nonfinite(m->out[i], want[i], m->out_n[i]);
        for (uint64_t k = 0; k < m->out_n[i]; k++)
            given += !isfinite(want[i][k]);
        other += own;
        ranks += own > 0;
        if (own)
            vec_push(&c->ranks, c->group.v[i]);
    }
    if (other) {
        collective_say(
            c, "nonfinite",
            _("%llu output elements of %zu ranks are non-finite although the inputs give finite values, or the "
              "reverse"),
            (unsigned long long)other, ranks);
        return true;
    }
    if (!given)
        return false;
    c->diagnosis = "nonfinite";
    snprintf(c->evidence, sizeof c->evidence, _("%llu output elements are non-finite, as expected from the inputs"),
             (unsigned long long)given);
    return false;
}

static void judge_outputs(const struct whole_calls *w, struct collective *c, const struct members *m,
                          double *const *want, bool tail)
{
    double *off = mem_zalloc((m->n + 1) * sizeof *off);
    c->bound = rounding_bound(c, m, c->dtype);
    c->residual = 0;
    for (size_t i = 0; i < m->n; i++) {
        off[i] = part_distance_finite(m->out[i], want[i], m->out_n[i]);
        c->residual = off[i] > c->residual ? off[i] : c->residual;
    }
    for (size_t i = 1; i < m->n && c->op && strcmp(c->name, "all_reduce") == 0; i++)
        c->equal &= m->out_n[i] == m->out_n[0] && part_distance(m->out[i], m->out[0], m->out_n[0]) == 0;
    c->verdict = c->residual <= 4 * c->bound    ? COLLECTIVE_MATCH
                 : c->residual <= 64 * c->bound ? COLLECTIVE_DRIFT
                                                : COLLECTIVE_DEVIATE;
    if (say_nonfinite(c, m, want)) {
        free(off);
        return;
    }
    for (size_t i = 0; i < m->n && c->verdict == COLLECTIVE_DEVIATE; i++)
        if (off[i] > 64 * c->bound)
            vec_push(&c->ranks, c->group.v[i]);
    if (c->verdict == COLLECTIVE_DEVIATE && !c->equal)
        collective_say(c, "unequal-outputs",
                       _("the outputs differ within the group; the largest error against the result computed from the "
                         "inputs is %.2g"),
                       c->residual);
    else if (c->verdict == COLLECTIVE_DEVIATE)
        explain(c, m, want[0]);
    else if (!tail && c->kind && strcmp(c->kind, "tp") == 0 && doubled(c, m)) {
        collective_say(c, "doubled-allreduce", _("the inputs are already equal on all %zu ranks, and are summed again"),
                       m->n);
        for (size_t i = 0; i < m->n; i++)
            vec_push(&c->ranks, c->group.v[i]);
    } else {
        c->precision = c->dtype;
        c->reordered = strcmp(c->name, "all_gather_into_tensor") == 0 && used_in_other_order(w, c, m);
    }
    free(off);
}

/* What cannot be computed of every member stays unread. */
void collective_judge(const struct whole_calls *w, struct collective *c, bool tail)
{
    struct members m;
    c->residual = c->bound = NAN;
    c->verdict = COLLECTIVE_UNREAD;
    if (c->calls.n != c->group.n)
        return;
    bool there = members_read(&m, w, c);
    double **want = mem_zalloc((m.n + 1) * sizeof *want);
    if (there && all_expected(w, c, &m, want))
        judge_outputs(w, c, &m, want, tail);
    if (!c->diagnosis && is_unused(w, c, collective_call(w, c)->region == IN_BACKWARD)) {
        collective_say(c, "unused-reduction", "%s",
                       _("what follows takes the gradient as it was before: the reduction came too late"));
        for (size_t i = 0; i < c->group.n; i++)
            vec_push(&c->ranks, c->group.v[i]);
    }
    for (size_t i = 0; i < m.n; i++)
        free(want[i]);
    free(want);
    members_release(&m);
}


/* Recomputes a collective in float64 from its inputs, and diagnoses wrong outputs. */
#include "ranks/collective_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/msg.h"
#include "ranks/part_values.h"

/* The nth of the integer arguments "input.K.0", "input.K.1" …; -1: absent. */
static long split_size(const struct dump *d, uint32_t c, const char *list, size_t n)
{
    char slot[40];
    snprintf(slot, sizeof slot, "%s.%zu", list, n);
    EACH_EARLY_ROW(d, c, r)
        if (d->rows.v[r].kind == ROW_INT && strcmp(d->slots.v[d->rows.v[r].slot], slot) == 0)
            return row_whole_number(&d->rows.v[r]);
    return -1;
}

/* The tensors of every call, in the order of the group. */
struct members {
    size_t n;
    struct part_source *in, *out; /* one list: in, then out */
    bool held, unread;            /* unread: one of them could not be read to its end */
    double *room[3];              /* of PART_STRETCH elements; NULL if all are held */
};

static void members_release(struct members *m)
{
    for (size_t i = 0; i < 2 * m->n; i++)
        part_source_release(&m->in[i]);
    free(m->in);
    for (size_t i = 0; i < ARRAY_LEN(m->room); i++)
        free(m->room[i]);
}

static bool members_read(struct members *m, const struct whole_calls *w, const struct collective *c)
{
    bool all = true;
    *m = (struct members){.n = c->calls.n};
    m->in = mem_zalloc((2 * m->n + 1) * sizeof *m->in);
    m->out = m->in + m->n;
    for (size_t i = 0; i < m->n && all; i++) {
        const struct dump *d = rank_dump_of(w, c->calls.v[i].rank);
        all = part_source_open(&m->in[i], d, call_first_tensor(d, c->calls.v[i].call, IO_INPUT)) &&
              part_source_open(&m->out[i], d, call_first_tensor(d, c->calls.v[i].call, IO_OUTPUT));
    }
    all = all && part_sources_hold(m->in, 2 * m->n);
    m->held = all && (!m->n || m->in[0].held);
    for (size_t i = 0; all && !m->held && i < ARRAY_LEN(m->room); i++)
        m->room[i] = mem_alloc((PART_STRETCH + 1) * sizeof **m->room);
    return all;
}

static const double *member_elements(struct members *m, const struct part_source *s, uint64_t from, uint64_t n,
                                     int room)
{
    const double *x = part_source_at(s, from, n, m->room[room]);
    m->unread |= !x;
    return x;
}

static double reduce_two(const char *op, double x, double y)
{
    if (isnan(x) || isnan(y)) /* frameworks propagate NaN, fmax does not */
        return NAN;
    return strcmp(op, "max") == 0 ? fmax(x, y) : strcmp(op, "min") == 0 ? fmin(x, y) : x + y;
}

/* Elements [from, from + n) of the inputs, reduced. Room 1 is used. */
static void reduce_inputs(struct members *m, const char *op, uint64_t from, uint64_t n, bool absolute, double *out)
{
    for (size_t k = 0; k < m->n && !m->unread; k++) {
        const double *x = member_elements(m, &m->in[k], from, n, 1);
        for (uint64_t i = 0; x && i < n; i++) {
            double y = absolute ? fabs(x[i]) : x[i];
            out[i] = k ? reduce_two(op, out[i], y) : y;
        }
    }
    for (uint64_t i = 0; strcmp(op, "avg") == 0 && i < n; i++)
        out[i] /= (double)m->n;
}

static bool same_inputs(const struct members *m)
{
    for (size_t i = 1; i < m->n; i++)
        if (m->in[i].n != m->in[0].n)
            return false;
    return true;
}

/* ---- what a member should have received ---- */

/* Pieces of inputs, one behind the other. */
struct piece {
    size_t of; /* member */
    uint64_t from, n;
};

/* Of one member, or of all where all receive the same. */
struct expectation {
    const char *op;    /* reduced from `from` on; NULL: of pieces */
    uint64_t from;
    VEC(struct piece) pieces;
    bool fits;
};

static bool reduced_alike(const struct collective *c)
{
    return c->op ? strcmp(c->name, "all_reduce") == 0 : strcmp(c->name, "all_gather_into_tensor") == 0;
}

static void expect_gathered(struct expectation *x, const struct members *m)
{
    for (size_t k = 0; k < m->n; k++) {
        struct piece p = {k, 0, m->in[k].n};
        vec_push(&x->pieces, p);
    }
}

/* Rows of each member's input, cut for the members of the group. */
static void expect_exchanged(struct expectation *x, const struct whole_calls *w, const struct collective *c,
                             const struct members *m, size_t who)
{
    for (size_t k = 0; k < m->n && x->fits; k++) {
        const struct dump *d = rank_dump_of(w, c->calls.v[k].rank);
        uint32_t call = c->calls.v[k].call;
        const struct shape *s = dump_row_shape(d, m->in[k].row);
        uint64_t rows = s && s->ndim ? (uint64_t)s->dim[0] : 0, each = rows ? m->in[k].n / rows : 0, from = 0,
                 take = rows / m->n;
        for (size_t j = 0; j <= who; j++) {
            long own = split_size(d, call, "input.3", j);
            if (j < who)
                from += own < 0 ? rows / m->n : (uint64_t)own;
            else
                take = own < 0 ? rows / m->n : (uint64_t)own;
        }
        struct piece p = {k, from * each, take * each};
        x->fits = (from + take) * each <= m->in[k].n;
        vec_push(&x->pieces, p);
    }
}

/* What member `who` should have received, as many elements as it has; false if that does not fit. */
static bool expect_member_output(struct expectation *x, const struct whole_calls *w, const struct collective *c,
                                 const struct members *m, size_t who)
{
    uint64_t n = m->out[who].n, all = 0;
    *x = (struct expectation){.op = c->op, .fits = true};
    if (c->op) {
        x->from = reduced_alike(c) ? 0 : who * n;
        x->fits = same_inputs(m) && x->from + n <= m->in[0].n;
        return x->fits;
    }
    if (reduced_alike(c))
        expect_gathered(x, m);
    else if (strcmp(c->name, "all_to_all_single") == 0)
        expect_exchanged(x, w, c, m, who);
    else
        x->fits = false;
    for (size_t i = 0; i < x->pieces.n; i++)
        all += x->pieces.v[i].n;
    x->fits &= all == n;
    return x->fits;
}

/* Its elements [from, from + n). Room 1 is used. */
static void compute_expected_elements(struct members *m, const struct expectation *x, uint64_t from, uint64_t n,
                                      double *out)
{
    uint64_t begin = 0, done = 0;
    if (x->op) {
        reduce_inputs(m, x->op, x->from + from, n, false, out);
        return;
    }
    for (size_t i = 0; i < x->pieces.n && done < n && !m->unread; i++) {
        const struct piece *p = &x->pieces.v[i];
        if (from + done < begin + p->n) {
            uint64_t skip = from + done - begin, take = p->n - skip < n - done ? p->n - skip : n - done;
            const double *v = member_elements(m, &m->in[p->of], p->from + skip, take, 1);
            if (v && take)
                memcpy(out + done, v, (size_t)take * sizeof *out);
            done += take;
        }
        begin += p->n;
    }
}

/* Rounding error of the additions relative to the result, which cancellation increases. */
static double rounding_bound(const struct collective *c, struct members *m, enum dtype type)
{
    double eps = dtype_is_float(type) ? dtype_table[type].epsilon : 0, terms = 0, sum = 0;
    if (!c->op || strcmp(c->op, "max") == 0 || strcmp(c->op, "min") == 0)
        return 0;
    uint64_t n = m->in[0].n, most = part_stretch(m->held, n);
    double *sums = mem_alloc(((size_t)most + 1) * sizeof *sums), *sizes = mem_alloc(((size_t)most + 1) * sizeof *sizes);
    for (uint64_t from = 0, take; from < n && !m->unread; from += take) {
        take = part_stretch(m->held, n - from);
        reduce_inputs(m, "sum", from, take, true, sizes);
        reduce_inputs(m, "sum", from, take, false, sums);
        for (uint64_t i = 0; i < take && !m->unread; i++) {
            if (!isfinite(sizes[i]))
                continue;
            terms += sizes[i] * sizes[i];
            sum += sums[i] * sums[i];
        }
    }
    free(sums);
    free(sizes);
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

/* Sums over the first member's output and what it should be. */
struct factor_sums {
    double both, own;       /* the factor that fits best is both / own */
    double factor, off, all; /* what is left with a factor */
    const enum dtype *coarser;
    bool held_by[2];        /* its elements are numbers of that type */
};

static void add_factor(struct factor_sums *s, const double *out, const double *want, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        if (!isfinite(out[i]) || !isfinite(want[i]))
            continue;
        double x = out[i] - s->factor * want[i];
        s->both += out[i] * want[i];
        s->own += want[i] * want[i];
        s->off += x * x;
        s->all += out[i] * out[i];
    }
    for (int k = 0; k < 2; k++)
        s->held_by[k] = s->held_by[k] && held_by(out, n, s->coarser[k]);
}

static void sum_factor(struct factor_sums *s, struct members *m, const struct expectation *want)
{
    uint64_t n = m->out[0].n;
    double *x = mem_alloc(((size_t)part_stretch(m->held, n) + 1) * sizeof *x);
    for (uint64_t from = 0, take; from < n && !m->unread; from += take) {
        take = part_stretch(m->held, n - from);
        compute_expected_elements(m, want, from, take, x);
        const double *out = m->unread ? NULL : member_elements(m, &m->out[0], from, take, 0);
        if (out)
            add_factor(s, out, x, take);
    }
    free(x);
}

/* Every piece of `each` elements is some member's input. */
static bool is_of_inputs(const struct members *m, const struct part_source *x, uint64_t each)
{
    size_t found = 0;
    for (size_t k = 0; k < m->n && each * m->n == x->n; k++)
        for (size_t j = 0; j < m->n; j++)
            if (m->in[j].n == each && part_sources_distance(x, k * each, &m->in[j], 0, each) == 0) {
                found++;
                break;
            }
    return found == m->n;
}

/* Diagnoses outputs that are wrong on all ranks alike. */
static void explain_common_error(struct collective *c, struct members *m, const struct expectation *want)
{
    static const enum dtype coarser[] = {DTYPE_BF16, DTYPE_F16};
    struct factor_sums best = {.coarser = coarser, .held_by = {true, true}};
    sum_factor(&best, m, want);
    double factor = best.own > 0 ? best.both / best.own : NAN, n = (double)m->n;
    struct factor_sums rest = {.factor = factor, .coarser = coarser};
    sum_factor(&rest, m, want);
    double left = rest.all > 0 ? sqrt(rest.off / rest.all) : rest.off > 0 ? INFINITY : 0;
    if (c->op && left < fmax(c->bound * 64, 1e-6) && fabs(factor * n - 1) < 1e-3) {
        collective_say(c, "averaged", _("the outputs are %.3g times the sum of the inputs, within %.2g"), factor, left);
        return;
    }
    if (c->op && left < fmax(c->bound * 64, 1e-6) && fabs(factor - n) < 1e-3 * n) {
        collective_say(c, "summed", _("the outputs are %.3g times the mean of the inputs, within %.2g"), factor, left);
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(coarser) && c->op; i++)
        if (dtype_table[coarser[i]].size < dtype_table[c->dtype].size && best.held_by[i] &&
            c->residual < 8 * n * dtype_table[coarser[i]].epsilon) {
            c->precision = coarser[i];
            collective_say(c, "low-precision-reduction",
                           _("inputs and outputs are %s, but the sum was computed in %s: error %.2g, expected rounding "
                             "error %.2g"),
                           dtype_table[c->dtype].name, dtype_table[coarser[i]].name, c->residual, c->bound);
            return;
        }
    if (!c->op && strcmp(c->name, "all_gather_into_tensor") == 0 && is_of_inputs(m, &m->out[0], m->in[0].n)) {
        collective_say(c, "wrong-order", "%s",
                       _("the outputs contain the input of every rank, but not in the order of the group"));
        return;
    }
    collective_say(c, NULL, _("the outputs differ from the result computed from the inputs by %.2g; expected rounding "
                              "error %.2g"),
                   c->residual, c->bound);
}

/* Whether the inputs are equal on all ranks, so that the sum multiplies them. */
static bool is_sum_of_equal_inputs(const struct collective *c, struct members *m)
{
    uint64_t n = m->in[0].n;
    bool constant = true, same = c->op && strcmp(c->op, "sum") == 0 && n >= 8 && m->n >= 2 && same_inputs(m);
    double value = 0;
    for (uint64_t from = 0, take; same && from < n; from += take) {
        take = part_stretch(m->held, n - from);
        const double *x = member_elements(m, &m->in[0], from, take, 0);
        value = x && !from ? x[0] : value;
        for (uint64_t i = 0; x && i < take && constant; i++)
            constant = x[i] == value;
        for (size_t k = 1; x && k < m->n && same; k++) {
            const double *y = member_elements(m, &m->in[k], from, take, 1);
            same = y && memcmp(y, x, (size_t)take * sizeof *x) == 0;
        }
        same = same && x;
    }
    return same && !constant;
}

/* Whether the module's next call uses the gathered parts in another rank order. */
static bool used_in_other_order(const struct whole_calls *w, const struct collective *c, const struct members *m)
{
    const struct part_call *p = &c->calls.v[0];
    const struct dump *d = rank_dump_of(w, p->rank);
    struct part_source x;
    bool there = false;
    for (uint32_t next = p->call + 1; next < d->calls.n && next < p->call + 8 && !there; next++) {
        bool beside = d->calls.v[next].parent == d->calls.v[p->call].parent;
        uint32_t row = beside ? call_first_tensor(d, next, IO_INPUT) : NONE;
        there = row != NONE && dtype_is_float((enum dtype)d->rows.v[row].dtype) &&
                dump_row_numel(d, row) == m->out[0].n && part_source_open(&x, d, row);
    }
    double off = there ? part_sources_distance(&x, 0, &m->out[0], 0, x.n) : NAN;
    return off > 0 && is_of_inputs(m, &x, m->in[0].n);
}

/* Whether one of the call's tensors has the figures of this row. */
static bool call_holds_row_like(const struct dump *d, uint32_t call, const struct row *like, uint64_t numel)
{
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].kind == ROW_TENSOR && dump_row_numel(d, r) == numel && d->rows.v[r].dtype == like->dtype &&
            part_same_figures(&d->rows.v[r], like))
            return true;
    return false;
}

/* Whether later calls use the ranks' inputs instead of the result, on every rank. */
static bool is_unused(const struct whole_calls *w, const struct collective *c, bool backward)
{
    bool unused = backward && c->op && c->kind && strcmp(c->kind, "tp") == 0;
    for (size_t i = 0; i < c->calls.n && unused; i++) {
        const struct part_call *p = &c->calls.v[i];
        const struct dump *d = rank_dump_of(w, p->rank);
        uint32_t in = call_first_tensor(d, p->call, IO_INPUT), out = call_first_tensor(d, p->call, IO_OUTPUT);
        bool before = false, after = false;
        unused = in != NONE && out != NONE && d->rows.v[in].has & HAS_NORM &&
                 dump_row_numel(d, in) == dump_row_numel(d, out) && !part_same_figures(&d->rows.v[in], &d->rows.v[out]);
        for (uint32_t next = p->call + 1; unused && next < d->calls.n && next < p->call + 8; next++) {
            before |= call_holds_row_like(d, next, &d->rows.v[in], dump_row_numel(d, in));
            after |= call_holds_row_like(d, next, &d->rows.v[out], dump_row_numel(d, out));
        }
        unused = unused && before && !after;
    }
    return unused;
}

/* What was found of each member's output. */
struct output_sums {
    struct part_sums want;  /* against what it should be */
    struct part_sums scaled; /* the same again, where those are not finite */
    bool differs;           /* from the first member's */
    uint64_t given;         /* elements that should not be finite */
};

static void add_output(struct output_sums *s, const double *out, const double *want, uint64_t n, bool again)
{
    part_sums_add(again ? &s->scaled : &s->want, out, want, n);
    for (uint64_t i = 0; i < n && !again; i++)
        s->given += !isfinite(want[i]);
}

/* As part_distance of the two is not 0. */
static bool elements_differ(const double *a, const double *b, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i])))
            return true;
    return false;
}

/* One pass over the outputs; what all receive alike is computed once a stretch. */
static void sum_outputs(const struct whole_calls *w, const struct collective *c, struct members *m,
                        struct output_sums *of, bool again)
{
    bool alike = reduced_alike(c);
    uint64_t most = 0;
    for (size_t i = 0; i < m->n; i++) {
        most = m->out[i].n > most ? m->out[i].n : most;
        alike &= m->out[i].n == m->out[0].n;
    }
    double *want = mem_alloc(((size_t)part_stretch(m->held, most) + 1) * sizeof *want);
    for (size_t who = 0; who < m->n && !m->unread; who += alike ? m->n : 1) {
        struct expectation x;
        expect_member_output(&x, w, c, m, who);
        for (uint64_t from = 0, take; from < m->out[who].n && !m->unread; from += take) {
            take = part_stretch(m->held, m->out[who].n - from);
            compute_expected_elements(m, &x, from, take, want);
            const double *first = alike && !m->unread ? member_elements(m, &m->out[who], from, take, 0) : NULL;
            for (size_t i = who; i < (alike ? m->n : who + 1) && !m->unread; i++) {
                const double *out = first && i == who ? first : member_elements(m, &m->out[i], from, take, 2);
                if (!out)
                    break;
                add_output(&of[i], out, want, take, again);
                of[i].differs |= first && i > who && elements_differ(out, first, take);
            }
        }
        vec_release(&x.pieces);
    }
    free(want);
}

/* For outputs with NaN or infinity: checks whether the inputs explain them. True if a verdict was given. */
static bool say_nonfinite(struct collective *c, const struct members *m, const struct output_sums *of)
{
    uint64_t other = 0, given = 0;
    size_t ranks = 0;
    for (size_t i = 0; i < m->n; i++) {
        uint64_t own = of[i].want.other;
        given += of[i].given;
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

/* Squares of numbers beyond 1e154 are not finite: those are divided by the largest first. */
static void sum_all(const struct whole_calls *w, const struct collective *c, struct members *m, struct output_sums *of)
{
    bool again = false;
    sum_outputs(w, c, m, of, false);
    for (size_t i = 0; i < m->n; i++) {
        of[i].scaled.unit = of[i].want.most;
        again |= isnan(part_sums_ratio(&of[i].want));
    }
    if (again)
        sum_outputs(w, c, m, of, true);
}

static double distance_of(const struct output_sums *of)
{
    double ratio = part_sums_ratio(&of->want);
    return isnan(ratio) ? part_sums_ratio(&of->scaled) : ratio;
}

static void judge_collective_outputs(const struct whole_calls *w, struct collective *c, struct members *m,
                                     const struct output_sums *of, bool tail)
{
    double *off = mem_zalloc((m->n + 1) * sizeof *off);
    c->bound = rounding_bound(c, m, c->dtype);
    c->residual = 0;
    for (size_t i = 0; i < m->n; i++) {
        off[i] = distance_of(&of[i]);
        c->residual = off[i] > c->residual ? off[i] : c->residual;
    }
    for (size_t i = 1; i < m->n && c->op && strcmp(c->name, "all_reduce") == 0; i++)
        c->equal &= m->out[i].n == m->out[0].n && !of[i].differs;
    c->verdict = c->residual <= 4 * c->bound    ? COLLECTIVE_MATCH
                 : c->residual <= 64 * c->bound ? COLLECTIVE_DRIFT
                                                : COLLECTIVE_DEVIATE;
    if (say_nonfinite(c, m, of)) {
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
    else if (c->verdict == COLLECTIVE_DEVIATE) {
        struct expectation want;
        expect_member_output(&want, w, c, m, 0);
        explain_common_error(c, m, &want);
        vec_release(&want.pieces);
    } else if (!tail && c->kind && strcmp(c->kind, "tp") == 0 && is_sum_of_equal_inputs(c, m)) {
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

/* False where that cannot be computed of one of them. */
static bool all_expected(const struct whole_calls *w, const struct collective *c, const struct members *m)
{
    bool all = true;
    for (size_t i = 0; i < m->n && all; i++) {
        struct expectation x;
        all = expect_member_output(&x, w, c, m, i);
        vec_release(&x.pieces);
    }
    return all;
}

/* A file that ends early on the way says nothing. */
static void reset_to_unread(struct collective *c)
{
    c->verdict = COLLECTIVE_UNREAD;
    c->residual = c->bound = NAN;
    c->precision = DTYPE_UNKNOWN;
    c->diagnosis = NULL;
    c->evidence[0] = 0;
    c->equal = true;
    c->reordered = false;
    vec_clear(&c->ranks);
}

/* If the expected output of a member cannot be computed, the collective stays unread. */
void collective_judge(const struct whole_calls *w, struct collective *c, bool tail)
{
    struct members m;
    c->residual = c->bound = NAN;
    c->verdict = COLLECTIVE_UNREAD;
    if (c->calls.n != c->group.n)
        return;
    if (members_read(&m, w, c) && all_expected(w, c, &m)) {
        struct output_sums *of = mem_zalloc((m.n + 1) * sizeof *of);
        sum_all(w, c, &m, of);
        judge_collective_outputs(w, c, &m, of, tail);
        if (m.unread)
            reset_to_unread(c);
        free(of);
    }
    if (!c->diagnosis && is_unused(w, c, collective_call(w, c)->region == IN_BACKWARD)) {
        collective_say(c, "unused-reduction", "%s",
                       _("what follows takes the gradient as it was before: the reduction came too late"));
        for (size_t i = 0; i < c->group.n; i++)
            vec_push(&c->ranks, c->group.v[i]);
    }
    members_release(&m);
}

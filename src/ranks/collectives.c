/* Matches the members of collective calls and recomputes them in float64 from what went in. Members are the nth call of
 * the same group on each of its ranks; the two ends of a transfer the nth from one rank to the other. */
#include "ranks/collectives.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/msg.h"
#include "ranks/part_values.h"

const char *collective_verdict_name(enum collective_verdict v)
{
    static const char *const names[] = {"match", "drift", "deviate", "missing", "extra", "unread"};
    return names[v];
}

/* What the frameworks call one thing. */
static const struct {
    const char *part, *name;
} library_names[] = {
    {"all_reduce", "all_reduce"}, {"allreduce", "all_reduce"}, {"reduce_scatter_tensor", "reduce_scatter_tensor"},
    {"reduce_scatter", "reduce_scatter_tensor"}, {"reducescatter", "reduce_scatter_tensor"},
    {"all_gather_into_tensor", "all_gather_into_tensor"}, {"all_gather", "all_gather_into_tensor"}, {"allgather", "all_gather_into_tensor"},
    {"all_to_all", "all_to_all_single"}, {"alltoall", "all_to_all_single"}, {"broadcast", "broadcast"}, {"irecv", "recv"}, {"isend", "send"},
    {"recv", "recv"}, {"receive", "recv"}, {"send", "send"},
};

static const char *library_name(const struct dump *d, uint32_t c)
{
    struct str name = dump_call_name(d, c);
    for (size_t i = 0; i < ARRAY_LEN(library_names); i++)
        if (str_ihas(name, library_names[i].part))
            return library_names[i].name;
    return NULL;
}

struct finding_collectives {
    struct collective_list *l;
    const struct whole_calls *w;
    int side, step;
};

static const struct dump *dump_of(const struct whole_calls *w, uint32_t rank)
{
    return &w->set->ranks.v[rank]->dump;
}

static const struct call_group *recorded_group(const struct dump *d, uint32_t c)
{
    size_t low = 0, high = d->groups.n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (d->groups.v[mid].call < c)
            low = mid + 1;
        else
            high = mid;
    }
    return low < d->groups.n && d->groups.v[low].call == c ? &d->groups.v[low] : NULL;
}

static void parse_ranks(const char *text, rank_list *out)
{
    for (const char *s = text; *s; ) {
        char *end;
        long v = strtol(s, &end, 10);
        if (end != s)
            vec_push(out, (int)v);
        s = end == s ? s + 1 : end;
    }
}

/* Ranks that differ from this one in these cuts only. */
static void layout_group(const struct layout *l, int rank, unsigned cuts, rank_list *out)
{
    struct rank_place own = layout_place(l, rank);
    for (int r = 0; r < layout_ranks(l); r++) {
        struct rank_place p = layout_place(l, r);
        bool same = true;
        for (int c = 0; c < CUT_RANKS; c++)
            same &= cuts >> c & 1 || p.at[c] == own.at[c];
        if (same)
            vec_push(out, r);
    }
}

static const char *kind_of(const struct layout *l, const rank_list *group, const char *name)
{
    unsigned differ = 0;
    for (size_t i = 1; i < group->n; i++) {
        struct rank_place a = layout_place(l, group->v[0]), b = layout_place(l, group->v[i]);
        for (int c = 0; c < CUT_RANKS; c++)
            differ |= (unsigned)(a.at[c] != b.at[c]) << c;
    }
    bool experts = l->size[CUT_EP] > 1 && strcmp(name, "all_to_all_single") == 0;
    switch (differ) {
    case 1u << CUT_TP: return "tp";
    case 1u << CUT_CP: return "cp";
    case 1u << CUT_DP: return experts ? "ep" : "dp";
    case 1u << CUT_DP | 1u << CUT_CP: return "dp";
    case 1u << CUT_PP: return "pp";
    default: return (int)group->n == layout_ranks(l) ? "world" : NULL;
    }
}

/* ---- rows of a call ---- */

static uint32_t first_tensor(const struct dump *d, uint32_t c, enum row_io io)
{
    EACH_EARLY_ROW(d, c, r)
        if (d->rows.v[r].io == io && d->rows.v[r].kind == ROW_TENSOR)
            return r;
    return NONE;
}

static const char *operation(const struct dump *d, uint32_t c, const char *name)
{
    if (strcmp(name, "all_reduce") != 0 && strcmp(name, "reduce_scatter_tensor") != 0)
        return NULL;
    EACH_EARLY_ROW(d, c, r) {
        struct str text = str_of(d->rows.v[r].text);
        if (d->rows.v[r].io != IO_INPUT || !text.n || d->rows.v[r].kind == ROW_TENSOR)
            continue;
        if (str_ihas(text, "max"))
            return "max";
        if (str_ihas(text, "min"))
            return "min";
        if (str_ihas(text, "avg") || str_ihas(text, "mean"))
            return "avg";
    }
    return "sum";
}

/* The nth of the whole numbers "input.K.0", "input.K.1" … among the arguments; -1: there is none. */
static long split_size(const struct dump *d, uint32_t c, const char *list, size_t n)
{
    char slot[40];
    snprintf(slot, sizeof slot, "%s.%zu", list, n);
    EACH_EARLY_ROW(d, c, r)
        if (d->rows.v[r].kind == ROW_INT && strcmp(d->slots.v[d->rows.v[r].slot], slot) == 0)
            return (long)d->rows.v[r].stat[STAT_MAX];
    return -1;
}

/* ---- recomputing ---- */

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
        const struct dump *d = dump_of(w, c->calls.v[i].rank);
        uint32_t in = first_tensor(d, c->calls.v[i].call, IO_INPUT), out = first_tensor(d, c->calls.v[i].call, IO_OUTPUT);
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
            const struct dump *d = dump_of(w, c->calls.v[k].rank);
            uint32_t call = c->calls.v[k].call, row = first_tensor(d, call, IO_INPUT);
            const struct shape *s = dump_row_shape(d, row);
            uint64_t rows = s && s->ndim ? (uint64_t)s->dim[0] : 0, each = rows ? m->in_n[k] / rows : 0, from = 0, take = rows / m->n;
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

static void say(struct collective *c, const char *id, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void say(struct collective *c, const char *id, const char *fmt, ...)
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
        say(c, "averaged", _("the outputs are %.3g times the sum of the inputs, to %.2g"), factor, left);
        return;
    }
    if (c->op && left < fmax(c->bound * 64, 1e-6) && fabs(factor - n) < 1e-3 * n) {
        say(c, "summed", _("the outputs are %.3g times the mean of the inputs, to %.2g"), factor, left);
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(coarser) && c->op; i++)
        if (dtype_table[coarser[i]].size < dtype_table[c->dtype].size && held_by(m->out[0], m->out_n[0], coarser[i]) &&
            c->residual < 8 * n * dtype_table[coarser[i]].epsilon) {
            c->precision = coarser[i];
            say(c, "low-precision-reduction", _("%s in and out, but the outputs are a sum in %s: off by %.2g, rounding explains %.2g"),
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
            say(c, "wrong-order", "%s", _("the outputs hold every rank's input, in another order than the group's"));
            return;
        }
    }
    say(c, NULL, _("the outputs differ from what the inputs give by %.2g; rounding explains %.2g"), c->residual, c->bound);
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
    const struct dump *d = dump_of(w, p->rank);
    uint64_t n = 0, each = m->in_n[0];
    double *x = NULL;
    for (uint32_t next = p->call + 1; next < d->calls.n && next < p->call + 8 && !x; next++) {
        uint32_t row = d->calls.v[next].parent == d->calls.v[p->call].parent ? first_tensor(d, next, IO_INPUT) : NONE;
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

/* What each member should have received; false where that cannot be computed of one of them. */
static bool all_expected(const struct whole_calls *w, const struct collective *c, const struct members *m, double **want)
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
        say(c, "nonfinite", _("%llu elements of the outputs of %zu ranks are not finite where the inputs give other numbers, or the other way round"),
            (unsigned long long)other, ranks);
        return true;
    }
    if (!given)
        return false;
    c->diagnosis = "nonfinite";
    snprintf(c->evidence, sizeof c->evidence, _("%llu elements of the outputs are not finite, as the inputs make them"), (unsigned long long)given);
    return false;
}

static void judge_outputs(const struct whole_calls *w, struct collective *c, const struct members *m, double *const *want, bool tail)
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
    c->verdict = c->residual <= 4 * c->bound ? COLLECTIVE_MATCH : c->residual <= 64 * c->bound ? COLLECTIVE_DRIFT : COLLECTIVE_DEVIATE;
    if (say_nonfinite(c, m, want)) {
        free(off);
        return;
    }
    for (size_t i = 0; i < m->n && c->verdict == COLLECTIVE_DEVIATE; i++)
        if (off[i] > 64 * c->bound)
            vec_push(&c->ranks, c->group.v[i]);
    if (c->verdict == COLLECTIVE_DEVIATE && !c->equal)
        say(c, "unequal-outputs", _("the outputs differ inside the group; the worst is off by %.2g from what the inputs give"), c->residual);
    else if (c->verdict == COLLECTIVE_DEVIATE)
        explain(c, m, want[0]);
    else if (!tail && c->kind && strcmp(c->kind, "tp") == 0 && doubled(c, m)) {
        say(c, "doubled-allreduce", _("the inputs are the same on all %zu ranks already, and are added up"), m->n);
        for (size_t i = 0; i < m->n; i++)
            vec_push(&c->ranks, c->group.v[i]);
    } else {
        c->precision = c->dtype;
        c->reordered = strcmp(c->name, "all_gather_into_tensor") == 0 && used_in_other_order(w, c, m);
    }
    free(off);
}

/* What cannot be computed of every member stays unread. */
static void judge(const struct whole_calls *w, struct collective *c, bool tail)
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
    for (size_t i = 0; i < m.n; i++)
        free(want[i]);
    free(want);
    members_release(&m);
}

/* ---- members ---- */

static void set_place(struct collective *c, struct finding_collectives *x, const struct part_call *p)
{
    const struct dump *d = dump_of(x->w, p->rank);
    uint32_t whole = x->w->of[p->rank][p->call], parent = d->calls.v[p->call].parent, row = first_tensor(d, p->call, IO_OUTPUT);
    c->order = x->w->calls.v[whole].order;
    c->at = parent == NONE ? NULL : arena_cstr(&x->l->arena, dump_call_name(d, parent));
    c->dtype = row == NONE ? DTYPE_UNKNOWN : (enum dtype)d->rows.v[row].dtype;
}

/* By group and number: the nth collective of that group on its rank. */
static void add_member(struct finding_collectives *x, struct map *known, struct map *counts, uint32_t rank, uint32_t call)
{
    const struct dump *d = dump_of(x->w, rank);
    const char *name = library_name(d, call);
    if (!name || strcmp(name, "send") == 0 || strcmp(name, "recv") == 0)
        return;
    const struct call_group *g = recorded_group(d, call);
    rank_list group = {0};
    if (g) {
        parse_ranks(g->ranks, &group);
    } else {
        const struct layout *l = x->w->layout;
        bool tail = x->w->places[rank].call[call].region == IN_TAIL;
        unsigned cuts = tail ? 1u << CUT_DP | 1u << CUT_CP : l->size[CUT_TP] > 1 ? 1u << CUT_TP : strcmp(name, "all_to_all_single") == 0
                        ? 1u << CUT_DP : 1u << CUT_CP;
        layout_group(l, x->w->set->ranks.v[rank]->rank, cuts, &group);
    }
    struct buf key = {0};
    for (size_t i = 0; i < group.n; i++)
        buf_fmt(&key, "%d ", group.v[i]);
    struct str counted = str_of(arena_fmt(&x->l->arena, "%u: %s", rank, key.p ? key.p : ""));
    uint32_t times = map_get(counts, counted), now = times == MAP_NONE ? 0 : times + 1;
    map_set(counts, counted, now);
    buf_fmt(&key, "#%u", now);
    uint32_t at = map_get(known, buf_view(&key));
    struct part_call p = {rank, x->w->places[rank].call[call].micro, call};
    if (at == MAP_NONE) {
        struct collective c = {.side = x->side, .step = x->step, .name = name, .op = operation(d, call, name), .group = group,
                               .group_source = g ? "dump" : "layout", .equal = true, .gradient = NONE};
        c.kind = kind_of(x->w->layout, &group, name);
        set_place(&c, x, &p);
        at = (uint32_t)x->l->v.n;
        vec_push(&x->l->v, c);
        map_add(known, arena_str(&x->l->arena, buf_view(&key)), at);
    } else {
        vec_release(&group);
    }
    vec_push(&x->l->v.v[at].calls, p);
    buf_release(&key);
}

/* Members in the order of the group. */
static void sort_members(const struct whole_calls *w, struct collective *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->group.n; i++)
        for (size_t k = n; k < c->calls.n; k++)
            if (w->set->ranks.v[c->calls.v[k].rank]->rank == c->group.v[i]) {
                struct part_call swap = c->calls.v[n];
                c->calls.v[n++] = c->calls.v[k];
                c->calls.v[k] = swap;
                break;
            }
}

/* ---- transfers ---- */

static int other_end(const struct dump *d, uint32_t c)
{
    int by_place = -1;
    EACH_EARLY_ROW(d, c, r) {
        struct str slot = str_of(d->slots.v[d->rows.v[r].slot]);
        if (d->rows.v[r].kind != ROW_INT || d->rows.v[r].io != IO_INPUT)
            continue;
        if (str_ends(slot, ".dst") || str_ends(slot, ".src") || str_ends(slot, ".peer"))
            return (int)d->rows.v[r].stat[STAT_MAX];
        if (by_place < 0)
            by_place = (int)d->rows.v[r].stat[STAT_MAX];
    }
    return by_place;
}

/* The nth call of this rank that receives from that one. */
static uint32_t nth_receive(const struct dump *d, int from, uint32_t n)
{
    for (uint32_t c = 0; c < d->calls.n; c++) {
        const char *name = call_is_collective(d, c) ? library_name(d, c) : NULL;
        if (name && strcmp(name, "recv") == 0 && other_end(d, c) == from && n-- == 0)
            return c;
    }
    return NONE;
}

static void add_transfer(struct finding_collectives *x, uint32_t rank, uint32_t call, uint32_t n)
{
    const struct dump *d = dump_of(x->w, rank);
    int from = x->w->set->ranks.v[rank]->rank, to = other_end(d, call);
    uint32_t other = rank_set_find(x->w->set, to), received = other == NONE ? NONE : nth_receive(dump_of(x->w, other), from, n);
    struct collective c = {.side = x->side, .step = x->step, .name = "send/recv", .group_source = "dump", .equal = true, .gradient = NONE, .verdict = COLLECTIVE_UNREAD,
                           .residual = NAN, .bound = 0};
    struct part_call p = {rank, x->w->places[rank].call[call].micro, call};
    vec_push(&c.group, from);
    vec_push(&c.group, to);
    c.kind = kind_of(x->w->layout, &c.group, c.name);
    set_place(&c, x, &p);
    vec_push(&c.calls, p);
    uint64_t a_n = 0, b_n = 0;
    uint32_t in = first_tensor(d, call, IO_INPUT);
    double *a = received != NONE && in != NONE ? part_values(d, in, &a_n) : NULL, *b = NULL;
    if (received != NONE) {
        const struct dump *q = dump_of(x->w, other);
        struct part_call r = {other, x->w->places[other].call[received].micro, received};
        uint32_t out = first_tensor(q, received, IO_OUTPUT);
        vec_push(&c.calls, r);
        set_place(&c, x, &r);
        b = out == NONE ? NULL : part_values(q, out, &b_n);
    }
    if (a && b) {
        c.residual = a_n == b_n ? part_distance(b, a, a_n) : INFINITY;
        c.verdict = COLLECTIVE_MATCH;
        c.precision = c.dtype;
        if (c.residual > 0) {
            say(&c, "send-receive", _("what rank %d receives differs from what rank %d sent by %.2g"), to, from, c.residual);
            vec_push(&c.ranks, to);
        }
    }
    free(a);
    free(b);
    vec_push(&x->l->v, c);
}

static void find_transfers(struct finding_collectives *x)
{
    for (uint32_t r = 0; r < x->w->set->ranks.n; r++) {
        const struct dump *d = dump_of(x->w, r);
        struct nmap sent = {0};
        for (uint32_t c = 0; c < d->calls.n; c++) {
            const char *name = call_is_collective(d, c) ? library_name(d, c) : NULL;
            if (!name || strcmp(name, "send") != 0)
                continue;
            uint64_t to = (uint64_t)(other_end(d, c) + 1);
            uint32_t n = nmap_get(&sent, to);
            n = n == MAP_NONE ? 0 : n;
            add_transfer(x, r, c, n);
            nmap_set(&sent, to, n + 1);
        }
        nmap_release(&sent);
    }
}

/* ---- beside siblings ---- */

static const struct whole_call *whole_of(const struct finding_collectives *x, const struct collective *c)
{
    return &x->w->calls.v[x->w->of[c->calls.v[0].rank][c->calls.v[0].call]];
}

/* The same call in other layers reduces in a finer type, or over another kind of group: the odd one out is wrong; of as
 * many, the coarser one. */
static void beside_siblings(struct finding_collectives *x)
{
    size_t n = x->l->v.n;
    for (size_t i = 0; i < n; i++) {
        struct collective *c = &x->l->v.v[i];
        size_t same = 0, finer = 0, other_kind = 0, own_kind = 0, in_order = 0;
        const char *kind = NULL;
        if (!c->calls.n || c->verdict == COLLECTIVE_DEVIATE || strcmp(c->name, "send/recv") == 0)
            continue;
        const struct whole_call *w = whole_of(x, c);
        for (size_t k = 0; k < n && w->region != IN_TAIL; k++) {
            const struct collective *o = &x->l->v.v[k];
            if (!o->calls.n || strcmp(o->name, c->name) != 0 || strcmp(whole_of(x, o)->like, w->like) != 0)
                continue;
            same += o->dtype == c->dtype;
            in_order += !o->reordered;
            finer += dtype_is_float(o->dtype) && dtype_is_float(c->dtype) && dtype_table[o->dtype].size > dtype_table[c->dtype].size;
            bool alike = (!o->kind && !c->kind) || (o->kind && c->kind && strcmp(o->kind, c->kind) == 0);
            own_kind += alike;
            other_kind += !alike;
            kind = alike ? kind : o->kind;
        }
        if (finer >= same && finer)
            say(c, "low-precision-reduction", _("reduced in %s; the same call of other layers in a finer type"), dtype_table[c->dtype].name);
        else if (other_kind > own_kind || (other_kind && other_kind == own_kind && kind && strcmp(kind, "tp") == 0))
            say(c, "wrong-group", _("reduced over the %s group; the same call of other layers over the %s group"), c->kind ? c->kind : "?", kind ? kind : "?");
        else if (c->reordered && in_order)
            say(c, "wrong-order", "%s", _("what was gathered is used in another order than in other layers"));
        if (c->diagnosis && !c->ranks.n)
            for (size_t k = 0; k < c->group.n; k++)
                vec_push(&c->ranks, c->group.v[k]);
    }
}

static bool outputs_differ(const struct whole_calls *w, const struct whole_call *c)
{
    for (size_t i = 1; i < c->parts.n; i++) {
        const struct part_call *a = &c->parts.v[0], *b = &c->parts.v[i];
        uint32_t x = first_tensor(dump_of(w, a->rank), a->call, IO_OUTPUT), y = first_tensor(dump_of(w, b->rank), b->call, IO_OUTPUT);
        if (a->micro == b->micro && x != NONE && y != NONE &&
            !part_same_figures(&dump_of(w, a->rank)->rows.v[x], &dump_of(w, b->rank)->rows.v[y]))
            return true;
    }
    return false;
}

/* How many collectives of a name were made inside a module's call, and one of them. */
static size_t made_inside(const struct finding_collectives *x, uint32_t module, uint32_t *one)
{
    size_t n = 0;
    for (size_t i = 0; i < x->l->v.n; i++) {
        const struct collective *c = &x->l->v.v[i];
        if (!c->calls.n || !c->at || whole_of(x, c)->parent != module)
            continue;
        n++;
        *one = (uint32_t)i;
    }
    return n;
}

static void add_missing(struct finding_collectives *x, uint32_t of, const struct whole_call *at, const char *id, const char *evidence)
{
    const struct collective *like = &x->l->v.v[of];
    const struct part_call *p = &at->parts.v[0];
    struct collective c = {.side = x->side, .step = x->step, .name = like->name, .op = like->op, .kind = like->kind, .group_source = "layout",
                           .dtype = like->dtype, .residual = NAN, .bound = NAN, .order = at->order, .gradient = NONE, .verdict = COLLECTIVE_MISSING, .diagnosis = id};
    for (size_t i = 0; i < like->group.n; i++) {
        vec_push(&c.group, like->group.v[i]);
        vec_push(&c.ranks, like->group.v[i]);
    }
    c.at = arena_cstr(&x->l->arena, dump_call_name(dump_of(x->w, p->rank), p->call));
    snprintf(c.evidence, sizeof c.evidence, "%s", evidence);
    vec_push(&x->l->v, c);
}

/* A module that makes no collective where it does in other layers, and whose results are parts of a sum. */
static void find_missing(struct finding_collectives *x)
{
    for (uint32_t m = 0; m < x->w->calls.n; m++) {
        const struct whole_call *own = &x->w->calls.v[m];
        uint32_t one = NONE, other = NONE;
        if (own->kind != CALL_MODULE || own->gradient || made_inside(x, m, &one))
            continue;
        for (uint32_t k = 0; k < x->w->calls.n && other == NONE; k++)
            if (k != m && strcmp(x->w->calls.v[k].like, own->like) == 0 && made_inside(x, k, &one) &&
                (outputs_differ(x->w, own) || outputs_differ(x->w, &x->w->calls.v[k])))
                other = one;
        if (other != NONE)
            add_missing(x, other, own, "missing-allreduce", _("no reduction here, where the same module of other layers has one: the outputs are partial sums"));
    }
}

/* ---- gradients ---- */

/* The reduction a gradient goes into, on its rank: of its shape and norm, times 1/(dp·cp) or not; NONE: it meets none. */
static uint32_t reduction_of(const struct finding_collectives *x, uint32_t rank, const struct row *grad, const char *kind)
{
    double mean = 1.0 / (x->w->layout->size[CUT_DP] * x->w->layout->size[CUT_CP]);
    const struct row *now = grad;
    const struct dump *d = dump_of(x->w, rank);
    for (size_t i = 0; i < x->l->v.n; i++) {
        const struct collective *c = &x->l->v.v[i];
        for (size_t k = 0; k < c->calls.n; k++) {
            if (c->calls.v[k].rank != rank || !c->op || whole_of(x, c)->region != IN_TAIL)
                continue;
            uint32_t in = first_tensor(d, c->calls.v[k].call, IO_INPUT), out = first_tensor(d, c->calls.v[k].call, IO_OUTPUT);
            if (in == NONE || out == NONE || dump_row_numel(d, in) == 0 || d->rows.v[in].shape != now->shape)
                continue;
            double norm = d->rows.v[in].stat[STAT_NORM], own = now->stat[STAT_NORM];
            if (fabs(norm - own) > 1e-6 * own && fabs(norm - own * mean) > 1e-6 * own)
                continue;
            if (c->kind && strcmp(c->kind, kind) == 0)
                return (uint32_t)i;
            now = &d->rows.v[out];
        }
    }
    return NONE;
}

static uint32_t gradient_row(const struct whole_calls *w, const struct whole_call *c, uint32_t rank)
{
    uint32_t best = NONE, micro = 0;
    for (size_t i = 0; i < c->parts.n; i++)
        if (c->parts.v[i].rank == rank && (best == NONE || c->parts.v[i].micro >= micro)) {
            const struct dump *d = dump_of(w, rank);
            uint32_t first = d->calls.v[c->parts.v[i].call].first_row;
            if (first != NONE && d->rows.v[first].kind == ROW_TENSOR) {
                best = first;
                micro = c->parts.v[i].micro;
            }
        }
    return best;
}

/* What becomes of every weight's gradient in the reductions over one kind of group. */
struct gradients {
    uint32_t *met;  /* of each whole call: the collective, or NONE */
    bool *differs;  /* between ranks */
    size_t all, reduced;
};

static void follow_gradients(struct finding_collectives *x, const char *kind, struct gradients *g)
{
    size_t n = x->w->calls.n;
    *g = (struct gradients){.met = mem_alloc((n + 1) * sizeof *g->met), .differs = mem_zalloc(n + 1)};
    for (uint32_t i = 0; i < n; i++) {
        const struct whole_call *c = &x->w->calls.v[i];
        const struct part_call *p = &c->parts.v[0];
        uint32_t row = c->gradient ? gradient_row(x->w, c, p->rank) : NONE;
        g->met[i] = row == NONE ? NONE : reduction_of(x, p->rank, &dump_of(x->w, p->rank)->rows.v[row], kind);
        for (size_t k = 1; row != NONE && k < c->parts.n; k++) {
            uint32_t other = gradient_row(x->w, c, c->parts.v[k].rank);
            g->differs[i] |= other != NONE && !part_same_figures(&dump_of(x->w, p->rank)->rows.v[row], &dump_of(x->w, c->parts.v[k].rank)->rows.v[other]);
        }
        g->all += g->differs[i];
        g->reduced += g->met[i] != NONE;
        if (g->met[i] != NONE && !x->l->v.v[g->met[i]].at) {
            x->l->v.v[g->met[i]].gradient = i;
            x->l->v.v[g->met[i]].at = arena_cstr(&x->l->arena, dump_call_name(dump_of(x->w, p->rank), p->call));
        }
    }
}

/* A gradient that ranks which share the weight compute apart and that meets no reduction, where the same one of other
 * layers does, or most others do. */
static void find_unreduced(struct finding_collectives *x, const char *kind)
{
    struct gradients g;
    follow_gradients(x, kind, &g);
    for (uint32_t i = 0; i < x->w->calls.n; i++) {
        uint32_t like = NONE, any = NONE;
        if (g.met[i] != NONE || !g.differs[i])
            continue;
        for (uint32_t k = 0; k < x->w->calls.n; k++) {
            if (g.met[k] != NONE && strcmp(x->w->calls.v[k].like, x->w->calls.v[i].like) == 0)
                like = g.met[k];
            any = g.met[k] != NONE ? g.met[k] : any;
        }
        bool most = strcmp(kind, "dp") == 0 && g.reduced * 2 > g.all && !str_ihas(str_of(x->w->calls.v[i].key), "expert");
        if (like != NONE || (most && any != NONE))
            add_missing(x, like != NONE ? like : any, &x->w->calls.v[i], "unreduced-gradient",
                        _("the gradient differs between ranks that share the weight and meets no reduction over them"));
    }
    free(g.met);
    free(g.differs);
}

/* ---- beside the other side ---- */

/* The norm a weight's gradient ends with: of its last reduction, or its own; NAN where it is not recorded. */
static double final_norm(const struct collective_list *l, const struct whole_calls *w, uint32_t gradient, uint64_t *numel)
{
    const struct part_call *p = &w->calls.v[gradient].parts.v[0];
    const struct dump *d = dump_of(w, p->rank);
    uint32_t row = gradient_row(w, &w->calls.v[gradient], p->rank);
    for (size_t i = 0; i < l->v.n; i++)
        if (l->v.v[i].gradient == gradient && l->v.v[i].calls.n) {
            d = dump_of(w, l->v.v[i].calls.v[0].rank);
            row = first_tensor(d, l->v.v[i].calls.v[0].call, IO_OUTPUT);
        }
    if (row == NONE || !(d->rows.v[row].has & HAS_NORM))
        return NAN;
    *numel = dump_row_numel(d, row);
    return d->rows.v[row].stat[STAT_NORM];
}

void collectives_compare(struct collective_list *l, const struct whole_calls *w, const struct collective_list *other, const struct whole_calls *of)
{
    double ranks = w->layout->size[CUT_DP] * w->layout->size[CUT_CP];
    for (size_t i = 0; i < l->v.n && ranks > 1; i++) {
        struct collective *c = &l->v.v[i];
        uint32_t partner = c->gradient == NONE || collective_is_bad(c) ? NONE : w->calls.v[c->gradient].partner;
        uint64_t n = 0, m = 0;
        double a = partner == NONE ? NAN : final_norm(l, w, c->gradient, &n), b = partner == NONE ? NAN : final_norm(other, of, partner, &m);
        if (!(b > 0) || n != m)
            continue;
        bool sum = fabs(a / b / ranks - 1) < 1e-3, mean = fabs(a / b * ranks - 1) < 1e-3;
        if (sum)
            say(c, "summed", _("the gradient is %.4g times the other side's: a sum over %g ranks, not their mean"), a / b, ranks);
        else if (mean)
            say(c, "averaged", _("the gradient is %.4g times the other side's: averaged once more over %g ranks"), a / b, ranks);
        for (size_t k = 0; (sum || mean) && k < c->group.n; k++)
            vec_push(&c->ranks, c->group.v[k]);
    }
}

static int by_order(const void *a, const void *b)
{
    const struct collective *x = a, *y = b;
    return x->order != y->order ? (x->order > y->order) - (x->order < y->order)
           : x->group.n && y->group.n ? (x->group.v[0] > y->group.v[0]) - (x->group.v[0] < y->group.v[0]) : 0;
}

void collectives_find(struct collective_list *l, const struct whole_calls *w, int side, int step)
{
    struct finding_collectives x = {.l = l, .w = w, .side = side, .step = step};
    struct map known = {0}, counts = {0};
    if (w->set->ranks.n < 2)
        return;
    for (uint32_t r = 0; r < w->set->ranks.n; r++)
        for (uint32_t c = 0; c < dump_of(w, r)->calls.n; c++)
            if (call_is_collective(dump_of(w, r), c))
                add_member(&x, &known, &counts, r, c);
    map_release(&known);
    map_release(&counts);
    for (size_t i = 0; i < l->v.n; i++) {
        sort_members(w, &l->v.v[i]);
        judge(w, &l->v.v[i], whole_of(&x, &l->v.v[i])->region == IN_TAIL);
    }
    find_transfers(&x);
    beside_siblings(&x);
    find_missing(&x);
    if (w->layout->size[CUT_DP] * w->layout->size[CUT_CP] > 1)
        find_unreduced(&x, "dp");
    if (w->layout->size[CUT_CP] > 1 && w->layout->size[CUT_DP] == 1)
        find_unreduced(&x, "cp");
    if (w->layout->size[CUT_TP] > 1)
        find_unreduced(&x, "tp");
    vec_sort(&l->v, by_order);
}

void collective_list_release(struct collective_list *l)
{
    for (size_t i = 0; i < l->v.n; i++) {
        vec_release(&l->v.v[i].group);
        vec_release(&l->v.v[i].calls);
        vec_release(&l->v.v[i].ranks);
    }
    vec_release(&l->v);
    arena_release(&l->arena);
}

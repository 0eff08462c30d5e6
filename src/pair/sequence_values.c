/* Pairs rows of backward calls by value. Backward operators of a graph dump have no forward twins by name, and their
 * scopes name only one user of a shared subgraph; but the gradients passed between calls are the same in both
 * frameworks. */
#include "pair/sequence_parts.h"

#include <math.h>
#include <stdlib.h>

#include "dump/family.h"

#define REACH 2         /* neighbouring cells searched: noise changes figures slightly */
#define CELLS 500       /* cells per unit of log of the largest magnitude: 0.2 % each */
#define AGREE 0.99f     /* cosine of two samples above which they are the same value */
#define LOOKS 20000     /* the most pairs of tensors opened */
#define EQUAL 2e-6      /* relative difference of figures of equal values, due to summation order */
#define CANDIDATES 64   /* rows examined per cell */

struct value_row {
    uint32_t row, next;
};

/* Backward rows of one side, indexed by size and magnitude. */
struct value_index {
    struct nmap first;
    VEC(struct value_row) list;
};

/* The index cell of a row's value; false for values that are not distinctive: scalars, constants, rows without
 * figures. */
static bool cell_of(const struct dump *d, uint32_t row, int64_t *cell)
{
    const struct row *r = &d->rows.v[row];
    double max = r->stat[STAT_MAX], min = r->stat[STAT_MIN];
    bool figures = (r->has & HAS_MAX) && (r->has & HAS_MIN) && isfinite(max) && isfinite(min) && max != min;
    if (r->kind != ROW_TENSOR || !figures || dump_row_numel(d, row) <= 1 || d->calls.v[r->call].phase != PHASE_BACKWARD)
        return false;
    *cell = llround(log(fmax(fabs(max), fabs(min))) * CELLS);
    return true;
}

static uint64_t fingerprint_key(uint64_t numel, int64_t cell)
{
    uint64_t key[2] = {numel, (uint64_t)cell};
    return hash_bytes(key, sizeof key, 13);
}

static void index_rows(const struct sequence *w, int s, struct value_index *x)
{
    const struct dump *d = w->d[s];
    int64_t cell;
    for (uint32_t r = (uint32_t)d->rows.n; r-- > 0;) { /* backwards, so that each list begins with the earliest */
        if (!cell_of(d, r, &cell))
            continue;
        uint64_t key = fingerprint_key(dump_row_numel(d, r), cell);
        struct value_row h = {r, nmap_get(&x->first, key)};
        vec_push(&x->list, h);
        nmap_set(&x->first, key, (uint32_t)x->list.n - 1);
    }
}

/* The difference between the figures of two rows of one size: extremes and mean relative to the elements' size, the
 * norm to itself. */
static double fingerprint_distance(const struct dump *d, uint32_t row, const struct dump *o, uint32_t other)
{
    const struct row *a = &d->rows.v[row], *b = &o->rows.v[other];
    double extreme = fmax(fabs(b->stat[STAT_MAX]), fabs(b->stat[STAT_MIN])), element = extreme;
    int both = a->has & b->has;
    double worst =
        fmax(fabs(a->stat[STAT_MAX] - b->stat[STAT_MAX]), fabs(a->stat[STAT_MIN] - b->stat[STAT_MIN])) / extreme;
    if ((both & HAS_NORM) && b->stat[STAT_NORM] > 0) {
        worst = fmax(worst, fabs(a->stat[STAT_NORM] / b->stat[STAT_NORM] - 1));
        element = b->stat[STAT_NORM] / sqrt((double)dump_row_numel(o, other));
    }
    if (both & HAS_MEAN)
        worst = fmax(worst, fabs(a->stat[STAT_MEAN] - b->stat[STAT_MEAN]) / element);
    return worst;
}

struct value_candidate {
    uint32_t row;
    enum likeness like;
    double distance;
};

bool sequence_contradicted(struct sequence *w, int s, uint32_t row, uint32_t other, bool *proven)
{
    struct value_sample a, b;
    *proven = false;
    if (w->looked >= LOOKS || !dump_row_readable(w->d[s], row) || !dump_row_readable(w->d[!s], other))
        return false;
    w->looked++;
    if (!sequence_sample(w->d[s], row, &a) || !sequence_sample(w->d[!s], other, &b))
        return false;
    float c = sequence_cosine(&a, &b);
    *proven = c > AGREE;
    return !*proven && fabsf(c) > VALUE_UNRELATED;
}

/* Rows of side s with figures near those of the other side's row, CANDIDATES at most; the least distance. */
static double near_rows(const struct sequence *w, const struct value_index *x, int s, uint32_t row,
                        struct value_candidate *out, uint32_t *n)
{
    const struct dump *d = w->d[s], *o = w->d[!s];
    struct fingerprint want = fingerprint_of(o, row);
    double nearest = INFINITY;
    int64_t cell;
    *n = 0;
    if (!cell_of(o, row, &cell))
        return nearest;
    for (int64_t c = cell - REACH; c <= cell + REACH; c++)
        for (uint32_t i = nmap_get(&x->first, fingerprint_key(dump_row_numel(o, row), c)); i != MAP_NONE && *n <
             CANDIDATES;
             i = x->list.v[i].next) {
            struct value_candidate k = {x->list.v[i].row, LIKE_NOT, INFINITY};
            struct fingerprint have = fingerprint_of(d, k.row);
            k.like = fingerprint_compare(&have, &want);
            if (k.like <= LIKE_UNKNOWN)
                continue;
            k.distance = fingerprint_distance(d, k.row, o, row);
            nearest = fmin(nearest, k.distance);
            out[(*n)++] = k;
        }
    return nearest;
}

/* The free row with the same value, preferably with the same role in its call; NONE if there is none. Of two rows, one
 * of which is less near than the nearest to the other at all, each holds a value of its own: a rotated gradient and a
 * sum that is one of its terms but for little have almost the same figures. */
static uint32_t find_value(struct sequence *w, const struct value_index *x, int s, uint32_t row)
{
    const struct dump *d = w->d[s], *o = w->d[!s];
    struct value_candidate all[CANDIDATES], back[CANDIDATES];
    uint32_t n, m, found = NONE;
    double nearest = near_rows(w, &x[s], s, row, all, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (!sequence_free(w, s, all[i].row) || all[i].distance > 4 * nearest + EQUAL ||
            all[i].distance > 4 * near_rows(w, &x[!s], !s, all[i].row, back, &m) + EQUAL)
            continue;
        bool role = (d->rows.v[all[i].row].io == IO_INPUT) == (o->rows.v[row].io == IO_INPUT);
        bool better = found == NONE ||
                      (role && (d->rows.v[found].io == IO_INPUT) != (o->rows.v[row].io == IO_INPUT)), proven;
        if (!better || sequence_contradicted(w, s, all[i].row, row, &proven))
            continue;
        /* figures that are only near each other (noise, 16-bit types) need agreeing elements */
        if (all[i].like == LIKE_SAME || proven)
            found = all[i].row;
    }
    return found;
}

/* Whether one of the call's inputs has this output's value: a gradient hook has recorded an inner node. */
static bool passes_through(const struct dump *d, uint32_t output)
{
    struct fingerprint out = fingerprint_of(d, output);
    EACH_EARLY_ROW(d, d->rows.v[output].call, r) {
        struct fingerprint in = fingerprint_of(d, r);
        if (d->rows.v[r].io == IO_INPUT && fingerprint_compare(&in, &out) == LIKE_SAME)
            return true;
    }
    return false;
}

/* The only free output of a call with this size. */
static uint32_t lone_output(const struct sequence *w, int s, uint32_t call, uint64_t numel)
{
    uint32_t found = NONE;
    EACH_EARLY_ROW(w->d[s], call, r) {
        if (w->d[s]->rows.v[r].io != IO_OUTPUT || w->d[s]->rows.v[r].kind != ROW_TENSOR ||
            dump_row_numel(w->d[s], r) != numel)
            continue;
        if (found != NONE || !sequence_free(w, s, r))
            return NONE;
        found = r;
    }
    return found;
}

/* The number of gradients that a call takes, as far as sizes tell: indices and axes are small or whole. */
static int gradients_taken(const struct dump *d, uint32_t call)
{
    int n = 0;
    EACH_EARLY_ROW(d, call, r)
        n += d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR && dump_row_numel(d, r) > 1 &&
             dtype_is_float(d->rows.v[r].dtype);
    return n;
}

/* Pairs outputs of two calls whose inputs hold the same gradient, whatever their values. */
static void pair_outputs(struct sequence *w, uint32_t t, uint32_t g)
{
    uint32_t call[2] = {w->d[TARGET]->rows.v[t].call, w->d[GOLDEN]->rows.v[g].call};
    uint8_t family[2] = {w->d[TARGET]->calls.v[call[TARGET]].family, w->d[GOLDEN]->calls.v[call[GOLDEN]].family};
    /* for a product the hook may have recorded any inner node, and each operand has its own operator */
    if (family_is_product(family[TARGET]) || family_is_product(family[GOLDEN]))
        return;
    /* of parts put together again the other side may take one alone, and leave zeros for the others */
    if (family[TARGET] == FAMILY_VIEW &&
        gradients_taken(w->d[TARGET], call[TARGET]) != gradients_taken(w->d[GOLDEN], call[GOLDEN]))
        return;
    EACH_EARLY_ROW(w->d[TARGET], call[TARGET], r) {
        if (w->d[TARGET]->rows.v[r].io != IO_OUTPUT || !sequence_free(w, TARGET, r) || passes_through(w->d[TARGET], r))
            continue;
        uint64_t numel = dump_row_numel(w->d[TARGET], r);
        uint32_t other = lone_output(w, GOLDEN, call[GOLDEN], numel);
        if (numel > 1 && other != NONE && lone_output(w, TARGET, call[TARGET], numel) == r &&
            !passes_through(w->d[GOLDEN], other) &&
            family[TARGET] == family[GOLDEN])
            sequence_emit(w, r, other, WHY_INPUTS, 0.7f);
    }
}

/* The backward rows of both sides, indexed once. */
static struct value_index *backward_index(struct sequence *w)
{
    if (!w->values) {
        w->values = mem_zalloc(2 * sizeof *w->values);
        for (int s = 0; s < 2; s++)
            index_rows(w, s, &w->values[s]);
    }
    return w->values;
}

void sequence_values_release(struct sequence *w)
{
    for (int s = 0; w->values && s < 2; s++) {
        nmap_release(&w->values[s].first);
        vec_release(&w->values[s].list);
    }
    free(w->values);
}

bool sequence_held_nearer(struct sequence *w, uint32_t t, uint32_t g)
{
    const struct value_index *x = backward_index(w);
    struct value_candidate all[CANDIDATES];
    uint32_t n;
    double apart = fingerprint_distance(w->d[TARGET], t, w->d[GOLDEN], g);
    return apart > 4 * near_rows(w, &x[TARGET], TARGET, g, all, &n) + EQUAL ||
           apart > 4 * near_rows(w, &x[GOLDEN], GOLDEN, t, all, &n) + EQUAL;
}

void sequence_backward_values(struct sequence *w, int graph)
{
    const struct value_index *x = backward_index(w);
    const struct dump *o = w->d[!graph];
    size_t before = w->out->n;
    for (uint32_t r = 0; x[graph].list.n && r < o->rows.n; r++) {
        uint32_t found = sequence_free(w, !graph, r) ? find_value(w, x, graph, r) : NONE;
        if (found != NONE)
            sequence_emit(w, graph ? r : found, graph ? found : r, WHY_FINGERPRINT, 0.85f);
    }
    for (size_t i = before, n = w->out->n; i < n; i++) {
        struct sequence_pair p = w->out->v[i];
        if (w->d[TARGET]->rows.v[p.t].io == IO_INPUT && w->d[GOLDEN]->rows.v[p.g].io == IO_INPUT)
            pair_outputs(w, p.t, p.g);
    }
}

/* Builds the data flow in one pass: looks up each row by count and extremes among earlier values; in graph dumps also
 * finds the products that compute a weight's gradient. */
#include "dump/dataflow.h"

#include <math.h>
#include <stdlib.h>

#include "dump/family.h"

#define AHEAD 8 /* prefetch distance in rows: about the memory latency */
#define HOLDERS_BACK 64 /* the most rows with equal count and extremes whose norm is compared */

/* The rows that hold one value, as seen so far. */
struct value_holders {
    uint64_t key;
    uint32_t last_row, first_row; /* first_row: as an input, or NONE */
    uint32_t last_call; /* the last call with it as an input */
    bool handed_on; /* the first holder returned it unchanged (a disabled dropout): an activation, not a table */
};

uint32_t scope_layer(const char *scope)
{
    struct str rest = str_of(scope), part;
    for (bool again = true; again;) {
        unsigned long long n;
        again = str_split(rest, '.', &part, &rest);
        if (str_u64(part, &n) && n < NONE)
            return (uint32_t)n;
    }
    return NONE;
}

static bool value_key(const struct dump *d, uint32_t row, uint64_t *key)
{
    const struct row *r = &d->rows.v[row];
    uint64_t numel = dump_row_numel(d, row);
    if (r->kind != ROW_TENSOR || (r->has & (HAS_MAX | HAS_MIN)) != (HAS_MAX | HAS_MIN) || numel == 0)
        return false;
    uint64_t extreme[2];
    memcpy(&extreme[0], &r->stat[STAT_MAX], sizeof extreme[0]);
    memcpy(&extreme[1], &r->stat[STAT_MIN], sizeof extreme[1]);
    *key = key_add(key_add(key_add(0, numel), extreme[0]), extreme[1]);
    return true;
}

/* Whether norms agree up to summation order (strides), and to a rounding of the type in which they were recorded. */
static bool same_norm(const struct row *a, const struct row *b)
{
    if (!(a->has & b->has & HAS_NORM))
        return true;
    double x = a->stat[STAT_NORM], y = b->stat[STAT_NORM];
    double rounding = fmax(dtype_table[a->dtype].epsilon, dtype_table[b->dtype].epsilon) / 2;
    rounding = a->dtype != b->dtype && rounding < 0.01 ? rounding : 0; /* coarser ones hold no figures */
    return x == y || !isfinite(x) || !isfinite(y) || fabs(x - y) <= fmax(2e-3, rounding) * fabs(y);
}

#define MEANS_APART 0.01 /* of the size of an element: more than sums and roundings of one value differ by */

/* Whether the recorded means of two rows of one size are those of two values. */
static bool means_apart(const struct dump *d, uint32_t a, uint32_t b)
{
    const struct row *x = &d->rows.v[a], *y = &d->rows.v[b];
    const int needed = HAS_MEAN | HAS_NORM;
    double usual = y->stat[STAT_NORM] / sqrt((double)dump_row_numel(d, b)), t = x->stat[STAT_MEAN],
           g = y->stat[STAT_MEAN];
    return (x->has & y->has & needed) == needed && isfinite(usual) &&
           fabs(t - g) > MEANS_APART * fmax(usual, fmax(fabs(t), fabs(g)));
}

/* The latest earlier row with the same count and extremes, an equal norm and mean, if the very last one has others:
 * many gradients of absolute differences share their extremes, and their norms. */
static uint32_t holder_before(const struct dump *d, const uint32_t *alike, uint32_t row, uint32_t last)
{
    const struct row *r = &d->rows.v[row];
    for (int i = 0; i < HOLDERS_BACK && last != NONE; i++, last = alike[last]) {
        const struct row *x = &d->rows.v[last];
        if (x->call != r->call && (x->has & r->has & HAS_NORM) &&
            fabs(x->stat[STAT_NORM] - r->stat[STAT_NORM]) <= 1e-6 * fabs(r->stat[STAT_NORM]) &&
            !means_apart(d, row, last))
            return last;
    }
    return NONE;
}

/* Sorted integers have the figures of the unsorted ones: the latest holder of the row's own shape, if the very last one
 * has another. */
static uint32_t holder_of_shape(const struct dump *d, const uint32_t *alike, uint32_t row, uint32_t last)
{
    const struct row *r = &d->rows.v[row];
    uint32_t x = last;
    if (dtype_table[r->dtype].klass != CLASS_INT)
        return last;
    for (int i = 0; i < HOLDERS_BACK && x != NONE; i++, x = alike[x])
        if (d->rows.v[x].shape == r->shape && d->rows.v[x].call != r->call && same_norm(&d->rows.v[x], r))
            return x;
    return last;
}

/* Whether the holders are in different layers, or, if scopes are unknown, far apart in the calls. */
static bool holders_apart(const struct dataflow *f, const struct dump *d, const struct value_holders *h)
{
    uint32_t first = h->first_row == NONE ? NONE : d->rows.v[h->first_row].call;
    if (first == NONE || first == h->last_call || h->handed_on)
        return false;
    if (f->layer[first] != NONE && f->layer[h->last_call] != NONE)
        return f->layer[first] != f->layer[h->last_call];
    return (h->last_call - first) > d->calls.n * 3 / 20;
}

/* Graph dumps do not record a weight's gradient, only the product that computes it. */
static void find_weight_gradients(struct dataflow *f, const struct dump *d)
{
    uint8_t *read = mem_zalloc(d->calls.n + 1);
    for (uint32_t row = 0; row < d->rows.n; row++) {
        const struct row *r = &d->rows.v[row];
        const struct call *c = &d->calls.v[r->call];
        bool reads = r->io == IO_INPUT && c->phase == PHASE_BACKWARD && c->family != FAMILY_ADD;
        /* every earlier holder of the value, because each consumer holds it in turn */
        uint32_t h = reads ? f->held[row] : NONE;
        for (int i = 0; h != NONE && i < HELD_STEPS; h = f->held[h], i++)
            read[d->rows.v[h].call] |= d->rows.v[h].io == IO_OUTPUT;
    }
    for (uint32_t c = 0; c < d->calls.n; c++) {
        const struct call *x = &d->calls.v[c];
        bool product = x->kind == CALL_OPERATOR && x->phase == PHASE_BACKWARD && family_is_product(x->family);
        uint32_t output = NONE;
        EACH_EARLY_ROW(d, c, r)
            output = d->rows.v[r].io == IO_OUTPUT && f->known[r] ? r : output;
        f->weight_gradient[c] = product && output != NONE && !read[c];
    }
    free(read);
}

/* Many calls share a scope, so each scope is parsed once. */
static void find_layers(struct dataflow *f, const struct dump *d)
{
    uint32_t *of_scope = mem_alloc((d->scopes.n + 1) * sizeof *of_scope);
    for (size_t s = 0; s < d->scopes.n; s++)
        of_scope[s] = scope_layer(d->scopes.v[s]);
    for (size_t c = 0; c < d->calls.n; c++)
        f->layer[c] = d->calls.v[c].scope == NONE ? NONE : of_scope[d->calls.v[c].scope];
    free(of_scope);
}

void dataflow_build(struct dataflow *f, const struct dump *d)
{
    size_t n = d->rows.n, values = 0;
    struct key_index index;
    uint64_t keys[AHEAD] = {0}; /* of this row and the following ones */
    struct value_holders *holders = mem_alloc((n + 1) * sizeof *holders);
    /* per row: the previous row with the same count and extremes */
    uint32_t *alike = mem_alloc((n + 1) * sizeof *alike);
    *f = (struct dataflow){
        .held = mem_alloc((n + 1) * sizeof *f->held),
        .known = mem_zalloc(n + 1),
        .recurs = mem_zalloc(n + 1),
        .weight = mem_zalloc(n + 1),
        .weight_gradient = mem_zalloc(d->calls.n + 1),
        .layer = mem_alloc((d->calls.n + 1) * sizeof *f->layer),
    };
    key_index_make(&index, n);
    find_layers(f, d);
    for (uint32_t row = 0; row < n && row < AHEAD; row++)
        f->known[row] = value_key(d, row, &keys[row]);
    for (uint32_t row = 0; row < n; row++) {
        const struct row *r = &d->rows.v[row];
        uint64_t key = keys[row % AHEAD];
        if (row + AHEAD < n && (f->known[row + AHEAD] = value_key(d, row + AHEAD, &keys[row % AHEAD])))
            key_index_expect(&index, keys[row % AHEAD]);
        f->held[row] = alike[row] = NONE;
        if (!f->known[row])
            continue;
        uint32_t *h = key_index_slot(&index, key, &holders->key, sizeof *holders);
        if (*h == MAP_NONE) {
            *h = (uint32_t)values;
            holders[values++] = (struct value_holders){.key = key, .last_row = NONE, .first_row = NONE};
        }
        struct value_holders *x = &holders[*h];
        if (x->last_row != NONE && d->rows.v[x->last_row].call != r->call &&
            same_norm(&d->rows.v[x->last_row], r))
            f->held[row] = holder_of_shape(d, alike, row, x->last_row);
        else if (x->last_row != NONE && d->rows.v[x->last_row].call == r->call && same_norm(&d->rows.v[x->last_row], r))
            f->held[row] = f->held[x->last_row]; /* x * x: both operands come from an earlier row */
        else
            f->held[row] = holder_before(d, alike, row, x->last_row);
        if (f->held[row] != NONE && means_apart(d, row, f->held[row])) {
            uint32_t nearer = holder_before(d, alike, row, x->last_row);
            f->held[row] = nearer == NONE ? f->held[row] : nearer;
        }
        if (r->io == IO_PARAMETER && f->held[row] != NONE) {
            uint32_t first = dataflow_first(f, row);
            f->weight[first] = d->rows.v[first].io == IO_INPUT;
        }
        alike[row] = x->last_row;
        const struct call *c = &d->calls.v[r->call];
        if (r->io == IO_OUTPUT && x->first_row != NONE && d->rows.v[x->first_row].call == r->call &&
            (c->kind == CALL_MODULE || c->family == FAMILY_RANDOM))
            x->handed_on = true;
        if (r->io == IO_INPUT && c->phase == PHASE_FORWARD) {
            if (x->first_row == NONE)
                x->first_row = row;
            /* probabilities are between 0 and 1 in every layer: the norm distinguishes them from a table */
            if (same_norm(&d->rows.v[x->first_row], r))
                x->last_call = r->call;
        }
        x->last_row = row;
    }
    for (size_t i = 0; i < values; i++)
        for (uint32_t row = holders_apart(f, d, &holders[i]) ? holders[i].last_row : NONE; row !=
             NONE; row = alike[row])
            f->recurs[row] = same_norm(&d->rows.v[holders[i].first_row], &d->rows.v[row]);
    find_weight_gradients(f, d);
    free(alike);
    free(holders);
    key_index_release(&index);
}

void dataflow_release(struct dataflow *f)
{
    free(f->held);
    free(f->known);
    free(f->recurs);
    free(f->weight);
    free(f->weight_gradient);
    free(f->layer);
    *f = (struct dataflow){0};
}

uint32_t dataflow_first(const struct dataflow *f, uint32_t row)
{
    while (f->held[row] != NONE)
        row = f->held[row];
    return row;
}

uint32_t dataflow_maker(const struct dataflow *f, const struct dump *d, uint32_t row)
{
    uint32_t h = f->held[row];
    for (int i = 0; h != NONE && d->rows.v[h].io != IO_OUTPUT && i < HELD_STEPS; i++)
        h = f->held[h];
    return h != NONE && d->rows.v[h].io == IO_OUTPUT ? h : NONE;
}

bool dataflow_is_made(const struct dataflow *f, const struct dump *d, uint32_t row)
{
    uint32_t first = dataflow_first(f, row);
    const struct row *x = &d->rows.v[first];
    EACH_EARLY_ROW(d, x->call, r)
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].stat[STAT_MAX] == x->stat[STAT_MAX] &&
            d->rows.v[r].stat[STAT_MIN] == x->stat[STAT_MIN] && d->rows.v[r].dtype == x->dtype &&
            dump_row_numel(d, r) == dump_row_numel(d, first))
            return false;
    return x->io == IO_OUTPUT;
}

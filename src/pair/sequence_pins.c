/* Calls that hold the same values on both sides, pinned before anything is aligned. Both sides run the same weights, so
 * a weight says which product is which whatever happened upstream; and a result is nearest to its own counterpart long
 * after an error has crept in. Order and kind decide only what values leave open.
 *
 * Two calls may have exchanged their weights: that is the fault somebody looks for, and where what reads their results
 * says so, the flow decides and not the value. */
#include "pair/sequence_parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/threads.h"
#include "dump/reader.h"
#include "dump/family.h"
#include "dump/role.h"

#define STRETCH 4        /* of them in a row */
#define GOLDEN_RATIO 0.6180339887498949
#define CONSTANT 0.01    /* deviations from the mean, relative, up to which a sample is a constant's */
#define ITEMS_MOST 20000 /* a side's results that are sampled: each is a file to open */
#define NEIGHBOURHOOD 1024 /* items around its place that one is compared with */
#define MARGIN 8           /* items beyond the neighbouring pins */
#define CLOSE 0.9f       /* cosine of two samples from which they may be one value */
#define CLEAR 0.5f       /* its distance from 1 against the next best one's */
#define EQUAL 1e-6f      /* 1 - cosine of samples of one value */

/* ---- samples ---- */

struct sampling {
    const struct dump *d;
    const align_item_list *items;
    struct value_sample *out;
};

/* A few stretches of elements in logical order, at places that depend on the count alone: reshaped tensors have the
 * same. Even steps would fall on one position or channel of every head. */
bool sequence_sample(const struct dump *d, uint32_t row, struct value_sample *s)
{
    struct tensor t;
    struct tensor_walk w;
    struct err quiet;
    double sum = 0;
    *s = (struct value_sample){.norm = 0};
    if (!d->reader || !dump_row_readable(d, row) || dump_row_numel(d, row) < 8 || dump_tensor(d, row, &t, &quiet))
        return false;
    uint64_t n = t.numel < VALUE_SAMPLE ? t.numel : VALUE_SAMPLE;
    tensor_walk_init(&w, &t);
    for (uint64_t k = 0; k < n; k += STRETCH) {
        double value[STRETCH];
        size_t take = n - k < STRETCH ? (size_t)(n - k) : STRETCH;
        double spread = fmod((double)(k / STRETCH + 1) * GOLDEN_RATIO, 1);
        uint64_t at = t.numel <= VALUE_SAMPLE ? k : (uint64_t)(spread * (double)(t.numel - STRETCH));
        tensor_walk_seek(&w, at);
        if (tensor_walk_values(&w, value, take, &quiet)) {
            sum = NAN;
            break;
        }
        for (size_t q = 0; q < take; q++) {
            s->v[k + q] = (float)value[q];
            sum += value[q] * value[q];
        }
    }
    tensor_walk_release(&w);
    tensor_close(&t);
    s->norm = isfinite(sum) ? (float)sqrt(sum) : 0;
    return s->norm > 0;
}

static void sample_one(void *ctx, size_t i)
{
    const struct sampling *x = ctx;
    struct value_sample *s = &x->out[i];
    uint64_t numel = x->items->v[i].numel;
    int n = numel < VALUE_SAMPLE ? (int)numel : VALUE_SAMPLE;
    double mean = 0, square = 0;
    if (!sequence_sample(x->d, x->items->v[i].out, s))
        return;
    for (int k = 0; k < n; k++)
        mean += (double)s->v[k] / n;
    for (int k = 0; k < n; k++) {
        s->around[k] = (float)((double)s->v[k] - mean);
        square += (double)s->around[k] * (double)s->around[k];
    }
    s->spread = sqrt(square) > CONSTANT * (double)s->norm ? (float)sqrt(square) : 0;
}

static struct value_sample *take_samples(const struct dump *d, const align_item_list *items)
{
    struct sampling x = {.d = d, .items = items};
    if (!items->n || items->n > ITEMS_MOST || !d->reader || !d->reader->tensor)
        return NULL;
    x.out = mem_zalloc(items->n * sizeof *x.out);
    work_crew_run(NULL, 0, items->n, NULL, sample_one, &x);
    return x.out;
}

float sequence_cosine(const struct value_sample *a, const struct value_sample *b)
{
    float dot = 0;
    for (int i = 0; i < VALUE_SAMPLE; i++)
        dot += a->v[i] * b->v[i];
    return a->norm > 0 && b->norm > 0 ? dot / (a->norm * b->norm) : 0;
}

/* The cosine of two samples, and that of their deviations from the mean, the lesser: results of one sign are alike,
 * whatever they are (the sum of a router's scores, and of those chosen). */
static float likeness_of(const struct value_sample *a, const struct value_sample *b)
{
    float whole = sequence_cosine(a, b), dot = 0;
    if (!(a->spread > 0) || !(b->spread > 0))
        return whole;
    for (int i = 0; i < VALUE_SAMPLE; i++)
        dot += a->around[i] * b->around[i];
    return fminf(whole, dot / (a->spread * b->spread));
}

/* ---- who reads a result ---- */

/* Of a call's result, bits of the families of the calls that read it, through views, and of those that read what
 * products make of it: queries' and keys' product goes to a softmax, that of values does not. */
struct readers {
    uint64_t direct, behind;
};

/* All products read alike, whatever a framework calls them. */
static uint64_t reader_bit(enum family f)
{
    return UINT64_C(1) << (family_is_product(f) ? FAMILY_LINEAR : f);
}

/* The call whose result a forward call other than a view or a module reads in a row; NONE. */
static uint32_t read_result(const struct sequence *w, int s, uint32_t row)
{
    const struct dump *d = w->d[s];
    const struct call *c = &d->calls.v[d->rows.v[row].call];
    bool reads = d->rows.v[row].io == IO_INPUT && w->from[s][row] != NONE && c->phase == PHASE_FORWARD &&
                 c->kind != CALL_MODULE && !family_hands_on((enum family)c->family);
    return reads ? d->rows.v[w->from[s][row]].call : NONE;
}

/* Per call. */
static struct readers *readers_of(const struct sequence *w, int s)
{
    const struct dump *d = w->d[s];
    struct readers *of = mem_zalloc((d->calls.n + 1) * sizeof *of);
    for (int behind = 0; behind < 2; behind++)
        for (uint32_t r = 0; r < d->rows.n; r++) {
            uint32_t call = d->rows.v[r].call, read = read_result(w, s, r);
            enum family f = (enum family)d->calls.v[call].family;
            if (read != NONE && !behind)
                of[read].direct |= reader_bit(f);
            else if (read != NONE && family_is_product(f))
                of[read].behind |= of[call].direct;
        }
    return of;
}

/* The share of bits that two results have in common; 1: nothing reads them. */
static float readers_alike(const struct readers *a, const struct readers *b)
{
    int all = __builtin_popcountll(a->direct | b->direct) + __builtin_popcountll(a->behind | b->behind);
    int both = __builtin_popcountll(a->direct & b->direct) + __builtin_popcountll(a->behind & b->behind);
    return all ? (float)both / (float)all : 1;
}

/* ---- pins ---- */

struct pins {
    struct sequence *w;
    align_item_list *items[2];
    struct value_sample *const *sample; /* a side each */
    struct readers *readers[2]; /* per call */
};

static bool may_pin(const struct pins *x, uint32_t t, uint32_t g)
{
    const struct align_item *a = &x->items[TARGET]->v[t], *b = &x->items[GOLDEN]->v[g];
    bool layers = a->layer < 0 || b->layer < 0 || a->layer == b->layer;
    return a->numel == b->numel && a->family == b->family && !a->set && !b->set && layers &&
           !decided_pairs_deny(x->w->ruled, a->call, b->call) && !role_conflict(a->role, b->role);
}

static void pin_items(const struct pins *x, uint32_t t, uint32_t g, enum pair_why why, float confidence)
{
    struct align_item *a = &x->items[TARGET]->v[t], *b = &x->items[GOLDEN]->v[g];
    a->set = b->set = SET_MATCH;
    a->match = g;
    b->match = t;
    sequence_trust(a, why, confidence);
}

/* Whether a call chooses the largest elements and takes all of them. */
static bool takes_all(const struct align_item *x)
{
    return x->inputs && x->op == family_operator(STR("topk")) && x->in[0].size == x->value.size;
}

/* Whether nothing but this call reads a value. */
static bool is_lone_reader(const struct sequence *w, int s, uint32_t value, uint32_t call)
{
    for (uint32_t r = value + 1; r < w->d[s]->rows.n; r++) {
        const struct row *row = &w->d[s]->rows.v[r];
        const struct call *c = &w->d[s]->calls.v[row->call];
        if (w->from[s][r] == value && row->io == IO_INPUT && row->call != call && c->kind != CALL_MODULE &&
            !family_hands_on((enum family)c->family))
            return false;
    }
    return true;
}

/* A choice that takes all decides nothing, as that of one group of experts of one. It and what makes the values that
 * it alone reads have no partner: each side may compute anything there. */
static void leave_out_idle_choices(const struct pins *x, int s)
{
    for (size_t i = 0; i < x->items[s]->n; i++) {
        struct align_item *choice = &x->items[s]->v[i];
        uint32_t from = takes_all(choice) && !choice->set ? x->w->from[s][choice->in_row[0]] : NONE,
                 item = from == NONE ? NONE : x->w->item_of[s][x->w->d[s]->rows.v[from].call];
        if (item == NONE || item >= x->items[s]->n || x->items[s]->v[item].out != from || x->items[s]->v[item].set ||
            !is_lone_reader(x->w, s, from, choice->call))
            continue;
        choice->set = x->items[s]->v[item].set = SET_PART;
    }
}

static void pin_weights(const struct pins *x)
{
    for (uint32_t i = 0; i < x->items[TARGET]->n; i++) {
        uint32_t g = x->w->weight_twin[TARGET][i];
        if (g != NONE && may_pin(x, i, g))
            pin_items(x, i, g, WHY_WEIGHT, 0.9f);
    }
}

/* Items of the other side one is compared with. */
struct item_stretch {
    size_t from, to;
};

static struct item_stretch stretch_around(const struct pins *x, int s, uint32_t i)
{
    size_t n = x->items[!s]->n, place = (size_t)((double)i * (double)n / (double)x->items[s]->n);
    return (struct item_stretch){place > NEIGHBOURHOOD ? place - NEIGHBOURHOOD : 0,
                                 place + NEIGHBOURHOOD < n ? place + NEIGHBOURHOOD : n};
}

/* What lies between the partners of the nearest pins before and behind, and a little more: launch order is not source
 * order. */
static struct item_stretch stretch_between(const struct pins *x, int s, uint32_t i)
{
    const align_item_list *l = x->items[s];
    struct item_stretch r = stretch_around(x, s, i);
    size_t edge[2] = {r.from, r.to};
    for (uint32_t k = i; k-- > 0;)
        if (l->v[k].set == SET_MATCH) {
            edge[0] = l->v[k].match;
            break;
        }
    for (uint32_t k = i + 1; k < l->n; k++)
        if (l->v[k].set == SET_MATCH) {
            edge[1] = l->v[k].match;
            break;
        }
    size_t from = edge[0] < edge[1] ? edge[0] : edge[1], to = edge[0] < edge[1] ? edge[1] : edge[0];
    from = from > MARGIN ? from - MARGIN : 0;
    to = to + MARGIN < x->items[!s]->n ? to + MARGIN : x->items[!s]->n;
    return (struct item_stretch){from > r.from ? from : r.from, to < r.to ? to : r.to};
}

/* Which of two items with equal samples is more like `x`: samples do not show a factor, figures do; then the operator
 * decides. */
static bool more_alike(const struct align_item *x, const struct align_item *a, const struct align_item *b)
{
    enum likeness l = fingerprint_compare(&x->value, &a->value), o = fingerprint_compare(&x->value, &b->value);
    return l != o ? l > o : x->op == a->op && x->op != b->op;
}

/* Whether the samples of two operators that are not one under two names may be one value: equal figures, or equal up
 * to a factor (a product and a quotient). A root and its reciprocal are alike, and are different values. */
static bool one_value(const struct align_item *a, const struct align_item *b, float cosine)
{
    return a->op == b->op || !align_strict_family(a->family) || a->family == FAMILY_ACTIVATION ||
           1 - cosine < 10 * EQUAL || fingerprint_compare(&a->value, &b->value) >= LIKE_NEAR;
}

/* The item whose sample is nearest to this one's, of those that hold other values clearly (`clear`, as CLEAR) before
 * all; NONE if none is. */
static uint32_t nearest_item(const struct pins *x, int s, uint32_t i, struct item_stretch r, float clear)
{
    const align_item_list *own = x->items[s], *l = x->items[!s];
    const struct value_sample *a = &x->sample[s][i], *all = x->sample[!s];
    float best = -1, second = -1;
    uint32_t found = NONE;
    if (!(a->norm > 0))
        return NONE;
    for (size_t k = r.from; k < r.to; k++) {
        bool may = l->v[k].numel == own->v[i].numel && all[k].norm > 0 &&
                   may_pin(x, s ? (uint32_t)k : i, s ? i : (uint32_t)k);
        float c = may ? likeness_of(a, &all[k]) : -1;
        if (!may || c <= second || !one_value(&own->v[i], &l->v[k], c))
            continue;
        if (found != NONE && 1 - sequence_cosine(&all[k], &all[found]) < EQUAL) {
            found = more_alike(&own->v[i], &l->v[k], &l->v[found]) ? (uint32_t)k : found;
            continue;
        }
        if (c > best) {
            second = best;
            best = c;
            found = (uint32_t)k;
        } else {
            second = c;
        }
    }
    return best > CLOSE && 1 - best < clear * (1 - second) ? found : NONE;
}

/* Whether `b` may be the last factor of the activation `a`, written out on the other side: it holds its result. */
static bool is_written_out(const struct align_item *a, const struct align_item *b)
{
    return a->family == FAMILY_ACTIVATION && b->family == FAMILY_MUL && a->numel == b->numel;
}

/* Whether the figures of item i of side s are another item's than its partner k's: samples of a value whose axes lie in
 * another order are not alike, and the figures are. */
static bool held_elsewhere(const struct pins *x, int s, uint32_t i, uint32_t k)
{
    const struct align_item *own = &x->items[s]->v[i], *l = x->items[!s]->v;
    struct item_stretch r = stretch_around(x, s, i); /* pins around may be far from where launch order put it */
    if (fingerprint_compare(&own->value, &l[k].value) == LIKE_SAME)
        return false;
    for (size_t o = r.from; o < r.to; o++)
        if (fingerprint_compare(&own->value, &l[o].value) == LIKE_SAME &&
            (may_pin(x, s ? (uint32_t)o : i, s ? i : (uint32_t)o) || is_written_out(own, &l[o])))
            return true;
    return false;
}

static void pin_nearest(const struct pins *x, struct item_stretch (*where)(const struct pins *x, int s, uint32_t i),
                        float clear, float confidence)
{
    uint32_t n = (uint32_t)x->items[TARGET]->n, *to = mem_alloc((n + 1) * sizeof *to);
    for (uint32_t i = 0; i < n; i++)
        to[i] = nearest_item(x, TARGET, i, where(x, TARGET, i), clear);
    for (uint32_t i = 0; i < n; i++)
        if (to[i] != NONE && nearest_item(x, GOLDEN, to[i], where(x, GOLDEN, to[i]), clear) == i &&
            !held_elsewhere(x, TARGET, i, to[i]) && !held_elsewhere(x, GOLDEN, to[i], i))
            pin_items(x, i, to[i], WHY_SAMPLE, confidence);
    free(to);
}

static float read_alike(const struct pins *x, const struct align_item *a, const struct align_item *b)
{
    return readers_alike(&x->readers[TARGET][a->call], &x->readers[GOLDEN][b->call]);
}

/* Two pins whose results go where the other one's should: the two calls have exchanged what they hold. */
static void undo_exchanges(const struct pins *x)
{
    align_item_list *A = x->items[TARGET], *B = x->items[GOLDEN];
    for (uint32_t i = 0; i < A->n; i++) {
        struct align_item *a = &A->v[i];
        if (a->set != SET_MATCH || (a->why != WHY_WEIGHT && a->why != WHY_SAMPLE) ||
            read_alike(x, a, &B->v[a->match]) > 0.5f)
            continue;
        for (uint32_t k = i + 1; k < A->n && k < i + NEIGHBOURHOOD; k++) {
            struct align_item *b = &A->v[k];
            if (b->set != SET_MATCH || (b->why != WHY_WEIGHT && b->why != WHY_SAMPLE) || b->numel != a->numel ||
                b->op != a->op || b->layer != a->layer)
                continue;
            struct align_item *p = &B->v[a->match], *q = &B->v[b->match];
            float now = read_alike(x, a, p) + read_alike(x, b, q), crossed = read_alike(x, a, q) + read_alike(x, b, p);
            if (crossed < now + 0.75f)
                continue;
            uint32_t m = a->match;
            a->match = b->match;
            b->match = m;
            p->match = k;
            q->match = i;
            a->why = b->why = WHY_FLOW;
            a->confidence = b->confidence = 0.8f;
            break;
        }
    }
}

void sequence_pin(struct sequence *w, align_item_list *t, align_item_list *g)
{
    struct pins x = {.w = w, .items = {t, g}, .sample = w->sample};
    for (int s = 0; s < 2; s++)
        x.readers[s] = readers_of(w, s);
    for (int s = 0; s < 2; s++)
        leave_out_idle_choices(&x, s);
    pin_weights(&x);
    for (int s = 0; s < 2; s++)
        w->sample[s] = take_samples(w->d[s], x.items[s]);
    if (w->sample[TARGET] && w->sample[GOLDEN]) {
        pin_nearest(&x, stretch_around, CLEAR, 0.9f);
        pin_nearest(&x, stretch_between, 1, 0.8f);
    }
    undo_exchanges(&x);
    for (int s = 0; s < 2; s++)
        free(x.readers[s]);
}

void sequence_part_contradicted(struct sequence *w, align_item_list *A, align_item_list *B)
{
    for (uint32_t i = 0; w->sample[TARGET] && w->sample[GOLDEN] && i < A->n; i++) {
        struct align_item *a = &A->v[i];
        if (a->match == NONE || a->set || a->confidence >= 0.5f)
            continue;
        struct align_item *b = &B->v[a->match];
        const struct value_sample *x = &w->sample[TARGET][i], *y = &w->sample[GOLDEN][a->match];
        const struct shape *p = dump_row_shape(w->d[TARGET], a->out), *q = dump_row_shape(w->d[GOLDEN], b->out);
        if (!shape_same(p, q) || !(x->norm > 0) || !(y->norm > 0) || fabsf(sequence_cosine(x, y)) > VALUE_UNRELATED)
            continue;
        w->call_pair[0][a->call] = NONE;
        w->call_pair[1][b->call] = NONE;
        a->match = b->match = NONE;
        a->confidence = 0;
    }
}

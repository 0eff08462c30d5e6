/* Calls are matched first, then their rows.
 *
 * 1. Anchors: calls of one family and output size whose outputs' figures agree, in the longest chain
 *    that keeps both orders (Hunt–Szymanski over a few candidates a call).
 * 2. Between two anchors, calls of one family and size that occur equally often on both sides are
 *    paired in order. They are sure only where their inputs agree; else they are doubtful.
 * 3. Rows of paired calls: by figures, then what remains by size.
 */
#include "model/sequence.h"

#include <math.h>
#include <stdlib.h>

#include "model/family.h"

#define CLOSE 4e-3      /* of a figure: figures that may be the same */
#define CANDIDATES 16  /* looked at for one call */

struct item {
    uint32_t call;
    uint32_t out; /* its first tensor output of more than one element */
    uint64_t numel;
    uint8_t family;
    uint32_t match; /* index in the other side's items, or NONE */
    bool anchor;
};
typedef VEC(struct item) item_list;

static bool finite_stat(const struct row *r, int bit, int stat)
{
    return (r->has & bit) && isfinite(r->stat[stat]);
}

/* How far two rows' figures are apart, relative to their size; infinite where fewer than two figures are
 * known on both sides or one of them is too far off to be the same quantity. */
static double distance(const struct dump *dt, uint32_t t, const struct dump *dg, uint32_t g)
{
    const struct row *a = &dt->rows.v[t], *b = &dg->rows.v[g];
    static const struct {
        int bit, stat;
    } f[] = {{HAS_MAX, STAT_MAX}, {HAS_MIN, STAT_MIN}, {HAS_NORM, STAT_NORM}};
    double extremes = fmax(finite_stat(b, HAS_MAX, STAT_MAX) ? fabs(b->stat[STAT_MAX]) : 0,
                           finite_stat(b, HAS_MIN, STAT_MIN) ? fabs(b->stat[STAT_MIN]) : 0);
    double worst = 0;
    int known = 0;
    for (size_t i = 0; i < ARRAY_LEN(f); i++) {
        if (!finite_stat(a, f[i].bit, f[i].stat) || !finite_stat(b, f[i].bit, f[i].stat))
            continue;
        double d = fabs(a->stat[f[i].stat] - b->stat[f[i].stat]);
        /* extremes by their own size: a norm of many elements would hide them */
        double scale = f[i].stat == STAT_NORM ? fabs(b->stat[STAT_NORM]) : extremes;
        double rel = d <= 1e-12 ? 0 : scale > 0 ? d / scale : INFINITY;
        worst = rel > worst ? rel : worst;
        known++;
    }
    return known >= 2 && worst <= CLOSE ? worst : INFINITY;
}

static bool close_rows(const struct dump *dt, uint32_t t, const struct dump *dg, uint32_t g)
{
    return isfinite(distance(dt, t, dg, g));
}

static void collect(const struct dump *d, enum call_phase phase, bool modules, item_list *out)
{
    for (uint32_t c = 0; c < d->calls.n; c++) {
        const struct call *call = &d->calls.v[c];
        if (call->phase != phase || (call->kind == CALL_MODULE) != modules || call->gradient ||
            call->family == FAMILY_VIEW || call->family == FAMILY_COPY || call->family == FAMILY_CAST)
            continue;
        struct item it = {.call = c, .out = NONE, .family = call->family, .match = NONE};
        EACH_ROW(d, c, r)
            if (it.out == NONE && d->rows.v[r].io == IO_OUTPUT && d->rows.v[r].kind == ROW_TENSOR &&
                dump_row_numel(d, r) > 1) {
                it.out = r;
                it.numel = dump_row_numel(d, r);
            }
        if (it.out != NONE)
            vec_push(out, it);
    }
}

static uint64_t key_of(const struct item *x)
{
    return x->numel * 64 + x->family;
}

/* Indices of items by key, in order: first[key] and next[]. */
static void index_items(const item_list *l, struct nmap *first, uint32_t *next)
{
    for (size_t i = l->n; i-- > 0;) {
        uint64_t k = key_of(&l->v[i]);
        next[i] = nmap_get(first, k);
        nmap_set(first, k, (uint32_t)i);
    }
}

struct node {
    uint32_t a, b, before; /* index of the node this one extends, or NONE */
};

static void anchors(const struct dump *dt, item_list *A, const struct dump *dg, item_list *B)
{
    struct nmap first = {0};
    uint32_t *next = mem_alloc((B->n + 1) * sizeof *next);
    VEC(struct node) nodes = {0};
    VEC(uint32_t) ends = {0}; /* per chain length: the node with the smallest b */
    index_items(B, &first, next);
    for (size_t a = 0; a < A->n; a++) {
        uint32_t hit[CANDIDATES], n = 0;
        for (uint32_t b = nmap_get(&first, key_of(&A->v[a])); b != NONE && n < CANDIDATES; b = next[b])
            if (close_rows(dt, A->v[a].out, dg, B->v[b].out))
                hit[n++] = b;
        while (n-- > 0) { /* descending b, so that one a never extends itself */
            size_t lo = 0, hi = ends.n;
            while (lo < hi) {
                size_t mid = (lo + hi) / 2;
                if (nodes.v[ends.v[mid]].b < hit[n])
                    lo = mid + 1;
                else
                    hi = mid;
            }
            struct node x = {(uint32_t)a, hit[n], lo ? ends.v[lo - 1] : NONE};
            vec_push(&nodes, x);
            if (lo == ends.n)
                vec_push(&ends, (uint32_t)nodes.n - 1);
            else
                ends.v[lo] = (uint32_t)nodes.n - 1;
        }
    }
    for (uint32_t i = ends.n ? *vec_last(&ends) : NONE; i != NONE; i = nodes.v[i].before) {
        A->v[nodes.v[i].a].match = nodes.v[i].b;
        B->v[nodes.v[i].b].match = nodes.v[i].a;
        A->v[nodes.v[i].a].anchor = true;
    }
    free(next);
    nmap_release(&first);
    vec_release(&nodes);
    vec_release(&ends);
}

/* Pairs, inside one gap, the calls of every key that occurs equally often on both sides. */
static void fill_gap(item_list *A, size_t a0, size_t a1, item_list *B, size_t b0, size_t b1)
{
    struct nmap count = {0}, at = {0};
    if (a0 == a1 || b0 == b1)
        return;
    for (size_t i = a0; i < a1; i++) {
        uint64_t k = key_of(&A->v[i]);
        uint32_t n = nmap_get(&count, k);
        nmap_set(&count, k, n == MAP_NONE ? 0x10000 : n + 0x10000);
    }
    for (size_t i = b0; i < b1; i++) {
        uint32_t n = nmap_get(&count, key_of(&B->v[i]));
        if (n != MAP_NONE)
            nmap_set(&count, key_of(&B->v[i]), n + 1);
    }
    for (size_t i = a0, from; i < a1; i++) {
        uint64_t k = key_of(&A->v[i]);
        uint32_t n = nmap_get(&count, k), seen = nmap_get(&at, k);
        if (n >> 16 != (n & 0xffff))
            continue;
        from = seen == MAP_NONE ? b0 : seen;
        while (from < b1 && key_of(&B->v[from]) != k)
            from++;
        if (from == b1)
            continue;
        A->v[i].match = (uint32_t)from;
        B->v[from].match = (uint32_t)i;
        nmap_set(&at, k, (uint32_t)from + 1);
    }
    nmap_release(&count);
    nmap_release(&at);
}

static void gaps(item_list *A, item_list *B)
{
    size_t a0 = 0, b0 = 0;
    for (size_t a = 0; a <= A->n; a++) {
        if (a < A->n && !A->v[a].anchor)
            continue;
        size_t b = a < A->n ? A->v[a].match : B->n;
        if (a - a0 < 0x8000 && b - b0 < 0x8000)
            fill_gap(A, a0, a, B, b0, b);
        a0 = a + 1;
        b0 = b + 1;
    }
}

struct rows {
    uint32_t row[32];
    int n;
};

static struct rows rows_of(const struct dump *d, uint32_t call, bool outputs, const uint8_t *taken)
{
    struct rows l = {.n = 0};
    EACH_ROW(d, call, r)
        if (l.n < 32 && !taken[r] && d->rows.v[r].kind == ROW_TENSOR &&
            (d->rows.v[r].io == IO_OUTPUT) == outputs)
            l.row[l.n++] = r;
    return l;
}

static void pair_rows(const struct dump *dt, struct rows *t, const struct dump *dg, struct rows *g,
                      bool sure, float base, sequence_list *out)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < t->n; i++) {
            int best = -1, same = 0;
            double nearest = INFINITY;
            if (t->row[i] == NONE)
                continue;
            for (int k = 0; k < g->n; k++) {
                if (g->row[k] == NONE || dump_row_numel(dt, t->row[i]) != dump_row_numel(dg, g->row[k]))
                    continue;
                double d = pass == 0 ? distance(dt, t->row[i], dg, g->row[k]) : 0;
                if (!isfinite(d))
                    continue;
                same++;
                if (d < nearest) {
                    nearest = d;
                    best = k;
                }
            }
            /* where the outputs agree, an operand that does not is another quantity; elsewhere, without
             * figures to tell, only a single candidate will do */
            if (best < 0 || (pass == 1 && (same > 1 || sure)))
                continue;
            struct sequence_pair p = {t->row[i], g->row[best], pass ? WHY_SLOT : WHY_FINGERPRINT,
                                      pass ? base : sure ? 0.95f : 0.8f};
            vec_push(out, p);
            t->row[i] = g->row[best] = NONE;
        }
}

/* Share of the target call's tensor inputs that find their like among the golden call's. */
static double input_agreement(const struct dump *dt, uint32_t t, const struct dump *dg, uint32_t g,
                              const uint8_t *taken_t, const uint8_t *taken_g)
{
    struct rows a = rows_of(dt, t, false, taken_t), b = rows_of(dg, g, false, taken_g);
    int hit = 0;
    for (int i = 0; i < a.n; i++)
        for (int k = 0; k < b.n; k++)
            if (b.row[k] != NONE && dump_row_numel(dt, a.row[i]) == dump_row_numel(dg, b.row[k]) &&
                close_rows(dt, a.row[i], dg, b.row[k])) {
                hit++;
                b.row[k] = NONE;
                break;
            }
    return a.n ? (double)hit / a.n : 0;
}

static void emit(const struct dump *dt, const item_list *A, const struct dump *dg, const item_list *B,
                 const uint8_t *taken_t, const uint8_t *taken_g, sequence_list *out)
{
    for (size_t i = 0; i < A->n; i++) {
        const struct item *a = &A->v[i];
        if (a->match == NONE)
            continue;
        const struct item *b = &B->v[a->match];
        double agree = input_agreement(dt, a->call, dg, b->call, taken_t, taken_g);
        /* of a composite function the other framework may record another node's gradients (doc/formats.md):
         * a backward call is sure only where its figures agree */
        bool sure = agree > 0.5 && dt->calls.v[a->call].phase != PHASE_BACKWARD;
        float base = sure ? 0.8f : 0.4f;
        for (int outputs = 0; outputs < 2; outputs++) {
            struct rows x = rows_of(dt, a->call, outputs, taken_t), y = rows_of(dg, b->call, outputs, taken_g);
            pair_rows(dt, &x, dg, &y, a->anchor, outputs ? base : 0.4f, out);
        }
    }
}

void sequence_align(const struct dump *t, const struct dump *g, const uint8_t *taken_t,
                    const uint8_t *taken_g, sequence_list *out)
{
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        for (int modules = 0; modules < 2; modules++) {
            item_list A = {0}, B = {0};
            collect(t, (enum call_phase)phase, modules, &A);
            collect(g, (enum call_phase)phase, modules, &B);
            anchors(t, &A, g, &B);
            gaps(&A, &B);
            emit(t, &A, g, &B, taken_t, taken_g, out);
            vec_release(&A);
            vec_release(&B);
        }
}

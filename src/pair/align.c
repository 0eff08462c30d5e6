/* Dynamic programming over windows of WINDOW × WINDOW calls, of which the first half is kept each time: time and
 * memory grow linearly with the length, and a gap may be half a window long. Longer lists are first divided at
 * anchors, values that occur once on both sides, so that longer gaps are found too. */
#include "pair/align.h"

#include <math.h>
#include <stdlib.h>

#include "dump/family.h"
#include "dump/role.h"
#include "pair/decided_pairs.h"

#define WINDOW 512
#define CUT 256     /* the fewest items between two anchors */
#define REACH 128   /* how far away a crossing partner is searched */
#define ENOUGH 2    /* the score needed for a pair */

bool align_strict_family(uint8_t f)
{
    return f == FAMILY_ELEMENTWISE || f == FAMILY_REDUCE || f == FAMILY_ACTIVATION || f == FAMILY_VIEW ||
           f == FAMILY_OTHER || f == FAMILY_COLLECTIVE || f == FAMILY_ADD || f == FAMILY_MUL;
}

static int score_inputs(const struct align_item *a, const struct align_item *b)
{
    int s = 0, n = a->inputs < b->inputs ? a->inputs : b->inputs;
    unsigned used = 0, sized = 0;
    for (int i = 0; i < a->inputs; i++) {
        int best = 0, at = -1, size = -1;
        for (int k = 0; k < b->inputs; k++) {
            if (a->in[i].size != b->in[k].size)
                continue;
            if (!(sized >> k & 1))
                size = k;
            enum likeness l = used >> k & 1 ? LIKE_NOT : fingerprint_compare(&a->in[i], &b->in[k]);
            if (l > best) {
                best = l;
                at = k;
            }
        }
        if (at >= 0)
            used |= 1U << at;
        if (size >= 0)
            sized |= 1U << size;
        s += best;
    }
    int matched = __builtin_popcount(sized);
    return s + (matched == n && a->inputs == b->inputs ? 1 : matched < n ? -1 : 0);
}

/* Whether one golden module contains the other. */
static bool modules_nested(const struct align_known *m, uint32_t x, uint32_t y)
{
    for (int way = 0; way < 2; way++) {
        uint32_t i = way ? y : x, other = way ? x : y;
        for (int depth = 0; i != NONE && depth < 8; depth++) {
            if (i == other)
                return true;
            i = m->of[1][m->items[1]->v[i].call];
        }
    }
    return false;
}

/* Inputs from paired calls count for the pair, inputs whose producers are paired with other calls against it. */
static int score_flow(const struct align_item *a, const struct align_item *b, const struct align_known *m)
{
    int led = 0, misled = 0;
    for (int i = 0; i < a->inputs; i++) {
        uint32_t x = m->from[0][a->in_row[i]], pair = x == NONE ? NONE : m->call_pair[0][m->d[0]->rows.v[x].call];
        bool found = false;
        for (int k = 0; k < b->inputs && pair != NONE; k++) {
            uint32_t y = m->from[1][b->in_row[k]];
            found = found || (y != NONE && m->d[1]->rows.v[y].call == pair);
        }
        led += found;
        misled += pair != NONE && !found;
    }
    return 2 * led - misled;
}

/* Whether a softmax stands where the other side has an activation of the same input: a router's sigmoid. */
static bool functions_of_one(const struct align_item *a, const struct align_item *b)
{
    bool both = (a->family == FAMILY_SOFTMAX && b->family == FAMILY_ACTIVATION) ||
                (a->family == FAMILY_ACTIVATION && b->family == FAMILY_SOFTMAX);
    return both && a->inputs && b->inputs && fingerprint_compare(&a->in[0], &b->in[0]) > LIKE_UNKNOWN;
}

/* Whether results of integers and of floats may be one value: a mask of 0 and 1 is recorded as either. */
static bool kinds_meet(const struct align_item *a, const struct align_item *b)
{
    const struct fingerprint *f = a->whole ? &b->value : &a->value;
    return a->whole == b->whole || (f->max == rintf(f->max) && f->min == rintf(f->min));
}

/* The score of a pair of items; 0: impossible. */
static int align_score(const struct align_item *a, const struct align_item *b, const struct align_known *m)
{
    if (a->numel != b->numel || a->set || b->set)
        return 0;
    if (m->denied->n && nmap_get(m->denied, decided_pairs_key(a->call, b->call)) != MAP_NONE)
        return 0;
    bool role = a->role && a->role == b->role, functions = functions_of_one(a, b);
    bool modules = role && family_is_compute(a->family) == family_is_compute(b->family) &&
                   (a->family == FAMILY_MODULE || b->family == FAMILY_MODULE);
    if (a->family != b->family && !functions && !modules)
        return 0;
    if (role_conflict(a->role, b->role) || !kinds_meet(a, b))
        return 0;
    enum likeness l = fingerprint_compare(&a->value, &b->value);
    bool same = a->op == b->op;
    if ((a->whole != b->whole || (!same && !functions && align_strict_family(a->family))) && l < LIKE_NEAR)
        return 0;
    int s = 2 + (same ? 2 : 0) + (role ? 3 : 0) + (l == LIKE_SAME ? 5 : l == LIKE_NEAR ? 3 : l == LIKE_NOT ? -1 : 0);
    s += score_inputs(a, b);
    if (m->from[0])
        s += score_flow(a, b, m);
    if (a->layer >= 0 && b->layer >= 0)
        s += a->layer == b->layer ? 2 : -5;
    else if (a->layer != b->layer && m->of[0])
        s -= 1;
    if (m->of[0] && m->of[0][a->call] != NONE && m->of[1][b->call] != NONE) {
        uint32_t x = m->of[0][a->call], y = m->of[1][b->call];
        s += m->items[0]->v[x].match == y ? 2 : modules_nested(m, m->items[0]->v[x].match, y) ? -1 : -4;
    }
    return s < ENOUGH ? 0 : s;
}

struct lattice {
    align_item_list *t, *g;
    const struct align_known *m;
    uint8_t *step; /* per cell: the direction of the best path */
    int *row[2];
};

enum { STEP_T, STEP_G, STEP_BOTH };

static void pair_up(struct lattice *f, size_t a, size_t b)
{
    f->t->v[a].match = (uint32_t)b;
    f->g->v[b].match = (uint32_t)a;
}

/* The best path through one window. Keeps the pairs of its first half (all if it is the last window) and moves *a and
 * *b behind them. */
static void lattice_window(struct lattice *f, size_t *a, size_t a1, size_t *b, size_t b1)
{
    size_t wa = a1 - *a < WINDOW ? a1 - *a : WINDOW, wb = b1 - *b < WINDOW ? b1 - *b : WINDOW;
    bool last = *a + wa == a1 && *b + wb == b1;
    memset(f->row[0], 0, (wb + 1) * sizeof *f->row[0]);
    for (size_t i = 1; i <= wa; i++) {
        int *now = f->row[i & 1], *before = f->row[~i & 1];
        uint8_t *step = f->step + i * (WINDOW + 1), *above = step - (WINDOW + 1);
        now[0] = 0;
        step[0] = STEP_T;
        for (size_t k = 1; k <= wb; k++) {
            int s = align_score(&f->t->v[*a + i - 1], &f->g->v[*b + k - 1], f->m);
            int v = before[k];
            step[k] = STEP_T;
            if (now[k - 1] > v) {
                v = now[k - 1];
                step[k] = STEP_G;
            }
            /* a pair that continues the previous one scores slightly more than one after a gap */
            int on = i > 1 && k > 1 && above[k - 1] == STEP_BOTH;
            if (s && before[k - 1] + 4 * s + on > v) {
                v = before[k - 1] + 4 * s + on;
                step[k] = STEP_BOTH;
            }
            now[k] = v;
        }
    }
    size_t ha = last ? wa : wa / 2 + 1, hb = last ? wb : wb / 2 + 1, na = 0, nb = 0, first_a = 0, first_b = 0;
    for (size_t i = wa, k = wb; i && k;) {
        uint8_t s = f->step[i * (WINDOW + 1) + k];
        if (s == STEP_BOTH) {
            first_a = i;
            first_b = k;
            if (i <= ha && k <= hb) {
                na = na ? na : i;
                nb = nb ? nb : k;
                pair_up(f, *a + i - 1, *b + k - 1);
            }
        }
        i -= s != STEP_G;
        k -= s != STEP_T;
    }
    if (!na && first_a + first_b > 2) { /* the first pair is in the second half: one side has a long gap */
        na = first_a - 1;
        nb = first_b - 1;
    } else if (!na) { /* nothing in common here */
        na = ha;
        nb = hb;
    }
    *a += last ? wa : na;
    *b += last ? wb : nb;
}

static void align_range(struct lattice *f, size_t a, size_t a1, size_t b, size_t b1)
{
    while (a < a1 && b < b1)
        lattice_window(f, &a, a1, &b, b1);
}

/* A key shared by values that agree to about a percent; equal values may still have two keys. */
static uint64_t value_key(const struct align_item *x)
{
    if (x->value.has != 7 || x->value.max == x->value.min)
        return 0;
    float v[3] = {x->value.max, x->value.min, x->value.norm};
    uint32_t bits[5];
    memcpy(bits, v, sizeof v);
    for (int i = 0; i < 3; i++)
        bits[i] = (bits[i] + 0x2000) >> 14;
    bits[3] = x->family;
    bits[4] = (uint32_t)x->numel;
    uint64_t h = hash_bytes(bits, sizeof bits, 11);
    return h ? h : 1;
}

/* Key → the only item with it, or NONE if there are several. */
static void index_once(const align_item_list *l, struct nmap *m)
{
    for (size_t i = 0; i < l->n; i++) {
        uint64_t k = value_key(&l->v[i]);
        if (k)
            nmap_set(m, k, nmap_get(m, k) == MAP_NONE ? (uint32_t)i : NONE - 1);
    }
}

struct cut {
    uint32_t a, b, before;
};
typedef VEC(struct cut) cut_list;

/* The longest chain of values that occur once on both sides, in the order of both. */
static void find_cuts(const struct lattice *f, cut_list *out)
{
    struct nmap one[2] = {{0}, {0}};
    cut_list all = {0};
    VEC(uint32_t) ends = {0};
    index_once(f->t, &one[0]);
    index_once(f->g, &one[1]);
    for (uint32_t a = 0; a < f->t->n; a++) {
        uint64_t k = value_key(&f->t->v[a]);
        uint32_t b = k && nmap_get(&one[0], k) == a ? nmap_get(&one[1], k) : NONE;
        if (b >= f->g->n || !align_score(&f->t->v[a], &f->g->v[b], f->m))
            continue;
        size_t at;
        lower_bound(at, ends.n, all.v[ends.v[at]].b < b);
        struct cut x = {a, b, at ? ends.v[at - 1] : NONE};
        vec_push(&all, x);
        if (at == ends.n)
            vec_push(&ends, (uint32_t)all.n - 1);
        else
            ends.v[at] = (uint32_t)all.n - 1;
    }
    for (uint32_t i = ends.n ? *vec_last(&ends) : NONE; i != NONE; i = all.v[i].before)
        vec_push(out, all.v[i]);
    for (size_t i = 0, k = out->n; i + 1 < k; i++) {
        struct cut x = out->v[i];
        out->v[i] = out->v[--k];
        out->v[k] = x;
    }
    for (int s = 0; s < 2; s++)
        nmap_release(&one[s]);
    vec_release(&all);
    vec_release(&ends);
}

/* Aligns the items between two fixed pairs, or all. */
static void align_part(struct lattice *f, const cut_list *cuts, size_t *cut, size_t a, size_t a1, size_t b, size_t b1)
{
    for (; *cut + 1 < cuts->n && cuts->v[*cut].a < a1; (*cut)++) {
        const struct cut *x = &cuts->v[*cut], *y = x + 1;
        /* only if the neighbour follows at once on both sides: a single equal value may be chance */
        bool firm = y->a - x->a <= 4 && y->b - x->b <= 4;
        if (!firm || x->a < a || x->b < b || x->b >= b1 || (x->a - a < CUT && x->b - b < CUT))
            continue;
        align_range(f, a, x->a, b, x->b);
        a = x->a;
        b = x->b;
    }
    align_range(f, a, a1, b, b1);
}

void align_items(align_item_list *t, align_item_list *g, const struct align_known *m)
{
    struct lattice f = {.t = t, .g = g, .m = m};
    cut_list cuts = {0};
    size_t a = 0, b = 0, cut = 0;
    if (!t->n || !g->n)
        return;
    f.step = mem_alloc((WINDOW + 1) * (WINDOW + 1));
    memset(f.step, STEP_T, WINDOW + 1);
    for (int i = 0; i < 2; i++)
        f.row[i] = mem_alloc((WINDOW + 1) * sizeof **f.row);
    if (t->n > WINDOW || g->n > WINDOW)
        find_cuts(&f, &cuts);
    for (size_t i = 0; i < t->n; i++) {
        if (t->v[i].set != SET_MATCH || t->v[i].match < b) /* fixed pairs that cross others divide nothing */
            continue;
        align_part(&f, &cuts, &cut, a, i, b, t->v[i].match);
        a = i + 1;
        b = t->v[i].match + 1;
    }
    align_part(&f, &cuts, &cut, a, t->n, b, g->n);
    vec_release(&cuts);
    free(f.step);
    free(f.row[0]);
    free(f.row[1]);
}

/* The other side's position for a: after the partner of its nearest paired predecessor. */
static size_t place_in_order(const align_item_list *t, size_t a)
{
    for (size_t i = a; i-- > 0;)
        if (t->v[i].match != NONE)
            return t->v[i].match;
    return 0;
}

/* Whether both are the part with this weight of one layer. */
static bool one_by_name(const struct align_item *a, const struct align_item *b)
{
    return role_has_weight(a->role) && a->role == b->role && a->layer == b->layer && a->layer >= 0 && a->op == b->op;
}

void align_crossing(align_item_list *t, align_item_list *g, const struct align_known *m, bool unordered)
{
    for (size_t a = 0; a < t->n; a++) {
        if (t->v[a].match != NONE || t->v[a].set)
            continue;
        size_t at = place_in_order(t, a), from = at > REACH ? at - REACH : 0;
        int best = 0, count = 0;
        size_t found = 0;
        for (size_t b = from; b < g->n && b < at + REACH; b++) {
            if (g->v[b].match != NONE)
                continue;
            int s = align_score(&t->v[a], &g->v[b], m);
            if (s > best) {
                best = s;
                found = b;
                count = 0;
            }
            count += s == best;
        }
        if (!best)
            continue;
        /* against source order only equal figures count, or a name that only one module of a layer has */
        if (unordered ? best >= 5
                      : count == 1 && (fingerprint_compare(&t->v[a].value, &g->v[found].value) == LIKE_SAME ||
                                       one_by_name(&t->v[a], &g->v[found]))) {
            t->v[a].match = (uint32_t)found;
            g->v[found].match = (uint32_t)a;
        }
    }
}

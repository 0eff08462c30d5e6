/* Calls first, then their rows.
 *
 * 1. Modules, then calls, each in order (align.h); a call's module tells where it stands.
 * 2. Fused calls: one wide product against the narrow ones that share its input.
 * 3. Backward calls follow their forward twins; what is left is aligned where its figures agree.
 * 4. Rows of paired calls: by figures, then by where their values come from, then by place.
 *
 * A pair's confidence says which of these held it: figures, inputs, the data flow, or order alone.
 */
#include "model/sequence.h"

#include <math.h>
#include <stdlib.h>

#include "model/align.h"
#include "model/family.h"
#include "model/role.h"

#define FUSED_REACH 48 /* items around its place where a fused call's parts are looked for */
#define MEET_REACH 96  /* behind its place where the last part of a whole is looked for */
#define MODULE_DEPTH 16
#define NEIGHBOURS 12  /* items before and behind that tell whether values agree hereabouts */
#define PARTS 8        /* of one fused call at most */
#define ROWS 32        /* of one call, inputs or outputs, that are looked at */

struct work {
    const struct dump *d[2];
    const uint8_t *taken[2];
    const struct ruled *ruled;
    item_list items[PHASE_COUNT][3][2]; /* by phase, class, side */
    uint32_t *item_of[2];  /* call → index in its list, or NONE */
    uint32_t *module_of[2]; /* call → index of the nearest paired forward module it stands in, or NONE */
    uint32_t *from[2];     /* items_producers */
    uint32_t *call_pair[2]; /* call → the other side's call, or NONE */
    uint32_t *row_pair[2]; /* row → the other side's row once paired, or NONE */
    uint32_t groups;
    struct nmap habits;    /* kind of pair and place of a target row → place of the golden one (by_habit) */
    sequence_list *out;
};

static uint32_t *none_array(size_t n)
{
    uint32_t *v = mem_alloc((n + 1) * sizeof *v);
    memset(v, 0xff, (n + 1) * sizeof *v);
    return v;
}

/* ---- calls ---- */

static void number_items(struct work *w, int phase, int klass)
{
    for (int s = 0; s < 2; s++)
        for (uint32_t i = 0; i < w->items[phase][klass][s].n; i++)
            w->item_of[s][w->items[phase][klass][s].v[i].call] = i;
}

/* The module items calls and modules stand in, and of them the nearest that is paired. */
static void find_modules(struct work *w)
{
    for (int s = 0; s < 2; s++) {
        const struct dump *d = w->d[s];
        const item_list *l = &w->items[PHASE_FORWARD][ITEMS_MODULES][s];
        for (uint32_t c = 0; c < d->calls.n; c++) {
            uint32_t p = d->calls.v[c].parent, found = NONE;
            for (int depth = 0; p != NONE && depth < MODULE_DEPTH && found == NONE; depth++, p = d->calls.v[p].parent) {
                uint32_t i = d->calls.v[p].kind == CALL_MODULE ? w->item_of[s][p] : NONE;
                if (i != NONE && i < l->n && l->v[i].call == p && l->v[i].match != NONE)
                    found = i;
            }
            w->module_of[s][c] = found;
        }
    }
}

static bool unordered(const struct work *w)
{
    for (int s = 0; s < 2; s++)
        if (w->d[s]->calls.n && w->d[s]->calls.v[0].kind == CALL_OPERATOR)
            return true;
    return false;
}

/* Confidence of a call's pair before its rows are looked at, and why. */
static void trust(struct item *a, enum pair_why why, float confidence)
{
    if (confidence > a->confidence) {
        a->why = (uint8_t)why;
        a->confidence = confidence;
    }
}

/* Inputs of a that agree with inputs of b, and inputs both sides' data flow brings from paired calls. */
static void input_evidence(const struct work *w, const struct item *a, const struct item *b, int *alike, int *led)
{
    *alike = *led = 0;
    for (int i = 0; i < a->inputs; i++) {
        bool like = false, flow = false;
        for (int k = 0; k < b->inputs; k++) {
            like = like || figure_compare(&a->in[i], &b->in[k]) > LIKE_UNKNOWN;
            uint32_t x = w->from[0][a->in_row[i]], y = w->from[1][b->in_row[k]];
            flow = flow || (x != NONE && y != NONE &&
                            w->call_pair[0][w->d[0]->rows.v[x].call] == w->d[1]->rows.v[y].call);
        }
        *alike += like;
        *led += flow;
    }
}

/* Neither its inputs nor its result agree while the pairs before and behind agree in value: these two are not
 * the same call, whatever their kind says. */
static bool out_of_place(const item_list *A, size_t i)
{
    bool before = false, behind = false;
    for (size_t k = i; k-- > 0 && k + NEIGHBOURS >= i;)
        if (A->v[k].match != NONE) {
            before = A->v[k].why == WHY_FINGERPRINT;
            break;
        }
    for (size_t k = i + 1; k < A->n && k <= i + NEIGHBOURS; k++)
        if (A->v[k].match != NONE) {
            behind = A->v[k].why == WHY_FINGERPRINT;
            break;
        }
    return before && behind;
}

/* Whether between two firm pairs the calls of x's kind are as many on both sides. */
static void count_gaps(item_list *A, item_list *B)
{
    struct nmap count = {0};
    size_t a0 = 0, b0 = 0;
    for (size_t a = 0; a <= A->n; a++) {
        if (a < A->n && (A->v[a].match == NONE || A->v[a].confidence < 0.7f))
            continue;
        size_t b = a < A->n ? A->v[a].match : B->n;
        if (b < b0) /* a crossing pair: no gap ends at it */
            continue;
        nmap_release(&count);
        count = (struct nmap){0};
        for (size_t i = a0; i < a; i++) {
            uint64_t k = A->v[i].numel * 64 + A->v[i].family;
            uint32_t n = nmap_get(&count, k);
            nmap_set(&count, k, n == MAP_NONE ? 0x10000 : n + 0x10000);
        }
        for (size_t i = b0; i < b; i++) {
            uint64_t k = B->v[i].numel * 64 + B->v[i].family;
            uint32_t n = nmap_get(&count, k);
            nmap_set(&count, k, n == MAP_NONE ? 1 : n + 1);
        }
        for (size_t i = a0; i < a && a - a0 < 0xffff && b - b0 < 0xffff; i++) {
            uint32_t n = nmap_get(&count, A->v[i].numel * 64 + A->v[i].family);
            if (A->v[i].match != NONE && n >> 16 == (n & 0xffff) && A->v[i].why != WHY_UNLIKELY)
                trust(&A->v[i], WHY_BETWEEN, a - a0 <= 8 ? 0.65f : 0.55f);
        }
        a0 = a + 1;
        b0 = b + 1;
    }
    nmap_release(&count);
}

static void note_pairs(struct work *w, const item_list *A, const item_list *B)
{
    for (size_t i = 0; i < A->n; i++)
        if (A->v[i].match != NONE) {
            uint32_t t = A->v[i].call, g = B->v[A->v[i].match].call;
            w->call_pair[0][t] = g;
            w->call_pair[1][g] = t;
        }
}

static void weigh_calls(struct work *w, item_list *A, item_list *B)
{
    for (size_t i = 0; i < A->n; i++) {
        struct item *a = &A->v[i];
        if (a->match == NONE)
            continue;
        enum likeness l = figure_compare(&a->value, &B->v[a->match].value);
        trust(a, WHY_ORDER, 0.4f);
        if (l > LIKE_UNKNOWN)
            trust(a, WHY_FINGERPRINT, l == LIKE_SAME ? 0.95f : 0.9f);
    }
    for (size_t i = 0; i < A->n; i++) {
        struct item *a = &A->v[i];
        if (a->match == NONE)
            continue;
        const struct item *b = &B->v[a->match];
        int alike, led;
        enum likeness l = figure_compare(&a->value, &b->value);
        input_evidence(w, a, b, &alike, &led);
        if (!a->set && l == LIKE_NOT && !alike && !led && a->inputs && out_of_place(A, i)) {
            a->why = WHY_UNLIKELY;
            a->confidence = 0.3f;
            continue;
        }
        if (alike)
            trust(a, WHY_INPUTS, 0.8f);
        if (led)
            trust(a, WHY_FLOW, led == a->inputs ? 0.75f : 0.7f);
        if (a->role && a->role == b->role && a->layer == b->layer && a->op == b->op)
            trust(a, WHY_PLACE, 0.65f);
        if (w->d[0]->calls.v[a->call].kind == CALL_MODULE && a->role && a->role == b->role && a->layer == b->layer)
            trust(a, WHY_PLACE, 0.7f);
        /* held by its neighbours: the calls before and behind are paired with its partner's neighbours, and are
         * of another kind, so that the run cannot be shifted by one */
        bool before = i && A->v[i - 1].match != NONE && A->v[i - 1].match + 1 == a->match;
        bool behind = i + 1 < A->n && A->v[i + 1].match == a->match + 1;
        if (before && behind && a->op == b->op && A->v[i - 1].op != a->op && A->v[i + 1].op != a->op)
            trust(a, WHY_BETWEEN, 0.6f);
    }
    count_gaps(A, B);
}

/* ---- fused calls ---- */

/* Do the figures of the parts make those of the whole? */
static enum likeness parts_make(const struct figure *part, int n, const struct figure *whole)
{
    struct figure all = {.max = -INFINITY, .min = INFINITY, .size = whole->size, .has = 7, .coarse = whole->coarse};
    double squares = 0;
    for (int i = 0; i < n; i++) {
        all.has = all.has & part[i].has;
        all.max = fmaxf(all.max, part[i].max);
        all.min = fminf(all.min, part[i].min);
        squares += (double)part[i].norm * (double)part[i].norm;
    }
    all.norm = (float)sqrt(squares);
    return figure_compare(&all, whole);
}

static bool same_input(const struct item *a, const struct item *b)
{
    if (!a->inputs || !b->inputs || a->in[0].size != b->in[0].size)
        return false;
    enum likeness l = figure_compare(&a->in[0], &b->in[0]);
    return l == LIKE_SAME || (l == LIKE_UNKNOWN && a->layer == b->layer);
}

/* The narrow unpaired products around `at` that share one input and together are as large as `wide`. */
static int find_parts(const struct item *wide, const item_list *l, size_t at, uint32_t part[PARTS], bool proven)
{
    size_t from = at > FUSED_REACH / 2 ? at - FUSED_REACH / 2 : 0, to = at + FUSED_REACH < l->n ? at + FUSED_REACH : l->n;
    for (size_t first = from; first < to; first++) {
        const struct item *x = &l->v[first];
        uint64_t sum = 0;
        int n = 0;
        if (x->match != NONE || x->group != NONE || x->family != FAMILY_LINEAR || x->numel >= wide->numel || !x->inputs ||
            x->in[0].size != wide->in[0].size || role_conflict(x->role, wide->role) ||
            (x->layer >= 0 && wide->layer >= 0 && x->layer != wide->layer))
            continue;
        for (size_t i = first; i < to && n < PARTS && sum < wide->numel; i++)
            if (l->v[i].match == NONE && l->v[i].group == NONE && l->v[i].family == FAMILY_LINEAR &&
                (i == first || same_input(x, &l->v[i])) && !role_conflict(l->v[i].role, wide->role)) {
                part[n++] = (uint32_t)i;
                sum += l->v[i].numel;
            }
        if (n < 2 || sum != wide->numel)
            continue;
        struct figure value[PARTS];
        for (int k = 0; k < n; k++)
            value[k] = l->v[part[k]].value;
        if (!proven || figure_compare(&wide->in[0], &x->in[0]) > LIKE_UNKNOWN || parts_make(value, n, &wide->value) > LIKE_UNKNOWN)
            return n;
    }
    return 0;
}

/* Joins the wide calls of side s with their parts on the other. */
static void find_fused(struct work *w, item_list *wide, item_list *narrow, int s, bool proven)
{
    size_t at = 0;
    for (uint32_t i = 0; i < wide->n; i++) {
        struct item *x = &wide->v[i];
        uint32_t part[PARTS];
        struct figure value[PARTS];
        if (x->match != NONE)
            at = x->match;
        if (x->match != NONE || x->group != NONE || x->family != FAMILY_LINEAR || !x->inputs)
            continue;
        int n = find_parts(x, narrow, at, part, proven);
        if (!n)
            continue;
        enum likeness in = figure_compare(&x->in[0], &narrow->v[part[0]].in[0]);
        for (int k = 0; k < n; k++)
            value[k] = narrow->v[part[k]].value;
        enum likeness l = parts_make(value, n, &x->value);
        x->group = w->groups++;
        x->confidence = l > LIKE_UNKNOWN ? 0.9f : in > LIKE_UNKNOWN ? 0.8f : 0.6f;
        x->why = WHY_FUSED;
        for (int k = 0; k < n; k++) {
            struct item *p = &narrow->v[part[k]];
            p->group = x->group;
            p->confidence = x->confidence;
            p->why = WHY_FUSED;
            w->call_pair[!s][p->call] = x->call;
        }
        w->call_pair[s][x->call] = narrow->v[part[0]].call;
    }
}

/* ---- rows ---- */

struct rows {
    uint32_t row[ROWS];
    int n;
};

static struct rows rows_of(const struct work *w, int s, uint32_t call, enum row_io io)
{
    struct rows l = {.n = 0};
    EACH_ROW(w->d[s], call, r)
        if (l.n < ROWS && !w->taken[s][r] && w->row_pair[s][r] == NONE && w->d[s]->rows.v[r].io == io &&
            w->d[s]->rows.v[r].kind == ROW_TENSOR)
            l.row[l.n++] = r;
    return l;
}

static void emit(struct work *w, uint32_t t, uint32_t g, enum pair_why why, float confidence)
{
    struct sequence_pair p = {t, g, (uint8_t)why, confidence};
    if (w->ruled->denied_rows.n && nmap_get(&w->ruled->denied_rows, ruled_key(t, g)) != MAP_NONE)
        return;
    vec_push(w->out, p);
    w->row_pair[0][t] = g;
    w->row_pair[1][g] = t;
}

static bool numel_fits(const struct work *w, uint32_t t, uint32_t g)
{
    return dump_row_numel(w->d[0], t) == dump_row_numel(w->d[1], g);
}

/* How many of l have as many elements as this one. */
static int alternatives(const struct work *w, int s, const struct rows *l, uint64_t numel)
{
    int n = 0;
    for (int i = 0; i < l->n; i++)
        n += l->row[i] != NONE && dump_row_numel(w->d[s], l->row[i]) == numel;
    return n;
}

static void take(struct work *w, struct rows *t, int i, struct rows *g, int k, enum pair_why why, float confidence)
{
    emit(w, t->row[i], g->row[k], why, confidence);
    t->row[i] = g->row[k] = NONE;
}

static void by_figures(struct work *w, struct rows *t, struct rows *g, enum likeness least)
{
    for (int i = 0; i < t->n; i++) {
        int best = -1;
        float nearest = INFINITY;
        if (t->row[i] == NONE)
            continue;
        struct figure a = figure_of(w->d[0], t->row[i]);
        for (int k = 0; k < g->n; k++) {
            if (g->row[k] == NONE || !numel_fits(w, t->row[i], g->row[k]))
                continue;
            struct figure b = figure_of(w->d[1], g->row[k]);
            /* of several that are the same value, the one in the same place */
            float d = k == i && least == LIKE_SAME ? 0 : fabsf(a.max - b.max) + fabsf(a.min - b.min) + fabsf(a.norm - b.norm);
            if (figure_compare(&a, &b) >= least && d < nearest) {
                nearest = d;
                best = k;
            }
        }
        if (best >= 0)
            take(w, t, i, g, best, WHY_FINGERPRINT, 0.95f);
    }
}

/* Values that come from paired calls. */
static void by_flow(struct work *w, struct rows *t, struct rows *g, float confidence)
{
    for (int i = 0; i < t->n; i++)
        for (int k = 0; k < g->n && t->row[i] != NONE; k++) {
            if (g->row[k] == NONE || !numel_fits(w, t->row[i], g->row[k]))
                continue;
            uint32_t x = w->from[0][t->row[i]], y = w->from[1][g->row[k]];
            if (x != NONE && y != NONE && w->call_pair[0][w->d[0]->rows.v[x].call] == w->d[1]->rows.v[y].call)
                take(w, t, i, g, k, WHY_FLOW, confidence);
        }
}

/* Two calls of one kind in one kind of place name their operands alike in every layer: what figures or the
 * data flow told of one pair's slots holds for the others. */
static uint64_t habit_key(const struct item *a, const struct item *b, uint32_t slot)
{
    uint32_t key[] = {a->op, b->op, a->role, b->role, a->inputs, b->inputs, (uint32_t)a->numel, slot};
    return hash_bytes(key, sizeof key, 3);
}

static void learn(struct work *w, const struct item *a, const struct item *b)
{
    EACH_ROW(w->d[0], a->call, r) {
        uint32_t to = w->row_pair[0][r];
        if (to == NONE || w->d[1]->rows.v[to].call != b->call)
            continue;
        uint64_t k = habit_key(a, b, w->d[0]->rows.v[r].slot);
        uint32_t slot = w->d[1]->rows.v[to].slot, known = nmap_get(&w->habits, k);
        nmap_set(&w->habits, k, known == MAP_NONE || known == slot ? slot : NONE - 1);
    }
}

static void by_habit(struct work *w, const struct item *a, const struct item *b, struct rows *t, struct rows *g, float confidence)
{
    for (int i = 0; i < t->n; i++) {
        uint32_t slot = t->row[i] == NONE ? MAP_NONE : nmap_get(&w->habits, habit_key(a, b, w->d[0]->rows.v[t->row[i]].slot));
        for (int k = 0; k < g->n && slot < NONE - 1 && t->row[i] != NONE; k++)
            if (g->row[k] != NONE && w->d[1]->rows.v[g->row[k]].slot == slot && numel_fits(w, t->row[i], g->row[k]))
                take(w, t, i, g, k, WHY_SLOT, confidence);
    }
}

/* Rows of one size in one call that hold one value are as good as each other. */
static bool interchangeable(const struct work *w, int s, const struct rows *l, int like)
{
    struct figure a = figure_of(w->d[s], l->row[like]);
    for (int i = 0; i < l->n; i++)
        if (l->row[i] != NONE && i != like && dump_row_numel(w->d[s], l->row[i]) == dump_row_numel(w->d[s], l->row[like])) {
            struct figure b = figure_of(w->d[s], l->row[i]);
            if (figure_compare(&a, &b) != LIKE_SAME)
                return false;
        }
    return true;
}

/* What is left, where a place is all that speaks for it. */
static void by_place(struct work *w, struct rows *t, struct rows *g, bool commutes, float confidence)
{
    const struct rows first = *t, other = *g;
    for (int i = 0; i < t->n; i++) {
        if (t->row[i] == NONE)
            continue;
        uint64_t n = dump_row_numel(w->d[0], t->row[i]);
        int here = alternatives(w, 0, &first, n), there = alternatives(w, 1, &other, n);
        if (here != there)
            continue;
        bool sure = here == 1 || !commutes || interchangeable(w, 0, &first, i);
        for (int k = 0; k < g->n; k++)
            if (g->row[k] != NONE && numel_fits(w, t->row[i], g->row[k])) {
                take(w, t, i, g, k, WHY_SLOT, sure ? confidence : fminf(confidence, 0.4f));
                break;
            }
    }
}

/* A number given as an operand: "x + 1e-6", "x * 0.125". */
static void scalars(struct work *w, uint32_t t, uint32_t g, float confidence)
{
    uint32_t one[2] = {NONE, NONE};
    int n[2] = {0, 0};
    for (int s = 0; s < 2; s++)
        EACH_ROW(w->d[s], s ? g : t, r) {
            const struct row *x = &w->d[s]->rows.v[r];
            bool scalar = x->kind == ROW_FLOAT || (x->kind == ROW_TENSOR && dump_row_numel(w->d[s], r) == 1 &&
                                                   dtype_is_float(x->dtype));
            if (x->io == IO_INPUT && scalar && !w->taken[s][r] && w->row_pair[s][r] == NONE) {
                one[s] = r;
                n[s]++;
            }
        }
    if (n[0] == 1 && n[1] == 1)
        emit(w, one[0], one[1], WHY_SLOT, confidence);
}

/* Of these the other framework may record the gradients of one inner node only (doc/formats.md). */
static bool composite(uint8_t f)
{
    return family_is_compute(f) && f != FAMILY_SOFTMAX && f != FAMILY_ACTIVATION;
}

/* First the rows something speaks for, of all calls; then, with what that taught, the others. */
static void pair_calls(struct work *w, const struct item *a, const struct item *b, bool certain)
{
    static const enum row_io order[] = {IO_PARAMETER, IO_INPUT, IO_OUTPUT, IO_GRADIENT};
    const struct call *c = &w->d[0]->calls.v[a->call];
    bool backward = c->phase == PHASE_BACKWARD;
    bool modules = c->kind == CALL_MODULE;
    /* the gradient of a sum is the same for all it adds */
    bool commutes = (a->family == FAMILY_ADD && !backward) || a->family == FAMILY_MUL;
    float base = a->confidence < 0.8f ? a->confidence : 0.8f;
    /* agreeing results of one call leave its operands no room to differ; of modules they may be other things */
    bool agreed = a->why == WHY_FINGERPRINT;
    for (size_t o = 0; o < ARRAY_LEN(order); o++) {
        struct rows t = rows_of(w, 0, a->call, order[o]), g = rows_of(w, 1, b->call, order[o]);
        if (certain) {
            by_figures(w, &t, &g, LIKE_SAME);
            by_figures(w, &t, &g, LIKE_NEAR);
            if (order[o] == IO_INPUT)
                by_flow(w, &t, &g, base);
            continue;
        }
        bool doubt = (order[o] == IO_INPUT && (agreed || modules)) ||
                     (backward && order[o] == IO_OUTPUT && (composite(a->family) || modules)) ||
                     (backward && a->op != b->op);
        by_habit(w, a, b, &t, &g, doubt ? fminf(base, 0.4f) : base);
        by_place(w, &t, &g, commutes, doubt ? fminf(base, 0.4f) : base);
    }
    if (certain)
        learn(w, a, b);
    else if (!modules && !backward && a->op == b->op && commutes)
        scalars(w, a->call, b->call, base);
}

/* A person put parts of this row to it: the others may follow. */
static bool holds_parts(const struct work *w, int s, uint32_t wide)
{
    uint64_t n = dump_row_numel(w->d[s], wide);
    for (size_t i = 0; w->taken[s][wide] && i < w->ruled->pairs.n; i++) {
        const struct ruled_pair *p = &w->ruled->pairs.v[i];
        if ((s ? p->g : p->t) == wide)
            return dump_row_numel(w->d[!s], s ? p->t : p->g) < n;
    }
    return false;
}

/* One row of a fused call with the rows of its parts. */
static void pair_parts(struct work *w, int s, uint32_t wide, const uint32_t *part, int n, bool sum, const struct item *x)
{
    uint64_t all = 0, whole = dump_row_numel(w->d[s], wide);
    bool begun = holds_parts(w, s, wide);
    if ((w->taken[s][wide] && !begun) || w->row_pair[s][wide] != NONE)
        return;
    for (int i = 0; i < n; i++) {
        if (part[i] == NONE || (w->taken[!s][part[i]] && !begun) || w->row_pair[!s][part[i]] != NONE)
            return;
        all += dump_row_numel(w->d[!s], part[i]);
        if (!sum && dump_row_numel(w->d[!s], part[i]) != whole)
            return;
    }
    if (sum && all != whole)
        return;
    for (int i = 0; i < n; i++)
        if (!w->taken[!s][part[i]])
            emit(w, s ? part[i] : wide, s ? wide : part[i], WHY_FUSED, x->confidence);
}

static uint32_t nth_row(const struct work *w, int s, uint32_t call, enum row_io io, int n)
{
    EACH_ROW(w->d[s], call, r)
        if (w->d[s]->rows.v[r].io == io && w->d[s]->rows.v[r].kind == ROW_TENSOR && dump_row_numel(w->d[s], r) > 1 && !n--)
            return r;
    return NONE;
}

static void pair_group_rows(struct work *w, int s, uint32_t wide, const uint32_t *call, int n, enum row_io io, int index,
                            bool sum, const struct item *x)
{
    uint32_t part[PARTS], row = wide == NONE ? NONE : nth_row(w, s, wide, io, index);
    for (int i = 0; i < n; i++)
        part[i] = call[i] == NONE ? NONE : nth_row(w, !s, call[i], io, index);
    if (row != NONE)
        pair_parts(w, s, row, part, n, sum, x);
}

/* The parameters_grad record of a module, by its scope. */
static uint32_t gradient_of(const struct work *w, int s, uint32_t call, const struct nmap *by_scope)
{
    uint32_t scope = w->d[s]->calls.v[call].scope;
    uint32_t c = scope == NONE ? MAP_NONE : nmap_get(by_scope, scope);
    return c == MAP_NONE ? NONE : c;
}

static void pair_groups(struct work *w, const item_list *wide, const item_list *narrow, int s, const struct nmap gradients[2])
{
    for (size_t i = 0; i < wide->n; i++) {
        const struct item *x = &wide->v[i];
        uint32_t part[PARTS], twin[PARTS], grad[PARTS];
        int n = 0;
        if (x->group == NONE || !x->inputs)
            continue;
        /* from its first part on, in order */
        uint32_t first = w->call_pair[s][x->call] == NONE ? NONE : w->item_of[!s][w->call_pair[s][x->call]];
        for (size_t k = first; k < narrow->n && k < (size_t)first + 2 * FUSED_REACH && n < PARTS; k++)
            if (narrow->v[k].group == x->group)
                part[n++] = narrow->v[k].call;
        if (n < 2)
            continue;
        for (int k = 0; k < n; k++) {
            twin[k] = w->d[!s]->calls.v[part[k]].twin;
            grad[k] = gradient_of(w, !s, part[k], &gradients[!s]);
        }
        pair_group_rows(w, s, x->call, part, n, IO_OUTPUT, 0, true, x);
        pair_group_rows(w, s, x->call, part, n, IO_INPUT, 0, false, x);
        pair_group_rows(w, s, x->call, part, n, IO_INPUT, 1, true, x);
        pair_group_rows(w, s, x->call, part, n, IO_PARAMETER, 0, true, x);
        pair_group_rows(w, s, w->d[s]->calls.v[x->call].twin, twin, n, IO_INPUT, 0, true, x);
        if (w->d[s]->calls.v[x->call].kind == CALL_MODULE)
            pair_group_rows(w, s, gradient_of(w, s, x->call, &gradients[s]), grad, n, IO_GRADIENT, 0, true, x);
    }
}

/* ---- graph dumps ---- */

/* One value, whoever holds it on this side. */
static uint64_t value_of(const struct dump *d, uint32_t row)
{
    const struct row *r = &d->rows.v[row];
    double v[3] = {r->stat[STAT_MAX], r->stat[STAT_MIN], (double)dump_row_numel(d, row)};
    return (r->has & HAS_MAX) && (r->has & HAS_MIN) && v[0] != v[1] ? hash_bytes(v, sizeof v, 5) : 0;
}

struct reader {
    uint32_t item, next;
};

/* Who of the backward products reads a value: lists by value. */
struct readers {
    struct nmap first;
    VEC(struct reader) list;
};

static void index_readers(const struct dump *d, const item_list *l, struct readers *out)
{
    for (uint32_t i = 0; i < l->n; i++)
        for (int k = 0; k < l->v[i].inputs && l->v[i].family == FAMILY_LINEAR; k++) {
            uint64_t v = value_of(d, l->v[i].in_row[k]);
            struct reader x = {i, v ? nmap_get(&out->first, v) : NONE};
            if (!v)
                continue;
            vec_push(&out->list, x);
            nmap_set(&out->first, v, (uint32_t)out->list.n - 1);
        }
}

/* The backward product whose result is as large as the weight, fed by the forward product's input and by what
 * the product that reads the weight itself is fed by: the weight's gradient. NONE where none is. */
static uint32_t find_gradient(const struct dump *d, const item_list *back, const struct readers *r, const struct item *f)
{
    uint64_t x = f->inputs > 1 ? value_of(d, f->in_row[0]) : 0, weight = x ? value_of(d, f->in_row[1]) : 0;
    uint64_t size = f->inputs > 1 ? dump_row_numel(d, f->in_row[1]) : 0;
    for (uint32_t i = weight ? nmap_get(&r->first, weight) : MAP_NONE; i != MAP_NONE; i = r->list.v[i].next) {
        const struct item *dx = &back->v[r->list.v[i].item];
        for (int k = 0; k < dx->inputs; k++) {
            uint64_t dy = value_of(d, dx->in_row[k]);
            for (uint32_t n = dy && dy != weight ? nmap_get(&r->first, dy) : MAP_NONE; n != MAP_NONE; n = r->list.v[n].next) {
                const struct item *dw = &back->v[r->list.v[n].item];
                for (int q = 0; q < dw->inputs; q++)
                    if (dw->numel == size && value_of(d, dw->in_row[q]) == x)
                        return r->list.v[n].item;
            }
        }
    }
    return NONE;
}

/* A gradient value of the golden side that one backward operator alone put out. */
static void gradients_by_value(struct work *w, int s)
{
    const struct dump *d = w->d[s], *o = w->d[!s];
    struct nmap cell = {0};
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t r = 0; r < (pass ? o : d)->rows.n; r++) {
            const struct dump *side = pass ? o : d;
            const struct row *x = &side->rows.v[r];
            const struct call *c = &side->calls.v[x->call];
            if (w->row_pair[pass ? !s : s][r] != NONE || w->taken[pass ? !s : s][r] || x->kind != ROW_TENSOR ||
                !(x->has & HAS_NORM) || !(x->stat[STAT_NORM] > 0) || dump_row_numel(side, r) <= 1)
                continue;
            uint64_t numel = dump_row_numel(side, r);
            int64_t at = llround(log(x->stat[STAT_NORM]) * 500);
            if (!pass) {
                uint64_t key[2] = {numel, (uint64_t)at};
                uint64_t k = hash_bytes(key, sizeof key, 9);
                if (x->io == IO_OUTPUT && c->phase == PHASE_BACKWARD && c->kind == CALL_OPERATOR && w->from[s][r] == NONE)
                    nmap_set(&cell, k, nmap_get(&cell, k) == MAP_NONE ? r : NONE - 1);
                continue;
            }
            uint32_t found = NONE;
            for (int64_t n = at - 1; n <= at + 1 && x->io == IO_GRADIENT; n++) {
                uint64_t key[2] = {numel, (uint64_t)n};
                uint32_t hit = nmap_get(&cell, hash_bytes(key, sizeof key, 9));
                if (hit == MAP_NONE)
                    continue;
                struct figure a = hit < d->rows.n ? figure_of(d, hit) : (struct figure){.has = 0}, b = figure_of(o, r);
                bool like = hit < d->rows.n && figure_compare(&a, &b) == LIKE_SAME && w->row_pair[s][hit] == NONE;
                found = !like ? found : found == NONE ? hit : NONE - 1;
            }
            if (found < d->rows.n)
                emit(w, s ? r : found, s ? found : r, WHY_FINGERPRINT, 0.85f);
        }
    nmap_release(&cell);
}

/* A loss written out as operators: the last single number of its scope is what the other side's loss returns. */
static void pair_losses(struct work *w, int s)
{
    item_list *ops = &w->items[PHASE_FORWARD][ITEMS_CALLS][s], *other = &w->items[PHASE_FORWARD][ITEMS_CALLS][!s];
    size_t at = ops->n;
    for (size_t i = other->n; i-- > 0;) {
        struct item *x = &other->v[i];
        if (x->family != FAMILY_LOSS || x->match != NONE || x->numel != 1)
            continue;
        while (at && (ops->v[at - 1].numel != 1 || ops->v[at - 1].match != NONE ||
                      strcmp(role_name(ops->v[at - 1].role), "loss") != 0))
            at--;
        if (!at--)
            return;
        uint32_t here = ops->v[at].out, there = x->out;
        if (w->row_pair[s][here] != NONE || w->row_pair[!s][there] != NONE || w->taken[s][here] || w->taken[!s][there])
            continue;
        bool like = figure_compare(&ops->v[at].value, &x->value) > LIKE_UNKNOWN;
        emit(w, s ? there : here, s ? here : there, like ? WHY_FINGERPRINT : WHY_PLACE, like ? 0.9f : 0.6f);
    }
}

/* Graph dumps have no record of a parameter's gradient: some operator of the backward pass computed it. */
static void pair_weight_gradients(struct work *w, const struct nmap gradients[2])
{
    for (int s = 0; s < 2; s++) {
        const item_list *f = &w->items[PHASE_FORWARD][ITEMS_CALLS][s], *back = &w->items[PHASE_BACKWARD][ITEMS_CALLS][s];
        struct readers r = {.first = {0}};
        if (!f->n || w->d[s]->calls.v[f->v[0].call].kind != CALL_OPERATOR)
            continue;
        index_readers(w->d[s], back, &r);
        for (size_t i = 0; i < f->n; i++) {
            if (f->v[i].match == NONE || f->v[i].family != FAMILY_LINEAR)
                continue;
            uint32_t other = w->items[PHASE_FORWARD][ITEMS_CALLS][!s].v[f->v[i].match].call;
            uint32_t grad = gradient_of(w, !s, other, &gradients[!s]);
            uint32_t dw = grad == NONE ? NONE : find_gradient(w->d[s], back, &r, &f->v[i]);
            uint32_t there = grad == NONE ? NONE : nth_row(w, !s, grad, IO_GRADIENT, 0);
            if (dw == NONE || there == NONE || back->v[dw].match != NONE)
                continue;
            uint32_t here = back->v[dw].out;
            if (w->row_pair[s][here] == NONE && w->row_pair[!s][there] == NONE && !w->taken[s][here] && !w->taken[!s][there] &&
                dump_row_numel(w->d[s], here) == dump_row_numel(w->d[!s], there))
                emit(w, s ? there : here, s ? here : there, WHY_FLOW, 0.75f);
        }
        nmap_release(&r.first);
        vec_release(&r.list);
        gradients_by_value(w, s);
        pair_losses(w, s);
    }
}

static int led_to(const struct work *w, const struct item *a, const struct item *b)
{
    int alike, led;
    input_evidence(w, a, b, &alike, &led);
    return alike + led;
}

/* Where launch order has crossed two pairs of one kind, what feeds them tells which belong together. */
static void uncross(struct work *w, item_list *A, item_list *B)
{
    for (size_t i = 0; i < A->n; i++) {
        struct item *a = &A->v[i];
        if (a->match == NONE || figure_compare(&a->value, &B->v[a->match].value) > LIKE_UNKNOWN)
            continue;
        for (size_t k = i + 1; k < A->n && k < i + 64; k++) {
            struct item *b = &A->v[k];
            if (b->match == NONE || a->set || b->set || b->op != a->op || b->numel != a->numel || b->layer != a->layer ||
                role_conflict(a->role, B->v[b->match].role) || role_conflict(b->role, B->v[a->match].role) ||
                figure_compare(&b->value, &B->v[b->match].value) > LIKE_UNKNOWN)
                continue;
            struct item *x = &B->v[a->match], *y = &B->v[b->match];
            if (led_to(w, a, y) + led_to(w, b, x) <= led_to(w, a, x) + led_to(w, b, y))
                continue;
            uint32_t to = a->match;
            a->match = b->match;
            b->match = to;
            y->match = (uint32_t)i;
            x->match = (uint32_t)k;
            w->call_pair[0][a->call] = y->call;
            w->call_pair[1][y->call] = a->call;
            w->call_pair[0][b->call] = x->call;
            w->call_pair[1][x->call] = b->call;
        }
    }
}

/* ---- one call against its parts, one level against another ---- */

static bool changes_its_input(const struct item *x)
{
    for (int i = 0; i < x->inputs; i++)
        if (figure_compare(&x->value, &x->in[i]) > LIKE_UNKNOWN)
            return false;
    return true;
}

/* A fused norm or attention, a module of an L0 dump: where the other side recorded what is inside, its result is
 * the result of the last part. Only equal figures near the place it has in the order tell which that is. */
static void meet(struct work *w, const item_list *t, const item_list *g)
{
    uint8_t *met = mem_zalloc(g->n + 1);
    size_t at = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct item *a = &t->v[i];
        uint32_t found = NONE;
        if (a->match != NONE && t->v[i].match < g->n && g->v[a->match].match == i)
            at = a->match;
        if (a->match != NONE || a->group != NONE || a->numel <= 1 || !changes_its_input(a))
            continue;
        for (size_t k = at; k < g->n && k < at + MEET_REACH; k++) {
            const struct item *b = &g->v[k];
            bool whole = family_is_compute(a->family) || family_is_compute(b->family) || a->family == FAMILY_MODULE ||
                         b->family == FAMILY_MODULE;
            if (b->match != NONE || b->group != NONE || met[k] || !whole || a->numel != b->numel || !changes_its_input(b) ||
                (a->layer >= 0 && b->layer >= 0 && a->layer != b->layer) ||
                figure_compare(&a->value, &b->value) != LIKE_SAME)
                continue;
            found = (uint32_t)k;
            break;
        }
        if (found == NONE || w->row_pair[0][a->out] != NONE || w->row_pair[1][g->v[found].out] != NONE ||
            w->taken[0][a->out] || w->taken[1][g->v[found].out])
            continue;
        met[found] = 1;
        at = found;
        emit(w, a->out, g->v[found].out, WHY_WHOLE, 0.85f);
    }
    free(met);
}

/* ---- all of it ---- */

/* Backward calls of paired forward calls. */
static void follow_twins(struct work *w, int klass)
{
    item_list *t = &w->items[PHASE_BACKWARD][klass][0], *g = &w->items[PHASE_BACKWARD][klass][1];
    const item_list *forward = &w->items[PHASE_FORWARD][klass][0];
    for (size_t i = 0; i < forward->n; i++) {
        const struct item *a = &forward->v[i];
        if (a->match == NONE)
            continue;
        uint32_t x = w->d[0]->calls.v[a->call].twin;
        uint32_t y = w->d[1]->calls.v[w->items[PHASE_FORWARD][klass][1].v[a->match].call].twin;
        if (x == NONE || y == NONE || w->item_of[0][x] == NONE || w->item_of[1][y] == NONE)
            continue;
        uint32_t p = w->item_of[0][x], q = w->item_of[1][y];
        bool denied = w->ruled->denied_calls.n && nmap_get(&w->ruled->denied_calls, ruled_key(x, y)) != MAP_NONE;
        if (t->v[p].set || g->v[q].set || denied)
            continue;
        t->v[p].match = q;
        g->v[q].match = p;
        trust(&t->v[p], WHY_TWIN, a->confidence < 0.8f ? a->confidence : 0.8f);
        w->call_pair[0][x] = y;
        w->call_pair[1][y] = x;
    }
}

/* The items no forward twin has spoken for, as lists of their own. */
static void align_rest(item_list *t, item_list *g, const struct align_known *m, bool loose)
{
    item_list left[2] = {{0}, {0}};
    VEC(uint32_t) at[2] = {{0}, {0}};
    for (int s = 0; s < 2; s++) {
        const item_list *l = s ? g : t;
        for (uint32_t i = 0; i < l->n; i++)
            if (l->v[i].match == NONE) {
                vec_push(&left[s], l->v[i]);
                vec_push(&at[s], i);
            }
    }
    align_items(&left[0], &left[1], m);
    align_crossing(&left[0], &left[1], m, loose);
    for (size_t i = 0; i < left[0].n; i++) {
        uint32_t k = left[0].v[i].match;
        /* without a twin only figures speak for a backward call */
        if (k == NONE || figure_compare(&left[0].v[i].value, &left[1].v[k].value) < LIKE_NEAR)
            continue;
        t->v[at[0].v[i]].match = at[1].v[k];
        g->v[at[1].v[k]].match = at[0].v[i];
    }
    for (int s = 0; s < 2; s++) {
        vec_release(&left[s]);
        vec_release(&at[s]);
    }
}

static void emit_pairs(struct work *w, int phase, int klass, bool certain)
{
    const item_list *t = &w->items[phase][klass][0], *g = &w->items[phase][klass][1];
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i].match != NONE)
            pair_calls(w, &t->v[i], &g->v[t->v[i].match], certain);
}

/* Pairs of calls a person made, before anything is looked at. */
static void set_calls(struct work *w)
{
    for (size_t i = 0; i < w->ruled->calls.n; i++) {
        const struct ruled_calls *x = &w->ruled->calls.v[i];
        uint32_t p = w->item_of[0][x->t], q = w->item_of[1][x->g];
        for (int phase = 0; phase < PHASE_COUNT; phase++)
            for (int klass = 0; klass < 3; klass++) {
                item_list *A = &w->items[phase][klass][0], *B = &w->items[phase][klass][1];
                if (p >= A->n || q >= B->n || A->v[p].call != x->t || B->v[q].call != x->g || A->v[p].set == SET_MATCH ||
                    B->v[q].set == SET_MATCH)
                    continue;
                bool equal = A->v[p].numel == B->v[q].numel;
                A->v[p].set = B->v[q].set = equal ? SET_MATCH : SET_PART;
                if (!equal)
                    continue;
                A->v[p].match = q;
                B->v[q].match = p;
                trust(&A->v[p], WHY_MARK, 1);
            }
    }
}

void sequence_align(const struct dump *t, const struct dump *g, const struct sequence_options *o, sequence_list *out)
{
    static const struct ruled nothing;
    struct work w = {.d = {t, g}, .taken = {o->taken[0], o->taken[1]}, .ruled = o->ruled ? o->ruled : &nothing, .out = out};
    struct nmap gradients[2] = {{0}, {0}};
    for (int s = 0; s < 2; s++) {
        w.item_of[s] = none_array(w.d[s]->calls.n);
        w.module_of[s] = none_array(w.d[s]->calls.n);
        w.call_pair[s] = none_array(w.d[s]->calls.n);
        w.row_pair[s] = none_array(w.d[s]->rows.n);
        w.from[s] = items_producers(w.d[s]);
        for (uint32_t c = 0; c < w.d[s]->calls.n; c++)
            if (w.d[s]->calls.v[c].gradient && w.d[s]->calls.v[c].scope != NONE)
                nmap_set(&gradients[s], w.d[s]->calls.v[c].scope, c);
    }
    bool loose = unordered(&w);
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        for (int klass = 0; klass < 3; klass++) {
            for (int s = 0; s < 2; s++)
                items_collect(w.d[s], (enum call_phase)phase, (enum item_class)klass, &w.items[phase][klass][s]);
            number_items(&w, phase, klass);
        }
    set_calls(&w);
    struct align_known little = {.denied = &w.ruled->denied_calls};
    struct align_known m = {.of = {w.module_of[0], w.module_of[1]},
                            .items = {&w.items[PHASE_FORWARD][ITEMS_MODULES][0], &w.items[PHASE_FORWARD][ITEMS_MODULES][1]},
                            .denied = &w.ruled->denied_calls};
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        for (int klass = 0; klass < 3; klass++) {
            item_list *A = &w.items[phase][klass][0], *B = &w.items[phase][klass][1];
            const struct align_known *known = phase == PHASE_FORWARD && klass == ITEMS_CALLS ? &m : &little;
            if (phase == PHASE_BACKWARD && klass != ITEMS_GRADIENTS) {
                follow_twins(&w, klass);
                align_rest(A, B, known, loose);
            } else {
                align_items(A, B, known);
                align_crossing(A, B, known, loose);
            }
            note_pairs(&w, A, B);
            if (loose)
                uncross(&w, A, B);
            weigh_calls(&w, A, B);
            if (phase == PHASE_FORWARD && klass == ITEMS_MODULES)
                find_modules(&w);
            if (phase == PHASE_FORWARD && klass != ITEMS_GRADIENTS) {
                for (int proven = 1; proven >= 0; proven--) {
                    find_fused(&w, B, A, GOLDEN, proven);
                    find_fused(&w, A, B, TARGET, proven);
                }
            }
        }
    for (int klass = 0; klass < 2; klass++) {
        item_list *A = &w.items[PHASE_FORWARD][klass][0], *B = &w.items[PHASE_FORWARD][klass][1];
        pair_groups(&w, B, A, GOLDEN, gradients);
        pair_groups(&w, A, B, TARGET, gradients);
    }
    for (int pass = 0; pass < 2; pass++)
        for (int phase = 0; phase < PHASE_COUNT; phase++)
            for (int klass = 0; klass < 3; klass++)
                emit_pairs(&w, phase, klass, pass == 0);
    item_list *forward[3][2];
    for (int klass = 0; klass < 3; klass++)
        for (int s = 0; s < 2; s++)
            forward[klass][s] = &w.items[PHASE_FORWARD][klass][s];
    meet(&w, forward[ITEMS_CALLS][0], forward[ITEMS_CALLS][1]);
    if (!forward[ITEMS_CALLS][0]->n || !forward[ITEMS_MODULES][1]->n)
        meet(&w, forward[ITEMS_MODULES][0], forward[ITEMS_CALLS][1]);
    if (!forward[ITEMS_MODULES][0]->n || !forward[ITEMS_CALLS][1]->n)
        meet(&w, forward[ITEMS_CALLS][0], forward[ITEMS_MODULES][1]);
    if (loose)
        pair_weight_gradients(&w, gradients);
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        for (int klass = 0; klass < 3; klass++)
            for (int s = 0; s < 2; s++)
                vec_release(&w.items[phase][klass][s]);
    nmap_release(&w.habits);
    for (int s = 0; s < 2; s++) {
        free(w.item_of[s]);
        free(w.module_of[s]);
        free(w.call_pair[s]);
        free(w.row_pair[s]);
        free(w.from[s]);
        nmap_release(&gradients[s]);
    }
}

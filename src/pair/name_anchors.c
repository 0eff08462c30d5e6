/* 1. Modules and their gradients are paired by path, class and order; then by path alone if the class differs. 2.
 * Backward calls follow their forward calls, recomputed forward calls the original ones. 3. Calls between two paired
 * modules: all of them if both sides have the same sequence of names, otherwise those of one name. */
#include "pair/name_anchors.h"

#include <stdlib.h>

#include "dump/call_stem.h"
#include "dump/recomputed.h"
#include "pair/align_item.h"

#define MODULE_DEPTH 64
#define EXCHANGED_MOST 16 /* calls of one module whose order is looked for */
#define OWN_FRAMES 2 /* frames of a stack that identify the place of a call */

struct anchoring {
    const struct dump *d[2];
    uint32_t *of[2];   /* call → the other side's, or NONE */
    uint64_t *key[2];  /* call → its current group key; 0: none */
    uint64_t *place[2]; /* forward call → the interval between two paired modules that contains it */
    uint32_t *next[2]; /* call → the next one in its group, or NONE */
    uint32_t *from[2]; /* row → the row that produced its value (align_items_producers); NULL: not computed */
};

/* Calls with one key, in order. */
struct name_group {
    uint32_t head[2], tail[2], n[2];
};
typedef VEC(struct name_group) group_list;

static void begin_anchoring(struct anchoring *w, const struct dump *t, const struct dump *g, uint32_t *const of[2])
{
    *w = (struct anchoring){.d = {t, g}, .of = {of[0], of[1]}};
    for (int s = 0; s < 2; s++) {
        size_t n = w->d[s]->calls.n + 1;
        w->key[s] = mem_alloc(n * sizeof **w->key);
        w->place[s] = mem_alloc(n * sizeof **w->place);
        w->next[s] = mem_alloc(n * sizeof **w->next);
    }
}

/* Without a pair yet. */
static void begin_new(struct anchoring *w, const struct dump *t, const struct dump *g, uint32_t *of[2])
{
    of[TARGET] = mem_nones(t->calls.n);
    of[GOLDEN] = mem_nones(g->calls.n);
    begin_anchoring(w, t, g, of);
}

static void end_anchoring(struct anchoring *w)
{
    for (int s = 0; s < 2; s++) {
        free(w->key[s]);
        free(w->place[s]);
        free(w->next[s]);
    }
}

static void end_new(struct anchoring *w, uint32_t *const of[2])
{
    end_anchoring(w);
    free(of[0]);
    free(of[1]);
}

bool anchors_same_calls(const struct dump *t, const struct dump *g)
{
    if (t->calls.n != g->calls.n)
        return false;
    for (uint32_t c = 0; c < t->calls.n; c++)
        if (!str_eq(dump_call_name(t, c), dump_call_name(g, c)))
            return false;
    return true;
}

static void join_anchors(struct anchoring *w, uint32_t t, uint32_t g)
{
    w->of[0][t] = g;
    w->of[1][g] = t;
}

static void group_calls(struct anchoring *w, group_list *out)
{
    struct nmap at = {0};
    out->n = 0;
    for (int s = 0; s < 2; s++)
        for (uint32_t c = 0; c < w->d[s]->calls.n; c++) {
            uint64_t k = w->key[s][c];
            w->next[s][c] = NONE;
            if (!k || w->of[s][c] != NONE)
                continue;
            uint32_t i = nmap_add(&at, k, (uint32_t)out->n);
            if (i == out->n) {
                struct name_group fresh = {.head = {NONE, NONE}};
                vec_push(out, fresh);
            }
            struct name_group *x = &out->v[i];
            *(x->n[s]++ ? &w->next[s][x->tail[s]] : &x->head[s]) = c;
            x->tail[s] = c;
        }
    nmap_release(&at);
}

/* ---- evidence from values ---- */

static uint32_t first_row(const struct dump *d, uint32_t call, enum row_io io)
{
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == io && d->rows.v[r].kind == ROW_TENSOR && dump_row_numel(d, r) > 1)
            return r;
    return NONE;
}

static uint64_t size_of(const struct dump *d, uint32_t call)
{
    uint32_t r = first_row(d, call, IO_OUTPUT);
    return r == NONE ? 0 : dump_row_numel(d, r);
}

static bool sizes_agree(const struct anchoring *w, const struct name_group *x)
{
    for (uint32_t a = x->head[0], b = x->head[1]; a != NONE && b != NONE; a = w->next[0][a], b = w->next[1][b])
        if (size_of(w->d[0], a) != size_of(w->d[1], b))
            return false;
    return true;
}

static enum likeness rows_alike(const struct anchoring *w, uint32_t t, uint32_t g, enum row_io io)
{
    uint32_t x = first_row(w->d[0], t, io), y = first_row(w->d[1], g, io);
    if (x == NONE || y == NONE)
        return x == y ? LIKE_UNKNOWN : LIKE_NOT;
    struct fingerprint a = fingerprint_of(w->d[0], x), b = fingerprint_of(w->d[1], y);
    return fingerprint_compare(&a, &b);
}

/* Whether the inputs of two calls were produced by paired calls. */
static bool fed_alike(const struct anchoring *w, uint32_t t, uint32_t g)
{
    uint32_t x = first_row(w->d[0], t, IO_INPUT), y = first_row(w->d[1], g, IO_INPUT);
    x = x == NONE || !w->from[0] ? NONE : w->from[0][x];
    y = y == NONE || !w->from[1] ? NONE : w->from[1][y];
    return x != NONE && y != NONE && w->of[0][w->d[0]->rows.v[x].call] == w->d[1]->rows.v[y].call;
}

/* Whether neither the outputs nor the inputs of two calls agree. */
static bool values_contradict(const struct anchoring *w, uint32_t t, uint32_t g)
{
    if (fed_alike(w, t, g))
        return false;
    return rows_alike(w, t, g, IO_OUTPUT) == LIKE_NOT && rows_alike(w, t, g, IO_INPUT) == LIKE_NOT;
}

/* ---- modules ---- */

static void key_modules(struct anchoring *w, bool by_path)
{
    for (int s = 0; s < 2; s++)
        for (uint32_t c = 0; c < w->d[s]->calls.n; c++) {
            const struct call *x = &w->d[s]->calls.v[c];
            bool mine = (x->phase == PHASE_FORWARD && x->kind == CALL_MODULE && x->recomputes == NONE) || x->gradient;
            w->key[s][c] = !mine ? 0 : by_path ? call_path_stem(w->d[s], c) : call_stem(dump_call_name(w->d[s], c));
        }
}

static void join_group(struct anchoring *w, const struct name_group *x)
{
    for (uint32_t a = x->head[0], b = x->head[1]; a != NONE && b != NONE; a = w->next[0][a], b = w->next[1][b])
        join_anchors(w, a, b);
}

static void join_agreeing(struct anchoring *w, const struct name_group *x)
{
    for (uint32_t a = x->head[0], b = x->head[1]; a != NONE && b != NONE; a = w->next[0][a], b = w->next[1][b])
        if (!values_contradict(w, a, b))
            join_anchors(w, a, b);
}

/* Whether t returned what g returned, and took what it took. */
static bool is_same_call(const struct anchoring *w, uint32_t t, uint32_t g)
{
    return rows_alike(w, t, g, IO_OUTPUT) == LIKE_SAME && rows_alike(w, t, g, IO_INPUT) != LIKE_NOT;
}

/* Calls of one module made in another order (over a set, whose order changes with every run): those that returned
 * something else in this order, but each what exactly one of the others returned. Returns their number in `other`, for
 * each call of the target that has another partner; 0 if they are in the same order or do not fit. */
static int exchanged_calls(const struct anchoring *w, const struct name_group *x, anchor_list *other)
{
    uint32_t g[EXCHANGED_MOST];
    int n = 0;
    other->n = 0;
    if (x->n[0] != x->n[1] || x->n[0] < 2)
        return 0;
    for (uint32_t a = x->head[0], b = x->head[1]; a != NONE; a = w->next[0][a], b = w->next[1][b]) {
        if (rows_alike(w, a, b, IO_OUTPUT) != LIKE_NOT)
            continue;
        if (n == EXCHANGED_MOST)
            return 0;
        struct anchor moved = {a, NONE};
        vec_push(other, moved);
        g[n++] = b;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            if (g[k] != NONE && other->v[i].g == NONE && is_same_call(w, other->v[i].t, g[k])) {
                other->v[i].g = g[k];
                g[k] = NONE;
            }
    for (int i = 0; i < n; i++)
        if (other->v[i].g == NONE)
            return 0;
    return n;
}

bool anchors_exchanged(const struct dump *t, const struct dump *g)
{
    struct anchoring w;
    group_list groups = {0};
    anchor_list other = {0};
    uint32_t *of[2];
    begin_new(&w, t, g, of);
    key_modules(&w, false);
    group_calls(&w, &groups);
    bool found = false;
    for (size_t i = 0; i < groups.n && !found; i++)
        found = exchanged_calls(&w, &groups.v[i], &other) > 0;
    end_new(&w, of);
    vec_release(&groups);
    vec_release(&other);
    return found;
}

/* With equal numbers of calls on both sides, pairs them in order. Otherwise only if sizes and values do not
 * contradict. */
static void pair_modules(struct anchoring *w, bool by_path, group_list *groups)
{
    anchor_list other = {0};
    key_modules(w, by_path);
    group_calls(w, groups);
    for (size_t i = 0; i < groups->n; i++) {
        const struct name_group *x = &groups->v[i];
        int moved = exchanged_calls(w, x, &other);
        if (x->n[0] == x->n[1])
            join_group(w, x);
        else if (sizes_agree(w, x))
            join_agreeing(w, x);
        for (int k = 0; k < moved; k++)
            join_anchors(w, other.v[k].t, other.v[k].g);
    }
    vec_release(&other);
}

/* ---- what follows from other pairs ---- */

static void pair_recomputed(struct anchoring *w)
{
    struct nmap again = {0};
    for (uint32_t c = 0; c < w->d[1]->calls.n; c++)
        if (w->d[1]->calls.v[c].recomputes != NONE)
            nmap_set(&again, w->d[1]->calls.v[c].recomputes, c);
    for (uint32_t c = 0; c < w->d[0]->calls.n; c++) {
        uint32_t first = w->d[0]->calls.v[c].recomputes, other = first == NONE ? NONE : w->of[0][first];
        uint32_t twice = other == NONE ? MAP_NONE : nmap_get(&again, other);
        if (twice != MAP_NONE && w->of[0][c] == NONE && w->of[1][twice] == NONE)
            join_anchors(w, c, twice);
    }
    nmap_release(&again);
}

/* before: target calls paired there are left as they are; NULL: none. */
static void pair_backward(struct anchoring *w, const uint32_t *before)
{
    struct nmap backward = {0};
    for (int s = 1; s >= 0; s--)
        for (uint32_t c = 0; c < w->d[s]->calls.n; c++) {
            const struct call *x = &w->d[s]->calls.v[c];
            uint32_t f = x->phase != PHASE_BACKWARD || x->gradient ||
                         w->of[s][c] != NONE ? NONE : dump_first_forward(w->d[s], c);
            if (f == NONE)
                continue;
            uint32_t other = s || (before && before[f] != NONE) ? NONE : w->of[0][f],
                     b = other == NONE ? MAP_NONE : nmap_get(&backward, other);
            if (s)
                nmap_set(&backward, f, c);
            else if (b != MAP_NONE && w->of[1][b] == NONE)
                join_anchors(w, c, b);
        }
    nmap_release(&backward);
}

/* ---- calls between modules ---- */

/* The nearest paired module that contains the call, as numbered by the target; NONE: outside modules. */
static uint32_t paired_parent(const struct anchoring *w, int s, uint32_t call)
{
    uint32_t p = w->d[s]->calls.v[call].parent;
    for (int depth = 0; p != NONE && depth < MODULE_DEPTH; depth++, p = w->d[s]->calls.v[p].parent)
        if (w->of[s][p] != NONE)
            return s ? w->of[1][p] : p;
    return NONE;
}

/* Sets for each call the module that contains it and the preceding paired module in it (`any`: the preceding paired
 * call of any kind); without recorded modules all calls are in one place. */
static void find_places(struct anchoring *w, bool any)
{
    size_t n = w->d[0]->calls.n;
    for (int s = 0; s < 2; s++) {
        uint32_t *behind = mem_nones(n);
        for (uint32_t c = 0; c < w->d[s]->calls.n; c++) {
            const struct call *x = &w->d[s]->calls.v[c];
            uint32_t parent = paired_parent(w, s, c), at = parent == NONE ? (uint32_t)n : parent;
            uint32_t key[] = {parent, behind[at]};
            bool mine = x->phase == PHASE_FORWARD && x->kind == CALL_API && x->recomputes == NONE;
            w->place[s][c] = mine ? hash_bytes(key, sizeof key, 41) | 1 : 0;
            if ((any || x->kind == CALL_MODULE) && x->phase == PHASE_FORWARD && w->of[s][c] != NONE)
                behind[at] = s ? w->of[1][c] : c;
        }
        free(behind);
    }
}

static bool same_run(const struct anchoring *w, const struct name_group *x)
{
    if (x->n[0] != x->n[1])
        return false;
    for (uint32_t a = x->head[0], b = x->head[1]; a != NONE; a = w->next[0][a], b = w->next[1][b])
        if (call_stem(dump_call_name(w->d[0], a)) != call_stem(dump_call_name(w->d[1], b)))
            return false;
    return true;
}

static bool same_call(const struct anchoring *w, uint32_t t, uint32_t g)
{
    return call_stem(dump_call_name(w->d[0], t)) == call_stem(dump_call_name(w->d[1], g)) &&
           size_of(w->d[0], t) == size_of(w->d[1], g) && !values_contradict(w, t, g);
}

/* Pairs the common beginning of two sequences. */
static void join_beginning(struct anchoring *w, const struct name_group *x)
{
    for (uint32_t a = x->head[0], b = x->head[1]; a != NONE && b != NONE && same_call(w, a, b); a = w->next[0][a],
         b = w->next[1][b])
        join_anchors(w, a, b);
}

static bool of_framework(const struct frame *f)
{
    struct str file = str_of(f->file);
    return str_has(file, "/torch/") || str_has(file, "/mindspore/") || str_has(file, "/msprobe/");
}

/* A key for a call's place in the model's code without line numbers; 0: unknown. */
static uint64_t code_key(const struct dump *d, uint32_t stack)
{
    uint64_t h = 0;
    int n = 0;
    for (uint32_t i = 0; stack != NONE && i < d->stacks.v[stack].n && n < OWN_FRAMES; i++) {
        const struct frame *f = &d->frames.v[d->stack_frames.v[d->stacks.v[stack].first + i]];
        if (!*f->file || of_framework(f))
            continue;
        struct str base = path_base(str_of(f->file));
        h = hash_bytes(base.p, base.n, h + 43);
        h = hash_bytes(f->func, strlen(f->func), h);
        h = hash_bytes(f->code, strlen(f->code), h);
        n++;
    }
    return h;
}

/* Per stack: its code key, 0 if the other side does not have that code (another version). */
static uint64_t *code_keys(const struct anchoring *w, int s)
{
    const struct dump *mine = w->d[s], *other = w->d[!s];
    uint64_t *key = mem_alloc((mine->stacks.n + 1) * sizeof *key);
    struct nmap there = {0};
    for (uint32_t i = 0; i < other->stacks.n; i++)
        nmap_set(&there, code_key(other, i), 1);
    for (uint32_t i = 0; i < mine->stacks.n; i++) {
        key[i] = code_key(mine, i);
        if (nmap_get(&there, key[i]) == MAP_NONE)
            key[i] = 0;
    }
    nmap_release(&there);
    return key;
}

static void key_by_name(struct anchoring *w)
{
    for (int s = 0; s < 2; s++) {
        uint64_t *code = code_keys(w, s);
        for (uint32_t c = 0; c < w->d[s]->calls.n; c++) {
            uint32_t stack = w->d[s]->calls.v[c].stack;
            uint64_t key[] = {w->place[s][c], call_stem(dump_call_name(w->d[s], c)), stack == NONE ? 0 : code[stack]};
            w->key[s][c] = w->place[s][c] ? hash_bytes(key, sizeof key, 47) | 1 : 0;
        }
        free(code);
    }
}

/* Whether a call is in a module that the other side does not have (a product fused on one side). */
static bool in_unpaired_module(const struct anchoring *w, const struct name_group *x)
{
    for (int s = 0; s < 2; s++)
        for (uint32_t c = x->head[s]; c != NONE; c = w->next[s][c]) {
            uint32_t parent = w->d[s]->calls.v[c].parent;
            if (parent != NONE && w->of[s][parent] == NONE)
                return true;
        }
    return false;
}

/* any: between paired calls of every kind, regardless of values. */
static void pair_calls(struct anchoring *w, bool any, group_list *groups)
{
    find_places(w, any);
    for (int s = 0; s < 2; s++)
        memcpy(w->key[s], w->place[s], w->d[s]->calls.n * sizeof **w->key);
    group_calls(w, groups);
    for (size_t i = 0; i < groups->n; i++)
        if (same_run(w, &groups->v[i]) &&
            ((!any && !in_unpaired_module(w, &groups->v[i])) || sizes_agree(w, &groups->v[i])))
            join_group(w, &groups->v[i]);
        else if (any)
            join_beginning(w, &groups->v[i]);
    key_by_name(w);
    group_calls(w, groups);
    for (size_t i = 0; i < groups->n; i++) {
        const struct name_group *x = &groups->v[i];
        if (x->n[0] == x->n[1] && sizes_agree(w, x))
            any ? join_group(w, x) : join_agreeing(w, x);
    }
}

/* ---- all of it ---- */

/* Whether the user has decided about these calls: names then do not count. */
static bool user_decided(const struct decided_pairs *ruled, uint32_t t, uint32_t g)
{
    for (size_t i = 0; i < ruled->calls.n; i++)
        if (ruled->calls.v[i].t == t || ruled->calls.v[i].g == g)
            return true;
    return decided_pairs_deny(ruled, t, g);
}

/* Appends the pairs of w that were not there before (NULL: none were). */
static void hand_over(const struct anchoring *w, const struct decided_pairs *ruled, const uint32_t *before,
                      anchor_list *out)
{
    for (uint32_t c = 0; c < w->d[0]->calls.n; c++) {
        struct anchor a = {c, w->of[0][c]};
        if (a.g != NONE && (!before || before[c] == NONE) && !user_decided(ruled, a.t, a.g))
            vec_push(out, a);
    }
}

void anchors_find(const struct dump *t, const struct dump *g, const struct decided_pairs *ruled, anchor_list *out)
{
    struct anchoring w;
    group_list groups = {0};
    uint32_t *of[2];
    begin_new(&w, t, g, of);
    pair_modules(&w, false, &groups);
    pair_modules(&w, true, &groups);
    pair_backward(&w, NULL);
    pair_calls(&w, false, &groups);
    pair_recomputed(&w);
    pair_backward(&w, NULL);
    hand_over(&w, ruled, NULL, out);
    end_new(&w, of);
    vec_release(&groups);
}

void anchors_fill(const struct dump *t, const struct dump *g, const struct decided_pairs *ruled, uint32_t *const of[2],
                  anchor_list *out)
{
    struct anchoring w;
    group_list groups = {0};
    size_t bytes = t->calls.n * sizeof **of;
    uint32_t *before = mem_alloc(bytes + 1);
    memcpy(before, of[0], bytes);
    begin_anchoring(&w, t, g, of);
    for (int s = 0; s < 2; s++)
        w.from[s] = align_items_producers(w.d[s]);
    pair_calls(&w, true, &groups);
    pair_backward(&w, before);
    hand_over(&w, ruled, before, out);
    free(w.from[0]);
    free(w.from[1]);
    end_anchoring(&w);
    vec_release(&groups);
    free(before);
}

/* Calls first, then their rows.
 *
 * 1. Modules, then calls, each in order (align.h); a call's module tells where it stands.
 * 2. Fused calls: one wide product against the narrow ones that share its input.
 * 3. Backward calls follow their forward twins, gradients of parameters their modules; what is left is aligned where
 * its
 *    figures agree.
 * 4. Rows of paired calls: by figures, then by where their values come from, then by place; results of modules that
 *    end at different calls with those calls' (sequence_ends.c).
 *
 * A pair's confidence says which of these held it: figures, inputs, the data flow, or order alone.
 */
#include "pair/sequence.h"

#include <stdlib.h>

#include "pair/sequence_parts.h"

#define MODULE_DEPTH 16

static void number_items(struct sequence *w, int phase, int klass)
{
    for (int s = 0; s < 2; s++)
        for (uint32_t i = 0; i < w->items[phase][klass][s].n; i++)
            w->item_of[s][w->items[phase][klass][s].v[i].call] = i;
}

/* The module items that contain calls and modules, and the nearest paired ones. */
static void find_modules(struct sequence *w)
{
    for (int s = 0; s < 2; s++) {
        const struct dump *d = w->d[s];
        const align_item_list *l = &w->items[PHASE_FORWARD][ITEMS_MODULES][s];
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

static bool is_graph(const struct dump *d)
{
    return d->calls.n && d->calls.v[0].kind == CALL_OPERATOR;
}

static bool sequence_unordered(const struct sequence *w)
{
    return is_graph(w->d[TARGET]) || is_graph(w->d[GOLDEN]);
}

uint32_t sequence_twin(const struct sequence *w, int s, uint32_t call)
{
    const struct call *c = &w->d[s]->calls.v[call];
    return c->kind == CALL_OPERATOR ? NONE : c->twin;
}

/* Pairs two backward calls whose forward calls are paired with this confidence. */
static void pair_backward_calls(struct sequence *w, int klass, uint32_t x, uint32_t y, float confidence)
{
    align_item_list *t = &w->items[PHASE_BACKWARD][klass][0], *g = &w->items[PHASE_BACKWARD][klass][1];
    if (x == NONE || y == NONE || w->item_of[0][x] == NONE || w->item_of[1][y] == NONE)
        return;
    uint32_t p = w->item_of[0][x], q = w->item_of[1][y];
    if (t->v[p].set || g->v[q].set || decided_pairs_deny(w->ruled, x, y))
        return;
    t->v[p].match = q;
    g->v[q].match = p;
    sequence_trust(&t->v[p], WHY_TWIN, confidence < 0.8f ? confidence : 0.8f);
    w->call_pair[0][x] = y;
    w->call_pair[1][y] = x;
}

/* Backward calls of paired forward calls. */
static void follow_twins(struct sequence *w, int klass)
{
    const align_item_list *forward = &w->items[PHASE_FORWARD][klass][0];
    for (size_t i = 0; i < forward->n; i++) {
        const struct align_item *a = &forward->v[i];
        if (a->match != NONE)
            pair_backward_calls(w, klass, sequence_twin(w, TARGET, a->call),
                                sequence_twin(w, GOLDEN, w->items[PHASE_FORWARD][klass][1].v[a->match].call),
                                a->confidence);
    }
}

/* The unused record of a module's parameter gradients, or NONE. */
static uint32_t free_gradient(const struct sequence *w, int s, uint32_t module, const struct nmap *by_scope)
{
    uint32_t c = sequence_gradient_of(w, s, module, by_scope), i = c == NONE ? NONE : w->item_of[s][c];
    return i == NONE || w->items[PHASE_BACKWARD][ITEMS_GRADIENTS][s].v[i].match != NONE ? NONE : c;
}

/* Pairs gradients of the parameters of paired modules, regardless of values. A module called several times has one
 * record: its pair with the highest confidence decides. */
static void follow_modules(struct sequence *w, const struct nmap gradients[2])
{
    static const float least[] = {0.9f, 0.6f, 0};
    const align_item_list *t = &w->items[PHASE_FORWARD][ITEMS_MODULES][0],
                               *g = &w->items[PHASE_FORWARD][ITEMS_MODULES][1];
    for (size_t k = 0; k < ARRAY_LEN(least); k++)
        for (size_t i = 0; i < t->n; i++) {
            const struct align_item *a = &t->v[i];
            if (a->match != NONE && a->confidence >= least[k])
                pair_backward_calls(w, ITEMS_GRADIENTS, free_gradient(w, TARGET, a->call, &gradients[TARGET]),
                                    free_gradient(w, GOLDEN, g->v[a->match].call, &gradients[GOLDEN]), a->confidence);
        }
}

/* Aligns the items that have no paired forward twin, as separate lists. */
static void align_rest(struct sequence *w, align_item_list *t, align_item_list *g, const struct align_known *m,
                       bool loose)
{
    align_item_list left[2] = {{0}, {0}};
    VEC(uint32_t) at[2] = {{0}, {0}};
    for (int s = 0; s < 2; s++) {
        const align_item_list *l = s ? g : t;
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
        /* without a twin only figures are evidence for a backward call */
        if (k == NONE || fingerprint_compare(&left[0].v[i].value, &left[1].v[k].value) < LIKE_NEAR)
            continue;
        bool proven = false;
        if (loose && sequence_contradicted(w, TARGET, left[0].v[i].out, left[1].v[k].out, &proven))
            continue;
        if (loose && !proven && sequence_held_nearer(w, left[0].v[i].out, left[1].v[k].out))
            continue;
        t->v[at[0].v[i]].match = at[1].v[k];
        g->v[at[1].v[k]].match = at[0].v[i];
    }
    for (int s = 0; s < 2; s++) {
        vec_release(&left[s]);
        vec_release(&at[s]);
    }
}

static void emit_pairs(struct sequence *w, int phase, int klass, bool certain)
{
    const align_item_list *t = &w->items[phase][klass][0], *g = &w->items[phase][klass][1];
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i].match != NONE)
            sequence_pair_rows(w, &t->v[i], &g->v[t->v[i].match], certain);
}

/* Fixes the pair; if the sizes differ, both stay unpaired. */
static void set_pair(struct sequence *w, uint32_t t, uint32_t g, enum pair_why why, float confidence)
{
    uint32_t p = w->item_of[0][t], q = w->item_of[1][g];
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        for (int klass = 0; klass < 3; klass++) {
            align_item_list *A = &w->items[phase][klass][0], *B = &w->items[phase][klass][1];
            if (p >= A->n || q >= B->n || A->v[p].call != t || B->v[q].call != g || A->v[p].set == SET_MATCH ||
                B->v[q].set == SET_MATCH)
                continue;
            bool equal = A->v[p].numel == B->v[q].numel;
            A->v[p].set = B->v[q].set = equal ? SET_MATCH : SET_PART;
            if (!equal)
                continue;
            A->v[p].match = q;
            B->v[q].match = p;
            sequence_trust(&A->v[p], why, confidence);
        }
}

/* Fixes the pairs of calls made by the user, and those made by names, before the alignment. */
static void set_calls(struct sequence *w, const anchor_list *anchors)
{
    for (size_t i = 0; i < w->ruled->calls.n; i++)
        set_pair(w, w->ruled->calls.v[i].t, w->ruled->calls.v[i].g, WHY_MARK, 1);
    for (size_t i = 0; anchors && i < anchors->n; i++)
        set_pair(w, anchors->v[i].t, anchors->v[i].g, WHY_PATH, SEQUENCE_PATH);
}

static void begin_sequence(struct sequence *w, const anchor_list *anchors, struct nmap gradients[2])
{
    for (int s = 0; s < 2; s++) {
        w->item_of[s] = mem_nones(w->d[s]->calls.n);
        w->module_of[s] = mem_nones(w->d[s]->calls.n);
        w->adder[s] = mem_nones(w->d[s]->calls.n);
        w->call_pair[s] = mem_nones(w->d[s]->calls.n);
        w->row_pair[s] = mem_nones(w->d[s]->rows.n);
        w->from[s] = align_items_producers(w->d[s]);
        for (uint32_t c = 0; c < w->d[s]->calls.n; c++)
            if (w->d[s]->calls.v[c].gradient && w->d[s]->calls.v[c].scope != NONE)
                nmap_set(&gradients[s], w->d[s]->calls.v[c].scope, c);
    }
    w->by_input = align_inputs_alone(w->d[TARGET]) || align_inputs_alone(w->d[GOLDEN]);
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        for (int klass = 0; klass < 3; klass++) {
            for (int s = 0; s < 2; s++)
                align_items_collect(w->d[s], (enum call_phase)phase, (enum align_item_class)klass, w->by_input,
                                    &w->items[phase][klass][s]);
            number_items(w, phase, klass);
        }
    sequence_learn_layers(w);
    set_calls(w, anchors);
}

static void end_sequence(struct sequence *w, struct nmap gradients[2])
{
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        for (int klass = 0; klass < 3; klass++)
            for (int s = 0; s < 2; s++)
                vec_release(&w->items[phase][klass][s]);
    nmap_release(&w->habits);
    sequence_values_release(w);
    for (int s = 0; s < 2; s++) {
        free(w->item_of[s]);
        free(w->module_of[s]);
        free(w->call_pair[s]);
        free(w->adder[s]);
        free(w->last_inner[s]);
        free(w->weight_twin[s]);
        free(w->sample[s]);
        free(w->row_pair[s]);
        free(w->from[s]);
        nmap_release(&gradients[s]);
    }
}

static void align_calls(struct sequence *w, const struct nmap gradients[2], bool loose)
{
    struct align_known little = {.denied = &w->ruled->denied_calls};
    struct align_known m = {.d = {w->d[TARGET], w->d[GOLDEN]},
                            .from = {w->from[TARGET], w->from[GOLDEN]},
                            .call_pair = {w->call_pair[TARGET], w->call_pair[GOLDEN]},
                            .of = {w->module_of[0], w->module_of[1]},
                            .items =
                            {&w->items[PHASE_FORWARD][ITEMS_MODULES][0], &w->items[PHASE_FORWARD][ITEMS_MODULES][1]},
                            .denied = &w->ruled->denied_calls};
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        for (int klass = 0; klass < 3; klass++) {
            align_item_list *A = &w->items[phase][klass][0], *B = &w->items[phase][klass][1];
            const struct align_known *known = phase == PHASE_FORWARD && klass == ITEMS_CALLS ? &m : &little;
            if (phase == PHASE_BACKWARD) {
                if (klass == ITEMS_GRADIENTS)
                    follow_modules(w, gradients);
                else
                    follow_twins(w, klass);
                align_rest(w, A, B, known, loose);
            } else {
                if (phase == PHASE_FORWARD && klass == ITEMS_CALLS) {
                    sequence_find_weights(w, A, B);
                    if (!w->by_input)
                        sequence_join_bias(w, A, B);
                }
                if (loose && phase == PHASE_FORWARD && klass == ITEMS_CALLS) {
                    sequence_pin(w, A, B);
                    sequence_note(w, A, B);
                }
                align_items(A, B, known);
                align_crossing(A, B, known, loose);
            }
            sequence_note(w, A, B);
            sequence_uncross(w, A, B, loose);
            if (loose) {
                if (phase == PHASE_FORWARD)
                    align_crossing(A, B, known, loose); /* for calls that this released */
                sequence_note(w, A, B);
            }
            sequence_weigh(w, A, B);
            if (loose && phase == PHASE_FORWARD && klass == ITEMS_CALLS)
                sequence_part_contradicted(w, A, B);
            if (phase == PHASE_FORWARD && klass == ITEMS_CALLS)
                sequence_part_ended(w, A, B);
            if (phase == PHASE_FORWARD && klass == ITEMS_MODULES)
                find_modules(w);
            if (phase == PHASE_FORWARD && klass != ITEMS_GRADIENTS)
                for (int proven = 1; proven >= 0; proven--) {
                    sequence_fuse(w, B, A, GOLDEN, proven);
                    sequence_fuse(w, A, B, TARGET, proven);
                }
        }
}

/* Pairs whole calls with their parts: on one level, then where a side recorded only modules or only calls. */
static void meet_levels(struct sequence *w)
{
    const align_item_list(*l)[2] = w->items[PHASE_FORWARD];
    sequence_meet(w, &l[ITEMS_CALLS][0], &l[ITEMS_CALLS][1]);
    if (!l[ITEMS_CALLS][0].n || !l[ITEMS_MODULES][1].n)
        sequence_meet(w, &l[ITEMS_MODULES][0], &l[ITEMS_CALLS][1]);
    if (!l[ITEMS_MODULES][0].n || !l[ITEMS_CALLS][1].n)
        sequence_meet(w, &l[ITEMS_CALLS][0], &l[ITEMS_MODULES][1]);
}

void sequence_align(const struct dump *t, const struct dump *g, const struct sequence_options *o,
                    struct sequence_result *out)
{
    static const struct decided_pairs nothing;
    struct sequence w =
        {.d = {t, g}, .taken = {o->taken[0], o->taken[1]}, .ruled = o->ruled ? o->ruled : &nothing, .out = &out->pairs,
        .views = &out->views};
    struct nmap gradients[2] = {{0}, {0}};
    begin_sequence(&w, o->anchors, gradients);
    bool loose = sequence_unordered(&w);
    align_calls(&w, gradients, loose);
    for (int klass = 0; klass < 2; klass++) {
        align_item_list *A = &w.items[PHASE_FORWARD][klass][0], *B = &w.items[PHASE_FORWARD][klass][1];
        sequence_pair_groups(&w, B, A, GOLDEN, gradients);
        sequence_pair_groups(&w, A, B, TARGET, gradients);
    }
    sequence_find_ends(&w);
    for (int pass = 0; pass < 2; pass++)
        for (int phase = 0; phase < PHASE_COUNT; phase++)
            for (int klass = 0; klass < 3; klass++)
                emit_pairs(&w, phase, klass, pass == 0);
    sequence_pair_ends(&w);
    sequence_pair_experts(&w);
    sequence_pair_weights(&w);
    meet_levels(&w);
    sequence_pair_sources(&w);
    sequence_pair_epsilons(&w);
    if (loose)
        sequence_graph_gradients(&w, gradients);
    for (int s = 0; s < 2; s++)
        if (is_graph(w.d[s])) {
            sequence_backward_values(&w, s);
            sequence_product_gradients(&w, s);
            break;
        }
    for (uint32_t s = 0; s < 2; s++)
        for (uint32_t c = 0; c < w.d[s]->calls.n; c++)
            if (w.adder[s][c] != NONE) {
                struct joined_call j = {s, c, w.adder[s][c]};
                vec_push(&out->joined, j);
            }
    end_sequence(&w, gradients);
}

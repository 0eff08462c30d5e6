/* Pairs rows of paired calls: by figures, then by producers, then by position. */
#include "pair/sequence_parts.h"

#include <math.h>

#include "dump/family.h"
#include "fmt/weight_names.h"
#include "pair/call_arguments.h"

#define ROWS 32 /* the most inputs or outputs considered per call */

struct rows {
    uint32_t row[ROWS];
    int n;
};

static struct rows rows_of(const struct sequence *w, int s, uint32_t call, enum row_io io)
{
    struct rows l = {.n = 0};
    if (io == IO_OUTPUT && w->adder[s][call] != NONE)
        call = w->adder[s][call];
    EACH_ROW(w->d[s], call, r)
        if (l.n < ROWS && sequence_free(w, s, r) && w->d[s]->rows.v[r].io == io &&
            w->d[s]->rows.v[r].kind == ROW_TENSOR)
            l.row[l.n++] = r;
    return l;
}

void sequence_emit(struct sequence *w, uint32_t t, uint32_t g, enum pair_why why, float confidence)
{
    struct sequence_pair p = {t, g, (uint8_t)why, confidence, NONE};
    if (w->ruled->denied_rows.n && nmap_get(&w->ruled->denied_rows, decided_pairs_key(t, g)) != MAP_NONE)
        return;
    vec_push(w->out, p);
    w->row_pair[0][t] = g;
    w->row_pair[1][g] = t;
}

static bool is_complex(const struct sequence *w, int s, uint32_t row)
{
    return dtype_table[w->d[s]->rows.v[row].dtype].klass == CLASS_COMPLEX;
}

/* Whether rows have as many elements, complex ones or reals on both sides. */
static bool numel_fits(const struct sequence *w, uint32_t t, uint32_t g)
{
    return dump_row_numel(w->d[0], t) == dump_row_numel(w->d[1], g) &&
           is_complex(w, TARGET, t) == is_complex(w, GOLDEN, g);
}

/* How many rows of l have this element count. */
static int count_alternatives(const struct sequence *w, int s, const struct rows *l, uint64_t numel)
{
    int n = 0;
    for (int i = 0; i < l->n; i++)
        n += l->row[i] != NONE && dump_row_numel(w->d[s], l->row[i]) == numel;
    return n;
}

static void take_row_pair(struct sequence *w, struct rows *t, int i, struct rows *g, int k, enum pair_why why,
                          float confidence)
{
    sequence_emit(w, t->row[i], g->row[k], why, confidence);
    t->row[i] = g->row[k] = NONE;
}

/* Whether a backward call returns what it gets in this row: the gradient of an addition does. */
static bool returns_input(const struct sequence *w, int s, uint32_t row)
{
    struct fingerprint in = fingerprint_of(w->d[s], row);
    EACH_ROW(w->d[s], w->d[s]->rows.v[row].call, r) {
        struct fingerprint out = fingerprint_of(w->d[s], r);
        if (w->d[s]->rows.v[r].io == IO_OUTPUT && fingerprint_compare(&in, &out) == LIKE_SAME)
            return true;
    }
    return false;
}

/* Whether a row is one term of a sum of gradients and the other the sum itself: they are near where one term is by far
 * the largest. */
static bool term_and_sum(const struct sequence *w, uint32_t t, uint32_t g)
{
    const struct row *row = &w->d[TARGET]->rows.v[t];
    return row->io == IO_INPUT && w->d[TARGET]->calls.v[row->call].phase == PHASE_BACKWARD &&
           returns_input(w, TARGET, t) != returns_input(w, GOLDEN, g);
}

static void by_figures(struct sequence *w, struct rows *t, struct rows *g, enum likeness least)
{
    for (int i = 0; i < t->n; i++) {
        int best = -1;
        float nearest = INFINITY;
        if (t->row[i] == NONE)
            continue;
        struct fingerprint a = fingerprint_of(w->d[0], t->row[i]);
        for (int k = 0; k < g->n; k++) {
            if (g->row[k] == NONE || !numel_fits(w, t->row[i], g->row[k]))
                continue;
            struct fingerprint b = fingerprint_of(w->d[1], g->row[k]);
            /* of several rows with the same value, the one at the same position */
            float d =
                k == i && least == LIKE_SAME ? 0 : fabsf(a.max - b.max) + fabsf(a.min - b.min) + fabsf(a.norm - b.norm);
            enum likeness l = fingerprint_compare(&a, &b);
            if (l >= least && d < nearest && (l == LIKE_SAME || !term_and_sum(w, t->row[i], g->row[k]))) {
                nearest = d;
                best = k;
            }
        }
        if (best >= 0)
            take_row_pair(w, t, i, g, best, WHY_FINGERPRINT, 0.95f);
    }
}

/* "parameters.gamma" → "weight" */
static struct str parameter_of(const struct sequence *w, int s, uint32_t row)
{
    struct str slot = str_of(w->d[s]->slots.v[w->d[s]->rows.v[row].slot]);
    return weight_parameter(str_cut(slot, (size_t)(str_rfind(slot, '.') + 1)));
}

/* Pairs a module's parameters by name, whatever they or their gradients hold. */
static void by_parameter(struct sequence *w, struct rows *t, struct rows *g, float confidence)
{
    for (int i = 0; i < t->n; i++)
        for (int k = 0; k < g->n && t->row[i] != NONE; k++) {
            if (g->row[k] == NONE || !numel_fits(w, t->row[i], g->row[k]) ||
                !str_eq(parameter_of(w, 0, t->row[i]), parameter_of(w, 1, g->row[k])))
                continue;
            struct fingerprint a = fingerprint_of(w->d[0], t->row[i]), b = fingerprint_of(w->d[1], g->row[k]);
            bool like = fingerprint_compare(&a, &b) > LIKE_UNKNOWN;
            take_row_pair(w, t, i, g, k, like ? WHY_FINGERPRINT : WHY_SLOT, like ? 0.95f : confidence);
        }
}

/* Whether an operand of a product may be at another place on the other side: only if the results that both hold are
 * alike, because their calls may be paired by order alone. */
static bool may_move(const struct sequence *w, uint32_t x, uint32_t y)
{
    struct fingerprint a = fingerprint_of(w->d[TARGET], x), b = fingerprint_of(w->d[GOLDEN], y);
    return fingerprint_compare(&a, &b) > LIKE_UNKNOWN;
}

/* The only tensor that a call takes; NONE: there are more, or none. */
static uint32_t lone_input(const struct dump *d, uint32_t call)
{
    uint32_t found = NONE;
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR) {
            if (found != NONE)
                return NONE;
            found = r;
        }
    return found;
}

/* Whether two forward calls of one tensor each take different values: their figures are not alike, and what made one is
 * paired with something else. */
static bool take_other_values(const struct sequence *w, uint32_t t, uint32_t g)
{
    uint32_t row[2] = {lone_input(w->d[0], t), lone_input(w->d[1], g)}, from[2];
    struct fingerprint value[2];
    if (row[0] == NONE || row[1] == NONE)
        return false;
    for (int s = 0; s < 2; s++) {
        from[s] = w->from[s][row[s]];
        value[s] = fingerprint_of(w->d[s], row[s]);
    }
    if (fingerprint_compare(&value[0], &value[1]) > LIKE_UNKNOWN)
        return false;
    for (int s = 0; s < 2; s++)
        if (from[s] != NONE && w->row_pair[s][from[s]] != NONE && w->row_pair[s][from[s]] != from[!s])
            return true;
    return false;
}

/* Whether the gradients at one place in the backward calls of two operators are those of different values: of a
 * quotient's second operand and of a product's, its reciprocal, of a difference's and of a sum's, its negative; of the
 * results of forward calls that are no partners (a root and its reciprocal, alike as their operands' gradients may be);
 * of what a reciprocal takes and what a reciprocal root does. */
static bool gradients_of_other_values(const struct sequence *w, const struct align_item *a, const struct align_item *b,
                                      bool product, enum row_io io)
{
    const struct call *t = &w->d[0]->calls.v[a->call], *g = &w->d[1]->calls.v[b->call];
    int gradients = 0;
    if (t->phase != PHASE_BACKWARD || t->kind != CALL_API || g->kind != CALL_API || a->op == b->op ||
        t->twin == NONE || g->twin == NONE)
        return false;
    if (io == IO_INPUT)
        return w->call_pair[0][t->twin] != g->twin;
    EACH_EARLY_ROW(w->d[0], a->call, r)
        gradients += w->d[0]->rows.v[r].io == IO_OUTPUT && w->d[0]->rows.v[r].kind == ROW_TENSOR;
    return io == IO_OUTPUT &&
           (gradients > 1 ? product || a->family == FAMILY_ADD : take_other_values(w, t->twin, g->twin));
}

/* Pairs rows whose values come from paired calls. */
static void by_flow(struct sequence *w, struct rows *t, struct rows *g, bool product, float confidence)
{
    for (int i = 0; i < t->n; i++)
        for (int k = 0; k < g->n && t->row[i] != NONE; k++) {
            if (g->row[k] == NONE || !numel_fits(w, t->row[i], g->row[k]))
                continue;
            uint32_t x = w->from[0][t->row[i]], y = w->from[1][g->row[k]];
            if (x != NONE && y != NONE && w->call_pair[0][w->d[0]->rows.v[x].call] == w->d[1]->rows.v[y].call &&
                (!product || i == k || may_move(w, x, y)))
                take_row_pair(w, t, i, g, k, WHY_FLOW, confidence);
        }
}

/* Whether a side's row is a sum that has no partner, of which the other side's row is one term. */
static bool is_sum_with(const struct sequence *w, int s, uint32_t row, uint32_t term)
{
    uint32_t from = w->d[s]->rows.v[row].io == IO_INPUT ? w->from[s][row] : NONE,
             made = from == NONE ? NONE : w->d[s]->rows.v[from].call;
    if (made == NONE || w->d[s]->calls.v[made].family != FAMILY_ADD || w->call_pair[s][made] != NONE ||
        w->d[s]->calls.v[w->d[s]->rows.v[row].call].family != FAMILY_ADD)
        return false;
    struct fingerprint b = fingerprint_of(w->d[!s], term);
    EACH_EARLY_ROW(w->d[s], made, r) {
        struct fingerprint a = fingerprint_of(w->d[s], r);
        if (w->d[s]->rows.v[r].io == IO_INPUT && fingerprint_compare(&a, &b) > LIKE_UNKNOWN)
            return true;
    }
    return false;
}

/* Whether operands may belong together although nothing but their place says so: as many elements, and not the sum of
 * some terms beside one of them, which one side adds one after the other. */
static bool places_fit(const struct sequence *w, uint32_t t, uint32_t g)
{
    return numel_fits(w, t, g) && !is_sum_with(w, TARGET, t, g) && !is_sum_with(w, GOLDEN, g, t);
}

/* Key of operand positions: two calls of one kind name their operands alike in every layer, so slots paired by
 * figures or data flow in one pair are paired in the others. */
static uint64_t habit_key(const struct align_item *a, const struct align_item *b, uint32_t slot)
{
    uint32_t key[] = {a->op, b->op, a->role, b->role, a->inputs, b->inputs, (uint32_t)a->numel, slot};
    return hash_bytes(key, sizeof key, 3);
}

static void learn_argument_places(struct sequence *w, const struct align_item *a, const struct align_item *b)
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

static void by_habit(struct sequence *w, const struct align_item *a, const struct align_item *b, struct rows *t,
                     struct rows *g, enum pair_why why, float confidence)
{
    for (int i = 0; i < t->n; i++) {
        uint32_t slot =
            t->row[i] == NONE ? MAP_NONE : nmap_get(&w->habits, habit_key(a, b, w->d[0]->rows.v[t->row[i]].slot));
        for (int k = 0; k < g->n && slot < NONE - 1 && t->row[i] != NONE; k++)
            if (g->row[k] != NONE && w->d[1]->rows.v[g->row[k]].slot == slot && places_fit(w, t->row[i], g->row[k]))
                take_row_pair(w, t, i, g, k, why, confidence);
    }
}

/* Whether rows of one size in one call hold the same value, so that any of them may be paired. */
static bool rows_interchangeable(const struct sequence *w, int s, const struct rows *l, int like)
{
    struct fingerprint a = fingerprint_of(w->d[s], l->row[like]);
    for (int i = 0; i < l->n; i++)
        if (l->row[i] != NONE && i != like &&
            dump_row_numel(w->d[s], l->row[i]) == dump_row_numel(w->d[s], l->row[like])) {
            struct fingerprint b = fingerprint_of(w->d[s], l->row[i]);
            if (fingerprint_compare(&a, &b) != LIKE_SAME)
                return false;
        }
    return true;
}

/* Pairs the remaining rows by position. */
static void pair_rows_by_place(struct sequence *w, struct rows *t, struct rows *g, bool commutes, enum pair_why why,
                               float confidence)
{
    const struct rows first = *t, other = *g;
    for (int i = 0; i < t->n; i++) {
        if (t->row[i] == NONE)
            continue;
        uint64_t n = dump_row_numel(w->d[0], t->row[i]);
        int here = count_alternatives(w, 0, &first, n), there = count_alternatives(w, 1, &other, n);
        if (here != there)
            continue;
        bool sure = here == 1 || !commutes || rows_interchangeable(w, 0, &first, i);
        for (int k = 0; k < g->n; k++)
            if (g->row[k] != NONE && places_fit(w, t->row[i], g->row[k])) {
                take_row_pair(w, t, i, g, k, why, sure ? confidence : fminf(confidence, 0.4f));
                break;
            }
    }
}

/* Pairs numbers given as operands: "x + 1e-6", "x * 0.125". */
static void pair_scalars(struct sequence *w, uint32_t t, uint32_t g, float confidence)
{
    uint32_t one[2] = {NONE, NONE};
    int n[2] = {0, 0};
    for (int s = 0; s < 2; s++)
        EACH_ROW(w->d[s], s ? g : t, r) {
            const struct row *x = &w->d[s]->rows.v[r];
            bool scalar = x->kind == ROW_FLOAT || (x->kind == ROW_TENSOR && dump_row_numel(w->d[s], r) == 1 &&
                                                   dtype_is_float(x->dtype));
            if (x->io == IO_INPUT && scalar && sequence_free(w, s, r)) {
                one[s] = r;
                n[s]++;
            }
        }
    if (n[0] == 1 && n[1] == 1)
        sequence_emit(w, one[0], one[1], WHY_SLOT, confidence);
}

/* Pairs numbers, booleans and texts of one operator by their argument names. */
static void pair_arguments(struct sequence *w, uint32_t t, uint32_t g, float confidence)
{
    struct named_argument a[ARGUMENTS_MOST], b[ARGUMENTS_MOST];
    int n[2] = {arguments_named(w->d[0], t, a), arguments_named(w->d[1], g, b)};
    for (int i = 0; i < n[0]; i++)
        for (int k = 0; k < n[1]; k++)
            if (sequence_free(w, 0, a[i].row) && sequence_free(w, 1, b[k].row) &&
                argument_same(w->d[0], a[i], w->d[1], b[k]))
                sequence_emit(w, a[i].row, b[k].row, WHY_SLOT, confidence);
}

/* Families for which a framework may record only the gradients of one inner node (doc/formats.md). */
static bool family_is_composite(uint8_t f)
{
    return family_is_compute(f) && f != FAMILY_SOFTMAX && f != FAMILY_ACTIVATION;
}

/* Whether rows at the same place in two calls correspond. A quotient's second operand is the reciprocal of a
 * product's; a backward operator of a graph may be any part of what the other side does in one call. */
static bool places_tell(const struct sequence *w, const struct align_item *a, const struct align_item *b,
                        bool commutes, enum row_io io)
{
    const struct call *t = &w->d[0]->calls.v[a->call], *g = &w->d[1]->calls.v[b->call];
    bool graph = t->kind == CALL_OPERATOR || g->kind == CALL_OPERATOR;
    if (gradients_of_other_values(w, a, b, commutes, io))
        return false;
    return io != IO_INPUT || !((commutes && a->op != b->op) || (graph && t->phase == PHASE_BACKWARD));
}

/* Whether all operands but one of a concatenation or a sum hold the same values: then the last ones belong together,
 * whatever they hold. The figures of the whole may be those of its largest part, as those of a residual stream are, and
 * a rotation keeps norms. */
static bool only_operand_left(const struct sequence *w, const struct align_item *a, const struct align_item *b,
                              const struct rows *t, const struct rows *g)
{
    int left[2] = {0, 0}, paired = 0;
    if (a->op != b->op || (a->op != family_operator(str_of("cat")) && a->op != family_operator(str_of("add"))))
        return false;
    for (int i = 0; i < ROWS; i++) {
        left[TARGET] += i < t->n && t->row[i] != NONE && dump_row_numel(w->d[TARGET], t->row[i]) > 1;
        left[GOLDEN] += i < g->n && g->row[i] != NONE && dump_row_numel(w->d[GOLDEN], g->row[i]) > 1;
    }
    EACH_ROW(w->d[TARGET], a->call, r)
        paired += w->d[TARGET]->rows.v[r].io == IO_INPUT && w->row_pair[TARGET][r] != NONE &&
                  dump_row_numel(w->d[TARGET], r) > 1;
    return left[TARGET] == 1 && left[GOLDEN] == 1 && paired > 0;
}

/* Leaves out a quotient's divisor beside a product: the product's operand is its reciprocal, alike near one. */
static void leave_out_divisor(const struct sequence *w, const struct align_item *a, const struct align_item *b,
                              struct rows l[2])
{
    const struct align_item *x[] = {a, b};
    for (int s = 0; s < 2; s++)
        if (l[s].n == 2 && align_item_does(w->d[s], x[s]->call, STR("div")) &&
            align_item_does(w->d[!s], x[!s]->call, STR("mul")))
            l[s].row[1] = NONE;
}

void sequence_pair_rows(struct sequence *w, const struct align_item *a, const struct align_item *b, bool certain)
{
    static const enum row_io order[] = {IO_PARAMETER, IO_INPUT, IO_OUTPUT, IO_GRADIENT};
    const struct call *c = &w->d[0]->calls.v[a->call];
    bool backward = c->phase == PHASE_BACKWARD;
    bool modules = c->kind == CALL_MODULE && w->d[1]->calls.v[b->call].kind == CALL_MODULE;
    /* the gradient of a sum is the same for all its terms */
    bool commutes = (a->family == FAMILY_ADD && !backward) || a->family == FAMILY_MUL;
    float base = a->confidence < 0.8f ? a->confidence : 0.8f;
    /* if the results of one operator agree, so do its operands; for modules this need not hold */
    bool agreed = a->why == WHY_FINGERPRINT;
    /* the calls' evidence is stronger for their rows than position */
    enum pair_why why = a->why == WHY_WEIGHT || a->why == WHY_SAMPLE ? (enum pair_why)a->why : WHY_SLOT;
    sequence_pair_bias(w, a, b);
    for (size_t o = 0; o < ARRAY_LEN(order); o++) {
        struct rows both[] = {rows_of(w, 0, a->call, order[o]), rows_of(w, 1, b->call, order[o])};
        if (order[o] == IO_INPUT && !backward)
            leave_out_divisor(w, a, b, both);
        struct rows t = both[TARGET], g = both[GOLDEN];
        if (modules && sequence_end_differs(w, a->call, b->call, order[o]))
            continue;
        if (certain) {
            if (modules && (order[o] == IO_PARAMETER || order[o] == IO_GRADIENT))
                by_parameter(w, &t, &g, base);
            by_figures(w, &t, &g, LIKE_SAME);
            by_figures(w, &t, &g, LIKE_NEAR);
            if (order[o] == IO_INPUT && !gradients_of_other_values(w, a, b, commutes, IO_INPUT))
                by_flow(w, &t, &g, family_is_product(a->family), base);
            continue;
        }
        bool doubt = (order[o] == IO_INPUT && (agreed || modules) && !only_operand_left(w, a, b, &t, &g)) ||
                     (backward && order[o] == IO_OUTPUT && (family_is_composite(a->family) || modules)) ||
                     (backward && a->op != b->op);
        if (!places_tell(w, a, b, commutes, order[o]))
            continue;
        by_habit(w, a, b, &t, &g, why, doubt ? fminf(base, 0.4f) : base);
        pair_rows_by_place(w, &t, &g, commutes, why, doubt ? fminf(base, 0.4f) : base);
    }
    if (certain)
        learn_argument_places(w, a, b);
    else if (!modules && !backward && a->op == b->op) {
        pair_arguments(w, a->call, b->call, base);
        if (commutes)
            pair_scalars(w, a->call, b->call, base);
    }
}

uint32_t sequence_nth_row(const struct sequence *w, int s, uint32_t call, enum row_io io, int n)
{
    if (io == IO_OUTPUT && w->adder[s][call] != NONE)
        call = w->adder[s][call];
    EACH_ROW(w->d[s], call, r)
        if (w->d[s]->rows.v[r].io == io && w->d[s]->rows.v[r].kind == ROW_TENSOR && dump_row_numel(w->d[s], r) > 1 &&
            !n--)
            return r;
    return NONE;
}

uint32_t sequence_gradient_of(const struct sequence *w, int s, uint32_t call, const struct nmap *by_scope)
{
    uint32_t scope = w->d[s]->calls.v[call].scope;
    uint32_t c = scope == NONE ? MAP_NONE : nmap_get(by_scope, scope);
    return c == MAP_NONE ? NONE : c;
}

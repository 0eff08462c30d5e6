/* Decides which pairs of calls are accepted, with their evidence. */
#include "pair/sequence_parts.h"

#include "dump/family.h"
#include "dump/role.h"

#define UNCROSS 64    /* items around its position in which a crossed partner is searched */
#define NEIGHBOURS 12 /* items before and after it that show whether values agree there */

void sequence_trust(struct align_item *a, enum pair_why why, float confidence)
{
    if (confidence > a->confidence) {
        a->why = (uint8_t)why;
        a->confidence = confidence;
    }
}

/* Counts inputs of a that agree with inputs of b, and inputs produced by paired calls. That both sides read ones, or
 * zeros, says nothing: masks of any kind hold them. */
static void input_evidence(const struct sequence *w, const struct align_item *a, const struct align_item *b, int *alike,
                           int *led)
{
    *alike = *led = 0;
    for (int i = 0; i < a->inputs; i++) {
        bool like = false, flow = false;
        for (int k = 0; k < b->inputs; k++) {
            like = like || (a->in[i].max != a->in[i].min && fingerprint_compare(&a->in[i], &b->in[k]) > LIKE_UNKNOWN);
            uint32_t x = w->from[0][a->in_row[i]], y = w->from[1][b->in_row[k]];
            flow = flow || (x != NONE && y != NONE &&
                            w->call_pair[0][w->d[0]->rows.v[x].call] == w->d[1]->rows.v[y].call);
        }
        *alike += like;
        *led += flow;
    }
}

/* Whether neither inputs nor results agree while the values of neighbouring pairs do: then these are different calls,
 * whatever their kinds. */
static bool out_of_place(const align_item_list *A, size_t i)
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

/* Whether results have as many elements by chance: as many axes, none of them of the same size (experts' tokens all at
 * once, and those of one expert in a wider layer). */
static bool sized_by_chance(const struct sequence *w, const struct align_item *a, const struct align_item *b)
{
    const struct shape *t = a->out == NONE ? NULL : dump_row_shape(w->d[0], a->out),
                       *g = b->out == NONE ? NULL : dump_row_shape(w->d[1], b->out);
    if (!t || !g || a->numel != b->numel || t->ndim != g->ndim || t->ndim < 2)
        return false;
    for (int i = 0; i < t->ndim; i++)
        for (int k = 0; k < g->ndim; k++)
            if (t->dim[i] == g->dim[k])
                return false;
    return true;
}

/* Whether both sides have equally many calls of x's kind between two certain pairs. */
static void count_gaps(align_item_list *A, align_item_list *B)
{
    struct nmap count = {0};
    size_t a0 = 0, b0 = 0;
    for (size_t a = 0; a <= A->n; a++) {
        if (a < A->n && (A->v[a].match == NONE || A->v[a].confidence < 0.7f))
            continue;
        size_t b = a < A->n ? A->v[a].match : B->n;
        if (b < b0) /* a crossing pair does not end a gap */
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
                sequence_trust(&A->v[i], WHY_BETWEEN, a - a0 <= 8 ? 0.65f : 0.55f);
        }
        a0 = a + 1;
        b0 = b + 1;
    }
    nmap_release(&count);
}

void sequence_note(struct sequence *w, const align_item_list *A, const align_item_list *B)
{
    for (size_t i = 0; i < A->n; i++)
        if (A->v[i].match != NONE) {
            uint32_t t = A->v[i].call, g = B->v[A->v[i].match].call;
            w->call_pair[0][t] = w->adder[1][g] != NONE ? w->adder[1][g] : g;
            w->call_pair[1][g] = w->adder[0][t] != NONE ? w->adder[0][t] : t;
            if (w->adder[0][t] != NONE)
                w->call_pair[0][w->adder[0][t]] = w->call_pair[0][t];
            if (w->adder[1][g] != NONE)
                w->call_pair[1][w->adder[1][g]] = w->call_pair[1][g];
        }
}

/* The first parameter of a call with several axes; NONE. */
static uint32_t held_weight(const struct dump *d, uint32_t call)
{
    EACH_EARLY_ROW(d, call, r) {
        const struct shape *s = dump_row_shape(d, r);
        if (d->rows.v[r].io == IO_PARAMETER && s && s->ndim > 1)
            return r;
    }
    return NONE;
}

/* Whether the other side holds the weight of the target's module in one whose partner holds none: it stands around this
 * one, as a parallel layer around a plain one. */
static bool is_held_by_what_stands_around(const struct sequence *w, const struct align_item *a,
                                          const struct align_item *b)
{
    const struct dump *g = w->d[GOLDEN];
    uint32_t x = held_weight(w->d[TARGET], a->call), y = held_weight(g, b->call);
    if (x == NONE || y == NONE)
        return false;
    struct fingerprint own = fingerprint_of(w->d[TARGET], x), other = fingerprint_of(g, y);
    if (fingerprint_compare(&own, &other) != LIKE_NOT)
        return false;
    for (uint32_t r = 0; r < g->rows.n; r++) {
        uint32_t partner = g->rows.v[r].io == IO_PARAMETER ? w->call_pair[1][g->rows.v[r].call] : NONE;
        if (partner == NONE || held_weight(w->d[TARGET], partner) != NONE)
            continue;
        other = fingerprint_of(g, r);
        if (own.size == other.size && fingerprint_compare(&own, &other) == LIKE_SAME)
            return true;
    }
    return false;
}

void sequence_weigh(struct sequence *w, align_item_list *A, align_item_list *B)
{
    for (size_t i = 0; i < A->n; i++) {
        struct align_item *a = &A->v[i];
        if (a->match == NONE)
            continue;
        enum likeness l = fingerprint_compare(&a->value, &B->v[a->match].value);
        sequence_trust(a, WHY_ORDER, 0.4f);
        if (l > LIKE_UNKNOWN)
            sequence_trust(a, WHY_FINGERPRINT, l == LIKE_SAME ? 0.95f : 0.9f);
    }
    for (size_t i = 0; i < A->n; i++) {
        struct align_item *a = &A->v[i];
        if (a->match == NONE)
            continue;
        const struct align_item *b = &B->v[a->match];
        int alike, led;
        enum likeness l = fingerprint_compare(&a->value, &b->value);
        input_evidence(w, a, b, &alike, &led);
        bool stranger = !a->set && l == LIKE_NOT && !alike && !led;
        if (stranger && ((a->inputs && sized_by_chance(w, a, b)) || is_held_by_what_stands_around(w, a, b))) {
            B->v[a->match].match = NONE;
            a->match = NONE;
            continue;
        }
        if (stranger && a->inputs && out_of_place(A, i)) {
            a->why = WHY_UNLIKELY;
            a->confidence = 0.3f;
            continue;
        }
        if (alike)
            sequence_trust(a, WHY_INPUTS, 0.8f);
        if (led)
            sequence_trust(a, WHY_FLOW, led == a->inputs ? 0.75f : 0.7f);
        if (a->role && a->role == b->role && a->layer == b->layer && a->op == b->op)
            sequence_trust(a, WHY_PLACE, 0.65f);
        if (w->d[0]->calls.v[a->call].kind == CALL_MODULE && a->role && a->role == b->role && a->layer == b->layer)
            sequence_trust(a, WHY_PLACE, 0.7f);
        /* neighbouring calls are paired with its partner's neighbours and are of another kind, so that the sequence
         * cannot be shifted by one */
        bool before = i && A->v[i - 1].match != NONE && A->v[i - 1].match + 1 == a->match;
        bool behind = i + 1 < A->n && A->v[i + 1].match == a->match + 1;
        if (before && behind && a->op == b->op && A->v[i - 1].op != a->op && A->v[i + 1].op != a->op)
            sequence_trust(a, WHY_BETWEEN, 0.6f);
    }
    count_gaps(A, B);
}

static int led_to(const struct sequence *w, const struct align_item *a, const struct align_item *b)
{
    int alike, led;
    input_evidence(w, a, b, &alike, &led);
    return alike + led;
}

static bool is_loss(const struct align_item *a)
{
    return a->family == FAMILY_LOSS && a->numel == 1;
}

/* Whether pairs a–x and b–y are better the other way round: by where their inputs come from, or by what they hold, for
 * parts of one value (slices), which compute nothing, and for losses, which have no weights and are added up in any
 * order. One number is all that a loss holds: where it is another now, it tells more than where inputs come from
 * (scores of images for texts and of texts for images are each other's transpose, and have the same figures). */
static bool is_crossed(const struct sequence *w, const struct align_item *a, const struct align_item *x,
                       const struct align_item *b, const struct align_item *y)
{
    int now = led_to(w, a, x) + led_to(w, b, y), crossed = led_to(w, a, y) + led_to(w, b, x);
    bool loss = is_loss(a);
    enum likeness equal = a->value.coarse || x->value.coarse || loss ? LIKE_NEAR : LIKE_SAME;
    bool held = (loss || a->family == FAMILY_VIEW) && fingerprint_compare(&a->value, &y->value) >= equal &&
                fingerprint_compare(&b->value, &x->value) >= equal;
    bool apart = loss && fingerprint_compare(&a->value, &x->value) == LIKE_NOT &&
                 fingerprint_compare(&b->value, &y->value) == LIKE_NOT;
    return crossed > now || (held && (crossed == now || apart));
}

/* Whether `b` of the other side is x's partner by what both hold and read. */
static bool holds_and_reads(const struct sequence *w, const struct align_item *x, const struct align_item *b)
{
    int alike, led;
    input_evidence(w, x, b, &alike, &led);
    return alike > 0 && fingerprint_compare(&x->value, &b->value) == LIKE_SAME;
}

/* Of two calls that hold one value, as a factor of ones leaves it, the one whose inputs agree is the partner: gives it
 * the pair of item i, which agrees in nothing else. */
static void give_way(struct sequence *w, align_item_list *A, align_item_list *B, size_t i)
{
    struct align_item *a = &A->v[i], *b = &B->v[a->match];
    if (a->set || b->set || a->numel < 2 || fingerprint_compare(&a->value, &b->value) != LIKE_SAME || led_to(w, a, b))
        return;
    for (size_t k = i > UNCROSS ? i - UNCROSS : 0; k < A->n && k < i + UNCROSS; k++) {
        struct align_item *x = &A->v[k];
        if (x->match != NONE || x->set || x->op != a->op || x->numel != a->numel || x->layer != a->layer ||
            decided_pairs_deny(w->ruled, x->call, b->call) || !holds_and_reads(w, x, b))
            continue;
        x->match = a->match;
        b->match = (uint32_t)k;
        a->match = NONE;
        w->call_pair[0][a->call] = NONE;
        w->call_pair[0][x->call] = b->call;
        w->call_pair[1][b->call] = x->call;
        return;
    }
}

void sequence_uncross(struct sequence *w, align_item_list *A, align_item_list *B, bool loose)
{
    for (size_t i = 0; loose && i < A->n; i++)
        if (A->v[i].match != NONE)
            give_way(w, A, B, i);
    for (size_t i = 0; i < A->n; i++) {
        struct align_item *a = &A->v[i];
        if (a->match == NONE || (!loose && !is_loss(a)) ||
            fingerprint_compare(&a->value, &B->v[a->match].value) > LIKE_UNKNOWN)
            continue;
        for (size_t k = i + 1; k < A->n && k < i + UNCROSS; k++) {
            struct align_item *b = &A->v[k];
            if (b->match == NONE || a->set || b->set || b->op != a->op || b->numel != a->numel ||
                b->layer != a->layer ||
                role_conflict(a->role, B->v[b->match].role) || role_conflict(b->role, B->v[a->match].role) ||
                fingerprint_compare(&b->value, &B->v[b->match].value) > LIKE_UNKNOWN)
                continue;
            struct align_item *x = &B->v[a->match], *y = &B->v[b->match];
            if (!is_crossed(w, a, x, b, y))
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

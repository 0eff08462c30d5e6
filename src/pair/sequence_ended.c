/* Separates calls whose values differ while the next product computed from them agrees: what a fault changes stays
 * changed, so such calls are no partners (the rotation of queries beside that of keys). So are sums of other operands,
 * and a sum that is added to before it is read. Then pairs calls that hold the same values, also those that order gave
 * to others. */
#include "pair/sequence_parts.h"

#include <math.h>

#include "dump/family.h"
#include "dump/role.h"
#include "pair/call_arguments.h"

#define AHEAD 96          /* items behind a call in which the next product is searched */
#define AROUND 1024       /* items around its place in which a call's equal is searched: launch order moves calls far */
#define PROPORTION 1e-4f  /* relative difference of figures that are the same but for a factor */
#define APART 0.02f       /* relative difference of the largest elements of two values */
#define NUMBER 1e-5f      /* relative difference of one number on both sides, as far as files print it */

/* Whether figures are those of one value; of 16-bit types they may be near only. */
static bool values_equal(const struct fingerprint *a, const struct fingerprint *b)
{
    return fingerprint_compare(a, b) >= (a->coarse || b->coarse ? LIKE_NEAR : LIKE_SAME);
}

/* Whether figures are equal, or differ by one factor: a scale may stand at another place. */
static bool values_proportional(const struct fingerprint *a, const struct fingerprint *b)
{
    if (values_equal(a, b))
        return true;
    if (a->size != b->size || (a->has & b->has) != 7 || !(a->norm > 0) || !(b->norm > 0) || !isfinite(a->norm) ||
        !isfinite(b->norm))
        return false;
    float ratio = a->norm / b->norm, extreme = fmaxf(fabsf(a->max), fabsf(a->min));
    return fabsf(a->max - ratio * b->max) <= PROPORTION * extreme &&
           fabsf(a->min - ratio * b->min) <= PROPORTION * extreme;
}

/* Whether a number stands in two places hardly by chance: a loss does not, an epsilon, a factor or a count may. */
static bool is_distinctive(double number)
{
    double size = fabs(number);
    if (!(size > 0) || !isfinite(size))
        return false;
    double digits = size / pow(10, floor(log10(size)) - 3); /* four before the point */
    return fabs(digits - round(digits)) > 0.01;
}

/* Whether a row is a number that a call reads. */
static bool is_number_read(const struct dump *d, uint32_t row)
{
    return d->rows.v[row].io == IO_INPUT && (d->rows.v[row].has & HAS_MAX) && dump_row_numel(d, row) == 1;
}

/* Whether a call of side s reads this number, and it is distinctive. */
static bool reads_number(const struct sequence *w, int s, uint32_t call, double number)
{
    EACH_EARLY_ROW(w->d[s], call, r)
        if (is_number_read(w->d[s], r) && is_distinctive(number) &&
            fabs(w->d[s]->rows.v[r].stat[STAT_MAX] - number) <= NUMBER * fabs(number))
            return true;
    return false;
}

/* Whether two calls read the same number. */
static bool share_number(const struct sequence *w, uint32_t t, uint32_t g)
{
    EACH_EARLY_ROW(w->d[TARGET], t, r)
        if (is_number_read(w->d[TARGET], r) && reads_number(w, GOLDEN, g, w->d[TARGET]->rows.v[r].stat[STAT_MAX]))
            return true;
    return false;
}

/* Whether every input of a has its equal among those of b. */
static bool inputs_agree(const struct align_item *a, const struct align_item *b)
{
    for (int i = 0; i < a->inputs; i++) {
        bool any = false;
        for (int k = 0; k < b->inputs && !any; k++)
            any = values_proportional(&a->in[i], &b->in[k]);
        if (!any)
            return false;
    }
    return a->inputs > 0;
}

/* Whether an input of item x was made behind item i of its side. */
static bool reads_behind(const struct sequence *w, int s, const struct align_item *x, size_t i)
{
    for (int k = 0; k < x->inputs; k++) {
        uint32_t from = w->from[s][x->in_row[k]],
                 item = from == NONE ? NONE : w->item_of[s][w->d[s]->rows.v[from].call];
        if (item != NONE && item > i)
            return true;
    }
    return false;
}

static uint64_t largest_input(const struct sequence *w, int s, const struct align_item *x)
{
    uint64_t largest = 0;
    for (int i = 0; i < x->inputs; i++)
        if (dump_row_numel(w->d[s], x->in_row[i]) > largest)
            largest = dump_row_numel(w->d[s], x->in_row[i]);
    return largest;
}

/* Whether two sums or products add or multiply other things: in one of them both operands are repeated, as those of
 * bias + mask are, in the other one is not, as scores are in (scores + bias) + mask. */
static bool operands_differ(const struct sequence *w, const struct align_item *a, const struct align_item *b)
{
    bool elementwise = a->family == b->family && (a->family == FAMILY_ADD || a->family == FAMILY_MUL);
    return elementwise && a->inputs == 2 && b->inputs == 2 &&
           (largest_input(w, TARGET, a) == a->numel) != (largest_input(w, GOLDEN, b) == b->numel);
}

/* Whether an input of the largest size is at least so alike. Small ones beside it are tables or factors, which other
 * calls have too. */
static bool main_input_is(const struct sequence *w, const struct align_item *a, const struct align_item *b,
                          enum likeness least)
{
    uint64_t largest = largest_input(w, TARGET, a);
    for (int i = 0; i < a->inputs; i++)
        for (int k = 0; k < b->inputs; k++)
            if (dump_row_numel(w->d[TARGET], a->in_row[i]) == largest &&
                fingerprint_compare(&a->in[i], &b->in[k]) >= least)
                return true;
    return false;
}

/* Whether a pair may be wrong: values and what they are computed from are others on each side, and nothing but kind,
 * place or order speaks for it. */
static bool is_unfounded(const struct sequence *w, const struct align_item *a, const struct align_item *b)
{
    enum likeness l = fingerprint_compare(&a->value, &b->value);
    return !a->set && a->why != WHY_WEIGHT && a->why != WHY_SAMPLE && a->numel > 1 && !a->whole && a->inputs > 0 &&
           l != LIKE_SAME && l != LIKE_UNKNOWN && !main_input_is(w, a, b, LIKE_NEAR);
}

/* Whether the next product of both sides that reads something made behind the pair agrees. */
static bool chain_ends(const struct sequence *w, const align_item_list *A, const align_item_list *B, size_t i)
{
    for (size_t k = i + 1; k < A->n && k < i + AHEAD; k++) {
        const struct align_item *x = &A->v[k], *y = x->match == NONE ? NULL : &B->v[x->match];
        if (!y || x->match <= A->v[i].match || x->family != FAMILY_LINEAR || x->inputs < 2 ||
            (!reads_behind(w, TARGET, x, i) && !reads_behind(w, GOLDEN, y, A->v[i].match)))
            continue;
        return inputs_agree(x, y) && values_proportional(&x->value, &y->value);
    }
    return false;
}

static bool item_reads(const struct sequence *w, int s, const struct align_item *x, const struct align_item *made)
{
    for (int k = 0; k < x->inputs; k++)
        if (w->from[s][x->in_row[k]] == made->out)
            return true;
    return made->numel == 1 && reads_number(w, s, x->call, made->value.max);
}

/* Whether what reads y's result is paired with what reads x's; x is on side s. */
static bool readers_are_paired(const struct sequence *w, int s, const align_item_list *X, const align_item_list *Y,
                               const struct align_item *x, uint32_t y)
{
    for (size_t k = y + 1; k < Y->n && k < y + AHEAD; k++)
        if (item_reads(w, !s, &Y->v[k], &Y->v[y]) && Y->v[k].match != NONE && item_reads(w, s, &X->v[Y->v[k].match], x))
            return true;
    return false;
}

/* Whether item i, on side s, has no partner, or one that holds another value and that nothing it reads speaks for. */
static bool may_be_elsewhere(const struct sequence *w, const align_item_list *X, const align_item_list *Y, int s,
                             size_t i)
{
    const struct align_item *x = &X->v[i], *y = x->match == NONE ? NULL : &Y->v[x->match];
    if (x->set || x->group != NONE)
        return false;
    if (x->numel <= 1)
        return !y || (fingerprint_compare(&x->value, &y->value) == LIKE_NOT &&
                      !share_number(w, (s == TARGET ? x : y)->call, (s == TARGET ? y : x)->call));
    return !y || (fingerprint_compare(&x->value, &y->value) == LIKE_NOT &&
                  is_unfounded(w, s == TARGET ? x : y, s == TARGET ? y : x));
}

/* Whether two calls hold one value and read one. */
static bool reads_and_holds(const struct sequence *w, const struct align_item *a, const struct align_item *b)
{
    return values_equal(&a->value, &b->value) && main_input_is(w, a, b, a->value.coarse ? LIKE_NEAR : LIKE_SAME);
}

/* The call of the other side near item i that holds its value and reads what it reads, or reads one number that it
 * reads, such as a part of a loss: the nearest of several, NONE if there is none. Figures of 16-bit types are near to
 * others': there a call, or i, is taken from its partner only where the readers of both are paired. */
static uint32_t same_call(const struct sequence *w, const align_item_list *A, const align_item_list *B, size_t i)
{
    const struct align_item *a = &A->v[i];
    size_t place = i * B->n / A->n, from = place > AROUND ? place - AROUND : 0,
           to = place + AROUND < B->n ? place + AROUND : B->n;
    float nearest = INFINITY;
    uint32_t found = NONE;
    for (size_t k = from; k < to; k++) {
        const struct align_item *b = &B->v[k];
        float apart = fabsf(a->value.max - b->value.max) + fabsf(a->value.min - b->value.min) +
                      fabsf(a->value.norm - b->value.norm);
        if (b->op != a->op || b->numel != a->numel || !(apart < nearest) ||
            decided_pairs_deny(w->ruled, a->call, b->call) || role_conflict(a->role, b->role) ||
            !(a->numel == 1 ? share_number(w, a->call, b->call) : reads_and_holds(w, a, b)) ||
            !may_be_elsewhere(w, B, A, GOLDEN, k) ||
            ((a->match != NONE || b->match != NONE) && (a->value.coarse || b->value.coarse) &&
             !readers_are_paired(w, TARGET, A, B, a, (uint32_t)k)))
            continue;
        nearest = apart;
        found = (uint32_t)k;
    }
    return found;
}

static void part(struct sequence *w, align_item_list *A, align_item_list *B, size_t i)
{
    struct align_item *a = &A->v[i], *b = &B->v[a->match];
    w->call_pair[TARGET][a->call] = NONE;
    w->call_pair[GOLDEN][b->call] = NONE;
    a->match = b->match = NONE;
    a->confidence = 0;
}

static void pair_items(struct sequence *w, struct align_item *a, uint32_t i, struct align_item *b, uint32_t k,
                       enum pair_why why, float confidence)
{
    a->match = k;
    b->match = i;
    a->confidence = 0;
    sequence_trust(a, why, confidence);
    w->call_pair[TARGET][a->call] = b->call;
    w->call_pair[GOLDEN][b->call] = a->call;
}

/* The last item before item i, of those without partner, whose number it reads and the other side's call does not; NONE
 * if there is none. */
static uint32_t number_read(const struct sequence *w, int s, const align_item_list *l, uint32_t i, uint32_t other)
{
    for (uint32_t k = i; k-- > 0 && k + AHEAD > i;)
        if (l->v[k].match == NONE && !l->v[k].set && l->v[k].numel == 1 && item_reads(w, s, &l->v[i], &l->v[k]) &&
            !reads_number(w, !s, other, l->v[k].value.max))
            return k;
    return NONE;
}

/* Pairs what two sums of numbers add beside the one that both read: parts of a loss, whatever their weights. */
static void pair_other_parts(struct sequence *w, align_item_list *A, align_item_list *B, uint32_t i, uint32_t k)
{
    uint32_t t = number_read(w, TARGET, A, i, B->v[k].call), g = number_read(w, GOLDEN, B, k, A->v[i].call);
    if (t != NONE && g != NONE && A->v[t].family == B->v[g].family)
        pair_items(w, &A->v[t], t, &B->v[g], g, WHY_FLOW, 0.7f);
}

/* Pairs calls of the same value, also those that order gave to calls of other values. */
static void pair_same(struct sequence *w, align_item_list *A, align_item_list *B)
{
    for (size_t i = 0; i < A->n; i++) {
        struct align_item *a = &A->v[i];
        uint32_t k = may_be_elsewhere(w, A, B, TARGET, i) ? same_call(w, A, B, i) : NONE;
        if (k == NONE)
            continue;
        if (a->match != NONE)
            part(w, A, B, i);
        if (B->v[k].match != NONE)
            part(w, A, B, B->v[k].match);
        pair_items(w, a, (uint32_t)i, &B->v[k], k, WHY_FINGERPRINT, 0.9f);
        if (a->numel == 1)
            pair_other_parts(w, A, B, (uint32_t)i, k);
    }
}

/* How many elements a choice takes: the whole number among its inputs; NONE: it is not recorded. */
static uint32_t number_taken(const struct dump *d, uint32_t call)
{
    uint32_t named = call_argument(d, call, "k");
    EACH_EARLY_ROW(d, call, r)
        if (named == NONE && is_number_read(d, r) && d->rows.v[r].stat[STAT_MAX] > 1 &&
            d->rows.v[r].stat[STAT_MAX] == floor(d->rows.v[r].stat[STAT_MAX]))
            named = r;
    return named;
}

/* Whether a call of the other side chooses as many of the largest elements of what x chooses from. */
static bool has_equal_choice(const struct align_item *x, const align_item_list *Y)
{
    for (size_t k = 0; k < Y->n; k++)
        if (Y->v[k].op == x->op && Y->v[k].numel == x->numel && Y->v[k].inputs &&
            values_equal(&x->in[0], &Y->v[k].in[0]))
            return true;
    return false;
}

/* Pairs choices of the largest elements of one value that take more or fewer of them, and how many they take: those
 * that no call of the other side makes. */
static void pair_choices(struct sequence *w, align_item_list *A, align_item_list *B)
{
    uint32_t topk = family_operator(STR("topk"));
    for (uint32_t i = 0; i < A->n; i++)
        for (uint32_t k = 0; k < B->n && A->v[i].match == NONE && A->v[i].op == topk && !A->v[i].set; k++) {
            struct align_item *a = &A->v[i], *b = &B->v[k];
            if (b->match != NONE || b->set || b->op != topk || b->numel == a->numel || !a->inputs || !b->inputs ||
                !values_equal(&a->in[0], &b->in[0]) || decided_pairs_deny(w->ruled, a->call, b->call) ||
                has_equal_choice(a, B) || has_equal_choice(b, A))
                continue;
            uint32_t t = number_taken(w->d[TARGET], a->call), g = number_taken(w->d[GOLDEN], b->call);
            if (t != NONE && g != NONE && sequence_free(w, TARGET, t) && sequence_free(w, GOLDEN, g)) {
                pair_items(w, a, i, b, k, WHY_INPUTS, 0.8f);
                sequence_emit(w, t, g, WHY_INPUTS, 0.8f);
            }
        }
}

/* Whether two values are others, also where one of them holds infinite fills: then by the largest element alone. */
static bool values_differ(const struct fingerprint *a, const struct fingerprint *b)
{
    enum likeness l = fingerprint_compare(a, b);
    return l == LIKE_NOT || (l == LIKE_UNKNOWN && a->has & b->has & 1 &&
                             fabsf(a->max - b->max) > APART * fmaxf(fabsf(a->max), fabsf(b->max)));
}

/* Whether what reads the result of item x, on side s, is paired with what reads y's, also behind a step without a
 * partner on the side of y: a limit of its values. */
static bool readers_are_paired_behind(const struct sequence *w, int s, const align_item_list *X,
                                      const align_item_list *Y, const struct align_item *x, uint32_t y)
{
    if (readers_are_paired(w, s, X, Y, x, y))
        return true;
    for (uint32_t z = y + 1; z < Y->n && z < y + AHEAD; z++)
        if (Y->v[z].match == NONE && Y->v[z].family != x->family && Y->v[z].numel == x->numel &&
            item_reads(w, !s, &Y->v[z], &Y->v[y]) && readers_are_paired(w, s, X, Y, x, z))
            return true;
    return false;
}

static bool reads_a_number(const struct sequence *w, int s, const struct align_item *x)
{
    EACH_EARLY_ROW(w->d[s], x->call, r) {
        const struct row *n = &w->d[s]->rows.v[r];
        if (n->io == IO_INPUT && (n->kind == ROW_FLOAT || n->kind == ROW_INT || is_number_read(w->d[s], r)))
            return true;
    }
    return false;
}

/* Whether a call reads this value. */
static bool holds_among(const struct align_item *x, const struct fingerprint *value)
{
    for (int k = 0; k < x->inputs; k++)
        if (fingerprint_compare(&x->in[k], value) == LIKE_SAME)
            return true;
    return false;
}

/* Whether a product with a tensor leaves a value as it was (a mask of ones), beside one with a number. */
static bool leaves_as_it_was(const struct sequence *w, int s, const struct align_item *x, const struct align_item *y)
{
    return holds_among(x, &x->value) && x->family == FAMILY_MUL && !reads_a_number(w, s, x) && reads_a_number(w, !s, y);
}

/* One side adds one term after the other, the other side their sum: the last of the sums holds that side's result. So
 * does the last factor of a single number, a part of a loss times its weight, divided by a count, and a factor of a
 * number behind one that changes nothing. */
static void follow_steps(struct sequence *w, int s, align_item_list *X, align_item_list *Y)
{
    for (size_t i = 0; i < X->n; i++) {
        struct align_item *x = &X->v[i];
        uint32_t y = x->match;
        bool idle = y != NONE && x->numel > 1 && leaves_as_it_was(w, s, x, &Y->v[y]);
        bool steps = x->family == FAMILY_ADD || (x->family == FAMILY_MUL && x->numel == 1) || idle;
        if (y == NONE || !steps || x->set || Y->v[y].family != x->family ||
            !values_differ(&x->value, &Y->v[y].value))
            continue;
        for (size_t k = i + 1; k < X->n && k < i + AHEAD; k++) {
            struct align_item *last = &X->v[k];
            if (last->match != NONE || last->set || last->group != NONE || last->family != x->family ||
                last->numel != x->numel ||
                !(idle ? holds_among(last, &x->value) && reads_a_number(w, s, last)
                       : item_reads(w, s, last, x) && readers_are_paired_behind(w, s, X, Y, last, y)))
                continue;
            w->call_pair[s][x->call] = NONE;
            w->call_pair[s][last->call] = Y->v[y].call;
            w->call_pair[!s][Y->v[y].call] = last->call;
            last->match = y;
            Y->v[y].match = (uint32_t)k;
            x->match = NONE;
            x->confidence = last->confidence = Y->v[y].confidence = 0;
            sequence_trust(s == TARGET ? last : &Y->v[y], WHY_FLOW, 0.8f);
            break;
        }
    }
}

void sequence_part_ended(struct sequence *w, align_item_list *A, align_item_list *B)
{
    for (size_t i = 0; i < A->n; i++) {
        struct align_item *a = &A->v[i], *b = a->match == NONE ? NULL : &B->v[a->match];
        if (!b || !is_unfounded(w, a, b) || (!operands_differ(w, a, b) && !chain_ends(w, A, B, i)))
            continue;
        part(w, A, B, i);
    }
    pair_same(w, A, B);
    pair_choices(w, A, B);
    follow_steps(w, TARGET, A, B);
    follow_steps(w, GOLDEN, B, A);
}

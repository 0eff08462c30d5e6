/* Compares the rows of two rounds: the change of each, of the first deviation, and its sentence. */
#include "ticket/round_changes.h"

#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "dump/dump.h"

static const char *const kinds[CHANGE_KINDS] = {"fixed", "new", "worse", "better", "vanished"};
static const char *const fates[] = {"none", "gone", "stays", "vanished", "untold"};

const char *change_name(enum change_kind k)
{
    return kinds[k];
}

const char *first_fate_name(enum first_fate f)
{
    return fates[f];
}

/* ---- rows ---- */

enum standing { STANDS_ABSENT, STANDS_AGREES, STANDS_BAD, STANDS_UNSURE /* bad, its pair doubtful */, STANDS_UNJUDGED };

static enum standing row_standing(const struct round_row *x)
{
    if (!x)
        return STANDS_ABSENT;
    if (verdict_is_accepted((enum verdict)x->verdict))
        return STANDS_AGREES;
    if (!verdict_is_bad((enum verdict)x->verdict))
        return STANDS_UNJUDGED;
    return x->flags & ROUND_DOUBTFUL ? STANDS_UNSURE : STANDS_BAD;
}

/* Both deviate or both agree: CHANGE_KINDS if nothing else changed. */
static enum change_kind degree_of_change(const struct round_row *was, const struct round_row *now)
{
    static const uint8_t rank[VERDICT_COUNT] =
        {[VERDICT_DRIFT] = 1, [VERDICT_DEVIATE] = 2, [VERDICT_INHERITED] = 2, [VERDICT_IN_DOUBT] = 2, [VERDICT_NONFINITE] = 3,
         [VERDICT_SHAPE] = 3};
    if (rank[was->verdict] != rank[now->verdict])
        return rank[now->verdict] > rank[was->verdict] ? CHANGE_WORSE : CHANGE_BETTER;
    /* below the limit an error is noise, however large it was before */
    if (rank[now->verdict] != rank[VERDICT_DEVIATE])
        return CHANGE_KINDS;
    if (now->error > CHANGES_FACTOR * was->error)
        return CHANGE_WORSE;
    return now->error * CHANGES_FACTOR < was->error ? CHANGE_BETTER : CHANGE_KINDS;
}

enum change_kind round_row_change(const struct round_row *was, const struct round_row *now)
{
    enum standing a = row_standing(was), b = row_standing(now);
    if (b == STANDS_BAD)
        return a == STANDS_BAD || a == STANDS_UNSURE ? degree_of_change(was, now) : CHANGE_NEW;
    if (b == STANDS_AGREES && a == STANDS_AGREES)
        return degree_of_change(was, now);
    if (a == STANDS_BAD)
        return b == STANDS_AGREES ? CHANGE_FIXED : CHANGE_VANISHED;
    return CHANGE_KINDS;
}

static const struct round_row *row_at(const struct round *r, uint32_t row)
{
    return row == NONE ? NULL : &r->rows.v[row];
}

static void add_change(struct changes *c, enum change_kind k, uint32_t was, uint32_t now)
{
    struct change x = {(uint8_t)k, was, now};
    if (k == CHANGE_KINDS)
        return;
    c->count[k]++;
    vec_push(&c->list, x);
}

static int compare_change_kinds(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->now != y->now)
        return x->now < y->now ? -1 : 1;
    return x->was < y->was ? -1 : x->was > y->was;
}

static void compare_each_row(struct changes *c, const struct round *before, const struct round *now,
                             const struct round_join *x)
{
    for (uint32_t i = 0; i < now->rows.n; i++)
        add_change(c, round_row_change(row_at(before, x->was[i]), row_at(now, i)), x->was[i], i);
    for (uint32_t i = 0; i < before->rows.n; i++)
        if (!x->again[i])
            add_change(c, round_row_change(row_at(before, i), NULL), i, NONE);
    vec_sort(&c->list, compare_change_kinds);
    for (size_t i = 0; i < c->list.n; i++)
        c->unseen += c->list.v[i].kind == CHANGE_NEW && row_standing(row_at(before, c->list.v[i].was)) != STANDS_AGREES;
    for (size_t i = 0, n = 0; i < c->list.n && n < CHANGES_NAMED; i++)
        if (c->list.v[i].kind == CHANGE_NEW)
            c->named[n++] = arena_cstr(&c->arena, str_of(round_row_name(now, c->list.v[i].now)));
}

static void compare_types(struct changes *c, const struct round *before, const struct round *now,
                          const struct round_join *x)
{
    c->types[0] = round_types(before);
    c->types[1] = round_types(now);
    for (uint32_t i = 0; i < now->rows.n; i++) {
        const struct round_row *was = row_at(before, x->was[i]), *is = row_at(now, i);
        c->unified +=
            was && was->flags & ROUND_TYPES && !(is->flags & ROUND_TYPES) && row_standing(is) == STANDS_AGREES;
    }
}

/* What became of the row that was first. */
static void find_fate_of_first(struct changes *c, const struct round *before, const struct round *now,
                               const struct round_join *x)
{
    uint32_t was = round_first(before), is = NONE, first = round_first(now);
    for (uint32_t i = 0; was != NONE && i < now->rows.n && is == NONE; i++)
        if (x->was[i] == was)
            is = i;
    enum standing s = row_standing(row_at(now, is));
    c->fate = s == STANDS_AGREES ? FIRST_GONE : s == STANDS_BAD ? FIRST_STAYS : FIRST_VANISHED;
    if (c->fate == FIRST_STAYS)
        c->error[1] = now->rows.v[is].error;
    c->moved = now->deviates && first != is;
}

/* A replaced value changes what is computed from it; the gradient of the calls before it stays wrong. */
static bool is_backward_row(const struct round *r, uint32_t row)
{
    struct str name = str_of(round_row_name(r, row));
    return str_has(name, "backward") || str_has(name, "parameters_grad") || str_has(name, "_grad.");
}

/* The value of a row was replaced by the golden side's: counts the changes of the forward rows after it. */
static void count_after_intervention(struct changes *c, const struct round *before, const struct round *now,
                                     const struct round_join *x)
{
    uint32_t at = NONE, last = NONE, unseen = 0;
    for (uint32_t i = 0; i < now->rows.n && at == NONE; i++)
        if (strcmp(round_name(now, i, TARGET), c->replaced) == 0)
            at = i;
    c->intervention = INTERVENTION_UNTOLD;
    if (at == NONE || x->was[at] == NONE) /* the row itself may have been recorded before its value was replaced */
        return;
    for (uint32_t i = x->was[at] + 1; i < before->rows.n; i++)
        if (row_standing(row_at(before, i)) == STANDS_BAD && !is_backward_row(before, i)) {
            c->behind++;
            unseen += !x->again[i];
        }
    for (uint32_t i = at + 1; i < now->rows.n; i++) {
        enum standing was = row_standing(row_at(before, x->was[i])), is = row_standing(row_at(now, i));
        if (is_backward_row(now, i))
            continue;
        unseen += was == STANDS_BAD && is != STANDS_BAD && is != STANDS_AGREES;
        if (is != STANDS_BAD)
            continue;
        last = last == NONE ? i : last;
        c->left++;
    }
    if (last != NONE)
        c->first[1] = arena_cstr(&c->arena, str_of(round_row_name(now, last)));
    if (c->behind)
        c->intervention = c->left ? INTERVENTION_REFUTED : unseen ? INTERVENTION_UNTOLD : INTERVENTION_CONFIRMED;
}

const char *intervention_name(enum intervention v)
{
    static const char *const names[] = {NULL, "confirmed", "refuted", "untold"};
    return names[v];
}

/* ---- without rows ---- */

static uint64_t bad_rows(const struct round *r)
{
    return (uint64_t)verdicts_deviate(r->by) + r->by[VERDICT_NONFINITE] + r->by[VERDICT_SHAPE];
}

static bool same_first(const struct round *a, const struct round *b)
{
    return strcmp(a->first[0], b->first[0]) == 0 && strcmp(a->first[1], b->first[1]) == 0;
}

/* Nothing before the first deviation deviated: a first deviation that is now before it is new. */
static void fate_by_counts(struct changes *c, const struct round *before, const struct round *now)
{
    bool same = before->deviates && now->deviates && same_first(before, now);
    c->moved = before->deviates && now->deviates && !same;
    if (before->deviates)
        c->fate = same ? FIRST_STAYS : now->deviates ? FIRST_UNTOLD : FIRST_GONE;
    if (now->deviates && (!before->deviates || (c->moved && now->first_order < before->first_order))) {
        c->count[CHANGE_NEW] = 1;
        c->named[0] = arena_cstr(&c->arena, str_of(*now->first[0] ? now->first[0] : now->first[1]));
    }
    bool grown = same && now->first_error > CHANGES_FACTOR * before->first_error;
    if (grown || bad_rows(now) > bad_rows(before))
        c->count[CHANGE_WORSE] = 1;
}

/* ---- the two together ---- */

static const char *why_not(struct changes *c, const struct round *before, const struct round *now, size_t sure)
{
    uint64_t a = round_lines(before), b = round_lines(now), fewer = a < b ? a : b;
    char n[3][NUM_MAX];
    for (int s = 0; s < 2; s++) {
        const char *was = before->side[s].framework, *is = now->side[s].framework;
        if (*was && *is && strcmp(was, is) != 0)
            return arena_fmt(&c->arena, s == TARGET ? _("the target was from %s and is now from %s: the comparisons "
                                                        "are of different models")
                                                    : _("the golden side was from %s and is now from %s: the "
                                                        "comparisons are of different models"),
                             was, is);
    }
    if (c->rows && (double)sure < CHANGES_SHARE * (double)fewer)
        return arena_fmt(&c->arena, _("only %3$s of %1$s and %2$s rows match by name or address: the comparisons are "
                                      "of different models"),
                         num_count(n[0], a), num_count(n[1], b), num_count(n[2], sure));
    if (!c->rows && (double)fewer < CHANGES_SHARE * (double)(a > b ? a : b))
        return arena_fmt(&c->arena, _("the row counts are %s and %s: the comparisons are of different models"),
                         num_count(n[0], a), num_count(n[1], b));
    return NULL;
}

void changes_find(struct changes *c, const struct round *before, const struct round *now, const struct round_join *x)
{
    const struct round *const r[] = {before, now};
    bool ordered = !now->number || before->number < now->number; /* else they are no rounds of one history */
    *c = (struct changes){.rows = x != NULL, .why = "", .judged = now->status, .replaced = ""};
    for (int i = 0; i < 2; i++) {
        c->round[i] = ordered && before->number ? r[i]->number : 0;
        c->error[i] = r[i]->first_error;
        c->first[i] = arena_cstr(&c->arena, str_of(*r[i]->first[0] ? r[i]->first[0] : r[i]->first[1]));
    }
    if (x) {
        c->joined = x->joined;
        compare_each_row(c, before, now, x);
        compare_types(c, before, now, x);
        if (before->deviates)
            find_fate_of_first(c, before, now, x);
    } else {
        fate_by_counts(c, before, now);
        c->why = _("the rows are not in the files (compare --rows all writes them): only counts and first deviations "
                   "are compared");
    }
    if (*now->intervened) {
        c->replaced = arena_cstr(&c->arena, str_of(now->intervened));
        c->intervention = INTERVENTION_UNTOLD;
        if (x)
            count_after_intervention(c, before, now, x);
    }
    const char *not = why_not(c, before, now, x ? x->sure : 0);
    c->comparable = !not;
    if (not)
        c->why = not;
    bool unified = c->fate == FIRST_NONE && c->unified && c->unified == c->types[0] && !c->types[1];
    c->nothing_new = c->intervention == INTERVENTION_NONE && c->comparable && c->rows && !c->count[CHANGE_NEW] &&
                     c->count[CHANGE_VANISHED] <= c->count[CHANGE_FIXED] && now->status != 5;
    c->confirmed = c->nothing_new && (c->fate == FIRST_GONE || unified);
    bool worse = c->count[CHANGE_NEW] || c->count[CHANGE_WORSE];
    c->status = !c->comparable ? 5 : worse ? 1 : now->status == 5 ? 5 : 0;
    if (c->comparable && c->intervention != INTERVENTION_NONE) /* what it says of its row is what is asked */
        c->status = c->intervention == INTERVENTION_CONFIRMED ? 0 : c->intervention == INTERVENTION_REFUTED ? 1 : 5;
}

void changes_release(struct changes *c)
{
    vec_release(&c->list);
    arena_release(&c->arena);
    *c = (struct changes){0};
}

/* ---- the sentence ---- */

static void put_round_label(uint32_t round, struct buf *out)
{
    if (round)
        buf_fmt(out, _("round %u"), round);
    else
        buf_cstr(out, _("the earlier run"));
}

static void say_first(const struct changes *c, const char *earlier, struct buf *out)
{
    char a[NUM_MAX], b[NUM_MAX];
    switch (c->fate) {
    case FIRST_NONE:
        buf_fmt(out, _("nothing deviated in %s"), earlier);
        break;
    case FIRST_GONE:
        buf_fmt(out, _("the first deviation of %s (%s) is gone"), earlier, c->first[0]);
        break;
    case FIRST_STAYS:
        if (isnan(c->error[0]) || isnan(c->error[1]))
            buf_fmt(out, _("the first deviation of %s (%s) is still there"), earlier, c->first[0]);
        else
            buf_fmt(out, _("the first deviation of %s (%s) is still there, %s then and %s now"), earlier, c->first[0],
                    num_error(a, (double)c->error[0]),
                    num_error(b, (double)c->error[1]));
        break;
    case FIRST_VANISHED:
        buf_fmt(out, _("the first deviation of %s (%s) is now not recorded or not judged (not a fix)"), earlier,
                c->first[0]);
        break;
    case FIRST_UNTOLD:
        buf_fmt(out, _("the first deviation of %s (%s) is no longer the first"), earlier, c->first[0]);
        break;
    }
}

static void say_new(const struct changes *c, const char *earlier, struct buf *out)
{
    uint32_t n = c->count[CHANGE_NEW];
    if (!c->rows)
        buf_fmt(out, _("; new: %s"), c->named[0]);
    else if (n == 1)
        buf_fmt(out, _("; 1 row is new: %s"), c->named[0]);
    else
        buf_fmt(out, _("; %u rows are new: "), n);
    for (int i = 0; c->rows && n > 1 && i < CHANGES_NAMED && c->named[i]; i++)
        buf_fmt(out, "%s%s", i ? _(", ") : "", c->named[i]);
    if (n > CHANGES_NAMED)
        buf_cstr(out, ", …");
    if (c->unseen)
        buf_fmt(out, _(" (not paired, recorded or judged in %s: %u)"), earlier, c->unseen);
}

static void say_types(const struct changes *c, struct buf *out)
{
    if (c->types[0] > c->types[1])
        buf_fmt(out, _("; rows of different types: %u then, %u now"), c->types[0], c->types[1]);
}

static void say_intervention(const struct changes *c, struct buf *out)
{
    switch (c->intervention) {
    case INTERVENTION_CONFIRMED:
        buf_fmt(out, _("with %s replaced by the golden value, no later forward row deviates (before: %u): confirmed as "
                       "the only cause of these deviations; this is a test, not a fix"), c->replaced, c->behind);
        break;
    case INTERVENTION_REFUTED:
        buf_fmt(out, _("with %s replaced by the golden value, later forward rows still deviate (before %u, now %u), "
                       "first %s: refuted, there is another cause"), c->replaced, c->behind, c->left, c->first[1]);
        break;
    default:
        buf_fmt(out, _("the value of %s was replaced, but the test is inconclusive: the row is not in both rounds, or "
                       "no later row can be judged"), c->replaced);
        break;
    }
}

void changes_sentence(const struct changes *c, struct buf *out)
{
    struct buf earlier = {0};
    if (c->round[1])
        buf_fmt(out, _("Round %u: "), c->round[1]);
    if (!c->comparable) {
        buf_cstr(out, c->why);
        return;
    }
    if (c->intervention != INTERVENTION_NONE) {
        say_intervention(c, out);
        return;
    }
    put_round_label(c->round[0], &earlier);
    say_first(c, earlier.p, out);
    say_types(c, out);
    if (c->confirmed)
        buf_cstr(out, c->fate == FIRST_NONE ? _("; nothing new deviates: fix confirmed")
                                            : _(" and nothing new deviates: fix confirmed"));
    if (c->count[CHANGE_NEW])
        say_new(c, earlier.p, out);
    buf_release(&earlier);
    if (c->count[CHANGE_VANISHED] > (c->fate == FIRST_VANISHED))
        buf_fmt(out, _("; rows that deviated and are now not recorded or not judged: %u"), c->count[CHANGE_VANISHED]);
    if (c->rows && c->count[CHANGE_WORSE])
        buf_fmt(out, _("; rows that got worse: %u"), c->count[CHANGE_WORSE]);
    else if (c->count[CHANGE_WORSE])
        buf_cstr(out, _("; more rows deviate than before"));
    if (c->moved)
        buf_fmt(out, _("; the first deviation is now %s"), c->first[1]);
    if (c->judged == 5)
        buf_cstr(out, _("; too few rows are paired now for a verdict"));
    else if (c->fate == FIRST_GONE && !c->confirmed && c->rows)
        buf_cstr(out, _("; the fix is not confirmed"));
    else if (!c->first[1][0] && c->fate == FIRST_NONE && !c->confirmed)
        buf_cstr(out, _(", nothing deviates now"));
}

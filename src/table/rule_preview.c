/* Applies a rule to a session's rows without storing it, and counts the pairs it would make and how many of them
 * match. */
#include "table/rule_preview.h"

#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "dump/recorded_figures.h"
#include "pair/pair_rule.h"

static double error_of(const struct comparison *s, uint32_t t, uint32_t g, bool paired)
{
    uint32_t line = paired ? s->pairing->line_of[TARGET][t] : NONE;
    const struct row *a = &s->side[TARGET].dump.rows.v[t], *b = &s->side[GOLDEN].dump.rows.v[g];
    for (; line != NONE && line < s->pairing->lines.n && s->pairing->lines.v[line].row[TARGET] == t; line++)
        if (s->pairing->lines.v[line].row[GOLDEN] == g) {
            const struct figures *f = measure_figures(&s->measure, line);
            if (f && f->two)
                return f->rel_l2;
        }
    bool sized = dump_row_numel(&s->side[TARGET].dump, t) == dump_row_numel(&s->side[GOLDEN].dump, g);
    return sized ? recorded_error(a, b) : NAN;
}

/* Whether t is paired with g now, and whether either is paired with another row. */
static void stands(const struct comparison *s, struct rule_preview_row *x)
{
    const struct pairing *p = s->pairing;
    for (int side = 0; side < 2; side++) {
        uint32_t own = side ? x->g : x->t, other = side ? x->t : x->g;
        for (uint32_t i = p->line_of[side][own]; i != NONE && i < p->lines.n && p->lines.v[i].row[side] == own; i++) {
            uint32_t partner = p->lines.v[i].row[!side];
            x->same = x->same || partner == other;
            x->otherwise = x->otherwise || (partner != NONE && partner != other);
        }
    }
    x->otherwise = x->otherwise && !x->same;
}

/* The row's present pair agrees, and the rule would replace it with one that does not. A fused row keeps its other
 * parts. */
static bool spoils(const struct comparison *s, const struct rule_preview_row *x)
{
    const struct pairing *p = s->pairing;
    bool part = dump_row_numel(&s->side[TARGET].dump, x->t) != dump_row_numel(&s->side[GOLDEN].dump, x->g);
    for (int side = 0; side < 2 && s->judged && x->outcome == HIT_PAIRS && x->otherwise; side++) {
        uint32_t own = side ? x->g : x->t, other = side ? x->t : x->g;
        for (uint32_t i = p->line_of[side][own]; i != NONE && i < p->lines.n && p->lines.v[i].row[side] == own; i++) {
            uint32_t partner = p->lines.v[i].row[!side];
            const struct line_judgement *j = i < s->judged->lines ? &s->judged->line[i] : NULL;
            if (j && partner != NONE && partner != other && !part && line_agrees(j) && !(x->error <= j->limit))
                return true;
        }
    }
    return false;
}

static void count(struct rule_preview *p, const struct rule_preview_row *x)
{
    p->pairs += x->outcome <= HIT_SAME;
    p->held += x->outcome == HIT_HELD;
    p->nobody += x->outcome == HIT_NOBODY || x->outcome == HIT_SIZES;
    p->same += x->outcome == HIT_SAME || (x->outcome == HIT_PAIRS && x->same);
    p->otherwise += x->outcome == HIT_PAIRS && x->otherwise;
    p->spoils += x->spoils;
    p->measured += x->outcome <= HIT_SAME && !isnan(x->error);
    if (x->outcome <= HIT_SAME && !isnan(x->error)) {
        p->least = isnan(p->least) || x->error < p->least ? x->error : p->least;
        p->most = isnan(p->most) || x->error > p->most ? x->error : p->most;
    }
}

int rule_preview_make(struct rule_preview *p, const struct comparison *s, const struct decisions *d,
                      const char *const rule[3], struct err *e)
{
    struct pair_rule_match probe;
    struct decisions_in_force ruling;
    struct decided_pairs ruled;
    *p = (struct rule_preview){.least = NAN, .most = NAN};
    if (pair_rule_compile(&probe, rule[0], rule[1], e))
        return -1;
    pair_rule_release(&probe);
    decisions_in_force_read(&ruling, d);
    struct pair_rule fresh = {NONE - 1, {rule[0], rule[1]}, rule[2], true};
    vec_push(&ruling.rules, fresh);
    decided_pairs_find(&ruled, &ruling, &s->side[TARGET].dump, &s->side[GOLDEN].dump);
    int rc = ruled.spent == fresh.number ? err_set(e, ERR_USAGE, "%s", _("matching the pattern exceeds the step limit: "
                                                                         "simplify it")) : 0;
    for (size_t i = 0; i < ruled.hits.n; i++) {
        const struct pair_rule_hit *h = &ruled.hits.v[i];
        struct rule_preview_row x = {.t = h->t, .g = h->g, .outcome = h->outcome, .error = NAN};
        if (h->rule != fresh.number)
            continue;
        if (h->g != NONE) {
            stands(s, &x);
            x.error = error_of(s, x.t, x.g, x.same);
            x.spoils = spoils(s, &x);
        }
        count(p, &x);
        vec_push(&p->rows, x);
    }
    decided_pairs_release(&ruled);
    decisions_in_force_release(&ruling);
    return rc;
}

bool rule_preview_refused(const struct rule_preview *p, const char *pattern, struct buf *out)
{
    struct str s = str_of(pattern);
    ptrdiff_t end = str_find(s, '/');
    struct str path = str_n(s.p, end < 0 ? s.n : (size_t)end);
    bool named = str_find(path, '(') >= 0 || str_find(path, '<') >= 0 || str_find(path, '[') >= 0;
    if (!p->pairs)
        buf_cstr(out, _("the rule pairs no rows"));
    else if (p->spoils)
        buf_fmt(out, _("%u pairs that agree now would deviate"), p->spoils);
    else if (!named && p->measured < 2) /* the pair it was made of is one */
        buf_cstr(out, _("no evidence: no layer number in the names, and no statistics for the new pairs"));
    else
        return false;
    return true;
}

void rule_preview_release(struct rule_preview *p)
{
    vec_release(&p->rows);
}

void rule_preview_text(const struct rule_preview *p, struct buf *out)
{
    char a[NUM_MAX], b[NUM_MAX];
    buf_fmt(out, _("matches %2$zu rows, pairs %1$u"), p->pairs, p->rows.n);
    if (p->same)
        buf_fmt(out, _(", %u already paired in this way"), p->same);
    if (!isnan(p->least))
        buf_fmt(out, _("; error %s … %s"), num_error(a, p->least), num_error(b, p->most));
    if (p->otherwise)
        buf_fmt(out, _("; %u currently paired with a different row"), p->otherwise);
    if (p->held)
        buf_fmt(out, _("; %u already decided by a mark or an earlier rule"), p->held);
    if (p->nobody)
        buf_fmt(out, _("; %u without a matching golden row"), p->nobody);
}

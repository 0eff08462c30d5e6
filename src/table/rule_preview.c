/* Applies a rule to a session's rows without storing it, and counts the pairs it would make and how many of them
 * match. */
#include "table/rule_preview.h"

#include <math.h>
#include <stdlib.h>

#include "base/io.h"
#include "base/msg.h"
#include "base/num.h"
#include "dump/recorded_figures.h"
#include "pair/align_item.h"
#include "pair/pair_rule.h"

#define READ_MOST (64u << 20) /* bytes of the tensors of all new pairs: a preview is seen at once */

/* What a preview reads with. */
struct trial_reader {
    const struct comparison *s;
    const struct dump *side[2];
    const struct kern *kern;
    struct view view;   /* of the rule */
    bool viewed;
    uint64_t left;      /* bytes */
};

static uint64_t tensor_bytes(const struct dump *d, uint32_t row)
{
    return dump_row_numel(d, row) * dtype_table[d->rows.v[row].dtype].size;
}

/* From the elements of both; NaN where they cannot be read, or would take too long. */
static double read_error(struct trial_reader *r, uint32_t t, uint32_t g)
{
    struct measure_job job = {.row = {t, g}, .given = r->viewed, .view = r->view};
    struct figures f = {0};
    struct view view;
    bool viewed;
    struct err quiet;
    uint64_t bytes = tensor_bytes(r->side[TARGET], t) + tensor_bytes(r->side[GOLDEN], g);
    bool sized = r->viewed || dump_row_numel(r->side[TARGET], t) == dump_row_numel(r->side[GOLDEN], g);
    if (!sized || bytes > r->left || !dump_row_readable(r->side[TARGET], t) || !dump_row_readable(r->side[GOLDEN], g))
        return NAN;
    r->left -= bytes;
    bool was = read_failures_unimportant(true);
    int rc = measure_compute(r->side, &job, r->kern, &f, &view, &viewed, NULL, &quiet);
    read_failures_unimportant(was);
    return rc == 0 && f.two ? figures_judged_error(&f) : NAN;
}

static double pair_error(struct trial_reader *r, uint32_t t, uint32_t g, bool paired)
{
    const struct comparison *s = r->s;
    uint32_t line = paired ? s->pairing->line_of[TARGET][t] : NONE;
    const struct row *a = &s->side[TARGET].dump.rows.v[t], *b = &s->side[GOLDEN].dump.rows.v[g];
    for (; line != NONE && line < s->pairing->lines.n && s->pairing->lines.v[line].row[TARGET] == t; line++)
        if (s->pairing->lines.v[line].row[GOLDEN] == g) {
            const struct figures *f = measure_figures(&s->measure, line);
            if (f && f->two)
                return f->rel_l2;
        }
    double read = read_error(r, t, g);
    bool sized = dump_row_numel(&s->side[TARGET].dump, t) == dump_row_numel(&s->side[GOLDEN].dump, g);
    return !isnan(read) ? read : sized ? recorded_error(a, b) : NAN;
}

/* Whether t is paired with g now, and whether either is paired with another row. */
static void look_up_pairs(const struct comparison *s, struct rule_preview_row *x)
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
static bool spoils_agreement(const struct comparison *s, const struct rule_preview_row *x)
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

/* ---- other partners near by ---- */

enum { REACH = 4000, NEAR_MOST = 16 }; /* rows looked at on either side of the rule's; those that are compared */
#define AGREES 1e-5 /* an error below it needs no better partner */
#define FAR_BETTER 0.1
#define GOOD 1e-2 /* where the rule's pair has no error, as where sizes differ */

/* Whether a row may take another's place: of the same operator and place in its call, and without a partner. */
static bool can_replace_row(const struct comparison *s, int side, uint32_t row, uint32_t other)
{
    const struct dump *d = &s->side[side].dump;
    const struct row *a = &d->rows.v[row], *b = &d->rows.v[other];
    const struct call *ca = &d->calls.v[a->call], *cb = &d->calls.v[b->call];
    uint32_t line = s->pairing->line_of[side][other];
    return row != other && a->io == b->io && a->slot == b->slot && ca->phase == cb->phase &&
           str_eq(align_item_operator(d, a->call), align_item_operator(d, b->call)) && line != NONE &&
           s->pairing->lines.v[line].row[!side] == NONE;
}

/* The best partner for the row of the other side among those near `row`; NONE: none is far better than `error`. */
static uint32_t find_better_partner(struct trial_reader *r, int side, uint32_t row, uint32_t partner, double error,
                                    double *best)
{
    const struct dump *d = r->side[side];
    uint32_t found = NONE, looked = 0;
    *best = isnan(error) ? GOOD : error * FAR_BETTER;
    for (int64_t k = 1; k <= 2 * (int64_t)REACH && looked < NEAR_MOST; k++) { /* the nearest first, in turns */
        int64_t at = (int64_t)row + (k % 2 ? (k + 1) / 2 : -k / 2);
        if (at < 0 || at >= (int64_t)d->rows.n || !can_replace_row(r->s, side, row, (uint32_t)at))
            continue;
        looked++;
        double e = side == GOLDEN ? pair_error(r, partner, (uint32_t)at, false)
                                  : pair_error(r, (uint32_t)at, partner, false);
        if (e < *best) { /* NaN never is */
            *best = e;
            found = (uint32_t)at;
        }
    }
    return found;
}

static bool is_offered(const struct rule_preview *p, int side, uint32_t row)
{
    for (size_t i = 0; i < p->rows.n; i++)
        if (p->rows.v[i].nearby && (side ? p->rows.v[i].g : p->rows.v[i].t) == row)
            return true;
    return false;
}

/* Where the rule pairs rows that do not agree: the rows near by that do, for either of them. */
static void add_better_pairs(struct rule_preview *p, struct trial_reader *r, const struct rule_preview_row *x)
{
    const uint32_t own[2] = {x->t, x->g};
    for (int side = GOLDEN; side >= TARGET; side--) {
        struct rule_preview_row y = {.t = x->t, .g = x->g, .outcome = HIT_PAIRS, .nearby = true};
        uint32_t found = find_better_partner(r, side, own[side], own[!side], x->error, &y.error);
        *(side ? &y.g : &y.t) = found;
        if (found != NONE && !is_offered(p, TARGET, y.t) && !is_offered(p, GOLDEN, y.g))
            vec_push(&p->rows, y);
    }
}

static void improve_pairs(struct rule_preview *p, struct trial_reader *r)
{
    size_t n = p->rows.n;
    for (size_t i = 0; i < n; i++) {
        struct rule_preview_row x = p->rows.v[i];
        size_t before = p->rows.n;
        if (x.outcome != HIT_PAIRS || x.same || x.otherwise || x.error <= AGREES)
            continue;
        add_better_pairs(p, r, &x);
        p->rows.v[i].dropped = p->rows.n > before;
    }
}

void rule_preview_mark(const struct rule_preview *p, const struct comparison *s, struct decisions *d, struct arena *a)
{
    struct buf name = {0};
    uint32_t step = d->now ? d->log.v[d->now - 1].step : 0;
    for (size_t i = 0; i < p->rows.n; i++) {
        const struct rule_preview_row *x = &p->rows.v[i];
        struct decision mark = {.kind = DECIDE_MARK, .step = step, .view = ""};
        for (int side = 0; x->nearby && side < 2; side++) {
            buf_clear(&name);
            dump_row_name(&s->side[side].dump, side ? x->g : x->t, &name);
            mark.side[side] = arena_cstr(a, buf_view(&name));
        }
        if (x->nearby)
            decisions_add(d, mark);
    }
    buf_release(&name);
}

static void count_outcome(struct rule_preview *p, const struct rule_preview_row *x)
{
    if (x->dropped)
        return;
    p->nearby += x->nearby;
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
    struct trial_reader r = {.s = s, .side = {&s->side[TARGET].dump, &s->side[GOLDEN].dump},
                             .kern = kern_select(NULL), .viewed = *rule[2] != 0, .left = READ_MOST};
    *p = (struct rule_preview){.least = NAN, .most = NAN};
    if (r.viewed && view_parse(&r.view, str_of(rule[2]), e))
        return -1;
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
            look_up_pairs(s, &x);
            x.error = pair_error(&r, x.t, x.g, x.same);
            x.spoils = spoils_agreement(s, &x);
        }
        vec_push(&p->rows, x);
    }
    if (rc == 0 && !r.viewed)
        improve_pairs(p, &r);
    for (size_t i = 0; i < p->rows.n; i++)
        count_outcome(p, &p->rows.v[i]);
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
    buf_fmt(out, _("matches %2$zu rows, pairs %1$u"), p->pairs, p->rows.n - p->nearby);
    if (p->same)
        buf_fmt(out, _(", %u already paired in this way"), p->same);
    if (!isnan(p->least))
        buf_fmt(out, _("; error %s … %s"), num_error(a, p->least), num_error(b, p->most));
    if (p->nearby)
        buf_fmt(out, _("; %u with a partner near by that agrees better"), p->nearby);
    if (p->otherwise)
        buf_fmt(out, _("; %u currently paired with a different row"), p->otherwise);
    if (p->held)
        buf_fmt(out, _("; %u already decided by a mark or an earlier rule"), p->held);
    if (p->nobody)
        buf_fmt(out, _("; %u without a matching golden row"), p->nobody);
}

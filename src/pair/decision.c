/* The list of decisions: adding, undoing, and deriving the decisions in force. */
#include "pair/decision.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/msg.h"
#include "base/undo_list.h"

static const char *const names[DECIDE_KINDS] = {N_("mark"),     N_("reject"),  N_("rule"),
                                                N_("rule-off"), N_("rule-on"), N_("withdraw")};

const char *decision_name(enum decision_kind k)
{
    return names[k];
}

void decisions_add(struct decisions *d, struct decision x)
{
    HISTORY_ADD(d, x);
}

uint32_t decisions_step(const struct decisions *d)
{
    return undo_list_next(HISTORY(d));
}

bool decisions_undo(struct decisions *d, bool redo)
{
    size_t was = d->now;
    d->now = undo_list_turn(HISTORY(d), redo);
    return d->now != was;
}

void decisions_release(struct decisions *d)
{
    vec_release(&d->log);
    d->now = 0;
}

/* Of several decisions about one pair of names the last is in force. */
static bool decided_later(struct nmap *seen, const struct decision *x)
{
    uint64_t key = hash_bytes(x->side[1], strlen(x->side[1]), hash_bytes(x->side[0], strlen(x->side[0]), 1));
    bool later = nmap_get(seen, key) != MAP_NONE;
    nmap_set(seen, key, 1);
    return later;
}

/* The rules are in the order of their numbers. */
static void turn_decision(struct decisions_in_force *r, uint32_t number, bool on)
{
    size_t from = 0, to = r->rules.n;
    while (from < to) {
        size_t mid = (from + to) / 2;
        if (r->rules.v[mid].number < number)
            from = mid + 1;
        else
            to = mid;
    }
    if (from < r->rules.n && r->rules.v[from].number == number)
        r->rules.v[from].on = on;
}

static void reverse_marks(struct mark *v, size_t n)
{
    for (size_t i = 0; i + 1 < n; i++) {
        struct mark x = v[i];
        v[i] = v[--n];
        v[n] = x;
    }
}

bool decision_of_another(enum decision_kind k)
{
    return k == DECIDE_RULE_OFF || k == DECIDE_RULE_ON || k == DECIDE_WITHDRAW;
}

/* Per decision that is not undone: whether a later one in force withdraws it. The caller frees it. */
static bool *withdrawn_decisions(const struct decisions *d)
{
    bool *gone = mem_zalloc(d->now + 1);
    for (size_t i = d->now; i-- > 0;) /* the latest first: a withdrawn decision withdraws nothing */
        if (!gone[i] && d->log.v[i].kind == DECIDE_WITHDRAW && d->log.v[i].rule < i)
            gone[d->log.v[i].rule] = true;
    return gone;
}

bool *decisions_holding(const struct decisions *d)
{
    bool *gone = withdrawn_decisions(d), *holds = mem_zalloc(d->log.n + 1);
    for (size_t i = 0; i < d->now; i++)
        holds[i] = !gone[i];
    free(gone);
    return holds;
}

bool decision_holds(const struct decisions *d, size_t n)
{
    bool *all = decisions_holding(d), holds = n < d->now && all[n];
    free(all);
    return holds;
}

void decision_text(const struct decisions *d, size_t n, bool holds, struct buf *out)
{
    const struct decision *x = &d->log.v[n];
    buf_fmt(out, "%4zu %-8s %s", n, _(decision_name((enum decision_kind)x->kind)),
            n >= d->now ? _("(undone) ") : holds ? "" : _("(withdrawn) "));
    if (x->kind == DECIDE_WITHDRAW)
        buf_fmt(out, _("decision %u"), x->rule);
    else if (decision_of_another((enum decision_kind)x->kind))
        buf_fmt(out, _("rule %u"), x->rule);
    else
        buf_fmt(out, "%s ↔ %s%s%s", x->side[0], x->side[1], *x->view ? "   " : "", x->view);
}

void decisions_in_force_read(struct decisions_in_force *r, const struct decisions *d)
{
    struct nmap seen = {0};
    bool *gone = withdrawn_decisions(d);
    *r = (struct decisions_in_force){0};
    for (size_t i = d->now; i-- > 0;) {
        const struct decision *x = &d->log.v[i];
        struct mark m = {(uint32_t)i, {x->side[0], x->side[1]}, x->view};
        if (gone[i] || (x->kind != DECIDE_MARK && x->kind != DECIDE_REJECT) || decided_later(&seen, x))
            continue;
        if (x->kind == DECIDE_MARK)
            vec_push(&r->marks, m);
        else
            vec_push(&r->rejects, m);
    }
    reverse_marks(r->marks.v, r->marks.n);
    reverse_marks(r->rejects.v, r->rejects.n);
    for (size_t i = 0; i < d->now; i++) {
        const struct decision *x = &d->log.v[i];
        struct pair_rule rule = {(uint32_t)i, {x->side[0], x->side[1]}, x->view, true};
        if (gone[i])
            continue;
        if (x->kind == DECIDE_RULE)
            vec_push(&r->rules, rule);
        else if (x->kind == DECIDE_RULE_OFF || x->kind == DECIDE_RULE_ON)
            turn_decision(r, x->rule, x->kind == DECIDE_RULE_ON);
    }
    nmap_release(&seen);
    free(gone);
}

void decisions_in_force_release(struct decisions_in_force *r)
{
    vec_release(&r->marks);
    vec_release(&r->rejects);
    vec_release(&r->rules);
}

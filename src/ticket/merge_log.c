/* Merges findings and decisions, which are stored as lists of changes. Of the other investigation only the current
 * state is merged, as one step at the end, which one undo reverts. */
#include "base/map.h"
#include "base/msg.h"
#include "pair/decision.h"
#include "ticket/finding.h"
#include "ticket/merge.h"

/* ---- findings ---- */

static bool same_finding(unsigned use, const struct finding *a, const struct finding *b)
{
    return record_same(finding_record.members, use, a, b);
}

/* The k-th version of a finding among the first n of the list; NULL if there are fewer. */
static const struct finding *finding_version(const struct findings *f, size_t n, uint32_t number, int k)
{
    for (size_t i = 0; i < n; i++)
        if (f->log.v[i].number == number && k-- == 0)
            return &f->log.v[i];
    return NULL;
}

/* The number of the finding in ours, 0 if it is not there: the file may have been copied, or the finding written twice.
 * The text of the first version is compared too: two notes may be of the same second. */
static uint32_t matching_number(const struct findings *f, size_t n, const struct finding *first)
{
    for (size_t i = 0; i < n; i++)
        if (!f->log.v[i].again && same_finding(MEMBER_KEY, &f->log.v[i], first))
            return f->log.v[i].number;
    return 0;
}

struct finding_merge {
    struct merge *m;
    struct findings *ours;
    const struct findings *theirs;
    size_t mine;          /* so many of ours held before */
    uint32_t step, place;
    struct nmap becomes;  /* their number → ours */
};

/* Appends one of their versions under its new number. */
static void append_version(struct finding_merge *f, const struct finding *x, uint32_t number, bool fresh)
{
    struct finding copy = *x;
    copy.number = number;
    copy.step = f->step;
    copy.place += fresh ? f->place : 0;
    record_renumber(finding_record.members, &f->becomes, &copy);
    findings_add(f->ours, copy);
}

static const char *finding_text(struct merge *m, const struct finding *x)
{
    return arena_fmt(&m->arena, "%s%s (%s%s%s)", x->removed ? _("removed: ") : "", x->text,
                     finding_status_name((enum finding_status)x->status), *x->author ? ", " : "", x->author);
}

/* Both have it: the side with newer versions adds them; if both have some, the last ones are compared. */
static void join_finding(struct finding_merge *f, uint32_t mine, uint32_t number)
{
    int k = 0;
    const struct finding *a = NULL, *b = NULL, *x, *y;
    while ((x = finding_version(f->ours, f->mine, mine, k)) &&
           (y = finding_version(f->theirs, f->theirs->now, number, k)) && same_finding(MEMBER_CHANGES, x, y) &&
           x->time == y->time)
        k++;
    for (int i = k; (x = finding_version(f->ours, f->mine, mine, i)); i++)
        a = x;
    for (int i = k; (x = finding_version(f->theirs, f->theirs->now, number, i)); i++)
        b = x;
    if (!b || (a && same_finding(MEMBER_CHANGES, a, b))) {
        f->m->same++;
        return;
    }
    const char *about = arena_fmt(&f->m->arena, _("finding %u"), mine);
    if (a)
        merge_conflict(f->m, "findings", about, finding_text(f->m, a), finding_text(f->m, b), b->about);
    else
        merge_add(f->m, "findings", about, finding_text(f->m, b));
    for (; (!a || f->m->choice == MERGE_THEIRS) && (x = finding_version(f->theirs, f->theirs->now, number, k)); k++)
        append_version(f, x, mine, false);
}

/* Numbers all of theirs first: causes may come after their effects. */
static void number_theirs(struct finding_merge *f)
{
    uint32_t next = findings_number(f->ours);
    for (size_t i = 0; i < f->theirs->now; i++) {
        const struct finding *x = &f->theirs->log.v[i];
        if (nmap_get(&f->becomes, x->number) != MAP_NONE)
            continue;
        uint32_t mine = matching_number(f->ours, f->mine, x);
        nmap_set(&f->becomes, x->number, mine ? mine : next++);
    }
}

static uint32_t last_place(const struct findings *f)
{
    uint32_t most = 0;
    for (size_t i = 0; i < f->now; i++)
        if (f->log.v[i].place > most)
            most = f->log.v[i].place;
    return most;
}

void merge_findings(struct merge *m, const struct member *row, void *into, const void *from)
{
    struct findings *ours = &((struct investigation *)into)->findings;
    const struct findings *theirs = &((const struct investigation *)from)->findings;
    struct finding_merge f = {.m = m, .ours = ours, .theirs = theirs, .mine = ours->now, .step = findings_step(ours),
                              .place = last_place(ours)};
    uint32_t first = findings_number(ours);
    number_theirs(&f);
    for (size_t i = 0; i < theirs->now; i++) {
        const struct finding *x = &theirs->log.v[i];
        uint32_t to = nmap_get(&f.becomes, x->number);
        struct finding last;
        if (to < first) {
            if (!x->again)
                join_finding(&f, to, x->number);
        } else if (findings_get(theirs, x->number, &last)) { /* else nobody here ever saw it */
            append_version(&f, x, to, true);
            if (!x->again)
                merge_add(m, row->key, arena_fmt(&m->arena, _("finding %u"), to), finding_text(m, &last));
        }
    }
    nmap_release(&f.becomes);
}

/* From merging the same two before. */
static bool is_noted(const struct findings *f, const char *text)
{
    for (size_t i = 0; i < f->now; i++)
        if (strcmp(f->log.v[i].text, text) == 0)
            return true;
    return false;
}

void merge_note_conflicts(struct merge *m, struct investigation *ours)
{
    struct findings *f = &ours->findings;
    uint32_t step = findings_step(f), place = last_place(f);
    for (size_t i = 0; i < m->conflicts.n; i++) {
        const struct merge_item *c = &m->conflicts.v[i];
        const char *text = arena_fmt(&ours->arena, _("#conflict %s, %s: kept \"%s\", the other has \"%s\""), c->what,
                                     c->about, c->side[0], c->side[1]);
        if (is_noted(f, text))
            continue;
        findings_add(f, (struct finding){
            .number = findings_number(f), .step = step, .place = ++place, .text = text, .author = m->author,
                .time = m->time,
            .subject = *c->row[0] || *c->row[1] ? SUBJECT_PAIR : SUBJECT_RUNS,
            .about = {investigation_keep(ours, c->row[0]), investigation_keep(ours, c->row[1])}, .at = ""});
    }
}

/* ---- decisions ---- */

static bool same_side(const struct mark *a, const struct mark *b, int s)
{
    return *a->side[s] && strcmp(a->side[s], b->side[s]) == 0;
}

/* Two marks that contradict each other: one row with two partners. Parts of a fused tensor share a partner, each with
 * its own view. */
static bool marks_conflict(const struct mark *a, const struct mark *b)
{
    bool target = same_side(a, b, 0), golden = same_side(a, b, 1);
    if (target && golden)
        return strcmp(a->view, b->view) != 0;
    return (target || golden) && !(*a->view && *b->view);
}

/* By a later one that needs the same row. */
static bool is_overruled(const struct decisions_in_force *r, const struct mark *x)
{
    for (size_t i = 0; i < r->marks.n; i++)
        if (r->marks.v[i].number > x->number && marks_conflict(&r->marks.v[i], x))
            return true;
    return false;
}

static const char *mark_text(struct merge *m, const struct mark *x, bool reject)
{
    return arena_fmt(&m->arena, "%s %s ↔ %s%s%s", reject ? _("rejected:") : _("marked:"), x->side[0], x->side[1],
                     *x->view ? ", " : "", x->view);
}

struct decision_merge {
    struct merge *m;
    struct decisions *ours;
    const struct decisions *theirs;
    struct decisions_in_force held[2];
    uint32_t step;
};

static void take_decision(struct decision_merge *d, uint32_t number)
{
    struct decision copy = d->theirs->log.v[number];
    copy.step = d->step;
    decisions_add(d->ours, copy);
}

/* A decision of theirs: already there, in conflict with one of ours, or new. */
static void merge_one_mark(struct decision_merge *d, const struct mark *x, bool reject)
{
    const struct decisions_in_force *r = &d->held[0];
    const struct mark *against = NULL;
    bool other = false;
    for (size_t i = 0; i < r->marks.n && !against; i++) {
        const struct mark *y = &r->marks.v[i];
        bool both = same_side(x, y, 0) && same_side(x, y, 1);
        if (!reject && both && strcmp(x->view, y->view) == 0) {
            d->m->same++;
            return;
        }
        against = (reject ? both : marks_conflict(x, y)) && !is_overruled(r, y) ? y : NULL;
    }
    for (size_t i = 0; i < r->rejects.n && !against; i++) {
        const struct mark *y = &r->rejects.v[i];
        if (!same_side(x, y, 0) || !same_side(x, y, 1))
            continue;
        if (reject) {
            d->m->same++;
            return;
        }
        against = y;
        other = true;
    }
    if (against)
        merge_conflict(d->m, "decisions", arena_fmt(&d->m->arena, "%s ↔ %s", x->side[0], x->side[1]),
                       mark_text(d->m, against, other), mark_text(d->m, x, reject), x->side);
    else
        merge_add(d->m, "decisions", mark_text(d->m, x, reject), "");
    if (!against || d->m->choice == MERGE_THEIRS)
        take_decision(d, x->number);
}

static void switch_rule(struct decision_merge *d, uint32_t number, bool on)
{
    decisions_add(d->ours,
                  (struct decision){.kind = on ? DECIDE_RULE_ON : DECIDE_RULE_OFF, .step = d->step, .rule = number,
                                    .side = {"", ""}, .view = ""});
}

static void merge_one_rule(struct decision_merge *d, const struct pair_rule *x)
{
    const struct pair_rule *mine = NULL;
    const char *text = arena_fmt(&d->m->arena, _("rule: %s ↔ %s"), x->side[0], x->side[1]);
    for (size_t i = 0; i < d->held[0].rules.n && !mine; i++) {
        const struct pair_rule *y = &d->held[0].rules.v[i];
        bool same_rule = strcmp(x->side[0], y->side[0]) == 0 && strcmp(x->side[1], y->side[1]) == 0;
        mine = same_rule && strcmp(x->view, y->view) == 0 ? y : NULL;
    }
    if (mine && mine->on == x->on) {
        d->m->same++;
    } else if (mine) {
        merge_conflict(d->m, "decisions", text, mine->on ? _("enabled") : _("disabled"),
                       x->on ? _("enabled") : _("disabled"),
                       NULL);
        if (d->m->choice == MERGE_THEIRS)
            switch_rule(d, mine->number, x->on);
    } else {
        merge_add(d->m, "decisions", text, x->on ? "" : _("disabled"));
        take_decision(d, x->number);
        if (!x->on)
            switch_rule(d, (uint32_t)d->ours->now - 1, false);
    }
}

void merge_decisions(struct merge *m, const struct member *row, void *into, const void *from)
{
    struct decisions *ours = &((struct investigation *)into)->decisions;
    const struct decisions *theirs = &((const struct investigation *)from)->decisions;
    struct decision_merge d = {.m = m, .ours = ours, .theirs = theirs, .step = decisions_step(ours)};
    const struct decisions_in_force *r = &d.held[1];
    (void)row;
    decisions_in_force_read(&d.held[0], ours);
    decisions_in_force_read(&d.held[1], theirs);
    for (size_t i = 0; i < r->marks.n; i++)
        if (!is_overruled(r, &r->marks.v[i]))
            merge_one_mark(&d, &r->marks.v[i], false);
    for (size_t i = 0; i < r->rejects.n; i++)
        merge_one_mark(&d, &r->rejects.v[i], true);
    for (size_t i = 0; i < r->rules.n; i++)
        merge_one_rule(&d, &r->rules.v[i]);
    for (int i = 0; i < 2; i++)
        decisions_in_force_release(&d.held[i]);
}

/* Merging what is kept as a list of what was done: findings and decisions. Of theirs only what holds is taken, as one step
 * at the end of ours, which one undo takes back. */
#include "base/map.h"
#include "base/msg.h"
#include "pair/decision.h"
#include "ticket/finding.h"
#include "ticket/merge.h"

static void set_number(cJSON *o, const char *key, double v)
{
    cJSON_DeleteItemFromObjectCaseSensitive(o, key);
    cJSON_AddNumberToObject(o, key, v);
}

/* One more than the largest of them among the first n. */
static uint32_t next_number(const cJSON *list, const char *key, int n)
{
    double most = 0;
    const cJSON *it;
    cJSON_ArrayForEach(it, list) {
        if (n-- == 0)
            break;
        if (merge_number(it, key) > most)
            most = merge_number(it, key);
    }
    return (uint32_t)(most < UINT32_MAX - 1 ? most : 0) + 1;
}

/* ---- findings ---- */

/* The members of a version that hold the number of another finding. */
static const char *const references[] = {"caused_by"};
/* Those by which two first versions are one finding: it was copied with the file, or written twice. */
static const char *const identity[] = {"author", "time", "target", "golden", "subject", "at"};
/* Those that a change changes. */
static const char *const content[] = {"text", "status", "severity", "removed", "caused_by"};

static bool equal_members(const cJSON *a, const cJSON *b, const char *const *key, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const cJSON *x = cJSON_GetObjectItemCaseSensitive(a, key[i]), *y = cJSON_GetObjectItemCaseSensitive(b, key[i]);
        if ((x || y) && !(x && y && cJSON_Compare(x, y, true)))
            return false;
    }
    return true;
}

/* The k-th version of a finding among the first n of the list; NULL behind the last. */
static const cJSON *version(const cJSON *list, int n, double number, int k)
{
    const cJSON *it;
    cJSON_ArrayForEach(it, list) {
        if (n-- == 0)
            break;
        if (merge_number(it, "number") >= number && merge_number(it, "number") <= number && k-- == 0)
            return it;
    }
    return NULL;
}

/* The number ours has it by, 0 where it has none. The text of the first version counts too: two notes of one second. */
static double number_in(const cJSON *list, int n, const cJSON *first)
{
    struct nmap seen = {0};
    double found = 0;
    const cJSON *it;
    int i = 0;
    cJSON_ArrayForEach(it, list) {
        uint64_t number = (uint64_t)merge_number(it, "number");
        if (i++ == n || found > 0)
            break;
        if (nmap_get(&seen, number) == MAP_NONE && equal_members(it, first, identity, ARRAY_LEN(identity)) &&
            strcmp(merge_text(it, "text"), merge_text(first, "text")) == 0)
            found = merge_number(it, "number");
        nmap_set(&seen, number, 1);
    }
    nmap_release(&seen);
    return found;
}

struct finding_merge {
    struct merge *m;
    cJSON *list;          /* ours */
    const cJSON *theirs;
    int mine, other;      /* how many of each hold */
    uint32_t step, number, place;
    struct nmap becomes;  /* their number → ours */
    bool added;
};

/* Appends one of their versions under its new number. */
static void append(struct finding_merge *f, const cJSON *x, double number, bool fresh)
{
    cJSON *copy = cJSON_Duplicate(x, true);
    set_number(copy, "number", number);
    set_number(copy, "step", f->step);
    if (fresh)
        set_number(copy, "place", f->place + merge_number(x, "place"));
    for (size_t i = 0; i < ARRAY_LEN(references); i++) {
        uint32_t to = nmap_get(&f->becomes, (uint64_t)merge_number(x, references[i]));
        if (cJSON_HasObjectItem(copy, references[i]))
            set_number(copy, references[i], to == MAP_NONE ? 0 : to);
    }
    cJSON_AddItemToArray(f->list, copy);
    f->added = true;
}

static bool is_removed(const cJSON *x)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(x, "removed"));
}

static const cJSON *last_version(const cJSON *list, int n, double number)
{
    const cJSON *last = NULL, *it;
    cJSON_ArrayForEach(it, list) {
        if (n-- == 0)
            break;
        if (merge_number(it, "number") >= number && merge_number(it, "number") <= number)
            last = it;
    }
    return last;
}

static const char *finding_text(struct merge *m, const cJSON *x)
{
    const char *who = merge_text(x, "author");
    return arena_fmt(&m->arena, "%s%s (%s%s%s)", is_removed(x) ? _("taken out: ") : "", merge_text(x, "text"), merge_text(x, "status"),
                     *who ? ", " : "", who);
}

/* Both have it: who went on with it gives its newer versions; where both did, the last ones are compared. */
static void join(struct finding_merge *f, double mine, double theirs)
{
    int k = 0;
    const cJSON *a = NULL, *b = NULL, *x, *y;
    while ((x = version(f->list, f->mine, mine, k)) && (y = version(f->theirs, f->other, theirs, k)) &&
           equal_members(x, y, content, ARRAY_LEN(content) - 1) && merge_number(x, "time") <= merge_number(y, "time") &&
           merge_number(x, "time") >= merge_number(y, "time"))
        k++;
    for (int i = k; (x = version(f->list, f->mine, mine, i)); i++)
        a = x;
    for (int i = k; (x = version(f->theirs, f->other, theirs, i)); i++)
        b = x;
    if (!b || (a && equal_members(a, b, content, ARRAY_LEN(content) - 1))) {
        f->m->same++;
        return;
    }
    const char *about = arena_fmt(&f->m->arena, _("finding %.0f"), mine), *const row[2] = {merge_text(b, "target"), merge_text(b, "golden")};
    if (a)
        merge_conflict(f->m, "findings", about, finding_text(f->m, a), finding_text(f->m, b), row);
    else
        merge_add(f->m, "findings", about, finding_text(f->m, b));
    if (!a || f->m->choice == MERGE_THEIRS)
        for (; (x = version(f->theirs, f->other, theirs, k)); k++)
            append(f, x, mine, false);
}

/* Gives every one of theirs its number first: causes may stand behind what follows from them. */
static void number_theirs(struct finding_merge *f)
{
    const cJSON *it;
    int n = f->other;
    cJSON_ArrayForEach(it, f->theirs) {
        uint64_t number = (uint64_t)merge_number(it, "number");
        if (n-- == 0)
            break;
        if (nmap_get(&f->becomes, number) != MAP_NONE)
            continue;
        double mine = number_in(f->list, f->mine, it);
        nmap_set(&f->becomes, number, mine > 0 ? (uint32_t)mine : f->number++);
    }
}

void merge_findings(struct merge *m, cJSON *ours, const cJSON *theirs)
{
    struct finding_merge f = {.m = m, .theirs = cJSON_GetObjectItemCaseSensitive(theirs, "findings"), .other = merge_now(theirs, "findings", "found")};
    if (!f.other)
        return;
    f.list = merge_array(ours, "findings");
    f.mine = merge_now(ours, "findings", "found");
    uint32_t first = f.number = next_number(f.list, "number", f.mine);
    f.step = next_number(f.list, "step", f.mine);
    f.place = next_number(f.list, "place", f.mine) - 1;
    number_theirs(&f);
    int had = cJSON_GetArraySize(f.list);
    const cJSON *it;
    int n = f.other;
    struct nmap seen = {0};
    f.list = cJSON_Duplicate(f.list, true); /* theirs go to its end, ours are looked up by their count */
    cJSON_ArrayForEach(it, f.theirs) {
        uint64_t number = (uint64_t)merge_number(it, "number");
        uint32_t to = nmap_get(&f.becomes, number);
        if (n-- == 0)
            break;
        bool again = nmap_get(&seen, number) != MAP_NONE;
        nmap_set(&seen, number, 1);
        if (to < first) {
            if (!again)
                join(&f, to, (double)number);
            continue;
        }
        const cJSON *last = last_version(f.theirs, f.other, (double)number);
        if (is_removed(last))
            continue; /* nobody here ever saw it */
        append(&f, it, to, true);
        if (!again)
            merge_add(m, "findings", arena_fmt(&m->arena, _("finding %u"), to), finding_text(m, last));
    }
    if (f.added) {
        merge_settle(ours, "findings", "found");
        cJSON *mine = merge_array(ours, "findings");
        for (int i = had; i < cJSON_GetArraySize(f.list); i++)
            cJSON_AddItemToArray(mine, cJSON_Duplicate(cJSON_GetArrayItem(f.list, i), true));
        merge_set_now(ours, "findings", "found");
    }
    cJSON_Delete(f.list);
    nmap_release(&seen);
    nmap_release(&f.becomes);
}

/* From merging the same two before. */
static bool is_noted(const cJSON *list, const char *text)
{
    const cJSON *it;
    cJSON_ArrayForEach(it, list)
        if (strcmp(merge_text(it, "text"), text) == 0)
            return true;
    return false;
}

void merge_note_conflicts(struct merge *m, cJSON *ours)
{
    merge_settle(ours, "findings", "found");
    cJSON *list = merge_array(ours, "findings");
    int n = cJSON_GetArraySize(list);
    uint32_t number = next_number(list, "number", n), step = next_number(list, "step", n), place = next_number(list, "place", n);
    for (size_t i = 0; i < m->conflicts.n; i++) {
        const struct merge_item *c = &m->conflicts.v[i];
        const char *text = arena_fmt(&m->arena, _("#conflict %s, %s: kept is \"%s\", the other says \"%s\""), c->what, c->about, c->side[0], c->side[1]);
        if (is_noted(list, text))
            continue;
        cJSON *x = cJSON_CreateObject();
        cJSON_AddNumberToObject(x, "number", number++);
        cJSON_AddNumberToObject(x, "step", step);
        cJSON_AddNumberToObject(x, "place", place++);
        cJSON_AddStringToObject(x, "status", finding_status_name(FINDING_SUSPECTED));
        cJSON_AddStringToObject(x, "severity", finding_severity_name(FINDING_UNSET));
        cJSON_AddStringToObject(x, "text", text);
        cJSON_AddStringToObject(x, "author", m->author);
        cJSON_AddNumberToObject(x, "time", (double)m->time);
        cJSON_AddStringToObject(x, "subject", finding_subject_name(*c->row[0] || *c->row[1] ? SUBJECT_PAIR : SUBJECT_RUNS));
        cJSON_AddStringToObject(x, "target", c->row[0]);
        cJSON_AddStringToObject(x, "golden", c->row[1]);
        cJSON_AddArrayToObject(x, "evidence");
        cJSON_AddItemToArray(list, x);
    }
    merge_set_now(ours, "findings", "found");
}

/* ---- decisions ---- */

static enum decision_kind kind_of(const cJSON *x)
{
    int k = 0;
    while (k < DECIDE_KINDS && strcmp(merge_text(x, "what"), decision_name((enum decision_kind)k)) != 0)
        k++;
    return (enum decision_kind)k;
}

static void read_decisions(const cJSON *o, struct decisions *d)
{
    const cJSON *it;
    int n = merge_now(o, "decisions", "decided");
    cJSON_ArrayForEach(it, cJSON_GetObjectItemCaseSensitive(o, "decisions")) {
        if (n-- == 0)
            break;
        decisions_add(d, (struct decision){.kind = (uint8_t)kind_of(it), .rule = (uint32_t)merge_number(it, "rule"),
                                           .side = {merge_text(it, "target"), merge_text(it, "golden")}, .view = merge_text(it, "view")});
    }
}

static bool same_side(const struct mark *a, const struct mark *b, int s)
{
    return *a->side[s] && strcmp(a->side[s], b->side[s]) == 0;
}

/* Two marks that cannot both be meant: one row with two partners. Parts of a fused tensor share one, each with its view. */
static bool quarrel(const struct mark *a, const struct mark *b)
{
    bool target = same_side(a, b, 0), golden = same_side(a, b, 1);
    if (target && golden)
        return strcmp(a->view, b->view) != 0;
    return (target || golden) && !(*a->view && *b->view);
}

/* By a later one that needs the same row. */
static bool overruled(const struct decisions_in_force *r, const struct mark *x)
{
    for (size_t i = 0; i < r->marks.n; i++)
        if (r->marks.v[i].number > x->number && quarrel(&r->marks.v[i], x))
            return true;
    return false;
}

static const char *mark_text(struct merge *m, const struct mark *x, bool reject)
{
    return arena_fmt(&m->arena, "%s %s ↔ %s%s%s", reject ? _("rejected:") : _("marked:"), x->side[0], x->side[1], *x->view ? ", " : "", x->view);
}

struct decision_merge {
    struct merge *m;
    struct decisions log[2];
    struct decisions_in_force held[2];
    cJSON *list;
    const cJSON *theirs;
    cJSON *fresh;     /* what is appended */
    uint32_t step;
};

static void take(struct decision_merge *d, uint32_t number)
{
    cJSON *copy = cJSON_Duplicate(cJSON_GetArrayItem(d->theirs, (int)number), true);
    set_number(copy, "step", d->step);
    cJSON_AddItemToArray(d->fresh, copy);
}

/* One that theirs holds: there already, against one of ours, or new. */
static void one_mark(struct decision_merge *d, const struct mark *x, bool reject)
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
        against = (reject ? both : quarrel(x, y)) && !overruled(r, y) ? y : NULL;
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
        merge_conflict(d->m, "decisions", arena_fmt(&d->m->arena, "%s ↔ %s", x->side[0], x->side[1]), mark_text(d->m, against, other),
                       mark_text(d->m, x, reject), x->side);
    else
        merge_add(d->m, "decisions", mark_text(d->m, x, reject), "");
    if (!against || d->m->choice == MERGE_THEIRS)
        take(d, x->number);
}

static void turn(struct decision_merge *d, double number, bool on)
{
    cJSON *x = cJSON_CreateObject();
    cJSON_AddStringToObject(x, "what", decision_name(on ? DECIDE_RULE_ON : DECIDE_RULE_OFF));
    cJSON_AddNumberToObject(x, "step", d->step);
    cJSON_AddNumberToObject(x, "rule", number);
    cJSON_AddItemToArray(d->fresh, x);
}

static void one_rule(struct decision_merge *d, const struct pair_rule *x, int had)
{
    const struct pair_rule *mine = NULL;
    const char *text = arena_fmt(&d->m->arena, _("rule: %s ↔ %s"), x->side[0], x->side[1]);
    for (size_t i = 0; i < d->held[0].rules.n && !mine; i++) {
        const struct pair_rule *y = &d->held[0].rules.v[i];
        mine = strcmp(x->side[0], y->side[0]) == 0 && strcmp(x->side[1], y->side[1]) == 0 && strcmp(x->view, y->view) == 0 ? y : NULL;
    }
    if (mine && mine->on == x->on) {
        d->m->same++;
    } else if (mine) {
        merge_conflict(d->m, "decisions", text, mine->on ? _("it holds") : _("it is off"), x->on ? _("it holds") : _("it is off"), NULL);
        if (d->m->choice == MERGE_THEIRS)
            turn(d, mine->number, x->on);
    } else {
        merge_add(d->m, "decisions", text, x->on ? "" : _("it is off"));
        take(d, x->number);
        if (!x->on)
            turn(d, had + cJSON_GetArraySize(d->fresh) - 1, false);
    }
}

void merge_decisions(struct merge *m, cJSON *ours, const cJSON *theirs)
{
    struct decision_merge d = {.m = m, .theirs = cJSON_GetObjectItemCaseSensitive(theirs, "decisions"), .fresh = cJSON_CreateArray()};
    const cJSON *both[2] = {ours, theirs};
    int had = merge_now(ours, "decisions", "decided");
    d.step = next_number(cJSON_GetObjectItemCaseSensitive(ours, "decisions"), "step", had);
    for (int i = 0; i < 2; i++) {
        read_decisions(both[i], &d.log[i]);
        decisions_in_force_read(&d.held[i], &d.log[i]);
    }
    for (size_t i = 0; i < d.held[1].marks.n; i++)
        if (!overruled(&d.held[1], &d.held[1].marks.v[i]))
            one_mark(&d, &d.held[1].marks.v[i], false);
    for (size_t i = 0; i < d.held[1].rejects.n; i++)
        one_mark(&d, &d.held[1].rejects.v[i], true);
    for (size_t i = 0; i < d.held[1].rules.n; i++)
        one_rule(&d, &d.held[1].rules.v[i], had);
    if (d.fresh->child) {
        merge_settle(ours, "decisions", "decided");
        cJSON *list = merge_array(ours, "decisions");
        while (d.fresh->child)
            cJSON_AddItemToArray(list, cJSON_DetachItemFromArray(d.fresh, 0));
        merge_set_now(ours, "decisions", "decided");
    }
    cJSON_Delete(d.fresh);
    for (int i = 0; i < 2; i++) {
        decisions_in_force_release(&d.held[i]);
        decisions_release(&d.log[i]);
    }
}

/* The versions of findings: added, undone, read from an investigation and written to it. */
#include "ticket/finding.h"

#include <string.h>

#include "base/map.h"
#include "base/msg.h"
#include "base/record.h"
#include "base/undo_list.h"

static const char *const statuses[FINDING_STATUSES] = {
    [FINDING_SUSPECTED] = N_("suspected"), [FINDING_CLEARED] = N_("cleared"),
    [FINDING_WAIVED] = N_("waived"), [FINDING_ROOT_CAUSE] = N_("root-cause"),
};
static const char *const severities[FINDING_SEVERITIES] = {
    [FINDING_UNSET] = N_("unset"), [FINDING_LOW] = N_("low"), [FINDING_MEDIUM] = N_("medium"),
        [FINDING_HIGH] = N_("high"),
};
static const char *const subjects[SUBJECT_COUNT] = {
    [SUBJECT_PAIR] = N_("pair"), [SUBJECT_ROW] = N_("row"), [SUBJECT_CALL] = N_("call"), [SUBJECT_GAP] = N_("gap"),
    [SUBJECT_ELEMENT] = N_("element"), [SUBJECT_SETTING] = N_("setting"), [SUBJECT_WEIGHT] = N_("weight"),
    [SUBJECT_NORM] = N_("norm"), [SUBJECT_CURVE] = N_("curve"), [SUBJECT_HYPOTHESIS] = N_("hypothesis"),
    [SUBJECT_ITEM] = N_("item"), [SUBJECT_RUNS] = N_("runs"), [SUBJECT_RANK_CALL] = N_("rank-call"),
};

const char *finding_status_name(enum finding_status s)
{
    return statuses[s];
}

const char *finding_severity_name(enum finding_severity s)
{
    return severities[s];
}

static int find_word(const char *const *word, int n, struct str name)
{
    for (int i = 0; i < n; i++)
        if (name.n && strncmp(word[i], name.p, name.n) == 0)
            return i;
    return -1;
}

int finding_status_find(struct str name)
{
    return find_word(statuses, FINDING_STATUSES, name);
}

int finding_severity_find(struct str name)
{
    return find_word(severities, FINDING_SEVERITIES, name);
}

int finding_subject_find(struct str name)
{
    return find_word(subjects, SUBJECT_COUNT, name);
}

void findings_add(struct findings *f, struct finding x)
{
    x.again = false;
    for (size_t i = 0; i < f->now && !x.again; i++)
        x.again = f->log.v[i].number == x.number;
    HISTORY_ADD(f, x);
}

uint32_t findings_step(const struct findings *f)
{
    return undo_list_next(HISTORY(f));
}

uint32_t findings_number(const struct findings *f)
{
    uint32_t most = 0;
    for (size_t i = 0; i < f->now; i++)
        if (f->log.v[i].number > most)
            most = f->log.v[i].number;
    return most + 1;
}

bool findings_undo(struct findings *f, bool redo)
{
    size_t was = f->now;
    f->now = undo_list_turn(HISTORY(f), redo);
    return f->now != was;
}

void findings_release(struct findings *f)
{
    vec_release(&f->log);
    f->now = 0;
}

bool findings_get(const struct findings *f, uint32_t number, struct finding *out)
{
    for (size_t i = f->now; i-- > 0;)
        if (f->log.v[i].number == number) {
            *out = f->log.v[i];
            return !out->removed;
        }
    return false;
}

struct evidence evidence_keep(struct arena *a, fact_list *l)
{
    struct evidence e = {.n = l->n};
    if (l->n) {
        struct fact *kept = arena_alloc(a, l->n * sizeof *kept);
        memcpy(kept, l->v, l->n * sizeof *kept);
        e.fact = kept;
    }
    vec_release(l);
    return e;
}

/* ---- in the investigation's file ---- */

static const char *status_text(unsigned i)
{
    return statuses[i];
}

static const char *severity_text(unsigned i)
{
    return severities[i];
}

static const char *subject_text_of(unsigned i)
{
    return subjects[i];
}

static bool has_both_sides(const void *x, const struct member *m)
{
    (void)m;
    return ((const struct fact *)x)->side[1] != NULL;
}

static bool of_two_together(const void *x, const struct member *m)
{
    return !has_both_sides(x, m);
}

static const struct member fact_members[] = {
    MEMBER(TEXT, fact, what, "what"),
    MEMBER(TEXT, fact, side[0], "value", .when = of_two_together),
    MEMBER(TEXT, fact, side[0], "target", .when = has_both_sides),
    MEMBER(TEXT, fact, side[1], "golden", .when = has_both_sides),
    {.key = NULL},
};
static const struct fact fresh_fact = {"", {"", NULL}};
static const struct record fact_record = {fact_members, sizeof fresh_fact, &fresh_fact, NULL};

static bool is_first(const void *x, const struct member *m)
{
    (void)m;
    return !((const struct finding *)x)->again;
}

static bool is_finding(void *of)
{
    struct finding *x = of;
    if (x->subject == SUBJECT_COUNT) /* written before there were others */
        x->subject = *x->about[0] && *x->about[1] ? SUBJECT_PAIR : SUBJECT_ROW;
    return x->number != 0;
}

static const struct member finding_members[] = {
    MEMBER(U32, finding, number, "number"),
    MEMBER(U32, finding, step, "step"),
    MEMBER(U32, finding, place, "place"),
    MEMBER(FLAG, finding, removed, "removed", .use = MEMBER_CHANGES, .when = member_given),
    MEMBER(NAME, finding, status, "status", .use = MEMBER_CHANGES, .name = status_text, .names = FINDING_STATUSES),
    MEMBER(NAME, finding, severity, "severity", .use = MEMBER_CHANGES, .name = severity_text,
           .names = FINDING_SEVERITIES),
    MEMBER(TEXT, finding, text, "text", .use = MEMBER_KEY | MEMBER_CHANGES),
    MEMBER(TEXT, finding, author, "author", .use = MEMBER_KEY),
    MEMBER(U64, finding, time, "time", .use = MEMBER_KEY),
    MEMBER(NAME, finding, subject, "subject", .use = MEMBER_KEY, .name = subject_text_of, .names = SUBJECT_COUNT),
    MEMBER(TEXT, finding, about[0], "target", .use = MEMBER_KEY),
    MEMBER(TEXT, finding, about[1], "golden", .use = MEMBER_KEY),
    MEMBER(TEXT, finding, at, "at", .use = MEMBER_KEY, .when = member_given),
    MEMBER(U32, finding, cause, "caused_by", .use = MEMBER_REFERS, .when = member_given),
    MEMBER(ARRAY, finding, evidence, "evidence", .of = &fact_record, .when = is_first),
    MEMBER(REST, finding, rest, "", .of = &finding_record),
    {.key = NULL},
};
static const struct finding fresh_finding =
    {.text = "", .author = "", .about = {"", ""}, .at = "", .subject = SUBJECT_COUNT};
const struct record finding_record = {finding_members, sizeof fresh_finding, &fresh_finding, is_finding};

void findings_settle(struct findings *f)
{
    struct nmap first = {0}; /* number → its first version, which has the evidence */
    for (uint32_t i = 0; i < f->log.n; i++) {
        struct finding *x = &f->log.v[i];
        uint32_t at = nmap_add(&first, x->number, i);
        x->again = at != i;
        x->evidence = f->log.v[at].evidence;
    }
    nmap_release(&first);
}

void finding_json(struct jsonw *w, const struct finding *x)
{
    struct finding whole = *x;
    whole.again = false;
    jw_object(w);
    record_write(finding_members, w, &whole);
    jw_end_object(w);
}

/* The tables of an investigation's members; a new member is a row here, with its merge method. */
#include "ticket/investigation_members.h"

#include <stdio.h>

#include "ticket/merge.h"

/* ---- a side: of the investigation, and of a round that was left ---- */

#define PLACE(type, s) \
    {MEMBER(TEXT, type, input[s], "path"), \
     MEMBER(TEXT, type, full[s], "full_path", .when = member_given), \
     MEMBER(INT, type, step[s], "step", .when = member_given), \
     MEMBER(INT, type, rank[s], "rank", .when = member_given), \
     MEMBER(U64, type, state[s].bytes, "bytes", .when = member_given), \
     MEMBER(U64, type, state[s].files, "files", .when = member_with_last), \
     MEMBER(U64, type, state[s].time, "time", .when = member_with_last), \
     {.key = NULL}}
static const struct member sides[2][8] = {PLACE(investigation, TARGET), PLACE(investigation, GOLDEN)};
static const struct member round_sides[2][8] = {PLACE(round_left, TARGET), PLACE(round_left, GOLDEN)};

static const struct record round_record;
static const struct member round_members[] = {
    MEMBER(U32, round_left, number, "round"),
    MEMBER(TEXT, round_left, file, "file"),
    MEMBER(HEX, round_left, fingerprint, "fingerprint"),
    MEMBER(U64, round_left, date, "date"),
    MEMBER(TEXT, round_left, author, "author"),
    MEMBER_IN("target", round_sides[TARGET]),
    MEMBER_IN("golden", round_sides[GOLDEN]),
    MEMBER(REST, round_left, rest, "", .of = &round_record),
    {.key = NULL},
};
static const struct round_left fresh_round = {.file = "", .author = "", .step = {-1, -1}, .rank = {-1, -1}};
static const struct record round_record = {round_members, sizeof fresh_round, &fresh_round, NULL};

/* ---- decisions ---- */

static const char *decision_kind_text(unsigned kind)
{
    return decision_name((enum decision_kind)kind);
}

static bool is_of_another_decision(const void *x, const struct member *m)
{
    const struct decision *d = x;
    (void)m;
    return decision_of_another((enum decision_kind)d->kind);
}

static bool is_of_names(const void *x, const struct member *m)
{
    return !is_of_another_decision(x, m);
}

static bool is_decision(void *x)
{
    return ((const struct decision *)x)->kind != DECIDE_KINDS;
}

static const struct record decision_record;
static const struct member decision_members[] = {
    MEMBER(NAME, decision, kind, "what", .name = decision_kind_text, .names = DECIDE_KINDS),
    MEMBER(U32, decision, step, "step"),
    MEMBER(U32, decision, rule, "rule", .when = is_of_another_decision),
    MEMBER(TEXT, decision, side[TARGET], "target", .when = is_of_names),
    MEMBER(TEXT, decision, side[GOLDEN], "golden", .when = is_of_names),
    MEMBER(TEXT, decision, view, "view", .when = member_given),
    MEMBER(REST, decision, rest, "", .of = &decision_record),
    {.key = NULL},
};
static const struct decision fresh_decision = {.kind = DECIDE_KINDS, .side = {"", ""}, .view = ""};
static const struct record decision_record = {decision_members, sizeof fresh_decision, &fresh_decision, is_decision};

/* ---- lists of names ---- */

static bool has_text_name(void *x)
{
    return *((const struct named_text *)x)->name;
}

static const struct named_text fresh_text = {.name = "", .text = ""};

/* An entry of two texts, identified by the first. */
#define NAMED(id, known_by, says) \
    static const struct record id; \
    static const struct member id##_members[] = { \
        MEMBER(TEXT, named_text, name, known_by, .use = MEMBER_KEY), \
        MEMBER(TEXT, named_text, text, says, .use = MEMBER_CHANGES), \
        MEMBER(REST, named_text, rest, "", .of = &id), \
        {.key = NULL}, \
    }; \
    static const struct record id = {id##_members, sizeof fresh_text, &fresh_text, has_text_name}

NAMED(remap, "from", "to");
NAMED(filter, "name", "text");
NAMED(given, "slot", "path");
NAMED(waived, "id", "reason");
NAMED(answer, "id", "text");

static const struct record bookmark_record;
static const struct member bookmark_members[] = {
    MEMBER(TEXT, bookmark, row[TARGET], "target", .use = MEMBER_KEY),
    MEMBER(TEXT, bookmark, row[GOLDEN], "golden", .use = MEMBER_KEY),
    MEMBER(TEXT, bookmark, note, "note", .use = MEMBER_CHANGES),
    MEMBER(REST, bookmark, rest, "", .of = &bookmark_record),
    {.key = NULL},
};
static const struct bookmark fresh_bookmark = {.row = {"", ""}, .note = ""};
static const struct record bookmark_record = {bookmark_members, sizeof fresh_bookmark, &fresh_bookmark, NULL};

/* ---- limits: only what differs from the defaults, so that better defaults reach old tickets ---- */

const char *investigation_limit(const struct investigation *v, size_t i, double *value)
{
    struct thresholds fresh;
    double usual;
    const char *key = NULL;
    if (i < v->other_limits.n) {
        *value = v->other_limits.v[i].value;
        return v->other_limits.v[i].key;
    }
    i -= v->other_limits.n;
    thresholds_init(&fresh);
    for (int k = 0; (key = thresholds_key(&v->tol, k, value)); k++) {
        thresholds_key(&fresh, k, &usual);
        if ((*value < usual || *value > usual) && i-- == 0)
            return key;
    }
    return NULL;
}

static bool is_limit(const struct investigation *v, const char *key)
{
    const char *known;
    double value;
    int i = 0;
    while ((known = thresholds_key(&v->tol, i, &value)) && strcmp(known, key) != 0)
        i++;
    return known != NULL;
}

void investigation_set_limit(struct investigation *v, const char *key, double value)
{
    struct err quiet; /* a value out of range is ignored */
    char number[64];
    size_t i = 0;
    snprintf(number, sizeof number, "%.17g", value);
    if (is_limit(v, key)) {
        thresholds_set(&v->tol, str_of(key), str_of(number), &quiet);
        return;
    }
    while (i < v->other_limits.n && strcmp(v->other_limits.v[i].key, key) != 0)
        i++;
    if (i == v->other_limits.n)
        vec_push(&v->other_limits, ((struct other_limit){key, value}));
    v->other_limits.v[i].value = value;
}

static void read_limits(void *x, const cJSON *o, struct arena *a)
{
    const cJSON *it;
    struct investigation *v = x;
    cJSON_ArrayForEach(it, o) {
        struct other_limit l =
            {cJSON_IsNumber(it) && it->string ? arena_cstr(a, str_of(it->string)) : NULL, it->valuedouble};
        if (l.key && is_limit(v, l.key))
            investigation_set_limit(v, l.key, l.value);
        else if (l.key)
            vec_push(&v->other_limits, l);
    }
}

static void write_limits(struct jsonw *w, const void *x)
{
    const char *key;
    double value;
    for (size_t i = 0; (key = investigation_limit(x, i, &value)); i++)
        jw_knum(w, key, value);
}

static const struct member_own limits = {read_limits, write_limits};

/* ---- the whole ---- */

static bool is_zoomed(const void *x, const struct member *m)
{
    const struct investigation *v = x;
    (void)m;
    return v->plot.log || v->plot.to > 0;
}

static bool is_guided(const void *x, const struct member *m)
{
    const struct investigation *v = x;
    return v->given.n || v->waived.n || v->answers.n || v->panels_rest || is_zoomed(x, m);
}

static const struct member cursor_members[] = {
    MEMBER(TEXT, investigation, cursor[TARGET], "target"),
    MEMBER(TEXT, investigation, cursor[GOLDEN], "golden"),
    {.key = NULL},
};

static bool is_unfinished(const void *x, const struct member *m)
{
    const struct investigation *v = x;
    (void)m;
    return *v->typed || *v->filtered;
}

static const struct member unfinished_members[] = {
    MEMBER(TEXT, investigation, typed, "typed"),
    MEMBER(TEXT, investigation, filtered, "filters"),
    {.key = NULL},
};

static const struct member plot_members[] = {
    MEMBER(FLAG, investigation, plot.log, "log"),
    MEMBER(DOUBLE, investigation, plot.from, "from"),
    MEMBER(DOUBLE, investigation, plot.to, "to"),
    {.key = NULL},
};

#define LIST(name, field, record_, how) \
    MEMBER(LIST, investigation, field, name, .of = &record_, .when = member_given, .merge = how)

static const struct record panels;
static const struct member panel_members[] = {
    LIST("inputs", given, given, merge_entries),
    LIST("waived", waived, waived, merge_entries),
    LIST("answers", answers, answer, merge_entries),
    MEMBER_IN("plot", plot_members, .when = is_zoomed),
    MEMBER(REST, investigation, panels_rest, "", .of = &panels, .merge = merge_rest),
    {.key = NULL},
};
static const struct record panels = {.members = panel_members};

static const struct record whole;
const struct member investigation_members[] = {
    MEMBER_IN("target", sides[TARGET]), /* the sides go with the rounds */
    MEMBER_IN("golden", sides[GOLDEN]),
    MEMBER(TEXTS, investigation, maps, "maps", .merge = merge_entries),
    MEMBER(FLAG, investigation, map_only, "map_only", .merge = merge_value),
    MEMBER(FLAG, investigation, exact, "exact", .merge = merge_value),
    MEMBER(FLAG, investigation, strict_gaps, "strict_gaps", .merge = merge_value),
    MEMBER(TEXT, investigation, log_names, "log_names", .when = member_given, .merge = merge_value),
    MEMBER(TEXT, investigation, known_path, "known", .when = member_given, .merge = merge_value),
    {.key = "thresholds", .kind = MEMBER_OWN, .own = &limits, .merge = merge_limits},
    MEMBER(LIST, investigation, decisions.log, "decisions", .of = &decision_record, .merge = merge_decisions),
    MEMBER(NOW, investigation, decisions.now, "decided", .list = offsetof(struct investigation, decisions.log)),
    LIST("findings", findings.log, finding_record, merge_findings),
    MEMBER(NOW, investigation, findings.now, "found", .list = offsetof(struct investigation, findings.log),
           .when = member_given),
    LIST("rounds", rounds, round_record, merge_rounds),
    MEMBER(TEXT, investigation, continued, "continued", .when = member_given, .merge = merge_value),
    MEMBER(LIST, investigation, bookmarks, "bookmarks", .of = &bookmark_record, .merge = merge_entries),
    MEMBER_IN("cursor", cursor_members), /* the user's position, and the state of the table, */
    MEMBER(TEXT, investigation, columns, "columns", .when = member_given), /* are each one's own */
    MEMBER_IN("unfinished", unfinished_members, .when = is_unfinished),
    LIST("remaps", remaps, remap, merge_entries),
    LIST("filters", filters, filter, merge_entries),
    MEMBER_IN("panels", panel_members, .when = is_guided, .merge = merge_object),
    MEMBER(REST, investigation, rest, "", .of = &whole, .merge = merge_rest),
    {.key = NULL},
};
static const struct record whole = {.members = investigation_members};
const struct member *const investigation_left = investigation_members + 7;

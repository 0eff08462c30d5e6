/* The table of what is merged how, over the files' JSON; findings and decisions are in merge_log.c, rounds in
 * merge_rounds.c. */
#include "ticket/merge.h"

#include "base/msg.h"
#include "base/num.h"

static const cJSON *member(const cJSON *o, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(o, key);
}

const char *merge_text(const cJSON *o, const char *key)
{
    const cJSON *x = member(o, key);
    return cJSON_IsString(x) ? x->valuestring : "";
}

double merge_number(const cJSON *o, const char *key)
{
    const cJSON *x = member(o, key);
    return cJSON_IsNumber(x) ? x->valuedouble : 0;
}

static const char *kept(struct merge *m, const char *s)
{
    return arena_cstr(&m->arena, str_of(s ? s : ""));
}

void merge_add(struct merge *m, const char *what, const char *about, const char *text)
{
    struct merge_item x = {what, kept(m, about), {"", kept(m, text)}, {"", ""}};
    vec_push(&m->added, x);
}

void merge_conflict(struct merge *m, const char *what, const char *about, const char *ours, const char *theirs, const char *const row[2])
{
    struct merge_item x = {what, kept(m, about), {kept(m, ours), kept(m, theirs)}, {kept(m, row ? row[0] : ""), kept(m, row ? row[1] : "")}};
    vec_push(&m->conflicts, x);
}

cJSON *merge_array(cJSON *o, const char *key)
{
    cJSON *x = cJSON_GetObjectItemCaseSensitive(o, key);
    if (cJSON_IsArray(x))
        return x;
    cJSON_DeleteItemFromObjectCaseSensitive(o, key);
    return cJSON_AddArrayToObject(o, key);
}

int merge_now(const cJSON *o, const char *array, const char *now)
{
    int n = cJSON_GetArraySize(member(o, array));
    const cJSON *x = member(o, now);
    return cJSON_IsNumber(x) && x->valueint >= 0 && x->valueint < n ? x->valueint : n;
}

void merge_settle(cJSON *o, const char *array, const char *now)
{
    int n = merge_now(o, array, now);
    cJSON *list = merge_array(o, array);
    while (cJSON_GetArraySize(list) > n)
        cJSON_DeleteItemFromArray(list, n);
}

void merge_set_now(cJSON *o, const char *array, const char *now)
{
    cJSON_DeleteItemFromObjectCaseSensitive(o, now);
    cJSON_AddNumberToObject(o, now, cJSON_GetArraySize(member(o, array)));
}

/* ---- the plain kinds ---- */

struct merge_kind {
    const char *path;   /* member of the investigation; of its panels behind a point */
    void (*merge)(struct merge *m, const struct merge_kind *k, cJSON *ours, const cJSON *theirs);
    const char *key[2]; /* of a list: the members by which entries are the same thing */
    const char *value;  /* of a list: what the entry says, for people; NULL: nothing else */
};

static char *print(const cJSON *v)
{
    return v ? cJSON_PrintUnformatted(v) : NULL;
}

/* The text of a value for people: a string without its quotes. */
static const char *shown(struct merge *m, const cJSON *v)
{
    char *text = cJSON_IsString(v) ? NULL : print(v);
    const char *s = kept(m, cJSON_IsString(v) ? v->valuestring : text);
    cJSON_free(text);
    return s;
}

static const cJSON *find_entry(const cJSON *list, const struct merge_kind *k, const cJSON *x)
{
    const cJSON *it;
    cJSON_ArrayForEach(it, list) {
        bool same = k->key[0] ? true : cJSON_Compare(it, x, true) != 0;
        for (int i = 0; i < 2 && k->key[0] && same; i++)
            same = !k->key[i] || strcmp(merge_text(it, k->key[i]), merge_text(x, k->key[i])) == 0;
        if (same)
            return it;
    }
    return NULL;
}

static const char *entry_name(struct merge *m, const struct merge_kind *k, const cJSON *x)
{
    if (!k->key[0])
        return shown(m, x);
    const char *a = merge_text(x, k->key[0]), *b = k->key[1] ? merge_text(x, k->key[1]) : "";
    return arena_fmt(&m->arena, "%s%s%s", a, *a && *b ? " ↔ " : "", b);
}

/* Entries are added; of one that both have differently, one stays. */
static void merge_entries(struct merge *m, const struct merge_kind *k, cJSON *ours, const cJSON *theirs)
{
    const char *name = strrchr(k->path, '.') ? strrchr(k->path, '.') + 1 : k->path;
    const cJSON *more = member(theirs, name), *it;
    if (!cJSON_IsArray(more) || !more->child)
        return;
    cJSON *list = merge_array(ours, name);
    cJSON_ArrayForEach(it, more) {
        const cJSON *mine = find_entry(list, k, it);
        if (mine && (cJSON_Compare(mine, it, true) || !k->value)) {
            m->same++;
        } else if (!mine) {
            cJSON_AddItemToArray(list, cJSON_Duplicate(it, true));
            merge_add(m, k->path, entry_name(m, k, it), k->value ? merge_text(it, k->value) : "");
        } else {
            merge_conflict(m, k->path, entry_name(m, k, it), merge_text(mine, k->value), merge_text(it, k->value), NULL);
            if (m->choice == MERGE_THEIRS)
                cJSON_ReplaceItemViaPointer(list, (cJSON *)mine, cJSON_Duplicate(it, true));
        }
    }
}

/* One value, or an object of them. What has none (false, an empty text) says nothing against one that has. */
static bool says_nothing(const cJSON *v)
{
    return !v || cJSON_IsNull(v) || cJSON_IsFalse(v) || (cJSON_IsString(v) && !*v->valuestring) || (cJSON_IsObject(v) && !v->child) || (cJSON_IsArray(v) && !v->child);
}

static void merge_value(struct merge *m, const struct merge_kind *k, cJSON *ours, const cJSON *theirs)
{
    const cJSON *mine = member(ours, k->path), *other = member(theirs, k->path);
    if (says_nothing(other))
        return;
    if (mine && cJSON_Compare(mine, other, true)) {
        m->same++;
        return;
    }
    bool conflict = !says_nothing(mine);
    if (conflict)
        merge_conflict(m, k->path, k->path, shown(m, mine), shown(m, other), NULL);
    else
        merge_add(m, k->path, k->path, shown(m, other));
    if (conflict && m->choice != MERGE_THEIRS)
        return;
    cJSON_DeleteItemFromObjectCaseSensitive(ours, k->path);
    cJSON_AddItemToObject(ours, k->path, cJSON_Duplicate(other, true));
}

static void merge_values(struct merge *m, const struct merge_kind *k, cJSON *ours, const cJSON *theirs)
{
    const cJSON *more = member(theirs, k->path), *it;
    if (!cJSON_IsObject(more) || !more->child)
        return;
    if (!cJSON_IsObject(member(ours, k->path))) {
        cJSON_DeleteItemFromObjectCaseSensitive(ours, k->path);
        cJSON_AddObjectToObject(ours, k->path);
    }
    cJSON *mine = cJSON_GetObjectItemCaseSensitive(ours, k->path);
    cJSON_ArrayForEach(it, more) {
        const cJSON *own = it->string ? member(mine, it->string) : NULL;
        if (!it->string || (own && cJSON_Compare(own, it, true))) {
            m->same += it->string != NULL;
            continue;
        }
        if (own)
            merge_conflict(m, k->path, it->string, shown(m, own), shown(m, it), NULL);
        else
            merge_add(m, k->path, it->string, shown(m, it));
        if (own && m->choice != MERGE_THEIRS)
            continue;
        cJSON_DeleteItemFromObjectCaseSensitive(mine, it->string);
        cJSON_AddItemToObject(mine, it->string, cJSON_Duplicate(it, true));
    }
}

/* The place one was at, and how the table looked: each their own. */
static void keep_ours(struct merge *m, const struct merge_kind *k, cJSON *ours, const cJSON *theirs)
{
    (void)m, (void)k, (void)ours, (void)theirs;
}

static void with_findings(struct merge *m, const struct merge_kind *k, cJSON *ours, const cJSON *theirs)
{
    (void)k;
    merge_findings(m, ours, theirs);
}

static void with_decisions(struct merge *m, const struct merge_kind *k, cJSON *ours, const cJSON *theirs)
{
    (void)k;
    merge_decisions(m, ours, theirs);
}

static void with_rounds(struct merge *m, const struct merge_kind *k, cJSON *ours, const cJSON *theirs)
{
    (void)k;
    merge_rounds(m, ours, theirs);
}

static void with_panels(struct merge *m, const struct merge_kind *k, cJSON *ours, const cJSON *theirs)
{
    static const struct merge_kind of_panels[] = {
        {"panels.inputs", merge_entries, {"slot", NULL}, "path"},
        {"panels.waived", merge_entries, {"id", NULL}, "reason"},
        {"panels.answers", merge_entries, {"id", NULL}, "text"},
    };
    const cJSON *more = member(theirs, k->path);
    if (!cJSON_IsObject(more))
        return;
    if (!cJSON_IsObject(member(ours, k->path))) {
        cJSON_DeleteItemFromObjectCaseSensitive(ours, k->path);
        cJSON_AddObjectToObject(ours, k->path);
    }
    for (size_t i = 0; i < ARRAY_LEN(of_panels); i++)
        merge_entries(m, &of_panels[i], cJSON_GetObjectItemCaseSensitive(ours, k->path), more);
}

static const struct merge_kind kinds[] = {
    {"target", keep_ours, {NULL, NULL}, NULL}, /* looked at by merge_one_history; they go with the rounds */
    {"golden", keep_ours, {NULL, NULL}, NULL},
    {"maps", merge_entries, {NULL, NULL}, NULL},
    {"map_only", merge_value, {NULL, NULL}, NULL},
    {"exact", merge_value, {NULL, NULL}, NULL},
    {"strict_gaps", merge_value, {NULL, NULL}, NULL},
    {"known", merge_value, {NULL, NULL}, NULL},
    {"thresholds", merge_values, {NULL, NULL}, NULL},
    {"decisions", with_decisions, {NULL, NULL}, NULL},
    {"decided", keep_ours, {NULL, NULL}, NULL}, /* goes with the decisions */
    {"findings", with_findings, {NULL, NULL}, NULL},
    {"found", keep_ours, {NULL, NULL}, NULL},
    {"bookmarks", merge_entries, {"target", "golden"}, "note"},
    {"cursor", keep_ours, {NULL, NULL}, NULL},
    {"columns", keep_ours, {NULL, NULL}, NULL},
    {"remaps", merge_entries, {"from", NULL}, "to"},
    {"filters", merge_entries, {"name", NULL}, "text"},
    {"rounds", with_rounds, {NULL, NULL}, NULL},
    {"panels", with_panels, {NULL, NULL}, NULL},
};

/* What no row tells of: a list gets what it lacks, anything else is a value. */
static void merge_unknown(struct merge *m, cJSON *ours, const cJSON *theirs)
{
    const cJSON *it;
    cJSON_ArrayForEach(it, theirs) {
        bool known = !it->string;
        for (size_t i = 0; i < ARRAY_LEN(kinds) && !known; i++)
            known = strcmp(kinds[i].path, it->string) == 0;
        if (known)
            continue;
        struct merge_kind k = {.path = it->string};
        (cJSON_IsArray(it) ? merge_entries : merge_value)(m, &k, ours, theirs);
    }
}

#define MOST 10000 /* of anything: what is compared all with all may not be more */

static int check_counts(const cJSON *v, const char *which, struct err *e)
{
    for (; v; v = v->next) {
        int n = 0;
        for (const cJSON *it = v->child; it; it = it->next)
            n++;
        if (n > MOST)
            return err_set(e, ERR_DATA, _("%s: \"%s\" has %d entries; at most %d are merged"), which, v->string ? v->string : "", n, MOST);
        if (check_counts(v->child, which, e))
            return -1;
    }
    return 0;
}

static cJSON *inner(const cJSON *file, const char *which, struct err *e)
{
    cJSON *o = cJSON_GetObjectItemCaseSensitive(file, "investigation");
    if (!cJSON_IsObject(o))
        err_set(e, ERR_DATA, _("%s: not an investigation: \"schema\" and \"investigation\" were expected"), which);
    return cJSON_IsObject(o) ? o : NULL;
}

int merge_investigations(struct merge *m, cJSON *ours, const cJSON *theirs, struct err *e)
{
    cJSON *a = inner(ours, m->name[0], e);
    const cJSON *b = a ? inner(theirs, m->name[1], e) : NULL;
    if (!a || !b || check_counts(a->child, m->name[0], e) || check_counts(b->child, m->name[1], e) || merge_one_history(m, a, b, e))
        return -1;
    int mine = cJSON_GetArraySize(member(a, "rounds")), other = cJSON_GetArraySize(member(b, "rounds"));
    cJSON *older = other < mine ? cJSON_Duplicate(b, true) : NULL;
    if (mine < other)
        merge_age_answers(a, mine + 1);
    if (older)
        merge_age_answers(older, other + 1);
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        kinds[i].merge(m, &kinds[i], a, older ? older : b);
    merge_unknown(m, a, b);
    cJSON_Delete(older);
    if (m->choice == MERGE_ASK && m->conflicts.n)
        merge_note_conflicts(m, a);
    return 0;
}

void merge_release(struct merge *m)
{
    vec_release(&m->added);
    vec_release(&m->conflicts);
    vec_release(&m->rounds);
    arena_release(&m->arena);
}

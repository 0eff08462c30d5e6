/* Merges two investigations member by member, by the table of investigation_members.c: lists, values, limits, and
 * members that no table lists; findings and decisions are in merge_log.c, rounds in merge_rounds.c. */
#include "ticket/merge.h"

#include <limits.h>

#include <cjson/cJSON.h>

#include "base/json_tree.h"
#include "base/msg.h"
#include "base/num.h"
#include "ticket/investigation_members.h"

#define MOST 10000 /* of any kind: entries are compared pairwise, so there must not be more */

static const char *keep_merge_text(struct merge *m, const char *s)
{
    return arena_cstr(&m->arena, str_of(s ? s : ""));
}

void merge_add(struct merge *m, const char *what, const char *about, const char *text)
{
    struct merge_item x = {
        keep_merge_text(m, what), keep_merge_text(m, about), {"", keep_merge_text(m, text)}, {"", ""}};
    vec_push(&m->added, x);
}

void merge_conflict(struct merge *m, const char *what, const char *about, const char *ours, const char *theirs,
                    const char *const row[2])
{
    struct merge_item x = {
        keep_merge_text(m, what), keep_merge_text(m, about), {keep_merge_text(m, ours), keep_merge_text(m, theirs)},
        {keep_merge_text(m, row ? row[0] : ""), keep_merge_text(m, row ? row[1] : "")}};
    vec_push(&m->conflicts, x);
}

/* An entry that both may have: whether theirs replaces ours. */
static bool theirs_replaces(struct merge *m, const char *what, const char *about, const char *ours, const char *theirs)
{
    if (ours)
        merge_conflict(m, what, about, ours, theirs, NULL);
    else
        merge_add(m, what, about, theirs);
    return !ours || m->choice == MERGE_THEIRS;
}

static const char *member_path(struct merge *m, const char *key)
{
    return m->within ? arena_fmt(&m->arena, "%s.%s", m->within, key) : key;
}

static const char *merge_member_text(const struct member *m, const void *x)
{
    return *(const char *const *)member_at(x, m);
}

/* ---- entries ---- */

static bool same_texts(const char *a, const char *b)
{
    return strcmp(*(const char *const *)(const void *)a, *(const char *const *)(const void *)b) == 0;
}

/* Appends the non-empty texts of an entry's members with that use. */
static const char *entry_text(struct merge *m, const struct member *row, unsigned use, const char *entry)
{
    const char *s = row->of ? "" : *(const char *const *)(const void *)entry;
    for (const struct member *x = row->of ? row->of->members : NULL; x && x->key; x++)
        if (x->use & use && *merge_member_text(x, entry))
            s = arena_fmt(&m->arena, "%s%s%s", s, *s ? " ↔ " : "", merge_member_text(x, entry));
    return s;
}

static char *find_entry(const struct member *row, struct member_list l, size_t size, const char *entry)
{
    for (size_t i = 0; i < l.n; i++) {
        char *own = l.v + i * size;
        if (row->of ? record_same(row->of->members, MEMBER_KEY, own, entry) : same_texts(own, entry))
            return own;
    }
    return NULL;
}

void merge_entries(struct merge *m, const struct member *row, void *ours, const void *theirs)
{
    struct member_list more = member_list(theirs, row);
    size_t size = row->of ? row->of->size : sizeof(const char *);
    const char *what = member_path(m, row->key);
    for (size_t i = 0; i < more.n; i++) {
        const char *x = more.v + i * size, *says = row->of ? entry_text(m, row, MEMBER_CHANGES, x) : "";
        char *own = find_entry(row, member_list(ours, row), size, x);
        if (own && (!row->of || record_same(row->of->members, 0, own, x))) {
            m->same++;
            continue;
        }
        if (!theirs_replaces(m, what, entry_text(m, row, MEMBER_KEY, x),
                             own ? entry_text(m, row, MEMBER_CHANGES, own) : NULL, says))
            continue;
        if (own)
            memcpy(own, x, size);
        else
            member_push(ours, row, x);
    }
}

/* ---- values ---- */

void merge_value(struct merge *m, const struct member *row, void *ours, const void *theirs)
{
    bool text = row->kind == MEMBER_TEXT;
    if (!member_given(theirs, row))
        return;
    if (record_same((const struct member[]){*row, {.key = NULL}}, 0, ours, theirs)) {
        m->same++;
        return;
    }
    const char *own = text && member_given(ours, row) ? merge_member_text(row, ours) : NULL;
    if (theirs_replaces(m, row->key, row->key, own, text ? merge_member_text(row, theirs) : "true"))
        memcpy(member_at(ours, row), member_at(theirs, row), text ? sizeof(const char *) : sizeof(bool));
}

void merge_limits(struct merge *m, const struct member *row, void *ours, const void *theirs)
{
    const char *key, *own;
    char number[2][NUM_MAX];
    double value, mine;
    for (size_t i = 0; (key = investigation_limit(theirs, i, &value)); i++) {
        size_t k = 0;
        while ((own = investigation_limit(ours, k, &mine)) && strcmp(own, key) != 0)
            k++;
        if (own && !(mine < value || mine > value))
            m->same++;
        else if (theirs_replaces(m, row->key, key, own ? num_exact(number[0], mine) : NULL,
                                 num_exact(number[1], value)))
            investigation_set_limit(ours, key, value);
    }
}

static void merge_members(struct merge *m, const struct member *table, void *ours, const void *theirs)
{
    for (const struct member *row = table; row->key; row++)
        if (row->merge)
            row->merge(m, row, ours, theirs);
}

void merge_object(struct merge *m, const struct member *row, void *ours, const void *theirs)
{
    m->within = row->key;
    merge_members(m, row->members, ours, theirs);
    m->within = NULL;
}

/* ---- what this version does not know: JSON, as it was read ---- */

static const char *merge_value_text(struct merge *m, const cJSON *v)
{
    char *text = v && !cJSON_IsString(v) ? cJSON_PrintUnformatted(v) : NULL;
    const char *s = keep_merge_text(m, cJSON_IsString(v) ? v->valuestring : text);
    cJSON_free(text);
    return s;
}

static bool has_entry(const cJSON *list, const cJSON *x)
{
    const cJSON *it;
    cJSON_ArrayForEach(it, list)
        if (cJSON_Compare(it, x, true))
            return true;
    return false;
}

static void merge_array(struct merge *m, cJSON *mine, const cJSON *more)
{
    const cJSON *it;
    cJSON_ArrayForEach(it, more) {
        if (has_entry(mine, it)) {
            m->same++;
        } else {
            cJSON_AddItemToArray(mine, cJSON_Duplicate(it, true));
            merge_add(m, member_path(m, more->string), merge_value_text(m, it), "");
        }
    }
}

static bool is_empty_value(const cJSON *v)
{
    return !v || cJSON_IsNull(v) || cJSON_IsFalse(v) || (cJSON_IsString(v) && !*v->valuestring) ||
           ((cJSON_IsObject(v) || cJSON_IsArray(v)) && !v->child);
}

static bool is_short_list(const cJSON *v)
{
    return cJSON_IsArray(v) && cJSON_GetArraySize(v) <= MOST;
}

static void merge_unknown(struct merge *m, cJSON *ours, const cJSON *other)
{
    cJSON *mine = json_member(ours, other->string);
    const char *what = member_path(m, other->string);
    if (is_short_list(other) && is_short_list(mine))
        merge_array(m, mine, other);
    else if (mine && cJSON_Compare(mine, other, true))
        m->same += !is_empty_value(other);
    else if (!is_empty_value(other) &&
             theirs_replaces(m, what, what, is_empty_value(mine) ? NULL : merge_value_text(m, mine),
                             merge_value_text(m, other))) {
        cJSON_DeleteItemFromObjectCaseSensitive(ours, other->string);
        cJSON_AddItemToObject(ours, other->string, cJSON_Duplicate(other, true));
    }
}

void merge_rest(struct merge *m, const struct member *row, void *ours, const void *theirs)
{
    const char **own = member_at(ours, row);
    cJSON *more = merge_member_text(row, theirs) ? cJSON_Parse(merge_member_text(row, theirs)) : NULL;
    cJSON *mine = *own ? cJSON_Parse(*own) : NULL;
    if (more && !mine)
        mine = cJSON_CreateObject();
    for (const cJSON *it = more ? more->child : NULL; it; it = it->next)
        merge_unknown(m, mine, it);
    if (more)
        *own = arena_cstr(&((struct investigation *)ours)->arena, str_of(merge_value_text(m, mine)));
    cJSON_Delete(more);
    cJSON_Delete(mine);
}

/* ---- the two ---- */

struct most {
    const char *key;
    size_t n;
};

static void find_longest_list(void *ctx, const struct member *m, void *x)
{
    struct most *most = ctx;
    size_t n = member_list(x, m).n;
    if (n > most->n)
        *most = (struct most){m->key, n};
}

static int check_counts(struct investigation *v, const char *name, struct err *e)
{
    struct most most = {"thresholds", v->other_limits.n};
    record_each(investigation_members, v, find_longest_list, &most);
    return most.n > MOST ? err_set(e, ERR_DATA, _("%s: \"%s\" has %d entries; at most %d are merged"), name, most.key,
                                   most.n > INT_MAX ? INT_MAX : (int)most.n, MOST)
                         : 0;
}

int merge_investigations(struct merge *m, struct investigation *ours, struct investigation *theirs, struct err *e)
{
    if (check_counts(ours, m->name[0], e) || check_counts(theirs, m->name[1], e) ||
        merge_one_history(m, ours, theirs, e))
        return -1;
    if (ours->rounds.n < theirs->rounds.n)
        investigation_age_answers(ours, (uint32_t)ours->rounds.n + 1);
    if (theirs->rounds.n < ours->rounds.n)
        investigation_age_answers(theirs, (uint32_t)theirs->rounds.n + 1);
    merge_members(m, investigation_members, ours, theirs);
    if (m->choice == MERGE_ASK && m->conflicts.n)
        merge_note_conflicts(m, ours);
    return 0;
}

void merge_release(struct merge *m)
{
    vec_release(&m->added);
    vec_release(&m->conflicts);
    vec_release(&m->rounds);
    arena_release(&m->arena);
}

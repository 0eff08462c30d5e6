/* Merging histories: two investigations have one where the rounds of the shorter are the first of the longer's. The longer
 * one is what goes on: its inputs, its rounds. What the shorter one's person answered was about a round that is left by now. */
#include <stdio.h>

#include "base/msg.h"
#include "ticket/merge.h"
#include "ticket/round_file.h"

static const cJSON *member(const cJSON *o, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(o, key);
}

static int rounds_left(const cJSON *o)
{
    return cJSON_GetArraySize(member(o, "rounds"));
}

static const char *where(const cJSON *side)
{
    const char *full = merge_text(side, "full_path");
    return *full ? full : merge_text(side, "path");
}

static bool differs(const cJSON *a, const cJSON *b, const char *key)
{
    const cJSON *x = member(a, key), *y = member(b, key);
    return cJSON_IsNumber(x) && cJSON_IsNumber(y) && !cJSON_Compare(x, y, true);
}

/* x, y: who compared what in one round, "target" and "golden" of each. */
static int same_sides(const cJSON *x, const cJSON *y, struct err *e)
{
    static const char *const sides[] = {"target", "golden"}, *const counts[] = {"bytes", "files", "time", "step", "rank"};
    for (int s = 0; s < 2; s++) {
        const cJSON *a = member(x, sides[s]), *b = member(y, sides[s]);
        if (strcmp(where(a), where(b)) != 0)
            return err_set(e, ERR_USAGE, _("the two are not about the same inputs: the %s is %s in one and %s in the other; --force merges them all the same"),
                           s ? _("golden") : _("target"), *where(a) ? where(a) : "-", *where(b) ? where(b) : "-");
        for (size_t i = 0; i < ARRAY_LEN(counts); i++)
            if (differs(a, b, counts[i]))
                return err_set(e, ERR_USAGE, _("the two are not about the same inputs: of the %s (%s) %s is %.0f in one and %.0f in the other; --force merges them all the same"),
                               s ? _("golden") : _("target"), where(a), counts[i], merge_number(a, counts[i]), merge_number(b, counts[i]));
    }
    return 0;
}

/* Both may have left the same round, each with a file of their own: what was compared in it decides. */
static bool same_round(const cJSON *x, const cJSON *y)
{
    struct err quiet;
    const char *a = merge_text(x, "fingerprint"), *b = merge_text(y, "fingerprint");
    return (*a && strcmp(a, b) == 0) || same_sides(x, y, &quiet) == 0;
}

int merge_one_history(const struct merge *m, const cJSON *ours, const cJSON *theirs, struct err *e)
{
    const cJSON *a = cJSON_GetArrayItem(member(ours, "rounds"), 0), *b = cJSON_GetArrayItem(member(theirs, "rounds"), 0);
    int n = 0;
    for (; a && b; a = a->next, b = b->next) {
        n++;
        if (!same_round(a, b))
            return err_set(e, ERR_USAGE, _("the two have gone different ways: round %d is of %s in %s and of %s in %s; only one history can go on, so they are not merged"),
                           n, where(member(a, "target")), m->name[0], where(member(b, "target")), m->name[1]);
    }
    if (m->force)
        return 0;
    if (same_sides(a ? a : ours, b ? b : theirs, e) == 0)
        return 0;
    if (a || b || n)
        err_prefix(e, _("round %d"), n + 1);
    return -1;
}

void merge_age_answers(cJSON *o, int round)
{
    static const char *const names[] = {"first-deviation", "confirmed"}; /* as investigation_next_round has them */
    cJSON *it;
    cJSON_ArrayForEach(it, cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(o, "panels"), "answers"))
        for (size_t i = 0; i < ARRAY_LEN(names); i++)
            if (strcmp(merge_text(it, "id"), names[i]) == 0) {
                char aside[64];
                snprintf(aside, sizeof aside, "%s@%d", names[i], round);
                cJSON_ReplaceItemInObjectCaseSensitive(it, "id", cJSON_CreateString(aside));
                break;
            }
}

static void note_file(struct merge *m, int side, const cJSON *x)
{
    struct merge_round r = {side, arena_cstr(&m->arena, str_of(merge_text(x, "file"))), arena_cstr(&m->arena, str_of(merge_text(x, "fingerprint")))};
    vec_push(&m->rounds, r);
}

void merge_rounds(struct merge *m, cJSON *ours, const cJSON *theirs)
{
    static const char *const sides[] = {"target", "golden"};
    int mine = rounds_left(ours), other = rounds_left(theirs), n = 0;
    const cJSON *it;
    cJSON_ArrayForEach(it, member(ours, "rounds"))
        note_file(m, 0, it);
    m->same += (size_t)(mine < other ? mine : other);
    if (other <= mine)
        return;
    cJSON *list = merge_array(ours, "rounds");
    cJSON_ArrayForEach(it, member(theirs, "rounds"))
        if (n++ >= mine) {
            note_file(m, 1, it);
            cJSON_AddItemToArray(list, cJSON_Duplicate(it, true));
        }
    for (int s = 0; s < 2; s++) {
        cJSON_DeleteItemFromObjectCaseSensitive(ours, sides[s]);
        if (member(theirs, sides[s]))
            cJSON_AddItemToObject(ours, sides[s], cJSON_Duplicate(member(theirs, sides[s]), true));
    }
    merge_add(m, "rounds", arena_fmt(&m->arena, _("it goes on in round %d"), other + 1), merge_text(member(theirs, "target"), "path"));
}

void merge_name_rounds(cJSON *file, const char *name)
{
    cJSON *it, *list = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(file, "investigation"), "rounds");
    int n = 0;
    struct buf b = {0};
    cJSON_ArrayForEach(it, list) {
        buf_clear(&b);
        buf_fmt(&b, "%s.round-%d" ROUND_ENDING, name, ++n);
        cJSON_DeleteItemFromObjectCaseSensitive(it, "file");
        cJSON_AddStringToObject(it, "file", b.p);
    }
    buf_release(&b);
}

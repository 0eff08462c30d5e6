/* Puts the results of shares together: ranks and rows behind each other, counts added, the earliest first deviation. */
#include "report/job_merge.h"

#include "base/msg.h"

#define NAMES_MOST 100000
#define FILE_MOST (1u << 30)

static bool is_share(const char *name)
{
    return str_starts(str_of(name), "worker-") && str_ends(str_of(name), ".ranks.json");
}

/* Paths of the files, in the order of workers. */
static int list_files(const char *path, name_list *out, struct err *e)
{
    name_list names = {0};
    if (path_is_file(path)) {
        vec_push(out, mem_strdup(path));
        return 0;
    }
    if (dir_list(path, NAMES_MOST, &names, e))
        return -1;
    for (size_t i = 0; i < names.n; i++)
        if (is_share(names.v[i])) {
            struct buf at = {0};
            path_join(&at, path, names.v[i]);
            vec_push(out, mem_strdup(at.p));
            buf_release(&at);
        }
    name_list_release(&names);
    return 0;
}

bool job_files_there(const char *path)
{
    name_list l = {0};
    struct err quiet;
    if (path_is_file(path))
        return str_ends(str_of(path), ".ranks.json");
    bool there = path_is_dir(path) && list_files(path, &l, &quiet) == 0 && l.n > 0;
    name_list_release(&l);
    return there;
}

static cJSON *get(const cJSON *o, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(o, key);
}

static int number(const cJSON *o, const char *key)
{
    const cJSON *v = get(o, key);
    return cJSON_IsNumber(v) ? v->valueint : -1;
}

/* Members of lists of the same name go over into the first result's. */
static void append(cJSON *all, cJSON *one, const char *key)
{
    cJSON *to = get(all, key), *from = get(one, key);
    while (to && from && from->child)
        cJSON_AddItemToArray(to, cJSON_DetachItemViaPointer(from, from->child));
}

static void add_counts(cJSON *to, const cJSON *from)
{
    for (cJSON *v = to ? to->child : NULL; v; v = v->next) {
        const cJSON *o = get(from, v->string);
        if (cJSON_IsNumber(v) && cJSON_IsNumber(o) && !str_starts(str_of(v->string), "collectives") &&
            !str_starts(str_of(v->string), "replicas"))
            cJSON_SetNumberHelper(v, v->valuedouble + o->valuedouble);
        else if (cJSON_IsObject(v) && strcmp(v->string, "paired_by") == 0)
            add_counts(v, o);
    }
    for (const cJSON *o = from ? from->child : NULL; o; o = o->next) /* kinds of pairs only this one has */
        if (to && !get(to, o->string))
            cJSON_AddItemToObject(to, o->string, cJSON_Duplicate(o, true));
}

/* Covered calls over all: each share brings both counts. */
static void set_coverage(cJSON *all)
{
    static const char *const side[] = {"target", "golden"};
    cJSON *coverage = get(get(all, "summary"), "coverage"), *share = get(all, "share");
    for (int s = 0; s < 2; s++) {
        const cJSON *covered = get(get(share, "covered"), side[s]), *compute = get(get(share, "compute"), side[s]);
        cJSON *v = get(coverage, side[s]);
        if (v && covered && compute)
            cJSON_SetNumberHelper(v, compute->valuedouble > 0 ? covered->valuedouble / compute->valuedouble : 0);
    }
}

static bool earlier(const cJSON *a, const cJSON *b)
{
    static const char *const keys[] = {"step", "order", "rank"};
    if (!cJSON_IsObject(a) || !cJSON_IsObject(b))
        return cJSON_IsObject(a);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (number(a, keys[i]) != number(b, keys[i]))
            return number(a, keys[i]) < number(b, keys[i]);
    return false;
}

static bool has_rank(const cJSON *list, const cJSON *place)
{
    for (const cJSON *v = list ? list->child : NULL; v; v = v->next)
        if (number(v, "step") == number(place, "step") && number(v, "rank") == number(place, "rank"))
            return true;
    return false;
}

static void replace(cJSON *all, cJSON *one, const char *key)
{
    cJSON *v = cJSON_DetachItemFromObjectCaseSensitive(one, key);
    if (v)
        cJSON_ReplaceItemInObjectCaseSensitive(all, key, v);
}

static bool same_place(const cJSON *a, const cJSON *b)
{
    return cJSON_IsObject(a) && cJSON_IsObject(b) && number(a, "step") == number(b, "step") &&
           number(a, "order") == number(b, "order");
}

static bool has_text(const cJSON *list, const cJSON *text)
{
    for (const cJSON *v = list ? list->child : NULL; v; v = v->next)
        if (cJSON_Compare(v, text, true))
            return true;
    return false;
}

/* Each once. */
static void append_warnings(cJSON *all, cJSON *one)
{
    cJSON *to = get(all, "warnings"), *from = get(one, "warnings");
    for (cJSON *v = from ? from->child : NULL, *next; v && to; v = next) {
        next = v->next;
        if (!has_text(to, v))
            cJSON_AddItemToArray(to, cJSON_DetachItemViaPointer(from, v));
    }
}

static void merge(cJSON *all, cJSON *one)
{
    cJSON *ranks = get(get(all, "first"), "ranks");
    if (ranks && same_place(get(all, "first"), get(one, "first")) &&
        number(get(all, "first"), "rank") < number(get(one, "first"), "rank"))
        append(get(all, "first"), get(one, "first"), "ranks");
    add_counts(get(all, "summary"), get(one, "summary"));
    add_counts(get(get(all, "share"), "compute"), get(get(one, "share"), "compute"));
    add_counts(get(get(all, "share"), "covered"), get(get(one, "share"), "covered"));
    if (earlier(get(one, "first"), get(all, "first"))) {
        replace(all, one, "first");
        replace(all, one, "first_deviation");
        cJSON *strip = cJSON_DetachItemFromObjectCaseSensitive(get(one, "strip"), "first");
        if (strip)
            cJSON_ReplaceItemInObjectCaseSensitive(get(all, "strip"), "first", strip);
    }
    cJSON *status = get(get(all, "parts"), "status");
    if (status && number(get(one, "parts"), "status") != 0) /* 1 is what `first` says */
        cJSON_SetNumberHelper(status, 5);
    append(all, one, "ranks");
    append(all, one, "rows");
    append_warnings(all, one);
    append(get(all, "strip"), get(one, "strip"), "ranks");
}

static int by_place(const cJSON *a, const cJSON *b)
{
    static const char *const keys[] = {"step", "rank"};
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (number(a, keys[i]) != number(b, keys[i]))
            return number(a, keys[i]) < number(b, keys[i]) ? -1 : 1;
    return 0;
}

/* A stable order by step and rank, whichever worker did them. */
static void sort_places(cJSON *list)
{
    cJSON *sorted = cJSON_CreateArray();
    while (list && list->child) {
        cJSON *first = list->child;
        for (cJSON *v = first; v; v = v->next)
            if (by_place(v, first) < 0)
                first = v;
        cJSON_AddItemToArray(sorted, cJSON_DetachItemViaPointer(list, first));
    }
    while (list && sorted->child)
        cJSON_AddItemToArray(list, cJSON_DetachItemViaPointer(sorted, sorted->child));
    cJSON_Delete(sorted);
}

/* What no share has done. */
static void set_parts(cJSON *all)
{
    cJSON *parts = get(all, "parts"), *missing = get(parts, "missing"), *ranks = get(all, "ranks");
    for (cJSON *v = missing ? missing->child : NULL, *next; v; v = next) {
        next = v->next;
        if (has_rank(ranks, v))
            cJSON_Delete(cJSON_DetachItemViaPointer(missing, v));
    }
    cJSON *done = get(parts, "done");
    if (done)
        cJSON_SetNumberHelper(done, cJSON_GetArraySize(ranks));
    sort_places(ranks);
    sort_places(get(get(all, "strip"), "ranks"));
}

/* ---- reading one ---- */

static bool is_list_of(const cJSON *list, cJSON_bool (*is)(const cJSON *))
{
    if (!cJSON_IsArray(list))
        return false;
    for (const cJSON *v = list->child; v; v = v->next)
        if (!is(v))
            return false;
    return true;
}

static bool has_numbers(const cJSON *o, const char *const *key, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!cJSON_IsNumber(get(o, key[i])))
            return false;
    return true;
}

/* What is added, sorted by or shown is what it should be; rows are passed on as they are. */
static bool is_result(const cJSON *o)
{
    static const char *const where[] = {"step", "order", "rank"}, *const counts[] = {"done", "of"};
    const cJSON *first = get(o, "first"), *parts = get(o, "parts"), *strip = get(o, "strip");
    bool deviates = has_numbers(first, where, ARRAY_LEN(where)) && cJSON_IsString(get(first, "call")) &&
                    cJSON_IsString(get(first, "sentence")) && is_list_of(get(first, "ranks"), cJSON_IsNumber);
    bool of_sides = cJSON_IsString(get(get(o, "target"), "path")) && cJSON_IsString(get(get(o, "golden"), "path"));
    return (deviates || cJSON_IsNull(first)) && of_sides &&
           has_numbers(parts, counts, ARRAY_LEN(counts)) && is_list_of(get(parts, "missing"), cJSON_IsObject) &&
           is_list_of(get(o, "ranks"), cJSON_IsObject) && is_list_of(get(o, "rows"), cJSON_IsObject) &&
           is_list_of(get(o, "warnings"), cJSON_IsString) && cJSON_IsObject(get(o, "summary")) &&
           cJSON_IsObject(strip) && is_list_of(get(strip, "ranks"), cJSON_IsObject);
}

static cJSON *load_result(const char *path, struct err *e)
{
    cJSON *one = json_load(path, FILE_MOST, e);
    if (!one || is_result(one))
        return one;
    cJSON_Delete(one);
    err_set(e, ERR_DATA, _("%s: expected the result of a comparison of ranks (*.ranks.json)"), path);
    return NULL;
}

/* One that belongs to the others: of the same inputs, and of pairs that none of them has. */
static int check_beside(const cJSON *all, const cJSON *one, const char *path, struct err *e)
{
    static const char *const side[] = {"target", "golden"};
    for (int s = 0; s < 2; s++) {
        const cJSON *a = get(get(all, side[s]), "path"), *b = get(get(one, side[s]), "path");
        if (strcmp(a->valuestring, b->valuestring) != 0)
            return err_set(e, ERR_DATA, _("%s is a result of %s, the others are of %s"), path, b->valuestring,
                           a->valuestring);
    }
    for (const cJSON *v = get(one, "ranks")->child; v; v = v->next)
        if (has_rank(get(all, "ranks"), v))
            return err_set(e, ERR_DATA,
                           _("%s holds step %d rank %d, and so does another of these results: remove those that are no "
                             "longer meant"),
                           path, number(v, "step"), number(v, "rank"));
    return 0;
}

static void settle(cJSON *all)
{
    set_parts(all);
    set_coverage(all);
    cJSON_DeleteItemFromObjectCaseSensitive(all, "share");
}

int job_parts_merge(cJSON *all, const name_list *file, struct err *e)
{
    for (size_t i = 0; i < file->n; i++) {
        if (!path_is_file(file->v[i]))
            continue;
        cJSON *one = load_result(file->v[i], e);
        if (!one)
            return -1;
        merge(all, one);
        cJSON_Delete(one);
    }
    settle(all);
    return 0;
}

int job_merged_status(const cJSON *all)
{
    const cJSON *parts = get(all, "parts");
    if (cJSON_IsObject(get(all, "first")))
        return 1;
    return get(parts, "missing")->child || number(parts, "status") != 0 ? 5 : 0;
}

cJSON *job_files_merge(const char *path, struct err *e)
{
    name_list files = {0};
    cJSON *all = NULL;
    int rc = list_files(path, &files, e);
    for (size_t i = 0; i < files.n && rc == 0; i++) {
        cJSON *one = load_result(files.v[i], e);
        if (!one) {
            rc = -1;
        } else if (!all) {
            all = one;
        } else {
            rc = check_beside(all, one, files.v[i], e);
            if (rc == 0)
                merge(all, one);
            cJSON_Delete(one);
        }
    }
    name_list_release(&files);
    if (rc == 0 && !all)
        rc = err_set(e, ERR_DATA, _("%s: no result of a comparison of ranks in this folder"), path);
    if (rc) {
        cJSON_Delete(all);
        return NULL;
    }
    settle(all);
    return all;
}

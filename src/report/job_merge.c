/* Merges the results of shares: concatenates ranks and rows, adds counts, takes the earliest first deviation. */
#include "report/job_merge.h"

#include <stdlib.h>

#include "base/json_tree.h"
#include "base/json_write.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/msg.h"
#include "compare/job_summary.h"

#define NAMES_MOST 100000
#define FILE_MOST (1u << 30)
#define SHARES_MOST 65536

static bool is_share(const char *name)
{
    return str_starts(str_of(name), "worker-") && str_ends(str_of(name), ".ranks.json");
}

/* Paths of the files, in the order of workers. */
static int list_share_files(const char *path, name_list *out, struct err *e)
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
    bool there = path_is_dir(path) && list_share_files(path, &l, &quiet) == 0 && l.n > 0;
    name_list_release(&l);
    return there;
}

static int share_int(const cJSON *o, const char *key)
{
    const cJSON *v = json_member(o, key);
    return cJSON_IsNumber(v) ? v->valueint : -1;
}

/* Moves the entries of lists with the same name into the first result's. */
static void append_entries(cJSON *all, cJSON *one, const char *key)
{
    cJSON *to = json_member(all, key), *from = json_member(one, key);
    while (to && from && from->child)
        cJSON_AddItemToArray(to, cJSON_DetachItemViaPointer(from, from->child));
}

static void add_json_counts(cJSON *to, const cJSON *from)
{
    for (cJSON *v = to ? to->child : NULL; v; v = v->next) {
        const cJSON *o = json_member(from, v->string);
        if (cJSON_IsNumber(v) && cJSON_IsNumber(o) && !str_starts(str_of(v->string), "collectives") &&
            !str_starts(str_of(v->string), "replicas"))
            cJSON_SetNumberHelper(v, v->valuedouble + o->valuedouble);
        else if (cJSON_IsObject(v) && strcmp(v->string, "paired_by") == 0)
            add_json_counts(v, o);
    }
    for (const cJSON *o = from ? from->child : NULL; o; o = o->next) /* kinds of pairs only this one has */
        if (to && !json_member(to, o->string))
            cJSON_AddItemToObject(to, o->string, cJSON_Duplicate(o, true));
}

/* Coverage over all shares: each has both counts. */
static void set_coverage(cJSON *all)
{
    static const char *const side[] = {"target", "golden"};
    cJSON *coverage = json_member(json_member(all, "summary"), "coverage"), *share = json_member(all, "share");
    for (int s = 0; s < 2; s++) {
        const cJSON *covered = json_member(json_member(share, "covered"), side[s]),
                    *compute = json_member(json_member(share, "compute"), side[s]);
        cJSON *v = json_member(coverage, side[s]);
        if (v && covered && compute)
            cJSON_SetNumberHelper(v, compute->valuedouble > 0 ? covered->valuedouble / compute->valuedouble : 0);
    }
}

static bool is_row_deviation(const cJSON *first)
{
    const char *kind = cJSON_GetStringValue(json_member(first, "kind"));
    return !kind || strcmp(kind, "row") == 0;
}

/* If two are at one position, that of a row, then that of the lower rank. */
static bool is_earlier_first(const cJSON *a, const cJSON *b)
{
    static const char *const keys[] = {"step", "order"};
    if (!cJSON_IsObject(a) || !cJSON_IsObject(b))
        return cJSON_IsObject(a);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (share_int(a, keys[i]) != share_int(b, keys[i]))
            return share_int(a, keys[i]) < share_int(b, keys[i]);
    return is_row_deviation(a) != is_row_deviation(b) ? is_row_deviation(a)
                                                      : share_int(a, "rank") < share_int(b, "rank");
}

/* A step and a rank, by which the ranks of thousands of shares are found again. */
static uint64_t step_rank_key(const cJSON *o)
{
    return (uint64_t)(uint32_t)share_int(o, "step") << 32 | (uint32_t)share_int(o, "rank");
}

static void note_places(struct nmap *places, const cJSON *o)
{
    const cJSON *ranks = json_member(o, "ranks");
    for (const cJSON *v = ranks ? ranks->child : NULL; v; v = v->next)
        nmap_add(places, step_rank_key(v), 1);
}

static void replace_member(cJSON *all, cJSON *one, const char *key)
{
    cJSON *v = cJSON_DetachItemFromObjectCaseSensitive(one, key);
    if (v)
        cJSON_ReplaceItemInObjectCaseSensitive(all, key, v);
}

static bool same_first_place(const cJSON *a, const cJSON *b)
{
    return cJSON_IsObject(a) && cJSON_IsObject(b) && share_int(a, "step") == share_int(b, "step") &&
           share_int(a, "order") == share_int(b, "order") && is_row_deviation(a) == is_row_deviation(b);
}

/* The ranks of both, ascending, each once. Parts come in order of ranks, so most are added at the end. */
static cJSON *ranks_of_both(cJSON *a, const cJSON *b)
{
    cJSON *out = cJSON_DetachItemFromObjectCaseSensitive(a, "ranks"), *list = json_member(b, "ranks");
    for (const cJSON *v = list ? list->child : NULL; v; v = v->next) {
        const cJSON *at = out && out->child && out->child->prev->valueint >= v->valueint ? out->child : NULL;
        int i = 0;
        for (; at && at->valueint < v->valueint; at = at->next)
            i++;
        if (!at)
            cJSON_AddItemToArray(out, cJSON_CreateNumber(v->valueint));
        else if (at->valueint > v->valueint)
            cJSON_InsertItemInArray(out, i, cJSON_CreateNumber(v->valueint));
    }
    return out;
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
    cJSON *to = json_member(all, "warnings"), *from = json_member(one, "warnings");
    for (cJSON *v = from ? from->child : NULL, *next; v && to; v = next) {
        next = v->next;
        if (!has_text(to, v))
            cJSON_AddItemToArray(to, cJSON_DetachItemViaPointer(from, v));
    }
}

/* ---- columns of the strip ---- */

static const cJSON *strip_columns(const cJSON *o)
{
    return json_member(json_member(o, "strip"), "columns");
}

/* The column of the same call, and its position; -1: none. */
static int column_like(const cJSON *columns, const cJSON *like, const cJSON **found)
{
    const char *call = cJSON_GetStringValue(json_member(like, "call"));
    int i = 0;
    for (const cJSON *v = columns ? columns->child : NULL; v && call; v = v->next, i++) {
        const char *own = cJSON_GetStringValue(json_member(v, "call"));
        if (own && strcmp(own, call) == 0) {
            *found = v;
            return i;
        }
    }
    return -1;
}

/* If a share has other calls than the first one (a rank that makes more of them), moves its cells and positions to the
 * columns of the first. */
static void fit_columns(const cJSON *all, cJSON *one)
{
    const cJSON *to = strip_columns(all), *from = strip_columns(one),
                *rows = json_member(json_member(one, "strip"), "ranks"), *same = NULL;
    size_t n = (size_t)cJSON_GetArraySize(to), m = (size_t)cJSON_GetArraySize(from), k = 0;
    cJSON *order = json_member(json_member(one, "first"), "order");
    if (!to || !from || cJSON_Compare(to, from, true))
        return;
    int *at = mem_alloc((m + 1) * sizeof *at), first = order ? order->valueint : -1;
    for (const cJSON *v = from->child; v; v = v->next) {
        at[k++] = column_like(to, v, &same);
        if (share_int(v, "order") == first && at[k - 1] >= 0)
            cJSON_SetNumberHelper(order, share_int(same, "order"));
    }
    for (cJSON *v = rows ? rows->child : NULL; v; v = v->next) {
        const char *cells = cJSON_GetStringValue(json_member(v, "cells"));
        if (!cells || strlen(cells) != m)
            continue;
        char *fit = mem_alloc(n + 1);
        memset(fit, ' ', n);
        fit[n] = 0;
        for (size_t i = 0; i < m; i++)
            if (at[i] >= 0)
                fit[at[i]] = cells[i];
        cJSON_ReplaceItemInObjectCaseSensitive(v, "cells", cJSON_CreateString(fit));
        free(fit);
    }
    free(at);
}

/* Rows are passed on as text, which takes a tenth of the memory of their trees. One text per pair, with its step and
 * rank for sorting; joined sides are one pair. */
static void hold_rows_as_text(cJSON *o)
{
    const char *pairing = cJSON_GetStringValue(json_member(o, "pairing"));
    bool joined = pairing && strcmp(pairing, "layout") == 0;
    cJSON *rows = json_member(o, "rows"), *list = cJSON_CreateArray();
    while (rows && rows->child) {
        int step = share_int(rows->child, "step"), rank = joined ? -1 : share_int(rows->child, "rank");
        cJSON *pair = cJSON_CreateArray();
        struct buf text = {0};
        while (rows->child && share_int(rows->child, "step") == step &&
               (joined || share_int(rows->child, "rank") == rank))
            cJSON_AddItemToArray(pair, cJSON_DetachItemViaPointer(rows, rows->child));
        json_write_tree(pair, &text); /* "[…]\n" */
        cJSON_Delete(pair);
        text.p[text.n - 2] = 0;
        cJSON *raw = cJSON_CreateRaw(text.p + 1);
        buf_release(&text);
        if (!raw)
            break;
        raw->valueint = rank;
        raw->valuedouble = step;
        cJSON_AddItemToArray(list, raw);
    }
    cJSON_ReplaceItemInObjectCaseSensitive(o, "rows", list);
}

static void merge_share(cJSON *all, cJSON *one)
{
    bool same = same_first_place(json_member(all, "first"), json_member(one, "first"));
    cJSON *ranks = same ? ranks_of_both(json_member(all, "first"), json_member(one, "first")) : NULL;
    fit_columns(all, one);
    add_json_counts(json_member(all, "summary"), json_member(one, "summary"));
    add_json_counts(json_member(json_member(all, "share"), "compute"),
                    json_member(json_member(one, "share"), "compute"));
    add_json_counts(json_member(json_member(all, "share"), "covered"),
                    json_member(json_member(one, "share"), "covered"));
    if (is_earlier_first(json_member(one, "first"), json_member(all, "first"))) {
        replace_member(all, one, "first");
        replace_member(all, one, "first_deviation");
        cJSON *strip = cJSON_DetachItemFromObjectCaseSensitive(json_member(one, "strip"), "first");
        if (strip)
            cJSON_ReplaceItemInObjectCaseSensitive(json_member(all, "strip"), "first", strip);
    }
    if (ranks) {
        cJSON_DeleteItemFromObjectCaseSensitive(json_member(all, "first"), "ranks");
        cJSON_AddItemToObject(json_member(all, "first"), "ranks", ranks);
    }
    cJSON *status = json_member(json_member(all, "parts"), "status");
    int own = share_int(json_member(one, "parts"), "status");
    if (status && (own == 5 || (own == 1 && status->valueint == 0)))
        cJSON_SetNumberHelper(status, own);
    append_entries(all, one, "ranks");
    append_entries(all, one, "rows");
    append_warnings(all, one);
    append_entries(json_member(all, "strip"), json_member(one, "strip"), "ranks");
}

static int step_or_rank(const cJSON *o, bool step)
{
    if (cJSON_IsRaw(o)) /* hold_rows_as_text */
        return step ? (int)o->valuedouble : o->valueint;
    return share_int(o, step ? "step" : "rank");
}

struct placed {
    cJSON *v;
    int step, rank;
    size_t was;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->step != y->step)
        return (x->step > y->step) - (x->step < y->step);
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : (x->was > y->was) - (x->was < y->was);
}

/* A stable order by step and rank, independent of the workers. */
static void sort_places(cJSON *list)
{
    VEC(struct placed) all = {0};
    while (list && list->child) {
        cJSON *v = cJSON_DetachItemViaPointer(list, list->child);
        struct placed x = {v, step_or_rank(v, true), step_or_rank(v, false), all.n};
        vec_push(&all, x);
    }
    vec_sort(&all, compare_placed);
    for (size_t i = 0; i < all.n; i++)
        cJSON_AddItemToArray(list, all.v[i].v);
    vec_release(&all);
}

/* What no share has done. */
static void set_parts(cJSON *all)
{
    cJSON *parts = json_member(all, "parts"), *missing = json_member(parts, "missing"),
          *ranks = json_member(all, "ranks");
    struct nmap places = {0};
    note_places(&places, all);
    for (cJSON *v = missing ? missing->child : NULL, *next; v; v = next) {
        next = v->next;
        if (nmap_get(&places, step_rank_key(v)) != MAP_NONE)
            cJSON_Delete(cJSON_DetachItemViaPointer(missing, v));
    }
    nmap_release(&places);
    cJSON *done = json_member(parts, "done");
    if (done)
        cJSON_SetNumberHelper(done, cJSON_GetArraySize(ranks));
    sort_places(ranks);
    sort_places(json_member(all, "rows"));
    sort_places(json_member(json_member(all, "strip"), "ranks"));
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
        if (!cJSON_IsNumber(json_member(o, key[i])))
            return false;
    return true;
}

static cJSON_bool is_place(const cJSON *v)
{
    static const char *const where[] = {"step", "rank"};
    return has_numbers(v, where, ARRAY_LEN(where));
}

static cJSON_bool is_count(const cJSON *v)
{
    return cJSON_IsNumber(v) || cJSON_IsObject(v) || cJSON_IsNull(v);
}

static bool is_counts_object(const cJSON *o)
{
    for (const cJSON *v = cJSON_IsObject(o) ? o->child : NULL; v; v = v->next)
        if (!is_count(v))
            return false;
    return cJSON_IsObject(o);
}

/* Values that are added, sorted or shown have the expected types; rows are passed on unchanged. */
static bool is_result(const cJSON *o)
{
    static const char *const where[] = {"step", "order", "rank"}, *const counts[] = {"done", "of"};
    const cJSON *first = json_member(o, "first"), *parts = json_member(o, "parts"), *strip = json_member(o, "strip");
    bool deviates = has_numbers(first, where, ARRAY_LEN(where)) && cJSON_IsString(json_member(first, "call")) &&
                    cJSON_IsString(json_member(first, "sentence")) &&
                    is_list_of(json_member(first, "ranks"), cJSON_IsNumber);
    bool of_sides = cJSON_IsString(json_member(json_member(o, "target"), "path")) &&
                    cJSON_IsString(json_member(json_member(o, "golden"), "path"));
    return (deviates || cJSON_IsNull(first)) && of_sides &&
           has_numbers(parts, counts, ARRAY_LEN(counts)) && is_list_of(json_member(parts, "missing"), is_place) &&
           is_list_of(json_member(o, "ranks"), is_place) && is_list_of(json_member(o, "rows"), cJSON_IsObject) &&
           is_list_of(json_member(o, "warnings"), cJSON_IsString) && is_counts_object(json_member(o, "summary")) &&
           cJSON_IsObject(strip) && is_list_of(json_member(strip, "ranks"), cJSON_IsObject);
}

static cJSON *load_result(const char *path, struct err *e)
{
    cJSON *one = json_load(path, FILE_MOST, e);
    if (!one)
        return NULL;
    if (memory_left() == 0) {
        cJSON_Delete(one);
        memory_short(e, path);
        return NULL;
    }
    if (is_result(one)) {
        hold_rows_as_text(one);
        return one;
    }
    cJSON_Delete(one);
    err_set(e, ERR_DATA, _("%s: expected the result of a comparison of ranks (*.ranks.json)"), path);
    return NULL;
}

/* One that belongs to the others: of the same inputs, and of pairs that none of them has. */
static int check_beside(const cJSON *all, const struct nmap *places, const cJSON *one, const char *path,
                        struct err *e)
{
    static const char *const side[] = {"target", "golden"};
    for (int s = 0; s < 2; s++) {
        const cJSON *a = json_member(json_member(all, side[s]), "path"),
                    *b = json_member(json_member(one, side[s]), "path");
        if (strcmp(a->valuestring, b->valuestring) != 0)
            return err_set(e, ERR_DATA, _("%s is a result of %s, the others are of %s"), path, b->valuestring,
                           a->valuestring);
    }
    const char *cut[] = {cJSON_GetStringValue(json_member(all, "pairing")),
                         cJSON_GetStringValue(json_member(one, "pairing"))};
    if (cut[0] && cut[1] && strcmp(cut[0], cut[1]) != 0)
        return err_set(e, ERR_DATA,
                       _("%s: its layouts differ from those of the other results; --layout-target and --layout-golden "
                         "set them for all shares"),
                       path);
    for (const cJSON *v = json_member(one, "ranks")->child; v; v = v->next)
        if (nmap_get(places, step_rank_key(v)) != MAP_NONE)
            return err_set(e, ERR_DATA,
                           _("%s holds step %d rank %d, and so does another of these results: remove those that are no "
                             "longer meant"),
                           path, share_int(v, "step"), share_int(v, "rank"));
    return 0;
}

/* A share that did not read all ranks knows no positions. */
static void set_places(cJSON *all)
{
    struct layout l;
    cJSON *ranks = json_member(all, "ranks");
    job_layout_read(json_member(json_member(all, "target"), "layout"), &l);
    for (cJSON *v = ranks ? ranks->child : NULL; v; v = v->next) {
        cJSON *place =
            cJSON_IsNull(json_member(v, "place")) && share_int(v, "rank") >= 0 ? cJSON_CreateObject() : NULL;
        if (!place)
            continue;
        struct rank_place at = layout_place(&l, share_int(v, "rank"));
        for (int c = 0; c < CUT_RANKS; c++)
            cJSON_AddNumberToObject(place, cut_name((enum cut)c), at.at[c]);
        cJSON_ReplaceItemInObjectCaseSensitive(v, "place", place);
    }
}

/* The wrong collective of the same call as the first row, as in job_find_first: another share may have found it. */
static void link_collective(cJSON *all)
{
    cJSON *first = json_member(all, "first"), *list = json_member(all, "collectives");
    if (!cJSON_IsObject(first) || !is_row_deviation(first) || !cJSON_IsNull(json_member(first, "collective")))
        return;
    for (const cJSON *c = list ? list->child : NULL; c; c = c->next) {
        const char *verdict = cJSON_GetStringValue(json_member(c, "verdict")),
                   *side = cJSON_GetStringValue(json_member(c, "side"));
        bool bad = verdict && (strcmp(verdict, "deviate") == 0 || strcmp(verdict, "missing") == 0 ||
                               strcmp(verdict, "extra") == 0);
        int off = share_int(c, "order") - share_int(first, "order");
        if (!bad || !side || strcmp(side, "target") != 0 || share_int(c, "step") != share_int(first, "step") ||
            off < -1 || off > 1)
            continue;
        cJSON_ReplaceItemInObjectCaseSensitive(first, "collective", cJSON_CreateNumber(share_int(c, "id")));
        return;
    }
}

static void finish_merged(cJSON *all)
{
    set_places(all);
    link_collective(all);
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
        merge_share(all, one);
        cJSON_Delete(one);
    }
    finish_merged(all);
    return 0;
}

int job_merged_status(const cJSON *all)
{
    const cJSON *parts = json_member(all, "parts");
    if (cJSON_IsObject(json_member(all, "first")))
        return 1;
    return json_member(parts, "missing")->child || share_int(parts, "status") != 0 ? 5 : 0;
}

/* "worker-3-of-8.ranks.json" */
static bool parse_share_name(const char *path, int *number, int *all)
{
    struct str name = path_base(str_of(path)), rest, i, n;
    unsigned long long a, b;
    if (!is_share(name.p) || !str_split(str_cut(name, strlen("worker-")), '-', &i, &rest) || !str_starts(rest, "of-") ||
        !str_split(str_cut(rest, 3), '.', &n, &rest) || !str_u64(i, &a) || !str_u64(n, &b) || a >= b || b > SHARES_MOST)
        return false;
    *number = (int)a;
    *all = (int)b;
    return true;
}

/* Which of the shares have no file: {"of":8,"missing":[3,5]}; nothing if the files are of no one division. */
static void write_missing_shares(cJSON *all, const name_list *files)
{
    int of = 0, number, n;
    bool *there = mem_zalloc(SHARES_MOST);
    cJSON *parts = json_member(all, "parts");
    for (size_t i = 0; i < files->n && of >= 0; i++) {
        bool one = parse_share_name(files->v[i], &number, &n) && (!of || n == of);
        of = one ? n : -1;
        if (one)
            there[number] = true;
    }
    cJSON *shares = of > 0 && cJSON_IsObject(parts) ? cJSON_AddObjectToObject(parts, "shares") : NULL;
    cJSON *missing = NULL;
    if (shares) {
        cJSON_AddNumberToObject(shares, "of", of);
        missing = cJSON_AddArrayToObject(shares, "missing");
    }
    for (int i = 0; missing && i < of; i++)
        if (!there[i])
            cJSON_AddItemToArray(missing, cJSON_CreateNumber(i));
    free(there);
}

cJSON *job_files_merge(const char *path, struct err *e)
{
    name_list files = {0};
    struct nmap places = {0};
    cJSON *all = NULL;
    int rc = list_share_files(path, &files, e);
    for (size_t i = 0; i < files.n && rc == 0; i++) {
        cJSON *one = load_result(files.v[i], e);
        rc = !one ? -1 : all ? check_beside(all, &places, one, files.v[i], e) : 0;
        if (rc == 0)
            note_places(&places, one);
        if (rc == 0 && all)
            merge_share(all, one);
        if (all)
            cJSON_Delete(one);
        else
            all = one;
    }
    nmap_release(&places);
    if (rc == 0 && all)
        write_missing_shares(all, &files);
    name_list_release(&files);
    if (rc == 0 && !all)
        rc = err_set(e, ERR_DATA, _("%s: no result of a comparison of ranks in this folder"), path);
    if (rc) {
        cJSON_Delete(all);
        return NULL;
    }
    finish_merged(all);
    return all;
}

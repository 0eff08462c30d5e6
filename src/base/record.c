/* Checking, reading, writing and comparing structs by tables of members, with one case per kind of member. */
#include "base/record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_tree.h"
#include "base/msg.h"

#define LARGEST 1e15 /* limit for counts, sizes and times: exact in a double, and a valid date */

void *member_at(const void *x, const struct member *m)
{
    return (char *)(uintptr_t)x + m->at;
}

static bool is_list_member(const struct member *m)
{
    return m->kind == MEMBER_TEXTS || m->kind == MEMBER_LIST || m->kind == MEMBER_ARRAY;
}

static bool is_object_member(const struct member *m)
{
    return m->kind == MEMBER_OBJECT || m->kind == MEMBER_OPTION;
}

struct member_list member_list(const void *x, const struct member *m)
{
    struct member_list l = {0};
    if (is_list_member(m))
        memcpy(&l, member_at(x, m), m->kind == MEMBER_ARRAY ? offsetof(struct member_list, cap) : sizeof l);
    return l;
}

static size_t entry_size(const struct member *m)
{
    return m->kind == MEMBER_TEXTS ? sizeof(const char *) : m->of->size;
}

void member_push(void *x, const struct member *m, const void *entry)
{
    struct member_list l = member_list(x, m);
    size_t size = entry_size(m);
    if (l.n == l.cap) {
        l.cap = l.cap + l.cap / 2 + 8;
        l.v = mem_resize_array(l.v, l.cap, size);
    }
    memcpy(l.v + l.n++ * size, entry, size);
    memcpy(member_at(x, m), &l, sizeof l);
}

void member_copy_array(void *x, const struct member *m, struct arena *a)
{
    struct member_list l = member_list(x, m);
    if (l.n)
        l.v = memcpy(arena_alloc(a, l.n * m->of->size), l.v, l.n * m->of->size);
    memcpy(member_at(x, m), &l, offsetof(struct member_list, cap));
}

static const char *text_of_member(const void *x, const struct member *m)
{
    const char *s;
    memcpy(&s, member_at(x, m), sizeof s);
    return s;
}

/* ---- types ---- */

static const char *type_name(const struct member *m)
{
    if (m->kind == MEMBER_TEXT || m->kind == MEMBER_HEX || m->kind == MEMBER_NAME)
        return _("a text");
    if (m->kind == MEMBER_FLAG)
        return _("true or false");
    if (is_list_member(m))
        return _("a list");
    return is_object_member(m) || m->kind == MEMBER_OWN ? _("an object") : _("a number");
}

static int check_json_kind(const char *path, const char *key, const char *want, const cJSON *v,
                           struct err *e)
{
    if (strcmp(want, json_kind(v)) == 0)
        return 0;
    return err_set(e, ERR_DATA, _("%s: \"%s\": expected %s, found %s"), path, key, want, json_kind(v));
}

static int check_member_entries(const struct member *m, const cJSON *list, const char *path,
                                struct err *e)
{
    for (const cJSON *it = list->child; it; it = it->next) {
        if (m->kind == MEMBER_OWN && cJSON_IsString(it))
            continue; /* skipped */
        if (check_json_kind(path, m->kind == MEMBER_OWN ? it->string : m->key,
                            m->of ? _("an object") : m->kind == MEMBER_OWN ? _("a number") : _("a text"), it, e) ||
            (m->of && record_check(m->of->members, it, path, e)))
            return -1;
    }
    return 0;
}

int record_check(const struct member *table, const cJSON *o, const char *path, struct err *e)
{
    for (const struct member *m = table; m->key; m++) {
        const cJSON *v = m->kind == MEMBER_REST ? NULL : json_member(o, m->key);
        if (!v || cJSON_IsNull(v))
            continue;
        if (check_json_kind(path, m->key, type_name(m), v, e) ||
            (is_object_member(m) ? record_check(m->members, v, path, e)
                                 : (is_list_member(m) || m->kind == MEMBER_OWN) && check_member_entries(m, v, path, e)))
            return -1;
    }
    return 0;
}

/* ---- reading ---- */

uint64_t record_hex(struct str s)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t v = 0;
    for (size_t i = 0; i < s.n && s.n <= 16; i++) {
        const char *at = memchr(digits, s.p[i], 16);
        if (!at)
            return 0;
        v = v << 4 | (uint64_t)(at - digits);
    }
    return v;
}

static void read_text_member(const struct member *m, const char *s, struct arena *a, void *x)
{
    if (m->kind == MEMBER_TEXT)
        *(const char **)member_at(x, m) = arena_cstr(a, str_of(s));
    else if (m->kind == MEMBER_HEX)
        *(uint64_t *)member_at(x, m) = record_hex(str_of(s));
    for (unsigned i = 0; m->kind == MEMBER_NAME && i < m->names; i++)
        if (strcmp(s, m->name(i)) == 0)
            *(uint8_t *)member_at(x, m) = (uint8_t)i;
}

static void read_number_member(const struct member *m, double v, void *x)
{
    if (m->kind == MEMBER_FLOAT)
        *(float *)member_at(x, m) = (float)v;
    else if (m->kind == MEMBER_DOUBLE)
        *(double *)member_at(x, m) = v;
    else if (m->kind == MEMBER_INT && v >= 0 && v <= INT32_MAX)
        *(int *)member_at(x, m) = (int)v;
    else if (m->kind == MEMBER_U32 && v >= 0 && v < UINT32_MAX)
        *(uint32_t *)member_at(x, m) = (uint32_t)v;
    else if (m->kind == MEMBER_U64 && v >= 0 && v < LARGEST)
        *(uint64_t *)member_at(x, m) = (uint64_t)v;
}

/* Reads a list's entries; arrays are collected as a list first and then stored in the arena. */
static void read_list_member(const struct member *m, const cJSON *list, struct arena *a, void *x)
{
    struct member_list own = {0};
    struct member into = *m;
    bool array = m->kind == MEMBER_ARRAY;
    void *to = array ? &own : x;
    void *entry = m->of ? mem_zalloc(m->of->size) : NULL;
    if (array)
        into.at = 0, into.kind = MEMBER_LIST;
    for (const cJSON *it = list->child; it; it = it->next) {
        const char *text = cJSON_IsString(it) && !m->of ? arena_cstr(a, str_of(it->valuestring)) : NULL;
        if (text)
            member_push(to, &into, &text);
        if (!m->of || !cJSON_IsObject(it))
            continue;
        if (m->of->fresh)
            memcpy(entry, m->of->fresh, m->of->size);
        else
            memset(entry, 0, m->of->size);
        record_read(m->of->members, it, a, entry);
        if (!m->of->settle || m->of->settle(entry))
            member_push(to, &into, entry);
    }
    if (array) {
        memcpy(member_at(x, m), &own, offsetof(struct member_list, cap));
        member_copy_array(x, m, a);
    }
    free(entry);
    free(own.v);
}

static void read_now_member(const struct member *m, const cJSON *v, void *x)
{
    const struct member list = {.kind = MEMBER_LIST, .at = m->list};
    size_t n = member_list(x, &list).n;
    bool fewer = cJSON_IsNumber(v) && v->valuedouble >= 0 && v->valuedouble < (double)n;
    *(size_t *)member_at(x, m) = fewer ? (size_t)v->valuedouble : n;
}

static bool is_known(const struct member *table, const char *key)
{
    while (table->key && (table->kind == MEMBER_REST || strcmp(table->key, key) != 0))
        table++;
    return table->key != NULL;
}

static void read_unknown_members(const struct member *m, const cJSON *o, struct arena *a, void *x)
{
    cJSON *rest = cJSON_CreateObject();
    for (const cJSON *it = o ? o->child : NULL; it; it = it->next)
        if (it->string && !is_known(m->of->members, it->string))
            cJSON_AddItemToObject(rest, it->string, cJSON_Duplicate(it, true));
    char *text = rest->child ? cJSON_PrintUnformatted(rest) : NULL;
    if (text)
        *(const char **)member_at(x, m) = arena_cstr(a, str_of(text));
    cJSON_free(text);
    cJSON_Delete(rest);
}

void record_read(const struct member *table, const cJSON *o, struct arena *a, void *x)
{
    for (const struct member *m = table; m->key; m++) {
        const cJSON *v = m->kind == MEMBER_REST ? NULL : json_member(o, m->key);
        double number;
        if (m->kind == MEMBER_REST)
            read_unknown_members(m, o, a, x);
        else if (m->kind == MEMBER_NOW)
            read_now_member(m, v, x);
        else if (m->kind == MEMBER_FLAG)
            *(bool *)member_at(x, m) |= cJSON_IsTrue(v);
        else if (m->kind == MEMBER_OPTION && cJSON_IsObject(v))
            *(bool *)member_at(x, m) = true;
        if (is_object_member(m))
            record_read(m->members, v, a, x);
        else if (is_list_member(m) && cJSON_IsArray(v))
            read_list_member(m, v, a, x);
        else if (m->kind == MEMBER_OWN && cJSON_IsObject(v))
            m->own->read(x, v, a);
        else if (json_number(v, &number))
            read_number_member(m, number, x);
        else if (cJSON_IsString(v))
            read_text_member(m, v->valuestring, a, x);
    }
}

/* ---- writing ---- */

/* Size of a plain value in bytes; 0: another kind of member. */
static size_t plain_size(const struct member *m)
{
    static const size_t size[MEMBER_REST + 1] = {
        [MEMBER_HEX] = sizeof(uint64_t), [MEMBER_NAME] = 1, [MEMBER_FLAG] = sizeof(bool), [MEMBER_INT] = sizeof(int),
        [MEMBER_U32] = sizeof(uint32_t), [MEMBER_U64] = sizeof(uint64_t),
    };
    return size[m->kind];
}

bool member_given(const void *x, const struct member *m)
{
    static const char none[sizeof(uint64_t)];
    const struct member list = {.kind = MEMBER_LIST, .at = m->list};
    if (m->kind == MEMBER_TEXT)
        return text_of_member(x, m) && *text_of_member(x, m);
    if (m->kind == MEMBER_INT)
        return *(const int *)member_at(x, m) >= 0;
    if (plain_size(m))
        return memcmp(member_at(x, m), none, plain_size(m)) != 0;
    return member_list(x, m->kind == MEMBER_NOW ? &list : m).n > 0;
}

bool member_with_last(const void *x, const struct member *m)
{
    return !m[-1].when || m[-1].when(x, m - 1);
}

static void write_entries(const struct member *m, struct jsonw *w, const void *x)
{
    struct member_list l = member_list(x, m);
    jw_array(w);
    for (size_t i = 0; i < l.n; i++) {
        const char *entry = l.v + i * entry_size(m);
        if (!m->of) {
            jw_cstr(w, *(const char *const *)(const void *)entry);
            continue;
        }
        jw_object(w);
        record_write(m->of->members, w, entry);
        jw_end_object(w);
    }
    jw_end_array(w);
}

static void write_object_member(const struct member *m, struct jsonw *w, const void *x)
{
    if (m->kind == MEMBER_OPTION && !*(const bool *)member_at(x, m)) {
        jw_null(w);
        return;
    }
    jw_object(w);
    m->kind == MEMBER_OWN ? m->own->write(w, x) : record_write(m->members, w, x);
    jw_end_object(w);
}

static void write_rest(struct jsonw *w, const char *text)
{
    cJSON *rest = text ? cJSON_Parse(text) : NULL;
    for (const cJSON *it = rest ? rest->child : NULL; it; it = it->next) {
        char *value = cJSON_PrintUnformatted(it);
        jw_key(w, it->string);
        jw_raw(w, str_of(value ? value : "null"));
        cJSON_free(value);
    }
    cJSON_Delete(rest);
}

static void write_value(const struct member *m, struct jsonw *w, const void *x)
{
    const void *at = member_at(x, m);
    char hex[20];
    switch (m->kind) {
    case MEMBER_TEXT:
        jw_cstr(w, text_of_member(x, m));
        break;
    case MEMBER_HEX:
        snprintf(hex, sizeof hex, "%016llx", (unsigned long long)*(const uint64_t *)at);
        jw_cstr(w, hex);
        break;
    case MEMBER_NAME:
        jw_cstr(w, m->name(*(const uint8_t *)at));
        break;
    case MEMBER_FLAG:
        jw_bool(w, *(const bool *)at);
        break;
    case MEMBER_INT:
        jw_int(w, *(const int *)at);
        break;
    case MEMBER_U32:
        jw_int(w, *(const uint32_t *)at);
        break;
    case MEMBER_U64:
        jw_int(w, *(const int64_t *)at);
        break;
    case MEMBER_NOW:
        jw_int(w, (int64_t)*(const size_t *)at);
        break;
    case MEMBER_FLOAT:
        isnan(*(const float *)at) ? jw_null(w) : jw_num(w, (double)*(const float *)at);
        break;
    case MEMBER_DOUBLE:
        jw_num(w, *(const double *)at);
        break;
    default:
        is_list_member(m) ? write_entries(m, w, x) : write_object_member(m, w, x);
    }
}

void record_write(const struct member *table, struct jsonw *w, const void *x)
{
    for (const struct member *m = table; m->key; m++) {
        if (m->kind == MEMBER_REST) {
            write_rest(w, text_of_member(x, m));
        } else if (!m->when || m->when(x, m)) {
            jw_key(w, m->key);
            write_value(m, w, x);
        }
    }
}

/* ---- other walks over the tables ---- */

static bool same_member(const struct member *m, const void *a, const void *b)
{
    if (m->kind != MEMBER_TEXT && m->kind != MEMBER_REST)
        return memcmp(member_at(a, m), member_at(b, m), plain_size(m)) == 0;
    const char *s = text_of_member(a, m), *t = text_of_member(b, m);
    return strcmp(s ? s : "", t ? t : "") == 0;
}

bool record_same(const struct member *table, unsigned use, const void *a, const void *b)
{
    for (const struct member *m = table; m->key; m++)
        if ((!use || m->use & use) && !same_member(m, a, b))
            return false;
    return true;
}

void record_renumber(const struct member *table, const struct nmap *becomes, void *x)
{
    for (const struct member *m = table; m->key; m++) {
        uint32_t to = m->use & MEMBER_REFERS ? nmap_get(becomes, *(uint32_t *)member_at(x, m)) : 0;
        if (m->use & MEMBER_REFERS)
            *(uint32_t *)member_at(x, m) = to == MAP_NONE ? 0 : to;
    }
}

const struct member *record_member(const struct member *table, const char *key)
{
    const struct member *found = NULL;
    for (const struct member *m = table; m->key && !found; m++)
        found = strcmp(m->key, key) == 0 ? m : is_object_member(m) ? record_member(m->members, key)
                : NULL;
    return found;
}

void record_each(const struct member *table, void *x, void (*f)(void *ctx, const struct member *m, void *x), void *ctx)
{
    for (const struct member *m = table; m->key; m++) {
        f(ctx, m, x);
        struct member_list l = m->of ? member_list(x, m) : (struct member_list){0};
        for (size_t i = 0; i < l.n; i++)
            record_each(m->of->members, l.v + i * m->of->size, f, ctx);
        if (is_object_member(m))
            record_each(m->members, x, f, ctx);
    }
}

/* Copies a list, or releases it (ctx NULL). */
static void copy_or_release_list(void *ctx, const struct member *m, void *x)
{
    struct member_list l = member_list(x, m);
    if (!is_list_member(m) || m->kind == MEMBER_ARRAY)
        return;
    memcpy(member_at(x, m), &(struct member_list){0}, sizeof l);
    for (size_t i = 0; ctx && i < l.n; i++)
        member_push(x, m, l.v + i * entry_size(m));
    if (!ctx)
        free(l.v);
}

void record_own_lists(const struct member *table, void *x)
{
    record_each(table, x, copy_or_release_list, x);
}

void record_release_lists(const struct member *table, void *x)
{
    record_each(table, x, copy_or_release_list, NULL);
}

/* Every member of an investigation's tables: written it is read again, merged it is in both, and of another type it is
 * refused by its name. */
#include "support.h"

#include "base/json_read.h"
#include "base/mem.h"
#include "ticket/investigation_members.h"
#include "ticket/merge.h"

/* A value of its own in every member, so that one that is lost or goes elsewhere is noticed. */
static void fill(const struct member *table, struct arena *a, int *n, void *x)
{
    for (const struct member *m = table; m->key; m++) {
        void *at = m->kind == MEMBER_OBJECT ? NULL : member_at(x, m);
        ++*n;
        switch (m->kind) {
        case MEMBER_TEXT:
            *(const char **)at = arena_fmt(a, "%s %d", m->key, *n);
            break;
        case MEMBER_REST:
            *(const char **)at = arena_fmt(a, "{\"later %d\":[%d]}", *n, *n);
            break;
        case MEMBER_HEX:
        case MEMBER_U64:
            *(uint64_t *)at = (uint64_t)*n;
            break;
        case MEMBER_U32:
            *(uint32_t *)at = (uint32_t)*n;
            break;
        case MEMBER_INT:
            *(int *)at = *n;
            break;
        case MEMBER_NAME:
            *(uint8_t *)at = (uint8_t)(strcmp(m->key, "what") == 0 ? DECIDE_MARK : m->names - 1);
            break;
        case MEMBER_FLAG:
            *(bool *)at = strcmp(m->key, "removed") != 0; /* a finding that is gone is not merged */
            break;
        case MEMBER_DOUBLE:
            *(double *)at = 1 - 1 / (double)*n;
            break;
        case MEMBER_OBJECT:
            fill(m->members, a, n, x);
            break;
        case MEMBER_TEXTS:
            for (int i = 0; i < 2; i++)
                member_push(x, m, &(const char *){arena_fmt(a, "entry %d", ++*n)});
            break;
        case MEMBER_LIST:
            for (int i = 0; i < 2; i++) {
                void *entry = arena_zalloc(a, m->of->size);
                fill(m->of->members, a, n, entry);
                member_push(x, m, entry);
            }
            break;
        case MEMBER_ARRAY: {
            void *entry = arena_zalloc(a, m->of->size);
            fill(m->of->members, a, n, entry);
            memcpy(at, &(struct member_list){entry, 1, 0}, offsetof(struct member_list, cap));
            break;
        }
        case MEMBER_NOW:
            *(size_t *)at = 2;
            break;
        case MEMBER_OWN:
            investigation_set_limit(x, "coverage", 0.25);
            investigation_set_limit(x, "later limit", 3);
            break;
        default:
            fail_msg("%s: a kind this test does not fill", m->key);
        }
    }
}

static struct investigation filled(void)
{
    struct investigation v;
    int n = 0;
    investigation_init(&v);
    fill(investigation_members, &v.arena, &n, &v);
    for (uint32_t i = 0; i < 2; i++)
        v.rounds.v[i].number = i + 1; /* as they are numbered when they are read */
    return v;
}

static char *text(const struct investigation *v)
{
    struct buf b = {0};
    investigation_write(v, &b);
    return b.p;
}

static struct investigation parsed(const char *s)
{
    struct investigation v;
    struct err e;
    investigation_init(&v);
    if (investigation_parse(&v, str_of(s), "test", &e))
        fail_msg("%s", e.text);
    return v;
}

static void check_same(const char *a, const char *b)
{
    size_t at = 0;
    while (a[at] && a[at] == b[at])
        at++;
    if (a[at] != b[at])
        fail_msg("they differ at \"%.60s\" and \"%.60s\"", a + (at < 30 ? 0 : at - 30), b + (at < 30 ? 0 : at - 30));
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    struct investigation v = filled();
    char *one = text(&v);
    struct investigation w = parsed(one);
    char *two = text(&w);
    check_same(one, two);
    assert_non_null(strstr(one, "\"later limit\": 3"));
    free(one);
    free(two);
    investigation_release(&v);
    investigation_release(&w);
}

/* Each member as it is in the file. */
static cJSON *member_of(cJSON *root, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(root, "investigation"), key);
}

static void what_is_merged_is_there(void **state)
{
    struct err e;
    struct merge m = {.name = {"a", "b"}, .author = "me", .force = true};
    struct investigation ours, v = filled();
    (void)state;
    char *wanted = text(&v);
    investigation_init(&ours);
    assert_int_equal(merge_investigations(&m, &ours, &v, &e), 0);
    assert_int_equal(m.conflicts.n, 0);
    char *got = text(&ours);
    cJSON *a = cJSON_Parse(wanted), *b = cJSON_Parse(got);
    for (const struct member *row = investigation_members; row->key; row++) {
        const cJSON *x = member_of(a, row->key), *y = member_of(b, row->key);
        if (row->kind == MEMBER_LIST) /* histories have steps and numbers of their own */
            assert_int_equal(cJSON_GetArraySize(x), cJSON_GetArraySize(y));
        else if (row->merge && row->kind != MEMBER_OBJECT && row->kind != MEMBER_REST && !cJSON_Compare(x, y, true))
            fail_msg("\"%s\" is lost, or another", row->key);
    }
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(member_of(b, "panels"), "answers")), 2);
    merge_release(&m);
    /* and with itself it is the same */
    m = (struct merge){.name = {"a", "b"}, .author = "me"};
    struct investigation w = parsed(wanted), again = parsed(wanted);
    assert_int_equal(merge_investigations(&m, &w, &again, &e), 0);
    if (m.added.n)
        fail_msg("added: %s, %s", m.added.v[0].what, m.added.v[0].about);
    assert_int_equal(m.conflicts.n, 0);
    char *still = text(&w);
    check_same(wanted, still);
    merge_release(&m);
    cJSON_Delete(a);
    cJSON_Delete(b);
    free(wanted);
    free(got);
    free(still);
    investigation_release(&ours);
    investigation_release(&v);
    investigation_release(&w);
    investigation_release(&again);
}

static void each_has_its_type(void **state)
{
    static const char *const others[] = {"5", "\"x\"", "true", "[]", "{}"};
    (void)state;
    for (const struct member *m = investigation_members; m->key; m++) {
        int fits = 0;
        for (size_t i = 0; m->kind != MEMBER_REST && i < ARRAY_LEN(others); i++) {
            struct investigation v;
            struct err e = {0};
            struct buf b = {0};
            buf_fmt(&b, "{\"schema\":1,\"investigation\":{\"%s\":%s}}", m->key, others[i]);
            investigation_init(&v);
            if (investigation_parse(&v, buf_view(&b), "test", &e) == 0)
                fits++;
            else if (!strstr(e.text, "test: \"") || !strstr(e.text, m->key) || e.code != ERR_DATA)
                fail_msg("%s: %s", b.p, e.text);
            buf_release(&b);
            investigation_release(&v);
        }
        assert_int_equal(fits, m->kind != MEMBER_REST);
    }
}

/* What a newer version of this schema adds stays, also inside entries, when this one saves the file or merges it. */
static void members_of_a_newer_version_stay(void **state)
{
    static const char file[] =
        "{\"schema\":1,\"investigation\":{\"later\":{\"x\":[1]},\"panels\":{\"notes\":[\"n\"]},"
        "\"findings\":[{\"number\":1,\"text\":\"t\",\"links\":[9]}],\"decisions\":[{\"what\":\"mark\",\"why\":\"w\"}],"
        "\"filters\":[{\"name\":\"f\",\"text\":\"1\",\"key\":\"k\"}],\"bookmarks\":[{\"target\":\"r\",\"colour\":7}],"
        "\"rounds\":[{\"file\":\"x\",\"label\":\"l\"}],\"thresholds\":{\"later.limit\":0.5}}}";
    static const char *const wanted[] = {"\"later\": {\"x\":[1]}", "\"notes\": [\"n\"]",  "\"links\": [9]",
                                         "\"why\": \"w\"",         "\"key\": \"k\"",      "\"colour\": 7",
                                         "\"label\": \"l\"",       "\"later.limit\": 0.5"};
    struct merge m = {.name = {"a", "b"}, .author = "me", .force = true};
    struct err e;
    struct investigation v = parsed(file), ours;
    (void)state;
    investigation_init(&ours);
    char *saved = text(&v);
    assert_int_equal(merge_investigations(&m, &ours, &v, &e), 0);
    char *merged = text(&ours);
    for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
        if (!strstr(saved, wanted[i]))
            fail_msg("%s is not in %s", wanted[i], saved);
        if (!strstr(merged, wanted[i]))
            fail_msg("%s is not in %s", wanted[i], merged);
    }
    merge_release(&m);
    free(saved);
    free(merged);
    investigation_release(&ours);
    investigation_release(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_is_merged_is_there),
        cmocka_unit_test(each_has_its_type),
        cmocka_unit_test(members_of_a_newer_version_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* jsonspan: members of a large object one at a time, then each value as a tree. */
#include "fuzz.h"

#include "base/json_read.h"

static void look(const cJSON *v, int depth)
{
    double x;
    v = json_repeat_whole(v);
    if (depth > 2000)
        abort();
    if (json_number(v, &x) && !cJSON_IsString(v))
        assert(x == v->valuedouble || v->valuedouble != v->valuedouble);
    for (const cJSON *it = v->child; it; it = it->next)
        look(it, depth + 1);
}

static void walk(const char *path, const char *descend, struct str text, bool trees)
{
    struct json_members j;
    struct json_member m;
    struct err e = {0};
    int rc;
    if (json_members_open(&j, path, descend, &e))
        abort();
    j.trees = trees;
    while ((rc = json_members_next(&j, &m, &e)) == 1) {
        assert(m.offset <= text.n && m.value.n <= text.n - m.offset);
        assert(memcmp(m.value.p, text.p + m.offset, m.value.n) == 0);
        cJSON *v = json_member_tree(&m, path, &e);
        if (v)
            look(v, 0);
        else
            assert(e.text[0]);
        cJSON_Delete(v);
    }
    if (rc < 0)
        assert(e.text[0]);
    json_members_close(&j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = fuzz_str(data, size);
    const char *path = fuzz_file(text);
    struct json_pool pool;
    struct err e;
    walk(path, "data", text, false);
    walk(path, NULL, text, false);
    cJSON *whole = json_text(text, "whole", &e);
    if (whole)
        look(whole, 0);
    cJSON_Delete(whole);
    json_pool_enter(&pool);
    whole = json_parse(text, true, "pooled", 0, &e);
    json_pool_clear(&pool);
    walk(path, "data", text, true);
    static const char *const varying[] = {"Max", "data_name", NULL};
    json_pool_repeats(&pool, varying);
    walk(path, "data", text, true);
    json_pool_texts(&pool);
    for (int times = 0; times < 3; times++)
        walk(path, "data", text, true);
    json_pool_leave(&pool);
    return 0;
}

/* Members of a JSON object without holding the file: values found by their brackets wherever the read
 * window ends, Python's NaN and Infinity, and clean errors for everything that is cut or malformed. */
#include "support.h"

#include <math.h>

#include "base/json_read.h"

static const char *written(const char *text, size_t n)
{
    static int count;
    static const char *dir;
    char name[20];
    if (!dir)
        dir = scratch();
    snprintf(name, sizeof name, "%d.json", count++ % 8);
    return put_bytes(dir, name, text, n);
}

/* All members as "key=value;", those of the descended object as "+key=value;". The last return. */
static int walked(const char *path, const char *text, size_t n, const char *descend, bool trees, struct buf *out,
                  struct err *e)
{
    struct json_members j;
    struct json_member m;
    int rc;
    memset(e, 0, sizeof *e);
    assert_int_equal(json_members_open(&j, path, descend, e), 0);
    j.trees = trees;
    while ((rc = json_members_next(&j, &m, e)) == 1) {
        buf_fmt(out, "%s%.*s=%.*s;", m.inside ? "+" : "", STR_ARG(m.key), STR_ARG(m.value));
        assert_true(m.offset + m.value.n <= n);
        assert_memory_equal(text + m.offset, m.value.p, m.value.n);
        assert_true(trees || !m.tree);
    }
    if (rc == 0)
        assert_int_equal(json_members_next(&j, &m, e), 0); /* stays at the end */
    json_members_close(&j);
    return rc;
}

/* The same with values parsed on the way. */
static int members(const char *text, size_t n, const char *descend, struct buf *out, struct err *e)
{
    const char *path = written(text, n);
    struct json_pool pool;
    struct buf parsed = {0};
    struct err other;
    size_t before = out->n;
    int rc = walked(path, text, n, descend, false, out, e);
    json_pool_enter(&pool);
    for (int times = 0; times < 4; times++) { /* the first without texts, then with texts met, kept and known */
        if (times == 1)
            json_pool_texts(&pool);
        buf_clear(&parsed);
        buf_str(&parsed, str_n(out->p, before));
        assert_int_equal(walked(path, text, n, descend, true, &parsed, &other), rc);
        assert_string_equal(parsed.p ? parsed.p : "", out->p ? out->p : "");
        if (rc < 0)
            assert_string_equal(other.text, e->text);
    }
    json_pool_leave(&pool);
    buf_release(&parsed);
    return rc;
}

static void expect(const char *text, const char *descend, const char *want)
{
    struct buf out = {0};
    struct err e;
    if (members(text, strlen(text), descend, &out, &e) != 0)
        fail_msg("%s: %s", text, e.text);
    assert_string_equal(out.p ? out.p : "", want);
    buf_release(&out);
}

static void finds_members(void **state)
{
    (void)state;
    expect("{}", NULL, "");
    expect(" \n{ } \n", NULL, "");
    expect("{\"a\":1}", NULL, "a=1;");
    expect("{ \"a\" : 1 , \"b\" :\ttrue,\"c\":null }", NULL, "a=1;b=true;c=null;");
    expect("{\"a\":{\"b\":[1,{\"c\":2}]},\"d\":[]}", NULL, "a={\"b\":[1,{\"c\":2}]};d=[];");
    expect("{\"a\":\"x,}]\\\"{\",\"b\":\"\\\\\",\"c\":\"\"}", NULL, "a=\"x,}]\\\"{\";b=\"\\\\\";c=\"\";");
    expect("{\"\":1}", NULL, "=1;");
    expect("\xef\xbb\xbf{\"a\":1}", NULL, "a=1;"); /* a byte order mark */
    expect("{\"a\":-1.5e-3,\"b\":1}\n", NULL, "a=-1.5e-3;b=1;");
}

static void descends(void **state)
{
    static const char text[] = "{\"task\":\"t\",\"data\":{\"x\":{\"data\":1},\"y\":[2]},\"end\":3}";
    (void)state;
    expect(text, NULL, "task=\"t\";data={\"x\":{\"data\":1},\"y\":[2]};end=3;");
    expect(text, "data", "task=\"t\";+x={\"data\":1};+y=[2];end=3;");
    expect(text, "nothing", "task=\"t\";data={\"x\":{\"data\":1},\"y\":[2]};end=3;");
    expect("{\"data\":{}}", "data", "");
    expect("{\"data\":{},\"data\":{\"a\":1}}", "data", "+a=1;");
    expect("{\"data\":null,\"b\":1}", "data", "data=null;b=1;"); /* no object to go into */
    expect("{\"data\":[1],\"b\":1}", "data", "data=[1];b=1;");
}

static void keys_with_escapes(void **state)
{
    (void)state;
    expect("{\"a\\\"b\":1,\"\\\\\":2,\"\\u00e9\\n\":3}", NULL, "a\"b=1;\\=2;\xc3\xa9\n=3;");
    expect("{\"\\u5c42\":1}", NULL, "\xe5\xb1\x82=1;");
    expect("{\"d\\u0061ta\":{\"k\":1}}", "data", "+k=1;");
}

static void special_values(void **state)
{
    struct json_members j;
    struct json_member m;
    struct err e;
    static const char text[] = "{\"a\":{\"Max\":NaN},\"b\":-Infinity,\"c\":\"NaN Infinity\",\"d\":null,"
                               "\"e\":Infinity}";
    static const bool special[] = {true, true, false, false, true};
    (void)state;
    assert_int_equal(json_members_open(&j, written(text, strlen(text)), NULL, &e), 0);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(json_members_next(&j, &m, &e), 1);
        assert_int_equal(m.special, special[i]);
        cJSON *v = json_parse(m.value, m.special, "f", m.offset, &e);
        double x = 0;
        assert_non_null(v);
        if (i == 0)
            assert_true(json_number(cJSON_GetObjectItem(v, "Max"), &x) && isnan(x));
        if (i == 1)
            assert_true(json_number(v, &x) && x == -INFINITY);
        if (i == 2)
            assert_true(!json_number(v, &x) && strcmp(v->valuestring, "NaN Infinity") == 0);
        if (i == 4)
            assert_true(json_number(v, &x) && x == INFINITY);
        cJSON_Delete(v);
    }
    assert_int_equal(json_members_next(&j, &m, &e), 0);
    json_members_close(&j);
}

/* The read window ends at every byte of these members in turn. */
static void crosses_chunks(void **state)
{
    static const char tail[] = ",\"k\\\"\\\\\":{\"a\\\\\":[NaN, \"x\\\"]}\\\\\" ],\"b\":-Infinity} , "
                               "\"d\": {\"m\\n\" :1.25e3, \"n\":\"\\\\\"},\"z\" :7 }";
    static const char want[] = "k\"\\={\"a\\\\\":[NaN, \"x\\\"]}\\\\\" ],\"b\":-Infinity};"
                               "+m\n=1.25e3;+n=\"\\\\\";z=7;";
    size_t chunk = 1 << 20, n = strlen(tail);
    struct buf text = {0}, out = {0};
    struct err e;
    (void)state;
    for (size_t cut = 0; cut <= n; cut++) {
        buf_clear(&text);
        buf_clear(&out);
        buf_cstr(&text, "{\"pad\":\"");
        while (text.n < chunk - cut - 1)
            buf_char(&text, 'p');
        buf_cstr(&text, "\"");
        buf_cstr(&text, tail);
        assert_int_equal(text.n, chunk - cut + n);
        assert_int_equal(members(text.p, text.n, "d", &out, &e), 0);
        ptrdiff_t end = str_find(buf_view(&out), ';');
        assert_string_equal(out.p + end + 1, want);
    }
    buf_release(&text);
    buf_release(&out);
}

/* Many chunks, a value larger than one, and many small ones. */
static void large_files(void **state)
{
    struct buf text = {0};
    struct json_members j;
    struct json_member m;
    struct err e;
    (void)state;
    buf_cstr(&text, "{\"data\":{");
    for (int i = 0; i < 100000; i++)
        buf_fmt(&text, "%s\"call.%d\":{\"n\":%d,\"s\":\"%0*d\"}", i ? "," : "", i, i, i % 60 + 1, i);
    buf_cstr(&text, "},\"big\":[0");
    while (text.n < 12u << 20)
        buf_cstr(&text, ",123456789");
    buf_cstr(&text, "],\"end\":1}");
    assert_int_equal(json_members_open(&j, written(text.p, text.n), "data", &e), 0);
    for (int i = 0; i < 100000; i++) {
        char key[32];
        snprintf(key, sizeof key, "call.%d", i);
        assert_int_equal(json_members_next(&j, &m, &e), 1);
        assert_true(m.inside && str_is(m.key, key));
        if (i % 997 == 0) {
            cJSON *v = json_parse(m.value, m.special, "f", m.offset, &e);
            assert_int_equal(cJSON_GetObjectItem(v, "n")->valueint, i);
            cJSON_Delete(v);
        }
    }
    assert_int_equal(json_members_next(&j, &m, &e), 1);
    assert_true(str_is(m.key, "big") && !m.inside && m.value.n > 4u << 20);
    assert_int_equal(m.value.p[m.value.n - 1], ']');
    assert_int_equal(json_members_next(&j, &m, &e), 1);
    assert_true(str_is(m.key, "end") && str_is(m.value, "1"));
    assert_int_equal(json_members_next(&j, &m, &e), 0);
    assert_true(j.window.cap < 40u << 20);
    json_members_close(&j);
    buf_release(&text);
}

static void every_truncation_is_an_error(void **state)
{
    static const char text[] = "{\"task\":\"a\\\"b\",\"data\":{\"k\\n\":{\"x\":[1,NaN,{\"y\":\"}\"}]},"
                               "\"l\":-1.5},\"e\":[null]}";
    struct buf out = {0};
    struct err e;
    (void)state;
    for (size_t n = 0; n < strlen(text); n++)
        for (int descend = 0; descend < 2; descend++) {
            buf_clear(&out);
            assert_int_equal(members(text, n, descend ? "data" : NULL, &out, &e), -1);
            assert_int_equal(e.code, ERR_DATA);
            char where[48];
            snprintf(where, sizeof where, ".json: byte %zu: ", n);
            assert_non_null(strstr(e.text, where));
            assert_non_null(strstr(e.text, "expected"));
        }
    assert_int_equal(members(text, strlen(text), "data", &out, &e), 0);
    buf_release(&out);
}

static void malformed(void **state)
{
    static const char *const bad[] = {
        "",          "x",           "[1]",         "\"a\"",        "{a:1}",      "{\"a\" 1}",
        "{\"a\":}",  "{\"a\":1,}",  "{,}",         "{\"a\":1 2}",  "{\"a\":1}}", "{\"a\":\"x\" \"b\":1}",
        "{'a':1}",   "{\"a\":,}",   "{\"\\q\":1}", "{\"\\u12\":1}", "{1:2}",     "{\"a\":{\"b\":1]}",
        "\xef\xbb",  "\xef\xbb\xbf", "{\"a\"::1}",
    };
    struct buf out = {0};
    struct err e;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        buf_clear(&out);
        struct json_members j;
        struct json_member m;
        int rc, shown = 0;
        assert_int_equal(json_members_open(&j, written(bad[i], strlen(bad[i])), NULL, &e), 0);
        while ((rc = json_members_next(&j, &m, &e)) == 1 && rc == 1) {
            /* what the brackets cannot tell, the parser of the value does */
            cJSON *v = json_parse(m.value, m.special, "f", m.offset, &e);
            if (!v) {
                rc = -1;
                break;
            }
            cJSON_Delete(v);
            shown++;
        }
        if (rc == 0 && strcmp(bad[i], "{\"a\":1}}") != 0) /* text behind the end is not looked at */
            fail_msg("taken for JSON: %s", bad[i]);
        assert_true(shown <= 1);
        json_members_close(&j);
    }
    buf_release(&out);
}

static void fifo_and_missing(void **state)
{
    struct json_members j;
    struct err e = {0};
    (void)state;
    assert_int_equal(json_members_open(&j, "/nowhere/dump.json", NULL, &e), -1);
    assert_int_equal(e.code, ERR_IO);
    json_members_close(&j);
}

/* ---- values ---- */

static void parses_special_numbers(void **state)
{
    static const char text[] = "[NaN,-Infinity,Infinity, 1,\"NaN\",\"\\\"Infinity\",{\"NaN\":NaN}]";
    struct err e;
    double x;
    (void)state;
    cJSON *v = json_text(str_of(text), "f", &e);
    assert_non_null(v);
    assert_int_equal(cJSON_GetArraySize(v), 7);
    assert_true(json_number(cJSON_GetArrayItem(v, 0), &x) && isnan(x));
    assert_true(json_number(cJSON_GetArrayItem(v, 1), &x) && x == -INFINITY);
    assert_true(json_number(cJSON_GetArrayItem(v, 2), &x) && x == INFINITY);
    assert_true(json_number(cJSON_GetArrayItem(v, 3), &x) && x == 1);
    assert_false(json_number(cJSON_GetArrayItem(v, 4), &x));
    assert_string_equal(cJSON_GetArrayItem(v, 4)->valuestring, "NaN");
    assert_string_equal(cJSON_GetArrayItem(v, 5)->valuestring, "\"Infinity");
    assert_true(json_number(cJSON_GetObjectItem(cJSON_GetArrayItem(v, 6), "NaN"), &x) && isnan(x));
    assert_false(json_number(NULL, &x));
    cJSON_Delete(v);
}

static void refuses_what_is_no_json(void **state)
{
    static const char *const bad[] = {"{\"a\":1} x", "[1,2", "[Na]", "[-Inf]", "[Infinit]", "", "nan"};
    struct err e = {0};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        unsigned long long byte;
        struct str text, rest;
        assert_null(json_parse(str_of(bad[i]), true, "name.json", 1000, &e));
        assert_int_equal(e.code, ERR_DATA);
        assert_memory_equal(e.text, "name.json: byte ", 16);
        str_split(str_of(e.text + 16), ':', &text, &rest);
        assert_true(str_u64(text, &byte) && byte >= 1000 && byte <= 1000 + strlen(bad[i]));
    }
    struct buf deep = {0};
    for (int i = 0; i < 100000; i++)
        buf_char(&deep, '[');
    assert_null(json_text(buf_view(&deep), "deep", &e)); /* not a stack overflow */
    buf_release(&deep);
}

/* "Strings that no JSON text can hold": an escaped control character is one that it can. */
static void escaped_control_characters_are_no_numbers(void **state)
{
    struct err e;
    double x;
    (void)state;
    cJSON *v = json_text(STR("[\"\\u0001\",\"\\u0002\",\"\\u0003\"]"), "f", &e);
    assert_non_null(v);
    for (int i = 0; i < 3; i++)
        assert_false(json_number(cJSON_GetArrayItem(v, i), &x));
    cJSON_Delete(v);
}

static void pools(void **state)
{
    struct json_pool pool;
    struct err e;
    (void)state;
    cJSON *outside = json_text(STR("{\"a\":[1,2]}"), "f", &e);
    json_pool_enter(&pool);
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 50; i++) {
            cJSON *v = json_text(STR("{\"a\":[1,{\"b\":\"text\"}],\"c\":NaN}"), "f", &e);
            const cJSON *inner = cJSON_GetArrayItem(cJSON_GetObjectItem(v, "a"), 1);
            assert_string_equal(cJSON_GetObjectItem(inner, "b")->valuestring, "text");
        }
        assert_null(json_text(STR("{\"a\":"), "f", &e));
        json_pool_clear(&pool);
    }
    assert_true(pool.arena.total < 1 << 20);
    json_pool_leave(&pool);
    cJSON_Delete(outside); /* from the heap, before the pool and after */
    cJSON *v = json_text(STR("[1]"), "f", &e);
    cJSON_Delete(v);
}

static void loads_whole_files(void **state)
{
    struct err e = {0};
    (void)state;
    const char *path = written("{\"a\":Infinity}", 14);
    cJSON *v = json_load(path, 14, &e);
    double x;
    assert_true(json_number(cJSON_GetObjectItem(v, "a"), &x) && isinf(x));
    cJSON_Delete(v);
    assert_null(json_load(path, 13, &e));
    assert_int_equal(e.code, ERR_DATA);
    assert_null(json_load("/nowhere", 13, &e));
    assert_int_equal(e.code, ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_members),
        cmocka_unit_test(descends),
        cmocka_unit_test(keys_with_escapes),
        cmocka_unit_test(special_values),
        cmocka_unit_test(crosses_chunks),
        cmocka_unit_test(large_files),
        cmocka_unit_test(every_truncation_is_an_error),
        cmocka_unit_test(malformed),
        cmocka_unit_test(fifo_and_missing),
        cmocka_unit_test(parses_special_numbers),
        cmocka_unit_test(refuses_what_is_no_json),
        cmocka_unit_test(escaped_control_characters_are_no_numbers),
        cmocka_unit_test(pools),
        cmocka_unit_test(loads_whole_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

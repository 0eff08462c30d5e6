/* What the writer writes is JSON: read back by another reader (cJSON), every value is what went in. */
#include "support.h"

#include <cjson/cJSON.h>
#include <math.h>

#include "base/json_write.h"

static cJSON *read_back(const struct buf *b)
{
    const char *end = NULL;
    cJSON *v = cJSON_ParseWithLengthOpts(b->p, b->n, &end, false);
    assert_non_null(v);
    assert_int_equal(end - b->p, b->n);
    return v;
}

/* One document that uses every call. */
static void write_all(struct buf *b, bool pretty)
{
    struct jsonw w;
    jw_init(&w, b, pretty);
    jw_object(&w);
    jw_kstr(&w, "text", STR("row"));
    jw_kcstr(&w, "none", NULL);
    jw_knum(&w, "tenth", 0.1);
    jw_kint(&w, "least", INT64_MIN);
    jw_kbool(&w, "yes", true);
    jw_knull(&w, "null");
    jw_key(&w, "list");
    jw_array(&w);
    jw_int(&w, 1);
    jw_bool(&w, false);
    jw_null(&w);
    jw_cstr(&w, "a");
    jw_object(&w);
    jw_end_object(&w);
    jw_array(&w);
    jw_end_array(&w);
    jw_raw(&w, STR("{\"x\":2}"));
    jw_end_array(&w);
    jw_key(&w, "last");
    jw_object(&w);
    jw_key(&w, "k");
    jw_num(&w, -1.5);
    jw_end_object(&w);
    jw_end_object(&w);
}

static void structure(void **state)
{
    (void)state;
    for (int pretty = 0; pretty < 2; pretty++) {
        struct buf b = {0};
        write_all(&b, pretty);
        cJSON *v = read_back(&b);
        assert_int_equal(cJSON_GetArraySize(v), 8);
        assert_string_equal(cJSON_GetObjectItem(v, "text")->valuestring, "row");
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(v, "none")));
        assert_true(cJSON_GetObjectItem(v, "tenth")->valuedouble == 0.1);
        assert_true(cJSON_IsTrue(cJSON_GetObjectItem(v, "yes")));
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(v, "null")));
        cJSON *list = cJSON_GetObjectItem(v, "list");
        assert_int_equal(cJSON_GetArraySize(list), 7);
        assert_int_equal(cJSON_GetArrayItem(list, 0)->valueint, 1);
        assert_true(cJSON_IsFalse(cJSON_GetArrayItem(list, 1)));
        assert_int_equal(cJSON_GetArraySize(cJSON_GetArrayItem(list, 4)), 0);
        assert_true(cJSON_IsObject(cJSON_GetArrayItem(list, 4)));
        assert_true(cJSON_IsArray(cJSON_GetArrayItem(list, 5)));
        assert_int_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(list, 6), "x")->valueint, 2);
        assert_true(cJSON_GetObjectItem(cJSON_GetObjectItem(v, "last"), "k")->valuedouble == -1.5);
        cJSON_Delete(v);
        buf_release(&b);
    }
}

static void compact_text(void **state)
{
    struct buf b = {0};
    (void)state;
    write_all(&b, false);
    assert_string_equal(b.p, "{\"text\":\"row\",\"none\":null,\"tenth\":0.1,\"least\":-9223372036854775808,"
                             "\"yes\":true,\"null\":null,\"list\":[1,false,null,\"a\",{},[],{\"x\":2}],"
                             "\"last\":{\"k\":-1.5}}");
    buf_release(&b);
}

static void pretty_text(void **state)
{
    struct buf b = {0};
    struct jsonw w;
    (void)state;
    jw_init(&w, &b, true);
    jw_object(&w);
    jw_kint(&w, "a", 1);
    jw_key(&w, "b");
    jw_array(&w);
    jw_int(&w, 2);
    jw_int(&w, 3);
    jw_end_array(&w);
    jw_key(&w, "c");
    jw_object(&w);
    jw_end_object(&w);
    jw_end_object(&w);
    assert_string_equal(b.p, "{\n  \"a\": 1,\n  \"b\": [\n    2,\n    3\n  ],\n  \"c\": {}\n}");
    buf_release(&b);
}

static void all_bytes_stay_json(void **state)
{
    struct buf b = {0};
    struct jsonw w;
    char all[255];
    (void)state;
    for (int i = 0; i < 255; i++)
        all[i] = (char)(i + 1);
    jw_init(&w, &b, false);
    jw_array(&w);
    jw_str(&w, str_n(all, 127)); /* ASCII comes back as it is */
    jw_str(&w, str_n(all, 255)); /* the bytes above are no UTF-8 */
    jw_str(&w, STR("\xe5\xb1\x82 \xc3\xa9"));
    jw_end_array(&w);
    for (size_t i = 0; i < b.n; i++) /* nothing a terminal or a line reader could act on */
        assert_true((unsigned char)b.p[i] >= 0x20 && b.p[i] != 0x7f);
    cJSON *v = read_back(&b);
    assert_memory_equal(cJSON_GetArrayItem(v, 0)->valuestring, all, 127);
    const char *bad = cJSON_GetArrayItem(v, 1)->valuestring;
    assert_memory_equal(bad, all, 127);
    assert_memory_equal(bad + 127, "\xef\xbf\xbd\xef\xbf\xbd", 6);
    assert_string_equal(cJSON_GetArrayItem(v, 2)->valuestring, "\xe5\xb1\x82 \xc3\xa9");
    cJSON_Delete(v);
    buf_release(&b);
}

static void escapes(void **state)
{
    struct buf b = {0};
    struct jsonw w;
    (void)state;
    jw_init(&w, &b, false);
    jw_object(&w);
    jw_key(&w, "a\"b\\c\n");
    jw_str(&w, str_n("\0\x1f\x7f", 3));
    jw_end_object(&w);
    assert_string_equal(b.p, "{\"a\\\"b\\\\c\\u000a\":\"\\u0000\\u001f\\u007f\"}");
    buf_clear(&b);
    /* what nobody sees by its number, so that the name stays what it was: a mark of direction, no width, a tag */
    jw_init(&w, &b, false);
    jw_cstr(&w, "a\xe2\x80\xae" "b\xe2\x80\x8b\xf3\xa0\x81\x81\xe4\xb8\xad\xff");
    assert_string_equal(b.p, "\"a\\u202eb\\u200b\\udb40\\udc41\xe4\xb8\xad\xef\xbf\xbd\"");
    cJSON *back = cJSON_Parse(b.p);
    assert_string_equal(back->valuestring, "a\xe2\x80\xae" "b\xe2\x80\x8b\xf3\xa0\x81\x81\xe4\xb8\xad\xef\xbf\xbd");
    cJSON_Delete(back);
    buf_release(&b);
}

static void numbers(void **state)
{
    static const double v[] = {0, -0.0, 0.1, 1e300, 5e-324, 1.0 / 3, 123456789012345678.0};
    struct buf b = {0};
    struct jsonw w;
    (void)state;
    jw_init(&w, &b, false);
    jw_array(&w);
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        jw_num(&w, v[i]);
    jw_num(&w, NAN);
    jw_num(&w, INFINITY);
    jw_num(&w, -INFINITY);
    jw_int(&w, INT64_MAX);
    jw_end_array(&w);
    cJSON *a = read_back(&b);
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        double got = cJSON_GetArrayItem(a, (int)i)->valuedouble;
        assert_memory_equal(&got, &v[i], sizeof got);
    }
    assert_string_equal(cJSON_GetArrayItem(a, 7)->valuestring, "NaN");
    assert_string_equal(cJSON_GetArrayItem(a, 8)->valuestring, "Inf");
    assert_string_equal(cJSON_GetArrayItem(a, 9)->valuestring, "-Inf");
    assert_true(str_ends(buf_view(&b), ",9223372036854775807]")); /* no detour over double */
    cJSON_Delete(a);
    buf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structure),           cmocka_unit_test(compact_text),
        cmocka_unit_test(pretty_text),         cmocka_unit_test(all_bytes_stay_json),
        cmocka_unit_test(escapes),             cmocka_unit_test(numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

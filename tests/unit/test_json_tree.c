/* Trees of regular text: what cJSON makes of it, node by node; and nothing at all of what cJSON refuses. */
#include "support.h"

#include "base/json_tree.h"

static void same_text(const char *a, const char *b)
{
    assert_int_equal(!a, !b);
    if (a)
        assert_string_equal(a, b);
}

static void same_tree(const cJSON *a, const cJSON *b)
{
    const cJSON *x = a->child, *y = b->child;
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->valueint, b->valueint);
    assert_memory_equal(&a->valuedouble, &b->valuedouble, sizeof a->valuedouble);
    same_text(a->valuestring, b->valuestring);
    same_text(a->string, b->string);
    for (; x && y; x = x->next, y = y->next) {
        same_tree(x, y);
        assert_ptr_equal(x->next ? x->next->prev : a->child->prev, x);
    }
    assert_true(!x && !y);
}

/* Whether the text was regular; it then is followed by whatever stands behind it. */
static bool regular(struct str text)
{
    struct arena arena = {0};
    struct json_room room = {.arena = &arena};
    char *copy = str_dup(text); /* memory that ends where the text does */
    const char *at = copy;
    cJSON *tree = json_tree(&room, &at, copy + text.n, false);
    cJSON *other = cJSON_ParseWithLengthOpts(text.p, text.n, NULL, false);
    if (tree) {
        assert_non_null(other);
        assert_true(at > copy && at <= copy + text.n);
        same_tree(tree, other);
    }
    cJSON_Delete(other);
    free(copy);
    arena_release(&arena);
    return tree;
}

static const char record[] =
    "{\n \"input_args\": [\n  {\"type\": \"torch.Tensor\", \"dtype\": \"torch.bfloat16\","
    "\"shape\":[4096,1, 8192],\r\n\t\"Max\": 1.5902454123456789,\"Min\":-0.0015902454123456789, \"Mean\": 1e-07, "
    "\"Norm\": null, \"requires_grad\" : true}, "
    "[ ], {}, \"\", \"a longer text of many letters\",\n"
    "  \"tab\\tquote\\\"slash\\\\\\/\\b\\f\\n\\r\", -2147483649, 2147483648, 1E400, false]\n}";

static void regular_text(void **state)
{
    static const char *const more[] = {
        "[]", "{}", "\"x\"", "[1]", " [ 1 , 2 ] ", "{\"a\":{\"a\":{\"a\":[[[\"\"]]]}}}", "[true,false,null]",
        "{\"\":0,\"\":1}", "[\"\xe5\xb1\x82\"]", "[-0.0]",
    };
    (void)state;
    assert_true(regular(str_of(record)));
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        assert_true(regular(str_of(more[i])));
}

/* Left to cJSON, which may take it or say what is wrong. */
static void irregular_text(void **state)
{
    static const char *const more[] = {
        "",         " ",     "{",          "[",       "[1",          "[1,",     "[1,]", "{\"a\"}",
        "{\"a\":}", "{a:1}", "\"x",        "\"x\\\"", "\"\\u0041\"", "\"\\x\"", "[01]", "[1.]",
        "[+1]",     "[NaN]", "[Infinity]", "tru",     "[truex]",     "[1 2]",   "[1}",  "{]",
    };
    struct buf deep = {0};
    (void)state;
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        assert_false(regular(str_of(more[i])));
    for (int i = 0; i < 100000; i++)
        buf_char(&deep, '[');
    assert_false(regular(buf_view(&deep)));
    buf_release(&deep);
}

/* Every part of a record, and the record with any byte turned into any of those that mean something. */
static void damaged_text(void **state)
{
    static const char bytes[] = "{}[]:,\"\\ \nnte-+.0eNI\x01\xff";
    char copy[sizeof record];
    (void)state;
    for (size_t n = 0; n < sizeof record - 1; n++)
        assert_false(regular(str_n(record, n)));
    for (size_t i = 0; i < sizeof record - 1; i++)
        for (size_t b = 0; b < sizeof bytes; b++) { /* the NUL too */
            memcpy(copy, record, sizeof record);
            copy[i] = bytes[b];
            regular(str_n(copy, sizeof record - 1));
        }
}

static void python_numbers(void **state)
{
    static const char text[] = "[NaN, -Infinity ,Infinity,\"NaN\"]", cut[] = "[NaN,Infinit]";
    struct arena arena = {0};
    struct json_room room = {.arena = &arena};
    const char *at = text;
    (void)state;
    cJSON *v = json_tree(&room, &at, text + strlen(text), true);
    assert_non_null(v);
    assert_string_equal(cJSON_GetArrayItem(v, 0)->valuestring, JSON_MARK_NAN);
    assert_string_equal(cJSON_GetArrayItem(v, 1)->valuestring, JSON_MARK_NEG);
    assert_string_equal(cJSON_GetArrayItem(v, 2)->valuestring, JSON_MARK_INF);
    assert_string_equal(cJSON_GetArrayItem(v, 3)->valuestring, "NaN");
    at = cut;
    assert_null(json_tree(&room, &at, cut + strlen(cut), true));
    assert_ptr_equal(at, cut);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular_text),
        cmocka_unit_test(irregular_text),
        cmocka_unit_test(damaged_text),
        cmocka_unit_test(python_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

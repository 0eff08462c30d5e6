/* Repeated texts: known or not, they come out the same, and a known one has its number. */
#include "support.h"

#include "base/json_texts.h"
#include "base/json_tree.h"

struct reading {
    struct arena arena;
    struct json_texts texts;
};

/* Reads a text from memory that ends where it does, and checks it; returns its number. */
static uint32_t read_one(struct reading *r, const char *raw, const char *want)
{
    struct json_room room = {.arena = &r->arena, .texts = &r->texts};
    char *copy = str_dup(str_of(raw));
    const char *at = copy;
    cJSON *v = json_tree(&room, &at, copy + strlen(raw), false);
    assert_int_equal(!v, !want);
    if (v) {
        assert_ptr_equal(at, copy + strlen(raw));
        assert_true(cJSON_IsString(v));
        assert_string_equal(v->valuestring, want);
    }
    uint32_t number = v ? (uint32_t)v->valueint : 0;
    free(copy);
    arena_clear(&r->arena);
    return number;
}

static void begin(struct reading *r)
{
    *r = (struct reading){0};
    json_texts_init(&r->texts);
}

static void end(struct reading *r)
{
    arena_release(&r->arena);
    json_texts_release(&r->texts);
}

static void a_text_is_known_the_second_time(void **state)
{
    struct reading r;
    (void)state;
    begin(&r);
    assert_int_equal(read_one(&r, "\"a\\nb \\\"c\\\"\"", "a\nb \"c\""), 0);
    uint32_t first = read_one(&r, "\"a\\nb \\\"c\\\"\"", "a\nb \"c\"");
    assert_true(first != 0);
    assert_int_equal(r.texts.text.v[first].user, UINT32_MAX);
    r.texts.text.v[first].user = 7;
    read_one(&r, "\"d\"", "d");
    uint32_t other = read_one(&r, "\"d\"", "d");
    assert_true(other != 0 && other != first);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(read_one(&r, "\"a\\nb \\\"c\\\"\"", "a\nb \"c\""), first);
        assert_int_equal(read_one(&r, "\"d\"", "d"), other);
    }
    assert_int_equal(r.texts.text.v[first].user, 7);
    end(&r);
}

/* What begins or ends like a known text is another one. */
static void a_part_of_a_text_is_not_it(void **state)
{
    struct reading r;
    (void)state;
    begin(&r);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(read_one(&r, "\"\"", ""), 0);
        read_one(&r, "\"frame\"", "frame");
        read_one(&r, "\"frame of another\"", "frame of another");
        read_one(&r, "\"fram\"", "fram");
        read_one(&r, "\"frame\\\\\"", "frame\\");
        assert_int_equal(read_one(&r, "\"frame", NULL), 0);
        assert_int_equal(read_one(&r, "\"fra", NULL), 0);
        assert_int_equal(read_one(&r, "\"", NULL), 0);
        assert_int_equal(read_one(&r, "\"\\u0061\"", NULL), 0); /* not regular: left to cJSON, however often */
    }
    end(&r);
}

/* Texts without number, more than are remembered, do not drive out those that are known. */
static void many_texts_once(void **state)
{
    struct reading r;
    char raw[60], text[40];
    uint32_t number = 0;
    (void)state;
    begin(&r);
    for (int i = 0; i < 100000; i++) {
        number = read_one(&r, "\"again\"", "again");
        snprintf(text, sizeof text, "once %d", i);
        snprintf(raw, sizeof raw, "\"%s\"", text);
        assert_int_equal(read_one(&r, raw, text), 0);
    }
    assert_true(number != 0);
    assert_true(r.texts.text.n < 10);
    end(&r);
}

/* Beyond the limit of 8 MB repeated texts stay unknown, and take no more room. */
static void there_is_a_limit(void **state)
{
    enum { LENGTH = 1 << 16, TEXTS = 300 };
    static char raw[LENGTH + 3], text[LENGTH + 1];
    struct reading r;
    uint32_t number = 0;
    (void)state;
    begin(&r);
    memset(text, 'x', LENGTH);
    for (int i = 0; i < TEXTS; i++) {
        text[snprintf(text, 16, "%d", i)] = ' ';
        snprintf(raw, sizeof raw, "\"%s\"", text);
        for (int time = 0; time < 3; time++)
            number = read_one(&r, raw, text);
        if (i == 0)
            assert_true(number != 0);
    }
    assert_int_equal(number, 0);
    assert_true(r.texts.arena.total < 9 << 20);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_known_the_second_time),
        cmocka_unit_test(a_part_of_a_text_is_not_it),
        cmocka_unit_test(many_texts_once),
        cmocka_unit_test(there_is_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Objects that repeat: found in their templates or read as ever, they come out the same, whatever is done to the
 * text. */
#include "support.h"

#include <math.h>

#include "base/json_read.h"

static const char *const varying[] = {"Max", "Min", "md5", "data_name", NULL};

/* The same values; a repeat counts as what it repeats. */
static void same_tree(const cJSON *a, const cJSON *b)
{
    a = json_repeat_whole(a);
    const cJSON *x = a->child, *y = b->child;
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->valueint, b->valueint);
    assert_memory_equal(&a->valuedouble, &b->valuedouble, sizeof a->valuedouble);
    if (b->valuestring)
        assert_string_equal(a->valuestring, b->valuestring);
    for (; x && y; x = x->next, y = y->next) {
        assert_int_equal(!x->string, !y->string);
        if (x->string)
            assert_string_equal(x->string, y->string);
        same_tree(x, y);
    }
    assert_true(!x && !y);
}

struct reading {
    struct arena arena, plain;
    struct json_templates templates;
    uint64_t fitted;
};

/* Whether it was read; as without templates in any case. */
static bool read_one(struct reading *r, uint64_t key, struct str text)
{
    struct json_room room = {.arena = &r->arena, .templates = &r->templates, .key = key}, plain = {.arena = &r->plain};
    char *copy = str_dup(text); /* memory that ends where the text does */
    const char *at = copy, *other = copy;
    r->templates.varying = varying;
    r->templates.missed = 0;
    cJSON *a = json_tree(&room, &at, copy + text.n, true), *b = json_tree(&plain, &other, copy + text.n, true);
    assert_int_equal(!a, !b);
    assert_ptr_equal(at, other);
    if (a)
        same_tree(a, b);
    arena_clear(&r->arena);
    arena_clear(&r->plain);
    free(copy);
    return a;
}

static void end(struct reading *r)
{
    arena_release(&r->arena);
    arena_release(&r->plain);
    json_templates_release(&r->templates);
}

#define TENSOR(type, max, min, rest) \
    "{\"type\": \"torch.Tensor\", \"dtype\": \"" type "\",\n \"shape\": [2, 3],\n \"Max\" : " max \
    ",\"Min\": " min rest "}"
#define RECORD(a, b) \
    "{\"input_args\": [" a ", " b "],\n \"input_kwargs\": {}, \"output\": [{\"type\": \"int\", \"value\": 3}]}"

static const char *const records[] = {
    RECORD(TENSOR("float32", "1.5", "-2e-3", ""), TENSOR("float16", "0", "-0", ", \"md5\": \"0a1b\"")),
    RECORD(TENSOR("float32", "77", "0.0001", ""), TENSOR("float16", "1e300", "1E-300", ", \"md5\": \"\"")),
    RECORD(TENSOR("float32", "NaN", "-Infinity", ""), TENSOR("float16", "null", "true", ", \"md5\": 3")),
    RECORD(TENSOR("float32", "1", "2", ", \"Max\": 3"), TENSOR("float16", "1", "2", ", \"data_name\": \"a.b\\\"c\"")),
    RECORD(TENSOR("float32", "1", "2", ", \"data_name\": \"a.b.pt\""), TENSOR("float64", "1", "2", "")),
    RECORD(TENSOR("float32", "[1]", "{\"Max\": 1}", ""),
           TENSOR("float64", "1", "[{\"Min\": 2, \"a\": 1, \"b\": 2}]", "")),
};

/* All of them several times, in an order that brings each behind each other. */
static void repeats_are_what_they_repeat(void **state)
{
    struct reading r = {0};
    (void)state;
    for (uint64_t key = 0; key < 4; key++)
        for (size_t n = 1; n <= 7; n++)
            for (size_t i = 0; i < 3 * sizeof records / sizeof *records; i++)
                assert_true(read_one(&r, key, str_of(records[i * n % (sizeof records / sizeof *records)])));
    assert_true(r.templates.fitted > 200);
    end(&r);
}

/* Every part of a record, and the record with any byte turned into any of those that mean something, after templates of
 * all were made. */
static void damaged_text(void **state)
{
    static const char bytes[] = "{}[]:,\"\\ \nnte-+.0eNI\x01\xff";
    (void)state;
    for (size_t k = 0; k < sizeof records / sizeof *records; k++) {
        struct reading r = {0};
        size_t size = strlen(records[k]);
        char *copy = mem_strdup(records[k]);
        for (size_t n = 0; n < size; n++) {
            read_one(&r, 1, str_of(records[k]));
            read_one(&r, n % 2, str_n(records[k], n));
        }
        for (size_t i = 0; i < size; i++)
            for (size_t b = 0; b < sizeof bytes; b++) {
                copy[i] = bytes[b];
                read_one(&r, b % 2, str_n(copy, size));
                copy[i] = records[k][i];
            }
        free(copy);
        end(&r);
    }
}

/* However many kinds there are, little is kept. */
static void no_more_than_so_much(void **state)
{
    struct reading r = {0};
    struct buf b = {0};
    (void)state;
    for (int i = 0; i < 20000; i++) {
        buf_clear(&b);
        buf_fmt(&b, "{\"list\": [");
        for (int k = 0; k < 500; k++)
            buf_fmt(&b, "%d,", i * 500 + k);
        buf_fmt(&b, "0], \"a\": 1, \"b\": 2, \"Max\": %d}", i);
        assert_true(read_one(&r, (uint64_t)(i % 5000) * 2 + 1, buf_view(&b)));
    }
    assert_true(r.templates.arena.total < 10 << 20);
    buf_release(&b);
    end(&r);
}

static void keys_without_digits(void **state)
{
    (void)state;
    assert_true(json_key_hash(STR("Functional.add.10.forward")) == json_key_hash(STR("Functional.add.99.forward")));
    assert_true(json_key_hash(STR("Functional.add.10.forward")) != json_key_hash(STR("Functional.mul.10.forward")));
    assert_true(json_key_hash(STR("")) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_are_what_they_repeat),
        cmocka_unit_test(damaged_text),
        cmocka_unit_test(no_more_than_so_much),
        cmocka_unit_test(keys_without_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

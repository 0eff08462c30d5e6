/* The limits: their defaults, every key by its name, values that are refused. */
#include "support.h"

#include "judge/thresholds.h"

static void defaults(void **state)
{
    struct thresholds t;
    (void)state;
    thresholds_init(&t);
    assert_true(t.f32.drift == 2e-5 && t.f32.deviate == 1e-3 && t.f32.product == 7e-4);
    assert_true(t.f64.drift == 2e-5 && t.f64.deviate == 1e-3 && t.f64.product == 7e-4);
    assert_true(t.f16.drift == 5e-3 && t.f16.deviate == 3e-2 && t.f16.product == 5e-3);
    assert_true(t.bf16.drift == 2e-2 && t.bf16.deviate == 8e-2 && t.bf16.product == 2e-2);
    assert_true(t.window == 64 && t.quantile == 0.75 && t.quantile_statistics == 0.9);
    assert_true(t.level == 4 && t.level_statistics == 6 && t.jump == 10);
    assert_true(t.coverage == 0.5 && t.confidence == 0.5);
}

static size_t keys(void)
{
    struct thresholds t;
    double v;
    size_t n = 0;
    thresholds_init(&t);
    while (thresholds_key(&t, (int)n, &v))
        n++;
    return n;
}

/* Each key moves its own number and no other, and every number has a key. */
static void every_key_is_its_own(void **state)
{
    struct thresholds t, fresh;
    struct err e = {0};
    (void)state;
    assert_int_equal(keys(), sizeof t / sizeof(double));
    thresholds_init(&fresh);
    for (int i = 0; i < (int)keys(); i++) {
        double v, was;
        char text[40];
        thresholds_init(&t);
        const char *key = thresholds_key(&t, i, &v);
        snprintf(text, sizeof text, " %d.625 ", 100 + i);
        assert_int_equal(thresholds_set(&t, str_of(key), str_of(text), &e), 0);
        for (int k = 0; k < (int)keys(); k++) {
            const char *other = thresholds_key(&t, k, &v);
            thresholds_key(&fresh, k, &was);
            assert_true(v == (k == i ? 100.625 + i : was));
            if (k != i)
                assert_string_not_equal(other, key);
        }
    }
    assert_int_equal(e.code, ERR_NONE);
    double v;
    assert_null(thresholds_key(&t, -1, &v));
    assert_null(thresholds_key(&t, (int)keys(), &v));
}

static void bad_values(void **state)
{
    static const char *const bad[] = {"",     " ",     "abc", "-1",    "-0.0001", "nan", "inf",
                                      "-inf", "1e999", "1,5", "1e-4x", "0x",      "1 2"};
    static const char *const good[] = {"0", "1e-4", "0.5", "1e300", " 3 ", "0x10"};
    struct thresholds t, before;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err e = {0};
        thresholds_init(&t);
        before = t;
        assert_int_equal(thresholds_set(&t, STR("float32.deviate"), str_of(bad[i]), &e), -1);
        assert_int_equal(e.code, ERR_USAGE);
        assert_non_null(strstr(e.text, "float32.deviate"));
        assert_memory_equal(&t, &before, sizeof t);
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct err e = {0};
        assert_int_equal(thresholds_set(&t, STR("coverage"), str_of(good[i]), &e), 0);
    }
}

static void unknown_keys(void **state)
{
    static const char *const bad[] = {"",        "float32", "float32.", "FLOAT32.deviate", "float32.deviate ",
                                      "deviate", "x.y"};
    struct thresholds t, before;
    (void)state;
    thresholds_init(&t);
    before = t;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err e = {0};
        assert_int_equal(thresholds_set(&t, str_of(bad[i]), STR("1"), &e), -1);
        assert_int_equal(e.code, ERR_USAGE);
        assert_non_null(strstr(e.text, "unknown threshold"));
    }
    assert_memory_equal(&t, &before, sizeof t);
}

static void limits_of_types(void **state)
{
    struct thresholds t;
    (void)state;
    thresholds_init(&t);
    assert_ptr_equal(thresholds_of(&t, DTYPE_F32), &t.f32);
    assert_ptr_equal(thresholds_of(&t, DTYPE_F64), &t.f64);
    assert_ptr_equal(thresholds_of(&t, DTYPE_F16), &t.f16);
    assert_ptr_equal(thresholds_of(&t, DTYPE_BF16), &t.bf16);
    assert_ptr_equal(thresholds_of(&t, DTYPE_F8E4M3), &t.f8);
    assert_ptr_equal(thresholds_of(&t, DTYPE_F8E5M2), &t.f8);
    for (int d = 0; d < DTYPE_COUNT; d++)
        assert_non_null(thresholds_of(&t, (enum dtype)d));
}

static void rules_have_their_numbers(void **state)
{
    (void)state;
    for (int i = 0; i < RULE_LIMIT_COUNT; i++)
        assert_true(rule_limit((enum rule_limit)i) > 0);
    assert_true(rule_limit(RULE_LIMIT_PASSAGE_ADDED) > rule_limit(RULE_LIMIT_PASSAGE_INHERITED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_have_their_numbers),
        cmocka_unit_test(defaults),
        cmocka_unit_test(every_key_is_its_own),
        cmocka_unit_test(bad_values),
        cmocka_unit_test(unknown_keys),
        cmocka_unit_test(limits_of_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Correspondences a user gives: msprobe's YAML and our JSON, and the messages for what is neither. */
#include "support.h"

#include "fmt/mapping.h"

static const char *file_of(const char *text)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/map", scratch());
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return path;
}

static void expect(const char *text, size_t n, const char *const pairs[][2])
{
    struct mapping m;
    struct err e;
    if (mapping_load(&m, file_of(text), &e))
        fail_msg("%s", e.text);
    assert_int_equal(m.entries.n, n);
    for (size_t i = 0; i < n; i++) {
        assert_true(str_is(m.entries.v[i].target, pairs[i][0]));
        assert_true(str_is(m.entries.v[i].golden, pairs[i][1]));
    }
    mapping_release(&m);
    assert_null(m.path);
}

static void yaml(void **state)
{
    (void)state;
    expect("Primitive.matmul.MatMul.0.forward.output.0: Functional.linear.0.forward.output.0\n"
           "a.b: N/A\n"
           "# a remark\n"
           "'c: d' : \"e\\tf\"\n"
           "x: '-'\n"
           "y: ~\n",
           5, (const char *const[][2]){{"Primitive.matmul.MatMul.0.forward.output.0",
                                        "Functional.linear.0.forward.output.0"},
                                       {"a.b", ""},
                                       {"c: d", "e\tf"},
                                       {"x", ""},
                                       {"y", ""}});
}

static void flow_style(void **state)
{
    (void)state;
    expect("---\na: b\n...\n", 1, (const char *const[][2]){{"a", "b"}});
    expect("", 0, NULL);
    expect("# nothing\n", 0, NULL);
}

static void json(void **state)
{
    (void)state;
    expect("{\"schema\":1,\"pairs\":[{\"target\":\"t.0\",\"golden\":\"g.0\"},{\"target\":\"t.1\",\"golden\":null}]}", 2,
           (const char *const[][2]){{"t.0", "g.0"}, {"t.1", ""}});
    expect(" \n {\"pairs\":[]}", 0, NULL);
    expect("{\"pairs\":[{\"target\":\"a\\u00e9\",\"golden\":\"-\",\"note\":1}]}", 1, (const char *const[][2]){{"a\xc3\xa9", ""}});
}

static void errors_name_file_and_place(void **state)
{
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"a: b\nc: [1, 2]\n", "line 2"},
        {"a: b\n\nc:\n  d: e\n", "line 4"},
        {"- a\n- b\n", "line 1"},
        {"just text\n", "line 1"},
        {"a: b\n\tc: d\n", "line 2"},
        {"a: 'b\n", "line 1"},
        {"{\"pairs\": {}}", "\"pairs\""},
        {"{\"pairs\": [{\"target\": 5, \"golden\": \"x\"}]}", "pairs[0]"},
        {"{\"pairs\": [{\"target\": \"a\", \"golden\": \"x\"}, {\"target\": \"a\"}]}", "pairs[1]"},
        {"{\"pairs\": [", "byte"},
        {"{\"pairs\": []} x", "byte 1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct mapping m;
        struct err e = {0};
        if (mapping_load(&m, file_of(bad[i].text), &e) == 0)
            fail_msg("taken: %s", bad[i].text);
        assert_int_equal(e.code, ERR_DATA);
        if (!strstr(e.text, bad[i].why) || !strstr(e.text, "/map"))
            fail_msg("%s", e.text);
        mapping_release(&m); /* of a failed one too */
    }
}

/* A value given by reference: read as what it stands for, or refused, but never skipped so that all that
 * follows moves up by one. */
static void aliases_do_not_shift_the_pairs(void **state)
{
    struct mapping m;
    struct err e = {0};
    (void)state;
    if (mapping_load(&m, file_of("a: &x b\nc: *x\nd: e\n"), &e) == 0) {
        for (size_t i = 0; i < m.entries.n; i++)
            if (str_is(m.entries.v[i].target, "c"))
                assert_true(str_is(m.entries.v[i].golden, "b"));
        assert_int_equal(m.entries.n, 3);
    } else {
        assert_non_null(strstr(e.text, "line 2"));
    }
    mapping_release(&m);
}

static void no_file(void **state)
{
    struct mapping m;
    struct err e = {0};
    (void)state;
    assert_int_equal(mapping_load(&m, "/nowhere/map.yaml", &e), -1);
    assert_int_equal(e.code, ERR_IO);
}

static void a_sample_of_msprobe(void **state)
{
    struct mapping m;
    struct err e;
    (void)state;
    assert_int_equal(mapping_load(&m, sample("llama_rope/data_mapping.yaml"), &e), 0);
    assert_true(m.entries.n > 100);
    for (size_t i = 0; i < m.entries.n; i++) {
        struct str t = m.entries.v[i].target;
        assert_true(str_has(t, ".forward") || str_has(t, ".backward") || str_has(t, "parameters_grad"));
        assert_int_equal(t.p[t.n], 0);
    }
    mapping_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(yaml),    cmocka_unit_test(flow_style),
        cmocka_unit_test(json),    cmocka_unit_test(errors_name_file_and_place),
        cmocka_unit_test(aliases_do_not_shift_the_pairs),
        cmocka_unit_test(no_file), cmocka_unit_test(a_sample_of_msprobe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Correspondences a user gives: msprobe's YAML and our JSON, and the messages for what is neither. */
#include "support.h"

#include "pair/mapping_file.h"

static const char *file_of(const char *text)
{
    return put_text(scratch(), "map", text);
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
    expect("{\"pairs\":[{\"target\":\"a\\u00e9\",\"golden\":\"-\",\"note\":1}]}", 1,
           (const char *const[][2]){{"a\xc3\xa9", ""}});
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
        {"A:\n  a: b\nB: c\n", "line 3"},
        {"A:\n  a: [b]\n", "line 2"},
        {"A:\n  a: b\n  a: c\n", "line 3"},
        {"- ms_api: a\n", "line 1: expected ms_api and pt_api"},
        {"- ms_api: a\n  what: b\n", "line 2: expected ms_api"},
        {"- ms_api: a\n  pt_api: b\n  ms_args: [0]\n", "ms_args has 1 entries, pt_args 0"},
        {"- ms_api: a\n  pt_api: b\n  ms_args: {0: 1}\n", "line 3: expected a list of positions"},
        {"a: b\n---\nc: d\n", "line 2: expected the end of the file"},
        {"{\"a\": 1}", "\"pairs\""},
        {"{\"a\": \"b\", \"a\": \"c\"}", "\"a\" is listed twice"},
        {"{\"schema\": 2, \"pairs\": []}", "newer version"},
        {"{\"pairs\": [{\"target\": \"a\", \"golden\": \"b\", \"view\": \"fold\"}]}", "pairs[0]"},
        {"{\"pairs\": [{\"target\": \"a\", \"golden\": \"b\", \"view\": 1}]}", "\"view\""},
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

static enum mapping_kind kind_of(const char *text)
{
    struct mapping m;
    struct err e;
    if (mapping_load(&m, file_of(text), &e))
        fail_msg("%s", e.text);
    enum mapping_kind k = m.kind;
    mapping_release(&m);
    return k;
}

static void kinds(void **state)
{
    (void)state;
    assert_int_equal(kind_of("Cell.a.X.forward.0.input.0: x\n"), MAPPING_DATA);
    assert_int_equal(kind_of("MatMul.Default_a.output.0: x\n"), MAPPING_DATA);
    assert_int_equal(kind_of("Functional_linear_0_forward_input.0: x\n"), MAPPING_DATA);
    assert_int_equal(kind_of(""), MAPPING_DATA);
    assert_int_equal(kind_of("a.b.Linear: c.d.Linear\ninput.output: x\n"), MAPPING_CELL);
    assert_int_equal(kind_of("TopLayer:\n  a: b\n"), MAPPING_LAYER);
    assert_int_equal(kind_of("- ms_api: a.b\n  pt_api: c.d\n"), MAPPING_API);
    assert_int_equal(kind_of("pt_api: c.d\nms_api: a.b\n"), MAPPING_API);
    assert_int_equal(kind_of("{\"pairs\": []}"), MAPPING_PAIRS);
    assert_int_equal(kind_of("{\"pairs\": \"Module.pairs\"}"), MAPPING_MATCHES);
    assert_int_equal(kind_of("{}"), MAPPING_MATCHES);
}

static void classes_and_operators(void **state)
{
    struct mapping m;
    struct err e;
    (void)state;
    assert_int_equal(mapping_load(&m, file_of("Cell:\n  a.b: c.d (x)\nLayer:\n  a.b: N/A\n"), &e), 0);
    assert_int_equal(m.entries.n, 2);
    assert_true(str_is(m.entries.v[0].within, MAPPING_TOP) && str_is(m.entries.v[0].golden, "c.d"));
    assert_true(str_is(m.entries.v[1].within, "Layer") && m.entries.v[1].golden.n == 0);
    mapping_release(&m);
    assert_int_equal(mapping_load(&m,
                                  file_of("- {ms_api: a.b, pt_api: c.d, ms_args: [0, key], pt_args: [1, \"0.1\"], "
                                          "ms_outputs: [], pt_output: }\n"),
                                  &e),
                     0);
    assert_int_equal(m.slots.n, 2);
    assert_true(m.entries.v[0].slot == 0 && m.entries.v[0].slots == 2 && m.slots.v[1].io == IO_INPUT);
    assert_true(str_is(m.slots.v[1].target, "key") && str_is(m.slots.v[1].golden, "0.1"));
    mapping_release(&m);
}

/* What would grow, nest or name things twice is refused, at its line. */
static void hostile(void **state)
{
    struct buf long_name = {0}, deep = {0};
    struct mapping m;
    struct err e = {0};
    (void)state;
    assert_int_equal(mapping_load(&m, file_of("a: b\na: b\n"), &e), 0);
    mapping_release(&m);
    assert_int_equal(mapping_load(&m, file_of("a: b\nc: d\na: e\n"), &e), -1);
    assert_non_null(strstr(e.text, "line 3: \"a\" is already listed"));
    for (int i = 0; i < 5000; i++)
        buf_char(&long_name, 'x');
    buf_cstr(&deep, "a: b\n? ");
    buf_str(&deep, buf_view(&long_name));
    buf_cstr(&deep, "\n: c\n");
    assert_int_equal(mapping_load(&m, file_of(deep.p), &e), -1);
    assert_non_null(strstr(e.text, "line 2: expected a name, found a text of more than 4096 bytes"));
    buf_clear(&deep);
    for (int i = 0; i < 100000; i++)
        buf_char(&deep, '[');
    assert_int_equal(mapping_load(&m, file_of(deep.p), &e), -1);
    assert_non_null(strstr(e.text, "line 1: expected an operator"));
    assert_int_equal(mapping_load(&m, file_of("a: &x b\n<<: *x\n"), &e), -1);
    assert_non_null(strstr(e.text, "line 2"));
    buf_release(&long_name);
    buf_release(&deep);
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
        cmocka_unit_test(kinds),   cmocka_unit_test(classes_and_operators),
        cmocka_unit_test(hostile), cmocka_unit_test(aliases_do_not_shift_the_pairs),
        cmocka_unit_test(no_file), cmocka_unit_test(a_sample_of_msprobe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

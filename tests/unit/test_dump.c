/* The columns of one side: names, repeated calls, slots and shapes, frames, problems. */
#include "sides.h"

#include "dump/dump.h"

static uint32_t add(struct dump *d, uint32_t call, const char *slot)
{
    struct row r = {.slot = dump_slot(d, str_of(slot)), .shape = NONE, .extra = NONE, .kind = ROW_TENSOR};
    return dump_add_row(d, call, r);
}

static const char *name_of(const struct dump *d, uint32_t row)
{
    static struct buf b;
    dump_row_name(d, row, &b);
    return b.p;
}

static void starts_empty(void **state)
{
    struct dump d;
    (void)state;
    dump_init(&d);
    assert_string_equal(d.framework, "");
    assert_true(d.step == -1 && d.rank == -1 && d.digits == 17);
    assert_int_equal(dump_find_row(&d, STR("a.b")), NONE);
    assert_int_equal(dump_find_row(&d, STR("")), NONE);
    dump_release(&d);
    dump_release(&d);
}

static void names_of_rows(void **state)
{
    struct dump d;
    (void)state;
    dump_init(&d);
    uint32_t c = dump_add_call(&d, STR("Functional.linear.0.forward"), CALL_API, PHASE_FORWARD);
    uint32_t in = add(&d, c, "input.0"), out = add(&d, c, "output.0"), whole = add(&d, c, "");
    assert_string_equal(name_of(&d, in), "Functional.linear.0.forward.input.0");
    assert_string_equal(name_of(&d, out), "Functional.linear.0.forward.output.0");
    assert_string_equal(name_of(&d, whole), "Functional.linear.0.forward");
    assert_int_equal(dump_find_row(&d, STR("Functional.linear.0.forward.input.0")), in);
    assert_int_equal(dump_find_row(&d, STR("Functional.linear.0.forward")), whole);
    assert_int_equal(dump_find_row(&d, STR("Functional.linear.0.forward.")), whole);
    static const char *const absent[] = {"Functional.linear.0", "Functional.linear.0.forward.input", "", ".",
                                         "Functional.linear.0.forward.input.00", "input.0", "x"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        assert_int_equal(dump_find_row(&d, str_of(absent[i])), NONE);
    assert_int_equal(d.calls.v[c].rows, 3);
    assert_true(d.calls.v[c].first_row == in && d.calls.v[c].last_row == whole);
    dump_release(&d);
}

/* One call's name may begin another's; a slot may hold what looks like a call. */
static void names_that_begin_alike(void **state)
{
    struct dump d;
    (void)state;
    dump_init(&d);
    uint32_t a = dump_add_call(&d, STR("A.x"), CALL_API, PHASE_FORWARD);
    uint32_t b = dump_add_call(&d, STR("A.x.y"), CALL_API, PHASE_FORWARD);
    uint32_t r1 = add(&d, a, "y.z"), r2 = add(&d, b, "q"), r3 = add(&d, a, "y.q2");
    assert_int_equal(dump_find_row(&d, STR("A.x.y.z")), r1);
    assert_int_equal(dump_find_row(&d, STR("A.x.y.q")), r2);
    assert_int_equal(dump_find_row(&d, STR("A.x.y.q2")), r3);
    dump_release(&d);
}

static void repeated_calls(void **state)
{
    struct dump d;
    char name[32];
    (void)state;
    dump_init(&d);
    for (int i = 0; i < 50; i++) {
        uint32_t c = dump_add_call(&d, STR("Add.op"), CALL_OPERATOR, PHASE_FORWARD);
        assert_int_equal(c, i);
        snprintf(name, sizeof name, i ? "Add.op#%d" : "Add.op", i + 1);
        assert_string_equal(d.calls.v[c].name, name);
        assert_true(str_is(dump_call_name(&d, c), name));
        uint32_t r = add(&d, c, "output.0");
        assert_int_equal(dump_find_row(&d, str_of(name_of(&d, r))), r);
    }
    dump_release(&d);
}

/* Rows of one call may lie between those of another. */
static void interleaved_rows(void **state)
{
    struct dump d;
    (void)state;
    dump_init(&d);
    uint32_t a = dump_add_call(&d, STR("a"), CALL_API, PHASE_FORWARD),
             b = dump_add_call(&d, STR("b"), CALL_API, PHASE_FORWARD);
    for (int i = 0; i < 10; i++)
        add(&d, i % 2 ? b : a, "s");
    uint32_t want = 0, n = 0;
    EACH_ROW(&d, a, r) {
        assert_int_equal(r, want);
        want += 2;
        n++;
    }
    assert_int_equal(n, 5);
    dump_release(&d);
}

static void shared_slots_shapes_and_scopes(void **state)
{
    struct dump d;
    struct buf text = {0};
    (void)state;
    dump_init(&d);
    assert_int_equal(dump_slot(&d, STR("input.0")), dump_slot(&d, STR("input.0")));
    assert_true(dump_slot(&d, STR("input.0")) != dump_slot(&d, STR("input.1")));
    assert_int_equal(d.slots.n, 2);
    assert_int_equal(dump_scope(&d, STR("a.b")), dump_scope(&d, STR("a.b")));
    uint32_t s = dump_shape(&d, (const int64_t[]){2, 3}, 2);
    assert_int_equal(s, dump_shape(&d, (const int64_t[]){2, 3}, 2));
    assert_true(s != dump_shape(&d, (const int64_t[]){3, 2}, 2));
    assert_true(s != dump_shape(&d, (const int64_t[]){2, 3, 1}, 3));
    assert_int_equal(d.shapes.v[s]->numel, 6);
    uint32_t scalar = dump_shape(&d, NULL, 0);
    assert_true(d.shapes.v[scalar]->numel == 1 && d.shapes.v[scalar]->ndim == 0);
    assert_int_equal(d.shapes.v[dump_shape(&d, (const int64_t[]){5, 0}, 2)]->numel, 0);
    assert_int_equal(dump_shape(&d, (const int64_t[]){-1}, 1), NONE);
    assert_int_equal(dump_shape(&d, (const int64_t[]){INT64_MAX, 3}, 2), NONE);
    shape_text(d.shapes.v[s], &text);
    shape_text(d.shapes.v[scalar], &text);
    assert_string_equal(text.p, "[2,3][]");
    buf_release(&text);
    dump_release(&d);
}

static void element_counts(void **state)
{
    struct dump d;
    (void)state;
    dump_init(&d);
    uint32_t c = dump_add_call(&d, STR("c"), CALL_API, PHASE_FORWARD);
    uint32_t r = add(&d, c, "a");
    assert_null(dump_row_shape(&d, r));
    assert_int_equal(dump_row_numel(&d, r), 0); /* unknown */
    d.rows.v[r].kind = ROW_INT;
    assert_int_equal(dump_row_numel(&d, r), 1);
    d.rows.v[r].kind = ROW_TENSOR;
    d.rows.v[r].shape = dump_shape(&d, (const int64_t[]){4, 4}, 2);
    assert_int_equal(dump_row_numel(&d, r), 16);
    struct tensor t;
    struct err e = {0};
    assert_int_equal(dump_tensor(&d, r, &t, &e), -1); /* no file was recorded */
    assert_int_equal(e.code, ERR_DATA);
    dump_release(&d);
}

static void frames(void **state)
{
    static const struct {
        const char *text, *file, *func, *code;
        uint32_t line;
    } cases[] = {
        {"File /a/b.py, line 12, in forward, \n return x", "/a/b.py", "forward", "return x", 12},
        {"File \"/a b/c.py\", line 7, in <module>, \n main()", "/a b/c.py", "<module>", "main()", 7},
        {"File x.py, line 3, in f", "x.py", "f", "", 3},
        {"File a, b.py, line 3, in f, \n g(1, 2)", "a, b.py", "f", "g(1, 2)", 3},
        {"File x.py, line q, in f", "", "", "", 0},
        {"something else", "", "", "", 0},
        {"File ", "", "", "", 0},
        {"", "", "", "", 0},
    };
    struct dump d;
    (void)state;
    dump_init(&d);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t f = dump_frame(&d, str_of(cases[i].text));
        assert_int_equal(f, i);
        assert_int_equal(dump_frame(&d, str_of(cases[i].text)), f);
        const struct frame *x = &d.frames.v[f];
        assert_string_equal(x->file, cases[i].file);
        assert_string_equal(x->func, cases[i].func);
        assert_string_equal(x->code, cases[i].code);
        assert_int_equal(x->line, cases[i].line);
        if (!cases[i].line)
            assert_string_equal(x->raw, cases[i].text);
    }
    dump_release(&d);
}

static void problems(void **state)
{
    struct dump d;
    (void)state;
    dump_init(&d);
    uint32_t c = dump_add_call(&d, STR("c"), CALL_API, PHASE_FORWARD), good = add(&d, c, "a"), bad = add(&d, c, "b");
    dump_problem(&d, NONE, "missing-file", "no stack.json");
    dump_problem(&d, bad, "damaged", "x: byte 5");
    dump_warn(&d, "odd");
    assert_null(dump_row_problem(&d, good));
    assert_string_equal(dump_row_problem(&d, bad)->text, "x: byte 5");
    assert_string_equal(d.warnings.v[0], "odd");
    dump_release(&d);
}

/* Names longer than a call can hold are cut, not overrun. */
static void very_long_names(void **state)
{
    struct dump d;
    struct buf b = {0};
    (void)state;
    dump_init(&d);
    while (b.n < 100000)
        buf_char(&b, 'x');
    uint32_t one = dump_add_call(&d, buf_view(&b), CALL_API, PHASE_FORWARD);
    uint32_t two = dump_add_call(&d, buf_view(&b), CALL_API, PHASE_FORWARD);
    assert_true(dump_call_name(&d, one).n < 65536);
    assert_int_equal(strlen(d.calls.v[one].name), d.calls.v[one].name_len);
    assert_int_equal(strlen(d.calls.v[two].name), d.calls.v[two].name_len);
    assert_true(str_ends(dump_call_name(&d, two), "#2"));
    buf_release(&b);
    dump_release(&d);
}

/* Names that hold a NUL, and names that lead to one and the same: who has a twin is its twin's. */
static void twins_are_mutual(void **state)
{
    const struct str names[] = {STR("a.forward"),          STR("a.\0backward"),       STR("a.backward"),
                                STR("b.backward.forward"), STR("b.forward.backward"), STR("b.forward.forward")};
    struct dump d;
    (void)state;
    dump_init(&d);
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        dump_add_call(&d, names[i], CALL_API, i == 0 || i == 5 ? PHASE_FORWARD : PHASE_BACKWARD);
    dump_link_twins(&d);
    for (uint32_t c = 0; c < d.calls.n; c++)
        assert_true(d.calls.v[c].twin == NONE || d.calls.v[d.calls.v[c].twin].twin == c);
    assert_int_equal(d.calls.v[0].twin, 2);
    assert_int_equal(d.calls.v[1].twin, NONE);
    assert_int_equal(d.calls.v[3].twin, 5);
    assert_int_equal(d.calls.v[4].twin, NONE);
    dump_release(&d);
}

/* Stacks begin at the model's code, also where it is an installed package: frameworks and recorders alone are
 * hidden. */
static void stacks_begin_at_the_model(void **state)
{
    static const struct {
        const char *file[3];
        uint32_t start;
    } cases[] = {
        {{"/x/site-packages/torch/nn/functional.py", "/x/site-packages/transformers/models/llama.py", "/src/train.py"}, 1},
        {{"/x/site-packages/mindspore/ops.py", "/x/site-packages/mindone/bert.py", "/src/train.py"}, 1},
        {{"/x/dist-packages/msprobe/hook.py", "/x/lib/python3.11/functools.py", "/src/train.py"}, 2},
        {{"/x/site-packages/timm/vit.py", "/x/site-packages/torch/nn/module.py", "/src/train.py"}, 0},
        {{"/x/site-packages/torch/a.py", "/x/site-packages/torch/b.py", "/x/site-packages/torch/c.py"}, 0},
    };
    static const uint32_t line[] = {1, 2, 3};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct dump d;
        side_start(&d, "pytorch");
        uint32_t call = side_call(&d, "Functional.linear.0.forward", NULL);
        side_stack(&d, call, cases[i].file, line, 3);
        assert_int_equal(dump_stack_start(&d, d.calls.v[call].stack), cases[i].start);
        dump_release(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_begin_at_the_model),
        cmocka_unit_test(starts_empty),
        cmocka_unit_test(twins_are_mutual),
        cmocka_unit_test(names_of_rows),
        cmocka_unit_test(names_that_begin_alike),
        cmocka_unit_test(repeated_calls),
        cmocka_unit_test(interleaved_rows),
        cmocka_unit_test(shared_slots_shapes_and_scopes),
        cmocka_unit_test(element_counts),
        cmocka_unit_test(frames),
        cmocka_unit_test(problems),
        cmocka_unit_test(very_long_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Addresses: by module path, by stack, by shape; each leads back to its row. */
#include "sides.h"

#include "dump/reader.h"
#include "pair/address.h"
#include "sessions.h"

static const char *of_row(const struct addresses *a, uint32_t row)
{
    static struct buf out;
    address_of_row(a, row, &out);
    return out.p;
}

static void by_module_path(void **state)
{
    struct dump d;
    struct addresses a;
    (void)state;
    side_start(&d, "pytorch");
    uint32_t first = side_pass(&d, "Functional.linear.0.forward", "model.layers.0.wq", "2,8");
    uint32_t other = side_pass(&d, "Functional.linear.1.forward", "model.layers.1.wq", "2,8");
    uint32_t again = side_pass(&d, "Functional.linear.2.forward", "model.layers.1.wq", "2,8");
    uint32_t back = side_pass(&d, "Functional.linear.2.backward", NULL, "2,8");
    uint32_t module = side_pass(&d, "Module.model.layers.1.wq.Linear.forward.0", "model.layers.1.wq", "2,8");
    side_end(&d);
    addresses_build(&a, &d);
    assert_string_equal(of_row(&a, first), "model.layers.0.wq/linear@0/forward.output.0");
    assert_string_equal(of_row(&a, other), "model.layers.1.wq/linear@0/forward.output.0");
    assert_string_equal(of_row(&a, again), "model.layers.1.wq/linear@1/forward.output.0");
    assert_string_equal(of_row(&a, again - 1), "model.layers.1.wq/linear@1/forward.input.0");
    assert_string_equal(of_row(&a, back),
                        "model.layers.1.wq/linear@0/backward.output.0"); /* its twin's place, its own count */
    assert_string_equal(of_row(&a, module), "model.layers.1.wq/Linear@0/forward.output.0");
    assert_int_equal(address_count(&a, d.rows.v[again].call), 2);
    assert_int_equal(address_count(&a, d.rows.v[back].call), 1);
    addresses_release(&a);
    dump_release(&d);
}

static void by_stack(void **state)
{
    static const char *const file[] = {"/x/lib/site-packages/torch/nn/functional.py",
                                       "/src/rope.py",
                                       "/src/attention.py",
                                       "/src/block.py",
                                       "/src/model.py",
                                       "/src/train.py"};
    static const uint32_t line[] = {9, 42, 88, 30, 7, 1};
    struct dump d;
    struct addresses a;
    (void)state;
    side_start(&d, "pytorch");
    uint32_t row = side_pass(&d, "Tensor.__mul__.0.forward", NULL, "2,8");
    side_stack(&d, d.rows.v[row].call, file, line, 6);
    uint32_t lib = side_pass(&d, "Functional.linear.0.forward", NULL, "2,8");
    side_stack(&d, d.rows.v[lib].call, file, line, 1);
    side_end(&d);
    addresses_build(&a, &d);
    /* four frames of one's own code, innermost first; the library's only where there is nothing else */
    assert_string_equal(of_row(&a, row),
                        "rope.py:42<attention.py:88<block.py:30<model.py:7/__mul__@0/forward.output.0");
    assert_string_equal(of_row(&a, lib), "functional.py:9/linear@0/forward.output.0");
    addresses_release(&a);
    dump_release(&d);
}

static void by_shape_alone(void **state)
{
    struct dump d;
    struct addresses a;
    (void)state;
    side_start(&d, "pytorch");
    uint32_t row = side_pass(&d, "Functional.linear.0.forward", NULL, "2,8,16");
    uint32_t call = side_call(&d, "Functional.linear.1.forward", NULL);
    uint32_t in = side_row(&d, call, "input.0", "4");
    side_end(&d);
    addresses_build(&a, &d);
    assert_string_equal(of_row(&a, row), "[2,8,16]/linear@0/forward.output.0");
    assert_string_equal(of_row(&a, in), "/linear@0/forward.input.0"); /* nothing known at all */
    assert_int_equal(address_find(&a, STR("/linear@0/forward.input.0")), in);
    addresses_release(&a);
    dump_release(&d);
}

static void what_is_no_address(void **state)
{
    static const char *const bad[] = {"",
                                      "/",
                                      "x",
                                      "/.",
                                      "./",
                                      "model.layers.0.wq/linear@0",
                                      "model.layers.0.wq/linear@0/forward",
                                      "model.layers.0.wq/linear@0/forward.",
                                      "model.layers.0.wq/linear@0/.output.0",
                                      "model.layers.0.wq/linear@00/forward.output.0",
                                      "model.layers.0.wq/linear@1/forward.output.0",
                                      "model.layers.0.wq/linear@0/backward.output.0",
                                      "model.layers.0.wq/linear@0/forward.output.1",
                                      "model.layers.0.wq/linear@0/forward.output.0 "};
    struct dump d;
    struct addresses a;
    (void)state;
    side_start(&d, "pytorch");
    uint32_t row = side_pass(&d, "Functional.linear.0.forward", "model.layers.0.wq", "2,8");
    side_end(&d);
    addresses_build(&a, &d);
    assert_int_equal(address_find(&a, STR("model.layers.0.wq/linear@0/forward.output.0")), row);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(address_find(&a, str_of(bad[i])), NONE);
    addresses_release(&a);
    dump_release(&d);
}

/* Arguments have names of any kind; the phase and the slot are what stands behind the operator. */
static void slots_with_slashes(void **state)
{
    static const char *const slots[] = {"input.a/b", "input./", "input.x/forward.output.0", "input.//forward.",
                                        "output.0"};
    struct dump d;
    struct addresses a;
    (void)state;
    side_start(&d, "pytorch");
    uint32_t call = side_call(&d, "Functional.linear.0.forward", "model.layers.0.wq");
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        side_row(&d, call, slots[i], "2");
    side_end(&d);
    addresses_build(&a, &d);
    for (uint32_t r = 0; r < d.rows.n; r++)
        assert_int_equal(address_find(&a, str_of(of_row(&a, r))), r);
    addresses_release(&a);
    dump_release(&d);
}

/* Every row of real dumps is found at its address; only rows a call has under one name twice may lead to the first. */
static void each_leads_back(void **state)
{
    static const char *const paths[] = {"llama_rope/ms",    "llama_rope/torch",    "tt_rope/target",
                                        "overflow_stat/ms", "msdump/ms/statistic", "recompute/torch",
                                        "procdir/torch",    "clean_mix_stat/torch"};
    struct buf text = {0}, other = {0};
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct session *s = open_paths(sample(paths[i]), NULL);
        const struct dump *d = &s->now->side[0].dump;
        struct addresses a;
        size_t odd = 0;
        addresses_build(&a, d);
        for (uint32_t r = 0; r < d->rows.n; r++) {
            address_of_row(&a, r, &text);
            uint32_t found = address_find(&a, buf_view(&text));
            assert_true(found != NONE);
            address_of_row(&a, found, &other);
            assert_string_equal(text.p, other.p);
            odd += found != r;
        }
        if (odd)
            fail_msg("%s: %zu rows are not found at their own address", paths[i], odd);
        addresses_release(&a);
        shut(s);
    }
    buf_release(&text);
    buf_release(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_module_path),
        cmocka_unit_test(by_stack),
        cmocka_unit_test(by_shape_alone),
        cmocka_unit_test(what_is_no_address),
        cmocka_unit_test(slots_with_slashes),
        cmocka_unit_test(each_leads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

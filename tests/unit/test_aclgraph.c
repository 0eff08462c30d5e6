/* Names of files that msprobe's AclGraphDumper writes, and what is such a folder. */
#include "opened.h"

#include "fmt/aclgraph.h"

static void names(void **state)
{
    static const struct {
        const char *stem, *call, *slot; /* call NULL: no such name */
        enum row_io io;
    } cases[] = {
        {"Module.layers.0.Mlp.3.input.0", "Module.layers.0.Mlp.forward.3", "input.0", IO_INPUT},
        {"Module.layers.0.Mlp.3.input_kwargs.mask.1", "Module.layers.0.Mlp.forward.3", "input.mask.1", IO_INPUT},
        {"Module.layers.0.Mlp.3.output", "Module.layers.0.Mlp.forward.3", "output.0", IO_OUTPUT},
        {"Module.layer.0.output.BertOutput.2.output.1", "Module.layer.0.output.BertOutput.forward.2", "output.1", IO_OUTPUT},
        {"Aten.add.Tensor.12.output", "Aten.add.Tensor.12.forward", "output.0", IO_OUTPUT},
        {"Torch.my_ns.op.0.input.2.0", "Torch.my_ns.op.0.forward", "input.2.0", IO_INPUT},
        {"layers.0.mlp.output", NULL, NULL, IO_INPUT},
        {"0.output", NULL, NULL, IO_INPUT},
        {"mlp.0.outputs", NULL, NULL, IO_INPUT},
        {"Functional.linear.0.forward.input.0", NULL, NULL, IO_INPUT},
        {"Module.x.Y.+1.input.0", NULL, NULL, IO_INPUT},
        {"", NULL, NULL, IO_INPUT},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf call = {0}, slot = {0};
        enum row_io io = IO_COUNT;
        bool yes = aclgraph_name(str_of(cases[i].stem), &call, &slot, &io);
        if (yes != (cases[i].call != NULL) ||
            (yes && (strcmp(call.p, cases[i].call) != 0 || strcmp(slot.p, cases[i].slot) != 0 || io != cases[i].io)))
            fail_msg("%s: %s %s", cases[i].stem, yes ? call.p : "-", yes ? slot.p : "-");
        buf_release(&call);
        buf_release(&slot);
    }
}

/* A module stands behind what lies in it; one damaged file costs its row. */
static void rows(void **state)
{
    struct opened o;
    (void)state;
    assert_int_equal(open_as(&o, sample("open/aclgraph/a/step1"), "msprobe-aclgraph"), 0);
    assert_string_equal(o.d.level, "L0");
    uint32_t up = row_named(&o.d, "Module.layers.0.up_proj.Linear.forward.1.output.0"),
             down = row_named(&o.d, "Module.layers.0.down_proj.Linear.forward.1.output.0"),
             mlp = row_named(&o.d, "Module.layers.0.Mlp.forward.1.input.scale"),
             root = row_named(&o.d, "Module.__root__.Net.forward.1.input.0");
    assert_true(up < down && down < mlp && mlp < root);
    shut_opened(&o);
    const char *dir = scratch();
    put_text(dir, "step0/rank0/dump_tensor_data/Aten.mm.0.input.0.pt", "x");
    put_text(dir, "step0/rank0/dump_tensor_data/Aten.mm.0.output.pt", "x");
    assert_int_equal(open_as(&o, dir, "msprobe-aclgraph"), -1); /* nothing can be read */
    shut_opened(&o);
    put_text(dir, "step0/rank0/dump.json", "{\"task\": \"tensor\", \"level\": \"L1\", \"data\": {}}");
    assert_int_equal(open_as(&o, dir, "msprobe"), 0);
    shut_opened(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

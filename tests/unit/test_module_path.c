/* Paths of modules without the wrappers of data-parallel, sharded, compiled and recomputed modules. */
#include "support.h"

#include "base/mem.h"
#include "dump/module_path.h"

static void wrappers_are_left_out(void **state)
{
    static const char *const paths[][2] = {
        {"model.layers.0.mlp", "model.layers.0.mlp"},
        {"module.model.layers.0.mlp", "model.layers.0.mlp"},
        {"module.module.decoder", "decoder"},
        {"_fsdp_wrapped_module.model.layers.0._fsdp_wrapped_module.mlp", "model.layers.0.mlp"},
        {"_orig_mod.module.model.layers.0._checkpoint_wrapped_module._orig_mod", "model.layers.0"},
        {"model.module.mlp", "model.module.mlp"}, /* a module of that name */
        {"module", ""},
        {"", ""},
    };
    struct buf out = {0};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
        module_path_plain(str_of(paths[i][0]), &out);
        assert_true(str_is(buf_view(&out), paths[i][1]));
    }
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wrappers_are_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

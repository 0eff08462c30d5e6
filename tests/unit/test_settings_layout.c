/* What settings tell of a job's layout, and what stays the recordings' to tell. */
#include <string.h>

#include "config/settings_layout.h"
#include "support.h"

static struct layout told(const char *name, const char *text, int ranks, const char *given)
{
    struct layout l;
    struct err e;
    struct buf path = {0};
    const char *dir = scratch();
    put_text(dir, name, text);
    if (given)
        assert_int_equal(layout_parse(&l, str_of(given), &e), 0);
    else
        layout_init(&l);
    path_join(&path, dir, name);
    settings_layout(&l, path.p, ranks);
    buf_release(&path);
    return l;
}

static const char script[] = "#!/bin/bash\nTP=2\ntorchrun pretrain_gpt.py --num-layers 4 --hidden-size 64 \\\n"
                             "  --num-attention-heads 4 --tensor-model-parallel-size $TP \\\n"
                             "  --pipeline-model-parallel-size 2 --sequence-parallel --use-tp-pp-dp-mapping\n";
static const char yaml[] = "runner_config:\n  epochs: 1\n  batch_size: 2\nparallel_config:\n  data_parallel: 2\n"
                           "  model_parallel: 4\n  pipeline_stage: 2\n  use_seq_parallel: True\n"
                           "model:\n  model_config:\n    type: LlamaConfig\n    num_layers: 4\n";

static void a_launch_script_tells_the_degrees(void **state)
{
    (void)state;
    struct layout l = told("run.sh", script, 8, NULL);
    char order[32];
    assert_int_equal(l.source, LAYOUT_SETTINGS);
    assert_int_equal(l.size[CUT_TP], 2);
    assert_int_equal(l.size[CUT_PP], 2);
    assert_true(l.sp && l.given_sp && l.given[CUT_TP] && l.given[CUT_PP]);
    assert_false(l.given[CUT_CP]); /* a default is nobody's word */
    assert_false(l.given[CUT_DP]);
    layout_order_text(&l, order);
    assert_string_equal(order, "tp-pp-dp");
    assert_string_equal(l.why, "tp 2, pp 2, sp: from the settings (run.sh)");
}

static void mindformers_tells_them_too(void **state)
{
    (void)state;
    struct layout l = told("run.yaml", yaml, 16, NULL);
    assert_int_equal(l.size[CUT_TP], 4);
    assert_int_equal(l.size[CUT_PP], 2);
    assert_true(l.sp);
    assert_int_equal(l.source, LAYOUT_SETTINGS);
}

static void what_was_given_stands(void **state)
{
    (void)state;
    struct layout l = told("run.sh", script, 8, "tp=4,sp=off");
    assert_int_equal(l.source, LAYOUT_GIVEN);
    assert_int_equal(l.size[CUT_TP], 4);
    assert_int_equal(l.size[CUT_PP], 2);
    assert_false(l.sp);
}

static void degrees_that_do_not_divide_the_ranks_are_not_used(void **state)
{
    (void)state;
    struct layout l = told("run.sh", script, 2, NULL);
    assert_int_equal(l.source, LAYOUT_NONE);
    assert_int_equal(l.size[CUT_TP], 1);
    assert_false(l.given[CUT_TP]);
    assert_string_equal(l.why, "tp 2, pp 2 of the settings (run.sh) do not divide 2 ranks: not used");
}

static void what_is_no_settings_is_said(void **state)
{
    (void)state;
    struct layout l = told("run.txt", "nothing of the kind\n", 2, NULL);
    assert_int_equal(l.source, LAYOUT_NONE);
    assert_true(strncmp(l.why, "settings not read: ", 19) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_script_tells_the_degrees),
        cmocka_unit_test(mindformers_tells_them_too),
        cmocka_unit_test(what_was_given_stands),
        cmocka_unit_test(degrees_that_do_not_divide_the_ranks_are_not_used),
        cmocka_unit_test(what_is_no_settings_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

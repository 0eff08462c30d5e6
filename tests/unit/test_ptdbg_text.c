/* Dumps of 2022 whose values stand in the text: whole and sampled rows, calls without numbers, and lines that are
 * damaged. */
#include "opened.h"
#include "sessions.h"

#include <math.h>

#define TEN "0, 1, 2, 3, 4, 5, 6, 7, 8, 9"

static void whole_tensors(void **state)
{
    struct opened o;
    struct tensor t;
    float v[4];
    (void)state;
    const char *path =
        put_text(scratch(), "npu_module_op.pkl",
                 "[\"0_Functional_batch_norm_forward_input.0\", [1.5, NaN, -Infinity, 0.1], \"torch.float16\", [2, "
                 "2]]\n"
                 "[\"1_Functional_batch_norm_forward_output\", [2.0], \"torch.float32\", []]\n"
                 "[\"2_Functional_batch_norm_forward_input.0\", [], \"torch.float32\", [0, 3]]\n"
                 "[\"3_Functional_batch_norm_forward_input.1\", [" TEN ", 10, 11, 12], \"torch.float32\", [13]]\n"
                 "[\"4_Functional_batch_norm_backward_output.0\", [1.0, 2.0], \"torch.float32\", [2]]\n");
    assert_int_equal(open_as(&o, path, "ptdbg-text"), 0);
    assert_int_equal(o.d.rows.n, 5);
    assert_int_equal(o.d.calls.n, 3); /* a name that comes again is another call; the backward one */
    assert_int_equal(o.d.problems.n + o.d.warnings.n, 0);
    assert_string_equal(o.d.task, "tensor");
    uint32_t r = row_named(&o.d, "Functional_batch_norm_forward_input.0");
    assert_int_equal(o.d.rows.v[r].dtype, DTYPE_F16);
    assert_int_equal(dump_tensor(&o.d, r, &t, &o.e), 0);
    assert_true(t.dtype == DTYPE_F32 && t.ndim == 2 && t.numel == 4);
    assert_int_equal(file_read(&t.file, t.offset, v, sizeof v, &o.e), 0);
    assert_true(v[0] == 1.5f && isnan(v[1]) && v[2] == -INFINITY && v[3] == 0.1f);
    tensor_close(&t);
    r = row_named(&o.d, "Functional_batch_norm_forward#2_input.1");
    assert_true(o.d.rows.v[r].has & HAS_FILE);
    assert_false(o.d.rows.v[r].has & HAS_MAX);
    assert_int_equal(o.d.calls.v[o.d.rows.v[r].call].family, o.d.calls.v[0].family);
    shut_opened(&o);
}

static void sampled_tensors(void **state)
{
    struct opened o;
    (void)state;
    const char *path =
        put_text(scratch(), "gpu.txt",
                 "[\"0_Functional_linear_forward_input.0\", [" TEN ", 10, 11, 12.5], \"torch.float32\", [13]]\n"
                 "[\"1_Functional_linear_forward_input.1\", [" TEN ", 99.5, -7, 0.25], \"torch.float32\", [30, 2]]\n"
                 "[\"2_Functional_linear_forward_output\", [1, 2, 2, 1, 1.5], \"torch.float32\", [2]]\n"
                 "[\"3_Functional_linear_forward_input.0\", [1, 2, null, 1, 1.5], \"torch.float32\", [2]]\n");
    assert_int_equal(open_as(&o, path, "ptdbg-text"), 0);
    assert_string_equal(o.d.task, "statistics");
    assert_int_equal(o.d.warnings.n, 1);
    assert_int_equal(o.d.problems.n, 1);
    assert_true(o.d.rows.v[3].has == (HAS_SHAPE | IS_DAMAGED | IS_UNPARSED));
    static const double want[3][3] = {{10, 11, 12.5}, {99.5, -7, 0.25}, {2, 1, 1.5}};
    for (int i = 0; i < 3; i++) { /* thirteen values may be either; the others tell */
        const struct row *r = &o.d.rows.v[i];
        assert_int_equal(r->has & (HAS_FILE | HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM), HAS_MAX | HAS_MIN | HAS_MEAN);
        assert_true(r->stat[STAT_MAX] == want[i][0] && r->stat[STAT_MIN] == want[i][1] &&
                    r->stat[STAT_MEAN] == want[i][2]);
    }
    shut_opened(&o);
}

static void damaged_lines_cost_themselves(void **state)
{
    struct opened o;
    struct tensor t;
    (void)state;
    const char *path =
        put_text(scratch(), "x",
                 "[\"Functional_a_forward_input.0\", [1, 2], \"torch.float32\", [3]]\n"
                 "[\"Functional_a_forward_input.1\", [1, x], \"torch.float32\", [2]]\n"
                 "nonsense\n[\"no name\", [1], \"torch.float32\", [1]]\n"
                 "[\"Functional_a_forward_input.2\", [1, 2], \"torch.float32\", [9999999999, 9999999999]]\n"
                 "[\"Functional_a_forward_output\", [1, 2], \"torch.fl");
    assert_int_equal(open_as(&o, path, "ptdbg-text"), 0);
    assert_int_equal(o.d.rows.n, 4);
    assert_int_equal(o.d.problems.n, 5);
    assert_non_null(strstr(o.d.problems.v[0].text, "expected 3 values by the shape, found 2"));
    assert_int_equal(dump_tensor(&o.d, row_named(&o.d, "Functional_a_forward_input.1"), &t, &o.e), -1);
    assert_non_null(strstr(o.e.text, "byte 99: expected a number"));
    shut_opened(&o);
}

static void values_are_compared(void **state)
{
    (void)state;
    const char *dir = scratch();
    char target[1000], golden[1000];
    snprintf(target, sizeof target, "%s",
             put_text(dir, "npu.pkl",
                      "[\"0_Functional_linear_forward_output\", [1.0, 2.02], \"torch.float32\", [2]]\n"));
    snprintf(golden, sizeof golden, "%s",
             put_text(dir, "gpu.pkl",
                      "[\"0_Functional_linear_forward_output\", [1.0, 2.0], \"torch.float32\", [2]]\n"));
    struct session *s = open_paths(target, golden);
    assert_int_equal(s->now->judged->sum.by[VERDICT_DEVIATE], 1);
    assert_true(fabs(s->now->measure.figures[0]->max_abs - 0.02) < 1e-6);
    shut(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_tensors),
        cmocka_unit_test(sampled_tensors),
        cmocka_unit_test(damaged_lines_cost_themselves),
        cmocka_unit_test(values_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

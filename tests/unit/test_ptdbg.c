/* ptdbg_ascend folders: counts and first deviations that independent code found in the samples, rows, names,
 * stacks, and lines that are damaged. */
#include "sessions.h"

#include <math.h>
#include <sys/stat.h>

#include "base/io.h"

static void samples(void **state)
{
    struct buf first = {0};
    (void)state;
    struct session *s = open_paths(sample("ptdbg/combined/npu"), sample("ptdbg/combined/gpu"));
    const struct dump *d = &s->now->side[0].dump;
    assert_int_equal(d->rows.n, 399);
    assert_int_equal(s->now->side[1].dump.rows.n, 247);
    assert_int_equal(s->now->judged->sum.only[TARGET], 152);
    assert_int_equal(s->now->judged->sum.only[GOLDEN], 0);
    assert_int_not_equal(s->now->judged->first, NONE);
    dump_row_name(d, s->now->pairing->lines.v[s->now->judged->first].row[0], &first);
    assert_string_equal(first.p, "Torch_einsum_0_forward_input.2"); /* the frequencies themselves */
    buf_release(&first);
    uint32_t stacks = 0;
    for (size_t i = 0; i < d->calls.n; i++)
        stacks += d->calls.v[i].stack != NONE;
    assert_true(stacks > 50);
    shut(s);
    s = open_paths(sample("ptdbg/summary/npu"), sample("ptdbg/summary/gpu"));
    assert_string_equal(s->now->side[0].dump.task, "statistics");
    assert_int_not_equal(s->now->judged->first, NONE);
    shut(s);
    s = open_paths(sample("ptdbg/md5/npu"), sample("ptdbg/md5/gpu"));
    assert_true(s->now->side[0].dump.checksums);
    shut(s);
}

static const char *folder(const char *pkl)
{
    const char *dir = scratch();
    put_text(dir, "rank0/api_stack_dump.pkl", pkl);
    return path_in(dir, "rank0");
}

/* F.embedding calls torch.embedding, and both are hooked: they are one. Neighbours of one name that put out different
 * tensors, or of one space, or of which one has no output, are not. */
static void calls_inside_calls(void **state)
{
    (void)state;
    struct session *s =
        open_paths(folder("[\"Torch_embedding_0_forward_output\", 1, [], \"torch.float32\", [2], [1.0, -1.0, 0.5]]\n"
                          "[\"Functional_embedding_0_forward_output\", 1, [], \"torch.float32\", [2], [1.0, -1.0, "
                          "0.5]]\n"
                          "[\"Tensor_softmax_0_forward_output\", 1, [], \"torch.float32\", [2], [1.0, 0.0, 0.5]]\n"
                          "[\"Functional_softmax_0_forward_output\", 1, [], \"torch.float32\", [2], [2.0, 0.0, 0.5]]\n"
                          "[\"Functional_relu_0_forward_output\", 1, [], \"torch.float32\", [2], [2.0, 0.0, 0.5]]\n"
                          "[\"Functional_relu_1_forward_output\", 1, [], \"torch.float32\", [2], [2.0, 0.0, 0.5]]\n"
                          "[\"Tensor_relu_0_forward_input.0\", 1, [], \"torch.float32\", [2], [2.0, 0.0, 0.5]]\n"),
                   NULL);
    const struct dump *d = &s->now->side[0].dump;
    static const uint32_t want[] = {1, 0, NONE, NONE, NONE, NONE, NONE};
    for (uint32_t c = 0; c < ARRAY_LEN(want); c++)
        assert_int_equal(d->calls.v[c].nested, want[c]);
    shut(s);
}

static void damaged_lines_cost_themselves(void **state)
{
    (void)state;
    struct session *s =
        open_paths(folder("[\"Tensor_a_0_forward_input.0\", 1, [], \"torch.float32\", [2], [1.0, -1.0, 0.5]]\n"
                          "[\"Tensor_b_0_forward_input.0\", 1, [], \"torch.fl\n"
                          "[\"Tensor_c_0_forward_input.0\", 1, [], \"torch.float32\", [2], [NaN, -Infinity, NaN]]\n"
                          "5\n[]\n[5]\n[null, {}]\n[\"Tensor_c_0_forward_stack_info\"]\n"
                          "[\"Tensor_d_0_forward_input.0\", 1, []"),
                   NULL);
    const struct dump *d = &s->now->side[0].dump;
    uint32_t a = dump_find_row(d, STR("Tensor_a_0_forward_input.0")),
             c = dump_find_row(d, STR("Tensor_c_0_forward_input.0"));
    assert_int_not_equal(a, NONE);
    assert_int_not_equal(c, NONE);
    assert_true(d->rows.v[a].stat[STAT_MAX] == 1 && d->rows.v[a].stat[STAT_MIN] == -1);
    assert_true((d->rows.v[c].has & HAS_MAX) && isnan(d->rows.v[c].stat[STAT_MAX]));
    assert_true(d->problems.n >= 2);
    for (size_t i = 0; i < d->problems.n; i++)
        assert_non_null(strstr(d->problems.v[i].text, "api_stack_dump"));
    shut(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples),
        cmocka_unit_test(calls_inside_calls),
        cmocka_unit_test(damaged_lines_cost_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

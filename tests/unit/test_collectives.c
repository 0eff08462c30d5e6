/* Reductions of recorded ranks, recomputed from what went in. */
#include "fmt/find_recordings.h"
#include "ranks/collectives.h"
#include "tensors.h"

#define ELEMENTS 8

/* Two data-parallel ranks with one all-reduce, as it was found. */
struct job {
    place_list places;
    struct rank_set set;
    struct layout layout;
    struct whole_calls calls;
    struct collective_list found;
};

static void put_rank(const char *root, int rank, const float *in, const float *out, size_t n)
{
    char dir[300], sizes[20];
    struct tensor_dump d;
    snprintf(dir, sizeof dir, "%s/step0/rank%d", root, rank);
    tensors_begin_at(&d, dir);
    snprintf(sizes, sizeof sizes, "%zu", n);
    tensors_pass(&d, "Distributed.all_reduce.0.forward", sizes, in, out, n);
    tensors_end(&d);
}

static const struct collective *found(struct job *j, const float *const in[2], const float *const out[2],
                                      const size_t n[2])
{
    const char *root = scratch();
    struct err e;
    put_text(root, "step0/rank0/none", "");
    put_text(root, "step0/rank1/none", "");
    for (int r = 0; r < 2; r++)
        put_rank(root, r, in[r], out[r], n[r]);
    *j = (struct job){.places = {0}};
    assert_int_equal(find_recordings(root, &j->places, &e), 0);
    assert_int_equal(rank_set_load(&j->set, root, &j->places, 0, 0, &e), 0);
    assert_int_equal(layout_parse(&j->layout, STR("dp=2"), &e), 0);
    whole_calls_build(&j->calls, &j->set, &j->layout);
    collectives_find(&j->found, &j->calls, TARGET, 0);
    assert_int_equal(j->found.v.n, 1);
    return &j->found.v.v[0];
}

static void done(struct job *j)
{
    collective_list_release(&j->found);
    whole_calls_release(&j->calls);
    rank_set_release(&j->set);
    place_list_release(&j->places);
}

/* Outputs that are the sum of the inputs, but for one element. */
static enum collective_verdict verdict_with(size_t at, float in, float out, int rank, const char *diagnosis)
{
    float x[2][ELEMENTS], y[2][ELEMENTS];
    const size_t n[2] = {ELEMENTS, ELEMENTS};
    struct job j;
    for (size_t i = 0; i < ELEMENTS; i++) {
        x[0][i] = (float)i;
        x[1][i] = 2 * (float)i + 1;
        y[0][i] = y[1][i] = 3 * (float)i + 1;
    }
    if (at < ELEMENTS) {
        x[rank][at] = in;
        y[rank][at] = out;
        y[!rank][at] = isnan(in) ? in : y[!rank][at];
    }
    const struct collective *c = found(&j, (const float *const[]){x[0], x[1]}, (const float *const[]){y[0], y[1]}, n);
    enum collective_verdict v = c->verdict;
    if (diagnosis)
        assert_string_equal(c->diagnosis, diagnosis);
    else
        assert_null(c->diagnosis);
    if (v == COLLECTIVE_DEVIATE) {
        assert_int_equal(c->ranks.n, 1);
        assert_int_equal(c->ranks.v[0], rank);
    }
    done(&j);
    return v;
}

static void sums_match(void **state)
{
    (void)state;
    assert_int_equal(verdict_with(ELEMENTS, 0, 0, 0, NULL), COLLECTIVE_MATCH);
}

/* An output that is not finite has no distance: it was called a match, also where the sum is 0. */
static void a_result_that_is_not_finite_is_wrong(void **state)
{
    (void)state;
    assert_int_equal(verdict_with(3, 3, NAN, 1, "nonfinite"), COLLECTIVE_DEVIATE);
    assert_int_equal(verdict_with(0, -1, NAN, 0, "nonfinite"), COLLECTIVE_DEVIATE);
    assert_int_equal(verdict_with(3, 3, INFINITY, 0, "nonfinite"), COLLECTIVE_DEVIATE);
}

/* NaN that goes in comes out: the reduction did what it should, and the NaN is said. It made the bound NaN, and every
 * reduction of it deviate. */
static void nan_that_comes_in_is_said(void **state)
{
    (void)state;
    assert_int_equal(verdict_with(3, NAN, NAN, 1, "nonfinite"), COLLECTIVE_MATCH);
}

/* Of an output larger than the inputs nothing can be computed: it is unknown, not wrong. */
static void what_cannot_be_computed_is_unread(void **state)
{
    (void)state;
    const float x[ELEMENTS] = {1, 2, 3, 4, 5, 6, 7, 8}, y[ELEMENTS] = {2, 4, 6, 8, 10, 12, 14, 16};
    const char *root = scratch();
    char dir[300];
    struct job j = {.places = {0}};
    struct err e;
    put_text(root, "step0/rank0/none", "");
    put_text(root, "step0/rank1/none", "");
    put_rank(root, 0, x, y, ELEMENTS);
    struct tensor_dump d;
    snprintf(dir, sizeof dir, "%s/step0/rank1", root);
    tensors_begin_at(&d, dir);
    fputs("\"Distributed.all_reduce.0.forward\":{\"input_args\":[", d.json);
    tensors_row(&d, "Distributed.all_reduce.0.forward", "input.0", "8", x, ELEMENTS);
    fputs("],\"input_kwargs\":{},\"output\":[", d.json);
    const float long_one[2 * ELEMENTS] = {2, 4, 6, 8, 10, 12, 14, 16};
    tensors_row(&d, "Distributed.all_reduce.0.forward", "output.0", "16", long_one, 2 * ELEMENTS);
    fputs("]}", d.json);
    tensors_end(&d);
    assert_int_equal(find_recordings(root, &j.places, &e), 0);
    assert_int_equal(rank_set_load(&j.set, root, &j.places, 0, 0, &e), 0);
    assert_int_equal(layout_parse(&j.layout, STR("dp=2"), &e), 0);
    whole_calls_build(&j.calls, &j.set, &j.layout);
    collectives_find(&j.found, &j.calls, TARGET, 0);
    assert_int_equal(j.found.v.n, 1);
    assert_int_equal(j.found.v.v[0].verdict, COLLECTIVE_UNREAD);
    assert_true(isnan(j.found.v.v[0].residual));
    done(&j);
}

/* Two ranks without weights, groups or positions: data or context parallel, nothing tells. */
static void what_nothing_decides_stands_open(void **state)
{
    (void)state;
    const float x[ELEMENTS] = {1, 2, 3, 4, 5, 6, 7, 8};
    const size_t n[2] = {ELEMENTS, ELEMENTS};
    struct job j;
    struct layout l;
    found(&j, (const float *const[]){x, x}, (const float *const[]){x, x}, n);
    layout_init(&l);
    layout_infer(&l, &j.set);
    assert_int_equal(l.size[CUT_DP], 2);
    assert_int_equal(l.open, 1 << CUT_DP | 1 << CUT_CP);
    assert_non_null(strstr(l.why, "2 replicas"));
    assert_int_equal(layout_parse(&l, STR("dp=2"), &(struct err){0}), 0);
    layout_infer(&l, &j.set);
    assert_int_equal(l.open, 0);
    assert_string_equal(l.why, "");
    done(&j);
}

/* Replicas that gather in the forward pass: keys are cut over the sequence, flat tensors are parts of weights. */
static void gathered_weights_are_no_context(void **state)
{
    static const char *const sizes[] = {"2,4", "8"};
    const float x[ELEMENTS] = {1, 2, 3, 4, 5, 6, 7, 8};
    (void)state;
    for (int flat = 0; flat < 2; flat++) {
        struct job j = {.places = {0}};
        struct err e;
        const char *root = scratch();
        for (int r = 0; r < 2; r++) {
            struct tensor_dump d;
            char dir[300];
            snprintf(dir, sizeof dir, "step0/rank%d/none", r);
            put_text(root, dir, "");
            snprintf(dir, sizeof dir, "%s/step0/rank%d", root, r);
            tensors_begin_of(&d, dir, "pytorch");
            fputs("\"Distributed.all_gather.0.forward\":{\"input_args\":[", d.json);
            tensors_row(&d, "Distributed.all_gather.0.forward", "input.0", sizes[flat], x, ELEMENTS);
            fputs("],\"input_kwargs\":{\"group\":{\"type\":\"torch.ProcessGroup\",\"group_ranks\":[0,1],"
                  "\"group_id\":\"7\"}},\"output\":[",
                  d.json);
            tensors_row(&d, "Distributed.all_gather.0.forward", "output.0", sizes[flat], x, ELEMENTS);
            fputs("]}", d.json);
            tensors_end(&d);
        }
        assert_int_equal(find_recordings(root, &j.places, &e), 0);
        assert_int_equal(rank_set_load(&j.set, root, &j.places, 0, 0, &e), 0);
        layout_init(&j.layout);
        layout_infer(&j.layout, &j.set);
        assert_int_equal(j.layout.size[CUT_CP], flat ? 1 : 2);
        assert_int_equal(j.layout.size[CUT_DP], flat ? 2 : 1);
        rank_set_release(&j.set);
        place_list_release(&j.places);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_match),
        cmocka_unit_test(a_result_that_is_not_finite_is_wrong),
        cmocka_unit_test(nan_that_comes_in_is_said),
        cmocka_unit_test(what_cannot_be_computed_is_unread),
        cmocka_unit_test(what_nothing_decides_stands_open),
        cmocka_unit_test(gathered_weights_are_no_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

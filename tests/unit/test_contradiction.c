/* Recorded figures against those of the tensor's file; recordings whose tensors were cut. */
#include "support.h"

#include <math.h>

#include "dump/contradiction.h"
#include "dump/cut_tensors.h"
#include "dump/reader.h"
#include "dump/family.h"
#include "dump/row_contradictions.h"

static uint32_t add(struct dump *d, uint32_t call, const char *slot, enum row_io io, const int64_t *dim, int ndim)
{
    struct row r = {.slot = dump_slot(d, str_of(slot)), .extra = NONE, .io = (uint8_t)io & 7u, .kind = ROW_TENSOR,
                    .dtype = DTYPE_F32, .shape = dump_shape(d, dim, ndim)};
    r.has = HAS_SHAPE;
    return dump_add_row(d, call, r);
}

static void figures_of_the_file(void **state)
{
    static const struct {
        int stat;
        double recorded;
        int digits;
        bool contradicts;
    } cases[] = {
        {STAT_MAX, 2, 17, false},  {STAT_MAX, 2.1, 17, true},       {STAT_MAX, 2.00001, 17, true},
        {STAT_MAX, 2.00001, 4, false}, {STAT_MAX, NAN, 17, false},  {STAT_NORM, 5.1, 17, true},
        {STAT_NORM, -5, 17, false}, {STAT_NORM, 6, 17, true},       {STAT_NORM, INFINITY, 17, false},
        {STAT_MEAN, 0.51, 17, true}, {STAT_MEAN, 1, 17, true},     {STAT_MIN, -2, 17, true},
    };
    const struct side_figures f = {.max = 2, .min = -1, .mean = 0.5, .norm = 5, .count = 16};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct dump d;
        struct err e;
        dump_init(&d);
        d.digits = cases[i].digits;
        uint32_t row = add(&d, dump_add_call(&d, STR("F.x.0.forward"), CALL_API, PHASE_FORWARD), "output.0", IO_OUTPUT,
                           (const int64_t[]){4, 4}, 2);
        d.rows.v[row].has |= (uint16_t)(HAS_MAX << cases[i].stat);
        d.rows.v[row].stat[cases[i].stat] = cases[i].recorded;
        if (figures_contradict(&d, row, &f, "x.pt", &e) != cases[i].contradicts)
            fail_msg("case %zu", i);
        if (cases[i].contradicts)
            assert_non_null(strstr(e.text, "x.pt contradicts its recording"));
        d.rows.v[row].has |= (uint16_t)(HAS_MAX << cases[i].stat << IS_COMPUTED); /* not recorded */
        assert_false(figures_contradict(&d, row, &f, "x.pt", &e));
        dump_release(&d);
    }
}

/* The same figures of two counts contradict the recording, unless the mean is what rounding leaves of elements that
 * cancel: zeros beside them do not change that. */
static void figures_of_two_counts(void **state)
{
    static const double mean[] = {1.2345671e-4, -2.9103830456733704e-11};
    (void)state;
    for (int cancels = 0; cancels < 2; cancels++) {
        struct dump d;
        uint32_t row[2];
        dump_init(&d);
        for (int i = 0; i < 2; i++) {
            uint32_t call = dump_add_call(&d, i ? STR("Tensor.gather.1.backward") : STR("Tensor.gather.0.backward"),
                                          CALL_API, PHASE_BACKWARD);
            row[i] = add(&d, call, "output.0", IO_OUTPUT, (const int64_t[]){i ? 704 : 384}, 1);
            const double stat[] = {0.02959989756, -0.02991562709, mean[cancels], 0.15751770138};
            d.rows.v[row[i]].has |= HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM;
            memcpy(d.rows.v[row[i]].stat, stat, sizeof stat);
        }
        row_contradictions_find(&d);
        for (int i = 0; i < 2; i++)
            assert_int_equal(!(d.rows.v[row[i]].has & IS_DAMAGED), cancels);
        dump_release(&d);
    }
}

/* A call that only moves elements hands on their figures, but for the order of sums. */
static void figures_of_moved_elements(void **state)
{
    static const struct {
        enum call_kind kind;
        enum family family;
        int64_t out; /* the number of elements, on one axis; 4: two axes of four, as what goes in */
        double stat[STAT_COUNT]; /* of what comes out */
        bool contradicts;
        enum call_phase phase;
    } cases[] = {
        {CALL_API, FAMILY_VIEW, 16, {2, -1, 0.5, 5}, false, PHASE_FORWARD},
        {CALL_API, FAMILY_VIEW, 16, {2, -1, 0.5, 5.000001}, false, PHASE_FORWARD},
        {CALL_API, FAMILY_VIEW, 16, {2.1, -1, 0.5, 5}, true, PHASE_FORWARD},
        {CALL_API, FAMILY_CAST, 16, {2, -1, 0.5, 5.1}, true, PHASE_FORWARD},
        {CALL_API, FAMILY_COPY, 16, {2, -1, 0.6, 5}, true, PHASE_FORWARD},
        {CALL_API, FAMILY_VIEW, 8, {1, -1, 0.5, 3}, false, PHASE_FORWARD}, /* a part */
        {CALL_API, FAMILY_MUL, 16, {4, -2, 1, 10}, false, PHASE_FORWARD},
        {CALL_MODULE, FAMILY_VIEW, 16, {4, -2, 1, 10}, false, PHASE_FORWARD},
        {CALL_API, FAMILY_VIEW, 16, {2.1, -1, 0.5, 5}, true, PHASE_BACKWARD},
        {CALL_API, FAMILY_VIEW, 4, {2.1, -1, 0.5, 5}, false, PHASE_BACKWARD}, /* it may have returned its input */
        {CALL_OPERATOR, FAMILY_VIEW, 4, {2.1, -1, 0.5, 5}, true, PHASE_BACKWARD},
    };
    static const double in[STAT_COUNT] = {2, -1, 0.5, 5};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct dump d;
        dump_init(&d);
        uint32_t row[2], call = dump_add_call(&d, STR("F.x.0.forward"), cases[i].kind, cases[i].phase);
        d.calls.v[call].family = (uint8_t)cases[i].family;
        row[0] = add(&d, call, "input.0", IO_INPUT, (const int64_t[]){4, 4}, 2);
        row[1] = add(&d, call, "output.0", IO_OUTPUT, (const int64_t[]){cases[i].out, 4}, cases[i].out == 4 ? 2 : 1);
        for (int s = 0; s < 2; s++) {
            d.rows.v[row[s]].has |= HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM;
            memcpy(d.rows.v[row[s]].stat, s ? cases[i].stat : in, sizeof in);
        }
        for (int s = 0; s < 2; s++)
            if (moved_figures_contradict(&d, row[s]) != cases[i].contradicts)
                fail_msg("case %zu", i);
        dump_release(&d);
    }
}

/* The norm that tools record of a tensor without dimensions is its value, whatever its sign. */
static void figures_of_a_moved_number(void **state)
{
    (void)state;
    for (int other = 0; other < 2; other++) {
        struct dump d;
        dump_init(&d);
        uint32_t row[2], call = dump_add_call(&d, STR("Tensor.to.0.forward"), CALL_API, PHASE_FORWARD);
        d.calls.v[call].family = FAMILY_CAST;
        for (int s = 0; s < 2; s++) {
            row[s] = add(&d, call, s ? "output.0" : "input.0", s ? IO_OUTPUT : IO_INPUT, NULL, 0);
            d.rows.v[row[s]].has |= HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM;
            for (int i = 0; i < STAT_COUNT; i++)
                d.rows.v[row[s]].stat[i] = s && other ? -3 : -2;
        }
        for (int s = 0; s < 2; s++)
            assert_int_equal(moved_figures_contradict(&d, row[s]), other);
        dump_release(&d);
    }
}

/* The header of a file: its type and its sizes, axes of size 1 included. NumPy has no bfloat16, torch has. */
static void headers_of_the_file(void **state)
{
    static const struct {
        const char *file;
        enum dtype recorded, is;
        int ndim;
        int64_t dim[3];
        const char *says; /* NULL: nothing contradicts */
    } cases[] = {
        {"x.pt", DTYPE_F32, DTYPE_F32, 2, {4, 2}, NULL},
        {"x.pt", DTYPE_F32, DTYPE_BF16, 2, {4, 2}, "type float32 was recorded, the file has bfloat16"},
        {"x.pt", DTYPE_BF16, DTYPE_F32, 2, {4, 2}, "type bfloat16 was recorded, the file has float32"},
        {"x.npy", DTYPE_BF16, DTYPE_F32, 2, {4, 2}, NULL},
        {"x.npy", DTYPE_F16, DTYPE_F32, 2, {4, 2}, "type float16 was recorded, the file has float32"},
        {"x.npy", DTYPE_UNKNOWN, DTYPE_F32, 2, {4, 2}, NULL},
        {"x.npy", DTYPE_F32, DTYPE_F32, 2, {2, 4}, "shape [4,2] was recorded, the file has [2,4]"},
        {"x.pt", DTYPE_F32, DTYPE_F32, 3, {1, 4, 2}, "shape [4,2] was recorded, the file has [1,4,2]"},
        {"x.pt", DTYPE_F32, DTYPE_F32, 1, {8}, "shape [4,2] was recorded, the file has [8]"},
    };
    static const struct reader reader = {.name = "x"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct dump d;
        struct err e;
        char name[8];
        struct tensor t = {.file.name = strcpy(name, cases[i].file), .dtype = cases[i].is, .ndim = cases[i].ndim};
        memcpy(t.shape, cases[i].dim, sizeof cases[i].dim);
        dump_init(&d);
        d.reader = &reader;
        uint32_t row = add(&d, dump_add_call(&d, STR("F.x.0.forward"), CALL_API, PHASE_FORWARD), "output.0", IO_OUTPUT,
                           (const int64_t[]){4, 2}, 2);
        d.rows.v[row].dtype = (uint8_t)cases[i].recorded;
        bool contradicts = header_contradicts(&d, row, &t, &e);
        if (contradicts != (cases[i].says != NULL) || (contradicts && !strstr(e.text, cases[i].says)))
            fail_msg("case %zu", i);
        d.reader = NULL;
        dump_release(&d);
    }
}

/* Squares below float32's least number vanish from a sum: a norm of 3e-27 is recorded as 0, one of 1e-15 is not. */
static void norms_below_float32(void **state)
{
    static const double norm[] = {3e-27, 1e-15};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(norm); i++) {
        const struct side_figures f = {.max = norm[i], .min = 0, .mean = norm[i] / 16, .norm = norm[i], .count = 16};
        struct dump d;
        struct err e;
        dump_init(&d);
        uint32_t row = add(&d, dump_add_call(&d, STR("F.x.0.forward"), CALL_API, PHASE_FORWARD), "output.0", IO_OUTPUT,
                           (const int64_t[]){4, 4}, 2);
        d.rows.v[row].has |= HAS_NORM;
        d.rows.v[row].stat[STAT_NORM] = 0;
        assert_int_equal(figures_contradict(&d, row, &f, "x.pt", &e), i);
        dump_release(&d);
    }
}

/* Elements of the file that are not finite: counts of them that were recorded decide; sums of such elements are not
 * finite, unless the tool leaves them out. */
static void elements_that_are_not_finite(void **state)
{
    static const struct reader sums = {.name = "a"}, finite = {.name = "b", .finite_only = true};
    static const struct {
        uint64_t nan, inf;         /* of the file */
        const struct reader *reader;
        int counts;                /* which were recorded: 1, and no others */
        double norm, max;
        bool contradicts;
    } cases[] = {
        {1, 0, &sums, 0, 5, 2, true},   {0, 1, &sums, 0, 5, 2, true},     {1, 0, &sums, 0, NAN, NAN, false},
        {0, 1, &sums, 0, INFINITY, 2, false}, {1, 0, &finite, 0, 5, 2, false}, {1, 0, &finite, COUNT_NAN, 5, 2, false},
        {2, 0, &finite, COUNT_NAN, 5, 2, true}, {0, 0, &finite, COUNT_NAN, 5, 2, true}, {0, 0, &sums, 0, 5, 2, false},
        {1, 1, &sums, COUNT_NAN | COUNT_POS_INF | COUNT_NEG_INF, 5, 2, true},
        {1, 2, &sums, COUNT_NAN | COUNT_POS_INF | COUNT_NEG_INF, 5, 2, false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const double v = cases[i].nan ? NAN : cases[i].inf ? INFINITY : 5;
        const struct side_figures f = {.max = cases[i].inf ? INFINITY : 2, .min = -1, .mean = v, .norm = v, .count = 16,
                                       .nan = cases[i].nan, .inf = cases[i].inf};
        struct row_extra counts = {.nan = 1, .pos_inf = 1, .neg_inf = 1, .counts = (uint8_t)cases[i].counts};
        struct dump d;
        struct err e;
        dump_init(&d);
        d.reader = cases[i].reader;
        uint32_t row = add(&d, dump_add_call(&d, STR("F.x.0.forward"), CALL_API, PHASE_FORWARD), "output.0", IO_OUTPUT,
                           (const int64_t[]){4, 4}, 2);
        d.rows.v[row].has |= HAS_NORM | HAS_MAX;
        d.rows.v[row].stat[STAT_NORM] = cases[i].norm;
        d.rows.v[row].stat[STAT_MAX] = cases[i].max;
        d.rows.v[row].extra = 0;
        vec_push(&d.extras, counts);
        if (figures_contradict(&d, row, &f, "x.pt", &e) != cases[i].contradicts)
            fail_msg("case %zu", i);
        if (cases[i].contradicts)
            assert_non_null(strstr(e.text, "x.pt contradicts its recording"));
        d.reader = NULL;
        dump_release(&d);
    }
}

/* Two linear layers; the weights have this many rows. */
static void layers(struct dump *d, int64_t batch, int64_t rows)
{
    dump_init(d);
    for (int i = 0; i < 2; i++) {
        struct buf name = {0};
        buf_fmt(&name, "Functional.linear.%d.forward", i);
        uint32_t c = dump_add_call(d, buf_view(&name), CALL_API, PHASE_FORWARD);
        d->calls.v[c].family = FAMILY_LINEAR;
        add(d, c, "input.0", IO_INPUT, (const int64_t[]){batch, 8, 32}, 3);
        add(d, c, "input.1", IO_INPUT, (const int64_t[]){rows, 32}, 2);
        add(d, c, "output.0", IO_OUTPUT, (const int64_t[]){batch, 8, 64}, 3);
        buf_release(&name);
    }
    cut_tensors_find(d);
}

static void cut_recordings(void **state)
{
    struct dump cut, whole;
    int side = -1;
    (void)state;
    layers(&cut, 2, 2);
    layers(&whole, 4, 64);
    const struct dump *d[2] = {&cut, &whole};
    assert_true(cut.tensors_cut && !whole.tensors_cut);
    assert_int_equal(cut.warnings.n, 1);
    assert_non_null(strstr(cut.warnings.v[0], "a weight of [2,32] and an output of [2,8,64]"));
    assert_true(cut_tensors_fit(d, (const uint32_t[]){0, 0}, &side));
    assert_int_equal(side, 0);
    const struct dump *same[2] = {&whole, &whole};
    assert_false(cut_tensors_fit(same, (const uint32_t[]){0, 1}, &side));
    dump_release(&cut);
    dump_release(&whole);
}

/* Two of five linear layers of which one size is cut alike; two that do not fit in different ways are no cut. */
static void cut_to_one_size(void **state)
{
    (void)state;
    for (int alike = 0; alike < 2; alike++) {
        struct dump d;
        dump_init(&d);
        for (int i = 0; i < 5; i++) {
            struct buf name = {0};
            buf_fmt(&name, "Functional.linear.%d.forward", i);
            uint32_t c = dump_add_call(&d, buf_view(&name), CALL_API, PHASE_FORWARD);
            int64_t columns = i == 1 ? 16 : i == 3 ? alike ? 16 : 24 : 64;
            d.calls.v[c].family = FAMILY_LINEAR;
            add(&d, c, "input.0", IO_INPUT, (const int64_t[]){4, 8, 32}, 3);
            add(&d, c, "input.1", IO_INPUT, (const int64_t[]){64, 32}, 2);
            add(&d, c, "output.0", IO_OUTPUT, (const int64_t[]){4, 8, columns}, 3);
            buf_release(&name);
        }
        cut_tensors_find(&d);
        assert_int_equal(d.tensors_cut, alike);
        dump_release(&d);
    }
}

/* One linear layer of several was cut: its axes count, the recording as a whole does not. */
static void cut_in_one_layer(void **state)
{
    struct dump d;
    const struct shape *part;
    (void)state;
    dump_init(&d);
    for (int i = 0; i < 3; i++) {
        struct buf name = {0};
        buf_fmt(&name, "Functional.linear.%d.forward", i);
        uint32_t c = dump_add_call(&d, buf_view(&name), CALL_API, PHASE_FORWARD);
        int64_t k = i == 1 ? 4 : 32, columns = i == 1 ? 4 : 64;
        d.calls.v[c].family = FAMILY_LINEAR;
        add(&d, c, "input.0", IO_INPUT, (const int64_t[]){4, 8, k}, 3);
        add(&d, c, "input.1", IO_INPUT, (const int64_t[]){64, k}, 2);
        add(&d, c, "output.0", IO_OUTPUT, (const int64_t[]){4, 8, columns}, 3);
        buf_release(&name);
    }
    cut_tensors_find(&d);
    assert_false(d.tensors_cut);
    assert_int_equal(d.warnings.n, 0);
    assert_int_equal(cut_tensors_call(&d, 0), SHAPES_FIT);
    assert_int_equal(cut_tensors_call(&d, 1), SHAPES_CONTRADICT);
    assert_true(cut_tensors_takes(&d, 1) && !cut_tensors_takes(&d, 0));
    part = dump_row_shape(&d, 3); /* the input of the second */
    assert_true(cut_tensors_axis(d.cut_axes.v, d.cut_axes.n, part, 2, 28));
    assert_false(cut_tensors_axis(d.cut_axes.v, d.cut_axes.n, part, 1, 28));
    dump_release(&d);
}

/* Layers that keep their weight as [k, n]: nothing was cut. */
static void weights_kept_transposed(void **state)
{
    struct dump d;
    (void)state;
    dump_init(&d);
    for (int i = 0; i < 3; i++) {
        struct buf name = {0};
        buf_fmt(&name, "Cell.layers.%d.mapping.Linear.forward.0", i);
        uint32_t c = dump_add_call(&d, buf_view(&name), CALL_MODULE, PHASE_FORWARD);
        d.calls.v[c].family = FAMILY_LINEAR;
        add(&d, c, "input.0", IO_INPUT, (const int64_t[]){54, 40}, 2);
        add(&d, c, "parameters.weight", IO_PARAMETER, (const int64_t[]){40, 88}, 2);
        add(&d, c, "output.0", IO_OUTPUT, (const int64_t[]){54, 88}, 2);
        buf_release(&name);
    }
    cut_tensors_find(&d);
    assert_false(d.tensors_cut);
    assert_int_equal(cut_tensors_call(&d, 0), SHAPES_FIT);
    dump_release(&d);
}

/* An activation in place on a view hands back the gradient of the whole value; any other that of what it got. */
static void gradients_of_calls_in_place(void **state)
{
    (void)state;
    for (int in_place = 0; in_place < 2; in_place++) {
        struct dump d;
        dump_init(&d);
        uint32_t f = dump_add_call(&d, STR("Functional.relu.0.forward"), CALL_API, PHASE_FORWARD);
        uint32_t b = dump_add_call(&d, STR("Functional.relu.0.backward"), CALL_API, PHASE_BACKWARD);
        d.calls.v[f].family = d.calls.v[b].family = FAMILY_ACTIVATION;
        d.calls.v[b].twin = f;
        add(&d, f, "input.0", IO_INPUT, (const int64_t[]){2, 16, 64}, 3);
        uint32_t flag = dump_add_row(&d, f, (struct row){.slot = dump_slot(&d, STR("input.inplace")), .extra = NONE,
                                                         .shape = NONE, .io = IO_INPUT, .kind = ROW_BOOL});
        d.rows.v[flag].stat[STAT_MAX] = in_place;
        add(&d, f, "output.0", IO_OUTPUT, (const int64_t[]){2, 16, 64}, 3);
        add(&d, b, "input.0", IO_INPUT, (const int64_t[]){2, 16, 64}, 3);
        add(&d, b, "output.0", IO_OUTPUT, (const int64_t[]){32, 64}, 2);
        gradient_sizes_find(&d);
        assert_int_equal(d.problems.n, !in_place);
        dump_release(&d);
    }
}

/* A circular pad copies slices: what is recorded of its gradient are those of the last copy, of the whole and of a
 * slice. */
static void gradients_of_the_last_of_several_nodes(void **state)
{
    (void)state;
    for (int several = 0; several < 2; several++) {
        struct dump d;
        dump_init(&d);
        uint32_t f = dump_add_call(&d, STR("Functional.pad.0.forward"), CALL_API, PHASE_FORWARD);
        uint32_t b = dump_add_call(&d, STR("Functional.pad.0.backward"), CALL_API, PHASE_BACKWARD);
        d.calls.v[f].family = d.calls.v[b].family = FAMILY_VIEW;
        d.calls.v[b].twin = f;
        add(&d, f, "input.0", IO_INPUT, (const int64_t[]){3, 16, 10}, 3);
        add(&d, f, "output.0", IO_OUTPUT, (const int64_t[]){3, 16, 12}, 3);
        add(&d, b, "input.0", IO_INPUT, (const int64_t[]){3, 16, 12}, 3);
        add(&d, b, "output.0", IO_OUTPUT, (const int64_t[]){3, 16, 12}, 3);
        if (several)
            add(&d, b, "output.1", IO_OUTPUT, (const int64_t[]){3, 16, 1}, 3);
        gradient_sizes_find(&d);
        assert_int_equal(d.problems.n, !several);
        dump_release(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_the_last_of_several_nodes),
        cmocka_unit_test(figures_of_the_file),
        cmocka_unit_test(figures_of_two_counts), cmocka_unit_test(figures_of_moved_elements),
        cmocka_unit_test(figures_of_a_moved_number),
        cmocka_unit_test(headers_of_the_file),
        cmocka_unit_test(norms_below_float32),
        cmocka_unit_test(elements_that_are_not_finite),
        cmocka_unit_test(cut_recordings),
        cmocka_unit_test(cut_to_one_size),
        cmocka_unit_test(cut_in_one_layer),
        cmocka_unit_test(weights_kept_transposed),
        cmocka_unit_test(gradients_of_calls_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

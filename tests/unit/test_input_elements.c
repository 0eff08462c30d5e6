/* Step inputs side by side: laid out along axes of one, chunks of labels, masks that say one thing in two ways. */
#include "support.h"

#include <math.h>

#include "dump/reader.h"
#include "judge/input_elements.h"

struct made {
    const char *name;
    enum dtype dtype;
    int ndim;
    int64_t shape[4];
    float v[24]; /* stored as float32, int32 or a byte each */
};

static const struct made *side_of[2];

static int open_made(const struct dump *d, uint32_t row, struct tensor *t, struct err *e)
{
    const struct made *m = side_of[d->rank];
    (void)row;
    *t = (struct tensor){.dtype = m->dtype, .ndim = m->ndim};
    memcpy(t->shape, m->shape, sizeof m->shape);
    assert_int_equal(tensor_pack(t, m->name, e), 0);
    char path[300];
    snprintf(path, sizeof path, "%s/%d", scratch(), d->rank);
    FILE *f = fopen(path, "wb");
    for (uint64_t i = 0; i < t->numel; i++) {
        int32_t whole = (int32_t)m->v[i];
        unsigned char yes = m->v[i] != 0.0f;
        fwrite(m->dtype == DTYPE_F32    ? (const void *)&m->v[i]
               : m->dtype == DTYPE_BOOL ? (const void *)&yes
                                        : (const void *)&whole,
               dtype_table[m->dtype].size, 1, f);
    }
    fclose(f);
    return file_open(&t->file, path, e);
}

static int compared(const struct made *t, const struct made *g, bool mask, struct input_elements *x)
{
    static const struct reader fake = {.name = "made", .tensor = open_made};
    struct dump d[2];
    const struct dump *side[2] = {&d[0], &d[1]};
    uint32_t row[2];
    side_of[0] = t;
    side_of[1] = g;
    for (int s = 0; s < 2; s++) {
        dump_init(&d[s]);
        d[s].rank = s;
        d[s].reader = &fake;
        uint32_t c = dump_add_call(&d[s], STR("a"), CALL_API, PHASE_FORWARD);
        struct row r = {.slot = dump_slot(&d[s], STR("input.0")),
                        .shape = NONE,
                        .extra = NONE,
                        .kind = ROW_TENSOR,
                        .has = HAS_FILE};
        row[s] = dump_add_row(&d[s], c, r);
    }
    int rc = input_elements_compare(side, row, mask, x);
    for (int s = 0; s < 2; s++) {
        d[s].reader = NULL;
        dump_release(&d[s]);
    }
    return rc;
}

static void laid_on_each_other(void **state)
{
    static const struct made one = {"one", DTYPE_I32, 2, {1, 3}, {0, 1, 2}},
                             batch = {"batch", DTYPE_I32, 2, {2, 3}, {0, 1, 2, 0, 1, 2}},
                             off = {"off", DTYPE_I32, 2, {2, 3}, {0, 1, 2, 1, 2, 3}},
                             other = {"other", DTYPE_I32, 2, {2, 2}, {0, 1, 0, 1}};
    struct input_elements x;
    (void)state;
    assert_int_equal(compared(&one, &batch, false, &x), 1);
    assert_int_equal(compared(&batch, &one, false, &x), 1);
    assert_int_equal(x.compared, 6);
    assert_int_equal(compared(&one, &off, false, &x), 0);
    assert_true(x.differ == 3 && x.first == 3 && x.value[0] < 0.5 && x.value[1] > 0.5);
    assert_int_equal(compared(&batch, &other, false, &x), 0);
    assert_int_equal(x.compared, 0);
}

static void chunks(void **state)
{
    static const struct made all = {"all", DTYPE_I32, 1, {6}, {5, 6, 7, 8, 9, 4}},
                             first = {"first", DTYPE_I32, 1, {3}, {5, 6, 7}},
                             shifted = {"shifted", DTYPE_I32, 1, {5}, {6, 7, 8, 9, 4}};
    struct input_elements x;
    (void)state;
    assert_int_equal(compared(&first, &all, false, &x), 1);
    assert_int_equal(x.compared, 3);
    assert_int_equal(compared(&shifted, &all, false, &x), 0);
    assert_true(x.first == 0 && x.value[0] > 5.5 && x.value[1] < 5.5);
}

static void masks(void **state)
{
    static const struct made selects = {"selects", DTYPE_BOOL, 4, {1, 1, 2, 2}, {1, 0, 1, 1}},
                             hides = {"hides", DTYPE_BOOL, 4, {1, 1, 2, 2}, {0, 1, 0, 0}},
                             added = {"added", DTYPE_F32, 4, {2, 1, 2, 2}, {0, -3.4e38f, 0, 0, 0, -INFINITY, 0, 0}},
                             wrong = {"wrong",
                                      DTYPE_F32,
                                      4,
                                      {2, 1, 2, 2},
                                      {0, -3.4e38f, 0, 0, 0, -3.4e38f, -3.4e38f, 0}},
                             tokens = {"tokens", DTYPE_BOOL, 2, {3, 4}, {1, 1, 1, 1}},
                             hides_float = {"hides_float", DTYPE_F32, 3, {2, 2, 2}, {0, 1, 0, 0, 0, 1, 0, 0}};
    struct input_elements x;
    (void)state;
    assert_int_equal(compared(&selects, &added, true, &x), 1);
    assert_int_equal(compared(&hides, &added, true, &x), 1); /* says it the other way round */
    assert_int_equal(compared(&selects, &hides, true, &x), 0); /* of one kind that is another mask */
    assert_int_equal(compared(&selects, &wrong, true, &x), 0);
    assert_true(x.differ == 1 && x.first == 6);
    assert_int_equal(compared(&tokens, &added, true, &x), -1);
    assert_int_equal(compared(&hides_float, &added, true, &x), 1); /* one type, and an axis of 1 less */
    assert_int_equal(compared(&hides_float, &selects, true, &x), 1);
    assert_int_equal(compared(&hides_float, &wrong, true, &x), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laid_on_each_other),
        cmocka_unit_test(chunks),
        cmocka_unit_test(masks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

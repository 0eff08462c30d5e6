/* Rows without a figure that the other rows of their type have. */
#include "sides.h"

#include "dump/lacking_figures.h"

#define ALL (HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM)

static uint32_t add(struct dump *d, uint32_t call, enum dtype type, int figures)
{
    uint32_t r = side_row(d, call, "input.0", "4");
    d->rows.v[r].dtype = (uint8_t)type;
    d->rows.v[r].has = (uint16_t)(HAS_SHAPE | figures);
    return r;
}

/* msprobe writes neither mean nor norm of float64: that is how it records them, not damage. */
static void a_type_has_its_own_figures(void **state)
{
    struct dump d;
    (void)state;
    side_start(&d, "pytorch");
    uint32_t c = side_call(&d, "Functional.linear.0.forward", NULL), odd = NONE;
    for (int i = 0; i < 20; i++)
        add(&d, c, DTYPE_F32, ALL);
    for (int i = 0; i < 4; i++)
        add(&d, c, DTYPE_F64, HAS_MAX | HAS_MIN);
    odd = add(&d, c, DTYPE_F32, ALL & ~HAS_MEAN);
    uint32_t untyped = add(&d, c, DTYPE_UNKNOWN, ALL); /* a line that told both type and shape is gone */
    d.rows.v[untyped].has &= (uint16_t)~HAS_SHAPE;
    lacking_figures_find(&d);
    assert_int_equal(d.problems.n, 2);
    assert_int_equal(d.problems.v[0].row, odd);
    assert_int_equal(d.problems.v[1].row, untyped);
    assert_non_null(strstr(d.problems.v[0].text, "mean"));
    dump_release(&d);
}

/* Too few rows show no habit, and what many rows lack is one. */
static void a_habit_has_rows(void **state)
{
    (void)state;
    for (int few = 0; few < 2; few++) {
        struct dump d;
        side_start(&d, "pytorch");
        uint32_t c = side_call(&d, "Functional.linear.0.forward", NULL);
        for (int i = 0; i < (few ? 2 : 10); i++)
            add(&d, c, DTYPE_F32, ALL);
        for (int i = 0; i < (few ? 1 : 4); i++)
            add(&d, c, DTYPE_F32, HAS_MAX | HAS_MIN);
        lacking_figures_find(&d);
        assert_int_equal(d.problems.n, 0);
        dump_release(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_type_has_its_own_figures),
        cmocka_unit_test(a_habit_has_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

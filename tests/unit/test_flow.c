/* Which earlier row a value stood in, and which values belong to no layer. */
#include "support.h"

#include "dump/dataflow.h"

struct value {
    int64_t numel;
    double max, min, norm;
};

static const struct value A = {8, 3, -2, 5}, B = {8, 4, -1, 6}, C = {16, 3, -2, 5};

static uint32_t new_call(struct dump *d, const char *scope)
{
    char name[40];
    snprintf(name, sizeof name, "F.op.%zu.forward", d->calls.n);
    uint32_t c = dump_add_call(d, str_of(name), CALL_API, PHASE_FORWARD);
    if (scope)
        d->calls.v[c].scope = dump_scope(d, str_of(scope));
    return c;
}

static uint32_t row(struct dump *d, uint32_t call, enum row_io io, const struct value *v)
{
    struct row r = {.slot = dump_slot(d, STR("x")),
                    .shape = NONE,
                    .extra = NONE,
                    .io = (uint8_t)io,
                    .kind = ROW_TENSOR};
    if (v) {
        r.shape = dump_shape(d, &v->numel, 1);
        r.has = HAS_MAX | HAS_MIN | HAS_NORM | HAS_SHAPE;
        r.stat[STAT_MAX] = v->max;
        r.stat[STAT_MIN] = v->min;
        r.stat[STAT_NORM] = v->norm;
    }
    return dump_add_row(d, call, r);
}

static void values_are_followed(void **state)
{
    struct dump d;
    struct dataflow f;
    (void)state;
    dump_init(&d);
    uint32_t c0 = new_call(&d, NULL), c1 = new_call(&d, NULL), c2 = new_call(&d, NULL);
    uint32_t in0 = row(&d, c0, IO_INPUT, &B), out0 = row(&d, c0, IO_OUTPUT, &A);
    uint32_t in1 = row(&d, c1, IO_INPUT, &A), out1 = row(&d, c1, IO_OUTPUT, &B);
    uint32_t in2 = row(&d, c2, IO_INPUT, &A), other = row(&d, c2, IO_INPUT, &C), unknown = row(&d, c2, IO_INPUT, NULL);
    dataflow_build(&f, &d);
    assert_int_equal(f.held[in0], NONE); /* nothing came before */
    assert_int_equal(f.held[out0], NONE);
    assert_int_equal(f.held[in1], out0);
    assert_int_equal(f.held[out1], in0);
    assert_int_equal(f.held[in2], in1); /* the latest that holds it */
    assert_int_equal(f.held[other], NONE); /* as many elements it has not */
    assert_int_equal(f.held[unknown], NONE);
    assert_true(f.known[in0] && f.known[other] && !f.known[unknown]);
    dataflow_release(&f);
    dump_release(&d);
}

/* Signs of one size without a zero have one norm: the mean tells what was held before. */
static void norms_many_share(void **state)
{
    static const struct value signs = {8, 0.5, -0.5, 1.4142135623730951};
    static const double mean[] = {0.25, -0.125, 0.25, -0.125, 0};
    static const int from[] = {-1, -1, 0, 1, 3}; /* of a mean that none has: the latest */
    struct dump d;
    struct dataflow f;
    uint32_t r[5];
    (void)state;
    dump_init(&d);
    for (int i = 0; i < 5; i++) {
        r[i] = row(&d, new_call(&d, NULL), i < 2 ? IO_OUTPUT : IO_INPUT, &signs);
        d.rows.v[r[i]].has |= HAS_MEAN;
        d.rows.v[r[i]].stat[STAT_MEAN] = mean[i];
    }
    dataflow_build(&f, &d);
    for (int i = 2; i < 5; i++)
        assert_int_equal(f.held[r[i]], r[from[i]]);
    dataflow_release(&f);
    dump_release(&d);
}

/* Signs of one size: what was held before with the same norm, though others of these extremes came in between. */
static void extremes_many_share(void **state)
{
    static const struct value made = {8, 0.5, -0.5, 1.25}, gated = {8, 0.5, -0.5, 0.75}, near = {8, 0.5, -0.5, 0.7501};
    struct dump d;
    struct dataflow f;
    (void)state;
    dump_init(&d);
    uint32_t c[5];
    for (int i = 0; i < 5; i++)
        c[i] = new_call(&d, NULL);
    uint32_t whole = row(&d, c[0], IO_OUTPUT, &made), part = row(&d, c[1], IO_OUTPUT, &gated);
    uint32_t again = row(&d, c[2], IO_INPUT, &made), other = row(&d, c[3], IO_INPUT, &near),
             last = row(&d, c[4], IO_INPUT, &gated);
    dataflow_build(&f, &d);
    assert_int_equal(f.held[part], NONE);
    assert_int_equal(f.held[again], whole);
    assert_int_equal(f.held[other], NONE); /* behind another value only an equal norm counts */
    assert_int_equal(f.held[last], other); /* the very last may differ by the order of summation */
    dataflow_release(&f);
    dump_release(&d);
}

/* x * x: both operands come from where the first does. */
static void operands_of_one_call(void **state)
{
    struct dump d;
    struct dataflow f;
    (void)state;
    dump_init(&d);
    uint32_t c0 = new_call(&d, NULL), c1 = new_call(&d, NULL);
    uint32_t made = row(&d, c0, IO_OUTPUT, &A);
    uint32_t x = row(&d, c1, IO_INPUT, &A), y = row(&d, c1, IO_INPUT, &A);
    uint32_t lone = row(&d, c1, IO_INPUT, &B), twice = row(&d, c1, IO_INPUT, &B);
    dataflow_build(&f, &d);
    assert_true(f.held[x] == made && f.held[y] == made);
    assert_true(f.held[lone] == NONE && f.held[twice] == NONE);
    dataflow_release(&f);
    dump_release(&d);
}

static void norms_must_agree(void **state)
{
    struct value near = A, far = A;
    struct dump d;
    struct dataflow f;
    (void)state;
    near.norm *= 1.001; /* another order of summation */
    far.norm *= 1.1;
    dump_init(&d);
    uint32_t made = row(&d, new_call(&d, NULL), IO_OUTPUT, &A);
    uint32_t x = row(&d, new_call(&d, NULL), IO_INPUT, &near), y = row(&d, new_call(&d, NULL), IO_INPUT, &far);
    dataflow_build(&f, &d);
    assert_int_equal(f.held[x], made);
    assert_int_equal(f.held[y], NONE);
    dataflow_release(&f);
    dump_release(&d);
}

static void tables_recur_across_layers(void **state)
{
    struct dump d;
    struct dataflow f;
    (void)state;
    dump_init(&d);
    uint32_t a0 = new_call(&d, "model.layers.0.rope"), a1 = new_call(&d, "model.layers.0.mlp"),
             a2 = new_call(&d, "model.layers.1.rope");
    uint32_t table0 = row(&d, a0, IO_INPUT, &A), own = row(&d, a0, IO_INPUT, &B);
    uint32_t own1 = row(&d, a1, IO_INPUT, &B), table1 = row(&d, a2, IO_INPUT, &A);
    dataflow_build(&f, &d);
    assert_true(f.recurs[table0] && f.recurs[table1]);
    assert_false(f.recurs[own] || f.recurs[own1]); /* twice, but in one layer */
    assert_true(f.layer[a0] == 0 && f.layer[a2] == 1);
    dataflow_release(&f);
    dump_release(&d);
}

/* A dropout that is off hands on what it got: that is no table, however far behind it is read again. */
static void values_handed_on_do_not_recur(void **state)
{
    for (int module = 0; module < 2; module++) {
        struct dump d;
        struct dataflow f;
        (void)state;
        dump_init(&d);
        uint32_t drop = new_call(&d, "pos_drop");
        d.calls.v[drop].kind = module ? CALL_MODULE : CALL_API;
        uint32_t in = row(&d, drop, IO_INPUT, &A);
        row(&d, drop, IO_OUTPUT, &A);
        for (int i = 0; i < 30; i++)
            new_call(&d, NULL);
        row(&d, new_call(&d, NULL), IO_INPUT, &A);
        dataflow_build(&f, &d);
        assert_int_equal(f.recurs[in], !module);
        dataflow_release(&f);
        dump_release(&d);
    }
}

/* Probabilities of several layers lie between the same extremes, and are no table: their norms differ. */
static void extremes_alone_do_not_recur(void **state)
{
    static const struct value p0 = {64, 1, 0, 3}, p1 = {64, 1, 0, 3.1}, mask = {64, 1, 0, 5};
    struct dump d;
    struct dataflow f;
    (void)state;
    dump_init(&d);
    uint32_t a = new_call(&d, "layers.0.attention"), b = new_call(&d, "layers.1.attention"),
             c = new_call(&d, "layers.2.attention");
    uint32_t first = row(&d, a, IO_INPUT, &p0), second = row(&d, b, IO_INPUT, &p1), third = row(&d, c, IO_INPUT, &mask);
    dataflow_build(&f, &d);
    assert_false(f.recurs[first] || f.recurs[second] || f.recurs[third]);
    dataflow_release(&f);
    dump_release(&d);
}

/* Where scopes tell nothing, a good part of all calls has to lie between. */
static void recurrence_without_scopes(void **state)
{
    struct dump d;
    struct dataflow f;
    uint32_t first = 0, second = 0, last = 0;
    (void)state;
    dump_init(&d);
    for (int i = 0; i < 100; i++) {
        uint32_t c = new_call(&d, NULL);
        if (i == 10)
            first = row(&d, c, IO_INPUT, &A);
        if (i == 20)
            second = row(&d, c, IO_INPUT, &B);
        if (i == 30)
            row(&d, c, IO_INPUT, &B); /* ten calls on: too near */
        if (i == 40)
            last = row(&d, c, IO_INPUT, &A);
    }
    dataflow_build(&f, &d);
    assert_true(f.recurs[first] && f.recurs[last]);
    assert_false(f.recurs[second]);
    dataflow_release(&f);
    dump_release(&d);
}

/* Only forward inputs make a value recur: an activation saved for the backward pass does not. */
static void uses_that_do_not_count(void **state)
{
    struct dump d;
    struct dataflow f;
    (void)state;
    dump_init(&d);
    uint32_t c0 = new_call(&d, "layers.0"), c1 = new_call(&d, "layers.1"), c2 = new_call(&d, "layers.2");
    d.calls.v[c2].phase = PHASE_BACKWARD;
    uint32_t x = row(&d, c0, IO_INPUT, &A), y = row(&d, c1, IO_OUTPUT, &A), z = row(&d, c2, IO_INPUT, &A);
    dataflow_build(&f, &d);
    assert_false(f.recurs[x] || f.recurs[y] || f.recurs[z]);
    dataflow_release(&f);
    dump_release(&d);
}

static void layers_of_scopes(void **state)
{
    (void)state;
    assert_int_equal(scope_layer("model.layers.3.mlp"), 3);
    assert_int_equal(scope_layer("12"), 12);
    assert_int_equal(scope_layer("a.b2.c"), NONE);
    assert_int_equal(scope_layer(""), NONE);
    assert_int_equal(scope_layer("a.4294967295.7"), 7); /* no layer has that number */
    assert_int_equal(scope_layer("x.0.y.5"), 0);
}

static void empty_dumps(void **state)
{
    struct dump d;
    struct dataflow f;
    (void)state;
    dump_init(&d);
    dataflow_build(&f, &d);
    dataflow_release(&f);
    dataflow_release(&f);
    dump_release(&d);
}

/* A module's gradient that its activation left smaller has the extremes of the one that came in, not its norm. */
static void extremes_that_a_call_leaves(void **state)
{
    static const struct value came = {8, 0.5, -0.5, 1.25}, left = {8, 0.5, -0.5, 0.75};
    struct dump d;
    struct dataflow f;
    (void)state;
    dump_init(&d);
    uint32_t inner = new_call(&d, NULL), module = new_call(&d, NULL);
    row(&d, inner, IO_INPUT, &came);
    uint32_t made = row(&d, inner, IO_OUTPUT, &left);
    row(&d, module, IO_INPUT, &came);
    uint32_t handed_on = row(&d, module, IO_OUTPUT, &left);
    dataflow_build(&f, &d);
    assert_int_equal(f.held[handed_on], made);
    dataflow_release(&f);
    dump_release(&d);
}

/* What was sorted has the figures of what was not: the choices a module gets are the router's, by their shape. */
static void integers_and_their_order(void **state)
{
    static const struct value choices = {8, 3, 0, 5};
    static const int64_t by_token[] = {4, 2};
    struct dump d;
    struct dataflow f;
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        dump_init(&d);
        uint32_t c[4], r[4];
        for (int i = 0; i < 4; i++)
            c[i] = new_call(&d, NULL);
        for (int i = 0; i < 4; i++) { /* a router, a call that sorts, its result, a module */
            r[i] = row(&d, c[i], i == 0 || i == 2 ? IO_OUTPUT : IO_INPUT, &choices);
            d.rows.v[r[i]].dtype = whole ? DTYPE_I64 : DTYPE_F32;
            if (i == 0 || i == 3)
                d.rows.v[r[i]].shape = dump_shape(&d, by_token, 2);
        }
        dataflow_build(&f, &d);
        assert_int_equal(f.held[r[1]], r[0]);
        assert_int_equal(f.held[r[3]], whole ? r[0] : r[2]);
        dataflow_release(&f);
        dump_release(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_followed),
        cmocka_unit_test(operands_of_one_call),
        cmocka_unit_test(extremes_many_share),
        cmocka_unit_test(norms_many_share),
        cmocka_unit_test(integers_and_their_order),
        cmocka_unit_test(norms_must_agree),
        cmocka_unit_test(tables_recur_across_layers),
        cmocka_unit_test(values_handed_on_do_not_recur),
        cmocka_unit_test(extremes_that_a_call_leaves),
        cmocka_unit_test(extremes_alone_do_not_recur),
        cmocka_unit_test(recurrence_without_scopes),
        cmocka_unit_test(uses_that_do_not_count),
        cmocka_unit_test(layers_of_scopes),
        cmocka_unit_test(empty_dumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

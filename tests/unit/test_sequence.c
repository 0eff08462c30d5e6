/* Pairing two frameworks by what their calls do: an inserted call shifts nothing, what is not clear
 * stays alone or is doubtful. */
#include "support.h"

#include <math.h>

#include "model/family.h"
#include "model/sequence.h"

static uint64_t seed = 5;

static double draw(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) * 0x1p-53;
}

/* A value: its element count and figures. */
struct value {
    int64_t numel;
    double max, min, norm;
};

static struct value fresh(int64_t numel)
{
    return (struct value){numel, 1 + draw() * 5, -1 - draw() * 5, 10 + draw() * 30};
}

static struct value near(struct value v, double by)
{
    v.max *= 1 + by * (draw() - 0.5);
    v.min *= 1 + by * (draw() - 0.5);
    v.norm *= 1 + by * (draw() - 0.5);
    return v;
}

static uint32_t row(struct dump *d, uint32_t call, enum row_io io, int index, struct value v)
{
    char slot[32];
    snprintf(slot, sizeof slot, "%s.%d", io == IO_OUTPUT ? "output" : "input", index);
    struct row r = {.slot = dump_slot(d, str_of(slot)), .extra = NONE, .io = (uint8_t)io, .kind = ROW_TENSOR, .dtype = DTYPE_F32};
    r.shape = dump_shape(d, &v.numel, 1);
    r.has = HAS_MAX | HAS_MIN | HAS_NORM | HAS_SHAPE;
    r.stat[STAT_MAX] = v.max;
    r.stat[STAT_MIN] = v.min;
    r.stat[STAT_NORM] = v.norm;
    return dump_add_row(d, call, r);
}

/* A call with one input and one output; returns the output's row. */
static uint32_t call(struct dump *d, const char *type, const char *op, enum call_phase phase, struct value in, struct value out)
{
    char name[100];
    snprintf(name, sizeof name, "%s.%s.%zu.%s", type, op, d->calls.n, phase == PHASE_BACKWARD ? "backward" : "forward");
    uint32_t c = dump_add_call(d, str_of(name), CALL_API, phase);
    d->calls.v[c].family = (uint8_t)family_find(str_of(op));
    row(d, c, IO_INPUT, 0, in);
    return row(d, c, IO_OUTPUT, 0, out);
}

struct both {
    struct dump t, g;
    sequence_list pairs;
    uint8_t *taken[2];
};

static void start(struct both *b)
{
    memset(b, 0, sizeof *b);
    dump_init(&b->t);
    dump_init(&b->g);
    b->t.framework = "mindspore";
    b->g.framework = "pytorch";
}

static void align(struct both *b)
{
    for (int s = 0; s < 2; s++)
        if (!b->taken[s])
            b->taken[s] = calloc((s ? b->g.rows.n : b->t.rows.n) + 1, 1);
    sequence_align(&b->t, &b->g, b->taken[0], b->taken[1], &b->pairs);
}

static void shut(struct both *b)
{
    vec_release(&b->pairs);
    dump_release(&b->t);
    dump_release(&b->g);
    free(b->taken[0]);
    free(b->taken[1]);
}

static const struct sequence_pair *pair_of(const struct both *b, uint32_t t)
{
    const struct sequence_pair *found = NULL;
    for (size_t i = 0; i < b->pairs.n; i++)
        if (b->pairs.v[i].t == t) {
            assert_null(found); /* once at most */
            found = &b->pairs.v[i];
        }
    return found;
}

/* Names of one operator in the two frameworks. */
static const char *const ops[][2] = {
    {"MatMul", "linear"}, {"Mul", "__mul__"}, {"Softmax", "softmax"}, {"Add", "__add__"}, {"SiLU", "silu"}, {"ReduceMean", "mean"},
};

/* A run of n calls on both sides, the golden figures off by `by`; extra calls where asked. */
static void run(struct both *b, int n, double by, int extra_t, int extra_g, uint32_t *out_t, uint32_t *out_g)
{
    struct value v = fresh(64);
    for (int i = 0; i < n; i++) {
        struct value next = fresh(64 << (i % 3));
        const char *const *op = ops[i % 6];
        if (i == extra_t)
            call(&b->t, "Primitive", op[0], PHASE_FORWARD, v, fresh(next.numel));
        if (i == extra_g)
            call(&b->g, "Functional", op[1], PHASE_FORWARD, v, fresh(next.numel));
        out_t[i] = call(&b->t, "Primitive", op[0], PHASE_FORWARD, v, next);
        out_g[i] = call(&b->g, "Functional", op[1], PHASE_FORWARD, near(v, by), near(next, by));
        v = next;
    }
}

static void agreeing_runs_are_paired(void **state)
{
    struct both b;
    uint32_t t[60], g[60];
    (void)state;
    start(&b);
    run(&b, 60, 1e-5, -1, -1, t, g);
    align(&b);
    assert_int_equal(b.pairs.n, 120);
    for (int i = 0; i < 60; i++) {
        const struct sequence_pair *p = pair_of(&b, t[i]), *in = pair_of(&b, t[i] - 1);
        assert_true(p && p->g == g[i] && p->confidence > 0.9f);
        assert_int_equal(p->why, WHY_FINGERPRINT);
        assert_true(in && in->g == g[i] - 1);
    }
    shut(&b);
}

/* A call that one side has alone must not push all later ones against the wrong partners. */
static void an_inserted_call_shifts_nothing(void **state)
{
    (void)state;
    for (int at = 0; at < 40; at += 3)
        for (int side = 0; side < 2; side++) {
            struct both b;
            uint32_t t[40], g[40];
            start(&b);
            run(&b, 40, 1e-5, side ? -1 : at, side ? at : -1, t, g);
            align(&b);
            for (int i = 0; i < 40; i++) {
                const struct sequence_pair *p = pair_of(&b, t[i]);
                assert_true(p && p->g == g[i] && p->confidence >= 0.5f);
            }
            shut(&b);
        }
}

/* Where the figures part, the calls behind are held together by their order, but doubtful unless their
 * inputs agree. */
static void behind_a_deviation(void **state)
{
    struct both b;
    uint32_t t[40], g[40];
    (void)state;
    start(&b);
    struct value v[2] = {fresh(64)};
    v[1] = v[0];
    for (int i = 0; i < 40; i++) {
        struct value next = fresh(64 << (i % 3));
        t[i] = call(&b.t, "Primitive", ops[i % 6][0], PHASE_FORWARD, v[0], next);
        v[0] = next;
        if (i >= 20)
            next = near(next, 0.5);
        g[i] = call(&b.g, "Functional", ops[i % 6][1], PHASE_FORWARD, v[1], next);
        v[1] = next;
    }
    align(&b);
    for (int i = 0; i < 20; i++)
        assert_true(pair_of(&b, t[i])->g == g[i] && pair_of(&b, t[i])->confidence > 0.9f);
    const struct sequence_pair *first = pair_of(&b, t[20]);
    assert_true(first && first->g == g[20] && first->confidence >= 0.5f); /* its input agrees */
    for (int i = 21; i < 40; i++) {
        const struct sequence_pair *p = pair_of(&b, t[i]);
        if (p)
            assert_true(p->g == g[i] && p->confidence < 0.5f);
    }
    shut(&b);
}

/* Unequal numbers of like calls in a gap and figures that tell nothing: no guess. */
static void no_guess_where_counts_differ(void **state)
{
    struct both b;
    (void)state;
    start(&b);
    struct value in = fresh(64), alike = fresh(64);
    call(&b.t, "P", "MatMul", PHASE_FORWARD, in, alike);
    call(&b.g, "F", "linear", PHASE_FORWARD, in, alike);
    uint32_t lone[3];
    for (int i = 0; i < 3; i++)
        lone[i] = call(&b.t, "P", "Mul", PHASE_FORWARD, fresh(32), fresh(32));
    for (int i = 0; i < 2; i++)
        call(&b.g, "F", "__mul__", PHASE_FORWARD, fresh(32), fresh(32));
    align(&b);
    for (int i = 0; i < 3; i++)
        assert_null(pair_of(&b, lone[i]));
    shut(&b);
}

static void families_and_sizes_must_agree(void **state)
{
    struct both b;
    struct value v = fresh(64), w = v;
    (void)state;
    start(&b);
    uint32_t r = call(&b.t, "P", "MatMul", PHASE_FORWARD, v, v);
    call(&b.g, "F", "softmax", PHASE_FORWARD, v, v);
    w.numel = 128;
    call(&b.g, "F", "linear", PHASE_FORWARD, w, w);
    align(&b);
    assert_null(pair_of(&b, r));
    shut(&b);
}

/* Views, casts and copies move nothing and are not lined up. */
static void views_are_left_out(void **state)
{
    struct both b;
    struct value v = fresh(64);
    (void)state;
    start(&b);
    uint32_t r = call(&b.t, "P", "Reshape", PHASE_FORWARD, v, v);
    call(&b.g, "F", "reshape", PHASE_FORWARD, v, v);
    align(&b);
    assert_null(pair_of(&b, r));
    shut(&b);
}

static void phases_are_apart(void **state)
{
    struct both b;
    struct value v = fresh(64), w = fresh(64);
    (void)state;
    start(&b);
    uint32_t forward = call(&b.t, "P", "MatMul", PHASE_FORWARD, v, w);
    uint32_t backward = call(&b.t, "P", "MatMul", PHASE_BACKWARD, v, w);
    uint32_t like = call(&b.g, "F", "linear", PHASE_BACKWARD, v, w);
    align(&b);
    assert_null(pair_of(&b, forward));
    assert_int_equal(pair_of(&b, backward)->g, like);
    shut(&b);
}

/* Of a composite function the other framework may record another node's gradients: a backward call whose
 * outputs do not agree is doubtful, even where its inputs do. */
static void backward_calls_need_their_figures(void **state)
{
    struct both b;
    struct value in = fresh(64);
    (void)state;
    start(&b);
    uint32_t r = call(&b.t, "P", "CrossEntropy", PHASE_BACKWARD, in, fresh(64));
    uint32_t other = call(&b.g, "F", "cross_entropy", PHASE_BACKWARD, in, fresh(64));
    align(&b);
    const struct sequence_pair *p = pair_of(&b, r);
    assert_true(!p || (p->g == other && p->confidence < 0.5f));
    shut(&b);
}

/* Operands in another order are told by their figures, the nearest first. */
static void operands_by_figures(void **state)
{
    struct both b;
    struct value a = fresh(64), c = fresh(64), out = fresh(64), close_a = near(a, 1e-3);
    (void)state;
    start(&b);
    uint32_t x = dump_add_call(&b.t, STR("Functional.mul.0.forward"), CALL_API, PHASE_FORWARD);
    uint32_t y = dump_add_call(&b.g, STR("Tensor.__mul__.0.forward"), CALL_API, PHASE_FORWARD);
    b.t.calls.v[x].family = b.g.calls.v[y].family = FAMILY_MUL;
    uint32_t t0 = row(&b.t, x, IO_INPUT, 0, a), t1 = row(&b.t, x, IO_INPUT, 1, c);
    uint32_t g0 = row(&b.g, y, IO_INPUT, 0, c), g1 = row(&b.g, y, IO_INPUT, 1, close_a), g2 = row(&b.g, y, IO_INPUT, 2, a);
    row(&b.t, x, IO_OUTPUT, 0, out);
    row(&b.g, y, IO_OUTPUT, 0, out);
    align(&b);
    assert_int_equal(pair_of(&b, t0)->g, g2); /* exactly the same beats nearly the same */
    assert_int_equal(pair_of(&b, t1)->g, g0);
    for (size_t i = 0; i < b.pairs.n; i++)
        assert_true(b.pairs.v[i].g != g1);
    shut(&b);
}

static void taken_rows_are_left_alone(void **state)
{
    struct both b;
    struct value v = fresh(64), w = fresh(64);
    (void)state;
    start(&b);
    uint32_t out = call(&b.t, "P", "MatMul", PHASE_FORWARD, v, w);
    call(&b.g, "F", "linear", PHASE_FORWARD, v, w);
    b.taken[0] = calloc(b.t.rows.n + 1, 1);
    b.taken[0][out] = 1;
    align(&b);
    assert_null(pair_of(&b, out));
    assert_non_null(pair_of(&b, out - 1));
    shut(&b);
}

/* Figures that are not finite prove nothing. */
static void overflowed_figures(void **state)
{
    struct both b;
    struct value v = fresh(64), inf = {64, INFINITY, -INFINITY, INFINITY};
    (void)state;
    start(&b);
    uint32_t r[2];
    for (int i = 0; i < 2; i++) {
        r[i] = call(&b.t, "P", "Mul", PHASE_FORWARD, fresh(64), inf);
        call(&b.g, "F", "__mul__", PHASE_FORWARD, v, inf);
    }
    call(&b.g, "F", "__mul__", PHASE_FORWARD, v, inf);
    align(&b);
    for (int i = 0; i < 2; i++)
        assert_null(pair_of(&b, r[i]));
    shut(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agreeing_runs_are_paired),
        cmocka_unit_test(an_inserted_call_shifts_nothing),
        cmocka_unit_test(behind_a_deviation),
        cmocka_unit_test(no_guess_where_counts_differ),
        cmocka_unit_test(families_and_sizes_must_agree),
        cmocka_unit_test(views_are_left_out),
        cmocka_unit_test(phases_are_apart),
        cmocka_unit_test(backward_calls_need_their_figures),
        cmocka_unit_test(operands_by_figures),
        cmocka_unit_test(taken_rows_are_left_alone),
        cmocka_unit_test(overflowed_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

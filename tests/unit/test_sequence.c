/* Pairing two frameworks by what their calls do: an inserted call shifts nothing, what is not clear
 * stays alone or is doubtful. */
#include "draws.h"
#include "support.h"

#include <math.h>

#include "dump/family.h"
#include "dump/role.h"
#include "pair/sequence.h"

static uint64_t seed = 5;

/* A value: its element count and figures. */
struct value {
    int64_t numel;
    double max, min, norm;
};

static struct value fresh(int64_t numel)
{
    return (struct value){numel, 1 + draw_share(&seed) * 5, -1 - draw_share(&seed) * 5, 10 + draw_share(&seed) * 30};
}

static struct value near(struct value v, double by)
{
    v.max *= 1 + by * (draw_share(&seed) - 0.5);
    v.min *= 1 + by * (draw_share(&seed) - 0.5);
    v.norm *= 1 + by * (draw_share(&seed) - 0.5);
    return v;
}

static uint32_t row(struct dump *d, uint32_t call, enum row_io io, int index, struct value v)
{
    char slot[32];
    snprintf(slot, sizeof slot, "%s.%d", io == IO_OUTPUT ? "output" : "input", index);
    struct row r = {.slot = dump_slot(d, str_of(slot)),
                    .extra = NONE,
                    .io = (uint8_t)io,
                    .kind = ROW_TENSOR,
                    .dtype = DTYPE_F32};
    r.shape = dump_shape(d, &v.numel, 1);
    r.has = HAS_MAX | HAS_MIN | HAS_NORM | HAS_SHAPE;
    r.stat[STAT_MAX] = v.max;
    r.stat[STAT_MIN] = v.min;
    r.stat[STAT_NORM] = v.norm;
    return dump_add_row(d, call, r);
}

/* A call with one input and one output; returns the output's row. */
static uint32_t call(struct dump *d, const char *type, const char *op, enum call_phase phase, struct value in,
                     struct value out)
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
    struct sequence_result found;
    uint8_t *taken[2];
    const struct decided_pairs *ruled;
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
    struct sequence_options o = {.taken = {b->taken[0], b->taken[1]}, .ruled = b->ruled};
    sequence_align(&b->t, &b->g, &o, &b->found);
}

static void shut(struct both *b)
{
    vec_release(&b->found.pairs);
    vec_release(&b->found.joined);
    dump_release(&b->t);
    dump_release(&b->g);
    free(b->taken[0]);
    free(b->taken[1]);
}

static const struct sequence_pair *pair_of(const struct both *b, uint32_t t)
{
    const struct sequence_pair *found = NULL;
    for (size_t i = 0; i < b->found.pairs.n; i++)
        if (b->found.pairs.v[i].t == t) {
            assert_null(found); /* once at most */
            found = &b->found.pairs.v[i];
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
    assert_int_equal(b.found.pairs.n, 120);
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

/* Where the figures part, what feeds the calls behind holds them together. */
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
    assert_int_equal(first->why, WHY_SLOT);
    for (int i = 21; i < 40; i++) {
        const struct sequence_pair *p = pair_of(&b, t[i]), *in = pair_of(&b, t[i] - 1);
        assert_true(p && p->g == g[i] && p->confidence >= 0.5f && p->confidence < 0.9f);
        assert_true(in && in->g == g[i] - 1 && in->why == WHY_FLOW);
    }
    shut(&b);
}

static uint32_t plain(struct dump *d, enum row_kind kind, const char *slot, double v)
{
    struct row r = {.slot = dump_slot(d, str_of(slot)),
                    .extra = NONE,
                    .shape = NONE,
                    .io = IO_INPUT,
                    .kind = (uint8_t)kind};
    r.stat[STAT_MAX] = v;
    return dump_add_row(d, (uint32_t)d->calls.n - 1, r);
}

/* Numbers and texts pair by what they are called, by place or by keyword, each framework in its own words. */
static void arguments_by_their_names(void **state)
{
    static const struct {
        const char *type, *op, *slot, *golden_op, *golden_slot;
        enum row_kind kind, golden_kind;
        double value, golden_value;
        bool paired;
    } cases[] = {
        {"Functional", "layer_norm", "input.eps", "layer_norm", "input.4", ROW_FLOAT, ROW_FLOAT, 1e-3, 1e-5, true},
        {"MintFunctional", "gelu", "input.approximate", "gelu", "input.1", ROW_STR, ROW_STR, 0, 0, true},
        {"Functional", "cross_entropy", "input.3", "cross_entropy", "input.ignore_index", ROW_INT, ROW_INT, 0, -100, true},
        {"Functional", "cross_entropy", "input.6", "cross_entropy", "input.6", ROW_STR, ROW_STR, 0, 0, false}, /* another place */
        {"Functional", "conv2d", "input.5", "conv2d", "input.padding", ROW_INT, ROW_INT, 1, 2, true},
        {"Mint", "conv2d", "input.4", "conv2d", "input.padding", ROW_INT, ROW_INT, 1, 2, true},
        {"Primitive.conv2d", "Conv2DExt", "input.4", "conv2d", "input.4", ROW_INT, ROW_INT, 1, 2, true},
        {"Primitive.norm", "LayerNorm", "input.4", "layer_norm", "input.4", ROW_INT, ROW_FLOAT, 1, 2, false}, /* named by nobody */
        {"Functional", "batch_norm", "input.training", "batch_norm", "input.5", ROW_BOOL, ROW_BOOL, 0, 1, true},
        {"Functional", "softmax", "input.axis", "softmax", "input.dim", ROW_INT, ROW_INT, 1, 0, true},
        {"Functional", "softmax", "input.axis", "softmax", "input.dim", ROW_INT, ROW_INT, -1, 0, false}, /* the same of one axis */
        {"Mint", "relu", "input.1", "relu", "input.inplace", ROW_BOOL, ROW_BOOL, 0, 1, false},   /* changes no number */
        {"Functional", "leaky_relu", "input.alpha", "leaky_relu", "input.1", ROW_FLOAT, ROW_FLOAT, 0.2, 0.01, true},
        {"Functional", "layer_norm", "input.eps", "layer_norm", "input.1", ROW_FLOAT, ROW_INT, 1e-3, 64, false},
        {"Mint", "gelu", "input.approximate", "gelu", "input.approximate", ROW_STR, ROW_INT, 0, 0, false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct both b;
        struct value in = fresh(64), out = fresh(64);
        start(&b);
        call(&b.t, cases[i].type, cases[i].op, PHASE_FORWARD, in, out);
        call(&b.g, "Functional", cases[i].golden_op, PHASE_FORWARD, in, out);
        uint32_t t = plain(&b.t, cases[i].kind, cases[i].slot, cases[i].value);
        uint32_t g = plain(&b.g, cases[i].golden_kind, cases[i].golden_slot, cases[i].golden_value);
        align(&b);
        const struct sequence_pair *p = pair_of(&b, t);
        if (cases[i].paired ? !p || p->g != g : p != NULL)
            fail_msg("%s %s: %s", cases[i].op, cases[i].slot, p ? "paired" : "alone");
        shut(&b);
    }
}

static bool doubtful(const struct sequence_pair *p)
{
    return !p || p->confidence < 0.5f;
}

/* Unequal numbers of like calls in a gap and figures that tell nothing: a guess, and called one. */
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
        assert_true(doubtful(pair_of(&b, lone[i])));
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
    uint32_t g0 = row(&b.g, y, IO_INPUT, 0, c), g1 = row(&b.g, y, IO_INPUT, 1, close_a),
             g2 = row(&b.g, y, IO_INPUT, 2, a);
    row(&b.t, x, IO_OUTPUT, 0, out);
    row(&b.g, y, IO_OUTPUT, 0, out);
    align(&b);
    assert_int_equal(pair_of(&b, t0)->g, g2); /* exactly the same beats nearly the same */
    assert_int_equal(pair_of(&b, t1)->g, g0);
    for (size_t i = 0; i < b.found.pairs.n; i++)
        assert_true(b.found.pairs.v[i].g != g1);
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

/* A call of several inputs and outputs in a module's scope. */
static uint32_t wide_call(struct dump *d, const char *name, const char *op, const char *scope, enum call_phase phase,
                          const struct value *in, int inputs, const struct value *out, int outputs)
{
    uint32_t c = dump_add_call(d, str_of(name), CALL_API, phase);
    d->calls.v[c].family = (uint8_t)family_find(str_of(op));
    if (scope)
        d->calls.v[c].scope = dump_scope(d, str_of(scope));
    for (int i = 0; i < inputs; i++)
        row(d, c, IO_INPUT, i, in[i]);
    for (int i = 0; i < outputs; i++)
        row(d, c, IO_OUTPUT, i, out[i]);
    return c;
}

/* A layer: three projections of one input on the target side, one fused one on the other. */
static void fused_layer(struct both *b, int n, bool known, uint32_t out_t[3], uint32_t *out_g)
{
    static const char *const names[] = {"wq", "wk", "wv"};
    struct value x = fresh(64), w[3], y[3], all[2], whole;
    char name[64], scope[64];
    snprintf(scope, sizeof scope, "model.layers.%d.norm1", n);
    snprintf(name, sizeof name, "P.softmax.%d.forward", n);
    wide_call(&b->t, name, "softmax", scope, PHASE_FORWARD, &x, 1, &x, 1);
    wide_call(&b->g, name, "softmax", scope, PHASE_FORWARD, &x, 1, &x, 1);
    whole = (struct value){0, -INFINITY, INFINITY, 0};
    all[1] = (struct value){96, 3, -3, 20};
    for (int i = 0; i < 3; i++) {
        w[i] = fresh(32);
        y[i] = fresh(i ? 16 : 64); /* grouped heads: k and v are narrower */
        struct value in[] = {x, w[i]};
        snprintf(name, sizeof name, "P.MatMul.%d.forward", 3 * n + i);
        snprintf(scope, sizeof scope, "model.layers.%d.attention.%s", n, names[i]);
        uint32_t c = wide_call(&b->t, name, "MatMul", scope, PHASE_FORWARD, in, 2, &y[i], 1);
        out_t[i] = b->t.calls.v[c].last_row;
        whole.numel += y[i].numel;
        whole.max = fmax(whole.max, y[i].max);
        whole.min = fmin(whole.min, y[i].min);
        whole.norm = hypot(whole.norm, y[i].norm);
    }
    all[0] = x;
    if (!known)
        whole = fresh(whole.numel);
    snprintf(name, sizeof name, "F.linear.%d.forward", n);
    snprintf(scope, sizeof scope, "model.layers.%d.self_attention.linear_qkv", n);
    uint32_t c = wide_call(&b->g, name, "linear", scope, PHASE_FORWARD, all, 2, &whole, 1);
    *out_g = b->g.calls.v[c].last_row;
}

static void fused_calls_are_groups(void **state)
{
    (void)state;
    for (int known = 0; known < 2; known++) {
        struct both b;
        uint32_t t[2][3], g[2];
        start(&b);
        for (int n = 0; n < 2; n++)
            fused_layer(&b, n, known, t[n], &g[n]);
        align(&b);
        for (int n = 0; n < 2; n++)
            for (int i = 0; i < 3; i++) {
                const struct sequence_pair *p = pair_of(&b, t[n][i]);
                assert_true(p && p->g == g[n] && p->why == WHY_FUSED);
                assert_int_equal(p->g, pair_of(&b, t[n][0])->g);
                assert_true(known ? p->confidence >= 0.9f : p->confidence >= 0.5f);
            }
        assert_int_not_equal(pair_of(&b, t[0][0])->g, pair_of(&b, t[1][0])->g);
        shut(&b);
    }
}

/* A graph runs two products long before the place at which the other side calls the fused one: their figures prove
 * that they are its parts. */
static void parts_run_elsewhere(void **state)
{
    enum { BETWEEN = 90 };
    struct both b;
    uint32_t t[2], between_t[BETWEEN], between_g[BETWEEN];
    struct value x = fresh(64), w[2] = {fresh(32), fresh(32)}, y[2] = {fresh(48), fresh(48)};
    struct value all[2] = {x, {64, 3, -3, 20}};
    struct value whole = {96, fmax(y[0].max, y[1].max), fmin(y[0].min, y[1].min), hypot(y[0].norm, y[1].norm)};
    (void)state;
    start(&b);
    for (int i = 0; i < 2; i++) {
        struct value in[] = {x, w[i]};
        char name[64];
        snprintf(name, sizeof name, "P.MatMul.%d.forward", 100 + i);
        uint32_t part = wide_call(&b.t, name, "MatMul", NULL, PHASE_FORWARD, in, 2, &y[i], 1);
        t[i] = b.t.calls.v[part].last_row;
    }
    run(&b, BETWEEN, 1e-5, -1, -1, between_t, between_g);
    uint32_t c = wide_call(&b.g, "F.linear.100.forward", "linear", NULL, PHASE_FORWARD, all, 2, &whole, 1);
    align(&b);
    for (int i = 0; i < 2; i++) {
        const struct sequence_pair *p = pair_of(&b, t[i]);
        assert_true(p && p->g == b.g.calls.v[c].last_row && p->why == WHY_FUSED && p->confidence >= 0.9f);
    }
    shut(&b);
}

/* Two products so far before the place of the fused call that only figures could tell that they are its parts. */
static void far_parts_have_to_be_proven(void **state)
{
    enum { BETWEEN = 60 };
    struct both b;
    uint32_t t[2], between_t[BETWEEN], between_g[BETWEEN];
    struct value x = fresh(64), all[2] = {fresh(64), {64, 3, -3, 20}}, whole = fresh(96);
    (void)state;
    start(&b);
    for (int i = 0; i < 2; i++) {
        struct value in[] = {x, fresh(32)}, y = fresh(48);
        char name[64];
        snprintf(name, sizeof name, "P.MatMul.%d.forward", 100 + i);
        uint32_t part = wide_call(&b.t, name, "MatMul", NULL, PHASE_FORWARD, in, 2, &y, 1);
        t[i] = b.t.calls.v[part].last_row;
    }
    run(&b, BETWEEN, 1e-5, -1, -1, between_t, between_g);
    wide_call(&b.g, "F.linear.100.forward", "linear", NULL, PHASE_FORWARD, all, 2, &whole, 1);
    align(&b);
    for (int i = 0; i < 2; i++)
        assert_null(pair_of(&b, t[i]));
    shut(&b);
}

/* addmm(bias, x, W) with the fused weight against three products and their sums: x and W are its operands, and the
 * biases are parts of its first argument. */
static void a_fused_call_that_adds_first(void **state)
{
    struct both b;
    struct value x = fresh(64), w[3], bias[3], product, y[3], whole[3] = {{0}, {0}, {0}};
    uint32_t t[3], added[3];
    char name[64];
    (void)state;
    start(&b);
    for (int i = 0; i < 3; i++) {
        w[i] = fresh(32);
        bias[i] = fresh(8);
        y[i] = fresh(16);
        product = fresh(16);
        const struct value *part[3] = {&bias[i], &w[i], &y[i]};
        for (int k = 0; k < 3; k++) {
            whole[k].numel += part[k]->numel;
            whole[k].max = fmax(whole[k].max, part[k]->max);
            whole[k].min = fmin(whole[k].min, part[k]->min);
            whole[k].norm = hypot(whole[k].norm, part[k]->norm);
        }
        snprintf(name, sizeof name, "P.MatMul.%d.forward", i);
        uint32_t p = wide_call(&b.t, name, "MatMul", NULL, PHASE_FORWARD, (struct value[]){x, w[i]}, 2, &product, 1);
        b.t.rows.v[b.t.calls.v[p].last_row].shape = dump_shape(&b.t, (const int64_t[]){2, 8}, 2);
        snprintf(name, sizeof name, "P.Add.%d.forward", i);
        uint32_t a = wide_call(&b.t, name, "Add", NULL, PHASE_FORWARD, (struct value[]){product, bias[i]}, 2, &y[i], 1);
        added[i] = b.t.calls.v[a].last_row - 1;
        t[i] = b.t.calls.v[a].last_row;
        b.t.rows.v[t[i]].shape = dump_shape(&b.t, (const int64_t[]){2, 8}, 2);
    }
    uint32_t c = wide_call(&b.g, "Torch.addmm.0.forward", "addmm", NULL, PHASE_FORWARD,
                           (struct value[]){whole[0], x, whole[1]}, 3, &whole[2], 1);
    b.g.rows.v[b.g.calls.v[c].last_row].shape = dump_shape(&b.g, (const int64_t[]){2, 24}, 2);
    align(&b);
    for (int i = 0; i < 3; i++) {
        const struct sequence_pair *p = pair_of(&b, t[i]), *q = pair_of(&b, added[i]);
        assert_true(p && p->g == b.g.calls.v[c].last_row && p->why == WHY_FUSED);
        assert_true(q && q->g == b.g.calls.v[c].first_row);
    }
    shut(&b);
}

/* Of a single sample the values that go into a product have as many elements as its bias. */
static void a_bias_beside_a_single_sample(void **state)
{
    struct both b;
    struct value x = fresh(8), w = fresh(64), bias = fresh(8), product = fresh(8), y = fresh(8);
    const int64_t one[] = {1, 8};
    (void)state;
    start(&b);
    uint32_t p = wide_call(&b.t, "P.MatMul.0.forward", "MatMul", NULL, PHASE_FORWARD, (struct value[]){x, w}, 2,
                           &product, 1);
    uint32_t a = wide_call(&b.t, "P.Add.0.forward", "Add", NULL, PHASE_FORWARD, (struct value[]){product, bias}, 2, &y,
                           1);
    uint32_t g = wide_call(&b.g, "F.linear.0.forward", "linear", NULL, PHASE_FORWARD, (struct value[]){x, w, bias}, 3,
                           &y, 1);
    uint32_t in[] = {b.t.calls.v[p].first_row, b.g.calls.v[g].first_row}, added = b.t.calls.v[a].last_row - 1;
    b.t.rows.v[in[0]].shape = b.t.rows.v[b.t.calls.v[p].last_row].shape = dump_shape(&b.t, one, 2);
    b.t.rows.v[added - 1].shape = b.t.rows.v[b.t.calls.v[a].last_row].shape = dump_shape(&b.t, one, 2);
    b.g.rows.v[in[1]].shape = b.g.rows.v[b.g.calls.v[g].last_row].shape = dump_shape(&b.g, one, 2);
    align(&b);
    const struct sequence_pair *values = pair_of(&b, in[0]), *vector = pair_of(&b, added);
    assert_true(values && values->g == in[1]);
    assert_true(vector && vector->g == in[1] + 2);
    shut(&b);
}

/* baddbmm against a product, its multiple and a sum: one call, unless its beta is 0 and nothing is added. */
static void a_term_added_to_a_multiple(void **state)
{
    (void)state;
    for (int adds = 0; adds < 2; adds++) {
        struct both b;
        struct value q = fresh(64), k = fresh(64), bare = fresh(48), scaled = bare, term = fresh(12), sum = fresh(48),
                     number = {1, 0.5, 0.5, 0.5}, empty = {12, 0, 0, 0};
        scaled.max *= 0.5;
        scaled.min *= 0.5;
        scaled.norm *= 0.5;
        start(&b);
        uint32_t p = wide_call(&b.t, "P.BatchMatMul.0.forward", "BatchMatMul", NULL, PHASE_FORWARD,
                               (struct value[]){q, k}, 2, &bare, 1);
        uint32_t m = wide_call(&b.t, "P.Mul.0.forward", "Mul", NULL, PHASE_FORWARD, (struct value[]){bare, number}, 2,
                               &scaled, 1);
        uint32_t a = wide_call(&b.t, "P.Add.0.forward", "Add", NULL, PHASE_FORWARD, (struct value[]){scaled, term}, 2,
                               &sum, 1);
        uint32_t g = wide_call(&b.g, "Torch.baddbmm.0.forward", "baddbmm", NULL, PHASE_FORWARD,
                               (struct value[]){adds ? term : empty, q, k}, 3, adds ? &sum : &bare, 1);
        align(&b);
        const struct sequence_pair *product = pair_of(&b, b.t.calls.v[p].last_row),
                                   *last = pair_of(&b, b.t.calls.v[a].last_row);
        uint32_t out = b.g.calls.v[g].last_row;
        assert_true(adds ? last && last->g == out && !product : product && product->g == out && !last);
        assert_null(pair_of(&b, b.t.calls.v[m].last_row));
        shut(&b);
    }
}

/* The rotation of queries beside that of keys, of one size by chance: where the scores agree, nothing went wrong before
 * them, and the two are no partners. */
static void differences_that_end(void **state)
{
    (void)state;
    for (int lasts = 0; lasts < 2; lasts++) {
        struct both b;
        struct value x = fresh(64), half = fresh(32), turned = fresh(32), key = fresh(32), other = fresh(32),
                     q = fresh(64), scores = fresh(48), wrong = fresh(48);
        start(&b);
        call(&b.t, "Primitive", "Softmax", PHASE_FORWARD, x, x);
        uint32_t t = call(&b.t, "Primitive", "Mul", PHASE_FORWARD, half, turned);
        call(&b.t, "Primitive", "Concat", PHASE_FORWARD, turned, q);
        wide_call(&b.t, "P.BatchMatMul.0.forward", "BatchMatMul", NULL, PHASE_FORWARD, (struct value[]){q, x}, 2,
                  lasts ? &wrong : &scores, 1);
        call(&b.g, "Functional", "softmax", PHASE_FORWARD, x, x);
        call(&b.g, "Tensor", "__mul__", PHASE_FORWARD, key, other);
        wide_call(&b.g, "Torch.matmul.0.forward", "matmul", NULL, PHASE_FORWARD, (struct value[]){q, x}, 2, &scores, 1);
        align(&b);
        assert_true((pair_of(&b, t) != NULL) == lasts);
        shut(&b);
    }
}

/* A result that agrees although an operand differs says nothing of what was computed before it. */
static void every_operand_has_to_agree(void **state)
{
    (void)state;
    for (int operand = 0; operand < 2; operand++) {
        struct both b;
        struct value x = fresh(64), half = fresh(32), turned = fresh(32), key = fresh(32), other = fresh(32),
                     q = fresh(64), scores = fresh(48), with[2] = {q, x};
        start(&b);
        call(&b.t, "Primitive", "Softmax", PHASE_FORWARD, x, x);
        uint32_t t = call(&b.t, "Primitive", "Mul", PHASE_FORWARD, half, turned);
        call(&b.t, "Primitive", "Concat", PHASE_FORWARD, turned, q);
        wide_call(&b.t, "P.BatchMatMul.0.forward", "BatchMatMul", NULL, PHASE_FORWARD, with, 2, &scores, 1);
        call(&b.g, "Functional", "softmax", PHASE_FORWARD, x, x);
        call(&b.g, "Tensor", "__mul__", PHASE_FORWARD, key, other);
        with[operand] = fresh(64);
        wide_call(&b.g, "Torch.matmul.0.forward", "matmul", NULL, PHASE_FORWARD, with, 2, &scores, 1);
        align(&b);
        assert_non_null(pair_of(&b, t));
        shut(&b);
    }
}

static uint32_t module_row(struct dump *d, const char *path, const char *type, const uint32_t *parent,
                           struct value in, struct value out)
{
    char text[100];
    snprintf(text, sizeof text, "Module.%s.%s.forward.0", path, type);
    uint32_t c = dump_add_call(d, str_of(text), CALL_MODULE, PHASE_FORWARD);
    d->calls.v[c].family = (uint8_t)family_find(str_of(type));
    d->calls.v[c].scope = dump_scope(d, str_of(path));
    d->calls.v[c].parent = parent ? *parent : NONE;
    row(d, c, IO_INPUT, 0, in);
    return row(d, c, IO_OUTPUT, 0, out);
}

/* What was separated is paired with the call that holds its value and reads what it reads, wherever that stands nearby;
 * not with one of another operator, of other operands, that has a partner, or that the user says is none. */
static void what_ends_finds_its_equal(void **state)
{
    static const struct {
        const char *op;
        bool same_value, same_input, denied, found;
    } cases[] = {
        {"__mul__", true, true, false, true},
        {"__mul__", false, true, false, false},
        {"__mul__", true, false, false, false},
        {"__mul__", true, true, true, false},
        {"__truediv__", true, true, false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct both b;
        struct value x = fresh(64), half = fresh(32), turned = fresh(32), key = fresh(32), other = fresh(32),
                     q = fresh(64), scores = fresh(48);
        start(&b);
        call(&b.t, "Primitive", "Softmax", PHASE_FORWARD, x, x);
        uint32_t t = call(&b.t, "Primitive", "Mul", PHASE_FORWARD, half, turned);
        call(&b.t, "Primitive", "Concat", PHASE_FORWARD, turned, q);
        wide_call(&b.t, "P.BatchMatMul.0.forward", "BatchMatMul", NULL, PHASE_FORWARD,
                                     (struct value[]){q, x}, 2, &scores, 1);
        call(&b.g, "Functional", "tanh", PHASE_FORWARD, x, fresh(64)); /* of its own */
        call(&b.g, "Functional", "softmax", PHASE_FORWARD, x, x);
        uint32_t wrong = call(&b.g, "Tensor", "__mul__", PHASE_FORWARD, key, other);
        wide_call(&b.g, "Torch.matmul.0.forward", "matmul", NULL, PHASE_FORWARD, (struct value[]){q, x}, 2, &scores, 1);
        uint32_t right = call(&b.g, "Tensor", cases[i].op, PHASE_FORWARD, cases[i].same_input ? half : key,
                              cases[i].same_value ? turned : other);
        struct decided_pairs ruled = {.spent = NONE};
        if (cases[i].denied)
            nmap_set(&ruled.denied_calls, decided_pairs_key(b.t.rows.v[t].call, b.g.rows.v[right].call), 0);
        b.ruled = &ruled;
        align(&b);
        const struct sequence_pair *p = pair_of(&b, t);
        if (p && p->g == wrong)
            fail_msg("case %zu: still paired with what differs", i);
        if ((p && p->g == right) != cases[i].found)
            fail_msg("case %zu: paired with %d", i, p ? (int)p->g : -1);
        nmap_release(&ruled.denied_calls);
        shut(&b);
    }
}

/* A graph launches calls in an order of its own: one whose partner gives something else moves to the free call that
 * gives the same, if that is of its operator and size. */
static void a_graph_runs_elsewhere(void **state)
{
    static const struct {
        const char *op;
        bool same;
    } cases[] = {{"__mul__", true}, {"__add__", true}, {"__mul__", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct both b;
        struct value x = fresh(64), half = fresh(32), turned = fresh(32), other = fresh(32), y = fresh(48),
                     free_value = cases[i].same ? turned : fresh(32);
        start(&b);
        call(&b.t, "Primitive", "Softmax", PHASE_FORWARD, x, x);
        uint32_t t = call(&b.t, "Primitive", "Mul", PHASE_FORWARD, half, turned);
        call(&b.t, "Primitive", "MatMul", PHASE_FORWARD, x, y);
        for (size_t c = 0; c < b.t.calls.n; c++)
            b.t.calls.v[c].kind = CALL_OPERATOR;
        call(&b.g, "Functional", "softmax", PHASE_FORWARD, x, x);
        call(&b.g, "Tensor", "__mul__", PHASE_FORWARD, half, other);
        call(&b.g, "Torch", "matmul", PHASE_FORWARD, x, y);
        uint32_t behind = call(&b.g, "Tensor", cases[i].op, PHASE_FORWARD, half, free_value);
        align(&b);
        const struct sequence_pair *p = pair_of(&b, t);
        if ((p && p->g == behind) != (i == 0))
            fail_msg("case %zu: paired with %d", i, p ? (int)p->g : -1);
        shut(&b);
    }
}

/* A Linear with its activation inside against one without and an activation behind it: its result is the
 * activation's. */
static void modules_that_end_elsewhere(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        struct both b;
        uint32_t gate[3], silu[2][3];
        start(&b);
        for (int n = 0; n < 3; n++) {
            struct value x = fresh(64), y = fresh(96), z = fresh(96), up = fresh(96), seen = wrong ? fresh(96) : z;
            char path[60];
            uint32_t outer = (uint32_t)b.t.calls.n + 1; /* modules are listed as they end: the inner one first */
            snprintf(path, sizeof path, "model.layers.%d.feed_forward.w1.activation", n);
            silu[0][n] = module_row(&b.t, path, "LlamaSiLU", &outer, y, seen);
            snprintf(path, sizeof path, "model.layers.%d.feed_forward.w1", n);
            gate[n] = module_row(&b.t, path, "Linear", NULL, x, seen);
            snprintf(path, sizeof path, "model.layers.%d.feed_forward.w3", n);
            module_row(&b.t, path, "Linear", NULL, x, up);
            snprintf(path, sizeof path, "model.layers.%d.mlp.gate_proj", n);
            module_row(&b.g, path, "Linear", NULL, x, y);
            snprintf(path, sizeof path, "model.layers.%d.mlp.act_fn", n);
            silu[1][n] = module_row(&b.g, path, "SiLUActivation", NULL, y, z);
            snprintf(path, sizeof path, "model.layers.%d.mlp.up_proj", n);
            module_row(&b.g, path, "Linear", NULL, x, up);
        }
        align(&b);
        for (int n = 0; n < 3; n++) {
            const struct sequence_pair *p = pair_of(&b, gate[n]), *q = pair_of(&b, silu[0][n]);
            if (!wrong)
                assert_true(q && q->g == silu[1][n]);
            assert_true(!p || p->g == silu[1][n] || (wrong && !q));
            assert_true(wrong || p);
        }
        shut(&b);
    }
}

/* Two halves of one value, launched in another order: what they hold tells which is which. */
static void slices_by_what_they_hold(void **state)
{
    struct both b;
    struct value x = fresh(64), half[2] = {fresh(32), fresh(32)};
    uint32_t t[2], g[2];
    (void)state;
    start(&b);
    for (int i = 0; i < 2; i++) {
        char name[64];
        snprintf(name, sizeof name, "StridedSlice.net.rope_StridedSlice-op%d", i);
        uint32_t c = dump_add_call(&b.t, str_of(name), CALL_OPERATOR, PHASE_FORWARD);
        b.t.calls.v[c].family = (uint8_t)family_find(STR("StridedSlice"));
        row(&b.t, c, IO_INPUT, 0, x);
        t[i] = row(&b.t, c, IO_OUTPUT, 0, half[!i]);
        g[i] = call(&b.g, "Tensor", "__getitem__", PHASE_FORWARD, x, half[i]);
    }
    align(&b);
    for (int i = 0; i < 2; i++)
        assert_true(pair_of(&b, t[i]) && pair_of(&b, t[i])->g == g[!i]);
    shut(&b);
}

/* A quotient and a product that give one result: the second operands are reciprocals of each other. */
static void a_quotient_against_a_product(void **state)
{
    struct both b;
    struct value x = fresh(64), root = fresh(8), reciprocal = fresh(8), y = fresh(64);
    (void)state;
    start(&b);
    struct value by_root[] = {x, root}, by_reciprocal[] = {x, reciprocal};
    uint32_t t = wide_call(&b.t, "P.RealDiv.0.forward", "RealDiv", NULL, PHASE_FORWARD, by_root, 2, &y, 1);
    uint32_t g = wide_call(&b.g, "T.__mul__.0.forward", "__mul__", NULL, PHASE_FORWARD, by_reciprocal, 2, &y, 1);
    align(&b);
    const struct sequence_pair *p = pair_of(&b, b.t.calls.v[t].last_row), *q = pair_of(&b, b.t.calls.v[t].first_row);
    assert_true(p && p->g == b.g.calls.v[g].last_row);
    assert_true(q && q->g == b.g.calls.v[g].first_row);
    assert_null(pair_of(&b, b.t.calls.v[t].first_row + 1));
    shut(&b);
}

/* A difference and a sum that give one result: the second operands are negatives of each other, and so are their
 * gradients. */
static void a_difference_against_a_sum(void **state)
{
    static const char *const names[2][2] = {{"T.__sub__.0.forward", "T.__sub__.0.backward"},
                                            {"T.__add__.0.forward", "T.__add__.0.backward"}};
    struct both b;
    struct value x = fresh(64), y = fresh(64), g = {64, 3, -2, 8}, minus = {64, 2, -3, 8};
    uint32_t back[2];
    (void)state;
    start(&b);
    for (int s = 0; s < 2; s++) {
        struct dump *d = s ? &b.g : &b.t;
        const char *op = s ? "__add__" : "__sub__";
        struct value in[] = {x, fresh(64)}, out[] = {g, s ? g : minus};
        wide_call(d, names[s][0], op, NULL, PHASE_FORWARD, in, 2, &y, 1);
        back[s] = wide_call(d, names[s][1], op, NULL, PHASE_BACKWARD, &g, 1, out, 2);
        dump_link_twins(d);
    }
    align(&b);
    uint32_t in = b.t.calls.v[back[TARGET]].first_row;
    assert_true(pair_of(&b, in) && pair_of(&b, in)->g == b.g.calls.v[back[GOLDEN]].first_row);
    assert_null(pair_of(&b, in + 2));
    shut(&b);
}

/* Numbers of positions in integers are not the floats at the same place of the other side. */
static void integers_are_no_floats(void **state)
{
    struct both b;
    struct value x = fresh(64);
    (void)state;
    start(&b);
    uint32_t t = call(&b.t, "Primitive", "Mul", PHASE_FORWARD, fresh(64), fresh(64));
    call(&b.g, "Tensor", "__mul__", PHASE_FORWARD, x, fresh(64));
    b.t.rows.v[t].dtype = DTYPE_I32;
    align(&b);
    assert_null(pair_of(&b, t));
    shut(&b);
}

/* Two exchanged weights have the right numbers in the wrong place: the names decide. */
static void names_beat_figures(void **state)
{
    struct both b;
    struct value x = fresh(64), k[2] = {x, fresh(32)}, v[2] = {x, fresh(32)}, yk = fresh(64), yv = fresh(64);
    (void)state;
    start(&b);
    uint32_t tk = wide_call(&b.t, "P.MatMul.0.forward", "MatMul", "layers.0.attention.wk", PHASE_FORWARD, v, 2, &yv, 1);
    uint32_t tv = wide_call(&b.t, "P.MatMul.1.forward", "MatMul", "layers.0.attention.wv", PHASE_FORWARD, k, 2, &yk, 1);
    uint32_t gk =
        wide_call(&b.g, "F.linear.0.forward", "linear", "layers.0.self_attn.k_proj", PHASE_FORWARD, k, 2, &yk, 1);
    uint32_t gv =
        wide_call(&b.g, "F.linear.1.forward", "linear", "layers.0.self_attn.v_proj", PHASE_FORWARD, v, 2, &yv, 1);
    align(&b);
    const struct sequence_pair *p = pair_of(&b, b.t.calls.v[tk].last_row), *q = pair_of(&b, b.t.calls.v[tv].last_row);
    assert_true(p && p->g == b.g.calls.v[gk].last_row && p->confidence >= 0.5f);
    assert_true(q && q->g == b.g.calls.v[gv].last_row && q->confidence >= 0.5f);
    shut(&b);
}

/* MindSpore's operators come by their numbers, whatever a hostile name has for one. */
static void numbers_of_operators(void **state)
{
    static const char *const number[] = {"99999999999999999999", "-5", "x", "3"};
    struct both b;
    (void)state;
    start(&b);
    for (size_t i = 0; i < ARRAY_LEN(number); i++) {
        char name[80];
        struct value in = fresh(64), out = fresh(64);
        snprintf(name, sizeof name, "MatMul.Default_net-Net_MatMul-op%s", number[i]);
        uint32_t c = wide_call(&b.t, name, "MatMul", "net", PHASE_FORWARD, &in, 1, &out, 1);
        b.t.calls.v[c].kind = CALL_OPERATOR;
        snprintf(name, sizeof name, "F.linear.%zu.forward", i);
        wide_call(&b.g, name, "linear", "net", PHASE_FORWARD, &in, 1, &out, 1);
    }
    align(&b);
    for (size_t i = 0; i < b.found.pairs.n; i++)
        assert_true(b.found.pairs.v[i].t < b.t.rows.n && b.found.pairs.v[i].g < b.g.rows.n);
    shut(&b);
}

/* Which operand is which, told by one layer, holds in the layer whose figures tell nothing. */
static void slots_by_habit(void **state)
{
    struct both b;
    struct value nan = {64, NAN, NAN, NAN};
    (void)state;
    start(&b);
    uint32_t last[2] = {0, 0};
    for (int n = 0; n < 2; n++) {
        struct value a = n ? nan : fresh(64), c = n ? nan : fresh(64), out = n ? nan : fresh(64);
        struct value ac[] = {a, c}, ca[] = {c, a};
        char name[2][64];
        snprintf(name[0], sizeof *name, "P.Mul.%d.forward", n);
        snprintf(name[1], sizeof *name, "F.__mul__.%d.forward", n);
        last[0] = wide_call(&b.t, name[0], "Mul", NULL, PHASE_FORWARD, ac, 2, &out, 1);
        last[1] = wide_call(&b.g, name[1], "__mul__", NULL, PHASE_FORWARD, ca, 2, &out, 1);
    }
    align(&b);
    uint32_t first = b.t.calls.v[last[0]].first_row;
    const struct sequence_pair *p = pair_of(&b, first);
    assert_true(p && p->g == b.g.calls.v[last[1]].first_row + 1 && p->confidence >= 0.5f);
    shut(&b);
}

static void backward_calls_follow_their_twins(void **state)
{
    struct both b;
    struct value x = fresh(64), y = fresh(64);
    (void)state;
    start(&b);
    wide_call(&b.t, "P.Mul.0.forward", "Mul", NULL, PHASE_FORWARD, &x, 1, &y, 1);
    wide_call(&b.g, "F.__mul__.0.forward", "__mul__", NULL, PHASE_FORWARD, &x, 1, &y, 1);
    struct value d[4] = {fresh(64), fresh(64), fresh(64), fresh(64)};
    uint32_t t = wide_call(&b.t, "P.Mul.0.backward", "Mul", NULL, PHASE_BACKWARD, &d[0], 1, &d[1], 1);
    uint32_t g = wide_call(&b.g, "F.__mul__.0.backward", "__mul__", NULL, PHASE_BACKWARD, &d[2], 1, &d[3], 1);
    dump_link_twins(&b.t);
    dump_link_twins(&b.g);
    align(&b);
    const struct sequence_pair *p = pair_of(&b, b.t.calls.v[t].last_row);
    assert_true(p && p->g == b.g.calls.v[g].last_row && p->confidence >= 0.5f); /* nothing agrees, yet it is the twin */
    shut(&b);
}

/* x / √v on one side, x · 1/√v on the other: the gradients by √v and by 1/√v are those of different values, those by v
 * and by x are not. */
static void gradients_of_a_quotient(void **state)
{
    struct both b;
    struct value v = fresh(8), x = fresh(64), y = fresh(64), root[] = {fresh(8), fresh(8)}, dy = fresh(64),
                 dx = fresh(64), dv = fresh(8), by_root[] = {fresh(8), fresh(8)};
    static const char *const names[2][4] = {
        {"P.Sqrt.0.forward", "P.RealDiv.0.forward", "P.RealDiv.0.backward", "P.Sqrt.0.backward"},
        {"F.rsqrt.0.forward", "F.__mul__.0.forward", "F.__mul__.0.backward", "F.rsqrt.0.backward"}};
    static const char *const op[2][2] = {{"Sqrt", "RealDiv"}, {"rsqrt", "__mul__"}};
    uint32_t quotient[2], rooted[2];
    (void)state;
    start(&b);
    for (int s = 0; s < 2; s++) {
        struct dump *d = s ? &b.g : &b.t;
        struct value operands[] = {x, root[s]}, gradients[] = {dx, by_root[s]};
        wide_call(d, names[s][0], op[s][0], NULL, PHASE_FORWARD, &v, 1, &root[s], 1);
        wide_call(d, names[s][1], op[s][1], NULL, PHASE_FORWARD, operands, 2, &y, 1);
        quotient[s] = wide_call(d, names[s][2], op[s][1], NULL, PHASE_BACKWARD, &dy, 1, gradients, 2);
        rooted[s] = wide_call(d, names[s][3], op[s][0], NULL, PHASE_BACKWARD, &by_root[s], 1, &dv, 1);
        dump_link_twins(d);
    }
    align(&b);
    assert_int_equal(pair_of(&b, b.t.calls.v[quotient[0]].last_row - 1)->g, b.g.calls.v[quotient[1]].last_row - 1);
    assert_null(pair_of(&b, b.t.calls.v[quotient[0]].last_row));
    assert_null(pair_of(&b, b.t.calls.v[rooted[0]].first_row));
    assert_int_equal(pair_of(&b, b.t.calls.v[rooted[0]].last_row)->g, b.g.calls.v[rooted[1]].last_row);
    shut(&b);
}

/* The largest term of a sum of gradients is near the sum, which is what an addition's backward call gets and
 * returns. */
static void terms_of_a_gradient(void **state)
{
    struct both b;
    struct value sum = fresh(64), term[] = {fresh(64), sum};
    (void)state;
    term[1].norm *= 1.002;
    term[1].max *= 1.002;
    start(&b);
    uint32_t t = wide_call(&b.t, "P.AddN.0.backward", "AddN", NULL, PHASE_BACKWARD, term, 2, &sum, 1);
    uint32_t g = wide_call(&b.g, "F.__add__.0.backward", "__add__", NULL, PHASE_BACKWARD, &sum, 1, &sum, 1);
    align(&b);
    assert_true(pair_of(&b, b.t.calls.v[t].last_row)->g == b.g.calls.v[g].last_row);
    for (uint32_t r = b.t.calls.v[t].first_row; r < b.t.calls.v[t].last_row; r++)
        assert_null(pair_of(&b, r));
    shut(&b);
}

/* (scores + positions) + mask beside scores + (positions + mask), which is limited before it is read: the last sum
 * holds what the other side's only one does. What is added first has no partner, nor has the sum of two terms. */
static void terms_added_one_after_another(void **state)
{
    struct both b;
    struct value k = fresh(32), s = fresh(64), p = fresh(64), m = fresh(16), sp = fresh(64), all = fresh(64),
                 y = fresh(64);
    struct value q[] = {fresh(32), k}, filled = all, limited = all;
    (void)state;
    all.min = -1e4;
    filled.min = -INFINITY;
    filled.norm = INFINITY;
    limited.min = -3.4028234663852886e38;
    start(&b);
    wide_call(&b.t, "P.MatMul.0.forward", "MatMul", NULL, PHASE_FORWARD, q, 2, &s, 1);
    uint32_t one =
        wide_call(&b.t, "P.Add.0.forward", "Add", NULL, PHASE_FORWARD, (struct value[]){s, p}, 2, &sp, 1);
    uint32_t two =
        wide_call(&b.t, "P.Add.1.forward", "Add", NULL, PHASE_FORWARD, (struct value[]){m, sp}, 2, &all, 1);
    wide_call(&b.t, "P.Softmax.0.forward", "Softmax", NULL, PHASE_FORWARD, &all, 1, &y, 1);
    wide_call(&b.g, "T.matmul.0.forward", "matmul", NULL, PHASE_FORWARD, q, 2, &s, 1);
    uint32_t sum = wide_call(&b.g, "T.__add__.0.forward", "__add__", NULL, PHASE_FORWARD,
                             (struct value[]){s, fresh(48)}, 2, &filled, 1);
    wide_call(&b.g, "T.max.0.forward", "max", NULL, PHASE_FORWARD, &filled, 1, &limited, 1);
    wide_call(&b.g, "T.softmax.0.forward", "softmax", NULL, PHASE_FORWARD, &limited, 1, &y, 1);
    align(&b);
    assert_null(pair_of(&b, b.t.calls.v[one].last_row));
    assert_int_equal(pair_of(&b, b.t.calls.v[two].last_row)->g, b.g.calls.v[sum].last_row);
    assert_null(pair_of(&b, b.t.calls.v[two].first_row + 1));
    shut(&b);
}

/* A product with ones before one with a number, beside the latter alone: the number tells. */
static void factors_of_ones_before_a_number(void **state)
{
    struct both b;
    struct value k = fresh(32), x = fresh(64), ones = {64, 1, 1, 8}, number = {1, 1.5, 1.5, 1.5}, y = x;
    struct value q[] = {fresh(32), k};
    (void)state;
    y.max *= 1.5;
    y.min *= 1.5;
    y.norm *= 1.5;
    start(&b);
    wide_call(&b.t, "P.MatMul.0.forward", "MatMul", NULL, PHASE_FORWARD, q, 2, &x, 1);
    uint32_t one = wide_call(&b.t, "P.Mul.0.forward", "Mul", NULL, PHASE_FORWARD, (struct value[]){x, ones}, 2, &x, 1);
    uint32_t two =
        wide_call(&b.t, "P.Mul.1.forward", "Mul", NULL, PHASE_FORWARD, (struct value[]){number, x}, 2, &y, 1);
    wide_call(&b.g, "T.matmul.0.forward", "matmul", NULL, PHASE_FORWARD, q, 2, &x, 1);
    uint32_t g =
        wide_call(&b.g, "T.__mul__.0.forward", "__mul__", NULL, PHASE_FORWARD, (struct value[]){x, number}, 2, &y, 1);
    align(&b);
    assert_null(pair_of(&b, b.t.calls.v[one].last_row));
    assert_int_equal(pair_of(&b, b.t.calls.v[two].last_row)->g, b.g.calls.v[g].last_row);
    shut(&b);
}

/* Complex numbers beside as many reals: nothing but their number speaks for such a pair. */
static void complex_numbers_beside_reals(void **state)
{
    (void)state;
    for (int reals = 0; reals < 2; reals++) {
        struct both b;
        struct value x = fresh(64), y = fresh(64), t = fresh(36), g = fresh(36);
        start(&b);
        uint32_t a = wide_call(&b.t, "P.softmax.0.forward", "softmax", NULL, PHASE_FORWARD,
                               (struct value[]){x, t}, 2, &y, 1);
        uint32_t c = wide_call(&b.g, "F.softmax.0.forward", "softmax", NULL, PHASE_FORWARD,
                               (struct value[]){x, g}, 2, &y, 1);
        if (!reals)
            b.g.rows.v[b.g.calls.v[c].first_row + 1].dtype = DTYPE_C64;
        align(&b);
        assert_int_equal(!!pair_of(&b, b.t.calls.v[a].first_row + 1), reals);
        shut(&b);
    }
}

/* Two losses of scores that figures do not tell apart, in the order of their code: the numbers tell. */
static void losses_in_another_order(void **state)
{
    struct both b;
    struct value scores = fresh(64), a = {1, 2.5, 2.5, 2.5}, o = {1, 3.25, 3.25, 3.25};
    uint32_t t[2], g[2];
    (void)state;
    start(&b);
    for (int i = 0; i < 2; i++) {
        char name[2][60];
        snprintf(name[0], sizeof name[0], "P.SparseSoftmaxCrossEntropyWithLogits.%d.forward", i);
        snprintf(name[1], sizeof name[1], "F.cross_entropy.%d.forward", i);
        t[i] = wide_call(&b.t, name[0], "SparseSoftmaxCrossEntropyWithLogits", NULL, PHASE_FORWARD, &scores, 1,
                         i ? &a : &o, 1);
        g[i] = wide_call(&b.g, name[1], "cross_entropy", NULL, PHASE_FORWARD, &scores, 1, i ? &o : &a, 1);
    }
    align(&b);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pair_of(&b, b.t.calls.v[t[i]].last_row)->g, b.g.calls.v[g[!i]].last_row);
    shut(&b);
}

/* x * sigmoid(x), written out, is what the other side's silu returns. */
static void written_out_activations(void **state)
{
    struct both b;
    struct value x = fresh(64), s = fresh(64), y = fresh(64), xs[] = {x, s};
    (void)state;
    start(&b);
    uint32_t sigmoid = wide_call(&b.t, "P.Sigmoid.0.forward", "Sigmoid", NULL, PHASE_FORWARD, &x, 1, &s, 1);
    uint32_t mul = wide_call(&b.t, "P.Mul.0.forward", "Mul", NULL, PHASE_FORWARD, xs, 2, &y, 1);
    uint32_t silu = wide_call(&b.g, "F.silu.0.forward", "silu", NULL, PHASE_FORWARD, &x, 1, &y, 1);
    align(&b);
    assert_int_equal(pair_of(&b, b.t.calls.v[mul].last_row)->g, b.g.calls.v[silu].last_row);
    assert_null(pair_of(&b, b.t.calls.v[sigmoid].last_row));
    shut(&b);
}

/* Choices of the largest of one value: those that both sides make are partners; of one that a side makes beside them,
 * how many it takes is no other number. */
static void choices_by_how_many_they_take(void **state)
{
    (void)state;
    for (int twice = 0; twice < 2; twice++) {
        struct both b;
        struct value x = fresh(64), two = fresh(16), three = fresh(24), k2 = {1, 2, 2, 2}, k3 = {1, 3, 3, 3};
        start(&b);
        if (twice)
            wide_call(&b.t, "P.TopK.0.forward", "TopK", NULL, PHASE_FORWARD, (struct value[]){x, k3}, 2, &three, 1);
        uint32_t t =
            wide_call(&b.t, "P.TopK.1.forward", "TopK", NULL, PHASE_FORWARD, (struct value[]){x, k3}, 2, &three, 1);
        wide_call(&b.g, "T.topk.0.forward", "topk", NULL, PHASE_FORWARD, (struct value[]){x, k2}, 2, &two, 1);
        if (twice)
            wide_call(&b.g, "T.topk.1.forward", "topk", NULL, PHASE_FORWARD, (struct value[]){x, k3}, 2, &three, 1);
        align(&b);
        const struct sequence_pair *p = pair_of(&b, b.t.calls.v[t].first_row + 1);
        assert_int_equal(p && b.g.rows.v[p->g].stat[STAT_MAX] == 2, !twice);
        shut(&b);
    }
}

/* A norm's weight is ones on one side: two products hold one value there, and the one that reads what its partner reads
 * is the partner, although launch order puts it before. */
static void a_factor_of_ones(void **state)
{
    struct both b;
    struct value k = fresh(64), x = fresh(64), mean = fresh(8), r = fresh(8), n = fresh(64), q = fresh(64),
                 qw = fresh(16), qn = fresh(64), ones = {16, 1, 1, 4};
    (void)state;
    start(&b);
    wide_call(&b.t, "SiLU.A_SiLU-op0", "SiLU", NULL, PHASE_FORWARD, &k, 1, &x, 1);
    wide_call(&b.t, "Rsqrt.A_Rsqrt-op0", "Rsqrt", NULL, PHASE_FORWARD, &mean, 1, &r, 1);
    uint32_t norm = wide_call(&b.t, "Mul.A_Mul-op0", "Mul", NULL, PHASE_FORWARD, (struct value[]){x, r}, 2, &n, 1);
    wide_call(&b.t, "Mul.B_Mul-op0", "Mul", NULL, PHASE_FORWARD, (struct value[]){q, qw}, 2, &qn, 1);
    uint32_t scale =
        wide_call(&b.t, "Mul.C_Mul-op0", "Mul", NULL, PHASE_FORWARD, (struct value[]){n, ones}, 2, &n, 1);
    wide_call(&b.g, "A.__mul__.0.forward", "__mul__", NULL, PHASE_FORWARD, (struct value[]){q, qw}, 2, &qn, 1);
    wide_call(&b.g, "C.silu.0.forward", "silu", NULL, PHASE_FORWARD, &k, 1, &x, 1);
    wide_call(&b.g, "C.rsqrt.0.forward", "rsqrt", NULL, PHASE_FORWARD, &mean, 1, &r, 1);
    uint32_t its_norm =
        wide_call(&b.g, "B.__mul__.0.forward", "__mul__", NULL, PHASE_FORWARD, (struct value[]){x, r}, 2, &n, 1);
    for (uint32_t c = 0; c < b.t.calls.n; c++)
        b.t.calls.v[c].kind = CALL_OPERATOR;
    align(&b);
    const struct sequence_pair *p = pair_of(&b, b.t.calls.v[norm].last_row);
    assert_true(p && p->g == b.g.calls.v[its_norm].last_row);
    assert_null(pair_of(&b, b.t.calls.v[scale].last_row));
    shut(&b);
}

/* Longer than several windows, with a gap longer than one on one side. */
static void long_lists_and_gaps(void **state)
{
    enum { N = 3000, GAP = 1500 };
    (void)state;
    for (int side = 0; side < 2; side++) {
        struct both b;
        uint32_t *t = malloc(N * sizeof *t), *g = malloc(N * sizeof *g), found = 0;
        start(&b);
        for (int part = 0; part < 2; part++) {
            run(&b, N / 2, 1e-5, -1, -1, t + part * N / 2, g + part * N / 2);
            for (int i = 0; i < GAP && !part; i++)
                call(side ? &b.g : &b.t, "X", ops[i % 6][side], PHASE_FORWARD, fresh(64), fresh(64 << (i % 3)));
        }
        align(&b);
        for (size_t i = 0; i < b.found.pairs.n; i++)
            found += b.found.pairs.v[i].confidence >= 0.9f;
        assert_true(found >= 2 * N * 99 / 100);
        for (int i = 0; i < N; i += 97)
            assert_int_equal(pair_of(&b, t[i])->g, g[i]);
        free(t);
        free(g);
        shut(&b);
    }
}

static void roles(void **state)
{
    (void)state;
    uint8_t q = role_find(STR("model.layers.0.attention.wq")),
            qkv = role_find(STR("decoder.layers.0.self_attention.linear_qkv"));
    assert_string_equal(role_name(q), "q");
    assert_int_equal(q, role_find(STR("model.layers.11.self_attn.q_proj")));
    assert_string_equal(role_name(role_find(STR("model.layers.0.feed_forward.thing"))), "mlp");
    assert_int_equal(role_find(STR("a.b.0")), 0);
    assert_string_equal(role_name(role_find(STR("transformer.h.0.attn.c_proj"))), "o");
    assert_string_equal(role_name(role_find(STR("transformer.h.0.mlp.c_proj"))), "down");
    assert_string_equal(role_name(role_find(STR("t5_model.projection"))), "head");
    assert_string_equal(role_name(role_find(STR("t5_model.tfm_encoder.blocks.0.attention.projection"))), "o");
    assert_true(role_part(q, qkv));
    assert_false(role_part(qkv, q));
    assert_false(role_conflict(q, qkv));
    assert_true(role_conflict(q, role_find(STR("x.wk"))));
    assert_false(role_conflict(0, q));
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
        assert_true(doubtful(pair_of(&b, r[i])));
    shut(&b);
}

/* A cell that is called with both operands and records no call within is aligned with calls; one with a call within,
 * or one that only adds, is a module, which no call is. */
static void cells_that_multiply(void **state)
{
    static const struct {
        const char *cell, *op;
        bool call_within, found;
    } cases[] = {
        {"Dense", "linear", false, true},
        {"Outer", "__mul__", false, true},
        {"Dense", "linear", true, false},
        {"Shift", "__add__", false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct both b;
        struct value x = fresh(64), y = fresh(48);
        start(&b);
        call(&b.t, "Primitive", "Softmax", PHASE_FORWARD, x, x);
        uint32_t out = module_row(&b.t, "router", cases[i].cell, NULL, x, y);
        uint32_t cell = b.t.rows.v[out].call, weight = row(&b.t, cell, IO_INPUT, 1, fresh(24));
        if (cases[i].call_within)
            b.t.calls.v[b.t.rows.v[call(&b.t, "Primitive", "Neg", PHASE_FORWARD, x, fresh(64))].call].parent = cell;
        call(&b.g, "Functional", "softmax", PHASE_FORWARD, x, x);
        uint32_t g = call(&b.g, "Functional", cases[i].op, PHASE_FORWARD, x, fresh(48));
        uint32_t other = row(&b.g, b.g.rows.v[g].call, IO_INPUT, 1, fresh(24));
        align(&b);
        const struct sequence_pair *p = pair_of(&b, weight);
        if ((p && p->g == other && !doubtful(p)) != cases[i].found)
            fail_msg("case %zu: paired with %d", i, p ? (int)p->g : -1);
        shut(&b);
    }
}

/* A module and the record of its parameters' gradients, on one side; its parameters in this order. */
static uint32_t module_with_gradients(struct dump *d, const char *path, const char *type, struct value in,
                                      struct value out, const char *const *name, const struct value *gradient,
                                      uint32_t *rows)
{
    char text[100];
    snprintf(text, sizeof text, "Module.%s.%s.forward.0", path, type);
    uint32_t c = dump_add_call(d, str_of(text), CALL_MODULE, PHASE_FORWARD);
    d->calls.v[c].family = (uint8_t)family_find(str_of(type));
    d->calls.v[c].scope = dump_scope(d, str_of(path));
    row(d, c, IO_INPUT, 0, in);
    row(d, c, IO_OUTPUT, 0, out);
    snprintf(text, sizeof text, "Module.%s.%s.parameters_grad.0", path, type);
    uint32_t g = dump_add_call(d, str_of(text), CALL_MODULE, PHASE_BACKWARD);
    d->calls.v[g].family = d->calls.v[c].family;
    d->calls.v[g].scope = d->calls.v[c].scope;
    d->calls.v[g].gradient = true;
    for (int i = 0; i < 2; i++) {
        rows[i] = row(d, g, IO_GRADIENT, i, gradient[i]);
        d->rows.v[rows[i]].slot = dump_slot(d, str_of(name[i]));
    }
    return g;
}

/* Gradients of parameters follow their module and are told by their names, whatever they hold: one that is zero has no
 * figures to be known by. */
static void gradients_follow_their_modules(void **state)
{
    static const char *const names[2][2] = {{"beta", "gamma"}, {"weight", "bias"}};
    const struct value zero = {16, 0, 0, 0};
    struct both b;
    uint32_t rows[4][2][2];
    (void)state;
    start(&b);
    struct value v = fresh(64);
    for (int i = 0; i < 4; i++) {
        struct value next = fresh(64), g[2] = {fresh(16), fresh(16)}, back[2] = {g[1], i == 2 ? zero : fresh(16)};
        char path[2][40];
        snprintf(path[0], sizeof path[0], "features.%d.layers.1", i + 2);
        snprintf(path[1], sizeof path[1], "features.%d.conv.1", i);
        module_with_gradients(&b.t, path[0], "BatchNorm2d", v, next, names[0], back, rows[i][0]);
        module_with_gradients(&b.g, path[1], "BatchNorm2d", v, next, names[1], g, rows[i][1]);
        v = next;
    }
    align(&b);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++) {
            const struct sequence_pair *p = pair_of(&b, rows[i][0][k]);
            assert_true(p && p->g == rows[i][1][1 - k] && p->confidence > 0.5f);
        }
    shut(&b);
}

/* Of a fused product's parts the gradients of weights and of biases are those of its own. */
static void gradients_of_fused_parts(void **state)
{
    static const char *const names[] = {"bias", "weight"};
    struct both b;
    uint32_t rows[4][2];
    struct value x = fresh(64), whole = {0, -INFINITY, INFINITY, 0}, gradient[2] = {fresh(48), fresh(96)};
    (void)state;
    start(&b);
    for (int i = 0; i < 3; i++) {
        struct value y = fresh(32), part[2] = {fresh(16), fresh(32)};
        char path[40];
        snprintf(path, sizeof path, "layers.0.attn.p%d", i);
        module_with_gradients(&b.g, path, "Linear", x, y, names, part, rows[i]);
        whole.numel += y.numel;
        whole.max = fmax(whole.max, y.max);
        whole.min = fmin(whole.min, y.min);
        whole.norm = hypot(whole.norm, y.norm);
    }
    module_with_gradients(&b.t, "layers.0.attn.all", "Linear", x, whole, names, gradient, rows[3]);
    align(&b);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            bool found = false;
            for (size_t n = 0; n < b.found.pairs.n; n++)
                found = found || (b.found.pairs.v[n].t == rows[3][k] && b.found.pairs.v[n].g == rows[i][k]);
            assert_true(found);
        }
    shut(&b);
}

/* A quotient beside a product with the reciprocal: near one both are alike, and they are different values. */
static void a_divisor_near_one(void **state)
{
    static const char *const names[] = {"Tensor.__mul__.0.forward", "Tensor.__truediv__.0.forward"};
    (void)state;
    for (int divides = 0; divides < 2; divides++) {
        struct both b;
        struct value in[2] = {fresh(64), {16, 1.0001, 0.9999, 4}}, out = fresh(64);
        start(&b);
        b.t.framework = "pytorch";
        uint32_t t = wide_call(&b.t, names[divides], divides ? "truediv" : "mul", NULL, PHASE_FORWARD, in, 2, &out, 1);
        in[1].max = 1.00012;
        wide_call(&b.g, names[1], "truediv", NULL, PHASE_FORWARD, in, 2, &out, 1);
        align(&b);
        EACH_ROW(&b.t, t, r) {
            const struct sequence_pair *p = pair_of(&b, r);
            assert_int_equal(p != NULL, divides || dump_row_numel(&b.t, r) == 64);
        }
        shut(&b);
    }
}

/* A layer around a plain one, beside the plain one alone, which takes the parameters: what is inside is no other
 * module's. Where nobody else holds its weight the place counts. */
static void a_layer_inside_another(void **state)
{
    (void)state;
    for (int held = 0; held < 2; held++) {
        struct both b;
        struct value x = fresh(64), y = fresh(64), u = fresh(64), v = fresh(64), weight = fresh(48);
        start(&b);
        b.t.framework = "pytorch";
        const struct {
            struct dump *d;
            const char *path, *type;
            struct value in, out, weight;
            bool plain;
        } modules[] = {{&b.t, "layers.0.cross.q_proj.inner", "Linear", x, y, weight, true},
                       {&b.t, "layers.0.cross.q_proj", "ParallelLinear", x, y, weight, false},
                       {&b.g, "layers.0.self.q_proj", "Linear", u, v, fresh(48), true},
                       {&b.g, "layers.0.cross.q_proj", "Linear", x, y, held ? weight : fresh(48), true}};
        uint32_t inner = NONE;
        for (size_t i = 0; i < ARRAY_LEN(modules); i++) {
            char name[100];
            snprintf(name, sizeof name, "Module.%s.%s.forward.0", modules[i].path, modules[i].type);
            uint32_t c = wide_call(modules[i].d, name, "Linear", modules[i].path, PHASE_FORWARD, &modules[i].in, 1,
                                   &modules[i].out, 1);
            modules[i].d->calls.v[c].kind = CALL_MODULE;
            inner = i ? inner : modules[i].d->calls.v[c].last_row;
            if (modules[i].plain) {
                static const int64_t square[] = {6, 8};
                uint32_t r = row(modules[i].d, c, IO_PARAMETER, 2, modules[i].weight);
                modules[i].d->rows.v[r].shape = dump_shape(modules[i].d, square, 2);
            }
        }
        align(&b);
        const struct sequence_pair *p = pair_of(&b, inner);
        assert_int_equal(p && p->g == b.g.calls.v[0].last_row - 1, !held);
        shut(&b);
    }
}

/* A package that counts its activations as layers: the weights tell which number is which, also where no result
 * agrees. */
static void numbers_of_layers_are_learned(void **state)
{
    struct both b;
    uint32_t out[6][2];
    (void)state;
    start(&b);
    for (int i = 0; i < 6; i++) {
        struct value weight = fresh(32);
        for (int s = 0; s < 2; s++) {
            struct dump *d = s ? &b.g : &b.t;
            char path[40], name[80];
            snprintf(path, sizeof path, "features.%d.conv", s ? i : i + 2);
            snprintf(name, sizeof name, "Module.%s.Conv2d.forward.0", path);
            uint32_t c = dump_add_call(d, str_of(name), CALL_MODULE, PHASE_FORWARD);
            d->calls.v[c].family = FAMILY_CONV;
            d->calls.v[c].scope = dump_scope(d, str_of(path));
            uint32_t w = row(d, c, IO_INPUT, 1, weight);
            d->rows.v[w].io = IO_PARAMETER;
            row(d, c, IO_INPUT, 0, fresh(64));
            out[i][s] = row(d, c, IO_OUTPUT, 0, fresh(64));
        }
    }
    align(&b);
    for (int i = 0; i < 6; i++) {
        const struct sequence_pair *p = pair_of(&b, out[i][0]);
        assert_true(p && p->g == out[i][1]);
    }
    shut(&b);
}

/* A call of a product with two operands; returns the output's row. */
static uint32_t product(struct dump *d, const char *op, struct value first, struct value second, struct value out)
{
    uint32_t r = call(d, "Torch", op, PHASE_FORWARD, first, out);
    uint32_t c = d->rows.v[r].call;
    row(d, c, IO_INPUT, 1, second);
    return r;
}

/* In a graph a weight tells its product, whatever the product gives, also where one side rounds what it stores or casts
 * it. Another norm is another weight. */
static void rounded_weights_tell(void **state)
{
    static const struct {
        bool cast;
        double norm; /* of the rounded weights, relative to the others' */
        bool found;
    } cases[] = {{false, 1, true}, {true, 1, true}, {false, 1.001, false}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct both b;
        struct value weight[3], x = fresh(64);
        uint32_t out[2][3];
        start(&b);
        for (int n = 0; n < 3; n++) {
            struct value *v = &weight[n];
            *v = fresh(32);
            struct value stored = {32, v->max * 1.0004, v->min * 1.0003, v->norm * cases[i].norm}, cast = stored;
            cast.norm *= 1 + 1e-6;
            if (cases[i].cast)
                call(&b.t, "Default", "Cast", PHASE_FORWARD, stored, cast);
            out[TARGET][n] = product(&b.t, "MatMul", x, cases[i].cast ? cast : stored, fresh(48));
        }
        for (size_t c = 0; c < b.t.calls.n; c++)
            b.t.calls.v[c].kind = CALL_OPERATOR;
        for (size_t r = 0; r < b.t.rows.n; r++)
            b.t.rows.v[r].dtype = DTYPE_F16;
        for (int n = 2; n >= 0; n--)
            out[GOLDEN][n] = product(&b.g, "matmul", x, weight[n], fresh(48));
        align(&b);
        for (int n = 0; n < 3; n += 2) {
            const struct sequence_pair *p = pair_of(&b, out[TARGET][n]);
            if ((p && p->g == out[GOLDEN][n] && p->why == WHY_WEIGHT) != cases[i].found)
                fail_msg("case %zu: product %d is paired with %d", i, n, p ? (int)p->g : -1);
        }
        shut(&b);
    }
}

/* What made a paired input is paired where neither call has a partner: a division by √√d of one side beside a
 * transposition of the other. A call that the other side lacks is not. */
static void makers_of_paired_inputs(void **state)
{
    for (int lacks = 0; lacks < 2; lacks++) {
        struct both b;
        (void)state;
        start(&b);
        struct value q = fresh(64), k = fresh(64), scaled[2] = {fresh(64), fresh(64)}, before = fresh(64);
        call(&b.t, "Torch", "softmax", PHASE_FORWARD, before, q);
        call(&b.g, "Torch", "softmax", PHASE_FORWARD, before, q);
        uint32_t t = call(&b.t, "Torch", "RealDiv", PHASE_FORWARD, lacks ? scaled[1] : q, scaled[0]);
        uint32_t g = call(&b.g, "Torch", "logsigmoid", PHASE_FORWARD, fresh(64), scaled[1]);
        product(&b.t, "BatchMatMul", scaled[0], k, near(k, 0.3));
        product(&b.g, "matmul", scaled[1], k, near(k, 0.3));
        align(&b);
        const struct sequence_pair *p = pair_of(&b, t);
        if (lacks)
            assert_null(p);
        else
            assert_true(p && p->g == g && p->why == WHY_MADE);
        shut(&b);
    }
}

/* Operands of a product keep their places although the calls that made them are paired crosswise, by order alone. */
static void operands_keep_their_places(void **state)
{
    struct both b;
    (void)state;
    start(&b);
    struct value q[2] = {fresh(64), fresh(64)}, k[2] = {fresh(64), fresh(64)}, in = fresh(64);
    call(&b.t, "Torch", "Softmax", PHASE_FORWARD, in, in);
    call(&b.g, "Torch", "softmax", PHASE_FORWARD, in, in);
    call(&b.t, "Torch", "Add", PHASE_FORWARD, fresh(64), q[0]);
    call(&b.t, "Torch", "Add", PHASE_FORWARD, fresh(64), k[0]);
    call(&b.g, "Torch", "__add__", PHASE_FORWARD, fresh(64), k[1]);
    call(&b.g, "Torch", "__add__", PHASE_FORWARD, fresh(64), q[1]);
    uint32_t t = b.t.calls.n, g = b.g.calls.n;
    product(&b.t, "BatchMatMul", q[0], k[0], fresh(64));
    product(&b.g, "matmul", q[1], k[1], fresh(64));
    align(&b);
    EACH_ROW(&b.t, t, r) {
        const struct sequence_pair *p = pair_of(&b, r);
        assert_true(p && b.g.rows.v[p->g].call == g);
        assert_string_equal(b.t.slots.v[b.t.rows.v[r].slot], b.g.slots.v[b.g.rows.v[p->g].slot]);
    }
    shut(&b);
}

/* The last operands of a concatenation or a sum belong together, whatever they hold, if the others agree. */
static void last_operand_left(void **state)
{
    static const struct {
        const char *op[2];
        int64_t whole;
    } cases[] = {{{"Concat", "cat"}, 128}, {{"Add", "__add__"}, 64}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct both b;
        start(&b);
        struct value pass = fresh(64), whole = fresh(cases[i].whole), turned[2] = {fresh(64), fresh(64)};
        call(&b.t, "Torch", "Softmax", PHASE_FORWARD, fresh(64), pass);
        call(&b.g, "Torch", "softmax", PHASE_FORWARD, fresh(64), pass);
        uint32_t t = b.t.calls.n, first = b.t.rows.n;
        product(&b.t, cases[i].op[TARGET], turned[0], pass, whole);
        product(&b.g, cases[i].op[GOLDEN], turned[1], pass, whole);
        product(&b.t, "BatchMatMul", whole, pass, whole);
        product(&b.g, "matmul", whole, pass, whole);
        align(&b);
        const struct sequence_pair *p = pair_of(&b, first);
        assert_int_equal(b.t.rows.v[first].call, t);
        assert_true(p && p->confidence > 0.5f);
        shut(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_layers_are_learned),
        cmocka_unit_test(cells_that_multiply),
        cmocka_unit_test(gradients_follow_their_modules),
        cmocka_unit_test(agreeing_runs_are_paired),
        cmocka_unit_test(an_inserted_call_shifts_nothing),
        cmocka_unit_test(behind_a_deviation),
        cmocka_unit_test(arguments_by_their_names),
        cmocka_unit_test(no_guess_where_counts_differ),
        cmocka_unit_test(families_and_sizes_must_agree),
        cmocka_unit_test(views_are_left_out),
        cmocka_unit_test(phases_are_apart),
        cmocka_unit_test(backward_calls_need_their_figures),
        cmocka_unit_test(operands_by_figures),
        cmocka_unit_test(taken_rows_are_left_alone),
        cmocka_unit_test(overflowed_figures),
        cmocka_unit_test(a_divisor_near_one),
        cmocka_unit_test(a_layer_inside_another),
        cmocka_unit_test(fused_calls_are_groups),
        cmocka_unit_test(gradients_of_fused_parts),
        cmocka_unit_test(parts_run_elsewhere),
        cmocka_unit_test(far_parts_have_to_be_proven),
        cmocka_unit_test(a_fused_call_that_adds_first),
        cmocka_unit_test(a_bias_beside_a_single_sample),
        cmocka_unit_test(a_term_added_to_a_multiple),
        cmocka_unit_test(differences_that_end),
        cmocka_unit_test(every_operand_has_to_agree),
        cmocka_unit_test(what_ends_finds_its_equal),
        cmocka_unit_test(a_graph_runs_elsewhere),
        cmocka_unit_test(modules_that_end_elsewhere),
        cmocka_unit_test(slices_by_what_they_hold),
        cmocka_unit_test(a_quotient_against_a_product),
        cmocka_unit_test(integers_are_no_floats),
        cmocka_unit_test(names_beat_figures),
        cmocka_unit_test(numbers_of_operators),
        cmocka_unit_test(slots_by_habit),
        cmocka_unit_test(backward_calls_follow_their_twins),
        cmocka_unit_test(a_difference_against_a_sum),
        cmocka_unit_test(gradients_of_a_quotient),
        cmocka_unit_test(terms_of_a_gradient),
        cmocka_unit_test(terms_added_one_after_another),
        cmocka_unit_test(factors_of_ones_before_a_number),
        cmocka_unit_test(complex_numbers_beside_reals),
        cmocka_unit_test(losses_in_another_order),
        cmocka_unit_test(written_out_activations),
        cmocka_unit_test(choices_by_how_many_they_take),
        cmocka_unit_test(a_factor_of_ones),
        cmocka_unit_test(long_lists_and_gaps),
        cmocka_unit_test(roles),
        cmocka_unit_test(rounded_weights_tell),
        cmocka_unit_test(makers_of_paired_inputs),
        cmocka_unit_test(operands_keep_their_places),
        cmocka_unit_test(last_operand_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

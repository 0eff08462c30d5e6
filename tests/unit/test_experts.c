/* Experts in one weight against experts called one after the other: each weight meets its part, rows meet where their
 * order is known, and what differs inside an expert is found there. */
#include "draws.h"
#include "sessions.h"
#include "tensors.h"

enum { EXPERTS = 3, WIDTH = 6, INNER = 4, PLACES = 5, TOKENS = 6 };

static const int tokens_of[EXPERTS] = {2, 3, 1};

struct model {
    float gate[EXPERTS][INNER][WIDTH], up[EXPERTS][INNER][WIDTH], down[EXPERTS][WIDTH][INNER];
    float x[EXPERTS][PLACES][WIDTH]; /* padded with zeros */
};

/* What an expert makes of its rows. */
struct inside {
    float gate[PLACES][INNER], active[PLACES][INNER], up[PLACES][INNER], product[PLACES][INNER], out[PLACES][WIDTH];
};

static void fill(float *v, size_t n, uint64_t *seed)
{
    for (size_t i = 0; i < n; i++)
        v[i] = (float)(2 * draw_share(seed) - 1);
}

static struct model fresh(void)
{
    struct model m = {.x = {{{0}}}};
    uint64_t seed = 7;
    fill(&m.gate[0][0][0], EXPERTS * INNER * WIDTH, &seed);
    fill(&m.up[0][0][0], EXPERTS * INNER * WIDTH, &seed);
    fill(&m.down[0][0][0], EXPERTS * INNER * WIDTH, &seed);
    for (int e = 0; e < EXPERTS; e++)
        fill(&m.x[e][0][0], (size_t)(tokens_of[e] * WIDTH), &seed);
    return m;
}

static void multiply(float *out, const float *x, const float *weight, int rows, int in, int wide)
{
    for (int r = 0; r < rows; r++)
        for (int o = 0; o < wide; o++) {
            double sum = 0;
            for (int i = 0; i < in; i++)
                sum += (double)x[r * in + i] * (double)weight[o * in + i];
            out[r * wide + o] = (float)sum;
        }
}

/* `relu`: another activation than the other side's. */
static struct inside pass(const struct model *m, int e, bool relu)
{
    struct inside y;
    multiply(&y.gate[0][0], &m->x[e][0][0], &m->gate[e][0][0], PLACES, WIDTH, INNER);
    multiply(&y.up[0][0], &m->x[e][0][0], &m->up[e][0][0], PLACES, WIDTH, INNER);
    for (int r = 0; r < PLACES; r++)
        for (int i = 0; i < INNER; i++) {
            float g = y.gate[r][i];
            y.active[r][i] = relu ? fmaxf(g, 0) : g / (1 + expf(-g));
            y.product[r][i] = y.active[r][i] * y.up[r][i];
        }
    multiply(&y.out[0][0], &y.product[0][0], &m->down[e][0][0], PLACES, INNER, WIDTH);
    return y;
}

static void stacked(struct tensor_dump *d, const struct model *m, bool relu, bool statistics)
{
    struct inside y[EXPERTS];
    float row[4][EXPERTS][PLACES][INNER], out[EXPERTS][PLACES][WIDTH];
    tensors_begin_of(d, scratch(), "mindspore");
    d->statistics = statistics;
    for (int e = 0; e < EXPERTS; e++) {
        y[e] = pass(m, e, relu);
        memcpy(row[0][e], y[e].gate, sizeof row[0][e]);
        memcpy(row[1][e], y[e].active, sizeof row[1][e]);
        memcpy(row[2][e], y[e].up, sizeof row[2][e]);
        memcpy(row[3][e], y[e].product, sizeof row[3][e]);
        memcpy(out[e], y[e].out, sizeof out[e]);
    }
    const size_t rows = EXPERTS * PLACES * INNER, wide = EXPERTS * PLACES * WIDTH;
    struct tensor_of x = {"3,5,6", &m->x[0][0][0], wide}, r[4], result = {"3,5,6", &out[0][0][0], wide};
    for (int i = 0; i < 4; i++)
        r[i] = (struct tensor_of){i & 1 ? "15,4" : "3,5,4", &row[i][0][0][0], rows};
    struct tensor_of weight[3] = {{"3,4,6", &m->gate[0][0][0], EXPERTS * INNER * WIDTH},
                                {"3,4,6", &m->up[0][0][0], EXPERTS * INNER * WIDTH},
                                {"3,6,4", &m->down[0][0][0], EXPERTS * INNER * WIDTH}};
    tensors_call(d, "Mint.bmm.0.forward", x, weight[0], r[0]);
    tensors_call(d, relu ? "Mint.relu.0.forward" : "Mint.silu.0.forward", r[0], (struct tensor_of){0}, r[1]);
    tensors_call(d, "Mint.bmm.1.forward", x, weight[1], r[2]);
    tensors_call(d, "Mint.mul.0.forward", r[1], r[2], r[3]);
    tensors_call(d, "Mint.bmm.2.forward", r[3], weight[2], result);
    tensors_end(d);
}

/* The experts are called in `order`. */
static void looped(struct tensor_dump *d, const struct model *m, const int *order, bool statistics)
{
    tensors_begin_of(d, scratch(), "pytorch");
    d->statistics = statistics;
    for (int i = 0; i < EXPERTS; i++) {
        int e = order[i], n = tokens_of[e];
        struct inside y = pass(m, e, false);
        char wide[20], narrow[20], name[5][60];
        static const char *const op[] = {"Functional.linear", "Functional.silu", "Functional.linear", "Tensor.__mul__",
                                         "Functional.linear"};
        snprintf(wide, sizeof wide, "%d,6", n);
        snprintf(narrow, sizeof narrow, "%d,4", n);
        for (int k = 0; k < 5; k++)
            snprintf(name[k], sizeof name[k], "%s.%d.forward", op[k],
                     k % 2 ? i : 3 * i + k / 2);
        struct tensor_of x = {wide, &m->x[e][0][0], (size_t)(n * WIDTH)},
                         out = {wide, &y.out[0][0], (size_t)(n * WIDTH)};
        struct tensor_of gate = {narrow, &y.gate[0][0], (size_t)(n * INNER)}, act = gate, up = gate, product = gate;
        act.v = &y.active[0][0];
        up.v = &y.up[0][0];
        product.v = &y.product[0][0];
        tensors_call(d, name[0], x, (struct tensor_of){"4,6", &m->gate[e][0][0], INNER * WIDTH}, gate);
        tensors_call(d, name[1], gate, (struct tensor_of){0}, act);
        tensors_call(d, name[2], x, (struct tensor_of){"4,6", &m->up[e][0][0], INNER * WIDTH}, up);
        tensors_call(d, name[3], act, up, product);
        tensors_call(d, name[4], product, (struct tensor_of){"6,4", &m->down[e][0][0], INNER * WIDTH}, out);
    }
    tensors_end(d);
}

/* Gate and up in one weight of all experts, [experts, in, gate and up] or, rows, [experts, gate and up, in]; their
 * results are parted unrecorded. */
static void fused(struct tensor_dump *d, const struct model *m, bool rows, bool statistics)
{
    float weight[EXPERTS * WIDTH * 2 * INNER], product[EXPERTS][PLACES][INNER], out[EXPERTS][PLACES][WIDTH],
        both[EXPERTS][PLACES][2 * INNER];
    tensors_begin_of(d, scratch(), "mindspore");
    d->statistics = statistics;
    for (int e = 0; e < EXPERTS; e++) {
        struct inside y = pass(m, e, false);
        memcpy(product[e], y.product, sizeof product[e]);
        memcpy(out[e], y.out, sizeof out[e]);
        for (int i = 0; i < INNER; i++) {
            for (int k = 0; k < WIDTH; k++) {
                float *one = weight + e * WIDTH * 2 * INNER;
                one[rows ? i * WIDTH + k : k * 2 * INNER + i] = m->gate[e][i][k];
                one[rows ? (INNER + i) * WIDTH + k : k * 2 * INNER + INNER + i] = m->up[e][i][k];
            }
            for (int r = 0; r < PLACES; r++) {
                both[e][r][i] = y.gate[r][i];
                both[e][r][INNER + i] = y.up[r][i];
            }
        }
    }
    const size_t wide = EXPERTS * PLACES * WIDTH;
    struct tensor_of x = {"3,5,6", &m->x[0][0][0], wide},
                     inner = {"3,5,4", &product[0][0][0], EXPERTS * PLACES * INNER};
    tensors_call(d, "Mint.bmm.0.forward", x,
         (struct tensor_of){rows ? "3,8,6" : "3,6,8", weight, EXPERTS * WIDTH * 2 * INNER},
         (struct tensor_of){"3,5,8", &both[0][0][0], EXPERTS * PLACES * 2 * INNER});
    tensors_call(d, "Mint.bmm.1.forward", inner,
                 (struct tensor_of){"3,6,4", &m->down[0][0][0], EXPERTS * INNER * WIDTH},
                 (struct tensor_of){"3,5,6", &out[0][0][0], wide});
    tensors_end(d);
}

static const int in_order[] = {0, 1, 2}, exchanged[] = {2, 0, 1};

static struct session *compare(const struct model *t, const struct model *g, const int *order, bool relu,
                               bool statistics)
{
    static struct tensor_dump d[2];
    stacked(&d[0], t, relu, statistics);
    looped(&d[1], g, order, statistics);
    return open_paths(d[0].dir, d[1].dir);
}

/* Counts paired golden rows of a slot; *first: the name of the first that deviates. */
static int paired(const struct session *s, const char *slot, struct buf *first)
{
    int n = 0;
    buf_clear(first);
    for (size_t i = 0; i < s->now->pairing->lines.n; i++) {
        const struct line *l = &s->now->pairing->lines.v[i];
        if (l->pair == NONE)
            continue;
        const struct dump *g = &s->now->side[GOLDEN].dump;
        n += strcmp(g->slots.v[g->rows.v[l->row[GOLDEN]].slot], slot) == 0;
        if (!first->n && verdict_is_bad((enum verdict)s->now->judged->line[i].verdict))
            dump_row_name(&s->now->side[TARGET].dump, l->row[TARGET], first);
    }
    return n;
}

static void equal_experts_agree(void **state)
{
    (void)state;
    struct model m = fresh();
    for (int k = 0; k < 2; k++) {
        struct session *s = compare(&m, &m, k ? exchanged : in_order, false, false);
        struct buf bad = {0};
        assert_int_equal(paired(s, "input.1", &bad), 12); /* nine weights and three operands */
        assert_int_equal(paired(s, "output.0", &bad), 15);
        if (bad.n)
            fail_msg("%s deviates", bad.p);
        buf_release(&bad);
        shut(s);
    }
}

static void first_is(struct session *s, const char *name)
{
    struct buf bad = {0};
    paired(s, "", &bad);
    if (!bad.n || strcmp(bad.p, name) != 0)
        fail_msg("%s instead of %s", bad.n ? bad.p : "nothing", name);
    buf_release(&bad);
    shut(s);
}

static void a_weight_of_one_expert_is_found(void **state)
{
    (void)state;
    struct model m = fresh(), bad = m;
    for (int i = 0; i < WIDTH; i++)
        for (int k = 0; k < INNER; k++)
            bad.down[1][i][k] *= 1.01F;
    first_is(compare(&bad, &m, in_order, false, false), "Mint.bmm.2.forward.input.1");
    first_is(compare(&bad, &m, in_order, false, true), "Mint.bmm.2.forward.input.1");
}

static void exchanged_weights_are_found(void **state)
{
    (void)state;
    struct model m = fresh(), bad = m;
    memcpy(bad.gate, m.up, sizeof bad.gate);
    memcpy(bad.up, m.gate, sizeof bad.up);
    first_is(compare(&bad, &m, in_order, false, false), "Mint.bmm.0.forward.input.1");
}

static void another_activation_is_found_inside(void **state)
{
    (void)state;
    struct model m = fresh();
    first_is(compare(&m, &m, in_order, true, false), "Mint.relu.0.forward.output.0");
}

static void halves_of_one_weight_are_found(void **state)
{
    (void)state;
    static struct tensor_dump d[2];
    struct model m = fresh(), bad = m;
    for (int i = 0; i < WIDTH; i++)
        bad.up[2][1][i] *= 1.02F;
    for (int i = 0; i < 6; i++) {
        int k = i % 3;
        struct buf first = {0};
        fused(&d[0], k ? &bad : &m, i >= 3, k == 2);
        looped(&d[1], &m, in_order, k == 2);
        struct session *s = open_paths(d[0].dir, d[1].dir);
        assert_int_equal(paired(s, "input.1", &first), 9);
        if (!k ? first.n : !first.n || strcmp(first.p, "Mint.bmm.0.forward.input.1") != 0)
            fail_msg("%d: %s deviates", i, first.n ? first.p : "nothing");
        buf_release(&first);
        shut(s);
    }
}

/* Tokens in another order have no view: weights are compared all the same. */
static void rows_in_another_order_stay_alone(void **state)
{
    (void)state;
    struct model m = fresh(), turned = m;
    for (int i = 0; i < WIDTH; i++) {
        turned.x[1][0][i] = m.x[1][2][i];
        turned.x[1][2][i] = m.x[1][0][i];
    }
    struct session *s = compare(&m, &turned, in_order, false, false);
    struct buf bad = {0};
    assert_int_equal(paired(s, "output.0", &bad), 10);
    assert_int_equal(paired(s, "input.1", &bad), 11);
    if (bad.n)
        fail_msg("%s deviates", bad.p);
    buf_release(&bad);
    shut(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_experts_agree),
        cmocka_unit_test(a_weight_of_one_expert_is_found),
        cmocka_unit_test(exchanged_weights_are_found),
        cmocka_unit_test(another_activation_is_found_inside),
        cmocka_unit_test(halves_of_one_weight_are_found),
        cmocka_unit_test(rows_in_another_order_stay_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

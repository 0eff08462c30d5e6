/* A quotient by a root beside a product with its inverse, behind a deviation: the operands are no partners, so the
 * golden call cannot be computed on the target's. */
#include "draws.h"
#include "sessions.h"
#include "tensors.h"

enum { ROWS = 24, WIDTH = 16 };

struct values {
    float in[ROWS][WIDTH], weight[WIDTH][WIDTH], x[ROWS][WIDTH], square[ROWS][WIDTH], mean[ROWS], root[ROWS],
        inverse[ROWS], y[ROWS][WIDTH];
};

/* `noise`: relative, of each element of the product. */
static void compute(struct values *v, double noise)
{
    uint64_t seed = 3;
    for (int i = 0; i < ROWS * WIDTH; i++)
        v->in[i / WIDTH][i % WIDTH] = (float)(2 * draw_share(&seed) - 1);
    for (int i = 0; i < WIDTH * WIDTH; i++)
        v->weight[i / WIDTH][i % WIDTH] = (float)(draw_share(&seed) - 0.5);
    for (int r = 0; r < ROWS; r++) {
        double mean = 0;
        for (int o = 0; o < WIDTH; o++) {
            double sum = 0;
            for (int i = 0; i < WIDTH; i++)
                sum += (double)v->in[r][i] * (double)v->weight[o][i];
            v->x[r][o] = (float)(sum * (1 + noise * (2 * draw_share(&seed) - 1)));
            v->square[r][o] = v->x[r][o] * v->x[r][o];
            mean += (double)v->square[r][o] / WIDTH;
        }
        v->mean[r] = (float)mean;
        v->root[r] = sqrtf(v->mean[r]);
        v->inverse[r] = (float)(1 / sqrt((double)v->mean[r]));
        for (int o = 0; o < WIDTH; o++)
            v->y[r][o] = v->x[r][o] / v->root[r];
    }
}

static void norm(struct tensor_dump *d, const struct values *v, bool divides)
{
    static const char *const name[2][5] = {
        {"Functional.linear.0.forward", "Tensor.square.0.forward", "Tensor.mean.0.forward", "Torch.rsqrt.0.forward",
         "Tensor.__mul__.0.forward"},
        {"Mint.linear.0.forward", "Mint.square.0.forward", "Mint.mean.0.forward", "Mint.sqrt.0.forward",
         "Mint.div.0.forward"}};
    const char *const *n = name[divides];
    const struct tensor_of none = {0}, in = {"24,16", &v->in[0][0], ROWS * WIDTH},
                                 weight = {"16,16", &v->weight[0][0], WIDTH * WIDTH},
                                 x = {"24,16", &v->x[0][0], ROWS * WIDTH},
                                 square = {"24,16", &v->square[0][0], ROWS * WIDTH}, mean = {"24,1", v->mean, ROWS},
                                 root = {"24,1", divides ? v->root : v->inverse, ROWS},
                                 y = {"24,16", &v->y[0][0], ROWS * WIDTH};
    tensors_begin_of(d, scratch(), divides ? "mindspore" : "pytorch");
    tensors_call(d, n[0], in, weight, x);
    tensors_call(d, n[1], x, none, square);
    tensors_call(d, n[2], square, none, mean);
    tensors_call(d, n[3], mean, none, root);
    tensors_call(d, n[4], x, root, y);
    tensors_end(d);
}

static void a_quotient_does_not_start(void **state)
{
    (void)state;
    static struct values t, g;
    static struct tensor_dump d[2];
    compute(&t, 1e-5);
    compute(&g, 0);
    norm(&d[0], &t, true);
    norm(&d[1], &g, false);
    struct session *s = calloc(1, sizeof *s);
    struct session_options o = {.of.path = {d[0].dir, d[1].dir}, .of.step = {-1, -1}, .of.rank = {-1, -1}};
    struct err e;
    thresholds_init(&o.of.tol);
    o.of.oracle = (struct oracle_options){.mode = ORACLE_ALL, .budget = ORACLE_BUDGET};
    if (session_start(s, &o, &e) || session_wait(s, &e))
        fail_msg("%s", e.text);
    uint32_t product = dump_find_row(&s->now->side[0].dump, STR("Mint.linear.0.forward.output.0")),
             quotient = dump_find_row(&s->now->side[0].dump, STR("Mint.div.0.forward.output.0"));
    uint32_t first = s->now->pairing->line_of[TARGET][product], last = s->now->pairing->line_of[TARGET][quotient];
    assert_int_equal(s->now->judged->line[first].cause, CAUSE_STARTS);
    assert_true((double)s->now->judged->line[last].residual > 1000); /* a product instead of the quotient */
    assert_int_not_equal(s->now->pairing->lines.v[last].pair, NONE);
    assert_int_not_equal(s->now->judged->line[last].cause, CAUSE_STARTS);
    shut(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_quotient_does_not_start)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

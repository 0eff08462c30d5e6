/* Products in another order of calls, whose weights tell which is which. */
#include "sessions.h"
#include "tensors.h"

#include "draws.h"

enum { ROWS = 12, WIDTH = 16, SIZE = ROWS * WIDTH };

static uint64_t seed = 9;

static void draw(float *v, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = (float)(draw_share(&seed) * 2 - 1);
}

static void times(const float *x, const float *w, float *out)
{
    for (int i = 0; i < SIZE; i++) {
        out[i] = 0;
        for (int k = 0; k < WIDTH; k++)
            out[i] += x[i / WIDTH * WIDTH + k] * w[i % WIDTH * WIDTH + k];
    }
}

/* A product that one side computes in front of another and the other side behind it: where a norm before it is missing,
 * nothing of it agrees but its weight, and what it reads is the first deviation. */
static void a_product_elsewhere(void **state)
{
    (void)state;
    for (int fault = 0; fault < 2; fault++) {
        struct tensor_dump d[2];
        float x[SIZE], w[3][WIDTH * WIDTH], down[SIZE], norm[SIZE], up[2][SIZE], other[SIZE], last[2][SIZE];
        char rows[20], square[20];
        snprintf(rows, sizeof rows, "%d,%d", ROWS, WIDTH);
        snprintf(square, sizeof square, "%d,%d", WIDTH, WIDTH);
        draw(x, SIZE);
        for (int i = 0; i < 3; i++)
            draw(w[i], WIDTH * WIDTH);
        times(x, w[0], down);
        times(x, w[1], other);
        for (int i = 0; i < SIZE; i++) {
            float sum = 0;
            for (int k = 0; k < WIDTH; k++)
                sum += down[i / WIDTH * WIDTH + k] * down[i / WIDTH * WIDTH + k] / WIDTH;
            norm[i] = down[i] / sqrtf(sum);
        }
        for (int s = 0; s < 2; s++) {
            times(s == TARGET && fault ? down : norm, w[2], up[s]);
            for (int i = 0; i < SIZE; i++)
                last[s][i] = up[s][i] * other[i];
        }
        for (int s = 0; s < 2; s++) {
            const struct tensor_of in = {rows, x, SIZE}, first = {rows, down, SIZE},
                                   even = {rows, norm, SIZE}, beside = {rows, other, SIZE},
                                   result = {rows, up[s], SIZE}, end = {rows, last[s], SIZE},
                                   none = {0},
                                   weight[3] = {{square, w[0], WIDTH * WIDTH},
                                                {square, w[1], WIDTH * WIDTH},
                                                {square, w[2], WIDTH * WIDTH}};
            tensors_begin_of(&d[s], scratch(), s ? "pytorch" : "mindspore");
            tensors_call(&d[s], s ? "Functional.linear.0.forward" : "Mint.linear.0.forward", in, weight[0], first);
            if (s == TARGET)
                tensors_call(&d[s], "Mint.linear.1.forward", in, weight[1], beside);
            if (s == GOLDEN || !fault)
                tensors_call(&d[s], s ? "Functional.rms_norm.0.forward" : "Mint.rms_norm.0.forward", first, none, even);
            tensors_call(&d[s], s ? "Functional.linear.1.forward" : "Mint.linear.2.forward",
                         s == TARGET && fault ? first : even, weight[2], result);
            if (s == GOLDEN)
                tensors_call(&d[s], "Functional.linear.2.forward", in, weight[1], beside);
            tensors_call(&d[s], s ? "Tensor.__mul__.0.forward" : "Mint.mul.0.forward", result, beside, end);
            tensors_end(&d[s]);
        }
        struct session *s = open_paths(d[TARGET].dir, d[GOLDEN].dir);
        uint32_t start = s->now->judged->first;
        assert_int_equal(start == NONE, !fault);
        if (fault) {
            uint32_t row = s->rows->pairing.lines.v[start].row[TARGET];
            const struct dump *t = &s->recordings->side[TARGET].dump;
            assert_int_equal(row, dump_find_row(t, STR("Mint.linear.2.forward.input.0")));
        }
        shut(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_product_elsewhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

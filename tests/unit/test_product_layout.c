/* Square weights that one side stores as (in, out): the products tell how they lie, whatever the values. */
#include "sessions.h"
#include "tensors.h"

#include <math.h>

#include "draws.h"

enum { WIDTH = 12, ROWS = 5 };

static uint64_t seed = 3;

struct product {
    float x[ROWS * WIDTH], w[WIDTH * WIDTH], y[ROWS * WIDTH];
};

static void draw(float *v, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = (float)(draw_share(&seed) * 2 - 1);
}

static void transposed(const float *from, float *to)
{
    for (int i = 0; i < WIDTH; i++)
        for (int k = 0; k < WIDTH; k++)
            to[i * WIDTH + k] = from[k * WIDTH + i];
}

/* y = x w, or x wᵀ, and a bias. */
static void multiply(struct product *p, bool out_in)
{
    for (int r = 0; r < ROWS; r++)
        for (int n = 0; n < WIDTH; n++) {
            double sum = n;
            for (int k = 0; k < WIDTH; k++)
                sum += (double)p->x[r * WIDTH + k] * (double)(out_in ? p->w[n * WIDTH + k] : p->w[k * WIDTH + n]);
            p->y[r * WIDTH + n] = (float)sum;
        }
}

static void record(struct tensor_dump *d, const char *framework, const char *call, const struct product *p)
{
    char rows[20], square[20];
    snprintf(rows, sizeof rows, "%d,%d", ROWS, WIDTH);
    snprintf(square, sizeof square, "%d,%d", WIDTH, WIDTH);
    tensors_begin_of(d, scratch(), framework);
    fprintf(d->json, "\"%s\":{\"input_args\":[", call);
    tensors_row(d, call, "input.0", rows, p->x, ROWS * WIDTH);
    fputs(",", d->json);
    tensors_row(d, call, "input.1", square, p->w, WIDTH * WIDTH);
    fputs("],\"input_kwargs\":{},\"output\":[", d->json);
    tensors_row(d, call, "output.0", rows, p->y, ROWS * WIDTH);
    fputs("]}", d->json);
    tensors_end(d);
}

/* The product of a ROWS × WIDTH and a WIDTH × ROWS matrix. */
static void record_product(struct tensor_dump *d, const char *framework, const char *call, const float *a,
                           const float *b, const float *y)
{
    char wide[20], high[20], square[20];
    snprintf(wide, sizeof wide, "%d,%d", ROWS, WIDTH);
    snprintf(high, sizeof high, "%d,%d", WIDTH, ROWS);
    snprintf(square, sizeof square, "%d,%d", ROWS, ROWS);
    tensors_begin_of(d, scratch(), framework);
    fprintf(d->json, "\"%s\":{\"input_args\":[", call);
    tensors_row(d, call, "input.0", wide, a, ROWS * WIDTH);
    fputs(",", d->json);
    tensors_row(d, call, "input.1", high, b, ROWS * WIDTH);
    fputs("],\"input_kwargs\":{},\"output\":[", d->json);
    tensors_row(d, call, "output.0", square, y, ROWS * ROWS);
    fputs("]}", d->json);
    tensors_end(d);
}

static void layouts_are_read_off_the_products(void **state)
{
    static const struct {
        const char *what;
        bool stored_turned; /* the target stores the golden weight transposed */
        bool used_turned;   /* and multiplies it so */
        bool deviates;
    } cases[] = {
        {"(in, out) against (out, in)", true, true, false},
        {"the same layout", false, false, false},
        {"a weight transposed by mistake", true, false, true},
        {"a product that forgets to transpose", false, true, true},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct product p[2];
        struct tensor_dump d[2];
        draw(p[GOLDEN].x, ROWS * WIDTH);
        draw(p[GOLDEN].w, WIDTH * WIDTH);
        p[TARGET] = p[GOLDEN];
        if (cases[i].stored_turned)
            transposed(p[GOLDEN].w, p[TARGET].w);
        multiply(&p[GOLDEN], true);
        multiply(&p[TARGET], !cases[i].used_turned);
        record(&d[TARGET], "mindspore", "Primitive.matmul.MatMul.0.forward", &p[TARGET]);
        record(&d[GOLDEN], "pytorch", "Functional.linear.0.forward", &p[GOLDEN]);
        struct session *s = open_paths(d[TARGET].dir, d[GOLDEN].dir);
        bool deviates = s->now->judged->first != NONE;
        if (deviates != cases[i].deviates)
            fail_msg("%s: %s", cases[i].what, deviates ? "deviates" : "does not deviate");
        shut(s);
    }
}

/* Of weights that have nothing in common only the products tell how each lies. */
static void layouts_of_other_weights(void **state)
{
    (void)state;
    for (int out_in = 0; out_in < 2; out_in++) {
        struct product p[2];
        struct tensor_dump d[2];
        draw(p[GOLDEN].x, ROWS * WIDTH);
        memcpy(p[TARGET].x, p[GOLDEN].x, sizeof p->x);
        for (int s = 0; s < 2; s++)
            draw(p[s].w, WIDTH * WIDTH);
        multiply(&p[GOLDEN], true);
        multiply(&p[TARGET], out_in);
        record(&d[TARGET], "mindspore", "Primitive.matmul.MatMul.0.forward", &p[TARGET]);
        record(&d[GOLDEN], "pytorch", "Functional.linear.0.forward", &p[GOLDEN]);
        struct session *s = open_paths(d[TARGET].dir, d[GOLDEN].dir);
        const struct pairing *all = s->now->pairing;
        uint32_t weight = dump_find_row(&s->now->side[TARGET].dump, STR("Primitive.matmul.MatMul.0.forward.input.1"));
        uint32_t pair = all->lines.v[all->line_of[TARGET][weight]].pair;
        assert_true(pair != NONE);
        assert_int_equal(all->pairs.v[pair].view != NONE, !out_in);
        shut(s);
    }
}

/* Logits per image are x w, those per text wᵀ xᵀ: the same square of numbers transposed, if it is not another one. */
static void results_of_exchanged_operands(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        float x[ROWS * WIDTH], w[WIDTH * ROWS], xt[WIDTH * ROWS], wt[ROWS * WIDTH], y[ROWS * ROWS], yt[ROWS * ROWS];
        struct tensor_dump d[2];
        draw(x, ROWS * WIDTH);
        draw(w, WIDTH * ROWS);
        for (int r = 0; r < ROWS; r++)
            for (int k = 0; k < WIDTH; k++) {
                xt[k * ROWS + r] = x[r * WIDTH + k];
                wt[r * WIDTH + k] = w[k * ROWS + r];
            }
        for (int r = 0; r < ROWS; r++)
            for (int n = 0; n < ROWS; n++) {
                double sum = 0;
                for (int k = 0; k < WIDTH; k++)
                    sum += (double)x[r * WIDTH + k] * (double)w[k * ROWS + n];
                y[r * ROWS + n] = (float)sum;
                yt[wrong ? r * ROWS + n : n * ROWS + r] = (float)sum;
            }
        record_product(&d[TARGET], "mindspore", "Primitive.matmul.MatMul.0.forward", x, w, y);
        record_product(&d[GOLDEN], "pytorch", "Torch.matmul.0.forward", wt, xt, yt);
        struct session *s = open_paths(d[TARGET].dir, d[GOLDEN].dir);
        assert_int_equal(s->now->judged->first != NONE, wrong);
        shut(s);
    }
}

/* One pair of matrices in a batch of two, multiplied in one framework; `turned`: with transposed operands. */
static void record_batch(struct tensor_dump *d, const float *x, const float *w, int inner, bool turned, bool wrong)
{
    enum { MOST = 2 * WIDTH * WIDTH };
    const char *call = "Torch.matmul.0.forward";
    float a[MOST], b[MOST], y[MOST];
    char shape[3][30];
    for (int i = 0; i < 2; i++)
        for (int r = 0; r < ROWS; r++)
            for (int n = 0; n < ROWS; n++) {
                double sum = 0;
                for (int k = 0; k < inner; k++) {
                    float left = x[(i * ROWS + r) * inner + k], right = w[(i * inner + k) * ROWS + n];
                    sum += (double)left * (double)right;
                    a[i * ROWS * inner + (turned ? k * ROWS + r : r * inner + k)] = left;
                    b[i * ROWS * inner + (turned ? n * inner + k : k * ROWS + n)] = right;
                }
                y[i * ROWS * ROWS + (turned && !wrong ? n * ROWS + r : r * ROWS + n)] = (float)sum;
            }
    snprintf(shape[0], sizeof shape[0], "2,%d,%d", ROWS, inner);
    snprintf(shape[1], sizeof shape[1], "2,%d,%d", inner, ROWS);
    snprintf(shape[2], sizeof shape[2], "2,%d,%d", ROWS, ROWS);
    tensors_begin_of(d, scratch(), "pytorch");
    fprintf(d->json, "\"%s\":{\"input_args\":[", call);
    tensors_row(d, call, "input.0", shape[0], turned ? b : a, (size_t)(2 * ROWS * inner));
    fputs(",", d->json);
    tensors_row(d, call, "input.1", shape[1], turned ? a : b, (size_t)(2 * ROWS * inner));
    fputs("],\"input_kwargs\":{},\"output\":[", d->json);
    tensors_row(d, call, "output.0", shape[2], y, 2 * ROWS * ROWS);
    fputs("]}", d->json);
    tensors_end(d);
}

static void batches_with_exchanged_operands(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        int inner = i < 2 ? WIDTH : ROWS; /* ROWS: no shape tells, the elements do */
        float x[2 * ROWS * WIDTH], w[2 * ROWS * WIDTH];
        struct tensor_dump d[2];
        draw(x, 2 * ROWS * inner);
        draw(w, 2 * ROWS * inner);
        record_batch(&d[TARGET], x, w, inner, true, i % 2);
        record_batch(&d[GOLDEN], x, w, inner, false, false);
        struct session *s = open_paths(d[TARGET].dir, d[GOLDEN].dir);
        assert_int_equal(s->now->judged->first != NONE, i % 2);
        shut(s);
    }
}

/* Scores as keys by queries, and a softmax along the other axis; `wrong`: along the other axis of the same scores. */
static void record_softmax(struct tensor_dump *d, const float *x, int axis, bool turned)
{
    const char *call = "Functional.softmax.0.forward";
    float in[ROWS * ROWS], y[ROWS * ROWS], total[ROWS] = {0};
    char shape[20];
    for (int r = 0; r < ROWS; r++)
        for (int n = 0; n < ROWS; n++)
            in[r * ROWS + n] = x[turned ? n * ROWS + r : r * ROWS + n];
    for (int i = 0; i < ROWS * ROWS; i++)
        total[axis == -1 ? i / ROWS : i % ROWS] += y[i] = expf(in[i]);
    for (int i = 0; i < ROWS * ROWS; i++)
        y[i] /= total[axis == -1 ? i / ROWS : i % ROWS];
    snprintf(shape, sizeof shape, "%d,%d", ROWS, ROWS);
    tensors_begin_of(d, scratch(), "pytorch");
    fprintf(d->json, "\"%s\":{\"input_args\":[", call);
    tensors_row(d, call, "input.0", shape, in, ROWS * ROWS);
    fprintf(d->json, "],\"input_kwargs\":{\"dim\":{\"type\":\"int\",\"value\":%d}},\"output\":[", axis);
    tensors_row(d, call, "output.0", shape, y, ROWS * ROWS);
    fputs("]}", d->json);
    tensors_end(d);
}

static void along_the_other_axis(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        float x[ROWS * ROWS];
        struct tensor_dump d[2];
        bool wrong = i % 2;
        draw(x, ROWS * ROWS);
        for (int k = 0; k < ROWS * ROWS && i > 1; k++)
            x[k] += 3; /* so that either order is near */
        record_softmax(&d[TARGET], x, -2, !wrong);
        record_softmax(&d[GOLDEN], x, -1, false);
        struct session *s = open_paths(d[TARGET].dir, d[GOLDEN].dir);
        assert_int_equal(s->now->judged->first != NONE, wrong);
        shut(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(along_the_other_axis),
        cmocka_unit_test(batches_with_exchanged_operands),
        cmocka_unit_test(layouts_are_read_off_the_products),
        cmocka_unit_test(layouts_of_other_weights),
        cmocka_unit_test(results_of_exchanged_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The same rows in another order (tokens sorted by expert): accepted, unless what reads them deviates. */
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

static void turn_rows(const float *from, float *to)
{
    for (int r = 0; r < ROWS; r++)
        memcpy(to + r * WIDTH, from + (r * 5 + 3) % ROWS * WIDTH, WIDTH * sizeof *to);
}

static struct line_judgement judged_row(struct session *s, const char *name)
{
    uint32_t row = dump_find_row(&s->recordings->side[TARGET].dump, str_of(name));
    assert_true(row != NONE);
    uint32_t line = s->rows->pairing.line_of[TARGET][row];
    assert_true(s->rows->pairing.lines.v[line].pair != NONE);
    return s->now->judged->line[line];
}

static void record(struct tensor_dump *d, bool golden, const float *first, const float *sent, const float *back)
{
    char sizes[20];
    snprintf(sizes, sizeof sizes, "%d,%d", ROWS, WIDTH);
    tensors_begin_of(d, scratch(), golden ? "pytorch" : "mindspore");
    tensors_add(d, golden ? "Functional.softmax.0.forward" : "Primitive.softmax.Softmax.0.forward", sizes, first, SIZE);
    tensors_add(d, golden ? "Tensor.__mul__.0.forward" : "Primitive.mul.Mul.0.forward", sizes, sent, SIZE);
    tensors_pass(d, golden ? "Functional.silu.0.forward" : "Primitive.silu.SiLU.0.forward", sizes, sent, back, SIZE);
    tensors_end(d);
}

static void orders(void **state)
{
    static const struct {
        const char *what;
        bool other_row, spoiled; /* one row is another one; the reader deviates */
        bool accepted;
    } cases[] = {
        {"sorted by expert", false, false, true},
        {"a row is another one", true, false, false},
        {"put back in a wrong order", false, true, false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct tensor_dump d[2];
        float sent[2][SIZE], back[2][SIZE], first[SIZE];
        draw(first, SIZE);
        draw(sent[GOLDEN], SIZE);
        draw(back[GOLDEN], SIZE);
        turn_rows(sent[GOLDEN], sent[TARGET]);
        memcpy(back[TARGET], back[GOLDEN], sizeof back[TARGET]);
        if (cases[i].other_row) /* the same elements, so that the figures stay */
            for (int k = 0; k < WIDTH / 2; k++) {
                float held = sent[TARGET][k];
                sent[TARGET][k] = sent[TARGET][WIDTH - 1 - k];
                sent[TARGET][WIDTH - 1 - k] = held;
            }
        if (cases[i].spoiled)
            for (int k = 0; k < SIZE; k++)
                back[TARGET][k] *= 1 + 0.2f * (float)(k % 3);
        for (int s = 0; s < 2; s++)
            record(&d[s], s == GOLDEN, first, sent[s], back[s]);
        struct session *s = open_paths(d[TARGET].dir, d[GOLDEN].dir);
        struct line_judgement row = judged_row(s, "Primitive.mul.Mul.0.forward.output.0");
        bool accepted = row.verdict == VERDICT_MATCH && row.rule == RULE_SAME_ROWS;
        if (accepted != cases[i].accepted)
            fail_msg("%s: verdict %d by rule %d", cases[i].what, row.verdict, row.rule);
        shut(s);
    }
}

static void turn_over(const float *from, float *to)
{
    for (int i = 0; i < ROWS * ROWS; i++)
        to[i] = from[i % ROWS * ROWS + i / ROWS];
}

/* A square matrix beside its transpose: accepted unless what reads it deviates, or one element is another one. */
static void transposes(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct tensor_dump d[2];
        float sent[2][SIZE], back[2][SIZE], first[SIZE];
        char square[20];
        snprintf(square, sizeof square, "%d,%d", ROWS, ROWS);
        draw(first, SIZE);
        draw(sent[GOLDEN], SIZE);
        draw(back[GOLDEN], SIZE);
        turn_over(sent[GOLDEN], sent[TARGET]);
        memcpy(back[TARGET], back[GOLDEN], sizeof back[TARGET]);
        if (i == 1) {
            float held = sent[TARGET][3];
            sent[TARGET][3] = sent[TARGET][20];
            sent[TARGET][20] = held;
        }
        for (int k = 0; k < SIZE && i == 2; k++)
            back[TARGET][k] *= 1 + 0.2f * (float)(k % 3);
        for (int s = 0; s < 2; s++) {
            tensors_begin_of(&d[s], scratch(), s ? "pytorch" : "mindspore");
            tensors_add(&d[s], s ? "Functional.softmax.0.forward" : "Primitive.softmax.Softmax.0.forward", square,
                        first, ROWS * ROWS);
            tensors_add(&d[s], s ? "Tensor.__mul__.0.forward" : "Primitive.mul.Mul.0.forward", square, sent[s],
                        ROWS * ROWS);
            tensors_pass(&d[s], s ? "Functional.silu.0.forward" : "Primitive.silu.SiLU.0.forward", square, sent[s],
                         back[s], ROWS * ROWS);
            tensors_end(&d[s]);
        }
        struct session *s = open_paths(d[TARGET].dir, d[GOLDEN].dir);
        struct line_judgement row = judged_row(s, "Primitive.mul.Mul.0.forward.output.0");
        if ((row.verdict == VERDICT_MATCH && row.rule == RULE_SAME_ROWS) != (i == 0))
            fail_msg("%d: verdict %d by rule %d", i, row.verdict, row.rule);
        shut(s);
    }
}

static void record_call(struct tensor_dump *d, const char *name, int operands, const char *const *sizes,
                        const float *const *in, const int *n, const float *out)
{
    fprintf(d->json, "%s\"%s\":{\"input_args\":[", d->calls++ ? "," : "", name);
    for (int i = 0; i < operands; i++) {
        char slot[20];
        snprintf(slot, sizeof slot, "input.%d", i);
        if (i)
            fputs(",", d->json);
        tensors_row(d, name, slot, sizes[i], in[i], (size_t)n[i]);
    }
    fputs("],\"input_kwargs\":{},\"output\":[", d->json);
    tensors_row(d, name, "output.0", sizes[0], out, SIZE);
    fputs("]}", d->json);
}

/* x·wᵀ + b: of one call, or of two. */
static void record_product(struct tensor_dump *d, bool golden, const float *x, const float *w, const float *b)
{
    float out[SIZE], sum[SIZE];
    char rows[20], square[20], row[20];
    snprintf(rows, sizeof rows, "%d,%d", ROWS, WIDTH);
    snprintf(square, sizeof square, "%d,%d", WIDTH, WIDTH);
    snprintf(row, sizeof row, "%d", WIDTH);
    for (int i = 0; i < SIZE; i++) {
        out[i] = 0;
        for (int k = 0; k < WIDTH; k++)
            out[i] += x[i / WIDTH * WIDTH + k] * w[i % WIDTH * WIDTH + k];
        sum[i] = out[i] + b[i % WIDTH];
    }
    const char *const sizes[] = {rows, square, row}, *const added[] = {rows, row};
    record_call(d, golden ? "Functional.linear.0.forward" : "Primitive.matmul.MatMul.0.forward", golden ? 3 : 2, sizes,
                (const float *const[]){x, w, b}, (const int[]){SIZE, WIDTH * WIDTH, WIDTH}, golden ? sum : out);
    if (!golden)
        record_call(d, "Primitive.bias_add.Add.0.forward", 2, added, (const float *const[]){out, b},
                    (const int[]){SIZE, WIDTH}, sum);
}

/* A weight with the same elements at other places is in doubt until the sum behind the product shows that it is another
 * one. */
static void a_weight_in_another_order(void **state)
{
    struct tensor_dump d[2];
    float first[SIZE], x[SIZE], w[2][WIDTH * WIDTH], b[WIDTH];
    (void)state;
    draw(first, SIZE);
    draw(x, SIZE);
    draw(w[GOLDEN], WIDTH * WIDTH);
    draw(b, WIDTH);
    for (int i = 0; i < WIDTH * WIDTH; i++)
        w[TARGET][i] = w[GOLDEN][i ^ 5];
    for (int s = 0; s < 2; s++) {
        char sizes[20];
        snprintf(sizes, sizeof sizes, "%d,%d", ROWS, WIDTH);
        tensors_begin_of(&d[s], scratch(), s ? "pytorch" : "mindspore");
        tensors_pass(&d[s], s ? "Functional.softmax.0.forward" : "Primitive.softmax.Softmax.0.forward", sizes, first,
                     x, SIZE);
        record_product(&d[s], s == GOLDEN, x, w[s], b);
        tensors_end(&d[s]);
    }
    struct session *s = open_paths(d[TARGET].dir, d[GOLDEN].dir);
    struct line_judgement weight = judged_row(s, "Primitive.matmul.MatMul.0.forward.input.1");
    assert_int_equal(weight.rule, RULE_REORDERED);
    assert_true(line_is_bad(&weight) && weight.cause == CAUSE_STARTS);
    shut(s);
}

/* Halves of a weight in another order are a layout where what is computed from them agrees. Where it does not, the
 * weight deviates, although the product between them is in doubt; also if a cast handed it on. */
static void halves_of_a_weight(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        bool fault = i & 1, cast = i & 2;
        struct tensor_dump d[2];
        float first[SIZE], x[SIZE], w[2][WIDTH * WIDTH], y[2][SIZE], gated[2][SIZE / 2];
        draw(first, SIZE);
        draw(x, SIZE);
        draw(w[GOLDEN], WIDTH * WIDTH);
        for (int k = 0; k < WIDTH * WIDTH; k++)
            w[TARGET][k] = w[GOLDEN][(k + WIDTH * WIDTH / 2) % (WIDTH * WIDTH)];
        for (int s = 0; s < 2; s++) {
            char rows[20], square[20], half[20];
            bool opens_first = s == TARGET && !fault;
            snprintf(rows, sizeof rows, "%d,%d", ROWS, WIDTH);
            snprintf(square, sizeof square, "%d,%d", WIDTH, WIDTH);
            snprintf(half, sizeof half, "%d,%d", ROWS, WIDTH / 2);
            for (int n = 0; n < SIZE; n++) {
                y[s][n] = 0;
                for (int k = 0; k < WIDTH; k++)
                    y[s][n] += x[n / WIDTH * WIDTH + k] * w[s][n % WIDTH * WIDTH + k];
            }
            for (int n = 0; n < SIZE / 2; n++) {
                const float *at = y[s] + n / (WIDTH / 2) * WIDTH + n % (WIDTH / 2);
                float open = at[opens_first ? 0 : WIDTH / 2], value = at[opens_first ? WIDTH / 2 : 0];
                gated[s][n] = value / (1 + expf(-open));
            }
            tensors_begin_of(&d[s], scratch(), s ? "pytorch" : "mindspore");
            tensors_pass(&d[s], s ? "Functional.softmax.0.forward" : "Primitive.softmax.Softmax.0.forward", rows, first,
                         x, SIZE);
            if (cast && s == TARGET)
                tensors_pass(&d[s], "Primitive.cast.Cast.0.forward", square, w[s], w[s], WIDTH * WIDTH);
            const char *const sizes[] = {rows, square};
            record_call(&d[s], s ? "Functional.linear.0.forward" : "Primitive.matmul.MatMul.0.forward", 2, sizes,
                        (const float *const[]){x, w[s]}, (const int[]){SIZE, WIDTH * WIDTH}, y[s]);
            const char *gate = s ? "Functional.silu.0.forward" : "Primitive.silu.SiLU.0.forward";
            fprintf(d[s].json, ",\"%s\":{\"input_args\":[", gate);
            tensors_row(&d[s], gate, "input.0", rows, y[s], SIZE);
            fputs("],\"input_kwargs\":{},\"output\":[", d[s].json);
            tensors_row(&d[s], gate, "output.0", half, gated[s], SIZE / 2);
            fputs("]}", d[s].json);
            tensors_end(&d[s]);
        }
        struct session *s = open_paths(d[TARGET].dir, d[GOLDEN].dir);
        struct line_judgement weight = judged_row(s, "Primitive.matmul.MatMul.0.forward.input.1");
        assert_int_equal(weight.rule, fault ? RULE_REORDERED : RULE_SAME_ROWS);
        assert_int_equal(weight.cause, fault ? CAUSE_STARTS : CAUSE_AGREES);
        shut(s);
    }
}

enum { IMAGES = 2, SIDE = 3, DEEP = 4, CELLS = IMAGES * SIDE * SIDE, OUT = CELLS * SIDE };

/* Height and width exchanged, of cells of so many elements. */
static void exchange(const float *from, float *to, int deep)
{
    for (int i = 0; i < CELLS; i++)
        memcpy(to + (i / SIDE / SIDE * SIDE * SIDE + i % SIDE * SIDE + i / SIDE % SIDE) * deep, from + i * deep,
               (size_t)deep * sizeof *to);
}

/* A product whose operand and result one side holds with height and width exchanged: a layout where it is exchanged
 * back, a deviation where it is not. */
static void operands_in_another_order(void **state)
{
    (void)state;
    for (int fault = 0; fault < 2; fault++) {
        struct tensor_dump d[2];
        float a[CELLS * DEEP], turned[CELLS * DEEP], w[SIDE * DEEP * SIDE], out[OUT], other[OUT], e[OUT], sum[2][OUT];
        draw(a, CELLS * DEEP);
        draw(w, SIDE * DEEP * SIDE);
        draw(e, OUT);
        for (int i = 0; i < OUT; i++) {
            int cell = i / SIDE, j = cell % SIDE; /* the width's own weights */
            out[i] = 0;
            for (int c = 0; c < DEEP; c++)
                out[i] += a[cell * DEEP + c] * w[(j * DEEP + c) * SIDE + i % SIDE];
        }
        exchange(a, turned, DEEP);
        exchange(out, other, SIDE);
        for (int i = 0; i < OUT; i++) {
            sum[GOLDEN][i] = out[i] + e[i];
            sum[TARGET][i] = (fault ? other[i] : out[i]) + e[i];
        }
        const struct tensor_of in = {"2,3,3,4", a, CELLS * DEEP}, weight = {"3,4,3", w, SIDE * DEEP * SIDE},
                               first = {"2,3,3,4", turned, CELLS * DEEP}, made = {"2,3,3,3", out, OUT},
                               before = {"2,3,3,3", other, OUT}, term = {"2,3,3,3", e, OUT}, none = {0};
        for (int s = 0; s < 2; s++) {
            struct tensor_of total = {"2,3,3,3", sum[s], OUT};
            tensors_begin_of(&d[s], scratch(), s ? "pytorch" : "mindspore");
            tensors_call(&d[s],
                         s ? "Functional.softmax.0.forward" : "Primitive.softmax.Softmax.0.forward",
                         in, none, in);
            if (s == TARGET) {
                tensors_call(&d[s], "Tensor.transpose.0.forward", in, none, first);
                tensors_call(&d[s], "Functional.matmul.0.forward", first, weight, before);
                if (!fault)
                    tensors_call(&d[s], "Tensor.transpose.1.forward", before, none, made);
            } else {
                tensors_call(&d[s], "Torch.einsum.0.forward", in, weight, made);
            }
            tensors_call(&d[s], "Tensor.__add__.0.forward", s == TARGET && fault ? before : made, term, total);
            tensors_end(&d[s]);
        }
        struct session *s = open_paths(d[TARGET].dir, d[GOLDEN].dir);
        struct line_judgement end = judged_row(s, "Tensor.__add__.0.forward.output.0");
        assert_int_equal(s->now->judged->first == NONE, !fault);
        assert_int_equal(line_is_bad(&end), fault);
        shut(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(operands_in_another_order),
                                       cmocka_unit_test(orders), cmocka_unit_test(transposes),
                                       cmocka_unit_test(a_weight_in_another_order),
                                       cmocka_unit_test(halves_of_a_weight)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

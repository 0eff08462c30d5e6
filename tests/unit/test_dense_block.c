/* Blocks of elements: what of two sides is compared, which reordering makes them agree, what does not. */
#include "draws.h"
#include "support.h"

#include <math.h>

#include "diagnose/dense_block.h"

enum { A = 4, B = 4, C = 12, N = A * B * C };

static uint64_t seed = 21;

static void draw(double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        v[i] = draw_share(&seed) * 2 - 1;
}

static void block(struct dense_block *b, const double *t, const double *g)
{
    static const int64_t shape[] = {A, B, C};
    struct element_sample s;
    element_sample_from(&s, t, g, 3, shape);
    assert_true(dense_block_from(b, &s));
    element_sample_release(&s);
}

static size_t at(size_t a, size_t b, size_t c)
{
    return (a * B + b) * C + c;
}

/* ---- orders ---- */

enum how { SWAPPED, FLIPPED_FIRST, FLIPPED_LAST, INTERLEAVED, DEALT, NO_ORDER };

static void lay(enum how how, const double *g, double *t)
{
    for (size_t a = 0; a < A; a++)
        for (size_t b = 0; b < B; b++)
            for (size_t c = 0; c < C; c++) {
                size_t here = at(a, b, c);
                switch (how) {
                case SWAPPED:
                    t[here] = g[at(b, a, c)];
                    break;
                case FLIPPED_FIRST:
                    t[here] = g[at(A - 1 - a, b, c)];
                    break;
                case FLIPPED_LAST:
                    t[here] = g[at(a, b, C - 1 - c)];
                    break;
                case INTERLEAVED: /* pairs against halves */
                    t[here] = g[at(a, b, c % 2 * (C / 2) + c / 2)];
                    break;
                case DEALT: /* in thirds of two neighbours each */
                    t[here] = g[at(a, b, (c / 2 % 3 * 2 + c / 6) * 2 + c % 2)];
                    break;
                case NO_ORDER:
                    t[here] = draw_share(&seed) * 2 - 1;
                    break;
                }
            }
}

static void orders(void **state)
{
    static const struct {
        enum how how;
        enum dense_order_kind kind;
        int axis;
    } cases[] = {
        {SWAPPED, ORDER_AXES, 0},   {FLIPPED_FIRST, ORDER_FLIP, 0}, {FLIPPED_LAST, ORDER_FLIP, 2},
        {INTERLEAVED, ORDER_INTERLEAVED, 2}, {DEALT, ORDER_INTERLEAVED, 2}, {NO_ORDER, ORDER_NONE, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double g[N], t[N];
        struct dense_block b;
        struct dense_order o;
        draw(g, N);
        lay(cases[i].how, g, t);
        block(&b, t, g);
        bool found = dense_block_order(&b, 0.01, &o);
        if (found != (cases[i].kind != ORDER_NONE) || o.kind != cases[i].kind)
            fail_msg("case %zu: kind %d", i, (int)o.kind);
        if (found)
            assert_true(o.left2 == 0);
        if (cases[i].kind == ORDER_AXES)
            assert_true(o.perm[0] == 1 && o.perm[1] == 0 && o.perm[2] == 2);
        else if (found)
            assert_int_equal(o.axis, cases[i].axis);
        assert_int_equal(dense_block_same_values(&b), cases[i].how != NO_ORDER);
        dense_block_release(&b);
    }
}

/* An order may leave a share of the deviation, not more; what is left is what differs under it. */
static void orders_leave_a_share(void **state)
{
    double g[N], t[N];
    struct dense_block b;
    struct dense_order o;
    (void)state;
    draw(g, N);
    lay(SWAPPED, g, t);
    t[5] += 0.5;
    block(&b, t, g);
    assert_true(dense_block_order(&b, 0.25 / b.dev2 * 1.01, &o));
    assert_true(fabs(o.left2 - 0.25) < 1e-12);
    assert_false(dense_block_order(&b, 0.25 / b.dev2 * 0.99, &o));
    dense_block_release(&b);
    block(&b, g, g); /* nothing deviates */
    assert_false(dense_block_order(&b, 1, &o));
    dense_block_release(&b);
}

/* ---- what a block holds ---- */

static void what_is_a_block(void **state)
{
    static const int64_t with_ones[] = {1, 3, 1, 2}, many[] = {2, 2, 2, 2, 2, 2, 2}, ones[] = {1, 1};
    double v[128], w[128];
    struct element_sample s;
    struct dense_block b;
    (void)state;
    draw(v, 128);
    draw(w, 128);
    element_sample_from(&s, v, w, 4, with_ones);
    assert_true(dense_block_from(&b, &s));
    assert_true(b.ndim == 2 && b.shape[0] == 3 && b.shape[1] == 2 && b.axis[0] == 1 && b.axis[1] == 3 && b.n == 6);
    for (size_t i = 0; i < 6; i++)
        assert_true(b.v[0][i] == v[i] && b.v[1][i] == w[i]);
    dense_block_release(&b);
    element_sample_release(&s);
    element_sample_from(&s, v, w, 7, many); /* more axes than are told apart */
    assert_false(dense_block_from(&b, &s));
    element_sample_release(&s);
    element_sample_from(&s, v, w, 2, ones);
    assert_false(dense_block_from(&b, &s));
    element_sample_release(&s);
    element_sample_from(&s, v, w, 1, (const int64_t[]){2});
    assert_false(dense_block_from(&b, &s));
    element_sample_release(&s);
    v[1] = NAN;
    element_sample_from(&s, v, w, 4, with_ones);
    assert_false(dense_block_from(&b, &s));
    element_sample_release(&s);
}

static void parts(void **state)
{
    static const uint8_t rows[A] = {0, 1, 1, 0}, columns[C] = {1, 0, 0, 1, 1};
    const uint8_t *const in[DENSE_BLOCK_AXES] = {rows, NULL, columns};
    double g[N], t[N], dev2 = 0, g2 = 0;
    struct dense_block b, part;
    size_t n = 0;
    (void)state;
    draw(g, N);
    draw(t, N);
    block(&b, t, g);
    dense_block_part(&part, &b, in);
    assert_true(part.ndim == 3 && part.n == 2 * B * 3);
    assert_true(part.shape[0] == 2 && part.shape[1] == B && part.shape[2] == 3);
    for (size_t a = 0; a < A; a++)
        for (size_t k = 0; k < B; k++)
            for (size_t c = 0; c < C; c++)
                if (rows[a] && columns[c]) {
                    size_t i = at(a, k, c);
                    assert_true(part.v[0][n] == t[i] && part.v[1][n] == g[i]);
                    dev2 += (t[i] - g[i]) * (t[i] - g[i]);
                    g2 += g[i] * g[i];
                    n++;
                }
    assert_int_equal(n, part.n);
    assert_true(fabs(part.dev2 - dev2) < 1e-12 && fabs(part.g2 - g2) < 1e-12);
    dense_block_release(&part);
    dense_block_release(&b);
}

/* Samples of one distribution are not the same values, and few distinct ones say nothing. */
static void same_values(void **state)
{
    double g[N], t[N];
    struct dense_block b;
    (void)state;
    draw(g, N);
    memcpy(t, g, sizeof g);
    for (size_t i = N; i-- > 1;) { /* shuffled */
        size_t k = (size_t)(draw_share(&seed) * (double)(i + 1));
        double swap = t[i];
        t[i] = t[k];
        t[k] = swap;
    }
    block(&b, t, g);
    assert_true(dense_block_same_values(&b));
    dense_block_release(&b);
    t[7] += 0.5;
    block(&b, t, g);
    assert_false(dense_block_same_values(&b));
    dense_block_release(&b);
    for (size_t i = 0; i < N; i++) { /* three values, in another order */
        g[i] = (double)(i % 3);
        t[i] = (double)((i + 1) % 3);
    }
    block(&b, t, g);
    assert_false(dense_block_same_values(&b));
    dense_block_release(&b);
    draw(g, N);
    for (size_t i = 0; i < N; i++) { /* most of them zero: what is left is too little */
        g[i] = i % 3 ? 0 : g[i];
        t[N - 1 - i] = g[i];
    }
    block(&b, t, g);
    assert_false(dense_block_same_values(&b));
    dense_block_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders), cmocka_unit_test(orders_leave_a_share), cmocka_unit_test(what_is_a_block),
        cmocka_unit_test(parts),  cmocka_unit_test(same_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tiles of products: every variant gives the same bits, fused or not, for all terms at once or in parts, and their
 * squares what is expected. */
#include <math.h>

#include "oracle/product_tile.h"
#include "support.h"

enum { TERMS = 777 };

static double a[TERMS * TILE_ROWS], b[TERMS * TILE_COLUMNS];
static float a2[TERMS * TILE_ROWS], b2[TERMS * TILE_COLUMNS];

/* Float32 numbers of many sizes, some 0. */
static void draw(double *v, float *v2, int n, double scale)
{
    static uint64_t seed = 7;
    for (int i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        float x = (float)((double)(int64_t)seed * 0x1p-63);
        v[i] = seed >> 40 & 15 ? (double)ldexpf(x, (int)(seed >> 20 & 31) - 31) : 0;
        v2[i] = tile_square(v[i], scale);
    }
}

static struct tile drawn(void)
{
    draw(a, a2, TERMS * TILE_ROWS, 0.5);
    draw(b, b2, TERMS * TILE_COLUMNS, 0.25);
    return (struct tile){.terms = TERMS, .a = a, .b = b, .a2 = a2, .b2 = b2};
}

static void variants_give_the_same_bits(void **state)
{
    struct tile plain = drawn();
    int ran = 0;
    double squares[TILE_ROWS][TILE_COLUMNS];
    (void)state;
    tile_plain(&plain);
    for (const struct tile_variant *v = tile_variants; v->runs; v++) {
        struct tile t = {.terms = TERMS, .a = a, .b = b, .a2 = a2, .b2 = b2};
        if (!v->runs())
            continue;
        t.terms = TERMS / 3;
        v->exact(&t);
        t.a += t.terms * TILE_ROWS; /* the rest is added to what is there */
        t.b += t.terms * TILE_COLUMNS;
        t.a2 += t.terms * TILE_ROWS;
        t.b2 += t.terms * TILE_COLUMNS;
        t.terms = TERMS - t.terms;
        v->exact(&t);
        assert_memory_equal(t.y, plain.y, sizeof t.y);
        if (ran++)
            assert_memory_equal(t.s2, squares, sizeof squares);
        memcpy(squares, t.s2, sizeof squares);
        for (int i = 0; i < TILE_ROWS; i++)
            for (int j = 0; j < TILE_COLUMNS; j++)
                assert_true(fabs(t.s2[i][j] * 64 / plain.s2[i][j] - 1) < 1e-3);
    }
    assert_true(ran >= 1);
}

static void variants_look_alike(void **state)
{
    struct tile_look first = {0}, look;
    float squares[TERMS * TILE_ROWS];
    (void)state;
    drawn();
    tile_look(a, TERMS * TILE_ROWS, &first);
    assert_false(first.others);
    for (const struct tile_variant *v = tile_variants; v->runs; v++) {
        if (!v->runs())
            continue;
        v->look(a, TERMS * TILE_ROWS, &look);
        assert_true(look.most == first.most && look.squares == first.squares && !look.others);
        v->squares(a, TERMS * TILE_ROWS, 0.5, squares);
        assert_memory_equal(squares, a2, sizeof squares);
        double kept = a[TERMS + 1];
        a[TERMS + 1] = 1 + 0x1p-40; /* no float32 value */
        v->look(a, TERMS * TILE_ROWS, &look);
        assert_true(look.others);
        a[TERMS + 1] = NAN;
        v->look(a, TERMS * TILE_ROWS, &look);
        assert_true(look.others);
        a[TERMS + 1] = kept;
    }
}

static void squares_are_never_lost(void **state)
{
    (void)state;
    assert_true(tile_square(0, 1) == 0);
    assert_true(tile_square(1e-30, 1) == 0x1p-62F);
    for (double v = 0.37; v > 0x1p-30; v *= 0.71) {
        float s = tile_square(v, 1);
        assert_true(fabs((double)s / (v * v) - 1) < 0x1p-12);
        assert_true((double)(s * s) == (double)s * (double)s); /* nothing is rounded in a product of two */
    }
}

static void no_terms_are_zero(void **state)
{
    struct tile t = drawn();
    (void)state;
    t.terms = 0;
    tile_exact(&t);
    for (int i = 0; i < TILE_ROWS; i++)
        assert_true(t.y[i][0] == 0 && t.s2[i][TILE_COLUMNS - 1] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_give_the_same_bits),
        cmocka_unit_test(variants_look_alike),
        cmocka_unit_test(squares_are_never_lost),
        cmocka_unit_test(no_terms_are_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

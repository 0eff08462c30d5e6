/* Heat maps and tallies against plain loops: every element type, mixed ones, permuted and expanded sides, sides with
 * other axes, NaN and infinities; planes of any two axes, windows and cells of any size. */
#include "packed.h"

#include <math.h>

#include "measure/heat_map.h"
#include "measure/tensor_stats.h"

static uint64_t seed = 88172645463325252ULL;

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16) % below;
}

/* Element `index` (row-major over the tensor's own axes) of bytes laid out as t says. */
static double value_at(const struct tensor *t, const unsigned char *bytes, uint64_t index)
{
    uint64_t at = 0;
    double v;
    for (int i = t->ndim - 1; i >= 0; i--) {
        at += index % (uint64_t)t->shape[i] * (uint64_t)t->stride[i];
        index /= (uint64_t)t->shape[i];
    }
    dtype_to_f64(t->dtype, bytes + at * dtype_table[t->dtype].size, 1, &v);
    return v;
}

/* All values of a pair, and the lens over it. */
struct pair {
    struct element_lens l;
    double *v[2];
};

static double *values_of(const struct tensor *t, const unsigned char *bytes)
{
    double *v = malloc((t->numel + 1) * sizeof *v);
    for (uint64_t i = 0; i < t->numel; i++)
        v[i] = value_at(t, bytes, i);
    return v;
}

/* Random bytes (of floats: every kind of value), the golden side's mostly the target's where types are alike. */
static struct pair pair_of(enum dtype td, enum dtype gd, int ndim, const int64_t *shape, bool permuted, bool two)
{
    struct pair p = {0};
    size_t n = 1;
    for (int i = 0; i < ndim; i++)
        n *= (size_t)shape[i];
    unsigned char *b[2] = {calloc(n + 1, 8), calloc(n + 1, 8)};
    for (size_t i = 0; i < n * 8; i++) {
        b[0][i] = (unsigned char)draw(256);
        b[1][i] = draw(8) ? b[0][i] : (unsigned char)draw(256);
    }
    struct tensor t = packed(td, ndim, shape, b[0]), g;
    int64_t turned[TENSOR_DIMS];
    int perm[TENSOR_DIMS];
    for (int i = 0; i < ndim; i++) {
        turned[i] = permuted ? shape[ndim - 1 - i] : shape[i];
        perm[i] = ndim - 1 - i;
    }
    g = packed(gd, ndim, turned, b[1]);
    if (permuted) /* stored the other way round, shown as the target is */
        tensor_permute(&g, perm);
    p.v[0] = values_of(&t, b[0]);
    p.v[1] = values_of(&g, b[1]);
    free(b[0]);
    free(b[1]);
    if (!two)
        tensor_close(&g);
    element_lens_init(&p.l, &t, two ? &g : NULL);
    return p;
}

static void pair_release(struct pair *p)
{
    element_lens_release(&p->l);
    free(p->v[0]);
    free(p->v[1]);
}

static bool alike(double t, double g)
{
    return (isnan(t) && isnan(g)) || t == g;
}

/* Of both sides: |t-g|, Inf for unlike non-finite ones. */
static double error_of(const struct pair *p, uint64_t i)
{
    double t = p->v[0][i], g = p->v[1][i];
    if (alike(t, g))
        return 0;
    return isfinite(t) && isfinite(g) ? fabs(t - g) : INFINITY;
}

/* ---- maps ---- */

static void check_cell(const struct pair *p, const struct heat_map *h, int y, int x)
{
    const struct heat_map_ask *a = &h->ask;
    const struct heat_map_cell *c = &h->cell[y * h->w + x];
    double best[HEAT_MAP_KINDS] = {-1, -1, -1};
    uint64_t at[HEAT_MAP_KINDS] = {0};
    bool odd[HEAT_MAP_KINDS] = {false};
    for (int64_t r = y * a->size[0]; r < (y + 1) * a->size[0] && r < a->count[0]; r++)
        for (int64_t k = x * a->size[1]; k < (x + 1) * a->size[1] && k < a->count[1]; k++) {
            int64_t place[TENSOR_DIMS];
            memcpy(place, a->at, sizeof place);
            if (a->axis[0] >= 0)
                place[a->axis[0]] = a->from[0] + r;
            place[a->axis[1]] = a->from[1] + k;
            uint64_t i = element_lens_index(&p->l, place);
            for (int d = 0; d < HEAT_MAP_KINDS; d++) {
                if (d == HEAT_MAP_GOLDEN && !p->l.has[1])
                    continue;
                if (d == HEAT_MAP_ERROR && !p->l.has[1])
                    continue;
                double v = d == HEAT_MAP_ERROR ? error_of(p, i) : p->v[d - 1][i];
                bool o = !isfinite(v);
                double m = o ? INFINITY : fabs(v);
                if (m > best[d] || (m == best[d] && i < at[d])) {
                    best[d] = m;
                    at[d] = i;
                    odd[d] = o;
                }
            }
        }
    assert_true(c->seen);
    for (int d = 0; d < HEAT_MAP_KINDS; d++)
        if (p->l.has[1] || d == HEAT_MAP_TARGET) {
            assert_int_equal(c->odd[d], odd[d]);
            assert_int_equal(c->at[d], at[d]);
            if (!odd[d])
                assert_true(fabs(c->value[d]) == best[d]);
        }
}

static void check_heat(const struct pair *p)
{
    const struct element_lens *l = &p->l;
    struct heat_map_ask a = {.axis = {-1, 0}, .size = {1, 1}};
    struct heat_map h;
    struct err e;
    memset(a.at, 0, sizeof a.at);
    a.axis[1] = (int)draw((uint32_t)l->ndim);
    if (l->ndim > 1)
        do
            a.axis[0] = (int)draw((uint32_t)l->ndim);
        while (a.axis[0] == a.axis[1]);
    for (int i = 0; i < l->ndim; i++)
        if (i != a.axis[0] && i != a.axis[1])
            a.at[i] = draw((uint32_t)l->shape[i]);
    for (int i = 0; i < 2; i++) {
        int64_t n = a.axis[i] >= 0 ? l->shape[a.axis[i]] : 1;
        a.from[i] = draw((uint32_t)n);
        a.count[i] = 1 + draw((uint32_t)(n - a.from[i]));
        a.size[i] = 1 + draw((uint32_t)a.count[i]);
    }
    heat_map_init(&h, l, &a);
    while (!heat_map_complete(&h)) {
        uint64_t was = h.read;
        assert_int_equal(heat_map_read(&h, &e), 0);
        heat_map_count(&h);
        assert_true(h.read > was);
    }
    for (int y = 0; y < h.h; y++)
        for (int x = 0; x < h.w; x++)
            check_cell(p, &h, y, x);
    heat_map_release(&h);
}

/* ---- tallies ---- */

static void check_order(const struct pair *p, const struct tensor_stats *t)
{
    bool two = p->l.has[1];
    uint64_t finite = 0;
    for (uint64_t i = 0; i < p->l.numel; i++) {
        double e = two ? error_of(p, i) : fabs(p->v[0][i]);
        bool odd = !isfinite(p->v[0][i]) || (two && !isfinite(p->v[1][i]));
        finite += !odd && e > 0;
        if (odd || !t->worsts || t->worsts < TENSOR_STATS_WORST)
            continue;
        const struct tensor_stats_place *last = &t->worst[t->worsts - 1];
        bool listed = false;
        for (int k = 0; k < t->worsts; k++)
            listed = listed || t->worst[k].at == i;
        assert_true(listed || e < last->error || (e == last->error && i > last->at));
    }
    assert_int_equal(t->worsts, finite < TENSOR_STATS_WORST ? finite : TENSOR_STATS_WORST);
    for (int k = 0; k < t->worsts; k++) {
        const struct tensor_stats_place *q = &t->worst[k];
        assert_true(q->error == (two ? error_of(p, q->at) : fabs(p->v[0][q->at])));
        if (k)
            assert_true(q[-1].error > q->error || (q[-1].error == q->error && q[-1].at < q->at));
    }
}

static void check_counts(const struct pair *p, const struct tensor_stats *t)
{
    bool two = p->l.has[1];
    uint64_t nan[2] = {0}, inf[2] = {0}, unlike = 0, equal = 0, thousandth = 0, seen = 0, errors = 0, finite = 0;
    for (uint64_t i = 0; i < p->l.numel; i++) {
        bool odd = false;
        for (int d = 0; d < (two ? 2 : 1); d++) {
            double v = p->v[d][i];
            nan[d] += isnan(v) != 0;
            inf[d] += isinf(v) != 0;
            odd = odd || !isfinite(v);
        }
        if (odd) {
            if (seen < TENSOR_STATS_ODD)
                assert_int_equal(t->odd[seen].at, i);
            seen++;
        }
        if (!two)
            continue;
        double e = error_of(p, i);
        unlike += isinf(e) && odd;
        equal += e == 0;
        thousandth += !odd && (e == 0 || e < 0.001 * fabs(p->v[1][i]));
        finite += !odd;
    }
    for (int d = 0; d < (two ? 2 : 1); d++) {
        uint64_t values = 0;
        for (int s = 0; s < 2; s++)
            for (int b = 0; b < TENSOR_STATS_SPREAD; b++)
                values += t->values[d][s][b];
        assert_int_equal(t->nan[d], nan[d]);
        assert_int_equal(t->inf[d], inf[d]);
        assert_int_equal(values, p->l.numel - nan[d] - inf[d]);
    }
    for (int b = 0; b < TENSOR_STATS_SPREAD; b++)
        errors += t->errors[b];
    assert_int_equal(errors, finite);
    assert_int_equal(t->odds, seen < TENSOR_STATS_ODD ? seen : TENSOR_STATS_ODD);
    assert_int_equal(t->unlike, unlike);
    assert_int_equal(t->equal, equal);
    assert_int_equal(t->thousandth, thousandth);
}

static void check_strips(const struct pair *p, const struct tensor_stats *t)
{
    const struct element_lens *l = &p->l;
    for (int a = 0; a < l->ndim; a++) {
        const struct tensor_stats_strip *s = &t->strip[a];
        double worst[TENSOR_STATS_STRIP] = {0};
        for (uint64_t i = 0; i < l->numel; i++) {
            int64_t at[TENSOR_DIMS];
            element_lens_place(l, i, at);
            double e = l->has[1] ? error_of(p, i) : isfinite(p->v[0][i]) ? fabs(p->v[0][i]) : INFINITY;
            if (e > worst[at[a] / s->size])
                worst[at[a] / s->size] = e;
        }
        assert_true(s->bins <= TENSOR_STATS_STRIP && s->bins * s->size >= l->shape[a]);
        for (int b = 0; b < s->bins; b++)
            assert_true(s->seen[b] && s->worst[b] == worst[b]);
    }
}

static void check_tally(const struct pair *p)
{
    struct tensor_stats *t = malloc(sizeof *t);
    struct err e;
    tensor_stats_init(t, &p->l);
    while (!tally_complete(t)) {
        assert_int_equal(tensor_stats_read(t, &e), 0);
        tensor_stats_count(t);
    }
    check_order(p, t);
    check_counts(p, t);
    check_strips(p, t);
    tensor_stats_release(t);
    free(t);
}

/* ---- tests ---- */

static void shapes_and_types(void **state)
{
    (void)state;
    for (int round = 0; round < 260; round++) {
        int ndim = (int)draw(5);
        int64_t shape[5];
        for (int i = 0; i < ndim; i++)
            shape[i] = draw(6) ? 1 + draw(9) : 1 + draw(70);
        enum dtype td = (enum dtype)(1 + draw(DTYPE_BOOL)), gd = draw(2) ? td : (enum dtype)(1 + draw(DTYPE_BOOL));
        struct pair p = pair_of(td, gd, ndim, shape, draw(2), draw(5) > 0);
        check_heat(&p);
        check_heat(&p);
        check_tally(&p);
        pair_release(&p);
    }
}

/* More than one stretch, more than one page of the file, more indices than bins. */
static void large_ones(void **state)
{
    static const int64_t long_one[] = {100003}, matrix[] = {601, 203}, deep[] = {7, 300, 3, 41}, wide[] = {5, 1001};
    (void)state;
    for (int permuted = 0; permuted < 2; permuted++) {
        struct pair p[] = {pair_of(DTYPE_BF16, DTYPE_F32, 1, long_one, permuted, true),
                           pair_of(DTYPE_F16, DTYPE_F16, 2, matrix, permuted, true),
                           pair_of(DTYPE_F32, DTYPE_BF16, 4, deep, permuted, true),
                           pair_of(DTYPE_F16, DTYPE_F32, 2, wide, permuted, true)};
        for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
            check_heat(&p[i]);
            check_tally(&p[i]);
            pair_release(&p[i]);
        }
    }
}

/* Sides whose axes are others meet element by element in their order; one of them permuted cannot be laid out anew. */
static void other_axes(void **state)
{
    static const int64_t flat[] = {6, 40}, deep[] = {2, 3, 8, 5}, turned[] = {40, 6};
    static const int swap[] = {1, 0};
    (void)state;
    for (int permuted = 0; permuted < 2; permuted++) {
        struct pair p = {0};
        unsigned char b[2][240 * 4];
        for (size_t i = 0; i < sizeof b[0]; i++) {
            b[0][i] = (unsigned char)draw(256);
            b[1][i] = (unsigned char)draw(256);
        }
        struct tensor t = packed(DTYPE_F32, 2, permuted ? turned : flat, b[0]), g = packed(DTYPE_F32, 4, deep, b[1]);
        if (permuted)
            tensor_permute(&t, swap);
        p.v[0] = values_of(&t, b[0]);
        p.v[1] = values_of(&g, b[1]);
        element_lens_init(&p.l, &t, &g);
        assert_int_equal(p.l.ndim, 4);
        assert_int_equal(p.l.flat[0], permuted);
        for (int i = 0; i < 20; i++)
            check_heat(&p);
        check_tally(&p);
        pair_release(&p);
    }
}

static void complex_is_a_pair(void **state)
{
    static const int64_t shape[] = {3};
    const float v[6] = {1, 2, 3, 4, 5, 6};
    struct element_lens l;
    struct element_lens_element x;
    struct err e;
    (void)state;
    struct tensor t = packed(DTYPE_C64, 1, shape, v);
    element_lens_init(&l, &t, NULL);
    assert_int_equal(l.ndim, 2);
    assert_int_equal(l.numel, 6);
    assert_int_equal(l.shape[1], 2);
    assert_int_equal(element_lens_element(&l, 3, &x, &e), 0);
    assert_true(x.v[0] == 4);
    element_lens_release(&l);
}

static void check_text(enum dtype d, const void *raw, const char *want)
{
    struct element_lens l;
    struct element_lens_element x;
    struct err e;
    struct buf b = {0};
    struct tensor t = packed(d, 0, NULL, raw);
    element_lens_init(&l, &t, NULL);
    assert_int_equal(element_lens_element(&l, 0, &x, &e), 0);
    element_lens_text(&l, 0, &x, &b);
    assert_string_equal(b.p, want);
    buf_release(&b);
    element_lens_release(&l);
}

static void values_in_full(void **state)
{
    (void)state;
    check_text(DTYPE_F32, &(float){0.1f}, "0.1");
    check_text(DTYPE_F32, &(float){0.76440161f}, "0.7644016");
    check_text(DTYPE_F32, &(float){NAN}, "NaN");
    check_text(DTYPE_F64, &(double){0.1}, "0.1");
    check_text(DTYPE_BF16, &(uint16_t){0x3dcd}, "0.10009765625");
    check_text(DTYPE_F16, &(uint16_t){0x7bff}, "65504");
    check_text(DTYPE_I64, &(int64_t){INT64_C(9007199254740993)}, "9007199254740993");
    check_text(DTYPE_U64, &(uint64_t){UINT64_MAX}, "18446744073709551615");
    check_text(DTYPE_BOOL, &(uint8_t){1}, "1");
}

static void units_in_the_last_place(void **state)
{
    struct element_lens l = {.coarser = DTYPE_F32};
    (void)state;
    assert_true(element_lens_ulp(&l, nextafterf(1, 2), 1) == 1);
    assert_true(element_lens_ulp(&l, nextafterf(1.5f, 2), 1.5) == 1);
    assert_true(element_lens_ulp(&l, 0x1p-149, 0) == 1); /* denormals are spaced evenly down to zero */
    assert_true(element_lens_ulp(&l, 1, 1) == 0);
    assert_true(isnan(element_lens_ulp(&l, 1, INFINITY)));
    l.coarser = DTYPE_BF16;
    assert_true(element_lens_ulp(&l, 1.0078125, 1) == 1);
    l.coarser = DTYPE_F16;
    assert_true(element_lens_ulp(&l, 0x1p-24, 0) == 1);
    l.coarser = DTYPE_I32;
    assert_true(element_lens_ulp(&l, 7, 4) == 3);
}

/* Every stretch once, and soon some of every part. */
static void sweeps(void **state)
{
    static unsigned char seen[100000];
    (void)state;
    for (uint64_t n = 1; n < 3000; n = n * 5 / 4 + 1) {
        struct lens_sweep s;
        uint64_t at, sum = 0;
        size_t part;
        memset(seen, 0, sizeof seen);
        lens_sweep_init(&s, n * 7 - 3, 7, 1 + n % 5);
        while (lens_sweep_take(&s, &at, &part)) {
            assert_int_equal(seen[at / 7]++, 0);
            sum += part;
        }
        assert_int_equal(sum, n * 7 - 3);
    }
    struct lens_sweep s;
    uint64_t at;
    size_t part;
    memset(seen, 0, sizeof seen);
    lens_sweep_init(&s, UINT64_C(5000000000), 16384, 1);
    for (int i = 0; i < 64 && lens_sweep_take(&s, &at, &part); i++)
        seen[at / (UINT64_C(5000000000) / 16 + 1)] = 1;
    for (int i = 0; i < 16; i++)
        assert_true(seen[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_and_types), cmocka_unit_test(large_ones),
        cmocka_unit_test(other_axes),       cmocka_unit_test(complex_is_a_pair),
        cmocka_unit_test(values_in_full),   cmocka_unit_test(units_in_the_last_place),
        cmocka_unit_test(sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

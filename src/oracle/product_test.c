/* Tests a product with random vectors. E|E z|² = |E|² for random signs z; a single vector shows less than a sixteenth
 * of it with a probability of at most 1 - (1 - 1/16)² / 3 (Paley and Zygmund 1932, with E|E z|⁴ <= 3 |E|⁴ for signs;
 * the test: Freivalds 1977). */
#include "oracle/product_test.h"

#include <stdlib.h>

#include "base/mem.h"

struct testing {
    const struct product *p;
    const struct real_tensor *recorded;
    int vectors;
    double *z, *bz;  /* [columns][vectors], [terms][vectors] */
    double *squares; /* for each row of b, summed */
    int64_t packed;  /* first column index of b for which bz was computed */
    double y2, s2, product2, addend2, error2, ulps2;
    int64_t n;
};

static int64_t start_of(const struct matrix *m, int64_t batch)
{
    return m->at ? m->at[batch] : 0;
}

static double sign_of(int64_t column, int vector)
{
    uint64_t x = ((uint64_t)column << 6 | (uint64_t)vector) + 0x632be59bd9b4e019u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (x ^ x >> 31) & 1 ? 1 : -1;
}

/* sum += x v, over `n` vectors, a multiple of TEST_VECTORS_LEAST. */
static inline void add_times(double *sum, const double *v, double x, int n)
{
    for (int i = 0; i < n; i += TEST_VECTORS_LEAST)
        for (int j = 0; j < TEST_VECTORS_LEAST; j++)
            sum[i + j] += x * v[i + j];
}

double product_test_operations(const struct product *p)
{
    double packed = 1;
    for (int64_t i = 1; i < p->batches && p->b.at; i++)
        packed += p->b.at[i] != p->b.at[i - 1];
    return p->unfold ? INFINITY
        : packed * (double)p->terms * (double)p->columns
              + (double)p->batches * (double)p->rows * ((double)p->terms + (double)p->columns);
}

double product_test_missed(int vectors)
{
    double theta = 1. / (PRODUCT_TEST_TIMES * PRODUCT_TEST_TIMES);
    return pow(1 - (1 - theta) * (1 - theta) / 3, vectors);
}

/* Computes b z for a batch's columns. */
static void take_columns(struct testing *t, int64_t batch)
{
    const struct product *p = t->p;
    int64_t at = start_of(&p->b, batch);
    if (t->packed == at)
        return;
    t->packed = at;
    for (int64_t k = 0; k < p->terms; k++) {
        double *sum = t->bz + k * t->vectors;
        memset(sum, 0, (size_t)t->vectors * sizeof *sum);
        t->squares[k] = 0;
        for (int64_t j = 0; j < p->columns; j++) {
            double b = p->b.v[at + k * p->b.row_step + j * p->b.column_step];
            t->squares[k] += b * b;
            add_times(sum, t->z + j * t->vectors, b, t->vectors);
        }
    }
}

/* One row of the product times z, without the addend. */
static void row_product(struct testing *t, int64_t batch, int64_t row, double *f)
{
    const struct product *p = t->p;
    const double *a = p->a.v + start_of(&p->a, batch) + row * p->a.row_step;
    double factor = p->scaled ? p->factor : 1, s2 = 0;
    for (int64_t k = 0; k < p->terms; k++) {
        double x = a[k * p->a.column_step];
        s2 += x * x * t->squares[k];
        add_times(f, t->bz + k * t->vectors, x, t->vectors);
    }
    t->s2 += s2 * factor * factor;
    for (int v = 0; v < t->vectors; v++) {
        f[v] *= factor;
        t->product2 += f[v] * f[v] / t->vectors;
    }
}

/* Subtracts the recorded row without the addend, times z, from f. False if an element must be compared by itself. */
static bool take_off_recorded(struct testing *t, const struct error_case *of, int64_t batch, int64_t row, double *f)
{
    const struct product *p = t->p;
    const double *y = t->recorded->v + start_of(&p->y, batch) + row * p->y.row_step;
    const double *b = p->added ? p->addend.v + start_of(&p->addend, batch) + row * p->addend.row_step : NULL;
    for (int64_t j = 0; j < p->columns; j++) {
        double own = y[j * p->y.column_step], more = b ? p->addend_factor * b[j * p->addend.column_step] : 0;
        if (!(fabs(own) <= of->mask) || !isfinite(more))
            return false;
        t->y2 += own * own;
        t->addend2 += more * more;
        double ulp = error_ulp(of, own);
        t->ulps2 += ulp * ulp;
        add_times(f, t->z + j * t->vectors, more - own, t->vectors);
    }
    t->n += p->columns;
    return true;
}

static bool test_rows(struct testing *t, const struct error_case *of)
{
    const struct product *p = t->p;
    double f[TEST_VECTORS_MOST];
    for (int64_t batch = 0; batch < p->batches; batch++) {
        take_columns(t, batch);
        for (int64_t row = 0; row < p->rows; row++) {
            memset(f, 0, sizeof f);
            row_product(t, batch, row, f);
            if (!take_off_recorded(t, of, batch, row, f))
                return false;
            for (int v = 0; v < t->vectors; v++)
                t->error2 += f[v] * f[v] / t->vectors;
        }
    }
    return isfinite(t->error2) && isfinite(t->s2);
}

bool product_test(const struct product *p, const struct real_tensor *recorded, int vectors, struct error_sums *sums)
{
    struct testing t = {.p = p, .recorded = recorded, .vectors = vectors, .packed = -1};
    size_t columns = (size_t)(p->columns ? p->columns : 1), terms = (size_t)(p->terms ? p->terms : 1);
    t.z = mem_resize_array(NULL, columns * (size_t)vectors, sizeof *t.z);
    t.bz = mem_resize_array(NULL, terms * (size_t)vectors, sizeof *t.bz);
    t.squares = mem_resize_array(NULL, terms, sizeof *t.squares);
    for (int64_t j = 0; j < p->columns; j++)
        for (int v = 0; v < vectors; v++)
            t.z[j * vectors + v] = sign_of(j, v);
    bool fits = test_rows(&t, &sums->of);
    double own = sqrt(t.product2);
    if (fits)
        error_add_norms(sums, &(struct error_norms){
            .n = t.n, .error = sqrt(t.error2), .s = sqrt(t.s2), .ulps = sqrt(t.ulps2),
            .y = t.y2 > 0 ? sqrt(t.y2) : own, .c = (p->scaled ? own : 0) + (p->added ? own + sqrt(t.addend2) : 0)});
    free(t.z);
    free(t.bz);
    free(t.squares);
    return fits;
}

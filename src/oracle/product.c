/* A product's rows, two at a time against eight columns: sums of a b and of a² b² in one pass, in the order of the
 * terms, without fused arithmetic, so that every machine gives the same bits. */
#include "oracle/product.h"

#include <stdlib.h>

#include "base/mem.h"

enum { WIDE = PRODUCT_COLUMNS, LANES = WIDE / 2 };
enum { COLUMNS_AT_ONCE = 512, PANEL = 1 << 22 }; /* columns held at once: at most, and their elements, unless even
                                                    WIDE of them have more */

typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(8)));

/* Two rows of a and their squares against a panel of eight columns. */
struct tile {
    const double *a[2], *a2[2], *b; /* b: [terms][WIDE] */
    int64_t terms;
    double y[2][WIDE], s[2][WIDE];
};

static inline __attribute__((always_inline)) void tile_body(struct tile *t)
{
    lanes y00 = {0}, y01 = {0}, y10 = {0}, y11 = {0}, s00 = {0}, s01 = {0}, s10 = {0}, s11 = {0};
    for (int64_t k = 0; k < t->terms; k++) {
        lanes b0, b1;
        memcpy(&b0, t->b + k * WIDE, sizeof b0);
        memcpy(&b1, t->b + k * WIDE + LANES, sizeof b1);
        lanes q0 = b0 * b0, q1 = b1 * b1;
        y00 += t->a[0][k] * b0;
        y01 += t->a[0][k] * b1;
        y10 += t->a[1][k] * b0;
        y11 += t->a[1][k] * b1;
        s00 += t->a2[0][k] * q0;
        s01 += t->a2[0][k] * q1;
        s10 += t->a2[1][k] * q0;
        s11 += t->a2[1][k] * q1;
    }
    memcpy(t->y[0], &y00, sizeof y00);
    memcpy(t->y[0] + LANES, &y01, sizeof y01);
    memcpy(t->y[1], &y10, sizeof y10);
    memcpy(t->y[1] + LANES, &y11, sizeof y11);
    memcpy(t->s[0], &s00, sizeof s00);
    memcpy(t->s[0] + LANES, &s01, sizeof s01);
    memcpy(t->s[1], &s10, sizeof s10);
    memcpy(t->s[1] + LANES, &s11, sizeof s11);
}

static void tile_plain(struct tile *t)
{
    tile_body(t);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void tile_avx2(struct tile *t)
{
    tile_body(t);
}

static void tile_run(struct tile *t)
{
    __builtin_cpu_supports("avx2") ? tile_avx2(t) : tile_plain(t);
}
#else
static void tile_run(struct tile *t)
{
    tile_plain(t);
}
#endif

double product_operations(const struct product *p)
{
    return (double)p->batches * (double)p->rows * (double)p->columns * (double)p->terms;
}

int64_t product_rows(const struct product *p)
{
    return p->batches * p->rows;
}

/* ---- rows that are looked at ---- */

struct chosen_rows {
    int64_t all, some;
};

/* A number of [0, 1), the same for the same i. */
static double drawn(int64_t i)
{
    uint64_t x = (uint64_t)i * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

/* The ith: one drawn in each of equal stretches. */
static int64_t chosen(const struct chosen_rows *c, int64_t i)
{
    if (c->some >= c->all)
        return i;
    int64_t from = (int64_t)((double)i * (double)c->all / (double)c->some),
        to = (int64_t)((double)(i + 1) * (double)c->all / (double)c->some);
    return from + (int64_t)(drawn(i) * (double)(to > from ? to - from : 1));
}

/* ---- one block of columns ---- */

struct product_work {
    const struct product *p;
    const struct real_tensor *recorded;
    struct error_sums *sums;
    double *panel;  /* [panels][terms][WIDE] */
    double *row[2], *square[2];
    int64_t packed; /* the batch whose columns lie in `panel`, -1: none */
};

static int64_t start_of(const struct matrix *m, int64_t batch)
{
    return m->at ? m->at[batch] : 0;
}

static void pack_columns(struct product_work *w, int64_t batch, int64_t from, int64_t to)
{
    const struct product *p = w->p;
    const double *b = p->b.v + start_of(&p->b, batch);
    for (int64_t first = from; first < to; first += WIDE) {
        double *out = w->panel + (first - from) * p->terms;
        int64_t n = to - first < WIDE ? to - first : WIDE;
        for (int64_t k = 0; k < p->terms; k++)
            for (int64_t j = 0; j < WIDE; j++)
                out[k * WIDE + j] = j < n ? b[k * p->b.row_step + (first + j) * p->b.column_step] : 0;
    }
    w->packed = batch;
}

static void take_row(struct product_work *w, int which, int64_t batch, int64_t row)
{
    const struct product *p = w->p;
    double *out = w->row[which];
    if (p->unfold) {
        p->unfold(p, batch, row, out);
    } else {
        const double *a = p->a.v + start_of(&p->a, batch) + row * p->a.row_step;
        for (int64_t k = 0; k < p->terms; k++)
            out[k] = a[k * p->a.column_step];
    }
    for (int64_t k = 0; k < p->terms; k++)
        w->square[which][k] = out[k] * out[k];
}

static void compare_element(struct product_work *w, int64_t batch, int64_t row, int64_t column, double y, double s2)
{
    const struct product *p = w->p;
    double c = 0, s = sqrt(s2);
    if (p->scaled) {
        y *= p->factor;
        s *= fabs(p->factor);
        c = fabs(y);
    }
    if (p->added) {
        double b = p->addend_factor * p->addend.v[start_of(&p->addend, batch) + row * p->addend.row_step +
                                                    column * p->addend.column_step];
        c += fabs(b) + fabs(y);
        y += b;
    }
    int64_t at = start_of(&p->y, batch) + row * p->y.row_step + column * p->y.column_step;
    error_add(w->sums, y, w->recorded->v[at], c, 0, s);
}

/* Rows taken (one or two) of a batch against the columns packed. */
static void multiply_rows(struct product_work *w, int64_t batch, const int64_t row[2], int rows, int64_t from,
    int64_t to)
{
    struct tile t = {.terms = w->p->terms};
    for (int i = 0; i < 2; i++) {
        t.a[i] = w->row[i < rows ? i : 0];
        t.a2[i] = w->square[i < rows ? i : 0];
    }
    for (int64_t first = from; first < to; first += WIDE) {
        int64_t n = to - first < WIDE ? to - first : WIDE;
        t.b = w->panel + (first - from) * w->p->terms;
        tile_run(&t);
        for (int i = 0; i < rows; i++)
            for (int64_t j = 0; j < n; j++)
                compare_element(w, batch, row[i], first + j, t.y[i][j], t.s[i][j]);
    }
}

static void compare_columns(struct product_work *w, const struct chosen_rows *c, int64_t from, int64_t to)
{
    const struct product *p = w->p;
    int64_t n = c->some < c->all ? c->some : c->all;
    w->packed = -1;
    for (int64_t i = 0; i < n;) {
        int64_t at = chosen(c, i), batch = at / p->rows, row[2];
        int rows = 0;
        if (w->packed != batch)
            pack_columns(w, batch, from, to);
        while (rows < 2 && i < n && (at = chosen(c, i)) / p->rows == batch) {
            row[rows] = at % p->rows;
            take_row(w, rows, batch, row[rows]);
            rows++;
            i++;
        }
        multiply_rows(w, batch, row, rows, from, to);
    }
}

void product_compare(const struct product *p, const struct real_tensor *recorded, int64_t some, struct error_sums *sums)
{
    struct chosen_rows c = {product_rows(p), some};
    struct product_work w = {.p = p, .recorded = recorded, .sums = sums};
    size_t terms = (size_t)(p->terms ? p->terms : 1);
    int64_t fit = (int64_t)(PANEL / terms) / WIDE * WIDE, most = fit < WIDE ? WIDE : fit < COLUMNS_AT_ONCE ? fit
        : COLUMNS_AT_ONCE, columns = p->columns < most ? p->columns : most;
    w.panel = mem_resize_array(NULL, (size_t)(columns + WIDE) * terms, sizeof *w.panel);
    for (int i = 0; i < 2; i++) {
        w.row[i] = mem_resize_array(NULL, terms, sizeof(double));
        w.square[i] = mem_resize_array(NULL, terms, sizeof(double));
    }
    for (int64_t from = 0; from < p->columns; from += columns)
        compare_columns(&w, &c, from, from + columns < p->columns ? from + columns : p->columns);
    for (int i = 0; i < 2; i++) {
        free(w.row[i]);
        free(w.square[i]);
    }
    free(w.panel);
}

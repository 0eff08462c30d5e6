/* A product's rows, some at a time for a block of columns: sums of a b and of a² b² in one pass, in the order of the
 * terms, with the same bits on every machine (product_tile.h). */
#include "oracle/product.h"

#include <stdlib.h>

#include "base/mem.h"
#include "oracle/product_tile.h"

/* the most columns packed at once, and the most of their elements, unless even TILE_COLUMNS of them have more */
enum { COLUMNS_AT_ONCE = 1024, PANEL = 1 << 22 };
enum { ROWS_AT_ONCE = 32 };
/* the most elements of a strip: with more terms, sums of squares in float32 would be too inaccurate */
#define STRIP_MOST (1 << 26)
#define FAR_ABOVE 0x1p20 /* an element this many times the root mean square would make the other squares underflow */

double product_operations(const struct product *p)
{
    return (double)p->batches * (double)p->rows * (double)p->columns * (double)p->terms;
}

int64_t product_rows(const struct product *p)
{
    return p->batches * p->rows;
}

/* ---- chosen rows ---- */

struct chosen_rows {
    int64_t all, some;
};

/* A pseudorandom number in [0, 1) that depends only on i. */
static double drawn(int64_t i)
{
    uint64_t x = (uint64_t)i * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

/* The ith row: one chosen in each of equal ranges. */
static int64_t chosen(const struct chosen_rows *c, int64_t i)
{
    if (c->some >= c->all)
        return i;
    int64_t from = (int64_t)((double)i * (double)c->all / (double)c->some),
        to = (int64_t)((double)(i + 1) * (double)c->all / (double)c->some);
    return from + (int64_t)(drawn(i) * (double)(to > from ? to - from : 1));
}

/* ---- one block of columns ---- */

/* Lanes (rows of a, or columns of b) interleaved term by term, with their squares, for a tile. */
struct strip {
    double *v;    /* [terms][lanes] */
    float *v2;
    double scale; /* of the squares, which are (v scale)² */
    bool exact;   /* suitable for tile_exact */
};

struct product_work {
    const struct product *p;
    const struct real_tensor *recorded;
    struct error_sums *sums;
    struct strip *column, row[ROWS_AT_ONCE / TILE_ROWS];
    double *unfolded; /* one row, for unfolded operands */
    int64_t packed;   /* the batch whose columns are in `column`, -1: none */
};

static int64_t start_of(const struct matrix *m, int64_t batch)
{
    return m->at ? m->at[batch] : 0;
}

static void strip_make(struct strip *s, size_t terms, int lanes)
{
    s->v = mem_resize_array(NULL, terms * (size_t)lanes, sizeof *s->v);
    s->v2 = mem_resize_array(NULL, terms * (size_t)lanes, sizeof *s->v2);
}

static void strip_release(struct strip *s)
{
    free(s->v);
    free(s->v2);
}

/* Computes squares and scale of the contents; `exact` if all are finite float32 values of similar size. */
static void strip_close(struct strip *s, int64_t n)
{
    double most = 0, squares = 0;
    int64_t others = n >= STRIP_MOST;
    for (int64_t i = 0; i < n; i++) {
        double v = s->v[i], size = fabs(v);
        most = size > most ? size : most;
        squares += v * v;
        others += (double)(float)v != v;
    }
    s->exact = !others && isfinite(squares) && most * most <= FAR_ABOVE * FAR_ABOVE * (squares / (double)n);
    if (!s->exact)
        return;
    s->scale = most > 0 ? ldexp(1, -ilogb(most) - 1) : 1;
    for (int64_t i = 0; i < n; i++)
        s->v2[i] = tile_square(s->v[i], s->scale);
}

static void pack_columns(struct product_work *w, int64_t batch, int64_t from, int64_t to)
{
    const struct product *p = w->p;
    const double *b = p->b.v + start_of(&p->b, batch);
    for (int64_t first = from; first < to; first += TILE_COLUMNS) {
        struct strip *s = &w->column[(first - from) / TILE_COLUMNS];
        int64_t n = to - first < TILE_COLUMNS ? to - first : TILE_COLUMNS;
        for (int64_t k = 0; k < p->terms; k++)
            for (int64_t j = 0; j < TILE_COLUMNS; j++)
                s->v[k * TILE_COLUMNS + j] = j < n ? b[k * p->b.row_step + (first + j) * p->b.column_step] : 0;
        strip_close(s, p->terms * TILE_COLUMNS);
    }
    w->packed = batch;
}

static void take_row(struct product_work *w, double *out, int64_t batch, int64_t row)
{
    const struct product *p = w->p;
    const double *a = w->unfolded;
    int64_t step = 1;
    if (p->unfold) {
        p->unfold(p, batch, row, w->unfolded);
    } else {
        a = p->a.v + start_of(&p->a, batch) + row * p->a.row_step;
        step = p->a.column_step;
    }
    for (int64_t k = 0; k < p->terms; k++)
        out[k * TILE_ROWS] = a[k * step];
}

static void take_rows(struct product_work *w, int64_t batch, const int64_t *row, int rows)
{
    for (int i = 0; i < rows; i++)
        take_row(w, w->row[i / TILE_ROWS].v + i % TILE_ROWS, batch, row[i]);
    for (int i = rows; i % TILE_ROWS; i++) /* the last strip is filled up with copies of one row */
        for (int64_t k = 0; k < w->p->terms; k++)
            w->row[i / TILE_ROWS].v[k * TILE_ROWS + i % TILE_ROWS] = w->row[i / TILE_ROWS].v[k * TILE_ROWS];
    for (int i = 0; i < rows; i += TILE_ROWS)
        strip_close(&w->row[i / TILE_ROWS], w->p->terms * TILE_ROWS);
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

/* Multiplies a strip of rows with one of columns, element by element. */
static void multiply_strips(struct product_work *w, const struct strip *a, const struct strip *b, int64_t batch,
    const int64_t *row, int rows, int64_t from, int64_t columns)
{
    struct tile t = {.terms = w->p->terms, .a = a->v, .b = b->v, .a2 = a->v2, .b2 = b->v2};
    bool exact = a->exact && b->exact;
    double back = exact ? 1 / (a->scale * b->scale) : 1;
    exact ? tile_exact(&t) : tile_plain(&t);
    for (int i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            compare_element(w, batch, row[i], from + j, t.y[i][j], t.s2[i][j] * back * back);
}

static void multiply_rows(struct product_work *w, int64_t batch, const int64_t *row, int rows, int64_t from, int64_t to)
{
    for (int64_t first = from; first < to; first += TILE_COLUMNS)
        for (int i = 0; i < rows; i += TILE_ROWS)
            multiply_strips(w, &w->row[i / TILE_ROWS], &w->column[(first - from) / TILE_COLUMNS], batch, row + i,
                rows - i < TILE_ROWS ? rows - i : TILE_ROWS, first,
                to - first < TILE_COLUMNS ? to - first : TILE_COLUMNS);
}

static void compare_columns(struct product_work *w, const struct chosen_rows *c, int64_t from, int64_t to)
{
    const struct product *p = w->p;
    int64_t n = c->some < c->all ? c->some : c->all;
    w->packed = -1;
    for (int64_t i = 0; i < n;) {
        int64_t at = chosen(c, i), batch = at / p->rows, row[ROWS_AT_ONCE];
        int rows = 0;
        if (w->packed != batch)
            pack_columns(w, batch, from, to);
        while (rows < ROWS_AT_ONCE && i < n && (at = chosen(c, i)) / p->rows == batch) {
            row[rows++] = at % p->rows;
            i++;
        }
        take_rows(w, batch, row, rows);
        multiply_rows(w, batch, row, rows, from, to);
    }
}

void product_compare(const struct product *p, const struct real_tensor *recorded, int64_t some, struct error_sums *sums)
{
    struct chosen_rows c = {product_rows(p), some};
    struct product_work w = {.p = p, .recorded = recorded, .sums = sums};
    size_t terms = (size_t)(p->terms ? p->terms : 1);
    int64_t fit = (int64_t)(PANEL / terms) / TILE_COLUMNS * TILE_COLUMNS,
            most = fit < TILE_COLUMNS ? TILE_COLUMNS : fit < COLUMNS_AT_ONCE ? fit : COLUMNS_AT_ONCE,
            columns = p->columns < most ? p->columns : most;
    int64_t strips = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
    w.column = mem_resize_array(NULL, (size_t)strips + 1, sizeof *w.column);
    for (int64_t i = 0; i < strips; i++)
        strip_make(&w.column[i], terms, TILE_COLUMNS);
    for (int i = 0; i < ROWS_AT_ONCE / TILE_ROWS; i++)
        strip_make(&w.row[i], terms, TILE_ROWS);
    w.unfolded = mem_resize_array(NULL, p->unfold ? terms : 1, sizeof *w.unfolded);
    for (int64_t from = 0; from < p->columns; from += columns)
        compare_columns(&w, &c, from, from + columns < p->columns ? from + columns : p->columns);
    for (int64_t i = 0; i < strips; i++)
        strip_release(&w.column[i]);
    for (int i = 0; i < ROWS_AT_ONCE / TILE_ROWS; i++)
        strip_release(&w.row[i]);
    free(w.column);
    free(w.unfolded);
}

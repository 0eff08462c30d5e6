/* A product's rows, some at a time for a block of columns: sums of a b and of a² b² in one pass, in the order of the
 * terms, with the same bits on every machine (product_tile.h). */
#include "oracle/product.h"

#include <stdlib.h>

#include "oracle/product_tile.h"

/* the most columns packed at once, and the most of their elements, unless even TILE_COLUMNS of them have more */
enum { COLUMNS_AT_ONCE = 1024, PANEL = 1 << 22 };
enum { ROWS_AT_ONCE = 32, ROW_STRIPS = ROWS_AT_ONCE / TILE_ROWS };
enum { CACHE_LINE = 64 };
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
static double drawn_number(int64_t i)
{
    uint64_t x = (uint64_t)i * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

/* The ith row: one chosen in each of equal ranges. */
static int64_t chosen_row(const struct chosen_rows *c, int64_t i)
{
    if (c->some >= c->all)
        return i;
    int64_t from = (int64_t)((double)i * (double)c->all / (double)c->some),
        to = (int64_t)((double)(i + 1) * (double)c->all / (double)c->some);
    return from + (int64_t)(drawn_number(i) * (double)(to > from ? to - from : 1));
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
    struct strip *column, row[ROW_STRIPS];
    struct tile *tile; /* [strips of columns][ROW_STRIPS] */
    double *unfolded;  /* rows of one strip, for unfolded operands */
    int64_t packed;    /* the batch whose columns are in `column`, -1: none */
};

static int at_most(int64_t left, int64_t most)
{
    return (int)(left < most ? left : most);
}

static int64_t start_of(const struct matrix *m, int64_t batch)
{
    return m->at ? m->at[batch] : 0;
}

/* Computes squares and scale of the contents; `exact` if all are finite float32 values of similar size. */
static void strip_close(struct strip *s, int64_t n)
{
    struct tile_look look;
    tile_look(s->v, n, &look);
    s->exact = n < STRIP_MOST && !look.others && isfinite(look.squares) &&
               look.most * look.most <= FAR_ABOVE * FAR_ABOVE * (look.squares / (double)n);
    if (!s->exact)
        return;
    s->scale = look.most > 0 ? ldexp(1, -ilogb(look.most) - 1) : 1;
    tile_squares(s->v, n, s->scale, s->v2);
}

/* Takes n lanes with `step` between their terms; those that are left are filled up with copies of the first. */
static void strip_fill(struct strip *s, int lanes, const double *const *lane, int n, int64_t step, int64_t terms,
                       bool tf32)
{
    enum { PART = 8 }; /* terms, a line of the cache if they are in sequence */
    for (int64_t from = 0, to; from < terms; from = to) {
        to = terms - from < PART ? terms : from + PART;
        for (int j = 0; j < lanes; j++) {
            const double *v = lane[j < n ? j : 0];
            for (int64_t k = from; k < to; k++)
                s->v[k * lanes + j] = v[k * step];
        }
    }
    for (int64_t i = 0; tf32 && i < terms * lanes; i++)
        s->v[i] = tf32_round(s->v[i]);
    strip_close(s, terms * lanes);
}

static void pack_columns(struct product_work *w, int64_t batch, int64_t from, int64_t to)
{
    const struct matrix *b = &w->p->b;
    const double *v = b->v + start_of(b, batch), *lane[TILE_COLUMNS];
    for (int64_t first = from; first < to; first += TILE_COLUMNS) {
        int n = at_most(to - first, TILE_COLUMNS);
        for (int j = 0; j < n; j++)
            lane[j] = v + (first + j) * b->column_step;
        strip_fill(&w->column[(first - from) / TILE_COLUMNS], TILE_COLUMNS, lane, n, b->row_step, w->p->terms,
                   w->p->tf32);
    }
    w->packed = batch;
}

static void pack_rows(struct product_work *w, struct strip *s, int64_t batch, const int64_t *row, int n)
{
    const struct product *p = w->p;
    const double *lane[TILE_ROWS];
    for (int i = 0; i < n; i++) {
        double *own = w->unfolded + i * p->terms;
        if (p->unfold)
            p->unfold(p, batch, row[i], own);
        lane[i] = p->unfold ? own : p->a.v + start_of(&p->a, batch) + row[i] * p->a.row_step;
    }
    strip_fill(s, TILE_ROWS, lane, n, p->unfold ? 1 : p->a.column_step, p->terms, p->tf32);
}

/* Multiplies a strip of rows with one of columns, term by term. */
static void add_terms(struct tile *t, const struct strip *a, const struct strip *b, int64_t from, int64_t terms)
{
    bool exact = a->exact && b->exact;
    t->terms = terms;
    t->a = a->v + from * TILE_ROWS;
    t->b = b->v + from * TILE_COLUMNS;
    t->a2 = a->v2 + from * TILE_ROWS;
    t->b2 = b->v2 + from * TILE_COLUMNS;
    exact ? tile_exact(t) : tile_plain(t);
}

/* The factor and the addend for one element: y and s change, and c is returned. */
static double finish_element(const struct product *p, int64_t batch, int64_t row, int64_t column, double *y, double *s)
{
    double c = 0;
    if (p->scaled) {
        *y *= p->factor;
        *s *= fabs(p->factor);
        c = fabs(*y);
    }
    if (p->added) {
        double b = p->addend_factor * p->addend.v[start_of(&p->addend, batch) + row * p->addend.row_step +
                                                    column * p->addend.column_step];
        c += fabs(b) + fabs(*y);
        *y += b;
    }
    return c;
}

static void compare_tile(struct product_work *w, const struct tile *t, double back, int64_t batch, const int64_t *row,
    int rows, int64_t from, int columns)
{
    const struct product *p = w->p;
    double y[TILE_ROWS * TILE_COLUMNS], recorded[TILE_ROWS * TILE_COLUMNS], c[TILE_ROWS * TILE_COLUMNS],
        s[TILE_ROWS * TILE_COLUMNS];
    bool more = p->scaled || p->added, ahead = from + 2 * TILE_COLUMNS <= p->columns;
    int n = 0;
    for (int i = 0; i < rows; i++) {
        const double *at = w->recorded->v + start_of(&p->y, batch) + row[i] * p->y.row_step + from * p->y.column_step;
        for (int j = 0; ahead && j < TILE_COLUMNS; j += CACHE_LINE / (int)sizeof *at) /* of the next columns */
            __builtin_prefetch(at + (TILE_COLUMNS + j) * p->y.column_step);
        for (int j = 0; j < columns; j++, n++) {
            y[n] = t->y[i][j];
            s[n] = sqrt(t->s2[i][j] * back * back);
            recorded[n] = at[j * p->y.column_step];
            if (more)
                c[n] = finish_element(p, batch, row[i], from + j, &y[n], &s[n]);
        }
    }
    error_add(w->sums, &(struct error_elements){.n = n, .y = y, .recorded = recorded, .c = more ? c : NULL, .s = s});
}

static double scale_back(const struct strip *a, const struct strip *b)
{
    return a->exact && b->exact ? 1 / (a->scale * b->scale) : 1;
}

static void multiply_rows(struct product_work *w, int64_t batch, const int64_t *row, int rows, int64_t from, int64_t to)
{
    int strips = (rows + TILE_ROWS - 1) / TILE_ROWS;
    int64_t columns = (to - from + TILE_COLUMNS - 1) / TILE_COLUMNS, terms = w->p->terms, at_once = tile_terms();
    for (int i = 0; i < strips; i++)
        pack_rows(w, &w->row[i], batch, row + i * TILE_ROWS, at_most(rows - i * TILE_ROWS, TILE_ROWS));
    memset(w->tile, 0, (size_t)columns * ROW_STRIPS * sizeof *w->tile);
    for (int64_t at = 0; at < terms; at += at_once) /* by all tiles, so that a part of a strip stays in the cache */
        for (int64_t j = 0; j < columns; j++)
            for (int i = 0; i < strips; i++)
                add_terms(&w->tile[j * ROW_STRIPS + i], &w->row[i], &w->column[j], at, at_most(terms - at, at_once));
    for (int64_t j = 0; j < columns; j++)
        for (int i = 0; i < strips; i++)
            compare_tile(w, &w->tile[j * ROW_STRIPS + i], scale_back(&w->row[i], &w->column[j]), batch,
                row + i * TILE_ROWS, at_most(rows - i * TILE_ROWS, TILE_ROWS), from + j * TILE_COLUMNS,
                at_most(to - from - j * TILE_COLUMNS, TILE_COLUMNS));
}

static void compare_columns(struct product_work *w, const struct chosen_rows *c, int64_t from, int64_t to)
{
    const struct product *p = w->p;
    int64_t n = c->some < c->all ? c->some : c->all;
    w->packed = -1;
    for (int64_t i = 0; i < n;) {
        int64_t at = chosen_row(c, i), batch = at / p->rows, row[ROWS_AT_ONCE];
        int rows = 0;
        if (w->packed != batch)
            pack_columns(w, batch, from, to);
        while (rows < ROWS_AT_ONCE && i < n && (at = chosen_row(c, i)) / p->rows == batch) {
            row[rows++] = at % p->rows;
            i++;
        }
        multiply_rows(w, batch, row, rows, from, to);
    }
}

static void *on_line(void *p)
{
    return (char *)p + (-(uintptr_t)p & (CACHE_LINE - 1));
}

void product_compare(const struct product *p, const struct real_tensor *recorded, int64_t some,
    struct error_sums *sums, struct arena *room)
{
    struct chosen_rows c = {product_rows(p), some};
    struct product_work w = {.p = p, .recorded = recorded, .sums = sums};
    size_t terms = (size_t)(p->terms ? p->terms : 1);
    int64_t fit = (int64_t)(PANEL / terms) / TILE_COLUMNS * TILE_COLUMNS,
            most = fit < TILE_COLUMNS ? TILE_COLUMNS : fit < COLUMNS_AT_ONCE ? fit : COLUMNS_AT_ONCE,
            columns = p->columns < most ? p->columns : most;
    int64_t strips = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
    struct arena_mark before = arena_mark(room);
    size_t lanes = (size_t)strips * TILE_COLUMNS + ROWS_AT_ONCE;
    double *v = on_line(arena_alloc(room, terms * lanes * sizeof *v + CACHE_LINE));
    float *v2 = on_line(arena_alloc(room, terms * lanes * sizeof *v2 + CACHE_LINE));
    w.column = arena_alloc(room, ((size_t)strips + 1) * sizeof *w.column);
    for (int64_t i = 0; i < strips + ROW_STRIPS; i++) {
        struct strip *s = i < strips ? &w.column[i] : &w.row[i - strips];
        *s = (struct strip){.v = v, .v2 = v2};
        v += terms * (i < strips ? TILE_COLUMNS : TILE_ROWS);
        v2 += terms * (i < strips ? TILE_COLUMNS : TILE_ROWS);
    }
    w.tile = arena_alloc(room, ((size_t)strips * ROW_STRIPS + 1) * sizeof *w.tile);
    w.unfolded = arena_alloc(room, (p->unfold ? terms * TILE_ROWS : 1) * sizeof *w.unfolded);
    for (int64_t from = 0; from < p->columns; from += columns)
        compare_columns(&w, &c, from, from + columns < p->columns ? from + columns : p->columns);
    arena_rewind(room, before);
}

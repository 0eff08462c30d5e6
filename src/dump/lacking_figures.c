/* Counts which figures the floating tensors of each type have, and names those that lack one. */
#include "dump/lacking_figures.h"

#include "base/msg.h"

#define ROWS_LEAST 4 /* fewer show no habit */
#define LACKING 0.1  /* of the rows, or one: more are another way of recording */

static const struct {
    uint16_t bit;
    const char *name;
} figure[] = {{HAS_MAX, "max"}, {HAS_MIN, "min"}, {HAS_MEAN, "mean"}, {HAS_NORM, "norm"}, {HAS_SHAPE, N_("the shape")}};

/* Whether a row was meant to have figures: some of them are there, and all that were there could be read. */
static bool has_figures(const struct row *x)
{
    return x->kind == ROW_TENSOR && (dtype_is_float(x->dtype) || x->dtype == DTYPE_UNKNOWN) &&
           !(x->has & (IS_UNPARSED | IS_DAMAGED)) && x->has & (HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM);
}

#define FIGURES (HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM | HAS_SHAPE)

/* How many rows of one type there are, and how many of them have each figure. */
struct habit {
    size_t rows, with[ARRAY_LEN(figure)];
};

static void add_rows(struct habit *h, size_t rows, unsigned has)
{
    h->rows += rows;
    for (size_t i = 0; i < ARRAY_LEN(figure); i++)
        h->with[i] += has & figure[i].bit ? rows : 0;
}

/* The figures that most rows of a type have and some lack, as bits. */
static unsigned lacking_bits(const struct habit *h)
{
    unsigned bits = 0;
    for (size_t i = 0; i < ARRAY_LEN(figure) && h->rows >= ROWS_LEAST; i++) {
        size_t lack = h->rows - h->with[i];
        bits |= lack && (lack == 1 || (double)lack <= LACKING * (double)h->rows) ? figure[i].bit : 0;
    }
    return bits;
}

static void name_row(struct dump *d, uint32_t row, const char *figure_name)
{
    struct buf name = {0}, text = {0};
    dump_row_name(d, row, &name);
    buf_fmt(&text, _("%s: %s is without %s, which the other rows have"), d->path, name.p, _(figure_name));
    dump_problem(d, row, "damaged", text.p);
    buf_release(&name);
    buf_release(&text);
}

void lacking_figures_find(struct dump *d)
{
    struct habit of_type[DTYPE_COUNT] = {0}; /* of float64, msprobe writes no mean and no norm; unknown: of all types */
    size_t rows[DTYPE_COUNT][FIGURES + 1] = {0}; /* by the figures they have */
    for (size_t r = 0; r < d->rows.n; r++)
        if (has_figures(&d->rows.v[r]))
            rows[d->rows.v[r].dtype][d->rows.v[r].has & FIGURES]++;
    for (int t = 0; t < DTYPE_COUNT; t++)
        for (unsigned has = 0; has <= FIGURES; has++) {
            if (t != DTYPE_UNKNOWN)
                add_rows(&of_type[t], rows[t][has], has);
            add_rows(&of_type[DTYPE_UNKNOWN], rows[t][has], has);
        }
    unsigned of[DTYPE_COUNT], any = 0;
    for (int t = 0; t < DTYPE_COUNT; t++)
        any |= of[t] = lacking_bits(&of_type[t]);
    for (uint32_t r = 0; any && r < d->rows.n; r++)
        for (size_t i = 0; i < ARRAY_LEN(figure) && has_figures(&d->rows.v[r]); i++)
            if (of[d->rows.v[r].dtype] & figure[i].bit & ~d->rows.v[r].has)
                name_row(d, r, figure[i].name);
}

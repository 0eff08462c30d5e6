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

/* How many rows of one type there are, and how many of them have each figure. */
struct habit {
    size_t rows, with[ARRAY_LEN(figure)];
};

static void add_row(struct habit *h, const struct row *x)
{
    h->rows++;
    for (size_t i = 0; i < ARRAY_LEN(figure); i++)
        h->with[i] += (x->has & figure[i].bit) != 0;
}

/* Whether a row lacks a figure that most rows of its type have. */
static bool is_lacking(const struct habit *h, const struct row *x, size_t i)
{
    size_t lack = h->rows - h->with[i];
    return h->rows >= ROWS_LEAST && !(x->has & figure[i].bit) &&
           (lack <= 1 || (double)lack <= LACKING * (double)h->rows);
}

void lacking_figures_find(struct dump *d)
{
    struct habit of_type[DTYPE_COUNT] = {0}; /* of float64, msprobe writes no mean and no norm; unknown: of all types */
    for (size_t r = 0; r < d->rows.n; r++) {
        if (!has_figures(&d->rows.v[r]))
            continue;
        if (d->rows.v[r].dtype != DTYPE_UNKNOWN)
            add_row(&of_type[d->rows.v[r].dtype], &d->rows.v[r]);
        add_row(&of_type[DTYPE_UNKNOWN], &d->rows.v[r]);
    }
    for (uint32_t r = 0; r < d->rows.n; r++)
        for (size_t i = 0; i < ARRAY_LEN(figure) && has_figures(&d->rows.v[r]); i++) {
            if (!is_lacking(&of_type[d->rows.v[r].dtype], &d->rows.v[r], i))
                continue;
            struct buf name = {0}, text = {0};
            dump_row_name(d, r, &name);
            buf_fmt(&text, _("%s: %s is without %s, which the other rows have"), d->path, name.p, _(figure[i].name));
            dump_problem(d, r, "damaged", text.p);
            buf_release(&name);
            buf_release(&text);
        }
}

/* Counts which figures the floating tensors of a recording have, and names those that lack one. */
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

void lacking_figures_find(struct dump *d)
{
    size_t rows = 0, with[ARRAY_LEN(figure)] = {0};
    for (size_t r = 0; r < d->rows.n; r++) {
        if (!has_figures(&d->rows.v[r]))
            continue;
        rows++;
        for (size_t i = 0; i < ARRAY_LEN(figure); i++)
            with[i] += (d->rows.v[r].has & figure[i].bit) != 0;
    }
    if (rows < ROWS_LEAST)
        return;
    for (uint32_t r = 0; r < d->rows.n; r++)
        for (size_t i = 0; i < ARRAY_LEN(figure) && has_figures(&d->rows.v[r]); i++) {
            size_t lack = rows - with[i];
            if (d->rows.v[r].has & figure[i].bit || (lack > 1 && (double)lack > LACKING * (double)rows))
                continue;
            struct buf name = {0}, text = {0};
            dump_row_name(d, r, &name);
            buf_fmt(&text, _("%s: %s is without %s, which the other rows have"), d->path, name.p, _(figure[i].name));
            dump_problem(d, r, "damaged", text.p);
            buf_release(&name);
            buf_release(&text);
        }
}

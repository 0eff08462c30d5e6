/* Computes sketches in one pass over the files of all rows. */
#include "dump/computed_sketches.h"

#include <math.h>
#include <stdlib.h>

#include "base/threads.h"
#include "num/masked.h"
#include "num/sketch.h"

struct sketches_filling {
    struct dump *d;
    struct load *load;
    VEC(uint32_t) rows;
    double *sketch;
    atomic_bool cancel;
};

static void compute_sketch(void *ctx, size_t i)
{
    struct sketches_filling *x = ctx;
    uint32_t row = x->rows.v[i];
    double *sum = x->sketch + (size_t)row * SKETCH_NUMBERS;
    struct tensor t;
    struct err quiet;
    if (load_cancelled(x->load))
        atomic_store(&x->cancel, true);
    if (dump_tensor(x->d, row, &t, &quiet))
        return;
    const struct row *r = &x->d->rows.v[row];
    bool filled = (r->has & (HAS_MIN | HAS_MAX)) == (HAS_MIN | HAS_MAX) && r->stat[STAT_MIN] <= MASK_FILL &&
                  r->stat[STAT_MAX] > MASK_FILL && dtype_is_float((enum dtype)r->dtype);
    if (sketch_tensor(&t, filled ? MASK_FILL : NAN, sum, &quiet))
        sum[0] = NAN;
    tensor_close(&t);
}

void computed_sketches_fill(struct dump *d, int workers, struct load *load)
{
    struct sketches_filling x = {.d = d, .load = load};
    if (d->sketch || !d->reader || !d->reader->tensor || d->reader->weights)
        return;
    x.sketch = mem_alloc((d->rows.n + 1) * SKETCH_NUMBERS * sizeof *x.sketch);
    for (uint32_t r = 0; r < d->rows.n; r++) {
        x.sketch[(size_t)r * SKETCH_NUMBERS] = NAN;
        if (d->rows.v[r].kind == ROW_TENSOR && dump_row_readable(d, r) && dump_row_numel(d, r) > 0)
            vec_push(&x.rows, r);
    }
    work_crew_run(NULL, workers, x.rows.n, &x.cancel, compute_sketch, &x);
    load_begin(load);
    d->sketch = x.sketch;
    load_end(load);
    vec_release(&x.rows);
}

/* Computes missing figures in one pass over the files. */
#include "dump/computed_figures.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/waiting.h"
#include "num/figures.h"

#define TELL_MS 100
#define WANTED (HAS_MAX | HAS_MIN | HAS_NORM)

struct nan_row {
    uint32_t row;
    uint64_t count;
};

struct figures_filling {
    struct dump *d;
    const struct kern *k;
    struct load *load;
    VEC(uint32_t) rows;
    struct tensor_file *file; /* per one of `rows` */
    atomic_uint waited; /* files that took long to open */
    VEC(struct nan_row) nan_rows;
    pthread_mutex_t own, *lock; /* used if nobody else reads the dump */
    struct figures_watch watch;
    long told_ms;
};

bool computed_figures_lack(const struct dump *d, uint32_t row)
{
    const struct row *r = &d->rows.v[row];
    return r->kind == ROW_TENSOR && (r->has & WANTED) != WANTED && dump_row_readable(d, row) &&
           dump_row_numel(d, row) > 0;
}

static uint64_t bytes_of(const struct dump *d, uint32_t row)
{
    return dump_row_numel(d, row) * dtype_table[d->rows.v[row].dtype].size;
}

/* Called with the lock held. Counts are in the dump's extras, which other threads read: they are added at the end. */
static void add_figures(struct figures_filling *x, uint32_t row, const struct side_figures *f)
{
    static const int bit[STAT_COUNT] = {HAS_MAX, HAS_MIN, HAS_MEAN, HAS_NORM};
    const double value[STAT_COUNT] = {f->max, f->min, f->mean, f->norm};
    struct row *r = &x->d->rows.v[row];
    for (int i = 0; i < STAT_COUNT; i++)
        if (!(r->has & bit[i])) {
            r->stat[i] = value[i];
            r->has |= (uint16_t)(bit[i] | bit[i] << IS_COMPUTED);
        }
    if (f->nan) {
        struct nan_row n = {row, f->nan};
        vec_push(&x->nan_rows, n);
    }
}

static void add_nan_counts(struct dump *d, const struct nan_row *n)
{
    struct row *r = &d->rows.v[n->row];
    if (r->extra == NONE) {
        struct row_extra none = {0};
        vec_push(&d->extras, none);
        r->extra = (uint32_t)d->extras.n - 1;
    }
    d->extras.v[r->extra].nan = n->count;
    d->extras.v[r->extra].counts |= COUNT_NAN;
}

static void compute_figures(void *ctx, size_t i)
{
    struct figures_filling *x = ctx;
    uint32_t row = x->rows.v[i];
    struct tensor t;
    struct side_figures f;
    struct err e;
    struct waiting w;
    long now = clock_ms();
    waiting_begin(&w);
    bool open = tensor_file_open(&x->file[i], x->d, row, &t);
    x->waited += waiting_mostly(&w);
    bool computed = open && figures_one(x->k, &t, &f, &x->watch, &e) == 0;
    pthread_mutex_lock(x->lock);
    if (computed)
        add_figures(x, row, &f);
    bool tell = x->load->progress && now - x->told_ms >= TELL_MS;
    if (tell)
        x->told_ms = now;
    pthread_mutex_unlock(x->lock);
    x->d->bytes_done += bytes_of(x->d, row);
    if (open)
        tensor_close(&t);
    if (tell)
        x->load->progress(x->load->ctx);
    if (load_cancelled(x->load))
        atomic_store(&x->watch.cancel, true);
}

static void count_files(const struct figures_filling *x, struct tensor_files *s)
{
    for (size_t i = 0; i < x->rows.n; i++)
        tensor_files_count(s, x->rows.v[i], &x->file[i]);
    s->far = s->far || x->waited >= TENSOR_FILES_FAR;
}

void computed_figures_fill(struct dump *d, const struct kern *k, int workers, struct load *load,
                           struct tensor_files *files)
{
    struct figures_filling x = {.d = d, .k = k, .load = load, .own = PTHREAD_MUTEX_INITIALIZER};
    if (!d->reader || !d->reader->tensor || d->reader->weights)
        return;
    for (uint32_t r = 0; r < d->rows.n; r++)
        if (computed_figures_lack(d, r)) {
            vec_push(&x.rows, r);
            d->bytes += bytes_of(d, r);
        }
    x.lock = load->lock ? load->lock : &x.own;
    if (x.rows.n) {
        x.file = mem_zalloc(x.rows.n * sizeof *x.file);
        figures_each(&x.watch, workers, x.rows.n, compute_figures, &x);
        load_begin(load);
        for (size_t i = 0; i < x.nan_rows.n; i++)
            add_nan_counts(d, &x.nan_rows.v[i]);
        load_end(load);
        if (files)
            count_files(&x, files);
        for (size_t i = 0; i < x.rows.n; i++)
            tensor_file_release(&x.file[i]);
    }
    free(x.file);
    vec_release(&x.rows);
    vec_release(&x.nan_rows);
}

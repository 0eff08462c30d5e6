/* The checks of `diverge check` and of a side shown alone: one function per check, on a row's figures or tensor. */
#include "dump/dump_check.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "dump/contradiction.h"
#include "dump/recorded_figures.h"
#include "dump/tensor_files.h"

struct check_running {
    struct dump_check *c;
    const struct dump *d;
    const struct kern *k;
    struct figures_watch *watch;
    const struct dump_check_post *post; /* or NULL */
    pthread_mutex_t lock;
};

bool dump_check_is_note(const struct dump_check_problem *p)
{
    return strcmp(p->kind, "all-zero") == 0 || strcmp(p->kind, "constant") == 0;
}

static void add_check(struct check_running *x, uint32_t row, const char *kind, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static void add_check(struct check_running *x, uint32_t row, const char *kind, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    pthread_mutex_lock(&x->lock);
    struct dump_check_problem p = {row, kind, arena_vfmt(&x->c->arena, fmt, ap)};
    vec_push(&x->c->problems, p);
    x->c->notes += dump_check_is_note(&p);
    x->c->unread += strcmp(kind, PROBLEM_UNREAD) == 0;
    pthread_mutex_unlock(&x->lock);
    va_end(ap);
}

static void check_scalar_row(struct check_running *x, uint32_t row, const struct row *r)
{
    if (r->kind != ROW_FLOAT)
        return;
    if (isnan(r->stat[STAT_MAX]))
        add_check(x, row, "nan", "%s", _("the value is NaN"));
    else if (isinf(r->stat[STAT_MAX]))
        add_check(x, row, "inf", "%s", _("the value is infinite"));
}

static void check_extremes(struct check_running *x, uint32_t row, const struct row *r, double max, double min,
                           uint64_t n)
{
    char tmp[NUM_MAX];
    double limit = dtype_table[r->dtype].max;
    if (!isfinite(max) || !isfinite(min))
        return;
    if (limit > 0 && (max >= limit || min <= -limit))
        add_check(x, row, "saturated", _("elements at the largest finite %s value, %s: an overflow may have been "
                                         "clipped"), dtype_table[r->dtype].name, num_exact(tmp, limit));
    if (n > 1 && max == min)
        add_check(x, row, max == 0 ? "all-zero" : "constant", _("all %llu elements are %s"), (unsigned long long)n,
                  num_exact(tmp, max));
}

static void check_nonfinite_counts(struct check_running *x, uint32_t row, uint64_t nan, uint64_t inf, uint64_t of)
{
    if (nan)
        add_check(x, row, "nan", _("%llu of %llu elements are NaN"), (unsigned long long)nan, (unsigned long long)of);
    if (inf)
        add_check(x, row, "inf", _("%llu of %llu elements are infinite"), (unsigned long long)inf,
                  (unsigned long long)of);
}

static void check_recorded(struct check_running *x, uint32_t row, const struct row *r)
{
    double max = r->has & HAS_MAX ? r->stat[STAT_MAX] : 0, min = r->has & HAS_MIN ? r->stat[STAT_MIN] : 0;
    uint64_t nan = 0, inf = 0;
    recorded_counts(x->d, r, &nan, &inf);
    check_nonfinite_counts(x, row, nan, inf, dump_row_numel(x->d, row));
    if (!nan && (isnan(max) || isnan(min)))
        add_check(x, row, "nan", "%s", _("NaN in the recorded extremes"));
    if (!inf && (isinf(max) || isinf(min)))
        add_check(x, row, "inf", "%s", _("infinity in the recorded extremes"));
    if ((r->has & HAS_MAX) && (r->has & HAS_MIN) && !nan && !inf)
        check_extremes(x, row, r, max, min, dump_row_numel(x->d, row));
}

static void check_tensor(struct check_running *x, uint32_t row, const struct row *r)
{
    struct tensor t;
    struct err e;
    struct side_figures f;
    if (dump_tensor(x->d, row, &t, &e)) {
        add_check(x, row, e.code == ERR_IO ? "missing-file" : "damaged", "%s", e.text);
        check_recorded(x, row, r);
        return;
    }
    if (figures_one(x->k, &t, &f, x->watch, &e)) {
        if (e.code != ERR_CANCEL)
            add_check(x, row, "damaged", "%s", e.text);
    } else {
        if (x->post)
            x->post->figures(x->post->ctx, row, &f);
        if (sealed_verify(&t.file, &t.sealed, &e) || figures_contradict(x->d, row, &f, t.file.name, &e))
            add_check(x, row, "damaged", "%s", e.text);
        check_nonfinite_counts(x, row, f.nan, f.inf, f.count);
        if (!f.nan && !f.inf)
            check_extremes(x, row, r, f.max, f.min, f.count);
    }
    tensor_close(&t);
}

static void check_one_row(void *ctx, size_t i)
{
    struct check_running *x = ctx;
    uint32_t row = (uint32_t)i;
    const struct row *r = &x->d->rows.v[row];
    if (r->kind != ROW_TENSOR)
        check_scalar_row(x, row, r);
    else if (dump_row_readable(x->d, row))
        check_tensor(x, row, r);
    else
        check_recorded(x, row, r);
}

static int by_row(const void *a, const void *b)
{
    const struct dump_check_problem *x = a, *y = b;
    if (x->row != y->row)
        return x->row + 1 < y->row + 1 ? -1 : 1; /* NONE wraps to 0, so it sorts first */
    return strcmp(x->kind, y->kind);
}

void dump_check_run(struct dump_check *c, const struct dump *d, const struct kern *k, int workers,
                    struct figures_watch *watch, const struct dump_check_post *post)
{
    struct figures_watch own = {0};
    struct check_running x =
        {.c = c, .d = d, .k = k, .watch = watch ? watch : &own, .post = post, .lock = PTHREAD_MUTEX_INITIALIZER};
    *c = (struct dump_check){0};
    for (size_t i = 0; i < d->problems.n; i++)
        add_check(&x, d->problems.v[i].row, d->problems.v[i].kind, "%s", d->problems.v[i].text);
    figures_each(x.watch, workers, d->rows.n, check_one_row, &x);
    vec_sort(&c->problems, by_row);
}

void dump_check_release(struct dump_check *c)
{
    vec_release(&c->problems);
    arena_release(&c->arena);
}

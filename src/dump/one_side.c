/* Runs the checks of one recording and collects figures and problems by row. */
#include "dump/one_side.h"

#include <stdlib.h>

#include "base/clock.h"

#define TELL_MS 100

struct side_checking {
    struct one_side *a;
    pthread_mutex_t *lock;
    void (*told)(void *ctx);
    void *ctx;
    long told_ms;
};

static void post_side_figures(void *ctx, uint32_t row, const struct side_figures *f)
{
    struct side_checking *x = ctx;
    long now = clock_ms();
    pthread_mutex_lock(x->lock);
    x->a->figures[row] = *f;
    x->a->known[row] = 1;
    bool tell = now - x->told_ms >= TELL_MS;
    if (tell)
        x->told_ms = now;
    pthread_mutex_unlock(x->lock);
    if (tell)
        x->told(x->ctx);
}

void one_side_run(struct one_side *a, const struct dump *d, const struct kern *k, int workers,
                  struct figures_watch *watch, pthread_mutex_t *lock, void (*told)(void *ctx), void *ctx)
{
    struct side_checking x = {a, lock, told, ctx, 0};
    struct dump_check_post to = {post_side_figures, &x};
    struct dump_check c;
    uint64_t elements = 0;
    for (uint32_t i = 0; i < d->rows.n; i++)
        elements += dump_row_readable(d, i) ? dump_row_numel(d, i) : 0;
    if (elements) {
        struct side_figures *figures = mem_zalloc(d->rows.n * sizeof *figures);
        uint8_t *known = mem_zalloc(d->rows.n);
        pthread_mutex_lock(lock);
        a->figures = figures;
        a->known = known;
        a->elements = elements;
        pthread_mutex_unlock(lock);
    }
    dump_check_run(&c, d, k, workers, watch, elements ? &to : NULL);
    if (atomic_load(&watch->cancel)) {
        dump_check_release(&c);
        return;
    }
    pthread_mutex_lock(lock);
    a->check = c;
    a->done = true;
    pthread_mutex_unlock(lock);
}

void one_side_release(struct one_side *a)
{
    free(a->figures);
    free(a->known);
    if (a->done)
        dump_check_release(&a->check);
    *a = (struct one_side){0};
}

const struct side_figures *one_side_figures(const struct one_side *a, uint32_t row)
{
    return a->known && a->known[row] ? &a->figures[row] : NULL;
}

const struct dump_check_problem *one_side_problems(const struct one_side *a, uint32_t row, size_t *n)
{
    size_t from, all = a->done ? a->check.problems.n : 0;
    const struct dump_check_problem *p = a->check.problems.v;
    *n = 0;
    lower_bound(from, all, p[from].row + 1 < row + 1); /* sorted by row, those without a row first */
    while (from + *n < all && p[from + *n].row == row)
        ++*n;
    return *n ? &p[from] : NULL;
}

bool one_side_wrong(const struct one_side *a, uint32_t row)
{
    size_t n;
    const struct dump_check_problem *p = one_side_problems(a, row, &n);
    for (size_t i = 0; i < n; i++)
        if (!dump_check_is_note(&p[i]))
            return true;
    return false;
}

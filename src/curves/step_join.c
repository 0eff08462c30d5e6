/* Which record of one run is which of the other. Steps are joined by number; a log that prints none by its
 * epochs, else record by record. */
#include "curves/curves.h"

#include <math.h>

#include "base/msg.h"
#include "base/threads.h"

/* Epochs are printed rounded: two are equal within half a unit of the coarser one's last digit. */
static void by_epoch(const struct series *a, const struct series *b, uint32_t *partner)
{
    double digit = fmax(a->digit[LOG_EPOCH], b->digit[LOG_EPOCH]);
    for (size_t i = 0, k = 0; i < a->records.n && k < b->records.n;) {
        double x = a->records.v[i].value[LOG_EPOCH], y = b->records.v[k].value[LOG_EPOCH];
        double room = digit / 2 + 1e-9 * fabs(y);
        if (fabs(x - y) <= room)
            partner[i++] = (uint32_t)k++;
        else if (x < y)
            i++;
        else
            k++;
    }
}

static bool has_epochs(const struct series *s)
{
    for (size_t i = 0; i < s->records.n; i++)
        if (!log_has(&s->records.v[i], LOG_EPOCH) || !isfinite(s->records.v[i].value[LOG_EPOCH]))
            return false;
    return s->records.n;
}

/* Which of the printed records it is: a counted step keeps the place of records that could not be read. */
static int64_t printed_record_place(const struct series *s, size_t i)
{
    return s->stepless && s->records.v[0].step > 0 ? s->records.v[i].step - 1 : (int64_t)i;
}

static int64_t series_step(const struct series *s, size_t i)
{
    return s->records.v[i].step;
}

/* Joins records with equal numbers; the numbers rise on both sides. */
static void by_rising(const struct series *a, const struct series *b,
                      int64_t (*number)(const struct series *s, size_t i), uint32_t *partner)
{
    for (size_t i = 0, k = 0; i < a->records.n && k < b->records.n;) {
        int64_t x = number(a, i), y = number(b, k);
        if (x == y)
            partner[i++] = (uint32_t)k++;
        else if (x < y)
            i++;
        else
            k++;
    }
}

/* partner[i]: the record of b that is a's i-th, or UINT32_MAX. */
static enum curve_join curves_partner(const struct series *a, const struct series *b, uint32_t *partner)
{
    for (size_t i = 0; i < a->records.n; i++)
        partner[i] = UINT32_MAX;
    if (!a->stepless && !b->stepless) {
        by_rising(a, b, series_step, partner);
        return JOIN_STEP;
    }
    if (has_epochs(a) && has_epochs(b)) {
        by_epoch(a, b, partner);
        return JOIN_EPOCH;
    }
    by_rising(a, b, printed_record_place, partner);
    return JOIN_ORDER;
}

bool curve_skipped(const struct log_record *r)
{
    return log_skipped(r) || ((r->has & LOG_HAS_OVERFLOW) && r->overflow);
}

static bool curve_usable(const struct log_record *t, const struct log_record *g)
{
    return log_has(t, LOG_LOSS) && log_has(g, LOG_LOSS) && isfinite(t->value[LOG_LOSS]) &&
           isfinite(g->value[LOG_LOSS]) &&
           !curve_skipped(g);
}

struct log_opening {
    struct curves *c;
    const struct curves *old;
    const char *const *path;
    const struct log_options *o;
    struct err err[CURVE_RUNS];
    bool failed[CURVE_RUNS];
};

static void open_curve_run(void *ctx, size_t i)
{
    struct log_opening *x = ctx;
    x->failed[i] =
        series_open_after(&x->c->run[i], x->old ? &x->old->run[i] : NULL, x->path[i], x->o, &x->err[i]) != 0;
}

bool curves_of_one_step(const struct series *a, const struct series *b)
{
    return a->stepless || b->stepless || a->interval == b->interval ||
           !((a->loss_is_mean && a->interval > 1) || (b->loss_is_mean && b->interval > 1));
}

static void join_curve_steps(struct curves *c)
{
    const struct series *t = &c->run[0], *g = &c->run[1];
    uint32_t *partner = mem_resize_array(NULL, t->records.n + 1, sizeof *partner);
    c->join = curves_partner(t, g, partner);
    bool alike = curves_of_one_step(t, g);
    for (size_t i = 0; i < t->records.n; i++) {
        if (partner[i] == UINT32_MAX)
            continue;
        const struct log_record *a = &t->records.v[i], *b = &g->records.v[partner[i]];
        struct curve_point p =
            {.step = t->stepless ? b->step : a->step, .at = {(uint32_t)i, partner[i]},
             .usable = alike && curve_usable(a, b)};
        if (p.usable) {
            vec_push(&c->usable, (uint32_t)c->points.n);
            vec_push(&c->diff, a->value[LOG_LOSS] - b->value[LOG_LOSS]);
        }
        vec_push(&c->points, p);
    }
    free(partner);
    for (size_t k = 2; k < c->runs; k++) {
        c->golden[k] = mem_resize_array(NULL, g->records.n + 1, sizeof **c->golden);
        curves_partner(g, &c->run[k], c->golden[k]);
    }
}

/* Of one run every record is a point. */
static void list_curve_points(struct curves *c)
{
    const struct series *s = &c->run[0];
    c->diverges_at = c->apart_at = -1;
    for (size_t i = 0; i < s->records.n; i++) {
        struct curve_point p = {.step = s->records.v[i].step, .at = {(uint32_t)i, UINT32_MAX}};
        vec_push(&c->points, p);
    }
}

int curves_open(struct curves *c, const char *const *path, size_t n, const struct log_options *o, struct err *e)
{
    return curves_open_after(c, NULL, path, n, o, e);
}

int curves_open_after(struct curves *c, const struct curves *old, const char *const *path, size_t n,
                      const struct log_options *o, struct err *e)
{
    struct log_opening x = {.c = c, .old = old && old->runs == n ? old : NULL, .path = path, .o = o};
    *c = (struct curves){.runs = n};
    if (n < 1 || n > CURVE_RUNS) {
        c->runs = 0;
        return err_set(e, ERR_USAGE, _("curves: expected 1 to %d runs, found %zu"), CURVE_RUNS, n);
    }
    work_crew_run(NULL, (int)n, n, NULL, open_curve_run, &x);
    for (size_t i = 0; i < n; i++)
        if (x.failed[i]) {
            *e = x.err[i];
            return -1;
        }
    if (o && o->cancel && atomic_load(o->cancel))
        return err_set(e, ERR_CANCEL, "%s", _("interrupted"));
    for (size_t i = 0; i < n; i++)
        if (!c->run[i].records.n && !(n > 1 && curves_of_statistics(&c->run[i])))
            return err_set(e, ERR_DATA, _("%s: expected records with the loss of a step, found local norms only "
                                          "(diverge norms)"), path[i]);
    n > 1 ? join_curve_steps(c) : list_curve_points(c);
    return 0;
}

void curves_release(struct curves *c)
{
    for (size_t i = 0; i < c->runs; i++) {
        series_release(&c->run[i]);
        free(c->golden[i]);
    }
    vec_release(&c->points);
    vec_release(&c->usable);
    vec_release(&c->diff);
    vec_release(&c->metrics);
    vec_release(&c->auxiliary);
    vec_release(&c->statistics.differing);
    vec_release(&c->spikes);
    vec_release(&c->nonfinite);
    vec_release(&c->unread);
    vec_release(&c->warnings);
    vec_release(&c->next);
    arena_release(&c->arena);
    *c = (struct curves){0};
}

/* The first point of this step or a later one; behind the last: there is none. */
static size_t point_from(const struct curves *c, int64_t step)
{
    return c->points.n ? step_from(&c->points.v[0].step, c->points.n, sizeof *c->points.v, step) : 0;
}

size_t curve_point_at(const struct curves *c, int64_t step)
{
    size_t i = point_from(c, step);
    return i < c->points.n && c->points.v[i].step == step ? i : SIZE_MAX;
}

size_t curve_point_near(const struct curves *c, double share)
{
    int64_t first = c->points.v[0].step, last = vec_last(&c->points)->step;
    size_t i = point_from(c, first + (int64_t)(share * (double)(last - first) + 0.5));
    return i < c->points.n ? i : c->points.n - 1;
}

double curve_share(const struct curves *c, int64_t step)
{
    int64_t first = c->points.v[0].step, last = vec_last(&c->points)->step;
    return last > first ? (double)(step - first) / (double)(last - first) : 0;
}

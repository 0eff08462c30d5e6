/* Opens the third run, finds its rows by the golden side's names, and measures its distance from each side. */
#include "measure/third_run.h"

#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "dump/recorded_figures.h"
#include "fmt/find_recordings.h"

static bool dtype_meets(int have, int want)
{
    return have < 0 || want < 0 || have == want;
}

static float figures_error(const struct row *t, const struct row *g)
{
    return t->kind == ROW_TENSOR && g->kind == ROW_TENSOR ? (float)recorded_error(t, g) : NAN;
}

/* Finds for each golden row the third run's row, and its error by recorded figures. */
static void find_rows(struct third_run *c, const struct dump *const side[2])
{
    const struct dump *golden = side[GOLDEN];
    struct buf name = {0};
    c->row_of = mem_alloc((golden->rows.n + 1) * sizeof *c->row_of);
    for (int s = 0; s < 2; s++) {
        c->side_rows[s] = side[s]->rows.n;
        c->error[s] = mem_alloc((side[s]->rows.n + 1) * sizeof *c->error[s]);
        for (size_t r = 0; r < side[s]->rows.n; r++)
            c->error[s][r] = NAN;
    }
    for (uint32_t r = 0; r < golden->rows.n; r++) {
        dump_row_name(golden, r, &name);
        c->row_of[r] = dump_find_row(&c->dump, buf_view(&name));
        if (c->row_of[r] == NONE)
            continue;
        c->rows++;
        if (!(golden->rows.v[r].has & HAS_FILE))
            c->error[GOLDEN][r] = figures_error(&golden->rows.v[r], &c->dump.rows.v[c->row_of[r]]);
    }
    buf_release(&name);
}

int third_run_open(struct third_run *c, struct found_trees *found, const struct dump *const side[2],
                   pthread_mutex_t *lock, struct err *e)
{
    const struct dump *golden = side[GOLDEN];
    const struct place *p = NULL;
    if (found_trees_below(found, c->path, NULL, &c->places, NULL, e))
        return -1;
    for (size_t i = 0; i < c->places.n && !p; i++)
        if (dtype_meets(c->places.v[i].step, golden->step) && dtype_meets(c->places.v[i].rank, golden->rank))
            p = &c->places.v[i];
    if (!p && c->places.n == 1)
        p = &c->places.v[0];
    if (!p)
        return err_set(e, ERR_USAGE, _("%s: no recording of step %d, rank %d, which the golden side uses"), c->path,
                       golden->step, golden->rank);
    place_set(&c->dump, p);
    c->load.lock = lock;
    if (c->dump.reader->open(&c->dump, &c->load, e))
        return -1;
    c->dump.complete = true;
    find_rows(c, side);
    if (!c->rows)
        return err_set(e, ERR_DATA, _("%s: none of the golden rows found in it"), c->path);
    return 0;
}

void third_run_cancel(struct third_run *c)
{
    atomic_store(&c->load.cancel, true);
}

void third_run_release(struct third_run *c)
{
    for (int s = 0; s < 2; s++)
        free(c->error[s]);
    free(c->row_of);
    dump_release(&c->dump);
    *c = (struct third_run){0};
}

void third_run_errors_take(struct third_run_errors *x, const struct third_run *c)
{
    *x = (struct third_run_errors){.of = c->path ? c : NULL, .unread = c->unread, .why = c->why};
    for (int s = 0; s < 2 && c->error[s]; s++) {
        x->error[s] = mem_alloc((c->side_rows[s] + 1) * sizeof *x->error[s]);
        memcpy(x->error[s], c->error[s], c->side_rows[s] * sizeof *x->error[s]);
    }
}

void third_run_errors_release(struct third_run_errors *x)
{
    for (int s = 0; s < 2; s++)
        free(x->error[s]);
    *x = (struct third_run_errors){0};
}

void third_run_join(struct third_run *c, const struct measure *m)
{
    for (size_t i = 0; i < m->lines; i++) {
        const struct line *l = &m->pairing->lines.v[i];
        if (l->row[TARGET] == NONE || l->row[GOLDEN] == NONE || m->state[i] != MEASURE_NONE ||
            c->row_of[l->row[GOLDEN]] == NONE)
            continue;
        c->error[TARGET][l->row[TARGET]] =
            figures_error(&m->side[TARGET]->rows.v[l->row[TARGET]], &c->dump.rows.v[c->row_of[l->row[GOLDEN]]]);
    }
}

/* Compares a side's tensor with the third run's, which has the golden side's layout: through the view that aligns the
 * two sides. */
static int compare_third(struct tensor *x, struct tensor *y, bool target, const struct view *view, const struct kern *k,
                         struct figures_watch *watch, float *out, struct err *e)
{
    struct figures f;
    struct err quiet;
    if (target && view && view_apply(view, view->side == TARGET ? x : y, &quiet))
        return 0;
    if (x->numel != y->numel)
        return 0;
    if (figures_two(k, x, y, &f, watch, e))
        return -1;
    if (f.two)
        *out = (float)figures_judged_error(&f);
    return 0;
}

int third_run_measure(const struct third_run *c, const struct dump *const side[2], const uint32_t row[2],
                      const struct view *view,
                      const struct kern *k, struct figures_watch *watch, bool target, float out[2], struct err *e)
{
    uint32_t r = c->row_of[row[GOLDEN]];
    int rc = 0;
    out[TARGET] = out[GOLDEN] = NAN;
    if (r == NONE || !(c->dump.rows.v[r].has & HAS_FILE))
        return 0;
    for (int s = target ? TARGET : GOLDEN; s < 2 && rc == 0; s++) {
        struct tensor x, y;
        if (dump_tensor(side[s], row[s], &x, e))
            return -1;
        rc = dump_tensor(&c->dump, r, &y, e);
        if (rc == 0) {
            rc = compare_third(&x, &y, s == TARGET, view, k, watch, &out[s], e);
            tensor_close(&y);
        }
        tensor_close(&x);
    }
    return rc;
}

void third_run_post(struct third_run *c, const uint32_t row[2], const float error[2], const struct err *why)
{
    for (int s = 0; s < 2; s++)
        c->error[s][row[s]] = error[s];
    if (why && why->code != ERR_CANCEL && c->unread++ == 0)
        c->why = *why;
}

/* A factor of two is significant: a factor below that may come from the choice of inputs. */
#define CLEARLY 2.0F

enum three_way third_run_three_way(const struct third_run_errors *x, const uint32_t row[2])
{
    if (third_run_nearer(x, row) == -2)
        return THREE_WAY_UNTOLD;
    float t = x->error[TARGET][row[TARGET]], g = x->error[GOLDEN][row[GOLDEN]];
    return t <= THREE_WAY_LIMIT * g ? THREE_WAY_PASS : g > 0 ? THREE_WAY_FAIL : THREE_WAY_UNTOLD;
}

struct three_way_sum third_run_three_way_sum(const struct third_run_errors *x, const struct pairing *p)
{
    struct three_way_sum s = {.first = NONE};
    for (uint32_t i = 0; x->of && i < p->lines.n; i++) {
        if (p->lines.v[i].pair == NONE)
            continue;
        enum three_way v = third_run_three_way(x, p->lines.v[i].row);
        s.pass += v == THREE_WAY_PASS;
        s.untold += v == THREE_WAY_UNTOLD;
        if (v == THREE_WAY_FAIL && s.fail++ == 0)
            s.first = i;
    }
    return s;
}

int third_run_nearer(const struct third_run_errors *x, const uint32_t row[2])
{
    if (!x->error[TARGET] || row[TARGET] == NONE || row[GOLDEN] == NONE)
        return -2;
    float t = x->error[TARGET][row[TARGET]], g = x->error[GOLDEN][row[GOLDEN]];
    if (isnan(t) || isnan(g))
        return -2;
    return t > CLEARLY * g ? GOLDEN : g > CLEARLY * t ? TARGET : -1;
}

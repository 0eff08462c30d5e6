/* Two runs' losses and what lies between them, as dots. */
#include <math.h>

#include "base/mem.h"
#include "base/msg.h"
#include "base/num.h"
#include "ui/pane.h"
#include "ui/plot.h"

#define LABEL_W 13

static void widen(struct plot_span *s, double v)
{
    if (!isfinite(v))
        return;
    s->low = s->n ? fmin(s->low, v) : v;
    s->high = s->n ? fmax(s->high, v) : v;
    s->sum += v;
    s->n++;
}

/* -1: outside of what is shown. */
static int column_of(const struct plot_runs *x, const struct curves *c, int64_t step)
{
    double share = curve_share(c, step);
    return share < x->from || share > x->to ? -1 : (int)((share - x->from) / (x->to - x->from) * (x->n - 1));
}

static void gather(struct plot_runs *x, const struct curves *c)
{
    for (size_t i = 0; i < c->points.n; i++) {
        int at = column_of(x, c, c->points.v[i].step);
        for (int k = 0; k < 2 && at >= 0; k++) {
            const struct log_record *r = curve_record(c, i, k);
            if (!log_has(r, LOG_LOSS))
                continue;
            widen(&x->loss[k][at], r->value[LOG_LOSS]);
            widen(&x->all_loss, r->value[LOG_LOSS]);
        }
    }
    for (size_t i = 0; i < c->diff.n; i++) {
        int at = column_of(x, c, c->points.v[c->usable.v[i]].step);
        if (at < 0)
            continue;
        widen(&x->diff[at], c->diff.v[i]);
        widen(&x->all_diff, c->diff.v[i]);
    }
}

static void spans(struct plot *p, const struct plot_runs *x, const struct plot_span *s)
{
    for (int i = 0; i < x->n; i++)
        if (s[i].n)
            plot_span(p, i, s[i].low, s[i].high, STYLE_DIM);
}

/* The mean of each column's points, joined: the smoothing there is, and none where a column has one. */
static void means(struct plot *p, const struct plot_runs *x, const struct plot_span *s, uint8_t style)
{
    double before = NAN;
    for (int i = 0; i < x->n; i++) {
        if (!s[i].n)
            continue;
        double mean = s[i].sum / s[i].n;
        plot_span(p, i, isnan(before) ? mean : before, mean, style);
        before = mean;
    }
}

static void labels(struct grid *g, struct rect r, const char *what, const struct plot_span *s)
{
    char n[NUM_MAX];
    grid_put(g, r.y, r.x, LABEL_W - 1, STYLE_DIM, what);
    if (!s->n || r.h < 2)
        return;
    grid_right(g, r.y, r.x + 5, LABEL_W - 6, STYLE_DIM, num_cell(n, s->high, 3));
    grid_right(g, r.y + r.h - 1, r.x, LABEL_W - 1, STYLE_DIM, num_cell(n, s->low, 3));
}

/* What both runs print at the step that is read out; its column is marked. */
static void readout(struct grid *g, struct rect r, const struct plot_runs *x, const struct curves *c, size_t i, int at)
{
    char n[3][NUM_MAX];
    const struct log_record *t = curve_record(c, i, 0), *o = curve_record(c, i, 1);
    int column = column_of(x, c, c->points.v[i].step), y = r.y + r.h - 1;
    for (int k = 0; column >= 0 && k < r.h - 1; k++)
        grid_mark(g, r.y + k, r.x + LABEL_W + column / 2, 1, STYLE_CURSOR);
    if (!log_has(t, LOG_LOSS) || !log_has(o, LOG_LOSS))
        grid_fmt(g, y, at, r.w, STYLE_TITLE, _("step %lld: a loss was not printed"), (long long)c->points.v[i].step);
    else
        grid_fmt(g, y, at, r.w, STYLE_TITLE, _("step %lld: %s, %s, apart by %s"), (long long)c->points.v[i].step, num_cell(n[0], t->value[LOG_LOSS], 6),
                    num_cell(n[1], o->value[LOG_LOSS], 6), num_cell(n[2], t->value[LOG_LOSS] - o->value[LOG_LOSS], 3));
}

/* Under the curves: what is whose, the steps, and the step read out or where they part. */
static void legend(struct grid *g, struct rect r, const struct plot_runs *x, const struct curves *c, double share)
{
    char n[2][NUM_MAX];
    int y = r.y + r.h - 1, at = r.x + LABEL_W;
    grid_put(g, y, r.x, LABEL_W - 1, STYLE_DIM, _("step"));
    at += grid_put(g, y, at, 12, STYLE_DIM, num_count(n[0], (unsigned long long)c->points.v[curve_point_near(c, x->from)].step)) + 2;
    at += grid_put(g, y, at, 12, STYLE_DEVIATE, _("target")) + 2;
    at += grid_put(g, y, at, 12, STYLE_SAME_STATS, _("golden")) + 2;
    int64_t parts = c->diverges_at >= 0 ? c->diverges_at : c->apart_at;
    int column = parts >= 0 ? column_of(x, c, parts) : -1;
    if (share >= 0) {
        readout(g, r, x, c, curve_point_near(c, share), at);
        return;
    }
    if (column >= 0) {
        int cell = r.x + LABEL_W + column / 2;
        grid_fmt(g, y, cell > at ? cell : at, r.w, STYLE_FIRST, _("▲ apart at %s"), num_count(n[1], (unsigned long long)parts));
    }
    grid_right(g, y, r.x + r.w - 10, 10, STYLE_DIM, num_count(n[0], (unsigned long long)c->points.v[curve_point_near(c, x->to)].step));
}

void plot_runs_release(struct plot_runs *x)
{
    free(x->loss[0]);
    *x = (struct plot_runs){0};
}

static bool same_part(const struct plot_runs *x, double from, double to)
{
    return !(x->from < from || x->from > from || x->to < to || x->to > to);
}

static void gather_runs(struct plot_runs *x, const struct curves *c, const struct desk *d, int n)
{
    double from = d->plot_from, to = d->plot_to > from ? d->plot_to : 1;
    uint32_t version = d->guide.changes;
    if (x->of == c && x->version == version && x->n == n && same_part(x, from, to))
        return;
    plot_runs_release(x);
    struct plot_span *room = mem_zalloc(sizeof *room * (size_t)n * 3);
    *x = (struct plot_runs){.of = c, .version = version, .n = n, .from = from, .to = to, .loss = {room, room + n}, .diff = room + 2 * n};
    gather(x, c);
    double limit = c->limit[CURVE_MEAN_ABS].limit; /* the limits are always in sight */
    widen(&x->all_diff, limit);
    widen(&x->all_diff, -limit);
}

void draw_curves(struct screen *s, struct rect r, const struct curves *c)
{
    struct grid *g = &s->grid;
    struct plot_runs *x = &s->runs;
    int w = r.w - LABEL_W, upper = (r.h - 1) * 3 / 5, lower = r.h - 1 - upper;
    if (w < 8 || lower < 1 || !c->points.n)
        return;
    struct plot p;
    gather_runs(x, c, &s->desk, w * 2);
    double limit = c->limit[CURVE_MEAN_ABS].limit;
    struct rect top = {r.y, r.x + LABEL_W, upper, w}, bottom = {r.y + upper, r.x + LABEL_W, lower, w};
    plot_init(&p, top, x->all_loss.low, x->all_loss.high);
    spans(&p, x, x->loss[1]);
    spans(&p, x, x->loss[0]);
    means(&p, x, x->loss[1], STYLE_SAME_STATS);
    means(&p, x, x->loss[0], STYLE_DEVIATE);
    plot_draw(&p, g);
    plot_release(&p);
    labels(g, (struct rect){r.y, r.x, upper, LABEL_W}, _("loss"), &x->all_loss);
    plot_init(&p, bottom, x->all_diff.low, x->all_diff.high);
    plot_level(&p, limit, STYLE_DIM);
    plot_level(&p, -limit, STYLE_DIM);
    spans(&p, x, x->diff);
    means(&p, x, x->diff, STYLE_DRIFT);
    plot_draw(&p, g);
    plot_release(&p);
    labels(g, (struct rect){bottom.y, r.x, lower, LABEL_W}, _("apart"), &x->all_diff);
    legend(g, r, x, c, s->desk.plot_at);
}

/* Two runs' losses and what lies between them, as dots. */
#include <math.h>

#include "base/mem.h"
#include "base/msg.h"
#include "base/num.h"
#include "ui/pane.h"
#include "ui/plot.h"

#define LABEL_W 13

/* What the points of one column of dots span. */
struct span {
    double low, high;
    bool any;
};

static void widen(struct span *s, double v)
{
    if (!isfinite(v))
        return;
    s->low = s->any ? fmin(s->low, v) : v;
    s->high = s->any ? fmax(s->high, v) : v;
    s->any = true;
}

struct columns {
    int n;
    struct span *loss[2], *diff;
    struct span all_loss, all_diff;
};

static int column_of(const struct columns *x, const struct curves *c, int64_t step)
{
    int64_t first = c->points.v[0].step, last = vec_last(&c->points)->step;
    return last > first ? (int)((double)(step - first) / (double)(last - first) * (x->n - 1)) : 0;
}

static void gather(struct columns *x, const struct curves *c)
{
    for (size_t i = 0; i < c->points.n; i++) {
        int at = column_of(x, c, c->points.v[i].step);
        for (int k = 0; k < 2; k++) {
            const struct log_record *r = curve_record(c, i, k);
            if (!log_has(r, LOG_LOSS))
                continue;
            widen(&x->loss[k][at], r->value[LOG_LOSS]);
            widen(&x->all_loss, r->value[LOG_LOSS]);
        }
    }
    for (size_t i = 0; i < c->diff.n; i++) {
        int at = column_of(x, c, c->points.v[c->usable.v[i]].step);
        widen(&x->diff[at], c->diff.v[i]);
        widen(&x->all_diff, c->diff.v[i]);
    }
}

static void spans(struct plot *p, const struct columns *x, const struct span *s, uint8_t style)
{
    for (int i = 0; i < x->n; i++)
        if (s[i].any)
            plot_span(p, i, s[i].low, s[i].high, style);
}

static void labels(struct grid *g, struct rect r, const char *what, const struct span *s)
{
    char n[NUM_MAX];
    grid_put(g, r.y, r.x, LABEL_W - 1, STYLE_DIM, what);
    if (!s->any || r.h < 2)
        return;
    grid_right(g, r.y, r.x + 5, LABEL_W - 6, STYLE_DIM, num_cell(n, s->high, 3));
    grid_right(g, r.y + r.h - 1, r.x, LABEL_W - 1, STYLE_DIM, num_cell(n, s->low, 3));
}

/* Under the curves: what is whose, the steps, and where they part. */
static void legend(struct grid *g, struct rect r, const struct columns *x, const struct curves *c)
{
    char n[2][NUM_MAX];
    int y = r.y + r.h - 1;
    grid_fmt(g, y, r.x, LABEL_W - 1, STYLE_DIM, "%s", _("step"));
    int at = r.x + LABEL_W;
    at += grid_put(g, y, at, 12, STYLE_DIM, num_count(n[0], (unsigned long long)c->points.v[0].step)) + 2;
    at += grid_put(g, y, at, 12, STYLE_DEVIATE, _("target")) + 2;
    at += grid_put(g, y, at, 12, STYLE_SAME_STATS, _("golden")) + 2;
    int64_t parts = c->diverges_at >= 0 ? c->diverges_at : c->apart_at;
    if (parts >= 0) {
        int cell = r.x + LABEL_W + column_of(x, c, parts) / 2;
        grid_fmt(g, y, cell > at ? cell : at, r.w, STYLE_FIRST, _("▲ apart at %s"), num_count(n[1], (unsigned long long)parts));
    }
    grid_right(g, y, r.x + r.w - 10, 10, STYLE_DIM, num_count(n[0], (unsigned long long)vec_last(&c->points)->step));
}

void draw_curves(struct grid *g, struct rect r, const struct curves *c)
{
    int w = r.w - LABEL_W, upper = (r.h - 1) * 3 / 5, lower = r.h - 1 - upper;
    if (w < 8 || lower < 1 || !c->points.n)
        return;
    struct columns x = {.n = w * 2};
    struct span *room = mem_zalloc(sizeof *room * (size_t)x.n * 3);
    struct plot p;
    x.loss[0] = room;
    x.loss[1] = room + x.n;
    x.diff = room + 2 * x.n;
    gather(&x, c);
    struct rect top = {r.y, r.x + LABEL_W, upper, w}, bottom = {r.y + upper, r.x + LABEL_W, lower, w};
    plot_init(&p, top, 0, 1, x.all_loss.low, x.all_loss.high);
    spans(&p, &x, x.loss[1], STYLE_SAME_STATS);
    spans(&p, &x, x.loss[0], STYLE_DEVIATE);
    plot_draw(&p, g);
    plot_release(&p);
    labels(g, (struct rect){r.y, r.x, upper, LABEL_W}, _("loss"), &x.all_loss);
    double limit = c->limit[CURVE_MEAN_ABS].limit;
    widen(&x.all_diff, limit); /* the limits are always in sight */
    widen(&x.all_diff, -limit);
    plot_init(&p, bottom, 0, 1, x.all_diff.low, x.all_diff.high);
    plot_level(&p, limit, STYLE_DIM);
    plot_level(&p, -limit, STYLE_DIM);
    spans(&p, &x, x.diff, STYLE_DRIFT);
    plot_draw(&p, g);
    plot_release(&p);
    labels(g, (struct rect){bottom.y, r.x, lower, LABEL_W}, _("apart"), &x.all_diff);
    legend(g, r, &x, c);
    free(room);
}

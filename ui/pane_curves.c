/* Draws two runs' losses and their difference as dots; for one run its loss and its global norm. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"
#include "ui/pane.h"
#include "ui/plot.h"

#define LABEL_W 13
#define END_W 10 /* for the last step's number */

static void widen_plot_span(struct plot_span *s, double v)
{
    if (!isfinite(v))
        return;
    if (!s->n || v < s->low)
        s->low = v;
    if (!s->n || v > s->high)
        s->high = v;
    s->sum += v;
    s->n++;
}

/* -1: outside of what is shown. */
static int step_column(const struct plot_runs *x, int64_t step)
{
    double share = x->span > 0 ? (double)(step - x->first) / x->span : 0;
    return share < x->from || share > x->to ? -1 : (int)((share - x->from) / (x->to - x->from) * (x->n - 1));
}

/* Counts values that can be drawn on the axis; false: this one cannot. */
static bool is_on_axis(const struct plot_runs *x, double v, size_t *out)
{
    if (!x->log || v > 0 || isnan(v))
        return true;
    ++*out;
    return false;
}

/* The record of a run at a point, NULL if a further golden run has none. */
static const struct log_record *run_record_at(const struct curves *c, size_t point, size_t run)
{
    if (run < 2)
        return curve_record(c, point, (int)run);
    uint32_t at = c->golden[run] ? c->golden[run][c->points.v[point].at[1]] : UINT32_MAX;
    return at < c->run[run].records.n ? &c->run[run].records.v[at] : NULL;
}

/* The first usable point at or after this one. */
static size_t usable_from(const struct curves *c, size_t point)
{
    size_t at;
    lower_bound(at, c->usable.n, c->usable.v[at] < point);
    return at;
}

/* The range of all values of a curve, and of those that are no outliers. */
struct extent {
    struct plot_span all, common;
};

static void stretch_extent(struct extent *x, double v, bool out)
{
    widen_plot_span(&x->all, v);
    if (!out)
        widen_plot_span(&x->common, v);
}

#define FLATTENED 2 /* times the others' range: beyond it a few outliers would flatten the other values */

/* The range of the axis: values that would flatten the others are drawn at its edge. */
static struct plot_span axis_range(const struct extent *x)
{
    double all = x->all.high - x->all.low, common = x->common.high - x->common.low;
    return x->common.n && common > 0 && all > FLATTENED * common ? x->common : x->all;
}

static void take_lower_value(struct plot_runs *x, struct extent *e, int at, double v, bool out)
{
    if (!is_on_axis(x, v, &x->out_lower))
        return;
    widen_plot_span(&x->lower[at], v);
    stretch_extent(e, v, out);
}

static int compare_step_with_spike(const void *step, const void *spike)
{
    int64_t a = *(const int64_t *)step, b = ((const struct outlier_step *)spike)->step;
    return (a > b) - (a < b);
}

static bool is_outlier_step(const struct curves *c, int64_t step)
{
    return c->spikes.n && bsearch(&step, c->spikes.v, c->spikes.n, sizeof *c->spikes.v, compare_step_with_spike);
}

/* Only what is shown is processed: a short stretch of a long run costs little. */
static void gather_spans(struct plot_runs *x, const struct curves *c)
{
    size_t from = curve_point_near(c, x->from), to = curve_point_near(c, x->to);
    struct extent loss = {.all.n = 0}, lower = {.all.n = 0};
    bool whole = x->from <= 0 && x->to >= 1; /* zoomed in, outliers are shown */
    from -= from > 0;
    for (size_t i = from; i < c->points.n && i <= to + 1; i++) {
        int at = step_column(x, c->points.v[i].step);
        for (size_t k = 0; k < x->runs && at >= 0; k++) {
            const struct log_record *r = run_record_at(c, i, k);
            if (!r || !log_has(r, LOG_LOSS) || !is_on_axis(x, r->value[LOG_LOSS], &x->out_loss))
                continue;
            widen_plot_span(&x->loss[k][at], r->value[LOG_LOSS]);
            stretch_extent(&loss, r->value[LOG_LOSS], whole && is_outlier_step(c, c->points.v[i].step));
        }
        for (size_t k = 0; k < 2 && k < x->runs && at >= 0 && x->beside != LOG_LR; k++) {
            const struct log_record *r = run_record_at(c, i, k);
            if (!r || !log_has(r, LOG_LR) || !is_on_axis(x, r->value[LOG_LR], &x->out_rate))
                continue;
            widen_plot_span(&x->rate[k][at], r->value[LOG_LR]);
            widen_plot_span(&x->all_rate, r->value[LOG_LR]);
        }
        if (at >= 0 && x->beside >= 0 && log_has(run_record_at(c, i, 0), (enum log_value)x->beside))
            take_lower_value(x, &lower, at, run_record_at(c, i, 0)->value[x->beside], false);
    }
    for (size_t i = usable_from(c, from); i < c->diff.n && c->usable.v[i] <= to + 1; i++) {
        int at = step_column(x, c->points.v[c->usable.v[i]].step);
        if (at >= 0)
            take_lower_value(x, &lower, at, x->log ? fabs(c->diff.v[i]) : c->diff.v[i],
                             whole && is_outlier_step(c, c->points.v[c->usable.v[i]].step));
    }
    x->all_loss = axis_range(&loss);
    x->all_lower = axis_range(&lower);
}

/* Colour and letter of each run. */
static const struct {
    char letter;
    uint8_t style;
} looks[] =
    {{'T', STYLE_DEVIATE}, {'G', STYLE_SAME_STATS}, {'2', STYLE_ONLY}, {'3', STYLE_PROGRESS}, {'4', STYLE_TITLE},
     {'5', STYLE_HIT},     {'6', STYLE_KEY},        {'7', STYLE_DRIFT}};

static uint8_t run_style(size_t run)
{
    return looks[run < ARRAY_LEN(looks) ? run : ARRAY_LEN(looks) - 1].style;
}

static void draw_spans(struct plot *p, const struct plot_runs *x, const struct plot_span *s)
{
    for (int i = 0; i < x->n; i++)
        if (s[i].n)
            plot_span(p, i, s[i].low, s[i].high, STYLE_DIM);
}

/* Draws the mean of each column's points as a line; a column with one point is not smoothed. */
static void draw_means(struct plot *p, const struct plot_runs *x, const struct plot_span *s, uint8_t style)
{
    double before = NAN;
    int from = 0;
    for (int i = 0; i < x->n; i++) {
        if (!s[i].n)
            continue;
        double mean = s[i].sum / s[i].n, each = (mean - before) / (i - from);
        if (isnan(before))
            plot_span(p, i, mean, mean, style);
        for (int k = from + 1; k <= i && !isnan(before); k++) /* fewer points than columns: a line between them */
            plot_span(p, k, before + each * (k - from - 1), before + each * (k - from), style);
        before = mean;
        from = i;
    }
}

static void draw_run_letters(const struct plot *p, struct grid *g, const struct plot_runs *x, size_t run)
{
    int apart = p->at.w / 4 > 12 ? p->at.w / 4 : 12;
    char text[2] = {run < ARRAY_LEN(looks) ? looks[run].letter : '+', 0};
    for (int cell = 3 + 3 * (int)run; cell < p->at.w; cell += apart) {
        const struct plot_span *s = &x->loss[run][2 * cell];
        if (s->n)
            grid_put(g, p->at.y + plot_row(p, s->sum / s->n), p->at.x + cell, 1, run_style(run), text);
    }
}

/* Labels the powers of ten inside a log axis, at most one per line. */
static void label_powers_of_ten(struct grid *g, struct rect r, const struct plot *p)
{
    char n[NUM_MAX];
    int used = r.h - 1;
    for (int e = (int)ceil(log10(p->low)); e <= (int)floor(log10(p->high)); e++) {
        int row = plot_row(p, pow(10, e));
        if (row > 0 && row < used)
            grid_right(g, r.y + row, r.x + 5, LABEL_W - 6, STYLE_DIM, num_cell(n, pow(10, e), 3));
        used = row < used ? row : used;
    }
}

/* The title, the largest and smallest value, and the number of values not drawn. */
static void draw_axis_labels(struct grid *g, struct rect r, const char *what, const struct plot_span *s,
                             const struct plot *p, size_t left_out)
{
    char n[NUM_MAX];
    grid_put(g, r.y, r.x, LABEL_W - 1, STYLE_DIM, what);
    if (left_out) {
        struct buf b = {0};
        buf_fmt(&b, _("values of 0 or less, not drawn: %s"), num_count(n, left_out));
        int w = utf8_cells(buf_view(&b));
        grid_text(g, r.y, p->at.x + (p->at.w > w ? p->at.w - w : 0), p->at.w, STYLE_ONLY, buf_view(&b));
        buf_release(&b);
    }
    if (!s->n || r.h < 2)
        return;
    if (p->log && r.h > 2)
        grid_put(g, r.y + 1, r.x, 4, STYLE_DIM, _("log"));
    if (p->log)
        label_powers_of_ten(g, r, p);
    grid_right(g, r.y, r.x + 5, LABEL_W - 6, STYLE_DIM, num_cell(n, s->high, 3));
    if (s->high > s->low)
        grid_right(g, r.y + r.h - 1, r.x, LABEL_W - 1, STYLE_DIM, num_cell(n, s->low, 3));
}

/* Both runs' values at the selected step; its column is marked. */
static void draw_readout(struct grid *g, struct rect r, const struct plot_runs *x, const struct curves *c, size_t i,
                         int at)
{
    char n[3][NUM_MAX];
    const struct log_record *t = run_record_at(c, i, 0), *o = x->beside < 0 ? run_record_at(c, i, 1) : t;
    int column = step_column(x, c->points.v[i].step), y = r.y + r.h - 1;
    struct buf b = {0};
    for (int k = 0; column >= 0 && k < r.h - 1; k++)
        grid_mark(g, r.y + k, r.x + LABEL_W + column / 2, 1, STYLE_CURSOR);
    buf_fmt(&b, _("step %lld: "), (long long)c->points.v[i].step);
    if (x->beside >= 0 && log_has(t, LOG_LOSS) && log_has(t, (enum log_value)x->beside))
        buf_fmt(&b, "%s, %s %s", num_cell(n[0], t->value[LOG_LOSS], 6), log_value_title((enum log_value)x->beside),
                num_cell(n[1], t->value[x->beside], 6));
    else if (!log_has(t, LOG_LOSS) || !log_has(o, LOG_LOSS))
        buf_cstr(&b, _("loss not printed"));
    else
        buf_fmt(&b, "%s, %s, Δ %s", num_cell(n[0], t->value[LOG_LOSS], 6),
                num_cell(n[1], o->value[LOG_LOSS], 6), num_cell(n[2], t->value[LOG_LOSS] - o->value[LOG_LOSS], 3));
    grid_end(g, y, at, r.x + r.w - END_W - at, STYLE_TITLE, buf_view(&b));
    buf_release(&b);
}

/* Below the curves: the runs, the steps, and the selected step or the step of divergence. */
static void draw_curves_legend(struct grid *g, struct rect r, const struct plot_runs *x, const struct curves *c,
                               double share)
{
    char n[2][NUM_MAX];
    int y = r.y + r.h - 1, at = r.x + LABEL_W;
    grid_put(g, y, r.x, LABEL_W - 1, STYLE_DIM, _("step"));
    at += grid_put(g, y, at, 12, STYLE_DIM,
                   num_count(n[0], (unsigned long long)c->points.v[curve_point_near(c, x->from)].step)) + 2;
    for (size_t k = 0; k < x->runs; k++) {
        at += grid_fmt(g, y, at, 2, run_style(k), "%c ", k < ARRAY_LEN(looks) ? looks[k].letter : '+');
        if (share >= 0 && r.w < 110) /* the selected step needs the room */
            continue;
        at += k < 2 ? grid_put(g, y, at, 12, run_style(k), k == GOLDEN ? _("golden") : _("target"))
                    : grid_fmt(g, y, at, 12, run_style(k), _("golden %zu"), k);
        at += 2;
    }
    grid_right(g, y, r.x + r.w - END_W, END_W, STYLE_DIM,
               num_count(n[0], (unsigned long long)c->points.v[curve_point_near(c, x->to)].step));
    if (share >= 0) {
        draw_readout(g, r, x, c, curve_point_near(c, share), at);
        return;
    }
    int64_t parts = c->diverges_at >= 0 ? c->diverges_at : c->apart_at;
    int column = parts >= 0 ? step_column(x, parts) : -1;
    if (column < 0)
        return;
    struct buf b = {0};
    buf_fmt(&b, _("▲ differ from %s"), num_count(n[1], (unsigned long long)parts));
    int cell = r.x + LABEL_W + column / 2, last = r.x + r.w - END_W - utf8_cells(buf_view(&b)) - 1;
    cell = cell < last ? cell : last; /* it ends before the last step's number */
    grid_text(g, y, cell > at ? cell : at, r.w, STYLE_FIRST, buf_view(&b));
    buf_release(&b);
}

void plot_runs_release(struct plot_runs *x)
{
    free(x->loss[0]);
    *x = (struct plot_runs){0};
}

static bool shows_same_part(const struct plot_runs *x, double from, double to)
{
    return !(x->from < from || x->from > from || x->to < to || x->to > to);
}

static const char *const short_title[LOG_VALUES] =
    {[LOG_NORM] = N_("norm"), [LOG_LR] = N_("rate"), [LOG_SCALE] = N_("scale")};

/* The lower curve of a single run: the first of these that it has. */
static int lower_curve(const struct curves *c)
{
    static const enum log_value order[] = {LOG_NORM, LOG_LR, LOG_SCALE};
    for (size_t k = 0; k < ARRAY_LEN(order) && c->runs < 2; k++)
        for (size_t i = 0; i < c->points.n; i++)
            if (log_has(curve_record(c, i, 0), order[k]))
                return order[k];
    return c->runs < 2 ? LOG_NORM : -1;
}

static void gather_runs(struct plot_runs *x, const struct curves *c, const struct workspace *d, int n)
{
    double from = d->plot.from, to = d->plot.to > from ? d->plot.to : 1;
    uint32_t version = d->guide.changes;
    if (x->of == c && x->version == version && x->n == n && x->log == d->plot.log && shows_same_part(x, from, to))
        return;
    plot_runs_release(x);
    struct plot_span *room = mem_zalloc(sizeof *room * (size_t)n * (c->runs + 3));
    *x = (struct plot_runs){.of = c, .version = version, .n = n, .from = from, .to = to, .log = d->plot.log,
                            .runs = c->runs, .first = c->points.v[0].step,
                            .span = (double)(vec_last(&c->points)->step - c->points.v[0].step),
                            .lower = room + (size_t)n * c->runs, .beside = lower_curve(c)};
    for (size_t k = 0; k < c->runs; k++)
        x->loss[k] = room + (size_t)n * k;
    for (size_t k = 0; k < 2; k++)
        x->rate[k] = room + (size_t)n * (c->runs + 1 + k);
    gather_spans(x, c);
    double limit = c->limit[CURVE_MEAN_ABS].limit; /* the limits are always visible */
    if (x->beside < 0)
        widen_plot_span(&x->all_lower, limit);
    if (x->beside < 0 && !x->log)
        widen_plot_span(&x->all_lower, -limit);
}

static void draw_losses(struct grid *g, struct rect r, struct rect at, const struct plot_runs *x)
{
    struct plot p;
    plot_init(&p, at, x->all_loss.low, x->all_loss.high, x->log);
    for (size_t k = x->runs; k-- > 0;)
        draw_spans(&p, x, x->loss[k]);
    for (size_t k = x->runs; k-- > 0;)
        draw_means(&p, x, x->loss[k], run_style(k));
    plot_draw(&p, g);
    for (size_t k = x->runs; k-- > 0;)
        draw_run_letters(&p, g, x, k);
    draw_axis_labels(g, r, _("loss"), &x->all_loss, &p, x->out_loss);
    plot_release(&p);
}

static void draw_lower(struct grid *g, struct rect r, struct rect at, const struct plot_runs *x, double limit)
{
    struct plot p;
    plot_init(&p, at, x->all_lower.low, x->all_lower.high, x->log);
    if (x->beside < 0) {
        plot_level(&p, limit, STYLE_DIM);
        plot_level(&p, -limit, STYLE_DIM);
    }
    draw_spans(&p, x, x->lower);
    draw_means(&p, x, x->lower, STYLE_DRIFT);
    plot_draw(&p, g);
    draw_axis_labels(g, r, x->beside < 0 ? _("diff") : _(short_title[x->beside]), &x->all_lower, &p, x->out_lower);
    plot_release(&p);
}

/* The learning rates of both sides. */
static void draw_rate(struct grid *g, struct rect r, struct rect at, const struct plot_runs *x)
{
    struct plot p;
    plot_init(&p, at, x->all_rate.low, x->all_rate.high, x->log);
    for (size_t k = x->runs < 2 ? x->runs : 2; k-- > 0;)
        draw_means(&p, x, x->rate[k], run_style(k));
    plot_draw(&p, g);
    draw_axis_labels(g, r, _("rate"), &x->all_rate, &p, x->out_rate);
    plot_release(&p);
}

/* Room for both canvases and the legend. */
static bool enough_room(struct rect r, const struct curves *c)
{
    return r.w - LABEL_W >= 8 && r.h - 1 - (r.h - 1) * 3 / 5 >= 1 && c->points.n;
}

void pane_curves_update(struct screen *s, struct rect r, const struct curves *c)
{
    if (enough_room(r, c))
        gather_runs(&s->runs, c, &s->work, (r.w - LABEL_W) * 2);
}

void pane_curves_draw(const struct screen *s, struct grid *g, struct rect r, const struct curves *c)
{
    const struct plot_runs *x = &s->runs;
    int w = r.w - LABEL_W, rate = x->all_rate.n && r.h >= 7 ? r.h / 4 > 2 ? r.h / 4 : 2 : 0, room = r.h - 1 - rate;
    int upper = room * 3 / 5, lower = room - upper;
    if (!enough_room(r, c))
        return;
    if (rate)
        draw_rate(g, (struct rect){r.y + room, r.x, rate, LABEL_W},
                  (struct rect){r.y + room, r.x + LABEL_W, rate, w}, x);
    draw_losses(g, (struct rect){r.y, r.x, upper, LABEL_W}, (struct rect){r.y, r.x + LABEL_W, upper, w}, x);
    draw_lower(g, (struct rect){r.y + upper, r.x, lower, LABEL_W},
               (struct rect){r.y + upper, r.x + LABEL_W, lower, w}, x,
               c->limit[CURVE_MEAN_ABS].limit);
    draw_curves_legend(g, r, x, c, s->work.plot.at);
}

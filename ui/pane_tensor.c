/* Shows the tensors of a row: heat maps of any two axes, the element under the cursor, the worst ones, distributions
 * of values and errors, the error along each axis, non-finite elements. Draws the data that measure/tensor_reader has
 * so far and requests the rest. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"
#include "ui/pane.h"
#include "ui/tensor_numbers.h"

#define LABEL_W 8
#define FOUR_DECADES 4

struct plate {
    const struct screen *s;
    struct grid *g;
    const struct tensor_view *tensor;
    const struct element_lens *l;
    const struct tensor_stats *t;
    struct rect r;
    const struct tensor_layout *lay;
    bool two;
    int y; /* the next line below the maps */
};

/* ---- words ---- */

static void share_text(uint64_t part, uint64_t all, struct buf *out)
{
    char n[NUM_MAX];
    buf_fmt(out, "%s %%", num_cell(n, all ? floor((double)part / (double)all * 1e4) / 100 : 0, 4));
}

static const char *heat_map_title(enum heat_map_kind k, bool numbers)
{
    switch (k) {
    case HEAT_MAP_TARGET:
        return numbers ? _("target") : _("target, |t|");
    case HEAT_MAP_GOLDEN:
        return numbers ? _("golden") : _("golden, |g|");
    default:
        return _("error |t-g|");
    }
}

/* Name, shape, axes, and the positions of the axes not shown. */
static void draw_tensor_head(struct plate *p)
{
    const struct tensor_view *s = p->tensor;
    const struct workspace *d = &p->s->work;
    struct buf name[2] = {{0}, {0}}, right = {0};
    int y = p->r.y, used, slider_x = -1, slider_w = 0;
    workspace_names(d, d->cursor, name);
    buf_char(&right, '[');
    for (int i = 0; i < p->l->ndim; i++)
        buf_fmt(&right, i ? ", %lld" : "%lld", (long long)p->l->shape[i]);
    buf_cstr(&right, "]  ");
    if (s->axis[0] >= 0)
        buf_fmt(&right, _("rows %d  "), s->axis[0]);
    buf_fmt(&right, _("columns %d  "), s->axis[1]);
    if (s->slider >= 0) {
        buf_cstr(&right, _("at"));
        for (int i = 0; i < p->l->ndim; i++) {
            bool shown = i == s->axis[0] || i == s->axis[1];
            char n[NUM_MAX];
            snprintf(n, sizeof n, "%lld", (long long)s->at[i]);
            if (i == s->slider) {
                slider_x = utf8_cells(buf_view(&right)) + 1;
                slider_w = (int)strlen(n);
            }
            buf_fmt(&right, " %s", shown ? "·" : n);
        }
        buf_char(&right, ' ');
    }
    int w = utf8_cells(buf_view(&right)), room = p->r.w - w - 3;
    bool golden = s->of == TENSOR_VIEW_ALONE && !p->l->has[0];
    used = room >= 12 ? room : 0;
    if (used)
        grid_middle(p->g, y, p->r.x + 1, used, STYLE_FOCUS, buf_view(&name[golden || !name[0].n]));
    grid_text(p->g, y, p->r.x + 1 + (used ? used + 2 : 0), p->r.w - 1, STYLE_TITLE, buf_view(&right));
    if (slider_x >= 0)
        grid_mark(p->g, y, p->r.x + 1 + (used ? used + 2 : 0) + slider_x, slider_w, STYLE_UNDER);
    buf_release(&name[0]);
    buf_release(&name[1]);
    buf_release(&right);
}

/* ---- maps ---- */

/* The value of the darkest shade: the row's largest value if known, so that sliding keeps the scale. */
static double darkest_value(const struct plate *p, const struct heat_map *h, enum heat_map_kind k)
{
    const struct comparison *x = p->s->work.c;
    double most = h ? h->most[k] : 0;
    if (k == HEAT_MAP_ERROR)
        return p->two && p->t->worsts ? fmax(most, p->t->worst[0].error) : most;
    const struct figures *f = p->two ? measure_figures(&x->measure, p->s->work.cursor) : NULL;
    if (f)
        most = fmax(most, fmax(isfinite(f->side[k - 1].max) ? fabs(f->side[k - 1].max) : 0,
                               isfinite(f->side[k - 1].min) ? fabs(f->side[k - 1].min) : 0));
    return most;
}

/* 0: zero; 1 … levels by powers of ten below the scale (the lowest takes what is smaller), or by equal steps. */
static int shade_level(double v, double scale, int levels, bool linear)
{
    v = fmin(fabs(v), DBL_MAX); /* a difference of finite doubles may be beyond them */
    scale = fmin(scale, DBL_MAX);
    if (v == 0 || !(scale > 0))
        return 0;
    int n = linear ? (int)ceil(v / scale * levels)
                   : (int)ceil((log10(v / scale) + FOUR_DECADES) * levels / FOUR_DECADES);
    return n < 1 ? 1 : n > levels ? levels : n;
}

/* Distinguishes NaN from an infinite value; for a difference, whether a side is NaN. */
static const char *odd_glyph(const struct heat_map_cell *c, enum heat_map_kind k, bool ascii)
{
    bool nan = isnan(c->value[k]) ||
               (k == HEAT_MAP_ERROR && (isnan(c->value[HEAT_MAP_TARGET]) || isnan(c->value[HEAT_MAP_GOLDEN])));
    return nan ? "N" : ascii ? "I" : "∞";
}

static void draw_map(struct plate *p, const struct heat_map *h, enum heat_map_kind k, struct rect r, double scale)
{
    static const char *const shades[2][5] = {{" ", "░", "▒", "▓", "█"}, {" ", ".", ":", "*", "#"}};
    const struct tensor_view *s = p->tensor;
    bool ascii = p->g->ascii;
    for (int y = 0; y < h->h && y < r.h; y++)
        for (int x = 0; x < h->w && x < r.w; x++) {
            const struct heat_map_cell *c = &h->cell[y * h->w + x];
            if (!c->seen)
                grid_put(p->g, r.y + y, r.x + x, 1, STYLE_DIM, ascii ? "?" : "·");
            else if (c->odd[k])
                grid_put(p->g, r.y + y, r.x + x, 1, STYLE_NONFINITE, odd_glyph(c, k, ascii));
            else
                grid_put(p->g, r.y + y, r.x + x, 1, STYLE_TEXT,
                         shades[ascii][shade_level(c->value[k], scale, 4, s->linear[k != HEAT_MAP_ERROR])]);
        }
    int64_t row = s->axis[0] >= 0 ? s->at[s->axis[0]] : 0, column = s->at[s->axis[1]];
    grid_mark(p->g, r.y + (int)((row - h->ask.from[0]) / h->ask.size[0]),
              r.x + (int)((column - h->ask.from[1]) / h->ask.size[1]), 1, STYLE_CURSOR);
}

static void draw_numbers(struct plate *p, const struct heat_map *h, enum heat_map_kind k, struct rect r, double scale)
{
    const struct tensor_view *s = p->tensor;
    const int64_t cursor[2] = {(s->axis[0] >= 0 ? s->at[s->axis[0]] : 0) - h->ask.from[0],
                               s->at[s->axis[1]] - h->ask.from[1]};
    int used = h->w * TENSOR_NUMBER_W + 1;
    tensor_numbers_draw(p->g, h, k, r, cursor);
    if (r.w - used >= h->w) /* the shades beside them */
        draw_map(p, h, k, (struct rect){r.y, r.x + used, r.h, h->w}, scale);
}

/* "1e-6 ░▒▓█ 0.01": the smallest value of the lightest shade and the value of the darkest. */
static void put_map_legend(const struct plate *p, enum heat_map_kind k, double scale, struct buf *out)
{
    char a[NUM_MAX], b[NUM_MAX];
    if (scale > 0)
        buf_fmt(out, "%s %s %s", num_cell(a, p->tensor->linear[k != HEAT_MAP_ERROR] ? 0 : scale / 1e4, 2),
                p->g->ascii ? ".:*#" : "░▒▓█", num_cell(b, scale, 2));
    else if (k == HEAT_MAP_ERROR ? p->t->unlike : p->t->nan[k - 1] + p->t->inf[k - 1])
        buf_cstr(out, _("not finite"));
    else
        buf_cstr(out, k == HEAT_MAP_ERROR ? _("no difference") : _("all zero"));
}

static void map_title(struct plate *p, enum heat_map_kind k, int y, int x, int w, double scale)
{
    bool here = k == tensor_view_kind(p->tensor);
    int used = grid_put(p->g, y, x, w, here ? STYLE_FOCUS : STYLE_TITLE,
                        heat_map_title(k, p->lay->numbers));
    if (p->lay->numbers) /* numbers need no legend */
        return;
    struct buf t = {0};
    put_map_legend(p, k, scale, &t);
    if (w - used > utf8_cells(buf_view(&t)) + 1)
        grid_text(p->g, y, x + used + 2, w - used - 2, STYLE_DIM, buf_view(&t));
    buf_release(&t);
}

static void row_numbers(struct plate *p, const struct heat_map *heat, int y)
{
    for (int i = 0; i < heat->h; i++)
        grid_fmt(p->g, y + i, p->r.x + 1, LABEL_W - 1, STYLE_DIM, "%6lld",
                 (long long)(heat->ask.from[0] + i * heat->ask.size[0]));
}

/* Draws maps side by side if they fit, numbers one below the other, otherwise only the selected map. */
static void draw_maps(struct plate *p)
{
    const struct tensor_view *s = p->tensor;
    int maps = p->lay->maps, w = p->lay->map_w, h = p->lay->map_h;
    const struct heat_map *heat = tensor_reader_heat(&s->reader);
    for (int i = 0; i < maps; i++) {
        enum heat_map_kind k = maps == 3 ? (enum heat_map_kind)i : tensor_view_kind(s);
        double scale = darkest_value(p, heat, k);
        int x = p->r.x + LABEL_W + (p->lay->stacked ? 0 : i * (w + 2)),
            y = p->r.y + 1 + (p->lay->stacked ? i * (h + 1) : 0);
        map_title(p, k, y, x, w, scale);
        struct rect at = {y + 1, x, h, w};
        if (heat && (p->lay->stacked || i == 0))
            row_numbers(p, heat, y + 1);
        if (heat && p->lay->numbers && heat->ask.size[0] == 1 && heat->ask.size[1] == 1)
            draw_numbers(p, heat, k, at, scale);
        else if (heat)
            draw_map(p, heat, k, at, scale);
    }
}

/* How the cells were aggregated, and the fraction read so far. */
static void cells_line(struct plate *p)
{
    const struct tensor_view *s = p->tensor;
    const struct heat_map *h = tensor_reader_heat(&p->tensor->reader);
    struct buf b = {0};
    if (!h || !heat_map_complete(h)) {
        buf_cstr(&b, _("sampled "));
        share_text(h ? h->read : 0, h ? h->numel : 1, &b);
        buf_cstr(&b, _("; "));
    }
    if (!tally_complete(p->t)) {
        buf_cstr(&b, _("of the whole tensor "));
        share_text(p->t->read, p->t->numel, &b);
        buf_cstr(&b, _("; "));
    }
    if (s->size[0] > 1 || s->size[1] > 1)
        buf_fmt(&b, _("cell: extreme value of %lld × %lld elements"), (long long)s->size[0], (long long)s->size[1]);
    else
        buf_cstr(&b, _("cell: one element"));
    if (p->two && p->r.w < 100 && !p->lay->numbers) { /* titles of three maps have no room for it */
        buf_fmt(&b, "%s%s ", _("; "), heat_map_title(tensor_view_kind(s), false));
        put_map_legend(p, tensor_view_kind(s), darkest_value(p, h, tensor_view_kind(s)), &b);
    }
    if (h)
        buf_fmt(&b, _("; columns %lld to %lld"), (long long)h->ask.from[1],
                (long long)(h->ask.from[1] + h->ask.count[1] - 1));
    grid_text(p->g, p->y++, p->r.x + 1, p->r.w - 1,
              h && heat_map_complete(h) && tally_complete(p->t) ? STYLE_DIM : STYLE_PROGRESS, buf_view(&b));
    buf_release(&b);
}

/* ---- elements ---- */

static void error_text(const struct plate *p, const double v[2], struct buf *out)
{
    char n[2][NUM_MAX];
    bool alike = (isnan(v[0]) && isnan(v[1])) || v[0] == v[1];
    double ulp = alike ? 0 : element_lens_ulp(p->l, v[0], v[1]);
    if (!p->two)
        return;
    buf_fmt(out, "  Δ %s", num_cell(n[0], alike ? 0 : fabs(v[0] - v[1]), 4));
    if (isfinite(ulp) && dtype_is_float(p->l->coarser))
        buf_fmt(out, "  ULP %s",
                ulp >= 1 && ulp < 1e15 ? num_count(n[1], (unsigned long long)(ulp + 0.5)) : num_cell(n[1], ulp, 2));
}

static void cursor_line(struct plate *p)
{
    uint64_t at = element_lens_index(p->l, p->tensor->at);
    const struct element_lens_element *x = tensor_reader_element(&p->tensor->reader, at);
    struct buf b = {0};
    element_lens_place_text(p->l, at, &b);
    for (int d = 0; d < 2 && x; d++)
        if (p->l->has[d]) {
            buf_fmt(&b, "  %s ", p->r.w < 60 ? (d ? "g" : "t") : d ? _("golden") : _("target"));
            element_lens_text(p->l, d, x, &b);
        }
    if (x)
        error_text(p, x->v, &b);
    else
        buf_cstr(&b, " …");
    grid_put(p->g, p->y, p->r.x + 1, LABEL_W - 1, STYLE_TITLE, _("here"));
    grid_text(p->g, p->y++, p->r.x + LABEL_W, p->r.w - LABEL_W, STYLE_TEXT, buf_view(&b));
    buf_release(&b);
}

static void worst_lines(struct plate *p, int most)
{
    char n[2][NUM_MAX];
    if (!p->t->worsts)
        return;
    grid_put(p->g, p->y, p->r.x + 1, LABEL_W - 1, STYLE_TITLE, p->two ? _("worst") : _("peak"));
    for (int i = 0; i < most && i < p->t->worsts; i++) {
        const struct tensor_stats_place *q = &p->t->worst[i];
        struct buf b = {0};
        element_lens_place_text(p->l, q->at, &b);
        if (p->two)
            buf_fmt(&b, "  t %s  g %s", num_cell(n[0], q->v[0], 7), num_cell(n[1], q->v[1], 7));
        else
            buf_fmt(&b, "  %s", num_cell(n[0], q->v[p->l->has[1]], 9));
        error_text(p, q->v, &b);
        grid_text(p->g, p->y++, p->r.x + LABEL_W, p->r.w - LABEL_W, STYLE_TEXT, buf_view(&b));
        buf_release(&b);
    }
}

static void draw_odd_elements(struct plate *p)
{
    struct buf b = {0};
    const struct tensor_stats *t = p->t;
    char n[2][NUM_MAX];
    for (int d = 0; d < 2; d++)
        if (t->nan[d] + t->inf[d])
            buf_fmt(&b, _("%s %s NaN, %s Inf  "), d ? _("golden") : _("target"), num_count(n[0], t->nan[d]),
                    num_count(n[1], t->inf[d]));
    if (!b.n)
        return;
    buf_cstr(&b, _("at "));
    for (int i = 0; i < t->odds && i < 8; i++) {
        buf_cstr(&b, i ? " " : "");
        element_lens_place_text(p->l, t->odd[i].at, &b);
    }
    if (t->odds > 8)
        buf_cstr(&b, " …");
    grid_put(p->g, p->y, p->r.x + 1, LABEL_W - 1, STYLE_TITLE, "NaN");
    grid_text(p->g, p->y++, p->r.x + LABEL_W, p->r.w - LABEL_W, STYLE_NONFINITE, buf_view(&b));
    buf_release(&b);
}

/* ---- spreads ---- */

static const char *const bars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

/* Bars of counts on a logarithmic scale, so that one element among a million is visible. */
static int draw_bars(struct plate *p, int x, const uint64_t *count, int n)
{
    uint64_t most = 0;
    for (int i = 0; i < n; i++)
        most = count[i] > most ? count[i] : most;
    for (int i = 0; i < n; i++) {
        int h = count[i] ? (int)ceil(8 * log1p((double)count[i]) / log1p((double)most)) : 0;
        grid_put(p->g, p->y, x + i, 1, STYLE_TEXT, bars[h < 0 ? 0 : h > 8 ? 8 : h]);
    }
    return n;
}

/* Magnitudes by powers of two, several per bar if necessary. */
static int draw_spread(struct plate *p, int x, const uint64_t bins[TENSOR_STATS_SPREAD], int room)
{
    uint64_t bar[64] = {0};
    char n[NUM_MAX];
    int low, high, from = x;
    room = room > 64 ? 64 : room;
    if (room < 4 || !tensor_stats_span(bins, &low, &high))
        return 0;
    int each = (high - low) / room + 1, count = (high - low) / each + 1;
    for (int i = low; i <= high; i++)
        bar[(i - low) / each] += bins[i];
    x += grid_put(p->g, p->y, x, NUM_MAX, STYLE_DIM, num_cell(n, ldexp(1, low - TENSOR_STATS_UNIT), 2)) + 1;
    x += draw_bars(p, x, bar, count) + 1;
    x += grid_put(p->g, p->y, x, NUM_MAX, STYLE_DIM, num_cell(n, ldexp(1, high + 1 - TENSOR_STATS_UNIT), 2));
    return x - from;
}

static void error_lines(struct plate *p)
{
    const struct tensor_stats *t = p->t;
    struct buf b = {0};
    if (!p->two || !t->read)
        return;
    int room = p->r.w - LABEL_W - 48 > 8 ? p->r.w - LABEL_W - 48 : p->r.w - LABEL_W - 14;
    grid_put(p->g, p->y, p->r.x + 1, LABEL_W - 1, STYLE_TITLE, _("errors"));
    int used = draw_spread(p, p->r.x + LABEL_W, t->errors, room);
    buf_cstr(&b, _("equal "));
    share_text(t->equal, t->read, &b);
    buf_cstr(&b, _("   relative below 1e-3: "));
    share_text(t->thousandth, t->read, &b);
    grid_text(p->g, p->y++, p->r.x + LABEL_W + used + (used ? 3 : 0), p->r.w, STYLE_TEXT, buf_view(&b));
    buf_release(&b);
    if (!used || !dtype_is_float(p->l->coarser))
        return;
    grid_put(p->g, p->y, p->r.x + 1, LABEL_W - 1, STYLE_TITLE, "ULP");
    used = draw_spread(p, p->r.x + LABEL_W, t->ulps, room);
    grid_fmt(p->g, p->y++, p->r.x + LABEL_W + used + 3, p->r.w, STYLE_DIM, _("of %s"), dtype_table[p->l->coarser].name);
}

#define OCTAVES 16

/* Values of both signs: from the farthest below zero over the small ones in the middle to the farthest above. */
static void value_line(struct plate *p, int d)
{
    const struct tensor_stats *t = p->t;
    uint64_t bar[2 * OCTAVES + 1] = {0};
    int low, high[2], top;
    char n[NUM_MAX];
    bool any[2];
    for (int k = 0; k < 2; k++)
        any[k] = tensor_stats_span(t->values[d][k], &low, &high[k]);
    top = high[0] > high[1] ? high[0] : high[1];
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < TENSOR_STATS_SPREAD; i++) {
            int away = top - i; /* octaves below the farthest */
            int at = i == 0 || away >= OCTAVES ? OCTAVES : k ? away : 2 * OCTAVES - away;
            if (i <= top)
                bar[at] += t->values[d][k][i];
        }
    int from = any[1] ? 0 : OCTAVES, end = any[0] ? 2 * OCTAVES + 1 : OCTAVES + 1, x = p->r.x + LABEL_W;
    grid_put(p->g, p->y, p->r.x + 1, LABEL_W - 1, STYLE_TITLE, d ? _("golden") : _("target"));
    double far = top ? ldexp(1, top + 1 - TENSOR_STATS_UNIT) : 0;
    if (!top && t->nan[d] + t->inf[d] == t->read) {
        grid_put(p->g, p->y++, x, p->r.w, STYLE_NONFINITE, _("no value is finite"));
        return;
    }
    x += grid_put(p->g, p->y, x, NUM_MAX, STYLE_DIM, num_cell(n, any[1] ? -far : 0, 3)) + 1;
    x += draw_bars(p, x, bar + from, end - from) + 1;
    x += grid_put(p->g, p->y, x, NUM_MAX, STYLE_DIM, num_cell(n, any[0] ? far : 0, 3)) + 3;
    struct buf b = {0};
    buf_fmt(&b, "%s   ", dtype_table[p->l->t[d].dtype].name);
    buf_cstr(&b, _("zero "));
    share_text(t->values[d][0][0] + t->values[d][1][0], t->read, &b);
    grid_text(p->g, p->y++, x, p->r.w, STYLE_TEXT, buf_view(&b));
    buf_release(&b);
}

/* The error along an axis, the largest of all elements with that index. */
static void draw_axis_strip(struct plate *p, int axis)
{
    const struct tensor_stats_strip *s = &p->t->strip[axis];
    double most = 0;
    int w = p->r.w - LABEL_W - 9 < s->bins ? p->r.w - LABEL_W - 9 : s->bins;
    for (int i = 0; i < s->bins; i++)
        most = isfinite(s->worst[i]) && s->worst[i] > most ? s->worst[i] : most;
    grid_fmt(p->g, p->y, p->r.x + 1, LABEL_W - 1, STYLE_TITLE, _("axis %d"), axis);
    grid_fmt(p->g, p->y, p->r.x + LABEL_W, 8, STYLE_DIM, "%lld", (long long)p->l->shape[axis]);
    for (int x = 0; x < w; x++) {
        double worst = 0;
        bool seen = false;
        for (int i = x * s->bins / w; i < (x + 1) * s->bins / w; i++) {
            seen = seen || s->seen[i];
            worst = s->worst[i] > worst ? s->worst[i] : worst;
        }
        grid_put(p->g, p->y, p->r.x + LABEL_W + 8 + x, 1,
                 !seen ? STYLE_DIM : isinf(worst) ? STYLE_NONFINITE : STYLE_TEXT,
                 !seen ? "·" : isinf(worst) ? "∞" : bars[shade_level(worst, most, 8, p->tensor->linear[!p->two])]);
    }
    p->y++;
}

/* ---- the whole ---- */

/* The lines of the map: h and those that the list of worst elements gives up, none of them empty. */
static int fit_map_height(const struct tensor_view *s, int64_t rows, int h, int *worst)
{
    for (; *worst > 1 && h >= 4 && h < rows && rows <= 16; --*worst) /* small planes whole, one row per line */
        h++;
    h = h < 1 ? 1 : h > rows ? (int)rows : h;
    if (!s->magnified) { /* no empty lines */
        int64_t size = (rows + h - 1) / h;
        h = (int)((rows + size - 1) / size);
    }
    return h;
}

/* Whether the plane is shown as numbers: as chosen, otherwise if all of it has room. */
static bool shows_numbers(const struct tensor_view *s, int64_t rows, int64_t columns, int h, int width)
{
    bool small = rows <= h && rows <= TENSOR_NUMBERS_SMALL && columns <= TENSOR_NUMBERS_SMALL &&
                 columns <= tensor_numbers_across(width) && !s->magnified;
    return s->numbers > 0 || (s->numbers == 0 && small);
}

/* The distribution of the pane's lines, and the number of maps side by side. */
static struct tensor_layout lay_out_tensor(const struct tensor_view *s, struct rect r)
{
    const struct element_lens *l = &s->reader.lens;
    bool two = l->has[0] && l->has[1];
    int strips = 0, lines = r.h - 2, sides = two ? 2 : 1, odd = s->reader.tally.odds > 0;
    for (int i = 0; i < l->ndim; i++)
        strips += l->shape[i] > 1;
    int64_t rows = s->axis[0] >= 0 ? l->shape[s->axis[0]] : 1, columns = l->shape[s->axis[1]];
    int must = 2 + odd, spread = sides + (two ? 2 : 0), worst = lines >= 28 ? 8 : lines >= 14 ? 3 : 1;
    if (strips > lines / 5)
        strips = lines / 5;
    if (lines - must - spread - strips - worst < 4)
        strips = 0;
    if (lines - must - spread - worst < 4)
        spread = 0;
    int h = fit_map_height(s, rows, lines - must - spread - strips - worst, &worst);
    int room = lines - h - must - spread - strips, third = (r.w - LABEL_W - 5) / 3, whole = r.w - LABEL_W - 1;
    bool numbers = shows_numbers(s, rows, columns, h, whole);
    int across = columns < TENSOR_NUMBERS_SMALL ? (int)columns : TENSOR_NUMBERS_SMALL;
    bool all = two && (numbers ? tensor_numbers_across(third) >= across : third >= (columns < 24 ? columns : 24));
    int below = 2 * (h + 1); /* both sides' numbers below the difference, where they have room nowhere else */
    bool stacked = two && numbers && !all && rows <= h && lines - h - must - below >= 1;
    if (stacked) {
        room -= below;
        if (room < worst) {
            room += strips;
            strips = 0;
        }
        if (room < 1) {
            room += spread;
            spread = 0;
        }
    }
    return (struct tensor_layout){.map_h = h, .maps = all || stacked ? 3 : 1, .map_w = all ? third : whole,
                                  .numbers = numbers, .stacked = stacked, .worst = room < 1 ? 1 : room,
                                  .spread = spread > 0, .strips = strips};
}

static void pane_tensor_update(struct screen *s, struct rect r)
{
    struct tensor_view *x = &s->work.tensor;
    struct heat_map_ask plane;
    tensor_reader_lock(&x->reader);
    if (tensor_view_ready(&s->work) == TENSOR_READER_OPEN) {
        s->tensor = lay_out_tensor(x, r);
        x->single = s->tensor.numbers;
        tensor_view_ask(x, s->tensor.map_h,
                        x->single ? tensor_numbers_across(s->tensor.map_w) : s->tensor.map_w, &plane);
        tensor_reader_ask(&x->reader, &plane, element_lens_index(&x->reader.lens, x->at));
    }
    tensor_reader_unlock(&x->reader);
}

static void draw_open(struct plate *p)
{
    int strips = p->lay->strips;
    draw_tensor_head(p);
    draw_maps(p);
    p->y = p->r.y + 2 + p->lay->map_h + (p->lay->stacked ? 2 * (p->lay->map_h + 1) : 0);
    cells_line(p);
    cursor_line(p);
    worst_lines(p, p->lay->worst);
    if (p->t->odds)
        draw_odd_elements(p);
    if (p->lay->spread) {
        error_lines(p);
        for (int d = 0; d < 2; d++)
            if (p->l->has[d])
                value_line(p, d);
    }
    for (int i = 0; i < p->l->ndim && strips; i++)
        if (p->l->shape[i] > 1) {
            draw_axis_strip(p, i);
            strips--;
        }
}

static void draw_tensor_notice(struct grid *g, struct rect r, uint8_t style, const char *text)
{
    int y = 1, skip = 0;
    grid_wrap(g, (struct rect){r.y, r.x + 1, r.h, r.w - 2}, &y, &skip, style, str_of(text));
}

static void pane_tensor_draw(const struct screen *s, struct grid *g, struct rect r)
{
    const struct tensor_view *x = &s->work.tensor;
    struct plate p =
        {.s = s, .g = g, .tensor = x, .lay = &s->tensor, .l = &x->reader.lens, .t = &x->reader.tally, .r = r};
    if (x->of == TENSOR_VIEW_NOTHING) {
        draw_tensor_notice(
            g, r, STYLE_DIM,
            _("No tensor was recorded for this row. e and E go to deviating rows, q returns to the table."));
        return;
    }
    if (x->of == TENSOR_VIEW_PENDING) {
        draw_tensor_notice(g, r, STYLE_DIM,
                           _("The shapes of the two sides differ; the matching order of axes is shown after the "
                             "comparison."));
        return;
    }
    tensor_reader_lock(&x->reader);
    switch (tensor_view_state(x)) {
    case TENSOR_READER_OPEN:
        p.two = p.l->has[0] && p.l->has[1];
        draw_open(&p);
        break;
    case TENSOR_READER_FAILED:
        draw_tensor_notice(g, r, STYLE_ERROR, x->reader.err.text);
        break;
    default:
        draw_tensor_notice(g, r, STYLE_DIM, _("opening …"));
        break;
    }
    tensor_reader_unlock(&x->reader);
}

static const struct hint hints[] = {
    {"cells down", N_("move")}, {"axes next", N_("axes")}, {"slide +1", N_("slide")}, {"worst next", N_("worst")}, {"nonfinite next", N_("NaN")},
    {"map", N_("diff/target/golden")}, {"numbers", N_("numbers")},
    {"copy-region", N_("copy")}, {"log", N_("log")}, {"magnify in", N_("zoom in")}, {"help", N_("help")}, {"back", N_("back")}, {0},
};

const struct pane_ops pane_tensor = {"tensor", pane_tensor_update, pane_tensor_draw, hints};

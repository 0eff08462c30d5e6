/* Shows all ranks of a job by call: the strip, the content under its cursor, and findings. If there are more ranks or
 * calls than cells, a cell shows the worst of its neighbours, so that a bad one is always visible. */
#include <math.h>
#include <stdio.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"
#include "compare/job_text.h"
#include "judge/verdict_text.h"
#include "ui/pane.h"

static uint8_t sign_style(enum strip_sign s)
{
    static const uint8_t style[STRIP_SIGNS] = {
        [STRIP_NOTHING] = STYLE_TEXT,    [STRIP_NO_PARTNER] = STYLE_SKIP,
        [STRIP_MATCH] = STYLE_TEXT,      [STRIP_SAME_FIGURES] = STYLE_SAME_STATS,
        [STRIP_WAITS] = STYLE_DIM,       [STRIP_UNREAD] = STYLE_ERROR,
        [STRIP_DRIFT] = STYLE_DRIFT,     [STRIP_OTHER_FIGURES] = STYLE_DRIFT,
        [STRIP_INHERITED] = STYLE_DIM,
        [STRIP_BESIDE] = STYLE_DEVIATE,  [STRIP_SHAPE] = STYLE_DEVIATE,
        [STRIP_DEVIATE] = STYLE_DEVIATE, [STRIP_NONFINITE] = STYLE_NONFINITE,
    };
    return style[s];
}

/* ---- the lines ---- */

struct ranks_layout {
    struct rect info, steps, mark, strip, under, legend, items; /* of no height: not shown */
};

static struct rect take_rect_lines(struct rect *r, int lines)
{
    struct rect x = {r->y, r->x, lines < r->h ? lines : r->h, r->w};
    r->y += x.h;
    r->h -= x.h;
    return x;
}

#define ITEM_LINES 6 /* of an entry of the list at most: its head, the sentence, place and action */

/* Lines of each entry in a list of h lines, its title included. */
static int finding_lines(const struct screen *s, int h)
{
    int n = (int)(s->ranks.items.n < 100 ? s->ranks.items.n : 100);
    for (int each = s->grid.cols >= 160 ? ITEM_LINES - 2 : ITEM_LINES; each > 1; each--)
        if (h - 1 >= each * n)
            return each;
    return 1;
}

/* The strip gets what it needs, the list below it the rest. */
static struct ranks_layout lay_out_ranks(const struct screen *s, struct rect r)
{
    struct ranks_layout l = {.steps = {0, 0, 0, 0}};
    size_t ranks = s->picture.ranks;
    int h = r.h, items = (int)s->ranks.items.n < 30 ? (int)s->ranks.items.n : 30;
    l.info = take_rect_lines(&r, h >= 14 ? 2 : 0);
    l.steps = take_rect_lines(&r, h >= 9 && s->picture.step_to > s->picture.step_from ? 1 : 0);
    l.mark = take_rect_lines(&r, h >= 6);
    int tail = (h >= 12) + (h >= 5 ? 2 : h >= 3), least = h >= 10 && items ? 2 : 0;
    int strip = r.h - tail - least;
    strip = strip > (int)ranks ? (int)ranks : strip;
    int list = r.h - tail - strip;
    if (items && list > ITEM_LINES * items + 1)
        list = ITEM_LINES * items + 1;
    int wanted = ITEM_LINES * items + 1 < r.h / 3 ? ITEM_LINES * items + 1 : r.h / 3;
    if (least && list < wanted) { /* both are long */
        list = wanted;
        strip = r.h - tail - list;
    }
    l.strip = take_rect_lines(&r, strip < 1 ? 1 : strip);
    l.under = take_rect_lines(&r, h >= 5 ? 2 : h >= 3);
    l.legend = take_rect_lines(&r, h >= 12);
    l.items = take_rect_lines(&r, least ? list : 0);
    return l;
}

/* ---- before a frame ---- */

static int count_digits(int n)
{
    int d = 1;
    while ((n /= 10) > 0)
        d++;
    return d;
}

/* The number of cells for `all` things, at most `room`; each cell represents *each of them. */
static int fit_cells(size_t all, int zoom, int room, size_t *each, size_t at, size_t *from)
{
    size_t seen = all >> (zoom < 30 ? zoom : 30), fit = room > 0 ? (size_t)room : 1;
    seen = seen < fit ? fit : seen;
    seen = seen > all ? all : seen;
    *each = seen ? (seen + fit - 1) / fit : 1;
    *each = *each ? *each : 1;
    size_t shown = *each * fit, last = all > shown ? (all - shown + *each - 1) / *each * *each : 0;
    if (at < *from || at >= *from + shown ||
        *from % *each) /* out of sight: to the middle; begins where a cell does, so that it */
        *from = at > shown / 2 ? (at - shown / 2) / *each * *each : 0; /* holds the same at every place */
    *from = *from < last ? *from : last;
    size_t left = all - *from;
    return (int)((left < shown ? left : shown) + *each - 1) / (int)*each;
}

static int label_width(const struct screen *s)
{
    const struct job_strip *x = &s->job.strip;
    int most = x->row.n ? x->row.v[x->row.n - 1].rank : 0;
    return 2 + (s->ranks.cell_ranks > 1 ? 2 * count_digits(most) + 1 : count_digits(most)) + 1;
}

static void update_cells(struct screen *s, struct rect r)
{
    struct rank_view *v = &s->ranks;
    struct ranks_picture *p = &s->picture;
    const struct job_strip *x = &s->job.strip;
    size_t first, n = rank_view_rows(v, &first);
    vec_clear(&p->cell);
    vec_clear(&p->from);
    memset(p->seen, 0, sizeof p->seen);
    p->cursor_y = p->cursor_x = p->first_y = p->first_x = -1;
    p->rows = fit_cells(n, v->zoom, r.h, &v->cell_ranks, v->rank, &p->rank_top);
    p->cols = fit_cells(x->columns, v->zoom, r.w - label_width(s) - 1, &v->cell_columns, v->column, &p->column_left);
    v->page = (size_t)(p->rows > 0 ? p->rows : 1);
    for (int y = 0; y < p->rows; y++) {
        size_t at = p->rank_top + (size_t)y * v->cell_ranks, rows = n - at < v->cell_ranks ? n - at : v->cell_ranks;
        vec_push(&p->from, x->row.v[first + at].rank);
        vec_push(&p->from, x->row.v[first + at + rows - 1].rank);
        for (int c = 0; c < p->cols; c++) {
            enum strip_sign sign =
                job_strip_worst(x, first + at, rows, p->column_left + (size_t)c * v->cell_columns, v->cell_columns);
            vec_push(&p->cell, (uint8_t)sign);
            p->seen[sign] = true;
        }
        if (v->rank >= at && v->rank < at + rows)
            p->cursor_y = y;
    }
    if (v->column >= p->column_left)
        p->cursor_x = (int)((v->column - p->column_left) / v->cell_columns);
    const struct job_first *f = &s->job.result.first;
    const struct job_strip_row *bad =
        f->found && f->step == v->step && f->ranks.n ? job_strip_row_of(x, f->step, f->ranks.v[0]) : NULL;
    size_t row = bad ? (size_t)(bad - x->row.v) - first : 0;
    if (bad && row >= p->rank_top && (row - p->rank_top) / v->cell_ranks < (size_t)p->rows)
        p->first_y = (int)((row - p->rank_top) / v->cell_ranks);
    if (bad && x->first != NONE && x->first >= p->column_left &&
        (x->first - p->column_left) / v->cell_columns < (size_t)p->cols)
        p->first_x = (int)((x->first - p->column_left) / v->cell_columns);
}

/* Draws the steps, several per character if necessary. */
static void update_steps(struct screen *s, int room)
{
    struct ranks_picture *p = &s->picture;
    const struct job_strip *x = &s->job.strip;
    size_t n = x->steps.n, each = room > 0 && n > (size_t)room ? (n + (size_t)room - 1) / (size_t)room : 1;
    vec_clear(&p->steps);
    p->step_from = n ? x->steps.v[0].step : 0;
    p->step_to = n ? x->steps.v[n - 1].step : 0;
    p->step_at = 0;
    p->step_first = -1;
    for (size_t i = 0; i < n; i++) {
        if (x->steps.v[i].step == s->ranks.step)
            p->step_at = (int)(i / each);
        if (s->job.result.first.found && x->steps.v[i].step == s->job.result.first.step)
            p->step_first = (int)(i / each);
        if (i % each == 0)
            vec_push(&p->steps, STRIP_NOTHING);
        for (size_t y = 0; y < x->row.n; y++)
            if (x->row.v[y].step == x->steps.v[i].step) {
                enum strip_sign sign = job_strip_worst(x, y, 1, 0, x->columns);
                if (sign > *vec_last(&p->steps))
                    *vec_last(&p->steps) = (uint8_t)sign;
            }
    }
}

static void update_under(struct screen *s)
{
    const struct rank_view *v = &s->ranks;
    const struct job_strip *x = &s->job.strip;
    struct ranks_picture *p = &s->picture;
    struct rank_cell c = rank_view_cell(v);
    buf_clear(&p->under);
    p->counted = false;
    p->under_sign = STRIP_NOTHING;
    if (!c.rows || !c.columns)
        return;
    int from = x->row.v[c.row].rank, to = x->row.v[c.row + c.rows - 1].rank;
    if (to > from)
        buf_fmt(&p->under, _("ranks %d–%d"), from, to);
    else
        buf_fmt(&p->under, _("rank %d"), from);
    uint32_t calls = 0;
    size_t column = rank_view_worst(v, &c);
    for (size_t i = c.column; i < c.column + c.columns; i++)
        calls += x->column[i].calls;
    buf_fmt(&p->under, "   %s", x->column[column].call);
    if (calls > 1)
        buf_fmt(&p->under, _("  of %u calls"), calls);
    struct arena a = {0};
    struct subject subject;
    struct finding found;
    if (s->inv.findings.now && rank_view_subject(v, &subject, &a) &&
        findings_on(&s->inv.findings, subject.kind, subject.about, subject.at, &found))
        buf_fmt(&p->under, _("   finding %u"), found.number);
    arena_release(&a);
    p->under_sign = job_strip_worst(x, c.row, c.rows, c.column, c.columns);
    p->counted = rank_view_count(v, &c, p->count);
}

static void update_texts(struct screen *s)
{
    struct job_compare *k = s->ranks.job;
    struct ranks_picture *p = &s->picture;
    const struct joined_job *j = job_compare_step(k, s->ranks.step);
    for (int i = 0; i < 2; i++) {
        buf_clear(&p->layout[i]);
        if (k->summary.all)
            job_summary_layout_text(&k->summary, i, &p->layout[i]);
        else if (j)
            job_layout_text(j, i, &p->layout[i]);
    }
    buf_clear(&p->unseen);
    buf_clear(&p->outcome);
    p->elsewhere = k->summary.all != NULL;
    if (p->elsewhere) {
        job_summary_unseen_text(&k->summary, &p->unseen);
        job_summary_outcome_text(&k->summary, &p->outcome);
        p->progress.ranks = (size_t)(k->summary.of > 0 ? k->summary.of : 0);
        p->progress.done = (size_t)(k->summary.done > 0 ? k->summary.done : 0);
        return;
    }
    job_unseen_text(&k->result, &p->unseen);
    if (k->result.steps)
        job_outcome_text(&k->result, k->settled, &p->outcome);
}

static void pane_ranks_update(struct screen *s, struct rect r)
{
    struct rank_view *v = &s->ranks;
    struct ranks_picture *p = &s->picture;
    struct job_compare *k = v->job;
    size_t first;
    job_compare_lock(k);
    rank_view_refresh(v);
    p->ranks = rank_view_rows(v, &first);
    p->progress = k->progress;
    p->settled = k->settled;
    p->joined = k->result.joined;
    p->err = k->err;
    update_steps(s, r.w > 50 ? r.w - 40 : 10);
    struct ranks_layout l = lay_out_ranks(s, r);
    update_cells(s, l.strip);
    update_under(s);
    update_texts(s);
    p->bad = k->result.first.found;
    job_compare_unlock(k);
    size_t room = l.items.h > 1 ? (size_t)((l.items.h - 1) / finding_lines(s, l.items.h)) : 1;
    p->item_top = pane_top((uint32_t)p->item_top, v->at, (uint32_t)room);
    s->work.page = v->listed ? (int)room : p->rows;
}

/* ---- the two lines on top ---- */

static void progress_text(const struct ranks_picture *p, struct buf *out)
{
    const struct job_progress *x = &p->progress;
    if (p->elsewhere)
        buf_fmt(out, _("results of %zu/%zu ranks"), x->done, x->ranks);
    else if (p->settled)
        buf_cstr(out, _("compared"));
    else if (p->err.code == ERR_CANCEL)
        buf_cstr(out, _("stopped"));
    else if (x->read == x->to_read && x->read && !x->ranks)
        buf_cstr(out, _("determining the parallel layout"));
    else if (!x->ranks)
        buf_fmt(out, _("reading ranks %zu/%zu"), x->read, x->to_read);
    else if (x->rank < 0 && p->joined)
        buf_cstr(out, _("comparing, joined"));
    else if (x->rank < 0) /* between two of them */
        buf_fmt(out, _("comparing ranks, %zu/%zu"), x->done, x->ranks);
    else
        buf_fmt(out, _("rank %d, %zu/%zu"), x->rank, x->done, x->ranks);
}

static double share_done(const struct ranks_picture *p)
{
    const struct job_progress *x = &p->progress;
    if (p->elsewhere && x->done < x->ranks)
        return (double)x->done / (double)x->ranks;
    if (p->settled)
        return 1;
    double step = x->ranks ? ((double)x->done + x->share * (x->rank < 0 ? (double)x->ranks : 1)) / (double)x->ranks : 0;
    double all = x->steps ? ((double)x->steps_done + (x->ranks ? fmin(step, 1) : 0)) / (double)x->steps : 0;
    return fmin(all, 0.99);
}

void pane_ranks_header(const struct screen *s, struct grid *g)
{
    const struct comparison *x = s->work.c;
    const struct ranks_picture *p = &s->picture;
    struct buf left = {0}, right = {0};
    for (int i = 0; i < 2; i++) {
        struct str part = screen_telling_part(x, i);
        buf_fmt(&left, "%s%.*s", i ? " ⇄ " : "", STR_ARG(part));
    }
    if (p->step_to > p->step_from || s->ranks.step > 0)
        buf_fmt(&left, _("  step %d"), s->ranks.step);
    buf_cstr(&left, _("  all ranks"));
    progress_text(p, &right);
    int right_w = utf8_cells(buf_view(&right)) + 1 + 8 + 6, room = g->cols - right_w - 2;
    if (room >= 20) {
        grid_middle(g, 0, 1, room, STYLE_HEADER, buf_view(&left));
        int at = g->cols - right_w;
        at += grid_text(g, 0, at, right_w, STYLE_HEADER, buf_view(&right)) + 1;
        at += screen_bar(g, 0, at, share_done(p));
        grid_fmt(g, 0, at, 6, STYLE_HEADER, " %3.0f %%", floor(share_done(p) * 100));
    } else {
        grid_middle(g, 0, 1, g->cols - 1, STYLE_HEADER, buf_view(&left));
    }
    buf_release(&left);
    buf_release(&right);
}

void pane_ranks_status(const struct screen *s, struct grid *g)
{
    const struct ranks_picture *p = &s->picture;
    int at = 1;
    if (p->err.code && p->err.code != ERR_CANCEL) {
        grid_end(g, 1, at, g->cols - at, STYLE_ERROR, str_of(p->err.text));
        return;
    }
    if (p->unseen.n) { /* unjudged data is shown first */
        int most = p->outcome.n ? (g->cols - 2) / 2 : g->cols - 2, w = utf8_cells(buf_view(&p->unseen));
        w = w < most ? w : most;
        grid_end(g, 1, at, w, STYLE_ERROR, buf_view(&p->unseen));
        at += w + 2;
    }
    if (p->outcome.n)
        grid_middle(g, 1, at, g->cols - at - 1,
                    p->bad       ? STYLE_FIRST
                    : p->settled ? STYLE_HEADER
                                 : STYLE_DIM,
                    buf_view(&p->outcome));
}

/* ---- the frame ---- */

static void draw_steps(const struct screen *s, struct grid *g, struct rect r)
{
    const struct ranks_picture *p = &s->picture;
    int x = r.x + 1;
    x += grid_fmt(g, r.y, x, r.w, STYLE_TITLE, _("steps %d–%d"), p->step_from, p->step_to) + 1;
    for (size_t i = 0; i < p->steps.n; i++) {
        uint8_t style = (int)i == p->step_first ? STYLE_FIRST : sign_style((enum strip_sign)p->steps.v[i]);
        grid_put(g, r.y, x + (int)i, 1, style, strip_looks[p->steps.v[i]].glyph);
    }
    grid_mark(g, r.y, x + p->step_at, 1, STYLE_CURSOR);
    x += (int)p->steps.n + 1;
    grid_fmt(g, r.y, x, r.w - (x - r.x), STYLE_DIM, _("shown: step %d"), s->ranks.step);
}

static void draw_strip(const struct screen *s, struct grid *g, struct rect r, int mark_y)
{
    const struct ranks_picture *p = &s->picture;
    int label = label_width(s);
    if (mark_y >= 0 && p->cols > 0) {
        grid_put(g, mark_y, r.x + 1, label, s->ranks.listed ? STYLE_TITLE : STYLE_FOCUS, _("rank"));
        if (p->first_x >= 0)
            grid_put(g, mark_y, r.x + label + p->first_x, 1, STYLE_FIRST, "↓");
    }
    for (int y = 0; y < p->rows; y++) {
        char text[32];
        int from = p->from.v[2 * y], to = p->from.v[2 * y + 1];
        bool first = y == p->first_y;
        grid_put(g, r.y + y, r.x, 1, STYLE_FIRST, first ? "▶" : " ");
        snprintf(text, sizeof text, from == to ? "%d" : "%d–%d", from, to);
        grid_right(g, r.y + y, r.x + 1, label - 2, first ? STYLE_FIRST : STYLE_TEXT, text);
        for (int x = 0; x < p->cols; x++) {
            enum strip_sign sign = (enum strip_sign)p->cell.v[y * p->cols + x];
            grid_put(g, r.y + y, r.x + label + x, 1, first && x == p->first_x ? STYLE_FIRST : sign_style(sign),
                     strip_looks[sign].glyph);
        }
        if (y == p->cursor_y) {
            grid_mark(g, r.y + y, r.x + 1, label - 2, s->ranks.listed ? 0 : STYLE_CURSOR);
            grid_mark(g, r.y + y, r.x + label + p->cursor_x, 1, STYLE_CURSOR);
        }
    }
}

static void draw_under(const struct screen *s, struct grid *g, struct rect r)
{
    static const enum verdict order[] = {VERDICT_DEVIATE, VERDICT_NONFINITE, VERDICT_SHAPE, VERDICT_IN_DOUBT,
                                         VERDICT_INHERITED, VERDICT_DTYPE,   VERDICT_DRIFT,     VERDICT_ONLY,
                                         VERDICT_MATCH,   VERDICT_SKIP,      VERDICT_PENDING};
    const struct ranks_picture *p = &s->picture;
    char n[NUM_MAX];
    int x = r.x + 1, y = r.y + r.h - 1;
    if (r.h > 0)
        grid_middle(g, r.y, x, r.w - 2, STYLE_TITLE, buf_view(&p->under));
    if (r.h < 2 || !p->under.n)
        return;
    x += grid_put(g, y, x, 1, sign_style(p->under_sign), strip_looks[p->under_sign].glyph) + 1;
    x += grid_put(g, y, x, r.w - x, STYLE_DIM,
                  p->under_sign == STRIP_NOTHING ? _("no such call on this rank")
                                                 : _(strip_looks[p->under_sign].label)) +
         3;
    if (p->counted)
        x += grid_put(g, y, x, r.w - x, STYLE_DIM, _("rows:")) + 1;
    for (size_t i = 0; i < ARRAY_LEN(order) && p->counted; i++)
        if (p->count[order[i]])
            x += grid_fmt(g, y, x, r.w - x, verdict_style_of(order[i]), "%s %s", num_count(n, p->count[order[i]]),
                          verdict_label(order[i])) +
                 2;
}

static void draw_legend(const struct screen *s, struct grid *g, struct rect r)
{
    int x = r.x + 1;
    for (int i = STRIP_SIGNS - 1; i > STRIP_NOTHING && r.h > 0; i--)
        if (s->picture.seen[i]) {
            int need = 4 + utf8_cells(str_of(_(strip_looks[i].label)));
            if (x + need > r.x + r.w)
                break;
            x += grid_put(g, r.y, x, 1, sign_style((enum strip_sign)i), strip_looks[i].glyph) + 1;
            x += grid_put(g, r.y, x, r.w, STYLE_DIM, _(strip_looks[i].label)) + 2;
        }
}

/* Where there is one line for all of it. */
static void item_words(const struct job_found *x, bool extent, struct buf *out)
{
    const char *const more[] = {x->sentence, x->place, extent ? x->extent : NULL};
    buf_cstr(out, x->text);
    for (size_t i = 0; i < ARRAY_LEN(more); i++)
        if (more[i])
            buf_fmt(out, "  %s", more[i]);
}

/* Wrapped into at most h lines, the last with "…" if it did not fit; returns the lines used. */
static int draw_wrapped_text(struct grid *g, struct rect r, int h, uint8_t style, const char *text)
{
    int at = 0, none = 0;
    if (h < 2) {
        grid_end(g, r.y, r.x, h < 1 ? 0 : r.w, style, str_of(text));
        return h < 1 ? 0 : 1;
    }
    r.h = h;
    int all = grid_wrap(g, r, &at, &none, style, str_of(text));
    if (all > h)
        grid_put(g, r.y + h - 1, r.x + r.w - 1, 1, style, g->ascii ? "~" : "…");
    return all < h ? all : h;
}

/* Ranks, name and error with the rows that inherit; the sentence; the place and what to do. */
static void draw_rank_finding(const struct screen *s, struct grid *g, struct rect r, const struct job_found *x)
{
    static const enum strip_sign sign[] = {
        [JOB_FOUND_ROW] = STRIP_DEVIATE, [JOB_FOUND_COLLECTIVE] = STRIP_BESIDE, [JOB_FOUND_REPLICA] = STRIP_BESIDE};
    uint8_t style = x->golden ? STYLE_DIM : STYLE_TEXT;
    struct buf b = {0};
    int left = r.x + 1, right = x->extent ? utf8_cells(str_of(x->extent)) : 0;
    left += grid_put(g, r.y, left, 1, sign_style(sign[x->kind]), strip_looks[sign[x->kind]].glyph) + 1;
    if (s->picture.step_to > s->picture.step_from)
        left += grid_fmt(g, r.y, left, r.w, STYLE_DIM, _("step %d  "), x->step);
    if (r.h == 1 ? r.w < 100 : left + utf8_cells(str_of(x->text)) + 2 + right > r.x + r.w - 1)
        right = 0; /* the name is more: it follows in the text */
    if (right)
        grid_put(g, r.y, r.x + r.w - 1 - right, right, STYLE_DIM, x->extent);
    struct rect head = {r.y, left, 1, r.x + r.w - left - 1}, under = {r.y + 1, r.x + 5, r.h - 1, r.w - 6};
    if (r.h == 1) {
        item_words(x, !right, &b);
        grid_end(g, head.y, head.x, head.w - (right ? right + 2 : 0), style, buf_view(&b));
    } else if (x->kind != JOB_FOUND_ROW) {
        draw_wrapped_text(g, head, r.h, style, x->text);
    } else {
        grid_middle(g, head.y, head.x, head.w - (right ? right + 2 : 0), style, str_of(x->text));
        int used = x->sentence ? draw_wrapped_text(g, under, r.h > 4 ? r.h - 3 : 1, STYLE_TEXT, x->sentence) : 0;
        under.y += used;
        const char *const last[] = {x->place, right ? NULL : x->extent, x->action};
        for (size_t i = 0; i < ARRAY_LEN(last); i++)
            if (last[i])
                buf_fmt(&b, "%s%s", b.n ? " · " : "", last[i]);
        draw_wrapped_text(g, under, r.h - 1 - used, STYLE_DIM, b.p ? b.p : "");
    }
    buf_release(&b);
}

/* Whether no collective and no replica is among what was found. */
static bool are_all_rows(const struct rank_view *v)
{
    for (size_t i = 0; i < v->items.n; i++)
        if (v->items.v[i].kind != JOB_FOUND_ROW)
            return false;
    return true;
}

static void draw_items(const struct screen *s, struct grid *g, struct rect r)
{
    const struct rank_view *v = &s->ranks;
    int each = finding_lines(s, r.h);
    char n[NUM_MAX];
    if (r.h < 2)
        return;
    grid_fill(g, r.y, r.x, r.w, 0x2500, STYLE_RULE);
    grid_fmt(g, r.y, r.x + 1, r.w - 2, v->listed ? STYLE_FOCUS : STYLE_TITLE,
             are_all_rows(v) ? _(" found: %s, what starts here ") : _(" found: %s "), num_count(n, v->items.n));
    for (int y = 1; y + each <= r.h && s->picture.item_top + (size_t)((y - 1) / each) < v->items.n; y += each) {
        size_t at = s->picture.item_top + (size_t)((y - 1) / each);
        draw_rank_finding(s, g, (struct rect){r.y + y, r.x, each, r.w}, &v->items.v[at]);
        if (v->listed && at == v->at)
            grid_mark(g, r.y + y, r.x, r.w, STYLE_CURSOR);
    }
}

static void pane_ranks_draw(const struct screen *s, struct grid *g, struct rect r)
{
    const struct ranks_picture *p = &s->picture;
    struct ranks_layout l = lay_out_ranks(s, r);
    static const char *const side[] = {N_("target  "), N_("golden  ")};
    if (!p->ranks && !p->err.code) {
        grid_put(g, r.y + r.h / 2, r.x + 1, r.w - 2, STYLE_DIM,
                 _("Reading the recordings of all ranks; :rank N opens a single one"));
        return;
    }
    if (!p->ranks && p->err.code != ERR_CANCEL) { /* the whole sentence, which may name recordings to choose from */
        int y = 0, skip = 0;
        grid_wrap(g, r, &y, &skip, STYLE_TEXT, str_of(p->err.text));
        return;
    }
    for (int i = 0; i < l.info.h; i++) {
        int at = r.x + 1;
        at += grid_put(g, l.info.y + i, at, r.w, STYLE_DIM, _(side[i]));
        grid_end(g, l.info.y + i, at, r.x + r.w - at - 1, STYLE_TEXT, buf_view(&p->layout[i]));
    }
    if (l.steps.h)
        draw_steps(s, g, l.steps);
    draw_strip(s, g, l.strip, l.mark.h ? l.mark.y : -1);
    draw_under(s, g, l.under);
    draw_legend(s, g, l.legend);
    draw_items(s, g, l.items);
}

static const struct hint hints[] = {
    {"enter", N_("open table")},
    {"ranks first", N_("first")},
    {"ranks next", N_("next bad cell")},
    {"ranks prev", N_("prev")},
    {"ranks list", N_("list")},
    {"ranks in", N_("zoom")},
    {"ranks later", N_("step")},
    {"help", N_("help")},
    {"back", N_("quit")},
    {"report", N_("report")},
    {0},
};

const struct pane_ops pane_ranks = {"ranks", pane_ranks_update, pane_ranks_draw, hints};

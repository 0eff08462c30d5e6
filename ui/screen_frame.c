/* One frame: the header, what is in force, the panes, and the line of keys. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"
#include "judge/verdict_text.h"
#include "ui/pane.h"

static const struct pane_ops *const focused[FOCUS_COUNT] = {&pane_table, &pane_detail, &pane_stack};

const struct pane_ops *screen_pane(const struct screen *s)
{
    switch (s->desk.overlay) {
    case OVERLAY_HELP:
        return &pane_help;
    case OVERLAY_LIST:
        return &pane_list;
    case OVERLAY_INTAKE:
        return &pane_intake;
    case OVERLAY_PANEL:
        return s->desk.panel ? &pane_panel : &pane_overview;
    case OVERLAY_NONE:
        break;
    }
    if (s->desk.sight.open)
        return &pane_tensor;
    if (s->desk.focus == FOCUS_TABLE && s->desk.group != GROUP_NONE)
        return &pane_outline;
    return focused[s->desk.focus];
}

/* What tells one side's path from the other's: the last part in which they differ. */
static struct str telling_part(const struct comparison *x, int side)
{
    struct str a = str_of(x->side[side].path), b = str_of(x->single ? "" : x->side[!side].path), base = path_base(a);
    while (a.n && b.n) {
        struct str p = path_base(a), q = path_base(b);
        if (!str_eq(p, q))
            return p;
        a = path_parent(a);
        b = path_parent(b);
    }
    return base;
}

static int bar(struct screen *s, int y, int x, double share)
{
    static const char *const part[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
    int cells = 6, eighths = (int)(share * cells * 8 + 0.5);
    grid_put(&s->grid, y, x, 1, STYLE_PROGRESS, "▕");
    for (int i = 0; i < cells; i++) {
        int here = eighths - i * 8;
        here = here < 0 ? 0 : here > 8 ? 8 : here;
        if (s->grid.ascii)
            here = here > 4 ? 8 : 0;
        grid_put(&s->grid, y, x + 1 + i, 1, STYLE_PROGRESS, part[here]);
    }
    grid_put(&s->grid, y, x + 1 + cells, 1, STYLE_PROGRESS, "▏");
    return cells + 2;
}

/* How fast tensors are read and how long the rest will take, once there is something to go by. */
static void rate(const struct session *x, const struct session_progress *p, struct buf *out)
{
    char n[NUM_MAX];
    if (p->per_second > 0 && !x->settled && !x->paused)
        buf_fmt(out, _("%s/s  %.0f s left   "), num_bytes(n, (unsigned long long)p->per_second), p->left);
}

static void header(struct screen *s)
{
    struct grid *g = &s->grid;
    const struct comparison *x = s->desk.c;
    struct buf right = {0};
    struct session_progress p;
    session_progress(&s->session, &p);
    const char *what = p.comparing ? _("compared") : !x->single || !x->paired ? _("reading") : x->complete ? _("read") : _("looked over");
    int w = g->cols, used = 0;
    if (!x->side[TARGET].path) { /* the panels alone */
        grid_put(g, 0, 1, w - 1, STYLE_HEADER, "diverge");
        return;
    }
    if (x->judged)
        buf_fmt(&right, _("coverage %.0f %% ⇄ %.0f %%   "), x->judged->sum.coverage[0] * 100, x->judged->sum.coverage[1] * 100);
    rate(&s->session, &p, &right);
    buf_fmt(&right, "%s ", s->session.paused ? _("paused") : what);
    int right_w = utf8_cells(buf_view(&right)) + 8 + 6;
    int room = w - right_w - 2;
    struct buf left = {0};
    for (int i = 0; i < 2 && !(i && x->single); i++) {
        const struct dump *d = &x->side[i].dump;
        struct str part = telling_part(x, i);
        buf_fmt(&left, "%s%.*s", i ? " ⇄ " : "", STR_ARG(part));
        const char *const words[] = {d->framework, d->level, d->task};
        for (size_t k = 0; k < ARRAY_LEN(words) && w >= 120 && x->side[i].state >= SIDE_LOADING; k++)
            if (words[k] && *words[k])
                buf_fmt(&left, " %s", words[k]);
    }
    const struct dump *t = &x->side[0].dump, *go = &x->side[1].dump;
    if (t->step >= 0)
        buf_fmt(&left, x->single || t->step == go->step || go->step < 0 ? _("  step %d") : _("  step %d:%d"), t->step, go->step);
    if (t->rank >= 0)
        buf_fmt(&left, x->single || t->rank == go->rank || go->rank < 0 ? _("  rank %d") : _("  rank %d:%d"), t->rank, go->rank);
    if (x->since.there)
        buf_fmt(&left, _("  round %u"), x->since.before->number + 1);
    if (room >= 20 && !x->failed) {
        grid_middle(g, 0, 1, room, STYLE_HEADER, buf_view(&left));
        used = w - right_w;
        used += grid_text(g, 0, used, right_w, STYLE_HEADER, buf_view(&right));
        used += bar(s, 0, used, p.share);
        grid_fmt(g, 0, used, 6, STYLE_HEADER, " %3.0f %%", floor(p.share * 100));
    } else {
        grid_middle(g, 0, x->failed, w - x->failed, STYLE_HEADER, buf_view(&left));
    }
    buf_release(&left);
    buf_release(&right);
}

/* At the right of line 2, over whatever is there: what hides rows, and what is searched. */
static void in_force(struct screen *s)
{
    struct grid *g = &s->grid;
    const struct row_order *a = &s->desk.arrange;
    struct buf b = {0};
    char n[NUM_MAX], m[NUM_MAX];
    uint32_t all = workspace_lines(&s->desk), left = workspace_shown(&s->desk);
    if (report_job_busy(&s->desk.scribe))
        buf_fmt(&b, _("writing %s %.0f %%, Esc gives it up  "), path_base(str_of(s->desk.scribe.path)).p, 100 * report_job_share(&s->desk.scribe));
    if (a->filters.n && a->work)
        buf_fmt(&b, _("& filtering %.0f %%"), 100 * row_order_progress(a));
    else if (a->filters.n)
        buf_fmt(&b, _("& %s rows, %s hidden"), num_count(n, left), num_count(m, all - left));
    else if (a->work)
        buf_fmt(&b, _("sorting %.0f %%"), 100 * row_order_progress(a));
    if (s->desk.search.code)
        buf_fmt(&b, "%s/%s  %s%s", b.n ? "  " : "", s->desk.search.text, num_count(n, s->desk.search.hits), s->desk.search.complete ? "" : "…");
    if (b.n) {
        int w = utf8_cells(buf_view(&b)), x = g->cols - w - 1;
        x = x < 0 ? 0 : x;
        grid_fill(g, 1, x ? x - 1 : 0, g->cols - x + 1, ' ', STYLE_TEXT);
        grid_text(g, 1, x, g->cols - x, STYLE_HIT, buf_view(&b));
    }
    buf_release(&b);
}

/* "1 ✓ 2 ✗ …" of the guided panels, once something was told to them; returns the cells used. */
static int panel_states(struct screen *s, int at)
{
    const struct procedure *gu = &s->desk.guide;
    struct grid *g = &s->grid;
    int from = at;
    if (!gu->written || !procedure_begun(gu) || g->cols < 110)
        return 0;
    for (int i = 0; i < PANELS; i++) {
        enum panel_state st = gu->page[i].state;
        at += grid_fmt(g, 1, at, 3, STYLE_DIM, "%d ", i + 1);
        at += grid_put(g, 1, at, 1, pane_panel_style(st), panel_glyph(st)) + 1;
    }
    return at - from + 2;
}

/* Line 2: where the first deviation is, and how many rows of each verdict. */
static void status(struct screen *s)
{
    struct grid *g = &s->grid;
    const struct comparison *x = s->desk.c;
    const struct judgement *j = x->judged;
    char n[NUM_MAX], m[NUM_MAX];
    int at = 1 + panel_states(s, 1);
    if (x->failed) {
        grid_put(g, 1, at, g->cols - at, s->looked ? STYLE_ERROR : STYLE_DIM, s->looked ? _("could not be opened") : _("looking at what it is …"));
        return;
    }
    if (!x->side[0].path) {
        grid_put(g, 1, at, g->cols - at, STYLE_DIM, procedure_begun(&s->desk.guide) ? _("no dumps are open") : _("nothing is open"));
        return;
    }
    if (x->single && x->paired) {
        const struct dump_check *c = &x->examined.check;
        at += grid_fmt(g, 1, at, g->cols - at, STYLE_DIM, _("one side only, %s rows"), num_count(n, x->side[0].dump.rows.n)) + 3;
        if (!x->examined.done)
            grid_put(g, 1, at, g->cols - at, STYLE_DIM, _("its tensors are being looked over"));
        else if (c->problems.n == c->notes)
            grid_put(g, 1, at, g->cols - at, STYLE_HEADER, _("nothing is wrong with it"));
        else
            grid_fmt(g, 1, at, g->cols - at, STYLE_FIRST, _("problems: %s"), num_count(n, c->problems.n - c->notes));
        return;
    }
    if (!j) {
        grid_fmt(g, 1, at, g->cols - at, STYLE_DIM, _("%s rows and %s rows read so far"), num_count(n, x->side[0].dump.rows.n),
                 num_count(m, x->side[1].dump.rows.n));
        return;
    }
    struct buf wrong = {0};
    step_inputs_differing(&x->inputs, &wrong);
    if (wrong.n) /* before any layer is to blame */
        at += grid_fmt(g, 1, at, g->cols, STYLE_ERROR, _("STEP INPUTS DIFFER: %s   "), wrong.p);
    buf_release(&wrong);
    if (j->first != NONE) {
        bool so_far = j->pending_before || !s->session.settled, provisional = j->doubtful_before || j->gaps_before || j->unread_before;
        at += grid_fmt(g, 1, at, g->cols, STYLE_FIRST, so_far ? _("first so far: row %s %s") : provisional ? _("first deviation: row %s %s (provisional)") : _("first deviation: row %s %s"),
                       num_count(n, j->first + 1), first_class_label(j->first_class));
    } else if (s->session.settled) {
        struct judge_options o = comparison_judge_options(x);
        at += grid_put(g, 1, at, g->cols, STYLE_HEADER, judgement_status(j, &o) == 0 ? _("aligned: nothing deviates") : _("could not be judged: too little is paired"));
    } else {
        at += grid_put(g, 1, at, g->cols, STYLE_DIM, _("nothing deviates so far"));
    }
    at += 3;
    static const enum verdict order[] = {VERDICT_DEVIATE, VERDICT_NONFINITE, VERDICT_SHAPE, VERDICT_DTYPE, VERDICT_DRIFT, VERDICT_ONLY, VERDICT_MATCH, VERDICT_SKIP, VERDICT_PENDING};
    for (size_t i = 0; i < ARRAY_LEN(order); i++)
        if (j->sum.by[order[i]]) {
            at += grid_put(g, 1, at, g->cols - at, verdict_style_of(order[i]), verdict_glyph_of(order[i]));
            at += grid_fmt(g, 1, at, g->cols - at, STYLE_TEXT, " %s  ", num_count(n, j->sum.by[order[i]]));
        }
    if (j->sum.dtype_diff)
        at += grid_fmt(g, 1, at, g->cols - at, STYLE_DRIFT, _("precision %s  "), num_count(n, j->sum.dtype_diff));
    if (j->sum.doubtful)
        at += grid_fmt(g, 1, at, g->cols - at, STYLE_TEXT | STYLE_UNDER, _("doubtful %s"), num_count(n, j->sum.doubtful));
}

/* Where there is no table its keys would lead nowhere. */
static const struct hint unopened[] = {{"intake", N_("other dumps")}, {"panel 0", N_("all panels")}, {"report", N_("report")}, {"palette", N_("commands")}, {"help", N_("help")}, {"back", N_("quit")}, {0}};

static void footer(struct screen *s, int y)
{
    struct grid *g = &s->grid;
    s->cursor_y = s->cursor_x = -1;
    if (s->prompt.active) {
        struct str before = str_n(s->prompt.text.p, s->prompt.at);
        char kind[2] = {s->prompt.kind, 0};
        if (s->desk.message.n && y > 0) { /* why the line is still open */
            grid_fill(g, y - 1, 0, g->cols, ' ', STYLE_TEXT);
            grid_text(g, y - 1, 1, g->cols - 1, s->desk.message_is_error ? STYLE_ERROR : STYLE_MESSAGE, buf_view(&s->desk.message));
        }
        grid_put(g, y, 0, 1, STYLE_KEY, kind);
        grid_text(g, y, 1, g->cols - 1, STYLE_TEXT, buf_view(&s->prompt.text));
        s->cursor_y = y;
        s->cursor_x = 1 + utf8_cells(before);
        if (s->cursor_x >= g->cols)
            s->cursor_x = g->cols - 1;
        return;
    }
    if (s->desk.message.n) {
        grid_text(g, y, 1, g->cols - 1, s->desk.message_is_error ? STYLE_ERROR : STYLE_MESSAGE, buf_view(&s->desk.message));
        return;
    }
    const struct pane_ops *p = screen_pane(s);
    int x = 1;
    for (const struct hint *h = s->desk.c->failed && p == &pane_table ? unopened : p->hints; h->command; h++) {
        const char *key = keymap_key(&s->keys, p->place, h->command);
        if (!key)
            continue;
        int need = utf8_cells(str_of(key)) + 1 + utf8_cells(str_of(_(h->label))) + 2;
        if (x + need > g->cols + 2)
            break;
        x += grid_put(g, y, x, g->cols - x, STYLE_KEY, key) + 1;
        x += grid_put(g, y, x, g->cols - x, STYLE_DIM, _(h->label)) + 2;
    }
}

static void rule(struct screen *s, int y, const char *title, const char *other)
{
    struct grid *g = &s->grid;
    grid_fill(g, y, 0, g->cols, 0x2500, STYLE_RULE);
    grid_fmt(g, y, 1, g->cols - 2, STYLE_TITLE, " %s ", title);
    if (other && g->cols > 40)
        grid_fmt(g, y, g->cols - utf8_cells(str_of(other)) - 4, g->cols, STYLE_DIM, " %s ", other);
}

static void draw_in(struct screen *s, const struct pane_ops *pane, struct rect r)
{
    struct rect was = grid_clip(&s->grid, r);
    pane->draw(s, r);
    grid_clip(&s->grid, was);
}

/* The pane below the table: the one with the keys, else the detail; side by side where there is room. */
static void lower(struct screen *s, struct rect r)
{
    enum focus f = s->desk.focus;
    if (r.h < 2)
        return;
    struct rect in = {r.y + 1, r.x + 1, r.h - 1, r.w - 2};
    if (r.w >= 150) {
        int half = r.w / 2;
        rule(s, r.y, _("detail"), NULL);
        grid_fmt(&s->grid, r.y, half + 2, r.w, STYLE_TITLE, " %s ", _("stack"));
        draw_in(s, &pane_detail, (struct rect){in.y, in.x, in.h, half - 2});
        for (int y = 0; y < in.h; y++)
            grid_put(&s->grid, in.y + y, half, 1, STYLE_RULE, "│");
        draw_in(s, &pane_stack, (struct rect){in.y, half + 2, in.h, r.w - half - 3});
    } else {
        bool stack = f == FOCUS_STACK;
        rule(s, r.y, stack ? _("stack") : _("detail"), stack ? _("Tab: table") : f == FOCUS_DETAIL ? _("Tab: stack") : _("s: stack"));
        draw_in(s, stack ? &pane_stack : &pane_detail, in);
    }
}

/* How what was being written ended. */
static void written(struct screen *s)
{
    struct workspace *d = &s->desk;
    enum report_job_state how = report_job_take(&d->scribe);
    if (how == REPORT_JOB_FAILED)
        workspace_complain(d, "%s", d->scribe.err.text);
    else if (how == REPORT_JOB_WRITTEN)
        workspace_say(d, d->scribe.told ? _("written: %s; %s") : _("written: %s"), d->scribe.path, d->scribe.told);
    s->writing = report_job_busy(&d->scribe);
}

void screen_draw(struct screen *s)
{
    struct grid *g = &s->grid;
    int top = g->rows >= 6 ? 2 : 0, body = g->rows - top - 1;
    grid_clear(g);
    session_lock(&s->session);
    workspace_refresh(&s->desk);
    written(s);
    if (!s->hurry || s->shown_line >= workspace_lines(&s->desk))
        s->shown_line = s->desk.cursor;
    if (top) {
        header(s);
        status(s);
        in_force(s);
    }
    struct rect r = {top, 0, body, g->cols};
    if (body > 0 && (s->desk.overlay != OVERLAY_NONE || s->desk.sight.open)) {
        draw_in(s, screen_pane(s), r);
    } else if (body > 0) {
        int low = body * 2 / 5 < 11 ? body * 2 / 5 : 11 + (body - 28 > 0 ? (body - 28) / 3 : 0);
        if (s->desk.zoom)
            low = body;
        else if (body < 10)
            low = s->desk.focus == FOCUS_TABLE ? 0 : body;
        else if (low < 5)
            low = 5;
        if (s->desk.c->failed)
            low = 0;
        if (body - low > 0)
            draw_in(s, s->desk.group != GROUP_NONE ? &pane_outline : &pane_table, (struct rect){r.y, r.x, body - low, r.w});
        lower(s, (struct rect){r.y + body - low, r.x, low, r.w});
    }
    footer(s, g->rows - 1);
    session_unlock(&s->session);
}

#include "ui/screen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/embed.h"
#include "base/io.h"
#include "base/map.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"
#include "find/explain.h"
#include "panel/handed.h"
#include "report/pack.h"
#include "round/leave.h"
#include "ui/edit.h"
#include "ui/pane.h"
#include "ui/ticket.h"

/* ---- start and stop ---- */

static const struct pane_ops *const focused[FOCUS_COUNT] = {&pane_table, &pane_detail, &pane_stack};

static const struct pane_ops *active_pane(const struct screen *s)
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

static int start_session(struct screen *s, struct err *e)
{
    struct session_options so;
    ticket_session(&s->inv, &s->opt, &so);
    so.notify = s->notify;
    so.examine = true;
    so.ctx = s->ctx;
    if (session_start(&s->session, &so, e))
        return -1;
    desk_init(&s->desk, &s->session, &s->inv);
    if (s->inv.pack)
        desk_say(&s->desk, _("%s: what was found there, with the tensors that were packed; nothing you do here is saved"), s->inv.pack);
    if (s->inv.holder)
        desk_complain(&s->desk, _("this investigation is open elsewhere (%s): nothing you do here is saved"), s->inv.holder);
    buf_release(&s->table.name);
    s->table = (struct table_state){0};
    return 0;
}

int screen_start(struct screen *s, const struct options *o, const char *state_dir, struct err *e)
{
    s->opt = *o;
    s->opt.nothing = o->args == 0 || investigation_is(o->arg[0]); /* the panels may be all that was told to it */
    s->state_dir = state_dir ? mem_strdup(state_dir) : NULL;
    s->cursor_y = s->cursor_x = -1;
    if (keymap_parse(&s->keys, embed_str(&embed_keys_conf), "keys.conf", e) ||
        ticket_open(&s->inv, &s->opt, s->state_dir, true, e) || start_session(s, e)) {
        screen_stop(s);
        return -1;
    }
    if (!s->inv.input[0])
        s->desk.overlay = OVERLAY_INTAKE;
    return 0;
}

void screen_stop(struct screen *s)
{
    desk_release(&s->desk);
    session_stop(&s->session);
    investigation_release(&s->inv);
    keymap_release(&s->keys);
    free(s->opened[0]);
    free(s->opened[1]);
    free(s->state_dir);
    plot_runs_release(&s->runs);
    grid_release(&s->grid);
    buf_release(&s->table.name);
    for (size_t i = 0; i < s->prompt.history.n; i++)
        free(s->prompt.history.v[i]);
    vec_release(&s->prompt.history);
    buf_release(&s->prompt.text);
}

void screen_size(struct screen *s, int rows, int cols)
{
    grid_init(&s->grid, rows < 1 ? 1 : rows, cols < 1 ? 1 : cols);
}

/* ---- drawing ---- */

/* What tells one side's path from the other's: the last part in which they differ. */
static struct str telling_part(const struct session *x, int side)
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
    const struct session *x = &s->session;
    struct buf right = {0};
    struct session_progress p;
    session_progress(x, &p);
    const char *what = p.comparing ? _("compared") : !x->single || !x->paired ? _("reading") : x->settled ? _("read") : _("looked over");
    int w = g->cols, used = 0;
    if (!x->side[TARGET].path) { /* the panels alone */
        grid_put(g, 0, 1, w - 1, STYLE_HEADER, "diverge");
        return;
    }
    if (x->judged)
        buf_fmt(&right, _("coverage %.0f %% ⇄ %.0f %%   "), x->judged->sum.coverage[0] * 100, x->judged->sum.coverage[1] * 100);
    rate(x, &p, &right);
    buf_fmt(&right, "%s ", x->paused ? _("paused") : what);
    int right_w = utf8_cells(buf_view(&right)) + 8 + 6;
    int room = w - right_w - 2;
    struct buf left = {0};
    for (int i = 0; i < 2 && !(i && x->single); i++) {
        const struct dump *d = &x->side[i].dump;
        struct str part = telling_part(x, i);
        buf_fmt(&left, "%s%.*s", i ? " ⇄ " : "", STR_ARG(part));
        if (w >= 120 && x->side[i].state >= SIDE_LOADING)
            buf_fmt(&left, " %s %s %s", d->framework, d->level, d->task);
    }
    const struct dump *t = &x->side[0].dump, *go = &x->side[1].dump;
    if (t->step >= 0)
        buf_fmt(&left, x->single || t->step == go->step || go->step < 0 ? _("  step %d") : _("  step %d:%d"), t->step, go->step);
    if (t->rank >= 0)
        buf_fmt(&left, x->single || t->rank == go->rank || go->rank < 0 ? _("  rank %d") : _("  rank %d:%d"), t->rank, go->rank);
    if (x->since.there)
        buf_fmt(&left, _("  round %u"), x->since.before.number + 1);
    if (room >= 20) {
        grid_middle(g, 0, 1, room, STYLE_HEADER, buf_view(&left));
        used = w - right_w;
        used += grid_text(g, 0, used, right_w, STYLE_HEADER, buf_view(&right));
        used += bar(s, 0, used, p.share);
        grid_fmt(g, 0, used, 6, STYLE_HEADER, " %3.0f %%", floor(p.share * 100));
    } else {
        grid_middle(g, 0, 0, w, STYLE_HEADER, buf_view(&left));
    }
    buf_release(&left);
    buf_release(&right);
}

/* At the right of line 2, over whatever is there: what hides rows, and what is searched. */
static void in_force(struct screen *s)
{
    struct grid *g = &s->grid;
    const struct arrange *a = &s->desk.arrange;
    struct buf b = {0};
    char n[NUM_MAX], m[NUM_MAX];
    uint32_t all = desk_lines(&s->desk), left = desk_shown(&s->desk);
    if (scribe_busy(&s->desk.scribe))
        buf_fmt(&b, _("writing %s %.0f %%, Esc gives it up  "), path_base(str_of(s->desk.scribe.path)).p, 100 * scribe_share(&s->desk.scribe));
    if (a->filters.n && a->work)
        buf_fmt(&b, _("& filtering %.0f %%"), 100 * arrange_progress(a));
    else if (a->filters.n)
        buf_fmt(&b, _("& %s rows, %s hidden"), num_count(n, left), num_count(m, all - left));
    else if (a->work)
        buf_fmt(&b, _("sorting %.0f %%"), 100 * arrange_progress(a));
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
    const struct guide *gu = &s->desk.guide;
    struct grid *g = &s->grid;
    int from = at;
    if (!gu->written || !guide_begun(gu) || g->cols < 110)
        return 0;
    for (int i = 0; i < PANELS; i++) {
        enum panel_state st = gu->page[i].state;
        at += grid_fmt(g, 1, at, 3, STYLE_DIM, "%d ", i + 1);
        at += grid_put(g, 1, at, 1, panel_style(st), panel_glyph(st)) + 1;
    }
    return at - from + 2;
}

/* Line 2: where the first deviation is, and how many rows of each verdict. */
static void status(struct screen *s)
{
    struct grid *g = &s->grid;
    const struct session *x = &s->session;
    const struct judgement *j = x->judged;
    char n[NUM_MAX], m[NUM_MAX];
    int at = 1 + panel_states(s, 1);
    if (x->failed) {
        grid_put(g, 1, at, g->cols - at, STYLE_ERROR, _("could not be opened"));
        return;
    }
    if (!x->side[0].path) {
        grid_put(g, 1, at, g->cols - at, STYLE_DIM, guide_begun(&s->desk.guide) ? _("no dumps are open") : _("nothing is open"));
        return;
    }
    if (x->single && x->paired) {
        const struct check *c = &x->examined.check;
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
    inputs_differing(&x->inputs, &wrong);
    if (wrong.n) /* before any layer is to blame */
        at += grid_fmt(g, 1, at, g->cols, STYLE_ERROR, _("STEP INPUTS DIFFER: %s   "), wrong.p);
    buf_release(&wrong);
    if (j->first != NONE) {
        bool so_far = j->pending_before || !x->settled, provisional = j->doubtful_before || j->gaps_before || j->unread_before;
        at += grid_fmt(g, 1, at, g->cols, STYLE_FIRST, so_far ? _("first so far: row %s %s") : provisional ? _("first deviation: row %s %s (provisional)") : _("first deviation: row %s %s"),
                       num_count(n, j->first + 1), class_label(j->klass));
    } else if (x->settled) {
        struct judge_options o = session_judge_options(x);
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
    const struct pane_ops *p = active_pane(s);
    int x = 1;
    for (const struct hint *h = p->hints; h->command; h++) {
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
    struct desk *d = &s->desk;
    enum scribe_state how = scribe_take(&d->scribe);
    if (how == SCRIBE_FAILED)
        desk_complain(d, "%s", d->scribe.err.text);
    else if (how == SCRIBE_WRITTEN)
        desk_say(d, d->scribe.told ? _("written: %s; %s") : _("written: %s"), d->scribe.path, d->scribe.told);
    s->writing = scribe_busy(&d->scribe);
}

void screen_draw(struct screen *s)
{
    struct grid *g = &s->grid;
    int top = g->rows >= 6 ? 2 : 0, body = g->rows - top - 1;
    grid_clear(g);
    session_lock(&s->session);
    desk_refresh(&s->desk);
    written(s);
    if (!s->hurry || s->shown_line >= desk_lines(&s->desk))
        s->shown_line = s->desk.cursor;
    if (top) {
        header(s);
        status(s);
        in_force(s);
    }
    struct rect r = {top, 0, body, g->cols};
    if (body > 0 && (s->desk.overlay != OVERLAY_NONE || s->desk.sight.open)) {
        draw_in(s, active_pane(s), r);
    } else if (body > 0) {
        int low = body * 2 / 5 < 11 ? body * 2 / 5 : 11 + (body - 28 > 0 ? (body - 28) / 3 : 0);
        if (s->desk.zoom)
            low = body;
        else if (body < 10)
            low = s->desk.focus == FOCUS_TABLE ? 0 : body;
        else if (low < 5)
            low = 5;
        if (s->session.failed)
            low = 0;
        if (body - low > 0)
            draw_in(s, s->desk.group != GROUP_NONE ? &pane_outline : &pane_table, (struct rect){r.y, r.x, body - low, r.w});
        lower(s, (struct rect){r.y + body - low, r.x, low, r.w});
    }
    footer(s, g->rows - 1);
    session_unlock(&s->session);
}

/* ---- commands and what they leave to do ---- */

/* Begun here, it is written in the background; the message comes with a later frame. */
static void write_result(struct screen *s)
{
    struct desk *d = &s->desk;
    const struct report_options ro = {.rows = d->write_report || d->write_pack ? ROWS_NONE : ROWS_ALL, .tool = "diverge " DIVERGE_VERSION, .inv = &s->inv,
                                      .guide = d->write_report || d->write_pack ? &d->guide : NULL, .date = ticket_date()};
    session_lock(&s->session);
    if (d->write_pack)
        scribe_pack(&d->scribe, d->write_path, s->opt.pack_limit ? s->opt.pack_limit : PACK_LIMIT, &ro);
    else
        scribe_begin(&d->scribe, d->write_path, d->write_report, &ro);
    session_unlock(&s->session);
}

/* Other inputs: their own investigation, with the limits and bookmarks that were left there. */
static int other_inputs(struct screen *s, char *input[2], struct err *e)
{
    investigation_release(&s->inv);
    for (int i = 0; i < 2; i++) {
        free(s->opened[i]);
        s->opened[i] = input[i];
        s->opt.arg[i] = input[i];
        s->opt.step[i] = s->opt.rank[i] = -1;
    }
    s->opt.args = input[1] ? 2 : 1;
    s->opt.maps = 0;
    s->opt.investigation = NULL;
    s->opt.packed = NULL; /* what is opened now is no longer in the pack */
    s->looked = false;
    return ticket_open(&s->inv, &s->opt, s->state_dir, true, e);
}

/* The round that is open is frozen, and the investigation goes on with the new inputs; one of the user's own folder is found by
 * its inputs, so it goes on under their name. False with a message: nothing has changed. */
static bool next_round(struct screen *s, char *input[2])
{
    struct err e = {0};
    struct buf path = {0};
    const char *const next[2] = {input[0], input[1] ? input[1] : s->inv.input[1]};
    bool own = s->inv.path && s->state_dir && str_starts(str_of(s->inv.path), s->state_dir);
    if (own)
        ticket_own_path(next, s->state_dir, &path);
    session_lock(&s->session);
    guide_write(&s->desk.guide);
    int rc = own && path_is_file(path.p) ? err_set(&e, ERR_USAGE, _("%s is an investigation of these two already; --investigation FILE keeps one of several rounds"), path.p)
                                         : round_leave(&s->inv, &s->session, &s->desk.guide, input[0], input[1], path.p, &e);
    session_unlock(&s->session);
    if (rc)
        desk_complain(&s->desk, "%s", e.text);
    buf_release(&path);
    free(input[0]);
    free(input[1]);
    input[0] = input[1] = NULL;
    return rc == 0;
}

/* What the user set up stays when the inputs are read anew. */
static void restart(struct screen *s)
{
    struct err e = {0}, quiet;
    struct desk was = s->desk;
    struct arrange kept = s->desk.arrange;
    char *input[2] = {s->desk.new_input[0], s->desk.new_input[1]};
    bool round = s->desk.new_round;
    s->desk.new_input[0] = s->desk.new_input[1] = NULL;
    s->desk.new_round = false;
    if (round && !next_round(s, input))
        return;
    memcpy(s->inv.step, s->desk.new_step, sizeof s->inv.step);
    memcpy(s->inv.rank, s->desk.new_rank, sizeof s->inv.rank);
    investigation_save(&s->inv, &quiet);
    memset(s->inv.state, 0, sizeof s->inv.state); /* other recordings, or the same grown */
    s->desk.arrange = (struct arrange){0};
    plot_runs_release(&s->runs);
    desk_release(&s->desk);
    session_stop(&s->session);
    int rc = input[0] ? other_inputs(s, input, &e) : 0;
    if (start_session(s, &quiet)) /* fails only for options that were good before */
        return;
    arrange_restart(&kept);
    free(kept.line);
    free(kept.place);
    kept.line = kept.place = NULL;
    s->desk.arrange = kept;
    s->desk.layout = was.layout;
    s->desk.digits = was.digits;
    s->desk.theme = was.theme;
    s->desk.mouse = was.mouse;
    s->desk.watch = was.watch;
    if (rc)
        desk_complain(&s->desk, "%s", e.text);
    if (input[0] || round || was.overlay == OVERLAY_INTAKE)
        s->desk.overlay = OVERLAY_INTAKE;
    if (!input[0] && was.overlay == OVERLAY_PANEL) {
        s->desk.overlay = OVERLAY_PANEL;
        s->desk.panel = was.panel;
        s->desk.panel_at = was.panel_at;
    }
}

static void open_prompt(struct screen *s)
{
    struct prompt *p = &s->prompt;
    buf_clear(&p->text);
    buf_cstr(&p->text, s->desk.prompt);
    p->kind = s->desk.prompt_kind;
    p->at = p->text.n;
    p->active = true;
    p->recall = p->history.n;
    p->completion = -1;
}

void screen_keys(struct screen *s, struct str set)
{
    static const struct {
        const char *set; /* NULL: below all of them */
        const struct embedded *file;
    } files[] = {{NULL, &embed_keys_conf}, {"vim", &embed_keys_vim_conf}, {"less", &embed_keys_less_conf}};
    struct err e;
    keymap_release(&s->keys);
    for (size_t i = 0; i < ARRAY_LEN(files); i++) /* our own files: no errors in them */
        if (!files[i].set || str_is(set, files[i].set))
            keymap_parse(&s->keys, embed_str(files[i].file), "keys.conf", &e);
}

int screen_command(struct screen *s, const char *text)
{
    buf_clear(&s->desk.message);
    int r = command_run(&s->desk, text);
    if (r & R_WRITE)
        write_result(s);
    if (r & R_KEYS)
        screen_keys(s, str_of(s->desk.keys));
    if (r & R_RESTART)
        restart(s);
    if (r & R_PROMPT)
        open_prompt(s);
    return (r & (R_QUIT | R_SUSPEND | R_OPEN | R_REPAINT | R_COPY | R_MOUSE | R_KEYS | R_EDIT)) | R_DRAW;
}

/* ---- the prompt ---- */

static void insert(struct prompt *p, const char *s)
{
    size_t n = strlen(s), rest = p->text.n - p->at;
    buf_reserve(&p->text, n);
    memmove(p->text.p + p->at + n, p->text.p + p->at, rest);
    memcpy(p->text.p + p->at, s, n);
    p->text.n += n;
    p->text.p[p->text.n] = 0;
    p->at += n;
}

static void cut(struct prompt *p, size_t from, size_t to)
{
    memmove(p->text.p + from, p->text.p + to, p->text.n - to);
    p->text.n -= to - from;
    p->text.p[p->text.n] = 0;
    p->at = from;
}

/* Start of the character before, and behind, a place in UTF-8. */
static size_t before(const struct prompt *p)
{
    size_t i = p->at;
    while (i > 0 && (p->text.p[--i] & 0xc0) == 0x80)
        continue;
    return i;
}

static size_t after(const struct prompt *p)
{
    size_t i = p->at;
    if (i < p->text.n)
        do
            i++;
        while (i < p->text.n && (p->text.p[i] & 0xc0) == 0x80);
    return i;
}

static void recall(struct prompt *p, int by)
{
    size_t to = p->recall + (size_t)by;
    if (to > p->history.n) /* also below 0 */
        return;
    p->recall = to;
    buf_clear(&p->text);
    buf_cstr(&p->text, to < p->history.n ? p->history.v[to] + 1 : "");
    p->at = p->text.n;
}

static void complete(struct screen *s)
{
    struct prompt *p = &s->prompt;
    if (p->kind == '/')
        return;
    if (p->completion < 0) {
        p->stem = p->text.n;
        p->completion = 0;
    }
    struct buf asked = {0};
    char *typed = mem_strdup(p->text.p ? p->text.p : "");
    typed[p->stem] = 0;
    char *blank = strrchr(typed, ' ');
    if (p->kind == '&') /* the names of fields, at any word */
        buf_fmt(&asked, "filter %s", blank ? blank + 1 : typed);
    else
        buf_cstr(&asked, typed);
    session_lock(&s->session);
    const char *word = command_complete(&s->desk, asked.p ? asked.p : "", p->completion);
    if (!word && p->completion) /* round again */
        word = command_complete(&s->desk, asked.p ? asked.p : "", p->completion = 0);
    session_unlock(&s->session);
    buf_release(&asked);
    if (word) {
        size_t keep = blank ? (size_t)(blank - typed) + 1 : 0;
        p->text.n = keep;
        buf_cstr(&p->text, word);
        p->at = p->text.n;
        p->completion++;
    }
    free(typed);
}

static int finish(struct screen *s)
{
    struct prompt *p = &s->prompt;
    char *line = mem_alloc(p->text.n + 2);
    line[0] = p->kind;
    memcpy(line + 1, p->text.p ? p->text.p : "", p->text.n);
    line[p->text.n + 1] = 0;
    p->active = false;
    struct buf command = {0};
    if (p->kind == '/')
        buf_cstr(&command, "search ");
    if (p->kind == '&' && p->text.n)
        buf_cstr(&command, "filter ");
    buf_cstr(&command, line + 1);
    if (p->text.n)
        vec_push(&p->history, line);
    else
        free(line);
    int r = screen_command(s, command.p ? command.p : "");
    buf_release(&command);
    return r;
}

static int prompt_key(struct screen *s, const char *key)
{
    struct prompt *p = &s->prompt;
    buf_clear(&s->desk.message);
    if (strcmp(key, "Tab") == 0) {
        complete(s);
        return R_DRAW;
    }
    p->completion = -1;
    if (strcmp(key, "Enter") == 0)
        return finish(s);
    if (strcmp(key, "C-e") == 0 && edit_from_prompt(s)) {
        p->into_editor = true;
        return R_DRAW | R_EDIT;
    }
    if (strcmp(key, "Esc") == 0 || strcmp(key, "C-c") == 0 || strcmp(key, "C-g") == 0 ||
        (strcmp(key, "Backspace") == 0 && !p->text.n))
        p->active = false;
    else if (strcmp(key, "Backspace") == 0 && p->at)
        cut(p, before(p), p->at);
    else if (strcmp(key, "Delete") == 0 || strcmp(key, "C-d") == 0) {
        size_t from = p->at;
        cut(p, from, after(p));
    } else if (strcmp(key, "Left") == 0 || strcmp(key, "C-b") == 0)
        p->at = before(p);
    else if (strcmp(key, "Right") == 0 || strcmp(key, "C-f") == 0)
        p->at = after(p);
    else if (strcmp(key, "Home") == 0 || strcmp(key, "C-a") == 0)
        p->at = 0;
    else if (strcmp(key, "End") == 0 || strcmp(key, "C-e") == 0)
        p->at = p->text.n;
    else if (strcmp(key, "C-u") == 0)
        cut(p, 0, p->at);
    else if (strcmp(key, "C-k") == 0) {
        size_t from = p->at;
        cut(p, from, p->text.n);
    } else if (strcmp(key, "C-w") == 0) {
        size_t to = p->at, from = to;
        while (from && p->text.p[from - 1] == ' ')
            from--;
        while (from && p->text.p[from - 1] != ' ')
            from--;
        cut(p, from, to);
    } else if (strcmp(key, "Up") == 0 || strcmp(key, "C-p") == 0)
        recall(p, -1);
    else if (strcmp(key, "Down") == 0 || strcmp(key, "C-n") == 0)
        recall(p, 1);
    else if (strcmp(key, "Space") == 0)
        insert(p, " ");
    else if (utf8_cells(str_of(key)) >= 1 && (strlen(key) == 1 || (unsigned char)key[0] >= 0x80))
        insert(p, key);
    return R_DRAW;
}

int screen_key(struct screen *s, const char *key)
{
    if (s->prompt.active)
        return prompt_key(s, key);
    const char *command = keymap_find(&s->keys, active_pane(s)->place, key);
    buf_clear(&s->desk.message);
    if (!command) {
        desk_complain(&s->desk, _("%s does nothing here; ? lists the keys"), key);
        return R_DRAW;
    }
    return screen_command(s, command);
}

int screen_mouse(struct screen *s, int y, int x, int by)
{
    struct table_state *t = &s->table;
    if (s->prompt.active)
        return 0;
    if (by)
        return screen_command(s, s->desk.sight.open ? by > 0 ? "cells down 3" : "cells up 3" : by > 0 ? "down 3" : "up 3");
    if (s->desk.overlay != OVERLAY_NONE || s->desk.sight.open || s->desk.group != GROUP_NONE)
        return 0;
    if (y == t->head) {
        for (int i = t->heads - 1; i >= 0; i--)
            if (x >= t->head_x[i]) {
                char text[80];
                snprintf(text, sizeof text, "sort %s", t->head_field[i]->name);
                return screen_command(s, text);
            }
        return screen_command(s, "sort none");
    }
    if (y > t->head && t->step > 0) {
        session_lock(&s->session);
        uint32_t pos = t->top + (uint32_t)((y - t->head - 1) / t->step), n = desk_shown(&s->desk);
        if ((y - t->head - 1) / t->step < s->desk.page && pos < n)
            desk_step(&s->desk, (long)pos - (long)desk_pos(&s->desk));
        s->desk.focus = FOCUS_TABLE;
        session_unlock(&s->session);
        return R_DRAW;
    }
    return 0;
}

/* ---- growing dumps ---- */

static uint64_t stamp_of(const struct session *s)
{
    static const char *const files[] = {NULL, "dump.json", "statistic.csv"}; /* NULL: the folder or file itself */
    uint64_t h = 0;
    struct buf path = {0};
    for (int i = 0; i < 2; i++) {
        const struct session_side *x = &s->side[i];
        if (x->place >= x->places.n)
            continue;
        const char *root = x->places.v[x->place].paths.v[0];
        for (size_t f = 0; f < ARRAY_LEN(files); f++) {
            uint64_t stamp[2];
            if (files[f])
                path_join(&path, root, files[f]);
            if (path_changed(files[f] ? path.p : root, stamp))
                h = hash_bytes(stamp, sizeof stamp, h + f);
        }
    }
    buf_release(&path);
    return h;
}

void screen_tick(struct screen *s)
{
    session_lock(&s->session);
    guide_follow(&s->desk.guide, s->desk.watch && (s->desk.overlay == OVERLAY_PANEL || guide_begun(&s->desk.guide)));
    bool quiet = s->session.settled && s->desk.watch;
    uint64_t now = quiet ? stamp_of(&s->session) : 0;
    session_unlock(&s->session);
    if (!quiet)
        return;
    bool grew = s->stamp && now != s->stamp, still = now == s->stamp_seen;
    s->stamp_seen = now;
    if (!s->stamp)
        s->stamp = now;
    if (grew && still) { /* and nothing is being written any more */
        s->stamp = now;
        screen_command(s, "reload");
    }
}

/* ---- background ---- */

/* A folder of several things: which one is meant? */
static void list_folder(struct screen *s)
{
    struct buf b = {0};
    buf_fmt(&b, "dumps %s", s->inv.input[0]);
    screen_command(s, b.p);
    buf_release(&b);
}

/* Logs, settings, optimizer steps and weights of other names come to the panel that judges them, with all the others
 * around it. */
static void take_handed(struct screen *s)
{
    if (s->looked)
        return;
    session_lock(&s->session);
    bool failed = s->session.failed;
    s->looked = failed || s->session.paired;
    if (!s->looked) {
        session_unlock(&s->session);
        return;
    }
    int panel = failed ? handed_give(&s->inv) : handed_give_weights(&s->inv, &s->session);
    if (panel) {
        s->desk.overlay = OVERLAY_PANEL;
        s->desk.panel = panel;
        guide_tell(&s->desk.guide);
    }
    bool folder = failed && !panel && s->inv.input[0] && path_is_dir(s->inv.input[0]);
    session_unlock(&s->session);
    if (panel && failed)
        restart(s);
    else if (folder)
        list_folder(s);
}

bool screen_idle(struct screen *s)
{
    bool left = false;
    take_handed(s);
    session_lock(&s->session);
    uint32_t lines = desk_lines(&s->desk);
    if (lines && s->session.paired)
        left = arrange_step(&s->desk.arrange, &s->session, lines);
    if (s->session.paired && s->desk.search.code) {
        const struct dump *const side[2] = {&s->session.side[0].dump, &s->session.side[1].dump};
        left |= search_count(&s->desk.search, side, &s->session.pairing, 8192);
    }
    left |= desk_seek(&s->desk);
    session_unlock(&s->session);
    return left;
}

void screen_rest(struct screen *s)
{
    ward_wait(&s->desk.ward);
    guide_wait(&s->desk.guide);
    scribe_wait(&s->desk.scribe);
    if (!s->desk.sight.open)
        return;
    gaze_wait(&s->desk.sight.gaze);
    screen_draw(s); /* asks for what an open tensor has to show */
    gaze_wait(&s->desk.sight.gaze);
}

void screen_settle(struct screen *s)
{
    struct err e;
    session_wait(&s->session, &e); /* a failure is drawn */
    while (screen_idle(s))
        continue;
}

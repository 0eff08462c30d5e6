/* Draws one frame: the header, active filters and settings, the panes, and the line of keys. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"
#include "compare/input_doubts.h"
#include "judge/verdict_text.h"
#include "cmd/pane_verbs.h"
#include "cmd/workspace_refresh.h"
#include "ui/pane.h"

static const struct pane_ops *const panes[PANE_COUNT] = {
    [PANE_HELP] = &pane_help,         [PANE_LIST] = &pane_list,     [PANE_INTAKE] = &pane_intake,
        [PANE_PANEL] = &pane_panel,
    [PANE_OVERVIEW] = &pane_overview, [PANE_RANKS] = &pane_ranks, [PANE_TENSOR] = &pane_tensor, [PANE_GROUPS] = &pane_outline,
    [PANE_TABLE] = &pane_table,
    [PANE_DETAIL] = &pane_detail,     [PANE_STACK] = &pane_stack,
};

const struct pane_ops *pane_of(enum pane_id id)
{
    return panes[id];
}

const struct pane_ops *screen_pane(const struct screen *s)
{
    return panes[pane_now(&s->work)];
}

uint32_t pane_top(uint32_t top, uint32_t at, uint32_t n)
{
    if (at < top)
        return at;
    return n && at >= top + n ? at - n + 1 : top;
}

static struct str telling_part(struct str a, struct str b)
{
    struct str base = path_base(a);
    while (a.n && b.n) {
        struct str p = path_base(a), q = path_base(b);
        if (!str_eq(p, q))
            return p;
        a = path_parent(a);
        b = path_parent(b);
    }
    return base;
}

struct str screen_telling_part(const struct comparison *x, int side)
{
    return telling_part(str_of(x->side[side].path), str_of(x->single ? "" : x->side[!side].path));
}

int screen_bar(struct grid *g, int y, int x, double share)
{
    static const char *const part[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
    int cells = 6, eighths = (int)(share * cells * 8 + 0.5);
    grid_put(g, y, x, 1, STYLE_PROGRESS, "▕");
    for (int i = 0; i < cells; i++) {
        int here = eighths - i * 8;
        here = here < 0 ? 0 : here > 8 ? 8 : here;
        if (g->ascii)
            here = here > 4 ? 8 : 0;
        grid_put(g, y, x + 1 + i, 1, STYLE_PROGRESS, part[here]);
    }
    grid_put(g, y, x + 1 + cells, 1, STYLE_PROGRESS, "▏");
    return cells + 2;
}

/* The speed of reading tensors and the estimated remaining time, once known. */
static void put_reading_rate(const struct session *x, const struct session_progress *p, struct buf *out)
{
    char n[NUM_MAX];
    if (p->per_second > 0 && !x->settled && !x->paused)
        buf_fmt(out, _("%s/s  %.0f s left   "), num_bytes(n, (unsigned long long)p->per_second), p->left);
}

/* What the user has to know before anything is done: that it will not be in the file. */
static const char *kept_state(const struct screen *s)
{
    return s->inv.read_only ? _("READ-ONLY") : s->inv.unsaved.code ? _("NOT SAVED") : NULL;
}

/* "ticket-1187 · round 2 of 3 · 1 finding open: ", the name of an investigation with a given file, the round that is
 * open, and the number of findings still suspected. */
static void ticket_name(const struct investigation *v, bool brief, struct buf *out)
{
    struct str name = path_base(str_of(v->path && !v->own ? v->path : ""));
    if (str_ends(name, INVESTIGATION_ENDING))
        name.n -= strlen(INVESTIGATION_ENDING);
    buf_str(out, name);
    if (v->rounds.n)
        buf_fmt(out, v->shown ? _("%sround %u of %zu") : _("%sround %u"), name.n ? " · " : "",
                investigation_round(v), v->rounds.n + 1);
    size_t open = findings_open(&v->findings);
    if (open)
        buf_fmt(out, brief ? _("%s%zu open") : open == 1 ? _("%s%zu finding open") : _("%s%zu findings open"),
                out->n ? " · " : "", open);
    if (out->n)
        buf_cstr(out, ": ");
}

/* A side's number, or both where they differ. */
static void put_side_numbers(const struct comparison *x, const char *what, int target, int golden, struct buf *out)
{
    if (target >= 0)
        buf_fmt(out, "  %s %d", what, target);
    if (target >= 0 && golden >= 0 && golden != target && !x->single)
        buf_fmt(out, ":%d", golden);
}

/* three lengths of the title: full, without the frameworks, without single numbers */
enum { OPEN_ALL, OPEN_NO_WORDS, OPEN_SHORT };

/* "ticket-1187 · round 2: ms ⇄ torch  step 0  rank 0" */
static void what_is_open(const struct screen *s, struct buf *out, int how)
{
    const struct comparison *x = s->work.c;
    const struct dump *t = &x->side[0].dump, *go = &x->side[1].dump;
    bool steps = how != OPEN_SHORT, ranks = steps;
    for (int i = 0; i < 2; i++) {
        int n[2];
        input_doubts_extent(&x->side[i], &n[0], &n[1]);
        steps |= n[0] > 1;
        ranks |= n[1] > 1;
    }
    ticket_name(&s->inv, how != OPEN_ALL, out);
    for (int i = 0; i < 2 && !(i && x->single); i++) {
        const struct dump *d = &x->side[i].dump;
        struct str part = screen_telling_part(x, i);
        buf_fmt(out, "%s%.*s", i ? " ⇄ " : "", STR_ARG(part));
        const char *const words[] = {d->framework, d->level, d->task};
        for (size_t k = 0; k < ARRAY_LEN(words) && how == OPEN_ALL && s->grid.cols >= 120 &&
                           x->side[i].state >= SIDE_LOADING; k++)
            if (words[k] && *words[k])
                buf_fmt(out, " %s", words[k]);
    }
    if (steps)
        put_side_numbers(x, "step", t->step, go->step, out);
    if (ranks)
        put_side_numbers(x, "rank", t->rank, go->rank, out);
}

/* "diverge  target.log ⇄ golden.log": no recordings are open, the panels alone. */
static int given_files(const struct screen *s, struct grid *g, int room)
{
    const char *path[2];
    struct buf b = {0};
    int used = 1 + grid_put(g, 0, 1, g->cols - 1, STYLE_HEADER, "diverge");
    bool any = path_kind_given(&s->inv, path);
    ticket_name(&s->inv, false, &b);
    if (!any && b.n)
        b.p[b.n -= 2] = 0; /* its ": " */
    if (any)
        for (int i = 0; i < 2 && !(i && !path[i]); i++) {
            struct str part = path[i] ? telling_part(str_of(path[i]), str_of(path[!i] ? path[!i] : "")) : STR("-");
            buf_fmt(&b, "%s%.*s", i ? " ⇄ " : "", STR_ARG(part));
        }
    int cells = utf8_cells(buf_view(&b)), left = room - used - 2, w = cells < left ? cells : left;
    if (w > 0) {
        grid_middle(g, 0, used + 2, w, STYLE_HEADER, buf_view(&b));
        used += 2 + w;
    }
    buf_release(&b);
    return used;
}

#define FACTOR_LEAST 110 /* cells from which on a named factor has room beside what is open; `i` has it in any case */

static void draw_header(const struct screen *s, struct grid *g)
{
    const struct comparison *x = s->work.c;
    struct buf right = {0};
    const struct session_progress *p = &s->progress;
    const char *what = p->comparing ? _("compared") : !x->single ||
                       !x->paired ? _("reading") : x->complete ? _("read") : _("checked");
    const char *kept = kept_state(s);
    int w = g->cols, used = 0, kept_w = kept ? utf8_cells(str_of(kept)) + 2 : 0;
    if (!x->side[TARGET].path) {
        used = given_files(s, g, w - (kept_w ? kept_w + 2 : 0));
        if (kept)
            grid_put(g, 0, used + 3, w - used - 3, STYLE_ERROR, kept);
        return;
    }
    if (x->judged && w - kept_w >= FACTOR_LEAST)
        explain_factor(x->judged, &right);
    if (right.n)
        buf_cstr(&right, "   ");
    if (x->judged && !path_kind_other_names(x))
        buf_fmt(&right, _("paired %.0f %% ⇄ %.0f %%   "), x->judged->sum.coverage[0] * 100,
                x->judged->sum.coverage[1] * 100);
    put_reading_rate(&s->session, p, &right);
    buf_fmt(&right, "%s ", s->session.paused ? _("paused") : what);
    int right_w = utf8_cells(buf_view(&right)) + 8 + 6;
    int room = w - right_w - kept_w - 2;
    struct buf left = {0};
    int fits = room >= 20 && !x->failed ? room : w - kept_w - 1;
    for (int how = OPEN_ALL; how <= OPEN_SHORT && (how == OPEN_ALL || utf8_cells(buf_view(&left)) > fits); how++) {
        buf_clear(&left);
        what_is_open(s, &left, how);
    }
    if (room >= 20 && !x->failed) {
        grid_middle(g, 0, 1, room, STYLE_HEADER, buf_view(&left));
        used = w - right_w;
        if (kept)
            grid_put(g, 0, used - kept_w, kept_w, STYLE_ERROR, kept);
        used += grid_text(g, 0, used, right_w, STYLE_HEADER, buf_view(&right));
        used += screen_bar(g, 0, used, p->share);
        grid_fmt(g, 0, used, 6, STYLE_HEADER, " %3.0f %%", floor(p->share * 100));
    } else {
        grid_middle(g, 0, x->failed, w - kept_w - x->failed, STYLE_HEADER, buf_view(&left));
        if (kept && w > kept_w)
            grid_put(g, 0, w - kept_w, kept_w, STYLE_ERROR, kept);
    }
    buf_release(&left);
    buf_release(&right);
}

/* At the right of line 2: active filters and the search. Returns the remaining cells. */
static int in_force(const struct screen *s, struct grid *g)
{
    const struct row_order *a = &s->work.arrange;
    struct buf b = {0};
    char n[NUM_MAX], m[NUM_MAX];
    int room = g->cols;
    uint32_t all = workspace_lines(&s->work), left = workspace_shown(&s->work);
    const char *path = s->work.write_waits ? s->work.write_path : s->work.report.path;
    if (s->writing)
        buf_fmt(&b, _("writing %s %.0f %%, Esc cancels  "), path_base(str_of(path)).p,
                s->work.write_waits ? 0 : 100 * report_job_share(&s->work.report));
    if (a->filters.n && a->work)
        buf_fmt(&b, _("& filtering %.0f %%"), 100 * row_order_progress(a));
    else if (a->filters.n)
        buf_fmt(&b, _("& %s rows, %s hidden"), num_count(n, left), num_count(m, all - left));
    else if (a->work)
        buf_fmt(&b, _("sorting %.0f %%"), 100 * row_order_progress(a));
    if (s->work.search.code) {
        buf_fmt(&b, "%s/", b.n ? "  " : "");
        utf8_middle(&b, str_of(s->work.search.text), g->cols / 3 > 12 ? g->cols / 3 : 12, g->ascii ? "~" : "…");
        buf_fmt(&b, "  %s%s", num_count(n, s->work.search.hits), s->work.search.complete ? "" : "…");
    }
    if (b.n) {
        int w = utf8_cells(buf_view(&b)), x = g->cols - w - 1;
        x = x < 0 ? 0 : x;
        room = x > 1 ? x - 1 : 0;
        grid_text(g, 1, x, g->cols - x, STYLE_HIT, buf_view(&b));
    }
    buf_release(&b);
    return room;
}

/* "1 ✓ 2 ✗ …": the panels' states, once they have inputs; returns the cells used. */
static int panel_states(const struct screen *s, struct grid *g, int at)
{
    const struct procedure *gu = &s->work.guide;
    int from = at;
    if (!gu->written || !procedure_begun(gu) || g->cols < 110)
        return 0;
    for (int i = 0; i < procedure_panels(gu); i++) {
        enum panel_state st = gu->page[i].state;
        at += grid_fmt(g, 1, at, 3, STYLE_DIM, "%d ", i + 1);
        at += grid_put(g, 1, at, 1, pane_panel_style(st), panel_glyph(st)) + 1;
    }
    return at - from + 2;
}

/* Parts without a verdict come first: other ranks, data lost by a damaged file, tensors that were not read. */
static int draw_partial_notes(const struct comparison *x, struct grid *g, int at)
{
    int from = at, ranks = 0;
    bool steps = false;
    char n[NUM_MAX];
    for (int i = 0; i < 2; i++) {
        const place_list *l = &x->side[i].places;
        int here = place_list_ranks(l, x->side[i].dump.step);
        ranks = here > ranks ? here : ranks;
        steps |= l->n && l->v[0].step != l->v[l->n - 1].step;
    }
    if (ranks >= 2 && steps)
        at += grid_fmt(g, 1, at, g->cols - at, STYLE_ERROR, _("only step %d, rank %d of %d: "),
                       x->side[TARGET].dump.step, x->side[TARGET].dump.rank, ranks);
    else if (ranks >= 2)
        at += grid_fmt(g, 1, at, g->cols - at, STYLE_ERROR, _("only rank %d of %d: "),
                       x->side[TARGET].dump.rank, ranks);
    for (int i = 0; i < 2; i++)
        if (x->side[i].dump.cut)
            at += grid_put(g, 1, at, g->cols - at, STYLE_ERROR,
                           i ? _("golden incomplete; ") : _("target incomplete; "));
    if (x->judged && x->judged->sum.unread)
        at += grid_fmt(g, 1, at, g->cols - at, STYLE_ERROR, _("rows not read: %s; "),
                       num_count(n, x->judged->sum.unread));
    return at - from;
}

/* Appends a count; a sign follows the last that fits. */
static bool count_put(struct grid *g, int *at, uint8_t style, const char *what, const char *n)
{
    int w = utf8_cells(str_of(what)) + 1 + utf8_cells(str_of(n)), end = g->clip.x + g->clip.w;
    if (*at + w > end) {
        grid_put(g, 1, *at - 1 < end ? *at - 1 : end - 1, 1, STYLE_DIM, "…");
        return false;
    }
    *at += grid_put(g, 1, *at, w, style, what) + 1;
    *at += grid_put(g, 1, *at, w, STYLE_TEXT, n) + 2;
    return true;
}

static void draw_summary_counts(struct grid *g, int at, const struct judge_summary *sum)
{
    static const enum verdict order[] = {VERDICT_DEVIATE, VERDICT_NONFINITE, VERDICT_SHAPE, VERDICT_IN_DOUBT,
                                         VERDICT_INHERITED, VERDICT_DTYPE, VERDICT_DRIFT, VERDICT_MATCH, VERDICT_SKIP,
                                         VERDICT_PENDING};
    uint32_t alone = 0;
    char n[NUM_MAX];
    bool room = true;
    for (size_t i = 0; i < ARRAY_LEN(order) && room; i++)
        if (sum->by[order[i]])
            room = count_put(g, &at, verdict_style_of(order[i]), verdict_glyph_of(order[i]),
                             num_count(n, sum->by[order[i]]));
    if (sum->dtype_diff && room)
        room = count_put(g, &at, STYLE_DRIFT, _("precision"), num_count(n, sum->dtype_diff));
    if (sum->doubtful && room)
        room = count_put(g, &at, STYLE_TEXT | STYLE_UNDER, _("doubtful"), num_count(n, sum->doubtful));
    for (int s = 0; s < 2; s++)
        alone += sum->compute[s] - sum->covered[s];
    if (alone && room) /* moves and arguments of one side count for nothing */
        count_put(g, &at, STYLE_DIM, _("compute calls without a partner:"), num_count(n, alone));
}

/* Line 2: where the first deviation is, and how many rows of each verdict. */
static void draw_status_line(const struct screen *s, struct grid *g)
{
    const struct comparison *x = s->work.c;
    const struct judgement *j = x->judged;
    char n[NUM_MAX], m[NUM_MAX];
    int at = 1 + panel_states(s, g, 1);
    if (x->failed) {
        grid_put(g, 1, at, g->cols - at, s->looked ? STYLE_ERROR : STYLE_DIM,
                 s->looked ? _("could not be opened") : _("detecting the file type …"));
        return;
    }
    if (!x->side[0].path) {
        grid_put(g, 1, at, g->cols - at, STYLE_DIM,
                 procedure_begun(&s->work.guide) ? _("no dumps are open") : _("nothing is open"));
        return;
    }
    if (x->single && x->paired) {
        const struct dump_check *c = &x->examined.check;
        at += draw_partial_notes(x, g, at);
        at += grid_fmt(g, 1, at, g->cols - at, STYLE_DIM, _("one side only, %s rows"),
                       num_count(n, x->side[0].dump.rows.n)) + 3;
        if (!x->examined.done)
            grid_put(g, 1, at, g->cols - at, STYLE_DIM, _("checking its tensors"));
        else if (c->problems.n == c->notes)
            grid_put(g, 1, at, g->cols - at, STYLE_HEADER, _("no problems found"));
        else
            grid_fmt(g, 1, at, g->cols - at, STYLE_FIRST, _("problems: %s"), num_count(n, c->problems.n - c->notes));
        return;
    }
    if (!j) {
        grid_fmt(g, 1, at, g->cols - at, STYLE_DIM, _("%s rows and %s rows read so far"),
                 num_count(n, x->side[0].dump.rows.n),
                 num_count(m, x->side[1].dump.rows.n));
        return;
    }
    at += draw_partial_notes(x, g, at);
    if (path_kind_other_names(x)) { /* the panel, which pairs them, has their verdict */
        grid_end(g, 1, at, g->clip.x + g->clip.w - at, STYLE_HEADER,
                 str_of(_("checkpoints with other names: panel 2 pairs and compares them")));
        return;
    }
    struct buf wrong = {0};
    step_inputs_differing(&x->inputs, &wrong);
    if (wrong.n) /* before any layer is the cause */
        at += grid_fmt(g, 1, at, g->cols, STYLE_ERROR, _("STEP INPUTS DIFFER: %s   "), wrong.p);
    bool differ = wrong.n > 0;
    buf_release(&wrong);
    if (j->first != NONE) {
        bool so_far = j->pending_before || !s->session.settled,
             provisional = j->doubtful_before || j->gaps_before || j->unread_before;
        at += grid_fmt(g, 1, at, g->cols, STYLE_FIRST, so_far ? _("first so far: row %s %s") : provisional
                           ? _("first deviation: row %s %s (not certain)")
                           : _("first deviation: row %s %s"),
                       num_count(n, j->first + 1), first_class_label(j->first_class));
    } else if (s->session.settled) {
        struct judge_options o = comparison_judge_options(x);
        static const char *const unjudged[] = {
            [UNJUDGED_UNREAD] = N_("could not be judged: some data could not be read"),
            [UNJUDGED_NO_BITS] = N_("could not be judged: bits were not recorded"),
            [UNJUDGED_IN_DOUBT] = N_("could not be judged: doubtful pairs differ"),
            [UNJUDGED_CONTRADICTS] = N_("could not be judged: an output contradicts its own inputs"),
            [UNJUDGED_UNANSWERED] = N_("could not be judged: a value is on one side only"),
            [UNJUDGED_FIGURES] = N_("could not be judged: elements were not compared"),
            [UNJUDGED_FEW] = N_("could not be judged: too few rows are paired"),
        };
        enum unjudged why = judgement_unjudged(j, &o);
        at += grid_put(g, 1, at, g->cols, STYLE_HEADER,
                       why != UNJUDGED_NOT     ? _(unjudged[why])
                       : differ                ? _("no later row deviates")
                       : j->sum.figures_only   ? _("aligned: nothing deviates (≈ elements were not compared)")
                                               : _("aligned: nothing deviates"));
    } else {
        at += grid_put(g, 1, at, g->cols, STYLE_DIM, _("nothing deviates so far"));
    }
    draw_summary_counts(g, at + 3, &j->sum);
}

static void draw_rule(struct grid *g, struct rect r, const char *title, const char *other)
{
    grid_fill(g, r.y, r.x, r.w, 0x2500, STYLE_RULE);
    grid_fmt(g, r.y, r.x + 1, r.w - 2, STYLE_TITLE, " %s ", title);
    if (other && r.w > 40)
        grid_fmt(g, r.y, r.x + r.w - utf8_cells(str_of(other)) - 4, r.w, STYLE_DIM, " %s ", other);
}

/* Where the panes are in a frame. */
struct screen_layout {
    int panes;
    struct {
        const struct pane_ops *pane;
        struct rect r;
    } at[4];
    struct rect lower; /* the pane below the table with its title line; height 0: none */
    struct rect starts, entries; /* the list of starts with its title line, and without; height 0: none */
    int beside;        /* the column that separates it from the pane left of it; 0: it has its own lines */
    int notice;        /* the last line of a notice: the table yields it, so the explanation stays whole */
};

static void place_pane(struct screen_layout *l, const struct pane_ops *pane, struct rect r)
{
    if (r.h > 0)
        l->at[l->panes++].pane = pane, l->at[l->panes - 1].r = r;
}

#define STARTS_RIGHT 180 /* columns from which the list of starts is right of the table */
#define STARTS_LOW 120   /* … right of the detail, with several entries, below SIDE_BY_SIDE */
#define SIDE_BY_SIDE 150 /* columns from which detail and stack are shown beside each other */

/* Places the list of starts at the right of a rectangle, which it narrows. */
static void place_starts_beside(struct screen_layout *l, struct rect *r, int w)
{
    l->beside = r->x + r->w - w;
    l->starts = (struct rect){r->y, l->beside + 1, r->h, w - 1};
    r->w -= w;
    l->entries = (struct rect){r->y + 1, l->beside + 2, r->h - 1, w - 3};
}

/* Places the pane below the table: the focused one, else the detail; side by side if they fit. */
static void place_lower(const struct screen *s, struct screen_layout *l, struct rect r)
{
    bool low = r.w >= STARTS_LOW && r.w < SIDE_BY_SIDE && pane_starts_wanted(s) > 1 && !s->work.zoom && r.h > 5;
    if (r.h < 2)
        return;
    if (low)
        place_starts_beside(l, &r, r.w * 2 / 5);
    struct rect in = {r.y + 1, r.x + 1, r.h - 1, r.w - 2};
    l->lower = r;
    if (r.w < SIDE_BY_SIDE) {
        place_pane(l, s->work.focus == FOCUS_STACK ? &pane_stack : &pane_detail, in);
        return;
    }
    int half = r.w / 2;
    place_pane(l, &pane_detail, (struct rect){in.y, in.x, in.h, half - 2});
    place_pane(l, &pane_stack, (struct rect){in.y, half + 2, in.h, r.w - half - 3});
}

/* Lines of the list of starts between table and detail, with its title: where it is neither right of the table nor of
 * the detail, or has one entry. */
static int starts_height(const struct screen *s, int body)
{
    int n = pane_starts_wanted(s), w = s->grid.cols;
    bool beside = n > 1 && w >= STARTS_LOW && w < SIDE_BY_SIDE;
    if (!n || beside || (n > 1 && w >= STARTS_RIGHT) || s->work.zoom || body < 15)
        return 0;
    return 1 + (n > 1 && body >= 27 ? 2 * n : n);
}

/* The number of lines of the pane below the table. */
static int lower_height(const struct workspace *d, int body)
{
    int low = body / 2 < 11 ? body / 2 : 11 + (body - 28 > 0 ? (body - 28) / 3 : 0);
    if (d->c->failed)
        return 0;
    if (d->zoom)
        return body;
    if (body < 10)
        return d->focus == FOCUS_TABLE ? 0 : body;
    if (body >= 20 && low < 11) /* sentence, action, figures of both sides and their distance */
        low = 11;
    return low < 5 ? 5 : low;
}

static struct screen_layout lay_out_screen(const struct screen *s)
{
    struct screen_layout l = {0};
    const struct workspace *d = &s->work;
    int top = s->grid.rows >= 6 ? 2 : 0, body = s->grid.rows - top - 1, low = lower_height(d, body);
    int list = starts_height(s, body);
    int taken = footer_lines(s) - 1; /* a long message takes lines from the lower pane, not from the table */
    int above = footer_notice_lines(s);
    struct rect r = {top, 0, body - taken, s->grid.cols};
    l.notice = r.y + r.h - 1;
    if (pane_covers(pane_now(d))) {
        r.h -= above;
        place_pane(&l, screen_pane(s), r);
        return l;
    }
    low = low > taken ? low - taken : 0;
    struct rect table = {r.y, r.x, r.h - low - list - above, r.w};
    if (r.w >= STARTS_RIGHT && pane_starts_wanted(s) > 1 && table.h > 4)
        place_starts_beside(&l, &table, r.w / 3);
    place_pane(&l, d->groups.kind != GROUP_NONE ? &pane_outline : &pane_table, table);
    l.notice = r.y + r.h - low - list - 1;
    if (list) {
        l.starts = (struct rect){l.notice + 1, 0, list, r.w};
        l.entries = (struct rect){l.notice + 2, 1, list - 1, r.w - 2};
    }
    place_lower(s, &l, (struct rect){r.y + r.h - low, r.x, low, r.w});
    place_pane(&l, &pane_starts, l.entries); /* last: the row under the cursor is diagnosed first */
    return l;
}

/* Shows that the detail continues: the number of hidden lines, and the key to reach them. */
static void detail_end(const struct screen *s, struct buf *out)
{
    if (s->detail_below)
        buf_fmt(out, s->work.focus == FOCUS_DETAIL ? _("▼ %d more lines") : _("▼ %d more lines: Tab, then j"),
                s->detail_below);
}

/* "─ 3 start here ──── J next  K prev" */
static void starts_title(const struct screen *s, struct grid *g, const struct screen_layout *l)
{
    struct rect r = l->starts;
    struct buf b = {0};
    const char *next = keymap_key(&s->keys, "table", "next start"), *prev = keymap_key(&s->keys, "table", "prev start");
    if (r.h < 2)
        return;
    if (next && prev)
        buf_fmt(&b, _(" %s next  %s previous "), next, prev);
    int w = utf8_cells(buf_view(&b)), title = 1;
    grid_fill(g, r.y, r.x, r.w, 0x2500, STYLE_RULE);
    title += grid_fmt(g, r.y, r.x + 1, r.w, STYLE_TITLE, _(" starts here: %u "),
                      (unsigned)s->work.c->judged->start_groups.n);
    if (s->work.c->judged->start_groups.n > 1 && r.w > title + w + 4)
        grid_put(g, r.y, r.x + r.w - w - 2, w, STYLE_DIM, b.p);
    for (int y = 0; l->beside && y < r.h; y++)
        grid_put(g, r.y + y, l->beside, 1, STYLE_RULE, "│");
    buf_release(&b);
}

static void lower_titles(const struct screen *s, struct grid *g, struct rect r)
{
    enum focus f = s->work.focus;
    bool stack = f == FOCUS_STACK;
    struct buf right = {0};
    if (r.h < 2)
        return;
    if (!stack)
        detail_end(s, &right);
    if (r.w < SIDE_BY_SIDE) {
        buf_fmt(&right, "%s%s", right.n ? "   " : "",
                stack ? _("Tab: table") : f == FOCUS_DETAIL ? _("Tab: stack") : _("s: stack"));
        draw_rule(g, r, stack ? _("stack") : _("detail"), right.p);
    } else {
        draw_rule(g, r, _("detail"), NULL);
        if (right.n)
            grid_fmt(g, r.y, r.w / 2 - utf8_cells(buf_view(&right)) - 3, r.w, STYLE_DIM, " %s ", right.p);
        grid_fmt(g, r.y, r.w / 2 + 2, r.w, STYLE_TITLE, " %s ", _("stack"));
        for (int y = 1; y < r.h; y++)
            grid_put(g, r.y + y, r.w / 2, 1, STYLE_RULE, "│");
    }
    buf_release(&right);
}

void screen_tell_written(struct screen *s)
{
    struct workspace *d = &s->work;
    enum report_job_state how = report_job_take(&d->report);
    if (how == REPORT_JOB_FAILED)
        workspace_complain(d, "%s", d->report.err.text);
    else if (how == REPORT_JOB_WRITTEN)
        workspace_say(d, d->report.told ? _("written: %s; %s") : _("written: %s"), d->report.path, d->report.told);
    s->writing = workspace_writing(d) != NULL;
}

static struct screen_layout update_panes(struct screen *s)
{
    workspace_refresh(&s->work);
    screen_tell_written(s);
    if (!s->hurry || s->shown_line >= workspace_lines(&s->work))
        s->shown_line = s->work.cursor;
    session_progress(&s->session, &s->progress);
    struct screen_layout l = lay_out_screen(s);
    for (int i = 0; i < l.panes; i++)
        if (l.at[i].pane->update)
            l.at[i].pane->update(s, l.at[i].r);
    return l;
}

static void draw_screen(const struct screen *s, struct grid *g, const struct screen_layout *l)
{
    grid_clear(g);
    bool ranks = pane_now(&s->work) == PANE_RANKS;
    if (g->rows >= 6 && ranks) {
        pane_ranks_header(s, g);
        pane_ranks_status(s, g);
    } else if (g->rows >= 6) {
        draw_header(s, g);
        struct rect was = grid_clip(g, (struct rect){1, 0, 1, in_force(s, g)});
        draw_status_line(s, g);
        grid_clip(g, was);
    }
    lower_titles(s, g, l->lower);
    starts_title(s, g, l);
    for (int i = 0; i < l->panes; i++) {
        struct rect was = grid_clip(g, l->at[i].r);
        l->at[i].pane->draw(s, g, l->at[i].r);
        grid_clip(g, was);
    }
    footer_draw_notice(s, g, l->notice);
    footer_draw(s, g);
}

void screen_draw(struct screen *s)
{
    session_lock(&s->session);
    struct screen_layout l = update_panes(s);
    draw_screen(s, &s->grid, &l);
    session_unlock(&s->session);
}

void screen_draw_again(const struct screen *s, struct grid *g)
{
    struct screen_layout l = lay_out_screen(s);
    draw_screen(s, g, &l);
}

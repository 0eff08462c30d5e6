/* Shows the inputs of a comparison: both sides and doubts about them; one key opens the table. */
#include "base/msg.h"
#include "base/num.h"
#include "judge/verdict_text.h"
#include "compare/input_doubts.h"
#include "ui/pane.h"

/* The parts of a step that the side has, and the source of its figures. */
static void side_parts(struct grid *g, struct rect r, int *y, const struct side_extent *x)
{
    static const char *const names[PHASE_COUNT] = {N_("forward"), N_("backward"), N_("optimizer")};
    struct buf b = {0};
    int skip = 0;
    char n[NUM_MAX];
    for (int i = 0; i < PHASE_COUNT; i++)
        if (x->phase[i])
            buf_fmt(&b, "%s%s %s", b.n ? " · " : "", _(names[i]), num_count(n, x->phase[i]));
    if (x->tensors)
        buf_fmt(&b, _(" · tensors %s"), num_count(n, x->tensors));
    if (x->computed)
        buf_cstr(&b, _(", statistics computed from them"));
    grid_wrap(g, r, y, &skip, STYLE_TEXT, buf_view(&b));
    buf_release(&b);
}

static void side_facts(const struct screen *s, struct grid *g, struct rect r, int *y, int side)
{
    const struct recording *x = &s->work.c->side[side];
    const struct dump *d = &x->dump;
    struct buf b = {0};
    int skip = 0;
    char n[2][NUM_MAX];
    grid_put(g, r.y + *y, r.x, r.w, STYLE_TITLE, side ? _("GOLDEN") : _("TARGET"));
    (*y)++;
    grid_middle(g, r.y + *y, r.x, r.w, STYLE_HEADER, str_of(x->path ? x->path : "-"));
    (*y)++;
    if (x->state == SIDE_FAILED) {
        grid_wrap(g, r, y, &skip, STYLE_ERROR, str_of(x->err.text));
        return;
    }
    if (!x->places.n) {
        grid_put(g, r.y + *y, r.x, r.w, STYLE_DIM, s->work.c->failed ? _("not opened") : _("searching …"));
        (*y)++;
        return;
    }
    buf_fmt(&b, "%s", d->reader ? d->reader->name : "");
    const char *const words[] = {d->framework, d->level, d->task};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (words[i] && *words[i])
            buf_fmt(&b, " · %s", words[i]);
    grid_wrap(g, r, y, &skip, STYLE_TEXT, buf_view(&b));
    buf_clear(&b);
    int steps, ranks;
    input_doubts_extent(x, &steps, &ranks);
    if (steps > 1 || ranks > 1)
        buf_fmt(&b, _("steps: %d, ranks: %d · "), steps, ranks);
    if (d->step >= 0)
        buf_fmt(&b, _("step %d · "), d->step);
    if (d->rank >= 0)
        buf_fmt(&b, _("rank %d · "), d->rank);
    buf_fmt(&b, _("%s rows · %s read"), num_count(n[0], d->rows.n), num_bytes(n[1], d->bytes_done));
    grid_wrap(g, r, y, &skip, STYLE_TEXT, buf_view(&b));
    if (x->state == SIDE_LOADED)
        side_parts(g, r, y, &x->extent);
    const char *how = d->complete ? _("read in full") : _("incomplete");
    if (x->state != SIDE_LOADED)
        how = s->work.c->failed ? _("not read: the other side could not be opened") : _("reading …");
    grid_wrap(g, r, y, &skip, STYLE_DIM, str_of(how));
    buf_release(&b);
}

static void draw_input_doubts(const struct screen *s, struct grid *g, struct rect r, int *y, int side)
{
    const input_doubt_list *l = &s->work.doubts;
    struct buf b = {0};
    int skip = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (l->v[i].side != side)
            continue;
        buf_clear(&b);
        buf_fmt(&b, "%s %s", l->v[i].question ? "!" : "·", l->v[i].text);
        grid_wrap(g, r, y, &skip, l->v[i].question ? STYLE_DRIFT : STYLE_DIM, buf_view(&b));
    }
    buf_release(&b);
}

/* How the sides were paired, once they are, and what one of them lacks. */
static void pairing_facts(const struct screen *s, struct grid *g, struct rect r, int *y)
{
    const struct judgement *j = s->work.c->judged;
    struct buf b = {0}, reasons = {0};
    int skip = 0;
    if (!j || s->work.c->single)
        return;
    explain_pairing(&j->sum, &reasons);
    if (reasons.n)
        buf_fmt(&b, _("rows paired: %u, by %s"), j->sum.pairs, reasons.p);
    else
        buf_fmt(&b, _("rows paired: %u"), j->sum.pairs);
    grid_wrap(g, r, y, &skip, STYLE_TEXT, buf_view(&b));
    buf_clear(&b);
    explain_factor(j, &b);
    if (b.n)
        grid_wrap(g, r, y, &skip, STYLE_TEXT, buf_view(&b));
    buf_clear(&b);
    explain_regions(&j->sum, "", &b);
    if (b.n)
        grid_wrap(g, r, y, &skip, STYLE_DIM, buf_view(&b));
    buf_release(&b);
    buf_release(&reasons);
}

/* What has changed since the previous round, once that is known. */
static void draw_round_changes(const struct screen *s, struct grid *g, struct rect r, int *y)
{
    const struct round_since *x = &s->work.c->since;
    struct buf b = {0};
    int skip = 0;
    round_since_sentence(s->work.c, &b);
    if (!b.n && x->there)
        buf_fmt(&b, _("Round %u; the changes are shown when the comparison is finished."), x->before->number + 1);
    if (b.n)
        grid_wrap(g, r, y, &skip, x->told && x->changes.confirmed ? STYLE_HEADER : STYLE_FIRST, buf_view(&b));
    buf_release(&b);
}

/* Where the user's work is saved, or why it is not. */
static void draw_save_state(const struct screen *s, struct grid *g, struct rect r, int *y)
{
    const struct investigation *v = &s->inv;
    struct buf b = {0};
    struct err e;
    int skip = 0;
    bool not = investigation_may_change(v, &e) || !v->path || v->unsaved.code;
    if (investigation_may_change(v, &e))
        buf_fmt(&b, _("read-only: %s"), e.text);
    else if (not && (v->unsaved.code || v->unkept))
        buf_fmt(&b, _("not saved: %s"), v->unsaved.code ? v->unsaved.text : v->unkept);
    else if (v->path)
        buf_fmt(&b, _("saved in %s"), v->path);
    if (b.n)
        grid_wrap(g, r, y, &skip, not ? STYLE_DRIFT : STYLE_DIM, buf_view(&b));
    buf_release(&b);
}

static int nothing_open(const struct screen *s, struct grid *g, struct rect r)
{
    int y = 1, skip = 0;
    struct rect in = {r.y, r.x + 2, r.h, r.w - 4};
    grid_wrap(g, in, &y, &skip, STYLE_HEADER,
              str_of(procedure_begun(&s->work.guide) ? _("No dumps are open; 0 shows the panels of the other files.")
                                                     : _("Nothing is open yet.")));
    y++;
    grid_wrap(g, in, &y, &skip, STYLE_TEXT,
              str_of(_(":open TARGET GOLDEN compares two dumps, :open DUMP opens one.  d lists the dumps below this "
                       "folder, :recent lists earlier investigations.")));
    return y;
}

/* Returns the lines all of it takes. */
static int draw_intake_page(const struct screen *s, struct grid *g, struct rect r)
{
    struct rect left = {r.y, r.x + 2, r.h, r.w - 4}, right = left;
    int y[2] = {1, 1}, skip = 0;
    if (!s->work.c->side[0].path)
        return nothing_open(s, g, r);
    if (r.w >= 76 && !s->work.c->single) {
        left.w = r.w / 2 - 3;
        right.x = r.x + r.w / 2 + 1;
        right.w = r.w / 2 - 3;
    }
    side_facts(s, g, left, &y[0], TARGET);
    draw_input_doubts(s, g, left, &y[0], TARGET);
    if (!s->work.c->single) {
        if (right.x == left.x)
            y[1] = y[0] + 1;
        side_facts(s, g, right, &y[1], GOLDEN);
        draw_input_doubts(s, g, right, &y[1], GOLDEN);
    }
    int at = (y[0] > y[1] ? y[0] : y[1]) + 1;
    struct rect whole = {r.y, r.x + 2, r.h, r.w - 4};
    bool told = s->work.c->side[0].state == SIDE_FAILED || s->work.c->side[1].state == SIDE_FAILED;
    if (s->work.c->failed && !told)
        grid_wrap(g, whole, &at, &skip, STYLE_ERROR, str_of(s->work.c->err.text));
    else if (!s->work.c->failed && !s->work.c->single)
        grid_wrap(g, whole, &at, &skip, STYLE_DIM, str_of(input_doubts_target(s->work.c)));
    pairing_facts(s, g, whole, &at);
    draw_round_changes(s, g, whole, &at);
    draw_input_doubts(s, g, whole, &at, -1);
    draw_save_state(s, g, whole, &at);
    return at;
}

#define SIGNED_LINES 4 /* on fewer the sign would take the place of what is read */

/* The last line says that more follow, so one less is seen before the end. */
static void pane_intake_update(struct screen *s, struct rect r)
{
    struct grid nowhere = {0};
    int lines = draw_intake_page(s, &nowhere, r), most = lines > r.h ? lines - r.h : 0;
    if (s->work.intake_scroll > most) /* not past the end */
        s->work.intake_scroll = most;
    bool more = s->work.intake_scroll < most && r.h >= SIGNED_LINES;
    s->intake_below = more ? lines - s->work.intake_scroll - (r.h - 1) : 0;
    s->work.page = r.h;
}

static void pane_intake_draw(const struct screen *s, struct grid *g, struct rect r)
{
    int top = s->work.intake_scroll, last = r.y + r.h - 1;
    struct rect shown = {r.y, r.x, s->intake_below ? r.h - 1 : r.h, r.w},
                all = {r.y - top, r.x, shown.h + top, r.w},
                was = grid_clip(g, shown);
    draw_intake_page(s, g, all);
    grid_clip(g, was);
    if (s->intake_below)
        grid_fmt(g, last, r.x + 2, r.w - 4, STYLE_DIM, _("▼ %d more lines"), s->intake_below);
}

/* While nothing is open: the keys that open something. */
const struct hint pane_intake_empty[] = {
    {"dumps", N_("list dumps")}, {"command open", N_("open files")}, {"recent", N_("recent")}, {"panel 0", N_("all panels")}, {"help", N_("help")}, {"back", N_("quit")}, {0},
};

static const struct hint hints[] = {
    {"enter", N_("to the table")}, {"swap", N_("swap sides")}, {"step", N_("steps")}, {"rank", N_("ranks")}, {"dumps", N_("list dumps")}, {"recent", N_("recent")}, {"help", N_("help")}, {"back", N_("back")}, {"list problems", N_("open a line")}, {0},
};

const struct pane_ops pane_intake = {"intake", pane_intake_update, pane_intake_draw, hints};

/* Shows the recorded frames of a call on both sides, starting with the model's code, and the source around the
 * selected one; frames of frameworks are dimmed. A backward row shows the frames of its forward twin. */
#include "base/msg.h"
#include "base/utf8.h"
#include "ui/pane.h"

/* The areas of one side. */
struct half {
    struct rect frames, source; /* the title among the frames; source.h 0: not shown */
};

/* The selected frame's source takes the lower part if the stack has the focus. */
static struct half cut_off_source(const struct screen *s, struct rect r)
{
    int h = s->work.focus == FOCUS_STACK && r.h >= 8 ? r.h * 2 / 5 : 0;
    return (struct half){{r.y, r.x, r.h - h, r.w}, {r.y + r.h - h, r.x, h, r.w}};
}

/* Areas of the sides; h 0: not shown. */
static void lay_out_stacks(const struct screen *s, struct rect r, struct rect side[2])
{
    int half = r.w >= 100 ? r.w / 2 : r.h / 2, one = s->work.stack.side;
    side[TARGET] = side[GOLDEN] = (struct rect){r.y, r.x, 0, r.w};
    if (r.w >= 100) {
        side[TARGET] = (struct rect){r.y, r.x, r.h, half - 1};
        side[GOLDEN] = (struct rect){r.y, r.x + half, r.h, r.w - half};
    } else if (r.h >= 16) {
        side[TARGET] = (struct rect){r.y, r.x, half, r.w};
        side[GOLDEN] = (struct rect){r.y + half, r.x, r.h - half, r.w};
    } else {
        side[one] = r;
    }
}

static void draw_stack_text(struct grid *g, struct rect r, int y, uint8_t style, const char *text)
{
    int at = y, none = 0;
    grid_wrap(g, (struct rect){r.y, r.x + 1, r.h, r.w - 1}, &at, &none, style, str_of(text));
}

/* A title in the rule above the source. */
static void draw_source_title(struct grid *g, struct rect r, const char *text)
{
    struct buf b = {0};
    buf_fmt(&b, " %s ", text);
    grid_middle(g, r.y, r.x + 1, utf8_cells(buf_view(&b)) < r.w - 2 ? utf8_cells(buf_view(&b)) : r.w - 2, STYLE_DIM,
                buf_view(&b));
    buf_release(&b);
}

/* The source lines around the frame; if the file is not available, the recorded line. */
static void draw_source(const struct screen *s, struct grid *g, struct rect r, int side)
{
    const struct workspace *d = &s->work;
    const struct frame *f = workspace_frame(d, side);
    struct buf path = {0};
    struct str line;
    if (r.h < 1 || !f || !f->line)
        return;
    workspace_source(d, f, &path);
    const struct file_lines *source = &d->stack.source[side];
    grid_fill(g, r.y, r.x, r.w, 0x2500, STYLE_RULE);
    if (file_lines_at(source, f->line, &line)) {
        int before = (r.h - 2) / 2;
        for (int i = 0; i < r.h - 1; i++) {
            uint32_t n = f->line + (uint32_t)i - (uint32_t)before;
            if (n < 1 || n > f->line + FILE_LINES_AROUND || !file_lines_at(source, n, &line))
                continue;
            uint8_t style = n == f->line ? STYLE_TITLE : STYLE_DIM;
            int x = grid_fmt(g, r.y + 1 + i, r.x, 8, style, "%6u  ", n);
            grid_end(g, r.y + 1 + i, r.x + x, r.w - x, style, line);
        }
        draw_source_title(g, r, path.p);
    } else {
        struct buf text = {0};
        buf_fmt(&text, "%s:%u  %s", f->file, f->line, f->code);
        draw_stack_text(g, r, 1, STYLE_TEXT, text.p);
        draw_source_title(g, r, source->state == FILE_LINES_READING
                        ? _("reading the source …")
                        : _("no source file; :remap FROM TO sets its place"));
        buf_release(&text);
    }
    buf_release(&path);
}

static void draw_frames(const struct screen *s, struct grid *g, struct rect r, int side)
{
    const struct workspace *d = &s->work;
    const struct dump *x = &d->c->side[side].dump;
    bool twin, selected = d->stack.side == (enum side)side;
    uint32_t st = workspace_stack(d, s->shown_line, side, &twin), row[2];
    if (r.h < 1)
        return;
    const char *word = side ? _("golden") : _("target");
    workspace_rows(d, s->shown_line, row);
    uint8_t style = selected && d->focus == FOCUS_STACK ? STYLE_FOCUS : STYLE_TITLE;
    if (st == NONE || x->stacks.v[st].n == 0) {
        grid_fmt(g, r.y, r.x, r.w, style, _("%s stack"), word);
        if (r.h > 1)
            grid_put(g, r.y + 1, r.x, r.w, STYLE_DIM,
                     row[side] == NONE ? _("no row on this side")
                     : !x->complete    ? _("still reading …")
                     : !x->stacks.n    ? strcmp(dump_format(x)->name, "msprobe") == 0
                         ? _("no stacks were recorded (no stack.json in the dump)")
                         : _("no stacks were recorded in this dump")
                                       : _("no stack was recorded for this call"));
        return;
    }
    const struct stack *k = &x->stacks.v[st];
    uint32_t start = dump_stack_start(x, st), h = (uint32_t)(r.h - 1),
             at = s->shown_line == d->stack.line ? d->stack.frame[side] : start;
    int used = grid_fmt(g, r.y, r.x, r.w, style, twin ? _("%s stack of the forward call  %u/%u") : _("%s stack  %u/%u"),
                        word, at + 1, k->n);
    if (selected && d->focus == FOCUS_STACK && !d->c->single)
        grid_put(g, r.y, r.x + used + 2, r.w - used - 2, STYLE_DIM,
                 d->stack.apart ? _("moves separately") : _("both move together"));
    uint32_t top = pane_top(at < start ? at : start, at, h);
    for (uint32_t i = 0; i < h && top + i < k->n; i++) {
        const struct frame *f = &x->frames.v[x->stack_frames.v[k->first + top + i]];
        int y = r.y + 1 + (int)i;
        uint8_t text = frame_is_library(f) ? STYLE_DIM : STYLE_TEXT;
        if (f->line) {
            struct buf b = {0};
            struct str base = path_base(str_of(f->file));
            buf_fmt(&b, "%s%.*s:%u %s  %s", top + i == at ? "›" : " ", STR_ARG(base), f->line, f->func, f->code);
            grid_end(g, y, r.x, r.w, text, buf_view(&b));
            buf_clear(&b);
            workspace_source(d, f, &b);
            grid_link(g, y, r.x + 1, utf8_cells(base), b.p);
            buf_release(&b);
        } else {
            grid_fmt(g, y, r.x, r.w, text, " %s", f->raw);
        }
        if (selected && d->focus == FOCUS_STACK && top + i == at)
            grid_mark(g, y, r.x, r.w, STYLE_CURSOR);
    }
}

static void pane_stack_update(struct screen *s, struct rect r)
{
    struct rect side[2];
    struct buf path = {0};
    lay_out_stacks(s, r, side);
    for (int i = 0; i < 2 && workspace_lines(&s->work); i++) {
        const struct frame *f = workspace_frame(&s->work, i);
        if (!f || !f->line || cut_off_source(s, side[i]).source.h < 1)
            continue;
        buf_clear(&path);
        workspace_source(&s->work, f, &path);
        file_lines_ask(&s->work.stack.source[i], path.p, f->line);
    }
    buf_release(&path);
}

static void pane_stack_draw(const struct screen *s, struct grid *g, struct rect r)
{
    struct rect side[2];
    if (!workspace_lines(&s->work))
        return;
    lay_out_stacks(s, r, side);
    for (int i = 0; i < 2; i++) {
        struct half h = cut_off_source(s, side[i]);
        draw_frames(s, g, h.frames, i);
        draw_source(s, g, h.source, i);
    }
}

static const struct hint hints[] = {
    {"down", N_("frame")}, {"lock", N_("lock")}, {"side", N_("other side")},
    {"source", N_("source")}, {"pane next", N_("pane")}, {"zoom", N_("zoom")}, {"help", N_("help")}, {"back", N_("back")}, {0},
};

const struct pane_ops pane_stack = {"stack", pane_stack_update, pane_stack_draw, hints};

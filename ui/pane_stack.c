/* The frames recorded for a call, both sides, from the model's code on; frameworks' frames step back. A backward row shows
 * its forward twin's and says so. */
#include "base/msg.h"
#include "ui/pane.h"

static void draw_side(const struct screen *s, struct grid *g, struct rect r, int side)
{
    const struct workspace *d = &s->work;
    const struct dump *x = &s->work.c->side[side].dump;
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
                     : !x->stacks.n    ? _("no stacks were recorded (no stack.json beside the dump)")
                                       : _("none was recorded for this call"));
        return;
    }
    const struct stack *k = &x->stacks.v[st];
    uint32_t at = selected && s->shown_line == d->stack.line ? d->stack.frame : dump_stack_start(x, st),
             h = (uint32_t)(r.h - 1);
    grid_fmt(g, r.y, r.x, r.w, style, twin ? _("%s stack of the forward twin  %u/%u") : _("%s stack  %u/%u"), word,
             at + 1, k->n);
    uint32_t start = dump_stack_start(x, st), top = pane_top(at < start ? at : start, at, h);
    for (uint32_t i = 0; i < h && top + i < k->n; i++) {
        const struct frame *f = &x->frames.v[x->stack_frames.v[k->first + top + i]];
        int y = r.y + 1 + (int)i;
        uint8_t text = frame_is_library(f) ? STYLE_DIM : STYLE_TEXT;
        if (f->line) {
            struct str base = path_base(str_of(f->file));
            grid_fmt(g, y, r.x, r.w, text, "%s%.*s:%u %s  %s", top + i == at && selected ? "›" : " ", STR_ARG(base),
                     f->line, f->func, f->code);
        } else {
            grid_fmt(g, y, r.x, r.w, text, " %s", f->raw);
        }
        if (selected && d->focus == FOCUS_STACK && top + i == at)
            grid_mark(g, y, r.x, r.w, STYLE_CURSOR);
    }
}

static void draw(const struct screen *s, struct grid *g, struct rect r)
{
    if (!workspace_lines(&s->work))
        return;
    if (r.w >= 100) {
        int half = r.w / 2;
        draw_side(s, g, (struct rect){r.y, r.x, r.h, half - 1}, TARGET);
        draw_side(s, g, (struct rect){r.y, r.x + half, r.h, r.w - half}, GOLDEN);
    } else if (r.h >= 12) {
        int half = r.h / 2;
        draw_side(s, g, (struct rect){r.y, r.x, half, r.w}, TARGET);
        draw_side(s, g, (struct rect){r.y + half, r.x, r.h - half, r.w}, GOLDEN);
    } else {
        draw_side(s, g, r, s->work.stack.side);
    }
}

static const struct hint hints[] = {
    {"down", N_("frame")}, {"side", N_("other side")}, {"source", N_("source")}, {"pane next", N_("pane")}, {"zoom", N_("zoom")}, {"help", N_("help")}, {"back", N_("back")}, {0},
};

const struct pane_ops pane_stack = {"stack", NULL, draw, hints};

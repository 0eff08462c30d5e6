/* Lists what starts here beside the table: sentence, place, rows that inherit, and where there is room what to do. */
#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"
#include "compare/start_text.h"
#include "judge/cause.h"
#include "table/shown_name.h"
#include "ui/pane.h"

#define RANK_WIDTH 5 /* "▶1 ✗ " */

static uint32_t count_start_groups(const struct screen *s)
{
    const struct judgement *j = s->work.c->judged;
    return j && !s->work.c->single ? (uint32_t)j->start_groups.n : 0;
}

/* The group of the line under the cursor; NONE. */
static uint32_t group_at_cursor(const struct screen *s)
{
    const struct judgement *j = s->work.c->judged;
    return s->shown_line < j->lines ? start_group_of(j, s->shown_line) : NONE;
}

int pane_starts_wanted(const struct screen *s)
{
    return (int)(count_start_groups(s) < 3 ? count_start_groups(s) : 3);
}

/* Lines of an entry: the head; name and place; the action. */
static int entry_lines(const struct screen *s, struct rect r)
{
    int n = (int)count_start_groups(s);
    return r.h >= 4 * n || r.h >= 12 ? 4 : r.h >= 2 * n || r.h >= 8 ? 2 : 1;
}

/* The first entry shown, so that the one of the cursor's row is visible. */
static uint32_t first_shown(const struct screen *s, uint32_t fit)
{
    uint32_t n = count_start_groups(s), here = group_at_cursor(s);
    if (n <= fit || here == NONE || here < fit)
        return 0;
    return here + 1 - fit;
}

/* The most specific thing to say that fits: inheriting rows at the right, the sentence before them, and in a single
 * line the place between both. */
static void draw_start_head(const struct screen *s, struct grid *g, int y, struct rect r, uint32_t i, bool alone)
{
    const struct workspace *d = &s->work;
    const struct start_group *x = &d->c->judged->start_groups.v[i];
    bool here = group_at_cursor(s) == i;
    struct buf sentence = {0}, right = {0};
    if (alone && start_place_text(&d->c->measure, x->line, &right))
        buf_cstr(&right, "  ");
    if (alone && r.w < 100)
        buf_fmt(&right, _("%u inherit"), x->inherit);
    else
        start_extent(x, &right);
    start_sentence(d->c, x->line, diagnosis_job_known(&d->diagnosis, d->c, x->line), &sentence);
    int right_w = utf8_cells(buf_view(&right)), room = r.w - RANK_WIDTH - right_w - 2;
    grid_put(g, y, r.x, 1, STYLE_FIRST, here ? "▶" : " ");
    grid_fmt(g, y, r.x + 1, 3, STYLE_TEXT, "%u", i + 1);
    grid_put(g, y, r.x + 3, 1, STYLE_DEVIATE, "✗");
    if (room < 16) {
        room = r.w - RANK_WIDTH;
    } else {
        grid_text(g, y, r.x + r.w - right_w, right_w, STYLE_DIM, buf_view(&right));
    }
    grid_end(g, y, r.x + RANK_WIDTH, room, here ? STYLE_FIRST : STYLE_TEXT, buf_view(&sentence));
    buf_release(&sentence);
    buf_release(&right);
}

/* "model.py:63  layer.0 … Mul-op0.in.1" */
static void draw_start_place(const struct screen *s, struct grid *g, int y, struct rect r, const struct start_group *x)
{
    struct buf name[2] = {{0}, {0}}, b = {0}, shown = {0};
    workspace_names(&s->work, x->line, name);
    if (start_place_text(&s->work.c->measure, x->line, &b))
        buf_cstr(&b, "  ");
    int used = utf8_cells(buf_view(&b)), room = r.w - RANK_WIDTH - used;
    grid_text(g, y, r.x + RANK_WIDTH, r.w - RANK_WIDTH, STYLE_TEXT, buf_view(&b));
    shown_name_fit(buf_view(name[0].n ? &name[0] : &name[1]), room > 8 ? room : 8, g->ascii ? "~" : "…", &shown);
    grid_text(g, y, r.x + RANK_WIDTH + used, room, STYLE_DIM, buf_view(&shown));
    for (int i = 0; i < 2; i++)
        buf_release(&name[i]);
    buf_release(&b);
    buf_release(&shown);
}

static void draw_start_advice(const struct screen *s, struct grid *g, int y, struct rect r, const struct start_group *x,
                              int h)
{
    struct arena a = {0};
    struct rect in = {y, r.x + RANK_WIDTH, h, r.w - RANK_WIDTH};
    int at = 0, none = 0;
    grid_wrap(g, in, &at, &none, STYLE_TEXT, str_of(workspace_advice(&s->work, x->line, &a)));
    arena_release(&a);
}

static void pane_starts_draw(const struct screen *s, struct grid *g, struct rect r)
{
    uint32_t n = count_start_groups(s);
    if (!n || r.h < 1)
        return;
    int each = entry_lines(s, r);
    uint32_t fit = (uint32_t)(r.h / each), first;
    char left[NUM_MAX];
    fit = fit ? fit : 1;
    first = first_shown(s, fit);
    for (uint32_t k = 0; k < fit && first + k < n; k++) {
        int y = r.y + (int)k * each;
        const struct start_group *x = &s->work.c->judged->start_groups.v[first + k];
        draw_start_head(s, g, y, r, first + k, each == 1);
        if (each > 1)
            draw_start_place(s, g, y + 1, r, x);
        if (each > 2)
            draw_start_advice(s, g, y + 2, r, x, each - 2);
    }
    int end = r.y + (int)fit * each;
    if (first + fit < n && end < r.y + r.h)
        grid_fmt(g, end, r.x + RANK_WIDTH, r.w - RANK_WIDTH, STYLE_DIM, _("%s more: :list starts"),
                 num_count(left, n - first - fit));
}

/* Asks for the diagnosis of the first entry that has none, once the row under the cursor has its own. */
static void pane_starts_update(struct screen *s, struct rect r)
{
    const struct comparison *c = s->work.c;
    uint32_t n = count_start_groups(s);
    int each = entry_lines(s, r);
    uint32_t fit = (uint32_t)(r.h / each > 0 ? r.h / each : 1), first = n ? first_shown(s, fit) : 0;
    if (diagnosis_job_waits(&s->work.diagnosis))
        return;
    for (uint32_t i = first; i < n && i < first + fit; i++) {
        uint32_t line = c->judged->start_groups.v[i].line;
        if (diagnose_possible(c->judged, &c->measure, line) && !diagnosis_job_known(&s->work.diagnosis, c, line)) {
            diagnosis_job_ask(&s->work.diagnosis, c, line);
            return;
        }
    }
}

const struct pane_ops pane_starts = {"starts", pane_starts_update, pane_starts_draw, NULL};

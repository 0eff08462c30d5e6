/* Commands that select a part of a fused tensor: parts of matching size are offered by axis, position and size, so
 * that the user need not write a view. */
#include "base/msg.h"
#include "base/num.h"
#include "cmd/cmd.h"

#define PARTS_MOST 200
#define GROUPS_MOST 128 /* heads or experts a fused axis alternates by */

/* The sizes of the whole and of the part, along the only axis where they differ. */
struct cutting {
    struct workspace *d;
    int side; /* whose the whole is */
    int axis;
    int64_t whole, part;
};

static void offer_cut(const struct cutting *c, const char *steps, const char *text)
{
    struct buf words = {0};
    buf_fmt(&words, "%s %s", c->side == TARGET ? "target" : "golden", steps);
    workspace_add_command(c->d, "view", words.p, "%s", text);
    buf_release(&words);
}

/* One slice, at each position where a part of this size may begin. */
static void offer_pieces(const struct cutting *c)
{
    int64_t by = c->whole % c->part ? (int64_t)num_common((uint64_t)c->whole, (uint64_t)c->part) : c->part;
    struct buf steps = {0}, text = {0};
    for (int64_t at = 0; at + c->part <= c->whole && c->d->list.items.n < PARTS_MOST; at += by) {
        buf_clear(&steps);
        buf_clear(&text);
        buf_fmt(&steps, "slice %d %lld:%lld", c->axis, (long long)at, (long long)(at + c->part));
        buf_fmt(&text, _("axis %d: %lld to %lld of %lld"), c->axis, (long long)at, (long long)(at + c->part - 1),
                (long long)c->whole);
        if (c->whole % c->part == 0)
            buf_fmt(&text, _(", part %lld of %lld"), (long long)(at / c->part + 1), (long long)(c->whole / c->part));
        offer_cut(c, steps.p, text.p);
    }
    buf_release(&steps);
    buf_release(&text);
}

/* A slice of every group of rows: parts that alternate head by head. */
static void offer_alternating(const struct cutting *c)
{
    struct buf steps = {0}, text = {0};
    for (int64_t groups = 2; groups <= GROUPS_MOST && groups <= c->part; groups++) {
        int64_t whole = c->whole / groups, part = c->part / groups;
        if (c->whole % groups || c->part % groups)
            continue;
        int64_t by = whole % part ? (int64_t)num_common((uint64_t)whole, (uint64_t)part) : part;
        for (int64_t at = 0; at + part <= whole && c->d->list.items.n < PARTS_MOST; at += by) {
            buf_clear(&steps);
            buf_clear(&text);
            buf_fmt(&steps, "split %d %lld %lld:%lld", c->axis, (long long)groups, (long long)at,
                    (long long)(at + part));
            buf_fmt(&text, _("axis %d, alternating: %lld to %lld of each of %lld groups of %lld"), c->axis,
                    (long long)at, (long long)(at + part - 1), (long long)groups, (long long)whole);
            offer_cut(c, steps.p, text.p);
        }
    }
    buf_release(&steps);
    buf_release(&text);
}

/* The one axis along which the shapes differ; -1: another number of axes, or more than one. */
static int differing_axis(const struct shape *a, const struct shape *b)
{
    int axis = -1;
    for (int i = 0; a->ndim == b->ndim && i < a->ndim; i++)
        if (a->dim[i] != b->dim[i]) {
            if (axis >= 0)
                return -1;
            axis = i;
        }
    return axis;
}

static int run_cut(struct workspace *d, struct str args)
{
    uint32_t row[2];
    struct buf title = {0};
    (void)args;
    workspace_rows(d, d->cursor, row);
    if (row[TARGET] == NONE || row[GOLDEN] == NONE) {
        workspace_complain(d, _("cut: pair this row first (x here, x on its counterpart)"));
        return 0;
    }
    const struct shape *s[2];
    for (int i = 0; i < 2; i++)
        s[i] = dump_row_shape(&d->c->side[i].dump, row[i]);
    if (!s[TARGET] || !s[GOLDEN]) {
        workspace_complain(d, _("cut: the shape of a side was not recorded"));
        return 0;
    }
    int axis = differing_axis(s[0], s[1]);
    if (axis < 0 || s[0]->dim[axis] < 1 || s[1]->dim[axis] < 1) {
        struct buf a = {0}, b = {0};
        shape_text(s[0], &a);
        shape_text(s[1], &b);
        workspace_complain(d, _("cut: %s and %s must differ in the length of exactly one axis; use :view for other "
                                "cases"),
                           a.p, b.p);
        buf_release(&a);
        buf_release(&b);
        return 0;
    }
    struct cutting c = {.d = d, .axis = axis, .side = s[TARGET]->dim[axis] > s[GOLDEN]->dim[axis] ? TARGET : GOLDEN};
    c.whole = s[c.side]->dim[axis];
    c.part = s[!c.side]->dim[axis];
    workspace_clear_list(d);
    offer_pieces(&c);
    offer_alternating(&c);
    buf_cstr(&title, c.side == TARGET ? _("part of the target tensor: ")
                                      : _("part of the golden tensor: "));
    shape_text(s[c.side], &title);
    buf_cstr(&title, " → ");
    shape_text(s[!c.side], &title);
    workspace_show_list(d, title.p);
    buf_release(&title);
    return 0;
}

const struct command commands_cut[] = {
    {"cut", "", N_("choose the part of a fused tensor to compare with: lists possible axes, positions and sizes"),
     NEEDS_BOTH | NEEDS_ROW | ON_ROW | CHANGES, run_cut, NULL},
    {0},
};

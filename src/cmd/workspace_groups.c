/* Rows grouped by modules or by layers: building, moving, folding. */
#include "cmd/workspace.h"

static void follow_group(struct workspace *d)
{
    uint32_t line = NONE;
    if (d->groups.kind == GROUP_LAYERS) {
        const struct layer_table *x = &d->groups.layers;
        if (d->groups.node < x->rows.n && d->groups.layer < x->columns)
            line = x->line[(size_t)d->groups.node * x->columns + d->groups.layer];
    } else if (d->groups.node < d->groups.outline.nodes.n) {
        const struct row_groups_node *n = &d->groups.outline.nodes.v[d->groups.node];
        line = n->first_bad != NONE ? n->first_bad : n->first;
    }
    if (line != NONE)
        d->cursor = line;
}

void workspace_make_groups(struct workspace *d)
{
    d->groups.made_for = d->c->serial;
    if (d->groups.kind == GROUP_LAYERS) {
        layer_table_release(&d->groups.layers);
        layer_table_build(&d->groups.layers, d->c);
        if (d->groups.node >= d->groups.layers.rows.n)
            d->groups.node = 0;
        return;
    }
    struct row_groups old = d->groups.outline;
    row_groups_build(&d->groups.outline, (enum row_groups_kind)(d->groups.kind - GROUP_MODULES + ROW_GROUPS_MODULES),
                     d->c, &old);
    row_groups_release(&old);
    if (d->groups.node >= d->groups.outline.nodes.n ||
        row_groups_visible(&d->groups.outline, d->groups.node) != d->groups.node)
        d->groups.node = 0;
}

/* Unfolds the path to the worst node, and folds everything else. */
static void open_worst(struct workspace *d)
{
    struct row_groups *o = &d->groups.outline;
    uint32_t first = d->c->judged ? d->c->judged->first : NONE;
    for (uint32_t i = 0; i < o->nodes.n && first != NONE; i++)
        if (o->nodes.v[i].first_bad == first) {
            o->nodes.v[i].folded = false;
            d->groups.node = i;
        }
}

/* The cell of the first deviation; if it is outside all layers, the first cell that deviates. */
static void select_worst(struct workspace *d)
{
    const struct layer_table *x = &d->groups.layers;
    uint32_t first = d->c->judged ? d->c->judged->first : NONE, earliest = NONE;
    d->groups.layer = 0;
    for (size_t i = 0; i < x->rows.n * x->columns && first != NONE; i++) {
        if (x->line[i] == NONE || x->line[i] >= earliest ||
            !verdict_is_bad((enum verdict)d->c->judged->line[x->line[i]].verdict))
            continue;
        earliest = x->line[i];
        d->groups.node = (uint32_t)(i / x->columns);
        d->groups.layer = (uint32_t)(i % x->columns);
        if (earliest == first)
            return;
    }
}

void workspace_group(struct workspace *d, enum group g)
{
    d->groups.kind = g;
    d->groups.node = 0;
    d->focus = FOCUS_TABLE;
    if (g == GROUP_NONE)
        return;
    d->follow = false;
    d->groups.moved = false;
    workspace_rows(d, d->cursor, d->groups.from.row);
    workspace_remember_place(d);
    row_groups_release(&d->groups.outline);
    d->groups.outline = (struct row_groups){0};
    workspace_make_groups(d);
    if (g == GROUP_LAYERS)
        select_worst(d);
    else
        open_worst(d);
    follow_group(d);
}

void workspace_leave_groups(struct workspace *d)
{
    uint32_t line = d->groups.moved ? NONE : workspace_line_of(d, d->groups.from.row);
    workspace_group(d, GROUP_NONE);
    if (line != NONE)
        d->cursor = line;
}

void workspace_group_step(struct workspace *d, long by)
{
    d->groups.moved = true;
    if (d->groups.kind == GROUP_LAYERS) {
        long last = (long)d->groups.layers.rows.n - 1, at = (long)d->groups.node + by;
        d->groups.node = (uint32_t)(at < 0 || last < 0 ? 0 : at > last ? last : at);
    }
    for (uint32_t to = d->groups.node; d->groups.kind != GROUP_LAYERS && d->groups.outline.nodes.n && by;
         by += by < 0 ? 1 : -1) {
        to = by < 0 ? row_groups_prev(&d->groups.outline, to) : row_groups_next(&d->groups.outline, to);
        if (to == NONE)
            break;
        d->groups.node = to;
    }
    follow_group(d);
}

void workspace_group_across(struct workspace *d, int by)
{
    d->groups.moved = true;
    if (d->groups.kind == GROUP_LAYERS) {
        if (by < 0)
            d->groups.layer -= d->groups.layer > 0;
        else if (d->groups.layer + 1 < d->groups.layers.columns)
            d->groups.layer++;
        follow_group(d);
        return;
    }
    if (d->groups.node >= d->groups.outline.nodes.n)
        return;
    struct row_groups_node *n = &d->groups.outline.nodes.v[d->groups.node];
    if (by > 0 && !n->leaf && n->folded)
        n->folded = false;
    else if (by > 0 && !n->leaf)
        workspace_group_step(d, 1);
    else if (by < 0 && !n->leaf && !n->folded)
        n->folded = true;
    else if (by < 0 && n->parent != NONE)
        d->groups.node = n->parent;
    follow_group(d);
}

void workspace_unfold_all(struct workspace *d)
{
    bool any = false;
    if (d->groups.kind == GROUP_NONE)
        row_folds_open_all(&d->folds, d->folds.hidden > 0);
    if (d->groups.kind == GROUP_NONE || d->groups.kind == GROUP_LAYERS || d->groups.node >= d->groups.outline.nodes.n)
        return;
    for (size_t i = 0; i < d->groups.outline.nodes.n; i++)
        any = any || (d->groups.outline.nodes.v[i].folded && !d->groups.outline.nodes.v[i].leaf);
    for (size_t i = 0; i < d->groups.outline.nodes.n; i++)
        d->groups.outline.nodes.v[i].folded = !any;
    d->groups.node = row_groups_visible(&d->groups.outline, d->groups.node);
}

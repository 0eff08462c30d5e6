/* The undo of z: limits, filters, order, columns and bookmarks as before each change, and decisions and findings one
 * by one. */
#include <stdlib.h>

#include "base/msg.h"
#include "cmd/workspace.h"

static void state_release(struct workspace_state *x)
{
    free(x->what);
    free(x->filters);
    vec_release(&x->bookmarks);
}

static void states_release(struct workspace_state *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        state_release(&x[i]);
}

void workspace_undo_release(struct workspace *d)
{
    states_release(d->undo.v, d->undo.n);
    states_release(d->redo.v, d->redo.n);
    vec_release(&d->undo);
    vec_release(&d->redo);
}

char *workspace_filters(const struct workspace *d)
{
    struct buf b = {0};
    buf_cstr(&b, "");
    for (size_t i = 0; i < d->arrange.filters.n; i++)
        buf_fmt(&b, "%s%s\n", d->arrange.filters.v[i].inverse ? "!" : " ", d->arrange.filters.v[i].text);
    return b.p;
}

void workspace_set_filters(struct workspace *d, struct str lines)
{
    struct str line;
    struct err quiet;
    row_order_clear(&d->arrange);
    while (lines.n) {
        line = str_next(&lines, '\n');
        if (line.n)
            row_order_add(&d->arrange, str_cut(line, 1), line.p[0] == '!', &quiet);
    }
    row_order_restart(&d->arrange);
}

bool workspace_unfinished(const struct workspace *d)
{
    return *d->inv->filtered || (*d->inv->typed && strchr(":/&", *d->inv->typed));
}

#define UNDO_MOST 100

static struct workspace_state state_now(const struct workspace *d, const char *what)
{
    struct workspace_state x = {.what = mem_strdup(what), .tol = d->s->opt.of.tol, .sort = d->arrange.sort,
                                .descending = d->arrange.descending, .columns = d->columns};
    memcpy(x.column, d->column, sizeof x.column);
    x.filters = workspace_filters(d);
    for (size_t i = 0; i < d->inv->bookmarks.n; i++)
        vec_push(&x.bookmarks, d->inv->bookmarks.v[i]);
    x.decided = d->inv->decisions.now;
    x.found = d->inv->findings.now;
    return x;
}

void workspace_remember(struct workspace *d, const char *what)
{
    if (d->undo.n == UNDO_MOST) {
        state_release(&d->undo.v[0]);
        memmove(d->undo.v, d->undo.v + 1, (UNDO_MOST - 1) * sizeof *d->undo.v);
        d->undo.n--;
    }
    struct workspace_state now = state_now(d, what);
    vec_push(&d->undo, now);
    states_release(d->redo.v, d->redo.n);
    vec_clear(&d->redo);
}

static void go_back_to(struct workspace *d, const struct workspace_state *x)
{
    if (memcmp(&x->tol, &d->s->opt.of.tol, sizeof x->tol) != 0)
        session_set_tol(d->s, &x->tol);
    d->inv->tol = x->tol;
    d->arrange.sort = x->sort;
    d->arrange.descending = x->descending;
    workspace_set_filters(d, str_of(x->filters));
    memcpy(d->column, x->column, sizeof d->column);
    d->columns = x->columns;
    d->inv->bookmarks.n = 0;
    for (size_t i = 0; i < x->bookmarks.n; i++)
        vec_push(&d->inv->bookmarks, x->bookmarks.v[i]);
    workspace_columns_keep(d);
    if (d->inv->decisions.now != x->decided && x->decided <= d->inv->decisions.log.n) {
        d->inv->decisions.now = x->decided;
        session_decide(d->s, &d->inv->decisions);
    }
    if (x->found <= d->inv->findings.log.n)
        d->inv->findings.now = x->found;
}

/* What was decided or noted in an earlier sitting can be undone too. */
static bool undo_decision(struct workspace *d, bool redo)
{
    if (!workspace_may_change(d))
        return true;
    struct workspace_state now = state_now(d, _("pairing decision"));
    bool decided = decisions_undo(&d->inv->decisions, redo);
    if (!decided && !findings_undo(&d->inv->findings, redo)) {
        state_release(&now);
        return false;
    }
    if (!decided) {
        free(now.what);
        now.what = mem_strdup(_("change of the findings"));
    }
    if (redo) /* so that the way back is the same steps */
        vec_push(&d->undo, now);
    else
        vec_push(&d->redo, now);
    if (!decided && workspace_keep(d))
        workspace_say(d, "%s",
                      redo ? _("redone: a change of the findings") : _("undone: the last change of the findings"));
    else if (decided && workspace_decide(d))
        workspace_say(d, redo ? _("redone: a pairing decision")
                              : _("undone: the last pairing decision"));
    return true;
}

bool workspace_undo(struct workspace *d, bool redo)
{
    size_t n = redo ? d->redo.n : d->undo.n;
    if (!n)
        return undo_decision(d, redo);
    struct workspace_state x = redo ? d->redo.v[n - 1] : d->undo.v[n - 1], now = state_now(d, x.what);
    if (redo) {
        d->redo.n--;
        vec_push(&d->undo, now);
    } else {
        d->undo.n--;
        vec_push(&d->redo, now);
    }
    go_back_to(d, &x);
    d->guide.changes++;
    if (workspace_save(d))
        workspace_say(d, redo ? _("redone: %s") : _("undone: %s"), x.what);
    state_release(&x);
    return true;
}

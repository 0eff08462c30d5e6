/* Saves the user's work: the investigation is written, or a message gives the reason why not. */
#include "cmd/workspace.h"

#include "base/msg.h"

void workspace_columns_keep(struct workspace *d)
{
    struct buf b = {0};
    for (int i = 0; i < d->columns; i++)
        buf_fmt(&b, "%s%s", i ? " " : "", d->column[i]->name);
    if (strcmp(d->inv->columns, b.p ? b.p : "") != 0)
        d->inv->columns = investigation_keep(d->inv, b.p ? b.p : "");
    buf_release(&b);
}

bool workspace_decide(struct workspace *d)
{
    session_decide(d->s, &d->inv->decisions);
    return workspace_keep(d);
}

bool workspace_keep(struct workspace *d)
{
    d->guide.changes++; /* pages tell of findings too */
    if (!workspace_may_change(d))
        return false;
    return workspace_save(d);
}

bool workspace_may_change(struct workspace *d)
{
    struct err e;
    if (investigation_may_change(d->inv, &e) == 0)
        return true;
    workspace_complain(d, _("read-only: %s"), e.text);
    return false;
}

/* The file now contains what others saved: applies it to the comparison, and replaces the undo list. */
static void take_in_changes(struct workspace *d)
{
    workspace_undo_release(d);
    session_set_tol(d->s, &d->inv->tol);
    session_decide(d->s, &d->inv->decisions);
    d->guide.changes++;
    buf_clear(&d->aside);
    buf_fmt(&d->aside, _("%s was changed by someone else in the meantime; changes merged: %zu"),
            path_base(str_of(d->inv->path)).p, d->inv->taken_in);
}

bool workspace_save(struct workspace *d)
{
    uint32_t merges = d->inv->merges;
    struct err e = {0};
    if (investigation_save(d->inv, &e)) {
        workspace_complain(d, _("not saved: %s"), e.text);
        buf_clear(&d->aside);
        buf_cstr(&d->aside, d->inv->path ? _(":save over or :saveas NAME") : "");
    } else if (d->inv->merges != merges) {
        take_in_changes(d);
    }
    d->inv->unsaved = e;
    return e.code == ERR_NONE;
}

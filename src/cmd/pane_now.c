/* Determines which pane has the focus. */
#include "cmd/pane_now.h"

enum pane_id pane_now(const struct workspace *d)
{
    static const enum pane_id focused[FOCUS_COUNT] = {PANE_TABLE, PANE_DETAIL, PANE_STACK};
    switch (d->overlay) {
    case OVERLAY_HELP:
        return PANE_HELP;
    case OVERLAY_LIST:
        return PANE_LIST;
    case OVERLAY_INTAKE:
        return PANE_INTAKE;
    case OVERLAY_PANEL:
        return d->panel.number ? PANE_PANEL : PANE_OVERVIEW;
    case OVERLAY_NONE:
        break;
    }
    if (workspace_shows_ranks(d))
        return PANE_RANKS;
    if (d->tensor.open)
        return PANE_TENSOR;
    return d->focus == FOCUS_TABLE && d->groups.kind != GROUP_NONE ? PANE_GROUPS : focused[d->focus];
}

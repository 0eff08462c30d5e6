/* The actions of moving, Enter and back in each pane; those of panes without a file of their own. */
#include "cmd/pane_verbs.h"

#include "base/msg.h"
#include "cmd/cmd.h"

static int scroll_by(int at, long by)
{
    long to = at + by;
    return to < 0 ? 0 : to > 1 << 20 ? 1 << 20 : (int)to; /* the pane knows its end */
}

/* ---- help ---- */

static int help_step(struct workspace *d, long by)
{
    d->help_scroll = scroll_by(d->help_scroll, by);
    return 0;
}

static int help_back(struct workspace *d)
{
    d->overlay = d->help_over;
    workspace_narrow(d, STR(""));
    return 0;
}

/* Ends the words after "/", as in any text; otherwise leaves. */
static int help_enter(struct workspace *d)
{
    if (!d->narrowing)
        return help_back(d);
    d->narrowing = false;
    d->narrowed = true;
    return 0;
}

/* ---- lists ---- */

static int list_step(struct workspace *d, long by)
{
    long at = (long)d->list.at + by, last = (long)d->list.shown.n - 1;
    d->list.at = (uint32_t)(at < 0 || last < 0 ? 0 : at > last ? last : at);
    return 0;
}

/* Runs the chosen entry's command. Lists that name a command to fill them again stay open. */
static int choose_entry(struct workspace *d, const char *command)
{
    char *text = mem_strdup(command), *from = d->list.of ? mem_strdup(d->list.of) : NULL;
    const char *again = d->list.again;
    if (str_starts(str_of(text), "finding-go "))
        workspace_leave_list(d);
    d->overlay = OVERLAY_NONE;
    int r = command_run(d, text);
    d->list.left.on &= d->overlay == OVERLAY_NONE;
    if (again && d->overlay == OVERLAY_NONE) {
        d->overlay = OVERLAY_LIST; /* keeps the place in it */
        r |= command_run(d, again);
    }
    d->list.over_panel &= d->overlay != OVERLAY_NONE;
    if (d->overlay == OVERLAY_LIST && !again) {
        free(d->list.from);
        d->list.from = from;
        from = NULL;
    }
    free(from);
    free(text);
    return r;
}

static int list_enter(struct workspace *d)
{
    const struct list_item *x = workspace_selected(d);
    if (!x && d->narrow.n) {
        workspace_say(d, _("no entry contains \"%s\"; Backspace deletes a character"), d->narrow.p);
        return 0;
    }
    if (!x) /* nothing is found yet, or will be */
        return d->list.offers ? 0 : workspace_close_overlay(d);
    if (x->command)
        return choose_entry(d, x->command);
    if (x->line == NONE) {
        workspace_say(d, _("this entry has no row"));
        return 0;
    }
    uint32_t line = x->line;
    workspace_leave_list(d);
    workspace_go(d, line);
    return 0;
}

static int list_inside(struct workspace *d)
{
    const struct list_item *x = workspace_selected(d);
    return x && x->inside ? choose_entry(d, x->inside) : NOT_MINE;
}

int pane_away(struct workspace *d)
{
    const struct list_item *x = pane_now(d) == PANE_LIST ? workspace_selected(d) : NULL;
    if (x && x->away)
        return choose_entry(d, x->away);
    workspace_say(d, _("this entry cannot be removed"));
    return 0;
}

static int list_back(struct workspace *d)
{
    char *from = d->list.from;
    d->list.from = NULL;
    workspace_close_list(d);
    int r = from ? command_run(d, from) : 0;
    free(from);
    return r;
}

/* Findings may have changed: makes their list again and keeps the position. */
static bool list_return(struct workspace *d)
{
    if (!workspace_return_list(d))
        return false;
    char *of = d->list.of ? mem_strdup(d->list.of) : NULL;
    if (of)
        command_run(d, of);
    free(of);
    return true;
}

/* ---- the intake ---- */

static int intake_step(struct workspace *d, long by)
{
    d->intake_scroll = scroll_by(d->intake_scroll, by);
    return 0;
}

static int intake_enter(struct workspace *d)
{
    if (d->c->side[TARGET].path)
        return workspace_close_overlay(d);
    workspace_say(d, _("nothing is open; d lists the dumps below this folder"));
    return 0;
}

static int intake_back(struct workspace *d)
{
    return d->c->side[TARGET].path ? workspace_close_overlay(d) : NOT_MINE;
}

/* ---- the table's place ---- */

static int groups_step(struct workspace *d, long by)
{
    workspace_group_step(d, by);
    return 0;
}

static int groups_across(struct workspace *d, int by)
{
    workspace_group_across(d, by);
    return 0;
}

static int groups_enter(struct workspace *d)
{
    uint32_t line = d->cursor;
    workspace_group(d, GROUP_NONE);
    workspace_go(d, line);
    return 0;
}

static int table_step(struct workspace *d, long by)
{
    workspace_step(d, by);
    return 0;
}

static int table_across(struct workspace *d, int by)
{
    if (by > 0)
        d->column_at++; /* the pane knows how many do not fit */
    else
        d->column_at -= d->column_at > 0;
    return 0;
}

static int focus_pane(struct workspace *d, enum focus f)
{
    d->focus = f;
    return 0;
}

static int table_enter(struct workspace *d)
{
    const struct row_fold *fold = workspace_fold(d, d->cursor);
    if (d->c->failed) /* there is no table; why, and what else could be opened */
        return command_run(d, "intake");
    if (fold) {
        row_folds_open(&d->folds, fold, true);
        return 0;
    }
    if (workspace_lines(d) && tensor_view_possible(d, d->cursor))
        return command_run(d, "tensor");
    return focus_pane(d, FOCUS_DETAIL);
}

/* ---- what is below the table, and the tensor view ---- */

static int detail_step(struct workspace *d, long by)
{
    d->detail_scroll = scroll_by(d->detail_scroll, by);
    return 0;
}

/* Opens what may make another row the first, where the detail says so. */
static int detail_enter(struct workspace *d)
{
    const struct judgement *j = d->c->judged;
    bool first = j && workspace_lines(d) && j->first == d->cursor;
    focus_pane(d, FOCUS_TABLE);
    if (first && j->gaps_before)
        return command_run(d, "list gaps");
    return first && j->unread_before ? command_run(d, "list problems") : 0;
}

static int stack_step(struct workspace *d, long by)
{
    bool twin;
    enum side side = d->stack.side;
    uint32_t st = workspace_stack(d, d->cursor, side, &twin);
    long n = st == NONE ? 0 : (long)d->c->side[side].dump.stacks.v[st].n, at = (long)d->stack.frame[side] + by;
    workspace_stack_select(d, side, (uint32_t)(at < 0 || !n ? 0 : at >= n ? n - 1 : at));
    return 0;
}

static int stack_enter(struct workspace *d)
{
    return command_run(d, "source");
}

static int tensor_back(struct workspace *d)
{
    d->tensor.open = false;
    return 0;
}

static const struct pane_verbs verbs_help = {.step = help_step, .enter = help_enter, .back = help_back},
                              verbs_list =
                              {.step = list_step, .enter = list_enter, .inside = list_inside, .back = list_back},
                              verbs_intake =
                              {.step = intake_step, .enter = intake_enter, .back = intake_back},
                              verbs_tensor = {.back = tensor_back},
                              verbs_groups = {.step = groups_step, .across = groups_across, .enter = groups_enter},
                              verbs_table = {.step = table_step, .across = table_across, .enter = table_enter},
                              verbs_detail = {.step = detail_step, .enter = detail_enter},
                              verbs_stack = {.step = stack_step, .enter = stack_enter};

static const struct pane_verbs *const verbs[PANE_COUNT] = {
    [PANE_HELP] = &verbs_help,         [PANE_LIST] = &verbs_list,     [PANE_INTAKE] = &verbs_intake,
        [PANE_PANEL] = &verbs_panel,
    [PANE_OVERVIEW] = &verbs_overview, [PANE_RANKS] = &verbs_ranks, [PANE_TENSOR] = &verbs_tensor, [PANE_GROUPS] = &verbs_groups,
    [PANE_TABLE] = &verbs_table,
    [PANE_DETAIL] = &verbs_detail,     [PANE_STACK] = &verbs_stack,
};

/* ---- the way of a command ---- */

static const struct pane_verbs *verbs_here(const struct workspace *d)
{
    return verbs[pane_now(d)];
}

static const struct pane_verbs *verbs_below(const struct workspace *d)
{
    return d->groups.kind != GROUP_NONE ? &verbs_groups : &verbs_table;
}

int pane_step(struct workspace *d, long by)
{
    int r = verbs_here(d)->step ? verbs_here(d)->step(d, by) : NOT_MINE;
    return r == NOT_MINE ? verbs_below(d)->step(d, by) : r;
}

int pane_across(struct workspace *d, int by)
{
    int r = verbs_here(d)->across ? verbs_here(d)->across(d, by) : NOT_MINE;
    return r == NOT_MINE ? verbs_below(d)->across(d, by) : r;
}

int pane_enter(struct workspace *d)
{
    int r = verbs_here(d)->enter ? verbs_here(d)->enter(d) : NOT_MINE;
    return r == NOT_MINE ? verbs_below(d)->enter(d) : r;
}

int pane_inside(struct workspace *d)
{
    int r = verbs_here(d)->inside ? verbs_here(d)->inside(d) : NOT_MINE;
    return r == NOT_MINE ? pane_enter(d) : r;
}

/* Last, the program itself: cancels what was begun, then resets the layout, then filters and orders; then leaves the
 * table for the ranks, if they are open. */
static int close_latest(struct workspace *d)
{
    if (d->pick.on)
        d->pick.on = false;
    else if (d->zoom)
        d->zoom = false;
    else if (d->focus != FOCUS_TABLE)
        d->focus = FOCUS_TABLE;
    else if (d->groups.kind != GROUP_NONE)
        workspace_leave_groups(d);
    else if (d->search.code)
        search_release(&d->search);
    else if (list_return(d) || panel_return(d))
        return 0;
    else if (d->ranks && d->ranks->job && !d->ranks->shown)
        d->ranks->shown = true;
    else
        return NOT_MINE;
    return 0;
}

int pane_back(struct workspace *d)
{
    int r = verbs_here(d)->back ? verbs_here(d)->back(d) : NOT_MINE;
    return r == NOT_MINE && !pane_covers(pane_now(d)) ? close_latest(d) : r;
}

/* What is shown: panes, stacks, lists. */
#include <stdio.h>
#include <stdlib.h>

#include "base/msg.h"
#include "cmd/cmd.h"
#include "judge/verdict_text.h"
#include "judge/step_inputs.h"
#include "judge/precision.h"

static int focus(struct workspace *d, enum focus f)
{
    d->focus = f;
    return R_DRAW | R_LAYOUT;
}

static int run_pane(struct workspace *d, struct str args)
{
    static const char *const names[FOCUS_COUNT] = {"table", "detail", "stack"};
    if (str_is(args, "next") || !args.n)
        return focus(d, (d->focus + 1) % FOCUS_COUNT);
    if (str_is(args, "prev"))
        return focus(d, (d->focus + FOCUS_COUNT - 1) % FOCUS_COUNT);
    for (int i = 0; i < FOCUS_COUNT; i++)
        if (str_is(args, names[i]))
            return focus(d, (enum focus)i);
    workspace_complain(d, _("panes are table, detail, stack; or next, prev"));
    return R_DRAW;
}

static const char *complete_pane(const struct workspace *d, int i)
{
    static const char *const words[] = {"next", "prev", "table", "detail", "stack"};
    (void)d;
    return i < (int)ARRAY_LEN(words) ? words[i] : NULL;
}

static int run_zoom(struct workspace *d, struct str args)
{
    (void)args;
    d->zoom = !d->zoom;
    return R_DRAW | R_LAYOUT;
}

static int run_side(struct workspace *d, struct str args)
{
    d->stack_side = str_is(args, "target")   ? TARGET
                    : str_is(args, "golden") ? GOLDEN
                    : d->stack_side == TARGET ? GOLDEN
                                              : TARGET;
    d->frame = 0;
    return R_DRAW;
}

static int run_source(struct workspace *d, struct str args)
{
    bool twin;
    uint32_t st = workspace_stack(d, d->cursor, d->stack_side, &twin);
    (void)args;
    if (st == NONE) {
        workspace_complain(d, _("no stack was recorded for this row on the %s side"), d->stack_side == TARGET ? _("target") : _("golden"));
        return R_DRAW;
    }
    const struct dump *x = &d->c->side[d->stack_side].dump;
    const struct stack *s = &x->stacks.v[st];
    const struct frame *f = d->frame < s->n ? &x->frames.v[x->stack_frames.v[s->first + d->frame]] : NULL;
    if (!f || !f->line) {
        workspace_complain(d, _("this frame names no file and line"));
        return R_DRAW;
    }
    d->open_file = f->file;
    for (size_t i = d->inv->remaps.n; i-- > 0;) { /* recorded elsewhere: where it is here */
        const struct named_text *m = &d->inv->remaps.v[i];
        if (str_starts(str_of(f->file), m->name)) {
            struct buf path = {0};
            buf_fmt(&path, "%s%s", m->text, f->file + strlen(m->name));
            d->open_file = investigation_keep(d->inv, path.p);
            buf_release(&path);
            break;
        }
    }
    d->open_line = f->line;
    return R_DRAW | R_OPEN;
}

static int run_remap(struct workspace *d, struct str args)
{
    struct str from, to;
    if (!str_split(args, ' ', &from, &to) || !str_trim(to).n) {
        workspace_complain(d, _("remap FROM TO: how paths in stacks begin, and how they begin on this machine"));
        return R_DRAW;
    }
    struct named_text m = {arena_cstr(&d->inv->arena, from), arena_cstr(&d->inv->arena, str_trim(to))};
    vec_push(&d->inv->remaps, m);
    if (workspace_save(d))
        workspace_say(d, _("%s is looked for as %s"), m.name, m.text);
    return R_DRAW;
}

static int run_help(struct workspace *d, struct str args)
{
    (void)args;
    d->overlay = OVERLAY_HELP;
    d->overlay_scroll = 0;
    return R_DRAW | R_LAYOUT;
}

static int run_back(struct workspace *d, struct str args)
{
    (void)args;
    if (d->overlay == OVERLAY_INTAKE && !d->c->side[0].path)
        return R_QUIT;
    if (d->overlay == OVERLAY_LIST) {
        workspace_close_list(d);
    } else if (d->overlay == OVERLAY_PANEL && d->panel) {
        d->panel_at = (uint32_t)d->panel - 1;
        d->panel = 0;
        d->overlay_scroll = 0;
    } else if (d->overlay != OVERLAY_NONE) {
        d->overlay = d->c->side[0].path ? OVERLAY_NONE : OVERLAY_INTAKE;
    } else if (d->sight.open) {
        d->sight.open = false;
    } else if (d->pick.on) {
        d->pick.on = false;
    } else if (d->zoom) {
        d->zoom = false;
    } else if (d->focus != FOCUS_TABLE) {
        d->focus = FOCUS_TABLE;
    } else if (d->group != GROUP_NONE) {
        workspace_group(d, GROUP_NONE);
    } else if (d->search.code) {
        search_release(&d->search);
    } else {
        return R_QUIT; /* at the top there is nothing left to close; nothing is lost either */
    }
    return R_DRAW | R_LAYOUT;
}

/* Esc clears, but never leaves. */
static int run_cancel(struct workspace *d, struct str args)
{
    bool at_top = d->overlay == OVERLAY_NONE && !d->sight.open && !d->pick.on && !d->zoom && d->focus == FOCUS_TABLE && d->group == GROUP_NONE && !d->search.code;
    if (at_top && report_job_busy(&d->scribe))
        report_job_cancel(&d->scribe);
    return at_top ? R_DRAW : run_back(d, args);
}

/* ---- lists ---- */

static void list_deviations(struct workspace *d)
{
    struct buf name[2] = {{0}, {0}}, text = {0};
    const struct judgement *j = d->c->judged;
    for (uint32_t i = 0; i < j->lines && d->list.n < 5000; i++) {
        if (!verdict_is_bad(j->line[i].verdict))
            continue;
        workspace_names(d, i, name);
        buf_clear(&text);
        buf_fmt(&text, "%s", name[0].n ? name[0].p : name[1].p);
        workspace_add_item(d, i, j->line[i].verdict, buf_view(&text));
    }
    buf_release(&name[0]);
    buf_release(&name[1]);
    buf_release(&text);
}

static void list_suspects(struct workspace *d)
{
    const struct judgement *j = d->c->judged;
    struct buf text = {0};
    for (size_t i = 0; i < j->suspects.n && i < 1000; i++) {
        const struct suspect *x = &j->suspects.v[i];
        buf_clear(&text);
        buf_fmt(&text, _("%.*s   error in %.2g, out %.2g"), STR_ARG(dump_call_name(&d->c->side[TARGET].dump, x->call)), x->in, x->out);
        workspace_add_item(d, x->line, j->line[x->line].verdict, buf_view(&text));
    }
    buf_release(&text);
}

static void list_frontier(struct workspace *d)
{
    const struct judgement *j = d->c->judged;
    struct buf text = {0};
    for (size_t i = 0; i < j->frontier.n; i++) {
        const struct entry_point *x = &j->frontier.v[i];
        buf_clear(&text);
        buf_fmt(&text, _("%3.0f %%  %.*s   %s"), x->downstream * 100, STR_ARG(dump_call_name(&d->c->side[TARGET].dump, x->call)), entry_point_label(x->kind));
        workspace_add_item(d, x->line, j->line[x->line].verdict, buf_view(&text));
    }
    buf_release(&text);
}

static void list_precision(struct workspace *d)
{
    precision_list l = {0};
    struct arena a = {0};
    struct buf text = {0};
    precision_find(d->c->judged, &d->c->measure, &a, &l);
    for (size_t i = 0; i < l.n; i++) {
        buf_clear(&text);
        buf_fmt(&text, _("%-10s %-10s %4u rows  %s"), dtype_table[l.v[i].dtype[0]].name, dtype_table[l.v[i].dtype[1]].name,
                l.v[i].rows, l.v[i].scope);
        workspace_add_item(d, l.v[i].first, 0, buf_view(&text));
    }
    vec_release(&l);
    arena_release(&a);
    buf_release(&text);
}

static void list_inputs(struct workspace *d)
{
    const step_input_list *l = &d->c->inputs;
    struct buf text = {0};
    for (size_t i = 0; i < l->n; i++) {
        const struct step_input *x = &l->v[i];
        int side = x->row[TARGET] == NONE ? GOLDEN : TARGET;
        buf_clear(&text);
        buf_fmt(&text, "%-15s ", step_input_name(x->what));
        step_input_detail(x, d->c->measure.side, &text);
        workspace_add_item(d, d->c->pairing->line_of[side][x->row[side]],
                           x->equal == 1 ? VERDICT_MATCH : x->equal == 0 ? VERDICT_DEVIATE : VERDICT_SKIP,
                           buf_view(&text));
    }
    buf_release(&text);
}

/* Of one side alone: what the readers and its values say; notes are dim. */
static void list_examined(struct workspace *d)
{
    const struct dump_check *c = &d->c->examined.check;
    struct buf text = {0}, name = {0};
    for (size_t i = 0; i < c->problems.n && i < 2000; i++) {
        const struct dump_check_problem *p = &c->problems.v[i];
        buf_clear(&text);
        buf_clear(&name);
        if (p->row != NONE)
            dump_row_name(&d->c->side[TARGET].dump, p->row, &name);
        buf_fmt(&text, "%-12s %s%s%s", p->kind, name.n ? name.p : "", name.n ? ": " : "", p->text);
        workspace_add_item(d, p->row, dump_check_is_note(p) ? 0 : VERDICT_DEVIATE, buf_view(&text));
    }
    buf_release(&text);
    buf_release(&name);
}

static void list_problems(struct workspace *d)
{
    if (d->c->examined.done) {
        list_examined(d);
        return;
    }
    for (int s = 0; s < 2; s++) {
        const struct dump *x = &d->c->side[s].dump;
        for (size_t i = 0; i < x->problems.n && i < 2000; i++) {
            uint32_t row = x->problems.v[i].row;
            uint32_t line = row == NONE || !d->c->paired ? NONE : d->c->pairing->line_of[s][row];
            workspace_add_item(d, line, 0, str_of(x->problems.v[i].text));
        }
    }
    for (uint32_t i = 0; d->c->measure.failure && i < d->c->measure.lines; i++)
        if (d->c->measure.failure[i])
            workspace_add_item(d, i, 0, str_of(d->c->measure.failure[i]));
}

static void list_gaps(struct workspace *d)
{
    const struct dump *const side[2] = {&d->c->side[TARGET].dump, &d->c->side[GOLDEN].dump};
    gap_group_list l = {0};
    struct buf text = {0};
    if (!d->c->paired || d->c->single)
        return;
    gaps_group(d->c->pairing, side, &l);
    for (size_t i = 0; i < l.n && i < 2000; i++) {
        buf_clear(&text);
        gap_group_text(&l.v[i], side, &text);
        workspace_add_item(d, l.v[i].line, VERDICT_ONLY, buf_view(&text));
    }
    vec_release(&l);
    buf_release(&text);
}

static void list_bookmarks(struct workspace *d)
{
    struct buf text = {0};
    for (size_t i = 0; i < d->inv->bookmarks.n; i++) {
        const struct bookmark *b = &d->inv->bookmarks.v[i];
        uint32_t line = NONE;
        for (int s = 0; s < 2 && line == NONE && d->c->paired; s++) {
            uint32_t row = *b->row[s] ? dump_find_row(&d->c->side[s].dump, str_of(b->row[s])) : NONE;
            if (row != NONE)
                line = d->c->pairing->line_of[s][row];
        }
        buf_clear(&text);
        buf_fmt(&text, "%s", *b->row[0] ? b->row[0] : b->row[1]);
        if (line == NONE)
            buf_cstr(&text, _("   (not in these dumps)"));
        workspace_add_item(d, line, line == NONE || !d->c->judged ? 0 : d->c->judged->line[line].verdict,
                           buf_view(&text));
    }
    buf_release(&text);
}

static const struct {
    const char *name, *title, *empty;
    unsigned needs;
    void (*fill)(struct workspace *d);
} lists[] = {
    {"deviations", N_("rows that deviate"), N_("no row deviates"), NEEDS_JUDGED, list_deviations},
    {"suspects", N_("suspects: inputs agree, an output deviates"), N_("no suspects: no call makes a difference of its own"), NEEDS_JUDGED, list_suspects},
    {"frontier", N_("frontier: where deviations enter, and how much of what deviates depends on it"), N_("nothing deviates"), NEEDS_JUDGED, list_frontier},
    {"precision", N_("differing floating types, by scope (target, golden)"), N_("both sides hold everything in the same floating types"), NEEDS_JUDGED, list_precision},
    {"inputs", N_("the step's inputs, compared exactly"), N_("no step inputs were recognised in these dumps"), NEEDS_JUDGED, list_inputs},
    {"gaps", N_("calls only one side has, by the function they were called in"), N_("every call has a partner"), 0, list_gaps},
    {"problems", N_("what could not be read, and what was recorded as wrong"), N_("everything could be read"), 0, list_problems},
    {"bookmarks", N_("bookmarks"), N_("no bookmarks; m sets one"), 0, list_bookmarks},
};

static int run_list(struct workspace *d, struct str args)
{
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        if (!str_is(args, lists[i].name))
            continue;
        if ((lists[i].needs & NEEDS_JUDGED) && !d->c->judged) {
            workspace_complain(d, _("nothing has been compared yet"));
            return R_DRAW;
        }
        workspace_clear_list(d);
        lists[i].fill(d);
        if (!d->list.n) {
            workspace_say(d, "%s", _(lists[i].empty));
            return R_DRAW;
        }
        workspace_show_list(d, _(lists[i].title));
        return R_DRAW | R_LAYOUT;
    }
    workspace_complain(d, _("lists are deviations, suspects, frontier, precision, inputs, gaps, problems, bookmarks"));
    return R_DRAW;
}

static const char *complete_list(const struct workspace *d, int i)
{
    (void)d;
    return i < (int)ARRAY_LEN(lists) ? lists[i].name : NULL;
}

/* Runs the chosen entry's command. Lists that name a command to fill them again stay open. */
static int choose(struct workspace *d, const char *command)
{
    char *text = mem_strdup(command);
    const char *again = d->list_again;
    d->overlay = OVERLAY_NONE;
    int r = command_run_locked(d, text);
    if (again && d->overlay == OVERLAY_NONE) {
        d->overlay = OVERLAY_LIST; /* keeps the place in it */
        r |= command_run_locked(d, again);
    }
    d->panel_under &= d->overlay != OVERLAY_NONE;
    free(text);
    return r | R_DRAW | R_LAYOUT;
}

/* Enter: into what lies under the cursor. */
static int run_enter(struct workspace *d, struct str args)
{
    if (d->overlay == OVERLAY_LIST && d->list_at < d->list.n) {
        if (d->list.v[d->list_at].command)
            return choose(d, d->list.v[d->list_at].command);
        uint32_t line = d->list.v[d->list_at].line;
        if (line == NONE) {
            workspace_say(d, _("this entry belongs to no row"));
            return R_DRAW;
        }
        d->overlay = OVERLAY_NONE;
        d->panel_under = false;
        workspace_go(d, line);
        return R_DRAW | R_LAYOUT;
    }
    if (d->overlay == OVERLAY_LIST && d->list_offers)
        return R_DRAW; /* nothing is found yet */
    if (d->overlay == OVERLAY_INTAKE && !d->c->side[0].path) {
        workspace_say(d, _("nothing is open; d lists the dumps below this folder"));
        return R_DRAW;
    }
    if (d->overlay == OVERLAY_PANEL)
        return panel_enter(d);
    if (d->overlay != OVERLAY_NONE)
        return run_back(d, args);
    if (d->focus == FOCUS_STACK)
        return run_source(d, args);
    if (d->focus == FOCUS_TABLE && d->group != GROUP_NONE) {
        uint32_t line = d->cursor;
        workspace_group(d, GROUP_NONE);
        workspace_go(d, line);
        return R_DRAW | R_LAYOUT;
    }
    if (d->focus == FOCUS_TABLE && workspace_lines(d) && tensor_view_possible(d, d->cursor))
        return command_run_locked(d, "tensor");
    return focus(d, d->focus == FOCUS_TABLE ? FOCUS_DETAIL : FOCUS_TABLE);
}

static int run_inside(struct workspace *d, struct str args)
{
    if (d->overlay == OVERLAY_LIST && d->list_at < d->list.n && d->list.v[d->list_at].inside)
        return choose(d, d->list.v[d->list_at].inside);
    return run_enter(d, args);
}

const struct command commands_look[] = {
    {"enter", "", N_("into what is under the cursor: the tensors of a row, else its detail, the source of a frame, the row of a list entry"), 0, run_enter, NULL},
    {"inside", "", N_("in a list: what the entry itself holds (of a finding its evidence and what can be done with it), else as enter"), 0, run_inside, NULL},
    {"back", "", N_("close what is open; at the top: leave. Nothing is ever lost"), 0, run_back, NULL},
    {"cancel", "", N_("close what is open, but stay"), 0, run_cancel, NULL},
    {"pane", "next|prev|NAME", N_("give the keys to another pane: table, detail, stack"), 0, run_pane, complete_pane},
    {"zoom", "", N_("the pane under the table takes the whole screen, and back"), 0, run_zoom, NULL},
    {"side", "[target|golden]", N_("the other side's stack, or the one named"), 0, run_side, NULL},
    {"source", "", N_("open the selected frame's file at its line, in $PAGER or $EDITOR"), NEEDS_ROW, run_source, NULL},
    {"remap", "FROM TO", N_("source files of stacks recorded elsewhere: how their paths begin here"), 0, run_remap, NULL},
    {"list", "NAME", N_("deviations, suspects, frontier, precision, inputs, gaps, problems or bookmarks; Enter goes there"), 0, run_list, complete_list},
    {"help", "", N_("keys and commands"), 0, run_help, NULL},
    {0},
};

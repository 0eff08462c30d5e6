/* The state of one person's work that no pane has to itself: moving, groups, lists, messages, undo, saving; and what
 * is made anew when the session has something new. */
#include "cmd/workspace.h"

#include <stdlib.h>

#include "base/msg.h"
#include "cmd/cmd.h"
#include "report/compare.h"

void workspace_init(struct workspace *d, struct session *s, struct investigation *inv)
{
    *d = (struct workspace){
        .s = s,
        .inv = inv,
        .follow = true,
        .seen_first = NONE,
        .cursor_row = {NONE, NONE},
        .page = 10,
        .frame_line = NONE,
        .plot_at = -1,
        .plot_log = inv->plot.log,
        .plot_from = inv->plot.from,
        .plot_to = inv->plot.to,
        .new_step = {-1, -1},
        .new_rank = {-1, -1},
        .theme = "dark",
    };
    d->c = session_hold(s);
    diagnosis_job_init(&d->ward, s->opt.notify, s->opt.ctx);
    tensor_view_init(&d->sight, s);
    procedure_init(&d->guide, d->c, inv, session_compare, s->opt.notify, s->opt.ctx);
    report_job_init(&d->scribe, &d->guide, s->opt.notify, s->opt.ctx);
    folder_scan_init(&d->offers, s->opt.notify, s->opt.ctx);
    if (procedure_begun(&d->guide))
        procedure_look(&d->guide);
    workspace_columns_from(d, inv->columns);
}

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

void workspace_release(struct workspace *d)
{
    if (!d->s)
        return;
    report_job_release(&d->scribe); /* it looks at the rest */
    folder_scan_release(&d->offers);
    tensor_view_release(&d->sight);
    diagnosis_job_release(&d->ward);
    procedure_release(&d->guide);
    comparison_drop(d->c);
    search_release(&d->search);
    row_order_release(&d->arrange);
    row_groups_release(&d->outline);
    layer_table_release(&d->layers);
    states_release(d->undo.v, d->undo.n);
    states_release(d->redo.v, d->redo.n);
    vec_release(&d->undo);
    vec_release(&d->redo);
    vec_release(&d->jumps);
    vec_release(&d->gaps);
    vec_release(&d->doubts);
    arena_release(&d->sentences);
    workspace_clear_list(d);
    vec_release(&d->list);
    free(d->list_title);
    free(d->write_path);
    free(d->prompt);
    free(d->edit_command);
    free(d->edit_text);
    for (size_t i = 0; i < ARRAY_LEN(d->rule); i++)
        free(d->rule[i]);
    buf_release(&d->message);
    buf_release(&d->copy);
    vec_release(&d->widths);
    free(d->keys);
    free(d->new_input[0]);
    free(d->new_input[1]);
}

static void make_groups(struct workspace *d);

uint32_t workspace_lines(const struct workspace *d)
{
    return (uint32_t)(d->c->paired ? d->c->pairing->lines.n : d->c->side[TARGET].dump.rows.n);
}

uint32_t workspace_shown(const struct workspace *d)
{
    return row_order_count(&d->arrange, workspace_lines(d));
}

uint32_t workspace_at(const struct workspace *d, uint32_t pos)
{
    return row_order_line(&d->arrange, pos);
}

uint32_t workspace_pos(const struct workspace *d)
{
    return row_order_nearest(&d->arrange, d->cursor);
}

static bool all_of_one_name(const struct comparison *s)
{
    const struct pairing *p = s->pairing;
    for (size_t i = 0; i < p->pairs.n; i++)
        if (p->pairs.v[i].origin != ORIGIN_NAME)
            return false;
    return p->pairs.n > 0;
}

/* Looks through the sides anew whenever one more is loaded: all rows are read, so not at every frame. */
static void doubt(struct workspace *d)
{
    int loaded = (d->c->side[0].state == SIDE_LOADED) + (d->c->side[1].state == SIDE_LOADED) + (d->c->since.err.code != ERR_NONE);
    if (loaded == d->doubts_of)
        return;
    d->doubts_of = loaded;
    vec_clear(&d->doubts);
    arena_clear(&d->sentences);
    input_doubts_find(d->c, &d->sentences, &d->doubts);
}

/* Whether something about the inputs should be looked at before the table. */
static bool in_doubt(const struct workspace *d)
{
    for (size_t i = 0; i < d->doubts.n; i++)
        if (d->doubts.v[i].question)
            return true;
    return false;
}

uint32_t workspace_line_of(const struct workspace *d, const uint32_t row[2])
{
    const struct comparison *s = d->c;
    for (int i = 0; i < 2 && s->paired; i++)
        if (row[i] < s->side[i].dump.rows.n && s->pairing->line_of[i][row[i]] != NONE)
            return s->pairing->line_of[i][row[i]];
    return s->paired ? NONE : row[TARGET];
}

/* The first pairing: lines are numbered from now on. */
static void begin_table(struct workspace *d)
{
    const struct comparison *s = d->c;
    for (int i = 0; i < 2; i++)
        if (s->side[i].now.bytes)
            d->inv->state[i] = s->side[i].now;
    if (d->follow && d->overlay == OVERLAY_NONE && in_doubt(d))
        d->overlay = OVERLAY_INTAKE;
    /* a saved place comes before the first deviation */
    uint32_t row = *d->inv->cursor[0] ? dump_find_row(&s->side[TARGET].dump, str_of(d->inv->cursor[0])) : NONE;
    if (row != NONE && d->follow) {
        d->cursor = s->pairing->line_of[TARGET][row];
        d->follow = false;
        workspace_say(d, "%s", _("back at the row you left; F goes to the first deviation"));
    }
}

static bool lists_lines(const struct workspace *d)
{
    for (size_t i = 0; i < d->list.n; i++)
        if (d->list.v[i].line != NONE)
            return true;
    return false;
}

/* Lines are numbered anew: what the desk remembers by line goes by its rows, and what was made of lines goes. */
static void take_pairing(struct workspace *d)
{
    const struct comparison *s = d->c;
    bool first = d->pairings == 0;
    uint32_t at[2] = {first ? d->cursor : d->cursor_row[0], first ? NONE : d->cursor_row[1]}, line = workspace_line_of(d, at);
    if (line != NONE)
        d->cursor = line;
    d->pairings = s->pairings;
    d->same_names = all_of_one_name(s);
    d->seen_first = NONE;
    const struct dump *const side[2] = {&s->side[TARGET].dump, &s->side[GOLDEN].dump};
    vec_clear(&d->gaps);
    if (!s->single)
        gaps_find(s->pairing, side, &d->gaps);
    row_order_forget(&d->arrange);
    search_restart(&d->search);
    d->seeking.by = 0;
    if (d->overlay == OVERLAY_LIST && !d->list_again && lists_lines(d))
        d->overlay = OVERLAY_NONE;
    if (d->group != GROUP_NONE)
        make_groups(d);
    if (d->overlay == OVERLAY_LIST && d->list_again)
        command_run_locked(d, d->list_again); /* it speaks of pairs */
    if (first)
        begin_table(d);
}

/* Lines of a panel go and come with what is found. */
static void panel_clamp(struct workspace *d)
{
    uint32_t n = d->panel ? (uint32_t)d->guide.page[d->panel - 1].items.n : PANELS;
    if (d->panel && d->panel_follow)
        d->panel_at = page_first(&d->guide.page[d->panel - 1]);
    if (d->panel_at >= n)
        d->panel_at = n ? n - 1 : 0;
}

void workspace_close_list(struct workspace *d)
{
    d->overlay = d->panel_under ? OVERLAY_PANEL : d->c->side[0].path ? OVERLAY_NONE : OVERLAY_INTAKE;
    d->panel_under = false;
}

/* What has been found below a folder since comes into the list that was opened for it. */
static void take_offers(struct workspace *d)
{
    struct folder_scan *o = &d->offers;
    if (d->overlay != OVERLAY_LIST || !d->list_offers) {
        folder_scan_drop(o);
        return;
    }
    bool busy = folder_scan_busy(o);
    for (size_t i = d->list.n, n = folder_scan_count(o); i < n; i++) {
        struct openable x = folder_scan_at(o, i);
        workspace_add_command(d, "take", x.path, "%-15s %s", x.kind, x.path);
    }
    if (busy)
        return;
    d->list_offers = false;
    if (d->list.n) {
        workspace_show_list(d, workspace_alone(d) ? _("found here; Enter takes one as the golden side") : _("found here; Enter takes one as the target"));
        return;
    }
    workspace_close_list(d);
    if (o->err.text[0])
        workspace_complain(d, "%s", o->err.text);
    else
        workspace_say(d, _("nothing that can be opened below %s"), o->folder);
}

const char *workspace_alone(const struct workspace *d)
{
    const text_list *given = &d->inv->given;
    if (d->c->side[TARGET].path)
        return d->c->single && !d->c->failed ? d->c->side[TARGET].path : NULL;
    return given->n == 1 && str_starts(str_of(given->v[0].name), "target-") ? given->v[0].text : NULL;
}

void workspace_see(struct workspace *d)
{
    if (d->c != d->s->now) {
        const struct comparison *before = d->c;
        d->c = comparison_hold(d->s->now);
        comparison_drop(before);
        procedure_see(&d->guide, d->c);
    }
    doubt(d);
    if (d->c->paired && d->pairings != d->c->pairings)
        take_pairing(d);
}

void workspace_refresh(struct workspace *d)
{
    workspace_see(d);
    const struct comparison *s = d->c;
    take_offers(d);
    if (d->overlay == OVERLAY_PANEL || procedure_begun(&d->guide)) {
        procedure_write(&d->guide);
        panel_clamp(d);
    }
    if (d->follow && s->judged && s->judged->first != d->seen_first) {
        d->seen_first = s->judged->first;
        if (d->seen_first != NONE)
            d->cursor = d->seen_first;
    }
    uint32_t n = workspace_lines(d);
    if (d->cursor >= n)
        d->cursor = n ? n - 1 : 0;
    if (d->group == GROUP_NONE && row_order_pos(&d->arrange, d->cursor) == NONE && workspace_shown(d))
        d->cursor = workspace_at(d, workspace_pos(d)); /* filtered away: the next one that is left */
    if (d->group != GROUP_NONE && d->grouped_for != s->serial && s->complete)
        make_groups(d);
    if (d->frame_line != d->cursor) { /* another row: its stack from the top */
        d->frame_line = d->cursor;
        d->frame = 0;
        memset(d->scroll, 0, sizeof d->scroll);
    }
    workspace_rows(d, d->cursor, d->cursor_row);
    tensor_view_refresh(d);
}

#define JUMPS_MOST 200

static void remember_place(struct workspace *d)
{
    if (d->jump_at < d->jumps.n)
        d->jumps.n = d->jump_at; /* a new way from here */
    struct line here = {.pair = NONE};
    workspace_rows(d, d->cursor, here.row);
    if (d->jumps.n && memcmp(vec_last(&d->jumps)->row, here.row, sizeof here.row) == 0)
        return;
    if (d->jumps.n == JUMPS_MOST) {
        memmove(d->jumps.v, d->jumps.v + 1, (JUMPS_MOST - 1) * sizeof *d->jumps.v);
        d->jumps.n--;
    }
    vec_push(&d->jumps, here);
    d->jump_at = d->jumps.n;
}

/* ---- rows put together ---- */

static void follow_group(struct workspace *d)
{
    uint32_t line = NONE;
    if (d->group == GROUP_LAYERS) {
        const struct layer_table *x = &d->layers;
        if (d->node < x->rows.n && d->layer < x->columns)
            line = x->line[(size_t)d->node * x->columns + d->layer];
    } else if (d->node < d->outline.nodes.n) {
        const struct row_groups_node *n = &d->outline.nodes.v[d->node];
        line = n->first_bad != NONE ? n->first_bad : n->first;
    }
    if (line != NONE)
        d->cursor = line;
}

static void make_groups(struct workspace *d)
{
    d->grouped_for = d->c->serial;
    if (d->group == GROUP_LAYERS) {
        layer_table_release(&d->layers);
        layer_table_build(&d->layers, d->c);
        if (d->node >= d->layers.rows.n)
            d->node = 0;
        return;
    }
    struct row_groups old = d->outline;
    row_groups_build(&d->outline, (enum row_groups_kind)(d->group - GROUP_MODULES + ROW_GROUPS_MODULES), d->c, &old);
    row_groups_release(&old);
    if (d->node >= d->outline.nodes.n || row_groups_visible(&d->outline, d->node) != d->node)
        d->node = 0;
}

/* The way down to the worst is open, everything else folded. */
static void open_worst(struct workspace *d)
{
    struct row_groups *o = &d->outline;
    uint32_t first = d->c->judged ? d->c->judged->first : NONE;
    for (uint32_t i = 0; i < o->nodes.n && first != NONE; i++)
        if (o->nodes.v[i].first_bad == first) {
            o->nodes.v[i].folded = false;
            d->node = i;
        }
}

/* Where the first deviation is: the first row of the layers whose first bad cell it is. */
static void select_worst(struct workspace *d)
{
    const struct layer_table *x = &d->layers;
    uint32_t first = d->c->judged ? d->c->judged->first : NONE;
    d->layer = 0;
    for (size_t i = 0; i < x->rows.n * x->columns && first != NONE; i++)
        if (x->line[i] == first) {
            d->node = (uint32_t)(i / x->columns);
            d->layer = (uint32_t)(i % x->columns);
            return;
        }
}

void workspace_group(struct workspace *d, enum group g)
{
    d->group = g;
    d->node = 0;
    d->focus = FOCUS_TABLE;
    if (g == GROUP_NONE)
        return;
    d->follow = false;
    remember_place(d);
    row_groups_release(&d->outline);
    d->outline = (struct row_groups){0};
    make_groups(d);
    if (g == GROUP_LAYERS)
        select_worst(d);
    else
        open_worst(d);
    follow_group(d);
}

void workspace_group_step(struct workspace *d, long by)
{
    if (d->group == GROUP_LAYERS) {
        long last = (long)d->layers.rows.n - 1, at = (long)d->node + by;
        d->node = (uint32_t)(at < 0 || last < 0 ? 0 : at > last ? last : at);
    }
    for (uint32_t to = d->node; d->group != GROUP_LAYERS && d->outline.nodes.n && by; by += by < 0 ? 1 : -1) {
        to = by < 0 ? row_groups_prev(&d->outline, to) : row_groups_next(&d->outline, to);
        if (to == NONE)
            break;
        d->node = to;
    }
    follow_group(d);
}

void workspace_group_across(struct workspace *d, int by)
{
    if (d->group == GROUP_LAYERS) {
        if (by < 0)
            d->layer -= d->layer > 0;
        else if (d->layer + 1 < d->layers.columns)
            d->layer++;
        follow_group(d);
        return;
    }
    if (d->node >= d->outline.nodes.n)
        return;
    struct row_groups_node *n = &d->outline.nodes.v[d->node];
    if (by > 0 && !n->leaf && n->folded)
        n->folded = false;
    else if (by > 0 && !n->leaf)
        workspace_group_step(d, 1);
    else if (by < 0 && !n->leaf && !n->folded)
        n->folded = true;
    else if (by < 0 && n->parent != NONE)
        d->node = n->parent;
    follow_group(d);
}

void workspace_unfold_all(struct workspace *d)
{
    bool any = false;
    if (d->group == GROUP_NONE || d->group == GROUP_LAYERS || d->node >= d->outline.nodes.n)
        return;
    for (size_t i = 0; i < d->outline.nodes.n; i++)
        any = any || (d->outline.nodes.v[i].folded && !d->outline.nodes.v[i].leaf);
    for (size_t i = 0; i < d->outline.nodes.n; i++)
        d->outline.nodes.v[i].folded = !any;
    d->node = row_groups_visible(&d->outline, d->node);
}

void workspace_uncover(struct workspace *d)
{
    if (d->overlay == OVERLAY_PANEL)
        d->overlay = OVERLAY_NONE;
}

void workspace_go(struct workspace *d, uint32_t line)
{
    uint32_t n = workspace_lines(d);
    line = line < n ? line : n ? n - 1 : 0;
    if (line != d->cursor)
        remember_place(d);
    d->follow = false;
    workspace_uncover(d);
    if (row_order_pos(&d->arrange, line) == NONE)
        workspace_complain(d, _("row %u is hidden by a filter; \\ shows all rows"), line + 1);
    d->cursor = line;
    workspace_refresh(d);
}

void workspace_step(struct workspace *d, long by)
{
    long at = (long)workspace_pos(d) + by, last = (long)workspace_shown(d) - 1;
    d->follow = false;
    if (last >= 0)
        d->cursor = workspace_at(d, (uint32_t)(at < 0 ? 0 : at > last ? last : at));
    workspace_refresh(d);
}

void workspace_rows(const struct workspace *d, uint32_t line, uint32_t row[2])
{
    row[0] = row[1] = NONE;
    if (line >= workspace_lines(d))
        return;
    if (d->c->paired)
        memcpy(row, d->c->pairing->lines.v[line].row, 2 * sizeof *row);
    else
        row[TARGET] = line;
}

const struct line_judgement *workspace_judgement(const struct workspace *d, uint32_t line)
{
    const struct judgement *j = d->c->judged;
    return j && line < j->lines ? &j->line[line] : NULL;
}

uint32_t workspace_stack(const struct workspace *d, uint32_t line, int side, bool *of_twin)
{
    uint32_t row[2];
    workspace_rows(d, line, row);
    *of_twin = false;
    if (row[side] == NONE)
        return NONE;
    const struct dump *x = &d->c->side[side].dump;
    return dump_call_stack(x, x->rows.v[row[side]].call, of_twin);
}

void workspace_names(const struct workspace *d, uint32_t line, struct buf name[2])
{
    uint32_t row[2];
    workspace_rows(d, line, row);
    for (int s = 0; s < 2; s++) {
        buf_clear(&name[s]);
        buf_cstr(&name[s], "");
        if (row[s] != NONE)
            dump_row_name(&d->c->side[s].dump, row[s], &name[s]);
    }
}

bool workspace_finding(const struct workspace *d, uint32_t line, struct finding *x)
{
    struct buf name[2] = {{0}, {0}};
    if (!d->inv->findings.now)
        return false;
    workspace_names(d, line, name);
    bool any = findings_about(&d->inv->findings, name[0].p, name[1].p, x);
    buf_release(&name[0]);
    buf_release(&name[1]);
    return any;
}

void workspace_clear_list(struct workspace *d)
{
    for (size_t i = 0; i < d->list.n; i++) {
        free(d->list.v[i].text);
        free(d->list.v[i].command);
        free(d->list.v[i].inside);
    }
    vec_clear(&d->list);
    free(d->list_of);
    d->list_of = NULL;
    d->list_again = NULL;
    d->list_offers = false;
}

void workspace_add_item(struct workspace *d, uint32_t line, uint8_t mark, struct str text)
{
    struct list_item x = {.text = str_dup(text), .line = line, .mark = mark};
    vec_push(&d->list, x);
}

void workspace_add_command(struct workspace *d, const char *verb, const char *words, const char *fmt, ...)
{
    struct buf command = {0}, text = {0};
    va_list ap;
    va_start(ap, fmt);
    buf_vfmt(&text, fmt, ap);
    va_end(ap);
    buf_fmt(&command, "%s%s%s", verb, words ? " " : "", words ? words : "");
    struct list_item x = {.text = str_dup(buf_view(&text)), .command = str_dup(buf_view(&command)), .line = NONE};
    vec_push(&d->list, x);
    buf_release(&command);
    buf_release(&text);
}

void workspace_add_inside(struct workspace *d, const char *verb, const char *words)
{
    struct buf command = {0};
    buf_fmt(&command, "%s %s", verb, words);
    vec_last(&d->list)->inside = str_dup(buf_view(&command));
    buf_release(&command);
}

void workspace_show_list(struct workspace *d, const char *title)
{
    free(d->list_title);
    d->list_title = mem_strdup(title);
    if (d->overlay == OVERLAY_PANEL)
        d->panel_under = true;
    if (d->overlay != OVERLAY_LIST || d->list_at >= d->list.n) {
        d->list_at = 0;
        d->overlay_scroll = 0;
    }
    d->overlay = OVERLAY_LIST;
}

/* ---- undo ---- */

#define UNDO_MOST 100

static struct workspace_state state_now(const struct workspace *d, const char *what)
{
    struct workspace_state x = {.what = mem_strdup(what), .tol = d->s->opt.of.tol, .sort = d->arrange.sort,
                                .descending = d->arrange.descending, .columns = d->columns};
    struct buf b = {0};
    memcpy(x.column, d->column, sizeof x.column);
    for (size_t i = 0; i < d->arrange.filters.n; i++)
        buf_fmt(&b, "%s%s\n", d->arrange.filters.v[i].inverse ? "!" : " ", d->arrange.filters.v[i].text);
    x.filters = mem_strdup(b.p ? b.p : "");
    buf_release(&b);
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
    struct str rest = str_of(x->filters), line;
    struct err quiet;
    if (memcmp(&x->tol, &d->s->opt.of.tol, sizeof x->tol) != 0)
        session_set_tol(d->s, &x->tol);
    d->inv->tol = x->tol;
    row_order_clear(&d->arrange);
    while (rest.n) {
        str_split(rest, '\n', &line, &rest);
        if (line.n)
            row_order_add(&d->arrange, str_cut(line, 1), line.p[0] == '!', &quiet);
    }
    d->arrange.sort = x->sort;
    d->arrange.descending = x->descending;
    row_order_restart(&d->arrange);
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

/* What was decided or noted in an earlier sitting can be taken back too. */
static bool undo_decision(struct workspace *d, bool redo)
{
    struct workspace_state now = state_now(d, _("a decision about correspondences"));
    bool decided = decisions_undo(&d->inv->decisions, redo);
    if (!decided && !findings_undo(&d->inv->findings, redo)) {
        state_release(&now);
        return false;
    }
    if (!decided) {
        free(now.what);
        now.what = mem_strdup(_("a change of the findings"));
    }
    if (redo) /* so that the way back is the same steps */
        vec_push(&d->undo, now);
    else
        vec_push(&d->redo, now);
    if (!decided && workspace_keep(d))
        workspace_say(d, "%s", redo ? _("done again: a change of the findings") : _("taken back: the last change of the findings"));
    else if (decided && workspace_decide(d))
        workspace_say(d, redo ? _("done again: a decision about correspondences") : _("taken back: the last decision about correspondences"));
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
        workspace_say(d, redo ? _("done again: %s") : _("taken back: %s"), x.what);
    state_release(&x);
    return true;
}

void workspace_columns_from(struct workspace *d, const char *names)
{
    struct str rest = str_of(names), word;
    d->columns = 0;
    while (rest.n && d->columns < COLUMNS_MOST) {
        str_split(rest, ' ', &word, &rest);
        const struct field *f = field_find(word);
        if (f)
            d->column[d->columns++] = f;
    }
}

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
    if (d->inv->pack) {
        workspace_complain(d, _("not saved: %s is a pack, and nothing in it is changed"), d->inv->pack);
        return false;
    }
    if (d->inv->holder) {
        workspace_complain(d, _("not saved: this investigation is open elsewhere (%s)"), d->inv->holder);
        return false;
    }
    return workspace_save(d);
}

bool workspace_save(struct workspace *d)
{
    struct err e;
    if (investigation_save(d->inv, &e)) {
        workspace_complain(d, _("not saved: %s"), e.text);
        return false;
    }
    return true;
}

bool workspace_may_write(struct workspace *d)
{
    if (!d->write_pack && !writer_for(d->write_path)) {
        struct buf b = {0};
        writer_endings(&b);
        workspace_complain(d, _("%s: endings tell formats, one of%s"), d->write_path, b.p);
        buf_release(&b);
        return false;
    }
    if (report_job_busy(&d->scribe)) {
        workspace_complain(d, _("%s is still being written; Esc gives it up"), d->scribe.path);
        return false;
    }
    bool ended = d->s->settled || (d->c->failed && d->write_report); /* a report tells what the investigation holds */
    if (!ended)
        workspace_complain(d, "%s", d->c->failed ? d->c->err.text : _("the comparison is not finished yet: then it can be written"));
    return ended;
}

static void say(struct workspace *d, bool error, const char *fmt, va_list ap) __attribute__((format(printf, 3, 0)));

static void say(struct workspace *d, bool error, const char *fmt, va_list ap)
{
    buf_clear(&d->message);
    buf_vfmt(&d->message, fmt, ap);
    d->message_is_error = error;
}

void workspace_say(struct workspace *d, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(d, false, fmt, ap);
    va_end(ap);
}

void workspace_complain(struct workspace *d, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(d, true, fmt, ap);
    va_end(ap);
}

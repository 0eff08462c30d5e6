/* The state of one person's work that no pane has to itself: moving, groups, lists, messages, saving; and what is made
 * again when the session has something new. */
#include "cmd/workspace.h"

#include <stdlib.h>

#include "base/msg.h"
#include "cmd/cmd.h"
#include "cmd/offered_pairs.h"
#include "report/compare.h"

/* Unknown names are passed over. */
static void columns_from(struct workspace *d, const char *names)
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

void workspace_init(struct workspace *d, struct session *s, struct investigation *inv)
{
    *d = (struct workspace){
        .s = s,
        .inv = inv,
        .follow = true,
        .seen_first = NONE,
        .cursor_row = {NONE, NONE},
        .page = 10,
        .stack.line = NONE,
        .plot.at = -1,
        .plot.log = inv->plot.log,
        .plot.from = inv->plot.from,
        .plot.to = inv->plot.to,
        .new_step = {-1, -1},
        .new_rank = {-1, -1},
        .theme = "dark",
    };
    d->c = session_hold(s);
    diagnosis_job_init(&d->diagnosis, s->opt.notify, s->opt.ctx);
    for (int i = 0; i < 2; i++)
        file_lines_init(&d->stack.source[i], s->opt.notify, s->opt.ctx);
    tensor_view_init(&d->tensor, s);
    procedure_init(&d->guide, d->c, inv, session_compare, s->opt.notify, s->opt.ctx);
    report_job_init(&d->report, &d->guide, s->opt.notify, s->opt.ctx);
    folder_scan_init(&d->offers, s->opt.notify, s->opt.ctx);
    if (procedure_begun(&d->guide))
        procedure_look(&d->guide);
    columns_from(d, inv->columns);
}

void workspace_release(struct workspace *d)
{
    if (!d->s)
        return;
    report_job_release(&d->report); /* it looks at the rest */
    folder_scan_release(&d->offers);
    tensor_view_release(&d->tensor);
    diagnosis_job_release(&d->diagnosis);
    for (int i = 0; i < 2; i++)
        file_lines_release(&d->stack.source[i]);
    procedure_release(&d->guide);
    comparison_drop(d->c);
    search_release(&d->search);
    row_order_release(&d->arrange);
    trial_release(&d->trial);
    row_folds_release(&d->folds);
    row_groups_release(&d->groups.outline);
    layer_table_release(&d->groups.layers);
    workspace_undo_release(d);
    buf_release(&d->aside);
    vec_release(&d->jumps);
    vec_release(&d->gaps);
    vec_release(&d->doubts);
    arena_release(&d->sentences);
    workspace_clear_list(d);
    vec_release(&d->list.items);
    vec_release(&d->list.shown);
    buf_release(&d->narrow);
    free(d->list.title);
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

/* Sorted or filtered, each line stands for itself. */
static bool folded(const struct workspace *d)
{
    return !d->arrange.line && d->folds.hidden;
}

uint32_t workspace_sought(const struct workspace *d)
{
    return row_order_count(&d->arrange, workspace_lines(d));
}

uint32_t workspace_sought_at(const struct workspace *d, uint32_t place)
{
    return row_order_line(&d->arrange, place);
}

uint32_t workspace_sought_pos(const struct workspace *d)
{
    return row_order_nearest(&d->arrange, d->cursor);
}

uint32_t workspace_shown(const struct workspace *d)
{
    return workspace_sought(d) - (folded(d) ? d->folds.hidden : 0);
}

uint32_t workspace_at(const struct workspace *d, uint32_t pos)
{
    return folded(d) ? row_folds_line(&d->folds, pos) : workspace_sought_at(d, pos);
}

uint32_t workspace_pos(const struct workspace *d)
{
    return folded(d) ? row_folds_pos(&d->folds, d->cursor) : workspace_sought_pos(d);
}

const struct row_fold *workspace_fold(const struct workspace *d, uint32_t line)
{
    const struct row_fold *x = folded(d) ? row_folds_at(&d->folds, line) : NULL;
    return x && !x->open ? x : NULL;
}

void workspace_unfold(struct workspace *d, uint32_t line)
{
    const struct row_fold *x = workspace_fold(d, line);
    if (x)
        row_folds_open(&d->folds, x, true);
}

/* The first line of a run stands for it: only the others are hidden. */
static void reveal(struct workspace *d, uint32_t line)
{
    const struct row_fold *x = workspace_fold(d, line);
    if (x && x->first != line)
        row_folds_open(&d->folds, x, true);
}

static bool all_of_one_name(const struct comparison *s)
{
    const struct pairing *p = s->pairing;
    for (size_t i = 0; i < p->pairs.n; i++)
        if (p->pairs.v[i].origin != ORIGIN_NAME)
            return false;
    return p->pairs.n > 0;
}

/* Looks through the sides again whenever one more is loaded: all rows are read, so not at every frame. */
static void doubt(struct workspace *d)
{
    int loaded = (d->c->side[0].state == SIDE_LOADED) + (d->c->side[1].state == SIDE_LOADED) +
                 (d->c->since.err.code != ERR_NONE);
    if (loaded == d->doubts_of)
        return;
    d->doubts_of = loaded;
    vec_clear(&d->doubts);
    arena_clear(&d->sentences);
    input_doubts_find(d->c, &d->sentences, &d->doubts);
}

/* What should be known about the inputs, beside the table: the first of it, and where the rest is. */
static void say_doubt(struct workspace *d)
{
    for (size_t i = 0; i < d->doubts.n; i++)
        if (d->doubts.v[i].question) {
            workspace_say(d, _("%s; i shows both sides"), d->doubts.v[i].text);
            return;
        }
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
    if (d->follow && d->overlay == OVERLAY_NONE && !workspace_shows_ranks(d) && !offer_pairs(d) && !d->message.n)
        say_doubt(d);
    /* a saved place comes before the first deviation */
    uint32_t row = *d->inv->cursor[0] ? dump_find_row(&s->side[TARGET].dump, str_of(d->inv->cursor[0])) : NONE;
    if (row != NONE && d->follow) {
        d->cursor = s->pairing->line_of[TARGET][row];
        workspace_unfold(d, d->cursor);
        d->follow = false;
        workspace_say(d, "%s", _("back at the row you left; F goes to the first deviation"));
    }
}

static void arrive(struct workspace *d);

static bool lists_lines(const struct workspace *d)
{
    for (size_t i = 0; i < d->list.items.n; i++)
        if (d->list.items.v[i].line != NONE)
            return true;
    return false;
}

/* Lines are numbered again: what the workspace remembers by line goes by its rows, and what was made of lines goes. */
static void take_pairing(struct workspace *d)
{
    const struct comparison *s = d->c;
    bool first = d->pairings == 0;
    uint32_t at[2] = {first ? d->cursor : d->cursor_row[0], first ? NONE : d->cursor_row[1]},
             line = workspace_line_of(d, at);
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
    if (!s->single && !d->s->opt.of.strict_gaps) /* else the missing rows are the deviations */
        row_folds_find(&d->folds, s->pairing);
    if (!first)
        reveal(d, d->cursor);
    search_restart(&d->search);
    d->seeking.by = 0;
    if (d->overlay == OVERLAY_LIST && !d->list.again && lists_lines(d))
        d->overlay = OVERLAY_NONE;
    if (d->groups.kind != GROUP_NONE)
        make_groups(d);
    if (d->overlay == OVERLAY_LIST && d->list.again)
        command_run_locked(d, d->list.again); /* it speaks of pairs */
    if (first && d->ranks && d->ranks->arriving)
        arrive(d);
    else if (first)
        begin_table(d);
}

/* Lines of a panel go and come with what is found. */
static void panel_clamp(struct workspace *d)
{
    uint32_t n =
        d->panel.number ? (uint32_t)d->guide.page[d->panel.number - 1].items.n : (uint32_t)procedure_panels(&d->guide);
    if (d->panel.number && d->panel.follow)
        d->panel.at = page_first(&d->guide.page[d->panel.number - 1]);
    if (d->panel.at >= n)
        d->panel.at = n ? n - 1 : 0;
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
    workspace_take_offers(d);
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
    if (d->to_top && d->arrange.line && !d->arrange.work && workspace_shown(d)) {
        d->to_top = false;
        workspace_go(d, workspace_at(d, 0));
    }
    if (d->cursor >= n)
        d->cursor = n ? n - 1 : 0;
    if (d->groups.kind == GROUP_NONE && row_order_pos(&d->arrange, d->cursor) == NONE && workspace_shown(d))
        d->cursor = workspace_at(d, workspace_pos(d)); /* filtered away: the next one that is left */
    if (d->groups.kind == GROUP_NONE && workspace_fold(d, d->cursor))
        d->cursor = workspace_fold(d, d->cursor)->first;
    if (d->groups.kind != GROUP_NONE && d->groups.made_for != s->serial && s->complete)
        make_groups(d);
    if (d->stack.line != d->cursor) { /* another row: its stack from the model's code on */
        d->stack.line = d->cursor;
        for (int i = 0; i < 2; i++)
            d->stack.frame[i] = workspace_stack_start(d, d->cursor, i);
        d->detail_scroll = 0;
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

static void make_groups(struct workspace *d)
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

/* The way down to the worst is open, everything else folded. */
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

/* Where the first deviation is; where it lies outside all layers, the cell that deviates first of them. */
static void select_worst(struct workspace *d)
{
    const struct layer_table *x = &d->groups.layers;
    uint32_t first = d->c->judged ? d->c->judged->first : NONE, earliest = NONE;
    d->groups.layer = 0;
    for (size_t i = 0; i < x->rows.n * x->columns && first != NONE; i++) {
        if (x->line[i] == NONE || x->line[i] >= earliest || !verdict_is_bad((enum verdict)x->verdict[i]))
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
    remember_place(d);
    row_groups_release(&d->groups.outline);
    d->groups.outline = (struct row_groups){0};
    make_groups(d);
    if (g == GROUP_LAYERS)
        select_worst(d);
    else
        open_worst(d);
    follow_group(d);
}

void workspace_group_step(struct workspace *d, long by)
{
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

void workspace_uncover(struct workspace *d)
{
    if (d->overlay == OVERLAY_PANEL)
        d->overlay = OVERLAY_NONE;
    if (d->ranks)
        d->ranks->shown = false;
}

bool workspace_shows_ranks(const struct workspace *d)
{
    return d->ranks && d->ranks->job && d->ranks->shown;
}

/* The rows behind the cell that was opened, in a pairing that is there now. */
static void arrive(struct workspace *d)
{
    struct rank_view *v = d->ranks;
    if (!v || !v->arriving)
        return;
    v->arriving = false;
    d->follow = false;
    uint32_t line = workspace_line_of(d, v->arrive);
    if (line != NONE)
        d->cursor = line;
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
    reveal(d, line);
    d->cursor = line;
    workspace_refresh(d);
}

void workspace_step(struct workspace *d, long by)
{
    long at = (long)workspace_pos(d) + by, last = (long)workspace_shown(d) - 1;
    d->follow = false;
    d->asked_unpair = 0;
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

uint32_t workspace_stack_start(const struct workspace *d, uint32_t line, int side)
{
    bool twin;
    uint32_t st = workspace_stack(d, line, side, &twin);
    return st == NONE ? 0 : dump_stack_start(&d->c->side[side].dump, st);
}

const struct frame *workspace_frame(const struct workspace *d, int side)
{
    bool twin;
    uint32_t st = workspace_stack(d, d->cursor, side, &twin);
    const struct dump *x = &d->c->side[side].dump;
    return st != NONE && d->stack.frame[side] < x->stacks.v[st].n
               ? &x->frames.v[x->stack_frames.v[x->stacks.v[st].first + d->stack.frame[side]]]
               : NULL;
}

void workspace_stack_select(struct workspace *d, enum side side, uint32_t frame)
{
    bool twin;
    uint32_t own = workspace_stack(d, d->cursor, side, &twin), other = workspace_stack(d, d->cursor, !side, &twin);
    d->stack.frame[side] = frame;
    if (d->stack.apart || own == NONE || other == NONE)
        return;
    uint32_t depth = dump_stack_depth(&d->c->side[side].dump, own, frame);
    d->stack.frame[!side] = dump_stack_at_depth(&d->c->side[!side].dump, other, depth);
}

void workspace_source(const struct workspace *d, const struct frame *f, struct buf *out)
{
    for (size_t i = d->inv->remaps.n; i-- > 0;) { /* recorded elsewhere: where it is here */
        const struct named_text *m = &d->inv->remaps.v[i];
        if (str_starts(str_of(f->file), m->name)) {
            buf_fmt(out, "%s%s", m->text, f->file + strlen(m->name));
            return;
        }
    }
    buf_cstr(out, f->file);
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

/* What somebody else had saved is in it now: the comparison goes by it, and the way back is that of what was taken
 * in. */
static void take_in(struct workspace *d)
{
    workspace_undo_release(d);
    session_set_tol(d->s, &d->inv->tol);
    session_decide(d->s, &d->inv->decisions);
    d->guide.changes++;
    buf_clear(&d->aside);
    buf_fmt(&d->aside, _("%s was changed by somebody else meanwhile: %zu of their changes merged"),
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
        take_in(d);
    }
    d->inv->unsaved = e;
    return e.code == ERR_NONE;
}

bool workspace_may_write(struct workspace *d)
{
    if (!d->write_pack && !writer_for(d->write_path)) {
        struct buf b = {0};
        writer_endings(&b);
        workspace_complain(d, _("%s: the extension selects the format:%s"), d->write_path, b.p);
        buf_release(&b);
        return false;
    }
    if (report_job_busy(&d->report)) {
        workspace_complain(d, _("%s is still being written; Esc cancels"), d->report.path);
        return false;
    }
    bool ended = d->s->settled || (d->c->failed && d->write_report); /* a report tells what the investigation holds */
    if (!ended)
        workspace_complain(d, "%s", d->c->failed ? d->c->err.text : _("the comparison is not finished yet; write it "
                                                                      "afterwards"));
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

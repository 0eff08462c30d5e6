/* The state of the user's work that belongs to no single pane: the lines of the table, moving, stacks, messages. */
#include "cmd/workspace.h"

#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "cmd/pane_now.h"
#include "compare/start_text.h"
#include "panel/known_causes.h"
#include "report/compare.h"

/* Unknown names are skipped. */
static void columns_from(struct workspace *d, const char *names)
{
    struct str rest = str_of(names), word;
    d->columns = 0;
    while (rest.n && d->columns < COLUMNS_MOST) {
        word = str_next(&rest, ' ');
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
    action_log_begin(&d->actions, inv);
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
    action_log_release(&d->actions);
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
    vec_release(&d->write_lines);
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

uint32_t workspace_lines(const struct workspace *d)
{
    return (uint32_t)(d->c->paired ? d->c->pairing->lines.n : d->c->side[TARGET].dump.rows.n);
}

/* Sorted or filtered, each line stands for itself. */
static bool has_folds(const struct workspace *d)
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
    return workspace_sought(d) - (has_folds(d) ? d->folds.hidden : 0);
}

uint32_t workspace_at(const struct workspace *d, uint32_t pos)
{
    return has_folds(d) ? row_folds_line(&d->folds, pos) : workspace_sought_at(d, pos);
}

uint32_t workspace_pos(const struct workspace *d)
{
    return has_folds(d) ? row_folds_pos(&d->folds, d->cursor) : workspace_sought_pos(d);
}

const struct row_fold *workspace_fold(const struct workspace *d, uint32_t line)
{
    const struct row_fold *x = has_folds(d) ? row_folds_at(&d->folds, line) : NULL;
    return x && !x->open ? x : NULL;
}

void workspace_unfold(struct workspace *d, uint32_t line)
{
    const struct row_fold *x = workspace_fold(d, line);
    if (x)
        row_folds_open(&d->folds, x, true);
}

void workspace_reveal(struct workspace *d, uint32_t line)
{
    const struct row_fold *x = workspace_fold(d, line);
    if (x && x->first != line)
        row_folds_open(&d->folds, x, true);
}

uint32_t workspace_line_of(const struct workspace *d, const uint32_t row[2])
{
    const struct comparison *s = d->c;
    for (int i = 0; i < 2 && s->paired; i++)
        if (row[i] < s->side[i].dump.rows.n && s->pairing->line_of[i][row[i]] != NONE)
            return s->pairing->line_of[i][row[i]];
    return s->paired ? NONE : row[TARGET];
}

const char *workspace_alone(const struct workspace *d)
{
    const text_list *given = &d->inv->given;
    if (d->c->side[TARGET].path)
        return d->c->single && !d->c->failed ? d->c->side[TARGET].path : NULL;
    return given->n == 1 && str_starts(str_of(given->v[0].name), "target-") ? given->v[0].text : NULL;
}

bool workspace_takes_golden(const struct workspace *d)
{
    return d->c->failed && d->inv->input[TARGET] && d->inv->input[GOLDEN] ? d->offers_for == GOLDEN
                                                                           : workspace_alone(d) != NULL;
}

#define JUMPS_MOST 200

void workspace_remember_place(struct workspace *d)
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

bool workspace_covered_table_waits(struct workspace *d, const char *command)
{
    struct session_progress p;
    if (pane_now(d) != PANE_RANKS)
        return false;
    int rank = d->ranks->open.on ? d->ranks->open.rank : d->c->side[TARGET].dump.rank;
    session_progress(d->s, &p);
    int percent = (int)(fmin(p.share, 0.99) * 100); /* something is still to be done */
    if (rank >= 0)
        workspace_complain(d, _("%s: the table of rank %d is still loading (%d %%); the header counts all ranks"),
                           command, rank, percent);
    else
        workspace_complain(d, _("%s: the table is still loading (%d %%); the header counts all ranks"), command,
                           percent);
    return true;
}

/* The frame that is selected first: model code, not the frameworks' calls around it. */
static uint32_t first_frame(const struct workspace *d, int side)
{
    bool twin;
    uint32_t st = workspace_stack(d, d->cursor, side, &twin);
    return st == NONE ? 0 : dump_stack_start(&d->c->side[side].dump, st);
}

void workspace_settle(struct workspace *d)
{
    uint32_t n = workspace_lines(d);
    if (d->cursor >= n)
        d->cursor = n ? n - 1 : 0;
    if (d->groups.kind == GROUP_NONE && row_order_pos(&d->arrange, d->cursor) == NONE && workspace_shown(d))
        d->cursor = workspace_at(d, workspace_pos(d)); /* filtered away: the next one that is left */
    if (d->groups.kind == GROUP_NONE && workspace_fold(d, d->cursor))
        d->cursor = workspace_fold(d, d->cursor)->first;
    if (d->stack.line != d->cursor) { /* another row: its stack from the model's code on */
        d->stack.line = d->cursor;
        for (int i = 0; i < 2; i++)
            d->stack.frame[i] = first_frame(d, i);
        d->detail_scroll = 0;
    }
    workspace_rows(d, d->cursor, d->cursor_row);
    tensor_view_refresh(d);
}

void workspace_go(struct workspace *d, uint32_t line)
{
    uint32_t n = workspace_lines(d);
    line = line < n ? line : n ? n - 1 : 0;
    if (line != d->cursor)
        workspace_remember_place(d);
    d->follow = false;
    workspace_uncover(d);
    if (row_order_pos(&d->arrange, line) == NONE)
        workspace_complain(d, _("row %u is hidden by a filter; \\ shows all rows"), line + 1);
    workspace_reveal(d, line);
    d->cursor = line;
    workspace_settle(d);
}

void workspace_step(struct workspace *d, long by)
{
    long at = (long)workspace_pos(d) + by, last = (long)workspace_shown(d) - 1;
    d->follow = false;
    d->asked_unpair = 0;
    if (last >= 0)
        d->cursor = workspace_at(d, (uint32_t)(at < 0 ? 0 : at > last ? last : at));
    workspace_settle(d);
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

bool workspace_write_to(struct workspace *d, struct str path, bool report, bool pack)
{
    if (d->write_waits) {
        workspace_complain(d, _("%s is still being written; Esc cancels"), d->write_path);
        return false;
    }
    free(d->write_path);
    vec_clear(&d->write_lines);
    d->write_force = str_starts(path, "--force ");
    d->write_path = str_dup(d->write_force ? str_trim(str_cut(path, strlen("--force "))) : path);
    d->write_report = report;
    d->write_pack = pack;
    if (!pack && !writer_for(d->write_path)) {
        struct buf b = {0};
        writer_endings(&b);
        workspace_complain(d, _("%s: the extension selects the format:%s"), d->write_path, b.p);
        buf_release(&b);
        return false;
    }
    return true;
}

bool workspace_may_write(struct workspace *d)
{
    if (report_job_busy(&d->report)) {
        workspace_complain(d, _("%s is still being written; Esc cancels"), d->report.path);
        return false;
    }
    bool ended = d->s->settled || (d->c->failed && d->write_report); /* a report tells what the investigation holds */
    if (!ended)
        workspace_complain(d, "%s", d->c->failed ? d->c->err.text : _("the comparison is not finished; write it "
                                                                      "afterwards"));
    return ended;
}

bool workspace_write_later(struct workspace *d)
{
    if (d->s->settled || d->s->paused || d->c->failed || report_job_busy(&d->report))
        return false;
    d->write_waits = true;
    workspace_say(d, _("%s will be written when the comparison is finished; Esc cancels"), d->write_path);
    return true;
}

const char *workspace_writing(struct workspace *d)
{
    return report_job_busy(&d->report) ? d->report.path : d->write_waits ? d->write_path : NULL;
}

static void set_message(struct workspace *d, bool error, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));

static void set_message(struct workspace *d, bool error, const char *fmt, va_list ap)
{
    buf_clear(&d->message);
    buf_vfmt(&d->message, fmt, ap);
    d->message_is_error = error;
    d->message_is_notice = false;
}

void workspace_say(struct workspace *d, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    set_message(d, false, fmt, ap);
    va_end(ap);
}

void workspace_complain(struct workspace *d, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    set_message(d, true, fmt, ap);
    va_end(ap);
}

void workspace_notice(struct workspace *d, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    set_message(d, false, fmt, ap);
    d->message_is_notice = true;
    va_end(ap);
}

const char *workspace_advice(const struct workspace *w, uint32_t line, struct arena *a)
{
    const struct comparison *c = w->c;
    const struct diagnoses *x = diagnosis_job_known(&w->diagnosis, c, line);
    const char *known = known_cause_at(&w->guide, c, line, x, a);
    return known ? known : start_action(c, line, x);
}

/* Runs a command and performs the actions that its result requests; no other file does this. */
#include <stdio.h>

#include "base/file_write.h"
#include "base/io.h"
#include "base/msg.h"
#include "base/output.h"
#include "report/pack_write.h"
#include "ui/edit.h"
#include "ui/external_tool.h"
#include "ui/open_investigation.h"
#include "ui/screen.h"

/* Starts writing in the background; the message comes with a later frame. */
static void begin_writing(struct screen *s)
{
    struct workspace *d = &s->work;
    struct report_options ro = {.rows = d->write_report || d->write_pack ? ROWS_NONE : ROWS_ALL,
                                .inv = &s->inv,
                                .guide = d->write_report || d->write_pack ? &d->guide : NULL,
                                .lines = d->write_lines.v,
                                .line_count = d->write_lines.n,
                                .date = open_investigation_date()};
    output_overwrite(d->write_force ? d->write_path : NULL);
    if (s->ranks.job) {
        job_compare_lock(s->ranks.job); /* an ended job does not change any more */
        ro.job = s->ranks.job->settled ? &s->ranks.job->result : NULL;
        ro.job_busy = !s->ranks.job->settled;
        job_compare_unlock(s->ranks.job);
    }
    if (d->write_pack)
        report_job_pack(&d->report, d->c, d->write_path, s->opt.pack_limit ? s->opt.pack_limit : PACK_LIMIT, &ro);
    else
        report_job_begin(&d->report, d->c, d->write_path, d->write_report, &ro);
}

void screen_write_waiting(struct screen *s)
{
    struct workspace *d = &s->work;
    struct buf command = {0};
    session_lock(&s->session);
    bool ended = d->write_waits && (s->session.settled || s->session.now->failed);
    session_unlock(&s->session);
    if (!ended)
        return;
    d->write_waits = false;
    buf_fmt(&command, "%s %s%s", d->write_pack ? "pack" : d->write_report ? "report" : "write",
            d->write_force ? "--force " : "", d->write_path);
    screen_command(s, command.p);
    buf_release(&command);
}

/* Other inputs or another pair would cancel a report being written. */
static bool held_by_writing(struct screen *s)
{
    struct workspace *d = &s->work;
    const char *path = workspace_writing(d);
    if (!path)
        return false;
    workspace_complain(d, _("%s is still being written; Esc cancels"), path);
    for (int i = 0; i < 2; i++) {
        free(d->new_input[i]);
        d->new_input[i] = NULL;
    }
    d->new_round = false;
    s->ranks.arriving = false;
    return true;
}

/* Asks before leaving unsaved work, and where that was wanted; the same key again leaves. */
static bool may_leave(struct screen *s, bool ask)
{
    bool again = s->asked, saved = again || screen_saved(s);
    s->asked = !again && (ask || !saved);
    if (s->asked && saved)
        workspace_say(&s->work, "%s", _("the same key again leaves; everything is saved"));
    else if (s->asked)
        workspace_complain(&s->work, _("not saved; press the same key again to leave without saving: "
                                       "%s"), s->inv.unsaved.text);
    return !s->asked;
}

struct editor_place {
    const char *file;
    unsigned line;
    int status;
};

/* $EDITOR or $PAGER with "+LINE FILE", which vi, nano, emacs, less and more understand. */
static void run_viewer(void *ctx)
{
    static const char *const names[] = {"DIVERGE_VIEWER", "PAGER", "EDITOR", NULL};
    struct editor_place *o = ctx;
    char line[24];
    snprintf(line, sizeof line, "+%u", o->line);
    o->status = external_tool_run(external_tool_named(names, "less"), line, o->file);
}

static void open_source(struct screen *s)
{
    struct editor_place o = {s->work.open_file, s->work.open_line, 0};
    if (!path_is_file(o.file)) {
        workspace_complain(&s->work, _("%s: not found on this machine; :remap FROM TO sets the location of source "
                                       "files"),
                           o.file);
        return;
    }
    s->terminal->lend(run_viewer, &o);
    if (o.status == TOOL_MISSING)
        workspace_complain(&s->work, _("the viewer could not be started; set $PAGER or $EDITOR"));
}

struct tool_run {
    const char *text;
    char *const *more;
    int status;
};

/* What it prints stays until Enter. */
static void run_tool(void *ctx)
{
    struct tool_run *x = ctx;
    int c;
    x->status = external_tool_shell(x->text, x->more);
    printf("\n");
    printf(_("[exit status %d; Enter returns]"), x->status);
    fflush(stdout);
    while ((c = getchar()) != '\n' && c != EOF)
        continue;
    clearerr(stdin);
}

/* The user's command with the row in its environment: names and paths of a dump are never part of its text. */
static void run_shell_command(struct screen *s)
{
    static const char *const of[2] = {"TARGET", "GOLDEN"};
    struct workspace *d = &s->work;
    struct buf value[6] = {{0}}, name = {0};
    char *more[7] = {NULL};
    uint32_t row[2];
    session_lock(&s->session);
    workspace_rows(d, d->cursor, row);
    for (int i = 0; i < 2; i++) {
        const struct dump *x = &d->c->side[i].dump;
        struct tensor t;
        struct err quiet;
        buf_fmt(&value[i], "DIVERGE_%s=%s", of[i], d->c->side[i].path ? d->c->side[i].path : "");
        buf_clear(&name);
        buf_cstr(&name, "");
        if (row[i] != NONE)
            dump_row_name(x, row[i], &name);
        buf_fmt(&value[2 + i], "DIVERGE_%s_ROW=%s", of[i], name.p);
        buf_fmt(&value[4 + i], "DIVERGE_%s_FILE=", of[i]);
        if (row[i] != NONE && dump_row_readable(x, row[i]) && dump_tensor(x, row[i], &t, &quiet) == 0) {
            buf_cstr(&value[4 + i], t.file.name);
            tensor_close(&t);
        }
    }
    session_unlock(&s->session);
    for (size_t i = 0; i < ARRAY_LEN(value); i++)
        more[i] = value[i].p;
    struct tool_run x = {d->tool->text, more, 0};
    s->terminal->lend(run_tool, &x);
    workspace_say(d, _("%s ended with status %d"), d->tool->name, x.status);
    for (size_t i = 0; i < ARRAY_LEN(value); i++)
        buf_release(&value[i]);
    buf_release(&name);
}

/* To the terminal's clipboard, and to a file for terminals without one. */
static void copy_to_clipboard(struct screen *s)
{
    struct buf path = {0};
    struct err e;
    const char *between = s->terminal->copy(buf_view(&s->work.copy));
    if (between && strcmp(between, "tmux") == 0)
        buf_cstr(&s->work.message, _("; in tmux this needs set-clipboard on"));
    else if (between)
        buf_fmt(&s->work.message, _("; through %s"), between);
    if (s->where.own) {
        buf_fmt(&path, "%s/copied.txt", s->where.own);
        if (file_replace(path.p, buf_view(&s->work.copy), &e) == 0)
            buf_fmt(&s->work.message, _("; also in %s"), path.p);
        buf_release(&path);
    }
}

/* Performs all reactions requested by a result. True: end the program. */
static bool perform_reactions(struct screen *s, int reaction)
{
    const struct screen_terminal *t = s->terminal;
    bool leave = (reaction & R_QUIT) && may_leave(s, reaction & R_ASK);
    if ((reaction & (R_RESTART | R_PAIR)) && held_by_writing(s))
        reaction &= ~(R_RESTART | R_PAIR);
    if (reaction & R_WRITE)
        begin_writing(s);
    if (reaction & R_KEYS)
        screen_keys(s, str_of(s->work.keys));
    if (reaction & R_RESTART)
        screen_restart(s);
    if (reaction & R_PAIR)
        screen_open_pair(s);
    if (reaction & R_RANKS)
        screen_ranks_begin(s);
    if (reaction & R_PROMPT)
        prompt_open(s);
    if (reaction & R_EDIT)
        edit_perform(s, t ? t->lend : NULL);
    if (!t)
        return leave;
    if (reaction & R_KEYS)
        t->keys(s);
    if (reaction & R_COPY)
        copy_to_clipboard(s);
    if (reaction & R_MOUSE)
        t->mouse(s->work.mouse);
    if (reaction & R_REPAINT)
        t->repaint();
    if (reaction & R_OPEN)
        open_source(s);
    if (reaction & R_SHELL)
        run_shell_command(s);
    if (reaction & R_SUSPEND)
        t->stop();
    return leave;
}

bool screen_command(struct screen *s, const char *text)
{
    bool asked = s->asked;
    struct workspace *d = &s->work;
    buf_clear(&d->message);
    session_lock(&s->session);
    int reaction = command_run(d, text);
    if (d->aside.n) {
        buf_fmt(&d->message, "%s%s", d->message.n ? _("; ") : "", d->aside.p);
        buf_clear(&d->aside);
    }
    session_unlock(&s->session);
    bool leave = perform_reactions(s, reaction);
    s->asked = s->asked && !asked; /* only an immediate repetition counts as confirmation */
    return leave;
}

void screen_edit(struct screen *s)
{
    perform_reactions(s, R_EDIT);
}

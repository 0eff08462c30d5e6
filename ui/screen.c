/* The screen's state between frames: starts the session, runs commands and keys, takes what was handed over, and
 * does what a command's result asks for. */
#include "ui/screen.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/embed.h"
#include "base/io.h"
#include "base/map.h"
#include "base/msg.h"
#include "report/pack_write.h"
#include "panel/round_leave.h"
#include "ui/edit.h"
#include "ui/pane.h"
#include "ui/open_investigation.h"

/* ---- start and stop ---- */

static int start_session(struct screen *s, struct err *e)
{
    struct session_options so;
    open_investigation_session(&s->inv, &s->opt, &so);
    so.notify = s->notify;
    so.examine = true;
    so.ctx = s->ctx;
    if (session_start(&s->session, &so, e))
        return -1;
    workspace_init(&s->desk, &s->session, &s->inv);
    if (s->inv.pack)
        workspace_say(&s->desk, _("%s: what was found there, with the tensors that were packed; nothing you do here is saved"), s->inv.pack);
    if (s->inv.holder)
        workspace_complain(&s->desk, _("this investigation is open elsewhere (%s): nothing you do here is saved"), s->inv.holder);
    buf_release(&s->table.name);
    s->table = (struct table_state){0};
    return 0;
}

int screen_start(struct screen *s, const struct options *o, const char *state_dir, struct err *e)
{
    s->opt = *o;
    s->opt.gone = true;
    s->opt.nothing = o->args == 0 || investigation_is(o->arg[0]); /* the panels may be all that was told to it */
    s->state_dir = state_dir ? mem_strdup(state_dir) : NULL;
    s->cursor_y = s->cursor_x = -1;
    if (keymap_parse(&s->keys, embed_str(&embed_keys_conf), "keys.conf", e) ||
        open_investigation(&s->inv, &s->opt, s->state_dir, true, e) || start_session(s, e)) {
        screen_stop(s);
        return -1;
    }
    if (!s->inv.input[0])
        s->desk.overlay = OVERLAY_INTAKE;
    return 0;
}

void screen_stop(struct screen *s)
{
    path_kind_look_end(&s->look);
    workspace_release(&s->desk);
    session_stop(&s->session);
    investigation_release(&s->inv);
    keymap_release(&s->keys);
    free(s->opened[0]);
    free(s->opened[1]);
    free(s->state_dir);
    plot_runs_release(&s->runs);
    grid_release(&s->grid);
    buf_release(&s->table.name);
    prompt_release(&s->prompt);
}

void screen_size(struct screen *s, int rows, int cols)
{
    grid_init(&s->grid, rows < 1 ? 1 : rows, cols < 1 ? 1 : cols);
}

/* ---- commands and what they leave to do ---- */

/* Begun here, it is written in the background; the message comes with a later frame. */
static void write_result(struct screen *s)
{
    struct workspace *d = &s->desk;
    const struct report_options ro = {.rows = d->write_report || d->write_pack ? ROWS_NONE : ROWS_ALL, .tool = "diverge " DIVERGE_VERSION, .inv = &s->inv,
                                      .guide = d->write_report || d->write_pack ? &d->guide : NULL, .date = open_investigation_date()};
    if (d->write_pack)
        report_job_pack(&d->scribe, d->c, d->write_path, s->opt.pack_limit ? s->opt.pack_limit : PACK_LIMIT, &ro);
    else
        report_job_begin(&d->scribe, d->c, d->write_path, d->write_report, &ro);
}

/* Other inputs: their own investigation, with the limits and bookmarks that were left there. */
static int other_inputs(struct screen *s, char *input[2], struct err *e)
{
    investigation_release(&s->inv);
    for (int i = 0; i < 2; i++) {
        free(s->opened[i]);
        s->opened[i] = input[i];
        s->opt.arg[i] = input[i];
        s->opt.step[i] = s->opt.rank[i] = -1;
    }
    s->opt.args = input[1] ? 2 : 1;
    s->opt.maps = 0;
    s->opt.investigation = NULL;
    s->opt.packed = NULL; /* what is opened now is no longer in the pack */
    s->looked = false;
    path_kind_look_end(&s->look);
    return open_investigation(&s->inv, &s->opt, s->state_dir, true, e);
}

/* The round that is open is frozen, and the investigation goes on with the new inputs; one of the user's own folder is found by
 * its inputs, so it goes on under their name. Without inputs: back to the round before. False with a message: nothing has
 * changed. */
static bool change_round(struct screen *s, char *input[2])
{
    struct err e = {0};
    struct buf path = {0};
    const char *const next[2] = {input[0], input[1] ? input[1] : s->inv.input[1]};
    if (!input[0]) {
        session_lock(&s->session);
        bool done = round_return(&s->inv, &e) == 0;
        session_unlock(&s->session);
        if (!done)
            workspace_complain(&s->desk, "%s", e.text);
        return done;
    }
    bool own = s->inv.path && s->state_dir && str_starts(str_of(s->inv.path), s->state_dir);
    if (own)
        open_investigation_own_path(next, s->state_dir, &path);
    session_lock(&s->session);
    procedure_write(&s->desk.guide);
    int rc = own && path_is_file(path.p) ? err_set(&e, ERR_USAGE, _("%s is an investigation of these two already; --investigation FILE keeps one of several rounds"), path.p)
                                         : round_leave(&s->inv, s->desk.c, &s->desk.guide, input[0], input[1], path.p, &e);
    session_unlock(&s->session);
    if (rc)
        workspace_complain(&s->desk, "%s", e.text);
    buf_release(&path);
    free(input[0]);
    free(input[1]);
    input[0] = input[1] = NULL;
    return rc == 0;
}

/* What the user set up stays when the inputs are read anew. */
static void restart(struct screen *s)
{
    struct err e = {0}, quiet;
    struct workspace was = s->desk;
    struct row_order kept = s->desk.arrange;
    char *input[2] = {s->desk.new_input[0], s->desk.new_input[1]};
    bool round = s->desk.new_round, back = round && !input[0];
    s->desk.new_input[0] = s->desk.new_input[1] = NULL;
    s->desk.new_round = false;
    if (round && !change_round(s, input))
        return;
    if (!back) {
        memcpy(s->inv.step, s->desk.new_step, sizeof s->inv.step);
        memcpy(s->inv.rank, s->desk.new_rank, sizeof s->inv.rank);
        investigation_save(&s->inv, &quiet);
        memset(s->inv.state, 0, sizeof s->inv.state); /* other recordings, or the same grown */
    }
    s->desk.arrange = (struct row_order){0};
    plot_runs_release(&s->runs);
    workspace_release(&s->desk);
    session_stop(&s->session);
    int rc = input[0] ? other_inputs(s, input, &e) : 0;
    if (start_session(s, &quiet)) /* fails only for options that were good before */
        return;
    row_order_restart(&kept);
    free(kept.line);
    free(kept.place);
    kept.line = kept.place = NULL;
    s->desk.arrange = kept;
    s->desk.layout = was.layout;
    s->desk.digits = was.digits;
    s->desk.theme = was.theme;
    s->desk.mouse = was.mouse;
    s->desk.watch = was.watch;
    if (rc)
        workspace_complain(&s->desk, "%s", e.text);
    if (input[0] || round || was.overlay == OVERLAY_INTAKE)
        s->desk.overlay = OVERLAY_INTAKE;
    if (!input[0] && was.overlay == OVERLAY_PANEL) {
        s->desk.overlay = OVERLAY_PANEL;
        s->desk.panel = was.panel;
        s->desk.panel_at = was.panel_at;
    }
}

void screen_keys(struct screen *s, struct str set)
{
    static const struct {
        const char *set; /* NULL: below all of them */
        const struct embedded *file;
    } files[] = {{NULL, &embed_keys_conf}, {"vim", &embed_keys_vim_conf}, {"less", &embed_keys_less_conf}};
    struct err e;
    keymap_release(&s->keys);
    for (size_t i = 0; i < ARRAY_LEN(files); i++) /* our own files: no errors in them */
        if (!files[i].set || str_is(set, files[i].set))
            keymap_parse(&s->keys, embed_str(files[i].file), "keys.conf", &e);
}

int screen_command(struct screen *s, const char *text)
{
    buf_clear(&s->desk.message);
    int r = command_run(&s->desk, text);
    if (r & R_WRITE)
        write_result(s);
    if (r & R_KEYS)
        screen_keys(s, str_of(s->desk.keys));
    if (r & R_RESTART)
        restart(s);
    if (r & R_PROMPT)
        prompt_open(s);
    return (r & (R_QUIT | R_SUSPEND | R_OPEN | R_REPAINT | R_COPY | R_MOUSE | R_KEYS | R_EDIT)) | R_DRAW;
}

/* ---- keys and the mouse ---- */

int screen_key(struct screen *s, const char *key)
{
    if (s->prompt.active)
        return prompt_key(s, key);
    const char *command = keymap_find(&s->keys, screen_pane(s)->place, key);
    buf_clear(&s->desk.message);
    if (!command) {
        workspace_complain(&s->desk, _("%s does nothing here; ? lists the keys"), key);
        return R_DRAW;
    }
    return screen_command(s, command);
}

int screen_mouse(struct screen *s, int y, int x, int by)
{
    struct table_state *t = &s->table;
    if (s->prompt.active)
        return 0;
    if (by)
        return screen_command(s, s->desk.sight.open ? by > 0 ? "cells down 3" : "cells up 3" : by > 0 ? "down 3" : "up 3");
    if (s->desk.overlay != OVERLAY_NONE || s->desk.sight.open || s->desk.group != GROUP_NONE)
        return 0;
    if (y == t->head) {
        for (int i = t->heads - 1; i >= 0; i--)
            if (x >= t->head_x[i]) {
                char text[80];
                snprintf(text, sizeof text, "sort %s", t->head_field[i]->name);
                return screen_command(s, text);
            }
        return screen_command(s, "sort none");
    }
    if (y > t->head && t->step > 0) {
        session_lock(&s->session);
        uint32_t pos = t->top + (uint32_t)((y - t->head - 1) / t->step), n = workspace_shown(&s->desk);
        if ((y - t->head - 1) / t->step < s->desk.page && pos < n)
            workspace_step(&s->desk, (long)pos - (long)workspace_pos(&s->desk));
        s->desk.focus = FOCUS_TABLE;
        session_unlock(&s->session);
        return R_DRAW;
    }
    return 0;
}

/* ---- growing dumps ---- */

static uint64_t stamp_of(const struct comparison *s)
{
    static const char *const files[] = {NULL, "dump.json", "statistic.csv"}; /* NULL: the folder or file itself */
    uint64_t h = 0;
    struct buf path = {0};
    for (int i = 0; i < 2; i++) {
        const struct recording *x = &s->side[i];
        if (x->place >= x->places.n)
            continue;
        const char *root = x->places.v[x->place].paths.v[0];
        for (size_t f = 0; f < ARRAY_LEN(files); f++) {
            uint64_t stamp[2];
            if (files[f])
                path_join(&path, root, files[f]);
            if (path_changed(files[f] ? path.p : root, stamp))
                h = hash_bytes(stamp, sizeof stamp, h + f);
        }
    }
    buf_release(&path);
    return h;
}

void screen_tick(struct screen *s)
{
    session_lock(&s->session);
    procedure_follow(&s->desk.guide,
                     s->desk.watch && (s->desk.overlay == OVERLAY_PANEL || procedure_begun(&s->desk.guide)));
    bool quiet = s->session.settled && s->desk.watch;
    uint64_t now = quiet ? stamp_of(s->desk.c) : 0;
    session_unlock(&s->session);
    if (!quiet)
        return;
    bool grew = s->stamp && now != s->stamp, still = now == s->stamp_seen;
    s->stamp_seen = now;
    if (!s->stamp)
        s->stamp = now;
    if (grew && still) { /* and nothing is being written any more */
        s->stamp = now;
        screen_command(s, "reload");
    }
}

/* ---- background ---- */

/* A folder of several things: which one is meant? */
static void list_folder(struct screen *s)
{
    struct buf b = {0};
    buf_fmt(&b, "dumps %s", s->inv.input[0]);
    screen_command(s, b.p);
    buf_release(&b);
}

/* Logs, settings, optimizer steps and weights of other names come to the panel that judges them, with all the others
 * around it. */
static void take_handed(struct screen *s)
{
    if (s->looked)
        return;
    session_lock(&s->session);
    workspace_see(&s->desk);
    bool failed = s->desk.c->failed;
    if (failed && !s->look.started)
        path_kind_look_start(&s->look, &s->inv, s->notify, s->ctx);
    s->looked = failed ? path_kind_look_done(&s->look) : s->desk.c->paired;
    if (!s->looked) {
        session_unlock(&s->session);
        return;
    }
    int panel = failed ? path_kind_give(&s->inv, s->look.what) : path_kind_give_weights(&s->inv, s->desk.c);
    if (panel) {
        s->desk.overlay = OVERLAY_PANEL;
        s->desk.panel = panel;
        procedure_tell(&s->desk.guide);
    }
    bool folder = failed && !panel && s->inv.input[0] && path_is_dir(s->inv.input[0]);
    session_unlock(&s->session);
    if (panel && failed)
        restart(s);
    else if (folder)
        list_folder(s);
}

bool screen_idle(struct screen *s)
{
    bool left = false;
    take_handed(s);
    session_lock(&s->session);
    uint32_t lines = workspace_lines(&s->desk);
    if (lines && s->desk.c->paired)
        left = row_order_step(&s->desk.arrange, s->desk.c, lines);
    if (s->desk.c->paired && s->desk.search.code) {
        const struct dump *const side[2] = {&s->desk.c->side[0].dump, &s->desk.c->side[1].dump};
        left |= search_count(&s->desk.search, side, s->desk.c->pairing, 8192);
    }
    left |= workspace_seek(&s->desk);
    session_unlock(&s->session);
    return left;
}

void screen_rest(struct screen *s)
{
    diagnosis_job_wait(&s->desk.ward);
    procedure_wait(&s->desk.guide, NULL, NULL, 0);
    report_job_wait(&s->desk.scribe);
    folder_scan_wait(&s->desk.offers);
    if (!s->desk.sight.open)
        return;
    tensor_reader_wait(&s->desk.sight.gaze);
    screen_draw(s); /* asks for what an open tensor has to show */
    tensor_reader_wait(&s->desk.sight.gaze);
}

void screen_settle(struct screen *s)
{
    struct err e;
    session_wait(&s->session, &e); /* a failure is drawn */
    while (screen_idle(s))
        continue;
    if (s->look.started && !s->looked) {
        path_kind_look_wait(&s->look);
        while (screen_idle(s))
            continue;
    }
    folder_scan_wait(&s->desk.offers);
}

/* The screen's state between frames: starts the session, restarts it with other inputs, and takes over results of
 * jobs. */
#include "ui/screen.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/embed.h"
#include "base/io.h"
#include "base/map.h"
#include "base/msg.h"
#include "cmd/workspace_refresh.h"
#include "panel/round_leave.h"
#include "report/job_merge.h"
#include "ui/open_investigation.h"

/* ---- start and stop ---- */

/* What is not as the user expects: what is done here cannot be kept, or lies elsewhere. */
static void say_where_saved(struct screen *s)
{
    const struct investigation *v = &s->inv;
    struct err e;
    if (v->pack)
        workspace_say(&s->work, _("%s: saved result and packed tensors; changes are not saved"), v->pack);
    else if (investigation_may_change(v, &e))
        workspace_complain(&s->work, _("read-only: %s"), e.text);
    else if (v->unkept && v->input[0])
        workspace_complain(&s->work, _("not saved: %s"), v->unkept);
    else if (v->elsewhere)
        workspace_say(&s->work, _("saved in %s: %s"), v->path, v->elsewhere);
    else if (v->shown)
        workspace_say(&s->work, _("round %u of %zu is open; ) opens the next one, :rounds lists them"), v->shown,
                      v->rounds.n + 1);
}

static struct session_options session_wanted(const struct screen *s)
{
    struct session_options so;
    open_investigation_session(&s->inv, &s->opt, &so);
    so.notify = s->notify;
    so.examine = true;
    so.ctx = s->ctx;
    if (s->ranks.open.on) {
        so.of.found = s->ranks.open.found;
        for (int i = 0; i < 2; i++) {
            so.of.step[i] = s->ranks.open.step;
            so.of.rank[i] = s->ranks.open.rank;
        }
    }
    return so;
}

static void begin_work(struct screen *s)
{
    workspace_init(&s->work, &s->session, &s->inv);
    s->work.ranks = &s->ranks;
    s->work.tools = &s->tools;
    say_where_saved(s);
    s->table = (struct table_state){0};
}

/* The folder of an investigation without a given file, or NULL. */
static const struct keep_place *wanted_place(const struct screen *s)
{
    return s->keeps ? &s->where : NULL;
}

int screen_start(struct screen *s, const struct options *o, const struct keep_place *where, struct err *e)
{
    investigation_init(&s->inv); /* released also where nothing was opened */
    s->opt = *o;
    s->opt.gone = true;
    s->opt.nothing = o->args == 0 || investigation_is(o->arg[0]); /* the panels' inputs may be the only ones */
    s->keeps = where != NULL;
    if (where)
        s->where = *where;
    bool results = o->args == 1 && job_files_there(o->arg[0]);
    s->results = results ? mem_strdup(o->arg[0]) : NULL;
    bool ready = keymap_parse(&s->keys, embed_str(&embed_keys_conf), "keys.conf", e) == 0 &&
                 (!results || screen_ranks_results(s, e) == 0) &&
                 open_investigation(&s->inv, &s->opt, wanted_place(s), true, e) == 0;
    struct session_options so = {.workers = 0};
    if (ready)
        so = session_wanted(s);
    if (!ready || session_start(&s->session, &so, e)) {
        screen_stop(s);
        return -1;
    }
    begin_work(s);
    if (!s->inv.input[0] && !results)
        s->work.overlay = OVERLAY_INTAKE;
    return 0;
}

void screen_stop(struct screen *s)
{
    path_kind_look_end(&s->look);
    workspace_release(&s->work);
    session_stop(&s->session);
    screen_ranks_stop(s);
    investigation_release(&s->inv);
    keymap_release(&s->keys);
    free(s->opened[0]);
    free(s->opened[1]);
    free(s->results);
    vec_release(&s->tools);
    arena_release(&s->tool_texts);
    plot_runs_release(&s->runs);
    grid_release(&s->grid);
    prompt_release(&s->prompt);
}

void screen_leave(struct screen *s, int ms)
{
    long until = clock_ms() + ms;
    report_job_cancel(&s->work.report);
    job_compare_cancel(&s->job);
    session_leave(&s->session, ms);
    report_job_leave(&s->work.report, (int)(until - clock_ms()));
    job_compare_leave(&s->job, (int)(until - clock_ms()));
    investigation_let_go(&s->inv);
}

void screen_size(struct screen *s, int rows, int cols)
{
    grid_init(&s->grid, rows < 1 ? 1 : rows, cols < 1 ? 1 : cols);
}

/* ---- other inputs ---- */

/* Opens other inputs with their own investigation. */
static int open_other_inputs(struct screen *s, char *input[2], struct err *e)
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
    return open_investigation(&s->inv, &s->opt, wanted_place(s), true, e);
}

/* The path of the investigation that is found by the next inputs; it need not exist. Empty: it does not change. */
static int next_own_path(const struct screen *s, const char *const next[2], struct buf *path, struct err *e)
{
    struct buf folder = {0};
    enum path_what what;
    buf_str(&folder, path_parent(str_of(s->inv.path)));
    int rc = open_investigation_own_path(next, folder.p, path, e) || path_look(path->p, &what, e) ? -1 : 0;
    if (rc == 0 && what != PATH_ABSENT && open_investigation_leads_to(path->p, s->inv.path))
        buf_clear(path);
    else if (rc == 0 && what != PATH_ABSENT)
        rc = err_set(e, ERR_USAGE, _("%s is already an investigation of these dumps; --investigation FILE sets a "
                                     "different file for several rounds"), path->p);
    buf_release(&folder);
    return rc;
}

/* The round that is open is frozen, and the investigation goes on with the new inputs; one of the user's own folder is
 * found by its inputs, so it goes on under their name. Without inputs: back to the previous round. False with a
 * message: nothing has changed. */
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
            workspace_complain(&s->work, "%s", e.text);
        return done;
    }
    session_lock(&s->session);
    procedure_write(&s->work.guide);
    const char *was = s->inv.path;
    int rc = s->inv.own ? next_own_path(s, next, &path, &e) : 0;
    if (rc == 0)
        rc = round_leave(&s->inv, s->work.c, &s->work.guide, input[0], input[1], path.n ? path.p : NULL, &e);
    if (rc == 0 && path.n)
        rc = open_investigation_continue(&s->inv, was, &e);
    session_unlock(&s->session);
    if (rc)
        workspace_complain(&s->work, "%s", e.text);
    buf_release(&path);
    free(input[0]);
    free(input[1]);
    input[0] = input[1] = NULL;
    return rc == 0;
}

bool screen_saved(struct screen *s)
{
    session_lock(&s->session);
    bool saved = s->inv.unsaved.code == ERR_NONE || workspace_save(&s->work);
    session_unlock(&s->session);
    return saved;
}

/* The user's view settings, which are kept when the session changes. */
struct set_up {
    struct row_order arrange;
    enum table_layout layout;
    int digits, panel;
    uint32_t panel_at;
    const char *theme;
    struct action_log actions;
    bool panel_follows, mouse, watch;
    enum overlay overlay;
};

static void end_session(struct screen *s, struct set_up *x)
{
    const struct workspace *d = &s->work;
    *x = (struct set_up){.arrange = d->arrange,
                         .layout = d->layout,
                         .digits = d->digits,
                         .panel = d->panel.number,
                         .panel_at = d->panel.at,
                         .theme = d->theme,
                         .actions = d->actions,
                         .panel_follows = d->panel.follow,
                         .mouse = d->mouse,
                         .watch = d->watch,
                         .overlay = d->overlay};
    s->work.arrange = (struct row_order){0};
    s->work.actions = (struct action_log){0};
    plot_runs_release(&s->runs);
    workspace_release(&s->work);
    session_stop(&s->session);
}

/* If the system gives no thread for reading, the screen stays and shows an error. */
static void begin_session(struct screen *s, struct set_up *x)
{
    struct session_options so = session_wanted(s);
    struct err e, quiet;
    if (session_start(&s->session, &so, &e)) {
        so.of.path[TARGET] = so.of.path[GOLDEN] = NULL;
        session_start(&s->session, &so, &quiet); /* without inputs no thread is needed */
        session_fail(&s->session, &e);
    }
    begin_work(s);
    row_order_restart(&x->arrange);
    free(x->arrange.line);
    free(x->arrange.place);
    x->arrange.line = x->arrange.place = NULL;
    s->work.arrange = x->arrange;
    s->work.layout = x->layout;
    s->work.digits = x->digits;
    s->work.theme = x->theme;
    s->work.actions = x->actions;
    action_log_begin(&s->work.actions, &s->inv);
    s->work.mouse = x->mouse;
    s->work.watch = x->watch;
}

void screen_open_pair(struct screen *s)
{
    struct set_up x;
    end_session(s, &x);
    s->ranks.open = s->ranks.want;
    s->ranks.shown = false;
    begin_session(s, &x);
}

void screen_restart(struct screen *s)
{
    struct err e = {0}, quiet;
    struct set_up kept;
    char *input[2] = {s->work.new_input[0], s->work.new_input[1]};
    bool round = s->work.new_round, back = round && !input[0];
    s->work.new_input[0] = s->work.new_input[1] = NULL;
    s->work.new_round = false;
    if (round && !change_round(s, input))
        return;
    if (!round && input[0] && !screen_saved(s)) { /* the message says why */
        free(input[0]);
        free(input[1]);
        return;
    }
    if (s->work.show_round) {
        investigation_show_round(&s->inv, s->work.show_round);
        s->work.show_round = 0;
    } else if (!back) {
        memcpy(s->inv.step, s->work.new_step, sizeof s->inv.step);
        memcpy(s->inv.rank, s->work.new_rank, sizeof s->inv.rank);
        investigation_save(&s->inv, &quiet);
        memset(s->inv.state, 0, sizeof s->inv.state); /* other recordings, or grown ones */
    }
    end_session(s, &kept);
    screen_ranks_stop(s);
    s->ranks.offered = !input[0] && (s->inv.rank[TARGET] >= 0 || s->inv.rank[GOLDEN] >= 0); /* one was chosen */
    int rc = input[0] ? open_other_inputs(s, input, &e) : 0;
    if (input[0] || round) {
        free(s->results);
        s->results = NULL;
    } else if (s->results) {
        rc = screen_ranks_results(s, &e);
    }
    begin_session(s, &kept);
    if (rc)
        workspace_complain(&s->work, "%s", e.text);
    bool begun = input[0] && !input[1]; /* the golden side may come next */
    if (begun || round || (!input[0] && kept.overlay == OVERLAY_INTAKE))
        s->work.overlay = OVERLAY_INTAKE;
    if (!input[0] && kept.overlay == OVERLAY_PANEL) {
        s->work.overlay = OVERLAY_PANEL;
        s->work.panel.number = kept.panel;
        s->work.panel.at = kept.panel_at;
        s->work.panel.follow = kept.panel_follows;
    }
}

/* ---- growing dumps ---- */

/* Both sides' inputs: as they were when they were read, or as they are now; nothing of a side that was not read. */
static uint64_t input_fingerprint(const struct comparison *c, bool now)
{
    uint64_t h = 0;
    for (int i = 0; i < 2; i++) {
        const struct recording *x = &c->side[i];
        if (x->place >= x->places.n || !x->glance)
            continue;
        uint64_t glance = now ? file_stamp_glance(x->places.v[x->place].paths.v[0]) : x->glance;
        h = hash_bytes(&glance, sizeof glance, h);
    }
    return h;
}

void screen_tick(struct screen *s)
{
    session_lock(&s->session);
    procedure_follow(&s->work.guide,
                     s->work.watch && (s->work.overlay == OVERLAY_PANEL || procedure_begun(&s->work.guide)));
    bool quiet = s->session.settled && s->work.watch && !s->writing;
    uint64_t now = quiet ? input_fingerprint(s->work.c, true) : 0;
    bool grew = quiet && now != input_fingerprint(s->work.c, false);
    session_unlock(&s->session);
    if (!quiet)
        return;
    bool still = now == s->glance;
    s->glance = now;
    if (grew && still) /* and nothing is being written any more */
        screen_command(s, "reload");
}

/* ---- background ---- */

/* The side whose folder holds something else or several things, of which one may be meant; -1: none. Where something
 * else is what cannot be opened, that is to be said. */
static int folder_side(const struct screen *s)
{
    for (int i = 1; i >= 0; i--)
        if (s->inv.input[i] && access(s->inv.input[i], F_OK) != 0)
            return -1;
    for (int i = 0; i < 2; i++) {
        const struct recording *x = &s->work.c->side[i];
        if (s->inv.input[i] && !(x->places.n && x->state != SIDE_FAILED))
            return path_is_dir(s->inv.input[i]) ? i : -1;
    }
    return -1;
}

static void list_input_folder(struct screen *s, int side)
{
    struct buf b = {0};
    s->work.offers_for = side;
    buf_fmt(&b, "dumps %s", s->inv.input[side]);
    screen_command(s, b.p);
    buf_release(&b);
}

static bool holds_weights(const struct comparison *c)
{
    const struct reader *r = c->side[TARGET].dump.reader;
    return r && r->weights;
}

/* Passes logs, settings, optimizer steps, rollouts and weights to the panel that judges them. true: that is
 * decided now, which the frame before does not show. */
static bool open_by_kind(struct screen *s)
{
    if (s->looked)
        return false;
    session_lock(&s->session);
    workspace_see(&s->work);
    /* a rollout's file is read as tensors, too */
    bool failed = s->work.c->failed, asked = failed || holds_weights(s->work.c);
    if (asked && !s->look.started)
        path_kind_look_start(&s->look, &s->inv, s->notify, s->ctx);
    bool found = !asked || path_kind_look_done(&s->look);
    bool other = failed || (asked && found && s->look.what[TARGET] == PATH_ROLLOUT);
    s->looked = found && (other || s->work.c->paired);
    if (!s->looked) {
        session_unlock(&s->session);
        return false;
    }
    int panel = other ? path_kind_give(&s->inv, s->look.what) : path_kind_give_weights(&s->inv, s->work.c);
    if (panel && s->work.overlay != OVERLAY_PANEL) { /* else a key was faster: that panel stays */
        s->work.overlay = OVERLAY_PANEL;
        s->work.panel.number = panel;
        s->work.panel.follow = true;
    }
    if (panel)
        procedure_tell(&s->work.guide);
    int side = failed && !panel ? folder_side(s) : -1;
    session_unlock(&s->session);
    if (panel && other)
        screen_restart(s);
    else if (side >= 0)
        list_input_folder(s, side);
    return true;
}

bool screen_idle(struct screen *s)
{
    bool left = open_by_kind(s);
    screen_write_waiting(s);
    screen_ranks_look(s);
    session_lock(&s->session);
    uint32_t lines = workspace_lines(&s->work);
    if (lines && s->work.c->paired) {
        left |= row_order_step(&s->work.arrange, s->work.c, lines);
        left |= trial_step(&s->work.trial, s->work.c, lines);
    }
    if (s->work.c->paired && s->work.search.code) {
        const struct dump *const side[2] = {&s->work.c->side[0].dump, &s->work.c->side[1].dump};
        left |= search_count(&s->work.search, side, s->work.c->pairing, 8192);
    }
    left |= workspace_seek(&s->work);
    session_unlock(&s->session);
    return left;
}

void screen_rest(struct screen *s)
{
    for (bool more = true; more; more = diagnosis_job_waits(&s->work.diagnosis)) {
        diagnosis_job_wait(&s->work.diagnosis);
        screen_draw(s); /* the list of starts asks for one diagnosis after the other */
    }
    for (int i = 0; i < 2; i++)
        file_lines_wait(&s->work.stack.source[i]);
    procedure_wait(&s->work.guide, NULL, NULL, 0);
    report_job_wait(&s->work.report);
    folder_scan_wait(&s->work.offers);
    if (!s->work.tensor.open)
        return;
    tensor_reader_wait(&s->work.tensor.reader);
    screen_draw(s); /* requests data for an open tensor */
    tensor_reader_wait(&s->work.tensor.reader);
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
    folder_scan_wait(&s->work.offers);
    if (!s->ranks.job)
        return;
    job_compare_wait(&s->job);
    screen_ranks_look(s); /* may open a pair of it */
    session_wait(&s->session, &e);
    while (screen_idle(s))
        continue;
}

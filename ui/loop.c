/* The terminal's loop: waits for keys, signals and news of the session, draws, and does what a command's result asks
 * for (editor, mouse, copy, quit). */
#define _GNU_SOURCE /* ppoll */
#include "ui/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/msg.h"
#include "ui/cli.h"
#include "ui/edit.h"
#include "ui/user_folders.h"
#include "ui/screen.h"
#include "ui/term.h"
#include "ui/external_tool.h"

#define REST_MS 100 /* without a key: the panes below follow the cursor */
#define WRITING_MS 250 /* how far writing has come is shown so often */
#define FRAME_MS 40 /* between two frames nobody pressed a key for */

static int wake[2];
static sigset_t waiting; /* the signals let in only while the loop waits: see block_stops */

static void poke(char c)
{
    ssize_t ignored = write(wake[1], &c, 1); /* a full pipe will wake the loop as well */
    (void)ignored;
}

static void on_news(void *ctx)
{
    (void)ctx;
    poke('n');
}

static void on_signal(int sig)
{
    int saved = errno;
    poke(sig == SIGWINCH ? 'w' : sig == SIGTSTP ? 'z' : 'q');
    errno = saved;
}

static void catch_signals(void)
{
    struct sigaction a = {.sa_handler = on_signal};
    sigaction(SIGTERM, &a, NULL);
    sigaction(SIGHUP, &a, NULL);
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGWINCH, &a, NULL);
    sigaction(SIGTSTP, &a, NULL); /* not the library's handler, which a worker thread might run */
}

/* The terminal library ignores SIGTSTP while it draws and would lose one: it is blocked in all threads
 * (started after this) and let in only where the loop waits. */
static void block_stops(void)
{
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    pthread_sigmask(SIG_BLOCK, &stop, &waiting);
}

/* "use vim" in the user's own file: its lines then change that set. */
static void use_set(struct screen *s, struct str text)
{
    struct str line;
    while (text.n) {
        str_split(text, '\n', &line, &text);
        line = str_trim(line);
        if (str_starts(line, "use "))
            screen_keys(s, str_trim(str_cut(line, 4)));
    }
}

static void load_user_keys(struct screen *s, bool begin)
{
    struct buf path = {0}, text = {0};
    struct err e;
    if (user_folder_of(&path, "XDG_CONFIG_HOME", ".config"))
        buf_cstr(&path, "/keys.conf");
    if (path.n && path_is_file(path.p)) {
        int rc = file_slurp(path.p, 1 << 20, &text, &e);
        if (rc == 0 && begin)
            use_set(s, buf_view(&text));
        if (rc || keymap_parse(&s->keys, buf_view(&text), path.p, &e))
            workspace_complain(&s->desk, "%s", e.text);
    }
    buf_release(&path);
    buf_release(&text);
}

/* ---- opening a source file ---- */

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
    struct editor_place o = {s->desk.open_file, s->desk.open_line, 0};
    if (!path_is_file(o.file)) {
        workspace_complain(&s->desk, _("%s is not on this machine"), o.file);
        return;
    }
    term_lend(run_viewer, &o);
    if (o.status == TOOL_MISSING)
        workspace_complain(&s->desk, _("the viewer could not be started; $PAGER or $EDITOR names it"));
}

static void stop_here(void *ctx)
{
    struct sigaction ours, usual = {.sa_handler = SIG_DFL};
    (void)ctx;
    sigaction(SIGTSTP, &usual, &ours);
    raise(SIGTSTP);
    pthread_sigmask(SIG_SETMASK, &waiting, NULL); /* stops here */
    block_stops();
    sigaction(SIGTSTP, &ours, NULL);
}

/* ---- the loop ---- */

/* To the terminal, and to a file for terminals that do not take it. */
static void copy(struct screen *s)
{
    struct buf path = {0};
    struct err e;
    term_copy(buf_view(&s->desk.copy));
    if (s->state_dir) {
        buf_fmt(&path, "%s/copied.txt", s->state_dir);
        if (file_replace(path.p, buf_view(&s->desk.copy), &e) == 0)
            buf_fmt(&s->desk.message, _("; also in %s"), path.p);
        buf_release(&path);
    }
}

static int after(struct screen *s, int reaction)
{
    if (reaction & R_COPY)
        copy(s);
    if (reaction & R_KEYS)
        load_user_keys(s, false);
    if (reaction & R_MOUSE)
        term_mouse(s->desk.mouse);
    if (reaction & R_REPAINT)
        term_repaint();
    if (reaction & R_OPEN)
        open_source(s);
    if (reaction & R_EDIT)
        edit_perform(s, term_lend);
    if (reaction & R_SUSPEND)
        term_lend(stop_here, NULL);
    return reaction & R_QUIT;
}

static const struct scheme *scheme_of(const struct screen *s)
{
    return scheme_find(term_has_colour() ? s->desk.theme : "mono");
}

static void frame(struct screen *s)
{
    int rows, cols;
    term_size(&rows, &cols);
    if (rows != s->grid.rows || cols != s->grid.cols)
        screen_size(s, rows, cols);
    screen_draw(s);
    term_show(&s->grid, scheme_of(s), s->cursor_y, s->cursor_x);
}

/* Empties the pipe and says what was asked for. */
static int drain(bool *news, bool *dirty)
{
    char c[64];
    int asked = 0;
    for (ssize_t n; (n = read(wake[0], c, sizeof c)) > 0;)
        for (ssize_t i = 0; i < n; i++) {
            asked |= c[i] == 'q' ? R_QUIT : c[i] == 'z' ? R_SUSPEND : 0;
            *news = *news || c[i] == 'n';
            *dirty = *dirty || c[i] == 'w';
        }
    return asked;
}

static bool take_keys(struct screen *s, bool *dirty)
{
    char key[KEY_NAME];
    while (term_key(key)) {
        *dirty = true;
        int y, x, by;
        if (strcmp(key, "Resize") == 0)
            continue;
        if (strcmp(key, "Mouse") == 0) {
            if (term_mouse_event(&y, &x, &by))
                after(s, screen_mouse(s, y, x, by));
            continue;
        }
        if (after(s, screen_key(s, key)))
            return true;
    }
    return false;
}

static void loop(struct screen *s)
{
    bool dirty = true, news = false;
    long shown = 0, key = 0, ticked = 0;
    for (;;) {
        long now = clock_ms();
        if (s->hurry && now - key >= REST_MS) {
            s->hurry = false;
            dirty = true;
        }
        if (news && now - shown >= FRAME_MS) {
            dirty = true;
            news = false;
        }
        if (dirty) {
            frame(s);
            shown = clock_ms();
            dirty = false;
        }
        bool busy = screen_idle(s);
        news = news || busy;
        struct pollfd p[2] = {{STDIN_FILENO, POLLIN, 0}, {wake[0], POLLIN, 0}};
        long wait = busy ? 0 : s->hurry ? REST_MS : news ? FRAME_MS : s->writing ? WRITING_MS : s->desk.watch ? SCREEN_TICK_MS : -1;
        struct timespec soon = {wait / 1000, wait % 1000 * 1000000L};
        if (ppoll(p, 2, wait >= 0 ? &soon : NULL, &waiting) < 0 && errno != EINTR)
            return;
        news = news || s->writing;
        if (s->desk.watch && clock_ms() - ticked >= SCREEN_TICK_MS) {
            ticked = clock_ms();
            screen_tick(s);
            dirty = true;
        }
        bool any = p[0].revents & POLLIN;
        if (after(s, drain(&news, &dirty)) || (p[0].revents & (POLLHUP | POLLERR | POLLNVAL)))
            return;
        if (take_keys(s, &dirty))
            return;
        if (any) {
            s->hurry = clock_ms() - key < REST_MS && s->desk.focus == FOCUS_TABLE;
            key = clock_ms();
        }
    }
}

static void make_pipe(void)
{
    if (pipe(wake)) {
        wake[0] = wake[1] = -1;
        return;
    }
    for (int i = 0; i < 2; i++) {
        fcntl(wake[i], F_SETFL, O_NONBLOCK);
        fcntl(wake[i], F_SETFD, FD_CLOEXEC);
    }
}

/* The place one was at is kept, so that the next session opens there. */
static void keep_place(struct screen *s)
{
    struct buf name[2] = {{0}, {0}};
    struct err quiet;
    session_lock(&s->session);
    if (s->desk.c->paired && !s->desk.follow && workspace_lines(&s->desk)) {
        workspace_names(&s->desk, s->desk.cursor, name);
        for (int i = 0; i < 2; i++)
            s->inv.cursor[i] = investigation_keep(&s->inv, name[i].p);
    }
    session_unlock(&s->session);
    if (s->inv.cursor[0][0] || s->inv.bookmarks.n || s->inv.decisions.log.n)
        investigation_save(&s->inv, &quiet);
    buf_release(&name[0]);
    buf_release(&name[1]);
}

int loop_run(const struct options *o)
{
    struct screen s = {.notify = on_news};
    struct buf state = {0};
    struct err e = {0};
    make_pipe();
    block_stops();
    if (screen_start(&s, o, user_folder_made(&state, "XDG_STATE_HOME", ".local/state") ? state.p : NULL, &e)) {
        buf_release(&state);
        return cli_fail(&e);
    }
    load_user_keys(&s, true);
    if (term_start(&e)) {
        screen_stop(&s);
        buf_release(&state);
        return cli_fail(&e);
    }
    catch_signals();
    s.grid.ascii = !term_is_utf8();
    loop(&s);
    keep_place(&s);
    term_stop();
    bool failed = s.session.now->failed;
    e = s.session.now->err;
    screen_stop(&s);
    buf_release(&state);
    return failed ? cli_fail(&e) : 0;
}

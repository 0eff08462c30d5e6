/* The terminal's event loop: waits for keys, signals and the session's notifications, and draws. */
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
#include "base/file_write.h"
#include "base/io.h"
#include "base/msg.h"
#include "ui/cli.h"
#include "ui/ending.h"
#include "ui/log_names.h"
#include "ui/user_folders.h"
#include "ui/screen.h"
#include "ui/term_keys.h"

#define REST_MS 100 /* without a key, after which the panes below follow the cursor */
#define WRITING_MS 250 /* interval of progress of writing */
#define FRAME_MS 40 /* between two frames without a key */

static int wake[2];
static sigset_t waiting; /* the signals unblocked only while the loop waits: see block_stops */

static void wake_loop(char c)
{
    ssize_t ignored = write(wake[1], &c, 1); /* if the pipe is full, the loop wakes as well */
    (void)ignored;
}

static void on_news(void *ctx)
{
    (void)ctx;
    wake_loop('n');
}

static void wake_on_interrupt(void)
{
    wake_loop('q');
}

static void on_signal(int sig)
{
    int saved = errno;
    wake_loop(sig == SIGWINCH ? 'w' : sig == SIGTSTP ? 'z' : 'c');
    errno = saved;
}

static void catch_signals(void)
{
    struct sigaction a = {.sa_handler = on_signal};
    ending_catch(wake_on_interrupt);
    sigaction(SIGWINCH, &a, NULL);
    sigaction(SIGCONT, &a, NULL);
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
        line = str_next(&text, '\n');
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
            workspace_complain(&s->work, "%s", e.text);
    }
    buf_release(&path);
    buf_release(&text);
}

/* "NAME COMMAND…", one a line. */
static void load_tools(struct screen *s)
{
    struct buf path = {0}, text = {0};
    struct err e;
    struct str rest, name, command;
    if (user_folder_of(&path, "XDG_CONFIG_HOME", ".config"))
        buf_cstr(&path, "/commands.conf");
    if (path.n && path_is_file(path.p) && file_slurp(path.p, 1 << 20, &text, &e))
        workspace_complain(&s->work, "%s", e.text);
    for (rest = buf_view(&text); rest.n;) {
        struct str line = str_trim(str_next(&rest, '\n'));
        if (!line.n || line.p[0] == '#' || !str_split(line, ' ', &name, &command))
            continue;
        struct named_text x = {.name = arena_cstr(&s->tool_texts, name),
                               .text = arena_cstr(&s->tool_texts, str_trim(command))};
        vec_push(&s->tools, x);
    }
    buf_release(&path);
    buf_release(&text);
}

static void stop_process(void *ctx)
{
    struct sigaction ours, usual = {.sa_handler = SIG_DFL};
    (void)ctx;
    sigaction(SIGTSTP, &usual, &ours);
    raise(SIGTSTP);
    pthread_sigmask(SIG_SETMASK, &waiting, NULL); /* stops here */
    block_stops();
    sigaction(SIGTSTP, &ours, NULL);
}

static void reload_user_keys(struct screen *s)
{
    load_user_keys(s, false);
}

static void stop_in_background(void)
{
    term_lend(stop_process, NULL);
}

static const struct screen_terminal terminal = {term_copy, term_mouse,         term_repaint,
                                                term_lend, stop_in_background, reload_user_keys};

/* ---- the colour scheme ---- */

#define THEME_MOST 100 /* the largest file of the chosen theme */

/* Beside the investigations; false: there is no such folder. */
static bool theme_path(const struct screen *s, struct buf *path)
{
    if (s->where.own)
        path_join(path, s->where.own, "theme");
    return s->where.own != NULL;
}

/* Selects the theme chosen last; otherwise a light one if the terminal reports a light background ("0;15"). */
static void theme_first(struct screen *s)
{
    struct buf path = {0}, text = {0};
    struct err quiet;
    const char *colours = getenv("COLORFGBG");
    bool light = colours && (str_ends(str_of(colours), ";15") || str_ends(str_of(colours), ";7"));
    bool kept = theme_path(s, &path) && path_is_file(path.p) && file_slurp(path.p, THEME_MOST, &text, &quiet) == 0;
    char *name = str_dup(kept ? str_trim(buf_view(&text)) : str_of(light ? "light" : ""));
    const struct scheme *x = scheme_find(name);
    if (x)
        s->work.theme = x->name;
    s->kept_theme = s->work.theme;
    s->theme_open = !x && !colours;
    free(name);
    buf_release(&path);
    buf_release(&text);
}

/* The terminal has reported its background: selects the scheme unless the user or the environment has. */
static void theme_from_terminal(struct screen *s)
{
    const struct scheme *light = scheme_find("light");
    if (!s->theme_open || s->work.theme != s->kept_theme || !light || !term_background_is_light())
        return;
    s->work.theme = s->kept_theme = light->name;
}

static void theme_keep(struct screen *s)
{
    struct buf path = {0};
    struct err quiet; /* on failure it must be chosen again */
    if (s->work.theme == s->kept_theme)
        return;
    s->kept_theme = s->work.theme;
    if (theme_path(s, &path))
        file_replace(path.p, str_of(s->work.theme), &quiet);
    buf_release(&path);
}

/* ---- the loop ---- */

static const struct scheme *terminal_scheme(const struct screen *s)
{
    return scheme_find(term_has_colour() ? s->work.theme : "mono");
}

static void draw_terminal_frame(struct screen *s)
{
    int rows, cols;
    term_size(&rows, &cols);
    if (rows != s->grid.rows || cols != s->grid.cols)
        screen_size(s, rows, cols);
    theme_keep(s);
    log_names_keep();
    if (s->grid.ascii && strcmp(msg_current(), "en") != 0) { /* its characters cannot be shown */
        msg_language("en");
        workspace_complain(&s->work, "%s", _("this locale shows ASCII only, so texts stay in English; LC_ALL=C.UTF-8 "
                                             "shows Chinese"));
    }
    screen_draw(s);
    term_show(&s->grid, terminal_scheme(s));
}

/* Empties the pipe and handles signals; true: leave. */
static bool drain_wake_pipe(bool *news, bool *dirty)
{
    char c[64];
    bool left = false, stopped = false, continued = false;
    for (ssize_t n; (n = read(wake[0], c, sizeof c)) > 0;)
        for (ssize_t i = 0; i < n; i++) {
            left = left || c[i] == 'q';
            stopped = stopped || c[i] == 'z';
            *news = *news || c[i] == 'n';
            *dirty = *dirty || c[i] == 'w' || c[i] == 'c';
            continued = continued || c[i] == 'c';
        }
    if (continued)
        term_resume();
    if (stopped)
        stop_in_background();
    return left;
}

static bool handle_keys(struct screen *s, bool *dirty)
{
    char key[KEY_NAME];
    while (term_key(key)) {
        *dirty = true;
        int y, x, by;
        if (strcmp(key, "Resize") == 0)
            continue;
        if (strcmp(key, "Mouse") == 0) {
            if (term_mouse_event(&y, &x, &by))
                screen_mouse(s, y, x, by);
            continue;
        }
        if (strcmp(key, "Background") == 0) {
            theme_from_terminal(s);
            continue;
        }
        if (strcmp(key, "Paste") == 0 ? screen_paste(s, term_pasted()) : screen_key(s, key))
            return true;
    }
    return false;
}

/* False: the terminal or the program was ended by others. */
static bool run_event_loop(struct screen *s)
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
            draw_terminal_frame(s);
            shown = clock_ms();
            dirty = false;
        }
        bool busy = screen_idle(s);
        news = news || busy;
        struct pollfd p[2] = {{STDIN_FILENO, POLLIN, 0}, {wake[0], POLLIN, 0}};
        long wait = busy ? 0 : s->hurry ? REST_MS : news ? FRAME_MS : s->writing ? WRITING_MS : s->work.watch
                        ? SCREEN_TICK_MS
                        : -1;
        struct timespec soon = {wait / 1000, wait % 1000 * 1000000L};
        if (ppoll(p, 2, wait >= 0 ? &soon : NULL, &waiting) < 0 && errno != EINTR)
            return false;
        news = news || s->writing;
        if (s->work.watch && clock_ms() - ticked >= SCREEN_TICK_MS) {
            ticked = clock_ms();
            screen_tick(s);
            dirty = true;
        }
        bool any = p[0].revents & POLLIN;
        if (drain_wake_pipe(&news, &dirty) || (p[0].revents & (POLLHUP | POLLERR | POLLNVAL)))
            return false;
        if (handle_keys(s, &dirty))
            return true;
        if (any) {
            s->hurry = clock_ms() - key < REST_MS && s->work.focus == FOCUS_TABLE;
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

/* What the next session offers to continue; nothing where the user has left. */
static void keep_unfinished(struct screen *s, bool lost)
{
    struct buf typed = {0};
    char *filters = workspace_filters(&s->work);
    if (lost && s->prompt.active && s->prompt.text.n)
        buf_fmt(&typed, "%c%s", s->prompt.kind, s->prompt.text.p);
    s->inv.typed = typed.n ? investigation_keep(&s->inv, typed.p) : "";
    s->inv.filtered = lost ? investigation_keep(&s->inv, filters) : "";
    buf_release(&typed);
    free(filters);
}

/* Saves the cursor's position, so that the next session opens there. */
static void keep_cursor_place(struct screen *s, bool lost)
{
    struct buf name[2] = {{0}, {0}};
    struct err quiet;
    session_lock(&s->session);
    keep_unfinished(s, lost);
    if (s->work.c->paired && !s->work.follow && workspace_lines(&s->work)) {
        workspace_names(&s->work, s->work.cursor, name);
        for (int i = 0; i < 2; i++)
            s->inv.cursor[i] = investigation_keep(&s->inv, name[i].p);
    }
    session_unlock(&s->session);
    bool any = s->inv.cursor[0][0] || s->inv.bookmarks.n || s->inv.decisions.log.n || workspace_unfinished(&s->work);
    /* a position alone is not worth a file in the working folder */
    if (any && (s->inv.seen || !s->inv.elsewhere) &&
        investigation_save(&s->inv, &quiet) == 0)
        s->inv.unsaved.code = ERR_NONE;
    buf_release(&name[0]);
    buf_release(&name[1]);
}

#define LEAVE_MS 250 /* how long jobs that save something for the next run may take to end */

/* Whether the build checks for leaks. */
static bool all_is_freed(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#else
    return false;
#endif
}

/* Whether the user did anything that is kept. */
static bool anything_kept(const struct investigation *v)
{
    return v->findings.now || v->decisions.now || v->bookmarks.n || v->given.n || v->waived.n || v->answers.n ||
           v->rounds.n;
}

/* Saves, then leaves without freeing memory or waiting for readers. */
static int leave_screen(struct screen *s)
{
    struct err e;
    if (s->inv.unsaved.code) { /* ended by a signal, or left in spite of it */
        err_prefix(&s->inv.unsaved, "%s", _("not saved"));
        cli_fail(&s->inv.unsaved);
    }
    if (!s->inv.unsaved.code && s->inv.path && s->inv.seen && anything_kept(&s->inv))
        fprintf(stderr, _("your findings are saved in %s; the same command opens them again\n"), s->inv.path);
    session_lock(&s->session);
    bool failed = s->session.now->failed;
    e = s->session.now->err;
    session_unlock(&s->session);
    if (all_is_freed()) {
        screen_stop(s);
        keep_place_release(&s->where);
    } else {
        screen_leave(s, LEAVE_MS);
    }
    return ending_signal() ? ending_status() : failed ? cli_fail(&e) : 0;
}

int loop_run(const struct options *o)
{
    static struct screen s; /* static, because threads may use it until the process ends */
    struct err e = {0};
    s.notify = on_news;
    s.terminal = &terminal;
    read_failures_keep(NULL); /* panes show unreadable data */
    make_pipe();
    block_stops();
    keep_place_look(&s.where);
    if (screen_start(&s, o, &s.where, &e)) {
        keep_place_release(&s.where);
        return cli_fail(&e);
    }
    load_user_keys(&s, true);
    load_tools(&s);
    theme_first(&s);
    if (term_start(&e)) {
        screen_stop(&s);
        keep_place_release(&s.where);
        return cli_fail(&e);
    }
    catch_signals();
    s.grid.ascii = !term_is_utf8();
    if (s.theme_open && term_has_colour())
        term_ask_background();
    bool left = run_event_loop(&s);
    keep_cursor_place(&s, !left);
    term_stop();
    return leave_screen(&s);
}

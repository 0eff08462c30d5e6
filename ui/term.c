/* The only user of curses: starts and ends it, writes a grid to the terminal, copies text to the clipboard. */
#include "ui/term_keys.h"

#include <ctype.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#define NCURSES_WIDECHAR 1
#include <ncurses.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/msg.h"
#include "base/utf8.h"
#include "ui/ending.h"

#define ROWS_MOST 500 /* shown */
#define COLS_MOST 1000

static bool started; /* curses holds the terminal */
static const struct scheme *shown_scheme;
static bool repaint;

/* Appends a capability's bytes. */
static void append_capability(struct buf *out, const char *capability)
{
    const char *s = tigetstr((char *)(uintptr_t)capability);
    if (s && s != (char *)-1)
        buf_cstr(out, s);
}

/* Prepares the bytes that restore the terminal if curses cannot. */
static void tell_ending(const struct termios *before)
{
    static const char *const capabilities[] = {"sgr0", "op", "rmkx", "rmcup", "cnorm"};
    struct buf b = {0};
    buf_cstr(&b, TERM_NO_PASTE TERM_NO_MOUSE);
    for (size_t i = 0; i < ARRAY_LEN(capabilities); i++)
        append_capability(&b, capabilities[i]);
    ending_terminal(before, b.p ? b.p : "", b.n);
    buf_release(&b);
}

void term_put(struct str b)
{
    if (!ending_draw())
        return;
    fflush(stdout);
    for (size_t done = 0; done < b.n;) {
        ssize_t n = write(STDOUT_FILENO, b.p + done, b.n - done);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    ending_drawn();
}

static void ask_for_paste(bool yes)
{
    term_put(str_of(yes ? TERM_PASTE : TERM_NO_PASTE));
}

/* A terminal may say any size; curses fails on pictures of more than a few million cells. */
static int limit_size(int n, int limit)
{
    return n < limit ? n : limit;
}

static bool ask_terminal_size(int *rows, int *cols)
{
    struct winsize w;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || !w.ws_row || !w.ws_col)
        return false;
    *rows = limit_size(w.ws_row, ROWS_MOST);
    *cols = limit_size(w.ws_col, COLS_MOST);
    return true;
}

/* newterm, with a size that is not too large. The variables are curses' way to be told of one; tools that are started
 * later do not see them. */
static SCREEN *new_terminal(void)
{
    char rows_text[16], cols_text[16];
    int rows, cols;
    bool large = ask_terminal_size(&rows, &cols) && (rows == ROWS_MOST || cols == COLS_MOST);
    bool set = large && !getenv("LINES") && !getenv("COLUMNS");
    if (set) {
        snprintf(rows_text, sizeof rows_text, "%d", rows);
        snprintf(cols_text, sizeof cols_text, "%d", cols);
        setenv("LINES", rows_text, 1);
        setenv("COLUMNS", cols_text, 1);
    }
    SCREEN *s = newterm(NULL, stdout, stdin);
    if (set) {
        unsetenv("LINES");
        unsetenv("COLUMNS");
    }
    return s;
}

int term_start(struct err *e)
{
    struct termios before;
    const char *name = getenv("TERM");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return err_set(e, ERR_USAGE, "%s", _("no terminal; `diverge compare TARGET GOLDEN` prints the comparison, "
                                             "`diverge check PATH` checks one side"));
    if (!name || !*name || strcmp(name, "dumb") == 0)
        return err_set(e, ERR_USAGE, _("TERM is \"%s\": not usable for a full-screen program; `diverge compare TARGET "
                                       "GOLDEN` prints the comparison, `diverge check PATH` checks one "
                                       "side"), name ? name : "");
    tcgetattr(STDIN_FILENO, &before);
    errno = 0;
    int found = 0;
    ending_library();
    if (setupterm(NULL, STDOUT_FILENO, &found) == OK) { /* before anything is written, how to restore it */
        tell_ending(&before);
        while (!ending_draw()) /* another thread ends the program */
            pause();
    }
    if (!new_terminal()) {
        if (errno == ENOMEM)
            mem_failed(0);
        ending_drawn();
        ending_terminal_ours(false);
        return err_set(e, ERR_USAGE, _("the terminal description \"%s\" is not installed"), name);
    }
    if (!getenv("ESCDELAY"))
        set_escdelay(25);
    raw(); /* Ctrl-S, Ctrl-Q and Ctrl-Z arrive as keys */
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    idlok(stdscr, TRUE); /* scrolling by insert and delete line: few bytes over a slow link */
    leaveok(stdscr, FALSE);
    curs_set(0);
    if (has_colors()) {
        start_color();
        use_default_colors();
    }
    ending_drawn();
    started = true;
    term_keys_begin();
    ask_for_paste(true);
    shown_scheme = NULL;
    return 0;
}

void term_stop(void)
{
    if (!started)
        return;
    started = false;
    ask_for_paste(false);
    endwin();
    ending_terminal_ours(false);
}

void term_size(int *rows, int *cols)
{
    int now_rows, now_cols;
    /* The kernel's size is read at every frame, so that no signal is needed. After a change the picture is redrawn,
     * because the terminal may have rewrapped the old one. */
    if (ask_terminal_size(&now_rows, &now_cols) && (now_rows != LINES || now_cols != COLS)) {
        resizeterm(now_rows, now_cols);
        repaint = true;
    }
    getmaxyx(stdscr, *rows, *cols);
}

bool term_has_colour(void)
{
    const char *no = getenv("NO_COLOR");
    return has_colors() && !(no && *no);
}

bool term_is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static void use_scheme(const struct scheme *s)
{
    shown_scheme = s;
    if (!has_colors())
        return;
    for (int i = 0; i < STYLE_COUNT; i++) {
        const struct style_look *l = scheme_look(s, i);
        int c = COLORS >= 256 ? l->colour : l->basic;
        init_pair((short)(i + 1), (short)(term_has_colour() ? c : COLOUR_DEFAULT), -1);
    }
}

static void style_attributes(uint8_t style, attr_t *attr, short *pair)
{
    const struct style_look *l = scheme_look(shown_scheme, style & STYLE_ELEMENT);
    /* the cursor line is one bar in uniform colours */
    int element = style & STYLE_CURSOR ? STYLE_TEXT : style & STYLE_ELEMENT;
    *attr = A_NORMAL;
    *pair = has_colors() ? (short)(element + 1) : 0;
    if (l->bold)
        *attr |= A_BOLD;
    if (l->dim && (!has_colors() || COLORS < 256))
        *attr |= A_DIM;
    if (l->underline || style & STYLE_UNDER)
        *attr |= A_UNDERLINE;
    if (l->reverse || style & STYLE_CURSOR)
        *attr |= A_REVERSE;
}

/* ---- links ---- */

/* Terminals that support links (OSC 8). Most others ignore them, but some old ones print them. */
static bool knows_links(void)
{
    static const char *const told[] = {"KITTY_WINDOW_ID", "WT_SESSION",   "KONSOLE_VERSION",
                                       "VTE_VERSION",     "WEZTERM_PANE", "GHOSTTY_RESOURCES_DIR",
                                       "ITERM_SESSION_ID", "ALACRITTY_WINDOW_ID"};
    static const char *const programs[] = {"iTerm.app", "WezTerm", "vscode", "ghostty", "tmux"};
    const char *program = getenv("TERM_PROGRAM"), *name = getenv("TERM");
    for (size_t i = 0; i < ARRAY_LEN(told); i++)
        if (getenv(told[i]))
            return true;
    for (size_t i = 0; program && i < ARRAY_LEN(programs); i++)
        if (strcmp(program, programs[i]) == 0)
            return true;
    return name && (strcmp(name, "foot") == 0 || strstr(name, "kitty") || strstr(name, "alacritty"));
}

static void put_path_link(struct buf *b, const char *path)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    buf_fmt(b, "\033]8;;file://%s", host);
    for (const unsigned char *p = (const unsigned char *)path; *p; p++)
        if (isalnum(*p) || strchr("/._-~", *p))
            buf_char(b, (char)*p);
        else
            buf_fmt(b, "%%%02X", *p);
    buf_cstr(b, "\033\\");
}

static void add_look(struct buf *b, uint8_t style)
{
    const struct style_look *l = scheme_look(shown_scheme, style & STYLE_ELEMENT);
    int c = COLORS >= 256 ? l->colour : l->basic;
    buf_cstr(b, "\033[0");
    if (l->bold)
        buf_cstr(b, ";1");
    if (l->underline || style & STYLE_UNDER)
        buf_cstr(b, ";4");
    if (l->reverse || style & STYLE_CURSOR)
        buf_cstr(b, ";7");
    if (c >= 0 && term_has_colour() && !(style & STYLE_CURSOR))
        buf_fmt(b, COLORS >= 256 ? ";38;5;%d" : ";3%d", c);
    buf_char(b, 'm');
}

/* Curses does not support links: their cells are written again without it, which keeps its cursor and attributes. */
static void show_links(const struct grid *g)
{
    static uint64_t shown;
    struct buf b = {0};
    for (size_t i = 0; i < g->links.n; i++) {
        const struct grid_link *l = &g->links.v[i];
        buf_fmt(&b, "\033[%d;%dH", l->y + 1, l->x + 1);
        put_path_link(&b, g->paths.p + l->path);
        for (int x = l->x; x < l->x + l->w; x++) {
            const struct cell *k = &g->cell[l->y * g->cols + x];
            char text[4];
            if (x == l->x || k->style != k[-1].style)
                add_look(&b, k->style);
            if (k->ch)
                buf_add(&b, text, utf8_put(text, k->ch));
        }
        buf_cstr(&b, "\033]8;;\033\\");
    }
    uint64_t now = b.n ? hash_bytes(b.p, b.n, 1) : 0;
    if (b.n && now != shown) {
        struct buf all = {0};
        buf_fmt(&all, "\0337%s\033[0m\0338", b.p);
        term_put(buf_view(&all));
        buf_release(&all);
    }
    shown = now;
    buf_release(&b);
}

void term_show(const struct grid *g, const struct scheme *s)
{
    int rows, cols;
    if (!ending_draw())
        return;
    if (s != shown_scheme)
        use_scheme(s);
    getmaxyx(stdscr, rows, cols);
    for (int r = 0; r < g->rows && r < rows; r++)
        for (int c = 0; c < g->cols && c < cols; c++) {
            const struct cell *k = &g->cell[r * g->cols + c];
            wchar_t text[2] = {(wchar_t)k->ch, 0};
            attr_t attr;
            short pair;
            cchar_t cell;
            if (!k->ch)
                continue;
            style_attributes(k->style, &attr, &pair);
            setcchar(&cell, text, attr, pair, NULL);
            mvadd_wch(r, c, &cell); /* by position: no width but ours moves what follows */
        }
    curs_set(g->cursor_y >= 0);
    if (g->cursor_y >= 0)
        move(g->cursor_y, g->cursor_x);
    if (repaint) {
        clearok(curscr, TRUE);
        repaint = false;
    }
    refresh();
    ending_drawn();
    if (knows_links() && !g->ascii)
        show_links(g);
}

void term_repaint(void)
{
    repaint = true;
}

static void add_base64(struct buf *b, struct str text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < text.n; i += 3) {
        unsigned v = 0, have = text.n - i < 3 ? (unsigned)(text.n - i) : 3;
        for (unsigned k = 0; k < 3; k++)
            v = v << 8 | (k < have ? (unsigned char)text.p[i + k] : 0);
        for (unsigned k = 0; k < 4; k++)
            buf_char(b, k <= have ? digits[v >> (18 - 6 * k) & 63] : '=');
    }
}

static void add_copy(struct buf *b, const char *before, struct str text, const char *behind)
{
    buf_cstr(b, before);
    add_base64(b, text);
    buf_cstr(b, behind);
}

/* OSC 52. tmux takes it itself if set-clipboard is on, and passes it to the outer terminal if allow-passthrough is on
 * (off since 3.3): it gets both forms. GNU screen only passes it on. */
const char *term_copy(struct str text)
{
    struct buf b = {0};
    bool tmux = getenv("TMUX") != NULL, screen = !tmux && getenv("STY") != NULL;
    if (!screen)
        add_copy(&b, "\033]52;c;", text, "\a");
    if (tmux)
        add_copy(&b, "\033Ptmux;\033\033]52;c;", text, "\a\033\\");
    if (screen)
        add_copy(&b, "\033P\033]52;c;", text, "\a\033\\");
    term_put(buf_view(&b));
    buf_release(&b);
    return tmux ? "tmux" : screen ? "screen" : NULL;
}

void term_lend(void (*during)(void *ctx), void *ctx)
{
    def_prog_mode();
    ask_for_paste(false);
    endwin();
    ending_terminal_ours(false);
    during(ctx);
    ending_terminal_ours(true);
    term_resume();
}

void term_resume(void)
{
    if (!ending_draw())
        return;
    reset_prog_mode();
    repaint = true;
    refresh();
    ending_drawn();
    ask_for_paste(true);
}

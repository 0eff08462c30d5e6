/* Curses: starts and ends it, puts a grid on the terminal, names keys and mouse events, copies text, and restores
 * the terminal after a crash. */
#include "ui/term.h"

#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#define NCURSES_WIDECHAR 1
#include <ncurses.h>

#include "base/mem.h"
#include "base/msg.h"
#include "base/utf8.h"

/* Everything a signal handler may need to put the terminal back, made ready while all is well. */
static struct {
    bool on;
    struct termios saved;
    char restore[256];
    size_t restore_n;
} state;

static const struct scheme *shown_scheme;
static bool repaint;

/* A broken program must not leave a broken terminal: only calls that are safe in a handler. */
static void on_crash(int sig)
{
    if (state.on) {
        ssize_t ignored = write(STDOUT_FILENO, state.restore, state.restore_n);
        (void)ignored;
        tcsetattr(STDIN_FILENO, TCSANOW, &state.saved);
    }
    signal(sig, SIG_DFL);
    raise(sig);
}

static void gather(const char *capability)
{
    const char *s = tigetstr((char *)(uintptr_t)capability);
    if (!s || s == (char *)-1)
        return;
    size_t n = strlen(s);
    if (state.restore_n + n < sizeof state.restore) {
        memcpy(state.restore + state.restore_n, s, n);
        state.restore_n += n;
    }
}

int term_start(struct err *e)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    const char *name = getenv("TERM");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return err_set(e, ERR_USAGE, "%s", _("no terminal here; `diverge compare TARGET GOLDEN` prints the comparison, `diverge check PATH` looks at one side alone"));
    if (!name || !*name || strcmp(name, "dumb") == 0)
        return err_set(e, ERR_USAGE, _("TERM is \"%s\": a full-screen program cannot run there; `diverge compare TARGET GOLDEN` prints the comparison, `diverge check PATH` looks at one side alone"), name ? name : "");
    tcgetattr(STDIN_FILENO, &state.saved);
    if (!newterm(NULL, stdout, stdin))
        return err_set(e, ERR_USAGE, _("no description of the terminal \"%s\" is installed"), name);
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
    gather("sgr0");
    gather("op");
    gather("rmkx");
    gather("cnorm");
    gather("rmcup");
    state.on = true;
    for (size_t i = 0; i < ARRAY_LEN(crashes); i++)
        signal(crashes[i], on_crash);
    shown_scheme = NULL;
    return 0;
}

void term_stop(void)
{
    if (!state.on)
        return;
    state.on = false;
    endwin();
}

void term_size(int *rows, int *cols)
{
    struct winsize w;
    /* The kernel's word at every frame: no signal is needed for it, so none can come too early. What
     * the terminal did to the old picture is its own affair: it is drawn anew. */
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_row && w.ws_col && (w.ws_row != LINES || w.ws_col != COLS)) {
        resizeterm(w.ws_row, w.ws_col);
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

static void attributes(uint8_t style, attr_t *attr, short *pair)
{
    const struct style_look *l = scheme_look(shown_scheme, style & STYLE_ELEMENT);
    /* the cursor line is one bar, whatever the colours of what it lies on */
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

void term_show(const struct grid *g, const struct scheme *s, int y, int x)
{
    int rows, cols;
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
            attributes(k->style, &attr, &pair);
            setcchar(&cell, text, attr, pair, NULL);
            mvadd_wch(r, c, &cell); /* by position: no width but ours moves what follows */
        }
    curs_set(y >= 0);
    if (y >= 0)
        move(y, x);
    if (repaint) {
        clearok(curscr, TRUE);
        repaint = false;
    }
    refresh();
}

void term_repaint(void)
{
    repaint = true;
}

static const struct {
    int code;
    const char *name;
} special[] = {
    {KEY_UP, "Up"},         {KEY_DOWN, "Down"},           {KEY_LEFT, "Left"}, {KEY_RIGHT, "Right"},
    {KEY_NPAGE, "PgDn"},    {KEY_PPAGE, "PgUp"},          {KEY_HOME, "Home"}, {KEY_END, "End"},
    {KEY_ENTER, "Enter"},   {KEY_BACKSPACE, "Backspace"}, {KEY_DC, "Delete"}, {KEY_IC, "Insert"},
    {KEY_BTAB, "S-Tab"},    {KEY_RESIZE, "Resize"},       {KEY_MOUSE, "Mouse"},
};

static void plain_name(wint_t c, char name[KEY_NAME])
{
    static const struct {
        wint_t c;
        const char *name;
    } named[] = {{'\t', "Tab"}, {'\r', "Enter"}, {'\n', "Enter"}, {27, "Esc"}, {' ', "Space"}, {127, "Backspace"}, {8, "Backspace"}};
    for (size_t i = 0; i < ARRAY_LEN(named); i++)
        if (named[i].c == c) {
            memcpy(name, named[i].name, strlen(named[i].name) + 1);
            return;
        }
    if (c < 32) {
        memcpy(name, "C-a", 4);
        name[2] = (char)(c + 96);
    } else {
        name[utf8_put(name, c)] = 0;
    }
}

bool term_key(char name[KEY_NAME])
{
    wint_t c;
    int kind = get_wch(&c);
    if (kind == ERR)
        return false;
    if (kind != KEY_CODE_YES) {
        plain_name(c, name);
        return true;
    }
    for (size_t i = 0; i < ARRAY_LEN(special); i++)
        if (special[i].code == (int)c) {
            memcpy(name, special[i].name, strlen(special[i].name) + 1);
            return true;
        }
    if (c >= (wint_t)KEY_F(1) && c <= (wint_t)KEY_F(12)) {
        int n = (int)c - KEY_F(0);
        snprintf(name, KEY_NAME, "F%d", n);
        return true;
    }
    memcpy(name, "Other", 6);
    return true;
}

void term_mouse(bool on)
{
    mmask_t had;
    mouseinterval(0);
    mousemask(on ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, &had);
}

bool term_mouse_event(int *y, int *x, int *by)
{
    MEVENT m;
    if (getmouse(&m) != OK)
        return false;
    *y = m.y;
    *x = m.x;
    *by = m.bstate & BUTTON4_PRESSED ? -1 : m.bstate & BUTTON5_PRESSED ? 1 : 0;
    return true;
}

/* OSC 52. What runs inside tmux or screen must hand it on to the terminal outside. */
void term_copy(struct str text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct buf b = {0};
    bool tmux = getenv("TMUX") != NULL, screen = !tmux && getenv("STY") != NULL;
    buf_cstr(&b, tmux ? "\033Ptmux;\033\033]52;c;" : screen ? "\033P\033]52;c;" : "\033]52;c;");
    for (size_t i = 0; i < text.n; i += 3) {
        unsigned v = 0, have = text.n - i < 3 ? (unsigned)(text.n - i) : 3;
        for (unsigned k = 0; k < 3; k++)
            v = v << 8 | (k < have ? (unsigned char)text.p[i + k] : 0);
        for (unsigned k = 0; k < 4; k++)
            buf_char(&b, k <= have ? digits[v >> (18 - 6 * k) & 63] : '=');
    }
    buf_cstr(&b, tmux || screen ? "\a\033\\" : "\a");
    fflush(stdout);
    for (size_t done = 0; done < b.n;) {
        ssize_t n = write(STDOUT_FILENO, b.p + done, b.n - done);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    buf_release(&b);
}

void term_lend(void (*during)(void *ctx), void *ctx)
{
    def_prog_mode();
    endwin();
    during(ctx);
    reset_prog_mode();
    repaint = true;
    refresh();
}

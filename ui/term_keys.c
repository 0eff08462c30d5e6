/* Decodes the terminal's input: names of keys, mouse events, pasted text, and its answer about the background colour.
 */
#include "ui/term_keys.h"

#include <ctype.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#define NCURSES_WIDECHAR 1
#include <ncurses.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "base/vec.h"

#define PASTE_MOST (1u << 20) /* longer pasted text is cut off */
#define PASTE_REST_MS 5000    /* after this silence the second mark is not expected any more */
#define PASTE_BEHIND_MS 50    /* what comes so soon behind a second mark nobody has typed */
#define PASTE_MORE_MS 500     /* once something did, the rest may come in parts, as over a slow network */
#define PASTE_BEHIND_MOST_MS 5000
/* behind those that ncurses gives to the keys a terminal's description adds (Ctrl-Up …), from KEY_MAX on */
enum { KEY_PASTE = KEY_MAX + 5001, KEY_PASTE_END, KEY_BACKGROUND, KEY_PAD };

/* What the keys of a numeric keypad mean while it is in application mode (PuTTY): ESC O j … ESC O y, and M. */
static const char pad[] = "*+,-./0123456789\r";

/* Pasted text and answers of the terminal, which arrive like keys. */
struct collected {
    struct buf text;
    bool open;  /* its beginning was there */
    long since; /* when its last part came */
};

static struct collected paste, background;

struct key_read {
    int kind; /* OK: a character; KEY_CODE_YES: a key with a code of its own; ERR: nothing to read */
    wint_t c;
};

/* Keys already read from the terminal, behind a paste or Esc; those from `at` are still to come. */
static struct {
    VEC(struct key_read) keys;
    size_t at;
} ahead;

/* The first bytes of a character whose others have not arrived yet. */
static mbstate_t begun;

/* Reads a key from the terminal. get_wch drops the bytes of a character that has not arrived whole, as over a slow
 * network; here they wait for the others. A sequence that is no character is dropped, what interrupts it is not. */
static int read_key(wint_t *c)
{
    for (int got; (got = getch()) != ERR;) {
        if (got > UCHAR_MAX) {
            begun = (mbstate_t){0};
            *c = (wint_t)got;
            return KEY_CODE_YES;
        }
        char byte = (char)got;
        wchar_t w = 0;
        bool inside = !mbsinit(&begun);
        size_t used = mbrtowc(&w, &byte, 1, &begun);
        if (used == (size_t)-1) {
            begun = (mbstate_t){0};
            used = inside ? mbrtowc(&w, &byte, 1, &begun) : used;
            if (used == (size_t)-1)
                begun = (mbstate_t){0};
        }
        if (used <= 1) {
            *c = (wint_t)w;
            return OK;
        }
    }
    return ERR;
}

static int next_read_key(wint_t *c)
{
    if (ahead.at == ahead.keys.n)
        return read_key(c);
    *c = ahead.keys.v[ahead.at].c;
    return ahead.keys.v[ahead.at++].kind;
}

/* A key is the next one again. */
static void unread_key(int kind, wint_t c)
{
    struct key_read x = {kind, c};
    if (!ahead.at) {
        vec_push(&ahead.keys, x);
        memmove(ahead.keys.v + 1, ahead.keys.v, (ahead.keys.n - 1) * sizeof x);
    } else {
        ahead.at--;
    }
    ahead.keys.v[ahead.at] = x;
}

#define BACKGROUND_ASK "\033]11;?\033\\"
#define BACKGROUND_ANSWER "\033]11;rgb:"
#define BACKGROUND_MOST 60 /* bytes of an answer */

void term_keys_begin(void)
{
    define_key("\033[200~", KEY_PASTE);
    define_key("\033[201~", KEY_PASTE_END);
    define_key(BACKGROUND_ANSWER, KEY_BACKGROUND);
    for (int i = 0; pad[i]; i++) {
        char key[] = {27, 'O', pad[i] == '\r' ? 'M' : (char)('j' + i), 0};
        define_key(key, KEY_PAD + i);
    }
    /* from terminals that do not change to application mode when asked */
    static const int arrows[] = {KEY_UP, KEY_DOWN, KEY_RIGHT, KEY_LEFT};
    for (int i = 0; i < 4; i++) {
        char key[] = {27, '[', (char)('A' + i), 0};
        define_key(key, arrows[i]);
    }
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

static void plain_key_name(wint_t c, char name[KEY_NAME])
{
    static const struct {
        wint_t c;
        const char *name;
    } named[] = {{'\t', "Tab"},  {'\r', "Enter"},    {'\n', "Enter"}, {27, "Esc"},
                 {' ', "Space"}, {127, "Backspace"}, {8, "Backspace"}};
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

static void add_pasted(int kind, wint_t c)
{
    char text[4];
    if (kind != KEY_CODE_YES && paste.text.n < PASTE_MOST)
        buf_add(&paste.text, text, utf8_put(text, c));
}

/* Reads what follows the second mark at once, and its parts that follow later, into `ahead`. A terminal writes that
 * mark once, at the end; if it comes again, the text itself held one and was not cleaned by the terminal: all up to the
 * last mark is text. What is beyond the limit cannot have been typed and is dropped. */
static void read_behind_paste(void)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    long until = clock_ms() + PASTE_BEHIND_MOST_MS;
    size_t text = 0;
    wint_t c = 0;
    vec_clear(&ahead.keys);
    ahead.at = 0;
    do
        for (int kind; (kind = read_key(&c)) != ERR;) {
            if (ahead.keys.n < PASTE_MOST)
                vec_push(&ahead.keys, ((struct key_read){.kind = kind, .c = c}));
            if (kind == KEY_CODE_YES && c == KEY_PASTE_END)
                text = ahead.keys.n;
        }
    while (clock_ms() < until && poll(&in, 1, ahead.keys.n > text ? PASTE_MORE_MS : PASTE_BEHIND_MS) > 0 &&
           in.revents == POLLIN);
    for (; ahead.at < text; ahead.at++)
        add_pasted(ahead.keys.v[ahead.at].kind, ahead.keys.v[ahead.at].c);
}

/* Reads the available part of the paste; true at its end, which may come in a later call. */
static bool paste_ends(int kind, wint_t c)
{
    for (; kind != ERR; kind = next_read_key(&c)) {
        paste.since = clock_ms();
        if (kind == KEY_CODE_YES && c == KEY_PASTE_END) {
            read_behind_paste();
            return true;
        }
        add_pasted(kind, c);
    }
    return false;
}

struct str term_pasted(void)
{
    return buf_view(&paste.text);
}

/* "ffff/ffff/ffff" up to BEL or ESC \; true at its end. */
static bool background_ends(int kind, wint_t c)
{
    for (; kind != ERR; kind = next_read_key(&c)) {
        background.since = clock_ms();
        if (c == '\a' || c == '\\' || background.text.n >= BACKGROUND_MOST)
            return true;
        if (kind != KEY_CODE_YES && c < 128 && c != 27)
            buf_char(&background.text, (char)c);
    }
    return false;
}

bool term_background_is_light(void)
{
    static const double weight[3] = {0.299, 0.587, 0.114};
    struct str rest = buf_view(&background.text), part;
    double light = 0;
    for (int i = 0; i < 3; i++) {
        unsigned long v = 0, most = 0;
        part = str_next(&rest, '/');
        for (size_t k = 0; k < part.n && k < 4; k++) {
            static const char digits[] = "0123456789abcdef";
            const char *d = strchr(digits, tolower((unsigned char)part.p[k]));
            v = v * 16 + (d && *d ? (unsigned long)(d - digits) : 0);
            most = most * 16 + 15;
        }
        light += most ? weight[i] * (double)v / (double)most : 0;
    }
    return light > 0.5;
}

/* The Linux console would print a part of the query. */
void term_ask_background(void)
{
    static const char *const known[] = {"xterm", "tmux",  "screen", "rxvt", "alacritty", "kitty",
                                        "foot",  "konsole", "vte",  "gnome", "ghostty",  "wezterm", "st-"};
    const char *name = getenv("TERM");
    for (size_t i = 0; name && i < ARRAY_LEN(known); i++)
        if (str_starts(str_of(name), known[i])) {
            term_put(str_of(BACKGROUND_ASK));
            return;
        }
}

#define SEQUENCE_MOST 200 /* characters of one; what follows are keys again */

/* After Esc: takes the rest of a control sequence that the terminal's description lacks (a modified arrow, a mouse, an
 * answer), which would act as several keys. False if Esc was pressed, by itself or before another key. */
static bool sequence_rest(void)
{
    wint_t first, c = 0;
    int kind = next_read_key(&first), second = ERR;
    bool opens = kind == OK && (first == '[' || first == ']');
    if (opens)
        second = next_read_key(&c);
    bool parameters = second == OK && c >= '0' && c <= '?'; /* a digit or one of :;<=>? */
    if (!parameters && second != ERR)
        unread_key(second, c);
    if (!parameters && kind != ERR)
        unread_key(kind, first);
    for (int n = 0; parameters && n < SEQUENCE_MOST; n++)
        if ((first == '[' ? c >= '@' : c == '\a' || c == '\\') || next_read_key(&c) != OK)
            break;
    return parameters;
}

bool term_key(char name[KEY_NAME])
{
    wint_t c = 0;
    struct collected *now = background.open ? &background : &paste;
    bool given_up = now->open && clock_ms() - now->since > PASTE_REST_MS;
    int kind = given_up ? ERR : next_read_key(&c);
    if (!now->open && kind == KEY_CODE_YES && (c == KEY_PASTE || c == KEY_BACKGROUND)) {
        now = c == KEY_PASTE ? &paste : &background;
        buf_clear(&now->text);
        now->open = true;
        kind = next_read_key(&c);
        now->since = clock_ms();
    }
    if (background.open) {
        background.open = !given_up && !background_ends(kind, c);
        memcpy(name, "Background", 11);
        return !background.open;
    }
    if (paste.open) {
        paste.open = !given_up && !paste_ends(kind, c);
        memcpy(name, "Paste", 6);
        return !paste.open;
    }
    if (kind == ERR)
        return false;
    if (kind == KEY_CODE_YES && c >= KEY_PAD && c < KEY_PAD + sizeof pad - 1) {
        c = (unsigned char)pad[c - KEY_PAD];
        kind = OK;
    }
    if (kind != KEY_CODE_YES && !(c == 27 && sequence_rest())) {
        plain_key_name(c, name);
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

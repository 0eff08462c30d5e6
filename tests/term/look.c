#include "terminal.h"

#include <poll.h>
#include <sys/wait.h>

VTermScreenCell cell_at(const struct tty *t, int y, int x)
{
    VTermScreenCell c;
    memset(&c, 0, sizeof c);
    vterm_screen_get_cell(t->screen, (VTermPos){.row = y, .col = x}, &c);
    return c;
}

bool is_plain(VTermScreenCell c)
{
    return VTERM_COLOR_IS_DEFAULT_FG(&c.fg) && VTERM_COLOR_IS_DEFAULT_BG(&c.bg);
}

static size_t put_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)((n == 2 ? 0xc0 : n == 3 ? 0xe0 : 0xf0) | c);
    return n;
}

const char *row_text(const struct tty *t, int y)
{
    static char text[4][MAX_COLS * 8];
    static int next;
    char *p = text[next++ % 4];
    size_t n = 0, end = 0;
    for (int x = 0; x < t->cols; x++) {
        VTermScreenCell c = cell_at(t, y, x);
        if (c.chars[0] == (uint32_t)-1) /* the right half of a wide character */
            continue;
        n += put_utf8(p + n, c.chars[0] ? c.chars[0] : ' ');
        if (c.chars[0] && c.chars[0] != ' ')
            end = n;
    }
    p[end] = 0;
    return p;
}

static void show(const struct tty *t)
{
    for (int y = 0; y < t->rows; y++)
        fprintf(stderr, "%3d|%s\n", y, row_text(t, y));
    fprintf(stderr, "    cursor %d,%d %s, %s screen, %s, %zu bytes\n", t->cursor.row, t->cursor.col,
            t->cursor_shown ? "shown" : "hidden", t->alternate ? "alternate" : "main",
            t->ended ? "ended" : t->stopped ? "stopped" : "running", t->bytes);
}

void wait_until(struct tty *t, mark *is_there, const void *arg, const char *what)
{
    long end = now_ms() + PATIENCE_MS;
    while (!is_there(t, arg)) {
        long left = end - now_ms();
        if (left <= 0) {
            fprintf(stderr, "never seen: %s\n", what);
            show(t);
            fail();
        }
        tty_take(t, (int)left);
    }
}

struct line_mark {
    int y; /* negative: from the bottom; NOWHERE: any row */
    const char *part;
};

/* The last line, with those above it that a long message takes. */
static bool is_said(const struct tty *t, const char *part)
{
    char said[4 * MAX_COLS * 8 + 1] = "";
    for (int lines = 1; lines <= 4 && lines <= t->rows; lines++) {
        said[0] = 0;
        for (int y = t->rows - lines; y < t->rows; y++) {
            const char *row = row_text(t, y);
            strcat(said, *row == ' ' && !*said ? row + 1 : row);
        }
        if (strstr(said, part))
            return true;
    }
    return false;
}

static bool has_text(const struct tty *t, const void *arg)
{
    const struct line_mark *m = arg;
    if (m->y == -1)
        return is_said(t, m->part);
    if (m->y != NOWHERE) {
        int y = m->y < 0 ? t->rows + m->y : m->y;
        return y >= 0 && y < t->rows && strstr(row_text(t, y), m->part);
    }
    for (int y = 0; y < t->rows; y++)
        if (strstr(row_text(t, y), m->part))
            return true;
    return false;
}

void wait_text(struct tty *t, int y, const char *part)
{
    struct line_mark m = {y, part};
    wait_until(t, has_text, &m, part);
}

static bool lacks_text(const struct tty *t, const void *arg)
{
    return !has_text(t, arg);
}

void wait_gone(struct tty *t, int y, const char *part)
{
    struct line_mark m = {y, part};
    wait_until(t, lacks_text, &m, part);
}

int cursor_row(const struct tty *t)
{
    int found = -1;
    for (int y = 0; y < t->rows; y++)
        if (cell_at(t, y, 3).attrs.reverse && cell_at(t, y, 6).attrs.reverse) {
            if (found >= 0)
                return -1;
            found = y;
        }
    return found;
}

static bool cursor_row_is(const struct tty *t, const void *arg)
{
    return cursor_row(t) == *(const int *)arg;
}

void wait_row(struct tty *t, int y)
{
    wait_until(t, cursor_row_is, &y, "the cursor's row");
}

static bool on_cursor(const struct tty *t, const void *part)
{
    int y = cursor_row(t);
    return y >= 0 && strstr(row_text(t, y), part);
}

void wait_cursor(struct tty *t, const char *part)
{
    wait_until(t, on_cursor, part, part);
}

static bool is_ready(const struct tty *t, const void *arg)
{
    int y = cursor_row(t);
    uint32_t c = y > 1 ? cell_at(t, y, 0).chars[0] : 0;
    (void)arg;
    return (c == 0x25b6 || c == '>') && strstr(row_text(t, 0), "100 %") &&
           strstr(row_text(t, 1), "first deviation: row") &&
           has_text(t, &(struct line_mark){NOWHERE, "FIRST DEVIATION, "});
}

void wait_ready(struct tty *t)
{
    wait_until(t, is_ready, NULL, "the first deviation");
}

void wait_diagnosed(struct tty *t)
{
    wait_ready(t);
    wait_text(t, NOWHERE, "looks like");
}

static bool is_ended(const struct tty *t, const void *arg)
{
    (void)arg;
    return t->ended;
}

void wait_end(struct tty *t)
{
    wait_until(t, is_ended, NULL, "the end of the program");
}

bool has_bytes(const struct tty *t, const char *want)
{
    size_t n = strlen(want);
    for (size_t i = 0; i + n <= t->tail_n; i++)
        if (memcmp(t->tail + i, want, n) == 0)
            return true;
    return false;
}

void settle(struct tty *t)
{
    wait_gone(t, -1, "has no effect here");
    tty_send(t, "%");
    wait_text(t, -1, "% has no effect here; ? lists the keys");
}

void take_snapshot(struct tty *t, struct snapshot *s)
{
    settle(t);
    for (int y = 0; y < t->rows && y < MAX_ROWS; y++)
        snprintf(s->row[y], sizeof s->row[y], "%s", row_text(t, y));
}

bool looks_like(const struct tty *t, const void *arg)
{
    const struct snapshot *s = arg;
    for (int y = 0; y < t->rows - 1 && y < MAX_ROWS; y++)
        if (strncmp(s->row[y], row_text(t, y), sizeof s->row[y] - 1) != 0)
            return false;
    return true;
}

void wait_like(struct tty *t, const struct snapshot *s)
{
    long end = now_ms() + PATIENCE_MS;
    while (!looks_like(t, s) && now_ms() < end)
        tty_take(t, (int)(end - now_ms()));
    if (looks_like(t, s))
        return;
    for (int y = 0; y < t->rows - 1 && y < MAX_ROWS; y++)
        if (strcmp(s->row[y], row_text(t, y)) != 0)
            fprintf(stderr, "expected%3d|%s\n", y, s->row[y]);
    show(t);
    fail();
}

void assert_restored(struct tty *t)
{
    struct termios now;
    assert_int_equal(tcgetattr(t->master, &now), 0);
    assert_int_equal(now.c_iflag, t->before.c_iflag);
    assert_int_equal(now.c_oflag, t->before.c_oflag);
    assert_int_equal(now.c_cflag, t->before.c_cflag);
    assert_int_equal(now.c_lflag, t->before.c_lflag);
    assert_memory_equal(now.c_cc, t->before.c_cc, sizeof now.c_cc);
    while (!t->hung_up && poll(&(struct pollfd){t->master, POLLIN, 0}, 1, 0) > 0)
        tty_take(t, 0);
    assert_false(t->alternate);
    assert_true(t->cursor_shown);
    tty_feed(t, "\r\nx", 3);
    VTermScreenCell c = cell_at(t, t->cursor.row, t->cursor.col - 1);
    assert_int_equal(c.chars[0], 'x');
    assert_false(c.attrs.bold || c.attrs.reverse || c.attrs.underline);
    assert_true(is_plain(c));
}

void assert_exit(const struct tty *t, int status)
{
    if (!WIFEXITED(t->status) || WEXITSTATUS(t->status) != status)
        show(t);
    assert_true(WIFEXITED(t->status));
    assert_int_equal(WEXITSTATUS(t->status), status);
}

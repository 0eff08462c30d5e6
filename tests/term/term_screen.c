/* What is drawn: the first screen, other sizes, wide characters, other terminals and locales; and how much is written
 * for it. */
#include "terminal.h"

static void starts_on_the_first_deviation(void **state)
{
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "llama_rope/ms", "llama_rope/torch");
    wait_ready(&t);
    assert_true(t.alternate);
    assert_false(t.cursor_shown);
    assert_false(t.mouse);
    int y = cursor_row(&t);
    assert_int_equal(cell_at(&t, y, 0).chars[0], 0x25b6);
    assert_true(cell_at(&t, y, 2).attrs.bold);
    assert_true(cell_at(&t, y, 2).attrs.reverse); /* the cursor's bar, in one colour */
    assert_false(is_plain(cell_at(&t, 1, 1)));
    tty_quit(&t, "q");
}

/* A whole frame with the table: curses writes its lines in an order of its own, so all are looked at. */
static bool is_drawn(const struct tty *t, const void *arg)
{
    const char *top = row_text(t, 0);
    size_t n = strlen(top);
    int y = cursor_row(t);
    (void)arg;
    if (n < 5 || strcmp(top + n - 5, "100 %") != 0 || !strstr(row_text(t, 2), "TARGET") || y < 0)
        return false;
    for (int i = 2; i <= y + 1; i++)
        if (!strstr(row_text(t, i), "\xe2\x94\x82") && !strstr(row_text(t, i), "\xe2\x96\xb8")) /* │, ▸ a fold */
            return false;
    return strstr(row_text(t, t->rows - 1), "F first");
}

/* What is on the screen is what a full repaint shows: no cell is left from an earlier size. */
static void assert_no_stale_cells(struct tty *t)
{
    static struct snapshot now;
    tty_send(t, "?");
    wait_text(t, 2, "Each key runs a command");
    tty_send(t, "?");
    wait_until(t, is_drawn, NULL, "a frame of the new size");
    take_snapshot(t, &now);
    tty_feed(t, "\033[H*", 4);
    tty_send(t, "\x0c");
    wait_like(t, &now);
}

static void resizing_redraws(void **state)
{
    static const int sizes[][2] = {{10, 40}, {3, 12}, {60, 200}, {2, 3}, {1, 1}, {100, 80}, {24, 250}};
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "llama_rope/ms", "llama_rope/torch");
    wait_diagnosed(&t);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        tty_resize(&t, sizes[i][0], sizes[i][1]);
        if (sizes[i][1] >= 12) {
            wait_text(&t, -1, "F first");
            wait_text(&t, NOWHERE, "\xe2\x96\xb6"); /* the cursor's row stays in sight */
        }
        if (sizes[i][1] >= 200)
            wait_text(&t, NOWHERE, "g mean");
    }
    tty_resize(&t, 24, 80);
    wait_until(&t, is_drawn, NULL, "a frame of the first size");
    assert_no_stale_cells(&t);
    tty_send(&t, "?");
    wait_text(&t, 2, "Each key runs a command");
    tty_resize(&t, 12, 50);
    wait_text(&t, -1, "Down scroll");
    wait_text(&t, 2, "Each key runs a command");
    tty_close(&t);
}

/* Many sizes in a row, the way a window is dragged: the last one is what is drawn for. */
static void resizing_often_settles(void **state)
{
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "tt_rope/target", "tt_rope/bench");
    wait_diagnosed(&t);
    for (int i = 0; i < 60; i++)
        tty_resize(&t, 4 + i % 40, 10 + i * 3);
    tty_resize(&t, 30, 100);
    wait_until(&t, is_drawn, NULL, "a frame of the last size");
    assert_no_stale_cells(&t);
    tty_close(&t);
}

/* A new size while a frame is being drawn is not forgotten. */
static void no_resize_is_lost(void **state)
{
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "tt_rope/target", "tt_rope/bench");
    wait_ready(&t);
    for (int i = 0; i < 30; i++) {
        tty_send(&t, i % 2 ? "j" : "k");
        tty_take(&t, PATIENCE_MS);
        tty_resize(&t, 24 - i % 3, 80 + i % 5 * 10);
        wait_until(&t, is_drawn, NULL, "a frame of the new size");
    }
    tty_close(&t);
}

/* The columns' rules stand below each other, whatever the width of the names between them. */
static void wide_characters_shift_nothing(void **state)
{
    char dir[2][512];
    struct tty t;
    (void)state;
    make_pair(dir, "/nowhere.py");
    tty_start_on(&t, NULL, dir[0], dir[1]);
    wait_text(&t, 0, "100 %");
    wait_until(&t, is_drawn, NULL, "a whole frame");
    settle(&t);
    wait_text(&t, NOWHERE, "\xe8\xa7\x86\xe5\x9b\xbe"); /* 视图 */
    int rules[80], n = 0;
    for (int x = 0; x < t.cols; x++)
        if (cell_at(&t, 2, x).chars[0] == 0x2502)
            rules[n++] = x;
    assert_int_equal(n, 3);
    for (int y = 3; y <= 5; y++)
        for (int i = 0; i < n; i++)
            assert_int_equal(cell_at(&t, y, rules[i]).chars[0], 0x2502);
    VTermScreenCell wide = cell_at(&t, 4, 13);
    assert_int_equal(wide.chars[0], 0x89c6);
    assert_int_equal(wide.width, 2);
    tty_send(&t, "jj"); /* a value with an escape sequence in it: shown, not obeyed */
    wait_text(&t, NOWHERE, "\xe2\x90\x9b[31mred");
    tty_close(&t);
}

static void no_color_keeps_the_marks(void **state)
{
    static const struct setting env[] = {{"NO_COLOR", "1"}, {0}};
    struct tty t;
    bool bold = false;
    (void)state;
    tty_start(&t, 24, 80, env, "llama_rope/ms", "llama_rope/torch");
    wait_ready(&t);
    for (int y = 0; y < t.rows; y++)
        for (int x = 0; x < t.cols; x++) {
            VTermScreenCell c = cell_at(&t, y, x);
            assert_true(is_plain(c));
            bold = bold || c.attrs.bold;
        }
    assert_true(bold);
    tty_send(&t, "TT"); /* other schemes have no colours either */
    tty_send(&t, "k");
    wait_row(&t, cursor_row(&t) - 1);
    assert_true(is_plain(cell_at(&t, 1, 2)));
    tty_close(&t);
}

/* Terminals of other kinds: few colours, none, no alternate screen. */
static void other_terminals(void **state)
{
    static const char *const kinds[] = {"linux", "vt100", "screen", "tmux-256color", "xterm"};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct setting env[] = {{"TERM", kinds[i]}, {0}};
        struct tty t;
        tty_start(&t, 24, 80, env, "tt_rope/target", "tt_rope/bench");
        wait_ready(&t);
        tty_quit(&t, "q");
    }
}

/* A locale without UTF-8: the glyphs' ASCII twins, each in its column. */
static void plain_locale_gets_ascii(void **state)
{
    static const struct setting env[] = {{"LC_ALL", "C"}, {0}};
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, env, "llama_rope/ms", "llama_rope/torch");
    wait_ready(&t);
    for (int y = 0; y < t.rows; y++)
        for (int x = 0; x < t.cols; x++)
            assert_in_range(cell_at(&t, y, x).chars[0], 0, 0x7e);
    assert_int_equal(cell_at(&t, cursor_row(&t), 0).chars[0], '>');
    tty_close(&t);
}

static void redraw_repairs_the_screen(void **state)
{
    static struct snapshot before;
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "tt_rope/target", "tt_rope/bench");
    wait_diagnosed(&t);
    take_snapshot(&t, &before);
    tty_feed(&t, "\033[5;5H a message from elsewhere \033[12;1H\033[2K", 41);
    assert_false(looks_like(&t, &before));
    tty_send(&t, "\x0c");
    wait_like(&t, &before);
    tty_close(&t);
}

static bool row_text_differs(const struct tty *t, const void *arg)
{
    int y = cursor_row(t);
    return y > 0 && strcmp(row_text(t, y), arg) != 0;
}

/* Sends a key that scrolls `times` times; the bytes a time. What follows the mark belongs to the next. */
static size_t bytes_of(struct tty *t, const char *key, int times)
{
    char was[MAX_COLS * 8];
    size_t from = t->bytes;
    for (int i = 0; i < times; i++) {
        snprintf(was, sizeof was, "%s", row_text(t, cursor_row(t)));
        tty_send(t, key);
        wait_until(t, row_text_differs, was, "another row under the cursor");
    }
    return (t->bytes - from) / (size_t)times;
}

/* A slow link: scrolling moves what is on the screen instead of drawing it again. */
static void scrolling_is_cheap(void **state)
{
    struct tty t;
    (void)state;
    tty_start(&t, 40, 120, NULL, "llama_rope/ms", "llama_rope/torch");
    wait_ready(&t);
    tty_send(&t, "g");
    wait_row(&t, 3);
    for (int was = 0; was != cursor_row(&t);) { /* to where the table begins to move */
        was = cursor_row(&t);
        bytes_of(&t, "j", 1);
    }
    size_t line = bytes_of(&t, "j", 20), page = bytes_of(&t, "\033[6~", 5);
    print_message("           a line down: %zu bytes, a page: %zu\n", line, page);
    assert_in_range(line, 1, 1000); /* a frame of this size drawn whole is above 5000 */
    assert_in_range(page, 1, 4096);
    tty_close(&t);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        TEST(starts_on_the_first_deviation),
        TEST(resizing_redraws),
        TEST(resizing_often_settles),
        TEST(no_resize_is_lost),
        TEST(wide_characters_shift_nothing),
        TEST(no_color_keeps_the_marks),
        TEST(other_terminals),
        TEST(plain_locale_gets_ascii),
        TEST(redraw_repairs_the_screen),
        TEST(scrolling_is_cheap),
    };
    return terminal_ready(argc, argv) ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}

/* Drawing changes nothing: every pane, list and prompt drawn twice from one state gives the same cells and leaves the
 * same state, the session's with it. The panes of all ranks: test_ui_ranks.c. */
#include "drawn.h"

#include <math.h>

/* Commands that bring each pane to the screen, with something scrolled where it scrolls. */
static const char *const ways[] = {
    "first",
    "bottom",
    "pane detail",
    "down 3",
    "zoom",
    "down 500",
    "zoom",
    "pane stack",
    "down 2",
    "pane table",
    "layout stacked",
    "layout both",
    "search linear",
    "filter rel_l2 > 1e-3",
    "unfilter",
    "sort rel_l2",
    "sort none",
    "columns rel_l2 max_abs cosine t.shape g.shape",
    "right",
    "group modules",
    "down 4",
    "unfold",
    "group layers",
    "right",
    "group precision",
    "group none",
    "help",
    "bottom",
    "back",
    "list deviations",
    "down 5",
    "back",
    "intake",
    "back",
    "panel 0",
    "down 3",
    "back",
    "panel 1",
    "down 3",
    "panel 4",
    "panel 5",
    "back",
    "back",
    "first",
    "tensor",
    "cells down 2",
    "worst next",
    "magnify in",
    "map golden",
    "back",
};

/* Lists of every kind, one narrowed, one over a panel. */
static const char *const lists[] = {
    "unpair",        "note a remark", "bookmark",         "list deviations", "down 5",         "key /",
    "key l",         "key i",         "key Enter",        "key Down",        "cancel",         "list starts",
    "cancel",        "next start", "cancel",           "list precision",  "cancel",         "list inputs",
    "cancel",        "list gaps",     "cancel",           "list problems",   "cancel",         "list operators",
    "cancel",        "list bookmarks", "cancel",          "key Space",       "down 30",        "cancel",
    "findings",      "cancel",        "decisions",        "cancel",          "sort",           "cancel",
    "columns",       "down 3",        "key Enter",        "cancel",          "group",          "cancel",
    "panel 1",       "list deviations", "key PgDn",       "cancel",          "cancel",
};

/* A prompt being typed in: completed, recalled, tried out, with a cursor in it and a text longer than the line. */
static const char *const typed[] = {
    "key :",    "key f",     "key i",     "key Tab",       "key Tab",   "key Space", "key r",         "key e", "key l",
    "key Left", "key Left",  "key C-u",   "key Esc",       "key :",     "key g",     "key Enter",     "key :", "key Up",
    "key Esc",  "key /",     "key l",     "key i",         "key n",     "key Enter", "key /",         "key Up",
    "key x",    "key Esc",   "key &",     "key m",         "key a",     "key x",     "key Backspace", "key Esc",
    "key \"",   "key 长",    "key é",     "key Esc",       "intake",    "key :",     "key s",         "key Esc",
    "back",     "list gaps", "key :",     "key Tab",       "key Esc",   "back",
};

static void each_twice(const char *const *way, size_t n, bool may_fail)
{
    static const int sizes[][2] = {{24, 80}, {50, 180}, {10, 40}, {3, 20}};
    struct options o = {.step = {-1, -1}, .rank = {-1, -1}, .args = 2};
    struct screen *s = mem_zalloc(sizeof *s);
    struct grid again = {0};
    struct err e;
    o.arg[0] = sample("tt_rope/target");
    o.arg[1] = sample("tt_rope/bench");
    if (screen_start(s, &o, NULL, &e))
        fail_msg("%s", e.text);
    screen_size(s, 24, 80);
    screen_settle(s);
    for (size_t i = 0; i < n; i++) {
        if (str_starts(str_of(way[i]), "key "))
            screen_key(s, way[i] + 4);
        else
            screen_command(s, way[i]);
        if (!may_fail && s->work.message_is_error && s->work.message.n)
            fail_msg("%s: %s", way[i], s->work.message.p);
        for (size_t k = 0; k < ARRAY_LEN(sizes); k++)
            same_twice(s, &again, way[i], sizes[k][0], sizes[k][1]);
    }
    screen_stop(s);
    free(s);
    grid_release(&again);
}

static void drawn_twice(void **state)
{
    (void)state;
    each_twice(ways, ARRAY_LEN(ways), false);
}

static void lists_drawn_twice(void **state)
{
    (void)state;
    each_twice(lists, ARRAY_LEN(lists), false);
}

static void prompt_drawn_twice(void **state)
{
    (void)state;
    each_twice(typed, ARRAY_LEN(typed), true);
}

/* Panels that have a picture: the curves of two logs, and the tokens of a rollout. */
static void pictures_drawn_twice(void **state)
{
    static const char *const pictures[] = {"panel 7",    "down 2",   "plot 300", "plot in", "axis log",
                                           "plot to 20", "plot all", "back",     "panel 9", "bottom",
                                           "enter",      "down 2",   "back",     "back"};
    struct options o = {.step = {-1, -1}, .rank = {-1, -1}, .args = 1};
    struct screen *s = mem_zalloc(sizeof *s);
    struct grid again = {0};
    struct err e;
    const char *dir = scratch();
    char give[600], line[64];
    (void)state;
    for (int side = 0; side < 2; side++) {
        struct buf log = {0};
        for (int i = 1; i <= 400; i++) {
            snprintf(line, sizeof line, "{\"step\": %d, \"loss\": %.6g}\n", i,
                     side ? exp(4 - i / 40.) : i == 50 ? -0.5 : exp(4 - i / 41.));
            buf_cstr(&log, line);
        }
        put_text(dir, side ? "g.log" : "t.log", log.p);
        buf_release(&log);
    }
    o.arg[0] = sample("rollout/verl/tempered.pt");
    if (screen_start(s, &o, NULL, &e))
        fail_msg("%s", e.text);
    screen_size(s, 24, 80);
    screen_settle(s);
    for (int side = 0; side < 2; side++) {
        snprintf(give, sizeof give, "give %s-log %s/%c.log", side ? "golden" : "target", dir, side ? 'g' : 't');
        screen_command(s, give);
    }
    screen_settle(s);
    for (size_t i = 0; i < ARRAY_LEN(pictures); i++) {
        screen_command(s, pictures[i]);
        if (s->work.message_is_error && s->work.message.n)
            fail_msg("%s: %s", pictures[i], s->work.message.p);
        same_twice(s, &again, pictures[i], 24, 80);
        same_twice(s, &again, pictures[i], 10, 40);
    }
    screen_stop(s);
    free(s);
    grid_release(&again);
}

/* What is put over one half of a wide character leaves a blank for the other, so that no line gets wider. */
static void halves_are_blank(void **state)
{
    (void)state;
    struct grid g = {0};
    grid_init(&g, 3, 6);
    for (int y = 0; y < 3; y++)
        grid_put(&g, y, 0, 6, STYLE_TEXT, "面板面");
    grid_put(&g, 0, 5, 1, STYLE_TEXT, "…");
    grid_put(&g, 1, 2, 1, STYLE_TEXT, "…");
    grid_put(&g, 2, 1, 2, STYLE_TEXT, "图");
    const uint32_t want[3][6] = {{0x9762, 0, 0x677f, 0, ' ', 0x2026},
                                 {0x9762, 0, 0x2026, ' ', 0x9762, 0},
                                 {' ', 0x56fe, 0, ' ', 0x9762, 0}};
    for (int i = 0; i < 18; i++)
        assert_int_equal(g.cell[i].ch, want[i / 6][i % 6]);
    grid_release(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drawn_twice), cmocka_unit_test(lists_drawn_twice),
                                       cmocka_unit_test(prompt_drawn_twice), cmocka_unit_test(pictures_drawn_twice),
                                       cmocka_unit_test(halves_are_blank)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The overview of a job: what is bad is seen at every size, the way into a table and back ends at the same cell, and it
 * may be left at any time. */
#include "drawn.h"

#include "base/utf8.h"
#include "compare/job_text.h"
#include "jobs.h"

static struct screen *opened(const char *dir)
{
    static char path[2][300];
    struct options o = {.step = {-1, -1}, .rank = {-1, -1}, .args = 2};
    struct screen *s = mem_zalloc(sizeof *s);
    struct err e;
    for (int i = 0; i < 2; i++) {
        snprintf(path[i], sizeof path[i], "%s/%s", dir, i ? "g" : "t");
        o.arg[i] = path[i];
    }
    if (screen_start(s, &o, NULL, &e))
        fail_msg("%s", e.text);
    screen_size(s, 24, 80);
    return s;
}

static void shut(struct screen *s)
{
    screen_stop(s);
    free(s);
}

/* How often a character is drawn. */
static int drawn(const struct screen *s, uint32_t ch)
{
    int n = 0;
    for (int i = 0; i < s->grid.rows * s->grid.cols; i++)
        n += s->grid.cell[i].ch == ch;
    return n;
}

static bool line_holds(const struct screen *s, int y, const char *word)
{
    struct buf b = {0};
    for (int x = 0; x < s->grid.cols; x++) {
        char c[4];
        uint32_t ch = s->grid.cell[y * s->grid.cols + x].ch;
        buf_str(&b, str_n(c, utf8_put(c, ch ? ch : ' ')));
    }
    bool holds = b.p && strstr(b.p, word);
    buf_release(&b);
    return holds;
}

static bool strip_shows(const struct screen *s, enum strip_sign sign)
{
    for (size_t i = 0; i < s->picture.cell.n; i++)
        if (s->picture.cell.v[i] == sign)
            return true;
    return false;
}

/* One call of one rank, the last there is: at every size there is a cell of it, and the first line says where. */
static void bad_cells_are_seen_at_every_size(void **state)
{
    (void)state;
    struct screen *s = opened(make_job(1, 37, 51, 22, 51));
    screen_settle(s);
    assert_true(s->ranks.shown);
    for (int rows = 6; rows <= 60; rows += 3)
        for (int cols = 24; cols <= 200; cols += 11)
            for (int zoom = 0; zoom < 2; zoom++) {
                s->ranks.zoom = zoom;
                screen_size(s, rows, cols);
                screen_draw(s);
                if (!strip_shows(s, STRIP_DEVIATE) || !drawn(s, 0x2717))
                    fail_msg("%d x %d: the bad cell is not seen", rows, cols);
                assert_true(s->picture.first_x >= 0 && s->picture.first_y >= 0);
            }
    screen_size(s, 24, 80);
    screen_draw(s);
    assert_true(line_holds(s, 1, "rank 22"));
    shut(s);
}

/* The strip as text has it too, however narrow. */
static void text_keeps_bad_cells(void **state)
{
    (void)state;
    struct screen *s = opened(make_job(1, 9, 31, 4, 31));
    screen_settle(s);
    for (size_t width = 1; width < 40; width++)
        for (size_t lines = 1; lines < 12; lines++) {
            struct buf b = {0};
            job_strip_text(&s->job.strip, width, lines, &b);
            char *end = strstr(b.p, "\n");
            const char *bad = strstr(b.p, "✗"), *legend = strstr(b.p, "✗ deviate");
            assert_non_null(end);
            assert_true(bad && bad != legend);
            buf_release(&b);
        }
    shut(s);
}

static void enter_and_back_keep_the_cell(void **state)
{
    (void)state;
    struct screen *s = opened(make_job(2, 4, 12, 2, 7));
    screen_settle(s);
    screen_draw(s);
    assert_int_equal(s->ranks.step, 1);
    assert_int_equal(s->ranks.rank, 2);
    assert_true(screen_key(s, "Enter") == false);
    screen_settle(s);
    screen_draw(s);
    assert_false(s->ranks.shown);
    assert_int_equal(s->work.c->side[TARGET].dump.rank, 2);
    assert_int_equal(s->work.c->side[TARGET].dump.step, 1);
    struct buf name[2] = {{0}, {0}};
    workspace_names(&s->work, s->work.cursor, name);
    assert_string_equal(name[TARGET].p, "Functional.linear.3.forward.output.0");
    buf_release(&name[0]);
    buf_release(&name[1]);
    size_t column = s->ranks.column;
    assert_false(screen_key(s, "q"));
    screen_draw(s);
    assert_true(s->ranks.shown);
    assert_int_equal(s->ranks.rank, 2);
    assert_int_equal(s->ranks.column, column);
    screen_key(s, "Up"); /* another rank, which is fine: its own table */
    screen_key(s, "Enter");
    screen_settle(s);
    screen_draw(s);
    assert_int_equal(s->work.c->side[TARGET].dump.rank, 1);
    assert_int_equal(s->work.c->judged->first, NONE);
    screen_key(s, "Esc");
    screen_draw(s);
    assert_int_equal(s->ranks.rank, 1);
    assert_true(screen_key(s, "q")); /* at the top it leaves */
    shut(s);
}

/* What was opened from the overview is no wish: reading again, and the next start, show all ranks. */
static void reading_again_shows_all_ranks(void **state)
{
    (void)state;
    struct screen *s = opened(make_job(1, 3, 6, 1, 2));
    screen_settle(s);
    screen_draw(s);
    screen_key(s, "Enter");
    screen_settle(s);
    assert_false(s->ranks.shown);
    screen_command(s, "reload");
    screen_settle(s);
    screen_draw(s);
    assert_true(s->ranks.shown);
    assert_int_equal(s->inv.rank[TARGET], -1);
    screen_command(s, "rank 0"); /* this one is */
    screen_settle(s);
    screen_draw(s);
    assert_false(s->ranks.shown);
    shut(s);
}

/* Drawing changes nothing: the same state gives the same cells and stays as it is. */
static void drawn_twice(void **state)
{
    static const int sizes[][2] = {{24, 80}, {50, 180}, {10, 40}, {3, 20}};
    static const char *const ways[] = {"ranks first", "right", "down 3", "ranks list",
                                       "down 2",      "ranks", "enter",  "back"};
    struct screen *s = opened(make_job(2, 20, 30, 7, 9));
    struct grid again = {0};
    (void)state;
    screen_settle(s);
    for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
        screen_command(s, ways[i]);
        screen_settle(s);
        for (size_t k = 0; k < ARRAY_LEN(sizes); k++)
            same_twice(s, &again, ways[i], sizes[k][0], sizes[k][1]);
    }
    grid_release(&again);
    shut(s);
}

/* Before anything is compared, and with half of it: each time all threads end. */
static void may_be_left_at_any_time(void **state)
{
    (void)state;
    const char *dir = make_job(1, 12, 20, 3, 5);
    for (int turns = 0; turns < 12; turns++) {
        struct screen *s = opened(dir);
        for (int i = 0; i < turns; i++) {
            screen_idle(s);
            screen_draw(s);
            if (s->ranks.job && i % 3 == 2)
                screen_key(s, "Enter");
        }
        shut(s);
    }
}

/* A recording that cannot be read is said before any verdict, and its cells are no match. */
static void what_is_unread_is_said(void **state)
{
    (void)state;
    const char *dir = make_job(1, 4, 8, -1, 0);
    put_text(dir, "t/step0/rank3/dump.json",
             "{\"task\":\"statistics\",\"data\":{\"Functional.linear.0.forward\":{\"input_args\":[");
    struct screen *s = opened(dir);
    screen_settle(s);
    screen_draw(s);
    assert_true(s->picture.unseen.n > 0);
    assert_true(line_holds(s, 1, "UNREAD: step 0 rank 3"));
    assert_true(strip_shows(s, STRIP_UNREAD));
    assert_true(strip_shows(s, STRIP_MATCH)); /* the others are compared */
    assert_false(line_holds(s, 1, "aligned"));
    shut(s);
}

/* All ranks are compared, the table below them is not: a command that needs it says which one it waits for. */
static void a_table_that_still_loads_is_named(void **state)
{
    (void)state;
    struct screen *s = opened(make_job(1, 4, 8, 2, 5));
    screen_settle(s);
    screen_draw(s);
    assert_true(s->ranks.shown && line_holds(s, 0, "100 %"));
    assert_int_equal(s->ranks.open.rank, 2); /* the first deviation's */
    struct comparison *c = (struct comparison *)s->work.c;
    for (int i = 0; i < 3; i++) {
        bool paired = c->paired, settled = s->session.settled;
        struct judgement *judged = c->judged;
        c->paired = i > 0;
        c->judged = i > 1 ? judged : NULL;
        s->session.settled = false;
        screen_command(s, "round elsewhere");
        c->paired = paired;
        c->judged = judged;
        s->session.settled = settled;
        assert_non_null(strstr(s->work.message.p, "round: the table of rank 2 is still loading"));
    }
    s->ranks.shown = false; /* in the table, whose header shows how far it is */
    s->session.settled = false;
    screen_command(s, "round elsewhere");
    s->session.settled = true;
    assert_string_equal(s->work.message.p, "the comparison of this round is not finished");
    shut(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_cells_are_seen_at_every_size), cmocka_unit_test(text_keeps_bad_cells),
        cmocka_unit_test(enter_and_back_keep_the_cell),     cmocka_unit_test(reading_again_shows_all_ranks),
        cmocka_unit_test(drawn_twice),
        cmocka_unit_test(may_be_left_at_any_time),
        cmocka_unit_test(what_is_unread_is_said),
        cmocka_unit_test(a_table_that_still_loads_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

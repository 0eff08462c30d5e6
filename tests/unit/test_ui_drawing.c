/* Drawing changes nothing: every pane drawn twice from one state gives the same cells and leaves the same state. */
#include "support.h"

#include "ui/screen.h"

/* Commands that bring each pane to the screen, with something scrolled where it scrolls. */
static const char *const ways[] = {
    "first", "bottom", "pane detail", "down 3", "zoom", "down 500", "zoom", "pane stack", "down 2", "pane table", "layout stacked", "layout both",
    "search linear", "filter rel_l2 > 1e-3", "unfilter", "sort rel_l2", "sort none", "columns rel_l2 max_abs cosine t.shape g.shape", "right",
    "group modules", "down 4", "unfold", "group layers", "right", "group precision", "group none", "help", "bottom", "back",
    "list deviations", "down 5", "back", "intake", "back", "panel 0", "down 3", "back", "panel 1", "down 3", "panel 4", "panel 5", "back", "back",
    "first", "tensor", "cells down 2", "worst next", "magnify in", "map golden", "back",
};

/* All but the session, whose threads may still go to sleep. */
static bool same_state(const struct screen *a, const struct screen *b)
{
    size_t from = offsetof(struct screen, session), to = from + sizeof a->session;
    return memcmp(a, b, from) == 0 && memcmp((const char *)a + to, (const char *)b + to, sizeof *a - to) == 0;
}

static void same_twice(struct screen *s, struct grid *again, const char *after, int rows, int cols)
{
    static struct screen before;
    screen_size(s, rows, cols);
    grid_init(again, rows, cols);
    for (int i = 0; i < 3; i++) { /* what a frame asks for comes with the next */
        screen_draw(s);
        screen_settle(s);
        screen_rest(s);
    }
    session_lock(&s->session);
    memcpy(&before, s, sizeof before);
    screen_draw_again(s, again);
    bool changed = !same_state(&before, s);
    session_unlock(&s->session);
    if (changed)
        fail_msg("after %s at %d x %d: drawing changed the state", after, rows, cols);
    for (int i = 0; i < rows * cols; i++)
        if (s->grid.cell[i].ch != again->cell[i].ch || s->grid.cell[i].style != again->cell[i].style)
            fail_msg("after %s at %d x %d: line %d, column %d is drawn in two ways", after, rows, cols, i / cols, i % cols);
}

static void drawn_twice(void **state)
{
    static const int sizes[][2] = {{24, 80}, {50, 180}, {10, 40}, {3, 20}};
    struct options o = {.step = {-1, -1}, .rank = {-1, -1}, .args = 2};
    struct screen *s = mem_zalloc(sizeof *s);
    struct grid again = {0};
    struct err e;
    (void)state;
    o.arg[0] = sample("tt_rope/target");
    o.arg[1] = sample("tt_rope/bench");
    if (screen_start(s, &o, NULL, &e))
        fail_msg("%s", e.text);
    screen_size(s, 24, 80);
    screen_settle(s);
    for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
        screen_command(s, ways[i]);
        if (s->work.message_is_error && s->work.message.n)
            fail_msg("%s: %s", ways[i], s->work.message.p);
        for (size_t k = 0; k < ARRAY_LEN(sizes); k++)
            same_twice(s, &again, ways[i], sizes[k][0], sizes[k][1]);
    }
    screen_stop(s);
    free(s);
    grid_release(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drawn_twice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

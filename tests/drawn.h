/* A frame drawn twice from one state: the same cells, and the same state afterwards. */
#ifndef TESTS_DRAWN_H
#define TESTS_DRAWN_H

#include "support.h"

#include "ui/screen.h"

/* All but the session, whose threads may still go to sleep. */
static inline bool same_state(const struct screen *a, const struct screen *b)
{
    size_t from = offsetof(struct screen, session), to = from + sizeof a->session;
    return memcmp(a, b, from) == 0 && memcmp((const char *)a + to, (const char *)b + to, sizeof *a - to) == 0;
}

static inline void same_twice(struct screen *s, struct grid *again, const char *after, int rows, int cols)
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

#endif

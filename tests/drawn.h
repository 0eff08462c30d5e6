/* A frame drawn twice from one state: the same cells, and the same state afterwards. */
#ifndef TESTS_DRAWN_H
#define TESTS_DRAWN_H

#include "support.h"

#include "ui/screen.h"

/* Of the session without its lock, jobs and workers: its threads may still go to sleep. */
static inline bool same_session(const struct session *a, const struct session *b)
{
    size_t from = offsetof(struct session, opt), to = offsetof(struct session, conductor);
    return memcmp((const char *)a + from, (const char *)b + from, to - from) == 0 && a->rejudge == b->rejudge &&
           a->repair == b->repair && a->stop == b->stop && a->judged_posts == b->judged_posts;
}

static inline bool same_state(const struct screen *a, const struct screen *b)
{
    size_t from = offsetof(struct screen, session), to = from + sizeof a->session;
    return memcmp(a, b, from) == 0 && memcmp((const char *)a + to, (const char *)b + to, sizeof *a - to) == 0 &&
           same_session(&a->session, &b->session);
}

static inline void put_buf(struct buf *out, const struct buf *b)
{
    buf_str(out, buf_view(b));
    buf_char(out, '\n');
}

/* What the prompt, the open list, the message and the session hold in memory of their own. */
static inline void put_held(const struct screen *s, struct buf *out)
{
    const struct prompt *p = &s->prompt;
    buf_clear(out);
    put_buf(out, &p->text);
    put_buf(out, &p->hint);
    put_buf(out, &s->work.message);
    for (size_t i = 0; i < p->choices.n; i++)
        buf_fmt(out, "%s\n", p->choices.v[i]);
    for (size_t i = 0; i < p->history.n; i++)
        buf_fmt(out, "%s\n", p->history.v[i]);
    for (size_t i = 0; i < s->work.list.items.n; i++)
        buf_fmt(out, "%s\n", s->work.list.items.v[i].text);
    for (size_t i = 0; i < s->work.list.shown.n; i++)
        buf_fmt(out, "%u ", s->work.list.shown.v[i]);
    buf_fmt(out, "%llu %u", (unsigned long long)s->session.now->serial, s->session.now->pairings);
}

static inline void same_twice(struct screen *s, struct grid *again, const char *after, int rows, int cols)
{
    static struct screen before;
    struct buf held = {0}, then = {0};
    screen_size(s, rows, cols);
    grid_init(again, rows, cols);
    for (int i = 0; i < 3; i++) { /* what a frame asks for comes with the next */
        screen_draw(s);
        screen_settle(s);
        screen_rest(s);
    }
    session_lock(&s->session);
    memcpy(&before, s, sizeof before);
    put_held(s, &held);
    screen_draw_again(s, again);
    put_held(s, &then);
    bool changed = !same_state(&before, s) || strcmp(held.p, then.p) != 0;
    session_unlock(&s->session);
    buf_release(&held);
    buf_release(&then);
    if (changed)
        fail_msg("after %s at %d x %d: drawing changed the state", after, rows, cols);
    for (int i = 0; i < rows * cols; i++)
        if (s->grid.cell[i].ch != again->cell[i].ch || s->grid.cell[i].style != again->cell[i].style)
            fail_msg("after %s at %d x %d: line %d, column %d is drawn in two ways", after, rows, cols, i / cols, i % cols);
}

#endif

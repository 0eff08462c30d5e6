/* One ticket for unit tests: its investigation, what it compares, its panels. `dir` is where its files lie. */
#ifndef TESTS_TICKETS_H
#define TESTS_TICKETS_H

#include "support.h"

#include "panel/procedure.h"
#include "session/session.h"

static char dir[256];
static struct investigation inv;
static struct session s;
static struct procedure g;
static bool open_now;

/* workers: threads that compare, 0: as many as there are processors. */
static inline void begin_with(const char *target, const char *golden, int workers)
{
    char path[400];
    investigation_init(&inv);
    snprintf(path, sizeof path, "%s/t.investigation.json", dir);
    inv.path = investigation_keep(&inv, path);
    inv.input[0] = target ? investigation_keep(&inv, target) : NULL;
    inv.input[1] = golden ? investigation_keep(&inv, golden) : NULL;
    const struct session_options o = {.of.path = {inv.input[0], inv.input[1]}, .of.step = {-1, -1}, .of.rank = {-1, -1}, .of.tol = inv.tol, .workers = workers};
    struct err e;
    if (session_start(&s, &o, &e) || session_wait(&s, &e))
        fail_msg("%s", e.text);
    procedure_init(&g, s.now, &inv, session_compare, NULL, NULL);
    open_now = true;
}

static inline void begin(const char *target, const char *golden)
{
    begin_with(target, golden, 0);
}

static inline void give(enum panel_input_id slot, const char *path)
{
    struct err e;
    assert_int_equal(panel_input_give(&inv, slot, str_of(path), &e), 0);
}

static inline void settle(void)
{
    procedure_see(&g, s.now);
    procedure_tell(&g);
    procedure_wait(&g, NULL, NULL, 0);
    procedure_write(&g);
}

/* Of panel 1, 2 …: the item with this id, which must be there. */
static inline const struct panel_item *item(int panel, const char *id)
{
    const struct panel_page *p = &g.page[panel - 1];
    for (size_t i = 0; i < p->items.n; i++)
        if (p->items.v[i].id && strcmp(p->items.v[i].id, id) == 0)
            return &p->items.v[i];
    fail_msg("panel %d has no %s", panel, id);
    return NULL;
}

static inline void end(void)
{
    if (!open_now)
        return;
    procedure_release(&g);
    session_stop(&s);
    investigation_release(&inv);
    open_now = false;
}

static inline int setup(void **state)
{
    (void)state;
    snprintf(dir, sizeof dir, "%s", scratch());
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    end();
    return 0;
}

#endif

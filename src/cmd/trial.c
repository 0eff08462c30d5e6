/* Compiles a filter while it is typed and counts the matching rows. */
#include "cmd/trial.h"

#include <stdlib.h>

#define LINES_A_STEP 8192

void trial_release(struct trial *t)
{
    row_order_release(&t->order);
    search_release(&t->search);
    free(t->error);
    *t = (struct trial){0};
}

static int try_filter(struct trial *t, struct str text, const struct row_order *in_force, struct err *e)
{
    bool inverse = str_starts(text, "! ");
    for (size_t i = 0; i < in_force->filters.n; i++) {
        const struct row_order_filter *f = &in_force->filters.v[i];
        if (!f->off && row_order_add(&t->order, str_of(f->text), f->inverse, e))
            return -1;
    }
    return row_order_add(&t->order, str_trim(str_cut(text, inverse ? 1 : 0)), inverse, e);
}

void trial_set(struct trial *t, char kind, struct str text, const struct row_order *in_force)
{
    struct err e;
    int rc = 0;
    trial_release(t);
    text = str_trim(text);
    if (text.n && kind == '&')
        rc = try_filter(t, text, in_force, &e);
    else if (text.n && kind == '/')
        rc = search_set(&t->search, text, &e);
    if (!rc)
        return;
    trial_release(t);
    t->error = str_dup(str_of(e.text));
}

bool trial_step(struct trial *t, const struct comparison *c, uint32_t lines)
{
    const struct dump *const side[2] = {&c->side[0].dump, &c->side[1].dump};
    if (t->search.code)
        return search_count(&t->search, side, c->pairing, LINES_A_STEP);
    return t->order.filters.n && row_order_step(&t->order, c, lines);
}

bool trial_found(const struct trial *t, uint32_t lines, uint32_t *found, bool *done)
{
    *found = t->search.code ? t->search.hits : t->order.line ? row_order_count(&t->order, lines) : 0;
    *done = t->search.code ? t->search.complete : t->order.line && !t->order.work;
    return t->search.code || t->order.filters.n;
}

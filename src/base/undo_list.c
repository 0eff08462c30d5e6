/* Moves the position in a log back or forward by the entries of one step. */
#include "base/undo_list.h"

#include <string.h>

static uint32_t entry_undo_step(const struct undo_list *h, size_t i)
{
    uint32_t step;
    memcpy(&step, (const char *)h->log + i * h->size + h->step, sizeof step);
    return step;
}

uint32_t undo_list_next(struct undo_list h)
{
    return h.now ? entry_undo_step(&h, h.now - 1) + 1 : 1;
}

size_t undo_list_turn(struct undo_list h, bool redo)
{
    size_t to = h.now;
    if (redo ? to == h.n : to == 0)
        return to;
    uint32_t step = entry_undo_step(&h, redo ? to : to - 1);
    while (redo ? to < h.n && entry_undo_step(&h, to) == step : to &&
           entry_undo_step(&h, to - 1) == step)
        to = redo ? to + 1 : to - 1;
    return to;
}

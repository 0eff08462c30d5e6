/* A slice for each axis that is shorter on the cut side. */
#include "pair/cut_view.h"

bool cut_view(const struct dump *const d[2], const uint32_t row[2], struct view *v)
{
    int side;
    if (!cut_tensors_fit(d, row, &side))
        return false;
    const struct shape *part = dump_row_shape(d[side], row[side]), *whole = dump_row_shape(d[!side], row[!side]);
    *v = (struct view){.side = (uint8_t)!side};
    for (int i = 0; i < whole->ndim; i++) {
        if (part->dim[i] == whole->dim[i])
            continue;
        if (v->count == VIEW_STEPS)
            return false;
        v->step[v->count++] = (struct view_step){.op = VIEW_SLICE, .n = 3, .v = {i, 0, part->dim[i]}};
    }
    return true;
}

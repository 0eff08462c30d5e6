/* Finds cut recordings by the sizes of linear layers: weight [n, k], input [..., k], output [..., n]. */
#include "dump/cut_tensors.h"

#include "base/msg.h"
#include "dump/family.h"

#define CALLS_LEAST 2 /* one alone may be a damaged shape */

static const struct shape *shape_in(const struct dump *d, uint32_t call, enum row_io io, int nth)
{
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == io && d->rows.v[r].kind == ROW_TENSOR && nth-- == 0)
            return dump_row_shape(d, r);
    return NULL;
}

static bool is_linear(const struct dump *d, uint32_t call)
{
    static const struct str name = {"linear", 6};
    const struct call *c = &d->calls.v[call];
    return c->kind == CALL_API && c->phase == PHASE_FORWARD && c->family == FAMILY_LINEAR &&
           str_search(dump_call_name(d, call), name.p) >= 0;
}

void cut_tensors_find(struct dump *d)
{
    uint32_t calls = 0, odd = 0, alike = 0, first = NONE;
    int64_t whole = 0, part = 0; /* the sizes of an axis of the first that does not fit */
    for (uint32_t c = 0; c < d->calls.n; c++) {
        if (!is_linear(d, c))
            continue;
        const struct shape *x = shape_in(d, c, IO_INPUT, 0), *w = shape_in(d, c, IO_INPUT, 1),
                           *y = shape_in(d, c, IO_OUTPUT, 0);
        if (!x || !w || !y || w->ndim != 2 || !x->ndim || x->ndim != y->ndim)
            continue;
        if (w == y && w == x) /* shapes are kept once: three equal ones are no layer that was cut */
            continue;
        bool fits = w->dim[1] == x->dim[x->ndim - 1] && w->dim[0] == y->dim[y->ndim - 1];
        calls++;
        if (fits)
            continue;
        bool rows = w->dim[0] != y->dim[y->ndim - 1];
        int64_t a = rows ? w->dim[0] : w->dim[1], b = rows ? y->dim[y->ndim - 1] : x->dim[x->ndim - 1];
        if (!odd++) {
            first = c;
            whole = a > b ? a : b;
            part = a > b ? b : a;
        }
        alike += (a == whole && b == part) || (a == part && b == whole);
    }
    /* all of one size may be cut to another, and others left as they are */
    d->tensors_cut = odd >= CALLS_LEAST && (2 * odd >= calls || alike == odd);
    if (!d->tensors_cut)
        return;
    struct buf w = {0}, y = {0};
    shape_text(shape_in(d, first, IO_INPUT, 1), &w);
    shape_text(shape_in(d, first, IO_OUTPUT, 0), &y);
    dump_warn(d, arena_fmt(&d->arena, _("tensors were cut before they were recorded (slice or request_id of msprobe): "
                                        "%s has a weight of %s and an output of %s; sums over a cut axis cannot be "
                                        "recomputed, and only the common part is compared with a whole recording"),
                           d->calls.v[first].name, w.p, y.p));
    buf_release(&w);
    buf_release(&y);
}

bool cut_tensors_fit(const struct dump *const d[2], const uint32_t row[2], int *side)
{
    const struct shape *s[2] = {dump_row_shape(d[0], row[0]), dump_row_shape(d[1], row[1])};
    if (!s[0] || !s[1] || s[0]->ndim != s[1]->ndim || s[0]->numel == s[1]->numel)
        return false;
    *side = s[0]->numel < s[1]->numel ? 0 : 1;
    for (int i = 0; i < s[0]->ndim; i++)
        if (s[*side]->dim[i] > s[!*side]->dim[i])
            return false;
    return d[*side]->tensors_cut && s[*side]->numel > 0;
}

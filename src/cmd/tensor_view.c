/* The state of the tensor view: axes, cursor, zoom, and its requests to the reading thread. */
#include "cmd/tensor_view.h"

#include "cmd/workspace.h"

void tensor_view_init(struct tensor_view *s, struct session *of)
{
    memset(s, 0, sizeof *s);
    s->slider = s->place = -1;
    s->linear[1] = true; /* values lie within a few powers of ten, errors do not */
    tensor_reader_init(&s->reader, of->opt.notify, of->opt.ctx);
}

void tensor_view_release(struct tensor_view *s)
{
    tensor_reader_release(&s->reader);
}

static bool side_readable(const struct workspace *d, int side, uint32_t row)
{
    const struct comparison *s = d->c;
    return row != NONE && s->side[side].state == SIDE_LOADED && dump_row_readable(&s->side[side].dump, row);
}

bool tensor_view_possible(const struct workspace *d, uint32_t line)
{
    uint32_t row[2];
    workspace_rows(d, line, row);
    return side_readable(d, TARGET, row[TARGET]) || side_readable(d, GOLDEN, row[GOLDEN]);
}

/* What there is to see of the cursor's row. */
static enum tensor_view_of tensors_at_cursor(const struct workspace *d, struct tensor_reader_case *c)
{
    const struct comparison *s = d->c;
    uint32_t row[2];
    memset(c, 0, sizeof *c);
    workspace_rows(d, d->cursor, row);
    c->side[0] = &s->side[0].dump;
    c->side[1] = &s->side[1].dump;
    if (s->paired && row[0] != NONE && row[1] != NONE) {
        if (measure_how(&s->measure, d->cursor, &c->job))
            return TENSOR_VIEW_BOTH;
        uint8_t state = s->measure.state[d->cursor];
        if (state == MEASURE_WAITING || state == MEASURE_RUNNING)
            return TENSOR_VIEW_PENDING;
    }
    enum side first = d->tensor.alone, side = side_readable(d, first, row[first]) ? first : !first;
    c->job.row[0] = c->job.row[1] = NONE;
    if (!side_readable(d, side, row[side]))
        return TENSOR_VIEW_NOTHING;
    c->job.row[side] = row[side];
    return TENSOR_VIEW_ALONE;
}

/* The initial axes: the last two that are longer than 1. */
static void choose_axes(struct tensor_view *s, const struct element_lens *l)
{
    int n = 0;
    s->axis[0] = -1;
    s->axis[1] = l->ndim - 1;
    for (int i = l->ndim - 1; i >= 0 && n < 2; i--)
        if (l->shape[i] > 1)
            s->axis[1 - n++] = i;
    if (s->axis[0] == -1 && l->ndim > 1) /* a vector with axes of 1: along a row */
        s->axis[0] = s->axis[1] ? s->axis[1] - 1 : -1;
    s->slider = -1;
    for (int i = 0; i < l->ndim; i++)
        if (i != s->axis[0] && i != s->axis[1] && l->shape[i] > 1)
            s->slider = i;
}

static void follow_wish(struct tensor_view *s, const struct element_lens *l)
{
    bool inside = s->wishes == l->ndim;
    for (int i = 0; inside && i < l->ndim; i++)
        inside = s->wish[i] < l->shape[i];
    if (inside)
        memcpy(s->at, s->wish, (size_t)l->ndim * sizeof *s->at);
    s->wishes = 0;
}

/* Axes and cursor, where the case is a new one. */
static void place_cursor(struct workspace *d)
{
    struct tensor_view *s = &d->tensor;
    const struct element_lens *l = &s->reader.lens;
    if (s->placed && tensor_reader_case_same(&s->placed_for, &s->reader.now)) {
        follow_wish(s, l);
        return;
    }
    s->placed = true;
    s->placed_for = s->reader.now;
    s->magnified = 0;
    s->place = -1;
    s->from[0] = s->from[1] = 0;
    choose_axes(s, l);
    uint64_t at = 0;
    const struct figures *f = s->of == TENSOR_VIEW_BOTH ? measure_figures(&d->c->measure, d->cursor) : NULL;
    if (f && f->side[0].count == l->numel)
        at = f->unlike ? f->unlike_at : f->two && f->max_abs > 0 ? f->max_abs_at : 0;
    element_lens_place(l, at, s->at);
    follow_wish(s, l);
}

enum tensor_reader_state tensor_view_ready(struct workspace *d)
{
    enum tensor_reader_state now = tensor_reader_ready(&d->tensor.reader);
    if (now == TENSOR_READER_OPEN)
        place_cursor(d);
    return now;
}

enum tensor_reader_state tensor_view_state(const struct tensor_view *s)
{
    enum tensor_reader_state now = tensor_reader_ready(&s->reader);
    bool placed = s->placed && tensor_reader_case_same(&s->placed_for, &s->reader.now);
    return now == TENSOR_READER_OPEN && !placed ? TENSOR_READER_OPENING : now;
}

void tensor_view_refresh(struct workspace *d)
{
    struct tensor_view *s = &d->tensor;
    struct tensor_reader_case c;
    if (!s->open)
        return;
    s->of = tensors_at_cursor(d, &c);
    tensor_reader_lock(&s->reader);
    if (s->of == TENSOR_VIEW_BOTH || s->of == TENSOR_VIEW_ALONE)
        tensor_reader_want(&s->reader, &c);
    else
        tensor_reader_want_nothing(&s->reader);
    tensor_view_ready(d);
    tensor_reader_unlock(&s->reader);
}

void tensor_view_go(struct tensor_view *s, uint64_t index)
{
    element_lens_place(&s->reader.lens, index, s->at);
}

enum heat_map_kind tensor_view_kind(const struct tensor_view *s)
{
    const struct element_lens *l = &s->reader.lens;
    if (l->has[0] && l->has[1])
        return s->shown;
    return l->has[0] ? HEAT_MAP_TARGET : HEAT_MAP_GOLDEN;
}

void tensor_view_ask(struct tensor_view *s, int h, int w, struct heat_map_ask *ask)
{
    const struct element_lens *l = &s->reader.lens;
    h = h < 1 ? 1 : h > 256 ? 256 : h;
    w = w < 1 ? 1 : w > HEAT_MAP_CELLS / 256 ? HEAT_MAP_CELLS / 256 : w;
    memset(ask, 0, sizeof *ask);
    memcpy(ask->at, s->at, sizeof ask->at);
    for (int i = 0; i < 2; i++) {
        int64_t n = s->axis[i] >= 0 ? l->shape[s->axis[i]] : 1, at = s->axis[i] >= 0 ? s->at[s->axis[i]] : 0,
                cells = i ? w : h;
        int64_t size = s->single ? 1 : (n + cells - 1) / cells, from = s->from[i];
        for (int z = 0; z < s->magnified && size > 1; z++)
            size = (size + 3) / 4;
        int64_t all = (n + size - 1) / size, cell = at / size, first = from / size;
        if (cell < first)
            first = cell;
        if (cell >= first + cells)
            first = cell - cells + 1;
        if (first > all - cells)
            first = all > cells ? all - cells : 0;
        if (s->axis[i] >= 0)
            ask->at[s->axis[i]] = 0;
        s->size[i] = ask->size[i] = size;
        s->from[i] = ask->from[i] = first * size;
        s->cells[i] = (int)cells;
        ask->count[i] = n - ask->from[i] < cells * size ? n - ask->from[i] : cells * size;
        ask->axis[i] = s->axis[i];
    }
}

/* Operators that read values by index: slices, gathers, embeddings, masks; and sums at repeated indices. */
#include <string.h>

#include "oracle/moves.h"
#include "oracle/operators.h"
#include "oracle/sizes.h"

/* ---- parts ---- */

static void narrow_places(struct call_values *c, struct moves *m)
{
    const struct real_tensor *places = moves_first_input(c, m);
    int axis = places ? call_axis(c, 1, "dim", places->axes, 0) : -1;
    int64_t from = call_whole(c, 2, "start", -1), n = call_whole(c, 3, "length", -1);
    if (axis < 0)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    from += from < 0 ? places->shape[axis] : 0;
    if (from < 0 || n < 0 || from + n > places->shape[axis])
        return call_unknown(c, UNKNOWN_SHAPE);
    moves_add_output(m, moves_cut(c, places, axis, from, n, 1));
}

static void select_places(struct call_values *c, struct moves *m)
{
    const struct real_tensor *places = moves_first_input(c, m);
    int axis = places ? call_axis(c, 1, "dim", places->axes, 0) : -1;
    int64_t at = call_whole(c, 2, "index", 0);
    if (axis < 0)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    at += at < 0 ? places->shape[axis] : 0;
    if (at < 0 || at >= places->shape[axis])
        return call_unknown(c, UNKNOWN_SHAPE);
    moves_add_output(m, moves_cut(c, places, axis, at, 1, 1));
}

/* x[a:b:c] on one axis, with Python's conventions. */
static struct real_tensor sliced_axis(struct call_values *c, const struct real_tensor *t, int axis,
                                      const int64_t *slice)
{
    int64_t n = t->shape[axis], step = slice[2] == SLICE_OPEN ? 1 : slice[2],
            from = slice[0] == SLICE_OPEN ? 0 : slice[0], to = slice[1] == SLICE_OPEN ? n : slice[1];
    if (step < 1) {
        call_unknown(c, UNKNOWN_VARIANT);
        step = 1;
    }
    from += from < 0 ? n : 0;
    to += to < 0 ? n : 0;
    from = from < 0 ? 0 : from > n ? n : from;
    to = to < from ? from : to > n ? n : to;
    return moves_cut(c, t, axis, from, (to - from + step - 1) / step, step);
}

static struct real_tensor without_axis(struct real_tensor t, int axis)
{
    for (int i = axis; i + 1 < t.axes; i++)
        t.shape[i] = t.shape[i + 1];
    t.axes--;
    return t;
}

/* Replaces the axis by those of `index`; false if there are too many. */
static bool unfold_axis(struct real_tensor *t, int axis, const struct real_tensor *index)
{
    struct real_tensor in = *t;
    if (t->axes - 1 + index->axes > REAL_AXES)
        return false;
    for (int i = 0; i < index->axes; i++)
        t->shape[axis + i] = index->shape[i];
    for (int i = axis + 1; i < in.axes; i++)
        t->shape[i - 1 + index->axes] = in.shape[i];
    t->axes = in.axes - 1 + index->axes;
    return true;
}

/* Selects the elements where the mask, over one or more axes from `axis` on, is set. */
static struct real_tensor masked_axis(struct call_values *c, const struct real_tensor *t, int axis,
                                      const struct real_tensor *mask)
{
    int64_t *index = arena_alloc(c->arena, (size_t)(mask->count + 1) * sizeof *index), n = 0;
    bool fits = mask->axes > 0;
    for (int i = 0; i < mask->axes; i++)
        fits = fits && axis + i < t->axes && t->shape[axis + i] == mask->shape[i];
    if (!fits) {
        call_unknown(c, UNKNOWN_SHAPE);
        return *t;
    }
    for (int64_t i = 0; i < mask->count; i++)
        if (mask->v[i] != 0)
            index[n++] = i;
    struct real_tensor flat = moves_merged(*t, axis, mask->axes);
    return moves_chosen(c, &flat, axis, index, n);
}

/* Applies several index tensors to adjacent axes from `axis` on together. */
static struct real_tensor indexed_axes(struct call_values *c, const struct real_tensor *t, int axis,
                                       const struct real_tensor *const *index, int n)
{
    struct real_tensor shape = {.count = 1};
    for (int i = 0; i < n; i++) {
        struct real_tensor so_far = shape;
        if (axis + i >= t->axes || !real_broadcast_shape(&so_far, index[i], &shape)) {
            call_unknown(c, UNKNOWN_SHAPE);
            return *t;
        }
    }
    int64_t *joint = arena_zalloc(c->arena, (size_t)(shape.count + 1) * sizeof *joint);
    for (int i = 0; i < n; i++) {
        struct real_tensor spread = real_broadcast(c, index[i], shape.axes, shape.shape);
        const int64_t *own = moves_indices(c, &spread, t->shape[axis + i]);
        for (int64_t k = 0; own && k < shape.count; k++)
            joint[k] = joint[k] * t->shape[axis + i] + own[k];
    }
    if (c->unknown)
        return *t;
    struct real_tensor flat = moves_merged(*t, axis, n), out = moves_chosen(c, &flat, axis, joint, shape.count);
    if (!c->unknown && !unfold_axis(&out, axis, &shape))
        call_unknown(c, UNKNOWN_VARIANT);
    return out;
}

static int axes_taken(const struct value *item, int n)
{
    int axes = 0;
    for (int i = 0; i < n; i++) {
        bool mask = item[i].kind == VALUE_TENSOR && item[i].tensor.dtype == DTYPE_BOOL;
        axes += mask ? item[i].tensor.axes
                     : item[i].kind == VALUE_NUMBER || item[i].kind == VALUE_SLICE || item[i].kind == VALUE_TENSOR;
    }
    return axes;
}

/* x[item, item …]; index tensors must be adjacent. */
static void index_by(struct call_values *c, struct real_tensor *t, const struct value *item, int n)
{
    int axis = 0, spare = t->axes - axes_taken(item, n), groups = 0;
    if (spare < 0)
        return call_unknown(c, UNKNOWN_SHAPE);
    for (int i = 0; i < n && !c->unknown; i++) {
        const struct real_tensor *index[REAL_AXES];
        int tensors = 0, before;
        if (axis >= t->axes &&
            (item[i].kind == VALUE_NUMBER || item[i].kind == VALUE_SLICE || item[i].kind == VALUE_TENSOR))
            return call_unknown(c, UNKNOWN_SHAPE);
        switch (item[i].kind) {
        case VALUE_NUMBER: {
            int64_t at = whole_number(item[i].number) + (item[i].number < 0 ? t->shape[axis] : 0);
            if (at < 0 || at >= t->shape[axis])
                return call_unknown(c, UNKNOWN_SHAPE);
            *t = without_axis(moves_cut(c, t, axis, at, 1, 1), axis);
            break;
        }
        case VALUE_SLICE:
            *t = sliced_axis(c, t, axis++, item[i].slice);
            break;
        case VALUE_ELLIPSIS:
            axis += spare;
            break;
        case VALUE_NONE:
            if (t->axes == REAL_AXES || axis > t->axes)
                return call_unknown(c, UNKNOWN_VARIANT);
            memmove(t->shape + axis + 1, t->shape + axis, (size_t)(t->axes - axis) * sizeof *t->shape);
            t->shape[axis++] = 1;
            t->axes++;
            break;
        case VALUE_TENSOR:
            if (groups++)
                return call_unknown(c, UNKNOWN_VARIANT);
            if (item[i].tensor.dtype == DTYPE_BOOL) {
                *t = masked_axis(c, t, axis++, &item[i].tensor);
                break;
            }
            while (i + tensors < n && item[i + tensors].kind == VALUE_TENSOR && tensors < REAL_AXES)
                index[tensors] = &item[i + tensors].tensor, tensors++;
            i += tensors - 1;
            before = t->axes;
            *t = indexed_axes(c, t, axis, index, tensors);
            axis += t->axes - before + tensors;
            break;
        default:
            return call_unknown(c, UNKNOWN_VARIANT);
        }
    }
}

static void getitem_places(struct call_values *c, struct moves *m)
{
    struct real_tensor *places = moves_first_input(c, m);
    const struct value *v = c->places > 1 ? &c->place[1] : NULL;
    if (!places || !v)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    struct real_tensor t = *places;
    if (v->kind == VALUE_LIST)
        index_by(c, &t, v->item, v->items);
    else
        index_by(c, &t, v, 1);
    moves_add_output(m, t);
}

/* ---- by indices ---- */

static void index_select_places(struct call_values *c, struct moves *m)
{
    const struct real_tensor *places = moves_first_input(c, m), *index = call_tensor_at(c, 2, "index");
    int axis = places ? call_axis(c, 1, "dim axis", places->axes, 0) : -1;
    if (axis < 0 || !index)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    const int64_t *at = moves_indices(c, index, places->shape[axis]);
    if (at)
        moves_add_output(m, moves_chosen(c, places, axis, at, index->count));
}

/* Rows `index` of an axis, which is replaced by the index's shape: embeddings, MindSpore's gather. */
static void take_rows(struct call_values *c, struct moves *m, const struct real_tensor *table, int axis,
                      const struct real_tensor *index)
{
    const struct real_tensor *places = table && index ? moves_add_input(c, m, table) : NULL;
    if (!places)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    if (axis < 0 || axis >= table->axes)
        return call_unknown(c, UNKNOWN_SHAPE);
    const struct real_tensor *const one[] = {index};
    struct real_tensor out = indexed_axes(c, places, axis, one, 1);
    moves_add_output(m, out);
}

static void embedding_places(struct call_values *c, struct moves *m)
{
    if (call_value(c, 3, "max_norm"))
        return call_unknown(c, UNKNOWN_VARIANT);
    take_rows(c, m, call_tensor_at(c, 1, "weight"), 0, call_tensor_at(c, 0, "input"));
}

/* Output element [i][j] is the one at index[i][j] along the axis. */
static void gather_along(struct call_values *c, struct moves *m, int axis, const struct real_tensor *index)
{
    const struct real_tensor *places = &m->place[0];
    if (axis < 0 || !index || index->axes != places->axes)
        return call_unknown(c, index ? UNKNOWN_SHAPE : UNKNOWN_ARGUMENT);
    struct real_tensor out = real_like(c, index);
    const int64_t *at = moves_indices(c, index, places->shape[axis]);
    for (int64_t i = 0; at && i < index->count; i++) {
        int64_t rest = i, from = 0, step = 1;
        for (int k = places->axes - 1; k >= 0; k--) {
            from += (k == axis ? at[i] : rest % index->shape[k]) * step;
            rest /= index->shape[k];
            step *= places->shape[k];
        }
        if (from >= places->count)
            return call_unknown(c, UNKNOWN_SHAPE);
        out.v[i] = places->v[from];
    }
    moves_add_output(m, out);
}

/* torch: input, dim, index; MindSpore: table, indices, axis. */
static void gather_places(struct call_values *c, struct moves *m)
{
    if (c->mindspore) {
        const struct real_tensor *table = call_tensor_at(c, 0, "input_params input");
        int axis = table ? call_axis(c, 2, "axis", table->axes, 0) : -1;
        return take_rows(c, m, table, axis, call_tensor_at(c, 1, "input_indices"));
    }
    const struct real_tensor *places = moves_first_input(c, m);
    if (places)
        gather_along(c, m, call_axis(c, 1, "dim", places->axes, 0), call_tensor_at(c, 2, "index"));
}

static void take_along_places(struct call_values *c, struct moves *m)
{
    const struct real_tensor *places = moves_first_input(c, m);
    bool dim_second = c->operator[0] == 'g'; /* gather_elements, gatherd: x, dim, index */
    if (places)
        gather_along(c, m, call_axis(c, dim_second ? 1 : 2, "dim axis", places->axes, 0),
                     call_tensor_at(c, dim_second ? 2 : 1, "indices index"));
}

static void masked_select_places(struct call_values *c, struct moves *m)
{
    const struct real_tensor *places = moves_first_input(c, m), *mask = call_tensor_at(c, 1, "mask");
    if (!places || !mask)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    struct real_tensor spread = real_broadcast(c, mask, places->axes, places->shape);
    if (!spread.v)
        return call_unknown(c, UNKNOWN_SHAPE);
    moves_add_output(m, masked_axis(c, places, 0, &spread));
}

static void one_hot(struct call_values *c)
{
    const struct real_tensor *x = call_tensor_at(c, 0, "input tensor indices");
    const struct real_tensor *to = &c->result[0];
    if (!x || !c->results || !x->count || to->count % x->count != 0)
        return call_unknown(c, x ? UNKNOWN_SHAPE : UNKNOWN_ARGUMENT);
    if (call_value(c, 2, "on_value") && call_number(c, 2, "on_value", 1) != 1)
        return call_unknown(c, UNKNOWN_VARIANT);
    int64_t classes = to->count / x->count;
    if (c->mindspore && to->axes > 1 && (to->shape[to->axes - 1] != classes || to->shape[0] == classes))
        return call_unknown(c, UNKNOWN_ARGUMENT); /* the primitive stores the axis */
    struct real_tensor y = real_like(c, to);
    for (int64_t i = 0; i < x->count; i++)
        if (x->v[i] >= 0 && x->v[i] < (double)classes)
            y.v[i * classes + (int64_t)x->v[i]] = 1;
    candidate_moved(c, 0, &y, "1 at the index, else 0");
}

/* ---- gradients that are sums of rows ---- */

/* Sums rows of the incoming gradient that belong to the same embedding row; a padding row may get none. */
static void rows_backward(struct call_values *c, places_function *places, int64_t padding)
{
    struct moves *m = arena_zalloc(c->arena, sizeof *m);
    struct real_tensor g;
    int64_t *place;
    places(c, m);
    if (!c->unknown && !moves_gradients(c, m, false, &g, &place))
        call_unknown(c, UNKNOWN_SHAPE);
    if (c->unknown)
        return;
    const struct real_tensor *table = m->in[0];
    double *terms = real_array(c, table->count);
    struct room r = room_for(c, ANY_OUTPUT, table, "rows of g summed");
    for (int64_t i = 0; i < g.count; i++) {
        r.y[place[i]] += g.v[i];
        r.roundings[place[i]] += fabs(g.v[i]);
        terms[place[i]]++;
    }
    for (int64_t i = 0; i < table->count; i++)
        r.roundings[i] *= terms[i] > 1 ? fmin(terms[i], 8) : 0;
    if (padding < 0 || padding >= table->shape[0])
        return;
    struct room left = room_for(c, ANY_OUTPUT, table, "rows of g summed, padding left out");
    int64_t row = table->count / table->shape[0];
    for (int64_t i = 0; i < table->count; i++) {
        left.y[i] = i / row == padding ? 0 : r.y[i];
        left.roundings[i] = r.roundings[i];
    }
}

static void embedding_backward(struct call_values *c)
{
    const struct real_tensor *table = call_tensor_at(c, 1, "weight");
    double padding = call_number(c, 2, "padding_idx", NAN);
    if (call_number(c, 5, "scale_grad_by_freq", 0) != 0)
        return call_unknown(c, UNKNOWN_VARIANT);
    if (padding < 0 && table)
        padding += (double)table->shape[0];
    rows_backward(c, embedding_places, padding >= 0 ? whole_number(padding) : -1);
}

static void gather_backward(struct call_values *c)
{
    rows_backward(c, gather_places, -1);
}

/* ---- sums into places ---- */

/* index_add: input, dim, index, source, alpha. */
static void index_add(struct call_values *c)
{
    const struct real_tensor *x = call_tensor_at(c, 0, "input"), *index = call_tensor_at(c, 2, "index"),
                             *source = call_tensor_at(c, 3, "source");
    int axis = x ? call_axis(c, 1, "dim", x->axes, 0) : -1;
    int64_t outer, n, inner;
    double alpha = call_number(c, 4, "alpha", 1);
    if (axis < 0 || !index || !source)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    real_around(x, axis, &outer, &n, &inner);
    const int64_t *at = moves_indices(c, index, n);
    if (!at || source->count != outer * index->count * inner)
        return call_unknown(c, UNKNOWN_SHAPE);
    struct room r = room_for(c, 0, x, "x plus source at the index");
    memcpy(r.y, x->v, (size_t)x->count * sizeof *r.y);
    for (int64_t i = 0; i < source->count; i++) {
        int64_t to = (i / inner / index->count * n + at[i / inner % index->count]) * inner + i % inner;
        r.y[to] += alpha * source->v[i];
        r.roundings[to] += fabs(r.y[to]) + (alpha != 1 ? fabs(alpha * source->v[i]) : 0);
    }
}

/* For x the incoming gradient; for the source its rows at the index. */
static void index_add_backward(struct call_values *c)
{
    const struct real_tensor *x = call_tensor_at(c, 0, "input"), *index = call_tensor_at(c, 2, "index");
    int axis = x ? call_axis(c, 1, "dim", x->axes, 0) : -1;
    if (axis < 0 || !index || call_number(c, 4, "alpha", 1) != 1)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    struct real_tensor g = gradient_as(c, x);
    const int64_t *at = moves_indices(c, index, x->shape[axis]);
    if (!g.v || !at)
        return;
    struct real_tensor rows = moves_chosen(c, &g, axis, at, index->count);
    candidate_moved(c, ANY_OUTPUT, &g, "g");
    candidate_moved(c, ANY_OUTPUT, &rows, "g at the index");
}

/* ---- tables ---- */

MOVE_FORWARD(narrow, "a part of x")
MOVE_BACKWARD(narrow)
MOVE_FORWARD(select, "a part of x")
MOVE_BACKWARD(select)
MOVE_FORWARD(getitem, "a part of x")
MOVE_BACKWARD(getitem)
MOVE_FORWARD(index_select, "x[i]")
MOVE_BACKWARD(index_select)
MOVE_FORWARD(embedding, "W[i]")
MOVE_FORWARD(gather, "x[i]")
MOVE_FORWARD(take_along, "x[i]")
MOVE_BACKWARD(take_along)
MOVE_FORWARD(masked_select, "x where masked")
MOVE_BACKWARD(masked_select)

/* An embedding module: one parameter, indices as input. */
static void embedding_module(struct call_values *c)
{
    struct moves *m = arena_zalloc(c->arena, sizeof *m);
    const struct real_tensor *index = call_nth_tensor(c, 0);
    if (!index || call_nth_tensor(c, 1) || c->parameters != 1 || c->parameter[0].value.kind != VALUE_TENSOR)
        return call_unknown(c, UNKNOWN_CLASS);
    if (dtype_is_float(index->dtype))
        return call_unknown(c, UNKNOWN_CLASS);
    take_rows(c, m, &c->parameter[0].value.tensor, 0, index);
    if (c->unknown)
        return;
    struct real_tensor y = real_like(c, &m->out[0]);
    for (int64_t i = 0; i < y.count; i++)
        y.v[i] = m->in[0]->v[(int64_t)m->out[0].v[i]];
    candidate_moved(c, 0, &y, "W[i]");
}

const struct operator operators_index[] = {
    MOVE_ROW("narrow", narrow, "torch.narrow"),
    MOVE_ROW("select_view selectview", select, "torch.select"),
    MOVE_ROW("getitem __getitem__", getitem, "torch.Tensor.__getitem__"),
    MOVE_ROW("index_select indexselect", index_select, "torch.index_select"),
    {.names = "embedding embeddingext",
     .forward = embedding_forward,
     .backward = embedding_backward,
     .source = "torch.nn.functional.embedding",
     .misfit = misfit_embedding},
    {.names = "gather",
     .forward = gather_forward,
     .backward = gather_backward,
     .source = "torch.gather; mindspore.ops.gather",
     .misfit = misfit_gather},
    MOVE_ROW("take_along_dim gather_elements gatherd", take_along, "torch.take_along_dim"),
    MOVE_ROW("masked_select maskedselect", masked_select, "torch.masked_select"),
    {.names = "one_hot onehot onehotext", .move = true, .forward = one_hot, .source = "torch.nn.functional.one_hot"},
    {.names = "index_add index_add_ inplaceindexadd",
     .forward = index_add,
     .backward = index_add_backward,
     .source = "torch.index_add",
     .misfit = misfit_alike},
    {.names = NULL},
};

const struct operator operators_index_class[] = {
    {.names = "*embedding*", .forward = embedding_module, .source = "torch.nn.Embedding"},
    {.names = NULL},
};

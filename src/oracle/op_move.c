/* Operators that only move values: casts, views, transpositions, concatenation, splitting, padding. */
#include <string.h>

#include "oracle/moves.h"
#include "oracle/operators.h"
#include "oracle/sizes.h"
#include "oracle/windows.h"

/* ---- the same values in the same order ---- */

static void same_places(struct call_values *c, struct moves *m)
{
    const struct real_tensor *places = moves_first_input(c, m);
    if (strcmp(c->operator, "view") == 0 && c->places > 1 && c->place[1].kind == VALUE_DTYPE)
        return call_unknown(c, UNKNOWN_VARIANT); /* reinterprets the bits as another type */
    if (places)
        moves_add_output(m, *places);
}

/* A cast or copy that changes nothing returns the very tensor that went in: what is recorded may be the gradient of the
 * call that made that. */
static void same_backward(struct call_values *c)
{
    moves_backward(c, same_places);
    const struct real_tensor *x = call_nth_tensor(c, 0), *y = &c->result[0];
    bool unchanged = !c->unknown && c->outputs == 1 && x && x->dtype == y->dtype && x->axes == y->axes &&
                     memcmp(x->shape, y->shape, (size_t)x->axes * sizeof *x->shape) == 0;
    if (!unchanged)
        return;
    struct real_tensor g = gradient_as(c, x);
    if (g.v && gradient_is_handed_on(c, &g))
        call_unknown(c, UNKNOWN_HANDED_ON);
}

/* A module that returns its input. */
static void handed_on_places(struct call_values *c, struct moves *m)
{
    const struct real_tensor *places = moves_add_input(c, m, call_nth_tensor(c, 0));
    if (places)
        moves_add_output(m, *places);
}

/* ---- orders of axes ---- */

static void permute_places(struct call_values *c, struct moves *m)
{
    const struct real_tensor *places = moves_first_input(c, m);
    int64_t list[REAL_AXES];
    int order[REAL_AXES], n = places ? call_integers(c, 1, "dims dim perm input_perm axis axes", list, REAL_AXES) : 0;
    if (!places)
        return;
    if (n == 1 && c->places > 2)
        for (n = 0; n < places->axes && n + 1 < c->places; n++)
            list[n] = call_whole(c, n + 1, "", 0);
    if (n != places->axes)
        return call_unknown(c, UNKNOWN_SHAPE);
    for (int i = 0, seen = 0; i < n; i++) {
        order[i] = (int)(list[i] < 0 ? list[i] + n : list[i]);
        if (order[i] < 0 || order[i] >= n || seen >> order[i] & 1)
            return call_unknown(c, UNKNOWN_SHAPE);
        seen |= 1 << order[i];
    }
    moves_add_output(m, real_permuted(c, places, order));
}

static void exchange_axes(struct call_values *c, struct moves *m, const struct real_tensor *places, int a, int b)
{
    int order[REAL_AXES];
    if (a < 0 || b < 0)
        return call_unknown(c, UNKNOWN_SHAPE);
    for (int i = 0; i < places->axes; i++)
        order[i] = i == a ? b : i == b ? a : i;
    moves_add_output(m, real_permuted(c, places, order));
}

/* Two axes, or an order of all of them; no argument: reversed. */
static void transpose_places(struct call_values *c, struct moves *m)
{
    if (call_orders_axes(c))
        return permute_places(c, m);
    const struct real_tensor *places = moves_first_input(c, m);
    if (!places)
        return;
    if (!call_value(c, 1, "dim0 axis0")) {
        int order[REAL_AXES];
        for (int i = 0; i < places->axes; i++)
            order[i] = places->axes - 1 - i;
        return moves_add_output(m, real_permuted(c, places, order));
    }
    exchange_axes(c, m, places, call_axis(c, 1, "dim0 axis0", places->axes, -1),
                  call_axis(c, 2, "dim1 axis1", places->axes, -1));
}

static void last_two_places(struct call_values *c, struct moves *m)
{
    const struct real_tensor *places = moves_first_input(c, m);
    if (places && places->axes < 2)
        moves_add_output(m, *places);
    else if (places)
        exchange_axes(c, m, places, places->axes - 2, places->axes - 1);
}

static void movedim_places(struct call_values *c, struct moves *m)
{
    const struct real_tensor *places = moves_first_input(c, m);
    if (!places)
        return;
    int from = call_axis(c, 1, "source", places->axes, 0), to = call_axis(c, 2, "destination", places->axes, 0),
        order[REAL_AXES];
    if (from < 0 || to < 0)
        return call_unknown(c, UNKNOWN_VARIANT);
    for (int i = 0, next = 0; i < places->axes; i++) {
        next += next == from;
        order[i] = i == to ? from : next++;
    }
    moves_add_output(m, real_permuted(c, places, order));
}

/* ---- broadcast and repeat ---- */

/* The recorded shape of the output resolves -1 and missing axes. */
static void expand_places(struct call_values *c, struct moves *m)
{
    const struct real_tensor *places = moves_first_input(c, m), *to = &c->result[0];
    if (!places)
        return;
    struct real_tensor out = real_broadcast(c, places, to->axes, to->shape);
    if (!out.v)
        return call_unknown(c, UNKNOWN_SHAPE);
    moves_add_output(m, out);
}

/* Repeats a tensor of `shape` along each axis. */
static void repeat_places(struct call_values *c, struct moves *m)
{
    const struct real_tensor *places = moves_first_input(c, m), *to = &c->result[0];
    if (!places)
        return;
    int lead = to->axes - places->axes;
    if (lead < 0 || (to->count && !places->count))
        return call_unknown(c, UNKNOWN_SHAPE);
    struct real_tensor out = real_like(c, to);
    for (int64_t i = 0; i < to->count; i++) {
        int64_t rest = i, at = 0, step = 1;
        for (int axis = to->axes - 1; axis >= lead; axis--) {
            int64_t n = places->shape[axis - lead];
            at += rest % to->shape[axis] % n * step;
            rest /= to->shape[axis];
            step *= n;
        }
        out.v[i] = places->v[at];
    }
    moves_add_output(m, out);
}

static void repeat_interleave_places(struct call_values *c, struct moves *m)
{
    struct real_tensor *places = moves_first_input(c, m);
    int64_t times[2], outer, n, inner;
    if (!places || call_integers(c, 1, "repeats", times, 1) != 1)
        return call_unknown(c, UNKNOWN_VARIANT);
    if (!call_value(c, 2, "dim axis")) {
        places->axes = 1;
        places->shape[0] = places->count;
    }
    int axis = call_axis(c, 2, "dim axis", places->axes, 0);
    if (axis < 0 || times[0] < 1)
        return call_unknown(c, UNKNOWN_SHAPE);
    real_around(places, axis, &outer, &n, &inner);
    if (times[0] > c->result[0].count || n * times[0] * outer * inner != c->result[0].count)
        return call_unknown(c, UNKNOWN_SHAPE);
    int64_t *index = arena_alloc(c->arena, (size_t)(n * times[0] + 1) * sizeof *index);
    for (int64_t i = 0; i < n * times[0]; i++)
        index[i] = i / times[0];
    moves_add_output(m, moves_chosen(c, places, axis, index, n * times[0]));
}

/* ---- concatenation and splitting ---- */

/* The axis of a concatenation; if MindSpore's primitive stores it: the first along which the recorded result is
 * longer. */
static int joined_axis(const struct call_values *c, const struct moves *m)
{
    const struct real_tensor *first = m->in[0], *y = &c->result[0];
    if (!c->mindspore || call_value(c, -1, "dim axis") || (c->places > 1 && c->place[1].kind != VALUE_TENSOR))
        return call_axis(c, 1, "dim axis", first->axes, 0);
    for (int axis = 0; axis < first->axes && y->axes == first->axes; axis++)
        if (y->shape[axis] > first->shape[axis])
            return axis;
    return first->axes && y->count == first->count ? 0 : -1;
}

/* Whether a primitive of MindSpore stores the axis, so that it may differ from the default. */
static bool keeps_axis(const struct call_values *c, int place)
{
    return c->mindspore && !call_value(c, place, "dim axis");
}

static void cat_places(struct call_values *c, struct moves *m)
{
    const struct real_tensor *t;
    struct real_tensor out;
    int64_t at = 0;
    for (int i = 0; (t = call_nth_tensor(c, i)); i++)
        if (t->count && !moves_add_input(c, m, t))
            return;
    if (!m->ins)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    int axis = joined_axis(c, m);
    if (axis < 0)
        return call_unknown(c, UNKNOWN_SHAPE);
    int64_t together = 0, outer0, n0, inner0;
    out = m->place[0];
    out.shape[axis] = 0;
    for (int i = 0; i < m->ins; i++) {
        if (m->in[i]->axes != out.axes)
            return call_unknown(c, UNKNOWN_SHAPE);
        out.shape[axis] += m->in[i]->shape[axis];
        together += m->in[i]->count;
    }
    real_around(&out, axis, &outer0, &n0, &inner0);
    if ((double)outer0 * (double)n0 * (double)inner0 != (double)together)
        return call_unknown(c, UNKNOWN_SHAPE);
    out = real_new(c, out.axes, out.shape);
    for (int i = 0; i < m->ins; i++) {
        int64_t outer, n, inner;
        real_around(m->in[i], axis, &outer, &n, &inner);
        if (outer != outer0 || inner != inner0)
            return call_unknown(c, UNKNOWN_SHAPE);
        for (int64_t o = 0; o < outer; o++)
            memcpy(out.v + (o * out.shape[axis] + at) * inner, m->place[i].v + o * n * inner,
                   (size_t)(n * inner) * sizeof *out.v);
        at += n;
    }
    moves_add_output(m, out);
}

/* The new axis; if MindSpore's primitive stores it, the only one of the output at which its size and the other sizes
 * fit; otherwise -1. */
static int stacked_axis(const struct call_values *c, const struct moves *m)
{
    const struct value *given = call_value(c, 1, "dim axis");
    const struct real_tensor *x = m->in[0], *y = &c->result[0];
    int found = -1;
    if (!c->mindspore || (given && given->kind == VALUE_NUMBER))
        return call_axis(c, 1, "dim axis", x->axes + 1, 0);
    for (int axis = 0; axis <= x->axes && y->axes == x->axes + 1; axis++) {
        bool fits = y->shape[axis] == m->ins;
        for (int i = 0; i < x->axes; i++)
            fits = fits && x->shape[i] == y->shape[i + (i >= axis)];
        if (fits && found >= 0)
            return -1;
        found = fits ? axis : found;
    }
    return found;
}

static void stack_places(struct call_values *c, struct moves *m)
{
    const struct real_tensor *t;
    for (int i = 0; (t = call_nth_tensor(c, i)); i++)
        if (!moves_add_input(c, m, t))
            return;
    if (!m->ins)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    int axis = stacked_axis(c, m);
    if (axis < 0 || m->in[0]->axes == REAL_AXES)
        return call_unknown(c, axis < 0 ? UNKNOWN_ARGUMENT : UNKNOWN_SHAPE);
    int64_t shape[REAL_AXES], inner = 1;
    for (int i = 0, k = 0; i <= m->in[0]->axes; i++)
        shape[i] = i == axis ? m->ins : m->in[0]->shape[k++];
    for (int i = axis; i < m->in[0]->axes; i++)
        inner *= m->in[0]->shape[i];
    struct real_tensor out = real_new(c, m->in[0]->axes + 1, shape);
    for (int k = 0; k < m->ins; k++) {
        if (m->in[k]->count != m->in[0]->count)
            return call_unknown(c, UNKNOWN_SHAPE);
        for (int64_t i = 0; i < m->in[k]->count; i++)
            out.v[(i / inner * m->ins + k) * inner + i % inner] = m->place[k].v[i];
    }
    moves_add_output(m, out);
}

/* The axis along which x is split; if MindSpore's primitive stores it, the only one with as many elements as there
 * are parts. */
static int parted_axis(const struct call_values *c, const struct real_tensor *x, int place, bool drops_axis)
{
    int found = -1;
    if (!drops_axis || !keeps_axis(c, place))
        return call_axis(c, place, "dim axis", x->axes, 0);
    for (int axis = 0; axis < x->axes; axis++)
        if (x->shape[axis] == c->results)
            found = found < 0 ? axis : x->axes;
    return found < x->axes ? found : -1;
}

/* Splits along the axis into parts of the recorded outputs' lengths: split, chunk, unstack, unbind. */
static void parts_along(struct call_values *c, struct moves *m, int place, bool drops_axis)
{
    const struct real_tensor *places = moves_first_input(c, m);
    int axis = places ? parted_axis(c, places, place, drops_axis) : -1;
    int64_t at = 0;
    if (axis < 0)
        return call_unknown(c, places ? UNKNOWN_SHAPE : UNKNOWN_ARGUMENT);
    for (int k = 0; k < c->results; k++) {
        int64_t n = drops_axis ? 1 : axis < c->result[k].axes ? c->result[k].shape[axis] : 0;
        if (n < 1 || at + n > places->shape[axis])
            return call_unknown(c, UNKNOWN_SHAPE);
        moves_add_output(m, moves_cut(c, places, axis, at, n, 1));
        at += n;
    }
}

static void split_places(struct call_values *c, struct moves *m)
{
    parts_along(c, m, 2, false);
}

static void unbind_places(struct call_values *c, struct moves *m)
{
    parts_along(c, m, 1, true);
}

/* ---- order along an axis ---- */

static void flip_places(struct call_values *c, struct moves *m)
{
    struct real_tensor *places = moves_first_input(c, m);
    int axes = places ? call_axes(c, 1, "dims axis dim", places->axes) : -1;
    if (axes < 0)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    struct real_tensor out = *places;
    for (int axis = 0; axis < out.axes; axis++) {
        int64_t n = out.shape[axis], *index = arena_alloc(c->arena, (size_t)(n + 1) * sizeof *index);
        for (int64_t i = 0; i < n; i++)
            index[i] = n - 1 - i;
        if (axes >> axis & 1)
            out = moves_chosen(c, &out, axis, index, n);
    }
    moves_add_output(m, out);
}

static void roll_places(struct call_values *c, struct moves *m)
{
    struct real_tensor *places = moves_first_input(c, m);
    int64_t shift[REAL_AXES], dim[REAL_AXES];
    int n = call_integers(c, 1, "shifts", shift, REAL_AXES), dims = call_integers(c, 2, "dims", dim, REAL_AXES);
    if (!places || n < 1 || (dims && dims != n))
        return call_unknown(c, UNKNOWN_ARGUMENT);
    struct real_tensor out = dims ? *places : moves_merged(*places, 0, places->axes);
    for (int k = 0; k < n; k++) {
        int axis = (int)(dims ? dim[k] + (dim[k] < 0 ? out.axes : 0) : 0);
        if (axis < 0 || axis >= out.axes)
            return call_unknown(c, UNKNOWN_SHAPE);
        int64_t size = out.shape[axis], *index = arena_alloc(c->arena, (size_t)(size + 1) * sizeof *index);
        for (int64_t i = 0; i < size; i++)
            index[i] = ((i - shift[k]) % size + size) % size;
        out = moves_chosen(c, &out, axis, index, size);
    }
    moves_add_output(m, out);
}

/* ---- filled ---- */

static void keep_triangle(struct call_values *c, struct moves *m, bool lower)
{
    struct real_tensor *places = moves_first_input(c, m);
    if (!places || places->axes < 2)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    int64_t columns = places->shape[places->axes - 1], rows = places->shape[places->axes - 2];
    int64_t diagonal = call_whole(c, 1, "diagonal", 0);
    struct real_tensor out = real_like(c, places);
    for (int64_t i = 0; i < out.count; i++) {
        int64_t off = i % columns - i / columns % rows - diagonal;
        out.v[i] = (lower ? off <= 0 : off >= 0) ? places->v[i] : MOVES_NOWHERE;
    }
    moves_add_output(m, out);
}

static void tril_places(struct call_values *c, struct moves *m)
{
    keep_triangle(c, m, true);
}

static void triu_places(struct call_values *c, struct moves *m)
{
    keep_triangle(c, m, false);
}

/* The axis with `before` and `behind` more elements (fewer if negative). */
static struct real_tensor padded_axis(struct call_values *c, const struct real_tensor *t, int axis, int64_t before,
                                      int64_t behind, enum margin mode)
{
    int64_t outer, n, inner;
    real_around(t, axis, &outer, &n, &inner);
    struct real_tensor out = *t;
    out.shape[axis] = n + before + behind;
    if (out.shape[axis] < 0 || real_is_too_large(c, (double)outer * (double)out.shape[axis] * (double)inner) ||
        (mode != MARGIN_CONSTANT && n < 1) || (mode == MARGIN_REFLECT && (before >= n || behind >= n))) {
        call_unknown(c, UNKNOWN_SHAPE);
        return *t;
    }
    out.count = outer * out.shape[axis] * inner;
    out.v = real_array(c, out.count);
    for (int64_t i = 0; i < out.count; i++) {
        int64_t at = margin_source(i / inner % out.shape[axis] - before, n, mode);
        out.v[i] = at < 0 ? MOVES_NOWHERE : t->v[(i / inner / out.shape[axis] * n + at) * inner + i % inner];
    }
    return out;
}

/* Pairs (before, behind), the last axis first. */
static void pad_places(struct call_values *c, struct moves *m)
{
    static const char *const modes[] = {"constant", "reflect", "replicate", "circular"};
    struct real_tensor *places = moves_first_input(c, m);
    int64_t by[2 * REAL_AXES];
    int n = call_integers(c, 1, "pad padding", by, 2 * REAL_AXES);
    const char *text = call_text(c, 2, "mode");
    int mode = 0;
    while (text && mode < MARGINS && strcmp(text, modes[mode]) != 0)
        mode++;
    if (!places || n < 2 || n % 2 || n / 2 > places->axes || mode == MARGINS)
        return call_unknown(c, n ? UNKNOWN_VARIANT : UNKNOWN_ARGUMENT);
    struct real_tensor out = *places;
    for (int k = 0; k < n / 2 && !c->unknown; k++)
        out = padded_axis(c, &out, out.axes - 1 - k, by[2 * k], by[2 * k + 1], (enum margin)mode);
    m->fill = call_number(c, 3, "value", 0);
    moves_add_output(m, out);
}

/* ---- tables ---- */

MOVE_FORWARD(same, "the same values")
MOVE_FORWARD(handed_on, "the same values")
MOVE_FORWARD(permute, "axes in another order")
MOVE_BACKWARD(permute)
MOVE_FORWARD(transpose, "axes in another order")
MOVE_BACKWARD(transpose)
MOVE_FORWARD(last_two, "the last two axes exchanged")
MOVE_BACKWARD(last_two)
MOVE_FORWARD(movedim, "axes in another order")
MOVE_BACKWARD(movedim)
MOVE_FORWARD(expand, "spread over axes")
MOVE_BACKWARD(expand)
MOVE_FORWARD(repeat, "repeated")
MOVE_BACKWARD(repeat)
MOVE_FORWARD(repeat_interleave, "each repeated")
MOVE_BACKWARD(repeat_interleave)
MOVE_FORWARD(cat, "one behind the other")
MOVE_BACKWARD(cat)
MOVE_FORWARD(stack, "one behind the other")
MOVE_BACKWARD(stack)
MOVE_FORWARD(split, "parts of x")
MOVE_BACKWARD(split)
MOVE_FORWARD(unbind, "parts of x")
MOVE_BACKWARD(unbind)
MOVE_FORWARD(flip, "the other way round")
MOVE_BACKWARD(flip)
MOVE_FORWARD(roll, "shifted")
MOVE_BACKWARD(roll)
MOVE_FORWARD(tril, "x below the diagonal, else 0")
MOVE_BACKWARD(tril)
MOVE_FORWARD(triu, "x above the diagonal, else 0")
MOVE_BACKWARD(triu)
MOVE_FORWARD(pad, "x with a margin")
MOVE_BACKWARD(pad)

const struct operator operators_move[] = {
    MOVE_ROW_OF("reshape view reshapeext reshapeview", same, misfit_reshape, "torch.Tensor.reshape"),
    MOVE_ROW_OF("squeeze unsqueeze expanddims expand_dims expanddimsview", same, misfit_unsqueeze, "torch.unsqueeze"),
    MOVE_ROW_OF("contiguous clone cast to float half bfloat16 double type_as type identity detach stopgradient "
        "stop_gradient astype npu_dtype_cast castext int long bool", same, misfit_cast, "torch.Tensor.to"),
    MOVE_ROW("flatten ravel view_as reshape_as unflatten flattenext", same, "torch.flatten"),
    MOVE_ROW_OF("permute", permute, misfit_permute, "torch.permute"),
    MOVE_ROW_OF("transpose swapaxes swapdims transposeext transposeextview", transpose, misfit_transpose,
        "torch.transpose; mindspore.ops.transpose"),
    MOVE_ROW_OF("t mt", last_two, misfit_last_two, "torch.t"),
    MOVE_ROW("movedim moveaxis", movedim, "torch.movedim"),
    MOVE_ROW_OF("expand expand_as broadcast_to broadcastto", expand, misfit_expand, "torch.Tensor.expand"),
    MOVE_ROW_OF("repeat tile", repeat, misfit_repeat, "torch.Tensor.repeat"),
    MOVE_ROW("repeat_interleave", repeat_interleave, "torch.repeat_interleave"),
    MOVE_ROW_OF("cat concat concatenate concatv2", cat, misfit_cat, "torch.cat"),
    MOVE_ROW_OF("stack stackext", stack, misfit_stack, "torch.stack"),
    MOVE_ROW_OF("split chunk splittensor splitwithsize", split, misfit_split, "torch.split"),
    MOVE_ROW("unbind unstack", unbind, "torch.unbind; mindspore.ops.unstack"),
    MOVE_ROW_OF("flip reversev2", flip, misfit_alike, "torch.flip"),
    MOVE_ROW_OF("roll", roll, misfit_alike, "torch.roll"),
    MOVE_ROW_OF("tril trilext", tril, misfit_alike, "torch.tril"),
    MOVE_ROW_OF("triu", triu, misfit_alike, "torch.triu"),
    MOVE_ROW("pad constantpadnd", pad, "torch.nn.functional.pad"),
    {.names = NULL},
};

const struct operator operators_move_class[] = {
    {.names = "identity flatten", .move = true, .forward = handed_on_forward, .source = "torch.nn.Identity"},
    {.names = NULL},
};

/* Sizes of results. */
#include "oracle/sizes.h"

#include <string.h>

/* A shape without values. */
struct extent {
    int axes;
    int64_t n[2 * REAL_AXES];
};

static struct extent extent_of(const struct real_tensor *t)
{
    struct extent x = {.axes = t->axes};
    memcpy(x.n, t->shape, (size_t)t->axes * sizeof *t->shape);
    return x;
}

static void add_axis(struct extent *x, int64_t n)
{
    if (x->axes < 2 * REAL_AXES)
        x->n[x->axes++] = n;
}

static bool same_extent(const struct extent *a, const struct extent *b)
{
    return a->axes == b->axes && memcmp(a->n, b->n, (size_t)a->axes * sizeof *a->n) == 0;
}

/* Whether the first result has other sizes. */
static bool is_other(const struct call_values *c, const struct extent *x)
{
    struct extent y = extent_of(&c->result[0]);
    return !same_extent(&y, x);
}

static const struct real_tensor *first_of(const struct call_values *c)
{
    return call_tensor_at(c, 0, "input x self input_x tensor");
}

/* A size or an axis was written as a number with a fraction. */
static bool is_no_whole(const struct value *v)
{
    bool any = v && v->kind == VALUE_NUMBER && v->fraction;
    for (int i = 0; v && v->kind == VALUE_LIST && i < v->items && !any; i++)
        any = is_no_whole(&v->item[i]);
    return any;
}

/* Whether an axis was given that the tensor does not have. */
static bool is_no_axis(const struct call_values *c, int place, const char *words, const struct real_tensor *x)
{
    const struct value *v = call_value(c, place, words);
    return v && v->kind == VALUE_NUMBER && (v->fraction || call_axis(c, place, words, x->axes ? x->axes : 1, 0) < 0);
}

/* ---- as what goes in ---- */

bool misfit_alike(const struct call_values *c)
{
    const struct real_tensor *x = first_of(c);
    struct extent e = x ? extent_of(x) : (struct extent){0};
    return x && is_other(c, &e);
}

bool misfit_along(const struct call_values *c)
{
    const struct real_tensor *x = first_of(c);
    return misfit_alike(c) || (x && is_no_axis(c, 1, "dim axis", x));
}

bool misfit_normed(const struct call_values *c)
{
    const struct real_tensor *x = first_of(c);
    const struct value *named = call_value(c, 1, "normalized_shape");
    int64_t n[REAL_AXES];
    int axes = named && named->kind == VALUE_LIST ? call_integers(c, 1, "normalized_shape", n, REAL_AXES) : 0;
    if (misfit_alike(c) || (x && axes > x->axes))
        return true;
    for (int i = 0; x && i < axes; i++)
        if (n[i] != x->shape[x->axes - axes + i])
            return true;
    return false;
}

/* The type among the arguments of a cast, DTYPE_UNKNOWN: none or one that has no name here. */
static enum dtype asked_type(const struct call_values *c)
{
    for (int i = 1; i < c->places; i++)
        if (c->place[i].kind == VALUE_DTYPE)
            return c->place[i].dtype;
    const struct value *named = call_value(c, -1, "dtype");
    return named && named->kind == VALUE_DTYPE ? named->dtype : DTYPE_UNKNOWN;
}

bool misfit_cast(const struct call_values *c)
{
    enum dtype asked = asked_type(c);
    return misfit_alike(c) || (asked != DTYPE_UNKNOWN && asked != c->result[0].dtype);
}

bool misfit_broadcast(const struct call_values *c)
{
    struct real_tensor all = {.count = 1}, more;
    const struct real_tensor *t;
    for (int i = 0; (t = call_nth_tensor(c, i)); i++) {
        if (!real_broadcast_shape(&all, t, &more))
            return all.count * (double)t->count < REAL_ELEMENTS_MOST;
        all = more;
    }
    struct extent e = extent_of(&all);
    return is_other(c, &e);
}

bool misfit_choice(const struct call_values *c)
{
    return call_nth_tensor(c, 1) && misfit_broadcast(c); /* of a condition alone the places are returned */
}

/* ---- the same elements in other axes ---- */

/* Sizes or axes that are given as a list, or as numbers from that place on. */
static int whole_numbers(const struct call_values *c, int place, const char *words, int64_t out[REAL_AXES])
{
    int n = call_integers(c, place, words, out, REAL_AXES);
    if (n != 1 || c->places <= place + 1)
        return n;
    for (n = 0; n < REAL_AXES && place + n < c->places; n++)
        if (call_integers(c, place + n, "", &out[n], 1) != 1)
            return -1;
    return n;
}

bool misfit_reshape(const struct call_values *c)
{
    static const char *const words = "shape size dims";
    const struct real_tensor *x = first_of(c), *y = &c->result[0];
    const struct value *given = call_value(c, 1, words);
    int64_t n[REAL_AXES];
    if (!x || (given && given->kind == VALUE_DTYPE))
        return false;
    int axes = whole_numbers(c, 1, words, n);
    if (x->count != y->count || is_no_whole(given) || (axes > 0 && axes != y->axes))
        return true;
    for (int i = 0; i < axes; i++)
        if (n[i] != -1 && n[i] != y->shape[i])
            return true;
    return false;
}

static struct extent without_ones(const struct real_tensor *t)
{
    struct extent x = {0};
    for (int i = 0; i < t->axes; i++)
        if (t->shape[i] != 1)
            add_axis(&x, t->shape[i]);
    return x;
}

bool misfit_unsqueeze(const struct call_values *c)
{
    const struct real_tensor *x = first_of(c);
    if (!x)
        return false;
    struct extent in = without_ones(x), out = without_ones(&c->result[0]);
    return !same_extent(&in, &out);
}

/* Whether the result does not have the axes of x in that order, or it is no order of all of them. */
static bool is_other_order(const struct call_values *c, const struct real_tensor *x, const int64_t *order, int n)
{
    struct extent e = {0};
    int seen = 0;
    if (n != x->axes)
        return true;
    for (int i = 0; i < n; i++) {
        int64_t from = order[i] < 0 ? order[i] + n : order[i];
        if (from < 0 || from >= n || seen >> from & 1)
            return true;
        seen |= 1 << from;
        add_axis(&e, x->shape[from]);
    }
    return is_other(c, &e);
}

bool misfit_permute(const struct call_values *c)
{
    static const char *const words = "dims dim perm input_perm axis axes";
    const struct real_tensor *x = first_of(c);
    int64_t order[REAL_AXES];
    int n = x ? whole_numbers(c, 1, words, order) : 0;
    return n > 0 && (is_no_whole(call_value(c, 1, words)) || is_other_order(c, x, order, n));
}

/* The axes a and b exchanged. */
static bool is_not_exchanged(const struct call_values *c, const struct real_tensor *x, int a, int b)
{
    int64_t order[REAL_AXES];
    if (a < 0 || b < 0)
        return true;
    for (int i = 0; i < x->axes; i++)
        order[i] = i == a ? b : i == b ? a : i;
    return is_other_order(c, x, order, x->axes);
}

bool misfit_transpose(const struct call_values *c)
{
    const struct real_tensor *x = first_of(c);
    if (call_orders_axes(c))
        return misfit_permute(c);
    const struct value *first = call_value(c, 1, "dim0 axis0"), *second = call_value(c, 2, "dim1 axis1");
    if (!x || !first || !second || !x->axes)
        return false;
    return is_no_whole(first) || is_no_whole(second) ||
           is_not_exchanged(c, x, call_axis(c, 1, "dim0 axis0", x->axes, -1),
                            call_axis(c, 2, "dim1 axis1", x->axes, -1));
}

bool misfit_last_two(const struct call_values *c)
{
    const struct real_tensor *x = first_of(c);
    return x && (x->axes < 2 ? misfit_alike(c) : is_not_exchanged(c, x, x->axes - 2, x->axes - 1));
}

/* ---- repeated, joined, divided ---- */

bool misfit_expand(const struct call_values *c)
{
    static const char *const words = "size sizes shape";
    const struct real_tensor *x = first_of(c), *y = &c->result[0], *like = call_tensor_at(c, 1, "other");
    struct real_tensor both;
    int64_t n[REAL_AXES];
    if (!x)
        return false;
    struct extent e = like ? extent_of(like) : extent_of(y);
    if (is_other(c, &e) || !real_broadcast_shape(x, y, &both))
        return true;
    e = extent_of(&both);
    int axes = like ? 0 : whole_numbers(c, 1, words, n);
    if (is_other(c, &e) || is_no_whole(call_value(c, 1, words)) || (axes > 0 && axes != y->axes))
        return true;
    for (int i = 0; i < axes; i++)
        if (n[i] != -1 && n[i] != y->shape[i])
            return true;
    return false;
}

bool misfit_repeat(const struct call_values *c)
{
    const struct real_tensor *x = first_of(c);
    int64_t times[REAL_AXES];
    int n = x ? whole_numbers(c, 1, "repeats sizes multiples dims input_multiples", times) : 0;
    if (n < 1)
        return false;
    struct extent e = {.axes = n > x->axes ? n : x->axes};
    for (int i = 0; i < e.axes; i++) {
        int own = i - (e.axes - x->axes), by = i - (e.axes - n);
        e.n[i] = (own >= 0 ? x->shape[own] : 1) * (by >= 0 ? times[by] : 1);
    }
    return is_other(c, &e);
}

/* Whether the result is all tensors one behind the other along the axis. */
static bool joins(const struct call_values *c, int axis)
{
    const struct real_tensor *first = call_nth_tensor(c, 0), *t;
    struct extent e = extent_of(first);
    e.n[axis] = 0;
    for (int i = 0; (t = call_nth_tensor(c, i)); i++) {
        for (int k = 0; k < first->axes; k++)
            if (t->axes != first->axes || (k != axis && t->shape[k] != first->shape[k]))
                return false;
        e.n[axis] += t->shape[axis];
    }
    return !is_other(c, &e);
}

/* Of MindSpore's primitives, which keep it, any axis that fits. */
bool misfit_cat(const struct call_values *c)
{
    const struct real_tensor *first = call_nth_tensor(c, 0), *t;
    for (int i = 0; (t = call_nth_tensor(c, i)); i++)
        if (!t->count) /* PyTorch leaves out what is empty */
            return false;
    const struct value *given = call_value(c, 1, "dim axis");
    if (!first || !first->axes)
        return false;
    if (given && given->kind == VALUE_NUMBER)
        return is_no_axis(c, 1, "dim axis", first) || !joins(c, call_axis(c, 1, "dim axis", first->axes, 0));
    if (!c->mindspore)
        return !joins(c, 0);
    for (int axis = 0; axis < first->axes; axis++)
        if (joins(c, axis))
            return false;
    return true;
}

bool misfit_stack(const struct call_values *c)
{
    const struct real_tensor *first = call_nth_tensor(c, 0), *y = &c->result[0], *t;
    const struct value *given = call_value(c, 1, "dim axis");
    int n = 0;
    if (!first)
        return false;
    for (; (t = call_nth_tensor(c, n)); n++)
        if (t->axes != first->axes || memcmp(t->shape, first->shape, (size_t)t->axes * sizeof *t->shape) != 0)
            return true;
    int from = 0, to = first->axes;
    if (!c->mindspore || (given && given->kind == VALUE_NUMBER))
        from = to = call_axis(c, 1, "dim axis", first->axes + 1, 0);
    for (int axis = from; axis >= 0 && axis <= to && y->axes == first->axes + 1; axis++) {
        struct extent e = {0};
        for (int i = 0; i <= first->axes; i++)
            add_axis(&e, i == axis ? n : first->shape[i - (i > axis)]);
        if (!is_other(c, &e))
            return false;
    }
    return true;
}

bool misfit_split(const struct call_values *c)
{
    const struct real_tensor *x = first_of(c);
    int axis = x && x->axes ? call_axis(c, 2, "dim axis", x->axes, 0) : -1;
    int64_t together = 0;
    if (!x || !x->axes || (c->mindspore && !call_value(c, 2, "dim axis")))
        return false;
    for (int k = 0; k < c->results && axis >= 0; k++) {
        const struct real_tensor *part = &c->result[k];
        for (int i = 0; i < x->axes; i++)
            if (part->axes != x->axes || (i != axis && part->shape[i] != x->shape[i]))
                return true;
        together += part->shape[axis];
    }
    return axis < 0 || together != x->shape[axis];
}

/* ---- summed ---- */

bool misfit_reduce(const struct call_values *c)
{
    static const char *const axes_words = "dim axis", *const kept_words = "keepdim keep_dims keepdims";
    const struct real_tensor *x = first_of(c);
    const struct value *given = call_value(c, 1, axes_words), *kept = call_value(c, 2, kept_words);
    if (!x || (given && given->kind != VALUE_NUMBER && given->kind != VALUE_LIST))
        return false;
    int over = call_axes(c, 1, axes_words, x->axes);
    struct extent e[2] = {{0}, {0}};
    for (int i = 0; i < x->axes && over >= 0; i++) {
        if (!(over >> i & 1))
            add_axis(&e[0], x->shape[i]);
        add_axis(&e[1], over >> i & 1 ? 1 : x->shape[i]);
    }
    if (over < 0 || is_no_whole(given))
        return true;
    if (kept && kept->kind == VALUE_BOOL)
        return is_other(c, &e[kept->number != 0]);
    /* a primitive of MindSpore keeps it */
    return is_other(c, &e[0]) && (!c->mindspore || is_other(c, &e[1]));
}

/* ---- products ---- */

bool misfit_linear(const struct call_values *c)
{
    const struct real_tensor *x = first_of(c), *w = call_tensor_at(c, 1, "weight");
    if (!x || !w || w->axes != 2 || !x->axes)
        return false;
    struct extent e = extent_of(x);
    e.n[e.axes - 1] = w->shape[0];
    return x->shape[x->axes - 1] != w->shape[1] || is_other(c, &e);
}

/* a b over the last two axes, either of them transposed. */
static bool multiplies(const struct call_values *c, const struct real_tensor *a, bool ta, const struct real_tensor *b,
                       bool tb)
{
    struct real_tensor la = *a, lb = *b, lead;
    la.axes -= 2;
    lb.axes -= 2;
    if (a->shape[a->axes - (ta ? 2 : 1)] != b->shape[b->axes - (tb ? 1 : 2)] || !real_broadcast_shape(&la, &lb, &lead))
        return false;
    struct extent e = extent_of(&lead);
    add_axis(&e, a->shape[a->axes - (ta ? 1 : 2)]);
    add_axis(&e, b->shape[b->axes - (tb ? 2 : 1)]);
    return !is_other(c, &e);
}

/* MindSpore's primitives keep which operand they transpose. */
bool misfit_matmul(const struct call_values *c)
{
    const struct real_tensor *a = call_tensor_at(c, 0, "input x self x1"),
                             *b = call_tensor_at(c, 1, "other mat2 tensor2 x2 vec");
    if (!a || !b || a->axes < 2 || b->axes < 2 || strcmp(c->operator, "inner") == 0)
        return false;
    for (int turns = 0; turns < (c->mindspore ? 4 : 1); turns++)
        if (multiplies(c, a, turns & 2, b, turns & 1))
            return false;
    return true;
}

/* Queries [..., L, E], keys [..., S, E], values [..., S, V] or another order of axes, which the output has as well. */
bool misfit_attention(const struct call_values *c)
{
    const struct real_tensor *q = call_tensor_at(c, 0, "query"), *k = call_tensor_at(c, 1, "key"),
                             *v = call_tensor_at(c, 2, "value");
    if (!q || !k || !v || q->axes < 2 || k->axes < 2 || v->axes < 2)
        return false;
    struct extent e = extent_of(q);
    e.n[e.axes - 1] = v->shape[v->axes - 1];
    return q->shape[q->axes - 1] != k->shape[k->axes - 1] || k->shape[k->axes - 2] != v->shape[v->axes - 2] ||
           is_other(c, &e);
}

/* ---- rows of a table ---- */

/* The table's axes before `axis`, the index's, those behind it. */
static bool is_other_choice(const struct call_values *c, const struct real_tensor *table, int axis,
                            const struct real_tensor *index)
{
    struct extent e = {0};
    for (int i = 0; i < axis; i++)
        add_axis(&e, table->shape[i]);
    for (int i = 0; i < index->axes; i++)
        add_axis(&e, index->shape[i]);
    for (int i = axis + 1; i < table->axes; i++)
        add_axis(&e, table->shape[i]);
    return is_other(c, &e);
}

bool misfit_embedding(const struct call_values *c)
{
    const struct real_tensor *index = call_tensor_at(c, 0, "input"), *table = call_tensor_at(c, 1, "weight");
    if (index && dtype_is_float(index->dtype)) /* torch.embedding: the table first */
        return false;
    return index && table && table->axes == 2 && is_other_choice(c, table, 0, index);
}

bool misfit_gather(const struct call_values *c)
{
    const struct real_tensor *table = call_tensor_at(c, 0, "input_params input"),
                             *index = call_tensor_at(c, c->mindspore ? 1 : 2, "input_indices index");
    if (!table || !index || !table->axes || (c->mindspore && (c->places > 3 || !call_value(c, 2, "axis"))))
        return false;
    struct extent e = extent_of(index);
    if (!c->mindspore)
        return is_other(c, &e) || is_no_axis(c, 1, "dim", table);
    return is_no_axis(c, 2, "axis", table) || is_other_choice(c, table, call_axis(c, 2, "axis", table->axes, 0), index);
}

/* Finds cut recordings by the sizes of products (of linear layers: weight [n, k], input [..., k], output [..., n]) and
 * of calls that return all elements that they are given. */
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

/* A product's two operands and its output. A matmul takes its second operand as [k, n] or [n, k], others as [n, k], but
 * for layers that keep their weight transposed (MindFormers' Linear, transformers' Conv1D). */
struct product_shapes {
    const struct shape *x, *w, *y;
    bool matmul;
};

/* The weight of a linear layer: an operand of the function, a parameter of the plain module. Modules of other classes
 * may keep a part or another form of it. */
static const struct shape *linear_weight(const struct dump *d, uint32_t call, bool *matmul)
{
    const struct call *c = &d->calls.v[call];
    *matmul = false;
    if (c->phase != PHASE_FORWARD || c->family != FAMILY_LINEAR)
        return NULL;
    struct str name = dump_call_name(d, call);
    if (c->kind == CALL_MODULE)
        return str_search(name, ".Linear.") >= 0 ? shape_in(d, call, IO_PARAMETER, 0) : NULL;
    *matmul = c->kind == CALL_API && str_ihas(name, "matmul");
    return *matmul || (c->kind == CALL_API && str_search(name, "linear") >= 0) ? shape_in(d, call, IO_INPUT, 1) : NULL;
}

/* Whether the call is a product whose axes are those of one. */
static bool linear_shapes(const struct dump *d, uint32_t call, struct product_shapes *p)
{
    const struct shape *w = p->w = linear_weight(d, call, &p->matmul);
    if (!w)
        return false;
    const struct shape *x = p->x = shape_in(d, call, IO_INPUT, 0), *y = p->y = shape_in(d, call, IO_OUTPUT, 0);
    bool operands = x && y && (w->ndim == 2 || (w->ndim == x->ndim && w->ndim > 2 && p->matmul));
    /* shapes are kept once: three equal ones are no layer that was cut; those of a product would be square */
    return operands && x->ndim && x->ndim == y->ndim && !(w == y && w == x && !p->matmul);
}

static int64_t size_from_last(const struct shape *s, int back)
{
    return s->ndim > back ? s->dim[s->ndim - 1 - back] : -1;
}

/* How many of two sums fit: over the input's last axis, into the output's. `turned`: the second operand is [k, n]. */
static int sizes_that_fit(const struct product_shapes *p, bool turned)
{
    return (size_from_last(p->w, turned) == size_from_last(p->x, 0)) +
           (size_from_last(p->w, !turned) == size_from_last(p->y, 0));
}

/* Whether the second operand is [k, n]: that of a matmul, unless [n, k] fits better. */
static bool is_turned(const struct product_shapes *p)
{
    return p->matmul && sizes_that_fit(p, true) >= sizes_that_fit(p, false);
}

/* Whether the shapes are those of a product; a matmul may take its first operand transposed, too. */
static bool product_fits(const struct product_shapes *p)
{
    if (sizes_that_fit(p, false) == 2 || sizes_that_fit(p, true) == 2)
        return true;
    int64_t k = size_from_last(p->x, 1), n = size_from_last(p->y, 0), w[2] = {size_from_last(p->w, 0),
                                                                              size_from_last(p->w, 1)};
    return p->matmul && size_from_last(p->x, 0) == size_from_last(p->y, 1) &&
           ((w[0] == k && w[1] == n) || (w[1] == k && w[0] == n));
}

/* Whether it returns all elements that it is given. */
static bool moves_all(const struct dump *d, uint32_t call)
{
    static const char *const names[] = {".view.", ".reshape.", ".flatten.", ".permute.", ".transpose.", ".contiguous."};
    const struct call *c = &d->calls.v[call];
    if (c->kind != CALL_API || c->phase != PHASE_FORWARD || !family_hands_on((enum family)c->family))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_search(dump_call_name(d, call), names[i]) >= 0)
            return true;
    return false;
}

static enum shapes_fit moved_elements_fit(const struct dump *d, uint32_t call)
{
    if (!moves_all(d, call))
        return SHAPES_UNKNOWN;
    const struct shape *x = shape_in(d, call, IO_INPUT, 0), *y = shape_in(d, call, IO_OUTPUT, 0);
    if (!x || !y)
        return SHAPES_UNKNOWN;
    return x->numel == y->numel ? SHAPES_FIT : SHAPES_CONTRADICT;
}

enum shapes_fit cut_tensors_call(const struct dump *d, uint32_t call)
{
    struct product_shapes p;
    if (!linear_shapes(d, call, &p))
        return moved_elements_fit(d, call);
    return product_fits(&p) ? SHAPES_FIT : SHAPES_CONTRADICT;
}

/* Of two axes that should be equal, the shorter one was cut. */
static void add_shorter(struct dump *d, const struct shape *a, int i, const struct shape *b, int k)
{
    bool second = b->dim[k] < a->dim[i];
    const struct shape *part = second ? b : a;
    int axis = second ? k : i;
    int64_t out = (second ? a->dim[i] : b->dim[k]) - part->dim[axis];
    struct cut_axis x = {axis, part->ndim - axis, part->dim[axis], out};
    if (out && d->cut_axes.n < CUT_AXES && !cut_tensors_axis(d->cut_axes.v, d->cut_axes.n, part, axis, out))
        vec_push(&d->cut_axes, x);
}

bool cut_tensors_axis(const struct cut_axis *x, size_t n, const struct shape *part, int axis, int64_t out)
{
    for (size_t k = 0; k < n; k++) {
        bool ended = part->dim[axis] < x[k].n && out <= x[k].out; /* the axis ends before the part does */
        if ((part->dim[axis] == x[k].n || ended) && (x[k].first == axis || x[k].last == part->ndim - axis))
            return true;
    }
    return false;
}

bool cut_tensors_takes(const struct dump *d, uint32_t call)
{
    EACH_EARLY_ROW(d, call, r) {
        const struct shape *s = d->cut_axes.n && d->rows.v[r].kind == ROW_TENSOR ? dump_row_shape(d, r) : NULL;
        for (int i = 0; s && i < s->ndim; i++)
            if (cut_tensors_axis(d->cut_axes.v, d->cut_axes.n, s, i, INT64_MAX))
                return true;
    }
    return d->tensors_cut;
}

void cut_tensors_find(struct dump *d)
{
    uint32_t calls = 0, odd = 0, alike = 0, first = NONE, views = 0, odd_views = 0, view = NONE;
    int64_t whole = 0, part = 0; /* the sizes of an axis of the first that does not fit */
    for (uint32_t c = 0; c < d->calls.n; c++) {
        struct product_shapes p;
        if (!linear_shapes(d, c, &p)) {
            enum shapes_fit fit = moved_elements_fit(d, c);
            views += fit != SHAPES_UNKNOWN;
            if (fit == SHAPES_CONTRADICT && !odd_views++)
                view = c;
            continue;
        }
        const struct shape *x = p.x, *w = p.w, *y = p.y;
        calls++;
        if (product_fits(&p))
            continue;
        int into = w->ndim - 2 + is_turned(&p), over = w->ndim - 1 - is_turned(&p);
        add_shorter(d, w, into, y, y->ndim - 1);
        add_shorter(d, w, over, x, x->ndim - 1);
        bool rows = w->dim[into] != y->dim[y->ndim - 1];
        int64_t a = rows ? w->dim[into] : w->dim[over], b = rows ? y->dim[y->ndim - 1] : x->dim[x->ndim - 1];
        if (!odd++) {
            first = c;
            whole = a > b ? a : b;
            part = a > b ? b : a;
        }
        alike += (a == whole && b == part) || (a == part && b == whole);
    }
    /* all of one size may be cut to another, and others left as they are */
    bool products = odd >= CALLS_LEAST && (2 * odd >= calls || alike == odd);
    d->tensors_cut = products || (odd_views >= CALLS_LEAST && 2 * odd_views >= views);
    if (!d->tensors_cut)
        return;
    struct buf w = {0}, y = {0};
    bool matmul;
    shape_text(products ? linear_weight(d, first, &matmul) : shape_in(d, view, IO_INPUT, 0), &w);
    shape_text(shape_in(d, products ? first : view, IO_OUTPUT, 0), &y);
    dump_warn(d, arena_fmt(&d->arena,
                           products ? _("tensors were cut before they were recorded (slice or request_id of msprobe): "
                                        "%s has a weight of %s and an output of %s; sums over a cut axis cannot be "
                                        "recomputed, and only the common part is compared with a whole recording")
                                    : _("tensors were cut before they were recorded (slice or request_id of msprobe): "
                                        "%s has an input of %s and an output of %s; sums over a cut axis cannot be "
                                        "recomputed, and only the common part is compared with a whole recording"),
                           d->calls.v[products ? first : view].name, w.p, y.p));
    buf_release(&w);
    buf_release(&y);
}

bool cut_tensors_part(const struct dump *const d[2], const uint32_t row[2], int *side)
{
    const struct shape *s[2] = {dump_row_shape(d[0], row[0]), dump_row_shape(d[1], row[1])};
    if (!s[0] || !s[1] || s[0]->ndim != s[1]->ndim || s[0]->numel == s[1]->numel)
        return false;
    *side = s[0]->numel < s[1]->numel ? 0 : 1;
    for (int i = 0; i < s[0]->ndim; i++)
        if (s[*side]->dim[i] > s[!*side]->dim[i])
            return false;
    return s[*side]->numel > 0;
}

bool cut_tensors_fit(const struct dump *const d[2], const uint32_t row[2], int *side)
{
    return cut_tensors_part(d, row, side) && d[*side]->tensors_cut;
}

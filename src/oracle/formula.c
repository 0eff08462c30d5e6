/* Arguments, candidates, tensors and products for formulas. */
#include "oracle/formula.h"

#include <string.h>

#include "base/msg.h"
#include "base/str.h"
#include "oracle/product_tile.h"

static const char *const reasons[UNKNOWN_COUNT] = {
    [UNKNOWN_NOT] = "",
    [UNKNOWN_OPERATOR] = N_("no formula for this operator"),
    [UNKNOWN_CLASS] = N_("no formula for this class"),
    [UNKNOWN_UNEXPLAINED_CLASS] = N_("no public formula for this class"),
    [UNKNOWN_TENSOR] = N_("a tensor is not recorded or not readable"),
    [UNKNOWN_LARGE] = N_("too many elements"),
    [UNKNOWN_BUDGET] = N_("beyond the budget"),
    [UNKNOWN_NAN] = N_("NaN in the inputs"),
    [UNKNOWN_GRADIENT] = N_("NaN or Inf in the incoming gradient"),
    [UNKNOWN_NO_GRADIENT] = N_("no incoming gradient recorded"),
    [UNKNOWN_FORWARD] = N_("the forward call is not recorded"),
    [UNKNOWN_IN_PLACE] = N_("in place: the recorded input is already the output"),
    [UNKNOWN_COMPOSITE] = N_("composite: the recorded gradients belong to its last node"),
    [UNKNOWN_ARGUMENT] = N_("an argument is not recorded"),
    [UNKNOWN_VARIANT] = N_("no formula for this variant"),
    [UNKNOWN_RANDOM] = N_("random values"),
    [UNKNOWN_COLLECTIVE] = N_("contains a collective"),
    [UNKNOWN_SHAPE] = N_("sizes do not fit the formula"),
    [UNKNOWN_HANDED_ON] = N_("it hands its input on: the recorded gradient may be that of the call that made it"),
    [UNKNOWN_CUT] = N_("tensors were cut before they were recorded"),
};

const char *unknown_text(enum unknown u)
{
    return reasons[u];
}

/* ---- arguments ---- */

static const struct value *find_named(const struct named_value *v, int n, const char *words)
{
    for (int i = 0; i < n; i++)
        if (str_is_word_of(str_of(v[i].name), str_of(words)))
            return &v[i].value;
    return NULL;
}

static const struct value *given_value(const struct call_values *c, int place, const char *words)
{
    const struct value *v = find_named(c->keyword, c->keywords, words);
    if (!v && place >= 0 && place < c->places)
        v = &c->place[place];
    return v && v->kind != VALUE_NONE ? v : NULL;
}

const struct value *call_value(const struct call_values *c, int place, const char *words)
{
    const struct value *v = given_value(c, place, words);
    if (!v && c->default_taken)
        *c->default_taken = true;
    return v;
}

bool call_orders_axes(const struct call_values *c)
{
    const struct value *v = call_value(c, 1, "dims perm input_perm axes");
    return (v && v->kind != VALUE_NUMBER) || c->places > 3;
}

static const struct real_tensor *tensor_of(const struct value *v)
{
    return v && v->kind == VALUE_TENSOR ? &v->tensor : NULL;
}

const struct real_tensor *call_tensor_at(const struct call_values *c, int place, const char *words)
{
    return tensor_of(given_value(c, place, words));
}

const struct real_tensor *call_parameter(const struct call_values *c, const char *words)
{
    return tensor_of(find_named(c->parameter, c->parameters, words));
}

static bool number_of(const struct value *v, double *out)
{
    if (v->kind == VALUE_NUMBER || v->kind == VALUE_BOOL)
        return *out = v->number, true;
    if (v->kind == VALUE_TENSOR && v->tensor.count == 1 && v->tensor.v)
        return *out = v->tensor.v[0], true;
    return false;
}

double call_number(const struct call_values *c, int place, const char *words, double left_out)
{
    const struct value *v = call_value(c, place, words);
    double out;
    return v && number_of(v, &out) ? out : left_out;
}

int64_t whole_number(double x)
{
    return isnan(x) ? 0 : (int64_t)fmax(-(double)WHOLE_MOST, fmin((double)WHOLE_MOST, x));
}

int64_t call_whole(const struct call_values *c, int place, const char *words, int64_t left_out)
{
    return whole_number(call_number(c, place, words, (double)left_out));
}

const char *call_text(const struct call_values *c, int place, const char *words)
{
    const struct value *v = call_value(c, place, words);
    return v && v->kind == VALUE_TEXT ? v->text : NULL;
}

int call_integers(const struct call_values *c, int place, const char *words, int64_t *out, int most)
{
    const struct value *v = call_value(c, place, words);
    double x;
    if (!v)
        return 0;
    if (v->kind == VALUE_TENSOR && v->tensor.axes) {
        if (!v->tensor.v || v->tensor.count > most)
            return -1;
        for (int64_t i = 0; i < v->tensor.count; i++)
            out[i] = whole_number(v->tensor.v[i]);
        return (int)v->tensor.count;
    }
    if (v->kind != VALUE_LIST)
        return most > 0 && number_of(v, &x) ? (out[0] = whole_number(x), 1) : -1;
    if (v->items > most)
        return -1;
    for (int i = 0; i < v->items; i++) {
        if (!number_of(&v->item[i], &x))
            return -1;
        out[i] = whole_number(x);
    }
    return v->items;
}

int call_axes(const struct call_values *c, int place, const char *words, int axes)
{
    int64_t list[REAL_AXES];
    int n = call_integers(c, place, words, list, REAL_AXES), mask = 0;
    if (n < 0)
        return -1;
    for (int i = 0; i < n; i++) {
        int64_t axis = list[i] < 0 ? list[i] + axes : list[i];
        if (axis < 0 || axis >= (axes ? axes : 1))
            return -1;
        mask |= axes ? 1 << axis : 0;
    }
    return n ? mask : (1 << axes) - 1;
}

int call_axis(const struct call_values *c, int place, const char *words, int axes, int left_out)
{
    double x = call_number(c, place, words, left_out);
    if (x < 0)
        x += axes;
    return x >= 0 && x < axes ? (int)x : -1;
}

static const struct real_tensor *nth_tensor(const struct value *v, int *nth)
{
    if (v->kind == VALUE_TENSOR && (*nth)-- == 0)
        return &v->tensor;
    const struct real_tensor *found = NULL;
    for (int i = 0; v->kind == VALUE_LIST && i < v->items && !found; i++)
        found = nth_tensor(&v->item[i], nth);
    return found;
}

const struct real_tensor *call_nth_tensor(const struct call_values *c, int nth)
{
    const struct real_tensor *found = NULL;
    for (int i = 0; i < c->places && !found; i++)
        found = nth_tensor(&c->place[i], &nth);
    for (int i = 0; i < c->keywords && !found; i++)
        found = nth_tensor(&c->keyword[i].value, &nth);
    return found;
}

static void visit_value(struct value *v, tensor_visit *visit, void *ctx)
{
    if (v->kind == VALUE_TENSOR)
        visit(ctx, &v->tensor, v->row);
    for (int i = 0; v->kind == VALUE_LIST && i < v->items; i++)
        visit_value(&v->item[i], visit, ctx);
}

void call_each_tensor(struct call_values *c, tensor_visit *visit, void *ctx)
{
    for (int i = 0; i < c->places; i++)
        visit_value(&c->place[i], visit, ctx);
    for (int i = 0; i < c->keywords; i++)
        visit_value(&c->keyword[i].value, visit, ctx);
    for (int i = 0; i < c->parameters; i++)
        visit_value(&c->parameter[i].value, visit, ctx);
}

void call_fitted(struct call_values *c, double *v, int64_t n)
{
    struct fits *f = c->fits;
    if (!f || n <= 0)
        return;
    if (f->held) {
        if (f->at + n <= f->n)
            memcpy(v, f->v + f->at, (size_t)n * sizeof *v);
        f->at += n;
        return;
    }
    double *more = arena_alloc(c->arena, (size_t)(f->n + n) * sizeof *more);
    if (f->n)
        memcpy(more, f->v, (size_t)f->n * sizeof *more);
    memcpy(more + f->n, v, (size_t)n * sizeof *v);
    f->v = more;
    f->n += n;
}

/* ---- candidates ---- */

struct candidate *candidate_add(struct call_values *c, int output, const char *fmt, ...)
{
    if ((c->candidates & (c->candidates - 1)) == 0) { /* the array is full at powers of two */
        struct candidate *more = arena_alloc(c->arena, (size_t)(c->candidates ? 2 * c->candidates : 1) * sizeof *more);
        if (c->candidates)
            memcpy(more, c->candidate, (size_t)c->candidates * sizeof *more);
        c->candidate = more;
    }
    struct candidate *p = &c->candidate[c->candidates++];
    va_list ap;
    va_start(ap, fmt);
    *p = (struct candidate){.output = output, .formula = arena_vfmt(c->arena, fmt, ap)};
    va_end(ap);
    return p;
}

void call_unknown(struct call_values *c, enum unknown why)
{
    if (c->unknown == UNKNOWN_NOT)
        c->unknown = why;
}

/* ---- tensors ---- */

double *real_array(struct call_values *c, int64_t n)
{
    return arena_zalloc(c->arena, (size_t)(n ? n : 1) * sizeof(double));
}

struct real_tensor real_new(struct call_values *c, int axes, const int64_t *shape)
{
    struct real_tensor t = {.axes = axes, .count = 1, .dtype = DTYPE_F64};
    for (int i = 0; i < axes; i++)
        t.count *= t.shape[i] = shape[i];
    t.v = real_array(c, t.count);
    return t;
}

struct real_tensor real_like(struct call_values *c, const struct real_tensor *t)
{
    return real_new(c, t->axes, t->shape);
}

void real_around(const struct real_tensor *t, int axis, int64_t *outer, int64_t *n, int64_t *inner)
{
    *outer = *inner = 1;
    for (int i = 0; i < axis; i++)
        *outer *= t->shape[i];
    for (int i = axis + 1; i < t->axes; i++)
        *inner *= t->shape[i];
    *n = t->axes ? t->shape[axis] : 1;
}

bool real_is_too_large(struct call_values *c, double elements)
{
    bool large = elements > REAL_ELEMENTS_MOST;
    if (large)
        call_unknown(c, UNKNOWN_LARGE);
    return large;
}

bool real_broadcast_shape(const struct real_tensor *a, const struct real_tensor *b, struct real_tensor *out)
{
    double extent = 1;
    *out = (struct real_tensor){.axes = a->axes > b->axes ? a->axes : b->axes, .count = 1, .dtype = DTYPE_F64};
    for (int i = out->axes - 1, ia = a->axes - 1, ib = b->axes - 1; i >= 0; i--, ia--, ib--) {
        int64_t na = ia >= 0 ? a->shape[ia] : 1, nb = ib >= 0 ? b->shape[ib] : 1;
        int64_t n = na == 1 ? nb : na;
        extent *= (double)(n ? n : 1);
        if ((na != nb && na != 1 && nb != 1) || extent > REAL_ELEMENTS_MOST)
            return false;
        out->count *= out->shape[i] = n;
    }
    return true;
}

/* Strides of t along the axes of a shape to which it is broadcast; false if it does not broadcast. */
static bool spread_steps(const struct real_tensor *t, int axes, const int64_t *shape, int64_t step[REAL_AXES])
{
    int64_t at = 1;
    if (t->axes > axes)
        return false;
    for (int i = axes - 1, it = t->axes - 1; i >= 0; i--, it--) {
        int64_t n = it >= 0 ? t->shape[it] : 1;
        if (n != 1 && n != shape[i])
            return false;
        step[i] = n == 1 ? 0 : at;
        at *= n;
    }
    return true;
}

/* A walk through a shape in row-major order with an offset by `step` along each axis. */
struct step_walk {
    int axes;
    const int64_t *shape, *step;
    int64_t index[REAL_AXES], at;
};

static void step_next(struct step_walk *w)
{
    for (int i = w->axes - 1; i >= 0; i--) {
        w->at += w->step[i];
        if (++w->index[i] < w->shape[i])
            return;
        w->at -= w->step[i] * w->shape[i];
        w->index[i] = 0;
    }
}

static int64_t count_of(int axes, const int64_t *shape)
{
    int64_t count = 1;
    for (int i = 0; i < axes; i++)
        count *= shape[i];
    return count;
}

/* Copies elements in the order of `shape` from strided places. */
static void gather_steps(double *out, const double *v, int axes, const int64_t *shape, const int64_t *step)
{
    struct step_walk w = {.axes = axes, .shape = shape, .step = step};
    int64_t count = count_of(axes, shape);
    for (int64_t n = 0; n < count; n++, step_next(&w))
        out[n] = v[w.at];
}

int64_t *real_places(struct call_values *c, const struct real_tensor *t, int axes, const int64_t *shape)
{
    int64_t step[REAL_AXES], count = count_of(axes, shape);
    struct step_walk w = {.axes = axes, .shape = shape, .step = step};
    if (!spread_steps(t, axes, shape, step))
        return NULL;
    int64_t *out = arena_alloc(c->arena, (size_t)(count ? count : 1) * sizeof *out);
    for (int64_t n = 0; n < count; n++, step_next(&w))
        out[n] = w.at;
    return out;
}

static bool same_shape(const struct real_tensor *t, int axes, const int64_t *shape)
{
    return t->axes == axes && (!axes || memcmp(t->shape, shape, (size_t)axes * sizeof *shape) == 0);
}

struct real_tensor real_broadcast(struct call_values *c, const struct real_tensor *t, int axes, const int64_t *shape)
{
    int64_t step[REAL_AXES];
    if (same_shape(t, axes, shape))
        return *t;
    if (!spread_steps(t, axes, shape, step))
        return (struct real_tensor){0};
    struct real_tensor out = real_new(c, axes, shape);
    out.dtype = t->dtype;
    gather_steps(out.v, t->v, axes, shape, step);
    return out;
}

struct real_tensor real_permuted(struct call_values *c, const struct real_tensor *t, const int *order)
{
    int64_t shape[REAL_AXES], step[REAL_AXES], own[REAL_AXES], at = 1;
    for (int i = t->axes - 1; i >= 0; i--) {
        own[i] = at;
        at *= t->shape[i];
    }
    for (int i = 0; i < t->axes; i++) {
        shape[i] = t->shape[order[i]];
        step[i] = own[order[i]];
    }
    struct real_tensor out = real_new(c, t->axes, shape);
    out.dtype = t->dtype;
    gather_steps(out.v, t->v, t->axes, shape, step);
    return out;
}

/* ---- products ---- */

struct product *product_new(struct call_values *c)
{
    return arena_zalloc(c->arena, sizeof(struct product));
}

/* The last two axes of a tensor as a matrix; a vector is a row (first operand) or a column. */
static void last_two(const struct real_tensor *t, bool first, bool turned, int64_t *rows, int64_t *columns,
    struct matrix *m)
{
    *m = (struct matrix){.v = t->v};
    if (t->axes < 2) {
        *rows = first ? 1 : t->count;
        *columns = first ? t->count : 1;
        m->row_step = first ? t->count : 1;
        m->column_step = 1;
        return;
    }
    int64_t r = t->shape[t->axes - 2], k = t->shape[t->axes - 1];
    *rows = turned ? k : r;
    *columns = turned ? r : k;
    m->row_step = turned ? 1 : k;
    m->column_step = turned ? k : 1;
}

/* Offset of each batch of a tensor whose leading axes are broadcast to those of the product. */
static int64_t *batch_places(struct call_values *c, const struct real_tensor *t, const struct real_tensor *lead)
{
    struct real_tensor own = {.axes = t->axes > 2 ? t->axes - 2 : 0};
    memcpy(own.shape, t->shape, sizeof own.shape);
    int64_t matrix = t->axes > 1 ? t->shape[t->axes - 1] * t->shape[t->axes - 2] : t->count;
    int64_t *out = real_places(c, &own, lead->axes, lead->shape);
    for (int64_t n = 0; n < lead->count; n++)
        out[n] *= matrix;
    return out;
}

/* The number of elements of its result, or of the columns packed together, whichever is larger. */
static double product_size(const struct product *p)
{
    return fmax((double)p->batches * (double)p->rows * (double)p->columns, (double)p->terms * TILE_COLUMNS);
}

struct candidate *product_matmul(struct call_values *c, int output, const struct real_tensor *a, bool ta,
    const struct real_tensor *b, bool tb, const char *formula)
{
    struct product p = {0};
    int64_t terms;
    if (!a->axes || !b->axes)
        return NULL;
    last_two(a, true, ta, &p.rows, &p.terms, &p.a);
    last_two(b, false, tb, &terms, &p.columns, &p.b);
    struct real_tensor la = {.axes = a->axes > 2 ? a->axes - 2 : 0}, lb = {.axes = b->axes > 2 ? b->axes - 2 : 0}, lead;
    memcpy(la.shape, a->shape, sizeof la.shape);
    memcpy(lb.shape, b->shape, sizeof lb.shape);
    if (terms != p.terms || !real_broadcast_shape(&la, &lb, &lead))
        return NULL;
    p.batches = lead.count;
    if (real_is_too_large(c, product_size(&p)))
        return NULL;
    p.a.at = batch_places(c, a, &lead);
    p.b.at = batch_places(c, b, &lead);
    int64_t *y = arena_alloc(c->arena, (size_t)(p.batches ? p.batches : 1) * sizeof *y);
    for (int64_t i = 0; i < p.batches; i++)
        y[i] = i * p.rows * p.columns;
    p.y = (struct matrix){.at = y, .row_step = p.columns, .column_step = 1};
    struct candidate *out = candidate_add(c, output, "%s", formula);
    struct product *kept = product_new(c);
    *kept = p;
    out->product = kept;
    return out;
}

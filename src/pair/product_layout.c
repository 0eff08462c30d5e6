/* Multiplies the difference of two rows of a product's input by some columns and by some rows of its weight: the one
 * that gives the difference of the result's rows shows how the weight lies. A bias is the same in both rows. For
 * products with exchanged operands the operands' shapes tell. */
#include "pair/product_layout.h"

#include <math.h>
#include <stdlib.h>

#include "pair/align_item.h"
#include "pair/axis_order.h"
#include "pair/call_arguments.h"
#include "dump/family.h"

#define PROBED 16       /* elements of a result's row that are computed */
#define ROWS_TRIED 64   /* the most rows looked at for one that differs from the first: a token may come again */
#define LONGEST 65536   /* the longest axis of a weight that is looked at */
#define FITS 0.1        /* relative error up to which a layout explains the result */
#define DIFFERS 0.5     /* relative error from which the other one does not */
#define NEARER 0.2      /* share of the stored order's error up to which another order of elements is the right one */

enum product_layout { LAYOUT_UNKNOWN, LAYOUT_IN_OUT, LAYOUT_OUT_IN };

/* A row's tensor, open for reading stretches of it. */
struct open_row {
    struct tensor t;
    struct tensor_walk w;
    bool open;
};

static bool open_row(struct open_row *o, const struct dump *d, uint32_t row)
{
    struct err quiet;
    o->open = dump_tensor(d, row, &o->t, &quiet) == 0;
    if (o->open)
        tensor_walk_init(&o->w, &o->t);
    return o->open;
}

static void close_row(struct open_row *o)
{
    if (!o->open)
        return;
    tensor_walk_release(&o->w);
    tensor_close(&o->t);
}

/* Reads n elements from the logical index `at`. */
static bool read_stretch(struct open_row *o, uint64_t at, size_t n, double *out)
{
    struct err quiet;
    tensor_walk_seek(&o->w, at);
    return tensor_walk_values(&o->w, out, n, &quiet) == 0;
}

/* The first n elements of the difference of the first row and the one that begins at the element `at`. */
static bool row_difference(struct open_row *o, uint64_t at, size_t n, double *out)
{
    double *other = mem_alloc(n * sizeof *other);
    bool read = read_stretch(o, 0, n, out) && read_stretch(o, at, n, other);
    for (size_t i = 0; i < n && read; i++)
        out[i] -= other[i];
    free(other);
    return read;
}

/* The difference of the first row and the last one that is another, which begins at *at; false if none is. */
static bool find_difference(struct open_row *o, size_t width, double *out, uint64_t *at)
{
    *at = o->t.numel - width;
    for (int tried = 0; *at && tried < ROWS_TRIED && row_difference(o, *at, width, out); tried++, *at -= width)
        for (size_t i = 0; i < width; i++)
            if (out[i] != 0)
                return true;
    return false;
}

static double squared_distance(const double *a, const double *b, size_t n)
{
    double sum = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
        all += b[i] * b[i];
    }
    return all > 0 ? sqrt(sum / all) : NAN;
}

struct product_rows {
    struct open_row x, weight, y;
    size_t width; /* of the square weight */
};

/* What the weight as stored, and transposed, makes of the input's difference: relative errors against the result's. */
static bool try_both(struct product_rows *p, double *in_out, double *out_in)
{
    size_t width = p->width, n = width < PROBED ? width : PROBED;
    double *in = mem_alloc(width * sizeof *in), *line = mem_alloc(width * sizeof *line);
    double by_column[PROBED] = {0}, by_row[PROBED] = {0}, out[PROBED];
    uint64_t at;
    bool read = find_difference(&p->x, width, in, &at) && row_difference(&p->y, at, n, out);
    for (size_t k = 0; k < n && read; k++) {
        read = read_stretch(&p->weight, k * width, width, line);
        for (size_t i = 0; i < width && read; i++)
            by_row[k] += in[i] * line[i];
    }
    for (size_t i = 0; i < width && read; i++) {
        read = read_stretch(&p->weight, i * width, n, line);
        for (size_t k = 0; k < n && read; k++)
            by_column[k] += in[i] * line[k];
    }
    *out_in = squared_distance(by_row, out, n);
    *in_out = squared_distance(by_column, out, n);
    free(in);
    free(line);
    return read && !isnan(*in_out) && !isnan(*out_in);
}

/* How a square weight of `width` is multiplied, by x and y, the product's input and result. */
static enum product_layout probe_layout(const struct dump *d, uint32_t x, uint32_t weight, uint32_t y, size_t width)
{
    struct product_rows p = {.width = width};
    double in_out = NAN, out_in = NAN;
    bool told = open_row(&p.x, d, x) && open_row(&p.weight, d, weight) && open_row(&p.y, d, y) &&
                try_both(&p, &in_out, &out_in);
    close_row(&p.x);
    close_row(&p.weight);
    close_row(&p.y);
    return !told                                    ? LAYOUT_UNKNOWN
           : in_out < FITS && out_in > DIFFERS ? LAYOUT_IN_OUT
           : out_in < FITS && in_out > DIFFERS ? LAYOUT_OUT_IN
                                                : LAYOUT_UNKNOWN;
}

/* The width of a square matrix, or 0. */
static size_t square_width(const struct dump *d, uint32_t row)
{
    const struct shape *s = dump_row_shape(d, row);
    bool square = s && s->ndim == 2 && s->dim[0] == s->dim[1] && s->dim[0] > 1 && s->dim[0] <= LONGEST;
    return square ? (size_t)s->dim[0] : 0;
}

static bool is_rows_of(const struct dump *d, uint32_t row, size_t width)
{
    const struct shape *s = dump_row_shape(d, row);
    return dump_row_readable(d, row) && s && s->ndim > 0 && s->dim[s->ndim - 1] == (int64_t)width &&
           s->numel > width;
}

/* How PyTorch defines the operator that a weight's row belongs to: what counts where an input is zero, or too few rows
 * differ, and any layout gives the result. */
static enum product_layout defined_layout(const struct dump *d, uint32_t weight)
{
    uint32_t call = d->rows.v[weight].call;
    char plain[FAMILY_PLAIN];
    struct str op = family_plain(align_item_operator(d, call), plain);
    if (!str_is(str_of(d->framework), "pytorch") || d->calls.v[call].kind == CALL_MODULE)
        return LAYOUT_UNKNOWN;
    return str_is(op, "linear") ? LAYOUT_OUT_IN : str_is(op, "matmul") ? LAYOUT_IN_OUT : LAYOUT_UNKNOWN;
}

/* How the product that a weight's row belongs to multiplies it. */
static enum product_layout layout_of(const struct dump *d, uint32_t weight)
{
    size_t width = square_width(d, weight);
    uint32_t x = NONE, y = NONE;
    if (!width || !dump_row_readable(d, weight))
        return LAYOUT_UNKNOWN;
    EACH_EARLY_ROW(d, d->rows.v[weight].call, r) {
        uint8_t io = d->rows.v[r].io;
        if (r == weight || !is_rows_of(d, r, width))
            continue;
        x = io == IO_INPUT && x == NONE ? r : x;
        y = io == IO_OUTPUT && y == NONE ? r : y;
    }
    if (x == NONE || y == NONE || dump_row_numel(d, x) != dump_row_numel(d, y))
        return LAYOUT_UNKNOWN;
    enum product_layout shown = probe_layout(d, x, weight, y, width);
    return shown == LAYOUT_UNKNOWN ? defined_layout(d, weight) : shown;
}

static bool is_weight(const struct dump *d, uint32_t row)
{
    const struct row *r = &d->rows.v[row];
    const struct call *c = &d->calls.v[r->call];
    return r->kind == ROW_TENSOR && (r->io == IO_INPUT || r->io == IO_PARAMETER) && c->phase == PHASE_FORWARD &&
           c->family == FAMILY_LINEAR && square_width(d, row);
}

static void transpose_pair(struct pairing *p, uint32_t pair, uint32_t *view)
{
    if (*view == NONE) {
        struct view v = {.side = GOLDEN, .count = 1, .step = {{.op = VIEW_TRANSPOSE}}};
        *view = (uint32_t)p->views.n;
        vec_push(&p->views, v);
    }
    p->pairs.v[pair].view = *view;
}

/* Whether the calls of a pair are other operators: a framework's own operator takes its weight in one layout. */
static bool are_other_operators(const struct dump *const d[2], const struct line *l)
{
    char plain[2][FAMILY_PLAIN];
    struct str op[2];
    for (int s = 0; s < 2; s++)
        op[s] = family_plain(align_item_operator(d[s], d[s]->rows.v[l->row[s]].call), plain[s]);
    return !str_eq(op[0], op[1]);
}

/* The operands of a product: the tensors that it reads; false unless there are two. */
static bool operands_of(const struct dump *d, uint32_t call, uint32_t operand[2])
{
    int n = 0;
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR && dump_row_numel(d, r) > 1) {
            if (n < 2)
                operand[n] = r;
            n++;
        }
    return n == 2;
}

/* Whether the last two axes of a row are of one length, so that its shape does not tell which is which. */
static bool ends_square(const struct dump *d, uint32_t row)
{
    const struct shape *s = dump_row_shape(d, row);
    return s && s->ndim >= 2 && s->dim[s->ndim - 1] == s->dim[s->ndim - 2] && s->dim[s->ndim - 1] > 1;
}

/* Whether the last two axes of one shape are those of the other exchanged, of other lengths, and all before are alike.
 */
static bool shapes_turned(const struct shape *x, const struct shape *y)
{
    if (!x || !y || x->ndim < 2 || x->ndim != y->ndim)
        return false;
    int last = x->ndim - 1;
    for (int i = 0; i < last - 1; i++)
        if (x->dim[i] != y->dim[i])
            return false;
    return x->dim[last] == y->dim[last - 1] && x->dim[last - 1] == y->dim[last] && x->dim[last] != y->dim[last];
}

/* Whether the elements of two rows of one shape agree with the last two axes exchanged, and only so. */
static bool elements_turned(const struct dump *const d[2], uint32_t t, uint32_t g)
{
    struct tensor x[2];
    struct view v;
    struct err quiet;
    double stored, error;
    bool turned = false;
    if (!ends_square(d[TARGET], t) || !shape_same(dump_row_shape(d[TARGET], t), dump_row_shape(d[GOLDEN], g)) ||
        !dump_row_readable(d[TARGET], t) || !dump_row_readable(d[GOLDEN], g) ||
        dump_tensor(d[TARGET], t, &x[TARGET], &quiet))
        return false;
    if (dump_tensor(d[GOLDEN], g, &x[GOLDEN], &quiet) == 0) {
        int n = x[GOLDEN].ndim;
        turned = axis_order_find(&x[TARGET], &x[GOLDEN], &v, &stored, &error, &quiet) == 0 && v.count == 1 &&
                 v.step[0].v[n - 1] == n - 2 && v.step[0].v[n - 2] == n - 1 && error < FITS && error < NEARER * stored;
        tensor_close(&x[GOLDEN]);
    }
    tensor_close(&x[TARGET]);
    return turned;
}

/* A row of the target that is paired with this one, one being the other transposed as their shapes or elements show:
 * its line; else NONE. */
static uint32_t paired_turned(const struct pairing *p, const struct dump *const d[2], uint32_t t, uint32_t g)
{
    uint32_t line = pairing_paired_line(p, TARGET, t);
    if (line == NONE || p->lines.v[line].row[GOLDEN] != g)
        return NONE;
    return shapes_turned(dump_row_shape(d[TARGET], t), dump_row_shape(d[GOLDEN], g)) || elements_turned(d, t, g)
               ? line
               : NONE;
}

/* Whether a line's rows are results of products with exchanged, transposed operands: B'A' is (AB)'. The operands'
 * lines. */
static bool is_product_turned(const struct pairing *p, const struct dump *const d[2], const struct line *l,
                              uint32_t line[2])
{
    uint32_t operand[2][2];
    for (int s = 0; s < 2; s++) {
        const struct row *r = &d[s]->rows.v[l->row[s]];
        if (r->io != IO_OUTPUT || d[s]->calls.v[r->call].phase != PHASE_FORWARD ||
            !family_is_product(d[s]->calls.v[r->call].family) ||
            !operands_of(d[s], r->call, operand[s]))
            return false;
    }
    for (int i = 0; i < 2; i++)
        line[i] = paired_turned(p, d, operand[TARGET][i], operand[GOLDEN][!i]);
    return line[0] != NONE && line[1] != NONE;
}

/* The axis that an argument of a call names, from the front of so many; -1: none, or another kind of value. */
static int named_axis(const struct dump *d, uint32_t call, int axes)
{
    uint32_t r = call_argument(d, call, "dim axis");
    double axis = r == NONE || d->rows.v[r].kind != ROW_INT ? NAN : d->rows.v[r].stat[0];
    return axis >= -axes && axis < axes ? (int)axis + (axis < 0 ? axes : 0) : -1;
}

/* Whether a line's rows are what calls of one operator take that go along the other one of the last two axes each, and
 * their elements are turned likewise. */
static bool is_axis_turned(const struct dump *const d[2], const struct line *l)
{
    const struct shape *shape = dump_row_shape(d[TARGET], l->row[TARGET]);
    int axis[2];
    for (int s = 0; s < 2; s++) {
        const struct row *r = &d[s]->rows.v[l->row[s]];
        const struct call *c = &d[s]->calls.v[r->call];
        if (r->io != IO_INPUT || c->phase != PHASE_FORWARD || c->family != FAMILY_SOFTMAX || c->kind == CALL_MODULE ||
            !ends_square(d[s], l->row[s]))
            return false;
        axis[s] = named_axis(d[s], r->call, shape->ndim);
    }
    return axis[TARGET] != axis[GOLDEN] && axis[TARGET] >= shape->ndim - 2 && axis[GOLDEN] >= shape->ndim - 2 &&
           elements_turned(d, l->row[TARGET], l->row[GOLDEN]);
}

static void note_call(struct nmap *calls, const struct dump *d, uint32_t row, bool itself)
{
    uint32_t call = d->rows.v[row].call;
    if (itself)
        nmap_set(calls, call, 1);
    if (d->calls.v[call].twin != NONE)
        nmap_set(calls, d->calls.v[call].twin, 1);
}

/* The results of such products, what comes back to them, and operands of which the shape does not tell it; what goes
 * in and out of calls along another axis. */
static void turn_products(struct pairing *p, const struct dump *const d[2], uint32_t *view)
{
    struct nmap calls = {0}; /* the target's, all square tensors of which are turned */
    for (size_t i = 0; i < p->lines.n; i++) {
        const struct line *l = &p->lines.v[i];
        uint32_t operand[2];
        if (l->pair == NONE || p->pairs.v[l->pair].view != NONE)
            continue;
        if (is_product_turned(p, d, l, operand)) {
            const struct line *all[] = {l, &p->lines.v[operand[0]], &p->lines.v[operand[1]]};
            for (size_t k = 0; k < ARRAY_LEN(all); k++)
                if (ends_square(d[TARGET], all[k]->row[TARGET]))
                    transpose_pair(p, all[k]->pair, view);
            note_call(&calls, d[TARGET], l->row[TARGET], false);
        } else if (is_axis_turned(d, l)) {
            note_call(&calls, d[TARGET], l->row[TARGET], true);
        }
    }
    for (size_t i = 0; i < p->lines.n && calls.n; i++) {
        const struct line *l = &p->lines.v[i];
        const struct row *r = l->pair == NONE ? NULL : &d[TARGET]->rows.v[l->row[TARGET]];
        if (r && r->kind == ROW_TENSOR && p->pairs.v[l->pair].view == NONE && nmap_get(&calls, r->call) != MAP_NONE &&
            ends_square(d[TARGET], l->row[TARGET]) &&
            shape_same(dump_row_shape(d[TARGET], l->row[TARGET]), dump_row_shape(d[GOLDEN], l->row[GOLDEN])))
            transpose_pair(p, l->pair, view);
    }
    nmap_release(&calls);
}

/* Whether the modules of a line call their parameter otherwise, as "kernel" beside "weight". */
static bool slots_differ(const struct dump *const d[2], const struct line *l)
{
    return strcmp(d[TARGET]->slots.v[d[TARGET]->rows.v[l->row[TARGET]].slot],
                  d[GOLDEN]->slots.v[d[GOLDEN]->rows.v[l->row[GOLDEN]].slot]) != 0;
}

/* What a module holds of a weight that its product takes turned: in another framework always, in the same if the
 * elements of the parameter are; its gradient lies as it does. Where the product was not recorded another name tells.
 * turned: the target's modules with such a product. */
static void turn_held_weights(struct pairing *p, const struct dump *const d[2], const struct nmap *turned, bool same,
                              uint32_t *view)
{
    struct nmap stored = {0}; /* those of one framework */
    for (size_t i = 0; i < p->lines.n; i++) {
        const struct line *l = &p->lines.v[i];
        const struct row *r = l->pair == NONE ? NULL : &d[TARGET]->rows.v[l->row[TARGET]];
        uint32_t scope = r ? d[TARGET]->calls.v[r->call].scope : NONE;
        if (scope == NONE || (r->io != IO_GRADIENT && (r->io != IO_PARAMETER || !same)) ||
            p->pairs.v[l->pair].view != NONE || !square_width(d[TARGET], l->row[TARGET]) ||
            !square_width(d[GOLDEN], l->row[GOLDEN]))
            continue;
        bool told = nmap_get(turned, scope) != MAP_NONE || (same && slots_differ(d, l));
        bool held = told && r->io == IO_PARAMETER && elements_turned(d, l->row[TARGET], l->row[GOLDEN]);
        if (held)
            nmap_set(&stored, scope, 1);
        if (held || (told && r->io == IO_GRADIENT && (!same || nmap_get(&stored, scope) != MAP_NONE)))
            transpose_pair(p, l->pair, view);
    }
    nmap_release(&stored);
}

void product_layout_find(struct pairing *p, const struct dump *target, const struct dump *golden)
{
    const struct dump *d[2] = {target, golden};
    struct nmap turned = {0}; /* the target's modules with such a weight */
    uint32_t view = NONE;
    bool same = dumps_of_one_framework(target, golden);
    turn_products(p, d, &view);
    for (size_t i = 0; i < p->lines.n; i++) {
        const struct line *l = &p->lines.v[i];
        if (l->pair == NONE || p->pairs.v[l->pair].view != NONE || !is_weight(target, l->row[TARGET]) ||
            square_width(golden, l->row[GOLDEN]) != square_width(target, l->row[TARGET]))
            continue;
        if (same && (target->rows.v[l->row[TARGET]].io != IO_INPUT || !are_other_operators(d, l)))
            continue;
        enum product_layout t = layout_of(target, l->row[TARGET]), g = layout_of(golden, l->row[GOLDEN]);
        if (t == LAYOUT_UNKNOWN || g == LAYOUT_UNKNOWN || t == g)
            continue;
        transpose_pair(p, l->pair, &view);
        uint32_t scope = target->calls.v[target->rows.v[l->row[TARGET]].call].scope;
        if (scope != NONE)
            nmap_set(&turned, scope, 1);
    }
    turn_held_weights(p, d, &turned, same, &view);
    nmap_release(&turned);
}

/* Rows of a call as a tree of arguments, with their tensors as doubles. */
#include "oracle/recorded_call.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "dump/contradiction.h"
#include "dump/family.h"
#include "judge/conditioning.h"
#include "pair/align_item.h"

enum { PLACES_MOST = 4096 };
#define EMPTY_MOST 1e7 /* limit for the other axes of an empty tensor, which are still iterated */
/* limits per call: list names may refer to items that do not exist */
enum { VALUES_MOST = 1 << 16, NAMES_MOST = 1024, DEEPEST = 8 };

/* ---- arguments ---- */

static void tensor_sizes(struct recorded_call *r, uint32_t row, struct real_tensor *t)
{
    const struct shape *s = dump_row_shape(r->dump, row);
    *t = (struct real_tensor){.dtype = (enum dtype)r->dump->rows.v[row].dtype, .count = 1};
    if (!s || s->ndim > REAL_AXES || dtype_table[t->dtype].klass == CLASS_COMPLEX || t->dtype == DTYPE_UNKNOWN) {
        call_unknown(&r->values, UNKNOWN_VARIANT);
        return;
    }
    double extent = 1;
    for (int i = 0; i < s->ndim; i++)
        extent *= s->dim[i] ? (double)s->dim[i] : 1;
    if (!r->sizes_only && extent > (s->numel ? REAL_ELEMENTS_MOST : EMPTY_MOST)) {
        call_unknown(&r->values, UNKNOWN_LARGE);
        return;
    }
    t->axes = s->ndim;
    for (int i = 0; i < s->ndim; i++)
        t->shape[i] = s->dim[i];
    t->count = (int64_t)s->numel;
}

/* "[0,null,2]": a slice, or a list of numbers; false if neither. */
static bool read_bracketed(struct arena *a, const char *text, bool slice, struct value *v)
{
    double number[REAL_AXES];
    bool open[REAL_AXES], any_open = false;
    int n = 0;
    for (const char *p = text + 1; *p && *p != ']' && n < REAL_AXES; n++) {
        char *end;
        open[n] = strncmp(p, "null", 4) == 0;
        any_open |= open[n];
        number[n] = open[n] ? 0 : strtod(p, &end);
        if (!open[n] && end == p)
            return false;
        p = open[n] ? p + 4 : end;
        p += *p == ',';
    }
    if (n == 3 && (slice || any_open)) {
        v->kind = VALUE_SLICE;
        for (int i = 0; i < 3; i++)
            v->slice[i] = open[i] ? SLICE_OPEN : whole_number(number[i]);
        return true;
    }
    v->kind = VALUE_LIST;
    v->items = n;
    v->item = arena_zalloc(a, (size_t)(n ? n : 1) * sizeof *v->item);
    for (int i = 0; i < n; i++)
        v->item[i] = (struct value){.kind = VALUE_NUMBER, .number = number[i], .row = NONE};
    return true;
}

static void other_value(struct recorded_call *r, const char *text, struct value *v)
{
    bool indexing = r->values.operator && strstr(r->values.operator, "item__");
    if (text && (strcmp(text, "...") == 0 || strcmp(text, "Ellipsis") == 0))
        v->kind = VALUE_ELLIPSIS;
    else if (!text || text[0] != '[' || !read_bracketed(r->values.arena, text, indexing, v)) {
        v->kind = VALUE_TEXT;
        v->text = text ? text : "";
    }
}

static void value_of_row(struct recorded_call *r, uint32_t row, struct value *v)
{
    const struct row *x = &r->dump->rows.v[row];
    *v = (struct value){.kind = VALUE_NONE, .row = row};
    switch ((enum row_kind)x->kind) {
    case ROW_TENSOR:
        v->kind = VALUE_TENSOR;
        tensor_sizes(r, row, &v->tensor);
        if (!(x->has & HAS_FILE) && !r->sizes_only)
            call_unknown(&r->values, UNKNOWN_TENSOR);
        break;
    case ROW_INT:
    case ROW_FLOAT:
        v->kind = VALUE_NUMBER;
        v->number = x->stat[STAT_MAX];
        v->fraction = x->kind == ROW_FLOAT;
        break;
    case ROW_BOOL:
        v->kind = VALUE_BOOL;
        v->number = x->stat[STAT_MAX];
        break;
    case ROW_STR:
        v->kind = VALUE_TEXT;
        v->text = x->text;
        break;
    case ROW_DTYPE:
        v->kind = VALUE_DTYPE;
        v->text = x->text;
        v->dtype = (enum dtype)x->dtype;
        break;
    case ROW_OTHER:
        other_value(r, x->text, v);
        break;
    case ROW_NULL:
        break;
    }
}

/* Extends `list` of n elements by one; it is full at powers of two. */
static void *grown_list(struct arena *a, void *list, int n, size_t size)
{
    if (n & (n - 1))
        return list;
    void *more = arena_alloc(a, (size_t)(n ? 2 * n : 1) * size);
    if (n)
        memcpy(more, list, (size_t)n * size);
    return more;
}

/* The item with that number; extends the list if needed. NULL, with the reason recorded, above the limit. */
static struct value *list_item(struct recorded_call *r, struct value **item, int *items, int at)
{
    for (; *items <= at; ++*items) {
        if (++r->items > VALUES_MOST) {
            call_unknown(&r->values, UNKNOWN_VARIANT);
            return NULL;
        }
        *item = grown_list(r->values.arena, *item, *items, sizeof **item);
        (*item)[*items] = (struct value){.kind = VALUE_NONE, .row = NONE};
    }
    return &(*item)[at];
}

/* The value inside `v` for the rest of a slot's path, "0.1"; NULL as above. */
static struct value *value_inside(struct recorded_call *r, struct value *v, struct str path)
{
    struct str word;
    unsigned long long at;
    for (int deep = 0; path.n && v; deep++) {
        word = str_next(&path, '.');
        if (!str_u64(word, &at) || at > PLACES_MOST)
            at = v->kind == VALUE_LIST ? (unsigned long long)v->items : 0; /* an entry of a dictionary: the next item */
        if (v->kind != VALUE_LIST)
            *v = (struct value){.kind = VALUE_LIST, .row = NONE};
        if (deep == DEEPEST)
            return call_unknown(&r->values, UNKNOWN_VARIANT), NULL;
        v = list_item(r, &v->item, &v->items, (int)at);
    }
    return v;
}

static struct value *named_place(struct recorded_call *r, struct named_value **list, int *n, struct str name)
{
    for (int i = 0; i < *n; i++)
        if (str_is(name, (*list)[i].name))
            return &(*list)[i].value;
    if (*n == NAMES_MOST)
        return call_unknown(&r->values, UNKNOWN_VARIANT), NULL;
    *list = grown_list(r->values.arena, *list, *n, sizeof **list);
    (*list)[*n] = (struct named_value){.name = arena_cstr(r->values.arena, name),
        .value = {.kind = VALUE_NONE, .row = NONE}};
    return &(*list)[(*n)++].value;
}

static void take_argument(struct recorded_call *r, uint32_t row)
{
    struct call_values *c = &r->values;
    struct str slot = str_of(r->dump->slots.v[r->dump->rows.v[row].slot]), word, rest;
    unsigned long long place;
    struct value *v;
    str_next(&slot, '.');
    if (r->dump->rows.v[row].io == IO_PARAMETER) {
        if ((v = named_place(r, &c->parameter, &c->parameters, slot)))
            value_of_row(r, row, v);
        return;
    }
    if (!slot.n)
        return;
    str_split(slot, '.', &word, &rest);
    if (str_u64(word, &place)) {
        if (place > PLACES_MOST)
            return call_unknown(c, UNKNOWN_VARIANT);
        v = list_item(r, &c->place, &c->places, (int)place);
    } else {
        v = named_place(r, &c->keyword, &c->keywords, word);
    }
    if ((v = v ? value_inside(r, v, rest) : NULL))
        value_of_row(r, row, v);
}

/* The gradients of a module's parameters are recorded as they were computed, and a product and a sum do that in another
 * order than a linear layer: their names give both sides one. */
static void order_by_slot(const struct dump *d, uint32_t *row, int n)
{
    for (int i = 1; i < n; i++) {
        uint32_t moved = row[i];
        const char *name = d->slots.v[d->rows.v[moved].slot];
        int k = i;
        for (; k && strcmp(name, d->slots.v[d->rows.v[row[k - 1]].slot]) < 0; k--)
            row[k] = row[k - 1];
        row[k] = moved;
    }
}

static bool is_tensor_of(const struct recorded_call *r, uint32_t row, enum row_io io)
{
    const struct row *x = &r->dump->rows.v[row];
    return x->io == io && x->kind == ROW_TENSOR && (x->has & HAS_FILE || r->sizes_only);
}

/* The tensors among a call's inputs or outputs, flattened. */
static int flat_tensors(struct recorded_call *r, uint32_t call, enum row_io io, struct real_tensor **out,
    const uint32_t **rows)
{
    const struct dump *d = r->dump;
    int n = 0;
    EACH_ROW(d, call, i)
        n += is_tensor_of(r, i, io);
    *out = arena_zalloc(r->values.arena, (size_t)(n ? n : 1) * sizeof **out);
    uint32_t *at = arena_alloc(r->values.arena, (size_t)(n ? n : 1) * sizeof *at);
    n = 0;
    EACH_ROW(d, call, i)
        if (is_tensor_of(r, i, io))
            at[n++] = i;
    if (io == IO_GRADIENT)
        order_by_slot(d, at, n);
    for (int i = 0; i < n; i++)
        tensor_sizes(r, at[i], &(*out)[i]);
    *rows = at;
    return n;
}

/* ---- tensors that it reads ---- */

static void count_tensor(void *ctx, struct real_tensor *t, uint32_t row)
{
    struct recorded_call *r = ctx;
    (void)row;
    r->tensors++;
    r->elements += t->count;
    r->largest = t->count > r->largest ? t->count : r->largest;
}

enum dtype recorded_call_type(const struct recorded_call *r, enum dtype output, bool *finer)
{
    uint32_t types = r->types | (dtype_is_float(output) ? 1u << output : 0);
    enum dtype coarsest = DTYPE_UNKNOWN;
    for (int d = 0; d < DTYPE_COUNT; d++)
        if (types >> d & 1)
            coarsest = dtype_coarser(coarsest, (enum dtype)d);
    *finer = false;
    for (int d = 0; d < DTYPE_COUNT; d++)
        *finer |= (types >> d & 1) && dtype_table[d].epsilon < dtype_table[coarsest].epsilon;
    return coarsest;
}

static const char *lower_name(struct arena *a, struct str s)
{
    char *out = arena_alloc(a, s.n + 1);
    for (size_t i = 0; i < s.n; i++)
        out[i] = (char)tolower((unsigned char)s.p[i]);
    out[s.n] = 0;
    return out;
}

uint32_t recorded_call_made_by(const struct dump *d, uint32_t call)
{
    return d->calls.v[call].gradient ? condition_module_backward(d, call) : call;
}

static void open_backward(struct recorded_call *r, uint32_t forward, uint32_t backward)
{
    struct call_values *c = &r->values;
    c->results = flat_tensors(r, forward, IO_OUTPUT, &c->result, &r->result_row);
    c->gradients = flat_tensors(r, backward, IO_INPUT, &c->gradient, &r->gradient_row);
    if (!c->gradients || !c->results)
        call_unknown(c, UNKNOWN_NO_GRADIENT);
}

static void count_all(struct recorded_call *r)
{
    struct call_values *c = &r->values;
    call_each_tensor(c, count_tensor, r);
    for (int i = 0; i < c->gradients; i++)
        r->elements += c->gradient[i].count;
    for (int i = 0; i < c->outputs; i++) {
        r->elements += c->output[i].count;
        r->largest = c->output[i].count > r->largest ? c->output[i].count : r->largest;
    }
}

static void open_call(struct recorded_call *r, struct arena *a)
{
    const struct dump *d = r->dump;
    uint32_t call = r->call, made_by = recorded_call_made_by(d, call);
    struct call_values *c = &r->values;
    c->arena = a;
    if (made_by == NONE)
        return call_unknown(c, UNKNOWN_FORWARD);
    const struct call *x = &d->calls.v[made_by];
    /* a kernel of the backward pass has its own inputs */
    bool backward = x->phase == PHASE_BACKWARD && x->kind != CALL_OPERATOR;
    uint32_t forward = backward ? x->twin : call;
    c->mindspore = strcmp(d->framework, "mindspore") == 0;
    c->module = x->kind == CALL_MODULE;
    c->backward = backward;
    c->default_taken = &r->default_taken;
    struct str name = align_item_operator(d, made_by);
    c->operator = c->module ? arena_cstr(a, name) : lower_name(a, name);
    c->outputs = flat_tensors(r, call, made_by == call ? IO_OUTPUT : IO_GRADIENT, &c->output, &r->output_row);
    if (forward == NONE)
        return call_unknown(c, UNKNOWN_FORWARD);
    EACH_ROW(d, forward, i)
        if (d->rows.v[i].io == IO_INPUT || d->rows.v[i].io == IO_PARAMETER)
            take_argument(r, i);
    c->result = c->output;
    c->results = c->outputs;
    r->result_row = r->output_row;
    if (c->backward)
        open_backward(r, forward, made_by);
    count_all(r);
    if (!c->backward && !r->tensors) /* no operator makes its output of nothing: outputs are not read for it */
        call_unknown(c, UNKNOWN_ARGUMENT);
}

void recorded_call_open(struct recorded_call *r, struct arena *a, const struct dump *d, uint32_t call)
{
    *r = (struct recorded_call){.dump = d, .call = call};
    open_call(r, a);
}

void recorded_call_sizes(struct recorded_call *r, struct arena *a, const struct dump *d, uint32_t call)
{
    *r = (struct recorded_call){.dump = d, .call = call, .sizes_only = true};
    open_call(r, a);
}

/* ---- values ---- */

static bool read_tensor(struct tensor *t, double *out)
{
    struct tensor_walk w;
    struct err quiet;
    if (dtype_table[t->dtype].size > 8)
        return false;
    tensor_walk_init(&w, t);
    bool read = tensor_walk_values(&w, out, (size_t)t->numel, &quiet) == 0;
    tensor_walk_release(&w);
    return read;
}

/* Whether the values contradict what the recording says of them: then they are another tensor's. */
static bool are_others(const struct dump *d, uint32_t row, const double *v, int64_t n, const char *file)
{
    struct side_figures f = {.count = (uint64_t)n, .max = -INFINITY, .min = INFINITY};
    struct err e;
    double squares = 0;
    for (int64_t i = 0; i < n; i++) {
        f.nan += !isfinite(v[i]);
        f.max = v[i] > f.max ? v[i] : f.max;
        f.min = v[i] < f.min ? v[i] : f.min;
        f.mean += v[i] / (double)n;
        squares += v[i] * v[i];
    }
    f.norm = sqrt(squares);
    return figures_contradict(d, row, &f, file, &e);
}

double *recorded_values(struct arena *a, const struct dump *d, uint32_t row, const struct view *v, int64_t count)
{
    struct tensor file;
    struct err e;
    double *out = NULL;
    if (dump_tensor(d, row, &file, &e))
        return NULL;
    bool whole = !v; /* what the recording says is said of the whole tensor */
    if ((!v || view_apply(v, &file, &e) == 0) && (int64_t)file.numel == count &&
        !sealed_verify(&file.file, &file.sealed, &e)) {
        out = arena_alloc(a, (size_t)(count ? count : 1) * sizeof *out);
        if (!read_tensor(&file, out) || (whole && are_others(d, row, out, count, file.file.name)))
            out = NULL;
    }
    tensor_close(&file);
    return out;
}

static void load_tensor(void *ctx, struct real_tensor *t, uint32_t row)
{
    struct recorded_call *r = ctx;
    if (r->values.unknown || t->v)
        return;
    t->v = recorded_values(r->values.arena, r->dump, row, NULL, t->count);
    if (!t->v)
        call_unknown(&r->values, UNKNOWN_TENSOR);
}

static void load_list(struct recorded_call *r, struct real_tensor *t, const uint32_t *rows, int n)
{
    for (int i = 0; i < n; i++)
        load_tensor(r, &t[i], rows[i]);
}

void recorded_call_load(struct recorded_call *r)
{
    call_each_tensor(&r->values, load_tensor, r);
    load_list(r, r->values.output, r->output_row, r->values.outputs);
    load_list(r, r->values.result, r->result_row, r->values.results);
    load_list(r, r->values.gradient, r->gradient_row, r->values.gradients);
}

static void look_at(void *ctx, struct real_tensor *t, uint32_t row)
{
    struct recorded_call *r = ctx;
    if (!dtype_is_float(t->dtype) || (r->values.first_unread && r->values.places && row == r->values.place[0].row))
        return;
    r->types |= 1u << t->dtype;
    for (int64_t i = 0; i < t->count; i++)
        if (isnan(t->v[i]))
            return call_unknown(&r->values, UNKNOWN_NAN);
}

/* The floating types of what the products inside of a module give: under autocast one that is written out as a product
 * and a sum gives a finer type than it computes in. */
static uint32_t types_inside(const struct dump *d, uint32_t call)
{
    uint32_t types = 0, made = recorded_call_made_by(d, call), module = made;
    if (made != NONE && d->calls.v[made].phase == PHASE_BACKWARD)
        module = d->calls.v[made].twin;
    if (module == NONE || d->calls.v[module].kind != CALL_MODULE)
        return 0;
    for (uint32_t c = module; c-- > 0 && d->calls.v[c].parent == module;)
        EACH_EARLY_ROW(d, c, r)
            if (d->rows.v[r].io == IO_OUTPUT && family_is_product(d->calls.v[c].family) &&
                dtype_is_float((enum dtype)d->rows.v[r].dtype))
                types |= 1u << d->rows.v[r].dtype;
    return types;
}

void recorded_call_look(struct recorded_call *r)
{
    call_each_tensor(&r->values, look_at, r);
    r->types |= types_inside(r->dump, r->call);
    if (!r->values.gradients)
        return;
    const struct real_tensor *g = &r->values.gradient[0];
    r->types |= dtype_is_float(g->dtype) ? 1u << g->dtype : 0;
    for (int64_t i = 0; i < g->count; i++)
        if (!isfinite(g->v[i]))
            return call_unknown(&r->values, UNKNOWN_GRADIENT);
}

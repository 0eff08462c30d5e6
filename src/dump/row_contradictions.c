/* Holds types, counts and sizes to what else the recording has of the same value. */
#include "dump/row_contradictions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/msg.h"
#include "base/num.h"
#include "dump/contradiction.h"
#include "dump/family.h"

#define ALL_DIGITS 17
#define TELLING_DIGITS 8 /* of a mean and a norm: fewer are found in other values, too */
#define MEAN_LEAST 64 /* times the type's smallest value: below, two counts may give one mean */
#define AHEAD 8 /* prefetch distance in rows: about the memory latency */
#define ROWS_MOST 1000 /* of a call; those of more are not held to each other */

static void name_row(struct dump *d, uint32_t row, const char *what)
{
    struct buf name = {0}, text = {0};
    dump_row_name(d, row, &name);
    buf_fmt(&text, _("%s: %s contradicts its recording: %s"), d->path, name.p, what);
    dump_problem(d, row, "damaged", text.p);
    buf_release(&name);
    buf_release(&text);
}

/* ---- extremes are elements ---- */

/* The value of the type that is nearest to v. */
static double nearest_value(const struct dtype_info *type, double v)
{
    if (type->klass != CLASS_FLOAT)
        return round(v);
    int exponent;
    frexp(v, &exponent);
    double step = fmax(ldexp(type->epsilon, exponent - 1), type->least);
    return round(v / step) * step;
}

/* Whether n significant digits give a figure, as they do where it was written with no more. */
static bool has_digits(double v, int n)
{
    char text[NUM_MAX];
    snprintf(text, sizeof text, "%.*e", n - 1, v);
    return n >= ALL_DIGITS || (n > 0 && strtod(text, NULL) == v);
}

/* Whether an element of the type can be the figure, within the digits it was written with. */
static bool is_element(const struct dtype_info *type, double v)
{
    double off = isfinite(v) ? fabs(v - nearest_value(type, v)) : 0;
    return off == 0 || has_digits(v, (int)floor(1 - log10(off / fabs(v))));
}

/* The first recorded extreme of a row that is no element of its type: its value; false: none is. */
static bool foreign_extreme(const struct row *r, double *value)
{
    static const struct {
        unsigned bit;
        int stat;
    } extreme[] = {{HAS_MAX, STAT_MAX}, {HAS_MIN, STAT_MIN}};
    const struct dtype_info *type = &dtype_table[r->dtype];
    /* figures of float32 may have been computed in float64; one-byte types are recorded as others of their values */
    bool known = (type->klass == CLASS_FLOAT && type->size == 2) || type->klass == CLASS_INT;
    for (size_t i = 0; known && i < ARRAY_LEN(extreme); i++) {
        *value = r->stat[extreme[i].stat];
        if (recorded_figures(r) & extreme[i].bit && !is_element(type, *value))
            return true;
    }
    return false;
}

static void find_other_types(struct dump *d)
{
    for (uint32_t r = 0; r < d->rows.n; r++) {
        const struct row *x = &d->rows.v[r];
        char said[NUM_MAX];
        double value;
        if (x->kind != ROW_TENSOR || x->has & IS_DAMAGED || !foreign_extreme(x, &value))
            continue;
        struct buf what = {0};
        buf_fmt(&what, _("no element of type %s is %s, its recorded max or min"), dtype_table[x->dtype].name,
                num_exact(said, value));
        name_row(d, r, what.p);
        buf_release(&what);
    }
}

/* ---- one value has one count of elements ---- */

struct held_value {
    double stat[STAT_COUNT];
    uint64_t count;
    uint32_t row;
};

/* Whether the figures tell the value from others: all four, of elements that differ. Zeros added to
 * a value (the gradient of rows that are not read) change its mean alone, and not one that is
 * rounded to nothing, or is what rounding leaves of elements that cancel. */
static bool has_telling_figures(const struct row *r)
{
    unsigned all = HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM;
    bool told = r->kind == ROW_TENSOR && !(r->has & IS_DAMAGED) && dtype_is_float(r->dtype) && r->has & HAS_SHAPE &&
                (recorded_figures(r) & all) == all;
    for (int i = 0; i < STAT_COUNT && told; i++)
        told = isfinite(r->stat[i]);
    double largest = fmax(fabs(r->stat[STAT_MAX]), fabs(r->stat[STAT_MIN]));
    double rounding = fmax(MEAN_LEAST * dtype_table[r->dtype].least, dtype_table[DTYPE_F32].epsilon / 2 * largest);
    return told && fabs(r->stat[STAT_MEAN]) > rounding && r->stat[STAT_MAX] > r->stat[STAT_MIN];
}

static int by_figures(const void *a, const void *b)
{
    const struct held_value *x = a, *y = b;
    for (int i = 0; i < STAT_COUNT; i++)
        if (x->stat[i] != y->stat[i])
            return x->stat[i] < y->stat[i] ? -1 : 1;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return x->row < y->row ? -1 : 1;
}

static bool same_figures(const struct held_value *a, const struct held_value *b)
{
    return memcmp(a->stat, b->stat, sizeof a->stat) == 0;
}

/* Names the rows of one value whose count fewer rows have than another count of it; of equally many all of them. */
static void name_other_counts(struct dump *d, const struct held_value *v, size_t n)
{
    size_t most = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0, end; i < n; i = end) {
            for (end = i; end < n && v[end].count == v[i].count; end++) {}
            bool fewer = end - i < most || 2 * (end - i) == n;
            for (size_t k = i; pass && fewer && k < end; k++)
                name_row(d, v[k].row, _("rows with the same figures have another number of elements"));
            most = !pass && end - i > most ? end - i : most;
        }
}

struct counted_value {
    uint64_t figures; /* a hash of them */
    uint64_t count;
};

static bool figures_hash(const struct dump *d, uint32_t row, uint64_t *hash)
{
    bool told = row < d->rows.n && has_telling_figures(&d->rows.v[row]);
    *hash = 0;
    for (int i = 0; i < STAT_COUNT && told; i++) {
        uint64_t bits;
        memcpy(&bits, &d->rows.v[row].stat[i], sizeof bits);
        *hash = key_add(*hash, bits);
    }
    return told;
}

/* Whether two rows of one value may have two counts: most recordings have none, and an order takes longer. */
static bool counts_may_differ(const struct dump *d)
{
    struct key_index index;
    struct counted_value *values = mem_alloc((d->rows.n + 1) * sizeof *values);
    uint64_t hash[AHEAD]; /* of this row and the following ones */
    bool told[AHEAD], differ = false;
    size_t n = 0;
    key_index_make(&index, d->rows.n);
    for (uint32_t r = 0; r < AHEAD; r++)
        told[r] = figures_hash(d, r, &hash[r]);
    for (uint32_t r = 0; r < d->rows.n && !differ; r++) {
        struct counted_value x = {hash[r % AHEAD], dump_row_numel(d, r)};
        bool meant = told[r % AHEAD];
        if ((told[r % AHEAD] = figures_hash(d, r + AHEAD, &hash[r % AHEAD])))
            key_index_expect(&index, hash[r % AHEAD]);
        if (!meant)
            continue;
        uint32_t *value = key_index_slot(&index, x.figures, &values->figures, sizeof *values);
        if (*value == MAP_NONE) {
            *value = (uint32_t)n;
            values[n++] = x;
        }
        differ = values[*value].count != x.count;
    }
    key_index_release(&index);
    free(values);
    return differ;
}

static void find_other_counts(struct dump *d)
{
    VEC(struct held_value) held = {0};
    if (!counts_may_differ(d))
        return;
    for (uint32_t r = 0; r < d->rows.n; r++) {
        const struct row *x = &d->rows.v[r];
        if (!has_telling_figures(x))
            continue;
        struct held_value v = {.count = dump_row_numel(d, r), .row = r};
        memcpy(v.stat, x->stat, sizeof v.stat);
        vec_push(&held, v);
    }
    vec_sort(&held, by_figures);
    for (size_t i = 0, end; i < held.n; i = end) {
        for (end = i + 1; end < held.n && same_figures(&held.v[end], &held.v[i]); end++) {}
        if (held.v[end - 1].count != held.v[i].count && !has_digits(held.v[i].stat[STAT_MEAN], TELLING_DIGITS - 1) &&
            !has_digits(held.v[i].stat[STAT_NORM], TELLING_DIGITS - 1))
            name_other_counts(d, held.v + i, end - i);
    }
    vec_release(&held);
}

void row_contradictions_find(struct dump *d)
{
    find_other_types(d);
    find_other_counts(d);
}

/* ---- gradients have the sizes of their values ---- */

/* Whether one of a forward call's outputs, or of what goes into it, has that shape. Unknown sizes may be any. */
static bool call_has_shape(const struct dump *d, uint32_t call, bool outputs, uint32_t shape)
{
    bool any = false;
    EACH_ROW(d, call, r) {
        const struct row *x = &d->rows.v[r];
        bool meant = outputs ? x->io == IO_OUTPUT : x->io == IO_INPUT || x->io == IO_PARAMETER;
        if (!meant || x->kind != ROW_TENSOR)
            continue;
        if (x->shape == NONE || x->shape == shape)
            return true;
        any = true;
    }
    return !any;
}

static uint32_t tensors_of(const struct dump *d, uint32_t call, enum row_io io)
{
    uint32_t n = 0;
    EACH_ROW(d, call, r)
        n += d->rows.v[r].kind == ROW_TENSOR && d->rows.v[r].io == io;
    return n;
}

/* Whether what a backward call hands back are the gradients of its forward call's own inputs: PyTorch shows those of a
 * function's last node, which a product, a norm, a pooling or a call in place leaves to other inputs, and one of
 * several tensors (prelu's slopes) may have got other axes before it. A node that hands back two gradients where the
 * function takes one tensor (a circular pad's, which copies slices) is one of several. */
static bool hands_back_own(const struct dump *d, uint32_t back, uint32_t call)
{
    const struct call *forward = &d->calls.v[call];
    uint8_t f = forward->family;
    bool one_node = f == FAMILY_ACTIVATION || f == FAMILY_SOFTMAX || f == FAMILY_VIEW || f == FAMILY_CAST ||
                    f == FAMILY_COPY;
    return forward->kind == CALL_MODULE || strcmp(d->framework, "mindspore") == 0 ||
           (one_node && tensors_of(d, call, IO_INPUT) == 1 && tensors_of(d, back, IO_OUTPUT) <= 1 &&
            !dump_call_overwrites(d, call));
}

void gradient_sizes_find(struct dump *d)
{
    for (uint32_t c = 0; c < d->calls.n; c++) {
        uint32_t forward = d->calls.v[c].twin;
        if (d->calls.v[c].phase != PHASE_BACKWARD || d->calls.v[c].gradient || forward == NONE || d->tensors_cut ||
            d->calls.v[c].rows > ROWS_MOST || d->calls.v[forward].rows > ROWS_MOST)
            continue;
        bool back = hands_back_own(d, c, forward);
        EACH_ROW(d, c, r) {
            const struct row *x = &d->rows.v[r];
            bool in = x->io == IO_INPUT, out = x->io == IO_OUTPUT && back;
            if ((in || out) && x->kind == ROW_TENSOR && !(x->has & IS_DAMAGED) && x->shape != NONE &&
                !call_has_shape(d, forward, in, x->shape))
                name_row(d, r, in ? _("its forward call has no output of that shape")
                                  : _("its forward call has no input of that shape"));
        }
    }
}

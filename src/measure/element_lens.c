/* Gives one or two tensors common axes and reads single elements; computes differences in units in the last place. */
#include "measure/element_lens.h"

#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"

static int plain_axes(const struct tensor *t)
{
    int n = 0;
    for (int i = 0; i < t->ndim; i++)
        n += t->shape[i] != 1;
    return n;
}

static bool same_axes(const struct element_lens *l, const struct tensor *t)
{
    return t->ndim == l->ndim && memcmp(t->shape, l->shape, (size_t)l->ndim * sizeof *t->shape) == 0;
}

void element_lens_init(struct element_lens *l, struct tensor *target, struct tensor *golden)
{
    struct tensor *from[2] = {target, golden};
    int of = -1;
    *l = (struct element_lens){.ndim = 0};
    for (int d = 0; d < 2; d++) {
        if (!from[d])
            continue;
        l->has[d] = true;
        l->t[d] = *from[d];
        *from[d] = (struct tensor){.numel = 0};
        tensor_part_complex(&l->t[d]);
        l->coarser = l->coarser ? dtype_coarser(l->coarser, l->t[d].dtype) : l->t[d].dtype;
        if (of < 0 || plain_axes(&l->t[d]) > plain_axes(&l->t[of]))
            of = d;
    }
    const struct tensor *s = &l->t[of];
    l->numel = s->numel;
    l->ndim = s->ndim ? s->ndim : 1;
    l->shape[0] = 1;
    memcpy(l->shape, s->shape, (size_t)s->ndim * sizeof *s->shape);
    uint64_t n = 1;
    for (int i = l->ndim - 1; i >= 0; i--) {
        l->step[i] = n;
        n *= (uint64_t)l->shape[i];
    }
    for (int d = 0; d < 2; d++) {
        struct tensor *t = &l->t[d];
        if (!l->has[d] || same_axes(l, t))
            continue;
        l->flat[d] = !tensor_packed(t);
        if (l->flat[d])
            continue;
        t->ndim = l->ndim;
        memcpy(t->shape, l->shape, sizeof t->shape);
        for (int i = 0; i < l->ndim; i++)
            t->stride[i] = (int64_t)l->step[i];
    }
}

void element_lens_release(struct element_lens *l)
{
    for (int d = 0; d < 2; d++)
        if (l->has[d])
            tensor_close(&l->t[d]);
    *l = (struct element_lens){.ndim = 0};
}

uint64_t element_lens_index(const struct element_lens *l, const int64_t at[TENSOR_DIMS])
{
    uint64_t n = 0;
    for (int i = 0; i < l->ndim; i++)
        n += (uint64_t)at[i] * l->step[i];
    return n;
}

void element_lens_place(const struct element_lens *l, uint64_t index, int64_t at[TENSOR_DIMS])
{
    for (int i = 0; i < l->ndim; i++) {
        at[i] = l->step[i] ? (int64_t)(index / l->step[i]) : 0;
        index = l->step[i] ? index % l->step[i] : 0;
    }
}

void element_lens_place_text(const struct element_lens *l, uint64_t index, struct buf *out)
{
    int64_t at[TENSOR_DIMS];
    element_lens_place(l, index, at);
    for (int i = 0; i < l->ndim; i++)
        buf_fmt(out, i ? ",%lld" : "[%lld", (long long)at[i]);
    buf_char(out, ']');
}

/* 2^e by setting the exponent bits, for normal results. */
static double power_of_two(int e)
{
    uint64_t u = (uint64_t)(e + 1023) << 52;
    double v;
    memcpy(&v, &u, sizeof v);
    return v;
}

/* The exponent of a type's smallest normal number. */
static int least_exponent(enum dtype d)
{
    switch (d) {
    case DTYPE_F16:
    case DTYPE_F8E5M2:
        return -14;
    case DTYPE_F8E4M3:
        return -6;
    case DTYPE_F64:
        return -970; /* keeps the spacing a normal double */
    default:
        return -126;
    }
}

double element_lens_ulp(const struct element_lens *l, double t, double g)
{
    double d = fabs(t - g), eps = dtype_table[l->coarser].epsilon;
    uint64_t bits;
    if (eps == 0 || d == 0)
        return d;
    memcpy(&bits, &g, sizeof bits);
    int e = (int)(bits >> 52 & 0x7ff) - 1023, least = least_exponent(l->coarser);
    if (e > 1023) /* g is not finite */
        return NAN;
    if (l->coarser == DTYPE_HIF8)
        return d / dtype_spacing(DTYPE_HIF8, g);
    return d / eps * power_of_two(-(e < least ? least : e > 1022 ? 1022 : e));
}

int element_lens_element(const struct element_lens *l, uint64_t index, struct element_lens_element *out, struct err *e)
{
    *out = (struct element_lens_element){.v = {NAN, NAN}};
    for (int d = 0; d < 2; d++) {
        struct tensor_walk w;
        if (!l->has[d])
            continue;
        tensor_walk_init(&w, &l->t[d]);
        tensor_walk_seek(&w, index);
        long got = tensor_walk_next(&w, out->raw[d], 1, e);
        tensor_walk_release(&w);
        if (got != 1)
            return got < 0 ? -1 : err_set(e, ERR_DATA, _("%s: the file has fewer elements than the "
                                                         "shape"), l->t[d].file.name);
        dtype_to_f64(l->t[d].dtype, out->raw[d], 1, &out->v[d]);
    }
    return 0;
}

void element_lens_text(const struct element_lens *l, int side, const struct element_lens_element *x, struct buf *out)
{
    enum dtype d = l->t[side].dtype;
    char n[NUM_MAX];
    if (d == DTYPE_I64 || d == DTYPE_U64) { /* these exceed a double's precision */
        int64_t i;
        uint64_t u;
        memcpy(&i, x->raw[side], sizeof i);
        memcpy(&u, x->raw[side], sizeof u);
        d == DTYPE_I64 ? buf_fmt(out, "%lld", (long long)i) : buf_fmt(out, "%llu", (unsigned long long)u);
        return;
    }
    double v = x->v[side];
    /* beside another type, show the digits of a double */
    bool alone = d == DTYPE_F32 && (!l->has[!side] || l->t[!side].dtype == d);
    for (int digits = 6; alone && isfinite(v) && digits < 10; digits++)
        if ((double)(float)strtod(num_cell(n, v, digits), NULL) == v) {
            buf_cstr(out, n);
            return;
        }
    buf_cstr(out, num_exact(n, v));
}

/* ---- reading ---- */

struct element_lens_plane element_lens_all(const struct element_lens *l)
{
    return (struct element_lens_plane){.outer = 1, .inner = l->numel, .outer_axis = -1, .inner_axis = -1, .all = true};
}

/* Lays one or two tensors under common axes and reads elements, planes and stretches of them, with the difference in
 * units of the last place. */
#include "measure/element_lens.h"

#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "num/gather.h"

#define SLAB_READS 128 /* reads in a row where a slab is gathered: about what one holds */

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

/* 2^e by its bits, for e of normal numbers. */
static double power(int e)
{
    uint64_t u = (uint64_t)(e + 1023) << 52;
    double v;
    memcpy(&v, &u, sizeof v);
    return v;
}

/* The exponents a type's normal numbers begin with. */
static int least_exponent(enum dtype d)
{
    switch (d) {
    case DTYPE_F16:
    case DTYPE_F8E5M2:
        return -14;
    case DTYPE_F8E4M3:
        return -6;
    case DTYPE_F64:
        return -970; /* so that the spacing is a normal double */
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
    return d / eps * power(-(e < least ? least : e > 1022 ? 1022 : e));
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
            return got < 0 ? -1 : err_set(e, ERR_DATA, _("%s: fewer elements than in its shape"), l->t[d].file.name);
        dtype_to_f64(l->t[d].dtype, out->raw[d], 1, &out->v[d]);
    }
    return 0;
}

void element_lens_text(const struct element_lens *l, int side, const struct element_lens_element *x, struct buf *out)
{
    enum dtype d = l->t[side].dtype;
    char n[NUM_MAX];
    if (d == DTYPE_I64 || d == DTYPE_U64) { /* a double does not hold all of these */
        int64_t i;
        uint64_t u;
        memcpy(&i, x->raw[side], sizeof i);
        memcpy(&u, x->raw[side], sizeof u);
        d == DTYPE_I64 ? buf_fmt(out, "%lld", (long long)i) : buf_fmt(out, "%llu", (unsigned long long)u);
        return;
    }
    double v = x->v[side];
    /* beside another type only all digits compare */
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

void element_lens_reader_init(struct element_lens_reader *r, const struct element_lens *l,
                              const struct element_lens_plane *p)
{
    *r = (struct element_lens_reader){.l = l, .p = *p, .raw = mem_alloc(ELEMENT_LENS_RUN * 16)};
    for (int d = 0; d < 2; d++) {
        struct tensor *t = &r->part[d];
        r->v[d] = mem_alloc(ELEMENT_LENS_RUN * sizeof(double));
        if (!l->has[d])
            continue;
        *t = l->t[d];
        if (!p->all && !l->flat[d]) {
            int64_t at[TENSOR_DIMS], stride[2] = {0, 0};
            element_lens_place(l, p->base, at);
            for (int i = 0; i < l->ndim; i++)
                t->offset += (uint64_t)at[i] * (uint64_t)t->stride[i] * dtype_table[t->dtype].size;
            if (p->outer_axis >= 0)
                stride[0] = t->stride[p->outer_axis];
            stride[1] = t->stride[p->inner_axis];
            t->ndim = 2;
            t->shape[0] = (int64_t)p->outer;
            t->shape[1] = (int64_t)p->inner;
            memcpy(t->stride, stride, sizeof stride);
            t->numel = p->outer * p->inner;
        }
        tensor_walk_init(&r->w[d], t);
    }
}

void element_lens_reader_release(struct element_lens_reader *r)
{
    for (int d = 0; d < 2; d++) {
        if (r->l && r->l->has[d])
            tensor_walk_release(&r->w[d]);
        free(r->v[d]);
    }
    free(r->raw);
    *r = (struct element_lens_reader){.l = NULL};
}

void element_lens_reader_rest(struct element_lens_reader *r)
{
    for (int d = 0; d < 2; d++)
        if (r->l->has[d])
            tensor_walk_release(&r->w[d]);
}

void element_lens_reader_pace(const struct element_lens_reader *r, size_t *run, size_t *row)
{
    *run = ELEMENT_LENS_RUN;
    *row = 1;
    for (int d = 0; d < 2; d++) {
        const struct tensor_walk *w = &r->w[d];
        if (!r->l->has[d])
            continue;
        bool single = r->l->flat[d] && !r->p.all;
        if (!single && w->stride[w->ndim - 1] == 1)
            continue;
        if (single || !gather_pays(w))
            *run = 256;
        else
            *row = SLAB_READS;
    }
    if (*run < ELEMENT_LENS_RUN)
        *row = 1;
}

/* Elements of a side whose axes are others: the plane's places one by one. */
static long read_single(struct element_lens_reader *r, int d, uint64_t at, size_t n, struct err *e)
{
    size_t size = dtype_table[r->l->t[d].dtype].size;
    for (size_t i = 0; i < n; i++) {
        uint64_t o = (at + i) / r->p.inner, k = (at + i) % r->p.inner;
        tensor_walk_seek(&r->w[d], r->p.base + (r->p.outer_axis >= 0 ? o * r->l->step[r->p.outer_axis] : 0) + k *
                         r->l->step[r->p.inner_axis]);
        if (tensor_walk_next(&r->w[d], r->raw + i * size, 1, e) != 1)
            return -1;
    }
    return (long)n;
}

int element_lens_read(struct element_lens_reader *r, uint64_t at, size_t n, struct err *e)
{
    for (int d = 0; d < 2; d++) {
        long got;
        if (!r->l->has[d])
            continue;
        if (r->l->flat[d] && !r->p.all) {
            got = read_single(r, d, at, n, e);
        } else {
            tensor_walk_seek(&r->w[d], at);
            got = tensor_walk_next(&r->w[d], r->raw, n, e);
        }
        if (got < 0 || (size_t)got != n)
            return got < 0 ? -1 : err_set(e, ERR_DATA, _("%s: fewer elements than in its shape"), r->l->t[d].file.name);
        dtype_to_f64(r->l->t[d].dtype, r->raw, n, r->v[d]);
    }
    return 0;
}

/* ---- the order of stretches ---- */

void element_lens_sweep_init(struct element_lens_sweep *s, uint64_t numel, size_t run, size_t row)
{
    uint64_t whole = (uint64_t)run * row;
    *s = (struct element_lens_sweep){.numel = numel, .run = run, .row = row,
                                     .rows = numel / whole + (numel % whole != 0), .stride = 1};
    /* steps of the golden section spread evenly whatever the count; coprime ones meet every row once */
    if (s->rows > 4)
        for (s->stride = (uint64_t)((double)s->rows * 0.6180339887498949); num_common(s->stride, s->rows) != 1;)
            s->stride++;
}

bool element_lens_sweep_take(struct element_lens_sweep *s, uint64_t *at, size_t *n)
{
    if (s->done == s->numel / s->run + (s->numel % s->run != 0))
        return false;
    *at = (s->next * s->row + s->in) * s->run;
    *n = s->numel - *at < s->run ? (size_t)(s->numel - *at) : s->run;
    s->done++;
    if (++s->in == s->row || *at + *n == s->numel) {
        s->in = 0;
        s->next = (s->next + s->stride) % s->rows;
    }
    return true;
}

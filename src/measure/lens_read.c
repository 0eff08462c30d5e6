/* Reads planes of the tensors of a lens, range by range, in an order that soon covers all of a plane. */
#include "measure/lens_read.h"

#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "num/gather.h"

#define SLAB_READS 128 /* consecutive reads if a slab is gathered: about its size */

void lens_read_init(struct lens_reader *r, const struct element_lens *l,
                              const struct element_lens_plane *p)
{
    *r = (struct lens_reader){.l = l, .p = *p, .raw = mem_alloc(ELEMENT_LENS_RUN * 16)};
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

void lens_read_release(struct lens_reader *r)
{
    for (int d = 0; d < 2; d++) {
        if (r->l && r->l->has[d])
            tensor_walk_release(&r->w[d]);
        free(r->v[d]);
    }
    free(r->raw);
    *r = (struct lens_reader){.l = NULL};
}

void lens_read_rest(struct lens_reader *r)
{
    for (int d = 0; d < 2; d++)
        if (r->l->has[d])
            tensor_walk_release(&r->w[d]);
}

void lens_read_pace(const struct lens_reader *r, size_t *run, size_t *row)
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

/* Reads elements of a side with other axes, place by place. */
static long read_single(struct lens_reader *r, int d, uint64_t at, size_t n, struct err *e)
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

int lens_read(struct lens_reader *r, uint64_t at, size_t n, struct err *e)
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
            return got < 0 ? -1 : err_set(e, ERR_DATA, _("%s: the file has fewer elements than the "
                                                         "shape"), r->l->t[d].file.name);
        dtype_to_f64(r->l->t[d].dtype, r->raw, n, r->v[d]);
    }
    return 0;
}

/* ---- order of ranges ---- */

void lens_sweep_init(struct lens_sweep *s, uint64_t numel, size_t run, size_t row)
{
    uint64_t whole = (uint64_t)run * row;
    *s = (struct lens_sweep){.numel = numel, .run = run, .row = row,
                                     .rows = numel / whole + (numel % whole != 0), .stride = 1};
    /* golden-section steps spread evenly for any count; coprime steps visit every row once */
    if (s->rows > 4)
        for (s->stride = (uint64_t)((double)s->rows * 0.6180339887498949); num_common(s->stride, s->rows) != 1;)
            s->stride++;
}

bool lens_sweep_take(struct lens_sweep *s, uint64_t *at, size_t *n)
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

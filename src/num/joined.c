/* Reads a tensor made of parts, in runs along the last axis. */
#include "num/joined.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/msg.h"

struct joined {
    struct tensor *part;
    size_t parts;
    struct joined_view view;
    enum dtype dtype; /* of the joined tensor */
};

void joined_view_release(struct joined_view *v)
{
    for (int i = 0; i < TENSOR_DIMS; i++) {
        free(v->part[i]);
        free(v->local[i]);
    }
    free(v->with);
    *v = (struct joined_view){0};
}

/* One read: a walk per part, begun when first needed. */
struct reading {
    const struct joined *j;
    struct tensor_walk *walk;
    int64_t index[TENSOR_DIMS]; /* in the joined tensor */
    unsigned char *raw;
    double *sum, *one;
};

static uint32_t part_here(const struct joined_view *v, const int64_t *index)
{
    uint32_t part = 0;
    for (int i = 0; i < v->ndim; i++)
        part += v->part[i] ? v->part[i][index[i]] : 0;
    return part;
}

static int64_t local_here(const struct joined_view *v, int axis, int64_t index)
{
    return v->local[axis] ? (int64_t)v->local[axis][index] : index;
}

/* The number of following elements that are adjacent in one part. */
static size_t run_here(const struct joined_view *v, const int64_t *index, size_t most)
{
    int last = v->ndim - 1;
    if (last < 0)
        return 1;
    int64_t i = index[last];
    size_t n = (size_t)(v->shape[last] - i), run = 1;
    n = n < most ? n : most;
    if (!v->part[last] && !v->local[last])
        return n;
    while (run < n && local_here(v, last, i + (int64_t)run) == local_here(v, last, i) + (int64_t)run &&
           (!v->part[last] || v->part[last][i + (int64_t)run] == v->part[last][i]))
        run++;
    return run;
}

static int read_joined_part(struct reading *r, uint32_t number, size_t n, void *out, struct err *e)
{
    const struct joined_view *v = &r->j->view;
    if (number >= r->j->parts)
        return err_set(e, ERR_DATA, _("%s: a part is missing"), r->j->part[0].file.name);
    const struct tensor *t = &r->j->part[number];
    struct tensor_walk *w = &r->walk[number];
    uint64_t at = 0;
    for (int i = 0; i < v->ndim; i++)
        at = at * (uint64_t)t->shape[i] + (uint64_t)local_here(v, i, r->index[i]);
    if (at + n > t->numel)
        return err_set(e, ERR_DATA, _("%s: the part has fewer elements than its shape"), t->file.name);
    if (!w->t)
        tensor_walk_init(w, t);
    tensor_walk_seek(w, at);
    for (size_t done = 0; done < n;) {
        long got = tensor_walk_next(w, (char *)out + done * dtype_table[t->dtype].size, n - done, e);
        if (got <= 0)
            return got < 0 ? -1 : err_set(e, ERR_DATA, _("%s: the part has fewer elements than its "
                                                         "shape"), t->file.name);
        done += (size_t)got;
    }
    return 0;
}

static int combine_parts(struct reading *r, uint32_t own, size_t n, void *out, struct err *e)
{
    const struct joined_view *v = &r->j->view;
    enum dtype type = r->j->part[0].dtype;
    for (size_t k = 0; k < v->combined; k++) {
        if (read_joined_part(r, own + (v->with ? v->with[k] : 0), n, r->raw, e))
            return -1;
        dtype_to_f64(type, r->raw, n, k ? r->one : r->sum);
        for (size_t i = 0; k && i < n; i++)
            if (v->by == JOINED_SUM)
                r->sum[i] += r->one[i];
            else if (r->one[i] > r->sum[i])
                r->sum[i] = r->one[i];
    }
    for (size_t i = 0; i < n; i++) {
        double x = r->sum[i] * v->scale;
        if (r->j->dtype == DTYPE_F64)
            memcpy((char *)out + i * 8, &x, 8);
        else
            memcpy((char *)out + i * 4, &(float){(float)x}, 4);
    }
    return 0;
}

static bool is_view_of_one_part(const struct joined_view *v)
{
    return v->combined <= 1 && v->scale == 1;
}

static void advance_joined_index(const struct joined_view *v, int64_t *index, size_t n)
{
    int last = v->ndim - 1;
    if (last < 0)
        return;
    index[last] += (int64_t)n;
    for (int i = last; i > 0 && index[i] >= v->shape[i]; i--) {
        index[i] = 0;
        index[i - 1]++;
    }
}

#define RUN 65536

static int read_elements(struct reading *r, uint64_t at, size_t n, void *out, struct err *e)
{
    const struct joined_view *v = &r->j->view;
    size_t size = dtype_table[r->j->dtype].size;
    for (int i = v->ndim - 1; i >= 0; i--) {
        r->index[i] = (int64_t)(at % (uint64_t)v->shape[i]);
        at /= (uint64_t)v->shape[i];
    }
    for (size_t done = 0; done < n;) {
        size_t run = run_here(v, r->index, n - done);
        run = run < RUN ? run : RUN;
        char *to = (char *)out + done * size;
        uint32_t own = part_here(v, r->index);
        if (is_view_of_one_part(v) ? read_joined_part(r, own + (v->with ? v->with[0] : 0), run, to, e)
            : combine_parts(r, own, run, to, e))
            return -1;
        advance_joined_index(v, r->index, run);
        done += run;
    }
    return 0;
}

static long joined_read(void *of, uint64_t at, void *out, size_t n, struct err *e)
{
    const struct joined *j = of;
    size_t size = dtype_table[j->dtype].size;
    struct reading r = {.j = j, .walk = mem_zalloc((j->parts + 1) * sizeof *r.walk)};
    if (!is_view_of_one_part(&j->view)) {
        r.raw = mem_alloc(RUN * 16);
        r.sum = mem_alloc(2 * RUN * sizeof *r.sum);
        r.one = r.sum + RUN;
    }
    uint64_t first = at / size, end = (at + n + size - 1) / size;
    bool whole = at % size == 0 && n % size == 0;
    char *bytes = whole ? out : mem_alloc((size_t)(end - first) * size);
    int rc = read_elements(&r, first, (size_t)(end - first), bytes, e);
    if (!whole) {
        memcpy(out, bytes + (at - first * size), n);
        free(bytes);
    }
    for (size_t i = 0; i < j->parts; i++)
        if (r.walk[i].t)
            tensor_walk_release(&r.walk[i]);
    free(r.walk);
    free(r.raw);
    free(r.sum);
    return rc ? -1 : (long)n;
}

static void joined_close(void *of)
{
    struct joined *j = of;
    for (size_t i = 0; i < j->parts; i++)
        tensor_close(&j->part[i]);
    free(j->part);
    joined_view_release(&j->view);
    free(j);
}

static const struct file_source joined_source = {joined_read, joined_close};

int joined_open(struct tensor *t, struct tensor *part, size_t parts, struct joined_view *v, const char *name,
                struct err *e)
{
    struct joined *j = mem_zalloc(sizeof *j);
    j->part = mem_alloc((parts + 1) * sizeof *part);
    memcpy(j->part, part, parts * sizeof *part);
    j->parts = parts;
    j->view = *v;
    *v = (struct joined_view){0};
    enum dtype type = part[0].dtype;
    j->dtype = is_view_of_one_part(&j->view)                               ? type
               : type == DTYPE_F64 || dtype_table[type].klass == CLASS_INT ? DTYPE_F64
                                                                           : DTYPE_F32;
    *t = (struct tensor){.dtype = j->dtype, .ndim = j->view.ndim};
    bool fits = true;
    for (size_t i = 0; i < parts; i++)
        fits &= part[i].dtype == type && part[i].ndim == t->ndim;
    memcpy(t->shape, j->view.shape, sizeof t->shape);
    if (!fits)
        err_set(e, ERR_DATA, _("%s: the parts differ in element type or number of axes"), name);
    if (!fits || tensor_pack(t, name, e)) {
        joined_close(j);
        *t = (struct tensor){0};
        return -1;
    }
    file_made(&t->file, name, t->numel * dtype_table[t->dtype].size, &joined_source, j);
    return 0;
}

/* Checks that a tensor is inside its file, makes views by changing strides, and reads elements in row-major order, a
 * run at a time. */
#include "num/tensor.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/msg.h"
#include "num/gather.h"

#define MOST_REPEATED (1u << 20)
#define PAGE_BYTES (64 * 1024)
#define PAGE_COUNT 512 /* 32 MB per walk at most */
#define DIRECT_BYTES 1024 /* runs of this many bytes are read directly: a cache page would mostly contain other data */
#define LONG_WALK 4096 /* requests of this size come from sequential readers */

struct walk_page {
    uint64_t at; /* byte offset in the file, UINT64_MAX: empty */
    size_t n;
    unsigned char *bytes;
};

int tensor_pack(struct tensor *t, const char *what, struct err *e)
{
    uint64_t n = 1;
    for (int i = t->ndim - 1; i >= 0; i--) {
        t->stride[i] = (int64_t)n;
        if (t->shape[i] < 0)
            return err_set(e, ERR_DATA, _("%s: negative size %lld in a shape"), what,
                           (long long)t->shape[i]);
        if (t->shape[i] && n > (uint64_t)INT64_MAX / 16 / (uint64_t)t->shape[i])
            return err_set(e, ERR_DATA, _("%s: the shape has more elements than a file can hold"), what);
        n *= (uint64_t)t->shape[i];
    }
    t->numel = n;
    return 0;
}

int tensor_check(const struct tensor *t, uint64_t from, uint64_t to, struct err *e)
{
    if (!t->numel)
        return 0;
    uint64_t size = dtype_table[t->dtype].size;
    if (!size)
        return err_set(e, ERR_DATA, _("%s: unknown element type"), t->file.name);
    /* strides come from hostile files: check each step so that sums stay inside 64 bits */
    uint64_t reach = 0, room = to > t->offset ? to - t->offset : 0;
    for (int i = 0; i < t->ndim; i++) {
        uint64_t steps = (uint64_t)t->shape[i] - 1;
        if (t->stride[i] < 0)
            return err_set(e, ERR_DATA, _("%s: negative stride"), t->file.name);
        if (steps && (uint64_t)t->stride[i] > (room / size) / steps)
            reach = room; /* already out of range */
        else
            reach += steps * (uint64_t)t->stride[i];
        if (reach > room / size)
            reach = room;
    }
    if (t->offset < from || reach >= room / size)
        return err_at(e, t->file.name, to,
                      _("end of data; the shape needs %llu elements of %u bytes"),
                      (unsigned long long)t->numel, dtype_table[t->dtype].size);
    /* a stride of 0 repeats elements: an expanded mask does so some thousand times, but not without limit */
    if (t->numel / (reach + 1) > MOST_REPEATED)
        return err_set(e, ERR_DATA, _("%s: the shape has %llu elements, the storage %llu"), t->file.name,
                       (unsigned long long)t->numel, (unsigned long long)reach + 1);
    return 0;
}

void tensor_close(struct tensor *t)
{
    file_close(&t->file);
}

bool tensor_packed(const struct tensor *t)
{
    int64_t n = 1;
    for (int i = t->ndim - 1; i >= 0; i--) {
        if (t->shape[i] != 1 && t->stride[i] != n)
            return false;
        n *= t->shape[i];
    }
    return true;
}

void tensor_permute(struct tensor *t, const int *perm)
{
    struct tensor was = *t;
    for (int i = 0; i < t->ndim; i++) {
        t->shape[i] = was.shape[perm[i]];
        t->stride[i] = was.stride[perm[i]];
    }
}

bool tensor_part_complex(struct tensor *t)
{
    if (dtype_table[t->dtype].klass != CLASS_COMPLEX || t->ndim == TENSOR_DIMS)
        return false;
    t->dtype = t->dtype == DTYPE_C64 ? DTYPE_F32 : DTYPE_F64;
    for (int i = 0; i < t->ndim; i++)
        t->stride[i] *= 2;
    t->shape[t->ndim] = 2;
    t->stride[t->ndim++] = 1;
    t->numel *= 2;
    return true;
}

void tensor_walk_init(struct tensor_walk *w, const struct tensor *t)
{
    *w = (struct tensor_walk){.t = t};
    /* axes that are contiguous in storage are merged */
    for (int i = 0; t->numel && i < t->ndim; i++) {
        if (t->shape[i] == 1)
            continue;
        int k = w->ndim - 1;
        if (k >= 0 && w->stride[k] == t->stride[i] * t->shape[i]) {
            w->shape[k] *= t->shape[i];
            w->stride[k] = t->stride[i];
        } else {
            w->shape[w->ndim] = t->shape[i];
            w->stride[w->ndim++] = t->stride[i];
        }
    }
    if (!w->ndim) {
        w->shape[0] = 1;
        w->stride[0] = 1;
        w->ndim = 1;
    }
}

void tensor_walk_release(struct tensor_walk *w)
{
    for (int i = 0; w->pages && i < PAGE_COUNT; i++)
        free(w->pages[i].bytes);
    free(w->pages);
    w->pages = NULL;
    if (w->slab)
        free(w->slab->bytes);
    free(w->slab);
    w->slab = NULL;
}

void tensor_walk_seek(struct tensor_walk *w, uint64_t at)
{
    w->at = at;
    for (int i = w->ndim - 1; i >= 0; i--) {
        uint64_t n = (uint64_t)w->shape[i];
        w->index[i] = (int64_t)(at % n);
        at /= n;
    }
}

/* Reads through the page cache. Elements may cross pages if the offset is odd. */
static int fetch_from_pages(struct tensor_walk *w, uint64_t at, unsigned char *out, size_t size, struct err *e)
{
    if (!w->pages) {
        w->pages = mem_alloc(PAGE_COUNT * sizeof *w->pages);
        for (int i = 0; i < PAGE_COUNT; i++)
            w->pages[i] = (struct walk_page){.at = UINT64_MAX};
    }
    while (size) {
        uint64_t base = at / PAGE_BYTES * PAGE_BYTES;
        struct walk_page *p = &w->pages[base / PAGE_BYTES % PAGE_COUNT];
        if (p->at != base) {
            if (!p->bytes)
                p->bytes = mem_alloc(PAGE_BYTES);
            long got = file_read_some(&w->t->file, base, p->bytes, PAGE_BYTES, e);
            if (got < 0)
                return -1;
            p->at = base;
            p->n = (size_t)got;
        }
        size_t from = (size_t)(at - base), part = PAGE_BYTES - from < size ? PAGE_BYTES - from : size;
        if (from + part > p->n)
            return err_at(e, w->t->file.name, base + p->n,
                          _("end of file; the file was longer before: read it again"));
        memcpy(out, p->bytes + from, part);
        out += part;
        at += part;
        size -= part;
    }
    return 0;
}

int walk_fetch(struct tensor_walk *w, uint64_t at, unsigned char *out, size_t n, struct err *e)
{
    return n >= DIRECT_BYTES ? file_read(&w->t->file, at, out, n, e) : fetch_from_pages(w, at, out, n, e);
}

static void swap_bytes(unsigned char *p, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i++, p += size)
        for (size_t a = 0, b = size - 1; a < b; a++, b--) {
            unsigned char c = p[a];
            p[a] = p[b];
            p[b] = c;
        }
}

/* One step along the last axis, carrying into the ones before. */
static void advance_walk(struct tensor_walk *w, uint64_t steps)
{
    int last = w->ndim - 1;
    w->at += steps;
    w->index[last] += (int64_t)steps;
    for (int i = last; i > 0 && w->index[i] >= w->shape[i]; i--) {
        w->index[i] = 0;
        w->index[i - 1]++;
    }
}

/* The part of the next n elements in the slab, which is refilled if needed. */
static long from_slab(struct tensor_walk *w, void *out, size_t n, struct err *e)
{
    size_t size = dtype_table[w->t->dtype].size;
    if (!w->slab || w->at < w->slab->at || w->at >= w->slab->at + w->slab->n)
        if (gather_fill(w, w->at, e))
            return -1;
    uint64_t skip = w->at - w->slab->at;
    if (n > w->slab->n - skip)
        n = (size_t)(w->slab->n - skip);
    memcpy(out, w->slab->bytes + skip * size, n * size);
    return (long)n;
}

/* Reads a run along the last axis. */
static int read_run(struct tensor_walk *w, unsigned char *out, size_t n, struct err *e)
{
    const struct tensor *t = w->t;
    size_t size = dtype_table[t->dtype].size;
    int last = w->ndim - 1;
    uint64_t first = 0;
    for (int i = 0; i <= last; i++)
        first += (uint64_t)w->index[i] * (uint64_t)w->stride[i];
    uint64_t byte = t->offset + first * size;
    if (w->stride[last] == 1)
        return w->ndim == 1 ? file_read(&t->file, byte, out, n * size, e) : walk_fetch(w, byte, out, n * size, e);
    for (size_t i = 0; i < n; i++)
        if (fetch_from_pages(w, byte + i * size * (uint64_t)w->stride[last], out + i * size, size, e))
            return -1;
    return 0;
}

long tensor_walk_next(struct tensor_walk *w, void *out, size_t n, struct err *e)
{
    const struct tensor *t = w->t;
    size_t size = dtype_table[t->dtype].size, done = 0;
    int last = w->ndim - 1;
    if (n > t->numel - w->at)
        n = (size_t)(t->numel - w->at);
    bool slab = n >= LONG_WALK && w->stride[last] != 1 && gather_pays(w);
    while (done < n) {
        unsigned char *to = (unsigned char *)out + done * size;
        size_t run = (size_t)(w->shape[last] - w->index[last]);
        if (run > n - done)
            run = n - done;
        if (slab) {
            long got = from_slab(w, to, n - done, e);
            if (got < 0)
                return -1;
            run = (size_t)got;
            tensor_walk_seek(w, w->at + run);
        } else {
            if (read_run(w, to, run, e))
                return -1;
            advance_walk(w, run);
        }
        done += run;
    }
    if (t->swap)
        swap_bytes(out, done, size);
    return (long)done;
}

int tensor_walk_value(struct tensor_walk *w, uint64_t at, double *out, struct err *e)
{
    unsigned char raw[16];
    const struct tensor *t = w->t;
    size_t size = dtype_table[t->dtype].size;
    uint64_t element = 0;
    for (int i = w->ndim - 1; i >= 0; i--) {
        element += at % (uint64_t)w->shape[i] * (uint64_t)w->stride[i];
        at /= (uint64_t)w->shape[i];
    }
    uint64_t byte = t->offset + element * size;
    bool direct = w->ndim == 1 && w->stride[0] == 1;
    if (direct ? file_read(&t->file, byte, raw, size, e) : fetch_from_pages(w, byte, raw, size, e))
        return -1;
    if (t->swap)
        swap_bytes(raw, 1, size);
    if (dtype_fits_f32(t->dtype)) { /* without the detour of a block */
        float value;
        dtype_to_f32(t->dtype, raw, 1, &value);
        *out = (double)value;
    } else {
        dtype_to_f64(t->dtype, raw, 1, out);
    }
    return 0;
}

int tensor_walk_values(struct tensor_walk *w, double *out, size_t n, struct err *e)
{
    unsigned char raw[LONG_WALK * 16];
    while (n) {
        long got = tensor_walk_next(w, raw, n < LONG_WALK ? n : LONG_WALK, e);
        if (got == 0)
            err_set(e, ERR_DATA, _("%s: the file has fewer elements than the shape"), w->t->file.name);
        if (got <= 0)
            return -1;
        dtype_to_f64(w->t->dtype, raw, (size_t)got, out);
        out += got;
        n -= (size_t)got;
    }
    return 0;
}

/* Reads CANN's binary operator dumps: finds the tensors by the header and lays formats of the device back. Every length
 * of the header is compared with the file. */
#include "fmt/cann_dump.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/msg.h"
#include "base/proto_fields.h"

#define HEADER_MOST (64u << 20)
#define TENSORS_MOST 65536u
#define WINDOW (256u << 10) /* bytes that are read at once where elements lie apart */
#define NEAR 65536          /* bytes that are read over rather than read twice */

bool cann_name(struct str name)
{
    struct str part, rest = name;
    unsigned long long v;
    int n = 0;
    for (bool again = true; again; n++) {
        again = str_split(rest, '.', &part, &rest);
        if (!part.n || (n >= 2 && !str_u64(part, &v)))
            return false;
        if (n == 4 && part.n < 10) /* microseconds since 1970 */
            return false;
    }
    return n >= 5 && n <= 9;
}

/* ---- the header ---- */

/* A message Shape: its field 1 is the sizes, packed or one by one. */
static void read_shape(struct str s, int64_t *dim, int *ndim, bool *too_deep)
{
    struct proto_field f;
    uint64_t v;
    *ndim = 0;
    while (proto_next(&s, &f)) {
        struct str packed = f.bytes;
        if (f.number != 1)
            continue;
        if (f.type == 2) {
            while (packed.n && proto_varint(&packed, &v))
                *ndim < TENSOR_DIMS ? (void)(dim[(*ndim)++] = (int64_t)v) : (void)(*too_deep = true);
        } else if (f.type == 0) {
            *ndim < TENSOR_DIMS ? (void)(dim[(*ndim)++] = (int64_t)f.v) : (void)(*too_deep = true);
        }
    }
}

/* Numbers of the fields of OpOutput and OpInput: the latter has no original operator. */
static const struct {
    unsigned size, original, sub_format;
} field_numbers[] = {{5, 6, 7}, {6, 7, 8}};

/* data: where the bytes are that the header itself holds; NULL: none. */
static void read_tensor(struct str s, struct cann_tensor *x, const char **data, uint64_t *held)
{
    struct proto_field f;
    *data = NULL;
    while (proto_next(&s, &f)) {
        if (f.number == 1 && f.type == 0)
            x->type = f.v;
        else if (f.number == 2 && f.type == 0)
            x->format = f.v;
        else if (f.number == 3 && f.type == 2)
            read_shape(f.bytes, x->shape, &x->ndim, &x->too_deep);
        else if (f.number == 4 && f.type == 2 && f.bytes.n) {
            *data = f.bytes.p;
            *held = f.bytes.n;
        } else if (f.number == field_numbers[x->output].size && f.type == 0)
            x->size = f.v;
        else if (f.number == field_numbers[x->output].original && f.type == 2)
            read_shape(f.bytes, x->original, &x->original_ndim, &x->too_deep);
        else if (f.number == field_numbers[x->output].sub_format && f.type == 0)
            x->sub_format = f.v;
    }
}

/* Adds the tensors of one field of the message; *at: where the next one's bytes begin. */
static int list_side(struct str header, bool output, uint64_t *at, uint64_t end, cann_tensors *out, const char *name,
                     struct err *e)
{
    struct str s = header;
    struct proto_field f;
    uint32_t slot = 0;
    while (proto_next(&s, &f)) {
        struct cann_tensor x = {.output = output, .slot = slot};
        const char *data;
        uint64_t held = 0;
        if (f.number != (output ? 3u : 4u) || f.type != 2)
            continue;
        if (out->n == TENSORS_MOST)
            return err_set(e, ERR_DATA, _("%s: more than %u tensors in one operator"), name, TENSORS_MOST);
        read_tensor(f.bytes, &x, &data, &held);
        if (data) {
            x.at = 8 + (uint64_t)(data - header.p);
            x.size = held;
        } else {
            x.at = *at;
            *at = x.size > end - *at ? end : *at + x.size; /* what is cut off is refused when it is opened */
            if (x.size > end - x.at)
                x.at = end;
        }
        slot++;
        vec_push(out, x);
    }
    return s.n ? err_at(e, name, 8 + (uint64_t)(s.p - header.p), _("expected a field of CANN's header")) : 0;
}

int cann_list(const struct file *f, cann_tensors *out, struct err *e)
{
    unsigned char length[8];
    uint64_t n;
    if (f->size < 8 || file_read(f, 0, length, 8, e))
        return f->size < 8 ? err_set(e, ERR_DATA, _("%s: expected CANN's header, found %llu bytes"), f->name,
                                     (unsigned long long)f->size) : -1;
    n = proto_little(length, 8);
    if (!n || n > f->size - 8 || n > HEADER_MOST)
        return err_at(e, f->name, 0, _("expected the length of CANN's header, found %llu in a file of %llu bytes"),
                      (unsigned long long)n, (unsigned long long)f->size);
    char *header = mem_alloc(n);
    int rc = file_read(f, 8, header, n, e);
    uint64_t at = 8 + n;
    for (int output = 0; output < 2 && rc == 0; output++)
        rc = list_side(str_n(header, n), output, &at, f->size, out, f->name, e);
    free(header);
    if (rc == 0 && !out->n)
        rc = err_set(e, ERR_DATA, _("%s: CANN's header names no input or output"), f->name);
    return rc;
}

const char *cann_type(const struct cann_tensor *x)
{
    static const char *const names[] = {
        [1] = "float32", [2] = "float16", [3] = "int8",   [4] = "uint8",  [5] = "int16",      [6] = "uint16",
        [7] = "int32",   [8] = "int64",   [9] = "uint32", [10] = "uint64", [11] = "bool",      [12] = "float64",
        [16] = "complex64", [17] = "complex128", [18] = "int8", [19] = "int16", [20] = "int32", [21] = "uint8",
        [22] = "uint16", [33] = "hifloat8", [27] = "bfloat16", [34] = "float8_e5m2", [35] = "float8_e4m3fn",
    };
    return x->type < ARRAY_LEN(names) ? names[x->type] : NULL;
}

/* ---- layouts ---- */

/* One axis of the original shape in the device's memory: element i of it lies at i / block * outer + i % block * inner,
 * in elements. */
struct cann_axis {
    int64_t size, block, outer, inner;
};

struct cann_layout {
    struct cann_axis axis[TENSOR_DIMS];
    int n;
};

enum { NC1HWC0 = 3, FRACTAL_Z = 4, NC1HWC0_C04 = 12, FRACTAL_NZ = 29, NDC1HWC0 = 32, FRACTAL_Z_3D = 33 };

static int64_t block_count(int64_t n, int64_t block)
{
    return n / block + (n % block != 0);
}

static void put_axis(struct cann_layout *l, int64_t size, int64_t block, int64_t outer, int64_t inner)
{
    l->axis[l->n++] = (struct cann_axis){size, block, outer, inner};
}

/* [N, D, C1, H, W, C0] for N, C, D, H, W: `with_depth`: the axis D is in both shapes. Channels last where only that
 * fits. */
static bool lay_blocked_channels(const struct cann_tensor *x, bool with_depth, struct cann_layout *l)
{
    const int64_t *d = x->shape, *o = x->original;
    const int n = with_depth ? 5 : 4;
    if (x->ndim != n + 1 || x->original_ndim != n)
        return false;
    const int64_t depth = with_depth ? d[1] : 1, c1 = d[n - 3], h = d[n - 2], w = d[n - 1], c0 = d[n];
    const int64_t plane = h * w * c0;
    for (int last = 0; last < 2; last++) {
        const int64_t *spatial = o + (last ? 1 : 2), channels = last ? o[n - 1] : o[1];
        if (o[0] != d[0] || block_count(channels, c0) != c1 || (with_depth && spatial[0] != depth) ||
            spatial[with_depth] != h || spatial[with_depth + 1] != w)
            continue;
        put_axis(l, o[0], 1, depth * c1 * plane, 0);
        if (!last)
            put_axis(l, channels, c0, plane, 1);
        if (with_depth)
            put_axis(l, depth, 1, c1 * plane, 0);
        put_axis(l, h, 1, w * c0, 0);
        put_axis(l, w, 1, c0, 0);
        if (last)
            put_axis(l, channels, c0, plane, 1);
        return true;
    }
    return false;
}

/* [D C1 H W, N1, N0, C0] of a filter N, C, D, H, W; the last axes first (H, W, C, N) where only that fits. */
static bool lay_filter(const struct cann_tensor *x, bool with_depth, struct cann_layout *l)
{
    const int64_t *d = x->shape, *o = x->original;
    const int n = with_depth ? 5 : 4;
    if (x->ndim != 4 || x->original_ndim != n)
        return false;
    for (int last = 0; last < 2; last++) {
        const int64_t outputs = last ? o[n - 1] : o[0], channels = last ? o[n - 2] : o[1];
        const int64_t *spatial = o + (last ? 0 : 2);
        const int64_t depth = with_depth ? spatial[0] : 1, h = spatial[with_depth], w = spatial[with_depth + 1];
        const int64_t n1 = d[1], n0 = d[2], c0 = d[3], c1 = block_count(channels, c0), unit = n1 * n0 * c0;
        if (depth > INT32_MAX || h > INT32_MAX || w > INT32_MAX || c1 > INT32_MAX || h * w > INT32_MAX ||
            depth * c1 > INT32_MAX || depth * c1 * (h * w) != d[0] || block_count(outputs, n0) != n1)
            continue;
        if (!last)
            put_axis(l, outputs, n0, n0 * c0, c0);
        if (!last)
            put_axis(l, channels, c0, h * w * unit, 1);
        if (with_depth)
            put_axis(l, depth, 1, c1 * h * w * unit, 0);
        put_axis(l, h, 1, w * unit, 0);
        put_axis(l, w, 1, unit, 0);
        if (last)
            put_axis(l, channels, c0, h * w * unit, 1);
        if (last)
            put_axis(l, outputs, n0, n0 * c0, c0);
        return true;
    }
    return false;
}

/* [..., N1, M1, M0, N0] of matrices [..., M, N]. */
static bool lay_matrix(const struct cann_tensor *x, struct cann_layout *l)
{
    const int64_t *d = x->shape, *o = x->original;
    const int batch = x->ndim - 4;
    int64_t m = 1, n, each;
    if (batch < 0 || x->original_ndim < 1 || (x->original_ndim == 1 ? batch != 0 : x->original_ndim - 2 != batch))
        return false;
    n = o[x->original_ndim - 1];
    if (x->original_ndim > 1)
        m = o[x->original_ndim - 2];
    const int64_t n1 = d[batch], m1 = d[batch + 1], m0 = d[batch + 2], n0 = d[batch + 3];
    if (block_count(m, m0) != m1 || block_count(n, n0) != n1)
        return false;
    each = n1 * m1 * m0 * n0;
    for (int i = batch - 1; i >= 0; i--) {
        if (o[i] != d[i])
            return false;
        l->axis[i] = (struct cann_axis){o[i], 1, each, 0};
        each *= d[i];
    }
    l->n = batch;
    if (x->original_ndim > 1)
        put_axis(l, m, m0, m0 * n0, n0);
    put_axis(l, n, n0, m1 * m0 * n0, 1);
    return true;
}

/* Whether the layout of the format is known and the shapes fit it. */
static bool find_layout(const struct cann_tensor *x, struct cann_layout *l)
{
    switch (x->format & 0xff) {
    case NC1HWC0:
    case NC1HWC0_C04:
        return lay_blocked_channels(x, false, l);
    case NDC1HWC0:
        return lay_blocked_channels(x, true, l);
    case FRACTAL_Z:
        return x->sub_format <= 1 && lay_filter(x, false, l);
    case FRACTAL_Z_3D:
        return x->sub_format <= 1 && lay_filter(x, true, l);
    case FRACTAL_NZ:
        return lay_matrix(x, l);
    default:
        return false;
    }
}

/* Formats whose elements lie in the order of their shape. */
static bool plain_format(uint64_t format)
{
    static const uint8_t plain[] = {0, 1, 2, 16, 27, 30, 31, 35, 47}; /* NCHW, NHWC, ND, HWCN, NDHWC, NCDHW, DHWCN, NC,
                                                                      * NCL */
    for (size_t i = 0; i < ARRAY_LEN(plain); i++)
        if ((format & 0xff) == plain[i])
            return true;
    return false;
}

/* ---- laying back ---- */

struct laid_back {
    struct file file; /* the dump's own */
    struct cann_layout layout;
    uint64_t at, numel;
    size_t width;
};

/* Where element i of the original order lies, and how many after it, at most `most`, follow it there. */
static uint64_t element_at(const struct cann_layout *l, uint64_t i, uint64_t most, uint64_t *run)
{
    uint64_t at = 0;
    for (int k = l->n - 1; k >= 0; k--) {
        const struct cann_axis *a = &l->axis[k];
        uint64_t x = i % (uint64_t)a->size, in = x % (uint64_t)a->block;
        i /= (uint64_t)a->size;
        at += x / (uint64_t)a->block * (uint64_t)a->outer + in * (uint64_t)a->inner;
        if (k == l->n - 1) {
            uint64_t left = (uint64_t)a->block - in;
            if (left > (uint64_t)a->size - x)
                left = (uint64_t)a->size - x;
            *run = a->inner == 1 ? left : 1;
        }
    }
    *run = *run > most ? most : *run;
    return at;
}

struct window {
    char *p;
    uint64_t at, n;
};

/* n bytes at `at` of the file: from the window, which moves on where they lie shortly behind it. */
static int fetch_window(const struct laid_back *l, struct window *w, uint64_t at, char *out, size_t n, struct err *e)
{
    if (at < w->at || at + n > w->at + w->n) {
        bool near = n < NEAR && at >= w->at && at - w->at < w->n + NEAR;
        if (!near && w->n)
            w->at = at, w->n = n < WINDOW ? n : 0;
        else
            w->at = at, w->n = WINDOW;
        const uint64_t left = l->file.size - at;
        w->n = w->n > left ? left : w->n;
        if (w->n < n)
            return file_read(&l->file, at, out, n, e);
        if (file_read(&l->file, at, w->p, w->n, e))
            return -1;
    }
    memcpy(out, w->p + (at - w->at), n);
    return 0;
}

static long read_laid_back(void *of, uint64_t at, void *out, size_t n, struct err *e)
{
    const struct laid_back *l = of;
    const uint64_t total = l->numel * l->width;
    struct window w = {.p = mem_alloc(WINDOW)};
    size_t done = 0;
    int rc = 0;
    n = at >= total ? 0 : n > total - at ? (size_t)(total - at) : n;
    while (done < n && rc == 0) {
        uint64_t i = (at + done) / l->width, within = (at + done) % l->width, run = 1;
        uint64_t from = element_at(&l->layout, i, l->numel - i, &run);
        uint64_t bytes = run * l->width - within;
        bytes = bytes > n - done ? n - done : bytes;
        rc = fetch_window(l, &w, l->at + from * l->width + within, (char *)out + done, (size_t)bytes, e);
        done += (size_t)bytes;
    }
    free(w.p);
    return rc ? -1 : (long)n;
}

static void close_laid_back(void *of)
{
    struct laid_back *l = of;
    file_close(&l->file);
    free(l);
}

static const struct file_source laid_back_source = {.read = read_laid_back, .close = close_laid_back};

/* As strides over the bytes as they lie, where one stride an axis is enough. */
static bool as_strides(struct tensor *t, const struct cann_layout *l)
{
    int64_t stride[TENSOR_DIMS];
    for (int k = 0; k < l->n; k++) {
        const struct cann_axis *a = &l->axis[k];
        if (a->size <= a->block && a->block > 1)
            stride[k] = a->inner;
        else if (a->block == 1 || a->outer == a->block * a->inner)
            stride[k] = a->block == 1 ? a->outer : a->inner;
        else
            return false;
    }
    memcpy(t->stride, stride, (size_t)l->n * sizeof *stride);
    return true;
}

/* ---- opening ---- */

/* The product of the sizes; false if it is beyond what a file holds, or one is negative. */
static bool count_elements(const int64_t *dim, int n, uint64_t most, uint64_t *count)
{
    bool any = true;
    *count = 1;
    for (int i = 0; i < n; i++)
        if (dim[i] < 0)
            return false;
        else
            any = any && dim[i];
    for (int i = 0; i < n && any; i++) {
        if ((uint64_t)dim[i] > most / *count)
            return false;
        *count *= (uint64_t)dim[i];
    }
    *count = any ? *count : 0;
    return true;
}

static int cann_unfit(const struct tensor *t, const struct cann_tensor *x, struct err *e)
{
    return err_set(e, ERR_DATA, _("%s: %s.%u: format %llu of CANN with %d axes for %d: this layout is not known"),
                   t->file.name, x->output ? "output" : "input", x->slot, (unsigned long long)x->format, x->ndim,
                   x->original_ndim);
}

static int cann_dump_lay_out(struct tensor *t, const struct cann_tensor *x, uint64_t room, struct err *e)
{
    struct cann_layout l = {.n = 0};
    uint64_t elements;
    for (int i = 0; i < x->ndim; i++)
        if (x->shape[i] < 1)
            return cann_unfit(t, x, e);
    for (int i = 0; i < x->original_ndim; i++)
        if (x->original[i] < 1)
            return cann_unfit(t, x, e);
    if (!count_elements(x->original, x->original_ndim, room, &elements) || !find_layout(x, &l))
        return cann_unfit(t, x, e);
    t->ndim = x->original_ndim;
    memcpy(t->shape, x->original, sizeof t->shape);
    if (tensor_pack(t, t->file.name, e))
        return -1;
    if (as_strides(t, &l))
        return tensor_check(t, x->at, x->at + x->size, e);
    struct laid_back *of = mem_zalloc(sizeof *of);
    char *name = mem_strdup(t->file.name);
    *of = (struct laid_back){.file = t->file, .layout = l, .at = x->at, .numel = t->numel,
                             .width = dtype_table[t->dtype].size};
    t->file = (struct file){0};
    file_made(&t->file, name, t->numel * of->width, &laid_back_source, of);
    free(name);
    t->offset = 0;
    return 0;
}

static int open_listed(struct tensor *t, const struct cann_tensor *x, struct err *e)
{
    const char *type = cann_type(x);
    uint64_t elements, end = t->file.size;
    if (x->too_deep)
        return cann_unfit(t, x, e);
    t->dtype = type ? dtype_find(str_of(type)) : DTYPE_UNKNOWN;
    if (t->dtype == DTYPE_UNKNOWN)
        return err_set(e, ERR_DATA, _("%s: %s.%u: element type %llu of CANN is not read"), t->file.name,
                       x->output ? "output" : "input", x->slot, (unsigned long long)x->type);
    const uint64_t width = dtype_table[t->dtype].size, room = x->size / width;
    if (x->at > end || x->size > end - x->at)
        return err_at(e, t->file.name, x->at, _("truncated file: %llu bytes of %s.%u expected, %llu left"),
                      (unsigned long long)x->size, x->output ? "output" : "input", x->slot,
                      (unsigned long long)(x->at > end ? 0 : end - x->at));
    if (!count_elements(x->shape, x->ndim, room, &elements) || elements > room)
        return err_at(e, t->file.name, x->at, _("%s.%u: its shape has more elements than its %llu bytes"),
                      x->output ? "output" : "input", x->slot, (unsigned long long)x->size);
    t->offset = x->at;
    t->swap = false;
    if (!plain_format(x->format))
        return cann_dump_lay_out(t, x, room, e);
    t->ndim = x->ndim;
    memcpy(t->shape, x->shape, sizeof t->shape);
    return tensor_pack(t, t->file.name, e) ? -1 : tensor_check(t, x->at, x->at + x->size, e);
}

/* As other formats give complex numbers: their parts as one more axis. */
static int open_parts(struct tensor *t, const struct cann_tensor *x, struct err *e)
{
    if (open_listed(t, x, e))
        return -1;
    if (dtype_table[t->dtype].klass == CLASS_COMPLEX && !tensor_part_complex(t))
        return cann_unfit(t, x, e);
    return 0;
}

int cann_open(struct tensor *t, bool output, uint32_t slot, struct err *e)
{
    cann_tensors all = {0};
    int rc = cann_list(&t->file, &all, e);
    const struct cann_tensor *x = NULL;
    for (size_t i = 0; i < all.n && rc == 0; i++)
        if (all.v[i].output == output && all.v[i].slot == slot)
            x = &all.v[i];
    if (rc == 0)
        rc = x ? open_parts(t, x, e)
               : err_set(e, ERR_DATA, _("%s: no tensor %s.%u in this file"), t->file.name,
                         output ? "output" : "input", slot);
    vec_release(&all);
    return rc;
}

/* The header is a Python dict literal of three keys:
 *   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
 * Read by looking for each key, since writers differ in blanks and order. */
#include "fmt/npy.h"

#include <stdlib.h>

#include "base/msg.h"

#define HEADER_MAX (1u << 20)

static struct str skip_blank(struct str s)
{
    while (s.n && (s.p[0] == ' ' || s.p[0] == '\t' || s.p[0] == '\n'))
        s = str_cut(s, 1);
    return s;
}

/* What stands behind `'key':`; empty when the key is missing. */
static struct str value_of(struct str header, const char *key)
{
    size_t n = strlen(key);
    for (size_t i = 1; i + n + 1 < header.n; i++)
        if (memcmp(header.p + i, key, n) == 0 && (header.p[i - 1] == '\'' || header.p[i - 1] == '"') &&
            header.p[i + n] == header.p[i - 1]) {
            struct str rest = skip_blank(str_cut(header, i + n + 1));
            if (rest.n && rest.p[0] == ':')
                return skip_blank(str_cut(rest, 1));
        }
    return str_n("", 0);
}

static int parse_shape(struct tensor *t, struct str s)
{
    if (!s.n || s.p[0] != '(')
        return -1;
    s = skip_blank(str_cut(s, 1));
    t->ndim = 0;
    while (s.n && s.p[0] != ')') {
        int64_t v = 0;
        size_t digits = 0;
        while (digits < s.n && s.p[digits] >= '0' && s.p[digits] <= '9') {
            if (v > INT64_MAX / 16)
                return -1;
            v = v * 10 + (s.p[digits++] - '0');
        }
        if (!digits || t->ndim == TENSOR_DIMS)
            return -1;
        t->shape[t->ndim++] = v;
        s = str_cut(s, digits);
        if (s.n && s.p[0] == 'L')
            s = str_cut(s, 1);
        s = skip_blank(s);
        if (s.n && s.p[0] == ',')
            s = skip_blank(str_cut(s, 1));
    }
    return s.n ? 0 : -1;
}

static int parse_type(struct tensor *t, struct str s)
{
    if (s.n < 4 || (s.p[0] != '\'' && s.p[0] != '"'))
        return -1;
    ptrdiff_t end = str_find(str_cut(s, 1), s.p[0]);
    if (end < 2)
        return -1;
    struct str descr = str_n(s.p + 1, (size_t)end);
    t->swap = descr.p[0] == '>';
    if (descr.p[0] == '<' || descr.p[0] == '>' || descr.p[0] == '|' || descr.p[0] == '=')
        descr = str_cut(descr, 1);
    /* ml_dtypes writes bfloat16 as an opaque 2-byte field */
    t->dtype = str_is(descr, "V2") ? DTYPE_BF16 : dtype_find(descr);
    if (t->dtype == DTYPE_C64 || t->dtype == DTYPE_C128) { /* pairs of reals: one more axis */
        if (t->ndim == TENSOR_DIMS)
            return -1;
        t->dtype = t->dtype == DTYPE_C64 ? DTYPE_F32 : DTYPE_F64;
        t->shape[t->ndim++] = 2;
    }
    return t->dtype == DTYPE_UNKNOWN ? -1 : 0;
}

/* First axis fastest; `inner` elements (2 of a complex number) belong together. */
static void fortran(struct tensor *t, int axes, int64_t inner)
{
    uint64_t n = (uint64_t)inner; /* wraps only beside an axis of 0, where no stride is used */
    for (int i = 0; i < axes; i++) {
        t->stride[i] = (int64_t)n;
        n *= (uint64_t)t->shape[i];
    }
}

int npy_open_at(struct tensor *t, uint64_t from, uint64_t to, struct err *e)
{
    unsigned char head[12];
    const char *name = t->file.name;
    if (file_read(&t->file, from, head, 10, e))
        return -1;
    if (memcmp(head, "\x93NUMPY", 6) != 0 || head[6] < 1 || head[6] > 3)
        return err_at(e, name, from, _("not an .npy file: the bytes \\x93NUMPY and version 1 to 3 were expected"));
    uint64_t n = head[8] | (uint64_t)head[9] << 8, data = from + 10;
    if (head[6] > 1) {
        if (file_read(&t->file, from, head, 12, e))
            return -1;
        n |= (uint64_t)head[10] << 16 | (uint64_t)head[11] << 24;
        data = from + 12;
    }
    if (n > HEADER_MAX)
        return err_at(e, name, from + 8, _("an .npy header of %llu bytes; a few hundred were expected"),
                      (unsigned long long)n);
    struct buf text = {0};
    buf_reserve(&text, (size_t)n);
    int rc = file_read(&t->file, data, text.p, (size_t)n, e);
    if (rc == 0) {
        struct str header = str_n(text.p, (size_t)n);
        struct str order = value_of(header, "fortran_order");
        int axes = 0;
        if (parse_shape(t, value_of(header, "shape")))
            rc = err_at(e, name, data, _("the header's 'shape' is not a tuple of up to %d sizes"), TENSOR_DIMS);
        else if ((axes = t->ndim, parse_type(t, value_of(header, "descr"))))
            rc = err_at(e, name, data, _("the header's 'descr' is no element type that is known here"));
        else if (tensor_pack(t, name, e))
            rc = -1;
        else if (str_starts(order, "True"))
            fortran(t, axes, axes < t->ndim ? 2 : 1);
    }
    buf_release(&text);
    if (rc)
        return -1;
    t->offset = data + n;
    return tensor_check(t, t->offset, to, e);
}

int npy_open(struct tensor *t, struct err *e)
{
    if (!t->file.size)
        return err_set(e, ERR_DATA, _("%s: an empty file; a tensor was expected"), t->file.name);
    return npy_open_at(t, 0, t->file.size, e);
}

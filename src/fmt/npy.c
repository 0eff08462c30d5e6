/* The header is a Python dict literal of three keys:
 *   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
 * Read by looking for each key, since writers differ in blanks and order. */
#include "fmt/npy.h"

#include "base/msg.h"

#define HEADER_MAX (1u << 20)
#define TYPE_MAX 60 /* the most bytes of a type in a message: a structure may have many fields */

static struct str skip_blank(struct str s)
{
    while (s.n && (s.p[0] == ' ' || s.p[0] == '\t' || s.p[0] == '\n'))
        s = str_cut(s, 1);
    return s;
}

/* The text after `'key':`; empty if the key is missing. */
static struct str value_of(struct str header, const char *key)
{
    size_t n = strlen(key);
    for (size_t i = 1; i + n + 1 < header.n; i++)
        if ((header.p[i - 1] == '\'' || header.p[i - 1] == '"') && header.p[i + n] == header.p[i - 1] &&
            memcmp(header.p + i, key, n) == 0) {
            struct str rest = skip_blank(str_cut(header, i + n + 1));
            if (rest.n && rest.p[0] == ':')
                return skip_blank(str_cut(rest, 1));
        }
    return str_n("", 0);
}

/* *open: the axis of a graph's own size, which MindSpore writes as −1; −1: none. */
static int parse_shape(struct tensor *t, struct str s, int *open)
{
    *open = -1;
    if (!s.n || s.p[0] != '(')
        return -1;
    s = skip_blank(str_cut(s, 1));
    t->ndim = 0;
    while (s.n && s.p[0] != ')') {
        int64_t v = 0;
        size_t digits = 0;
        if (s.p[0] == '-') { /* "-1" */
            if (*open >= 0)
                return -1;
            *open = t->ndim;
            s = str_cut(s, 1);
        }
        while (digits < s.n && s.p[digits] >= '0' && s.p[digits] <= '9') {
            if (v > INT64_MAX / 16)
                return -1;
            v = v * 10 + (s.p[digits++] - '0');
        }
        if (!digits || t->ndim == TENSOR_DIMS || (*open == t->ndim && v != 1))
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

/* numpy's type codes, checked as a whole: '<f16' is no half, '<U2' no number. */
static const struct {
    const char *code;
    enum dtype dtype;
} codes[] = {
    {"f8", DTYPE_F64}, {"f4", DTYPE_F32}, {"f2", DTYPE_F16}, {"i8", DTYPE_I64}, {"i4", DTYPE_I32}, {"i2", DTYPE_I16},
    {"i1", DTYPE_I8},  {"u8", DTYPE_U64}, {"u4", DTYPE_U32}, {"u2", DTYPE_U16}, {"u1", DTYPE_U8},  {"b1", DTYPE_BOOL},
    {"c8", DTYPE_C64}, {"c16", DTYPE_C128},
    {"E2", DTYPE_BF16}, {"T2", DTYPE_BF16}, /* MindSpore's own */
    {"V2", DTYPE_BF16},                     /* ml_dtypes writes bfloat16 as an opaque 2-byte field */
};

/* The type as written: a quoted code, or a structure's list of fields. */
static struct str written_type(struct str s)
{
    size_t i = 0;
    if (s.n && (s.p[0] == '\'' || s.p[0] == '"')) {
        ptrdiff_t end = str_find(str_cut(s, 1), s.p[0]);
        return end > 0 ? str_n(s.p + 1, (size_t)end) : str_n("", 0);
    }
    for (int depth = 0; i < s.n && s.p[0] == '['; i++) {
        depth += s.p[i] == '[' ? 1 : s.p[i] == ']' ? -1 : 0;
        if (!depth)
            return str_n(s.p, i + 1);
    }
    return str_n("", 0);
}

static int parse_type(struct tensor *t, struct str descr)
{
    t->swap = descr.n && descr.p[0] == '>';
    if (descr.n && (descr.p[0] == '<' || descr.p[0] == '>' || descr.p[0] == '|' || descr.p[0] == '='))
        descr = str_cut(descr, 1);
    t->dtype = descr.n > 4 ? dtype_find(descr) : DTYPE_UNKNOWN; /* "bfloat16" */
    for (size_t i = 0; i < ARRAY_LEN(codes) && t->dtype == DTYPE_UNKNOWN; i++)
        if (str_is(descr, codes[i].code))
            t->dtype = codes[i].dtype;
    if (t->dtype == DTYPE_C64 || t->dtype == DTYPE_C128) { /* pairs of reals: one more axis */
        if (t->ndim == TENSOR_DIMS)
            return -1;
        t->dtype = t->dtype == DTYPE_C64 ? DTYPE_F32 : DTYPE_F64;
        t->shape[t->ndim++] = 2;
    }
    return 0;
}

/* Gives the axis of unknown size what the data has room for; −1: it does not come out even. */
static int close_shape(struct tensor *t, int open, struct str descr, uint64_t bytes)
{
    struct tensor one = {0};
    if (parse_type(&one, descr) || one.dtype == DTYPE_UNKNOWN)
        return -1;
    uint64_t size = dtype_table[one.dtype].size * (one.ndim ? (uint64_t)one.shape[0] : 1);
    for (int i = 0; i < t->ndim; i++)
        if (i != open && (!t->shape[i] || size > (uint64_t)INT64_MAX / (uint64_t)t->shape[i]))
            return -1;
        else if (i != open)
            size *= (uint64_t)t->shape[i];
    t->shape[open] = (int64_t)(bytes / size);
    return bytes % size ? -1 : 0;
}

/* Strides for the first axis fastest; `inner` elements (2 for a complex number) stay together. */
static void fortran_strides(struct tensor *t, int axes, int64_t inner)
{
    uint64_t n = (uint64_t)inner; /* can only wrap if another axis is 0, and then strides are not used */
    for (int i = 0; i < axes; i++) {
        t->stride[i] = (int64_t)n;
        n *= (uint64_t)t->shape[i];
    }
}

int npy_layout(struct tensor *t, struct str descr, bool fortran_order, const char *name, struct err *e)
{
    int axes = t->ndim;
    if (parse_type(t, descr))
        return err_set(e, ERR_DATA, _("%s: an array of more than %d axes"), name, TENSOR_DIMS);
    if (tensor_pack(t, name, e))
        return -1;
    if (fortran_order)
        fortran_strides(t, axes, axes < t->ndim ? 2 : 1);
    return 0;
}

int npy_open_at(struct tensor *t, uint64_t from, uint64_t to, struct buf *type, struct err *e)
{
    unsigned char head[12];
    const char *name = t->file.name;
    if (file_read(&t->file, from, head, 10, e))
        return -1;
    if (memcmp(head, "\x93NUMPY", 6) != 0 || head[6] < 1 || head[6] > 3)
        return err_at(e, name, from, _("not an .npy file: expected the bytes \\x93NUMPY and version 1 to 3"));
    uint64_t n = head[8] | (uint64_t)head[9] << 8, data = from + 10;
    if (head[6] > 1) {
        if (file_read(&t->file, from, head, 12, e))
            return -1;
        n |= (uint64_t)head[10] << 16 | (uint64_t)head[11] << 24;
        data = from + 12;
    }
    if (n > HEADER_MAX)
        return err_at(e, name, from + 8, _("an .npy header of %llu bytes; expected a few hundred"),
                      (unsigned long long)n);
    struct buf text = {0};
    buf_reserve(&text, (size_t)n);
    int rc = file_read(&t->file, data, text.p, (size_t)n, e);
    if (rc == 0) {
        struct str header = str_n(text.p, (size_t)n);
        struct str order = value_of(header, "fortran_order");
        struct str descr = {0};
        int open;
        if (parse_shape(t, value_of(header, "shape"), &open))
            rc = err_at(e, name, data, _("the header's 'shape' is not a tuple of up to %d sizes"), TENSOR_DIMS);
        else if (descr = written_type(value_of(header, "descr")), !descr.n)
            rc = err_at(e, name, data, _("the header's 'descr': unknown element type"));
        else if (open >= 0 && (to < data + n || close_shape(t, open, descr, to - data - n)))
            rc = err_at(e, name, data, _("the header's 'shape' is not a tuple of up to %d sizes"), TENSOR_DIMS);
        else if (npy_layout(t, descr, str_starts(order, "True"), name, e))
            rc = -1;
        else if (t->dtype == DTYPE_UNKNOWN && !type)
            rc = err_at(e, name, data, _("element type %.*s is not supported"), STR_ARG(descr));
        if (type)
            buf_str(type, descr.n > TYPE_MAX ? str_n(descr.p, TYPE_MAX) : descr);
    }
    buf_release(&text);
    if (rc)
        return -1;
    if (t->dtype == DTYPE_UNKNOWN)
        return 0;
    t->offset = data + n;
    return tensor_check(t, t->offset, to, e);
}

int npy_open(struct tensor *t, struct err *e)
{
    if (!t->file.size)
        return err_set(e, ERR_DATA, _("%s: empty file; expected a tensor"), t->file.name);
    return npy_open_at(t, 0, t->file.size, NULL, e);
}

/* MindSpore's .ckpt: a protobuf message Checkpoint {repeated Value value = 1}, Value {string tag = 1; TensorProto
 * tensor = 2}, TensorProto {repeated int64 dims = 1; string tensor_type = 2; bytes tensor_content = 3}. It is parsed
 * by hand on the wire format: a protobuf library would load the tensors, tens of gigabytes, into memory, and refuse
 * the "crc_num" trailer that crc_check=True appends; here a tensor is a range in the file. Values with one tag are
 * one tensor split at 512 MB. */
#include "base/msg.h"
#include "fmt/weights.h"

#define WINDOW 4096
#define ENCRYPTED 0x7f3a5ed8u /* first word of a file saved with enc_key */

struct wire {
    const struct file *f;
    uint64_t at, end;
    uint64_t base; /* window */
    size_t n;
    unsigned char window[WINDOW];
};

enum { VARINT, FIXED64, LEN, FIXED32 = 5 };

static int wire_expected(const struct wire *x, const char *what, struct err *e)
{
    return err_at(e, x->f->name, x->at, _("damaged MindSpore checkpoint: expected %s"), what);
}

static int wire_byte(struct wire *x, unsigned char *out, struct err *e)
{
    if (x->at >= x->end)
        return wire_expected(x, _("one more byte"), e);
    if (x->at < x->base || x->at >= x->base + x->n) {
        long got = file_read_some(x->f, x->at, x->window, WINDOW, e);
        if (got <= 0)
            return got < 0 ? -1 : wire_expected(x, _("one more byte"), e);
        x->base = x->at;
        x->n = (size_t)got;
    }
    *out = x->window[x->at++ - x->base];
    return 0;
}

static int wire_varint(struct wire *x, uint64_t *out, struct err *e)
{
    unsigned char b = 0;
    *out = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (wire_byte(x, &b, e))
            return -1;
        *out |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80))
            return 0;
    }
    return wire_expected(x, _("a number of at most ten bytes"), e);
}

/* Reads a field's number and type; for LEN fields also the length, checked against the remaining bytes. */
static int wire_field(struct wire *x, unsigned *number, unsigned *type, uint64_t *len, struct err *e)
{
    uint64_t key;
    *len = 0;
    if (wire_varint(x, &key, e))
        return -1;
    *number = (unsigned)(key >> 3);
    *type = key & 7;
    if (key >> 3 == 0 || key >> 32)
        return wire_expected(x, _("a field"), e);
    if (*type != LEN)
        return 0;
    if (wire_varint(x, len, e))
        return -1;
    if (*len > x->end - x->at)
        return err_at(e, x->f->name, x->at, _("a record of %llu bytes, the file has %llu more"),
                      (unsigned long long)*len, (unsigned long long)(x->end - x->at));
    return 0;
}

static int wire_skip(struct wire *x, unsigned type, uint64_t len, struct err *e)
{
    uint64_t v;
    switch (type) {
    case VARINT:
        return wire_varint(x, &v, e);
    case LEN:
        x->at += len;
        return 0;
    case FIXED64:
    case FIXED32:
        len = type == FIXED64 ? 8 : 4;
        if (x->end - x->at < len)
            return wire_expected(x, _("one more byte"), e);
        x->at += len;
        return 0;
    default:
        return wire_expected(x, _("a field"), e);
    }
}

static int wire_text(struct wire *x, uint64_t len, size_t limit, struct buf *out, struct err *e)
{
    buf_clear(out);
    if (len > limit)
        return wire_expected(x, _("a shorter name"), e);
    buf_reserve(out, (size_t)len);
    if (file_read(x->f, x->at, out->p, (size_t)len, e))
        return -1;
    out->n = (size_t)len;
    out->p[len] = 0;
    x->at += len;
    return 0;
}

struct ckpt_record {
    struct buf tag, type;
    bool tensor, map;
    int ndim;
    int64_t dim[TENSOR_DIMS];
    uint64_t at, size; /* the content */
};

static int wire_dims(struct wire *x, struct ckpt_record *r, unsigned type, uint64_t len, struct err *e)
{
    uint64_t end = x->at + len, v;
    do {
        if (r->ndim == TENSOR_DIMS)
            return wire_expected(x, _("at most 16 axes"), e);
        if (wire_varint(x, &v, e))
            return -1;
        if (v > INT64_MAX)
            return wire_expected(x, _("a size that is not negative"), e);
        r->dim[r->ndim++] = (int64_t)v;
    } while (type == LEN && x->at < end); /* packed, as other writers may do */
    return 0;
}

static int tensor_proto(struct wire *x, struct ckpt_record *r, uint64_t end, struct err *e)
{
    uint64_t whole = x->end, len;
    unsigned number, type;
    int rc = 0;
    x->end = end;
    r->tensor = true;
    while (rc == 0 && x->at < end) {
        rc = wire_field(x, &number, &type, &len, e);
        if (rc)
            break;
        if (number == 1 && (type == VARINT || (type == LEN && len)))
            rc = wire_dims(x, r, type, len, e);
        else if (number == 2 && type == LEN)
            rc = wire_text(x, len, 64, &r->type, e);
        else if (number == 3 && type == LEN) {
            r->at = x->at;
            r->size = len;
            x->at += len;
        } else
            rc = wire_skip(x, type, len, e);
    }
    x->end = whole;
    return rc;
}

static int wire_value(struct wire *x, struct ckpt_record *r, uint64_t end, struct err *e)
{
    uint64_t whole = x->end, len;
    unsigned number, type;
    int rc = 0;
    r->ndim = 0;
    r->tensor = r->map = false;
    r->at = r->size = 0;
    buf_clear(&r->tag);
    buf_clear(&r->type);
    x->end = end;
    while (rc == 0 && x->at < end) {
        rc = wire_field(x, &number, &type, &len, e);
        if (rc)
            break;
        if (number == 1 && type == LEN)
            rc = wire_text(x, len, WEIGHT_NAME_MAX, &r->tag, e);
        else if (number == 2 && type == LEN)
            rc = tensor_proto(x, r, x->at + len, e);
        else {
            r->map = r->map || number == 3;
            rc = wire_skip(x, type, len, e);
        }
    }
    x->end = whole;
    return rc;
}

/* Whether a record continues the previous tensor. */
static bool record_continues(struct weights *w, const struct ckpt_record *r, uint32_t file)
{
    struct weight *x = w->list.n ? vec_last(&w->list) : NULL;
    if (!x || !x->pieces || !str_eq(x->name, buf_view(&r->tag)) || !str_eq(x->type, buf_view(&r->type)))
        return false;
    struct weight_piece p = {.file = file, .at = r->at, .size = r->size};
    if (vec_last(&w->pieces)->file != file)
        return false;
    vec_push(&w->pieces, p); /* the newest weight's pieces are the last ones */
    x->pieces++;
    return true;
}

static int ckpt_add(struct weights *w, struct ckpt_record *r, uint32_t file, const struct file *f, uint64_t at,
                    struct err *e)
{
    struct str tag = buf_view(&r->tag), type = buf_view(&r->type);
    if (!r->tensor || !tag.n || !type.n) {
        struct err note;
        err_at(&note, f->name, at, r->map ? _("%.*s: a map of embeddings; not read")
                                          : _("a record without name, type or tensor: %.*s"), STR_ARG(tag));
        weights_problem(w, UINT32_MAX, "damaged", note.text);
        return 0;
    }
    if (record_continues(w, r, file))
        return 0;
    struct tensor t = {.dtype = dtype_find(type), .ndim = r->ndim};
    uint64_t bytes = 1;
    for (int i = 0; i < r->ndim; i++) {
        t.shape[i] = r->dim[i];
        bytes = r->dim[i] >= 0 && r->dim[i] <= INT32_MAX && bytes <= UINT32_MAX ? bytes * (uint64_t)r->dim[i] : 0;
    }
    if (str_is(type, WEIGHT_INT4) && bytes == r->size) /* an element is a byte of two numbers */
        t.dtype = DTYPE_I8;
    uint64_t size = dtype_table[t.dtype].size;
    if (t.ndim == 1 && t.shape[0] == 0 && r->size && r->size == size)
        t.ndim = 0; /* how older versions write a scalar */
    if (t.dtype == DTYPE_C64 || t.dtype == DTYPE_C128) { /* pairs of reals: one more axis */
        if (t.ndim == TENSOR_DIMS)
            return err_at(e, f->name, at, _("%.*s: expected at most 16 axes"), STR_ARG(tag));
        t.dtype = t.dtype == DTYPE_C64 ? DTYPE_F32 : DTYPE_F64;
        t.shape[t.ndim++] = 2;
    }
    if (tensor_pack(&t, f->name, e))
        return -1;
    struct weight_piece p = {.file = file, .at = r->at, .size = r->size};
    uint32_t i = weights_add(w, tag, type, &t, size ? &p : NULL, e);
    if (i == UINT32_MAX)
        return -1;
    w->list.v[i].text = str_is(type, "str");
    return 0;
}

/* Compares content sizes with shapes, once all records of a tensor are known. */
static void check_sizes(struct weights *w, size_t from, const struct file *f)
{
    for (size_t i = from; i < w->list.n; i++) {
        struct weight *x = &w->list.v[i];
        uint64_t have = 0, want = x->numel * dtype_table[x->dtype].size;
        for (uint32_t k = 0; k < x->pieces; k++)
            have += w->pieces.v[x->piece + k].size;
        if (!x->pieces || have == want)
            continue;
        struct err note;
        err_at(&note, f->name, w->pieces.v[x->piece].at, _("%.*s: the shape needs %llu bytes, its records have %llu"),
               STR_ARG(x->name), (unsigned long long)want, (unsigned long long)have);
        x->problem = arena_cstr(&w->arena, str_of(note.text));
        weights_problem(w, (uint32_t)i, "damaged", note.text);
    }
}

static bool is_trailer(const struct file *f, uint64_t at)
{
    char b[7];
    struct err quiet;
    return f->size - at == 17 && file_read(f, at, b, 7, &quiet) == 0 && memcmp(b, "crc_num", 7) == 0;
}

static int ckpt_walk(struct weights *w, uint32_t file, const struct file *f, struct err *e)
{
    struct wire x = {.f = f, .end = f->size};
    struct ckpt_record r = {0};
    unsigned char head[4];
    unsigned number, type;
    uint64_t len;
    int rc = 0;
    if (f->size < 4 || file_read(f, 0, head, 4, e))
        return wire_expected(&x, _("a record"), e);
    if (((uint32_t)head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16 | (uint32_t)head[3] << 24) == ENCRYPTED)
        return err_at(e, f->name, 0,
                      _("encrypted (saved with enc_key): load it in MindSpore and save it without a key"));
    while (rc == 0 && x.at < x.end && !is_trailer(f, x.at)) {
        uint64_t at = x.at;
        rc = wire_field(&x, &number, &type, &len, e);
        if (rc == 0 && (number != 1 || type != LEN)) {
            x.at = at;
            rc = wire_expected(&x, _("a record (field 1)"), e);
        }
        if (rc == 0)
            rc = wire_value(&x, &r, x.at + len, e);
        if (rc == 0)
            rc = ckpt_add(w, &r, file, f, at, e);
    }
    buf_release(&r.tag);
    buf_release(&r.type);
    return rc;
}

static int ckpt_list(struct weights *w, uint32_t file, struct err *e)
{
    struct file f;
    struct err why;
    size_t from = w->list.n;
    if (weights_open_file(w, file, &f, e))
        return -1;
    int rc = ckpt_walk(w, file, &f, &why);
    if (rc && w->list.n == from) {
        *e = why;
    } else {
        if (rc) /* tensors before the damage are kept; the damage is reported */
            weights_problem(w, UINT32_MAX, "damaged", why.text);
        rc = 0;
        check_sizes(w, from, &f);
        w->framework = "mindspore";
    }
    file_close(&f);
    return rc;
}

/* Whether the first record has a name, whatever the file is called; a cut or encrypted .ckpt is recognised by its
 * name. */
static bool ckpt_probe(const char *path)
{
    struct file f;
    struct err quiet;
    if (path_is_dir(path) || file_open(&f, path, &quiet))
        return false;
    struct wire x = {.f = &f, .end = f.size};
    unsigned number, type;
    uint64_t len;
    bool yes = false;
    if (wire_field(&x, &number, &type, &len, &quiet) == 0 && number == 1 && type == LEN && len > 2) {
        struct ckpt_record r = {0};
        x.end = x.at + len;
        yes = wire_field(&x, &number, &type, &len, &quiet) == 0 && number == 1 && type == LEN && len &&
              len <= WEIGHT_NAME_MAX &&
              wire_text(&x, len, WEIGHT_NAME_MAX, &r.tag, &quiet) == 0 &&
              wire_field(&x, &number, &type, &len, &quiet) == 0 &&
              (number == 2 || number == 3) && type == LEN;
        for (size_t i = 0; yes && i < r.tag.n; i++)
            yes = (unsigned char)r.tag.p[i] >= 0x20;
        buf_release(&r.tag);
    }
    file_close(&f);
    if (yes || !str_ends(str_of(path), ".ckpt"))
        return yes;
    /* torch and Lightning also write .ckpt */
    return !weights_torch.probe(path);
}

const struct weight_format weights_ckpt = {.name = "mindspore-ckpt", .probe = ckpt_probe, .list_file = ckpt_list};

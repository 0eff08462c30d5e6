/* archive/data.pkl says how the tensor lies in archive/data/N: type, offset, sizes and strides, in a
 * pickle of a few known calls. The pickle is read as data (pickle.h); nothing of it runs. */
#include "fmt/pt.h"

#include "base/msg.h"
#include "fmt/pickle.h"
#include "fmt/zip.h"

#define PICKLE_MAX (64u << 20)

static const struct {
    const char *name;
    enum dtype dtype;
} storages[] = {
    {"torch DoubleStorage", DTYPE_F64},     {"torch FloatStorage", DTYPE_F32},
    {"torch HalfStorage", DTYPE_F16},       {"torch BFloat16Storage", DTYPE_BF16},
    {"torch LongStorage", DTYPE_I64},       {"torch IntStorage", DTYPE_I32},
    {"torch ShortStorage", DTYPE_I16},      {"torch CharStorage", DTYPE_I8},
    {"torch ByteStorage", DTYPE_U8},        {"torch BoolStorage", DTYPE_BOOL},
    {"torch ComplexFloatStorage", DTYPE_C64}, {"torch ComplexDoubleStorage", DTYPE_C128},
};

static int bad(const char *name, const char *expected, struct err *e)
{
    return err_set(e, ERR_DATA, _("%s: in data.pkl %s was expected"), name, expected);
}

/* A call of a rebuilder: what is called and with what. */
struct rebuild {
    const struct pickle *function, *args;
};

/* Behind wrappers (Parameter, tensor subclasses) to the call that builds the tensor. */
static bool tensor_call(const struct pickle *p, struct rebuild *r)
{
    *r = (struct rebuild){0};
    if (p && p->kind == PICKLE_CALL && p->n >= 2)
        *r = (struct rebuild){p->item[0], p->item[1]};
    for (int depth = 0; r->function && depth < 8; depth++) {
        const struct pickle *f = r->function, *args = r->args;
        if (f->kind != PICKLE_GLOBAL || args->kind != PICKLE_TUPLE || !args->n)
            return false;
        if (pickle_is_global(f, "torch._tensor _rebuild_from_type_v2") && args->n >= 3) {
            *r = (struct rebuild){args->item[0], args->item[2]};
            continue;
        }
        if (!pickle_is_global(f, "torch._utils _rebuild_parameter") &&
            !pickle_is_global(f, "torch._utils _rebuild_parameter_with_state"))
            return str_has(f->text, "_rebuild_");
        p = args->item[0];
        if (p->kind != PICKLE_CALL || p->n < 2)
            return false;
        *r = (struct rebuild){p->item[0], p->item[1]};
    }
    return false;
}

bool pt_is_tensor(const struct pickle *value)
{
    struct rebuild r;
    return tensor_call(value, &r);
}

static int axes(struct tensor *t, const struct pickle *sizes, const struct pickle *strides,
                const char *name, struct err *e)
{
    if (sizes->kind != PICKLE_TUPLE || strides->kind != PICKLE_TUPLE || sizes->n != strides->n)
        return bad(name, _("a tuple of sizes and one of strides"), e);
    if (sizes->n >= TENSOR_DIMS)
        return bad(name, _("fewer than 16 axes"), e);
    t->ndim = (int)sizes->n;
    for (uint32_t i = 0; i < sizes->n; i++) {
        if (sizes->item[i]->kind != PICKLE_INT || strides->item[i]->kind != PICKLE_INT)
            return bad(name, _("sizes and strides as integers"), e);
        t->shape[i] = sizes->item[i]->i;
    }
    if (tensor_pack(t, name, e)) /* checks the sizes, then the file's own strides replace the dense ones */
        return -1;
    for (uint32_t i = 0; i < strides->n; i++) {
        int64_t stride = strides->item[i]->i;
        if (stride < 0 || (t->shape[i] && stride > INT64_MAX / 16 / t->shape[i]))
            return bad(name, _("strides inside the storage"), e);
        t->stride[i] = stride;
    }
    return 0;
}

const struct pickle *pt_storage_of(const struct pickle *p, enum dtype *dtype, int64_t *count)
{
    if (p->kind != PICKLE_PERSISTENT || p->item[0]->kind != PICKLE_TUPLE || p->item[0]->n < 5 ||
        p->item[0]->item[2]->kind != PICKLE_TEXT || p->item[0]->item[4]->kind != PICKLE_INT)
        return NULL;
    *count = p->item[0]->item[4]->i;
    for (size_t i = 0; i < ARRAY_LEN(storages); i++)
        if (pickle_is_global(p->item[0]->item[1], storages[i].name))
            *dtype = storages[i].dtype;
    return p->item[0]->item[2];
}

int pt_tensor(struct tensor *t, const struct pickle *value, const char *name, struct pt_storage *s, struct err *e)
{
    struct rebuild r;
    int64_t count, first;
    enum dtype own = DTYPE_UNKNOWN;
    if (!tensor_call(value, &r) || r.args->n < 4 || r.args->item[1]->kind != PICKLE_INT)
        return bad(name, _("one tensor"), e);
    const struct pickle *args = r.args, *key = pt_storage_of(args->item[0], &own, &count);
    if (!key)
        return bad(name, _("a storage"), e);
    t->dtype = own;
    /* _rebuild_tensor_v3 carries the type itself: "torch bfloat16" */
    if (t->dtype == DTYPE_UNKNOWN && args->n > 6 && args->item[6]->kind == PICKLE_GLOBAL &&
        str_starts(args->item[6]->text, "torch "))
        t->dtype = dtype_find(str_cut(args->item[6]->text, 6));
    if (t->dtype == DTYPE_UNKNOWN)
        return bad(name, _("an element type that is known here"), e);
    first = args->item[1]->i;
    if (first < 0 || first > INT64_MAX / 16)
        return bad(name, _("an offset inside the storage"), e);
    if (axes(t, args->item[2], args->item[3], name, e))
        return -1;
    if (tensor_part_complex(t))
        first *= 2;
    *s = (struct pt_storage){key->text, (uint64_t)first, count > 0 ? (uint64_t)count : 0, own};
    return 0;
}

static int place(struct tensor *t, struct zip *z, struct str prefix, const struct pt_storage *s, struct err *e)
{
    struct buf path = {0};
    struct zip_member m;
    char order[8] = "";
    buf_fmt(&path, "%.*sbyteorder", STR_ARG(prefix));
    int rc = zip_find(z, path.p, &m, e);
    if (rc == 1 && m.stored && m.size < sizeof order && file_read(&t->file, m.offset, order, (size_t)m.size, e))
        rc = -1;
    t->swap = strcmp(order, "big") == 0;
    if (rc >= 0) {
        buf_clear(&path);
        buf_fmt(&path, "%.*sdata/%.*s", STR_ARG(prefix), STR_ARG(s->key));
        rc = zip_find(z, path.p, &m, e);
    }
    uint64_t size = dtype_table[t->dtype].size;
    if (rc == 0)
        rc = err_set(e, ERR_DATA, _("%s: the archive has no member %s"), t->file.name, path.p);
    else if (rc > 0 && !m.stored)
        rc = err_set(e, ERR_DATA, _("%s: member %s is compressed; torch.save stores it plainly"),
                     t->file.name, path.p);
    else if (rc > 0 && s->first > m.size / size)
        rc = bad(t->file.name, _("an offset inside the storage"), e);
    else if (rc > 0) {
        t->offset = m.offset + s->first * size;
        rc = tensor_check(t, m.offset, m.offset + m.size, e);
    }
    buf_release(&path);
    return rc < 0 ? -1 : 0;
}

int pt_open(struct tensor *t, struct err *e)
{
    if (!t->file.size)
        return err_set(e, ERR_DATA, _("%s: an empty file; a tensor was expected"), t->file.name);
    struct zip *z = zip_open(&t->file, e);
    if (!z)
        return -1;
    struct buf name = {0}, text = {0};
    struct arena a = {0};
    struct zip_member m;
    const struct pickle *root;
    struct pt_storage storage;
    int rc = zip_find_suffix(z, "data.pkl", &m, &name, e);
    if (rc == 0)
        rc = err_set(e, ERR_DATA, _("%s: a zip archive without data.pkl; torch.save writes one"), t->file.name);
    if (rc > 0)
        rc = zip_read(z, &m, PICKLE_MAX, &text, e);
    if (rc == 0) {
        root = pickle_parse(buf_view(&text), &a, t->file.name, NULL, e);
        rc = root ? pt_tensor(t, root, t->file.name, &storage, e) : -1;
    }
    if (rc == 0)
        rc = place(t, z, str_n(name.p, name.n - strlen("data.pkl")), &storage, e);
    arena_release(&a);
    buf_release(&text);
    buf_release(&name);
    zip_close(z);
    return rc;
}

/* archive/data.pkl describes how the tensor is stored in archive/data/N: type, offset, sizes and strides, in a pickle
 * with a few known calls. The pickle is read as data (pickle.h); nothing in it is executed. */
#include "fmt/pt.h"

#include "base/msg.h"
#include "fmt/pickle.h"
#include "fmt/zip.h"

#define PICKLE_MAX (64u << 20)

static const struct {
    const char *name, *type; /* type NULL: the element type's own name */
    enum dtype dtype;
    unsigned width;
} storages[] = {
    {"torch DoubleStorage", NULL, DTYPE_F64, 8},
    {"torch FloatStorage", NULL, DTYPE_F32, 4},
    {"torch HalfStorage", NULL, DTYPE_F16, 2},
    {"torch BFloat16Storage", NULL, DTYPE_BF16, 2},
    {"torch LongStorage", NULL, DTYPE_I64, 8},
    {"torch IntStorage", NULL, DTYPE_I32, 4},
    {"torch ShortStorage", NULL, DTYPE_I16, 2},
    {"torch CharStorage", NULL, DTYPE_I8, 1},
    {"torch ByteStorage", NULL, DTYPE_U8, 1},
    {"torch BoolStorage", NULL, DTYPE_BOOL, 1},
    {"torch ComplexFloatStorage", NULL, DTYPE_C64, 8},
    {"torch ComplexDoubleStorage", NULL, DTYPE_C128, 16},
    {"torch QInt8Storage", "qint8", DTYPE_UNKNOWN, 1},
    {"torch QUInt8Storage", "quint8", DTYPE_UNKNOWN, 1},
    {"torch QInt32Storage", "qint32", DTYPE_UNKNOWN, 4},
    {"torch QUInt4x2Storage", "quint4x2", DTYPE_UNKNOWN, 1},
    {"torch QUInt2x4Storage", "quint2x4", DTYPE_UNKNOWN, 1},
    {"torch.storage UntypedStorage", "", DTYPE_UNKNOWN, 1}, /* the type is in the tensor's call */
};

/* Tensors that are not stored as one storage with strides. */
static const struct {
    const char *function, *type;
} others[] = {
    {"torch._utils _rebuild_sparse_tensor", "sparse"},
    {"torch._utils _rebuild_sparse_csr_tensor", "sparse"},
    {"torch._utils _rebuild_nested_tensor", "nested"},
    {"torch._utils _rebuild_meta_tensor_no_storage", "meta"},
    {"torch._utils _rebuild_wrapper_subclass", "wrapper"},
};

static int pt_bad(const char *name, const char *expected, struct err *e)
{
    return err_set(e, ERR_DATA, _("%s: in data.pkl: expected %s"), name, expected);
}

/* A call of a rebuilder: what is called and with what. */
struct rebuild {
    const struct pickle *function, *args;
    enum dtype bytes_are; /* what a tensor of bytes holds, where its class says so */
};

/* "_HiFloat8Tensor._make_in_reduce_ex", a method: getattr(class, name). torch_npu's tensors of HiFloat8 are calls of it
 * with their bytes. */
static bool makes_hifloat8(const struct pickle *f)
{
    if (f->kind != PICKLE_CALL || f->n < 2 || f->item[1]->n != 2 ||
        !(pickle_is_global(f->item[0], "__builtin__ getattr") || pickle_is_global(f->item[0], "builtins getattr")))
        return false;
    const struct pickle *class = f->item[1]->item[0];
    return class->kind == PICKLE_GLOBAL && str_starts(class->text, "torch_npu") &&
           str_ends(class->text, "HiFloat8Tensor");
}

/* Follows wrappers (Parameter, tensor subclasses) to the call that builds the tensor. */
static bool tensor_call(const struct pickle *p, struct rebuild *r)
{
    *r = (struct rebuild){0};
    if (p && p->kind == PICKLE_CALL && p->n >= 2)
        *r = (struct rebuild){p->item[0], p->item[1], DTYPE_UNKNOWN};
    for (int depth = 0; r->function && depth < 8; depth++) {
        const struct pickle *f = r->function, *args = r->args;
        if (args->kind != PICKLE_TUPLE || !args->n)
            return false;
        if (pickle_is_global(f, "torch._tensor _rebuild_from_type_v2") && args->n >= 3) {
            *r = (struct rebuild){args->item[0], args->item[2], r->bytes_are};
            continue;
        }
        if (makes_hifloat8(f))
            r->bytes_are = DTYPE_HIF8;
        else if (f->kind != PICKLE_GLOBAL)
            return false;
        else if (!pickle_is_global(f, "torch._utils _rebuild_parameter") &&
            !pickle_is_global(f, "torch._utils _rebuild_parameter_with_state") &&
            !pickle_is_global(f, "torch._utils _rebuild_device_tensor_from_cpu_tensor"))
            return str_has(f->text, "_rebuild_");
        p = args->item[0];
        if (p->kind != PICKLE_CALL || p->n < 2)
            return false;
        *r = (struct rebuild){p->item[0], p->item[1], r->bytes_are};
    }
    return false;
}

bool pt_is_tensor(const struct pickle *value)
{
    struct rebuild r;
    return tensor_call(value, &r);
}

bool pt_sizes(const struct pickle *p, struct tensor *t)
{
    if (p->kind == PICKLE_CALL && p->n >= 2 && pickle_is_global(p->item[0], "torch Size") && p->item[1]->n == 1)
        p = p->item[1]->item[0];
    if (p->kind != PICKLE_TUPLE || p->n >= TENSOR_DIMS)
        return false;
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->item[i]->kind != PICKLE_INT)
            return false;
        t->shape[i] = p->item[i]->i;
    }
    t->ndim = (int)p->n;
    return true;
}

static int pt_axes(struct tensor *t, const struct pickle *sizes, const struct pickle *strides,
                   const char *name, struct err *e)
{
    if (sizes->kind != PICKLE_TUPLE || strides->kind != PICKLE_TUPLE || sizes->n != strides->n)
        return pt_bad(name, _("a tuple of sizes and one of strides"), e);
    if (sizes->n >= TENSOR_DIMS)
        return pt_bad(name, _("fewer than 16 axes"), e);
    if (!pt_sizes(sizes, t))
        return pt_bad(name, _("sizes and strides as integers"), e);
    if (tensor_pack(t, name, e)) /* checks the sizes; the file's own strides then replace the dense ones */
        return -1;
    for (uint32_t i = 0; i < strides->n; i++) {
        int64_t stride = strides->item[i]->kind == PICKLE_INT ? strides->item[i]->i : -1;
        if (stride < 0 || (t->shape[i] && stride > INT64_MAX / 16 / t->shape[i]))
            return pt_bad(name, _("strides inside the storage"), e);
        t->stride[i] = stride;
    }
    return 0;
}

bool pt_storage_of(const struct pickle *p, struct pt_storage *s)
{
    if (p->kind != PICKLE_PERSISTENT || p->item[0]->kind != PICKLE_TUPLE || p->item[0]->n < 5 ||
        p->item[0]->item[2]->kind != PICKLE_TEXT || p->item[0]->item[4]->kind != PICKLE_INT)
        return false;
    int64_t count = p->item[0]->item[4]->i;
    *s = (struct pt_storage){.key = p->item[0]->item[2]->text, .count = count > 0 ? (uint64_t)count : 0};
    for (size_t i = 0; i < ARRAY_LEN(storages); i++)
        if (pickle_is_global(p->item[0]->item[1], storages[i].name)) {
            s->dtype = storages[i].dtype;
            s->width = storages[i].width;
            s->type = str_of(storages[i].type ? storages[i].type : dtype_table[s->dtype].name);
        }
    return true;
}

/* Describes a tensor that is not supported: its name, and its shape if given. */
static int pt_unread(struct tensor *t, struct str type, const struct pickle *sizes, const char *name,
                     struct pt_storage *s, struct err *e)
{
    s->type = type;
    t->dtype = DTYPE_UNKNOWN;
    t->ndim = 0;
    if (sizes && !pt_sizes(sizes, t))
        t->ndim = 0;
    return tensor_pack(t, name, e) ? -1 : 1;
}

/* The sizes of a sparse, nested, meta or wrapped tensor are somewhere among its arguments. */
static const struct pickle *some_sizes(const struct pickle *args)
{
    struct tensor t;
    const struct pickle *found = NULL;
    for (uint32_t i = 0; i < args->n && !found; i++) {
        const struct pickle *p = args->item[i];
        if (p->kind == PICKLE_TUPLE)
            for (uint32_t k = 0; k < p->n && !found; k++)
                found = p->item[k]->kind == PICKLE_CALL && pt_sizes(p->item[k], &t) ? p->item[k] : NULL;
        if (!found && (p->kind == PICKLE_TUPLE || p->kind == PICKLE_CALL) && pt_sizes(p, &t))
            found = p;
    }
    return found;
}

/* The name of a lazy view that torch resolves on use (conj(), negative imaginary part); NULL if there is none. */
static const char *lazy_view_name(const struct pickle *args, bool v3)
{
    uint32_t at = v3 ? 7 : 6;
    if (args->n <= at || args->item[at]->kind != PICKLE_DICT)
        return NULL;
    const struct pickle *conj = pickle_get(args->item[at], "conj"), *neg = pickle_get(args->item[at], "neg");
    return conj && conj->i ? "conjugated" : neg && neg->i ? "negated" : NULL;
}

int pt_tensor(struct tensor *t, const struct pickle *value, const char *name, struct pt_storage *s, struct arena *a,
              struct err *e)
{
    struct rebuild r;
    *s = (struct pt_storage){0};
    if (!tensor_call(value, &r))
        return pt_bad(name, _("one tensor"), e);
    const struct pickle *args = r.args;
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (pickle_is_global(r.function, others[i].function))
            return pt_unread(t, str_of(others[i].type), some_sizes(args), name, s, e);
    if (args->n < 4 || args->item[1]->kind != PICKLE_INT)
        return pt_bad(name, _("one tensor"), e);
    if (!pt_storage_of(args->item[0], s))
        return pt_bad(name, _("a storage"), e);
    t->dtype = r.bytes_are && s->dtype == DTYPE_U8 ? r.bytes_are : s->dtype;
    /* _rebuild_tensor_v3 contains the type: "torch bfloat16" */
    bool v3 = pickle_is_global(r.function, "torch._utils _rebuild_tensor_v3");
    if (t->dtype == DTYPE_UNKNOWN && args->n > 6 && args->item[6]->kind == PICKLE_GLOBAL &&
        str_starts(args->item[6]->text, "torch ")) {
        s->type = str_cut(args->item[6]->text, 6);
        t->dtype = dtype_find(s->type);
    }
    if (t->dtype == DTYPE_UNKNOWN)
        return s->type.n ? pt_unread(t, arena_str(a, s->type), args->item[2], name, s, e)
                         : pt_bad(name, _("a known element type"), e);
    const char *how = lazy_view_name(args, v3);
    if (how)
        return pt_unread(t, str_of(arena_fmt(a, "%s, %s", dtype_table[t->dtype].name, how)), args->item[2], name, s, e);
    int64_t first = args->item[1]->i;
    if (first < 0 || first > INT64_MAX / 16)
        return pt_bad(name, _("an offset inside the storage"), e);
    if (pt_axes(t, args->item[2], args->item[3], name, e))
        return -1;
    s->first = (uint64_t)first * (tensor_part_complex(t) ? 2 : 1);
    return 0;
}

static int pt_place(struct tensor *t, struct zip *z, struct str prefix, const struct pt_storage *s, struct err *e)
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
        rc = err_set(e, ERR_DATA, _("%s: member %s is compressed; torch.save stores members uncompressed"),
                     t->file.name, path.p);
    else if (rc > 0 && s->first > m.size / size)
        rc = pt_bad(t->file.name, _("an offset inside the storage"), e);
    else if (rc > 0) {
        t->offset = m.offset + s->first * size;
        t->sealed = zip_sealed(&m);
        rc = tensor_check(t, m.offset, m.offset + m.size, e);
    }
    buf_release(&path);
    return rc < 0 ? -1 : 0;
}

int pt_open(struct tensor *t, struct err *e)
{
    if (!t->file.size)
        return err_set(e, ERR_DATA, _("%s: empty file; expected a tensor"), t->file.name);
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
        rc = err_set(e, ERR_DATA, _("%s: expected data.pkl, which torch.save writes, in this zip archive"),
                     t->file.name);
    if (rc > 0)
        rc = zip_read(&t->file, &m, PICKLE_MAX, &text, e);
    if (rc == 0) {
        root = pickle_parse(buf_view(&text), &a, t->file.name, NULL, e);
        rc = root ? pt_tensor(t, root, t->file.name, &storage, &a, e) : -1;
        if (rc == 1)
            rc = err_set(e, ERR_DATA, _("%s: a tensor of type %.*s, listed, not read"), t->file.name,
                         STR_ARG(storage.type));
    }
    if (rc == 0)
        rc = pt_place(t, z, str_n(name.p, name.n - strlen("data.pkl")), &storage, e);
    arena_release(&a);
    buf_release(&text);
    buf_release(&name);
    zip_close(z);
    return rc;
}

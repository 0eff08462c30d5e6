/* torch.save of whole checkpoints: nested dictionaries of tensors (Megatron's {"model": …, "args": Namespace},
 * DeepSpeed's {"module": …}, Lightning's {"state_dict": …}), as a zip archive or, before torch 1.6, as consecutive
 * pickles followed by the storages; also pickles of NumPy arrays only. The pickle is inert data (pickle.h): anything
 * but tensors, arrays, containers and argparse's Namespace is skipped. */
#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "dump/dump.h"
#include "fmt/pt.h"
#include "fmt/weights.h"
#include "fmt/zip.h"

#define PICKLE_MAX (64u << 20)
#define MEMBERS_MAX (1u << 22)
#define DEPTH 24
#define CLAIM (1ull << 30) /* the most elements that tensors may have beyond their storage (expanded views) */
#define VALUES_MOST 1000000 /* numbers and texts beside arrays */
#define SHARED 64 /* the most references to the file's bytes by all tensors: tied weights refer to them twice */

struct stored {
    uint64_t at, size; /* of the storage's bytes in the file */
    bool packed;
    struct sealed sealed;
};

/* A pickle's bytes and their location: packed in a member, or from lies.at on. */
struct pickle_source {
    struct str text;
    struct weight_piece lies;
};

struct pickle_walk {
    struct weights *w;
    uint32_t file;
    const char *name;
    bool swap;
    bool plain; /* contains nothing of torch */
    bool numbers; /* single numbers are listed beside the tensors as their like: numpy.save */
    struct pickle_source source; /* of the pickle whose tensors are being listed */
    struct map keys; /* storage → index of stored */
    VEC(struct stored) stored;
    uint64_t left, beyond; /* bytes that tensors may still use within their storages, and beyond them */
    struct nmap seen; /* containers being visited or done: a dictionary may contain itself */
    struct buf path;
    struct arena arena;
    struct err *e;
};

/* Limits repeated reading: a hostile file of a megabyte may have 100,000 tensors sharing one storage, and reading
 * each would take days. */
static bool walk_afford(struct pickle_walk *x, const struct tensor *t, uint64_t stored, struct err *why)
{
    uint64_t size = dtype_table[t->dtype].size, own = size && t->numel > stored / size ? stored : t->numel * size;
    if (own > x->left || (size && t->numel - own / size > x->beyond / size)) {
        err_set(why, ERR_DATA, _("%s: the tensors refer to the same bytes more than %d times, the "
                                 "limit"), x->name, SHARED);
        return false;
    }
    x->left -= own;
    x->beyond -= t->numel * size - own;
    return true;
}

/* ---- the tree ---- */

/* The first entry of a dictionary: a subclass (OrderedDict, the ModelOutput of transformers) is a call whose items
 * follow its state. */
static bool entry_range(const struct pickle *p, uint32_t *from)
{
    if (p->kind == PICKLE_DICT) {
        *from = 0;
        return true;
    }
    *from = 3;
    return p->kind == PICKLE_CALL && p->item[0]->kind == PICKLE_GLOBAL &&
           (pickle_is_global(p->item[0], "collections OrderedDict") ||
            pickle_is_global(p->item[0], "collections defaultdict") ||
            (p->n > 3 && p->item[3]->kind == PICKLE_TEXT)) &&
           (p->n - 3) % 2 == 0;
}

static const struct pickle *namespace_entry(const struct pickle *p, const char *key)
{
    uint32_t i;
    if (entry_range(p, &i))
        for (; i + 1 < p->n; i += 2)
            if (p->item[i]->kind == PICKLE_TEXT && str_is(p->item[i]->text, key))
                return p->item[i + 1];
    return NULL;
}

static int namespace_number(const struct pickle *space, const char *key)
{
    const struct pickle *v = pickle_get(space, key);
    return v && v->kind == PICKLE_INT && v->i > 0 && v->i < (1 << 24) ? (int)v->i : 0;
}

/* Megatron's arguments: the state of an argparse.Namespace. */
static void read_architecture(struct weights *w, const struct pickle *args)
{
    if (!args || args->kind != PICKLE_CALL || args->n < 3 || !pickle_is_global(args->item[0], "argparse Namespace"))
        return;
    const struct pickle *state = args->item[2];
    struct weight_arch *a = &w->arch;
    a->heads = namespace_number(state, "num_attention_heads");
    const struct pickle *gqa = pickle_get(state, "group_query_attention");
    if (gqa && gqa->kind == PICKLE_BOOL && gqa->i)
        a->kv_heads = namespace_number(state, "num_query_groups");
    else
        a->kv_heads = a->heads;
    a->tp = namespace_number(state, "tensor_model_parallel_size");
    a->pp = namespace_number(state, "pipeline_model_parallel_size");
    a->layers = namespace_number(state, "num_layers");
    a->vocab = namespace_number(state, "padded_vocab_size");
    const struct pickle *gated = pickle_get(state, "swiglu");
    if (gated && gated->kind == PICKLE_BOOL)
        a->gated = gated->i != 0;
}

static int add_tensor(struct pickle_walk *x, const struct pickle *p)
{
    struct tensor t = {.file = {.name = (char *)(uintptr_t)x->name}};
    struct pt_storage s;
    struct err why;
    struct str name = buf_view(&x->path);
    struct weight_piece piece = {.file = x->file};
    const char *problem = NULL;
    uint32_t at = MAP_NONE;
    int rc = pt_tensor(&t, p, x->name, &s, &x->arena, &why);
    if (rc > 0)
        return weights_add(x->w, name, s.type, &t, NULL, x->e) == UINT32_MAX ? -1 : 0;
    if (rc < 0) {
        problem = why.text;
        t.dtype = DTYPE_UNKNOWN;
        t.ndim = 0;
        t.numel = 1;
    } else if ((at = map_get(&x->keys, s.key)) == MAP_NONE) {
        err_set(&why, ERR_DATA, _("%s: %.*s: the storage %.*s is not in the file"), x->name, STR_ARG(name),
                STR_ARG(s.key));
        problem = why.text;
    } else {
        const struct stored *d = &x->stored.v[at];
        uint64_t size = dtype_table[t.dtype].size;
        piece.at = d->at;
        piece.size = d->size;
        piece.sealed = d->sealed;
        t.swap = x->swap;
        t.offset = 0;
        if (d->packed) {
            err_set(&why, ERR_DATA, _("%s: %.*s: its storage is compressed; torch.save stores it uncompressed"),
                    x->name, STR_ARG(name));
            problem = why.text;
        } else if (s.first > d->size / size) {
            err_set(&why, ERR_DATA, _("%s: %.*s starts beyond the end of its storage"), x->name, STR_ARG(name));
            problem = why.text;
        } else if (t.numel > CLAIM && t.numel > d->size / size) {
            /* strides of 0 can claim any number of elements; reading them would never end */
            err_set(&why, ERR_DATA, _("%s: %.*s needs %llu elements of a storage of %llu"), x->name, STR_ARG(name),
                    (unsigned long long)t.numel, (unsigned long long)(d->size / size));
            problem = why.text;
        } else {
            t.offset = s.first * size;
            if (tensor_check(&t, 0, d->size, &why)) {
                err_prefix(&why, "%.*s", STR_ARG(name));
                problem = why.text;
            } else if (!walk_afford(x, &t, d->size, &why)) {
                problem = why.text;
            }
        }
    }
    uint32_t i = weights_add(x->w, name, str_of(dtype_table[t.dtype].name), &t, problem ? NULL : &piece, x->e);
    if (i == UINT32_MAX)
        return -1;
    if (problem) {
        x->w->list.v[i].problem = arena_cstr(&x->w->arena, str_of(problem));
        weights_problem(x->w, i, "damaged", problem);
    }
    return 0;
}

/* An array's bytes are in the pickle itself. */
static int add_array(struct pickle_walk *x, const struct pickle *p)
{
    struct tensor t = {.file = {.name = (char *)(uintptr_t)x->name}};
    struct pt_bytes b;
    struct buf type = {0};
    struct err why;
    struct weight_piece piece = x->source.lies;
    int bad = pt_array(&t, p, x->name, &b, &type, &why);
    if (!bad && (!walk_afford(x, &t, b.size, &why) || pt_array_whole(&b, x->name, &why)))
        bad = -1;
    if (!bad && b.bytes.n) {
        piece.at += (uint64_t)(b.bytes.p - x->source.text.p);
        piece.size = b.bytes.n;
        piece.latin = b.latin;
    }
    int rc = weights_add_read(x->w, buf_view(&x->path), buf_view(&type), &t, &piece, bad ? &why : NULL, x->e);
    buf_release(&type);
    return rc;
}

static bool is_real(const struct pickle *p)
{
    return p->kind == PICKLE_FLOAT && p->text.n == sizeof(double);
}

/* A real number's eight bytes are in the pickle itself. */
static int add_real(struct pickle_walk *x, const struct pickle *p)
{
    struct tensor t = {.file = {.name = (char *)(uintptr_t)x->name}, .dtype = DTYPE_F64, .numel = 1, .swap = true};
    struct weight_piece piece = x->source.lies;
    piece.at += (uint64_t)(p->text.p - x->source.text.p);
    piece.size = p->text.n;
    return weights_add_read(x->w, buf_view(&x->path), STR("float"), &t, &piece, NULL, x->e);
}

/* In numpy.save's dictionaries, numbers stand beside arrays (a loss); in checkpoints they are no weights. */
static bool is_leaf(const struct pickle_walk *x, const struct pickle *p)
{
    return pt_is_tensor(p) || pt_is_array(p) || (x->numbers && (pt_is_number(p) || is_real(p)));
}

static int add_leaf(struct pickle_walk *x, const struct pickle *p)
{
    return pt_is_tensor(p) ? add_tensor(x, p) : is_real(p) ? add_real(x, p) : add_array(x, p);
}

#define TOLD_DEPTH 6
#define TOLD_MOST 4096 /* bytes of text of an object */

/* A value without tensors as text: types by their names, objects by what builds them. False where it has none. */
static bool tell_pickle(const struct pickle *p, int depth, struct buf *out)
{
    char tmp[NUM_MAX];
    if (depth > TOLD_DEPTH || out->n > TOLD_MOST || pt_is_tensor(p) || pt_is_array(p))
        return false;
    switch (p->kind) {
    case PICKLE_NONE: buf_cstr(out, "None"); return true;
    case PICKLE_BOOL: buf_cstr(out, p->i ? "True" : "False"); return true;
    case PICKLE_INT:
        buf_fmt(out, "%lld", (long long)p->i);
        return p->i > INT64_MIN && p->i < INT64_MAX; /* larger ones are not kept */
    case PICKLE_FLOAT: buf_cstr(out, num_exact(tmp, p->f)); return true;
    case PICKLE_TEXT:
    case PICKLE_GLOBAL: buf_str(out, p->text); return true;
    case PICKLE_BYTES:
    case PICKLE_PERSISTENT: return false;
    default: break;
    }
    buf_char(out, '(');
    bool told = p->n > 0;
    for (uint32_t i = 0; i < p->n && told; i++) {
        buf_cstr(out, i ? ", " : "");
        told = !p->item[i] || tell_pickle(p->item[i], depth + 1, out);
    }
    buf_char(out, ')');
    return told;
}

/* What else stands beside tensors: numbers, truth values and texts as they are, objects as text where they have one. */
static int add_value(struct pickle_walk *x, const struct pickle *p)
{
    struct weight_value v = {.number = NAN, .kind = VALUE_OTHER};
    char tmp[NUM_MAX];
    struct arena *a = &x->w->arena;
    struct str name = buf_view(&x->path);
    switch (p->kind) {
    case PICKLE_INT:
        v.kind = VALUE_INT;
        v.number = (double)p->i;
        v.text = arena_fmt(a, "%lld", (long long)p->i);
        break;
    case PICKLE_BOOL:
        v.kind = VALUE_BOOL;
        v.number = p->i != 0;
        v.text = p->i ? "True" : "False";
        break;
    case PICKLE_FLOAT:
        v.kind = VALUE_FLOAT;
        v.number = p->f;
        v.text = arena_cstr(a, str_of(num_exact(tmp, p->f)));
        break;
    case PICKLE_TEXT:
        v.kind = VALUE_TEXT;
        v.text = arena_cstr(a, p->text);
        break;
    case PICKLE_NONE:
        v.text = "None";
        break;
    default: {
        struct buf b = {0};
        if (!x->numbers && tell_pickle(p, 0, &b)) /* numpy.save: what is no number or text is named as unread */
            v.text = arena_cstr(a, buf_view(&b));
        buf_release(&b);
        break;
    }
    }
    if (p->kind == PICKLE_INT && (p->i == INT64_MIN || p->i == INT64_MAX)) /* larger ones are not kept */
        v.text = NULL;
    if (!x->numbers && x->w->values.n + 1 == VALUES_MOST) /* the rest is unread */
        v.text = NULL;
    if (x->w->values.n == VALUES_MOST)
        return x->numbers ? err_set(x->e, ERR_DATA, _("%s: more than %d numbers and texts beside arrays"), x->name,
                                    VALUES_MOST)
                          : 0;
    if (!v.text && x->numbers) {
        struct err why;
        err_set(&why, ERR_DATA, _("%s: %.*s is neither an array nor a number or text that is read"), x->name,
                STR_ARG(name));
        weights_problem(x->w, UINT32_MAX, PROBLEM_UNREAD, why.text);
        return 0;
    }
    v.name = arena_cstr(a, name);
    vec_push(&x->w->values, v);
    return 0;
}

static int walk_descend(struct pickle_walk *x, const struct pickle *p, int depth);

static int walk_member(struct pickle_walk *x, struct str key, const struct pickle *p, int depth)
{
    size_t n = x->path.n;
    if (n + key.n > WEIGHT_NAME_MAX)
        return err_set(x->e, ERR_DATA, _("%s: more than 4 million tensors, or a name of more than 4096 "
                                         "bytes"), x->name);
    if (n)
        buf_char(&x->path, '.');
    buf_str(&x->path, key);
    int rc = walk_descend(x, p, depth + 1);
    x->path.n = n;
    return rc;
}

static int walk_descend(struct pickle_walk *x, const struct pickle *p, int depth)
{
    uint32_t from;
    int rc = 0;
    char tmp[24];
    if (is_leaf(x, p))
        return add_leaf(x, p);
    bool dict = entry_range(p, &from);
    if (!dict && p->kind != PICKLE_LIST && p->kind != PICKLE_TUPLE)
        return add_value(x, p);
    if (depth > DEPTH)
        return x->numbers ? err_set(x->e, ERR_DATA, _("%s: lists or dictionaries more than %d deep"), x->name, DEPTH)
                          : 0;
    if (nmap_get(&x->seen, (uint64_t)(uintptr_t)p) != MAP_NONE)
        return 0;
    nmap_add(&x->seen, (uint64_t)(uintptr_t)p, 0);
    if (!dict) {
        for (uint32_t i = 0; i < p->n && rc == 0; i++) {
            struct buf b = {0};
            buf_fmt(&b, "%u", i);
            rc = walk_member(x, buf_view(&b), p->item[i], depth);
            buf_release(&b);
        }
        return rc;
    }
    for (; from + 1 < p->n && rc == 0; from += 2) {
        const struct pickle *k = p->item[from];
        struct str key = k->text;
        if (k->kind == PICKLE_INT) {
            struct buf b = {0};
            buf_fmt(&b, "%lld", (long long)k->i);
            key = str_n(memcpy(tmp, b.p, b.n), b.n);
            buf_release(&b);
        } else if (k->kind != PICKLE_TEXT) {
            continue;
        }
        rc = walk_member(x, key, p->item[from + 1], depth);
    }
    return rc;
}

/* Lists the tree. The model's entry in the top dictionary is not part of the names; virtual pipeline stages
 * ("model0", "model1") stay as prefixes. */
static int walk_tree(struct pickle_walk *x, const struct pickle *root)
{
    uint32_t from;
    if (is_leaf(x, root)) {
        buf_cstr(&x->path, "tensor");
        return add_leaf(x, root);
    }
    if (!entry_range(root, &from))
        return root->kind == PICKLE_LIST || root->kind == PICKLE_TUPLE
                   ? walk_descend(x, root, 0)
                   : err_set(x->e, ERR_DATA, _("%s: expected a dictionary of tensors in the pickle; save "
                                               "model.state_dict() instead of the model"), x->name);
    read_architecture(x->w, namespace_entry(root, "args"));
    nmap_add(&x->seen, (uint64_t)(uintptr_t)root, 0);
    for (int model = 1; model >= 0; model--)
        for (uint32_t i = from; i + 1 < root->n; i += 2) {
            const struct pickle *k = root->item[i], *v = root->item[i + 1];
            uint32_t unused;
            bool is = k->kind == PICKLE_TEXT && weights_hold_model(k->text) && entry_range(v, &unused);
            if (is != (bool)model || (k->kind != PICKLE_TEXT && k->kind != PICKLE_INT))
                continue;
            buf_clear(&x->path);
            struct buf b = {0};
            if (k->kind == PICKLE_INT)
                buf_fmt(&b, "%lld", (long long)k->i);
            int rc = is ? walk_descend(x, v, 0) : walk_member(x, k->kind == PICKLE_INT ? buf_view(&b) : k->text, v, 0);
            buf_release(&b);
            if (rc)
                return -1;
        }
    return 0;
}

static void walk_release(struct pickle_walk *x)
{
    map_release(&x->keys);
    vec_release(&x->stored);
    nmap_release(&x->seen);
    buf_release(&x->path);
    arena_release(&x->arena);
}

/* ---- the archive ---- */

static int list_zip(struct pickle_walk *x, const struct file *f)
{
    struct zip *z = zip_open(f, x->e);
    zip_list members = {0};
    struct buf text = {0};
    struct str prefix = {0}, path = {0};
    struct zip_member pickle = {0};
    int rc = z ? zip_all(z, MEMBERS_MAX, &x->arena, &members, x->e) : -1;
    for (size_t i = 0; rc == 0 && i < members.n; i++) {
        struct str name = members.v[i].name;
        if (!pickle.offset && (str_ends(name, "/data.pkl") || str_is(name, "data.pkl"))) {
            pickle = members.v[i].m;
            path = name;
            prefix = str_n(name.p, name.n - strlen("data.pkl"));
        }
    }
    if (rc == 0 && !pickle.offset)
        rc = err_set(x->e, ERR_DATA, _("%s: expected data.pkl, which torch.save writes, in this zip archive"), f->name);
    for (size_t i = 0; rc == 0 && i < members.n; i++) {
        struct str name = members.v[i].name;
        if (name.n < prefix.n || memcmp(name.p, prefix.p, prefix.n) != 0)
            continue;
        name = str_cut(name, prefix.n);
        const struct zip_member *m = &members.v[i].m;
        if (str_is(name, "byteorder") && m->stored && m->size == 3) {
            char order[3];
            rc = file_read(f, m->offset, order, 3, x->e);
            x->swap = rc == 0 && memcmp(order, "big", 3) == 0;
        } else if (str_starts(name, "data/")) {
            struct stored d = {m->offset, m->size, !m->stored, zip_sealed(m)};
            map_add(&x->keys, str_cut(name, 5), (uint32_t)x->stored.n);
            vec_push(&x->stored, d);
        }
    }
    if (rc == 0)
        rc = zip_read(f, &pickle, PICKLE_MAX, &text, x->e);
    x->source = (struct pickle_source){buf_view(&text), {.file = x->file}};
    if (rc == 0 && pickle.stored)
        x->source.lies.at = pickle.offset;
    else if (rc == 0)
        x->source.lies.member = arena_cstr(&x->w->arena, path);
    if (rc == 0) {
        const struct pickle *root = pickle_parse(buf_view(&text), &x->arena, f->name, NULL, x->e);
        rc = root ? walk_tree(x, root) : -1;
    }
    buf_release(&text);
    vec_release(&members);
    zip_close(z);
    return rc;
}

/* ---- pickles one after the other ---- */

/* Parses the pickle at *at and moves *at after it. Its length is unknown: more is read until it parses. */
static const struct pickle *next_pickle(struct pickle_walk *x, const struct file *f, uint64_t *at, struct buf *bytes,
                                        struct pickle_source *source)
{
    for (size_t n = 1u << 16;; n = n < PICKLE_MAX / 8 ? n * 8 : PICKLE_MAX) {
        size_t used = 0, left = f->size > *at ? (size_t)(f->size - *at) : 0, take = n < left ? n : left;
        struct err why;
        struct arena tried = {0};
        buf_clear(bytes);
        buf_reserve(bytes, take);
        if (file_read(f, *at, bytes->p, take, x->e))
            return NULL;
        bytes->n = take;
        const struct pickle *p = pickle_parse(buf_view(bytes), &tried, f->name, &used, &why);
        if (p || take == left || n == PICKLE_MAX) {
            if (!p && take < left) {
                arena_release(&tried);
                err_at(x->e, f->name, *at, _("a pickle of more than %u MB is not read; torch.save and numpy.savez "
                                             "keep arrays outside it"), PICKLE_MAX >> 20);
                return NULL;
            }
            if (!p) {
                arena_release(&tried);
                err_prefix(&why, _("in the pickle at byte %llu"), (unsigned long long)*at);
                *x->e = why;
                return NULL;
            }
            /* nodes point into the bytes read: keep both */
            arena_release(&tried);
            *source = (struct pickle_source){arena_str(&x->arena, str_n(bytes->p, used)), {.file = x->file, .at = *at}};
            p = pickle_parse(source->text, &x->arena, f->name, &used, x->e);
            *at += used;
            return p;
        }
        arena_release(&tried);
    }
}

typedef VEC(struct pt_storage) storage_list;

/* Lists every storage that the pickle names, because their sizes are needed to skip them. Not recursive, since a
 * pickle may be nested deeply. */
static void storages_of(struct pickle_walk *x, const struct pickle *root, struct map *index, storage_list *out)
{
    VEC(const struct pickle *) todo = {0};
    struct nmap seen = {0};
    vec_push(&todo, root);
    while (todo.n) {
        const struct pickle *p = todo.v[--todo.n];
        if (!p || nmap_get(&seen, (uint64_t)(uintptr_t)p) != MAP_NONE)
            continue;
        nmap_add(&seen, (uint64_t)(uintptr_t)p, 0);
        struct pt_storage k;
        if (pt_storage_of(p, &k) && map_add(index, k.key, (uint32_t)out->n) == out->n)
            vec_push(out, k);
        for (uint32_t i = 0; i < p->n; i++)
            vec_push(&todo, p->item[i]);
    }
    (void)x;
    vec_release(&todo);
    nmap_release(&seen);
}

/* After the pickles: for each key in their list an element count of 8 bytes, then the elements. */
static int state_dict_lay_out(struct pickle_walk *x, const struct file *f, const struct pickle *keys, uint64_t at,
                              const struct map *index,
                              const storage_list *kinds)
{
    for (uint32_t i = 0; i < keys->n; i++) {
        unsigned char b[8];
        uint64_t count = 0;
        uint32_t k = keys->item[i]->kind == PICKLE_TEXT ? map_get(index, keys->item[i]->text) : MAP_NONE;
        if (k == MAP_NONE || !kinds->v[k].width)
            return err_at(x->e, f->name, at, _("expected a storage of a known type"));
        if (file_read(f, at, b, 8, x->e))
            return -1;
        for (int n = 7; n >= 0; n--)
            count = count << 8 | b[x->swap ? 7 - n : n];
        uint64_t size = kinds->v[k].width;
        at += 8;
        if (count != kinds->v[k].count)
            return err_at(x->e, f->name, at - 8, _("a storage of %llu elements; the pickle has %llu"),
                          (unsigned long long)count, (unsigned long long)kinds->v[k].count);
        if (count > (f->size - at) / size)
            return err_at(x->e, f->name, at, _("end of data; the shape needs %llu elements of %u bytes"),
                          (unsigned long long)count, (unsigned)size);
        struct stored d = {.at = at, .size = count * size};
        map_add(&x->keys, kinds->v[k].key, (uint32_t)x->stored.n);
        vec_push(&x->stored, d);
        at += count * size;
    }
    return 0;
}

static bool is_magic(const struct pickle *p)
{
    /* the magic number 0x1950a86a20f9469cfc6c has ten bytes: saturated */
    return p && p->kind == PICKLE_INT && p->i == INT64_MAX;
}

/* pickle.dump of NumPy arrays: one pickle without torch objects. */
static int load_plain_pickle(struct pickle_walk *x, const struct file *f, const struct pickle *object)
{
    size_t before = x->w->list.n;
    uint32_t unused;
    bool may = is_leaf(x, object) || entry_range(object, &unused) || object->kind == PICKLE_LIST ||
               object->kind == PICKLE_TUPLE;
    x->plain = true;
    if (may && walk_tree(x, object))
        return -1;
    return x->w->list.n > before ? 0 : err_at(x->e, f->name, 0, "%s", _("expected torch.save's magic number or a "
                                                                        "dictionary of arrays"));
}

static int list_legacy(struct pickle_walk *x, const struct file *f)
{
    struct buf bytes = {0};
    uint64_t at = 0;
    const struct pickle *part[5] = {0}; /* magic, protocol, system, the object, the keys of storages */
    struct pickle_source source[5] = {0};
    int rc = 0;
    for (int i = 0; i < 5 && rc == 0; i++) {
        part[i] = next_pickle(x, f, &at, &bytes, &source[i]);
        if (!part[i])
            rc = -1;
        else if (i == 0 && !is_magic(part[0]))
            rc = 1;
    }
    buf_release(&bytes);
    x->source = source[rc ? 0 : 3];
    if (rc)
        return rc < 0 ? -1 : load_plain_pickle(x, f, part[0]);
    const struct pickle *little = pickle_get(part[2], "little_endian");
    x->swap = little && little->kind == PICKLE_BOOL && !little->i;
    if (part[4]->kind != PICKLE_LIST)
        return err_at(x->e, f->name, at, _("expected a list of the storages' keys before this"));
    struct map index = {0};
    storage_list kinds = {0};
    struct err cut = {0}, *given = x->e;
    storages_of(x, part[3], &index, &kinds);
    x->e = &cut;
    rc = state_dict_lay_out(x, f, part[4], at, &index, &kinds);
    x->e = given;
    if (rc) /* a file cut short: complete tensors are listed, the others are reported */
        weights_problem(x->w, UINT32_MAX, "damaged", cut.text);
    rc = walk_tree(x, part[3]);
    map_release(&index);
    vec_release(&kinds);
    return rc;
}

/* ---- the format ---- */

static const unsigned char legacy_head[] =
    {0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19};

static int state_dict_list(struct weights *w, uint32_t file, struct err *e)
{
    struct file f;
    unsigned char head[sizeof legacy_head] = {0};
    if (weights_open_file(w, file, &f, e))
        return -1;
    struct pickle_walk x = {.w = w, .file = file, .name = f.name, .left = f.size * SHARED, .beyond = 4 * CLAIM, .e = e};
    long n = file_read_some(&f, 0, head, sizeof head, e);
    int rc = n < 0 ? -1 : 0;
    if (rc == 0 && n > 4 && memcmp(head, "PK", 2) == 0)
        rc = list_zip(&x, &f);
    else if (rc == 0 && n > 4 && head[0] == 0x80)
        rc = list_legacy(&x, &f);
    else if (rc == 0)
        rc = err_at(e, f.name, 0, _("expected torch.save's zip archive or pickles; tars of torch before 0.1.10 are "
                                    "not read: load and save again"));
    if (rc == 0 && !*w->framework && !x.plain)
        w->framework = "pytorch";
    walk_release(&x);
    file_close(&f);
    return rc;
}

static bool state_dict_named(const char *path)
{
    static const char *const ends[] = {".pt", ".pth", ".bin", ".ckpt", ".pkl", ".pickle", ".pdparams"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (str_ends(str_of(path), ends[i]))
            return true;
    return false;
}

/* Distinguishes checkpoints from other zip archives such as spreadsheets. */
static bool holds_pickle(const struct file *f)
{
    struct err quiet;
    struct zip_member m;
    struct zip *z = zip_open(f, &quiet);
    bool yes = z && zip_find_suffix(z, "data.pkl", &m, NULL, &quiet) == 1;
    zip_close(z);
    return yes;
}

static bool state_dict_probe(const char *path)
{
    struct file f;
    struct err quiet;
    unsigned char head[sizeof legacy_head] = {0};
    if (path_is_dir(path) || file_open(&f, path, &quiet))
        return false;
    bool yes = file_read_some(&f, 0, head, sizeof head, &quiet) == (long)sizeof head;
    /* torch's default is protocol 2; others differ in the second byte and in the framing of the number */
    if (yes && memcmp(head, "PK\3\4", 4) == 0)
        yes = state_dict_named(path) || holds_pickle(&f);
    else
        yes = yes && (memcmp(head, legacy_head, sizeof head) == 0 ||
                      (state_dict_named(path) && head[0] == 0x80 && head[1] <= 5));
    file_close(&f);
    return yes;
}

const struct weight_format weights_torch = {.name = "torch", .probe = state_dict_probe, .list_file = state_dict_list};

/* ---- numpy.save of a dictionary: an array of objects, whose only element is a pickle's dictionary ---- */

static bool probe_objects(const char *path)
{
    char head[PT_OBJECTS_HEAD];
    uint64_t at;
    return !path_is_dir(path) && pt_objects_head(file_head(path, head, sizeof head), &at);
}

static int list_objects(struct weights *w, uint32_t file, struct err *e)
{
    struct file f;
    char head[PT_OBJECTS_HEAD];
    struct buf bytes = {0};
    uint64_t at = 0;
    if (weights_open_file(w, file, &f, e))
        return -1;
    struct pickle_walk x = {.w = w, .file = file, .name = f.name, .left = f.size * SHARED, .beyond = 4 * CLAIM,
        .numbers = true, .e = e};
    long n = file_read_some(&f, 0, head, sizeof head, e);
    int rc = n < 0 ? -1 : 0;
    if (rc == 0 && !pt_objects_head(str_n(head, (size_t)n), &at))
        rc = err_at(e, f.name, 0, _("expected numpy.save's header of an array of objects"));
    const struct pickle *root = rc == 0 ? next_pickle(&x, &f, &at, &bytes, &x.source) : NULL;
    rc = root ? load_plain_pickle(&x, &f, pt_objects(root)) : -1;
    walk_release(&x);
    buf_release(&bytes);
    file_close(&f);
    return rc;
}

const struct weight_format weights_npy_objects = {.name = "npy", .probe = probe_objects, .list_file = list_objects};

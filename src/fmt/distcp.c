/* torch.distributed.checkpoint: .metadata, a pickle that describes the tensors and their chunks, and *.distcp files,
 * in which every chunk is a separate torch.save. Megatron's default (torch_dist) has this format, with all layers of
 * one kind in one tensor. A tensor is a view over its chunks, one after the other. */
#include <stdlib.h>

#include "base/msg.h"
#include "fmt/pickle.h"
#include "fmt/pt.h"
#include "fmt/weight_grid.h"
#include "fmt/weights.h"

#define METADATA ".metadata"
#define METADATA_MAX (256u << 20)
#define ENTRIES 1000000
#define CHUNKS_MAX (1u << 22)
#define SHARED 64 /* the most references to a file's bytes by all chunks: each replica refers to them once */

struct chunk {
    int64_t at[TENSOR_DIMS], size[TENSOR_DIMS];
    uint32_t stored; /* index of `stored` */
};

struct stored_chunk {
    struct str file;
    uint64_t at, size;
    bool transformed; /* compressed or otherwise transformed */
};

struct distcp {
    struct weights *w;
    const char *dir, *name; /* name: of .metadata, for messages */
    struct arena arena;
    struct map where;       /* "name@0,3" → index of stored */
    VEC(struct stored_chunk) stored;
    struct map files;       /* name → file of the set */
    struct map paths;       /* name → its path in the saved object: index of planner_data's items */
    uint64_t held, claimed; /* bytes of the files, and bytes claimed by all chunks */
    bool megatron;
    struct err *e;
};

/* ---- the metadata ---- */

/* The state of an object: a dictionary of its fields. */
static const struct pickle *object_field(const struct pickle *object, const char *name)
{
    if (!object || object->kind != PICKLE_CALL || object->n < 3 || object->item[2]->kind != PICKLE_DICT)
        return NULL;
    return pickle_get(object->item[2], name);
}

static bool sizes_of(const struct pickle *p, int64_t *out, int *n)
{
    struct tensor t = {.ndim = 0};
    if (!p || !pt_sizes(p, &t))
        return false;
    *n = t.ndim;
    for (int i = 0; i < t.ndim; i++)
        out[i] = t.shape[i];
    return true;
}

static void chunk_key(struct buf *b, struct str name, const int64_t *at, int n)
{
    buf_clear(b);
    buf_fmt(b, "%.*s@", STR_ARG(name));
    for (int i = 0; i < n; i++)
        buf_fmt(b, "%s%lld", i ? "," : "", (long long)at[i]);
}

/* Where each chunk lies: MetadataIndex(fqn, offset) → _StorageInfo(relative_path, offset, length). */
static int read_storage(struct distcp *x, const struct pickle *root)
{
    const struct pickle *all = object_field(root, "storage_data");
    struct buf key = {0};
    if (!all || all->kind != PICKLE_DICT)
        return err_set(x->e, ERR_DATA,
                       _("%s: expected what torch.distributed.checkpoint writes: Metadata with storage_data"), x->name);
    for (uint32_t i = 0; i + 1 < all->n && x->stored.n < CHUNKS_MAX; i += 2) {
        const struct pickle *name = object_field(all->item[i], "fqn"),
            *path = object_field(all->item[i + 1], "relative_path"),
                            *at = object_field(all->item[i + 1], "offset"),
                            *size = object_field(all->item[i + 1], "length"),
                            *how = object_field(all->item[i + 1], "transform_descriptors");
        int64_t from[TENSOR_DIMS];
        int n;
        if (!name || name->kind != PICKLE_TEXT || !path || path->kind != PICKLE_TEXT || !at || at->kind != PICKLE_INT ||
            at->i < 0 || !size || size->kind != PICKLE_INT || size->i < 0 ||
            !sizes_of(object_field(all->item[i], "offset"), from, &n))
            continue; /* offset None: an object that is no tensor */
        struct stored_chunk s = {path->text, (uint64_t)at->i, (uint64_t)size->i, how && how->n > 0};
        chunk_key(&key, name->text, from, n);
        map_add(&x->where, arena_str(&x->arena, buf_view(&key)), (uint32_t)x->stored.n);
        vec_push(&x->stored, s);
    }
    buf_release(&key);
    return 0;
}

/* ---- chunks ---- */

/* Reads the chunk's own header, and where its elements are in the file. */
static int open_chunk(struct distcp *x, const struct stored_chunk *s, struct tensor *t, struct weight_piece *p,
                      struct err *why)
{
    struct file f;
    uint32_t file = map_get(&x->files, s->file);
    bool fresh = file == MAP_NONE;
    if (fresh) {
        struct str own = arena_str(&x->w->arena, s->file);
        file = weights_add_file(x->w, x->dir, own.p);
        map_add(&x->files, own, file);
    }
    *t = (struct tensor){.ndim = 0};
    if (s->transformed)
        return err_set(why, ERR_DATA, _("%s: chunks of %.*s are transformed (compressed): not supported"), x->name,
                       STR_ARG(s->file));
    if (weights_open_file(x->w, file, &f, why))
        return -1;
    x->held += fresh ? f.size : 0;
    x->claimed += s->size;
    if (x->claimed / SHARED > x->held) {
        err_set(why, ERR_DATA, _("%s: the chunks refer to the same bytes more than %d times, the "
                                 "limit"), x->name, SHARED);
        file_close(&f);
        return -1;
    }
    if (s->at > f.size || s->size > f.size - s->at) {
        err_set(why, ERR_DATA, _("%1$s: ends before the chunk at byte %3$llu, which %2$s lists"), f.name, METADATA,
                (unsigned long long)s->at);
        file_close(&f);
        return -1;
    }
    struct file_span span = {.at = s->at, .size = s->size};
    char *name = mem_strdup(f.name);
    span.fd = file_detach(&f);
    file_join(&t->file, name, &span, 1);
    free(name);
    int rc = pt_open(t, why);
    if (rc == 0 && !tensor_packed(t))
        rc = err_set(why, ERR_DATA, _("%s: the elements of a chunk are not in row-major order"), t->file.name);
    *p = (struct weight_piece){.file = file, .at = s->at + t->offset, .size = t->numel * dtype_table[t->dtype].size,
                               .sealed = t->sealed};
    p->sealed.at += s->at; /* of the chunk's own archive */
    file_close(&t->file);
    t->file = (struct file){0};
    return rc;
}

static int compare_chunk_places(const void *a, const void *b)
{
    const struct chunk *x = a, *y = b;
    for (int i = 0; i < TENSOR_DIMS; i++)
        if (x->at[i] != y->at[i])
            return x->at[i] < y->at[i] ? -1 : 1;
    return 0;
}

/* Chunks in the order of their offsets as a view: divided along the first axis they are simply concatenated; a
 * regular grid has two axes for each divided one. False for other arrangements. */
static bool distcp_lay_out(const struct chunk *c, size_t n, struct tensor *t, struct tensor *view)
{
    int64_t grid[TENSOR_DIMS], next = 0;
    bool rows = true, even = true;
    size_t count = 1, i;
    for (i = 0; i < n; i++) {
        rows &= t->ndim > 0 && c[i].at[0] == next;
        next += t->ndim > 0 ? c[i].size[0] : 0;
        for (int a = 1; a < t->ndim; a++)
            rows &= c[i].at[a] == 0 && c[i].size[a] == t->shape[a];
    }
    *view = *t;
    if (n == 1 || (rows && next == t->shape[0]))
        return n != 1 || t->ndim == 0 || (rows && next == t->shape[0]);
    for (int a = 0; a < t->ndim; a++) {
        even &= c[0].size[a] > 0 && t->shape[a] % c[0].size[a] == 0;
        grid[a] = even ? t->shape[a] / c[0].size[a] : 1;
        count *= (size_t)grid[a];
    }
    for (i = 0; i < n && even; i++) {
        size_t rest = i;
        for (int a = t->ndim - 1; a >= 0; a--) {
            even &= c[i].size[a] == c[0].size[a] && c[i].at[a] == (int64_t)(rest % (size_t)grid[a]) * c[0].size[a];
            rest /= (size_t)grid[a];
        }
    }
    return even && count == n && weight_grid_view(grid, c[0].size, t->ndim, view);
}

/* ---- tensors ---- */

/* All its chunks, sorted; false if one is not stored or has another size than stated. */
static int chunks_of(struct distcp *x, struct str name, const struct pickle *list, int ndim, struct chunk *out,
                     struct err *why)
{
    struct buf key = {0};
    int rc = 0, n;
    for (uint32_t i = 0; i < list->n && rc == 0; i++) {
        memset(&out[i], 0, sizeof out[i]);
        if (!sizes_of(object_field(list->item[i], "offsets"), out[i].at, &n) || n != ndim ||
            !sizes_of(object_field(list->item[i], "sizes"), out[i].size, &n) || n != ndim) {
            rc = err_set(why, ERR_DATA, _("%s: %.*s: damaged list of chunks"), x->name, STR_ARG(name));
            break;
        }
        chunk_key(&key, name, out[i].at, ndim);
        out[i].stored = map_get(&x->where, buf_view(&key));
        if (out[i].stored == MAP_NONE)
            rc = err_set(why, ERR_DATA, _("%s: %.*s: a chunk is in no file"), x->name, STR_ARG(name));
    }
    buf_release(&key);
    if (list->n > 1 && rc == 0)
        qsort(out, list->n, sizeof *out, compare_chunk_places);
    return rc;
}

/* Adds the pieces of these chunks to the set; the first one's index in *piece. */
static int pieces_of(struct distcp *x, const struct chunk *c, size_t n, struct tensor *t, uint32_t *piece,
                     struct err *why)
{
    *piece = (uint32_t)x->w->pieces.n;
    for (size_t i = 0; i < n; i++) {
        struct tensor own;
        struct weight_piece p;
        if (open_chunk(x, &x->stored.v[c[i].stored], &own, &p, why))
            return -1;
        bool same = own.ndim == t->ndim && (i == 0 || (own.dtype == t->dtype && own.swap == t->swap));
        for (int a = 0; a < t->ndim && same; a++)
            same = own.shape[a] == c[i].size[a];
        if (!same)
            return err_set(why, ERR_DATA, _("%s: the type or shape of a chunk differs from %s"), x->name, METADATA);
        t->dtype = own.dtype;
        t->swap = own.swap;
        vec_push(&x->w->pieces, p);
    }
    return 0;
}

static int distcp_add(struct distcp *x, struct str name, struct tensor *t, const struct chunk *c, size_t n,
                      const struct err *broken)
{
    struct tensor view;
    struct err why = {0};
    uint32_t piece = 0, before = (uint32_t)x->w->pieces.n;
    bool good = !broken && pieces_of(x, c, n, t, &piece, &why) == 0;
    if (good && !distcp_lay_out(c, n, t, &view)) {
        err_set(&why, ERR_DATA, _("%s: %.*s is split into uneven chunks along several axes: not supported"), x->name,
                STR_ARG(name));
        good = false;
    }
    if (!good)
        x->w->pieces.n = before;
    t->offset = 0;
    uint32_t i = weights_add(x->w, name, str_of(dtype_table[t->dtype].name), t, NULL, x->e);
    if (i == UINT32_MAX)
        return -1;
    struct weight *own = &x->w->list.v[i];
    if (!good) {
        own->problem = arena_cstr(&x->w->arena, str_of(broken ? broken->text : why.text));
        weights_problem(x->w, i, "damaged", own->problem);
        return 0;
    }
    own->piece = piece;
    own->pieces = (uint32_t)n;
    int64_t *dim = arena_alloc(&x->w->arena, sizeof *dim * TENSOR_DIMS),
            *stride = arena_alloc(&x->w->arena, sizeof *dim * TENSOR_DIMS);
    memcpy(dim, view.shape, sizeof *dim * TENSOR_DIMS);
    memcpy(stride, view.stride, sizeof *dim * TENSOR_DIMS);
    own->axes = view.ndim;
    own->dim = dim;
    own->stride = stride;
    return 0;
}

/* Megatron stores all layers of a kind in one tensor, "decoder.layers.mlp.linear_fc1.weight", whose first axis is the
 * layer. The position in the name where the layer number belongs, or 0. */
static size_t layers_at(const struct distcp *x, struct str name)
{
    ptrdiff_t at = x->megatron ? str_search(name, "layers.") : -1;
    if (at < 0 || (at && name.p[at - 1] != '.'))
        return 0;
    size_t behind = (size_t)at + strlen("layers.");
    return behind < name.n && (name.p[behind] < '0' || name.p[behind] > '9') ? behind : 0;
}

/* Adds each layer of such a tensor, whose chunks each belong to one layer. */
static int add_layers(struct distcp *x, struct str name, size_t number, const struct tensor *t, struct chunk *c,
                      size_t n)
{
    struct buf b = {0};
    int rc = 0;
    for (size_t from = 0, to; from < n && rc == 0; from = to) {
        struct tensor own = {.ndim = t->ndim, .dtype = t->dtype};
        for (to = from; to < n && c[to].at[0] == c[from].at[0]; to++)
            continue;
        memcpy(own.shape, t->shape, sizeof own.shape);
        own.shape[0] = 1;
        int64_t layer = c[from].at[0];
        for (size_t i = from; i < to; i++)
            c[i].at[0] = 0;
        buf_clear(&b);
        buf_fmt(&b, "%.*s%lld.%.*s", (int)number, name.p, (long long)layer, STR_ARG(str_cut(name, number)));
        rc = tensor_pack(&own, x->name, x->e) || distcp_add(x, buf_view(&b), &own, c + from, to - from, NULL) ? -1 : 0;
        if (rc == 0) { /* the model's weight has no layer axis */
            struct weight *w = vec_last(&x->w->list);
            w->ndim -= w->ndim > 0;
            w->shape += 1;
        }
    }
    buf_release(&b);
    return rc;
}

static bool one_layer_each(const struct chunk *c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (c[i].size[0] != 1)
            return false;
    return n > 0;
}

static int add_tensor(struct distcp *x, struct str key, struct str name, const struct pickle *meta)
{
    const struct pickle *size = object_field(meta, "size"), *list = object_field(meta, "chunks"),
                        *properties = object_field(meta, "properties");
    /* TensorProperties stores its fields as a tuple */
    struct tensor t = {.ndim = 0};
    struct err why = {0};
    if (!list || list->kind != PICKLE_LIST || !size || !sizes_of(size, t.shape, &t.ndim) || list->n > CHUNKS_MAX)
        return 0; /* bytes: an object that is not a tensor */
    if (properties && properties->kind == PICKLE_CALL && properties->n >= 3 && properties->item[2]->n > 0) {
        const struct pickle *type = properties->item[2]->item[0];
        if (type->kind == PICKLE_GLOBAL && str_starts(type->text, "torch "))
            t.dtype = dtype_find(str_cut(type->text, strlen("torch ")));
    }
    if (tensor_pack(&t, x->name, x->e))
        return -1;
    struct chunk *c = mem_resize_array(NULL, list->n + 1, sizeof *c);
    bool broken = chunks_of(x, key, list, t.ndim, c, &why) != 0;
    size_t number = t.ndim > 1 ? layers_at(x, name) : 0;
    if (!list->n && !broken && t.numel) {
        err_set(&why, ERR_DATA, _("%s: %.*s: a chunk is in no file"), x->name, STR_ARG(name));
        broken = true;
    }
    int rc = number && !broken && one_layer_each(c, list->n) ? add_layers(x, name, number, &t, c, list->n)
                                                             : distcp_add(x, name, &t, c, list->n, broken ? &why
                                                                          : NULL);
    free(c);
    return rc;
}

/* {"model": {…}}: the model's tensors get names without the prefix, as with torch.save of such a dictionary. */
static struct str own_name(const struct distcp *x, const struct pickle *paths, struct str key)
{
    uint32_t at = map_get(&x->paths, key);
    const struct pickle *path = at == MAP_NONE ? NULL : paths->item[at + 1];
    if (!path || path->kind != PICKLE_TUPLE || path->n < 2 || path->item[0]->kind != PICKLE_TEXT)
        return key;
    struct str first = path->item[0]->text;
    return weights_hold_model(first) && key.n > first.n + 1 ? str_cut(key, first.n + 1) : key;
}

static bool is_megatron(const char *dir)
{
    struct buf path = {0};
    char head[512];
    path_join(&path, dir, "metadata.json");
    bool yes = str_has(file_head(path.p, head, sizeof head), "torch_dist");
    buf_release(&path);
    return yes;
}

static int list_metadata(struct distcp *x, const struct pickle *root)
{
    const struct pickle *all = object_field(root, "state_dict_metadata"), *paths = object_field(root, "planner_data");
    if (read_storage(x, root))
        return -1;
    if (!all || all->kind != PICKLE_DICT)
        return err_set(x->e, ERR_DATA,
                       _("%s: expected what torch.distributed.checkpoint writes: Metadata with storage_data"), x->name);
    for (uint32_t i = 0; paths && paths->kind == PICKLE_DICT && i + 1 < paths->n; i += 2)
        if (paths->item[i]->kind == PICKLE_TEXT)
            map_add(&x->paths, paths->item[i]->text, i);
    for (uint32_t i = 0; i + 1 < all->n; i += 2)
        if (all->item[i]->kind == PICKLE_TEXT &&
            add_tensor(x, all->item[i]->text, own_name(x, paths, all->item[i]->text), all->item[i + 1]))
            return -1;
    return 0;
}

/* ---- the format ---- */

static bool distcp_probe(const char *path)
{
    return str_is(path_base(str_of(path)), METADATA) && !path_is_dir(path);
}

static bool distcp_probe_folder(struct folder *f)
{
    bool any = false;
    for (size_t i = 0; i < f->entries.n && !any; i++)
        any = str_ends(str_of(f->entries.v[i].name), ".distcp");
    return any && folder_has_file(f, METADATA);
}

static int distcp_list(struct weights *w, const char *path, struct err *e)
{
    struct distcp x = {.w = w, .e = e};
    struct buf text = {0}, name = {0};
    struct file f = {0};
    x.dir = path_is_dir(path) ? w->path : arena_cstr(&w->arena, path_folder(str_of(path)));
    path_join(&name, x.dir, METADATA);
    x.name = name.p;
    x.megatron = is_megatron(x.dir);
    w->framework = x.megatron ? "megatron" : "torch";
    int rc = file_open(&f, name.p, e);
    if (rc == 0 && f.size > METADATA_MAX)
        rc = err_set(e, ERR_DATA, _("%s: larger than %u MB"), name.p, METADATA_MAX >> 20);
    if (rc == 0) {
        buf_reserve(&text, (size_t)f.size + 1);
        rc = file_read(&f, 0, text.p, (size_t)f.size, e);
        text.n = (size_t)f.size;
    }
    file_close(&f);
    const struct pickle *root = rc == 0 ? pickle_parse(buf_view(&text), &x.arena, x.name, NULL, e) : NULL;
    rc = root ? list_metadata(&x, root) : -1;
    map_release(&x.where);
    map_release(&x.files);
    map_release(&x.paths);
    vec_release(&x.stored);
    arena_release(&x.arena);
    buf_release(&text);
    buf_release(&name);
    return rc;
}

const struct weight_format weights_distcp =
    {.name = "torch-distcp", .probe = distcp_probe, .probe_folder = distcp_probe_folder, .list = distcp_list};

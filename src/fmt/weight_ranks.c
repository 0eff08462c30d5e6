/* Checkpoints of several ranks. Megatron: mp_rank_TT[_PPP][_EEE]/model_optim_rng.pt, with or without an iter_N
 * folder: tensor-parallel ranks hold rows or columns of a weight (data/weights.tsv says which), pipeline ranks number
 * their layers from 0, expert ranks their experts. MindSpore: rank_N/ folders of files with equal names; a strategy
 * file says how each weight is sharded, without one they count as copies.
 *
 * The shards of a weight become one tensor over the concatenated files: a stride leads to the next shard, nothing is
 * copied. */
#include <stdlib.h>

#include "base/msg.h"
#include "fmt/weight_grid.h"
#include "fmt/weight_index.h"
#include "fmt/weight_names.h"
#include "fmt/weight_strategy.h"

#define RANKS_MAX 65536
#define RANK_MAX 65536 /* the largest number of a folder */
#define ENTRIES 1000000
#define KEPT 1000 /* children with at most this many entries are kept for the next reader */

struct rank {
    const char *dir;
    const char *file;  /* name of DeepSpeed's file, several of which are in one folder; NULL: the folder's file */
    int tp, second, third; /* numbers in the name, -1 if absent */
    int pp, ep;
};
typedef VEC(struct rank) rank_list;

/* ---- recognising ---- */

static bool take_number(struct str *s, int *out)
{
    size_t n = 0;
    int v = 0;
    while (n < s->n && n < 6 && s->p[n] >= '0' && s->p[n] <= '9')
        v = v * 10 + (s->p[n++] - '0');
    if (!n || v >= RANK_MAX)
        return false;
    *out = v;
    *s = str_cut(*s, n);
    return true;
}

/* mp_rank_00, mp_rank_00_001, mp_rank_00_001_002, mp_rank_00_model_states.pt; rank_3 */
static bool parse_rank_name(const char *name, bool dir, struct rank *r)
{
    struct str s = str_of(name);
    *r = (struct rank){.tp = -1, .second = -1, .third = -1};
    if (str_starts(s, "mp_rank_")) {
        s = str_cut(s, strlen("mp_rank_"));
        if (!take_number(&s, &r->tp))
            return false;
        if (!dir)
            return str_is(s, "_model_states.pt");
        if (s.n && s.p[0] == '_' && (s = str_cut(s, 1), !take_number(&s, &r->second)))
            return false;
        if (s.n && s.p[0] == '_' && (s = str_cut(s, 1), !take_number(&s, &r->third)))
            return false;
        return !s.n;
    }
    if (!dir || !str_starts(s, "rank"))
        return false;
    s = str_cut(s, strlen("rank"));
    if (s.n && s.p[0] == '_')
        s = str_cut(s, 1);
    return take_number(&s, &r->second) && !s.n;
}

static bool has_weights(struct folder *f, size_t i)
{
    struct err quiet;
    const struct folder *child = folder_child(f, i, ENTRIES, &quiet);
    bool yes = false;
    for (size_t k = 0; child && k < child->entries.n && !yes; k++) {
        struct str name = str_of(child->entries.v[k].name);
        yes = str_ends(name, ".ckpt") || str_ends(name, ".safetensors");
    }
    if (child && child->entries.n > KEPT)
        folder_child_release(f, i);
    return yes;
}

static bool rank_of(const struct folder *f, size_t i, struct rank *r, bool *is_dir)
{
    const char *name = f->entries.v[i].name;
    *is_dir = parse_rank_name(name, true, r) && folder_is_folder(f, i);
    return *is_dir || (parse_rank_name(name, false, r) && !folder_is_folder(f, i));
}

/* Lists the ranks in a folder, Megatron's if there are any, otherwise MindSpore's. Strings are in a. */
static void list_ranks(struct folder *f, struct arena *a, rank_list *out)
{
    struct buf path = {0};
    for (int mind = 0; mind < 2 && !out->n; mind++)
        for (size_t i = 0; i < f->entries.n && out->n < RANKS_MAX; i++) {
            struct rank r;
            bool is_dir;
            const char *name = f->entries.v[i].name;
            if (str_starts(str_of(name), "mp_rank_") == (mind != 0) || !rank_of(f, i, &r, &is_dir) ||
                (mind && !has_weights(f, i)))
                continue;
            path_join(&path, f->path, name);
            r.dir = arena_cstr(a, is_dir ? buf_view(&path) : str_of(f->path));
            r.file = is_dir ? NULL : arena_cstr(a, str_of(name));
            vec_push(out, r);
        }
    buf_release(&path);
}

/* "iter_0000010", "global_step10" */
static bool is_step(struct str name)
{
    static const char *const starts[] = {"iter_", "global_step"};
    unsigned long long n;
    for (size_t i = 0; i < ARRAY_LEN(starts); i++)
        if (str_starts(name, starts[i]) && str_u64(str_cut(name, strlen(starts[i])), &n))
            return true;
    return false;
}

/* The only iteration in a folder without a file that names the latest; the folder itself if there are none or
 * several. */
static const char *only_step(const struct folder *f, struct arena *a)
{
    size_t steps = 0, only = 0;
    for (size_t i = 0; i < f->entries.n && steps < 2; i++)
        if (is_step(str_of(f->entries.v[i].name)) && folder_is_folder(f, i)) {
            steps++;
            only = i;
        }
    return steps == 1 ? arena_fmt(a, "%s/%s", f->path, f->entries.v[only].name) : f->path;
}

/* The folder of the ranks: path, or the iteration named by latest_checkpointed_iteration.txt or by DeepSpeed's file
 * "latest", or the only iteration. */
static const char *root_of(const struct folder *f, struct arena *a)
{
    struct buf file = {0}, text = {0};
    struct err quiet;
    const char *path = f->path, *root = path;
    path_join(&file, path, "latest_checkpointed_iteration.txt");
    if (folder_has_file(f, "latest_checkpointed_iteration.txt") && file_slurp(file.p, 64, &text, &quiet) == 0) {
        struct str s = str_trim(buf_view(&text));
        unsigned long long n;
        struct buf name = {0};
        if (str_is(s, "release"))
            buf_cstr(&name, "release");
        else if (str_u64(s, &n))
            buf_fmt(&name, "iter_%07llu", n);
        if (name.n) {
            path_join(&file, path, name.p);
            root = arena_cstr(a, buf_view(&file));
        }
        buf_release(&name);
    } else {
        path_join(&file, path, "latest");
        buf_clear(&text);
        if (!folder_has_file(f, "latest")) {
            root = only_step(f, a);
        } else if (file_slurp(file.p, 256, &text, &quiet) == 0) {
            struct str s = str_trim(buf_view(&text));
            char *name = s.n && !memchr(s.p, '/', s.n) && s.p[0] != '.' ? str_dup(s) : NULL;
            if (name) {
                path_join(&file, path, name);
                root = path_is_dir(file.p) ? arena_cstr(a, buf_view(&file)) : path;
                free(name);
            }
        }
    }
    buf_release(&file);
    buf_release(&text);
    return root;
}

/* The ranks of the folder itself, or of the folder below that holds them. */
static void list_all_ranks(struct folder *f, struct arena *a, rank_list *out)
{
    const char *root = root_of(f, a);
    struct folder below = {0};
    struct err quiet;
    if (root == f->path)
        list_ranks(f, a, out);
    else if (folder_read(&below, root, ENTRIES, &quiet) == 0)
        list_ranks(&below, a, out);
    folder_release(&below);
}

static bool weight_ranks_probe(struct folder *f)
{
    struct arena a = {0};
    rank_list l = {0};
    list_all_ranks(f, &a, &l);
    bool yes = l.n > 0;
    vec_release(&l);
    arena_release(&a);
    return yes;
}

/* ---- joining ---- */

/* All weights of one name, over the ranks. */
struct shard {
    uint32_t set, weight;
    int tp;
    uint32_t next; /* the next shard of the same name, or UINT32_MAX */
};

struct join {
    struct weights *w;
    struct weights *set; /* one per rank */
    const rank_list *ranks;
    int tp;
    bool unread; /* a rank could not be listed */
    struct strategy strategy; /* MindSpore's; empty if no file describes the sharding */
    struct arena arena;
    struct map names; /* → first shard */
    VEC(struct shard) shards;
    VEC(uint32_t) firsts, lasts; /* shard, by name */
    VEC(struct str) own;         /* the names */
};

static bool same_layout(const struct weight *a, const struct weight *b)
{
    if (a->axes != b->axes || a->dtype != b->dtype || a->swap != b->swap || a->pieces != b->pieces)
        return false;
    for (int i = 0; i < a->axes; i++)
        if (a->dim[i] != b->dim[i] || a->stride[i] != b->stride[i])
            return false;
    return true;
}

/* Number of elements from the first to the last in storage. */
static uint64_t storage_extent(const struct weight *x)
{
    uint64_t n = 1;
    for (int i = 0; i < x->axes; i++)
        n += x->dim[i] ? (uint64_t)(x->dim[i] - 1) * (uint64_t)x->stride[i] : 0;
    return n;
}

static void copy_file(struct join *j, uint32_t set, const struct weight_piece *p)
{
    struct weight_piece x = *p;
    const struct weight_file *f = &j->set[set].files.v[p->file];
    /* each rank has few files: mostly the newest one */
    if (j->w->files.n && strcmp(vec_last(&j->w->files)->name, f->name) == 0 &&
        strcmp(vec_last(&j->w->files)->dir ? vec_last(&j->w->files)->dir : "", f->dir ? f->dir : "") == 0)
        x.file = (uint32_t)j->w->files.n - 1;
    else
        x.file = weights_add_file(j->w, f->dir, f->name);
    x.member = p->member ? arena_cstr(&j->w->arena, str_of(p->member)) : NULL;
    vec_push(&j->w->pieces, x);
}

static const struct weight *weight_of_shard(const struct join *j, uint32_t shard)
{
    const struct shard *s = &j->shards.v[shard];
    return &j->set[s->set].list.v[s->weight];
}

/* Adds one rank's weight unchanged. */
static struct weight *take_weight(struct join *j, uint32_t shard, struct str name)
{
    const struct shard *s = &j->shards.v[shard];
    const struct weight *x = weight_of_shard(j, shard);
    struct tensor t = {.dtype = x->dtype, .ndim = x->ndim, .numel = x->numel, .swap = x->swap, .offset = x->offset};
    struct err e;
    for (int i = 0; i < x->ndim; i++) {
        t.shape[i] = x->shape[i];
        t.stride[i] = x->stride[i];
    }
    uint32_t at = weights_add(j->w, name, x->type, &t, NULL, &e);
    if (at == UINT32_MAX)
        return NULL;
    struct weight *out = &j->w->list.v[at];
    out->text = x->text;
    out->origin = s->set;
    out->piece = (uint32_t)j->w->pieces.n;
    out->pieces = x->pieces;
    out->problem = x->problem ? arena_cstr(&j->w->arena, str_of(x->problem)) : NULL;
    for (uint32_t p = 0; p < x->pieces; p++)
        copy_file(j, s->set, &j->set[s->set].pieces.v[x->piece + p]);
    return out;
}

/* A rank's weight whose strings and pieces last as long as the set. */
static struct weight kept_weight(struct join *j, uint32_t shard)
{
    struct arena *a = &j->w->arena;
    struct weight x = *weight_of_shard(j, shard);
    uint32_t set = j->shards.v[shard].set, piece = x.piece;
    int64_t *shape = memcpy(arena_alloc(a, TENSOR_DIMS * sizeof *shape), x.shape, (size_t)x.ndim * sizeof *shape),
            *dim = memcpy(arena_alloc(a, TENSOR_DIMS * sizeof *dim), x.dim, (size_t)x.axes * sizeof *dim),
            *stride = memcpy(arena_alloc(a, TENSOR_DIMS * sizeof *stride), x.stride, (size_t)x.axes * sizeof *stride);
    x.shape = shape;
    x.dim = dim;
    x.stride = stride;
    x.name = arena_str(a, x.name);
    x.type = arena_str(a, x.type);
    x.problem = x.problem ? arena_cstr(a, str_of(x.problem)) : NULL;
    x.piece = (uint32_t)j->w->pieces.n;
    for (uint32_t p = 0; p < x.pieces; p++)
        copy_file(j, set, &j->set[set].pieces.v[piece + p]);
    return x;
}

static const char *rank_name(struct join *j, uint32_t shard)
{
    const struct rank *r = &j->ranks->v[j->shards.v[shard].set];
    return arena_cstr(&j->w->arena, r->file ? str_of(r->file) : path_base(str_of(r->dir)));
}

/* Keeps another rank's copy of a shard or a weight, for the comparison of their values. */
static void keep_copy(struct join *j, uint32_t first, uint32_t other, struct str name, bool certain)
{
    struct weight_copy c = {.certain = certain};
    if (weight_of_shard(j, first)->dtype == DTYPE_UNKNOWN && weight_of_shard(j, other)->dtype == DTYPE_UNKNOWN)
        return; /* listed only, as the weight itself */
    c.name = arena_cstr(&j->w->arena, name);
    c.of[0] = kept_weight(j, first);
    c.of[1] = kept_weight(j, other);
    c.rank[0] = rank_name(j, first);
    c.rank[1] = rank_name(j, other);
    vec_push(&j->w->copies, c);
}

static void note_join(struct join *j, struct str name, const char *why)
{
    struct err e;
    uint32_t at = weights_find(j->w, name);
    err_set(&e, ERR_DATA, "%.*s: %s", STR_ARG(name), why);
    weights_problem(j->w, at == MAP_NONE ? UINT32_MAX : at, "damaged", e.text);
    if (at != MAP_NONE)
        j->w->list.v[at].problem = arena_cstr(&j->w->arena, str_of(e.text));
}

/* Adds the first shard as the whole weight with the pieces of all n shards concatenated; NULL if one cannot be read. */
static struct weight *lay_behind(struct join *j, const uint32_t *shard, int n, struct str name)
{
    const struct weight *a = weight_of_shard(j, shard[0]);
    uint64_t size = dtype_table[a->dtype].size, reach = storage_extent(a);
    if (!take_weight(j, shard[0], name) || a->problem)
        return NULL;
    uint32_t first = (uint32_t)j->w->pieces.n;
    for (int i = 0; i < n; i++) {
        const struct shard *s = &j->shards.v[shard[i]];
        const struct weight *b = weight_of_shard(j, shard[i]);
        struct weight_piece p = j->set[s->set].pieces.v[b->piece];
        bool whole = p.latin; /* a Latin-1 array contains its elements and nothing else */
        if (b->problem || (!whole && (b->offset > p.size || p.size - b->offset < reach * size))) {
            note_join(j, name, b->problem ? b->problem : _("a shard has fewer elements than its shape"));
            return NULL;
        }
        if (!whole) {
            p.at += b->offset;
            p.size = reach * size;
        }
        copy_file(j, s->set, &p);
    }
    struct weight *x = vec_last(&j->w->list);
    x->numel = a->numel * (uint64_t)n;
    x->offset = 0;
    x->piece = first;
    x->pieces = (uint32_t)n;
    return x;
}

static void set_view(struct join *j, struct weight *x, const int64_t *shape, const struct tensor *view)
{
    struct arena *a = &j->w->arena;
    x->shape = memcpy(arena_alloc(a, sizeof view->shape), shape, sizeof view->shape);
    x->dim = memcpy(arena_alloc(a, sizeof view->shape), view->shape, sizeof view->shape);
    x->stride = memcpy(arena_alloc(a, sizeof view->stride), view->stride, sizeof view->stride);
    x->axes = view->ndim;
}

/* Joins shards 0 … n−1 along `axis`, each n strides further. */
static void join_axis(struct join *j, const uint32_t *shard, int n, int axis, struct str name)
{
    const struct weight *a = weight_of_shard(j, shard[0]);
    struct tensor view = {.ndim = a->axes + 1};
    int64_t shape[TENSOR_DIMS] = {0};
    struct weight *x = lay_behind(j, shard, n, name);
    if (!x)
        return;
    for (int i = 0, k = 0; i < a->axes; i++) {
        if (i == axis) {
            view.shape[k] = n;
            view.stride[k++] = (int64_t)storage_extent(a);
        }
        view.shape[k] = a->dim[i];
        view.stride[k++] = a->stride[i];
        shape[i] = a->shape[i] * (i == axis ? n : 1);
    }
    set_view(j, x, shape, &view);
    x->blocks = axis == 0 ? (uint32_t)n : 1;
}

/* ---- joining by MindSpore's strategy ---- */

static bool in_row_major_order(const struct weight *x)
{
    int64_t step = 1;
    for (int i = x->axes; i-- > 0; step *= x->dim[i])
        if (x->dim[i] > 1 && x->stride[i] != step)
            return false;
    return true;
}

/* The first rank's shard at each place of the grid, in row-major order; UINT32_MAX if no rank has it; others are kept
 * as its copies. Returns their number, -1 if the layout does not fit this weight. */
static int64_t shards_by_place(struct join *j, const struct strategy_layout *l, struct str name, uint32_t first,
                               int64_t *grid, uint32_t **out)
{
    const struct weight *a = weight_of_shard(j, first);
    int64_t at[TENSOR_DIMS], count = 0, found = 0;
    *out = NULL;
    for (uint32_t s = first; s != UINT32_MAX; s = j->shards.v[s].next) {
        int64_t place = 0;
        if (!strategy_place(l, j->ranks->v[j->shards.v[s].set].second, a->ndim, grid, at))
            return -1;
        if (!*out) {
            count = 1;
            for (int i = 0; i < a->ndim; i++)
                count *= grid[i];
            *out = mem_resize_array(NULL, (size_t)count, sizeof **out);
            memset(*out, 0xff, (size_t)count * sizeof **out);
        }
        for (int i = 0; i < a->ndim; i++)
            place = place * grid[i] + at[i];
        if ((*out)[place] == UINT32_MAX) {
            (*out)[place] = s;
            found++;
        } else {
            keep_copy(j, (*out)[place], s, name, true);
        }
    }
    return found;
}

static void join_grid(struct join *j, const struct strategy_layout *l, struct str name, uint32_t first)
{
    const struct weight *a = weight_of_shard(j, first);
    struct tensor view = {.ndim = 0};
    int64_t grid[TENSOR_DIMS], shape[TENSOR_DIMS] = {0}, count = 1;
    uint32_t *shard;
    int64_t found = shards_by_place(j, l, name, first, grid, &shard);
    bool alike = a->dtype != DTYPE_UNKNOWN && a->pieces == 1 && in_row_major_order(a);
    for (int i = 0; found >= 0 && i < a->ndim; i++)
        count *= grid[i];
    for (int64_t i = 0; i < count && found == count; i++)
        alike &= same_layout(a, weight_of_shard(j, shard[i]));
    if (count == 1 && found == 1) {
        take_weight(j, shard[0], name);
    } else if (found != count || !alike || l->uneven || !weight_grid_view(grid, a->shape, a->ndim, &view)) {
        struct err e;
        take_weight(j, first, name);
        if (found < 0)
            err_set(&e, ERR_DATA, _("the strategy file has a layout with %d axes for it"), l->axes);
        else if (found != count)
            err_set(&e, ERR_DATA, _("%lld of %lld shards listed in the strategy file found"), (long long)found,
                    (long long)count);
        else
            err_set(&e, ERR_DATA, "%s", l->uneven ? _("split into uneven shards: not supported")
                                                  : _("its shards differ in shape, type or layout"));
        note_join(j, name, e.text);
    } else {
        struct weight *x = lay_behind(j, shard, (int)count, name);
        for (int i = 0; i < a->ndim; i++)
            shape[i] = a->shape[i] * grid[i];
        if (x)
            set_view(j, x, shape, &view);
    }
    free(shard);
}

/* ---- joining by tensor-parallel ranks ---- */

static int by_tp(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void join_one(struct join *j, struct str name, uint32_t first)
{
    uint64_t order[1024];
    uint32_t shard[1024];
    struct weight_id id;
    int n = 0, distinct = 0;
    const struct strategy_layout *layout = strategy_of(&j->strategy, name);
    if (layout) {
        join_grid(j, layout, name, first);
        return;
    }
    for (uint32_t s = first; s != UINT32_MAX && n < 1024; s = j->shards.v[s].next)
        order[n++] = (uint64_t)j->shards.v[s].tp << 32 | s;
    qsort(order, (size_t)n, sizeof *order, by_tp);
    weight_identify(name, &j->arena, &id);
    const struct weight *a = weight_of_shard(j, (uint32_t)order[0]);
    bool state = a->ndim == 0 || id.training || a->text, megatron = j->ranks->v[0].tp >= 0;
    for (int i = 0; i < n; i++) /* the first rank with each tensor-parallel number; others are copies */
        if (i == 0 || order[i] >> 32 != order[i - 1] >> 32)
            shard[distinct++] = (uint32_t)order[i];
        else if (!state) /* without a strategy file nobody knows how MindSpore's ranks shard */
            keep_copy(j, shard[distinct - 1], (uint32_t)order[i], name, megatron);
    int axis = id.cut == CUT_ROWS ? 0 : 1;
    /* a row-parallel layer's bias, norms and scalars are complete on every rank */
    bool listed = id.known && (id.cut == CUT_WHOLE || axis >= a->ndim);
    bool whole = j->tp < 2 || state || listed || (!id.known && a->ndim == 1); /* unlisted: a norm's weight */
    if (whole || a->dtype == DTYPE_UNKNOWN) {
        take_weight(j, shard[0], name);
        for (int i = 1; i < distinct && !state; i++)
            keep_copy(j, shard[0], shard[i], name, listed);
        return;
    }
    if (!id.known) {
        take_weight(j, shard[0], name);
        note_join(j, name, _("its split across tensor-parallel ranks is unknown; add a line to data/weights.tsv"));
        return;
    }
    if (distinct != j->tp) {
        struct err e;
        take_weight(j, shard[0], name);
        err_set(&e, ERR_DATA, _("%d of %d tensor-parallel shards found"), distinct, j->tp);
        note_join(j, name, e.text);
        return;
    }
    for (int i = 1; i < distinct; i++)
        if (!same_layout(a, weight_of_shard(j, shard[i])) || a->pieces != 1 || a->axes >= TENSOR_DIMS) {
            take_weight(j, shard[0], name);
            note_join(j, name, _("its tensor-parallel shards differ in shape, type or layout"));
            return;
        }
    join_axis(j, shard, distinct, axis, name);
}

/* ---- layers and experts ---- */

/* Virtual pipeline stages are separate dictionaries: "model1.decoder.layers.0…" → 1. */
static int chunk_of(struct str *name)
{
    struct str head, rest;
    int n;
    if (!str_starts(*name, "model") || !str_split(*name, '.', &head, &rest))
        return 0;
    head = str_cut(head, 5);
    if (!take_number(&head, &n) || head.n || n > 63)
        return 0;
    *name = rest;
    return n;
}

struct pipeline_stage {
    int layers; /* number of layers in it */
    int offset; /* number of its first layer */
};

static int widest_rank(const rank_list *r, int (*of)(const struct rank *))
{
    int n = 0;
    for (size_t i = 0; i < r->n; i++)
        n = of(&r->v[i]) > n ? of(&r->v[i]) : n;
    return n + 1;
}

static int tp_of(const struct rank *r)
{
    return r->tp < 0 ? 0 : r->tp;
}

static int pp_of(const struct rank *r)
{
    return r->pp;
}

static int ep_of(const struct rank *r)
{
    return r->ep;
}

/* The layers before each (virtual stage, pipeline rank): stages are assigned round by round. */
static struct pipeline_stage *count_layers(struct join *j, int pp, int chunks)
{
    struct pipeline_stage *s = mem_zalloc((size_t)pp * (size_t)chunks * sizeof *s);
    for (uint32_t r = 0; r < j->ranks->n; r++)
        for (size_t i = 0; i < j->set[r].list.n; i++) {
            struct str name = j->set[r].list.v[i].name;
            int c = chunk_of(&name), n = weight_layer(name);
            struct pipeline_stage *x = &s[c * pp + j->ranks->v[r].pp];
            if (n + 1 > x->layers)
                x->layers = n + 1;
        }
    for (int i = 1; i < pp * chunks; i++)
        s[i].offset = s[i - 1].offset + s[i - 1].layers;
    return s;
}

static int chunks_of(struct join *j)
{
    int n = 0;
    for (uint32_t r = 0; r < j->ranks->n; r++)
        for (size_t i = 0; i < j->set[r].list.n; i++) {
            struct str name = j->set[r].list.v[i].name;
            int c = chunk_of(&name);
            n = c > n ? c : n;
        }
    return n + 1;
}

static int local_experts(const struct weights *w)
{
    int n = 0;
    for (size_t i = 0; i < w->list.n; i++) {
        int x = weight_expert(w->list.v[i].name);
        n = x + 1 > n ? x + 1 : n;
    }
    return n;
}

static void gather_parts(struct join *j, bool numbered)
{
    int pp = widest_rank(j->ranks, pp_of), chunks = numbered ? chunks_of(j) : 1;
    struct pipeline_stage *stages = numbered ? count_layers(j, pp, chunks) : NULL;
    struct buf name = {0};
    for (uint32_t r = 0; r < j->ranks->n; r++) {
        const struct rank *k = &j->ranks->v[r];
        int experts = numbered && k->ep > 0 ? k->ep * local_experts(&j->set[r]) : 0;
        for (uint32_t i = 0; i < j->set[r].list.n; i++) {
            struct str own = j->set[r].list.v[i].name;
            if (numbered) {
                int c = chunk_of(&own);
                weight_renumber(own, stages[c * pp + k->pp].offset, experts, &name);
                own = buf_view(&name);
            }
            struct shard s = {.set = r, .weight = i, .tp = tp_of(k), .next = UINT32_MAX};
            uint32_t me = (uint32_t)j->shards.n, at = map_get(&j->names, own);
            vec_push(&j->shards, s);
            if (at == MAP_NONE) {
                vec_push(&j->own, arena_str(&j->arena, own));
                map_add(&j->names, *vec_last(&j->own), (uint32_t)j->firsts.n);
                vec_push(&j->firsts, me);
                vec_push(&j->lasts, me);
            } else {
                j->shards.v[j->lasts.v[at]].next = me;
                j->lasts.v[at] = me;
            }
        }
    }
    buf_release(&name);
    free(stages);
}

/* ---- copies that are missing ---- */

/* Whether a rank holds another weight of the layer. */
static bool holds_layer(const struct join *j, size_t rank, int layer)
{
    for (size_t i = 0; i < j->set[rank].list.n; i++)
        if (weight_layer(j->set[rank].list.v[i].name) == layer)
            return true;
    return false;
}

/* Notes a weight that a rank lacks although others of its pipeline stage, and of its experts, have it. Megatron's ranks
 * hold all of their stage; MindSpore may leave copies out (remove_redundancy) and does not tell the stages, so that
 * ranks that hold the layer count, and only files that say that nothing was left out. */
static void find_missing(struct join *j, struct str name, uint32_t first, bool megatron)
{
    struct weight_id id;
    const struct weight *a = weight_of_shard(j, first);
    size_t missing = 0, found = 0;
    const struct rank *one = NULL, *ranks = j->ranks->v;
    weight_identify(name, &j->arena, &id);
    if (id.training || a->text || j->unread || (!megatron && weight_layer(name) < 0))
        return;
    size_t experts = weight_expert(name) < 0 ? 1 : (size_t)widest_rank(j->ranks, ep_of);
    bool *here = mem_zalloc(j->ranks->n * sizeof *here),
         *group = mem_zalloc((size_t)widest_rank(j->ranks, pp_of) * experts * sizeof *group);
    for (uint32_t s = first; s != UINT32_MAX; s = j->shards.v[s].next) {
        const struct rank *r = &ranks[j->shards.v[s].set];
        here[j->shards.v[s].set] = true;
        group[(size_t)r->pp * experts + (experts > 1 ? (size_t)r->ep : 0)] = true;
    }
    for (size_t r = 0; r < j->ranks->n; r++) {
        bool beside = group[(size_t)ranks[r].pp * experts + (experts > 1 ? (size_t)ranks[r].ep : 0)];
        found += here[r];
        beside = beside && (megatron || holds_layer(j, r, weight_layer(name)));
        if (beside && !here[r] && !missing++)
            one = &ranks[r];
    }
    uint32_t at = weights_find(j->w, name);
    if (missing && at != MAP_NONE && !j->w->list.v[at].problem) { /* not where parts are missing */
        struct err e;
        struct str file = one->file ? str_of(one->file) : path_base(str_of(one->dir));
        err_set(&e, ERR_DATA, _("%zu of %zu ranks that hold it have no copy, the first is %.*s"), missing,
                missing + found, STR_ARG(file));
        note_join(j, name, e.text);
    }
    free(here);
    free(group);
}

/* ---- reading ---- */

static int read_ranks(struct join *j, const rank_list *l, struct err *e)
{
    size_t read = 0;
    for (size_t r = 0; r < l->n; r++) {
        struct weights *s = &j->set[r];
        const struct rank *k = &l->v[r];
        *s = (struct weights){.framework = "", .format = "", .path = k->dir, .arch = {.gated = -1}};
        int rc = k->file ? weights_list_file(s, weights_add_file(s, k->dir, k->file), e)
                         : weight_folder_list(s, k->dir, e);
        if (rc) {
            weights_problem(j->w, UINT32_MAX, "missing-file", e->text);
            j->unread = true;
        }
        for (size_t i = 0; i < s->problems.n; i++)
            if (s->problems.v[i].weight == UINT32_MAX)
                weights_problem(j->w, UINT32_MAX, s->problems.v[i].kind, s->problems.v[i].text);
        if (rc == 0 && !read++) {
            j->w->framework = s->framework;
            j->w->arch = s->arch;
        }
    }
    return read ? 0 : -1;
}

/* A single number after the tensor-parallel one is the pipeline rank, unless the arguments say that there is no
 * pipeline (Megatron's get_checkpoint_name). */
static void assign_ranks(rank_list *l, const struct weight_arch *a)
{
    for (size_t i = 0; i < l->n; i++) {
        struct rank *r = &l->v[i];
        bool pipeline = r->third >= 0 || a->pp != 1;
        r->pp = r->tp >= 0 && r->second >= 0 && pipeline ? r->second : 0;
        r->ep = r->third >= 0 ? r->third : r->tp >= 0 && r->second >= 0 && !pipeline ? r->second : 0;
    }
}

static int weight_ranks_list(struct weights *w, const char *path, struct err *e)
{
    rank_list l = {0};
    struct join j = {.w = w, .ranks = &l};
    struct folder folder;
    int rc = folder_read(&folder, path, ENTRIES, e);
    if (rc == 0)
        list_all_ranks(&folder, &j.arena, &l);
    folder_release(&folder);
    j.set = mem_zalloc((l.n ? l.n : 1) * sizeof *j.set);
    rc = rc ? -1 : read_ranks(&j, &l, e);
    if (rc == 0) {
        assign_ranks(&l, &w->arch);
        rc = j.unread && widest_rank(&l, pp_of) > 1 ? -1
             : 0; /* the number of layers before the next stage is unknown */
    }
    if (rc == 0) {
        bool megatron = l.v[0].tp >= 0;
        j.tp = widest_rank(&l, tp_of);
        if (w->arch.tp && megatron && w->arch.tp != j.tp) {
            struct err note_;
            err_set(&note_, ERR_DATA, _("%s: %d folders of tensor-parallel ranks, but the saved arguments have "
                                        "tensor_model_parallel_size %d"), path, j.tp,
                    w->arch.tp);
            weights_problem(w, UINT32_MAX, "damaged", note_.text);
            j.tp = w->arch.tp > j.tp ? w->arch.tp : j.tp;
        }
        w->arch.tp = j.tp;
        w->format = megatron ? "megatron" : l.n && *j.set[0].format ? j.set[0].format : "weights";
        gather_parts(&j, megatron);
        rc = megatron ? 0 : strategy_read(&j.strategy, path, e);
        bool whole = true;
        for (size_t i = 0; i < l.n; i++)
            whole = whole && (megatron || j.set[i].keeps_copies);
        for (size_t i = 0; i < j.firsts.n && rc == 0; i++) {
            join_one(&j, j.own.v[i], j.firsts.v[i]);
            if (whole && l.n > 1)
                find_missing(&j, j.own.v[i], j.firsts.v[i], megatron);
        }
    }
    for (size_t i = 0; i < l.n; i++)
        weights_release(&j.set[i]);
    free(j.set);
    vec_release(&j.shards);
    vec_release(&j.firsts);
    vec_release(&j.lasts);
    vec_release(&j.own);
    map_release(&j.names);
    arena_release(&j.arena);
    strategy_release(&j.strategy);
    vec_release(&l);
    return rc;
}

const struct weight_format weights_ranks =
    {.name = "megatron", .probe_folder = weight_ranks_probe, .list = weight_ranks_list};

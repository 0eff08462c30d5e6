/* The set of weights that readers of checkpoints fill, and opening its tensors. */
#include "fmt/weights.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/msg.h"
#include "fmt/pt.h"
#include "fmt/unreadable.h"
#include "fmt/zip.h"

#define PROBLEMS_MAX 10000
#define TWICE_MAX 10000
#define ENTRIES 1000000 /* the most names in one folder */
#define UNPACKED_MAX (128u << 20) /* the most bytes unpacked into memory for a compressed member */

const struct weight_format *const weight_formats[] = {
    &weights_safetensors, &weights_ckpt, &weights_npz, &weights_torch, &weights_ranks, &weights_distcp, &weights_index,
    &weights_npy_objects, &weights_npy, &weights_npy_folder, &weights_torch_folder, NULL,
};

static const char not_weights[] =
    N_("%s: not a weight file: expected .safetensors, MindSpore .ckpt, torch .pt/.pth/.bin or .npz");

#define KEY_FILE 44 /* the bits of a key that hold a place; above it is the file's number */

/* The archive members whose checksums hold. Filled by any thread that opens a tensor. */
struct weights_verified {
    pthread_mutex_t lock;
    struct nmap members; /* file and place → 1 */
};

static const struct weight_format *format_of(const char *path)
{
    struct folder folder = {0};
    struct err quiet;
    const struct weight_format *found = NULL;
    bool is_dir = path_is_dir(path);
    if (is_dir && folder_read(&folder, path, ENTRIES, &quiet))
        is_dir = false, path = NULL;
    for (size_t i = 0; path && weight_formats[i] && !found; i++) {
        const struct weight_format *x = weight_formats[i];
        if (is_dir ? x->probe_folder && x->probe_folder(&folder) : x->probe && x->probe(path))
            found = x;
    }
    folder_release(&folder);
    return found;
}

bool weights_probe(const char *path)
{
    return format_of(path) != NULL;
}

#define PARTS_NAMED 5

/* The error of a checkpoint without a tensor: which of its parts are missing, if it lists any. */
static int nothing_in(const struct weights *w, const char *path, struct err *e)
{
    struct buf b = {0};
    size_t missing = 0;
    for (size_t i = 0; i < w->problems.n; i++)
        if (strcmp(w->problems.v[i].kind, "missing-file") == 0 && missing++ < PARTS_NAMED)
            buf_fmt(&b, "%s%s", b.n ? "; " : "", w->problems.v[i].text);
    int rc = !missing ? err_set(e, ERR_DATA, _("%s: no tensor in this checkpoint"), path)
                      : err_set(e, ERR_DATA, _("%s: none of the parts of this checkpoint is there (%zu missing): %s%s"),
                                path, missing, b.p, missing > PARTS_NAMED ? " …" : "");
    buf_release(&b);
    return rc;
}

int weights_open(struct weights *w, const char *path, struct err *e)
{
    *w = (struct weights){.framework = "", .format = "", .arch = {.gated = -1}};
    w->path = arena_cstr(&w->arena, str_of(path));
    read_failures failed = {0}, *before = read_failures_gather(&failed);
    const struct weight_format *x = format_of(path);
    read_failures_gather(before);
    int unreadable = !x && failed.n ? read_failures_error(&failed, e) : 0;
    for (size_t i = 0; i < failed.n; i++) /* the path may hold more than could be read */
        weights_problem(w, UINT32_MAX, "missing-file", failed.v[i].text);
    read_failures_release(&failed);
    if (unreadable)
        return -1;
    if (x) {
        w->format = x->name;
        if (x->list ? x->list(w, w->path, e) : x->list_file(w, weights_add_file(w, NULL, path), e))
            return -1;
        w->verified = mem_zalloc(sizeof *w->verified);
        pthread_mutex_init(&w->verified->lock, NULL);
        return w->list.n ? 0 : nothing_in(w, path, e);
    }
    if (!path_is_dir(path)) {
        struct file f;
        if (file_open(&f, path, e))
            return -1;
        file_close(&f);
    }
    const struct unreadable *r = unreadable_find(path, NULL);
    if (r && strcmp(r->name, "several") != 0)
        return unreadable_error(r, path, e);
    return err_set(e, ERR_DATA,
                   path_is_dir(path)
                       ? _("%s: expected one checkpoint (.safetensors, .ckpt, .pt, .npz), an index of its parts, "
                           "mp_rank folders or .npy files, found none; name the file")
                       : _(not_weights),
                   path);
}

void weights_release(struct weights *w)
{
    vec_release(&w->list);
    vec_release(&w->pieces);
    vec_release(&w->files);
    vec_release(&w->problems);
    vec_release(&w->copies);
    vec_release(&w->values);
    map_release(&w->names);
    arena_release(&w->arena);
    if (w->verified) {
        nmap_release(&w->verified->members);
        pthread_mutex_destroy(&w->verified->lock);
        free(w->verified);
    }
    *w = (struct weights){0};
}

uint32_t weights_find(const struct weights *w, struct str name)
{
    return map_get(&w->names, name);
}

uint32_t weights_add_file(struct weights *w, const char *dir, const char *name)
{
    struct weight_file f = {dir ? arena_cstr(&w->arena, str_of(dir)) : NULL, arena_cstr(&w->arena, str_of(name))};
    vec_push(&w->files, f);
    return (uint32_t)w->files.n - 1;
}

/* Whether a part is in Hugging Face's cache, where a snapshot's files are links into ../../blobs: the only place
 * allowed outside the folder. */
static bool in_blobs(const char *dir, const char *name)
{
    struct buf path = {0}, blobs = {0};
    path_join(&path, dir, name);
    path_join(&blobs, dir, "../../blobs");
    char *end = strchr(name, '/') ? NULL : path_resolve(path.p), *root = end ? path_resolve(blobs.p) : NULL;
    size_t n = root ? strlen(root) : 0;
    bool yes = n > 1 && strncmp(end, root, n) == 0 && end[n] == '/';
    free(end);
    free(root);
    buf_release(&path);
    buf_release(&blobs);
    return yes;
}

int weights_open_file(const struct weights *w, uint32_t file, struct file *f, struct err *e)
{
    const struct weight_file *x = &w->files.v[file];
    if (!x->dir)
        return file_open(f, x->name, e);
    if (!in_blobs(x->dir, x->name))
        return file_open_inside(f, x->dir, x->name, e);
    struct buf path = {0};
    path_join(&path, x->dir, x->name);
    int rc = file_open(f, path.p, e);
    buf_release(&path);
    return rc;
}

static const int64_t *keep_sizes(struct weights *w, const int64_t *v, int n)
{
    int64_t *out = arena_alloc(&w->arena, (size_t)(n ? n : 1) * sizeof *out);
    for (int i = 0; i < n; i++)
        out[i] = v[i];
    return out;
}

bool weights_hold_model(struct str key)
{
    static const char *const names[] = {"model", "state_dict", "module", "model_state_dict", "params", "net"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_is(key, names[i]))
            return true;
    return false;
}

uint32_t weights_add(struct weights *w, struct str name, struct str type, const struct tensor *t,
                     const struct weight_piece *piece, struct err *e)
{
    if (w->list.n >= WEIGHTS_MAX || name.n > WEIGHT_NAME_MAX) {
        err_set(e, ERR_DATA, _("%s: more than 4 million tensors, or a name of more than 4096 bytes"), w->path);
        return UINT32_MAX;
    }
    uint32_t me = (uint32_t)w->list.n;
    struct weight x = {
        .name = arena_str(&w->arena, name),
        .type = arena_str(&w->arena, type),
        .dtype = t->dtype,
        .swap = t->swap,
        .ndim = t->ndim,
        .numel = t->numel,
        .axes = t->ndim,
        .offset = t->offset,
        .piece = (uint32_t)w->pieces.n,
        .pieces = piece ? 1 : 0,
        .blocks = 1,
    };
    x.shape = x.dim = keep_sizes(w, t->shape, t->ndim);
    x.stride = keep_sizes(w, t->stride, t->ndim);
    if (piece)
        vec_push(&w->pieces, *piece);
    vec_push(&w->list, x);
    if (map_add(&w->names, x.name, me) != me) {
        struct buf b = {0};
        if (w->twice++ == TWICE_MAX) {
            err_set(e, ERR_DATA, _("%s: more than %d names occur twice; this is not a valid weight file"), w->path,
                    TWICE_MAX);
            return UINT32_MAX;
        }
        buf_fmt(&b, _("%s: the name %.*s occurs twice"), w->path, STR_ARG(x.name));
        weights_problem(w, me, "damaged", b.p);
        /* bounded: the index is the number, so a million equal names take a million steps */
        buf_clear(&b);
        buf_fmt(&b, "%.*s#%u", STR_ARG(x.name), me + 1);
        w->list.v[me].name = arena_str(&w->arena, buf_view(&b));
        map_add(&w->names, w->list.v[me].name, me);
        buf_release(&b);
    }
    return me;
}

int weights_add_read(struct weights *w, struct str name, struct str type, const struct tensor *t,
                     const struct weight_piece *p, const struct err *why, struct err *e)
{
    static const struct tensor unknown = {.numel = 1};
    const struct tensor *own = why ? &unknown : t;
    bool readable = !why && t->dtype != DTYPE_UNKNOWN;
    if (why || readable)
        type = str_of(dtype_table[own->dtype].name);
    uint32_t i = weights_add(w, name, type, own, readable ? p : NULL, e);
    if (i == UINT32_MAX)
        return -1;
    if (why) {
        w->list.v[i].problem = arena_cstr(&w->arena, str_of(why->text));
        weights_problem(w, i, "damaged", why->text);
    }
    return 0;
}

void weights_problem(struct weights *w, uint32_t weight, const char *kind, const char *text)
{
    /* in a file with many problems the first ones are sufficient */
    if (w->problems.n > PROBLEMS_MAX)
        return;
    if (w->problems.n == PROBLEMS_MAX) {
        weight = UINT32_MAX;
        text = _("and more problems of this kind");
    }
    struct weight_problem p = {weight, kind, arena_cstr(&w->arena, str_of(text))};
    vec_push(&w->problems, p);
}

/* A compressed member, unpacked. */
static int unpack_member(const struct weights *w, const struct weight_piece *p, struct buf *b, struct err *e)
{
    struct file f;
    struct zip_member m;
    if (weights_open_file(w, p->file, &f, e))
        return -1;
    struct zip *z = zip_open(&f, e);
    int rc = z ? zip_find(z, p->member, &m, e) : -1;
    if (rc == 0)
        rc = err_set(e, ERR_DATA, _("%s: the archive has no member %s"), f.name, p->member);
    else if (rc > 0)
        rc = zip_read(&f, &m, UNPACKED_MAX, b, e);
    if (rc == 0 && (p->at > b->n || p->size > b->n - p->at))
        rc = err_at(e, f.name, m.offset, _("the member %s is shorter than before; read it again"), p->member);
    zip_close(z);
    file_close(&f);
    return rc;
}

static int read_whole(const struct weights *w, const struct weight_piece *p, struct buf *b, struct err *e)
{
    struct file f;
    if (weights_open_file(w, p->file, &f, e))
        return -1;
    buf_reserve(b, (size_t)p->size + 1);
    int rc = file_read(&f, p->at, b->p, (size_t)p->size, e);
    b->n = (size_t)p->size;
    file_close(&f);
    return rc;
}

/* Whether a piece's bytes in the file are not its elements (compressed or encoded). */
static bool piece_is_wrapped(const struct weight_piece *p)
{
    return p->member || p->latin;
}

/* Decodes such a piece into memory. */
static int unwrap_piece(const struct weights *w, const struct weight_piece *p, struct file_span *out, struct err *e)
{
    struct buf b = {0};
    if (p->member ? unpack_member(w, p, &b, e) : read_whole(w, p, &b, e)) {
        buf_release(&b);
        return -1;
    }
    *out = (struct file_span){.fd = -1, .at = p->member ? p->at : 0, .size = p->size, .memory = b.p};
    if (p->latin)
        out->size = pt_latin(out->memory + out->at, (size_t)p->size);
    return 0;
}

/* Opens all pieces as one file; on error nothing stays open. */
static int join_pieces(const struct weights *w, const struct weight *x, struct file *out, struct err *e)
{
    struct file_span *span = mem_resize_array(NULL, x->pieces, sizeof *span);
    const char *name = w->files.v[w->pieces.v[x->piece].file].name;
    uint32_t n = 0;
    int rc = 0;
    for (; n < x->pieces && rc == 0; n++) {
        const struct weight_piece *p = &w->pieces.v[x->piece + n];
        struct file f;
        if (piece_is_wrapped(p)) {
            rc = unwrap_piece(w, p, &span[n], e);
        } else if (n && p[-1].file == p->file && !piece_is_wrapped(&p[-1])) {
            span[n] = (struct file_span){.fd = span[n - 1].fd, .at = p->at, .size = p->size};
        } else {
            rc = weights_open_file(w, p->file, &f, e);
            if (rc == 0)
                span[n] = (struct file_span){.fd = file_detach(&f), .at = p->at, .size = p->size};
        }
        if (rc)
            break;
    }
    file_join(out, name, span, n);
    free(span);
    if (rc)
        file_close(out);
    return rc;
}

/* The checksum of a piece's archive member. A member that many tensors are views of is read once. */
static int verify_piece(const struct weights *w, const struct weight_piece *p, struct err *e)
{
    struct weights_verified *known = w->verified;
    uint64_t key = p->sealed.at | (uint64_t)p->file << KEY_FILE;
    bool keyed = known && p->sealed.at >> KEY_FILE == 0 && p->file >> (64 - KEY_FILE) == 0, done = false;
    struct file f;
    if (!p->sealed.size)
        return 0;
    if (keyed) {
        pthread_mutex_lock(&known->lock);
        done = nmap_get(&known->members, key) != MAP_NONE;
        pthread_mutex_unlock(&known->lock);
    }
    if (done)
        return 0;
    if (weights_open_file(w, p->file, &f, e))
        return -1;
    int rc = sealed_verify(&f, &p->sealed, e);
    file_close(&f);
    if (rc == 0 && keyed) {
        pthread_mutex_lock(&known->lock);
        nmap_set(&known->members, key, 1);
        pthread_mutex_unlock(&known->lock);
    }
    return rc;
}

static int weights_open_tensor(const struct weights *w, const struct weight *x, struct tensor *t, struct err *e)
{
    uint64_t from = 0;
    *t = (struct tensor){.dtype = x->dtype, .swap = x->swap, .ndim = x->axes, .numel = x->numel, .offset = x->offset};
    if (x->problem)
        return err_set(e, ERR_DATA, "%s", x->problem);
    if (x->dtype == DTYPE_UNKNOWN || !x->pieces)
        return err_set(e, ERR_DATA, _("%s: elements of type %.*s are listed, not read"), w->path, STR_ARG(x->type));
    for (int a = 0; a < x->axes; a++) {
        t->shape[a] = x->dim[a];
        t->stride[a] = x->stride[a];
    }
    if (x->pieces == 1 && !piece_is_wrapped(&w->pieces.v[x->piece])) {
        const struct weight_piece *p = &w->pieces.v[x->piece];
        if (weights_open_file(w, p->file, &t->file, e))
            return -1;
        from = p->at;
        t->offset += from;
        if (tensor_check(t, from, from + p->size, e) == 0)
            return 0;
    } else {
        if (join_pieces(w, x, &t->file, e))
            return -1;
        if (tensor_check(t, 0, t->file.size, e) == 0)
            return 0;
    }
    tensor_close(t);
    return -1;
}

static int open_verified(const struct weights *w, const struct weight *x, struct tensor *t, struct err *e)
{
    int rc = weights_open_tensor(w, x, t, e);
    if (rc)
        return -1;
    for (uint32_t n = 0; n < x->pieces && rc == 0; n++)
        rc = verify_piece(w, &w->pieces.v[x->piece + n], e);
    if (rc)
        tensor_close(t);
    return rc;
}

int weights_tensor(const struct weights *w, uint32_t i, struct tensor *t, struct err *e)
{
    return open_verified(w, &w->list.v[i], t, e);
}

int weights_sample(const struct weights *w, uint32_t i, struct tensor *t, struct err *e)
{
    return weights_open_tensor(w, &w->list.v[i], t, e);
}

int weights_copy_tensor(const struct weights *w, uint32_t i, int nth, struct tensor *t, struct err *e)
{
    return open_verified(w, &w->copies.v[i].of[nth], t, e);
}

int weights_list_file(struct weights *w, uint32_t file, struct err *e)
{
    const struct weight_file *at = &w->files.v[file];
    struct buf path = {0};
    if (at->dir)
        path_join(&path, at->dir, at->name);
    else
        buf_cstr(&path, at->name);
    struct file f;
    int rc = weights_open_file(w, file, &f, e); /* opened inside its folder, before its first bytes are read */
    if (rc == 0) {
        file_close(&f);
        rc = 1;
    }
    for (size_t i = 0; weight_formats[i] && rc == 1; i++) {
        const struct weight_format *x = weight_formats[i];
        if (x->list_file && x->probe(path.p)) {
            if (!*w->format)
                w->format = x->name;
            rc = x->list_file(w, file, e);
        }
    }
    if (rc == 1)
        rc = err_set(e, ERR_DATA, _(not_weights), path.p);
    buf_release(&path);
    return rc;
}

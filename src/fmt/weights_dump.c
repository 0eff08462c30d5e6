/* The readers of files of tensors as recordings: one row per tensor, over the weight formats of weights.c. What holds
 * values of a step is handed to the reader of activations. */
#include "fmt/weights_dump.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "fmt/activations.h"
#include "fmt/weights.h"

struct tensor_file {
    struct weights w;
    const uint32_t *row_of; /* the tensor of each row; NULL: the same number */
};

static void weights_dump_close_dump(struct dump *d)
{
    struct tensor_file *f = d->state;
    if (f)
        weights_release(&f->w);
    free(f);
    d->state = NULL;
}

static void weights_dump_add_row(struct dump *d, const struct weights *w, uint32_t i)
{
    const struct weight *x = &w->list.v[i];
    struct row r = {.slot = dump_slot(d, STR("")), .shape = NONE, .extra = NONE, .io = IO_PARAMETER, .kind = ROW_TENSOR,
                    .dtype = (uint8_t)x->dtype};
    uint32_t call = dump_add_call(d, x->name, CALL_API, PHASE_FORWARD);
    if (!x->text) {
        weight_row_fill(d, x, &r);
    } else {
        r.kind = ROW_OTHER;
        if (x->dtype == DTYPE_UNKNOWN)
            r.text = arena_cstr(&d->arena, x->type);
    }
    dump_add_row(d, call, r);
}

/* A number with a fraction: a loss, a rate. */
static void add_real(struct dump *d, const struct weight_value *v)
{
    struct row r = {.slot = dump_slot(d, STR("")), .shape = dump_shape(d, NULL, 0), .extra = NONE, .io = IO_PARAMETER,
                    .kind = ROW_TENSOR, .dtype = DTYPE_F64,
                    .has = HAS_SHAPE | HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM};
    r.stat[STAT_MAX] = r.stat[STAT_MIN] = r.stat[STAT_MEAN] = v->number;
    r.stat[STAT_NORM] = fabs(v->number);
    dump_add_row(d, dump_add_call(d, str_of(v->name), CALL_API, PHASE_FORWARD), r);
}

/* What stands beside the tensors; their rows are behind those of the tensors. */
static void add_value(struct dump *d, const struct weight_value *v)
{
    if (v->kind == VALUE_FLOAT) {
        add_real(d, v);
        return;
    }
    static const uint8_t kinds[] = {[VALUE_INT] = ROW_INT, [VALUE_FLOAT] = ROW_FLOAT, [VALUE_BOOL] = ROW_BOOL,
                                    [VALUE_TEXT] = ROW_STR, [VALUE_OTHER] = ROW_OTHER};
    struct row r = {.slot = dump_slot(d, STR("")), .shape = NONE, .extra = NONE, .io = IO_PARAMETER,
                    .kind = kinds[v->kind], .text = arena_cstr(&d->arena, str_of(v->text))};
    r.stat[STAT_MAX] = v->number;
    dump_add_row(d, dump_add_call(d, str_of(v->name), CALL_API, PHASE_FORWARD), r);
}

/* Types that are named and not read: objects, texts, packed 4-bit numbers and the like. */
static void say_unread(struct dump *d, const struct tensor_file *f)
{
    struct buf b = {0};
    for (uint32_t r = 0; r < d->rows.n; r++) {
        const struct weight *x = &f->w.list.v[f->row_of ? f->row_of[r] : r];
        if (x->dtype != DTYPE_UNKNOWN || x->text || x->problem)
            continue;
        buf_clear(&b);
        buf_fmt(&b, _("%s: elements of type %.*s are listed, not read"), d->path, STR_ARG(x->type));
        dump_problem(d, r, PROBLEM_UNREAD, b.p);
    }
    buf_release(&b);
}

/* Whether a tensor holds integers of few bits packed into larger ones: as GPTQ and AWQ (qweight, qzeros),
 * compressed-tensors (weight_packed), bitsandbytes (bytes, with their state beside them) and MindSpore (Int4) call and
 * type them. */
static bool is_packed(const struct weights *w, const struct weight *x)
{
    static const char *const ends[] = {".qweight", ".qzeros", ".weight_packed"};
    if (str_is(x->type, WEIGHT_INT4))
        return true;
    for (size_t i = 0; x->dtype == DTYPE_I32 && i < ARRAY_LEN(ends); i++)
        if (str_ends(x->name, ends[i]))
            return true;
    static const char *const beside[] = {".quant_state.bitsandbytes__nf4", ".quant_state.bitsandbytes__fp4"};
    bool yes = false;
    for (size_t i = 0; x->dtype == DTYPE_U8 && !yes && i < ARRAY_LEN(beside); i++) {
        struct buf b = {0};
        buf_fmt(&b, "%.*s%s", STR_ARG(x->name), beside[i]);
        yes = weights_find(w, buf_view(&b)) != MAP_NONE;
        buf_release(&b);
    }
    return yes;
}

static void say_packed(struct dump *d, const struct weights *w)
{
    size_t n = 0;
    struct str example = {0};
    for (size_t i = 0; i < w->list.n; i++)
        if (is_packed(w, &w->list.v[i]) && !n++)
            example = w->list.v[i].name;
    if (!n)
        return;
    struct buf b = {0};
    buf_fmt(&b, _("%zu tensors hold packed low-bit integers (quantised weights), e.g. %.*s: their statistics describe "
                  "the packed words, not the weights"),
            n, STR_ARG(example));
    dump_warn(d, b.p);
    buf_release(&b);
}

#define AT_ONCE 4096   /* elements that are compared at once */
#define TELL_BYTES (16u << 20) /* progress is told once in so many */

/* Of both tensors of a copy. */
static uint64_t copy_bytes(const struct weight_copy *c)
{
    return c->of[0].numel * dtype_table[c->of[0].dtype].size + c->of[1].numel * dtype_table[c->of[1].dtype].size;
}

static void tell_read(struct dump *d, struct load *load, uint64_t bytes, uint64_t *told)
{
    d->bytes_done += bytes;
    if (load->progress && d->bytes_done - *told >= TELL_BYTES) {
        *told = d->bytes_done;
        load->progress(load->ctx);
    }
}

/* Whether two open tensors hold the same bits, as far as they were read before it was cancelled; false also if they
 * cannot be read. *told: the bytes read when progress was told last. */
static bool same_bits(struct dump *d, const struct tensor t[2], struct load *load, uint64_t *told)
{
    struct tensor_walk walk[2];
    struct err quiet;
    uint64_t v[2][AT_ONCE];
    long n[2] = {1, 1};
    bool same = t[0].dtype == t[1].dtype && t[0].numel == t[1].numel && dtype_table[t[0].dtype].size <= sizeof v[0][0];
    for (int i = 0; i < 2; i++)
        tensor_walk_init(&walk[i], &t[i]);
    while (same && n[0] > 0 && !load_cancelled(load)) {
        for (int i = 0; i < 2; i++)
            n[i] = tensor_walk_next(&walk[i], v[i], AT_ONCE, &quiet);
        size_t bytes = n[0] > 0 ? (size_t)n[0] * dtype_table[t[0].dtype].size : 0;
        same = n[0] >= 0 && n[0] == n[1] && memcmp(v[0], v[1], bytes) == 0;
        tell_read(d, load, 2 * bytes, told);
    }
    for (int i = 0; i < 2; i++)
        tensor_walk_release(&walk[i]);
    return same;
}

/* A row has the values of one rank: where another one holds others, they were not compared. */
static void say_other_copies(struct dump *d, const struct weights *w, struct load *load)
{
    uint64_t told = 0;
    for (uint32_t i = 0; i < w->copies.n; i++)
        d->bytes += copy_bytes(&w->copies.v[i]);
    for (uint32_t i = 0; i < w->copies.n && !load_cancelled(load); i++) {
        const struct weight_copy *c = &w->copies.v[i];
        struct tensor t[2];
        struct err e;
        bool first = weights_copy_tensor(w, i, 0, &t[0], &e) == 0,
             both = first && weights_copy_tensor(w, i, 1, &t[1], &e) == 0;
        uint64_t before = d->bytes_done;
        bool same = both && same_bits(d, t, load, &told);
        d->bytes_done = before + copy_bytes(c); /* also where it ended early */
        for (int k = 0; k < first + both; k++)
            tensor_close(&t[k]);
        if (same)
            continue;
        err_set(&e, ERR_DATA, _("%s: %s and %s hold other values of %s; diverge weights compares them"), d->path,
                c->rank[0], c->rank[1], c->name);
        load_begin(load);
        dump_problem(d, NONE, PROBLEM_UNREAD, e.text);
        load_end(load);
    }
}

static int weights_dump_open_dump(struct dump *d, struct load *load, struct err *e)
{
    struct tensor_file *f = mem_zalloc(sizeof *f);
    struct weights *w = &f->w;
    int rc = weights_open(w, d->path, e);
    uint8_t *type = rc == 0 && activations_probe(w) ? activations_types(w) : NULL;
    load_begin(load);
    d->state = f;
    if (rc == 0) {
        d->framework = w->framework;
        d->task = "tensor";
        if (type) {
            uint32_t *row_of;
            activations_rows(d, w, type, &row_of);
            f->row_of = row_of;
            d->reader = &reader_activations;
        }
        for (uint32_t i = 0; i < w->list.n && !f->row_of; i++)
            weights_dump_add_row(d, w, i);
        say_unread(d, f);
        say_packed(d, w);
        for (size_t i = 0; i < w->problems.n; i++) {
            const struct weight_problem *p = &w->problems.v[i];
            uint32_t row = p->weight == UINT32_MAX ? NONE : p->weight;
            for (uint32_t r = 0; row != NONE && f->row_of && r < w->list.n; r++)
                if (f->row_of[r] == p->weight) {
                    row = r;
                    break;
                }
            dump_problem(d, row, p->kind, p->text);
        }
    }
    for (size_t i = 0; rc == 0 && i < w->values.n; i++)
        if (w->values.v[i].text)
            add_value(d, &w->values.v[i]);
    load_end(load);
    if (rc == 0)
        say_other_copies(d, w, load);
    free(type);
    return rc;
}

static int weights_dump_open_tensor(const struct dump *d, uint32_t row, struct tensor *t, struct err *e)
{
    const struct tensor_file *f = d->state;
    return weights_tensor(&f->w, f->row_of ? f->row_of[row] : row, t, e);
}

const struct weights *dump_weights(const struct dump *d)
{
    const struct tensor_file *f = d->reader && d->reader->weights ? d->state : NULL;
    return f && !f->row_of ? &f->w : NULL;
}

static bool is_safetensors(const char *path)
{
    return weights_safetensors.probe(path);
}

static bool is_ckpt(const char *path)
{
    return weights_ckpt.probe(path);
}

static bool is_npz(const char *path)
{
    return weights_npz.probe(path);
}

static bool is_npy(const char *path)
{
    return weights_npy.probe(path);
}

static bool is_torch(const char *path)
{
    return weights_torch.probe(path);
}

static bool is_parts(const char *path)
{
    return weights_index.probe(path);
}

static bool is_folder_of_parts(struct folder *f)
{
    return weights_index.probe_folder(f);
}

static bool is_distcp(const char *path)
{
    return weights_distcp.probe(path);
}

static bool is_distcp_folder(struct folder *f)
{
    return weights_distcp.probe_folder(f);
}

static bool is_ranks(struct folder *f)
{
    return weights_ranks.probe_folder(f);
}

#define WEIGHT_READER(var, id, text, files, of, not_read, is, is_folder)                                               \
    const struct reader var = {                                                                                        \
        .name = id, .title = text, .what = files, .versions = of, .unread = not_read, .probe = is,                     \
        .probe_folder = is_folder, .open = weights_dump_open_dump, .tensor = weights_dump_open_tensor, .close = weights_dump_close_dump, .weights = true, \
    }

WEIGHT_READER(reader_safetensors, "safetensors", N_("weights: safetensors"), "*.safetensors", "safetensors 0.x",
              N_("F4, F6_*, F8_E8M0, F8_*FNUZ and packed 4-bit integers: listed without statistics"),
              is_safetensors, NULL);
WEIGHT_READER(reader_ckpt, "mindspore-ckpt", N_("weights: MindSpore checkpoints, split and with a checksum"), "*.ckpt",
              "MindSpore 1.x to 2.10", N_("encrypted files, maps of embeddings; the checksum is not verified"),
              is_ckpt, NULL);
WEIGHT_READER(reader_npz, "npz", N_("weights: NumPy archives, stored or compressed"), "*.npz", "NumPy, .npy 1.0 to 3.0",
              N_("compressed members of more than 128 MB; structured types, texts, dates, objects, extended precision: "
                 "listed without statistics"), is_npz, NULL);
WEIGHT_READER(reader_npy, "npy", N_("NumPy arrays: one file, or a folder that contains only such "
                                    "files; dictionaries of arrays saved by numpy.save"), "*.npy", ".npy 1.0 to 3.0",
              N_("structured types, texts, dates, extended precision, objects other than a dictionary of arrays: "
                 "listed without statistics"), is_npy, NULL);
WEIGHT_READER(reader_torch, "torch",
              N_("weights: torch.save of state dicts and checkpoints, zip and legacy; pickled NumPy arrays"),
              "*.pt *.pth *.bin *.pkl *.pickle *.pdparams", "torch 0.2 to 2.13",
              N_("whole pickled models (code in a pickle is never run), pickles of more than 64 MB, the tar of torch "
                 "0.1; quantised, sparse, nested and meta tensors, complex32, float8 other than e4m3fn and e5m2, NumPy "
                 "strings and objects: listed without statistics"),
              is_torch, NULL);
WEIGHT_READER(reader_parts, "weights", N_("weights in several files: a folder or an index of them"),
              "*.index.json param_name_map.json NAME-00001-of-0000N.*", "Hugging Face, MindFormers", NULL, is_parts,
              is_folder_of_parts);
WEIGHT_READER(reader_ranks, "megatron",
              N_("weights of several ranks: tensor-parallel shards joined, layers of pipeline stages renumbered"),
              "mp_rank_*/model_optim_rng.pt rank_*/*.ckpt", "Megatron-LM, DeepSpeed, MindSpore",
              N_("uneven shards of MindSpore, or shards without a strategy file (merge them first)"), NULL, is_ranks);
WEIGHT_READER(
    reader_distcp, "torch-distcp",
    N_("weights: torch.distributed.checkpoint, chunks joined; Megatron's torch_dist, layers separated"),
    ".metadata *.distcp", "torch 2.1 to 2.13",
    N_("objects that are not tensors, compressed chunks, uneven chunks along several axes, .metadata of more than 2 "
       "million values"),
    is_distcp, is_distcp_folder);

const struct reader reader_activations = {
    .name = "activations",
    .title = N_("values of a step in a file or folder of tensors: hooks' dictionaries, hidden states, one file each"),
    .what = "*.pt *.npz *.safetensors, folders of *.npy and *.pt: told from weights by names and shapes",
    .versions = "torch, NumPy, safetensors as for weights",
    .unread = N_("as for weights"), .untyped = true,
    .open = weights_dump_open_dump, .tensor = weights_dump_open_tensor, .close = weights_dump_close_dump,
};

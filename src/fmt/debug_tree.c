/* MODEL_debug_tree_*.json of transformers: {"module_path", "inputs", "outputs", "children"}, one object a module call,
 * in the order of the calls. Figures are printed texts: "1.2500e-02", "tensor(1.2500e-02, device='cuda:0')". */
#include "fmt/debug_tree.h"

#include <math.h>
#include <stdio.h>

#include "base/json_read.h"
#include "base/json_tree.h"
#include "base/msg.h"
#include "base/reading.h"
#include "dump/lacking_figures.h"
#include "fmt/value_calls.h"
#include "fmt/weights.h"

#define TREE_BYTES (512u << 20)
#define DEEPEST 200
#define LONGEST_SLOT 256
#define ENTRIES 200000

struct tree_reading {
    struct dump *d;
    struct load *load;
    const char *path; /* of the file */
    int digits;  /* the most that a figure was printed with */
    bool files;  /* some tensor is a file */
    bool deep;   /* modules nested too deeply were left out */
};

static bool debug_tree_probe(const char *path)
{
    char head[512];
    struct str s = file_head(path, head, sizeof head);
    while (s.n && strchr(" \t\r\n", s.p[0]))
        s = str_cut(s, 1);
    if (!s.n || s.p[0] != '{')
        return false;
    s = str_cut(s, 1);
    while (s.n && strchr(" \t\r\n", s.p[0]))
        s = str_cut(s, 1);
    return str_starts(s, "\"module_path\"") && path_is_file(path);
}

#define FULL "_debug_tree_FULL_TENSORS.json"
#define SUMMARY "_debug_tree_SUMMARY.json"

/* The tree of a folder: the full one before the summary. NULL: none, or several. */
static const char *tree_among(const name_list *names)
{
    const char *full = NULL, *summary = NULL;
    size_t fulls = 0, summaries = 0;
    for (size_t i = 0; i < names->n; i++) {
        bool is_full = str_ends(str_of(names->v[i]), FULL), is_summary = str_ends(str_of(names->v[i]), SUMMARY);
        full = is_full ? names->v[i] : full;
        summary = is_summary ? names->v[i] : summary;
        fulls += is_full;
        summaries += is_summary;
    }
    return fulls == 1 ? full : fulls ? NULL : summaries == 1 ? summary : NULL;
}

static bool debug_tree_probe_folder(struct folder *folder)
{
    size_t fulls = 0, summaries = 0;
    for (size_t i = 0; i < folder->entries.n; i++) {
        fulls += str_ends(str_of(folder->entries.v[i].name), FULL);
        summaries += str_ends(str_of(folder->entries.v[i].name), SUMMARY);
    }
    return fulls == 1 ? summaries <= 1 : !fulls && summaries == 1;
}

/* Of the recording at `path`: the file itself, or the tree in the folder. */
static int find_tree(const char *path, struct buf *out, struct err *e)
{
    name_list names = {0};
    const char *name = NULL;
    if (!path_is_dir(path)) {
        buf_cstr(out, path);
        return 0;
    }
    if (dir_list(path, ENTRIES, &names, e))
        return -1;
    name = tree_among(&names);
    if (name)
        path_join(out, path, name);
    name_list_release(&names);
    return name ? 0 : err_set(e, ERR_DATA, _("%s: expected one call tree in this folder; name the file"), path);
}

/* ---- figures ---- */

/* The digits of a decimal from its first other than zero on. */
static int digits_of(struct str number)
{
    int n = 0;
    for (size_t i = 0; i < number.n && (number.p[i] | 32) != 'e'; i++)
        if (number.p[i] >= '0' && number.p[i] <= '9')
            n += n || number.p[i] != '0';
    return n;
}

/* "1.2500e-02", "tensor(1.2500e-02, dtype=torch.bfloat16)": the number in it. */
static enum reading figure_in(const cJSON *v, double *x, int *digits)
{
    struct str s, rest;
    *digits = 17;
    if (!cJSON_IsString(v))
        return reading_json_number(v, x);
    s = str_trim(str_of(v->valuestring));
    if (str_starts(s, "tensor(") && str_ends(s, ")")) {
        s = str_n(s.p + strlen("tensor("), s.n - strlen("tensor(") - 1);
        str_split(s, ',', &s, &rest);
        s = str_trim(s);
    }
    *digits = digits_of(s);
    return reading_number(s, x);
}

static void note_unreadable_row(struct tree_reading *t, uint32_t call, const char *slot, const char *what)
{
    struct buf b = {0};
    buf_fmt(&b, _("%s: %s, %s: expected %s"), t->path, t->d->calls.v[call].name, slot, what);
    dump_unparsed(t->d, (uint32_t)t->d->rows.n - 1, arena_cstr(&t->d->arena, buf_view(&b)));
    buf_release(&b);
}

/* "torch.Size([1, 4, 8])" */
static bool shape_in(struct dump *d, const cJSON *v, struct row *r)
{
    int64_t dim[TENSOR_DIMS];
    int n = 0;
    struct str s = str_of(cJSON_IsString(v) ? v->valuestring : "");
    ptrdiff_t open = str_find(s, '['), close = str_rfind(s, ']');
    struct str before = str_n(s.p, open < 0 ? 0 : (size_t)open);
    if (open < 0 || close < open || (before.n && !str_is(before, "torch.Size(")))
        return false;
    s = str_n(s.p + open, (size_t)(close - open + 1));
    r->shape = reading_sizes(s, TENSOR_DIMS, dim, &n) == READING_VALUE ? dump_shape(d, dim, n) : NONE;
    r->has |= r->shape == NONE ? 0 : HAS_SHAPE;
    return r->shape != NONE;
}

static const char *file_in(const cJSON *v)
{
    const char *s = cJSON_IsString(v) ? v->valuestring : "";
    return str_ends(str_of(s), ".safetensors") ? s + (str_starts(str_of(s), "./") ? 2 : 0) : NULL;
}

/* Its norm, from the deviation over n − 1 elements that is recorded beside the mean. */
static void take_deviation(struct row *r, const struct dump *d, double deviation)
{
    double n = r->shape == NONE ? 0 : (double)d->shapes.v[r->shape]->numel, mean = r->stat[STAT_MEAN];
    if (n < 2 || !(r->has & HAS_MEAN))
        return;
    r->stat[STAT_NORM] = sqrt((n - 1) * deviation * deviation + n * mean * mean);
    r->has |= HAS_NORM;
}

static bool has_any(const cJSON *v, const char *const *key, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (json_member(v, key[i]))
            return true;
    return false;
}

/* By two of its shape, its type and its figures: what lacks one of them is damaged. */
static bool is_record(const cJSON *v)
{
    static const char *const shape[] = {"shape"}, *const type[] = {"dtype"},
                            *const figures[] = {"mean", "std", "min", "max"};
    return has_any(v, shape, 1) + has_any(v, type, 1) + has_any(v, figures, ARRAY_LEN(figures)) >= 2;
}

static void take_tensor(struct tree_reading *t, uint32_t call, enum row_io io, const char *slot, const cJSON *v)
{
    static const struct {
        const char *key;
        int stat;
        unsigned has;
    } figures[] = {{"mean", STAT_MEAN, HAS_MEAN}, {"min", STAT_MIN, HAS_MIN}, {"max", STAT_MAX, HAS_MAX}};
    struct dump *d = t->d;
    struct row r = {.shape = NONE, .extra = NONE, .kind = ROW_TENSOR, .io = (unsigned)io & 7u,
                    .slot = dump_slot(d, str_of(slot))};
    const cJSON *type = json_member(v, "dtype");
    const char *bad = NULL, *file = file_in(json_member(v, "value"));
    double x;
    int digits;
    if (!shape_in(d, json_member(v, "shape"), &r))
        bad = _("a shape");
    struct str named = str_of(cJSON_IsString(type) ? type->valuestring : "");
    r.dtype = (uint8_t)dtype_find(named);
    if (r.dtype == DTYPE_UNKNOWN && !dtype_is_other(named))
        bad = _("an element type");
    for (size_t i = 0; i < ARRAY_LEN(figures); i++) {
        const cJSON *f = json_member(v, figures[i].key);
        enum reading found = figure_in(f, &x, &digits);
        if (found == READING_UNREADABLE)
            bad = _("a number");
        if (found != READING_VALUE)
            continue;
        r.stat[figures[i].stat] = x;
        r.has = (uint16_t)(r.has | figures[i].has);
        t->digits = digits > t->digits ? digits : t->digits;
    }
    enum reading spread = figure_in(json_member(v, "std"), &x, &digits);
    if (spread == READING_VALUE)
        take_deviation(&r, d, x);
    else if (spread == READING_UNREADABLE)
        bad = _("a number");
    if (file) {
        struct row_extra extra = {.file = arena_cstr(&d->arena, str_of(file))};
        r.extra = (uint32_t)d->extras.n;
        vec_push(&d->extras, extra);
        r.has |= HAS_FILE;
        t->files = true;
    }
    dump_add_row(d, call, r);
    if (bad)
        note_unreadable_row(t, call, slot, bad);
}

/* A tensor, or a list or dictionary of such; other values are texts and no rows. */
static void take_value(struct tree_reading *t, uint32_t call, enum row_io io, const char *slot, const cJSON *v,
                       int depth)
{
    char inner[LONGEST_SLOT];
    size_t i = 0;
    if (depth > DEEPEST) {
        t->deep = true;
        return;
    }
    if (cJSON_IsObject(v) && is_record(v)) {
        take_tensor(t, call, io, slot, v);
    } else if (cJSON_IsObject(v) || cJSON_IsArray(v)) {
        for (const cJSON *m = v->child; m; m = m->next, i++) {
            if (m->string)
                snprintf(inner, sizeof inner, "%s.%s", slot, m->string);
            else
                snprintf(inner, sizeof inner, "%s.%zu", slot, i);
            take_value(t, call, io, inner, m, depth + 1);
        }
    }
}

static void take_inputs(struct tree_reading *t, uint32_t call, const cJSON *inputs)
{
    const cJSON *kwargs = json_member(inputs, "kwargs");
    take_value(t, call, IO_INPUT, "input", json_member(inputs, "args"), 0);
    take_value(t, call, IO_INPUT, "input", kwargs, 0);
}

static bool is_tensor(const cJSON *v)
{
    return cJSON_IsObject(v) && json_member(v, "shape");
}

/* ---- modules ---- */

/* "LlamaModel.layers.0" → "layers.0"; the model itself keeps the name of its class. */
static struct str module_name(const cJSON *node)
{
    const cJSON *path = json_member(node, "module_path");
    struct str s = str_of(cJSON_IsString(path) ? path->valuestring : ""), head, rest;
    ptrdiff_t blank = str_find(s, ' ');
    if (blank > 0)
        s.n = (size_t)blank;
    return str_split(s, '.', &head, &rest) && rest.n ? rest : s;
}

static void take_module(struct tree_reading *t, const cJSON *node, int depth)
{
    const cJSON *outputs = json_member(node, "outputs"), *children = json_member(node, "children");
    struct str name = module_name(node);
    if (depth > DEEPEST) {
        t->deep = true;
        return;
    }
    if (!name.n) {
        dump_problem(t->d, NONE, "damaged",
                     arena_fmt(&t->d->arena, _("%s: a module without its path; it is left out"), t->path));
        return;
    }
    uint32_t call = dump_add_call(t->d, name, CALL_MODULE, PHASE_FORWARD);
    take_inputs(t, call, json_member(node, "inputs"));
    for (const cJSON *c = children ? children->child : NULL; c; c = c->next)
        if (!load_cancelled(t->load))
            take_module(t, c, depth + 1);
    take_value(t, call, IO_OUTPUT, is_tensor(outputs) ? "output.0" : "output", outputs, 0);
}

static int debug_tree_open_dump(struct dump *d, struct load *load, struct err *e)
{
    struct tree_reading t = {.d = d, .load = load};
    struct buf path = {0};
    cJSON *root = find_tree(d->path, &path, e) ? NULL : json_load(path.p, TREE_BYTES, e);
    t.path = arena_cstr(&d->arena, buf_view(&path));
    buf_release(&path);
    if (!root)
        return -1;
    load_begin(load);
    d->framework = "pytorch";
    d->level = "L0";
    d->joint = '.';
    take_module(&t, root, 0);
    d->task = t.files ? "tensor" : "statistics";
    d->digits = t.digits ? t.digits : 17;
    if (t.deep)
        dump_problem(d, NONE, "damaged",
                     arena_fmt(&d->arena, _("%s: nested deeper than %d levels; what lies below is left out"), d->path,
                               DEEPEST));
    value_calls_name(d);
    lacking_figures_find(d);
    load_end(load);
    cJSON_Delete(root);
    return d->rows.n ? 0 : err_set(e, ERR_DATA, _("%s: no row in this file"), d->path);
}

/* The tensor "data" of a file beside the tree. */
static int debug_tree_open_tensor(const struct dump *d, uint32_t row, struct tensor *t, struct err *e)
{
    const struct row *r = &d->rows.v[row];
    struct weights w;
    struct buf path = {0};
    const char *file = r->extra == NONE ? "" : d->extras.v[r->extra].file;
    struct str folder = path_is_dir(d->path) ? str_of(d->path) : path_parent(str_of(d->path));
    if (!*file || strchr(file, '/'))
        return err_set(e, ERR_DATA, _("%s: expected the name of a file beside it, found \"%s\""), d->path, file);
    buf_fmt(&path, "%.*s%s%s", STR_ARG(folder), folder.n ? "/" : "", file);
    int rc = weights_open(&w, path.p, e);
    if (rc == 0 && w.list.n != 1)
        rc = err_set(e, ERR_DATA, _("%s: expected one tensor, found %zu"), path.p, w.list.n);
    if (rc == 0)
        rc = weights_tensor(&w, 0, t, e);
    weights_release(&w);
    buf_release(&path);
    return rc;
}

const struct reader reader_debug_tree = {
    .name = "transformers-debug",
    .title = N_("call tree of transformers' model_addition_debugger: inputs and outputs of every module of a forward "
                "pass"),
    .what = "MODEL_debug_tree_SUMMARY.json, …_FULL_TENSORS.json: {\"module_path\": …, \"inputs\": …, \"children\": […",
    .versions = "transformers 4.52 to 5",
    .unread = N_("printed values of tensors, standard deviations, arguments that are not tensors"),
    .probe = debug_tree_probe,
    .probe_folder = debug_tree_probe_folder,
    .open = debug_tree_open_dump,
    .tensor = debug_tree_open_tensor,
    .without = NULL,
};

/* ptdbg_ascend dumps, versions 2 to 6: a .pkl that is not a pickle but one JSON array per line, and tensors as .npy
 * in a folder beside it. Layout, versions and peculiarities: doc/formats.md. */
#include "fmt/ptdbg.h"

#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/reading.h"
#include "dump/checksum.h"
#include "dump/family.h"
#include "dump/row_contradictions.h"
#include "fmt/json_row.h"
#include "fmt/npy.h"

#define LONGEST (64u << 20) /* one line; a stack has a few kilobytes */

struct ptdbg_state {
    name_list dirs; /* tensor folders, one per .pkl file; row_extra.part is the index, 0 for rows without a file */
};

/* ---- recognising ---- */

static bool is_pkl(const char *path)
{
    char head[4096];
    if (!str_ends(str_of(path), ".pkl"))
        return false;
    struct str s = str_trim(file_head(path, head, sizeof head));
    return str_starts(s, "[\"") && !ptdbg_is_text_row(s);
}

static bool is_overflow(struct str name)
{
    return str_starts(name, "Overflow_info") || !str_ends(name, "dump.pkl");
}

/* The .pkl files to read: the dump's own, otherwise all overflow records. */
static void list_pkl(const struct folder *f, name_list *out)
{
    struct buf path = {0};
    bool own = false;
    for (size_t i = 0; i < f->entries.n; i++) {
        struct str name = str_of(f->entries.v[i].name);
        if (!str_ends(name, ".pkl"))
            continue;
        path_join(&path, f->path, name.p);
        if (!is_pkl(path.p))
            continue;
        if (!is_overflow(name) && !own) {
            name_list_release(out);
            own = true;
        }
        if (own == !is_overflow(name))
            vec_push(out, mem_strdup(path.p));
    }
    buf_release(&path);
}

static bool ptdbg_probe_folder(struct folder *f)
{
    name_list l = {0};
    list_pkl(f, &l);
    bool yes = l.n > 0;
    name_list_release(&l);
    return yes;
}

/* ---- names ---- */

/* "Functional_linear_0_forward_input.0" → call "Functional_linear_0_forward", joint '_', slot "input.0".
 * The operator's own name may hold underscores, so the last such word is the one. */
bool ptdbg_split(struct str name, struct str *call, struct str *slot, char *joint)
{
    static const char *const words[] = {"input", "output", "stack_info"};
    ptrdiff_t best = -1;
    for (size_t w = 0; w < ARRAY_LEN(words); w++)
        for (size_t n = strlen(words[w]), i = 1; i + n <= name.n; i++) {
            bool from = name.p[i - 1] == '_' || name.p[i - 1] == '.';
            bool to = i + n == name.n || name.p[i + n] == '.';
            if (from && to && memcmp(name.p + i, words[w], n) == 0 && (ptrdiff_t)i > best)
                best = (ptrdiff_t)i;
        }
    if (best < 1)
        return false;
    *call = str_n(name.p, (size_t)best - 1);
    *slot = str_cut(name, (size_t)best);
    *joint = name.p[best - 1];
    return true;
}

/* The operator between the prefix and the counter: "Tensor___add___233_forward" → "__add__". */
struct str ptdbg_operator(struct str call, char joint)
{
    ptrdiff_t at = str_find(call, joint);
    struct str s = at < 0 ? call : str_cut(call, (size_t)at + 1);
    at = str_rfind(s, joint); /* the direction */
    s = at > 0 ? str_n(s.p, (size_t)at) : s;
    at = str_rfind(s, joint); /* the counter, which is missing in dumps of 2022 */
    unsigned long long n;
    return at > 0 && str_u64(str_cut(s, (size_t)at + 1), &n) ? str_n(s.p, (size_t)at) : s;
}

static uint32_t call_for(struct dump *d, struct str name, char joint, uint64_t offset)
{
    uint32_t c = map_get(&d->call_names, name);
    if (c != MAP_NONE)
        return c;
    enum call_phase phase = str_ends(name, "backward") ? PHASE_BACKWARD : PHASE_FORWARD;
    c = dump_add_call(d, name, CALL_API, phase);
    d->calls.v[c].family = (uint8_t)family_find(ptdbg_operator(name, joint));
    d->calls.v[c].offset = offset;
    return c;
}

/* ---- lines ---- */

/* A .pkl being read. */
struct pkl {
    struct dump *d;
    const char *path;
    size_t part;
    bool tensors;
    uint64_t offset; /* of the current line */
};

static void add_stack(const struct pkl *p, uint32_t call, const cJSON *frames)
{
    struct dump *d = p->d;
    const cJSON *odd = cJSON_IsArray(frames) ? NULL : frames;
    struct stack s = {.first = (uint32_t)d->stack_frames.n};
    struct buf text = {0};
    for (const cJSON *it = frames->child; it; it = it->next) {
        const cJSON *file = cJSON_GetArrayItem(it, 0), *line = cJSON_GetArrayItem(it, 1);
        const cJSON *func = cJSON_GetArrayItem(it, 2), *code = cJSON_GetArrayItem(it, 3);
        if (!cJSON_IsString(file) || !cJSON_IsString(line)) {
            odd = odd ? odd : it;
            continue;
        }
        buf_clear(&text);
        buf_fmt(&text, "File %s, line %s, in %s, \n %s", file->valuestring, line->valuestring,
                cJSON_IsString(func) ? func->valuestring : "", cJSON_IsString(code) ? code->valuestring : "");
        vec_push(&d->stack_frames, dump_frame(d, buf_view(&text)));
        s.n++;
    }
    buf_release(&text);
    if (odd) {
        struct err e;
        char found[READING_FOUND];
        err_at(&e, p->path, p->offset, _("expected %s, found %s"), _("a list of frames"),
               reading_json_found(found, odd));
        dump_problem(d, NONE, "damaged", e.text);
    }
    vec_push(&d->stacks, s);
    d->calls.v[call].stack = (uint32_t)d->stacks.n - 1;
}

/* What could not be read in a row: a bit for each of the array's values. */
enum { ODD_MD5 = 1 << 2, ODD_TYPE = 1 << 3, ODD_SHAPE = 1 << 4, ODD_FIGURES = 1 << 5 };

static unsigned ptdbg_scalar(struct dump *d, struct row *r, struct str type, const cJSON *value)
{
    char tmp[NUM_MAX];
    double v;
    r->kind = str_has(type, "bool") ? ROW_BOOL : str_has(type, "int") ? ROW_INT : ROW_FLOAT;
    if (cJSON_IsBool(value)) {
        v = cJSON_IsTrue(value);
    } else {
        enum reading how = reading_json_number(value, &v);
        if (how != READING_VALUE) {
            r->kind = ROW_NULL;
            return how == READING_UNREADABLE ? ODD_FIGURES : 0;
        }
    }
    r->stat[STAT_MAX] = v;
    r->has |= HAS_MAX;
    r->text =
        arena_cstr(&d->arena, cJSON_IsBool(value) ? (v != 0 ? STR("true") : STR("false")) : str_of(num_exact(tmp, v)));
    return 0;
}

/* Bool and empty tensors have [] or "Nan": nothing was recorded. */
static enum reading ptdbg_figure(const cJSON *v, double *out)
{
    bool none = (cJSON_IsArray(v) && !v->child) || (cJSON_IsString(v) && strcmp(v->valuestring, "Nan") == 0);
    return none ? READING_ABSENT : reading_json_number(v, out);
}

static unsigned ptdbg_figures(struct row *r, const cJSON *summary)
{
    static const int bit[] = {HAS_MAX, HAS_MIN, HAS_MEAN, HAS_NORM};
    unsigned odd = summary && !cJSON_IsArray(summary) && !cJSON_IsNull(summary) ? ODD_FIGURES : 0;
    int i = 0;
    for (const cJSON *it = summary ? summary->child : NULL; it && i < STAT_COUNT; it = it->next, i++) {
        enum reading how = ptdbg_figure(it, &r->stat[i]);
        if (how == READING_VALUE)
            r->has |= (uint8_t)bit[i];
        else if (how == READING_UNREADABLE)
            odd = ODD_FIGURES;
    }
    return odd;
}

static bool is_type(struct str name)
{
    return dtype_find(name) != DTYPE_UNKNOWN || dtype_is_other(name);
}

static unsigned ptdbg_checksum(struct dump *d, struct row *r, const cJSON *md5)
{
    bool text = cJSON_IsString(md5);
    if (!md5 || cJSON_IsNull(md5) || (cJSON_IsArray(md5) && !md5->child) ||
        (text && reading_is_nothing(str_of(md5->valuestring))))
        return 0;
    if (!text || !checksum_is_one(str_of(md5->valuestring)))
        return ODD_MD5;
    r->text = arena_cstr(&d->arena, str_of(md5->valuestring));
    r->has |= HAS_CHECKSUM;
    d->checksums = true;
    return 0;
}

/* Reports each value of the row [name, …, md5, type, shape, figures] that could not be read. */
static void tell_odd(const struct pkl *p, uint32_t row, const cJSON *v, unsigned odd)
{
    static const char *const expected[] = {[2] = N_("a checksum"), N_("an element type"), N_("a list of numbers"),
                                           N_("a list of numbers")};
    struct err e;
    char found[READING_FOUND];
    for (int i = 2; i < 6; i++) {
        const cJSON *x = cJSON_GetArrayItem(v, i);
        if (!(odd >> i & 1))
            continue;
        for (const cJSON *it = i == 5 && cJSON_IsArray(x) ? x->child : NULL; it; it = it->next) {
            double one;
            x = ptdbg_figure(it, &one) == READING_UNREADABLE ? it : x;
        }
        err_at(&e, p->path, p->offset, _("value %d of a row: expected %s, found %s"), i + 1, _(expected[i]),
               reading_json_found(found, x));
        dump_unparsed(p->d, row, e.text);
    }
}

static void ptdbg_add_row(const struct pkl *p, uint32_t call, struct str slot, const cJSON *v)
{
    struct dump *d = p->d;
    unsigned odd = 0;
    const cJSON *md5 = cJSON_GetArrayItem(v, 2), *dtype = cJSON_GetArrayItem(v, 3);
    const cJSON *shape = cJSON_GetArrayItem(v, 4), *summary = cJSON_GetArrayItem(v, 5);
    struct row r = {.slot = dump_slot(d, slot), .shape = NONE, .extra = NONE, .kind = ROW_TENSOR};
    struct str type = cJSON_IsString(dtype) ? str_of(dtype->valuestring) : STR("");
    r.io = str_starts(slot, "output") ? IO_OUTPUT : IO_INPUT;
    if (str_starts(type, "<class")) {
        odd = ptdbg_scalar(d, &r, type, cJSON_IsArray(summary) ? summary->child : summary);
    } else {
        r.dtype = (uint8_t)dtype_find(type);
        odd = (is_type(type) ? 0 : ODD_TYPE) | (cJSON_IsArray(shape) && json_row_shape(d, &r, shape) ? 0 : ODD_SHAPE) |
              ptdbg_figures(&r, summary) | ptdbg_checksum(d, &r, md5);
        if (p->tensors) {
            r.has |= HAS_FILE;
            if (p->part) {
                struct row_extra x = {.part = (uint16_t)p->part};
                vec_push(&d->extras, x);
                r.extra = (uint32_t)d->extras.n - 1;
            }
        }
    }
    uint32_t row = dump_add_row(d, call, r);
    if (odd)
        tell_odd(p, row, v, odd);
}

static void ptdbg_read_line(void *ctx, struct str line, uint64_t offset)
{
    struct pkl *p = ctx;
    struct dump *d = p->d;
    const char *path = p->path;
    struct err e;
    struct str call, slot;
    char joint;
    cJSON *v = json_parse(line, true, path, offset, &e);
    const cJSON *name = cJSON_GetArrayItem(v, 0), *second = cJSON_GetArrayItem(v, 1);
    if (!v) {
        dump_problem(d, NONE, "damaged", e.text);
        return;
    }
    if (!cJSON_IsString(name) || !second || !ptdbg_split(str_of(name->valuestring), &call, &slot, &joint)) {
        err_at(&e, path, offset, _("expected a row [\"NAME_input.0\", …]"));
        dump_problem(d, NONE, "damaged", e.text);
        return;
    }
    d->joint = joint;
    p->offset = offset;
    uint32_t c = call_for(d, call, joint, offset);
    if (str_is(slot, "stack_info"))
        add_stack(p, c, second);
    else
        ptdbg_add_row(p, c, slot, v);
}

/* ---- calls inside calls ---- */

/* Splits "Functional_embedding_0_forward" into "Functional" and "embedding"; false for another form. */
static bool name_parts(const struct dump *d, uint32_t call, struct str *space, struct str *operator)
{
    struct str s = dump_call_name(d, call);
    static const char *const ends[] = {"_forward", "_backward"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (str_ends(s, ends[i]))
            s.n -= strlen(ends[i]);
    while (s.n && s.p[s.n - 1] >= '0' && s.p[s.n - 1] <= '9')
        s.n--;
    return str_split(s, '_', space, operator) && operator->n;
}

/* Whether two calls have the same output tensor, by all recorded data. */
static bool same_output(const struct dump *d, uint32_t a, uint32_t b)
{
    uint32_t x = dump_first_tensor(d, a, IO_OUTPUT), y = dump_first_tensor(d, b, IO_OUTPUT);
    if (x == NONE || y == NONE)
        return false;
    const struct row *p = &d->rows.v[x], *q = &d->rows.v[y];
    return p->has == q->has && (p->has & (HAS_MAX | HAS_CHECKSUM)) && p->shape == q->shape && p->dtype == q->dtype &&
           memcmp(p->stat, q->stat, sizeof p->stat) == 0 && (!p->text || !q->text || strcmp(p->text, q->text) == 0);
}

/* torch's functions are hooked even where they call each other: F.embedding and torch.embedding, Tensor.softmax and
 * F.softmax record the same tensors one after the other. */
static void link_nested(struct dump *d)
{
    for (uint32_t c = 1; c < d->calls.n; c++) {
        struct str space[2], operator[2];
        bool free = d->calls.v[c - 1].nested == NONE && d->calls.v[c].phase == d->calls.v[c - 1].phase;
        if (free && name_parts(d, c - 1, &space[0], &operator[0]) && name_parts(d, c, &space[1], &operator[1]) &&
            str_eq(operator[0], operator[1]) && !str_eq(space[0], space[1]) && same_output(d, c - 1, c))
            dump_link_nested(d, c - 1, c);
    }
}

/* ---- the reader ---- */

static void ptdbg_close_dump(struct dump *d)
{
    struct ptdbg_state *st = d->state;
    name_list_release(&st->dirs);
    free(st);
    d->state = NULL;
}

static int ptdbg_open_dump(struct dump *d, struct load *load, struct err *e)
{
    struct ptdbg_state *st = mem_zalloc(sizeof *st);
    name_list files = {0};
    bool any = false;
    struct folder folder = {0};
    struct err quiet;
    if (path_is_dir(d->path)) {
        if (folder_read(&folder, d->path, 1000000, &quiet) == 0)
            list_pkl(&folder, &files);
        folder_release(&folder);
    } else
        vec_push(&files, mem_strdup(d->path));
    load_begin(load);
    d->state = st;
    d->framework = "pytorch";
    d->level = "L1";
    d->task = "statistics";
    load_end(load);
    int rc = 0;
    for (size_t i = 0; i < files.n && rc == 0; i++) {
        /* the tensors of a/b_dump.pkl are in a/b_dump/ */
        char *dir = mem_strdup(files.v[i]);
        dir[strlen(dir) - strlen(".pkl")] = 0;
        bool tensors = path_is_dir(dir);
        any = any || tensors;
        vec_push(&st->dirs, dir);
        struct pkl p = {.d = d, .path = files.v[i], .part = i, .tensors = tensors};
        rc = json_row_lines(d, p.path, LONGEST, false, ptdbg_read_line, &p, load, e);
    }
    name_list_release(&files);
    if (rc == 0 && !d->rows.n)
        rc = err_set(e, ERR_DATA, _("%s: no row in this .pkl"), d->path);
    if (rc == 0) {
        load_begin(load);
        d->task = any ? "tensor" : d->checksums ? "md5" : "statistics";
        dump_link_twins(d);
        link_nested(d);
        row_contradictions_find(d);
        load_end(load);
    }
    return rc;
}

static int ptdbg_open_tensor(const struct dump *d, uint32_t row, struct tensor *t, struct err *e)
{
    const struct ptdbg_state *st = d->state;
    const struct row *r = &d->rows.v[row];
    size_t part = r->extra == NONE ? 0 : d->extras.v[r->extra].part;
    struct buf name = {0};
    dump_row_name(d, row, &name);
    buf_cstr(&name, ".npy");
    int rc = file_open_inside(&t->file, st->dirs.v[part], name.p, e);
    if (rc == 0) {
        rc = npy_open(t, e);
        if (rc)
            file_close(&t->file);
    }
    buf_release(&name);
    return rc;
}

const struct reader reader_ptdbg = {
    .name = "ptdbg",
    .title = N_("ptdbg_ascend dumps, versions 2 to 6 (api_stack, summary, md5, overflow)"),
    .what = "*_dump.pkl *_dump/*.npy Overflow_info_*.pkl",
    .versions = "ptdbg_ascend 2 to 6",
    .probe = is_pkl,
    .probe_folder = ptdbg_probe_folder,
    .open = ptdbg_open_dump,
    .tensor = ptdbg_open_tensor,
    .close = ptdbg_close_dump,
};

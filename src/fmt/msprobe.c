/* msprobe dumps of PyTorch and MindSpore: dump.json (calls and figures), stack.json, construct.json
 * (the tree of modules), dump_tensor_data/ROW.{pt,npy}. Layout and traps: doc/formats.md.
 *
 * dump.json is walked member by member, so its size does not matter; each call's record is parsed on
 * its own. What cannot be read costs that call its rows and nothing else. */
#include "fmt/msprobe.h"

#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "fmt/jsonspan.h"
#include "fmt/npy.h"
#include "fmt/pt.h"
#include "model/family.h"

#define BATCH 256

struct state {
    char *dir;        /* the folder dump.json lies in */
    char *tensor_dir; /* …/dump_tensor_data */
    const char *ext;  /* ".pt" or ".npy": of rows whose file is named after them */
};

/* ---- recognising ---- */

static bool is_dump_file(const char *path)
{
    char head[4096];
    struct file f;
    struct err quiet;
    if (!str_ends(str_of(path), ".json") || file_open(&f, path, &quiet))
        return false;
    long n = file_read_some(&f, 0, head, sizeof head, &quiet);
    file_close(&f);
    struct str s = str_n(head, n > 0 ? (size_t)n : 0);
    if (str_is(path_base(str_of(path)), "dump.json"))
        return true;
    return str_has(s, "\"task\"") && str_has(s, "\"level\"") &&
           (str_has(s, "\"dump_data_dir\"") || str_has(s, "\"data\""));
}

static bool probe(const char *path)
{
    if (!path_is_dir(path))
        return path_is_file(path) && is_dump_file(path);
    struct buf b = {0};
    path_join(&b, path, "dump.json");
    bool yes = path_is_file(b.p);
    buf_release(&b);
    return yes;
}

/* ---- names ---- */

/* The part of s behind its last dot; s keeps what is before. */
static struct str last_part(struct str *s)
{
    ptrdiff_t at = str_rfind(*s, '.');
    struct str part = str_cut(*s, (size_t)(at + 1));
    *s = str_n(s->p, at < 0 ? 0 : (size_t)at);
    return part;
}

static bool phase_of(struct str word, enum call_phase *phase)
{
    if (str_is(word, "forward"))
        *phase = PHASE_FORWARD;
    else if (str_is(word, "backward"))
        *phase = PHASE_BACKWARD;
    else
        return false;
    return true;
}

uint32_t msprobe_add_call(struct dump *d, struct str name, uint64_t offset)
{
    /* API: Type.api.N.forward; module: Module.path.Class.forward.N; Module.path.Class.parameters_grad.N */
    struct str rest = name, last = last_part(&rest);
    enum call_kind kind = CALL_API;
    enum call_phase phase = PHASE_FORWARD;
    bool gradient = false;
    if (phase_of(last, &phase)) {
        last_part(&rest); /* the call number */
    } else {
        struct str word = last_part(&rest);
        gradient = str_is(word, "parameters_grad");
        if (gradient)
            phase = PHASE_BACKWARD;
        else if (!phase_of(word, &phase))
            rest = name;
    }
    if (str_starts(name, "Module.") || str_starts(name, "Cell."))
        kind = CALL_MODULE;
    struct str op = last_part(&rest);
    uint32_t c = dump_add_call(d, name, kind, phase);
    struct call *call = &d->calls.v[c];
    call->offset = offset;
    call->gradient = gradient;
    call->family = (uint8_t)family_find(op);
    if (kind == CALL_MODULE) {
        struct str type;
        if (str_split(rest, '.', &type, &rest))
            call->scope = dump_scope(d, rest);
        if (call->family == FAMILY_OTHER)
            call->family = FAMILY_MODULE;
    }
    return c;
}

/* ---- values ---- */

/* One call being appended: where in it we are. */
struct fill {
    struct dump *d;
    struct state *st;
    uint32_t call;
    struct buf slot;
    enum row_io io;
};

static void compact(struct buf *out, const cJSON *v)
{
    double x;
    char tmp[NUM_MAX];
    if (json_number(v, &x)) {
        buf_cstr(out, num_exact(tmp, x));
    } else if (cJSON_IsString(v)) {
        buf_cstr(out, v->valuestring);
    } else if (cJSON_IsBool(v)) {
        buf_cstr(out, cJSON_IsTrue(v) ? "true" : "false");
    } else if (cJSON_IsArray(v) || cJSON_IsObject(v)) {
        bool object = cJSON_IsObject(v);
        buf_char(out, object ? '{' : '[');
        for (const cJSON *it = v->child; it; it = it->next) {
            if (object)
                buf_fmt(out, "%s:", it->string);
            compact(out, it);
            if (it->next)
                buf_char(out, ',');
        }
        buf_char(out, object ? '}' : ']');
    } else {
        buf_cstr(out, "null");
    }
}

static const char *kept_text(struct fill *f, const cJSON *v)
{
    struct buf b = {0};
    compact(&b, v);
    const char *s = arena_cstr(&f->d->arena, buf_view(&b));
    buf_release(&b);
    return s;
}

static struct row blank_row(struct fill *f, enum row_kind kind)
{
    return (struct row){
        .slot = dump_slot(f->d, buf_view(&f->slot)),
        .shape = NONE,
        .extra = NONE,
        .io = (uint8_t)f->io,
        .kind = (uint8_t)kind,
    };
}

static void scalar_row(struct fill *f, const char *type, const cJSON *value)
{
    enum row_kind kind = ROW_OTHER;
    double v = 0;
    bool number = value && json_number(value, &v);
    if (!value || cJSON_IsNull(value))
        kind = ROW_NULL;
    else if (cJSON_IsBool(value)) {
        kind = ROW_BOOL;
        v = cJSON_IsTrue(value);
    } else if (strcmp(type, "int") == 0 && number)
        kind = ROW_INT;
    else if (number)
        kind = ROW_FLOAT;
    else if (strcmp(type, "str") == 0)
        kind = ROW_STR;
    else if (str_ends(str_of(type), ".dtype"))
        kind = ROW_DTYPE;
    struct row r = blank_row(f, kind);
    if (kind != ROW_NULL)
        r.text = kept_text(f, value);
    r.stat[STAT_MAX] = v;
    if (kind == ROW_INT || kind == ROW_FLOAT || kind == ROW_BOOL)
        r.has = HAS_MAX;
    if (kind == ROW_DTYPE)
        r.dtype = (uint8_t)dtype_find(str_of(r.text));
    dump_add_row(f->d, f->call, r);
}

static void figure(struct row *r, const cJSON *v, int stat, int bit)
{
    double x;
    if (cJSON_IsBool(v))
        x = cJSON_IsTrue(v);
    else if (!json_number(v, &x))
        return;
    r->stat[stat] = x;
    r->has |= (uint8_t)bit;
}

static void shape_of(struct fill *f, struct row *r, const cJSON *v)
{
    int64_t dim[TENSOR_DIMS];
    int n = 0;
    for (const cJSON *it = v->child; it; it = it->next) {
        if (n == TENSOR_DIMS || !cJSON_IsNumber(it))
            return;
        dim[n++] = it->valuedouble >= 0 && it->valuedouble < 1e15 ? (int64_t)it->valuedouble : -1;
    }
    r->shape = dump_shape(f->d, dim, n);
    if (r->shape != NONE)
        r->has |= HAS_SHAPE;
}

/* A row's file is named after it, so the name need not be kept; any other name is, and is checked
 * when it is opened. */
static void file_of(struct fill *f, struct row *r, const char *data_name)
{
    struct str call = dump_call_name(f->d, f->call), s = str_of(data_name);
    r->has |= HAS_FILE;
    if (str_starts(s, call.p) && s.p[call.n] == '.') {
        struct str rest = str_cut(s, call.n + 1);
        if (str_starts(rest, f->slot.p) && str_is(str_cut(rest, f->slot.n), f->st->ext))
            return;
    }
    struct row_extra x = {.file = arena_cstr(&f->d->arena, s)};
    vec_push(&f->d->extras, x);
    r->extra = (uint32_t)f->d->extras.n - 1;
}

static void tensor_row(struct fill *f, const cJSON *v)
{
    struct row r = blank_row(f, ROW_TENSOR);
    for (const cJSON *it = v->child; it; it = it->next) {
        const char *k = it->string;
        if (strcmp(k, "dtype") == 0 && cJSON_IsString(it))
            r.dtype = (uint8_t)dtype_find(str_of(it->valuestring));
        else if (strcmp(k, "shape") == 0)
            shape_of(f, &r, it);
        else if (strcmp(k, "Max") == 0)
            figure(&r, it, STAT_MAX, HAS_MAX);
        else if (strcmp(k, "Min") == 0)
            figure(&r, it, STAT_MIN, HAS_MIN);
        else if (strcmp(k, "Mean") == 0)
            figure(&r, it, STAT_MEAN, HAS_MEAN);
        else if (strcmp(k, "Norm") == 0)
            figure(&r, it, STAT_NORM, HAS_NORM);
        else if (strcmp(k, "md5") == 0 && cJSON_IsString(it)) {
            r.text = arena_cstr(&f->d->arena, str_of(it->valuestring));
            r.has |= HAS_CHECKSUM;
            f->d->checksums = true;
        } else if (strcmp(k, "data_name") == 0 && cJSON_IsString(it) && strcmp(it->valuestring, "-1") != 0)
            file_of(f, &r, it->valuestring);
    }
    dump_add_row(f->d, f->call, r);
}

static void value(struct fill *f, const cJSON *v)
{
    if (cJSON_IsObject(v)) {
        const cJSON *type = cJSON_GetObjectItemCaseSensitive(v, "type");
        if (cJSON_IsString(type)) {
            if (str_ends(str_of(type->valuestring), "Tensor") ||
                (cJSON_HasObjectItem(v, "dtype") && cJSON_HasObjectItem(v, "shape")))
                tensor_row(f, v);
            else
                scalar_row(f, type->valuestring, cJSON_GetObjectItemCaseSensitive(v, "value"));
            return;
        }
    }
    if (cJSON_IsArray(v) || cJSON_IsObject(v)) {
        size_t stem = f->slot.n;
        int i = 0;
        for (const cJSON *it = v->child; it; it = it->next, i++) {
            if (stem)
                buf_char(&f->slot, '.');
            if (cJSON_IsObject(v))
                buf_cstr(&f->slot, it->string);
            else
                buf_count(&f->slot, (unsigned long long)i);
            value(f, it);
            f->slot.n = stem;
            f->slot.p[stem] = 0;
        }
        return;
    }
    scalar_row(f, cJSON_IsString(v) ? "str" : "number", v);
}

static void section(struct fill *f, const char *name, enum row_io io, const cJSON *v)
{
    buf_clear(&f->slot);
    buf_cstr(&f->slot, name);
    f->io = io;
    value(f, v);
}

static const struct {
    const char *key, *slot;
    enum row_io io;
} sections[] = {
    {"input_args", "input", IO_INPUT},
    {"input_kwargs", "input", IO_INPUT},
    {"input", "input", IO_INPUT},
    {"output", "output", IO_OUTPUT},
    {"parameters", "parameters", IO_PARAMETER},
};

static void add_record(struct fill *f, struct str name, uint64_t offset, const cJSON *record)
{
    f->call = msprobe_add_call(f->d, name, offset);
    bool gradient = f->d->calls.v[f->call].gradient;
    for (const cJSON *it = record->child; it; it = it->next) {
        if (gradient) {
            /* {"weight": [tensor]}: the list of one is the tensor */
            bool single = cJSON_IsArray(it) && it->child && !it->child->next;
            section(f, it->string, IO_GRADIENT, single ? it->child : it);
            continue;
        }
        for (size_t s = 0; s < ARRAY_LEN(sections); s++)
            if (strcmp(it->string, sections[s].key) == 0)
                section(f, sections[s].slot, sections[s].io, it);
    }
}

/* ---- dump.json ---- */

struct record {
    struct str name;
    uint64_t offset;
    cJSON *tree; /* NULL: damaged, why says how */
    const char *why;
};

static void flush(struct fill *f, struct record *batch, size_t n, struct load *load)
{
    load_begin(load);
    for (size_t i = 0; i < n; i++) {
        struct record *r = &batch[i];
        if (r->tree) {
            add_record(f, r->name, r->offset, r->tree);
        } else {
            uint32_t c = msprobe_add_call(f->d, r->name, r->offset);
            struct row row = {.slot = dump_slot(f->d, STR("")), .shape = NONE, .extra = NONE, .kind = ROW_NULL};
            dump_problem(f->d, dump_add_row(f->d, c, row), "damaged", r->why);
        }
    }
    load_end(load);
}

static void top_member(struct dump *d, const struct jmember *m)
{
    static const struct {
        const char *key;
        size_t at;
    } fields[] = {
        {"task", offsetof(struct dump, task)},
        {"level", offsetof(struct dump, level)},
        {"framework", offsetof(struct dump, framework)},
    };
    for (size_t i = 0; i < ARRAY_LEN(fields); i++)
        if (str_is(m->key, fields[i].key) && m->value.n > 2 && m->value.p[0] == '"') {
            const char *s = arena_cstr(&d->arena, str_n(m->value.p + 1, m->value.n - 2));
            memcpy((char *)d + fields[i].at, &s, sizeof s);
        }
}

static int read_calls(struct dump *d, struct state *st, const char *path, struct load *load, struct err *e)
{
    struct jspan j;
    struct jmember m;
    struct fill f = {.d = d, .st = st};
    struct record batch[BATCH];
    struct arena names = {0};
    struct json_pool pool;
    size_t n = 0, total = 0;
    int rc;
    if (jspan_open(&j, path, "data", e))
        return -1;
    json_pool_enter(&pool);
    d->bytes = j.file.size;
    while ((rc = jspan_next(&j, &m, e)) == 1) {
        if (!m.inside) {
            load_begin(load);
            top_member(d, &m);
            load_end(load);
            if (strcmp(d->framework, "mindspore") == 0)
                st->ext = ".npy";
            continue;
        }
        struct err why;
        struct record r = {.name = arena_str(&names, m.key), .offset = m.offset};
        if (m.too_long)
            err_at(&why, path, m.offset, _("a call's record of more than 32 MB was passed over"));
        else
            r.tree = json_parse(m.value, m.special, path, m.offset, &why);
        if (r.tree && !cJSON_IsObject(r.tree)) {
            cJSON_Delete(r.tree);
            r.tree = NULL;
            err_at(&why, path, m.offset, _("a call's record was expected here: an object"));
        }
        if (!r.tree)
            r.why = arena_cstr(&names, str_of(why.text));
        batch[n++] = r;
        total++;
        d->bytes_done = j.base + j.at;
        if (n == BATCH) {
            flush(&f, batch, n, load);
            arena_clear(&names);
            json_pool_clear(&pool);
            n = 0;
            if (load_cancelled(load)) {
                rc = err_set(e, ERR_CANCEL, "%s", _("stopped"));
                break;
            }
        }
    }
    flush(&f, batch, n, load);
    json_pool_leave(&pool);
    if (rc < 0 && e->code == ERR_DATA && total) {
        /* the rest is lost, what stands before it is not */
        struct buf text = {0};
        buf_fmt(&text, _("%s; the %zu calls before it were read"), e->text, total);
        load_begin(load);
        dump_problem(d, NONE, "damaged", text.p);
        load_end(load);
        buf_release(&text);
        rc = 0;
    }
    arena_release(&names);
    buf_release(&f.slot);
    jspan_close(&j);
    return rc;
}

/* ---- stack.json ---- */

static uint32_t add_stack(struct dump *d, const cJSON *frames)
{
    struct stack s = {.first = (uint32_t)d->stack_frames.n};
    for (const cJSON *it = frames->child; it; it = it->next)
        if (cJSON_IsString(it)) {
            vec_push(&d->stack_frames, dump_frame(d, str_of(it->valuestring)));
            s.n++;
        }
    vec_push(&d->stacks, s);
    return (uint32_t)d->stacks.n - 1;
}

static void set_stack(struct dump *d, struct str call, uint32_t stack)
{
    uint32_t c = map_get(&d->call_names, call);
    if (c != MAP_NONE)
        d->calls.v[c].stack = stack;
}

/* {"0": [[calls …], [frames …]]} since 26.0, {"call": [frames …]} before. */
static void stack_record(struct dump *d, struct str key, const cJSON *v)
{
    const cJSON *names = v->child, *frames = names ? names->next : NULL;
    if (cJSON_IsArray(names) && cJSON_IsArray(frames)) {
        uint32_t s = add_stack(d, frames);
        for (const cJSON *it = names->child; it; it = it->next)
            if (cJSON_IsString(it))
                set_stack(d, str_of(it->valuestring), s);
    } else if (cJSON_IsArray(v)) {
        set_stack(d, key, add_stack(d, v));
    }
}

/* Walks a side file of the dump member by member; its absence or damage is a problem, not an error. */
static void side_file(struct dump *d, struct state *st, const char *name, struct load *load,
                      void (*record)(struct dump *, struct str, const cJSON *))
{
    struct buf path = {0};
    struct jspan j;
    struct jmember m;
    struct err e;
    path_join(&path, st->dir, name);
    int rc = jspan_open(&j, path.p, NULL, &e);
    if (rc == 0) {
        struct json_pool pool;
        json_pool_enter(&pool);
        while ((rc = jspan_next(&j, &m, &e)) == 1 && !load_cancelled(load)) {
            cJSON *v = json_parse(m.value, m.special, path.p, m.offset, &e);
            load_begin(load);
            if (v)
                record(d, m.key, v);
            else
                dump_problem(d, NONE, "damaged", e.text);
            load_end(load);
            json_pool_clear(&pool);
        }
        json_pool_leave(&pool);
        jspan_close(&j);
    }
    if (rc < 0) {
        load_begin(load);
        dump_problem(d, NONE, e.code == ERR_IO ? "missing-file" : "damaged", e.text);
        load_end(load);
    }
    buf_release(&path);
}

/* ---- construct.json ---- */

static void construct_record(struct dump *d, struct str key, const cJSON *v)
{
    uint32_t c = map_get(&d->call_names, key);
    if (c == MAP_NONE || !cJSON_IsString(v))
        return;
    uint32_t p = map_get(&d->call_names, str_of(v->valuestring));
    if (p == MAP_NONE || p == c)
        return;
    d->calls.v[c].parent = p;
    if (d->calls.v[c].scope == NONE)
        d->calls.v[c].scope = d->calls.v[p].scope;
}

/* ---- the reader ---- */

static void close_dump(struct dump *d)
{
    struct state *st = d->state;
    free(st->dir);
    free(st->tensor_dir);
    free(st);
    d->state = NULL;
}

static int open_dump(struct dump *d, struct load *load, struct err *e)
{
    struct state *st = mem_zalloc(sizeof *st);
    struct buf path = {0};
    bool folder = path_is_dir(d->path);
    struct str dir = folder ? str_of(d->path) : path_parent(str_of(d->path));
    buf_str(&path, dir.n ? dir : STR("."));
    st->dir = mem_strdup(path.p);
    path_join(&path, st->dir, "dump_tensor_data");
    st->tensor_dir = mem_strdup(path.p);
    st->ext = ".pt";
    d->state = st;
    if (folder)
        path_join(&path, st->dir, "dump.json");
    int rc = read_calls(d, st, folder ? path.p : d->path, load, e);
    buf_release(&path);
    if (rc)
        return -1;
    load_begin(load);
    if (strcmp(d->task, "statistics") == 0 && d->checksums)
        d->task = "md5"; /* the file itself says statistics */
    load_end(load);
    side_file(d, st, "stack.json", load, stack_record);
    side_file(d, st, "construct.json", load, construct_record);
    load_begin(load);
    dump_link_twins(d);
    load_end(load);
    return 0;
}

static int open_tensor(const struct dump *d, uint32_t row, struct tensor *t, struct err *e)
{
    const struct state *st = d->state;
    const struct row *r = &d->rows.v[row];
    struct buf name = {0};
    if (r->extra != NONE && d->extras.v[r->extra].file) {
        buf_cstr(&name, d->extras.v[r->extra].file);
    } else {
        dump_row_name(d, row, &name);
        buf_cstr(&name, st->ext);
    }
    int rc = file_open_inside(&t->file, st->tensor_dir, name.p, e);
    if (rc == 0) {
        rc = str_ends(buf_view(&name), ".npy") ? npy_open(t, e) : pt_open(t, e);
        if (rc)
            file_close(&t->file);
    }
    buf_release(&name);
    return rc;
}

const struct reader reader_msprobe = {
    .name = "msprobe",
    .title = N_("msprobe dumps of PyTorch and MindSpore (levels L0, L1, mix; statistics, tensor, md5)"),
    .what = "dump.json stack.json construct.json dump_tensor_data/*.{pt,npy}",
    .probe = probe,
    .open = open_dump,
    .tensor = open_tensor,
    .close = close_dump,
};

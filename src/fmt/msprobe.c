/* msprobe dumps of PyTorch and MindSpore: dump.json (calls and figures) or debug.json (values saved by hand),
 * stack.json, construct.json (the tree of modules), dump_tensor_data/ROW.{pt,npy}. Layout and traps: doc/formats.md.
 *
 * dump.json is walked member by member, so its size does not matter; each call's record is parsed on
 * its own. What cannot be read costs that call its rows and nothing else. */
#include "fmt/msprobe.h"

#include <stdlib.h>

#include "base/msg.h"
#include "base/json_read.h"
#include "dump/cut_tensors.h"
#include "dump/recomputed.h"
#include "dump/lacking_figures.h"
#include "dump/row_contradictions.h"
#include "fmt/npy.h"
#include "fmt/pt.h"

#define BATCH 256
#define FORETOLD (4 << 20) /* the most calls or rows reserved in advance */
#define AHEAD 4 /* prefetch distance in calls: about the memory latency */

/* One folder: the dump's own, or one of a partly compiled run (graph/…, pynative/…). */
struct dump_part {
    char *dir;        /* dump.json lies there */
    char *tensor_dir; /* …/dump_tensor_data */
    const char *ext;  /* ".pt" or ".npy": extension of tensor files named after their row */
};

struct msprobe_state {
    VEC(struct dump_part) parts; /* row_extra.part is the index; 0 for rows without a file */
    uint32_t named, module;      /* construct.json: the call named last and its module */
    uint32_t stacked;            /* stack.json: the call named last */
};

static const char *const main_files[] = {"dump.json", "debug.json"};

/* ---- recognising ---- */

static bool is_dump_file(const char *path)
{
    char head[4096];
    struct str s = str_ends(str_of(path), ".json") ? file_head(path, head, sizeof head) : (struct str){0};
    if (!s.p)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(main_files); i++)
        if (str_is(path_base(str_of(path)), main_files[i]))
            return true;
    return str_has(s, "\"task\"") && str_has(s, "\"level\"") &&
           (str_has(s, "\"dump_data_dir\"") || str_has(s, "\"data\""));
}

/* Sets out to the folder's file of calls, or to dump.json if there is none. */
static void main_file(const char *dir, struct buf *out)
{
    for (size_t i = 0; i < ARRAY_LEN(main_files); i++) {
        path_join(out, dir, main_files[i]);
        if (path_is_file(out->p))
            return;
    }
    path_join(out, dir, main_files[0]);
}

static bool msprobe_probe_folder(struct folder *f)
{
    for (size_t i = 0; i < ARRAY_LEN(main_files); i++)
        if (folder_has_file(f, main_files[i]))
            return true;
    return false;
}

/* ---- dump.json ---- */

struct stack_record {
    struct str name;
    uint64_t offset;
    cJSON *tree; /* NULL: damaged, see why */
    const char *why;
};

static void flush_stacks(struct msprobe_fill *f, struct stack_record *batch, size_t n, struct load *load)
{
    load_begin(load);
    for (size_t i = 0; i < n; i++) {
        struct stack_record *r = &batch[i];
        if (i + AHEAD < n)
            map_expect(&f->d->call_names, batch[i + AHEAD].name);
        if (r->tree) {
            msprobe_add_record(f, r->name, r->offset, r->tree);
        } else {
            uint32_t c = msprobe_add_call(f->d, r->name, r->offset);
            struct row row = {.slot = dump_slot(f->d, STR("")), .shape = NONE, .extra = NONE, .kind = ROW_NULL};
            dump_problem(f->d, dump_add_row(f->d, c, row), "damaged", r->why);
        }
    }
    load_end(load);
}

/* Reports a value of an unexpected type, as far as its first byte shows it. */
static void odd_member(struct dump *d, const char *path, const struct json_member *m, const char *expected)
{
    struct err e, quiet;
    if (str_is(m->value, "null"))
        return;
    cJSON *v = json_parse(m->value, m->special, path, m->offset, &quiet);
    err_at(&e, path, m->offset, _("\"%.*s\": expected %s, found %s"), STR_ARG(m->key), expected, json_kind(v));
    dump_problem(d, NONE, "damaged", e.text);
}

static void top_member(struct dump *d, const char *path, const struct json_member *m)
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
        if (str_is(m->key, fields[i].key) && m->value.n && m->value.p[0] != '"') {
            odd_member(d, path, m, _("a text"));
        } else if (str_is(m->key, fields[i].key) && m->value.n > 2) {
            const char *s = arena_cstr(&d->arena, str_n(m->value.p + 1, m->value.n - 2));
            memcpy((char *)d + fields[i].at, &s, sizeof s);
        }
    if (str_is(m->key, "data")) /* an object's members would have been returned one by one */
        odd_member(d, path, m, _("an object"));
}

/* Whether a value is neither an object nor another valid record for this name. */
static bool is_misplaced(struct str name, const cJSON *v)
{
    return !cJSON_IsObject(v) && !json_is_repeat(v) && !str_ends(name, ".debug");
}

/* Reserves memory for the remaining calls and rows, assuming that they are like the first batch. */
static void reserve_ahead(struct dump *d, uint64_t before, struct load *load)
{
    double read = (double)(d->bytes_done - before), left = (double)(d->bytes - d->bytes_done);
    double calls = BATCH * left / (read + 1), rows = calls * (double)d->rows.n / (double)d->calls.n;
    load_begin(load);
    if (calls < FORETOLD && rows < FORETOLD)
        dump_expect(d, (size_t)calls, (size_t)rows);
    load_end(load);
}

static int read_calls(struct dump *d, size_t part, const char *path, struct load *load, struct err *e)
{
    struct msprobe_state *st = d->state;
    struct json_members j;
    struct json_member m;
    struct msprobe_fill f = {.d = d, .path = path, .ext = st->parts.v[part].ext, .part = (uint16_t)part};
    struct stack_record batch[BATCH];
    struct arena names = {0};
    struct json_pool pool;
    f.templates = &pool.templates;
    size_t n = 0, total = 0;
    int rc;
    if (json_members_open(&j, path, "data", e))
        return -1;
    json_pool_enter(&pool);
    json_pool_repeats(&pool, msprobe_varying);
    j.trees = true;
    uint64_t before = d->bytes;
    d->bytes += j.file.size;
    while ((rc = json_members_next(&j, &m, e)) == 1) {
        if (!m.inside) {
            load_begin(load);
            top_member(d, path, &m);
            load_end(load);
            if (strcmp(d->framework, "mindspore") == 0)
                f.ext = st->parts.v[part].ext = ".npy";
            continue;
        }
        struct err why;
        struct stack_record r = {.name = arena_str(&names, m.key), .offset = m.offset};
        if (m.too_long)
            err_at(&why, path, m.offset, _("a call's record of more than 32 MB was skipped"));
        else
            r.tree = json_member_tree(&m, path, &why);
        if (r.tree && is_misplaced(r.name, r.tree)) {
            cJSON_Delete(r.tree);
            r.tree = NULL;
            err_at(&why, path, m.offset, _("expected a call's record: an object"));
        }
        if (!r.tree)
            r.why = arena_cstr(&names, str_of(why.text));
        batch[n++] = r;
        total++;
        d->bytes_done = before + j.base + j.at;
        if (n == BATCH) {
            flush_stacks(&f, batch, n, load);
            if (total == BATCH)
                reserve_ahead(d, before, load);
            arena_clear(&names);
            json_pool_clear(&pool);
            n = 0;
            if (load_cancelled(load)) {
                rc = err_set(e, ERR_CANCEL, "%s", _("stopped"));
                break;
            }
        }
    }
    flush_stacks(&f, batch, n, load);
    json_pool_leave(&pool);
    if (rc < 0 && e->code == ERR_DATA && total) {
        /* only the rest is lost */
        struct buf text = {0};
        buf_fmt(&text, _("%s; the %zu calls before it were read"), e->text, total);
        load_begin(load);
        dump_problem(d, NONE, "damaged", text.p);
        d->cut = true;
        load_end(load);
        buf_release(&text);
        rc = 0;
    }
    arena_release(&names);
    buf_release(&f.slot);
    json_members_close(&j);
    return rc;
}

/* ---- stack.json ---- */

static bool are_texts(const cJSON *list)
{
    for (const cJSON *it = list->child; it; it = it->next)
        if (!cJSON_IsString(it))
            return false;
    return true;
}

/* An unknown call is skipped. */
static void set_stack(struct dump *d, struct str name, uint32_t stack)
{
    struct msprobe_state *st = d->state;
    uint32_t c = dump_find_call(d, name, st->stacked);
    if (c == NONE)
        return;
    d->calls.v[c].stack = stack;
    st->stacked = c;
}

/* {"0": [[calls …], [frames …]]} since 26.0, {"call": [frames …]} before. */
static const char *stack_record(struct dump *d, struct str key, const cJSON *v, struct json_texts *texts)
{
    const cJSON *names = v->child, *frames = names ? names->next : NULL;
    bool pair = cJSON_IsArray(names) && cJSON_IsArray(frames);
    if (pair ? !are_texts(names) || !are_texts(frames) : cJSON_IsArray(v) && !are_texts(v))
        return _("texts alone in a list");
    if (pair) {
        uint32_t s = msprobe_add_stack(d, frames, texts);
        for (const cJSON *it = names->child; it; it = it->next)
            if (cJSON_IsString(it))
                set_stack(d, str_of(it->valuestring), s);
    } else if (cJSON_IsArray(v)) {
        set_stack(d, key, msprobe_add_stack(d, v, texts));
    } else {
        return _("a list");
    }
    return NULL;
}

/* Reads a side file of the dump member by member (record returns NULL, or what was expected in place of v); its
 * absence or damage is a problem, not an error. Values saved by hand have no side files. */
static void side_file(struct dump *d, const char *dir, const char *name, struct load *load,
                      const char *(*record)(struct dump *, struct str, const cJSON *, struct json_texts *))
{
    struct buf path = {0};
    struct json_members j;
    struct json_member m;
    struct err e;
    size_t n = 0;
    path_join(&path, dir, name);
    int rc = json_members_open(&j, path.p, NULL, &e);
    if (rc == 0) {
        struct json_pool pool;
        json_pool_enter(&pool);
        json_pool_texts(&pool);
        j.trees = true;
        while ((rc = json_members_next(&j, &m, &e)) == 1 && !load_cancelled(load)) {
            cJSON *v = json_member_tree(&m, path.p, &e);
            load_begin(load);
            const char *expected = v ? record(d, m.key, v, &pool.texts) : NULL;
            if (expected)
                err_at(&e, path.p, m.offset, _("\"%.*s\": expected %s, found %s"), STR_ARG(m.key), expected,
                       json_kind(v));
            if (!v || expected)
                dump_problem(d, NONE, "damaged", e.text);
            load_end(load);
            if (++n % BATCH == 0)
                json_pool_clear(&pool);
        }
        json_pool_leave(&pool);
        json_members_close(&j);
    }
    if (rc < 0 && !(e.code == ERR_IO && strcmp(d->level, "debug") == 0)) {
        load_begin(load);
        dump_problem(d, NONE, e.code == ERR_IO ? "missing-file" : "damaged", e.text);
        load_end(load);
    }
    buf_release(&path);
}

/* ---- construct.json ---- */

/* {"call": "module"|null}; in a run of Megatron ["module", micro step]. */
static const char *construct_record(struct dump *d, struct str key, const cJSON *v, struct json_texts *texts)
{
    struct msprobe_state *st = d->state;
    uint32_t c = st->named = dump_find_call(d, key, st->named);
    if (cJSON_IsArray(v))
        v = v->child;
    if (v && !cJSON_IsString(v) && !cJSON_IsNull(v))
        return _("a text");
    if (c == NONE || !cJSON_IsString(v))
        return NULL;
    uint32_t none = NONE, *known = v->valueint ? &texts->text.v[v->valueint].user : &none;
    if (*known == NONE)
        *known = st->module = dump_find_call(d, str_of(v->valuestring), st->module);
    uint32_t p = *known;
    if (p == NONE || p == c)
        return NULL;
    d->calls.v[c].parent = p;
    if (d->calls.v[c].scope == NONE)
        d->calls.v[c].scope = d->calls.v[p].scope;
    return NULL;
}

/* ---- the reader ---- */

static void msprobe_close_dump(struct dump *d)
{
    struct msprobe_state *st = d->state;
    for (size_t i = 0; i < st->parts.n; i++) {
        free(st->parts.v[i].dir);
        free(st->parts.v[i].tensor_dir);
    }
    vec_release(&st->parts);
    free(st);
    d->state = NULL;
}

/* hidden_grad.0.debug is the gradient of hidden.0.debug. */
static void link_saved(struct dump *d)
{
    struct buf b = {0};
    for (uint32_t c = 0; c < d->calls.n; c++) {
        struct str name = dump_call_name(d, c), tail;
        ptrdiff_t end = str_ends(name, ".debug") ? str_rfind(str_n(name.p, name.n - strlen(".debug")), '.') : -1;
        if (end < 0 || !str_ends(str_n(name.p, (size_t)end), "_grad"))
            continue;
        tail = str_cut(name, (size_t)end);
        buf_clear(&b);
        buf_str(&b, str_n(name.p, (size_t)end - strlen("_grad")));
        buf_str(&b, tail);
        dump_link_twin(d, c, buf_view(&b));
    }
    buf_release(&b);
}

static int open_part(struct dump *d, const char *given, struct load *load, struct err *e)
{
    struct msprobe_state *st = d->state;
    struct buf path = {0};
    bool folder = path_is_dir(given);
    struct str dir = folder ? str_of(given) : path_parent(str_of(given));
    struct dump_part p = {.dir = str_dup(dir.n ? dir : STR(".")), .ext = ".pt"};
    path_join(&path, p.dir, "dump_tensor_data");
    p.tensor_dir = mem_strdup(path.p);
    load_begin(load);
    vec_push(&st->parts, p);
    load_end(load);
    if (folder)
        main_file(p.dir, &path);
    int rc = read_calls(d, st->parts.n - 1, folder ? path.p : given, load, e);
    buf_release(&path);
    if (rc)
        return -1;
    side_file(d, p.dir, "stack.json", load, stack_record);
    side_file(d, p.dir, "construct.json", load, construct_record);
    return 0;
}

static int msprobe_open_dump(struct dump *d, struct load *load, struct err *e)
{
    load_begin(load);
    d->state = mem_zalloc(sizeof(struct msprobe_state));
    load_end(load);
    for (size_t i = 0; i < d->part_count; i++)
        if (open_part(d, d->parts[i], load, e))
            return -1;
    load_begin(load);
    if (strcmp(d->task, "statistics") == 0 && d->checksums)
        d->task = "md5"; /* the file itself says statistics */
    dump_link_twins(d);
    dump_link_recomputed(d);
    link_saved(d);
    cut_tensors_find(d);
    lacking_figures_find(d);
    row_contradictions_find(d);
    gradient_sizes_find(d);
    load_end(load);
    return 0;
}

static int msprobe_open_tensor(const struct dump *d, uint32_t row, struct tensor *t, struct err *e)
{
    const struct msprobe_state *st = d->state;
    const struct row *r = &d->rows.v[row];
    const struct row_extra *x = r->extra == NONE ? NULL : &d->extras.v[r->extra];
    const struct dump_part *p = &st->parts.v[x ? x->part : 0];
    struct buf name = {0};
    if (x && x->file) {
        buf_cstr(&name, x->file);
    } else {
        dump_row_name(d, row, &name);
        buf_cstr(&name, p->ext);
    }
    int rc = file_open_inside(&t->file, p->tensor_dir, name.p, e);
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
    .title = N_("msprobe dumps of PyTorch and MindSpore (levels L0, L1, mix, debug; statistics, tensor, md5)"),
    .what = "dump.json stack.json construct.json debug.json dump_tensor_data/*.{pt,npy}",
    .versions = "msprobe to 26.2",
    .unread = N_("dump_error_info.log; the operators of level L2 are read as mindspore-dump"),
    .probe = is_dump_file,
    .probe_folder = msprobe_probe_folder,
    .open = msprobe_open_dump,
    .tensor = msprobe_open_tensor,
    .arguments = true,
    .close = msprobe_close_dump,
};

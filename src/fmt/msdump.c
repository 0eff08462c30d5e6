/* MindSpore's own Dump: statistic.csv, mapping.csv and OP.….npy files of one iteration, in the synchronous,
 * asynchronous and PyNative layouts. Layout, columns of every version and traps: doc/formats.md.
 *
 * Rows come in the order of statistic.csv (kernel launches), or of the files' time stamps where only
 * tensors were saved. An operator that runs again within the iteration becomes "NAME#2". */
#include "fmt/msdump.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/threads.h"
#include "dump/row_contradictions.h"
#include "fmt/cann_dump.h"
#include "fmt/npy.h"
#include "fmt/sheet.h"
#include "dump/tensor_files.h"

#define ENTRIES 4000000
#define BATCH 4096

struct msdump_state {
    name_list dirs; /* one per part; row_extra.part is the index */
};

/* ---- file names ---- */

/* {op_type}.{op_name}.{task}.{stream}.{time}.{input|output}.{slot}.{format}[.{dtype}].npy */
struct file_name {
    struct str type, op, io, slot, dtype;
    unsigned long long task, stream, time;
};

static bool all_digits(struct str s)
{
    unsigned long long v;
    return str_u64(s, &v);
}

static bool parse_file_name(struct str s, struct file_name *f)
{
    struct str part[64];
    int n = 0, io = -1;
    if (!str_ends(s, ".npy"))
        return false;
    s.n -= 4;
    for (struct str rest = s; n < 64;) {
        bool again = str_split(rest, '.', &part[n++], &rest);
        if (!again)
            break;
    }
    for (int i = 5; i + 1 < n; i++)
        if ((str_is(part[i], "input") || str_is(part[i], "output")) && all_digits(part[i + 1]) &&
            str_u64(part[i - 1], &f->time) && str_u64(part[i - 2], &f->stream) && str_u64(part[i - 3], &f->task))
            io = i;
    if (io < 0)
        return false;
    f->type = part[0];
    f->op = str_n(part[1].p, (size_t)(part[io - 4].p + part[io - 4].n - part[1].p));
    f->io = part[io];
    f->slot = part[io + 1];
    f->dtype = io + 3 < n ? part[io + 3] : STR("");
    /* in the asynchronous PyNative mode (aclnn) operators have name and type exchanged */
    if (str_has(f->type, "-op") && !str_has(f->op, "-op")) {
        struct str swap = f->type;
        f->type = f->op;
        f->op = swap;
    }
    return true;
}

static bool is_overflow_json(struct str name)
{
    return msdump_is_overflow(name) && str_ends(name, ".json");
}

/* CANN's own file of one operator; overflow records, which have the same form of name, are read elsewhere. */
static bool binary_name(struct str name)
{
    return cann_name(name) && !msdump_is_overflow(name);
}

static bool msdump_probe(const char *path)
{
    return str_is(path_base(str_of(path)), "statistic.csv");
}

static bool msdump_probe_folder(struct folder *folder)
{
    struct file_name f;
    bool yes = folder_has_file(folder, "statistic.csv") || folder_has_file(folder, "mapping.csv");
    /* tensors only: a few names are sufficient */
    for (size_t i = 0, tried = 0; i < folder->entries.n && !yes; i++) {
        struct str name = str_of(folder->entries.v[i].name);
        bool number = name.n && name.p[0] >= '0' && name.p[0] <= '9'; /* a long name whose mapping.csv is missing */
        tried += !number;
        yes = (!number && tried <= 64 && (parse_file_name(name, &f) || binary_name(name))) || is_overflow_json(name);
    }
    return yes;
}

/* ---- .npy files ---- */

struct found {
    char *file; /* name on disk; NULL: the same as full */
    char *full; /* the name with all parts */
    struct file_name name;
    uint32_t order; /* position in the execution order, or MAP_NONE */
    size_t at;      /* position by time */
};
typedef VEC(struct found) found_list;

/* Tensors whose operator's name is not known. */
struct strays {
    size_t n;
    const char *first; /* in the dump's arena */
};

/* Sorts by time; files with the same microsecond (or without a time) by execution order. */
static int by_time(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->name.time != y->name.time)
        return x->name.time < y->name.time ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return name_cmp(x->full, y->full);
}

static int by_order(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    return x->order != y->order ? (x->order < y->order ? -1 : 1) : x->at < y->at ? -1 : x->at > y->at;
}

/* Whether an operator ran several times in this iteration, so that its position in the execution order is ambiguous. */
static bool any_repeated(const found_list *l)
{
    struct map seen = {0};
    struct arena keys = {0};
    bool repeated = false;
    for (size_t i = 0; i < l->n && !repeated; i++) {
        const struct file_name *f = &l->v[i].name;
        struct str key =
            str_of(arena_fmt(&keys, "%.*s.%.*s.%.*s.%.*s", STR_ARG(f->type), STR_ARG(f->op), STR_ARG(f->io),
                             STR_ARG(f->slot)));
        repeated = map_get(&seen, key) != MAP_NONE;
        map_set(&seen, key, 0);
    }
    map_release(&seen);
    arena_release(&keys);
    return repeated;
}

static void free_found(found_list *l, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(l->v[i].file);
        free(l->v[i].full);
    }
}

/* Of several runs of the program, keeps the files of the last one. The list is in the order of time. */
static void keep_last_run(struct dump *d, const char *dir, found_list *l)
{
    struct tensor_written *v = mem_alloc(l->n * sizeof *v);
    for (size_t i = 0; i < l->n; i++) {
        const struct file_name *f = &l->v[i].name;
        uint64_t key = hash_bytes(f->op.p, f->op.n, hash_bytes(f->type.p, f->type.n, 0));
        v[i].key = hash_bytes(f->slot.p, f->slot.n, hash_bytes(f->io.p, f->io.n, key));
        v[i].time = f->time;
    }
    size_t earlier = msdump_last_run(v, l->n);
    free(v);
    if (!earlier)
        return;
    free_found(l, earlier);
    l->n -= earlier;
    memmove(l->v, l->v + earlier, l->n * sizeof *l->v);
    msdump_tell_earlier(d, dir, earlier);
}

/* Of files in the order of time. Kernels write theirs after they have finished, on several threads; execution_order
 * gives the launch order. Files it does not list stay after their predecessor in time. */
static void sort_files(found_list *l)
{
    uint32_t last = 0, known = 0;
    for (size_t i = 0; i < l->n; i++)
        known += l->v[i].order != MAP_NONE;
    if (known < l->n / 2 || any_repeated(l))
        return;
    for (size_t i = 0; i < l->n; i++) {
        last = l->v[i].order != MAP_NONE ? l->v[i].order : last;
        l->v[i].order = last;
        l->v[i].at = i;
    }
    vec_sort(l, by_order);
}

static void add_found(struct dump *d, found_list *l, const char *file, const char *full, struct strays *none)
{
    struct found f = {.file = mem_strdup(file), .full = mem_strdup(full), .order = MAP_NONE};
    if (parse_file_name(str_of(f.full), &f.name)) {
        vec_push(l, f);
        return;
    }
    if (str_ends(str_of(file), ".npy") && none->n++ == 0)
        none->first = arena_cstr(&d->arena, str_of(file));
    free(f.file);
    free(f.full);
}

/* ---- CANN's binary files: each is read as if it were the .npy files that conversion makes of it ---- */

struct binary {
    char *file, *full; /* as in struct found */
    cann_tensors list;
    struct err err;
    bool failed;
};

struct binaries {
    const char *dir;
    VEC(struct binary) list;
};

static void read_binary(void *ctx, size_t i)
{
    struct binaries *b = ctx;
    struct binary *x = &b->list.v[i];
    struct file f;
    x->failed = file_open_inside(&f, b->dir, x->file, &x->err) != 0;
    if (x->failed)
        return;
    x->failed = cann_list(&f, &x->list, &x->err) != 0;
    file_close(&f);
}

/* The name conversion gives a tensor: the five parts of the operator's name, then which tensor it is. */
static void converted_name(const char *full, const struct cann_tensor *x, struct buf *out)
{
    struct str rest = str_of(full), part;
    const char *type = cann_type(x);
    buf_clear(out);
    for (int i = 0; i < 5; i++) {
        str_split(rest, '.', &part, &rest);
        buf_fmt(out, "%.*s.", STR_ARG(part));
    }
    buf_fmt(out, "%s.%u.%llu", x->output ? "output" : "input", x->slot, (unsigned long long)x->format);
    if (type && !str_starts(str_of(type), "complex")) /* their parts are real */
        buf_fmt(out, ".%s", type);
    buf_cstr(out, ".npy");
}

static void add_binaries(struct dump *d, struct binaries *b, found_list *l, struct load *load)
{
    struct buf name = {0};
    struct strays none = {0};
    threads_each(b->list.n, load ? &load->cancel : NULL, read_binary, b);
    for (size_t i = 0; i < b->list.n; i++) {
        struct binary *x = &b->list.v[i];
        if (x->failed)
            dump_problem(d, NONE, "damaged", x->err.text);
        for (size_t k = 0; k < x->list.n && !x->failed; k++) {
            converted_name(x->full, &x->list.v[k], &name);
            add_found(d, l, x->file, name.p, &none);
        }
        vec_release(&x->list);
        free(x->file);
        free(x->full);
    }
    vec_release(&b->list);
    buf_release(&name);
}

static void note_binary(struct binaries *b, const char *file, const char *full)
{
    struct binary x = {.file = mem_strdup(file), .full = mem_strdup(full)};
    vec_push(&b->list, x);
}

/* mapping.csv: names too long for the file system, "1217762083.npy,StridedSliceGrad.….npy" a row, no header. */
struct mapping_rows {
    struct dump *d;
    found_list *l;
    struct map *mapped;
    struct strays *none;
    struct binaries *binary;
    const char *path;
    struct err odd; /* of the first row that is none */
    bool any_odd;
};

static int mapped_row(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    struct mapping_rows *m = ctx;
    (void)e;
    if (n != 2) {
        if (!m->any_odd)
            err_line(&m->odd, m->path, line, _("expected %2$d fields, found %1$zu"), n, 2);
        m->any_odd = true;
        return 0;
    }
    const char *file = arena_cstr(&m->d->arena, str_trim(cell[0]));
    map_add(m->mapped, str_of(file), 0);
    if (binary_name(str_trim(cell[1])))
        note_binary(m->binary, file, arena_cstr(&m->d->arena, str_trim(cell[1])));
    else
        add_found(m->d, m->l, file, arena_cstr(&m->d->arena, str_trim(cell[1])), m->none);
    return 0;
}

/* A name that ends as none does is cut off. */
static int cut_row(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    struct mapping_rows *m = ctx;
    if (n == 2 && str_ends(str_trim(cell[1]), ".npy"))
        return mapped_row(ctx, cell, n, line, e);
    if (!m->any_odd)
        err_line(&m->odd, m->path, line, "%s", sheet_unended());
    m->any_odd = true;
    return 0;
}

static void add_mapped(struct dump *d, const char *path, found_list *l, struct map *mapped, struct strays *none,
                       struct binaries *binary)
{
    struct mapping_rows rows = {.d = d, .l = l, .mapped = mapped, .none = none, .binary = binary, .path = path};
    struct sheet_sink sink = {.row = mapped_row, .unended_row = cut_row, .ctx = &rows};
    struct file f;
    struct err e;
    if (!path_is_file(path))
        return;
    bool opened = file_open(&f, path, &e) == 0;
    if (!opened || sheet_read(&f, &sink, &e))
        dump_problem(d, NONE, "damaged", e.text);
    if (rows.any_odd)
        dump_problem(d, NONE, "damaged", rows.odd.text);
    if (opened)
        file_close(&f);
}

/* The name of an operator without its number: what its scope and type are. */
static struct str without_number(struct str name)
{
    size_t n = name.n;
    while (n && name.p[n - 1] >= '0' && name.p[n - 1] <= '9')
        n--;
    return str_ends(str_n(name.p, n), "-op") ? str_n(name.p, n) : name;
}

/* Places in the execution order by name. Where it does not list all numbers of a scope's operators of one type that the
 * dump has, a later pass of the compiler has numbered them anew: the same names are other operators there. */
static void find_order(const char *dir, found_list *l)
{
    struct map order = {0}, renumbered = {0};
    struct arena keys = {0};
    struct buf op = {0};
    msdump_read_order(dir, &order, &keys);
    for (size_t i = 0; order.n && i < l->n; i++) {
        msdump_plain_name(l->v[i].name.op, &op);
        l->v[i].order = map_get(&order, buf_view(&op));
        struct str kind = without_number(buf_view(&op));
        if (l->v[i].order == MAP_NONE && map_get(&renumbered, kind) == MAP_NONE)
            map_add(&renumbered, arena_str(&keys, kind), 1);
    }
    for (size_t i = 0; renumbered.n && i < l->n; i++) {
        msdump_plain_name(l->v[i].name.op, &op);
        if (map_get(&renumbered, without_number(buf_view(&op))) != MAP_NONE)
            l->v[i].order = MAP_NONE;
    }
    map_release(&renumbered);
    map_release(&order);
    arena_release(&keys);
    buf_release(&op);
}

/* Removes what mapping.csv names and the folder does not have: it is an index of names, and a value whose file was
 * never copied is not recorded, as one with a short name would be. */
static void drop_absent(struct dump *d, const char *path, const name_list *names, found_list *l)
{
    struct map here = {0};
    size_t named = l->n, n = 0;
    const char *first = NULL;
    for (size_t i = 0; i < names->n && l->n; i++)
        map_add(&here, str_of(names->v[i]), 0);
    for (size_t i = 0; i < l->n; i++) {
        /* a path is no file of this folder: its row says so */
        if (map_get(&here, str_of(l->v[i].file)) != MAP_NONE || strchr(l->v[i].file, '/'))
            l->v[n++] = l->v[i];
        else {
            first = first ? first : arena_cstr(&d->arena, str_of(l->v[i].file));
            free(l->v[i].file);
            free(l->v[i].full);
        }
    }
    l->n = n;
    if (first) {
        const char *text = arena_fmt(&d->arena,
                                     _("%s: %zu of the %zu files that it names are not in the folder, the first is %s; "
                                       "their values are not recorded"), path, named - n, named, first);
        dump_recorded(d, NONE, "missing-file", text);
        dump_warn(d, text);
    }
    map_release(&here);
}

static void list_files(struct dump *d, const char *dir, const name_list *names, found_list *l, struct strays *none,
                       struct load *load)
{
    struct map mapped = {0};
    struct buf path = {0};
    struct binaries binary = {.dir = dir};
    path_join(&path, dir, "mapping.csv");
    add_mapped(d, path.p, l, &mapped, none, &binary);
    drop_absent(d, path.p, names, l);
    for (size_t i = 0; i < names->n; i++)
        if (map_get(&mapped, str_of(names->v[i])) == MAP_NONE) {
            if (binary_name(str_of(names->v[i])))
                note_binary(&binary, names->v[i], names->v[i]);
            else
                add_found(d, l, names->v[i], names->v[i], none);
        }
    add_binaries(d, &binary, l, load);
    if (l->n) {
        find_order(dir, l);
        vec_sort(l, by_time);
        keep_last_run(d, dir, l);
        sort_files(l);
    }
    map_release(&mapped);
    buf_release(&path);
}

static void name_file(struct dump *d, uint32_t row, const char *file, size_t part)
{
    struct row *r = &d->rows.v[row];
    if (r->extra == NONE)
        r->extra = msdump_extra(d, (struct row_extra){0});
    d->extras.v[r->extra].file = arena_cstr(&d->arena, str_of(file));
    d->extras.v[r->extra].part = (uint16_t)part;
    r->has |= HAS_FILE;
}

/* The row of statistic.csv for a file beside it; the k-th file by time belongs to the k-th run. `seen` counts the
 * files of a name. */
static uint32_t row_of_file(struct dump *d, struct map *seen, const struct file_name *f, struct buf *name)
{
    buf_clear(name);
    buf_fmt(name, "%.*s.%.*s.%.*s.%.*s", STR_ARG(f->type), STR_ARG(f->op), STR_ARG(f->io), STR_ARG(f->slot));
    struct str key = arena_str(&d->arena, buf_view(name));
    uint32_t before = map_get(seen, key);
    for (uint32_t run = before == MAP_NONE ? 1 : before + 1;; run++) {
        map_set(seen, key, run);
        buf_clear(name);
        buf_fmt(name, "%.*s.%.*s", STR_ARG(f->type), STR_ARG(f->op));
        if (run > 1)
            buf_fmt(name, "#%u", run);
        buf_fmt(name, ".%.*s.%.*s", STR_ARG(f->io), STR_ARG(f->slot));
        uint32_t row = dump_find_row(d, buf_view(name));
        if (row == NONE || !(d->rows.v[row].has & HAS_FILE))
            return row;
    }
}

static void read_files(struct dump *d, const char *dir, const name_list *names, size_t part, bool have_table,
                       struct msdump_tasks *tasks, struct load *load)
{
    found_list l = {0};
    struct map runs = {0}, seen = {0};
    struct buf name = {0};
    struct strays none = {0};
    list_files(d, dir, names, &l, &none, load);
    d->bytes += l.n;
    load_begin(load);
    if (none.n)
        dump_warn(d, arena_fmt(&d->arena, _("%s: %zu .npy files skipped: no operator in their names or in mapping.csv, "
                                            "e.g. %s"), dir, none.n, none.first));
    for (size_t i = 0; i < l.n; i++) {
        const struct found *f = &l.v[i];
        uint32_t row = have_table ? row_of_file(d, &seen, &f->name, &name) : NONE;
        if (row == NONE) { /* tensors only; or a Parameter file, which has no table row */
            struct row r = {.shape = NONE, .extra = NONE, .kind = ROW_TENSOR};
            r.slot = msdump_slot(d, f->name.io, f->name.slot);
            r.io = str_is(f->name.io, "output") ? IO_OUTPUT : IO_INPUT;
            r.dtype = (uint8_t)dtype_find(f->name.dtype);
            row = dump_add_row(d, msdump_call(d, &runs, f->name.type, f->name.op, r.slot, 0), r);
        }
        msdump_task_add(tasks, f->name.stream, f->name.task, d->rows.v[row].call);
        name_file(d, row, f->file, part);
        d->task = "tensor";
        d->bytes_done++;
        if (i % BATCH == BATCH - 1) {
            load_end(load);
            load_begin(load);
        }
    }
    load_end(load);
    free_found(&l, l.n);
    vec_release(&l);
    map_release(&runs);
    map_release(&seen);
    buf_release(&name);
}

/* ---- the reader ---- */

static void msdump_close_dump(struct dump *d)
{
    struct msdump_state *st = d->state;
    name_list_release(&st->dirs);
    free(st);
    d->state = NULL;
}

struct header {
    uint32_t row;
    struct tensor_file file;
    enum dtype dtype;
    int ndim;
    int64_t shape[TENSOR_DIMS];
};

struct headers {
    const struct dump *d;
    VEC(struct header) list;
};

static void msdump_read_header(void *ctx, size_t i)
{
    struct headers *x = ctx;
    struct header *h = &x->list.v[i];
    struct tensor t;
    if (!tensor_file_open(&h->file, x->d, h->row, &t))
        return;
    h->ndim = t.ndim;
    h->dtype = t.dtype;
    memcpy(h->shape, t.shape, sizeof h->shape);
    tensor_close(&t);
}

static void take_header(struct dump *d, const struct header *h)
{
    struct row *r = &d->rows.v[h->row];
    const struct err *failed = h->file.failed;
    if (failed) {
        dump_problem(d, h->row, failed->code == ERR_IO ? "missing-file" : "damaged", failed->text);
        return;
    }
    r->shape = dump_shape(d, h->shape, h->ndim);
    if (r->shape != NONE)
        r->has |= HAS_SHAPE;
    if (r->dtype == DTYPE_UNKNOWN)
        r->dtype = (uint8_t)h->dtype;
}

/* Reads shapes and types of rows without a table row from the files' headers. */
static void read_headers(struct dump *d, struct load *load)
{
    struct headers x = {.d = d};
    for (uint32_t row = 0; row < d->rows.n; row++)
        if ((d->rows.v[row].has & HAS_FILE) && !(d->rows.v[row].has & HAS_SHAPE))
            vec_push(&x.list, ((struct header){.row = row}));
    threads_each(x.list.n, &load->cancel, msdump_read_header, &x);
    load_begin(load);
    for (size_t i = 0; i < x.list.n; i++) {
        if (x.list.v[i].file.tried)
            take_header(d, &x.list.v[i]);
        tensor_file_release(&x.list.v[i].file);
    }
    load_end(load);
    vec_release(&x.list);
}

static bool has_overflows(const name_list *names)
{
    for (size_t i = 0; i < names->n; i++)
        if (msdump_is_overflow(str_of(names->v[i])))
            return true;
    return false;
}

static int open_part(struct dump *d, const char *path, struct load *load, struct err *e)
{
    struct msdump_state *st = d->state;
    struct buf b = {0};
    bool folder = path_is_dir(path);
    struct str dir = folder ? str_of(path) : path_parent(str_of(path));
    buf_str(&b, dir.n ? dir : STR("."));
    vec_push(&st->dirs, mem_strdup(b.p));
    const char *kept = *vec_last(&st->dirs);
    path_join(&b, kept, "statistic.csv");
    bool table = path_is_file(b.p);
    int rc = 0;
    size_t before = d->rows.n;
    name_list names = {0};
    if (dir_list(kept, ENTRIES, &names, e)) {
        buf_release(&b);
        return -1;
    }
    struct msdump_tasks tasks = {.wanted = has_overflows(&names)};
    uint32_t first_call = (uint32_t)d->calls.n;
    if (table)
        d->digits = 6; /* precision of statistic.csv */
    if (table && msdump_read_table(d, b.p, &tasks, load, e)) {
        rc = -1;
        if (e->code == ERR_DATA && d->rows.n > before) { /* rows before the damage were read */
            load_begin(load);
            dump_problem(d, NONE, "damaged", e->text);
            load_end(load);
            rc = 0;
        }
    }
    if (rc == 0) {
        read_files(d, kept, &names, st->dirs.n - 1, table, &tasks, load);
        msdump_read_overflows(d, kept, &names, &tasks, load);
        msdump_read_trace(d, kept, first_call, load);
    }
    nmap_release(&tasks.calls);
    name_list_release(&names);
    buf_release(&b);
    return rc;
}

static int msdump_open_dump(struct dump *d, struct load *load, struct err *e)
{
    load_begin(load);
    d->state = mem_zalloc(sizeof(struct msdump_state));
    d->framework = "mindspore";
    d->level = "graph";
    d->task = "statistics";
    load_end(load);
    for (size_t i = 0; i < d->part_count; i++)
        if (open_part(d, d->parts[i], load, e))
            return -1;
    if (!d->rows.n && !d->problems.n)
        return err_set(e, ERR_DATA, _("%s: expected rows in statistic.csv or .npy files of MindSpore Dump, found none"),
                       d->path);
    load_begin(load);
    row_contradictions_find(d);
    load_end(load);
    read_headers(d, load);
    return 0;
}

/* The N of "output.N"; false: it is not below 2^32. */
static bool slot_number(const struct dump *d, uint32_t row, unsigned long long *n)
{
    struct str slot = str_of(d->slots.v[d->rows.v[row].slot]);
    ptrdiff_t dot = str_rfind(slot, '.');
    return dot >= 0 && str_u64(str_cut(slot, (size_t)dot + 1), n) && *n < UINT32_MAX;
}

static int msdump_open_tensor(const struct dump *d, uint32_t row, struct tensor *t, struct err *e)
{
    const struct msdump_state *st = d->state;
    const struct row_extra *x = &d->extras.v[d->rows.v[row].extra];
    unsigned long long slot;
    if (file_open_inside(&t->file, st->dirs.v[x->part], x->file, e))
        return -1;
    if (str_ends(str_of(x->file), ".npy") && npy_open(t, e) == 0)
        return 0;
    if (!str_ends(str_of(x->file), ".npy") && slot_number(d, row, &slot) &&
        cann_open(t, d->rows.v[row].io == IO_OUTPUT, (uint32_t)slot, e) == 0)
        return 0;
    file_close(&t->file);
    return -1;
}

const struct reader reader_msdump = {
    .name = "mindspore-dump",
    .title = N_("MindSpore Dump of one iteration (statistic.csv of all versions, .npy tensors), binary operator dumps of "
                "CANN (asynchronous Dump, acl_dump)"),
    .what = "statistic.csv OP.….npy MatMul.NAME.TASK.STREAM.1732082705000430 mapping.csv Opdebug.… graphs/*.ir",
    .versions = "MindSpore 2.0 to 2.10",
    .unread = N_("CANN's types of less than eight bits; .pb graphs; kernel arguments (.json)"),
    .probe = msdump_probe,
    .probe_folder = msdump_probe_folder,
    .open = msdump_open_dump,
    .finite_only = true, /* up to MindSpore 2.6 */
    .parts = true,
    .tensor = msdump_open_tensor,
    .close = msdump_close_dump,
};

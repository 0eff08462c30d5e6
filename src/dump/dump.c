/* Adds calls, rows, shapes and stack frames to a dump, links forward and backward calls, and gives names, shapes and
 * tensors of rows back. */
#include "dump/dump.h"

#include <stdlib.h>

#include "base/msg.h"
#include "dump/contradiction.h"
#include "dump/family.h"
#include "dump/reader.h"
#include "dump/step_before.h"

#define BEHIND 4   /* calls behind one just found that are examined before all are */
#define SCANNED 64 /* rows of a call that are examined one by one; few calls have more */

void dump_init(struct dump *d)
{
    *d = (struct dump){.framework = "", .level = "", .task = "", .step = -1, .rank = -1, .digits = 17, .joint = '.'};
}

void dump_share(struct dump *d, const struct dump *read)
{
    struct dump own = *d;
    *d = *read;
    d->shared = read;
    d->arena = own.arena;
    d->shown = own.shown;
    d->past = own.past;
    d->complete = false;
    memset(&d->rows, 0, sizeof d->rows);
    memset(&d->problems, 0, sizeof d->problems);
    memset(&d->warnings, 0, sizeof d->warnings);
    vec_room(&d->rows, read->rows.n);
    if (read->rows.n)
        memcpy(d->rows.v, read->rows.v, read->rows.n * sizeof *d->rows.v);
    d->rows.n = read->rows.n;
    for (size_t i = 0; i < read->problems.n; i++)
        vec_push(&d->problems, read->problems.v[i]);
    for (size_t i = 0; i < read->warnings.n; i++)
        vec_push(&d->warnings, read->warnings.v[i]);
}

static void release_own(struct dump *d)
{
    step_before_free(d->past);
    vec_release(&d->rows);
    vec_release(&d->problems);
    vec_release(&d->warnings);
    if (!d->shared || d->sketch != d->shared->sketch) /* a digest's are what was read */
        free(d->sketch);
    arena_release(&d->arena);
    dump_init(d);
}

void dump_release(struct dump *d)
{
    if (d->shared) {
        release_own(d);
        return;
    }
    if (d->reader && d->reader->close && d->state)
        d->reader->close(d);
    vec_release(&d->calls);
    vec_release(&d->slots);
    vec_release(&d->shapes);
    vec_release(&d->extras);
    vec_release(&d->scopes);
    vec_release(&d->stacks);
    vec_release(&d->stack_frames);
    vec_release(&d->frames);
    vec_release(&d->cut_axes);
    vec_release(&d->groups);
    map_release(&d->call_names);
    map_release(&d->call_runs);
    map_release(&d->slot_names);
    map_release(&d->shape_keys);
    map_release(&d->scope_names);
    map_release(&d->frame_texts);
    nmap_release(&d->late_rows);
    release_own(d);
}

/* The number of a name that is kept once. */
static uint32_t name_number(struct dump *d, struct map *numbers, known_names *names, struct str name)
{
    uint32_t at = map_get(numbers, name);
    if (at != MAP_NONE)
        return at;
    struct str kept = arena_str(&d->arena, name);
    vec_push(names, kept.p);
    return map_add(numbers, kept, (uint32_t)names->n - 1);
}

uint32_t dump_slot(struct dump *d, struct str name)
{
    return name_number(d, &d->slot_names, &d->slots, name);
}

uint32_t dump_scope(struct dump *d, struct str path)
{
    return name_number(d, &d->scope_names, &d->scopes, path);
}

uint32_t dump_shape(struct dump *d, const int64_t *dim, int ndim)
{
    uint64_t numel = 1;
    for (int i = 0; i < ndim; i++) {
        if (dim[i] < 0 || (dim[i] && numel > (uint64_t)INT64_MAX / (uint64_t)dim[i]))
            return NONE;
        numel *= (uint64_t)dim[i];
    }
    struct str key = {(const char *)dim, (size_t)ndim * sizeof *dim};
    uint32_t at = map_get(&d->shape_keys, key);
    if (at != MAP_NONE)
        return at;
    struct shape *s = arena_alloc(&d->arena, sizeof *s + key.n);
    s->ndim = ndim;
    s->numel = numel;
    if (key.n)
        memcpy(s->dim, dim, key.n);
    vec_push(&d->shapes, s);
    return map_add(&d->shape_keys, str_n((const char *)s->dim, key.n), (uint32_t)d->shapes.n - 1);
}

uint32_t dump_add_call(struct dump *d, struct str name, enum call_kind kind, enum call_phase phase)
{
    if (name.n > UINT16_MAX - 16)
        name.n = UINT16_MAX - 16;
    uint32_t me = (uint32_t)d->calls.n;
    struct str kept = arena_str(&d->arena, name);
    if (map_add(&d->call_names, kept, me) != me) {
        struct str first = kept;
        uint32_t run = map_get(&d->call_runs, first);
        run = run == MAP_NONE ? 1 : run;
        do
            kept = str_of(arena_fmt(&d->arena, "%.*s#%u", STR_ARG(name), ++run));
        while (map_add(&d->call_names, kept, me) != me);
        map_set(&d->call_runs, first, run);
    }
    struct call c = {
        .name = kept.p,
        .name_len = (uint16_t)kept.n,
        .first_row = NONE,
        .last_row = NONE,
        .stack = NONE,
        .parent = NONE,
        .twin = NONE,
        .nested = NONE,
        .recomputes = NONE,
        .scope = NONE,
        .kind = (uint8_t)kind,
        .phase = (uint8_t)phase,
    };
    vec_push(&d->calls, c);
    return me;
}

uint32_t dump_find_call(const struct dump *d, struct str name, uint32_t near)
{
    for (uint64_t c = near == NONE ? 0 : near, last = c + BEHIND; c <= last && c < d->calls.n; c++)
        if (str_eq(dump_call_name(d, (uint32_t)c), name)) /* no two calls have one name */
            return (uint32_t)c;
    return map_get(&d->call_names, name);
}

bool dump_call_overwrites(const struct dump *d, uint32_t call)
{
    EACH_EARLY_ROW(d, call, r)
        if (d->calls.v[call].family == FAMILY_ACTIVATION && d->rows.v[r].io == IO_INPUT &&
            d->rows.v[r].kind == ROW_BOOL && d->rows.v[r].stat[STAT_MAX] != 0)
            return true;
    return false;
}

#define MODULES_MOST 32 /* around a call */

bool dump_call_is_in(const struct dump *d, uint32_t call, uint32_t module)
{
    for (int depth = 0; call != NONE && depth < MODULES_MOST; depth++) {
        call = d->calls.v[call].parent;
        if (call == module)
            return true;
    }
    return false;
}

uint32_t dump_first_tensor(const struct dump *d, uint32_t call, enum row_io io)
{
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == io && d->rows.v[r].kind == ROW_TENSOR)
            return r;
    return NONE;
}

static uint64_t place_key(uint32_t call, uint32_t slot)
{
    return (uint64_t)call << 32 | slot;
}

uint32_t dump_slot_row(const struct dump *d, uint32_t call, uint32_t slot)
{
    int seen = 0;
    EACH_ROW(d, call, r) {
        if (d->rows.v[r].slot == slot)
            return r;
        if (++seen == SCANNED)
            break;
    }
    uint32_t late = seen == SCANNED ? nmap_get(&d->late_rows, place_key(call, slot)) : MAP_NONE;
    return late == MAP_NONE ? NONE : late;
}

uint32_t dump_run(struct dump *d, struct map *runs, struct str name, uint32_t slot, enum call_kind kind,
                  enum call_phase phase, bool *fresh)
{
    uint32_t c = map_get(runs, name);
    bool known = c != MAP_NONE;
    *fresh = !known || dump_slot_row(d, c, slot) != NONE;
    if (!*fresh)
        return c;
    c = dump_add_call(d, name, kind, phase);
    struct str own = dump_call_name(d, c); /* with "#2" where another part of the dump has the name already */
    map_set(runs, known ? name : str_eq(own, name) ? own : arena_str(&d->arena, name), c);
    return c;
}

uint32_t dump_add_row(struct dump *d, uint32_t call, struct row r)
{
    struct call *c = &d->calls.v[call];
    uint32_t me = (uint32_t)d->rows.n;
    r.call = call;
    r.next = NONE;
    if (c->rows >= SCANNED)
        nmap_add(&d->late_rows, place_key(call, r.slot), me);
    if (c->rows++)
        d->rows.v[c->last_row].next = me;
    else
        c->first_row = me;
    c->last_row = me;
    vec_push(&d->rows, r);
    return me;
}

void dump_link_twin(struct dump *d, uint32_t call, struct str name)
{
    uint32_t twin = map_get(&d->call_names, name);
    if (twin == MAP_NONE || twin == call || d->calls.v[twin].twin != NONE || d->calls.v[call].twin != NONE)
        return;
    d->calls.v[call].twin = twin;
    d->calls.v[twin].twin = call;
}

void dump_link_twins(struct dump *d)
{
    struct buf b = {0};
    for (uint32_t c = 0; c < d->calls.n; c++) {
        struct call *call = &d->calls.v[c];
        struct str name = dump_call_name(d, c), word = STR("backward");
        if (call->phase != PHASE_BACKWARD || call->gradient || name.n < word.n)
            continue;
        /* the last "backward" is the direction: Type.api.N.backward, Module.path.Class.backward.N */
        size_t at = name.n - word.n;
        while (at && memcmp(name.p + at, word.p, word.n) != 0)
            at--;
        if (!at)
            continue;
        buf_clear(&b);
        buf_str(&b, str_n(name.p, at));
        buf_cstr(&b, "forward");
        buf_str(&b, str_cut(name, at + word.n));
        dump_link_twin(d, c, buf_view(&b));
    }
    buf_release(&b);
}

void dump_link_nested(struct dump *d, uint32_t inner, uint32_t outer)
{
    d->calls.v[inner].nested = outer;
    d->calls.v[outer].nested = inner;
}

void dump_problem(struct dump *d, uint32_t row, const char *kind, const char *text)
{
    struct problem p = {row, false, kind, arena_cstr(&d->arena, str_of(text))};
    if (row != NONE)
        d->rows.v[row].has |= IS_DAMAGED;
    vec_push(&d->problems, p);
}

void dump_unparsed(struct dump *d, uint32_t row, const char *text)
{
    if (row != NONE)
        d->rows.v[row].has |= IS_UNPARSED;
    dump_problem(d, row, "damaged", text);
}

void dump_recorded(struct dump *d, uint32_t row, const char *kind, const char *text)
{
    struct problem p = {row, true, kind, arena_cstr(&d->arena, str_of(text))};
    vec_push(&d->problems, p);
}

void dump_warn(struct dump *d, const char *text)
{
    vec_push(&d->warnings, arena_cstr(&d->arena, str_of(text)));
}

/* Takes `text` up to `stop` off the front of s; false if stop is not there. */
static bool take_until(struct str *s, const char *stop, struct str *text)
{
    size_t n = strlen(stop);
    for (size_t i = 0; i + n <= s->n; i++)
        if (memcmp(s->p + i, stop, n) == 0) {
            *text = str_n(s->p, i);
            *s = str_cut(*s, i + n);
            return true;
        }
    return false;
}

void dump_expect(struct dump *d, size_t calls, size_t rows)
{
    map_reserve(&d->call_names, d->call_names.n + calls);
    vec_expect(&d->calls, calls);
    vec_expect(&d->rows, rows);
}

uint32_t dump_frame(struct dump *d, struct str text)
{
    uint32_t at = map_get(&d->frame_texts, text);
    if (at != MAP_NONE)
        return at;
    struct str kept = arena_str(&d->arena, text), s = kept, file, line, func, code;
    struct frame f = {.file = "", .func = "", .code = "", .raw = kept.p};
    unsigned long long n;
    if (str_starts(s, "File ")) {
        s = str_cut(s, 5);
        if (take_until(&s, ", line ", &file) && take_until(&s, ", in ", &line) && str_u64(str_trim(line), &n)) {
            if (!take_until(&s, ",", &func)) {
                func = s;
                s = str_cut(s, s.n);
            }
            code = str_trim(s);
            file = str_trim(file);
            if (file.n > 1 && file.p[0] == '"' && file.p[file.n - 1] == '"')
                file = str_n(file.p + 1, file.n - 2);
            f = (struct frame){
                .file = arena_cstr(&d->arena, file),
                .func = arena_cstr(&d->arena, str_trim(func)),
                .code = arena_cstr(&d->arena, code),
                .line = (uint32_t)n,
            };
        }
    }
    vec_push(&d->frames, f);
    return map_add(&d->frame_texts, kept, (uint32_t)d->frames.n - 1);
}

void dump_row_name(const struct dump *d, uint32_t row, struct buf *out)
{
    const struct row *r = &d->rows.v[row];
    buf_clear(out);
    buf_str(out, dump_call_name(d, r->call));
    if (d->slots.v[r->slot][0]) {
        buf_char(out, d->joint);
        buf_cstr(out, d->slots.v[r->slot]);
    }
}

uint32_t dump_find_row(const struct dump *d, struct str name)
{
    /* the call's name is a prefix that ends before a joint; try the longest first */
    for (size_t n = name.n;; n--) {
        if (n == name.n || name.p[n] == d->joint) {
            uint32_t c = map_get(&d->call_names, str_n(name.p, n));
            if (c != MAP_NONE) {
                uint32_t slot = map_get(&d->slot_names, str_cut(name, n < name.n ? n + 1 : n));
                uint32_t r = slot == MAP_NONE ? NONE : dump_slot_row(d, c, slot);
                if (r != NONE)
                    return r;
            }
        }
        if (n == 0)
            return NONE;
    }
}

const struct problem *dump_row_problem(const struct dump *d, uint32_t row)
{
    if (d->rows.v[row].has & IS_DAMAGED)
        for (size_t i = 0; i < d->problems.n; i++)
            if (d->problems.v[i].row == row)
                return &d->problems.v[i];
    return NULL;
}

uint32_t dump_call_stack(const struct dump *d, uint32_t call, bool *of_twin)
{
    const struct call *c = &d->calls.v[call];
    /* frames of the engine that runs backward calls (ptdbg records them) say nothing of where a call is written */
    bool borrowed =
        c->twin != NONE && (c->stack == NONE || (c->phase == PHASE_BACKWARD && d->calls.v[c->twin].stack != NONE));
    if (of_twin)
        *of_twin = borrowed;
    return borrowed ? d->calls.v[c->twin].stack : c->stack;
}

bool frame_is_library(const struct frame *f)
{
    static const char *const folders[] = {"site-packages/", "dist-packages/"};
    static const char *const packages[] = {"torch",   "torch_npu",    "functorch", "mindspore",
                                           "msprobe", "ptdbg_ascend", "atat"};
    struct str file = str_of(f->file), package, rest;
    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        ptrdiff_t at = str_search(file, folders[i]);
        if (at < 0)
            continue;
        str_split(str_cut(file, (size_t)at + strlen(folders[i])), '/', &package, &rest);
        for (size_t k = 0; k < ARRAY_LEN(packages); k++)
            if (str_is(package, packages[k]))
                return true;
        return false;
    }
    return str_search(file, "/lib/python") >= 0; /* Python's own */
}

static bool is_model_frame(const struct dump *d, const struct stack *s, uint32_t frame)
{
    const struct frame *f = &d->frames.v[d->stack_frames.v[s->first + frame]];
    return *f->file && !frame_is_library(f);
}

uint32_t dump_stack_start(const struct dump *d, uint32_t stack)
{
    return dump_stack_at_depth(d, stack, 0);
}

uint32_t dump_stack_depth(const struct dump *d, uint32_t stack, uint32_t frame)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i <= frame && i < d->stacks.v[stack].n; i++)
        n += is_model_frame(d, &d->stacks.v[stack], i);
    return n ? n - 1 : 0;
}

uint32_t dump_stack_at_depth(const struct dump *d, uint32_t stack, uint32_t depth)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < d->stacks.v[stack].n; i++) {
        if (!is_model_frame(d, &d->stacks.v[stack], i))
            continue;
        last = i;
        if (depth-- == 0)
            break;
    }
    return last;
}

void frame_place(const struct frame *f, struct buf *out)
{
    buf_str(out, path_base(str_of(f->file)));
    buf_char(out, ':');
    buf_count(out, f->line);
}

int dump_tensor(const struct dump *d, uint32_t row, struct tensor *t, struct err *e)
{
    memset(t, 0, sizeof *t);
    if (!d->reader || !d->reader->tensor)
        return err_set(e, ERR_DATA, "%s", _("no tensor was recorded for this row"));
    if (!(d->rows.v[row].has & HAS_FILE))
        return err_set(e, ERR_DATA, "%s",
                       _(d->reader->without ? d->reader->without : N_("no tensor was recorded for this row")));
    if (d->reader->tensor(d, row, t, e))
        return -1;
    if (!header_contradicts(d, row, t, e))
        return 0;
    tensor_close(t);
    return -1;
}

void sizes_text(const int64_t *size, int axes, struct buf *out)
{
    buf_char(out, '[');
    for (int i = 0; i < axes; i++)
        buf_fmt(out, i ? ",%lld" : "%lld", (long long)size[i]);
    buf_char(out, ']');
}

void shape_text(const struct shape *s, struct buf *out)
{
    sizes_text(s->dim, s->ndim, out);
}

uint64_t dump_fingerprint(const struct dump *d)
{
    uint64_t h = 1;
    for (uint32_t c = 0; c < d->calls.n; c++) {
        struct str name = dump_call_name(d, c);
        h = hash_bytes(name.p, name.n, h);
        EACH_ROW(d, c, r) {
            const struct row *x = &d->rows.v[r];
            const struct shape *shape = dump_row_shape(d, r);
            const char *slot = d->slots.v[x->slot];
            double stat[STAT_COUNT];
            /* as recorded: what is computed is not part of it */
            uint8_t has = (uint8_t)(x->has & ~(x->has >> IS_COMPUTED));
            for (int i = 0; i < STAT_COUNT; i++)
                stat[i] = x->has & HAS_MAX << i << IS_COMPUTED ? 0 : x->stat[i];
            const uint8_t kind[] = {x->kind, x->dtype, has};
            h = hash_bytes(slot, strlen(slot), h);
            h = hash_bytes(kind, sizeof kind, h);
            h = hash_bytes(stat, sizeof stat, h);
            if (shape)
                h = hash_bytes(shape->dim, (size_t)shape->ndim * sizeof *shape->dim, h);
            if (x->text)
                h = hash_bytes(x->text, strlen(x->text), h);
        }
    }
    return h;
}

#define FILE_HEADER 128 /* bytes of a .npy's; a .pt has some hundred more */

uint64_t dump_call_bytes(const struct dump *d, uint32_t call)
{
    uint64_t sum = 0;
    EACH_ROW(d, call, r) {
        const struct row *x = &d->rows.v[r];
        if (x->kind == ROW_TENSOR)
            sum += dump_row_numel(d, r) * dtype_table[x->dtype].size + FILE_HEADER;
    }
    return sum;
}

uint64_t dump_all_bytes(const struct dump *d)
{
    uint64_t sum = 0;
    for (uint32_t c = 0; c < d->calls.n; c++)
        sum += dump_call_bytes(d, c);
    return sum;
}

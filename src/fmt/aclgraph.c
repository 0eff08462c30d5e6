/* stepN/rankN/dump_tensor_data/NAME.CALL.input.0.pt of msprobe's AclGraphDumper (task tensor): a compiled graph saves
 * each value as it runs, so there is no dump.json. The calls follow from the names. Their order is not recorded (times
 * of files are too coarse for it); it is made from the names, so that it is the same on both sides. */
#include "fmt/aclgraph.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/msg.h"
#include "fmt/activations.h"
#include "fmt/msprobe.h"
#include "fmt/value_order.h"
#include "fmt/weights.h"

#define ENTRIES 2000000
#define LOOKED_AT 200 /* names by which such a folder is recognised */
#define DATA "dump_tensor_data"

static bool name_part_is_number(struct str s)
{
    unsigned long long n;
    return s.n && s.p[0] != '+' && str_u64(s, &n);
}

/* "Module.a.Mlp" and "3" → "Module.a.Mlp.forward.3"; "Aten.mm" and "3" → "Aten.mm.3.forward". */
static void write_call(struct str name, struct str number, struct buf *out)
{
    if (str_starts(name, "Module."))
        buf_fmt(out, "%.*s.forward.%.*s", STR_ARG(name), STR_ARG(number));
    else
        buf_fmt(out, "%.*s.%.*s.forward", STR_ARG(name), STR_ARG(number));
}

bool aclgraph_name(struct str stem, struct buf *call, struct buf *slot, enum row_io *io)
{
    static const struct {
        const char *word, *slot;
        enum row_io io;
    } words[] = {{".input", "input", IO_INPUT}, {".input_kwargs", "input", IO_INPUT}, {".output", "output", IO_OUTPUT}};
    ptrdiff_t best = -1;
    size_t which = 0;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        for (size_t from = 0;;) {
            ptrdiff_t at = str_search(str_cut(stem, from), words[i].word);
            if (at < 0)
                break;
            size_t here = from + (size_t)at, end = here + strlen(words[i].word);
            from = here + 1;
            struct str before = str_n(stem.p, here);
            ptrdiff_t dot = str_rfind(before, '.');
            /* the last one: a module may be called "output" too */
            if (dot > 0 && name_part_is_number(str_cut(before, (size_t)dot + 1)) &&
                (end == stem.n || stem.p[end] == '.') && (ptrdiff_t)here > best) {
                best = (ptrdiff_t)here;
                which = i;
            }
        }
    if (best < 0)
        return false;
    struct str before = str_n(stem.p, (size_t)best), rest = str_cut(stem, (size_t)best + strlen(words[which].word));
    ptrdiff_t dot = str_rfind(before, '.');
    struct str name = str_n(before.p, (size_t)dot);
    if (str_find(name, '.') < 1)
        return false;
    write_call(name, str_cut(before, (size_t)dot + 1), call);
    buf_cstr(slot, words[which].slot);
    buf_str(slot, rest.n ? rest : STR(".0"));
    *io = words[which].io;
    return true;
}

/* ---- recognising ---- */

static bool holds_such_names(const struct folder *f)
{
    struct buf call = {0}, slot = {0};
    enum row_io io;
    size_t seen = 0, named = 0;
    for (size_t i = 0; i < f->entries.n && seen < LOOKED_AT; i++) {
        struct str name = str_of(f->entries.v[i].name);
        if (!str_ends(name, ".pt"))
            continue;
        buf_clear(&call);
        buf_clear(&slot);
        seen++;
        named += aclgraph_name(str_n(name.p, name.n - 3), &call, &slot, &io);
    }
    buf_release(&call);
    buf_release(&slot);
    return seen > 1 && 2 * named > seen;
}

static bool is_below_data(const char *path)
{
    struct str at = str_of(path);
    return str_is(path_base(at), DATA) || str_is(path_base(path_parent(at)), DATA);
}

/* Also one that cannot be opened: it is msprobe's dump, and unread. */
static bool has_name(const struct folder *f, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < f->entries.n && !found; i++)
        found = strcmp(f->entries.v[i].name, name) == 0;
    return found;
}

static bool aclgraph_probe_folder(struct folder *f)
{
    struct err quiet;
    bool yes = false;
    if (has_name(f, "dump.json") || has_name(f, "debug.json"))
        return false;
    if (is_below_data(f->path) && holds_such_names(f)) {
        /* beside a dump.json these are its tensors */
        struct buf beside = {0};
        buf_str(&beside, path_parent(str_of(f->path)));
        buf_cstr(&beside, "/dump.json");
        struct stat s;
        yes = lstat(beside.p, &s) != 0;
        buf_release(&beside);
        return yes;
    }
    for (size_t i = 0; i < f->entries.n && !yes; i++) {
        if (strcmp(f->entries.v[i].name, DATA) != 0)
            continue;
        struct folder *child = folder_child(f, i, ENTRIES, &quiet);
        yes = child && holds_such_names(child);
        folder_child_release(f, i);
    }
    return yes;
}

/* ---- rows ---- */

struct graph_tensor {
    uint32_t weight;
    struct str call, slot;
    struct str path;   /* of a module; empty for an operator */
    enum row_io io;
    bool named;
    size_t at;         /* in the usual order of such names */
    size_t place, depth, first; /* of its call: where it stands, below how many modules, its first tensor */
};

struct graph_state {
    struct weights w;
    VEC(uint32_t) row_of; /* the tensor of each row */
};

static int compare_sizes(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int compare_name_places(const void *a, const void *b)
{
    const struct graph_tensor *x = a, *y = b;
    int c = compare_sizes(x->place, y->place);
    if (!c)
        c = compare_sizes(y->depth, x->depth); /* what lies in a module ends before it */
    if (!c)
        c = compare_sizes(x->first, y->first);
    if (!c)
        c = compare_sizes(x->io, y->io);
    return c ? c : compare_sizes(x->at, y->at);
}

typedef VEC(struct graph_tensor) tensor_list;

/* "Module.layers.0.up.Linear.3": "layers.0.up"; of the root, which holds all of them, "". */
static struct str path_of(struct str call)
{
    struct str s = str_starts(call, "Module.") ? str_cut(call, strlen("Module")) : STR("");
    for (int i = 0; i < 3 && s.n; i++) { /* the number, "forward", the class */
        ptrdiff_t dot = str_rfind(s, '.');
        s.n = dot < 0 ? 0 : (size_t)dot;
    }
    return str_is(s, ".__root__") ? STR("") : s;
}

/* Splits the names, and gives modules' tensors names without class and number, by which their usual order is known. */
static void split_names(struct dump *d, struct weights *w, struct graph_tensor *out)
{
    struct buf call = {0}, slot = {0}, usual = {0};
    for (size_t i = 0; i < w->list.n; i++) {
        struct graph_tensor *t = &out[i];
        *t = (struct graph_tensor){.weight = (uint32_t)i, .call = w->list.v[i].name};
        buf_clear(&call);
        buf_clear(&slot);
        t->named = aclgraph_name(t->call, &call, &slot, &t->io);
        if (!t->named)
            continue;
        t->call = str_of(arena_cstr(&d->arena, buf_view(&call)));
        t->slot = str_of(arena_cstr(&d->arena, buf_view(&slot)));
        t->path = path_of(t->call);
        if (!t->path.n)
            continue;
        buf_clear(&usual);
        buf_fmt(&usual, "%.*s.%.*s", STR_ARG(str_cut(t->path, 1)), STR_ARG(t->slot));
        w->list.v[i].name = arena_str(&w->arena, buf_view(&usual));
    }
    buf_release(&call);
    buf_release(&slot);
    buf_release(&usual);
}

static void list_tensors(struct dump *d, struct weights *w, tensor_list *out)
{
    const struct weight **order = mem_alloc((w->list.n + 1) * sizeof *order);
    struct graph_tensor *all = mem_alloc((w->list.n + 1) * sizeof *all);
    split_names(d, w, all);
    for (size_t i = 0; i < w->list.n; i++)
        order[i] = &w->list.v[i];
    value_order_sort(w, false, order, w->list.n);
    for (size_t i = 0; i < w->list.n; i++) {
        vec_push(out, all[order[i] - w->list.v]);
        vec_last(out)->at = i;
    }
    free(order);
    free(all);
}

/* A call stands where it ended, as in other dumps of msprobe: a module behind all that lie in it. */
static void place_calls(tensor_list *l)
{
    struct map first = {0}, last = {0}; /* call → its first tensor; module → the last tensor of what lies in it */
    for (size_t i = 0; i < l->n; i++) {
        struct graph_tensor *t = &l->v[i];
        t->first = map_add(&first, t->call, (uint32_t)i);
        t->place = t->first;
        for (struct str at = t->path; at.n; t->depth++) {
            ptrdiff_t dot = str_rfind(at, '.');
            at.n = dot < 0 ? 0 : (size_t)dot;
            map_set(&last, at, (uint32_t)i);
        }
    }
    for (size_t i = 0; i < l->n; i++) {
        struct graph_tensor *t = &l->v[i];
        uint32_t end = str_starts(t->call, "Module.") ? map_get(&last, t->path) : MAP_NONE;
        if (end != MAP_NONE && end > t->place)
            t->place = end;
    }
    map_release(&first);
    map_release(&last);
    vec_sort(l, compare_name_places);
}

static void add_rows(struct dump *d, struct graph_state *s, const tensor_list *l)
{
    struct map calls = {0};
    bool modules = false, apis = false;
    for (size_t i = 0; i < l->n; i++) {
        const struct graph_tensor *t = &l->v[i];
        const struct weight *x = &s->w.list.v[t->weight];
        struct row r = {.slot = dump_slot(d, t->slot), .shape = NONE, .extra = NONE, .kind = ROW_TENSOR,
                        .io = (uint8_t)(t->named ? t->io : IO_OUTPUT), .dtype = (uint8_t)x->dtype};
        uint32_t c = map_get(&calls, t->call);
        if (c == MAP_NONE) {
            c = t->named ? msprobe_add_call(d, t->call, 0) : dump_add_call(d, t->call, CALL_API, PHASE_FORWARD);
            map_add(&calls, t->call, c);
        }
        modules = modules || str_starts(t->call, "Module.");
        apis = apis || !str_starts(t->call, "Module.");
        weight_row_fill(d, x, &r);
        dump_add_row(d, c, r);
        vec_push(&s->row_of, t->weight);
    }
    d->level = modules && apis ? "mix" : modules ? "L0" : "L1";
    map_release(&calls);
}

static void add_problems(struct dump *d, const struct graph_state *s)
{
    for (size_t i = 0; i < s->w.problems.n; i++) {
        const struct weight_problem *p = &s->w.problems.v[i];
        uint32_t row = NONE;
        for (size_t r = 0; r < s->row_of.n && p->weight != UINT32_MAX && row == NONE; r++)
            row = s->row_of.v[r] == p->weight ? (uint32_t)r : NONE;
        dump_problem(d, row, p->kind, p->text);
    }
}

static int aclgraph_open_dump(struct dump *d, struct load *load, struct err *e)
{
    struct graph_state *s = mem_zalloc(sizeof *s);
    struct buf dir = {0};
    tensor_list l = {0};
    buf_cstr(&dir, d->path);
    if (!is_below_data(d->path))
        buf_cstr(&dir, "/" DATA);
    const char *path = arena_cstr(&d->arena, buf_view(&dir));
    buf_release(&dir);
    int rc = weights_open(&s->w, path, e);
    load_begin(load);
    d->state = s;
    if (rc == 0) {
        d->framework = "pytorch";
        d->task = "tensor";
        d->joint = '.';
        list_tensors(d, &s->w, &l);
        dump_warn(d, _("the order of calls is not recorded by AclGraphDumper: modules are in the usual order of such "
                       "names, operators in that of their names"));
        place_calls(&l);
        add_rows(d, s, &l);
        add_problems(d, s);
    }
    load_end(load);
    vec_release(&l);
    return rc;
}

static int aclgraph_open_tensor(const struct dump *d, uint32_t row, struct tensor *t, struct err *e)
{
    const struct graph_state *s = d->state;
    return weights_tensor(&s->w, s->row_of.v[row], t, e);
}

static void aclgraph_close_dump(struct dump *d)
{
    struct graph_state *s = d->state;
    if (s) {
        weights_release(&s->w);
        vec_release(&s->row_of);
    }
    free(s);
    d->state = NULL;
}

const struct reader reader_aclgraph = {
    .name = "msprobe-aclgraph",
    .title = N_("tensors of compiled graphs (AclGraphDumper of msprobe), which have no dump.json"),
    .what = "stepN/rankN/dump_tensor_data/NAME.CALL.input.0.pt",
    .versions = "msprobe 26.2",
    .unread = NULL,
    .probe_folder = aclgraph_probe_folder,
    .open = aclgraph_open_dump,
    .tensor = aclgraph_open_tensor,
    .close = aclgraph_close_dump,
};

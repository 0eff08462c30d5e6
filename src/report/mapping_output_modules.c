/* Writes msprobe's cell and layer mappings from the pairs of the modules' rows. */
#include "report/mapping_output_parts.h"

#include <stdlib.h>

#include "base/map.h"

struct link {
    struct str cell[2]; /* path with class; the golden one of the first pair */
    bool equal;         /* a pair of equal slots is among them */
    bool out;           /* a part of a fused module, or paired with several: no cell mapping says that */
};

struct links {
    VEC(struct link) v; /* in the target's order */
    struct map at;      /* target cell → index */
    struct map golden;  /* golden cell → the first that has it */
    size_t out;
};

static void collect_module_pair(struct links *k, const struct mapping_pairs *x, const struct line *l)
{
    struct str cell[2], rest[2];
    for (int s = 0; s < 2; s++) {
        uint32_t c = x->d[s]->rows.v[l->row[s]].call;
        if (x->d[s]->calls.v[c].kind != CALL_MODULE ||
            !mapping_apply_cell(dump_call_name(x->d[s], c), &cell[s], &rest[s]))
            return;
    }
    uint32_t i = map_add(&k->at, cell[TARGET], (uint32_t)k->v.n);
    if (i == k->v.n) {
        struct link fresh = {.cell = {cell[TARGET], cell[GOLDEN]}};
        vec_push(&k->v, fresh);
    }
    struct link *link = &k->v.v[i];
    const struct row *t = &x->d[TARGET]->rows.v[l->row[TARGET]], *g = &x->d[GOLDEN]->rows.v[l->row[GOLDEN]];
    link->out = link->out || mapping_part(x, l) || !str_eq(link->cell[GOLDEN], cell[GOLDEN]);
    link->equal = link->equal || (str_eq(rest[TARGET], rest[GOLDEN]) &&
                                  strcmp(x->d[TARGET]->slots.v[t->slot], x->d[GOLDEN]->slots.v[g->slot]) == 0);
}

static void links_find(struct links *k, const struct mapping_pairs *x)
{
    *k = (struct links){0};
    for (size_t i = 0; i < x->p->lines.n; i++)
        if (mapping_pair(x, &x->p->lines.v[i]))
            collect_module_pair(k, x, &x->p->lines.v[i]);
    for (size_t i = 0; i < k->v.n; i++) {
        uint32_t first = map_add(&k->golden, k->v.v[i].cell[GOLDEN], (uint32_t)i);
        if (first != i)
            k->v.v[first].out = k->v.v[i].out = true;
    }
    for (size_t i = 0; i < k->v.n; i++) {
        k->v.v[i].out = k->v.v[i].out || !k->v.v[i].equal;
        k->out += k->v.v[i].out;
    }
}

static void links_release(struct links *k)
{
    vec_release(&k->v);
    map_release(&k->at);
    map_release(&k->golden);
}

void mapping_write_cells(struct out *o, const struct mapping_pairs *x)
{
    struct links k;
    links_find(&k, x);
    if (k.out)
        buf_fmt(&o->buf,
                "# %zu modules are left out: parts of fused ones, or paired with several or in "
                "other places of their calls\n",
                k.out);
    for (size_t i = 0; i < k.v.n; i++)
        if (!k.v.v[i].out) {
            mapping_entry_write(&o->buf, "", k.v.v[i].cell[TARGET], k.v.v[i].cell[GOLDEN]);
            out_flow(o);
        }
    if (k.out == k.v.n)
        buf_cstr(&o->buf, "{}\n");
    links_release(&k);
}

/* ---- layers ---- */

struct child {
    struct str within, path[2];
    uint32_t next; /* of the same class, or NONE */
    bool out;      /* the class has another partner for it elsewhere */
};

struct children {
    VEC(struct child) v;
    struct map at;   /* "class\npath" → index */
    struct map last; /* class → its last child so far */
    struct arena names;
};

static struct str cell_path(struct str cell)
{
    ptrdiff_t dot = str_rfind(cell, '.');
    return str_n(cell.p, dot < 0 ? 0 : (size_t)dot);
}

static struct str cell_class(struct str cell)
{
    return str_cut(cell, (size_t)(str_rfind(cell, '.') + 1));
}

static bool is_below_module(struct str path, struct str module)
{
    return path.n > module.n && path.p[module.n] == '.' && memcmp(path.p, module.p, module.n) == 0;
}

/* The nearest module around both that is a pair itself; NULL: none. */
static const struct link *enclosing_link(const struct links *k, const struct map *by_path, const struct link *x)
{
    struct str t = cell_path(x->cell[TARGET]), g = cell_path(x->cell[GOLDEN]);
    for (struct str up = cell_path(t); up.n; up = cell_path(up)) {
        uint32_t i = map_get(by_path, up);
        if (i != MAP_NONE && is_below_module(g, cell_path(k->v.v[i].cell[GOLDEN])))
            return &k->v.v[i];
    }
    return NULL;
}

/* Equal numbers at both ends are the same for every child: "layers.0" and "h.0" give "layers" and "h". */
static void strip_numbers(struct str *t, struct str *g)
{
    for (;;) {
        ptrdiff_t a = str_rfind(*t, '.'), b = str_rfind(*g, '.');
        unsigned long long n;
        if (a < 0 || b < 0 || !str_eq(str_cut(*t, (size_t)a), str_cut(*g, (size_t)b)) ||
            !str_u64(str_cut(*t, (size_t)a + 1), &n))
            return;
        t->n = (size_t)a;
        g->n = (size_t)b;
    }
}

static void add_child(struct children *c, struct str within, struct str t, struct str g)
{
    struct buf key = {0};
    buf_str(&key, within);
    buf_char(&key, '\n');
    buf_str(&key, t);
    uint32_t i = map_add(&c->at, arena_str(&c->names, buf_view(&key)), (uint32_t)c->v.n);
    buf_release(&key);
    if (i < c->v.n) {
        c->v.v[i].out = c->v.v[i].out || !str_eq(c->v.v[i].path[GOLDEN], g);
        return;
    }
    struct child x = {.within = within, .path = {t, g}, .next = NONE};
    uint32_t before = map_get(&c->last, within);
    if (before != MAP_NONE)
        c->v.v[before].next = i;
    map_set(&c->last, within, i);
    vec_push(&c->v, x);
}

static void children_find(struct children *c, const struct links *k)
{
    struct map by_path = {0};
    for (size_t i = 0; i < k->v.n; i++)
        if (!k->v.v[i].out)
            map_add(&by_path, cell_path(k->v.v[i].cell[TARGET]), (uint32_t)i);
    for (size_t i = 0; i < k->v.n; i++) {
        const struct link *x = &k->v.v[i];
        if (x->out)
            continue;
        const struct link *up = enclosing_link(k, &by_path, x);
        struct str t = cell_path(x->cell[TARGET]), g = cell_path(x->cell[GOLDEN]);
        if (up) {
            t = str_cut(t, cell_path(up->cell[TARGET]).n + 1);
            g = str_cut(g, cell_path(up->cell[GOLDEN]).n + 1);
        }
        strip_numbers(&t, &g);
        add_child(c, up ? cell_class(up->cell[TARGET]) : STR(MAPPING_TOP), t, g);
    }
    map_release(&by_path);
}

static bool needs_child_line(const struct child *x)
{
    return !x->out && !str_eq(x->path[TARGET], x->path[GOLDEN]); /* equal ones are found without */
}

void mapping_write_layers(struct out *o, const struct mapping_pairs *x)
{
    struct links k;
    struct children c = {0};
    struct map done = {0};
    size_t out = 0;
    links_find(&k, x);
    children_find(&c, &k);
    for (size_t i = 0; i < c.v.n; i++)
        out += c.v.v[i].out;
    if (k.out)
        buf_fmt(&o->buf,
                "# %zu modules are left out: parts of fused ones, or paired with several or in "
                "other places of their calls\n",
                k.out);
    if (out)
        buf_fmt(&o->buf, "# %zu children are left out: their class has another partner for them elsewhere\n", out);
    for (uint32_t i = 0; i < c.v.n; i++) {
        struct str within = c.v.v[i].within;
        if (!needs_child_line(&c.v.v[i]) || map_get(&done, within) != MAP_NONE)
            continue;
        map_add(&done, within, i);
        mapping_scalar(&o->buf, within);
        buf_cstr(&o->buf, ":\n");
        for (uint32_t n = i; n != NONE; n = c.v.v[n].next)
            if (needs_child_line(&c.v.v[n]))
                mapping_entry_write(&o->buf, "  ", c.v.v[n].path[TARGET], c.v.v[n].path[GOLDEN]);
        out_flow(o);
    }
    if (!done.n)
        buf_cstr(&o->buf, "{}\n");
    vec_release(&c.v);
    map_release(&c.at);
    map_release(&c.last);
    map_release(&done);
    arena_release(&c.names);
    links_release(&k);
}

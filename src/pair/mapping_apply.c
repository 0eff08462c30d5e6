/* For each kind of mapping file a function that gives its pairs of rows, by the rules of the file's tool. */
#include "pair/mapping_apply.h"

#include <stdlib.h>

#include "pair/module_tree.h"

enum { NAME_MOST = 4096 }; /* limit for a derived name in bytes, because entries may be applied one after the other */
enum { ROWS_MOST = 512 };  /* rows of a call that are searched by slot; longer calls are paired by order */

struct work {
    struct mapping_applied *x;
    const struct mapping *m;
    const struct dump *t, *g;
    struct buf text, other;
};

static void apply_pair(struct work *w, uint32_t t, uint32_t g, struct str view)
{
    struct mapping_pair x = {t, g, view};
    vec_push(&w->x->pairs, x);
}

/* ---- names taken apart ---- */

bool mapping_apply_cell(struct str call, struct str *cell, struct str *rest)
{
    static const char *const words[] = {".forward", ".backward", ".parameters_grad"};
    ptrdiff_t dot = str_find(call, '.');
    if (dot < 0)
        return false;
    struct str s = str_cut(call, (size_t)dot + 1);
    for (size_t i = 0; i < s.n; i++)
        for (size_t k = 0; s.p[i] == '.' && k < sizeof words / sizeof *words; k++) {
            size_t n = strlen(words[k]);
            if (str_starts(str_cut(s, i), words[k]) && (i + n == s.n || s.p[i + n] == '.')) {
                *cell = str_n(s.p, i);
                *rest = str_cut(s, i + 1);
                return i > 0;
            }
        }
    return false;
}

bool mapping_apply_api(struct str call, struct str *api, struct str *rest)
{
    ptrdiff_t dot = str_find(call, '.');
    ptrdiff_t next = dot < 0 ? -1 : str_find(str_cut(call, (size_t)dot + 1), '.');
    if (next < 0)
        return false;
    size_t n = (size_t)(dot + 1 + next);
    *api = str_n(call.p, n);
    *rest = str_cut(call, n + 1);
    return true;
}

/* ---- rows of two calls ---- */

static uint32_t row_of_slot(const struct dump *d, uint32_t call, const char *slot)
{
    if (d->calls.v[call].rows > ROWS_MOST)
        return NONE;
    EACH_ROW(d, call, r)
    if (strcmp(d->slots.v[d->rows.v[r].slot], slot) == 0)
        return r;
    return NONE;
}

/* Pairs rows with the same slot name; the search starts after the previous match, because calls with many rows are
 * alike. */
static void pair_slots(struct work *w, uint32_t t, uint32_t g)
{
    uint32_t at = w->g->calls.v[g].first_row;
    EACH_ROW(w->t, t, r)
    {
        const char *slot = w->t->slots.v[w->t->rows.v[r].slot];
        uint32_t found =
            at != NONE && strcmp(w->g->slots.v[w->g->rows.v[at].slot], slot) == 0 ? at : row_of_slot(w->g, g, slot);
        if (found == NONE)
            continue;
        apply_pair(w, r, found, STR(""));
        at = w->g->rows.v[found].next;
    }
}

/* ---- rows ---- */

static void by_rows(struct work *w)
{
    for (size_t i = 0; i < w->m->entries.n; i++) {
        const struct mapping_entry *e = &w->m->entries.v[i];
        uint32_t t = dump_find_row(w->t, e->target), g = e->golden.n ? dump_find_row(w->g, e->golden) : NONE;
        if (t != NONE && (g != NONE || !e->golden.n))
            apply_pair(w, t, g, e->view);
        else
            w->x->missing++;
    }
}

/* ---- calls ---- */

/* As in tb_graph_ascend, inputs and outputs of two nodes correspond in order. */
static void pair_in_order(struct work *w, uint32_t t, uint32_t g, enum row_io io)
{
    uint32_t y = w->g->calls.v[g].first_row;
    EACH_ROW(w->t, t, r)
    {
        if (w->t->rows.v[r].io != io)
            continue;
        while (y != NONE && w->g->rows.v[y].io != io)
            y = w->g->rows.v[y].next;
        if (y == NONE)
            return;
        apply_pair(w, r, y, STR(""));
        y = w->g->rows.v[y].next;
    }
}

static void by_matches(struct work *w)
{
    w->x->derived = true;
    for (size_t i = 0; i < w->m->entries.n; i++) {
        const struct mapping_entry *e = &w->m->entries.v[i];
        uint32_t t = map_get(&w->t->call_names, e->target), g = map_get(&w->g->call_names, e->golden);
        if (t == MAP_NONE || g == MAP_NONE) { /* newer versions list each pair from both sides */
            t = map_get(&w->t->call_names, e->golden);
            g = map_get(&w->g->call_names, e->target);
        }
        if (t == MAP_NONE || g == MAP_NONE) {
            w->x->missing++;
            continue;
        }
        for (int io = 0; io < IO_COUNT; io++)
            pair_in_order(w, t, g, (enum row_io)io);
    }
}

/* ---- cells ---- */

static bool replace_first(struct buf *text, struct str what, struct str with, struct buf *tmp)
{
    const char *p = text->p, *end = text->p + text->n;
    while (what.n && (p = memchr(p, what.p[0], (size_t)(end - p))) &&
           ((size_t)(end - p) < what.n || memcmp(p, what.p, what.n) != 0))
        p++;
    if (!what.n || !p)
        return false;
    size_t at = (size_t)(p - text->p);
    buf_clear(tmp);
    buf_add(tmp, text->p, at);
    buf_str(tmp, with);
    buf_str(tmp, str_cut(buf_view(text), at + what.n));
    buf_clear(text);
    buf_str(text, buf_view(tmp));
    return true;
}

/* Sets w->text to the golden cell's name; returns whether the file has an entry for it. */
static bool cell_name(struct work *w, const struct map *exact, struct str cell)
{
    uint32_t whole = map_get(exact, cell);
    buf_clear(&w->text);
    if (whole != MAP_NONE) {
        buf_str(&w->text, w->m->entries.v[whole].golden);
        return true;
    }
    bool any = false;
    buf_str(&w->text, cell);
    for (size_t i = 0; i < w->m->entries.n && w->text.n <= NAME_MOST; i++)
        any = replace_first(&w->text, w->m->entries.v[i].target, w->m->entries.v[i].golden, &w->other) || any;
    return any;
}

/* Maps cell and rest of every golden module call to the call. */
static void index_cells(const struct dump *d, struct arena *a, struct map *out)
{
    struct str cell, rest;
    for (uint32_t c = 0; c < d->calls.n; c++) {
        struct str name = dump_call_name(d, c);
        if (d->calls.v[c].kind == CALL_MODULE && mapping_apply_cell(name, &cell, &rest))
            map_add(out, arena_str(a, str_cut(name, (size_t)(cell.p - name.p))), c);
    }
}

struct cell_name {
    struct str golden;
    bool said; /* an entry applies to it */
};

static void by_cell(struct work *w)
{
    struct map exact = {0}, golden = {0}, known = {0};
    struct arena a = {0};
    VEC(struct cell_name) names = {0}; /* of target cells */
    struct str cell, rest;
    w->x->derived = true;
    for (size_t i = 0; i < w->m->entries.n; i++)
        map_add(&exact, w->m->entries.v[i].target, (uint32_t)i);
    index_cells(w->g, &a, &golden);
    for (uint32_t c = 0; c < w->t->calls.n; c++) {
        if (w->t->calls.v[c].kind != CALL_MODULE || !mapping_apply_cell(dump_call_name(w->t, c), &cell, &rest))
            continue;
        uint32_t i = map_add(&known, cell, (uint32_t)names.n);
        if (i == names.n) {
            struct cell_name fresh = {.said = cell_name(w, &exact, cell)};
            fresh.golden = arena_str(&a, buf_view(&w->text));
            vec_push(&names, fresh);
        }
        buf_clear(&w->text);
        buf_str(&w->text, names.v[i].golden);
        buf_char(&w->text, '.');
        buf_str(&w->text, rest);
        uint32_t g = map_get(&golden, buf_view(&w->text));
        if (g != MAP_NONE)
            pair_slots(w, c, g);
        else if (names.v[i].said)
            w->x->missing += w->t->calls.v[c].rows;
    }
    vec_release(&names);
    map_release(&exact);
    map_release(&golden);
    map_release(&known);
    arena_release(&a);
}

/* ---- kinds of operators ---- */

struct str mapping_apply_slot(const struct dump *d, uint32_t row)
{
    struct str head, rest = {0};
    str_split(str_of(d->slots.v[d->rows.v[row].slot]), '.', &head, &rest);
    return rest;
}

static void pair_api(struct work *w, const struct mapping_entry *e, uint32_t t, uint32_t g)
{
    if (w->t->calls.v[t].rows > ROWS_MOST || (g != NONE && w->g->calls.v[g].rows > ROWS_MOST))
        return;
    EACH_ROW(w->t, t, r)
    for (uint32_t i = 0; i < e->slots; i++) {
        const struct mapping_slot *s = &w->m->slots.v[e->slot + i];
        if (s->io != w->t->rows.v[r].io || !str_eq(s->target, mapping_apply_slot(w->t, r)))
            continue;
        uint32_t found = NONE;
        if (g != NONE)
            EACH_ROW(w->g, g, y)
        if (found == NONE && w->g->rows.v[y].io == s->io && str_eq(s->golden, mapping_apply_slot(w->g, y)))
            found = y;
        if (found == NONE)
            w->x->missing++;
        else
            apply_pair(w, r, found, STR(""));
        break;
    }
}

static void by_api(struct work *w)
{
    struct map there = {0}, listed = {0};
    struct str api, rest;
    w->x->derived = true;
    for (uint32_t c = 0; c < w->g->calls.n; c++)
        if (mapping_apply_api(dump_call_name(w->g, c), &api, &rest))
            map_add(&there, api, c);
    for (size_t i = 0; i < w->m->entries.n; i++)
        if (map_get(&there, w->m->entries.v[i].golden) != MAP_NONE)
            map_set(&listed, w->m->entries.v[i].target, (uint32_t)i);
        else
            w->x->missing++;
    for (uint32_t c = 0; c < w->t->calls.n; c++) {
        if (!mapping_apply_api(dump_call_name(w->t, c), &api, &rest))
            continue;
        uint32_t i = map_get(&listed, api);
        if (i == MAP_NONE)
            continue;
        buf_clear(&w->text);
        buf_str(&w->text, w->m->entries.v[i].golden);
        buf_char(&w->text, '.');
        buf_str(&w->text, rest);
        uint32_t g = map_get(&w->g->call_names, buf_view(&w->text));
        pair_api(w, &w->m->entries.v[i], c, g == MAP_NONE ? NONE : g);
    }
    map_release(&there);
    map_release(&listed);
}

/* ---- layers ---- */

struct layer_rules {
    struct map by_name; /* "Class\nchild path" → entry */
    struct arena names;
    size_t deepest; /* components of the longest child path */
};

static void rule_key(struct buf *out, struct str first_class_name, struct str child)
{
    buf_clear(out);
    buf_str(out, first_class_name);
    buf_char(out, '\n');
    buf_str(out, child);
}

static size_t parts_of(struct str path)
{
    size_t n = 1;
    for (size_t i = 0; i < path.n; i++)
        n += path.p[i] == '.';
    return n;
}

static void index_rules(struct work *w, struct layer_rules *r)
{
    for (size_t i = 0; i < w->m->entries.n; i++) {
        const struct mapping_entry *e = &w->m->entries.v[i];
        size_t parts = parts_of(e->target);
        r->deepest = parts > r->deepest ? parts : r->deepest;
        rule_key(&w->text, e->within, e->target);
        map_set(&r->by_name, arena_str(&r->names, buf_view(&w->text)), (uint32_t)i);
    }
}

/* The end of the first `parts` components of a path from `at`, or 0 if it has fewer. */
static size_t parts_end(struct str path, size_t at, size_t parts)
{
    for (size_t i = at; i <= path.n; i++)
        if ((i == path.n || path.p[i] == '.') && --parts == 0)
            return i;
    return 0;
}

/* Sets out to a target path in the golden side's names: at each module the longest child path with an entry for its
 * class, otherwise the child's own name. Returns whether an entry was used. */
static bool layer_name(struct work *w, const struct layer_rules *r, const struct module_tree *p, struct str path,
                       struct buf *out)
{
    bool any = false;
    buf_clear(out);
    for (size_t at = 0; at < path.n && out->n <= NAME_MOST;) {
        struct str first_class_name = at ? module_tree_class(p, str_n(path.p, at - 1)) : STR(MAPPING_TOP);
        size_t end = 0;
        uint32_t found = MAP_NONE;
        size_t left = parts_of(str_cut(path, at));
        for (size_t parts = r->deepest < left ? r->deepest : left; parts && found == MAP_NONE; parts--) {
            end = parts_end(path, at, parts);
            rule_key(&w->text, first_class_name, str_n(path.p + at, end - at));
            found = map_get(&r->by_name, buf_view(&w->text));
        }
        if (found == MAP_NONE)
            end = parts_end(path, at, 1);
        if (out->n)
            buf_char(out, '.');
        buf_str(out, found == MAP_NONE ? str_n(path.p + at, end - at) : w->m->entries.v[found].golden);
        any = any || found != MAP_NONE;
        at = end + 1;
    }
    return any;
}

/* Key of a place, a kind of call and its number among those. */
static uint64_t place_key(uint32_t path, const struct call *c, uint32_t number)
{
    uint64_t kind = c->gradient ? PHASE_COUNT : c->phase;
    return (uint64_t)path << 32 | (uint64_t)number << 2 | kind;
}

/* Per call its number among those of its place; also fills index with keys → calls, if given. */
static uint32_t *numbers_in_place(const struct dump *d, const struct module_tree *p, struct nmap *index)
{
    struct nmap next = {0};
    uint32_t *out = mem_zalloc((d->calls.n + 1) * sizeof *out);
    for (uint32_t c = 0; c < d->calls.n; c++) {
        if (p->of_call[c] == NONE)
            continue;
        uint64_t key = place_key(p->of_call[c], &d->calls.v[c], 0);
        uint32_t n = nmap_get(&next, key);
        out[c] = n == MAP_NONE ? 0 : n;
        nmap_set(&next, key, out[c] + 1);
        if (index)
            nmap_set(index, place_key(p->of_call[c], &d->calls.v[c], out[c]), c);
    }
    nmap_release(&next);
    return out;
}

struct layer_place {
    uint32_t golden; /* the golden side's path, or NONE */
    bool said;       /* an entry applies to it */
};

/* For every target path. */
static struct layer_place *layer_places(struct work *w, const struct layer_rules *r, const struct module_tree at[2])
{
    struct layer_place *out = mem_alloc((at[TARGET].path.n + 1) * sizeof *out);
    for (size_t i = 0; i < at[TARGET].path.n; i++) {
        out[i].said = layer_name(w, r, &at[TARGET], at[TARGET].path.v[i], &w->other);
        out[i].golden = map_get(&at[GOLDEN].paths, buf_view(&w->other));
    }
    return out;
}

static void by_layer(struct work *w)
{
    struct layer_rules rules = {0};
    struct module_tree at[2];
    struct nmap golden = {0};
    w->x->derived = true;
    module_tree_build(&at[TARGET], w->t);
    module_tree_build(&at[GOLDEN], w->g);
    uint32_t *nt = numbers_in_place(w->t, &at[TARGET], NULL), *ng = numbers_in_place(w->g, &at[GOLDEN], &golden);
    index_rules(w, &rules);
    struct layer_place *place = layer_places(w, &rules, at);
    for (uint32_t c = 0; c < w->t->calls.n; c++) {
        if (at[TARGET].of_call[c] == NONE)
            continue;
        const struct layer_place *there = &place[at[TARGET].of_call[c]];
        uint32_t g = there->golden == MAP_NONE ? MAP_NONE
                                               : nmap_get(&golden, place_key(there->golden, &w->t->calls.v[c], nt[c]));
        if (g != MAP_NONE)
            pair_slots(w, c, g);
        else if (there->said)
            w->x->missing += w->t->calls.v[c].rows;
    }
    free(nt);
    free(ng);
    free(place);
    nmap_release(&golden);
    map_release(&rules.by_name);
    arena_release(&rules.names);
    module_tree_release(&at[TARGET]);
    module_tree_release(&at[GOLDEN]);
}

/* ---- all ---- */

void mapping_apply(struct mapping_applied *x, const struct mapping *m, const struct dump *target,
                   const struct dump *golden)
{
    static void (*const kinds[MAPPING_KINDS])(struct work *) = {
        [MAPPING_DATA] = by_rows, [MAPPING_PAIRS] = by_rows, [MAPPING_MATCHES] = by_matches,
        [MAPPING_CELL] = by_cell, [MAPPING_API] = by_api,    [MAPPING_LAYER] = by_layer,
    };
    struct work w = {.x = x, .m = m, .t = target, .g = golden};
    *x = (struct mapping_applied){0};
    kinds[m->kind](&w);
    buf_release(&w.text);
    buf_release(&w.other);
}

void mapping_applied_release(struct mapping_applied *x)
{
    vec_release(&x->pairs);
    *x = (struct mapping_applied){0};
}

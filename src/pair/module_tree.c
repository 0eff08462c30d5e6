/* Builds the tree of modules and operators from msprobe's names, with layers numbered as the layer mapping expects. */
#include "pair/module_tree.h"

#include <stdlib.h>

#include "pair/mapping_apply.h"

#define RENUMBERED "ParallelTransformer" /* the class below which msprobe numbers layers from 0 */

/* Removes the last component of a dotted name and returns it. */
static struct str last_part(struct str *s)
{
    ptrdiff_t at = str_rfind(*s, '.');
    struct str part = str_cut(*s, (size_t)(at + 1));
    *s = str_n(s->p, at < 0 ? 0 : (size_t)at);
    return part;
}

static uint32_t keep_path(struct module_tree *p, struct str path)
{
    uint32_t i = map_get(&p->paths, path);
    if (i != MAP_NONE)
        return i;
    struct str own = arena_str(&p->arena, path);
    vec_push(&p->path, own);
    return map_add(&p->paths, own, (uint32_t)p->path.n - 1);
}

static void keep_class(struct module_tree *p, struct str path, struct str name)
{
    map_add(&p->classes, path, (uint32_t)p->class_names.n);
    vec_push(&p->class_names, name);
}

/* Path and class of a module's call. */
static bool module_path(struct str call, struct str *path, struct str *first_class_name)
{
    struct str rest;
    if (!mapping_apply_cell(call, path, &rest))
        return false;
    *first_class_name = last_part(path);
    return path->n > 0;
}

static uint32_t place_call(struct module_tree *p, const struct dump *d, uint32_t c, struct buf *text)
{
    const struct call *call = &d->calls.v[c];
    struct str name = dump_call_name(d, c), path = {0}, first_class_name;
    if (call->kind == CALL_MODULE) {
        if (!module_path(name, &path, &first_class_name))
            return NONE;
        return keep_path(p, path);
    }
    last_part(&name);
    last_part(&name);
    struct str op = last_part(&name);
    if (!op.n || !name.n)
        return NONE;
    buf_clear(text);
    if (call->parent != NONE && module_path(dump_call_name(d, call->parent), &path, &first_class_name)) {
        buf_str(text, path);
        buf_char(text, '.');
    }
    buf_str(text, op);
    return keep_path(p, buf_view(text));
}

/* The component after the prefix, and the last number in it. */
static bool numbered_component(struct str path, struct str prefix, struct str *item, unsigned long long *number)
{
    if (path.n <= prefix.n || memcmp(path.p, prefix.p, prefix.n) != 0)
        return false;
    struct str rest;
    str_split(str_cut(path, prefix.n), '.', item, &rest);
    size_t end = item->n;
    while (end && !(item->p[end - 1] >= '0' && item->p[end - 1] <= '9'))
        end--;
    size_t from = end;
    while (from && item->p[from - 1] >= '0' && item->p[from - 1] <= '9')
        from--;
    return str_u64(str_n(item->p + from, end - from), number);
}

/* Renumbers the layers below a ParallelTransformer from the first one present: one pipeline side numbers them through
 * the model, the other within its stage. */
static void renumber_layers(struct module_tree *p, struct str transformer)
{
    struct buf text = {0}, prefix = {0};
    struct str item;
    unsigned long long least = 0, n;
    bool any = false;
    buf_str(&prefix, transformer);
    buf_cstr(&prefix, ".layers.");
    for (size_t i = 0; i < p->path.n; i++)
        if (numbered_component(p->path.v[i], buf_view(&prefix), &item, &n)) {
            least = any && least < n ? least : n;
            any = true;
        }
    for (size_t i = 0; any && i < p->path.n; i++)
        if (numbered_component(p->path.v[i], buf_view(&prefix), &item, &n)) {
            buf_clear(&text);
            buf_str(&text, buf_view(&prefix));
            buf_count(&text, n - least);
            buf_str(&text, str_cut(p->path.v[i], prefix.n + item.n));
            p->path.v[i] = arena_str(&p->arena, buf_view(&text));
        }
    buf_release(&text);
    buf_release(&prefix);
}

/* Renumbers one transformer at a time, and no more transformers than a model has. */
static void renumber_all(struct module_tree *p, const struct dump *d)
{
    enum { MOST = 64 };
    uint32_t seen[MOST];
    int n = 0;
    for (uint32_t c = 0; c < d->calls.n && n < MOST; c++) {
        struct str path, first_class_name;
        if (d->calls.v[c].kind != CALL_MODULE || p->of_call[c] == NONE ||
            !module_path(dump_call_name(d, c), &path, &first_class_name) || !str_is(first_class_name, RENUMBERED))
            continue;
        bool again = false;
        for (int i = 0; i < n; i++)
            again = again || seen[i] == p->of_call[c];
        if (again)
            continue;
        seen[n++] = p->of_call[c];
        renumber_layers(p, p->path.v[p->of_call[c]]);
    }
}

/* Merges paths that became equal by renumbering. */
static void merge_equal_paths(struct module_tree *p, const struct dump *d)
{
    map_release(&p->paths);
    for (size_t i = 0; i < p->path.n; i++)
        map_add(&p->paths, p->path.v[i], (uint32_t)i);
    for (uint32_t c = 0; c < d->calls.n; c++)
        if (p->of_call[c] != NONE)
            p->of_call[c] = map_get(&p->paths, p->path.v[p->of_call[c]]);
}

/* Level L1 records no modules, so everything would be at the top. */
static bool has_modules(const struct dump *d)
{
    for (uint32_t c = 0; c < d->calls.n; c++)
        if (d->calls.v[c].kind == CALL_MODULE || d->calls.v[c].parent != NONE)
            return true;
    return false;
}

void module_tree_build(struct module_tree *p, const struct dump *d)
{
    struct buf text = {0};
    bool modules = has_modules(d);
    *p = (struct module_tree){.of_call = mem_alloc((d->calls.n + 1) * sizeof *p->of_call)};
    for (uint32_t c = 0; c < d->calls.n; c++)
        p->of_call[c] = modules ? place_call(p, d, c, &text) : NONE;
    for (uint32_t c = 0; c < d->calls.n; c++) {
        const struct call *call = &d->calls.v[c];
        if (call->phase == PHASE_BACKWARD && !call->gradient && call->twin != NONE)
            p->of_call[c] = p->of_call[call->twin];
    }
    renumber_all(p, d);
    merge_equal_paths(p, d);
    for (uint32_t c = 0; c < d->calls.n; c++) {
        struct str path, first_class_name;
        if (d->calls.v[c].kind == CALL_MODULE && p->of_call[c] != NONE &&
            module_path(dump_call_name(d, c), &path, &first_class_name))
            keep_class(p, p->path.v[p->of_call[c]], first_class_name);
    }
    buf_release(&text);
}

void module_tree_release(struct module_tree *p)
{
    free(p->of_call);
    vec_release(&p->path);
    vec_release(&p->class_names);
    map_release(&p->paths);
    map_release(&p->classes);
    arena_release(&p->arena);
    *p = (struct module_tree){0};
}

struct str module_tree_class(const struct module_tree *p, struct str path)
{
    uint32_t i = map_get(&p->classes, path);
    return i == MAP_NONE ? last_part(&path) : p->class_names.v[i];
}

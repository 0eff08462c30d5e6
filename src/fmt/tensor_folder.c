/* A folder of torch files with one tensor each, as saved by hooks and sglang's dumper: "0007_mlp.pt",
 * "forward_pass_id=3___rank=0___name=hidden_states___layer_id=2___dump_index=17.pt". A file may hold metadata beside
 * the tensor ({"value": …, "meta": …}). Tags become the tensor's name; dump_index gives the order. A damaged file costs
 * its own tensor. */
#include <stdlib.h>

#include "base/msg.h"
#include "fmt/weights.h"

#define ENTRIES 200000

static bool is_torch(struct str name)
{
    return str_ends(name, ".pt") || str_ends(name, ".pth");
}

bool tensor_folder_tagged(const struct folder *f)
{
    for (size_t i = 0; i < f->entries.n; i++) {
        struct str name = str_of(f->entries.v[i].name);
        if (str_has(name, "dump_index=") && str_has(name, "name=") && is_torch(name))
            return true;
    }
    return false;
}

static bool tensor_folder_probe_folder(struct folder *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->entries.n; i++)
        n += is_torch(str_of(f->entries.v[i].name));
    return n > 1;
}

/* ---- tags in a file's name ---- */

/* The value of "tag=…" between "___"; empty if absent. */
static struct str stem_tag(struct str stem, const char *name)
{
    size_t n = strlen(name);
    while (stem.n) {
        ptrdiff_t end = str_search(stem, "___");
        struct str part = end < 0 ? stem : str_n(stem.p, (size_t)end);
        if (str_starts(part, name) && part.n > n && part.p[n] == '=')
            return str_cut(part, n + 1);
        stem = end < 0 ? STR("") : str_cut(stem, (size_t)end + 3);
    }
    return STR("");
}

struct tensor_name {
    const char *file;
    struct str stem, name, pass, rank;
    unsigned long long index;
    bool indexed;
    size_t at;
};

static struct tensor_name name_of(const char *file, size_t at)
{
    struct str s = str_of(file);
    struct tensor_name t = {.file = file, .at = at, .stem = str_n(s.p, (size_t)str_rfind(s, '.'))};
    struct str index = stem_tag(t.stem, "dump_index");
    t.name = stem_tag(t.stem, "name");
    t.pass = stem_tag(t.stem, "forward_pass_id");
    if (!t.pass.n)
        t.pass = stem_tag(t.stem, "step");
    t.rank = stem_tag(t.stem, "rank");
    t.indexed = t.name.n && str_u64(index, &t.index);
    if (!t.indexed)
        t.index = at;
    return t;
}

static int by_index(const void *a, const void *b)
{
    const struct tensor_name *x = a, *y = b;
    return x->index != y->index ? (x->index > y->index) - (x->index < y->index) : (x->at > y->at) - (x->at < y->at);
}

/* Passes and ranks are part of the name only if the folder has several. */
static void full_name(const struct tensor_name *t, bool passes, bool ranks, struct buf *out)
{
    struct str layer = stem_tag(t->stem, "layer_id");
    buf_clear(out);
    if (!t->name.n) {
        buf_str(out, t->stem);
        return;
    }
    if (passes)
        buf_fmt(out, "pass%.*s.", STR_ARG(t->pass));
    if (ranks)
        buf_fmt(out, "rank%.*s.", STR_ARG(t->rank));
    if (layer.n)
        buf_fmt(out, "layers.%.*s.", STR_ARG(layer));
    buf_str(out, t->name);
}

/* ---- the list ---- */

/* Of what stands beside the tensors of a file, from `before` on, what it saves is kept under the file's name; the rest
 * describes it ("meta"). */
static void keep_values(struct weights *w, size_t before, struct str name)
{
    size_t n = before;
    for (size_t i = before; i < w->values.n; i++) {
        struct weight_value v = w->values.v[i];
        struct str own = str_of(v.name);
        if (!str_is(own, "value") && !str_starts(own, "value."))
            continue;
        v.name = arena_fmt(&w->arena, "%.*s%.*s", STR_ARG(name), STR_ARG(str_cut(own, strlen("value"))));
        w->values.v[n++] = v;
    }
    w->values.n = n;
}

/* Adds the file's tensor under that name, and what else it saves. A value saved by the dumper may be no tensor, or
 * several. */
static int tensor_folder_add(struct weights *w, const char *dir, const char *file, struct str name, bool tagged,
                             struct err *e)
{
    size_t before = w->list.n, tensors = 0, values = w->values.n;
    struct buf b = {0};
    struct err why;
    map_release(&w->names); /* every file uses the same tensor name; the set is renamed at the end */
    if (weights_list_file(w, weights_add_file(w, dir, file), &why)) {
        if (why.code != ERR_DATA)
            return err_set(e, why.code, "%s", why.text);
        w->list.n = before;
        return weights_add_read(w, name, STR(""), NULL, NULL, &why, e);
    }
    keep_values(w, values, name);
    for (size_t i = before; i < w->list.n; i++)
        if (!w->list.v[i].text) {
            w->list.v[before + tensors] = w->list.v[i];
            tensors++;
        }
    for (size_t i = before; i < before + tensors; i++) {
        struct str own = w->list.v[i].name;
        buf_clear(&b);
        buf_str(&b, name);
        if (tensors > 1)
            buf_fmt(&b, ".%.*s", STR_ARG(str_starts(own, "value.") ? str_cut(own, strlen("value.")) : own));
        w->list.v[i].name = arena_str(&w->arena, buf_view(&b));
    }
    buf_release(&b);
    if (tensors != 1 && !tagged)
        return err_set(e, ERR_DATA, _("%s/%s: expected one tensor per file in this folder, found %zu in this file; "
                                      "name one file"), dir, file, tensors);
    w->list.n = before + tensors;
    return 0;
}

static int tensor_folder_list_folder(struct weights *w, const char *path, struct err *e)
{
    name_list names = {0};
    VEC(struct tensor_name) t = {0};
    struct buf b = {0};
    bool passes = false, ranks = false;
    int rc = dir_list(path, ENTRIES, &names, e);
    for (size_t i = 0; i < names.n && rc == 0; i++)
        if (is_torch(str_of(names.v[i])))
            vec_push(&t, name_of(names.v[i], i));
    vec_sort(&t, by_index);
    for (size_t i = 1; i < t.n; i++) {
        passes |= !str_eq(t.v[i].pass, t.v[0].pass);
        ranks |= !str_eq(t.v[i].rank, t.v[0].rank);
    }
    for (size_t i = 0; i < t.n && rc == 0; i++) {
        w->by_name |= !t.v[i].indexed;
        full_name(&t.v[i], passes, ranks, &b);
        rc = tensor_folder_add(w, path, t.v[i].file, buf_view(&b), t.v[i].name.n > 0, e);
    }
    bool readable = !w->list.n;
    for (size_t i = 0; i < w->list.n && !readable; i++)
        readable = !w->list.v[i].problem;
    if (rc == 0 && !readable)
        rc = err_set(e, ERR_DATA, "%s", w->list.v[0].problem);
    map_release(&w->names);
    for (size_t i = 0; i < w->list.n; i++)
        if (map_get(&w->names, w->list.v[i].name) == MAP_NONE)
            map_add(&w->names, w->list.v[i].name, (uint32_t)i);
    buf_release(&b);
    vec_release(&t);
    name_list_release(&names);
    return rc;
}

const struct weight_format weights_torch_folder =
    {.name = "torch", .probe_folder = tensor_folder_probe_folder, .list = tensor_folder_list_folder};

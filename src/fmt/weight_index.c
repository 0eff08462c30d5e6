/* Checkpoints in parts: with an index (Hugging Face's *.index.json, MindSpore's param_name_map.json), a series
 * NAME-00001-of-00004, or a folder with a single weight file. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/json_read.h"
#include "base/reading.h"
#include "fmt/weight_index.h"

#define ENTRIES 100000

static bool weight_name(struct str s)
{
    static const char *const ends[] = {".safetensors", ".ckpt", ".pt", ".pth", ".npz"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (str_ends(s, ends[i]))
            return true;
    return str_starts(s, "pytorch_model") && str_ends(s, ".bin");
}

static bool index_name(struct str s)
{
    return str_ends(s, ".index.json") || str_is(s, "param_name_map.json");
}

/* "-00002-of-00004" before the extension: 2 of 4. */
static bool part_of_series(struct str s, unsigned long long *part, unsigned long long *of, size_t *prefix)
{
    for (size_t i = 1; i + 4 < s.n; i++) {
        if (memcmp(s.p + i, "-of-", 4) != 0)
            continue;
        struct str before = str_n(s.p, i), behind = str_cut(s, i + 4), digits, end;
        ptrdiff_t dash = str_rfind(before, '-');
        if (dash < 0 || !str_split(behind, '.', &digits, &end))
            continue;
        if (str_u64(str_cut(before, (size_t)dash + 1), part) && str_u64(digits, of) && *part >= 1 && *part <= *of) {
            *prefix = (size_t)dash;
            return true;
        }
    }
    return false;
}

/* Chooses what to read in a folder, in the frameworks' own order: an index, the whole file, the only series, the only
 * weight file. Empty if there is none or the choice is ambiguous. */
static void choose_indices(const struct folder *f, name_list *out)
{
    static const char *const first[] =
        {"model.safetensors.index.json", "model.safetensors", "pytorch_model.bin.index.json",
         "pytorch_model.bin", "model_optim_rng.pt", "model_rng.pt"};
    struct str prefix = {0};
    bool mixed = false, any = false;
    size_t lone = 0, count = 0;
    unsigned long long part, of;
    size_t n;
    for (size_t k = 0; k < ARRAY_LEN(first) && !out->n; k++)
        for (size_t i = 0; i < f->entries.n && !out->n; i++)
            if (strcmp(f->entries.v[i].name, first[k]) == 0)
                vec_push(out, mem_strdup(first[k]));
    for (size_t i = 0; i < f->entries.n && !out->n; i++)
        if (index_name(str_of(f->entries.v[i].name)))
            vec_push(out, mem_strdup(f->entries.v[i].name));
    for (size_t i = 0; i < f->entries.n && !out->n; i++) {
        struct str s = str_of(f->entries.v[i].name);
        if (!weight_name(s))
            continue;
        count++;
        lone = i;
        if (!part_of_series(s, &part, &of, &n)) {
            mixed = true;
            continue;
        }
        mixed = mixed || (any && !str_eq(prefix, str_n(s.p, n)));
        prefix = str_n(s.p, n);
        any = true;
    }
    if (!out->n && any && !mixed) {
        for (size_t i = 0; i < f->entries.n; i++)
            if (weight_name(str_of(f->entries.v[i].name)))
                vec_push(out, mem_strdup(f->entries.v[i].name));
    } else if (!out->n && count == 1) {
        vec_push(out, mem_strdup(f->entries.v[lone].name));
    }
}

static bool weight_index_probe(const char *path)
{
    return index_name(path_base(str_of(path)));
}

static bool weight_index_probe_folder(struct folder *f)
{
    name_list l = {0};
    choose_indices(f, &l);
    bool yes = l.n > 0;
    name_list_release(&l);
    return yes;
}

static int note_missing_part(struct weights *w, const char *dir, const char *part, const char *why)
{
    struct err note;
    err_set(&note, ERR_DATA, _("%s: the part %s could not be read: %s"), dir, part, why);
    weights_problem(w, UINT32_MAX, "missing-file", note.text);
    return 0;
}

#define PARTS_NAMED 8

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Of an index none of whose files is there: which these are. */
static int none_there(const char *path, name_list *names, struct err *e)
{
    struct buf b = {0};
    vec_sort(names, by_name);
    for (size_t i = 0; i < names->n && i < PARTS_NAMED; i++)
        buf_fmt(&b, "%s%s", i ? ", " : "", names->v[i]);
    int rc = err_set(e, ERR_DATA, _("%s: none of the parts of this checkpoint is there (%zu missing): %s%s"), path,
                     names->n, b.p, names->n > PARTS_NAMED ? ", …" : "");
    buf_release(&b);
    return rc;
}

/* Also where a name leads elsewhere: why it is not read is said then. */
static bool any_there(const char *dir, const name_list *names)
{
    struct buf b = {0};
    bool any = false;
    for (size_t i = 0; i < names->n && !any; i++) {
        path_join(&b, dir, names->v[i]);
        any = strchr(names->v[i], '/') || access(b.p, F_OK) == 0;
    }
    buf_release(&b);
    return any;
}

static int list_part(struct weights *w, const char *dir, const char *name)
{
    struct err why;
    if (weights_list_file(w, weights_add_file(w, dir, name), &why))
        note_missing_part(w, dir, name, why.text);
    return 0;
}

#define LOST_SAID 20

/* A line of an index: the file that is to hold a weight. */
struct promise {
    struct str weight, part;
};

/* The file that holds a weight's bytes; NULL: there is no such weight, or its bytes could not be read. */
static const char *file_of(const struct weights *w, uint32_t weight)
{
    const struct weight *x = weight == MAP_NONE ? NULL : &w->list.v[weight];
    return x && x->pieces ? w->files.v[w->pieces.v[x->piece].file].name : NULL;
}

static bool keeps_promise(const struct weights *w, const struct promise *p)
{
    uint32_t weight = weights_find(w, p->weight);
    const char *file = file_of(w, weight);
    return file ? str_is(p->part, file) : weight != MAP_NONE; /* one that could not be read says so itself */
}

static void tell_lost(struct weights *w, const char *path, const struct promise *p)
{
    struct err note;
    const char *file = file_of(w, weights_find(w, p->weight));
    if (!file)
        err_set(&note, ERR_DATA, _("%s: %.*s is listed, but missing in all parts"), path, STR_ARG(p->weight));
    else
        err_set(&note, ERR_DATA, _("%s: %.*s is listed in %.*s, but lies in %s"), path, STR_ARG(p->weight),
                STR_ARG(p->part), file);
    weights_problem(w, UINT32_MAX, "damaged", note.text);
}

static void no_part(struct weights *w, const char *path, const struct json_member *m)
{
    struct err note;
    char found[READING_FOUND];
    err_at(&note, path, m->offset, _("%.*s: expected the name of a file, found %s"), STR_ARG(m->key),
           reading_found(found, m->value));
    weights_problem(w, UINT32_MAX, "damaged", note.text);
}

/* Reads names and parts; each part is listed once and must contain what the index says. */
static int list_index(struct weights *w, const char *dir, const char *path, struct err *e)
{
    struct json_members j;
    struct json_member m;
    struct arena a = {0};
    struct map parts = {0};
    name_list names = {0};
    VEC(struct promise) promised = {0};
    int rc;
    if (json_members_open(&j, path, "weight_map", e))
        return -1;
    while ((rc = json_members_next(&j, &m, e)) == 1) {
        if (promised.n >= WEIGHTS_MAX || names.n >= ENTRIES) {
            rc = err_at(e, path, m.offset, _("more than 4 million tensors or 100,000 parts"));
            break;
        }
        if (m.value.n < 2 || m.value.p[0] != '"') {
            if (m.inside) /* outside it is metadata */
                no_part(w, path, &m);
            continue;
        }
        cJSON *v = json_parse(m.value, false, path, m.offset, e);
        if (!v) {
            rc = -1;
            break;
        }
        struct str part = arena_str(&a, str_of(v->valuestring));
        cJSON_Delete(v);
        if (!m.inside && !weight_name(part))
            continue;
        struct promise one = {.weight = arena_str(&a, m.key), .part = part};
        vec_push(&promised, one);
        if (map_add(&parts, part, (uint32_t)names.n) == names.n)
            vec_push(&names, mem_strdup(part.p));
    }
    if (rc == 0 && !names.n)
        rc = err_set(e, ERR_DATA, _("%s: expected a \"weight_map\" of names and files"), path);
    if (rc == 0 && !any_there(dir, &names))
        rc = none_there(path, &names, e);
    for (size_t i = 0; rc == 0 && i < names.n; i++)
        rc = list_part(w, dir, names.v[i]);
    size_t lost = 0;
    for (size_t i = 0; rc == 0 && i < promised.n; i++)
        if (!keeps_promise(w, &promised.v[i]) && lost++ < LOST_SAID)
            tell_lost(w, path, &promised.v[i]);
    json_members_close(&j);
    vec_release(&promised);
    name_list_release(&names);
    map_release(&parts);
    arena_release(&a);
    return rc;
}

int weight_folder_list(struct weights *w, const char *dir, struct err *e)
{
    name_list l = {0};
    struct buf path = {0};
    unsigned long long part, of = 0;
    size_t n;
    int rc = 0;
    struct folder folder;
    struct err quiet;
    if (folder_read(&folder, dir, ENTRIES, &quiet) == 0)
        choose_indices(&folder, &l);
    folder_release(&folder);
    if (!l.n)
        rc = err_set(e, ERR_DATA, _("%s: expected one weight file in this folder; name the file"), dir);
    if (rc == 0 && index_name(str_of(l.v[0]))) {
        path_join(&path, dir, l.v[0]);
        rc = list_index(w, dir, path.p, e);
    } else if (rc == 0 && l.n == 1) {
        rc = weights_list_file(w, weights_add_file(w, dir, l.v[0]), e);
        if (rc == 0 && part_of_series(str_of(l.v[0]), &part, &of, &n) && of > 1)
            note_missing_part(w, dir, l.v[0], _("the other parts of this weight file are missing"));
    } else {
        for (size_t i = 0; rc == 0 && i < l.n; i++)
            rc = list_part(w, dir, l.v[i]);
        if (rc == 0 && part_of_series(str_of(l.v[0]), &part, &of, &n) && of != l.n) {
            struct err note;
            err_set(&note, ERR_DATA, _("%s: %zu of %llu parts found"), dir, l.n, of);
            weights_problem(w, UINT32_MAX, "missing-file", note.text);
        }
    }
    buf_release(&path);
    name_list_release(&l);
    return rc;
}

static int weight_index_list(struct weights *w, const char *path, struct err *e)
{
    int rc;
    w->format = "";
    if (path_is_dir(path)) {
        rc = weight_folder_list(w, path, e);
    } else {
        rc = list_index(w, arena_cstr(&w->arena, path_folder(str_of(path))), path, e);
    }
    if (!*w->format)
        w->format = weights_index.name;
    return rc;
}

const struct weight_format weights_index =
    {.name = "weights", .probe = weight_index_probe, .probe_folder = weight_index_probe_folder, .list = weight_index_list};

/* .safetensors: eight bytes of length, a JSON object NAME → {dtype, shape, data_offsets}, the elements. The header is
 * read member by member, because it may take 100 MB and is not trusted. */
#include <stdlib.h>

#include "base/msg.h"
#include "base/json_read.h"
#include "base/json_tree.h"
#include "fmt/weights.h"

#define HEADER_MAX 100000000 /* the format's own limit */

/* The format's type names, which differ from numpy's ("I8" is one byte). */
static const struct {
    const char *name;
    enum dtype dtype;
} types[] = {
    {"F64", DTYPE_F64}, {"F32", DTYPE_F32}, {"F16", DTYPE_F16},       {"BF16", DTYPE_BF16},     {"I64", DTYPE_I64},
    {"I32", DTYPE_I32}, {"I16", DTYPE_I16}, {"I8", DTYPE_I8},         {"U64", DTYPE_U64},       {"U32", DTYPE_U32},
    {"U16", DTYPE_U16}, {"U8", DTYPE_U8},   {"BOOL", DTYPE_BOOL},     {"F8_E4M3", DTYPE_F8E4M3}, {"F8_E5M2", DTYPE_F8E5M2},
    {"C64", DTYPE_C64},
};

static bool header_length(const struct file *f, uint64_t *n)
{
    unsigned char b[9];
    struct err quiet;
    *n = 0;
    if (f->size < 10 || file_read(f, 0, b, 9, &quiet))
        return false;
    for (int i = 7; i >= 0; i--)
        *n = *n << 8 | b[i];
    return b[8] == '{';
}

static bool safetensors_probe(const char *path)
{
    struct file f;
    struct err quiet;
    uint64_t n;
    if (path_is_dir(path) || file_open(&f, path, &quiet))
        return false;
    bool yes = header_length(&f, &n) && (n <= HEADER_MAX || str_ends(str_of(path), ".safetensors"));
    file_close(&f);
    return yes || str_ends(str_of(path), ".safetensors");
}

static bool read_sizes(const cJSON *v, struct tensor *t)
{
    if (!cJSON_IsArray(v))
        return false;
    for (const cJSON *it = v->child; it; it = it->next) {
        /* sizes beyond 2^53 exceed any file, so a double is exact enough */
        if (t->ndim == TENSOR_DIMS || !cJSON_IsNumber(it) || !(it->valuedouble >= 0 && it->valuedouble < 9e15))
            return false;
        t->shape[t->ndim] = (int64_t)it->valuedouble;
        if ((double)t->shape[t->ndim++] != it->valuedouble)
            return false;
    }
    return true;
}

static bool read_offsets(const cJSON *v, uint64_t out[2])
{
    if (!cJSON_IsArray(v) || cJSON_GetArraySize(v) != 2)
        return false;
    for (int i = 0; i < 2; i++) {
        double x = cJSON_GetArrayItem(v, i)->valuedouble;
        if (!cJSON_IsNumber(cJSON_GetArrayItem(v, i)) || !(x >= 0 && x < 9e15))
            return false;
        out[i] = (uint64_t)x;
        if ((double)out[i] != x)
            return false;
    }
    return out[0] <= out[1];
}

static void read_metadata(struct weights *w, const cJSON *v)
{
    const cJSON *format = json_member(v, "format");
    if (cJSON_IsString(format))
        w->framework = strcmp(format->valuestring, "ms") == 0   ? "mindspore"
                       : strcmp(format->valuestring, "pt") == 0 ? "pytorch"
                                                                : w->framework;
    const cJSON *removed = json_member(v, "remove_redundancy"); /* MindSpore */
    w->keeps_copies = cJSON_IsString(removed) && strcmp(removed->valuestring, "False") == 0;
}

/* Tensors MindSpore says of that they are its qint4x2: {"NAME": "Int4"}, their type in the file I8. */
static void packed_names(const cJSON *v, name_list *names)
{
    for (const cJSON *x = v->child; x; x = x->next)
        if (cJSON_IsString(x) && strcmp(x->valuestring, WEIGHT_INT4) == 0)
            vec_push(names, mem_strdup(x->string));
}

static void mark_packed(struct weights *w, const name_list *names)
{
    for (size_t i = 0; i < names->n; i++) {
        uint32_t k = weights_find(w, str_of(names->v[i]));
        if (k != MAP_NONE && w->list.v[k].dtype == DTYPE_I8)
            w->list.v[k].type = STR(WEIGHT_INT4);
    }
}

struct byte_stretch {
    uint64_t at, end;
};
typedef VEC(struct byte_stretch) stretch_list;

/* Said twice, a reader takes the first and another one the last. */
static bool each_once(const cJSON *v)
{
    static const char *const keys[] = {"dtype", "shape", "data_offsets"};
    int n[ARRAY_LEN(keys)] = {0};
    for (const cJSON *m = v ? v->child : NULL; m; m = m->next)
        for (size_t i = 0; i < ARRAY_LEN(keys); i++)
            n[i] += m->string && strcmp(m->string, keys[i]) == 0;
    return n[0] == 1 && n[1] == 1 && n[2] == 1;
}

static int safetensors_member(struct weights *w, uint32_t file, const struct file *f, uint64_t data,
                              const struct json_member *m, const cJSON *v, stretch_list *all, struct err *e)
{
    const cJSON *type = json_member(v, "dtype");
    struct tensor t = {.file = {.name = f->name}};
    uint64_t at[2];
    if (!each_once(v) || !cJSON_IsString(type) || !read_sizes(json_member(v, "shape"), &t) ||
        !read_offsets(json_member(v, "data_offsets"), at))
        return err_at(e, f->name, m->offset,
                      _("%.*s: expected \"dtype\", \"shape\" and \"data_offsets\": [from, to], each once"),
                      STR_ARG(m->key));
    if (tensor_pack(&t, f->name, e))
        return -1;
    struct err cut;
    bool beyond = at[1] > f->size - data;
    if (beyond) /* a file still being written: the other tensors are complete */
        err_at(&cut, f->name, m->offset, _("%.*s ends at byte %llu of the data; the data has %llu "
                                           "bytes"), STR_ARG(m->key),
               (unsigned long long)at[1], (unsigned long long)(f->size - data));
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (strcmp(type->valuestring, types[i].name) == 0)
            t.dtype = types[i].dtype;
    uint64_t size = dtype_table[t.dtype].size;
    if (size && t.numel * size != at[1] - at[0]) /* numel * 16 fits: tensor_pack */
        return err_at(e, f->name, m->offset, _("%.*s: the shape needs %llu bytes, data_offsets give %llu"),
                      STR_ARG(m->key), (unsigned long long)(t.numel * size), (unsigned long long)(at[1] - at[0]));
    tensor_part_complex(&t);
    struct weight_piece piece = {.file = file, .at = data + at[0], .size = at[1] - at[0]};
    if (at[1] > at[0]) {
        struct byte_stretch s = {at[0], at[1]};
        vec_push(all, s);
    }
    uint32_t i = weights_add(w, m->key, str_of(type->valuestring), &t, size && !beyond ? &piece : NULL, e);
    if (i == UINT32_MAX)
        return -1;
    if (beyond) {
        w->list.v[i].problem = arena_cstr(&w->arena, str_of(cut.text));
        weights_problem(w, i, "damaged", cut.text);
    }
    return 0;
}

static int by_start(const void *a, const void *b)
{
    const struct byte_stretch *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Checks that tensors do not share bytes, which the format forbids and which could make reading endless, and that every
 * byte belongs to one: a tensor may have gone from the header. */
static int stretches_apart(struct weights *w, const stretch_list *l, const struct file *f, uint64_t data, struct err *e)
{
    uint64_t end = 0, unclaimed = 0, first = 0, size = f->size - data;
    vec_sort(l, by_start);
    for (size_t i = 0; i <= l->n; i++) {
        uint64_t next = i < l->n ? l->v[i].at : size;
        if (i && i < l->n && next < end)
            return err_at(e, f->name, data + next, _("two tensors share these bytes; the format forbids it"));
        first = !unclaimed ? end : first;
        unclaimed += next > end ? next - end : 0;
        end = i < l->n ? l->v[i].end : end;
    }
    if (unclaimed) {
        struct err what;
        err_at(&what, f->name, data + first, _("%llu bytes of the data belong to no tensor, the first ones here"),
               (unsigned long long)unclaimed);
        weights_problem(w, UINT32_MAX, "damaged", what.text);
    }
    return 0;
}

/* Behind its object a header has blanks alone: tensors of a second object would not be missed. */
static int only_blanks(const struct file *f, uint64_t from, uint64_t end, struct err *e)
{
    char text[4096];
    while (from < end) {
        size_t n = end - from < sizeof text ? (size_t)(end - from) : sizeof text;
        if (file_read(f, from, text, n, e))
            return -1;
        for (size_t i = 0; i < n; i++)
            if (!strchr(" \t\r\n", text[i]) || !text[i])
                return err_at(e, f->name, from + i, "%s", _("expected nothing but blanks behind the header's object"));
        from += n;
    }
    return 0;
}

static int safetensors_list(struct weights *w, uint32_t file, struct err *e)
{
    w->by_name = true;
    struct file f;
    uint64_t n;
    if (weights_open_file(w, file, &f, e))
        return -1;
    if (!header_length(&f, &n) || n > HEADER_MAX || n > f.size - 8) {
        err_at(e, f.name, 0, _("expected 8 bytes of header length (at most 100 MB, inside the file) and a '{'"));
        file_close(&f);
        return -1;
    }
    struct json_members j = {.name = f.name, .base = 8};
    struct json_member m;
    struct json_pool pool;
    stretch_list all = {0};
    name_list packed = {0};
    /* the header alone, at the file's own offsets */
    struct file_span head = {.fd = f.fd, .size = 8 + n};
    file_join(&j.file, f.name, &head, 1);
    json_pool_enter(&pool);
    int rc;
    while ((rc = json_members_next(&j, &m, e)) == 1) {
        cJSON *v = json_parse(m.value, m.special, f.name, m.offset, e);
        if (!v)
            rc = -1;
        else if (str_is(m.key, "__metadata__")) {
            read_metadata(w, v);
            packed_names(v, &packed);
        } else
            rc = safetensors_member(w, file, &f, 8 + n, &m, v, &all, e) ? -1 : 1;
        json_pool_clear(&pool);
        if (rc < 0)
            break;
    }
    json_pool_leave(&pool);
    if (rc == 0)
        rc = only_blanks(&f, j.base + j.at, 8 + n, e);
    if (rc == 0)
        rc = stretches_apart(w, &all, &f, 8 + n, e);
    mark_packed(w, &packed);
    name_list_release(&packed);
    vec_release(&all);
    j.file.span[0].fd = -1; /* owned by f */
    json_members_close(&j);
    file_close(&f);
    return rc;
}

const struct weight_format weights_safetensors =
    {.name = "safetensors", .probe = safetensors_probe, .list_file = safetensors_list};

/* Writes what a pickle holds of numbers, texts, lists and dictionaries as JSON. */
#include "log/pickled_lists.h"

#include <stdlib.h>

#include "base/io.h"
#include "base/msg.h"
#include "fmt/pickle.h"
#include "fmt/pt.h"
#include "fmt/zip.h"

#define PICKLE_BYTES (16u << 20)
#define JSON_BYTES (32u << 20) /* one list may be referred to many times */
#define DEEPEST 16

struct writer {
    const char *name;
    struct buf *json;
    bool full;
};

static void write_pickled_value(struct writer *w, const struct pickle *p, int depth);

/* All digits of a double: what is printed with few is taken for coarse. */
static void write_exact_number(struct writer *w, double x)
{
    buf_fmt(w->json, "%.17e", x);
}

/* An array of numbers of one axis at most. */
static void write_pickled_array(struct writer *w, const struct pickle *p)
{
    struct tensor t = {0};
    struct pt_bytes b;
    struct buf type = {0};
    struct err quiet;
    bool ok = pt_array(&t, p, w->name, &b, &type, &quiet) == 0 && t.dtype != DTYPE_UNKNOWN && t.ndim <= 1 &&
              b.bytes.n && pt_array_whole(&b, w->name, &quiet) == 0;
    const size_t size = ok ? dtype_table[t.dtype].size : 0;
    if (!ok || dtype_table[t.dtype].klass == CLASS_UNKNOWN) {
        buf_cstr(w->json, "null");
        buf_release(&type);
        return;
    }
    char *raw = mem_alloc(b.bytes.n + 1);
    memcpy(raw, b.bytes.p, b.bytes.n);
    if (b.latin)
        pt_latin(raw, b.bytes.n);
    buf_cstr(w->json, t.ndim ? "[" : "");
    for (uint64_t i = 0; i < t.numel && w->json->n < JSON_BYTES; i++) {
        double x;
        dtype_to_f64(t.dtype, raw + i * size, 1, &x);
        buf_cstr(w->json, i ? "," : "");
        write_exact_number(w, x);
    }
    buf_cstr(w->json, t.ndim ? "]" : "");
    free(raw);
    buf_release(&type);
}

static void write_pickled_text(struct writer *w, struct str s)
{
    buf_char(w->json, '"');
    for (size_t i = 0; i < s.n && i < 256; i++) {
        if (s.p[i] == '"' || s.p[i] == '\\')
            buf_char(w->json, '\\');
        buf_char(w->json, (unsigned char)s.p[i] < ' ' ? ' ' : s.p[i]);
    }
    buf_char(w->json, '"');
}

static void write_pickled_key(struct writer *w, const struct pickle *p)
{
    if (p->kind == PICKLE_INT)
        buf_fmt(w->json, "\"%lld\"", (long long)p->i);
    else
        write_pickled_text(w, p->kind == PICKLE_TEXT ? p->text : STR(""));
}

/* The items of an OrderedDict, a defaultdict or a deque stand behind what makes it. */
static struct pickle container_items(const struct pickle *p)
{
    struct pickle x = *p;
    if (p->kind != PICKLE_CALL || p->n < 3)
        return x;
    const bool dict = pickle_is_global(p->item[0], "collections OrderedDict") ||
                      pickle_is_global(p->item[0], "collections defaultdict");
    if (dict || pickle_is_global(p->item[0], "collections deque"))
        x = (struct pickle){.kind = dict ? PICKLE_DICT : PICKLE_LIST, .item = p->item + 3, .n = p->n - 3};
    return x;
}

static void write_pickled_value(struct writer *w, const struct pickle *p, int depth)
{
    if (w->json->n >= JSON_BYTES || depth == DEEPEST) {
        w->full = true;
        return;
    }
    if (pt_is_array(p) || pt_is_number(p)) {
        write_pickled_array(w, p);
        return;
    }
    const struct pickle x = container_items(p);
    switch (x.kind) {
    case PICKLE_INT:
        buf_fmt(w->json, "%lld", (long long)x.i);
        break;
    case PICKLE_FLOAT:
        write_exact_number(w, x.f);
        break;
    case PICKLE_TEXT:
        write_pickled_text(w, x.text);
        break;
    case PICKLE_TUPLE:
    case PICKLE_LIST:
        buf_char(w->json, '[');
        for (uint32_t i = 0; i < x.n && !w->full; i++) {
            buf_cstr(w->json, i ? "," : "");
            write_pickled_value(w, x.item[i], depth + 1);
        }
        buf_char(w->json, ']');
        break;
    case PICKLE_DICT:
        buf_char(w->json, '{');
        for (uint32_t i = 0; i + 1 < x.n && !w->full; i += 2) {
            buf_cstr(w->json, i ? "," : "");
            write_pickled_key(w, x.item[i]);
            buf_char(w->json, ':');
            write_pickled_value(w, x.item[i + 1], depth + 1);
        }
        buf_char(w->json, '}');
        break;
    default:
        buf_cstr(w->json, "null");
        break;
    }
}

/* The pickle of a zip of torch.save, behind the header of an .npy, or the whole file. */
static int load_pickle_bytes(const struct file *f, struct buf *bytes, struct err *e)
{
    char head[PT_OBJECTS_HEAD] = {0};
    struct zip_member m;
    long n = file_read_some(f, 0, head, sizeof head, e);
    if (n < 12)
        return -1;
    uint64_t at = 0;
    if (memcmp(head, "PK\3\4", 4) == 0) {
        struct zip *z = zip_open(f, e);
        int rc = z ? zip_find_suffix(z, "data.pkl", &m, NULL, e) : -1;
        rc = rc == 1 ? zip_read(f, &m, PICKLE_BYTES, bytes, e) : -1;
        zip_close(z);
        return rc;
    }
    if (memcmp(head, "\x93NUMPY", 6) == 0 && !pt_objects_head(str_n(head, (size_t)n), &at))
        return -1;
    if (at >= f->size || f->size - at > PICKLE_BYTES)
        return -1;
    buf_reserve(bytes, (size_t)(f->size - at));
    n = file_read_some(f, at, bytes->p, (size_t)(f->size - at), e);
    bytes->n = n > 0 ? (size_t)n : 0;
    return n > 0 ? 0 : -1;
}

int pickled_document(const char *path, struct buf *json, struct err *e)
{
    struct file f;
    struct buf bytes = {0};
    struct arena a = {0};
    if (file_open(&f, path, e))
        return -1;
    int rc = load_pickle_bytes(&f, &bytes, e);
    const struct pickle *root = rc == 0 ? pickle_parse(buf_view(&bytes), &a, path, NULL, e) : NULL;
    struct writer w = {.name = path, .json = json};
    if (root)
        write_pickled_value(&w, pt_objects(root), 0);
    file_close(&f);
    buf_release(&bytes);
    arena_release(&a);
    return root && !w.full ? 0 : -1;
}

/* Reads columns that are lists of numbers: in a pickle of torch.save (slime's samples, whose log-probabilities are
 * Python floats), and in JSON with one sequence per line. Both are trees of named values; numbers in lists of equal
 * lengths are one cell. */
#include <stdio.h>

#include "base/io.h"
#include "base/json_read.h"
#include "base/lines.h"
#include "base/msg.h"
#include "base/reading.h"
#include "fmt/pickle.h"
#include "fmt/zip.h"
#include "rollout/rollout_columns.h"

#define PICKLE_MAX (256u << 20)
#define LINE_MAX_BYTES (64u << 20)
#define DOCUMENT_MAX (256u << 20)
#define DEPTH 12
#define VISITS (1u << 26)
#define VISITS_PER_BYTE 64 /* of a pickle, which may repeat one list a thousand times, in a list repeated as often */

/* How a tree is examined, whichever it is. */
struct tree {
    size_t (*count)(const void *node);                        /* members of a list; SIZE_MAX: no list */
    const void *(*first)(const void *node);
    const void *(*next)(const void *list, const void *member, size_t i); /* the i-th, which follows `member` */
    enum reading (*number)(const void *node, bool flags, double *out); /* flags: true and false are 1 and 0 */
    const char *(*found)(char out[READING_FOUND], const void *node); /* what it is, for a message; NULL: a list, a
                                                                        dictionary */
    int (*fields)(struct rollout_columns *c, const struct tree *t, const void *node, struct buf *path, int depth);
    bool flags;                                                /* of the column being read */
    size_t left;                                               /* visits */
    const atomic_bool *cancel;                                 /* or NULL */
};

/* False: there were too many, or nobody waits for the rest. */
static bool visit_tree_node(struct tree *t)
{
    if (t->cancel && atomic_load_explicit(t->cancel, memory_order_relaxed))
        t->left = 0;
    if (!t->left)
        return false;
    t->left--;
    return true;
}

static bool is_number_node(const struct tree *t, const void *node, double *out)
{
    return t->number(node, t->flags, out) == READING_VALUE;
}

/* The axes of nested lists of equal sizes; 0 for other lists. */
static int nested_list_shape(struct tree *t, const void *node, size_t *shape, int most)
{
    size_t n = t->count(node), inner[ROLLOUT_CELL_AXES] = {0};
    double unused;
    int axes = 0;
    if (n == SIZE_MAX || most < 1)
        return 0;
    shape[0] = n;
    const void *x = n ? t->first(node) : NULL;
    for (size_t i = 0; i < n; i++, x = i < n ? t->next(node, x, i) : NULL) {
        size_t own[ROLLOUT_CELL_AXES] = {0};
        if (!visit_tree_node(t))
            return 0;
        int a = is_number_node(t, x, &unused) ? 1 : nested_list_shape(t, x, own, most - 1) + 1;
        if (a == 1 && t->count(x) != SIZE_MAX)
            return 0;
        if (a == 1 && !is_number_node(t, x, &unused))
            return 0;
        if (i == 0) {
            axes = a;
            memcpy(inner, own, sizeof inner);
        } else if (a != axes || memcmp(inner, own, sizeof inner) != 0) {
            return 0;
        }
    }
    for (int i = 1; i < axes; i++)
        shape[i] = inner[i - 1];
    return n ? axes : 1;
}

static double *copy_list_numbers(struct tree *t, const void *node, int axes, double *out)
{
    size_t n = t->count(node);
    const void *x = n ? t->first(node) : NULL;
    for (size_t i = 0; i < n; i++, x = i < n ? t->next(node, x, i) : NULL)
        if (axes > 1)
            out = copy_list_numbers(t, x, axes - 1, out);
        else
            is_number_node(t, x, out++);
    return out;
}

static int descend_tree(struct rollout_columns *c, struct tree *t, const void *node, struct buf *path, int depth);

static int descend_member(struct rollout_columns *c, struct tree *t, struct str name, const void *node,
                          struct buf *path, int depth)
{
    size_t n = path->n;
    if (n + name.n > 1000)
        return 0;
    buf_cstr(path, n ? "." : "");
    buf_str(path, name);
    int rc = descend_tree(c, t, node, path, depth + 1);
    path->n = n;
    path->p[n] = 0;
    return rc;
}

/* In a column of log-probabilities, tokens or lengths a truth value is no value. */
static bool may_hold_flags(enum rollout_role role)
{
    return role == ROLLOUT_ROLE_MASK || role == ROLLOUT_ROLE_ATTENTION || role == ROLLOUT_ROLE_NONE;
}

/* Whether a value of a known name is there that is no number; it is told. A text or a list of texts may be tokens. */
static bool note_unreadable_value(struct rollout_columns *c, struct tree *t, const void *node, const struct buf *path)
{
    char found[READING_FOUND];
    struct str name;
    int64_t row;
    double v;
    enum rollout_role role = rollout_role_of(buf_view(path), &name, &row);
    size_t n = t->count(node), numbers = 0, at = SIZE_MAX;
    const void *x = n == SIZE_MAX ? node : n ? t->first(node) : NULL, *odd = NULL;
    t->flags = may_hold_flags(role);
    if (role == ROLLOUT_ROLE_NONE)
        return false;
    for (size_t i = 0, most = n == SIZE_MAX ? 1 : n; i < most; i++, x = i < most ? t->next(node, x, i) : NULL) {
        bool good = is_number_node(t, x, &v);
        numbers += good;
        if (!good && !odd && t->found(found, x)) {
            odd = x;
            at = i;
        }
    }
    if (!odd || (!numbers && role == ROLLOUT_ROLE_TOKENS))
        return false;
    struct err e;
    if (n == SIZE_MAX)
        err_set(&e, ERR_DATA, _("%s: %s: expected a number, found %s"), c->path, path->p, t->found(found, odd));
    else
        err_set(&e, ERR_DATA, _("%s: %s[%zu]: expected a number, found %s"), c->path, path->p, at,
                t->found(found, odd));
    rollout_unread(c, e.text);
    return true;
}

/* Whether anything was found. */
static int descend_tree(struct rollout_columns *c, struct tree *t, const void *node, struct buf *path, int depth)
{
    size_t shape[ROLLOUT_CELL_AXES], n = t->count(node);
    double v;
    int found = 0, axes;
    if (depth > DEPTH || !visit_tree_node(t))
        return 0;
    if (note_unreadable_value(c, t, node, path))
        return 1;
    if (is_number_node(t, node, &v)) {
        struct rollout_cell *x = rollout_cell_add(c, buf_view(path), 0, NULL);
        if (x)
            x->v[0] = v;
        return x != NULL;
    }
    if (n == SIZE_MAX)
        return t->fields(c, t, node, path, depth);
    axes = nested_list_shape(t, node, shape, ROLLOUT_CELL_AXES);
    if (axes) {
        struct rollout_cell *x = rollout_cell_add(c, buf_view(path), axes, shape);
        if (x)
            copy_list_numbers(t, node, axes, x->v);
        return x != NULL;
    }
    const void *x = n ? t->first(node) : NULL;
    for (size_t i = 0; i < n; i++, x = i < n ? t->next(node, x, i) : NULL) {
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        found |= descend_member(c, t, str_of(number), x, path, depth);
    }
    return found;
}

/* ---- pickles ---- */

static size_t pickle_count(const void *node)
{
    const struct pickle *p = node;
    return p->kind == PICKLE_LIST || p->kind == PICKLE_TUPLE ? p->n : SIZE_MAX;
}

static const void *pickle_first(const void *node)
{
    return ((const struct pickle *)node)->item[0];
}

static const void *pickle_next(const void *list, const void *before, size_t i)
{
    (void)before;
    return ((const struct pickle *)list)->item[i];
}

static enum reading pickle_number(const void *node, bool flags, double *out)
{
    const struct pickle *p = node;
    if (p->kind == PICKLE_NONE)
        return READING_ABSENT;
    if (p->kind != PICKLE_FLOAT && p->kind != PICKLE_INT && !(flags && p->kind == PICKLE_BOOL))
        return READING_UNREADABLE;
    *out = p->kind == PICKLE_FLOAT ? p->f : (double)p->i;
    return READING_VALUE;
}

static const char *pickle_found(char out[READING_FOUND], const void *node)
{
    const struct pickle *p = node;
    if (p->kind == PICKLE_TEXT)
        return reading_found(out, p->text);
    if (p->kind != PICKLE_NONE && p->kind != PICKLE_BOOL)
        return NULL;
    snprintf(out, READING_FOUND, "%s", p->kind == PICKLE_NONE ? "None" : p->i ? "True" : "False");
    return out;
}

/* Members of a dictionary; of an object those of its state. */
static int pickle_fields(struct rollout_columns *c, const struct tree *t, const void *node, struct buf *path, int depth)
{
    const struct pickle *p = node;
    int found = 0;
    if (p->kind == PICKLE_CALL && p->n >= 3 && p->item[2]->kind == PICKLE_DICT)
        p = p->item[2];
    for (uint32_t i = 0; p->kind == PICKLE_DICT && i + 1 < p->n; i += 2)
        if (p->item[i]->kind == PICKLE_TEXT)
            found |= descend_member(c, (struct tree *)(uintptr_t)t, p->item[i]->text, p->item[i + 1], path, depth);
    return found;
}

int rollout_read_pickle(struct rollout_columns *c, const atomic_bool *cancel, struct err *e)
{
    struct tree t = {pickle_count, pickle_first, pickle_next, pickle_number, pickle_found, pickle_fields, false,
                     VISITS, cancel};
    struct file f;
    struct zip_member m;
    struct buf text = {0}, path = {0};
    struct arena a = {0};
    struct err quiet;
    int found = 0;
    if (path_is_dir(c->path))
        return 0;
    if (file_open(&f, c->path, e))
        return -1;
    struct zip *z = zip_open(&f, &quiet);
    if (z && zip_find_suffix(z, "data.pkl", &m, NULL, &quiet) == 1) {
        const struct pickle *root = zip_read(&f, &m, PICKLE_MAX, &text, &quiet)
                                        ? NULL : pickle_parse(buf_view(&text), &a, c->path, NULL, &quiet);
        if (text.n < VISITS / VISITS_PER_BYTE)
            t.left = text.n * VISITS_PER_BYTE;
        if (root)
            found = descend_tree(c, &t, root, &path, 0);
        if (root && !t.left)
            err_set(&quiet, ERR_DATA, _("%s: lists repeated more often than its size allows: not all of them were "
                                        "read"), c->path);
        if (!root || !t.left)
            rollout_unread(c, quiet.text);
        if (root && !t.left && !found) {
            *e = quiet;
            found = -1;
        }
        if (!*c->format)
            c->format = "torch";
    }
    zip_close(z);
    file_close(&f);
    buf_release(&text);
    buf_release(&path);
    arena_release(&a);
    return found;
}

/* ---- JSON ---- */

static size_t json_count(const void *node)
{
    const cJSON *v = node;
    return cJSON_IsArray(v) ? (size_t)cJSON_GetArraySize(v) : SIZE_MAX;
}

static const void *json_first(const void *node)
{
    return ((const cJSON *)node)->child;
}

static const void *json_next(const void *list, const void *before, size_t i)
{
    (void)list;
    (void)i;
    return ((const cJSON *)before)->next;
}

static enum reading json_value(const void *node, bool flags, double *out)
{
    const cJSON *v = node;
    if (!flags || !cJSON_IsBool(v))
        return reading_json_number(v, out);
    *out = cJSON_IsTrue(v);
    return READING_VALUE;
}

static const char *json_found(char out[READING_FOUND], const void *node)
{
    const cJSON *v = node;
    return cJSON_IsArray(v) || (cJSON_IsObject(v) && v->child) ? NULL : reading_json_found(out, v);
}

static int json_fields(struct rollout_columns *c, const struct tree *t, const void *node, struct buf *path, int depth)
{
    int found = 0;
    if (cJSON_IsObject((const cJSON *)node))
        for (const cJSON *m = ((const cJSON *)node)->child; m; m = m->next)
            found |= descend_member(c, (struct tree *)(uintptr_t)t, str_of(m->string), m, path, depth);
    return found;
}

static int add_document(struct rollout_columns *c, const cJSON *root, int64_t row)
{
    struct tree t = {json_count, json_first, json_next, json_value, json_found, json_fields, false, VISITS, NULL};
    struct buf path = {0};
    if (row >= 0)
        buf_fmt(&path, "%lld", (long long)row);
    int found = descend_tree(c, &t, root, &path, 0);
    buf_release(&path);
    return found;
}

/* One sequence per line; the lists of a single line may contain all sequences. */
static int json_lines(struct rollout_columns *c, const atomic_bool *cancel, struct err *e)
{
    struct lines l;
    struct str line;
    int found = 0, rc, row = 0;
    cJSON *held = NULL;
    if (lines_open(&l, c->path, LINE_MAX_BYTES, false, e))
        return -1;
    while ((rc = lines_next(&l, &line, e)) > 0 && !(cancel && atomic_load(cancel))) {
        if (!str_trim(line).n)
            continue;
        cJSON *v = json_parse(line, true, c->path, l.offset, e);
        if (!v) {
            rc = -1;
            break;
        }
        if (row == 0) {
            held = v;
        } else {
            if (row == 1)
                found |= add_document(c, held, 0);
            found |= add_document(c, v, row);
            cJSON_Delete(v);
        }
        row++;
    }
    if (rc >= 0 && row == 1)
        found |= add_document(c, held, -1);
    cJSON_Delete(held);
    lines_close(&l);
    if (rc >= 0 && cancel && atomic_load(cancel))
        rc = err_set(e, ERR_CANCEL, "%s", _("interrupted"));
    return rc < 0 ? -1 : found;
}

int rollout_read_json(struct rollout_columns *c, const atomic_bool *cancel, struct err *e)
{
    char head[256];
    struct str start = str_trim(file_head(c->path, head, sizeof head));
    struct err lines_say;
    if (!start.n || (start.p[0] != '{' && start.p[0] != '['))
        return 0;
    c->format = "json";
    int found = json_lines(c, cancel, &lines_say);
    if (found < 0 && !c->cells.n) { /* one value over several lines */
        cJSON *root = json_load(c->path, DOCUMENT_MAX, e);
        found = root ? add_document(c, root, -1) : -1;
        cJSON_Delete(root);
    }
    if (found < 0)
        *e = lines_say;
    if (found == 0)
        err_set(&c->why, ERR_DATA, _("%s: no log-probabilities of tokens in this JSON file"), c->path);
    return found;
}

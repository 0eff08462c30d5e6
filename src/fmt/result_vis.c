/* Graphs of msprobe's visualization (*.vis): {"NPU": graph, "Bench": graph}, or one graph alone; a graph's nodes hold
 * the figures of their inputs and outputs, and the node of the other side that they were matched with. */
#include <math.h>

#include "base/json_read.h"
#include "base/msg.h"
#include "base/num.h"
#include "fmt/result_table.h"

#define VIS_BYTES (1u << 30)

static bool probe(const char *path)
{
    char head[4096];
    struct str s;
    if (!str_ends(str_of(path), ".vis") || !path_is_file(path))
        return false;
    s = file_head(path, head, sizeof head);
    while (s.n && strchr(" \t\r\n", s.p[0]))
        s = str_cut(s, 1);
    return str_starts(s, "{") && (str_has(s, "\"NPU\"") || str_has(s, "\"node\"") || str_has(s, "\"root\""));
}

static struct str text_of(struct arena *a, const cJSON *v)
{
    char tmp[NUM_MAX];
    double d;
    if (cJSON_IsBool(v))
        return cJSON_IsTrue(v) ? STR("True") : STR("False");
    if (json_number(v, &d)) /* before texts: NaN and Inf are marked ones */
        return str_of(arena_cstr(a, str_of(isnan(d) ? "nan" : num_exact(tmp, d))));
    return cJSON_IsString(v) ? str_of(v->valuestring) : STR("");
}

/* A tensor's own fields: the column of the target, and that of the golden side. */
static const struct {
    const char *key;
    enum result_column of[2];
} fields[] = {
    {"dtype", {COL_TARGET_DTYPE, COL_GOLDEN_DTYPE}}, {"shape", {COL_TARGET_SHAPE, COL_GOLDEN_SHAPE}},
    {"Max", {COL_TARGET_MAX, COL_GOLDEN_MAX}},       {"Min", {COL_TARGET_MIN, COL_GOLDEN_MIN}},
    {"Mean", {COL_TARGET_MEAN, COL_GOLDEN_MEAN}},    {"Norm", {COL_TARGET_NORM, COL_GOLDEN_NORM}},
    {"md5", {COL_TARGET_MD5, COL_GOLDEN_MD5}},
};

struct vis_reading {
    struct result_table *t;
    struct arena arena;  /* texts of one row */
    const cJSON *nodes[2];
    uint64_t line;
};

/* One side's fields of a tensor; of the target also what the tool found. */
static void take_fields(struct vis_reading *r, struct str cell[COL_COUNT], const cJSON *tensor, int side)
{
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(tensor, "type");
    for (const cJSON *v = tensor ? tensor->child : NULL; v; v = v->next) {
        enum result_column c = COL_COUNT;
        for (size_t i = 0; i < ARRAY_LEN(fields) && v->string; i++)
            if (strcmp(v->string, fields[i].key) == 0)
                c = fields[i].of[side];
        if (c == COL_COUNT && side == TARGET && v->string)
            c = result_column(str_of(v->string));
        if (c == COL_COUNT || c == COL_STACK)
            continue;
        r->t->head.had[c] = true;
        cell[c] = text_of(&r->arena, v);
    }
    enum result_column of_type = side == TARGET ? COL_TARGET_DTYPE : COL_GOLDEN_DTYPE;
    if (!cell[of_type].n) /* a value that is no tensor: "<class 'int'>" */
        cell[of_type] = text_of(&r->arena, type);
}

/* The tensor of another node that has the same end of name, otherwise the one at the same place. */
static const cJSON *counterpart(const cJSON *list, struct str end, size_t place)
{
    const cJSON *at = NULL;
    size_t i = 0;
    for (const cJSON *v = list ? list->child : NULL; v; v = v->next, i++) {
        struct str name = str_of(v->string ? v->string : "");
        if (end.n && name.n > end.n && memcmp(name.p + name.n - end.n, end.p, end.n) == 0)
            return v;
        if (i == place)
            at = v;
    }
    return at;
}

static int add_tensor(struct vis_reading *r, const cJSON *target, const cJSON *golden, struct err *e)
{
    struct str cell[COL_COUNT];
    for (int c = 0; c < COL_COUNT; c++)
        cell[c] = STR("");
    cell[COL_TARGET_NAME] = target && target->string ? str_of(target->string) : STR("N/A");
    cell[COL_GOLDEN_NAME] = golden && golden->string ? str_of(golden->string) : STR("N/A");
    take_fields(r, cell, target, TARGET);
    take_fields(r, cell, golden, GOLDEN);
    int rc = result_add(r->t, cell, NULL, 0, ++r->line, e);
    arena_clear(&r->arena);
    return rc;
}

static const char *const lists[] = {"input_data", "output_data"};

/* The rows of a node of either side, with those of the node it was matched with. */
static int add_node(struct vis_reading *r, const cJSON *node, const cJSON *other, int side, struct err *e)
{
    struct str id = str_of(node->string ? node->string : "");
    for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
        const cJSON *own = cJSON_GetObjectItemCaseSensitive(node, lists[k]);
        const cJSON *theirs = cJSON_GetObjectItemCaseSensitive(other, lists[k]);
        size_t place = 0;
        for (const cJSON *v = cJSON_IsObject(own) ? own->child : NULL; v; v = v->next, place++) {
            struct str name = str_of(v->string ? v->string : "");
            struct str end = name.n > id.n && memcmp(name.p, id.p, id.n) == 0 ? str_cut(name, id.n) : STR("");
            const cJSON *x = counterpart(cJSON_IsObject(theirs) ? theirs : NULL, end, place);
            if (!cJSON_IsObject(v) || add_tensor(r, side ? x : v, side ? v : x, e))
                return cJSON_IsObject(v) ? -1
                                         : err_set(e, ERR_DATA, _("%s: expected the figures of %s"), r->t->path,
                                                   name.n ? name.p : "a tensor");
        }
    }
    return 0;
}

/* The node of the other side: the last of its matched_node_link. */
static const cJSON *matched(const struct vis_reading *r, const cJSON *node, int side)
{
    const cJSON *link = cJSON_GetObjectItemCaseSensitive(node, "matched_node_link");
    const cJSON *last = cJSON_IsArray(link) ? link->child : NULL;
    while (last && last->next)
        last = last->next;
    return cJSON_IsString(last) && r->nodes[!side]
               ? cJSON_GetObjectItemCaseSensitive(r->nodes[!side], last->valuestring) : NULL;
}

static int add_sides(struct vis_reading *r, struct err *e)
{
    for (int side = 0; side < 2; side++)
        for (const cJSON *node = r->nodes[side] ? r->nodes[side]->child : NULL; node; node = node->next) {
            const cJSON *other = matched(r, node, side);
            if (side && other) /* its rows came with the target's */
                continue;
            if (load_cancelled(r->t->load))
                return err_set(e, ERR_CANCEL, "%s", _("stopped"));
            if (add_node(r, node, other, side, e))
                return -1;
        }
    return 0;
}

static int open_vis(struct dump *d, struct load *load, struct err *e)
{
    struct result_table t = {.d = d, .load = load, .path = d->path, .tool = TOOL_CHECK, .own = true};
    struct vis_reading r = {.t = &t};
    cJSON *root = json_load(d->path, VIS_BYTES, e);
    result_begin(&t);
    t.head.had[COL_TARGET_NAME] = t.head.had[COL_GOLDEN_NAME] = true;
    int rc = root ? 0 : -1;
    if (rc == 0) {
        const cJSON *npu = cJSON_GetObjectItemCaseSensitive(root, "NPU");
        const cJSON *bench = cJSON_GetObjectItemCaseSensitive(root, "Bench");
        r.nodes[TARGET] = cJSON_GetObjectItemCaseSensitive(npu ? npu : root, "node");
        r.nodes[GOLDEN] = cJSON_GetObjectItemCaseSensitive(bench, "node");
        if (!cJSON_IsObject(r.nodes[TARGET]) || (bench && !cJSON_IsObject(r.nodes[GOLDEN])))
            rc = err_set(e, ERR_DATA, _("%s: expected the nodes of a graph"), d->path);
    }
    if (rc == 0)
        rc = add_sides(&r, e);
    cJSON_Delete(root);
    arena_release(&r.arena);
    return result_end(&t, rc, e);
}

const struct reader reader_msprobe_vis = {
    .name = "msprobe-vis",
    .title = N_("graphs of msprobe's visualization with the figures of both sides"),
    .what = "compare_*.vis build_*.vis",
    .versions = "msprobe 26",
    .unread = N_("*.vis.db; stacks, marks and colours of the graphs"),
    .probe = probe,
    .open = open_vis,
    .close = result_close,
    .table = true,
};

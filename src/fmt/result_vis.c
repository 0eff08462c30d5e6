/* Graphs of msprobe's visualization (*.vis): {"NPU": graph, "Bench": graph}, or one graph alone; a graph's nodes hold
 * the figures of their inputs and outputs, and the node of the other side that they were matched with. The same in a
 * database (*.vis.db): a row of tb_nodes a node, of all steps and ranks. */
#include <math.h>

#include "base/database.h"
#include "base/json_read.h"
#include "base/json_tree.h"
#include "base/msg.h"
#include "base/reading.h"
#include "fmt/result_table.h"

#define VIS_BYTES (1u << 30)

static bool vis_probe(const char *path)
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

/* A tensor's own fields: the column of the target, and that of the golden side. */
static const struct {
    const char *key;
    enum result_column of[2];
} fields[] = {
    {"dtype", {COL_TARGET_DTYPE, COL_GOLDEN_DTYPE}}, {"shape", {COL_TARGET_SHAPE, COL_GOLDEN_SHAPE}},
    {"Max", {COL_TARGET_MAX, COL_GOLDEN_MAX}},       {"Min", {COL_TARGET_MIN, COL_GOLDEN_MIN}},
    {"Mean", {COL_TARGET_MEAN, COL_GOLDEN_MEAN}},    {"Norm", {COL_TARGET_NORM, COL_GOLDEN_NORM}},
    {"requires_grad", {COL_TARGET_NEEDS, COL_GOLDEN_NEEDS}},
    {"md5", {COL_TARGET_MD5, COL_GOLDEN_MD5}},
};

struct vis_reading {
    struct result_table *t;
    struct arena arena;  /* texts of one row */
    uint64_t line;
};

/* A node, without what is not read of it. */
struct vis_node {
    struct str id;
    const cJSON *list[2]; /* figures of inputs, of outputs; NULL: it has none */
};

/* A number's or flag's value stands again in the places of a tensor's figures. */
static void check_value(struct vis_reading *r, const struct str *cell, const cJSON *argument, int side)
{
    static const char *const types[] = {"int", "float", "bool"};
    const cJSON *value = json_member(argument, "value"), *type = json_member(argument, "type");
    if (!value || !cJSON_IsString(type) || !STR_ONE_OF(str_of(type->valuestring), types))
        return;
    struct str said = str_trim(result_json_text(&r->arena, value));
    for (int i = 0; i < STAT_COUNT; i++) {
        struct str x = str_trim(cell[(side == TARGET ? COL_TARGET_MAX : COL_GOLDEN_MAX) + i]);
        double v, figure;
        bool numbers = reading_number(said, &v) == READING_VALUE && reading_number(x, &figure) == READING_VALUE;
        if (!reading_is_nothing(x) && (numbers ? v != figure && !(isnan(v) && isnan(figure)) : !str_eq(x, said)))
            result_odd(r->t, said, _("the argument's value as in its other places"));
    }
}

/* One side's fields of a tensor; of the target also what the tool found. */
static void take_fields(struct vis_reading *r, struct str cell[COL_COUNT], const cJSON *tensor, int side)
{
    const cJSON *type = json_member(tensor, "type");
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
        cell[c] = result_json_text(&r->arena, v);
    }
    check_value(r, cell, tensor, side);
    enum result_column of_type = side == TARGET ? COL_TARGET_DTYPE : COL_GOLDEN_DTYPE;
    if (!cJSON_HasObjectItem(tensor, "dtype")) /* a value that is no tensor: "<class 'int'>" */
        cell[of_type] = result_json_text(&r->arena, type);
}

/* The tensor of another node that has the same end of name, otherwise the one at the same place. */
static const cJSON *counterpart_tensor(const cJSON *list, struct str end, size_t place)
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

/* The rows of a node of either side, with those of the node it was matched with. */
static int add_node(struct vis_reading *r, const struct vis_node *node, const struct vis_node *other, int side,
                    struct err *e)
{
    for (size_t k = 0; k < ARRAY_LEN(node->list); k++) {
        const cJSON *own = node->list[k], *theirs = other ? other->list[k] : NULL;
        size_t place = 0;
        for (const cJSON *v = cJSON_IsObject(own) ? own->child : NULL; v; v = v->next, place++) {
            struct str name = str_of(v->string ? v->string : "");
            struct str end = name.n > node->id.n && memcmp(name.p, node->id.p, node->id.n) == 0
                                 ? str_cut(name, node->id.n) : STR("");
            const cJSON *x = counterpart_tensor(cJSON_IsObject(theirs) ? theirs : NULL, end, place);
            if (!cJSON_IsObject(v))
                return err_set(e, ERR_DATA, _("%s: expected the figures of %s"), r->t->path,
                               name.n ? name.p : "a tensor");
            if (add_tensor(r, side ? x : v, side ? v : x, e))
                return -1;
        }
    }
    return 0;
}

static int read_all(struct dump *d, struct load *load, int (*read)(struct vis_reading *r, struct err *e), struct err *e)
{
    struct result_table t = {.d = d, .load = load, .path = d->path, .tool = TOOL_MSPROBE};
    struct vis_reading r = {.t = &t};
    result_begin(&t);
    t.head.had[COL_TARGET_NAME] = t.head.had[COL_GOLDEN_NAME] = true;
    int rc = read(&r, e);
    arena_release(&r.arena);
    return result_end(&t, rc, e);
}

/* The name of the node of the other side: the last of matched_node_link, "" where it has none. */
static struct str last_link(const cJSON *link)
{
    const cJSON *last = cJSON_IsArray(link) ? link->child : NULL;
    while (last && last->next)
        last = last->next;
    return str_of(cJSON_IsString(last) ? last->valuestring : "");
}

/* ---- *.vis ---- */

struct vis_graph {
    VEC(const cJSON *) nodes;
    struct map by_name;
};

static bool take_graph(struct vis_graph *g, const cJSON *graph)
{
    const cJSON *nodes = json_member(graph, "node");
    for (const cJSON *v = cJSON_IsObject(nodes) ? nodes->child : NULL; v; v = v->next) {
        map_add(&g->by_name, str_of(v->string), (uint32_t)g->nodes.n);
        vec_push(&g->nodes, v);
    }
    return cJSON_IsObject(nodes);
}

static struct vis_node node_of(const cJSON *v)
{
    return (struct vis_node){str_of(v->string ? v->string : ""),
                             {json_member(v, "input_data"), json_member(v, "output_data")}};
}

static int add_graphs(struct vis_reading *r, const struct vis_graph graph[2], struct err *e)
{
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < graph[side].nodes.n; i++) {
            const cJSON *v = graph[side].nodes.v[i];
            struct str name = last_link(json_member(v, "matched_node_link"));
            uint32_t at = name.n ? map_get(&graph[!side].by_name, name) : MAP_NONE;
            if (side && at != MAP_NONE) /* its rows came with the target's */
                continue;
            struct vis_node node = node_of(v), other = {0};
            if (at != MAP_NONE)
                other = node_of(graph[!side].nodes.v[at]);
            if (load_cancelled(r->t->load))
                return err_set(e, ERR_CANCEL, "%s", _("stopped"));
            if (add_node(r, &node, at == MAP_NONE ? NULL : &other, side, e))
                return -1;
        }
    return 0;
}

static int read_vis(struct vis_reading *r, struct err *e)
{
    struct vis_graph graph[2] = {0};
    cJSON *root = json_load(r->t->path, VIS_BYTES, e);
    int rc = root ? 0 : -1;
    if (rc == 0) {
        const cJSON *npu = json_member(root, "NPU");
        const cJSON *bench = json_member(root, "Bench");
        if (!take_graph(&graph[TARGET], npu ? npu : root) || (bench && !take_graph(&graph[GOLDEN], bench)))
            rc = err_set(e, ERR_DATA, _("%s: expected the nodes of a graph"), r->t->path);
    }
    if (rc == 0)
        rc = add_graphs(r, graph, e);
    for (int side = 0; side < 2; side++) {
        vec_release(&graph[side].nodes);
        map_release(&graph[side].by_name);
    }
    cJSON_Delete(root);
    return rc;
}

static int open_vis(struct dump *d, struct load *load, struct err *e)
{
    return read_all(d, load, read_vis, e);
}

/* ---- *.vis.db ---- */

static bool probe_db(const char *path)
{
    return path_is_file(path) && database_holds(path, "tb_nodes");
}

/* One that cannot be read is a place still: opening it says why. */
static void vis_places(const char *path, place_list *out)
{
    struct database db;
    struct query q = {0};
    struct err quiet;
    size_t before = out->n;
    int64_t at[2];
    if (database_open(&db, path, &quiet) == 0) {
        if (query_begin(&q, &db, "SELECT DISTINCT step, rank FROM tb_nodes ORDER BY step, rank LIMIT 65536",
                        &quiet) == 0)
            while (query_next(&q, &quiet) > 0) {
                int number[] = {-1, -1};
                for (int i = 0; i < 2; i++)
                    if (query_whole(&q, i, &at[i]) == READING_VALUE && at[i] >= 0 && at[i] < INT32_MAX)
                        number[i] = (int)at[i];
                place_list_add(out, &reader_msprobe_vis_db, path, number[0], number[1]);
            }
        query_end(&q);
        database_close(&db);
    }
    if (out->n == before)
        place_list_add(out, &reader_msprobe_vis_db, path, -1, -1);
}

/* A node of the database, with what its columns hold as trees. */
struct db_node {
    struct vis_node node;
    cJSON *tree[3]; /* matched_node_link, input_data, output_data */
    struct buf id;
};

static void db_node_release(struct db_node *n)
{
    for (size_t i = 0; i < ARRAY_LEN(n->tree); i++)
        cJSON_Delete(n->tree[i]);
    buf_release(&n->id);
    *n = (struct db_node){0};
}

#define NODE_COLUMNS "node_name, matched_node_link, input_data, output_data"

static int take_db_node(struct vis_reading *r, const struct query *q, struct db_node *out, struct err *e)
{
    static const char *const names[] = {"matched_node_link", "input_data", "output_data"};
    struct str text;
    if (query_text(q, 0, &text) != READING_VALUE || !text.n)
        return err_set(e, ERR_DATA, _("%s: expected the name of a node"), r->t->path);
    buf_str(&out->id, text);
    for (int i = 0; i < 3; i++) {
        enum reading found = query_text(q, i + 1, &text);
        bool lists = i == 0;
        if (found == READING_ABSENT || (found == READING_VALUE && (!text.n || str_is(text, "null"))))
            continue;
        out->tree[i] = found == READING_VALUE ? json_text(text, r->t->path, e) : NULL;
        if (!(lists ? cJSON_IsArray(out->tree[i]) : cJSON_IsObject(out->tree[i])))
            return err_set(e, ERR_DATA, lists ? _("%s: %s: expected a list in column %s")
                                              : _("%s: %s: expected the figures of tensors in column %s"), r->t->path,
                           out->id.p, names[i]);
    }
    out->node = (struct vis_node){buf_view(&out->id), {out->tree[1], out->tree[2]}};
    return 0;
}

/* The node of a name on the other side: 1, 0 where there is none, -1. */
static int find_db_node(struct vis_reading *r, struct query *q, int side, struct str name, struct db_node *out,
                        struct err *e)
{
    query_set_text(q, 2, side ? STR("NPU") : STR("Bench"));
    query_set_text(q, 3, name);
    int more = query_next(q, e);
    return more == 1 && take_db_node(r, q, out, e) ? -1 : more;
}

static int add_db_node(struct vis_reading *r, struct query *find, int side, struct db_node *node, struct err *e)
{
    struct db_node other = {0};
    struct str name = last_link(node->tree[0]);
    int more = name.n ? find_db_node(r, find, side, name, &other, e) : 0;
    int rc = more < 0 ? -1 : side && more ? 0 /* its rows came with the target's */
                           : add_node(r, &node->node, more ? &other.node : NULL, side, e);
    db_node_release(&other);
    return rc;
}

static bool load_is_stopped(void *load)
{
    return load_cancelled(load);
}

static int read_db(struct vis_reading *r, struct err *e)
{
    struct database db;
    struct query all = {0}, find = {0};
    const struct dump *d = r->t->d;
    if (database_open(&db, d->path, e))
        return -1;
    db.stop = load_is_stopped;
    db.ctx = r->t->load;
    int rc = query_begin(&all, &db, "SELECT " NODE_COLUMNS " FROM tb_nodes WHERE step = ?1 AND rank = ?2 AND "
                         "data_source = ?3 ORDER BY node_order", e);
    if (rc == 0)
        rc = query_begin(&find, &db, "SELECT " NODE_COLUMNS " FROM tb_nodes WHERE step = ?1 AND rank = ?2 AND "
                         "data_source = ?3 AND node_name = ?4", e);
    for (int side = 0; side < 2 && rc == 0; side++) {
        int more;
        struct db_node node = {0};
        struct query *const both[] = {&all, &find};
        for (size_t i = 0; i < ARRAY_LEN(both); i++) {
            query_set_whole(both[i], 0, d->step);
            query_set_whole(both[i], 1, d->rank);
        }
        query_set_text(&all, 2, side ? STR("Bench") : STR("NPU"));
        while (rc == 0 && (more = query_next(&all, e)) != 0) {
            rc = more < 0 || take_db_node(r, &all, &node, e) || add_db_node(r, &find, side, &node, e) ? -1 : 0;
            db_node_release(&node);
        }
    }
    query_end(&all);
    query_end(&find);
    database_close(&db);
    return rc;
}

static int open_db(struct dump *d, struct load *load, struct err *e)
{
    return read_all(d, load, read_db, e);
}

const struct reader reader_msprobe_vis = {
    .name = "msprobe-vis",
    .title = N_("graphs of msprobe's visualization with the figures of both sides"),
    .what = "compare_*.vis build_*.vis: {\"NPU\": {\"root\": …, \"node\": {…",
    .versions = "msprobe 26",
    .unread = N_("stacks and colours of the graphs"),
    .probe = vis_probe,
    .open = open_vis,
    .close = result_close,
    .table = true,
};

const struct reader reader_msprobe_vis_db = {
    .name = "msprobe-vis-db",
    .title = N_("the same graphs in a database, of all steps and ranks (SQLite)"),
    .what = "compare_*.vis.db build_*.vis.db, with the table tb_nodes",
    .versions = "msprobe 26.2",
    .unread = N_("stacks and colours of the graphs"),
    .probe = probe_db,
    .places = vis_places,
    .open = open_db,
    .close = result_close,
    .table = true,
};

/* MindSpore's strategy files. The message (node_strategy.proto) is a ParallelStrategyMap: field 3 has one item per
 * parameter with its name and ParallelLayouts: the device matrix (1); for each axis the axis of the matrix along
 * which it is cut, counted from the last, -1: not cut (2); sizes of uneven parts (3); and the further cut by
 * optimizer parallelism (6, 7). Lists are for all axes, or, if a Layout has several matrix axes for one axis, one
 * list per axis. The JSON form uses names. A merged file has the pipeline stage before the name, "1-model.layers.4…".
 */
#include "fmt/weight_strategy.h"

#include "base/folder.h"
#include "base/json_read.h"
#include "base/json_tree.h"
#include "base/msg.h"
#include "base/proto_fields.h"

#define FILE_MAX_BYTES (64u << 20)
#define ENTRIES 100000

/* The layout as in the file. */
struct raw_layout {
    int64_t device[STRATEGY_DEVICES], map[TENSOR_DIMS][STRATEGY_DEVICES];
    int devices, lists, length[TENSOR_DIMS];
    int64_t step, size;
    bool nested; /* a list an axis, even where there is one */
    bool uneven, damaged; /* damaged: also larger than any layout is */
};

/* ---- what a layout says ---- */

static bool is_used(const struct strategy_layout *l, int device)
{
    for (int a = 0; a < l->axes; a++)
        for (int k = 0; k < l->cut[a].n; k++)
            if (l->cut[a].device[k] == device)
                return true;
    return false;
}

static bool cut_along(struct strategy_layout *l, int axis, int64_t from_last)
{
    if (from_last == -1)
        return true;
    if (from_last < 0 || from_last >= l->devices || is_used(l, l->devices - 1 - (int)from_last))
        return false;
    l->cut[axis].device[l->cut[axis].n++] = l->devices - 1 - (int)from_last;
    return true;
}

static bool interpret_layout(const struct raw_layout *r, struct strategy_layout *l)
{
    int64_t all = 1, free = 1;
    *l = (struct strategy_layout){.devices = r->devices, .uneven = r->uneven};
    if (r->damaged || !r->devices)
        return false;
    for (int i = 0; i < r->devices; i++) {
        if (r->device[i] < 1 || r->device[i] > STRATEGY_RANKS || (all *= r->device[i]) > STRATEGY_RANKS)
            return false;
        l->device[i] = r->device[i];
    }
    bool nested = r->nested || r->lists > 1;
    l->axes = nested ? r->lists : r->length[0];
    if (l->axes > TENSOR_DIMS)
        return false;
    for (int a = 0; a < l->axes; a++)
        for (int k = 0; k < (nested ? r->length[a] : 1); k++)
            if (!cut_along(l, a, nested ? r->map[a][k] : r->map[0][a]))
                return false;
    for (int d = 0; d < l->devices; d++)
        free *= is_used(l, d) ? 1 : l->device[d];
    if (r->step && r->size)
        l->optimizer = r->size < 0 ? free : r->size;
    return l->optimizer <= free && (!l->optimizer || free % l->optimizer == 0);
}

static int strategy_add(struct strategy *s, struct str name, const struct raw_layout *r, const char *file,
                        struct err *e)
{
    struct strategy_layout l;
    unsigned long long stage;
    ptrdiff_t dash = str_find(name, '-');
    if (dash > 0 && str_u64(str_n(name.p, (size_t)dash), &stage))
        name = str_cut(name, (size_t)dash + 1);
    if (!interpret_layout(r, &l))
        return err_set(e, ERR_DATA, _("%s: the layout of %.*s is damaged"), file, STR_ARG(name));
    if (map_get(&s->names, name) != MAP_NONE)
        return 0; /* each rank's file has the same contents */
    map_add(&s->names, arena_str(&s->arena, name), (uint32_t)s->list.n);
    vec_push(&s->list, l);
    return 0;
}

static int not_strategy(const char *file, struct err *e)
{
    return err_set(e, ERR_DATA, _("%s: expected a strategy file of MindSpore"), file);
}

/* ---- protobuf ---- */

/* Repeated integers of a message's field 1, packed or one by one: how many. */
static int read_integers(struct str message, int64_t *out, int max, bool *damaged)
{
    struct proto_field f = {0};
    int n = 0;
    while (proto_take(&message, &f, damaged)) {
        struct str packed = f.bytes;
        bool list = f.type == 2;
        if (f.number != 1 || (list && !packed.n))
            continue;
        do {
            if (n == max || (list ? !proto_varint(&packed, &f.v) : f.type != 0)) {
                *damaged = true;
                return n;
            }
            out[n++] = (int64_t)f.v;
        } while (list && packed.n);
    }
    return n;
}

static void read_layout(struct str message, struct raw_layout *r)
{
    struct proto_field f;
    while (proto_take(&message, &f, &r->damaged)) {
        if (f.number == 1 && f.type == 2) {
            r->devices = read_integers(f.bytes, r->device, STRATEGY_DEVICES, &r->damaged);
        } else if (f.number == 2 && f.type == 2 && r->lists < TENSOR_DIMS) {
            r->length[r->lists] = read_integers(f.bytes, r->map[r->lists], STRATEGY_DEVICES, &r->damaged);
            r->lists++;
        } else if (f.number == 3 && f.type == 2) {
            r->uneven |= f.bytes.n > 0;
        } else if (f.number == 6 && f.type == 0) {
            r->step = (int32_t)f.v;
        } else if (f.number == 7 && f.type == 0) {
            r->size = (int32_t)f.v;
        } else {
            r->damaged |= f.number < 4 || f.number == 6 || f.number == 7; /* of a type it never has, or once more */
        }
    }
}

static int read_message(struct strategy *s, struct str text, const char *file, struct err *e)
{
    struct proto_field item, f;
    size_t parameters = 0;
    bool damaged = false;
    while (proto_take(&text, &item, &damaged)) {
        struct raw_layout r = {.devices = 0};
        struct str name = {0}, rest = item.bytes;
        if (item.number != 3)
            continue;
        damaged = item.type != 2;
        while (!damaged && proto_take(&rest, &f, &damaged)) {
            if (f.number == 1 && f.type == 2)
                name = f.bytes;
            else if (f.number == 2 && f.type == 2)
                read_layout(f.bytes, &r);
        }
        damaged = damaged || !name.n;
        if (damaged)
            break;
        if (strategy_add(s, name, &r, file, e))
            return -1;
        parameters++;
    }
    return damaged || text.n || !parameters ? not_strategy(file, e) : 0;
}

/* ---- JSON ---- */

static bool json_integer(const cJSON *x, int64_t *out)
{
    *out = x ? x->valueint : 0;
    return cJSON_IsNumber(x) && x->valuedouble == (double)x->valueint;
}

static int json_integers(const cJSON *list, int64_t *out, int max, bool *damaged)
{
    int n = 0;
    *damaged |= !cJSON_IsArray(list);
    for (const cJSON *x = list ? list->child : NULL; x; x = x->next) {
        if (n == max || !json_integer(x, &out[n])) {
            *damaged = true;
            return n;
        }
        n++;
    }
    return n;
}

static void read_json_layout(const cJSON *x, struct raw_layout *r)
{
    const cJSON *map = json_member(x, "tensor_map"),
                *split = json_member(x, "param_split_shape"),
                *step = json_member(x, "opt_weight_shard_step"),
                *size = json_member(x, "opt_weight_shard_size");
    r->devices = json_integers(json_member(x, "dev_matrix"), r->device, STRATEGY_DEVICES, &r->damaged);
    r->nested = map && cJSON_IsArray(map->child);
    const cJSON *axis = r->nested ? map->child : map;
    for (; axis && r->lists < TENSOR_DIMS; axis = r->nested ? axis->next : NULL, r->lists++)
        r->length[r->lists] = json_integers(axis, r->map[r->lists], STRATEGY_DEVICES, &r->damaged);
    r->damaged |= !map || axis || (split && !cJSON_IsArray(split)) || (step && !json_integer(step, &r->step)) ||
                  (size && !json_integer(size, &r->size));
    r->uneven = split && split->child;
}

static int read_json(struct strategy *s, const char *file, struct err *e)
{
    struct json_members members;
    struct json_member m;
    size_t parameters = 0;
    int rc;
    if (json_members_open(&members, file, "parallel_layout_item", e))
        return -1;
    while ((rc = json_members_next(&members, &m, e)) > 0) {
        if (!m.inside)
            continue;
        cJSON *layout = m.too_long ? NULL : json_member_tree(&m, file, e);
        struct raw_layout r = {.damaged = !layout};
        read_json_layout(layout, &r);
        cJSON_Delete(layout);
        parameters++;
        if (strategy_add(s, m.key, &r, file, e)) {
            rc = -1;
            break;
        }
    }
    json_members_close(&members);
    return rc == 0 && !parameters ? not_strategy(file, e) : rc;
}

/* ---- files ---- */

static int read_protobuf(struct strategy *s, const char *path, struct err *e)
{
    struct file f;
    struct buf text = {0};
    if (file_open(&f, path, e))
        return -1;
    int rc = f.size > FILE_MAX_BYTES ? err_set(e, ERR_DATA, _("%s: larger than %u MB"), path, FILE_MAX_BYTES >> 20) : 0;
    if (rc == 0) {
        buf_reserve(&text, (size_t)f.size + 1);
        rc = file_read(&f, 0, text.p, (size_t)f.size, e);
        text.n = (size_t)f.size;
    }
    file_close(&f);
    rc = rc ? -1 : read_message(s, buf_view(&text), path, e);
    buf_release(&text);
    return rc;
}

/* "strategy.ckpt", "ckpt_strategy_rank_0.ckpt", "merged_strategy.json" */
static bool is_strategy(struct str name)
{
    return str_search(name, "strategy") >= 0 && (str_ends(name, ".ckpt") || str_ends(name, ".json"));
}

static int read_folder(struct strategy *s, const char *path, struct err *e)
{
    struct folder f = {0};
    struct buf name = {0};
    struct err quiet;
    int rc = 0;
    if (path_is_dir(path) && folder_read(&f, path, ENTRIES, &quiet) == 0)
        for (size_t i = 0; i < f.entries.n && rc == 0; i++)
            if (is_strategy(str_of(f.entries.v[i].name)) && folder_has_file(&f, f.entries.v[i].name)) {
                path_join(&name, path, f.entries.v[i].name);
                s->found = true;
                rc = (str_ends(buf_view(&name), ".json") ? read_json : read_protobuf)(s, name.p, e);
            }
    folder_release(&f);
    buf_release(&name);
    return rc;
}

int strategy_read(struct strategy *s, const char *path, struct err *e)
{
    static const char *const places[] = {".", "strategy", "..", "../strategy"};
    struct buf folder = {0};
    int rc = 0;
    for (size_t i = 0; i < ARRAY_LEN(places) && rc == 0 && !s->found; i++) {
        path_join(&folder, path, places[i]);
        rc = read_folder(s, folder.p, e);
    }
    buf_release(&folder);
    return rc;
}

void strategy_release(struct strategy *s)
{
    map_release(&s->names);
    vec_release(&s->list);
    arena_release(&s->arena);
}

const struct strategy_layout *strategy_of(const struct strategy *s, struct str name)
{
    uint32_t i = map_get(&s->names, name);
    return i == MAP_NONE ? NULL : &s->list.v[i];
}

/* ---- places ---- */

bool strategy_place(const struct strategy_layout *l, int rank, int ndim, int64_t *grid, int64_t *at)
{
    int64_t place[STRATEGY_DEVICES], left = rank, copy = 0;
    if (l->axes != ndim || rank < 0 || (l->optimizer > 1 && !ndim))
        return false;
    for (int d = l->devices - 1; d >= 0; d--) {
        place[d] = left % l->device[d];
        left /= l->device[d];
    }
    for (int a = 0; a < ndim; a++) {
        grid[a] = 1;
        at[a] = 0;
        for (int k = 0; k < l->cut[a].n; k++) {
            int d = l->cut[a].device[k];
            grid[a] *= l->device[d];
            at[a] = at[a] * l->device[d] + place[d];
        }
    }
    for (int d = 0; d < l->devices; d++)
        copy = is_used(l, d) ? copy : copy * l->device[d] + place[d];
    if (l->optimizer > 1) {
        grid[0] *= l->optimizer;
        at[0] = at[0] * l->optimizer + copy % l->optimizer;
    }
    return true;
}

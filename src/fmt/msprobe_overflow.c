/* Results of `msprobe overflow_check` (nan_analyze in older versions): anomaly_analyze_<time>.json, {"rank_N":
 * [{"op_name", "data_info": a record as in dump.json, "construct_info", "stack_info"}]}: the calls in which NaN or
 * Inf first occur. Reads the rows and stacks of these calls and adds a warning for each. */
#include "fmt/msprobe.h"

#include "base/msg.h"
#include "base/json_read.h"
#include "base/json_tree.h"

#define NAMED 64 /* the most calls named in warnings; a thousand ranks may each find one */

static bool overflow_probe(const char *path)
{
    char head[4096];
    struct str name = path_base(str_of(path));
    if (!str_starts(name, "anomaly_analyze") || !str_ends(name, ".json") || !path_is_file(path))
        return false;
    struct str s = str_trim(file_head(path, head, sizeof head));
    return str_starts(s, "{") && str_has(s, "\"rank_");
}

/* The component before the call in [outermost module …, the call], or NULL. */
static const char *module_of(const cJSON *chain)
{
    const cJSON *module = NULL;
    for (const cJSON *it = cJSON_IsArray(chain) ? chain->child : NULL; it && it->next; it = it->next)
        module = it;
    return cJSON_IsString(module) ? module->valuestring : NULL;
}

static void name_call(struct dump *d, struct str rank, const char *op, const char *module)
{
    struct buf b = {0};
    if (d->warnings.n >= NAMED)
        return;
    if (module)
        buf_fmt(&b, _("%.*s: reported by msprobe: NaN or Inf first occur in call %s (%s)"), STR_ARG(rank), op, module);
    else
        buf_fmt(&b, _("%.*s: reported by msprobe: NaN or Inf first occur in call %s"), STR_ARG(rank), op);
    dump_warn(d, b.p);
    buf_release(&b);
}

static void add_node(struct msprobe_fill *f, struct str rank, uint64_t offset, const cJSON *node)
{
    const cJSON *name = json_member(node, "op_name");
    const cJSON *record = json_member(node, "data_info");
    const cJSON *frames = json_member(node, "stack_info");
    struct err e;
    if (!cJSON_IsString(name) || !cJSON_IsObject(record)) {
        err_at(&e, f->d->path, offset, _("expected a call with \"op_name\" and \"data_info\""));
        dump_problem(f->d, NONE, "damaged", e.text);
        return;
    }
    msprobe_add_record(f, str_of(name->valuestring), offset, record);
    if (cJSON_IsArray(frames) && frames->child)
        f->d->calls.v[f->call].stack = msprobe_add_stack(f->d, frames, NULL);
    name_call(f->d, rank, name->valuestring, module_of(json_member(node, "construct_info")));
}

static void add_rank(struct msprobe_fill *f, const struct json_member *m, const cJSON *list)
{
    struct err e;
    if (cJSON_IsArray(list)) {
        for (const cJSON *it = list->child; it; it = it->next)
            add_node(f, m->key, m->offset, it);
        return;
    }
    err_at(&e, f->d->path, m->offset, _("expected a list of calls here"));
    dump_problem(f->d, NONE, "damaged", e.text);
}

static int open_result(struct dump *d, struct load *load, struct err *e)
{
    struct msprobe_fill f = {.d = d, .path = d->path, .ext = ".pt"};
    struct json_members j;
    struct json_member m;
    struct json_pool pool;
    int rc;
    if (json_members_open(&j, d->path, NULL, e))
        return -1;
    load_begin(load);
    d->framework = "pytorch"; /* the tool supports no other framework */
    d->task = "overflow_check";
    load_end(load);
    d->bytes = j.file.size;
    json_pool_enter(&pool);
    while ((rc = json_members_next(&j, &m, e)) == 1 && !load_cancelled(load)) {
        struct err why;
        cJSON *list = m.too_long ? NULL : json_parse(m.value, m.special, d->path, m.offset, &why);
        if (m.too_long)
            err_at(&why, d->path, m.offset, _("a member of more than 32 MB was skipped"));
        load_begin(load);
        if (list)
            add_rank(&f, &m, list);
        else
            dump_problem(d, NONE, "damaged", why.text);
        d->bytes_done = m.offset;
        load_end(load);
        json_pool_clear(&pool);
    }
    json_pool_leave(&pool);
    json_members_close(&j);
    buf_release(&f.slot);
    if (rc < 0)
        return -1;
    for (uint32_t r = 0; r < d->rows.n; r++)
        d->rows.v[r].has &= (uint16_t)~HAS_FILE; /* the tensors are in the original dump */
    return d->rows.n ? 0 : err_set(e, ERR_DATA, _("%s: no call in this result"), d->path);
}

const struct reader reader_msprobe_overflow = {
    .name = "msprobe-overflow",
    .title = N_("result of msprobe overflow_check: the calls where NaN or Inf first occur"),
    .what = "anomaly_analyze_*.json",
    .versions = "msprobe 26; nan_analyze before",
    .unread = N_("tensors: they are in the dump that was analysed"),
    .probe = overflow_probe,
    .open = open_result,
};

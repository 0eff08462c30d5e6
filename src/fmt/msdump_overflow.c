/* Ascend's overflow records in a MindSpore dump, Opdebug.Node_OpDebug.TASK.STREAM.TIME.output.0.json: which unit
 * overflowed, its status, and the task and stream. The ids in the file name are the record's own; those inside are
 * the operator's. */
#include "fmt/msdump.h"

#include "base/msg.h"
#include "base/json_read.h"

#define LARGEST (1u << 20) /* such a file has about a kilobyte */
#define RECORDS 10000

void msdump_task_add(struct msdump_tasks *t, uint64_t stream, uint64_t task, uint32_t call)
{
    if (!t->wanted || stream > UINT32_MAX || task > UINT32_MAX)
        return;
    uint64_t key = stream << 32 | task;
    if (nmap_add(&t->calls, key, call) != call)
        nmap_set(&t->calls, key, MSDUMP_AMBIGUOUS);
}

bool msdump_is_overflow(struct str name)
{
    return str_starts(name, "Opdebug.") || str_starts(name, "Node_OpDebug.");
}

/* The record of one unit. */
struct overflow {
    struct dump *d;
    const char *path;
    const struct msdump_tasks *tasks;
};

static bool number_of(const cJSON *object, const char *key, uint64_t *v)
{
    const cJSON *n = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsNumber(n) || n->valuedouble < 0 || n->valuedouble > 1e15)
        return false;
    *v = (uint64_t)n->valuedouble;
    return true;
}

/* The first non-zero status; newer records contain a list. */
static uint64_t status_of(const cJSON *unit)
{
    const cJSON *s = cJSON_GetObjectItemCaseSensitive(unit, "status");
    uint64_t v = 0;
    for (const cJSON *it = cJSON_IsArray(s) ? s->child : NULL; it; it = it->next)
        if (cJSON_IsNumber(it) && it->valuedouble > 0 && it->valuedouble < 1e19)
            return (uint64_t)it->valuedouble;
    return number_of(unit, "status", &v) ? v : 0;
}

static uint32_t row_of(const struct dump *d, uint32_t call)
{
    EACH_ROW(d, call, r)
        if (d->rows.v[r].io == IO_OUTPUT)
            return r;
    return d->calls.v[call].first_row;
}

static void add_unit(const struct overflow *o, const char *unit, const cJSON *v)
{
    uint64_t stream, task;
    unsigned long long status = status_of(v);
    struct buf b = {0};
    uint32_t row = NONE;
    if (!status)
        return;
    struct str file = path_base(str_of(o->path));
    if (!number_of(v, "stream_id", &stream) || !number_of(v, "task_id", &task) || stream > UINT32_MAX ||
        task > UINT32_MAX) {
        buf_fmt(&b, _("%s overflowed (status %llu); no task in the record (%.*s)"), unit, status, STR_ARG(file));
    } else {
        unsigned long long t = task, st = stream;
        uint32_t call = nmap_get(&o->tasks->calls, stream << 32 | task);
        if (call == MAP_NONE) {
            buf_fmt(&b, _("%s overflowed (status %llu) in task %llu of stream %llu; no operator of this dump has that "
                          "task number (%.*s)"), unit,
                    status, t, st, STR_ARG(file));
        } else if (call == MSDUMP_AMBIGUOUS) {
            buf_fmt(&b, _("%s overflowed (status %llu) in task %llu of stream %llu; several operators of this dump "
                          "have that task number (%.*s)"), unit,
                    status, t, st, STR_ARG(file));
        } else {
            row = row_of(o->d, call);
            buf_fmt(&b, _("%s overflowed (status %llu) in %s, task %llu of stream %llu (%.*s)"), unit, status,
                    o->d->calls.v[call].name,
                    t, st, STR_ARG(file));
        }
    }
    dump_recorded(o->d, row, "overflow", b.p);
    buf_release(&b);
}

/* {"valid", "acc_type": "AIC", "data": {…}}: the form with a magic number. */
static void add_accelerator(const struct overflow *o, const cJSON *acc)
{
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(acc, "acc_type");
    add_unit(o, cJSON_IsString(type) ? type->valuestring : "?", cJSON_GetObjectItemCaseSensitive(acc, "data"));
}

static void add_record(const struct overflow *o, const cJSON *v)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(v, "acc_list");
    if (cJSON_IsObject(list))
        add_accelerator(o, list);
    for (const cJSON *it = cJSON_IsArray(list) ? list->child : NULL; it; it = it->next)
        add_accelerator(o, it);
    if (!list)
        for (const cJSON *it = v->child; it; it = it->next)
            if (cJSON_IsObject(it)) /* "AI Core", "L2 Atomic Add", "DHA Atomic Add" */
                add_unit(o, it->string, it);
}

static cJSON *load_record(const char *dir, const char *name, const char *path, struct err *e)
{
    struct file f;
    struct buf b = {0};
    cJSON *v = NULL;
    if (file_open_inside(&f, dir, name, e))
        return NULL;
    if (f.size > LARGEST) {
        err_set(e, ERR_DATA, _("%s: expected an overflow record, found more than 1 MB"), path);
    } else {
        buf_reserve(&b, f.size + 1);
        b.n = f.size;
        if (file_read(&f, 0, b.p, f.size, e) == 0)
            v = json_text(buf_view(&b), path, e);
    }
    file_close(&f);
    buf_release(&b);
    return v;
}

void msdump_read_overflows(struct dump *d, const char *dir, const name_list *names, const struct msdump_tasks *t,
                           struct load *load)
{
    struct buf path = {0};
    struct err e;
    size_t binary = 0, read = 0;
    for (size_t i = 0; t->wanted && i < names->n && read < RECORDS && !load_cancelled(load); i++) {
        struct str name = str_of(names->v[i]);
        if (!msdump_is_overflow(name))
            continue;
        if (!str_ends(name, ".json")) {
            binary++;
            continue;
        }
        read++;
        path_join(&path, dir, names->v[i]);
        cJSON *v = load_record(dir, names->v[i], path.p, &e);
        struct overflow o = {d, path.p, t};
        load_begin(load);
        if (v)
            add_record(&o, v);
        else
            dump_problem(d, NONE, "damaged", e.text);
        load_end(load);
        cJSON_Delete(v);
    }
    if (binary && !read) {
        load_begin(load);
        dump_warn(d, _("an overflow was recorded (Opdebug.…) in CANN's binary form: msprobe parse -t npy converts it"));
        load_end(load);
    }
    buf_release(&path);
}

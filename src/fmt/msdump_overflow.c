/* Ascend's overflow records in a MindSpore dump, Opdebug.Node_OpDebug.TASK.STREAM.TIME (as CANN writes them) and
 * ….output.0.json (converted): which unit overflowed, its status, and the task and stream. The ids in the file name are
 * the record's own; those inside are the operator's. */
#include "fmt/msdump.h"

#include <string.h>

#include "base/json_read.h"
#include "base/json_tree.h"
#include "base/msg.h"
#include "base/proto_fields.h"
#include "fmt/cann_dump.h"

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
    const cJSON *n = json_member(object, key);
    if (!cJSON_IsNumber(n) || n->valuedouble < 0 || n->valuedouble > 1e15)
        return false;
    *v = (uint64_t)n->valuedouble;
    return true;
}

/* The first non-zero status; newer records contain a list. */
static uint64_t status_of(const cJSON *unit)
{
    const cJSON *s = json_member(unit, "status");
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

/* status: 0 where it did not overflow; located: it names a stream and a task. */
static void add_unit(const struct overflow *o, const char *unit, unsigned long long status, bool located,
                     uint64_t stream, uint64_t task)
{
    struct buf b = {0};
    uint32_t row = NONE;
    if (!status)
        return;
    struct str file = path_base(str_of(o->path));
    if (!located || stream > UINT32_MAX || task > UINT32_MAX) {
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

/* ---- converted to JSON ---- */

static void add_member(const struct overflow *o, const char *unit, const cJSON *v)
{
    uint64_t stream = 0, task = 0;
    bool located = number_of(v, "stream_id", &stream) && number_of(v, "task_id", &task);
    add_unit(o, unit, status_of(v), located, stream, task);
}

/* {"valid", "acc_type": "AIC", "data": {…}}: the form with a magic number. */
static void add_accelerator(const struct overflow *o, const cJSON *acc)
{
    const cJSON *type = json_member(acc, "acc_type");
    add_member(o, cJSON_IsString(type) ? type->valuestring : "?", json_member(acc, "data"));
}

static void add_record(const struct overflow *o, const cJSON *v)
{
    const cJSON *list = json_member(v, "acc_list");
    if (cJSON_IsObject(list))
        add_accelerator(o, list);
    for (const cJSON *it = cJSON_IsArray(list) ? list->child : NULL; it; it = it->next)
        add_accelerator(o, it);
    if (!list)
        for (const cJSON *it = v->child; it; it = it->next)
            if (cJSON_IsObject(it)) /* "AI Core", "L2 Atomic Add", "DHA Atomic Add" */
                add_member(o, it->string, it);
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

/* ---- as CANN writes them: the bytes of a dump's output ---- */

#define OLD_RECORD 2048u /* bytes of the form without a magic number */
#define MAGIC 0x5a5a5a5au
#define MAGIC_DATA 24u /* where the numbers of its unit begin: magic, version, valid, type, reserved, length before */

static uint64_t number_at(const unsigned char *p, size_t at)
{
    return proto_little(p + at, 8);
}

/* Three units, each with model, stream, task … at one place and its status at another. */
static void add_old(const struct overflow *o, const unsigned char *p)
{
    static const struct {
        const char *unit;
        size_t ids, status;
    } units[] = {{"DHA Atomic Add", 0, 512}, {"L2 Atomic Add", 128, 768}, {"AI Core", 256, 1040}};
    for (size_t i = 0; i < ARRAY_LEN(units); i++)
        add_unit(o, units[i].unit, number_at(p, units[i].status), true, number_at(p, units[i].ids + 8),
                 number_at(p, units[i].ids + 16));
}

/* One unit: model, stream, task … and the status, of cores in four numbers from version 1 on. False: it is none. */
static bool add_new(const struct overflow *o, const unsigned char *p, size_t n)
{
    static const struct {
        const char *unit;
        size_t status;
        bool cores;
    } units[] = {{"AIC", 10, true}, {"AIV", 10, true}, {"AICPU", 7, false}, {"SDMA", 9, false}};
    uint64_t version = proto_little(p + 4, 4), type = proto_little(p + 12, 4), status = 0;
    if (type >= ARRAY_LEN(units))
        return false;
    size_t many = units[type].cores && version == 1 ? 4 : 1, at = MAGIC_DATA + 8 * units[type].status;
    if (n < at + 8 * many)
        return false;
    for (size_t i = 0; i < many && !status; i++)
        status = number_at(p, at + 8 * i);
    add_unit(o, units[type].unit, status, true, number_at(p, MAGIC_DATA + 8), number_at(p, MAGIC_DATA + 16));
    return true;
}

static bool add_bytes(const struct overflow *o, const unsigned char *p, size_t n)
{
    if (n >= MAGIC_DATA && proto_little(p, 4) == MAGIC)
        return add_new(o, p, n);
    if (n != OLD_RECORD)
        return false;
    add_old(o, p);
    return true;
}

static int read_outputs(const struct overflow *o, const struct file *f, struct err *e)
{
    cann_tensors list = {0};
    unsigned char p[OLD_RECORD];
    size_t outputs = 0;
    int rc = cann_list(f, &list, e);
    for (size_t i = 0; i < list.n && rc == 0; i++) {
        const struct cann_tensor *x = &list.v[i];
        size_t n = x->size < sizeof p ? (size_t)x->size : sizeof p;
        if (!x->output)
            continue;
        outputs++;
        bool inside = x->at <= f->size && x->size <= f->size - x->at && x->size <= sizeof p;
        if (inside && file_read(f, x->at, p, n, e))
            rc = -1;
        else if (!inside || !add_bytes(o, p, n))
            rc = err_at(e, o->path, x->at, _("expected an overflow record, found %llu bytes that are none"),
                        (unsigned long long)x->size);
    }
    if (rc == 0 && !outputs)
        rc = err_set(e, ERR_DATA, _("%s: expected an overflow record, found no output"), o->path);
    vec_release(&list);
    return rc;
}

static int add_binary(const struct overflow *o, const char *dir, const char *name, struct err *e)
{
    struct file f;
    if (file_open_inside(&f, dir, name, e))
        return -1;
    int rc = read_outputs(o, &f, e);
    file_close(&f);
    return rc;
}

/* ---- all of a folder ---- */

static int add_converted(const struct overflow *o, const char *dir, const char *name, struct err *e)
{
    cJSON *v = load_record(dir, name, o->path, e);
    if (v)
        add_record(o, v);
    cJSON_Delete(v);
    return v ? 0 : -1;
}

/* Whether a record was converted and the result lies beside it, which is read then: names are in order, so it is the
 * next one. */
static bool is_converted(const name_list *names, size_t i)
{
    const char *name = names->v[i], *next = i + 1 < names->n ? names->v[i + 1] : "";
    size_t n = strlen(name);
    return strncmp(next, name, n) == 0 && next[n] == '.' && str_ends(str_of(next), ".json");
}

void msdump_read_overflows(struct dump *d, const char *dir, const name_list *names, const struct msdump_tasks *t,
                           struct load *load)
{
    struct buf path = {0};
    struct err e;
    size_t read = 0;
    for (size_t i = 0; t->wanted && i < names->n && read < RECORDS && !load_cancelled(load); i++) {
        struct str name = str_of(names->v[i]);
        bool converted = str_ends(name, ".json");
        if (!msdump_is_overflow(name) || (!converted && is_converted(names, i)))
            continue;
        read++;
        path_join(&path, dir, names->v[i]);
        struct overflow o = {d, path.p, t};
        load_begin(load);
        if (converted ? add_converted(&o, dir, names->v[i], &e) : add_binary(&o, dir, names->v[i], &e))
            dump_problem(d, NONE, "damaged", e.text);
        load_end(load);
    }
    buf_release(&path);
}

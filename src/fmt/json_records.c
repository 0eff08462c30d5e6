/* JSON lines of determinism tools and own hooks: {"name": "layers.0.mlp", "step": 1, "rank": 0, "max": …, "hash": …}.
 * A line is one row; fields are known by their names, whatever their order. */
#include "fmt/json_records.h"

#include <math.h>

#include "base/json_read.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/reading.h"
#include "dump/checksum.h"
#include "fmt/row_lines.h"
#include "fmt/shared_file.h"
#include "fmt/value_calls.h"

#define LONGEST (4u << 20)
#define PLACES 65536
#define BATCH 4096
#define PROBLEMS 200
#define FIGURE_DIGITS 6 /* fewer are hardly written */

enum member { IS_NAME, IS_STEP, IS_RANK, IS_SHAPE, IS_TYPE, IS_DIGEST, IS_IO, IS_PHASE, IS_MAX, IS_MIN, IS_MEAN,
              IS_NORM, MEMBERS };

static const struct {
    const char *key;
    enum member is;
} keys[] = {
    {"name", IS_NAME},         {"tensor_name", IS_NAME}, {"op_name", IS_NAME},   {"module_name", IS_NAME},
    {"module", IS_NAME},       {"tensor", IS_NAME},      {"op", IS_NAME},        {"layer", IS_NAME},
    {"param", IS_NAME},        {"parameter", IS_NAME},   {"key", IS_NAME},       {"tag", IS_NAME},
    {"step", IS_STEP},         {"iteration", IS_STEP},   {"iter", IS_STEP},      {"global_step", IS_STEP},
    {"rank", IS_RANK},         {"global_rank", IS_RANK}, {"shape", IS_SHAPE},    {"size", IS_SHAPE},
    {"dtype", IS_TYPE},        {"hash", IS_DIGEST},      {"digest", IS_DIGEST},  {"md5", IS_DIGEST},
    {"sha256", IS_DIGEST},     {"sha1", IS_DIGEST},      {"crc32", IS_DIGEST},   {"checksum", IS_DIGEST},
    {"fingerprint", IS_DIGEST}, {"io", IS_IO},           {"direction", IS_IO},   {"kind", IS_IO},
    {"phase", IS_PHASE},       {"pass", IS_PHASE},       {"max", IS_MAX},        {"min", IS_MIN},
    {"mean", IS_MEAN},         {"avg", IS_MEAN},         {"norm", IS_NORM},      {"l2", IS_NORM},
    {"l2_norm", IS_NORM},      {"l2norm", IS_NORM},      {"norm2", IS_NORM},
};

struct record {
    const cJSON *of[MEMBERS];
};

static enum member member_of(const char *key)
{
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (str_ieq(str_of(key), str_of(keys[i].key)))
            return keys[i].is;
    return MEMBERS;
}

/* The members of a line; of several names for one the first in the table counts. */
static void find_members(const cJSON *o, struct record *r)
{
    *r = (struct record){0};
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        const cJSON *v = r->of[keys[i].is] ? NULL : cJSON_GetObjectItem(o, keys[i].key);
        bool text = keys[i].is == IS_NAME;
        if (v && !cJSON_IsNull(v) && (!text || (cJSON_IsString(v) && *v->valuestring)))
            r->of[keys[i].is] = v;
    }
}

/* A digest or two figures make a line with a name one of a recording; a loss makes it one of a log. */
static bool is_record(const cJSON *o, struct record *r)
{
    size_t figures = 0;
    if (!cJSON_IsObject(o) || cJSON_GetObjectItem(o, "loss"))
        return false;
    for (const cJSON *v = o->child; v; v = v->next)
        if (v->string && member_of(v->string) == MEMBERS && (cJSON_IsObject(v) || cJSON_IsArray(v)))
            return false; /* something that lies deeper is not understood */
    find_members(o, r);
    for (int i = IS_MAX; i <= IS_NORM; i++)
        figures += r->of[i] != NULL;
    return r->of[IS_NAME] && (r->of[IS_DIGEST] || figures > 1);
}

static bool json_records_probe(const char *path)
{
    struct lines l;
    struct str line;
    struct err quiet;
    struct record r;
    char head[2];
    int records = 0;
    if (!str_starts(file_head(path, head, sizeof head), "{") || !path_is_file(path) ||
        lines_open(&l, path, LONGEST, true, &quiet))
        return false;
    for (int i = 0; i < 4 && records == i && lines_next(&l, &line, &quiet) > 0; i++) {
        cJSON *o = line.n ? json_text(line, path, &quiet) : NULL;
        records += o && is_record(o, &r);
        cJSON_Delete(o);
    }
    bool yes = records > 1 || (records == 1 && l.number == 1);
    lines_close(&l);
    return yes;
}

/* A step or rank: -1 where none is recorded, -2 where it is no such number. */
static int count_of(const cJSON *v)
{
    double x;
    enum reading found = reading_json_number(v, &x);
    if (found == READING_ABSENT)
        return -1;
    return found == READING_VALUE && x >= 0 && x < (1 << 30) && x == (double)(int)x ? (int)x : -2;
}

static void json_records_places(const char *path, place_list *out)
{
    struct lines l;
    struct str line;
    struct err quiet;
    struct record r;
    struct shared_file x = {.reader = &reader_json_records, .path = path, .most = PLACES, .out = out};
    if (lines_open(&l, path, LONGEST, true, &quiet))
        return;
    while (lines_next(&l, &line, &quiet) > 0) {
        cJSON *o = line.n ? json_text(line, path, &quiet) : NULL;
        int step = -1, rank = -1;
        bool yes = o && is_record(o, &r);
        if (yes) {
            step = count_of(r.of[IS_STEP]);
            rank = count_of(r.of[IS_RANK]);
        }
        cJSON_Delete(o);
        if (yes && step > -2 && rank > -2)
            shared_file_line(&x, &l, step, rank);
        else
            shared_file_damaged(&x, &l);
    }
    nmap_release(&x.seen);
    lines_close(&l);
}

/* ---- rows ---- */

struct records_reading {
    struct dump *d;
    struct map runs;
    size_t damaged;
};

static void record_damaged(struct records_reading *x, uint64_t line, const char *what)
{
    struct err e;
    if (x->damaged++ >= PROBLEMS)
        return;
    err_line(&e, x->d->path, line, "%s", what);
    dump_problem(x->d, NONE, "damaged", e.text);
}

/* "layers.0.mlp.output", "layers.0.mlp.input.1": the module and what of it. */
static enum row_io split_record_name(struct str name, struct str *call, struct str *slot)
{
    static const struct {
        const char *word;
        enum row_io io;
    } words[] = {{".input", IO_INPUT}, {".output", IO_OUTPUT}, {".grad_input", IO_OUTPUT}, {".grad_output", IO_INPUT}};
    struct str head = name;
    unsigned long long n;
    ptrdiff_t dot = str_rfind(head, '.');
    if (dot > 0 && str_u64(str_cut(head, (size_t)dot + 1), &n))
        head.n = (size_t)dot;
    *call = name;
    *slot = STR("");
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_ends(head, words[i].word) && head.n > strlen(words[i].word)) {
            *call = str_n(name.p, head.n - strlen(words[i].word));
            *slot = str_cut(name, call->n + 1);
            return words[i].io;
        }
    return IO_OUTPUT;
}

static bool json_says(const cJSON *v, const char *word)
{
    return cJSON_IsString(v) && str_ihas(str_of(v->valuestring), word);
}

/* Each of the following takes a part of a record into the row, and says what was expected where it cannot be read. */

static const char *take_figures(const struct record *m, struct row *r)
{
    static const struct {
        enum member is;
        int stat;
        unsigned has;
    } figures[] = {{IS_MAX, STAT_MAX, HAS_MAX}, {IS_MIN, STAT_MIN, HAS_MIN}, {IS_MEAN, STAT_MEAN, HAS_MEAN},
                   {IS_NORM, STAT_NORM, HAS_NORM}};
    const char *bad = NULL;
    for (size_t i = 0; i < ARRAY_LEN(figures); i++) {
        double v;
        enum reading found = reading_json_number(m->of[figures[i].is], &v);
        if (found == READING_UNREADABLE && cJSON_IsString(m->of[figures[i].is]))
            found = reading_number(str_of(m->of[figures[i].is]->valuestring), &v);
        if (found == READING_UNREADABLE)
            bad = _("expected a number");
        if (found != READING_VALUE)
            continue;
        r->stat[figures[i].stat] = v;
        r->has = (uint16_t)(r->has | figures[i].has);
    }
    return bad;
}

static const char *take_shape(struct dump *d, const cJSON *shape, struct row *r)
{
    int64_t dim[TENSOR_DIMS];
    int n = 0;
    enum reading sizes = reading_json_sizes(shape, TENSOR_DIMS, dim, &n);
    if (sizes == READING_UNREADABLE && cJSON_IsString(shape)) {
        struct str s = str_of(shape->valuestring);
        if (str_starts(s, "torch.Size(") && str_ends(s, ")"))
            s = str_n(s.p + strlen("torch.Size("), s.n - strlen("torch.Size(") - 1);
        sizes = reading_sizes(s, TENSOR_DIMS, dim, &n);
    }
    if (sizes == READING_VALUE && (r->shape = dump_shape(d, dim, n)) != NONE)
        r->has |= HAS_SHAPE;
    return sizes == READING_UNREADABLE ? _("expected a shape") : NULL;
}

static const char *take_type(const cJSON *named, struct row *r)
{
    struct str type = str_of(cJSON_IsString(named) ? named->valuestring : "");
    r->dtype = (uint8_t)dtype_find(type);
    return named && r->dtype == DTYPE_UNKNOWN && !dtype_is_other(type) ? _("expected an element type") : NULL;
}

static const char *take_digest(struct dump *d, const cJSON *digest, struct row *r)
{
    struct buf sum = {0}, text = {0};
    char number[NUM_MAX];
    if (cJSON_IsString(digest) && *digest->valuestring && *digest->valuestring != '#') /* "#NUM!" */
        checksum_write(str_of(digest->valuestring), &sum);
    else if (cJSON_IsNumber(digest) && fabs(digest->valuedouble) < 9e15) { /* beyond, the last digits are lost */
        buf_fmt(&text, "n%s", num_exact(number, digest->valuedouble));
        checksum_write(buf_view(&text), &sum);
    }
    r->text = sum.n ? arena_cstr(&d->arena, buf_view(&sum)) : NULL;
    buf_release(&sum);
    buf_release(&text);
    r->has |= r->text ? HAS_CHECKSUM : 0;
    d->checksums = d->checksums || r->text;
    return digest && !r->text ? _("expected a digest") : NULL;
}

static void take_record(struct records_reading *x, const struct record *m, uint64_t line)
{
    struct dump *d = x->d;
    struct row r = {.shape = NONE, .extra = NONE, .kind = ROW_TENSOR};
    struct str call, slot, name = str_of(m->of[IS_NAME]->valuestring);
    bool back = json_says(m->of[IS_PHASE], "backward") || json_says(m->of[IS_IO], "grad") || str_has(name, "grad");
    bool input = json_says(m->of[IS_IO], "input");
    r.io = (unsigned)split_record_name(name, &call, &slot) & 7u;
    if (!slot.n && (input || json_says(m->of[IS_IO], "output"))) {
        r.io = input ? IO_INPUT : IO_OUTPUT;
        slot = str_of(m->of[IS_IO]->valuestring);
    }
    const char *bad[] = {take_digest(d, m->of[IS_DIGEST], &r), take_type(m->of[IS_TYPE], &r),
                         take_shape(d, m->of[IS_SHAPE], &r), take_figures(m, &r)};
    if (r.text && !(r.has & (HAS_NORM | HAS_MEAN))) /* a maximum and a minimum say less than the digest */
        r.has &= (uint16_t)~(HAS_MAX | HAS_MIN);
    bool fresh;
    r.slot = dump_slot(d, slot);
    uint32_t c = dump_run(d, &x->runs, call, r.slot, CALL_MODULE, back ? PHASE_BACKWARD : PHASE_FORWARD, &fresh);
    uint32_t row = dump_add_row(d, c, r);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        if (bad[i]) {
            struct err e;
            err_line(&e, d->path, line, "%s", bad[i]);
            dump_unparsed(d, row, arena_cstr(&d->arena, str_of(e.text)));
        }
}

/* Whether a line is of the step and rank that are read. */
static bool is_wanted(const struct dump *d, const struct record *m)
{
    return count_of(m->of[IS_STEP]) == d->step && count_of(m->of[IS_RANK]) == d->rank;
}

static int json_records_open_dump(struct dump *d, struct load *load, struct err *e)
{
    struct records_reading x = {.d = d};
    struct lines l;
    struct str line;
    int more = 0;
    if (shared_file_open(&l, d, LONGEST, e))
        return -1;
    load_begin(load);
    d->framework = "";
    d->level = "L0";
    d->digits = FIGURE_DIGITS;
    d->joint = '.';
    d->bytes += d->stretch.bytes ? d->stretch.bytes : l.file.size;
    while (!load_cancelled(load) && (more = lines_next(&l, &line, e)) > 0) {
        struct err why;
        struct record m;
        cJSON *o = str_trim(line).n ? json_text(line, d->path, &why) : NULL;
        if (o && is_record(o, &m) && is_wanted(d, &m))
            take_record(&x, &m, l.number);
        else if (str_trim(line).n && (!o || !is_record(o, &m)))
            record_damaged(&x, l.number, _("expected an object with a name and figures or a digest"));
        else if (o && (count_of(m.of[IS_STEP]) < -1 || count_of(m.of[IS_RANK]) < -1))
            record_damaged(&x, l.number, _("expected whole numbers as step and rank"));
        cJSON_Delete(o);
        d->bytes_done = l.offset - d->stretch.from;
        row_lines_pause(&l, load, BATCH);
    }
    d->task = d->checksums ? "md5" : "statistics";
    value_calls_name(d);
    load_end(load);
    return row_lines_end(&l, d, &x.runs, more, e);
}

const struct reader reader_json_records = {
    .name = "json-records",
    .title = N_("JSON lines of any tool: name, step and rank, figures or a digest of each tensor"),
    .what = "*.jsonl: {\"name\": \"layers.0.mlp\", \"step\": 1, \"rank\": 0, \"max\": …, \"hash\": …}",
    .versions = NULL,
    .unread = N_("members with other names"),
    .probe = json_records_probe,
    .places = json_records_places,
    .open = json_records_open_dump,
    .without = NULL,
};

/* Reads a digest: the list of places at its end, then one place's lines. */
#include "fmt/digest.h"

#include <math.h>
#include <stdlib.h>

#include "base/json_tree.h"
#include "base/lines.h"
#include "base/msg.h"
#include "fmt/find_recordings.h"
#include "fmt/row_records.h"
#include "num/sketch.h"

#define LINE_MOST (8u << 20)
#define BATCH 4096
#define PLACES_MOST 100000
#define INDEX_BYTES (sizeof DIGEST_INDEX - 1 + 20 + 1 + 8 + 1)
#define INDEX_BARE (INDEX_BYTES - 9) /* of digests written without checksums */

struct digest_entry {
    int step, rank;
    struct stretch lies;
};
typedef VEC(struct digest_entry) entry_list;

static bool digest_probe(const char *path)
{
    char head[10];
    return str_eq(file_head(path, head, sizeof head), STR("{\"digest\":"));
}

static int number_in(const cJSON *a, int i)
{
    return (int)(int64_t)json_line_whole(cJSON_GetArrayItem(a, i), INT32_MAX, UINT64_MAX);
}

/* Where the list of places lies, from the last line. */
struct place_index {
    uint64_t at, bytes; /* 0: the line does not tell */
    bool sealed;
    uint32_t crc;
};

static struct place_index find_index(const struct file *f)
{
    char last[INDEX_BYTES] = {0};
    struct err quiet;
    struct place_index x = {0};
    unsigned long long at;
    size_t n = f->size < INDEX_BYTES ? (size_t)f->size : INDEX_BYTES;
    if (file_read(f, f->size - n, last, n, &quiet))
        return x;
    struct str line = str_n(last, n);
    if (!str_starts(line, DIGEST_INDEX) && n > INDEX_BARE)
        line = str_cut(line, n - INDEX_BARE);
    size_t bytes = line.n;
    if (!str_starts(line, DIGEST_INDEX) || line.p[bytes - 1] != '\n')
        return x;
    struct str digits = str_n(line.p + sizeof DIGEST_INDEX - 1, 20);
    if (bytes == INDEX_BYTES && (line.p[INDEX_BARE - 1] != ' ' || !crc_parse(str_n(line.p + INDEX_BARE, 8), &x.crc)))
        return x;
    x.sealed = bytes == INDEX_BYTES;
    if (str_u64(digits, &at) && at < f->size - bytes && f->size - bytes - at <= LINE_MOST) {
        x.at = at;
        x.bytes = f->size - bytes - at;
    }
    return x;
}

/* False also if it begins before free_from. */
static bool read_entry(const cJSON *it, uint64_t index, uint64_t free_from, struct digest_entry *x)
{
    const cJSON *crc = cJSON_GetArrayItem(it, 4);
    *x = (struct digest_entry){number_in(it, 0), number_in(it, 1),
                               {.from = json_line_whole(cJSON_GetArrayItem(it, 2), index, index), .sealed = crc != NULL}};
    x->lies.bytes = json_line_whole(cJSON_GetArrayItem(it, 3), index - x->lies.from + 1, 0);
    x->lies.crc = (uint32_t)json_line_whole(crc, (uint64_t)UINT32_MAX + 1, 0);
    return json_line_fits(it, crc ? "iiwww" : "iiww") && x->lies.bytes && x->lies.from >= free_from;
}

/* Recordings lie one behind the other, as they were written: those of a small file that overlap would be read a
 * thousand times. The caller releases what was read, also of an index that is damaged behind it. */
static int read_places(const char *path, entry_list *out, struct err *e)
{
    struct file f;
    if (file_open(&f, path, e))
        return -1;
    struct place_index x = find_index(&f);
    char *text = mem_alloc((size_t)x.bytes + 1);
    int rc = x.bytes ? file_read(&f, x.at, text, (size_t)x.bytes, e)
                     : err_set(e, ERR_DATA, _("%s: truncated digest: the index at its end is missing"), path);
    if (rc == 0 && x.sealed)
        rc = sealed_verify(&f, &(struct sealed){x.at, x.bytes, x.crc}, e);
    cJSON *o = rc == 0 ? json_parse(str_n(text, (size_t)x.bytes), false, path, x.at, e) : NULL;
    const cJSON *list = o ? json_member(o, "places") : NULL;
    uint64_t free_from = 0;
    if (o && !json_line_fits(list, "l*"))
        rc = err_at(e, path, x.at, "%s", _("expected a record as diverge writes it"));
    for (const cJSON *it = rc == 0 && list ? list->child : NULL; it && rc == 0; it = it->next) {
        struct digest_entry entry;
        if (!read_entry(it, x.at, free_from, &entry) || entry.lies.sealed != x.sealed || out->n == PLACES_MOST)
            /* left out, a rank would not be missed */
            rc = err_at(e, path, x.at, "%s", _("expected a record as diverge writes it"));
        else
            vec_push(out, entry);
        free_from = entry.lies.from + entry.lies.bytes;
    }
    cJSON_Delete(o);
    free(text);
    file_close(&f);
    return o && rc == 0 ? 0 : -1;
}

/* One that cannot be read is a place still: opening it says why. */
static void add_places(const char *path, place_list *out)
{
    entry_list l = {0};
    struct err quiet;
    struct digest_entry none = {.step = -1, .rank = -1};
    if (read_places(path, &l, &quiet))
        l.n = 0;
    if (!l.n)
        vec_push(&l, none);
    for (size_t i = 0; i < l.n; i++) {
        const struct digest_entry *x = &l.v[i];
        place_list_add(out, &reader_digest, path, x->step, x->rank)->stretch = x->lies;
    }
    vec_release(&l);
}

static int read_head(struct dump *d, const cJSON *o, struct err *e)
{
    const char *format = json_line_text(d, json_member(o, "format"), "");
    if (row_records_head(d, o, d->path, e))
        return -1;
    for (size_t i = 0; readers[i] && !d->source; i++)
        d->source =
            strcmp(readers[i]->name, format) == 0 && !readers[i]->table && !readers[i]->weights ? readers[i] : NULL;
    d->cut = cJSON_IsTrue(json_member(o, "cut"));
    return 0;
}

static int read_group(struct dump *d, const cJSON *a, uint64_t line, struct err *e)
{
    if (!json_line_fits(a, "ws"))
        return json_line_damaged(d->path, line, e);
    struct call_group g = {(uint32_t)json_line_whole(cJSON_GetArrayItem(a, 0), d->calls.n, NONE),
                           json_line_text(d, cJSON_GetArrayItem(a, 1), "")};
    if (g.call != NONE && (!d->groups.n || vec_last(&d->groups)->call < g.call))
        vec_push(&d->groups, g);
    return 0;
}

/* SKETCH_NUMBERS numbers of 16 digits in base 16 each: the bits of a double. */
static bool read_sums(struct str text, double *sum)
{
    if (text.n != SKETCH_NUMBERS * 16)
        return false;
    for (int j = 0; j < SKETCH_NUMBERS; j++) {
        uint64_t bits = 0;
        for (int k = 0; k < 16; k++) {
            char c = text.p[j * 16 + k];
            int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
            if (digit < 0)
                return false;
            bits = bits << 4 | (uint64_t)digit;
        }
        memcpy(&sum[j], &bits, sizeof bits);
        if (!isfinite(sum[j]))
            return false;
    }
    return true;
}

struct digest_reading {
    struct dump *d;
    struct row_records records;
    VEC(double) sketch; /* of the rows so far */
    struct json_pool pool;
};

static int keep_sketch(struct digest_reading *x, const cJSON *row, uint64_t line, struct err *e)
{
    const cJSON *text = cJSON_GetArrayItem(row, 11);
    double sum[SKETCH_NUMBERS] = {NAN};
    if (text && !cJSON_IsNull(text) && !(cJSON_IsString(text) && read_sums(str_of(text->valuestring), sum)))
        return json_line_damaged(x->d->path, line, e);
    for (int j = 0; j < SKETCH_NUMBERS; j++)
        vec_push(&x->sketch, sum[j]);
    return 0;
}

static int one_line(struct digest_reading *x, const cJSON *o, const struct lines *l, struct err *e)
{
    const cJSON *v;
    size_t rows = x->d->rows.n;
    if (!cJSON_IsObject(o))
        return err_line(e, x->d->path, l->number, _("expected an object"));
    if ((v = json_member(o, "group")))
        return read_group(x->d, v, l->number, e);
    if (json_member(o, "digest"))
        return read_head(x->d, o, e);
    if (row_records_take(&x->records, x->d, o, x->d->path, l->number, e))
        return -1;
    if (x->d->rows.n > rows) {
        x->d->rows.v[rows].has &= (uint16_t)~HAS_FILE; /* no file comes with it */
        return keep_sketch(x, json_member(o, "row"), l->number, e);
    }
    return 0;
}

static int digest_read_lines(struct digest_reading *x, struct lines *l, struct load *load, struct err *e)
{
    struct str s;
    int rc = 0, got;
    json_pool_enter(&x->pool);
    load_begin(load);
    while (rc == 0 && (got = lines_next(l, &s, e)) != 0) {
        const cJSON *o = got < 0 ? NULL : json_parse(s, false, x->d->path, l->offset, e);
        rc = o ? one_line(x, o, l, e) : -1;
        json_pool_clear(&x->pool);
        if (l->number % BATCH)
            continue;
        load_end(load);
        if (load_cancelled(load))
            rc = err_set(e, ERR_CANCEL, "%s", _("stopped"));
        load_begin(load);
    }
    if (rc == 0) {
        row_records_tie(&x->records, x->d);
        x->d->sketch = x->sketch.v;
        x->sketch.v = NULL;
    }
    load_end(load);
    json_pool_leave(&x->pool);
    return rc;
}

/* Looks the place of this step and rank up in the index. */
static int find_stretch(const struct dump *d, struct stretch *out, struct err *e)
{
    entry_list places = {0};
    int rc = read_places(d->path, &places, e);
    for (size_t i = 0; rc == 0 && i < places.n && !out->bytes; i++)
        if (places.v[i].step == d->step && places.v[i].rank == d->rank)
            *out = places.v[i].lies;
    if (rc == 0 && !out->bytes)
        rc = err_set(e, ERR_DATA, _("%s: the digest has no such step and rank"), d->path);
    vec_release(&places);
    return rc;
}

/* The stretch of this step and rank, as a file of its own. */
static int open_stretch(const struct dump *d, struct lines *l, bool *sealed, struct err *e)
{
    struct stretch at = d->stretch;
    struct file f, part;
    if ((!at.bytes && find_stretch(d, &at, e)) || file_open(&f, d->path, e))
        return -1;
    *sealed = at.sealed;
    if (at.sealed && sealed_verify(&f, &(struct sealed){at.from, at.bytes, at.crc}, e)) {
        file_close(&f);
        return -1;
    }
    struct file_span span = {.fd = file_detach(&f), .at = at.from, .size = at.bytes};
    file_join(&part, d->path, &span, 1);
    lines_take(l, part, LINE_MOST, false);
    return 0;
}

static int open_digest(struct dump *d, struct load *load, struct err *e)
{
    struct digest_reading x = {.d = d};
    struct lines l = {0};
    bool sealed;
    if (open_stretch(d, &l, &sealed, e))
        return -1;
    d->bytes += l.file.size;
    if (!sealed) {
        load_begin(load);
        dump_warn(d, _("written without checksums by an older version: whether it was changed since is unknown"));
        load_end(load);
    }
    int rc = digest_read_lines(&x, &l, load, e);
    d->bytes_done += l.file.size;
    lines_close(&l);
    vec_release(&x.sketch);
    row_records_release(&x.records);
    return rc;
}

double digest_precision(const struct dump *d)
{
    size_t tensors = 0, sketched = 0;
    if (d->reader != &reader_digest)
        return NAN;
    for (size_t i = 0; i < d->rows.n && d->sketch; i++) {
        tensors += d->rows.v[i].kind == ROW_TENSOR;
        sketched += d->rows.v[i].kind == ROW_TENSOR && !isnan(d->sketch[i * SKETCH_NUMBERS]);
    }
    return sketched * 2 >= tensors && sketched ? SKETCH_PRECISION : NAN;
}

const struct reader reader_digest = {
    .name = "digest",
    .title = N_("digest: statistics and sketches of a recording, without its tensors"),
    .what = N_("the file that diverge digest wrote"),
    .versions = "diverge 0.1",
    .probe = digest_probe,
    .places = add_places,
    .open = open_digest,
    .without = N_("a digest holds no tensors"),
};

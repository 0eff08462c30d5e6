/* One side of an unpacked pack: lines of JSON, in the order things were recorded (doc/formats.md). */
#include "fmt/pack_read.h"

#include <stdlib.h>

#include "base/lines.h"
#include "base/msg.h"
#include "base/json_read.h"
#include "base/record.h"
#include "fmt/npy.h"
#include "fmt/row_records.h"

#define LINE_MOST (8u << 20)
#define BATCH 4096

struct pack_state {
    struct packed packed;
    struct row_records records;
    struct json_pool pool;
};

static struct pack_state *state_of(const struct dump *d)
{
    return d->reader == &reader_pack ? d->state : NULL;
}

const struct packed *packed_of(const struct dump *d)
{
    return state_of(d) ? &state_of(d)->packed : NULL;
}

const struct packed *packed_both(const struct dump *target, const struct dump *golden)
{
    const struct packed *t = packed_of(target), *g = packed_of(golden);
    return t && g && strcmp(t->id, g->id) == 0 && t->lines.n ? t : NULL;
}

static uint64_t pack_call_key(uint32_t target, uint32_t golden)
{
    return (uint64_t)target << 32 | golden;
}

const struct packed_line *packed_line(const struct packed *p, uint32_t target, uint32_t golden)
{
    uint32_t at = nmap_get(&p->line_of, pack_call_key(target, golden));
    return at == MAP_NONE ? NULL : &p->lines.v[at];
}

/* ---- records ---- */

static int read_pack_head(struct dump *d, struct pack_state *st, const cJSON *o, const char *path, struct err *e)
{
    if (row_records_head(d, o, path, e))
        return -1;
    struct packed *p = &st->packed;
    const char *id = json_line_text(d, json_member(o, "id"), "");
    size_t n = strlen(id);
    memcpy(p->id, id, n < sizeof p->id ? n : sizeof p->id - 1);
    d->step = (int)json_line_whole(json_member(o, "step"), INT32_MAX, UINT32_MAX);
    d->rank = (int)json_line_whole(json_member(o, "rank"), INT32_MAX, UINT32_MAX);
    p->of = (uint32_t)json_line_whole(json_member(o, "of"), UINT32_MAX, 0);
    return 0;
}

static int one_record(struct dump *d, struct pack_state *st, const cJSON *o, const char *path, uint64_t line,
                      struct err *e)
{
    if (json_member(o, "pack"))
        return read_pack_head(d, st, o, path, e);
    return row_records_take(&st->records, d, o, path, line, e);
}

/* ---- what had been found ---- */

#define REAL(member) {offsetof(struct figures, member), false}
#define WHOLE(member) {offsetof(struct figures, member), true}
#define OF_SIDE(s)                                                                                                   \
    REAL(side[s].max), REAL(side[s].min), REAL(side[s].mean), REAL(side[s].norm), WHOLE(side[s].count),              \
        WHOLE(side[s].nan), WHOLE(side[s].inf), WHOLE(side[s].zero), WHOLE(side[s].saturated)
const struct packed_number packed_numbers[PACKED_NUMBERS] = {
    REAL(cosine), REAL(minus), REAL(rel_l2), REAL(euclid), REAL(max_abs), REAL(max_rel), REAL(one_thousandth),
    REAL(five_thousandths), WHOLE(max_abs_at), WHOLE(unlike), WHOLE(unlike_at), OF_SIDE(TARGET), OF_SIDE(GOLDEN),
};

static void read_figures(const cJSON *a, struct figures *f)
{
    const cJSON *it = a->child;
    *f = (struct figures){.two = it && json_line_number(it) > 0};
    for (int i = 0; i < PACKED_NUMBERS; i++) {
        void *at = (char *)f + packed_numbers[i].at;
        it = it ? it->next : NULL;
        if (packed_numbers[i].whole)
            *(uint64_t *)at = json_line_whole(it, (uint64_t)1e18, 0);
        else
            *(double *)at = json_line_number(it);
    }
}

static float single_figure(const cJSON *a, int i)
{
    return (float)json_line_number(cJSON_GetArrayItem(a, i));
}

static void read_diagnoses(struct dump *d, struct packed_line *l, const cJSON *list)
{
    struct packed_diagnosis *x = arena_zalloc(&d->arena, PACKED_DIAGNOSES * sizeof *x);
    const cJSON *it;
    l->diagnosis = x;
    cJSON_ArrayForEach(it, list) {
        double side = json_line_number(cJSON_GetArrayItem(it, 1));
        if (l->diagnoses == PACKED_DIAGNOSES)
            break;
        x[l->diagnoses++] = (struct packed_diagnosis){json_line_text(d, cJSON_GetArrayItem(it, 0), ""),
                                                      json_line_text(d, cJSON_GetArrayItem(it, 3), ""),
                                                      (int8_t)(side >= 0 && side <= 1 ? side : -1),
                                                      (float)json_line_number(cJSON_GetArrayItem(it, 2)),
                                                      json_line_text(d, cJSON_GetArrayItem(it, 4), "")};
    }
}

/* Whether all that is told of a line is of the types it has: a verdict that is none would read as a match. */
static bool is_line(const cJSON *o)
{
    const cJSON *figures = json_member(o, "figures"), *diagnoses = json_member(o, "diagnoses"), *it;
    bool fits = json_line_fits(json_member(o, "line"), "ww") &&
                json_line_fits(json_member(o, "pair"), "wwnis") &&
                json_line_fits(json_member(o, "judged"), "wwwwnnnn") &&
                (!figures || json_line_fits(figures, "in*")) && (!diagnoses || json_line_fits(diagnoses, "l*"));
    cJSON_ArrayForEach(it, diagnoses)
        fits = fits && json_line_fits(it, "sins");
    return fits;
}

static int pack_read_line(struct dump *d, struct packed *p, const cJSON *o, const char *path, uint64_t line,
                          struct err *e)
{
    static const struct member types[] = {
        {.key = "view", .kind = MEMBER_TEXT}, {.key = "failure", .kind = MEMBER_TEXT}, {.key = NULL},
    };
    if (!is_line(o))
        return json_line_damaged(path, line, e);
    if (record_check(types, o, path, e))
        return -1;
    const cJSON *row = json_member(o, "line"), *pair = json_member(o, "pair"),
                *judged = json_member(o, "judged"), *figures = json_member(o, "figures");
    struct packed_line l =
        {.row = {(uint32_t)json_line_whole(cJSON_GetArrayItem(row, 0), NONE, NONE),
                 (uint32_t)json_line_whole(cJSON_GetArrayItem(row, 1), NONE, NONE)}};
    if (l.row[TARGET] >= d->rows.n || l.row[GOLDEN] == NONE)
        return json_line_damaged(path, line, e);
    uint8_t *const small[] = {&l.verdict, &l.rule, &l.flags, &l.was};
    for (int i = 0; i < 4; i++)
        *small[i] = (uint8_t)json_line_whole(cJSON_GetArrayItem(judged, i), 256, 0);
    l.error = single_figure(judged, 4), l.limit = single_figure(judged, 5), l.level = single_figure(judged, 6),
        l.kappa = single_figure(judged, 7);
    l.origin = (uint8_t)json_line_whole(cJSON_GetArrayItem(pair, 0), 256, 0);
    l.why = (uint8_t)json_line_whole(cJSON_GetArrayItem(pair, 1), 256, 255);
    l.confidence = single_figure(pair, 2);
    l.source = (uint32_t)json_line_whole(cJSON_GetArrayItem(pair, 3), NONE, NONE);
    l.pair_view = json_line_text(d, cJSON_GetArrayItem(pair, 4), "");
    l.view = json_line_text(d, json_member(o, "view"), NULL);
    l.failure = json_line_text(d, json_member(o, "failure"), NULL);
    if (cJSON_IsArray(figures)) {
        struct figures *f = arena_alloc(&d->arena, sizeof *f);
        read_figures(figures, f);
        l.figures = f;
    }
    if (cJSON_IsArray(json_member(o, "diagnoses")))
        read_diagnoses(d, &l, json_member(o, "diagnoses"));
    vec_push(&p->lines, l);
    nmap_add(&p->line_of, pack_call_key(l.row[TARGET], l.row[GOLDEN]), (uint32_t)p->lines.n - 1);
    return 0;
}

static int read_found(struct packed *p, const cJSON *o, const char *path, uint64_t line, struct err *e)
{
    static const struct member types[] = {
        {.key = "pairs", .kind = MEMBER_INT}, {.key = "verdicts", .kind = MEMBER_INT},
        {.key = "rules", .kind = MEMBER_INT}, {.key = "whys", .kind = MEMBER_INT}, {.key = NULL},
    };
    const cJSON *f = json_member(o, "first");
    if (record_check(types, o, path, e))
        return -1;
    if (f && !cJSON_IsNull(f) && !json_line_fits(f, "wwww"))
        return json_line_damaged(path, line, e);
    p->verdicts = (uint32_t)json_line_whole(json_member(o, "verdicts"), 256, 0);
    p->rules = (uint32_t)json_line_whole(json_member(o, "rules"), 256, 0);
    p->whys = (uint32_t)json_line_whole(json_member(o, "whys"), 256, 0);
    p->has_first = cJSON_IsArray(f);
    p->first_class = (uint8_t)json_line_whole(cJSON_GetArrayItem(f, 0), 256, 0);
    p->doubtful_before = (uint32_t)json_line_whole(cJSON_GetArrayItem(f, 1), NONE, 0);
    p->gaps_before = (uint32_t)json_line_whole(cJSON_GetArrayItem(f, 2), NONE, 0);
    p->unread_before = (uint32_t)json_line_whole(cJSON_GetArrayItem(f, 3), NONE, 0);
    return 0;
}

/* ---- the reader ---- */

/* Each line of dir/name as a tree to `each`, the lock held. */
static int pack_read_lines(struct dump *d, struct load *load, struct pack_state *st, const char *name,
                           int (*each)(struct dump *d, struct pack_state *st, const cJSON *o, const char *path,
                                       uint64_t line, struct err *e), struct err *e)
{
    struct buf path = {0};
    struct lines l = {0};
    struct str s;
    int rc = 0, got;
    path_join(&path, d->path, name);
    if (lines_open(&l, path.p, LINE_MOST, false, e)) {
        buf_release(&path);
        return -1;
    }
    d->bytes += l.file.size;
    json_pool_enter(&st->pool);
    load_begin(load);
    while (rc == 0 && (got = lines_next(&l, &s, e)) != 0) {
        const cJSON *o = got < 0 ? NULL : json_parse(s, false, path.p, l.offset, e);
        rc = !o ? -1 : !cJSON_IsObject(o) ? err_line(e, path.p, l.number, _("expected an object"))
                                          : each(d, st, o, path.p, l.number, e);
        json_pool_clear(&st->pool);
        if (l.number % BATCH)
            continue;
        load_end(load);
        if (load_cancelled(load))
            rc = err_set(e, ERR_CANCEL, "%s", _("stopped"));
        load_begin(load);
    }
    load_end(load);
    json_pool_leave(&st->pool);
    d->bytes_done += l.file.size;
    lines_close(&l);
    buf_release(&path);
    return rc;
}

static int one_found(struct dump *d, struct pack_state *st, const cJSON *o, const char *path, uint64_t line,
                     struct err *e)
{
    if (json_member(o, "line"))
        return pack_read_line(d, &st->packed, o, path, line, e);
    return json_member(o, "pairs") ? read_found(&st->packed, o, path, line, e) : 0;
}

static bool pack_probe(struct folder *folder)
{
    if (!folder_has_file(folder, PACK_ROWS))
        return false;
    struct buf at = {0};
    struct file f;
    struct err quiet;
    char begin[8];
    path_join(&at, folder->path, PACK_ROWS);
    bool ok = file_open(&f, at.p, &quiet) == 0;
    if (ok) {
        ok = file_read_some(&f, 0, begin, sizeof begin, &quiet) == sizeof begin && memcmp(begin, "{\"pack\":", 8) == 0;
        file_close(&f);
    }
    buf_release(&at);
    return ok;
}

static int open_side(struct dump *d, struct load *load, struct err *e)
{
    struct pack_state *st = mem_zalloc(sizeof *st);
    struct buf b = {0}, at = {0};
    d->state = st;
    int sealed = pack_verify(d->path, e);
    if (sealed < 0)
        return -1;
    if (sealed) {
        load_begin(load);
        dump_warn(d, _("written without checksums by an older version: whether it was changed since is unknown"));
        load_end(load);
    }
    if (pack_read_lines(d, load, st, PACK_ROWS, one_record, e))
        return -1;
    path_join(&at, d->path, PACK_PAIRS);
    int rc = path_is_file(at.p) ? pack_read_lines(d, load, st, PACK_PAIRS, one_found, e) : 0;
    if (rc == 0) {
        load_begin(load);
        row_records_tie(&st->records, d);
        if (d->rows.n < st->packed.of) {
            buf_fmt(&b, _("this pack has %zu of %u rows: counts and coverage refer to "
                          "these"), d->rows.n, st->packed.of);
            dump_warn(d, b.p);
        }
        load_end(load);
    }
    buf_release(&at);
    buf_release(&b);
    return rc;
}

static int pack_open_tensor(const struct dump *d, uint32_t row, struct tensor *t, struct err *e)
{
    const char *name = d->extras.v[d->rows.v[row].extra].file; /* a row with a file has it there */
    if (file_open_inside(&t->file, d->path, name, e))
        return -1;
    if (npy_open(t, e)) {
        file_close(&t->file);
        return -1;
    }
    /* numpy has no bfloat16 and no float8: their bits are in integers, NUMBER.bfloat16.npy */
    struct str rest, type;
    if (str_split(str_of(name), '.', &type, &rest) && str_split(rest, '.', &type, &rest)) {
        enum dtype foreign = dtype_find(type);
        if (foreign && dtype_table[foreign].size == dtype_table[t->dtype].size)
            t->dtype = foreign;
    }
    return 0;
}

static void close_side(struct dump *d)
{
    struct pack_state *st = d->state;
    vec_release(&st->packed.lines);
    nmap_release(&st->packed.line_of);
    row_records_release(&st->records);
    free(st);
    d->state = NULL;
}

const struct reader reader_pack = {
    .name = "pack",
    .title = N_("one side of a pack written by diverge report --pack"),
    .what = N_("FILE.tar.zst or FILE.tar itself; unpacked, its folders target and golden"),
    .versions = "diverge 0.1",
    .probe_folder = pack_probe,
    .open = open_side,
    .tensor = pack_open_tensor,
    .without = N_("the pack has its statistics, but not its tensor"),
    .close = close_side,
};

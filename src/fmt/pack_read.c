/* One side of an unpacked pack: lines of JSON, in the order things were recorded (doc/formats.md). */
#include "fmt/pack_read.h"

#include <math.h>
#include <stdlib.h>

#include "base/json_write.h"
#include "base/lines.h"
#include "base/msg.h"
#include "base/json_read.h"
#include "fmt/npy.h"
#include "dump/family.h"

#define LINE_MOST (8u << 20)
#define BATCH 4096
#define DEEPEST 1000 /* modules in modules */

struct pack_state {
    struct packed packed;
    VEC(uint32_t) parent, twin; /* of each call as the file says, checked when all are there */
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

static uint64_t key_of(uint32_t target, uint32_t golden)
{
    return (uint64_t)target << 32 | golden;
}

const struct packed_line *packed_line(const struct packed *p, uint32_t target, uint32_t golden)
{
    uint32_t at = nmap_get(&p->line_of, key_of(target, golden));
    return at == MAP_NONE ? NULL : &p->lines.v[at];
}

/* ---- values ---- */

static double number(const cJSON *v)
{
    if (cJSON_IsNumber(v))
        return v->valuedouble;
    if (cJSON_IsString(v) && strcmp(v->valuestring, "Inf") == 0)
        return INFINITY;
    if (cJSON_IsString(v) && strcmp(v->valuestring, "-Inf") == 0)
        return -INFINITY;
    return NAN;
}

/* A whole number below `most`; `otherwise` where there is none. */
static uint64_t whole(const cJSON *v, uint64_t most, uint64_t otherwise)
{
    double x = cJSON_IsNumber(v) ? v->valuedouble : -1;
    return x >= 0 && x < (double)most ? (uint64_t)x : otherwise;
}

static const cJSON *member(const cJSON *o, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(o, key);
}

static const char *text_in(struct dump *d, const cJSON *v, const char *otherwise)
{
    return cJSON_IsString(v) ? arena_cstr(&d->arena, str_of(v->valuestring)) : otherwise;
}

/* ---- records ---- */

static void head(struct dump *d, struct pack_state *st, const cJSON *o)
{
    struct packed *p = &st->packed;
    const char *id = text_in(d, member(o, "id"), "");
    size_t n = strlen(id);
    memcpy(p->id, id, n < sizeof p->id ? n : sizeof p->id - 1);
    d->framework = text_in(d, member(o, "framework"), "");
    d->level = text_in(d, member(o, "level"), "");
    d->task = text_in(d, member(o, "task"), "");
    d->step = (int)whole(member(o, "step"), INT32_MAX, UINT32_MAX);
    d->rank = (int)whole(member(o, "rank"), INT32_MAX, UINT32_MAX);
    d->digits = (int)whole(member(o, "digits"), 18, 17);
    d->joint = *text_in(d, member(o, "joint"), ".");
    d->checksums = cJSON_IsTrue(member(o, "checksums"));
    p->of = (uint32_t)whole(member(o, "of"), UINT32_MAX, 0);
}

static void add_stack(struct dump *d, const cJSON *list)
{
    struct stack s = {(uint32_t)d->stack_frames.n, 0};
    const cJSON *it;
    cJSON_ArrayForEach(it, list) {
        struct frame f = {.file = "", .func = "", .code = ""};
        if (cJSON_IsString(it)) {
            f.raw = text_in(d, it, "");
        } else {
            f.file = text_in(d, cJSON_GetArrayItem(it, 0), "");
            f.line = (uint32_t)whole(cJSON_GetArrayItem(it, 1), UINT32_MAX, 0);
            f.func = text_in(d, cJSON_GetArrayItem(it, 2), "");
            f.code = text_in(d, cJSON_GetArrayItem(it, 3), "");
        }
        vec_push(&d->frames, f);
        vec_push(&d->stack_frames, (uint32_t)d->frames.n - 1);
        s.n++;
    }
    vec_push(&d->stacks, s);
}

static enum family family_named(const char *name)
{
    for (int f = 0; f < FAMILY_COUNT; f++)
        if (strcmp(family_name((enum family)f), name) == 0)
            return (enum family)f;
    return FAMILY_OTHER;
}

static void add_call(struct dump *d, struct pack_state *st, const cJSON *o)
{
    const char *name = text_in(d, member(o, "call"), ""), *scope = text_in(d, member(o, "scope"), NULL);
    uint32_t c = dump_add_call(d, str_of(name), (enum call_kind)whole(member(o, "kind"), CALL_OPERATOR + 1, CALL_API),
                               (enum call_phase)whole(member(o, "phase"), PHASE_COUNT, PHASE_FORWARD));
    struct call *x = &d->calls.v[c];
    x->family = (uint8_t)family_named(text_in(d, member(o, "family"), ""));
    x->stack = (uint32_t)whole(member(o, "stack"), d->stacks.n, NONE);
    x->gradient = cJSON_IsTrue(member(o, "gradient"));
    if (scope)
        d->calls.v[c].scope = dump_scope(d, str_of(scope));
    vec_push(&st->parent, (uint32_t)whole(member(o, "in"), NONE, NONE));
    vec_push(&st->twin, (uint32_t)whole(member(o, "twin"), NONE, NONE));
}

static uint32_t shape_of(struct dump *d, const cJSON *list)
{
    int64_t dim[TENSOR_DIMS];
    int n = 0;
    const cJSON *it;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) > TENSOR_DIMS)
        return NONE;
    cJSON_ArrayForEach(it, list)
        dim[n++] = (int64_t)whole(it, INT64_MAX, 0);
    return dump_shape(d, dim, n);
}

static uint32_t extra_of(struct dump *d, const cJSON *counts, const cJSON *file)
{
    if (!cJSON_IsArray(counts) && !cJSON_IsString(file))
        return NONE;
    struct row_extra x =
        {.file = text_in(d, file, NULL), .counts = (uint8_t)whole(cJSON_GetArrayItem(counts, 0), 16, 0)};
    uint64_t *const at[] = {&x.nan, &x.neg_inf, &x.pos_inf, &x.zero};
    for (int i = 0; i < 4; i++)
        *at[i] = whole(cJSON_GetArrayItem(counts, i + 1), UINT64_MAX, 0);
    vec_push(&d->extras, x);
    return (uint32_t)d->extras.n - 1;
}

/* [call, slot, io, kind, type, has, shape, [max, min, mean, norm], text, [counts], file] */
static int add_row(struct dump *d, const cJSON *a, const char *path, uint64_t line, struct err *e)
{
    const cJSON *at[11] = {NULL};
    size_t n = 0;
    for (const cJSON *it = a->child; it && n < ARRAY_LEN(at); it = it->next)
        at[n++] = it;
    uint32_t call = n == ARRAY_LEN(at) ? (uint32_t)whole(at[0], d->calls.n, NONE) : NONE;
    if (call == NONE || d->rows.n >= NONE - 1)
        return err_line(e, path, line, _("expected a row of 11 values, the first the number of a call above"));
    struct row r = {
        .slot = dump_slot(d, str_of(text_in(d, at[1], ""))),
        .io = (uint8_t)whole(at[2], IO_COUNT, IO_INPUT),
        .kind = (uint8_t)whole(at[3], ROW_NULL + 1, ROW_NULL),
        .dtype = (uint8_t)dtype_find(str_of(text_in(d, at[4], ""))),
        .has = (uint8_t)(whole(at[5], 256, 0) & ~(uint64_t)(HAS_FILE | IS_DAMAGED)),
        .shape = shape_of(d, at[6]),
        .text = text_in(d, at[8], NULL),
        .extra = extra_of(d, at[9], at[10]),
    };
    for (int i = 0; i < STAT_COUNT; i++)
        r.stat[i] = number(cJSON_GetArrayItem(at[7], i));
    if (r.shape == NONE)
        r.has &= (uint8_t)~HAS_SHAPE;
    if (cJSON_IsString(at[10]))
        r.has |= HAS_FILE;
    if ((r.kind != ROW_TENSOR || r.has & HAS_CHECKSUM) && !r.text)
        r.text = "";
    dump_add_row(d, call, r);
    return 0;
}

static void add_problem(struct dump *d, const cJSON *a)
{
    uint32_t row = (uint32_t)whole(cJSON_GetArrayItem(a, 0), d->rows.n, NONE);
    const char *kind = text_in(d, cJSON_GetArrayItem(a, 1), ""), *text = text_in(d, cJSON_GetArrayItem(a, 2), "");
    if (!*kind || !*text)
        return;
    (cJSON_IsTrue(cJSON_GetArrayItem(a, 3)) ? dump_recorded : dump_problem)(d, row, kind, text);
}

static int one_record(struct dump *d, struct pack_state *st, const cJSON *o, const char *path, uint64_t line,
                      struct err *e)
{
    const cJSON *v;
    if ((v = member(o, "row")))
        return add_row(d, v, path, line, e);
    if ((v = member(o, "stack")) && cJSON_IsArray(v))
        add_stack(d, v);
    else if (member(o, "call"))
        add_call(d, st, o);
    else if ((v = member(o, "problem")))
        add_problem(d, v);
    else if ((v = member(o, "warning")) && *text_in(d, v, ""))
        dump_warn(d, text_in(d, v, ""));
    else if (member(o, "pack"))
        head(d, st, o);
    return 0;
}

/* Calls that name each other as twins, and modules that do not lie in themselves. */
static void tie(struct dump *d, const struct pack_state *st)
{
    for (uint32_t c = 0; c < d->calls.n; c++) {
        uint32_t twin = st->twin.v[c], up = st->parent.v[c];
        if (twin < d->calls.n && twin != c && st->twin.v[twin] == c)
            d->calls.v[c].twin = twin;
        int depth = 0;
        while (up < d->calls.n && depth++ < DEEPEST)
            up = st->parent.v[up];
        if (st->parent.v[c] < d->calls.n && depth < DEEPEST)
            d->calls.v[c].parent = st->parent.v[c];
    }
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
    *f = (struct figures){.two = it && number(it) > 0};
    for (int i = 0; i < PACKED_NUMBERS; i++) {
        void *at = (char *)f + packed_numbers[i].at;
        it = it ? it->next : NULL;
        if (packed_numbers[i].whole)
            *(uint64_t *)at = whole(it, (uint64_t)1e18, 0);
        else
            *(double *)at = number(it);
    }
}

static float single(const cJSON *a, int i)
{
    return (float)number(cJSON_GetArrayItem(a, i));
}

static void read_diagnoses(struct dump *d, struct packed_line *l, const cJSON *list)
{
    struct packed_diagnosis *x = arena_zalloc(&d->arena, PACKED_DIAGNOSES * sizeof *x);
    const cJSON *it;
    l->diagnosis = x;
    cJSON_ArrayForEach(it, list) {
        double side = number(cJSON_GetArrayItem(it, 1));
        if (l->diagnoses == PACKED_DIAGNOSES)
            break;
        x[l->diagnoses++] = (struct packed_diagnosis){text_in(d, cJSON_GetArrayItem(it, 0), ""),
                                                      text_in(d, cJSON_GetArrayItem(it, 3), ""),
                                                      (int8_t)(side >= 0 && side <= 1 ? side : -1),
                                                      (float)number(cJSON_GetArrayItem(it, 2))};
    }
}

static void read_line(struct dump *d, struct packed *p, const cJSON *o)
{
    const cJSON *row = member(o, "line"), *pair = member(o, "pair"), *judged = member(o, "judged"),
                *figures = member(o, "figures");
    struct packed_line l =
        {.row = {(uint32_t)whole(cJSON_GetArrayItem(row, 0), NONE, NONE),
                 (uint32_t)whole(cJSON_GetArrayItem(row, 1), NONE, NONE)}};
    if (l.row[TARGET] != NONE && l.row[TARGET] >= d->rows.n)
        return;
    uint8_t *const small[] = {&l.verdict, &l.rule, &l.flags, &l.was};
    for (int i = 0; i < 4; i++)
        *small[i] = (uint8_t)whole(cJSON_GetArrayItem(judged, i), 256, 0);
    l.error = single(judged, 4), l.limit = single(judged, 5), l.level = single(judged, 6), l.kappa = single(judged, 7);
    l.origin = (uint8_t)whole(cJSON_GetArrayItem(pair, 0), 256, 0);
    l.why = (uint8_t)whole(cJSON_GetArrayItem(pair, 1), 256, 255);
    l.confidence = single(pair, 2);
    l.source = (uint32_t)whole(cJSON_GetArrayItem(pair, 3), NONE, NONE);
    l.pair_view = text_in(d, cJSON_GetArrayItem(pair, 4), "");
    l.view = text_in(d, member(o, "view"), NULL);
    l.failure = text_in(d, member(o, "failure"), NULL);
    if (cJSON_IsArray(figures)) {
        struct figures *f = arena_alloc(&d->arena, sizeof *f);
        read_figures(figures, f);
        l.figures = f;
    }
    if (cJSON_IsArray(member(o, "diagnoses")))
        read_diagnoses(d, &l, member(o, "diagnoses"));
    vec_push(&p->lines, l);
    nmap_add(&p->line_of, key_of(l.row[TARGET], l.row[GOLDEN]), (uint32_t)p->lines.n - 1);
}

static void read_found(struct packed *p, const cJSON *o)
{
    const cJSON *f = member(o, "first");
    p->verdicts = (uint32_t)whole(member(o, "verdicts"), 256, 0);
    p->rules = (uint32_t)whole(member(o, "rules"), 256, 0);
    p->whys = (uint32_t)whole(member(o, "whys"), 256, 0);
    p->has_first = cJSON_IsArray(f);
    p->first_class = (uint8_t)whole(cJSON_GetArrayItem(f, 0), 256, 0);
    p->doubtful_before = (uint32_t)whole(cJSON_GetArrayItem(f, 1), NONE, 0);
    p->gaps_before = (uint32_t)whole(cJSON_GetArrayItem(f, 2), NONE, 0);
    p->unread_before = (uint32_t)whole(cJSON_GetArrayItem(f, 3), NONE, 0);
}

/* ---- the reader ---- */

/* Each line of dir/name as a tree to `each`, the lock held. */
static int read_lines(struct dump *d, struct load *load, struct pack_state *st, const char *name,
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
    (void)path, (void)line, (void)e;
    if (member(o, "line"))
        read_line(d, &st->packed, o);
    else if (member(o, "pairs"))
        read_found(&st->packed, o);
    return 0;
}

static bool probe(struct folder *folder)
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
    if (read_lines(d, load, st, PACK_ROWS, one_record, e))
        return -1;
    path_join(&at, d->path, PACK_PAIRS);
    int rc = path_is_file(at.p) ? read_lines(d, load, st, PACK_PAIRS, one_found, e) : 0;
    if (rc == 0) {
        load_begin(load);
        tie(d, st);
        if (d->rows.n < st->packed.of) {
            buf_fmt(&b, _("this pack has %zu of %u rows: counts and coverage are of these"), d->rows.n, st->packed.of);
            dump_warn(d, b.p);
        }
        load_end(load);
    }
    buf_release(&at);
    buf_release(&b);
    return rc;
}

static int open_tensor(const struct dump *d, uint32_t row, struct tensor *t, struct err *e)
{
    const char *name = d->extras.v[d->rows.v[row].extra].file; /* a row with a file has it there */
    if (file_open_inside(&t->file, d->path, name, e))
        return -1;
    if (npy_open(t, e)) {
        file_close(&t->file);
        return -1;
    }
    /* numpy has no bfloat16 and no float8: their bits are in whole numbers, NUMBER.bfloat16.npy */
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
    vec_release(&st->parent);
    vec_release(&st->twin);
    free(st);
    d->state = NULL;
}

const struct reader reader_pack = {
    .name = "pack",
    .title = N_("one side of a pack of diverge report --pack"),
    .what = N_("FILE.tar.zst or FILE.tar itself; unpacked, its folders target and golden"),
    .versions = "diverge 0.1",
    .probe_folder = probe,
    .open = open_side,
    .tensor = open_tensor,
    .without = N_("the pack has its figures, not its tensor"),
    .close = close_side,
};

/* Writes a round as gzip of a line of JSON and a line a row, and reads it back with every number checked. */
#include "ticket/round_file.h"

#include <math.h>
#include <stdio.h>
#include <zlib.h>

#include "base/io.h"
#include "base/json_write.h"
#include "base/map.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/out.h"
#include "base/json_read.h"

#define SCHEMA 1
#define BLOCK (64 * 1024)
#define LINE_MOST ((size_t)4 << 20)
#define NAME_MOST ((size_t)1 << 20)
#define SPARE ((uint64_t)16 << 20) /* unpacked it may be so much more than TIMES the file: names repeat themselves (10 to 15 */
#define TIMES 64                   /* times), but what repeats itself a thousandfold was made to fill memory */
#define ROUND_SEED 0x726f756e64

/* ---- writing ---- */

struct round_writing {
    struct out out;
    z_stream z;
    struct buf line; /* lines still to be packed; the newest begins at `from` */
    size_t from;
    uint64_t fingerprint;
};

static void pack(struct round_writing *p, int flush)
{
    unsigned char block[BLOCK];
    p->z.next_in = (Bytef *)p->line.p;
    p->z.avail_in = (uInt)p->line.n;
    do {
        p->z.next_out = block;
        p->z.avail_out = sizeof block;
        deflate(&p->z, flush);
        buf_add(&p->out.buf, block, sizeof block - p->z.avail_out);
    } while (p->z.avail_out == 0);
    buf_clear(&p->line);
    p->from = 0;
    out_flow(&p->out);
}

static void end_line(struct round_writing *p)
{
    buf_char(&p->line, '\n');
    p->fingerprint = hash_bytes(p->line.p + p->from, p->line.n - p->from, p->fingerprint);
    p->from = p->line.n;
    if (p->line.n >= BLOCK)
        pack(p, Z_NO_FLUSH);
}

/* A name may hold anything: tabs and ends of lines are written as escapes. */
static void escape(struct buf *b, struct str s)
{
    for (size_t i = 0; i < s.n && i < NAME_MOST; i++) {
        const char *code = s.p[i] == '\t' ? "\\t" : s.p[i] == '\n' ? "\\n" : s.p[i] == '\\' ? "\\\\" : NULL;
        code ? buf_cstr(b, code) : buf_char(b, s.p[i]);
    }
}

static void number(struct buf *b, float v)
{
    if (!isnan(v))
        buf_fmt(b, "%.9g", (double)v);
    buf_char(b, '\t');
}

static void row_line(struct round_writing *p, const struct round *r, uint32_t i)
{
    const struct round_row *x = &r->rows.v[i];
    struct buf *b = &p->line;
    buf_fmt(b, "%s\t", verdict_name((enum verdict)x->verdict));
    number(b, x->error);
    number(b, x->confidence);
    buf_fmt(b, "%u\t%llx\t", x->flags, (unsigned long long)x->address);
    escape(b, str_of(round_name(r, i, TARGET)));
    buf_char(b, '\t');
    escape(b, str_of(round_name(r, i, GOLDEN)));
    end_line(p);
}

static void side_json(struct jsonw *w, const char *key, const struct round_side *s)
{
    char n[20];
    jw_key(w, key);
    jw_object(w);
    jw_kcstr(w, "path", s->path);
    jw_kcstr(w, "full_path", s->full_path);
    jw_kcstr(w, "format", s->format);
    jw_kcstr(w, "framework", s->framework);
    jw_kint(w, "step", s->step);
    jw_kint(w, "rank", s->rank);
    jw_kint(w, "rows", (int64_t)s->rows);
    jw_kint(w, "bytes", (int64_t)s->state.bytes);
    jw_kint(w, "files", (int64_t)s->state.files);
    jw_kint(w, "time", (int64_t)s->state.time);
    snprintf(n, sizeof n, "%016llx", (unsigned long long)s->fingerprint);
    jw_kcstr(w, "fingerprint", n); /* as text: JSON's readers round numbers above 2^53 */
    jw_end_object(w);
}

static void counts_json(struct jsonw *w, const struct round *r)
{
    jw_key(w, "summary");
    jw_object(w);
    for (int v = 0; v < VERDICT_COUNT; v++)
        jw_kint(w, verdict_name((enum verdict)v), r->by[v]);
    jw_kint(w, "pairs", r->pairs);
    jw_kint(w, "target_only", r->only[TARGET]);
    jw_kint(w, "golden_only", r->only[GOLDEN]);
    jw_kint(w, "doubtful", r->doubtful);
    jw_kint(w, "unread", r->unread);
    jw_kint(w, "known", r->known);
    jw_key(w, "coverage");
    jw_object(w);
    jw_knum(w, "target", r->coverage[TARGET]);
    jw_knum(w, "golden", r->coverage[GOLDEN]);
    jw_end_object(w);
    jw_end_object(w);
}

static void lists_json(struct jsonw *w, const struct round *r)
{
    jw_key(w, "panels");
    jw_array(w);
    for (size_t i = 0; i < r->panels.n; i++) {
        jw_object(w);
        jw_kcstr(w, "name", r->panels.v[i].name);
        jw_kcstr(w, "state", r->panels.v[i].state);
        jw_kcstr(w, "summary", r->panels.v[i].summary);
        jw_end_object(w);
    }
    jw_end_array(w);
    jw_key(w, "findings");
    jw_array(w);
    for (size_t i = 0; i < r->findings.n; i++) {
        jw_object(w);
        jw_kint(w, "number", r->findings.v[i].number);
        jw_kcstr(w, "status", r->findings.v[i].status);
        jw_kcstr(w, "text", r->findings.v[i].text);
        jw_kcstr(w, "target", r->findings.v[i].about[TARGET]);
        jw_kcstr(w, "golden", r->findings.v[i].about[GOLDEN]);
        jw_end_object(w);
    }
    jw_end_array(w);
}

static void head_line(struct round_writing *p, const struct round *r)
{
    struct jsonw w;
    jw_init(&w, &p->line, false);
    jw_object(&w);
    jw_kint(&w, "schema", SCHEMA);
    jw_kcstr(&w, "kind", "diverge-round");
    jw_kint(&w, "round", r->number);
    jw_kcstr(&w, "tool", r->tool);
    jw_kint(&w, "date", r->date);
    jw_kcstr(&w, "author", r->author);
    jw_kint(&w, "status", r->status);
    side_json(&w, "target", &r->side[TARGET]);
    side_json(&w, "golden", &r->side[GOLDEN]);
    counts_json(&w, r);
    jw_key(&w, "first");
    if (r->deviates) {
        jw_object(&w);
        jw_kcstr(&w, "target", r->first[TARGET]);
        jw_kcstr(&w, "golden", r->first[GOLDEN]);
        jw_kint(&w, "order", r->first_order);
        jw_kcstr(&w, "class", r->first_class);
        jw_key(&w, "error");
        isnan(r->first_error) ? jw_null(&w) : jw_num(&w, (double)r->first_error);
        jw_end_object(&w);
    } else {
        jw_null(&w);
    }
    lists_json(&w, r);
    jw_kint(&w, "rows", (int64_t)r->rows.n);
    jw_end_object(&w);
    end_line(p);
}

int round_write(const struct round *r, const char *path, uint64_t *fingerprint, struct err *e)
{
    struct round_writing p = {.fingerprint = ROUND_SEED};
    if (out_file(&p.out, path, e))
        return -1;
    bool ready = deflateInit2(&p.z, 6, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) == Z_OK; /* + 16: as gzip */
    if (ready) {
        head_line(&p, r);
        for (uint32_t i = 0; i < r->rows.n; i++)
            row_line(&p, r, i);
        pack(&p, Z_FINISH);
        deflateEnd(&p.z);
    } else {
        err_set(&p.out.err, ERR_IO, _("%s: not enough memory to pack it"), path);
    }
    buf_release(&p.line);
    *fingerprint = p.fingerprint;
    return out_close(&p.out, e);
}

/* ---- reading ---- */

struct round_reading {
    struct file file;
    const char *name;
    z_stream z;
    unsigned char in[BLOCK], out[BLOCK];
    uint64_t at, unpacked;    /* bytes read of the file, bytes that came of them */
    size_t have, taken;       /* of out */
    bool ended;
    struct buf line;
    uint64_t number;          /* of the line */
    uint64_t fingerprint;
    struct buf name_of[2];
};

/* More bytes into out: 1; 0 at the end of a whole file. */
static int fill(struct round_reading *u, struct err *e)
{
    if (u->ended)
        return 0;
    u->z.next_out = u->out;
    u->z.avail_out = sizeof u->out;
    while (u->z.avail_out == sizeof u->out && !u->ended) {
        if (!u->z.avail_in) {
            long n = file_read_some(&u->file, u->at, u->in, sizeof u->in, e);
            if (n < 0)
                return -1;
            if (n == 0)
                return err_at(e, u->name, u->at, _("the file ends in the middle: it was not written whole"));
            u->at += (uint64_t)n;
            u->z.next_in = u->in;
            u->z.avail_in = (uInt)n;
        }
        int rc = inflate(&u->z, Z_NO_FLUSH);
        if (rc != Z_OK && rc != Z_STREAM_END)
            return err_at(e, u->name, u->at - u->z.avail_in, _("damaged: gzip cannot unpack it here"));
        u->ended = rc == Z_STREAM_END;
    }
    if (u->ended && (u->z.avail_in || u->at < u->file.size))
        return err_at(e, u->name, u->at - u->z.avail_in, _("something follows the end of the round"));
    u->taken = 0;
    u->have = sizeof u->out - u->z.avail_out;
    u->unpacked += u->have;
    if (u->unpacked > SPARE + TIMES * u->file.size)
        return err_at(e, u->name, u->at, _("it unpacks to more than %d times its size: no round does"), TIMES);
    return u->have > 0;
}

/* The next line without its end: 1; 0: there is none. */
static int next_line(struct round_reading *u, struct err *e)
{
    buf_clear(&u->line);
    for (;;) {
        if (u->taken == u->have) {
            int rc = fill(u, e);
            if (rc < 0)
                return -1;
            if (rc == 0)
                return u->line.n ? err_line(e, u->name, u->number + 1, _("the last line has no end")) : 0;
        }
        const unsigned char *from = u->out + u->taken, *end = memchr(from, '\n', u->have - u->taken);
        size_t n = end ? (size_t)(end - from) + 1 : u->have - u->taken;
        if (u->line.n + n > LINE_MOST)
            return err_line(e, u->name, u->number + 1, _("a line of more than 4 MB"));
        buf_add(&u->line, from, n);
        u->taken += n;
        if (!end)
            continue;
        u->number++;
        u->fingerprint = hash_bytes(u->line.p, u->line.n, u->fingerprint);
        u->line.p[--u->line.n] = 0;
        if (memchr(u->line.p, 0, u->line.n))
            return err_line(e, u->name, u->number, _("a byte 0 in a line of text"));
        return 1;
    }
}

static const char *text(struct round *r, const cJSON *o, const char *key)
{
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsString(x) ? arena_cstr(&r->arena, str_of(x->valuestring)) : "";
}

static double real(const cJSON *o, const char *key, double otherwise)
{
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(o, key);
    double v;
    return json_number(x, &v) ? v : otherwise;
}

/* A count of at most `most`; what is none is 0. */
static uint64_t count(const cJSON *o, const char *key, double most)
{
    double v = real(o, key, 0);
    return v >= 0 && v <= most ? (uint64_t)v : 0;
}

static int small(const cJSON *o, const char *key)
{
    double v = real(o, key, -1);
    return v >= 0 && v <= INT32_MAX ? (int)v : -1;
}

static uint64_t hexadecimal(struct str s)
{
    uint64_t v = 0;
    for (size_t i = 0; i < s.n && i < 16; i++) {
        const char *digits = "0123456789abcdef", *at = strchr(digits, s.p[i]);
        if (!at || !*at)
            return 0;
        v = v << 4 | (uint64_t)(at - digits);
    }
    return s.n > 16 ? 0 : v;
}

static void read_side(struct round *r, int side, const cJSON *root)
{
    const cJSON *o = cJSON_GetObjectItemCaseSensitive(root, side ? "golden" : "target");
    r->side[side] = (struct round_side){
        .path = text(r, o, "path"), .full_path = text(r, o, "full_path"), .format = text(r, o, "format"), .framework = text(r, o, "framework"),
        .step = small(o, "step"), .rank = small(o, "rank"), .rows = count(o, "rows", 1e15),
        .state = {count(o, "bytes", 1e18), count(o, "files", 1e15), count(o, "time", 1e15)},
        .fingerprint = hexadecimal(str_of(text(r, o, "fingerprint"))),
    };
}

static void read_counts(struct round *r, const cJSON *o)
{
    const cJSON *coverage = cJSON_GetObjectItemCaseSensitive(o, "coverage");
    for (int v = 0; v < VERDICT_COUNT; v++)
        r->by[v] = (uint32_t)count(o, verdict_name((enum verdict)v), UINT32_MAX);
    r->pairs = (uint32_t)count(o, "pairs", UINT32_MAX);
    r->only[TARGET] = (uint32_t)count(o, "target_only", UINT32_MAX);
    r->only[GOLDEN] = (uint32_t)count(o, "golden_only", UINT32_MAX);
    r->doubtful = (uint32_t)count(o, "doubtful", UINT32_MAX);
    r->unread = (uint32_t)count(o, "unread", UINT32_MAX);
    r->known = (uint32_t)count(o, "known", UINT32_MAX);
    r->coverage[TARGET] = real(coverage, "target", 0);
    r->coverage[GOLDEN] = real(coverage, "golden", 0);
}

static void read_lists(struct round *r, const cJSON *root)
{
    const cJSON *it;
    cJSON_ArrayForEach(it, cJSON_GetObjectItemCaseSensitive(root, "panels")) {
        struct round_panel p = {text(r, it, "name"), text(r, it, "state"), text(r, it, "summary")};
        vec_push(&r->panels, p);
    }
    cJSON_ArrayForEach(it, cJSON_GetObjectItemCaseSensitive(root, "findings")) {
        struct round_finding f = {(uint32_t)count(it, "number", UINT32_MAX), text(r, it, "status"), text(r, it, "text"),
                                  {text(r, it, "target"), text(r, it, "golden")}};
        vec_push(&r->findings, f);
    }
}

/* Everything but the rows; *rows: how many are to follow. */
static int read_head(struct round *r, struct round_reading *u, uint64_t *rows, struct err *e)
{
    int rc = next_line(u, e);
    if (rc <= 0)
        return rc < 0 ? -1 : err_line(e, u->name, 1, _("a line of JSON was expected, the round's own facts"));
    cJSON *root = json_text(buf_view(&u->line), u->name, e);
    if (!root)
        return -1;
    const cJSON *first = cJSON_GetObjectItemCaseSensitive(root, "first");
    const char *kind = text(r, root, "kind");
    if (strcmp(kind, "diverge-round") != 0 || small(root, "schema") != SCHEMA) {
        cJSON_Delete(root);
        return err_line(e, u->name, 1, _("not a round of an investigation, or one of a newer version: \"kind\":\"diverge-round\",\"schema\":1 was expected"));
    }
    r->number = (uint32_t)count(root, "round", UINT32_MAX);
    r->tool = text(r, root, "tool");
    r->author = text(r, root, "author");
    r->date = (int64_t)count(root, "date", 1e12);
    r->status = (int)count(root, "status", 5);
    read_side(r, TARGET, root);
    read_side(r, GOLDEN, root);
    read_counts(r, cJSON_GetObjectItemCaseSensitive(root, "summary"));
    r->deviates = cJSON_IsObject(first);
    r->first[TARGET] = text(r, first, "target");
    r->first[GOLDEN] = text(r, first, "golden");
    r->first_order = (uint32_t)count(first, "order", UINT32_MAX);
    r->first_class = text(r, first, "class");
    r->first_error = (float)real(first, "error", (double)NAN);
    read_lists(r, root);
    *rows = count(root, "rows", 1e15);
    r->extent = ROUND_ROWS_ALL;
    cJSON_Delete(root);
    return 0;
}

static bool unescape(struct buf *b, struct str s)
{
    buf_clear(b);
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] != '\\') {
            buf_char(b, s.p[i]);
            continue;
        }
        char c = ++i < s.n ? s.p[i] : 0;
        if (c != 't' && c != 'n' && c != '\\')
            return false;
        buf_char(b, c == 't' ? '\t' : c == 'n' ? '\n' : '\\');
    }
    return true;
}

static bool read_number(struct str s, float *out)
{
    double v = (double)NAN;
    bool fine = !s.n || str_double(s, &v);
    *out = (float)v;
    return fine;
}

#define CELLS 7

static int read_row(struct round *r, struct round_reading *u, struct err *e)
{
    struct str cell[CELLS], rest = buf_view(&u->line);
    unsigned long long flags;
    struct round_row x = {.verdict = 0};
    int n = 0;
    bool more = true;
    while (more && n < CELLS)
        more = str_split(rest, '\t', &cell[n++], &rest);
    if (n != CELLS || more)
        return err_line(e, u->name, u->number, _("%d columns were expected"), CELLS);
    int verdict = round_verdict(cell[0]);
    if (verdict < 0)
        return err_line(e, u->name, u->number, _("a verdict was expected, not \"%.*s\""), cell[0].n > 40 ? 40 : (int)cell[0].n, cell[0].p);
    if (!read_number(cell[1], &x.error) || !read_number(cell[2], &x.confidence) || !str_u64(cell[3], &flags) || flags > 255)
        return err_line(e, u->name, u->number, _("a number was expected in columns 2 to 4"));
    if (!unescape(&u->name_of[0], cell[5]) || !unescape(&u->name_of[1], cell[6]))
        return err_line(e, u->name, u->number, _("\\t, \\n or \\\\ was expected behind a backslash"));
    x.verdict = (uint8_t)verdict;
    x.flags = (uint8_t)flags;
    x.address = hexadecimal(cell[4]);
    return round_add(r, buf_view(&u->name_of[0]), buf_view(&u->name_of[1]), x)
               ? err_line(e, u->name, u->number, _("more rows than can be kept"))
               : 0;
}

static int read_all(struct round *r, struct round_reading *u, struct err *e)
{
    uint64_t rows = 0;
    int rc;
    if (read_head(r, u, &rows, e))
        return -1;
    while ((rc = next_line(u, e)) > 0)
        if (read_row(r, u, e))
            return -1;
    if (rc == 0 && r->rows.n != rows)
        return err_at(e, u->name, u->file.size, _("%zu rows, and %llu were announced"), r->rows.n, (unsigned long long)rows);
    return rc;
}

int round_read(struct round *r, const char *dir, const char *path, uint64_t *fingerprint, struct err *e)
{
    struct round_reading *u = mem_zalloc(sizeof *u);
    int rc = dir ? file_open_inside(&u->file, dir, path, e) : file_open(&u->file, path, e);
    u->name = path;
    u->fingerprint = ROUND_SEED;
    if (rc == 0 && inflateInit2(&u->z, 15 + 16) != Z_OK) {
        rc = err_set(e, ERR_IO, _("%s: not enough memory to unpack it"), path);
        file_close(&u->file);
    } else if (rc == 0) {
        rc = read_all(r, u, e);
        inflateEnd(&u->z);
        file_close(&u->file);
    }
    *fingerprint = u->fingerprint;
    buf_release(&u->line);
    buf_release(&u->name_of[0]);
    buf_release(&u->name_of[1]);
    free(u);
    return rc;
}

int round_open(struct round *r, const struct round_place *p, struct err *e)
{
    uint64_t fingerprint;
    struct str folder = path_parent(str_of(p->beside));
    struct buf dir = {0};
    buf_str(&dir, folder.n ? folder : p->beside[0] == '/' ? STR("/") : STR("."));
    int rc = round_read(r, dir.p, p->file, &fingerprint, e);
    buf_release(&dir);
    if (rc)
        return err_prefix(e, "%s", p->beside);
    if (fingerprint != p->fingerprint || r->number != p->number)
        return err_set(e, ERR_DATA, _("%s: not the round %u that the investigation speaks of: it was changed or replaced"), p->file, p->number);
    return 0;
}

int round_copy(const struct round_place *p, const char *to, struct err *e)
{
    struct round r;
    struct buf from = {0}, bytes = {0}, dir = {0};
    struct str folder = path_parent(str_of(p->beside));
    buf_str(&dir, folder.n ? folder : p->beside[0] == '/' ? STR("/") : STR("."));
    path_join(&from, dir.p, p->file);
    round_init(&r);
    int rc = strcmp(from.p, to) == 0 ? 0 : round_open(&r, p, e) || file_slurp(from.p, SIZE_MAX, &bytes, e) || file_replace(to, buf_view(&bytes), e) ? -1 : 0;
    round_release(&r);
    buf_release(&from);
    buf_release(&bytes);
    buf_release(&dir);
    return rc;
}

bool round_is(const char *path)
{
    char head[2];
    return str_has(path_base(str_of(path)), ".round-") && str_ends(str_of(path), ROUND_ENDING) && path_is_file(path) &&
           str_is(file_head(path, head, sizeof head), "\x1f\x8b");
}

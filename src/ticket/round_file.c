/* Writes a round as gzip of one line of JSON and one line per row, and reads it back with every number checked. */
#include "ticket/round_file.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/file_write.h"
#include "base/io.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/msg.h"
#include "base/out.h"
#include "base/record.h"
#include "base/json_read.h"
#include "base/json_tree.h"

#define SCHEMA 1
#define BLOCK (64 * 1024)
#define LINE_MOST ((size_t)4 << 20)
#define NAME_MOST ((size_t)1 << 20)
/* Its unpacked size is limited to TIMES the file's: repeated names give 10 to 15, and a file with a thousand was made
 * to exhaust memory. */
#define SPARE ((uint64_t)16 << 20)
#define TIMES 64
#define ROUND_SEED 0x726f756e64

/* ---- the members of the first line ---- */

#define SIDE(s) \
    {MEMBER(TEXT, round, side[s].path, "path"), \
     MEMBER(TEXT, round, side[s].full_path, "full_path"), \
     MEMBER(TEXT, round, side[s].format, "format"), \
     MEMBER(TEXT, round, side[s].framework, "framework"), \
     MEMBER(INT, round, side[s].step, "step"), \
     MEMBER(INT, round, side[s].rank, "rank"), \
     MEMBER(U64, round, side[s].rows, "rows"), \
     MEMBER(U64, round, side[s].state.bytes, "bytes"), \
     MEMBER(U64, round, side[s].state.files, "files"), \
     MEMBER(U64, round, side[s].state.time, "time"), \
     MEMBER(HEX, round, side[s].fingerprint, "fingerprint"), \
     {.key = NULL}}
static const struct member sides[2][12] = {SIDE(TARGET), SIDE(GOLDEN)};
const struct member *const round_side_members[2] = {sides[0], sides[1]};

static const struct member coverage_members[] = {
    MEMBER(DOUBLE, round, coverage[TARGET], "target"),
    MEMBER(DOUBLE, round, coverage[GOLDEN], "golden"),
    {.key = NULL},
};

#define COUNT(name, field) MEMBER(U32, round, field, name)
_Static_assert(VERDICT_COUNT == 11, "each verdict is counted");
static const struct member summary_members[] = {
    COUNT("pending", by[VERDICT_PENDING]), COUNT("match", by[VERDICT_MATCH]), COUNT("drift", by[VERDICT_DRIFT]),
    COUNT("deviate", by[VERDICT_DEVIATE]), COUNT("nonfinite", by[VERDICT_NONFINITE]), COUNT("shape", by[VERDICT_SHAPE]),
    COUNT("dtype", by[VERDICT_DTYPE]), COUNT("only", by[VERDICT_ONLY]), COUNT("skip", by[VERDICT_SKIP]),
    COUNT("inherited", by[VERDICT_INHERITED]), COUNT("deviating_in_doubt", by[VERDICT_IN_DOUBT]),
    COUNT("pairs", pairs), COUNT("target_only", only[TARGET]), COUNT("golden_only", only[GOLDEN]),
    COUNT("doubtful", doubtful), COUNT("unread", unread), COUNT("known", known),
    MEMBER_IN("coverage", coverage_members),
    {.key = NULL},
};
const struct member *const round_summary_members = summary_members;

static const struct member first_members[] = {
    MEMBER(TEXT, round, first[TARGET], "target"),
    MEMBER(TEXT, round, first[GOLDEN], "golden"),
    MEMBER(U32, round, first_order, "order"),
    MEMBER(TEXT, round, first_class, "class"),
    MEMBER(FLOAT, round, first_error, "error"),
    {.key = NULL},
};

static const struct member panel_members[] = {
    MEMBER(TEXT, round_panel, name, "name"),
    MEMBER(TEXT, round_panel, state, "state"),
    MEMBER(TEXT, round_panel, summary, "summary"),
    {.key = NULL},
};
static const struct round_panel fresh_panel = {"", "", ""};
static const struct record panel = {panel_members, sizeof fresh_panel, &fresh_panel, NULL};

static const struct member finding_members[] = {
    MEMBER(U32, round_finding, number, "number"),
    MEMBER(TEXT, round_finding, status, "status"),
    MEMBER(TEXT, round_finding, text, "text"),
    MEMBER(TEXT, round_finding, about[TARGET], "target"),
    MEMBER(TEXT, round_finding, about[GOLDEN], "golden"),
    {.key = NULL},
};
static const struct round_finding fresh_finding = {0, "", "", {"", ""}};
static const struct record finding = {finding_members, sizeof fresh_finding, &fresh_finding, NULL};

static const struct member head_members[] = {
    MEMBER(U32, round, number, "round"),
    MEMBER(TEXT, round, tool, "tool"),
    MEMBER(U64, round, date, "date"),
    MEMBER(TEXT, round, author, "author"),
    MEMBER(INT, round, status, "status"),
    MEMBER(TEXT, round, intervened, "intervened"),
    MEMBER_IN("target", sides[TARGET]),
    MEMBER_IN("golden", sides[GOLDEN]),
    MEMBER_IN("summary", summary_members),
    MEMBER(OPTION, round, deviates, "first", .members = first_members),
    MEMBER(LIST, round, panels, "panels", .of = &panel),
    MEMBER(LIST, round, findings, "findings", .of = &finding),
    {.key = NULL},
};

/* ---- writing ---- */

struct round_writing {
    struct out out;
    z_stream z;
    struct buf line; /* lines still to be packed; the newest begins at `from` */
    size_t from;
    uint64_t fingerprint;
};

static void deflate_line(struct round_writing *p, int flush)
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
        deflate_line(p, Z_NO_FLUSH);
}

/* A name may contain anything: tabs and line ends are escaped. */
static void escape_name(struct buf *b, struct str s)
{
    for (size_t i = 0; i < s.n && i < NAME_MOST; i++) {
        const char *code = s.p[i] == '\t' ? "\\t" : s.p[i] == '\n' ? "\\n" : s.p[i] == '\\' ? "\\\\" : NULL;
        code ? buf_cstr(b, code) : buf_char(b, s.p[i]);
    }
}

static void put_float_cell(struct buf *b, float v)
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
    put_float_cell(b, x->error);
    put_float_cell(b, x->confidence);
    buf_fmt(b, "%u\t%llx\t", x->flags, (unsigned long long)x->address);
    escape_name(b, str_of(round_name(r, i, TARGET)));
    buf_char(b, '\t');
    escape_name(b, str_of(round_name(r, i, GOLDEN)));
    end_line(p);
}

static void head_line(struct round_writing *p, const struct round *r)
{
    struct jsonw w;
    jw_init(&w, &p->line, false);
    jw_object(&w);
    jw_kint(&w, "schema", SCHEMA);
    jw_kcstr(&w, "kind", "diverge-round");
    record_write(head_members, &w, r);
    jw_kint(&w, "rows", (int64_t)r->rows.n);
    jw_end_object(&w);
    end_line(p);
}

/* The name comes from the investigation's, not from the user: in a folder that was received it may be a link to any
 * file. */
static int may_write(const char *path, struct err *e)
{
    struct stat st;
    if (lstat(path, &st))
        return errno == ENOENT ? 0 : err_output(e, path);
    if (S_ISREG(st.st_mode) && (!st.st_size || round_is(path)))
        return 0;
    return err_set(e, ERR_USAGE, _("%s is a link or no round of an investigation: not overwritten; move it away"),
                   path);
}

int round_write(const struct round *r, const char *path, uint64_t *fingerprint, struct err *e)
{
    struct round_writing p = {.fingerprint = ROUND_SEED, .z.zalloc = mem_for_zlib};
    if (may_write(path, e) || out_own_file(&p.out, path, e))
        return -1;
    bool ready = deflateInit2(&p.z, 6, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) == Z_OK; /* + 16: as gzip */
    if (ready) {
        head_line(&p, r);
        for (uint32_t i = 0; i < r->rows.n; i++)
            row_line(&p, r, i);
        deflate_line(&p, Z_FINISH);
        deflateEnd(&p.z);
    } else {
        err_set(&p.out.err, ERR_RESOURCE, _("%s: not enough memory to compress it"), path);
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
    uint64_t at, unpacked;    /* bytes read from the file, bytes unpacked */
    size_t have, taken;       /* of out */
    bool ended;
    struct buf line;
    uint64_t number;          /* of the line */
    uint64_t fingerprint;
    struct buf name_of[2];
};

/* Unpacks more bytes into out: 1; 0 at the end of a complete file. */
static int inflate_more(struct round_reading *u, struct err *e)
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
                return err_at(e, u->name, u->at, _("truncated file: it was not written completely"));
            u->at += (uint64_t)n;
            u->z.next_in = u->in;
            u->z.avail_in = (uInt)n;
        }
        int rc = inflate(&u->z, Z_NO_FLUSH);
        if (rc != Z_OK && rc != Z_STREAM_END)
            return err_at(e, u->name, u->at - u->z.avail_in, _("damaged gzip data"));
        u->ended = rc == Z_STREAM_END;
    }
    if (u->ended && (u->z.avail_in || u->at < u->file.size))
        return err_at(e, u->name, u->at - u->z.avail_in, _("data after the end of the round"));
    u->taken = 0;
    u->have = sizeof u->out - u->z.avail_out;
    u->unpacked += u->have;
    if (u->unpacked > SPARE + TIMES * u->file.size)
        return err_at(e, u->name, u->at, _("unpacked size above %d times the file size: not a valid round"), TIMES);
    return u->have > 0;
}

/* The next line without its end: 1; 0: there is none. */
static int next_line(struct round_reading *u, struct err *e)
{
    buf_clear(&u->line);
    for (;;) {
        if (u->taken == u->have) {
            int rc = inflate_more(u, e);
            if (rc < 0)
                return -1;
            if (rc == 0)
                return u->line.n ? err_line(e, u->name, u->number + 1, _("the last line is incomplete")) : 0;
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
            return err_line(e, u->name, u->number, _("a zero byte in a line of text"));
        return 1;
    }
}

/* Everything except the rows; *rows: their number. */
static int read_round_head(struct round *r, struct round_reading *u, uint64_t *rows, struct err *e)
{
    int rc = next_line(u, e);
    if (rc <= 0)
        return rc < 0 ? -1 : err_line(e, u->name, 1, _("expected a line of JSON that describes the round"));
    cJSON *root = json_text(buf_view(&u->line), u->name, e);
    if (!root)
        return -1;
    const cJSON *kind = json_member(root, "kind"),
                *schema = json_member(root, "schema"),
                *count = json_member(root, "rows");
    bool ours = cJSON_IsString(kind) && strcmp(kind->valuestring, "diverge-round") == 0 && cJSON_IsNumber(schema) &&
                schema->valueint == SCHEMA;
    rc = ours ? record_check(head_members, root, u->name, e)
              : err_line(e, u->name, 1, _("expected a round of an investigation "
                                          "(\"kind\":\"diverge-round\",\"schema\":1), found another file or one "
                                          "of a newer version"));
    if (rc == 0)
        record_read(head_members, root, &r->arena, r);
    r->status = r->status == 0 || r->status == 1 ? r->status : 5;
    r->extent = ROUND_ROWS_ALL;
    *rows = cJSON_IsNumber(count) && count->valuedouble >= 0 &&
            count->valuedouble < 1e15 ? (uint64_t)count->valuedouble : 0;
    cJSON_Delete(root);
    return rc;
}

static bool unescape_name(struct buf *b, struct str s)
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

static bool read_round_float(struct str s, float *out)
{
    double v = (double)NAN;
    bool fine = !s.n || str_double(s, &v);
    *out = (float)v;
    return fine;
}

#define CELLS 7

static int read_round_row(struct round *r, struct round_reading *u, struct err *e)
{
    struct str cell[CELLS], rest = buf_view(&u->line);
    unsigned long long flags;
    struct round_row x = {.verdict = 0};
    int n = 0;
    bool more = true;
    while (more && n < CELLS)
        more = str_split(rest, '\t', &cell[n++], &rest);
    if (n != CELLS || more)
        return err_line(e, u->name, u->number, _("expected %d columns"), CELLS);
    int verdict = round_verdict(cell[0]);
    if (verdict < 0)
        return err_line(e, u->name, u->number, _("expected a verdict, found \"%.*s\""),
                        cell[0].n > 40 ? 40 : (int)cell[0].n, cell[0].p);
    if (!read_round_float(cell[1], &x.error) || !read_round_float(cell[2], &x.confidence) ||
        !str_u64(cell[3], &flags) || flags > 255)
        return err_line(e, u->name, u->number, _("expected a number in columns 2 to 4"));
    if (!unescape_name(&u->name_of[0], cell[5]) || !unescape_name(&u->name_of[1], cell[6]))
        return err_line(e, u->name, u->number, _("expected \\t, \\n or \\\\ after a backslash"));
    x.verdict = (uint8_t)verdict;
    x.flags = (uint8_t)flags;
    x.address = record_hex(cell[4]);
    return round_add(r, buf_view(&u->name_of[0]), buf_view(&u->name_of[1]), x)
               ? err_line(e, u->name, u->number, _("more rows than supported"))
               : 0;
}

static int read_round(struct round *r, struct round_reading *u, struct err *e)
{
    uint64_t rows = 0;
    int rc;
    if (read_round_head(r, u, &rows, e))
        return -1;
    while ((rc = next_line(u, e)) > 0)
        if (read_round_row(r, u, e))
            return -1;
    if (rc == 0 && r->rows.n != rows)
        return err_at(e, u->name, u->file.size, _("expected %2$llu rows, found %1$zu"), r->rows.n,
                      (unsigned long long)rows);
    return rc;
}

int round_read(struct round *r, const char *dir, const char *path, uint64_t *fingerprint, struct err *e)
{
    struct round_reading *u = mem_zalloc(sizeof *u);
    int rc = dir ? file_open_inside(&u->file, dir, path, e) : file_open(&u->file, path, e);
    u->name = path;
    u->fingerprint = ROUND_SEED;
    u->z.zalloc = mem_for_zlib;
    if (rc == 0 && inflateInit2(&u->z, 15 + 16) != Z_OK) {
        rc = err_set(e, ERR_RESOURCE, _("%s: not enough memory to decompress it"), path);
        file_close(&u->file);
    } else if (rc == 0) {
        rc = read_round(r, u, e);
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
    struct buf dir = {0};
    buf_str(&dir, path_folder(str_of(p->beside)));
    int rc = round_read(r, dir.p, p->file, &fingerprint, e);
    buf_release(&dir);
    if (rc)
        return err_prefix(e, "%s", p->beside);
    if (fingerprint != p->fingerprint || r->number != p->number)
        return err_set(e, ERR_DATA, _("%s: expected round %u of the investigation: the file was changed or replaced"),
                       p->file, p->number);
    return 0;
}

int round_copy(const struct round_place *p, const char *to, struct err *e)
{
    struct round r;
    struct buf from = {0}, bytes = {0}, dir = {0};
    buf_str(&dir, path_folder(str_of(p->beside)));
    path_join(&from, dir.p, p->file);
    round_init(&r);
    bool failed = strcmp(from.p, to) != 0 &&
                  (may_write(to, e) || round_open(&r, p, e) || file_slurp(from.p, SIZE_MAX, &bytes, e) ||
                   file_replace(to, buf_view(&bytes), e));
    int rc = failed ? -1 : 0;
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

/* Reads a result of compare --json, row by row, as a round. */
#include "ticket/round_import.h"

#include <math.h>

#include "base/io.h"
#include "base/msg.h"
#include "base/json_read.h"
#include "base/record.h"
#include "ticket/round_file.h"

#define MEMBER_MOST (32u << 20)
#define ROW_MOST ((size_t)8 << 20)
#define BLOCK (256 * 1024)

static const char *result_text(struct round *r, const cJSON *o, const char *key)
{
    const cJSON *x = json_member(o, key);
    return cJSON_IsString(x) ? arena_cstr(&r->arena, str_of(x->valuestring)) : "";
}

static struct str result_str(const cJSON *o, const char *key)
{
    const cJSON *x = json_member(o, key);
    return cJSON_IsString(x) ? str_of(x->valuestring) : STR("");
}

/* "NaN" and "Inf" come as texts. */
static double result_real(const cJSON *o, const char *key, double otherwise)
{
    const cJSON *x = json_member(o, key);
    double v;
    if (cJSON_IsString(x) && str_double(str_of(x->valuestring), &v))
        return v;
    return json_number(x, &v) ? v : otherwise;
}

static uint32_t result_count(const cJSON *o, const char *key)
{
    double v = result_real(o, key, 0);
    return v >= 0 && v < UINT32_MAX ? (uint32_t)v : 0;
}

static void read_summary(struct round *r, const cJSON *o)
{
    record_read(round_summary_members, o, &r->arena, r);
    r->by[VERDICT_ONLY] = r->only[TARGET] + r->only[GOLDEN];
    r->unread += result_count(o, "unread_files");
}

/* The evidence of the verdict; older results have it for tensors only. */
static float result_error(const cJSON *row)
{
    return (float)result_real(row, "error", result_real(row, "rel_l2", (double)NAN));
}

static void read_first(struct round *r, const cJSON *o)
{
    r->deviates = cJSON_IsObject(o);
    if (!r->deviates)
        return;
    r->first[TARGET] = result_text(r, o, "target");
    r->first[GOLDEN] = result_text(r, o, "golden");
    r->first_order = result_count(o, "order");
    r->first_error = result_error(o);
}

/* Numbers may also be the texts NaN and Inf. */
static int check_row(const cJSON *o, const char *path, struct err *e)
{
    static const struct {
        const char *key;
        bool number;
    } member[] = {{"target", false}, {"golden", false}, {"error", true}, {"rel_l2", true}, {"confidence", true}};
    for (size_t i = 0; i < ARRAY_LEN(member); i++) {
        const cJSON *v = json_member(o, member[i].key);
        double number;
        bool fits = !v || cJSON_IsNull(v) ||
                    (member[i].number ? cJSON_IsNumber(v) || str_double(result_str(o, member[i].key), &number)
                                      : cJSON_IsString(v));
        if (!fits)
            return err_set(e, ERR_DATA, _("%s: \"%s\": expected %s, found %s"), path, member[i].key,
                           member[i].number ? _("a number") : _("a text"), json_kind(v));
    }
    return 0;
}

static int add_result_row(struct round *r, const cJSON *o, const char *path, uint64_t offset, struct err *e)
{
    int verdict = round_verdict(result_str(o, "verdict"));
    double confidence = result_real(o, "confidence", (double)NAN);
    if (verdict < 0)
        return err_at(e, path, offset, _("expected a row with a \"verdict\""));
    if (check_row(o, path, e))
        return -1;
    struct round_row x = {.error = result_error(o), .confidence = (float)confidence, .verdict = (uint8_t)verdict,
                          .flags = confidence < 0.5 ? ROUND_DOUBTFUL : 0};
    return round_add(r, result_str(o, "target"), result_str(o, "golden"), x)
               ? err_at(e, path, offset, _("more rows than supported"))
               : 0;
}

/* ---- the rows, which may be more than fit in memory as one tree ---- */

struct scan {
    struct round *r;
    const char *path;
    struct buf row;
    int depth;
    bool text, escaped;
    uint64_t at;
};

/* One byte of the array. 1: its end; -1: e. */
static int scan_char(struct scan *s, char c, struct err *e)
{
    bool inside = s->depth > 1 || (s->depth == 1 && c == '{');
    if (inside)
        buf_char(&s->row, c);
    if (s->row.n > ROW_MOST)
        return err_at(e, s->path, s->at, _("a row of more than 8 MB"));
    if (s->text) {
        s->text = s->escaped || c != '"';
        s->escaped = !s->escaped && c == '\\';
    } else if (c == '"') {
        s->text = true;
    } else if (c == '[' || c == '{') {
        s->depth++;
    } else if ((c == ']' || c == '}') && --s->depth == 1) {
        cJSON *row = json_text(buf_view(&s->row), s->path, e);
        int rc = row ? add_result_row(s->r, row, s->path, s->at, e) : -1;
        cJSON_Delete(row);
        buf_clear(&s->row);
        return rc;
    }
    return s->depth == 0;
}

static int read_result_rows(struct round *r, const char *path, uint64_t offset, struct err *e)
{
    struct file f;
    struct scan s = {.r = r, .path = path, .at = offset};
    char *block = mem_alloc(BLOCK);
    int rc = file_open(&f, path, e);
    while (rc == 0) {
        long n = file_read_some(&f, s.at, block, BLOCK, e);
        if (n <= 0) {
            rc = n < 0 ? -1 : err_at(e, path, s.at, _("the list of rows is incomplete: the file is truncated"));
            break;
        }
        for (long i = 0; i < n && rc == 0; i++, s.at++)
            rc = scan_char(&s, block[i], e);
    }
    file_close(&f);
    buf_release(&s.row);
    free(block);
    return rc < 0 ? -1 : 0;
}

/* ---- the whole ---- */

static const char *const wanted[] =
    {"schema", "tool", "target", "golden", "summary", "first_deviation", "first_class"};

struct result_reading {
    struct round *r;
    const char *path;
    bool schema, summary, first;
    uint64_t rows; /* where their list begins, 0: there is none */
};

/* A value of another type would read as none: no first deviation, no deviating rows. */
static int check_member(const struct result_reading *x, size_t which, const cJSON *v, struct err *e)
{
    static const struct member first[] = {{.key = "order", .kind = MEMBER_U32}, {.key = NULL}};
    static const struct member files[] = {{.key = "unread_files", .kind = MEMBER_U32}, {.key = NULL}};
    bool object = cJSON_IsObject(v) || (which == 5 && cJSON_IsNull(v));
    if (which >= 2 && which <= 5 && !object)
        return err_set(e, ERR_DATA, _("%s: \"%s\": expected %s, found %s"), x->path, wanted[which], _("an object"),
                       json_kind(v));
    if (which == 4)
        return record_check(round_summary_members, v, x->path, e) || record_check(files, v, x->path, e) ? -1 : 0;
    if (which == 5)
        return check_row(v, x->path, e) || record_check(first, v, x->path, e) ? -1 : 0;
    return which == 2 || which == 3 ? record_check(round_side_members[which == 2 ? TARGET : GOLDEN], v, x->path, e) : 0;
}

static int read_result_member(struct result_reading *x, const struct json_member *m, struct err *e)
{
    struct round *r = x->r;
    size_t which = 0;
    while (which < ARRAY_LEN(wanted) && !str_is(m->key, wanted[which]))
        which++;
    if (str_is(m->key, "rows"))
        x->rows = m->offset;
    if (which == ARRAY_LEN(wanted))
        return 0;
    if (m->too_long || m->value.n > MEMBER_MOST)
        return err_at(e, x->path, m->offset, _("\"%s\" of more than 32 MB"), wanted[which]);
    cJSON *v = json_parse(m->value, m->special, x->path, m->offset, e);
    if (!v)
        return -1;
    if (check_member(x, which, v, e)) {
        cJSON_Delete(v);
        return -1;
    }
    if (which == 0)
        x->schema = cJSON_IsNumber(v) && v->valueint == 1;
    else if (which == 1 && cJSON_IsString(v))
        r->tool = arena_cstr(&r->arena, str_of(v->valuestring));
    else if (which == 2 || which == 3)
        record_read(round_side_members[which == 2 ? TARGET : GOLDEN], v, &r->arena, r);
    else if (which == 4) {
        read_summary(r, v);
        x->summary = true;
    } else if (which == 5) {
        read_first(r, v);
        x->first = true;
    } else if (which == 6 && cJSON_IsString(v))
        r->first_class = arena_cstr(&r->arena, str_of(v->valuestring));
    cJSON_Delete(v);
    return 0;
}

/* The same as judgement_status, from the result's data: coverage of pairs replaces that of compute calls. */
static int result_status(const struct round *r)
{
    if (r->deviates)
        return 1;
    return r->pairs && !r->unread && r->coverage[TARGET] >= 0.5 ? 0 : 5;
}

static enum round_extent result_extent(const struct round *r)
{
    uint64_t bad = (uint64_t)verdicts_deviate(r->by) + r->by[VERDICT_NONFINITE] + r->by[VERDICT_SHAPE];
    if (r->rows.n >= round_lines(r))
        return ROUND_ROWS_ALL;
    return r->rows.n && r->rows.n >= bad ? ROUND_ROWS_DEVIATING : ROUND_ROWS_NONE;
}

int round_from_result(struct round *r, const char *path, struct err *e)
{
    struct json_members j;
    struct json_member m;
    struct result_reading x = {.r = r, .path = path};
    int rc;
    if (json_members_open(&j, path, NULL, e))
        return -1;
    while ((rc = json_members_next(&j, &m, e)) > 0 && (rc = read_result_member(&x, &m, e)) == 0)
        continue;
    json_members_close(&j);
    if (rc)
        return -1;
    if (!x.schema || !x.summary || !x.first)
        return err_set(e, ERR_DATA, _("%s: expected an investigation, a round of one, or the result of a comparison "
                                      "(compare --json)"), path);
    if (x.rows && read_result_rows(r, path, x.rows, e))
        return -1;
    r->status = result_status(r);
    r->extent = result_extent(r);
    return 0;
}

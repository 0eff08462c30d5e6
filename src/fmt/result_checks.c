/* Results of msprobe's tests without a second recording: the tables of acc_check and api_precision_compare (an
 * operator compared with a CPU, or the tests of two devices), of its eager/compile checker, and its comparison of two
 * checkpoints (JSON). Read as result tables; as they test, the tool's verdict is used if it gives one. */
#include "fmt/result_table.h"
#include "fmt/sheet.h"

#include <math.h>
#include <stdio.h>

#include "base/json_read.h"
#include "base/json_tree.h"
#include "base/msg.h"
#include "base/reading.h"

/* ---- columns ---- */

enum column { C_NAME, C_KIND, C_INDEX, C_FORWARD, C_BACKWARD, C_SHAPE, C_ALGORITHM, C_LOSS_NOTE, C_GIVEN };

/* Own columns, or a result table's (C_GIVEN + enum result_column). acc_check titles its figures in Chinese,
 * MindSpore's checker in English. */
static const struct {
    const char *text;
    int as;
} titles[] = {
    {"API Name", C_NAME},
    {"module_name", C_NAME},
    {"check_type", C_KIND},
    {"tensor_index", C_INDEX},
    {"Forward Test Success", C_FORWARD},
    {"Backward Test Success", C_BACKWARD},
    {"Shape", C_SHAPE},
    {"比对算法", C_ALGORITHM},
    {"note", C_LOSS_NOTE},
    {"Bench Dtype", C_GIVEN + COL_GOLDEN_DTYPE},
    {"DEVICE Dtype", C_GIVEN + COL_TARGET_DTYPE},
    {"Tested Dtype", C_GIVEN + COL_TARGET_DTYPE},
    {"余弦相似度", C_GIVEN + COL_COSINE},
    {"Cosine", C_GIVEN + COL_COSINE},
    {"最大绝对误差", C_GIVEN + COL_MAX_ABS},
    {"MaxAbsErr", C_GIVEN + COL_MAX_ABS},
    {"max_abs_diff", C_GIVEN + COL_MAX_ABS},
    {"相对误差最大值", C_GIVEN + COL_MAX_REL},
    {"MaxRelativeErr", C_GIVEN + COL_MAX_REL},
    {"max_rel_diff", C_GIVEN + COL_MAX_REL},
    {"双千指标", C_GIVEN + COL_ONE},
    {"Status", C_GIVEN + COL_RESULT},
    {"比对结果", C_GIVEN + COL_RESULT},
    {"Message", C_GIVEN + COL_MESSAGE},
};

#define COLUMNS 64
#define METRIC 96 /* bytes of a metric's name */
#define JUDGED "判定结果" /* suffix of a metric's name for api_precision_compare's verdict on it */

struct checks {
    struct result_table t;
    int as[COLUMNS];              /* per column, -1: unknown */
    char metric[COLUMNS][METRIC]; /* of unknown columns: their title */
    bool judges[COLUMNS];         /* whether it is the verdict on the column before it */
    size_t columns;
    bool compile, summary;
    struct buf name, message;
};

/* Finds which of the tables has this header row and sets its columns. */
static bool head_of(struct checks *c, const struct str *cell, size_t n)
{
    bool has[C_GIVEN + COL_COUNT] = {0};
    c->columns = n < COLUMNS ? n : COLUMNS;
    for (size_t i = 0; i < c->columns; i++) {
        struct str s = str_trim(cell[i]);
        c->as[i] = -1;
        c->metric[i][0] = 0;
        c->judges[i] = false;
        if (i == 0 && str_starts(s, "\xef\xbb\xbf"))
            s = str_cut(s, 3);
        for (size_t k = 0; k < ARRAY_LEN(titles) && c->as[i] < 0; k++)
            if (str_ieq(s, str_of(titles[k].text)))
                c->as[i] = titles[k].as;
        if (c->as[i] >= 0)
            has[c->as[i]] = true;
        else if (s.n < METRIC)
            snprintf(c->metric[i], METRIC, "%.*s", STR_ARG(s));
        c->judges[i] = i > 0 && c->metric[i][0] && str_ends(s, JUDGED);
    }
    c->compile = has[C_KIND];
    c->summary = has[C_FORWARD] && has[C_BACKWARD];
    return has[C_NAME] && (c->summary || has[C_GIVEN + COL_RESULT]) &&
           (!c->compile || (has[C_INDEX] && has[C_LOSS_NOTE]));
}

static struct str named_check_cell(const struct checks *c, const struct str *cell, size_t n, int as)
{
    for (size_t i = 0; i < c->columns && i < n; i++)
        if (c->as[i] == as)
            return str_trim(cell[i]);
    return STR("");
}

/* ---- rows ---- */

static void end_sentence(struct buf *b, struct str s)
{
    s = str_trim(s);
    if (!s.n)
        return;
    if (b->n)
        buf_cstr(b, "; ");
    for (size_t i = 0; i < s.n; i++)
        buf_char(b, s.p[i] == '\n' || s.p[i] == '\r' ? ' ' : s.p[i]);
}

static int add_check_result(struct checks *c, struct str cell[COL_COUNT], uint64_t line, struct err *e)
{
    cell[COL_NAME] = buf_view(&c->name);
    cell[COL_MESSAGE] = buf_view(&c->message);
    return result_add(&c->t, cell, NULL, 0, line, e);
}

/* The summary has a verdict per direction: adds a row for each. A direction without a verdict was not tested. */
static int add_summary(struct checks *c, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    static const char *const direction[] = {".forward.output", ".backward.output"};
    struct str out[COL_COUNT] = {{0}};
    for (int i = 0; i < 2; i++) {
        struct str word = named_check_cell(c, cell, n, i ? C_BACKWARD : C_FORWARD);
        if (!word.n || str_is(word, "None"))
            continue;
        buf_clear(&c->name);
        buf_str(&c->name, named_check_cell(c, cell, n, C_NAME));
        if (!str_has(buf_view(&c->name), ".forward") && !str_has(buf_view(&c->name), ".backward"))
            buf_cstr(&c->name, direction[i]); /* a failed name has its own row */
        out[COL_RESULT] = word;
        if (add_check_result(c, out, line, e))
            return -1;
    }
    return 0;
}

/* The eager/compile checker: module, kind, tensor. */
static void compile_name(struct checks *c, const struct str *cell, size_t n)
{
    static const struct {
        const char *kind, *row;
    } rows[] = {
        {"fwd_input", "forward.input"}, {"fwd_output", "forward.output"}, {"grad_output", "backward.input"},
        {"grad_input", "backward.output"},
    };
    struct str kind = named_check_cell(c, cell, n, C_KIND);
    const char *row = "forward.output"; /* a note: nothing in the module was compared */
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (str_is(kind, rows[i].kind))
            row = rows[i].row;
    buf_clear(&c->name);
    buf_fmt(&c->name, "%.*s.%s.%.*s", STR_ARG(named_check_cell(c, cell, n, C_NAME)), row,
            STR_ARG(named_check_cell(c, cell, n, C_INDEX)));
}

/* The metrics that a row failed by: those with a verdict of their own if there are any, otherwise all of them. */
static void failed_metrics(struct checks *c, const struct str *cell, size_t n, bool failed)
{
    struct buf b = {0};
    bool judged = false;
    for (size_t i = 0; i < c->columns; i++)
        judged |= c->judges[i];
    for (size_t i = 0; i < c->columns && i < n; i++) {
        struct str x = str_trim(cell[i]);
        bool shown = judged ? c->judges[i] && !str_is(x, "pass") : failed && c->metric[i][0];
        if (!shown || !x.n)
            continue;
        buf_clear(&b);
        if (judged)
            buf_fmt(&b, "%s %.*s: %.*s", c->metric[i - 1], STR_ARG(str_trim(cell[i - 1])), STR_ARG(x));
        else
            buf_fmt(&b, "%s %.*s", c->metric[i], STR_ARG(x));
        end_sentence(&c->message, buf_view(&b));
    }
    buf_release(&b);
}

static int checks_take_row(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    struct checks *c = ctx;
    struct str out[COL_COUNT] = {{0}};
    c->t.cells = n;
    c->t.last_line = line;
    if (line == 1) {
        c->t.columns = n;
        c->t.head.had[COL_NAME] = c->t.head.had[COL_COSINE] = true;
        return head_of(c, cell, n) ? 0 : err_line(e, c->t.path, line, _("expected the header of a result table, "
                                                                        "\"API Name,…,Status,Message\""));
    }
    buf_clear(&c->message);
    for (size_t i = 0; i < c->columns && i < n; i++)
        if (c->as[i] >= C_GIVEN)
            out[c->as[i] - C_GIVEN] = str_trim(cell[i]);
    failed_metrics(c, cell, n, !c->compile && str_is(out[COL_RESULT], "error"));
    out[COL_TARGET_SHAPE] = out[COL_GOLDEN_SHAPE] = named_check_cell(c, cell, n, C_SHAPE);
    end_sentence(&c->message, named_check_cell(c, cell, n, C_ALGORITHM));
    end_sentence(&c->message, out[COL_MESSAGE]);
    end_sentence(&c->message, named_check_cell(c, cell, n, C_LOSS_NOTE));
    if (c->summary)
        return add_summary(c, cell, n, line, e);
    buf_clear(&c->name);
    buf_str(&c->name, named_check_cell(c, cell, n, C_NAME));
    if (c->compile) {
        uint64_t number;
        struct str index = named_check_cell(c, cell, n, C_INDEX);
        compile_name(c, cell, n);
        if (reading_count(index, &number) != READING_VALUE) {
            c->t.odd = index.n ? index : STR("\"\"");
            c->t.odd_for = _("a whole number");
        }
        if (str_is(named_check_cell(c, cell, n, C_KIND),
                   "loss")) { /* its status covers all rows, its figure is the loss */
            end_sentence(&c->message, out[COL_TARGET_SHAPE]);
            out[COL_RESULT] = STR("");
            out[COL_TARGET_SHAPE] = out[COL_GOLDEN_SHAPE] = STR("");
        }
    }
    return add_check_result(c, out, line, e);
}

static int checks_take_last(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    struct checks *c = ctx;
    struct str kept[SHEET_COLUMNS];
    return checks_take_row(c, line == 1 ? cell : result_unended(&c->t, cell, n, line, kept), n, line, e);
}

static void open_quote(void *ctx)
{
    struct checks *c = ctx;
    result_swallowed(&c->t, c->t.last_line);
}

static int advance_checks(void *ctx, uint64_t bytes, struct err *e)
{
    struct checks *c = ctx;
    c->t.d->bytes_done += bytes;
    return load_cancelled(c->t.load) ? err_set(e, ERR_CANCEL, "%s", _("stopped")) : 0;
}

/* ---- which file ---- */

static int peek_row(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    struct checks *c = ctx;
    (void)line;
    (void)e;
    if (!head_of(c, cell, n))
        c->columns = 0;
    return 1;
}

/* Any .csv whose header has these columns; more columns would make it a result of `compare`. */
static bool probe_csv(const char *path, bool compile)
{
    struct checks c = {0};
    struct file f;
    struct err quiet;
    struct sheet_sink sink = {.row = peek_row, .ctx = &c};
    if (!str_ends(str_of(path), ".csv") || !path_is_file(path) || file_open(&f, path, &quiet))
        return false;
    sheet_read(&f, &sink, &quiet);
    file_close(&f);
    return c.columns && c.compile == compile;
}

static bool probe_acc(const char *path)
{
    return probe_csv(path, false);
}

static bool probe_compile(const char *path)
{
    return probe_csv(path, true);
}

static int open_csv(struct dump *d, struct load *load, struct err *e)
{
    struct checks c = {.t = {.d = d, .load = load, .path = d->path, .tool = TOOL_CHECK}};
    struct sheet_sink sink = {.row = checks_take_row, .unended_row = checks_take_last, .advance = advance_checks,
                              .open_quote = open_quote, .ctx = &c};
    struct file f;
    int rc = file_open(&f, d->path, e);
    result_begin(&c.t);
    if (rc == 0) {
        d->bytes += f.size;
        rc = sheet_read(&f, &sink, e);
        file_close(&f);
    }
    buf_release(&c.name);
    buf_release(&c.message);
    return result_end(&c.t, rc, e);
}

/* ---- two checkpoints ---- */

static bool probe_checkpoints(const char *path)
{
    char head[4096];
    if (!str_ends(str_of(path), ".json") || !path_is_file(path))
        return false;
    struct str s = str_trim(file_head(path, head, sizeof head));
    return str_starts(s, "{") && str_has(s, "\"l2\":") && str_has(s, "\"cos\":") && str_has(s, "\"numel\":");
}

/* cos and l2 without a verdict: a cosine below 1 by more than float32's rounding proves a difference. */
#define SAME_DIRECTION 1e-6

static const char *word_of(const cJSON *l2, const cJSON *cosine, bool shapes)
{
    double l, c;
    enum reading found = reading_json_number(l2, &l), cos = reading_json_number(cosine, &c);
    if (shapes)
        return "unmatched";
    if (found != READING_VALUE || cos == READING_UNREADABLE)
        return found == READING_ABSENT && cos == READING_ABSENT ? "skip" : "";
    if (l == 0)
        return "pass";
    return json_number(cosine, &c) && fabs(1 - c) <= SAME_DIRECTION ? "warning" : "error";
}

/* Whether the number of elements is one, and that of the shape. */
static bool numel_matches_shape(const cJSON *numel, const cJSON *dims, bool two)
{
    double n, product = 1;
    if (!numel || cJSON_IsNull(numel) || two)
        return !two || !numel || cJSON_IsArray(numel);
    if (reading_json_number(numel, &n) != READING_VALUE)
        return false;
    for (const cJSON *it = dims ? dims->child : NULL; it; it = it->next)
        product *= cJSON_IsNumber(it) ? it->valuedouble : 0;
    return !cJSON_IsArray(dims) || product == n;
}

static int add_weight(struct checks *c, const struct json_member *m, uint64_t line, struct err *e)
{
    struct result_table *t = &c->t;
    struct str cell[COL_COUNT] = {{0}};
    struct err why;
    struct arena *a = &t->d->arena;
    cJSON *v = m->too_long ? NULL : json_parse(m->value, m->special, t->path, m->offset, &why);
    if (m->too_long)
        err_at(&why, t->path, m->offset, _("a member of more than 32 MB was skipped"));
    const cJSON *l2 = json_member(v, "l2"), *cosine = json_member(v, "cos");
    const cJSON *dims = json_member(v, "shape");
    bool two = cJSON_IsArray(dims) && cJSON_IsArray(dims->child) && dims->child->next;
    if (v && (!cJSON_IsObject(v) || !l2 || !cosine))
        err_at(&why, t->path, m->offset, _("expected a weight's \"l2\" and \"cos\" here"));
    if (!v || !l2 || !cosine) {
        dump_problem(t->d, NONE, "damaged", why.text);
        return 0;
    }
    const cJSON *numel = json_member(v, "numel");
    for (int s = 0; s < 2; s++)
        cell[s ? COL_GOLDEN_SHAPE : COL_TARGET_SHAPE] =
            result_json_text(a, !two ? dims : s ? dims->child->next : dims->child);
    if (!dims || cJSON_IsNull(dims) || cJSON_IsString(dims)) {
        t->odd = cJSON_IsString(dims) ? arena_str(a, str_of(dims->valuestring)) : STR("null");
        t->odd_for = _("sizes in brackets");
    } else if (!numel_matches_shape(numel, dims, two)) {
        t->odd = numel ? result_json_text(a, numel) : STR("");
        t->odd_for = _("the number of elements");
    }
    buf_clear(&c->name);
    buf_str(&c->name, m->key);
    buf_clear(&c->message);
    cell[COL_COSINE] = result_json_text(a, cosine);
    cell[COL_EUCLID] = result_json_text(a, l2);
    cell[COL_RESULT] = str_of(word_of(l2, cosine, two));
    return add_check_result(c, cell, line, e);
}

static int open_checkpoints(struct dump *d, struct load *load, struct err *e)
{
    struct checks c = {.t = {.d = d, .load = load, .path = d->path, .tool = TOOL_CHECK, .own = true}};
    struct json_members j;
    struct json_member m;
    struct json_pool pool;
    uint64_t n = 0;
    int rc = json_members_open(&j, d->path, NULL, e);
    bool open = rc == 0;
    result_begin(&c.t);
    c.t.head.had[COL_NAME] = c.t.head.had[COL_COSINE] = true;
    json_pool_enter(&pool);
    if (open)
        d->bytes = j.file.size;
    while (open && (rc = json_members_next(&j, &m, e)) == 1) {
        d->bytes_done = m.offset;
        if (add_weight(&c, &m, ++n, e)) {
            rc = -1;
            break;
        }
        json_pool_clear(&pool);
    }
    json_pool_leave(&pool);
    if (open)
        json_members_close(&j);
    buf_release(&c.name);
    buf_release(&c.message);
    return result_end(&c.t, rc, e);
}

const struct reader reader_msprobe_acc = {
    .name = "msprobe-acc",
    .title = N_("results of msprobe acc_check and api_precision_compare: single operators tested against a CPU"),
    .what = "accuracy_checking_{details,result}_*.csv api_precision_compare_{details,result}_*.csv",
    .versions = "msprobe 26.2 (PyTorch, MindSpore)",
    .unread = N_("metrics other than cosine, largest errors and the share within 0.001 are shown as written"),
    .probe = probe_acc,
    .open = open_csv,
    .close = result_close,
    .table = true,
};

const struct reader reader_msprobe_compile = {
    .name = "msprobe-compile",
    .title = N_("report of msprobe's eager/compile checker"),
    .what = "*.csv: module_name,check_type,tensor_index,status …",
    .versions = "msprobe 26.2",
    .unread = N_("mean errors"),
    .probe = probe_compile,
    .open = open_csv,
    .close = result_close,
    .table = true,
};

const struct reader reader_msprobe_checkpoints = {
    .name = "msprobe-ckpt",
    .title = N_("msprobe config_check's comparison of two checkpoints"),
    .what = "*.json: {WEIGHT: {\"l2\", \"cos\", \"numel\", \"shape\"}}",
    .versions = "msprobe 26.2",
    .unread = N_("weights that only one side has: not in the file"),
    .probe = probe_checkpoints,
    .open = open_checkpoints,
    .close = result_close,
    .table = true,
};

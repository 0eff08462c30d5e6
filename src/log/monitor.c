/* msprobe monitor's tables: statistics of each weight and step,
 *   grad_reduced_A-B.csv, grad_unreduced_…, param_…  vpp_stage,name,step[,micro_step],norm,…
 *   weight_grad_stepA-B.csv: vpp_stage,step,module_name,scope[,micro_step],min,max,mean,norm,nans
 * The norm of reduced gradients is a local norm; every other column keeps its name. Where a module has no tensor (an
 * input without a gradient) every cell is "nan", the shape and the counts too. */
#include "base/msg.h"
#include "fmt/sheet.h"
#include "log/series_builder.h"

#define COLUMNS 32

struct monitor_table {
    struct series_builder *k;
    char what[64];         /* "grad_reduced", of the file's name */
    int name, step, micro, scope, stage;
    bool ops[COLUMNS];
    bool never_nan[COLUMNS]; /* of any tensor: its shape, type, counts */
    char tag[COLUMNS][160]; /* of each column of figures, without the scope */
    bool norm[COLUMNS];
    size_t n;
    bool head;
};

bool monitor_sniff(struct str head, const char *path)
{
    (void)path;
    if (str_starts(head, "\xef\xbb\xbf"))
        head = str_cut(head, 3);
    return str_starts(head, "vpp_stage,") && (scan_has(head, ",name,step") || scan_has(head, ",step,module_name"));
}

/* "grad_reduced_0-0.csv" → "grad_reduced", "weight_grad_step0-9.csv" → "weight_grad" */
static void what_of(const char *path, char out[64])
{
    struct str s = path_base(str_of(path));
    ptrdiff_t dot = str_rfind(s, '.');
    if (dot > 0)
        s.n = (size_t)dot;
    while (s.n && ((s.p[s.n - 1] >= '0' && s.p[s.n - 1] <= '9') || s.p[s.n - 1] == '-'))
        s.n--;
    if (str_ends(s, "_step"))
        s.n -= strlen("_step");
    else if (s.n && s.p[s.n - 1] == '_')
        s.n--;
    if (s.n > 63)
        s.n = 63;
    memcpy(out, s.p, s.n);
    out[s.n] = 0;
}

static int monitor_take_header(struct monitor_table *t, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    t->name = t->step = t->micro = t->scope = t->stage = -1;
    t->n = n < COLUMNS ? n : COLUMNS;
    for (size_t i = 0; i < t->n; i++) {
        struct str c = str_trim(cell[i]);
        int at = (int)i;
        if (str_is(c, "name") || str_is(c, "module_name"))
            t->name = at;
        else if (str_is(c, "step"))
            t->step = at;
        else if (str_is(c, "micro_step"))
            t->micro = at;
        else if (str_is(c, "scope"))
            t->scope = at;
        else if (str_is(c, "vpp_stage"))
            t->stage = at;
        else if (str_is(c, "shape") || str_is(c, "dtype"))
            t->never_nan[i] = true;
        else if (c.n && c.n < 64) {
            struct buf b = {0};
            buf_fmt(&b, "%s.%.*s", t->what, STR_ARG(c));
            memcpy(t->tag[i], b.p, b.n + 1);
            buf_release(&b);
            t->ops[i] = true;
            t->norm[i] = str_is(c, "norm");
            t->never_nan[i] = str_is(c, "nans") || str_is(c, "zeros");
        }
    }
    if (t->name < 0 || t->step < 0)
        return err_line(e, t->k->file->name, line, _("expected columns \"name\" and \"step\" of an msprobe monitor "
                                                     "table"));
    t->head = true;
    return 0;
}

static bool no_tensor(const struct monitor_table *t, const struct str *cell, size_t n)
{
    for (size_t i = 0; i < t->n && i < n; i++)
        if (t->never_nan[i] && str_ieq(str_trim(cell[i]), STR("nan")))
            return true;
    return false;
}

/* first_micro: the number of the first micro step. Version 2 numbers them from 1 and leaves the stage out as -1. */
static void monitor_value_name(struct str name, struct str stage, struct str micro, const char *first_micro,
                               struct buf *out)
{
    struct str before, rest;
    if (stage.n && str_split(name, ':', &before, &rest) && str_eq(before, stage))
        name = rest; /* version 2 leaves the stage in the name, too */
    if (stage.n && !str_is(stage, "0") && !str_is(stage, "-1"))
        buf_fmt(out, "vpp%.*s:", STR_ARG(stage));
    buf_str(out, name);
    if (micro.n && !str_is(micro, first_micro) && !str_is(micro, "None"))
        buf_fmt(out, "@%.*s", STR_ARG(micro));
}

static struct str optional_cell(const struct str *cell, size_t n, int at)
{
    return at >= 0 && (size_t)at < n ? str_trim(cell[at]) : STR("");
}

static bool monitor_read_step(const struct monitor_table *t, struct str cell, int64_t *step)
{
    struct str s = str_trim(cell);
    if (scan_count(&s, step) && !s.n && *step < LOG_STEP)
        return true;
    if (s.n)
        log_odd_value(t->k, cell);
    else
        log_odd(t->k, ODD_STEP);
    return false;
}

static int monitor_take_row(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    struct monitor_table *t = ctx;
    struct buf name = {0};
    int64_t step;
    double x;
    t->k->line = line < UINT32_MAX ? (uint32_t)line : UINT32_MAX;
    if (!t->head)
        return monitor_take_header(t, cell, n, line, e);
    for (size_t i = 0; i < n; i++)
        if (cell[i].n && memchr(cell[i].p, '\n', cell[i].n)) {
            log_odd(t->k, ODD_QUOTE);
            return 0;
        }
    if ((size_t)t->name >= n || (size_t)t->step >= n || no_tensor(t, cell, n))
        return 0;
    if (!monitor_read_step(t, cell[t->step], &step))
        return 0;
    struct str scope = optional_cell(cell, n, t->scope), stage = optional_cell(cell, n, t->stage);
    struct str micro = optional_cell(cell, n, t->micro);
    bool reduced =
        strcmp(t->what, "grad_reduced") == 0 || (strcmp(t->what, "weight_grad") == 0 && str_is(scope, "reduced"));
    monitor_value_name(str_trim(cell[t->name]), stage, reduced ? STR("") : micro, t->scope >= 0 ? "1" : "0", &name);
    for (size_t i = 0; i < t->n && i < n; i++) {
        if (!t->ops[i] || log_number(t->k, cell[i], &x, NULL) != READING_VALUE)
            continue;
        if (t->norm[i] && reduced) {
            log_point(t->k, "local_norm", buf_view(&name), false, step, x);
        } else if (scope.n && scope.n < 32) {
            struct buf tag = {0};
            buf_fmt(&tag, "%s/%.*s", t->tag[i], STR_ARG(scope));
            log_point(t->k, tag.p, buf_view(&name), false, step, x);
            buf_release(&tag);
        } else {
            log_point(t->k, t->tag[i], buf_view(&name), false, step, x);
        }
    }
    buf_release(&name);
    return log_cancelled(t->k) ? 1 : 0;
}

/* msprobe ends every line: a last figure without line end may be cut off. A single row is kept. */
static int unended_row(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    struct monitor_table *t = ctx;
    if (!t->k->s->points.n)
        return monitor_take_row(ctx, cell, n, line, e);
    t->k->line = line < UINT32_MAX ? (uint32_t)line : UINT32_MAX;
    log_odd(t->k, ODD_CUT);
    return 0;
}

/* A single last row in an open quote has no line end. */
static void monitor_open_quote(void *ctx)
{
    struct monitor_table *t = ctx;
    if (!t->k->counted[ODD_QUOTE])
        log_odd(t->k, ODD_QUOTE);
}

void monitor_value(struct series_builder *k, const struct monitor_at *at, struct str op, int64_t step, double x)
{
    struct buf out = {0}, full = {0};
    bool reduced = str_is(at->what, "grad_reduced") && str_is(op, "norm");
    monitor_value_name(at->name, at->stage, at->micro, "0", &out);
    buf_fmt(&full, "%.*s.%.*s", STR_ARG(at->what), STR_ARG(op));
    log_point(k, reduced ? "local_norm" : full.p, buf_view(&out), false, step, x);
    buf_release(&out);
    buf_release(&full);
}

bool monitor_scalar(struct series_builder *k, struct str tag, int64_t step, double x)
{
    struct monitor_at at = {.what = path_base(path_parent(str_of(k->file->name))), .micro = STR("0")};
    struct str path, op;
    ptrdiff_t slash = str_rfind(tag, '/');
    if (!str_starts(tag, "vp") || slash < 0)
        return false;
    path = str_n(tag.p, (size_t)slash);
    op = str_cut(tag, (size_t)slash + 1);
    if (!str_split(str_cut(path, 2), ':', &at.stage, &at.name) || !op.n)
        return false;
    ptrdiff_t colon = str_rfind(at.name, ':');
    if (colon >= 0 && str_starts(str_cut(at.name, (size_t)colon), ":micro")) {
        at.micro = str_cut(at.name, (size_t)colon + strlen(":micro"));
        at.name.n = (size_t)colon;
    }
    monitor_value(k, &at, op, step, x);
    return true;
}

int monitor_read(struct series_builder *k, struct err *e)
{
    struct monitor_table t = {.k = k};
    struct sheet_sink sink = {.row = monitor_take_row, .unended_row = unended_row,
                              .open_quote = monitor_open_quote, .ctx = &t};
    what_of(k->file->name, t.what);
    int rc = sheet_read(k->file, &sink, e);
    vec_last(&k->s->files)->lines = k->line;
    return rc;
}

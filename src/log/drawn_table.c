/* Reads tables drawn with bars or laid out with tabs and wide gaps. The names of the columns say which are step and
 * loss; what stands between the tables is not looked at. */
#include "log/drawn_table.h"

#include "base/msg.h"
#include "log/value_names.h"

#define COLUMNS 64
#define NAME 64

enum divider { BY_BARS, BY_TABS, BY_GAPS };

struct drawn_table {
    enum divider by;
    size_t n;          /* columns; 0: no table has begun */
    int step, epoch, rank, split; /* their columns; -1: none */
    int as[COLUMNS];   /* enum log_value; -1: another */
    bool many;         /* several losses, of which one was taken */
    char loss[NAME];   /* its name */
};

struct cells {
    struct str v[COLUMNS];
    size_t n;
};

size_t drawn_bar_at(struct str s)
{
    static const char *const bars[] = {"|", "\u2502", "\u2503", "\u2551"};
    for (size_t i = 0; i < ARRAY_LEN(bars); i++)
        if (str_starts(s, bars[i]))
            return strlen(bars[i]);
    return 0;
}

static size_t divider_at(struct str s, enum divider by)
{
    if (by == BY_BARS)
        return drawn_bar_at(s);
    if (by == BY_TABS)
        return s.p[0] == '\t';
    return s.n > 1 && s.p[0] == ' ' && s.p[1] == ' ' ? 2 : 0;
}

/* False: there are too many. */
static bool cut_table_line(struct str line, enum divider by, struct cells *c)
{
    c->n = 0;
    if (by != BY_TABS)
        line = str_trim(line);
    size_t from = by == BY_BARS ? drawn_bar_at(line) : 0;
    for (size_t i = from; i <= line.n;) {
        size_t n = i < line.n ? divider_at(str_cut(line, i), by) : 0;
        if (!n && i < line.n) {
            i++;
            continue;
        }
        bool last = i == line.n;
        if (last && from == line.n && by == BY_BARS)
            break; /* nothing behind the last bar */
        if (c->n == COLUMNS)
            return false;
        c->v[c->n++] = str_trim(str_n(line.p + from, i - from));
        for (i += n; by == BY_GAPS && i < line.n && line.p[i] == ' '; i++)
            continue;
        from = i;
        if (last)
            break;
    }
    return true;
}

/* In lower case, '_' for all that is neither letter nor digit: "Loss (train)" is "loss_train". */
static struct str plain_column_name(struct str cell, char out[NAME])
{
    size_t n = 0;
    for (size_t i = 0; i < cell.n && n < NAME - 1; i++) {
        char c = cell.p[i];
        bool letter = (c | 32) >= 'a' && (c | 32) <= 'z', other = (unsigned char)c >= 0x80 || (c >= '0' && c <= '9');
        if (letter || other)
            out[n++] = letter ? (char)(c | 32) : c;
        else if (n && out[n - 1] != '_')
            out[n++] = '_';
    }
    while (n && out[n - 1] == '_')
        n--;
    return str_n(out, n);
}

static bool names_steps(struct str name)
{
    return value_is_step(name) || str_is(name, "batch") || str_is(name, "it");
}

/* Whether the cells are names, a step's among them. Of a table without a loss nothing is read. */
static bool name_table_columns(struct drawn_table *t, const struct cells *c, enum divider by)
{
    struct drawn_table x = {.by = by, .n = c->n, .step = -1, .epoch = -1, .rank = -1, .split = -1};
    int highest = -1, at = -1;
    double number;
    if (c->n < 2)
        return false;
    for (size_t i = 0; i < c->n; i++) {
        char text[NAME];
        struct str name = plain_column_name(c->v[i], text);
        enum log_value v;
        int rank = value_loss_rank(name);
        x.as[i] = -1;
        if (scan_number(c->v[i], &number, NULL))
            return false;
        if (x.step < 0 && names_steps(name)) {
            x.step = (int)i;
        } else if (x.epoch < 0 && str_is(name, "epoch")) {
            x.epoch = (int)i;
        } else if (x.rank < 0 && value_is_rank(name)) {
            x.rank = (int)i;
        } else if (x.split < 0 && value_is_split(name)) {
            x.split = (int)i;
        } else if (rank >= 0) {
            x.many = x.many || at >= 0;
            if (rank > highest) {
                highest = rank;
                at = (int)i;
                memcpy(x.loss, text, name.n);
                x.loss[name.n] = 0;
            }
        } else if (value_named(name, &v)) {
            x.as[i] = (int)v;
        }
    }
    if (x.step < 0 && x.epoch >= 0) {
        x.step = x.epoch;
        x.epoch = -1;
    }
    if (x.step < 0 || (at < 0 && !t->n))
        return false;
    if (at >= 0)
        x.as[at] = LOG_LOSS;
    *t = x;
    return true;
}

/* Whether the line names columns; t has them then. */
static bool drawn_table_take_header(struct drawn_table *t, struct str line)
{
    struct cells c;
    bool bars = false;
    if (!str_ihas(line, "loss") && !str_ihas(line, "step") && !str_ihas(line, "iter") && !str_ihas(line, "epoch") &&
        !str_has(line, "损失"))
        return false;
    for (size_t i = 0; i < line.n && !bars; i++)
        bars = drawn_bar_at(str_cut(line, i)) > 0;
    enum divider by = bars ? BY_BARS : str_find(line, '\t') >= 0 ? BY_TABS : BY_GAPS;
    return cut_table_line(line, by, &c) && name_table_columns(t, &c, by);
}

/* "100", "100/500", "1,000" in digits alone is none. */
static bool step_cell(struct str cell, int64_t *step)
{
    struct str rest = cell;
    return scan_count(&rest, step) && *step < LOG_STEP && (!rest.n || rest.p[0] == '/');
}

/* "2.5", or the first of "2.5 (2.6)". */
static struct str first_value_of_cell(struct str cell)
{
    ptrdiff_t open = str_search(cell, " (");
    return open > 0 && str_ends(cell, ")") ? str_n(cell.p, (size_t)open) : cell;
}

/* Whether the line is a row of the table, at least by its number of cells and a step. */
static bool is_table_row(const struct drawn_table *t, struct str line, struct cells *c, int64_t *step)
{
    return t->n && cut_table_line(line, t->by, c) && c->n == t->n && step_cell(c->v[t->step], step);
}

/* A line that may be a row, of which a part is missing or no number: with as many cells, or with a step. */
static bool odd_row(const struct drawn_table *t, const struct cells *c)
{
    struct str cell = t->n && c->n > (size_t)t->step ? c->v[t->step] : STR("");
    bool number = cell.n && (strchr("#", cell.p[0]) || (cell.p[0] >= '0' && cell.p[0] <= '9'));
    return number && c->n > 1 && (t->by == BY_BARS || c->n == t->n);
}

static void take_table_row(struct series_builder *k, const struct drawn_table *t, const struct cells *c, int64_t step)
{
    struct log_record r = {.step = step};
    double x, digit, epoch = -1;
    int64_t rank;
    if (t->split >= 0 && value_split_judged(c->v[t->split]))
        return;
    if (t->rank >= 0 && step_cell(c->v[t->rank], &rank))
        r.rank = log_rank_said(rank);
    for (size_t i = 0; i < t->n; i++)
        if (t->as[i] >= 0 && log_number(k, first_value_of_cell(c->v[i]), &x, &digit) == READING_VALUE)
            log_set(k, &r, (enum log_value)t->as[i], x, digit);
    if (!r.has)
        return;
    if (t->epoch >= 0 && !scan_number(c->v[t->epoch], &epoch, NULL))
        epoch = -1;
    log_join_epoch(k, &r, epoch);
    log_add(k, &r);
}

bool drawn_table_sniff(const struct file *f, uint64_t limit, const atomic_bool *cancel)
{
    struct log_lines l = {.file = f, .most = limit, .cancel = cancel};
    struct drawn_table t = {0};
    struct cells c;
    struct str line;
    struct err quiet;
    int64_t step;
    bool found = false;
    while (!found && log_line_next(&l, &line, &quiet) == 1)
        found = !drawn_table_take_header(&t, line) && is_table_row(&t, line, &c, &step);
    log_line_close(&l);
    return found;
}

/* Whether the end of the file cuts a row off: it has no line end, and no bar that closes it. */
static bool is_row_cut_off(const struct drawn_table *t, const struct log_lines *l, struct str line)
{
    line = str_trim(line);
    if (!t->n || !log_line_unended(l) || !line.n)
        return false;
    bool begins = drawn_bar_at(line) > 0 || (line.p[0] >= '0' && line.p[0] <= '9');
    return begins && (t->by != BY_BARS || (!str_ends(line, "|") && !str_ends(line, "│")));
}

int drawn_table_read(struct series_builder *k, struct err *e)
{
    struct log_lines l = {.file = k->file, .cancel = k->cancel};
    struct drawn_table t = {0};
    struct cells c;
    struct str line;
    int64_t step;
    int rc;
    while ((rc = log_line_next(&l, &line, e)) == 1 && !log_cancelled(k)) {
        k->line = l.line < UINT32_MAX ? (uint32_t)l.line : UINT32_MAX;
        if (l.end && !l.newline && k->growing)
            break;
        if (is_row_cut_off(&t, &l, line)) {
            log_odd(k, ODD_CUT);
            continue;
        }
        if (drawn_table_take_header(&t, line)) {
            if (t.many)
                log_loss_taken(k, str_of(t.loss));
        } else if (is_table_row(&t, line, &c, &step)) {
            take_table_row(k, &t, &c, step);
        } else if (odd_row(&t, &c)) {
            log_odd_value(k, c.v[t.step < (int)c.n ? t.step : 0]);
        }
    }
    vec_last(&k->s->files)->lines = l.line;
    log_line_close(&l);
    return rc < 0 ? -1 : 0;
}

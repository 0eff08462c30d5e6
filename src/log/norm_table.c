/* Reads norms that stand by the names of the weights without the word norm in each line: tables with columns of a name
 * and a norm or with a column a weight, pairs a line, dictionaries by name as JSON or as Python prints them. */
#include <stdlib.h>

#include "base/mem.h"
#include "log/drawn_table.h"
#include "log/python_value.h"
#include "log/series_builder.h"
#include "log/value_names.h"

#define DOCUMENT_BYTES (32u << 20)
#define COLUMNS 4096
#define NAME 64
#define DEEPEST 4
#define LOOKED_AT 64 /* lines that tell what a file is */

struct cells {
    struct str v[COLUMNS];
    size_t n;
};

struct norm_reading {
    struct series_builder *k; /* NULL: only counts */
    struct cells cells;
    /* of a table; n is 0 before its names */
    size_t n;
    int name, value, step, rank;
    bool wide;                /* a column a weight */
    uint64_t parameter[COLUMNS / 64];
    int64_t own_rank;         /* of the row; -1: none is said */
    size_t norms, other;      /* norms found; lines that are none */
};

static struct norm_reading *new_reading(struct series_builder *k)
{
    struct norm_reading *r = mem_zalloc(sizeof *r);
    r->k = k;
    r->own_rank = -1;
    return r;
}

/* ---- cells ---- */

static struct str trim_quotes(struct str s)
{
    s = str_trim(s);
    if (s.n > 1 && strchr("\"'", s.p[0]) && s.p[s.n - 1] == s.p[0])
        s = str_n(s.p + 1, s.n - 2);
    return str_trim(s);
}

/* By bars, tabs or commas; false: there are none of them, or too many cells. */
static bool cut_cells(struct str line, struct cells *c)
{
    bool bars = false, tabs = str_find(line, '\t') >= 0;
    for (size_t i = 0; i < line.n && !bars; i++)
        bars = drawn_bar_at(str_cut(line, i)) > 0;
    c->n = 0;
    line = str_trim(line);
    size_t from = bars ? drawn_bar_at(line) : 0;
    for (size_t i = from; i <= line.n && c->n < COLUMNS;) {
        struct str at = str_cut(line, i);
        size_t n = i == line.n ? 0 : bars ? drawn_bar_at(at) : (at.p[0] == (tabs ? '\t' : ','));
        if (i < line.n && !n) {
            ptrdiff_t end = at.p[0] == '"' ? str_find(str_cut(at, 1), '"') : -1;
            i += end < 0 ? 1 : (size_t)end + 2; /* "1,5" is one cell */
            continue;
        }
        if (i == line.n && from == line.n && bars)
            break;
        c->v[c->n++] = trim_quotes(str_n(line.p + from, i - from));
        i += n ? n : 1;
        from = i;
    }
    return c->n > 1 && c->n < COLUMNS;
}

/* The parts of "(1, 'layers.0.wq.weight', 2.5)" and "layers.0.wq.weight: 2.5". */
static void cut_words(struct str line, struct cells *c)
{
    static const char between[] = " \t\r()[]'\":=,";
    static const char *const wrapped[] = {"tensor", "Tensor", "Array", "np.float32", "np.float64"};
    c->n = 0;
    while (line.n && c->n < 8) {
        size_t i = 0, from;
        while (i < line.n && strchr(between, line.p[i]))
            i++;
        for (from = i; i < line.n && !strchr(between, line.p[i]); i++)
            continue;
        struct str word = str_n(line.p + from, i - from);
        if (c->n > 1 && (str_is(word, "device") || str_is(word, "dtype"))) /* of a tensor: behind its value */
            break;
        if (word.n && !STR_ONE_OF(word, wrapped))
            c->v[c->n++] = word;
        line = str_cut(line, i);
    }
}

static bool parse_step_count(struct str text, int64_t *out)
{
    return scan_count(&text, out) && !text.n && *out < LOG_STEP;
}

/* ---- norms ---- */

static void take_table_norm(struct norm_reading *r, struct str name, bool stepped, int64_t step, struct str text)
{
    double x, digit;
    r->norms++;
    if (r->k && log_number(r->k, text, &x, &digit) == READING_VALUE)
        log_printed_norm(r->k, name, r->own_rank, stepped, step, x);
}

static bool is_norm_name(struct str cell)
{
    static const char *const names[] = {"norm", "grad_norm", "gradnorm", "gnorm", "l2", "l2_norm", "l2norm",
                                        "gradient_norm", "local_norm", "grad_l2", "grad_l2_norm", "\u8303\u6570",
                                        "\u68af\u5ea6\u8303\u6570"};
    char text[NAME];
    size_t n = 0;
    for (; n < cell.n && n < NAME; n++)
        text[n] = cell.p[n] >= 'A' && cell.p[n] <= 'Z' ? (char)(cell.p[n] + 32) : strchr(" -.", cell.p[n]) ? '_'
                                                                                                         : cell.p[n];
    return n < NAME && STR_ONE_OF(str_n(text, n), names);
}

static bool is_name_name(struct str cell)
{
    static const char *const names[] = {"name", "param", "parameter", "param_name", "weight", "layer", "tensor",
                                        "module", "\u53c2\u6570", "\u540d\u79f0", "\u53c2\u6570\u540d"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_ieq(cell, str_of(names[i])))
            return true;
    return false;
}

/* Whether the cells name the columns of such a table; r has them then. */
static bool norm_table_header(struct norm_reading *r)
{
    const struct cells *c = &r->cells;
    int name = -1, value = -1, step = -1, rank = -1;
    size_t weights = 0;
    double x;
    for (size_t i = 0; i < c->n; i++) {
        if (scan_number(c->v[i], &x, NULL))
            return false;
        weights += log_is_parameter(c->v[i]);
        if (step < 0 && value_is_step(c->v[i]))
            step = (int)i;
        else if (rank < 0 && value_is_rank(c->v[i]))
            rank = (int)i;
        else if (value < 0 && is_norm_name(c->v[i]))
            value = (int)i;
        else if (name < 0 && is_name_name(c->v[i]))
            name = (int)i;
    }
    const bool wide = weights > 1 && step >= 0 && value < 0;
    if (!wide && (name < 0 || value < 0))
        return false;
    r->n = c->n;
    r->name = name, r->value = value, r->step = step, r->rank = rank;
    r->wide = wide;
    memset(r->parameter, 0, sizeof r->parameter);
    for (size_t i = 0; i < c->n; i++)
        if (wide && log_is_parameter(c->v[i]))
            r->parameter[i / 64] |= 1ull << i % 64;
    return true;
}

/* A row of the table whose names came; names: of a wide table. */
static bool norm_table_take_row(struct norm_reading *r, const struct str *names)
{
    const struct cells *c = &r->cells;
    int64_t step = 0;
    if (c->n != r->n || (!r->wide && !log_is_parameter(c->v[r->name])))
        return false;
    if (r->step >= 0 && !parse_step_count(c->v[r->step], &step)) {
        if (r->k)
            log_odd_value(r->k, c->v[r->step]);
        return true;
    }
    if (r->rank < 0 || !parse_step_count(c->v[r->rank], &r->own_rank))
        r->own_rank = -1;
    for (size_t i = 0; r->wide && i < c->n; i++)
        if (r->parameter[i / 64] >> i % 64 & 1)
            take_table_norm(r, names[i], true, step, c->v[i]);
    if (!r->wide)
        take_table_norm(r, c->v[r->name], r->step >= 0, step, c->v[r->value]);
    return true;
}

/* "layers.0.wq.weight 2.5", with a step in front of the name or without. */
static bool take_norm_pair(struct norm_reading *r, struct str line)
{
    const struct cells *c = &r->cells;
    int64_t step = 0;
    double x;
    cut_words(line, &r->cells);
    const bool stepped = c->n > 1 && !log_is_parameter(c->v[0]);
    if (c->n < 2 || !log_is_parameter(c->v[stepped]))
        return false;
    if (stepped && !parse_step_count(c->v[0], &step))
        return false;
    if (c->n != 2 + (size_t)stepped || !scan_number(c->v[1 + stepped], &x, NULL)) {
        if (r->k && !r->n)
            log_odd_value(r->k, line);
        return false;
    }
    take_table_norm(r, c->v[stepped], stepped, step, c->v[1 + stepped]);
    return true;
}

static bool is_table_rule(struct str line)
{
    for (size_t i = 0; i < line.n; i++)
        if (!strchr("-=+|: \t\r", line.p[i]) && (unsigned char)line.p[i] < 0x80)
            return false;
    return true;
}

/* ---- dictionaries ---- */

static bool holds_norms(struct str key)
{
    static const char *const names[] = {"norms", "grad_norms", "gradients", "grads", "local_norm", "local_norms",
                                        "params", "data", "values", "norm", "grad_norm"};
    return STR_ONE_OF(key, names);
}

/* {"step": 1, "layers.0.wq.weight": 2.5, …}; lists have a value a step; {"1": {…}} and {"norms": {…}} hold such. */
static void take_norm_object(struct norm_reading *r, struct str object, bool stepped, int64_t step, int depth)
{
    struct str s = str_cut(object, 1), key, value;
    while (scan_member(&s, &key, &value) == 1)
        if (value_is_step(key) && parse_step_count(scan_unquoted(value), &step))
            stepped = true;
        else if (value_is_step(key) && r->k && !str_starts(value, "["))
            log_odd_value(r->k, value);
    for (s = str_cut(object, 1); scan_member(&s, &key, &value) == 1;) {
        int64_t own = step;
        if (log_is_parameter(key) && str_starts(value, "[")) {
            struct str list = str_n(value.p + 1, value.n - 2), item;
            for (int64_t n = 1; list.n && str_find(value, '{') < 0; n++) {
                item = str_next(&list, ',');
                take_table_norm(r, key, true, n, scan_unquoted(str_trim(item)));
            }
        } else if (log_is_parameter(key) && !str_starts(value, "{")) {
            take_table_norm(r, key, stepped, step, scan_unquoted(value));
        } else if (str_starts(value, "{") && depth < DEEPEST && (holds_norms(key) || parse_step_count(key, &own))) {
            take_norm_object(r, value, stepped || !holds_norms(key), own, depth + 1);
        }
    }
}

/* [["layers.0.wq.weight", 2.5], …] */
static void take_pairs(struct norm_reading *r, struct str list)
{
    for (struct str s = list; s.n;) {
        ptrdiff_t open = str_find(str_cut(s, 1), '['), close;
        if (open < 0 || (close = str_find(str_cut(s, (size_t)open + 1), ']')) < 0)
            return;
        struct str own = str_n(s.p + open + 2, (size_t)close - 1), name, value;
        if (str_split(own, ',', &name, &value) && log_is_parameter(scan_unquoted(name)))
            take_table_norm(r, scan_unquoted(name), false, 0, scan_unquoted(str_trim(value)));
        s = str_cut(s, (size_t)open + (size_t)close + 1);
    }
}

static bool take_norm_document(struct norm_reading *r, struct str text)
{
    struct buf json = {0};
    struct str s = text;
    size_t n = 0;
    while (s.n && r->other < LOOKED_AT) {
        while (s.n && strchr(" \t\r\n,", s.p[0]))
            s = str_cut(s, 1);
        if (!s.n)
            break;
        buf_clear(&json);
        if (!python_value(&s, &json)) {
            r->other++;
            str_next(&s, '\n');
            continue;
        }
        const size_t before = r->norms;
        if (str_starts(buf_view(&json), "{"))
            take_norm_object(r, buf_view(&json), false, 0, 0);
        else
            take_pairs(r, buf_view(&json));
        n += r->norms > before;
        r->other += r->norms == before;
    }
    buf_release(&json);
    return n > 0 && r->other <= n / 8;
}

size_t log_norms_of_object(struct series_builder *k, struct str json, int64_t rank, bool stepped, int64_t step)
{
    struct norm_reading *r = new_reading(k);
    r->own_rank = rank;
    take_norm_object(r, json, stepped, step, 0);
    const size_t n = r->norms;
    free(r);
    return n;
}

static bool may_be_document(struct str head)
{
    while (head.n && strchr(" \t\r\n", head.p[0]))
        head = str_cut(head, 1);
    return python_value_begins(head) && head.p[0] != '(';
}

/* ---- the file ---- */

/* A line of a table or a pair; names: copies of a wide table's, since lines come and go. */
static void take_norm_line(struct norm_reading *r, struct str line, struct buf *kept, struct str *names)
{
    line = str_trim(line);
    if (!line.n || is_table_rule(line))
        return;
    const bool cells = cut_cells(line, &r->cells);
    if (cells && norm_table_header(r)) {
        buf_clear(kept);
        buf_str(kept, line);
        cut_cells(buf_view(kept), &r->cells);
        for (size_t i = 0; i < r->cells.n; i++)
            names[i] = r->cells.v[i];
    } else if (!(cells && r->n && norm_table_take_row(r, names)) && (r->n || !take_norm_pair(r, line))) {
        r->other++;
        if (r->k && r->n && cells && r->cells.n > 1)
            log_odd_value(r->k, line);
    }
}

/* Whether a last line without its end cannot go on: it ends with a bar or a bracket. */
static bool ends_whole(struct str line)
{
    static const char *const ends[] = {"|", "\u2502", ")", "]", "}"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (str_ends(str_trim(line), ends[i]))
            return true;
    return false;
}

bool norm_table_sniff(struct str head, const char *path)
{
    bool yes = false;
    if (!log_names_parameters(head))
        return false;
    struct norm_reading *r = new_reading(NULL);
    struct str *names = mem_zalloc(COLUMNS * sizeof *names), rest = head;
    struct buf text = {0}, kept = {0};
    struct err quiet;
    if (may_be_document(head)) {
        yes = file_slurp(path, DOCUMENT_BYTES, &text, &quiet) == 0 && take_norm_document(r, buf_view(&text));
    } else {
        for (size_t i = 0; i < LOOKED_AT && rest.n; i++)
            take_norm_line(r, str_next(&rest, '\n'), &kept, names);
        yes = r->norms > 1 && 8 * r->other <= r->norms;
    }
    buf_release(&text);
    buf_release(&kept);
    free(names);
    free(r);
    return yes;
}

int norm_table_read(struct series_builder *k, struct err *e)
{
    struct norm_reading *r = new_reading(k);
    struct str *names = mem_zalloc(COLUMNS * sizeof *names), line;
    struct buf text = {0}, kept = {0};
    char head[256];
    int rc = 0;
    if (may_be_document(file_head(k->file->name, head, sizeof head))) {
        rc = file_slurp(k->file->name, DOCUMENT_BYTES, &text, e);
        if (rc == 0)
            take_norm_document(r, buf_view(&text));
    } else {
        struct log_lines l = {.file = k->file, .cancel = k->cancel};
        while ((rc = log_line_next(&l, &line, e)) == 1 && !log_cancelled(k)) {
            k->line = l.line < UINT32_MAX ? (uint32_t)l.line : UINT32_MAX;
            if (l.end && !l.newline && (k->growing || (!ends_whole(line) && (r->norms || r->n)))) {
                if (!k->growing)
                    log_odd(k, ODD_CUT);
                break;
            }
            take_norm_line(r, line, &kept, names);
        }
        rc = rc < 0 ? -1 : 0;
        vec_last(&k->s->files)->lines = l.line;
        log_line_close(&l);
    }
    buf_release(&text);
    buf_release(&kept);
    free(names);
    free(r);
    return rc;
}

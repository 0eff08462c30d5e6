/* The readers of result tables: which file is one, and its rows handed to result.c. */
#include "fmt/result.h"
#include "fmt/sheet.h"

#include "base/msg.h"

#define NOTE_MAX (64 * 1024)

/* ---- recognising ---- */

struct peek {
    enum result_tool tool;
};

static int peek_row(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    struct peek *p = ctx;
    struct result_head head;
    (void)line;
    (void)e;
    p->tool = result_header(cell, n, &head);
    return 1;
}

static bool has_ending(struct str name)
{
    return str_ends(name, ".csv") || str_ends(name, ".xlsx");
}

/* Any .csv or .xlsx whose first row has the columns, whatever it was renamed to. */
static enum result_tool sheet_tool(const char *path)
{
    struct file f;
    struct err quiet;
    struct peek p = {TOOL_NONE};
    struct sheet_sink sink = {.row = peek_row, .ctx = &p};
    if (!has_ending(str_of(path)) || !path_is_file(path) || file_open(&f, path, &quiet))
        return TOOL_NONE;
    sheet_read(&f, &sink, &quiet);
    file_close(&f);
    return p.tool;
}

/* ptdbg's and msprobe's adviser: three lines about the first bad row. */
static bool is_advisor(const char *path)
{
    struct str name = path_base(str_of(path));
    return str_starts(name, "advisor") && str_ends(name, ".txt") && path_is_file(path);
}

/* msprobe merge_result: one sheet a figure, a column a rank; no pairs are in it. */
static bool is_merge(const char *path)
{
    struct str name = path_base(str_of(path));
    return str_starts(name, "multi_ranks_compare_merge") && str_ends(name, ".xlsx") && path_is_file(path);
}

static bool probe_msprobe(const char *path)
{
    return is_merge(path) || sheet_tool(path) == TOOL_MSPROBE || result_json_probe(path, false);
}

static bool probe_ptdbg(const char *path)
{
    return is_advisor(path) || sheet_tool(path) == TOOL_PTDBG;
}

static bool probe_diff(const char *path)
{
    return result_json_probe(path, true);
}

/* ---- the adviser ---- */

/* "Suspect Nodes: NAME" of a note. */
static struct str suspect(struct str text)
{
    for (struct str line; text.n;) {
        str_split(text, '\n', &line, &text);
        line = str_trim(line);
        if (str_starts(line, "Suspect Nodes:"))
            return str_trim(str_cut(line, strlen("Suspect Nodes:")));
    }
    return STR("");
}

static int advisor_alone(const char *path, struct err *e)
{
    struct buf b = {0};
    if (file_slurp(path, NOTE_MAX, &b, e)) {
        buf_release(&b);
        return -1;
    }
    struct str name = suspect(buf_view(&b));
    int shown = name.n > 200 ? 200 : (int)name.n;
    err_set(e, ERR_DATA, _("%s: the note a comparison's adviser left (suspect: %.*s); open the compare_result beside it"), path,
            shown, name.p);
    buf_release(&b);
    return -1;
}

/* The only note beside the table is its own; of several nobody can tell which. */
static void advisor_beside(struct dump *d, const char *path)
{
    struct str parent = path_parent(str_of(path));
    struct buf dir = {0}, b = {0}, text = {0};
    name_list names = {0};
    struct err quiet;
    const char *note = NULL;
    int notes = 0;
    buf_str(&dir, parent.n ? parent : STR("."));
    if (dir_list(dir.p, 10000, &names, &quiet) == 0)
        for (size_t i = 0; i < names.n; i++)
            if (str_starts(str_of(names.v[i]), "advisor") && str_ends(str_of(names.v[i]), ".txt")) {
                note = names.v[i];
                notes++;
            }
    if (notes == 1) {
        path_join(&b, dir.p, note);
        if (file_slurp(b.p, NOTE_MAX, &text, &quiet) == 0) {
            struct str name = suspect(buf_view(&text));
            if (name.n && name.n < 2048 && !str_is(name, "NA")) {
                buf_clear(&b);
                buf_fmt(&b, _("%s beside it names %.*s as the suspect"), note, STR_ARG(name));
                dump_warn(d, b.p);
            }
        }
    }
    name_list_release(&names);
    buf_release(&dir);
    buf_release(&b);
    buf_release(&text);
}

/* ---- rows ---- */

static int take_row(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    struct result_table *t = ctx;
    struct str by_column[COL_COUNT];
    t->cells = n;
    t->last_line = line;
    if (line == 1) {
        t->columns = n;
        t->tool = result_header(cell, n, &t->head);
        return t->tool ? 0 : err_line(e, t->path, line, _("no header of a result table; \"NPU Name,Bench Name,…\" was expected"));
    }
    for (int c = 0; c < COL_COUNT; c++)
        by_column[c] = t->head.had[c] && t->head.at[c] < n ? cell[t->head.at[c]] : STR("");
    return result_add(t, by_column, NULL, 0, line, e);
}

static int advance(void *ctx, uint64_t bytes, struct err *e)
{
    struct result_table *t = ctx;
    t->d->bytes_done += bytes;
    return load_cancelled(t->load) ? err_set(e, ERR_CANCEL, "%s", _("stopped")) : 0;
}

static int read_sheet(struct result_table *t, struct err *e)
{
    struct file f;
    struct sheet_sink sink = {.row = take_row, .advance = advance, .ctx = t};
    struct err cut;
    char magic[2], end = '\n';
    if (file_open(&f, t->path, e))
        return -1;
    t->d->bytes += f.size;
    int rc = sheet_read(&f, &sink, e);
    /* a .csv has every row's cells, empty ones too; an .xlsx leaves those at the end out */
    bool text = f.size > 2 && file_read(&f, 0, magic, 2, &cut) == 0 && memcmp(magic, "PK", 2) != 0 &&
                file_read(&f, f.size - 1, &end, 1, &cut) == 0;
    if (rc == 0 && text && end != '\n' && t->cells < t->columns && t->d->column != GOLDEN) {
        err_line(&cut, t->path, t->last_line, _("the last row has %zu of %zu cells: the table is being written or was cut, and rows behind it are missing"),
                 t->cells, t->columns);
        dump_problem(t->d, NONE, "damaged", cut.text);
    }
    file_close(&f);
    return rc;
}

static int open_table(struct dump *d, struct load *load, struct err *e)
{
    struct result_table t = {.d = d, .load = load, .path = d->path};
    if (is_advisor(d->path))
        return advisor_alone(d->path, e);
    if (is_merge(d->path))
        return err_set(e, ERR_DATA, _("%s: figures of several ranks side by side (merge_result), without their pairs; open the compare_result_rankN files it was made from"), d->path);
    result_begin(&t);
    int rc = str_ends(str_of(d->path), ".json") ? result_json_read(&t, e) : read_sheet(&t, e);
    if (rc == 0 && d->column != GOLDEN)
        advisor_beside(d, d->path);
    return result_end(&t, rc, e);
}

static int open_diff(struct dump *d, struct load *load, struct err *e)
{
    struct result_table t = {.d = d, .load = load, .path = d->path};
    result_begin(&t);
    return result_end(&t, result_diff_read(&t, e), e);
}

const struct reader reader_msprobe_result = {
    .name = "msprobe-result",
    .title = N_("results of msprobe compare (tensor, statistics, md5): the verdicts given there"),
    .what = "compare_result_*.csv compare_result_*.xlsx compare_result_rank*.json",
    .versions = "msprobe to 26.2",
    .unread = N_("multi_ranks_compare_merge*.xlsx, advisor_*.txt"),
    .probe = probe_msprobe,
    .open = open_table,
    .close = result_close,
    .table = true,
};

const struct reader reader_ptdbg_result = {
    .name = "ptdbg-result",
    .title = N_("results of ptdbg_ascend's compare, versions 1 to 6: the verdicts given there"),
    .what = "compare_result_*.csv compare_result_*.xlsx advisor_*.txt",
    .versions = "ptdbg_ascend 1 to 6",
    .unread = N_("advisor_*.txt alone; the one beside a table is quoted"),
    .probe = probe_ptdbg,
    .open = open_table,
    .close = result_close,
    .table = true,
};

const struct reader reader_msprobe_diff = {
    .name = "msprobe-diff",
    .title = N_("msprobe's first differing calls of each rank, the target's figures only"),
    .what = "diff_analyze_*.json",
    .versions = "msprobe 26",
    .unread = N_("the golden figures, which it does not hold"),
    .probe = probe_diff,
    .open = open_diff,
    .close = result_close,
};
